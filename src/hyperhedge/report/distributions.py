r"""The distributions that the page plots: shares of pooled numbers in bins, for each collection, with a band around the real ones.

Numbers are pooled as the metrics pool them, so a plot shows what a row of the table measures. *The band* shows how far a collection
of real hypergraphs, as many as were generated, strays by chance: the real hypergraphs are resampled, and the band holds 95% of the
shares in each bin. A generated curve within it is as good as real. Next to the share in each bin there is the share at or above
it, :math:`P(X \ge x)`, which shows tails.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hyperhedge.errors import UndefinedError
from hyperhedge.metrics.pooled import PooledValues, divide
from hyperhedge.metrics.statistics import Statistics
from hyperhedge.report.report import Report
from hyperhedge.typing import FloatArray

_REPLICATES, _LEVEL = 200, 0.95  # as the intervals of the table have by default
_BINS = 40  # at most: about eight pixels each
_FEW_BINS = 12  # for one number per hypergraph, of which there are tens or hundreds


@dataclass(frozen=True)
class Quantity:
    """Numbers of hypergraphs: how they are pooled, how they are named, and their upper bound if they are not whole."""

    key: str
    title: str
    axis: str
    of: Callable[[Statistics, int | None], PooledValues]
    upper: float | None = None


QUANTITIES = (
    Quantity("degree", "Degrees", "hyperedges per node", lambda c, _: c.degrees),
    Quantity("size", "Edge sizes", "nodes per hyperedge", lambda c, _: c.edge_sizes),
    Quantity("overlap", "Overlaps", "nodes that two hyperedges share", lambda c, _: c.intersections),
    Quantity("pair", "Pair degrees", "hyperedges that two nodes share, if any", lambda c, _: c.pair_degrees),
    Quantity("node-spectrum", "Node spectrum", "eigenvalue of the node Laplacian", Statistics.node_spectrum, upper=1.0),
    Quantity(
        "edge-spectrum", "Overlap spectrum", "eigenvalue of the overlap Laplacian", Statistics.edge_spectrum, upper=2.0
    ),
)


def distributions(report: Report) -> list[dict[str, Any]]:
    """Return what the page plots: the quantities above, and the values of the report's functions of one hypergraph.

    Each has the real collection first, then the generated ones; the training set is not plotted.
    """
    shown = {name: collection for name, collection in report.collections.items() if name != "train"}
    eigenvalues = report.settings.get("eigenvalues", 16)
    plots = []
    for quantity in QUANTITIES:
        try:
            pools = {name: quantity.of(collection, eigenvalues) for name, collection in shown.items()}
        except UndefinedError:
            continue
        if any(pool.count.any() for pool in pools.values()):
            bins = _Bins.between(0.0, quantity.upper, _BINS) if quantity.upper else _Bins.of(pools, start=0.0)
            plots.append(_plot(quantity.key, quantity.title, quantity.axis, pools, bins))
    for position, (key, values) in enumerate(report.values.items()):
        pools = {name: PooledValues.one_each(np.array(numbers)) for name, numbers in values.items()}
        plots.append(_plot(f"custom-{position}", report[key].title, "value per hypergraph", pools, _Bins.of(pools)))
    return plots


@dataclass(frozen=True)
class _Bins:
    """Equal bins, ``count`` of them from ``start``; those of whole numbers hold whole numbers."""

    start: float
    width: float
    count: int
    whole: bool

    @classmethod
    def between(cls, low: float, high: float, count: int) -> _Bins:
        if low == high:
            return cls(low - 0.5, 1.0, 1, whole=False)
        return cls(low, (high - low) / count, count, whole=False)

    @classmethod
    def of(cls, pools: dict[str, PooledValues], start: float | None = None) -> _Bins:
        """Choose bins for the numbers of all collections, from the least one or from ``start``."""
        numbers = np.concatenate([pool.value for pool in pools.values()])
        low, high = float(numbers.min()) if start is None else start, float(numbers.max())
        if (numbers == np.rint(numbers)).all():
            width = max(1, math.ceil((high - low + 1) / _BINS))
            return cls(low, width, int((high - low) // width) + 1, whole=True)
        return cls.between(low, high, _FEW_BINS)

    def counted(self, pool: PooledValues) -> FloatArray:
        """Count the numbers of a pool by hypergraph and bin."""
        position = np.minimum(((pool.value - self.start) / self.width + 1e-9).astype(np.int64), self.count - 1)
        size = pool.num_hypergraphs * self.count
        counts = np.bincount(pool.owner * self.count + position, weights=pool.count, minlength=size)
        return counts.reshape(pool.num_hypergraphs, self.count).astype(float)


def _plot(key: str, title: str, axis: str, pools: dict[str, PooledValues], bins: _Bins) -> dict[str, Any]:
    counts = {name: bins.counted(pool) for name, pool in pools.items()}
    low, high = _bands(counts["real"], next((len(table) for name, table in counts.items() if name != "real"), 1))
    return {
        "key": key,
        "title": title,
        "axis": axis,
        "whole": bins.whole,
        "start": bins.start,
        "width": bins.width,
        "series": {
            name: {"mean": _mean(pools[name]), "shares": _rounded(_shares(np.ones((1, len(table))), table)[0])}
            for name, table in counts.items()
        },
        "band": {"low": _rounded(low[0]), "high": _rounded(high[0])},
        "tailBand": {"low": _rounded(low[1]), "high": _rounded(high[1])},
    }


def _shares(weights: FloatArray, table: FloatArray) -> FloatArray:
    totals = weights @ table
    return divide(totals, np.broadcast_to(totals.sum(axis=1, keepdims=True), totals.shape), otherwise=0.0)


def _bands(real: FloatArray, count: int) -> tuple[FloatArray, FloatArray]:
    """Return the lower and the upper bounds of the shares and of the shares at or above, ``(2, bins)`` each."""
    rng = np.random.default_rng(0)  # the same report always has the same page
    weights = rng.multinomial(count, np.full(len(real), 1 / len(real)), size=_REPLICATES).astype(float)
    shares = _shares(weights, real)
    tails = np.cumsum(shares[:, ::-1], axis=1)[:, ::-1]
    low, high = np.quantile([shares, tails], [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2], axis=1)
    return low, high


def _mean(pool: PooledValues) -> float | None:
    total = pool.count.sum()
    return float(f"{pool.count @ pool.value / total:.5g}") if total else None


def _rounded(values: FloatArray) -> list[float]:
    return [float(f"{value:.4g}") for value in values]
