"""``plot``: a picture of a hypergraph, or of several beside each other."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from hyperhedge._system.optional import require
from hyperhedge.cli._enums import BipartiteLayout, PlotStyle
from hyperhedge.cli._inputs import read_as_stored
from hyperhedge.cli._options import Dpi, EdgeColumn, Format, NodeColumn, Title, out_option, used
from hyperhedge.cli._outputs import check_ending, describe
from hyperhedge.cli._values import values_or_word
from hyperhedge.cli.app import app
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.errors import HyperhedgeError
from hyperhedge.io.files import atomic_file
from hyperhedge.models.base import is_saved_model

_PAD = 0.1  # inches about the picture


@app.command()
def plot(
    source: Annotated[str, typer.Argument(metavar="FILE", help="File, folder or name of a real dataset.")],
    *,
    out: Annotated[Path, out_option("Picture to write: .png, .svg or .pdf.")],
    style: Annotated[
        PlotStyle | None,
        typer.Option("--style", help="Style of the picture (default: hull; overview for a large hypergraph)."),
    ] = None,
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
    node_color: Annotated[
        str | None,
        typer.Option("--node-color", metavar="FILE|degree|COLOUR", help="Colours: a table of labels and values."),
    ] = None,
    edge_color: Annotated[
        str | None,
        typer.Option("--edge-color", metavar="FILE|size|COLOUR", help="The same for hyperedges."),
    ] = None,
    node_size: Annotated[
        str | None,
        typer.Option("--node-size", metavar="FILE|degree|NUMBER", help="Sizes of the dots, from a table of numbers."),
    ] = None,
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

    Colours and sizes come from a CSV or TSV file whose first column has labels and whose second one has values;
    FILE:COLUMN chooses another one. Numbers have a colour bar, words a legend.

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
    options = _options(selected, style, layout, used(title=title, labels=labels, seed=seed))
    options |= _colours(selected, node_color, edge_color, node_size)
    content = _render(selected, style and style.value, options, out.suffix.lower().removeprefix("."), dpi)
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


def _options(
    selected: Hypergraph | list[Hypergraph], style: PlotStyle | None, layout: BipartiteLayout, asked: dict[str, Any]
) -> dict[str, Any]:
    """Keep the options that the picture has."""
    if not isinstance(selected, Hypergraph):
        asked.pop("labels", None)
    elif style is PlotStyle.BIPARTITE:
        asked["layout"] = layout.value
    if style is PlotStyle.INCIDENCE and isinstance(selected, Hypergraph):
        del asked["seed"]
    return asked


def _colours(
    selected: Hypergraph | list[Hypergraph], node_color: str | None, edge_color: str | None, node_size: str | None
) -> dict[str, Any]:
    """Read the colours and sizes that options name."""
    asked = used(node_color=node_color, edge_color=edge_color, node_size=node_size)
    if asked and not isinstance(selected, Hypergraph):
        option = next(iter(asked)).replace("_", "-")
        raise HyperhedgeError(f"--{option} is for one hypergraph; choose one of the collection with --member")
    if not isinstance(selected, Hypergraph):
        return {}
    sides = {"node_color": selected.nodes, "edge_color": selected.edges, "node_size": selected.nodes}
    return {name: values_or_word(value, sides[name]) for name, value in asked.items()}


def _check_pixels(figure: Any, dpi: int) -> None:
    """Refuse a resolution that would make a huge picture; what sticks out of the figure counts too."""
    from hyperhedge.plotting.theme import MOST_PIXELS

    inches = max(figure.get_size_inches())
    if inches * dpi > MOST_PIXELS / 2:  # measuring what sticks out takes as long as drawing
        bounds = figure.get_tightbbox()
        inches = max(inches, bounds.width + 2 * _PAD, bounds.height + 2 * _PAD)
    if inches * dpi > MOST_PIXELS:
        raise HyperhedgeError(
            f"--dpi {dpi} would make a picture of {inches * dpi:,.0f} pixels on its longer side, and at most "
            f"{MOST_PIXELS:,} can be written; give --dpi {int(MOST_PIXELS / inches)} or less"
        )


def _render(
    selected: Hypergraph | list[Hypergraph], style: str | None, options: dict[str, Any], kind: str, dpi: int
) -> bytes:
    """Plot, and return the contents of the file; the same input gives the same bytes."""
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    from hyperhedge.plotting import plot as plot_hypergraph

    mpl.use("Agg")
    if isinstance(selected, Hypergraph):
        figure = plot_hypergraph(selected, cast("Any", style), **options).figure
    else:
        figure = plot_hypergraph(selected, "compare", panel=style, **options).flat[0].figure
    _check_pixels(figure.figure, dpi)
    buffer = io.BytesIO()
    undated = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
    with mpl.rc_context({"svg.hashsalt": "hyperhedge"}):
        figure.savefig(buffer, format=kind, dpi=dpi, bbox_inches="tight", pad_inches=_PAD, metadata=undated[kind])
    plt.close(figure.figure)
    return buffer.getvalue()
