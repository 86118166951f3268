"""Random starts: their laws by enumeration of all small matrices, and the theorem of Gale and Ryser."""

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from scipy import stats

from hyperhedge.errors import GeneratorError
from hyperhedge.models.hyper_dk.starts import different, is_realisable, random_start, realisation
from hyperhedge.models.xoshiro import state_from
from strategies import hypergraphs

MATRICES = [np.array(entries).reshape(4, 3) for entries in itertools.product((0, 1), repeat=12)]
DEGREES, SIZES = np.array([2, 1, 2, 0]), np.array([2, 2, 1])


def margins(matrix):
    return tuple(matrix.sum(axis=1).tolist()), tuple(matrix.sum(axis=0).tolist())


def test_gale_and_ryser():
    have = {margins(matrix) for matrix in MATRICES}
    for degrees in itertools.product(range(5), repeat=4):
        for sizes in itertools.combinations_with_replacement(range(5), 3):
            assert is_realisable(np.array(degrees), np.array(sizes)) == ((degrees, sizes) in have)


@pytest.mark.parametrize(("n", "m"), [(0, 0), (3, 0), (0, 3)])
def test_without_nodes_or_hyperedges(n, m):
    degrees, sizes = np.zeros(n, dtype=np.int64), np.zeros(m, dtype=np.int64)
    assert is_realisable(degrees, sizes)
    assert realisation(degrees, sizes).shape == (n, m)
    for exact_degrees, exact_sizes in itertools.product((False, True), repeat=2):
        rng = np.random.default_rng(0)
        options = {"exact_degrees": exact_degrees, "exact_sizes": exact_sizes, "distinct": m == 0}
        assert random_start(degrees, sizes, rng, **options).shape == (n, m)


@given(hypergraphs(max_nodes=9, max_edges=9))
def test_a_realisation_has_the_degrees_and_sizes(H):
    R = realisation(H.degrees, H.edge_sizes)
    assert R.degrees.tolist() == H.degrees.tolist()
    assert R.edge_sizes.tolist() == H.edge_sizes.tolist()


def test_what_no_hypergraph_has_is_refused():
    with pytest.raises(GeneratorError, match="no hypergraph has these degrees and sizes"):
        realisation(np.array([3, 1]), np.array([2, 2]))


@pytest.mark.parametrize("distinct", [False, True])
@pytest.mark.parametrize("exact_degrees", [False, True])
@pytest.mark.parametrize("exact_sizes", [False, True])
def test_all_matrices_with_what_is_exact_are_equally_probable(exact_degrees, exact_sizes, distinct):
    law = [
        matrix.tobytes()
        for matrix in MATRICES
        if matrix.sum() == SIZES.sum()
        and (not exact_degrees or margins(matrix)[0] == tuple(DEGREES))
        and (not exact_sizes or margins(matrix)[1] == tuple(SIZES))
        and (not distinct or len({column.tobytes() for column in matrix.T.copy()}) == 3)
    ]
    count = 20 * len(law)
    rng = np.random.default_rng(0)
    seen = Counter()
    for _ in range(count):
        H = random_start(DEGREES, SIZES, rng, exact_degrees=exact_degrees, exact_sizes=exact_sizes, distinct=distinct)
        seen[H.incidence.toarray().astype(MATRICES[0].dtype).tobytes()] += 1
    assert set(seen) <= set(law)
    assert stats.chisquare([seen[key] for key in law]).pvalue > 1e-3


def test_different_numbers_after_one_another():
    counts = np.array([0, 2, 5, 1])
    for seed in range(20):
        drawn = np.split(different(counts, 5, state_from(np.random.default_rng(seed))), np.cumsum(counts)[:-1])
        for count, numbers in zip(counts.tolist(), drawn, strict=True):
            assert len(set(numbers.tolist())) == count
            assert set(numbers.tolist()) <= set(range(5))
