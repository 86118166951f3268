"""Properties and costs of the cells of an experiment, as means over seeds: a row per method, a column per dataset."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from hyperhedge.bench.results import Results, spread
from hyperhedge.bench.tables import COSTS, PROPERTIES, Quantity, dataset_titles, mean_text, number, table

__all__ = ["cost_table", "property_table"]


def property_table(results: Results) -> str:
    """Return the properties of the floor and of each generator."""
    return _means(results, "property", [*results.floors, *results.generators], PROPERTIES)


def cost_table(results: Results) -> str:
    """Return the costs of each generator, and of all cells."""
    return "\n\n".join([_means(results, "cost", results.generators, COSTS), *_budget(results)])


def _means(results: Results, head: str, methods: Sequence[str], quantities: Mapping[str, tuple[Quantity, int]]) -> str:
    rows = []
    for title, (quantity, digits) in quantities.items():
        shown = title
        for method in methods:
            cells = [mean_text(results, dataset, method, quantity, digits) for dataset in results.experiment.datasets]
            rows.append([shown, results.title(method), *cells])
            shown = ""
    return table([head, "method", *dataset_titles(results).values()], rows, left=2)


def _budget(results: Results) -> Iterator[str]:
    """Say how long all cells take, by the mean of those of each dataset and method, if there is at least one of each."""
    hours = {}
    for name in results.experiment.methods:
        records = [results.of(dataset, name).values() for dataset in results.experiment.datasets]
        means = [spread(record.total_seconds for record in of_dataset) for of_dataset in records]
        if all(means):
            total = math.fsum(mean.mean for mean in means if mean is not None) * results.expected(name)
            hours[results.title(name)] = total / 3600
    if hours:
        listed = ", ".join(f"{name} {number(value, 1)}" for name, value in hours.items() if value >= 0.05)
        yield f"All cells of the experiment take, by these means and with one thread each, in hours of one core: {listed}."
