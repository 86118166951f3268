"""What all tables are made of: numbers, marks for the best, rows and columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from hyperhedge.bench.paper import DATASETS as PAPER_DATASETS
from hyperhedge.bench.record import Record
from hyperhedge.bench.results import Results, Spread, spread
from hyperhedge.metrics import METRICS

__all__ = [
    "NONE",
    "Part",
    "Tables",
    "alone",
    "best",
    "dataset_titles",
    "heads",
    "marked",
    "means_of_records",
    "number",
    "places_of",
    "ranked",
    "table",
    "with_deviation",
    "with_error",
]

NONE = "–"

Tables = dict[str, str]
"""Tables by their headings."""

Part = Callable[[Record], float | None]
"""A number of a record."""


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


def with_deviation(found: Spread) -> str:
    """Write a mean and its standard deviation."""
    return _with(found, found.deviation)


def with_error(found: Spread) -> str:
    """Write a mean and its standard error."""
    return _with(found, found.error)


def alone(found: Spread) -> str:
    """Write a mean."""
    return _with(found, None)


def _with(found: Spread, width: float | None) -> str:
    digits = 3 if abs(found.mean) >= 0.01 or found.mean == 0 else 4
    return number(found.mean, digits) + ("" if width is None else f" ± {number(width, digits)}")


# -- the best ----------------------------------------------------------------------------------------


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


def marked(text: str, place: int | None) -> str:
    """Mark the best and the second."""
    return {1: f"**{text}**", 2: f"*{text}*"}.get(place or 0, text)


def places_of(found: Mapping[str, Spread | None]) -> dict[str, int]:
    """Find the best and the second; of two alone, the second is the last, and not marked."""
    places = ranked({name: None if part is None else part.mean for name, part in found.items()})
    return places if len(places) > 2 else {name: place for name, place in places.items() if place == 1}


def best(
    results: Results, methods: Sequence[str], dataset: str, metric: str, write: Callable[[Spread], str]
) -> dict[str, str]:
    """Write a column: a metric of each method over seeds, best and second marked."""
    found = {name: spread(results.values(dataset, name, metric).values()) for name in methods}
    places = places_of({name: found[name] for name in methods if name in results.generators})
    cells = {}
    for name, part in found.items():
        missing = f" ({part.count})" if part and part.count < results.expected(name) else ""
        cells[name] = NONE if part is None else marked(write(part), places.get(name)) + missing
    return cells


# -- rows and columns --------------------------------------------------------------------------------


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, left: int) -> str:
    """Write a Markdown table whose first columns are words."""
    aligned = "|".join(["---"] * left + ["---:"] * (len(head) - left))
    return "\n".join([f"| {' | '.join(head)} |", f"|{aligned}|", *(f"| {' | '.join(row)} |" for row in rows)])


def heads(metrics: Sequence[str]) -> list[str]:
    """Name metrics for a reader."""
    return [METRICS[key].title for key in metrics]


def dataset_titles(results: Results) -> list[str]:
    """Name the datasets of an experiment for a reader."""
    specs = results.experiment.datasets
    return [specs[name].title or PAPER_DATASETS.get(name, name) for name in specs]


def means_of_records(results: Results, head: str, methods: Sequence[str], parts: Mapping[str, tuple[Part, int]]) -> str:
    """Average parts of records over seeds, to so many digits: a row for each part and method, a column for each dataset."""
    rows = []
    for title, (part, digits) in parts.items():
        shown = title
        for method in methods:
            cells = [_mean(results, dataset, method, part, digits) for dataset in results.experiment.datasets]
            rows.append([shown, results.title(method), *cells])
            shown = ""
    return table([head, "method", *dataset_titles(results)], rows, left=2)


def _mean(results: Results, dataset: str, method: str, part: Part, digits: int) -> str:
    found = [part(record) for record in results.of(dataset, method).values()]
    mean = spread(value for value in found if value is not None)
    return NONE if mean is None else number(mean.mean, digits)
