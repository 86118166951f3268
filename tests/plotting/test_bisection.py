"""Recursive bisection: planted blocks are put together, every vertex stays, and the vectors are those of the dense matrix."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from hyperhedge.plotting.bisection import best_cut, bisected, second_vectors
from hyperhedge.plotting.incidence import binned
from hyperhedge.plotting.order import incidence_order
from strategies import hypergraphs


def planted(groups=4, nodes=20, edges=30, noise=0.01, seed=0):
    """Return a shuffled matrix of dense blocks with some noise, and the groups of rows and columns."""
    rng = np.random.default_rng(seed)
    of_rows, of_columns = np.repeat(np.arange(groups), nodes), np.repeat(np.arange(groups), edges)
    dense = rng.random((groups * nodes, groups * edges)) < np.where(of_rows[:, None] == of_columns, 0.4, noise)
    rows, columns = rng.permutation(len(of_rows)), rng.permutation(len(of_columns))
    return sp.csr_array(dense[rows][:, columns].astype(np.int64)), of_rows[rows], of_columns[columns]


def test_planted_groups_are_runs_in_the_same_order_on_both_sides():
    matrix, of_rows, of_columns = planted()
    rows, columns = bisected(matrix, (np.arange(80), np.arange(120)), leaf=10)
    down, across = of_rows[rows], of_columns[columns]
    assert (np.diff(down) != 0).sum() == (np.diff(across) != 0).sum() == 3
    np.testing.assert_array_equal(down[::20], across[::30])


@pytest.mark.parametrize("transpose", [False, True])
def test_vectors_separate_two_groups_as_those_of_the_dense_matrix(transpose):
    matrix, of_rows, of_columns = planted(groups=2)
    if transpose:
        matrix, of_rows, of_columns = matrix.T.tocsr(), of_columns, of_rows
    along_rows, along_columns = second_vectors(matrix)
    dense = matrix.toarray() + matrix.nnz / np.prod(matrix.shape)
    roots = np.sqrt(dense.sum(1)), np.sqrt(dense.sum(0))
    _, _, vectors = np.linalg.svd(dense / roots[0][:, None] / roots[1])
    assert abs(np.corrcoef(vectors[1] / roots[1], along_columns)[0, 1]) > 0.98
    for along, groups in ((along_rows, of_rows), (along_columns, of_columns)):
        assert len(set(zip(along > 0, groups, strict=True))) == 2
    cut = best_cut(matrix, along_rows, along_columns)
    assert len(set(zip(along_columns < cut, of_columns, strict=True))) == 2


def test_the_cut_has_the_least_conductance_of_all():
    rng = np.random.default_rng(3)
    block = sp.csr_array((rng.random((9, 7)) < 0.3).astype(np.int64))
    along_rows, along_columns = rng.normal(size=9), rng.normal(size=7)

    def conductance(cut):
        left = along_rows < cut, along_columns < cut
        dense = block.toarray()
        crossing = dense[left[0]][:, ~left[1]].sum() + dense[~left[0]][:, left[1]].sum()
        volume = dense[left[0]].sum() + dense[:, left[1]].sum()
        smaller = min(volume, 2 * dense.sum() - volume)
        return crossing / smaller if smaller >= 0.15 * 2 * dense.sum() else np.inf

    cuts = np.concatenate([along_rows, along_columns])
    assert conductance(best_cut(block, along_rows, along_columns)) == min(map(conductance, cuts))


@given(hypergraphs(), st.integers(2, 6))
def test_every_row_and_column_stays(H, leaf):
    rows, columns = bisected(H.incidence, (np.arange(H.n), np.arange(H.m)), leaf)
    assert sorted(rows) == list(range(H.n))
    assert sorted(columns) == list(range(H.m))


def test_a_large_hypergraph_is_ordered_alike_however_it_is_shuffled():
    import hyperhedge as hh

    rng = np.random.default_rng(1)
    hyperedges = [rng.choice(900, size=rng.integers(2, 6), replace=False) for _ in range(1400)]
    H = hh.Hypergraph([edge.tolist() for edge in hyperedges], nodes=900)
    G = H.permute(nodes=rng.permutation(H.n), edges=rng.permutation(H.m))
    np.testing.assert_array_equal(binned(H, *incidence_order(H), 60), binned(G, *incidence_order(G), 60))


def test_components_are_blocks_and_isolated_nodes_last_in_a_large_order():
    import hyperhedge as hh

    small, large = [[k, k + 1] for k in range(600)], [[k, k + 1] for k in range(1000, 1900)]
    H = hh.Hypergraph(small + large, nodes=2100)
    rows, columns = incidence_order(H)
    assert set(rows[:901]) == set(range(1000, 1901))
    assert set(rows[901:1502]) == set(range(601))
    assert set(columns[:900]) == set(range(600, 1500))
    # A path bisected again and again is a path again: neighbours of the order are near in the path.
    assert np.median(np.abs(np.diff(rows[:901]))) <= 8
