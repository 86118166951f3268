"""What is counted as a weight, a time or an attribute, and the sentence about it."""

import math
import warnings

import pytest

from hyperhedge.core.loss import Loss, is_one
from hyperhedge.errors import DataLossWarning


def test_values_that_say_nothing_are_not_counted():
    records = [
        {},
        {"weight": 1},
        {"weight": 1.0, "a": None},
        {"weight": "1.0", "b": ""},
        {"c": {}},
        {"d": math.nan},
        {"e": []},
    ]
    assert Loss().add_records(records) == Loss()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Loss().warn()


def test_each_weight_and_time_counts_and_each_record_of_attributes_once():
    records = [{"weight": 0, "time": 0, "timestamp": 5}, {"a": 0, "b": False, "weight": "heavy"}, {"ours": 3}]
    assert Loss().add_records(records, kept=["ours"]) == Loss(weights=2, times=2, attributes=1)


@pytest.mark.parametrize("weight", [1, 1.0, True, "1", None])
def test_one(weight):
    assert is_one(weight)


@pytest.mark.parametrize("weight", [0, -1, 1.5, "x", "", [], 10**400])
def test_not_one(weight):
    assert not is_one(weight)


@pytest.mark.parametrize(
    ("loss", "message"),
    [
        (Loss(weights=1), "dropped 1 weight, which"),
        (Loss(times=1200), "dropped 1,200 times, which"),
        (Loss(weights=2, attributes=1), "dropped 2 weights and 1 attribute record, which"),
        (Loss(1, 2, 3), "dropped 1 weight, 2 times and 3 attribute records, which"),
    ],
)
def test_sentences(loss, message):
    with pytest.warns(DataLossWarning, match=f"^{message} a Hypergraph does not store$"):
        loss.warn()
    with pytest.warns(DataLossWarning, match=f"^a.txt: {message}"):
        loss.warn("a.txt")
