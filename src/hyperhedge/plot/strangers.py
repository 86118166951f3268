r"""Move nodes out of the hulls of hyperedges that they are not in.

A node in the hull of a hyperedge says that it is a member. A *stranger* is a pair :math:`(v, e)` with :math:`v \notin
e` and :math:`x_v` in the hull of :math:`e`. Nodes that have to do with one are taken in turn, and each is moved to
that of some points about it where the strangers that it makes, itself or as a corner of its hyperedges' hulls, are
fewest, if they become fewer; of equal ones, the nearest. So the number of strangers only falls. Whether a point is in
a hull is told by its supporting lines in 36 directions :math:`u`,

.. math:: u \cdot x \le \max_{v \in e} u \cdot x_v + r_e \quad\text{for all } u,

a polygon that contains the hull and is little larger, so that all points about a node are tried in one array
operation. In a dense hypergraph no positions in the plane are without strangers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hyperhedge.plot.theme import FloatArray

__all__ = ["count_strangers", "without_strangers"]

_PASSES = 4
_CLEAR = 0.12  # from a hull to a dot that is outside
_APART = 0.34  # between two dots
_MOST_WORK = 2e8  # comparisons, a second or so


def _directions(count: int) -> FloatArray:
    angles = np.arange(count) * 2 * np.pi / count
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


_LINES = _directions(36)
_MOVES = np.concatenate([reach * _directions(12) for reach in (0.35, 0.7, 1.2, 1.9)])


def count_strangers(X: FloatArray, block: NDArray[np.bool_], margins: FloatArray) -> int:
    """Count strangers, given positions ``(n, 2)``, the incidence matrix and the radii of the hyperedges.

    Examples
    --------
    >>> block = np.array([[1, 0], [1, 0], [1, 0], [0, 1]], dtype=bool)
    >>> X = np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 2.0], [1.0, 0.1]])
    >>> count_strangers(X, block, np.array([0.3, 0.3]))
    1
    """
    return int(_Search(X, block, margins).strange.sum())


def without_strangers(X: FloatArray, block: NDArray[np.bool_], margins: FloatArray) -> FloatArray:
    """Return positions with fewer strangers, if some can be found.

    Examples
    --------
    >>> block = np.array([[1, 0], [1, 0], [1, 0], [0, 1]], dtype=bool)
    >>> X = np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 2.0], [1.0, 0.1]])
    >>> count_strangers(without_strangers(X, block, np.array([0.3, 0.3])), block, np.array([0.3, 0.3]))
    0
    """
    search = _Search(X, block, margins)
    for _ in range(_PASSES):
        if not search.improve():
            break
    return search.X


class _Search:
    """Positions, their places along the directions, the supporting lines of the hulls and the strangers in them."""

    def __init__(self, X: FloatArray, block: NDArray[np.bool_], margins: FloatArray) -> None:
        self.X, self.block, self.margins = X.copy(), block, margins + _CLEAR
        self.along = self.X @ _LINES.T
        self.lines = np.stack([self.along[members].max(0) for members in block.T]) + self.margins[:, None]
        self.strange = np.stack([self._strangers(e) for e in range(block.shape[1])], axis=1)
        self.tries = int(_MOST_WORK / (len(_MOVES) * len(_LINES) * sum(block.shape)))

    def improve(self) -> bool:
        """Try each node that has to do with strangers once; tell whether any was moved."""
        moved = False
        concerned = self.strange.sum(1) + (self.block & self.strange.any(0)).sum(1)
        for v in np.argsort(-concerned, kind="stable"):
            if not concerned[v] or self.tries <= 0:
                break
            moved |= self._try(int(v))
        return moved

    def _try(self, v: int) -> bool:
        """Move one node to where it makes the fewest strangers."""
        self.tries -= 1
        mine, theirs = np.flatnonzero(self.block[v]), np.flatnonzero(~self.block[v])
        now = int(self.strange[v].sum() + self.strange[:, mine].sum())
        if not now:
            return False
        places = self.X[v] + _MOVES
        along = places @ _LINES.T
        found = (along[:, None] <= self.lines[theirs]).all(2).sum(1)
        for e in mine:
            found = found + self._made(v, int(e), along)
        others = np.delete(self.X, v, axis=0)
        apart = np.hypot(places[:, None, 0] - others[:, 0], places[:, None, 1] - others[:, 1]).min(1, initial=np.inf)
        best = int(np.argmin(np.where(apart >= _APART, found, now)))  # the first, and so the nearest, of equal ones
        if apart[best] < _APART or found[best] >= now:
            return False
        self.X[v], self.along[v] = places[best], along[best]
        for e in mine:
            self.lines[e] = self.along[self.block[:, e]].max(0) + self.margins[e]
            self.strange[:, e] = self._strangers(int(e))
        self.strange[v, theirs] = (self.along[v] <= self.lines[theirs]).all(1)
        return True

    def _made(self, v: int, e: int, along: FloatArray) -> NDArray[np.int64]:
        """Count the strangers in a hyperedge of a node's, for each place that it may move to."""
        rest = self.block[:, e].copy()
        rest[v] = False
        lines = np.maximum(along, self.along[rest].max(0, initial=-np.inf)) + self.margins[e]
        made: NDArray[np.int64] = (self.along[~self.block[:, e]] <= lines[:, None]).all(2).sum(1)
        return made

    def _strangers(self, e: int) -> NDArray[np.bool_]:
        strange: NDArray[np.bool_] = (self.along <= self.lines[e]).all(1) & ~self.block[:, e]
        return strange
