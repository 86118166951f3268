"""NetworkX: the bipartite graph of nodes and hyperedges.

A node and a hyperedge may have the same label, two vertices of a graph may not: node ``i`` becomes the
vertex ``i``, hyperedge ``j`` the vertex ``n + j``, and the labels are kept as the attribute ``label``. The
attribute ``bipartite`` marks the sides (0 for nodes, 1 for hyperedges), which is networkx's convention.
"""

from __future__ import annotations

from typing import Any

import networkx as nx

from hyperhedge.convert.coerce import as_hypergraph
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.core.loss import Loss
from hyperhedge.errors import HypergraphError


def to_networkx(H: Any) -> Any:
    """Convert to a bipartite :class:`networkx.Graph`."""
    H = as_hypergraph(H)
    G = nx.Graph()
    G.add_nodes_from((i, {"bipartite": 0, "label": label}) for i, label in enumerate(H.nodes))
    G.add_nodes_from((H.n + j, {"bipartite": 1, "label": label}) for j, label in enumerate(H.edges))
    G.add_edges_from(zip(H.indices.tolist(), (H.n + H.edge_indices).tolist(), strict=True))
    return G


def from_networkx(G: Any) -> Hypergraph:
    """Convert a bipartite graph whose vertices have the attribute ``bipartite``: 0 for nodes, 1 for hyperedges.

    A vertex's label is its attribute ``label``, or the vertex itself. Other attributes of vertices, weights and attributes
    of edges are dropped, with a warning.

    Examples
    --------
    >>> import networkx as nx
    >>> from_networkx(nx.davis_southern_women_graph())
    <Hypergraph: 18 nodes, 14 hyperedges, 89 incidences>
    """
    sides: tuple[dict[Any, int], dict[Any, int]] = ({}, {})
    for vertex, side in G.nodes(data="bipartite"):
        if side not in (0, 1):
            raise HypergraphError(
                f"the vertex {vertex!r} has bipartite={side!r}; set it to 0 for nodes and to 1 for hyperedges"
            )
        sides[side][vertex] = len(sides[side])
    nodes, edges = sides
    pairs = []
    for u, v in G.edges():
        node, edge = (u, v) if u in nodes else (v, u)
        if node not in nodes or edge not in edges:
            raise HypergraphError(f"the edge {u!r}–{v!r} joins two vertices of the same side")
        pairs.append((nodes[node], edges[edge]))
    labels = G.nodes(data="label")
    H = Hypergraph.from_indices(
        [node for node, _ in pairs],
        [edge for _, edge in pairs],
        nodes=[vertex if labels[vertex] is None else labels[vertex] for vertex in nodes],
        edges=[vertex if labels[vertex] is None else labels[vertex] for vertex in edges],
    )
    loss = Loss().add_records([record for _, record in G.nodes(data=True)], kept=("bipartite", "label"))
    loss.add_records([record for *_, record in G.edges(data=True)]).warn()
    return H
