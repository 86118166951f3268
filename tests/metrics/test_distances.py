"""Every metric against an independent computation, its axioms, and the registry."""

import warnings
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import wasserstein_distance

import hyperhedge as hh
from hyperhedge.diffusion.laplacians import sparse_laplacians
from hyperhedge.errors import UndefinedError
from hyperhedge.metrics import DEFAULT, GROUPS, METRICS, Settings, Statistics
from hyperhedge.metrics.features import FeatureScale, features
from hyperhedge.metrics.registry import select_metrics
from laws import rewired, shuffled, teams
from strategies import hypergraphs

REAL, OTHER = teams(15, seed=1), rewired(teams(12, seed=2), 0.4)
MIXED = teams(4, n=9, m=7, seed=3) + teams(5, n=14, m=6, seed=4) + [hh.Hypergraph([[0, 1], [2], []], nodes=5)]

collections = st.lists(hypergraphs(), min_size=1, max_size=4)


# -- each metric by another way ----------------------------------------------------------------------


def matrix(H):
    return H.incidence.toarray().astype(float)


def pooled(collection, numbers):
    return [float(x) for H in collection for x in numbers(H)]


def intersections(H):
    O = matrix(H).T @ matrix(H)  # noqa: E741  # the paper's symbol
    return [O[j, k] for j, k in combinations(range(H.m), 2)]


def pair_degrees(H):
    P = matrix(H) @ matrix(H).T
    return [P[u, v] for u, v in combinations(range(H.n), 2) if P[u, v]]


def tail(H):
    numbers = intersections(H)
    return sum(x >= 2 for x in numbers) / len(numbers)


def least(H, side, K=16):
    return np.sort(np.linalg.eigvalsh(sparse_laplacians(H)[side].toarray()))[:K]


def line_graph(H):
    graph = nx.Graph()
    graph.add_nodes_from(range(H.m))
    edges = [set(edge) for edge in H.hyperedges]
    graph.add_edges_from((j, k) for j, k in combinations(range(H.m), 2) if edges[j] & edges[k])
    return graph


def w1(numbers):
    return lambda real, other: wasserstein_distance(pooled(real, numbers), pooled(other, numbers))


def mean_gap(numbers):
    return lambda real, other: np.mean(pooled(other, numbers)) - np.mean(pooled(real, numbers))


def tail_gap(real, other):
    means = [np.mean([tail(H) for H in collection if H.m > 1]) for collection in (real, other)]
    return abs(means[0] - means[1])


def ks(numbers):
    def distance(real, other):
        x, y = (np.array(pooled(collection, numbers)) for collection in (real, other))
        return max(abs((x <= t).mean() - (y <= t).mean()) for t in np.concatenate((x, y)))

    return distance


def squared_mmd(x, y, kernel):
    def mean(a, b):
        return np.mean([[kernel(p, q) for q in b] for p in a])

    return mean(x, x) + mean(y, y) - 2 * mean(x, y)


def feature_mmd(real, other):
    x, y = (features(Statistics(tuple(collection))) for collection in (real, other))
    centre, scale = x.mean(axis=0), x.std(axis=0)
    scale[scale < 1e-12] = 1.0
    x, y = (x - centre) / scale, (y - centre) / scale
    bandwidth = np.median([np.linalg.norm(p - q) for p, q in combinations(x, 2)])
    return np.sqrt(squared_mmd(x, y, lambda p, q: np.exp(-((p - q) @ (p - q)) / (2 * bandwidth**2))))


def spectral_mmd(real, other):
    def histogram(H):
        counts, _ = np.histogram(least(H, 0, None), bins=200, range=(-1e-5, 2))
        return counts / counts.sum()

    x, y = ([histogram(H) for H in collection] for collection in (real, other))
    return squared_mmd(x, y, lambda p, q: np.exp(-((0.5 * np.abs(p - q).sum()) ** 2) / 2))


def singular_values(real, other):
    ranks = max(min(H.n, H.m) for H in [*real, *other])

    def root_mean_square(collection):
        values = [np.linalg.svd(matrix(H), compute_uv=False) for H in collection]
        padded = np.array([np.pad(v, (0, ranks - len(v)))[:16] for v in values])
        return np.sqrt((padded**2).mean(axis=0))

    a, b = root_mean_square(real), root_mean_square(other)
    there = (a > 1e-6) & (b > 1e-6)
    return np.sqrt(np.mean((np.log2(a[there]) - np.log2(b[there])) ** 2))


INDEPENDENT = {
    "density_gap": lambda real, other: (
        np.mean(pooled(other, lambda H: matrix(H).ravel())) - np.mean(pooled(real, lambda H: matrix(H).ravel()))
    ),
    "degree_gap": mean_gap(lambda H: matrix(H).sum(axis=1)),
    "size_gap": mean_gap(lambda H: matrix(H).sum(axis=0)),
    "node_number": w1(lambda H: [H.n]),
    "degree_wd": w1(lambda H: matrix(H).sum(axis=1)),
    "size_wd": w1(lambda H: matrix(H).sum(axis=0)),
    "overlap_tail_gap": tail_gap,
    "intersection_wd": w1(intersections),
    "pair_degree_ks": ks(pair_degrees),
    "node_spectral_wd": w1(lambda H: least(H, 0)),
    "edge_spectral_wd": w1(lambda H: least(H, 1)),
    "spectral_mmd": spectral_mmd,
    "singular_values": singular_values,
    "feature_mmd": feature_mmd,
    "closeness_wd": w1(lambda H: nx.closeness_centrality(line_graph(H), wf_improved=False).values()),
    "betweenness_wd": w1(lambda H: nx.betweenness_centrality(line_graph(H)).values()),
}


@pytest.mark.parametrize("other", [OTHER, MIXED], ids=["one shape", "mixed shapes"])
@pytest.mark.parametrize("key", METRICS)
def test_each_metric_is_what_its_definition_says(key, other):
    assert METRICS[key](REAL, other) == pytest.approx(INDEPENDENT[key](REAL, other), rel=1e-7, abs=1e-10)


def test_at_one_shape_gaps_are_those_of_the_paper():
    """At n × m each gap is a mean over the collection of per-hypergraph means, and they are proportional."""
    n, m = REAL[0].n, REAL[0].m
    rho = np.mean([H.density for H in OTHER]) - np.mean([H.density for H in REAL])
    assert METRICS["density_gap"](REAL, OTHER) == pytest.approx(rho)
    assert METRICS["degree_gap"](REAL, OTHER) == pytest.approx(m * rho)
    assert METRICS["size_gap"](REAL, OTHER) == pytest.approx(n * rho)


def test_node_number_is_the_least_of_all_pairings():
    """HYGENE pairs hypergraphs as they come; the order of a collection means nothing here, so the best pairing counts."""
    real, other = [hh.Hypergraph([], nodes=n) for n in (3, 9, 5)], [hh.Hypergraph([], nodes=n) for n in (6, 4, 4)]
    assert METRICS["node_number"](real, other) == pytest.approx((1 + 1 + 3) / 3)


@pytest.mark.parametrize(
    ("key", "theirs"), [("closeness_wd", "s_closeness_centrality"), ("betweenness_wd", "s_betweenness_centrality")]
)
def test_centralities_are_those_of_hypernetx(key, theirs):
    import hypernetx as hnx

    real, other = REAL[:3], OTHER[:3]

    def numbers(H):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return getattr(hnx.algorithms, theirs)(hh.convert.to_hypernetx(H), s=1).values()

    filled = [H for H in [*real, *other] if (H.edge_sizes > 0).all()]
    assert len(filled) == 6
    assert METRICS[key](real, other) == pytest.approx(w1(numbers)(real, other), abs=1e-12)


# -- axioms ------------------------------------------------------------------------------------------


@settings(max_examples=25)
@given(collections, collections, st.integers(0, 1000))
def test_axioms(real, other, seed):
    for metric in METRICS.values():
        try:
            value = metric(real, other)
        except UndefinedError:
            assert metric.key == "feature_mmd"
            assert len(real) == 1
            continue
        back = metric(real, real)
        assert np.isnan(back) or abs(back) < 1e-7, metric.key
        assert np.isnan(value) or metric.signed or value >= 0, metric.key
        again = metric(shuffled(real, seed), shuffled(other, seed + 1))
        assert again == pytest.approx(value, abs=1e-7, nan_ok=True), metric.key
        if metric.key != "feature_mmd":  # its scale is the real collection's
            sign = -1 if metric.signed else 1
            assert metric(other, real) == pytest.approx(sign * value, abs=1e-9, nan_ok=True), metric.key
    for gap, distance in (("degree_gap", "degree_wd"), ("size_gap", "size_wd")):
        gap, distance = METRICS[gap](real, other), METRICS[distance](real, other)
        assert np.isnan(gap) == np.isnan(distance)
        assert np.isnan(gap) or abs(gap) <= distance + 1e-9


@pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)
def test_rows_of_weights_are_resampled_batches(metric):
    rng = np.random.default_rng(0)
    W, V = rng.integers(0, 3, (4, len(REAL))).astype(float), rng.integers(0, 3, (4, len(OTHER))).astype(float)
    values = metric.compare(Statistics(tuple(REAL)), Statistics(tuple(OTHER)), W, V, Settings())
    for row in range(4):
        real = [H for H, times in zip(REAL, W[row], strict=True) for _ in range(int(times))]
        other = [H for H, times in zip(OTHER, V[row], strict=True) for _ in range(int(times))]
        if metric.key == "feature_mmd":
            scale = FeatureScale.of(features(Statistics(tuple(REAL))))
            x, y = (scale(features(Statistics(tuple(collection)))) for collection in (real, other))
            expected = np.sqrt(squared_mmd(x, y, lambda p, q: np.exp(-((p - q) @ (p - q)) / 2)))
        else:
            expected = metric(real, other)
        assert values[row] == pytest.approx(expected, rel=1e-7, abs=1e-10)


@pytest.fixture(scope="module")
def corrupted():
    """Return a real collection, and collections of the same law with growing shares of moved incidences, four of each."""
    shares = (0.0, 0.15, 0.4, 1.0)
    law = [teams(40, seed=200 + s) for s in range(4)]
    spoilt = [[Statistics(tuple(rewired(law[s], share, seed=s))) for s in range(4)] for share in shares]
    return Statistics(tuple(teams(40, seed=100))), spoilt


@pytest.mark.parametrize("key", [key for key in METRICS if METRICS[key].group != "calibration"])
def test_the_more_is_rewired_the_farther(key, corrupted):
    real, spoilt = corrupted
    equal = np.ones((1, 40))

    def mean(collections):
        return np.mean([METRICS[key].compare(real, collection, equal, equal, Settings()) for collection in collections])

    means = [mean(collections) for collections in spoilt]
    assert means == sorted(means)
    assert means[-1] > 2 * means[0]


@pytest.mark.parametrize("key", ["density_gap", "degree_gap", "size_gap"])
def test_gaps_count_what_is_too_much(key):
    real = teams(40, seed=0)

    def thinned(share):
        rng = np.random.default_rng(1)
        kept = [rng.random(H.num_incidences) > share for H in real]
        return [
            hh.Hypergraph.from_indices(H.indices[k], H.edge_indices[k], nodes=H.n, edges=H.m)
            for H, k in zip(real, kept, strict=True)
        ]

    gaps = [METRICS[key](real, thinned(share)) for share in (0.0, 0.1, 0.3, 0.6)]
    assert gaps[0] == 0
    assert gaps == sorted(gaps, reverse=True)
    assert METRICS[key](thinned(0.3), real) == pytest.approx(-gaps[2])


def test_the_first_eigenvalues_are_asked_for():
    for key, side in (("node_spectral_wd", 0), ("edge_spectral_wd", 1)):
        for K in (1, 3, None):
            expected = w1(lambda H, side=side, K=K: least(H, side, K))(REAL, OTHER)
            assert METRICS[key](REAL, OTHER, Settings(eigenvalues=K)) == pytest.approx(expected, abs=1e-10)


def test_the_threshold_of_the_tail_is_asked_for():
    def share(collection, t):
        return np.mean([np.mean([x >= t for x in intersections(H)]) for H in collection])

    for t in (1, 2, 3):
        value = METRICS["overlap_tail_gap"](REAL, OTHER, Settings(threshold=t))
        assert value == pytest.approx(abs(share(REAL, t) - share(OTHER, t)))


# -- the registry ------------------------------------------------------------------------------------


def test_the_registry_is_in_order():
    assert all(key == metric.key for key, metric in METRICS.items())
    assert {metric.group for metric in METRICS.values()} == set(GROUPS)
    order = list(GROUPS)
    positions = [order.index(metric.group) for metric in METRICS.values()]
    assert positions == sorted(positions)
    names = [name for metric in METRICS.values() for name in (metric.key, *metric.aliases)]
    assert len(names) == len(set(names))
    assert all(metric.definition.endswith(".") and metric.title and metric.symbol for metric in METRICS.values())
    assert {metric.key for metric in METRICS.values() if metric.signed} == {"density_gap", "degree_gap", "size_gap"}
    assert {metric.key for metric in METRICS.values()} - {metric.key for metric in DEFAULT} == {
        "closeness_wd",
        "betweenness_wd",
    }


def test_metrics_are_found_by_name_alias_and_group():
    assert select_metrics(None) == DEFAULT
    assert [m.key for m in select_metrics(["centrality"])] == ["closeness_wd", "betweenness_wd"]
    assert [m.key for m in select_metrics(["EdgeSizeDistrWasserstein", "Spectral"])] == ["size_wd", "spectral_mmd"]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["degree"], "names 'degree', which is not a metric; choose from density_gap"),
        ("degree_wd", r"is the string 'degree_wd'; give a list of names, such as \['degree_wd'\]"),
        ([], "metrics= is empty"),
    ],
)
def test_names_of_no_metric_are_refused(names, message):
    with pytest.raises(hh.errors.HyperhedgeError, match=message):
        select_metrics(names)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"eigenvalues": 0}, "eigenvalues= must be a whole number from 1 to 1024, not 0"),
        ({"eigenvalues": 2.5}, "eigenvalues= must be a whole number"),
        ({"threshold": True}, "threshold= must be a whole number of at least 1, not True"),
    ],
)
def test_bad_settings_are_refused(arguments, message):
    with pytest.raises(hh.errors.HyperhedgeError, match=message):
        Settings(**arguments)


def test_hypergraphs_with_nothing_in_them():
    nothing, some = [hh.Hypergraph([])], [hh.Hypergraph([[0, 1], [1, 2]]), hh.Hypergraph([[0, 1], [0, 1]])]
    values = {key: METRICS[key](some, nothing) for key in METRICS}
    undefined = {key for key, value in values.items() if np.isnan(value)}
    assert undefined == set(METRICS) - {"node_number", "feature_mmd", "spectral_mmd"}
    assert values["node_number"] == 2.5
