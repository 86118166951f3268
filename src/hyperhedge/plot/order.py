r"""Orders in which structure shows.

*The canonical order* does not depend on the order in which nodes and hyperedges are given. Vertices are sorted by the
colours of refinement (:mod:`hyperhedge.canonical`). The size of its component is part of a vertex's colour. Of twins,
which are interchangeable, the first given is the first. Where colours are still equal, one vertex of the least such
colour is singled out, colours are refined again, and so on; if equal colours mean a symmetry, as they do but for some
regular hypergraphs, every choice gives the same matrix.

*The order of the incidence matrix* is by components, those with the most incidences first, and within one by the
second singular vectors of

.. math:: D_V^{-1/2} H D_E^{-1/2},

scaled by :math:`D_V^{-1/2}` and :math:`D_E^{-1/2}`: the spectral co-ordering of Dhillon (2001), the Fiedler vector of
the bipartite graph's normalised Laplacian. Components become blocks, and overlapping groups lie along the diagonal.
Isolated nodes and empty hyperedges come last.

*Two columns* begin with that order; then each side is sorted in turn by the mean places of its neighbours (the
barycentre heuristic of Sugiyama, Tagawa and Toda, 1981), and of all orders seen the one with the fewest crossings is
kept.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from typing import TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from hyperhedge.canonical import Bipartite, Colours, refine
from hyperhedge.checks import IntArray
from hyperhedge.hypergraph import Hypergraph

__all__ = ["Orders", "canonical_order", "components", "crossings", "incidence_order", "two_columns"]

Orders: TypeAlias = tuple[IntArray, IntArray]

_MOST_CHOICES = 2000
_SWEEPS = 24


def canonical_order(H: Hypergraph) -> Orders:
    """Return the places of nodes and of hyperedges, in an order that comes from the structure alone.

    Examples
    --------
    >>> H = Hypergraph([["a", "b"], ["b", "c", "d"], ["d"]])
    >>> G = H.permute(nodes=[3, 0, 2, 1], edges=[1, 2, 0])
    >>> rows, columns = canonical_order(H)
    >>> again_rows, again_columns = canonical_order(G)
    >>> [H.nodes[i] for i in rows] == [G.nodes[i] for i in again_rows]
    True
    """
    graph = Bipartite(H.n, H.m, H.indices, H.edge_indices)
    transposed = H.dual()
    nodes = _copy_numbers(np.split(transposed.indices, transposed.indptr[1:-1]) if H.n else [])
    edges = _copy_numbers(np.split(H.indices, H.indptr[1:-1]) if H.m else [])
    node_part, edge_part = components(H)
    sizes = np.bincount(np.concatenate([node_part, edge_part])).astype(np.uint64) << np.uint64(32)
    nodes, edges = nodes + sizes[node_part], edges + sizes[edge_part]
    for _ in range(_MOST_CHOICES):
        nodes, edges = refine(graph, nodes, edges)
        if not (_single_out(nodes) or _single_out(edges)):
            break
    return np.argsort(nodes, kind="stable"), np.argsort(edges, kind="stable")


def _copy_numbers(neighbours: list[IntArray]) -> Colours:
    """Give numbers to the vertices that have the same neighbours."""
    seen: dict[bytes, int] = {}
    numbers = np.zeros(len(neighbours), dtype=np.uint64)
    for k, part in enumerate(neighbours):
        key = part.tobytes()
        numbers[k] = seen[key] = seen.get(key, -1) + 1
    return numbers


def _single_out(colours: Colours) -> bool:
    """Change the colour of one vertex among those of the least colour that several have, in place; tell whether there was one."""
    values, first, counts = np.unique(colours, return_index=True, return_counts=True)
    shared = np.flatnonzero(counts > 1)
    if not len(shared):
        return False
    colours[first[shared[0]]] = ~values[shared[0]]
    return True


def components(H: Hypergraph) -> Orders:
    """Return the component of each node and of each hyperedge, numbered from 0."""
    size = H.n + H.m
    ones = np.ones(H.num_incidences)
    graph = sp.coo_array((ones, (H.indices, H.n + H.edge_indices)), shape=(size, size))
    labels = connected_components(graph, directed=False)[1] if size else np.zeros(0, dtype=np.int64)
    return labels[: H.n].astype(np.int64), labels[H.n :].astype(np.int64)


def incidence_order(H: Hypergraph) -> Orders:
    """Return the places of nodes and of hyperedges, ordered so that the matrix shows components and overlaps.

    Examples
    --------
    >>> H = Hypergraph([[0, 2], [1, 3], [2, 4], [3, 5]])
    >>> rows, columns = incidence_order(H)
    >>> H.incidence.toarray()[rows][:, columns]
    array([[1, 0, 0, 0],
           [1, 1, 0, 0],
           [0, 1, 0, 0],
           [0, 0, 1, 0],
           [0, 0, 1, 1],
           [0, 0, 0, 1]])
    """
    rows, columns = canonical_order(H)
    G = H.permute(nodes=rows, edges=columns)
    node_part, edge_part = components(G)
    node_value, edge_value = np.zeros(H.n), np.zeros(H.m)
    weight = np.bincount(edge_part, weights=G.sizes, minlength=int(node_part.max(initial=-1)) + 1)
    matrix = G.incidence
    for part in np.flatnonzero(weight):
        inside, within = np.flatnonzero(node_part == part), np.flatnonzero(edge_part == part)
        node_value[inside], edge_value[within] = _second_vectors(matrix[inside][:, within].toarray())
    rank = np.empty(len(weight), dtype=np.int64)
    rank[np.lexsort((np.arange(len(weight)), -weight))] = np.arange(len(weight))
    by_node = np.lexsort((np.arange(H.n), node_value, rank[node_part]))
    by_edge = np.lexsort((np.arange(H.m), edge_value, rank[edge_part]))
    return rows[by_node], columns[by_edge]


def _second_vectors(block: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the scaled second singular vectors of a connected incidence matrix; zeros if it has one hyperedge or one node.

    They are rounded, so that equal entries stay equal, and turned so that the larger hyperedges come first.
    """
    degrees, sizes = np.sqrt(block.sum(1)), np.sqrt(block.sum(0))
    if min(block.shape) < 2:
        return np.zeros(block.shape[0]), np.zeros(block.shape[1])
    normal = block / degrees[:, None] / sizes
    tall = normal if block.shape[0] >= block.shape[1] else normal.T
    values, vectors = np.linalg.eigh(tall.T @ tall)
    second = vectors[:, -2]
    first = tall @ second / np.sqrt(max(values[-2], 1e-12))
    u, v = (first, second) if tall is normal else (second, first)
    u, v = u / degrees, v / sizes
    lean = round(float((v * block.sum(0) ** 2).sum()), 9) or float(v[np.argmax(np.abs(v).round(9))])
    sign = -1.0 if lean > 0 else 1.0
    return np.round(sign * u, 9), np.round(sign * v, 9)


def two_columns(H: Hypergraph) -> Orders:
    """Return orders of nodes and hyperedges with few crossings when they are drawn in two columns."""
    rows, columns = incidence_order(H)
    best, fewest = (rows, columns), crossings(H, rows, columns)
    matrix = H.incidence
    for sweep in range(_SWEEPS):
        if fewest == 0:
            break
        if sweep % 2:
            rows = _by_barycentre(matrix, rows, columns)
        else:
            columns = _by_barycentre(matrix.T.tocsr(), columns, rows)
        found = crossings(H, rows, columns)
        if found < fewest:
            best, fewest = (rows, columns), found
    return best


def _by_barycentre(matrix: sp.csr_array, mine: IntArray, theirs: IntArray) -> IntArray:
    """Sort one side by the mean places of its neighbours; vertices without any stay at the end, equal ones in their order."""
    places = np.empty(len(theirs))
    places[theirs] = np.arange(len(theirs))
    counts = np.asarray(matrix.sum(1)).ravel()
    means = np.where(counts > 0, (matrix @ places) / np.maximum(counts, 1), np.inf)
    ordered: IntArray = mine[np.argsort(means[mine].round(9), kind="stable")]
    return ordered


def crossings(H: Hypergraph, rows: IntArray, columns: IntArray) -> int:
    """Count the crossings of the straight lines between two columns: the inversions of the incidences.

    Examples
    --------
    >>> import numpy as np
    >>> crossings(Hypergraph([[1], [0]], nodes=2), np.arange(2), np.arange(2))
    1
    """
    node_place, edge_place = np.argsort(rows), np.argsort(columns)
    left, right = node_place[H.indices], edge_place[H.edge_indices]
    seen: list[int] = []
    total = 0
    for place in right[np.lexsort((right, left))].tolist():
        total += len(seen) - bisect_right(seen, place)
        insort(seen, place)
    return total
