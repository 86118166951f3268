"""The generated table in docs/report.md: the scores of real hypergraphs and of two baselines, from the records of the benchmark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from benchmarks.record import RESULTS, ROOT
from hyperhedge.bench.experiment import read_experiment
from hyperhedge.bench.record import Record
from hyperhedge.bench.results import load_results
from hyperhedge.report.grades import BOUNDS

__all__ = ["blocks", "scores"]

METHODS = {"floor": "real", "hcm": "HCM-MCMC", "er": "ER-HG"}


def scores(records: Sequence[Record], name: str) -> list[float]:
    """Return the scores of a property, where they are known."""
    values = (record.properties.get(name) for record in records)
    return [score for score in values if score is not None]


def blocks() -> dict[str, str]:
    """Return the table of bounds."""
    results = load_results(read_experiment(ROOT / "experiments" / "real.toml"), RESULTS / "real")
    records = {
        method: [r for dataset in results.experiment.datasets for r in results.of(dataset, method).values()]
        for method in METHODS
    }
    return {"report bounds": table(records)}


def table(records: Mapping[str, Sequence[Record]]) -> str:
    """Show the bounds next to quantiles of scores."""
    lines = [
        "| | good from | fair from | real: median (5%) | HCM-MCMC: median | ER-HG: median |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for name, (good, fair) in BOUNDS.items():
        medians = [_quantile(scores(records[method], name), 0.5) for method in METHODS]
        low = _quantile(scores(records["floor"], name), 0.05)
        shown = "(training set)" if name == "novelty" else f"{medians[0]} ({low})"
        lines.append(f"| {name} | {good:.2f} | {fair:.2f} | {shown} | {medians[1]} | {medians[2]} |")
    cells = ", ".join(f"{len(records[method])} of {title}" for method, title in METHODS.items())
    return "\n".join([*lines, "", f"Cells of the benchmark ([results.md](results.md)): {cells}."])


def _quantile(values: Sequence[float], share: float) -> str:
    return f"{np.quantile(values, share):.2f}" if values else "–"
