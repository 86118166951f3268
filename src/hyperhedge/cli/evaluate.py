"""``evaluate``: judge what was generated."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from hyperhedge.cli.app import app
from hyperhedge.cli.data import read_hypergraphs
from hyperhedge.errors import HyperhedgeError

__all__: list[str] = []


@app.command()
def evaluate(
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
) -> None:
    """Judge generated hypergraphs by real ones: fidelity, validity, novelty, diversity, detectability.

    Every distance stands beside its floor (real against real) and its ceiling (independent incidences).

    Example: [bold]hyperhedge evaluate test.hif.jsonl new.hif.jsonl --train train.hif.jsonl --html report.html[/bold]
    """
    from hyperhedge.metrics import evaluate as judge  # seconds to import: only where it is used

    for file, ending in ((json_file, ".json"), (html_file, ".html")):
        if file is not None and file.suffix != ending:
            raise HyperhedgeError(f"{file}: the name of this report must end in {ending}")
    report = judge(
        read_hypergraphs(real),
        read_hypergraphs(generated),
        train=None if train is None else read_hypergraphs(train),
        metrics=metrics or None,
        seed=seed,
        name=generated,
    )
    for file in (json_file, html_file):
        if file is not None:
            report.save(file)
            typer.echo(f"report → {file}", err=True)
    Console().print(report)
