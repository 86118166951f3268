"""Orders: permutations that depend on the structure alone, blocks for components, few crossings."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import eigh

import hyperhedge as hh
from hyperhedge.plotting.order import canonical_order, components, crossings, incidence_order, two_columns
from strategies import hypergraphs, random_hypergraphs, regular_hypergraph


def shuffled(H, seed):
    rng = np.random.default_rng(seed)
    return H.permute(nodes=rng.permutation(H.n), edges=rng.permutation(H.m))


def matrix(H, orders):
    rows, columns = orders
    return H.incidence.toarray()[rows][:, columns]


@settings(max_examples=30)
@pytest.mark.parametrize("find", [canonical_order, incidence_order, two_columns])
@given(H=hypergraphs(), seed=st.integers(0, 5))
def test_orders_are_permutations_and_shuffling_leaves_the_matrix(find, H, seed):
    rows, columns = find(H)
    assert sorted(rows) == list(range(H.n))
    assert sorted(columns) == list(range(H.m))
    G = shuffled(H, seed)
    np.testing.assert_array_equal(matrix(H, (rows, columns)), matrix(G, find(G)))


@pytest.mark.parametrize("H", [regular_hypergraph([3, 3, 4]), *random_hypergraphs(3, 12, 8, seed=4)])
def test_symmetric_hypergraphs_have_one_matrix_too(H):
    matrices = {matrix(shuffled(H, seed), incidence_order(shuffled(H, seed))).tobytes() for seed in range(6)}
    assert len(matrices) == 1


def test_components_become_blocks_and_what_is_alone_comes_last():
    H = hh.Hypergraph([[0, 4], [1, 2, 3, 7], [], [4, 5], [1, 7]], nodes=9)
    rows, columns = incidence_order(H)
    ordered = matrix(H, (rows, columns))
    assert ordered[:4, :2].sum() == 6  # the component of more incidences
    assert ordered[4:7, 2:4].sum() == 4
    assert ordered.sum() == 10
    assert set(rows[7:]) == {6, 8}
    assert columns[4] == 2


@settings(max_examples=30)
@given(H=hypergraphs())
def test_blocks_are_those_of_the_components(H):
    of_nodes, of_edges = components(H)
    rows, columns = incidence_order(H)
    for ordered in (of_nodes[rows], of_edges[columns]):
        changes = np.flatnonzero(np.diff(ordered))
        assert len(changes) + 1 == len(set(ordered.tolist())) or not len(ordered)


def test_the_order_within_a_component_is_the_fiedler_vector_of_the_bipartite_graph():
    H = hh.Hypergraph([[0, 1, 2], [2, 3], [3, 4, 5, 6], [6, 7], [7, 8, 9]])
    A = np.zeros((H.n + H.m, H.n + H.m))
    A[: H.n, H.n :] = H.incidence.toarray()
    A += A.T
    D = np.diag(A.sum(1))
    fiedler = eigh(D - A, D)[1][:, 1]  # the generalised problem, solved otherwise
    rows, columns = incidence_order(H)
    for values in (fiedler[: H.n][rows], fiedler[H.n :][columns]):
        steps = np.diff(values)
        assert (steps >= -1e-9).all() or (steps <= 1e-9).all()


@pytest.mark.parametrize("sizes", [(5, 3, 2), (2, 2, 2, 6), (7, 2), (3, 3, 9, 9), (2, 8, 8, 8)])
def test_larger_hyperedges_come_first(sizes):
    """In a chain, whose Fiedler vector is monotone but of either sign."""
    ends = np.cumsum([0, *(size - 1 for size in sizes)])
    H = hh.Hypergraph([range(start, start + size) for start, size in zip(ends[:-1], sizes, strict=True)])
    columns = incidence_order(H)[1].tolist()
    assert columns in (list(range(H.m)), list(range(H.m))[::-1])
    assert H.edge_sizes[columns[0]] > H.edge_sizes[columns[-1]]


@settings(max_examples=30)
@given(H=hypergraphs())
def test_crossings_are_counted_as_by_brute_force_and_not_increased(H):
    rows, columns = two_columns(H)
    left, right = np.argsort(rows), np.argsort(columns)
    lines = [(left[i], right[j]) for i, j in zip(H.indices, H.edge_indices, strict=True)]
    crossed = sum((a[0] - b[0]) * (a[1] - b[1]) < 0 for a, b in combinations(lines, 2))
    assert crossings(H, rows, columns) == crossed
    assert crossed <= crossings(H, *incidence_order(H))


def test_a_chain_has_no_crossings():
    H = shuffled(hh.Hypergraph([[k, k + 1] for k in range(12)]), 3)
    assert crossings(H, *two_columns(H)) == 0


def test_barycentres_help():
    graphs = random_hypergraphs(5, 15, 10, density=0.2, seed=1)
    original = sum(crossings(H, np.arange(H.n), np.arange(H.m)) for H in graphs)
    assert sum(crossings(H, *two_columns(H)) for H in graphs) < 0.5 * original
