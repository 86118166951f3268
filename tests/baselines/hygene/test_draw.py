"""Sampling: sizes, numbers of hyperedges, repairs."""

import numpy as np
import pytest

import hyperhedge as hh
from hyperhedge.baselines.hygene.coarsen import Coarsening
from hyperhedge.baselines.hygene.draw import edge_numbers, next_size
from small_hedge import covered
from small_hygene import quick


def test_the_next_size_is_within_the_shares():
    rng, how = np.random.default_rng(0), Coarsening()
    for n in (1, 2, 7, 11, 30, 100):
        for _ in range(20):
            after = next_size(n, 10_000, how, rng)
            low = n / (1 - (how.most if np.ceil(n / 0.7) <= how.small else how.least))
            assert max(n + 1, int(low)) <= after <= max(n + 1, np.ceil(n / (1 - how.most)))
    assert next_size(90, 91, how, rng) == 91


def test_numbers_of_hyperedges_without_limits_are_the_nearest():
    predicted = np.linspace(-1.5, 1.5, 31)
    numbers = edge_numbers(predicted, 0, 1000)
    assert set(numbers[predicted < -0.34]) == {1}
    assert set(numbers[(predicted > -0.33) & (predicted < 0.33)]) == {2}
    assert set(numbers[predicted > 0.34]) == {3}


@pytest.mark.parametrize(("least", "most", "total"), [(9, 9, 9), (12, 12, 12), (5, 5, 5), (40, 40, 15), (0, 2, 5)])
def test_numbers_of_hyperedges_meet_limits_as_far_as_one_to_three_allow(least, most, total):
    predicted = np.array([-0.9, -0.2, 0.1, 0.5, 1.2])
    numbers = edge_numbers(predicted, least, most)
    assert numbers.sum() == total
    assert (np.diff(numbers) >= 0).all(), "those with the larger predictions become more"
    assert numbers.min() >= 1
    assert numbers.max() <= 3


@pytest.fixture(scope="module")
def model():
    return quick().fit(covered(6, 10, 6))


def test_samples_have_the_sizes_asked_for(model):
    assert {(H.n, H.m) for H in model.sample(5, seed=1)} == {(10, 6)}
    assert {(H.n, H.m) for H in model.sample(3, seed=1, n=15)} == {(15, 6)}
    assert {(H.n, H.m) for H in model.sample(3, seed=1, n=7, m=9)} == {(7, 9)}
    assert [(H.n, H.m) for H in model.sample(1, n=1, m=5)] == [(1, 5)]
    assert [(H.n, H.m) for H in model.sample(1, n=0)] == [(0, 6)]


def test_without_bare_nodes_and_hyperedges_in_the_training_set_samples_have_none(model):
    for H in model.sample(12, seed=2):
        assert H.degrees.all()
        assert H.sizes.all()


def test_without_repair_they_may():
    bare = quick(repair=False).fit(covered(6, 10, 6)).sample(30, seed=2)
    assert any((H.degrees == 0).any() for H in bare)


def test_given_nodes_alone_the_number_of_hyperedges_is_free():
    model = quick(given="nodes").fit(covered(6, 10, 6))
    drawn = model.sample(20, seed=3)
    assert {H.n for H in drawn} == {10}
    assert len({H.m for H in drawn}) > 1
    assert all(H.sizes.all() for H in drawn)


def test_training_hypergraphs_with_bare_parts_allow_them_in_samples():
    H = hh.Hypergraph([[0, 1, 2], [2, 3], []], nodes=8)
    drawn = quick().fit([H]).sample(10, seed=0)
    assert {(S.n, S.m) for S in drawn} == {(8, 3)}
    assert any((S.degrees == 0).any() for S in drawn)


def test_samples_do_not_depend_on_how_many_are_shown(model, capsys):
    from rich.console import Console

    assert model.sample(2, seed=5, progress=Console(quiet=True)) == model.sample(2, seed=5)
    model.sample(2, seed=5, progress=True)
    assert capsys.readouterr().out == ""


def test_more_than_one_batch(model, monkeypatch):
    from hyperhedge.baselines.hygene import draw

    monkeypatch.setattr(draw, "_MOST_AT_ONCE", 2)
    told = model.sample(5, seed=1)
    assert len(told) == 5
    assert told == model.sample(5, seed=1)
