"""Several generators side by side: the same real hypergraphs, the same floor and ceiling, and no generator that is the one.

Each generator has a :class:`~hyperhedge.report.report.Report`, the one that :func:`hyperhedge.evaluate` returns with the same seed.
Floors, novelty and the rest depend on how many hypergraphs there are, so all generators are compared at one count, the smallest: of
a larger collection a random subset is taken.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, TypeAlias

from rich.box import SIMPLE_HEAD
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from hyperhedge._system.optional import require
from hyperhedge._system.progress import Meter
from hyperhedge.errors import HyperhedgeError
from hyperhedge.io.files import PathLike, atomic_file
from hyperhedge.io.formats import read_as_stored
from hyperhedge.metrics.registry import MetricChoice
from hyperhedge.metrics.statistics import Statistics, statistics_of
from hyperhedge.models.base import BaseGenerator, Seed
from hyperhedge.report.evaluate import ROLES, Options, report_on
from hyperhedge.report.grades import COLOURS
from hyperhedge.report.provenance import seed_number
from hyperhedge.report.report import (
    PROPERTIES,
    WHY_BLUNT,
    Report,
    derived,
    page_or_data,
    read_document,
    shown,
    shown_cell,
    shown_score,
    written,
)

FORMAT, FORMAT_VERSION = "hyperhedge-comparison", 1

#: Hypergraphs, or the file that has them.
Samples: TypeAlias = Iterable[Any] | PathLike


def compare(
    real: Samples,
    generators: Mapping[str, Samples],
    *,
    train: Samples | None = None,
    costs: Mapping[str, float] | None = None,
    metrics: Iterable[MetricChoice] | Mapping[str, Callable[..., Any]] | None = None,
    eigenvalues: int | None = 16,
    threshold: int = 2,
    bootstrap: int = 200,
    confidence: float = 0.95,
    floor_repeats: int = 20,
    ceiling: bool = True,
    permutations: int = 999,
    seed: Seed | None = None,
    progress: Console | bool | None = None,
) -> Comparison:
    """Compare several generators by their samples.

    Hypergraphs may be given as a list or as the path of a file or folder that :func:`hyperhedge.read_collection` reads.

    Parameters
    ----------
    real
        Held-out real hypergraphs, which no generator has seen.
    generators
        The samples of each generator by its name, such as ``{"Hedge": samples, "HCM": "hcm.npz"}``.
    train
        The training set, needed for novelty.
    costs
        Seconds that a generator took, by its name, for those where it is known: shown as they are.
    metrics, eigenvalues, threshold, bootstrap, confidence, floor_repeats, ceiling, permutations, seed
        As in :func:`hyperhedge.evaluate`.
    progress
        A console to show progress on, or True for standard error.

    Examples
    --------
    >>> import numpy as np
    >>> from hyperhedge import Hypergraph
    >>> rng = np.random.default_rng(0)
    >>> def sample(density):
    ...     return [Hypergraph.from_incidence(rng.random((8, 6)) < density) for _ in range(20)]
    >>> comparison = compare(sample(0.3), {"dense": sample(0.7), "denser": sample(0.9)}, train=sample(0.3), seed=0)
    >>> comparison.names
    ('dense', 'denser')
    >>> comparison["denser"]["degree_gap"].value > comparison["dense"]["degree_gap"].value > 2
    True
    """
    options = Options(
        metrics, eigenvalues, threshold, bootstrap, confidence, floor_repeats, ceiling, permutations, seed_number(seed)
    )
    held_out = statistics_of(_hypergraphs(real, "real"), "real")
    known = None if train is None else statistics_of(_hypergraphs(train, "train"), "train")
    collections = _collections(generators)
    seconds = _checked_costs(costs or {}, collections)
    count = min(len(collection) for collection in collections.values())
    options.admit(held_out, known, list(collections.values()), progress)
    reports = {}
    with Meter(progress, "comparing", len(collections) * options.steps(1)) as meter:
        reference = options.reference(held_out, known, count)
        for name, collection in collections.items():
            subset = collection.random_subset(count, options.sources()["subset"])
            reports[name] = report_on(subset, reference, options, name, {}, meter)
    return Comparison(reports, seconds, tuple(_notes(reports, collections, count)))


@dataclass(frozen=True)
class Comparison:
    """Several generators side by side, as :func:`hyperhedge.compare` returns them.

    Attributes
    ----------
    reports
        The report on each generator, by its name, in the order in which they were given.
    costs
        The seconds that a generator took, where they are known.
    notes
        What a reader should know.
    """

    reports: dict[str, Report]
    costs: dict[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.reports:
            raise HyperhedgeError("a comparison needs at least one generator")

    @property
    def names(self) -> tuple[str, ...]:
        """The generators."""
        return tuple(self.reports)

    def __getitem__(self, name: str) -> Report:
        """Return the report on one generator."""
        if name not in self.reports:
            raise HyperhedgeError(f"the comparison has no generator {name!r}; it has {', '.join(self.reports)}")
        return self.reports[name]

    def __repr__(self) -> str:
        fidelities = ", ".join(f"{name} {shown(report.score, 2)}" for name, report in self.reports.items())
        return f"<Comparison: fidelity of {fidelities}>"

    # -- as data -----------------------------------------------------------------------------------

    def to_frame(self, of: str = "metrics") -> Any:
        """Return a pandas data frame: a row per generator and metric, or, of ``"properties"``, a row per generator.

        Parameters
        ----------
        of
            ``"metrics"`` or ``"properties"``.
        """
        pandas = require("pandas", "pandas")
        if of == "metrics":
            rows = [
                {"generator": name, "key": row.key, "title": row.title, "group": row.group, "value": row.value}
                | {"low": row.low, "high": row.high, "floor": row.floor, "ceiling": row.ceiling, **derived(row)}
                for name, report in self.reports.items()
                for row in report.details
            ]
            return pandas.DataFrame(rows).set_index(["generator", "key"])
        if of != "properties":
            raise HyperhedgeError(f'of= must be "metrics" or "properties", not {of!r}')
        rows = [
            {"generator": name}
            | {key: prop.score for key, prop in report.properties.items()}
            | {"seconds": self.costs.get(name), "grade": report.verdict.grade, "verdict": report.verdict.sentence}
            for name, report in self.reports.items()
        ]
        return pandas.DataFrame(rows).set_index("generator")

    def to_json(self) -> str:
        """Return the comparison as JSON text; a number that is not known is null."""
        reports = {name: report.as_data() for name, report in self.reports.items()}
        head = {"format": FORMAT, "format_version": FORMAT_VERSION}
        return written({**head, "costs": self.costs, "notes": self.notes, "reports": reports})

    @classmethod
    def from_json(cls, text: str | bytes) -> Comparison:
        """Read a comparison that :meth:`to_json` wrote."""
        return read_document(text, cls, FORMAT, FORMAT_VERSION)

    def save(self, path: PathLike, *, command: str | None = None) -> None:
        """Write the comparison: a page for ``.html``, data for ``.json``.

        Parameters
        ----------
        path
            The file.
        command
            The command that made it, which the page shows for repeating.
        """
        if page_or_data(path) == ".json":
            if command is not None:
                raise HyperhedgeError(f"{path}: command= needs a page; give a name that ends in .html")
            text = self.to_json()
        else:
            text = self.to_html(command=command)
        with atomic_file(path) as file:
            file.write(text.encode())

    # -- for people --------------------------------------------------------------------------------

    def to_html(self, *, command: str | None = None) -> str:
        """Return the comparison as one self-contained HTML page; :meth:`save` says what ``command`` is."""
        from hyperhedge.report.page import page_of_several  # templates are only loaded where they are used

        return page_of_several(self.reports, self.notes, self.costs, command)

    def _repr_html_(self) -> str:
        from hyperhedge.report.page import notebook_of_several

        return notebook_of_several(self.reports, self.notes, self.costs)

    def score_table(self) -> Table:
        """Return the scores of the properties, a row per property, as a table for the terminal."""
        table = _table(self.names, "score, from 0 to 1")
        for key in PROPERTIES:
            table.add_row(key, *(shown_score(key, r.properties[key].score) for r in self.reports.values()))
        if self.costs:
            table.add_section()
            table.add_row("seconds", *(shown(self.costs.get(name)) for name in self.names))
        return table

    def table(self) -> Table:
        """Return the ratios to the floor, a row per metric, as a table for the terminal."""
        table = _table(self.names, "× floor", "floor", "ceiling")
        group = ""
        for rows in zip(*(report.details for report in self.reports.values()), strict=True):
            if group and rows[0].group != group:
                table.add_section()
            group = rows[0].group
            cells = (Text(shown_cell(row.ratio, row.grade), style=COLOURS[row.grade]) for row in rows)
            table.add_row(rows[0].title, *cells, shown(rows[0].floor), shown(rows[0].ceiling))
        return table

    def __rich__(self) -> Group:
        """Show the verdicts, scores, rows and notes in a terminal."""
        verdicts = []
        for name, report in self.reports.items():
            verdict = report.verdict
            style = f"bold {COLOURS[verdict.grade]}".strip()
            verdicts.append(Text.assemble((f"{name}: ", "bold"), (verdict.sentence, style)))
        blunt = any(row.cannot_judge for report in self.reports.values() for row in report.details)
        explained = [f"in brackets: {WHY_BLUNT}."] if blunt else []
        notes = (Text(f"· {note}", style="dim") for note in (*explained, *self.notes))
        return Group(*verdicts, Text(), self.score_table(), self.table(), *notes)


def _table(names: Iterable[str], title: str, *others: str) -> Table:
    """Return an empty table with a column per generator."""
    table = Table(title=Text(title, style="bold"), title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("", no_wrap=True)
    for name in names:
        table.add_column(Text(name), justify="right")  # a Text, since names are not markup
    for heading in others:
        table.add_column(heading, justify="right")
    return table


# -- what is compared --------------------------------------------------------------------------------


def _hypergraphs(samples: Samples, name: str) -> Iterable[Any]:
    """Return hypergraphs as they were given, or read them."""
    if isinstance(samples, BaseGenerator):
        raise HyperhedgeError(f"{name} is a model; give its samples, such as model.sample(100)")
    if not isinstance(samples, str | os.PathLike):
        return samples
    stored = read_as_stored(samples)
    return stored if isinstance(stored, list) else [stored]


def _collections(generators: Mapping[str, Samples]) -> dict[str, Statistics]:
    """Return the samples by name, and refuse what is no name."""
    if not isinstance(generators, Mapping):  # a mistake that types do not stop
        raise HyperhedgeError(
            f'generators= must be a mapping such as {{"Hedge": samples}}, not a {type(generators).__name__}'
        )
    if not generators:
        raise HyperhedgeError('generators= is empty; give samples by name, such as {"Hedge": samples}')
    collections: dict[str, Statistics] = {}
    for key, samples in generators.items():
        name = str(key).strip()
        if not name or name in ROLES:
            raise HyperhedgeError(f"generators= needs names other than {', '.join(ROLES)}, not {key!r}")
        if name in collections:
            raise HyperhedgeError(f"generators= has two generators named {name!r}; give them different names")
        label = f"generators[{key!r}]"
        collections[name] = statistics_of(_hypergraphs(samples, label), label)
    return collections


def _checked_costs(costs: Mapping[str, Any], collections: Mapping[str, Statistics]) -> dict[str, float]:
    """Return the seconds in the order of the generators."""
    for name, seconds in costs.items():
        if name not in collections:
            raise HyperhedgeError(f"costs= names {name!r}, which is none of the generators: {', '.join(collections)}")
        if isinstance(seconds, bool) or not isinstance(seconds, Real) or not 0 <= float(seconds) < math.inf:
            raise HyperhedgeError(f"costs[{name!r}] must be a number of seconds, not {seconds!r}")
    return {name: float(costs[name]) for name in collections if name in costs}


def _notes(reports: Mapping[str, Report], collections: Mapping[str, Statistics], count: int) -> Iterable[str]:
    """Iterate over the notes of all reports, each once: first those that all have."""
    larger = [f"{name} ({len(c):,})" for name, c in collections.items() if len(c) > count]
    if larger:
        yield f"All are compared at {count:,} hypergraphs, the smallest number; of {', '.join(larger)} a random subset is taken."
    notes = list(dict.fromkeys(note for report in reports.values() for note in report.notes))
    for note in notes:
        names = [name for name, report in reports.items() if note in report.notes]
        yield note if len(names) == len(reports) else f"{', '.join(names)}: {note}"
