"""``evaluate``: compare generated hypergraphs with real ones, and write the report."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from hyperhedge.cli._inputs import named_file, read_hypergraphs, read_named
from hyperhedge.cli._options import Memory, Seed, seed_or_fresh
from hyperhedge.cli._outputs import check_ending
from hyperhedge.cli.app import app
from hyperhedge.errors import HyperhedgeError
from hyperhedge.models.base import load_model

_ANIMATED = 3  # samples that the page animates


@app.command()
def evaluate(
    context: typer.Context,
    real: Annotated[
        str,
        typer.Argument(
            metavar="REAL", help="Held-out real hypergraphs, or one whole hypergraph: a file or a real dataset."
        ),
    ],
    generated: Annotated[str, typer.Argument(metavar="GENERATED", help="Generated hypergraphs, or one.")],
    *,
    whole: Annotated[
        bool | None,
        typer.Option(
            "--whole/--collection",
            help="Compare whole hypergraphs, each by itself, or collections (default: whole if REAL has one hypergraph).",
            show_default=False,
        ),
    ] = None,
    train: Annotated[
        str | None,
        typer.Option(
            "--train", help="Training set of the model; needed for novelty (whole hypergraphs: REAL if not given)."
        ),
    ] = None,
    metrics: Annotated[
        list[str] | None,
        typer.Option("--metric", help="Metric or group of metrics; may be repeated (default: all fast ones)."),
    ] = None,
    baselines: Annotated[
        list[Any] | None,
        typer.Option(
            "--baseline",
            metavar="NAME=FILE",
            parser=named_file,
            help="Samples of a baseline, shown alongside; may be repeated.",
        ),
    ] = None,
    name: Annotated[
        str | None, typer.Option("--name", help="Name in the report (default: the file name of GENERATED).")
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(
            "--model",
            metavar="MODEL",
            help="Saved model, for --html: adds its configuration and, for a diffusion model, an animation.",
        ),
    ] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the report as JSON.")] = None,
    html_file: Annotated[Path | None, typer.Option("--html", help="Write the report as a web page.")] = None,
    seed: Seed = None,
    _memory: Memory = None,
) -> None:
    """Evaluate generated hypergraphs: fidelity, validity, novelty, diversity, detectability.

    Every distance is shown with its floor (real against real) and its ceiling
    (independent incidences). One whole hypergraph is compared with another: floor
    from its halves, ceiling from its configuration model.

    Example: [bold]hyperhedge evaluate test.npz new.npz --train train.npz --html report.html[/bold]
    """
    from hyperhedge.report import evaluate as compare  # seconds to import: only where it is used

    if json_file is not None:
        check_ending(json_file, ".json")
    if html_file is not None:
        check_ending(html_file, ".html")
    elif model is not None:
        raise HyperhedgeError("--model is for the page; give --html too")
    generator = None if model is None else load_model(model)
    collections: dict[str, Any] = {
        "real": read_hypergraphs(real),
        "generated": read_hypergraphs(generated),
        "train": None if train is None else read_hypergraphs(train),
        "baselines": read_named(baselines or [], "baselines", "--baseline NAME=FILE"),
    }
    arguments = list(context.obj)
    if seed is None:
        seed = seed_or_fresh(seed)
        arguments += ["--seed", str(seed)]
    if whole is None:
        whole = len(collections["real"]) == 1
    report = compare(
        **collections,
        metrics=metrics or None,
        whole=whole,
        seed=seed,
        name=name or Path(generated).name,
        progress=True,
    )
    if json_file is not None:
        report.save(json_file)
        typer.echo(f"report → {json_file}", err=True)
    if html_file is not None:
        sample_paths = getattr(generator, "sample_paths", None)
        paths = sample_paths and sample_paths(_ANIMATED, seed=seed)
        report.save(html_file, paths=paths, model=generator, command=shlex.join(["hyperhedge", *arguments]))
        typer.echo(f"report → {html_file}", err=True)
    Console().print(report)
