"""What the templates of the page show: rows with their strips, the gallery, and how to repeat the report.

*A strip* shows a metric's ratio to the floor on a logarithmic axis, over the colours of the grades, with its interval, the
baselines and the ceiling. All strips of a report have the same axis.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.metrics.custom import CUSTOM
from hyperhedge.metrics.registry import DEFAULT, GROUPS, METRICS
from hyperhedge.metrics.whole.measures import MEASURE_GROUPS, MEASURES
from hyperhedge.models.base import BaseGenerator
from hyperhedge.report.grades import FAIR, GOOD, Grade
from hyperhedge.report.pictures import Picture
from hyperhedge.report.report import Report, Row, between, shown, shown_cell, shown_ratio

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
class Cell:
    """A metric of one collection: texts, and positions on the strip."""

    text: str
    grade: Grade
    title: str
    sort_by: float
    at: float | None
    below: str = ""  #: what stands below the ratio


@dataclass(frozen=True)
class Line:
    """A row of the table. In a report, the first cell is that of the generated hypergraphs, and the row is theirs."""

    row: Row
    value: str
    interval: str
    floor: str
    ceiling: str
    cells: list[Cell]
    span: tuple[float, float] | None
    ceiling_at: float | None
    way: str  #: the score of the row


@dataclass(frozen=True)
class Column:
    """A collection whose ratios the table shows, and the kind of its marks."""

    name: str
    kind: str


@dataclass(frozen=True)
class Table:
    """The table of metrics in groups: name, meaning and lines of each."""

    axis: RatioAxis
    columns: list[Column]
    groups: list[tuple[str, str, list[Line]]]
    single: bool  #: whether value and interval of the first collection have columns
    scored: bool = False  #: whether the score of each row has one


def baseline_kind(position: int) -> str:
    """Return the kind of the marks of a baseline."""
    return f"baseline-{position % 4}"


def generator_kind(position: int) -> str:
    """Return the kind of the marks of one of several generators."""
    return "generated" if position % 5 == 0 else baseline_kind(position % 5 - 1)


def table(report: Report) -> Table:
    """Prepare the table of a report."""
    baselines = list(report.baselines.items())
    columns = [Column("× floor", "generated")]
    columns += [Column(name, baseline_kind(k)) for k, (name, _) in enumerate(baselines)]
    ratios = [baseline.cell(row.key)[0] for row in report.details for _, baseline in baselines]
    axis = _axis(report.details, ratios)
    lines = []
    for row in report.details:
        cells = [_cell(row.ratio, row.grade, row.value, row.signed, axis, shown_ratio(row))]
        cells += [_cell(*b.cell(row.key), b.values.get(row.key), row.signed, axis) for _, b in baselines]
        lines.append(_line(row, cells, axis))
    return Table(axis, columns, _in_groups(lines), single=True, scored=report.scored)


def table_of_several(reports: Mapping[str, Report]) -> Table:
    """Prepare the table of several generators, which share floor and ceiling."""
    columns = [Column(name, generator_kind(k)) for k, name in enumerate(reports)]
    first, *others = reports.values()
    axis = _axis(first.details, [row.ratio for report in others for row in report.details])
    side_by_side = zip(*(report.details for report in reports.values()), strict=True)
    lines = [_line(rows[0], [_cell_of_several(row, axis) for row in rows], axis) for rows in side_by_side]
    return Table(axis, columns, _in_groups(lines), single=False)


def _axis(rows: Sequence[Row], others: Sequence[float | None]) -> RatioAxis:
    """Choose the axis that shows all ratios, those of the ceiling too."""
    ratios = [ratio for row in rows for ratio in (row.ratio, _ceiling_ratio(row))]
    return RatioAxis(min(_MOST, max([_SHORTEST, *(ratio for ratio in (*ratios, *others) if ratio is not None)])))


def _in_groups(lines: list[Line]) -> list[tuple[str, str, list[Line]]]:
    meanings = GROUPS | MEASURE_GROUPS | {CUSTOM: "user-supplied functions"}
    by_group = defaultdict[str, list[Line]](list)
    for line in lines:
        by_group[line.row.group].append(line)
    return [(name, meanings.get(name, ""), members) for name, members in by_group.items()]


def _ceiling_ratio(row: Row) -> float | None:
    return None if not row.floor or row.ceiling is None else abs(row.ceiling) / row.floor


def _cell(
    ratio: float | None, grade: Grade, value: float | None, signed: bool, axis: RatioAxis, text: str | None = None
) -> Cell:
    return Cell(
        text=shown_cell(ratio, grade) if text is None else text,
        grade=grade,
        title=f"value {shown(value, signed=signed)}",
        sort_by=_sortable(ratio, value),
        at=None if ratio is None else axis(ratio),
    )


def _cell_of_several(row: Row, axis: RatioAxis) -> Cell:
    """Prepare the cell of one of several generators: the interval of the ratio is below it."""
    cell = _cell(row.ratio, row.grade, row.value, row.signed, axis)
    if row.value is None:
        return replace(cell, title=row.note)
    ends = _ratio_interval(row)
    below = "" if ends is None else f"{ends[0]:.2g} … {ends[1]:.2g}"
    return replace(cell, title=f"{cell.title}, interval {between(row)}", below=below)


def _line(row: Row, cells: list[Cell], axis: RatioAxis) -> Line:
    ceiling = _ceiling_ratio(row)
    return Line(
        row=row,
        value=shown(row.value, signed=row.signed),
        interval=between(row),
        floor=shown(row.floor),
        ceiling=shown(row.ceiling),
        cells=cells,
        span=_span(row, axis),
        ceiling_at=None if ceiling is None else axis(ceiling),
        way=shown(row.score, 2),
    )


def _sortable(ratio: float | None, value: float | None) -> float:
    """Return a number to sort by: a value without a ratio is infinitely far; without either, a row comes first."""
    return ratio if ratio is not None else -1.0 if value is None else 1e308


def _span(row: Row, axis: RatioAxis) -> tuple[float, float] | None:
    ends = _ratio_interval(row)
    return None if ends is None else (axis(ends[0]), axis(ends[1]))


def _ratio_interval(row: Row) -> tuple[float, float] | None:
    """Return the ends of the interval of |value| / floor."""
    if row.low is None or row.high is None or not row.floor:
        return None
    ends = sorted((abs(row.low), abs(row.high)))
    return (0.0 if row.low < 0 < row.high else ends[0]) / row.floor, ends[1] / row.floor


# -- the gallery -------------------------------------------------------------------------------------


def gallery(collections: Mapping[str, Sequence[Hypergraph]]) -> dict[str, list[dict[str, Any]]]:
    """Return pictures of the first hypergraphs of each collection: the first, not the best."""
    return {name: [Picture.of(H).as_data(H) for H in graphs[:GALLERY]] for name, graphs in collections.items()}


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
    return _written("evaluate", [*arguments, *_settings_arguments(settings), f"name={report.name!r}"])


def merged(reports: Mapping[str, Report]) -> Report:
    """Return the report of the first generator with the collections of all, under their names, for plots and recipe."""
    first = next(iter(reports.values()))
    shared = {name: c for name, c in first.collections.items() if name != "generated"}
    made = {name: r.collections["generated"] for name, r in reports.items() if r.collections}
    values = {
        key: {"real": by_collection["real"], **{name: r.values[key]["generated"] for name, r in reports.items()}}
        for key, by_collection in first.values.items()
        if all(key in r.values for r in reports.values())
    }
    digests = dict(first.settings.get("data", {}))
    digests.pop("generated", None)
    digests |= {name: r.settings["data"]["generated"] for name, r in reports.items() if "data" in r.settings}
    counts = {name: count for name, count in first.counts.items() if name != "generated"}
    counts |= {name: r.counts["generated"] for name, r in reports.items()}
    return replace(
        first,
        name=" and ".join(reports),
        counts=counts,
        settings=first.settings | {"data": digests},
        collections=shared | made,
        values=values,
    )


def call_of_several(reports: Mapping[str, Report]) -> str:
    """Write the call of ``compare`` with every argument."""
    first = next(iter(reports.values()))
    arguments = ["real", "{" + ", ".join(f"{name!r}: …" for name in reports) + "}"]
    arguments += ["train=train"] if "train" in first.counts else []
    settings = {name: value for name, value in first.settings.items() if name not in ("versions", "data")}
    return _written("compare", [*arguments, *_settings_arguments(settings)])


def _written(function: str, arguments: list[str]) -> str:
    return f"hh.{function}(\n    " + ",\n    ".join(arguments) + ",\n)"


def _settings_arguments(settings: dict[str, Any]) -> list[str]:
    others = {name: value for name, value in settings.items() if name != "metrics"}
    return [*_metrics_argument(settings.get("metrics", [])), *(f"{name}={value!r}" for name, value in others.items())]


def _metrics_argument(keys: list[str]) -> list[str]:
    """Write the metrics of a report, functions as ``…``; nothing if they are the default."""
    default, functions = [metric.key for metric in DEFAULT], [key for key in keys if key not in METRICS]
    if keys in (default, list(MEASURES)):
        return []
    if set(keys) <= set(MEASURES):
        return [f"metrics={keys!r}"]
    has_default = set(default) <= set(keys)
    named = [key for key in keys if key in METRICS and not (has_default and key in default)]
    items = [repr(key) for key in (["default"] if has_default else []) + named]
    if functions:
        items.append("{" + ", ".join(f"{key!r}: …" for key in functions) + "}")
    return [f"metrics=[{', '.join(items)}]"]


def _count(report: Report, name: str) -> int | None:
    baseline = report.baselines.get(name)
    return baseline.count if baseline else report.counts.get(name)
