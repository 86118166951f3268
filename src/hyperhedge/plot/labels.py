"""Names beside what they name.

A name may stand in several places about its anchor. Names are placed one after the other, each where its box covers least of the
boxes and dots that are there, the places that point away from the middle of the picture coming first. Boxes are measured in points, so that
no picture has to be rendered for it.
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
    text = " ".join(str(label).split()) or " "
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

    Returns
    -------
    list
        The boxes that are taken now.
    """
    ax.figure.draw_without_rendering()  # which settles where the axes are
    per_point = 72.0 / ax.figure.dpi
    to_points = lambda points: ax.transData.transform(points) * per_point  # noqa: E731
    unit = float(np.ptp(to_points(np.array([[0.0, 0.0], [1.0, 0.0]]))[:, 0]))
    gap = dot_radius * unit + 2.0
    spots = to_points(dots) if len(dots) else np.zeros((0, 2))
    around = dot_radius * unit
    boxes = list(taken or [])
    boxes += [np.concatenate([spot - around, spot + around]) for spot in spots]
    middle = spots.mean(0) if len(spots) else np.zeros(2)
    for k, (points, text) in enumerate(zip(anchors, texts, strict=True)):
        extent = _extent(text, size)
        candidates = _candidates(to_points(points), extent, gap, middle)
        box = candidates[int(np.argmin(_costs(candidates, boxes)))][:4]
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
    low, high = (choose(candidates[:, None, s], taken[:, s]) for choose, s in ((np.maximum, np.s_[:2]), (np.minimum, np.s_[2:4])))
    covered: FloatArray = np.maximum(high - low, 0).prod(2).sum(1) + candidates[:, 4]
    return covered
