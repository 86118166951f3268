"""The runner: run the cells that have no record, keep a record of each, and continue where the last run ended.

A cell whose record has its fingerprint is not run again, and a failed one only on request. Workers return their records and
this process writes them, so workers need no shared disk. A killed run loses the cells it was working on, but not the training
of a learned generator on this machine: its checkpoints stay in ``.training`` until the record is written.
"""

from __future__ import annotations

import os
import shutil
import signal
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Literal, Self, TypeAlias

import msgspec
from filelock import FileLock, Timeout
from rich.console import Console

from hyperhedge._system.pool import Cluster, Local
from hyperhedge._system.progress import Meter, clock
from hyperhedge._system.signals import handled
from hyperhedge.bench.cell import Job, Reply, run_job
from hyperhedge.bench.experiment import Cell, Experiment
from hyperhedge.bench.record import Record, failed_record, provenance, read_record, record_file, write_record
from hyperhedge.errors import FormatError, HyperhedgeError

LOG = "run.log"
TRAINING = ".training"
LOCK = ".lock"

State: TypeAlias = Literal["done", "failed", "outdated", "missing"]
"""``outdated``: the record has another configuration than the cell."""


@dataclass(frozen=True)
class Selection:
    """Some cells of an experiment; an empty list selects all."""

    datasets: Sequence[str] = ()
    methods: Sequence[str] = ()
    seeds: Sequence[int] = ()

    def of(self, experiment: Experiment) -> list[Cell]:
        """Return the selected cells of an experiment."""
        for names, known, kind in (
            (self.datasets, experiment.datasets, "dataset"),
            (self.methods, experiment.methods, "method"),
            (self.seeds, range(experiment.seeds), "seed"),
        ):
            for name in names:
                if name not in known:
                    raise HyperhedgeError(
                        f"the experiment {experiment.name} has no {kind} {name!r}; it has: {', '.join(map(str, known))}"
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
    """How many cells are in each state, and why cells failed."""

    counts: Counter[State]
    errors: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        """Return the counts in words.

        Examples
        --------
        >>> str(Summary(Counter({"done": 3, "failed": 1})))
        '3 cells done, 1 failed'
        """
        rest = [f"{self.counts[state]} {state}" for state in ("failed", "outdated", "missing") if self.counts[state]]
        return ", ".join([f"{self.counts['done']} cells done", *rest])


def find_state(cell: Cell, record: Record | None) -> State:
    """Return the state of a cell."""
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
    selection: Selection | None = None,
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
        The folder of records.
    cluster
        The workers.
    selection
        Which cells; all by default.
    retry_failed
        Whether to run failed cells again.
    models
        A folder for the fitted models, which only workers on this machine can write; by default they are not kept.
    console
        Where to show progress.
    """
    if models is not None and not isinstance(cluster, Local):
        raise HyperhedgeError(
            "only workers on this machine can keep models; leave out the folder for models, or the cluster"
        )
    cells = (selection or Selection()).of(experiment)
    again = {"missing", "outdated", *(["failed"] if retry_failed else [])}
    with _locked(folder):
        todo = [cell for cell in cells if find_state(cell, _kept(folder, cell)) in again]
        origin = provenance()
        run = _Run(experiment, folder, cluster, console, cells, todo, models)
        unfinished = {_training_of(cell) for cell in experiment.cells()} - {_training_of(cell) for cell in cells}
        stoppable = handled(signal.SIGTERM, signal.default_int_handler)  # as by Ctrl-C
        with run, stoppable, closing(cluster.run(run_job, run.tasks())) as outcomes:
            for task, outcome in outcomes:
                reply = _reply(task, outcome)
                run.keep(reply, msgspec.structs.replace(reply.record, provenance=origin))
        _tidy(folder / TRAINING, unfinished)
    return summarise(cells, folder)


def _kept(folder: Path, cell: Cell) -> Record | None:
    """Return the record of a cell; a damaged one counts as missing."""
    try:
        return read_record(record_file(folder, cell))
    except FormatError:
        return None


def _reply(task: bytes, outcome: bytes | Exception) -> Reply:
    """Decode what a worker returned; if it died, the cell failed."""
    if isinstance(outcome, Exception):
        return Reply(failed_record(msgspec.json.decode(task, type=Job).cell, outcome))
    return msgspec.json.decode(outcome, type=Reply)


def _training_of(cell: Cell) -> str:
    """Return the name of a cell's folder of checkpoints; two cells may share a fingerprint, but not a name."""
    return f"{cell.dataset}-{cell.method}-{cell.seed}-{cell.fingerprint}"


def _tidy(trainings: Path, unfinished: set[str]) -> None:
    """Remove the checkpoints that earlier runs left, except those of cells which this run did not select and may be resumed."""
    for training in trainings.glob("*"):
        if training.name not in unfinished:
            shutil.rmtree(training, ignore_errors=True)
    with suppress(OSError):  # there is no such folder, or it is not empty
        trainings.rmdir()


# -- a run -------------------------------------------------------------------------------------------


class _Run:
    """A run: the jobs it hands out, the records it keeps, and its log and progress bar."""

    def __init__(
        self,
        experiment: Experiment,
        folder: Path,
        cluster: Cluster,
        console: Console | None,
        cells: Sequence[Cell],
        todo: Sequence[Cell],
        models: Path | None,
    ) -> None:
        self.experiment, self.folder, self.cluster = experiment, folder, cluster
        self.todo, self.models = list(todo), models
        self._log = folder / LOG
        self._failed = 0
        self._forecast = _Forecast(cluster.workers)
        for cell in cells:
            record = _kept(folder, cell)
            if record is not None and find_state(cell, record) == "done":
                self._forecast.learn(record)
        self._meter = Meter(console, "cells", len(cells), done=len(cells) - len(todo), keep=True, quick=True)

    def __enter__(self) -> Self:
        self.log(f"start: {len(self.todo)} cells to do, process {os.getpid()}, {self.cluster}")
        self._meter.__enter__()
        self._show("", more=0)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._meter.__exit__(kind, error, trace)
        self.log("end" if kind is None else f"stopped ({kind.__name__}); {len(self.todo)} cells are left")

    def tasks(self) -> list[bytes]:
        """Return the jobs of this run, encoded for workers."""
        return [msgspec.json.encode(self._job(cell)) for cell in self.todo]

    def _job(self, cell: Cell) -> Job:
        source = self.experiment.locate(cell.source)
        if not isinstance(self.cluster, Local):
            return Job(cell, source)
        model = self.models and self.models / cell.dataset / f"{cell.method}-{cell.seed}"
        return Job(cell, source, str(self._training(cell).resolve()), str(model.resolve()) if model else None)

    def _training(self, cell: Cell) -> Path:
        return self.folder / TRAINING / _training_of(cell)

    def keep(self, reply: Reply, record: Record) -> None:
        """Write a record and log it."""
        write_record(self.folder, record)
        shutil.rmtree(self._training(record.cell), ignore_errors=True)
        self.todo = [
            cell for cell in self.todo if record_file(self.folder, cell) != record_file(self.folder, record.cell)
        ]
        seconds = record.total_seconds
        if record.status == "done":
            self._forecast.learn(record)
            self.log(f"done: {record.cell.name} in {seconds:.1f} s")
        else:
            self._failed += 1
            self.log(f"failed: {record.cell.name}: {record.error}", reply.traceback)
        self._show(
            f"{record.cell.name} took {clock(seconds)}" if record.status == "done" else f"{record.cell.name} failed",
            more=1,
        )

    def log(self, line: str, more: str | None = None) -> None:
        """Append a line to the log."""
        stamp = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        with self._log.open("a", encoding="utf-8") as file:
            file.write(f"{stamp} {line}\n" + (more or ""))

    def _show(self, last: str, *, more: int) -> None:
        left = self._forecast.seconds(self.todo)
        remaining = f"about {clock(left)} left" if left is not None and self.todo else ""
        failed = f"{self._failed} failed" if self._failed else ""
        self._meter.advance(more, " · ".join(filter(None, (remaining, failed, last))))


class _Forecast:
    """The time left: a cell takes as long as others of its method and dataset, of its method, or any."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._seconds: dict[tuple[str, ...], list[float]] = {}

    def learn(self, record: Record) -> None:
        """Take the time of a finished cell into account."""
        for key in self._keys(record.cell):
            self._seconds.setdefault(key, []).append(record.total_seconds)

    def seconds(self, cells: Sequence[Cell]) -> float | None:
        """Return the seconds that cells will take; None if nothing is known yet."""
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
def _locked(folder: Path) -> Iterator[None]:
    """Lock a folder of records, and remove files that a killed run left half written."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(folder / LOCK, timeout=0):
            for rest in folder.glob("*/.*.tmp"):
                rest.unlink(missing_ok=True)
            yield
    except Timeout:
        raise HyperhedgeError(
            f"{folder}: another run is using this folder; wait until it ends, or choose another one with --results"
        ) from None
