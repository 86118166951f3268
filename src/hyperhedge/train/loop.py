"""The loop of a training: steps, what is due after them, and what may go wrong.

A loss, a gradient or a validation that is not finite leads back to the last good state, with half
the learning rate and new batches, five times at most. A killed process leaves a whole checkpoint, an interrupted one its last step;
resumed from it, a training goes on bit for bit as if nothing had happened (without a time limit, and with as many workers). A full
disk leaves the checkpoint before.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import torch
from torch import nn

from hyperhedge.errors import TrainingError
from hyperhedge.train import checkpoint, log
from hyperhedge.train.progress import Display
from hyperhedge.train.ranks import Ranks
from hyperhedge.train.signals import Interruption
from hyperhedge.train.state import State
from hyperhedge.train.workers import Batch, Task, Workers

_LINE_EVERY = 50
_SNAPSHOT_EVERY = 100  # a multiple of the above: a line's sums are complete where a snapshot is taken
_MOST_ROLLBACKS = 5

Reason: TypeAlias = Literal["iterations", "max_time", "patience"]


@dataclass(frozen=True)
class TrainingResult:
    """What came of a training.

    Attributes
    ----------
    iterations, seconds
        How many steps were done and how long they took, in all runs.
    loss
        The mean loss of the last steps.
    best_validation
        The best validation loss, whose averaged weights the module has; None if the task does not validate.
    stopped
        What ended the training.
    rollbacks
        How often it went back to an earlier state.
    history
        The lines of the log.
    """

    iterations: int
    seconds: float
    loss: float | None
    best_validation: float | None
    stopped: Reason
    rollbacks: int
    history: list[dict[str, Any]]


class Loop:
    """One run of a trainer: the loop, and what it meets."""

    def __init__(
        self,
        task: Task,
        state: State,
        ranks: Ranks,
        workers: Workers,
        lines: log.Log,
        display: Display,
        interruption: Interruption,
        folder: Path | None,
    ) -> None:
        self.task, self.state, self.ranks, self.workers = task, state, ranks, workers
        self.log, self.display, self.interruption, self.folder = lines, display, interruption, folder
        self.settings = state.settings
        self.interrupted = False
        self._offset = time.monotonic() - state.counters.seconds
        self._kept: int | None = None  # the iteration of the last checkpoint
        self._kept_at = state.counters.seconds

    def result(self, reason: Reason) -> TrainingResult:
        """Return what came of it."""
        counters = self.state.counters
        return TrainingResult(
            iterations=counters.iteration,
            seconds=counters.seconds,
            loss=counters.loss,
            best_validation=counters.best_validation,
            stopped=reason,
            rollbacks=counters.rollbacks,
            history=self.log.lines,
        )

    # -- the loop -----------------------------------------------------------------------------------

    def go(self, resume: bool) -> Reason:
        """Train until something ends it, and say what."""
        reason = self._reason()
        if reason is None:
            self._begin(resume)
            while reason is None:
                self._iterate()
                reason = self._reason()
                self._look_up(ending=reason is not None)
            self.log.add(iteration=self.state.counters.iteration, event="stopped", reason=reason)
            self._checkpoint()
        self.state.adopt_average()
        return reason

    def _begin(self, resume: bool) -> None:
        if resume:
            self._kept = self.state.counters.iteration
            self.log.add(iteration=self._kept, event="resumed")
        else:
            self._checkpoint()  # from now on there is always one to resume from

    def _reason(self) -> Reason | None:
        """Say what ends the training in the present state, if anything does."""
        counters, settings = self.state.counters, self.settings
        if counters.iteration >= settings.iterations:
            return "iterations"
        if settings.max_time is not None and counters.seconds >= settings.max_time:
            return "max_time"
        if settings.patience is not None and counters.stale >= settings.patience:
            return "patience"
        return None

    def _iterate(self) -> None:
        """Do a step and what is due after it, or go back."""
        trouble = self._step() or self._report()
        if trouble:
            self._roll_back(trouble)

    def _step(self) -> str | None:
        """Do a step; say what is not finite, if anything is."""
        loss = self.workers.gradient(self._next_batch())
        clip = math.inf if self.settings.clip is None else self.settings.clip
        norm = float(nn.utils.clip_grad_norm_(self.state.trained.values(), clip))
        bad = not (math.isfinite(loss) and math.isfinite(norm))
        elapsed = time.monotonic() - self._offset if self.ranks.first else 0.0
        loss, bads, asked, seconds = self.ranks.total(loss / self.ranks.count, bad, self.interruption.asked, elapsed)
        counters = self.state.counters
        counters.seconds, self.interrupted = seconds, asked > 0
        if bads:
            return "loss or its gradient"
        self.state.step()
        counters.loss_sum += loss
        counters.norm_sum += norm
        counters.steps += 1
        return None

    def _next_batch(self) -> Batch:
        """Sample the batch of a step, and return this process's slice of it."""
        size, count, index = self.settings.batch_size, self.ranks.count, self.ranks.index
        batch = self.task.sample_batch(size, self.state.generator)
        if {len(tensor) for tensor in batch} != {size}:
            raise TrainingError(
                f"the task sampled a batch whose tensors do not all have the first dimension {size} asked for"
            )
        members = slice(size * index // count, size * (index + 1) // count)
        return tuple(tensor[members].to(self.ranks.device) for tensor in batch)

    def _report(self) -> str | None:
        """Validate, log and take a snapshot where it is time; say what is not finite, if anything is."""
        k = self.state.counters.iteration
        validating = k % self.settings.validate_every == 0 or self._reason() is not None
        validation = self._validate() if validating else None
        if validation is not None:
            if not math.isfinite(validation):
                return "validation loss"
            self.state.note_validation(validation)
        if validating or k % _SNAPSHOT_EVERY == 0:
            if not self.state.is_finite():
                return "norm of the weights"
            self.state.take_snapshot()
        if validating or k % _LINE_EVERY == 0:
            self._write_line(validation)
        self.display.update(self.state.counters, validation)
        return None

    def _validate(self) -> float | None:
        """Let the first process judge the averaged weights, and tell the others."""
        loss = None
        if self.ranks.first:
            with torch.no_grad():
                loss = self.task.validate(self.state.average)
        value, there = self.ranks.total(loss or 0.0, loss is not None)
        return value if there else None

    def _write_line(self, validation: float | None) -> None:
        counters = self.state.counters
        counters.loss = counters.loss_sum / counters.steps
        taken = counters.seconds - counters.line_seconds
        line = {
            "iteration": counters.iteration,
            "loss": counters.loss,
            **({} if validation is None else {"validation": validation}),
            "learning_rate": self.state.learning_rate,
            "gradient_norm": counters.norm_sum / counters.steps,
            "samples_per_second": round(counters.steps * self.settings.batch_size / max(taken, 1e-9), 1),
            "seconds": round(counters.seconds, 3),
        }
        self.log.add(**line)
        counters.loss_sum, counters.norm_sum, counters.steps = 0.0, 0.0, 0
        counters.line_seconds = counters.seconds

    # -- what may go wrong ---------------------------------------------------------------------------

    def _roll_back(self, what: str) -> None:
        """Go back to the last good state, and say so; give up if that was done too often."""
        counters = self.state.counters
        at = counters.iteration
        if counters.rollbacks >= _MOST_ROLLBACKS:
            raise TrainingError(
                f"the {what} was not finite again after iteration {at} and {_MOST_ROLLBACKS} roll-backs; "
                "lower learning_rate, or look for infinities in the data"
            )
        self.state.roll_back()
        self.log.add(
            iteration=at, event="rolled back", to=counters.iteration, what=what, rate_scale=counters.rate_scale
        )
        if self.ranks.first:
            self.display.tell(
                f"The {what} was not finite after iteration {at}: back to iteration {counters.iteration} with "
                f"{counters.rate_scale:g} times the learning rate."
            )

    def _look_up(self, *, ending: bool) -> None:
        """Stop if that was asked for, and write a checkpoint if one is due."""
        counters = self.state.counters
        if self.interrupted:
            self.log.add(iteration=counters.iteration, event="interrupted")
            self._checkpoint()
            self.state.adopt_average()
            kept = f"; its checkpoint is in {self.folder}" if self.folder else ""
            raise KeyboardInterrupt(f"training was interrupted after iteration {counters.iteration}{kept}")
        if not ending and counters.seconds - self._kept_at >= self.settings.checkpoint_every:
            self._checkpoint()

    def _checkpoint(self) -> None:
        """Write a checkpoint, if there is a folder."""
        if self.folder is None:
            return
        counters, error = self.state.counters, None
        if self.ranks.first:
            file = self.folder / checkpoint.FILE
            try:
                self.log.sync()
                checkpoint.write_checkpoint(file, self.state, self.log.length)
            except OSError as failed:
                before = (
                    "there is none before it" if self._kept is None else f"that of iteration {self._kept} is intact"
                )
                error = TrainingError(
                    f"{file}: the checkpoint of iteration {counters.iteration} cannot be written ({why(failed)}), {before}; "
                    "make room and resume"
                )
        self.ranks.agree(error)
        self._kept, self._kept_at = counters.iteration, counters.seconds


def why(error: OSError) -> str:
    """Say in a few words why the system refused something."""
    return (error.strerror or str(error)).lower()
