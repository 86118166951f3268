r"""Where the nodes and hyperedges of a hypergraph are drawn: in what order in the matrix, at which places in the plane.

*The order.* Hyperedges that share members should be neighbours: they are clustered by their Jaccard distance
:math:`1 - |e \cap f| / |e \cup f|` (average linkage), and the leaves are put in the order that makes the sum of the distances
between neighbours least. A node then stands at the mean place of its hyperedges, so that groups become blocks along the diagonal.
Isolated nodes and empty hyperedges come last.

*The places.* Nodes and hyperedges of each connected component are laid out by springs along incidences (Fruchterman and Reingold, with
a fixed seed), turned so that the longer side lies flat, and packed in rows, the largest component first. All of it depends on the
hypergraph alone: the same one always looks the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

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
_STEPS = 60


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
        ([1, 0, 2], 5)
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
    graph = nx.Graph()
    graph.add_nodes_from(range(H.n + H.m))
    graph.add_edges_from(zip(H.indices.tolist(), (H.n + H.edge_indices).tolist(), strict=True))
    parts = sorted((sorted(part) for part in nx.connected_components(graph)), key=lambda part: (-len(part), part[0]))
    boxes = [_box(graph.subgraph(part), part) for part in parts]
    corners = _packed([box.max(axis=0, initial=0.0) for box in boxes])
    found = np.zeros((H.n + H.m, 2))
    for part, box, corner in zip(parts, boxes, corners, strict=True):
        found[part] = box + corner
    extent = found.max(initial=1e-9)
    margin = (extent - found.max(axis=0, initial=0.0)) / 2  # the shorter side is centred
    scaled = np.rint((found + margin) / extent * GRID).astype(np.int64)
    return scaled[: H.n], scaled[H.n :]


def _box(graph: Any, part: list[int]) -> FloatArray:
    """Lay out one component in a box whose area goes with its number of members."""
    if len(part) == 1:
        return np.zeros((1, 2))
    found = nx.spring_layout(graph, seed=0, iterations=_STEPS, k=1.8 / np.sqrt(len(part)))
    points = np.array([found[member] for member in part])
    points -= points.mean(axis=0)
    _, _, axes = np.linalg.svd(points, full_matrices=False)
    turned = points @ axes.T
    side = np.sqrt(len(part))
    turned = (turned - turned.min(axis=0)) / max(np.ptp(turned, axis=0).max(), 1e-9) * side
    return np.asarray(turned)


def _packed(sizes: list[FloatArray], gap: float = 1.0) -> FloatArray:
    """Put boxes in rows, about as wide as high; return their corners."""
    width = max(
        np.sqrt(sum((w + gap) * (h + gap) for w, h in sizes)) * 1.1,
        max((float(w) for w, _ in sizes), default=0.0),
    )
    corners, x, y, height = [], 0.0, 0.0, 0.0
    for w, h in sizes:
        if x and x + w > width:
            x, y, height = 0.0, y + height + gap, 0.0
        corners.append((x, y))
        x, height = x + w + gap, max(height, h)
    return np.array(corners).reshape(-1, 2)
