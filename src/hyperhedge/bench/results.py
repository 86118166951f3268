r"""The records of an experiment as numbers: by dataset, method and metric, over seeds.

*Spread.* Over seeds: mean and standard deviation :math:`\hat\sigma`, or standard error :math:`\hat\sigma / \sqrt{k}`.

*Difference to a reference, by pairs.* Cells of one dataset and seed have the same banks and seeds, so that the differences
:math:`d_s = x_s - r_s` vary less than :math:`x` and :math:`r` do. With :math:`k` seeds the interval is
:math:`\bar d \pm t_{0.975,\,k-1}\, \hat\sigma_d / \sqrt{k}`; an effect appears where it leaves out zero.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.stats import t as student

from hyperhedge.bench.experiment import REAL, Cell, Experiment
from hyperhedge.bench.record import Record, read_record, record_file
from hyperhedge.bench.runner import State, find_state

__all__ = ["Difference", "Results", "Spread", "difference", "load_results", "spread"]


@dataclass(frozen=True)
class Spread:
    """Mean, standard deviation (None for one number) and how many there were."""

    mean: float
    deviation: float | None
    count: int

    @property
    def error(self) -> float | None:
        """The standard error of the mean."""
        return None if self.deviation is None else self.deviation / math.sqrt(self.count)


def spread(values: Iterable[float]) -> Spread | None:
    """Summarise numbers; None if there are none.

    Examples
    --------
    >>> spread([1.0, 3.0])
    Spread(mean=2.0, deviation=1.4142135623730951, count=2)
    """
    found = list(values)
    if not found:
        return None
    deviation = float(np.std(found, ddof=1)) if len(found) > 1 else None
    return Spread(math.fsum(found) / len(found), deviation, len(found))


@dataclass(frozen=True)
class Difference:
    """A mean difference with its 95% interval."""

    mean: float
    low: float
    high: float
    count: int

    @property
    def appears(self) -> bool:
        """Whether the interval leaves out zero."""
        return self.low > 0 or self.high < 0


def difference(values: Mapping[int, float], reference: Mapping[int, float]) -> Difference | None:
    """Compare by pairs, over the seeds that both have; None with fewer than two.

    Examples
    --------
    >>> found = difference({0: 2.0, 1: 5.0, 2: 3.0, 7: 9.0}, {0: 1.0, 1: 3.0, 2: 0.0})
    >>> round(found.mean, 3), round(found.low, 3), round(found.high, 3), found.appears
    (2.0, -0.484, 4.484, False)
    """
    found = spread(values[seed] - reference[seed] for seed in sorted(values.keys() & reference.keys()))
    if found is None or found.error is None:
        return None
    half = float(student.ppf(0.975, found.count - 1)) * found.error
    return Difference(found.mean, found.mean - half, found.mean + half, found.count)


@dataclass(frozen=True)
class Results:
    """The cells of an experiment, with the records that there are."""

    experiment: Experiment
    cells: tuple[Cell, ...]
    records: Mapping[tuple[str, str, int], Record]

    @property
    def done(self) -> list[Record]:
        """The records of cells that did not fail, those of another configuration too."""
        return [record for record in self.records.values() if record.status == "done"]

    def state(self, cell: Cell) -> State:
        """Say what is known of a cell."""
        return find_state(cell, self.records.get((cell.dataset, cell.method, cell.seed)))

    def of(self, dataset: str, method: str) -> dict[int, Record]:
        """Return the records of a dataset and a method that did not fail, by seed."""
        return {
            seed: record
            for (own_dataset, own_method, seed), record in self.records.items()
            if (own_dataset, own_method) == (dataset, method) and record.status == "done"
        }

    def values(self, dataset: str, method: str, metric: str) -> dict[int, float]:
        """Return a metric by seed, where it is defined."""
        found = {seed: record.metrics.get(metric) for seed, record in self.of(dataset, method).items()}
        return {seed: row.value for seed, row in found.items() if row is not None and row.value is not None}

    def sizes(self, dataset: str, method: str, metric: str) -> dict[int, float]:
        """Return the size of a metric by seed: of a gap, without its sign."""
        return {seed: abs(value) for seed, value in self.values(dataset, method, metric).items()}

    def mean_size(self, dataset: str, method: str, metric: str) -> float | None:
        """Return the mean size of a metric over seeds."""
        found = spread(self.sizes(dataset, method, metric).values())
        return None if found is None else found.mean

    def expected(self, method: str) -> int:
        """Say how many seeds a method has."""
        own = self.experiment.methods[method].seeds
        return self.experiment.seeds if own is None else min(own, self.experiment.seeds)

    def title(self, method: str) -> str:
        """Name a method for a reader."""
        return self.experiment.methods[method].title or method

    @property
    def floors(self) -> list[str]:
        """The methods that are no generators but the floor."""
        return [name for name, spec in self.experiment.methods.items() if spec.model == REAL]

    @property
    def generators(self) -> list[str]:
        """The methods that are compared."""
        return [name for name in self.experiment.methods if name not in self.floors]

    @property
    def on_other_banks(self) -> list[Cell]:
        """The cells with other banks than most of their dataset and seed, as the floors in their records tell."""
        groups: dict[tuple[str, int], list[list[Record]]] = {}
        for record in self.done:
            alike = groups.setdefault((record.cell.dataset, record.cell.seed), [])
            own = next((group for group in alike if _same_floors(group[0], record)), None)
            if own is None:
                alike.append([record])
            else:
                own.append(record)
        few = [group for alike in groups.values() for group in sorted(alike, key=len, reverse=True)[1:]]
        return [record.cell for group in few for record in group]

    def mean_over(self, datasets: Sequence[str], method: str, metric: str) -> dict[int, float]:
        """Average a metric over datasets, for the seeds that all of them have."""
        parts = [self.values(dataset, method, metric) for dataset in datasets]
        seeds = set.intersection(*(set(part) for part in parts)) if parts else set()
        return {seed: math.fsum(part[seed] for part in parts) / len(parts) for seed in sorted(seeds)}


def _same_floors(one: Record, other: Record) -> bool:
    """Whether two records tell of the same floors; sums of another order may differ in their last digits."""
    pairs = [(one.metrics[key].floor, other.metrics[key].floor) for key in one.metrics.keys() & other.metrics.keys()]
    return all(math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-12) for a, b in pairs if a is not None and b is not None)


def load_results(experiment: Experiment, folder: Path) -> Results:
    """Read the records of an experiment's cells."""
    cells = tuple(experiment.cells())
    found = {(cell.dataset, cell.method, cell.seed): read_record(record_file(folder, cell)) for cell in cells}
    return Results(experiment, cells, {key: record for key, record in found.items() if record is not None})
