"""Random numbers inside compiled functions: xoshiro256++ (Blackman and Vigna 2021), whose state of four words the caller owns."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hyperhedge._system.numba import compiled

Words: TypeAlias = NDArray[np.uint64]
Int: TypeAlias = int | np.int64

_LOW, _HALF = np.uint64(0xFFFFFFFF), np.uint64(32)


def state_from(rng: np.random.Generator) -> Words:
    """Return a state that a numpy generator chose."""
    return rng.integers(0, 1 << 64, size=4, dtype=np.uint64)


@compiled
def _rotated(x: np.uint64, k: np.uint64) -> np.uint64:
    return (x << k) | (x >> (np.uint64(64) - k))


@compiled
def next_word(random: Words) -> np.uint64:
    """Return 64 random bits and advance the state."""
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
    """Return a whole number below ``bound`` < 2³², exactly uniform (Lemire's multiplication with rejection)."""
    count = np.uint64(bound)
    product = (next_word(random) >> _HALF) * count
    if (product & _LOW) < count:
        unfair = (np.uint64(1 << 32) - count) % count
        while (product & _LOW) < unfair:
            product = (next_word(random) >> _HALF) * count
    return np.int64(product >> _HALF)
