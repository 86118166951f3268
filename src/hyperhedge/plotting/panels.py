"""Pictures of nodes and hyperedges one by one: hulls, and the bipartite graph, each in one pair of axes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from hyperhedge.core._repr import count
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.errors import PlotError
from hyperhedge.plotting.hulls import RADIUS, colour_indices, outline, radii
from hyperhedge.plotting.labels import FEW_TICKS, is_labelled, label_text, place_labels, row_fontsize, set_title
from hyperhedge.plotting.layout import Layout, force_layout, layout_from_positions
from hyperhedge.plotting.order import MOST_VERTICES, incidence_order, two_columns
from hyperhedge.plotting.theme import COLOURS, INK, MUTED, mpl, new_axes
from hyperhedge.plotting.values import Colours, Sizes, add_keys, colours_of, sizes_of
from hyperhedge.typing import FloatArray, IntArray, Seed

DOT = 0.1  #: the radius of a node's dot, in the units of the layout
FILL, LINE = 0.16, 0.95  #: opacities of a hull: overlaps of five still show what is beneath

# Labels are shown by default while there is room: in the plane, and beside hulls or squares.
_FEW_NODES, _FEW_EDGES = 30, 16
_LABEL_ROOM = 0.3  # for labels outside the outermost points, in the units of the layout
_MANY_HULLS, _MANY_LINES = 40, 150  # from here on lines are thinner

Pos = Mapping[Any, Any] | FloatArray | Layout


def plot_hulls(
    H: Hypergraph,
    ax: Any = None,
    *,
    pos: Pos | None = None,
    labels: bool | None = None,
    edge_labels: bool | None = None,
    title: str | None = None,
    node_color: Any = None,
    edge_color: Any = None,
    node_size: Any = None,
    seed: Seed | None = 0,
) -> Any:
    """Plot nodes as dots and hyperedges as rounded hulls about them."""
    of_nodes, of_edges, sizes = _asked(H, node_color, edge_color, node_size)
    layout = layout_of(H, pos, seed)
    ax = new_axes(6.0, 6.0) if ax is None else ax
    colours = edge_colours(H) if of_edges is None else list(of_edges.each)
    outlines, empty = hull_outlines(H, layout), H.edge_sizes == 0
    for e in hull_order(H):
        fill, line = mpl("colors").to_rgba(colours[e], FILL), mpl("colors").to_rgba(colours[e], LINE)
        width = 1.3 if H.m <= _MANY_HULLS else 0.7
        patch = mpl("patches").Polygon(outlines[e], closed=True, facecolor=fill, edgecolor=line, linewidth=width)
        ax.add_patch(patch)
    _plot_empty_hyperedges(ax, layout.edges[empty])
    _plot_dots(ax, layout.nodes, _dot_colours(H, of_nodes), DOT * sizes.factors)
    add_keys(ax, of_nodes, of_edges, sizes=sizes)
    with_labels = is_labelled(labels, H.nodes, _FEW_NODES)
    with_edge_labels = is_labelled(edge_labels, H.edges, _FEW_EDGES)
    room = _LABEL_ROOM if with_labels or with_edge_labels else 0.0
    _frame(ax, np.concatenate([layout.nodes, layout.edges[empty], *outlines]), title, room)
    taken: list[FloatArray] = []
    reach = DOT * float(sizes.factors.max(initial=1.0))
    if with_labels:
        taken = place_labels(ax, list(layout.nodes[:, None]), H.nodes, dots=layout.nodes, dot_radius=reach)
    if with_edge_labels:
        # Every fourth corner: a disc has 48, and a label is placed no finer than that.
        anchors = [layout.edges[e][None] if empty[e] else outlines[e][::4] for e in range(H.m)]
        options: dict[str, Any] = {"colours": colours, "fontsize": 10, "taken": taken, "hulls": outlines}
        place_labels(ax, anchors, H.edges, dots=layout.nodes, dot_radius=reach, **options)
    return ax


def plot_bipartite(
    H: Hypergraph,
    ax: Any = None,
    *,
    layout: Literal["columns", "force"] = "columns",
    pos: Pos | None = None,
    labels: bool | None = None,
    edge_labels: bool | None = None,
    title: str | None = None,
    node_color: Any = None,
    edge_color: Any = None,
    node_size: Any = None,
    seed: Seed | None = 0,
) -> Any:
    """Plot nodes as dots and hyperedges as squares, joined by a line for each incidence."""
    if layout not in ("columns", "force"):
        raise PlotError(f"layout must be 'columns' or 'force', not {layout!r}")
    if H.n + H.m > MOST_VERTICES:
        raise PlotError(
            f"the hypergraph has {H.n:,} nodes and {H.m:,} hyperedges, and lines between at most {MOST_VERTICES:,} together "
            "can be plotted; use style='overview' or 'incidence', or plot a subhypergraph"
        )
    of_nodes, of_edges, sizes = _asked(H, node_color, edge_color, node_size)
    by_force = layout == "force" or pos is not None
    points = layout_of(H, pos, seed) if by_force else _columns(H)
    with_labels = is_labelled(labels, H.nodes, _FEW_NODES if by_force else FEW_TICKS)
    with_edge_labels = is_labelled(edge_labels, H.edges, _FEW_EDGES if by_force else FEW_TICKS)
    if ax is None:
        inches = 0.24 if with_labels or with_edge_labels else 0.14  # per row: a line of text, or a dot
        ax = new_axes(6.0, 6.0) if by_force else new_axes(4.6, float(np.clip(inches * max(H.n, H.m), 3.0, 9.0)))
    colours = edge_colours(H) if of_edges is None else list(of_edges.each)
    dots = list(np.full(H.n, INK)) if of_nodes is None else list(of_nodes.each)
    _plot_incidences(ax, H, points, colours, dots, sizes)
    add_keys(ax, of_nodes, of_edges, sizes=sizes)
    if by_force:
        room = _LABEL_ROOM if with_labels or with_edge_labels else 0.0
        _frame(ax, np.concatenate([points.nodes, points.edges]), title, room)
        _label_both(ax, H, points, colours, with_labels, with_edge_labels)
    else:
        _frame_columns(ax, H, points, with_labels, with_edge_labels, title)
    return ax


# -- what the pictures share -----------------------------------------------------------------------------


def layout_of(H: Hypergraph, pos: Pos | None, seed: Seed | None = 0) -> Layout:
    """Return the positions in ``pos``, or those of the force layout."""
    if pos is None:
        return force_layout(H, seed=seed)
    if not isinstance(pos, Layout):
        return layout_from_positions(H, pos)
    if (len(pos.nodes), len(pos.edges)) != (H.n, H.m):
        raise PlotError(
            f"pos= lays out {len(pos.nodes)} nodes and {len(pos.edges)} hyperedges, and there are {H.n} and {H.m}"
        )
    return pos


def hull_outlines(H: Hypergraph, layout: Layout) -> list[FloatArray]:
    """Return the outline of each hyperedge; empty ones have none."""
    edges = np.split(H.indices, H.indptr[1:-1]) if H.m else []
    return [
        outline(layout.nodes[members], float(radius)) if len(members) else np.zeros((0, 2))
        for members, radius in zip(edges, radii(H), strict=True)
    ]


def hull_order(H: Hypergraph) -> IntArray:
    """Return the nonempty hyperedges in the order in which their hulls are plotted: the large ones first, beneath."""
    order = np.argsort(-H.edge_sizes, kind="stable")
    return order[H.edge_sizes[order] > 0]


def edge_colours(H: Hypergraph) -> list[str]:
    """Return a colour for each hyperedge."""
    return [COLOURS[k] for k in colour_indices(H, incidence_order(H)[1])]


def _asked(
    H: Hypergraph, node_color: Any, edge_color: Any, node_size: Any
) -> tuple[Colours | None, Colours | None, Sizes]:
    """Return what the colours and sizes are that a caller asks for."""
    return (
        colours_of(H, "node", node_color, "node_color"),
        colours_of(H, "hyperedge", edge_color, "edge_color"),
        sizes_of(H, node_size, "node_size"),
    )


def _dot_colours(H: Hypergraph, of_nodes: Colours | None) -> Any:
    return np.where(H.degrees > 0, INK, MUTED) if of_nodes is None else of_nodes.each


def _plot_dots(ax: Any, points: FloatArray, colours: Any, reaches: FloatArray) -> None:
    """Plot discs that are scaled with the axes."""
    diameters = 2 * reaches
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


def _plot_empty_hyperedges(ax: Any, points: FloatArray) -> None:
    """Plot hyperedges without members as dashed circles."""
    for point in points:
        ring = mpl("patches").Circle(point, RADIUS, fill=False, edgecolor=MUTED, linestyle=(0, (2, 2)), linewidth=1.0)
        ax.add_patch(ring)


def _plot_incidences(ax: Any, H: Hypergraph, points: Layout, colours: list[Any], dots: list[Any], sizes: Sizes) -> None:
    """Plot lines between dots and squares that are as large as the height of the axes allows."""
    inches = float(ax.bbox.height) / ax.figure.figure.dpi
    dot = float(np.clip(0.6 * 72 * inches / max(H.n, H.m, 1), 1.2, 6.5))  # points: 60% of the distance in a column
    crowded = H.num_incidences > _MANY_LINES
    lines = mpl("collections").LineCollection(
        list(np.stack([points.nodes[H.indices], points.edges[H.edge_indices]], axis=1)),
        colors=[colours[e] for e in H.edge_indices],
        linewidths=min(0.7 if crowded else 1.1, 0.3 * dot),
        alpha=0.6 if crowded else 0.8,
        zorder=1,
    )
    ax.add_collection(lines)
    ax.scatter(*points.nodes.T, s=(dot * sizes.factors) ** 2, c=dots, zorder=3, linewidths=0)
    square: dict[str, Any] = {"marker": "s", "edgecolors": "white", "linewidths": 0.5}
    ax.scatter(*points.edges.T, s=1.3 * max(dot, 3.2) ** 2, c=colours, zorder=3, **square)  # large enough for a colour


def _frame(ax: Any, points: FloatArray, title: str | None, room: float = 0.0) -> None:
    """Set limits with room around all points, at one scale in both directions, and hide the axes."""
    low, high = (points.min(0), points.max(0)) if len(points) else (np.zeros(2), np.zeros(2))
    pad = 0.35 + room + 0.03 * float((high - low).max())
    ax.set(xlim=(low[0] - pad, high[0] + pad), ylim=(low[1] - pad, high[1] + pad), aspect="equal")
    ax.set_axis_off()
    set_title(ax, title)


def _columns(H: Hypergraph) -> Layout:
    """Put nodes into a column at 0 and hyperedges into one at 1, both from top to bottom."""
    rows, columns = two_columns(H)
    nodes, edges = np.zeros((H.n, 2)), np.ones((H.m, 2))
    nodes[rows, 1], edges[columns, 1] = _heights(H.n), _heights(H.m)
    return Layout(nodes, edges)


def _heights(count: int) -> FloatArray:
    return 1.0 - (np.arange(count) + 0.5) / max(count, 1)


def _frame_columns(
    ax: Any, H: Hypergraph, points: Layout, with_labels: bool, with_edge_labels: bool, title: str | None
) -> None:
    """Set limits, and label two columns."""
    ax.set(xlim=(-0.12, 1.12), ylim=(-0.02, 1.02), xticks=[], yticks=[])
    ax.set_axis_off()
    text: dict[str, Any] = {"va": "center", "color": INK, "fontsize": row_fontsize(300, max(H.n, H.m), least=6.0)}
    if with_labels:
        for label, (x, y) in zip(H.nodes, points.nodes, strict=True):
            ax.text(x - 0.05, y, label_text(label), ha="right", **text)
    if with_edge_labels:
        for label, (x, y) in zip(H.edges, points.edges, strict=True):
            ax.text(x + 0.05, y, label_text(label), ha="left", **text)
    for x, heading in ((0.0, count(H.n, "node")), (1.0, count(H.m, "hyperedge"))):
        ax.text(x, -0.03, heading, ha="center", va="top", fontsize=9, color=MUTED)
    set_title(ax, title)


def _label_both(
    ax: Any, H: Hypergraph, points: Layout, colours: list[Any], with_labels: bool, with_edge_labels: bool
) -> None:
    """Label nodes and hyperedges of a force layout."""
    dots = np.concatenate([points.nodes, points.edges])
    taken: list[FloatArray] = []
    if with_labels:
        taken = place_labels(ax, list(points.nodes[:, None]), H.nodes, dots=dots, dot_radius=DOT)
    if with_edge_labels:
        anchors = list(points.edges[:, None])
        place_labels(ax, anchors, H.edges, dots=dots, dot_radius=DOT, colours=colours, taken=taken)
