r"""Trades between two hyperedges, compiled: the step of the configuration model's Markov chain.

*A trade.* Choose two hyperedges :math:`e \neq f` (two columns of the incidence matrix) uniformly. Both keep
:math:`e \cap f`. What only one of them has, :math:`e \mathbin\triangle f`, is pooled and dealt out anew:
:math:`e` gets a uniformly chosen subset of :math:`|e \setminus f|` nodes, :math:`f` the rest. Degrees and sizes stay, and a
trade is as probable as its reverse, since pool and counts are the same afterwards.

*A uniform subset* is drawn by a partial Fisher–Yates shuffle of the pool: the :math:`t`-th chosen node is any of those left, by a
whole number below their count that is exactly uniform (Lemire's multiplication with rejection).

*Two forms* of the same step: :class:`WordState` keeps a hyperedge in one 64-bit word (n ≤ 64), :class:`ListState` keeps lists of
members (any n), in which a trade costs the two hyperedges' sizes.

*Multiplicities* (only where the law wants them) are kept by :mod:`hyperhedge.models.multiplicities`; the key of a hyperedge is the
word itself or the exclusive or of random keys of its members.

*No repeats.* With :math:`P = \sum_e \binom{m_e}{2}` the number of equal pairs, trades that would raise :math:`P` are rejected.
Where :math:`P = 0`, these are the trades that would create a repeat; elsewhere :math:`P` never rises and mostly falls.

*Random numbers* are those of :mod:`hyperhedge.models.xoshiro`.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from hyperhedge._system.numba import compiled
from hyperhedge.models.multiplicities import adds_equal_pairs, buckets_for, change_keys, key_of, keys_of, multiplicity
from hyperhedge.models.xoshiro import Int, Words, below
from hyperhedge.typing import IntArray

WORD = 64
"""The most nodes that a hyperedge in one word can have."""

_ONE = np.uint64(1)


# -- accepting a trade ----------------------------------------------------------------------------------


@compiled
def _metropolis(
    i: Int, j: Int, new_i: np.uint64, new_j: np.uint64, keys: Words, buckets: IntArray, random: Words
) -> bool:
    """Decide on a trade for the vertex-labelled law.

    A trade that leaves the two as they are, or exchanges them, is accepted: then ``wanted`` is (mᵢ + 1)(mⱼ + 1).
    """
    held = multiplicity(keys[i], keys, buckets, 1) * multiplicity(keys[j], keys, buckets, 1)
    if held > 1:
        wanted = (multiplicity(new_i, keys, buckets, 0) + 1) * (multiplicity(new_j, keys, buckets, 0) + 1)
        if wanted < held and below(random, held) >= wanted:
            return False
    return True


@compiled
def _accepted(
    i: Int, j: Int, new_i: np.uint64, new_j: np.uint64, keys: Words, buckets: IntArray, repeats: bool, random: Words
) -> bool:
    """Decide on a trade, and if it is accepted enter it into keys and buckets."""
    if repeats:
        if not _metropolis(i, j, new_i, new_j, keys, buckets, random):
            return False
    elif adds_equal_pairs(i, j, new_i, new_j, keys, buckets):
        return False
    change_keys(i, j, new_i, new_j, keys, buckets)
    return True


# -- the two forms -----------------------------------------------------------------------------------


@compiled
def _trade_words(words: Words, sizes: IntArray, buckets: IntArray, repeats: bool, random: Words, proposals: int) -> int:
    """Run trades on words; an empty ``buckets`` accepts all. Return how many were rejected."""
    m, rejected = len(words), 0
    pool = np.empty(64, dtype=np.uint64)
    for _ in range(proposals):
        i, j = below(random, m), below(random, m - 1)
        j += j >= i
        apart = words[i] ^ words[j]
        count, rest = 0, apart
        while rest:
            pool[count] = rest & (~rest + _ONE)
            rest ^= pool[count]
            count += 1
        only_i = (sizes[i] - sizes[j] + count) // 2
        fewer = min(only_i, count - only_i)
        chosen = np.uint64(0)
        for t in range(fewer):
            r = t + below(random, count - t)
            chosen |= pool[r]
            pool[r] = pool[t]
        moved = chosen if only_i == fewer else apart ^ chosen
        common = words[i] & words[j]
        new_i, new_j = common | moved, common | (apart ^ moved)
        if len(buckets) == 0:
            words[i], words[j] = new_i, new_j
        elif not _accepted(i, j, new_i, new_j, words, buckets, repeats, random):
            rejected += 1
    return rejected


@compiled
def _swap(values: IntArray, p: Int, q: Int) -> None:
    values[p], values[q] = values[q], values[p]


@compiled
def _common_to_front(members: IntArray, i: Int, j: Int, indptr: IntArray, mark: IntArray, stamp: int) -> int:
    """Put the nodes that two hyperedges share first in both, and return how many there are."""
    for p in range(indptr[i], indptr[i + 1]):
        mark[members[p]] = stamp
    common = 0
    for p in range(indptr[j], indptr[j + 1]):
        if mark[members[p]] == stamp:
            mark[members[p]] = -stamp
            _swap(members, p, indptr[j] + common)
            common += 1
    front = indptr[i]
    for p in range(indptr[i], indptr[i + 1]):
        if mark[members[p]] == -stamp:
            _swap(members, p, front)
            front += 1
    return common


@compiled
def _deal(members: IntArray, p: Int, q: Int, few: Int, many: Int, log: IntArray, random: Words) -> None:
    """Deal out ``few`` nodes from place ``p`` and ``many`` from place ``q`` anew; log the places that are exchanged."""
    for t in range(few):
        r = t + below(random, few + many - t)
        log[t] = p + r if r < few else q + r - few
        _swap(members, p + t, log[t])


@compiled
def _trade_lists(
    members: IntArray,
    indptr: IntArray,
    keys: Words,
    node_keys: Words,
    buckets: IntArray,
    repeats: bool,
    random: Words,
    proposals: int,
) -> int:
    """Run trades on lists of members; an empty ``buckets`` accepts all. Return how many were rejected."""
    m, rejected = len(indptr) - 1, 0
    mark = np.zeros(len(node_keys), dtype=np.int64)
    log = np.empty(len(node_keys), dtype=np.int64)
    for stamp in range(1, proposals + 1):
        i, j = below(random, m), below(random, m - 1)
        j += j >= i
        if indptr[i + 1] - indptr[i] > indptr[j + 1] - indptr[j]:
            i, j = j, i
        common = _common_to_front(members, i, j, indptr, mark, stamp)
        p, q = indptr[i] + common, indptr[j] + common
        few, many = indptr[i + 1] - p, indptr[j + 1] - q
        _deal(members, p, q, few, many, log, random)
        if len(buckets) == 0:
            continue
        new_i = key_of(members[indptr[i] : indptr[i + 1]], node_keys)
        new_j = keys[i] ^ keys[j] ^ new_i  # a trade moves keys from one to the other
        if not _accepted(i, j, new_i, new_j, keys, buckets, repeats, random):
            rejected += 1
            for t in range(few - 1, -1, -1):
                _swap(members, p + t, log[t])
    return rejected


class State(Protocol):
    """A hypergraph that trades change; without ``repeats`` there are ``multiplicities``, and no trade adds equal pairs."""

    @property
    def has_repeats(self) -> bool:
        """Whether two hyperedges are equal; only where there are multiplicities."""

    def trade(self, proposals: int, random: Words) -> int:
        """Run trades, and return how many were rejected."""

    def incidences(self) -> tuple[IntArray, IntArray]:
        """Return nodes and hyperedges of all incidences, by hyperedge and node."""


class WordState:
    """Hyperedges in one word each: bit v is node v. At most 64 nodes, and no empty hyperedge."""

    def __init__(
        self,
        n: int,
        indptr: IntArray,
        members: IntArray,
        *,
        multiplicities: bool,
        repeats: bool,
        rng: np.random.Generator,
    ) -> None:
        del n, rng
        bits = np.left_shift(_ONE, members.astype(np.uint64))
        self.words = np.bitwise_or.reduceat(bits, indptr[:-1]) if len(members) else np.zeros(0, dtype=np.uint64)
        self.sizes = np.diff(indptr)
        self.buckets = buckets_for(self.words) if multiplicities else np.zeros(0, dtype=np.int64)
        self.repeats = repeats

    @property
    def has_repeats(self) -> bool:
        """Whether two hyperedges are equal."""
        return len(np.unique(self.words)) < len(self.words)

    def trade(self, proposals: int, random: Words) -> int:
        """Run trades, and return how many were rejected."""
        return int(_trade_words(self.words, self.sizes, self.buckets, self.repeats, random, proposals))

    def incidences(self) -> tuple[IntArray, IntArray]:
        """Return nodes and hyperedges of all incidences, by hyperedge and node."""
        bits = np.unpackbits(self.words.astype("<u8").view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
        edges, nodes = np.nonzero(bits)
        return nodes, edges


class ListState:
    """Hyperedges as lists of members: those of hyperedge e begin at ``indptr[e]``."""

    def __init__(
        self,
        n: int,
        indptr: IntArray,
        members: IntArray,
        *,
        multiplicities: bool,
        repeats: bool,
        rng: np.random.Generator,
    ) -> None:
        self.repeats = repeats
        self.members, self.indptr = members.copy(), indptr
        self.node_keys = np.zeros(n, dtype=np.uint64)
        self.keys, self.buckets = np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.int64)
        if multiplicities:
            self.node_keys = rng.integers(0, 1 << 64, size=n, dtype=np.uint64)
            self.keys = keys_of(self.members, self.indptr, self.node_keys)
            self.buckets = buckets_for(self.keys)

    @property
    def has_repeats(self) -> bool:
        """Whether two hyperedges are equal."""
        return len(np.unique(self.keys)) < len(self.keys)

    def trade(self, proposals: int, random: Words) -> int:
        """Run trades, and return how many were rejected."""
        arrays = self.members, self.indptr, self.keys, self.node_keys, self.buckets, self.repeats
        return int(_trade_lists(*arrays, random, proposals))

    def incidences(self) -> tuple[IntArray, IntArray]:
        """Return nodes and hyperedges of all incidences, by hyperedge and node."""
        edges = np.repeat(np.arange(len(self.indptr) - 1), np.diff(self.indptr))
        order = np.lexsort((self.members, edges))
        return self.members[order], edges
