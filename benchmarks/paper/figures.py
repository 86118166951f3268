"""Figures of experiments from their records: functions of results that plot onto a matplotlib figure."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from benchmarks.paper.numbers import STRUCTURE
from hyperhedge.bench.results import Results, difference, spread
from hyperhedge.bench.tables import dataset_titles
from hyperhedge.io.files import atomic_file
from hyperhedge.metrics import METRICS
from hyperhedge.plotting.theme import COLOURS

__all__ = ["differences", "ratios", "save_figure"]

MARKS = "os^Dv<>P"


def save_figure(results: Results, plot: Callable[[Results, Figure], bool], file: Path) -> bool:
    """Plot results into a PNG file; return False, and write nothing, where there is nothing to show yet."""
    figure = Figure(dpi=110, layout="constrained")
    if not plot(results, figure):
        return False
    with atomic_file(file) as out:
        figure.savefig(out, format="png", metadata={"Software": None})
    return True


def ratios(results: Results, figure: Figure) -> bool:
    """Plot, for each dataset, the mean magnitude of each metric over that of the floor; return whether there is any."""
    axes = _panels(figure, dataset_titles(results))
    plotted = False
    for name, panel in axes.items():
        for k, method in enumerate(_present(results)):
            values = [_ratio(results, name, method, metric) for metric in STRUCTURE]
            plotted |= not all(map(math.isnan, values))
            panel.plot(values, range(len(STRUCTURE)), label=results.title(method), markersize=5, **_style(k))
        panel.axvline(1.0, color="0.6", linewidth=0.8)
        panel.set_xscale("log")
    _finish(
        figure,
        axes,
        "times the distance between training and held-out hypergraphs (no mark: one of them is 0, or missing)",
    )
    return plotted


def differences(results: Results, figure: Figure) -> bool:
    """Plot, for each regime, the differences to the reference over its mean, with intervals; return whether there is any."""
    axes = _panels(figure, dataset_titles(results))
    reference = results.experiment.reference or ""
    others = [method for method in results.generators if method != reference]
    means: list[float] = []
    for name, panel in axes.items():
        for k, method in enumerate(others):
            for row, metric in enumerate(STRUCTURE):
                base = spread(results.values(name, reference, metric).values())
                change = difference(results.values(name, method, metric), results.values(name, reference, metric))
                if change is not None and base is not None and base.mean:
                    means.append(change.mean / base.mean)
                    height = row + 0.22 * (k - (len(others) - 1) / 2)
                    ends = [change.low / base.mean, change.high / base.mean]
                    panel.plot(ends, [height, height], color=_style(k)["color"], linewidth=1.2)
                    label = results.title(method) if row == 0 else None
                    panel.plot(means[-1], height, markersize=4, label=label, **_style(k))
        panel.axvline(0.0, color="0.6", linewidth=0.8)
    reach = 1.5 * max(
        (1.0, *map(abs, means))
    )  # with few seeds, an interval may be ten times longer than any difference
    next(iter(axes.values())).set_xlim(-reach, reach)
    text = "difference to the full model, by pairs of seeds, over its mean; 95% intervals (those that reach the edge go on)"
    _finish(figure, axes, text)
    return bool(means)


def _present(results: Results) -> list[str]:
    """Return the generators that have a record."""
    return [name for name in results.generators if any(results.of(d, name) for d in results.experiment.datasets)]


def _style(k: int) -> dict[str, Any]:
    """Return the mark of the kth method."""
    return {"color": COLOURS[k % len(COLOURS)], "marker": MARKS[k % len(MARKS)], "linestyle": "none"}


def _ratio(results: Results, dataset: str, method: str, metric: str) -> float:
    """Divide the mean magnitude of a method by the floor's; NaN where there is nothing to plot."""
    values = [results.mean_magnitude(dataset, name, metric) or 0.0 for name in (method, *results.floors[:1])]
    return values[0] / values[1] if len(values) == 2 and min(values) > 1e-9 else math.nan


def _panels(figure: Figure, titles: dict[str, str]) -> dict[str, Any]:
    columns = min(3, len(titles)) if len(titles) != 4 else 2
    rows = -(-len(titles) // columns)
    figure.set_size_inches(3.2 * columns + 0.8, 2.4 * rows + 0.6)
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    axes = dict(zip(titles, grid.flat, strict=False))
    for panel in list(grid.flat)[len(titles) :]:
        panel.set_visible(False)
    for name, panel in axes.items():
        panel.set_title(titles[name], fontsize=10)
        panel.set_yticks(range(len(STRUCTURE)), labels=[METRICS[key].title for key in STRUCTURE], fontsize=8)
        panel.spines[["top", "right"]].set_visible(False)
        panel.grid(axis="x", color="0.92")
    return axes


def _finish(figure: Figure, axes: dict[str, Any], text: str) -> None:
    first = next(iter(axes.values()))
    first.invert_yaxis()
    columns = 6 if len(axes) > 1 else 2
    figure.legend(
        *first.get_legend_handles_labels(), fontsize=8, loc="outside upper left", ncols=columns, frameon=False
    )
    letters = int(13 * figure.get_size_inches()[0])  # in a line of this size
    figure.supxlabel(textwrap.fill(text, letters), fontsize=9)
