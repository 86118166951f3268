"""How much faster two workers of ``hyperhedge bench run`` are than one: ``python -m benchmarks.workers``.

The same experiment is run by one worker and by two, in turn, each time into an empty folder: cells of a short training of Hedge with
its default network at 64 × 25, of ER-HG and of HCM-MCMC. The seconds include starting processes and writing records.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.record import save
from hyperhedge._system.pool import Local
from hyperhedge.bench.experiment import Experiment, read_experiment
from hyperhedge.bench.runner import run_experiment

ROUNDS = 2
WORKERS = (1, 2)
EXPERIMENT = """
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
    """Run all cells; return the seconds."""
    started = time.perf_counter()
    summary = run_experiment(experiment, folder, Local(workers))
    seconds = time.perf_counter() - started
    if summary.counts["done"] != len(list(experiment.cells())):
        raise RuntimeError(f"not all cells were done: {summary}")
    return seconds


def measure(text: str = EXPERIMENT, rounds: int = ROUNDS) -> dict[str, Any]:
    """Run the experiment with one and with two workers, in turn."""
    seconds: dict[int, list[float]] = {workers: [] for workers in WORKERS}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        experiment = experiment_in(folder, text)
        for turn in range(rounds):
            for workers in WORKERS:
                seconds[workers].append(seconds_of(experiment, workers, folder / f"{turn}-{workers}"))
    one, two = (statistics.median(seconds[workers]) for workers in WORKERS)
    return {
        "cells": len(list(experiment.cells())),
        "seconds": {str(w): s for w, s in seconds.items()},
        "ratio": one / two,
    }


def main() -> None:
    """Measure and save the record."""
    measured = measure()
    print(measured)
    save("workers", {"experiment": EXPERIMENT, "rounds": ROUNDS}, measured, ("torch", "joblib"))


if __name__ == "__main__":
    main()
