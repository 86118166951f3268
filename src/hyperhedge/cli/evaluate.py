"""``evaluate``: judge what was generated, and write the report."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from rich.console import Console

from hyperhedge.cli.app import app
from hyperhedge.cli.data import read_hypergraphs
from hyperhedge.cli.targets import check_folder_of
from hyperhedge.errors import HyperhedgeError
from hyperhedge.generator import load
from hyperhedge.hypergraph import Hypergraph
from hyperhedge.io.files import without_gz

if TYPE_CHECKING:
    from hyperhedge.hedge import Drawn, Hedge

__all__: list[str] = []

_PAGE = "The page (--html)"
_LEARNED = "hedge"
_PLAYED = 3  # samples whose way from noise the page plays


def _null(text: str) -> tuple[str, str]:
    """Read ``HCM=shuffled.hif.jsonl``; a file alone is named after itself."""
    name, equals, file = text.partition("=")
    if equals and name and file:
        return name, file
    if equals or not text:
        raise typer.BadParameter(f"{text!r} is not NAME=FILE")
    return without_gz(text).partition(".")[0] or text, text


@app.command()
def evaluate(
    context: typer.Context,
    real: Annotated[
        str, typer.Argument(metavar="REAL", help="Held-out real hypergraphs: a collection, a file or a real dataset.")
    ],
    generated: Annotated[str, typer.Argument(metavar="GENERATED", help="What was generated.")],
    *,
    train: Annotated[
        str | None, typer.Option("--train", help="What the model was trained on; needed for novelty.")
    ] = None,
    metrics: Annotated[
        list[str] | None, typer.Option("--metric", help="A metric or a group of them; all fast ones if not given.")
    ] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the report as JSON.")] = None,
    html_file: Annotated[Path | None, typer.Option("--html", help="Write the report as a page.")] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="The seed of resampling.")] = 0,
    nulls: Annotated[
        list[Any] | None,
        typer.Option(
            "--null",
            metavar="NAME=FILE",
            parser=_null,
            help="Samples of a null model, to be shown beside; may be repeated.",
        ),
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(
            "--model",
            metavar="MODEL",
            help="The saved model: its configuration is told, and if it is hedge, its way from noise is played.",
            rich_help_panel=_PAGE,
        ),
    ] = None,
) -> None:
    """Judge generated hypergraphs by real ones: fidelity, validity, novelty, diversity, detectability.

    Every distance stands beside its floor (real against real) and its ceiling (independent incidences).

    Example: [bold]hyperhedge evaluate test.hif.jsonl new.hif.jsonl --train train.hif.jsonl --html report.html[/bold]
    """
    from hyperhedge.metrics import evaluate as judge  # seconds to import: only where it is used

    for file, ending in ((json_file, ".json"), (html_file, ".html")):
        if file is not None and file.suffix != ending:
            raise HyperhedgeError(f"{file}: the name of this report must end in {ending}")
        if file is not None:
            check_folder_of(file)
    if model is not None and html_file is None:
        raise HyperhedgeError("--model is for the page; give --html too")
    generator = None if model is None else load(model)
    report = judge(
        read_hypergraphs(real),
        read_hypergraphs(generated),
        train=None if train is None else read_hypergraphs(train),
        metrics=metrics or None,
        nulls=_read(nulls or []),
        seed=seed,
        name=generated,
    )
    if json_file is not None:
        report.save(json_file)
        typer.echo(f"report → {json_file}", err=True)
    if html_file is not None:
        drawn = None
        if generator is not None and generator.name == _LEARNED:
            drawn = cast("Drawn", cast("Hedge", generator).sample(_PLAYED, seed=seed, return_path=True))
        command = shlex.join(["hyperhedge", *context.obj])
        report.save(html_file, drawn=drawn, model=generator, command=command)
        typer.echo(f"report → {html_file}", err=True)
    Console().print(report)


def _read(nulls: list[tuple[str, str]]) -> dict[str, list[Hypergraph]]:
    """Read the null models' samples, each under a name of its own."""
    found: dict[str, list[Hypergraph]] = {}
    for name, file in nulls:
        if name in found:
            raise HyperhedgeError(f"two null models are named {name}; give them names, as in --null NAME=FILE")
        found[name] = read_hypergraphs(file)
    return found
