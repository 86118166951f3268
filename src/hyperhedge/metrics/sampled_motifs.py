r"""The 26 h-motifs of a large hypergraph, estimated from a sample of overlapping pairs, with their standard errors.

A *wedge* is a pair of hyperedges that overlap. Sample wedges :math:`\{a, b\}` uniformly, and for each look at all hyperedges
:math:`c` that overlap :math:`a` or :math:`b`: every triple :math:`\{a, b, c\}` that is found is an instance of a motif. A triple
whose three pairs all overlap is found from three wedges, an open one (motifs 17 to 22) from two. So with :math:`|\wedge|` wedges in
all, :math:`r` samples, and :math:`x_s(t)` instances of motif :math:`t` found from the wedge :math:`s`,

.. math:: \hat M(t) = \frac{|\wedge|}{w_t\, r} \sum_{s=1}^r x_s(t) , \qquad w_t = 2 \text{ if } 17 \le t \le 22 \text{, else } 3 ,

is unbiased (MoCHy-A+ of G. Lee, J. Ko and K. Shin, *Hypergraph motifs: concepts, algorithms, and discoveries*, PVLDB 13(11), 2020).
The samples are independent, so the standard error is that of a mean.

*Costs.* A walk from every hyperedge counts the wedges, :math:`\sum_v d_v^2` steps; memory grows with the incidences only, since no
list of wedges is kept. Each sample walks from two hyperedges.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hyperhedge._system.numba import compiled
from hyperhedge.convert import as_hypergraph
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.metrics.motifs import MOTIFS, PATTERNS, Hyperedges, distinct_hyperedges, exact_motif_counts
from hyperhedge.models.base import Seed, rng_of
from hyperhedge.typing import BoolArray, FloatArray, IntArray

__all__ = ["MotifEstimate", "estimate_motifs"]

MOST_STEPS = 400_000_000
"""The most steps of a count that is made exactly, or of the samples in its place: a few seconds."""

_MOST_PAIRS = 40_000_000  # that an exact count keeps: 320 MB
_LEAST_SAMPLES, _MOST_SAMPLES = 100, 200_000
_AT_ONCE = 64  # samples between two chances to interrupt

_WEIGHTS = np.array([2.0 if 17 <= motif <= 22 else 3.0 for motif in range(1, MOTIFS + 1)])


@dataclass(frozen=True)
class MotifEstimate:
    """The numbers of the 26 h-motifs, exact or estimated.

    Attributes
    ----------
    counts, errors
        The number of each motif, and its standard error: zero if the number is exact. A motif that no sample found has the
        error of one that one sample found once.
    samples
        How many wedges were sampled; None for an exact count.
    """

    counts: FloatArray
    errors: FloatArray
    samples: int | None

    @property
    def exact(self) -> bool:
        """Whether the numbers were counted."""
        return self.samples is None

    @property
    def transitivity(self) -> float:
        """The share of pairs of overlaps :math:`a - b - c` whose ends overlap too; NaN if there are none."""
        is_open = _WEIGHTS == 2
        closed, open_ones = 3 * self.counts[~is_open].sum(), self.counts[is_open].sum()
        return float(closed / (closed + open_ones)) if closed + open_ones else float("nan")


def estimate_motifs(
    H: Hypergraph, *, most_steps: int = MOST_STEPS, samples: int | None = None, seed: Seed | None = None
) -> MotifEstimate:
    """Count the h-motifs of a hypergraph where that is affordable, and estimate their numbers beyond.

    Parameters
    ----------
    H
        A hypergraph; a hyperedge that repeats counts once.
    most_steps
        How many steps may be taken.
    samples
        How many wedges to sample; None for an exact count if it is affordable, and otherwise for as many as are.
    seed
        The seed of the samples.

    Examples
    --------
    >>> H = Hypergraph([[0, 1, 2], [2, 3], [1, 3, 4, 5], [2, 9]])
    >>> exact = estimate_motifs(H)
    >>> exact.exact, exact.transitivity
    (True, 0.75)
    >>> sampled = estimate_motifs(H, samples=1000, seed=0)
    >>> bool((abs(sampled.counts - exact.counts) <= 4 * sampled.errors + 1e-9).all())
    True
    """
    edges = Hyperedges(*distinct_hyperedges(as_hypergraph(H)))
    wedges = int(edges.neighbours.sum()) // 2
    if samples is None and wedges <= _MOST_PAIRS:
        counts = exact_motif_counts(edges, most_steps)
        if counts is not None:
            return MotifEstimate(counts.astype(float), np.zeros(MOTIFS), None)
    if not wedges:
        return MotifEstimate(np.zeros(MOTIFS), np.zeros(MOTIFS), samples)
    if samples is None:
        # A wedge has a hyperedge in proportion to the hyperedge's number of neighbours, and is walked from both of its ends.
        steps = 2.5 * float(edges.neighbours @ edges.walks) / (2 * wedges)
        samples = int(np.clip(most_steps / steps, _LEAST_SAMPLES, _MOST_SAMPLES))
    return _sampled(edges, wedges, samples, rng_of(seed))


def _sampled(edges: Hyperedges, wedges: int, samples: int, rng: np.random.Generator) -> MotifEstimate:
    """Estimate the numbers of motifs from samples of wedges."""
    m = len(edges.sizes)
    first = np.searchsorted(np.cumsum(edges.neighbours), rng.integers(0, 2 * wedges, size=samples), side="right")
    choice = rng.random(samples)
    sums, squares = np.zeros(MOTIFS + 1), np.zeros(MOTIFS + 1)
    shared = np.zeros((3, m), dtype=np.int32)
    touched, inside = np.empty(m, dtype=np.int32), np.zeros(len(edges.node_starts) - 1, dtype=np.bool_)
    for begin in range(0, samples, _AT_ONCE):
        part = slice(begin, begin + _AT_ONCE)
        _sample(first[part], choice[part], *edges.arrays, shared, touched, inside, PATTERNS, sums, squares)
    means = sums[1:] / samples
    variances = np.maximum(squares[1:] / samples - means**2, 0.0) / max(samples - 1, 1)
    errors = np.where(sums[1:] > 0, np.sqrt(variances), 1 / samples)  # as if what was never found had been found once
    scale = wedges / _WEIGHTS
    return MotifEstimate(scale * means, scale * errors, samples)


@compiled
def _sample(
    first: IntArray,
    choice: FloatArray,
    starts: IntArray,
    members: IntArray,
    node_starts: IntArray,
    of_node: NDArray[np.int32],
    shared: NDArray[np.int32],
    touched: NDArray[np.int32],
    inside: BoolArray,
    patterns: NDArray[np.int8],
    sums: FloatArray,
    squares: FloatArray,
) -> None:
    """Find the motifs of some wedges: the first hyperedge of each, and a random number that chooses the second.

    ``shared`` counts what each hyperedge shares with the first, the second and both; it is zero before and after.
    """
    found = np.zeros(len(sums))
    for s in range(len(first)):
        a = first[s]
        count = _walk_first(a, starts, members, node_starts, of_node, shared[0], touched, inside)
        b = _chosen(a, touched[:count], choice[s])
        count = _walk_second(b, starts, members, node_starts, of_node, shared, touched, inside, count)
        size_a, size_b, both = starts[a + 1] - starts[a], starts[b + 1] - starts[b], shared[0, b]
        for c in touched[:count]:
            ca, bc, three = shared[0, c], shared[1, c], shared[2, c]
            shared[:, c] = 0
            if c != a and c != b:  # a tuple is slow in compiled code
                size_c = starts[c + 1] - starts[c]
                pattern = (size_a > both + ca - three) + 2 * (size_b > both + bc - three)
                pattern += 4 * (size_c > bc + ca - three)
                pattern += 8 * (both > three) + 16 * (bc > three) + 32 * (ca > three) + 64 * (three > 0)
                found[patterns[pattern]] += 1
        for v in members[starts[a] : starts[a + 1]]:
            inside[v] = False
        for t in range(len(sums)):
            sums[t] += found[t]
            squares[t] += found[t] * found[t]
            found[t] = 0.0


@compiled
def _walk_first(
    a: int,
    starts: IntArray,
    members: IntArray,
    node_starts: IntArray,
    of_node: NDArray[np.int32],
    with_a: NDArray[np.int32],
    touched: NDArray[np.int32],
    inside: BoolArray,
) -> int:
    """List what overlaps a hyperedge, itself included, and return how much that is."""
    count = 0
    for v in members[starts[a] : starts[a + 1]]:
        inside[v] = True
        for c in of_node[node_starts[v] : node_starts[v + 1]]:
            if with_a[c] == 0:
                touched[count] = c
                count += 1
            with_a[c] += 1
    return count


@compiled
def _walk_second(
    b: int,
    starts: IntArray,
    members: IntArray,
    node_starts: IntArray,
    of_node: NDArray[np.int32],
    shared: NDArray[np.int32],
    touched: NDArray[np.int32],
    inside: BoolArray,
    count: int,
) -> int:
    """List what overlaps another hyperedge, after what overlaps the first."""
    for v in members[starts[b] : starts[b + 1]]:
        for c in of_node[node_starts[v] : node_starts[v + 1]]:
            if shared[0, c] == 0 and shared[1, c] == 0:
                touched[count] = c
                count += 1
            shared[1, c] += 1
            if inside[v]:
                shared[2, c] += 1
    return count


@compiled
def _chosen(a: int, overlapping: NDArray[np.int32], choice: float) -> int:
    """Return a random hyperedge of those that overlap another one, which is among them itself and is left out."""
    place = min(int(choice * (len(overlapping) - 1)), len(overlapping) - 2)
    for c in overlapping[: place + 1]:
        if c == a:
            return int(overlapping[place + 1])
    return int(overlapping[place])
