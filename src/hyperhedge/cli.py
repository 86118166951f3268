"""The command line: ``hyperhedge --help``.

Results go to standard output and everything else to standard error. An error is one sentence; the exit code
is 0 if all went well and 2 if the usage or the input was bad. Colours follow the terminal and ``NO_COLOR``.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console
from rich.table import Table

from hyperhedge import __version__
from hyperhedge.demo import run_demo
from hyperhedge.errors import HyperhedgeError, LossWarning
from hyperhedge.hypergraph import Hypergraph
from hyperhedge.io.formats import (
    FORMATS,
    find_format,
    is_collection,
    read,
    read_collection,
    write,
    write_collection,
)
from hyperhedge.summary import Spread, Summary, summarise

__all__ = ["app", "main"]

# Typer brings its own copy of click: this is the base of its errors, wherever it lives.
_UsageError: Any = typer.BadParameter.__mro__[2]

app = typer.Typer(
    name="hyperhedge",
    help="Learn from hypergraphs and generate realistic new ones.",
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"hyperhedge {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _options(
    context: typer.Context,
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    """Learn from hypergraphs and generate realistic new ones."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(2)


def _complete_format(incomplete: str) -> list[str]:
    return [name for name in FORMATS if name.startswith(incomplete)]


def _format_option(flag: str, what: str) -> Any:
    return typer.Option(
        flag,
        metavar="FORMAT",
        autocompletion=_complete_format,
        help=f"The format {what}, if its name does not tell: {', '.join(FORMATS)}.",
        show_default=False,
    )


_InputFile = Annotated[str, typer.Argument(metavar="FILE", help="A file or folder; - for standard input.")]
_NodeColumn = Annotated[
    str | None, typer.Option("--node-column", help="The column of nodes in a CSV file.", show_default=False)
]
_EdgeColumn = Annotated[str | None, typer.Option("--edge-column", help="The column of hyperedges.", show_default=False)]


@app.command()
def info(
    file: _InputFile,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for a script.")] = False,
    format_name: Annotated[str | None, _format_option("--format", "of the file")] = None,
    node_column: _NodeColumn = None,
    edge_column: _EdgeColumn = None,
) -> None:
    """Tell what is in a file: counts, degrees, sizes, overlaps.

    Example: [bold]hyperhedge info committees.hif.json[/bold]
    """
    found = _read_either(file, format_name, node_column, edge_column)
    graphs = [found] if isinstance(found, Hypergraph) else found
    summaries = [summarise(H) for H in graphs]
    if as_json:
        facts = [asdict(s) for s in summaries]
        typer.echo(json.dumps(facts[0] if isinstance(found, Hypergraph) else facts, indent=2))
    elif isinstance(found, Hypergraph):
        Console().print(_one_table(file, summaries[0]))
    else:
        Console().print(_many_table(file, summaries))


@app.command()
def convert(
    source: Annotated[str, typer.Argument(metavar="IN", help="What to read; - for standard input.")],
    target: Annotated[str, typer.Argument(metavar="OUT", help="What to write; - for standard output.")],
    *,
    source_format: Annotated[str | None, _format_option("--from", "of IN")] = None,
    target_format: Annotated[str | None, _format_option("--to", "of OUT")] = None,
    node_column: _NodeColumn = None,
    edge_column: _EdgeColumn = None,
) -> None:
    """Convert a hypergraph, or a collection, from one format to another.

    Formats are found from the names; [bold].gz[/bold] packs and unpacks. OUT is written whole or not at all.

    Example: [bold]hyperhedge convert papers.csv papers.hif.json.gz[/bold]
    """
    found = _read_either(source, source_format, node_column, edge_column)
    path = _standard(target, "/dev/stdout", target_format, "--to")
    takes_many = find_format(path, target_format).encode is None
    if isinstance(found, Hypergraph) and not takes_many:
        write(found, path, format=target_format)
    else:
        write_collection([found] if isinstance(found, Hypergraph) else found, path, format=target_format)
    what = repr(found).strip("<>") if isinstance(found, Hypergraph) else f"{len(found):,} hypergraphs"
    typer.echo(f"{source} → {target} ({what})", err=True)


@app.command()
def demo(
    out: Annotated[Path, typer.Option("--out", help="The folder to write to; made if need be.")] = Path("demo"),
) -> None:
    """Show what the package does, on embedded data."""
    run_demo(out, Console())


def _read_either(
    file: str, format_name: str | None, node_column: str | None, edge_column: str | None
) -> Hypergraph | list[Hypergraph]:
    """Read one hypergraph or a collection, as the file has it."""
    path = _standard(file, "/dev/stdin", format_name, "--format or --from")
    given = {"node_column": node_column, "edge_column": edge_column}
    options: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if is_collection(path, format_name):
        return read_collection(path, format=format_name, **options)
    return read(path, format=format_name, **options)


def _standard(name: str, device: str, format_name: str | None, option: str) -> str:
    """Let ``-`` stand for a standard stream, whose format must then be given."""
    if name != "-":
        return name
    if format_name is None:
        raise HyperhedgeError(f"a standard stream has no name to tell its format: give {option}")
    return device


def _one_table(file: str, s: Summary) -> Table:
    table = Table(title=file, show_header=False, title_justify="left", title_style="bold")
    table.add_column(style="dim")
    table.add_column(justify="right")
    rows = {
        "nodes": f"{s.nodes:,}",
        "hyperedges": f"{s.hyperedges:,}",
        "incidences": f"{s.incidences:,}",
        "density": f"{s.density:.3g}",
        "degree, mean (range)": _spread(s.degree),
        "hyperedge size, mean (range)": _spread(s.size),
        "isolated nodes": f"{s.isolated_nodes:,}",
        "empty hyperedges": f"{s.empty_hyperedges:,}",
        "repeated hyperedges": f"{s.repeated_hyperedges:,}",
        "components": f"{s.components:,}",
        "pairs of hyperedges that overlap": "not counted"
        if s.overlapping_pairs is None
        else f"{s.overlapping_pairs:,}",
        "largest overlap": "not counted" if s.largest_overlap is None else f"{s.largest_overlap:,}",
    }
    for name, value in rows.items():
        table.add_row(name, value)
    return table


def _many_table(file: str, summaries: Sequence[Summary]) -> Table:
    table = Table(title=f"{file}: {len(summaries):,} hypergraphs", title_justify="left", title_style="bold")
    table.add_column("", style="dim")
    for heading in ("least", "mean", "greatest"):
        table.add_column(heading, justify="right")
    columns: dict[str, Sequence[float]] = {
        "nodes": [s.nodes for s in summaries],
        "hyperedges": [s.hyperedges for s in summaries],
        "incidences": [s.incidences for s in summaries],
        "density": [s.density for s in summaries],
        "mean degree": [s.degree.mean for s in summaries],
        "mean hyperedge size": [s.size.mean for s in summaries],
        "isolated nodes": [s.isolated_nodes for s in summaries],
        "empty hyperedges": [s.empty_hyperedges for s in summaries],
        "repeated hyperedges": [s.repeated_hyperedges for s in summaries],
    }
    for name, values in columns.items():
        if values:
            mean = sum(values) / len(values)
            table.add_row(name, *(f"{value:,.4g}" for value in (min(values), mean, max(values))))
    return table


def _spread(spread: Spread) -> str:
    return f"{spread.mean:.3g} ({spread.min:,}–{spread.max:,})"


def _note(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
    """Print a warning as one line."""
    if issubclass(category, LossWarning):
        typer.echo(f"Note: {message}", err=True)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit."""
    warnings.simplefilter("always", LossWarning)
    warnings.showwarning = _note
    try:
        code = app(arguments, prog_name="hyperhedge", standalone_mode=False)
    except _UsageError as error:
        code = _fail(f"{error.format_message().rstrip('.')}. Try 'hyperhedge --help'.")
    except HyperhedgeError as error:
        code = _fail(str(error))
    except (KeyboardInterrupt, typer.Abort):
        code = 130
    except BrokenPipeError:  # the reader of our output has gone, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        code = _fail(f"{name}{(error.strerror or str(error)).lower()}")
    sys.exit(code if isinstance(code, int) else 0)


def _fail(message: str) -> int:
    """Print an error as one line, and return the exit code for bad usage or input."""
    sentence = " ".join(message.split())
    typer.echo(f"Error: {sentence}", err=True)
    return 2
