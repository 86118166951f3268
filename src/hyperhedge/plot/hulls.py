r"""The outlines of hyperedges, their radii and their colours.

A hyperedge is drawn as the convex hull of discs of one radius about its members, the Minkowski sum

.. math:: \operatorname{conv}\{x_v : v \in e\} \oplus r_e D :

a circle for one member, a thick rounded segment for two, a rounded polygon for more. Radii grow along chains of
inclusion,

.. math:: r_e = r\,(1 + \delta\, k_e), \qquad k_e = \max\{k_f + 1 : f \subseteq e, f \text{ before } e\}

(0 if there is no such :math:`f`), hyperedges being taken by size, so that the outline of a hyperedge lies strictly
inside those that contain it, and repeated hyperedges are seen as rings.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial import ConvexHull

from hyperhedge.checks import IntArray
from hyperhedge.hypergraph import Hypergraph
from hyperhedge.plot.theme import COLOURS, FloatArray

__all__ = ["RADIUS", "colour_numbers", "levels", "outline", "radii"]

RADIUS = 0.27
_CORNERS = 48
_GROWTH, _MOST_GROWTH = 0.3, 1.5
_ANGLES = np.linspace(0, 2 * np.pi, _CORNERS, endpoint=False)
_CIRCLE = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], axis=1)


def outline(points: FloatArray, radius: float) -> FloatArray:
    """Return the corners of the hull of discs about some points, anticlockwise.

    Each disc is the polygon of 48 corners about it, so that all discs of the radius are inside.

    Examples
    --------
    >>> corners = outline(np.array([[0.0, 0.0], [2.0, 0.0]]), 0.5)
    >>> corners.min(0).round(2), corners.max(0).round(2)
    (array([-0.5, -0.5]), array([2.5, 0.5]))
    """
    circumscribed = radius / np.cos(np.pi / _CORNERS)
    corners = (points[:, None] + circumscribed * _CIRCLE).reshape(-1, 2)
    hull: FloatArray = corners[ConvexHull(corners).vertices]
    return hull


def levels(H: Hypergraph) -> IntArray:
    """Return the length of the longest chain of hyperedges inside each, a repeated one being inside the later one.

    Examples
    --------
    >>> levels(Hypergraph([[0, 1, 2], [0, 1], [0, 1], [3]]))
    array([2, 0, 1, 0])
    """
    found = np.zeros(H.m, dtype=np.int64)
    shared = H.overlaps
    order = np.argsort(H.sizes, kind="stable")
    place = np.argsort(order)
    for e in order:
        near = shared.indices[shared.indptr[e] : shared.indptr[e + 1]]
        common = shared.data[shared.indptr[e] : shared.indptr[e + 1]]
        inside = near[(common == H.sizes[near]) & (place[near] < place[e])]
        found[e] = found[inside].max(initial=-1) + 1
    return found


def radii(H: Hypergraph) -> FloatArray:
    """Return the radius of each hyperedge."""
    level = levels(H)
    growth = min(_GROWTH, _MOST_GROWTH / max(int(level.max(initial=0)), 1))
    grown: FloatArray = np.asarray(RADIUS * (1 + growth * level), dtype=np.float64)
    return grown


def colour_numbers(H: Hypergraph, columns: IntArray) -> IntArray:
    """Choose a colour for each hyperedge: one that those it overlaps with have least, and then the least used.

    Hyperedges choose in the order of ``columns``.
    """
    shared = H.overlaps
    chosen = np.full(H.m, -1, dtype=np.int64)
    used = np.zeros(len(COLOURS))
    for e in columns:
        near = shared.indices[shared.indptr[e] : shared.indptr[e + 1]]
        there = chosen[near] >= 0
        conflict = np.bincount(chosen[near[there]], minlength=len(COLOURS))
        chosen[e] = np.lexsort((np.arange(len(COLOURS)), used, conflict))[0]
        used[chosen[e]] += 1
    return chosen
