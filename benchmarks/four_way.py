"""Floor, HCM-MCMC, ER-HG and a shuffled control on the six datasets at the paper's sizes: ``python -m benchmarks.four_way``.

For each dataset and each of ten seeds: 200 training and 100 held-out subhypergraphs are sampled by the default protocol, 100 are
generated, and every metric of the paper compares them with the held-out ones. *Real* is 100 further subhypergraphs of the observed
hypergraph, so its distance is the floor. *Shuffled* keeps the edge sizes of each held-out hypergraph and fills every hyperedge
with other nodes, uniformly sampled: right edge sizes, and no other structure.

How small are the paper's held-out sets? W₁(e) between two sets of 5, 10 and 20 real subhypergraphs says.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np

import hyperhedge as hh
from benchmarks.paper import DATASETS
from benchmarks.record import save
from hyperhedge.data import Observed
from hyperhedge.metrics import DEFAULT, METRICS
from hyperhedge.models.base import make_model

TRAIN, TEST = 200, 100
SEEDS = range(10)
SMALL = (5, 10, 20)


def shuffled(bank: list[hh.Hypergraph], rng: np.random.Generator) -> list[hh.Hypergraph]:
    """Replace the members of every hyperedge by as many uniformly sampled nodes."""
    graphs = []
    for H in bank:
        members = [rng.choice(H.n, size, replace=False) for size in H.edge_sizes.tolist()]
        node_ids = np.concatenate(members)
        graphs.append(hh.Hypergraph.from_indices(node_ids, H.edge_indices, nodes=H.n, edges=H.m))
    return graphs


def one_seed(dataset: Observed, seed: int) -> dict[str, dict[str, float]]:
    """Compare the four with one held-out set."""
    split = dataset.splits(counts=(TRAIN, TEST, TEST), seed=seed)
    rng = np.random.default_rng(seed)
    generated = {
        "real": split.validation,
        "HCM-MCMC": make_model("configuration").fit(split.train).sample(TEST, seed=seed),
        "ER-HG": make_model("erdos-renyi").fit(split.train).sample(TEST, seed=seed),
        "shuffled": shuffled(split.test, rng),
    }
    return {name: {metric.key: metric(split.test, bank) for metric in DEFAULT} for name, bank in generated.items()}


def small_set_distance(dataset: Observed, count: int, seed: int) -> float:
    """Return W₁(e) between two small sets of subhypergraphs."""
    first, second = (dataset.bank(count=count, seed=start + seed) for start in (100, 200))
    return METRICS["size_wd"](first, second)


def main() -> None:
    """Measure and save the record."""
    rows: list[dict[str, Any]] = []
    small: list[dict[str, Any]] = []
    started = time.perf_counter()
    for name in DATASETS:
        dataset = hh.load_dataset(name)
        assert isinstance(dataset, Observed)  # noqa: S101
        for seed in SEEDS:
            for method, values in one_seed(dataset, seed).items():
                rows.append({"dataset": name, "seed": seed, "method": method, "values": values})
        for count in SMALL:
            distances = [small_set_distance(dataset, count, seed) for seed in SEEDS]
            small.append({"dataset": name, "count": count, "size_wd": distances})
        print(f"{name}: {time.perf_counter() - started:.0f} s", file=sys.stderr)
    config = {"train": TRAIN, "test": TEST, "seeds": list(SEEDS), "protocol": "default of hyperhedge data bank"}
    save("four_way", config, {"methods": rows, "small sets": small}, ("scipy", "numba"))


if __name__ == "__main__":
    main()
