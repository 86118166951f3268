"""The synthetic regimes: their laws, against closed forms and plain simulations."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from hyperhedge import ConfigurationModel
from hyperhedge.data import REGIMES, Committee, Configuration, OverlappingBlocks, SparseTailOverlap
from hyperhedge.data.regimes import _sample_members
from hyperhedge.errors import HyperhedgeError
from hyperhedge.metrics import METRICS

regimes = st.sampled_from([regime() for regime in REGIMES.values()])


@given(regimes, st.integers(1, 12), st.integers(1, 12), st.integers(0, 4), st.integers(0, 2**32))
def test_any_shape_without_empty_hyperedges(regime, n, m, count, seed):
    bank = regime.sample(n, m, count, seed)
    assert [(H.n, H.m) for H in bank] == [(n, m)] * count
    assert all(H.edge_sizes.min() >= 1 for H in bank)


@pytest.mark.parametrize("regime", REGIMES.values(), ids=REGIMES)
def test_a_seed_says_it_all(regime):
    long = regime().sample(20, 10, 200, seed=3)
    assert long == regime().sample(20, 10, 200, seed=3)
    assert long[:7] == regime().sample(20, 10, 7, seed=3)
    assert long[:7] != regime().sample(20, 10, 7, seed=4)
    assert len(set(long)) == 200
    assert regime().sample(20, 10) != regime().sample(20, 10)


def test_members_are_sampled_without_replacement_by_weight():
    """Two of three nodes with weights 1, 2, 4: the law of successive choices, by enumeration."""
    weights = np.array([1.0, 2.0, 4.0])
    expected = np.zeros(3)
    for first in range(3):
        for second in set(range(3)) - {first}:
            chance = weights[first] / 7 * weights[second] / (7 - weights[first])
            expected[3 - first - second] += chance  # by the node that is left out
    count = 20_000
    log_weights = np.broadcast_to(np.log(weights)[None, :, None], (count, 3, 1))
    members = _sample_members(log_weights, np.full((count, 1), 2), np.random.default_rng(0))
    left_out = np.argmin(members[:, :, 0], axis=1)
    assert stats.chisquare(np.bincount(left_out), expected * count).pvalue > 0.001


def test_configuration_has_the_stated_sizes_and_uneven_degrees():
    bank = Configuration(mean_size=5, degree_spread=1).sample(400, 40, 200, seed=0)
    sizes = np.concatenate([H.edge_sizes for H in bank])
    # 8,000 sizes of variance 12 (2 plus a geometric number of mean 3): the mean is within 4 standard errors.
    assert abs(sizes.mean() - 5) < 4 * np.sqrt(12 / len(sizes))
    share = np.bincount(sizes, minlength=5)[2:5] / len(sizes)
    assert np.allclose(share, 0.25 * 0.75 ** np.arange(3), atol=0.02)
    degrees = np.stack([H.degrees for H in bank])
    even = np.stack([H.degrees for H in Configuration(degree_spread=0).sample(400, 40, 200, seed=0)])
    # Poisson given weights of squared coefficient of variation e − 1: mean + (e − 1) mean².
    assert abs(degrees.var() - (0.5 + 0.25 * (np.e - 1))) < 0.1
    assert abs(even.var() / even.mean() - 1) < 0.1  # nearly Poisson


def test_configuration_has_no_structure_beyond_weights():
    """Given all nodes alike, two hyperedges overlap as independent uniform sets do: hypergeometrically."""
    bank = Configuration(mean_size=6, degree_spread=0).sample(30, 2, 4000, seed=1)
    shared = np.array([H.overlaps.sum() / 2 for H in bank])
    expected = np.array([H.edge_sizes[0] * H.edge_sizes[1] / 30 for H in bank])
    gap = shared - expected
    assert abs(gap.mean()) < 4 * gap.std() / np.sqrt(len(gap))


def test_blocks_repeat_their_members():
    """Hyperedges of one group overlap far more than those of two, of which there are as many as groups make."""
    regime = OverlappingBlocks(blocks=4, overlap=0.0, attendance=0.5, leak=1e-9)
    for H in regime.sample(80, 8, 50, seed=0):
        together = H.overlaps.toarray() > 0
        # Two hyperedges a group: each meets at most the other one of its group.
        assert together.sum(axis=1).max() <= 1
    shared = [H.overlaps.max() for H in regime.sample(80, 8, 200, seed=1)]
    assert np.mean(shared) > 4  # 20 nodes a group, half of them each: about 5 of 20


def test_overlap_makes_groups_meet():
    apart = OverlappingBlocks(overlap=0.0, leak=1e-9).sample(60, 20, 100, seed=0)
    meeting = OverlappingBlocks(overlap=0.8, leak=1e-9).sample(60, 20, 100, seed=0)
    assert np.mean([H.overlaps.nnz for H in meeting]) > 1.5 * np.mean([H.overlaps.nnz for H in apart])


def test_committee_sizes_are_broad():
    sizes = np.concatenate([H.edge_sizes for H in Committee(smallest=0.1, largest=0.4).sample(100, 16, 500, seed=0)])
    assert (sizes.min(), sizes.max()) == (10, 40)
    assert abs(np.median(sizes) - 20) <= 1  # log-uniform: the geometric mean of the ends
    assert stats.kstest(np.log(sizes), stats.uniform(np.log(10), np.log(4)).cdf).statistic < 0.05


@pytest.mark.parametrize("parameter", ["loyalty", "seniority"])
def test_committee_parameters_add_overlap(parameter):
    base = {"loyalty": 1.0, "leaning": 1.0, "seniority": 0.0}
    strong = {"loyalty": 20.0, "seniority": 2.0}
    weak = [H.overlaps.sum() for H in Committee(**base).sample(64, 16, 200, seed=0)]
    more = [H.overlaps.sum() for H in Committee(**{**base, parameter: strong[parameter]}).sample(64, 16, 200, seed=0)]
    assert np.mean(more) > 1.1 * np.mean(weak)


def test_committees_that_lean_to_one_party_share_more():
    """7 of 15 pairs lean alike: leaning nearly leaves the mean overlap, and spreads it."""
    even, leaning = (
        np.concatenate(
            [
                H.overlaps.toarray()[np.triu_indices(16, 1)]
                for H in Committee(0.25, 0.25, 0.0, strength, 0.0, 1.0).sample(64, 16, 100, seed=0)
            ]
        )
        for strength in (1.0, 20.0)
    )
    assert abs(leaning.mean() - 4) < 0.4  # 16 of 64 each: 4 shared on average
    assert abs(even.mean() - 4) < 0.1
    assert leaning.var() > 3 * even.var()


def test_sparse_tail_has_the_stated_pairs():
    regime = SparseTailOverlap(smallest=4, largest=4, paired=0.2, shared=3)
    bank = regime.sample(10_000, 20, 50, seed=0)  # so many nodes that others hardly meet by chance
    for H in bank:
        assert (H.edge_sizes == 4).all()
        assert (np.sort(H.overlaps.data)[-8:] == 3).all()  # four pairs, each counted twice
        assert (H.overlaps.data >= 2).sum() == 8
    assert all(H.overlaps.nnz == 0 for H in SparseTailOverlap(paired=0.0).sample(100_000, 5, 20, seed=0))


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda: Configuration(mean_size=1.5), "mean_size"),
        (lambda: Configuration(degree_spread=float("nan")), "degree_spread"),
        (lambda: Configuration(mean_size="4"), "mean_size"),
        (lambda: OverlappingBlocks(blocks=0), "blocks"),
        (lambda: OverlappingBlocks(blocks=2.5), "blocks"),
        (lambda: OverlappingBlocks(overlap=1.5), "overlap"),
        (lambda: Committee(smallest=0.6), "smallest"),
        (lambda: Committee(loyalty=0), "loyalty"),
        (lambda: SparseTailOverlap(paired=0.6), "paired"),
        (lambda: SparseTailOverlap(shared=1.5), "shared"),
        (lambda: SparseTailOverlap(smallest=9), "smallest"),
        (lambda: Committee().sample(0, 3, 1), "n and m"),
        (lambda: Committee().sample(3, 3, -1), "count"),
    ],
)
def test_bad_parameters_are_named(make, what):
    with pytest.raises(HyperhedgeError, match=what):
        make()


@pytest.mark.parametrize("name", REGIMES)
def test_only_the_configuration_regime_is_explained_by_degrees_and_sizes(name):
    """The configuration model keeps degrees and sizes: it should reach the floor there and nowhere else."""
    regime, metric = REGIMES[name](), METRICS["edge_spectral_wd"]
    train, real, *others = (regime.sample(64, 25, 200, seed=seed) for seed in range(6))
    shuffled = ConfigurationModel().fit(train).sample(200, seed=0)
    ratio = metric(real, shuffled) / np.mean([metric(real, other) for other in others])
    assert ratio < 2.5 if name == "configuration" else ratio > 4


def test_partners_keep_their_sizes_where_nodes_are_few():
    """Two hyperedges of 4 on 5 nodes cannot share just one: they share three, and neither grows."""
    for H in SparseTailOverlap(smallest=4, largest=4, paired=0.5, shared=1).sample(5, 10, 20, seed=0):
        assert (H.edge_sizes == 4).all()


def test_partners_and_subcommittees_come_in_any_order():
    """Without shuffling, only the first and the last hyperedges would be partners, and the large roots come first."""
    bank = SparseTailOverlap(smallest=4, largest=4, paired=0.2, shared=3).sample(10_000, 10, 200, seed=0)
    paired = np.stack([H.overlaps.toarray().max(1) >= 3 for H in bank]).mean(0)
    # Four of ten each time: every share is within 4 standard errors of 0.4.
    assert np.abs(paired - 0.4).max() < 4 * np.sqrt(0.24 / 200)
    committees = Committee(subcommittees=0.5, loyalty=1000).sample(64, 6, 400, seed=0)
    overlaps = np.stack([H.overlaps.toarray().sum(1) for H in committees]).mean(0)
    assert overlaps.max() < 1.25 * overlaps.min()
