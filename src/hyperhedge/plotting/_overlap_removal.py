r"""Move nodes out of the hulls of hyperedges that they are not in.

A node inside the hull of a hyperedge looks like a member. An *intrusion* is a pair :math:`(v, e)` with :math:`v \notin
e` and :math:`x_v` in the hull of :math:`e`. Nodes involved in intrusions are taken in turn, and each is moved to the
candidate point around it with the fewest intrusions, as an intruder or as a corner of its hyperedges' hulls, if that is
an improvement; among equal points, to the nearest. So the number of intrusions only falls. A point is in a hull if it
is within the supporting lines in 36 directions :math:`u`,

.. math:: u \cdot x \le \max_{v \in e} u \cdot x_v + r_e \quad\text{for all } u,

a polygon that contains the hull and is hardly larger, so all candidate points are tested in one array operation. In a
dense hypergraph some intrusions cannot be avoided in the plane.
"""

from __future__ import annotations

import numpy as np

from hyperhedge.typing import BoolArray, FloatArray, IntArray

_PASSES = 4  # in 33 small hypergraphs no more moved anything
_CLEARANCE = 0.12  # from a hull to a dot outside it: a little more than the radius of a dot
_SEPARATION = 0.34  # between two dots: more than three radii
_MOST_WORK = 2e8  # comparisons, about a second


def _directions(count: int) -> FloatArray:
    angles = np.arange(count) * 2 * np.pi / count
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


_NORMALS = _directions(36)
_MOVES = np.concatenate([reach * _directions(12) for reach in (0.35, 0.7, 1.2, 1.9)])  # the nearest first


def count_intrusions(X: FloatArray, incidence: BoolArray, margins: FloatArray) -> int:
    """Count intrusions, from positions ``(n, 2)``, the incidence matrix and the radii of the hyperedges.

    Examples
    --------
    >>> incidence = np.array([[1, 0], [1, 0], [1, 0], [0, 1]], dtype=bool)
    >>> X = np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 2.0], [1.0, 0.1]])
    >>> count_intrusions(X, incidence, np.array([0.3, 0.3]))
    1
    """
    return int(_Search(X, incidence, margins).intrusions.sum())


def remove_intrusions(X: FloatArray, incidence: BoolArray, margins: FloatArray) -> FloatArray:
    """Return positions with fewer intrusions, if the search finds some.

    Examples
    --------
    >>> incidence = np.array([[1, 0], [1, 0], [1, 0], [0, 1]], dtype=bool)
    >>> X = np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 2.0], [1.0, 0.1]])
    >>> count_intrusions(remove_intrusions(X, incidence, np.array([0.3, 0.3])), incidence, np.array([0.3, 0.3]))
    0
    """
    search = _Search(X, incidence, margins)
    for _ in range(_PASSES):
        if not search.improve():
            break
    return search.X


class _Search:
    """Positions, their projections onto the normals, the supporting lines of the hulls, and the intrusions."""

    def __init__(self, X: FloatArray, incidence: BoolArray, margins: FloatArray) -> None:
        self.X, self.incidence, self.margins = X.copy(), incidence, margins + _CLEARANCE
        self.projections = self.X @ _NORMALS.T
        supports = [self.projections[members].max(0) for members in incidence.T]
        self.lines = np.stack(supports) + self.margins[:, None]
        self.intrusions = np.stack([self._intruders(e) for e in range(incidence.shape[1])], axis=1)
        self.attempts = int(_MOST_WORK / (len(_MOVES) * len(_NORMALS) * sum(incidence.shape)))

    def improve(self) -> bool:
        """Try to move each node involved in intrusions once; return whether any was moved."""
        moved = False
        involved = self.intrusions.sum(1) + (self.incidence & self.intrusions.any(0)).sum(1)
        for v in np.argsort(-involved, kind="stable"):
            if not involved[v] or self.attempts <= 0:
                break
            moved |= self._improve_node(int(v))
        return moved

    def _improve_node(self, v: int) -> bool:
        """Move one node to the candidate point with the fewest intrusions."""
        self.attempts -= 1
        inside, outside = np.flatnonzero(self.incidence[v]), np.flatnonzero(~self.incidence[v])
        current = int(self.intrusions[v].sum() + self.intrusions[:, inside].sum())
        if not current:
            return False
        points = self.X[v] + _MOVES
        projections = points @ _NORMALS.T
        counts = (projections[:, None] <= self.lines[outside]).all(2).sum(1)
        for e in inside:
            counts = counts + self._count_in_hull(v, int(e), projections)
        others = np.delete(self.X, v, axis=0)
        gaps = np.hypot(points[:, None, 0] - others[:, 0], points[:, None, 1] - others[:, 1]).min(1, initial=np.inf)
        best = int(np.argmin(np.where(gaps >= _SEPARATION, counts, current)))  # the first of equal ones is the nearest
        if gaps[best] < _SEPARATION or counts[best] >= current:
            return False
        self.X[v], self.projections[v] = points[best], projections[best]
        for e in inside:
            self.lines[e] = self.projections[self.incidence[:, e]].max(0) + self.margins[e]
            self.intrusions[:, e] = self._intruders(int(e))
        self.intrusions[v, outside] = (self.projections[v] <= self.lines[outside]).all(1)
        return True

    def _count_in_hull(self, v: int, e: int, projections: FloatArray) -> IntArray:
        """Count the intruders in the hull of a hyperedge, for each point to which its member ``v`` may move."""
        rest = self.incidence[:, e].copy()
        rest[v] = False
        lines = np.maximum(projections, self.projections[rest].max(0, initial=-np.inf)) + self.margins[e]
        counts: IntArray = (self.projections[~self.incidence[:, e]] <= lines[:, None]).all(2).sum(1)
        return counts

    def _intruders(self, e: int) -> BoolArray:
        intruders: BoolArray = (self.projections <= self.lines[e]).all(1) & ~self.incidence[:, e]
        return intruders
