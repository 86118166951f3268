"""Tables of real data like the paper's, and their summary: who is best, who is near the floor, which differences exceed chance."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from benchmarks.paper.means import cost_table, property_table
from benchmarks.paper.numbers import REAL, paper_cell
from hyperhedge.bench.results import Difference, Results, Spread, difference
from hyperhedge.bench.tables import (
    NONE,
    best,
    dataset_titles,
    mean_only,
    number,
    ranks_of,
    table,
    with_deviation,
)
from hyperhedge.metrics import METRICS

__all__ = ["HIGHER_ORDER", "MARGINALS", "real_tables"]

MARGINALS = ("density_gap", "size_gap", "degree_gap", "size_wd", "degree_wd")
HIGHER_ORDER = ("overlap_tail_gap", "intersection_wd", "feature_mmd")

Pair = tuple[str, str]
"""A dataset and a metric."""


def real_tables(results: Results) -> dict[str, str]:
    """Return the tables of real data by their headings."""
    others = [key for key in _compared(results) if key not in REAL]
    return {
        "In short": _in_short(results),
        **_against_reference(results),
        "Higher-order structure": _metrics_by_dataset(results, HIGHER_ORDER, mean_only),
        "Calibration and marginals, mean ± standard deviation": _metrics_by_dataset(results, MARGINALS, with_deviation),
        "Higher-order structure, mean ± standard deviation": _metrics_by_dataset(results, HIGHER_ORDER, with_deviation),
        "Metrics that the paper does not have, mean ± standard deviation": _metrics_by_dataset(
            results, others, with_deviation
        ),
        "Times the floor": _ratios(results),
        "Properties": property_table(results),
        "Cost": cost_table(results),
    }


def _compared(results: Results) -> list[str]:
    """Return the metrics that can differ: the number of nodes is that of the data."""
    return [key for key in results.experiment.protocol.metrics if key != "node_number"]


def _pairs(results: Results) -> list[Pair]:
    return [(dataset, key) for dataset in results.experiment.datasets for key in _compared(results)]


# -- in short ----------------------------------------------------------------------------------------


def _in_short(results: Results) -> str:
    """Count, over datasets and metrics, how often each method is best, and how often it is near the floor."""
    pairs = _pairs(results)
    rankings = [_ranks(results, pair) for pair in pairs]
    rows = []
    for name in results.generators:
        ranks = [ranking[name] for ranking in rankings if name in ranking]
        records = [record for dataset in results.experiment.datasets for record in results.of(dataset, name).values()]
        aucs = [record.auc for record in records if record.auc is not None]
        scores = [record.properties.get("novelty") for record in records]
        novelty = [score for score in scores if score is not None]
        rows.append(
            [
                results.title(name),
                _share(rank == 1 for rank in ranks),
                _share(rank <= 2 for rank in ranks),
                _share(near for _, near in _near_the_floor(results, name, pairs)),
                _share(auc <= 0.6 for auc in aucs),
                f"{number(min(novelty), 2)} to {number(max(novelty), 2)}" if novelty else NONE,
            ]
        )
    head = ["method", "best", "best or second", "within twice the floor", "cells with an AUC of at most 0.6", "novelty"]
    many = len(results.experiment.datasets)
    text = (
        f"Over {many} dataset{'s' if many > 1 else ''} and {len(_compared(results))} metrics, by the mean magnitude of each over "
        "the seeds that are done; the three gaps are one number in three units. The AUC is that of a classifier that tells "
        "generated from held-out hypergraphs; 0.5 is a coin."
    )
    return "\n\n".join([text, table(head, rows, left=1), *_shortfalls(results)])


def _ranks(results: Results, pair: Pair) -> dict[str, int]:
    return ranks_of({name: results.mean_magnitude(pair[0], name, pair[1]) for name in results.generators})


def _near_the_floor(results: Results, method: str, pairs: Sequence[Pair]) -> Iterator[tuple[Pair, bool]]:
    """Say of each dataset and metric, where both have values, whether the method is at most twice the floor."""
    for dataset, key in pairs if results.floors else ():
        value = results.mean_magnitude(dataset, method, key)
        floor = results.mean_magnitude(dataset, results.floors[0], key)
        if value is not None and floor is not None:
            yield (dataset, key), value <= 2 * floor


def _share(conditions: Iterable[bool]) -> str:
    """Count the conditions that hold."""
    listed = list(conditions)
    return f"{sum(listed)} of {len(listed)}" if listed else NONE


def _shortfalls(results: Results) -> Iterator[str]:
    """Name the pairs in which the reference is not best in higher-order structure, and those beyond twice the floor."""
    reference = results.experiment.reference
    if reference is None or not any(results.of(dataset, reference) for dataset in results.experiment.datasets):
        return
    title, pairs = results.title(reference), _pairs(results)
    not_first = [pair for pair in pairs if pair[1] in HIGHER_ORDER and _ranks(results, pair).get(reference, 1) > 1]
    beyond = [pair for pair, near in _near_the_floor(results, reference, pairs) if not near]
    yield f"Of the paper's three metrics of higher-order structure, {title} is not best in: {_named(results, not_first)}."
    if results.floors:
        yield f"{title} is beyond twice the floor in: {_named(results, beyond)}."


def _named(results: Results, pairs: Sequence[Pair]) -> str:
    """List pairs, metric by metric."""
    titles = dataset_titles(results)
    by_metric: dict[str, list[str]] = {}
    for dataset, key in pairs:
        by_metric.setdefault(METRICS[key].title, []).append(titles[dataset])
    return "; ".join(f"{metric} ({', '.join(datasets)})" for metric, datasets in by_metric.items()) or "none"


# -- the reference against the others ----------------------------------------------------------------


def _against_reference(results: Results) -> dict[str, str]:
    """Count, by dataset, in how many metrics the reference is nearer to the data than another method, in pairs of seeds."""
    reference = results.experiment.reference
    others = [name for name in results.generators if name != reference]
    if reference is None or not others:
        return {}
    rows, farther = [], []
    for name in others:
        changes = {pair: _difference(results, pair, name, reference) for pair in _pairs(results)}
        columns = [[changes[dataset, key] for key in _compared(results)] for dataset in results.experiment.datasets]
        rows.append([results.title(name), *map(_counts, columns), _counts(changes.values())])
        lost = [pair for pair, change in changes.items() if change is not None and change.high < 0]
        farther += [f"than {results.title(name)} in {_named(results, lost)}"] if lost else []
    title = results.title(reference)
    text = (
        f"In how many metrics {title} is nearer to the data than each of the others, not distinguishable, and farther: "
        "whether the 95% interval of the difference, over the seeds that both have, excludes zero. "
        f"By chance alone one interval in twenty does. {title} is farther {'; '.join(farther) or 'nowhere'}."
    )
    shown = table(["against", *dataset_titles(results).values(), "all"], rows, left=1)
    return {f"{title} against the others, in pairs of seeds": f"{text}\n\n{shown}"}


def _difference(results: Results, pair: Pair, method: str, reference: str) -> Difference | None:
    dataset, key = pair
    return difference(results.magnitudes(dataset, method, key), results.magnitudes(dataset, reference, key))


def _counts(changes: Iterable[Difference | None]) -> str:
    """Count differences to the reference that are positive, compatible with zero, and negative."""
    known = [change for change in changes if change is not None]
    counts = (
        sum(change.low > 0 for change in known),
        sum(not change.excludes_zero for change in known),
        sum(change.high < 0 for change in known),
    )
    return " / ".join(map(str, counts)) if known else NONE


# -- metric by metric --------------------------------------------------------------------------------


def _metrics_by_dataset(results: Results, metrics: Sequence[str], write: Callable[[Spread], str]) -> str:
    datasets, methods = list(results.experiment.datasets), [*results.floors, *results.generators]
    rows: list[list[str]] = []
    for metric in metrics:
        columns = [best(results, methods, dataset, metric, write) for dataset in datasets]
        title = METRICS[metric].title
        for name in methods:
            rows.append([title, results.title(name), *(column[name] for column in columns)])
            rows += _paper_row(results, metric, name, short=write is mean_only)
            title = ""
    return table(["metric", "method", *dataset_titles(results).values()], rows, left=2)


def _paper_row(results: Results, metric: str, method: str, *, short: bool) -> Iterator[list[str]]:
    """Yield what the paper prints for the method of this title, if anything."""
    title = results.title(method)
    cells = [paper_cell(metric, title, dataset) for dataset in results.experiment.datasets]
    if any(cells):
        shown = [(cell.partition(" ")[0] if short else cell) if cell else NONE for cell in cells]
        yield ["", f"{title}, the paper", *shown]


def _ratios(results: Results) -> str:
    """Divide the mean magnitude of each metric by the floor's."""
    if not results.floors:
        return "The experiment has no floor."
    floor = results.floors[0]
    rows = []
    for metric in _compared(results):
        title = METRICS[metric].title
        for name in results.generators:
            cells = [
                _ratio(results.mean_magnitude(dataset, name, metric), results.mean_magnitude(dataset, floor, metric))
                for dataset in results.experiment.datasets
            ]
            rows.append([title, results.title(name), *cells])
            title = ""
    return table(["metric", "method", *dataset_titles(results).values()], rows, left=2)


def _ratio(value: float | None, floor: float | None) -> str:
    if value is None or floor is None:
        return NONE
    if floor == 0:
        return "1.0" if value == 0 else "∞"
    return f"{value / floor:.1f}"
