r"""Edge sizes and degrees of samples, from those of the training hypergraphs.

*The joint law, without copies.* The shape :math:`(n, m)` follows the training set, or is chosen by the caller. If the denoiser was
trained with given edge sizes, those of a random training hypergraph :math:`i` of that shape are taken, and half of them are
exchanged for half of those of another one, with the same total: where hyperedges hardly overlap, the edge sizes of one training
hypergraph nearly determine it, and a sample should not resemble any one of them. If it was trained with given degrees too, these
are those of a third one with as many incidences.

Sizes and degrees are not independent. The degrees fix how many nodes pairs of hyperedges share in all,
:math:`\sum_v \binom{d_v}{2} = \sum_{e < f} |e \cap f|`, the sizes how many pairs of nodes meet, :math:`\sum_e \binom{k_e}{2}`, and
both are large in the same hypergraphs. So the third hypergraph is not any: its degrees are, sorted, among the nearest to those of
:math:`i`. (Exchanged halves of nearly equal sums of squares were tried too. Where sizes are few and small, these are the same
halves, and samples were less new.) A training hypergraph without such partners gives its own edge sizes and degrees.

*Other shapes.* For a shape that no training hypergraph has, the training hypergraphs of the nearest shape give both. Edge sizes
:math:`k_e` are resampled from theirs with replacement (from those up to :math:`n`), so their law is kept, and none is larger than
any seen. Then the total of the degrees is known, :math:`\sum_v d_v = \sum_e k_e`, and their mean :math:`\frac mn \bar k` is that
of the data only where :math:`m/n` is: one of the two means has to give way, and it is that of the degrees. How many take part in a
meeting or write a paper does not depend on how many are observed, but how often each is seen does. Degrees are resampled from those
of the data too, :math:`d_v`, and then brought to the total in proportion,

.. math:: d'_v = \min(\max(\lambda d_v, 1), m) \text{ where } d_v > 0, \qquad d'_v = 0 \text{ where } d_v = 0,

with the :math:`\lambda` that gives the total, randomly rounded without changing it. So the share of isolated nodes is that of the
data, unless the total is too small for one hyperedge each (then more are isolated) or too large for :math:`m` each (then fewer).
Sizes and degrees of which no hypergraph has both (by Gale and Ryser) are not used if others come up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.typing import BoolArray, FloatArray, IntArray

_ATTEMPTS = 20  # to find edge sizes and degrees that go together
_PARTNERS = 4  # from the nearest of which one is chosen: fewer are nearer, more are newer


@dataclass(frozen=True)
class TrainingMarginals:
    """Edge sizes and degrees of the training hypergraphs, one after the other."""

    shapes: IntArray  #: (n, m) of each
    edge_sizes: IntArray
    degrees: IntArray

    @classmethod
    def of(cls, hypergraphs: Sequence[Hypergraph]) -> TrainingMarginals:
        """Collect them."""
        shapes = np.array([(H.n, H.m) for H in hypergraphs], dtype=np.int64)
        none = np.zeros(0, dtype=np.int64)
        edge_sizes = np.concatenate([none, *(H.edge_sizes for H in hypergraphs)])
        return cls(shapes, edge_sizes, np.concatenate([none, *(H.degrees for H in hypergraphs)]))

    def count(self) -> dict[tuple[int, int], int]:
        """Return how many training hypergraphs have each shape."""
        return dict(Counter((int(n), int(m)) for n, m in self.shapes))

    def sample(self, n: int, m: int, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        """Sample edge sizes and degrees for a hypergraph of shape (n, m)."""
        index = int(rng.choice(self._nearest(n, m)))
        alike = np.flatnonzero((self.shapes == self.shapes[index]).all(axis=1))
        if tuple(self.shapes[index]) != (n, m):
            degrees = np.concatenate([self._degrees_of(k) for k in alike.tolist()])
            return _of_other_shape(self._edge_sizes_of(alike).ravel(), degrees, n, m, rng)
        for _ in range(_ATTEMPTS):
            edge_sizes = _half_exchanged(self._edge_sizes_of(index), self._edge_sizes_of(alike[alike != index]), rng)
            degrees = self._degrees_of(self._partner(index, alike, rng))
            if _go_together(edge_sizes, degrees):
                return edge_sizes, degrees
        return self._edge_sizes_of(index), self._degrees_of(index)

    def _partner(self, index: int, alike: IntArray, rng: np.random.Generator) -> int:
        """Choose a hypergraph with as many incidences and nearly the same degrees; itself if there is no other one."""
        others = alike[(self._incidences[alike] == self._incidences[index]) & (alike != index)]
        if not len(others):
            return index
        own, starts = np.sort(self._degrees_of(index)), self._starts[others, 0, None]
        theirs = np.sort(self.degrees[starts + np.arange(len(own))], axis=1)
        return int(others[_one_of_nearest(np.abs(theirs - own).sum(axis=1), rng)])

    def _edge_sizes_of(self, indices: int | IntArray) -> IntArray:
        """Return the edge sizes of a training hypergraph, or of some with equally many hyperedges, a row each."""
        count = self.shapes[indices, 1].max(initial=0)
        edge_sizes: IntArray = self.edge_sizes[self._starts[indices, 1, None] + np.arange(count)]
        return edge_sizes

    def _degrees_of(self, index: int) -> IntArray:
        return self.degrees[self._starts[index, 0] :][: self.shapes[index, 0]]

    @cached_property
    def _starts(self) -> IntArray:
        starts: IntArray = np.concatenate((np.zeros((1, 2), dtype=np.int64), np.cumsum(self.shapes, axis=0)))
        return starts

    @cached_property
    def _incidences(self) -> IntArray:
        return np.array([self._edge_sizes_of(index).sum() for index in range(len(self.shapes))])

    def _nearest(self, n: int, m: int) -> IntArray:
        """Return the indices of the training hypergraphs of the nearest shape."""
        filled = np.flatnonzero((self.shapes > 0).all(axis=1))
        distance = np.abs(np.log(self.shapes[filled] / (n, m))).sum(axis=1)
        nearest: IntArray = filled[distance <= distance.min() + 1e-12]
        return nearest


def _half_exchanged(values: IntArray, others: IntArray, rng: np.random.Generator) -> IntArray:
    """Exchange a random half of the numbers for a random half of another row with the same sum, if there is one."""
    half = len(values) // 2
    order = rng.permutation(len(values))
    halves = rng.permuted(others, axis=1)[:, :half]
    fitting = np.flatnonzero(halves.sum(axis=1) == values[order[:half]].sum())
    exchanged = values.copy()
    if len(fitting):
        exchanged[order[:half]] = halves[rng.choice(fitting)]
    return exchanged


def _one_of_nearest(distances: IntArray, rng: np.random.Generator) -> int:
    """Choose one of the few smallest distances; ties are broken at random."""
    order = rng.permutation(len(distances))
    nearest = order[np.argsort(distances[order], kind="stable")][:_PARTNERS]
    return int(rng.choice(nearest))


def _of_other_shape(
    edge_sizes: IntArray, degrees: IntArray, n: int, m: int, rng: np.random.Generator
) -> tuple[IntArray, IntArray]:
    """Sample edge sizes and degrees for the shape (n, m) from those of another."""
    for _ in range(_ATTEMPTS):
        sizes = _resampled_sizes(edge_sizes, n, m, rng)
        resampled = _with_total(rng.choice(degrees, n), int(sizes.sum()), m, rng)
        if _go_together(sizes, resampled):
            break
    return sizes, resampled


def _resampled_sizes(edge_sizes: IntArray, n: int, m: int, rng: np.random.Generator) -> IntArray:
    """Resample m edge sizes, from those up to n if there are any with members."""
    fitting = edge_sizes[edge_sizes <= n]
    resampled: IntArray = rng.choice(fitting if fitting.any() else np.minimum(edge_sizes, n), m)
    return resampled


def _with_total(degrees: IntArray, total: int, most: int, rng: np.random.Generator) -> IntArray:
    """Bring degrees to a total in proportion, to whole numbers from 1 (from 0 where they were 0) to ``most``.

    Examples
    --------
    >>> _with_total(np.array([0, 1, 2, 3]), 12, 10, np.random.default_rng(0)).tolist()
    [0, 2, 4, 6]
    """
    weights = np.where(_present(degrees, total, most, rng), np.maximum(degrees, 1), 0)

    def scaled(factor: float) -> FloatArray:
        """Scale the degrees; a larger factor makes the total larger."""
        within: FloatArray = np.clip(factor * weights, 1, most) * (weights > 0)
        return within

    low, high = 0.0, float(most)
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if scaled(middle).sum() < total else (low, middle)
    # Rounding the partial sums, shifted by one random number, is unbiased, changes nothing by 1 or more, and keeps the total.
    sums = np.floor(np.cumsum(scaled(high)) + rng.random() * (1 - 1e-6) + 1e-7)
    sums[-1] = total
    brought: IntArray = np.diff(sums, prepend=0).astype(np.int64)
    return brought


def _present(degrees: IntArray, total: int, most: int, rng: np.random.Generator) -> BoolArray:
    """Choose the nodes that are not isolated: those with a degree, but no more than the total and enough for ``most`` each."""
    present = degrees > 0
    count = int(np.clip(present.sum(), -(-total // most), total))
    order = rng.permutation(len(degrees))
    chosen = np.zeros(len(degrees), dtype=np.bool_)
    chosen[order[np.argsort(~present[order], kind="stable")][:count]] = True
    return chosen


def _go_together(edge_sizes: IntArray, degrees: IntArray) -> bool:
    """Tell whether a hypergraph has these edge sizes and degrees, by the theorem of Gale and Ryser."""
    if edge_sizes.sum() != degrees.sum():
        return False
    # The first k of the degrees in descending order need hyperedges with room for them.
    room = np.cumsum(len(edge_sizes) - np.cumsum(np.bincount(edge_sizes, minlength=len(degrees) + 1)))[: len(degrees)]
    return bool((np.cumsum(-np.sort(-degrees)) <= room).all())
