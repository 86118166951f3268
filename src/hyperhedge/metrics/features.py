r"""Feature vectors of hypergraphs and the kernel on them.

:math:`\phi(H) \in \mathbb R^{d}` holds what the incidence pattern says at a glance, half of it marginal and half about
overlap (:data:`FEATURES`). Features are standardised by the mean and the standard deviation that they have in a
reference batch (a feature that is constant there is only centred, so that a departure counts in its own unit), and
compared by

.. math:: k(x, y) = \exp\bigl(-\|x - y\|^2 / 2\ell^2\bigr),

where :math:`\ell` is the median distance between two members of the reference batch.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from scipy.spatial.distance import cdist, pdist

from hyperhedge.checks import IntArray
from hyperhedge.metrics.sample import FloatArray, ratio
from hyperhedge.metrics.statistics import Statistics
from hyperhedge.metrics.undefined import UndefinedError

__all__ = ["FEATURES", "MOST_PAIRS", "Scale", "check_pairs", "features", "gaussian_kernel", "pairwise"]

#: How many pairs of hypergraphs a kernel matrix may have: 512 MiB.
MOST_PAIRS = 1 << 26

Feature = Callable[[Statistics], FloatArray]


def _share(part: Callable[[Statistics], IntArray], whole: Callable[[Statistics], IntArray]) -> Feature:
    return lambda s: ratio(part(s).astype(float), whole(s).astype(float), nothing=0.0)


#: The entries of φ(H), by name; a mean over nothing is 0.
FEATURES: dict[str, Feature] = {
    "nodes (log)": lambda s: np.log1p(s.n),
    "hyperedges (log)": lambda s: np.log1p(s.m),
    "density": _share(lambda s: s.incidences, lambda s: s.n * s.m),
    "degree, deviation": lambda s: s.degrees.deviations(),
    "degree, greatest": lambda s: s.degrees.maxima(),
    "isolated nodes, share": _share(lambda s: s.isolated, lambda s: s.n),
    "size, deviation": lambda s: s.sizes.deviations(),
    "size, greatest": lambda s: s.sizes.maxima(),
    "singleton hyperedges, share": _share(lambda s: s.singleton, lambda s: s.m),
    "repeated hyperedges, share": _share(lambda s: s.repeated, lambda s: s.m),
    "intersection, mean": lambda s: s.intersections.means(),
    "intersection, deviation": lambda s: s.intersections.deviations(),
    "intersection, greatest": lambda s: s.intersections.maxima(),
    "pairs of hyperedges that meet, share": lambda s: np.nan_to_num(s.tail(1)),
    "pairs of hyperedges that meet twice, share": lambda s: np.nan_to_num(s.tail(2)),
    "pair degree, mean": lambda s: s.pair_degrees.means(),
    "components per node": _share(lambda s: s.components, lambda s: s.n),
    "largest component, share": lambda s: s.largest_component,
}


@lru_cache(maxsize=8)
def features(statistics: Statistics) -> FloatArray:
    """Return φ of every hypergraph of a batch, a row each."""
    return np.column_stack([entry(statistics) for entry in FEATURES.values()])


@dataclass(frozen=True)
class Scale:
    """What a reference batch says about the scale of features: mean and deviation of each, and the bandwidth."""

    mean: FloatArray
    deviation: FloatArray
    bandwidth: float

    @classmethod
    def of(cls, reference: FloatArray) -> Scale:
        """Read the scale from the features of at least two hypergraphs."""
        if len(reference) < 2:
            raise UndefinedError("its scale comes from the real hypergraphs, and one alone has none")
        check_pairs(len(reference), len(reference))
        mean, deviation = reference.mean(axis=0), reference.std(axis=0)
        deviation = np.where(deviation > 1e-12 * np.maximum(np.abs(mean), 1.0), deviation, 1.0)
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
    """Return the distances between all rows of two arrays, unless these are more than memory should hold."""
    check_pairs(len(x), len(y))
    return np.asarray(cdist(x, y, metric))


def check_pairs(first: int, second: int) -> None:
    """Refuse more pairs of hypergraphs than memory should hold."""
    if first * second > MOST_PAIRS:
        raise UndefinedError(
            f"it compares every pair, and there are {first:,} × {second:,}; give at most {math.isqrt(MOST_PAIRS):,} a side"
        )
