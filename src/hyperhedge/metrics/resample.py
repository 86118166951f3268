r"""Weights that resample a collection, and the intervals and floors that come from the replicates.

*The interval.* A bootstrap replicate resamples hypergraphs of both collections with replacement. A distance between samples is
larger than the distance between their laws, because of sampling noise, and a replicate has that noise twice. So the percentile
interval is shifted until the mean of the replicates lies on the value :math:`\hat d`,

.. math:: \bigl[\hat d + q_{2.5\%} - \bar d^*,\ \hat d + q_{97.5\%} - \bar d^*\bigr].

It then covers the mean of :math:`\hat d` at these counts, which is also what the floor estimates. It is cut off at zero, unless
the distance has a sign.

*The floor* is how far real hypergraphs are from real hypergraphs: the mean distance between random subsets of the training set,
with as many hypergraphs as were generated, and the held-out collection. If the training set is too small for that (or missing, so
that halves of the held-out collection have to do), the counts differ. Between :math:`a` and :math:`b` samples of one law, a
distance is of the order :math:`(1/a + 1/b)^{r}`, with :math:`r = 1/2` (1 for squares); the floor is rescaled by that to the
counts of the value.
"""

from __future__ import annotations

import numpy as np

from hyperhedge.typing import FloatArray, IntArray


def bootstrap_weights(count: int, replicates: int, rng: np.random.Generator) -> FloatArray:
    """Return how often each of ``count`` hypergraphs is in each replicate.

    Examples
    --------
    >>> bootstrap_weights(4, 3, np.random.default_rng(0)).sum(axis=1)
    array([4., 4., 4.])
    """
    return rng.multinomial(count, np.full(count, 1 / count), size=replicates).astype(float)


def random_subsets(count: int, size: int, repeats: int, rng: np.random.Generator) -> FloatArray:
    """Return random subsets of ``size`` out of ``count`` hypergraphs: rows of zeros and ones.

    Examples
    --------
    >>> random_subsets(5, 2, 3, np.random.default_rng(0)).sum(axis=1)
    array([2., 2., 2.])
    """
    return (_random_ranks(count, repeats, rng) < size).astype(float)


def random_halves(count: int, repeats: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Return two disjoint halves of a collection; if ``count`` is odd, one hypergraph is left out.

    Examples
    --------
    >>> one, other = random_halves(5, 3, np.random.default_rng(0))
    >>> one.sum(axis=1), other.sum(axis=1), (one * other).sum()
    (array([2., 2., 2.]), array([2., 2., 2.]), np.float64(0.0))
    """
    ranks, size = _random_ranks(count, repeats, rng), count // 2
    return (ranks < size).astype(float), ((ranks >= size) & (ranks < 2 * size)).astype(float)


def _random_ranks(count: int, repeats: int, rng: np.random.Generator) -> IntArray:
    ranks: IntArray = rng.permuted(np.tile(np.arange(count), (repeats, 1)), axis=1)
    return ranks


def interval(value: float, replicates: FloatArray, confidence: float, *, signed: bool) -> tuple[float, float]:
    """Return the percentile interval, shifted onto the value; NaN if fewer than two replicates have a value.

    Examples
    --------
    >>> interval(1.0, np.array([1.0, 2.0, 3.0]), 0.9, signed=True)
    (0.1, 1.9)
    """
    defined = replicates[np.isfinite(replicates)]
    if not np.isfinite(value) or len(defined) < 2:
        return float("nan"), float("nan")
    tails = np.quantile(defined, [(1 - confidence) / 2, (1 + confidence) / 2]) - defined.mean()
    low, high = (round(float(value + tail), 15) for tail in tails)
    return (low, high) if signed else (max(low, 0.0), high)


def rescaled(value: float, measured: tuple[int, int], wanted: tuple[int, int], rate: float) -> float:
    """Rescale a distance between samples of one law from the counts at which it was measured to other counts.

    Examples
    --------
    >>> rescaled(1.0, (50, 50), (100, 100), rate=0.5)
    0.7071067811865476
    """
    (a, b), (c, d) = measured, wanted
    return float(value * ((1 / c + 1 / d) / (1 / a + 1 / b)) ** rate)
