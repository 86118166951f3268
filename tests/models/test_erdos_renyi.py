"""Independent incidences: densities and degrees against closed forms, entries against exact enumeration."""

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import hyperhedge as hh
from hyperhedge.errors import GeneratorError
from hyperhedge.models.erdos_renyi import ErdosRenyi, successes
from strategies import hypergraphs, random_hypergraphs


def model_of_density(n, m, incidences, **config):
    """Fit a model to one hypergraph with a given number of incidences."""
    edge, node = np.divmod(np.arange(incidences), n)
    return ErdosRenyi(**config).fit([hh.Hypergraph.from_indices(node, edge, nodes=n, edges=m)])


def mean_degree(n, m, rho):
    """Return the mean degree after repair: the closed form of the docs."""
    q = 1 - rho
    return m * rho + q**m + m / n * (q - q**m / m) ** n


def test_the_density_is_pooled():
    training = [hh.Hypergraph([[0, 1, 2]]), hh.Hypergraph([[0], [1], [2], [3]], nodes=4)]
    assert ErdosRenyi().fit(training).density_ == (3 + 4) / (3 + 16)
    assert ErdosRenyi().fit([hh.Hypergraph(nodes=3)]).density_ == 0


@pytest.mark.parametrize(("n", "m", "incidences"), [(64, 25, 53), (64, 16, 103), (64, 18, 62), (10, 40, 60), (3, 3, 2)])
def test_mean_degree_after_repair(n, m, incidences):
    count = 4000
    samples = model_of_density(n, m, incidences).sample(count, seed=1)
    degrees = np.array([H.num_incidences / n for H in samples])
    error = degrees.std() / np.sqrt(count)
    assert abs(degrees.mean() - mean_degree(n, m, incidences / (n * m))) < 4 * error
    assert error < 0.02


def test_the_paper_s_shift_of_the_mean_degree():
    """Cora's ER-HG row: k of 0.83 gives the printed 0.432 ± 0.018."""
    assert abs(mean_degree(64, 25, 0.83 / 25) - 0.83 - 0.432) < 0.018


def test_density_without_repair():
    count, n, m = 2000, 20, 12
    samples = model_of_density(n, m, 48, repair=False).sample(count, seed=2)
    total = sum(H.num_incidences for H in samples)
    trials = count * n * m
    assert abs(total - 0.2 * trials) < 4 * np.sqrt(0.16 * trials)
    assert any((H.degrees == 0).any() for H in samples)
    assert any((H.edge_sizes == 0).any() for H in samples)


def test_numbers_of_incidences_are_binomial():
    samples = model_of_density(5, 4, 6, repair=False).sample(5000, seed=3)
    seen = np.bincount([H.num_incidences for H in samples], minlength=21)
    expected = 5000 * stats.binom.pmf(np.arange(21), 20, 0.3)
    kept = expected > 5
    seen = np.append(seen[kept], seen[~kept].sum())
    expected = np.append(expected[kept], expected[~kept].sum())
    assert stats.chisquare(seen, expected).pvalue > 1e-3


@pytest.mark.parametrize("repair", [False, True])
def test_the_law_on_all_hypergraphs_of_2_by_3(repair):
    """Compare with the exact law: all 64 matrices, every choice of the repair enumerated."""
    rho, n, m = 1 / 3, 2, 3
    law = Counter()
    for bits in itertools.product((0, 1), repeat=n * m):
        chance = rho ** sum(bits) * (1 - rho) ** (n * m - sum(bits))
        for choice, share in repairs(np.array(bits).reshape(n, m)) if repair else [(np.array(bits).reshape(n, m), 1.0)]:
            law[choice.tobytes()] += chance * share
    count = 8_000
    samples = model_of_density(n, m, 2, repair=repair).sample(count, seed=4)
    seen = Counter(H.incidence.toarray().astype(np.int64).tobytes() for H in samples)
    assert set(seen) <= set(law)
    keys = list(law)
    expected = np.array([law[key] for key in keys]) * count
    assert expected.min() > 5
    assert stats.chisquare([seen[key] for key in keys], expected).pvalue > 1e-3


def repairs(matrix):
    """Enumerate what repair makes of a matrix, with probabilities."""
    n, m = matrix.shape
    rows = np.flatnonzero(matrix.sum(1) == 0)
    for edges in itertools.product(range(m), repeat=len(rows)):
        half = matrix.copy()
        half[rows, list(edges)] = 1
        columns = np.flatnonzero(half.sum(0) == 0)
        for nodes in itertools.product(range(n), repeat=len(columns)):
            whole = half.copy()
            whole[list(nodes), columns] = 1
            yield whole, m ** -len(rows) * n ** -len(columns)


@given(st.lists(hypergraphs(), min_size=1, max_size=4), st.integers(0, 100))
def test_repaired_samples_touch_everything_that_can_be(training, seed):
    for H in ErdosRenyi().fit(training).sample(5, seed=seed):
        if H.n and H.m:
            assert H.degrees.min() > 0
            assert H.edge_sizes.min() > 0


@given(st.integers(0, 300), st.floats(0, 1), st.integers(0, 100))
def test_successes_are_places_in_order(trials, probability, seed):
    places = successes(trials, probability, np.random.default_rng(seed))
    assert (np.diff(places) > 0).all()
    if len(places):
        assert places[0] >= 0
        assert places[-1] < trials
    if probability in (0.0, 1.0):
        assert len(places) == trials * probability


def test_a_full_hypergraph_stays_full():
    (H,) = model_of_density(4, 3, 12).sample()
    assert H.density == 1


def test_large_hypergraphs_cost_their_incidences():
    """The 900 million entries of DBLP's size are never made."""
    rng = np.random.default_rng(0)
    H = hh.Hypergraph.from_indices(
        rng.integers(0, 41_302, 99_561), rng.integers(0, 22_363, 99_561), nodes=41_302, edges=22_363
    )
    (S,) = ErdosRenyi(repair=False).fit([H]).sample(seed=1)
    assert abs(S.num_incidences - H.num_incidences) < 4 * np.sqrt(H.num_incidences)


def test_sizes_of_training_hypergraphs_mix():
    training = [*random_hypergraphs(2, 5, 3), *random_hypergraphs(6, 7, 2)]
    sizes = Counter((H.n, H.m) for H in ErdosRenyi().fit(training).sample(2000, seed=0))
    assert abs(sizes[7, 2] - 1500) < 4 * np.sqrt(2000 * 3 / 16)
    assert sizes.total() == sizes[7, 2] + sizes[5, 3]


@pytest.mark.parametrize("repair", [1, None, "yes"])
def test_bad_options(repair):
    with pytest.raises(GeneratorError, match="repair must be True or False"):
        ErdosRenyi(repair=repair)
