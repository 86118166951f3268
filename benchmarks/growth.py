"""Growing as sampled against growing as planned, for HYGENE: ``python -m benchmarks.growth MODELS``.

``MODELS`` is where ``hyperhedge bench run experiments/real.toml --method hygene --keep-models MODELS/real`` kept the models of seed 1.
Each generates 100 hypergraphs, three times, in both ways (``exact_growth``). Every metric compares them with 500 further real ones, and
a classifier tells them from 100 of these; the same is done with further hundreds of real ones.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import hyperhedge as hh
from benchmarks.paper import DATASETS
from benchmarks.record import save
from benchmarks.repeated_samples import AGAINST, COUNT, FURTHER, REAL, SEED
from hyperhedge.metrics import DEFAULT

REPEATS = 3
WAYS = {"as planned": True, "as sampled": False}


def row_of(against: Sequence[hh.Hypergraph], graphs: Sequence[hh.Hypergraph]) -> dict[str, Any]:
    """Compare generated with real hypergraphs."""
    report = hh.evaluate(against[:COUNT], graphs, bootstrap=2, floor_repeats=2, ceiling=False, permutations=19, seed=0)
    return {
        "values": {metric.key: metric(against, graphs) for metric in DEFAULT},
        "auc": report.properties["detectability"].values["auc"],
    }


def rows_of(dataset: str, models: Path) -> list[dict[str, Any]]:
    """Sample and compare."""
    source = hh.load_dataset(dataset)
    against = source.bank(count=REAL, seed=AGAINST)
    model = hh.Hygene.load(models / "real" / dataset / f"hygene-{SEED}")
    rows: list[dict[str, Any]] = []
    for repeat in range(REPEATS):
        collections = {"real": source.bank(count=COUNT, seed=FURTHER + repeat)}
        for way, model.exact_growth in WAYS.items():
            collections[way] = model.sample(COUNT, seed=FURTHER + repeat)
        rows += [
            {"dataset": dataset, "way": way, "repeat": repeat, **row_of(against, graphs)}
            for way, graphs in collections.items()
        ]
    return rows


def main(models: Path) -> None:
    """Measure and save the record."""
    rows = []
    for dataset in DATASETS:
        rows += rows_of(dataset, models)
        print(dataset, [(row["way"], row["auc"]) for row in rows[-3:]], file=sys.stderr, flush=True)
    save("growth", {"seed": SEED, "real": REAL, "count": COUNT, "repeats": REPEATS}, rows, ("torch",))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
