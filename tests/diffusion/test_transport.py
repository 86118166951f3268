"""The nearest matrix between bounds, against enumeration and an integer program."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import Bounds, LinearConstraint, milp

from hyperhedge.diffusion.projection.transport import nearest_between

entries = st.one_of(st.sampled_from([-0.5, 0.0, 0.2, 0.5, 0.8, 1.0]), st.floats(-2.0, 3.0))


@st.composite
def problems(draw):
    """Return small matrices, often with ties, and bounds that are often exact and sometimes impossible."""
    n = draw(st.integers(1, 5))
    m = draw(st.integers(1, 12 // n))
    X = np.array(draw(st.lists(entries, min_size=n * m, max_size=n * m))).reshape(n, m)
    bounds = []
    for count, most in ((n, m), (m, n)):
        least = np.array(draw(st.lists(st.integers(0, most), min_size=count, max_size=count)))
        width = np.array(draw(st.lists(st.integers(0, 2), min_size=count, max_size=count)))
        bounds.append((least, least + width))
    return X, *bounds


def between(Y, rows, columns):
    """Return which matrices of a stack are within the bounds."""
    kept = [
        ((least <= sums) & (sums <= most)).all(1) for sums, (least, most) in ((Y.sum(2), rows), (Y.sum(1), columns))
    ]
    return kept[0] & kept[1]


def program(X, rows, columns):
    """Solve it as an integer program; None if there is no solution."""
    n, m = X.shape
    sums = np.concatenate((np.kron(np.eye(n), np.ones(m)), np.kron(np.ones(n), np.eye(m))))
    limits = (np.concatenate(pair) for pair in zip(rows, columns, strict=True))
    solved = milp(
        1 - 2 * X.ravel(),
        integrality=np.ones(n * m),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(sums, *limits),
        options={"mip_rel_gap": 0.0},
    )
    return solved.x.round().reshape(n, m) if solved.success else None


@given(problems())
def test_nothing_between_the_bounds_is_nearer(problem):
    X, rows, columns = problem
    every = (np.arange(2**X.size)[:, None] >> np.arange(X.size) & 1).reshape(-1, *X.shape)
    candidates = every[between(every, rows, columns)]
    nearest = nearest_between(*problem)
    if not len(candidates):
        assert nearest is None
        return
    assert between(nearest[None], rows, columns).all()
    best = ((candidates - X) ** 2).sum((1, 2)).min()
    assert ((nearest - X) ** 2).sum() == pytest.approx(best, rel=1e-12, abs=1e-12)


@given(problems())
def test_the_degrees_of_a_matrix_are_always_reached(problem):
    X, *_ = problem
    Y = np.median(X) < X
    nearest = nearest_between(X[::-1, ::-1], *((Y.sum(axis),) * 2 for axis in (1, 0)))
    assert (nearest.sum(1) == Y.sum(1)).all()
    assert (nearest.sum(0) == Y.sum(0)).all()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("exact", [True, False])
def test_an_integer_program_finds_the_same(seed, exact):
    """At 30 × 14, where enumeration cannot go; without ties the nearest matrix is one."""
    rng = np.random.default_rng(seed)
    Y = rng.random((30, 14)) < 0.2
    X = Y + rng.normal(0, 0.5, Y.shape)
    rows, columns = (
        (Y.sum(axis), Y.sum(axis) + (0 if exact else rng.integers(0, 3, n))) for axis, n in ((1, 30), (0, 14))
    )
    nearest = nearest_between(X, rows, columns)
    assert np.array_equal(nearest, program(X, rows, columns))
    assert ((X >= 0.5) != nearest).sum() > 20  # otherwise rounding would have been enough


def test_bounds_that_no_matrix_keeps():
    X, one = np.zeros((2, 2)), np.ones(2, dtype=int)
    assert nearest_between(X, (2 * one, one), (one, one)) is None
    assert nearest_between(X, (one, one), (one, np.array([1, 2]) - 1)) is None
    assert nearest_between(X, (one, one), (0 * one, 0 * one)) is None
    assert nearest_between(np.zeros((0, 3)), (one[:0], one[:0]), (np.zeros(3, int), np.ones(3, int))).shape == (0, 3)
