r"""The incidence matrix as a picture of bounded size.

A matrix of at most 400 rows and 400 columns has a square for each entry. A larger one is *binned*: neighbouring rows
and columns share a bin, at most 400 on a side, and the colour of a bin is the number of incidences in it, on a
logarithmic scale, white where there is none. Counting them costs as much as there are incidences; the matrix itself is
never made. So a picture of a million nodes has as many pixels as one of four hundred.

Bins of a matrix much wider than high are drawn higher than wide, so no picture is a ribbon.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from hyperhedge.core._repr import count
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.core.labels import Label
from hyperhedge.errors import PlotError
from hyperhedge.plotting.labels import FEW_TICKS, is_labelled, label_text, row_fontsize, set_title
from hyperhedge.plotting.order import Orders, incidence_order
from hyperhedge.plotting.theme import INK, MUTED, count_scale, matrix_scale, mpl, new_axes
from hyperhedge.plotting.values import Colours, add_keys, colours_of
from hyperhedge.typing import FloatArray, IntArray

MOST_BINS = 400  #: on a side
_MOST_ENTRIES = 4_000_000  # of a relaxed matrix, which is dense
_GRID_LINES = 64  # rows or columns up to which a matrix has lines between its cells
_INCHES = 8.0  # the longer side of a large matrix
_SLENDEREST = 2.5  # the longer side over the shorter one, at most


def plot_incidence(
    H: Hypergraph | FloatArray,
    ax: Any = None,
    *,
    order: Literal["spectral", "original"] | Orders | None = None,
    labels: bool | None = None,
    title: str | None = None,
    node_color: Any = None,
    edge_color: Any = None,
) -> Any:
    """Plot the incidence matrix, or a relaxed one; nodes are rows, hyperedges columns.

    By default a hypergraph is ordered spectrally, and a matrix keeps its order. Colours of nodes are a strip beside the
    matrix, those of hyperedges a strip above it.
    """
    matrix = None if isinstance(H, Hypergraph) else _relaxed(H)
    n, m = H.shape
    strips = _strips(H, node_color, edge_color)
    rows, columns = orders(H, matrix, order)
    if ax is None:
        ax = new_axes(*_inches(n, m, H, labels))
    if max(n, m) > MOST_BINS:
        _plot_binned(ax, H, matrix, rows, columns)
    else:
        _plot_entries(ax, H.incidence.toarray() if isinstance(H, Hypergraph) else matrix, rows, columns)
    slender = max(n, m, 1) > _SLENDEREST * max(min(n, m), 1) and max(n, m) > _GRID_LINES
    ax.set(aspect="auto" if slender else "equal", xticks=[], yticks=[])
    ax.set(xlim=(-0.5, max(m, 1) - 0.5), ylim=(max(n, 1) - 0.5, -0.5))
    ax.spines[:].set(visible=True, color="#BBBBBB", linewidth=0.8)
    if isinstance(H, Hypergraph):
        _label_ticks(ax, H, rows, columns, labels)
    if not ax.get_xticklabels():
        ax.set_xlabel(count(m, "hyperedge"), color=INK)
    if not ax.get_yticklabels():
        ax.set_ylabel(count(n, "node"), color=INK)
    add_strips(ax, strips, rows, columns)
    set_title(ax, title)
    return ax


def binned(H: Hypergraph, rows: IntArray, columns: IntArray, most: int = MOST_BINS) -> IntArray:
    """Count the incidences in each bin of the matrix in an order; at most ``most`` bins on a side.

    Examples
    --------
    >>> binned(Hypergraph([[0, 1], [1], [3]], nodes=4), np.arange(4), np.arange(3), most=2)
    array([[3, 0],
           [0, 1]])
    """
    of_rows, of_columns = bins_of(rows, most), bins_of(columns, most)
    down, across = min(H.n, most), min(H.m, most)
    cells = of_rows[H.indices] * across + of_columns[H.edge_indices]
    return np.bincount(cells, minlength=down * across).reshape(down, across)


def bins_of(order: IntArray, most: int = MOST_BINS) -> IntArray:
    """Return the bin of each node or hyperedge, in the order of the hypergraph."""
    bins = np.empty(len(order), dtype=np.int64)
    bins[order] = np.arange(len(order)) * min(len(order), most) // max(len(order), 1)
    return bins


def _plot_entries(ax: Any, matrix: Any, rows: IntArray, columns: IntArray) -> None:
    """Plot a square for each entry."""
    matrix = np.asarray(matrix, dtype=np.float64)[rows][:, columns]
    n, m = matrix.shape
    if matrix.size:
        ax.imshow(matrix, interpolation="nearest", **matrix_scale())
    if max(n, m) <= _GRID_LINES:
        lines = {"color": "#DDDDDD", "linewidth": 0.5, "zorder": 1.5}
        ax.vlines(np.arange(m + 1) - 0.5, -0.5, n - 0.5, **lines)
        ax.hlines(np.arange(n + 1) - 0.5, -0.5, m - 0.5, **lines)


def _plot_binned(ax: Any, H: Any, matrix: FloatArray | None, rows: IntArray, columns: IntArray) -> None:
    """Plot a colour for each bin: the number of incidences, or the mean entry of a relaxed matrix."""
    extent = (-0.5, len(columns) - 0.5, len(rows) - 0.5, -0.5)
    if matrix is not None:
        ax.imshow(_mean_bins(matrix[rows][:, columns]), extent=extent, interpolation="nearest", **matrix_scale())
        return
    counts = binned(H, rows, columns)
    if counts.size and counts.max():
        norm = mpl("colors").LogNorm(1, max(int(counts.max()), 2))
        shown = np.ma.masked_equal(counts, 0)
        image = ax.imshow(shown, extent=extent, interpolation="nearest", norm=norm, cmap=count_scale())
        if counts.max() > 1:
            _explain(ax, image, H.n, H.m)


def _mean_bins(matrix: FloatArray) -> FloatArray:
    """Return the mean entry of each bin."""
    starts = [-(-np.arange(min(k, MOST_BINS)) * k // min(k, MOST_BINS)) for k in matrix.shape]
    sums = np.add.reduceat(np.add.reduceat(matrix, starts[0], axis=0), starts[1], axis=1)
    heights, widths = (np.diff([*start, k]) for start, k in zip(starts, matrix.shape, strict=True))
    means: FloatArray = sums / np.outer(heights, widths)
    return means


def _explain(ax: Any, image: Any, n: int, m: int) -> None:
    """Add the scale of counts, and say what a bin is."""
    bar = ax.figure.colorbar(image, ax=ax, location="bottom", shrink=0.6, aspect=40, pad=0.02)
    bar.set_label(f"incidences in a bin of {_bin_text(n, m)}; white: none", color=INK, fontsize=9)
    formatter = mpl("ticker").FuncFormatter(lambda value, _: f"{value:,.0f}")
    bar.ax.xaxis.set_major_formatter(formatter)
    greatest = image.norm.vmax
    bar.set_ticks([tick for k in range(8) for tick in (10**k, 3 * 10**k) if tick <= greatest])
    bar.ax.xaxis.set_minor_locator(mpl("ticker").NullLocator())
    bar.ax.tick_params(labelsize=8, color=MUTED, labelcolor=INK)
    bar.outline.set_visible(False)


def _bin_text(n: int, m: int) -> str:
    """Say how many nodes and hyperedges share a bin.

    Examples
    --------
    >>> _bin_text(41302, 22363), _bin_text(327, 7818)
    ('about 103 nodes × 56 hyperedges', 'about 1 node × 20 hyperedges')
    """
    return f"about {count(round(n / min(n, MOST_BINS)), 'node')} × {count(round(m / min(m, MOST_BINS)), 'hyperedge')}"


# -- colours of rows and columns ----------------------------------------------------------------------------------------


def _strips(H: Any, node_color: Any, edge_color: Any) -> tuple[Colours | None, Colours | None]:
    if isinstance(H, Hypergraph):
        return colours_of(H, "node", node_color, "node_color"), colours_of(H, "hyperedge", edge_color, "edge_color")
    if node_color is not None or edge_color is not None:
        raise PlotError("a relaxed matrix has no labels to colour: leave out node_color= and edge_color=")
    return None, None


def add_strips(ax: Any, strips: tuple[Colours | None, Colours | None], rows: IntArray, columns: IntArray) -> None:
    """Add a strip of colours to the right of the rows, one above the columns, and their keys."""
    of_nodes, of_edges = strips
    for colours, order, bounds in ((of_nodes, rows, (1.008, 0, 0.025, 1)), (of_edges, columns, (0, 1.008, 1, 0.025))):
        if colours is None or not len(order):
            continue
        rgba = colours.binned(order, min(len(order), MOST_BINS))
        strip = ax.inset_axes(bounds)
        image = rgba[:, None] if colours is of_nodes else rgba[None]
        strip.imshow(image, aspect="auto", interpolation="nearest")
        strip.set(xticks=[], yticks=[])
        strip.spines[:].set_visible(False)
    if of_edges is not None:
        ax.title.set_y(1.05)
    add_keys(ax, of_nodes, of_edges, gap=0.045 if of_nodes is not None else 0.01)


# -- order and size -----------------------------------------------------------------------------------------------------


def _relaxed(H: Any) -> FloatArray:
    matrix = np.asarray(H, dtype=np.float64)
    if matrix.ndim != 2 or matrix.size > _MOST_ENTRIES or not np.isfinite(matrix).all():
        raise PlotError(
            f"a relaxed matrix must be nodes × hyperedges, finite and of at most {_MOST_ENTRIES:,} entries; "
            f"this one has the shape {matrix.shape}"
        )
    return matrix


def orders(H: Any, matrix: FloatArray | None, order: Any) -> Orders:
    """Return the orders of rows and columns that a caller asks for."""
    n, m = H.shape
    if order is None:
        order = "spectral" if matrix is None else "original"
    if isinstance(order, str):
        if order == "original":
            return np.arange(n), np.arange(m)
        if order == "spectral":
            return incidence_order(H if matrix is None else Hypergraph.from_incidence(matrix >= 0.5))
        raise PlotError(f"order must be 'spectral', 'original' or a pair of arrays, not {order!r}")
    rows, columns = (np.asarray(indices, dtype=np.int64) for indices in order)
    if not (np.array_equal(np.sort(rows), np.arange(n)) and np.array_equal(np.sort(columns), np.arange(m))):
        raise PlotError(f"order= must be a permutation of {n} rows and one of {m} columns")
    return rows, columns


def _inches(n: int, m: int, H: Hypergraph | FloatArray, labels: bool | None) -> tuple[float, float]:
    """Return the width and height of a figure: of the matrix, within its bounds, and of the labels beside it."""
    cell = min(0.3, _INCHES / max(n, m, 1))
    longer = cell * max(n, m)
    least = longer / _SLENDEREST if max(n, m) > _GRID_LINES else 0.0
    sides = (H.nodes, H.edges) if isinstance(H, Hypergraph) else ((), ())
    beside, below = (_label_inches(side, labels) for side in sides)
    return max(2.4, cell * m, least) + beside + 0.5, max(2.4, cell * n, least) + below + 0.5


def _label_inches(side: Sequence[Label], labels: bool | None) -> float:
    """Return the room for the longest label of a side, or for the line with their number."""
    if not is_labelled(labels, side, FEW_TICKS):
        return 0.4
    return 0.095 * max((len(label_text(label)) for label in side), default=0)  # inches per character of 9 points


def _label_ticks(ax: Any, H: Hypergraph, rows: IntArray, columns: IntArray, labels: bool | None) -> None:
    fontsize = row_fontsize(380, max(H.n, H.m), least=5.5)
    if labels and max(H.n, H.m) > MOST_BINS:
        raise PlotError(f"labels of {H.n:,} nodes and {H.m:,} hyperedges cannot be read; leave out labels=")
    if is_labelled(labels, H.nodes, FEW_TICKS):
        ax.set_yticks(np.arange(H.n), [label_text(H.nodes[i]) for i in rows], fontsize=fontsize)
    if is_labelled(labels, H.edges, FEW_TICKS):
        ax.set_xticks(np.arange(H.m), [label_text(H.edges[j]) for j in columns], fontsize=fontsize, rotation=90)
    ax.tick_params(length=0)
