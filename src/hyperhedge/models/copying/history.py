"""Hyperedges in an order of time: what a new one finds when it comes.

Several hypergraphs are laid out one after another, each with its own time and its own nodes, and without empty hyperedges, which
nothing copies. At the time of a hyperedge some nodes are *present*, because an earlier hyperedge of its hypergraph has them; of its
own nodes the others are *new*. A hyperedge whose nodes are all new is a *founder*: it meets no earlier one, so it copies none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hyperhedge._system.numba import compiled
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.typing import BoolArray, IntArray

Short: TypeAlias = NDArray[np.int32]
"""Whole numbers in half the memory, where walks go back and forth in it."""


@dataclass(frozen=True)
class History:
    """The hyperedges of all hypergraphs, each with its members, in order; and the hyperedges of each node, ascending.

    For each hyperedge, ``earlier`` counts the hyperedges of its hypergraph before it, ``present`` their nodes, and ``new`` its own
    nodes that none of them has.
    """

    starts: IntArray
    members: IntArray
    node_starts: IntArray
    of_node: IntArray
    earlier: IntArray
    present: IntArray
    new: IntArray

    @property
    def sizes(self) -> IntArray:
        """The sizes of the hyperedges."""
        sizes: IntArray = np.diff(self.starts)
        return sizes

    @property
    def founders(self) -> BoolArray:
        """Which hyperedges meet no earlier one."""
        founders: BoolArray = self.new == self.sizes
        return founders


class Layout:
    """The hyperedges of a training set without times; :meth:`history` gives them some."""

    def __init__(self, graphs: Sequence[Hypergraph]) -> None:
        nodes = np.cumsum([0, *(H.n for H in graphs)])
        sizes = [H.edge_sizes for H in graphs]
        kept = np.concatenate([np.zeros(0, dtype=np.int64), *sizes])
        graph = np.repeat(np.arange(len(graphs)), [H.m for H in graphs])
        self.empty, self.nodes = int((kept == 0).sum()), int(nodes[-1])
        self.graph, self._sizes = graph[kept > 0], kept[kept > 0]
        self._starts = np.concatenate(([0], np.cumsum(self._sizes)))
        self._members = np.concatenate(
            [np.zeros(0, dtype=np.int64), *(H.indices + v for H, v in zip(graphs, nodes, strict=False))]
        )
        degrees = np.bincount(self._members, minlength=self.nodes)
        self.isolated = int((degrees == 0).sum())
        self._node_starts = np.concatenate(([0], np.cumsum(degrees)))

    def __len__(self) -> int:
        return len(self.graph)

    def history(self, rng: np.random.Generator | None = None) -> History:
        """Return the hyperedges in their order, or each hypergraph's in a random one."""
        m = len(self)
        order = np.arange(m) if rng is None else _shuffled(self.graph, rng)
        starts = np.concatenate(([0], np.cumsum(self._sizes[order])))
        members, of_node = np.empty_like(self._members), np.empty_like(self._members)
        earlier, present, new = (np.empty(m, dtype=np.int64) for _ in range(3))
        _arrange(
            order, self.graph, self._starts, self._members, starts, members, self._node_starts[:-1].copy(),
            self._node_starts, of_node, earlier, present, new,
        )  # fmt: skip
        return History(starts, members, self._node_starts, of_node, earlier, present, new)


def _shuffled(graph: IntArray, rng: np.random.Generator) -> IntArray:
    """Return a random order of the hyperedges of each hypergraph."""
    order = rng.permutation(len(graph))
    shuffled: IntArray = order[np.argsort(graph[order], kind="stable")]
    return shuffled


@compiled
def _arrange(
    order: IntArray,
    graph: IntArray,
    old_starts: IntArray,
    old_members: IntArray,
    starts: IntArray,
    members: IntArray,
    ends: IntArray,
    node_starts: IntArray,
    of_node: IntArray,
    earlier: IntArray,
    present: IntArray,
    new: IntArray,
) -> None:
    """Put the hyperedges into an order, list the hyperedges of each node, and count nodes as they come."""
    nodes, first = 0, 0
    for t in range(len(order)):
        e = order[t]
        if t > 0 and graph[t] != graph[t - 1]:
            nodes, first = 0, t
        earlier[t], present[t], new[t] = t - first, nodes, 0
        for p in range(old_starts[e + 1] - old_starts[e]):
            v = old_members[old_starts[e] + p]
            members[starts[t] + p] = v
            new[t] += ends[v] == node_starts[v]
            of_node[ends[v]] = t
            ends[v] += 1
        nodes += new[t]
