"""What the cells of an experiment take: seconds, samples a second, memory, and the hours of all of them."""

from __future__ import annotations

import math
from collections.abc import Iterator

from hyperhedge.bench.results import Results, spread
from hyperhedge.bench.tables.parts import Part, means_of_records, number

__all__ = ["cost_table"]


def cost_table(results: Results) -> str:
    """Return the costs of each generator, and of all cells."""
    parts: dict[str, tuple[Part, int]] = {
        "fit, seconds": (lambda record: record.seconds.get("fit"), 1),
        "samples a second": (lambda record: record.samples_per_second, 1),
        "peak memory, MiB": (lambda record: record.peak_mib, 0),
    }
    return "\n\n".join([means_of_records(results, "cost", results.generators, parts), *_budget(results)])


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
