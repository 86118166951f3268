"""``fit``: learn from hypergraphs, and save the model."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Annotated

import typer

from hyperhedge.cli._enums import Preset
from hyperhedge.cli._inputs import read_hypergraphs
from hyperhedge.cli._options import Device, Memory, ModelOptions, Seed, complete, out_option, used
from hyperhedge.cli._outputs import check_model
from hyperhedge.cli.app import app
from hyperhedge.errors import HyperhedgeError
from hyperhedge.models.base import MODELS, BaseGenerator, make_model, model_class, model_names

_TRAINING = "Training (for models that are trained)"


@app.command()
def fit(
    context: typer.Context,
    data: Annotated[str, typer.Argument(metavar="DATA", help="Training set: a collection, a file or a real dataset.")],
    *,
    out: Annotated[Path, out_option("Folder to save the model to.")],
    model: Annotated[
        str,
        typer.Option(
            "--model",
            help=f"Model: {', '.join(MODELS)}, or one of an installed package.",
            autocompletion=complete(model_names),
        ),
    ] = "hedge",
    options: ModelOptions = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a saved model.")] = False,
    seed: Seed = None,
    device: Device = None,
    _memory: Memory = None,
    preset: Annotated[
        Preset | None, typer.Option("--preset", help="Named set of options.", rich_help_panel=_TRAINING)
    ] = None,
    max_time: Annotated[
        str | None,
        typer.Option("--max-time", metavar="TIME", help="Stop after 90s, 10m or 1h30m.", rich_help_panel=_TRAINING),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue an interrupted training.", rich_help_panel=_TRAINING)
    ] = False,
    processes: Annotated[
        int | None,
        typer.Option("--processes", min=1, help="Number of training processes.", rich_help_panel=_TRAINING),
    ] = None,
    tensorboard: Annotated[
        bool, typer.Option("--tensorboard", help="Write curves for TensorBoard.", rich_help_panel=_TRAINING)
    ] = False,
) -> None:
    """Fit a model to hypergraphs and save it.

    While a model trains, its checkpoints and its log are in the folder
    OUT.training. After Ctrl-C or a power cut, the same command with --resume
    continues as if nothing had happened.

    Example: [bold]hyperhedge fit bank.hif.jsonl --max-time 10m --out model[/bold]
    """
    check_model(out, overwrite=overwrite)
    kind = model_class(model)
    constructor = used(max_time=max_time, seed=seed, device=device)
    training = used(preset=preset, resume=resume or None, processes=processes, tensorboard=tensorboard or None)
    trained = _is_trained(kind)
    known = [*inspect.signature(kind).parameters, *(training if trained else ())]
    for name in (*constructor, *training):
        if name not in known:
            raise HyperhedgeError(f"{_flag(name)} does not apply to the model {model}; leave it out")
    config = dict(options or [])
    for name in constructor:
        if name in config:
            raise HyperhedgeError(f"{_flag(name)} and --set {name} are the same option; give one of them")
    config |= constructor
    if trained:
        from hyperhedge.cli._training import Job

        job = Job(model, data, out, preset or Preset.DEFAULT, config, resume, overwrite, tensorboard)
        raise typer.Exit(job.run(processes or 1, context.obj))
    shown = {"progress": True} if "progress" in kind.fit_options else {}
    fitted = make_model(model, **config).fit(read_hypergraphs(data), **shown)
    fitted.save(out, overwrite=overwrite)
    typer.echo(f"{data} → {out} ({fitted!r})", err=True)


def _is_trained(kind: type[BaseGenerator]) -> bool:
    if not kind.fit_options:
        return False
    from hyperhedge.models.trained import TrainedGenerator  # torch takes a second to import: only where it is used

    return issubclass(kind, TrainedGenerator)


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"
