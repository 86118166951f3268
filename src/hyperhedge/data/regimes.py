r"""Four laws of synthetic hypergraphs, for controlled experiments and for data that need no download.

Each regime samples hypergraphs of any shape :math:`n \times m`, independently. It gives every hyperedge a size
:math:`d_e` and every entry a log-weight :math:`w_{ve}`; the members of :math:`e` are then sampled one after the
other without replacement, :math:`v` with probability proportional to :math:`e^{w_{ve}}`. That is the same as
taking the :math:`d_e` largest of :math:`w_{ve} + g_{ve}` with independent standard Gumbel :math:`g_{ve}`
(Yellott 1977), which is how it is computed: for a whole batch at once.

=========================  ==================================================================================
``configuration``          heterogeneous degrees and edge sizes, nothing else: :math:`w_{ve} = \log\theta_v`
``overlapping-blocks``     latent groups that share nodes; hyperedges live in one group and repeat its members
``committee``              dense, with broad edge sizes; parties, seniority, and subcommittees of committees
``sparse-tail-overlap``    small hyperedges that rarely overlap, except a few pairs that share several nodes
=========================  ==================================================================================

Hyperedges are never empty. Nodes may be isolated: in ``configuration`` and ``sparse-tail-overlap`` many are.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.errors import HyperhedgeError
from hyperhedge.typing import BoolArray, FloatArray, IntArray, Seed

# A batch is bounded in entries, for its memory (16 MB per array), and in hypergraphs, for small banks to be quick.
_MOST_ENTRIES, _MOST_HYPERGRAPHS = 1 << 21, 128


@dataclass(frozen=True)
class Regime(ABC):
    """A law on hypergraphs of any shape."""

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
                raise HyperhedgeError(f"{name} of {self.name} must be from 0 to 1, not {getattr(self, name)!r}")
        for name in self.positive:
            if not getattr(self, name) > 0:
                raise HyperhedgeError(f"{name} of {self.name} must be positive, not {getattr(self, name)!r}")

    @classmethod
    def parameters(cls) -> dict[str, float]:
        """Return the parameters and their defaults."""
        return {field.name: field.default for field in fields(cls)}  # type: ignore[misc]

    def sample(
        self,
        n: int,
        m: int,
        count: int = 1,
        seed: Seed | None = None,
        advance: Callable[[int], None] = lambda _: None,
    ) -> list[Hypergraph]:
        """Sample ``count`` independent hypergraphs of ``n`` nodes and ``m`` hyperedges.

        The first ones do not depend on how many follow. ``advance`` is called with the numbers of those just sampled.

        Examples
        --------
        >>> Committee().sample(64, 16, 3, seed=0)[0]
        <Hypergraph: 64 nodes, 16 hyperedges, 215 incidences>
        """
        if n < 1 or m < 1 or count < 0:
            raise HyperhedgeError(f"n and m must be at least 1 and count at least 0, not {n}, {m} and {count}")
        rng = np.random.default_rng(seed)
        # The size of a batch does not depend on the count, so the first hypergraphs of two banks agree.
        batch = _batch_size(n, m)
        bank: list[Hypergraph] = []
        while len(bank) < count:
            before = len(bank)
            bank += _hypergraphs(self._incidences(n, m, batch, rng)[: count - before])
            advance(len(bank) - before)
        return bank

    def sample_one(self, n: int, m: int, rng: np.random.Generator) -> Hypergraph:
        """Sample one hypergraph, with no more random numbers than it needs."""
        return next(_hypergraphs(self._incidences(n, m, 1, rng)))

    @abstractmethod
    def _incidences(self, n: int, m: int, count: int, rng: np.random.Generator) -> BoolArray:
        """Sample incidence matrices, ``(count, n, m)``."""


def _batch_size(n: int, m: int) -> int:
    return min(max(1, _MOST_ENTRIES // (n * m)), _MOST_HYPERGRAPHS)


def batch_bytes(n: int, m: int) -> int:
    """Estimate the memory of a batch: keys, their order, weights and Gumbel numbers of every entry."""
    return _batch_size(n, m) * n * m * 48


def _hypergraphs(incidences: BoolArray) -> Iterator[Hypergraph]:
    _, n, m = incidences.shape
    for matrix in incidences:
        edge_ids, node_ids = np.nonzero(matrix.T)
        yield Hypergraph.from_indices(node_ids, edge_ids, nodes=n, edges=m)


def _sample_members(log_weights: FloatArray, edge_sizes: IntArray, rng: np.random.Generator) -> BoolArray:
    """Sample the members of hyperedges without replacement, from weights ``(B, n, m)`` and sizes ``(B, m)``."""
    keys = log_weights + rng.gumbel(size=log_weights.shape)
    # The k-th largest key of each column is the threshold of a hyperedge of size k.
    ordered = np.sort(keys, axis=1)
    n = keys.shape[1]
    threshold = np.take_along_axis(ordered, (n - edge_sizes)[:, None, :], axis=1)
    return keys >= threshold


@dataclass(frozen=True)
class Configuration(Regime):
    r"""Heterogeneous marginals and no other structure.

    Edge sizes are 2 plus a geometric number of mean ``mean_size`` − 2, at most :math:`n`. A node's weight is
    log-normal, :math:`\log\theta_v \sim N(0, \sigma^2)` with :math:`\sigma` = ``degree_spread``, and the same for every
    hyperedge (with 0, all nodes are alike); every hypergraph has weights of its own.
    """

    name: ClassVar[str] = "configuration"
    description: ClassVar[str] = "heterogeneous degrees and edge sizes, no other structure"
    mean_size: float = 5.0
    degree_spread: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.mean_size < 2 or self.degree_spread < 0:
            raise HyperhedgeError("mean_size of configuration must be at least 2, and degree_spread at least 0")

    def _incidences(self, n: int, m: int, count: int, rng: np.random.Generator) -> BoolArray:
        edge_sizes = np.minimum(1 + rng.geometric(1 / (self.mean_size - 1), (count, m)), n)
        log_weights = np.broadcast_to(rng.normal(0, self.degree_spread, (count, n, 1)), (count, n, m))
        return _sample_members(log_weights, edge_sizes, rng)


@dataclass(frozen=True)
class OverlappingBlocks(Regime):
    r"""Latent groups with repeated higher-order overlap.

    Each node is in one of ``blocks`` groups, evenly and at random, and with probability ``overlap`` in a second
    one. A hyperedge belongs to a group, evenly and at random; its size is binomial, as if each member of the
    group came with probability ``attendance``, and its members are sampled with weight 1 for a node of the group and
    ``leak`` for any other.
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
            raise HyperhedgeError(f"blocks of {self.name} must be a whole number, not {self.blocks!r}")

    def _incidences(self, n: int, m: int, count: int, rng: np.random.Generator) -> BoolArray:
        blocks = int(self.blocks)
        first = _evenly(count, n, blocks, rng)
        second = (first + rng.integers(1, max(blocks, 2), (count, n))) % blocks
        second = np.where(rng.random((count, n)) < self.overlap, second, first)
        group = _evenly(count, m, blocks, rng)
        inside = (first[:, :, None] == group[:, None, :]) | (second[:, :, None] == group[:, None, :])
        edge_sizes = np.maximum(rng.binomial(inside.sum(axis=1), self.attendance), min(2, n))
        return _sample_members(np.where(inside, 0.0, np.log(self.leak)), edge_sizes, rng)


@dataclass(frozen=True)
class Committee(Regime):
    r"""Dense membership with broad edge sizes and structured overlap.

    Nodes belong to one of two parties and have a seniority, :math:`\log\theta_v \sim N(0, \sigma^2)` with :math:`\sigma` =
    ``seniority``. Edge sizes are log-uniform between the shares ``smallest`` and ``largest`` of the nodes. A share
    ``subcommittees`` of the hyperedges are each a subcommittee of one of the others: members of the parent have
    ``loyalty`` times the weight. A hyperedge leans to one party, whose members have ``leaning`` times the weight.
    """

    name: ClassVar[str] = "committee"
    description: ClassVar[str] = "dense membership, broad edge sizes, parties and subcommittees"
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
            raise HyperhedgeError(f"smallest of {self.name} must be at most largest, and seniority at least 0")

    def _incidences(self, n: int, m: int, count: int, rng: np.random.Generator) -> BoolArray:
        shares = np.exp(rng.uniform(np.log(self.smallest), np.log(self.largest), (count, m)))
        edge_sizes = np.clip(np.rint(shares * n).astype(np.int64), min(2, n), n)
        log_weights = rng.normal(0, self.seniority, (count, n, 1)) + np.log(self.leaning) * (
            _evenly(count, n, 2, rng)[:, :, None] == _evenly(count, m, 2, rng)[:, None, :]
        )
        children = min(round(self.subcommittees * m), m - 1)
        roots = m - children
        committees = _sample_members(log_weights[:, :, :roots], edge_sizes[:, :roots], rng)
        parents = rng.integers(0, roots, (count, children))
        in_parent = np.take_along_axis(committees, parents[:, None, :], axis=2)
        child_weights = log_weights[:, :, roots:] + np.log(self.loyalty) * in_parent
        subcommittees = _sample_members(child_weights, edge_sizes[:, roots:], rng)
        return _shuffle_edges(np.concatenate([committees, subcommittees], axis=2), rng)


@dataclass(frozen=True)
class SparseTailOverlap(Regime):
    r"""Sparse, except for a controlled minority of pairs of hyperedges that share several nodes.

    Edge sizes are uniform from ``smallest`` to ``largest`` and all nodes are alike, so two hyperedges rarely overlap. A
    share ``paired`` of the hyperedges, at most one half, are each the partner of one of the others: they share exactly
    ``shared`` nodes (fewer if either is smaller).
    """

    name: ClassVar[str] = "sparse-tail-overlap"
    description: ClassVar[str] = "small hyperedges that rarely overlap, except a few pairs that share several nodes"
    smallest: int = 2
    largest: int = 5
    paired: float = 0.2
    shared: int = 2

    positive: ClassVar[tuple[str, ...]] = ("smallest", "shared")

    def __post_init__(self) -> None:
        super().__post_init__()
        if any(value != int(value) for value in (self.smallest, self.largest, self.shared)):
            raise HyperhedgeError(f"smallest, largest and shared of {self.name} must be whole numbers")
        if self.smallest > self.largest or not 0 <= self.paired <= 0.5:
            raise HyperhedgeError(f"smallest of {self.name} must be at most largest, and paired from 0 to 0.5")

    def _incidences(self, n: int, m: int, count: int, rng: np.random.Generator) -> BoolArray:
        edge_sizes = np.minimum(rng.integers(self.smallest, self.largest + 1, (count, m)), n)
        partners = int(round(self.paired * m, 9))  # rounded first: 0.29 × 100 is 28.999999999999996
        rest = m - partners
        first = _sample_members(np.zeros((count, n, rest)), edge_sizes[:, :rest], rng)
        if not partners:
            return first
        second = self._partners(first[:, :, :partners], edge_sizes[:, :partners], edge_sizes[:, rest:], rng)
        return _shuffle_edges(np.concatenate([first, second], axis=2), rng)

    def _partners(
        self, mates: BoolArray, mate_sizes: IntArray, edge_sizes: IntArray, rng: np.random.Generator
    ) -> BoolArray:
        """Sample partners: some members of their mates, and others from outside while there are enough nodes."""
        n = mates.shape[1]
        shared = np.minimum(np.minimum(mate_sizes, edge_sizes), int(self.shared))
        shared = np.maximum(shared, edge_sizes - (n - mate_sizes))
        common = _sample_members(np.where(mates, 0.0, -np.inf), shared, rng)
        others = _sample_members(np.where(mates, -np.inf, 0.0), np.maximum(edge_sizes - shared, 1), rng)
        partners: BoolArray = common | (others & (edge_sizes > shared)[:, None, :])
        return partners


def _evenly(count: int, length: int, groups: int, rng: np.random.Generator) -> IntArray:
    """Assign items to groups of equal size, in random order."""
    return rng.permuted(np.broadcast_to(np.arange(length) % groups, (count, length)), axis=1)


def _shuffle_edges(incidences: BoolArray, rng: np.random.Generator) -> BoolArray:
    """Reorder the hyperedges of each hypergraph at random."""
    count, _, m = incidences.shape
    order = rng.permuted(np.broadcast_to(np.arange(m), (count, m)), axis=1)
    return np.take_along_axis(incidences, order[:, None, :], axis=2)


REGIMES: dict[str, type[Regime]] = {
    regime.name: regime for regime in (Configuration, OverlappingBlocks, Committee, SparseTailOverlap)
}
"""The synthetic regimes by name."""
