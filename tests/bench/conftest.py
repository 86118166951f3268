"""What the tests of experiments share."""

import pytest

from bench_experiments import TINY
from hyperhedge.bench.experiment import read_experiment


@pytest.fixture
def tiny(tmp_path):
    """Write the tiny experiment, with more at its end, and read it."""

    def make(more="", *, name="tiny.toml"):
        file = tmp_path / name
        file.write_text(TINY + more, encoding="utf-8")
        return read_experiment(file)

    return make
