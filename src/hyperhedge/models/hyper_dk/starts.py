r"""Random hypergraphs with exact or mean degrees and sizes: what the rewiring begins with.

The paper throws incidences: a stub of a node (or, for the mean degree, any node) falls into a stub of a hyperedge (or, for the mean
size, any hyperedge), all alike. A node may fall into a hyperedge twice. Here the law is that one, *conditioned on no node twice in
a hyperedge*:

* mean degree, mean size: :math:`I` different entries of the :math:`n \times m` matrix, uniformly,
* exact degrees, mean size: every node joins :math:`d_v` different hyperedges, uniformly and independently,
* mean degree, exact sizes: every hyperedge gets :math:`k_e` different nodes, uniformly and independently,
* exact degrees, exact sizes: every matrix with these row and column sums alike, as each comes from
  :math:`\prod_v d_v! \prod_e k_e!` matchings. This is the configuration model, sampled by its chain
  (:mod:`hyperhedge.models.configuration`) from a matrix made without chance: one hyperedge after another takes the nodes that
  have most stubs left, which succeeds whenever there is a matrix at all (Gale and Ryser 1957).
"""

from __future__ import annotations

import numpy as np

from hyperhedge._system.numba import compiled
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.errors import GeneratorError
from hyperhedge.models.configuration import shuffle
from hyperhedge.models.repeats import resampled
from hyperhedge.models.xoshiro import Words, below, state_from
from hyperhedge.typing import IntArray


def random_start(
    degrees: IntArray,
    sizes: IntArray,
    rng: np.random.Generator,
    *,
    exact_degrees: bool,
    exact_sizes: bool,
    distinct: bool,
) -> Hypergraph:
    """Sample a hypergraph with these degrees and sizes, or their means; ``distinct`` conditions on no repeated hyperedges."""
    if exact_degrees and exact_sizes:
        return shuffle(realisation(degrees, sizes), repeats="forbid" if distinct else "allow", seed=rng)
    n, m = len(degrees), len(sizes)

    def sample() -> Hypergraph:
        random = state_from(rng)
        if exact_degrees:
            nodes, edges = np.repeat(np.arange(n), degrees), different(degrees, m, random)
        elif exact_sizes:
            nodes, edges = different(sizes, n, random), np.repeat(np.arange(m), sizes)
        else:
            cells = rng.choice(max(n * m, 1), size=int(degrees.sum()), replace=False, shuffle=False)
            nodes, edges = np.divmod(cells, max(m, 1))
        return Hypergraph.from_indices(nodes, edges, nodes=n, edges=m)

    return resampled(lambda _: [sample()], 1, "HyperDK")[0] if distinct else sample()


def realisation(degrees: IntArray, sizes: IntArray) -> Hypergraph:
    """Return a hypergraph with these degrees and sizes, always the same.

    Examples
    --------
    >>> realisation(np.array([1, 3, 2]), np.array([2, 1, 3])).hyperedges
    ((1, 2), (1,), (0, 1, 2))
    """
    if not is_realisable(degrees, sizes):
        raise GeneratorError("no hypergraph has these degrees and sizes")
    order = np.argsort(-degrees, kind="stable")
    members = np.empty(int(sizes.sum()), dtype=np.int64)
    _deal(-np.sort(-degrees), sizes, members)
    edges = np.repeat(np.arange(len(sizes)), sizes)
    return Hypergraph.from_indices(order[members], edges, nodes=len(degrees), edges=len(sizes))


def is_realisable(degrees: IntArray, sizes: IntArray) -> bool:
    r"""Return whether some hypergraph has these degrees and sizes (Gale and Ryser).

    The largest sizes must not need more than the nodes can give: :math:`\sum_{i \le t} k_{(i)} \le \sum_v \min(d_v, t)`.

    Examples
    --------
    >>> is_realisable(np.array([2, 2]), np.array([2, 2])), is_realisable(np.array([3, 1]), np.array([2, 2]))
    (True, False)
    """
    m = len(sizes)
    if degrees.sum() != sizes.sum() or degrees.max(initial=0) > m:
        return False
    at_least = np.cumsum(np.bincount(degrees, minlength=m + 1)[::-1])[::-1][1:]  # nodes of degree 1, 2, … or more
    return bool((np.cumsum(-np.sort(-sizes)) <= np.cumsum(at_least)).all())


@compiled
def different(counts: IntArray, bound: int, random: Words) -> IntArray:
    """Sample, for each count, so many different whole numbers below ``bound``, uniformly; one after another."""
    cards = np.arange(bound)  # in any order: a partial Fisher–Yates shuffle needs none
    drawn = np.empty(counts.sum(), dtype=np.int64)
    place = 0
    for count in counts:
        for t in range(count):
            r = t + below(random, bound - t)
            cards[t], cards[r] = cards[r], cards[t]
            drawn[place] = cards[t]
            place += 1
    return drawn


@compiled
def _deal(left: IntArray, sizes: IntArray, members: IntArray) -> None:
    """Let each hyperedge take the nodes with most stubs ``left``, which stay sorted: of equal ones it takes the last."""
    place = 0
    for size in sizes:
        if size == 0:
            continue
        least = left[size - 1]
        first = _first_at_most(left, least)
        after = _first_at_most(left, least - 1)
        for i in range(first):
            members[place] = i
            left[i] -= 1
            place += 1
        for i in range(after - (size - first), after):
            members[place] = i
            left[i] -= 1
            place += 1


@compiled
def _first_at_most(falling: IntArray, value: int) -> int:
    """Return the first place of a falling sequence with at most this value, or its length."""
    low, high = 0, len(falling)
    while low < high:
        middle = (low + high) // 2
        if falling[middle] <= value:
            high = middle
        else:
            low = middle + 1
    return low
