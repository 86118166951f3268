"""Measurements behind docs/data.md: counts, banks, splits, regimes. ``python -m benchmarks.data`` needs the six datasets of the paper."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import hyperhedge as hh
from benchmarks.paper import DATASETS, implied_degree
from benchmarks.record import save
from benchmarks.timing import seconds
from hyperhedge.data import CATALOGUE, REGIMES, Dataset, sharing
from hyperhedge.data.plain_pickle import read_plain_pickle
from hyperhedge.data.store import Store

SEED, COUNT = 0, 1_000
PROTOCOLS: dict[str, dict[str, Any]] = {
    "uniform, trim by degree (default)": {},
    "uniform, trim uniform": {"trim": "uniform"},
    "walk, restart 0.5, trim uniform": {"protocol": "walk", "restart": 0.5, "trim": "uniform"},
    "walk, restart 0.15, trim uniform": {"protocol": "walk", "trim": "uniform"},
    "walk, restart 0.15, trim by degree": {"protocol": "walk"},
    "walk, restart 0, trim uniform": {"protocol": "walk", "restart": 0.0, "trim": "uniform"},
    "snowball, trim uniform": {"protocol": "snowball", "trim": "uniform"},
    "snowball, trim by degree": {"protocol": "snowball"},
}
SPLITS: dict[str, dict[str, Any]] = {"uniform": {}, "walk": {"protocol": "walk"}}
SPLIT_COUNTS = (200, 50, 50)


def counts(name: str, H: hh.Hypergraph) -> dict[str, Any]:
    """Count what Table 3 of the paper counts, and the incidences that upstream lists (repeats included)."""
    return {
        "nodes": H.n,
        "hyperedges": H.m,
        "incidences": H.num_incidences,
        "listed": _listed(name) or H.num_incidences,
        "isolated": int((H.degrees == 0).sum()),
        "repeated": H.m - len(set(H.hyperedges)),
    }


def _listed(name: str) -> int | None:
    first = CATALOGUE[name].files[0]
    if not first.path.endswith(".pickle"):
        return None
    return sum(len(members) for members in read_plain_pickle(Store.from_environment().read(first)).values())


def bank_figures(bank: Sequence[hh.Hypergraph]) -> dict[str, float]:
    """Summarise a bank: degrees, isolated nodes, overlaps."""
    degrees = [H.num_incidences / H.n for H in bank]
    return {
        "degree": float(np.mean(degrees)),
        "degree_sd": float(np.std(degrees)),
        "isolated": float(np.mean([(H.degrees == 0).mean() for H in bank])),
        "overlap": float(np.mean([H.overlaps.sum() / (H.m * (H.m - 1)) for H in bank])),
    }


def histograms(bank: Sequence[hh.Hypergraph]) -> dict[str, list[float]]:
    """Return the pooled distributions of degrees, edge sizes and overlaps."""
    overlaps = [H.overlaps.toarray()[np.triu_indices(H.m, 1)] for H in bank]
    pooled = {
        "degree": np.concatenate([H.degrees for H in bank]),
        "size": np.concatenate([H.edge_sizes for H in bank]),
        "overlap": np.concatenate(overlaps),
    }
    return {key: (np.bincount(values) / len(values)).round(6).tolist() for key, values in pooled.items()}


def timed(action: Callable[[], Any]) -> float:
    """Time the second of two runs."""
    action()
    return seconds(action)


def protocols(data: dict[str, Dataset]) -> list[dict[str, Any]]:
    """Sample a bank of each dataset by each protocol, in the paper's shapes."""
    rows = []
    for title, options in PROTOCOLS.items():
        for name, dataset in data.items():
            figures = bank_figures(dataset.bank(count=COUNT, seed=SEED, **options))
            rows.append({"protocol": title, "dataset": name, "implied": implied_degree(DATASETS[name]), **figures})
        print(title)
    return rows


def splits(data: dict[str, Dataset]) -> list[dict[str, Any]]:
    """Measure how much test sets share with training sets."""
    rows = []
    for protocol, options in SPLITS.items():
        for name, dataset in data.items():
            row: dict[str, Any] = {"protocol": protocol, "dataset": name}
            for leak_free in (False, True):
                sets = dataset.splits(counts=SPLIT_COUNTS, seed=SEED, leak_free=leak_free, **options)
                shared, mode = sharing(sets.train, sets.test), "leak-free" if leak_free else "ordinary"
                row[f"{mode} hyperedges"], row[f"{mode} closest"] = shared.hyperedges, shared.closest
                row[f"{mode} train overlap"] = bank_figures(sets.train)["overlap"]
                row[f"{mode} test overlap"] = bank_figures(sets.test)["overlap"]
            rows.append(row)
    return rows


def main() -> None:
    """Measure and keep the record."""
    data = {name: hh.load_dataset(name) for name in DATASETS}
    regimes = {name: hh.load_dataset(name) for name in REGIMES}
    measured = {
        "counts": {name: counts(name, dataset.hypergraph) for name, dataset in data.items()},
        "protocols": protocols(data),
        "splits": splits(data),
        "regimes": {
            name: {
                **bank_figures(bank := dataset.bank(64, 25, COUNT, seed=SEED)),
                "tail": float(np.mean([(H.overlaps.data >= 2).sum() / (25 * 24) for H in bank])),
                "histograms": histograms(bank),
            }
            for name, dataset in regimes.items()
        },
        "banks": {name: histograms(dataset.bank(count=COUNT, seed=SEED)) for name, dataset in data.items()},
        "seconds": {
            "DBLP": {
                title: timed(lambda options=options: data["dblp"].bank(count=1_000, seed=SEED, **options))  # type: ignore[misc]
                for title, options in PROTOCOLS.items()
            },
            "regimes": {
                name: timed(lambda dataset=dataset: dataset.bank(64, 25, 10_000, seed=SEED))  # type: ignore[misc]
                for name, dataset in regimes.items()
            },
        },
    }
    save("data", {"seed": SEED, "count": COUNT, "split_counts": list(SPLIT_COUNTS)}, measured, ("pooch",))


if __name__ == "__main__":
    main()
