r"""Hypergraphs without repeated hyperedges, near the one that a projection returned.

Columns :math:`Y_e` of a binary matrix that are equal are made different one after the other, each at the least cost
:math:`\sum_{ij} (X_{ij} - Y_{ij})^2`, by changes that keep what is to be kept:

- *both*: with another hyperedge :math:`f`, :math:`e` exchanges a node that only :math:`e` has for one that only :math:`f` has;
  sizes and degrees stay,
- *sizes*: a node of :math:`e` is replaced by another,
- *nothing*: :math:`e` becomes the nearest set of nodes that is no hyperedge yet.

A change leaves no hyperedge that it touches equal to any other, so the number of equal pairs falls with each, and there is an end.
All that is not repeated, and all randomness, stays as it is. The nearest matrix with different columns under such conditions is an
integer program; this is not that, but it changes no more hyperedges than are repeated, and the one that each exchanges with.

*The nearest new set.* Changing the entries :math:`i` of a set costs the sum of their :math:`c_i \ge 0`. Sets come out of a heap in
order of cost: after a set with the most expensive member :math:`i` come the same set with :math:`i + 1` instead of it, and with
:math:`i + 1` in addition. Of the first :math:`m + 1` at least one is no hyperedge yet.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hyperhedge.typing import BoolArray, FloatArray, IntArray

__all__ = ["Kept", "separated"]

Kept: TypeAlias = Literal["both", "sizes", "nothing"]
"""What stays as it is: sizes and degrees, sizes alone, or neither."""


def separated(
    X: FloatArray, Y: BoolArray, kept: Kept, *, allow_empty: bool = False, allow_isolated: bool = False
) -> BoolArray | None:
    """Return a binary matrix near ``Y`` whose columns are all different, or None if such changes lead to none.

    Parameters
    ----------
    X
        The relaxed state ``(n, m)``, finite, which says what a change costs.
    Y
        The binary matrix.
    kept
        What stays: ``"both"`` the sums of columns and rows, ``"sizes"`` those of columns, or ``"nothing"``.
    allow_empty, allow_isolated
        Whether a change may empty a column (if no other is empty), and a row.

    Examples
    --------
    >>> X = np.array([[0.9, 0.8, 0.1], [0.8, 0.6, 0.3], [0.1, 0.4, 0.9], [0.1, 0.3, 0.9]])
    >>> separated(X, X >= 0.5, "sizes").astype(int).T
    array([[1, 1, 0, 0],
           [1, 0, 1, 0],
           [0, 0, 1, 1]])
    >>> separated(X, X >= 0.5, "both").astype(int).T
    array([[1, 1, 0, 0],
           [1, 0, 1, 0],
           [0, 1, 0, 1]])
    """
    Y = Y.copy()
    node_keys = np.random.default_rng(0).integers(0, 1 << 64, size=len(Y), dtype=np.uint64)
    while True:
        state = _State(1 - 2 * X, Y, node_keys, allow_empty, allow_isolated)
        repeated = state.repeated()
        if not len(repeated):
            return Y
        changes = [change for e in repeated.tolist() if (change := _CHANGES[kept](state, e)) is not None]
        if not changes:
            return None
        _, rows, columns = min(changes, key=lambda change: change[0])
        Y[rows, columns] ^= True


_Change: TypeAlias = tuple[float, IntArray, IntArray]
"""What a change costs, and the rows and columns of the entries that it flips."""


class _State:
    """A matrix, the costs of ones ``w``, and a key of each column: the sum of the keys of its ones."""

    def __init__(
        self, w: FloatArray, Y: BoolArray, node_keys: NDArray[np.uint64], allow_empty: bool, allow_isolated: bool
    ) -> None:
        self.w, self.Y, self.node_keys = w, Y, node_keys
        self.keys = (Y * node_keys[:, None]).sum(axis=0, dtype=np.uint64)
        self.allow_empty = allow_empty
        self.removable = (Y.sum(axis=1) > 1) | allow_isolated

    def repeated(self) -> IntArray:
        """Return the columns that are equal to the first one that has an equal."""
        _, first, inverse, counts = np.unique(self.keys, return_index=True, return_inverse=True, return_counts=True)
        if counts.max(initial=0) < 2:
            return np.zeros(0, dtype=np.int64)
        return np.flatnonzero(inverse == inverse[first[counts > 1].min()])

    def is_new(self, keys: NDArray[np.uint64]) -> BoolArray:
        """Tell which keys no column has."""
        return np.isin(keys, self.keys, invert=True)


def _exchange(state: _State, e: int) -> _Change | None:
    """Find the cheapest exchange of a node u of column e for a node v of a column f."""
    w, Y, keys = state.w, state.Y, state.node_keys
    u = np.flatnonzero(Y[:, e])[:, None]
    v, f = np.nonzero(Y & ~Y[:, [e]])
    cost = w[v, e] - w[u, e] + w[u, f] - w[v, f]
    moved = keys[v] - keys[u]
    possible = ~Y[u, f] & state.is_new(state.keys[e] + moved) & state.is_new(state.keys[f] - moved)
    best = _cheapest(cost, possible)
    if best is None:
        return None
    i, k = best
    return float(cost[i, k]), np.array([u[i, 0], v[k], u[i, 0], v[k]]), np.array([e, e, f[k], f[k]])


def _replacement(state: _State, e: int) -> _Change | None:
    """Find the cheapest replacement of a node u of column e by a node v."""
    w, keys = state.w, state.node_keys
    u, v = np.flatnonzero(state.Y[:, e] & state.removable)[:, None], np.flatnonzero(~state.Y[:, e])
    cost = w[v, e] - w[u, e]
    best = _cheapest(cost, state.is_new(state.keys[e] + keys[v] - keys[u]))
    if best is None:
        return None
    i, k = best
    return float(cost[i, k]), np.array([u[i, 0], v[k]]), np.array([e, e])


def _nearest_new(state: _State, e: int) -> _Change | None:
    """Find the nearest set of nodes that no column has."""
    inside = state.Y[:, e]
    flippable = np.flatnonzero(~inside | state.removable)
    cost = np.maximum(np.where(inside, -state.w[:, e], state.w[:, e])[flippable], 0)
    flippable, cost = flippable[order := np.argsort(cost, kind="stable")], cost[order]
    signed = np.where(inside, -state.node_keys, state.node_keys)[flippable]
    for total, chosen in _subsets(cost):
        emptied = not state.allow_empty and inside.sum() == len(chosen) == inside[flippable[chosen]].sum()
        if not emptied and state.is_new(np.append(signed[chosen], state.keys[e]).sum(dtype=np.uint64)):
            return total, flippable[chosen], np.full(len(chosen), e)
    return None


_CHANGES: dict[Kept, Callable[[_State, int], _Change | None]] = {
    "both": _exchange,
    "sizes": _replacement,
    "nothing": _nearest_new,
}


def _cheapest(cost: FloatArray, possible: BoolArray) -> tuple[int, int] | None:
    """Return the row and the column of the least cost that is possible."""
    if not possible.any():
        return None
    i, k = np.unravel_index(np.argmin(np.where(possible, cost, np.inf)), cost.shape)
    return int(i), int(k)


def _subsets(cost: FloatArray) -> Iterator[tuple[float, list[int]]]:
    """Go through the subsets of numbers ≥ 0 in ascending order, but for the empty one, in order of their sums.

    Examples
    --------
    >>> [chosen for _, chosen in _subsets(np.array([1.0, 2.0, 4.0]))]
    [[0], [1], [0, 1], [2], [0, 2], [1, 2], [0, 1, 2]]
    """
    heap = [(float(cost[0]), [0])] if len(cost) else []
    while heap:
        total, chosen = heapq.heappop(heap)
        yield total, chosen
        last = chosen[-1]
        if last + 1 < len(cost):
            heapq.heappush(heap, (total + float(cost[last + 1] - cost[last]), [*chosen[:-1], last + 1]))
            heapq.heappush(heap, (total + float(cost[last + 1]), [*chosen, last + 1]))
