"""What a report says about where it comes from: its seed, and the versions that its numbers depend on."""

from __future__ import annotations

import platform
from functools import cache
from importlib.metadata import version

import numpy as np

from hyperhedge.metrics.metric import check_whole
from hyperhedge.models.base import Seed


@cache
def versions() -> dict[str, str]:
    """Return the versions of what the numbers depend on."""
    packages = ("hyperhedge", "torch", "numpy", "scipy", "scikit-learn")
    return {"python": platform.python_version()} | {name: version(name) for name in packages}


def seed_number(seed: Seed | None) -> int:
    """Return a seed as a number that can be recorded; one from a generator, or a new one, if it is not a number."""
    if seed is None or isinstance(seed, np.random.Generator):
        return int(np.random.default_rng(seed).integers(2**32))
    check_whole("seed", seed, 0)
    return int(seed)
