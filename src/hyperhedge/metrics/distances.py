r"""The distances between a real and a generated collection: Appendix B.2 of the paper, and those that HYGENE and HyRec report.

Every distance takes one matrix of weights per collection (:mod:`hyperhedge.metrics.pooled`) with a row per replicate, and returns
one number per row: equal weights give the value, multinomial weights its bootstrap, and weights in {0, 1} select a subset. There
are five kinds:

* **gaps** of pooled means, :math:`\sum_H w_H a_H / \sum_H w_H b_H`, for which :math:`|\Delta k| \le W_1(k)` whatever the shapes;
* :math:`W_1` **of pooled numbers**;
* the **Kolmogorov–Smirnov** distance of pooled numbers;
* **MMD**, the maximum mean discrepancy of a kernel, by its biased estimate (V-statistic)

  .. math:: \mathrm{MMD}^2 = w^\top K_{rr} w + v^\top K_{gg} v - 2\, w^\top K_{rg} v,

  which is zero on equal collections and never negative;
* the deviation of **singular values**, rank by rank.

:data:`hyperhedge.metrics.METRICS` lists them all.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hyperhedge.metrics.features import FeatureScale, check_pairs, features, gaussian_kernel, pairwise
from hyperhedge.metrics.metric import Compare, Settings
from hyperhedge.metrics.pooled import PooledValues, divide
from hyperhedge.metrics.statistics import Statistics
from hyperhedge.typing import FloatArray, IntArray

PerHypergraph = Callable[[Statistics, Settings], FloatArray | IntArray]
Pooled = Callable[[Statistics, Settings], PooledValues]


def mean_gap(numerator: PerHypergraph, denominator: PerHypergraph, *, signed: bool) -> Compare:
    """Compare pooled means: sums over hypergraphs of the numerator over sums of the denominator."""

    def mean(statistics: Statistics, weights: FloatArray, settings: Settings) -> FloatArray:
        a, b = numerator(statistics, settings), denominator(statistics, settings)
        return divide(weights @ np.asarray(a, dtype=float), weights @ np.asarray(b, dtype=float))

    def compare(
        real: Statistics, other: Statistics, real_weights: FloatArray, other_weights: FloatArray, settings: Settings
    ) -> FloatArray:
        gap = mean(other, other_weights, settings) - mean(real, real_weights, settings)
        return gap if signed else np.abs(gap)

    return compare


def pooled_distance(
    distance: Callable[[PooledValues, PooledValues, FloatArray, FloatArray], FloatArray],
    values: Pooled,
) -> Compare:
    """Compare pooled numbers."""

    def compare(
        real: Statistics, other: Statistics, real_weights: FloatArray, other_weights: FloatArray, settings: Settings
    ) -> FloatArray:
        return distance(values(real, settings), values(other, settings), real_weights, other_weights)

    return compare


def mmd_squared(
    within_real: FloatArray, within_other: FloatArray, across: FloatArray, w: FloatArray, v: FloatArray
) -> FloatArray:
    """Return the biased squared MMD for kernel matrices and rows of weights."""
    w, v = w / w.sum(axis=1, keepdims=True), v / v.sum(axis=1, keepdims=True)
    squares = ((w @ within_real) * w).sum(axis=1) + ((v @ within_other) * v).sum(axis=1)
    return np.asarray(np.maximum(squares - 2 * ((w @ across) * v).sum(axis=1), 0.0))


def feature_mmd(
    real: Statistics, other: Statistics, real_weights: FloatArray, other_weights: FloatArray, _: Settings
) -> FloatArray:
    """Compare features by a Gaussian kernel in the scale of the real collection; the root of the squared MMD."""
    scale = FeatureScale.of(features(real))
    x, y = scale(features(real)), scale(features(other))
    kernels = gaussian_kernel(x, x), gaussian_kernel(y, y), gaussian_kernel(x, y)
    return np.sqrt(mmd_squared(*kernels, real_weights, other_weights))


_BINS, _RANGE = 200, (-1e-5, 2.0)  # HYGENE's


def spectral_mmd(
    real: Statistics, other: Statistics, real_weights: FloatArray, other_weights: FloatArray, _: Settings
) -> FloatArray:
    """Compare histograms of whole node spectra by a Gaussian kernel of their total variation; the squared MMD."""
    counts = np.vstack((_spectral_counts(real), _spectral_counts(other)))
    variation = _total_variation(counts)
    first, second = slice(len(real)), slice(len(real), None)

    def kernel(a: slice, b: slice) -> FloatArray:
        return np.asarray(np.exp(-0.5 * variation(a, b) ** 2))

    kernels = kernel(first, first), kernel(second, second), kernel(first, second)
    return mmd_squared(*kernels, real_weights, other_weights)


def _spectral_counts(statistics: Statistics) -> IntArray:
    """Count the eigenvalues of L_V of each hypergraph in bins."""
    pooled = statistics.node_spectrum(None)
    low, high = _RANGE
    bins = np.minimum(((pooled.value - low) / (high - low) * _BINS).astype(np.int64), _BINS - 1)
    counts = np.bincount(pooled.owner * _BINS + bins, minlength=len(statistics) * _BINS)
    return counts.reshape(len(statistics), _BINS)


def _total_variation(counts: IntArray) -> Callable[[slice, slice], FloatArray]:
    """Return the function that gives the total variation between all histograms of two slices.

    Between histograms of one total it is a matrix product: one minus the share that both have, and the minimum of two counts
    is the inner product of as many ones each (cf. :mod:`hyperhedge.metrics.similarity`).
    """
    totals = counts.sum(axis=1)
    if len(np.unique(totals)) == 1 and totals[0]:
        most = counts.max(axis=0)
        column = np.repeat(np.arange(counts.shape[1]), most)
        step = np.arange(len(column)) - np.repeat(np.cumsum(most) - most, most)
        ones = (counts[:, column] > step).astype(np.float32)

        def product(a: slice, b: slice) -> FloatArray:
            check_pairs(len(ones[a]), len(ones[b]))
            return np.asarray(1.0 - (ones[a] @ ones[b].T).astype(float) / totals[0])

        return product
    shares = counts[:, counts.any(axis=0)] / np.maximum(totals, 1)[:, None]
    return lambda a, b: 0.5 * pairwise(shares[a], shares[b], "cityblock")


def singular_values(
    real: Statistics, other: Statistics, real_weights: FloatArray, other_weights: FloatArray, settings: Settings
) -> FloatArray:
    """Compare root mean square singular values rank by rank, on a logarithmic scale."""
    real_squares, other_squares = (s.spectra.singular_squares(settings.eigenvalues) for s in (real, other))
    ranks = max((len(squares) for squares in (*real_squares, *other_squares)), default=0)
    a, b = _mean_squares(real_squares, real_weights, ranks), _mean_squares(other_squares, other_weights, ranks)
    both = (a > 0) & (b > 0)
    octaves = 0.5 * (np.log2(np.where(both, b, 1.0)) - np.log2(np.where(both, a, 1.0)))
    return np.sqrt(divide((octaves**2).sum(axis=1), both.sum(axis=1).astype(float)))


def _mean_squares(squares: list[FloatArray], weights: FloatArray, ranks: int) -> FloatArray:
    """Return the weighted mean of the squared singular values of each rank, where missing ones count as zero."""
    padded = np.zeros((len(squares), ranks))
    for row, values in zip(padded, squares, strict=True):
        row[: len(values)] = values
    return np.asarray(weights @ padded / weights.sum(axis=1, keepdims=True))
