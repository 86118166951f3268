r"""Stochastic expectation–maximisation for hyperedge copying.

*What is hidden* is which earlier hyperedge :math:`f` a hyperedge :math:`e` is a copy of. Given the sizes :math:`|f| = j` and
:math:`|e \cap f| = k`, with :math:`g` new nodes and :math:`b = |e| - k - g` old ones from outside :math:`f`, of :math:`n` present,

.. math:: P(e \mid f) = \frac kj\, \eta^{k-1} (1 - \eta)^{j-k}\; \frac{\beta_b}{\binom{n-j}{b}}\; \gamma_g ,

where :math:`k/j` is the probability that the node that is surely kept is among the :math:`k`. If all :math:`n - j` nodes are taken,
:math:`\beta_b` is the probability of *at least* :math:`b`: no more could be had. The posterior of :math:`f` is proportional to this
over the earlier hyperedges that meet :math:`e`, and :math:`\log P(e) = \log \frac1t \sum_f P(e \mid f)` with :math:`t` of them.

*Statistics* of a copy are the posterior means of :math:`k - 1` and :math:`j - 1` and the posterior law of :math:`b`. Given their
means over all copies, :math:`\eta` is the quotient of the first two and :math:`\beta` is the third. :math:`\gamma` is observed.

*Online updates.* Batches of copies are visited in a random order; after the :math:`s`-th, the statistics move by
:math:`\rho_s = s^{-0.6}` towards the batch's, and the parameters follow (Cappé and Moulines, *On-line expectation–maximization
algorithm for latent data models*, J. R. Stat. Soc. B 71, 2009). In the end the statistics are averaged over the path, with weights
that grow like :math:`s^3`. Where the order of hyperedges is unknown, every pass has a new random one, so that the expected
log-likelihood over orders is what is maximised.

*Costs.* A visit walks through the earlier hyperedges of the nodes of :math:`e`, so a pass costs :math:`\sum_v d_v^2 / 2`, and
nothing is kept of the pairs. Since batches are random, learning may end anywhere: after ``visits`` hyperedges, or after
:data:`MOST_STEPS` steps of these walks, whatever the degrees.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from hyperhedge._system.numba import compiled
from hyperhedge.models.copying.history import History, Layout, Short
from hyperhedge.typing import FloatArray, IntArray

BATCH = 64
"""Copies that are visited between two updates, at most."""

MOST_PASSES = 200
"""The most passes over the training set; a small one converges long before."""

MOST_STEPS = 2_000_000_000
"""The most earlier hyperedges, counted once per shared node, that all visits together go through."""

_SLOWDOWN = 0.6  # ρ = s^-0.6: between 1/2 and 1 the updates converge
_LATE = 3  # the s-th statistics count about s³ times in the average
_POSSIBLE = 1e-6  # the least probability while learning: one that is zero once would stay zero


@dataclass(frozen=True)
class Learned:
    """The parameters: η, β (old nodes), γ (new nodes), and what the training set has of hyperedges that are no copies."""

    eta: float
    old: FloatArray
    new: FloatArray
    founder_sizes: FloatArray
    founder_share: float


class Expectation:
    """The E-step: sums of the statistics over some copies of a history, for parameters η and β."""

    def __init__(self, history: History) -> None:
        self._history = history
        sizes, largest = history.sizes, int(history.sizes.max(initial=0))
        self._sizes = sizes.astype(np.int32)
        self._overlap, self._met = np.zeros(len(sizes), dtype=np.int32), np.empty(len(sizes), dtype=np.int32)
        there = np.bincount(sizes, minlength=largest + 1) > 0
        cells = np.cumsum(np.arange(largest + 1) * there)  # for each size j that there is, one for each k ≤ j
        self._first_cell = cells - np.arange(largest + 1)
        self._counts = np.zeros(int(cells[-1]), dtype=np.int64)
        most = min(len(self._counts), len(sizes))
        self._cells, self._weights = np.empty((most, 2), dtype=np.int32), np.empty(most)
        self._log_factorial: FloatArray = gammaln(np.arange(int(history.present.max(initial=0)) + 2) + 1.0)
        degrees = np.diff(history.node_starts)
        self.steps = np.add.reduceat(degrees[history.members], history.starts[:-1]) if len(sizes) else degrees[:0]
        """How long the walk of each visit is at most: the degrees of its nodes."""

    def sums(self, copies: IntArray, eta: float, old: FloatArray) -> tuple[FloatArray, float]:
        """Return the sums of k − 1, j − 1 and the law of b, and of log P(e) without γ."""
        totals = np.zeros(len(old) + 2)
        at_least = np.cumsum(old[::-1])[::-1].copy()
        with np.errstate(divide="ignore"):
            logs = np.log((eta, 1 - eta)), np.log(old), np.log(at_least)
        h = self._history
        likelihood = 0.0
        for some in np.split(copies, np.flatnonzero(np.diff(np.cumsum(self.steps[copies]) // _AT_ONCE)) + 1):
            likelihood += _expect(
                some, h.starts, h.members, h.node_starts, h.of_node, h.earlier, h.present, h.new,
                *logs, old, at_least, self._log_factorial, self._sizes, self._first_cell, self._overlap, self._met,
                self._counts, self._cells, self._weights, totals,
            )  # fmt: skip
        return totals, likelihood


_AT_ONCE = 100_000_000  # steps between two chances to interrupt


@compiled
def _expect(
    copies: IntArray,
    starts: IntArray,
    members: IntArray,
    node_starts: IntArray,
    of_node: IntArray,
    earlier: IntArray,
    present: IntArray,
    new: IntArray,
    log_kept: FloatArray,
    log_old: FloatArray,
    log_at_least: FloatArray,
    old: FloatArray,
    at_least: FloatArray,
    log_factorial: FloatArray,
    sizes: Short,
    first_cell: IntArray,
    overlap: Short,
    met: Short,
    counts: IntArray,
    cells: Short,
    weights: FloatArray,
    totals: FloatArray,
) -> float:
    """Add the posterior means of copies to ``totals``, and return the sum of their log-likelihoods without γ.

    Earlier hyperedges with the same k and j have the same weight, so they are counted first; ``counts`` and ``overlap`` are zero
    before and after.
    """
    likelihood = 0.0
    for t in copies:
        number = _meet(t, starts, members, node_starts, of_node, sizes, first_cell, overlap, met, counts, cells)
        not_new = starts[t + 1] - starts[t] - new[t]
        greatest = -np.inf
        for c in range(number):
            k, j = cells[c, 0], cells[c, 1]
            b, room = not_new - k, present[t] - j
            log_taken = -np.inf
            if b < len(old):
                log_taken = log_at_least[b] if b == room else log_old[b]
                log_taken -= log_factorial[room] - log_factorial[b] - log_factorial[room - b]
            weights[c] = log_taken + _log_kept(k, j, log_kept)
            greatest = max(greatest, weights[c])
        total = 0.0
        for c in range(number):
            cell = first_cell[cells[c, 1]] + cells[c, 0] - 1
            weights[c] = counts[cell] * np.exp(weights[c] - greatest) if greatest > -np.inf else 0.0
            counts[cell] = 0
            total += weights[c]
        likelihood += np.log(total) + greatest - np.log(earlier[t]) if total > 0 else -np.inf
        for c in range(number):
            if weights[c] == 0:
                continue
            k, j = cells[c, 0], cells[c, 1]
            share, b = weights[c] / total, not_new - k
            totals[0] += share * (k - 1)
            totals[1] += share * (j - 1)
            if b < present[t] - j:
                totals[2 + b] += share
            else:
                for more in range(b, len(old)):
                    totals[2 + more] += share * old[more] / at_least[b]
    return likelihood


@compiled
def _log_kept(k: int, j: int, log_kept: FloatArray) -> float:
    """Return the logarithm of the probability that k given ones of j nodes are kept and the others are not."""
    weight = np.log(k / j)
    if k > 1:
        weight += (k - 1) * log_kept[0]
    if j > k:
        weight += (j - k) * log_kept[1]
    return float(weight)


@compiled
def _meet(
    t: int,
    starts: IntArray,
    members: IntArray,
    node_starts: IntArray,
    of_node: IntArray,
    sizes: Short,
    first_cell: IntArray,
    overlap: Short,
    met: Short,
    counts: IntArray,
    cells: Short,
) -> int:
    """Count the earlier hyperedges that a hyperedge meets by k and j; list these cells and return how many there are."""
    number, count = 0, 0
    for v in members[starts[t] : starts[t + 1]]:
        for p in range(node_starts[v], node_starts[v + 1]):
            f = of_node[p]
            if f >= t:
                break
            if overlap[f] == 0:
                met[count] = f
                count += 1
            overlap[f] += 1
    for c in range(count):
        f = met[c]
        k, j = overlap[f], sizes[f]
        overlap[f] = 0
        cell = first_cell[j] + k - 1
        if counts[cell] == 0:
            cells[number, 0], cells[number, 1] = k, j
            number += 1
        counts[cell] += 1
    return number


def learned(layout: Layout, *, given: bool, visits: int, rng: np.random.Generator) -> Learned:
    """Learn the parameters, from the given order of the hyperedges or from random ones.

    Parameters
    ----------
    layout
        The training hyperedges.
    given
        Whether their order is that of time.
    visits
        How many hyperedges are visited in all, at most.
    rng
        What chooses orders and batches.
    """
    history = layout.history(None if given else rng)
    path, counts = _Path(largest=int(history.sizes.max(initial=1))), _Observed(history)
    left, steps_left = visits, MOST_STEPS
    for _ in range(MOST_PASSES):
        counts.add(history)
        expectation, copies = Expectation(history), rng.permutation(np.flatnonzero(~history.founders))
        copies = copies[:left]
        copies = copies[: np.searchsorted(np.cumsum(expectation.steps[copies]), steps_left) + 1]
        for batch in _batches(copies):
            path.update(expectation, batch)
        left, steps_left = left - len(copies), steps_left - int(expectation.steps[copies].sum())
        if not len(copies) or left <= 0 or steps_left <= 0:
            break
        if not given:
            history = layout.history(rng)
    eta, old = path.averaged()
    return Learned(eta, old, *counts.laws())


def _batches(copies: IntArray) -> list[IntArray]:
    """Cut copies into nearly equal batches: the statistics of each count alike."""
    return np.array_split(copies, -(-len(copies) // BATCH)) if len(copies) else []


class _Path:
    """The parameters η and β as they are updated."""

    def __init__(self, largest: int) -> None:
        self.largest = largest
        self._eta, self._old = 0.5, np.full(largest, 1 / largest)
        self._statistics = np.zeros(largest + 2)
        self._average = np.zeros(largest + 2)
        self._updates = 0

    def update(self, expectation: Expectation, batch: IntArray) -> None:
        """Move towards the statistics of a batch."""
        old = np.maximum(self._old, _POSSIBLE / self.largest)
        sums, _ = expectation.sums(batch, min(max(self._eta, _POSSIBLE), 1 - _POSSIBLE), old / old.sum())
        self._updates += 1
        self._statistics += self._updates**-_SLOWDOWN * (sums / len(batch) - self._statistics)
        self._average += (_LATE + 1) / (self._updates + _LATE) * (self._statistics - self._average)
        self._eta, self._old = _maximised(self._statistics)

    def averaged(self) -> tuple[float, FloatArray]:
        """Return the parameters of the average statistics; η = 0 and β = δ₀ if there is no path."""
        if not self._updates:
            return 0.0, np.ones(1)
        eta, old = _maximised(self._average)
        return eta, _trimmed(old, least=_POSSIBLE / self.largest)


def _maximised(statistics: FloatArray) -> tuple[float, FloatArray]:
    """Return the parameters that maximise the expected log-likelihood: η, which is 0 if nothing tells, and β."""
    kept, size = statistics[:2]
    total = statistics[2:].sum()
    return float(min(kept / size, 1.0)) if size > 0 else 0.0, statistics[2:] / total


class _Observed:
    """What histories show without inference: new nodes of copies, and founders."""

    def __init__(self, history: History) -> None:
        largest = int(history.sizes.max(initial=0))
        self._new, self._founders = np.zeros(largest + 1), np.zeros(largest + 1)
        self._first = 0

    def add(self, history: History) -> None:
        """Count a history."""
        founders, length = history.founders, len(self._new)
        self._new += np.bincount(history.new[~founders], minlength=length)
        self._founders += np.bincount(history.sizes[founders], minlength=length)
        self._first += int((history.earlier == 0).sum())

    def laws(self) -> tuple[FloatArray, FloatArray, float]:
        """Return γ, the sizes of founders, and the share of founders among hyperedges that are not their hypergraph's first."""
        copies, founders = self._new.sum(), self._founders.sum()
        new = _trimmed(self._new / copies) if copies else np.ones(1)
        sizes = _trimmed(self._founders / founders) if founders else np.array([0.0, 1.0])
        later = copies + founders - self._first
        return new, sizes, float((founders - self._first) / later) if later else 0.0


def _trimmed(law: FloatArray, least: float = 0.0) -> FloatArray:
    """Drop the end of a law whose probabilities are not above ``least``."""
    end = int(np.flatnonzero(law > least)[-1]) + 1
    trimmed: FloatArray = law[:end] / law[:end].sum()
    return trimmed
