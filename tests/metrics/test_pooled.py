"""Distances of pooled numbers against scipy, with weights against explicit repetition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import wasserstein_distance

from hyperhedge.metrics import pooled as module
from hyperhedge.metrics.pooled import PooledValues, kolmogorov_smirnov, wasserstein

integers = st.lists(st.lists(st.integers(0, 9), max_size=6), min_size=1, max_size=5)
reals = st.lists(st.lists(st.floats(-5, 5, width=32), max_size=6), min_size=1, max_size=5)
collections = st.one_of(integers, reals)


def pool_of(lists):
    return PooledValues.of_arrays([np.array(numbers, dtype=float) for numbers in lists])


def repeated(lists, weights):
    return [x for numbers, weight in zip(lists, weights, strict=True) for _ in range(int(weight)) for x in numbers]


def below(numbers, t):
    return sum(x <= t for x in numbers) / len(numbers)


@given(collections, collections, st.integers(0, 2**32 - 1))
def test_weights_are_repetitions(first, second, seed):
    rng = np.random.default_rng(seed)
    W, V = (rng.integers(0, 4, (5, len(lists))).astype(float) for lists in (first, second))
    a, b = pool_of(first), pool_of(second)
    w1, ks = wasserstein(a, b, W, V), kolmogorov_smirnov(a, b, W, V)
    for row in range(5):
        x, y = repeated(first, W[row]), repeated(second, V[row])
        if x and y:
            assert w1[row] == pytest.approx(wasserstein_distance(x, y), abs=1e-9)
            assert ks[row] == pytest.approx(max(abs(below(x, t) - below(y, t)) for t in x + y), abs=1e-9)
        else:
            assert np.isnan(w1[row])
            assert np.isnan(ks[row])


@given(integers)
def test_counting_integers_gives_the_same_sample(lists):
    owner = np.repeat(np.arange(len(lists)), [len(numbers) for numbers in lists])
    value = np.array([x for numbers in lists for x in numbers], dtype=np.int64)
    counted, plain = PooledValues.of_integers(owner, value, len(lists)), pool_of(lists)
    for measure in ("totals", "means", "deviations", "maxima"):
        one, other = (getattr(s, measure) for s in (counted, plain))
        one, other = (each() if callable(each) else each for each in (one, other))
        np.testing.assert_allclose(one, other, atol=1e-12)
    means = [np.mean(numbers) if numbers else 0.0 for numbers in lists]
    deviations = [np.std(numbers) if numbers else 0.0 for numbers in lists]
    np.testing.assert_allclose(counted.means(), means, atol=1e-12)
    np.testing.assert_allclose(counted.deviations(), deviations, atol=1e-12)
    assert counted.maxima().tolist() == [max(numbers, default=0) for numbers in lists]
    assert counted.count_at_least(4).tolist() == [sum(x >= 4 for x in numbers) for numbers in lists]


def test_blocks_of_replicates_and_sorted_counting_change_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    owner, value = rng.integers(0, 20, 400), rng.integers(0, 30, 400)
    W, V = rng.random((17, 20)), rng.random((17, 20))

    def both():
        a, b = PooledValues.of_integers(owner, value, 20), PooledValues.of_integers(owner[::2], value[::2] + 3, 20)
        return wasserstein(a, b, W, V), kolmogorov_smirnov(a, b, W, V)

    whole = both()
    monkeypatch.setattr(module, "_BLOCK", 50)
    np.testing.assert_allclose(both(), whole, rtol=1e-12)


def test_nothing_at_all_has_no_distance():
    nothing = pool_of([[], []])
    weights = np.ones((2, 2))
    assert np.isnan(wasserstein(nothing, nothing, weights, weights)).all()
    assert np.isnan(kolmogorov_smirnov(nothing, nothing, weights, weights)).all()
