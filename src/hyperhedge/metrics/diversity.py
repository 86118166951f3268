r"""Whether generated hypergraphs differ from each other as much as real ones do.

At equal counts (a random subset of the larger collection):

* *uniqueness*: the number of isomorphism classes over the number of hypergraphs;
* *spread*: the mean neighbourhood distance between two of them (:mod:`hyperhedge.metrics.similarity`), which sees near copies;
* the *Vendi score* (of order 2): with the kernel matrix :math:`K` of the features
  (:mod:`hyperhedge.metrics.features`, in the scale of the real ones), :math:`N^2 / \|K\|_F^2`, the inverse sum of squares of the
  eigenvalues of :math:`K/N`: the effective number of different hypergraphs, from 1 to N.

.. math:: \text{diversity} = \min\Bigl(1, \frac{\text{uniqueness}}{\text{uniqueness}_r}, \frac{\text{spread}}{\text{spread}_r},
          \frac{\text{Vendi}}{\text{Vendi}_r}\Bigr)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hyperhedge.errors import UndefinedError
from hyperhedge.metrics.features import FeatureScale, features, gaussian_kernel
from hyperhedge.metrics.similarity import isomorphism_classes, mean_distance
from hyperhedge.metrics.statistics import Statistics
from hyperhedge.typing import FloatArray


@dataclass(frozen=True)
class Diversity:
    """How different generated hypergraphs are from each other, and how different real ones are, at the same count.

    Attributes
    ----------
    unique, unique_real
        The shares of isomorphism classes.
    spread, spread_real
        The mean neighbourhood distances between two members.
    vendi, vendi_real
        The effective numbers of different members, by their features.
    """

    unique: float
    unique_real: float
    spread: float
    spread_real: float
    vendi: float
    vendi_real: float

    @property
    def score(self) -> float:
        """1 if the generated hypergraphs are as diverse as the real ones; 0 at worst."""
        pairs = ((self.unique, self.unique_real), (self.spread, self.spread_real), (self.vendi, self.vendi_real))
        return min(1.0, *(generated / real for generated, real in pairs if real > 0))


def diversity(real: Statistics, generated: Statistics, rng: np.random.Generator) -> Diversity:
    """Compare the diversity of two collections.

    Examples
    --------
    >>> from hyperhedge import Hypergraph
    >>> from hyperhedge.metrics.statistics import statistics_of
    >>> path, star = Hypergraph([[0, 1], [1, 2], [2, 3]]), Hypergraph([[0, 1], [0, 2], [0, 3]])
    >>> result = diversity(statistics_of([path, star]), statistics_of([star, star]), np.random.default_rng(0))
    >>> result.unique, result.spread, result.vendi, result.score
    (0.5, 0.0, 1.0, 0.0)
    """
    count = min(len(real), len(generated))
    if count < 2:
        raise UndefinedError("it compares hypergraphs with each other, and there is only one")
    scale = FeatureScale.of(features(real))
    unique_real, spread_real, vendi_real = _measures(real.random_subset(count, rng), scale)
    unique, spread, vendi = _measures(generated.random_subset(count, rng), scale)
    return Diversity(unique, unique_real, spread, spread_real, vendi, vendi_real)


def _measures(statistics: Statistics, scale: FeatureScale) -> tuple[float, float, float]:
    vectors = scale(features(statistics))
    (classes,) = isomorphism_classes(statistics)
    unique = len(np.unique(classes)) / len(classes)
    return unique, mean_distance(statistics), vendi_score(gaussian_kernel(vectors, vectors))


def vendi_score(kernel: FloatArray) -> float:
    """Return the effective number of different items from their kernel matrix.

    Examples
    --------
    >>> vendi_score(np.eye(3)), vendi_score(np.ones((3, 3)))
    (3.0, 1.0)
    """
    return float(kernel.size / np.square(kernel).sum())
