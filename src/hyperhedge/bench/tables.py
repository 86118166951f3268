"""The paper's tables from records, in Markdown, with the paper's own numbers beside ours.

Lower is better everywhere; of the gaps, which have a sign, the size counts. In each column the best mean is **bold** and the
second *italic*; equal ones share their place. The floor takes no part. A number in brackets says how many seeds there are if
some are missing; – means that there is none.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from hyperhedge.bench.paper import DATASETS as PAPER_DATASETS
from hyperhedge.bench.paper import FORWARD, GEOMETRY, REAL, STRUCTURE, SUMMARY, SUMMARY_METRICS, paper_cell
from hyperhedge.bench.record import Record
from hyperhedge.bench.results import Difference, Results, Spread, difference, spread
from hyperhedge.metrics import METRICS

__all__ = ["HIGHER_ORDER", "MARGINALS", "TABLES", "Tables", "number", "ranked"]

MARGINALS = ("density_gap", "size_gap", "degree_gap", "size_wd", "degree_wd")
HIGHER_ORDER = ("overlap_tail_gap", "intersection_wd", "feature_mmd")
NONE = "–"

Tables = dict[str, str]
"""Tables by their headings."""


_Part = Callable[[Record], float | None]

# -- numbers -----------------------------------------------------------------------------------------


def number(value: float, digits: int = 3) -> str:
    """Write a number without a minus before zero.

    Examples
    --------
    >>> number(-0.0001), number(1.23456)
    ('0.000', '1.235')
    """
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def _digits(mean: float) -> int:
    return 3 if abs(mean) >= 0.01 or mean == 0 else 4


def _with_deviation(found: Spread) -> str:
    return _with(found, found.deviation)


def _with_error(found: Spread) -> str:
    return _with(found, found.error)


def _with(found: Spread, width: float | None) -> str:
    digits = _digits(found.mean)
    return number(found.mean, digits) + ("" if width is None else f" ± {number(width, digits)}")


def _alone(found: Spread) -> str:
    return number(found.mean, _digits(found.mean))


def ranked(means: Mapping[str, float | None]) -> dict[str, int]:
    """Give the smallest in size the place 1, the next 2; equal ones share theirs.

    Examples
    --------
    >>> ranked({"a": 0.2, "b": -0.1, "c": 0.2, "d": None})
    {'a': 2, 'b': 1, 'c': 2}
    """
    sizes = {name: abs(mean) for name, mean in means.items() if mean is not None}
    order = sorted(set(sizes.values()))
    return {name: order.index(size) + 1 for name, size in sizes.items()}


def _marked(text: str, place: int | None) -> str:
    return {1: f"**{text}**", 2: f"*{text}*"}.get(place or 0, text)


def _places(found: Mapping[str, Spread | None]) -> dict[str, int]:
    """Find the best and the second; of two alone, the second is the last, and not marked."""
    places = ranked({name: None if part is None else part.mean for name, part in found.items()})
    return places if len(places) > 2 else {name: place for name, place in places.items() if place == 1}


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], *, left: int) -> str:
    """Write a Markdown table whose first columns are words."""
    aligned = "|".join(["---"] * left + ["---:"] * (len(head) - left))
    return "\n".join([f"| {' | '.join(head)} |", f"|{aligned}|", *(f"| {' | '.join(row)} |" for row in rows)])


def _best(
    results: Results, methods: Sequence[str], found: Mapping[str, Spread | None], write: Callable[[Spread], str]
) -> dict[str, str]:
    """Write a column: a number for each method, best and second marked."""
    places = _places({name: found[name] for name in methods if name in results.generators})
    cells = {}
    for name in methods:
        part = found[name]
        missing = f" ({part.count})" if part and part.count < results.expected(name) else ""
        cells[name] = NONE if part is None else _marked(write(part), places.get(name)) + missing
    return cells


# -- real data ---------------------------------------------------------------------------------------


def real_tables(results: Results) -> Tables:
    """Return the tables of the real data."""
    others = [key for key in _compared(results) if key not in REAL]
    return {
        "In short": _in_short(results),
        "Higher-order structure": _metrics_by_dataset(results, HIGHER_ORDER, _alone),
        "Calibration and marginals, mean ± standard deviation": _metrics_by_dataset(
            results, MARGINALS, _with_deviation
        ),
        "Higher-order structure, mean ± standard deviation": _metrics_by_dataset(
            results, HIGHER_ORDER, _with_deviation
        ),
        "Metrics that the paper does not have, mean ± standard deviation": _metrics_by_dataset(
            results, others, _with_deviation
        ),
        "Times the floor": _ratios(results),
        "Properties": _properties(results),
        "Cost": _cost(results),
    }


def _in_short(results: Results) -> str:
    """Count, over datasets and metrics, how often each method is best, and how often it is near the floor."""
    pairs = [(dataset, key) for dataset in results.experiment.datasets for key in _compared(results)]
    places = [ranked({name: _size(results, *pair, name) for name in results.generators}) for pair in pairs]
    rows = []
    for name in results.generators:
        own = [place[name] for place in places if name in place]
        found = [record for dataset in results.experiment.datasets for record in results.of(dataset, name).values()]
        aucs = [record.auc for record in found if record.auc is not None]
        novelty = [score for score in map(_property("novelty"), found) if score is not None]
        rows.append(
            [
                results.title(name),
                _share(place == 1 for place in own),
                _share(place <= 2 for place in own),
                _share(_near_the_floor(results, name, pairs)),
                _share(auc <= 0.6 for auc in aucs),
                f"{number(min(novelty), 2)} to {number(max(novelty), 2)}" if novelty else NONE,
            ]
        )
    head = ["method", "best", "best or second", "within twice the floor", "cells with an AUC of at most 0.6", "novelty"]
    many = len(results.experiment.datasets)
    text = (
        f"Over {many} dataset{'s' if many > 1 else ''} and {len(_compared(results))} metrics, by the mean size of each over "
        "the seeds that there are; the three gaps are one number in three units. The AUC is that of a classifier that tells "
        "generated from held-out hypergraphs; 0.5 is a coin."
    )
    return f"{text}\n\n{_table(head, rows, left=1)}"


def _near_the_floor(results: Results, method: str, pairs: Sequence[tuple[str, str]]) -> Iterator[bool]:
    """Say of each dataset and metric that a method and the floor have whether it is at most twice the floor."""
    for dataset, key in pairs if results.floors else ():
        size, floor = (_size(results, dataset, key, name) for name in (method, results.floors[0]))
        if size is not None and floor is not None:
            yield size <= 2 * floor


def _share(found: Iterable[bool]) -> str:
    """Count what holds."""
    listed = list(found)
    return f"{sum(listed)} of {len(listed)}" if listed else NONE


def _compared(results: Results) -> list[str]:
    """Return the metrics that can differ: the number of nodes is given."""
    return [key for key in results.experiment.protocol.metrics if key != "node_number"]


def _metrics_by_dataset(results: Results, metrics: Sequence[str], write: Callable[[Spread], str]) -> str:
    datasets, methods = list(results.experiment.datasets), [*results.floors, *results.generators]
    rows: list[list[str]] = []
    for metric in metrics:
        columns = [
            _best(
                results,
                methods,
                {name: spread(results.values(dataset, name, metric).values()) for name in methods},
                write,
            )
            for dataset in datasets
        ]
        title = METRICS[metric].title
        for name in methods:
            rows.append([title, results.title(name), *(column[name] for column in columns)])
            rows += _paper_row(results, metric, name, short=write is _alone)
            title = ""
    return _table(["metric", "method", *_titles(results)], rows, left=2)


def _paper_row(results: Results, metric: str, method: str, *, short: bool) -> Iterator[list[str]]:
    """Yield what the paper prints for a method, if it does."""
    name = results.experiment.methods[method].paper
    cells = [paper_cell(metric, name, dataset) for dataset in results.experiment.datasets]
    if any(cells):
        shown = [(cell.partition(" ")[0] if short else cell) if cell else NONE for cell in cells]
        yield ["", f"{results.title(method)}, the paper", *shown]


def _titles(results: Results) -> list[str]:
    specs = results.experiment.datasets
    return [specs[name].title or PAPER_DATASETS.get(name, name) for name in specs]


def _ratios(results: Results) -> str:
    """Divide the mean size of each metric by the floor's."""
    if not results.floors:
        return "The experiment has no floor."
    floor = results.floors[0]
    rows = []
    for metric in _compared(results):
        title = METRICS[metric].title
        for name in results.generators:
            cells = [
                _ratio(_size(results, dataset, metric, name), _size(results, dataset, metric, floor))
                for dataset in results.experiment.datasets
            ]
            rows.append([title, results.title(name), *cells])
            title = ""
    return _table(["metric", "method", *_titles(results)], rows, left=2)


def _size(results: Results, dataset: str, metric: str, method: str) -> float | None:
    """Return the mean size of a metric over seeds: of a gap, without its sign."""
    found = spread(abs(value) for value in results.values(dataset, method, metric).values())
    return None if found is None else found.mean


def _ratio(value: float | None, floor: float | None) -> str:
    if value is None or floor is None:
        return NONE
    if floor == 0:
        return "1.0" if value == 0 else "∞"
    return f"{value / floor:.1f}"


def _properties(results: Results) -> str:
    parts = {name: (_property(name), 2) for name in ("fidelity", "novelty", "validity", "diversity", "detectability")}
    parts["AUC of a classifier"] = (lambda record: record.auc, 2)
    return _means(results, "property", [*results.floors, *results.generators], parts)


def _property(name: str) -> _Part:
    return lambda record: record.properties.get(name)


def _cost(results: Results) -> str:
    parts: dict[str, tuple[_Part, int]] = {
        "fit, seconds": (lambda record: record.seconds.get("fit"), 1),
        "samples a second": (lambda record: record.samples_per_second, 1),
        "peak memory, MiB": (lambda record: record.peak_mib, 0),
    }
    return "\n\n".join([_means(results, "cost", results.generators, parts), *_budget(results)])


def _budget(results: Results) -> Iterator[str]:
    """Say how long all cells take, by the mean of those of each dataset and method, if there is at least one of each."""
    hours = {}
    for name in results.experiment.methods:
        means = [
            spread(
                math.fsum(record.seconds.values()) - record.seconds.get("training", 0.0) for record in found.values()
            )
            for found in (results.of(dataset, name) for dataset in results.experiment.datasets)
        ]
        if any(mean is None for mean in means):
            continue
        total = math.fsum(mean.mean for mean in means if mean is not None) * results.expected(name) / 3600
        hours[results.title(name)] = total
    if hours:
        listed = ", ".join(f"{name} {number(value, 1)}" for name, value in hours.items() if value >= 0.05)
        yield f"All cells of the experiment take, by these means and with one thread each, in hours of one core: {listed}."


def _means(results: Results, head: str, methods: Sequence[str], parts: Mapping[str, tuple[_Part, int]]) -> str:
    """Average parts of records over seeds: a row for each part and method, a column for each dataset."""
    rows = []
    for title, (part, digits) in parts.items():
        shown = title
        for method in methods:
            cells = [_mean(results, dataset, method, part, digits) for dataset in results.experiment.datasets]
            rows.append([shown, results.title(method), *cells])
            shown = ""
    return _table([head, "method", *_titles(results)], rows, left=2)


def _mean(results: Results, dataset: str, method: str, part: _Part, digits: int) -> str:
    found = [part(record) for record in results.of(dataset, method).values()]
    mean = spread(value for value in found if value is not None)
    return NONE if mean is None else number(mean.mean, digits)


# -- ablations ---------------------------------------------------------------------------------------


def ablation_tables(results: Results) -> Tables:
    """Return the tables of the ablations."""
    forward = [name for name in results.generators if results.experiment.methods[name].paper in ("full", "ou")]
    return {
        "Averages over the regimes, mean ± standard error over regimes": _summary(results),
        "Forward process, mean ± standard error over seeds": _by_regime(results, forward, FORWARD),
        "Two-sided geometry, mean ± standard error over seeds": _by_regime(results, results.generators, GEOMETRY),
        **_differences(results),
        "Cost": _cost(results),
    }


def _heads(metrics: Sequence[str]) -> list[str]:
    return [METRICS[key].title for key in metrics]


def _summary(results: Results) -> str:
    """Average over regimes, as the paper does: first over the seeds of a regime, then over regimes."""
    methods = [*results.floors, *results.generators]
    columns = []
    for metric in SUMMARY_METRICS:
        regimes = {name: _regime_means(results, name, metric) for name in methods}
        shared = (
            set.intersection(*(set(means) for means in regimes.values() if means)) if any(regimes.values()) else set()
        )
        found = {name: spread(means[key] for key in means if key in shared) for name, means in regimes.items()}
        places = _places({name: found[name] for name in results.generators})
        columns.append(
            {
                name: NONE if part is None else _marked(_with_error(part), places.get(name))
                for name, part in found.items()
            }
        )
    rows = []
    for name in methods:
        rows.append([results.title(name), *(column[name] for column in columns)])
        paper = SUMMARY.get(results.experiment.methods[name].paper or "")
        rows += [[f"{results.title(name)}, the paper", *paper]] if paper else []
    return _table(["variant", *_heads(SUMMARY_METRICS)], rows, left=1)


def _regime_means(results: Results, method: str, metric: str) -> dict[str, float]:
    found = {name: spread(results.values(name, method, metric).values()) for name in results.experiment.datasets}
    return {name: part.mean for name, part in found.items() if part is not None}


def _by_regime(results: Results, compared: Sequence[str], paper: Mapping[str, Mapping[str, Sequence[str]]]) -> str:
    methods = [*results.floors, *compared]
    rows = []
    for dataset, title in zip(results.experiment.datasets, _titles(results), strict=True):
        columns = [
            _best(
                results,
                methods,
                {name: spread(results.values(dataset, name, metric).values()) for name in methods},
                _with_error,
            )
            for metric in STRUCTURE
        ]
        shown = title
        for name in methods:
            rows.append([shown, results.title(name), *(column[name] for column in columns)])
            printed = paper.get(dataset, {}).get(results.experiment.methods[name].paper or "")
            rows += [["", f"{results.title(name)}, the paper", *printed]] if printed else []
            shown = ""
    return _table(["regime", "variant", *_heads(STRUCTURE)], rows, left=2)


def _differences(results: Results) -> Tables:
    """Compare every variant with the reference, seed by seed."""
    reference = results.experiment.reference
    if reference is None:
        return {}
    datasets = list(results.experiment.datasets)
    groups = [
        *((title, [name]) for name, title in zip(datasets, _titles(results), strict=True)),
        ("all regimes", datasets),
    ]
    rows, found = [], list[Difference]()
    for title, regimes in groups:
        shown = title
        for name in (method for method in results.generators if method != reference):
            parts = [
                difference(results.mean_over(regimes, name, metric), results.mean_over(regimes, reference, metric))
                for metric in STRUCTURE
            ]
            found += [part for part in parts if part is not None and len(regimes) == 1]
            rows.append([shown, results.title(name), *map(_shown_difference, parts)])
            shown = ""
    heading = f"Differences to {results.title(reference)}, by pairs of seeds, with 95% intervals"
    table = _table(["regime", "variant", *_heads(STRUCTURE)], rows, left=2)
    if not found:
        return {heading: table}
    appear = sum(part.appears for part in found)
    worse = sum(part.low > 0 for part in found)
    text = (
        f"Positive: the variant is farther from the data than {results.title(reference)}. **Bold**: the interval leaves out zero. "
        f"Of the {len(found)} intervals of single regimes {appear} do ({worse} of them positive); by chance alone "
        f"{math.ceil(0.05 * len(found))} or so would."
    )
    return {heading: f"{text}\n\n{table}"}


def _shown_difference(found: Difference | None) -> str:
    if found is None:
        return NONE
    text = f"{found.mean:+.3f} [{number(found.low)}, {number(found.high)}]"
    return _marked(text, 1 if found.appears else None)


TABLES: dict[str, Callable[[Results], Tables]] = {"real": real_tables, "ablations": ablation_tables}
"""The tables of each kind of experiment."""
