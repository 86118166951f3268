"""The statistics of one hypergraph: against definitions, networkx and numpy."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given

import hyperhedge as hh
from hyperhedge.metrics.whole import statistics as module
from hyperhedge.metrics.whole.statistics import WholeStatistics, singular_values
from strategies import hypergraphs, random_hypergraphs


def listed(pool):
    return sorted(np.repeat(pool.value, pool.count.astype(int)).tolist())


@pytest.mark.parametrize("H", random_hypergraphs(6, 16, 14, density=0.15, seed=3))
def test_distributions_are_those_of_the_definitions(H):
    statistics = WholeStatistics.of(H)
    edges, nodes = [frozenset(edge) for edge in H.hyperedges], H.nodes
    degree = {u: sum(u in e for e in edges) for u in nodes}
    pair = {p: sum(set(p) <= e for e in edges) for p in combinations(nodes, 2)}
    triple = {t: sum(set(t) <= e for e in edges) for t in combinations(nodes, 3)}
    own = {u: [e for e in edges if u in e] for u in nodes}
    union = {u: frozenset().union(*own[u]) for u in nodes}
    expected = {
        "degrees": degree.values(),
        "edge sizes": map(len, edges),
        "pair degrees": [count for count in pair.values() if count],
        "triple degrees": [count for count in triple.values() if count],
        "intersections": [len(e & f) for e, f in combinations(edges, 2) if e & f],
        "homogeneity": [
            np.mean([pair[p] for p in combinations(sorted(e, key=nodes.index), 2)]) for e in edges if len(e) > 1
        ],
        "egonet density": [len(own[u]) / len(union[u]) for u in nodes if own[u]],
        "egonet overlapness": [sum(map(len, own[u])) / len(union[u]) for u in nodes if own[u]],
    }
    for name, values in expected.items():
        assert listed(statistics.distributions[name]) == pytest.approx(sorted(values)), name


@pytest.mark.parametrize("H", random_hypergraphs(4, 25, 14, density=0.06, seed=5))
def test_graph_statistics_are_those_of_networkx(H):
    statistics = WholeStatistics.of(H)
    graph = nx.Graph()
    graph.add_nodes_from(H.nodes)
    for edge in H.hyperedges:
        graph.add_edges_from(combinations(edge, 2))
    clustering = nx.clustering(graph)
    assert listed(statistics.distributions["clustering"]) == pytest.approx(
        sorted(value for u, value in clustering.items() if graph.degree(u) > 1)
    )
    lengths = [d for _, row in nx.shortest_path_length(graph) for d in row.values() if d]
    assert listed(statistics.distributions["path lengths"]) == sorted(lengths)
    linked = {u for edge in H.hyperedges for u in edge}
    sizes = sorted(len(c) for c in nx.connected_components(graph) if c & linked)
    assert listed(statistics.distributions["component sizes"]) == sizes
    assert statistics.numbers["components"] == len(sizes)
    assert statistics.numbers["largest component"] == pytest.approx(max(sizes) / H.n)
    assert statistics.component_shares == pytest.approx(np.array(sizes[::-1]) / H.n)
    assert statistics.numbers["isolated"] == pytest.approx(1 - len(linked) / H.n)
    edges = [frozenset(edge) for edge in H.hyperedges if edge]
    lines = nx.Graph((e, f) for e, f in combinations(set(edges), 2) if e & f)
    assert statistics.numbers["transitivity"] == pytest.approx(nx.transitivity(lines))
    pairs = [len(set(e) & set(f)) for e, f in combinations(H.hyperedges, 2) if set(e) & set(f)]
    assert statistics.numbers["overlap tail"] == pytest.approx(np.mean([k > 1 for k in pairs]))
    nested = sum(any(e < f for f in edges) for e in edges)  # an empty hyperedge is in no other
    assert statistics.numbers["nested"] == pytest.approx(nested / H.m)


def test_repeated_and_nested_hyperedges_and_the_mean_clustering_are_those_of_their_definitions():
    H = hh.Hypergraph([[0, 1, 2], [2, 0, 1], [1, 2], [3, 4], [4, 3], [3, 4], [5], [], [], [0, 5], [0, 6]], nodes=8)
    numbers, edges = WholeStatistics.of(H).numbers, [frozenset(edge) for edge in H.hyperedges]
    assert numbers["repeated"] == pytest.approx(np.mean([bool(e) and e in edges[:k] for k, e in enumerate(edges)]))
    assert numbers["nested"] == pytest.approx(np.mean([bool(e) and any(e < f for f in edges) for e in edges]))
    assert numbers["repeated"] != numbers["nested"]
    graph = nx.Graph(pair for edge in edges for pair in combinations(edge, 2))
    some = [v for v, degree in graph.degree if degree > 1]
    assert len(some) == 3
    assert numbers["mean clustering"] == pytest.approx(nx.average_clustering(graph, some))


def chain(length):
    """Return a path of nodes joined by pairs."""
    return hh.Hypergraph([[k, k + 1] for k in range(length - 1)])


def test_paths_are_measured_from_at_most_so_many_nodes_that_have_a_hyperedge():
    every = WholeStatistics.of(hh.Hypergraph(chain(400).hyperedges, nodes=900))
    assert every.sampled == {}
    assert every.distributions["path lengths"].count.tolist() == [2.0 * (400 - k) for k in range(1, 400)]
    one, other = (WholeStatistics.of(chain(403), seed=seed) for seed in (0, 1))
    assert one.sampled == {"path lengths": "from 400 nodes at most"}
    # Three of 403 different nodes are left out, each of which has at most two others at any distance.
    left = 2.0 * np.arange(402, 0, -1) - one.distributions["path lengths"].count
    assert (left >= 0).all()
    assert (left <= 6).all()
    assert left.sum() == 3 * 402
    assert listed(one.distributions["path lengths"]) != listed(other.distributions["path lengths"])


def test_paths_are_measured_from_as_many_nodes_as_steps_allow():
    # A search goes through 198 incidences from both sides.
    found = WholeStatistics.of(chain(100), most_steps=2 * 198 * 20)
    assert found.distributions["path lengths"].count.sum() == 20 * 99
    least = WholeStatistics.of(chain(100), most_steps=1)
    assert least.distributions["path lengths"].count.sum() == 8 * 99


def test_clustering_of_sampled_nodes_is_that_of_nodes_with_two_neighbours():
    cliques = [[6 * g + j for j in range(6)] for g in range(20)]
    H = hh.Hypergraph([*cliques, *([200 + 2 * k, 201 + 2 * k] for k in range(100))])
    for seed in range(5):  # a walk costs at most 36 steps for a pair of nodes, and 25 for the links of one
        found = WholeStatistics.of(H, seed=seed, most_steps=1500)
        assert set(found.sampled) == {"clustering", "path lengths"}
        assert found.distributions["clustering"].value.tolist() == [1.0]


@given(hypergraphs(max_nodes=8, max_edges=8))
def test_singular_values_are_those_of_numpy(H):
    expected = np.linalg.svd(H.incidence.toarray().astype(float), compute_uv=False) if H.n and H.m else np.zeros(0)
    assert singular_values(H) == pytest.approx(expected[expected > 1e-6], abs=1e-6)


def test_small_singular_values_beside_large_ones_are_kept():
    assert singular_values(hh.Hypergraph([[0], range(1, 40_001)])) == pytest.approx([200, 1])


def test_as_many_singular_values_as_a_small_matrix_has(monkeypatch):
    monkeypatch.setattr(module, "_DENSE", 0)  # iterations would need more rows than values
    H = random_hypergraphs(1, 30, 40, density=0.1, seed=1)[0]
    expected = np.linalg.svd(H.incidence.toarray().astype(float), compute_uv=False)
    assert singular_values(H) == pytest.approx(expected[expected > 1e-6])


@pytest.mark.parametrize("turned", [False, True])
def test_singular_values_of_a_large_matrix(monkeypatch, turned):
    monkeypatch.setattr(module, "_DENSE", 60)
    H = random_hypergraphs(1, 260, 240, density=0.03, seed=1)[0]
    H = H.dual() if turned else H
    expected = np.linalg.svd(H.incidence.toarray().astype(float), compute_uv=False)
    assert singular_values(H) == pytest.approx(expected[:50], rel=1e-4)


def union_of(*parts):
    """Return the disjoint union of hypergraphs."""
    starts = np.cumsum([0, *(H.n for H in parts)]).tolist()
    edges = [[start + v for v in edge] for start, H in zip(starts, parts, strict=False) for edge in H.hyperedges]
    return hh.Hypergraph(edges, nodes=starts[-1])


@pytest.mark.parametrize("copies", [10, 60, 300])
@pytest.mark.parametrize("turned", [False, True])
def test_singular_values_of_many_equal_components_and_a_large_one(monkeypatch, copies, turned):
    # The largest ones come from all parts: some from the large one, and as many of each other value as there are copies.
    monkeypatch.setattr(module, "_DENSE", 60)
    small = hh.Hypergraph([[0, 1, 2, 3], [1, 2, 3], [0, 3, 4, 5], [4, 5, 6], [0, 6]])
    others = [hh.Hypergraph([[0, 1]])] * 300 + [small] * copies + [hh.Hypergraph([range(6)])] * 30
    large = random_hypergraphs(1, 240, 260, density=0.015, seed=1)[0]
    for parts in (others, [large, *others]):
        H = union_of(*parts)
        expected = np.concatenate([np.linalg.svd(part.incidence.toarray().astype(float))[1] for part in parts])
        found = singular_values(H.dual() if turned else H)
        assert found == pytest.approx(np.sort(expected)[::-1][:50], rel=1e-4)


def test_singular_values_of_many_equal_components_as_a_whole():
    small = hh.Hypergraph([[0, 1, 2, 3], [1, 2, 3], [0, 3, 4, 5], [4, 5, 6], [0, 6]])
    largest = np.linalg.norm(small.incidence.toarray().astype(float), 2)
    assert singular_values(union_of(*[small] * 400)) == pytest.approx(largest * np.ones(50))


def test_singular_values_of_two_large_components_that_are_alike(monkeypatch):
    # What is odd under their exchange is half of all, and as large.
    monkeypatch.setattr(module, "_DENSE", 60)
    large = random_hypergraphs(1, 260, 240, density=0.03, seed=1)[0]
    expected = np.linalg.svd(large.incidence.toarray().astype(float), compute_uv=False)
    assert singular_values(union_of(large, large)) == pytest.approx(np.repeat(expected[:25], 2), rel=1e-4)


def test_singular_values_of_components_that_are_alike(monkeypatch):
    # The start of the Lanczos steps must not be orthogonal to any of them.
    monkeypatch.setattr(module, "_DENSE", 60)
    H = hh.Hypergraph([[3 * k, 3 * k + 1, 3 * k + 2] for k in range(300)])
    assert singular_values(H) == pytest.approx(np.sqrt(3) * np.ones(50))


def test_what_is_sampled_is_named_and_near():
    H = random_hypergraphs(1, 400, 600, density=0.01, seed=2)[0]
    every, some = WholeStatistics.of(H), WholeStatistics.of(H, seed=1, most_steps=4000)
    assert every.sampled == {}
    assert set(some.sampled) == {"overlaps", "pairs of nodes", "clustering", "path lengths", "h-motifs"}
    for name in ("intersections", "homogeneity", "pair degrees"):
        values, mean = every.distributions[name], (lambda pool: pool.count @ pool.value / pool.count.sum())
        assert mean(some.distributions[name]) == pytest.approx(mean(values), rel=0.1)
    assert some.numbers["diameter"] == pytest.approx(every.numbers["diameter"], rel=0.15)
    assert some.numbers["transitivity"] == pytest.approx(every.numbers["transitivity"], abs=0.05)


def test_the_same_seed_gives_the_same_sample():
    H = random_hypergraphs(1, 200, 300, density=0.02, seed=2)[0]
    one, same, other = (WholeStatistics.of(H, seed=seed, most_steps=3000) for seed in (1, 1, 2))
    assert one.motifs.counts.tolist() == same.motifs.counts.tolist() != other.motifs.counts.tolist()
    assert listed(one.distributions["path lengths"]) == listed(same.distributions["path lengths"])


@pytest.mark.parametrize("H", [hh.Hypergraph([]), hh.Hypergraph([], nodes=4), hh.Hypergraph([[], []])])
def test_hypergraphs_with_nothing_in_them(H):
    statistics = WholeStatistics.of(H)
    assert statistics.numbers["components"] == 0
    assert len(statistics.singular_values) == 0
    assert np.isnan(statistics.numbers["diameter"])
    assert np.isnan(statistics.numbers["overlap tail"])
    assert statistics.numbers["isolated"] == 1.0 if H.n else np.isnan(statistics.numbers["isolated"])


def test_too_many_links_of_the_projection_are_not_listed(monkeypatch):
    monkeypatch.setattr(module, "_MOST_LINKS", 10)
    statistics = WholeStatistics.of(hh.Hypergraph([list(range(6))]))
    assert "too many links" in statistics.sampled["clustering"]
    assert not statistics.distributions["clustering"].count.any()
