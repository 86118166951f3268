"""One command run by several processes that train together: started, watched and ended as one.

The parent starts them with the environment that ``torchrun`` sets (``RANK``, ``WORLD_SIZE``, …), hosts the store through which
they find each other, and computes nothing itself.

*Messages.* Process 0 has the parent's standard error, for progress and the result; the output of the others is discarded. A
process writes its exit code, and its error message if it failed, to a file. The parent prints one message: the cause, not its
consequences.

*Ending.* The standard input of each process is a pipe from the parent. When the pipe closes, because the parent wants them to stop
or has been killed, the process acts as on SIGTERM: it finishes the current step and keeps it. Ctrl-C, which a terminal sends to all
processes, is handled by the parent only; a second one kills. A process that waits for one that has died is given a moment.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from hyperhedge._system.memory import refuse_beyond
from hyperhedge._system.signals import handled
from hyperhedge.errors import HyperhedgeError

INTERRUPTED = 130
"""The exit code after Ctrl-C."""

_FILE = "HYPERHEDGE_OUTCOME"
_ECHO = "another process failed"  # what Ranks.agree says about a consequence

_POLL = 0.05
_PATIENCE = 15.0
"""Seconds for processes to end by themselves after one of them has."""
_WITH_TORCH = 400 << 20  # bytes of a process before it trains
_GRACE = 5.0
"""Seconds for process 0 to finish its output at the very end."""


# -- the processes -----------------------------------------------------------------------------------

_outcome: Path | None = None


def end_with_parent() -> None:
    """If :func:`run_processes` started this process, end when the parent does."""
    global _outcome
    file = os.environ.pop(_FILE, None)
    if file is None:
        return
    _outcome = Path(file)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    threading.Thread(target=_wait_for_parent, daemon=True).start()


def has_parent() -> bool:
    """Return whether :func:`run_processes` started this process, so the parent prints how it ended."""
    return _outcome is not None


def report_to_parent(code: int, message: str = "") -> bool:
    """Report the exit code and the error message to the parent, if there is one; return whether there is."""
    if _outcome is None:
        return False
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # it is ending
    with suppress(OSError):
        _outcome.write_text(f"{code} {message}", encoding="utf-8")
    return True


def _wait_for_parent() -> None:
    while os.read(0, 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


# -- the parent --------------------------------------------------------------------------------------


@dataclass
class _Rank:
    """A process, and the file in which it reports how it ended."""

    index: int
    process: subprocess.Popen[bytes]
    outcome: Path
    code: int | None = None
    """The exit code; None while it runs."""
    message: str = ""
    """The error message."""

    @classmethod
    def start(cls, arguments: Sequence[str], index: int, environment: dict[str, str], folder: Path) -> _Rank:
        outcome = folder / str(index)
        quiet: Any = {} if index == 0 else {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        process = subprocess.Popen(  # noqa: S603  # it is this program
            [sys.executable, "-m", "hyperhedge", *arguments],
            stdin=subprocess.PIPE,
            env={**environment, "RANK": str(index), "LOCAL_RANK": str(index), _FILE: str(outcome)},
            **quiet,
        )
        return cls(index, process, outcome)

    def poll(self) -> None:
        """Check whether it has ended; its report counts more than the exit code, which may come from being killed at the end."""
        self.code = self.process.poll()
        if self.code is not None and self.outcome.exists():
            code, _, self.message = self.outcome.read_text(encoding="utf-8").partition(" ")
            self.code = int(code)

    def stop(self) -> None:
        """Ask it to end."""
        if self.process.stdin is not None:
            self.process.stdin.close()

    def trouble(self, count: int) -> tuple[int, str] | None:
        """Return an error, if there is one, with its rank among causes: 0 is a cause, 3 a consequence."""
        if self.code is None or self.code in (0, INTERRUPTED):
            return None
        name = f"process {self.index + 1} of {count}"
        if self.code < 0:
            return 1, f"{name} was killed ({signal.Signals(-self.code).name}), perhaps for lack of memory"
        if self.code != 2:
            return 2, f"{name} failed ({self.message or f'exit code {self.code}'}); look closer with --processes 1"
        return (3 if _ECHO in self.message else 0), self.message


def run_processes(arguments: Sequence[str], count: int) -> int:
    """Run a command in several processes that train together; return the exit code, or raise the error."""
    refuse_beyond(count * _WITH_TORCH, f"running {count:,} processes", "start fewer: one per device or core is enough")
    from torch.distributed import TCPStore  # type: ignore[attr-defined]  # a second to import: only where it is used

    store = TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
    environment = {
        "OMP_NUM_THREADS": "1",
        **os.environ,
        "WORLD_SIZE": str(count),
        "LOCAL_WORLD_SIZE": str(count),
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(store.port),
        "TORCHELASTIC_USE_AGENT_STORE": "True",  # the store is the parent's
        "TORCHELASTIC_RESTART_COUNT": "0",
    }
    with tempfile.TemporaryDirectory(prefix="hyperhedge-") as folder:
        with handled(signal.SIGINT, signal.SIG_IGN):  # which the processes that are started now inherit
            ranks = [_Rank.start(arguments, index, environment, Path(folder)) for index in range(count)]
        with _all_ended(ranks), handled(signal.SIGTERM, signal.default_int_handler):  # as Ctrl-C
            interrupted = _watch(ranks)
        return _verdict(ranks, interrupted)


def _watch(ranks: Sequence[_Rank]) -> bool:
    """Wait until all have succeeded, or one has not and the others have had time to end; return whether Ctrl-C was pressed."""
    interrupted = False
    try:
        while _running(ranks) and not any(rank.code for rank in ranks):
            time.sleep(_POLL)
    except KeyboardInterrupt:
        interrupted = True
        for rank in ranks:
            rank.stop()
        while _running(ranks) == len(ranks):  # until the current step is done
            time.sleep(_POLL)
    until = time.monotonic() + _PATIENCE
    while _running(ranks) and not _cause_is_known(ranks) and time.monotonic() < until:
        time.sleep(_POLL)
    return interrupted


def _running(ranks: Sequence[_Rank]) -> int:
    """Return how many processes are running."""
    for rank in ranks:
        rank.poll()
    return sum(rank.code is None for rank in ranks)


def _cause_is_known(ranks: Sequence[_Rank]) -> bool:
    troubles = (rank.trouble(len(ranks)) for rank in ranks)
    return any(trouble is not None and trouble[0] < 2 for trouble in troubles)


def _verdict(ranks: Sequence[_Rank], interrupted: bool) -> int:
    """Return the exit code, or raise the likeliest cause of an error; after Ctrl-C, processes may die without one."""
    troubles = sorted(trouble for rank in ranks if (trouble := rank.trouble(len(ranks))) is not None)
    if troubles and not (interrupted and troubles[0][0] > 0):
        raise HyperhedgeError(troubles[0][1])
    return 0 if all(rank.code == 0 for rank in ranks) else INTERRUPTED


@contextmanager
def _all_ended(ranks: Sequence[_Rank]) -> Iterator[None]:
    """Leave no process behind, whatever happens."""
    try:
        yield
    finally:
        for rank in ranks:
            rank.stop()
            if rank.index > 0:
                rank.process.kill()
        with suppress(KeyboardInterrupt, subprocess.TimeoutExpired):
            ranks[0].process.wait(_GRACE)
        for rank in ranks:
            rank.process.kill()
            rank.process.wait()
        Console(stderr=True).show_cursor()  # a killed progress bar leaves it hidden
