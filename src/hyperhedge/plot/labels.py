"""Names beside what they name.

A name may stand in several places about its anchor. Names are placed one after the other, each where its box covers
least of the boxes and dots that are there and sticks out of the axes least, the places that point away from the
middle coming first; and the name of a hyperedge stays out of the hulls of others where it can. Boxes are measured in
points, so that no picture has to be rendered for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hyperhedge.labels import Label
from hyperhedge.plot.theme import INK, FloatArray, mpl

__all__ = ["are_names", "place_names", "shown"]

_LONGEST = 28
_DIRECTIONS = np.stack([np.cos(np.arange(12) * np.pi / 6), np.sin(np.arange(12) * np.pi / 6)], axis=1)


def shown(label: Label) -> str:
    r"""Return a label as it is drawn: on one line, not too long, and with dollars that are no mathematics.

    Examples
    --------
    >>> shown("5 $\n a day")
    '5 \\$ a day'
    """
    text = " ".join(str(label).split())
    text = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
    return text.replace("$", r"\$")


def are_names(labels: Sequence[Label]) -> bool:
    """Tell whether labels say something: whether any is not a number."""
    return not isinstance(labels, range) and any(isinstance(label, str) for label in labels)


def place_names(
    ax: Any,
    anchors: Sequence[FloatArray],
    texts: Sequence[str],
    *,
    dots: FloatArray,
    dot_radius: float,
    colours: Sequence[str] | None = None,
    size: float = 9.0,
    taken: list[FloatArray] | None = None,
    hulls: Sequence[FloatArray] = (),
) -> list[FloatArray]:
    """Write names beside points, or beside any of several points, of axes whose limits are set.

    Parameters
    ----------
    ax
        The axes.
    anchors
        For each name the points ``(k, 2)`` beside one of which it may stand.
    texts, colours, size
        The names, their colours (black if not given) and their size in points.
    dots, dot_radius
        What not to cover, in the units of the axes.
    taken
        Boxes that are taken already, as this function returns them: ``(x0, y0, x1, y1)`` in points.
    hulls
        The corners of the hull that each name is of, if it is a hyperedge's: it points away from it, and stays out of the others.

    Returns
    -------
    list
        The boxes that are taken now.
    """
    figure = ax.figure.figure  # the whole, of which the axes may be in a part
    figure.draw_without_rendering()  # which settles where the axes are
    per_point = 72.0 / figure.dpi

    def to_points(points: FloatArray) -> FloatArray:
        found: FloatArray = ax.transData.transform(points) * per_point
        return found

    unit = float(np.ptp(to_points(np.array([[0.0, 0.0], [1.0, 0.0]]))[:, 0]))
    gap = dot_radius * unit + 2.0
    spots = to_points(dots) if len(dots) else np.zeros((0, 2))
    around = dot_radius * unit
    boxes = list(taken or [])
    boxes += [np.concatenate([spot - around, spot + around]) for spot in spots]
    middle = spots.mean(0) if len(spots) else np.zeros(2)
    for k, (points, text) in enumerate(zip(anchors, texts, strict=True)):
        extent = _extent(text, size)
        near = to_points(points)
        candidates = _candidates(near, extent, gap, near.mean(0) if len(near) > 1 else middle)
        costs = _costs(candidates, boxes) + 4 * _outside(candidates, ax.bbox.extents * per_point)
        centres = (candidates[:, :2] + candidates[:, 2:4]) / 2
        for j, hull in enumerate(hulls):
            if j != k and len(hull):
                costs += 0.15 * extent[1] ** 2 * mpl("path").Path(to_points(hull)).contains_points(centres)
        box = candidates[int(np.argmin(costs))][:4]
        boxes.append(box)
        centre = ax.transData.inverted().transform((box[:2] + box[2:]) / 2 / per_point)
        written = ax.text(
            *centre, text, ha="center", va="center", fontsize=size, color=colours[k] if colours else INK, zorder=6
        )
        halo = mpl("patheffects").withStroke(linewidth=2.2, foreground="white", alpha=0.85)
        written.set_path_effects([halo])
        written.set_in_layout(False)
    return boxes


def _extent(text: str, size: float) -> FloatArray:
    """Return the width and height of a text, in points."""
    corners = mpl("textpath").TextPath((0, 0), text, size=size).vertices[:, 0]
    return np.array([float(np.ptp(corners)) if len(corners) else 0.0, size])


def _candidates(points: FloatArray, extent: FloatArray, gap: float, middle: FloatArray) -> FloatArray:
    """Return boxes about points, each with a penalty as its last entry: the less it points outwards, the more."""
    outwards = points - middle
    outwards = outwards / np.maximum(np.hypot(*outwards.T), 1e-9)[:, None]
    reach = gap + (extent / 2 / np.maximum(np.abs(_DIRECTIONS), 1e-9)).min(1)
    centres = (points[:, None] + _DIRECTIONS * reach[:, None]).reshape(-1, 2)
    penalty = 0.05 * extent[1] ** 2 * (1 - outwards @ _DIRECTIONS.T).reshape(-1, 1)
    return np.hstack([centres - extent / 2, centres + extent / 2, penalty])


def _costs(candidates: FloatArray, boxes: list[FloatArray]) -> FloatArray:
    """Return how much each box covers of those that are taken, and its penalty."""
    taken = np.array(boxes).reshape(-1, 4)
    low = np.maximum(candidates[:, None, :2], taken[:, :2])
    high = np.minimum(candidates[:, None, 2:4], taken[:, 2:])
    covered: FloatArray = np.maximum(high - low, 0).prod(2).sum(1) * 3 + candidates[:, 4]
    return covered


def _outside(candidates: FloatArray, frame: FloatArray) -> FloatArray:
    """Return how much of each box is outside a frame."""
    low, high = candidates[:, :2], candidates[:, 2:4]
    kept = np.maximum(np.minimum(high, frame[2:]) - np.maximum(low, frame[:2]), 0).prod(1)
    outside: FloatArray = (high - low).prod(1) - kept
    return outside
