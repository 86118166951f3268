"""Training, validation and test sets, and how much they have in common.

Subhypergraphs of one observed hypergraph share hyperedges, so a test set sampled like the training set contains
pieces that were trained on. *Leak-free* splits are sampled from disjoint sets of the observed hyperedges (equal
hyperedges stay together): no hyperedge is in two splits. If the protocol follows overlaps, each set is made of
neighbourhoods, to keep the overlaps, of twice as many hyperedges as a subhypergraph has: larger neighbourhoods make
the sets differ from each other, smaller ones cut more overlaps. Otherwise each set is random.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.data.subhypergraph import SubhypergraphSampler
from hyperhedge.errors import HyperhedgeError
from hyperhedge.typing import IntArray

NAMES = ("train", "validation", "test")


@dataclass(frozen=True)
class Splits:
    """Three sets of hypergraphs.

    Examples
    --------
    >>> H = Hypergraph([[0], [1]])
    >>> train, validation, test = Splits([H, H], [], [H])
    >>> len(train), len(test)
    (2, 1)
    """

    train: list[Hypergraph]
    validation: list[Hypergraph]
    test: list[Hypergraph]

    def __iter__(self) -> Iterator[list[Hypergraph]]:
        return iter((self.train, self.validation, self.test))


@dataclass(frozen=True)
class Sharing:
    """How much of a test set is in a training set.

    Attributes
    ----------
    hyperedges
        The share of the test set's hyperedges that are, by label, in some training hypergraph.
    closest
        The share of a test hypergraph's hyperedges that are in the training hypergraph with most of them; the mean
        over the test set.
    """

    hyperedges: float
    closest: float


def sharing(train: Sequence[Hypergraph], test: Sequence[Hypergraph]) -> Sharing:
    """Measure how much two sets of subhypergraphs of one observed hypergraph share.

    Examples
    --------
    >>> H = Hypergraph({"a": [0, 1], "b": [1, 2], "c": [2, 0]})
    >>> train = [H.subhypergraph(edges=["a", "b"])]
    >>> sharing(train, [H.subhypergraph(edges=["b", "c"])])
    Sharing(hyperedges=0.5, closest=0.5)
    """
    if not train or not test:
        raise HyperhedgeError("sharing compares two sets of at least one hypergraph each; one of these is empty")
    train_edges, test_edges = [frozenset(H.edges) for H in train], [frozenset(H.edges) for H in test]
    seen = frozenset().union(*train_edges)
    shared = sum(len(edges & seen) for edges in test_edges) / max(sum(map(len, test_edges)), 1)
    closest = [max(len(edges & other) for other in train_edges) / max(len(edges), 1) for edges in test_edges]
    return Sharing(shared, float(np.mean(closest)))


def partition_hyperedges(
    H: Hypergraph, shares: Sequence[float], least: int, *, local: bool, rng: np.random.Generator
) -> list[Hypergraph]:
    """Cut a hypergraph into pieces with disjoint hyperedges, over the same nodes, without its empty hyperedges.

    ``shares`` are the pieces' shares of the hyperedges, in any unit; a piece of share 0 is empty, and the others have at
    ``least`` so many. Pieces are made of neighbourhoods if ``local``, and of single hyperedges otherwise.
    """
    order = _order(H, 2 * least if local else None, rng)
    nonempty = [k for k, share in enumerate(shares) if share > 0]
    if least * len(nonempty) > len(order):
        raise HyperhedgeError(
            f"{len(nonempty)} leak-free splits of {least} hyperedges each need {least * len(nonempty)}, and the observed "
            f"hypergraph has {len(order)} that are not empty; ask for at most {len(order) // len(nonempty)} hyperedges"
        )
    ends = cut_points(len(order), [shares[k] for k in nonempty], [least] * len(nonempty))
    pieces = dict(zip(nonempty, np.split(order, _between_repeats(H, order, ends)), strict=True))
    return [H.subhypergraph(edges=[H.edges[j] for j in sorted(pieces.get(k, ()))]) for k in range(len(shares))]


def cut_points(total: int, weights: Sequence[float], least: Sequence[int]) -> list[int]:
    """Return where to cut ``total`` items into pieces by weight, none smaller than its ``least``.

    Examples
    --------
    >>> cut_points(100, [8, 1, 1], least=[1, 1, 1])
    [79, 89]
    >>> cut_points(120, [90, 30], least=[90, 30])
    [90]
    """
    spare = total - sum(least)
    shares = np.cumsum(weights)[:-1] / np.sum(weights)
    return [round(share * spare) + enough for share, enough in zip(shares.tolist(), accumulate(least), strict=False)]


def _order(H: Hypergraph, neighbourhood: int | None, rng: np.random.Generator) -> IntArray:
    """Order the nonempty hyperedges at random, singly or by neighbourhoods, equal ones side by side."""
    visited = SubhypergraphSampler(H, protocol="uniform" if neighbourhood is None else "snowball").order(rng)
    if neighbourhood:
        runs = np.array_split(visited, max(1, len(visited) // neighbourhood))
        visited = np.concatenate([runs[k] for k in rng.permutation(len(runs))])
    rank = dict[bytes, int]()  # of each set of members, at its first visit
    for edge in visited.tolist():
        rank.setdefault(_members(H, edge), len(rank))
    return np.array(sorted(visited.tolist(), key=lambda edge: rank[_members(H, edge)]), dtype=np.int64)


def _members(H: Hypergraph, edge: int) -> bytes:
    return H.indices[H.indptr[edge] : H.indptr[edge + 1]].tobytes()


def _between_repeats(H: Hypergraph, order: IntArray, ends: Sequence[int]) -> list[int]:
    """Move each cut forward until it separates no equal hyperedges."""
    moved = []
    for end in ends:
        while 0 < end < len(order) and _members(H, order[end - 1]) == _members(H, order[end]):
            end += 1
        moved.append(end)
    return moved
