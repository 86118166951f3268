"""Hy-MMSBM on whole hypergraphs, and how many communities predict hyperedges best: ``python -m benchmarks.communities``.

*Whole hypergraphs*, prepared and compared as in :mod:`benchmarks.whole`, with the processor seconds of a fit and of a sample.

*Prediction*: a fifth of the different hyperedges of two nodes or more is held out, the communities are inferred from the others,
and each held-out hyperedge is paired with one of as many nodes, sampled in proportion to their degrees. The number is the share of
pairs in which the real one has the larger rate (AUC); half where there is nothing to tell. The mean of three splits.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

import hyperhedge as hh
from benchmarks.whole import distances, prepared

WHOLE = ("citeseer", "cora-coauthorship", "email-enron", "ndc-classes", "contact-high-school", "dblp")
PREDICTED = ("cora-coauthorship", "email-enron", "ndc-classes", "contact-high-school")
COMMUNITIES = (2, 5, 10, 20, 40)
SPLITS = 3


def generators() -> Iterator[tuple[str, hh.BaseGenerator]]:
    """Go through what is compared on whole hypergraphs."""
    yield "configuration model", hh.ConfigurationModel()
    yield "HyperLap+", hh.HyperLap(seed=0)
    for communities in (20, 100):
        yield f"Hy-MMSBM, {communities} communities", hh.HyMMSBM(communities=communities, restarts=3, seed=0)
    yield "Hy-MMSBM, 20, degrees of the model", hh.HyMMSBM(degrees="model", restarts=3, seed=0)


def whole(name: str) -> None:
    """Print a table of one dataset."""
    H = prepared(hh.load_dataset(name).hypergraph)
    print(f"\n*{name}*, {H.n:,} × {H.m:,}\n")
    print("| | fit, s | sample, s | degrees | pair degrees | overlaps | homogeneity | back |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for label, model in generators():
        start = time.process_time()
        model.fit([H])
        fitted = time.process_time()
        (generated,) = model.sample(seed=0)
        times = f"{fitted - start:.2g} | {time.process_time() - fitted:.2g}"
        found = distances(H, generated)
        back = f"{found.pop('back'):.1%}"
        print(f"| {label} | {times} | {' | '.join(f'{value:.3f}' for value in found.values())} | {back} |", flush=True)


def auc(H: hh.Hypergraph, communities: int, assortative: bool, seed: int) -> float:
    """Hold out hyperedges, and tell them from others."""
    rng = np.random.default_rng(seed)
    held_out = rng.permutation(H.m) < H.m // 5
    train = H.subhypergraph(edges=np.flatnonzero(~held_out).tolist())
    weights = train.degrees / train.degrees.sum()
    real = [nodes.tolist() for nodes, out in zip(np.split(H.indices, H.indptr[1:-1]), held_out, strict=True) if out]
    false = [rng.choice(H.n, size=len(nodes), replace=False, p=weights).tolist() for nodes in real]
    model = hh.HyMMSBM(communities=communities, assortative=assortative, restarts=3, seed=seed).fit([train])
    ours, others = model.rates(real, log=True), model.rates(false, log=True)
    return float(np.mean(ours > others) + np.mean(ours == others) / 2)


def prediction() -> None:
    """Print the share of held-out hyperedges that are told from others, by numbers of communities."""
    print(f"\n| AUC | affinity | {' | '.join(map(str, COMMUNITIES))} |\n|---|---|{'---:|' * len(COMMUNITIES)}")
    for name in PREDICTED:
        H = prepared(hh.load_dataset(name).hypergraph)
        for assortative in (True, False):
            row = [np.mean([auc(H, k, assortative, seed) for seed in range(SPLITS)]) for k in COMMUNITIES]
            label = "diagonal" if assortative else "full"
            print(f"| {name} | {label} | {' | '.join(f'{value:.2f}' for value in row)} |", flush=True)


def main() -> None:
    """Print both tables."""
    prediction()
    for name in WHOLE:
        whole(name)


if __name__ == "__main__":
    main()
