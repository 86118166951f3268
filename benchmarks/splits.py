"""How alike the sets of leak-free splits are: ``python -m benchmarks.splits`` measures what docs/data.md says of them.

It needs the six datasets of the paper and, in the folder that ``HYPERHEDGE_DATA`` names, the contacts and e-mails that are listed in
``FILES``. A split is scored as a report would score a perfect generator: real pieces of one set against real pieces of another, and
against pieces of the whole, by detectability (1 if a classifier does no better than a coin toss) and the permutation p-value.
"""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import hyperhedge as hh
from benchmarks.record import save
from benchmarks.timing import seconds
from hyperhedge.data import SubhypergraphSampler
from hyperhedge.errors import DataWarning
from hyperhedge.metrics.detectability import classifier_auc, detectability_score, permutation_p_value
from hyperhedge.metrics.statistics import statistics_of

SEEDS = range(3)
PIECES = 150
FILES = {
    "contact-high-school": (
        "HypergraphModularity/data/contact-high-school-classes/hyperedges-contact-high-school-classes.txt"
    ),
    "email-Enron": "www21-hyperlap/dataset/email-Enron-full_graph.txt",
}
#: Shapes of pieces, and the nonzero sets.
CASES: list[tuple[str, int, int, str, int]] = [
    ("contact-high-school", 32, 24, "walk", 2),
    ("email-Enron", 32, 24, "walk", 2),
    ("house-committees", 64, 16, "walk", 2),
    ("dblp", 64, 18, "walk", 2),
    ("email-Enron", 32, 24, "walk", 3),
    ("house-committees", 64, 16, "walk", 3),
    ("cora", 64, 25, "walk", 2),
    ("contact-high-school", 32, 24, "uniform", 2),
]


def load(name: str) -> hh.Hypergraph:
    """Load a dataset of the catalogue, or a file of comma-separated hyperedges."""
    if name not in FILES:
        return hh.load_dataset(name).hypergraph
    text = (Path(os.environ["HYPERHEDGE_DATA"]) / FILES[name]).read_text()
    return hh.Hypergraph([sorted({int(node) for node in line.split(",")}) for line in text.splitlines() if line])


def compare(first: list[hh.Hypergraph], second: list[hh.Hypergraph], seed: int) -> tuple[float, float]:
    """Return the detectability score and the p-value of two collections."""
    ours, theirs, rng = statistics_of(first), statistics_of(second), np.random.default_rng(seed)
    return detectability_score(classifier_auc(ours, theirs, rng)), permutation_p_value(ours, theirs, rng, 199)


def in_proportion(H: hh.Hypergraph, n: int, m: int, protocol: Any, seed: int) -> list[list[hh.Hypergraph]]:
    """Split as was done before, for comparison: runs of 2 m hyperedges, shared out in proportion to 20 pieces to one."""
    rng = np.random.default_rng(seed)
    order = SubhypergraphSampler(H, protocol="uniform" if protocol == "uniform" else "snowball").order(rng)
    if protocol != "uniform":
        runs = np.array_split(order, max(1, len(order) // (2 * m)))
        order = np.concatenate([runs[k] for k in rng.permutation(len(runs))])
    cut = m + round((len(order) - 2 * m) * 20 / 21)
    sources = [H.subhypergraph(edges=[H.edges[j] for j in edges.tolist()]) for edges in (order[:cut], order[cut:])]
    samplers = [SubhypergraphSampler(source, protocol=protocol) for source in sources]
    return [[sampler.sample(n, m, rng) for _ in range(PIECES)] for sampler in samplers]


def measure(name: str, n: int, m: int, protocol: Any, sets: int) -> dict[str, Any]:
    """Split with every seed, and compare training with test pieces, and test pieces with pieces of the whole."""
    H = load(name)
    dataset = hh.load_dataset(H)
    counts = (PIECES, PIECES if sets == 3 else 0, PIECES)
    rows: dict[str, list[float]] = {key: [] for key in ("sets", "p", "whole", "before", "before, whole", "warned")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        whole = dataset.bank(n, m, PIECES, seed=99, protocol=protocol)
        again = dataset.bank(n, m, PIECES, seed=98, protocol=protocol)
    for seed in SEEDS:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            train, _, test = dataset.splits(n, m, counts, leak_free=True, seed=seed, protocol=protocol)
        rows["warned"].append(sum("different laws" in str(warning.message) for warning in caught))
        score, p = compare(train, test, seed)
        rows["sets"].append(score)
        rows["p"].append(p)
        rows["whole"].append(compare(test, whole, seed)[0])
        before = in_proportion(H, n, m, protocol, seed)
        rows["before"].append(compare(before[0], before[1], seed)[0])
        rows["before, whole"].append(compare(before[1], whole, seed)[0])

    def split() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            dataset.splits(n, m, (1, 1 if sets == 3 else 0, 1), leak_free=True, seed=0, protocol=protocol)

    return {
        "dataset": name,
        "n": n,
        "m": m,
        "protocol": protocol,
        "number of sets": sets,
        "nodes": H.n,
        "hyperedges": H.m,
        "floor": compare(whole, again, 0)[0],
        "seconds": seconds(split),
        **rows,
    }


def main() -> None:
    """Measure, and keep the record after every case."""
    measured = []
    for case in CASES:
        measured.append(measure(*case))
        save("splits", {"seeds": list(SEEDS), "pieces": PIECES}, measured, ("scikit-learn",))


if __name__ == "__main__":
    main()
