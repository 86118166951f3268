"""Walks through one hypergraph: against brute force over all pairs and triples, networkx, and exact counts for samples."""

from itertools import combinations
from math import comb

import networkx as nx
import numpy as np
import pytest
from hypothesis import given

import hyperhedge as hh
from hyperhedge._system import portions
from hyperhedge.metrics.whole import walks
from hyperhedge.metrics.whole.walks import (
    Projection,
    Sides,
    affordable,
    effective_diameter,
    egonets,
    overlaps,
    path_lengths,
    triple_degrees,
)
from strategies import hypergraphs, random_hypergraphs


def rng(seed=0):
    return np.random.default_rng(seed)


def sets_of(H):
    return [frozenset(edge) for edge in H.hyperedges]


def projected(H):
    """Join the nodes of every hyperedge, with networkx."""
    graph = nx.Graph()
    graph.add_nodes_from(H.nodes)
    for edge in H.hyperedges:
        graph.add_edges_from(combinations(edge, 2))
    return graph


def histogram(values, length):
    return np.bincount(np.array(values, dtype=int), minlength=length)


MANY = random_hypergraphs(12, 14, 20, density=0.2)


@pytest.mark.parametrize("H", MANY)
def test_a_walk_from_a_hyperedge_takes_as_many_steps_as_its_nodes_have_hyperedges(H):
    degrees = dict(zip(H.nodes, H.degrees.tolist(), strict=True))
    assert Sides.of(H).walk_lengths.tolist() == [sum(degrees[v] for v in edge) for edge in H.hyperedges]
    assert Sides.of(H).dual.walk_lengths.sum() == (H.edge_sizes**2).sum()


@pytest.mark.parametrize("H", MANY)
def test_overlaps_are_those_of_all_pairs(H):
    found, edges = overlaps(Sides.of(H), rng()), sets_of(H)
    pairs = [len(e & f) for e, f in combinations(edges, 2) if e & f]
    assert found.exact
    assert found.pairs.tolist() == histogram(pairs, len(found.pairs)).tolist()
    assert found.neighbours.tolist() == [sum(bool(e & f) for f in edges) - bool(e) for e in edges]
    assert found.nested.tolist() == [bool(e) and any(e < f for f in edges) for e in edges]
    assert found.repeated.tolist() == [bool(e) and e in edges[:k] for k, e in enumerate(edges)]
    degree = {pair: sum(set(pair) <= e for e in edges) for pair in combinations(H.nodes, 2)}
    assert found.meetings.tolist() == [sum(degree[pair] for pair in combinations(sorted(e), 2)) for e in edges]


@given(hypergraphs(max_nodes=7, max_edges=7))
def test_overlaps_of_any_hypergraph(H):
    found, edges = overlaps(Sides.of(H), rng()), [set(H.indices[H.indptr[j] : H.indptr[j + 1]]) for j in range(H.m)]
    pairs = [len(e & f) for e, f in combinations(edges, 2) if e & f]
    assert found.pairs.tolist() == histogram(pairs, len(found.pairs)).tolist()
    assert found.nested.tolist() == [bool(e) and any(e < f for f in edges) for e in edges]
    assert found.repeated.tolist() == [bool(e) and e in edges[:k] for k, e in enumerate(edges)]


def test_a_sample_of_hyperedges_is_walked_where_all_are_too_many():
    H = random_hypergraphs(1, 60, 300, density=0.1)[0]
    sides = Sides.of(H)
    every = overlaps(sides, rng())
    some = overlaps(sides, rng(1), most_steps=int(sides.walk_lengths.sum()) // 3)
    assert not some.exact
    assert 80 < len(some.walked) < 120
    # What belongs to a hyperedge is the same, and shares of pairs are estimates without bias.
    assert some.neighbours.tolist() == every.neighbours[some.walked].tolist()
    assert some.meetings.tolist() == every.meetings[some.walked].tolist()
    assert some.nested.tolist() == every.nested[some.walked].tolist()
    assert some.repeated.tolist() == every.repeated[some.walked].tolist()
    assert some.pairs.sum() == some.neighbours.sum()
    shares = np.array(
        [
            (lambda found: found.pairs[2:].sum() / found.pairs.sum())(overlaps(sides, rng(seed), most_steps=20_000))
            for seed in range(60)
        ]
    )
    truth = every.pairs[2:].sum() / every.pairs.sum()
    assert abs(shares.mean() - truth) < 4 * shares.std() / np.sqrt(len(shares)) + 1e-9


def test_what_is_affordable_is_a_uniform_subset():
    work = np.array([1, 1, 1, 1, 4])
    seen = np.zeros(5)
    for seed in range(2000):
        chosen = affordable(work, 4, rng(seed))
        assert work[chosen].sum() <= 4 or len(chosen) == 1
        assert (np.diff(chosen) > 0).all()
        seen[chosen] += 1
    assert seen[:4].std() < 40
    assert affordable(work, 8, rng()).tolist() == [0, 1, 2, 3, 4]
    assert len(affordable(np.array([9, 9]), 1, rng())) == 1
    assert [len(affordable(np.full(6, 5), steps, rng())) for steps in (14, 15, 29, 30)] == [2, 3, 5, 6]


@pytest.mark.parametrize("H", MANY)
def test_clustering_is_that_of_networkx(H):
    sides = Sides.of(H)
    graph = Projection.of(sides, overlaps(sides.dual, rng()).neighbours)
    nodes, coefficients = graph.clustering(rng())
    expected = nx.clustering(projected(H))
    assert nodes.tolist() == list(range(H.n))
    assert coefficients == pytest.approx([expected[v] for v in H.nodes])
    assert graph.degrees.tolist() == [projected(H).degree(v) for v in H.nodes]


def test_clustering_of_a_sample_of_nodes():
    H = random_hypergraphs(1, 80, 60, density=0.08)[0]
    sides = Sides.of(H)
    graph = Projection.of(sides, overlaps(sides.dual, rng()).neighbours)
    _, every = graph.clustering(rng())
    nodes, some = graph.clustering(rng(), most_steps=20_000)
    assert 1 < len(nodes) < 60
    assert some.tolist() == every[nodes].tolist()


def test_a_sample_of_nodes_takes_no_more_steps_than_it_may():
    # From a leaf of a star one step leads to the hub, and from there a hundred.
    sides = Sides.of(hh.Hypergraph([[0, k] for k in range(1, 101)]))
    graph = Projection.of(sides, overlaps(sides.dual, rng()).neighbours)
    assert {len(graph.clustering(rng(seed), most_steps=1000)[0]) for seed in range(20)} == {10}


@pytest.mark.parametrize("H", MANY[:3])
def test_work_in_portions_gives_the_same(monkeypatch, H):
    def everything():
        sides = Sides.of(H)
        found = overlaps(sides, rng(), most_steps=int(sides.walk_lengths.sum()) - 1)
        graph = Projection.of(sides, overlaps(sides.dual, rng()).neighbours)
        arrays = [found.walked, found.pairs, found.neighbours, found.meetings, found.nested, found.repeated]
        arrays += [graph.starts, graph.clustering(rng(), most_steps=300)[1], *egonets(sides), triple_degrees(sides)[0]]
        arrays += [path_lengths(sides, np.arange(H.n)[::-1])]
        return [array.tolist() for array in arrays]

    at_once = everything()
    monkeypatch.setattr(portions, "AT_ONCE", 30)
    assert everything() == at_once


def test_searches_do_not_see_each_others_marks(monkeypatch):
    monkeypatch.setattr(portions, "AT_ONCE", 1)  # every search is a portion
    pairs = hh.Hypergraph([[2 * k, 2 * k + 1] for k in range(30)])
    assert path_lengths(Sides.of(pairs), np.arange(60)).tolist() == [60.0]


@pytest.mark.parametrize("H", MANY)
def test_egonets_are_those_of_the_definition(H):
    union, total = egonets(Sides.of(H))
    for k, v in enumerate(H.nodes):
        own = [e for e in sets_of(H) if v in e]
        assert union[k] == len(frozenset().union(*own))
        assert total[k] == sum(map(len, own))


@pytest.mark.parametrize("H", MANY)
def test_triple_degrees_are_those_of_all_triples(H):
    degrees, exact = triple_degrees(Sides.of(H))
    counts = [sum(set(triple) <= e for e in sets_of(H)) for triple in combinations(H.nodes, 3)]
    assert exact
    assert degrees.tolist() == sorted(count for count in counts if count)


def test_thinned_triples_have_all_their_hyperedges():
    # Every triple of 30 nodes is in exactly two hyperedges or in one.
    H = hh.Hypergraph([list(range(30)), list(range(20))])
    degrees, exact = triple_degrees(Sides.of(H), most_keys=1500)
    assert not exact
    assert set(degrees.tolist()) == {1, 2}
    total, both = comb(30, 3), comb(20, 3)
    # 1,500 of 5,200 places are kept: about 29% of the triples, and the same share of each kind.
    assert len(degrees) == pytest.approx(total * 1500 / (total + both), rel=0.1)
    assert (degrees == 2).mean() == pytest.approx(both / total, abs=0.04)


def test_too_many_triples_to_look_at(monkeypatch):
    monkeypatch.setattr(walks, "_MOST_TRIPLES", 100)
    assert triple_degrees(Sides.of(hh.Hypergraph([list(range(10))]))) is None
    assert triple_degrees(Sides.of(hh.Hypergraph([list(range(8))]))) is not None


@pytest.mark.parametrize("H", MANY)
def test_path_lengths_are_those_of_networkx(H):
    sources = np.array([0, 3, 7])
    counts = path_lengths(Sides.of(H), sources)
    graph = projected(H)
    lengths = [
        length
        for source in sources.tolist()
        for length in nx.single_source_shortest_path_length(graph, H.nodes[source]).values()
        if length
    ]
    assert counts.tolist() == histogram(lengths, 1)[1:].tolist()


def test_path_lengths_along_a_path_of_hyperedges():
    H = hh.Hypergraph([[k, k + 1] for k in range(40)])
    assert path_lengths(Sides.of(H), np.array([0])).tolist() == [1.0] * 40
    assert path_lengths(Sides.of(H), np.arange(41)).tolist() == [2.0 * (41 - k) for k in range(1, 41)]


@pytest.mark.parametrize(
    ("counts", "share", "diameter"),
    [
        ([1, 1, 1, 1, 1, 1, 1, 1, 1, 1], 0.9, 9.0),
        ([10], 0.9, 0.9),
        ([80, 20], 0.9, 1.5),
        ([50, 40, 10], 0.9, 2.0),
        ([50, 0, 50], 0.75, 2.5),
    ],
)
def test_the_effective_diameter_is_interpolated(counts, share, diameter):
    assert effective_diameter(np.array(counts, dtype=float), share) == pytest.approx(diameter)


def test_nothing_connected_has_no_diameter():
    assert np.isnan(effective_diameter(np.zeros(0)))


@pytest.mark.parametrize(
    "H", [hh.Hypergraph([]), hh.Hypergraph([], nodes=3), hh.Hypergraph([[]]), hh.Hypergraph([[0], []])]
)
def test_hypergraphs_with_nothing_to_walk(H):
    sides = Sides.of(H)
    assert overlaps(sides, rng()).pairs.sum() == 0
    assert not overlaps(sides, rng()).meetings.any()
    assert path_lengths(sides, np.arange(H.n)).tolist() == []
    assert triple_degrees(sides)[0].tolist() == []
    assert egonets(sides)[0].tolist() == H.degrees.tolist()
