r"""Numbers pooled over a collection of hypergraphs, and distances between two such pools under any weights.

A :class:`PooledValues` says that hypergraph ``owner[i]`` has the number ``value[i]`` ``count[i]`` times. One weight per hypergraph
turns it into a law: if hypergraph :math:`h` has weight :math:`w_h`,

.. math:: F(x) = \frac{\sum_i w_{o_i} c_i \mathbf 1\{v_i \le x\}}{\sum_i w_{o_i} c_i}.

Equal weights give the pooled empirical law of the paper, multinomial weights a bootstrap replicate of the collection, and
weights in {0, 1} a subset of it. Every distance here takes a matrix of weights, one row per replicate: two hundred replicates
are one cumulative sum over the sorted values instead of two hundred calls.

.. math:: W_1 = \int |F - G|\,dx, \qquad D = \sup_x |F(x) - G(x)|
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hyperhedge.typing import BoolArray, FloatArray, IntArray

#: How many numbers one block of replicates may hold: 32 MiB.
_BLOCK = 1 << 22


@dataclass(frozen=True)
class PooledValues:
    """Numbers with their hypergraphs: ``count[i]`` times ``value[i]`` in hypergraph ``owner[i]`` of ``num_hypergraphs``."""

    owner: IntArray
    value: FloatArray
    count: FloatArray
    num_hypergraphs: int

    @classmethod
    def of_integers(cls, owner: IntArray, value: IntArray, num_hypergraphs: int) -> PooledValues:
        """Count equal integers of each hypergraph.

        Examples
        --------
        >>> pooled = PooledValues.of_integers(np.array([0, 0, 1]), np.array([2, 2, 5]), 2)
        >>> pooled.value, pooled.count
        (array([2., 5.]), array([2., 1.]))
        """
        if not len(value):
            return cls(owner, value.astype(float), np.zeros(0), num_hypergraphs)
        width = int(value.max()) + 1
        keys, counts = _counted(owner * width + value, num_hypergraphs * width)
        owners, values = np.divmod(keys, width)
        return cls(owners, values.astype(float), counts.astype(float), num_hypergraphs)

    @classmethod
    def of_arrays(cls, arrays: list[FloatArray]) -> PooledValues:
        """Pool one array of numbers per hypergraph."""
        owner = np.repeat(np.arange(len(arrays)), [len(array) for array in arrays])
        value = np.concatenate(arrays) if arrays else np.zeros(0)
        return cls(owner, value, np.ones(len(value)), len(arrays))

    @classmethod
    def one_each(cls, values: FloatArray) -> PooledValues:
        """Pool one number per hypergraph."""
        return cls(np.arange(len(values)), values, np.ones(len(values)), len(values))

    @classmethod
    def joined(cls, pools: list[PooledValues]) -> PooledValues:
        """Join several pools over the same hypergraphs."""
        return cls(
            np.concatenate([pool.owner for pool in pools]),
            np.concatenate([pool.value for pool in pools]),
            np.concatenate([pool.count for pool in pools]),
            pools[0].num_hypergraphs,
        )

    @property
    def totals(self) -> FloatArray:
        """How many numbers each hypergraph has."""
        return self.sums(0)

    def sums(self, power: int) -> FloatArray:
        """Return the sum of a power of each hypergraph's numbers."""
        return self._summed(self.count * self.value**power)

    def means(self) -> FloatArray:
        """Return the mean of each hypergraph's numbers; 0 if it has none."""
        return divide(self.sums(1), self.totals, otherwise=0.0)

    def deviations(self) -> FloatArray:
        """Return the standard deviation of each hypergraph's numbers; 0 if it has none."""
        centred = self.value - self.means()[self.owner]
        return np.sqrt(divide(self._summed(self.count * centred**2), self.totals, otherwise=0.0))

    def maxima(self) -> FloatArray:
        """Return the largest of each hypergraph's numbers, which must not be negative; 0 if it has none."""
        largest = np.zeros(self.num_hypergraphs)
        np.maximum.at(largest, self.owner, self.value)
        return largest

    def count_at_least(self, bound: float) -> FloatArray:
        """Count the numbers of each hypergraph that are at least ``bound``."""
        return self._summed(self.count * (self.value >= bound))

    def _summed(self, values: FloatArray) -> FloatArray:
        sums: FloatArray = np.bincount(self.owner, weights=values, minlength=self.num_hypergraphs).astype(float)
        return sums


def _counted(keys: IntArray, bound: int) -> tuple[IntArray, IntArray]:
    """Count equal keys below a bound: in one array if that is small, otherwise by sorting."""
    if bound > 8 * _BLOCK:
        return np.unique(keys, return_counts=True)
    counts = np.bincount(keys)
    present = np.flatnonzero(counts)
    return present, counts[present]


def divide(numerator: FloatArray, denominator: FloatArray, otherwise: float = np.nan) -> FloatArray:
    """Divide, with ``otherwise`` where the denominator is zero."""
    return np.divide(numerator, denominator, out=np.full_like(numerator, otherwise), where=denominator != 0)


def wasserstein(
    real: PooledValues, other: PooledValues, real_weights: FloatArray, other_weights: FloatArray
) -> FloatArray:
    r"""Return :math:`W_1` between two pools, one number per row of weights; NaN where one of them is empty.

    Examples
    --------
    >>> a, b = (PooledValues.of_arrays([np.array(x)]) for x in ([0.0, 1.0, 3.0], [5.0, 6.0, 8.0]))
    >>> wasserstein(a, b, np.ones((1, 1)), np.ones((1, 1)))
    array([5.])
    """
    values, blocks = _differences(real, other, real_weights, other_weights)
    widths = np.diff(values)
    areas = np.concatenate([np.abs(difference[:, :-1]) @ widths for difference in blocks])
    return np.where(_defined(real, real_weights) & _defined(other, other_weights), areas, np.nan)


def kolmogorov_smirnov(
    real: PooledValues, other: PooledValues, real_weights: FloatArray, other_weights: FloatArray
) -> FloatArray:
    """Return the largest difference of the distribution functions, one number per row of weights; NaN as above."""
    values, blocks = _differences(real, other, real_weights, other_weights)
    last = np.append(values[1:] != values[:-1], np.ones(min(len(values), 1), dtype=bool))
    largest = np.concatenate([np.abs(difference[:, last]).max(axis=1, initial=0.0) for difference in blocks])
    return np.where(_defined(real, real_weights) & _defined(other, other_weights), largest, np.nan)


def _differences(
    real: PooledValues, other: PooledValues, real_weights: FloatArray, other_weights: FloatArray
) -> tuple[FloatArray, Iterator[FloatArray]]:
    """Return all values in order, and F − G at each of them in blocks of replicates."""
    values = np.concatenate((real.value, other.value))
    order = np.argsort(values, kind="stable")
    replicates = max(1, _BLOCK // max(len(values), 1))

    def blocks() -> Iterator[FloatArray]:
        for start in range(0, len(real_weights), replicates):
            rows = slice(start, start + replicates)
            steps = np.concatenate((_masses(real, real_weights[rows]), -_masses(other, other_weights[rows])), axis=1)
            yield np.cumsum(steps[:, order], axis=1)

    return values[order], blocks()


def _defined(pool: PooledValues, weights: FloatArray) -> BoolArray:
    """Return for each row whether the weights leave anything of a pool."""
    return np.asarray(weights @ pool.totals > 0)


def _masses(pool: PooledValues, weights: FloatArray) -> FloatArray:
    """Return the probability of each entry of a pool; zeros where the weights leave nothing."""
    total = weights @ pool.totals
    scaled = weights * divide(np.ones_like(total), total, otherwise=0.0)[:, None]
    masses: FloatArray = scaled[:, pool.owner] * pool.count
    return masses
