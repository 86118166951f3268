"""Portions of long work: a partition of the range, each as long as it may be."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from hyperhedge._system import portions as module
from hyperhedge._system.portions import portions


@given(st.lists(st.integers(0, 30), max_size=30), st.integers(1, 60))
@example([5, 5, 5], 5)
def test_portions_are_a_partition_and_no_longer_than_allowed(work, at_once):
    cuts = list(portions(np.array(work, dtype=np.int64), at_once))
    assert [k for begin, end in cuts for k in range(begin, end)] == list(range(len(work)))
    assert all(end - begin == 1 or sum(work[begin:end]) <= at_once for begin, end in cuts)
    # No portion could have had one more.
    assert all(sum(work[begin : end + 1]) > at_once for begin, end in cuts[:-1])


def test_portions_have_a_fraction_of_a_second_unless_another_length_is_given(monkeypatch):
    work = np.array([3.0, 50.0, 1.0, 1.0, 200.0, 7.0])
    assert list(portions(work)) == [(0, 6)]
    monkeypatch.setattr(module, "AT_ONCE", 52)
    assert list(portions(work)) == [(0, 1), (1, 4), (4, 5), (5, 6)]
    assert list(portions(work[:0])) == []
