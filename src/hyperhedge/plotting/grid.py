"""Hypergraphs side by side, so the eye compares structure and nothing else.

Every panel has the same scale. Each hypergraph is laid out to resemble the first one (:mod:`~hyperhedge.plotting.layout`):
generated hypergraphs have no labels in common with real ones, so nodes are matched by their positions in the order of
the incidence matrix.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from hyperhedge.convert import as_hypergraph, as_hypergraphs
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.errors import PlotError
from hyperhedge.plotting.hulls import RADIUS
from hyperhedge.plotting.incidence import plot_incidence
from hyperhedge.plotting.labels import label_text, title_text
from hyperhedge.plotting.layout import Layout, force_layout
from hyperhedge.plotting.order import MOST_VERTICES
from hyperhedge.plotting.panels import plot_bipartite, plot_hulls
from hyperhedge.plotting.theme import MOST_INCHES, mpl
from hyperhedge.typing import Seed

Panel = Literal["hull", "bipartite", "incidence"]
Cell = tuple[str, Hypergraph]  # a title and what is below it
_MOST_PANELS = 100  # ten by ten are an inch and a half wide each


def compare(
    hypergraphs: Any,
    *,
    panel: Panel | None = None,
    columns: int | None = None,
    title: str | None = None,
    seed: Seed | None = 0,
    figure: Any = None,
) -> Any:
    """Plot hypergraphs in a grid; return the array of axes.

    Parameters
    ----------
    hypergraphs
        A list; or a mapping from titles to hypergraphs, one per panel, or to lists of them, one per row.
    panel
        The style of each: ``"hull"``, ``"bipartite"`` or ``"incidence"``; by default ``"hull"``, or ``"incidence"`` if a
        hypergraph has more than 2,000 nodes and hyperedges together.
    columns
        The number of panels per row, if the rows mean nothing; by default the grid is about square.
    title
        The title of the whole figure.
    seed
        The seed of the layouts.
    figure
        An empty figure to plot in.
    """
    if panel not in (None, "hull", "bipartite", "incidence"):
        raise PlotError(f"panel must be 'hull', 'bipartite' or 'incidence', not {panel!r}")
    rows = _rows(hypergraphs, columns)
    graphs = [H for row in rows for _, H in row]
    if panel is None:
        panel = "hull" if max(H.n + H.m for H in graphs) <= MOST_VERTICES else "incidence"
    across, down = max(len(row) for row in rows), len(rows)
    if figure is None:
        figure = mpl().figure(figsize=_inches(across, down), layout="constrained")
    axes = figure.subplots(down, across, squeeze=False)
    layouts = iter(aligned_layouts(graphs, seed) if panel == "hull" else [None] * len(graphs))
    for row, line in zip(rows, axes, strict=True):
        for ax, (name, H) in zip(line, row, strict=False):
            _plot_panel(ax, H, panel, next(layouts), name)
        for ax in line[len(row) :]:
            ax.set_visible(False)
    if panel == "hull":
        share_scale([ax for ax in axes.flat if ax.get_visible()])
    if title is not None:
        figure.suptitle(title_text(title))
    return axes


def _inches(across: int, down: int) -> tuple[float, float]:
    """Return the width and height of a grid: about 3 inches per panel, less where they would not fit.

    Examples
    --------
    >>> _inches(2, 1), _inches(10, 10)
    ((5.8, 3.1), (14.967..., 16.0))
    """
    width, height = max(2.9 * across, 3.2), 3.1 * down
    share = min(1.0, MOST_INCHES / width, MOST_INCHES / height)
    return width * share, height * share


def _plot_panel(ax: Any, H: Hypergraph, panel: Panel, layout: Layout | None, title: str) -> None:
    if panel == "hull":
        plot_hulls(H, ax, pos=layout, labels=False, edge_labels=False)
    elif panel == "bipartite":
        plot_bipartite(H, ax, labels=False, edge_labels=False)
    else:
        plot_incidence(H, ax, labels=False)
        ax.set(xlabel="", ylabel="")
    ax.set_title(label_text(title), fontsize=11)


def aligned_layouts(hypergraphs: Sequence[Hypergraph], seed: Seed | None = 0) -> list[Layout]:
    """Lay out hypergraphs, each but the first to resemble the first."""
    first = force_layout(hypergraphs[0], seed=seed)
    return [first, *(force_layout(H, seed=seed, like=(hypergraphs[0], first)) for H in hypergraphs[1:])]


def share_scale(axes: Sequence[Any]) -> None:
    """Give all axes limits of one width and one height, each about the middle of its own."""
    limits = np.array([[ax.get_xlim(), ax.get_ylim()] for ax in axes])
    middles, half = limits.mean(2), (limits[..., 1] - limits[..., 0]).max(0) / 2 + RADIUS / 2
    for ax, (x, y) in zip(axes, middles, strict=True):
        ax.set(xlim=(x - half[0], x + half[0]), ylim=(y - half[1], y + half[1]))


def _rows(hypergraphs: Any, columns: int | None) -> list[list[Cell]]:
    """Return titled hypergraphs by rows: those of a mapping to lists, or else as many as fill the columns."""
    if not isinstance(hypergraphs, Mapping):
        values = hypergraphs if isinstance(hypergraphs, Sequence) else [hypergraphs]
        return _broken([(str(k), H) for k, H in enumerate(as_hypergraphs(values, "hypergraphs"))], columns)
    rows = [_row(str(name), value) for name, value in hypergraphs.items()]
    if any(isinstance(value, Sequence) for value in hypergraphs.values()):
        _check_number(sum(map(len, rows)))
        return [row for row in rows if row]
    return _broken([cell for row in rows for cell in row], columns)


def _row(name: str, value: Any) -> list[Cell]:
    """Return the hypergraphs under one name, which is the title of the first."""
    source = f"hypergraphs[{name!r}]"
    graphs = as_hypergraphs(value, source) if isinstance(value, Sequence) else [as_hypergraph(value, source)]
    return [(name if k == 0 else "", H) for k, H in enumerate(graphs)]


def _broken(cells: list[Cell], columns: int | None) -> list[list[Cell]]:
    """Break a list of panels into rows; up to three panels are one row."""
    _check_number(len(cells))
    across = int(np.ceil(np.sqrt(len(cells)))) if columns is None and len(cells) > 3 else columns or len(cells)
    if across < 1:
        raise PlotError(f"columns must be a positive whole number, not {columns!r}")
    return [cells[start : start + across] for start in range(0, len(cells), across)]


def _check_number(panels: int) -> None:
    if not panels:
        raise PlotError("there are no hypergraphs to compare")
    if panels > _MOST_PANELS:
        raise PlotError(f"there are {panels:,} hypergraphs, and at most {_MOST_PANELS} fit into a picture; give fewer")
