"""The report: a verdict, a score, five properties and a row per metric; as a table, a data frame, JSON or a page.

*How to read a row.* ``ratio`` is the distance divided by the floor, which is how far real hypergraphs are from real hypergraphs at
the same counts. One is as good as real; the ceiling shows what independent incidences reach. The score of a metric is
min(1, floor / distance).

*The score* of the report is the fidelity: the mean score in each group of metrics, averaged over the groups, so three metrics that
see the same thing do not count three times. 0.5 means typically twice as far from real hypergraphs as these are from each other.
It says nothing about novelty: a model that replays its training set has the best possible fidelity. So novelty is a separate
property, appears next to the score wherever the score is shown, and is not averaged with anything.

*What cannot judge.* If independent incidences would themselves be graded good by a metric (ceiling ≤ 1.5 × floor), closeness in it
is no merit: a generator that learned nothing has it too. Such a row is *blunt*: it has no grade and no score where the distance is
good, and stays out of the fidelity; a distance beyond that counts against the generator all the same. If the fidelity of
independent incidences is at least 0.5 (typically at most twice as far as real ones), the comparison as a whole cannot judge, and
the fidelity has no value unless the generated hypergraphs are worse than that. So the fidelity is the lower of two means: over the
metrics that can judge, and over all, where a blunt one that finds nothing counts as 1. It never rises when a distance grows.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

import msgspec
from rich.box import SIMPLE_HEAD
from rich.console import Group, JustifyMethod
from rich.table import Table
from rich.text import Text

from hyperhedge._system.optional import require
from hyperhedge.errors import FormatError, HyperhedgeError
from hyperhedge.io.files import PathLike, atomic_file
from hyperhedge.io.hif import explain_json_error
from hyperhedge.metrics.statistics import Statistics
from hyperhedge.report.grades import COLOURS, GOOD, PASSING, Grade, as_data, grade_of_ratio, grade_of_score

if TYPE_CHECKING:
    from hyperhedge.models.base import BaseGenerator
    from hyperhedge.models.hedge.sampling import SamplePaths
    from hyperhedge.report.verdict import Verdict

#: The properties of a report, and what each tells.
PROPERTIES: dict[str, str] = {
    "fidelity": "how close to real they are; 1 is as close as real to real",
    "novelty": "whether they are new or copies of the training set",
    "validity": "whether they have defects that real ones do not have",
    "diversity": "whether they differ from each other as much as real ones do",
    "detectability": "whether a classifier mistakes them for real ones",
}

#: What a row says instead of a ratio if independent incidences would be graded good, too.
CANNOT_JUDGE = "cannot judge"
WHY_BLUNT = "independent incidences would be good by this metric, too"

FORMAT_VERSION = 1

Document = TypeVar("Document")


@dataclass(frozen=True)
class Row:
    """One metric: its value with interval, floor and ceiling; what could not be computed is None, and the note says why."""

    key: str
    title: str
    symbol: str
    group: str
    definition: str
    signed: bool
    value: float | None = None
    low: float | None = None
    high: float | None = None
    floor: float | None = None
    ceiling: float | None = None
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """The distance over the floor; None if there is no floor, or if it is zero and the distance is not."""
        if self.value is None or self.floor is None:
            return None
        if self.floor == 0:
            return 1.0 if self.value == 0 else None
        return abs(self.value) / self.floor

    @property
    def blunt(self) -> bool:
        """Whether independent incidences would themselves be graded good: ceiling ≤ 1.5 × floor."""
        return self.floor is not None and self.ceiling is not None and abs(self.ceiling) <= GOOD * self.floor

    @property
    def cannot_judge(self) -> bool:
        """Whether the distance is good, which says nothing in a blunt row."""
        return self.blunt and self.ratio is not None and self.ratio <= GOOD

    @property
    def score(self) -> float | None:
        """min(1, floor / distance); None without a floor, or if the row cannot judge."""
        if self.value is None or self.floor is None or self.cannot_judge:
            return None
        return _score(self.value, self.floor)

    @property
    def ceiling_score(self) -> float | None:
        """The score that the ceiling would have; None where nothing could go wrong."""
        if self.ceiling is None or self.floor is None or self.ceiling == self.floor == 0:
            return None
        return _score(self.ceiling, self.floor)

    @property
    def grade(self) -> Grade:
        """The grade of the ratio; any deviation from a floor of zero is poor, and what cannot judge has none."""
        if self.cannot_judge:
            return ""
        return grade_of_ratio(self.ratio) or ("poor" if self.score == 0 else "")


def _score(value: float, floor: float) -> float:
    return 1.0 if value == 0 else min(1.0, floor / abs(value))


@dataclass(frozen=True)
class Property:
    """One property: a score from 0 to 1 (higher is better), None if it is not known, and the values it is made from."""

    score: float | None
    values: dict[str, float | None] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True)
class Baseline:
    """How a baseline's samples compare: their number and fidelity, and each metric's value, ratio to the floor and grade."""

    count: int
    score: float | None
    values: dict[str, float | None]
    ratios: dict[str, float | None]
    grades: dict[str, Grade] = field(default_factory=dict)

    @classmethod
    def of(cls, count: int, rows: Sequence[Row]) -> Baseline:
        """Summarise the rows of a baseline."""
        return cls(
            count=count,
            score=fidelity(rows).score,
            values={row.key: row.value for row in rows},
            ratios={row.key: row.ratio for row in rows},
            grades={row.key: row.grade for row in rows},
        )

    def cell(self, key: str) -> tuple[float | None, Grade]:
        """Return ratio and grade of a metric."""
        ratio = self.ratios.get(key)
        return ratio, self.grades[key] if key in self.grades else grade_of_ratio(ratio)


def fidelity(rows: Sequence[Row], why_not: str = "independent incidences would be taken for real") -> Property:
    """Average the scores of the metrics within each group, and then over the groups.

    Parameters
    ----------
    rows
        The rows of the metrics.
    why_not
        What to note if the rows cannot judge.

    Examples
    --------
    >>> rows = [Row(key, "", "", group, "", False, value=value, floor=1.0, ceiling=9.0)
    ...         for key, group, value in (("a", "overlap", 0.5), ("b", "overlap", 2.0), ("c", "spectra", 4.0))]
    >>> fidelity(rows)
    Property(score=0.5, values={'overlap': 0.75, 'spectra': 0.25}, note='')
    >>> fidelity([Row("a", "", "", "overlap", "", False, value=1.0, floor=1.0, ceiling=1.2)])
    Property(score=None, values={}, note='independent incidences would be taken for real')
    """
    judging = _group_means((row.group, row.score) for row in rows if not row.blunt)
    everything = _group_means((row.group, _score_in_all(row)) for row in rows)
    if not everything:
        known = any(row.value is not None and row.floor is not None for row in rows)
        return Property(None, note=why_not if known else "no metric has a floor to compare with")
    independent, score = independent_fidelity(rows), _mean(everything)
    if judging and not passes_for_real(independent):
        means = min(judging, everything, key=_mean)
        return Property(_mean(means), means)
    worse = score < min(independent or 0.0, 1 / GOOD)  # than independent incidences, and beyond chance
    return Property(score, everything) if worse else Property(None, note=why_not)


def independent_fidelity(rows: Iterable[Row]) -> float | None:
    """Return the fidelity that independent incidences would have if every metric counted; None without ceilings."""
    means = _group_means((row.group, row.ceiling_score) for row in rows)
    return _mean(means) if means else None


def passes_for_real(independent: float | None) -> bool:
    """Say whether independent incidences are so close to real that closeness means nothing."""
    return independent is not None and independent >= PASSING


def _score_in_all(row: Row) -> float | None:
    """Return the score of a row in the mean over all; a row that nothing could get wrong (all are zero) is left out."""
    return (1.0 if row.floor else None) if row.cannot_judge else row.score


def _group_means(scores: Iterable[tuple[str, float | None]]) -> dict[str, float | None]:
    by_group = defaultdict[str, list[float]](list)
    for group, score in scores:
        if score is not None:
            by_group[group].append(score)
    return {group: math.fsum(values) / len(values) for group, values in by_group.items()}


def _mean(means: Mapping[str, float | None]) -> float:
    return math.fsum(mean for mean in means.values() if mean is not None) / len(means)


@dataclass(frozen=True)
class Report:
    """A report on generated hypergraphs, as :func:`hyperhedge.evaluate` returns it.

    Attributes
    ----------
    name
        What the generated hypergraphs are called.
    properties
        Fidelity, novelty, validity, diversity and detectability.
    details
        One row per metric.
    counts
        How many hypergraphs there were: real, generated, train.
    settings
        How the report was made.
    notes
        What a reader should know.
    baselines
        How the baselines' samples compare, by name.
    collections
        The statistics of everything that was compared, by name, for the plots of the page; a report from JSON has none.
    values
        For each metric that was given as a function ``f(H)``: its values by collection; a report from JSON has none.
    """

    format_name: ClassVar[str] = "hyperhedge-report"
    unsaved: ClassVar[tuple[str, ...]] = ("collections", "values")
    graded_as: ClassVar[dict[str, str]] = {}  #: properties that have bounds of another name
    scored: ClassVar[bool] = False  #: whether tables show the scores of the rows

    name: str
    properties: dict[str, Property]
    details: tuple[Row, ...]
    counts: dict[str, int]
    settings: dict[str, Any]
    notes: tuple[str, ...] = ()
    baselines: dict[str, Baseline] = field(default_factory=dict)
    collections: dict[str, Statistics] = field(default_factory=dict, compare=False, repr=False)
    values: dict[str, dict[str, list[float]]] = field(default_factory=dict, compare=False, repr=False)

    @property
    def verdict(self) -> Verdict:
        """The report in words: how close to real, how new, how valid."""
        from hyperhedge.report.verdict import verdict

        return verdict(self)

    @property
    def score(self) -> float | None:
        """The fidelity, from 0 to 1; always read it together with ``properties["novelty"]``."""
        return self.properties["fidelity"].score

    def grade_of(self, name: str) -> Grade:
        """Return the grade of a property."""
        return grade_of_score(self.graded_as.get(name, name), self.properties[name].score)

    def __getitem__(self, key: str) -> Row:
        """Return the row of one metric."""
        for row in self.details:
            if row.key == key:
                return row
        raise HyperhedgeError(f"the report has no metric {key!r}; it has {', '.join(row.key for row in self.details)}")

    def __repr__(self) -> str:
        scores = ", ".join(f"{name} {shown(prop.score, 2)}" for name, prop in self.properties.items())
        return f"<Report on {self.name!r}: {scores}>"

    # -- as data -----------------------------------------------------------------------------------

    def to_frame(self) -> Any:
        """Return the rows as a pandas data frame, indexed by the metrics' keys."""
        pandas = require("pandas", "pandas")
        rows = [{**asdict(row), **derived(row)} for row in self.details]
        columns = [column.name for column in fields(Row)] + ["ratio", "score", "grade"]
        return pandas.DataFrame(rows, columns=columns).set_index("key")

    def to_json(self) -> str:
        """Return the report as JSON text; a number that is not known is null."""
        return written({"format": self.format_name, "format_version": FORMAT_VERSION, **self.as_data()})

    def as_data(self) -> dict[str, Any]:
        """Return everything but the hypergraphs and what comes from them, with verdict, grades and bounds."""
        data = {entry.name: getattr(self, entry.name) for entry in fields(self) if entry.name not in self.unsaved}
        verdict = self.verdict
        return {
            "score": self.score,
            "verdict": {"grade": verdict.grade, "sentence": verdict.sentence},
            "grades": {name: self.grade_of(name) for name in self.properties},
            "bounds": as_data(),
            **data,
            "details": [{**asdict(row), **derived(row)} for row in self.details],
        }

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read a report that :meth:`to_json` wrote."""
        return read_document(text, cls, cls.format_name, FORMAT_VERSION)

    def save(
        self,
        path: PathLike,
        *,
        paths: SamplePaths | None = None,
        model: BaseGenerator | None = None,
        command: str | None = None,
    ) -> None:
        """Write the report: a page for ``.html``, data for ``.json``.

        Parameters
        ----------
        path
            The file.
        paths, model, command
            What else the page shows, see :meth:`to_html`.
        """
        ending = page_or_data(path)
        if ending == ".json" and (paths is not None or model is not None or command is not None):
            raise HyperhedgeError(f"{path}: paths=, model= and command= need a page; give a name that ends in .html")
        text = self.to_json() if ending == ".json" else self.to_html(paths=paths, model=model, command=command)
        with atomic_file(path) as file:
            file.write(text.encode())

    # -- for people --------------------------------------------------------------------------------

    def to_html(
        self, *, paths: SamplePaths | None = None, model: BaseGenerator | None = None, command: str | None = None
    ) -> str:
        """Return the report as one self-contained HTML page.

        Parameters
        ----------
        paths
            Samples with their paths from noise, as ``Hedge.sample_paths`` returns them: the page plays the first few.
        model
            The generator; the page then lists its configuration.
        command
            The command that made the report; the page shows it for repeating.
        """
        from hyperhedge.report.page import page

        return page(self, paths=paths, model=model, command=command)

    def _repr_html_(self) -> str:
        from hyperhedge.report.page import notebook

        return notebook(self)

    def table(self) -> Table:
        """Return the rows as a table for the terminal, coloured by the ratio to the floor."""
        title = Text(f"{self.name}: {self._counted()}", style="bold")  # a Text, since names are not markup
        table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
        cells = [
            (row.title, shown(row.value, signed=row.signed), between(row), *map(shown, (row.floor, row.ceiling)))
            for row in self.details
        ]
        ratios = [Text(shown_ratio(row), style=COLOURS[row.grade]) for row in self.details]
        ways = [shown_score("way", row.score) for row in self.details]
        headings = ("metric", "value", "interval", "floor", "ceiling", "× floor", "way")
        columns = [*zip(*cells, strict=True), ratios, *([ways] if self.scored else [])]
        for heading, column in zip(headings, columns, strict=False):
            # Where a terminal is narrow, intervals go on in a second line, and no number is cut.
            is_interval, widest = heading == "interval", max(map(len, column), default=0)
            justify: JustifyMethod = "left" if heading == "metric" else "right"
            table.add_column(
                heading, justify=justify, no_wrap=not is_interval, min_width=None if is_interval else widest
            )
        group = ""
        for row, texts, ratio, way in zip(self.details, cells, ratios, ways, strict=True):
            if group and row.group != group:
                table.add_section()
            group = row.group
            table.add_row(*texts, ratio, *([way] if self.scored else []))
        return table

    def baseline_table(self) -> Table:
        """Return the ratios to the floor of the generated hypergraphs and of the baselines, side by side, for the terminal."""
        table = Table(title=Text("× floor", style="bold"), title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
        table.add_column("metric", no_wrap=True)
        for name in ("generated", *self.baselines):
            table.add_column(Text(name), justify="right")
        for row in self.details:
            cells = [(row.ratio, row.grade), *(baseline.cell(row.key) for baseline in self.baselines.values())]
            table.add_row(row.title, *(Text(shown_cell(*cell), style=COLOURS[cell[1]]) for cell in cells))
        table.add_section()
        scores = (self.score, *(baseline.score for baseline in self.baselines.values()))
        graded_as = self.graded_as.get("fidelity", "fidelity")
        table.add_row("fidelity", *(shown_score(graded_as, score) for score in scores))
        return table

    def __rich__(self) -> Group:
        """Show verdict, scores, rows and notes in a terminal."""
        verdict = self.verdict
        scores = Table(box=None, show_header=False, pad_edge=False)
        scores.add_column(style="bold")
        scores.add_column(justify="right")
        scores.add_column(style="dim")
        for name, prop in self.properties.items():
            scores.add_row(
                name, shown_score(self.graded_as.get(name, name), prop.score), prop.note or PROPERTIES.get(name, "")
            )
        headline = Text(verdict.sentence, style=f"bold {COLOURS[verdict.grade]}".strip())
        tables = [self.table(), *([self.baseline_table()] if self.baselines else [])]
        missing = (f"{row.title}: {row.note}." for row in self.details if row.value is None and row.note)
        blunt = [f"{CANNOT_JUDGE}: {WHY_BLUNT}."] if any(row.cannot_judge for row in self.details) else []
        notes = (Text(f"· {note}", style="dim") for note in (*blunt, *self.notes, *missing))
        return Group(headline, Text(), scores, Text(), *tables, *notes)

    def _counted(self) -> str:
        return ", ".join(f"{count:,} {name}" for name, count in self.counts.items())


def derived(row: Row) -> dict[str, Any]:
    """Return what is computed from the numbers of a row; a grade says if it cannot judge."""
    return {"ratio": row.ratio, "score": row.score, "grade": CANNOT_JUDGE if row.cannot_judge else row.grade}


# -- files -------------------------------------------------------------------------------------------


class _Header(msgspec.Struct):
    """The fields that every version of a format has."""

    format: str
    format_version: int


def written(document: dict[str, Any]) -> str:
    """Write a document as JSON."""
    return msgspec.json.format(msgspec.json.encode(document), indent=1).decode()


def read_document(text: str | bytes, kind: type[Document], format_name: str, version: int) -> Document:
    """Read a document of one format, or say in a sentence why it is none."""
    data = text.encode() if isinstance(text, str) else bytes(text)
    what = format_name.removeprefix("hyperhedge-")
    try:
        header = msgspec.json.decode(data, type=_Header)
        if header.format != format_name:
            raise FormatError(f"this is not a {what}: its format is {header.format!r}")
        if header.format_version > version:
            raise FormatError(f"the {what} has format version {header.format_version}; upgrade hyperhedge")
        return msgspec.json.decode(data, type=kind)
    except msgspec.ValidationError as error:
        raise FormatError(f"this is not a {what}: {str(error).replace('`', chr(39))}") from None
    except FormatError:
        raise
    except (ValueError, RecursionError) as error:
        raise explain_json_error(error, data) from None


def page_or_data(path: PathLike) -> str:
    """Return the ending of a file's name, which must be that of a page or of JSON."""
    ending = Path(path).suffix.lower()
    if ending not in (".html", ".htm", ".json"):
        raise HyperhedgeError(f"{path}: the name of a report must end in .html or .json")
    return ending


# -- numbers for people ------------------------------------------------------------------------------


def shown(value: float | None, digits: int | None = None, *, signed: bool = False) -> str:
    """Write a number for people.

    Examples
    --------
    >>> shown(0.0123456), shown(-1.5, signed=True), shown(None), shown(0.5, 2)
    ('0.0123', '-1.5', '–', '0.50')
    """
    if value is None:
        return "–"
    if digits is not None:
        return f"{value:.{digits}f}"
    return f"{value:+.3g}" if signed else f"{value:.3g}"


def between(row: Row) -> str:
    """Write a row's interval."""
    return "–" if row.low is None or row.high is None else f"{row.low:.2g} … {row.high:.2g}"


def shown_ratio(row: Row) -> str:
    """Write a row's ratio to the floor, or that it cannot judge."""
    return CANNOT_JUDGE if row.cannot_judge else shown_cell(row.ratio, row.grade)


def shown_cell(ratio: float | None, grade: Grade) -> str:
    """Write a ratio: ∞ if real hypergraphs never differ and generated ones do, and in brackets if the row cannot judge.

    Examples
    --------
    >>> shown_cell(2.0, "fair"), shown_cell(None, "poor"), shown_cell(1.2, ""), shown_cell(None, "")
    ('2', '∞', '(1.2)', '–')
    """
    if ratio is None:
        return "∞" if grade == "poor" else shown(None)
    return shown(ratio) if grade else f"({shown(ratio)})"


def shown_score(name: str, score: float | None) -> Text:
    """Write a property's score in the colour of its grade."""
    return Text(shown(score, 2), style=COLOURS[grade_of_score(name, score)])
