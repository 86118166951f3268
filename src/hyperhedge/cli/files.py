"""Commands on files: ``info`` and ``convert``; and the demonstration."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from hyperhedge.cli.app import app
from hyperhedge.datasets.catalogue import CATALOGUE
from hyperhedge.datasets.store import Store
from hyperhedge.demo import FULL, QUICK, run_demo
from hyperhedge.errors import HyperhedgeError
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

__all__ = ["EdgeColumn", "NodeColumn", "format_option", "one_table", "read_either"]


def _complete_format(incomplete: str) -> list[str]:
    return [name for name in FORMATS if name.startswith(incomplete)]


def format_option(flag: str, what: str) -> Any:
    """Make the option that tells a format."""
    return typer.Option(
        flag,
        metavar="FORMAT",
        autocompletion=_complete_format,
        help=f"The format {what}, if its name does not tell: {', '.join(FORMATS)}.",
        show_default=False,
    )


_InputFile = Annotated[
    str, typer.Argument(metavar="FILE", help="A file, a folder or a real dataset's name; - for standard input.")
]
NodeColumn = Annotated[
    str | None, typer.Option("--node-column", help="The column of nodes in a CSV file.", show_default=False)
]
EdgeColumn = Annotated[str | None, typer.Option("--edge-column", help="The column of hyperedges.", show_default=False)]


@app.command()
def info(
    file: _InputFile,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for a script.")] = False,
    format_name: Annotated[str | None, format_option("--format", "of the file")] = None,
    node_column: NodeColumn = None,
    edge_column: EdgeColumn = None,
) -> None:
    """Tell what is in a file: counts, degrees, sizes, overlaps.

    Example: [bold]hyperhedge info committees.hif.json[/bold]
    """
    found = read_either(file, format_name, node_column, edge_column)
    graphs = [found] if isinstance(found, Hypergraph) else found
    summaries = [summarise(H) for H in graphs]
    if as_json:
        facts = [asdict(s) for s in summaries]
        typer.echo(json.dumps(facts[0] if isinstance(found, Hypergraph) else facts, indent=2))
    elif isinstance(found, Hypergraph):
        Console().print(one_table(file, summaries[0]))
    else:
        Console().print(_many_table(file, summaries))


@app.command()
def convert(
    source: Annotated[str, typer.Argument(metavar="IN", help="What to read; - for standard input.")],
    target: Annotated[str, typer.Argument(metavar="OUT", help="What to write; - for standard output.")],
    *,
    source_format: Annotated[str | None, format_option("--from", "of IN")] = None,
    target_format: Annotated[str | None, format_option("--to", "of OUT")] = None,
    node_column: NodeColumn = None,
    edge_column: EdgeColumn = None,
) -> None:
    """Convert a hypergraph, or a collection, from one format to another.

    Formats are found from the names; [bold].gz[/bold] packs and unpacks. OUT is written whole or not at all.

    Example: [bold]hyperhedge convert papers.csv papers.hif.json.gz[/bold]
    """
    found = read_either(source, source_format, node_column, edge_column)
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
    quick: Annotated[bool, typer.Option("--quick", hidden=True, envvar="HYPERHEDGE_QUICK_DEMO")] = False,
) -> None:
    """Show what the package does, on embedded data: learn, generate, judge. It takes about three minutes."""
    run_demo(out, Console(), QUICK if quick else FULL)


def read_either(
    file: str, format_name: str | None, node_column: str | None, edge_column: str | None
) -> Hypergraph | list[Hypergraph]:
    """Read one hypergraph or a collection, as the file has it; a dataset's name is as good as a file."""
    if file in CATALOGUE:
        return CATALOGUE[file].load(Store.from_environment(progress=Console(stderr=True)))
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


def one_table(file: str, s: Summary) -> Table:
    """Show the summary of one hypergraph."""
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
