"""What the templates of the page show: rows with their strips, the gallery, and how to repeat the report.

*A strip* shows a metric's ratio to the floor on a logarithmic axis, over the colours of the grades, with its interval, the
baselines and the ceiling. All strips of a report have the same axis.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from hyperhedge.metrics.custom import CUSTOM
from hyperhedge.metrics.registry import DEFAULT, GROUPS, METRICS
from hyperhedge.metrics.statistics import Statistics
from hyperhedge.models.base import BaseGenerator
from hyperhedge.report.pictures import Picture
from hyperhedge.report.report import FAIR, GOOD, Report, Row, between, grade, shown, shown_ratio

#: How many hypergraphs of each collection the gallery shows: three pages.
GALLERY = 6

_WIDTH = 140.0  # of a strip, in pixels
_LEAST, _MOST = 0.3, 1000.0  # the ends of the axis; few ratios are smaller, and larger ones need no comparison
_SHORTEST = 10.0  # where the axis ends at least: grades take up half of it


@dataclass(frozen=True)
class RatioAxis:
    """A logarithmic axis of ratios, from 0.3 to the largest that is shown."""

    largest: float

    def __call__(self, ratio: float) -> float:
        """Return the position of a ratio, in pixels."""
        share = math.log(max(ratio, _LEAST) / _LEAST) / math.log(self.largest / _LEAST)
        return round(_WIDTH * min(share, 1.0), 1)

    @property
    def width(self) -> float:
        """The width of a strip."""
        return _WIDTH

    @property
    def marks(self) -> list[tuple[str, float]]:
        """The ratios that the axis names, and their positions."""
        return [(f"{ratio:g}", self(ratio)) for ratio in (1, 3, 10, 30, 100, 300) if ratio <= self.largest]

    @property
    def zones(self) -> list[tuple[str, float, float]]:
        """The grades, each with its position and width."""
        bounds = [0.0, self(GOOD), self(FAIR), _WIDTH]
        return [
            (name, left, round(right - left, 1))
            for name, left, right in zip(("good", "fair", "poor"), bounds[:-1], bounds[1:], strict=True)
        ]


@dataclass(frozen=True)
class Line:
    """A row of the table: texts, and positions on the strip."""

    row: Row
    value: str
    interval: str
    floor: str
    ceiling: str
    ratio: str
    sort_ratio: float
    baselines: list[tuple[str, str, str, float]]  #: of each: ratio, grade, value, and what to sort by
    at: float | None
    span: tuple[float, float] | None
    ceiling_at: float | None
    baselines_at: list[tuple[int, float]]


@dataclass(frozen=True)
class Table:
    """The table of metrics in groups: name, meaning and lines of each."""

    axis: RatioAxis
    baselines: list[str]
    groups: list[tuple[str, str, list[Line]]]


def table(report: Report) -> Table:
    """Prepare the table of a report."""
    axis = RatioAxis(min(_MOST, max([_SHORTEST, *_ratios(report)])))
    meanings = GROUPS | {CUSTOM: "user-supplied functions"}
    by_group = defaultdict[str, list[Line]](list)
    for row in report.details:
        by_group[row.group].append(_line(row, report, axis))
    groups = [(name, meanings.get(name, ""), lines) for name, lines in by_group.items()]
    return Table(axis, list(report.baselines), groups)


def _ratios(report: Report) -> list[float]:
    """Collect all ratios that strips show."""
    ratios = [ratio for row in report.details for ratio in (row.ratio, _ceiling_ratio(row))]
    ratios += [ratio for baseline in report.baselines.values() for ratio in baseline.ratios.values()]
    return [ratio for ratio in ratios if ratio is not None]


def _ceiling_ratio(row: Row) -> float | None:
    return None if not row.floor or row.ceiling is None else abs(row.ceiling) / row.floor


def _line(row: Row, report: Report, axis: RatioAxis) -> Line:
    ceiling = _ceiling_ratio(row)
    ratios = [baseline.ratios.get(row.key) for baseline in report.baselines.values()]
    values = [baseline.values.get(row.key) for baseline in report.baselines.values()]
    return Line(
        row=row,
        value=shown(row.value, signed=row.signed),
        interval=between(row),
        floor=shown(row.floor),
        ceiling=shown(row.ceiling),
        ratio=shown_ratio(row),
        sort_ratio=_sortable(row.ratio, row.value),
        baselines=[
            (shown(ratio), grade(ratio), shown(value, signed=row.signed), _sortable(ratio, value))
            for ratio, value in zip(ratios, values, strict=True)
        ],
        at=None if row.ratio is None else axis(row.ratio),
        span=_span(row, axis),
        ceiling_at=None if ceiling is None else axis(ceiling),
        baselines_at=[(k % 4, axis(ratio)) for k, ratio in enumerate(ratios) if ratio is not None],
    )


def _sortable(ratio: float | None, value: float | None) -> float:
    """Return a number to sort by: a value without a ratio is infinitely far; without either, a row comes first."""
    return ratio if ratio is not None else -1.0 if value is None else 1e308


def _span(row: Row, axis: RatioAxis) -> tuple[float, float] | None:
    """Return the ends of the interval of |value| / floor."""
    if row.low is None or row.high is None or not row.floor:
        return None
    ends = sorted((abs(row.low), abs(row.high)))
    low, high = (0.0 if row.low < 0 < row.high else ends[0]) / row.floor, ends[1] / row.floor
    return axis(low), axis(high)


# -- the gallery -------------------------------------------------------------------------------------


def gallery(collections: dict[str, Statistics]) -> dict[str, list[dict[str, Any]]]:
    """Return pictures of the first real and generated hypergraphs: the first, not the best."""
    return {
        name: [Picture.of(H).as_data(H) for H in collections[name].hypergraphs[:GALLERY]]
        for name in ("real", "generated")
        if name in collections
    }


# -- the recipe --------------------------------------------------------------------------------------


def recipe(report: Report, model: BaseGenerator | None, command: str | None) -> dict[str, Any]:
    """Return how to repeat the report: the command or the call, the model's configuration, versions, and hashes of the data."""
    settings = dict(report.settings)
    versions, data = settings.pop("versions", {}), settings.pop("data", {})
    return {
        "command": command,
        "call": _call(report, settings),
        "model": None if model is None else repr(model),
        "config": {} if model is None else {name: repr(value) for name, value in model.get_params().items()},
        "versions": versions,
        "data": [(name, _count(report, name), digest) for name, digest in data.items()],
        "seed": settings.get("seed"),
    }


def _call(report: Report, settings: dict[str, Any]) -> str:
    """Write the call of ``evaluate`` with every argument."""
    arguments = ["real", "generated"]
    arguments += ["train=train"] if "train" in report.counts else []
    if report.baselines:
        arguments.append("baselines={" + ", ".join(f"{name!r}: …" for name in report.baselines) + "}")
    arguments += _metrics_argument(settings.pop("metrics", []))
    arguments += [f"{name}={value!r}" for name, value in settings.items()]
    return "hh.evaluate(\n    " + ",\n    ".join([*arguments, f"name={report.name!r}"]) + ",\n)"


def _metrics_argument(keys: list[str]) -> list[str]:
    """Write the metrics of a report, functions as ``…``; nothing if they are the default."""
    default, functions = [metric.key for metric in DEFAULT], [key for key in keys if key not in METRICS]
    if keys == default:
        return []
    has_default = set(default) <= set(keys)
    named = [key for key in keys if key in METRICS and not (has_default and key in default)]
    items = [repr(key) for key in (["default"] if has_default else []) + named]
    if functions:
        items.append("{" + ", ".join(f"{key!r}: …" for key in functions) + "}")
    return [f"metrics=[{', '.join(items)}]"]


def _count(report: Report, name: str) -> int | None:
    baseline = report.baselines.get(name)
    return baseline.count if baseline else report.counts.get(name)
