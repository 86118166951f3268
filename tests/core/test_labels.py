"""Labels: one form, one order, one reading of text."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperhedge.core.labels import as_labels, is_integer_text, labels_from_text, ordered_labels, printable
from hyperhedge.errors import HypergraphError
from strategies import labels


@given(st.lists(labels, unique_by=lambda x: (type(x), x)))
def test_checking_twice_changes_nothing(given_labels):
    once = as_labels(given_labels)
    assert list(once) == given_labels
    assert as_labels(once) == once


@given(st.lists(labels), st.lists(labels))
def test_ordering_keeps_every_label_once_and_the_declared_first(declared, seen):
    result = ordered_labels(declared, seen)
    assert len(set(result)) == len(result)
    assert set(result) == {*declared, *seen}
    first = list(dict.fromkeys(declared))
    assert result[: len(first)] == first


@given(st.integers(0, 2**63 - 1))
def test_every_id_is_read_as_it_is_written(number):
    assert is_integer_text(str(number))
    assert labels_from_text([str(number)]) == [number]


@pytest.mark.parametrize(
    "text", ["", "01", "+1", "-1", "1_0", "١", "1 ", " 1", "1\n", "1.0", "9223372036854775808", "²"]
)
def test_what_is_no_id(text):
    assert not is_integer_text(text)


@pytest.mark.parametrize("bad", ["-1", "1.5", "nan", "inf", "1e3", "-0"])
def test_numbers_that_are_no_ids_are_refused_among_ids(bad):
    with pytest.raises(HypergraphError, match="is not an id"):
        labels_from_text(["1", bad])
    assert labels_from_text(["1", bad, "x"]) == ["1", bad, "x"]


def test_ids_with_leading_zeros_are_names():
    assert labels_from_text(["007", "7"]) == ["007", "7"]


def test_ids_too_large_for_64_bits_are_names():
    assert labels_from_text(["99999999999999999999", "1"]) == ["99999999999999999999", "1"]


def test_the_default_labels_cost_nothing():
    assert as_labels(np.arange(4)) == range(4)
    assert as_labels([]) == range(0)
    assert as_labels(range(1, 4)) == (1, 2, 3)


@given(st.text())
def test_what_is_shown_can_be_shown(text):
    shown = printable(text)
    assert all(c.isprintable() or c in "\u200c\u200d" for c in shown)
    assert printable(shown) == shown
    if text.isprintable():
        assert shown == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("é 🙂", "é 🙂"),
        ("\x1b[1m", "\\x1b[1m"),
        ("a\nb", "a\\nb"),
        ("\udcff", "\\udcff"),
        ("👩\u200d👧", "👩\u200d👧"),
        ("\u202e", "\\u202e"),
    ],
)
def test_what_cannot_be_shown_is_escaped(text, shown):
    assert printable(text) == shown
