"""Timing."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

__all__ = ["seconds"]


def seconds(call: Callable[[], Any]) -> float:
    """Return the seconds that one call takes."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start
