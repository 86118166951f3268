r"""How to train: the settings, the learning rate they imply, and lengths of time.

With :math:`f` the fraction of the training that is done, the learning rate of step :math:`k = 0, 1, …` is

.. math:: \eta_k = \eta\,\min\Bigl(1, \frac{k + 1}{\text{warmup}}\Bigr)\,(1 - f)^{\text{decay}} ,
    \qquad f = \max\Bigl(\frac{k}{\text{iterations}}, \frac{\text{seconds used}}{\text{max\_time}}\Bigr),

so that a run which a time limit ends has cooled down by then. A time limit makes the learning rate depend on the clock; without
one, a run is reproducible bit for bit.
"""

from __future__ import annotations

import math
import operator
import re
from dataclasses import dataclass, fields
from numbers import Real
from typing import Any

from hyperhedge.errors import TrainingError, shown


@dataclass(frozen=True)
class TrainingSettings:
    """How to train.

    Attributes
    ----------
    iterations
        How many steps.
    batch_size
        How many members a step has, over all workers and processes.
    learning_rate, warmup, decay
        The learning rate, the steps over which it rises, and the power by which it falls; see the module.
    betas, weight_decay
        Those of AdamW.
    clip
        The largest norm of a gradient, over all parameters; None for any.
    ema
        The decay of the moving average of the weights.
    max_time
        Seconds after which training ends, with earlier runs that are resumed; None for no limit.
    validate_every
        Steps between two validations.
    patience
        How many validations without improvement end the training; None for any number.
    checkpoint_every
        Seconds between two checkpoints.
    workers
        Threads that share a batch on a CPU; None for one per usable core, at most 8. Sums of floating-point numbers depend on
        their order, and so, in the last digits, do weights on the number of workers.
    seed
        The seed of all randomness.

    Examples
    --------
    >>> TrainingSettings(iterations=1000, ema=1.5)
    Traceback (most recent call last):
        ...
    hyperhedge.errors.TrainingError: ema must be a number from 0 to less than 1, not 1.5
    """

    iterations: int
    batch_size: int = 32
    learning_rate: float = 2e-3
    warmup: int = 200
    decay: float = 0.7
    betas: tuple[float, float] = (0.9, 0.99)
    weight_decay: float = 0.0
    clip: float | None = 1.0
    ema: float = 0.999
    max_time: float | None = None
    validate_every: int = 250
    patience: int | None = None
    checkpoint_every: float = 30.0
    workers: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("iterations", "batch_size", "validate_every"):
            self._check_whole(name, least=1)
        for name in ("patience", "workers"):
            if getattr(self, name) is not None:
                self._check_whole(name, least=1)
        for name in ("warmup", "seed"):
            self._check_whole(name, least=0)
        for name in ("learning_rate", "clip", "max_time"):
            self._check_number(name, "above 0", lambda x: x > 0, optional=name != "learning_rate")
        for name in ("decay", "weight_decay", "checkpoint_every"):
            self._check_number(name, "from 0 on", lambda x: x >= 0)
        self._check_number("ema", "from 0 to less than 1", lambda x: 0 <= x < 1)
        self._check_betas()

    def learning_rate_at(self, iteration: int, seconds: float = 0.0) -> float:
        """Return the learning rate of a step, the first being 0, after so many seconds.

        Examples
        --------
        >>> settings = TrainingSettings(iterations=1000, learning_rate=1e-3, warmup=100, decay=1.0)
        >>> [round(settings.learning_rate_at(k), 6) for k in (0, 99, 500, 999)]
        [1e-05, 0.000901, 0.0005, 1e-06]
        """
        warm = min(1.0, (iteration + 1) / self.warmup) if self.warmup else 1.0
        left = max(0.0, 1.0 - self.fraction_done(iteration, seconds))
        return float(self.learning_rate * warm * left**self.decay)

    def fraction_done(self, iteration: int, seconds: float) -> float:
        """Return the share of the steps, or of the time if that is larger, that is used."""
        time = seconds / self.max_time if self.max_time is not None else 0.0
        return max(iteration / self.iterations, time)

    def _check_whole(self, name: str, *, least: int) -> None:
        value = getattr(self, name)
        try:
            number = least - 1 if isinstance(value, bool) else operator.index(value)
        except TypeError:
            number = least - 1
        if not least <= number < 2**63:
            raise TrainingError(f"{name} must be a whole number from {least} on, not {shown(value)}")
        object.__setattr__(self, name, number)

    def _check_number(self, name: str, which: str, holds: Any, *, optional: bool = False) -> None:
        value = getattr(self, name)
        if value is None and optional:
            return
        if not (_is_number(value) and holds(value)):
            raise TrainingError(f"{name} must be a number {which}, not {shown(value)}")
        object.__setattr__(self, name, float(value))

    def _check_betas(self) -> None:
        betas: Any = self.betas
        good = isinstance(betas, tuple | list) and len(betas) == 2 and all(_is_number(b) and 0 <= b < 1 for b in betas)
        if not good:
            raise TrainingError(f"betas must be two numbers from 0 to less than 1, not {shown(betas)}")
        object.__setattr__(self, "betas", (float(betas[0]), float(betas[1])))

    def as_dict(self) -> dict[str, Any]:
        """Return the settings by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


def _is_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number that no floating-point number comes near
        return False


_DURATION = re.compile(r"(?:(?P<d>[\d.]+)d)?(?:(?P<h>[\d.]+)h)?(?:(?P<m>[\d.]+)m)?(?:(?P<s>[\d.]+)s?)?", re.ASCII)
_SECONDS = {"d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0}


def parse_duration(text: str | float) -> float:
    """Read a length of time, and return seconds.

    Parameters
    ----------
    text
        A number of seconds, or days, hours, minutes and seconds, in this order.

    Examples
    --------
    >>> [parse_duration(text) for text in ("90s", "10m", "1h30m", "1.5h", 600)]
    [90.0, 600.0, 5400.0, 5400.0, 600.0]
    >>> parse_duration("soon")
    Traceback (most recent call last):
        ...
    hyperhedge.errors.TrainingError: 'soon' is not a length of time; give seconds, or such as '90s', '10m' or '1h30m'
    """
    seconds = _seconds_of(text) if isinstance(text, str) else text
    if not (_is_number(seconds) and seconds > 0):
        raise TrainingError(f"{shown(text)} is not a length of time; give seconds, or such as '90s', '10m' or '1h30m'")
    return float(seconds)


def _seconds_of(text: str) -> float:
    """Add up the parts; not a number if there are none, or one is none."""
    match = _DURATION.fullmatch(text.strip().lower())
    parts = {unit: part for unit, part in match.groupdict().items() if part is not None} if match else {}
    try:
        return sum(float(part) * _SECONDS[unit] for unit, part in parts.items()) if parts else math.nan
    except ValueError:
        return math.nan
