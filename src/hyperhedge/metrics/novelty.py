r"""Whether generated hypergraphs are new, or come from the training set.

*Copies*: the share of generated hypergraphs that are isomorphic to a training hypergraph.

*Near copies*: the distance of each to its closest training hypergraph (DCR) by the neighbourhood distance
(:mod:`hyperhedge.metrics.similarity`). Small hypergraphs are near each other without anyone copying, so it is read
beside the same distance of held-out real hypergraphs: their median against ours, and how many of ours are closer than
the closest 5% of theirs.

.. math:: \text{novelty} = \min\Bigl(1, \frac{1 - \text{copied}}{1 - \text{copied}_\text{held-out}},
          \frac{1 - \text{closer}}{1 - \text{closer}_\text{held-out}}\Bigr)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hyperhedge.metrics.sample import FloatArray
from hyperhedge.metrics.similarity import isomorphism_classes, nearest
from hyperhedge.metrics.statistics import Statistics

__all__ = ["QUANTILE", "Novelty", "novelty"]

#: The part of the held-out hypergraphs whose distance to the training set counts as close.
QUANTILE = 0.05


@dataclass(frozen=True)
class Novelty:
    """How a batch stands to the training set, and how held-out hypergraphs do.

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
        if self.copied_held_out == 1:
            return float("nan")
        new = (1 - self.copied) / (1 - self.copied_held_out)
        apart = (1 - self.closer) / (1 - self.closer_held_out)  # at most 5% of the held-out are closer
        return min(1.0, new, apart)


def novelty(train: Statistics, held_out: Statistics, generated: Statistics) -> Novelty:
    """Compare generated hypergraphs with the training set.

    Examples
    --------
    >>> from hyperhedge import Hypergraph
    >>> from hyperhedge.metrics.statistics import statistics_of
    >>> path, star = Hypergraph([[0, 1], [1, 2], [2, 3]]), Hypergraph([[0, 1], [0, 2], [0, 3]])
    >>> found = novelty(statistics_of([path]), statistics_of([star]), statistics_of([path.permute(edges=[1, 0, 2]), star]))
    >>> found.copied, found.copied_held_out, found.score
    (0.5, 0.0, 0.5)
    """
    known, *others = isomorphism_classes(train, held_out, generated)
    theirs_copied, ours_copied = (float(np.isin(classes, known).mean()) for classes in others)
    theirs, ours = nearest(held_out, train), nearest(generated, train)
    close = float(np.quantile(theirs, QUANTILE))
    return Novelty(
        copied=ours_copied,
        copied_held_out=theirs_copied,
        distance=float(np.median(ours)),
        distance_held_out=float(np.median(theirs)),
        closer=_share_below(ours, close),
        closer_held_out=_share_below(theirs, close),
    )


def _share_below(distances: FloatArray, bound: float) -> float:
    return float((distances < bound - 1e-12).mean())
