"""What a long job shows while it runs: a bar on a terminal, plain lines elsewhere.

A bar is drawn again and again with control characters, which a log file or a pipe should not have. There, a job writes a line
after its first second, then whenever ten seconds have passed or a tenth more is done (but at most one a second), and one at its
end. A job that is over within a second writes nothing.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import Self, TypeVar

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

Item = TypeVar("Item")

_LEAST, _MOST, _SHARE = 1.0, 10.0, 0.1 - 1e-9  # of rounding


def console_of(progress: Console | bool | None) -> Console | None:
    """Return the console that ``progress=`` asks for: the one given, standard error for True, none otherwise."""
    if progress is True:
        # FORCE_COLOR asks for colours in a pipe, and not for a bar that is redrawn.
        return Console(stderr=True, force_interactive=None if sys.stderr.isatty() else False)
    return progress or None


def clock(seconds: float) -> str:
    """Write seconds as a clock does.

    Examples
    --------
    >>> clock(75.2), clock(3675)
    ('1:15', '1:01:15')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


class Meter:
    """The progress of a job; to be used as a context, from any thread.

    Parameters
    ----------
    progress
        A console, True for standard error, or None for nowhere.
    what
        What is done.
    total, done
        How many things there are to do, and how many of them were done before.
    keep
        Whether a bar stays on the terminal at the end.
    quick
        Whether a job that is over within a second writes lines too.
    now
        What tells the time.

    Examples
    --------
    >>> with Meter(Console(), "counting", 3, quick=True) as meter:
    ...     for _ in meter.count(range(3)):
    ...         pass
    counting 1/3
    counting 3/3
    """

    def __init__(
        self,
        progress: Console | bool | None,
        what: str,
        total: int,
        *,
        done: int = 0,
        keep: bool = False,
        quick: bool = False,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.console, self.what, self.total, self.done = console_of(progress), what, total, done
        self._begun_with, self._text, self._share = done, "", self._counted_share()
        self._lock, self._now, self._start = threading.Lock(), now, now()
        self._next = self._start if quick else self._start + _LEAST
        self._line: str | None = None
        self._line_at, self._line_share = self._start, self._share
        self._bar = self._new_bar(keep)
        self._task = self._bar.add_task("", total=1.0, line=self._line_text()) if self._bar else None

    def _new_bar(self, keep: bool) -> Progress | None:
        console = self.console
        if console is None or not (console.is_interactive or console.is_jupyter):
            return None
        columns = TextColumn(f"[bold]{self.what}"), BarColumn(), TextColumn("{task.fields[line]}", markup=False)
        return Progress(*columns, console=console, transient=not keep, refresh_per_second=4)

    def __enter__(self) -> Self:
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=self._share)
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
        elif kind is None and self._line not in (None, self._line_text()):
            self._write()

    def advance(self, more: int = 1, text: str | None = None) -> None:
        """Say that more is done, and perhaps something about it."""
        with self._lock:
            self.done += more
            self._show(self._counted_share(), text)

    def set(self, done: int, text: str | None = None, share: float | None = None) -> None:
        """Say how much is done; its share, if that is not the share of the total."""
        with self._lock:
            self.done = done
            self._show(self._counted_share() if share is None else share, text)

    def count(self, items: Iterable[Item]) -> Iterator[Item]:
        """Go through things; each is done when the next one is asked for."""
        for item in items:
            yield item
            self.advance()

    def tell(self, message: str) -> None:
        """Write a message above the bar, or as a line."""
        if self.console is not None:
            style = "yellow" if self.console.is_interactive else None
            self.console.print(message, style=style, highlight=False, markup=False, soft_wrap=True)

    def _counted_share(self) -> float:
        return min(1.0, self.done / self.total) if self.total else 1.0

    def _show(self, share: float, text: str | None) -> None:
        self._share, self._text = share, self._text if text is None else text
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=share, line=self._line_text())
        elif self.console is not None:
            since, more = self._now() - self._line_at, self._share - self._line_share
            first = self._line is None
            if self._now() >= self._next and (first or since >= _MOST or more >= _SHARE):
                self._write()

    def _write(self) -> None:
        self._line, self._line_at, self._line_share = self._line_text(), self._now(), self._share
        self._next = self._line_at + _LEAST
        if self.console is not None:
            self.console.print(f"{self.what} {self._line}", highlight=False, markup=False, soft_wrap=True)

    def _line_text(self) -> str:
        text = self._text or self._time_left()
        return f"{self.done:,}/{self.total:,}" + (f" · {text}" if text else "")

    def _time_left(self) -> str:
        """Estimate the time left from what was done here; nothing before a second has passed."""
        elapsed, steps = self._now() - self._start, self.done - self._begun_with
        if elapsed < _LEAST or steps <= 0 or self.done >= self.total:
            return ""
        return f"{clock(elapsed / steps * (self.total - self.done))} left"
