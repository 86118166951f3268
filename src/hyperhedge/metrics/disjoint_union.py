"""The disjoint union of a collection of hypergraphs, in which everything is counted for all of them at once.

The incidences of all hypergraphs are concatenated, with the indices of nodes and hyperedges shifted: the collection becomes one
large sparse hypergraph in which members of different hypergraphs never meet. Shapes may differ, and one hypergraph of a hundred
thousand incidences is handled just like a thousand hypergraphs of a hundred.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from hyperhedge.core.canonical import Bipartite
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.typing import IntArray

#: How many products one block of :func:`overlapping_pairs` may take: some ten megabytes of indices and counts.
_BLOCK = 1 << 19


@dataclass(frozen=True)
class DisjointUnion:
    """A collection as one hypergraph.

    Attributes
    ----------
    n, m
        The numbers of nodes and of hyperedges of each hypergraph.
    node_ids, edge_ids
        The incidences, sorted by hyperedge.
    """

    n: IntArray
    m: IntArray
    node_ids: IntArray
    edge_ids: IntArray

    @classmethod
    def of(cls, hypergraphs: Sequence[Hypergraph]) -> DisjointUnion:
        """Join hypergraphs."""
        n = np.array([H.n for H in hypergraphs], dtype=np.int64)
        m = np.array([H.m for H in hypergraphs], dtype=np.int64)
        incidences = [H.num_incidences for H in hypergraphs]
        node_ids = np.concatenate([H.indices for H in hypergraphs]) + np.repeat(np.cumsum(n) - n, incidences)
        edge_sizes = np.concatenate([H.edge_sizes for H in hypergraphs])
        return cls(n, m, node_ids, np.repeat(np.arange(len(edge_sizes)), edge_sizes))

    @cached_property
    def node_owner(self) -> IntArray:
        """The hypergraph of each node."""
        return np.repeat(np.arange(len(self.n)), self.n)

    @cached_property
    def edge_owner(self) -> IntArray:
        """The hypergraph of each hyperedge."""
        return np.repeat(np.arange(len(self.m)), self.m)

    @cached_property
    def degrees(self) -> IntArray:
        """The degree of each node."""
        return np.bincount(self.node_ids, minlength=len(self.node_owner))

    @cached_property
    def edge_sizes(self) -> IntArray:
        """The size of each hyperedge."""
        return np.bincount(self.edge_ids, minlength=len(self.edge_owner))

    @property
    def bipartite(self) -> Bipartite:
        """The union as colour refinement sees it."""
        return Bipartite(len(self.node_owner), len(self.edge_owner), self.node_ids, self.edge_ids)

    @cached_property
    def by_edge(self) -> sp.csr_array:
        """The incidence matrix with a row per hyperedge."""
        shape = (len(self.edge_owner), len(self.node_owner))
        ones = np.ones(len(self.node_ids), dtype=np.int32)
        starts = np.concatenate(([0], np.cumsum(self.edge_sizes)))
        return sp.csr_array((ones, self.node_ids, starts), shape=shape)

    @cached_property
    def by_node(self) -> sp.csr_array:
        """The incidence matrix with a row per node."""
        return sp.csr_array(self.by_edge.T)

    def dense(self, members: IntArray) -> NDArray[np.uint8]:
        """Return the incidence matrices ``(B, n, m)`` of hypergraphs of one shape."""
        position = np.full(len(self.n), -1)
        position[members] = np.arange(len(members))
        owner = self.edge_owner[self.edge_ids]
        inside = position[owner] >= 0
        owner = owner[inside]
        node = self.node_ids[inside] - (np.cumsum(self.n) - self.n)[owner]
        edge = self.edge_ids[inside] - (np.cumsum(self.m) - self.m)[owner]
        matrices = np.zeros((len(members), int(self.n[members[0]]), int(self.m[members[0]])), dtype=np.uint8)
        matrices[position[owner], node, edge] = 1
        return matrices

    @cached_property
    def components(self) -> tuple[IntArray, IntArray]:
        """The connected component of each node and of each hyperedge; an isolated node or an empty hyperedge is one."""
        nodes, edges = len(self.node_owner), len(self.edge_owner)
        ones = np.ones(len(self.node_ids), dtype=np.int8)
        graph: Any = sp.coo_array((ones, (self.node_ids, nodes + self.edge_ids)), shape=(nodes + edges, nodes + edges))
        labels = connected_components(graph, directed=False)[1].astype(np.int64)
        return labels[:nodes], labels[nodes:]

    def split(self) -> list[Hypergraph]:
        """Return the connected components as separate hypergraphs."""
        node_labels, edge_labels = self.components
        count = 1 + max(node_labels.max(initial=-1), edge_labels.max(initial=-1))
        nodes, edges = (np.bincount(labels, minlength=count) for labels in (node_labels, edge_labels))
        within = [_positions_within(labels, counts) for labels, counts in ((node_labels, nodes), (edge_labels, edges))]
        label = edge_labels[self.edge_ids]
        order = np.argsort(label, kind="stable")
        ends = np.cumsum(np.bincount(label, minlength=count))[:-1]
        node_ids = np.split(within[0][self.node_ids[order]], ends)
        edge_ids = np.split(within[1][self.edge_ids[order]], ends)
        return [
            Hypergraph.from_indices(v, e, nodes=n, edges=m)
            for v, e, n, m in zip(node_ids, edge_ids, nodes.tolist(), edges.tolist(), strict=True)
        ]


def _positions_within(labels: IntArray, counts: IntArray) -> IntArray:
    """Return the position of each member within its component."""
    order = np.argsort(labels, kind="stable")
    positions = np.empty(len(labels), dtype=np.int64)
    positions[order] = np.arange(len(labels)) - np.repeat(np.cumsum(counts) - counts, counts)
    return positions


def overlapping_pairs(rows: sp.csr_array, columns: sp.csr_array) -> Iterator[tuple[IntArray, IntArray, IntArray]]:
    """Iterate over the pairs of rows that share an entry: first, second (first < second) and how many entries they share.

    ``columns`` is the transpose of ``rows``. The products are taken in blocks of rows, since a few columns of high degree make
    far more pairs than there are entries.
    """
    work = np.cumsum(rows @ np.diff(columns.indptr))
    start = 0
    while start < rows.shape[0]:
        done = work[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(work, done + _BLOCK, side="right")))
        shared: Any = (rows if stop - start == rows.shape[0] else rows[start:stop]) @ columns
        first = np.repeat(np.arange(start, stop), np.diff(shared.indptr))
        once = first < shared.indices
        yield first[once], shared.indices[once].astype(np.int64), shared.data[once].astype(np.int64)
        start = stop
