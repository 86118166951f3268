"""How good one training is, apart from the luck of one sample: ``python -m benchmarks.repeated_samples MODELS``.

``MODELS`` is where ``hyperhedge bench run experiments/real.toml --keep-models MODELS/real`` kept the models of seed 1. For each dataset,
Hedge and HCM-MCMC generate 100 hypergraphs ten times. Each hundred is compared with the same 500 further real ones, and so are ten
further hundreds of real ones. A cell of the experiment compares one hundred with 100: there, two methods that are both as good as
real differ by chance alone.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import hyperhedge as hh
from benchmarks.paper import DATASETS
from benchmarks.record import save
from hyperhedge.metrics import DEFAULT

SEED, REAL, COUNT, REPEATS = 1, 500, 100, 10
#: Seeds of banks that no cell has.
AGAINST, FURTHER = 5_000, 6_000


def rows_of(dataset: str, models: Path) -> list[dict[str, Any]]:
    """Sample and compare."""
    source = hh.load_dataset(dataset)
    train, _, _ = source.splits(None, None, (2_000, 0, 100), seed=SEED)
    against = source.bank(count=REAL, seed=AGAINST)
    learned = hh.Hedge.load(models / "real" / dataset / f"hedge-{SEED}")
    shuffled = hh.ConfigurationModel().fit(train)
    rows: list[dict[str, Any]] = []
    for repeat in range(REPEATS):
        collections = {
            "real": source.bank(count=COUNT, seed=FURTHER + repeat),
            "HCM-MCMC": shuffled.sample(COUNT, seed=FURTHER + repeat),
            "Hedge": learned.sample(COUNT, seed=FURTHER + repeat),
        }
        for method, graphs in collections.items():
            values = {metric.key: metric(against, graphs) for metric in DEFAULT}
            rows.append({"dataset": dataset, "method": method, "repeat": repeat, "values": values})
    return rows


def main(models: Path) -> None:
    """Measure and save the record."""
    rows = []
    for dataset in DATASETS:
        rows += rows_of(dataset, models)
        print(dataset, rows[-1]["values"], file=sys.stderr, flush=True)
    save("repeated_samples", {"seed": SEED, "real": REAL, "count": COUNT, "repeats": REPEATS}, rows, ("torch",))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
