"""Figures from records. A figure is a function of results that draws on a matplotlib figure; :data:`FIGURES` has one a kind."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hyperhedge.bench.paper import DATASETS, STRUCTURE
from hyperhedge.bench.results import Results, difference, spread
from hyperhedge.convert.optional import require
from hyperhedge.io.files import atomic_file
from hyperhedge.metrics import METRICS
from hyperhedge.plot.theme import COLOURS

__all__ = ["FIGURES", "draw_figure"]

MARKS = "os^Dv<>P"


def draw_figure(results: Results, folder: Path) -> Path | None:
    """Draw the figure of an experiment into a folder; return the file, or None where there is nothing to show yet."""
    require("matplotlib", "plot")
    from matplotlib.figure import Figure

    figure = Figure(dpi=110, layout="constrained")
    if not FIGURES[results.experiment.kind](results, figure):
        return None
    file = folder / f"results-{results.experiment.name}.png"
    with atomic_file(file) as out:
        figure.savefig(out, format="png", metadata={"Software": None})
    return file


def ratios(results: Results, figure: Any) -> bool:
    """Draw, for each dataset, the mean size of each metric over that of the floor; say whether there is any."""
    names = list(results.experiment.datasets)
    axes = _panels(
        figure, names, {name: results.experiment.datasets[name].title or DATASETS.get(name, name) for name in names}
    )
    drawn = False
    for name, panel in axes.items():
        for k, method in enumerate(_present(results)):
            found = [_ratio(results, name, method, metric) for metric in STRUCTURE]
            drawn |= not all(map(math.isnan, found))
            panel.plot(found, range(len(STRUCTURE)), label=results.title(method), markersize=5, **_style(k))
        panel.axvline(1.0, color="0.6", linewidth=0.8)
        panel.set_xscale("log")
    _finish(
        figure,
        axes,
        "times the distance between training and held-out hypergraphs (no mark: one of them is 0, or missing)",
    )
    return drawn


def differences(results: Results, figure: Any) -> bool:
    """Draw, for each regime, the differences to the reference over its mean, with their intervals; say whether there is any."""
    names = list(results.experiment.datasets)
    axes = _panels(figure, names, {name: results.experiment.datasets[name].title or name for name in names})
    reference = results.experiment.reference or ""
    others = [method for method in results.generators if method != reference]
    means: list[float] = []
    for name, panel in axes.items():
        for k, method in enumerate(others):
            for row, metric in enumerate(STRUCTURE):
                base = spread(results.values(name, reference, metric).values())
                found = difference(results.values(name, method, metric), results.values(name, reference, metric))
                if found is not None and base is not None and base.mean:
                    means.append(found.mean / base.mean)
                    place = row + 0.22 * (k - (len(others) - 1) / 2)
                    ends = [found.low / base.mean, found.high / base.mean]
                    panel.plot(ends, [place, place], color=_style(k)["color"], linewidth=1.2)
                    label = results.title(method) if row == 0 else None
                    panel.plot(means[-1], place, markersize=4, label=label, **_style(k))
        panel.axvline(0.0, color="0.6", linewidth=0.8)
    reach = 1.5 * max((1.0, *map(abs, means)))  # of few seeds, an interval may be ten times as long as all differences
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
    """Divide mean sizes; NaN where there is nothing to draw."""
    sizes = [results.mean_size(dataset, name, metric) or 0.0 for name in (method, *results.floors[:1])]
    return sizes[0] / sizes[1] if len(sizes) == 2 and min(sizes) > 1e-9 else math.nan


def _panels(figure: Any, names: list[str], titles: dict[str, str]) -> dict[str, Any]:
    columns = min(3, len(names)) if len(names) != 4 else 2
    rows = -(-len(names) // columns)
    figure.set_size_inches(3.2 * columns + 0.8, 2.4 * rows + 0.6)
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    axes = dict(zip(names, grid.flat, strict=False))
    for panel in list(grid.flat)[len(names) :]:
        panel.set_visible(False)
    for name, panel in axes.items():
        panel.set_title(titles[name], fontsize=10)
        panel.set_yticks(range(len(STRUCTURE)), labels=[METRICS[key].title for key in STRUCTURE], fontsize=8)
        panel.spines[["top", "right"]].set_visible(False)
        panel.grid(axis="x", color="0.92")
    return axes


def _finish(figure: Any, axes: dict[str, Any], text: str) -> None:
    first = next(iter(axes.values()))
    first.invert_yaxis()
    columns = 6 if len(axes) > 1 else 2
    figure.legend(
        *first.get_legend_handles_labels(), fontsize=8, loc="outside upper left", ncols=columns, frameon=False
    )
    letters = int(13 * figure.get_size_inches()[0])  # in a line of this size
    figure.supxlabel(textwrap.fill(text, letters), fontsize=9)


FIGURES: dict[str, Callable[[Results, Any], bool]] = {"real": ratios, "ablations": differences}
"""The figure of each kind of experiment."""
