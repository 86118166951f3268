r"""Defects of generated hypergraphs, compared with those of the real ones.

A defect is one of single nodes or hyperedges: a hyperedge is empty, has one node, equals an earlier one, or has a size outside the
range of the data; a node is isolated, outside the largest component, or has a degree outside that range. Whether this is an error
depends on the data: real hypergraphs have isolated nodes too. So a defect counts against a generator as far as its share exceeds
that in real hypergraphs, and the worst one decides,

.. math:: \text{validity} = 1 - \max_{\text{defects}} \max(0,\ \text{share}_\text{generated} - \text{share}_\text{real}),

where a share is that of all nodes, or of all hyperedges, of a collection. So amounts count: 195 isolated nodes out of 200 are worse
than one. A mean over defects would hide one that spoils every hyperedge. Differences within two standard errors, which come from
the variation between hypergraphs, are chance and do not count: few hypergraphs of one law may differ by a tenth of their nodes.

*The range* of sizes and of degrees is that of all real hypergraphs that are known: held-out and training ones. A fresh sample of
the same law exceeds it with one number in as many as the data have, which is nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hyperhedge.metrics.pooled import PooledValues
from hyperhedge.metrics.statistics import Statistics
from hyperhedge.typing import FloatArray, IntArray

_ERRORS = 2.0  # standard errors that chance explains


@dataclass(frozen=True)
class Ranges:
    """The least and the largest edge size and degree of real hypergraphs; None if there is nothing to measure."""

    sizes: tuple[float, float] | None
    degrees: tuple[float, float] | None

    @classmethod
    def of(cls, *collections: Statistics) -> Ranges:
        """Return the ranges of all members of the collections.

        Examples
        --------
        >>> from hyperhedge import Hypergraph
        >>> from hyperhedge.metrics.statistics import statistics_of
        >>> Ranges.of(statistics_of([Hypergraph([[0, 1], [0, 1, 2]])]), statistics_of([Hypergraph([[0, 1, 2, 3]])]))
        Ranges(sizes=(2.0, 4.0), degrees=(1.0, 2.0))
        """
        return cls(_range([c.edge_sizes for c in collections]), _range([c.degrees for c in collections]))


def _range(pools: list[PooledValues]) -> tuple[float, float] | None:
    values = np.concatenate([pool.value for pool in pools])
    return (float(values.min()), float(values.max())) if len(values) else None


@dataclass(frozen=True)
class Defect:
    """How much of a collection has a defect.

    Attributes
    ----------
    name
        What the defect is.
    of
        What has it: nodes or hyperedges.
    share
        The share of all nodes, or of all hyperedges, that have it.
    hypergraphs
        The share of hypergraphs in which some have it.
    error
        The standard error of the share, from the variation between hypergraphs; 0 for a single one, where it is not known.
    """

    name: str
    of: str
    share: float
    hypergraphs: float
    error: float = field(default=0.0, repr=False)


def defects(statistics: Statistics, ranges: Ranges) -> list[Defect]:
    """Measure the defects of a collection.

    Examples
    --------
    >>> from hyperhedge import Hypergraph
    >>> from hyperhedge.metrics.statistics import statistics_of
    >>> collection = statistics_of([Hypergraph([[0, 1], [], [2, 3]], nodes=5), Hypergraph([[0, 1, 2]])])
    >>> for defect in defects(collection, Ranges(sizes=(0, 2), degrees=(0, 1))):
    ...     print(defect)
    Defect(name='empty hyperedges', of='hyperedges', share=0.25, hypergraphs=0.5)
    Defect(name='singleton hyperedges', of='hyperedges', share=0.0, hypergraphs=0.0)
    Defect(name='repeated hyperedges', of='hyperedges', share=0.0, hypergraphs=0.0)
    Defect(name='edge sizes out of range', of='hyperedges', share=0.25, hypergraphs=0.5)
    Defect(name='isolated nodes', of='nodes', share=0.125, hypergraphs=0.5)
    Defect(name='nodes outside the largest component', of='nodes', share=0.375, hypergraphs=0.5)
    Defect(name='degrees out of range', of='nodes', share=0.0, hypergraphs=0.0)
    """
    n, m = statistics.n, statistics.m
    of_hyperedges: dict[str, Any] = {
        "empty hyperedges": statistics.empty,
        "singleton hyperedges": statistics.singleton,
        "repeated hyperedges": statistics.repeated,
        "edge sizes out of range": _outside(statistics.edge_sizes, ranges.sizes),
    }
    of_nodes: dict[str, Any] = {
        "isolated nodes": statistics.isolated,
        "nodes outside the largest component": np.rint((1 - statistics.largest_component) * n),
        "degrees out of range": _outside(statistics.degrees, ranges.degrees),
    }
    return [
        *(_defect(name, "hyperedges", counts, m) for name, counts in of_hyperedges.items()),
        *(_defect(name, "nodes", counts, n) for name, counts in of_nodes.items()),
    ]


def _defect(name: str, of: str, counts: FloatArray | IntArray, totals: IntArray) -> Defect:
    total = max(totals.sum(), 1)
    share = float(counts.sum() / total)
    residuals, members = counts - share * totals, len(totals)  # of a ratio of sums
    error = float(np.sqrt(np.square(residuals).sum() * members / max(members - 1, 1)) / total) if members > 1 else 0.0
    return Defect(name, of, share, float((counts > 0).mean()), error)


def _outside(pool: PooledValues, bounds: tuple[float, float] | None) -> FloatArray:
    """Count the numbers of each hypergraph outside the bounds; without bounds, there is nothing to compare with."""
    if bounds is None:
        return np.zeros(pool.num_hypergraphs)
    low, high = bounds
    outside = (pool.value < low) | (pool.value > high)
    return np.bincount(pool.owner, weights=pool.count * outside, minlength=pool.num_hypergraphs).astype(float)


def excesses(real: list[Defect], generated: list[Defect]) -> list[float]:
    """Return by how much the share of each defect is above that in real hypergraphs; 0 if it is not, or within the error.

    Examples
    --------
    >>> one, other = (Defect("isolated nodes", "nodes", share, 1.0) for share in (0.25, 0.75))
    >>> excesses([one], [other]), excesses([other], [one])
    ([0.5], [0.0])
    """
    pairs = zip(real, generated, strict=True)
    return [_beyond_chance(made.share - known.share, math.hypot(made.error, known.error)) for known, made in pairs]


def _beyond_chance(difference: float, error: float) -> float:
    return difference if difference > _ERRORS * error else 0.0


def validity(real: list[Defect], generated: list[Defect]) -> float:
    """Return 1 if no defect is more frequent in the generated hypergraphs than in the real ones, 0 at worst."""
    return 1.0 - max(excesses(real, generated))
