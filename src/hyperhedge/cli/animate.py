"""``animate``: how a sample of a model emerges from noise, as an animation."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hyperhedge._system.optional import require
from hyperhedge.cli._options import Device, Dpi, Edges, Nodes, Seed, Steps, Title, out_option, seed_or_fresh, used
from hyperhedge.cli._outputs import check_folder_of, describe
from hyperhedge.cli.app import app
from hyperhedge.errors import HyperhedgeError
from hyperhedge.models.base import load_model


@app.command()
def animate(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="Folder of a saved model.")],
    *,
    out: Annotated[Path, out_option("Animation to write: .gif or .mp4.")],
    nodes: Nodes = None,
    edges: Edges = None,
    steps: Steps = None,
    device: Device = None,
    title: Title = None,
    seed: Seed = None,
    fps: Annotated[float, typer.Option("--fps", min=0.5, max=50, help="Frames per second.")] = 8.0,
    dpi: Dpi = 90,
) -> None:
    """Animate how a sample of a model emerges from noise.

    Example: [bold]hyperhedge animate model --nodes 24 --edges 10 --out sample.gif[/bold]
    """
    require("matplotlib", "plot")
    from hyperhedge.plotting.animation import animate as animate_path
    from hyperhedge.plotting.animation import check_animation_name

    check_animation_name(out)
    check_folder_of(out)
    generator = load_model(model)
    sample_paths = getattr(generator, "sample_paths", None)
    if sample_paths is None:
        raise HyperhedgeError(f"{model}: a model of the kind {generator.name} does not sample from noise step by step")
    seed = seed_or_fresh(seed)
    sampled = sample_paths(1, seed=seed, **used(n=nodes, m=edges, steps=steps, device=device))
    animate_path(sampled, out=out, fps=fps, dpi=dpi, title=title)
    typer.echo(f"{model} → {out} ({describe(sampled.hypergraphs[0])}, {len(sampled.times) - 1} steps)", err=True)
