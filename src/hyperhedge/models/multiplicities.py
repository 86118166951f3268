"""How often hyperedges repeat, kept up to date while they change, in compiled code.

Every hyperedge has a 64-bit key, such as the exclusive or of random keys of its members, so that two different hyperedges have the
same key with probability 2⁻⁶⁴. A table counts keys by bucket; a bucket that holds one hyperedge settles at once that it is not
repeated, and only otherwise keys are compared.
"""

from __future__ import annotations

import numpy as np

from hyperhedge._system.numba import compiled
from hyperhedge.models.xoshiro import Int, Words
from hyperhedge.typing import IntArray

_HALF, _GOLDEN = np.uint64(32), np.uint64(0x9E3779B97F4A7C15)


@compiled
def _bucket(key: np.uint64, buckets: IntArray) -> np.uint64:
    mixed = (key ^ (key >> _HALF)) * _GOLDEN
    return (mixed ^ (mixed >> _HALF)) & np.uint64(len(buckets) - 1)


@compiled
def multiplicity(key: np.uint64, keys: Words, buckets: IntArray, sure: int) -> int:
    """Count the hyperedges with a key; in a bucket of at most ``sure``, the bucket's count is the answer."""
    held = int(buckets[_bucket(key, buckets)])
    return held if held <= sure else int((keys == key).sum())


@compiled
def adds_equal_pairs(i: Int, j: Int, new_i: np.uint64, new_j: np.uint64, keys: Words, buckets: IntArray) -> bool:
    """Tell whether more pairs of hyperedges would be equal if two hyperedges were changed than before.

    Two equal hyperedges have nothing to exchange, so the two differ before and after, unless nothing changes.
    """
    if new_i in (keys[i], keys[j]):
        return False
    before = multiplicity(keys[i], keys, buckets, 1) + multiplicity(keys[j], keys, buckets, 1) - 2
    return multiplicity(new_i, keys, buckets, 0) + multiplicity(new_j, keys, buckets, 0) > before


@compiled
def change_keys(i: Int, j: Int, new_i: np.uint64, new_j: np.uint64, keys: Words, buckets: IntArray) -> None:
    """Enter two changed hyperedges into keys and buckets."""
    buckets[_bucket(keys[i], buckets)] -= 1
    buckets[_bucket(keys[j], buckets)] -= 1
    buckets[_bucket(new_i, buckets)] += 1
    buckets[_bucket(new_j, buckets)] += 1
    keys[i], keys[j] = new_i, new_j


@compiled
def _fill_buckets(keys: Words, buckets: IntArray) -> None:
    for key in keys:
        buckets[_bucket(key, buckets)] += 1


def buckets_for(keys: Words) -> IntArray:
    """Return a table with the keys entered, at least eight times as large as there are keys."""
    buckets = np.zeros(1 << (8 * len(keys)).bit_length(), dtype=np.int64)
    _fill_buckets(keys, buckets)
    return buckets


@compiled
def key_of(members: IntArray, node_keys: Words) -> np.uint64:
    """Return the key of a hyperedge."""
    key = np.uint64(0)
    for v in members:
        key ^= node_keys[v]
    return key


@compiled
def keys_of(members: IntArray, indptr: IntArray, node_keys: Words) -> Words:
    """Return the keys of hyperedges, whose members begin at ``indptr``."""
    keys = np.empty(len(indptr) - 1, dtype=np.uint64)
    for i in range(len(keys)):
        keys[i] = key_of(members[indptr[i] : indptr[i + 1]], node_keys)
    return keys
