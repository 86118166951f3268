r"""Numbers pooled over a batch of hypergraphs, and distances between two such pools under any weights.

A :class:`Sample` says that hypergraph ``owner[i]`` has ``count[i]`` times the number ``value[i]``. A weight per
hypergraph turns it into a law: hypergraph :math:`h` with weight :math:`w_h` gives

.. math:: F(x) = \frac{\sum_i w_{o_i} c_i \mathbf 1\{v_i \le x\}}{\sum_i w_{o_i} c_i}.

Equal weights give the pooled empirical law of the paper; multinomial weights a bootstrap replicate of the batch;
weights in {0, 1} a part of it. Every distance here takes a matrix of weights, one row per replicate, so that two
hundred replicates are one cumulative sum over the sorted values and not two hundred calls.

.. math:: W_1 = \int |F - G|\,dx, \qquad D = \sup_x |F(x) - G(x)|
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hyperhedge.checks import IntArray

__all__ = ["FloatArray", "Sample", "kolmogorov_smirnov", "ratio", "wasserstein"]

FloatArray = NDArray[np.float64]

#: How many numbers one step of the replicates may hold at once: 32 MiB.
_BLOCK = 1 << 22


@dataclass(frozen=True)
class Sample:
    """Numbers with their hypergraphs: ``count[i]`` times ``value[i]`` in hypergraph ``owner[i]`` of ``hypergraphs``."""

    owner: IntArray
    value: FloatArray
    count: FloatArray
    hypergraphs: int

    @classmethod
    def of_integers(cls, owner: IntArray, value: IntArray, hypergraphs: int) -> Sample:
        """Count equal integers of each hypergraph.

        Examples
        --------
        >>> sample = Sample.of_integers(np.array([0, 0, 1]), np.array([2, 2, 5]), 2)
        >>> sample.value, sample.count
        (array([2., 5.]), array([2., 1.]))
        """
        if not len(value):
            return cls(owner, value.astype(float), np.zeros(0), hypergraphs)
        width = int(value.max()) + 1
        keys, counts = _counted(owner * width + value, hypergraphs * width)
        found, numbers = np.divmod(keys, width)
        return cls(found, numbers.astype(float), counts.astype(float), hypergraphs)

    @classmethod
    def of_arrays(cls, arrays: list[FloatArray]) -> Sample:
        """Collect one array of numbers per hypergraph."""
        owner = np.repeat(np.arange(len(arrays)), [len(array) for array in arrays])
        value = np.concatenate(arrays) if arrays else np.zeros(0)
        return cls(owner, value, np.ones(len(value)), len(arrays))

    @classmethod
    def joined(cls, parts: list[Sample]) -> Sample:
        """Join samples of one batch."""
        return cls(
            np.concatenate([part.owner for part in parts]),
            np.concatenate([part.value for part in parts]),
            np.concatenate([part.count for part in parts]),
            parts[0].hypergraphs,
        )

    @property
    def totals(self) -> FloatArray:
        """How many numbers each hypergraph has."""
        return self.sums(0)

    def sums(self, power: int) -> FloatArray:
        """Return the sum of a power of each hypergraph's numbers."""
        return self._summed(self.count * self.value**power)

    def means(self) -> FloatArray:
        """Return the mean of each hypergraph's numbers; 0 without any."""
        return ratio(self.sums(1), self.totals, nothing=0.0)

    def deviations(self) -> FloatArray:
        """Return the standard deviation of each hypergraph's numbers; 0 without any."""
        centred = self.value - self.means()[self.owner]
        return np.sqrt(ratio(self._summed(self.count * centred**2), self.totals, nothing=0.0))

    def maxima(self) -> FloatArray:
        """Return the greatest of each hypergraph's numbers; 0 without any. The numbers must not be negative."""
        greatest = np.zeros(self.hypergraphs)
        np.maximum.at(greatest, self.owner, self.value)
        return greatest

    def number_from(self, least: float) -> FloatArray:
        """Count the numbers of each hypergraph that are at least ``least``."""
        return self._summed(self.count * (self.value >= least))

    def _summed(self, values: FloatArray) -> FloatArray:
        sums: FloatArray = np.bincount(self.owner, weights=values, minlength=self.hypergraphs).astype(float)
        return sums


def _counted(keys: IntArray, bound: int) -> tuple[IntArray, IntArray]:
    """Count equal keys below a bound: by counting them all where that is small, by sorting elsewhere."""
    if bound > 8 * _BLOCK:
        return np.unique(keys, return_counts=True)
    counts = np.bincount(keys)
    present = np.flatnonzero(counts)
    return present, counts[present]


def ratio(above: FloatArray, below: FloatArray, nothing: float = np.nan) -> FloatArray:
    """Divide, with ``nothing`` where there is nothing to divide by."""
    return np.divide(above, below, out=np.full_like(above, nothing), where=below != 0)


def wasserstein(real: Sample, other: Sample, real_weights: FloatArray, other_weights: FloatArray) -> FloatArray:
    r"""Return :math:`W_1` between two samples, one number per row of weights; NaN where a side is empty.

    Examples
    --------
    >>> a, b = (Sample.of_arrays([np.array(x)]) for x in ([0.0, 1.0, 3.0], [5.0, 6.0, 8.0]))
    >>> wasserstein(a, b, np.ones((1, 1)), np.ones((1, 1)))
    array([5.])
    """
    values, blocks = _differences(real, other, real_weights, other_weights)
    widths = np.diff(values)
    found = np.concatenate([np.abs(difference[:, :-1]) @ widths for difference in blocks])
    return np.where(_defined(real, real_weights) & _defined(other, other_weights), found, np.nan)


def kolmogorov_smirnov(real: Sample, other: Sample, real_weights: FloatArray, other_weights: FloatArray) -> FloatArray:
    """Return the greatest difference of the distribution functions, one number per row of weights."""
    values, blocks = _differences(real, other, real_weights, other_weights)
    last = np.append(values[1:] != values[:-1], np.ones(min(len(values), 1), dtype=bool))
    found = np.concatenate([np.abs(difference[:, last]).max(axis=1, initial=0.0) for difference in blocks])
    return np.where(_defined(real, real_weights) & _defined(other, other_weights), found, np.nan)


def _differences(
    real: Sample, other: Sample, real_weights: FloatArray, other_weights: FloatArray
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


def _defined(sample: Sample, weights: FloatArray) -> NDArray[np.bool_]:
    """Tell for which rows the weights leave anything of a sample."""
    return np.asarray(weights @ sample.totals > 0)


def _masses(sample: Sample, weights: FloatArray) -> FloatArray:
    """Return the probability of each entry of a sample; zeros where the weights leave nothing."""
    total = weights @ sample.totals
    scaled = weights * ratio(np.ones_like(total), total, nothing=0.0)[:, None]
    masses: FloatArray = scaled[:, sample.owner] * sample.count
    return masses
