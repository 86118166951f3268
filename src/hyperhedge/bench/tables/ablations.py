"""The paper's ablation tables: averages over the regimes, each regime, and differences to the full model by pairs of seeds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from hyperhedge.bench.paper import FORWARD, GEOMETRY, STRUCTURE, SUMMARY, SUMMARY_METRICS
from hyperhedge.bench.results import Difference, Results, difference, spread
from hyperhedge.bench.tables.cost import cost_table
from hyperhedge.bench.tables.parts import (
    NONE,
    Tables,
    best,
    dataset_titles,
    heads,
    marked,
    number,
    places_of,
    table,
    with_error,
)

__all__ = ["ablation_tables"]


def ablation_tables(results: Results) -> Tables:
    """Return the tables of the ablations."""
    forward = [name for name in results.generators if results.experiment.methods[name].paper in ("full", "ou")]
    return {
        "Averages over the regimes, mean ± standard error over regimes": _summary(results),
        "Forward process, mean ± standard error over seeds": _by_regime(results, forward, FORWARD),
        "Two-sided geometry, mean ± standard error over seeds": _by_regime(results, results.generators, GEOMETRY),
        **_differences(results),
        "Mean hyperedge size, generated minus held-out, mean ± standard error over seeds": _size_gaps(results),
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
        found = {name: spread(means[key] for key in means if key in shared) for name, means in regimes.items()}
        places = places_of({name: found[name] for name in results.generators})
        columns.append(
            {name: NONE if part is None else marked(with_error(part), places.get(name)) for name, part in found.items()}
        )
    rows = []
    for name in methods:
        rows.append([results.title(name), *(column[name] for column in columns)])
        paper = SUMMARY.get(results.experiment.methods[name].paper or "")
        rows += [[f"{results.title(name)}, the paper", *paper]] if paper else []
    return table(["variant", *heads(SUMMARY_METRICS)], rows, left=1)


def _regime_means(results: Results, method: str, metric: str) -> dict[str, float]:
    found = {name: spread(results.values(name, method, metric).values()) for name in results.experiment.datasets}
    return {name: part.mean for name, part in found.items() if part is not None}


def _by_regime(results: Results, compared: Sequence[str], paper: Mapping[str, Mapping[str, Sequence[str]]]) -> str:
    methods = [*results.floors, *compared]
    rows = []
    for dataset, title in zip(results.experiment.datasets, dataset_titles(results), strict=True):
        columns = [best(results, methods, dataset, metric, with_error) for metric in STRUCTURE]
        shown = title
        for name in methods:
            rows.append([shown, results.title(name), *(column[name] for column in columns)])
            printed = paper.get(dataset, {}).get(results.experiment.methods[name].paper or "")
            rows += [["", f"{results.title(name)}, the paper", *printed]] if printed else []
            shown = ""
    return table(["regime", "variant", *heads(STRUCTURE)], rows, left=2)


def _size_gaps(results: Results) -> str:
    """Show, with its sign, a bias that the distances above have in them: too many incidences, or too few."""
    methods = [*results.floors, *results.generators]
    columns = [best(results, methods, dataset, "size_gap", with_error) for dataset in results.experiment.datasets]
    rows = [[results.title(name), *(column[name] for column in columns)] for name in methods]
    return table(["variant", *dataset_titles(results)], rows, left=1)


def _differences(results: Results) -> Tables:
    """Compare every variant with the reference, seed by seed."""
    reference = results.experiment.reference
    if reference is None:
        return {}
    datasets = list(results.experiment.datasets)
    groups = [
        *((title, [name]) for name, title in zip(datasets, dataset_titles(results), strict=True)),
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
    shown_table = table(["regime", "variant", *heads(STRUCTURE)], rows, left=2)
    if not found:
        return {heading: shown_table}
    appear = sum(part.appears for part in found)
    worse = sum(part.low > 0 for part in found)
    text = (
        f"Positive: the variant is farther from the data than {results.title(reference)}. **Bold**: the interval leaves out zero. "
        f"Of the {len(found)} intervals of single regimes {appear} do ({worse} of them positive); by chance alone "
        f"{math.ceil(0.05 * len(found))} or so would."
    )
    return {heading: f"{text}\n\n{shown_table}"}


def _shown_difference(found: Difference | None) -> str:
    if found is None:
        return NONE
    text = f"{found.mean:+.3f} [{number(found.low)}, {number(found.high)}]"
    return marked(text, 1 if found.appears else None)
