r"""Orders in which structure shows.

*The canonical order* does not depend on the order in which nodes and hyperedges come. Vertices are sorted by the
colours of refinement (:mod:`hyperhedge.core.canonical`), which include the size of a vertex's component. Twins are
interchangeable and keep their order. Where colours are still equal, one vertex of the least such colour is singled out,
colours are refined again, and so on; if equal colours mean a symmetry, as they do except in some regular hypergraphs,
every choice gives the same matrix.

*The order of the incidence matrix* is by components, those with the most incidences first, and within a component by
the second singular vectors of

.. math:: D_V^{-1/2} H D_E^{-1/2},

scaled by :math:`D_V^{-1/2}` and :math:`D_E^{-1/2}`: the spectral co-ordering of Dhillon (2001), the Fiedler vector of
the bipartite graph's normalised Laplacian. Components become blocks, and overlapping groups lie along the diagonal.
Isolated nodes and empty hyperedges come last. With more than 2,000 vertices, colours are refined without singling out
vertices, and components are ordered by bisection (:mod:`~hyperhedge.plotting.bisection`); vertices that refinement cannot
tell apart keep the order in which they come.

*Two columns* begin with that order; then each side is sorted in turn by the mean positions of its neighbours (the
barycentre heuristic of Sugiyama, Tagawa and Toda, 1981), and of all orders seen the one with the fewest crossings is
kept.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from typing import TypeAlias

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from hyperhedge.core.canonical import Bipartite, Colours, refine
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.plotting.bisection import bisected
from hyperhedge.typing import FloatArray, IntArray

Orders: TypeAlias = tuple[IntArray, IntArray]
"""An array for the nodes and one for the hyperedges."""

MOST_VERTICES = 2000  #: that are ordered and laid out one by one
_BINS = 400  # the pixels of a picture of a large matrix, on a side: smaller blocks need no order
_SWEEPS = 24  # in 33 small hypergraphs the last one that helped was the tenth, usually the second to fourth


def canonical_order(H: Hypergraph) -> Orders:
    """Return nodes and hyperedges, as indices, in an order that depends on the structure alone.

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
    of_nodes, of_edges = components(H)
    # In the upper half of the colour, above the copy numbers, which are less than 2³².
    sizes = np.bincount(np.concatenate([of_nodes, of_edges])).astype(np.uint64) << np.uint64(32)
    nodes, edges = nodes + sizes[of_nodes], edges + sizes[of_edges]
    for _ in range(MOST_VERTICES):
        nodes, edges = refine(graph, nodes, edges)
        if not (_single_out(nodes) or _single_out(edges)):
            break
    return np.argsort(nodes, kind="stable"), np.argsort(edges, kind="stable")


def _copy_numbers(neighbours: list[IntArray]) -> Colours:
    """Give each vertex its number among those with the same neighbours."""
    seen: dict[bytes, int] = {}
    numbers = np.zeros(len(neighbours), dtype=np.uint64)
    for k, members in enumerate(neighbours):
        key = members.tobytes()
        numbers[k] = seen[key] = seen.get(key, -1) + 1
    return numbers


def _single_out(colours: Colours) -> bool:
    """Change the colour of one vertex of the least colour that several share, in place; return whether there was one."""
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
    """Return nodes and hyperedges, as indices, in an order in which the matrix shows components and overlaps.

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
    if H.n + H.m > MOST_VERTICES:
        return _large_order(H)
    rows, columns = canonical_order(H)
    G = H.permute(nodes=rows, edges=columns)
    of_nodes, of_edges = components(G)
    node_value, edge_value = np.zeros(H.n), np.zeros(H.m)
    incidences = np.bincount(of_edges, weights=G.edge_sizes, minlength=int(of_nodes.max(initial=-1)) + 1)
    matrix = G.incidence
    for component in np.flatnonzero(incidences):
        nodes, edges = np.flatnonzero(of_nodes == component), np.flatnonzero(of_edges == component)
        node_value[nodes], edge_value[edges] = _second_vectors(matrix[nodes][:, edges].toarray())
    rank = np.argsort(np.argsort(-incidences, kind="stable"))
    by_node = np.lexsort((np.arange(H.n), node_value, rank[of_nodes]))
    by_edge = np.lexsort((np.arange(H.m), edge_value, rank[of_edges]))
    return rows[by_node], columns[by_edge]


def _large_order(H: Hypergraph) -> Orders:
    """Order by components, those with the most incidences first, and bisect those that are larger than a pixel."""
    colours = refine(Bipartite(H.n, H.m, H.indices, H.edge_indices))
    rows, columns = (np.argsort(side, kind="stable") for side in colours)
    of_nodes, of_edges = components(H)
    incidences = np.bincount(of_edges, weights=H.edge_sizes, minlength=int(of_nodes.max(initial=-1)) + 1)
    first_row = np.full(len(incidences), H.n)  # in the order of colours; it decides between components of one size
    np.minimum.at(first_row, of_nodes[rows], np.arange(H.n))
    rank = np.argsort(np.lexsort((first_row, -incidences)))
    rows, columns = rows[_stable(rank[of_nodes][rows])], columns[_stable(rank[of_edges][columns])]
    leaf = max(2, (H.n + H.m) // _BINS)
    sizes = np.bincount(rank[of_nodes], minlength=len(rank)) + np.bincount(rank[of_edges], minlength=len(rank))
    matrix = H.incidence
    for large in np.flatnonzero((sizes > leaf) & (np.sort(incidences)[::-1] > 0)):
        inside = tuple(np.flatnonzero(rank[of][side] == large) for of, side in ((of_nodes, rows), (of_edges, columns)))
        rows[inside[0]], columns[inside[1]] = bisected(matrix, (rows[inside[0]], columns[inside[1]]), leaf)
    return rows, columns


def _stable(values: FloatArray | IntArray) -> IntArray:
    return np.argsort(values, kind="stable")


def _second_vectors(block: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the scaled second singular vectors of a connected incidence matrix; zeros if it has one hyperedge or one node.

    They are rounded, so equal entries stay equal, and their sign puts the larger hyperedges first.
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
    """Return orders of nodes and hyperedges with few crossings between two columns."""
    rows, columns = incidence_order(H)
    best, fewest = (rows, columns), crossings(H, rows, columns)
    matrix = H.incidence
    for sweep in range(_SWEEPS):
        if fewest == 0:
            break
        if sweep % 2:
            rows = by_barycentre(matrix, rows, columns)
        else:
            columns = by_barycentre(matrix.T.tocsr(), columns, rows)
        count = crossings(H, rows, columns)
        if count < fewest:
            best, fewest = (rows, columns), count
    return best


def by_barycentre(matrix: sp.csr_array, order: IntArray, neighbours: IntArray) -> IntArray:
    """Sort one side by the mean positions of its neighbours; vertices without any come last, equal ones keep their order."""
    positions = np.argsort(neighbours).astype(np.float64)
    counts = np.asarray(matrix.sum(1)).ravel()
    means = np.where(counts > 0, (matrix @ positions) / np.maximum(counts, 1), np.inf)
    ordered: IntArray = order[np.argsort(means[order].round(9), kind="stable")]
    return ordered


def crossings(H: Hypergraph, rows: IntArray, columns: IntArray) -> int:
    """Count the crossings of the straight lines between two columns: the inversions of the incidences.

    Examples
    --------
    >>> import numpy as np
    >>> crossings(Hypergraph([[1], [0]], nodes=2), np.arange(2), np.arange(2))
    1
    """
    left, right = np.argsort(rows)[H.indices], np.argsort(columns)[H.edge_indices]
    seen: list[int] = []
    total = 0
    for position in right[np.lexsort((right, left))].tolist():
        total += len(seen) - bisect_right(seen, position)
        insort(seen, position)
    return total
