"""Settings: what is refused, the learning rate, and lengths of time."""

import math
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperhedge.errors import HyperhedgeError, TrainingError
from hyperhedge.train import TrainingSettings, parse_duration


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("iterations", 0, "a whole number from 1 on, not 0"),
        ("iterations", 2.5, "a whole number from 1 on, not 2.5"),
        ("iterations", True, "a whole number from 1 on, not True"),
        ("iterations", 2**63, "a whole number from 1 on"),
        ("batch_size", -3, "a whole number from 1 on, not -3"),
        ("learning_rate", 0, "a number above 0, not 0"),
        ("learning_rate", math.inf, "a number above 0, not inf"),
        ("learning_rate", None, "a number above 0, not None"),
        ("warmup", -1, "a whole number from 0 on"),
        ("decay", -0.1, "a number from 0 on"),
        ("betas", (0.9, 1.0), "two numbers from 0 to less than 1"),
        ("betas", 0.9, "two numbers from 0 to less than 1, not 0.9"),
        ("betas", (0.9,), "two numbers"),
        ("weight_decay", "0.1", "a number from 0 on, not '0.1'"),
        ("clip", 0.0, "a number above 0"),
        ("ema", 1.0, "a number from 0 to less than 1"),
        ("ema", math.nan, "a number from 0 to less than 1, not nan"),
        ("max_time", "10m", "a number above 0, not '10m'"),
        ("validate_every", 0, "a whole number from 1 on"),
        ("patience", 0, "a whole number from 1 on"),
        ("checkpoint_every", -1, "a number from 0 on"),
        ("workers", 0, "a whole number from 1 on"),
        ("seed", -1, "a whole number from 0 on"),
    ],
)
def test_bad_settings_are_refused_in_one_sentence(name, value, says):
    with pytest.raises(TrainingError) as caught:
        TrainingSettings(**{"iterations": 10, name: value})
    assert str(caught.value).startswith(f"{name} must be {says}")
    assert isinstance(caught.value, HyperhedgeError | ValueError)
    assert "\n" not in str(caught.value)


def test_numbers_are_kept_in_one_form():
    np = pytest.importorskip("numpy")
    settings = TrainingSettings(np.int64(10), betas=[0, 0.5], max_time=60, clip=2)
    assert type(settings.iterations) is int
    assert settings.betas == (0.0, 0.5)
    assert (type(settings.max_time), type(settings.clip)) == (float, float)


def test_the_learning_rate_rises_and_falls():
    settings = TrainingSettings(100, learning_rate=0.8, warmup=4, decay=0.5)
    rates = [settings.learning_rate_at(k) for k in (0, 1, 3, 36, 75, 99)]
    assert rates == pytest.approx([0.2, 0.4 * 0.99**0.5, 0.8 * 0.97**0.5, 0.8 * 0.8, 0.8 * 0.5, 0.8 * 0.1])


def test_without_warm_up_and_decay_it_stays():
    settings = TrainingSettings(10, learning_rate=0.5, warmup=0, decay=0)
    assert {settings.learning_rate_at(k) for k in range(10)} == {0.5}


@given(st.integers(0, 99), st.floats(0, 200))
def test_the_learning_rate_follows_whichever_ends_first(k, seconds):
    """It is that of the iteration at which the same fraction is done, if time is scarcer than steps."""
    timed = TrainingSettings(100, warmup=0, decay=1.0, learning_rate=1.0, max_time=50)
    expected = min(1 - k / 100, max(0.0, 1 - seconds / 50))
    assert timed.learning_rate_at(k, seconds) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("10m", 600),
        ("90s", 90),
        ("90", 90),
        ("1h30m", 5400),
        ("1h30", 3630),
        ("2d", 172800),
        ("1d2h3m4.5s", 93784.5),
        ("0.5h", 1800),
        (" 1H ", 3600),
        (600, 600),
        (0.25, 0.25),
    ],
)
def test_durations(text, seconds):
    assert parse_duration(text) == seconds


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "soon", "m", "10 x", "-5s", "0", "0s", "30m1h", "1h-5m", "1.2.3s", ".", "1e3", "nan", "inf", "٣s"),
        *(0, -1.0, math.nan, math.inf, True, None),
    ],
)
def test_what_is_no_duration_is_refused(text):
    with pytest.raises(
        TrainingError, match="is not a length of time; give seconds, or such as '90s', '10m' or '1h30m'"
    ):
        parse_duration(text)


@given(st.integers(0, 5), st.integers(0, 100), st.integers(0, 100), st.floats(0.001, 1000))
def test_durations_add_up(days, hours, minutes, seconds):
    text = f"{days}d{hours}h{minutes}m{seconds:.3f}s"
    assert parse_duration(text) == pytest.approx(((days * 24 + hours) * 60 + minutes) * 60 + seconds, abs=1e-3)


@given(st.text(max_size=8))
def test_any_text_is_a_duration_or_refused(text):
    with suppress(TrainingError):
        assert 0 < parse_duration(text) < math.inf
