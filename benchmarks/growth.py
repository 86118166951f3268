"""Growing as drawn against growing as planned, for HYGENE: ``python -m benchmarks.growth MODELS``.

``MODELS`` is where ``hyperhedge bench run experiments/real.toml --method hygene --keep-models MODELS`` kept the models of seed 1. Each draws 100
hypergraphs, three times, in both ways (``exact_growth``); every metric compares them with 500 further real ones, and a classifier tells
them from 100 of these. So do further hundreds of real ones.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import hyperhedge as hh
from benchmarks.record import save
from benchmarks.redraws import AGAINST, COUNT, FURTHER, REAL, SEED
from hyperhedge.bench.paper import DATASETS
from hyperhedge.metrics import DEFAULT

DRAWS = 3
WAYS = {"as planned": True, "as drawn": False}


def row_of(against: Sequence[hh.Hypergraph], graphs: Sequence[hh.Hypergraph]) -> dict[str, Any]:
    """Compare."""
    report = hh.evaluate(against[:COUNT], graphs, bootstrap=2, floor_draws=2, ceiling=False, permutations=19)
    return {
        "values": {metric.key: metric(against, graphs) for metric in DEFAULT},
        "auc": report.properties["detectability"].values["auc"],
    }


def rows_of(dataset: str, models: Path) -> list[dict[str, Any]]:
    """Draw and compare."""
    source = hh.load_dataset(dataset)
    against = source.bank(count=REAL, seed=AGAINST)
    model = hh.Hygene.load(models / "real" / dataset / f"hygene-{SEED}")
    rows: list[dict[str, Any]] = []
    for draw in range(DRAWS):
        made = {"real": source.bank(count=COUNT, seed=FURTHER + draw)}
        for way, model.exact_growth in WAYS.items():
            made[way] = model.sample(COUNT, seed=FURTHER + draw)
        rows += [
            {"dataset": dataset, "way": way, "draw": draw, **row_of(against, graphs)} for way, graphs in made.items()
        ]
    return rows


def main(models: Path) -> None:
    """Measure and keep the record."""
    rows = []
    for dataset in DATASETS:
        rows += rows_of(dataset, models)
        print(dataset, [(row["way"], row["auc"]) for row in rows[-3:]], file=sys.stderr, flush=True)
    save("growth", {"seed": SEED, "real": REAL, "count": COUNT, "draws": DRAWS}, rows, ("torch",))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
