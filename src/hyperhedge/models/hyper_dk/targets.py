r"""What the rewiring aims at: how often nodes of two degrees meet, and how redundant nodes of a degree are.

*Classes.* The nodes of one degree are a class; class 0 has the smallest degree that occurs. A hypergraph with :math:`I` incidences
has at most :math:`\sqrt{2I} + 1` classes, so a matrix over pairs of classes is no larger than the hypergraph.

*Joint degrees.* :math:`m(k, k')` is the number of pairs of places in hyperedges, :math:`(e, \{u, v\})` with
:math:`u \ne v \in e`, whose nodes have degrees :math:`k` and :math:`k'`: a pair that meets in three hyperedges counts three times.

*Redundancy.* A pair of hyperedges of :math:`v` is redundant if another node is in both of them, and :math:`\rho(v)` is the number
of redundant pairs of :math:`v`. The redundancy coefficient is :math:`r(v) = \rho(v) / \binom{d_v}{2}` (Latapy, Magnien and Del
Vecchio, *Basic notions for the analysis of large two-mode networks*, Social Networks 30, 2008), and :math:`r(k)` its mean over the
nodes of degree :math:`k`. Degrees are fixed here, so the whole number :math:`\sum_{d_v = k} \rho(v)` says the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from hyperhedge._system.numba import compiled
from hyperhedge._system.portions import portions
from hyperhedge.typing import IntArray

STEPS = 50_000_000
"""What compiled functions do between two chances to interrupt: a fraction of a second."""


@dataclass(frozen=True)
class Members:
    """A hypergraph as lists, with the degree classes of its nodes; nodes without hyperedges are in class −1.

    Attributes
    ----------
    members, starts
        The members of hyperedge e are ``members[starts[e]:starts[e + 1]]``.
    classes
        The class of each node.
    degrees
        The degree of each class.
    """

    members: IntArray
    starts: IntArray
    classes: IntArray
    degrees: IntArray

    @classmethod
    def of(cls, members: IntArray, sizes: IntArray, degrees: IntArray) -> Self:
        """Make the lists of a hypergraph from the members of its hyperedges, one after another, their sizes and all degrees."""
        different = np.unique(degrees[degrees > 0])
        classes = np.where(degrees > 0, np.searchsorted(different, degrees), -1)
        return cls(members.astype(np.int64), np.append(0, np.cumsum(sizes)), classes, different)

    @property
    def m(self) -> int:
        """The number of hyperedges."""
        return len(self.starts) - 1

    @cached_property
    def edge_of(self) -> IntArray:
        """The hyperedge of each place in ``members``."""
        return np.repeat(np.arange(self.m), np.diff(self.starts))

    @cached_property
    def nodes(self) -> IntArray:
        """The number of nodes in each class."""
        return np.bincount(self.classes[self.classes >= 0], minlength=len(self.degrees))

    def slots(self) -> tuple[IntArray, IntArray]:
        """Return the places in ``members`` class by class, and node by node in each class; and where each node's begin."""
        order = np.lexsort((self.members, self.classes[self.members]))
        node_of = self.members[order]
        node_starts = np.zeros(len(self.classes), dtype=np.int64)
        first = np.flatnonzero(np.diff(node_of, prepend=-1))
        node_starts[node_of[first]] = first
        return order, node_starts

    def joint_degrees(self) -> IntArray:
        """Count the pairs that meet, by class and class: a symmetric matrix."""
        counts = np.zeros((len(self.degrees), len(self.degrees)), dtype=np.int64)
        sizes = np.diff(self.starts)
        for begin, end in portions(sizes + np.minimum(sizes, len(self.degrees)) ** 2, STEPS):
            _count_pairs(begin, end, self.members, self.starts, self.classes, counts)
        return counts

    def redundant_pairs(self) -> IntArray:
        """Count the redundant pairs of the nodes of each class."""
        counts = np.zeros(len(self.degrees), dtype=np.int64)
        order, node_starts = self.slots()
        edges = self.edge_of[order]
        node_degrees = np.where(self.classes >= 0, np.append(self.degrees, 0)[self.classes], 0)
        shared = np.zeros(self.m, dtype=np.int64)
        walks = np.bincount(self.edge_of, weights=node_degrees[self.members], minlength=self.m)
        for begin, end in portions(walks + 1, STEPS):
            _count_redundant(
                begin, end, self.members, self.starts, self.classes, edges, node_starts, node_degrees, shared, counts
            )
        return counts


@compiled
def _count_pairs(
    begin: int, end: int, members: IntArray, starts: IntArray, classes: IntArray, counts: IntArray
) -> None:
    many = np.zeros(len(counts), dtype=np.int64)
    touched = np.zeros(len(counts), dtype=np.int64)
    for e in range(begin, end):
        different = 0
        for v in members[starts[e] : starts[e + 1]]:
            if many[classes[v]] == 0:
                touched[different] = classes[v]
                different += 1
            many[classes[v]] += 1
        for i in range(different):
            k = touched[i]
            counts[k, k] += many[k] * (many[k] - 1) // 2
            for j in range(i):
                counts[k, touched[j]] += many[k] * many[touched[j]]
                counts[touched[j], k] += many[k] * many[touched[j]]
        for i in range(different):
            many[touched[i]] = 0


@compiled
def _count_redundant(
    begin: int,
    end: int,
    members: IntArray,
    starts: IntArray,
    classes: IntArray,
    edges: IntArray,
    node_starts: IntArray,
    node_degrees: IntArray,
    shared: IntArray,
    counts: IntArray,
) -> None:
    """Go through the pairs of hyperedges that share two nodes or more: each is redundant for every node that they share."""
    for e in range(begin, end):
        for v in members[starts[e] : starts[e + 1]]:
            for f in edges[node_starts[v] : node_starts[v] + node_degrees[v]]:
                shared[f] += 1
        for v in members[starts[e] : starts[e + 1]]:
            for f in edges[node_starts[v] : node_starts[v] + node_degrees[v]]:
                counts[classes[v]] += f > e and shared[f] > 1
        for v in members[starts[e] : starts[e + 1]]:
            for f in edges[node_starts[v] : node_starts[v] + node_degrees[v]]:
                shared[f] = 0
