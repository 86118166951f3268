"""Evaluate whole hypergraphs: every measure with floor and null models, copies, defects, seams, and yardsticks for the scores."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from rich.console import Console

from hyperhedge._system.memory import admit
from hyperhedge._system.progress import Meter
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.errors import HyperhedgeError, MissingDependencyError
from hyperhedge.metrics.metric import check_whole
from hyperhedge.metrics.resample import rescaled
from hyperhedge.metrics.validity import Defect, Ranges, excesses, validity
from hyperhedge.metrics.whole.copies import Copied
from hyperhedge.metrics.whole.measures import Compared, Measure, select_measures
from hyperhedge.metrics.whole.seams import Seam, seams_by_cluster, seams_by_detour
from hyperhedge.metrics.whole.statistics import WholeStatistics
from hyperhedge.models.base import fingerprint
from hyperhedge.models.configuration import shuffle
from hyperhedge.report.grades import GOOD
from hyperhedge.report.provenance import versions
from hyperhedge.report.reference import number
from hyperhedge.report.report import Baseline, Property, fidelity
from hyperhedge.report.whole.reference import (
    REWIRED,
    HalfTask,
    Pass,
    Task,
    run,
    tasks_of_copies,
    tasks_of_real,
    whole_bytes,
)
from hyperhedge.report.whole.report import WholeReport, WholeRow, Yardstick

Tasks: TypeAlias = dict[Hashable, Task | HalfTask]
Collections: TypeAlias = Mapping[str, Sequence[Hypergraph]]

NULL = "configuration model"
INDEPENDENT = "independent incidences"
TRAINING = "training hypergraph"

MOST_CLUSTERED = 60_000
"""The most hyperedges that are clustered for the seams: more take the partitioner minutes."""


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


def evaluate_whole(
    real: Sequence[Hypergraph],
    generated: Sequence[Hypergraph],
    train: Sequence[Hypergraph] | None,
    baselines: Collections,
    options: WholeOptions,
    name: str,
    progress: Console | bool | None,
) -> WholeReport:
    """Compare whole hypergraphs; :func:`hyperhedge.evaluate` says what the arguments mean."""
    known = tuple(real if train is None else train)
    for role, collection in {"real": real, "generated": generated, "train": known, **baselines}.items():
        if not collection:
            raise HyperhedgeError(f"{role} is empty; give at least one hypergraph")
    everything = [*real, *generated, *known, *(H for samples in baselines.values() for H in samples)]
    admit(whole_bytes(everything), "evaluating", "evaluate a part of the hypergraph", progress)
    tasks = _tasks(real, generated, known, baselines, options)
    with Meter(progress, "evaluating", len(tasks) + 3) as meter:
        passes = run(tasks, options.seed, meter)
        null = shuffle(real[0], seed=options.seed)
        graphs = {"real": real[0], "generated": generated[0], NULL: null} | {k: v[0] for k, v in baselines.items()}
        seams, seam_notes = _seams({key: graphs[key] for key in meter.count(("real", "generated", NULL))}, options.seed)
    judge = _Judge(passes, len(real), options)
    counts = {"real": len(real), "generated": len(generated)} | ({} if train is None else {"train": len(known)})
    data = {"real": real, "generated": generated} | ({} if train is None else {"train": known}) | dict(baselines)
    made = [passes["generated", j] for j in range(len(generated))]
    rows = judge.rows(made)
    copied = judge.novelty(made)
    return WholeReport(
        name=name,
        properties={
            "fidelity": fidelity(rows, _WHY_BLUNT),
            "novelty": copied,
            "validity": judge.validity(made, train=judge.all("train") if train is not None else []),
        },
        details=rows,
        counts=counts,
        settings={
            "whole": True,
            "metrics": [measure.key for measure in options.measures],
            "floor_repeats": options.floor_repeats,
            "null_repeats": options.null_repeats,
            "seed": options.seed,
            "versions": versions(),
            "data": {key: fingerprint(list(graphs)) for key, graphs in data.items()},
        },
        notes=(*_sampled_notes(made[0].statistics), *seam_notes),
        baselines={
            key: Baseline.of(len(samples), judge.rows(judge.all("baseline", key))) for key, samples in baselines.items()
        },
        yardsticks=judge.yardsticks(rows, copied, baselines, same=train is None),
        seams=seams,
        statistics={"real": judge.reals[0], "generated": made[0].statistics, NULL: judge.nulls[0][0]}
        | {key: judge.all("baseline", key)[0].statistics for key in baselines},
        halves=tuple(judge.halves[0]),
        graphs=graphs,
    )


_WHY_BLUNT = "no measure can tell it from independent incidences"


def _tasks(
    real: Sequence[Hypergraph],
    generated: Sequence[Hypergraph],
    train: tuple[Hypergraph, ...],
    baselines: Collections,
    options: WholeOptions,
) -> Tasks:
    """Return all passes; the order decides their seeds, so what every comparison needs comes first."""
    tasks: Tasks = {}
    for i, H in enumerate(real):
        tasks |= tasks_of_real(H, i, train, options.floor_repeats, options.null_repeats, options.seed)
    tasks |= tasks_of_copies(train)
    for j, H in enumerate(generated):
        tasks["generated", j] = _given(H, train)
    for name, samples in baselines.items():
        for j, H in enumerate(samples):
            tasks["baseline", name, j] = _given(H, train)
    return tasks


def _given(H: Hypergraph, train: tuple[Hypergraph, ...]) -> Task:
    return Task(lambda _: H, train)


class _Judge:
    """The passes of one evaluation, and what follows from them."""

    def __init__(self, passes: Mapping[Hashable, Pass], reals: int, options: WholeOptions) -> None:
        self._passes, self._options = passes, options
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

    def all(self, *key: Hashable) -> list[Pass]:
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
        nulls = [one.copied for one in self.all("null") if one.copied is not None]
        matched_by_chance = _mean(c.matched for c in nulls)
        known_by_chance = max(
            _mean(c.surroundings for c in nulls),
            _mean(one.surroundings for one in self.all("second half")),
            key=_or_zero,
        )
        excess = max(_excess(matched, matched_by_chance), _excess(surroundings, known_by_chance))
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
        return Property(1.0 - excess, shown)

    def validity(self, made: Sequence[Pass], train: Sequence[Pass]) -> Property:
        """Compare the shares of defects with those of the real hypergraphs."""
        known = [*self.reals, *(one.statistics for one in train)]
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

    def yardsticks(
        self, rows: tuple[WholeRow, ...], copied: Property, baselines: Collections, *, same: bool
    ) -> dict[str, Yardstick]:
        """Compare what scores are read by; ``same`` says that the training hypergraphs are the real ones."""
        known = {"generated": _yardstick(rows, copied, "generated")}
        for name in baselines:
            known[name] = self._yardstick(self.all("baseline", name), "baseline")
        training = self.all("train")[0]
        full = Pass(training.statistics, Copied(1.0, 1.0, 1.0))
        known[TRAINING if not same else "the real hypergraph itself"] = self._yardstick([full], "training")
        for share in REWIRED:
            known[f"copy, {share:.0%} rewired"] = self._yardstick(self.all("rewired", share), "copy")
        nulls = self.all("null")
        known[NULL] = self._yardstick([nulls[0]], "null")
        independent = _yardstick(self.rows(self.all("independent")), Property(None), "null")
        known[INDEPENDENT] = independent
        return known

    def _yardstick(self, made: Sequence[Pass], kind: str) -> Yardstick:
        return _yardstick(self.rows(made), self.novelty(made), kind)


def _yardstick(rows: tuple[WholeRow, ...], copied: Property, kind: str) -> Yardstick:
    shares = copied.values.get("matched"), copied.values.get("known surroundings")
    return Yardstick(fidelity(rows, _WHY_BLUNT).score, copied.score, *shares, kind)


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


# -- seams and notes ---------------------------------------------------------------------------------


def _seams(graphs: Mapping[str, Hypergraph], seed: int) -> tuple[dict[str, dict[str, tuple[Seam, ...]]], list[str]]:
    """Return the seams of hypergraphs by detour and, where they can be clustered, by cluster."""
    by_detour = {name: seams_by_detour(H, seed=seed) for name, H in graphs.items()}
    if max(H.m for H in graphs.values()) > MOST_CLUSTERED:
        return {"detour": by_detour}, [
            f"Seams by cluster are left out: there are more than {MOST_CLUSTERED:,} hyperedges."
        ]
    try:
        by_cluster = {name: seams_by_cluster(H, seed=seed) for name, H in graphs.items()}
    except MissingDependencyError as error:
        return {"detour": by_detour}, [f"Seams by cluster are left out: {error}."]
    return {"detour": by_detour, "cluster": by_cluster}, []


def _sampled_notes(one: WholeStatistics) -> list[str]:
    """Say what was estimated from a sample."""
    if not one.sampled:
        return []
    return ["Estimated from samples: " + "; ".join(f"{what} ({how})" for what, how in one.sampled.items()) + "."]
