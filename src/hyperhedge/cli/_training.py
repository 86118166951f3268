"""``fit`` for models that are trained: the folder of the training, its seed, its processes, and the summary at the end.

While ``model`` is trained, its checkpoints and its log are in ``model.training``. When the model is saved, the log goes with it (as
``log.jsonl``), and the folder is removed: the files of a training, and the folder if nothing else is in it. Of several processes,
the first one does all this.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import typer

from hyperhedge._system.optional import require
from hyperhedge._system.progress import clock, console_of
from hyperhedge.cli._enums import Preset
from hyperhedge.cli._inputs import read_hypergraphs
from hyperhedge.cli._launch import INTERRUPTED, has_parent, run_processes
from hyperhedge.cli._options import seed_or_fresh
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.errors import HyperhedgeError, TrainingError
from hyperhedge.io.files import atomic_file
from hyperhedge.models.base import make_model, model_class, one_of
from hyperhedge.models.trained import TrainedGenerator, too_large_alone
from hyperhedge.train import checkpoint, log
from hyperhedge.train.ranks import find_device, process_count, process_index
from hyperhedge.train.run import RUN


@dataclass(frozen=True)
class TrainingFolder:
    """The folder of a training."""

    path: Path

    @classmethod
    def beside(cls, out: Path) -> TrainingFolder:
        """Return the folder beside that of the model."""
        named = out if out.name not in ("", "..") else out.resolve()
        return cls(named.with_name(f"{named.name}.training"))

    def check(self, *, resume: bool) -> None:
        """Refuse to start where there is an interrupted training, and to resume where there is none."""
        interrupted = (self.path / checkpoint.FILE).is_file()
        if resume and not interrupted:
            raise TrainingError(f"{self.path}: there is no training to resume; leave out --resume to start one")
        if interrupted and not resume:
            raise TrainingError(
                f"{self.path}: this holds an interrupted training; give --resume to continue it, or remove the folder"
            )
        if self.path.exists() and not (self.path.is_dir() and set(self.path.iterdir()) <= set(self._files())):
            raise TrainingError(
                f"{self.path}: this is not the folder of a training; move it away, or choose another --out"
            )

    def iteration(self) -> int | None:
        """Return the iteration of the checkpoint, if there is one."""
        file = self.path / checkpoint.FILE
        return checkpoint.iteration_of(file) if file.is_file() else None

    def hand_over_log(self, model: Path) -> None:
        """Copy the log into the folder of the saved model."""
        file = self.path / log.FILE
        if file.is_file():
            with atomic_file(model / log.FILE) as out:
                out.write(file.read_bytes())

    def remove(self) -> None:
        """Remove the files of the training, and the folder if nothing else is in it."""
        for path in self._files():
            with suppress(OSError):
                path.unlink() if not path.is_dir() else path.rmdir()
        with suppress(OSError):
            self.path.rmdir()
        if self.path.exists():
            typer.echo(f"Note: {self.path} is kept because it holds other files", err=True)

    def _files(self) -> Iterator[Path]:
        """Go through the files of a training, those in a folder before the folder."""
        for pattern in (checkpoint.FILE, checkpoint.TEMPORARY, log.FILE, RUN, f".{RUN}.*.tmp"):
            yield from self.path.glob(pattern)
        yield from self.path.glob("tensorboard/events.out.tfevents.*")
        yield from self.path.glob("tensorboard")


@dataclass(frozen=True)
class Job:
    """A training, as the options of ``fit`` describe it."""

    model: str
    data: str
    out: Path
    preset: Preset
    config: dict[str, Any]
    resume: bool
    overwrite: bool
    tensorboard: bool

    def run(self, processes: int, arguments: Sequence[str]) -> int:
        """Train in this process, or in several that run the same command; return the exit code."""
        presets: dict[str, dict[str, Any]] = getattr(model_class(self.model), "presets", {"default": {}})
        one_of(str(self.preset), tuple(presets), f"--preset of {self.model}")
        model = cast("TrainedGenerator", make_model(self.model, **{**presets[self.preset], **self.config}))
        find_device(model.device)
        first = process_index() == 0
        if first:
            self.folder.check(resume=self.resume)
        if processes > 1 and model.batch_size % processes:
            raise TrainingError(
                f"--processes {processes} cannot share batches of {model.batch_size}; --set batch_size to a multiple"
            )
        here = processes == 1 or process_count() > 1
        training = self._read() if here else []
        if model.seed is None and not self.resume and process_count() == 1:  # otherwise the model finds it
            model.seed = seed_or_fresh(None)
            arguments = [*arguments, "--seed", str(model.seed)]
        if here:
            return self._train(model, training, first=first)
        require("accelerate", "distributed")
        code = run_processes(arguments, processes)
        if code == INTERRUPTED:
            typer.echo(self._stopped(), err=True)
        return code

    @property
    def folder(self) -> TrainingFolder:
        """The folder of the training."""
        return TrainingFolder.beside(self.out)

    def _read(self) -> list[Hypergraph]:
        """Read the training set; if it is one large hypergraph, say how to cut it into pieces."""
        training = read_hypergraphs(self.data)
        too_large = too_large_alone(training)
        if too_large:
            raise HyperhedgeError(
                f"{self.data}: this is {too_large} for {self.model} to learn as a whole; sample a bank of its pieces and fit "
                f"that: hyperhedge data bank {shlex.quote(self.data)} --out bank.hif.jsonl"
            )
        return training

    def _train(self, model: TrainedGenerator, training: list[Hypergraph], *, first: bool) -> int:
        try:
            model.fit(
                training,
                folder=self.folder.path,
                resume=self.resume,
                progress=console_of(first),
                tensorboard=self.tensorboard,
            )
            if first:
                self._finish(model)
        except KeyboardInterrupt:
            if first and not has_parent():
                typer.echo(self._stopped(), err=True)
            return INTERRUPTED
        finally:
            if first and self.folder.path.is_dir() and not (self.folder.path / checkpoint.FILE).exists():
                self.folder.remove()  # there is nothing to resume
        return 0

    def _finish(self, model: TrainedGenerator) -> None:
        """Save the model, and remove the folder of the training."""
        try:
            model.save(self.out, overwrite=self.overwrite)
            self.folder.hand_over_log(self.out)
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            raise HyperhedgeError(
                f"{self.out}: the model cannot be saved ({why}); solve that and run the same command with --resume"
            ) from None
        self.folder.remove()
        typer.echo(f"{self.data} → {self.out} ({summary(model.training_)})", err=True)

    def _stopped(self) -> str:
        iteration = self.folder.iteration()
        if iteration is None:
            return "Stopped before the first iteration; nothing is kept."
        return f"Stopped after iteration {iteration}; continue with the same command and --resume."


_REASONS = {"iterations": "all are done", "max_time": "the time is up", "patience": "validation no longer improves"}


def summary(facts: dict[str, Any]) -> str:
    """Summarise a training.

    Examples
    --------
    >>> facts = {"iterations": 1500, "seconds": 83.4, "loss": 0.5, "validation": 0.43211, "stopped": "max_time", "rollbacks": 1}
    >>> summary(facts)
    '1,500 iterations in 1:23, validation loss 0.4321, stopped because the time is up, 1 roll-back'
    >>> summary({})
    'nothing to learn: no hypergraph has both nodes and hyperedges'
    """
    if not facts:
        return "nothing to learn: no hypergraph has both nodes and hyperedges"
    seconds = facts["seconds"]
    duration = clock(seconds) if seconds >= 60 else f"{seconds:.1f} s"
    loss = "no validation" if facts["validation"] is None else f"validation loss {facts['validation']:.4g}"
    text = f"{facts['iterations']:,} iterations in {duration}, {loss}, stopped because {_REASONS[facts['stopped']]}"
    rollbacks = facts["rollbacks"]
    return text + (f", {rollbacks} roll-back{'s' if rollbacks > 1 else ''}" if rollbacks else "")
