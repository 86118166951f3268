r"""The records of an experiment as numbers: by dataset, method and metric, over seeds.

*Spread.* Over :math:`k` seeds: mean, standard deviation :math:`\hat\sigma`, standard error :math:`\hat\sigma / \sqrt{k}`.

*Difference to a reference, in pairs.* Cells of one dataset and seed share banks and seed, so the differences
:math:`d_s = x_s - r_s` vary less than :math:`x` and :math:`r` do. With :math:`k` seeds the 95% interval is
:math:`\bar d \pm t_{0.975,\,k-1}\, \hat\sigma_d / \sqrt{k}`; there is an effect where it excludes zero.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.stats import rankdata
from scipy.stats import t as student

from hyperhedge.bench.experiment import REAL, REWIRED, Cell, Experiment
from hyperhedge.bench.record import Record, read_record, record_file
from hyperhedge.bench.runner import State, find_state
from hyperhedge.metrics.whole.measures import PROTOCOL


@dataclass(frozen=True)
class Spread:
    """Mean, standard deviation (None for a single number) and count."""

    mean: float
    deviation: float | None
    count: int

    @property
    def error(self) -> float | None:
        """The standard error of the mean."""
        return None if self.deviation is None else self.deviation / math.sqrt(self.count)


def spread(values: Iterable[float]) -> Spread | None:
    """Return the mean and standard deviation of numbers; None if there are none.

    Examples
    --------
    >>> spread([1.0, 3.0])
    Spread(mean=2.0, deviation=1.4142135623730951, count=2)
    """
    numbers = list(values)
    if not numbers:
        return None
    deviation = float(np.std(numbers, ddof=1)) if len(numbers) > 1 else None
    return Spread(math.fsum(numbers) / len(numbers), deviation, len(numbers))


@dataclass(frozen=True)
class Difference:
    """A mean difference with its 95% interval."""

    mean: float
    low: float
    high: float
    count: int

    @property
    def excludes_zero(self) -> bool:
        """Whether the interval excludes zero."""
        return self.low > 0 or self.high < 0


def difference(values: Mapping[int, float], reference: Mapping[int, float]) -> Difference | None:
    """Compare in pairs, over the seeds that both have; None with fewer than two.

    Examples
    --------
    >>> change = difference({0: 2.0, 1: 5.0, 2: 3.0, 7: 9.0}, {0: 1.0, 1: 3.0, 2: 0.0})
    >>> round(change.mean, 3), round(change.low, 3), round(change.high, 3), change.excludes_zero
    (2.0, -0.484, 4.484, False)
    """
    pairs = spread(values[seed] - reference[seed] for seed in sorted(values.keys() & reference.keys()))
    if pairs is None or pairs.error is None:
        return None
    half = float(student.ppf(0.975, pairs.count - 1)) * pairs.error
    return Difference(pairs.mean, pairs.mean - half, pairs.mean + half, pairs.count)


@dataclass(frozen=True)
class Results:
    """The cells of an experiment, with the records that exist."""

    experiment: Experiment
    cells: tuple[Cell, ...]
    records: Mapping[tuple[str, str, int], Record]

    @property
    def done(self) -> list[Record]:
        """The records of cells that did not fail, including those of another configuration."""
        return [record for record in self.records.values() if record.status == "done"]

    def state(self, cell: Cell) -> State:
        """Return the state of a cell."""
        return find_state(cell, self.records.get((cell.dataset, cell.method, cell.seed)))

    def of(self, dataset: str, method: str) -> dict[int, Record]:
        """Return the records of a dataset and method that did not fail, by seed."""
        return {
            seed: record
            for (*names, seed), record in self.records.items()
            if names == [dataset, method] and record.status == "done"
        }

    def values(self, dataset: str, method: str, metric: str) -> dict[int, float]:
        """Return a metric by seed, where it is defined."""
        rows = {seed: record.metrics.get(metric) for seed, record in self.of(dataset, method).items()}
        return {seed: row.value for seed, row in rows.items() if row is not None and row.value is not None}

    def magnitudes(self, dataset: str, method: str, metric: str) -> dict[int, float]:
        """Return a metric by seed without its sign, which gaps have."""
        return {seed: abs(value) for seed, value in self.values(dataset, method, metric).items()}

    def mean_magnitude(self, dataset: str, method: str, metric: str) -> float | None:
        """Return the mean of a metric over seeds, without its sign."""
        over_seeds = spread(self.magnitudes(dataset, method, metric).values())
        return None if over_seeds is None else over_seeds.mean

    def average_ranks(self, dataset: str, left_out: Collection[str] = ()) -> dict[str, float]:
        """Rank the generators of whole hypergraphs by each measure of the protocol, and average.

        Ranks are those of the means over seeds; equal ones share the mean of their ranks. A distance that is not defined is the
        largest. Generators without records, and those left out, are not ranked.
        """
        ranked = [name for name in self.generators if name not in left_out and self.of(dataset, name)]
        ranks: dict[str, list[float]] = {name: [] for name in ranked}
        for key in (key for key in PROTOCOL if key in self.experiment.protocol.keys):
            means = [self.mean_magnitude(dataset, name, key) for name in ranked]
            numbers = [math.inf if mean is None else round(mean, 12) for mean in means]
            for name, rank in zip(ranked, rankdata(numbers), strict=True):
                ranks[name].append(float(rank))
        return {name: math.fsum(of_each) / len(of_each) for name, of_each in ranks.items() if of_each}

    def expected(self, method: str) -> int:
        """Return the number of seeds of a method."""
        seeds = self.experiment.methods[method].seeds
        return self.experiment.seeds if seeds is None else min(seeds, self.experiment.seeds)

    def title(self, method: str) -> str:
        """Return a method's name for a reader."""
        return self.experiment.methods[method].title or method

    @property
    def floors(self) -> list[str]:
        """The methods that are real hypergraphs, or copies of them, and no generators."""
        return [name for name, spec in self.experiment.methods.items() if spec.model in (REAL, REWIRED)]

    @property
    def generators(self) -> list[str]:
        """The methods that are compared."""
        return [name for name in self.experiment.methods if name not in self.floors]

    @property
    def on_other_banks(self) -> list[Cell]:
        """The cells whose banks differ from most of their dataset and seed, judging by the floors in their records."""
        groups: dict[tuple[str, int], list[list[Record]]] = {}
        for record in self.done:
            alike = groups.setdefault((record.cell.dataset, record.cell.seed), [])
            same = next((group for group in alike if _same_floors(group[0], record)), None)
            if same is None:
                alike.append([record])
            else:
                same.append(record)
        few = [group for alike in groups.values() for group in sorted(alike, key=len, reverse=True)[1:]]
        return [record.cell for group in few for record in group]

    def mean_over(self, datasets: Sequence[str], method: str, metric: str) -> dict[int, float]:
        """Average a metric over datasets, for the seeds that all of them have."""
        by_dataset = [self.values(dataset, method, metric) for dataset in datasets]
        seeds = set.intersection(*map(set, by_dataset)) if by_dataset else set()
        return {seed: math.fsum(values[seed] for values in by_dataset) / len(by_dataset) for seed in sorted(seeds)}


def _same_floors(one: Record, other: Record) -> bool:
    """Whether two records have the same floors, but for the last digits, which depend on the order of sums."""
    pairs = [(one.metrics[key].floor, other.metrics[key].floor) for key in one.metrics.keys() & other.metrics.keys()]
    return all(math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-12) for a, b in pairs if a is not None and b is not None)


def load_results(experiment: Experiment, folder: Path) -> Results:
    """Read the records of an experiment's cells."""
    cells = tuple(experiment.cells())
    records = {(cell.dataset, cell.method, cell.seed): read_record(record_file(folder, cell)) for cell in cells}
    return Results(experiment, cells, {key: record for key, record in records.items() if record is not None})
