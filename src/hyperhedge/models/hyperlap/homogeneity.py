r"""The homogeneity of hyperedges: how often their nodes meet.

With the pair degree :math:`d_{uv}`, the number of hyperedges that hold both :math:`u` and :math:`v`, the homogeneity of a hyperedge
of at least two nodes is the mean over its pairs,

.. math:: \hom(e) = \binom{|e|}{2}^{-1} \sum_{\{u, v\} \subseteq e} d_{uv} .

(Lee, Choe and Shin, *How do hyperedges overlap in real-world hypergraphs? Patterns, measures, and generators*, WWW 2021.)
"""

from __future__ import annotations

import numpy as np

from hyperhedge.typing import FloatArray, IntArray


def pair_keys(sizes: IntArray, members: IntArray, count: int) -> tuple[IntArray, IntArray]:
    """Return the owner and the key, u · count + v with u < v, of each pair of nodes in each hyperedge.

    Examples
    --------
    >>> pair_keys(np.array([1, 3]), np.array([4, 2, 0, 1]), 10)
    (array([1, 1, 1]), array([ 2, 12,  1]))
    """
    starts = np.cumsum(sizes) - sizes
    owners, keys = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for k in np.unique(sizes[sizes > 1]).tolist():
        edges = np.flatnonzero(sizes == k)
        rows = members[starts[edges][:, None] + np.arange(k)]
        i, j = np.triu_indices(k, 1)
        u, v = rows[:, i], rows[:, j]
        owners.append(np.repeat(edges, len(i)))
        keys.append((np.minimum(u, v) * count + np.maximum(u, v)).ravel())
    return np.concatenate(owners), np.concatenate(keys)


def homogeneity(sizes: IntArray, members: IntArray, count: int) -> FloatArray:
    """Return the homogeneity of each hyperedge of at least two nodes.

    Examples
    --------
    >>> homogeneity(np.array([2, 3, 1]), np.array([0, 1, 1, 0, 2, 2]), 3)
    array([2.        , 1.33333333])
    """
    owners, keys = pair_keys(sizes, members, count)
    _, which, degrees = np.unique(keys, return_inverse=True, return_counts=True)
    sums = np.bincount(owners, weights=degrees[which], minlength=len(sizes))
    large = sizes > 1
    means: FloatArray = sums[large] / (sizes[large] * (sizes[large] - 1) / 2)
    return means


def largest_difference(x: FloatArray, y: FloatArray) -> float:
    """Return the Kolmogorov–Smirnov statistic: the largest difference of two empirical distribution functions.

    Examples
    --------
    >>> largest_difference(np.array([1.0, 2.0]), np.array([2.0, 3.0]))
    0.5
    """
    points = np.concatenate((x, y))
    below_x, below_y = (np.searchsorted(np.sort(z), points, side="right") / max(len(z), 1) for z in (x, y))
    return float(np.abs(below_x - below_y).max(initial=0.0))
