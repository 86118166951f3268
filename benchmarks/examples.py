"""Select the hypergraphs that the figures of the results show: ``python -m benchmarks.examples MODELS``.

``MODELS`` is where ``hyperhedge bench run experiments/real.toml --keep-models MODELS/real`` kept the learned models of seed 1; null models
are fitted again. Held-out hypergraphs are those of the cells. For each figure some of them are selected by their number of
incidences, and of 100 samples of each method those whose number is nearest, so nobody selects by looks. The record,
``results/examples.json``, has the hypergraphs themselves, and ``make figures`` plots them.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.record import ROOT, save
from hyperhedge.bench.experiment import Cell, read_experiment
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.data import load_dataset
from hyperhedge.models.base import load_model, make_model

__all__ = ["METHODS", "NATIVE", "TIERS", "at_quantiles", "from_json", "nearest", "to_json"]

SEED = 1
METHODS = {"hedge": "Hedge", "hcm": "HCM-MCMC", "er": "ER-HG", "hygene": "HYGENE"}
NATIVE = "house-committees"
TIERED = ("actor", "citeseer", "cora", "house-committees")
TIERS = {"low": 0.1, "median": 0.5, "high": 0.9}
MEDIANS = (0.5, 0.75)  # the two of the native figure


def at_quantiles(real: Sequence[Hypergraph], shares: Sequence[float]) -> list[Hypergraph]:
    """Return the hypergraphs at some quantiles of the number of incidences."""
    ordered = sorted(real, key=lambda H: H.num_incidences)
    return [ordered[min(int(share * len(ordered)), len(ordered) - 1)] for share in shares]


def nearest(generated: Sequence[Hypergraph], to: Sequence[Hypergraph]) -> list[Hypergraph]:
    """Return, for each hypergraph, the generated one whose number of incidences is nearest."""
    return [min(generated, key=lambda H: abs(H.num_incidences - target.num_incidences)) for target in to]


def to_json(graphs: Sequence[Hypergraph]) -> list[dict[str, Any]]:
    """Write hypergraphs as numbers of nodes and members of hyperedges."""
    return [{"n": H.n, "hyperedges": [np.flatnonzero(e).tolist() for e in H.incidence.toarray().T]} for H in graphs]


def from_json(rows: Sequence[dict[str, Any]]) -> list[Hypergraph]:
    """Read what :func:`to_json` wrote."""
    return [Hypergraph(row["hyperedges"], nodes=row["n"]) for row in rows]


def banks(cell: Cell) -> tuple[list[Hypergraph], list[Hypergraph]]:
    """Sample the training and the held-out hypergraphs of a cell."""
    train_count, test_count, _ = cell.protocol.counts
    train, _, test = load_dataset(cell.source).splits(None, None, (train_count, 0, test_count), seed=cell.seed)
    return train, test


def main(models: Path) -> None:
    """Select, and save the record."""
    experiment = read_experiment(ROOT / "experiments" / "real.toml")
    cells = {(cell.dataset, cell.method): cell for cell in experiment.cells() if cell.seed == SEED}

    def samples(dataset: str, method: str) -> list[Hypergraph]:
        cell, kept = cells[dataset, method], models / "real" / dataset / f"{method}-{SEED}"
        model = load_model(kept) if kept.exists() else make_model(cell.model, **cell.options).fit(banks(cell)[0])
        generated = model.sample(100, seed=SEED)
        assert isinstance(generated, list)  # noqa: S101
        return generated

    def beside(dataset: str, shares: Sequence[float]) -> dict[str, Any]:
        real = at_quantiles(banks(cells[dataset, "hedge"])[1], shares)
        generated = {title: nearest(samples(dataset, method), real) for method, title in METHODS.items()}
        return {name: to_json(graphs) for name, graphs in {"held out": real, **generated}.items()}

    native = beside(NATIVE, MEDIANS)
    tiers = {dataset: beside(dataset, list(TIERS.values())) for dataset in TIERED}
    save("examples", {"seed": SEED, "native": NATIVE, "tiers": TIERS}, {"native": native, "tiers": tiers}, ("torch",))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
