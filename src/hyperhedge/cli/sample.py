"""``sample``: draw new hypergraphs from a saved model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import numpy as np
import typer
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import Progress

from hyperhedge.cli.app import app
from hyperhedge.cli.choices import Projection, Sampler
from hyperhedge.cli.chunks import Chunk, chunks_of, draw_in_chunks
from hyperhedge.cli.targets import check_collection, check_folder_of
from hyperhedge.cluster import make_cluster
from hyperhedge.errors import HyperhedgeError
from hyperhedge.generator import Generator, load
from hyperhedge.io.files import atomic_file
from hyperhedge.io.formats import write_collection

if TYPE_CHECKING:
    from hyperhedge.baselines.hygene import Hygene
    from hyperhedge.hedge import Drawn, Hedge

__all__: list[str] = []

_DIFFUSION = "Diffusion (hedge, hygene)"
_OPTIONS = {
    "hedge": ("n", "m", "steps", "sampler", "projection", "states", "device"),
    "hygene": ("n", "m", "steps", "device"),
}
"""What the kinds of models that diffuse take."""
_MANY = "Many samples"


@app.command()
def sample(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="The folder of a saved model.")],
    *,
    out: Annotated[Path, typer.Option("--out", help="The collection to write: .hif.jsonl, .npz or a new folder.")],
    count: Annotated[int, typer.Option("--count", min=0, help="How many hypergraphs.")] = 100,
    seed: Annotated[int, typer.Option("--seed", min=0, help="The seed of the draw.")] = 0,
    n: Annotated[
        int | None,
        typer.Option("--n", "-n", min=0, help="Nodes of each.", rich_help_panel=_DIFFUSION, show_default=False),
    ] = None,
    m: Annotated[
        int | None,
        typer.Option("--m", "-m", min=0, help="Hyperedges of each.", rich_help_panel=_DIFFUSION, show_default=False),
    ] = None,
    steps: Annotated[
        int | None,
        typer.Option("--steps", min=1, help="Steps of the sampler.", rich_help_panel=_DIFFUSION, show_default=False),
    ] = None,
    sampler: Annotated[
        Sampler | None,
        typer.Option("--sampler", help="Which sampler.", rich_help_panel=_DIFFUSION, show_default=False),
    ] = None,
    projection: Annotated[
        Projection | None,
        typer.Option(
            "--projection",
            help="How relaxed states become hypergraphs.",
            rich_help_panel=_DIFFUSION,
            show_default=False,
        ),
    ] = None,
    states: Annotated[
        Path | None,
        typer.Option(
            "--states",
            metavar="FILE.npz",
            help="Write the relaxed states too: an array for each hypergraph, named 0, 1, ….",
            rich_help_panel=_DIFFUSION,
        ),
    ] = None,
    device: Annotated[
        str | None,
        typer.Option("--device", help="auto, cpu, cuda, cuda:0, …", rich_help_panel=_DIFFUSION, show_default=False),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            "--cluster",
            metavar="local|ray|ray://…",
            help="Draw by several processes, a thousand at a time: of this machine, or of Ray, which must see MODEL.",
            rich_help_panel=_MANY,
            show_default=False,
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            "-j",
            min=1,
            help="Processes of --cluster; one per core if not given.",
            rich_help_panel=_MANY,
            show_default=False,
        ),
    ] = None,
) -> None:
    """Draw new hypergraphs from a saved model.

    With --cluster the samples depend on the seed and the count, not on the number of processes.

    Example: [bold]hyperhedge sample model --count 100 --seed 1 --out new.hif.jsonl[/bold]
    """
    check_collection(out, "samples are")
    if states is not None:
        _check_states(states)
    loaded = load(model)
    given: dict[str, Any] = {"n": n, "m": m, "steps": steps, "sampler": sampler, "projection": projection}
    options = {name: value for name, value in given.items() if value is not None}
    _refuse(model, loaded, {**options, "states": states, "device": device})
    if cluster is not None or jobs is not None:
        if states is not None:
            raise HyperhedgeError(
                "--states keeps every state in memory, which --cluster is there to avoid; leave out one"
            )
        _draw_many(chunks_of(str(model.resolve()), count, seed, options, device), cluster or "local", jobs, out)
        typer.echo(f"{model} → {out} ({count:,} hypergraphs)", err=True)
        return
    console = Console(stderr=True)
    progress = console if console.is_interactive else None
    if loaded.name == "hedge":
        learned = cast("Hedge", loaded)
        learned.device = device or learned.device
        found = learned.draw(count, seed=seed, progress=progress, **options)
        _write(found, out, states)
        typer.echo(f"{model} → {out} ({_summary(found)})", err=True)
        return
    if loaded.name == "hygene":
        drawn = cast("Hygene", loaded).sample(count, seed=seed, progress=progress, device=device, **options)
    else:
        drawn = loaded.sample(count, seed=seed)
    write_collection(drawn, out)
    typer.echo(f"{model} → {out} ({len(drawn):,} hypergraphs)", err=True)


def _draw_many(chunks: list[Chunk], cluster: str, jobs: int | None, out: Path) -> None:
    """Draw chunks and write them as they come; a bar on a terminal shows how far it is."""
    console = Console(stderr=True)
    total = sum(chunk.count for chunk in chunks)
    drawn = draw_in_chunks(make_cluster(cluster, workers=jobs), chunks)
    with Progress(console=console, transient=True, disable=not console.is_interactive) as bar:
        write_collection(bar.track(drawn, total=total, description="sampling"), out)


def _check_states(file: Path) -> None:
    if file.suffix != ".npz":
        raise HyperhedgeError(f"{file}: the name of relaxed states must end in .npz")
    check_folder_of(file)


def _refuse(path: Path, loaded: Generator, options: dict[str, Any]) -> None:
    """Refuse options of diffusion for a model that does not have them."""
    for name, value in options.items():
        if value is not None and name not in _OPTIONS.get(loaded.name, ()):
            kinds = " and ".join(kind for kind, has in _OPTIONS.items() if name in has)
            raise HyperhedgeError(
                f"--{name} is for models of the kind {kinds}, and {path} is of the kind {loaded.name}; leave it out"
            )


def _write(found: Drawn, out: Path, states: Path | None) -> None:
    """Write samples, and their relaxed states if they are asked for: both or none."""
    if states is None:
        write_collection(found.hypergraphs, out)
        return
    with atomic_file(states) as file:
        np.savez(file, **_named(found.states))
        write_collection(found.hypergraphs, out)
    typer.echo(f"relaxed states → {states}", err=True)


def _named(states: Sequence[NDArray[np.float64]]) -> dict[str, Any]:
    return {str(k): state for k, state in enumerate(states)}


def _summary(found: Drawn) -> str:
    count = f"{len(found.hypergraphs):,} hypergraphs"
    if found.decided is None or found.changed is None:
        return count
    return f"{count}; {found.decided:.1%} of the entries within 0.1 of 0 or 1, {found.changed:.2%} changed by the projection"
