"""Ablation tables like the paper's: averages over the regimes, each regime, and differences to the full model in pairs of seeds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from benchmarks.paper.means import cost_table
from benchmarks.paper.numbers import FORWARD, GEOMETRY, STRUCTURE, SUMMARY, SUMMARY_METRICS
from hyperhedge.bench.results import Difference, Results, difference, spread
from hyperhedge.bench.tables import (
    NONE,
    best,
    dataset_titles,
    difference_text,
    emphasise,
    ranks_to_mark,
    table,
    with_error,
)
from hyperhedge.metrics import METRICS

__all__ = ["ablation_tables"]


def ablation_tables(results: Results) -> dict[str, str]:
    """Return the tables of the ablations by their headings; methods have the paper's names for the variants."""
    forward = [name for name in results.generators if name in ("full", "ou")]
    return {
        "Averages over the regimes, mean ± standard error over regimes": _summary(results),
        "Forward process, mean ± standard error over seeds": _by_regime(results, forward, FORWARD),
        "Two-sided geometry, mean ± standard error over seeds": _by_regime(results, results.generators, GEOMETRY),
        **_differences(results),
        "Mean hyperedge size, generated minus held-out, mean ± standard error over seeds": _edge_size_gaps(results),
        "Cost": cost_table(results),
    }


def _summary(results: Results) -> str:
    """Average over regimes, as the paper does: first over the seeds of a regime, then over regimes."""
    methods = [*results.floors, *results.generators]
    columns = []
    for metric in SUMMARY_METRICS:
        regimes = {name: _regime_means(results, name, metric) for name in methods}
        shared = (
            set.intersection(*(set(means) for means in regimes.values() if means)) if any(regimes.values()) else set()
        )
        spreads = {name: spread(means[key] for key in means if key in shared) for name, means in regimes.items()}
        ranks = ranks_to_mark({name: spreads[name] for name in results.generators})
        columns.append(
            {
                name: NONE if values is None else emphasise(with_error(values), ranks.get(name))
                for name, values in spreads.items()
            }
        )
    rows = []
    for name in methods:
        rows.append([results.title(name), *(column[name] for column in columns)])
        rows += [[f"{results.title(name)}, the paper", *SUMMARY[name]]] if name in SUMMARY else []
    return table(["variant", *(METRICS[key].title for key in SUMMARY_METRICS)], rows, left=1)


def _regime_means(results: Results, method: str, metric: str) -> dict[str, float]:
    spreads = {name: spread(results.values(name, method, metric).values()) for name in results.experiment.datasets}
    return {name: values.mean for name, values in spreads.items() if values is not None}


def _by_regime(results: Results, compared: Sequence[str], paper: Mapping[str, Mapping[str, Sequence[str]]]) -> str:
    methods = [*results.floors, *compared]
    rows = []
    for dataset, title in dataset_titles(results).items():
        columns = [best(results, methods, dataset, metric, with_error) for metric in STRUCTURE]
        shown = title
        for name in methods:
            rows.append([shown, results.title(name), *(column[name] for column in columns)])
            printed = paper.get(dataset, {}).get(name)
            rows += [["", f"{results.title(name)}, the paper", *printed]] if printed else []
            shown = ""
    return table(["regime", "variant", *(METRICS[key].title for key in STRUCTURE)], rows, left=2)


def _edge_size_gaps(results: Results) -> str:
    """Show, with its sign, a bias that enters the distances above: too many incidences, or too few."""
    methods = [*results.floors, *results.generators]
    columns = [best(results, methods, dataset, "size_gap", with_error) for dataset in results.experiment.datasets]
    rows = [[results.title(name), *(column[name] for column in columns)] for name in methods]
    return table(["variant", *dataset_titles(results).values()], rows, left=1)


def _differences(results: Results) -> dict[str, str]:
    """Compare every variant with the reference, seed by seed."""
    reference = results.experiment.reference
    if reference is None:
        return {}
    datasets = list(results.experiment.datasets)
    groups = [
        *((title, [name]) for name, title in dataset_titles(results).items()),
        ("all regimes", datasets),
    ]
    rows, single = [], list[Difference]()
    for title, regimes in groups:
        shown = title
        for name in (method for method in results.generators if method != reference):
            changes = [
                difference(results.mean_over(regimes, name, metric), results.mean_over(regimes, reference, metric))
                for metric in STRUCTURE
            ]
            single += [change for change in changes if change is not None and len(regimes) == 1]
            rows.append([shown, results.title(name), *map(difference_text, changes)])
            shown = ""
    heading = f"Differences to {results.title(reference)}, in pairs of seeds, with 95% intervals"
    shown_table = table(["regime", "variant", *(METRICS[key].title for key in STRUCTURE)], rows, left=2)
    if not single:
        return {heading: shown_table}
    effects = sum(change.excludes_zero for change in single)
    worse = sum(change.low > 0 for change in single)
    text = (
        f"Positive: the variant is farther from the data than {results.title(reference)}. **Bold**: the interval excludes zero. "
        f"Of the {len(single)} intervals of single regimes {effects} do ({worse} of them positive); by chance alone "
        f"{math.ceil(0.05 * len(single))} or so would."
    )
    return {heading: f"{text}\n\n{shown_table}"}
