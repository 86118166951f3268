"""Hedge on the six datasets at the paper's sizes, beside HCM-MCMC and the floor: ``python -m benchmarks.hedge [NAME…]``.

For each dataset, 2,000 training subhypergraphs are drawn; Hedge is fitted to them with its default arguments, and HCM-MCMC too.
Then, for each of five seeds, 100 held-out subhypergraphs are drawn and compared with 100 further ones (*real*: the floor), with 100
of HCM-MCMC and with 100 of Hedge. The spread is that over held-out sets and samples; there is one training a dataset.

Banks are drawn by the default protocol; *walk* in a name means by a walk over hyperedges that share nodes, where more of them overlap.
Models are kept in ``build/models``, also for :mod:`benchmarks.samplers`, with the commit that trained them; one that is there, of the
same training set and arguments, is not trained again. Named datasets replace their rows in the record.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import hyperhedge as hh
from benchmarks.paper import DATASETS
from benchmarks.record import RESULTS, ROOT, commit, load, save
from hyperhedge.datasets import Observed
from hyperhedge.generator import fingerprint, make_model
from hyperhedge.hedge import Hedge
from hyperhedge.metrics import DEFAULT, evaluate

TRAIN, TEST = 2_000, 100
SEEDS = range(5)
TRAINING_SEED = 0
MODELS = ROOT / "build" / "models"

CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "house-committees (walk)": ("house-committees", {"protocol": "walk"}),
    **{name: (name, {}) for name in DATASETS},
}


def bank_of(case: str, count: int, seed: int) -> list[hh.Hypergraph]:
    """Draw subhypergraphs of a case."""
    name, options = CASES[case]
    dataset = hh.load_dataset(name)
    assert isinstance(dataset, Observed)  # noqa: S101
    return dataset.bank(count=count, seed=seed, **options)


def model_folder(case: str) -> Path:
    """Say where the model of a case is kept."""
    return MODELS / case.replace(" ", "-").replace("(", "").replace(")", "")


def fitted(case: str, train: list[hh.Hypergraph]) -> tuple[Hedge, str]:
    """Fit Hedge with its defaults, and keep it, or take the one that is kept; return also the commit that trained it."""
    folder, new = model_folder(case), Hedge(seed=TRAINING_SEED)
    by = folder.with_suffix(".commit")
    if by.exists():
        kept = Hedge.load(folder)
        same = all(value == new.config[name] for name, value in kept.config.items() if name not in Hedge.may_change)
        if same and kept.data_fingerprint_ == fingerprint(train):
            return kept, by.read_text()
    new.fit(train, progress=True)
    MODELS.mkdir(parents=True, exist_ok=True)
    new.save(folder, overwrite=True)
    by.write_text(commit())
    return new, by.read_text()


def rows_of(case: str) -> dict[str, Any]:
    """Fit and compare."""
    train = bank_of(case, TRAIN, TRAINING_SEED)
    model, by = fitted(case, train)
    plan = {name: getattr(Hedge(), name) for name in ("sampler", "steps", "grid_power", "projection")}
    hcm = make_model("configuration").fit(train)
    rows: list[dict[str, Any]] = []
    for seed in SEEDS:
        both = bank_of(case, 2 * TEST, 1_000 + seed)
        test, real = both[:TEST], both[TEST:]
        started = time.perf_counter()
        drawn = model.draw(TEST, seed=seed, **plan)
        seconds = time.perf_counter() - started
        generated = {"real": real, "HCM-MCMC": hcm.sample(TEST, seed=seed), "Hedge": drawn.hypergraphs}
        for method, bank in generated.items():
            report = evaluate(test, bank, train=train, metrics=["density_gap"], seed=seed)
            row = {
                "method": method,
                "seed": seed,
                "values": {metric.key: metric(test, bank) for metric in DEFAULT},
                "novelty": report.properties["novelty"].score,
            }
            if method == "Hedge":
                row |= {"seconds": seconds, "decided": drawn.decided, "changed": drawn.changed}
            rows.append(row)
    return {"case": case, "training": {**model.training_, "commit": by}, "rows": rows}


def main(names: list[str]) -> None:
    """Measure and keep the record."""
    cases = [case for case in CASES if not names or case in names]
    done: dict[str, Any] = {}
    if names and (RESULTS / "hedge.json").exists():
        done = {found["case"]: found for found in load("hedge")["measured"]}
    for case in cases:
        done[case] = rows_of(case)
        values = {
            method: np.mean([r["values"]["intersection_wd"] for r in done[case]["rows"] if r["method"] == method])
            for method in ("real", "HCM-MCMC", "Hedge")
        }
        print(case, done[case]["training"], values, file=sys.stderr, flush=True)
        config = {"train": TRAIN, "test": TEST, "seeds": list(SEEDS), "hedge": Hedge(seed=TRAINING_SEED).config}
        save("hedge", config, [done[case] for case in CASES if case in done], ("torch", "scipy"))


if __name__ == "__main__":
    main(sys.argv[1:])
