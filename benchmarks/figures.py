"""The figures of the docs, from records (and, for the snapshots, from the process itself)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import torch
from cycler import cycler

from benchmarks.hedge_tables import Magnitudes, title
from benchmarks.paper import DATASETS
from benchmarks.record import ROOT
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.data import load_dataset
from hyperhedge.diffusion.batch import encode
from hyperhedge.diffusion.fields import Oracle
from hyperhedge.diffusion.laplacians import spectrum_of
from hyperhedge.diffusion.process import HeatOU
from hyperhedge.diffusion.samplers import Exponential, sample, time_grid
from hyperhedge.diffusion.schedules import Cosine
from hyperhedge.metrics import METRICS
from hyperhedge.plotting.theme import COLOURS
from hyperhedge.typing import FloatArray

__all__ = [
    "both_ways",
    "data_figures",
    "four_way_figure",
    "hedge_figure",
    "path_of_oracle",
    "theory_figures",
]

FOLDER = ROOT / "docs" / "figures"
STYLE: Any = {
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.prop_cycle": cycler(color=COLOURS),
    "figure.dpi": 110,
    "font.size": 10,
    "legend.frameon": False,
    "savefig.bbox": "tight",
}


SHARES = (0.0, 0.1, 0.25, 0.5, 1.0)  # of the horizon, at which a process is shown
STEPS = 20


@contextmanager
def _styled() -> Iterator[None]:
    """Plot without a screen, in one style."""
    FOLDER.mkdir(exist_ok=True)
    mpl.use("Agg")
    with mpl.rc_context(STYLE):
        yield


def data_figures(record: dict[str, Any]) -> None:
    """Save all figures of docs/data.md."""
    titles = {name: paper.title for name, paper in DATASETS.items()}
    with _styled():
        _distributions(record["measured"]["regimes"], {}, FOLDER / "regimes.png")
        banks = {name: {"histograms": record["measured"]["banks"][name]} for name in DATASETS}
        _distributions(banks, titles, FOLDER / "banks.png")


def _distributions(rows: dict[str, Any], titles: dict[str, str], path: Path) -> None:
    """Plot the distributions of degrees, edge sizes and overlaps, a row for each law, shares on a logarithmic axis."""
    figure, axes = plt.subplots(len(rows), 3, figsize=(8.4, 1.55 * len(rows)), sharex="col", sharey=True, squeeze=False)
    names = {"degree": "degree of a node", "size": "size of a hyperedge", "overlap": "overlap of two hyperedges"}
    for row, (name, facts) in enumerate(rows.items()):
        for column, (key, label) in enumerate(names.items()):
            shares = np.array(facts["histograms"][key])
            panel = axes[row, column]
            panel.bar(np.arange(len(shares)), shares, width=0.9, color=COLOURS[column])
            panel.set(yscale="log", ylim=(1e-4, 1.5), yticks=[1e-4, 1e-2, 1])
            panel.minorticks_off()
            mean = float(shares @ np.arange(len(shares)))
            panel.text(0.97, 0.9, f"mean {mean:.2f}", transform=panel.transAxes, ha="right", va="top", fontsize=8)
            if row == len(rows) - 1:
                panel.set_xlabel(label)
        axes[row, 0].set_ylabel(titles.get(name, name), fontsize=8)
    figure.supylabel("share", fontsize=9)
    figure.tight_layout()
    _save(figure, path)


_COMPARED = (
    "degree_wd",
    "size_wd",
    "overlap_tail_gap",
    "intersection_wd",
    "node_spectral_wd",
    "edge_spectral_wd",
    "feature_mmd",
)
_NULLS = ("HCM-MCMC", "ER-HG", "shuffled")
_LEARNED = ("real", "HCM-MCMC", "Hedge")


def four_way_figure(record: dict[str, Any]) -> None:
    """Plot, for each dataset, every metric as a multiple of its value between real hypergraphs."""
    rows = record["measured"]["methods"]
    panels = {}
    for name, paper in DATASETS.items():
        of_dataset = [row for row in rows if row["dataset"] == name]
        panels[paper.title] = {
            (method, key): [abs(row["values"][key]) for row in of_dataset if row["method"] == method]
            for method in ("real", *_NULLS)
            for key in _COMPARED
        }
    _ratio_figure(panels, _NULLS, (2, 3), FOLDER / "four-way.png")


def hedge_figure(magnitudes: Magnitudes) -> None:
    """Plot the same for Hedge."""
    panels = {
        title(name): {(method, key): magnitudes[name, method, key] for method in _LEARNED for key in _COMPARED}
        for name in dict.fromkeys(dataset for dataset, _, _ in magnitudes)
    }
    _ratio_figure(panels, _LEARNED[1:], (2, (len(panels) + 1) // 2), FOLDER / "hedge.png")


def _ratio_figure(
    panels: dict[str, dict[tuple[str, str], list[float]]], methods: tuple[str, ...], shape: tuple[int, int], path: Path
) -> None:
    """Plot a panel for each name: marks at the mean magnitude of a metric over that of real hypergraphs."""
    with _styled():
        figure, axes = plt.subplots(
            *shape, figsize=(3.1 * shape[1], 2.5 * shape[0]), sharex=True, sharey=True, squeeze=False
        )
        for panel, (name, magnitudes) in zip(axes.flat, panels.items(), strict=False):
            means = {key: float(np.mean(values)) for key, values in magnitudes.items()}
            for k, method in enumerate(methods):
                ratios = [_ratio(means[method, key], means["real", key]) for key in _COMPARED]
                panel.plot(ratios, range(len(_COMPARED)), "os^"[k], label=method, color=COLOURS[k], markersize=5)
            panel.axvline(1.0, color="0.6", linewidth=0.8)
            panel.set_title(name, fontsize=10)
            panel.set(xscale="log", yticks=range(len(_COMPARED)))
            panel.set_yticklabels([METRICS[key].title for key in _COMPARED], fontsize=8)
            panel.grid(axis="x", color="0.92")
        for panel in list(axes.flat)[len(panels) :]:
            panel.set_visible(False)
        axes[0, 0].invert_yaxis()
        marks, names = axes[0, 0].get_legend_handles_labels()
        figure.legend(marks, names, fontsize=8, loc="upper left", ncols=len(methods))
        figure.supxlabel(
            "times the distance between two sets of real hypergraphs (no mark: that distance, or this one, is 0)",
            fontsize=9,
        )
        figure.tight_layout(rect=(0, 0, 1, 1 - 0.15 / shape[0]))
        _save(figure, path)


def _ratio(value: float, floor: float) -> float:
    """Divide distances; NaN where one is 0 up to rounding."""
    return value / floor if min(value, floor) > 1e-9 else float("nan")


def theory_figures(record: dict[str, Any]) -> None:
    """Save all figures of docs/theory.md."""
    with _styled():
        _samplers(record["measured"], FOLDER / "samplers.png")
        _orders(record["measured"]["orders"], FOLDER / "orders.png")
        _base(record["measured"]["base"], FOLDER / "base-law.png")
        _snapshots(FOLDER / "process.png")


def _save(figure: Any, path: Path) -> None:
    figure.savefig(path, metadata={"Software": None})
    plt.close(figure)


def _finish(axes: Any, x: str, y: str, ticks: tuple[int, ...] = ()) -> None:
    """Make both axes logarithmic, label them, and show the legend."""
    axes.set(xscale="log", yscale="log", xlabel=x, ylabel=y)
    if ticks:
        axes.set_xticks(ticks, labels=[str(tick) for tick in ticks])
        axes.minorticks_off()
    axes.legend(fontsize=8)


def _samplers(measured: dict[str, Any], path: Path) -> None:
    """Plot total variation against evaluations, every seed as a point, with the floor."""
    figure, axes = plt.subplots(figsize=(6.4, 3.8))
    floor, rows = measured["floor"], measured["samplers"]
    axes.axhspan(floor["mean"] - floor["sd"], floor["mean"] + floor["sd"], color="0.85")
    axes.text(5, floor["mean"], "samples of the true law", va="center", fontsize=8, color="0.35")
    for k, name in enumerate(dict.fromkeys(row["sampler"] for row in rows)):
        points = np.array([(row["evaluations"], row["total_variation"]) for row in rows if row["sampler"] == name])
        counts = np.unique(points[:, 0])
        means = [points[points[:, 0] == count, 1].mean() for count in counts]
        axes.plot(counts, means, marker="os^Dv"[k % 5], label=name, color=COLOURS[k])
        axes.scatter(points[:, 0], points[:, 1], s=8, alpha=0.5, color=COLOURS[k])
    _finish(axes, "evaluations of the drift", "total variation", ticks=(5, 10, 20, 50))
    _save(figure, path)


def _orders(rows: list[dict[str, Any]], path: Path) -> None:
    """Plot strong errors against steps, with their slopes."""
    figure, axes = plt.subplots(figsize=(5.2, 3.8))
    for k, name in enumerate(dict.fromkeys(row["sampler"] for row in rows)):
        steps, errors = zip(*((r["steps"], r["error"]) for r in rows if r["sampler"] == name), strict=True)
        slope = -np.polyfit(np.log(steps), np.log(errors), 1)[0]
        axes.plot(steps, errors, marker="os^D"[k % 4], label=f"{name}: slope {slope:.2f}", color=COLOURS[k + 1])
    _finish(axes, "steps from s = 1.9 to s = 1.1", "error on one Brownian path", ticks=(8, 16, 32, 64))
    _save(figure, path)


def _base(rows: list[dict[str, float]], path: Path) -> None:
    """Plot the divergence of the terminal law from the base law against the horizon."""
    figure, axes = plt.subplots(figsize=(5.2, 3.8))
    for k, gamma in enumerate(sorted({row["gamma"] for row in rows})):
        points = [(row["horizon"], row["kl"]) for row in rows if row["gamma"] == gamma]
        axes.plot(*zip(*points, strict=True), marker="os^D"[k % 4], markersize=4, label=f"γ = {gamma:g}")
    axes.axhline(0.01, color="0.6", linewidth=0.8, linestyle="--")
    _finish(axes, "horizon S", "KL(terminal law ‖ base law), nats")
    _save(figure, path)


def path_of_oracle(H: Hypergraph, process: HeatOU, seed: int = 1) -> tuple[FloatArray, list[float]]:
    """Return the states from noise to a hypergraph, by the exact reverse drift over it alone, and their times."""
    generator, states = torch.Generator().manual_seed(seed), list[torch.Tensor]()
    grid = time_grid(process.horizon, STEPS)
    start = process.base_sample(1, H.n, H.m, generator)
    sample(Exponential(Oracle(process, [H])), start, grid, generator=generator, path=states)
    return np.stack([state[0].numpy() for state in states]), grid


def both_ways(H: Hypergraph, process: HeatOU, seed: int = 0) -> dict[str, list[tuple[float, FloatArray]]]:
    """Return shares of the horizon and the states there: forward from one noise, and in reverse by the oracle."""
    matrix, spectrum = encode([H]).matrix, spectrum_of([H])
    noise = torch.randn(matrix.shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
    times = [torch.tensor([share * process.horizon], dtype=torch.float64) for share in SHARES[1:]]
    forward = [matrix, *(process.law(matrix, spectrum, time).from_noise(noise) for time in times)]
    path, grid = path_of_oracle(H, process, seed=seed + 1)
    reverse = [path[int(np.argmin(np.abs(np.array(grid) - share * process.horizon)))] for share in SHARES[::-1]]
    return {
        "forward": [(share, state[0].numpy()) for share, state in zip(SHARES, forward, strict=True)],
        "reverse": list(zip(SHARES[::-1], reverse, strict=True)),
    }


def _snapshots(path: Path) -> None:
    """Plot the forward process on a small hypergraph, and the reverse process of the oracle over it alone."""
    ways = both_ways(load_dataset("southern-women").hypergraph, HeatOU(Cosine(1.0), gamma=8.0, tau=0.5, mean=0.35))
    figure, axes = plt.subplots(2, len(SHARES), figsize=(7.6, 4.4))
    for line, (name, states) in zip(axes, ways.items(), strict=True):
        for panel, (share, state) in zip(line, states, strict=True):
            panel.imshow(state, cmap="RdBu_r", vmin=-0.5, vmax=1.5, interpolation="nearest")
            panel.set(xticks=[], yticks=[])
            panel.set_title(f"s = {share:g} S", fontsize=9)
        line[0].set_ylabel(name)
    _save(figure, path)
