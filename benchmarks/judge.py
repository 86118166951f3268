"""How the free parameters of the evaluation were chosen: eigenvalues, classifier, distance to the training set, intervals, grades.

A law with overlap (hyperedges take a random subset of a group of nodes, and some nodes are popular), 64 × 25, and ways to spoil its
samples: *rewired* (10% of the incidences moved), *swapped* (a third of the incidences exchanged, which keeps all degrees and edge
sizes), *narrow* (only samples of middling density). Power is the distance between the means of a statistic under the law and under
a spoilt one, in standard deviations of their difference, over subsets of 50.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import hyperhedge as hh
from benchmarks.record import save
from hyperhedge.metrics import DEFAULT, METRICS, Settings, Statistics
from hyperhedge.metrics.detectability import classifier_auc
from hyperhedge.metrics.features import features
from hyperhedge.metrics.resample import bootstrap_weights, interval, random_subsets
from hyperhedge.metrics.similarity import nearest
from hyperhedge.report import evaluate

SEED = 0
NODES, HYPEREDGES, GROUPS = 64, 25, 6
COUNT, SUBSET, REPEATS = 300, 50, 60
EIGENVALUES = (1, 2, 4, 8, 12, 16, 20, 24, None)
CHANGES = (1, 2, 4, 8, 16)
REPORTS = 20

Array = NDArray[np.float64]


def law(count: int, seed: int) -> list[hh.Hypergraph]:
    """Sample hypergraphs with groups and popular nodes."""
    rng = np.random.default_rng(seed)
    sample = []
    for _ in range(count):
        group, popularity = rng.integers(GROUPS, size=NODES), 0.2 * (1 + rng.pareto(2.0, NODES)) * rng.gamma(8, 1 / 8)
        edge_group = rng.integers(GROUPS, size=HYPEREDGES)
        probability = np.where(group[:, None] == edge_group, popularity[:, None], 0.003)
        sample.append(hh.Hypergraph.from_incidence(rng.random((NODES, HYPEREDGES)) < np.minimum(probability, 0.9)))
    return sample


def rewired(H: hh.Hypergraph, rng: np.random.Generator, share: float = 0.1) -> hh.Hypergraph:
    """Move a share of the incidences to random entries of the matrix."""
    nodes, edges = H.indices.copy(), H.edge_indices.copy()
    moved = rng.random(len(nodes)) < share
    nodes[moved], edges[moved] = rng.integers(0, H.n, moved.sum()), rng.integers(0, H.m, moved.sum())
    return hh.Hypergraph.from_indices(nodes, edges, nodes=H.n, edges=H.m)


def swapped(H: hh.Hypergraph, rng: np.random.Generator, share: float = 1 / 3) -> hh.Hypergraph:
    """Exchange the hyperedges of pairs of incidences if that repeats none; degrees and edge sizes stay."""
    there = {(int(v), int(e)) for v, e in zip(H.indices, H.edge_indices, strict=True)}
    for _ in range(int(share * len(there) / 2)):
        listed = sorted(there)
        (u, e), (v, f) = (listed[i] for i in rng.integers(0, len(listed), 2))
        if (u, f) not in there and (v, e) not in there:
            there = (there - {(u, e), (v, f)}) | {(u, f), (v, e)}
    nodes, edges = zip(*sorted(there), strict=True)
    return hh.Hypergraph.from_indices(nodes, edges, nodes=H.n, edges=H.m)


def changed(H: hh.Hypergraph, count: int, rng: np.random.Generator) -> hh.Hypergraph:
    """Change entries of the incidence matrix, ones and zeros in turn, and shuffle rows and columns."""
    matrix = H.incidence.toarray()
    for k in range(count):
        entries = np.argwhere(matrix == k % 2)
        row, column = entries[rng.integers(len(entries))]
        matrix[row, column] = 1 - k % 2
    return hh.Hypergraph.from_incidence(matrix[rng.permutation(H.n)][:, rng.permutation(H.m)])


def narrow(hypergraphs: list[hh.Hypergraph]) -> list[hh.Hypergraph]:
    """Keep the half of middling density."""
    counts = np.array([H.num_incidences for H in hypergraphs])
    return [hypergraphs[i] for i in np.argsort(np.abs(counts - np.median(counts)))[: len(counts) // 2]]


def spoilt_samples() -> dict[str, list[hh.Hypergraph]]:
    """Sample from the law, and spoil the samples."""
    rng, fresh = np.random.default_rng(SEED), law(2 * COUNT, 2)
    return {
        "fresh": fresh[:COUNT],
        "rewired": [rewired(H, rng) for H in fresh[:COUNT]],
        "swapped": [swapped(H, rng) for H in fresh[:COUNT]],
        "narrow": narrow(fresh),
    }


def eigenvalue_rows(real: Statistics, others: dict[str, Statistics]) -> list[dict[str, Any]]:
    """Measure the power of the spectral metrics against the number of eigenvalues."""
    rng = np.random.default_rng(SEED)
    W, V = (random_subsets(COUNT, SUBSET, REPEATS, rng) for _ in range(2))
    rows = []
    for key in ("node_spectral_wd", "edge_spectral_wd", "singular_values"):
        for kind in ("rewired", "swapped"):
            row: dict[str, Any] = {"metric": key, "against": kind}
            for K in EIGENVALUES:
                compare, settings = METRICS[key].compare, Settings(eigenvalues=K)
                fresh, spoilt = (compare(real, others[name], W, V, settings) for name in ("fresh", kind))
                row[str(K)] = float((spoilt.mean() - fresh.mean()) / np.sqrt(fresh.var() + spoilt.var()))
            rows.append(row)
    return rows


def cross_validated(model: Any, x: Array, y: Array, seed: int) -> float:
    """Return the AUC of a classifier."""
    vectors, which = np.vstack((x, y)), np.repeat([0, 1], [len(x), len(y)])
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    return float(roc_auc_score(which, cross_val_predict(model, vectors, which, cv=folds, method="decision_function")))


def classifier_rows(real: Statistics, others: dict[str, Statistics]) -> list[dict[str, Any]]:
    """Measure the AUC of three classifiers, 100 against 100, ten times."""
    rng = np.random.default_rng(SEED)
    rows = []
    for kind, collection in others.items():
        row: dict[str, Any] = {"against": kind}
        pairs = [(real.random_subset(100, rng), collection.random_subset(100, rng)) for _ in range(10)]
        calls: dict[str, Callable[[Statistics, Statistics, int], float]] = {
            "logistic, squares": lambda a, b, k: classifier_auc(a, b, np.random.default_rng(k)),
            "logistic": lambda a, b, k: cross_validated(
                make_pipeline(StandardScaler(), LogisticRegression(solver="newton-cholesky")),
                features(a),
                features(b),
                k,
            ),
            "boosting": lambda a, b, k: cross_validated(
                GradientBoostingClassifier(n_estimators=60, subsample=0.7, random_state=k), features(a), features(b), k
            ),
        }
        for name, call in calls.items():
            aucs = [call(*pair, k) for k, pair in enumerate(pairs)]
            row[name], row[f"{name}, sd"] = float(np.mean(aucs)), float(np.std(aucs))
        rows.append(row)
    return rows


def near_copy_rows(train: Statistics, fresh: Statistics) -> list[dict[str, Any]]:
    """Measure how many copies with a few changes are closer to the training set than the closest 5% of fresh samples."""
    rng = np.random.default_rng(SEED)
    bound = np.quantile(nearest(fresh, train), 0.05)
    rows = []
    for count in CHANGES:
        copies = Statistics(tuple(changed(H, count, rng) for H in train.hypergraphs))
        rows.append({"changes": count, "closer": float((nearest(copies, train) < bound).mean())})
    return rows


def coverage_rows() -> list[dict[str, Any]]:
    """Measure how often intervals cover the mean of the statistic at these counts: plain percentiles, and shifted ones."""
    rng = np.random.default_rng(SEED)
    real, other = law(20 * 60, 5), law(20 * 60, 6)
    rows = []
    for metric in DEFAULT:
        replicates = []
        for k in range(60):
            first, second = (Statistics(tuple(sample[20 * k : 20 * (k + 1)])) for sample in (real, other))
            W, V = (np.vstack((np.ones(20), bootstrap_weights(20, 150, rng))) for _ in range(2))
            replicates.append(metric.compare(first, second, W, V, Settings()))
        mean = np.mean([values[0] for values in replicates])
        plain = [np.quantile(values[1:], [0.025, 0.975]) for values in replicates]
        moved = [interval(values[0], values[1:], 0.95, signed=metric.signed) for values in replicates]
        covered = [float(np.mean([low <= mean <= high for low, high in kind])) for kind in (plain, moved)]
        rows.append({"metric": metric.key, "percentile": covered[0], "moved": covered[1]})
    return rows


def perfect_row() -> dict[str, Any]:
    """Measure what a perfect generator gets: ratios to the floor, score and properties."""
    train, pool = law(200, 7), law(100 * (REPORTS + 1), 8)
    reports = [
        evaluate(pool[:100], pool[100 * k : 100 * (k + 1)], train=train, bootstrap=0, ceiling=False, seed=SEED)
        for k in range(1, REPORTS + 1)
    ]
    ratios = {row.key: [report[row.key].ratio for report in reports] for row in reports[0].details}
    above = {
        str(bound): float(np.mean([r is not None and r > bound for metric in ratios.values() for r in metric]))
        for bound in (1.5, 3.0)
    }
    scores = {name: [report.properties[name].score for report in reports] for name in reports[0].properties}
    means = {name: float(np.mean([s for s in values if s is not None])) for name, values in scores.items()}
    return {"ratios above": above, "scores": means}


def main() -> None:
    """Measure and record."""
    real, train = Statistics(tuple(law(COUNT, 1))), Statistics(tuple(law(200, 3)))
    others = {name: Statistics(tuple(sample)) for name, sample in spoilt_samples().items()}
    measured = {
        "eigenvalues": eigenvalue_rows(real, others),
        "classifiers": classifier_rows(real, others),
        "near copies": near_copy_rows(train, others["fresh"]),
        "coverage": coverage_rows(),
        "perfect": perfect_row(),
    }
    for name, rows in measured.items():
        print(name, *(rows if isinstance(rows, list) else [rows]), sep="\n  ")
    config = {"seed": SEED, "nodes": NODES, "hyperedges": HYPEREDGES, "groups": GROUPS, "count": COUNT, "part": SUBSET}
    print(save("judge", config, measured, ("scipy", "scikit-learn", "torch")))


if __name__ == "__main__":
    main()
