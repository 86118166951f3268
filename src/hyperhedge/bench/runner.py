"""The runner: do the cells that have no record, keep a record of each, and go on after whatever ended the last run.

A cell whose record has its fingerprint is not run again; one that failed only if asked for. Workers give their records back, and
this process writes them, so that workers need no disk in common. A run that is killed loses the cells at work; of a learned
generator on this machine not even these, since its checkpoints are in ``.training`` until the record is there.
"""

from __future__ import annotations

import os
import shutil
import signal
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, Self, TypeAlias

import msgspec
from filelock import FileLock, Timeout
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from hyperhedge.bench.cell import Job, Reply, run_job
from hyperhedge.bench.experiment import Cell, Experiment
from hyperhedge.bench.record import (
    Record,
    machine_facts,
    provenance,
    read_record,
    record_file,
    versions_of,
    write_record,
)
from hyperhedge.cluster import Cluster, Local
from hyperhedge.errors import FormatError, HyperhedgeError
from hyperhedge.train.progress import clock

__all__ = ["LOG", "Choice", "State", "Summary", "find_state", "run_experiment"]

LOG = "run.log"
TRAINING = ".training"
LOCK = ".lock"

State: TypeAlias = Literal["done", "failed", "outdated", "missing"]
"""``outdated``: the record is of another configuration than the cell has now."""


@dataclass(frozen=True)
class Choice:
    """Which cells are wanted; nothing given means all."""

    datasets: Sequence[str] = ()
    methods: Sequence[str] = ()
    seeds: Sequence[int] = ()

    def of(self, experiment: Experiment) -> list[Cell]:
        """Return the cells of an experiment that are wanted."""
        for given, known, what in (
            (self.datasets, experiment.datasets, "dataset"),
            (self.methods, experiment.methods, "method"),
            (self.seeds, range(experiment.seeds), "seed"),
        ):
            for name in given:
                if name not in known:
                    raise HyperhedgeError(
                        f"the experiment {experiment.name} has no {what} {name!r}; it has: {', '.join(map(str, known))}"
                    )
        return [
            cell
            for cell in experiment.cells()
            if (not self.datasets or cell.dataset in self.datasets)
            and (not self.methods or cell.method in self.methods)
            and (not self.seeds or cell.seed in self.seeds)
        ]


@dataclass(frozen=True)
class Summary:
    """How many cells are in which state, and why cells failed."""

    counts: Counter[State]
    errors: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        """Count the states in words.

        Examples
        --------
        >>> str(Summary(Counter({"done": 3, "failed": 1})))
        '3 cells done, 1 failed'
        """
        rest = [f"{self.counts[state]} {state}" for state in ("failed", "outdated", "missing") if self.counts[state]]
        return ", ".join([f"{self.counts['done']} cells done", *rest])


def find_state(cell: Cell, record: Record | None) -> State:
    """Say what is known of a cell."""
    if record is None:
        return "missing"
    return record.status if record.fingerprint == cell.fingerprint else "outdated"


def summarise(cells: Sequence[Cell], folder: Path) -> Summary:
    """Count the states of cells."""
    counts: Counter[State] = Counter()
    errors: dict[str, str] = {}
    for cell in cells:
        record = _kept(folder, cell)
        state = find_state(cell, record)
        counts[state] += 1
        if record is not None and state == "failed":
            errors[cell.name] = record.error or ""
    return Summary(counts, errors)


def run_experiment(
    experiment: Experiment,
    folder: Path,
    cluster: Cluster,
    *,
    choice: Choice | None = None,
    retry_failed: bool = False,
    models: Path | None = None,
    console: Console | None = None,
) -> Summary:
    """Run the cells of an experiment that have no record yet.

    Parameters
    ----------
    experiment
        What to run.
    folder
        Where the records are.
    cluster
        Who works.
    choice
        Which cells; all if not given.
    retry_failed
        Run those again that failed.
    models
        Where to keep the fitted models, if the workers are on this machine; they are not kept otherwise.
    console
        Where to show progress.
    """
    if models is not None and not isinstance(cluster, Local):
        raise HyperhedgeError(
            "models are kept by workers of this machine only; leave out where to keep them, or the cluster"
        )
    cells = (choice or Choice()).of(experiment)
    again = {"missing", "outdated", *(["failed"] if retry_failed else [])}
    with _own(folder):
        todo = [cell for cell in cells if find_state(cell, _kept(folder, cell)) in again]
        by_whom = provenance()
        run = _Run(folder, cluster, console, cells, todo, models)
        unfinished = {_training_of(cell) for cell in experiment.cells()} - {_training_of(cell) for cell in cells}
        with run, _stoppable(), closing(cluster.run(run_job, run.tasks())) as outcomes:
            for task, outcome in outcomes:
                reply = _reply(task, outcome)
                run.keep(reply, msgspec.structs.replace(reply.record, provenance=by_whom))
        _tidy(folder / TRAINING, unfinished)
    return summarise(cells, folder)


def _kept(folder: Path, cell: Cell) -> Record | None:
    """Return the record of a cell; a damaged one is as good as none."""
    try:
        return read_record(record_file(folder, cell))
    except FormatError:
        return None


def _reply(task: bytes, outcome: bytes | Exception) -> Reply:
    """Read what a worker gave back; if it died, the cell failed."""
    if not isinstance(outcome, Exception):
        return msgspec.json.decode(outcome, type=Reply)
    cell = msgspec.json.decode(task, type=Job).cell
    failed = Record(
        cell=cell,
        fingerprint=cell.fingerprint,
        status="failed",
        error=str(outcome) if isinstance(outcome, HyperhedgeError) else f"{type(outcome).__name__}: {outcome}",
        machine=machine_facts(),
        versions=versions_of(),
    )
    return Reply(failed)


def _training_of(cell: Cell) -> str:
    """Name the folder of a cell's training; two cells may have one fingerprint, but not one name."""
    return f"{cell.dataset}-{cell.method}-{cell.seed}-{cell.fingerprint}"


def _tidy(trainings: Path, unfinished: set[str]) -> None:
    """Remove what earlier runs left of trainings, but for those of cells that may yet go on: this run was not asked for them."""
    for training in trainings.glob("*"):
        if training.name not in unfinished:
            shutil.rmtree(training, ignore_errors=True)
    with suppress(OSError):  # there is none, or it is not empty
        trainings.rmdir()


# -- a run -------------------------------------------------------------------------------------------


class _Run:
    """A run: what it hands out, what it keeps, and what it tells."""

    def __init__(
        self,
        folder: Path,
        cluster: Cluster,
        console: Console | None,
        cells: Sequence[Cell],
        todo: Sequence[Cell],
        models: Path | None,
    ) -> None:
        self.folder, self.cluster, self.todo, self.models = folder, cluster, list(todo), models
        self._log = folder / LOG
        self._failed = 0
        self._forecast = _Forecast(cluster.workers)
        for cell in cells:
            record = _kept(folder, cell)
            if record is not None and find_state(cell, record) == "done":
                self._forecast.learn(record)
        columns = (TextColumn("[bold]cells"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[text]}"))
        self._progress = Progress(*columns, console=console, disable=console is None, refresh_per_second=4)
        self._bar = self._progress.add_task("cells", total=len(cells), completed=len(cells) - len(todo), text="")

    def __enter__(self) -> Self:
        self.log(f"start: {len(self.todo)} cells to do, process {os.getpid()}, {self.cluster}")
        self._progress.start()
        self._tell("")
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._progress.stop()
        self.log("end" if kind is None else f"stopped ({kind.__name__}); {len(self.todo)} cells are left")

    def tasks(self) -> list[bytes]:
        """Return the cells to do, as workers take them."""
        return [msgspec.json.encode(self._job(cell)) for cell in self.todo]

    def _job(self, cell: Cell) -> Job:
        if not isinstance(self.cluster, Local):
            return Job(cell)
        model = self.models and self.models / cell.dataset / f"{cell.method}-{cell.seed}"
        return Job(cell, str(self._training(cell).resolve()), str(model.resolve()) if model else None)

    def _training(self, cell: Cell) -> Path:
        return self.folder / TRAINING / _training_of(cell)

    def keep(self, reply: Reply, record: Record) -> None:
        """Write a record, and tell of it."""
        write_record(self.folder, record)
        shutil.rmtree(self._training(record.cell), ignore_errors=True)
        self.todo = [
            cell for cell in self.todo if record_file(self.folder, cell) != record_file(self.folder, record.cell)
        ]
        seconds = sum(record.seconds.get(part, 0.0) for part in ("data", "fit", "sample", "evaluate"))
        if record.status == "done":
            self._forecast.learn(record)
            self.log(f"done: {record.cell.name} in {seconds:.1f} s")
        else:
            self._failed += 1
            self.log(f"failed: {record.cell.name}: {record.error}", reply.traceback)
        self._progress.advance(self._bar)
        self._tell(
            f"{record.cell.name} took {clock(seconds)}" if record.status == "done" else f"{record.cell.name} failed"
        )

    def log(self, line: str, more: str | None = None) -> None:
        """Add a line to the log."""
        stamp = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        with self._log.open("a", encoding="utf-8") as file:
            file.write(f"{stamp} {line}\n" + (more or ""))

    def _tell(self, last: str) -> None:
        left = self._forecast.seconds(self.todo)
        parts = [f"about {clock(left)} left"] if left is not None and self.todo else []
        parts += [f"{self._failed} failed"] if self._failed else []
        self._progress.update(self._bar, text=" · ".join([*parts, *([last] if last else [])]))


class _Forecast:
    """How long the rest takes: a cell takes as long as others of its method and dataset, of its method, or any."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._seconds: dict[tuple[str, ...], list[float]] = {}

    def learn(self, record: Record) -> None:
        """Take in what a cell took."""
        seconds = sum(record.seconds.get(part, 0.0) for part in ("data", "fit", "sample", "evaluate"))
        for key in self._keys(record.cell):
            self._seconds.setdefault(key, []).append(seconds)

    def seconds(self, cells: Sequence[Cell]) -> float | None:
        """Say how long cells take; None if nothing is known yet."""
        total = 0.0
        for cell in cells:
            known = next((self._seconds[key] for key in self._keys(cell) if key in self._seconds), None)
            if known is None:
                return None
            total += sum(known) / len(known)
        return total / max(1, min(self.workers, len(cells)))

    @staticmethod
    def _keys(cell: Cell) -> tuple[tuple[str, ...], ...]:
        return (cell.method, cell.dataset), (cell.method,), ()


@contextmanager
def _own(folder: Path) -> Iterator[None]:
    """Have a folder of records to oneself, without what a killed run left half written."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(folder / LOCK, timeout=0):
            for rest in folder.glob("*/.*.tmp"):
                rest.unlink(missing_ok=True)
            yield
    except Timeout:
        raise HyperhedgeError(
            f"{folder}: another run is at work here; wait until it ends, or choose another folder"
        ) from None


@contextmanager
def _stoppable() -> Iterator[None]:
    """Let SIGTERM stop a run as Ctrl-C does."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
