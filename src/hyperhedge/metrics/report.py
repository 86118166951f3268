"""The report: a verdict, a score, five properties, a row per metric; as a table, as a frame, as JSON and as a page.

*How a row is read.* ``ratio`` is the distance over the floor: what real hypergraphs are from real hypergraphs at the
same counts. One is as good as real; the ceiling says what independent incidences reach. A metric's score is min(1,
floor / distance).

*The score* of the report is the fidelity: the mean over the groups of metrics of the mean score in each group, so that
three metrics that see the same thing do not count three times. 0.5 means: typically twice as far as real from real. It
says nothing about novelty: a model that replays its training set has the best fidelity there is. So novelty is a
property of its own, stands next to the score wherever the score is shown, and is averaged with nothing.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import msgspec
from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.table import Table
from rich.text import Text

from hyperhedge.convert.optional import require
from hyperhedge.errors import FormatError, HyperhedgeError
from hyperhedge.io.files import PathLike, atomic_file
from hyperhedge.io.hif import explain_json_error
from hyperhedge.metrics.distances import GROUPS
from hyperhedge.metrics.statistics import Statistics

if TYPE_CHECKING:
    from hyperhedge.generator import Generator
    from hyperhedge.metrics.page.film import Path as DrawnPath
    from hyperhedge.metrics.verdict import Verdict

__all__ = ["PROPERTIES", "Grade", "NullModel", "Property", "Report", "Row", "fidelity", "grade"]

Grade: TypeAlias = Literal["good", "fair", "poor", ""]

#: The properties of a report, and what each says.
PROPERTIES: dict[str, str] = {
    "fidelity": "how near they are to the real hypergraphs; 1 is as near as real to real",
    "novelty": "whether they are new, or copies of the training set",
    "validity": "whether they have defects that the real ones do not have",
    "diversity": "whether they differ from each other as real ones do",
    "detectability": "whether a classifier takes them for real ones",
}

GOOD, FAIR = 1.5, 3.0

FORMAT_VERSION = 1


@dataclass(frozen=True)
class Row:
    """One metric: its value with interval, floor and ceiling; None where there is none, with a note that says why."""

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
        """min(1, floor / distance); None without a floor, or where nothing could go wrong (all are zero)."""
        if self.value is None or self.floor is None:
            return None
        if self.value == 0:
            return None if self.floor == 0 and not self.ceiling else 1.0
        return min(1.0, self.floor / abs(self.value))

    @property
    def grade(self) -> Grade:
        """How the ratio is to be read; any deviation from a floor of zero is poor."""
        return grade(self.ratio) or ("poor" if self.score == 0 else "")


@dataclass(frozen=True)
class Property:
    """One property: a score from 0 to 1, higher is better, and what it was made from; None where there is none."""

    score: float | None
    values: dict[str, float | None] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True)
class NullModel:
    """What a null model's samples reach: how many there are, their fidelity, and each metric's value and ratio to the floor."""

    count: int
    score: float | None
    values: dict[str, float | None]
    ratios: dict[str, float | None]


def fidelity(rows: tuple[Row, ...]) -> Property:
    """Average the metrics' scores within groups, and the groups.

    Examples
    --------
    >>> rows = [Row(key, "", "", group, "", False, value=value, floor=1.0, ceiling=9.0)
    ...         for key, group, value in (("a", "overlap", 0.5), ("b", "overlap", 2.0), ("c", "spectra", 4.0))]
    >>> fidelity(tuple(rows))
    Property(score=0.5, values={'overlap': 0.75, 'spectra': 0.25}, note='')
    """
    groups: dict[str, float | None] = {}
    for group in GROUPS:
        scores = [row.score for row in rows if row.group == group and row.score is not None]
        if scores:
            groups[group] = math.fsum(scores) / len(scores)
    found = [score for score in groups.values() if score is not None]
    if not found:
        return Property(None, note="no metric has a floor to compare with")
    return Property(math.fsum(found) / len(found), groups)


def grade(ratio: float | None) -> Grade:
    """Say how a ratio to the floor is to be read.

    Up to 1.5 is what chance gives real hypergraphs too; above 3, chance gives a gap of means in one case of sixty and
    a Wasserstein distance never.
    """
    if ratio is None:
        return ""
    return "good" if ratio <= GOOD else "fair" if ratio <= FAIR else "poor"


_COLOURS = {"good": "green", "fair": "yellow", "poor": "red", "": ""}


@dataclass(frozen=True)
class Report:
    """What is to be said about generated hypergraphs; :func:`hyperhedge.metrics.evaluate` makes it.

    Attributes
    ----------
    name
        What was generated.
    properties
        Fidelity, novelty, validity, diversity and detectability.
    details
        A row per metric.
    counts
        How many hypergraphs there were: real, generated, train.
    settings
        How the report was made.
    notes
        What one should know when reading it.
    nulls
        What the null models' samples reach, by name.
    batches
        The statistics of everything that was compared, by name, for the pictures of the page; a report from JSON has none.
    """

    name: str
    properties: dict[str, Property]
    details: tuple[Row, ...]
    counts: dict[str, int]
    settings: dict[str, Any]
    notes: tuple[str, ...] = ()
    nulls: dict[str, NullModel] = field(default_factory=dict)
    batches: dict[str, Statistics] = field(default_factory=dict, compare=False, repr=False)

    @property
    def verdict(self) -> Verdict:
        """How close to real, how new and how valid they are, in words."""
        from hyperhedge.metrics.verdict import verdict

        return verdict(self)

    @property
    def score(self) -> float | None:
        """The fidelity, from 0 to 1; read it together with ``properties["novelty"]``."""
        return self.properties["fidelity"].score

    def __getitem__(self, key: str) -> Row:
        """Return the row of one metric."""
        for row in self.details:
            if row.key == key:
                return row
        raise HyperhedgeError(f"the report has no metric {key!r}; it has {', '.join(row.key for row in self.details)}")

    def __repr__(self) -> str:
        scores = ", ".join(f"{name} {shown(part.score, 2)}" for name, part in self.properties.items())
        return f"<Report on {self.name!r}: {scores}>"

    # -- as data -----------------------------------------------------------------------------------

    def to_frame(self) -> Any:
        """Return the rows as a pandas data frame, indexed by the metrics' keys."""
        pandas = require("pandas", "pandas")
        rows = [{**asdict(row), "ratio": row.ratio, "score": row.score} for row in self.details]
        columns = [part.name for part in fields(Row)] + ["ratio", "score"]
        return pandas.DataFrame(rows, columns=columns).set_index("key")

    def to_json(self) -> str:
        """Return the report as JSON text; numbers are finite, and null where there is none."""
        document = {
            "format": "hyperhedge-report",
            "format_version": FORMAT_VERSION,
            "score": self.score,
            **{part.name: getattr(self, part.name) for part in fields(self) if part.name != "batches"},
        }
        document["details"] = [{**asdict(row), "ratio": row.ratio, "score": row.score} for row in self.details]
        return msgspec.json.format(msgspec.json.encode(document), indent=1).decode()

    @classmethod
    def from_json(cls, text: str | bytes) -> Report:
        """Bring back a report from what :meth:`to_json` gave."""
        data = text.encode() if isinstance(text, str) else bytes(text)
        try:
            header = msgspec.json.decode(data, type=_Header)
            if header.format_version > FORMAT_VERSION:
                raise FormatError(f"the report is of format version {header.format_version}; upgrade hyperhedge")
            return msgspec.json.decode(data, type=cls)
        except msgspec.ValidationError as error:
            raise FormatError(f"this is no report: {str(error).replace('`', chr(39))}") from None
        except FormatError:
            raise
        except (ValueError, RecursionError) as error:
            raise explain_json_error(error, data) from None

    def save(
        self,
        path: PathLike,
        *,
        drawn: DrawnPath | None = None,
        model: Generator | None = None,
        command: str | None = None,
    ) -> None:
        """Write the report: a page for ``.html``, data for ``.json``.

        Parameters
        ----------
        path
            The file.
        drawn, model, command
            What a page shows besides, see :meth:`to_html`.
        """
        ending = Path(path).suffix.lower()
        if ending not in (".html", ".htm", ".json"):
            raise HyperhedgeError(f"the report's name must end in .html or .json, not in {ending or 'nothing'!r}")
        if ending == ".json" and (drawn is not None or model is not None or command is not None):
            raise HyperhedgeError("drawn=, model= and command= are for a page; give a name that ends in .html")
        text = self.to_json() if ending == ".json" else self.to_html(drawn=drawn, model=model, command=command)
        with atomic_file(path) as file:
            file.write(text.encode())

    # -- to look at --------------------------------------------------------------------------------

    def to_html(
        self, *, drawn: DrawnPath | None = None, model: Generator | None = None, command: str | None = None
    ) -> str:
        """Return the report as one page that needs nothing else.

        Parameters
        ----------
        drawn
            Samples with the states on their way from noise, as ``Hedge.sample(..., return_path=True)`` gives them: the page
            plays the first few.
        model
            The generator, whose configuration the page then tells.
        command
            The command that made the report, to be repeated.
        """
        from hyperhedge.metrics.page import page

        return page(self, drawn=drawn, model=model, command=command)

    def _repr_html_(self) -> str:
        from hyperhedge.metrics.page import notebook

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

    def null_table(self) -> Table:
        """Return the ratios to the floor of the null models beside those of the generated hypergraphs, for the terminal."""
        table = Table(title=Text("× floor", style="bold"), title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
        table.add_column("metric", no_wrap=True)
        for name in ("generated", *self.nulls):
            table.add_column(Text(name), justify="right")
        for row in self.details:
            ratios = [null.ratios.get(row.key) for null in self.nulls.values()]
            others = (Text(shown(ratio), style=_COLOURS[grade(ratio)]) for ratio in ratios)
            table.add_row(row.title, Text(shown_ratio(row), style=_COLOURS[row.grade]), *others)
        scores = (shown(null.score, 2) for null in self.nulls.values())
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
        for name, part in self.properties.items():
            scores.add_row(name, shown(part.score, 2), part.note or PROPERTIES.get(name, ""))
        headline = Text(verdict.sentence, style=f"bold {_COLOURS[verdict.grade]}".strip())
        tables = [self.table(), *([self.null_table()] if self.nulls else [])]
        return Group(
            headline, Text(), scores, Text(), *tables, *(Text(f"· {note}", style="dim") for note in self.notes)
        )

    def _counted(self) -> str:
        return ", ".join(f"{count:,} {name}" for name, count in self.counts.items())


class _Header(msgspec.Struct):
    """What every version of a report has."""

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
    """Write a row's ratio to the floor; ∞ where real hypergraphs never differ and generated ones do."""
    return "∞" if row.ratio is None and row.score == 0 else shown(row.ratio)
