r"""Hypergraphs of the mixed-membership model with given edge sizes, and with given degrees too.

*Given the sizes*, hyperedges of the Poisson model are independent, and one of :math:`d` nodes is :math:`e` with probability
:math:`\lambda_e / \bigl(\binom{n-2}{d-2} \sum_{i<j} u_i^\top w\, u_j\bigr)`. As :math:`\lambda_e` is a sum over pairs, that is:
a pair :math:`i, j` in proportion to :math:`u_i^\top w\, u_j`, and :math:`d - 2` others uniformly (:func:`free_hyperedges`). The
first of the pair is sampled by its marginal law, the second given the first.

*Given sizes and degrees*, the law of the Poisson model on incidence matrices :math:`H` with these margins is

.. math:: \pi(H) \propto \prod_e \lambda_e .

For a multiset in which :math:`e` occurs :math:`A_e` times has the probability
:math:`\prod_e (\lambda_e / \kappa_e)^{A_e} / A_e!` times a constant, :math:`\kappa` depends on sizes only, and
:math:`\prod_k m_k! / \prod_e A_e!` matrices are this multiset (:math:`m_k` hyperedges have size :math:`k`). The :class:`Chain`
proposes the trades of the configuration model (:mod:`hyperhedge.models.configuration`), which are symmetric, and accepts one from
:math:`e, f` to :math:`e', f'` with the Metropolis probability
:math:`\min(1, \lambda_{e'} \lambda_{f'} / (\lambda_e \lambda_f))`. Hyperedges of one node have the factor 1.

A hyperedge whose λ is below a billionth of the mean of the training hyperedges counts as if it had that: else a chain could not
leave where it begins.
"""

from __future__ import annotations

import numpy as np

from hyperhedge._system.numba import compiled
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.models.hy_mmsbm.rates import pair_rate, pair_rates
from hyperhedge.models.multiplicities import adds_equal_pairs, buckets_for, change_keys, key_of, keys_of
from hyperhedge.models.xoshiro import Int, Words, below, next_word, state_from
from hyperhedge.typing import FloatArray, IntArray

_LEAST = 1e-9
_AT_ONCE = 10_000_000  # proposals between two chances to interrupt


# -- given the sizes ---------------------------------------------------------------------------------------


def free_hyperedges(
    u: FloatArray, w: FloatArray, sizes: IntArray, rng: np.random.Generator
) -> tuple[IntArray, IntArray]:
    """Sample hyperedges of given sizes, independently, and return nodes and hyperedges of the incidences.

    The node of a hyperedge of one is uniform, and so is everything where no pair has a rate.

    Examples
    --------
    >>> u = np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 1.0], [0.0, 3.0]])
    >>> nodes, _ = free_hyperedges(u, np.eye(2), np.array([2, 2, 2]), np.random.default_rng(0))
    >>> set(map(frozenset, nodes.reshape(3, 2).tolist())) <= {frozenset({0, 1}), frozenset({2, 3})}
    True
    """
    indptr = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(sizes)))
    members = np.full(indptr[-1], -1, dtype=np.int64)
    seeded = np.flatnonzero(sizes > 1)
    first, second = _pairs(u, w, len(seeded), rng)
    members[indptr[seeded]], members[indptr[seeded] + 1] = first, second
    _fill(members, indptr, len(u), state_from(rng))
    return members, np.repeat(np.arange(len(sizes)), sizes)


def _pairs(u: FloatArray, w: FloatArray, count: int, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Sample pairs of different nodes in proportion to their rates; −1 for both where no pair has any."""
    sides = _Sides(u)
    shares = (u @ w) * (sides.before + sides.after)
    total = shares.sum()
    if not total > 0:
        return np.full(count, -1), np.full(count, -1)
    first = rng.choice(len(u), size=count, p=shares.sum(axis=1) / total)
    cumulated = np.cumsum(shares[first], axis=1)
    community = (rng.random(count)[:, None] * cumulated[:, -1:] >= cumulated[:, :-1]).sum(axis=1)
    second = np.empty(count, dtype=np.int64)
    for k in range(u.shape[1]):
        of = np.flatnonzero(community == k)
        second[of] = sides.other(first[of], k, rng)
    return first, second


class _Sides:
    """Sums of memberships before and after each node: the others' sums, without the error of taking a large one away."""

    def __init__(self, u: FloatArray) -> None:
        self._upward, self._downward = np.cumsum(u, axis=0), np.cumsum(u[::-1], axis=0)
        none = np.zeros((1, u.shape[1]))
        self.before = np.concatenate((none, self._upward[:-1]))
        self.after = np.concatenate((self._downward[:-1][::-1], none))

    def other(self, i: IntArray, k: int, rng: np.random.Generator) -> IntArray:
        """Sample another node than each of those given, in proportion to the memberships in a community."""
        before, after = self.before[i, k], self.after[i, k]
        is_before = (rng.random(len(i)) * (before + after) < before) | (after == 0)
        point = rng.random(len(i)) * np.where(is_before, before, after)
        steps_up = np.minimum(np.searchsorted(self._upward[:, k], point, side="right"), i - 1)
        steps_down = np.searchsorted(self._downward[:, k], point, side="right")
        other: IntArray = np.where(is_before, steps_up, np.maximum(len(self._upward) - 1 - steps_down, i + 1))
        return other


@compiled
def _fill(members: IntArray, indptr: IntArray, n: int, random: Words) -> None:
    """Fill the places that are −1 with nodes that their hyperedge does not have yet, uniformly."""
    mark = np.zeros(n, dtype=np.int64)
    for e in range(len(indptr) - 1):
        for place in range(indptr[e], indptr[e + 1]):
            if members[place] < 0:
                v = below(random, n)
                while mark[v] == e + 1:
                    v = below(random, n)
                members[place] = v
            mark[members[place]] = e + 1


# -- given sizes and degrees ---------------------------------------------------------------------------------


@compiled
def _trade(
    members: IntArray,
    indptr: IntArray,
    i: Int,
    j: Int,
    mark: IntArray,
    stamp: int,
    pool: IntArray,
    new: IntArray,
    random: Words,
) -> bool:
    """Deal out what only one of two hyperedges has; ``new`` has those of i and then of j. Tell whether there was a choice."""
    size = indptr[i + 1] - indptr[i]
    common, pooled = 0, 0
    for place in range(indptr[i], indptr[i + 1]):
        mark[members[place]] = stamp
    for place in range(indptr[j], indptr[j + 1]):
        v = members[place]
        if mark[v] == stamp:
            mark[v] = -stamp
            new[common] = new[size + common] = v
            common += 1
        else:
            pool[pooled] = v
            pooled += 1
    few = size - common
    if few == 0 or pooled == 0:
        return False
    for place in range(indptr[i], indptr[i + 1]):
        if mark[members[place]] == stamp:
            pool[pooled] = members[place]
            pooled += 1
    for t in range(few):
        r = t + below(random, pooled - t)
        pool[t], pool[r] = pool[r], pool[t]
    new[common:size] = pool[:few]
    new[size + common : size + common + pooled - few] = pool[few:pooled]
    return True


@compiled
def _is_repeat(
    i: Int, j: Int, new: IntArray, middle: Int, end: Int, keys: Words, node_keys: Words, buckets: IntArray
) -> bool:
    """Tell whether a trade would add equal pairs; if not, enter it."""
    new_i, new_j = key_of(new[:middle], node_keys), key_of(new[middle:end], node_keys)
    if adds_equal_pairs(i, j, new_i, new_j, keys, buckets):
        return True
    change_keys(i, j, new_i, new_j, keys, buckets)
    return False


@compiled
def _factor(
    members: IntArray, start: Int, end: Int, u: FloatArray, uw: FloatArray, sums: FloatArray, least: float
) -> float:
    return max(pair_rate(members, start, end, u, uw, sums), least) if end - start > 1 else 1.0


@compiled
def _run(
    members: IntArray,
    indptr: IntArray,
    factors: FloatArray,
    u: FloatArray,
    uw: FloatArray,
    least: float,
    keys: Words,
    node_keys: Words,
    buckets: IntArray,
    random: Words,
    proposals: int,
) -> int:
    """Run trades, and return how many were accepted; an empty ``buckets`` lets hyperedges repeat."""
    m, accepted = len(indptr) - 1, 0
    mark = np.zeros(len(u), dtype=np.int64)
    room = 2 * (indptr[1:] - indptr[:-1]).max()
    pool, new, sums = np.empty(room, dtype=np.int64), np.empty(room, dtype=np.int64), np.empty(u.shape[1])
    for stamp in range(1, proposals + 1):
        i, j = below(random, m), below(random, m - 1)
        j += j >= i
        if not _trade(members, indptr, i, j, mark, stamp, pool, new, random):
            continue
        middle = indptr[i + 1] - indptr[i]
        end = middle + indptr[j + 1] - indptr[j]
        factor_i = _factor(new, 0, middle, u, uw, sums, least)
        factor_j = _factor(new, middle, end, u, uw, sums, least)
        level = np.float64(next_word(random) >> np.uint64(11)) * 2.0**-53
        if level * factors[i] * factors[j] >= factor_i * factor_j:
            continue
        if len(buckets) > 0 and _is_repeat(i, j, new, middle, end, keys, node_keys, buckets):
            continue
        members[indptr[i] : indptr[i + 1]] = new[:middle]
        members[indptr[j] : indptr[j + 1]] = new[middle:end]
        factors[i], factors[j] = factor_i, factor_j
        accepted += 1
    return accepted


class Chain:
    """A Markov chain over hypergraphs with the degrees and sizes of a given one, in proportion to the product of λ.

    Parameters
    ----------
    H
        Where the chain begins. Empty hyperedges and isolated nodes stay as they are.
    u, w
        Memberships and affinity.
    least
        A λ that is smaller counts as this.
    repeats
        Whether hyperedges may repeat. If not, H must have no repeats.
    rng
        What the chain's randomness comes from.

    Attributes
    ----------
    proposed, accepted : int
        How many trades were proposed so far, and how many of them accepted.
    """

    def __init__(
        self, H: Hypergraph, u: FloatArray, w: FloatArray, *, least: float, repeats: bool, rng: np.random.Generator
    ) -> None:
        self._n, self._m = H.n, H.m
        self._filled = np.flatnonzero(H.edge_sizes)  # empty hyperedges have nothing to trade
        self._members = H.indices.astype(np.int64)
        self._indptr = np.append(H.indptr[self._filled], H.num_incidences).astype(np.int64)
        self._u, self._uw, self._least = u, u @ w, least
        rates = pair_rates(self._members, self._indptr, u, w)
        self._factors = np.where(np.diff(self._indptr) > 1, np.maximum(rates, least), 1.0)
        self._node_keys = np.zeros(0, dtype=np.uint64)
        self._keys, self._buckets = np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.int64)
        if not repeats:
            self._node_keys = rng.integers(0, 1 << 64, size=H.n, dtype=np.uint64)
            self._keys = keys_of(self._members, self._indptr, self._node_keys)
            self._buckets = buckets_for(self._keys)
        self._random = state_from(rng)
        self.proposed = self.accepted = 0

    @property
    def log_weight(self) -> float:
        """The sum of the logarithms of λ, the small ones raised: by it one sees whether the chain still rises."""
        return float(np.log(self._factors).sum())

    def advance(self, sweeps: int) -> None:
        """Propose as many trades as there are hyperedges, again and again."""
        left = sweeps * len(self._filled) if len(self._filled) > 1 else 0
        self.proposed += left
        while left > 0:
            now = min(left, _AT_ONCE)
            state = self._members, self._indptr, self._factors, self._u, self._uw, self._least
            self.accepted += _run(*state, self._keys, self._node_keys, self._buckets, self._random, now)
            left -= now

    @property
    def hypergraph(self) -> Hypergraph:
        """The hypergraph where the chain is."""
        edges = np.repeat(self._filled, np.diff(self._indptr))
        return Hypergraph.from_indices(self._members, edges, nodes=self._n, edges=self._m)


def least_rate(H: Hypergraph, u: FloatArray, w: FloatArray) -> float:
    """Return the λ that smaller ones count as: a billionth of the mean of a hypergraph."""
    rates = pair_rates(H.indices, H.indptr, u, w)[H.edge_sizes > 1]
    mean = float(rates.mean()) if len(rates) else 0.0
    return _LEAST * mean if mean > 0 else 1.0
