"""A cell: draw a training and a held-out set, fit, sample, compare. A pure function of the cell's configuration.

The seed of a cell is that of its banks, of its training and of its samples. Cells of one dataset and seed therefore have the same
training and the same held-out hypergraphs, whatever the method: differences between methods are differences of pairs.

One thread computes, since sums depend on how they are divided among threads, and since other cells have the other cores.
"""

from __future__ import annotations

import inspect
import shutil
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from threadpoolctl import threadpool_limits

from hyperhedge.bench.experiment import REAL, Cell
from hyperhedge.bench.record import Measured, Record, machine_facts, versions_of
from hyperhedge.datasets import load_dataset
from hyperhedge.datasets.dataset import Size
from hyperhedge.errors import HyperhedgeError
from hyperhedge.generator import MODELS, Generator, make_model, model_class
from hyperhedge.hypergraph import Hypergraph
from hyperhedge.metrics import Report, evaluate

__all__ = ["METHODS", "Job", "Reply", "measure", "run_job"]


class Job(msgspec.Struct, frozen=True):
    """What a worker is given: a cell, and folders of this machine for a training that takes long, and for the fitted model."""

    cell: Cell
    training: str | None = None
    model: str | None = None


class Reply(msgspec.Struct, frozen=True):
    """What a worker gives back: the record, and the way to the error if the cell failed by a bug."""

    record: Record
    traceback: str | None = None


@dataclass
class Clock:
    """Seconds by what they were spent on."""

    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        """Count the seconds of a block."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = round(self.seconds.get(name, 0.0) + time.perf_counter() - started, 3)


@dataclass(frozen=True)
class Made:
    """What a method made, and what it tells of itself."""

    hypergraphs: list[Hypergraph]
    facts: dict[str, Any] = field(default_factory=dict)


Method = Callable[[Job, list[Hypergraph], Clock], Made]


def run_job(task: bytes) -> bytes:
    """Run a cell, JSON to JSON; an error becomes a record of what failed."""
    job = msgspec.json.decode(task, type=Job)
    try:
        reply = Reply(measure(job))
    except Exception as error:  # noqa: BLE001  # whatever it is, it is in the record
        known = isinstance(error, HyperhedgeError | OSError | MemoryError)
        sentence = " ".join(str(error).split()) or type(error).__name__
        failed = Record(
            cell=job.cell,
            fingerprint=job.cell.fingerprint,
            status="failed",
            error=sentence if isinstance(error, HyperhedgeError) else f"{type(error).__name__}: {sentence}",
            machine=machine_facts(),
            versions=versions_of(),
        )
        reply = Reply(failed, None if known else traceback.format_exc())
    return msgspec.json.encode(reply)


def measure(job: Job) -> Record:
    """Run a cell."""
    cell, clock = job.cell, Clock()
    _forget_peak()
    with _one_thread(cell):
        with clock("data"):
            train, _, test = load_dataset(cell.source).splits(
                _size(cell.n),
                _size(cell.m),
                (cell.protocol.train, 0, cell.protocol.test),
                seed=cell.seed,
                leak_free=cell.protocol.leak_free,
                **cell.bank,
            )
        made = METHODS.get(cell.model, _fit_and_sample)(job, train, clock)
        with clock("evaluate"):
            report = evaluate(
                test,
                made.hypergraphs,
                train=train,
                metrics=cell.protocol.metrics,
                bootstrap=cell.protocol.bootstrap,
                permutations=cell.protocol.permutations,
                seed=cell.seed,
                name=cell.name,
            )
    return Record(
        cell=cell,
        fingerprint=cell.fingerprint,
        status="done",
        metrics=_metrics(report),
        properties={name: part.score for name, part in report.properties.items()},
        facts=made.facts,
        seconds=clock.seconds,
        peak_mib=_peak_mib(),
        machine=machine_facts(),
        versions=versions_of(),
    )


def _size(given: int | list[int] | None) -> Size | None:
    return (given[0], given[1]) if isinstance(given, list) else given


def _metrics(report: Report) -> dict[str, Measured]:
    return {row.key: Measured(row.value, row.low, row.high, row.floor, row.ceiling) for row in report.details}


# -- methods -----------------------------------------------------------------------------------------


def _fit_and_sample(job: Job, train: list[Hypergraph], clock: Clock) -> Made:
    """Fit a model of :data:`~hyperhedge.generator.MODELS` and draw from it."""
    cell = job.cell
    model = make_model(cell.model, **cell.options)
    with clock("fit"):
        _fit(model, train, job.training)
    if job.model is not None:
        Path(job.model).parent.mkdir(parents=True, exist_ok=True)
        model.save(job.model, overwrite=True)
    with clock("sample"):
        made = _sampled(model, cell)
    return Made(made.hypergraphs, {**_facts(model, clock), **made.facts})


def _sampled(model: Generator, cell: Cell) -> Made:
    """Draw, and keep what a model that draws relaxed states tells of them: shares decided, and changed by projection."""
    draw = getattr(model, "draw", None)
    if draw is None:
        return Made(model.sample(cell.protocol.generated, seed=cell.seed))
    drawn = draw(cell.protocol.generated, seed=cell.seed)
    return Made(drawn.hypergraphs, {"drawn": {"decided": drawn.decided, "changed": drawn.changed}})


def _facts(model: Generator, clock: Clock) -> dict[str, Any]:
    """Return what a learned model tells of its training; its seconds go to the others."""
    training = getattr(model, "training_", None)
    if not isinstance(training, dict):
        return {}
    if "seconds" in training:
        clock.seconds["training"] = training["seconds"]
    return {"training": {name: value for name, value in training.items() if name != "seconds"}}


def _fit(model: Generator, train: list[Hypergraph], folder: str | None) -> None:
    """Fit; a model that keeps checkpoints goes on with what an earlier, killed run of the same cell left."""
    if folder is None or "folder" not in inspect.signature(model.fit).parameters:
        model.fit(train)
        return
    from hyperhedge.train.checkpoint import FILE

    trained: Any = model
    if (Path(folder) / FILE).is_file():
        try:
            trained.fit(train, folder=folder, resume=True)
            return
        except HyperhedgeError:  # what is left there is damaged, or of other code
            shutil.rmtree(folder)
    trained.fit(train, folder=folder)


def _floor(job: Job, train: list[Hypergraph], clock: Clock) -> Made:
    """Take training hypergraphs, each at most once, for generated ones."""
    with clock("sample"):
        chosen = np.random.default_rng(job.cell.seed).choice(len(train), job.cell.protocol.generated, replace=False)
        return Made([train[k] for k in chosen])


METHODS: dict[str, Method] = {REAL: _floor}
"""Methods that are not just a generator's ``fit`` and ``sample``, by the name of their model."""


# -- threads and memory ------------------------------------------------------------------------------


@contextmanager
def _one_thread(cell: Cell) -> Iterator[None]:
    """Compute with one thread; only libraries that are loaded can be told, so the model's are loaded first."""
    if cell.model in MODELS:
        model_class(cell.model)
    with ExitStack() as stack:
        stack.enter_context(threadpool_limits(1))
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")  # a worker has nobody to warn; what matters is in the record
        if "torch" in sys.modules:
            from hyperhedge.train.workers import at_most_workers, single_threaded

            stack.enter_context(at_most_workers(1))
            stack.enter_context(single_threaded())
        yield


def _forget_peak() -> None:
    """Let Linux count the peak of memory from now on; elsewhere it stays that of the process."""
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return


def _peak_mib(status: Path = Path("/proc/self/status")) -> float | None:
    """Return the peak of resident memory, if the system tells."""
    try:
        lines = status.read_text(encoding="utf-8").splitlines()
        [kib] = [int(line.split()[1]) for line in lines if line.startswith("VmHWM")]
    except (OSError, ValueError):
        return _peak_of_process()
    return round(kib / 1024, 1)


def _peak_of_process() -> float | None:
    try:
        import resource
    except ModuleNotFoundError:  # Windows
        return None
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit, 1)
