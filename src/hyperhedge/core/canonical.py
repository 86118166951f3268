r"""Colour refinement, canonical hashes and isomorphism of hypergraphs.

Two hypergraphs are isomorphic if some pair of permutations of nodes and of hyperedges turns one
incidence matrix into the other, :math:`H' = P H Q^\top`: an isomorphism of their bipartite graphs
that keeps the sides apart.

*Refinement.* Start with one colour for nodes and one for hyperedges. Give each vertex a new colour
made of its old one and the multiset of its neighbours' colours, until no class splits any more. Colours
are 64-bit hashes, and a multiset is hashed as the sum of its mixed members, so one round is one sparse
sum over the incidences: :math:`O(|H|)`, in numpy. The colours do not depend on labels or order;
isomorphic hypergraphs therefore have equal colour counts. The converse fails for some regular
hypergraphs, for which :func:`are_isomorphic` searches.

*Twins.* Isolated nodes, repeated hyperedges and nodes with equal memberships are interchangeable: the
search runs on one of each kind, coloured by how many there are, which removes the symmetries that make
backtracking slow. Where all colours then differ, as they do in most data, only one matching is possible,
and there is no search.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from hyperhedge.typing import IntArray

Colours = NDArray[np.uint64]

_NODE_SEED = np.uint64(0x9E3779B97F4A7C15)
_EDGE_SEED = np.uint64(0xC2B2AE3D27D4EB4F)


@dataclass(frozen=True)
class Bipartite:
    """A hypergraph as its incidences: node ``node_ids[k]`` is in hyperedge ``edge_ids[k]``."""

    n: int
    m: int
    node_ids: IntArray
    edge_ids: IntArray


def mix(x: Colours) -> Colours:
    """Scramble 64-bit words (the finaliser of splitmix64): a bijection that looks random."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def _neighbour_sums(colours: Colours, sources: IntArray, targets: IntArray, size: int) -> Colours:
    """Hash, for each target, the multiset of its sources' colours."""
    sums = np.zeros(size, dtype=np.uint64)
    np.add.at(sums, targets, mix(colours)[sources])
    return sums


def refine(
    graph: Bipartite,
    node_colours: Colours | None = None,
    edge_colours: Colours | None = None,
) -> tuple[Colours, Colours]:
    """Refine colours until no class splits; return those of nodes and of hyperedges."""
    nodes = np.zeros(graph.n, dtype=np.uint64) if node_colours is None else node_colours
    edges = np.zeros(graph.m, dtype=np.uint64) if edge_colours is None else edge_colours
    nodes, edges = _start(nodes, edges)
    classes = -1
    while True:
        count = len(np.unique(nodes)) + len(np.unique(edges))
        if count == classes:
            return nodes, edges
        classes = count
        nodes, edges = _round(graph, nodes, edges)


def colours_after(graph: Bipartite, rounds: int) -> list[tuple[Colours, Colours]]:
    """Return the colours of nodes and of hyperedges after each round, starting with one colour per side.

    After one round they tell degrees and sizes apart; after ``r``, neighbourhoods up to distance ``r``.
    """
    colours = _start(np.zeros(graph.n, dtype=np.uint64), np.zeros(graph.m, dtype=np.uint64))
    history = []
    for _ in range(rounds):
        colours = _round(graph, *colours)
        history.append(colours)
    return history


def _start(nodes: Colours, edges: Colours) -> tuple[Colours, Colours]:
    """Mix the initial colours so that those of nodes and of hyperedges differ."""
    return mix(nodes + _NODE_SEED), mix(edges + _EDGE_SEED)


def _round(graph: Bipartite, nodes: Colours, edges: Colours) -> tuple[Colours, Colours]:
    """Refine colours once."""
    new_nodes = mix(nodes * np.uint64(3) + _neighbour_sums(edges, graph.edge_ids, graph.node_ids, graph.n))
    new_edges = mix(edges * np.uint64(5) + _neighbour_sums(nodes, graph.node_ids, graph.edge_ids, graph.m))
    return new_nodes, new_edges


def canonical_hash(graph: Bipartite) -> str:
    """Hash a hypergraph up to isomorphism; few hypergraphs that are not isomorphic have the same hash."""
    nodes, edges = refine(graph)
    digest = hashlib.blake2b(f"{graph.n},{graph.m};".encode(), digest_size=16)
    digest.update(np.sort(nodes).astype("<u8").tobytes())
    digest.update(np.sort(edges).astype("<u8").tobytes())
    return digest.hexdigest()


def are_isomorphic(first: Bipartite, second: Bipartite) -> bool:
    """Decide exactly whether two hypergraphs are isomorphic."""
    if (first.n, first.m) != (second.n, second.m):
        return False
    if first.n + first.m == 0:
        return True  # networkx says that empty graphs differ
    if len(first.node_ids) != len(second.node_ids):
        return False
    one, other = _merge_twins(first), _merge_twins(second)
    if not all(np.array_equal(np.sort(a), np.sort(b)) for a, b in zip(one[1:], other[1:], strict=True)):
        return False
    if all(len(np.unique(colours)) == len(colours) for colours in one[1:]):
        return np.array_equal(_sorted_by_colour(*one), _sorted_by_colour(*other))
    return bool(nx.vf2pp_is_isomorphic(_coloured(*one), _coloured(*other), node_label="colour"))


def _sorted_by_colour(graph: Bipartite, node_colours: Colours, edge_colours: Colours) -> IntArray:
    """Return the incidences, sorted, of the graph with its vertices numbered by colour; all colours differ."""
    nodes = np.argsort(np.argsort(node_colours))
    edges = np.argsort(np.argsort(edge_colours))
    pairs = np.stack((edges[graph.edge_ids], nodes[graph.node_ids]))
    return pairs[:, np.lexsort(pairs)]


def _merge_twins(graph: Bipartite) -> tuple[Bipartite, Colours, Colours]:
    """Return the graph with one vertex for each set of twins, and colours that depend on the number of twins."""
    node_of, node_counts = _classes(graph.node_ids, graph.edge_ids, graph.n)
    edge_of, edge_counts = _classes(graph.edge_ids, graph.node_ids, graph.m)
    pairs = np.unique(np.stack([node_of[graph.node_ids], edge_of[graph.edge_ids]]), axis=1)
    merged = Bipartite(len(node_counts), len(edge_counts), pairs[0], pairs[1])
    return merged, *refine(merged, node_counts, edge_counts)


def _classes(ids: IntArray, neighbours: IntArray, size: int) -> tuple[IntArray, Colours]:
    """Class vertices by their neighbours: return the class of each vertex and the size of each class."""
    order = np.lexsort((neighbours, ids))
    bounds = np.searchsorted(ids[order], np.arange(size + 1))
    sorted_neighbours = neighbours[order]
    classes: dict[bytes, int] = {}
    class_of = np.empty(size, dtype=np.int64)
    for v in range(size):
        key = sorted_neighbours[bounds[v] : bounds[v + 1]].tobytes()
        class_of[v] = classes.setdefault(key, len(classes))
    return class_of, np.bincount(class_of, minlength=len(classes)).astype(np.uint64)


def _coloured(graph: Bipartite, node_colours: Colours, edge_colours: Colours) -> Any:
    """Return the networkx bipartite graph with the colours as an attribute of its vertices."""
    result = nx.Graph()
    for side, colours in enumerate((node_colours, edge_colours)):
        result.add_nodes_from(((side, i), {"colour": int(c)}) for i, c in enumerate(colours))
    result.add_edges_from(((0, int(v)), (1, int(e))) for v, e in zip(graph.node_ids, graph.edge_ids, strict=True))
    return result
