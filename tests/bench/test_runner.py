"""The runner: what it runs, what it leaves alone, and what survives failures, signals and kills."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import msgspec
import pytest
from filelock import FileLock
from rich.console import Console

import hyperhedge as hh
from bench_experiments import HEDGE, TINY
from hyperhedge._system.pool import Local
from hyperhedge.bench import cell as cells
from hyperhedge.bench import record as records
from hyperhedge.bench import runner
from hyperhedge.bench.experiment import read_experiment
from hyperhedge.bench.record import commit_of, read_record, record_file, write_record
from hyperhedge.bench.runner import LOCK, LOG, TRAINING, Selection, run_experiment
from hyperhedge.errors import FormatError, HyperhedgeError, WorkerDiedError


def results_in(folder):
    return {file.relative_to(folder): read_record(file).results() for file in folder.glob("*/*.json")}


@pytest.fixture(scope="module")
def straight(tmp_path_factory):
    """Run an experiment from beginning to end, by one worker."""
    folder = tmp_path_factory.mktemp("straight")
    (folder / "tiny.toml").write_text(TINY + HEDGE, encoding="utf-8")
    experiment = read_experiment(folder / "tiny.toml")
    summary = run_experiment(experiment, folder / "tiny", Local(1), console=Console(quiet=True))
    assert summary.counts == Counter(done=10)
    return folder / "tiny"


def test_every_cell_leaves_a_record(straight):
    files = sorted(str(file.relative_to(straight)) for file in straight.glob("*/*"))
    names = [f"{method}-{seed}.json" for method in ("er", "floor") for seed in (0, 1)] + ["hedge-0.json"]
    assert files == sorted(f"{dataset}/{name}" for dataset in ("committee", "configuration") for name in names)
    record = read_record(straight / "committee" / "er-1.json")
    assert record.provenance.commit == commit_of(Path(records.__file__))
    assert record.versions["numpy"]
    assert record.machine["cores"]
    assert json.loads((straight / "committee" / "er-1.json").read_text())["format"] == "hyperhedge-benchmark-record"
    log = (straight / LOG).read_text().splitlines()
    assert [line.split(" ", 2)[1].rstrip(":") for line in log] == ["start", *["done"] * 10, "end"]
    assert not (straight / TRAINING).exists()


def test_trainings_of_cells_that_were_not_asked_for_are_left_alone(tiny, tmp_path):
    """A killed run left two trainings; a run of other cells must not throw away the one that may go on."""
    experiment, trainings = tiny(), tmp_path / "records" / TRAINING
    [cell] = Selection(("committee",), ("er",), (1,)).of(experiment)
    unfinished = trainings / f"committee-er-1-{cell.fingerprint}" / "checkpoint.safetensors"
    for file in (unfinished, trainings / "committee-er-1-of-other-options" / unfinished.name):
        file.parent.mkdir(parents=True)
        file.touch()
    run_experiment(experiment, tmp_path / "records", Local(1), selection=Selection(seeds=(0,)))
    assert list(trainings.glob("*/*")) == [unfinished]
    run_experiment(experiment, tmp_path / "records", Local(1))
    assert not trainings.exists()


@pytest.mark.parametrize("more", ["", pytest.param(HEDGE, marks=pytest.mark.full)])
def test_two_workers_leave_the_same_records(straight, tiny, tmp_path, more):
    experiment = tiny(more)
    assert run_experiment(experiment, tmp_path / "two", Local(2)).counts == Counter(done=10 if more else 8)
    expected = {file: result for file, result in results_in(straight).items() if more or "hedge" not in file.name}
    assert results_in(tmp_path / "two") == expected


def test_what_is_done_is_not_done_again_and_what_changed_is(tiny, tmp_path, monkeypatch):
    experiment, folder = tiny(), tmp_path / "records"
    run_experiment(experiment, folder, Local(1))
    before = {file: file.read_bytes() for file in folder.glob("*/*.json")}
    ran = []
    monkeypatch.setattr(runner, "run_job", lambda task: ran.append(task) or cells.run_job(task))
    run_experiment(experiment, folder, Local(1))
    assert (ran, {file: file.read_bytes() for file in before}) == ([], before)
    record_file(folder, next(experiment.cells())).write_text("{", encoding="utf-8")  # as good as none
    run_experiment(experiment, folder, Local(1))
    assert len(ran) == 1
    changed = msgspec.structs.replace(
        experiment, methods={**experiment.methods, "er": msgspec.structs.replace(experiment.methods["er"], options={})}
    )
    assert runner.summarise(list(changed.cells()), folder).counts == Counter(done=4, outdated=4)
    run_experiment(changed, folder, Local(1))
    assert len(ran) == 5


def test_a_choice_of_cells(tiny, tmp_path):
    selection = Selection(datasets=["committee"], methods=["er"], seeds=[1])
    assert run_experiment(tiny(), tmp_path / "r", Local(1), selection=selection).counts == Counter(done=1)
    assert [f.name for f in (tmp_path / "r").glob("*/*.json")] == ["er-1.json"]
    with pytest.raises(HyperhedgeError, match=r"the experiment tiny has no method 'x'; it has: floor, er"):
        Selection(methods=["x"]).of(tiny())
    with pytest.raises(HyperhedgeError, match="has no seed 2; it has: 0, 1"):
        Selection(seeds=[2]).of(tiny())


def test_models_are_kept_when_asked_for(tiny, tmp_path):
    """Samples of a kept model with the cell's seed are those that the cell judged."""
    experiment = tiny()
    run_experiment(experiment, tmp_path / "records", Local(1), models=tmp_path / "models")
    [cell] = [c for c in experiment.cells() if (c.dataset, c.method, c.seed) == ("committee", "er", 1)]
    new = hh.load_model(tmp_path / "models" / "committee" / "er-1").sample(cell.protocol.generated, seed=1)
    train, _, test = hh.load_dataset("committee").splits(10, 6, (16, 0, 8), seed=1)
    record = read_record(record_file(tmp_path / "records", cell))
    assert hh.evaluate(test, new, train=train, seed=1)["size_wd"].value == record.metrics["size_wd"].value
    assert not (tmp_path / "models" / "committee" / "floor-0").exists()


def test_data_beside_the_experiment_is_used(tmp_path, monkeypatch):
    """From whatever folder the command is run."""
    committee = hh.load_dataset("committee").bank(12, 8, 30, seed=0)
    (tmp_path / "there").mkdir()
    hh.write_collection(committee, tmp_path / "there" / "bank.npz")
    file = tmp_path / "there" / "tiny.toml"
    file.write_text(TINY.replace("[datasets.committee]", "[datasets.committee]\nsource = 'bank.npz'"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    summary = run_experiment(
        read_experiment("there/tiny.toml"),
        tmp_path / "records",
        Local(1),
        selection=Selection(["committee"], ["er"], [0]),
    )
    assert summary.counts == Counter(done=1)


def test_models_are_kept_on_this_machine_only(tiny, tmp_path):
    class Elsewhere:
        """Workers of another machine."""

    with pytest.raises(HyperhedgeError, match="only workers on this machine can keep models"):
        run_experiment(tiny(), tmp_path, Elsewhere(), models=tmp_path)


def test_a_failed_cell_stops_no_other_and_is_tried_again_when_asked(tiny, tmp_path, monkeypatch):
    experiment, folder = tiny(), tmp_path / "records"
    monkeypatch.setitem(cells.METHODS, "erdos-renyi", lambda *_: 1 / 0)
    summary = run_experiment(experiment, folder, Local(1))
    assert summary.counts == Counter(done=4, failed=4)
    assert set(summary.errors.values()) == {"ZeroDivisionError: division by zero"}
    assert "in <lambda>" in (folder / LOG).read_text()
    monkeypatch.undo()
    assert run_experiment(experiment, folder, Local(1)).counts["failed"] == 4
    assert run_experiment(experiment, folder, Local(1), retry_failed=True).counts == Counter(done=8)


def test_a_worker_that_died_is_a_failed_cell(tiny, tmp_path):
    class Deadly:
        workers = 1

        def run(self, function, tasks):
            yield tasks[0], WorkerDiedError("it died")
            yield tasks[1], RuntimeError("the wire broke")
            for task in tasks[2:]:
                yield task, function(task)

    summary = run_experiment(tiny(), tmp_path, Deadly())
    assert summary.counts == Counter(done=6, failed=2)
    assert sorted(summary.errors.values()) == ["RuntimeError: the wire broke", "it died"]


def test_two_runs_do_not_share_a_folder(tiny, tmp_path):
    with FileLock(tmp_path / LOCK), pytest.raises(HyperhedgeError, match="another run is using this folder"):
        run_experiment(tiny(), tmp_path, Local(1))


def test_what_a_killed_writer_left_is_cleared(tiny, tmp_path):
    rest = tmp_path / "committee" / ".er-0.json.1234.tmp"
    rest.parent.mkdir()
    rest.write_text("{")
    run_experiment(tiny(), tmp_path, Local(1), selection=Selection(methods=["floor"]))
    assert not rest.exists()


def test_the_time_left_is_shown(tiny, tmp_path):
    shown = io.StringIO()
    run_experiment(tiny(), tmp_path, Local(1), console=Console(file=shown, force_terminal=True, width=150))
    assert "8/8" in shown.getvalue()
    forecast = runner._Forecast(2)
    todo = list(tiny().cells())
    assert forecast.seconds(todo) is None
    record = read_record(record_file(tmp_path, todo[0]))
    forecast.learn(
        msgspec.structs.replace(record, seconds={"fit": 8.0, "sample": 1.0, "evaluate": 1.0, "training": 7.0})
    )
    assert forecast.seconds(todo) == 8 * 10 / 2
    assert forecast.seconds(todo[:1]) == 10


def test_a_damaged_record_is_reported(tmp_path):
    (tmp_path / "x.json").write_text('{"cell": 1}')
    with pytest.raises(FormatError, match=r"x\.json: this is not a benchmark record"):
        read_record(tmp_path / "x.json")


# -- signals and kills -----------------------------------------------------------------------------


def start(folder, *options, iterations=25):
    file = folder / "tiny.toml"
    file.write_text(TINY + HEDGE.replace("iterations = 3", f"iterations = {iterations}"), encoding="utf-8")
    command = [sys.executable, "-m", "hyperhedge", "bench", "run", str(file), "--results", str(folder / "records")]
    return subprocess.Popen(
        [*command, *options],
        stderr=subprocess.PIPE,
        text=True,
        # A job in the background may ignore it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def wait_until(holds, process, seconds=120):
    deadline = time.monotonic() + seconds
    while not holds():
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_run_that_is_killed_continues(tmp_path):
    process = start(tmp_path, "--jobs", "1")
    folder = tmp_path / "records"
    try:
        wait_until(lambda: list(folder.glob(f"{TRAINING}/configuration-hedge-0-*/checkpoint.safetensors")), process)
    finally:
        process.kill()
        process.communicate()
    experiment = read_experiment(tmp_path / "tiny.toml")
    kept = {file: file.read_bytes() for file in folder.glob("*/*.json")}
    assert len(kept) == 5  # committee's three, and the floor and ER of configuration
    assert runner.summarise(list(experiment.cells()), folder).counts == Counter(done=5, missing=5)
    assert run_experiment(experiment, folder, Local(1)).counts == Counter(done=10)
    assert {file: file.read_bytes() for file in kept} == kept
    only = Selection(datasets=["configuration"], methods=["hedge"])
    run_experiment(experiment, tmp_path / "again", Local(1), selection=only)
    file = "configuration/hedge-0.json"
    assert read_record(folder / file).results() == read_record(tmp_path / "again" / file).results()


@pytest.mark.parametrize(
    ("number", "jobs"),
    [
        (signal.SIGINT, "1"),
        pytest.param(signal.SIGTERM, "1", marks=pytest.mark.full),
        pytest.param(signal.SIGINT, "2", marks=pytest.mark.full),
    ],
)
def test_a_run_that_is_interrupted_says_how_to_continue(tmp_path, number, jobs):
    process = start(tmp_path, "--jobs", jobs, iterations=100_000)
    folder = tmp_path / "records"
    try:
        wait_until(lambda: len(list(folder.glob("*/*.json"))) >= 2, process)
        wait_until(lambda: list(folder.glob(f"{TRAINING}/*/checkpoint.safetensors")), process)
        os.kill(process.pid, number)
        _, printed = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert printed.splitlines()[-1] == f"Stopped. Finished cells are in {folder}; the same command continues."
    assert "Traceback" not in printed
    assert "stopped (KeyboardInterrupt)" in (folder / LOG).read_text()
    experiment = read_experiment(tmp_path / "tiny.toml")
    counts = runner.summarise(list(experiment.cells()), folder).counts
    assert counts["done"] >= 2
    assert counts["failed"] == 0


# -- which code ------------------------------------------------------------------------------------


def git(folder, *arguments):
    options = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    return subprocess.run(["git", *options, *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout


def test_a_record_names_the_commit_and_whether_files_were_changed(tmp_path):
    file = tmp_path / "src" / "module.py"
    file.parent.mkdir()
    file.write_text("a = 1\n")
    assert commit_of(file) is None  # no checkout
    git(tmp_path, "init", "-q")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "none")
    assert commit_of(file) is None  # somebody else's checkout
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "one")
    head = git(tmp_path, "rev-parse", "HEAD")[:12]
    assert commit_of(file) == head
    (tmp_path / "notes.txt").write_text("not watched")
    assert commit_of(file) == head
    file.write_text("a = 2\n")
    assert commit_of(file) == f"{head}+changes"


def test_a_library_that_is_not_there_has_no_version():
    assert records.versions_of(("no-such-library",)) == {"no-such-library": "not installed"}


def test_records_are_replaced_whole(straight, tmp_path):
    record = read_record(straight / "committee" / "er-0.json")
    file = write_record(tmp_path, record)
    assert write_record(tmp_path, msgspec.structs.replace(record, error="x")) == file
    assert [f.name for f in file.parent.iterdir()] == [file.name]
    assert read_record(file).error == "x"
