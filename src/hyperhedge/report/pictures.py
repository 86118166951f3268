r"""How the page shows a hypergraph: the order of nodes and hyperedges in its matrix, and their positions in the plane.

*The order.* Hyperedges that share members should be neighbours. They are clustered by their Jaccard distance
:math:`1 - |e \cap f| / |e \cup f|` (average linkage), with the leaves in the order that minimises the sum of the distances between
neighbours. A node then stands at the mean position of its hyperedges, so groups become blocks along the diagonal. Isolated nodes
and empty hyperedges come last.

*The positions.* Nodes and hyperedges of each connected component are laid out so that distances in the plane match distances
along incidences as closely as possible: the stress

.. math:: \sum_{i<j} d_{ij}^{-2} (\|x_i - x_j\| - d_{ij})^2

falls in every step of its majorisation (SMACOF), which starts from the two main axes of the distances (classical scaling). Each
component is rotated until its longer side is horizontal, and the components are packed in rows, the largest first. Springs
(Fruchterman and Reingold) crowd the dense middle of such hypergraphs and fling out the rest. Everything depends on the hypergraph
alone: the same one always looks the same.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.sparse.csgraph import connected_components, shortest_path
from scipy.spatial.distance import pdist, squareform

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.core.labels import Labels
from hyperhedge.typing import FloatArray, IntArray

__all__ = ["GRID", "MOST", "Picture", "layout", "matrix_order"]

#: Positions are whole numbers in a square of this side: a third of a pixel at the size of the page.
GRID = 1000

#: The most nodes, the most hyperedges and the most incidences that are shown one by one; with more, nothing can be told apart.
MOST, MOST_INCIDENCES = 160, 2500

#: The side to which the matrix of a larger hypergraph is reduced, about two pixels per cell on a phone.
REDUCED = 80

_LABEL_LENGTH = 60  # what fits on the line below a picture
_STEPS = 80  # of majorisation, after which a layout no longer changes visibly


@dataclass(frozen=True)
class Picture:
    """A hypergraph as the page shows it; nodes and hyperedges are in the order of the matrix.

    Attributes
    ----------
    n, m
        The numbers of nodes and of hyperedges.
    node_order, edge_order
        The index of the node in each row and of the hyperedge in each column.
    rows, columns
        Where each incidence is in the matrix.
    positions
        Those of nodes and of hyperedges in the plane, each ``(·, 2)``; None if there are too many to show.
    """

    n: int
    m: int
    node_order: IntArray
    edge_order: IntArray
    rows: IntArray
    columns: IntArray
    positions: tuple[IntArray, IntArray] | None

    @classmethod
    def of(cls, H: Hypergraph) -> Picture:
        """Order and lay out a hypergraph.

        Examples
        --------
        >>> picture = Picture.of(Hypergraph([[0, 1], [3, 4], [1, 0, 2]], nodes=6))
        >>> picture.edge_order.tolist(), picture.node_order[-1].item()      # overlapping ones are neighbours; 5 is isolated
        ([1, 2, 0], 5)
        """
        node_order, edge_order = matrix_order(H)
        positions = None
        if H.n <= MOST and H.m <= MOST and H.num_incidences <= MOST_INCIDENCES:
            nodes, edges = layout(H)
            positions = nodes[node_order], edges[edge_order]
        rows, columns = np.argsort(node_order)[H.indices], np.argsort(edge_order)[H.edge_indices]
        return cls(H.n, H.m, node_order, edge_order, rows, columns, positions)

    def as_data(self, H: Hypergraph) -> dict[str, Any]:
        """Return what the page's script shows."""
        data: dict[str, Any] = {"n": self.n, "m": self.m, "incidences": H.num_incidences}
        if self.positions is None:
            return data | {"shares": _reduced(self)}
        nodes, edges = self.positions
        return data | {
            "rows": self.rows.tolist(),
            "columns": self.columns.tolist(),
            "nodes": nodes.ravel().tolist(),
            "edges": edges.ravel().tolist(),
            "nodeLabels": _labels(H.nodes, self.node_order),
            "edgeLabels": _labels(H.edges, self.edge_order),
        }


def _labels(labels: Labels, order: IntArray) -> list[str]:
    """Write labels in an order: long ones shortened, unprintable characters as dots."""
    texts = (str(labels[index]) for index in order.tolist())
    printable = ("".join(c if c.isprintable() else "·" for c in text) for text in texts)
    return [text if len(text) <= _LABEL_LENGTH else text[: _LABEL_LENGTH - 1] + "…" for text in printable]


def _reduced(picture: Picture) -> dict[str, Any]:
    """Return the share of ones in each cell of a smaller matrix, in percent of the fullest cell; roots, to show sparse cells."""
    rows, columns = min(picture.n, REDUCED), min(picture.m, REDUCED)
    cells = picture.rows * rows // max(picture.n, 1) * columns + picture.columns * columns // max(picture.m, 1)
    ones = np.bincount(cells, minlength=rows * columns)
    scaled = np.ceil(100 * np.sqrt(ones / max(ones.max(initial=1), 1))).astype(int)
    return {"rows": rows, "columns": columns, "percent": scaled.tolist()}


# -- the order ---------------------------------------------------------------------------------------


def matrix_order(H: Hypergraph) -> tuple[IntArray, IntArray]:
    """Return the nodes and the hyperedges in the order of the matrix."""
    edges = _edge_order(H)
    position = np.argsort(edges)
    sums = np.bincount(H.indices, weights=position[H.edge_indices], minlength=H.n)
    means = np.divide(sums, H.degrees, out=np.full(H.n, np.inf), where=H.degrees > 0)
    nodes: IntArray = np.lexsort((np.arange(H.n), -H.degrees, means))
    return nodes, edges


def _edge_order(H: Hypergraph) -> IntArray:
    full, empty = np.flatnonzero(H.edge_sizes > 0), np.flatnonzero(H.edge_sizes == 0)
    if len(full) > MOST or len(full) < 3:
        order = np.lexsort((np.arange(len(full)), -H.edge_sizes[full]))
        return np.concatenate((full[order], empty))
    shared = H.overlaps.toarray()[np.ix_(full, full)].astype(float)
    union = H.edge_sizes[full][:, None] + H.edge_sizes[full] - shared
    distance = 1 - shared / union
    np.fill_diagonal(distance, 0.0)
    leaves = leaves_list(linkage(squareform(distance, checks=False), "average", optimal_ordering=True))
    return np.concatenate((full[leaves], empty)).astype(np.int64)


# -- the positions -----------------------------------------------------------------------------------


def layout(H: Hypergraph) -> tuple[IntArray, IntArray]:
    """Return positions of nodes and of hyperedges, whole numbers from 0 to :data:`GRID`."""
    one_way = sp.csr_array((np.ones(H.num_incidences), (H.indices, H.n + H.edge_indices)), shape=(H.n + H.m, H.n + H.m))
    graph = sp.csr_array(one_way + one_way.T)
    _, labels = connected_components(graph, directed=False)
    components = [np.flatnonzero(labels == k) for k in range(labels.max(initial=-1) + 1)]
    components.sort(key=lambda members: (-len(members), members[0]))
    boxes = [_box(graph[members][:, members]) for members in components]
    corners = _packed([box.max(axis=0, initial=0.0) for box in boxes])
    points = np.zeros((H.n + H.m, 2))
    for members, box, corner in zip(components, boxes, corners, strict=True):
        points[members] = box + corner
    extent = points.max(initial=1e-9)
    margin = (extent - points.max(axis=0, initial=0.0)) / 2  # the shorter side is centred
    positions = np.rint((points + margin) / extent * GRID).astype(np.int64)
    return positions[: H.n], positions[H.n :]


def _box(graph: Any) -> FloatArray:
    """Lay out one component in a box whose area goes with its number of members."""
    if graph.shape[0] == 1:
        return np.zeros((1, 2))
    points = _least_stress(shortest_path(graph, directed=False, unweighted=True))
    points -= points.mean(axis=0)
    _, _, axes = np.linalg.svd(points, full_matrices=False)
    rotated = points @ axes.T
    rotated -= rotated.min(axis=0)
    return np.asarray(rotated / max(rotated.max(), 1e-9) * np.sqrt(len(rotated)))


def _least_stress(distance: FloatArray) -> FloatArray:
    """Place points about as far apart as they should be, ``(count, 2)``."""
    count = len(distance)
    centring = np.eye(count) - 1 / count
    values, vectors = np.linalg.eigh(-0.5 * centring @ distance**2 @ centring)
    points = vectors[:, -2:] * np.sqrt(np.maximum(values[-2:], 0.0))
    points = points + 0.01 * np.random.default_rng(0).standard_normal((count, 2))  # twins start apart
    weights = np.divide(1.0, distance**2, out=np.zeros_like(distance), where=distance > 0)
    inverse = np.linalg.pinv(np.diag(weights.sum(axis=1)) - weights)
    for _ in range(_STEPS):
        apart = squareform(pdist(points))
        pull = -np.divide(weights * distance, apart, out=np.zeros_like(apart), where=apart > 0)
        np.fill_diagonal(pull, -pull.sum(axis=1))
        points = inverse @ (pull @ points)
    return np.asarray(points)


def _packed(extents: list[FloatArray], gap: float = 1.0) -> FloatArray:
    """Pack boxes in rows, about as wide as high, or below the first one if it takes most of the area; return their corners."""
    areas = [float((w + gap) * (h + gap)) for w, h in extents]
    widest = max((float(w) for w, _ in extents), default=0.0)
    width = widest if areas and areas[0] > sum(areas) / 2 else max(widest, 1.1 * math.sqrt(sum(areas)))
    corners, x, y, height = [], 0.0, 0.0, 0.0
    for w, h in extents:
        if x and x + w > width:
            x, y, height = 0.0, y + height + gap, 0.0
        corners.append((x, y))
        x, height = x + w + gap, max(height, h)
    return np.array(corners).reshape(-1, 2)
