r"""Weights that resample a batch, and what is read from the replicates.

*The interval.* A bootstrap replicate draws both batches anew, with replacement, over hypergraphs. A distance between
samples is larger than the distance between their laws, by the sampling noise, and a replicate has that noise twice. So
the percentile interval is moved such that the replicates' mean lies on the value :math:`\hat d`,

.. math:: \bigl[\hat d + q_{2.5\%} - \bar d^*,\ \hat d + q_{97.5\%} - \bar d^*\bigr],

which then covers the mean of :math:`\hat d` at these counts: what the floor is too. Below zero it is cut, unless the
distance has a sign.

*The floor* is what real hypergraphs are from real hypergraphs: the mean distance of parts of the training set, as many
hypergraphs as were generated, to the held-out batch. Where there are not so many (or only halves of the held-out batch,
since there is no training set), the counts differ. Between :math:`a` and :math:`b` draws of one law a distance is of
the order :math:`(1/a + 1/b)^{r}`, :math:`r = 1/2` (1 for squares), by which it is carried over to the counts of the
value.
"""

from __future__ import annotations

import numpy as np

from hyperhedge.metrics.sample import FloatArray

__all__ = ["bootstrap_weights", "carried_over", "halves", "interval", "parts"]


def bootstrap_weights(count: int, replicates: int, rng: np.random.Generator) -> FloatArray:
    """Draw how often each of ``count`` hypergraphs is in each replicate.

    Examples
    --------
    >>> bootstrap_weights(4, 3, np.random.default_rng(0)).sum(axis=1)
    array([4., 4., 4.])
    """
    return rng.multinomial(count, np.full(count, 1 / count), size=replicates).astype(float)


def parts(count: int, size: int, draws: int, rng: np.random.Generator) -> FloatArray:
    """Draw parts of ``size`` out of ``count`` hypergraphs: rows of zeros and ones.

    Examples
    --------
    >>> parts(5, 2, 3, np.random.default_rng(0)).sum(axis=1)
    array([2., 2., 2.])
    """
    ranks = rng.permuted(np.tile(np.arange(count), (draws, 1)), axis=1)
    return (ranks < size).astype(float)


def halves(count: int, draws: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Draw two halves of a batch that have nothing in common; of an odd number, one is left out.

    Examples
    --------
    >>> one, other = halves(5, 3, np.random.default_rng(0))
    >>> one.sum(axis=1), other.sum(axis=1), (one * other).sum()
    (array([2., 2., 2.]), array([2., 2., 2.]), np.float64(0.0))
    """
    ranks = rng.permuted(np.tile(np.arange(count), (draws, 1)), axis=1)
    size = count // 2
    return (ranks < size).astype(float), ((ranks >= size) & (ranks < 2 * size)).astype(float)


def interval(value: float, replicates: FloatArray, confidence: float, *, signed: bool) -> tuple[float, float]:
    """Return the percentile interval, moved onto the value; NaN if fewer than two replicates have a value.

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


def carried_over(value: float, measured: tuple[int, int], wanted: tuple[int, int], rate: float) -> float:
    """Carry a distance between draws of one law over to other counts.

    Examples
    --------
    >>> carried_over(1.0, (50, 50), (100, 100), rate=0.5)
    0.7071067811865476
    """
    (a, b), (c, d) = measured, wanted
    return float(value * ((1 / c + 1 / d) / (1 / a + 1 / b)) ** rate)
