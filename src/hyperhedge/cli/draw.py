"""``draw``: a picture of a file, or the moving picture of a sample."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from hyperhedge.cli.app import app
from hyperhedge.cli.choices import BipartiteLayout, DrawingStyle
from hyperhedge.cli.files import EdgeColumn, NodeColumn, format_option, read_either
from hyperhedge.cli.targets import check_folder_of
from hyperhedge.convert.optional import require
from hyperhedge.errors import HyperhedgeError
from hyperhedge.generator import is_saved_model, load
from hyperhedge.hypergraph import Hypergraph
from hyperhedge.io.files import atomic_file

__all__: list[str] = []

_ENDINGS = (".png", ".svg", ".pdf")
_GRID = 9  # hypergraphs of a collection that are drawn unless told otherwise
_PATH = "The way of a sample (--path)"


@app.command()
def draw(
    source: Annotated[
        str,
        typer.Argument(metavar="FILE|MODEL", help="A file, a folder or a dataset's name; with --path, a saved model."),
    ],
    *,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="The picture: .png, .svg or .pdf; with --path, .gif or .mp4.")
    ],
    style: Annotated[DrawingStyle, typer.Option("--style", help="How to draw.")] = DrawingStyle.HULL,
    layout: Annotated[
        BipartiteLayout, typer.Option("--layout", help="Where --style bipartite puts things.")
    ] = BipartiteLayout.COLUMNS,
    member: Annotated[
        int | None,
        typer.Option("--member", min=0, help="One hypergraph of a collection, from 0 on.", show_default=False),
    ] = None,
    count: Annotated[
        int, typer.Option("--count", min=1, help="How many of a collection to draw beside each other.")
    ] = _GRID,
    title: Annotated[str | None, typer.Option("--title", help="What to write above.", show_default=False)] = None,
    labels: Annotated[
        bool | None,
        typer.Option("--labels/--no-labels", help="Write names; if they are few unless told.", show_default=False),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="The seed of the layout, and of the sample.")] = 0,
    dpi: Annotated[int, typer.Option("--dpi", min=10, max=1200, help="Dots an inch.")] = 120,
    path: Annotated[
        bool,
        typer.Option("--path", help="Show how a sample of a model comes out of noise.", rich_help_panel=_PATH),
    ] = False,
    steps: Annotated[
        int | None,
        typer.Option("--steps", min=1, help="Steps of the sampler.", rich_help_panel=_PATH, show_default=False),
    ] = None,
    n: Annotated[
        int | None, typer.Option("--n", "-n", min=0, help="Nodes.", rich_help_panel=_PATH, show_default=False)
    ] = None,
    m: Annotated[
        int | None, typer.Option("--m", "-m", min=0, help="Hyperedges.", rich_help_panel=_PATH, show_default=False)
    ] = None,
    fps: Annotated[
        float, typer.Option("--fps", min=0.5, max=50, help="Pictures a second.", rich_help_panel=_PATH)
    ] = 8.0,
    format_name: Annotated[str | None, format_option("--format", "of the file")] = None,
    node_column: NodeColumn = None,
    edge_column: EdgeColumn = None,
) -> None:
    """Draw a hypergraph, or some of a collection beside each other.

    Example: [bold]hyperhedge draw committees.hif.json -o committees.png[/bold]
    """
    require("matplotlib", "plot")
    sampling: dict[str, Any] = {"steps": steps, "n": n, "m": m}
    sampling = {name: value for name, value in sampling.items() if value is not None}
    if path:
        _draw_path(Path(source), out, seed, sampling, {"fps": fps, "dpi": dpi, "title": title})
        return
    _check_picture(source, out, sampling)
    found = read_either(source, format_name, node_column, edge_column)
    chosen = _chosen(source, found, member, count)
    options: dict[str, Any] = {"seed": seed, "title": title, "labels": labels, "layout": layout.value}
    data = _picture(chosen, style.value, options, out.suffix.lower().removeprefix("."), dpi)
    with atomic_file(out) as file:
        file.write(data)
    what = repr(chosen).strip("<>") if isinstance(chosen, Hypergraph) else f"{len(chosen):,} hypergraphs"
    typer.echo(f"{source} → {out} ({what})", err=True)


def _check_picture(source: str, out: Path, sampling: dict[str, Any]) -> None:
    """Refuse what cannot be done, before anything is read."""
    if is_saved_model(Path(source)):
        raise HyperhedgeError(
            f"{source}: this is a saved model; give --path to show how a sample comes out of noise, or draw what "
            "'hyperhedge sample' writes"
        )
    if sampling:
        raise HyperhedgeError(f"--{next(iter(sampling))} is for --path; leave it out")
    if out.suffix.lower() not in _ENDINGS:
        raise HyperhedgeError(f"{out}: the name of a picture must end in {', '.join(_ENDINGS[:-1])} or {_ENDINGS[-1]}")
    check_folder_of(out)


def _chosen(
    source: str, found: Hypergraph | list[Hypergraph], member: int | None, count: int
) -> Hypergraph | list[Hypergraph]:
    """Choose one hypergraph of a collection, or the first ones."""
    if isinstance(found, Hypergraph):
        if member is not None:
            raise HyperhedgeError(f"{source}: this is one hypergraph, not a collection; leave out --member")
        return found
    if member is None:
        return found[:count]
    if member >= len(found):
        raise HyperhedgeError(f"{source}: there is no member {member}; the collection has {len(found):,}, from 0 on")
    return found[member]


def _picture(chosen: Hypergraph | list[Hypergraph], style: str, options: dict[str, Any], kind: str, dpi: int) -> bytes:
    """Draw, and return the contents of the file; the same input gives the same bytes."""
    import matplotlib as mpl

    from hyperhedge.plot import draw as draw_any

    mpl.use("Agg")
    if isinstance(chosen, Hypergraph):
        if style != "bipartite":
            del options["layout"]
        if style == "incidence":
            del options["seed"]
        figure = draw_any(chosen, cast("Any", style), **options).figure
    else:
        axes = draw_any(chosen, "compare", panel=style, title=options["title"], seed=options["seed"])
        figure = axes.flat[0].figure
    buffer = io.BytesIO()
    undated = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
    with mpl.rc_context({"svg.hashsalt": "hyperhedge"}):
        figure.savefig(buffer, format=kind, dpi=dpi, bbox_inches="tight", pad_inches=0.1, metadata=undated[kind])
    return buffer.getvalue()


def _draw_path(model: Path, out: Path, seed: int, sampling: dict[str, Any], options: dict[str, Any]) -> None:
    """Draw a sample of a learned model with its path."""
    from hyperhedge.plot import animate
    from hyperhedge.plot.movie import check_movie_name

    check_movie_name(out)
    check_folder_of(out)
    loaded: Any = load(model)
    if loaded.name != "hedge":
        raise HyperhedgeError(
            f"{model}: this model is of the kind {loaded.name}, whose samples do not come out of noise; --path is for hedge"
        )
    drawn = loaded.sample(1, seed=seed, return_path=True, **sampling)
    animate(drawn, out=out, **options)
    typer.echo(f"{model} → {out} ({repr(drawn.hypergraphs[0]).strip('<>')}, {len(drawn.times) - 1} steps)", err=True)
