"""What a training shows while it runs: iteration, loss, validation, samples per second and time left."""

from __future__ import annotations

import math
import warnings
from typing import Self

from rich.console import Console

from hyperhedge._system.progress import Meter, clock
from hyperhedge.errors import TrainingWarning
from hyperhedge.train.settings import TrainingSettings
from hyperhedge.train.state import Counters


class Display:
    """A bar or lines, or nothing; to be used as a context.

    Parameters
    ----------
    console
        Where it is shown; None for nowhere, in which case :meth:`tell` warns.
    start
        The numbers at the start of this run.
    """

    def __init__(self, console: Console | None, settings: TrainingSettings, start: Counters) -> None:
        self.console, self.settings = console, settings
        self._start = start.iteration, start.seconds
        self._validation: float | None = None
        self._meter = Meter(console, "training", settings.iterations, done=start.iteration, keep=True, quick=True)

    def __enter__(self) -> Self:
        self._meter.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._meter.__exit__(*error)  # type: ignore[arg-type]

    def update(self, counters: Counters, validation: float | None = None) -> None:
        """Show the numbers after a step."""
        if self.console is None:
            return
        self._validation = self._validation if validation is None else validation
        share = min(1.0, self.settings.fraction_done(counters.iteration, counters.seconds))
        self._meter.set(counters.iteration, self._text(counters), share)

    def tell(self, message: str) -> None:
        """Tell the user something that must not pass unseen."""
        if self.console is None:
            warnings.warn(message, TrainingWarning, stacklevel=5)
        else:
            self._meter.tell(message)

    def _text(self, counters: Counters) -> str:
        loss = counters.loss_sum / counters.steps if counters.steps else counters.loss
        steps, seconds = counters.iteration - self._start[0], counters.seconds - self._start[1]
        parts = [f"loss {loss:.4g}"] if loss is not None else []
        if self._validation is not None:
            parts.append(f"validation {self._validation:.4g}")
        if steps > 0 and seconds > 0:
            parts.append(f"{steps * self.settings.batch_size / seconds:,.0f} samples/s")
            parts.append(f"{clock(self._seconds_left(counters, seconds / steps))} left")
        return " · ".join(parts)

    def _seconds_left(self, counters: Counters, per_step: float) -> float:
        by_steps = per_step * (self.settings.iterations - counters.iteration)
        by_time = math.inf if self.settings.max_time is None else self.settings.max_time - counters.seconds
        return max(0.0, min(by_steps, by_time))
