"""Evaluate generated hypergraphs: every metric with interval, floor and ceiling, and the properties next to fidelity."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console

from hyperhedge._system.memory import admit
from hyperhedge._system.progress import Meter
from hyperhedge.convert import as_hypergraph, as_hypergraphs, is_single
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.errors import HyperhedgeError, UndefinedError
from hyperhedge.metrics.detectability import classifier_auc, detectability_score, permutation_p_value
from hyperhedge.metrics.diversity import diversity
from hyperhedge.metrics.metric import Metric, Settings, check_whole
from hyperhedge.metrics.novelty import novelty
from hyperhedge.metrics.registry import MetricChoice, select_metrics
from hyperhedge.metrics.statistics import Statistics, statistics_of
from hyperhedge.metrics.validity import Ranges, defects, excesses, validity
from hyperhedge.models.base import Seed, fingerprint
from hyperhedge.report.memory import evaluation_bytes
from hyperhedge.report.provenance import seed_number, versions
from hyperhedge.report.reference import Reference, different_laws, number
from hyperhedge.report.report import Property, Report, Row, fidelity

if TYPE_CHECKING:
    from hyperhedge.report.whole.report import WholeReport

FLOOR_REPEATS = 20
"""Over how many random subsets the floor of a collection is averaged."""

_MOST_PERMUTATIONS = 10**6  # hours; more tell nothing more
_PROPERTIES = 4  # those beside fidelity


def evaluate(
    real: Any,
    generated: Any,
    *,
    train: Any = None,
    baselines: Mapping[str, Any] | None = None,
    whole: bool | None = None,
    metrics: Iterable[MetricChoice] | Mapping[str, Callable[..., Any]] | None = None,
    eigenvalues: int | None = 16,
    threshold: int = 2,
    bootstrap: int = 200,
    confidence: float = 0.95,
    floor_repeats: int | None = None,
    ceiling: bool = True,
    permutations: int = 999,
    seed: Seed | None = None,
    name: str = "generated",
    progress: Console | bool | None = None,
) -> Report:
    """Compare generated hypergraphs with real ones, or one whole hypergraph with another.

    *Collections*: the report says how close the law of the generated hypergraphs is to that of the real ones. *Whole hypergraphs*
    (``evaluate(H, G)``): how close one hypergraph is to another of its size, against halves of the real one and its configuration
    model; the report is a :class:`~hyperhedge.report.whole.report.WholeReport`.

    All hypergraphs may be objects of XGI, HyperNetX and the other libraries that :func:`hyperhedge.convert.as_hypergraph` accepts.

    Parameters
    ----------
    real
        Held-out real hypergraphs, which the generator has not seen; or one whole hypergraph.
    generated
        The hypergraphs to evaluate, a collection or one.
    train
        The training set of the generator. It gives the floor and shows whether generated hypergraphs are new; without it, the
        floor comes from halves of ``real``, and novelty is not known. For whole hypergraphs the floor always comes from halves,
        and ``real`` is the training hypergraph if nothing else is given.
    baselines
        Samples of other generators by name, such as ``{"HCM": …}``; table and plots show them next to the generated ones.
    whole
        Whether to compare whole hypergraphs: True for a few of them on either side, False for collections; None for whole
        hypergraphs if ``real`` is a single one.
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
    floor_repeats
        Over how many random subsets of the training set the floor is averaged (default: 20); for whole hypergraphs, over how many
        splits into halves (default: 5).
    bootstrap, confidence
        Replicates and level of the intervals; no intervals with 0. A function ``f(real, generated)`` is called once per replicate.
    ceiling
        Whether to sample independent incidences (ER-HG) for the ceiling.
    permutations
        How many random splits the permutation test takes.
    seed
        A whole number, a numpy generator, or None for a new seed; the report records it.
    name
        What the report calls the generated hypergraphs.
    progress
        A console to show progress on, or True for standard error.

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
    if is_single(real) if whole is None else whole:
        _refuse_for_whole(
            {
                "eigenvalues": eigenvalues,
                "threshold": threshold,
                "bootstrap": bootstrap,
                "confidence": confidence,
                "ceiling": ceiling,
                "permutations": permutations,
            }
        )
        return _evaluate_whole(real, generated, train, baselines, metrics, floor_repeats, seed, name, progress)
    options = Options(
        metrics,
        eigenvalues,
        threshold,
        bootstrap,
        confidence,
        FLOOR_REPEATS if floor_repeats is None else floor_repeats,
        ceiling,
        permutations,
        seed_number(seed),
    )
    held_out, made = statistics_of(real, "real"), statistics_of(generated, "generated")
    known = None if train is None else statistics_of(train, "train")
    others = _baseline_collections(baselines)
    options.admit(held_out, known, [made, *others.values()], progress)
    with Meter(progress, "evaluating", options.steps(1 + len(others))) as meter:
        reference = options.reference(held_out, known, len(made))
        return report_on(made, reference, options, str(name), others, meter)


def _evaluate_whole(
    real: Any,
    generated: Any,
    train: Any,
    baselines: Mapping[str, Any] | None,
    metrics: Any,
    floor_repeats: int | None,
    seed: Seed | None,
    name: str,
    progress: Console | bool | None,
) -> WholeReport:
    """Compare whole hypergraphs, each side one or a few."""
    from hyperhedge.report.whole.evaluate import evaluate_whole  # compiles
    from hyperhedge.report.whole.judge import WholeOptions

    if isinstance(metrics, Mapping):
        raise HyperhedgeError("metrics= of whole hypergraphs are names of measures or groups, not functions")
    repeats = {} if floor_repeats is None else {"floor_repeats": floor_repeats}
    return evaluate_whole(
        _whole(real, "real"),
        _whole(generated, "generated"),
        None if train is None else _whole(train, "train"),
        {name: _whole(samples, f"baselines[{name!r}]") for name, samples in _named(baselines).items()},
        WholeOptions(metrics=metrics, seed=seed_number(seed), **repeats),
        str(name),
        progress,
    )


def _whole(value: Any, name: str) -> list[Hypergraph]:
    """Return one hypergraph or a few as a list."""
    return [as_hypergraph(value, name)] if is_single(value) else as_hypergraphs(value, name)


def _refuse_for_whole(options: dict[str, Any]) -> None:
    """Refuse options that have no meaning for whole hypergraphs."""
    defaults = {name: parameter.default for name, parameter in signature(evaluate).parameters.items()}
    for name, value in options.items():
        if value != defaults[name]:
            raise HyperhedgeError(f"{name}= is for collections of hypergraphs; leave it out for whole ones")


@dataclass(frozen=True)
class Options:
    """How hypergraphs are compared, checked; :func:`evaluate` says what each means."""

    metrics: Iterable[MetricChoice] | Mapping[str, Callable[..., Any]] | None
    eigenvalues: int | None
    threshold: int
    bootstrap: int
    confidence: float
    floor_repeats: int
    ceiling: bool
    permutations: int
    seed: int

    def __post_init__(self) -> None:
        self.settings, self.selected  # noqa: B018  # which are checked
        check_whole("bootstrap", self.bootstrap, 0)
        check_whole("floor_repeats", self.floor_repeats, 1)
        check_whole("permutations", self.permutations, 1, _MOST_PERMUTATIONS)
        if not 0 < self.confidence < 1:
            raise HyperhedgeError(f"confidence= must lie between 0 and 1, not be {self.confidence!r}")

    @cached_property
    def settings(self) -> Settings:
        """What the definitions of the metrics leave open."""
        return Settings(self.eigenvalues, self.threshold)

    @cached_property
    def selected(self) -> tuple[Metric, ...]:
        """The metrics."""
        return select_metrics(self.metrics)

    def sources(self) -> dict[str, np.random.Generator]:
        """Return one source of randomness per task: the number of replicates does not change the floor."""
        tasks = ("bootstrap", "floor", "ceiling", "diversity", "detection", "halves", "subset")
        return dict(zip(tasks, np.random.default_rng(self.seed).spawn(len(tasks)), strict=True))

    def reference(self, real: Statistics, train: Statistics | None, count: int) -> Reference:
        """Return floor and ceiling for ``count`` generated hypergraphs."""
        rng = self.sources()
        rngs = rng["floor"], rng["ceiling"], rng["halves"]
        return Reference.of(
            real, train, count, self.settings, self.confidence, self.floor_repeats, rngs, ceiling=self.ceiling
        )

    def admit(
        self,
        real: Statistics,
        train: Statistics | None,
        samples: Sequence[Statistics],
        progress: Console | bool | None,
    ) -> None:
        """Refuse a comparison that takes more memory than there is."""
        first, *others = samples
        need = evaluation_bytes(real, first, train, others, bootstrap=self.bootstrap, floor_repeats=self.floor_repeats)
        admit(need, "evaluating", "give fewer hypergraphs, or a smaller bootstrap= or floor_repeats=", progress)

    def steps(self, collections: int) -> int:
        """Return how many steps there are to count: the metrics of each collection, and the other properties of one."""
        return collections * len(self.selected) + _PROPERTIES

    def as_data(self) -> dict[str, Any]:
        """Return the options as a report keeps them."""
        names = ("eigenvalues", "threshold", "bootstrap", "confidence", "floor_repeats", "permutations", "ceiling")
        return {
            **{name: getattr(self, name) for name in names},
            "metrics": [metric.key for metric in self.selected],
            "seed": self.seed,
        }


def report_on(
    generated: Statistics,
    reference: Reference,
    options: Options,
    name: str,
    baselines: Mapping[str, Statistics],
    meter: Meter,
) -> Report:
    """Compare generated hypergraphs with a reference that was made for as many."""
    rng = options.sources()
    weights = reference.replicates(generated, options.bootstrap, rng["bootstrap"])
    rows = tuple(reference.row(metric, generated, weights) for metric in meter.count(options.selected))
    shift = reference.shift(options.selected)
    real, train = reference.real, reference.train
    collections = {"real": real, "generated": generated} | ({} if train is None else {"train": train})
    everything = collections | dict(baselines)
    computed: dict[str, Callable[[], Property]] = {
        "novelty": lambda: _novelty(train, real, generated, shift),
        "validity": lambda: _validity(real, generated, train),
        "diversity": lambda: _diversity(real, generated, rng["diversity"]),
        "detectability": lambda: _detectability(real, generated, options.permutations, rng["detection"]),
    }
    properties = {key: _guarded(compute) for key, compute in meter.count(computed.items())}
    return Report(
        name=name,
        properties={"fidelity": fidelity(rows, reference.why_blunt(shift))} | properties,
        details=rows,
        counts={key: len(collection) for key, collection in collections.items()},
        settings=options.as_data()
        | {"versions": versions(), "data": {key: fingerprint(c.hypergraphs) for key, c in everything.items()}},
        notes=tuple(_notes(collections, reference, shift, rows)),
        baselines={key: reference.baseline(c, meter.count(options.selected), rows) for key, c in baselines.items()},
        collections=everything,
        values=_values(options.selected, everything),
    )


#: What collections of a comparison are called besides names of generators.
ROLES = ("real", "generated", "train")


def _baseline_collections(baselines: Mapping[str, Any] | None) -> dict[str, Statistics]:
    """Return the statistics of the baselines' samples by name."""
    return {name: statistics_of(samples, f"baselines[{name!r}]") for name, samples in _named(baselines).items()}


def _named(baselines: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the baselines' samples by name, and refuse names that could be confused with others."""
    if baselines is not None and not isinstance(baselines, Mapping):
        raise HyperhedgeError(
            f'baselines= must be a mapping such as {{"HCM": samples}}, not a {type(baselines).__name__}'
        )
    collections = {}
    for name, samples in (baselines or {}).items():
        if not str(name).strip() or name in ROLES:
            raise HyperhedgeError(f"baselines= needs names other than {', '.join(ROLES)}, not {name!r}")
        collections[str(name)] = samples
    return collections


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


# -- the other properties ----------------------------------------------------------------------------


def _guarded(compute: Callable[[], Property]) -> Property:
    """Compute a property, or say why it has no score."""
    try:
        return compute()
    except UndefinedError as error:
        return Property(None, note=f"not computed: {error}")


def _validity(real: Statistics, generated: Statistics, train: Statistics | None) -> Property:
    ranges = Ranges.of(*(collection for collection in (real, train) if collection is not None))
    in_real, in_generated = defects(real, ranges), defects(generated, ranges)
    values: dict[str, float | None] = {}
    for whose, listed in (("generated", in_generated), ("real", in_real)):
        for defect in listed:
            values[f"{defect.name}, share of {defect.of} ({whose})"] = defect.share
            values[f"{defect.name}, share of hypergraphs ({whose})"] = defect.hypergraphs
    for defect, excess in zip(in_generated, excesses(in_real, in_generated), strict=True):
        values[f"{defect.name}, excess beyond chance"] = excess
    for what, bounds in (("edge sizes", ranges.sizes), ("degrees", ranges.degrees)):
        low, high = bounds or (None, None)
        values |= {f"{what} from (real)": low, f"{what} to (real)": high}
    return Property(validity(in_real, in_generated), values)


def _novelty(train: Statistics | None, real: Statistics, generated: Statistics, shift: float | None) -> Property:
    if train is None:
        return Property(None, note="give train= to find out whether the generated hypergraphs are copies")
    result = novelty(train, real, generated)
    values = _numbers(asdict(result) | {"ratio": result.ratio})
    if not math.isfinite(result.score):
        return Property(None, values, "every held-out hypergraph is itself a copy of a training hypergraph")
    if different_laws(shift):  # then held-out ones are far from the training set, and everything of its law is closer
        return Property(
            result.uncopied, values, "training and real hypergraphs follow different laws: only copies count"
        )
    return Property(result.score, values)


def _diversity(real: Statistics, generated: Statistics, rng: np.random.Generator) -> Property:
    result = diversity(real, generated, rng)
    return Property(number(result.score), _numbers(asdict(result)))


def _detectability(real: Statistics, generated: Statistics, permutations: int, rng: np.random.Generator) -> Property:
    auc = classifier_auc(real, generated, rng)
    p_value = permutation_p_value(real, generated, rng, permutations)
    return Property(detectability_score(auc), {"auc": auc, "p_value": p_value})


# -- notes and numbers -------------------------------------------------------------------------------


def _notes(
    collections: dict[str, Statistics], reference: Reference, shift: float | None, rows: Sequence[Row]
) -> Iterator[str]:
    """Iterate over what a reader of the report should know."""
    if reference.floor is None:
        yield "There is one real hypergraph and no train=: nothing shows how far real ones are from each other."
    elif reference.floor.note:
        yield reference.floor.note
    if shift is not None and different_laws(shift):
        yield (
            f"Training hypergraphs are typically {shift:.2g} times as far from the real ones as halves of the real ones are from "
            "each other: the two follow different laws, and ratios to this floor are lenient."
        )
    if reference.ceiling is None and reference.floor is not None:
        yield "There is no ceiling: it is not known which metrics independent incidences would be good by."
    if min(len(collections["real"]), len(collections["generated"])) == 1:
        yield "A single hypergraph cannot be resampled: there are no intervals."
    for name, collection in collections.items():
        for what, numbers in (("nodes", collection.n), ("hyperedges", collection.m)):
            count = int((numbers == 0).sum())
            if count:
                yield f"{count:,} of the {len(collection):,} {name} hypergraphs have no {what}; pooled metrics ignore them."
    yield from (f"{row.title}: {row.note}." for row in rows if row.value is not None and row.note)


def _numbers(values: dict[str, float]) -> dict[str, float | None]:
    return {key: number(value) for key, value in values.items()}
