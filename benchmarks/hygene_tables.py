"""The generated parts of docs/hygene.md: from the records of ``experiments/real.toml`` and from :mod:`benchmarks.growth`."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.hedge_tables import spread, title
from benchmarks.paper import paper_cell
from hyperhedge.bench.record import Record
from hyperhedge.bench.results import Results
from hyperhedge.metrics import METRICS

__all__ = ["growth_block", "quality_block"]

_LEARNED = {"Hedge": "hedge", "HYGENE": "hygene"}
_QUIET = 1


# -- two ways to grow --------------------------------------------------------------------------------


def growth_block(record: dict[str, Any]) -> str:
    """Return the table of both ways to grow, beside further real hypergraphs."""
    rows = record["measured"]
    datasets, ways = (list(dict.fromkeys(row[name] for row in rows)) for name in ("dataset", "way"))
    keys = ("size_wd", "degree_wd", "intersection_wd", "edge_spectral_wd", "feature_mmd", "auc")
    lines = _head(datasets)
    for key in keys:
        for way in ways:
            repeats = [row for row in rows if row["way"] == way]
            cells = [spread([_number(row, key) for row in repeats if row["dataset"] == name]) for name in datasets]
            name = "AUC" if key == "auc" else METRICS[key].title
            lines.append(_row(name if way == ways[0] else "", way.replace("drawn", "sampled"), cells))
    return "\n".join(lines)


def _number(row: dict[str, Any], key: str) -> float:
    number: float = row["auc"] if key == "auc" else row["values"][key]
    return number


# -- beside Hedge and the paper ----------------------------------------------------------------------


def quality_block(results: Results) -> str:
    """Return some of HYGENE's numbers and its cost, beside the floor's, Hedge's and the paper's."""
    datasets = list(results.experiment.datasets)
    seeds = [", ".join(str(len(results.of(name, method))) for method in _LEARNED.values()) for name in datasets]
    lines = [
        *_head(datasets),
        *_distances(results, "density_gap"),
        *_distances(results, "intersection_wd"),
        *_means(results, "AUC", lambda record: record.auc if record.auc is not None else math.nan, digits=2),
        _row("seeds", ", ".join(_LEARNED), seeds),
        *_costs(results, "training, minutes of one core", lambda record: record.seconds["training"] / 60),
        *_costs(results, "samples per second, one core", lambda record: record.samples_per_second or math.nan),
    ]
    return "\n".join(lines)


def _distances(results: Results, key: str) -> Iterator[str]:
    """Yield the rows of a metric."""
    datasets = results.experiment.datasets
    for name, method in {"real": "floor", **_LEARNED}.items():
        cells = [spread(list(results.magnitudes(dataset, method, key).values())) for dataset in datasets]
        yield _row(METRICS[key].title if name == "real" else "", name, cells)
    yield _row("", "HYGENE, the paper", [paper_cell(key, "HYGENE", dataset) or "–" for dataset in datasets])


def _means(results: Results, title_: str, quantity: Callable[[Record], float], digits: int = 1) -> Iterator[str]:
    """Yield the rows of a number that each record has."""
    for name, method in _LEARNED.items():
        records = [results.of(dataset, method).values() for dataset in results.experiment.datasets]
        means = [statistics.mean(map(quantity, of_dataset)) for of_dataset in records]
        yield _row(title_ if name == "Hedge" else "", name, [f"{mean:.{digits}f}" for mean in means])


def _costs(results: Results, title_: str, quantity: Callable[[Record], float]) -> Iterator[str]:
    """Yield the rows of a cost, of one seed, in which both had the machine to themselves."""
    for name, method in _LEARNED.items():
        costs = [quantity(results.of(dataset, method)[_QUIET]) for dataset in results.experiment.datasets]
        yield _row(f"{title_} (seed {_QUIET})" if name == "Hedge" else "", name, [f"{cost:.1f}" for cost in costs])


def _head(datasets: list[str]) -> list[str]:
    return [_row("", "", list(map(title, datasets))), f"|---|---|{'---:|' * len(datasets)}"]


def _row(name: str, method: str, cells: list[str]) -> str:
    return f"| {name} | {method} | {' | '.join(cells)} |"
