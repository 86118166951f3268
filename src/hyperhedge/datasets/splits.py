"""Training, validation and test sets, and how much they have in common.

Subhypergraphs of one observed hypergraph share hyperedges, so a test set that is drawn like the training set
holds pieces that were trained on. *Leak-free* splits are drawn from disjoint parts of the observed hyperedges
(equal hyperedges stay together): no hyperedge is in two of them. Where the protocol follows overlaps, a part is made of
neighbourhoods, so that it keeps them, of twice as many hyperedges as a subhypergraph has: larger ones make
the parts differ from each other, smaller ones cut more overlaps. Otherwise a part is a random set.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from hyperhedge.checks import IntArray
from hyperhedge.datasets.subhypergraph import SubhypergraphSampler
from hyperhedge.errors import HyperhedgeError
from hyperhedge.hypergraph import Hypergraph

__all__ = ["Sharing", "Splits", "cut_points", "partition_hyperedges", "sharing"]

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
        The share of a test hypergraph's hyperedges that are in the one training hypergraph that has most of
        them; the mean over the test set.
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
        raise HyperhedgeError("sharing compares two sets with at least one hypergraph each")
    trained = [frozenset(H.edges) for H in train]
    anywhere = frozenset().union(*trained)
    mine = [frozenset(H.edges) for H in test]
    seen = sum(len(edges & anywhere) for edges in mine) / max(sum(map(len, mine)), 1)
    closest = [max(len(edges & other) for other in trained) / max(len(edges), 1) for edges in mine]
    return Sharing(seen, float(np.mean(closest)))


def partition_hyperedges(
    H: Hypergraph, shares: Sequence[float], least: int, *, local: bool, rng: np.random.Generator
) -> list[Hypergraph]:
    """Cut a hypergraph into parts of disjoint hyperedges, over the same nodes.

    Parameters
    ----------
    H
        The hypergraph; its empty hyperedges are left out.
    shares
        The parts' shares of the hyperedges, in any unit; a part of share 0 is empty.
    least
        How many hyperedges a part must have at least.
    local
        Make the parts of neighbourhoods rather than of single hyperedges.
    rng
        The source of randomness.
    """
    order = _order(H, 2 * least if local else None, rng)
    wanted = [k for k, share in enumerate(shares) if share > 0]
    if least * len(wanted) > len(order):
        raise HyperhedgeError(
            f"{len(wanted)} leak-free splits with {least} hyperedges each need {least * len(wanted)}, and the observed "
            f"hypergraph has {len(order)} that are not empty; ask for at most {len(order) // len(wanted)} hyperedges"
        )
    ends = cut_points(len(order), [shares[k] for k in wanted], [least] * len(wanted))
    parts = dict(zip(wanted, np.split(order, _between_repeats(H, order, ends)), strict=True))
    nothing = np.zeros(0, dtype=np.int64)
    return [H.subhypergraph(edges=[H.edges[j] for j in sorted(parts.get(k, nothing))]) for k in range(len(shares))]


def cut_points(total: int, weights: Sequence[float], least: Sequence[int]) -> list[int]:
    """Say where to cut ``total`` things into parts by weight, each with at least what ``least`` has for it.

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
    """Put the hyperedges that are not empty in random order, equal ones side by side, singly or by neighbourhoods."""
    visited = SubhypergraphSampler(H, protocol="uniform" if neighbourhood is None else "snowball").order(rng)
    if neighbourhood:
        parts = np.array_split(visited, max(1, len(visited) // neighbourhood))
        visited = np.concatenate([parts[k] for k in rng.permutation(len(parts))])
    place = dict[bytes, int]()
    for edge in visited.tolist():
        place.setdefault(_content(H, edge), len(place))
    return np.array(sorted(visited.tolist(), key=lambda edge: place[_content(H, edge)]), dtype=np.int64)


def _content(H: Hypergraph, edge: int) -> bytes:
    return H.indices[H.indptr[edge] : H.indptr[edge + 1]].tobytes()


def _between_repeats(H: Hypergraph, order: IntArray, ends: Sequence[int]) -> list[int]:
    """Move the cuts forward so that none is between equal hyperedges."""
    moved = []
    for end in ends:
        while 0 < end < len(order) and _content(H, order[end - 1]) == _content(H, order[end]):
            end += 1
        moved.append(end)
    return moved
