"""How much faster two workers of the benchmark's runner are than one: ``python -m benchmarks.workers``.

The same experiment is run by one worker and by two, in turn, each time into an empty folder: cells of a short training of Hedge with
its default network at 64 × 25, of ER-HG and of HCM-MCMC. What starting processes and writing records takes is in the seconds.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.record import save
from hyperhedge.bench.experiment import Experiment, read_experiment
from hyperhedge.bench.runner import run_experiment
from hyperhedge.cluster import Local

ROUNDS = 2
WORKERS = (1, 2)
EXPERIMENT = """
name = "workers"
kind = "real"
seeds = 4
[protocol]
train = 500
test = 100
generated = 50
[datasets.committee]
[methods.hedge]
model = "hedge"
options = { iterations = 200 }
[methods.hcm]
model = "configuration"
[methods.er]
model = "erdos-renyi"
"""


def experiment_in(folder: Path, text: str = EXPERIMENT) -> Experiment:
    """Read the experiment."""
    file = folder / "workers.toml"
    file.write_text(text, encoding="utf-8")
    return read_experiment(file)


def seconds_of(experiment: Experiment, workers: int, folder: Path) -> float:
    """Run all cells; return the seconds that took."""
    started = time.perf_counter()
    summary = run_experiment(experiment, folder, Local(workers))
    seconds = time.perf_counter() - started
    if summary.counts["done"] != len(list(experiment.cells())):
        raise RuntimeError(f"not all cells were done: {summary}")
    return seconds


def measure(text: str = EXPERIMENT, rounds: int = ROUNDS) -> dict[str, Any]:
    """Run it by one and by two, in turn."""
    found: dict[int, list[float]] = {workers: [] for workers in WORKERS}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        experiment = experiment_in(folder, text)
        for turn in range(rounds):
            for workers in WORKERS:
                found[workers].append(seconds_of(experiment, workers, folder / f"{turn}-{workers}"))
    one, two = (statistics.median(found[workers]) for workers in WORKERS)
    return {
        "cells": len(list(experiment.cells())),
        "seconds": {str(w): s for w, s in found.items()},
        "ratio": one / two,
    }


def main() -> None:
    """Measure and keep the record."""
    measured = measure()
    print(measured)
    save("workers", {"experiment": EXPERIMENT, "rounds": ROUNDS}, measured, ("torch", "joblib"))


if __name__ == "__main__":
    main()
