"""Sampling: sizes, numbers of hyperedges, repairs."""

import numpy as np
import pytest
import torch

import hyperhedge as hh
from hyperhedge.core.summary import summarise
from hyperhedge.errors import GeneratorError
from hyperhedge.models.hygene import sampling
from hyperhedge.models.hygene.batch import Values
from hyperhedge.models.hygene.coarsen import Coarsening
from hyperhedge.models.hygene.sampling import edge_numbers, next_size
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
    assert {(H.n, H.m) for H in model.sample(3, seed=1, n=12)} == {(12, 6)}
    assert {(H.n, H.m) for H in model.sample(3, seed=1, n=8, m=7)} == {(8, 7)}
    assert [(H.n, H.m) for H in model.sample(1, n=0, repeats="allow")] == [(0, 6)]
    assert [(H.n, H.m) for H in model.sample(1, m=0)] == [(10, 0)]
    tiny = quick().fit([hh.Hypergraph([[0]] * 4)])
    assert [(H.n, H.m) for H in tiny.sample(1, n=1, m=5)] == [(1, 5)]


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ({"n": 7}, "n must be from 8 to 12 .*, not 7"),
        ({"n": 13}, "n must be from 8"),
        ({"m": 4}, "m must be from 5 to 7"),
        ({"n": 10, "m": 8}, "m must be from 5 to 7 .*, not 8; fit it to"),
    ],
)
def test_shapes_far_from_the_training_set_s_are_refused(model, shape, message):
    with pytest.raises(GeneratorError, match=message):
        model.sample(1, **shape)


def test_without_bare_nodes_and_hyperedges_in_the_training_set_samples_have_none(model):
    for H in model.sample(12, seed=2):
        assert H.degrees.all()
        assert H.edge_sizes.all()


def test_without_repair_they_may():
    bare = quick(repair=False).fit(covered(6, 10, 6)).sample(30, seed=2)
    assert any((H.degrees == 0).any() for H in bare)


def test_given_nodes_alone_the_number_of_hyperedges_is_free():
    model = quick(given="nodes").fit(covered(6, 10, 6))
    drawn = model.sample(20, seed=3)
    assert {H.n for H in drawn} == {10}
    assert len({H.m for H in drawn}) > 1
    assert all(H.edge_sizes.all() for H in drawn)


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
    monkeypatch.setattr(sampling, "MOST_AT_ONCE", 2)
    told = model.sample(5, seed=1)
    assert len(told) == 5
    assert told == model.sample(5, seed=1)


def growth(planned, target):
    """Return a hypergraph on its way."""
    growing = sampling._Growth(target, target)
    growing.planned = planned
    return growing


def test_the_nodes_that_the_diffusion_says_are_split():
    predicted = np.array([0.9, -0.1, 0.2, -0.8, 0.1, -0.7])
    assert growth(8, 20)._split(predicted, exact=False).tolist() == [2, 1, 2, 1, 2, 1]
    assert growth(8, 20)._split(predicted, exact=True).tolist() == [2, 1, 2, 1, 1, 1]
    assert growth(10, 20)._split(predicted, exact=True).tolist() == [2, 2, 2, 1, 2, 1]
    # never beyond the target, and the last step reaches it
    assert growth(7, 8)._split(predicted, exact=False).tolist() == [2, 1, 2, 1, 1, 1]
    assert growth(10, 10)._split(predicted, exact=False).tolist() == [2, 2, 2, 1, 2, 1]


def test_a_step_that_splits_none_is_taken_again_once():
    step = growth(5, 20)
    none = np.array([-0.5, -0.2, -0.9])
    assert step._split(none, exact=False).tolist() == [1, 1, 1]
    assert step._split(none, exact=False).tolist() == [1, 2, 1]
    assert step._split(none, exact=False).tolist() == [1, 1, 1]


@pytest.mark.parametrize(("exact", "whole"), [(False, True), (True, False)])
def test_numbers_of_nodes_and_hyperedges_that_were_drawn_together_stay_together(monkeypatch, exact, whole):
    """A diffusion that splits components by coins leaves every scale but the last one nodes in hyperedges of their own."""
    seen = []

    def coins(_network, union, _plan, generator):
        split = torch.where(torch.rand(len(union.node_graph), generator=generator) < 0.3, 1.0, -1.0)
        split[np.unique(union.node_graph, return_index=True)[1]] = 1.0  # never none
        kept = torch.where(place(union.node_parents)[union.v] == place(union.edge_parents)[union.e], 1.0, -1.0)
        own = torch.zeros(len(union.edge_graph)).index_copy(0, union.e[kept > 0], split[union.v[kept > 0]])
        return Values(split, (own - 1) / 2, kept)  # a hyperedge becomes one (-1) or two (0)

    def place(parents):
        return torch.tensor([int((parents[:k] == parents[k]).sum()) for k in range(len(parents))])

    take = sampling._Growth.take

    def look(self, *found):
        take(self, *found)
        seen.append(self.H if not self.done else np.eye(1, dtype=bool))

    monkeypatch.setattr(sampling, "_predict", coins)
    monkeypatch.setattr(sampling._Growth, "take", look)
    model = quick(exact_growth=exact).fit(covered(4, 20, 20))
    drawn = model.sample(8, seed=1, n=24, m=24)
    assert {(H.n, H.m) for H in drawn} == {(24, 24)}
    assert all(len(H) == H.shape[1] and (H.sum(0) == 1).all() and (H.sum(1) == 1).all() for H in seen) == whole


# -- repeated hyperedges -----------------------------------------------------------------------------


def test_without_repeats_samples_are_those_of_before(model):
    """What has no repeats is not touched, and the others have as many nodes and hyperedges as before."""
    allowed, forbidden = (model.sample(40, seed=3, repeats=repeats) for repeats in ("allow", "forbid"))
    repeated = [summarise(H).repeated_hyperedges > 0 for H in allowed]
    assert 0 < sum(repeated) < 40
    for H, S, changes in zip(allowed, forbidden, repeated, strict=True):
        assert (H != S) == changes
        assert (S.shape, summarise(S).repeated_hyperedges) == (H.shape, 0)
        assert S.degrees.all()
        assert S.edge_sizes.all()


def test_a_repeat_becomes_what_the_predictions_favour():
    """Of two equal hyperedges, the entry nearest to no decision changes; candidates that were not offered come last."""
    growing = growth(3, 3)
    H = np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1], [0, 0, 1]], dtype=bool)
    score = np.where(H, 0.9, -0.9)
    score[2, 0], score[3, 1] = -0.1, -np.inf
    settings = type("Settings", (), {"repair_edges": True, "repair_nodes": True})()
    changed = growing._distinct(H, score, settings)
    assert np.argwhere(changed != H).tolist() == [[2, 0]]


def test_the_published_preset_leaves_repeats():
    assert hh.Hygene.preset("published").repeats == "allow"


@pytest.mark.parametrize("shape", [{"n": 0}, {"n": 1, "m": 3}])
def test_shapes_without_so_many_different_hyperedges_are_refused(shape):
    model = quick().fit([hh.Hypergraph([[0], [1]]), hh.Hypergraph([[0]]), hh.Hypergraph([[0], [1], [0, 1]])])
    message = r"no hypergraph with [01] nodes and \d hyperedges was found in which all of these are different"
    with pytest.raises(GeneratorError, match=message):
        model.sample(20, seed=1, **shape)
