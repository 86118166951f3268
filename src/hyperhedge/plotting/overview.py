"""A large hypergraph in one figure: its matrix, pieces of it, and how its numbers are distributed.

None of the three says everything. The matrix shows groups and no hyperedge, pieces show hyperedges and not what is
typical, distributions show what is typical and no structure. So they stand side by side, and letters on the matrix say
where the pieces are from. Everything costs as much as there are incidences, and the figure has the same size whatever
it shows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hyperhedge.core._repr import count
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.plotting.distributions import overlaps_of, plot_distribution
from hyperhedge.plotting.incidence import plot_incidence
from hyperhedge.plotting.labels import title_text
from hyperhedge.plotting.order import incidence_order
from hyperhedge.plotting.panels import plot_hulls
from hyperhedge.plotting.pieces import Piece, sample_pieces
from hyperhedge.plotting.theme import INK, MUTED, mpl
from hyperhedge.plotting.values import Colours, colours_of
from hyperhedge.typing import IntArray, Seed

MOST_VERTICES = 250  #: nodes and hyperedges that hulls show one by one; above that the overview is the default
_INCHES = (13.0, 7.4)
_PIECES = 3
_MARGIN = 0.04  # of the rows or columns: room for a line of text
_DOTS = 1.6  # times the usual size: pieces are small, and colours must be told apart


def plot_overview(
    H: Hypergraph,
    *,
    title: str | None = None,
    labels: bool | None = None,
    node_color: Any = None,
    edge_color: Any = None,
    seed: Seed | None = 0,
) -> Any:
    """Plot the matrix, sampled pieces and distributions in a figure of its own; return the axes of the matrix."""
    rng = np.random.default_rng(seed)
    of_nodes = colours_of(H, "node", node_color, "node_color")
    of_edges = colours_of(H, "hyperedge", edge_color, "edge_color")
    rows, columns = incidence_order(H)
    pieces = sample_pieces(H, columns, _PIECES, rng)
    figure = mpl().figure(figsize=_INCHES, layout="constrained")
    left, right = figure.add_gridspec(1, 2, width_ratios=(1.0, 1.12))
    above, below = right.subgridspec(2, 1, height_ratios=(0.72, 1.0))
    matrix = figure.add_subplot(left)
    plot_incidence(H, matrix, order=(rows, columns), labels=False, node_color=node_color, edge_color=edge_color)
    matrix.set_aspect("auto")
    _name_isolated(matrix, H)
    _plot_distributions(_in_row(figure, below, 3), H, rng)
    name = count(H.n, "node") + " and " + count(H.m, "hyperedge") if title is None else title
    figure.suptitle(f"{title_text(name)}\n", fontsize=14, x=0.012, ha="left", color=INK, fontweight="bold")
    figure.text(0.012, 0.94, _sentence(H, pieces), fontsize=10, color=MUTED, va="center")
    figure.get_layout_engine().set(w_pad=0.12, h_pad=0.1)
    _mark(matrix, pieces, rows, columns)
    _plot_pieces(_in_row(figure, above, len(pieces)), pieces, of_nodes, of_edges, bool(labels))
    return matrix


def _sentence(H: Hypergraph, pieces: list[Piece]) -> str:
    """Say what the figure shows."""
    shown = f"{count(len(pieces), 'sampled piece')} of it ({', '.join('ABC'[: len(pieces)])}); " if pieces else ""
    return (
        f"The incidence matrix ({count(H.num_incidences, 'incidence')}), ordered so that groups lie along the diagonal; "
        f"{shown}and how degrees, edge sizes and overlaps are distributed."
    )


def _name_isolated(ax: Any, H: Hypergraph) -> None:
    """Say in the white margins that isolated nodes and empty hyperedges leave what they are, where there is room."""
    isolated, empty = int((H.degrees == 0).sum()), int((H.edge_sizes == 0).sum())
    style: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 9, "color": MUTED}
    if isolated > _MARGIN * H.n:
        ax.text(0.5, isolated / H.n / 2, count(isolated, "isolated node"), transform=ax.transAxes, **style)
    if empty > _MARGIN * H.m:
        words = f"{empty:,} empty hyperedges"
        ax.text(1 - empty / H.m / 2, 0.5, words, rotation=90, transform=ax.transAxes, **style)


def _mark(ax: Any, pieces: list[Piece], rows: IntArray, columns: IntArray) -> None:
    """Write the letter of each piece where its first hyperedge is in the matrix."""
    row_of, column_of = np.argsort(rows), np.argsort(columns)
    for letter, piece in zip("ABC", pieces, strict=False):
        members = np.sort(row_of[piece.nodes[: piece.hypergraph.edge_sizes[0]]])
        at = (float(column_of[piece.first]), float(members[len(members) // 2]))
        ax.plot(*at, "o", markersize=9, markerfacecolor="none", markeredgecolor="#D55E00", markeredgewidth=1.4)
        written = ax.annotate(
            letter, at, (7, 7), textcoords="offset points", fontsize=11, fontweight="bold", color="#D55E00"
        )
        written.set_path_effects([mpl("patheffects").withStroke(linewidth=2.5, foreground="white")])


def _in_row(figure: Any, cell: Any, number: int) -> list[Any]:
    return [figure.add_subplot(spec) for spec in cell.subgridspec(1, number)] if number else []


def _plot_pieces(
    axes: list[Any], pieces: list[Piece], of_nodes: Colours | None, of_edges: Colours | None, labels: bool
) -> None:
    for ax, letter, piece in zip(axes, "ABC", pieces, strict=False):
        colours: dict[str, Any] = {}
        if of_nodes is not None:
            colours["node_color"] = _hex(of_nodes, piece.nodes)
        if of_edges is not None:
            colours["edge_color"] = _hex(of_edges, piece.edges)
        plot_hulls(piece.hypergraph, ax, labels=labels, edge_labels=labels, node_size=_DOTS, **colours)
        ax.set_anchor("N")
        G = piece.hypergraph
        ax.set_title(f"{letter}: {count(G.n, 'node')}, {count(G.m, 'hyperedge')}", fontsize=10, color=INK)


def _hex(colours: Colours, which: IntArray) -> list[str]:
    return [mpl("colors").to_hex(colour) for colour in colours.each[which]]


def _plot_distributions(axes: list[Any], H: Hypergraph, rng: np.random.Generator) -> None:
    overlaps = overlaps_of(H, rng)
    degrees, sizes = H.degrees, H.edge_sizes
    of_sample = "" if overlaps.sampled is None else f"\n(sample of {overlaps.sampled:,})"
    panels = (
        (degrees, _headline("Degrees", degrees), "hyperedges that a node is in"),
        (sizes, _headline("Edge sizes", sizes), "members of a hyperedge"),
        (overlaps.values, _headline("Overlaps", overlaps.values), f"nodes that pairs share{of_sample}"),
    )
    for ax, (values, title, xlabel) in zip(axes, panels, strict=True):
        plot_distribution(ax, values, title, xlabel)


def _headline(name: str, values: IntArray) -> str:
    if not len(values):
        return f"{name}: none"
    return f"{name}\nmedian {np.median(values):g}, greatest {values.max():,}"
