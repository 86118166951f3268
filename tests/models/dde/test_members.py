"""Members of hyperlinks: independent ones, and those of a given size, against enumerations."""

import itertools
from collections import Counter

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from hyperhedge.errors import GeneratorError
from hyperhedge.models.dde import members
from hyperhedge.models.dde.members import (
    Logits,
    independent_members,
    matched,
    members_of_sizes,
    members_with_sizes,
    tilt,
)


def logits_of(row, count):
    """Give ``count`` hyperlinks the same row of logits."""
    row = np.asarray(row, dtype=float)
    return Logits.of(row, np.zeros((len(row), 1)), np.zeros((count, 1)))


def sets_of(nodes, edges, count):
    """Return the members of each hyperlink, and refuse one that has a node twice."""
    held = [[] for _ in range(count)]
    for v, e in zip(nodes.tolist(), edges.tolist(), strict=True):
        held[e].append(v)
    assert all(len(set(x)) == len(x) for x in held)
    return [frozenset(x) for x in held]


def p_value(sets, law):
    seen = Counter(sets)
    assert set(seen) <= set(law)
    expected = np.array([law[key] for key in law]) * len(sets)
    counts = np.array([seen[key] for key in law])
    rare = expected < 5
    if rare.any():
        counts, expected = (np.append(x[~rare], x[rare].sum()) for x in (counts, expected))
    return stats.chisquare(counts, expected).pvalue


def bernoulli_law(row):
    chance = 1 / (1 + np.exp(-np.asarray(row, dtype=float)))
    sets = itertools.chain.from_iterable(itertools.combinations(range(len(row)), k) for k in range(len(row) + 1))
    return {frozenset(s): float(np.prod([c if v in s else 1 - c for v, c in enumerate(chance)])) for s in sets}


def law_given_size(row, k):
    law = {s: p for s, p in bernoulli_law(row).items() if len(s) == k}
    return {s: p / sum(law.values()) for s, p in law.items()}


ROWS = [[0.0, 0.0, 0.0], [2.0, -1.0, 0.3, -3.0], [4.0, 3.0, -0.2, 1.0, -1.0], [-2.0, -2.5, -3.0, -1.0, -4.0]]


@pytest.mark.parametrize("row", ROWS)
def test_independent_members_have_their_law(row):
    found = sets_of(*independent_members(logits_of(row, 20_000), np.random.default_rng(1)), 20_000)
    assert p_value(found, bernoulli_law(row)) > 1e-3


@pytest.mark.parametrize("row", ROWS)
def test_members_of_a_size_have_the_conditional_law(row):
    for k in range(1, len(row)):
        which, sizes = np.arange(6000), np.full(6000, k)
        found = sets_of(*members_of_sizes(logits_of(row, 6000), which, sizes, np.random.default_rng(k)), 6000)
        assert p_value(found, law_given_size(row, k)) > 1e-3


@pytest.mark.parametrize("row", ROWS)
def test_the_tilt_is_only_for_speed(row, monkeypatch):
    monkeypatch.setattr(members, "tilt", lambda logits, sizes: torch.full((len(sizes),), 0.7) + 0 * logits[:, 0])
    which, sizes = np.arange(4000), np.full(4000, 2)
    found = sets_of(*members_of_sizes(logits_of(row, 4000), which, sizes, np.random.default_rng(5)), 4000)
    assert p_value(found, law_given_size(row, 2)) > 1e-3


def test_hyperlinks_have_logits_of_their_own(monkeypatch):
    """Each pair is a member as often as its own probability says, in blocks of any length."""
    rng = np.random.default_rng(0)
    offsets, nodes, edges = rng.normal(-1, 1, 7), rng.normal(size=(7, 2)), rng.normal(size=(5, 2))
    chance = 1 / (1 + np.exp(-(offsets[:, None] + nodes @ edges.T)))
    for block in (1, 20, 1 << 20):
        monkeypatch.setattr(members, "BLOCK", block)
        counts, draw = np.zeros((7, 5)), np.random.default_rng(3)
        for _ in range(3000):
            v, e = independent_members(Logits.of(offsets, nodes, edges), draw)
            counts[v, e] += 1
        assert (abs(counts / 3000 - chance) < 4.5 * np.sqrt(chance * (1 - chance) / 3000)).all()


def test_degrees_have_their_expectation_and_variance():
    """A degree is a sum of independent members, one for each hyperlink."""
    rng = np.random.default_rng(2)
    offsets, nodes, edges = rng.normal(-2, 1, 30), rng.normal(size=(30, 3)), rng.normal(size=(80, 3))
    chance = 1 / (1 + np.exp(-(offsets[:, None] + nodes @ edges.T)))
    logits = Logits.of(offsets, nodes, edges)
    degrees = np.array([np.bincount(independent_members(logits, rng)[0], minlength=30) for _ in range(1500)])
    mean, variance = chance.sum(1), (chance * (1 - chance)).sum(1)
    assert (abs(degrees.mean(0) - mean) < 4.5 * np.sqrt(variance / 1500)).all()
    np.testing.assert_allclose(degrees.var(0), variance, rtol=0.25)


@given(st.lists(st.floats(-30, 30), min_size=2, max_size=9), st.data())
@settings(max_examples=60)
def test_sizes_are_exact_whatever_the_logits_are(row, data):
    sizes = np.array(data.draw(st.lists(st.integers(0, len(row)), min_size=1, max_size=6)))
    rng = np.random.default_rng(0)
    nodes, edges = members_of_sizes(logits_of(row, len(sizes)), np.arange(len(sizes)), sizes, rng)
    found = sets_of(nodes, edges, len(sizes))
    assert [len(s) for s in found] == sizes.tolist()


def test_only_the_hyperlinks_asked_for_are_sampled():
    logits = logits_of([0.0, 1.0, 2.0, -1.0], 9)
    nodes, edges = members_of_sizes(logits, np.array([7, 2, 5]), np.array([4, 1, 0]), np.random.default_rng(0))
    assert Counter(edges.tolist()) == {7: 4, 2: 1}
    assert len(nodes) == 5


@given(st.lists(st.floats(-8, 8), min_size=3, max_size=30), st.data())
@settings(max_examples=80)
def test_the_tilt_makes_the_expected_size_right(row, data):
    sizes = np.array(data.draw(st.lists(st.integers(1, len(row) - 1), min_size=1, max_size=4)))
    rows = torch.tensor([row] * len(sizes))
    expected = (rows + tilt(rows, sizes)[:, None]).double().sigmoid().sum(1).numpy()
    assert (abs(expected - sizes) <= 0.06).all()


def test_nodes_that_cannot_be_told_apart_from_certain_ones_are_refused(monkeypatch):
    monkeypatch.setattr(members, "tilt", lambda logits, sizes: 0 * logits[: len(sizes), 0])
    monkeypatch.setattr(members, "_ATTEMPTS", 20)
    logits = logits_of([60.0, 60.0, -60.0], 1)
    with pytest.raises(GeneratorError, match=r"21 attempts to sample a hyperlink .* give sizes='model'"):
        members_of_sizes(logits, np.array([0]), np.array([1]), np.random.default_rng(0))


# -- sizes as in data -----------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=20), st.integers(0, 99))
def test_sizes_are_given_in_the_order_of_those_drawn(pairs, seed):
    drawn, sizes = np.array(pairs).T
    wanted = matched(drawn, sizes, np.random.default_rng(seed))
    assert sorted(wanted) == sorted(sizes)
    assert all(wanted[i] <= wanted[j] for i, j in itertools.product(range(len(drawn)), repeat=2) if drawn[i] < drawn[j])


def test_ties_are_in_random_order():
    rng = np.random.default_rng(0)
    first = Counter(int(matched(np.array([2, 2]), np.array([1, 5]), rng)[0]) for _ in range(400))
    assert abs(first[5] - 200) < 4.5 * 10


def test_given_its_size_a_hyperlink_has_the_conditional_law():
    """Both those that keep their members and those that are sampled again: all of a size together."""
    row, sizes = [1.0, -0.5, 0.2, -2.0], np.array([0, 1, 1, 2, 2, 2, 3, 4])
    rng, found = np.random.default_rng(4), {1: [], 2: [], 3: []}
    for _ in range(1500):
        sets = sets_of(*members_with_sizes(logits_of(row, 8), sizes, rng), 8)
        assert sorted(map(len, sets)) == sizes.tolist()
        for s in sets:
            if len(s) in found:
                found[len(s)].append(s)
    for k, held in found.items():
        assert p_value(held, law_given_size(row, k)) > 1e-3


def test_hyperlinks_that_make_large_ones_get_the_large_sizes():
    logits = Logits.of(np.full(40, -1.0), np.ones((40, 1)), np.array([[3.0], [-3.0], [0.0]]))
    nodes, edges = members_with_sizes(logits, np.array([1, 9, 30]), np.random.default_rng(0))
    assert np.bincount(edges).tolist() == [30, 1, 9]
    assert len(nodes) == 40


def test_nothing_to_sample():
    for logits in (logits_of([], 3), logits_of([0.0, 1.0], 0)):
        nodes, edges = independent_members(logits, np.random.default_rng(0))
        assert len(nodes) == len(edges) == 0
