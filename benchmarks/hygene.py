"""HYGENE on the six datasets at the paper's sizes, beside ER-HG, HCM-MCMC, Hedge and the floor: ``python -m benchmarks.hygene [NAME…]``.

For each dataset, 2,000 training subhypergraphs are drawn and Hygene is fitted to them with its default arguments. Then, for each of three
seeds, 100 held-out subhypergraphs are compared with 100 further ones (*real*: the floor) and with 100 of each method, by the
metrics of :mod:`benchmarks.hedge`. Hedge is fitted with its defaults to the same data in the same run: minutes of training and
samples a second of both are comparable. Named datasets replace their rows in the record.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import hyperhedge as hh
from benchmarks.hedge import CASES, bank_of
from benchmarks.record import RESULTS, load, save
from hyperhedge.baselines.hygene import Hygene
from hyperhedge.generator import make_model
from hyperhedge.hedge import Hedge
from hyperhedge.metrics import DEFAULT, evaluate

TRAIN, TEST = 2_000, 100
SEEDS = range(3)
TRAINING_SEED = 0
RECORD = "hygene"


def rows_of(
    case: str,
    *,
    train: int = TRAIN,
    test: int = TEST,
    hygene: dict[str, Any] | None = None,
    hedge: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Fit and compare; ``hygene`` and ``hedge`` are other arguments of the two than their defaults."""
    bank = bank_of(case, train, TRAINING_SEED)
    learned = {
        "HYGENE": Hygene(**{"seed": TRAINING_SEED, **(hygene or {})}).fit(bank, progress=True),
        "Hedge": Hedge(**{"seed": TRAINING_SEED, **(hedge or {})}).fit(bank, progress=True),
    }
    others = {"ER-HG": make_model("erdos-renyi").fit(bank), "HCM-MCMC": make_model("configuration").fit(bank)}
    rows: list[dict[str, Any]] = []
    for seed in SEEDS:
        both = bank_of(case, 2 * test, 1_000 + seed)
        held_out, real = both[:test], both[test:]
        rows.append(_row("real", seed, held_out, real, bank))
        for method, model in {**others, **learned}.items():
            started = time.perf_counter()
            drawn = model.sample(test, seed=seed)
            seconds = time.perf_counter() - started
            assert isinstance(drawn, list)  # noqa: S101
            rows.append({**_row(method, seed, held_out, drawn, bank), "seconds": seconds})
    return {"case": case, "training": {name: model.training_ for name, model in learned.items()}, "rows": rows}


def _row(
    method: str, seed: int, held_out: list[hh.Hypergraph], drawn: list[hh.Hypergraph], train: list[hh.Hypergraph]
) -> dict[str, Any]:
    report = evaluate(held_out, drawn, train=train, metrics=["density_gap"], seed=seed)
    scores = {name: report.properties[name].score for name in ("novelty", "validity", "diversity")}
    values = {metric.key: metric(held_out, drawn) for metric in DEFAULT}
    return {"method": method, "seed": seed, "values": values, **scores}


def main(names: list[str]) -> None:
    """Measure and keep the record."""
    done: dict[str, Any] = {}
    if names and (RESULTS / f"{RECORD}.json").exists():
        done = {found["case"]: found for found in load(RECORD)["measured"]}
    for case in [case for case in CASES if not names or case in names]:
        done[case] = rows_of(case)
        print(case, done[case]["training"], file=sys.stderr, flush=True)
        config = {
            "train": TRAIN,
            "test": TEST,
            "seeds": list(SEEDS),
            "hygene": Hygene(seed=TRAINING_SEED).config,
            "hedge": Hedge(seed=TRAINING_SEED).config,
        }
        save(RECORD, config, [done[case] for case in CASES if case in done], ("torch", "scipy"))


if __name__ == "__main__":
    main(sys.argv[1:])
