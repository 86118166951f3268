r"""HyperLap and HyperLap+: hyperedges that overlap because they gather in groups of nodes, at several levels.

Choose a training hypergraph uniformly, with its degrees :math:`d_v` and edge sizes :math:`k_e`, and cut its nodes into groups at
levels :math:`0, 1, …` at random (:mod:`hyperhedge.models.hyperlap.groups`). Each hyperedge chooses a level in proportion to the
weights :math:`w_\ell`, a group of that level uniformly, and its nodes inside the group in proportion to their degrees, without
repetition. A group that is too small for a hyperedge is never chosen. The smaller the groups, the more hyperedges meet in the same
nodes. With level 0 alone this is HyperCL. Edge sizes are kept exactly, degrees in expectation and nearly (a hub joins no hyperedge
twice).

*HyperLap+* finds the weights: it starts with all hyperedges at level 0 and, level by level, moves one twentieth after another of
the hyperedges of the level above into random groups of the next. It keeps the number that brings the distribution of the
homogeneity of hyperedges (:mod:`hyperhedge.models.hyperlap.homogeneity`) closest to that of the training hypergraph, in
Kolmogorov–Smirnov distance, and ends at the first level that brings nothing. The authors' program returns the hypergraph that its
search ends with; here the search belongs to ``fit``, only the weights are kept, and every sample has groups of its own.

*Exact degrees.* Degrees of a sample scatter like Poisson numbers. With ``degrees="exact"`` hyperedges take the stubs of nodes
instead (:mod:`hyperhedge.models.hyperlap.exact`), from their own group as long as it has any and from the larger groups around it
after that, so that sizes and degrees are both exact; the published model has no such variant.

(Lee, Choe and Shin, *How do hyperedges overlap in real-world hypergraphs? Patterns, measures, and generators*, WWW 2021.)
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, ClassVar, Literal, TypeAlias

import msgspec
import numpy as np

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.errors import FormatError
from hyperhedge.models.base import one_of, rng_of, whole_number
from hyperhedge.models.chung_lu import ExpectedDegrees, Sequences
from hyperhedge.models.hyperlap.exact import members_with_exact_degrees
from hyperhedge.models.hyperlap.groups import Groups
from hyperhedge.models.hyperlap.homogeneity import homogeneity, largest_difference
from hyperhedge.models.repeats import Repeats
from hyperhedge.typing import FloatArray, IntArray

Weights: TypeAlias = Literal["fit", "uniform"]
Degrees: TypeAlias = Literal["expected", "exact"]
Weight: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1)]

_SHARES = 20  # steps of the search within a level


class _LevelWeights(Sequences, frozen=True, forbid_unknown_fields=True):
    """What HyperLap knows of each training hypergraph."""

    level_weights: list[list[Weight]]


class HyperLap(ExpectedDegrees):
    """Hyperedges inside groups of nodes, with the sizes and (expected) degrees of a training hypergraph, chosen uniformly.

    Keeps every edge size exactly and every degree in expectation; overlaps follow the homogeneity of the training hypergraph.

    Parameters
    ----------
    weights
        ``"fit"`` finds the weights of the levels (HyperLap+); ``"uniform"`` gives all levels the same (HyperLap).
    levels
        The number of levels at most; None for as many as have groups of two nodes or more. 1 is HyperCL.
    degrees
        ``"expected"``, as published, or ``"exact"``.
    repeats
        Whether hyperedges may repeat: ``"allow"``; ``"forbid"``, hypergraphs are sampled until one has none; ``"as-data"``,
        forbidden if no training hypergraph has repeats.
    seed
        The seed of the search for weights; None for a new one.

    Attributes
    ----------
    degrees_, hyperedge_sizes_ : list[list[int]]
        Degrees and sizes of each training hypergraph.
    level_weights_ : list[list[float]]
        The share of hyperedges at each level, for each training hypergraph.

    Examples
    --------
    >>> H = Hypergraph([[3 * i + j for j in range(3)] for i in range(16) for _ in range(1 + i % 4)])
    >>> model = HyperLap(seed=0).fit([H])
    >>> sum(model.level_weights_[0][1:]) > 0.5           # most hyperedges gather in groups
    True
    >>> S, = model.sample(seed=1)
    >>> S.edge_sizes.tolist() == H.edge_sizes.tolist()
    True
    """

    name = "hyperlap"
    fitted_type: ClassVar[type[msgspec.Struct]] = _LevelWeights

    level_weights_: list[list[float]]

    def __init__(
        self,
        *,
        weights: Weights = "fit",
        levels: int | None = None,
        degrees: Degrees = "expected",
        repeats: Repeats = "allow",
        seed: int | None = None,
    ) -> None:
        self.weights = weights
        self.levels = levels
        self.degrees = degrees
        self.repeats = repeats
        self.seed = seed
        self._check()

    def _check(self) -> None:
        super()._check()
        one_of(self.weights, ("fit", "uniform"), "weights")
        one_of(self.degrees, ("expected", "exact"), "degrees")
        if self.levels is not None:
            whole_number(self.levels, "levels", least=1)
        if self.seed is not None:
            whole_number(self.seed, "seed", least=0)

    def _fit(self, training: list[Hypergraph]) -> None:
        super()._fit(training)
        rngs = rng_of(self.seed).spawn(len(training))
        self.level_weights_ = [self._weights_of(H, rng) for H, rng in zip(training, rngs, strict=True)]

    def _weights_of(self, H: Hypergraph, rng: np.random.Generator) -> list[float]:
        groups = Groups.sampled(H.degrees, rng)
        levels = groups.levels if self.levels is None else min(self.levels, groups.levels)
        if self.weights == "uniform":
            return [1 / levels] * levels
        return fitted_weights(H, groups, levels, rng)

    def _incidences(
        self, k: int, degrees: IntArray, sizes: IntArray, rng: np.random.Generator
    ) -> tuple[IntArray, IntArray]:
        groups = Groups.sampled(degrees, rng)
        level = _sampled_levels(groups, np.array(self.level_weights_[k]), sizes, rng)
        group = rng.integers(0, np.int64(1) << level)
        edges = np.repeat(np.arange(len(sizes)), sizes)
        if self.degrees == "exact":
            return members_with_exact_degrees(groups, degrees, edges, level, group, rng), edges
        return groups.members(sizes, level, group, rng), edges

    def _read_arrays(self, folder: Path) -> None:
        super()._read_arrays(folder)
        weights = self.level_weights_
        if len(weights) != len(self.degrees_) or not all(0.999 < sum(w) < 1.001 and len(w) < 64 for w in weights):
            raise FormatError("the weights of the levels do not fit the training hypergraphs", where="fitted")


def fitted_weights(H: Hypergraph, groups: Groups, levels: int, rng: np.random.Generator) -> list[float]:
    """Search for the shares of hyperedges at each level (HyperLap+)."""
    sizes, real = H.edge_sizes, homogeneity(H.edge_sizes, H.indices, H.n)
    level, group = np.zeros(H.m, dtype=np.int64), np.zeros(H.m, dtype=np.int64)
    members = groups.members(sizes, level, group, rng)
    least = largest_difference(real, homogeneity(sizes, members, H.n))
    for depth in range(1, levels):
        best = None
        current, moved = members.copy(), level.copy()
        for movers in np.array_split(rng.permutation(np.flatnonzero(level == depth - 1)), _SHARES):
            into = rng.integers(0, 1 << depth, size=len(movers))
            start, end = groups.bounds(np.full(len(movers), depth), into)
            fits = end - start >= sizes[movers]
            edges, into = movers[fits], into[fits]
            inside = groups.members(sizes[edges], np.full(len(edges), depth), into, rng)
            current[_places(H.indptr, edges)] = inside
            moved[edges] = depth
            distance = largest_difference(real, homogeneity(sizes, current, H.n))
            if distance < least:
                least, best = distance, (current.copy(), moved.copy())
        if best is None:
            break
        members, level = best
    counts = np.bincount(level, minlength=1)
    shares: list[float] = (counts / max(counts.sum(), 1)).tolist() if len(level) else [1.0]
    return shares


def _places(indptr: IntArray, edges: IntArray) -> IntArray:
    """Return where the members of hyperedges stand, one hyperedge after another."""
    lengths = indptr[edges + 1] - indptr[edges]
    ends = np.cumsum(lengths)
    places: IntArray = np.arange(lengths.sum()) + np.repeat(indptr[edges] - (ends - lengths), lengths)
    return places


def _sampled_levels(groups: Groups, weights: FloatArray, sizes: IntArray, rng: np.random.Generator) -> IntArray:
    """Sample a level for each hyperedge, among those whose smallest group is large enough for it."""
    levels = np.arange(len(weights))
    smallest = len(groups.nodes) >> levels
    allowed = np.where(smallest[None, :] >= sizes[:, None], weights[None, :], 0.0)
    total = np.cumsum(allowed, axis=1)
    sampled = (rng.random(len(sizes))[:, None] * total[:, -1:] >= total).sum(axis=1)
    deepest = (smallest[None, :] >= sizes[:, None]).sum(axis=1) - 1  # where no allowed level has weight
    level: IntArray = np.where(total[:, -1] > 0, np.minimum(sampled, len(weights) - 1), np.maximum(deepest, 0))
    return level
