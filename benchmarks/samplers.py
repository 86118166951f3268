"""Few steps against many with a learned field: ``python -m benchmarks.samplers MODELS``.

``MODELS`` is where ``hyperhedge bench run experiments/NAME.toml --keep-models MODELS/NAME`` kept the models of the cells below. The models of two cases sample 100 hypergraphs with each sampler and number of network evaluations, for each of three seeds, and every
metric compares them with 500 further real ones. As the held-out set is the same for all, the spread is that of the samples.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import hyperhedge as hh
from benchmarks.record import save
from hyperhedge.metrics import DEFAULT
from hyperhedge.models.hedge import Hedge

#: A case, its bank, and the cell whose model is used.
CASES: dict[str, tuple[str, dict[str, Any], str]] = {
    "house-committees (walk)": ("house-committees", {"protocol": "walk"}, "choices/house-committees-walk/short-0"),
    "cora": ("cora", {}, "real/cora/hedge-1"),
}
REAL, COUNT, SEEDS = 500, 100, (0, 1, 2)

RUNS: tuple[tuple[str, int, float], ...] = (
    ("euler-maruyama", 25, 1.0),
    ("euler-maruyama", 500, 1.0),
    ("exponential", 10, 1.25),
    ("exponential", 25, 1.25),
    ("exponential", 100, 1.25),
    ("flow", 10, 1.25),
    ("flow", 25, 1.25),
)


def main(models: Path) -> None:
    """Measure and keep the record."""
    rows: list[dict[str, Any]] = []
    projection = Hedge().projection
    for case, (name, options, cell) in CASES.items():
        model, real = Hedge.load(models / cell), hh.load_dataset(name).bank(count=REAL, seed=2_000, **options)
        for sampler, steps, power in RUNS:
            for seed in SEEDS:
                samples = model.sample_paths(
                    COUNT,
                    seed=seed,
                    sampler=sampler,
                    steps=steps,
                    grid_power=power,
                    projection=projection,
                    keep_paths=False,
                )
                rows.append(
                    {
                        "case": case,
                        "sampler": sampler,
                        "steps": steps,
                        "seed": seed,
                        "decided": samples.decided,
                        "values": {metric.key: metric(real, samples.hypergraphs) for metric in DEFAULT},
                    }
                )
            print(case, sampler, steps, rows[-1]["values"]["intersection_wd"], file=sys.stderr, flush=True)
    runs = [list(run) for run in RUNS]
    config = {
        "real": REAL,
        "count": COUNT,
        "seeds": list(SEEDS),
        "runs": runs,
        "projection": projection,
        "models": [cell for *_, cell in CASES.values()],
    }
    save("samplers", config, rows, ("torch",))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
