"""``info``: what a file of hypergraphs holds, as a table or as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hyperhedge.cli._inputs import read_as_stored
from hyperhedge.cli._options import AsJson, EdgeColumn, Format, NodeColumn
from hyperhedge.cli.app import app
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.core.labels import printable
from hyperhedge.core.summary import Spread, Summary, summarise


@app.command()
def info(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="File, folder or name of a real dataset; - for standard input.")
    ],
    *,
    as_json: AsJson = False,
    format_name: Format = None,
    node_column: NodeColumn = None,
    edge_column: EdgeColumn = None,
) -> None:
    """Summarise a file: counts, degrees, hyperedge sizes, overlaps.

    Example: [bold]hyperhedge info committees.hif.json[/bold]
    """
    content = read_as_stored(file, format_name, node_column, edge_column)
    if isinstance(content, Hypergraph):
        summary = summarise(content)
        _print(asdict(summary) if as_json else summary_table(file, summary))
    else:
        summaries = [summarise(H) for H in content]
        _print([asdict(summary) for summary in summaries] if as_json else _collection_table(file, summaries))


def _print(summary: Table | dict[str, Any] | list[Any]) -> None:
    if isinstance(summary, Table):
        Console().print(summary)
    else:
        typer.echo(json.dumps(summary, indent=2))


def summary_table(file: str, s: Summary) -> Table:
    """Show the summary of one hypergraph as a table."""
    table = Table(title=_title(file), show_header=False, title_justify="left", title_style="bold")
    table.add_column(style="dim")
    table.add_column(justify="right")
    rows = {
        "nodes": f"{s.nodes:,}",
        "hyperedges": f"{s.hyperedges:,}",
        "incidences": f"{s.incidences:,}",
        "density": f"{s.density:.3g}",
        "degree, mean (range)": _spread(s.degree),
        "hyperedge size, mean (range)": _spread(s.edge_size),
        "isolated nodes": f"{s.isolated_nodes:,}",
        "empty hyperedges": f"{s.empty_hyperedges:,}",
        "repeated hyperedges": f"{s.repeated_hyperedges:,}",
        "components": f"{s.components:,}",
        "pairs of hyperedges that overlap": _counted(s.overlapping_pairs),
        "largest overlap": _counted(s.largest_overlap),
    }
    for name, value in rows.items():
        table.add_row(name, value)
    return table


def _collection_table(file: str, summaries: Sequence[Summary]) -> Table:
    table = Table(title=_title(f"{file}: {len(summaries):,} hypergraphs"), title_justify="left", title_style="bold")
    table.add_column("", style="dim")
    for heading in ("least", "mean", "greatest"):
        table.add_column(heading, justify="right")
    columns: dict[str, Sequence[float]] = {
        "nodes": [s.nodes for s in summaries],
        "hyperedges": [s.hyperedges for s in summaries],
        "incidences": [s.incidences for s in summaries],
        "density": [s.density for s in summaries],
        "mean degree": [s.degree.mean for s in summaries],
        "mean hyperedge size": [s.edge_size.mean for s in summaries],
        "isolated nodes": [s.isolated_nodes for s in summaries],
        "empty hyperedges": [s.empty_hyperedges for s in summaries],
        "repeated hyperedges": [s.repeated_hyperedges for s in summaries],
    }
    for name, values in columns.items():
        if values:
            mean = sum(values) / len(values)
            table.add_row(name, *(f"{value:,.4g}" for value in (min(values), mean, max(values))))
    return table


def _title(text: str) -> Text:
    """Return a title with a file's name as it is: brackets are no markup, and the terminal obeys nothing in it."""
    return Text(printable(text))


def _counted(number: int | None) -> str:
    return "not counted" if number is None else f"{number:,}"


def _spread(spread: Spread) -> str:
    return f"{spread.mean:.3g} ({spread.min:,}–{spread.max:,})"
