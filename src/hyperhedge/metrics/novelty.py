r"""Whether generated hypergraphs are new or come from the training set.

*Copies*: the share of generated hypergraphs that are isomorphic to a training hypergraph.

*Near copies*: the neighbourhood distance (:mod:`hyperhedge.metrics.similarity`) of each to its closest training hypergraph (DCR,
the distance to the closest record). Small hypergraphs are near each other even if nothing is copied, so these distances are read
next to those of held-out real hypergraphs: by their medians, and by how many generated hypergraphs are closer than the closest 5%
of the held-out ones.

.. math:: \text{novelty} = \min\Bigl(1, \frac{1 - \text{copied}}{1 - \text{copied}_\text{held-out}},
          \frac{1 - \text{closer}}{1 - \text{closer}_\text{held-out}}\Bigr)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hyperhedge.metrics.similarity import isomorphism_classes, nearest
from hyperhedge.metrics.statistics import Statistics
from hyperhedge.typing import FloatArray

#: The share of held-out hypergraphs whose distance to the training set counts as close.
QUANTILE = 0.05


@dataclass(frozen=True)
class Novelty:
    """How generated and held-out hypergraphs relate to the training set.

    Attributes
    ----------
    copied, copied_held_out
        The shares that are isomorphic to a training hypergraph.
    distance, distance_held_out
        The median distances to the closest training hypergraph.
    closer, closer_held_out
        The shares that are closer than the 5% quantile of the held-out hypergraphs' distances.
    """

    copied: float
    copied_held_out: float
    distance: float
    distance_held_out: float
    closer: float
    closer_held_out: float

    @property
    def ratio(self) -> float:
        """The generated hypergraphs' median distance over the held-out ones'; NaN if that is zero."""
        return self.distance / self.distance_held_out if self.distance_held_out else float("nan")

    @property
    def score(self) -> float:
        """1 if the generated hypergraphs are as new as held-out ones, 0 if all are copies; NaN if held-out ones are."""
        apart = (1 - self.closer) / (1 - self.closer_held_out)  # at most 5% of the held-out are closer
        return min(self.uncopied, apart) if np.isfinite(self.uncopied) else self.uncopied

    @property
    def uncopied(self) -> float:
        """The score by copies alone, for held-out hypergraphs of another law, whose distances say nothing about closeness."""
        if self.copied_held_out == 1:
            return float("nan")
        return min(1.0, (1 - self.copied) / (1 - self.copied_held_out))


def novelty(train: Statistics, held_out: Statistics, generated: Statistics) -> Novelty:
    """Compare generated hypergraphs with the training set.

    Examples
    --------
    >>> from hyperhedge import Hypergraph
    >>> from hyperhedge.metrics.statistics import statistics_of
    >>> path, star = Hypergraph([[0, 1], [1, 2], [2, 3]]), Hypergraph([[0, 1], [0, 2], [0, 3]])
    >>> generated = statistics_of([path.permute(edges=[1, 0, 2]), star])
    >>> result = novelty(statistics_of([path]), statistics_of([star]), generated)
    >>> result.copied, result.copied_held_out, result.score
    (0.5, 0.0, 0.5)
    """
    train_classes, held_out_classes, generated_classes = isomorphism_classes(train, held_out, generated)
    held_out_distances, generated_distances = nearest(held_out, train), nearest(generated, train)
    close = float(np.quantile(held_out_distances, QUANTILE))
    return Novelty(
        copied=float(np.isin(generated_classes, train_classes).mean()),
        copied_held_out=float(np.isin(held_out_classes, train_classes).mean()),
        distance=float(np.median(generated_distances)),
        distance_held_out=float(np.median(held_out_distances)),
        closer=_share_below(generated_distances, close),
        closer_held_out=_share_below(held_out_distances, close),
    )


def _share_below(distances: FloatArray, bound: float) -> float:
    return float((distances < bound - 1e-12).mean())  # not below by rounding alone
