r"""The outlines of hyperedges, their radii and their colours.

A hyperedge is plotted as the convex hull of discs of one radius about its members, the Minkowski sum

.. math:: \operatorname{conv}\{x_v : v \in e\} \oplus r_e D :

a circle for one member, a thick rounded segment for two, a rounded polygon for more. Radii grow along chains of
inclusion,

.. math:: r_e = r\,(1 + \delta\, k_e), \qquad k_e = \max\{k_f + 1 : f \subseteq e, f \text{ before } e\}

(0 if there is no such :math:`f`), where hyperedges are taken by size. So the outline of a hyperedge lies strictly
inside those that contain it, and repeated hyperedges appear as rings.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial import ConvexHull

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.plotting.theme import COLOURS
from hyperhedge.typing import FloatArray, IntArray

RADIUS = 0.27  #: of the discs: hulls of different components, whose nodes are at least 1 apart, do not touch
_CORNERS = 48  # of the polygon that stands for a disc: it looks round
_GROWTH = 0.3  # of the radius from one level to the next: enough to see two outlines
_MOST_GROWTH = 1.5  # of the radius in all, however long the chain
_ANGLES = np.linspace(0, 2 * np.pi, _CORNERS, endpoint=False)
_CIRCLE = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], axis=1)


def outline(points: FloatArray, radius: float) -> FloatArray:
    """Return the corners of the hull of discs about some points, anticlockwise.

    Each disc is replaced by a polygon of 48 corners around it, so the hull contains the discs.

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


def nesting_levels(H: Hypergraph) -> IntArray:
    """Return the length of the longest chain of hyperedges inside each; of equal ones, the earlier is inside the later.

    Examples
    --------
    >>> nesting_levels(Hypergraph([[0, 1, 2], [0, 1], [0, 1], [3]]))
    array([2, 0, 1, 0])
    """
    levels = np.zeros(H.m, dtype=np.int64)
    overlaps = H.overlaps
    order = np.argsort(H.edge_sizes, kind="stable")
    rank = np.argsort(order)
    for e in order:
        row = slice(overlaps.indptr[e], overlaps.indptr[e + 1])
        near, common = overlaps.indices[row], overlaps.data[row]
        inside = near[(common == H.edge_sizes[near]) & (rank[near] < rank[e])]
        levels[e] = levels[inside].max(initial=-1) + 1
    return levels


def radii(H: Hypergraph) -> FloatArray:
    """Return the radius of each hyperedge."""
    levels = nesting_levels(H)
    growth = min(_GROWTH, _MOST_GROWTH / max(int(levels.max(initial=0)), 1))
    return np.asarray(RADIUS * (1 + growth * levels), dtype=np.float64)


def colour_indices(H: Hypergraph, columns: IntArray) -> IntArray:
    """Choose a colour for each hyperedge: the rarest among those it overlaps with, then the least used.

    Hyperedges choose in the order of ``columns``.
    """
    overlaps = H.overlaps
    colours = np.full(H.m, -1, dtype=np.int64)
    used = np.zeros(len(COLOURS))
    for e in columns:
        near = overlaps.indices[overlaps.indptr[e] : overlaps.indptr[e + 1]]
        near_colours = colours[near[colours[near] >= 0]]
        conflicts = np.bincount(near_colours, minlength=len(COLOURS))
        colours[e] = np.lexsort((np.arange(len(COLOURS)), used, conflicts))[0]
        used[colours[e]] += 1
    return colours
