"""Progress: a bar on a terminal, plain lines elsewhere, and how often."""

import io
import os
import subprocess
import sys
import threading

import pytest
from rich.console import Console

from hyperhedge._system.progress import Meter, clock, console_of


class Clock:
    """A clock that the test sets."""

    def __init__(self):
        self.seconds = 0.0

    def __call__(self):
        return self.seconds


@pytest.fixture(autouse=True)
def _lines_after_a_second(monkeypatch):
    monkeypatch.setattr("hyperhedge._system.progress._LEAST", 1.0)


@pytest.fixture
def now():
    return Clock()


@pytest.fixture
def pipe():
    return Console(file=io.StringIO())


def lines(console):
    return console.file.getvalue().splitlines()


def test_a_line_a_tenth_but_at_most_one_a_second(pipe, now):
    with Meter(pipe, "sampling", 100, now=now) as meter:
        for k in range(1, 101):
            now.seconds = k * 0.25
            meter.advance()
    done = [int(line.split()[1].partition("/")[0]) for line in lines(pipe)]
    assert done == [4, 14, 24, 34, 44, 54, 64, 74, 84, 94, 100]


def test_a_line_every_ten_seconds_when_little_is_done(pipe, now):
    with Meter(pipe, "sampling", 10_000, now=now) as meter:
        for k in range(1, 101):
            now.seconds = float(k)
            meter.advance()
    done = [int(line.split()[1].partition("/")[0]) for line in lines(pipe)]
    assert done == [1, 11, 21, 31, 41, 51, 61, 71, 81, 91, 100]


def test_at_most_one_line_a_second(pipe, now):
    with Meter(pipe, "sampling", 10, now=now) as meter:
        for k in range(10):
            now.seconds = 5 + 0.2 * k
            meter.advance()
    assert [line.split()[1] for line in lines(pipe)] == ["1/10", "6/10", "10/10"]


def test_the_lines_tell_what_is_left_or_what_the_job_says(pipe, now):
    with Meter(pipe, "sampling", 4_000, done=2_000, now=now) as meter:
        now.seconds = 90.0
        meter.advance(1_500)
        now.seconds = 120.0
        meter.set(3_900, "nearly", share=0.99)
    assert lines(pipe) == ["sampling 3,500/4,000 · 0:30 left", "sampling 3,900/4,000 · nearly"]


def test_a_quick_job_writes_nothing_unless_it_should(pipe, now):
    with Meter(pipe, "sampling", 3, now=now) as meter:
        assert list(meter.count("abc")) == ["a", "b", "c"]
    assert (meter.done, lines(pipe)) == (3, [])
    with Meter(pipe, "training", 3, quick=True, now=now) as meter:
        list(meter.count("abc"))
    assert lines(pipe) == ["training 1/3", "training 3/3"]


def test_the_last_line_is_not_repeated_and_an_error_writes_none(pipe, now):
    with Meter(pipe, "training", 1, quick=True, now=now) as meter:
        meter.advance()
    assert lines(pipe) == ["training 1/1"]

    def fail():
        with Meter(pipe, "training", 3, quick=True, now=now) as meter:
            meter.advance(2)
            meter.advance()
            raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011  # it has no message
        fail()
    assert lines(pipe) == ["training 1/1", "training 2/3"]


def test_nothing_to_do_is_done(pipe, now):
    with Meter(pipe, "sampling", 0, now=now) as meter:
        now.seconds = 20.0
        meter.advance(0)
    assert lines(pipe) == ["sampling 0/0"]


def test_no_console_shows_nothing(capfd):
    with Meter(None, "sampling", 2, quick=True) as meter:
        meter.advance(2)
        meter.tell("unseen")
    assert capfd.readouterr() == ("", "")


def test_threads_count_together(pipe):
    with Meter(pipe, "sampling", 4000) as meter:
        threads = [threading.Thread(target=lambda: [meter.advance() for _ in range(1000)]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert meter.done == 4000


def test_a_terminal_has_a_bar_that_goes_or_stays():
    shown = {}
    for keep in (False, True):
        console = Console(file=io.StringIO(), force_terminal=True, width=80, color_system=None)
        with Meter(console, "sampling", 2, keep=keep) as meter:
            meter.advance(2, "well")
            meter.tell("by the way")
        shown[keep] = console.file.getvalue()
        assert "━" in shown[keep]
        assert "2/2 · well" in shown[keep]
        assert "by the way" in shown[keep]
        assert "\x1b[?25l" in shown[keep]  # the cursor is hidden while the bar is drawn
    assert shown[False].count("\x1b[2K") > shown[True].count("\x1b[2K")  # erased at the end


def test_true_is_standard_error_and_a_console_is_itself(pipe):
    assert console_of(True).stderr
    assert console_of(pipe) is pipe
    assert console_of(None) is console_of(False) is None
    assert clock(59.6) == "1:00"


@pytest.mark.parametrize("environment", [{}, {"FORCE_COLOR": "1", "TERM": "xterm"}])
def test_a_pipe_gets_plain_lines(environment):
    code = """
from hyperhedge._system.progress import Meter
with Meter(True, "sampling", 20, quick=True) as meter:
    for k in meter.count(range(20)):
        pass
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, env={**os.environ, **environment}
    )
    assert done.stdout == b""
    assert done.stderr == b"sampling 1/20\nsampling 20/20\n"
