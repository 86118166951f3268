"""Trainings in folders: interrupted and resumed bit for bit, or refused in a sentence that says what differs."""

import json
import os
import shutil
import signal

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save_file

from hyperhedge.errors import GeneratorError, TrainingError
from hyperhedge.models.hedge import Hedge
from hyperhedge.train.checkpoint import FILE as CHECKPOINT
from hyperhedge.train.checkpoint import _checksum
from hyperhedge.train.run import RUN, begin_run, check_run
from small_hedge import MIXED, QUICK, interrupt_at, quick, weights

LONGER = {"iterations": 30, "validate_every": 7}


@pytest.fixture(autouse=True)
def _usual_signals():
    """Set the handler that Python sets, unless it is started where signals are ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """Train in a folder until Ctrl-C ends it in the middle."""
    folder = tmp_path_factory.mktemp("interrupted")
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    with pytest.MonkeyPatch.context() as patch:
        interrupt_at(patch, 17)
        with pytest.raises(KeyboardInterrupt):
            quick(**LONGER).fit(MIXED, folder=folder)
    signal.signal(signal.SIGINT, before)
    return folder


@pytest.fixture
def interrupted(original, tmp_path):
    """Return the folder of a training that Ctrl-C ended in the middle."""
    return shutil.copytree(original, tmp_path / "run")


def one_sentence(caught):
    text = str(caught.value)
    return "\n" not in text and not text.endswith(".")


# -- resuming --------------------------------------------------------------------------------------


def test_a_resumed_training_is_the_uninterrupted_one_bit_for_bit(interrupted):
    straight = quick(**LONGER).fit(MIXED)
    resumed = quick(**LONGER).fit(MIXED, folder=interrupted, resume=True)
    assert {name: tensor.tolist() for name, tensor in weights(resumed).items()} == {
        name: tensor.tolist() for name, tensor in weights(straight).items()
    }
    assert resumed.sample(5, seed=1) == straight.sample(5, seed=1)
    timed = ("seconds",)
    for name in straight.training_.keys() - timed:
        assert resumed.training_[name] == straight.training_[name]
    again = quick(**LONGER).fit(MIXED, folder=interrupted, resume=True)  # complete: its model comes at once
    assert again.sample(5, seed=1) == straight.sample(5, seed=1)


def test_a_folder_changes_nothing_in_a_training(tmp_path):
    with_folder = quick().fit(MIXED, folder=str(tmp_path / "run"))
    assert weights(with_folder)["out.weight"].equal(weights(quick().fit(MIXED))["out.weight"])
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == [CHECKPOINT, "log.jsonl", RUN]


def test_labels_do_not_matter(interrupted):
    relabelled = [H.relabel(nodes=[f"v{k}" for k in range(H.n)]) for H in MIXED]
    assert quick(**LONGER).fit(relabelled, folder=interrupted, resume=True).training_["iterations"] == 30


def test_ctrl_c_without_a_folder_leaves_no_half_fitted_model(monkeypatch):
    interrupt_at(monkeypatch, 9)
    model = quick()
    with pytest.raises(KeyboardInterrupt, match="training was interrupted after iteration"):
        model.fit(MIXED)
    with pytest.raises(GeneratorError, match="not fitted"):
        model.sample()
    assert model.fit(MIXED).sample(2, seed=0) == quick().fit(MIXED).sample(2, seed=0)


def test_ctrl_c_in_a_folder_leaves_the_step_at_hand(interrupted):
    lines = [json.loads(line) for line in (interrupted / "log.jsonl").read_text().splitlines()]
    assert lines[-1]["event"] == "interrupted"
    assert 10 < lines[-1]["iteration"] < 20
    assert (interrupted / CHECKPOINT).is_file()


# -- refusals --------------------------------------------------------------------------------------


def refused(folder, match, training=MIXED, file=RUN, **changes):
    with pytest.raises(TrainingError, match=match) as caught:
        quick(**{**LONGER, **changes}).fit(training, folder=folder, resume=True)
    assert str(caught.value).startswith(str(folder / file))
    assert one_sentence(caught)


@pytest.mark.parametrize("training", [MIXED[:-1], [*MIXED[1:], MIXED[0]], [*MIXED, MIXED[0]]])
def test_another_training_set_is_refused(interrupted, training):
    refused(interrupted, "started with another training set", training)


CHANGES = {
    "seed": 1,
    "iterations": 31,
    "batch_size": 16,
    "learning_rate": 1e-3,
    "warmup": 10,
    "decay": 0.5,
    "weight_decay": 0.1,
    "clip": None,
    "ema": 0.9,
    "validation": 0.2,
    "validate_every": 9,
    "width": 24,
    "channels": 4,
    "hidden": 8,
    "blocks": 2,
    "given": "nothing",
    "schedule": "linear",
    "horizon": 2.0,
    "gamma": 4.0,
    "tau": 0.5,
    "heat": 3.0,
    "variant": "ou",
    "time_power": 2.0,
}
FREE = {
    "max_time": "1h",
    "patience": 50,
    "sampler": "flow",
    "steps": 7,
    "grid_power": 2.0,
    "projection": "threshold",
    "device": "cpu",
    "workers": 2,
    "repeats": "forbid",
}


def test_every_argument_is_one_that_matters_or_one_that_may_change():
    assert set(FREE) == set(Hedge.may_change)
    assert set(CHANGES) | set(FREE) == set(Hedge().get_params())
    for name, value in (CHANGES | FREE).items():
        assert quick(**LONGER).get_params()[name] != value


@pytest.mark.parametrize("name", CHANGES)
def test_an_argument_that_matters_is_refused_by_name(tmp_path, name):
    """The record alone is looked at, before anything is prepared."""
    begin_run(tmp_path, "data", quick(**LONGER).get_params())
    changed = quick(**{**LONGER, name: CHANGES[name]})
    with pytest.raises(TrainingError, match=f"started with {name}=.* and now it is .*; give the same") as caught:
        check_run(tmp_path, "data", changed.get_params(), Hedge().get_params())
    assert str(caught.value).startswith(str(tmp_path / RUN))
    assert one_sentence(caught)


def test_an_argument_that_matters_is_refused_by_fit(interrupted):
    refused(interrupted, f"started with gamma={Hedge().gamma} and now it is 4.0", gamma=4.0)
    refused(interrupted, "started with blocks=1 and now it is 2", blocks=2)


def test_arguments_that_do_not_matter_may_change(interrupted):
    model = quick(**{**LONGER, **FREE})
    model.fit(MIXED, folder=interrupted, resume=True)
    assert model.training_["iterations"] == 30
    assert model.sampler == "flow"


def test_an_argument_that_an_earlier_version_had_not_is_the_default(interrupted):
    record = json.loads((interrupted / RUN).read_text())
    del record["config"]["time_power"]
    (interrupted / RUN).write_text(json.dumps(record))
    refused(interrupted, f"started with time_power={Hedge().time_power} and now it is 2.5", time_power=2.5)
    assert quick(**LONGER).fit(MIXED, folder=interrupted, resume=True).training_["iterations"] == 30


def test_a_new_training_does_not_touch_one_that_is_there(interrupted):
    """Nor does it let the other be resumed as its own."""
    before = {file.name: file.read_bytes() for file in interrupted.iterdir()}
    with pytest.raises(TrainingError, match="there is a checkpoint already; give resume=True"):
        quick(seed=5).fit(MIXED[:5], folder=interrupted)
    assert {file.name: file.read_bytes() for file in interrupted.iterdir()} == before
    refused(interrupted, "started with another training set", MIXED[:5])


def test_nothing_to_resume(tmp_path):
    refused(tmp_path / "new", "there is no training here to resume; leave resume out")
    assert not (tmp_path / "new").exists()
    (tmp_path / "file").write_text("")
    refused(tmp_path / "file", "there is no training here to resume")
    with pytest.raises(GeneratorError, match="resume goes on with the training in a folder; give folder too"):
        quick().fit(MIXED, resume=True)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"data": 3, "config": {}}', b'{"data": "x"}', b"\xff\xfe{"])
def test_a_record_that_is_none(interrupted, content):
    (interrupted / RUN).write_bytes(content)
    refused(interrupted, "this does not describe a training; remove the folder")


def test_a_checkpoint_that_is_missing_or_holds_nan(interrupted):
    with safe_open(interrupted / CHECKPOINT, "pt") as opened:
        record = opened.metadata()["record"]
        tensors = {name: opened.get_tensor(name).clone() for name in opened.keys()}  # noqa: SIM118
    tensors["weights.out.bias"][0] = torch.nan
    save_file(tensors, interrupted / CHECKPOINT, {"record": record, "checksum": _checksum(record, tensors)})
    refused(interrupted, "numbers that are not finite in weights.out.bias", file=CHECKPOINT)
    (interrupted / CHECKPOINT).unlink()
    refused(interrupted, "there is no checkpoint to resume from", file=CHECKPOINT)


# -- disks ------------------------------------------------------------------------------------------


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("precious")
    with pytest.raises(TrainingError, match="this file of the training cannot be written") as caught:
        quick().fit(MIXED, folder=tmp_path / "file")
    assert one_sentence(caught)
    assert (tmp_path / "file").read_text() == "precious"


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        (100, f"{RUN}: this file of the training cannot be written"),
        (20_000, f"{CHECKPOINT}: the checkpoint of iteration 0"),
    ],
)
def test_a_full_disk(tmp_path, limit, message):
    """A limit on the size of files stands for it: the record does not fit, or the checkpoint."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
    model = quick()
    try:
        with pytest.raises(TrainingError, match=f"{message}.*file too large") as caught:
            model.fit(MIXED, folder=tmp_path / "run")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)
    assert one_sentence(caught)
    with pytest.raises(GeneratorError, match="not fitted"):
        model.sample()
    assert quick().fit(MIXED, folder=tmp_path / "run").training_["iterations"] == QUICK["iterations"]


def test_of_processes_that_train_together_the_first_one_writes(tmp_path, monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setenv("RANK", "1")
    begin_run(tmp_path, "data", {})
    assert os.listdir(tmp_path) == []  # noqa: PTH208
    monkeypatch.setenv("RANK", "0")
    begin_run(tmp_path, "data", {})
    assert os.listdir(tmp_path) == [RUN]  # noqa: PTH208
