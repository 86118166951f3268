"""``hyperhedge fit --processes``: several processes train what one does, and start, stop and fail as one."""

import json
import os
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest
from safetensors.numpy import load_file

import hyperhedge as hh
from hyperhedge.cli import main
from hyperhedge.cli._launch import _Rank, _verdict, run_processes

pytest.importorskip("accelerate")

TINY = {
    "iterations": 200,
    "width": 16,
    "channels": 8,
    "blocks": 1,
    "validate_every": 50,
    "batch_size": 4,
    "warmup": 5,
    "seed": 0,
}
SETTINGS = [argument for name, value in TINY.items() for argument in ("--set", f"{name}={value}")]

DYING = """
import os, signal, threading, time
file = os.environ.get("TEST_DIES_WITH")
if file is not None and os.environ.get("RANK") == "1":
    def die():
        while not os.path.exists(file):
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGKILL)
    threading.Thread(target=die, daemon=True).start()
"""


def start(folder, out, *options, **environment):
    """Start a training in two processes."""
    return subprocess.Popen(
        [sys.executable, "-m", "hyperhedge", "fit", "bank.hif.jsonl", "--out", out, *SETTINGS, *map(str, options)],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def ended(process):
    out, err = process.communicate(timeout=300)
    assert "Traceback" not in err
    return process.returncode, out, err


def wait_for(file, process=None):
    while not file.exists():
        assert process is None or process.poll() is None, process.communicate()
        time.sleep(0.01)


def lines(file):
    return [json.loads(line) for line in file.read_text().splitlines()]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Train with one process and with two, in the same folder; and keep the output of the latter."""
    folder = tmp_path_factory.mktemp("processes")
    hh.write_collection(hh.load_dataset("committee").bank(10, 5, 20, seed=0), folder / "bank.hif.jsonl")
    both = start(folder, "both", "--processes", 2)
    data, out = (str(folder / name) for name in ("bank.hif.jsonl", "alone"))
    with pytest.raises(SystemExit) as caught:
        main(["fit", data, "--out", out, "--processes", "1", "--set", "workers=1", *SETTINGS])
    assert caught.value.code == 0
    said = ended(both)
    assert said[0] == 0, said
    return SimpleNamespace(folder=folder, said=said)


def test_two_processes_learn_what_one_does(made):
    """The same batches in other sums, in single precision: after 200 steps, losses were seen to differ by 2e-7 of themselves."""
    alone, both = (lines(made.folder / name / "log.jsonl") for name in ("alone", "both"))
    assert [line["iteration"] for line in both] == [50, 100, 150, 200, 200]
    for line, expected in zip(both[:-1], alone[:-1], strict=True):
        for name in ("loss", "validation", "gradient_norm", "learning_rate"):
            assert line[name] == pytest.approx(expected[name], rel=1e-5)
    one, two = (load_file(made.folder / name / "arrays.safetensors") for name in ("alone", "both"))
    assert one.keys() == two.keys()
    for name in one:
        assert two[name] == pytest.approx(one[name], rel=0, abs=1e-5)


def test_only_the_first_process_speaks_and_saves(made):
    _, out, err = made.said
    assert out == ""
    assert err.count("200/200") == 1
    assert err.splitlines()[-1].startswith("bank.hif.jsonl → both (200 iterations in ")
    assert sorted(path.name for path in made.folder.glob("both*")) == ["both"]
    assert hh.load_model(made.folder / "both").training_["stopped"] == "iterations"


def test_an_interruption_reaches_all_and_they_go_on_bit_for_bit(made):
    process = start(made.folder, "cut", "--processes", 2)
    wait_for(made.folder / "cut.training" / "checkpoint.safetensors", process)
    process.send_signal(signal.SIGINT)
    code, _, err = ended(process)
    assert code == 130, err
    log = lines(made.folder / "cut.training" / "log.jsonl")
    assert log[-1]["event"] == "interrupted"
    assert err.splitlines()[-1] == (
        f"Stopped after iteration {log[-1]['iteration']}; continue with the same command and --resume."
    )
    code, _, err = ended(start(made.folder, "cut", "--processes", 2, "--resume"))
    assert code == 0, err
    resumed, expected = (made.folder / name / "arrays.safetensors" for name in ("cut", "both"))
    assert resumed.read_bytes() == expected.read_bytes()
    assert not (made.folder / "cut.training").exists()


@pytest.mark.parametrize(
    "when", ["bank.hif.jsonl", pytest.param("lost.training/checkpoint.safetensors", marks=pytest.mark.full)]
)
def test_a_killed_process_is_reported_in_a_sentence(made, tmp_path, when):
    (tmp_path / "sitecustomize.py").write_text(DYING)
    path = os.pathsep.join(filter(None, (os.environ.get("PYTHONPATH"), str(tmp_path))))
    code, out, err = ended(start(made.folder, "lost", "--processes", 2, PYTHONPATH=path, TEST_DIES_WITH=when))
    assert (code, out) == (2, "")
    errors = [line for line in err.splitlines() if not line.startswith("training ")]
    assert errors == ["Error: process 2 of 2 was killed (SIGKILL), perhaps for lack of memory"]
    assert not (made.folder / "lost").exists()


@pytest.mark.full
def test_processes_end_with_a_parent_that_is_killed(made):
    process = start(made.folder, "orphans", "--processes", 2, "--set", "iterations=1000000")
    wait_for(made.folder / "orphans.training" / "checkpoint.safetensors", process)
    process.kill()
    _, err = process.communicate(timeout=300)  # which ends when the last process has closed its end
    assert lines(made.folder / "orphans.training" / "log.jsonl")[-1]["event"] == "interrupted"
    assert "Error" not in err


# -- messages -------------------------------------------------------------------------------------


def test_what_all_processes_refuse_is_reported_once(tmp_path, capfd):
    with pytest.raises(hh.errors.HyperhedgeError) as caught:
        run_processes(["info", str(tmp_path / "missing.hif.json")], 2)
    assert str(caught.value) == f"{tmp_path / 'missing.hif.json'}: no such file or directory"
    assert capfd.readouterr() == ("", "")


@pytest.fixture
def outcome(tmp_path):
    """Return what the parent makes of exit codes and messages."""

    def of(*ends, interrupted=False):
        ranks = [_Rank(index, None, tmp_path, code, message or "") for index, (code, message) in enumerate(ends)]
        try:
            return _verdict(ranks, interrupted)
        except hh.errors.HyperhedgeError as error:
            return str(error)

    return of


ECHO = "training ended because another process failed; see its message"


@pytest.mark.parametrize(
    ("ends", "expected"),
    [
        ([(0, None), (0, None)], 0),
        ([(130, None), (130, None)], 130),
        ([(130, None), (None, None)], 130),
        ([(2, ECHO), (2, "no room")], "no room"),
        ([(2, "no room"), (None, None)], "no room"),
        ([(1, "RuntimeError: closed"), (-9, None)], "process 2 of 2 was killed (SIGKILL), perhaps for lack of memory"),
        ([(1, "RuntimeError: closed"), (2, "no room")], "no room"),
        ([(1, "KeyError: 3"), (2, ECHO)], "process 1 of 2 failed (KeyError: 3); look closer with --processes 1"),
        ([(None, None), (3, None)], "process 2 of 2 failed (exit code 3); look closer with --processes 1"),
    ],
)
def test_the_cause_is_reported_and_not_its_consequences(outcome, ends, expected):
    assert outcome(*ends) == expected


def test_after_an_interruption_only_refusals_are_reported(outcome):
    assert outcome((130, None), (1, "RuntimeError: closed"), interrupted=True) == 130
    assert outcome((130, None), (2, "no room"), interrupted=True) == "no room"


def test_a_process_whose_parent_is_gone_from_the_start_ends_without_a_word(tmp_path):
    environment = {**os.environ, "RANK": "0", "WORLD_SIZE": "2", "HYPERHEDGE_OUTCOME": str(tmp_path / "outcome")}
    done = subprocess.run(
        [sys.executable, "-m", "hyperhedge", "fit", "none.hif.jsonl", "--out", "model"],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert done.stdout + done.stderr == ""
    assert (tmp_path / "outcome").read_text().partition(" ")[0] in ("130", "2")
