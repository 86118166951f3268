"""The cost of evaluating: the default metrics against the same ones through XGI and HyperNetX, whole reports, a large hypergraph.

*Side by side.* 100 real against 100 generated hypergraphs of 64 × 25 (independent incidences, repaired so every library can hold
them), as objects of each library. The peers' side is what their users write: the library's functions for degrees, sizes,
incidence, adjacency, Laplacian and components, one hypergraph after the other, then scipy's distances. The values must agree to
1e-6. The libraries take turns; the figures are medians over rounds.

*Reports.* `evaluate` with all defaults (200 bootstrap replicates, 20 subsets for the floor, ceiling, novelty, diversity,
detectability) at 100 and at 1,000 against as many, with twice as many for training; nothing is cached.

*Large.* All statistics of one hypergraph of 16,000 × 10,000.
"""

from __future__ import annotations

import statistics
import time
import warnings
from collections.abc import Callable
from itertools import combinations
from typing import Any

import hypernetx as hnx
import numpy as np
import xgi
from hypernetx.reports.descriptive_stats import degree_dist
from numpy.typing import NDArray
from scipy.linalg import eigvalsh
from scipy.spatial.distance import cdist, pdist
from scipy.stats import ks_2samp, wasserstein_distance

import hyperhedge as hh
from benchmarks.process import seconds, sparse_hypergraph
from benchmarks.record import save
from hyperhedge.metrics import DEFAULT, Settings, Statistics
from hyperhedge.metrics import statistics as kept
from hyperhedge.models.erdos_renyi import ErdosRenyi
from hyperhedge.report import evaluate

SEED = 0
NODES, HYPEREDGES, DEGREE = 64, 25, 1.0
COUNT, ROUNDS = 100, 5
REPORTS = (100, 1000)
PAUSE = 0.3  # seconds, in which the BLAS threads of the previous call stop spinning
LARGE = (16_000, 10_000, 53_000)

Array = NDArray[np.float64]


def sample(count: int, seed: int) -> list[hh.Hypergraph]:
    """Sample hypergraphs that every library can hold: no isolated nodes, no empty hyperedges."""
    model = ErdosRenyi().fit([sparse_hypergraph(NODES, HYPEREDGES, DEGREE, k) for k in range(20)])
    return model.sample(count, seed=seed)


def ours(real: list[hh.Hypergraph], generated: list[hh.Hypergraph]) -> dict[str, float]:
    """Compute the default metrics, with nothing cached."""
    first, second = Statistics(tuple(real)), Statistics(tuple(generated))
    equal = np.ones((1, len(first))), np.ones((1, len(second)))
    return {metric.key: float(metric.compare(first, second, *equal, Settings())[0]) for metric in DEFAULT}


# -- what users of the peers write -------------------------------------------------------------------


def through_xgi(H: Any) -> dict[str, Any]:
    """Compute the statistics of one hypergraph with XGI."""
    profile = xgi.intersection_profile(H, sparse=False)
    return {
        "degrees": H.nodes.degree.aslist(),
        "sizes": H.edges.size.aslist(),
        "profile": profile,
        "pairs": xgi.adjacency_matrix(H, sparse=False, weighted=True),
        "laplacian": xgi.normalized_hypergraph_laplacian(H, sparse=False),
        "incidence": xgi.incidence_matrix(H, sparse=False),
        "isolated": len(H.nodes.isolates()),
        "repeated": len(H.edges.duplicates()),
        "components": [len(members) for members in xgi.connected_components(H)],
    }


def through_hypernetx(H: Any) -> dict[str, Any]:
    """Compute the statistics of one hypergraph with HyperNetX, and with numpy what it has no function for."""
    incidence = H.incidence_matrix().toarray().astype(float)
    root = np.diag(1 / np.sqrt(incidence.sum(axis=1)))
    spread = incidence @ np.diag(1 / incidence.sum(axis=0)) @ incidence.T
    columns = [tuple(column) for column in incidence.T]
    return {
        "degrees": degree_dist(H),
        "sizes": H.edge_size_dist(),
        "profile": incidence.T @ incidence,
        "pairs": H.adjacency_matrix(s=1).toarray() * (incidence @ incidence.T),
        "laplacian": np.eye(len(incidence)) - root @ spread @ root,
        "incidence": incidence,
        "isolated": sum(H.degree(v) == 0 for v in H.nodes),
        "repeated": len(columns) - len(set(columns)),
        "components": [len(members) for members in H.connected_components(edges=False)],
    }


def completed(measured: dict[str, Any]) -> dict[str, Any]:
    """Add what follows from the matrices: spectra, histograms, features."""
    incidence, profile = np.asarray(measured["incidence"], dtype=float), np.asarray(measured["profile"], dtype=float)
    n, m = incidence.shape
    weights = profile / np.sqrt(np.outer(profile.diagonal(), profile.diagonal()))
    np.fill_diagonal(weights, 0.0)
    sums = weights.sum(axis=1)
    root = np.divide(1.0, np.sqrt(sums), out=np.zeros_like(sums), where=sums > 0)
    shared = [profile[j, k] for j, k in combinations(range(m), 2)]
    pairs = [measured["pairs"][u, v] for u, v in combinations(range(n), 2) if measured["pairs"][u, v]]
    node_spectrum = eigvalsh(measured["laplacian"])
    degrees, sizes = np.array(measured["degrees"]), np.array(measured["sizes"])
    shares = [np.mean(np.array(shared) >= t) for t in (1, 2)]
    features = [
        *(np.log1p(n), np.log1p(m), degrees.sum() / (n * m), degrees.std(), degrees.max(), measured["isolated"] / n),
        *(sizes.std(), sizes.max(), np.mean(sizes == 1), measured["repeated"] / m),
        *(np.mean(shared), np.std(shared), max(shared), *shares, np.mean(pairs) if pairs else 0.0),
        *(len(measured["components"]) / n, max(measured["components"]) / n),
    ]
    return {
        "n": [n],
        "degrees": degrees,
        "sizes": sizes,
        "shared": shared,
        "pairs": pairs,
        "tail": shares[1],
        "node": node_spectrum[:16],
        "edge": eigvalsh(np.eye(m) - root[:, None] * weights * root[None, :])[:16],
        "histogram": np.histogram(node_spectrum, bins=200, range=(-1e-5, 2))[0] / n,
        "singular": np.linalg.svd(incidence, compute_uv=False)[:16],
        "features": features,
    }


def mmd_squared(x: Array, y: Array, kernel: Callable[[Array, Array], Array]) -> float:
    """Return the biased squared MMD."""
    return float(kernel(x, x).mean() + kernel(y, y).mean() - 2 * kernel(x, y).mean())


def theirs(real: list[Any], generated: list[Any], library: Callable[[Any], dict[str, Any]]) -> dict[str, float]:
    """Compute the default metrics from a peer's hypergraphs."""
    collections = [[completed(library(H)) for H in graphs] for graphs in (real, generated)]

    def pooled(key: str) -> tuple[Array, Array]:
        first, second = (
            np.concatenate([np.asarray(entry[key], dtype=float) for entry in entries]) for entries in collections
        )
        return first, second

    def stacked(key: str) -> tuple[Array, Array]:
        first, second = (np.array([entry[key] for entry in entries], dtype=float) for entries in collections)
        return first, second

    def total_variation(a: Array, b: Array) -> Array:
        return np.asarray(np.exp(-0.5 * (0.5 * cdist(a, b, "cityblock")) ** 2))

    x, y = stacked("features")
    centre, scale = x.mean(axis=0), np.where(x.std(axis=0) > 1e-12, x.std(axis=0), 1.0)
    x, y = (x - centre) / scale, (y - centre) / scale
    bandwidth = np.median(pdist(x))
    degree_gap = pooled("degrees")[1].mean() - pooled("degrees")[0].mean()
    singular = [np.log2(np.sqrt((values**2).mean(axis=0))) for values in stacked("singular")]
    tails = stacked("tail")
    return {
        "density_gap": degree_gap / HYPEREDGES,
        "degree_gap": degree_gap,
        "size_gap": pooled("sizes")[1].mean() - pooled("sizes")[0].mean(),
        "node_number": wasserstein_distance(*pooled("n")),
        "degree_wd": wasserstein_distance(*pooled("degrees")),
        "size_wd": wasserstein_distance(*pooled("sizes")),
        "overlap_tail_gap": abs(tails[1].mean() - tails[0].mean()),
        "intersection_wd": wasserstein_distance(*pooled("shared")),
        "pair_degree_ks": float(ks_2samp(*pooled("pairs"), method="asymp").statistic),
        "node_spectral_wd": wasserstein_distance(*pooled("node")),
        "edge_spectral_wd": wasserstein_distance(*pooled("edge")),
        "spectral_mmd": mmd_squared(*stacked("histogram"), total_variation),
        "singular_values": float(np.sqrt(((singular[1] - singular[0]) ** 2).mean())),
        "feature_mmd": mmd_squared(x, y, lambda a, b: np.exp(-0.5 * cdist(a, b, "sqeuclidean") / bandwidth**2)) ** 0.5,
    }


# -- measurements ------------------------------------------------------------------------------------


def side_by_side(count: int, rounds: int) -> dict[str, Any]:
    """Compare with both peers in turn, and check that all agree."""
    real, generated = sample(count, 1), sample(count, 2)
    calls: dict[str, Callable[[], dict[str, float]]] = {"hyperhedge": lambda: ours(real, generated)}
    for name, convert, library in (
        ("xgi", hh.convert.to_xgi, through_xgi),
        ("hypernetx", hh.convert.to_hypernetx, through_hypernetx),
    ):
        first, second = [convert(H) for H in real], [convert(H) for H in generated]
        calls[name] = lambda first=first, second=second, library=library: theirs(first, second, library)  # type: ignore[misc]
    values = {name: call() for name, call in calls.items()}
    for name in ("xgi", "hypernetx"):
        for key, value in values["hyperhedge"].items():
            np.testing.assert_allclose(values[name][key], value, rtol=1e-6, atol=1e-9, err_msg=f"{name}: {key}")
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            time.sleep(PAUSE)
            times[name].append(seconds(call))
    row: dict[str, Any] = {f"{name}_ms": 1e3 * statistics.median(values) for name, values in times.items()}
    for name in ("xgi", "hypernetx"):
        row[f"{name}_ratio"] = statistics.median(t / o for t, o in zip(times[name], times["hyperhedge"], strict=True))
    return row


def report_row(count: int, rounds: int) -> dict[str, Any]:
    """Time a whole report with nothing cached."""
    real, generated, train = sample(count, 1), sample(count, 2), sample(2 * count, 3)
    evaluate(real[:20], generated[:20], train=train[:20])  # imports
    times = []
    for _ in range(rounds):
        kept._kept.cache_clear()
        times.append(seconds(lambda: evaluate(real, generated, train=train, seed=SEED)))
    return {"count": count, "evaluate_s": statistics.median(times)}


def large_row() -> dict[str, Any]:
    """Time all metrics between two large hypergraphs."""
    n, m, incidences = LARGE
    first, second = (sparse_hypergraph(n, m, incidences / n, seed) for seed in (1, 2))
    start = time.perf_counter()
    report = evaluate([first], [second], ceiling=False, seed=SEED)
    return {
        "nodes": n,
        "hyperedges": m,
        "evaluate_s": time.perf_counter() - start,
        "metrics": sum(row.value is not None for row in report.details),
    }


def main() -> None:
    """Measure and record."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module="hypernetx|xgi")
        peers = side_by_side(COUNT, ROUNDS)
    print(peers)
    reports = [report_row(count, 3) for count in REPORTS]
    print(reports)
    large = large_row()
    print(large)
    config = {
        "seed": SEED,
        "nodes": NODES,
        "hyperedges": HYPEREDGES,
        "degree": DEGREE,
        "count": COUNT,
        "rounds": ROUNDS,
        "metrics": [metric.key for metric in DEFAULT],
        "hypernetx": hnx.__version__,
    }
    measured = {"peers": peers, "reports": reports, "large": large}
    print(save("metrics", config, measured, ("scipy", "torch", "xgi", "hypernetx", "scikit-learn")))


if __name__ == "__main__":
    main()
