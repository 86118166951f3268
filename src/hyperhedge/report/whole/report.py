r"""The report on one whole hypergraph (or a few) against another: rows that say how much of the way was gone.

*The way.* For one hypergraph there are two fixed points: the *floor*, how far two samples of one law are apart at this size, and
the *null model*, the configuration model, which has all degrees and sizes and no other structure. The score of a row says how much
of the way from the null model to the floor a generator has gone,

.. math:: \text{way} = \min\Bigl(1, \max\Bigl(0, \frac{\text{null} - \text{value}}{\text{null} - \text{floor}}\Bigr)\Bigr) .

Where the null model is itself at the floor (degrees and sizes, which it keeps), independent incidences take its place. Where these
are at the floor, too, the row cannot judge: closeness is no merit, and only a distance beyond 1.5 floors counts.

*The floor* comes from random halves of the real hypergraph: the hyperedges are split at random, the halves compared with each
other, and the mean distance is rescaled to the full size by :math:`\sqrt{1/2}`, as a distance between samples shrinks.

*The fidelity* is the mean way over the rows of each group, averaged over the groups.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.table import Table
from rich.text import Text

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.metrics.whole.seams import Seam
from hyperhedge.metrics.whole.statistics import WholeStatistics
from hyperhedge.report.grades import GOOD, Grade, grade_of_score
from hyperhedge.report.report import Report, Row, shown, shown_score

if TYPE_CHECKING:
    from hyperhedge.models.base import BaseGenerator
    from hyperhedge.models.hedge.sampling import SamplePaths
    from hyperhedge.report.verdict import Verdict


@dataclass(frozen=True)
class WholeRow(Row):
    """One measure: its value, the floor, the distances of both null models, and the way that was gone.

    ``ceiling`` is what the way begins with: the distance of the configuration model or, where that is at the floor, of independent
    incidences. ``low`` and ``high`` are the least and the largest value where several hypergraphs were compared.
    """

    configuration: float | None = None
    independent: float | None = None

    @property
    def score(self) -> float | None:
        """How much of the way from the null model to the floor was gone; None if the row cannot judge."""
        if self.value is None or self.floor is None or self.ceiling is None or self.cannot_judge:
            return None
        if self.blunt:
            return super().score
        return min(1.0, max(0.0, (self.ceiling - self.value) / (self.ceiling - self.floor)))

    @property
    def ceiling_score(self) -> float | None:
        """Return the way that the null model has gone: none, where there is a way to go."""
        return super().ceiling_score if self.blunt else None if self.ceiling is None or self.floor is None else 0.0

    @property
    def grade(self) -> Grade:
        """The grade of the way; good within 1.5 floors."""
        if self.cannot_judge or self.score is None:
            return ""
        if self.ratio is not None and self.ratio <= GOOD:
            return "good"
        return super().grade if self.blunt else grade_of_score("way", self.score)


@dataclass(frozen=True)
class Yardstick:
    """What a score means: another hypergraph, compared in the same way.

    Attributes
    ----------
    fidelity, novelty
        Its scores.
    matched
        The share of its hyperedges that match training ones.
    surroundings
        The share of unique surroundings in the training hypergraph that occur in it.
    kind
        What it is: generated, training, copy, null or baseline.
    """

    fidelity: float | None
    novelty: float | None
    matched: float | None
    surroundings: float | None
    kind: str


@dataclass(frozen=True)
class WholeReport(Report):
    """A report on whole hypergraphs, as :func:`hyperhedge.evaluate` returns it for a single real hypergraph.

    It has the attributes of a :class:`~hyperhedge.report.report.Report`; ``properties`` are fidelity, novelty and validity, and
    ``details`` are :class:`~hyperhedge.report.whole.report.WholeRow`. Beside these:

    Attributes
    ----------
    yardsticks
        What the scores mean: the training hypergraph itself, copies of it with 1%, 10% and 50% of the incidences rewired, the null
        models and the baselines, by name.
    seams
        The overlapping pairs of the real, the generated and the configuration model's hypergraph by detour and by cluster.
    statistics
        The statistics of what was compared, by name, for the plots of the page; a report from JSON has none.
    halves
        The statistics of the halves that the floor comes from.
    graphs
        One hypergraph of each, for the pictures.
    """

    format_name: ClassVar[str] = "hyperhedge-whole-report"
    unsaved: ClassVar[tuple[str, ...]] = (*Report.unsaved, "statistics", "halves", "graphs")
    graded_as: ClassVar[dict[str, str]] = {"fidelity": "way"}
    scored: ClassVar[bool] = True

    details: tuple[WholeRow, ...]
    yardsticks: dict[str, Yardstick] = field(default_factory=dict)
    seams: dict[str, dict[str, tuple[Seam, ...]]] = field(default_factory=dict)
    statistics: dict[str, WholeStatistics] = field(default_factory=dict, compare=False, repr=False)
    halves: tuple[tuple[WholeStatistics, WholeStatistics], ...] = field(default=(), compare=False, repr=False)
    graphs: dict[str, Hypergraph] = field(default_factory=dict, compare=False, repr=False)

    @property
    def verdict(self) -> Verdict:
        """The report in words: how close to real, how new, how valid."""
        from hyperhedge.report.whole.verdict import verdict

        return verdict(self)

    def to_html(
        self, *, paths: SamplePaths | None = None, model: BaseGenerator | None = None, command: str | None = None
    ) -> str:
        """Return the report as one self-contained HTML page; see :meth:`Report.to_html`."""
        from hyperhedge.report.whole.page import page

        return page(self, paths=paths, model=model, command=command)

    def yardstick_table(self) -> Table:
        """Return what the scores mean, for the terminal."""
        table = Table(
            title=Text("to read the scores by", style="bold"), title_justify="left", box=SIMPLE_HEAD, pad_edge=False
        )
        table.add_column("", no_wrap=True)
        for heading in ("fidelity", "novelty", "matched", "known surroundings"):
            table.add_column(heading, justify="right")
        for name, one in self.yardsticks.items():
            scores = (shown_score("way", one.fidelity), shown_score("novelty", one.novelty))
            shares = (shown(one.matched, 3), shown(one.surroundings, 3))
            table.add_row(Text(name, style="bold" if one.kind == "generated" else ""), *scores, *shares)
        return table

    def __rich__(self) -> Group:
        """Show verdict, scores, rows, yardsticks and notes in a terminal."""
        group = super().__rich__()
        group.renderables.insert(4, self.yardstick_table())
        return group
