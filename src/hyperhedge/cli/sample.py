"""``sample``: new hypergraphs from a saved model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from hyperhedge._system.memory import limit
from hyperhedge._system.pool import make_cluster
from hyperhedge._system.progress import Meter
from hyperhedge.cli._enums import Projection, Sampler
from hyperhedge.cli._options import Count, Device, Edges, Memory, Nodes, Seed, Steps, out_option, seed_or_fresh, used
from hyperhedge.cli._outputs import check_collection, check_different, check_ending, describe, write_hypergraphs
from hyperhedge.cli.app import app
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.errors import HyperhedgeError
from hyperhedge.io.files import atomic_file
from hyperhedge.models.base import load_model
from hyperhedge.models.chunks import chunks_of, sample_in_chunks

if TYPE_CHECKING:
    from hyperhedge.models.hedge import SamplePaths

_FLAGS = {"n": "nodes", "m": "edges"}
_MANY = "Many samples"
_BATCH = 2**30  # bytes of a batch, unless --memory is less than twice that


@app.command()
def sample(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="Folder of a saved model.")],
    *,
    out: Annotated[
        Path, out_option("Collection to write: .hif.jsonl, .npz or a new folder; of --count 1, any format.")
    ],
    count: Count = 100,
    seed: Seed = None,
    nodes: Nodes = None,
    edges: Edges = None,
    steps: Steps = None,
    sampler: Annotated[Sampler | None, typer.Option("--sampler", help="Sampler of a diffusion model.")] = None,
    projection: Annotated[
        Projection | None, typer.Option("--projection", help="How relaxed states become hypergraphs.")
    ] = None,
    save_states: Annotated[
        Path | None,
        typer.Option(
            "--save-states",
            metavar="FILE.npz",
            help="Write the relaxed states too: one array per hypergraph, named 0, 1, ….",
        ),
    ] = None,
    device: Device = None,
    _memory: Memory = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            "--cluster",
            metavar="local|ray|ray://…",
            help="Sample in several processes, a thousand hypergraphs at a time: on this machine, or on Ray, whose "
            "workers must see MODEL.",
            rich_help_panel=_MANY,
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs", "-j", min=1, help="Processes of --cluster (default: one per core).", rich_help_panel=_MANY
        ),
    ] = None,
) -> None:
    """Sample new hypergraphs from a saved model.

    Not every model has all options; one that a model lacks is refused. With
    --cluster, the samples depend on the seed and the count, not on the number of
    processes.

    Example: [bold]hyperhedge sample model --count 100 --out new.hif.jsonl[/bold]
    """
    check_collection(out, count)
    check_different(out=out, save_states=save_states)
    in_chunks = cluster is not None or jobs is not None
    if save_states is not None:
        check_ending(save_states, ".npz")
        if in_chunks:
            raise HyperhedgeError("--save-states keeps every state in memory, which --cluster avoids; leave out one")
    generator = load_model(model)
    sample_paths = getattr(generator, "sample_paths", None)
    options = used(n=nodes, m=edges, steps=steps, sampler=sampler, projection=projection, device=device)
    unknown = [_FLAGS.get(name, name) for name in options if name not in generator.sample_options]
    if save_states is not None and sample_paths is None:
        unknown.append("save-states")
    if unknown:
        raise HyperhedgeError(
            f"--{unknown[0]} does not apply to {model}, a model of the kind {generator.name}; leave it out"
        )
    if _memory is not None and "memory" in generator.sample_options:
        options["memory"] = min(_BATCH, limit() // 2)
    seed = seed_or_fresh(seed)
    if in_chunks:
        chunks = chunks_of(str(model.resolve()), count, seed, options)
        _write_chunks(sample_in_chunks(make_cluster(cluster or "local", workers=jobs), chunks), count, out)
        summary = f"{count:,} hypergraphs"
    elif sample_paths is not None:
        paths = sample_paths(count, seed=seed, keep_paths=False, progress=True, **options)
        _write(paths, out, save_states)
        summary = describe(paths.hypergraphs) + _decisions(paths)
    else:
        if "progress" in generator.sample_options:
            options["progress"] = True
        graphs = generator.sample(count, seed=seed, **options)
        write_hypergraphs(graphs, out)
        summary = describe(graphs)
    typer.echo(f"{model} → {out} ({summary})", err=True)


def _write_chunks(graphs: Iterator[Hypergraph], count: int, out: Path) -> None:
    """Write samples as they come, and show how many there are."""
    with Meter(True, "sampling", count) as meter:
        write_hypergraphs(meter.count(graphs), out)


def _write(paths: SamplePaths, out: Path, states: Path | None) -> None:
    """Write samples, and their relaxed states if there is a file for them: both or neither."""
    if states is None:
        write_hypergraphs(paths.hypergraphs, out)
        return
    with atomic_file(states) as file:
        arrays: dict[str, Any] = {str(k): state for k, state in enumerate(paths.states)}
        np.savez(file, **arrays)
        write_hypergraphs(paths.hypergraphs, out)
    typer.echo(f"relaxed states → {states}", err=True)


def _decisions(paths: SamplePaths) -> str:
    """Describe how close the relaxed states were to hypergraphs."""
    if paths.decided is None or paths.changed is None:
        return ""
    return f"; {paths.decided:.1%} of the entries within 0.1 of 0 or 1, {paths.changed:.2%} changed by the projection"
