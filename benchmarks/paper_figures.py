"""Figures made of hypergraphs: those of docs/plotting.md and docs/method.md, and those of the results.

``python -m benchmarks.paper_figures`` (or ``make figures``) plots the gallery, from embedded and synthetic data alone, and the figures of
docs/experiments.md, from ``results/examples.json`` (:mod:`benchmarks.examples`). The functions take hypergraphs and return figures, for any
generators and datasets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import torch
from matplotlib.figure import Figure
from PIL import Image

from benchmarks.examples import TIERS, at_quantiles, from_json, nearest
from benchmarks.figures import FOLDER, SHARES, STYLE, both_ways
from benchmarks.record import load
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.data import load_dataset
from hyperhedge.diffusion.batch import encode
from hyperhedge.diffusion.laplacians import spectrum_of
from hyperhedge.diffusion.process import HeatOU
from hyperhedge.diffusion.schedules import Cosine
from hyperhedge.models.configuration.model import ConfigurationModel
from hyperhedge.models.erdos_renyi import ErdosRenyi
from hyperhedge.plotting import incidence_order, plot
from hyperhedge.plotting.grid import compare

__all__ = [
    "films",
    "heat_figure",
    "native_figure",
    "noise_figure",
    "result_figures",
    "tier_figure",
    "town",
    "values_figure",
]

LARGE = 145_000  # bytes, above which a picture is reduced to 256 colours


def films() -> Hypergraph:
    """Return a small hypergraph of actors and films, all invented."""
    casts = {
        "Low Tide": ["Abbot", "Brook", "Carew"],
        "The Ferry": ["Brook", "Carew", "Dunne", "Ellis"],
        "Snowline": ["Ellis", "Frayn"],
        "Two Keys": ["Frayn", "Gray", "Hale", "Ellis"],
        "Harbour": ["Abbot", "Brook"],
    }
    return Hypergraph(casts, nodes=["Abbot", "Brook", "Carew", "Dunne", "Ellis", "Frayn", "Gray", "Hale"])


def town(people: int = 6000, meetings: int = 8000, groups: int = 12, *, seed: int = 0) -> tuple[Hypergraph, list[str]]:
    """Return a large hypergraph of invented meetings, most of them within a group, and the group of each person."""
    rng = np.random.default_rng(seed)
    group, weight = rng.integers(groups, size=people), rng.pareto(1.6, people) + 0.2
    members = []
    for size, host in zip(2 + rng.geometric(0.4, meetings), rng.integers(groups, size=meetings), strict=True):
        weights = weight * np.where(group == host, 1.0, 0.15 / groups)
        members.append(rng.choice(people, size=size, replace=False, p=weights / weights.sum()).tolist())
    return Hypergraph(members, nodes=people), [f"group {k + 1}" for k in group]


def noise_figure(H: Hypergraph, process: HeatOU, *, seed: int = 0) -> Figure:
    """Plot a hypergraph, its incidence matrix, and the matrix on its way to noise and back."""
    figure = Figure(figsize=(8.2, 7.6), layout="constrained")
    top, below = np.array(figure.subfigures(2, 1, height_ratios=(1.15, 1)))
    left, right = top.subplots(1, 2, width_ratios=(1.35, 1))
    plot(H, "incidence", right)
    order = incidence_order(H)
    rows = below.subplots(2, len(SHARES))
    for line, (name, states) in zip(rows, both_ways(H, process, seed).items(), strict=True):
        for ax, (share, state) in zip(line, states, strict=True):
            _plot_state(ax, state, order, share)
        line[0].set_ylabel(name)
    plot(H, "hull", left)  # last, since labels are placed in axes that no longer move
    return figure


def _plot_state(ax: Any, state: Any, order: Any, share: float) -> None:
    """Plot a relaxed matrix at a share of the horizon."""
    plot(state, "incidence", ax, order=order)
    ax.set(xlabel="", ylabel="")
    ax.set_title(f"s = {share:g} S", fontsize=9)


def heat_figure(H: Hypergraph, process: HeatOU) -> Figure:
    """Plot the mean of the forward process at four times, without heat and with it."""
    matrix, spectrum, order = encode([H]).matrix, spectrum_of([H]), incidence_order(H)
    shares = (0.0, 0.1, 0.25, 0.4)
    figure = Figure(figsize=(6.6, 5.4), layout="constrained")
    rows = {"noise alone": replace(process, variant="ou"), "heat and noise": process}
    for line, (name, law) in zip(np.array(figure.subplots(2, len(shares))), rows.items(), strict=True):
        for ax, share in zip(line, shares, strict=True):
            time = torch.tensor([share * law.horizon], dtype=torch.float64)
            mean = law.law(matrix, spectrum, time).mean_state() if share else matrix
            _plot_state(ax, mean[0].numpy(), order, share)
        line[0].set_ylabel(name)
    return figure


def native_figure(
    real: Sequence[Hypergraph],
    generated: Mapping[str, Sequence[Hypergraph]],
    *,
    count: int = 2,
    real_name: str = "held out",
) -> Figure:
    """Plot held-out hypergraphs beside samples of named generators, a column each, on one scale and laid out alike."""
    columns = {real_name: real, **generated}
    figure = Figure(figsize=(2.8 * len(columns), 2.8 * count), layout="constrained")
    rows = {str(k): [graphs[k] for graphs in columns.values()] for k in range(count)}
    axes = compare(rows, panel="hull", figure=figure)
    for ax, name in zip(axes[0], columns, strict=True):
        ax.set_title(name, fontsize=11)
    for line in axes[1:]:
        line[0].set_title("")
    return figure


def tier_figure(real: Sequence[Hypergraph], generated: Mapping[str, Sequence[Hypergraph]]) -> Figure:
    """Plot bipartite graphs of few, median and many incidences, a row each: held out, and by named generators.

    The held-out hypergraph of a row is that at the 10th, 50th or 90th percentile of incidences; beside it are the generated ones whose
    numbers of incidences are nearest.
    """
    held_out = at_quantiles(real, list(TIERS.values()))
    columns = {"held out": held_out, **{name: nearest(samples, held_out) for name, samples in generated.items()}}
    figure = Figure(figsize=(1.9 * len(columns), 2.9 * len(TIERS)), layout="constrained")
    axes = figure.subplots(len(TIERS), len(columns), squeeze=False)
    for row, tier in enumerate(TIERS):
        for ax, (name, graphs) in zip(axes[row], columns.items(), strict=True):
            plot(graphs[row], "bipartite", ax, labels=False, edge_labels=False)
            for text in list(ax.texts):
                text.remove()
            above = name if row == 0 else ""
            ax.set_title(f"{above}\n{tier}: {graphs[row].num_incidences} incidences".lstrip("\n"), fontsize=9)
    return figure


# -- the gallery -----------------------------------------------------------------------------------------


def gallery() -> dict[str, Figure]:
    """Make every figure of docs/plotting.md, and one of docs/method.md."""
    women = load_dataset("southern-women").hypergraph
    train, _, test = load_dataset("sparse-tail-overlap").splits(48, 18, (60, 0, 20), seed=0)
    models = {"configuration model": ConfigurationModel(), "independent incidences": ErdosRenyi()}
    generated = {name: model.fit(train).sample(60, seed=0) for name, model in models.items()}
    process = HeatOU(Cosine(1.0), gamma=8.0, tau=0.5, mean=0.35)
    return {
        "plotting-noise": noise_figure(films(), process),
        "method-heat": heat_figure(films(), HeatOU(Cosine(4.0), gamma=2.0, tau=0.5, mean=0.35)),
        "plotting-hull": _one(women, "hull", (7.0, 6.0)),
        "plotting-bipartite": _one(women, "bipartite", (4.8, 4.6)),
        "plotting-incidence": _one(women, "incidence", (5.2, 5.4)),
        "plotting-overview": plot(town()[0], title="Meetings of 6,000 people").figure,
        "plotting-values": values_figure(women),
        "plotting-compare": native_figure(test, generated),
        "plotting-tiers": tier_figure(test, generated),
    }


def values_figure(H: Hypergraph) -> Figure:
    """Plot hulls with colours and sizes: nodes by class and degree, hyperedges by size."""
    half = dict.fromkeys(H.nodes[: H.n // 2], "first nine") | dict.fromkeys(H.nodes[H.n // 2 :], "last nine")
    figure = Figure(figsize=(7.6, 6.0), layout="constrained")
    plot(H, "hull", figure.subplots(), node_color=half, node_size="degree", edge_color="size", edge_labels=False)
    return figure


def result_figures(record: dict[str, Any]) -> dict[str, Figure]:
    """Make the figures of docs/experiments.md, of the hypergraphs that :mod:`benchmarks.examples` selected."""
    measured = record["measured"]
    figures = {"results-native": native_figure(*_examples(measured["native"]))}
    for dataset, methods in measured["tiers"].items():
        figures[f"results-tiers-{dataset}"] = tier_figure(*_examples(methods))
    return figures


def _examples(methods: dict[str, Any]) -> tuple[list[Hypergraph], dict[str, list[Hypergraph]]]:
    """Return the held-out hypergraphs of a record, and those of each generator."""
    graphs = {name: from_json(rows) for name, rows in methods.items()}
    return graphs.pop("held out"), graphs


def _one(H: Hypergraph, style: Any, inches: tuple[float, float]) -> Figure:
    figure = Figure(figsize=inches, layout="constrained")
    figure.get_layout_engine().set(w_pad=0.1, h_pad=0.1)  # type: ignore[union-attr, call-arg]  # it is constrained
    plot(H, style, figure.subplots())
    return figure


def main(folder: Path = FOLDER) -> None:
    """Write the gallery and the figures of the results."""
    with mpl.rc_context({**STYLE, "savefig.bbox": None}):
        for name, figure in {**gallery(), **result_figures(load("examples"))}.items():
            figure.savefig(
                folder / f"{name}.png", dpi=80, bbox_inches="tight", pad_inches=0.08, metadata={"Software": None}
            )
            _shrink(folder / f"{name}.png")


def _shrink(path: Path) -> None:
    """Reduce a large picture to 256 colours."""
    if path.stat().st_size > LARGE:
        few = Image.open(path).convert("RGB").quantize(256, method=Image.Quantize.MAXCOVERAGE, kmeans=2)
        few.save(path, optimize=True)


if __name__ == "__main__":
    main()
