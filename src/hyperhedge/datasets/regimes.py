r"""Four laws of synthetic hypergraphs, for controlled experiments and for data that need no download.

Each regime draws hypergraphs of any size :math:`n \times m`, independently. It gives every hyperedge a size
:math:`d_e` and every entry a log-weight :math:`w_{ve}`; the members of :math:`e` are then drawn one after the
other without replacement, :math:`v` with probability proportional to :math:`e^{w_{ve}}`. That is the same as
taking the :math:`d_e` largest of :math:`w_{ve} + g_{ve}` with independent standard Gumbel :math:`g_{ve}`
(Yellott 1977), which is how it is computed: for a whole batch at once.

=========================  ==================================================================================
``configuration``          heterogeneous degrees and sizes and nothing else: :math:`w_{ve} = \log\theta_v`
``overlapping-blocks``     latent groups that share nodes; hyperedges live in one group and repeat its members
``committee``              dense and of broad sizes; parties, seniority, and subcommittees of committees
``sparse-tail-overlap``    small hyperedges that hardly meet, but for a few pairs that share several nodes
=========================  ==================================================================================

Hyperedges are never empty. Nodes may be isolated: in ``configuration`` and ``sparse-tail-overlap`` many are.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hyperhedge.checks import IntArray
from hyperhedge.errors import HyperhedgeError
from hyperhedge.hypergraph import Hypergraph

__all__ = ["REGIMES", "Committee", "Configuration", "OverlappingBlocks", "Regime", "SparseTailOverlap"]

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

_ENTRIES_AT_ONCE, _MOST_AT_ONCE = 1 << 21, 128


@dataclass(frozen=True)
class Regime(ABC):
    """A law on hypergraphs of any given size."""

    name: ClassVar[str]
    description: ClassVar[str]
    shares: ClassVar[tuple[str, ...]] = ()
    positive: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not np.isfinite(value):
                raise HyperhedgeError(f"{field.name} of {self.name} must be a number, not {value!r}")
        for name in self.shares:
            if not 0 <= getattr(self, name) <= 1:
                raise HyperhedgeError(f"{name} of {self.name} is a share from 0 to 1, not {getattr(self, name)!r}")
        for name in self.positive:
            if not getattr(self, name) > 0:
                raise HyperhedgeError(f"{name} of {self.name} must be positive, not {getattr(self, name)!r}")

    @classmethod
    def parameters(cls) -> dict[str, float]:
        """Return the parameters and their defaults."""
        return {field.name: field.default for field in fields(cls)}  # type: ignore[misc]

    def draw(self, n: int, m: int, count: int, seed: int | np.random.Generator = 0) -> list[Hypergraph]:
        """Draw ``count`` independent hypergraphs of ``n`` nodes and ``m`` hyperedges.

        The first ones do not depend on how many follow.

        Examples
        --------
        >>> Committee().draw(64, 16, 3, seed=0)[0]
        <Hypergraph: 64 nodes, 16 hyperedges, 215 incidences>
        """
        if n < 1 or m < 1 or count < 0:
            raise HyperhedgeError(f"n and m are at least 1 and count at least 0, not {n}, {m}, {count}")
        rng = np.random.default_rng(seed)
        # A fixed size of chunk, whatever the count, so that the first hypergraphs of two banks agree.
        chunk = min(max(1, _ENTRIES_AT_ONCE // (n * m)), _MOST_AT_ONCE)
        found: list[Hypergraph] = []
        while len(found) < count:
            found += _hypergraphs(self._incidences(n, m, chunk, rng)[: count - len(found)])
        return found

    def draw_one(self, n: int, m: int, rng: np.random.Generator) -> Hypergraph:
        """Draw one hypergraph."""
        return next(_hypergraphs(self._incidences(n, m, 1, rng)))

    @abstractmethod
    def _incidences(self, n: int, m: int, count: int, rng: np.random.Generator) -> BoolArray:
        """Draw incidence matrices, ``(count, n, m)``."""


def _hypergraphs(incidences: BoolArray) -> Iterator[Hypergraph]:
    _, n, m = incidences.shape
    for matrix in incidences:
        edge_ids, node_ids = np.nonzero(matrix.T)
        yield Hypergraph.from_indices(node_ids, edge_ids, nodes=n, edges=m)


def _draw_members(log_weights: FloatArray, sizes: IntArray, rng: np.random.Generator) -> BoolArray:
    """Draw ``sizes`` members of each hyperedge without replacement, by weight: ``(B, n, m)`` and ``(B, m)``."""
    keys = log_weights + rng.gumbel(size=log_weights.shape)
    # The k-th largest key of each column is the threshold of a hyperedge of size k.
    ordered = np.sort(keys, axis=1)
    n = keys.shape[1]
    threshold = np.take_along_axis(ordered, (n - sizes)[:, None, :], axis=1)
    return keys >= threshold


@dataclass(frozen=True)
class Configuration(Regime):
    r"""Heterogeneous marginals and no other structure.

    Sizes are 2 plus a geometric number of mean ``mean_size`` − 2, at most :math:`n`. A node's weight is
    log-normal, :math:`\log\theta_v \sim N(0, \sigma^2)` with :math:`\sigma` = ``degree_spread``, drawn anew for each
    hypergraph; it is the same for every hyperedge.

    Parameters
    ----------
    mean_size
        The mean size of a hyperedge.
    degree_spread
        The standard deviation of a node's log-weight; 0 makes all nodes alike.
    """

    name: ClassVar[str] = "configuration"
    description: ClassVar[str] = "heterogeneous degrees and sizes, no other structure"
    mean_size: float = 5.0
    degree_spread: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.mean_size < 2 or self.degree_spread < 0:
            raise HyperhedgeError("mean_size of configuration is at least 2 and degree_spread at least 0")

    def _incidences(self, n: int, m: int, count: int, rng: np.random.Generator) -> BoolArray:
        sizes = np.minimum(1 + rng.geometric(1 / (self.mean_size - 1), (count, m)), n)
        log_weights = np.broadcast_to(rng.normal(0, self.degree_spread, (count, n, 1)), (count, n, m))
        return _draw_members(log_weights, sizes, rng)


@dataclass(frozen=True)
class OverlappingBlocks(Regime):
    r"""Latent groups with repeated higher-order overlap.

    Each node is in one of ``blocks`` groups, evenly and at random, and with probability ``overlap`` in a second
    one. A hyperedge belongs to a group, evenly and at random; its size is binomial, as if each member of the
    group came with probability ``attendance``, and each of its places goes to one of the group or, with odds
    ``leak`` for each outsider against 1 for each insider, to somebody else.

    Parameters
    ----------
    blocks
        The number of groups.
    overlap
        The share of nodes that are in two groups.
    attendance
        The share of a group that a hyperedge holds on average.
    leak
        The weight of a node outside the group, that of one inside being 1.
    """

    name: ClassVar[str] = "overlapping-blocks"
    description: ClassVar[str] = "latent groups that share nodes; hyperedges of a group repeat its members"
    blocks: int = 5
    overlap: float = 0.2
    attendance: float = 0.5
    leak: float = 0.01

    shares: ClassVar[tuple[str, ...]] = ("overlap", "attendance", "leak")
    positive: ClassVar[tuple[str, ...]] = ("blocks", "attendance", "leak")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.blocks != int(self.blocks):
            raise HyperhedgeError(f"blocks of {self.name} is a whole number, not {self.blocks!r}")

    def _incidences(self, n: int, m: int, count: int, rng: np.random.Generator) -> BoolArray:
        blocks = int(self.blocks)
        first = _evenly(count, n, blocks, rng)
        second = (first + rng.integers(1, max(blocks, 2), (count, n))) % blocks
        second = np.where(rng.random((count, n)) < self.overlap, second, first)
        mine = _evenly(count, m, blocks, rng)
        inside = (first[:, :, None] == mine[:, None, :]) | (second[:, :, None] == mine[:, None, :])
        sizes = np.maximum(rng.binomial(inside.sum(axis=1), self.attendance), min(2, n))
        return _draw_members(np.where(inside, 0.0, np.log(self.leak)), sizes, rng)


@dataclass(frozen=True)
class Committee(Regime):
    r"""Dense membership with broad sizes and structured overlap.

    Nodes belong to one of two parties and have a seniority, :math:`\log\theta_v \sim N(0, \sigma^2)` with :math:`\sigma` =
    ``seniority``. Sizes are log-uniform between the shares ``smallest`` and ``largest`` of the nodes. A share
    ``subcommittees`` of the hyperedges are, each, a subcommittee of one of the others: members of the parent have
    ``loyalty`` times the weight. A hyperedge leans to one party, whose members have ``leaning`` times the weight.

    Parameters
    ----------
    smallest, largest
        The least and the greatest size of a hyperedge, as shares of the nodes.
    seniority
        The standard deviation of a node's log-weight.
    leaning
        The weight of a member of the party that a hyperedge leans to, that of others being 1.
    subcommittees
        The share of hyperedges that have a parent.
    loyalty
        The weight of a member of the parent, that of others being 1.
    """

    name: ClassVar[str] = "committee"
    description: ClassVar[str] = "dense membership, broad sizes, parties and subcommittees"
    smallest: float = 0.05
    largest: float = 0.5
    seniority: float = 0.4
    leaning: float = 4.0
    subcommittees: float = 0.7
    loyalty: float = 50.0

    shares: ClassVar[tuple[str, ...]] = ("smallest", "largest", "subcommittees")
    positive: ClassVar[tuple[str, ...]] = ("smallest", "largest", "leaning", "loyalty")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.smallest > self.largest or self.seniority < 0:
            raise HyperhedgeError(f"smallest of {self.name} is at most largest, and seniority at least 0")

    def _incidences(self, n: int, m: int, count: int, rng: np.random.Generator) -> BoolArray:
        shares = np.exp(rng.uniform(np.log(self.smallest), np.log(self.largest), (count, m)))
        sizes = np.clip(np.rint(shares * n).astype(np.int64), min(2, n), n)
        log_weights = rng.normal(0, self.seniority, (count, n, 1)) + np.log(self.leaning) * (
            _evenly(count, n, 2, rng)[:, :, None] == _evenly(count, m, 2, rng)[:, None, :]
        )
        children = min(round(self.subcommittees * m), m - 1)
        roots = m - children
        above = _draw_members(log_weights[:, :, :roots], sizes[:, :roots], rng)
        parents = rng.integers(0, roots, (count, children))
        of_parent = np.take_along_axis(above, parents[:, None, :], axis=2)
        below = _draw_members(log_weights[:, :, roots:] + np.log(self.loyalty) * of_parent, sizes[:, roots:], rng)
        return _shuffled_edges(np.concatenate([above, below], axis=2), rng)


@dataclass(frozen=True)
class SparseTailOverlap(Regime):
    r"""Sparse, but for a controlled minority of pairs of hyperedges that share several nodes.

    Sizes are uniform from ``smallest`` to ``largest`` and all nodes are alike, so that two hyperedges rarely meet. A share
    ``paired`` of the hyperedges are, each, the partner of one of the others: they share ``shared`` nodes exactly
    (fewer if either is smaller).

    Parameters
    ----------
    smallest, largest
        The least and the greatest size of a hyperedge, in nodes.
    paired
        The share of hyperedges that are another's partner, at most one half.
    shared
        How many nodes partners share.
    """

    name: ClassVar[str] = "sparse-tail-overlap"
    description: ClassVar[str] = "small hyperedges that hardly meet, but for a few pairs that share several nodes"
    smallest: int = 2
    largest: int = 5
    paired: float = 0.2
    shared: int = 2

    positive: ClassVar[tuple[str, ...]] = ("smallest", "shared")

    def __post_init__(self) -> None:
        super().__post_init__()
        if any(value != int(value) for value in (self.smallest, self.largest, self.shared)):
            raise HyperhedgeError(f"smallest, largest and shared of {self.name} are whole numbers")
        if self.smallest > self.largest or not 0 <= self.paired <= 0.5:
            raise HyperhedgeError(f"smallest of {self.name} is at most largest, and paired from 0 to 0.5")

    def _incidences(self, n: int, m: int, count: int, rng: np.random.Generator) -> BoolArray:
        sizes = np.minimum(rng.integers(self.smallest, self.largest + 1, (count, m)), n)
        partners = int(round(self.paired * m, 9))
        rest = m - partners
        first = _draw_members(np.zeros((count, n, rest)), sizes[:, :rest], rng)
        if not partners:
            return first
        second = self._partners(first[:, :, :partners], sizes[:, :partners], sizes[:, rest:], rng)
        return _shuffled_edges(np.concatenate([first, second], axis=2), rng)

    def _partners(self, mates: BoolArray, mate_sizes: IntArray, sizes: IntArray, rng: np.random.Generator) -> BoolArray:
        """Draw partners: some of the mates' members, and the rest from outside as far as there are enough nodes."""
        n = mates.shape[1]
        shared = np.minimum(np.minimum(mate_sizes, sizes), int(self.shared))
        shared = np.maximum(shared, sizes - (n - mate_sizes))
        common = _draw_members(np.where(mates, 0.0, -np.inf), shared, rng)
        others = _draw_members(np.where(mates, -np.inf, 0.0), np.maximum(sizes - shared, 1), rng)
        found: BoolArray = common | (others & (sizes > shared)[:, None, :])
        return found


def _evenly(count: int, length: int, groups: int, rng: np.random.Generator) -> IntArray:
    """Assign things to groups of equal size, in random order."""
    return rng.permuted(np.broadcast_to(np.arange(length) % groups, (count, length)), axis=1)


def _shuffled_edges(incidences: BoolArray, rng: np.random.Generator) -> BoolArray:
    """Reorder the hyperedges of each hypergraph at random."""
    count, _, m = incidences.shape
    order = rng.permuted(np.broadcast_to(np.arange(m), (count, m)), axis=1)
    return np.take_along_axis(incidences, order[:, None, :], axis=2)


REGIMES: dict[str, type[Regime]] = {
    regime.name: regime for regime in (Configuration, OverlappingBlocks, Committee, SparseTailOverlap)
}
"""The synthetic regimes by name."""
