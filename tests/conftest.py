"""What all tests share.

Hypothesis runs the same cases every time in `make test`, and more and new ones in `make test-full`. The real datasets come from
a mirror of upstream's files, at HYPERHEDGE_DATA or in a folder beside the project.
"""

import math
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from benchmarks.chromium import Chromium, find_chromium
from hypothesis import HealthCheck, settings

from hyperhedge.cli import main

torch.set_num_threads(1)  # the tests themselves run side by side

settings.register_profile(
    "fixed",
    derandomize=True,
    deadline=None,
    max_examples=100,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.register_profile("full", settings.get_profile("fixed"), derandomize=False, max_examples=2000)
settings.load_profile(os.environ.get("HYPERHEDGE_TEST_PROFILE", "fixed"))

_MIRROR = Path(os.environ.get("HYPERHEDGE_DATA") or Path(__file__).parents[2] / "shared" / "data" / "upstream")


@pytest.fixture
def mirror():
    """Return the folder that mirrors upstream's files."""
    if not _MIRROR.is_dir():
        pytest.skip(f"the real datasets are not at {_MIRROR}; set HYPERHEDGE_DATA to a mirror of upstream's files")
    return _MIRROR


@pytest.fixture(scope="session")
def browser():
    """Return a headless Chromium."""
    program = find_chromium()
    if program is None:
        pytest.skip("this test needs Chromium to render pages (Debian: apt-get install chromium)")
    with Chromium(program) as chromium:
        yield chromium


@pytest.fixture(autouse=True)
def _no_data_of_the_user(monkeypatch, tmp_path_factory):
    """Keep the user's mirror and cache out of the tests."""
    monkeypatch.delenv("HYPERHEDGE_DATA", raising=False)
    monkeypatch.setenv("HYPERHEDGE_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")  # the tests' own server


@pytest.fixture(autouse=True)
def _jobs_are_quick(monkeypatch):
    """Let no job write lines of progress because the machine is busy."""
    monkeypatch.setattr("hyperhedge._system.progress._LEAST", math.inf)


@pytest.fixture
def run(capsys):
    """Run the command line; return its exit code, output and errors."""

    def call(*arguments):
        with pytest.raises(SystemExit) as caught:
            main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return caught.value.code, out, err

    return call


@pytest.fixture
def shell():
    """Run the command line as a shell does; return the finished process."""

    def call(*arguments, env=None, **options):
        return subprocess.run(
            [sys.executable, "-m", "hyperhedge", *map(str, arguments)],
            capture_output=True,
            check=False,
            env={**os.environ, **(env or {})},
            **options,
        )

    return call
