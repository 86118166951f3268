"""The neighbourhood distance against nested colours and multisets, and isomorphism classes against brute force."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hyperhedge as hh
from hyperhedge.metrics import Statistics, similarity, statistics_of
from hyperhedge.metrics.similarity import isomorphism_classes, mean_distance, nearest, neighbourhood_distances
from laws import rewired, shuffled, teams
from strategies import hypergraphs

collections = st.lists(hypergraphs(max_nodes=4, max_edges=4), min_size=1, max_size=4)


def nested_colours(H, rounds=3):
    """Describe each node and hyperedge by what is around it, as nested tuples."""
    members = [set(H.indices[a:b].tolist()) for a, b in zip(H.indptr[:-1], H.indptr[1:], strict=True)]
    nodes, edges = ["v"] * H.n, ["e"] * H.m
    colours = Counter()
    for _ in range(rounds):
        around_nodes = [(nodes[v], *sorted(edges[e] for e in range(H.m) if v in members[e])) for v in range(H.n)]
        around_edges = [(edges[e], *sorted(nodes[v] for v in members[e])) for e in range(H.m)]
        nodes, edges = [repr(c) for c in around_nodes], [repr(c) for c in around_edges]
        colours.update(nodes)
        colours.update(edges)
    return colours


def ruzicka(a, b):
    either = (a | b).total()
    return 1 - (a & b).total() / either if either else 0.0


@given(collections, collections)
def test_the_distance_is_the_share_of_neighbourhoods_not_in_common(first, second):
    expected = [[ruzicka(nested_colours(G), nested_colours(H)) for H in second] for G in first]
    distances = neighbourhood_distances(statistics_of(first), statistics_of(second))
    np.testing.assert_allclose(distances, expected, atol=1e-6)
    np.testing.assert_allclose(nearest(statistics_of(first), statistics_of(second)), distances.min(axis=1))


def test_frequent_colours_and_blocks_of_rows_change_nothing(monkeypatch):
    first, second = statistics_of(teams(30, seed=1)), statistics_of(teams(20, n=15, m=9, seed=2))
    expected = [[ruzicka(nested_colours(G), nested_colours(H)) for H in second.hypergraphs] for G in first.hypergraphs]
    for frequent, block in ((0.05, 2000), (2.0, 150), (0.0, 1), (0.4, 600)):
        monkeypatch.setattr(similarity, "_FREQUENT", frequent)
        monkeypatch.setattr(similarity, "_BLOCK", block)
        np.testing.assert_allclose(neighbourhood_distances(first, second), expected, atol=1e-6)


def test_it_is_a_distance():
    collection = statistics_of(teams(12, seed=5) + shuffled(teams(4, seed=5)))
    D = neighbourhood_distances(collection, collection)
    np.testing.assert_allclose(D, D.T, atol=1e-6)
    assert (np.diag(D) == 0).all()
    assert (D[:, None, :] <= D[:, :, None] + D[None, :, :] + 1e-6).all()
    assert mean_distance(collection) == pytest.approx(D.sum() / (16 * 15))
    assert np.isnan(mean_distance(statistics_of(teams(1))))


def test_a_disturbed_copy_is_near_its_original():
    originals = teams(30, n=64, m=25, seed=1)
    far = neighbourhood_distances(statistics_of(originals), statistics_of(originals))
    near = [
        float(
            np.diag(neighbourhood_distances(statistics_of(originals), statistics_of(rewired(originals, share)))).mean()
        )
        for share in (0.01, 0.03, 0.1, 0.3, 1.0)
    ]
    assert near == sorted(near)
    assert near[1] < far[far > 0].min()
    copies = [H.permute(nodes=np.arange(H.n)[::-1], edges=np.arange(H.m)[::-1]) for H in originals]
    exact = neighbourhood_distances(statistics_of(originals), statistics_of(copies))
    assert (np.diag(exact) == 0).all()


def isomorphic(A, B):
    if A.shape != B.shape:
        return False
    columns = sorted(map(tuple, B.T))
    return any(sorted(map(tuple, A[list(p)].T)) == columns for p in permutations(range(len(A))))


@settings(max_examples=60)
@given(collections, collections, st.integers(0, 99))
def test_classes_are_those_of_brute_force(first, second, seed):
    second = second + shuffled(first, seed)[:2]
    members = [H.incidence.toarray() for H in first + second]
    classes = np.concatenate(isomorphism_classes(statistics_of(first), statistics_of(second)))
    for i, A in enumerate(members):
        for j, B in enumerate(members):
            assert (classes[i] == classes[j]) == isomorphic(A, B)


def test_what_refinement_does_not_tell_apart_is_decided():
    two_triangles = hh.Hypergraph([[0, 1], [1, 2], [2, 0], [3, 4], [4, 5], [5, 3]])
    hexagon = hh.Hypergraph([[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 0]])
    collection = Statistics((two_triangles, hexagon, hexagon.permute(nodes=[3, 1, 5, 0, 2, 4])))
    assert isomorphism_classes(collection)[0].tolist() == [0, 1, 1]
    assert neighbourhood_distances(collection, collection)[0, 1] == 0
