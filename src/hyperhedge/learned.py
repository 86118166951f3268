"""What generators that are trained have in common: options of a fit, held-out hypergraphs, resuming, weights in a file.

A learned generator trains a torch module by :class:`~hyperhedge.train.Trainer`. Its constructor's arguments are those of the
training (:data:`TRAINING`) and its own. This module knows nothing of what is learned.

*To write one*, derive from :class:`LearnedGenerator`, set the arguments in the constructor and call
:meth:`LearnedGenerator._begin`, and let ``_fit`` call :meth:`LearnedGenerator._train` with a module and a task.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import torch
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from safetensors import SafetensorError
from safetensors.torch import load as load_tensors
from torch import nn

from hyperhedge.checks import IntArray
from hyperhedge.errors import FormatError
from hyperhedge.generator import Generator, GeneratorError, fingerprint, one_of, whole_number
from hyperhedge.hypergraph import Hypergraph
from hyperhedge.io.files import PathLike, read_bytes
from hyperhedge.train import Task, Trainer, TrainingError, TrainingResult, TrainingSettings, parse_duration
from hyperhedge.train.ranks import find_device
from hyperhedge.train.run import begin_run, check_run
from hyperhedge.train.workers import single_threaded

__all__ = [
    "ARRAYS",
    "TRAINING",
    "LearnedGenerator",
    "device_of",
    "positive",
    "progress_bar",
    "read_tensors",
    "set_weights",
]

ARRAYS = "arrays.safetensors"

TRAINING = (
    *("iterations", "batch_size", "learning_rate", "warmup", "decay", "weight_decay", "clip", "ema"),
    *("validate_every", "patience", "workers", "seed"),
)
"""Arguments that go to :class:`~hyperhedge.train.TrainingSettings` as they are; ``max_time`` goes there in seconds."""

_FEWEST_TO_HOLD_OUT = 20
_MOST_HELD_OUT = 256


class LearnedGenerator(Generator):
    """A generator that is trained.

    Attributes
    ----------
    training_ : dict
        What came of the training: iterations, seconds, loss, best validation loss, why it stopped, roll-backs; empty if there
        was nothing to learn.
    data_fingerprint_ : str
        A hash of the training set.
    has_empty_, has_isolated_ : bool
        Whether a training hypergraph has hyperedges without nodes, or nodes without hyperedges.
    """

    presets: ClassVar[Mapping[str, dict[str, Any]]]
    """Named sets of arguments."""

    may_change: ClassVar[tuple[str, ...]]
    """Arguments that may differ when a training is resumed."""

    seed: int
    batch_size: int
    validation: float
    max_time: str | float | None
    device: str

    training_: dict[str, Any]
    data_fingerprint_: str
    has_empty_: bool
    has_isolated_: bool

    @classmethod
    def preset(cls, name: str, **changes: Any) -> Self:
        """Make a model with a named set of arguments, and changes to it."""
        one_of(name, tuple(cls.presets), "preset")
        return cls(**{**cls.presets[name], **changes})

    # -- fit ----------------------------------------------------------------------------------------

    def fit(
        self,
        training: Iterable[Hypergraph],
        *,
        folder: PathLike | None = None,
        resume: bool = False,
        progress: Console | bool | None = None,
        tensorboard: bool = False,
    ) -> Self:
        """Learn from hypergraphs, and return the model itself.

        Parameters
        ----------
        training
            The training set; sizes may differ.
        folder
            Where checkpoints and the log are written while it trains; None for nowhere.
        resume
            Go on with the training in the folder, with the same training set and arguments, as if it had not been interrupted.
        progress
            A console to show progress on, or True for standard error.
        tensorboard
            Write curves for TensorBoard into the folder too.
        """
        if resume and folder is None:
            raise GeneratorError("resume goes on with the training in a folder; give folder too")
        self._options = {"folder": folder, "progress": progress, "tensorboard": tensorboard}
        self._resume = resume
        try:
            # Threads of torch's own would wait for each other in many small steps, and change the last digits of sums.
            with single_threaded():
                return super().fit(training)
        finally:
            del self._options, self._resume

    def _look_at(self, training: list[Hypergraph]) -> None:
        """Note what is known before the training, and write it into the folder or compare with what is resumed."""
        device_of(self.device)  # a wrong one is found now, not after the preparations
        self.data_fingerprint_ = fingerprint(training)
        self.has_empty_ = any((H.sizes == 0).any() for H in training)
        self.has_isolated_ = any((H.degrees == 0).any() for H in training)
        folder = vars(self).get("_options", {}).get("folder")
        if folder is None:
            return
        if self._resume:
            defaults = {name: given.default for name, given in inspect.signature(type(self)).parameters.items()}
            check_run(folder, self.data_fingerprint_, self.config, defaults, self.may_change)
        else:
            begin_run(folder, self.data_fingerprint_, self.config)

    def _train(self, module: nn.Module, task: Task) -> None:
        """Train a module, and note what came of it."""
        options: dict[str, Any] = {
            "folder": None,
            "progress": None,
            "tensorboard": False,
            **vars(self).get("_options", {}),
        }
        trainer = Trainer(module, task, self._settings(), device=self.device, **options)
        result = trainer.run(resume=vars(self).get("_resume", False))
        module.requires_grad_(False).eval().cpu()
        self.training_ = _summary(result, sum(p.numel() for p in module.parameters()))

    def _split(self, training: list[Hypergraph]) -> tuple[list[Hypergraph], list[Hypergraph]]:
        """Hold some hypergraphs out; equal ones to those that are learned are of no use for that, and stay."""
        count = min(int(self.validation * len(training)), _MOST_HELD_OUT)
        if len(training) < _FEWEST_TO_HOLD_OUT or not count:
            return training, []
        order = np.random.default_rng(self.seed).permutation(len(training)).tolist()
        learned = [training[k] for k in order[count:]]
        known = set(learned)
        held_out = [H for H in (training[k] for k in order[:count]) if H not in known]
        return (learned, held_out) if held_out else (training, [])

    def _settings(self) -> TrainingSettings:
        given = {name: getattr(self, name) for name in TRAINING}
        return TrainingSettings(max_time=None if self.max_time is None else parse_duration(self.max_time), **given)

    # -- sample -------------------------------------------------------------------------------------

    def _shapes(self, count: int, n: int | None, m: int | None, rng: np.random.Generator) -> IntArray:
        """Draw sizes from the training set, and put in those that are given."""
        shapes = self._draw_sizes(count, rng).reshape(count, 2)
        for column, (value, name) in enumerate(((n, "n"), (m, "m"))):
            if value is not None:
                shapes[:, column] = whole_number(value, name, least=0)
        known = any(n and m for n, m in self.sizes_)
        if not known and (shapes > 0).all(axis=1).any():
            raise GeneratorError(
                "no training hypergraph has both nodes and hyperedges, so that nothing is known of such a size; leave out n and m"
            )
        return shapes

    # -- checks -------------------------------------------------------------------------------------

    def _begin(self) -> None:
        """Bring the constructor's arguments into forms that JSON has, and refuse what no training could do anything with."""
        for name, value in self.config.items():
            if isinstance(value, np.generic):  # which JSON has no word for
                setattr(self, name, value.item())
        whole_number(self.seed, "seed", least=0)
        self._check()
        share: Any = self.validation
        if not (isinstance(share, int | float) and 0 <= share < 1):
            raise GeneratorError(f"validation must be a share from 0 to less than 1, not {self.validation!r}")
        try:
            self._settings()
        except TrainingError as error:
            raise GeneratorError(str(error)) from None

    def _check(self) -> None:
        """Refuse a model's own arguments that make no sense."""


# -- arguments -----------------------------------------------------------------------------------------


def positive(value: Any, name: str) -> float:
    """Check an argument that is a positive number.

    Examples
    --------
    >>> positive(0, "tau")
    Traceback (most recent call last):
        ...
    hyperhedge.generator.GeneratorError: tau must be a positive number, not 0
    """
    if isinstance(value, bool) or not (isinstance(value, int | float) and 0 < value < float("inf")):
        raise GeneratorError(f"{name} must be a positive number, not {value!r}")
    return float(value)


def device_of(name: str) -> torch.device:
    """Find a device by its name, or refuse it."""
    try:
        return find_device(name)
    except TrainingError as error:
        raise GeneratorError(str(error)) from None


def progress_bar(progress: Console | bool | None) -> Progress:
    """Return a bar that counts samples, on a console, on standard error (True) or nowhere."""
    console = Console(stderr=True) if progress is True else progress or None
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console or Console(quiet=True), transient=True, disable=console is None)


# -- files -----------------------------------------------------------------------------------------------


def read_tensors(file: Path) -> dict[str, torch.Tensor]:
    """Read a safetensors file of a saved model."""
    try:
        return load_tensors(read_bytes(file))
    except FileNotFoundError:
        raise FormatError("this file of the model is missing; copy the whole folder", path=file) from None
    except (SafetensorError, ValueError, RuntimeError) as error:
        raise FormatError(f"the file is damaged or cut short ({' '.join(str(error).split())})", path=file) from None


def set_weights(module: nn.Module, tensors: dict[str, torch.Tensor], file: Path) -> None:
    """Give a module the weights that a file has under names that start with ``network.``, or refuse them."""
    own = {f"network.{name}": tensor for name, tensor in module.state_dict().items()}
    for name in sorted(own.keys() | tensors.keys()):
        if _kind(own.get(name)) != _kind(tensors.get(name)):
            raise FormatError(
                f"the weights {name!r} are {_kind(tensors.get(name))}, and {_kind(own.get(name))} in the network that "
                "model.json describes",
                path=file,
            )
        if not torch.isfinite(tensors[name]).all():
            raise FormatError(f"the weights {name!r} hold NaN or infinity; fit the model again", path=file)
    module.load_state_dict({name.removeprefix("network."): tensor for name, tensor in tensors.items()})
    module.requires_grad_(False).eval()


def _kind(tensor: torch.Tensor | None) -> str:
    return "absent" if tensor is None else f"{tuple(tensor.shape)} {str(tensor.dtype).removeprefix('torch.')}"


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
