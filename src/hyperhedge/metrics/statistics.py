r"""What is computed once per collection of hypergraphs and shared by every metric.

For :math:`H \in \{0, 1\}^{n \times m}`: degrees :math:`d_V = H\mathbf 1`, edge sizes :math:`d_E = H^\top\mathbf 1`,
intersections :math:`(H^\top H)_{jk}` of pairs of hyperedges, pair degrees :math:`(H H^\top)_{uv}` of pairs of nodes
that share a hyperedge, the first eigenvalues of :math:`L_V` (eq. 2) and :math:`L_E` (eqs. 3-4), singular values of :math:`H`,
components, and possible defects: empty, singleton and repeated hyperedges, isolated nodes.

Everything is computed on first use. Counts come from the disjoint union of the collection
(:mod:`hyperhedge.metrics.disjoint_union`) through sparse products. Shapes may vary, and a large hypergraph is never a dense
matrix: of its 50 million pairs of hyperedges only those that overlap are visited, and all others are a single count.
Spectra come from :mod:`hyperhedge.metrics.spectra`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from hyperhedge.convert import as_hypergraphs
from hyperhedge.core.canonical import colours_after
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.errors import HypergraphError
from hyperhedge.metrics.disjoint_union import DisjointUnion, overlapping_pairs
from hyperhedge.metrics.pooled import PooledValues, divide
from hyperhedge.typing import FloatArray, IntArray

if TYPE_CHECKING:
    from hyperhedge.metrics.spectra import Spectra

#: How many collections keep their statistics: real, generated, train and the ceiling of two evaluations.
_COLLECTIONS_KEPT = 8


def statistics_of(hypergraphs: Iterable[Any], name: str = "hypergraphs") -> Statistics:
    """Return the statistics of a collection; those of the last few collections are kept.

    Parameters
    ----------
    hypergraphs
        At least one; each is whatever :func:`hyperhedge.convert.as_hypergraph` accepts.
    name
        What the caller calls them, for error messages.

    Examples
    --------
    >>> collection = [Hypergraph([[0, 1], [1, 2], [0, 1, 2]], nodes=4), Hypergraph([[0], []])]
    >>> statistics = statistics_of(collection)
    >>> statistics.isolated, statistics.empty, statistics.components
    (array([1, 0]), array([0, 1]), array([2, 2]))
    >>> statistics_of(collection) is statistics
    True
    """
    members = as_hypergraphs(hypergraphs, name)
    if not members:
        raise HypergraphError(f"{name} is empty; give at least one hypergraph")
    return _kept(tuple(members))


@lru_cache(maxsize=_COLLECTIONS_KEPT)
def _kept(hypergraphs: tuple[Hypergraph, ...]) -> Statistics:
    return Statistics(hypergraphs)


class Statistics:
    """The statistics of a collection: arrays have an entry per hypergraph, pooled values belong to the whole collection."""

    def __init__(self, hypergraphs: tuple[Hypergraph, ...]) -> None:
        self.hypergraphs = hypergraphs

    def __len__(self) -> int:
        return len(self.hypergraphs)

    def random_subset(self, count: int, rng: np.random.Generator) -> Statistics:
        """Return the statistics of ``count`` random hypergraphs; of all if there are no more."""
        if len(self) <= count:
            return self
        return Statistics(tuple(self.hypergraphs[i] for i in rng.choice(len(self), count, replace=False)))

    @cached_property
    def union(self) -> DisjointUnion:
        """The disjoint union of the collection."""
        return DisjointUnion.of(self.hypergraphs)

    # -- shapes and marginals ---------------------------------------------------------------------

    @property
    def n(self) -> IntArray:
        """The numbers of nodes."""
        return self.union.n

    @property
    def m(self) -> IntArray:
        """The numbers of hyperedges."""
        return self.union.m

    @cached_property
    def incidences(self) -> IntArray:
        """The numbers of incidences."""
        return self._per_edge(self.union.edge_sizes)

    @cached_property
    def node_numbers(self) -> PooledValues:
        """One number per hypergraph: how many nodes it has."""
        return PooledValues.one_each(self.n.astype(float))

    @cached_property
    def degrees(self) -> PooledValues:
        """All node degrees."""
        return PooledValues.of_integers(self.union.node_owner, self.union.degrees, len(self))

    @cached_property
    def edge_sizes(self) -> PooledValues:
        """All edge sizes."""
        return PooledValues.of_integers(self.union.edge_owner, self.union.edge_sizes, len(self))

    # -- overlap -----------------------------------------------------------------------------------

    @property
    def intersections(self) -> PooledValues:
        """The intersections of all pairs of hyperedges, empty ones included."""
        return self._overlaps[0]

    @property
    def repeated(self) -> IntArray:
        """How many hyperedges equal an earlier one."""
        return self._overlaps[1]

    @cached_property
    def _overlaps(self) -> tuple[PooledValues, IntArray]:
        """The intersections of all pairs of hyperedges, and how many hyperedges equal an earlier one, in one pass."""
        union = self.union
        repeats = np.zeros(len(union.edge_owner), dtype=bool)
        overlapping = []
        for first, second, shared in overlapping_pairs(union.by_edge, union.by_node):
            equal = (shared == union.edge_sizes[first]) & (shared == union.edge_sizes[second])
            repeats[second[equal]] = True
            overlapping.append(PooledValues.of_integers(union.edge_owner[first], shared, len(self)))
        num_overlapping = sum((pool.totals for pool in overlapping), np.zeros(len(self)))
        num_disjoint = self.m * (self.m - 1) / 2 - num_overlapping
        disjoint = PooledValues(np.arange(len(self)), np.zeros(len(self)), num_disjoint, len(self))
        return PooledValues.joined([disjoint, *overlapping]), self._per_edge(repeats) + np.maximum(self.empty - 1, 0)

    @cached_property
    def pair_degrees(self) -> PooledValues:
        """How many hyperedges two nodes share, over the pairs that share at least one."""
        nothing = PooledValues.of_arrays([np.zeros(0)] * len(self))
        pools = (
            PooledValues.of_integers(self.union.node_owner[first], shared, len(self))
            for first, _, shared in overlapping_pairs(self.union.by_node, self.union.by_edge)
        )
        return PooledValues.joined([nothing, *pools])

    def tail(self, threshold: int) -> FloatArray:
        """Return the share of pairs of hyperedges that share at least ``threshold`` nodes; NaN if there are no pairs."""
        return divide(self.intersections.count_at_least(threshold), self.intersections.totals)

    # -- possible defects --------------------------------------------------------------------------

    @cached_property
    def empty(self) -> IntArray:
        """How many hyperedges are empty."""
        return self._per_edge(self.union.edge_sizes == 0)

    @cached_property
    def singleton(self) -> IntArray:
        """How many hyperedges have one node."""
        return self._per_edge(self.union.edge_sizes == 1)

    @cached_property
    def isolated(self) -> IntArray:
        """How many nodes are in no hyperedge."""
        return self._per_node(self.union.degrees == 0)

    @cached_property
    def components(self) -> IntArray:
        """How many connected components there are; an isolated node or an empty hyperedge is one."""
        labels = np.concatenate(self.union.components)
        owners = np.concatenate((self.union.node_owner, self.union.edge_owner))
        _, first = np.unique(labels, return_index=True)
        return np.bincount(owners[first], minlength=len(self))

    @cached_property
    def largest_component(self) -> FloatArray:
        """The share of nodes in the largest component; 0 if there are no nodes."""
        labels = self.union.components[0]
        largest = np.zeros(len(self))
        np.maximum.at(largest, self.union.node_owner, np.bincount(labels)[labels] if len(labels) else labels)
        return divide(largest, self.n.astype(float), otherwise=0.0)

    def _per_edge(self, values: Any) -> IntArray:
        return np.bincount(self.union.edge_owner, weights=values, minlength=len(self)).astype(np.int64)

    def _per_node(self, values: Any) -> IntArray:
        return np.bincount(self.union.node_owner, weights=values, minlength=len(self)).astype(np.int64)

    # -- spectra -----------------------------------------------------------------------------------

    @cached_property
    def spectra(self) -> Spectra:
        """The eigenvalues of both Laplacians, and the singular values of the incidence matrix."""
        from hyperhedge.metrics.spectra import Spectra  # torch takes a second to import: only where a spectrum is used

        return Spectra(self.hypergraphs, self.union)

    def node_spectrum(self, first: int | None) -> PooledValues:
        """Return the ``first`` least eigenvalues of L_V (all if None) of all hypergraphs."""
        return PooledValues.of_arrays(self.spectra.node_eigenvalues(first))

    def edge_spectrum(self, first: int | None) -> PooledValues:
        """Return the ``first`` least eigenvalues of L_E (all if None) of all hypergraphs."""
        return PooledValues.of_arrays(self.spectra.edge_eigenvalues(first))

    # -- centralities ------------------------------------------------------------------------------

    @cached_property
    def closeness(self) -> PooledValues:
        """The closeness centrality of hyperedges in their line graph, within the component of each."""

        def within(graph: Any) -> Any:
            return nx.closeness_centrality(graph, wf_improved=False)

        return PooledValues.of_arrays([_line_centrality(H, within) for H in self.hypergraphs])

    @cached_property
    def betweenness(self) -> PooledValues:
        """The betweenness centrality of hyperedges in their line graph, normalised by all pairs of hyperedges."""
        return PooledValues.of_arrays([_line_centrality(H, nx.betweenness_centrality) for H in self.hypergraphs])

    # -- neighbourhoods ----------------------------------------------------------------------------

    def colours(self, rounds: int) -> list[tuple[IntArray, Any]]:
        """Return owner and colour of every node and hyperedge after each round of colour refinement."""
        owners = np.concatenate((self.union.node_owner, self.union.edge_owner))
        return [(owners, np.concatenate(both)) for both in colours_after(self.union.bipartite, rounds)]


def _line_centrality(H: Hypergraph, centrality: Callable[[Any], Any]) -> FloatArray:
    """Return a centrality of the hyperedges in their line graph, which joins those that overlap."""
    centralities = centrality(nx.from_scipy_sparse_array(H.overlaps.astype(bool)))
    return np.array([centralities[j] for j in range(H.m)], dtype=float)
