"""The quality report of generated hypergraphs: every metric with interval, floor and ceiling, and what stands beside fidelity."""

from __future__ import annotations

import math
import platform
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from importlib.metadata import version

import numpy as np

from hyperhedge.baselines.erdos_renyi import ErdosRenyi
from hyperhedge.errors import HyperhedgeError
from hyperhedge.generator import Seed, fingerprint
from hyperhedge.hypergraph import Hypergraph
from hyperhedge.metrics.detect import classifier_auc, detectability_score, permutation_p_value
from hyperhedge.metrics.distances import Metric, Settings, check_whole, chosen
from hyperhedge.metrics.diversity import diversity
from hyperhedge.metrics.novelty import novelty
from hyperhedge.metrics.report import NullModel, Property, Report, Row, fidelity
from hyperhedge.metrics.resample import bootstrap_weights, carried_over, halves, interval, parts
from hyperhedge.metrics.sample import FloatArray
from hyperhedge.metrics.statistics import Statistics, statistics_of
from hyperhedge.metrics.undefined import UndefinedError
from hyperhedge.metrics.validity import defects, validity

__all__ = ["evaluate"]

_ZERO = 1e-12  # what rounding leaves of a distance between equal batches
_ENOUGH = 4  # so many times the generated hypergraphs the floor's parts are drawn from: kernels compare all pairs


def evaluate(
    real: Iterable[Hypergraph],
    generated: Iterable[Hypergraph],
    *,
    train: Iterable[Hypergraph] | None = None,
    nulls: Mapping[str, Iterable[Hypergraph]] | None = None,
    metrics: Iterable[str] | None = None,
    eigenvalues: int | None = 16,
    threshold: int = 2,
    bootstrap: int = 200,
    confidence: float = 0.95,
    floor_draws: int = 20,
    ceiling: bool = True,
    permutations: int = 999,
    seed: Seed = 0,
    name: str = "generated",
) -> Report:
    """Judge generated hypergraphs by real ones.

    Parameters
    ----------
    real
        Held-out real hypergraphs, which the generator has not seen.
    generated
        What it made.
    train
        What it was trained on. It gives the floor and says whether generated hypergraphs are new; without it, the floor comes
        from halves of ``real`` and there is no word on novelty.
    nulls
        Samples of null models by name, such as ``{"HCM": …}``: table and plots show them beside the generated ones.
    metrics
        Keys or groups of :data:`~hyperhedge.metrics.METRICS`; all but the slow ones by default.
    eigenvalues
        How many eigenvalues of each Laplacian are compared; all if None.
    threshold
        From how many shared nodes on two hyperedges count in the overlap tail.
    bootstrap, confidence
        Replicates and level of the intervals; no intervals with 0.
    floor_draws
        How many parts of the training set the floor is averaged over.
    ceiling
        Whether to draw independent incidences (ER-HG) for the ceiling.
    permutations
        How many deals the permutation test takes.
    seed
        A whole number, or a numpy generator to draw from.
    name
        What to call the generated hypergraphs.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> def draw(count, density):
    ...     return [Hypergraph.from_incidence(rng.random((8, 6)) < density) for _ in range(count)]
    >>> report = evaluate(draw(20, 0.3), draw(20, 0.5), train=draw(40, 0.3))
    >>> report["degree_gap"].value > 0.8, report["degree_gap"].ratio > 3, report.properties["novelty"].score > 0.9
    (True, True, True)
    """
    settings = Settings(eigenvalues, threshold)
    wanted = chosen(metrics)
    for argument, value, least in (
        ("bootstrap", bootstrap, 0),
        ("floor_draws", floor_draws, 1),
        ("permutations", permutations, 1),
    ):
        check_whole(argument, value, least)
    if not 0 < confidence < 1:
        raise HyperhedgeError(f"confidence= must lie between 0 and 1, not be {confidence!r}")
    ours, theirs = statistics_of(real, "real"), statistics_of(generated, "generated")
    known = None if train is None else statistics_of(train, "train")
    others = _null_batches(nulls)
    for_bootstrap, for_floor, for_ceiling, for_diversity, for_detection = _streams(seed)
    judge = _Judge(
        real=ours,
        generated=theirs,
        weights=_replicates(ours, theirs, bootstrap, for_bootstrap),
        floor=_floor(ours, theirs, known, floor_draws, for_floor),
        ceiling=_ceiling(known or ours, len(theirs), for_ceiling) if ceiling else None,
        settings=settings,
        confidence=confidence,
    )
    rows = tuple(judge.row(metric) for metric in wanted)
    properties = {
        "fidelity": fidelity(rows),
        "novelty": _novelty(known, ours, theirs),
        "validity": _validity(ours, theirs),
        "diversity": _guarded(lambda: _diversity(ours, theirs, for_diversity)),
        "detectability": _guarded(lambda: _detectability(ours, theirs, permutations, for_detection)),
    }
    batches = {"real": ours, "generated": theirs} | ({"train": known} if known else {})
    seen = batches | others
    return Report(
        name=str(name),
        properties=properties,
        details=rows,
        counts={key: len(batch) for key, batch in batches.items()},
        settings={
            "eigenvalues": eigenvalues,
            "threshold": threshold,
            "bootstrap": bootstrap,
            "confidence": confidence,
            "floor_draws": floor_draws,
            "permutations": permutations,
            "ceiling": ceiling,
            "metrics": [metric.key for metric in wanted],
            "seed": seed if isinstance(seed, int) else None,
            "versions": _versions(),
            "data": {key: fingerprint(batch.hypergraphs) for key, batch in seen.items()},
        },
        notes=tuple(_notes(batches, judge)),
        nulls={key: judge.null(batch, wanted, rows) for key, batch in others.items()},
        batches=seen,
    )


_ROLES = ("real", "generated", "train")


def _null_batches(nulls: Mapping[str, Iterable[Hypergraph]] | None) -> dict[str, Statistics]:
    """Name the null models' batches, and refuse names that would be mistaken."""
    if nulls is not None and not isinstance(nulls, Mapping):
        raise HyperhedgeError(f'nulls= must be a mapping such as {{"HCM": samples}}, not a {type(nulls).__name__}')
    batches = {}
    for name, samples in (nulls or {}).items():
        if not str(name).strip() or name in _ROLES:
            raise HyperhedgeError(f"nulls= needs names other than {', '.join(_ROLES)}, not {name!r}")
        batches[str(name)] = statistics_of(samples, f"nulls[{name!r}]")
    return batches


@cache
def _versions() -> dict[str, str]:
    """Return the versions of what numbers depend on."""
    packages = ("hyperhedge", "torch", "numpy", "scipy", "scikit-learn")
    return {"python": platform.python_version()} | {name: version(name) for name in packages}


def _streams(seed: Seed) -> list[np.random.Generator]:
    """Return one source of randomness for each part of a report, so that the number of replicates changes no floor."""
    try:
        return np.random.default_rng(seed).spawn(5)
    except (TypeError, ValueError):
        raise HyperhedgeError(f"seed= must be a whole number from 0 on or a numpy generator, not {seed!r}") from None


# -- distances ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Floor:
    """Real hypergraphs against real ones: which, under which weights, at which counts."""

    other: Statistics
    real_weights: FloatArray
    other_weights: FloatArray
    counts: tuple[int, int]
    note: str = ""


@dataclass(frozen=True)
class _Judge:
    """Everything that a metric's row is made from; the first row of the weights is the value's."""

    real: Statistics
    generated: Statistics
    weights: tuple[FloatArray, FloatArray]
    floor: _Floor | None
    ceiling: Statistics | None
    settings: Settings
    confidence: float

    def row(self, metric: Metric) -> Row:
        """Compute a metric's row."""
        row = Row(metric.key, metric.title, metric.symbol, metric.group, metric.definition, metric.signed)
        try:
            value, *replicates = metric.compare(self.real, self.generated, *self.weights, self.settings)
            low, high = interval(value, np.array(replicates), self.confidence, signed=metric.signed)
            return replace(
                row,
                value=_number(value),
                low=_number(low),
                high=_number(high),
                floor=self._floor_of(metric),
                ceiling=self._ceiling_of(metric),
                note="" if math.isfinite(value) else "not defined: one of the batches has nothing to compare",
            )
        except UndefinedError as error:
            return replace(row, note=f"not computed: {error}")

    def null(self, batch: Statistics, metrics: Iterable[Metric], rows: Iterable[Row]) -> NullModel:
        """Judge a null model's samples by the rows of the generated ones, whose floors are carried over to its count."""
        found = tuple(self._null_row(batch, metric, row) for metric, row in zip(metrics, rows, strict=True))
        return NullModel(
            count=len(batch),
            score=fidelity(found).score,
            values={row.key: row.value for row in found},
            ratios={row.key: row.ratio for row in found},
        )

    def _null_row(self, batch: Statistics, metric: Metric, row: Row) -> Row:
        counts = (len(self.real), len(self.generated)), (len(self.real), len(batch))
        floor = None if row.floor is None else carried_over(row.floor, *counts, metric.rate)
        equal = np.ones((1, len(self.real))), np.ones((1, len(batch)))
        try:
            value = _number(metric.compare(self.real, batch, *equal, self.settings)[0])
        except UndefinedError:
            value = None
        return replace(row, value=value, floor=floor, low=None, high=None)

    def _floor_of(self, metric: Metric) -> float | None:
        if self.floor is None:
            return None
        part = self.floor
        draws = np.abs(metric.compare(self.real, part.other, part.real_weights, part.other_weights, self.settings))
        if not np.isfinite(draws).any():
            return None
        wanted = len(self.real), len(self.generated)
        return _number(carried_over(float(np.nanmean(draws)), part.counts, wanted, metric.rate))

    def _ceiling_of(self, metric: Metric) -> float | None:
        if self.ceiling is None:
            return None
        equal = np.ones((1, len(self.real))), np.ones((1, len(self.ceiling)))
        return _number(metric.compare(self.real, self.ceiling, *equal, self.settings)[0])


def _replicates(
    real: Statistics, generated: Statistics, bootstrap: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Return the weights of the value and of its replicates; one hypergraph cannot be resampled."""
    replicates = bootstrap if min(len(real), len(generated)) > 1 else 0
    first, second = (
        np.vstack((np.ones(len(batch)), bootstrap_weights(len(batch), replicates, rng))) for batch in (real, generated)
    )
    return first, second


def _floor(
    real: Statistics, generated: Statistics, train: Statistics | None, draws: int, rng: np.random.Generator
) -> _Floor | None:
    """Choose which real hypergraphs are compared with which."""
    if train is not None:
        train = train.part(_ENOUGH * len(generated), rng)
        size = min(len(generated), len(train))
        draws = draws if size < len(train) else 1
        note = (
            ""
            if size == len(generated)
            else f"There are fewer training ({len(train):,}) than generated hypergraphs: the floor is carried over to their count."
        )
        everyone = np.ones((draws, len(real)))
        return _Floor(train, everyone, parts(len(train), size, draws, rng), (len(real), size), note)
    half = len(real) // 2
    if not half:
        return None
    note = (
        "There is no train=: the floor comes from random halves of the real hypergraphs, carried over to these counts."
    )
    return _Floor(real, *halves(len(real), draws, rng), (half, half), note)


def _ceiling(source: Statistics, count: int, rng: np.random.Generator) -> Statistics:
    """Draw independent incidences."""
    return statistics_of(ErdosRenyi().fit(source.hypergraphs).sample(count, seed=rng))


# -- the other properties ----------------------------------------------------------------------------


def _guarded(compute: Callable[[], Property]) -> Property:
    """Compute a property, or say why there is none."""
    try:
        return compute()
    except UndefinedError as error:
        return Property(None, note=f"not computed: {error}")


def _validity(real: Statistics, generated: Statistics) -> Property:
    values: dict[str, float | None] = {}
    for batch, whose in ((generated, "generated"), (real, "real")):
        for defect in defects(batch):
            values[f"{defect.name}, mean ({whose})"] = defect.mean
            values[f"{defect.name}, share without ({whose})"] = defect.without
    return Property(validity(real, generated), values)


def _novelty(train: Statistics | None, real: Statistics, generated: Statistics) -> Property:
    if train is None:
        return Property(None, note="give train= to learn whether the generated hypergraphs are copies")
    found = novelty(train, real, generated)
    note = "" if math.isfinite(found.score) else "every held-out hypergraph is itself a copy of a training one"
    return Property(_number(found.score), _numbers(asdict(found) | {"ratio": found.ratio}), note)


def _diversity(real: Statistics, generated: Statistics, rng: np.random.Generator) -> Property:
    found = diversity(real, generated, rng)
    return Property(_number(found.score), _numbers(asdict(found)))


def _detectability(real: Statistics, generated: Statistics, permutations: int, rng: np.random.Generator) -> Property:
    auc = classifier_auc(real, generated, rng)
    p_value = permutation_p_value(real, generated, rng, permutations)
    return Property(detectability_score(auc), {"auc": auc, "p_value": p_value})


# -- small things ------------------------------------------------------------------------------------


def _notes(batches: dict[str, Statistics], judge: _Judge) -> Iterator[str]:
    """Go through what one should know when reading the report."""
    if judge.floor is None:
        yield "There is one real hypergraph and no train=: nothing says how far real ones are from each other."
    elif judge.floor.note:
        yield judge.floor.note
    if min(len(judge.real), len(judge.generated)) == 1:
        yield "One hypergraph cannot be resampled: there are no intervals."
    for name, batch in batches.items():
        for what, count in (("nodes", int((batch.n == 0).sum())), ("hyperedges", int((batch.m == 0).sum()))):
            if count:
                yield f"{count:,} of the {len(batch):,} {name} hypergraphs have no {what}; pooled metrics do not see them."


def _number(value: float) -> float | None:
    """Return a number that JSON can hold, with rounding errors of zero as zero."""
    if not math.isfinite(value):
        return None
    return 0.0 if abs(value) < _ZERO else float(value)


def _numbers(values: dict[str, float]) -> dict[str, float | None]:
    return {key: _number(value) for key, value in values.items()}
