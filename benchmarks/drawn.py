"""Which hypergraphs the pictures of the results show: ``python -m benchmarks.drawn MODELS``.

``MODELS`` is where ``hyperhedge bench run experiments/real.toml --keep-models MODELS`` kept the learned models of seed 1; null models are fitted
again. Held-out hypergraphs are those of the cells. For each picture some are chosen by their number of incidences, and of 100 samples of each method those whose number is nearest:
nobody chooses by looks. The record, ``results/drawn.json``, has the hypergraphs themselves, and ``make figures`` draws them.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.record import ROOT, save
from hyperhedge.bench.experiment import Cell, read_experiment
from hyperhedge.datasets import load_dataset
from hyperhedge.generator import load, make_model
from hyperhedge.hypergraph import Hypergraph

__all__ = ["METHODS", "NATIVE", "TIERS", "chosen", "nearest", "unpacked"]

SEED = 1
METHODS = {"hedge": "Hedge", "hcm": "HCM-MCMC", "er": "ER-HG", "hygene": "HYGENE"}
NATIVE = "house-committees"
TIERED = ("actor", "citeseer", "cora", "house-committees")
TIERS = {"low": 0.1, "median": 0.5, "high": 0.9}
MEDIANS = (0.5, 0.75)  # the two of the native picture


def chosen(real: Sequence[Hypergraph], shares: Sequence[float]) -> list[Hypergraph]:
    """Return the hypergraphs at some shares of those sorted by incidences."""
    ordered = sorted(real, key=lambda H: H.num_incidences)
    return [ordered[min(int(share * len(ordered)), len(ordered) - 1)] for share in shares]


def nearest(generated: Sequence[Hypergraph], to: Sequence[Hypergraph]) -> list[Hypergraph]:
    """Return, for each hypergraph, the generated one whose number of incidences is nearest."""
    return [min(generated, key=lambda H: abs(H.num_incidences - own.num_incidences)) for own in to]


def packed(graphs: Sequence[Hypergraph]) -> list[dict[str, Any]]:
    """Write hypergraphs as numbers of nodes and members of hyperedges."""
    return [{"n": H.n, "hyperedges": [np.flatnonzero(e).tolist() for e in H.incidence.toarray().T]} for H in graphs]


def unpacked(rows: Sequence[dict[str, Any]]) -> list[Hypergraph]:
    """Read what :func:`packed` wrote."""
    return [Hypergraph(row["hyperedges"], nodes=row["n"]) for row in rows]


def banks(cell: Cell) -> tuple[list[Hypergraph], list[Hypergraph]]:
    """Draw the training and the held-out hypergraphs of a cell."""
    counts = (cell.protocol.train, 0, cell.protocol.test)
    train, _, test = load_dataset(cell.source).splits(None, None, counts, seed=cell.seed)
    return train, test


def main(models: Path) -> None:
    """Choose, and keep the record."""
    experiment = read_experiment(ROOT / "experiments" / "real.toml")
    cells = {(cell.dataset, cell.method): cell for cell in experiment.cells() if cell.seed == SEED}

    def samples(dataset: str, method: str) -> list[Hypergraph]:
        cell, kept = cells[dataset, method], models / experiment.name / dataset / f"{method}-{SEED}"
        model = load(kept) if kept.exists() else make_model(cell.model, **cell.options).fit(banks(cell)[0])
        drawn = model.sample(100, seed=SEED)
        assert isinstance(drawn, list)  # noqa: S101
        return drawn

    def beside(dataset: str, shares: Sequence[float]) -> dict[str, Any]:
        real = chosen(banks(cells[dataset, "hedge"])[1], shares)
        drawn = {title: nearest(samples(dataset, method), real) for method, title in METHODS.items()}
        return {name: packed(graphs) for name, graphs in {"held out": real, **drawn}.items()}

    native = beside(NATIVE, MEDIANS)
    tiers = {dataset: beside(dataset, list(TIERS.values())) for dataset in TIERED}
    save("drawn", {"seed": SEED, "native": NATIVE, "tiers": TIERS}, {"native": native, "tiers": tiers}, ("torch",))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
