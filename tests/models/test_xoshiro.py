"""Random numbers in compiled code: the published sequence, and uniform whole numbers."""

import numpy as np
from scipy import stats

from hyperhedge.models.xoshiro import below, next_word, state_from


def test_xoshiro_gives_the_published_numbers():
    state = np.array([1, 2, 3, 4], dtype=np.uint64)
    drawn = [int(next_word(state)) for _ in range(5)]
    assert drawn == [41943041, 58720359, 3588806011781223, 3591011842654386, 9228616714210784205]


def test_whole_numbers_are_uniform_even_where_they_do_not_divide():
    """Below 3·2³⁰, multiplication without rejection would give multiples of 3 half of the time."""
    state = np.array([1, 2, 3, 4], dtype=np.uint64)
    drawn = np.array([below(state, 3 << 30) for _ in range(3000)])
    assert stats.chisquare(np.bincount(drawn % 3)).pvalue > 1e-3
    assert stats.kstest(drawn / (3 << 30), "uniform").pvalue > 1e-3
    small = np.array([below(state, 7) for _ in range(3000)])
    assert stats.chisquare(np.bincount(small, minlength=7)).pvalue > 1e-3


def test_a_state_comes_from_the_generator_alone():
    first, again, other = (state_from(np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert first.tolist() == again.tolist() != other.tolist()
    assert first.dtype == np.uint64
    assert first.shape == (4,)
