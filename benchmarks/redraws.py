"""How good one training is, apart from the luck of one draw: ``python -m benchmarks.redraws MODELS``.

``MODELS`` is where ``hyperhedge bench run experiments/real.toml --keep-models MODELS`` kept the models of seed 1. For each dataset, Hedge and
HCM-MCMC draw 100 hypergraphs ten times; each hundred is compared with the same 500 further real ones, and so are ten further hundreds of real
ones. A cell of the benchmark has one draw against 100: there, two methods that are both as good as real differ by chance alone.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import hyperhedge as hh
from benchmarks.record import save
from hyperhedge.bench.paper import DATASETS
from hyperhedge.metrics import DEFAULT

SEED, REAL, COUNT, DRAWS = 1, 500, 100, 10
#: Seeds of banks that no cell has.
AGAINST, FURTHER = 5_000, 6_000


def rows_of(dataset: str, models: Path) -> list[dict[str, Any]]:
    """Draw and compare."""
    source = hh.load_dataset(dataset)
    train, _, _ = source.splits(None, None, (2_000, 0, 100), seed=SEED)
    against = source.bank(count=REAL, seed=AGAINST)
    learned = hh.Hedge.load(models / "real" / dataset / f"hedge-{SEED}")
    shuffled = hh.HypergraphConfigurationModel().fit(train)
    rows: list[dict[str, Any]] = []
    for draw in range(DRAWS):
        made = {
            "real": source.bank(count=COUNT, seed=FURTHER + draw),
            "HCM-MCMC": shuffled.sample(COUNT, seed=FURTHER + draw),
            "Hedge": learned.draw(COUNT, seed=FURTHER + draw).hypergraphs,
        }
        for method, graphs in made.items():
            values = {metric.key: metric(against, graphs) for metric in DEFAULT}
            rows.append({"dataset": dataset, "method": method, "draw": draw, "values": values})
    return rows


def main(models: Path) -> None:
    """Measure and keep the record."""
    rows = []
    for dataset in DATASETS:
        rows += rows_of(dataset, models)
        print(dataset, rows[-1]["values"], file=sys.stderr, flush=True)
    save("redraws", {"seed": SEED, "real": REAL, "count": COUNT, "draws": DRAWS}, rows, ("torch",))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
