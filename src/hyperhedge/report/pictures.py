r"""How the page shows a hypergraph: the order of nodes and hyperedges in its matrix, and their positions in the plane.

Both are those of :mod:`hyperhedge.plotting`: the spectral order of the incidence matrix, and the force layout. They depend on the
structure alone, so the same hypergraph always looks the same. Hulls are faint on the page, so nodes are not moved out of them. A
matrix that is too large for the spectral order has its largest hyperedges first, and each node at the mean position of its
hyperedges.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.core.labels import Labels
from hyperhedge.plotting.layout import force_layout
from hyperhedge.plotting.order import Orders, by_barycentre, incidence_order
from hyperhedge.typing import IntArray

#: Positions are whole numbers in a square of this side: a third of a pixel at the size of the page.
GRID = 1000

#: The most nodes, the most hyperedges and the most incidences that are shown one by one; with more, nothing can be told apart.
MOST, MOST_INCIDENCES = 160, 2500

#: The side to which the matrix of a larger hypergraph is reduced, about two pixels per cell on a phone.
REDUCED = 80

_MOST_ENTRIES = 1 << 20  # of a matrix in spectral order, which is computed from a dense one of 8 MiB
_LABEL_LENGTH = 60  # what fits on the line below a picture


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
        ([2, 0, 1], 5)
        """
        node_order, edge_order = _orders(H)
        positions = None
        if H.n <= MOST and H.m <= MOST and H.num_incidences <= MOST_INCIDENCES:
            nodes, edges = _on_grid(H)
            positions = nodes[node_order], edges[edge_order]
        rows, columns = np.argsort(node_order)[H.indices], np.argsort(edge_order)[H.edge_indices]
        return cls(H.n, H.m, node_order, edge_order, rows, columns, positions)

    def as_data(self, H: Hypergraph) -> dict[str, Any]:
        """Return what the page's script shows."""
        data: dict[str, Any] = {"n": self.n, "m": self.m, "incidences": H.num_incidences}
        if self.positions is None:
            return data | {"shares": reduced(self.n, self.m, self.rows, self.columns)}
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


def reduced(n: int, m: int, rows: IntArray, columns: IntArray, side: int = REDUCED) -> dict[str, Any]:
    """Return the share of ones in each cell of a smaller matrix, in percent of the fullest cell; roots, to show sparse cells."""
    height, width = min(n, side), min(m, side)
    cells = rows * height // max(n, 1) * width + columns * width // max(m, 1)
    ones = np.bincount(cells, minlength=height * width)
    scaled = np.ceil(100 * np.sqrt(ones / max(ones.max(initial=1), 1))).astype(int)
    return {"rows": height, "columns": width, "percent": scaled.tolist()}


def _orders(H: Hypergraph) -> Orders:
    """Return the nodes and the hyperedges in the order of the matrix."""
    if min(H.n, H.m) <= MOST and H.n * H.m <= _MOST_ENTRIES:
        return incidence_order(H)
    edges = np.argsort(-H.edge_sizes, kind="stable")
    return by_barycentre(H.incidence, np.arange(H.n), edges), edges


def _on_grid(H: Hypergraph) -> Orders:
    """Return positions of nodes and of hyperedges on the grid, whose y axis points down; the shorter side is centred."""
    layout = force_layout(H, clear_hulls=False)
    points = np.concatenate((layout.nodes, layout.edges)) * (1, -1)
    if not len(points):
        return points[:0].astype(np.int64), points[:0].astype(np.int64)
    low, high = points.min(axis=0), points.max(axis=0)
    share = (points - (low + high) / 2) / max(float((high - low).max()), 1e-9) + 0.5
    positions = np.rint(share * GRID).astype(np.int64)
    return positions[: H.n], positions[H.n :]
