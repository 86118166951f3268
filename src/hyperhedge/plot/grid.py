"""Hypergraphs beside each other, so that the eye compares structure and nothing else.

Every panel has the same scale. Each hypergraph is laid out to be like the first one (:mod:`~hyperhedge.plot.layout`):
generated hypergraphs have no names in common with real ones, so nodes are matched by their places in the order of the
incidence matrix.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from hyperhedge.hypergraph import Hypergraph
from hyperhedge.plot.hulls import RADIUS
from hyperhedge.plot.labels import shown
from hyperhedge.plot.layout import Layout, force_layout
from hyperhedge.plot.panels import draw_bipartite, draw_hulls, draw_matrix
from hyperhedge.plot.theme import DrawingError, mpl

__all__ = ["aligned_layouts", "compare", "share_scale"]

Panel = Literal["hull", "bipartite", "incidence"]
_MOST_PANELS = 100


def compare(
    hypergraphs: Mapping[str, Hypergraph | Sequence[Hypergraph]] | Sequence[Hypergraph],
    *,
    panel: Panel = "hull",
    columns: int | None = None,
    title: str | None = None,
    seed: int = 0,
    figure: Any = None,
) -> Any:
    """Draw hypergraphs in a grid; return the array of axes.

    Parameters
    ----------
    hypergraphs
        A list; or a mapping from names to hypergraphs, one a panel, or to lists of them, one a row.
    panel
        The style of each: ``"hull"``, ``"bipartite"`` or ``"incidence"``.
    columns
        How many beside each other, if there are no rows; as square as can be if not given.
    title
        Of the whole.
    seed
        Of the layouts.
    figure
        An empty figure to draw in.
    """
    if panel not in ("hull", "bipartite", "incidence"):
        raise DrawingError(f"panel must be 'hull', 'bipartite' or 'incidence', not {panel!r}")
    rows, in_rows = _rows(hypergraphs)
    graphs = [H for _, H in (cell for row in rows for cell in row)]
    if not in_rows:
        rows = _broken([cell for row in rows for cell in row], columns)
    across, down = max(len(row) for row in rows), len(rows)
    if figure is None:
        figure = mpl().figure(figsize=(max(2.9 * across, 3.2), 3.1 * down), layout="constrained")
    axes = figure.subplots(down, across, squeeze=False)
    layouts = iter(aligned_layouts(graphs, seed) if panel == "hull" else [None] * len(graphs))
    for row, line in zip(rows, axes, strict=True):
        for ax, (name, H) in zip(line, row, strict=False):
            _one_panel(ax, H, panel, next(layouts), name)
        for ax in line[len(row) :]:
            ax.set_visible(False)
    if panel == "hull":
        share_scale([ax for ax in axes.flat if ax.get_visible()])
    if title is not None:
        figure.suptitle(shown(title))
    return axes


def _one_panel(ax: Any, H: Hypergraph, panel: Panel, layout: Layout | None, title: str) -> None:
    if panel == "hull":
        draw_hulls(H, ax, pos=layout, labels=False, edge_labels=False)
    elif panel == "bipartite":
        draw_bipartite(H, ax, labels=False, edge_labels=False)
    else:
        draw_matrix(H, ax, labels=False)
        ax.set(xlabel="", ylabel="")
    ax.set_title(shown(title), fontsize=11)


def aligned_layouts(hypergraphs: Sequence[Hypergraph], seed: int = 0) -> list[Layout]:
    """Lay out hypergraphs, each but the first to be like the first."""
    first = force_layout(hypergraphs[0], seed=seed)
    return [first, *(force_layout(H, seed=seed, like=(hypergraphs[0], first)) for H in hypergraphs[1:])]


def share_scale(axes: Sequence[Any]) -> None:
    """Give axes limits of one width and one height, each about the middle of its own."""
    limits = np.array([[ax.get_xlim(), ax.get_ylim()] for ax in axes])
    middles, half = limits.mean(2), (limits[..., 1] - limits[..., 0]).max(0) / 2 + RADIUS / 2
    for ax, middle in zip(axes, middles, strict=True):
        ax.set(xlim=(middle[0] - half[0], middle[0] + half[0]), ylim=(middle[1] - half[1], middle[1] + half[1]))


Cell = tuple[str, Hypergraph]


def _rows(given: Any) -> tuple[list[list[Cell]], bool]:
    """Return named hypergraphs by rows, and whether the rows mean something."""
    if isinstance(given, Hypergraph):
        given = [given]
    if isinstance(given, Mapping):
        many = any(not isinstance(value, Hypergraph) for value in given.values())
        lists = {str(name): [value] if isinstance(value, Hypergraph) else list(value) for name, value in given.items()}
        rows = [[(name if k == 0 else "", H) for k, H in enumerate(value)] for name, value in lists.items() if value]
    else:
        many, rows = False, [[(str(k), H)] for k, H in enumerate(given)]
    cells = [cell for row in rows for cell in row]
    if not cells:
        raise DrawingError("there are no hypergraphs to compare")
    if len(cells) > _MOST_PANELS:
        raise DrawingError(
            f"there are {len(cells):,} hypergraphs, and at most {_MOST_PANELS} fit into a picture; give fewer"
        )
    wrong = [H for _, H in cells if not isinstance(H, Hypergraph)]
    if wrong:
        raise DrawingError(f"a comparison is of hypergraphs, and one of these is a {type(wrong[0]).__name__}")
    return rows, many


def _broken(cells: list[Cell], columns: int | None) -> list[list[Cell]]:
    """Break a list of panels into rows."""
    across = int(np.ceil(np.sqrt(len(cells)))) if columns is None and len(cells) > 3 else columns or len(cells)
    if across < 1:
        raise DrawingError(f"columns must be a whole number from 1 on, not {columns!r}")
    return [cells[start : start + across] for start in range(0, len(cells), across)]
