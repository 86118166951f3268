"""Statistics of collections against plain loops, networkx, XGI and HyperNetX; their cache; large hypergraphs."""

import tracemalloc
from collections import Counter
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
import xgi
from hypothesis import given, settings
from hypothesis import strategies as st

import hyperhedge as hh
from hyperhedge.errors import UndefinedError
from hyperhedge.metrics import disjoint_union, statistics_of
from hyperhedge.metrics.features import FEATURES, features
from laws import teams
from strategies import hypergraphs

collections = st.lists(hypergraphs(), min_size=1, max_size=4)


def pooled(pool):
    """Count the numbers of each hypergraph."""
    counts = [Counter() for _ in range(pool.num_hypergraphs)]
    for owner, value, count in zip(pool.owner, pool.value, pool.count, strict=True):
        if count:
            counts[owner][int(value)] += int(count)
    return counts


def by_loops(H):
    edges = [set(H.indices[a:b].tolist()) for a, b in zip(H.indptr[:-1], H.indptr[1:], strict=True)]
    pairs = [sum({u, v} <= e for e in edges) for u, v in combinations(range(H.n), 2)]
    graph = nx.Graph()
    graph.add_nodes_from(("v", i) for i in range(H.n))
    graph.add_nodes_from(("e", j) for j in range(H.m))
    graph.add_edges_from((("v", i), ("e", j)) for j, e in enumerate(edges) for i in e)
    components = [sum(kind == "v" for kind, _ in members) for members in nx.connected_components(graph)]
    return {
        "degrees": Counter(sum(i in e for e in edges) for i in range(H.n)),
        "edge_sizes": Counter(map(len, edges)),
        "intersections": Counter(len(e & f) for e, f in combinations(edges, 2)),
        "pair_degrees": Counter(p for p in pairs if p),
        "empty": sum(not e for e in edges),
        "singleton": sum(len(e) == 1 for e in edges),
        "repeated": sum(e in edges[:j] for j, e in enumerate(edges)),
        "isolated": sum(all(i not in e for e in edges) for i in range(H.n)),
        "components": len(components),
        "largest_component": max(components, default=0) / H.n if H.n else 0.0,
        "incidences": sum(map(len, edges)),
    }


@given(collections)
def test_statistics_are_those_of_plain_loops(collection):
    statistics = statistics_of(collection)
    expected = [by_loops(H) for H in collection]
    for name in expected[0]:
        values = getattr(statistics, name)
        values = pooled(values) if isinstance(expected[0][name], Counter) else values.tolist()
        assert values == [each[name] for each in expected], name
    for i, H in enumerate(collection):
        counts = expected[i]["intersections"]
        share = statistics.tail(2)[i]
        assert np.isnan(share) if H.m < 2 else share == sum(c for v, c in counts.items() if v >= 2) / counts.total()


@given(collections)
def test_small_blocks_of_pairs_change_nothing(collection):
    whole = statistics_of(collection)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(disjoint_union, "_BLOCK", 2)
        in_blocks = hh.metrics.Statistics(tuple(collection))
        for name in ("intersections", "pair_degrees"):
            assert pooled(getattr(in_blocks, name)) == pooled(getattr(whole, name))
        assert in_blocks.repeated.tolist() == whole.repeated.tolist()


def test_degrees_and_sizes_are_those_of_xgi():
    collection = teams(10, seed=3)
    statistics = statistics_of(collection)
    theirs = [hh.convert.to_xgi(H) for H in collection]
    assert pooled(statistics.degrees) == [Counter(X.nodes.degree.aslist()) for X in theirs]
    assert pooled(statistics.edge_sizes) == [Counter(X.edges.size.aslist()) for X in theirs]
    assert statistics.components.tolist() == [xgi.number_connected_components(X) for X in theirs]


@settings(max_examples=30)
@given(collections)
def test_features_are_finite_and_do_not_depend_on_the_batch(collection):
    together = features(statistics_of(collection))
    assert together.shape == (len(collection), len(FEATURES))
    assert np.isfinite(together).all()
    for i, H in enumerate(collection):
        np.testing.assert_allclose(features(statistics_of([H]))[0], together[i], atol=1e-12)


def test_the_features_of_a_hypergraph_by_hand():
    H = hh.Hypergraph([[0, 1, 2], [1, 2], [1, 2], [3]], nodes=6)
    assert dict(zip(FEATURES, features(statistics_of([H]))[0].round(6), strict=True)) == {
        "nodes (log)": round(np.log(7), 6),
        "hyperedges (log)": round(np.log(5), 6),
        "density": round(8 / 24, 6),
        "degree, standard deviation": round(np.std([1, 3, 3, 1, 0, 0]), 6),
        "degree, maximum": 3,
        "isolated nodes, share": round(2 / 6, 6),
        "edge size, standard deviation": round(np.std([3, 2, 2, 1]), 6),
        "edge size, maximum": 3,
        "singleton hyperedges, share": 0.25,
        "repeated hyperedges, share": 0.25,
        "intersection, mean": 1.0,
        "intersection, standard deviation": 1.0,
        "intersection, maximum": 2,
        "pairs of hyperedges that share a node, share": 0.5,
        "pairs of hyperedges that share two nodes, share": 0.5,
        "pair degree, mean": round((1 + 1 + 3) / 3, 6),
        "components per node": round(4 / 6, 6),
        "largest component, share": 0.5,
    }


def test_the_mean_intersection_is_a_matter_of_degrees():
    collection = teams(20)
    sums = statistics_of(collection).intersections.sums(1)
    assert sums.tolist() == [sum(d * (d - 1) / 2 for d in H.degrees) for H in collection]


def test_statistics_are_kept_for_the_last_batches():
    collection = teams(3)
    first = statistics_of(collection)
    assert statistics_of(list(collection)) is first
    assert statistics_of(teams(3)) is first  # equal hypergraphs
    assert statistics_of(collection[:2]) is not first
    for seed in range(20):
        statistics_of(teams(1, seed=seed + 1))
    assert statistics_of(collection) is not first


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([], "real is empty; give at least one hypergraph"),
        (hh.Hypergraph([[0]]), "real is a single hypergraph"),
        (3, "real is an int; give a list"),
        ([hh.Hypergraph([[0]]), "ab"], r"real\[1\] is a str; give a Hypergraph"),
    ],
)
def test_what_is_no_collection_is_refused(value, message):
    with pytest.raises(hh.errors.HypergraphError, match=message):
        statistics_of(value, "real")


def test_hypergraphs_of_other_libraries_are_accepted():
    collection = teams(3, seed=3)
    foreign = [hh.convert.to_xgi(collection[0]), hh.convert.to_hypernetx(collection[1]), collection[2].incidence]
    assert pooled(statistics_of(foreign).degrees) == pooled(statistics_of(collection).degrees)
    assert pooled(statistics_of(foreign).intersections) == pooled(statistics_of(collection).intersections)


def large(n, m, incidences, seed=0):
    rng = np.random.default_rng(seed)
    return hh.Hypergraph.from_indices(rng.integers(0, n, incidences), rng.integers(0, m, incidences), nodes=n, edges=m)


def test_a_large_hypergraph_is_never_a_dense_matrix():
    H = large(5000, 3000, 15_000)
    dense = H.n * H.m * 8
    statistics_of([large(50, 30, 100)]).spectra.node_eigenvalues(4)  # imports are not what is measured
    tracemalloc.start()
    statistics = hh.metrics.Statistics((H,))
    assert statistics.intersections.totals[0] == H.m * (H.m - 1) / 2
    assert statistics.intersections.sums(1)[0] == (H.degrees * (H.degrees - 1) / 2).sum()
    assert statistics.pair_degrees.sums(1)[0] == (H.edge_sizes * (H.edge_sizes - 1) / 2).sum()
    features(statistics)
    spectra = statistics.spectra
    for spectrum in (spectra.node_eigenvalues, spectra.edge_eigenvalues, spectra.singular_squares):
        assert len(spectrum(16)[0]) == 16
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < dense / 4
    with pytest.raises(UndefinedError, match="needs the whole spectrum, which is computed up to 2,048"):
        spectra.node_eigenvalues(None)


def test_a_node_in_every_hyperedge_makes_blocks_not_memory():
    m = 4000
    nodes = np.concatenate((np.zeros(m, dtype=int), 1 + np.arange(m)))
    H = hh.Hypergraph.from_indices(nodes, np.tile(np.arange(m), 2), nodes=m + 1, edges=m)
    tracemalloc.start()
    statistics = hh.metrics.Statistics((H,))
    assert pooled(statistics.intersections) == [Counter({1: m * (m - 1) // 2})]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 0.75 * (8 * m * m)  # 16 million pairs, two million at a time
