"""Validity, novelty, diversity and detectability find what is planted, and are quiet where nothing is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hyperhedge as hh
from hyperhedge.errors import UndefinedError
from hyperhedge.metrics import Statistics, statistics_of
from hyperhedge.metrics.detectability import classifier_auc, detectability_score, permutation_p_value
from hyperhedge.metrics.diversity import diversity, vendi_score
from hyperhedge.metrics.features import FeatureScale, features, gaussian_kernel
from hyperhedge.metrics.novelty import novelty
from hyperhedge.metrics.validity import Ranges, defects, validity
from hyperhedge.models.erdos_renyi import ErdosRenyi
from laws import rewired, shuffled, teams
from strategies import hypergraphs

TRAIN, HELD_OUT, FRESH = (statistics_of(teams(count, seed=seed)) for count, seed in ((80, 1), (60, 2), (60, 3)))


def rng():
    return np.random.default_rng(0)


# -- validity ----------------------------------------------------------------------------------------


def validity_of(real, generated, *others):
    ranges = Ranges.of(real, *others)
    return validity(defects(real, ranges), defects(generated, ranges))


def collection(*hypergraphs):
    return Statistics(tuple(hypergraphs))


CLEAN = hh.Hypergraph([[0, 1], [1, 2], [2, 3], [3, 0]])


def test_only_defects_beyond_those_of_the_data_count():
    clean = collection(*[CLEAN] * 4)
    isolated = collection(*[hh.Hypergraph([[0, 1], [1, 2], [2, 3], [3, 0]], nodes=5)] * 4)
    assert validity_of(clean, clean) == validity_of(isolated, isolated) == validity_of(isolated, clean) == 1
    assert validity_of(clean, isolated) == pytest.approx(1 - 1 / 5)


def spoilt(**changes):
    """Return hypergraphs of 200 nodes and 100 hyperedges, a ring of pairs, with one defect in some amount."""
    hyperedges = [[2 * k, (2 * k + 1)] for k in range(100)] + [[2 * k + 1, (2 * k + 2) % 200] for k in range(100)]
    count = changes.get("count", 0)
    if changes["what"] == "isolated":
        hyperedges = [[v % (200 - count) for v in edge] for edge in hyperedges]
    elif changes["what"] == "empty":
        hyperedges[:count] = [[]] * count
    elif changes["what"] == "singleton":
        hyperedges[:count] = [edge[:1] for edge in hyperedges[:count]]
    elif changes["what"] == "repeated":
        hyperedges[:count] = [hyperedges[-1]] * count
    elif changes["what"] == "large":
        hyperedges[:count] = [[(edge[0] + k) % 200 for k in range(13)] for edge in hyperedges[:count]]
    return hh.Hypergraph(hyperedges, nodes=200)


@pytest.mark.parametrize(
    ("what", "name"),
    [
        ("isolated", "isolated nodes"),
        ("empty", "empty hyperedges"),
        ("singleton", "singleton hyperedges"),
        ("repeated", "repeated hyperedges"),
        ("large", "edge sizes out of range"),
    ],
)
def test_amounts_count(what, name):
    """One defect in each hypergraph is little, nearly everything is much: not the share of hypergraphs decides."""
    real = collection(*[spoilt(what="none")] * 3)
    scores = [validity_of(real, collection(*[spoilt(what=what, count=count)] * 3)) for count in (1, 20, 195)]
    assert 0.94 < scores[0] < 1
    assert scores[1] < 0.95
    assert scores[2] < 0.1
    ranges = Ranges.of(real)
    (defect,) = [d for d in defects(collection(spoilt(what=what, count=20)), ranges) if d.name == name]
    assert defect.share == pytest.approx(20 / 200)
    assert defect.hypergraphs == 1


def test_sizes_far_beyond_those_of_the_data_are_invalid():
    law = np.random.default_rng(0)
    real = collection(
        *(
            hh.Hypergraph([law.choice(40, law.integers(2, 6), replace=False) for _ in range(20)], nodes=40)
            for _ in range(30)
        )
    )
    made = collection(
        *(
            hh.Hypergraph([law.choice(40, law.integers(10, 16), replace=False) for _ in range(20)], nodes=40)
            for _ in range(30)
        )
    )
    assert validity_of(real, made) == 0


def test_a_range_is_that_of_training_hypergraphs_too():
    real, train = collection(CLEAN), collection(hh.Hypergraph([[0, 1, 2], [0, 3], [1, 2, 3]]))
    made = collection(hh.Hypergraph([[0, 1, 3], [1, 2], [2, 3, 0]]))
    assert validity_of(real, made) == pytest.approx(1 - 2 / 3)
    assert validity_of(real, made, train) == 1


def test_degrees_out_of_range_are_defects():
    star = hh.Hypergraph([[0, k] for k in range(1, 9)])
    assert validity_of(collection(CLEAN), collection(star)) == pytest.approx(1 - 1)  # leaves have degree 1, the hub 8
    ranges = Ranges.of(collection(CLEAN), collection(hh.Hypergraph([[0, 1]])))
    (degrees,) = [d for d in defects(collection(star), ranges) if d.name == "degrees out of range"]
    assert degrees.share == pytest.approx(1 / 9)


def test_chance_is_no_defect():
    """Half the hypergraphs have an isolated node, by chance a few more than the real ones."""
    ring, with_one = CLEAN, hh.Hypergraph([[0, 1], [1, 2], [2, 3], [3, 0]], nodes=5)
    real = collection(*[ring] * 20, *[with_one] * 20)
    assert validity_of(real, collection(*[ring] * 17, *[with_one] * 23)) == 1
    assert validity_of(real, collection(*[ring] * 2, *[with_one] * 38)) < 1


@given(st.lists(hypergraphs(), min_size=1, max_size=4), st.lists(hypergraphs(), min_size=1, max_size=4))
def test_the_score_is_between_0_and_1_and_1_for_the_data_themselves(real, made):
    real, made = collection(*real), collection(*made)
    assert 0 <= validity_of(real, made) <= 1
    assert validity_of(real, real) == validity_of(real, real, made) == 1


@pytest.mark.parametrize("regime", ["committee", "overlapping-blocks", "configuration", "sparse-tail-overlap"])
def test_fresh_samples_of_a_law_are_valid(regime):
    scores = []
    for seed in range(5):
        train, held_out, fresh = (
            statistics_of(hypergraphs)
            for hypergraphs in hh.load_dataset(regime).splits(24, 10, (40, 40, 40), seed=seed)
        )
        scores.append(validity_of(held_out, fresh, train))
    assert np.mean(scores) > 0.98
    assert min(scores) > 0.93


@pytest.mark.filterwarnings("ignore::hyperhedge.errors.DataWarning")  # all pieces are thinner than the whole alike
@pytest.mark.parametrize("name", ["cora", "house-committees", "southern-women"])
def test_further_real_hypergraphs_are_valid(name, mirror, monkeypatch):
    monkeypatch.setenv("HYPERHEDGE_DATA", str(mirror))
    dataset = hh.load_dataset(name)
    shape = (10, 8) if name == "southern-women" else (48, 20)
    for seed in range(3):
        held_out, _, fresh = dataset.splits(*shape, (30, 0, 30), seed=seed)
        assert validity_of(statistics_of(held_out), statistics_of(fresh)) > 0.9


# -- novelty -----------------------------------------------------------------------------------------


def test_fresh_hypergraphs_are_new():
    result = novelty(TRAIN, HELD_OUT, FRESH)
    assert result.copied == 0
    assert result.ratio == pytest.approx(1, abs=0.1)
    assert result.closer < 0.2
    assert result.score > 0.85


def test_a_memoriser_is_caught():
    copies = statistics_of(shuffled(TRAIN.hypergraphs)[:60])
    result = novelty(TRAIN, HELD_OUT, copies)
    assert (result.copied, result.distance, result.ratio, result.score) == (1, 0, 0, 0)
    half = statistics_of(list(copies.hypergraphs[:30]) + list(FRESH.hypergraphs[:30]))
    assert novelty(TRAIN, HELD_OUT, half).copied == 0.5
    assert novelty(TRAIN, HELD_OUT, half).score == pytest.approx(0.5, abs=0.05)


def test_a_memoriser_with_noise_is_caught_by_distance():
    train, held_out = (statistics_of(teams(60, n=64, m=25, seed=seed)) for seed in (1, 2))
    result = novelty(train, held_out, statistics_of(rewired(train.hypergraphs, 0.015, seed=1)))
    assert result.copied < 0.4
    assert result.closer > 0.8
    assert result.score < 0.2


def test_held_out_hypergraphs_that_are_copies_excuse_copies():
    small = [hh.Hypergraph([[0, 1]]), hh.Hypergraph([[0, 1], [1, 2]])]
    collection = Statistics(tuple(small * 5))
    result = novelty(collection, collection, collection)
    assert (result.copied, result.copied_held_out) == (1, 1)
    assert np.isnan(result.score)
    assert np.isnan(result.ratio)


# -- diversity ---------------------------------------------------------------------------------------


def test_fresh_hypergraphs_are_as_diverse_as_real_ones():
    result = diversity(HELD_OUT, FRESH, rng())
    assert result.unique == result.unique_real == 1
    assert result.score > 0.85


def test_mode_collapse_is_caught():
    few = statistics_of(shuffled([FRESH.hypergraphs[i % 6] for i in range(60)]))
    result = diversity(HELD_OUT, few, rng())
    assert result.unique == 0.1
    assert result.score <= 0.1
    around_one = statistics_of(rewired([FRESH.hypergraphs[0]] * 60, 0.05, seed=2))
    result = diversity(HELD_OUT, around_one, rng())
    assert result.unique > 0.7
    assert result.spread < 0.9 * result.spread_real
    assert result.score < 0.6


def test_diversity_is_compared_at_one_count():
    result = diversity(HELD_OUT, statistics_of(FRESH.hypergraphs[:15]), rng())
    assert result.vendi / result.vendi_real == pytest.approx(1, abs=0.3)
    assert result.score > 0.65
    with pytest.raises(UndefinedError, match="only one"):
        diversity(HELD_OUT, statistics_of(FRESH.hypergraphs[:1]), rng())


def test_the_vendi_score_counts_groups():
    blocks = np.kron(np.eye(4), np.ones((3, 3)))
    assert vendi_score(blocks) == pytest.approx(4)
    x = features(HELD_OUT)
    kernel = gaussian_kernel(FeatureScale.of(x)(x), FeatureScale.of(x)(x))
    shares = np.linalg.eigvalsh(kernel / len(x))
    assert vendi_score(kernel) == pytest.approx(1 / (shares**2).sum())


# -- detectability -----------------------------------------------------------------------------------


def same_law(seed):
    law = np.random.default_rng(seed)
    sample = [hh.Hypergraph.from_incidence(law.random((8, 6)) < law.beta(3, 5)) for _ in range(50)]
    return Statistics(tuple(sample[:30])), Statistics(tuple(sample[30:]))


def test_under_one_law_p_values_are_uniform_and_the_classifier_is_a_coin():
    """60 pairs of collections: Kolmogorov–Smirnov distance to uniform below its 0.1% point, the mean AUC within 4 errors of 0.5."""
    pairs = [same_law(seed) for seed in range(60)]
    p = np.sort([permutation_p_value(*pair, np.random.default_rng(k), 199) for k, pair in enumerate(pairs)])
    steps = np.arange(61) / 60
    assert max(np.abs(p - steps[1:]).max(), np.abs(p - steps[:-1]).max()) < 1.95 / np.sqrt(60)
    aucs = [classifier_auc(*pair, np.random.default_rng(k)) for k, pair in enumerate(pairs[:30])]
    assert abs(np.mean(aucs) - 0.5) < 4 * np.std(aucs) / np.sqrt(30)
    assert np.std(aucs) < 0.12


def test_independent_incidences_are_told_from_structure():
    independent = statistics_of(ErdosRenyi().fit(TRAIN.hypergraphs).sample(60, seed=1))
    assert permutation_p_value(HELD_OUT, independent, rng()) == 0.001
    assert classifier_auc(HELD_OUT, independent, rng()) > 0.95


def test_a_law_that_is_too_narrow_is_seen():
    law = teams(180, seed=7)
    counts = np.array([H.num_incidences for H in law])
    narrow = statistics_of([law[i] for i in np.argsort(np.abs(counts - np.median(counts)))[:60]])
    assert classifier_auc(HELD_OUT, narrow, rng()) > 0.65
    assert permutation_p_value(HELD_OUT, narrow, rng()) < 0.05


def test_deals_are_those_of_a_loop(monkeypatch):
    real, other = same_law(3)
    other = statistics_of(rewired(other.hypergraphs, 0.2))
    x = np.vstack((features(real), features(other)))
    kernel = gaussian_kernel(FeatureScale.of(x)(x), FeatureScale.of(x)(x))

    def statistic(order):
        a, b = order[:30], order[30:]
        return kernel[np.ix_(a, a)].mean() + kernel[np.ix_(b, b)].mean() - 2 * kernel[np.ix_(a, b)].mean()

    generator = np.random.default_rng(5)
    deals = [statistic(generator.permutation(50)) for _ in range(3000)]
    expected = np.mean(np.array(deals) >= statistic(np.arange(50)))
    assert permutation_p_value(real, other, rng(), 3000) == pytest.approx(expected, abs=0.03)
    monkeypatch.setattr("hyperhedge.metrics.detectability._BLOCK", 500)
    assert permutation_p_value(real, other, rng(), 3000) == pytest.approx(expected, abs=0.03)


def test_the_score_of_a_classifier():
    assert detectability_score(0.5) == detectability_score(0.3) == 1
    assert detectability_score(0.9) == pytest.approx(0.2)
    with pytest.raises(UndefinedError, match="needs at least 10 hypergraphs per side, not 60 and 3"):
        classifier_auc(HELD_OUT, statistics_of(FRESH.hypergraphs[:3]), rng())
