"""Few steps against many with a learned field: ``python -m benchmarks.samplers``, after :mod:`benchmarks.hedge`.

The models of two cases draw 100 hypergraphs with each sampler and number of network evaluations, for each of three seeds, and every
metric compares them with 500 further real ones. As the held-out set is the same for all, the spread is that of the samples.
"""

from __future__ import annotations

import sys
from typing import Any

from benchmarks.hedge import bank_of, model_folder
from benchmarks.record import save
from hyperhedge.hedge import Hedge
from hyperhedge.metrics import DEFAULT

CASES = ("house-committees (walk)", "cora")
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


def main() -> None:
    """Measure and keep the record."""
    rows: list[dict[str, Any]] = []
    projection = Hedge().projection
    for case in CASES:
        model, real = Hedge.load(model_folder(case)), bank_of(case, REAL, 2_000)
        for sampler, steps, power in RUNS:
            for seed in SEEDS:
                drawn = model.draw(
                    COUNT, seed=seed, sampler=sampler, steps=steps, grid_power=power, projection=projection
                )
                rows.append(
                    {
                        "case": case,
                        "sampler": sampler,
                        "steps": steps,
                        "seed": seed,
                        "decided": drawn.decided,
                        "values": {metric.key: metric(real, drawn.hypergraphs) for metric in DEFAULT},
                    }
                )
            print(case, sampler, steps, rows[-1]["values"]["intersection_wd"], file=sys.stderr, flush=True)
    runs = [list(run) for run in RUNS]
    config = {"real": REAL, "count": COUNT, "seeds": list(SEEDS), "runs": runs, "projection": projection}
    save("samplers", config, rows, ("torch",))


if __name__ == "__main__":
    main()
