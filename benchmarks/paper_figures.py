"""Figures made of hypergraphs: those of docs/drawing.md and docs/method.md, and those of the results.

``python -m benchmarks.paper_figures`` (or ``make figures``) draws the gallery, from embedded and synthetic data alone, and the pictures of
docs/benchmark.md, from ``results/drawn.json`` (:mod:`benchmarks.drawn`). The functions take hypergraphs and return figures, for
whatever generators and datasets there are.
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

from benchmarks.drawn import TIERS, chosen, nearest, unpacked
from benchmarks.figures import FOLDER, STYLE
from benchmarks.record import load
from hyperhedge.baselines.configuration import HypergraphConfigurationModel
from hyperhedge.baselines.erdos_renyi import ErdosRenyi
from hyperhedge.datasets import load_dataset
from hyperhedge.demo import southern_women
from hyperhedge.hypergraph import Hypergraph
from hyperhedge.incidence import encode
from hyperhedge.operators import spectrum_of
from hyperhedge.oracle import Oracle
from hyperhedge.plot import draw, incidence_order
from hyperhedge.plot.grid import compare
from hyperhedge.process import HeatOU
from hyperhedge.sample import Exponential, sample, time_grid
from hyperhedge.schedule import Cosine

__all__ = [
    "films",
    "heat_figure",
    "native_figure",
    "noise_figure",
    "path_of_oracle",
    "result_figures",
    "tier_figure",
]

SHARES = (0.0, 0.1, 0.25, 0.5, 1.0)
STEPS = 20
LARGE = 145_000  # bytes


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


def path_of_oracle(H: Hypergraph, process: HeatOU, steps: int = STEPS, seed: int = 1) -> tuple[Any, list[float]]:
    """Return the states from noise to a hypergraph, by the exact reverse drift over it alone, and their times."""
    generator, states = torch.Generator().manual_seed(seed), list[torch.Tensor]()
    grid = time_grid(process.horizon, steps)
    start = process.base_sample(1, H.n, H.m, generator)
    sample(Exponential(Oracle(process, [H])), start, grid, generator=generator, path=states)
    return np.stack([state[0].numpy() for state in states]), [float(time) for time in grid]


def noise_figure(H: Hypergraph, process: HeatOU, *, seed: int = 0) -> Figure:
    """Draw a hypergraph, its incidence matrix, and both on their way to noise and back."""
    matrix, spectrum = encode([H]).matrix, spectrum_of([H])
    noise = torch.randn(matrix.shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
    times = [torch.tensor([share * process.horizon], dtype=torch.float64) for share in SHARES[1:]]
    forward = [matrix, *(process.law(matrix, spectrum, time).from_noise(noise) for time in times)]
    path, grid = path_of_oracle(H, process, seed=seed + 1)
    back = [path[int(np.argmin(np.abs(np.array(grid) - share * process.horizon)))] for share in SHARES[::-1]]
    figure = Figure(figsize=(8.2, 7.6), layout="constrained")
    top, below = np.array(figure.subfigures(2, 1, height_ratios=(1.15, 1)))
    left, right = top.subplots(1, 2, width_ratios=(1.35, 1))
    draw(H, "incidence", right)
    panels = below.subplots(2, len(SHARES))
    order = incidence_order(H)
    rows = (("forward", SHARES, [state[0].numpy() for state in forward]), ("reverse", SHARES[::-1], back))
    for line, (name, shares, states) in zip(panels, rows, strict=True):
        for ax, share, state in zip(line, shares, states, strict=True):
            draw(state, "incidence", ax, order=order)
            ax.set(xlabel="", ylabel="")
            ax.set_title(f"s = {share:g} S", fontsize=9)
        line[0].set_ylabel(name)
    draw(H, "hull", left)  # last, since names are placed where there is room in the end
    return figure


def heat_figure(H: Hypergraph, process: HeatOU) -> Figure:
    """Draw the mean of the forward process at four times, without heat and with it."""
    matrix, spectrum, order = encode([H]).matrix, spectrum_of([H]), incidence_order(H)
    shares = (0.0, 0.1, 0.25, 0.4)
    figure = Figure(figsize=(6.6, 5.4), layout="constrained")
    rows = {"noise alone": replace(process, variant="ou"), "heat and noise": process}
    for line, (name, law) in zip(np.array(figure.subplots(2, len(shares))), rows.items(), strict=True):
        for ax, share in zip(line, shares, strict=True):
            time = torch.tensor([share * law.horizon], dtype=torch.float64)
            mean = law.law(matrix, spectrum, time).mean_state() if share else matrix
            draw(mean[0].numpy(), "incidence", ax, order=order)
            ax.set(xlabel="", ylabel="")
            ax.set_title(f"s = {share:g} S", fontsize=9)
        line[0].set_ylabel(name)
    return figure


def native_figure(
    real: Sequence[Hypergraph],
    generated: Mapping[str, Sequence[Hypergraph]],
    *,
    count: int = 2,
    real_name: str = "held out",
) -> Figure:
    """Draw held-out hypergraphs above samples of named generators, a row each, on one scale and laid out alike."""
    rows = {real_name: list(real)[:count], **{name: list(drawn)[:count] for name, drawn in generated.items()}}
    figure = Figure(figsize=(2.8 * len(rows), 2.8 * count), layout="constrained")
    turned = [[graphs[k] for graphs in rows.values()] for k in range(count)]
    panels = {str(k): row for k, row in enumerate(turned)}
    axes = compare(panels, panel="hull", figure=figure)
    for ax, name in zip(axes[0], rows, strict=True):
        ax.set_title(name, fontsize=11)
    for line in axes[1:]:
        line[0].set_title("")
    return figure


def tier_figure(real: Sequence[Hypergraph], generated: Mapping[str, Sequence[Hypergraph]]) -> Figure:
    """Draw bipartite graphs of few, median and many incidences, a row each: held out, and by named generators.

    The held-out hypergraph of a row is that at the 10th, 50th or 90th percentile of incidences; beside it are the generated ones whose
    numbers of incidences are nearest.
    """
    own = chosen(real, list(TIERS.values()))
    columns = {"held out": own, **{name: nearest(drawn, own) for name, drawn in generated.items()}}
    figure = Figure(figsize=(1.9 * len(columns), 2.9 * len(TIERS)), layout="constrained")
    axes = figure.subplots(len(TIERS), len(columns), squeeze=False)
    for row, tier in enumerate(TIERS):
        for ax, (name, graphs) in zip(axes[row], columns.items(), strict=True):
            draw(graphs[row], "bipartite", ax, labels=False, edge_labels=False)
            for text in list(ax.texts):
                text.remove()
            above = name if row == 0 else ""
            ax.set_title(f"{above}\n{tier}: {graphs[row].num_incidences} incidences".lstrip("\n"), fontsize=9)
    return figure


# -- the gallery -----------------------------------------------------------------------------------------


def gallery() -> dict[str, Figure]:
    """Draw every picture of docs/drawing.md, and one of docs/method.md."""
    women = southern_women()
    train, _, test = load_dataset("sparse-tail-overlap").splits(48, 18, (60, 0, 20))
    models = {"configuration model": HypergraphConfigurationModel(), "independent incidences": ErdosRenyi()}
    new = {name: model.fit(train).sample(60, seed=0) for name, model in models.items()}
    process = HeatOU(Cosine(1.0), gamma=8.0, tau=0.5, mean=0.35)
    return {
        "drawing-noise": noise_figure(films(), process),
        "method-heat": heat_figure(films(), HeatOU(Cosine(4.0), gamma=2.0, tau=0.5, mean=0.35)),
        "drawing-hull": _one(women, "hull", (7.0, 6.0)),
        "drawing-bipartite": _one(women, "bipartite", (4.8, 4.6)),
        "drawing-incidence": _one(women, "incidence", (5.2, 5.4)),
        "drawing-compare": native_figure(test, new),
        "drawing-tiers": tier_figure(test, new),
    }


def result_figures(record: dict[str, Any]) -> dict[str, Figure]:
    """Draw the pictures of docs/benchmark.md, of the hypergraphs that :mod:`benchmarks.drawn` chose."""
    native, *tiers = (
        {name: unpacked(rows) for name, rows in part.items()}
        for part in (record["measured"]["native"], *record["measured"]["tiers"].values())
    )
    named = zip(record["measured"]["tiers"], tiers, strict=True)
    return {
        "results-native": native_figure(native.pop("held out"), native),
        **{f"results-tiers-{name}": tier_figure(part.pop("held out"), part) for name, part in named},
    }


def _one(H: Hypergraph, style: Any, inches: tuple[float, float]) -> Figure:
    figure = Figure(figsize=inches, layout="constrained")
    figure.get_layout_engine().set(w_pad=0.1, h_pad=0.1)  # type: ignore[union-attr, call-arg]  # it is constrained
    draw(H, style, figure.subplots())
    return figure


def main(folder: Path = FOLDER) -> None:
    """Write the gallery and the pictures of the results."""
    with mpl.rc_context({**STYLE, "savefig.bbox": None}):
        for name, figure in {**gallery(), **result_figures(load("drawn"))}.items():
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
