"""What trained generators have in common: arguments of the training, options of a fit, resuming.

A trained generator trains a torch module with :class:`~hyperhedge.train.Trainer`. This module knows nothing of what is learned.

*To write one*, derive a dataclass from :class:`TrainedGenerator`: its fields are the constructor's arguments, beside those of the
training, which are declared here. Implement :meth:`TrainedGenerator._learn`, which calls :meth:`TrainedGenerator._train` with a
module and a task, and :meth:`TrainedGenerator._training_bytes`, which estimates what that takes.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from numbers import Real
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self, TypedDict

import msgspec
import numpy as np
import torch
from rich.console import Console
from torch import nn

from hyperhedge._system.memory import admit, refuse_beyond
from hyperhedge._system.optional import require
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.errors import GeneratorError, TrainingError, shown
from hyperhedge.io.files import PathLike
from hyperhedge.models.base import BaseGenerator, Record, fingerprint, list_of_hypergraphs, one_of, whole_number
from hyperhedge.models.repeats import REPEATS, Repeats
from hyperhedge.train import Task, Trainer, TrainingResult, TrainingSettings, parse_duration
from hyperhedge.train.ranks import find_device, fresh_seed, process_count, process_index
from hyperhedge.train.run import begin_run, check_run
from hyperhedge.train.workers import default_workers, single_threaded
from hyperhedge.typing import IntArray

#: What torch takes as a seed.
MOST_SEED = 2**63 - 1

#: Steps of a sampler; a thousand are more than any paper takes.
MOST_STEPS = 100_000

_FEWEST_TO_HOLD_OUT = 20
_MOST_HELD_OUT = 256
_NEAR = 1.25  # how far beyond its training shapes a network may decide on hyperedge sizes

#: Entries of a single hypergraph, 512 × 512, beyond which it is not learned as a whole: a step would take minutes, and a single
#: example has nothing to generalise from.
_LARGEST_ALONE = 1 << 18

_LESS = "give a smaller batch_size or a smaller network, or learn from smaller hypergraphs (bank() of a dataset samples pieces)"


@dataclass(frozen=True)
class FitOptions:
    """The options of :meth:`TrainedGenerator.fit`, where they are documented."""

    folder: PathLike | None = None
    resume: bool = False
    progress: Console | bool | None = None
    tensorboard: bool = False


class SampleOptions(TypedDict, total=False):
    """The options that :meth:`~hyperhedge.models.base.BaseGenerator.sample` of every trained generator has."""

    n: int | None
    m: int | None
    steps: int | None
    device: str | None
    progress: Console | bool | None
    repeats: Repeats | None


class TrainingFacts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The fitted facts of every trained generator: its seed, what training hypergraphs have, and how training went."""

    seed: Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
    has_empty: bool
    has_isolated: bool
    data_fingerprint: str
    training: dict[str, Any]


@dataclass(kw_only=True, eq=False, repr=False)
class TrainedGenerator(BaseGenerator):
    """A generator that is trained.

    Parameters
    ----------
    seed
        The seed of the weights and of the training; None for a fresh one at every :meth:`fit`, kept as ``seed_``.
    iterations, batch_size, learning_rate, warmup, decay, weight_decay, clip, ema
        Those of :class:`~hyperhedge.train.TrainingSettings`.
    max_time
        A limit on the training time, such as ``"10m"`` or seconds; None for none. With a limit the learning rate falls with the
        clock, and a run is not reproducible bit for bit.
    validation
        The share of the training set held out for validation, at most 256 hypergraphs; none of a set of fewer than 20.
    validate_every, patience
        Steps between validations, and how many of them without improvement end the training (None: any number).
    device
        ``"auto"`` (a GPU where there is one) or a name that torch knows.
    workers
        Threads that train on a CPU; None for one per core.
    repeats
        Whether samples may have repeated hyperedges: ``"as-data"``, only if a training hypergraph has; ``"forbid"`` or ``"allow"``.

    Attributes
    ----------
    seed_ : int
        The seed that was used.
    training_ : dict
        The outcome of the training: iterations, seconds, loss, best validation loss, why it stopped, roll-backs; empty if there
        was nothing to learn.
    data_fingerprint_ : str
        A hash of the training set.
    has_empty_, has_isolated_ : bool
        Whether a training hypergraph has hyperedges without nodes, or nodes without hyperedges.
    """

    fitted_type: ClassVar[type[msgspec.Struct]] = TrainingFacts
    fit_options = ("folder", "resume", "progress", "tensorboard")

    presets: ClassVar[Mapping[str, dict[str, Any]]]
    """Named sets of arguments."""

    may_change: ClassVar[tuple[str, ...]]
    """Arguments that may differ when a training is resumed."""

    seed: int | None = None
    iterations: int = 4000
    batch_size: int = 32
    learning_rate: float = 2e-3
    warmup: int = 200
    decay: float = 0.7
    weight_decay: float = 0.0
    clip: float | None = 1.0
    ema: float = 0.999
    max_time: str | float | None = None
    validation: float = 0.1
    validate_every: int = 250
    patience: int | None = None
    device: str = "auto"
    workers: int | None = None
    repeats: Repeats = "as-data"

    seed_: int = field(init=False)
    training_: dict[str, Any] = field(init=False)
    data_fingerprint_: str = field(init=False)
    has_empty_: bool = field(init=False)
    has_isolated_: bool = field(init=False)

    def __post_init__(self) -> None:
        self._check()

    @classmethod
    def preset(cls, name: str, **changes: Any) -> Self:
        """Make a model with a named set of arguments, and changes to it."""
        one_of(name, tuple(cls.presets), "preset")
        return cls(**{**cls.presets[name], **changes})

    # -- what a model implements --------------------------------------------------------------------

    @abstractmethod
    def _learn(self, training: list[Hypergraph], options: FitOptions) -> None:
        """Learn from a training set, with the seed ``seed_``; the facts known before the training are set."""

    # -- fit ----------------------------------------------------------------------------------------

    def fit(
        self,
        training: Iterable[Any],
        *,
        folder: PathLike | None = None,
        resume: bool = False,
        progress: Console | bool | None = None,
        tensorboard: bool = False,
        **unknown: Any,
    ) -> Self:
        """Learn from hypergraphs, and return the model itself.

        Parameters
        ----------
        training
            Hypergraphs, of this package or of another one (:func:`hyperhedge.convert.as_hypergraph`); shapes may differ.
        folder
            Where checkpoints and the log are written during the training; None for nowhere.
        resume
            Go on with the training in the folder, with the same training set and arguments, as if it had not been interrupted.
        progress
            A console to show progress on, or True for standard error.
        tensorboard
            Write curves for TensorBoard into the folder too.
        """
        if resume and folder is None:
            raise GeneratorError("resume goes on with the training in a folder; give folder too")
        # Threads of torch's own would wait for each other in many small steps, and change the last digits of sums.
        with single_threaded():
            options = {"folder": folder, "resume": resume, "progress": progress, "tensorboard": tensorboard}
            return super().fit(training, **options, **unknown)

    def memory_for(self, training: Iterable[Any]) -> int:
        """Estimate the bytes of memory that :meth:`fit` would take for a training set.

        Examples
        --------
        >>> import hyperhedge as hh
        >>> bank = hh.load_dataset("committee").bank(n=64, m=16, count=100, seed=0)
        >>> 2**26 < hh.Hedge(workers=1).memory_for(bank) < 2**28
        True
        """
        return self._training_bytes([H for H in list_of_hypergraphs(training, "training") if H.num_incidences])

    @abstractmethod
    def _training_bytes(self, training: list[Hypergraph]) -> int:
        """Estimate the bytes that a training takes in one process, without allocating any."""

    def _fit(self, training: list[Hypergraph], **options: Any) -> None:
        device = device_of(self.device)  # a wrong one is found now, not after the preparations
        fit_options = FitOptions(**options)
        too_large = too_large_alone(training)
        if too_large:
            raise GeneratorError(
                f"training is {too_large} to be learned as a whole; learn from a bank of its pieces: "
                "hh.load_dataset(FILE).bank(count=1000)"
            )
        if fit_options.tensorboard:
            require("tensorboard", "tensorboard")
        need = process_count() * self.memory_for(training) if device.type == "cpu" else None  # a GPU has its own memory
        if need is not None:
            refuse_beyond(need, "training", _LESS)
        self.data_fingerprint_ = fingerprint(training)
        self.has_empty_ = any((H.edge_sizes == 0).any() for H in training)
        self.has_isolated_ = any((H.degrees == 0).any() for H in training)
        self.seed_ = self._begin_run(fit_options)
        if need is not None and process_index() == 0:
            admit(need, "training", _LESS, fit_options.progress, least=0)
        self._learn(training, fit_options)

    def _begin_run(self, options: FitOptions) -> int:
        """Write into the folder what is trained there, or compare with what is resumed; return the seed."""
        arguments = self._json_params()
        if options.folder is not None and options.resume:
            if self.seed is None:
                del arguments["seed"]  # that of the run
            defaults = type(self)().get_params()
            started = check_run(options.folder, self.data_fingerprint_, arguments, defaults, self.may_change)
            return whole_number(started.get("seed"), "the seed of the run", least=0, most=MOST_SEED)
        seed = fresh_seed(self.device) if self.seed is None else int(self.seed)
        if options.folder is not None:
            begin_run(options.folder, self.data_fingerprint_, {**arguments, "seed": seed})
        return seed

    def _train(self, module: nn.Module, task: Task, options: FitOptions) -> None:
        """Train a module, and keep the outcome."""
        trainer = Trainer(
            module,
            task,
            self._settings(self.seed_),
            device=self.device,
            folder=options.folder,
            progress=options.progress,
            tensorboard=options.tensorboard,
        )
        result = trainer.run(resume=options.resume)
        module.requires_grad_(False).eval().cpu()
        self.training_ = _summary(result, sum(p.numel() for p in module.parameters()))

    def _held_out_count(self, training: Sequence[Hypergraph]) -> int:
        if len(training) < _FEWEST_TO_HOLD_OUT:
            return 0
        return min(int(self.validation * len(training)), _MOST_HELD_OUT)

    def _split(self, training: list[Hypergraph]) -> tuple[list[Hypergraph], list[Hypergraph]]:
        """Hold some hypergraphs out; those equal to one that is learned tell nothing about learning, and are dropped."""
        count = self._held_out_count(training)
        if not count:
            return training, []
        order = np.random.default_rng(self.seed_).permutation(len(training)).tolist()
        learned = [training[k] for k in order[count:]]
        known = set(learned)
        held_out = [H for H in (training[k] for k in order[:count]) if H not in known]
        return (learned, held_out) if held_out else (training, [])

    def _settings(self, seed: int) -> TrainingSettings:
        """Return the arguments of the training as the trainer takes them."""
        shared = {f.name: getattr(self, f.name) for f in fields(TrainingSettings) if hasattr(self, f.name)}
        max_time = None if self.max_time is None else parse_duration(self.max_time)
        return TrainingSettings(**{**shared, "max_time": max_time, "seed": seed})

    def _threads(self) -> int:
        """Return how many threads would train on a CPU."""
        return int(min(self.workers or default_workers(), self.batch_size))

    # -- sample -------------------------------------------------------------------------------------

    @staticmethod
    def _wanted_shape(options: SampleOptions) -> tuple[int | None, int | None]:
        """Return the numbers of nodes and hyperedges that the caller wants."""
        n, m = options.get("n"), options.get("m")
        return None if n is None else whole_number(n, "n", least=0), None if m is None else whole_number(
            m, "m", least=0
        )

    def _shapes(self, count: int, n: int | None, m: int | None, rng: np.random.Generator) -> IntArray:
        """Sample shapes from the training set, and enter the numbers that the caller wants."""
        shapes = self._sample_shapes(count, rng)
        for column, (value, name) in enumerate(((n, "n"), (m, "m"))):
            if value is not None:
                shapes[:, column] = whole_number(value, name, least=0)
        known = any(n and m for n, m in self.shapes_)
        if not known and (shapes > 0).all(axis=1).any():
            raise GeneratorError(
                "no training hypergraph has both nodes and hyperedges, so nothing is known of hypergraphs that have; "
                "leave out n and m"
            )
        for column, (value, name) in enumerate(((n, "n"), (m, "m"))):
            if value and self._generates_sizes:
                self._check_near(column, value, name)
        return shapes

    @property
    def _generates_sizes(self) -> bool:
        """Whether the network decides on hyperedge sizes, of which nothing is known far from the training set's shapes."""
        return True

    def _check_near(self, column: int, value: int, name: str) -> None:
        """Refuse a number of nodes or hyperedges far from those of the training set."""
        seen = [shape[column] for shape in self.shapes_]
        least, most = math.ceil(min(seen) / _NEAR), math.floor(max(seen) * _NEAR)
        if not least <= value <= most:
            raise GeneratorError(
                f"{name} must be from {least} to {most} for this model, whose network learned hyperedge sizes together with the "
                f"shapes of its training set, not {value}; fit it to hypergraphs of about that shape, or use a Hedge with "
                "given='both' or 'sizes'"
            )

    # -- saved models and checks ----------------------------------------------------------------------

    def _restore(self, record: Record, folder: Path) -> None:
        record.fitted.setdefault("seed", record.config.get("seed"))  # models saved before seed_ was have it there
        super()._restore(record, folder)

    def _check(self) -> None:
        one_of(self.repeats, REPEATS, "repeats")
        if self.seed is not None:
            whole_number(self.seed, "seed", least=0, most=MOST_SEED)
        if not (is_number(self.validation) and 0 <= self.validation < 1):
            raise GeneratorError(f"validation must be a share from 0 to less than 1, not {shown(self.validation)}")
        try:
            self._settings(seed=0)
        except TrainingError as error:
            raise GeneratorError(str(error)) from None


# -- one large hypergraph ------------------------------------------------------------------------------


def too_large_alone(training: Sequence[Hypergraph]) -> str | None:
    """Describe a training set of a single large hypergraph, which has to be cut into pieces; None for any other.

    Examples
    --------
    >>> too_large_alone([Hypergraph([[0, 1]] * 600, nodes=600)])
    'one hypergraph of 600 nodes and 600 hyperedges, too large'
    """
    if len(training) != 1 or training[0].n * training[0].m <= _LARGEST_ALONE:
        return None
    return f"one hypergraph of {training[0].n:,} nodes and {training[0].m:,} hyperedges, too large"


# -- arguments -----------------------------------------------------------------------------------------


def positive(value: Any, name: str, *, most: float = 1e9) -> float:
    """Check an argument that is a positive number of a scale with which one can compute.

    Examples
    --------
    >>> positive(0, "tau")
    Traceback (most recent call last):
        ...
    hyperhedge.errors.GeneratorError: tau must be a positive number, not 0
    """
    if not (is_number(value) and 0 < value < float("inf")):
        raise GeneratorError(f"{name} must be a positive number, not {shown(value)}")
    if value > most:
        raise GeneratorError(f"{name} must be a positive number up to {most:g}, not {shown(value)}")
    return float(value)


def is_number(value: Any) -> bool:
    """Return whether a value is a real number, of Python or numpy."""
    return isinstance(value, Real) and not isinstance(value, bool)


def device_of(name: str) -> torch.device:
    """Return a device by its name, or refuse it."""
    try:
        return find_device(name)
    except TrainingError as error:
        raise GeneratorError(str(error)) from None


def _summary(result: TrainingResult, parameters: int) -> dict[str, Any]:
    return {
        "iterations": result.iterations,
        "seconds": round(result.seconds, 3),
        "loss": result.loss,
        "validation": result.best_validation,
        "stopped": result.stopped,
        "rollbacks": result.rollbacks,
        "parameters": parameters,
    }
