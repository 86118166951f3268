"""Histograms of what statistics are under a null model, each with the observed value as a line.

The bins are those of numpy's ``"auto"`` rule, at most sixty; whole numbers have bins of whole width, so that each holds as many of
them as the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hyperhedge.errors import PlotError
from hyperhedge.plotting.labels import label_text
from hyperhedge.plotting.theme import COLOURS, INK, mpl
from hyperhedge.typing import FloatArray

_MOST_BARS = 60
_COLUMNS = 4
_FEW = 20  # whole numbers up to which each has a bar


@dataclass(frozen=True)
class Panel:
    """One statistic: its name, its values under the null, the observed value, and a line of text on the result."""

    title: str
    values: FloatArray
    observed: float
    text: str


def plot_null_values(panels: Sequence[Panel], ax: Any = None) -> Any:
    """Plot a histogram per panel; return the axes, or an array of them if there are several panels.

    Parameters
    ----------
    panels
        At least one.
    ax
        The axes to plot a single panel in; new ones by default.
    """
    if ax is not None:
        if len(panels) != 1:
            raise PlotError(f"there are {len(panels)} statistics and one ax=; choose one with statistic=")
        _plot_panel(ax, panels[0])
        return ax
    across = min(len(panels), _COLUMNS)
    down = -(-len(panels) // across)
    figure, axes = mpl().subplots(
        down, across, figsize=(max(3.1 * across, 4.2), 2.6 * down), layout="constrained", squeeze=False
    )
    for ax, panel in zip(axes.flat, panels, strict=False):
        _plot_panel(ax, panel)
    for ax in axes.flat[len(panels) :]:
        ax.set_visible(False)
    figure.supylabel("null hypergraphs", fontsize=10)
    return axes[0, 0] if len(panels) == 1 else axes.flat[: len(panels)]


def _plot_panel(ax: Any, panel: Panel) -> None:
    whole = bool((panel.values == np.round(panel.values)).all())
    ax.hist(panel.values, bins=_bins(panel.values, whole=whole), color=COLOURS[0], alpha=0.45, rwidth=0.92, linewidth=0)
    ax.axvline(panel.observed, color=COLOURS[4], linewidth=2)
    ax.set_title(label_text(panel.title), fontsize=11, color=INK, loc="left")
    ax.set_xlabel(panel.text, fontsize=9, color=INK)
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(labelsize=8)
    ax.xaxis.set_major_locator(mpl("ticker").MaxNLocator(nbins=5, integer=whole))


def _bins(values: FloatArray, *, whole: bool) -> FloatArray:
    """Return the edges of the bars."""
    low, high = float(values.min()), float(values.max())
    bins = min(len(np.histogram_bin_edges(values, "auto")) - 1, _MOST_BARS)
    if not whole:
        return np.linspace(low, high, bins + 1) if low < high else np.array([low - 0.5, high + 0.5])
    width = max(1.0, np.ceil((high - low + 1) / bins)) if high - low >= _FEW else 1.0
    return np.arange(low - 0.5, high + width, width)
