"""kill -9 at moments of chance, and full disks: every output is the old one or the new one, and work goes on where it stopped.

Each thing is killed 50 times in `make test-full`, or as often as `HYPERHEDGE_KILLS` says.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import hyperhedge as hh
from bench_experiments import HEDGE, TINY
from hyperhedge.bench.experiment import read_experiment
from hyperhedge.bench.record import read_record, record_file
from hyperhedge.io.files import _exchange_names, atomic_folder
from killing import KILLS, command, contents, duration, fill, moments, run_and_kill, small_disk
from small_hedge import MIXED

pytestmark = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded, use of fork:DeprecationWarning")

LEARN = ("--seed", "0", *(a for pair in ("width=16", "channels=8", "blocks=1", "workers=1") for a in ("--set", pair)))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return a folder with training sets, and models that were fitted to them."""
    folder = tmp_path_factory.mktemp("made")
    hh.write_collection(MIXED, folder / "bank.hif.jsonl")
    hh.write_collection(MIXED[:9], folder / "other.hif.jsonl")
    for name in ("bank", "other"):
        hh.ErdosRenyi().fit(hh.read_collection(folder / f"{name}.hif.jsonl")).save(folder / f"er-{name}")
    hh.Hedge(seed=0, iterations=3, width=16, channels=8, blocks=1, workers=1, steps=8).fit(MIXED).save(folder / "hedge")
    return folder


def without_times(folder):
    """Return the files of a learned model, without how long its training took."""
    files = contents(folder)
    record = json.loads(files["model.json"])
    record["fitted"]["training"].pop("seconds")
    return {"arrays": files["arrays.safetensors"], "record": record}


# -- replacing a folder ------------------------------------------------------------------------------


@pytest.mark.parametrize("call", [1, 2, 3])
def test_a_folder_that_is_replaced_is_there_at_every_moment(tmp_path, call):
    """A process is killed before each of the calls that give the new folder its name and remove the old one."""
    target, other = tmp_path / "model", tmp_path / "other"
    target.mkdir()
    other.mkdir()
    if not _exchange_names(target, other):
        pytest.skip("names cannot be exchanged here")
    other.rmdir()
    (target / "file").write_text("old")

    def replace():
        left = [call]

        def killing(function):
            def counted(*arguments, **options):
                left[0] -= 1
                if not left[0]:
                    os.kill(os.getpid(), signal.SIGKILL)
                return function(*arguments, **options)

            return counted

        Path.rename, shutil.rmtree = killing(Path.rename), killing(shutil.rmtree)
        with atomic_folder(target, replace=True) as folder:
            (folder / "file").write_text("new")

    code = run_and_kill(replace)
    assert code == (-signal.SIGKILL if call == 1 else 0)  # one call suffices where names can be exchanged
    assert (target / "file").read_text() == "new"
    if code == 0:
        assert [path.name for path in tmp_path.iterdir()] == ["model"]


# -- kills -------------------------------------------------------------------------------------------


@pytest.mark.full
def test_a_saved_model_that_is_replaced_is_the_old_or_the_new_one(made, tmp_path):
    out, both = tmp_path / "model", [contents(made / f"er-{name}") for name in ("bank", "other")]
    calls = [
        command("fit", made / f"{name}.hif.jsonl", "--model", "erdos-renyi", "--out", out, "--overwrite")
        for name in ("bank", "other")
    ]
    for k, moment in enumerate(moments(calls[0])):
        run_and_kill(calls[k % 2], moment)
        assert contents(out) in both
        hh.load_model(out)
    assert run_and_kill(calls[1]) == 0
    assert contents(out) == both[1]


@pytest.mark.full
@pytest.mark.parametrize("model", ["hedge", "er-bank"])
def test_samples_are_the_old_or_the_new_ones(made, tmp_path, model):
    out = tmp_path / "new.hif.jsonl"
    call = command("sample", made / model, "--count", "60", "--seed", "5", "--out", out)
    longest = list(moments(call))
    new, old = out.read_bytes(), b'{"incidences": []}\n'
    for moment in longest:
        out.write_bytes(old)
        code = run_and_kill(call, moment)
        assert out.read_bytes() == new if code == 0 else out.read_bytes() in (old, new)
    assert {path.name for path in tmp_path.iterdir() if not path.name.startswith(".")} == {out.name}


@pytest.mark.full
@pytest.mark.parametrize("overwrite", [False, True])
def test_a_killed_training_is_resumed_to_the_same_bytes(made, tmp_path, overwrite):
    """A model that was there before stays, or is replaced by the new one as a whole."""
    arguments = ("fit", made / "bank.hif.jsonl", *LEARN, "--set", "iterations=150", "--set", "validate_every=20")
    command_for = lambda out, *more: command(*arguments, "--out", out, *more)  # noqa: E731
    call = command_for(tmp_path / "straight")
    longest = duration(call)
    expected, old = without_times(tmp_path / "straight"), contents(made / "er-bank")
    out, training, finished, rng = tmp_path / "model", tmp_path / "model.training", 0, random.Random(2)
    replaced = ["--overwrite"] if overwrite else []
    for k in range(KILLS):
        if overwrite and not out.exists():
            shutil.copytree(made / "er-bank", out)
        resume = ["--resume"] if (training / "checkpoint.safetensors").exists() else []
        run_and_kill(command_for(out, *replaced, *resume), rng.uniform(0, 1.1 * longest))
        complete = out.exists() and (not overwrite or contents(out) != old)
        if complete:
            assert without_times(out) == expected
        if complete or k % 10 == 9:
            finished += 1
            if not complete or training.exists():
                resume = ["--resume"] if (training / "checkpoint.safetensors").exists() else []
                again = ["--overwrite"] if complete else replaced
                assert run_and_kill(command_for(out, *again, *resume)) == 0
            assert without_times(out) == expected
            assert not training.exists()
            shutil.rmtree(out)
    assert finished >= KILLS // 10


@pytest.mark.full
def test_a_killed_benchmark_goes_on_to_the_same_results(tmp_path):
    file = tmp_path / "tiny.toml"
    file.write_text(TINY + HEDGE)
    cells = list(read_experiment(file).cells())

    def results(folder):
        records = {cell.name: read_record(record_file(folder, cell)) for cell in cells}
        return {name: None if record is None else record.results() for name, record in records.items()}

    call = command("bench", "run", file, "--results", tmp_path / "straight", "--jobs", "1")
    longest = duration(call)
    expected, folder, rng = results(tmp_path / "straight"), tmp_path / "records", random.Random(3)
    assert None not in expected.values()
    call, done = command("bench", "run", file, "--results", folder, "--jobs", "1"), 0
    for k in range(KILLS):
        run_and_kill(call, rng.uniform(0.05, 0.5) * longest)
        there = {name: record for name, record in results(folder).items() if record is not None}
        assert there == {name: expected[name] for name in there}
        assert len(there) >= done  # nothing that was done is lost
        done = len(there)
        if k % 10 == 9 or k == KILLS - 1:
            assert run_and_kill(call) == 0
            assert results(folder) == expected
            assert not list(folder.rglob(".*.tmp"))
            assert not (folder / ".training").exists()
            shutil.rmtree(folder)
            done = 0


@pytest.mark.full
def test_a_killed_training_of_two_processes_is_resumed_to_the_same_bytes(made, tmp_path):
    """All processes are killed at once, as by a cut of power; a tenth as often, since they take seconds to start."""
    pytest.importorskip("accelerate")

    def start(out, *more):
        arguments = [
            "fit",
            made / "bank.hif.jsonl",
            *LEARN,
            "--set",
            "iterations=150",
            "--processes",
            "2",
            "--out",
            out,
            *more,
        ]
        return subprocess.Popen(
            [sys.executable, "-m", "hyperhedge", *map(str, arguments)],
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    begin = time.monotonic()
    assert start(tmp_path / "straight").wait(300) == 0
    longest, expected = time.monotonic() - begin, without_times(tmp_path / "straight")
    out, training, rng = tmp_path / "model", tmp_path / "model.training", random.Random(4)

    def resume():
        return ["--resume"] if (training / "checkpoint.safetensors").exists() else []

    for _ in range(max(1, KILLS // 10)):
        process = start(out, *resume())
        time.sleep(rng.uniform(0.3, 1.0) * longest)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if out.exists():
            assert without_times(out) == expected
            shutil.rmtree(out)
    assert start(out, *resume()).wait(300) == 0
    assert without_times(out) == expected
    assert not training.exists()


# -- full disks --------------------------------------------------------------------------------------


@pytest.fixture
def disk(tmp_path):
    """Mount a disk of two megabytes."""
    try:
        with small_disk(tmp_path / "disk") as folder:
            yield folder
    except OSError as error:
        pytest.skip(f"no disk can be mounted here: {error}")


def refused(outcome):
    """Check that a command ended with one sentence; return it."""
    code, _, err = outcome
    errors = [line for line in err.splitlines() if line.startswith("Error: ")]
    assert (code, len(errors)) == (2, 1), outcome
    assert "Traceback" not in err
    return errors[0]


WRITING = {
    "convert": ("convert", "{made}/bank.hif.jsonl", "{disk}/new.hif.jsonl"),
    "convert to npz": ("convert", "{made}/bank.hif.jsonl", "{disk}/new.npz"),
    "convert to a folder": ("convert", "{made}/bank.hif.jsonl", "{disk}/new"),
    "sample": ("sample", "{made}/er-bank", "--count", "50", "--out", "{disk}/new.hif.jsonl"),
    "sample states": (
        "sample",
        "{made}/hedge",
        "--count",
        "9",
        "--save-states",
        "{disk}/s.npz",
        "--out",
        "{disk}/new.npz",
    ),
    "save": ("fit", "{made}/bank.hif.jsonl", "--model", "erdos-renyi", "--out", "{disk}/new"),
    "save more": ("fit", "{made}/bank.hif.jsonl", "--model", "configuration", "--out", "{disk}/new"),
    "train": ("fit", "{made}/bank.hif.jsonl", *LEARN, "--set", "iterations=2", "--out", "{disk}/new"),
    "bank": ("data", "bank", "committee", "--seed", "0", "--count", "50", "--out", "{disk}/new.npz"),
}


@pytest.mark.parametrize("name", WRITING)
def test_a_full_disk_is_reported_in_a_sentence_and_nothing_is_half_written(run, made, disk, name):
    fill(disk)
    arguments = [argument.format(made=made, disk=disk) for argument in WRITING[name]]
    message = refused(run(*arguments))
    assert "no space left on device" in message
    assert str(disk) in message
    assert [path.name for path in disk.iterdir()] == ["filler"]


@pytest.mark.parametrize("name", ["convert", "sample", "save"])
def test_what_was_there_before_a_disk_was_full_is_kept(run, made, disk, name):
    arguments = [argument.format(made=made, disk=disk) for argument in WRITING[name]]
    arguments += ["--overwrite"] if name == "save" else []
    assert run(*arguments)[0] == 0
    before = contents(disk)
    fill(disk)
    refused(run(*arguments, *(["--seed", "7"] if name == "sample" else [])))
    (disk / "filler").unlink()
    assert contents(disk) == before
    assert run(*arguments)[0] == 0


def test_a_training_whose_model_finds_no_room_is_resumed(run, made, disk):
    """There is room for two checkpoints, of which the second is written beside the first, but not for a model beside them."""
    arguments = ("fit", made / "bank.hif.jsonl", *LEARN, "--set", "iterations=40")
    assert run(*arguments, "--out", disk / "straight")[0] == 0
    expected = without_times(disk / "straight")
    shutil.rmtree(disk / "straight")
    tried = []
    for leave in range(40_000, 600_000, 40_000):
        fill(disk, leave=leave)
        code, out, err = run(
            *arguments, "--out", disk / "new", *(["--resume"] if (disk / "new.training").exists() else [])
        )
        (disk / "filler").unlink()
        tried.append(code)
        if code == 0:
            break
        assert "no space left on device" in refused((code, out, err))
        assert not (disk / "new").exists()
        assert not list(disk.glob(".new*"))
    assert tried[0] == 2
    assert tried[-1] == 0
    assert without_times(disk / "new") == expected
    assert not (disk / "new.training").exists()


def test_a_benchmark_on_a_full_disk_goes_on_when_there_is_room(run, disk):
    file = disk / "tiny.toml"
    file.write_text(TINY)
    fill(disk, leave=16_384)
    assert "no space left on device" in refused(run("bench", "run", file, "--jobs", "1"))
    (disk / "filler").unlink()
    experiment = read_experiment(file)
    kept = [read_record(record_file(experiment.folder, cell)) for cell in experiment.cells()]
    assert None in kept
    assert run("bench", "run", file, "--jobs", "1")[0] == 0
    assert all(read_record(record_file(experiment.folder, cell)).status == "done" for cell in experiment.cells())
