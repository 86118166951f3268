r"""Colour refinement, canonical hashes and isomorphism of hypergraphs.

Two hypergraphs are isomorphic if some pair of permutations of nodes and of hyperedges turns one
incidence matrix into the other, :math:`H' = P H Q^\top`: an isomorphism of their bipartite graphs
that keeps the sides apart.

*Refinement.* Start with one colour for nodes and one for hyperedges. Give each vertex a new colour
made of its own and of the multiset of its neighbours' colours, until no class splits any more. Colours
are 64-bit hashes, a multiset is hashed as the sum of its mixed members, and so one round is one sparse
sum over the incidences: :math:`O(|H|)`, in numpy. The colours do not depend on labels or order;
isomorphic hypergraphs therefore have equal colour counts. The converse fails for some regular
hypergraphs, for which :func:`are_isomorphic` searches.

*Twins.* Isolated nodes, repeated hyperedges and nodes with equal memberships are interchangeable: the
search runs on one of each kind, coloured by how many there are, which removes the symmetries that make
backtracking slow. Where all colours then differ, which is what most data come to, there is one way to match, and no search.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

__all__ = ["Bipartite", "are_isomorphic", "canonical_hash", "colours_after", "refine"]

Colours = NDArray[np.uint64]

_NODE_SEED = np.uint64(0x9E3779B97F4A7C15)
_EDGE_SEED = np.uint64(0xC2B2AE3D27D4EB4F)


@dataclass(frozen=True)
class Bipartite:
    """A hypergraph as its incidences: node ``node_ids[k]`` is in hyperedge ``edge_ids[k]``."""

    n: int
    m: int
    node_ids: NDArray[np.int64]
    edge_ids: NDArray[np.int64]


def _mix(x: Colours) -> Colours:
    """Scramble 64-bit words (the finaliser of splitmix64): a bijection that looks random."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def _neighbour_sums(colours: Colours, sources: NDArray[np.int64], targets: NDArray[np.int64], size: int) -> Colours:
    """Hash, for each target, the multiset of its sources' colours."""
    sums = np.zeros(size, dtype=np.uint64)
    np.add.at(sums, targets, _mix(colours)[sources])
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
    """Return the colours of nodes and of hyperedges after each of so many rounds, from one colour a side.

    After one round they tell degrees and sizes apart; after ``r``, neighbourhoods up to distance ``r``.
    """
    colours = _start(np.zeros(graph.n, dtype=np.uint64), np.zeros(graph.m, dtype=np.uint64))
    found = []
    for _ in range(rounds):
        colours = _round(graph, *colours)
        found.append(colours)
    return found


def _start(nodes: Colours, edges: Colours) -> tuple[Colours, Colours]:
    """Keep the two sides apart."""
    return _mix(nodes + _NODE_SEED), _mix(edges + _EDGE_SEED)


def _round(graph: Bipartite, nodes: Colours, edges: Colours) -> tuple[Colours, Colours]:
    """Refine colours once."""
    new_nodes = _mix(nodes * np.uint64(3) + _neighbour_sums(edges, graph.edge_ids, graph.node_ids, graph.n))
    new_edges = _mix(edges * np.uint64(5) + _neighbour_sums(nodes, graph.node_ids, graph.edge_ids, graph.m))
    return new_nodes, new_edges


def canonical_hash(graph: Bipartite) -> str:
    """Hash a hypergraph up to isomorphism: equal for isomorphic ones, and for few others."""
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
    small, large = _merge_twins(first), _merge_twins(second)
    if not all(np.array_equal(np.sort(a), np.sort(b)) for a, b in zip(small[1:], large[1:], strict=True)):
        return False
    if all(len(np.unique(colours)) == len(colours) for colours in small[1:]):
        return np.array_equal(_in_order(*small), _in_order(*large))
    return bool(nx.vf2pp_is_isomorphic(_coloured(*small), _coloured(*large), node_label="colour"))


def _in_order(graph: Bipartite, node_colours: Colours, edge_colours: Colours) -> NDArray[np.int64]:
    """Return the incidences with vertices numbered by colour, sorted; all colours differ."""
    nodes, edges = (np.argsort(np.argsort(colours)) for colours in (node_colours, edge_colours))
    pairs = np.stack((edges[graph.edge_ids], nodes[graph.node_ids]))
    return pairs[:, np.lexsort(pairs)]


def _merge_twins(graph: Bipartite) -> tuple[Bipartite, Colours, Colours]:
    """Keep one of each set of twins; return the rest with colours that count the twins."""
    node_of, node_counts = _classes(graph.node_ids, graph.edge_ids, graph.n)
    edge_of, edge_counts = _classes(graph.edge_ids, graph.node_ids, graph.m)
    pairs = np.unique(np.stack([node_of[graph.node_ids], edge_of[graph.edge_ids]]), axis=1)
    merged = Bipartite(len(node_counts), len(edge_counts), pairs[0], pairs[1])
    return merged, *refine(merged, node_counts, edge_counts)


def _classes(ids: NDArray[np.int64], neighbours: NDArray[np.int64], size: int) -> tuple[NDArray[np.int64], Colours]:
    """Find the classes of vertices with the same neighbours: each vertex's class, each class's size."""
    order = np.lexsort((neighbours, ids))
    bounds = np.searchsorted(ids[order], np.arange(size + 1))
    sorted_neighbours = neighbours[order]
    number: dict[bytes, int] = {}
    of = np.empty(size, dtype=np.int64)
    for v in range(size):
        key = sorted_neighbours[bounds[v] : bounds[v + 1]].tobytes()
        of[v] = number.setdefault(key, len(number))
    return of, np.bincount(of, minlength=len(number)).astype(np.uint64)


def _coloured(graph: Bipartite, node_colours: Colours, edge_colours: Colours) -> Any:
    """Build the networkx bipartite graph whose vertices carry their colours."""
    result = nx.Graph()
    for side, colours in enumerate((node_colours, edge_colours)):
        result.add_nodes_from(((side, i), {"colour": int(c)}) for i, c in enumerate(colours))
    result.add_edges_from(((0, int(v)), (1, int(e))) for v, e in zip(graph.node_ids, graph.edge_ids, strict=True))
    return result
