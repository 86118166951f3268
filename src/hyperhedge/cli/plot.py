"""``plot``: a picture of a hypergraph, or of several beside each other."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from hyperhedge._system.optional import require
from hyperhedge.cli._enums import BipartiteLayout, PlotStyle
from hyperhedge.cli._inputs import read_as_stored
from hyperhedge.cli._options import Dpi, EdgeColumn, Format, NodeColumn, Title, out_option
from hyperhedge.cli._outputs import check_ending, describe
from hyperhedge.cli.app import app
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.errors import HyperhedgeError
from hyperhedge.io.files import atomic_file
from hyperhedge.models.base import is_saved_model


@app.command()
def plot(
    source: Annotated[str, typer.Argument(metavar="FILE", help="File, folder or name of a real dataset.")],
    *,
    out: Annotated[Path, out_option("Picture to write: .png, .svg or .pdf.")],
    style: Annotated[PlotStyle, typer.Option("--style", help="Style of the picture.")] = PlotStyle.HULL,
    layout: Annotated[
        BipartiteLayout, typer.Option("--layout", help="Positions in the bipartite style.")
    ] = BipartiteLayout.COLUMNS,
    member: Annotated[
        int | None, typer.Option("--member", min=0, help="Plot one member of a collection; the first is 0.")
    ] = None,
    count: Annotated[
        int, typer.Option("--count", min=1, help="Number of members of a collection to plot beside each other.")
    ] = 9,
    title: Title = None,
    labels: Annotated[
        bool | None,
        typer.Option("--labels/--no-labels", help="Show labels (default: only for small hypergraphs)."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the layout.")] = 0,
    dpi: Dpi = 120,
    format_name: Format = None,
    node_column: NodeColumn = None,
    edge_column: EdgeColumn = None,
) -> None:
    """Plot a hypergraph, or several of a collection beside each other.

    Example: [bold]hyperhedge plot committees.hif.json --out committees.png[/bold]
    """
    require("matplotlib", "plot")
    if is_saved_model(Path(source)):
        raise HyperhedgeError(
            f"{source}: this is a saved model; show how it samples with 'hyperhedge animate', or plot what "
            "'hyperhedge sample' writes"
        )
    check_ending(out, ".png", ".svg", ".pdf")
    selected = _select(source, read_as_stored(source, format_name, node_column, edge_column), member, count)
    options: dict[str, Any] = {"title": title}
    if isinstance(selected, Hypergraph):
        options["labels"] = labels
        if style is PlotStyle.BIPARTITE:
            options["layout"] = layout.value
    if style is PlotStyle.HULL or options.get("layout") == BipartiteLayout.FORCE:
        options["seed"] = seed
    content = _render(selected, style.value, options, out.suffix.lower().removeprefix("."), dpi)
    with atomic_file(out) as file:
        file.write(content)
    typer.echo(f"{source} → {out} ({describe(selected)})", err=True)


def _select(
    source: str, content: Hypergraph | list[Hypergraph], member: int | None, count: int
) -> Hypergraph | list[Hypergraph]:
    """Select one member of a collection, or its first ones."""
    if isinstance(content, Hypergraph):
        if member is not None:
            raise HyperhedgeError(f"{source}: this is one hypergraph, not a collection; leave out --member")
        return content
    if member is None:
        return content[:count]
    if member >= len(content):
        raise HyperhedgeError(
            f"{source}: there is no member {member}; the last of {len(content):,} is {len(content) - 1}"
        )
    return content[member]


def _render(selected: Hypergraph | list[Hypergraph], style: str, options: dict[str, Any], kind: str, dpi: int) -> bytes:
    """Plot, and return the contents of the file; the same input gives the same bytes."""
    import matplotlib as mpl

    from hyperhedge.plotting import plot as plot_hypergraph

    mpl.use("Agg")
    if isinstance(selected, Hypergraph):
        figure = plot_hypergraph(selected, cast("Any", style), **options).figure
    else:
        figure = plot_hypergraph(selected, "compare", panel=style, **options).flat[0].figure
    buffer = io.BytesIO()
    undated = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
    with mpl.rc_context({"svg.hashsalt": "hyperhedge"}):
        figure.savefig(buffer, format=kind, dpi=dpi, bbox_inches="tight", pad_inches=0.1, metadata=undated[kind])
    return buffer.getvalue()
