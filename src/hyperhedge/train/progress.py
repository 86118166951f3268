"""What a training shows while it runs: a bar with iteration, loss, validation, samples per second and time left."""

from __future__ import annotations

import math
import warnings
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from hyperhedge.errors import TrainingWarning
from hyperhedge.train.settings import TrainingSettings
from hyperhedge.train.state import Counters


class Display:
    """A progress bar, or nothing; to be used as a context.

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
        columns = (
            TextColumn("[bold]training"),
            BarColumn(),
            TextColumn("{task.fields[iteration]:,}/{task.fields[iterations]:,}"),
            TextColumn("{task.fields[text]}"),
        )
        self._progress = Progress(*columns, console=console, disable=console is None, refresh_per_second=4)
        self._task = self._progress.add_task(
            "training", total=1.0, text="", iteration=start.iteration, iterations=settings.iterations
        )

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def update(self, counters: Counters, validation: float | None = None) -> None:
        """Show the numbers after a step."""
        if self.console is None:
            return
        self._validation = self._validation if validation is None else validation
        self._progress.update(
            self._task,
            completed=min(1.0, self.settings.fraction_done(counters.iteration, counters.seconds)),
            iteration=counters.iteration,
            text=self._text(counters),
        )

    def tell(self, message: str) -> None:
        """Tell the user something that must not pass unseen."""
        if self.console is None:
            warnings.warn(message, TrainingWarning, stacklevel=5)
        else:
            self.console.print(message, style="yellow", highlight=False, markup=False)

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


def clock(seconds: float) -> str:
    """Write seconds as a clock does.

    Examples
    --------
    >>> clock(75.2), clock(3675)
    ('1:15', '1:01:15')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
