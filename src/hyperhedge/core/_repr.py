"""A hypergraph in a notebook: its counts, and its incidence matrix as a small picture.

The picture has a row per node, a column per hyperedge and a filled square per incidence. Above
:data:`MAX_CELLS` rows or columns, adjacent ones share a square whose opacity is the fraction of ones in it
(on a square-root scale, to make sparse matrices visible). It takes its colours from the page, light or
dark, and is plain SVG, without scripts or external resources.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

import numpy as np

from hyperhedge.core.labels import Label, Labels
from hyperhedge.typing import IntArray

MAX_CELLS = 64
MAX_LABELLED = 32
LABEL_LENGTH = 18

_LARGE_CELL, _SMALL_CELL = 12, 7
_FONT = 'font-family="system-ui, sans-serif" font-size="9" fill="currentColor"'


@dataclass(frozen=True)
class Picture:
    """The incidences to show, with the labels of the rows and the columns."""

    nodes: Labels
    edges: Labels
    node_ids: IntArray
    edge_ids: IntArray


def count(number: int, noun: str) -> str:
    """Write a number with its noun.

    Examples
    --------
    >>> count(1, "node"), count(1200, "node")
    ('1 node', '1,200 nodes')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def svg(picture: Picture) -> str:
    """Return the incidence matrix as an SVG image."""
    n, m = len(picture.nodes), len(picture.edges)
    rows, columns = min(n, MAX_CELLS), min(m, MAX_CELLS)
    cell = _LARGE_CELL if max(rows, columns) <= MAX_LABELLED else _SMALL_CELL
    row_labels = _texts(picture.nodes) if n <= MAX_LABELLED else []
    column_labels = _texts(picture.edges) if m <= MAX_LABELLED else []
    left = 8 + 5.5 * max(map(len, row_labels), default=0)
    top = 8 + 5.5 * max(map(len, column_labels), default=0)
    width, height = left + columns * cell + 8, top + rows * cell + 8
    elements = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" role="img" '
        f'aria-label="incidence matrix, {count(n, "node")} by {count(m, "hyperedge")}">',
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{columns * cell}" height="{rows * cell}" '
        'fill="currentColor" fill-opacity="0.06"/>',
        *_row_texts(row_labels, left, top, cell),
        *_column_texts(column_labels, left, top, cell),
        *_squares(picture, (rows, columns), left, top, cell),
        "</svg>",
    ]
    return "".join(elements)


def _texts(labels: Labels) -> list[str]:
    return [_short(label) for label in labels]


def _short(label: Label) -> str:
    """Shorten a label and replace the characters that XML does not allow."""
    text = "".join(c if c.isprintable() else "·" for c in str(label))
    return text if len(text) <= LABEL_LENGTH else text[: LABEL_LENGTH - 1] + "…"


def _row_texts(labels: list[str], left: float, top: float, cell: int) -> list[str]:
    return [
        f'<text x="{left - 4:.1f}" y="{top + (i + 0.75) * cell:.1f}" text-anchor="end" {_FONT}>{escape(label)}</text>'
        for i, label in enumerate(labels)
    ]


def _column_texts(labels: list[str], left: float, top: float, cell: int) -> list[str]:
    return [
        f'<text transform="translate({left + (j + 0.75) * cell:.1f} {top - 4:.1f}) rotate(-90)" '
        f"{_FONT}>{escape(label)}</text>"
        for j, label in enumerate(labels)
    ]


def _squares(picture: Picture, grid: tuple[int, int], left: float, top: float, cell: int) -> list[str]:
    """Return a square for each cell with an incidence; its opacity shows the fraction of ones in the cell."""
    n, m = len(picture.nodes), len(picture.edges)
    rows, columns = grid
    if not len(picture.node_ids):
        return []
    cells = picture.node_ids * rows // n * columns + picture.edge_ids * columns // m
    ones = np.bincount(cells, minlength=rows * columns).reshape(rows, columns)
    area = (n / rows) * (m / columns)
    gap = 2 if cell == _LARGE_CELL else 1
    opacity = np.clip(np.sqrt(ones / area), 0.0, 1.0)
    return [
        f'<rect x="{left + j * cell + gap / 2:.1f}" y="{top + i * cell + gap / 2:.1f}" width="{cell - gap}" '
        f'height="{cell - gap}" rx="{gap}" fill="#2a7de1" fill-opacity="{opacity[i, j]:.2g}"/>'
        for i, j in zip(*np.nonzero(ones), strict=True)
    ]


def html(title: str, picture: Picture, degrees: IntArray, edge_sizes: IntArray) -> str:
    """Write the counts above the picture."""
    named = (("degree", degrees), ("hyperedge size", edge_sizes))
    facts = " · ".join(f"{name} {_spread(values)}" for name, values in named if len(values))
    return (
        '<figure style="margin:0;font-family:system-ui,sans-serif">'
        f'<figcaption style="margin-bottom:4px"><strong>{escape(title.strip("<>"))}</strong>'
        f'<br><small>{escape(facts)}</small></figcaption><div style="overflow:auto">'
        f"{svg(picture)}</div></figure>"
    )


def _spread(values: IntArray) -> str:
    return f"{values.mean():.3g} on average ({values.min()}–{values.max()})"
