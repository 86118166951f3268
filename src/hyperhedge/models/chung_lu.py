r"""The Chung–Lu model of hypergraphs: every degree and every size in expectation.

Choose a training hypergraph uniformly. With its degrees :math:`d_v`, its sizes :math:`k_e` and
:math:`S = \sum_v d_v = \sum_e k_e`, incidences are independent,

.. math:: P(v \in e) = p_{ve} = \min(1,\, d_v k_e / S) ,

so that :math:`\mathbb E\,\deg(v) = d_v` and :math:`\mathbb E\,|e| = k_e` if no :math:`d_v k_e` exceeds :math:`S`, else less.
(Aksoy, Kolda and Pinar, *Measuring and modeling bipartite graphs with community structure*, Journal of Complex Networks 2017.)

*Sampling* costs as many operations as there are incidences, not entries. Pairs with :math:`p_{ve} > 1/2` are listed and tossed one
by one: there are at most twice as many as incidences to be expected. For the others, throw :math:`\text{Poisson}(cS)` pairs, nodes
in proportion to :math:`d_v` and hyperedges to :math:`k_e`, with :math:`c = 2 \ln 2`. A pair is hit with probability
:math:`1 - e^{-c\,p_{ve}} \ge p_{ve}`, independently of the others, and a pair that is hit is kept with the quotient of the two.

XGI has this model too. Its ``chung_lu_hypergraph`` and ``dcsbm_hypergraph`` (version 0.10.2) skip ahead by one too many
each time: the largest hyperedge gets no node at all, and the others too few. They are not used here.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections import Counter
from itertools import zip_longest
from pathlib import Path
from typing import ClassVar, TypeAlias

import msgspec
import numpy as np

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.errors import FormatError
from hyperhedge.models.base import BaseGenerator, Count, one_of
from hyperhedge.models.repeats import REPEATS, Repeats, resampled
from hyperhedge.typing import IntArray

_C = 2 * math.log(2)

Counts: TypeAlias = list[Count]


class Sequences(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The degrees, and the hyperedges' sizes, of each training hypergraph."""

    degrees: list[Counts]
    hyperedge_sizes: list[Counts]


class ExpectedDegrees(BaseGenerator):
    """What models share that sample with the sequences of a training hypergraph, chosen uniformly."""

    degrees_: list[list[int]]
    hyperedge_sizes_: list[list[int]]

    def _check(self) -> None:
        one_of(self.repeats, REPEATS, "repeats")

    @abstractmethod
    def _incidences(
        self, k: int, degrees: IntArray, sizes: IntArray, rng: np.random.Generator
    ) -> tuple[IntArray, IntArray]:
        """Sample nodes and hyperedges of the incidences, with the sequences of training hypergraph ``k``."""

    def _fit(self, training: list[Hypergraph]) -> None:
        self.degrees_ = [H.degrees.tolist() for H in training]
        self.hyperedge_sizes_ = [H.edge_sizes.tolist() for H in training]

    def _sample(self, count: int, rng: np.random.Generator) -> list[Hypergraph]:
        chosen = rng.integers(0, len(self.degrees_), size=count)

        def sample(numbers: IntArray) -> list[Hypergraph]:
            return [self._sample_like(k, rng) for k in chosen[numbers].tolist()]

        return resampled(sample, count, type(self).__name__) if self._forbids_repeats() else sample(np.arange(count))

    def _sample_like(self, k: int, rng: np.random.Generator) -> Hypergraph:
        degrees, sizes = (np.array(s[k], dtype=np.int64) for s in (self.degrees_, self.hyperedge_sizes_))
        nodes, edges = self._incidences(k, degrees, sizes, rng)
        return Hypergraph.from_indices(nodes, edges, nodes=len(degrees), edges=len(sizes))

    def _read_arrays(self, folder: Path) -> None:
        del folder
        none: list[int] = []
        pairs = list(zip_longest(self.degrees_, self.hyperedge_sizes_, fillvalue=none))
        shapes = Counter((len(degrees), len(sizes)) for degrees, sizes in pairs)
        if shapes != self.shapes_ or not all(_are_of_one(*pair) for pair in pairs):
            raise FormatError("degrees and sizes do not fit each other, or the shapes (n, m)", where="fitted")


def _are_of_one(degrees: list[int], sizes: list[int]) -> bool:
    """Tell whether a hypergraph may have these degrees and sizes, as far as their sums and greatest ones tell."""
    return (
        sum(degrees) == sum(sizes) and max(degrees, default=0) <= len(sizes) and max(sizes, default=0) <= len(degrees)
    )


class ChungLu(ExpectedDegrees):
    """Independent incidences with the degrees and sizes of a training hypergraph, chosen uniformly, in expectation.

    Keeps every degree and every hyperedge size of the chosen hypergraph in expectation, as long as no degree times size exceeds
    the number of incidences; overlaps follow from independence. Samples have isolated nodes and empty hyperedges.

    Parameters
    ----------
    repeats
        Whether hyperedges may repeat: ``"allow"``; ``"forbid"``, the law conditioned on no repeats, given the training hypergraph
        whose sequences are used; ``"as-data"``, forbidden if no training hypergraph has repeats.

    Attributes
    ----------
    degrees_, hyperedge_sizes_ : list[list[int]]
        Degrees and sizes of each training hypergraph.

    Examples
    --------
    >>> model = ChungLu().fit([Hypergraph([[0, 1], [1, 2, 3], [1]])])
    >>> model.degrees_, model.hyperedge_sizes_
    ([[1, 3, 1, 1]], [[2, 3, 1]])
    >>> model.sample(seed=0)
    [<Hypergraph: 4 nodes, 3 hyperedges, ... incidences>]
    """

    name = "chung-lu"
    fitted_type: ClassVar[type[msgspec.Struct]] = Sequences

    def __init__(self, *, repeats: Repeats = "allow") -> None:
        self.repeats = repeats
        self._check()

    def _incidences(
        self, k: int, degrees: IntArray, sizes: IntArray, rng: np.random.Generator
    ) -> tuple[IntArray, IntArray]:
        del k
        return sample_incidences(degrees, sizes, int(degrees.sum()), rng)


def sample_incidences(d: IntArray, k: IntArray, total: int, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    r"""Sample independent incidences with :math:`p_{ve} = \min(1, \omega\, d_v k_e / (\sum d \sum k))`, where ω is ``total``.

    Examples
    --------
    >>> nodes, edges = sample_incidences(np.array([2, 2]), np.array([2, 2]), 4, np.random.default_rng(0))
    >>> sorted(zip(nodes.tolist(), edges.tolist()))
    [(0, 0), (0, 1), (1, 0), (1, 1)]
    """
    if total <= 0 or not d.any() or not k.any():
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    rate = total / (int(d.sum()) * int(k.sum()))
    bound = int(0.5 / rate)  # p > 1/2 if and only if d·k exceeds this
    v, e = _thrown(d, k, _C * total, rng)
    p = rate * d[v] * k[e]
    kept = (d[v] * k[e] <= bound) & (rng.random(len(p)) * -np.expm1(-_C * p) < p)
    w, f = _probable(d, k, bound)
    tossed = rng.random(len(w)) < rate * d[w] * k[f]
    return np.concatenate((v[kept], w[tossed])), np.concatenate((e[kept], f[tossed]))


def _thrown(d: IntArray, k: IntArray, mean: float, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Throw a Poisson number of pairs, in proportion to both sides, and return those that were hit."""
    count = rng.poisson(mean)
    nodes = rng.choice(len(d), size=count, p=d / d.sum())
    edges = rng.choice(len(k), size=count, p=k / k.sum())
    v, e = np.divmod(np.unique(nodes * len(k) + edges), len(k))
    return v, e


def _probable(d: IntArray, k: IntArray, bound: int) -> tuple[IntArray, IntArray]:
    """List the pairs with d·k above a bound."""
    order = np.argsort(-k, kind="stable")
    counts = np.searchsorted(-k[order], -(bound // np.maximum(d, 1)), side="left") * (d > 0)
    nodes = np.repeat(np.arange(len(d)), counts)
    rank = np.arange(len(nodes)) - np.repeat(np.cumsum(counts) - counts, counts)
    return nodes, order[rank]
