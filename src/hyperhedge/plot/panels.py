"""The three pictures of one hypergraph, each into one pair of axes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from hyperhedge.display import count
from hyperhedge.hypergraph import Hypergraph
from hyperhedge.plot.hulls import RADIUS, colour_numbers, outline, radii
from hyperhedge.plot.labels import are_names, place_names, shown
from hyperhedge.plot.layout import Layout, force_layout, given_layout
from hyperhedge.plot.order import Orders, incidence_order, two_columns
from hyperhedge.plot.theme import COLOURS, INK, MUTED, DrawingError, FloatArray, matrix_scale, mpl, new_axes

__all__ = ["draw_bipartite", "draw_hulls", "draw_matrix", "edge_colours", "hull_outlines", "layout_of"]

DOT = 0.1  #: the radius of a node's dot, in the units of the layout
MOST_ENTRIES = 4_000_000
_FEW_NODES, _FEW_EDGES, _FEW_TICKS = 30, 16, 48

Pos = Mapping[Any, Any] | FloatArray | Layout


def draw_hulls(
    H: Hypergraph,
    ax: Any = None,
    *,
    pos: Pos | None = None,
    labels: bool | None = None,
    edge_labels: bool | None = None,
    title: str | None = None,
    seed: int = 0,
) -> Any:
    """Draw nodes as dots and hyperedges as rounded hulls about them."""
    layout = layout_of(H, pos, seed)
    ax = new_axes(6.0, 6.0) if ax is None else ax
    outlines = hull_outlines(H, layout)
    colours = edge_colours(H)
    width = 1.3 if H.m <= 40 else 0.7
    for e in np.argsort(-H.sizes, kind="stable"):
        if H.sizes[e]:
            fill, line = (mpl("colors").to_rgba(colours[e], alpha) for alpha in (0.16, 0.95))
            patch = mpl("patches").Polygon(outlines[e], closed=True, facecolor=fill, edgecolor=line, linewidth=width)
            ax.add_patch(patch)
    _empty_hyperedges(ax, layout.edges[H.sizes == 0])
    _dots(ax, layout.nodes, np.where(H.degrees > 0, INK, MUTED))
    named, named_edges = _wanted(labels, H.nodes, _FEW_NODES), _wanted(edge_labels, H.edges, _FEW_EDGES)
    everything = np.concatenate([layout.nodes, layout.edges[H.sizes == 0], *outlines])
    _frame(ax, everything, title, room=0.3 * (named or named_edges))
    taken = None
    if named:
        anchors = [point[None] for point in layout.nodes]
        taken = place_names(ax, anchors, list(map(shown, H.nodes)), dots=layout.nodes, dot_radius=DOT)
    if named_edges:
        anchors = [outlines[e][::4] if H.sizes[e] else layout.edges[e][None] for e in range(H.m)]
        names = list(map(shown, H.edges))
        place_names(
            ax, anchors, names, dots=layout.nodes, dot_radius=DOT, colours=colours, size=10, taken=taken, hulls=outlines
        )
    return ax


def draw_bipartite(
    H: Hypergraph,
    ax: Any = None,
    *,
    layout: Literal["columns", "force"] = "columns",
    pos: Pos | None = None,
    labels: bool | None = None,
    edge_labels: bool | None = None,
    title: str | None = None,
    seed: int = 0,
) -> Any:
    """Draw nodes as dots and hyperedges as squares, joined by a line for each incidence."""
    if layout not in ("columns", "force"):
        raise DrawingError(f"layout must be 'columns' or 'force', not {layout!r}")
    by_force = layout == "force" or pos is not None
    places = layout_of(H, pos, seed) if by_force else _columns(H)
    named = _wanted(labels, H.nodes, _FEW_NODES if by_force else _FEW_TICKS)
    named_edges = _wanted(edge_labels, H.edges, _FEW_EDGES if by_force else _FEW_TICKS)
    if ax is None:
        step = 0.24 if named or named_edges else 0.14
        ax = new_axes(6.0, 6.0) if by_force else new_axes(4.6, float(np.clip(step * max(H.n, H.m), 3.0, 9.0)))
    colours = edge_colours(H)
    ends = np.stack([places.nodes[H.indices], places.edges[H.edge_indices]], axis=1)
    inches = float(ax.bbox.height) / ax.figure.figure.dpi
    spot = float(np.clip(0.6 * 72 * inches / max(H.n, H.m, 1), 1.2, 6.5))  # the diameter of a dot, in points
    crowded = H.num_incidences > 150
    lines = mpl("collections").LineCollection(
        list(ends),
        colors=[colours[e] for e in H.edge_indices],
        linewidths=min(0.7 if crowded else 1.1, 0.3 * spot),
        alpha=0.6 if crowded else 0.8,
        zorder=1,
    )
    ax.add_collection(lines)
    ax.scatter(*places.nodes.T, s=spot**2, c=INK, zorder=3, linewidths=0)
    ax.scatter(
        *places.edges.T,
        s=1.3 * max(spot, 3.2) ** 2,
        c=colours,
        marker="s",
        zorder=3,
        edgecolors="white",
        linewidths=0.5,
    )
    if by_force:
        _frame(ax, np.concatenate([places.nodes, places.edges]), title, room=0.3 * (named or named_edges))
        _name_both(ax, H, places, colours, named, named_edges)
    else:
        _frame_columns(ax, H, places, named, named_edges, title)
    return ax


def draw_matrix(
    H: Hypergraph | FloatArray,
    ax: Any = None,
    *,
    order: Literal["spectral", "given"] | Orders | None = None,
    labels: bool | None = None,
    title: str | None = None,
) -> Any:
    """Draw the incidence matrix, or a relaxed one; nodes are rows, hyperedges columns.

    A hypergraph is ordered spectrally unless told otherwise; a matrix is drawn in the order given.
    """
    matrix = _dense(H)
    rows, columns = _orders(H, matrix, order)
    matrix = matrix[rows][:, columns]
    n, m = matrix.shape
    if ax is None:
        ax = new_axes(*_matrix_inches(n, m, H, labels))
    if matrix.size:
        ax.imshow(matrix, interpolation="nearest", aspect="equal", **matrix_scale())
    if max(n, m) <= 64:
        lines = {"color": "#DDDDDD", "linewidth": 0.5, "zorder": 1.5}
        ax.vlines(np.arange(m + 1) - 0.5, -0.5, n - 0.5, **lines)
        ax.hlines(np.arange(n + 1) - 0.5, -0.5, m - 0.5, **lines)
    ax.set(xlim=(-0.5, max(m, 1) - 0.5), ylim=(max(n, 1) - 0.5, -0.5), xticks=[], yticks=[])
    ax.spines[:].set(visible=True, color="#BBBBBB", linewidth=0.8)
    if isinstance(H, Hypergraph):
        _name_ticks(ax, H, rows, columns, labels)
    if not ax.get_xticklabels():
        ax.set_xlabel(count(m, "hyperedge"), color=INK)
    if not ax.get_yticklabels():
        ax.set_ylabel(count(n, "node"), color=INK)
    if title is not None:
        ax.set_title(shown(title))
    return ax


# -- what the pictures share -----------------------------------------------------------------------------


def layout_of(H: Hypergraph, pos: Pos | None, seed: int = 0) -> Layout:
    """Return given positions, or those of the force layout."""
    if pos is None:
        return force_layout(H, seed=seed)
    if not isinstance(pos, Layout):
        return given_layout(H, pos)
    if (len(pos.nodes), len(pos.edges)) != (H.n, H.m):
        raise DrawingError(
            f"pos= lays out {len(pos.nodes)} nodes and {len(pos.edges)} hyperedges, and there are {H.n} and {H.m}"
        )
    return pos


def hull_outlines(H: Hypergraph, layout: Layout) -> list[FloatArray]:
    """Return the outline of each hyperedge; empty ones have none."""
    members = np.split(H.indices, H.indptr[1:-1]) if H.m else []
    return [
        outline(layout.nodes[part], float(radius)) if len(part) else np.zeros((0, 2))
        for part, radius in zip(members, radii(H), strict=True)
    ]


def edge_colours(H: Hypergraph) -> list[str]:
    """Return a colour for each hyperedge."""
    return [COLOURS[k] for k in colour_numbers(H, incidence_order(H)[1])]


def _wanted(asked: bool | None, labels: Any, few: int) -> bool:
    """Tell whether labels are to be written: as asked, or if they are names and few."""
    return are_names(labels) and len(labels) <= few if asked is None else asked


def _dots(ax: Any, points: FloatArray, colours: Any) -> None:
    """Draw discs whose size is in the units of the layout."""
    diameters = np.full(len(points), 2 * DOT)
    discs = mpl("collections").EllipseCollection(
        diameters,
        diameters,
        np.zeros(len(points)),
        units="xy",
        offsets=points,
        offset_transform=ax.transData,
        facecolors=list(colours),
        edgecolors="white",
        linewidths=0.4,
        zorder=4,
    )
    ax.add_collection(discs)


def _empty_hyperedges(ax: Any, points: FloatArray) -> None:
    """Draw hyperedges without members as dashed circles."""
    for point in points:
        ring = mpl("patches").Circle(point, RADIUS, fill=False, edgecolor=MUTED, linestyle=(0, (2, 2)), linewidth=1.0)
        ax.add_patch(ring)


def _frame(ax: Any, points: FloatArray, title: str | None, room: float = 0.0) -> None:
    """Set limits that have room for everything, and some more, at one scale in both directions, and show no axes."""
    low, high = (points.min(0), points.max(0)) if len(points) else (np.zeros(2), np.zeros(2))
    pad = 0.35 + room + 0.03 * float((high - low).max())
    ax.set(xlim=(low[0] - pad, high[0] + pad), ylim=(low[1] - pad, high[1] + pad), aspect="equal")
    ax.set_axis_off()
    if title is not None:
        ax.set_title(shown(title))


def _columns(H: Hypergraph) -> Layout:
    """Put nodes into a column at 0 and hyperedges into one at 1, both from top to bottom."""
    rows, columns = two_columns(H)
    nodes, edges = np.zeros((H.n, 2)), np.ones((H.m, 2))
    nodes[rows, 1], edges[columns, 1] = _heights(H.n), _heights(H.m)
    return Layout(nodes, edges)


def _heights(count: int) -> FloatArray:
    return 1.0 - (np.arange(count) + 0.5) / max(count, 1)


def _frame_columns(ax: Any, H: Hypergraph, places: Layout, named: bool, named_edges: bool, title: str | None) -> None:
    """Name two columns, and make room."""
    ax.set(xlim=(-0.12, 1.12), ylim=(-0.02, 1.02), xticks=[], yticks=[])
    ax.set_axis_off()
    size = float(np.clip(300 / max(H.n, H.m, 1), 6.0, 9.0))
    for wanted, names, points, side in ((named, H.nodes, places.nodes, -1), (named_edges, H.edges, places.edges, 1)):
        for label, point in zip(names if wanted else (), points, strict=False):
            align = "right" if side < 0 else "left"
            ax.text(point[0] + 0.05 * side, point[1], shown(label), ha=align, va="center", fontsize=size, color=INK)
    for x, text in ((0.0, count(H.n, "node")), (1.0, count(H.m, "hyperedge"))):
        ax.text(x, -0.03, text, ha="center", va="top", fontsize=9, color=MUTED)
    if title is not None:
        ax.set_title(shown(title))


def _name_both(ax: Any, H: Hypergraph, places: Layout, colours: list[str], named: bool, named_edges: bool) -> None:
    """Name nodes and hyperedges of a force layout."""
    everything = np.concatenate([places.nodes, places.edges])
    taken = None
    if named:
        anchors = [point[None] for point in places.nodes]
        taken = place_names(ax, anchors, list(map(shown, H.nodes)), dots=everything, dot_radius=DOT)
    if named_edges:
        anchors = [point[None] for point in places.edges]
        names = list(map(shown, H.edges))
        place_names(ax, anchors, names, dots=everything, dot_radius=DOT, colours=colours, taken=taken)


def _dense(H: Hypergraph | FloatArray) -> FloatArray:
    if isinstance(H, Hypergraph):
        if H.n * H.m > MOST_ENTRIES:
            raise DrawingError(
                f"the matrix has {H.n:,} × {H.m:,} entries, and at most {MOST_ENTRIES:,} can be drawn; draw a subhypergraph"
            )
        return H.incidence.toarray().astype(np.float64)
    matrix = np.asarray(H, dtype=np.float64)
    if matrix.ndim != 2 or matrix.size > MOST_ENTRIES or not np.isfinite(matrix).all():
        raise DrawingError(
            f"a relaxed matrix must be nodes × hyperedges, finite and of at most {MOST_ENTRIES:,} entries; "
            f"this one has the shape {matrix.shape}"
        )
    return matrix


def _orders(H: Hypergraph | FloatArray, matrix: FloatArray, order: Any) -> Orders:
    n, m = matrix.shape
    if order is None:
        order = "spectral" if isinstance(H, Hypergraph) else "given"
    if isinstance(order, str):
        if order == "given":
            return np.arange(n), np.arange(m)
        if order == "spectral":
            return incidence_order(H if isinstance(H, Hypergraph) else Hypergraph.from_incidence(matrix >= 0.5))
        raise DrawingError(f"order must be 'spectral', 'given' or a pair of arrays, not {order!r}")
    rows, columns = (np.asarray(part, dtype=np.int64) for part in order)
    if not (np.array_equal(np.sort(rows), np.arange(n)) and np.array_equal(np.sort(columns), np.arange(m))):
        raise DrawingError(f"order= must be a permutation of {n} rows and one of {m} columns")
    return rows, columns


def _matrix_inches(n: int, m: int, H: Hypergraph | FloatArray, labels: bool | None) -> tuple[float, float]:
    """Return the size of a figure for a matrix and the names beside it."""
    cell = float(np.clip(9.0 / max(n, m, 1), 0.02, 0.3))
    names = (H.nodes, H.edges) if isinstance(H, Hypergraph) else ((), ())
    beside, below = (
        0.095 * max((len(shown(label)) for label in side), default=0) if _wanted(labels, side, _FEW_TICKS) else 0.4
        for side in names
    )
    return max(2.4, cell * m + beside + 0.5), max(2.4, cell * n + below + 0.5)


def _name_ticks(ax: Any, H: Hypergraph, rows: Any, columns: Any, labels: bool | None) -> None:
    size = float(np.clip(380 / max(H.n, H.m, 1), 5.5, 9.0))
    if _wanted(labels, H.nodes, _FEW_TICKS):
        ax.set_yticks(np.arange(H.n), [shown(H.nodes[i]) for i in rows], fontsize=size)
    if _wanted(labels, H.edges, _FEW_TICKS):
        ax.set_xticks(np.arange(H.m), [shown(H.edges[j]) for j in columns], fontsize=size, rotation=90)
    ax.tick_params(length=0)
