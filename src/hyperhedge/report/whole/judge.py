"""The judge: passes of the real hypergraphs, their halves, null models and copies; and how others compare with these.

One judge serves any number of generated hypergraphs: what it knows does not depend on them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from hyperhedge._system.progress import Meter
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.metrics.metric import check_whole
from hyperhedge.metrics.resample import rescaled
from hyperhedge.metrics.validity import Defect, Ranges, excesses, validity
from hyperhedge.metrics.whole.copies import Copied
from hyperhedge.metrics.whole.measures import Compared, Measure, select_measures
from hyperhedge.metrics.whole.statistics import WholeStatistics
from hyperhedge.report.grades import GOOD
from hyperhedge.report.reference import number
from hyperhedge.report.report import Property, fidelity
from hyperhedge.report.whole.reference import REWIRED, Pass, Passes, Task, Tasks, run, tasks_of_copies, tasks_of_real
from hyperhedge.report.whole.report import WholeRow, Yardstick

NULL = "configuration model"
INDEPENDENT = "independent incidences"
TRAINING = "training hypergraph"
ITSELF = "the real hypergraph itself"

_MOST_CHANCE = 0.9  # of a match; beyond it, a copy is not told from a shuffled hypergraph

WHY_BLUNT = "no measure can tell it from independent incidences"


@dataclass(frozen=True)
class WholeOptions:
    """How whole hypergraphs are compared, checked.

    Attributes
    ----------
    metrics
        Keys or groups of :data:`~hyperhedge.metrics.whole.measures.MEASURES`; all if None.
    floor_repeats
        Over how many splits into halves the floor is averaged.
    null_repeats
        Over how many samples of the configuration model the ceiling is averaged.
    seed
        The seed of everything that is random.
    """

    metrics: Iterable[str] | None = None
    floor_repeats: int = 5
    null_repeats: int = 3
    seed: int = 0

    def __post_init__(self) -> None:
        self.measures  # noqa: B018  # which are checked
        check_whole("floor_repeats", self.floor_repeats, 1)
        check_whole("null_repeats", self.null_repeats, 1)

    @cached_property
    def measures(self) -> tuple[Measure, ...]:
        """The measures."""
        return select_measures(self.metrics)

    def as_data(self) -> dict[str, Any]:
        """Return the options as a report keeps them."""
        names = ("floor_repeats", "null_repeats", "seed")
        return {"whole": True, "metrics": [one.key for one in self.measures]} | {
            name: getattr(self, name) for name in names
        }


class Judge:
    """What hypergraphs are compared with, measured.

    Parameters
    ----------
    passes
        The passes of :meth:`tasks`.
    reals
        How many real hypergraphs there are.
    train
        The training hypergraphs; None for the real ones.
    options
        How to compare.
    """

    def __init__(self, passes: Passes, reals: int, train: tuple[Hypergraph, ...] | None, options: WholeOptions) -> None:
        self._passes, self._train, self._options = passes, train, options
        self.reals = [passes["real", i].statistics for i in range(reals)]
        self.nulls = [[passes["null", i, k].statistics for k in range(options.null_repeats)] for i in range(reals)]
        self.halves = [
            [
                (passes["first half", i, k].statistics, passes["second half", i, k].statistics)
                for k in range(options.floor_repeats)
                if ("first half", i, k) in passes
            ]
            for i in range(reals)
        ]
        self._compared = [
            Compared(one, np.mean([null.motifs.counts for null in nulls], axis=0))
            for one, nulls in zip(self.reals, self.nulls, strict=True)
        ]
        self._bounds = {measure.key: self._bounds_of(measure) for measure in options.measures}

    @staticmethod
    def tasks(real: Sequence[Hypergraph], train: tuple[Hypergraph, ...], options: WholeOptions) -> Tasks:
        """Return the passes that a judge needs, for training hypergraphs that may be the real ones."""
        tasks: Tasks = {}
        for i, H in enumerate(real):
            tasks |= tasks_of_real(H, i, train, options.floor_repeats, options.null_repeats, options.seed)
        return tasks | tasks_of_copies(train)

    @classmethod
    def of(
        cls,
        real: Sequence[Hypergraph],
        train: tuple[Hypergraph, ...] | None,
        options: WholeOptions,
        meter: Meter | None = None,
        threads: int | None = None,
    ) -> Self:
        """Measure what hypergraphs are compared with."""
        tasks = cls.tasks(real, tuple(real) if train is None else train, options)
        return cls(run(tasks, options.seed, meter, threads), len(real), train, options)

    def _all(self, *key: Hashable) -> list[Pass]:
        """Return the passes whose name begins like this, in order."""
        named = [(name if isinstance(name, tuple) else (name,), one) for name, one in self._passes.items()]
        return [one for name, one in named if name[: len(key)] == key]

    # -- rows --------------------------------------------------------------------------------------

    def rows(self, made: Sequence[Pass]) -> tuple[WholeRow, ...]:
        """Compare hypergraphs with the real ones: the mean over all pairs, and its range over what was made."""
        return tuple(self._row(measure, [one.statistics for one in made]) for measure in self._options.measures)

    def _row(self, measure: Measure, made: Sequence[WholeStatistics]) -> WholeRow:
        of_each = [_mean(measure.compare(real, Compared(one)) for real in self._compared) for one in made]
        floor, configuration, independent = self._bounds[measure.key]
        value = _mean(of_each)
        several = len(made) > 1 and math.isfinite(value)
        return WholeRow(
            key=measure.key,
            title=measure.title,
            symbol=measure.symbol,
            group=measure.group,
            definition=f"{measure.definition} ({measure.source})" if measure.source != "common" else measure.definition,
            signed=False,
            value=number(value),
            low=number(float(np.nanmin(of_each))) if several else None,
            high=number(float(np.nanmax(of_each))) if several else None,
            floor=floor,
            ceiling=_ceiling(floor, configuration, independent),
            note="" if math.isfinite(value) else "not defined: one of the hypergraphs has nothing to compare",
            configuration=configuration,
            independent=independent,
        )

    def _bounds_of(self, measure: Measure) -> tuple[float | None, float | None, float | None]:
        """Return the floor, and the distances of the null models."""
        floors, configuration, independent = [], [], []
        for i, real in enumerate(self._compared):
            null = self._passes.get(("null of half", i))
            motifs = None if null is None else null.statistics.motifs.counts
            within = [measure.compare(Compared(one, motifs), Compared(other)) for one, other in self.halves[i]]
            floors.append(rescaled(_mean(within), (1, 1), (2, 2), 0.5))
            configuration.append(_mean(measure.compare(real, Compared(null)) for null in self.nulls[i]))
            independent.append(measure.compare(real, Compared(self._passes["independent", i].statistics)))
        return number(_mean(floors)), number(_mean(configuration)), number(_mean(independent))

    # -- properties --------------------------------------------------------------------------------

    def novelty(self, made: Sequence[Pass]) -> Property:
        """Say how much was copied beyond what matches by chance: the score is one minus the larger excess."""
        copies = [one.copied for one in made if one.copied is not None]
        matched, surroundings = _mean(c.matched for c in copies), _mean(c.surroundings for c in copies)
        nulls = [one.copied for one in self._all("null") if one.copied is not None]
        matched_by_chance = _mean(c.matched for c in nulls)
        known_by_chance = max(
            _mean(c.surroundings for c in nulls),
            _mean(one.surroundings for one in self._all("second half")),
            key=_or_zero,
        )
        values = {
            "matched": matched,
            "matched by chance": matched_by_chance,
            "matched by number": _mean(c.by_number for c in copies),
            "known surroundings": surroundings,
            "known surroundings by chance": known_by_chance,
        }
        shown = {key: number(value) for key, value in values.items()}
        if not math.isfinite(matched):
            return Property(None, shown, "there are no hyperedges that could be copies")
        pairs = (matched, matched_by_chance), (surroundings, known_by_chance)
        beyond = [
            _excess(value, chance)
            for value, chance in pairs
            if math.isfinite(value) and _or_zero(chance) <= _MOST_CHANCE
        ]
        if not beyond:
            return Property(None, shown, "shuffled hypergraphs look like copies, too: there is nothing to copy")
        return Property(1.0 - max(beyond), shown)

    def validity(self, made: Sequence[Pass]) -> Property:
        """Compare the shares of defects with those of the real hypergraphs."""
        known = [*self.reals, *(one.statistics for one in self._all("train"))]
        ranges = Ranges(*(_range(known, name) for name in ("edge sizes", "degrees")))
        in_real = _mean_defects([_defects(one, ranges) for one in self.reals])
        in_made = _mean_defects([_defects(one.statistics, ranges) for one in made])
        values: dict[str, float | None] = {}
        for whose, listed in (("generated", in_made), ("real", in_real)):
            values |= {f"{defect.name}, share of {defect.of} ({whose})": defect.share for defect in listed}
        pairs = zip(in_made, excesses(in_real, in_made), strict=True)
        values |= {f"{defect.name}, excess beyond chance": excess for defect, excess in pairs}
        for what, bounds in (("edge sizes", ranges.sizes), ("degrees", ranges.degrees)):
            low, high = bounds or (None, None)
            values |= {f"{what} from (real)": low, f"{what} to (real)": high}
        return Property(validity(in_real, in_made), values)

    # -- yardsticks --------------------------------------------------------------------------------

    def yardsticks(self) -> dict[str, Yardstick]:
        """Compare what scores are read by: the training hypergraph, copies of it, null models."""
        training = Pass(self._all("train")[0].statistics, Copied(1.0, 1.0, 1.0))
        known = {ITSELF if self._train is None else TRAINING: self._yardstick([training], "training")}
        for share in REWIRED:
            known[f"copy, {share:.0%} rewired"] = self._yardstick(self._all("rewired", share), "copy")
        known[NULL] = self._yardstick(self._all("null")[:1], "null")
        known[INDEPENDENT] = yardstick(self.rows(self._all("independent")), Property(None), "null")
        return known

    def _yardstick(self, made: Sequence[Pass], kind: str) -> Yardstick:
        return yardstick(self.rows(made), self.novelty(made), kind)


def yardstick(rows: tuple[WholeRow, ...], copied: Property, kind: str) -> Yardstick:
    """Sum up a comparison."""
    shares = copied.values.get("matched"), copied.values.get("known surroundings")
    return Yardstick(fidelity(rows, WHY_BLUNT).score, copied.score, *shares, kind)


def given(H: Hypergraph, train: tuple[Hypergraph, ...], *, by_number: bool = False) -> Task:
    """Return the pass of a hypergraph that is there, and may be a copy of a training one (``by_number``: with the same nodes)."""
    return Task(lambda _: H, train, by_number)


def _ceiling(floor: float | None, configuration: float | None, independent: float | None) -> float | None:
    """Return what the way begins with: the configuration model, unless that is at the floor."""
    if floor is None or configuration is None or configuration > GOOD * floor:
        return configuration
    return independent


def _excess(value: float, chance: float) -> float:
    """Return how much of what could be copied beyond chance was."""
    chance = _or_zero(chance)
    return max(0.0, (value - chance) / (1 - chance)) if chance < 1 and math.isfinite(value) else 0.0


def _or_zero(value: float) -> float:
    return value if math.isfinite(value) else 0.0


def _mean(values: Iterable[float]) -> float:
    """Return the mean of the numbers that are defined; NaN if there are none."""
    defined = [value for value in values if math.isfinite(value)]
    return math.fsum(defined) / len(defined) if defined else math.nan


# -- defects -----------------------------------------------------------------------------------------


def _range(known: Sequence[WholeStatistics], name: str) -> tuple[float, float] | None:
    values = np.concatenate([one.distributions[name].value for one in known])
    return (float(values.min()), float(values.max())) if len(values) else None


def _defects(one: WholeStatistics, ranges: Ranges) -> list[Defect]:
    """Measure the defects of a hypergraph; the error of a share is that of a count."""

    def at(name: str, chosen: Callable[[np.ndarray], np.ndarray]) -> float:
        pool = one.distributions[name]
        total = pool.count.sum()
        return float(pool.count[chosen(pool.value)].sum() / total) if total else 0.0

    def outside(bounds: tuple[float, float] | None) -> Callable[[np.ndarray], np.ndarray]:
        low, high = bounds or (-math.inf, math.inf)
        return lambda value: (value < low) | (value > high)

    shares = {
        ("empty hyperedges", "hyperedges"): at("edge sizes", lambda size: size == 0),
        ("singleton hyperedges", "hyperedges"): at("edge sizes", lambda size: size == 1),
        ("repeated hyperedges", "hyperedges"): _or_zero(one.numbers["repeated"]),
        ("edge sizes out of range", "hyperedges"): at("edge sizes", outside(ranges.sizes)),
        ("isolated nodes", "nodes"): _or_zero(one.numbers["isolated"]),
        ("nodes outside the largest component", "nodes"): 1 - _or_zero(one.numbers["largest component"]),
        ("degrees out of range", "nodes"): at("degrees", outside(ranges.degrees)),
    }
    totals = {"hyperedges": max(one.m, 1), "nodes": max(one.n, 1)}
    return [
        Defect(name, of, share, float(share > 0), math.sqrt(share * (1 - share) / totals[of]))
        for (name, of), share in shares.items()
    ]


def _mean_defects(lists: Sequence[list[Defect]]) -> list[Defect]:
    """Average the defects of several hypergraphs."""
    return [
        Defect(
            same[0].name,
            same[0].of,
            _mean(one.share for one in same),
            _mean(one.hypergraphs for one in same),
            math.sqrt(_mean(one.error**2 for one in same) / len(same)),
        )
        for same in zip(*lists, strict=True)
    ]
