"""Weights that resample, intervals that cover, floors that do not depend on where they come from."""

import numpy as np
import pytest

import hyperhedge as hh
from hyperhedge.metrics import METRICS, Settings, Statistics
from hyperhedge.metrics.resample import bootstrap_weights, interval, random_halves, random_subsets, rescaled


def test_weights_are_what_they_say():
    rng = np.random.default_rng(0)
    W = bootstrap_weights(30, 2000, rng)
    assert (W.sum(axis=1) == 30).all()
    np.testing.assert_allclose(W.mean(axis=0), 1, atol=0.12)
    np.testing.assert_allclose(W.var(axis=0), 1 - 1 / 30, atol=0.2)
    P = random_subsets(12, 5, 2000, rng)
    assert set(np.unique(P)) == {0.0, 1.0}
    np.testing.assert_allclose(P.mean(axis=0), 5 / 12, atol=0.05)
    one, other = random_halves(9, 2000, rng)
    assert (one.sum(axis=1) == 4).all()
    assert (one * other == 0).all()
    np.testing.assert_allclose(other.mean(axis=0), 4 / 9, atol=0.05)


def test_an_interval_lies_around_the_value():
    rng = np.random.default_rng(0)
    replicates = 5 + rng.standard_normal(100_000)
    assert interval(2.0, replicates, 0.95, signed=True) == pytest.approx((2 - 1.96, 2 + 1.96), abs=0.03)
    assert interval(0.5, replicates, 0.95, signed=False)[0] == 0
    assert np.isnan(interval(np.nan, replicates, 0.95, signed=True)).all()
    assert np.isnan(interval(1.0, np.array([np.nan, 2.0]), 0.95, signed=True)).all()
    with_gaps = np.append(replicates, np.full(50, np.nan))
    assert interval(2.0, with_gaps, 0.9, signed=True) == interval(2.0, replicates, 0.9, signed=True)


def beta_law(count, seed, shift=0.0):
    rng = np.random.default_rng(seed)
    return [hh.Hypergraph.from_incidence(rng.random((12, 8)) < rng.beta(3, 7 - shift)) for _ in range(count)]


@pytest.mark.parametrize("shift", [0.0, 1.0])
@pytest.mark.parametrize(
    "key", ["degree_gap", "size_wd", "overlap_tail_gap", "edge_spectral_wd", "spectral_mmd", "feature_mmd"]
)
def test_intervals_cover_the_mean_at_these_counts(key, shift):
    """40 pairs of collections of 25: at 95%, fewer than 33 would cover with probability 0.0003; 150 replicates each."""
    metric, rng = METRICS[key], np.random.default_rng(1)
    real, other = beta_law(1000, 1), beta_law(1000, 2, shift)
    values, intervals = [], []
    for k in range(40):
        collections = [Statistics(tuple(collection[25 * k : 25 * (k + 1)])) for collection in (real, other)]
        weights = [np.vstack((np.ones(25), bootstrap_weights(25, 150, rng))) for _ in range(2)]
        value, *replicates = metric.compare(*collections, *weights, Settings())
        values.append(value)
        intervals.append(interval(value, np.array(replicates), 0.95, signed=metric.signed))
    covered = sum(low <= np.mean(values) <= high for low, high in intervals)
    assert covered >= 33


@pytest.mark.parametrize("key", ["degree_wd", "intersection_wd", "node_spectral_wd", "spectral_mmd", "feature_mmd"])
def test_halves_rescaled_give_the_floor_of_fresh_draws(key):
    metric = METRICS[key]
    real = [Statistics(tuple(beta_law(40, seed))) for seed in range(12)]
    equal = np.ones((1, 40))
    fresh = np.mean([metric.compare(real[k], real[k + 1], equal, equal, Settings()) for k in range(11)])
    rng = np.random.default_rng(0)
    half = np.mean(
        [metric.compare(collection, collection, *random_halves(40, 20, rng), Settings()) for collection in real]
    )
    assert rescaled(half, (20, 20), (40, 40), metric.rate) == pytest.approx(fresh, rel=0.25)
    assert half > 1.2 * fresh
