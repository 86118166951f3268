"""A function over many tasks: by the cores of this machine, or by Ray.

Results come as they are finished, with their tasks. What a task raises comes in place of its result and stops nobody else. A
process that dies (killed, out of memory, a crash in compiled code) takes its task with it; the task is tried again, and if its
process dies once more, a :class:`WorkerDiedError` comes in place of its result.

*Here* the processes are loky's, with one thread of arithmetic each. When one dies, loky gives up all that are at work. As many
tasks are handed out as there are workers, so one of these was the cause: each of them is tried again alone, and no other is blamed.
The pool does not tell which of them had begun, so one that dies alone is tried alone once more: it may have been its first time.
One worker is this very process.

*Ray* runs the same on its own processes, from two workers here to a cluster that is there already, which must have hyperhedge
installed. Its address is the argument or, as Ray's own commands have it, the environment variable ``RAY_ADDRESS``; without either a
Ray is started here, even where another one runs or has left its traces.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeVar

from hyperhedge.convert.optional import require
from hyperhedge.errors import HyperhedgeError

__all__ = ["ONE_THREAD", "Cluster", "Local", "Outcome", "Ray", "WorkerDiedError", "make_cluster", "usable_cores"]

Task = TypeVar("Task")
Result = TypeVar("Result")
Outcome: TypeAlias = Generator[tuple[Task, Result | Exception]]

_COUNTS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS", "NUMEXPR_NUM_THREADS")
ONE_THREAD = {**dict.fromkeys(_COUNTS, "1"), "OMP_WAIT_POLICY": "passive"}
"""The environment of a process that computes with one thread."""


class WorkerDiedError(HyperhedgeError):
    """The process that worked on a task died."""


class Cluster(Protocol):
    """Something that runs a function over tasks."""

    @property
    def workers(self) -> int:
        """How many tasks are worked on at once, as far as is known."""
        ...

    def run(self, function: Callable[[Task], Result], tasks: Iterable[Task]) -> Outcome[Task, Result]:
        """Go through tasks and their results, in the order in which they are finished; close it to stop early."""
        ...


def usable_cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def make_cluster(name: str = "local", *, workers: int | None = None, address: str | None = None) -> Cluster:
    """Make a cluster by its name: ``"local"``, ``"ray"``, or the address of a Ray that is there, ``"ray://host:10001"``.

    Examples
    --------
    >>> make_cluster("local", workers=2)
    Local(workers=2)
    >>> make_cluster("slurm")
    Traceback (most recent call last):
        ...
    hyperhedge.errors.HyperhedgeError: there is no cluster 'slurm'; there are local, ray and ray://HOST:PORT
    """
    if name.startswith("ray://"):
        name, address = "ray", address or name
    if name == "ray":
        return Ray(workers or usable_cores(), address or os.environ.get("RAY_ADDRESS") or None)
    if name != "local":
        raise HyperhedgeError(f"there is no cluster {name!r}; there are local, ray and ray://HOST:PORT")
    if address is not None:
        raise HyperhedgeError("an address is that of a Ray cluster; choose the cluster ray with it")
    return Local(workers or usable_cores())


# -- this machine ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Local:
    """Processes of this machine.

    Examples
    --------
    >>> sorted(Local(1).run(abs, [-2, 3]))
    [(-2, 2), (3, 3)]
    """

    workers: int

    def run(self, function: Callable[[Task], Result], tasks: Iterable[Task]) -> Outcome[Task, Result]:
        """Go through tasks and their results, in the order in which they are finished; close it to stop early."""
        if self.workers == 1:
            for task in tasks:
                yield task, _attempt(function, task)
            return
        waiting = deque(tasks)
        while waiting:
            suspects = yield from self._until_one_dies(function, waiting)
            for task in suspects:
                yield task, _alone(function, task)

    def _until_one_dies(
        self, function: Callable[[Task], Result], waiting: deque[Task]
    ) -> Generator[tuple[Task, Result | Exception], None, list[Task]]:
        """Work until nothing is waiting, or a process dies; return what was at work then."""
        suspects: list[Task] = []
        running: dict[Future[Result], Task] = {}
        pool = _pool(self.workers)
        try:
            while running or (waiting and not suspects):
                while waiting and len(running) < self.workers and not suspects:
                    task = waiting.popleft()
                    try:
                        running[pool.submit(function, task)] = task
                    except BrokenProcessPool:
                        waiting.appendleft(task)
                        suspects.extend(running.values())
                        return suspects
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    task, outcome = running.pop(future), _outcome(future)
                    if isinstance(outcome, WorkerDiedError):
                        suspects.append(task)
                    else:
                        yield task, outcome
        finally:
            pool.shutdown(wait=True, kill_workers=True)
        return suspects


def _attempt(function: Callable[[Task], Result], task: Task) -> Result | Exception:
    try:
        return function(task)
    except Exception as error:  # noqa: BLE001  # whatever it is, it is the task's
        return error


def _alone(function: Callable[[Task], Result], task: Task) -> Result | Exception:
    """Try a task in a process of its own, and once more if that dies."""
    outcome = _once_alone(function, task)
    return _once_alone(function, task) if isinstance(outcome, WorkerDiedError) else outcome


def _once_alone(function: Callable[[Task], Result], task: Task) -> Result | Exception:
    pool = _pool(1)
    try:
        return _outcome(pool.submit(function, task))
    finally:
        pool.shutdown(wait=True, kill_workers=True)


def _outcome(future: Future[Result]) -> Result | Exception:
    try:
        return future.result()
    except BrokenProcessPool:
        return WorkerDiedError("the process that worked on this died twice; was it killed, or out of memory?")
    except Exception as error:  # noqa: BLE001  # whatever it is, it is the task's
        return error


def _pool(workers: int) -> Any:
    from joblib.externals.loky import ProcessPoolExecutor

    return ProcessPoolExecutor(max_workers=workers, env=ONE_THREAD, initializer=_leave_interrupts_to_the_parent)


def _leave_interrupts_to_the_parent() -> None:
    """Ignore Ctrl-C, which a terminal sends to every process: the parent ends the others."""
    import signal

    with suppress(ValueError):  # not in the main thread
        signal.signal(signal.SIGINT, signal.SIG_IGN)


# -- Ray ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ray:
    """A Ray cluster: the one at an address, or one that is started here with so many workers and ends with the work."""

    workers: int
    address: str | None = None

    def run(self, function: Callable[[Task], Result], tasks: Iterable[Task]) -> Outcome[Task, Result]:
        """Go through tasks and their results, in the order in which they are finished; close it to stop early."""
        ray = require("ray", "ray")
        self._connect(ray)
        try:
            remote = ray.remote(num_cpus=1, max_retries=1)(function)
            running = {remote.remote(task): task for task in tasks}
            while running:
                [done], _ = ray.wait(list(running), num_returns=1)
                yield running.pop(done), _fetched(ray, done)
        finally:
            ray.shutdown()

    def _connect(self, ray: Any) -> None:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        options: dict[str, Any] = (
            {"address": "local", "num_cpus": self.workers, "include_dashboard": False}
            if self.address is None
            else {"address": self.address}
        )
        try:
            ray.init(runtime_env={"env_vars": ONE_THREAD}, log_to_driver=False, logging_level="ERROR", **options)
        except (ConnectionError, ValueError, RuntimeError) as error:
            raise HyperhedgeError(f"{self._trouble()}: {error}") from None

    def _trouble(self) -> str:
        if self.address is None:
            return "Ray cannot be started here"
        hint = "" if os.environ.get("RAY_AUTH_MODE") else " (if it asks for a token, set RAY_AUTH_MODE=token)"
        return f"the Ray cluster at {self.address} cannot be reached{hint}"


def _fetched(ray: Any, reference: Any) -> Any:
    try:
        return ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        return error.cause if isinstance(error.cause, Exception) else error
    except ray.exceptions.RayError:
        return WorkerDiedError("the process that worked on this died twice; was it killed, or out of memory?")
