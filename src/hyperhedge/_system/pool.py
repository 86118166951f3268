"""Run a function over many tasks, on the cores of this machine or with Ray.

Each task is yielded with its result as soon as it is finished. An exception takes the place of the result and does not affect other
tasks. If the process of a task dies (killed, out of memory, a crash in compiled code), the task is tried again; if its process
dies once more, a :class:`~hyperhedge.errors.WorkerDiedError` takes the place of the result.

*Local*: processes of loky, with one arithmetic thread each. When one of them dies, loky abandons all running tasks. There are never
more of these than workers, and one of them was the cause, so each is tried again alone and no other task is blamed. The pool does
not say which tasks had begun, so a task that dies alone is tried alone once more: it may have been its first attempt. A single
worker is the calling process itself.

*Ray*: the same on Ray's processes, on this machine or on an existing cluster, where hyperhedge must be installed. The address is
the argument or, as for Ray's own commands, the environment variable ``RAY_ADDRESS``. Without an address a new Ray instance is
started here, even if another one is running.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, TypeAlias, TypeVar

from hyperhedge._system.memory import VARIABLE, limit, refuse_beyond
from hyperhedge._system.optional import require
from hyperhedge.errors import HyperhedgeError, WorkerDiedError

Task = TypeVar("Task")
Result = TypeVar("Result")
Outcomes: TypeAlias = Generator[tuple[Task, Result | Exception]]

_THREAD_COUNTS = (
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)
_DIED = "the process that ran this task died twice; was it killed, or out of memory?"
PROCESS = 128 << 20
"""What a process takes that has imported this package, in bytes."""
ONE_THREAD = {**dict.fromkeys(_THREAD_COUNTS, "1"), "OMP_WAIT_POLICY": "passive"}
"""Environment variables that limit a process to one arithmetic thread."""


class Cluster(Protocol):
    """Workers that run a function over tasks."""

    @property
    def workers(self) -> int:
        """The number of tasks that run at the same time, as far as is known."""
        ...

    def run(self, function: Callable[[Task], Result], tasks: Iterable[Task]) -> Outcomes[Task, Result]:
        """Yield each task with its result, in the order in which they finish; close the generator to stop early."""
        ...


def usable_cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def make_cluster(name: str = "local", *, workers: int | None = None, address: str | None = None) -> Cluster:
    """Make a cluster by name: ``"local"``, ``"ray"``, or the address of a Ray cluster, ``"ray://host:10001"``.

    Examples
    --------
    >>> make_cluster("local", workers=2)
    Local(workers=2)
    >>> make_cluster("slurm")
    Traceback (most recent call last):
        ...
    hyperhedge.errors.HyperhedgeError: there is no cluster 'slurm'; use local, ray or ray://HOST:PORT
    """
    if name.startswith("ray://"):
        name, address = "ray", address or name
    workers = workers or usable_cores()
    if name == "ray":
        address = address or os.environ.get("RAY_ADDRESS") or None
        return Ray(workers if address else _affordable(workers), address)
    if name != "local":
        raise HyperhedgeError(f"there is no cluster {name!r}; use local, ray or ray://HOST:PORT")
    if address is not None:
        raise HyperhedgeError("the cluster local has no address; use the cluster ray with an address")
    return Local(_affordable(workers))


def _affordable(workers: int) -> int:
    """Refuse more processes than there is memory for; a single worker of this machine is this process itself."""
    if workers > 1:
        refuse_beyond(workers * PROCESS, f"running {workers:,} processes", "start fewer: one per core is enough")
    return workers


# -- this machine ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Local:
    """Processes on this machine.

    Examples
    --------
    >>> sorted(Local(1).run(abs, [-2, 3]))
    [(-2, 2), (3, 3)]
    """

    workers: int

    def run(self, function: Callable[[Task], Result], tasks: Iterable[Task]) -> Outcomes[Task, Result]:
        """Yield each task with its result, in the order in which they finish; close the generator to stop early."""
        if self.workers == 1:
            for task in tasks:
                yield task, _outcome(partial(function, task))
            return
        waiting = deque(tasks)
        while waiting:
            suspects = yield from self._until_one_dies(function, waiting)
            for task in suspects:
                yield task, _alone(function, task)

    def _until_one_dies(
        self, function: Callable[[Task], Result], waiting: deque[Task]
    ) -> Generator[tuple[Task, Result | Exception], None, list[Task]]:
        """Run tasks until none is waiting or a process dies; return the tasks that were running then."""
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
                        return [*suspects, *running.values()]
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    task, outcome = running.pop(future), _outcome(future.result)
                    if isinstance(outcome, WorkerDiedError):
                        suspects.append(task)
                    else:
                        yield task, outcome
        finally:
            pool.shutdown(wait=True, kill_workers=True)
        return suspects


def _alone(function: Callable[[Task], Result], task: Task) -> Result | Exception:
    """Run a task in a process that runs nothing else, and once more if that process dies."""
    for _ in range(2):
        pool = _pool(1)
        try:
            outcome = _outcome(pool.submit(function, task).result)
        finally:
            pool.shutdown(wait=True, kill_workers=True)
        if not isinstance(outcome, WorkerDiedError):
            break
    return outcome


def _outcome(compute: Callable[[], Result]) -> Result | Exception:
    try:
        return compute()
    except BrokenProcessPool:
        return WorkerDiedError(_DIED)
    except Exception as error:  # noqa: BLE001  # whatever a task raises is its result
        return error


def _pool(workers: int) -> Any:
    from joblib.externals.loky import ProcessPoolExecutor

    environment = {**ONE_THREAD, VARIABLE: str(max(1, limit() // workers))}  # they share what there is
    return ProcessPoolExecutor(max_workers=workers, env=environment, initializer=_leave_interrupts_to_the_parent)


def _leave_interrupts_to_the_parent() -> None:
    """Ignore Ctrl-C, which a terminal sends to every process: the parent ends the workers."""
    import signal

    with suppress(ValueError):  # not in the main thread
        signal.signal(signal.SIGINT, signal.SIG_IGN)


# -- Ray ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ray:
    """A Ray cluster: the one at ``address``, or one that is started here for the tasks, with ``workers`` processes."""

    workers: int
    address: str | None = None

    def run(self, function: Callable[[Task], Result], tasks: Iterable[Task]) -> Outcomes[Task, Result]:
        """Yield each task with its result, in the order in which they finish; close the generator to stop early."""
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
            raise HyperhedgeError(f"{self._failure()}: {error}") from None

    def _failure(self) -> str:
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
        return WorkerDiedError(_DIED)
