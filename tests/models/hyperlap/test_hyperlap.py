"""HyperLap: its laws on small cases by enumeration, its groups, the homogeneity by brute force, exact degrees, and its search."""

import itertools
import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import hyperhedge as hh
from hyperhedge.errors import FormatError, GeneratorError
from hyperhedge.models.hyperlap import groups as groups_module
from hyperhedge.models.hyperlap.exact import members_with_exact_degrees
from hyperhedge.models.hyperlap.groups import Groups
from hyperhedge.models.hyperlap.homogeneity import homogeneity, largest_difference
from strategies import hypergraphs, random_hypergraphs


def gathered(weights, seed=0):
    """Sample a hypergraph of 96 hyperedges over 64 nodes with these weights of levels."""
    rng = np.random.default_rng(seed)
    model = hh.HyperLap(weights="uniform", levels=len(weights)).fit(
        [hh.Hypergraph([rng.choice(64, size, replace=False) for size in rng.integers(2, 5, size=96)], nodes=64)]
    )
    model.level_weights_ = [weights]
    return model.sample(seed=seed)[0]


GATHERED = gathered([0.0, 0.1, 0.1, 0.3, 0.5])


def successive(degrees, size):
    """Return the probability of each set that is sampled one by one, without repetition, in proportion to the degrees."""
    law = Counter()
    for order in itertools.permutations([v for v, d in enumerate(degrees) if d], size):
        chance, left = 1.0, sum(degrees)
        for v in order:
            chance, left = chance * degrees[v] / left, left - degrees[v]
        law[frozenset(order)] += chance
    return law


@pytest.mark.parametrize("rounds", [0, 1, 30])
def test_members_are_sampled_one_after_another(monkeypatch, rounds):
    """By throws, by exponential clocks, and by both together."""
    monkeypatch.setattr(groups_module, "_ROUNDS", rounds)
    degrees, count = np.array([1, 0, 2, 3, 6]), 6000
    law = successive(degrees.tolist(), 2)
    rng = np.random.default_rng(1)
    zeros = np.zeros(count, dtype=np.int64)
    members = Groups.sampled(degrees, rng).members(np.full(count, 2), zeros, zeros, rng).reshape(count, 2)
    seen = Counter(frozenset(row) for row in members.tolist())
    assert set(seen) == set(law)
    assert stats.chisquare([seen[key] for key in law], [count * law[key] for key in law]).pvalue > 1e-3


@given(st.integers(1, 40), st.integers(0, 5))
def test_groups_are_nested_and_cover_all(count, level):
    ordered = Groups(np.arange(count), np.ones(count, dtype=np.int64))
    start, end = ordered.bounds(np.full(1 << level, level), np.arange(1 << level))
    assert start[0] == 0
    assert end[-1] == count
    assert (start[1:] == end[:-1]).all()
    assert (end - start).min() >= count >> level
    assert (end - start).max() <= (count >> level) + 1
    finer = ordered.bounds(np.full(2 << level, level + 1), np.arange(2 << level))[0]
    assert (finer[::2] == start).all()
    assert count < 2 or count >> (ordered.levels - 1) >= 2


def test_members_stay_in_their_group():
    rng = np.random.default_rng(0)
    ordered = Groups.sampled(rng.integers(0, 5, size=64), rng)
    level, sizes = np.array([0, 1, 2, 2, 3]), np.array([9, 5, 4, 3, 2])
    group = np.array([0, 1, 0, 3, 5])
    members = np.split(ordered.members(sizes, level, group, rng), np.cumsum(sizes)[:-1])
    for e, nodes in enumerate(members):
        start, end = ordered.bounds(level[e], group[e])
        assert len(set(nodes.tolist())) == sizes[e]
        assert set(nodes.tolist()) <= set(ordered.nodes[start:end].tolist())


@given(hypergraphs(max_nodes=8, max_edges=8))
def test_homogeneity_is_the_mean_pair_degree(H):
    pair_degree = Counter(pair for e in H.hyperedges for pair in itertools.combinations(sorted(map(repr, e)), 2))
    expected = [
        np.mean([pair_degree[pair] for pair in itertools.combinations(sorted(map(repr, e)), 2)])
        for e in H.hyperedges
        if len(e) > 1
    ]
    np.testing.assert_allclose(homogeneity(H.edge_sizes, H.indices, H.n), expected)


@given(st.lists(st.integers(0, 5), min_size=1), st.lists(st.integers(0, 5), min_size=1))
def test_the_largest_difference_of_distribution_functions(x, y):
    x, y = np.array(x, dtype=float), np.array(y, dtype=float)
    expected = max(abs((x <= point).mean() - (y <= point).mean()) for point in (*x, *y))
    assert largest_difference(x, y) == pytest.approx(expected)


@given(hypergraphs(max_nodes=9, max_edges=9), st.sampled_from(["expected", "exact"]), st.integers(0, 100))
def test_sizes_are_kept_and_degrees_if_asked_for(H, degrees, seed):
    model = hh.HyperLap(degrees=degrees, seed=seed).fit([H])
    (S,) = model.sample(seed=seed)
    assert S.shape == H.shape
    assert S.edge_sizes.tolist() == H.edge_sizes.tolist()
    assert not S.degrees[H.degrees == 0].any()
    if degrees == "exact":
        assert S.degrees.tolist() == H.degrees.tolist()


def test_exact_degrees_need_paths_where_hyperedges_are_nearly_full():
    """Places that no single stub can fill: complements of a matching."""
    n = 7
    H = hh.Hypergraph([[v for v in range(n) if v != e] for e in range(n)])
    for seed in range(20):
        (S,) = hh.HyperLap(degrees="exact", seed=0).fit([H]).sample(seed=seed)
        assert S.degrees.tolist() == H.degrees.tolist()
        assert S.edge_sizes.tolist() == H.edge_sizes.tolist()


def test_margins_that_no_hypergraph_has_are_refused():
    degrees, edges = np.array([3, 1]), np.array([0, 0, 1, 1])
    zeros = np.zeros(2, dtype=np.int64)
    rng = np.random.default_rng(0)
    with pytest.raises(GeneratorError, match="no hypergraph has these degrees and edge sizes"):
        members_with_exact_degrees(Groups.sampled(degrees, rng), degrees, edges, zeros, zeros, rng)


def test_degrees_are_kept_in_expectation():
    (H,) = random_hypergraphs(1, 30, 40, 0.1, seed=3)
    model = hh.HyperLap(levels=1).fit([H])
    mean = np.mean([S.degrees for S in model.sample(600, seed=0)], axis=0)
    # Hubs join no hyperedge twice, which costs them a little; four standard errors of a Poisson number otherwise.
    assert (np.abs(mean - H.degrees) <= 4 * np.sqrt(H.degrees / 600) + 0.1 * H.degrees).all()


def mean_level(model):
    return sum(level * weight for level, weight in enumerate(model.level_weights_[0]))


def test_the_search_finds_groups_where_there_are_some():
    fitted, flat = hh.HyperLap(seed=0).fit([GATHERED]), hh.HyperLap(levels=1).fit([GATHERED])
    assert mean_level(fitted) > 2
    assert sum(fitted.level_weights_[0]) == pytest.approx(1)
    assert flat.level_weights_ == [[1.0]]
    real = homogeneity(GATHERED.edge_sizes, GATHERED.indices, GATHERED.n)

    def distance(model):
        samples = model.sample(10, seed=1)
        return np.mean([largest_difference(real, homogeneity(S.edge_sizes, S.indices, S.n)) for S in samples])

    assert distance(fitted) < 0.4 * distance(flat)


@pytest.mark.parametrize("seed", range(3))
def test_the_search_leaves_what_has_no_groups_near_the_top(seed):
    assert mean_level(hh.HyperLap(seed=0).fit([gathered([1.0], seed)])) < 1


def test_uniform_weights():
    H = hh.Hypergraph([[v, (v + 1) % 40] for v in range(40)])
    model = hh.HyperLap(weights="uniform", levels=3).fit([H])
    assert model.level_weights_ == [[1 / 3] * 3]
    assert len(hh.HyperLap(weights="uniform").fit([H]).level_weights_[0]) == 5  # groups of 2 of 40 nodes


def test_large_hyperedges_stay_where_they_fit():
    H = hh.Hypergraph([list(range(12)), *[[2 * i, 2 * i + 1] for i in range(6)]])
    model = hh.HyperLap(weights="uniform").fit([H])
    assert all(S.edge_sizes.tolist() == H.edge_sizes.tolist() for S in model.sample(20, seed=0))


def test_it_is_saved_and_loaded(tmp_path):
    model = hh.HyperLap(seed=1).fit([GATHERED])
    model.save(tmp_path / "model")
    assert hh.load_model(tmp_path / "model").sample(2, seed=1) == model.sample(2, seed=1)
    record = json.loads((tmp_path / "model" / "model.json").read_text())
    record["fitted"]["level_weights"][0][-1] = 0.0
    (tmp_path / "model" / "model.json").write_text(json.dumps(record))
    with pytest.raises(FormatError, match="weights of the levels"):
        hh.load_model(tmp_path / "model")


@pytest.mark.parametrize("options", [{"weights": "best"}, {"levels": 0}, {"degrees": "most"}, {"seed": -1}])
def test_bad_arguments(options):
    with pytest.raises(GeneratorError, match=next(iter(options))):
        hh.HyperLap(**options)
