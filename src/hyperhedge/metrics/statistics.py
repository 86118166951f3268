r"""What is computed once per batch of hypergraphs and shared by every metric.

For :math:`H \in \{0, 1\}^{n \times m}`: degrees :math:`d_V = H\mathbf 1`, sizes :math:`d_E = H^\top\mathbf 1`,
intersections :math:`(H^\top H)_{jk}` of pairs of hyperedges, pair degrees :math:`(H H^\top)_{uv}` of pairs of nodes
that meet, the first eigenvalues of :math:`L_V` (eq. 2) and :math:`L_E` (eqs. 3-4), singular values of :math:`H`,
components, and what may be amiss: empty, singleton and repeated hyperedges, isolated nodes.

Everything is computed when first asked for. Counts come from the disjoint union of the batch
(:mod:`hyperhedge.metrics.union`), through sparse products, so that sizes may vary and a large hypergraph is never a
dense matrix: of its 50 million pairs of hyperedges only those that meet are seen, and the others are one number.
Spectra come from :mod:`hyperhedge.metrics.spectra`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from hyperhedge.canonical import colours_after
from hyperhedge.checks import IntArray
from hyperhedge.generator import list_of_hypergraphs
from hyperhedge.hypergraph import Hypergraph
from hyperhedge.metrics.sample import FloatArray, Sample, ratio
from hyperhedge.metrics.union import Union, meetings

if TYPE_CHECKING:
    from hyperhedge.metrics.spectra import Spectra

__all__ = ["Statistics", "statistics_of"]

#: How many batches keep their statistics: real, generated, train and the ceiling of two evaluations.
_BATCHES_KEPT = 8


def statistics_of(hypergraphs: Iterable[Hypergraph], name: str = "hypergraphs") -> Statistics:
    """Return the statistics of a batch; those of the last few batches are kept.

    Examples
    --------
    >>> batch = [Hypergraph([[0, 1], [1, 2], [0, 1, 2]], nodes=4), Hypergraph([[0], []])]
    >>> statistics = statistics_of(batch)
    >>> statistics.isolated, statistics.empty, statistics.components
    (array([1, 0]), array([0, 1]), array([2, 2]))
    >>> statistics_of(batch) is statistics
    True
    """
    return _kept(tuple(list_of_hypergraphs(hypergraphs, name)))


@lru_cache(maxsize=_BATCHES_KEPT)
def _kept(batch: tuple[Hypergraph, ...]) -> Statistics:
    return Statistics(batch)


class Statistics:
    """The statistics of a batch of hypergraphs; arrays have an entry per hypergraph, samples pool over the batch."""

    def __init__(self, hypergraphs: tuple[Hypergraph, ...]) -> None:
        self.hypergraphs = hypergraphs

    def __len__(self) -> int:
        return len(self.hypergraphs)

    def part(self, count: int, rng: np.random.Generator) -> Statistics:
        """Choose so many hypergraphs at random; all of them if there are not more."""
        if len(self) <= count:
            return self
        return Statistics(tuple(self.hypergraphs[i] for i in rng.choice(len(self), count, replace=False)))

    @cached_property
    def union(self) -> Union:
        """The disjoint union of the batch."""
        return Union.of(self.hypergraphs)

    # -- sizes and marginals -----------------------------------------------------------------------

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
        return self._per_edge(self.union.sizes)

    @cached_property
    def node_numbers(self) -> Sample:
        """One number per hypergraph: how many nodes it has."""
        return Sample.of_integers(np.arange(len(self)), self.n, len(self))

    @cached_property
    def degrees(self) -> Sample:
        """All node degrees."""
        return Sample.of_integers(self.union.node_owner, self.union.degrees, len(self))

    @cached_property
    def sizes(self) -> Sample:
        """All hyperedge sizes."""
        return Sample.of_integers(self.union.edge_owner, self.union.sizes, len(self))

    # -- overlap -----------------------------------------------------------------------------------

    @property
    def intersections(self) -> Sample:
        """The intersections of all pairs of hyperedges, empty ones included."""
        return self._overlaps[0]

    @property
    def repeated(self) -> IntArray:
        """How many hyperedges equal an earlier one."""
        return self._overlaps[1]

    @cached_property
    def _overlaps(self) -> tuple[Sample, IntArray]:
        """Go through the pairs of hyperedges that meet once: their intersections, and which of them are equal."""
        union = self.union
        again = np.zeros(len(union.edge_owner), dtype=bool)
        parts = []
        for first, second, shared in meetings(union.by_edge, union.by_node):
            equal = (shared == union.sizes[first]) & (shared == union.sizes[second])
            again[second[equal]] = True
            parts.append(Sample.of_integers(union.edge_owner[first], shared, len(self)))
        met = sum((part.totals for part in parts), np.zeros(len(self)))
        apart = Sample(np.arange(len(self)), np.zeros(len(self)), self.m * (self.m - 1) / 2 - met, len(self))
        return Sample.joined([apart, *parts]), self._per_edge(again) + np.maximum(self.empty - 1, 0)

    @cached_property
    def pair_degrees(self) -> Sample:
        """How many hyperedges two nodes share, over the pairs that share one."""
        nothing = Sample.of_arrays([np.zeros(0)] * len(self))
        met = (
            Sample.of_integers(self.union.node_owner[first], shared, len(self))
            for first, _, shared in meetings(self.union.by_node, self.union.by_edge)
        )
        return Sample.joined([nothing, *met])

    def tail(self, threshold: int) -> FloatArray:
        """Return the share of pairs of hyperedges that meet in so many nodes; NaN below two hyperedges."""
        return ratio(self.intersections.number_from(threshold), self.intersections.totals)

    # -- what may be amiss -------------------------------------------------------------------------

    @cached_property
    def empty(self) -> IntArray:
        """How many hyperedges are empty."""
        return self._per_edge(self.union.sizes == 0)

    @cached_property
    def singleton(self) -> IntArray:
        """How many hyperedges have one node."""
        return self._per_edge(self.union.sizes == 1)

    @cached_property
    def isolated(self) -> IntArray:
        """How many nodes are in no hyperedge."""
        return self._per_node(self.union.degrees == 0)

    @cached_property
    def components(self) -> IntArray:
        """How many connected components there are; an isolated node is one, and an empty hyperedge too."""
        labels = np.concatenate(self.union.components)
        owners = np.concatenate((self.union.node_owner, self.union.edge_owner))
        _, place = np.unique(labels, return_index=True)
        return np.bincount(owners[place], minlength=len(self))

    @cached_property
    def largest_component(self) -> FloatArray:
        """The share of the nodes that are in the largest component; 0 without nodes."""
        labels = self.union.components[0]
        largest = np.zeros(len(self))
        np.maximum.at(largest, self.union.node_owner, np.bincount(labels)[labels] if len(labels) else labels)
        return ratio(largest, self.n.astype(float), nothing=0.0)

    def _per_edge(self, values: Any) -> IntArray:
        return np.bincount(self.union.edge_owner, weights=values, minlength=len(self)).astype(np.int64)

    def _per_node(self, values: Any) -> IntArray:
        return np.bincount(self.union.node_owner, weights=values, minlength=len(self)).astype(np.int64)

    # -- spectra -----------------------------------------------------------------------------------

    @cached_property
    def spectra(self) -> Spectra:
        """The eigenvalues of both Laplacians, and the singular values of the incidence matrix."""
        from hyperhedge.metrics.spectra import Spectra  # torch is loaded when a spectrum is asked for

        return Spectra(self.hypergraphs, self.union)

    # -- centralities ------------------------------------------------------------------------------

    @cached_property
    def closeness(self) -> Sample:
        """The closeness centrality of hyperedges in their line graph, within the component of each."""

        def within(graph: Any) -> Any:
            return nx.closeness_centrality(graph, wf_improved=False)

        return Sample.of_arrays([_line_centrality(H, within) for H in self.hypergraphs])

    @cached_property
    def betweenness(self) -> Sample:
        """The betweenness centrality of hyperedges in their line graph, normalised by all pairs of hyperedges."""
        return Sample.of_arrays([_line_centrality(H, nx.betweenness_centrality) for H in self.hypergraphs])

    # -- neighbourhoods ----------------------------------------------------------------------------

    def colours(self, rounds: int) -> list[tuple[IntArray, Any]]:
        """Return, for each round of colour refinement, owner and colour of every node and hyperedge."""
        owners = np.concatenate((self.union.node_owner, self.union.edge_owner))
        return [(owners, np.concatenate(both)) for both in colours_after(self.union.bipartite, rounds)]


def _line_centrality(H: Hypergraph, centrality: Callable[[Any], Any]) -> FloatArray:
    """Return a centrality of the hyperedges in the graph that joins two that meet."""
    graph = nx.from_scipy_sparse_array(H.overlaps.astype(bool))
    found = centrality(graph)
    return np.array([found[j] for j in range(H.m)], dtype=float)
