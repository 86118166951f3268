"""What a metric is: a distance between a real and another collection under rows of weights, with its name and its definition."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.errors import HyperhedgeError
from hyperhedge.metrics.statistics import Statistics, statistics_of
from hyperhedge.typing import FloatArray

#: The most eigenvalues of a large hypergraph; the basis of the Lanczos steps has twice as many vectors.
MOST_EIGENVALUES = 1024


@dataclass(frozen=True)
class Settings:
    """What the definitions leave open.

    Attributes
    ----------
    eigenvalues
        K: how many eigenvalues of each Laplacian, and how many singular values, are compared; all if None.
    threshold
        How many nodes two hyperedges must share to count in the overlap tail.
    """

    eigenvalues: int | None = 16
    threshold: int = 2

    def __post_init__(self) -> None:
        if self.eigenvalues is not None:
            check_whole("eigenvalues", self.eigenvalues, 1, MOST_EIGENVALUES)
        check_whole("threshold", self.threshold, 1)


def check_whole(name: str, value: Any, least: int, most: int | None = None) -> None:
    """Raise an error unless the value is a whole number in a range."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or value < least or (most is not None and value > most):
        bounds = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise HyperhedgeError(f"{name}= must be a whole number {bounds}, not {value!r}")


class Compare(Protocol):
    """Compare a collection with the real one under rows of weights."""

    def __call__(
        self,
        real: Statistics,
        other: Statistics,
        real_weights: FloatArray,
        other_weights: FloatArray,
        settings: Settings,
        /,
    ) -> FloatArray:
        """Return one number per row of weights; NaN where it is not defined."""


@dataclass(frozen=True)
class Metric:
    """A distance between a real and a generated collection; zero is best.

    Attributes
    ----------
    key, title, symbol
        Its name in code, in a table and in formulas.
    group
        What it looks at; all groups have the same weight in the score.
    definition
        One sentence.
    source
        Where it comes from.
    compare
        How it is computed.
    signed
        Whether its sign has a meaning (generated minus real).
    on_request
        Whether a report has it only if it is named, because it is slow.
    rate
        The power of 1/count by which it shrinks between samples of one law: 1/2, or 1 for squares.
    aliases
        Other names for it.
    values
        For a metric that compares one number per hypergraph: those numbers.
    """

    key: str
    title: str
    symbol: str
    group: str
    definition: str
    source: str
    compare: Compare
    signed: bool = False
    on_request: bool = False
    rate: float = 0.5
    aliases: tuple[str, ...] = ()
    values: Callable[[Statistics], FloatArray] | None = field(default=None, repr=False)

    def __call__(
        self, real: Iterable[Hypergraph], generated: Iterable[Hypergraph], settings: Settings | None = None
    ) -> float:
        """Return the distance between two collections.

        Examples
        --------
        >>> from hyperhedge.metrics import METRICS
        >>> METRICS["degree_wd"]([Hypergraph([[0, 1], [1]])], [Hypergraph([[0, 1], [0, 1]])])
        0.5
        """
        first, second = statistics_of(real, "real"), statistics_of(generated, "generated")
        equal = np.ones((1, len(first))), np.ones((1, len(second)))
        return float(self.compare(first, second, *equal, settings or Settings())[0])
