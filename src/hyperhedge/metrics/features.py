r"""Feature vectors of hypergraphs and the kernel on them.

:math:`\phi(H) \in \mathbb R^{d}` summarises an incidence pattern, half by its marginals and half by its overlap
(:data:`FEATURES`). Features are standardised by their mean and standard deviation in a reference collection (a feature that is
constant there is only centred, so a departure counts in its own unit), and compared by

.. math:: k(x, y) = \exp\bigl(-\|x - y\|^2 / 2\ell^2\bigr),

where :math:`\ell` is the median distance between two members of the reference collection.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from scipy.spatial.distance import cdist, pdist

from hyperhedge.errors import UndefinedError
from hyperhedge.metrics.pooled import divide
from hyperhedge.metrics.statistics import Statistics
from hyperhedge.typing import FloatArray, IntArray

#: The most pairs of hypergraphs in a kernel matrix: 512 MiB.
MOST_PAIRS = 1 << 26

Feature = Callable[[Statistics], FloatArray]


def _share(part: Callable[[Statistics], IntArray], whole: Callable[[Statistics], IntArray]) -> Feature:
    return lambda s: divide(part(s).astype(float), whole(s).astype(float), otherwise=0.0)


#: The entries of φ(H), by name; means and shares of nothing are 0.
FEATURES: dict[str, Feature] = {
    "nodes (log)": lambda s: np.log1p(s.n),
    "hyperedges (log)": lambda s: np.log1p(s.m),
    "density": _share(lambda s: s.incidences, lambda s: s.n * s.m),
    "degree, standard deviation": lambda s: s.degrees.deviations(),
    "degree, maximum": lambda s: s.degrees.maxima(),
    "isolated nodes, share": _share(lambda s: s.isolated, lambda s: s.n),
    "edge size, standard deviation": lambda s: s.edge_sizes.deviations(),
    "edge size, maximum": lambda s: s.edge_sizes.maxima(),
    "singleton hyperedges, share": _share(lambda s: s.singleton, lambda s: s.m),
    "repeated hyperedges, share": _share(lambda s: s.repeated, lambda s: s.m),
    "intersection, mean": lambda s: s.intersections.means(),
    "intersection, standard deviation": lambda s: s.intersections.deviations(),
    "intersection, maximum": lambda s: s.intersections.maxima(),
    "pairs of hyperedges that share a node, share": lambda s: np.nan_to_num(s.tail(1)),
    "pairs of hyperedges that share two nodes, share": lambda s: np.nan_to_num(s.tail(2)),
    "pair degree, mean": lambda s: s.pair_degrees.means(),
    "components per node": _share(lambda s: s.components, lambda s: s.n),
    "largest component, share": lambda s: s.largest_component,
}


@lru_cache(maxsize=8)
def features(statistics: Statistics) -> FloatArray:
    """Return φ of every hypergraph of a collection, one row each."""
    return np.column_stack([entry(statistics) for entry in FEATURES.values()])


@dataclass(frozen=True)
class FeatureScale:
    """The scale of features in a reference collection: mean and standard deviation of each, and the bandwidth."""

    mean: FloatArray
    deviation: FloatArray
    bandwidth: float

    @classmethod
    def of(cls, reference: FloatArray) -> FeatureScale:
        """Read the scale from the features of at least two hypergraphs."""
        if len(reference) < 2:
            raise UndefinedError("its scale comes from the real hypergraphs, and a single one has none")
        check_pairs(len(reference), len(reference))
        mean, deviation = reference.mean(axis=0), reference.std(axis=0)
        constant = deviation <= 1e-12 * np.maximum(np.abs(mean), 1.0)  # up to rounding
        deviation = np.where(constant, 1.0, deviation)
        median = float(np.median(pdist((reference - mean) / deviation)))
        return cls(mean, deviation, median if median > 0 else 1.0)

    def __call__(self, vectors: FloatArray) -> FloatArray:
        """Standardise, with the bandwidth as the unit."""
        scaled: FloatArray = (vectors - self.mean) / (self.deviation * self.bandwidth)
        return scaled


def gaussian_kernel(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return k(x, y) for all rows of two arrays in units of the bandwidth."""
    return np.asarray(np.exp(-0.5 * pairwise(x, y, "sqeuclidean")))


def pairwise(x: FloatArray, y: FloatArray, metric: Literal["sqeuclidean", "cityblock"]) -> FloatArray:
    """Return the distances between all rows of two arrays, unless there are more than memory should hold."""
    check_pairs(len(x), len(y))
    return np.asarray(cdist(x, y, metric))


def check_pairs(first: int, second: int) -> None:
    """Refuse more pairs of hypergraphs than memory should hold."""
    if first * second > MOST_PAIRS:
        raise UndefinedError(
            f"it compares every pair, and there are {first:,} × {second:,}; give at most {math.isqrt(MOST_PAIRS):,} per side"
        )
