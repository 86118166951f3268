"""Matrices with different columns near others: what is kept, least costs against brute force, and that there is an end."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperhedge.diffusion.projection.distinct import _subsets, separated

KEPT = ("both", "sizes", "nothing")


def columns(Y):
    return [tuple(column) for column in Y.T.astype(int).tolist()]


def cost(X, Y):
    return float(((X - Y) ** 2).sum())


def binary(n, m):
    for bits in itertools.product((False, True), repeat=n * m):
        yield np.array(bits).reshape(n, m)


@st.composite
def matrices(draw, most=20):
    """Draw a state and a binary matrix, in which columns are often equal."""
    n = draw(st.integers(1, 6))
    m = draw(st.integers(1, max(1, most // n)))
    seed = draw(st.integers(0, 10**6))
    rng = np.random.default_rng(seed)
    Y = rng.random((n, m)) < 0.4
    Y = Y[:, rng.integers(0, m, size=m)]
    return np.where(Y, 1.0, 0.0) + rng.normal(0, 0.4, (n, m)), Y


@pytest.mark.parametrize("kept", KEPT)
@given(case=matrices(), allow=st.tuples(st.booleans(), st.booleans()))
def test_columns_are_different_and_what_is_kept_stays(kept, case, allow):
    X, Y = case
    before = Y.copy()
    Z = separated(X, Y, kept, allow_empty=allow[0], allow_isolated=allow[1])
    assert (before == Y).all()
    if Z is None:
        return
    assert len(set(columns(Z))) == Y.shape[1]
    if kept != "nothing":
        assert (Z.sum(0) == Y.sum(0)).all()
    if kept == "both":
        assert (Z.sum(1) == Y.sum(1)).all()
    if not allow[0]:
        assert Z.any(0)[Y.any(0)].all()
    if not allow[1]:
        assert Z.any(1)[Y.any(1)].all()


@given(matrices())
def test_without_repeats_nothing_changes(case):
    X, Y = case
    different = Y[:, sorted({column: k for k, column in enumerate(columns(Y))}.values())]
    for kept in KEPT:
        assert (separated(X[:, : different.shape[1]], different, kept) == different).all()


@given(st.integers(1, 4), st.integers(1, 16), st.integers(0, 10**6))
def test_where_nothing_is_kept_it_fails_only_if_there_are_too_few_sets(n, m, seed):
    rng = np.random.default_rng(seed)
    Y = np.ones((n, 1), dtype=bool).repeat(m, axis=1)
    X = rng.normal(0.5, 0.5, (n, m))
    assert (separated(X, Y, "nothing", allow_empty=True, allow_isolated=True) is None) == (m > 2**n)
    assert (separated(X, Y, "nothing", allow_isolated=True) is None) == (m > 2**n - 1)


def conditions(Y, kept):
    """Tell which matrices keep what is to be kept and have different columns."""

    def fulfilled(Z):
        if len(set(columns(Z))) < Y.shape[1] or not Z.any(0).all() or not Z.any(1).all():
            return False
        sizes, degrees = (Z.sum(0) == Y.sum(0)).all(), (Z.sum(1) == Y.sum(1)).all()
        return {"both": sizes and degrees, "sizes": sizes, "nothing": True}[kept]

    return fulfilled


@pytest.mark.parametrize(("kept", "flips"), [("both", 4), ("sizes", 2), ("nothing", 12)])
@pytest.mark.parametrize("seed", range(6))
def test_one_repeat_is_undone_by_the_cheapest_change(kept, flips, seed):
    """Of all matrices that differ in one hyperedge (with its partner, if degrees are kept), by enumeration."""
    rng = np.random.default_rng(seed)
    Y = np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1], [0, 0, 1]], dtype=bool)
    X = np.where(Y, 0.8, 0.2) + rng.uniform(-0.25, 0.25, Y.shape)  # rounds to Y
    allowed = conditions(Y, kept)
    candidates = [
        Z
        for Z in binary(*Y.shape)
        if 0 < (Z != Y).sum() <= flips and (Z != Y).any(0).sum() <= (2 if kept == "both" else 1) and allowed(Z)
    ]
    least = min(cost(X, Z) for Z in candidates)
    assert cost(X, separated(X, Y, kept)) == pytest.approx(least)


def test_what_is_given_up_where_it_cannot_be_kept():
    """Two equal pairs alone: no exchange, but a replacement; all pairs of three nodes twice: not even that."""
    Y = np.array([[1, 1], [1, 1], [0, 0]], dtype=bool)
    X = Y + np.array([[0, -0.1], [0, 0], [0.3, 0.25]])
    assert separated(X, Y, "both", allow_isolated=True) is None
    assert columns(separated(X, Y, "sizes")) == [(1, 1, 0), (0, 1, 1)]
    full = np.repeat(~np.eye(3, dtype=bool), 2, axis=1)
    assert separated(full.astype(float), full, "sizes") is None
    assert len(set(columns(separated(full.astype(float), full, "nothing")))) == 6


def test_a_change_is_small_among_many():
    rng = np.random.default_rng(0)
    Y = rng.random((40, 120)) < 0.06
    Y[0, ~Y.any(0)] = True
    repeated = 120 - len(set(columns(Y)))
    assert repeated > 10
    Z = separated(Y + rng.normal(0, 0.2, Y.shape), Y, "both")
    assert len(set(columns(Z))) == 120
    assert (Z != Y).sum() <= 4 * repeated


@given(st.lists(st.floats(0, 10), max_size=7))
def test_subsets_come_in_order_of_their_sums_and_each_once(numbers):
    numbers = np.sort(np.array(numbers, dtype=float))
    listed = list(_subsets(numbers))
    assert len({tuple(chosen) for _, chosen in listed}) == len(listed) == 2 ** len(numbers) - 1
    totals = [total for total, _ in listed]
    np.testing.assert_allclose(totals, [numbers[chosen].sum() for _, chosen in listed], atol=1e-9)
    assert (np.diff(totals) >= -1e-9).all()
