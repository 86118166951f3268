r"""Trades between two hyperedges, compiled: the step of the configuration model's Markov chain.

*A trade.* Choose two hyperedges :math:`e \neq f` (two columns of the incidence matrix) uniformly. Both keep
:math:`e \cap f`. What only one of them has, :math:`e \mathbin\triangle f`, is pooled and dealt out anew:
:math:`e` gets a uniformly chosen subset of :math:`|e \setminus f|` nodes, :math:`f` the rest. Degrees and sizes stay, and a
trade is as probable as its reverse, since pool and counts are the same afterwards.

*A uniform subset* is drawn by a partial Fisher–Yates shuffle of the pool: the :math:`t`-th chosen node is any of those left, by a
whole number below their count that is exactly uniform (Lemire's multiplication with rejection).

*Two forms* of the same step: :class:`WordState` keeps a hyperedge in one 64-bit word (n ≤ 64), :class:`ListState` keeps lists of
members (any n), in which a trade costs the two hyperedges' sizes.

*Multiplicities* (only where the law wants them): every hyperedge has a 64-bit key, the word itself or the exclusive or of
random keys of its members, so that two different hyperedges have the same key with probability :math:`2^{-64}`. A table counts
keys by bucket; a bucket that holds one hyperedge settles at once that it is not repeated, and only otherwise keys are compared.

*No repeats.* With :math:`P = \sum_e \binom{m_e}{2}` the number of equal pairs, trades that would raise :math:`P` are rejected.
Where :math:`P = 0`, these are the trades that would create a repeat; elsewhere :math:`P` never rises and mostly falls.

*Random numbers* are xoshiro256++ (Blackman and Vigna 2021), whose state the caller owns.
"""

from __future__ import annotations

from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hyperhedge._system.numba import compiled
from hyperhedge.typing import IntArray

Words: TypeAlias = NDArray[np.uint64]
Int: TypeAlias = int | np.int64

WORD = 64
"""The most nodes that a hyperedge in one word can have."""

_ONE, _LOW = np.uint64(1), np.uint64(0xFFFFFFFF)
_HALF, _GOLDEN = np.uint64(32), np.uint64(0x9E3779B97F4A7C15)


# -- random numbers ----------------------------------------------------------------------------------


@compiled
def _rotated(x: np.uint64, k: np.uint64) -> np.uint64:
    return (x << k) | (x >> (np.uint64(64) - k))


@compiled
def next_word(random: Words) -> np.uint64:
    """Return 64 random bits and advance the state (xoshiro256++)."""
    result: np.uint64 = _rotated(random[0] + random[3], np.uint64(23)) + random[0]
    shifted = random[1] << np.uint64(17)
    random[2] ^= random[0]
    random[3] ^= random[1]
    random[1] ^= random[2]
    random[0] ^= random[3]
    random[2] ^= shifted
    random[3] = _rotated(random[3], np.uint64(45))
    return result


@compiled
def below(random: Words, bound: Int) -> np.int64:
    """Return a whole number below ``bound`` < 2³², exactly uniform."""
    count = np.uint64(bound)
    product = (next_word(random) >> _HALF) * count
    if (product & _LOW) < count:
        unfair = (np.uint64(1 << 32) - count) % count
        while (product & _LOW) < unfair:
            product = (next_word(random) >> _HALF) * count
    return np.int64(product >> _HALF)


# -- multiplicities ----------------------------------------------------------------------------------


@compiled
def _bucket(key: np.uint64, buckets: IntArray) -> np.uint64:
    mixed = (key ^ (key >> _HALF)) * _GOLDEN
    return (mixed ^ (mixed >> _HALF)) & np.uint64(len(buckets) - 1)


@compiled
def _multiplicity(key: np.uint64, keys: Words, buckets: IntArray, sure: int) -> int:
    """Count the hyperedges with a key; in a bucket of at most ``sure``, the bucket's count is the answer."""
    held = int(buckets[_bucket(key, buckets)])
    return held if held <= sure else int((keys == key).sum())


@compiled
def _metropolis(
    i: Int, j: Int, new_i: np.uint64, new_j: np.uint64, keys: Words, buckets: IntArray, random: Words
) -> bool:
    """Decide on a trade for the vertex-labelled law.

    A trade that leaves the two as they are, or exchanges them, is accepted: then ``wanted`` is (mᵢ + 1)(mⱼ + 1).
    """
    held = _multiplicity(keys[i], keys, buckets, 1) * _multiplicity(keys[j], keys, buckets, 1)
    if held > 1:
        wanted = (_multiplicity(new_i, keys, buckets, 0) + 1) * (_multiplicity(new_j, keys, buckets, 0) + 1)
        if wanted < held and below(random, held) >= wanted:
            return False
    return True


@compiled
def _adds_equal_pairs(i: Int, j: Int, new_i: np.uint64, new_j: np.uint64, keys: Words, buckets: IntArray) -> bool:
    """Tell whether more pairs of hyperedges would be equal after a trade than before.

    Two equal hyperedges have nothing to trade, so the two differ before and after, unless the trade changes nothing.
    """
    if new_i in (keys[i], keys[j]):
        return False
    before = _multiplicity(keys[i], keys, buckets, 1) + _multiplicity(keys[j], keys, buckets, 1) - 2
    return _multiplicity(new_i, keys, buckets, 0) + _multiplicity(new_j, keys, buckets, 0) > before


@compiled
def _accepted(
    i: Int, j: Int, new_i: np.uint64, new_j: np.uint64, keys: Words, buckets: IntArray, repeats: bool, random: Words
) -> bool:
    """Decide on a trade, and if it is accepted enter it into keys and buckets."""
    if repeats:
        if not _metropolis(i, j, new_i, new_j, keys, buckets, random):
            return False
    elif _adds_equal_pairs(i, j, new_i, new_j, keys, buckets):
        return False
    buckets[_bucket(keys[i], buckets)] -= 1
    buckets[_bucket(keys[j], buckets)] -= 1
    buckets[_bucket(new_i, buckets)] += 1
    buckets[_bucket(new_j, buckets)] += 1
    keys[i], keys[j] = new_i, new_j
    return True


@compiled
def _fill_buckets(keys: Words, buckets: IntArray) -> None:
    for key in keys:
        buckets[_bucket(key, buckets)] += 1


def _buckets_for(keys: Words) -> IntArray:
    """Return a table with the keys entered, at least eight times as large as there are keys."""
    buckets = np.zeros(1 << (8 * len(keys)).bit_length(), dtype=np.int64)
    _fill_buckets(keys, buckets)
    return buckets


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
def _key_of(members: IntArray, node_keys: Words) -> np.uint64:
    key = np.uint64(0)
    for v in members:
        key ^= node_keys[v]
    return key


@compiled
def _keys_of(members: IntArray, indptr: IntArray, node_keys: Words) -> Words:
    keys = np.empty(len(indptr) - 1, dtype=np.uint64)
    for i in range(len(keys)):
        keys[i] = _key_of(members[indptr[i] : indptr[i + 1]], node_keys)
    return keys


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
        new_i = _key_of(members[indptr[i] : indptr[i + 1]], node_keys)
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
        self.buckets = _buckets_for(self.words) if multiplicities else np.zeros(0, dtype=np.int64)
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
            self.keys = _keys_of(self.members, self.indptr, self.node_keys)
            self.buckets = _buckets_for(self.keys)

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
