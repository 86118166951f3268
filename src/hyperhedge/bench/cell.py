"""A cell: sample a training and a held-out set, fit, generate, compare. A pure function of the cell's configuration.

A cell's seed is that of its banks, its training and its samples. Cells of one dataset and seed therefore share their training
and held-out hypergraphs, whatever the method, and methods can be compared in pairs.

Cells compute with one thread, because sums depend on how threads divide them, and because other cells use the other cores.
"""

from __future__ import annotations

import shutil
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from threadpoolctl import threadpool_limits

from hyperhedge.bench.experiment import REAL, REWIRED, Cell
from hyperhedge.bench.record import Measured, Record, failed_record, machine_facts, versions_of
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.data import load_dataset
from hyperhedge.data.dataset import Collection, Observed, Range
from hyperhedge.errors import HyperhedgeError
from hyperhedge.metrics.whole.copies import rewired
from hyperhedge.models.base import MODELS, BaseGenerator, make_model, model_class
from hyperhedge.report import evaluate
from hyperhedge.report.report import Property, Row, fidelity
from hyperhedge.report.whole.judge import Judge, WholeOptions, given
from hyperhedge.report.whole.reference import Tasks, run


class Job(msgspec.Struct, frozen=True):
    """What a worker receives: a cell, where its data is on this machine, and folders for its checkpoints and fitted model."""

    cell: Cell
    source: str | None = None
    training: str | None = None
    model: str | None = None


class Reply(msgspec.Struct, frozen=True):
    """What a worker returns: the record, and the traceback if a bug made the cell fail."""

    record: Record
    traceback: str | None = None


@dataclass
class Clock:
    """Seconds by task."""

    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        """Add the seconds that a block takes."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = round(self.seconds.get(name, 0.0) + time.perf_counter() - started, 3)


@dataclass(frozen=True)
class Generated:
    """What a method generated, and what it reports about its training and sampling."""

    hypergraphs: list[Hypergraph]
    facts: dict[str, Any] = field(default_factory=dict)


Method = Callable[[Job, list[Hypergraph], Clock], Generated]


def run_job(task: bytes) -> bytes:
    """Run a cell, JSON to JSON; an error becomes the record of a failed cell."""
    job = msgspec.json.decode(task, type=Job)
    try:
        reply = Reply(measure(job))
    except Exception as error:  # noqa: BLE001  # the record has it, whatever it is
        known = isinstance(error, HyperhedgeError | OSError | MemoryError)
        reply = Reply(failed_record(job.cell, error), None if known else traceback.format_exc())
    return msgspec.json.encode(reply)


def measure(job: Job) -> Record:
    """Run a cell."""
    cell, clock = job.cell, Clock()
    _forget_peak()
    with _one_thread(cell):
        generated, judged = (_whole if cell.protocol.whole else _collections)(job, clock)
    return Record(
        cell=cell,
        fingerprint=cell.fingerprint,
        status="done",
        metrics={row.key: Measured(row.value, row.low, row.high, row.floor, row.ceiling) for row in judged.rows},
        properties={name: property_.score for name, property_ in judged.properties.items()},
        facts=generated.facts | judged.facts,
        seconds=clock.seconds,
        peak_mib=_peak_mib(),
        machine=machine_facts(),
        versions=versions_of(),
    )


@dataclass(frozen=True)
class _Judged:
    """How what was generated compares."""

    rows: Sequence[Row]
    properties: dict[str, Property]
    facts: dict[str, Any] = field(default_factory=dict)


def _collections(job: Job, clock: Clock) -> tuple[Generated, _Judged]:
    """Sample banks, generate, and compare collections."""
    cell = job.cell
    train_count, test_count, _ = cell.protocol.counts
    with clock("data"):
        train, _, test = load_dataset(job.source or cell.source).splits(
            _range(cell.n),
            _range(cell.m),
            (train_count, 0, test_count),
            seed=cell.seed,
            leak_free=cell.protocol.leak_free,
            **cell.bank,
        )
    generated = METHODS.get(cell.model, _fit_and_sample)(job, train, clock)
    with clock("evaluate"):
        report = evaluate(
            test,
            generated.hypergraphs,
            train=train,
            metrics=cell.protocol.metrics,
            bootstrap=cell.protocol.bootstrap,
            permutations=cell.protocol.permutations,
            seed=cell.seed,
            name=cell.name,
        )
    return generated, _Judged(report.details, report.properties)


def _range(number: int | list[int] | None) -> Range | None:
    return (number[0], number[1]) if isinstance(number, list) else number


def _whole(job: Job, clock: Clock) -> tuple[Generated, _Judged]:
    """Learn a whole hypergraph, generate others, and compare each with it.

    Floor and null models are those of seed 0 in all cells of a dataset, and are measured once per process.
    """
    cell = job.cell
    with clock("data"):
        H = _whole_hypergraph(job.source or cell.source)
    generated = METHODS.get(cell.model, _fit_and_sample)(job, [H], clock)
    with clock("reference"):
        judge = _judge(job.source or cell.source, tuple(cell.protocol.measures))
    with clock("evaluate"):
        same = cell.model in (REAL, REWIRED)  # whose nodes have the numbers of the real ones
        tasks: Tasks = {("generated", j): given(G, (H,), by_number=same) for j, G in enumerate(generated.hypergraphs)}
        made = list(run(tasks, cell.seed, threads=1).values())
        rows, novelty = judge.rows(made), judge.novelty(made)
    properties = {"fidelity": fidelity(rows), "novelty": novelty, "validity": judge.validity(made)}
    return generated, _Judged(rows, properties, {"copied": novelty.values})


def _whole_hypergraph(source: str) -> Hypergraph:
    dataset = load_dataset(source)
    if isinstance(dataset, Observed):
        return dataset.hypergraph
    if isinstance(dataset, Collection) and len(dataset.hypergraphs) == 1:
        return dataset.hypergraphs[0]
    raise HyperhedgeError(f"{source} is not one hypergraph; leave out whole = true, or give a file with one")


@lru_cache(maxsize=32)
def _judge(source: str, measures: tuple[str, ...]) -> Judge:
    return Judge.of([_whole_hypergraph(source)], None, WholeOptions(metrics=measures, seed=0), threads=1)


# -- methods -----------------------------------------------------------------------------------------


def _fit_and_sample(job: Job, train: list[Hypergraph], clock: Clock) -> Generated:
    """Fit a model and sample from it."""
    cell = job.cell
    model = make_model(cell.model, **cell.options)
    with clock("fit"):
        _fit(model, train, job.training)
    if job.model is not None:
        Path(job.model).parent.mkdir(parents=True, exist_ok=True)
        model.save(job.model, overwrite=True)
    with clock("sample"):
        generated = _sample(model, cell)
    return Generated(generated.hypergraphs, {**_facts(model, clock), **generated.facts})


def _sample(model: BaseGenerator, cell: Cell) -> Generated:
    """Sample; of a model with relaxed states, also keep the shares of entries decided, and changed by projection."""
    sample_paths = getattr(model, "sample_paths", None)
    if sample_paths is None:
        return Generated(model.sample(cell.protocol.counts[2], seed=cell.seed))
    samples = sample_paths(cell.protocol.counts[2], seed=cell.seed, keep_paths=False)
    # The key has the name that it has in the records of earlier runs.
    return Generated(samples.hypergraphs, {"drawn": {"decided": samples.decided, "changed": samples.changed}})


def _facts(model: BaseGenerator, clock: Clock) -> dict[str, Any]:
    """Return what a learned model reports about its training; its seconds go to the clock."""
    training = getattr(model, "training_", None)
    if not isinstance(training, dict):
        return {}
    if "seconds" in training:
        clock.seconds["training"] = training["seconds"]
    return {"training": {name: value for name, value in training.items() if name != "seconds"}}


def _fit(model: BaseGenerator, train: list[Hypergraph], folder: str | None) -> None:
    """Fit; a model with checkpoints resumes from those that a killed run of the same cell left."""
    if folder is None or "folder" not in model.fit_options:
        model.fit(train)
        return
    from hyperhedge.train.checkpoint import FILE

    trained: Any = model
    if (Path(folder) / FILE).is_file():
        try:
            trained.fit(train, folder=folder, resume=True)
            return
        except HyperhedgeError:  # the checkpoint is damaged, or of other code
            shutil.rmtree(folder)
    trained.fit(train, folder=folder)


def _floor(job: Job, train: list[Hypergraph], clock: Clock) -> Generated:
    """Return training hypergraphs, each at most once, as generated ones."""
    with clock("sample"):
        indices = np.random.default_rng(job.cell.seed).choice(len(train), job.cell.protocol.counts[2], replace=False)
        return Generated([train[k] for k in indices])


def _rewired(job: Job, train: list[Hypergraph], clock: Clock) -> Generated:
    """Return copies with a share of the incidences rewired."""
    with clock("sample"):
        rng = np.random.default_rng(job.cell.seed)
        share = float(job.cell.options["share"])
        return Generated([rewired(train[0], share, rng) for _ in range(job.cell.protocol.counts[2])])


METHODS: dict[str, Method] = {REAL: _floor, REWIRED: _rewired}
"""Methods that are not just a generator's ``fit`` and ``sample``, by the name of their model."""


# -- threads and memory ------------------------------------------------------------------------------


@contextmanager
def _one_thread(cell: Cell) -> Iterator[None]:
    """Compute with one thread; limits reach only loaded libraries, so those of the model are loaded first."""
    if cell.model in MODELS:
        model_class(cell.model)
    with ExitStack() as stack:
        stack.enter_context(threadpool_limits(1))
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")  # nobody reads a worker's warnings; what matters is in the record
        if "torch" in sys.modules:
            from hyperhedge.train.workers import at_most_workers, single_threaded

            stack.enter_context(at_most_workers(1))
            stack.enter_context(single_threaded())
        yield


def _forget_peak() -> None:
    """Make Linux measure peak memory from here on; elsewhere it is that of the whole process."""
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return


def _peak_mib(status: Path = Path("/proc/self/status")) -> float | None:
    """Return the peak of resident memory, if the system reports it."""
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
