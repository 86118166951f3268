"""``null-test``: whether statistics of one hypergraph are what a null model gives."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from hyperhedge._system.optional import require
from hyperhedge.cli._enums import Alternative
from hyperhedge.cli._inputs import read_as_stored, read_hypergraphs
from hyperhedge.cli._options import (
    AsJson,
    EdgeColumn,
    Format,
    ModelOptions,
    NodeColumn,
    Seed,
    complete,
    seed_or_fresh,
)
from hyperhedge.cli._outputs import check_ending
from hyperhedge.cli.app import app
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.errors import HyperhedgeError
from hyperhedge.io.files import atomic_file
from hyperhedge.metrics.named_statistics import STATISTICS
from hyperhedge.metrics.significance import COUNT, null_test
from hyperhedge.models.base import is_saved_model, load_model, model_names

if TYPE_CHECKING:
    from hyperhedge.metrics.null_result import NullTest

_DPI = 120


@app.command("null-test")
def null_test_command(
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help="File or name of a real dataset: one hypergraph; - for standard input."),
    ],
    *,
    statistics: Annotated[
        list[str],
        typer.Option(
            "--statistic",
            help="clustering, overlap, overlap-size, nestedness, repeated, assortativity, motifs, or motif-1 to motif-26; "
            "may be repeated.",
            autocompletion=complete(lambda: STATISTICS),
        ),
    ],
    null: Annotated[
        str,
        typer.Option(
            "--null",
            help="What it is compared with: a statistical model (configuration, chung-lu, erdos-renyi, block-model), "
            "the folder of a saved model, or a file of samples.",
            autocompletion=complete(model_names),
        ),
    ] = "configuration",
    options: ModelOptions = None,
    count: Annotated[
        int | None,
        typer.Option("--count", min=1, help=f"Number of null hypergraphs (default: {COUNT}, or all of a file)."),
    ] = None,
    alternative: Annotated[
        Alternative, typer.Option("--alternative", help="Which p-values are corrected for several statistics.")
    ] = Alternative.TWO_SIDED,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Number of processes.")] = 1,
    picture: Annotated[
        Path | None, typer.Option("--plot", help="Picture of the null values to write: .png, .svg or .pdf.")
    ] = None,
    as_json: AsJson = False,
    seed: Seed = None,
    format_name: Format = None,
    node_column: NodeColumn = None,
    edge_column: EdgeColumn = None,
) -> None:
    """Test whether statistics of one hypergraph are what a null model gives.

    Shows each statistic with its mean and standard deviation under the null,
    p-values, and a histogram. The result does not depend on --jobs.

    Example: [bold]hyperhedge null-test committees.hif.json --statistic clustering[/bold]
    """
    if picture is not None:
        require("matplotlib", "plot")
        check_ending(picture, ".png", ".svg", ".pdf")
    H = read_as_stored(file, format_name, node_column, edge_column)
    if not isinstance(H, Hypergraph):
        raise HyperhedgeError(
            f"{file}: this is a collection, and null-test takes one hypergraph; give one of its members"
        )
    result = null_test(
        H,
        statistics,
        _find_null(null),
        count,
        seed_or_fresh(seed),
        alternative=alternative.value,
        jobs=jobs,
        progress=True,
        **dict(options or []),
    )
    if picture is not None:
        _write_picture(result, picture)
        typer.echo(f"null values → {picture}", err=True)
    if as_json:
        typer.echo(result.to_json())
    else:
        Console().print(result)


def _find_null(null: str) -> Any:
    """Return the name of a model, a saved model, or the hypergraphs of a file."""
    if null in model_names():
        return null
    if is_saved_model(Path(null)):
        return load_model(null)
    if not Path(null).exists():
        raise HyperhedgeError(
            f"--null {null}: this is neither a model nor an existing file; the models are {', '.join(model_names())}"
        )
    return read_hypergraphs(null)


def _write_picture(result: NullTest, path: Path) -> None:
    """Plot, and write the file at once; the same input gives the same bytes."""
    import matplotlib as mpl

    mpl.use("Agg")
    axes = result.plot()
    figure = (axes if len(result.rows) == 1 else axes[0]).figure
    kind, buffer = path.suffix.lower().removeprefix("."), io.BytesIO()
    undated = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
    with mpl.rc_context({"svg.hashsalt": "hyperhedge"}):
        figure.savefig(buffer, format=kind, dpi=_DPI, metadata=undated[kind])
    with atomic_file(path) as file:
        file.write(buffer.getvalue())
