"""Arguments and options that several commands share, and the seed of a command that was started without one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from hyperhedge._system.memory import memory_limit
from hyperhedge.data import NAMES
from hyperhedge.io.formats import FORMATS


def complete(names: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """Return the shell completion of words, which are listed when they are needed."""

    def matching(incomplete: str) -> list[str]:
        return [name for name in names() if name.startswith(incomplete)]

    return matching


def used(**options: Any) -> dict[str, Any]:
    """Leave out options that were not used.

    Examples
    --------
    >>> used(steps=10, sampler=None)
    {'steps': 10}
    """
    return {name: value for name, value in options.items() if value is not None}


def model_option(text: str) -> tuple[str, Any]:
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


# -- input and output --------------------------------------------------------------------------------


def out_option(description: str) -> Any:
    """Make the option that names the output."""
    return typer.Option("--out", "-o", help=description)


def format_option(flag: str, what: str) -> Any:
    """Make an option that names a file format."""
    return typer.Option(
        flag,
        metavar="FORMAT",
        autocompletion=complete(lambda: FORMATS),
        help=f"Format of {what}, if its name does not say: {', '.join(FORMATS)}.",
    )


DatasetOrFile = Annotated[
    str,
    typer.Argument(
        metavar="NAME|FILE", help="Dataset, file or folder of hypergraphs.", autocompletion=complete(lambda: NAMES)
    ),
]
CollectionOut = Annotated[Path, out_option("Collection to write: .hif.jsonl, .npz or a new folder.")]
Format = Annotated[str | None, format_option("--format", "the file")]
NodeColumn = Annotated[str | None, typer.Option("--node-column", help="Column of nodes in a CSV file.")]
EdgeColumn = Annotated[str | None, typer.Option("--edge-column", help="Column of hyperedges in a CSV file.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")]

# -- sampling and pictures ---------------------------------------------------------------------------

Count = Annotated[int, typer.Option("--count", min=0, help="Number of hypergraphs.")]
Nodes = Annotated[int | None, typer.Option("--nodes", "-n", min=0, help="Nodes per hypergraph.")]
Edges = Annotated[int | None, typer.Option("--edges", "-m", min=0, help="Hyperedges per hypergraph.")]
Steps = Annotated[int | None, typer.Option("--steps", min=1, help="Sampling steps.")]
Device = Annotated[str | None, typer.Option("--device", help="Device: auto, cpu, cuda, cuda:0, …")]
Title = Annotated[str | None, typer.Option("--title", help="Title above the picture.")]
Dpi = Annotated[int, typer.Option("--dpi", min=10, max=1200, help="Dots per inch.")]
ModelOptions = Annotated[
    list[Any] | None,
    typer.Option("--set", metavar="NAME=VALUE", parser=model_option, help="Option of the model; may be repeated."),
]
Seed = Annotated[
    int | None, typer.Option("--seed", min=0, help="Random seed (default: a fresh one, which is printed).")
]


def _limited(context: typer.Context, size: str | None) -> str | None:
    """Limit the memory of a command until it ends."""
    if size is not None:
        context.with_resource(memory_limit(size))
    return size


Memory = Annotated[
    str | None,
    typer.Option(
        "--memory",
        metavar="SIZE",
        callback=_limited,
        help="The most memory to use, such as 800M or 4GiB (default: what is available).",
        show_default=False,
    ),
]


def seed_or_fresh(seed: int | None) -> int:
    """Return a seed; if there is none, choose one of 32 bits and print it."""
    if seed is not None:
        return seed
    fresh = int(np.random.SeedSequence().generate_state(1)[0])
    typer.echo(f"Seed: {fresh} (chosen at random; repeat with --seed {fresh})", err=True)
    return fresh
