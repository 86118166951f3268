r"""The distributions that the page plots: shares of pooled numbers in bins, for each batch, with a band around the real ones.

Everything is pooled as the metrics pool it, so that a plot shows what a row of the table measures. *The band* is how far a batch of
real hypergraphs, as many as were generated, strays by chance: the real hypergraphs are resampled, and the band holds 95 % of the
shares in each bin. A generated curve within it is as good as real. Beside the share in each bin there is the share at or above it,
:math:`P(X \ge x)`, in which tails are seen.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hyperhedge.metrics.sample import FloatArray, Sample, ratio
from hyperhedge.metrics.statistics import Statistics
from hyperhedge.metrics.undefined import UndefinedError

__all__ = ["QUANTITIES", "Quantity", "distributions"]

_REPLICATES, _LEVEL = 200, 0.95
_BINS = 40


@dataclass(frozen=True)
class Quantity:
    """Numbers of hypergraphs: how to have them, how to name them, and up to where they can lie if they are not whole."""

    key: str
    title: str
    axis: str
    of: Callable[[Statistics, int | None], Sample]
    upper: float | None = None


def _node_spectrum(batch: Statistics, first: int | None) -> Sample:
    return Sample.of_arrays(batch.spectra.node_eigenvalues(first))


def _edge_spectrum(batch: Statistics, first: int | None) -> Sample:
    return Sample.of_arrays(batch.spectra.edge_eigenvalues(first))


QUANTITIES = (
    Quantity("degree", "Degrees", "hyperedges of a node", lambda batch, _: batch.degrees),
    Quantity("size", "Hyperedge sizes", "nodes of a hyperedge", lambda batch, _: batch.sizes),
    Quantity("overlap", "Overlaps", "nodes that two hyperedges share", lambda batch, _: batch.intersections),
    Quantity("pair", "Pair degrees", "hyperedges that two nodes share, if any", lambda batch, _: batch.pair_degrees),
    Quantity("node-spectrum", "Node spectrum", "eigenvalue of the node Laplacian", _node_spectrum, upper=1.0),
    Quantity("edge-spectrum", "Overlap spectrum", "eigenvalue of the overlap Laplacian", _edge_spectrum, upper=2.0),
)


def distributions(batches: dict[str, Statistics], eigenvalues: int | None) -> list[dict[str, Any]]:
    """Return what the page's script plots: real first, then generated, then null models; no training set."""
    shown = {name: batch for name, batch in batches.items() if name != "train"}
    found = []
    for quantity in QUANTITIES:
        try:
            samples = {name: quantity.of(batch, eigenvalues) for name, batch in shown.items()}
        except UndefinedError:
            continue
        if any(sample.count.any() for sample in samples.values()):
            found.append(_plot(quantity, samples))
    return found


def _plot(quantity: Quantity, samples: dict[str, Sample]) -> dict[str, Any]:
    greatest = max(float(sample.value.max(initial=0.0)) for sample in samples.values())
    width = quantity.upper / _BINS if quantity.upper else max(1, math.ceil((greatest + 1) / _BINS))
    bins = _BINS if quantity.upper else int(greatest // width) + 1
    counts = {name: _binned(sample, width, bins) for name, sample in samples.items()}
    real, generated = counts["real"], counts["generated"]
    low, high = _bands(real, len(generated))
    return {
        "key": quantity.key,
        "title": quantity.title,
        "axis": quantity.axis,
        "whole": quantity.upper is None,
        "width": width,
        "series": {
            name: {"mean": _mean(samples[name]), "shares": _rounded(_shares(np.ones((1, len(table))), table)[0])}
            for name, table in counts.items()
        },
        "band": {"low": _rounded(low[0]), "high": _rounded(high[0])},
        "tailBand": {"low": _rounded(low[1]), "high": _rounded(high[1])},
    }


def _binned(sample: Sample, width: float, bins: int) -> FloatArray:
    """Count a sample's numbers by hypergraph and bin."""
    place = np.minimum((sample.value / width + 1e-9).astype(np.int64), bins - 1)
    flat = np.bincount(sample.owner * bins + place, weights=sample.count, minlength=sample.hypergraphs * bins)
    return flat.reshape(sample.hypergraphs, bins).astype(float)


def _shares(weights: FloatArray, table: FloatArray) -> FloatArray:
    totals = weights @ table
    return ratio(totals, np.broadcast_to(totals.sum(axis=1, keepdims=True), totals.shape), nothing=0.0)


def _bands(real: FloatArray, count: int) -> tuple[tuple[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]:
    """Return lower and upper bounds of shares and of shares at or above."""
    rng = np.random.default_rng(0)
    weights = rng.multinomial(count, np.full(len(real), 1 / len(real)), size=_REPLICATES).astype(float)
    shares = _shares(weights, real)
    tails = np.cumsum(shares[:, ::-1], axis=1)[:, ::-1]
    level = (1 - _LEVEL) / 2
    low, high = ([np.quantile(part, at, axis=0) for part in (shares, tails)] for at in (level, 1 - level))
    return (low[0], low[1]), (high[0], high[1])


def _mean(sample: Sample) -> float | None:
    total = sample.count.sum()
    return round(float(sample.count @ sample.value / total), 4) if total else None


def _rounded(values: FloatArray) -> list[float]:
    return [float(f"{value:.4g}") for value in values]
