r"""Rates of hyperedges under the mixed-membership model, and its likelihood.

A node :math:`i` has memberships :math:`u_i \ge 0` in :math:`K` communities, and :math:`w \ge 0` is a symmetric affinity. How often
a hyperedge :math:`e` of two nodes or more occurs is a Poisson number, independently of the others, with the rate

.. math:: \frac{\lambda_e}{\kappa_{|e|}}, \qquad \lambda_e = \sum_{i < j \in e} u_i^\top w\, u_j, \qquad
   \kappa_d = \frac{d(d-1)}{2} \binom{n-2}{d-2} .

Every pair is in :math:`\binom{n-2}{d-2}` sets of :math:`d` nodes, so the rates of all sets of :math:`2, …, D` nodes sum to

.. math:: C \sum_{i < j} u_i^\top w\, u_j, \qquad C = \sum_{d=2}^{D} \frac{2}{d(d-1)} = 2 - \frac{2}{D} ,

which is what the likelihood needs beside the hyperedges that occur: it costs as many operations as there are incidences.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from scipy.special import gammaln

from hyperhedge._system.numba import compiled
from hyperhedge.models.xoshiro import Int
from hyperhedge.typing import FloatArray, IntArray


@compiled
def pair_rate(members: IntArray, start: Int, end: Int, u: FloatArray, uw: FloatArray, sums: FloatArray) -> float:
    """Return λ of the hyperedge with the members from ``start`` to ``end``; ``sums`` is room for K numbers."""
    sums[:] = 0.0
    rate = 0.0
    for place in range(start, end):  # each node with those before it: nothing is subtracted, so nothing cancels
        v = members[place]
        for k in range(len(sums)):
            rate += sums[k] * uw[v, k]
            sums[k] += u[v, k]
    return rate


@compiled
def _pair_rates(members: IntArray, indptr: IntArray, u: FloatArray, uw: FloatArray) -> FloatArray:
    rates = np.empty(len(indptr) - 1)
    sums = np.empty(u.shape[1])
    for e in range(len(rates)):
        rates[e] = pair_rate(members, indptr[e], indptr[e + 1], u, uw, sums)
    return rates


def pair_rates(members: IntArray, indptr: IntArray, u: FloatArray, w: FloatArray) -> FloatArray:
    """Return λ of hyperedges, the members of which begin at ``indptr``.

    Examples
    --------
    >>> u, w = np.array([[1.0], [2.0], [3.0]]), np.array([[1.0]])
    >>> pair_rates(np.array([0, 1, 0, 1, 2, 1]), np.array([0, 2, 5, 6]), u, w)
    array([ 2., 11.,  0.])
    """
    return _pair_rates(np.asarray(members, dtype=np.int64), np.asarray(indptr, dtype=np.int64), u, u @ w)


def log_kappa(sizes: IntArray, n: int) -> FloatArray:
    """Return the logarithms of κ for hyperedges of two nodes or more among ``n``.

    Examples
    --------
    >>> np.exp(log_kappa(np.array([2, 3, 4]), 6)).round(9)
    array([ 1., 12., 36.])
    """
    choices = gammaln(n - 1) - gammaln(sizes - 1) - gammaln(n - sizes + 1)
    logs: FloatArray = np.log(sizes * (sizes - 1) / 2) + choices
    return logs


def expected_hyperedges(u: FloatArray, w: FloatArray, largest: int) -> float:
    """Return the sum of the rates of all hyperedges of 2, …, ``largest`` nodes.

    Examples
    --------
    >>> expected_hyperedges(np.ones((3, 1)), np.ones((1, 1)), largest=3)    # three pairs of rate 1, a triple of rate 1
    4.0
    """
    earlier = np.cumsum(u[:-1], axis=0)  # for each node but the first, the sum over those before it
    return float((2 - 2 / largest) * ((u[1:] @ w) * earlier).sum())


def log_likelihood(members: list[tuple[int, ...]], counts: IntArray, u: FloatArray, w: FloatArray) -> float:
    """Return the logarithm of the probability of hyperedges, each with how often it occurs; the largest size is theirs."""
    sizes = np.array([len(nodes) for nodes in members])
    indptr = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(sizes)))
    nodes = np.fromiter(itertools.chain.from_iterable(members), dtype=np.int64, count=int(indptr[-1]))
    rates = pair_rates(nodes, indptr, u, w)
    if not (rates > 0).all():
        return -math.inf
    logs = counts @ (np.log(rates) - log_kappa(sizes, len(u))) - gammaln(counts + 1).sum()
    return float(logs) - expected_hyperedges(u, w, int(sizes.max()))
