"""Training, validation and test sets, and how much they have in common.

Subhypergraphs of one observed hypergraph share hyperedges, so a test set sampled like the training set contains
pieces that were trained on. *Leak-free* splits are sampled from disjoint sets of the observed hyperedges:
:mod:`hyperhedge.data.partition` says how these are chosen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.errors import HyperhedgeError

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
