"""Features of pieces by hand and by brute force, and how well two samples are told apart, by theory and by another classifier."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics import roc_auc_score

from hyperhedge import Hypergraph
from hyperhedge.data.likeness import FEATURES, Looks, contrast, features
from strategies import hypergraphs


@given(hypergraphs())
def test_features_by_brute_force(H):
    assume(H.m and H.num_incidences)
    dense = H.incidence.toarray().astype(int)
    sizes, degrees = dense.sum(axis=0), dense.sum(axis=1)
    shared = np.array([int((dense[:, j] & dense[:, k]).sum()) for j, k in combinations(range(H.m), 2)] or [0])
    expected = [
        *(sizes.mean(), sizes.std(), np.log(sizes.max()), np.mean(sizes == 1)),
        *(degrees.std(), np.log(degrees.max()), np.mean(degrees == 0)),
        *(shared.mean(), shared.std(), np.log(1 + shared.max()), np.mean(shared > 0), np.mean(shared > 1)),
    ]
    assert features([H]) == pytest.approx(np.array([expected]), abs=1e-6)


def test_no_pieces_have_no_features():
    assert features([]).shape == (0, len(FEATURES))


def gaussians(shift, count, seed):
    """Two samples that differ by ``shift`` standard deviations along the diagonal of two correlated features."""
    rng = np.random.default_rng(seed)
    first, second = rng.normal(size=(2, count, len(FEATURES)))
    for sample in (first, second):
        sample[:, 1] = 0.6 * sample[:, 0] + 0.8 * sample[:, 1]
    second[:, 3] += shift
    return first, second


@pytest.mark.parametrize("shift", [0.5, 1.0, 2.0])
def test_the_auc_is_that_of_the_best_linear_classifier(shift):
    """Against scikit-learn's, trained on half of the pieces and scored on the others."""
    first, second = gaussians(shift, 2_000, seed=1)
    labels = np.repeat([0, 1], 1_000)
    model = LinearDiscriminantAnalysis().fit(np.vstack((first[:1_000], second[:1_000])), labels)
    learned = roc_auc_score(labels, model.decision_function(np.vstack((first[1_000:], second[1_000:]))))
    seen = contrast(100 * first + 3, 100 * second + 3)  # neither unit nor origin matters
    assert seen.auc == pytest.approx(learned, abs=0.03)
    assert seen.feature == FEATURES[3]
    assert seen.means == pytest.approx((3, 3 + 100 * shift), abs=10)


def test_two_samples_of_one_law_are_on_average_at_distance_zero():
    distances = [contrast(*gaussians(0.0, 40, seed)).squared_distance for seed in range(200)]
    assert abs(np.mean(distances)) < 4 * np.std(distances) / np.sqrt(200) + 0.03  # the ridge takes a little away
    assert np.mean([contrast(*gaussians(0.0, 40, seed)).auc == 0.5 for seed in range(200)]) > 0.3


def test_a_feature_that_is_constant_in_both_samples_counts_in_its_own_unit():
    first, second = gaussians(0.0, 500, seed=2)
    first[:, 5], second[:, 5] = 7.0, 7.0
    assert contrast(first, second).auc < 0.6
    second[:, 5] = 10.0
    seen = contrast(first, second)
    assert (seen.feature, seen.means) == (FEATURES[5], (7.0, 10.0))
    assert seen.auc > 0.9


def test_looks_pool_nodes_and_hyperedges():
    looks = Looks.of([Hypergraph([[0, 1, 2], []], nodes=5), Hypergraph([[0], [1]])])
    assert looks == Looks(degree=5 / 7, edge_size=5 / 3, isolated=2 / 7)
    assert Looks.of([Hypergraph([], nodes=[])]) == Looks(0.0, 0.0, 0.0)
    assert str(looks) == "mean degree 0.714, mean edge size 1.67, 29% isolated nodes"


WHOLE = Looks(4.0, 3.0, 0.1)


@pytest.mark.parametrize(
    ("pieces", "unlike"),
    [
        (WHOLE, False),
        (Looks(0.41, 1.6, 0.3), False),
        (Looks(39.0, 5.9, 0.0), False),
        (Looks(0.39, 3.0, 0.1), True),
        (Looks(41.0, 3.0, 0.1), True),
        (Looks(4.0, 1.4, 0.1), True),
        (Looks(4.0, 6.1, 0.1), True),
        (Looks(4.0, 3.0, 0.36), True),
        (Looks(0.0, 0.0, 1.0), False),  # of nothing there is nothing to say
    ],
)
def test_other_edge_sizes_isolated_nodes_and_degrees_are_unlike(pieces, unlike):
    assert pieces.unlike(WHOLE) is unlike
    assert pieces.unlike(Looks(0.0, 0.0, 1.0)) is False


def test_unlikeness_adds_the_degree_to_what_is_worse_of_the_others():
    assert WHOLE.unlikeness(WHOLE) == 0
    assert Looks(0.4, 3.0, 0.1).unlikeness(WHOLE) == pytest.approx(1)
    assert Looks(4.0, 1.5, 0.1).unlikeness(WHOLE) == pytest.approx(1)
    assert Looks(4.0, 3.0, 0.6).unlikeness(WHOLE) == pytest.approx(2)
    assert Looks(40.0, 1.5, 0.6).unlikeness(WHOLE) == pytest.approx(3)
