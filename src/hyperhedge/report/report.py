"""The report: a verdict, a score, five properties and a row per metric; as a table, a data frame, JSON or a page.

*How to read a row.* ``ratio`` is the distance divided by the floor, which is how far real hypergraphs are from real hypergraphs at
the same counts. One is as good as real; the ceiling shows what independent incidences reach. The score of a metric is
min(1, floor / distance).

*The score* of the report is the fidelity: the mean score in each group of metrics, averaged over the groups, so three metrics that
see the same thing do not count three times. 0.5 means typically twice as far from real hypergraphs as these are from each other.
It says nothing about novelty: a model that replays its training set has the best possible fidelity. So novelty is a separate
property, appears next to the score wherever the score is shown, and is not averaged with anything.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import msgspec
from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.table import Table
from rich.text import Text

from hyperhedge._system.optional import require
from hyperhedge.errors import FormatError, HyperhedgeError
from hyperhedge.io.files import PathLike, atomic_file
from hyperhedge.io.hif import explain_json_error
from hyperhedge.metrics.statistics import Statistics

if TYPE_CHECKING:
    from hyperhedge.models.base import BaseGenerator
    from hyperhedge.models.hedge.sampling import SamplePaths
    from hyperhedge.report.verdict import Verdict

Grade: TypeAlias = Literal["good", "fair", "poor", ""]

#: The properties of a report, and what each tells.
PROPERTIES: dict[str, str] = {
    "fidelity": "how close to real they are; 1 is as close as real to real",
    "novelty": "whether they are new or copies of the training set",
    "validity": "whether they have defects that real ones do not have",
    "diversity": "whether they differ from each other as much as real ones do",
    "detectability": "whether a classifier mistakes them for real ones",
}

#: Ratios to the floor up to which a metric is good and fair; :func:`grade` gives the reason.
GOOD, FAIR = 1.5, 3.0

FORMAT_VERSION = 1


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
    def score(self) -> float | None:
        """min(1, floor / distance); None without a floor, or if nothing could go wrong (all are zero)."""
        if self.value is None or self.floor is None:
            return None
        if self.value == 0:
            return None if self.floor == 0 and not self.ceiling else 1.0
        return min(1.0, self.floor / abs(self.value))

    @property
    def grade(self) -> Grade:
        """The grade of the ratio; any deviation from a floor of zero is poor."""
        return grade(self.ratio) or ("poor" if self.score == 0 else "")


@dataclass(frozen=True)
class Property:
    """One property: a score from 0 to 1 (higher is better), None if it is not known, and the values it is made from."""

    score: float | None
    values: dict[str, float | None] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True)
class Baseline:
    """How a baseline's samples compare: their number and fidelity, and each metric's value and ratio to the floor."""

    count: int
    score: float | None
    values: dict[str, float | None]
    ratios: dict[str, float | None]


def fidelity(rows: tuple[Row, ...]) -> Property:
    """Average the scores of the metrics within each group, and then over the groups.

    Examples
    --------
    >>> rows = [Row(key, "", "", group, "", False, value=value, floor=1.0, ceiling=9.0)
    ...         for key, group, value in (("a", "overlap", 0.5), ("b", "overlap", 2.0), ("c", "spectra", 4.0))]
    >>> fidelity(tuple(rows))
    Property(score=0.5, values={'overlap': 0.75, 'spectra': 0.25}, note='')
    """
    by_group = defaultdict[str, list[float]](list)
    for row in rows:
        if row.score is not None:
            by_group[row.group].append(row.score)
    if not by_group:
        return Property(None, note="no metric has a floor to compare with")
    means = {group: math.fsum(scores) / len(scores) for group, scores in by_group.items()}
    return Property(math.fsum(means.values()) / len(means), dict(means))


def grade(ratio: float | None) -> Grade:
    """Grade a ratio to the floor.

    Real hypergraphs reach 1.5 by chance, too. Above 3, they reach a gap of means in one case of sixty, and a Wasserstein distance
    never.
    """
    if ratio is None:
        return ""
    return "good" if ratio <= GOOD else "fair" if ratio <= FAIR else "poor"


_COLOURS = {"good": "green", "fair": "yellow", "poor": "red", "": ""}


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
        rows = [{**asdict(row), "ratio": row.ratio, "score": row.score} for row in self.details]
        columns = [column.name for column in fields(Row)] + ["ratio", "score"]
        return pandas.DataFrame(rows, columns=columns).set_index("key")

    def to_json(self) -> str:
        """Return the report as JSON text; a number that is not known is null."""
        document = {
            "format": "hyperhedge-report",
            "format_version": FORMAT_VERSION,
            "score": self.score,
            **{
                entry.name: getattr(self, entry.name)
                for entry in fields(self)
                if entry.name not in ("collections", "values")
            },
        }
        document["details"] = [{**asdict(row), "ratio": row.ratio, "score": row.score} for row in self.details]
        return msgspec.json.format(msgspec.json.encode(document), indent=1).decode()

    @classmethod
    def from_json(cls, text: str | bytes) -> Report:
        """Read a report that :meth:`to_json` wrote."""
        data = text.encode() if isinstance(text, str) else bytes(text)
        try:
            header = msgspec.json.decode(data, type=_Header)
            if header.format_version > FORMAT_VERSION:
                raise FormatError(f"the report has format version {header.format_version}; upgrade hyperhedge")
            return msgspec.json.decode(data, type=cls)
        except msgspec.ValidationError as error:
            raise FormatError(f"this is not a report: {str(error).replace('`', chr(39))}") from None
        except FormatError:
            raise
        except (ValueError, RecursionError) as error:
            raise explain_json_error(error, data) from None

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
        ending = Path(path).suffix.lower()
        if ending not in (".html", ".htm", ".json"):
            raise HyperhedgeError(f"{path}: the name of a report must end in .html or .json")
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
        table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
        table.add_column("metric", no_wrap=True)
        for heading in ("value", "interval", "floor", "ceiling", "× floor"):
            table.add_column(heading, justify="right", no_wrap=True)
        group = ""
        for row in self.details:
            if group and row.group != group:
                table.add_section()
            group = row.group
            table.add_row(
                row.title,
                shown(row.value, signed=row.signed),
                between(row),
                shown(row.floor),
                shown(row.ceiling),
                Text(shown_ratio(row), style=_COLOURS[row.grade]),
            )
        return table

    def baseline_table(self) -> Table:
        """Return the ratios to the floor of the generated hypergraphs and of the baselines, side by side, for the terminal."""
        table = Table(title=Text("× floor", style="bold"), title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
        table.add_column("metric", no_wrap=True)
        for name in ("generated", *self.baselines):
            table.add_column(Text(name), justify="right")
        for row in self.details:
            ratios = [baseline.ratios.get(row.key) for baseline in self.baselines.values()]
            others = (Text(shown(ratio), style=_COLOURS[grade(ratio)]) for ratio in ratios)
            table.add_row(row.title, Text(shown_ratio(row), style=_COLOURS[row.grade]), *others)
        scores = (shown(baseline.score, 2) for baseline in self.baselines.values())
        table.add_section()
        table.add_row("fidelity", shown(self.score, 2), *scores)
        return table

    def __rich__(self) -> Group:
        """Show verdict, scores, rows and notes in a terminal."""
        verdict = self.verdict
        scores = Table(box=None, show_header=False, pad_edge=False)
        scores.add_column(style="bold")
        scores.add_column(justify="right")
        scores.add_column(style="dim")
        for name, prop in self.properties.items():
            scores.add_row(name, shown(prop.score, 2), prop.note or PROPERTIES.get(name, ""))
        headline = Text(verdict.sentence, style=f"bold {_COLOURS[verdict.grade]}".strip())
        tables = [self.table(), *([self.baseline_table()] if self.baselines else [])]
        missing = (f"{row.title}: {row.note}." for row in self.details if row.value is None and row.note)
        notes = (Text(f"· {note}", style="dim") for note in (*self.notes, *missing))
        return Group(headline, Text(), scores, Text(), *tables, *notes)

    def _counted(self) -> str:
        return ", ".join(f"{count:,} {name}" for name, count in self.counts.items())


class _Header(msgspec.Struct):
    """The fields that every version of the format has."""

    format: Literal["hyperhedge-report"]
    format_version: int


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
    """Write a row's ratio to the floor; ∞ if real hypergraphs never differ and generated ones do."""
    return "∞" if row.ratio is None and row.score == 0 else shown(row.ratio)
