"""Seams: against brute force with networkx, and what they show of hypergraphs whose seams are known."""

from itertools import combinations
from math import comb

import networkx as nx
import numpy as np
import pytest

import hyperhedge as hh
from hyperhedge._system import portions
from hyperhedge.metrics.whole import seams as module
from hyperhedge.metrics.whole.seams import FARTHEST, seams_by_cluster, seams_by_detour, seams_by_level
from hyperhedge.models.multiscale import Tree
from strategies import random_hypergraphs

MANY = random_hypergraphs(6, 14, 12, density=0.18, seed=8)


def overlapping(H):
    edges = [set(edge) for edge in H.hyperedges]
    return [(i, j, edges[i] & edges[j]) for i, j in combinations(range(H.m), 2) if edges[i] & edges[j]]


def summary(common):
    sizes = [len(one) for one in common]
    return (np.mean(sizes), np.mean([k > 1 for k in sizes])) if sizes else (None, None)


@pytest.mark.parametrize("H", MANY)
def test_levels_are_those_of_the_definition(H):
    rng = np.random.default_rng(0)
    coarse = rng.integers(0, 2, size=H.m)
    fine = 3 * coarse + rng.integers(0, 3, size=H.m)
    levels = [np.zeros(H.m, dtype=int), coarse, fine]
    pairs = overlapping(H)
    edges = [set(edge) for edge in H.hyperedges]
    for k, seam in enumerate(seams_by_level(H, Tree(levels))):
        own = [p for p in pairs if max(i for i in range(3) if levels[i][p[0]] == levels[i][p[1]]) == k]
        mean, tail = summary([p[2] for p in own])
        assert seam.name == str(k)
        assert seam.share == pytest.approx(len(own) / len(pairs))
        assert seam.mean == (mean if mean is None else pytest.approx(mean))
        assert seam.tail == (tail if tail is None else pytest.approx(tail))
        parts = sum(
            comb(len(common), 2) * sum(1 / comb(len(edges[e]), 2) for e in (i, j) if len(edges[e]) > 1)
            for i, j, common in own
        )
        assert seam.homogeneity == pytest.approx(parts / sum(len(e) > 1 for e in edges))


def test_parts_add_up_to_the_homogeneity():
    from hyperhedge.metrics.whole.statistics import WholeStatistics

    H = MANY[0]
    whole = WholeStatistics.of(H).distributions["homogeneity"]
    parts = seams_by_cluster(H)
    own_pairs = 1.0  # of a hyperedge: each of its pairs is in itself
    assert sum(seam.homogeneity for seam in parts) + own_pairs == pytest.approx(
        whole.count @ whole.value / whole.count.sum()
    )


@pytest.mark.parametrize("H", MANY)
def test_detours_are_shortest_ways_around_what_is_shared(H):
    pairs = overlapping(H)
    edges = [set(edge) for edge in H.hyperedges]
    lengths = []
    for i, j, common in pairs:
        lines = nx.Graph()
        lines.add_nodes_from(range(H.m))
        lines.add_edges_from((a, b) for a, b in combinations(range(H.m), 2) if (edges[a] & edges[b]) - common)
        near = nx.has_path(lines, i, j) and nx.shortest_path_length(lines, i, j) < FARTHEST
        lengths.append(nx.shortest_path_length(lines, i, j) if near else FARTHEST)
    found = seams_by_detour(H, pairs=6000, seed=0)
    assert [seam.name for seam in found] == ["2", "3", "4 or more, or none"]
    for length, seam in zip((2, 3, 4), found, strict=True):
        own = [pair[2] for pair, one in zip(pairs, lengths, strict=True) if one == length]
        assert seam.share == pytest.approx(len(own) / len(pairs), abs=0.035)
        if own:
            assert seam.mean == pytest.approx(summary(own)[0], abs=0.1)
    assert sum(seam.share for seam in found) == pytest.approx(1)
    assert {seam.homogeneity for seam in found} == {None}


def test_bridges_between_cliques_have_no_detour():
    cliques = [[10 * g + j for j in range(5) if j != left] for g in range(8) for left in range(5)]
    bridges = [[10 * g, 10 * g + 10] for g in range(7)]
    inside, _, none = seams_by_detour(hh.Hypergraph(cliques + bridges), seed=0)
    # Within a clique two of the five hyperedges share three nodes, and others meet both.
    assert inside.mean == pytest.approx(3, abs=0.05)
    pairs = 8 * comb(5, 2)
    total = pairs + len(overlapping(hh.Hypergraph(cliques + bridges))) - pairs
    assert none.share == pytest.approx(1 - pairs / total, abs=0.04)
    assert none.mean == 1


def test_clusters_are_classes_by_size():
    rng = np.random.default_rng(0)
    groups = [[int(v) for v in 20 * g + rng.choice(20, size=4, replace=False)] for g in range(40) for _ in range(20)]
    across = [[20 * g, 20 * ((g + 17) % 40)] for g in range(40)]
    found = {seam.name: seam for seam in seams_by_cluster(hh.Hypergraph(groups + across))}
    assert list(found) == ["up to 64", "up to 1,024", "up to 16,384", "more"]
    assert found["up to 64"].share > 0.75
    assert found["up to 64"].mean > found["up to 1,024"].mean
    assert found["more"].share == 0


@pytest.mark.parametrize(
    ("hyperedges", "name"),
    [(64, "up to 64"), (65, "up to 1,024"), (1024, "up to 1,024"), (1025, "up to 16,384")],
)
def test_a_cluster_is_in_the_class_whose_bound_it_does_not_exceed(hyperedges, name):
    H = hh.Hypergraph([[0, k] for k in range(1, hyperedges + 1)])
    found = seams_by_cluster(H, Tree([np.zeros(hyperedges, dtype=int)]))
    assert [seam.name for seam in found if seam.share] == [name]


def separate_cliques(count):
    """Return groups of five nodes that meet four at a time: every hyperedge is like every other one."""
    return hh.Hypergraph([[5 * g + j for j in range(5) if j != left] for g in range(count) for left in range(5)])


def test_some_hyperedges_show_what_all_show_where_all_are_alike(monkeypatch):
    H = separate_cliques(40)
    every, some = seams_by_cluster(H, seed=0), seams_by_cluster(H, seed=0, most_steps=1000)
    assert some == every
    counted = []
    monkeypatch.setattr(module, "_seams", lambda _names, counts, _parts: counted.append(counts.sum()))
    seams_by_cluster(H, most_steps=1000)  # a walk goes through four nodes of four hyperedges, and meets four others
    assert counted == [4 * (1000 // 16)]


def test_work_in_portions_finds_the_same_seams(monkeypatch):
    tree = Tree([np.zeros(12, dtype=int), np.arange(12) // 4])
    every = seams_by_level(MANY[0], tree)
    monkeypatch.setattr(portions, "AT_ONCE", 20)
    assert seams_by_level(MANY[0], tree) == every


def test_searches_do_not_see_each_others_marks():
    # In all of the cliques the others are the way around, whichever pairs were looked at before.
    assert [seam.share for seam in seams_by_detour(separate_cliques(200), seed=0)] == [1, 0, 0]


def test_searches_end_with_the_steps_that_all_of_them_have_taken(monkeypatch):
    # From a hyperedge to another one of its clique: its own node's four hyperedges, and then the other one's.
    counted = []
    monkeypatch.setattr(module, "_seams", lambda _names, counts, _parts: counted.append(counts.sum()))
    seams_by_detour(separate_cliques(40), pairs=4000, seed=0, most_steps=3000)
    assert counted == [400]  # eight batches of 50 pairs are the first to take more


def test_a_search_through_very_much_counts_as_far(monkeypatch):
    sides = module.Sides.of(separate_cliques(1))

    def distance():  # of hyperedges that share the nodes 2, 3 and 4
        nodes = np.where(np.isin(np.arange(5), [2, 3, 4]), 0, -1).astype(np.int32)
        marks = np.full(5, -1, dtype=np.int32), nodes
        return module._distance.py_func(0, 1, 0, FARTHEST, *sides.arrays, *marks, np.empty(5, dtype=np.int32))[0]

    assert distance() == 2
    monkeypatch.setattr(module, "_MOST_LOOK", 3)  # the first node alone has four hyperedges
    assert distance() == FARTHEST


def test_fewer_pairs_where_searches_are_long(monkeypatch):
    H = random_hypergraphs(1, 60, 300, density=0.2, seed=1)[0]
    short = seams_by_detour(H, pairs=4000, seed=0, most_steps=1)
    assert sum(seam.share for seam in short) == pytest.approx(1)
    counted = []
    monkeypatch.setattr(module, "_seams", lambda _names, counts, _parts: counted.append(counts.sum()))
    seams_by_detour(H, pairs=4000, seed=0, most_steps=1)
    seams_by_detour(H, pairs=400, seed=0)
    assert counted == [50, 400]


@pytest.mark.parametrize("H", [hh.Hypergraph([]), hh.Hypergraph([[0, 1], [2]]), hh.Hypergraph([[], []], nodes=2)])
def test_without_overlaps_there_are_no_seams(H):
    assert {seam.share for seam in seams_by_detour(H, seed=0)} == {0}
    assert {seam.mean for seam in seams_by_detour(H, seed=0)} == {None}


def test_pairs_are_sampled_uniformly():
    # Hyperedges that share much must not be drawn more often.
    H = hh.Hypergraph([[0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 4, 6], [6, 7], [5, 8]])
    first, second = module._random_pairs(module.Sides.of(H), 6000, np.random.default_rng(0))
    counts = dict.fromkeys(((0, 1), (1, 2), (0, 3)), 0)
    for one, other in zip(first.tolist(), second.tolist(), strict=True):
        counts[min(one, other), max(one, other)] += 1
    assert np.array(list(counts.values())) == pytest.approx(2000, abs=160)
