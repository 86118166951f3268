"""What a significance test found: a row per statistic, the values under the null, and pictures of them."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal

import msgspec
import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.table import Table
from rich.text import Text

from hyperhedge._system.optional import require
from hyperhedge.errors import HyperhedgeError
from hyperhedge.typing import FloatArray

Alternative = Literal["two-sided", "greater", "less"]

FORMAT_VERSION = 1
SIGNIFICANT = 0.05
SYMBOLS: dict[Alternative, str] = {"two-sided": "≠", "greater": "≥", "less": "≤"}
_CELLS = 24  # of a histogram in a table
_BARS = "▁▂▃▄▅▆▇█"


@dataclass(frozen=True)
class NullRow:
    """One statistic: the observed value, mean and standard deviation under the null, z-score and p-values.

    ``z`` is None if the null values do not vary. ``p_greater`` and ``p_less`` are one-sided, ``p_two_sided`` is twice the
    smaller of the two (at most 1), and ``p_holm`` is the p-value of the test's alternative after Holm's correction for all
    statistics of the test.
    """

    statistic: str
    observed: float
    mean: float
    sd: float
    z: float | None
    p_greater: float
    p_less: float
    p_two_sided: float
    p_holm: float

    def p_value(self, alternative: Alternative) -> float:
        """Return the p-value of one alternative, not corrected."""
        return {"two-sided": self.p_two_sided, "greater": self.p_greater, "less": self.p_less}[alternative]


@dataclass(frozen=True)
class NullTest:
    """A significance test, as :func:`hyperhedge.null_test` returns it.

    Attributes
    ----------
    rows
        A :class:`~hyperhedge.metrics.NullRow` for each statistic; ``test["clustering"]`` is one of them.
    hypergraph
        The hypergraph that was tested, in a few words.
    null
        What the null hypergraphs come from.
    count
        How many there were.
    alternative
        The alternative that Holm's correction is for.
    notes
        What a reader should know: whether the p-values are exact, and whether they can be small enough.
    null_values
        For each statistic its values under the null.
    """

    rows: tuple[NullRow, ...]
    hypergraph: str
    null: str
    count: int
    alternative: Alternative
    notes: tuple[str, ...] = ()
    null_values: dict[str, FloatArray] = field(default_factory=dict, compare=False, repr=False)

    def __getitem__(self, statistic: str) -> NullRow:
        """Return the row of one statistic."""
        for row in self.rows:
            if row.statistic == statistic:
                return row
        raise HyperhedgeError(
            f"the test has no statistic {statistic!r}; it has {', '.join(row.statistic for row in self.rows)}"
        )

    def __repr__(self) -> str:
        shown = [f"{row.statistic} p={row.p_value(self.alternative):.3g}" for row in self.rows[:6]]
        more = [f"… ({len(self.rows)} statistics)"] if len(self.rows) > 6 else []
        return f"<NullTest against {self.null}: {', '.join(shown + more)}>"

    # -- as data -----------------------------------------------------------------------------------

    def to_frame(self) -> Any:
        """Return the rows as a pandas data frame, indexed by the statistics."""
        pandas = require("pandas", "pandas")
        columns = [column.name for column in fields(NullRow)]
        return pandas.DataFrame([asdict(row) for row in self.rows], columns=columns).set_index("statistic")

    def to_json(self) -> str:
        """Return the test as JSON text, with the values under the null; what has no value is null."""
        document = {
            "format": "hyperhedge-null-test",
            "format_version": FORMAT_VERSION,
            **{entry.name: getattr(self, entry.name) for entry in fields(self) if entry.name != "null_values"},
            "null_values": {name: values.tolist() for name, values in self.null_values.items()},
        }
        return msgspec.json.encode(document).decode()

    # -- for people --------------------------------------------------------------------------------

    def plot(self, statistic: str | None = None, ax: Any = None) -> Any:
        """Plot histograms of the null values with the observed ones marked; return the axes.

        Parameters
        ----------
        statistic
            One statistic; by default there is a panel for each, and an array of axes is returned if there are several.
        ax
            The axes to plot one statistic in; new ones by default.
        """
        from hyperhedge.plotting.null_values import Panel, plot_null_values

        rows = self.rows if statistic is None else (self[statistic],)
        panels = [
            Panel(
                row.statistic,
                self.null_values[row.statistic],
                row.observed,
                f"observed {_number(row.observed)}, z = {_number(row.z)}, p = {row.p_value(self.alternative):.3g}",
            )
            for row in rows
        ]
        return plot_null_values(panels, ax)

    def table(self) -> Table:
        """Return the rows as a table for the terminal; statistics that are significant after Holm's correction are bold."""
        title = Text(f"{self.hypergraph} against {self.count:,} from {self.null}", style="bold")
        table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
        table.add_column("statistic", no_wrap=True)
        for heading in ("observed", "null mean ± sd", "z", "p ≥", "p ≤", "p ≠", "p Holm"):
            table.add_column(heading, justify="right", no_wrap=True)
        for row in self.rows:
            p_values = (row.p_greater, row.p_less, row.p_two_sided, row.p_holm)
            style = "bold" if row.p_holm <= SIGNIFICANT else ""
            spread = f"{_number(row.mean)} ± {_number(row.sd)}"
            cells = (_number(row.observed), spread, _number(row.z), *(f"{p:.3g}" for p in p_values))
            table.add_row(Text(row.statistic), *cells, style=style)
        return table

    def histograms(self) -> Table:
        """Return small histograms of the null values for the terminal: ◆ is the observed value."""
        table = Table(box=SIMPLE_HEAD, pad_edge=False)
        table.add_column("statistic", no_wrap=True)
        for heading, side in (("least", "right"), ("null values, ◆ observed", "left"), ("greatest", "left")):
            table.add_column(heading, justify="right" if side == "right" else "left", no_wrap=True)
        for row in self.rows:
            values = self.null_values[row.statistic]
            low, high = min(values.min(), row.observed), max(values.max(), row.observed)
            bars = histogram_line(values, row.observed)
            table.add_row(Text(row.statistic), _number(low), Text(bars), _number(high))
        return table

    def __rich__(self) -> Group:
        """Show rows, histograms and notes in a terminal."""
        pictures = [self.histograms()] if self.null_values else []
        corrected = [f"p Holm is p {SYMBOLS[self.alternative]} corrected for {len(self.rows)} statistics."]
        notes = [*(corrected if len(self.rows) > 1 else []), *self.notes]
        return Group(self.table(), *pictures, *(Text(f"· {note}", style="dim") for note in notes))


def histogram_line(values: FloatArray, observed: float, cells: int = _CELLS) -> str:
    """Draw a histogram as one line of text, from the least to the greatest of all values, with the observed one marked.

    Examples
    --------
    >>> histogram_line(np.array([0.0, 1, 1, 1, 2, 2]), 5.0)
    '▃█▆  ◆'
    >>> histogram_line(np.array([3.0, 3.0]), 3.0)
    '◆'
    """
    low, high = min(float(values.min()), observed), max(float(values.max()), observed)
    if low == high:
        return "◆"
    if high - low < cells and (values == np.round(values)).all() and observed == round(observed):
        cells, low, high = int(high - low) + 1, low - 0.5, high + 0.5  # a bar per whole number
    counts = np.histogram(values, bins=cells, range=(low, high))[0]
    heights = np.ceil(counts / counts.max() * len(_BARS)).astype(int)
    bars = [_BARS[height - 1] if height else " " for height in heights]
    bars[min(int((observed - low) / (high - low) * cells), cells - 1)] = "◆"
    return "".join(bars)


def _number(value: float | None) -> str:
    """Write a number for people; counts are written in full."""
    if value is None or math.isnan(value):
        return "–"
    if value == round(value) and abs(value) < 1e12:
        return f"{value:,.0f}"
    return f"{value:,.1f}" if abs(value) >= 1000 else f"{value:.3g}"
