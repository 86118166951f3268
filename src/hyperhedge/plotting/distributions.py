r"""How degrees, edge sizes and overlaps are distributed.

Numbers of which the greatest is more than ten times the median are *heavy-tailed*: of these the share of at least
:math:`k` is plotted against :math:`k` on logarithmic axes, where a power law is a straight line and no bins have to be
chosen (Clauset, Shalizi and Newman, 2009). Others are a histogram.

*Overlaps* are the numbers of nodes that two hyperedges share, of all pairs that share any. There may be as many as the
squares of the degrees sum to. If that is above five million, hyperedges are sampled, and the pairs are those of a
sampled hyperedge and another one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.plotting.theme import COLOURS, INK, MUTED, mpl
from hyperhedge.typing import FloatArray, IntArray

_MOST_PAIRS = 5_000_000
_HEAVY = 10  # times the median
_MOST_BARS = 20


@dataclass(frozen=True)
class Overlaps:
    """The overlaps of pairs of hyperedges; ``sampled`` is the number of sampled hyperedges, None if all were looked at."""

    values: IntArray
    sampled: int | None


def overlaps_of(H: Hypergraph, rng: np.random.Generator, most: int = _MOST_PAIRS) -> Overlaps:
    """Count the nodes that pairs of hyperedges share, of all pairs or of some sampled hyperedges and the others.

    Examples
    --------
    >>> H = Hypergraph([[0, 1, 2], [1, 2], [2, 3], [4]])
    >>> sorted(overlaps_of(H, np.random.default_rng(0)).values.tolist())
    [1, 1, 2]
    """
    degrees = H.degrees
    if int((degrees**2).sum()) <= most:
        shared = H.overlaps.tocoo()
        return Overlaps(shared.data[shared.row < shared.col], None)
    matrix = H.incidence.tocsc()
    costs = np.asarray(matrix.T @ degrees).ravel()
    shuffled = rng.permutation(H.m)
    chosen = shuffled[np.cumsum(costs[shuffled]) <= most]
    shared = (matrix[:, chosen].T @ matrix).tocoo()
    return Overlaps(shared.data[chosen[shared.row] != shared.col], len(chosen))


def is_heavy_tailed(values: IntArray) -> bool:
    """Return whether the greatest of some positive numbers is more than ten times their median."""
    return len(values) > 0 and float(values.max()) > _HEAVY * float(np.median(values))


def tail(values: IntArray) -> tuple[IntArray, FloatArray]:
    """Return the distinct values and the share that is at least as great as each.

    Examples
    --------
    >>> tail(np.array([1, 1, 2, 5]))
    (array([1, 2, 5]), array([1.  , 0.5 , 0.25]))
    """
    distinct, counts = np.unique(values, return_counts=True)
    return distinct, counts[::-1].cumsum()[::-1] / max(len(values), 1)


def plot_distribution(ax: Any, values: IntArray, title: str, xlabel: str) -> None:
    """Plot a histogram, or on logarithmic axes the share of at least each value."""
    positive = values[values > 0]
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(MUTED)
    ax.tick_params(labelsize=8, color=MUTED, labelcolor=INK, which="both")
    ax.set_title(title, fontsize=9.5, loc="left", color=INK)
    ax.set_xlabel(xlabel, fontsize=8.5, color=INK)
    if is_heavy_tailed(positive):
        distinct, shares = tail(values)
        ax.loglog(distinct[distinct > 0], shares[distinct > 0], ".", color=COLOURS[0], markersize=4, markeredgewidth=0)
        ax.set_ylabel("share that is at least as great", fontsize=8.5, color=INK)
        ax.grid(True, color="#E6E6E6", linewidth=0.6)
        ax.minorticks_off()
    elif len(values):
        _plot_bars(ax, values)
    else:
        ax.set(xticks=[], yticks=[])


def _plot_bars(ax: Any, values: IntArray) -> None:
    low, high = int(values.min()), int(values.max())
    width = -(-(high - low + 1) // _MOST_BARS)
    edges = np.arange(low, high + width + 1, width) - 0.5
    shares = 100 * np.histogram(values, edges)[0] / len(values)
    gap = 0.12 * width if len(shares) <= 12 else 0.0
    ax.bar(edges[:-1] + width / 2, shares, width=width - gap, color=COLOURS[0], linewidth=0)
    ax.yaxis.set_major_formatter(mpl("ticker").PercentFormatter(decimals=0 if shares.max() >= 4 else 1))
    ax.xaxis.set_major_locator(mpl("ticker").MaxNLocator(integer=True, nbins=6))
    ax.set_ylabel("share", fontsize=8.5, color=INK)
    if len(shares) <= 6:
        for x, share in zip(edges[:-1] + width / 2, shares, strict=True):
            ax.annotate(
                _percent(share), (x, share), (0, 2), textcoords="offset points", ha="center", fontsize=7.5, color=INK
            )


def _percent(share: float) -> str:
    """Write a share in percent: a rare one with a digit, one that would be 0 not at all.

    Examples
    --------
    >>> _percent(70.3), _percent(0.09), _percent(0.01)
    ('70%', '0.1%', '')
    """
    if share < 0.05:
        return ""
    return f"{share:.1f}%" if share < 1 else f"{share:.0f}%"
