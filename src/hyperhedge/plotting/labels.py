"""Labels beside what they name.

A label has several candidate boxes around its anchor. Labels are placed one after the other, each in the box that
covers least of the boxes and dots already placed and sticks out of the axes least, with a preference for pointing away
from the middle; and the label of a hyperedge avoids the hulls of the others. Boxes are measured in points (1/72 inch),
so nothing has to be rendered to place them.
"""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import Any

import numpy as np

from hyperhedge.core.labels import Label
from hyperhedge.plotting.theme import INK, mpl
from hyperhedge.typing import FloatArray

FEW_TICKS = 48  #: labels along a side, for which there is room
_LONGEST = 28  # characters: longer labels would cover their neighbours
_LONGEST_TITLE, _TITLE_LINE = 240, 80  # characters
_GAP = 2.0  # points between a dot and its label
_DIRECTIONS = np.stack([np.cos(np.arange(12) * np.pi / 6), np.sin(np.arange(12) * np.pi / 6)], axis=1)

# Costs, relative to each other: per point² that a box covers of another or has outside the axes, and per square of the
# text's height for lying in another hyperedge's hull or pointing inwards, which only decide where the others are level.
_COVERED, _OUTSIDE, _IN_HULL, _INWARDS = 3.0, 4.0, 0.15, 0.05


def label_text(label: Label) -> str:
    r"""Return a label as it is shown: on one line, not too long, and with dollars that are no mathematics.

    Characters that cannot be seen become dots: XML forbids most of them, so they would break an SVG file.

    Examples
    --------
    >>> label_text("5 $\n a day"), label_text("a\x00b")
    ('5 \\$ a day', 'a·b')
    """
    return _plain(str(label), _LONGEST)


def title_text(title: str) -> str:
    """Return a title as it is shown: as a label, but longer, and in lines of which each fits above a picture."""
    return "\n".join(wrap(_plain(title, _LONGEST_TITLE), _TITLE_LINE, break_on_hyphens=False)) or " "


def _plain(text: str, longest: int) -> str:
    line = "".join(c if c.isprintable() else "·" for c in " ".join(text.split()))
    line = line if len(line) <= longest else f"{line[: longest - 1]}…"
    return line.replace("$", r"\$")


def is_labelled(requested: bool | None, labels: Sequence[Label], few: int) -> bool:
    """Return whether to show labels: as requested, or by default if they are names and few."""
    return are_names(labels) and len(labels) <= few if requested is None else requested


def set_title(ax: Any, title: str | None) -> None:
    """Write a title above axes, if there is one."""
    if title is not None:
        ax.set_title(title_text(title))


def row_fontsize(height: float, rows: int, least: float) -> float:
    """Return the size of labels in rows over a height in points: legible, and at most 9 points."""
    return float(np.clip(height / max(rows, 1), least, 9.0))


def are_names(labels: Sequence[Label]) -> bool:
    """Return whether labels say something: whether any is not a number."""
    return not isinstance(labels, range) and any(isinstance(label, str) for label in labels)


def place_labels(
    ax: Any,
    anchors: Sequence[FloatArray],
    labels: Sequence[Label],
    *,
    dots: FloatArray,
    dot_radius: float,
    colours: Sequence[Any] | None = None,
    fontsize: float = 9.0,
    taken: Sequence[FloatArray] = (),
    hulls: Sequence[FloatArray] = (),
) -> list[FloatArray]:
    """Write labels beside their anchors, in axes whose limits are set.

    Parameters
    ----------
    ax
        The axes.
    anchors
        For each label the points ``(k, 2)`` beside one of which it may stand.
    labels, colours, fontsize
        The labels, their colours (black by default) and their height in points.
    dots, dot_radius
        What not to cover, in the units of the axes.
    taken
        Boxes already taken, as this function returns them: ``(x0, y0, x1, y1)`` in points.
    hulls
        For labels of hyperedges, the corners of each one's hull: a label avoids the hulls of the others.

    Returns
    -------
    list
        The boxes taken now.
    """
    page = _Page(ax)
    radius = dot_radius * page.unit
    dot_points = page.from_data(dots) if len(dots) else np.zeros((0, 2))
    middle = dot_points.mean(0) if len(dot_points) else np.zeros(2)
    boxes = [*taken, *(np.concatenate([dot - radius, dot + radius]) for dot in dot_points)]
    hull_paths = [mpl("path").Path(page.from_data(hull)) if len(hull) else None for hull in hulls]
    for k, (anchor, label) in enumerate(zip(anchors, labels, strict=True)):
        text = label_text(label)
        extent = _extent(text, fontsize)
        points = page.from_data(anchor)
        origin = points.mean(0) if len(points) > 1 else middle
        candidates, inwards = _candidates(points, extent, radius + _GAP, origin)
        costs = _COVERED * _covered(candidates, boxes) + _INWARDS * extent[1] ** 2 * inwards
        costs += _OUTSIDE * _outside(candidates, page.frame)
        centres = (candidates[:, :2] + candidates[:, 2:]) / 2
        for j, path in enumerate(hull_paths):
            if j != k and path is not None:
                costs += _IN_HULL * extent[1] ** 2 * path.contains_points(centres)
        best = int(np.argmin(costs))
        boxes.append(candidates[best])
        page.write(text, centres[best], fontsize, INK if colours is None else colours[k])
    return boxes


class _Page:
    """Axes in points from the lower left corner of their figure."""

    def __init__(self, ax: Any) -> None:
        figure = ax.figure.figure  # the whole figure, of which the axes may be in a subfigure
        figure.draw_without_rendering()  # settles where the axes are
        self.ax, self.per_pixel = ax, 72.0 / figure.dpi
        self.frame = ax.bbox.extents * self.per_pixel
        self.unit = float(np.ptp(self.from_data(np.array([[0.0, 0.0], [1.0, 0.0]]))[:, 0]))  #: of the axes, in points

    def from_data(self, points: FloatArray) -> FloatArray:
        on_page: FloatArray = self.ax.transData.transform(points) * self.per_pixel
        return on_page

    def write(self, text: str, centre: FloatArray, fontsize: float, colour: Any) -> None:
        x, y = self.ax.transData.inverted().transform(centre / self.per_pixel)
        written = self.ax.text(x, y, text, ha="center", va="center", fontsize=fontsize, color=colour, zorder=6)
        written.set_path_effects([mpl("patheffects").withStroke(linewidth=2.2, foreground="white", alpha=0.85)])
        written.set_in_layout(False)  # or the axes would shrink and the boxes be wrong


def _extent(text: str, fontsize: float) -> FloatArray:
    """Return the width and height of a text, in points."""
    if not text:  # of which matplotlib can make no path
        return np.array([0.0, fontsize])
    corners = mpl("textpath").TextPath((0, 0), text, size=fontsize).vertices[:, 0]
    return np.array([float(np.ptp(corners)) if len(corners) else 0.0, fontsize])


def _candidates(
    points: FloatArray, extent: FloatArray, gap: float, origin: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return boxes around points, and for each how far it points inwards: 0 if away from the origin, 2 if towards it."""
    outwards = points - origin
    outwards = outwards / np.maximum(np.hypot(*outwards.T), 1e-9)[:, None]
    reach = gap + (extent / 2 / np.maximum(np.abs(_DIRECTIONS), 1e-9)).min(1)
    centres = (points[:, None] + _DIRECTIONS * reach[:, None]).reshape(-1, 2)
    return np.hstack([centres - extent / 2, centres + extent / 2]), (1 - outwards @ _DIRECTIONS.T).ravel()


def _covered(candidates: FloatArray, boxes: Sequence[FloatArray]) -> FloatArray:
    """Return the area that each candidate shares with the boxes."""
    taken = np.array(boxes).reshape(-1, 4)
    low = np.maximum(candidates[:, None, :2], taken[:, :2])
    high = np.minimum(candidates[:, None, 2:], taken[:, 2:])
    areas: FloatArray = np.maximum(high - low, 0).prod(2).sum(1)
    return areas


def _outside(candidates: FloatArray, frame: FloatArray) -> FloatArray:
    """Return the area of each candidate outside a frame."""
    low, high = candidates[:, :2], candidates[:, 2:]
    inside = np.maximum(np.minimum(high, frame[2:]) - np.maximum(low, frame[:2]), 0).prod(1)
    outside: FloatArray = (high - low).prod(1) - inside
    return outside
