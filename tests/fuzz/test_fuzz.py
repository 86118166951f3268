"""Damaged files, models, experiments and commands: a few of each kind always, 100,000 in `make test-full`.

`HYPERHEDGE_FUZZ_CASES` is the number of cases in the full test, and `HYPERHEDGE_FUZZ_SEED` their seed: the same cases every time,
unless it is another one.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fuzz import oracle
from fuzz.mutate import mutated_bytes, mutated_tree
from fuzz.oracle import MEMORY, run
from fuzz.targets import TARGETS, generator_of
from hyperhedge.errors import FormatError, GeneratorError

CASES = int(os.environ.get("HYPERHEDGE_FUZZ_CASES", "100000"))
SEED = os.environ.get("HYPERHEDGE_FUZZ_SEED", "0")

#: Which share of the cases a target has, by how long one takes, and how many cases run in one process.
SHARES = {"npz": 0.35, "texts": 0.45, "experiments": 0.1, "models": 0.07, "commands": 0.03}
BATCH = 2500


@pytest.mark.parametrize("target", TARGETS)
def test_a_few_cases(target, tmp_path):
    outcome = run(target, tmp_path, seed="few", first=0, count=8 if target == "commands" else 25)
    assert outcome.failures == []


def batches():
    """Divide the cases of all targets into batches, each for one process."""
    assert SHARES.keys() == TARGETS.keys()
    for target, share in SHARES.items():
        count = round(CASES * share)
        for first in range(0, count, BATCH):
            yield pytest.param(target, first, min(BATCH, count - first), id=f"{target}-{first}")


@pytest.mark.full
@pytest.mark.parametrize(("target", "first", "count"), list(batches()))
def test_many_cases_in_a_process_with_bounded_memory(target, first, count, tmp_path):
    current = tmp_path / "current"
    options = ["--seed", SEED, "--first", str(first), "--count", str(count), "--current", str(current)]
    done = subprocess.run(
        [sys.executable, "-m", "fuzz", target, *options],
        capture_output=True,
        text=True,
        check=False,
        timeout=1800,
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(Path(__file__).parents[1]), *sys.path))},
    )
    at = current.read_text() if current.exists() else "the start"
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr[-2000:]}\nexit code {done.returncode} at case {at}"


# -- what judges them --------------------------------------------------------------------------------


class Broken:
    """A target whose cases go wrong in every way."""

    ENDS = (FormatError("fine"), GeneratorError("two\nlines"), FormatError(""), KeyError("x"), MemoryError())

    def __init__(self, folder):
        del folder

    def case(self, rng):
        return lambda: self._end(rng.choice(self.ENDS))

    @staticmethod
    def _end(error):
        raise error


def test_what_is_no_refusal_in_a_sentence_is_a_failure(tmp_path, monkeypatch):
    monkeypatch.setitem(TARGETS, "broken", Broken)
    outcome = run("broken", tmp_path, seed="1", first=5, count=60)
    assert 0 < outcome.ends["FormatError"] < 60
    text = "\n".join(outcome.failures)
    assert all(cause in text for cause in ("KeyError: 'x'", "MemoryError", "'two\\nlines'", "not one sentence: ''"))
    first = outcome.failures[0].splitlines()[0].split()
    assert first[:5] == ["PYTHONPATH=tests", "python", "-m", "fuzz", "broken"]
    number = int(first[first.index("--first") + 1])
    again = run("broken", tmp_path, seed="1", first=number, count=1)
    assert again.failures == outcome.failures[:1]


class Slow(Broken):
    def case(self, rng):
        def wait():
            while True:
                rng.random()

        return wait


def test_a_case_that_takes_too_long_is_a_failure(tmp_path, monkeypatch):
    monkeypatch.setitem(TARGETS, "slow", Slow)
    monkeypatch.setattr(oracle, "SECONDS", 0.05)
    outcome = run("slow", tmp_path, seed="1", first=0, count=1)
    assert "took more than 0.05 seconds" in outcome.failures[0]


@pytest.mark.full
def test_memory_beyond_the_limit_is_not_given():
    code = (
        "from fuzz.oracle import limit_memory; limit_memory()\n"
        f"try: bytearray({MEMORY} + 2**20)\nexcept MemoryError: print('refused')\nbytearray({MEMORY} // 4)"
    )
    path = os.pathsep.join((str(Path(__file__).parents[1]), *sys.path))
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": path}
    )
    assert done.stdout == "refused\n"


@pytest.mark.parametrize("target", TARGETS)
def test_a_case_is_determined_by_its_number(target, tmp_path):
    def contents(number):
        folder = tmp_path / "work"
        folder.mkdir(exist_ok=True)
        if not made:
            made.append(TARGETS[target](folder))
        made[0].case(generator_of(target, "0", number))
        return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}

    made = []
    first = contents(3)
    contents(4)
    if target != "commands":
        assert contents(3) == first
        assert any(contents(number) != first for number in range(4, 8))


def test_mutations_differ_and_leave_the_original_alone():
    tree = {"a": [1, 2, {"b": "c"}], "d": None}
    made = {repr(mutated_tree(tree, generator_of("x", "0", k))) for k in range(300)}
    assert len(made) > 150
    assert tree == {"a": [1, 2, {"b": "c"}], "d": None}
    data = b'{"n": 12, "m": [3, 4]}'
    assert len({mutated_bytes(data, generator_of("x", "0", k)) for k in range(300)}) > 150
