"""Interruption: Ctrl-C and SIGTERM let the step at hand be finished and kept.

The first signal sets a flag, which the training looks at after every step; the second one raises :class:`KeyboardInterrupt` at
once. Signals that are ignored (as in a background job of a shell) stay ignored. Outside the main thread, where Python has
no handlers, nothing changes. Launchers of several processes pass on what the terminal has sent to these already: there, a signal
that comes again is taken for the same.
"""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any, Self

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interruption:
    """Handlers that set :attr:`asked` while this context lasts.

    A signal that nobody looked at until the end raises there.

    Parameters
    ----------
    repeats
        Whether every signal may come more than once.
    """

    def __init__(self, *, repeats: bool = False) -> None:
        self.asked, self.repeats = False, repeats
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in _SIGNALS:
                before = signal.getsignal(number)
                if before not in (None, signal.SIG_IGN):  # None: set by other than Python, not ours to restore
                    self._before[number] = before
                    signal.signal(number, self._handle)
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)
        if self.asked and kind is None:
            raise KeyboardInterrupt

    def _handle(self, _number: int, _frame: FrameType | None) -> None:
        if self.asked and not self.repeats:
            raise KeyboardInterrupt
        self.asked = True
