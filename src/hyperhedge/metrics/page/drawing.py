r"""Where the nodes and hyperedges of a hypergraph are drawn: in what order in the matrix, at which places in the plane.

*The order.* Hyperedges that share members should be neighbours: they are clustered by their Jaccard distance
:math:`1 - |e \cap f| / |e \cup f|` (average linkage), and the leaves are put in the order that makes the sum of the distances
between neighbours least. A node then stands at the mean place of its hyperedges, so that groups become blocks along the diagonal.
Isolated nodes and empty hyperedges come last.

*The places.* Nodes and hyperedges of each connected component are placed so that distances in the plane are those along
incidences, as nearly as they can be: the stress

.. math:: \sum_{i<j} d_{ij}^{-2} (\|x_i - x_j\| - d_{ij})^2

falls in every step of its majorisation (SMACOF), which starts from the two main axes of the distances (classical scaling). Each
component is turned so that its longer side lies flat, and they are packed in rows, the largest first. Springs (Fruchterman and
Reingold) crowd the dense middle of such hypergraphs and fling out the rest. All of it depends on the hypergraph alone: the same one
always looks the same.
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

from hyperhedge.checks import IntArray
from hyperhedge.hypergraph import Hypergraph
from hyperhedge.labels import Labels
from hyperhedge.metrics.sample import FloatArray

__all__ = ["GRID", "MOST", "Drawing", "ordered", "places"]

#: The side of the square in which places are whole numbers.
GRID = 1000

#: The most nodes, and the most hyperedges, that are drawn one by one; and the most incidences.
MOST, MOST_INCIDENCES = 160, 2500

#: The side to which the matrix of a larger hypergraph is reduced.
REDUCED = 80

_LABEL_LENGTH = 60
_STEPS = 80


@dataclass(frozen=True)
class Drawing:
    """A hypergraph as it is drawn; nodes and hyperedges are in the order of the matrix."""

    n: int
    m: int
    node_order: IntArray
    edge_order: IntArray
    rows: IntArray  #: of each incidence
    columns: IntArray
    places: tuple[IntArray, IntArray] | None  #: of nodes and of hyperedges, (·, 2); None if there are too many

    @classmethod
    def of(cls, H: Hypergraph) -> Drawing:
        """Order and place everything.

        Examples
        --------
        >>> drawing = Drawing.of(Hypergraph([[0, 1], [3, 4], [1, 0, 2]], nodes=6))
        >>> drawing.edge_order.tolist(), drawing.node_order[-1].item()      # those that overlap are neighbours; 5 is isolated
        ([1, 2, 0], 5)
        """
        node_order, edge_order = ordered(H)
        drawn = H.n <= MOST and H.m <= MOST and H.num_incidences <= MOST_INCIDENCES
        found = None
        if drawn:
            nodes, edges = places(H)
            found = nodes[node_order], edges[edge_order]
        rows, columns = np.argsort(node_order)[H.indices], np.argsort(edge_order)[H.edge_indices]
        return cls(H.n, H.m, node_order, edge_order, rows, columns, found)

    def as_data(self, H: Hypergraph) -> dict[str, Any]:
        """Return what the page's script draws."""
        data: dict[str, Any] = {"n": self.n, "m": self.m, "incidences": H.num_incidences}
        if self.places is None:
            return data | {"shares": _reduced(self)}
        nodes, edges = self.places
        return data | {
            "rows": self.rows.tolist(),
            "columns": self.columns.tolist(),
            "nodes": nodes.ravel().tolist(),
            "edges": edges.ravel().tolist(),
            "nodeLabels": _labels(H.nodes, self.node_order),
            "edgeLabels": _labels(H.edges, self.edge_order),
        }


def _labels(labels: Labels, order: IntArray) -> list[str]:
    """Write labels in an order, long ones shortened, what cannot be printed as dots."""
    texts = (str(labels[place]) for place in order.tolist())
    printable = ("".join(c if c.isprintable() else "·" for c in text) for text in texts)
    return [text if len(text) <= _LABEL_LENGTH else text[: _LABEL_LENGTH - 1] + "…" for text in printable]


def _reduced(drawing: Drawing) -> dict[str, Any]:
    """Return the shares of ones in the cells of a smaller matrix, in percent of the fullest cell."""
    rows, columns = min(drawing.n, REDUCED), min(drawing.m, REDUCED)
    cells = drawing.rows * rows // max(drawing.n, 1) * columns + drawing.columns * columns // max(drawing.m, 1)
    ones = np.bincount(cells, minlength=rows * columns)
    scaled = np.ceil(100 * np.sqrt(ones / max(ones.max(initial=1), 1))).astype(int)
    return {"rows": rows, "columns": columns, "percent": scaled.tolist()}


# -- the order ---------------------------------------------------------------------------------------


def ordered(H: Hypergraph) -> tuple[IntArray, IntArray]:
    """Return the nodes and the hyperedges in the order of the matrix."""
    edges = _edge_order(H)
    position = np.argsort(edges)
    sums = np.bincount(H.indices, weights=position[H.edge_indices], minlength=H.n)
    means = np.divide(sums, H.degrees, out=np.full(H.n, np.inf), where=H.degrees > 0)
    nodes: IntArray = np.lexsort((np.arange(H.n), -H.degrees, means))
    return nodes, edges


def _edge_order(H: Hypergraph) -> IntArray:
    full, empty = np.flatnonzero(H.sizes > 0), np.flatnonzero(H.sizes == 0)
    if len(full) > MOST or len(full) < 3:
        order = np.lexsort((np.arange(len(full)), -H.sizes[full]))
        return np.concatenate((full[order], empty))
    shared = H.overlaps.toarray()[np.ix_(full, full)].astype(float)
    union = H.sizes[full][:, None] + H.sizes[full] - shared
    distance = 1 - shared / union
    np.fill_diagonal(distance, 0.0)
    leaves = leaves_list(linkage(squareform(distance, checks=False), "average", optimal_ordering=True))
    return np.concatenate((full[leaves], empty)).astype(np.int64)


# -- the places --------------------------------------------------------------------------------------


def places(H: Hypergraph) -> tuple[IntArray, IntArray]:
    """Return places of nodes and of hyperedges, whole numbers from 0 to :data:`GRID`."""
    one_way = sp.csr_array((np.ones(H.num_incidences), (H.indices, H.n + H.edge_indices)), shape=(H.n + H.m, H.n + H.m))
    graph = sp.csr_array(one_way + one_way.T)
    _, component = connected_components(graph, directed=False)
    parts = [np.flatnonzero(component == k) for k in range(component.max(initial=-1) + 1)]
    parts.sort(key=lambda part: (-len(part), part[0]))
    boxes = [_box(graph[part][:, part]) for part in parts]
    corners = _packed([box.max(axis=0, initial=0.0) for box in boxes])
    found = np.zeros((H.n + H.m, 2))
    for part, box, corner in zip(parts, boxes, corners, strict=True):
        found[part] = box + corner
    extent = found.max(initial=1e-9)
    margin = (extent - found.max(axis=0, initial=0.0)) / 2  # the shorter side is centred
    scaled = np.rint((found + margin) / extent * GRID).astype(np.int64)
    return scaled[: H.n], scaled[H.n :]


def _box(graph: Any) -> FloatArray:
    """Lay out one component in a box whose area goes with its number of members."""
    if graph.shape[0] == 1:
        return np.zeros((1, 2))
    points = _least_stress(shortest_path(graph, directed=False, unweighted=True))
    points -= points.mean(axis=0)
    _, _, axes = np.linalg.svd(points, full_matrices=False)
    turned = points @ axes.T
    turned -= turned.min(axis=0)
    return np.asarray(turned / max(turned.max(), 1e-9) * np.sqrt(len(turned)))


def _least_stress(distance: FloatArray) -> FloatArray:
    """Place points so that they are about as far apart as they should be, (count, 2)."""
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


def _packed(sizes: list[FloatArray], gap: float = 1.0) -> FloatArray:
    """Put boxes in rows, about as wide as high, or below the first one if that is most of it; return their corners."""
    areas = [float((w + gap) * (h + gap)) for w, h in sizes]
    widest = max((float(w) for w, _ in sizes), default=0.0)
    width = widest if areas and areas[0] > sum(areas) / 2 else max(widest, 1.1 * math.sqrt(sum(areas)))
    corners, x, y, height = [], 0.0, 0.0, 0.0
    for w, h in sizes:
        if x and x + w > width:
            x, y, height = 0.0, y + height + gap, 0.0
        corners.append((x, y))
        x, height = x + w + gap, max(height, h)
    return np.array(corners).reshape(-1, 2)
