"""Commands on models: ``fit``, ``sample`` and ``evaluate``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from hyperhedge.cli.app import app
from hyperhedge.datasets import Collection, Observed, load_dataset
from hyperhedge.errors import HyperhedgeError
from hyperhedge.generator import MODELS, load, make_model
from hyperhedge.hypergraph import Hypergraph
from hyperhedge.io.formats import find_format, write_collection

__all__: list[str] = []

_Collection = "a collection, a file or a real dataset"


def _complete_model(incomplete: str) -> list[str]:
    return [name for name in MODELS if name.startswith(incomplete)]


def _option(text: str) -> tuple[str, Any]:
    """Read ``repair=false``, ``sweeps=20`` or ``labelled=vertex``."""
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise typer.BadParameter(f"{text!r} is not NAME=VALUE")
    words = {"true": True, "false": False, "none": None}
    for read in (lambda v: words[v.lower()], int, float):
        try:
            return name, read(value)
        except (KeyError, ValueError):
            continue
    return name, value


@app.command()
def fit(
    data: Annotated[str, typer.Argument(metavar="DATA", help=f"What to learn from: {_Collection}.")],
    *,
    out: Annotated[Path, typer.Option("--out", help="The folder to save the model to.")],
    model: Annotated[
        str, typer.Option("--model", help=f"Which model: {', '.join(MODELS)}.", autocompletion=_complete_model)
    ] = "configuration",
    options: Annotated[
        list[Any] | None,
        typer.Option("--set", metavar="NAME=VALUE", parser=_option, help="An option of the model."),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a model that is saved there.")] = False,
) -> None:
    """Fit a model to hypergraphs and save it.

    Example: [bold]hyperhedge fit bank.hif.jsonl --model configuration --out model[/bold]
    """
    if out.exists() and not overwrite:
        raise HyperhedgeError(f"{out}: exists already; choose another name or give --overwrite")
    fitted = make_model(model, **dict(options or [])).fit(_hypergraphs(data))
    fitted.save(out, overwrite=overwrite)
    typer.echo(f"{data} → {out} ({fitted!r})", err=True)


@app.command()
def sample(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="The folder of a saved model.")],
    *,
    out: Annotated[Path, typer.Option("--out", help="The collection to write: .hif.jsonl, .npz or a new folder.")],
    count: Annotated[int, typer.Option("--count", min=0, help="How many hypergraphs.")] = 100,
    seed: Annotated[int, typer.Option("--seed", min=0, help="The seed of the draw.")] = 0,
) -> None:
    """Draw new hypergraphs from a saved model.

    Example: [bold]hyperhedge sample model --count 100 --seed 1 --out new.hif.jsonl[/bold]
    """
    if find_format(out).write_collection is None:
        raise HyperhedgeError(
            f"{out}: samples are a collection; give --out a name that ends in .hif.jsonl or .npz, or a folder's"
        )
    drawn = load(model).sample(count, seed=seed)
    write_collection(drawn, out)
    typer.echo(f"{model} → {out} ({len(drawn):,} hypergraphs)", err=True)


@app.command()
def evaluate(
    real: Annotated[str, typer.Argument(metavar="REAL", help=f"Held-out real hypergraphs: {_Collection}.")],
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
        _hypergraphs(real),
        _hypergraphs(generated),
        train=None if train is None else _hypergraphs(train),
        metrics=metrics or None,
        seed=seed,
        name=generated,
    )
    for file in (json_file, html_file):
        if file is not None:
            report.save(file)
            typer.echo(f"report → {file}", err=True)
    Console().print(report)


def _hypergraphs(data: str) -> list[Hypergraph]:
    """Read what is to be learned from or judged by."""
    dataset = load_dataset(data, progress=Console(stderr=True))
    if isinstance(dataset, Observed):
        return [dataset.hypergraph]
    if isinstance(dataset, Collection):
        return list(dataset.hypergraphs)
    raise HyperhedgeError(
        f"{data} is a law, not a collection; draw one first: hyperhedge data bank {data} --out bank.hif.jsonl"
    )
