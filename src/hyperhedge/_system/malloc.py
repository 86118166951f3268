"""Keep the memory that a loop frees and allocates again, instead of returning it to the system in between.

A step of training or sampling allocates a few large arrays and frees them. glibc maps each of them separately, returns it to the
kernel when it is freed and gets zeroed pages in the next step: the page faults cost as much as the arithmetic.
:func:`steady_memory` raises glibc's thresholds, lowers them at the end, and then returns free memory to the system. With other
C libraries (musl, macOS, Windows) it does nothing.

By default glibc adapts its thresholds to what a program frees, and stops adapting for good once they are set. At the end they are
therefore set to where adapting ends, not to where it begins: with 128 KiB, every large array that follows would fault.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

# Parameters of mallopt, from <malloc.h>.
_TRIM_THRESHOLD, _TOP_PAD, _MMAP_THRESHOLD = -1, -2, -3
_STEADY = {_MMAP_THRESHOLD: 32 << 20, _TRIM_THRESHOLD: 2**31 - 1, _TOP_PAD: 64 << 20}
_ADAPTED = {_MMAP_THRESHOLD: 32 << 20, _TRIM_THRESHOLD: 64 << 20, _TOP_PAD: 128 << 10}

_lock = threading.Lock()
_users = 0


@contextmanager
def steady_memory() -> Iterator[None]:
    """Keep freed memory in the process within this context; nested contexts count as one.

    Examples
    --------
    >>> with steady_memory():
    ...     squares = sum(k * k for k in range(10))
    >>> squares
    285
    """
    allocator = _glibc()
    if allocator is None:
        yield
        return
    _change_users(allocator, 1)
    try:
        yield
    finally:
        _change_users(allocator, -1)


def _glibc() -> Any:
    """Return the C library of this process if it is glibc, and None otherwise."""
    try:
        library = ctypes.CDLL(None)
    except (OSError, TypeError):
        return None
    return library if hasattr(library, "mallopt") and hasattr(library, "malloc_trim") else None


def _change_users(allocator: Any, change: int) -> None:
    """Count the contexts; set the thresholds when the first begins and when the last ends."""
    global _users
    with _lock:
        before, _users = _users, _users + change
        if not before or not _users:
            for parameter, value in (_STEADY if _users else _ADAPTED).items():
                allocator.mallopt(parameter, value)
        if not _users:
            allocator.malloc_trim(0)
