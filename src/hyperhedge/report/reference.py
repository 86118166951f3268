"""What generated hypergraphs are compared with: real ones, how far these are from each other (floor), and no structure (ceiling).

Floor and ceiling depend on how many hypergraphs were generated, and not on which: several generators with equal counts share them.

*Different laws.* The floor is how far training hypergraphs are from held-out ones. If these follow different laws, it is high, and
everything near it looks good. Halves of the held-out ones show how far it would be otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from hyperhedge.errors import UndefinedError
from hyperhedge.metrics.metric import Metric, Settings
from hyperhedge.metrics.resample import bootstrap_weights, interval, random_halves, random_subsets, rescaled
from hyperhedge.metrics.statistics import Statistics, statistics_of
from hyperhedge.models.erdos_renyi import ErdosRenyi
from hyperhedge.report.grades import FAIR
from hyperhedge.report.report import Baseline, Row
from hyperhedge.typing import FloatArray

_ZERO = 1e-12  # below it, a distance between equal collections is a rounding error
_ENOUGH = 4  # times the generated hypergraphs: more training hypergraphs would not change the floor, and kernels compare all pairs
_FEW = 30  # hypergraphs per side; with fewer, floors are so high that more of them may be all that is needed


@dataclass(frozen=True)
class Floor:
    """Real hypergraphs against real ones: which, under which weights, at which counts."""

    other: Statistics
    real_weights: FloatArray
    other_weights: FloatArray
    counts: tuple[int, int]
    note: str = ""

    @classmethod
    def of_halves(cls, real: Statistics, repeats: int, rng: np.random.Generator, note: str = "") -> Floor | None:
        """Compare random halves of a collection; None if it has only one member."""
        half = len(real) // 2
        return cls(real, *random_halves(len(real), repeats, rng), (half, half), note) if half else None

    @classmethod
    def of_train(cls, real: Statistics, train: Statistics, count: int, repeats: int, rng: np.random.Generator) -> Floor:
        """Compare random subsets of the training set, as large as the generated collection, with the real one."""
        train = train.random_subset(_ENOUGH * count, rng)
        size = min(count, len(train))
        note = ""
        if size < count:
            note = f"There are fewer training ({len(train):,}) than generated hypergraphs: the floor is rescaled to their count."
        repeats = repeats if size < len(train) else 1
        subsets = random_subsets(len(train), size, repeats, rng)
        return cls(train, np.ones((repeats, len(real))), subsets, (len(real), size), note)


@dataclass(frozen=True)
class Reference:
    """Real hypergraphs with floor and ceiling for ``count`` generated ones."""

    real: Statistics
    train: Statistics | None
    count: int
    floor: Floor | None
    ceiling: Statistics | None
    halves: Floor | None
    settings: Settings
    confidence: float
    _bounds: dict[str, tuple[float | None, float | None, str]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls,
        real: Statistics,
        train: Statistics | None,
        count: int,
        settings: Settings,
        confidence: float,
        repeats: int,
        rngs: tuple[np.random.Generator, np.random.Generator, np.random.Generator],
        *,
        ceiling: bool,
    ) -> Reference:
        """Choose the real hypergraphs of the floor, and sample independent incidences for the ceiling."""
        for_floor, for_ceiling, for_halves = rngs
        if train is None:
            note = "There is no train=: the floor comes from random halves of the real hypergraphs, rescaled to these counts."
            floor, halves = Floor.of_halves(real, repeats, for_floor, note), None
        else:
            floor = Floor.of_train(real, train, count, repeats, for_floor)
            halves = Floor.of_halves(real, repeats, for_halves)
        independent = None
        if ceiling:
            independent = statistics_of(ErdosRenyi().fit((train or real).hypergraphs).sample(count, seed=for_ceiling))
        return cls(real, train, count, floor, independent, halves, settings, confidence)

    # -- floor and ceiling -------------------------------------------------------------------------

    def bounds_of(self, metric: Metric) -> tuple[float | None, float | None, str]:
        """Return floor and ceiling of a metric, and a note if there is none."""
        if metric.key not in self._bounds:
            floor, no_floor = _or_note("floor", lambda: self._distance_within(metric, self.floor))
            ceiling, no_ceiling = _or_note("ceiling", lambda: self._ceiling_of(metric))
            self._bounds[metric.key] = floor, ceiling, "; ".join(filter(None, (no_floor, no_ceiling)))
        return self._bounds[metric.key]

    def _distance_within(self, metric: Metric, floor: Floor | None) -> float | None:
        """Return the mean distance between real hypergraphs, rescaled to the counts of the comparison."""
        if floor is None:
            return None
        distances = metric.compare(self.real, floor.other, floor.real_weights, floor.other_weights, self.settings)
        if not np.isfinite(distances).any():
            return None
        wanted = len(self.real), self.count
        return number(rescaled(float(np.nanmean(np.abs(distances))), floor.counts, wanted, metric.rate))

    def _ceiling_of(self, metric: Metric) -> float | None:
        return None if self.ceiling is None else self._distance(metric, self.ceiling)

    def _distance(self, metric: Metric, other: Statistics) -> float | None:
        equal = np.ones((1, len(self.real))), np.ones((1, len(other)))
        return number(metric.compare(self.real, other, *equal, self.settings)[0])

    # -- rows --------------------------------------------------------------------------------------

    def row(self, metric: Metric, generated: Statistics, weights: tuple[FloatArray, FloatArray]) -> Row:
        """Compute the row of a metric; the first row of the weights is the value's, the others are its replicates'."""
        row = Row(metric.key, metric.title, metric.symbol, metric.group, metric.definition, metric.signed)
        try:
            value, *replicates = metric.compare(self.real, generated, *weights, self.settings)
        except UndefinedError as error:
            return replace(row, note=f"not computed: {error}")
        low, high = interval(value, np.array(replicates), self.confidence, signed=metric.signed)
        floor, ceiling, missing = self.bounds_of(metric)
        undefined = "" if math.isfinite(value) else "not defined: one of the collections has nothing to compare"
        return replace(
            row,
            value=number(value),
            low=number(low),
            high=number(high),
            floor=floor,
            ceiling=ceiling,
            note="; ".join(filter(None, (undefined, missing))),
        )

    def replicates(
        self, generated: Statistics, bootstrap: int, rng: np.random.Generator
    ) -> tuple[FloatArray, FloatArray]:
        """Return the weights of the value and of its replicates; a single hypergraph cannot be resampled."""
        repeats = bootstrap if min(len(self.real), len(generated)) > 1 else 0

        def weights(count: int) -> FloatArray:
            return np.vstack((np.ones(count), bootstrap_weights(count, repeats, rng)))

        return weights(len(self.real)), weights(len(generated))

    def baseline(self, samples: Statistics, metrics: Iterable[Metric], rows: Iterable[Row]) -> Baseline:
        """Compare a baseline's samples by the rows of the generated ones, whose bounds are rescaled to its count."""
        pairs = zip(metrics, rows, strict=True)
        return Baseline.of(len(samples), [self._baseline_row(samples, metric, row) for metric, row in pairs])

    def _baseline_row(self, samples: Statistics, metric: Metric, row: Row) -> Row:
        counts = (len(self.real), self.count), (len(self.real), len(samples))
        factor = rescaled(1.0, *counts, metric.rate)
        floor, ceiling = (None if bound is None else factor * bound for bound in (row.floor, row.ceiling))
        try:
            value = self._distance(metric, samples)
        except UndefinedError:
            value = None
        return replace(row, value=value, floor=floor, ceiling=ceiling, low=None, high=None)

    # -- how far the comparison can be trusted ------------------------------------------------------

    def shift(self, metrics: Iterable[Metric]) -> float | None:
        """Return the median over metrics of floor / distance between halves of the real hypergraphs; None if it is not known."""
        shifts = []
        for metric in metrics:
            floor = self.bounds_of(metric)[0]
            within, _ = _or_note("floor", partial(self._distance_within, metric, self.halves))
            if floor is not None and within:
                shifts.append(floor / within)
        return float(np.median(shifts)) if shifts else None

    def why_blunt(self, shift: float | None) -> str:
        """Say why independent incidences are as close to the real hypergraphs as real ones."""
        if different_laws(shift):
            reason = "the training set and the real hypergraphs follow different laws"
        elif min(len(self.real), self.count) < _FEW:
            reason = f"there are too few hypergraphs ({len(self.real):,} real, {self.count:,} generated)"
        else:
            reason = "these metrics find no structure in the real ones"
        return f"independent incidences would pass for real too, since {reason}"


def different_laws(shift: float | None) -> bool:
    """Say whether a shift is larger than real hypergraphs of one law reach."""
    return shift is not None and shift > FAIR


def _or_note(name: str, compute: Callable[[], float | None]) -> tuple[float | None, str]:
    """Compute a bound of a row, or say why there is none."""
    try:
        return compute(), ""
    except UndefinedError as error:
        return None, f"no {name}: {error}"


def number(value: float) -> float | None:
    """Return a number that JSON can hold, with rounding errors of zero as zero."""
    if not math.isfinite(value):
        return None
    return 0.0 if abs(value) < _ZERO else float(value)
