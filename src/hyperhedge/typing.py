"""Types that many modules share: arrays by what they hold, and seeds."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["BoolArray", "FloatArray", "IntArray", "Seed"]

IntArray: TypeAlias = NDArray[np.int64]
FloatArray: TypeAlias = NDArray[np.float64]
BoolArray: TypeAlias = NDArray[np.bool_]

Seed: TypeAlias = int | np.random.Generator
"""What fixes randomness: a whole number, or a generator that is then advanced."""
