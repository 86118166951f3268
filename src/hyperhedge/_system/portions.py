"""Long work in compiled code, cut into portions between which Python can interrupt."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hyperhedge.typing import FloatArray, IntArray

AT_ONCE = 100_000_000
"""Steps between two chances to interrupt: a fraction of a second."""


def portions(work: IntArray | FloatArray, at_once: int | None = None) -> Iterator[tuple[int, int]]:
    """Cut a range into portions of at most so many steps (but at least one element), after each of which Python may interrupt.

    Examples
    --------
    >>> list(portions(np.array([3, 3, 3, 9, 1]), at_once=6))
    [(0, 2), (2, 3), (3, 4), (4, 5)]
    """
    at_once = AT_ONCE if at_once is None else at_once
    done, begin = np.cumsum(work), 0
    while begin < len(work):
        before = done[begin - 1] if begin else 0
        end = max(begin + 1, int(np.searchsorted(done, before + at_once, side="right")))
        yield begin, end
        begin = end
