"""Evaluate generated hypergraphs: every metric with interval, floor and ceiling, and the properties next to fidelity."""

from __future__ import annotations

import math
import platform
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from importlib.metadata import version
from typing import Any

import numpy as np

from hyperhedge.errors import HyperhedgeError, UndefinedError
from hyperhedge.metrics.detectability import classifier_auc, detectability_score, permutation_p_value
from hyperhedge.metrics.diversity import diversity
from hyperhedge.metrics.metric import Metric, Settings, check_whole
from hyperhedge.metrics.novelty import novelty
from hyperhedge.metrics.registry import MetricChoice, select_metrics
from hyperhedge.metrics.resample import bootstrap_weights, interval, random_halves, random_subsets, rescaled
from hyperhedge.metrics.statistics import Statistics, statistics_of
from hyperhedge.metrics.validity import defects, validity
from hyperhedge.models.base import Seed, fingerprint
from hyperhedge.models.erdos_renyi import ErdosRenyi
from hyperhedge.report.report import Baseline, Property, Report, Row, fidelity
from hyperhedge.typing import FloatArray

_ZERO = 1e-12  # below it, a distance between equal collections is a rounding error
_ENOUGH = 4  # times the generated hypergraphs: more training hypergraphs would not change the floor, and kernels compare all pairs


def evaluate(
    real: Iterable[Any],
    generated: Iterable[Any],
    *,
    train: Iterable[Any] | None = None,
    baselines: Mapping[str, Iterable[Any]] | None = None,
    metrics: Iterable[MetricChoice] | Mapping[str, Callable[..., Any]] | None = None,
    eigenvalues: int | None = 16,
    threshold: int = 2,
    bootstrap: int = 200,
    confidence: float = 0.95,
    floor_repeats: int = 20,
    ceiling: bool = True,
    permutations: int = 999,
    seed: Seed | None = None,
    name: str = "generated",
) -> Report:
    """Compare generated hypergraphs with real ones.

    All hypergraphs may be objects of XGI, HyperNetX and the other libraries that :func:`hyperhedge.convert.as_hypergraph` accepts.

    Parameters
    ----------
    real
        Held-out real hypergraphs, which the generator has not seen.
    generated
        The hypergraphs to evaluate.
    train
        The training set of the generator. It gives the floor and shows whether generated hypergraphs are new; without it, the
        floor comes from halves of ``real``, and novelty is not known.
    baselines
        Samples of other generators by name, such as ``{"HCM": …}``; table and plots show them next to the generated ones.
    metrics
        Keys or groups of :data:`~hyperhedge.metrics.METRICS` (``"default"`` means all that are not slow, as None does),
        :class:`~hyperhedge.metrics.Metric` objects, and functions: ``f(H)`` of one hypergraph, whose values are compared by their
        Wasserstein distance, or ``f(real, generated)`` of two lists of hypergraphs, a distance. A function is named by its
        ``__name__`` or in a dictionary, ``{"name": f}``; :func:`~hyperhedge.metrics.as_metric` has further options. If it raises
        an error or does not return a finite number, its row has no value and a note that says why.
    eigenvalues
        How many eigenvalues of each Laplacian are compared; all if None.
    threshold
        How many nodes two hyperedges must share to count in the overlap tail.
    bootstrap, confidence
        Replicates and level of the intervals; no intervals with 0. A function ``f(real, generated)`` is called once per replicate.
    floor_repeats
        Over how many random subsets of the training set the floor is averaged.
    ceiling
        Whether to sample independent incidences (ER-HG) for the ceiling.
    permutations
        How many random splits the permutation test takes.
    seed
        A whole number, a numpy generator, or None for a new seed; the report records it.
    name
        What the report calls the generated hypergraphs.

    Examples
    --------
    >>> from hyperhedge import Hypergraph
    >>> rng = np.random.default_rng(0)
    >>> def sample(count, density):
    ...     return [Hypergraph.from_incidence(rng.random((8, 6)) < density) for _ in range(count)]
    >>> def largest_edge(H):
    ...     return H.edge_sizes.max()
    >>> real, made, train = sample(20, 0.3), sample(20, 0.5), sample(40, 0.3)
    >>> report = evaluate(real, made, train=train, metrics=["default", largest_edge], seed=0)
    >>> report["degree_gap"].value > 0.8, report["degree_gap"].ratio > 3, report.properties["novelty"].score > 0.9
    (True, True, True)
    >>> report["largest_edge"].ratio > 2
    True
    """
    settings = Settings(eigenvalues, threshold)
    selected = select_metrics(metrics)
    check_whole("bootstrap", bootstrap, 0)
    check_whole("floor_repeats", floor_repeats, 1)
    check_whole("permutations", permutations, 1)
    if not 0 < confidence < 1:
        raise HyperhedgeError(f"confidence= must lie between 0 and 1, not be {confidence!r}")
    collections = {"real": statistics_of(real, "real"), "generated": statistics_of(generated, "generated")}
    if train is not None:
        collections["train"] = statistics_of(train, "train")
    others = _baseline_collections(baselines)
    number = _seed_number(seed)
    # One source of randomness per task: the number of replicates does not change the floor.
    for_bootstrap, for_floor, for_ceiling, for_diversity, for_detection = np.random.default_rng(number).spawn(5)
    held_out, made, known = collections["real"], collections["generated"], collections.get("train")
    comparison = _Comparison(
        real=held_out,
        generated=made,
        weights=_replicates(held_out, made, bootstrap, for_bootstrap),
        floor=_floor(held_out, made, known, floor_repeats, for_floor),
        ceiling=_ceiling(known or held_out, len(made), for_ceiling) if ceiling else None,
        settings=settings,
        confidence=confidence,
    )
    rows = tuple(comparison.row(metric) for metric in selected)
    return Report(
        name=str(name),
        properties={
            "fidelity": fidelity(rows),
            "novelty": _novelty(known, held_out, made),
            "validity": _validity(held_out, made),
            "diversity": _guarded(lambda: _diversity(held_out, made, for_diversity)),
            "detectability": _guarded(lambda: _detectability(held_out, made, permutations, for_detection)),
        },
        details=rows,
        counts={key: len(collection) for key, collection in collections.items()},
        settings={
            "eigenvalues": eigenvalues,
            "threshold": threshold,
            "bootstrap": bootstrap,
            "confidence": confidence,
            "floor_repeats": floor_repeats,
            "permutations": permutations,
            "ceiling": ceiling,
            "metrics": [metric.key for metric in selected],
            "seed": number,
            "versions": _versions(),
            "data": {key: fingerprint(c.hypergraphs) for key, c in (collections | others).items()},
        },
        notes=tuple(_notes(collections, comparison, rows)),
        baselines={key: comparison.baseline(c, selected, rows) for key, c in others.items()},
        collections=collections | others,
        values=_values(selected, collections | others),
    )


_ROLES = ("real", "generated", "train")


def _baseline_collections(baselines: Mapping[str, Iterable[Any]] | None) -> dict[str, Statistics]:
    """Return the baselines' samples by name, and refuse names that could be confused with others."""
    if baselines is not None and not isinstance(baselines, Mapping):
        raise HyperhedgeError(
            f'baselines= must be a mapping such as {{"HCM": samples}}, not a {type(baselines).__name__}'
        )
    collections = {}
    for name, samples in (baselines or {}).items():
        if not str(name).strip() or name in _ROLES:
            raise HyperhedgeError(f"baselines= needs names other than {', '.join(_ROLES)}, not {name!r}")
        collections[str(name)] = statistics_of(samples, f"baselines[{name!r}]")
    return collections


@cache
def _versions() -> dict[str, str]:
    """Return the versions of what the numbers depend on."""
    packages = ("hyperhedge", "torch", "numpy", "scipy", "scikit-learn")
    return {"python": platform.python_version()} | {name: version(name) for name in packages}


def _seed_number(seed: Seed | None) -> int:
    """Return a seed as a number that can be recorded; one from a generator, or a new one, if it is not a number."""
    if seed is None or isinstance(seed, np.random.Generator):
        return int(np.random.default_rng(seed).integers(2**32))
    check_whole("seed", seed, 0)
    return int(seed)


def _values(metrics: Iterable[Metric], collections: dict[str, Statistics]) -> dict[str, dict[str, list[float]]]:
    """Return the numbers of the metrics that have one per hypergraph, without those that are not defined."""
    tables = {}
    for metric in metrics:
        if metric.values is not None:
            try:
                shown = {name: metric.values(c).tolist() for name, c in collections.items() if name != "train"}
            except UndefinedError:
                continue
            tables[metric.key] = shown
    return tables


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
class _Comparison:
    """Everything that the row of a metric is made from; the first row of the weights is the value's."""

    real: Statistics
    generated: Statistics
    weights: tuple[FloatArray, FloatArray]
    floor: _Floor | None
    ceiling: Statistics | None
    settings: Settings
    confidence: float

    def row(self, metric: Metric) -> Row:
        """Compute the row of a metric."""
        row = Row(metric.key, metric.title, metric.symbol, metric.group, metric.definition, metric.signed)
        try:
            value, *replicates = metric.compare(self.real, self.generated, *self.weights, self.settings)
        except UndefinedError as error:
            return replace(row, note=f"not computed: {error}")
        low, high = interval(value, np.array(replicates), self.confidence, signed=metric.signed)
        floor, no_floor = _or_note("floor", lambda: self._floor_of(metric))
        ceiling, no_ceiling = _or_note("ceiling", lambda: self._ceiling_of(metric))
        undefined = "" if math.isfinite(value) else "not defined: one of the collections has nothing to compare"
        return replace(
            row,
            value=_number(value),
            low=_number(low),
            high=_number(high),
            floor=floor,
            ceiling=ceiling,
            note="; ".join(filter(None, (undefined, no_floor, no_ceiling))),
        )

    def baseline(self, samples: Statistics, metrics: Iterable[Metric], rows: Iterable[Row]) -> Baseline:
        """Compare a baseline's samples by the rows of the generated ones, whose floors are rescaled to its count."""
        baseline_rows = tuple(
            self._baseline_row(samples, metric, row) for metric, row in zip(metrics, rows, strict=True)
        )
        return Baseline(
            count=len(samples),
            score=fidelity(baseline_rows).score,
            values={row.key: row.value for row in baseline_rows},
            ratios={row.key: row.ratio for row in baseline_rows},
        )

    def _baseline_row(self, samples: Statistics, metric: Metric, row: Row) -> Row:
        counts = (len(self.real), len(self.generated)), (len(self.real), len(samples))
        floor = None if row.floor is None else rescaled(row.floor, *counts, metric.rate)
        try:
            value = self._distance(metric, samples)
        except UndefinedError:
            value = None
        return replace(row, value=value, floor=floor, low=None, high=None)

    def _distance(self, metric: Metric, other: Statistics) -> float | None:
        equal = np.ones((1, len(self.real))), np.ones((1, len(other)))
        return _number(metric.compare(self.real, other, *equal, self.settings)[0])

    def _floor_of(self, metric: Metric) -> float | None:
        floor = self.floor
        if floor is None:
            return None
        distances = metric.compare(self.real, floor.other, floor.real_weights, floor.other_weights, self.settings)
        if not np.isfinite(distances).any():
            return None
        wanted = len(self.real), len(self.generated)
        return _number(rescaled(float(np.nanmean(np.abs(distances))), floor.counts, wanted, metric.rate))

    def _ceiling_of(self, metric: Metric) -> float | None:
        return None if self.ceiling is None else self._distance(metric, self.ceiling)


def _or_note(name: str, compute: Callable[[], float | None]) -> tuple[float | None, str]:
    """Compute a bound of a row, or say why there is none."""
    try:
        return compute(), ""
    except UndefinedError as error:
        return None, f"no {name}: {error}"


def _replicates(
    real: Statistics, generated: Statistics, bootstrap: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Return the weights of the value and of its replicates; a single hypergraph cannot be resampled."""
    replicates = bootstrap if min(len(real), len(generated)) > 1 else 0

    def weights(count: int) -> FloatArray:
        return np.vstack((np.ones(count), bootstrap_weights(count, replicates, rng)))

    return weights(len(real)), weights(len(generated))


def _floor(
    real: Statistics, generated: Statistics, train: Statistics | None, repeats: int, rng: np.random.Generator
) -> _Floor | None:
    """Choose which real hypergraphs are compared with which."""
    if train is None:
        half = len(real) // 2
        note = (
            "There is no train=: the floor comes from random halves of the real hypergraphs, rescaled to these counts."
        )
        return _Floor(real, *random_halves(len(real), repeats, rng), (half, half), note) if half else None
    train = train.random_subset(_ENOUGH * len(generated), rng)
    size = min(len(generated), len(train))
    note = ""
    if size < len(generated):
        note = f"There are fewer training ({len(train):,}) than generated hypergraphs: the floor is rescaled to their count."
    repeats = repeats if size < len(train) else 1
    subsets = random_subsets(len(train), size, repeats, rng)
    return _Floor(train, np.ones((repeats, len(real))), subsets, (len(real), size), note)


def _ceiling(source: Statistics, count: int, rng: np.random.Generator) -> Statistics:
    """Sample independent incidences."""
    return statistics_of(ErdosRenyi().fit(source.hypergraphs).sample(count, seed=rng))


# -- the other properties ----------------------------------------------------------------------------


def _guarded(compute: Callable[[], Property]) -> Property:
    """Compute a property, or say why it has no score."""
    try:
        return compute()
    except UndefinedError as error:
        return Property(None, note=f"not computed: {error}")


def _validity(real: Statistics, generated: Statistics) -> Property:
    values: dict[str, float | None] = {}
    for collection, whose in ((generated, "generated"), (real, "real")):
        for defect in defects(collection):
            values[f"{defect.name}, mean ({whose})"] = defect.mean
            values[f"{defect.name}, share without ({whose})"] = defect.without
    return Property(validity(real, generated), values)


def _novelty(train: Statistics | None, real: Statistics, generated: Statistics) -> Property:
    if train is None:
        return Property(None, note="give train= to find out whether the generated hypergraphs are copies")
    result = novelty(train, real, generated)
    note = "" if math.isfinite(result.score) else "every held-out hypergraph is itself a copy of a training hypergraph"
    return Property(_number(result.score), _numbers(asdict(result) | {"ratio": result.ratio}), note)


def _diversity(real: Statistics, generated: Statistics, rng: np.random.Generator) -> Property:
    result = diversity(real, generated, rng)
    return Property(_number(result.score), _numbers(asdict(result)))


def _detectability(real: Statistics, generated: Statistics, permutations: int, rng: np.random.Generator) -> Property:
    auc = classifier_auc(real, generated, rng)
    p_value = permutation_p_value(real, generated, rng, permutations)
    return Property(detectability_score(auc), {"auc": auc, "p_value": p_value})


# -- notes and numbers -------------------------------------------------------------------------------


def _notes(collections: dict[str, Statistics], comparison: _Comparison, rows: Iterable[Row]) -> Iterator[str]:
    """Iterate over what a reader of the report should know."""
    if comparison.floor is None:
        yield "There is one real hypergraph and no train=: nothing shows how far real ones are from each other."
    elif comparison.floor.note:
        yield comparison.floor.note
    if min(len(comparison.real), len(comparison.generated)) == 1:
        yield "A single hypergraph cannot be resampled: there are no intervals."
    for name, collection in collections.items():
        for what, numbers in (("nodes", collection.n), ("hyperedges", collection.m)):
            count = int((numbers == 0).sum())
            if count:
                yield f"{count:,} of the {len(collection):,} {name} hypergraphs have no {what}; pooled metrics ignore them."
    yield from (f"{row.title}: {row.note}." for row in rows if row.value is not None and row.note)


def _number(value: float) -> float | None:
    """Return a number that JSON can hold, with rounding errors of zero as zero."""
    if not math.isfinite(value):
        return None
    return 0.0 if abs(value) < _ZERO else float(value)


def _numbers(values: dict[str, float]) -> dict[str, float | None]:
    return {key: _number(value) for key, value in values.items()}
