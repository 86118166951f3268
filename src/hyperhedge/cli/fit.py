"""``fit``: learn from hypergraphs, and save the model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from hyperhedge.cli.app import app
from hyperhedge.cli.choices import Preset
from hyperhedge.cli.data import read_hypergraphs
from hyperhedge.cli.targets import check_model
from hyperhedge.errors import HyperhedgeError
from hyperhedge.generator import MODELS, make_model

__all__: list[str] = []

LEARNED = ("hedge", "hygene")
"""The models that are trained; the first is the default."""


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


_TRAINING = "Training (hedge, hygene)"


@app.command()
def fit(
    context: typer.Context,
    data: Annotated[
        str, typer.Argument(metavar="DATA", help="What to learn from: a collection, a file or a real dataset.")
    ],
    *,
    out: Annotated[Path, typer.Option("--out", help="The folder to save the model to.")],
    model: Annotated[
        str, typer.Option("--model", help=f"Which model: {', '.join(MODELS)}.", autocompletion=_complete_model)
    ] = LEARNED[0],
    options: Annotated[
        list[Any] | None,
        typer.Option("--set", metavar="NAME=VALUE", parser=_option, help="An option of the model."),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a model that is saved there.")] = False,
    preset: Annotated[
        Preset | None,
        typer.Option("--preset", help="A named set of options.", rich_help_panel=_TRAINING, show_default=False),
    ] = None,
    max_time: Annotated[
        str | None,
        typer.Option(
            "--max-time",
            metavar="TIME",
            help="Stop after 90s, 10m or 1h30m.",
            rich_help_panel=_TRAINING,
            show_default=False,
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed", min=0, help="The seed of weights and training.", rich_help_panel=_TRAINING, show_default=False
        ),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Go on with a training that was interrupted.", rich_help_panel=_TRAINING),
    ] = False,
    devices: Annotated[
        int | None,
        typer.Option(
            "--devices", min=1, help="Train by so many processes.", rich_help_panel=_TRAINING, show_default=False
        ),
    ] = None,
    device: Annotated[
        str | None,
        typer.Option("--device", help="auto, cpu, cuda, cuda:0, …", rich_help_panel=_TRAINING, show_default=False),
    ] = None,
    tensorboard: Annotated[
        bool,
        typer.Option("--tensorboard", help="Write curves for TensorBoard while it trains.", rich_help_panel=_TRAINING),
    ] = False,
) -> None:
    """Fit a model to hypergraphs and save it.

    While a model trains, checkpoints and its log are in the folder MODEL.training beside --out. After Ctrl-C (or a power cut) the
    same command with --resume goes on as if nothing had happened.

    Example: [bold]hyperhedge fit bank.hif.jsonl --preset fast --max-time 10m --out model[/bold]
    """
    check_model(out, overwrite=overwrite)
    config = dict(options or [])
    if model not in LEARNED:
        trained = {"preset": preset, "max-time": max_time, "resume": resume or None, "devices": devices}
        _refuse(model, {**trained, "device": device, "tensorboard": tensorboard or None, "seed": seed})
        fitted = make_model(model, **config).fit(read_hypergraphs(data))
        fitted.save(out, overwrite=overwrite)
        typer.echo(f"{data} → {out} ({fitted!r})", err=True)
        return
    from hyperhedge.cli.training import Job  # torch takes a second to import: only where it is used

    given = {"max_time": max_time, "seed": seed, "device": device}
    job = Job(
        model=model,
        data=data,
        out=out,
        preset=preset or Preset.DEFAULT,
        config=_merged(config, {name: value for name, value in given.items() if value is not None}),
        resume=resume,
        overwrite=overwrite,
        tensorboard=tensorboard,
    )
    raise typer.Exit(job.run(devices or 1, context.obj))


def _refuse(model: str, given: dict[str, Any]) -> None:
    """Refuse options of training for a model that is not trained; one that does not exist is refused elsewhere."""
    if model not in MODELS:
        return
    for name, value in given.items():
        if value is not None and name == "seed":
            raise HyperhedgeError(
                f"--seed is for the models {' and '.join(LEARNED)}: nothing is drawn by chance when {model} is fitted; "
                "give the seed to sample"
            )
        if value is not None:
            raise HyperhedgeError(
                f"--{name} is for the models {' and '.join(LEARNED)}: {model} is fitted without training; leave it out"
            )


def _merged(config: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    for name in given:
        if name in config:
            option = name.replace("_", "-")
            raise HyperhedgeError(f"{name} is given twice, by --{option} and by --set; give it once")
    return {**config, **given}
