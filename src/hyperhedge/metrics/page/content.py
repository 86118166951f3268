"""What the templates of the page show, made ready: rows with their strips, the recipe, the gallery.

*A strip* shows where a metric stands: the ratio to the floor on a logarithmic scale, over the colours of the grades, with its
interval, the null models and the ceiling. All strips of a report have one scale.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from hyperhedge.generator import Generator
from hyperhedge.metrics.distances import DEFAULT, GROUPS
from hyperhedge.metrics.page.drawing import Drawing
from hyperhedge.metrics.report import FAIR, GOOD, Report, Row, between, grade, shown, shown_ratio
from hyperhedge.metrics.statistics import Statistics

__all__ = ["Line", "Scale", "Table", "gallery", "recipe", "table"]

#: How many hypergraphs of each batch the gallery shows.
GALLERY = 6

_WIDTH, _LEAST, _MOST = 140.0, 0.3, 1000.0


@dataclass(frozen=True)
class Scale:
    """A logarithmic scale of ratios, from 0.3 to the largest that is shown."""

    largest: float

    def __call__(self, ratio: float) -> float:
        """Return the place of a ratio, in pixels."""
        share = math.log(max(ratio, _LEAST) / _LEAST) / math.log(self.largest / _LEAST)
        return round(_WIDTH * min(share, 1.0), 1)

    @property
    def width(self) -> float:
        """The width of a strip."""
        return _WIDTH

    @property
    def marks(self) -> list[tuple[str, float]]:
        """The ratios that the axis names, and their places."""
        return [(f"{ratio:g}", self(ratio)) for ratio in (1, 3, 10, 30, 100, 300) if ratio <= self.largest]

    @property
    def zones(self) -> list[tuple[str, float, float]]:
        """The grades, each with its place and width."""
        bounds = [0.0, self(GOOD), self(FAIR), _WIDTH]
        return [
            (name, left, round(right - left, 1))
            for name, left, right in zip(("good", "fair", "poor"), bounds[:-1], bounds[1:], strict=True)
        ]


@dataclass(frozen=True)
class Line:
    """A row of the table: texts, and places on the strip."""

    row: Row
    value: str
    interval: str
    floor: str
    ceiling: str
    ratio: str
    sort_ratio: float
    nulls: list[tuple[str, str, str, float]]  #: text, grade, key to sort by
    at: float | None
    span: tuple[float, float] | None
    ceiling_at: float | None
    nulls_at: list[tuple[int, float]]


@dataclass(frozen=True)
class Table:
    """The table of metrics in groups."""

    scale: Scale
    nulls: list[str]
    groups: list[tuple[str, str, list[Line]]]


def table(report: Report) -> Table:
    """Make the table ready."""
    scale = Scale(min(_MOST, max([10.0, *_ratios(report)])))
    groups = []
    for name, meaning in GROUPS.items():
        lines = [_line(row, report, scale) for row in report.details if row.group == name]
        if lines:
            groups.append((name, meaning, lines))
    return Table(scale, list(report.nulls), groups)


def _ratios(report: Report) -> list[float]:
    """Collect all ratios that strips show."""
    found = [row.ratio for row in report.details] + [_ceiling_ratio(row) for row in report.details]
    found += [ratio for null in report.nulls.values() for ratio in null.ratios.values()]
    return [ratio for ratio in found if ratio is not None]


def _ceiling_ratio(row: Row) -> float | None:
    return None if not row.floor or row.ceiling is None else abs(row.ceiling) / row.floor


def _line(row: Row, report: Report, scale: Scale) -> Line:
    ceiling = _ceiling_ratio(row)
    ratios = [null.ratios.get(row.key) for null in report.nulls.values()]
    values = [null.values.get(row.key) for null in report.nulls.values()]
    return Line(
        row=row,
        value=shown(row.value, signed=row.signed),
        interval=between(row),
        floor=shown(row.floor),
        ceiling=shown(row.ceiling),
        ratio=shown_ratio(row),
        sort_ratio=_sortable(row.ratio, row.value),
        nulls=[
            (shown(ratio), grade(ratio), shown(value, signed=row.signed), _sortable(ratio, value))
            for ratio, value in zip(ratios, values, strict=True)
        ],
        at=None if row.ratio is None else scale(row.ratio),
        span=_span(row, scale),
        ceiling_at=None if ceiling is None else scale(ceiling),
        nulls_at=[(k % 4, scale(ratio)) for k, ratio in enumerate(ratios) if ratio is not None],
    )


def _sortable(ratio: float | None, value: float | None) -> float:
    """Return a number to sort by: what has no ratio but a value is infinitely far, what has neither comes first."""
    return ratio if ratio is not None else -1.0 if value is None else 1e308


def _span(row: Row, scale: Scale) -> tuple[float, float] | None:
    """Return the ends of the interval of |value| / floor."""
    if row.low is None or row.high is None or not row.floor:
        return None
    ends = sorted((abs(row.low), abs(row.high)))
    low, high = (0.0 if row.low < 0 < row.high else ends[0]) / row.floor, ends[1] / row.floor
    return scale(low), scale(high)


# -- the gallery -------------------------------------------------------------------------------------


def gallery(batches: dict[str, Statistics]) -> dict[str, list[dict[str, Any]]]:
    """Draw the first hypergraphs of the real and of the generated batch: the first, not the best."""
    return {
        name: [Drawing.of(H).as_data(H) for H in batches[name].hypergraphs[:GALLERY]]
        for name in ("real", "generated")
        if name in batches
    }


# -- the recipe --------------------------------------------------------------------------------------


def recipe(report: Report, model: Generator | None, command: str | None) -> dict[str, Any]:
    """Say how to make the report again: the command or the call, the model's configuration, versions, hashes of the data."""
    settings = dict(report.settings)
    versions, data = settings.pop("versions", {}), settings.pop("data", {})
    return {
        "command": command,
        "call": _call(report, settings),
        "model": None if model is None else repr(model),
        "config": {} if model is None else {name: repr(value) for name, value in model.config.items()},
        "versions": versions,
        "data": [(name, _count(report, name), digest) for name, digest in data.items()],
        "seed": settings.get("seed"),
    }


def _call(report: Report, settings: dict[str, Any]) -> str:
    """Write the call of ``evaluate`` with every argument."""
    arguments = ["real", "generated"]
    arguments += ["train=train"] if "train" in report.counts else []
    if report.nulls:
        arguments.append("nulls={" + ", ".join(f"{name!r}: …" for name in report.nulls) + "}")
    usual = {"metrics": [metric.key for metric in DEFAULT]}
    arguments += [f"{name}={value!r}" for name, value in settings.items() if usual.get(name) != value]
    return "hh.evaluate(\n    " + ",\n    ".join([*arguments, f"name={report.name!r}"]) + ",\n)"


def _count(report: Report, name: str) -> int | None:
    null = report.nulls.get(name)
    return report.counts.get(name) if null is None else null.count
