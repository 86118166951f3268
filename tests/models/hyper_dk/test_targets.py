"""Joint degrees from their definition, and redundancy from networkx's coefficient."""

import itertools
from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import given

import hyperhedge as hh
from hyperhedge.models.hyper_dk import targets
from hyperhedge.models.hyper_dk.targets import Members
from strategies import hypergraphs, random_hypergraphs


def members_of(H):
    return Members.of(H.indices, H.edge_sizes, H.degrees)


def joint_degrees(H):
    """Count pairs of degrees that meet, as an ordered pair counts once and one of equal degrees twice."""
    degree = dict(zip(H.nodes, H.degrees.tolist(), strict=True))
    return Counter((degree[u], degree[v]) for e in H.hyperedges for u, v in itertools.permutations(e, 2))


def redundant_pairs(H):
    """Count by degree, from the coefficient that networkx computes."""
    graph = nx.Graph()
    degrees = H.degrees.tolist()
    graph.add_nodes_from(("node", v) for v in range(H.n))
    pairs = zip(H.indices.tolist(), H.edge_indices.tolist(), strict=True)
    graph.add_edges_from((("node", v), ("edge", e)) for v, e in pairs)
    counts = Counter({d: 0 for d in degrees if d})
    several = [("node", v) for v in range(H.n) if degrees[v] > 1]
    for (_, v), coefficient in nx.bipartite.node_redundancy(graph, several).items():
        counts[degrees[v]] += round(coefficient * degrees[v] * (degrees[v] - 1) / 2)
    return [counts[d] for d in sorted(counts)]


@pytest.fixture(params=[1, 7, targets.STEPS], autouse=True)
def steps(monkeypatch, request):
    """Count in portions of one hyperedge, of several, and all at once."""
    monkeypatch.setattr(targets, "STEPS", request.param)


@given(hypergraphs(max_nodes=9, max_edges=9))
def test_classes_are_the_degrees_that_occur(H):
    members = members_of(H)
    assert members.degrees.tolist() == sorted(set(H.degrees.tolist()) - {0})
    assert members.m == H.m
    for v, d in enumerate(H.degrees.tolist()):
        assert members.classes[v] == (members.degrees.tolist().index(d) if d else -1)
    assert members.nodes.tolist() == [H.degrees.tolist().count(d) for d in members.degrees.tolist()]
    assert members.edge_of.tolist() == H.edge_indices.tolist()


@given(hypergraphs(max_nodes=9, max_edges=9))
def test_joint_degrees(H):
    members = members_of(H)
    expected = joint_degrees(H)
    counts = members.joint_degrees()
    for k, j in itertools.product(range(len(members.degrees)), repeat=2):
        key = (int(members.degrees[k]), int(members.degrees[j]))
        assert counts[k, j] * (1 + (k == j)) == expected[key]


@given(hypergraphs(max_nodes=9, max_edges=9))
def test_redundancy(H):
    assert members_of(H).redundant_pairs().tolist() == redundant_pairs(H)


def test_on_a_larger_one():
    (H,) = random_hypergraphs(1, 40, 60, 0.08, seed=1)
    members = members_of(H)
    assert members.redundant_pairs().tolist() == redundant_pairs(H)
    counts = members.joint_degrees()
    assert np.triu(counts).sum() == (H.edge_sizes * (H.edge_sizes - 1) // 2).sum()
    assert (counts == counts.T).all()


def test_slots_are_sorted_by_class_and_node():
    H = hh.Hypergraph([[3, 1], [1, 0, 4], [3, 2, 4], [3]], nodes=6)
    members = members_of(H)
    order, starts = members.slots()
    assert sorted(order.tolist()) == list(range(9))
    assert members.members[order].tolist() == [0, 2, 1, 1, 4, 4, 3, 3, 3]
    assert starts[[0, 2, 1, 4, 3]].tolist() == [0, 1, 2, 4, 6]
