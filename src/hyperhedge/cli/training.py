"""``fit`` for the learned generator: a folder beside the model while it trains, and what is said at the end.

Checkpoints and the log of the training of ``model`` are in ``model.training``. When the model is saved, its log goes with it (as
``log.jsonl``) and the folder is removed: the files that are known, and the folder if nothing else is in it. Of several processes,
the first one looks after all this.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import typer
from rich.console import Console

from hyperhedge.cli.choices import Preset
from hyperhedge.cli.data import read_hypergraphs
from hyperhedge.cli.launch import INTERRUPTED, has_parent, run_processes
from hyperhedge.convert.optional import require
from hyperhedge.errors import HyperhedgeError
from hyperhedge.generator import make_model, model_class, one_of
from hyperhedge.io.files import atomic_file
from hyperhedge.learned import LearnedGenerator
from hyperhedge.train import TrainingError, checkpoint, log
from hyperhedge.train.progress import clock
from hyperhedge.train.ranks import find_device, process_count, process_index
from hyperhedge.train.run import RUN

__all__ = ["Job", "TrainingFolder", "summary"]


@dataclass(frozen=True)
class TrainingFolder:
    """The folder in which a model is trained."""

    path: Path

    @classmethod
    def beside(cls, out: Path) -> TrainingFolder:
        """Return the folder beside a model's."""
        named = out if out.name not in ("", "..") else out.resolve()
        return cls(named.with_name(f"{named.name}.training"))

    def check(self, *, resume: bool) -> None:
        """Refuse to start where a training is kept, and to go on where none is."""
        kept = (self.path / checkpoint.FILE).is_file()
        if resume and not kept:
            raise TrainingError(f"{self.path}: there is no training to go on with; leave out --resume to start one")
        if kept and not resume:
            raise TrainingError(
                f"{self.path}: an interrupted training is kept here; give --resume to go on, or remove the folder"
            )
        if self.path.exists() and not (self.path.is_dir() and set(self.path.iterdir()) <= set(self._known())):
            raise TrainingError(
                f"{self.path}: this is not the folder of a training; move it away, or choose another --out"
            )

    def iteration(self) -> int | None:
        """Return how far the training that is kept has come, if one is."""
        file = self.path / checkpoint.FILE
        return checkpoint.iteration_of(file) if file.is_file() else None

    def hand_over_log(self, model: Path) -> None:
        """Put the log into the folder of the saved model."""
        file = self.path / log.FILE
        if file.is_file():
            with atomic_file(model / log.FILE) as out:
                out.write(file.read_bytes())

    def remove(self) -> None:
        """Remove the files of a training, and the folder if there is nothing else in it."""
        for path in self._known():
            with suppress(OSError):
                path.unlink() if not path.is_dir() else path.rmdir()
        with suppress(OSError):
            self.path.rmdir()
        if self.path.exists():
            typer.echo(f"Note: {self.path} holds other files than those of a training, and stays", err=True)

    def _known(self) -> Iterator[Path]:
        """Go through what a training leaves, members of a folder before it."""
        for pattern in (checkpoint.FILE, checkpoint.TEMPORARY, log.FILE, RUN, f".{RUN}.*.tmp"):
            yield from self.path.glob(pattern)
        yield from self.path.glob("tensorboard/events.out.tfevents.*")
        yield from self.path.glob("tensorboard")


@dataclass(frozen=True)
class Job:
    """What ``fit`` was asked for."""

    model: str
    data: str
    out: Path
    preset: Preset
    config: dict[str, Any]
    resume: bool
    overwrite: bool
    tensorboard: bool

    def run(self, devices: int, arguments: Sequence[str]) -> int:
        """Train in this process, or let several do so with the same arguments; return the exit code."""
        presets = cast("type[LearnedGenerator]", model_class(self.model)).presets
        one_of(str(self.preset), tuple(presets), f"--preset of {self.model}")
        model = cast("LearnedGenerator", make_model(self.model, **{**presets[self.preset], **self.config}))
        find_device(model.device)
        first = process_index() == 0
        if first:
            self.folder.check(resume=self.resume)
        if devices == 1 or process_count() > 1:
            return self._train(model, first=first)
        if model.batch_size % devices:
            raise TrainingError(
                f"--devices {devices} cannot share batches of {model.batch_size}; --set batch_size to a multiple"
            )
        require("accelerate", "distributed")
        code = run_processes(arguments, devices)
        if code == INTERRUPTED:
            typer.echo(self._stopped(), err=True)
        return code

    @property
    def folder(self) -> TrainingFolder:
        """The folder of the training."""
        return TrainingFolder.beside(self.out)

    def _train(self, model: LearnedGenerator, *, first: bool) -> int:
        try:
            model.fit(
                read_hypergraphs(self.data),
                folder=self.folder.path,
                resume=self.resume,
                progress=Console(stderr=True) if first else None,
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
                self.folder.remove()  # nothing is kept that one could go on with
        return 0

    def _finish(self, model: LearnedGenerator) -> None:
        """Save the model, and clear up."""
        try:
            model.save(self.out, overwrite=self.overwrite)
            self.folder.hand_over_log(self.out)
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            raise HyperhedgeError(
                f"{self.out}: the model cannot be saved ({why}); mend that, and give the same command and --resume"
            ) from None
        self.folder.remove()
        typer.echo(f"{self.data} → {self.out} ({summary(model.training_)})", err=True)

    def _stopped(self) -> str:
        at = self.folder.iteration()
        if at is None:
            return "Stopped before the first iteration; nothing is kept."
        return f"Stopped after iteration {at}; go on with the same command and --resume."


_REASONS = {"iterations": "all are done", "max_time": "the time is up", "patience": "validation no longer improves"}


def summary(facts: dict[str, Any]) -> str:
    """Say what came of a training.

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
    loss = "no validation" if facts["validation"] is None else f"validation loss {facts['validation']:.4g}"
    back = facts["rollbacks"]
    parts = [
        f"{facts['iterations']:,} iterations in {clock(seconds) if seconds >= 60 else f'{seconds:.1f} s'}",
        loss,
        f"stopped because {_REASONS[facts['stopped']]}",
        *([f"{back} roll-back{'s' if back > 1 else ''}"] if back else []),
    ]
    return ", ".join(parts)
