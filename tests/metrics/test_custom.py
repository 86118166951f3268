"""Metrics from functions against scipy and plain loops; which functions are accepted, how they are named, what errors say."""

# ruff: noqa: ARG001, ARG005  # the signatures are what is tested

import functools
import math

import numpy as np
import pytest
from scipy.stats import wasserstein_distance

import hyperhedge as hh
from hyperhedge.errors import HyperhedgeError, UndefinedError
from hyperhedge.metrics import DEFAULT, METRICS, Metric, Settings, Statistics, as_metric
from hyperhedge.metrics.registry import select_metrics
from laws import rewired, teams

REAL, OTHER = teams(9, seed=1), rewired(teams(7, seed=2), 0.5)


def triangles(H):
    """Number of hyperedges with three nodes

    And a second line.
    """
    return (H.edge_sizes == 3).sum()


def mean_gap(real, generated):
    return abs(np.mean([H.density for H in generated]) - np.mean([H.density for H in real]))


def repeated(collection, weights):
    return [H for H, weight in zip(collection, weights, strict=True) for _ in range(int(weight))]


# -- values ------------------------------------------------------------------------------------------


def test_a_function_of_one_hypergraph_is_compared_by_its_values():
    metric = as_metric(triangles)
    expected = wasserstein_distance([triangles(H) for H in REAL], [triangles(H) for H in OTHER])
    assert expected > 0
    assert metric(REAL, OTHER) == pytest.approx(expected)
    assert metric.values(Statistics(tuple(OTHER))).tolist() == [triangles(H) for H in OTHER]


def test_a_function_of_two_collections_is_called_with_lists():
    def distance(real, generated):
        assert type(real) is type(generated) is list
        return mean_gap(real, generated)

    metric = as_metric(distance)
    assert metric(REAL, OTHER) == mean_gap(REAL, OTHER)
    assert metric.values is None


@pytest.mark.parametrize("function", [triangles, mean_gap])
def test_rows_of_weights_are_resampled_collections(function):
    rng = np.random.default_rng(0)
    W, V = rng.multinomial(9, np.full(9, 1 / 9), 5).astype(float), (rng.random((5, 7)) < 0.6).astype(float)
    metric = as_metric(function)
    values = metric.compare(Statistics(tuple(REAL)), Statistics(tuple(OTHER)), W, V, Settings())
    for row in range(5):
        assert values[row] == pytest.approx(metric(repeated(REAL, W[row]), repeated(OTHER, V[row])))


def test_a_function_is_called_once_per_hypergraph_and_again_by_another_metric():
    offset = {"value": 0.0}
    calls = []

    def counted(H):
        calls.append(H)
        return H.m + offset["value"]

    metric, real, other = as_metric(counted), Statistics(tuple(REAL)), Statistics(tuple(OTHER))
    for _ in range(3):
        metric.compare(real, other, np.ones((4, 9)), np.ones((4, 7)), Settings())
    assert len(calls) == 16
    offset["value"] = 5.0  # a new metric must not see old values
    assert as_metric(counted).values(real).tolist() == [H.m + 5 for H in REAL]


def test_a_replicate_without_a_value_is_left_out():
    def fragile(real, generated):
        if len(set(map(id, generated))) < 3:
            raise ZeroDivisionError
        return 1.0

    V = np.array([[1.0] * 7, [7.0] + [0.0] * 6, [1.0] * 7])
    statistics = Statistics(tuple(REAL)), Statistics(tuple(OTHER))
    values = as_metric(fragile).compare(*statistics, np.ones((3, 9)), V, Settings())
    assert values.tolist() == pytest.approx([1.0, math.nan, 1.0], nan_ok=True)
    with pytest.raises(UndefinedError, match="fragile raised ZeroDivisionError on 9 and 7 hypergraphs"):
        as_metric(fragile).compare(*statistics, np.ones((1, 9)), V[1:2], Settings())


# -- what goes wrong ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (math.nan, "broken returned nan on <Hypergraph: 24 nodes, 12 hyperedges"),
        (math.inf, "broken returned inf"),
        ("3", "broken returned '3'"),
        (None, "broken returned None"),
        (np.array([1.0]), r"broken returned array\(\[1.\]\)"),
        (1j, "broken returned 1j"),
    ],
)
def test_what_is_no_finite_number_is_one_sentence(result, message):
    def broken(H):
        return result

    with pytest.raises(UndefinedError, match=message + ".*; it should return a finite number"):
        as_metric(broken)(REAL, OTHER)


@pytest.mark.parametrize("result", [2, 2.0, np.float32(2), np.array(2), True, np.int64(2)])
def test_numbers_of_any_type_are_numbers(result):
    assert as_metric(lambda real, generated: result, "two")(REAL, OTHER) == float(result)


def test_an_error_names_the_function_and_keeps_its_reason():
    def broken(H):
        raise KeyError("colour")

    with pytest.raises(UndefinedError, match=r"^broken raised KeyError on <Hypergraph: .*>: 'colour'$") as caught:
        as_metric(broken)(REAL, OTHER)
    assert isinstance(caught.value.__cause__, KeyError)

    def undefined(H):
        raise UndefinedError("it needs colours")

    with pytest.raises(UndefinedError, match=r"^it needs colours$"):
        as_metric(undefined)(REAL, OTHER)


def test_a_distance_is_negative_only_if_it_may_be():
    def gap(real, generated):
        return -2.0

    with pytest.raises(UndefinedError, match="gap returned -2, but a distance is not negative"):
        as_metric(gap)(REAL, OTHER)
    assert as_metric(lambda real, generated: 0.0, "equal")(REAL, OTHER) == 0
    assert not as_metric(triangles, signed=True).signed  # a Wasserstein distance has no sign
    signed = as_metric(gap, signed=True, group="calibration", rate=1.0)
    assert (signed(REAL, OTHER), signed.signed, signed.group, signed.rate) == (-2.0, True, "calibration", 1.0)


# -- signatures and names ----------------------------------------------------------------------------


class Power:
    """A power of the number of nodes."""

    def __init__(self, power):
        self.power = power

    def __call__(self, H, scale=1.0):
        return scale * H.n**self.power


def scaled(H, factor, *, offset=0.0):
    """Scaled number of nodes."""
    return factor * H.n + offset


@pytest.mark.parametrize(
    ("function", "of_one", "key", "definition"),
    [
        (triangles, True, "triangles", "Number of hyperedges with three nodes. Compared"),
        (mean_gap, False, "mean_gap", "mean_gap(real, generated)."),
        (Power(2), True, "Power", "A power of the number of nodes. Compared"),
        (functools.partial(scaled, factor=2.0), True, "scaled", "Scaled number of nodes. Compared"),
        (scaled, False, "scaled", "Scaled number of nodes."),
        (lambda H, *rest, **options: 1.0, True, "metric 1", "metric 1(H). Compared"),
        (len, True, "len", "Return the number of items in a container. Compared"),
    ],
)
def test_the_signature_decides(function, of_one, key, definition):
    (metric,) = select_metrics([function])
    assert (metric.values is not None) is of_one
    assert metric.key == key
    assert metric.definition.startswith(definition)
    assert metric.group == "custom"


def test_titles_are_readable_and_names_stay_as_given():
    assert as_metric(mean_gap).title == "Mean gap"
    assert [m.title for m in select_metrics({"mean_gap": mean_gap, "K=3": triangles})] == ["mean_gap", "K=3"]


def no_argument():
    return 1.0


def keyword_needed(H, *, factor):
    return factor


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (
            no_argument,
            r"the metric 'no_argument' takes \(\); give a function of one hypergraph, f\(H\), or of two lists",
        ),
        (keyword_needed, r"takes \(H, \*, factor\); give a function of one"),
        (lambda a, b, c: 0, r"the metric 'metric 1' takes \(a, b, c\)"),
        (lambda *args: 0, r"takes \(\*args\)"),
        (max, "the metric 'max' .*; give a function of one"),
    ],
)
def test_functions_of_other_arguments_are_refused(function, message):
    with pytest.raises(HyperhedgeError, match=message):
        select_metrics([function])


def test_a_lambda_alone_needs_a_name():
    with pytest.raises(HyperhedgeError, match="a lambda has no name; give name="):
        as_metric(lambda H: 1.0)


# -- selection ---------------------------------------------------------------------------------------


def test_functions_come_after_the_registry_in_their_order():
    choices = [mean_gap, "overlap", {"b": triangles, "a": triangles}, METRICS["size_wd"], lambda H: H.m, "degree_wd"]
    keys = [metric.key for metric in select_metrics(choices)]
    overlap = [metric.key for metric in METRICS.values() if metric.group == "overlap"]
    assert keys == ["degree_wd", "size_wd", *overlap, "mean_gap", "b", "a", "metric 5"]


def test_default_is_a_name_for_what_is_not_slow():
    assert select_metrics(["default"]) == DEFAULT == select_metrics(None)
    assert select_metrics([*DEFAULT, triangles])[:-1] == DEFAULT
    assert [m.key for m in select_metrics(["default", "centrality", triangles])] == [*METRICS, "triangles"]


def test_a_metric_object_is_taken_as_it_is():
    metric = Metric("mine", "Mine", "", "motifs", "A sentence.", "me", METRICS["degree_wd"].compare)
    assert select_metrics([metric, "size_wd"]) == (METRICS["size_wd"], metric)


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ([triangles, triangles], "two metrics are named 'triangles'; give yours another name"),
        ({"degree_wd": triangles}, "two metrics are named 'degree_wd'"),
        ({"Spectral": triangles}, "two metrics are named 'Spectral'"),
        ({"overlap": triangles}, "two metrics are named 'overlap'"),
        (["size_wd", 3], r"metrics\[1\] is 3; give the name of a metric or of a group, a Metric, or a function"),
        (triangles, r"metrics= is a single metric; give a list, such as \[f\]"),
        (METRICS["size_wd"], "metrics= is a single metric"),
        (3, "metrics= is 3; give a list of metrics"),
        ({}, "metrics= is empty"),
        ([{}], "metrics= is empty"),
        ({"three": 3}, "the metric 'three' is 3"),
    ],
)
def test_bad_choices_are_refused(choices, message):
    with pytest.raises(HyperhedgeError, match=message):
        select_metrics(choices)


def test_the_public_dictionary_is_that_of_the_registry():
    assert hh.METRICS is METRICS
    select_metrics([triangles])
    assert "triangles" not in hh.METRICS
