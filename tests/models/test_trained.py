"""What trained generators share: the seed that a fit chooses, arguments declared once, trainings that are resumed."""

import json
import signal
from dataclasses import fields

import pytest

from hyperhedge.errors import GeneratorError, TrainingError
from hyperhedge.models import load_model
from hyperhedge.models.hedge import Hedge
from hyperhedge.models.hygene import Hygene
from hyperhedge.models.trained import TrainedGenerator
from hyperhedge.train.run import RUN
from hyperhedge.train.settings import TrainingSettings
from hyperhedge.train.workers import Workers
from small_hedge import MIXED
from small_hedge import quick as quick_hedge
from small_hygene import quick as quick_hygene

quick = pytest.mark.parametrize("quick", [quick_hedge, quick_hygene], ids=["hedge", "hygene"])


def interrupted(monkeypatch, model, folder, call=7):
    """Train in a folder until Ctrl-C in a step."""
    gradient, calls = Workers.gradient, []

    def counting(self, batch):
        calls.append(len(batch))
        if len(calls) == call:
            signal.raise_signal(signal.SIGINT)
        return gradient(self, batch)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    with monkeypatch.context() as patch:
        patch.setattr(Workers, "gradient", counting)
        with pytest.raises(KeyboardInterrupt):
            model.fit(MIXED, folder=folder)
    signal.signal(signal.SIGINT, before)


@quick
def test_without_a_seed_every_fit_is_another_and_can_be_repeated(quick):
    model = quick(seed=None).fit(MIXED)
    first, loss = model.seed_, model.training_["loss"]
    assert model.seed is None
    assert 0 <= first < 2**32
    assert quick(seed=first).fit(MIXED).training_["loss"] == loss
    assert model.fit(MIXED).seed_ != first
    assert model.training_["loss"] != loss


@quick
def test_the_seed_is_saved_with_the_model(quick, tmp_path):
    model = quick(seed=None).fit(MIXED)
    model.save(tmp_path / "model")
    again = load_model(tmp_path / "model")
    assert (again.seed, again.seed_) == (None, model.seed_)
    assert again.sample(4, seed=1) == model.sample(4, seed=1)
    assert quick(seed=3).fit(MIXED).seed_ == 3


@quick
def test_without_a_seed_a_training_is_resumed_with_its_own(quick, tmp_path, monkeypatch):
    model = quick(seed=None)
    interrupted(monkeypatch, model, tmp_path / "run")
    assert json.loads((tmp_path / "run" / RUN).read_text())["config"]["seed"] == model.seed_
    resumed = quick(seed=None).fit(MIXED, folder=tmp_path / "run", resume=True)
    assert resumed.seed_ == model.seed_
    straight = quick(seed=model.seed_).fit(MIXED)
    assert resumed.sample(6, seed=1) == straight.sample(6, seed=1)
    assert resumed.training_["loss"] == straight.training_["loss"]


@quick
def test_a_seed_of_one_s_own_must_be_that_of_the_run(quick, tmp_path, monkeypatch):
    model = quick(seed=None)
    interrupted(monkeypatch, model, tmp_path / "run")
    with pytest.raises(TrainingError, match=f"started with seed={model.seed_} and now it is 5; give the same"):
        quick(seed=5).fit(MIXED, folder=tmp_path / "run", resume=True)
    assert quick(seed=model.seed_).fit(MIXED, folder=tmp_path / "run", resume=True).seed_ == model.seed_


def test_a_run_whose_record_has_no_seed(tmp_path, monkeypatch):
    interrupted(monkeypatch, quick_hedge(), tmp_path / "run")
    record = json.loads((tmp_path / "run" / RUN).read_text())
    del record["config"]["seed"]
    (tmp_path / "run" / RUN).write_text(json.dumps(record))
    with pytest.raises(GeneratorError, match="the seed of the run must be a whole number from 0 on, not None"):
        quick_hedge(seed=None).fit(MIXED, folder=tmp_path / "run", resume=True)


def test_a_run_whose_record_has_a_seed_beyond_reason(tmp_path, monkeypatch):
    interrupted(monkeypatch, quick_hedge(), tmp_path / "run")
    record = json.loads((tmp_path / "run" / RUN).read_text())
    record["config"]["seed"] = 10**400
    (tmp_path / "run" / RUN).write_text(json.dumps(record))
    with pytest.raises(GeneratorError, match=r"the seed of the run must be at most .*, not a number with 401 digits"):
        quick_hedge(seed=None).fit(MIXED, folder=tmp_path / "run", resume=True)


def test_arguments_of_the_training_are_declared_once():
    shared = [f.name for f in fields(TrainedGenerator) if f.init]
    for model in (Hedge, Hygene):
        assert [f.name for f in fields(model) if f.init][: len(shared)] == shared
    known = {f.name for f in fields(TrainingSettings)}
    assert known - set(shared) == {"betas", "checkpoint_every"}
    assert set(shared) - known == {"validation", "device", "repeats"}


def test_arguments_reach_the_trainer():
    arguments = {
        "iterations": 7,
        "batch_size": 5,
        "learning_rate": 0.5,
        "warmup": 3,
        "decay": 0.25,
        "weight_decay": 0.125,
    }
    arguments |= {"clip": None, "ema": 0.5, "validate_every": 2, "patience": 4, "workers": 2}
    settings = Hedge(**arguments, max_time="2m")._settings(seed=9)
    assert settings == TrainingSettings(**arguments, max_time=120.0, seed=9)
