"""Signal handlers for the time of a block."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def handled(number: signal.Signals, handler: Any) -> Iterator[None]:
    """Let a handler take a signal; outside the main thread, where Python has no handlers, nothing changes."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(number, handler)
    try:
        yield
    finally:
        signal.signal(number, before)
