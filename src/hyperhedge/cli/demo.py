"""``demo``: the main job on embedded data: learn, generate, evaluate.

The hypergraphs are synthetic committees, whose subcommittees make overlaps that degrees and edge sizes do not explain. ``Hedge``
is trained on a bank of them, baselines are fitted, and the report on all of them is written, together with the model, the samples
and the data; and beside them one small real hypergraph, to try other commands on. The scale is in :data:`FULL`; :data:`QUICK` is
for tests, and learns nothing. The seeds are fixed.
"""

from __future__ import annotations

import shlex
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from hyperhedge.cli._options import out_option
from hyperhedge.cli.app import app
from hyperhedge.data import load_dataset
from hyperhedge.io import write, write_collection
from hyperhedge.models.configuration.model import ConfigurationModel
from hyperhedge.models.erdos_renyi import ErdosRenyi
from hyperhedge.report import Report, evaluate


@dataclass(frozen=True)
class Scale:
    """Scale of the main job: shape and number of hypergraphs, and the arguments of ``Hedge``."""

    n: int = 32
    m: int = 12
    train: int = 1000
    test: int = 100
    generated: int = 100
    model: dict[str, Any] = field(default_factory=dict)


#: About three minutes on two cores.
FULL = Scale(model={"iterations": 1500, "width": 64, "blocks": 3, "max_time": "2m"})

#: A few seconds.
QUICK = Scale(
    n=16,
    m=8,
    train=24,
    test=12,
    generated=12,
    model={"iterations": 12, "width": 16, "channels": 8, "blocks": 1, "steps": 4},
)

#: The seed of the samples. A hundred samples vary; these are neither lucky nor unlucky.
_SEED = 3


@app.command()
def demo(
    out: Annotated[Path, out_option("Folder to write to; created if necessary.")] = Path("demo"),
    quick: Annotated[bool, typer.Option("--quick", hidden=True, envvar="HYPERHEDGE_QUICK_DEMO")] = False,
) -> None:
    """Show the package at work on embedded data, in about three minutes: learn, generate, evaluate.

    Example: [bold]hyperhedge demo --out demo[/bold]
    """
    started = time.perf_counter()
    console = Console()
    out.mkdir(parents=True, exist_ok=True)
    write(load_dataset("southern-women").hypergraph, out / "women.csv")
    report = _learn(out, QUICK if quick else FULL, console)
    scores = [("Hedge", report.score), *((name, baseline.score) for name, baseline in report.baselines.items())]
    fidelities = ", ".join(f"{name} {score:.2f}" for name, score in scores if score is not None)
    console.print(
        f"{time.perf_counter() - started:.0f} s. Verdict on Hedge: {report.verdict.sentence} Fidelity of 1: {fidelities}."
    )
    console.print(
        f"Open {out}/report.html in a browser: distributions, a gallery, and how a sample emerges from noise."
    )
    console.print(
        "With your own file: hyperhedge data bank YOUR.csv --nodes 32 --edges 12 --count 1000 --out bank.hif.jsonl, then "
        "hyperhedge fit bank.hif.jsonl --preset fast --out model",
        soft_wrap=True,
    )


def _learn(out: Path, scale: Scale, console: Console) -> Report:
    """Sample a bank of committees, learn, generate, evaluate, and write everything."""
    from hyperhedge.models.hedge.model import Hedge  # torch takes a second to import: only where it is used

    train, _, test = load_dataset("committee").splits(scale.n, scale.m, (scale.train, 0, scale.test), seed=0)
    console.print(
        f"Sampled {len(train)} hypergraphs of committees to learn from and {len(test)} to evaluate with "
        f"({scale.n} people, {scale.m} committees each). Hedge learns:"
    )
    model = Hedge(seed=0, **scale.model).fit(train, progress=console)
    sampled = model.sample_paths(scale.generated, seed=_SEED)
    generators = {"HCM": ConfigurationModel(), "ER-HG": ErdosRenyi()}
    baselines = {
        name: generator.fit(train).sample(scale.generated, seed=_SEED) for name, generator in generators.items()
    }
    report = evaluate(test, sampled.hypergraphs, train=train, baselines=baselines, seed=0, name="Hedge on committees")
    command = f"hyperhedge demo --out {shlex.quote(str(out))}"
    report.save(out / "report.html", paths=sampled, model=model, command=command)
    model.save(out / "model", overwrite=True)
    collections = {"train": train, "test": test, "new": sampled.hypergraphs}
    collections |= {name.lower(): graphs for name, graphs in baselines.items()}
    for name, graphs in collections.items():
        write_collection(graphs, out / f"{name}.hif.jsonl")
    names = ", ".join(f"{name}.hif.jsonl" for name in collections)
    console.print(f"Wrote {out}/report.html, {out}/model and the hypergraphs: {names}, women.csv.")
    return report
