"""``compare``: several generators against the same real hypergraphs, side by side."""

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


def _cost(text: str) -> tuple[str, float]:
    """Read ``Hedge=12.5``."""
    name, equals, seconds = text.rpartition("=")
    try:
        if not (equals and name):
            raise ValueError
        return name, float(seconds)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not NAME=SECONDS") from None


@app.command()
def compare(
    context: typer.Context,
    real: Annotated[
        str, typer.Argument(metavar="REAL", help="Held-out real hypergraphs: a collection, a file or a real dataset.")
    ],
    generators: Annotated[
        list[Any],
        typer.Argument(
            metavar="NAME=FILE...",
            parser=named_file,
            help="Samples of each generator; a file without a name is named after itself.",
        ),
    ],
    *,
    train: Annotated[
        str | None, typer.Option("--train", help="Training set of the models; needed for novelty.")
    ] = None,
    metrics: Annotated[
        list[str] | None,
        typer.Option("--metric", help="Metric or group of metrics; may be repeated (default: all fast ones)."),
    ] = None,
    costs: Annotated[
        list[Any] | None,
        typer.Option(
            "--cost",
            metavar="NAME=SECONDS",
            parser=_cost,
            help="Seconds that a generator took, shown alongside; may be repeated.",
        ),
    ] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the comparison as JSON.")] = None,
    html_file: Annotated[Path | None, typer.Option("--html", help="Write the comparison as a web page.")] = None,
    seed: Seed = None,
    _memory: Memory = None,
) -> None:
    """Compare several generators: the same real hypergraphs, floor and ceiling for all.

    Each is shown as `evaluate` shows it alone; all at the same number of hypergraphs.

    Example: [bold]hyperhedge compare test.npz Hedge=new.npz HCM=hcm.npz --train train.npz --html compare.html[/bold]
    """
    from hyperhedge.report import compare as compare_generators  # seconds to import: only where it is used

    if json_file is not None:
        check_ending(json_file, ".json")
    if html_file is not None:
        check_ending(html_file, ".html")
    samples = read_named(generators, "generators", "Hedge=FILE")
    held_out = read_hypergraphs(real)
    known = None if train is None else read_hypergraphs(train)
    arguments = list(context.obj)
    if seed is None:
        seed = seed_or_fresh(seed)
        arguments += ["--seed", str(seed)]
    comparison = compare_generators(
        held_out,
        samples,
        train=known,
        costs=dict(costs or []),
        metrics=metrics or None,
        seed=seed,
        progress=True,
    )
    if json_file is not None:
        comparison.save(json_file)
        typer.echo(f"comparison → {json_file}", err=True)
    if html_file is not None:
        comparison.save(html_file, command=shlex.join(["hyperhedge", *arguments]))
        typer.echo(f"comparison → {html_file}", err=True)
    Console().print(comparison)
