"""Several processes: they do what one does, and what ends one of them ends all."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from hyperhedge.errors import MissingDependencyError, TrainingError
from hyperhedge.train import Trainer
from hyperhedge.train.ranks import Ranks, find_device, fresh_seed, process_index, ranks_for
from regression import Regression, module, reports, settings


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """Let two processes train together, and return what each has found."""
    pytest.importorskip("accelerate")
    folder = tmp_path_factory.mktemp("ranks")
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"]
    done = subprocess.run(
        [*launcher, str(Path(__file__).with_name("two_processes.py")), str(folder)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return [json.loads((folder / f"{rank}.json").read_text()) for rank in range(2)]


def test_two_processes_learn_what_one_does(both):
    net = module()
    alone = Trainer(net, Regression(held_out=True), settings(60)).run()
    for found in both:
        assert found["together"]["stopped"] == "iterations"
        assert found["together"]["best"] == pytest.approx(alone.best_validation, rel=1e-4)
        for line, expected in zip(found["together"]["history"], reports(alone.history), strict=True):
            assert line == pytest.approx(expected, rel=1e-4)
    assert both[0]["together"] == both[1]["together"]


def test_a_fresh_seed_is_the_same_in_both(both):
    first, second = both[0]["seeds"]
    assert both[1]["seeds"] == [first, second]
    assert first != second
    assert {fresh_seed("cpu"), fresh_seed("cpu")}.isdisjoint({first, second})


def test_a_batch_that_cannot_be_shared_is_refused(both):
    for found in both:
        assert found["odd"] == {
            "TrainingError": "batch_size must be a multiple of the number of processes, and 7 is not one of 2"
        }


def test_a_divergence_in_one_leads_both_back(both):
    assert [found["diverged"]["rollbacks"] for found in both] == [1, 1]
    assert both[0]["diverged"]["weights"] == both[1]["diverged"]["weights"]
    assert [len(found["diverged"]["told"]) for found in both] == [1, 0]
    assert "after iteration 24: back to iteration 21" in both[0]["diverged"]["told"][0]


def test_an_interruption_of_one_stops_both_and_they_go_on_bit_for_bit(both):
    for found in both:
        message = found["interrupted"]["KeyboardInterrupt"]
        assert message.startswith("training was interrupted after iteration 33; its checkpoint is in ")
        assert found["resumed"]["weights"] == found["together"]["weights"]
    assert both[0]["resumed"]["history"] == both[0]["together"]["history"]


def test_the_clock_and_patience_stop_both_at_once(both):
    for name, reason in (("timed", "max_time"), ("impatient", "patience")):
        assert [found[name]["stopped"] for found in both] == [reason, reason]
        assert both[0][name]["iterations"] == both[1][name]["iterations"]
        assert both[0][name]["weights"] == both[1][name]["weights"]


def test_a_refusal_in_one_ends_both(both):
    for found in both:
        assert "there is a checkpoint already" in found["again"]["TrainingError"]
    other = {"TrainingError": "training ended because another process failed; see its message"}
    assert both[0]["missing"] == other
    assert "there is no checkpoint to resume from" in both[1]["missing"]["TrainingError"]
    assert "no space left on device" in both[0]["full"]["TrainingError"]
    assert both[1]["full"] == other


# -- one process -----------------------------------------------------------------------------------


def test_without_accelerate_one_is_told_how_to_install_it(monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setitem(sys.modules, "accelerate", None)
    with pytest.raises(MissingDependencyError, match=r"this needs accelerate: pip install 'hyperhedge\[distributed\]'"):
        Trainer(module(), Regression(), settings()).run()


@pytest.mark.parametrize("size", [None, "", "1"])
def test_one_process_is_alone(monkeypatch, size):
    if size is None:
        monkeypatch.delenv("WORLD_SIZE", raising=False)
    else:
        monkeypatch.setenv("WORLD_SIZE", size)
    ranks = ranks_for("cpu")
    assert (type(ranks), ranks.count, ranks.first, ranks.device) == (Ranks, 1, True, torch.device("cpu"))
    assert ranks.total(1.5, True) == [1.5, True]
    ranks.agree(None)
    with pytest.raises(TrainingError, match="no"):
        ranks.agree(TrainingError("no"))


@pytest.mark.parametrize(
    ("environment", "index"),
    [({}, 0), ({"WORLD_SIZE": "2", "RANK": "1"}, 1), ({"WORLD_SIZE": "2"}, 0), ({"WORLD_SIZE": "1", "RANK": "1"}, 0)],
)
def test_the_environment_says_which_process_this_is(monkeypatch, environment, index):
    for name in ("WORLD_SIZE", "RANK"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert process_index() == index


@pytest.mark.parametrize("name", ["toaster", "cuda:99", "xpu:7"])
def test_a_device_that_is_not_there_is_refused(name):
    with pytest.raises(TrainingError, match=f"^there is no device '{name}' here; give 'auto', 'cpu' or such as"):
        find_device(name)


def test_the_device_is_cuda_where_there_is_some(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert ranks_for("auto").device.type == "cuda"
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert ranks_for("auto").device.type == "cpu"


@pytest.mark.parametrize("name", ["meta", "abacus", "cuda:77", ""])
def test_a_device_that_cannot_compute_here_is_refused(name):
    with pytest.raises(
        TrainingError, match=f"there is no device '{name}' here; give 'auto', 'cpu' or such as 'cuda:0'"
    ):
        ranks_for(name)
    assert ranks_for(torch.device("cpu")).device.type == "cpu"
