r"""The nearest binary matrix whose row and column sums lie between bounds: a transport of least cost.

.. math:: \min_Y \sum_{ij} (X_{ij} - Y_{ij})^2 \quad\text{over}\quad Y \in \{0, 1\}^{n \times m},\quad
          r^- \le Y\mathbf 1 \le r^+,\quad c^- \le Y^\top\mathbf 1 \le c^+ .

*A transport.* Up to a constant the sum is :math:`\sum_{ij} w_{ij} Y_{ij}` with :math:`w_{ij} = 1 - 2X_{ij}`: a unit goes from row
:math:`i` to column :math:`j` at the cost :math:`w_{ij}`. An additional column takes what a row lacks to :math:`r^+`, at most
:math:`r^+ - r^-`, and an additional row supplies what a column lacks to :math:`c^+`, at most :math:`c^+ - c^-`, both at no cost.
Then every row sends exactly :math:`r^+` and every column receives exactly :math:`c^+`; the new row sends :math:`\sum c^+`, the new
column receives :math:`\sum r^+`, and the corner between them is free and large enough for all. As the constraints are totally
unimodular, transports of whole units are as cheap as any: the cheapest one is the answer.

*The start.* Rounding :math:`X` at 1/2 is cheapest for every entry by itself; the additional row and column make up for as much as
their bounds allow. Only the totals of rows and columns are wrong, and every change costs :math:`|w_{ij}| \ge 0` or nothing.

*Successive shortest paths* (Ahuja, Magnanti and Orlin 1993, Section 9.7). As long as a row sends too little or a column receives
too much, one unit goes from it along a cheapest path of changes to a row that sends too much or a column that receives too little.
Potentials :math:`\pi` keep the cost :math:`w + \pi_u - \pi_v` of every change from :math:`u` to :math:`v` non-negative, so
Dijkstra's algorithm finds the path, in :math:`O((n + m)^2)`, and the transport stays the cheapest for its totals. If there is no
path, no matrix is within the bounds. The number of paths is that of the units by which the rounded matrix misses its totals: small,
after a good sampler.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from hyperhedge._system.numba import compiled
from hyperhedge.typing import BoolArray, FloatArray, IntArray

__all__ = ["Bounds", "nearest_between"]

Bounds: TypeAlias = tuple[IntArray, IntArray]
"""The least and the most."""

#: The gain of rounding an entry of exactly 1/2 up: otherwise both values would cost the same, and it might change for nothing.
_TIE = 1e-13


def nearest_between(X: FloatArray, rows: Bounds, columns: Bounds) -> BoolArray | None:
    """Return the binary matrix nearest to ``X`` with sums between bounds, or None if there is none.

    Parameters
    ----------
    X
        A matrix ``(n, m)`` of finite numbers.
    rows, columns
        The least and the most that rows, ``(n,)``, and columns, ``(m,)``, may sum to.

    Examples
    --------
    Rounded, the first row has two ones and the second none. For one each, either of the two can move to the second row;
    moving the first costs less.

    >>> X, one = np.array([[0.9, 0.8], [0.4, 0.1]]), np.array([1, 1])
    >>> nearest_between(X, (one, one), (one, one)).astype(int)
    array([[0, 1],
           [1, 0]])
    >>> nearest_between(X, (3 * one, 3 * one), (one, one)) is None
    True
    """
    (row_least, row_most), (column_least, column_most) = (
        (np.asarray(side) for side in pair) for pair in (rows, columns)
    )
    if (row_least > row_most).any() or (column_least > column_most).any():
        return None
    n, m = X.shape
    costs, flow, most = (np.zeros((n + 1, m + 1), dtype=kind) for kind in (np.float64, np.int64, np.int64))
    costs[:n, :m], flow[:n, :m], most[:n, :m] = np.where(X == 0.5, -_TIE, 1 - 2 * X), X >= 0.5, 1
    most[:n, m], most[n, :m] = row_most - row_least, column_most - column_least
    flow[:n, m] = np.clip(row_most - flow[:n, :m].sum(axis=1), 0, most[:n, m])
    flow[n, :m] = np.clip(column_most - flow[:n, :m].sum(axis=0), 0, most[n, :m])
    flow[n, m], most[n, m] = flow[:n, :m].sum(), n * m + 1
    sent = np.append(row_most, column_most.sum()) - flow.sum(axis=1)
    got = flow.sum(axis=0) - np.append(column_most, row_most.sum())
    return flow[:n, :m].astype(bool) if _balance(costs, flow, most, np.concatenate((sent, got))) else None


@compiled
def _balance(costs: FloatArray, flow: IntArray, most: IntArray, excess: IntArray) -> bool:
    """Change a transport by cheapest paths until nothing is in excess; return whether that is possible.

    The excess of a row is what it still has to send, that of a column what it receives too much.
    """
    potentials = np.zeros(len(excess))
    while (excess > 0).any():
        distance, before, end = _cheapest_path(costs, flow, most, excess, potentials)
        if end < 0:
            return False
        potentials += np.minimum(distance, distance[end])
        start = _send(flow, before, end)
        excess[start] -= 1
        excess[end] += 1
    return True


@compiled
def _cheapest_path(
    costs: FloatArray, flow: IntArray, most: IntArray, excess: IntArray, potentials: FloatArray
) -> tuple[FloatArray, IntArray, int]:
    """Run Dijkstra's algorithm from all vertices with an excess to the nearest with a negative one.

    Vertices are the rows, then the columns. Returns distances, each vertex's predecessor, and the end, or −1 if none is reached.
    """
    n, m = flow.shape
    distance = np.where(excess > 0, 0.0, np.inf)
    before = np.full(n + m, -1)
    settled = np.zeros(n + m, dtype=np.bool_)
    while True:
        u = _nearest_open(distance, settled)
        if u < 0 or excess[u] < 0:
            return distance, before, u
        settled[u] = True
        for other in range(m if u < n else n):
            i, j = (u, other) if u < n else (other, u - n)
            v = n + j if u < n else i
            room, cost = (most[i, j] - flow[i, j], costs[i, j]) if u < n else (flow[i, j], -costs[i, j])
            if room > 0 and not settled[v]:
                # Rounding errors alone could make a cost negative.
                reached = distance[u] + max(cost + potentials[u] - potentials[v], 0.0)
                if reached < distance[v]:
                    distance[v], before[v] = reached, u


@compiled
def _nearest_open(distance: FloatArray, settled: BoolArray) -> int:
    """Return the first of the nearest vertices that are not settled, or −1 if none can be reached."""
    nearest = -1
    for v in range(len(distance)):
        if not settled[v] and distance[v] < (distance[nearest] if nearest >= 0 else np.inf):
            nearest = v
    return nearest


@compiled
def _send(flow: IntArray, before: IntArray, end: int) -> int:
    """Send a unit along the path that ends at a vertex; return where it starts."""
    n, v = len(flow), end
    while before[v] >= 0:
        u = before[v]
        if u < n:
            flow[u, v - n] += 1
        else:
            flow[v, u - n] -= 1
        v = u
    return int(v)
