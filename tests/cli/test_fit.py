"""``hyperhedge fit``: the model it saves, what it keeps when it is interrupted, and what it refuses."""

import json
import os
import re
import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest

import hyperhedge as hh
from hyperhedge.cli._enums import Preset, Projection, Sampler
from hyperhedge.cli._training import TrainingFolder
from hyperhedge.diffusion.projection import PROJECTIONS
from hyperhedge.diffusion.samplers import SAMPLERS
from hyperhedge.models.hedge import PRESETS, Hedge
from hyperhedge.models.hygene import PRESETS as HYGENE_PRESETS
from hyperhedge.train.workers import Workers
from small_hygene import QUICK as HYGENE

TINY = {"iterations": 15, "width": 16, "channels": 8, "blocks": 1, "validate_every": 5, "workers": 1}


def tiny(**changes):
    """Return the options of a short training with the seed 0."""
    return settings(seed=0, **{**TINY, **changes})


def settings(**options):
    return [argument for name, value in options.items() for argument in ("--set", f"{name}={value}")]


def lines(file):
    return [json.loads(line) for line in file.read_text().splitlines()]


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return the file of a training set, and a model that was trained with it without interruption."""
    folder = tmp_path_factory.mktemp("made")
    data = folder / "bank.hif.jsonl"
    hh.write_collection(hh.load_dataset("committee").bank(12, 6, 24, seed=0), data)
    hh.write_collection(hh.load_dataset("committee").bank(12, 6, 24, seed=1), folder / "other.hif.jsonl")
    Hedge(**TINY, seed=0).fit(hh.read_collection(data)).save(folder / "straight")
    return SimpleNamespace(data=data, other=folder / "other.hif.jsonl", straight=folder / "straight")


@pytest.fixture
def interrupt(monkeypatch):
    """Let the user press Ctrl-C in a step to come."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    gradient = Workers.gradient
    steps = []

    def at(step, times=1):
        steps.clear()

        def interrupted(self, batch):
            steps.append(None)
            for _ in range(times if len(steps) == step else 0):
                os.kill(os.getpid(), signal.SIGINT)
            return gradient(self, batch)

        monkeypatch.setattr(Workers, "gradient", interrupted)

    yield at
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def no_training(monkeypatch):
    def fit(*_, **__):
        raise AssertionError("it was trained")

    monkeypatch.setattr(Hedge, "fit", fit)


# -- what it makes ---------------------------------------------------------------------------------


def test_hedge_is_the_default(run, made, tmp_path):
    code, out, err = run("fit", made.data, "--out", tmp_path / "model", *tiny())
    assert (code, out) == (0, "")
    assert names(tmp_path) == ["model"]
    assert names(tmp_path / "model") == ["arrays.safetensors", "log.jsonl", "model.json"]
    assert (tmp_path / "model" / "arrays.safetensors").read_bytes() == (
        made.straight / "arrays.safetensors"
    ).read_bytes()
    model = hh.load_model(tmp_path / "model")
    assert isinstance(model, hh.Hedge)
    log = lines(tmp_path / "model" / "log.jsonl")
    assert [line["iteration"] for line in log] == [5, 10, 15, 15]
    best = min(line["validation"] for line in log[:3])
    assert best == pytest.approx(model.training_["validation"])
    last = err.splitlines()[-1]
    assert last.startswith(f"{made.data} → {tmp_path / 'model'} (15 iterations in ")
    assert last.endswith(f" s, validation loss {best:.4g}, stopped because all are done)")


def test_progress_in_a_pipe_is_plain_lines(shell, made, tmp_path):
    done = shell("fit", made.data, "--out", tmp_path / "model", *tiny(), env={"FORCE_COLOR": "1"})
    assert (done.returncode, done.stdout) == (0, b"")
    shown = done.stderr.decode()
    lines = [line.split(" · ")[0] for line in shown.splitlines()]
    assert re.fullmatch(r"training takes about [\d.]+ MiB of memory \(.* available\)", lines[0])
    assert (lines[1], lines[-2]) == ("training 1/15", "training 15/15")
    assert not re.search(r"[\x00-\x09\x0b-\x1f]", shown)


def test_options_of_training_and_presets(run, made, tmp_path):
    changes = {"iterations": 2, "width": 16, "channels": 8}
    options = ("--preset", "fast", "--max-time", "1h30m", "--seed", 7, "--device", "cpu")
    assert run("fit", made.data, "-o", tmp_path / "model", *options, *settings(**changes))[0] == 0
    expected = Hedge.preset("fast", **changes, max_time="1h30m", seed=7, device="cpu")
    assert hh.load_model(tmp_path / "model").get_params() == expected.get_params()


def test_the_time_may_be_up(run, made, tmp_path):
    code, _, err = run("fit", made.data, "--out", tmp_path / "model", "--max-time", "0.001s", *tiny())
    assert code == 0
    assert "(1 iterations in " in err
    assert "stopped because the time is up)" in err


def test_hypergraphs_without_entries_leave_nothing_to_learn(run, tmp_path):
    hh.write_collection([hh.Hypergraph(nodes=3)], tmp_path / "bare.hif.jsonl")
    code, _, err = run("fit", tmp_path / "bare.hif.jsonl", "--out", tmp_path / "model", *tiny())
    assert (code, "nothing to learn" in err) == (0, True)
    assert names(tmp_path) == ["bare.hif.jsonl", "model"]
    assert [H.n for H in hh.load_model(tmp_path / "model").sample(2)] == [3, 3]


def test_a_saved_model_is_replaced_when_asked(run, made, tmp_path):
    hh.ErdosRenyi().fit([hh.Hypergraph([[0]])]).save(tmp_path / "model")
    assert run("fit", made.data, "--out", tmp_path / "model", "--overwrite", *tiny(iterations=1))[0] == 0
    assert hh.load_model(tmp_path / "model").name == "hedge"
    assert names(tmp_path) == ["model"]


# -- interruption ----------------------------------------------------------------------------------


def test_an_interrupted_training_continues_bit_for_bit(run, made, tmp_path, interrupt):
    command = ("fit", made.data, "--out", tmp_path / "model", *tiny())
    interrupt(7)
    code, out, err = run(*command)
    assert (code, out) == (130, "")
    assert err.splitlines()[-1] == "Stopped after iteration 7; continue with the same command and --resume."
    assert names(tmp_path) == ["model.training"]
    assert names(tmp_path / "model.training") == ["checkpoint.safetensors", "log.jsonl", "run.json"]
    interrupt(5)
    code, _, err = run(*command, "--resume")
    assert (code, err.splitlines()[-1]) == (
        130,
        "Stopped after iteration 12; continue with the same command and --resume.",
    )
    assert run(*command, "--resume")[0] == 0
    assert names(tmp_path) == ["model"]
    resumed, expected = (folder / "arrays.safetensors" for folder in (tmp_path / "model", made.straight))
    assert resumed.read_bytes() == expected.read_bytes()
    events = [(line["iteration"], line["event"]) for line in lines(tmp_path / "model" / "log.jsonl") if "event" in line]
    assert events == [(7, "interrupted"), (7, "resumed"), (12, "interrupted"), (12, "resumed"), (15, "stopped")]


def test_the_second_interrupt_stops_at_once(run, made, tmp_path, interrupt):
    interrupt(7, times=2)
    code, _, err = run("fit", made.data, "--out", tmp_path / "model", *tiny())
    assert code == 130
    assert err.splitlines()[-1].startswith("Stopped after iteration 0; ")  # the first checkpoint


def test_what_is_interrupted_before_it_trains_leaves_nothing(run, made, tmp_path, monkeypatch):
    def interrupted(*_, **__):
        assert (tmp_path / "model.training").is_dir()
        raise KeyboardInterrupt

    monkeypatch.setattr(Hedge, "_new_denoiser", interrupted)
    code, _, err = run("fit", made.data, "--out", tmp_path / "model", *tiny())
    assert (code, err.splitlines()[-1]) == (130, "Stopped before the first iteration; nothing is kept.")
    assert names(tmp_path) == []


@pytest.mark.usefixtures("no_training")
def test_what_is_kept_is_neither_lost_nor_mistaken(run, made, tmp_path):
    command = ("fit", made.data, "--out", tmp_path / "model", *tiny())
    code, _, err = run(*command, "--resume")
    assert code == 2
    assert f"{tmp_path / 'model.training'}: there is no training to resume; leave out --resume" in err
    training = tmp_path / "model.training"
    training.mkdir()
    (training / "checkpoint.safetensors").touch()
    code, _, err = run(*command)
    assert code == 2
    assert (
        "model.training: this holds an interrupted training; give --resume to continue it, or remove the folder" in err
    )
    (training / "thesis.tex").touch()
    code, _, err = run(*command, "--resume")
    assert (code, "model.training: this is not the folder of a training" in err) == (2, True)
    assert names(training) == ["checkpoint.safetensors", "thesis.tex"]


def test_another_training_is_not_resumed(run, made, tmp_path, interrupt):
    out = ("--out", tmp_path / "model")
    interrupt(3)
    run("fit", made.data, *out, *tiny())
    before = {name: (tmp_path / "model.training" / name).read_bytes() for name in names(tmp_path / "model.training")}
    for data, changes, says in (
        (made.other, {}, "started with another training set"),
        (made.data, {"gamma": 4}, "started with gamma=8.0 and now it is 4; give the same to resume it"),
        (made.data, {"validation": 0.2}, "started with validation=0.1 and now it is 0.2"),
        (made.data, {"ema": 0.5}, "started with ema=0.999 and now it is 0.5"),
        (made.data, {"blocks": 2}, "started with blocks=1 and now it is 2"),
    ):
        code, _, err = run("fit", data, *out, *tiny(**changes), "--resume")
        assert (code, says in err, err.count("\n")) == (2, True, 1), err
    assert {name: (tmp_path / "model.training" / name).read_bytes() for name in before} == before
    code, _, err = run("fit", made.data, *out, *tiny(steps=3, projection="threshold"), "--resume")
    assert code == 0, err  # options of sampling may change
    assert hh.load_model(tmp_path / "model").steps == 3


def test_leftovers_of_a_run_that_was_killed_early_are_no_obstacle(run, made, tmp_path):
    (tmp_path / "model.training").mkdir()
    (tmp_path / "model.training" / "run.json").write_text("{")
    assert run("fit", made.data, "--out", tmp_path / "model", *tiny(iterations=1))[0] == 0
    assert names(tmp_path) == ["model"]


def test_a_model_that_cannot_be_saved_is_saved_later(run, made, tmp_path, monkeypatch):
    command = ("fit", made.data, "--out", tmp_path / "model", *tiny())

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Hedge, "_write_arrays", full)
        code, _, err = run(*command)
    assert code == 2
    assert err.splitlines()[-1] == (
        f"Error: {tmp_path / 'model'}: the model cannot be saved (no space left on device); solve that and run the same command "
        "with --resume"
    )
    assert names(tmp_path) == ["model.training"]
    with monkeypatch.context() as patched:
        patched.setattr(Workers, "gradient", full)  # nothing is left to train
        assert run(*command, "--resume")[0] == 0
    resumed, expected = (folder / "arrays.safetensors" for folder in (tmp_path / "model", made.straight))
    assert resumed.read_bytes() == expected.read_bytes()


def test_only_files_of_a_training_are_removed(tmp_path, capsys):
    folder = TrainingFolder(tmp_path / "model.training")
    (folder.path / "tensorboard").mkdir(parents=True)
    ours = [
        "checkpoint.safetensors",
        ".checkpoint.safetensors.tmp",
        "log.jsonl",
        "run.json",
        ".run.json.1a2b3c4d.tmp",
        "tensorboard/events.out.tfevents.1.host",
    ]
    for name in (*ours, "tensorboard/notes.txt"):
        (folder.path / name).touch()
    folder.remove()
    assert [path.name for path in folder.path.rglob("*")] == ["tensorboard", "notes.txt"]
    assert "model.training is kept because it holds other files" in capsys.readouterr().err
    (folder.path / "tensorboard" / "notes.txt").unlink()
    folder.remove()
    assert names(tmp_path) == []
    assert capsys.readouterr().err == ""


# -- what it refuses -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--out", "taken"], "taken: exists already; choose another name or give --overwrite"),
        (["--out", "taken", "--overwrite"], "taken: this is no saved model, so --overwrite does not replace it"),
        (["--out", "file", "--overwrite"], "file: this is no saved model, so --overwrite does not replace it"),
        (["--out", "no/such/model"], "no/such/model: there is no folder no/such; make it first"),
        (["--out", "file/model"], "file/model: there is no folder file; make it first"),
        (["--out", "m", "--preset", "slow"], "'slow' is not one of 'fast', 'default', 'best'"),
        (["--out", "m", "--max-time", "soon"], "'soon' is not a length of time"),
        (["--out", "m", "--seed", "-1"], "Invalid value for '--seed'"),
        (
            ["--out", "m", "--seed", "1", "--set", "seed=2"],
            "--seed and --set seed are the same option; give one of them",
        ),
        (
            ["--out", "m", "--max-time", "1m", "--set", "max_time=2"],
            "--max-time and --set max_time are the same option",
        ),
        (["--out", "m", "--device", "toaster"], "there is no device 'toaster' here; give 'auto', 'cpu' or such as"),
        (["--out", "m", "--set", "gama=1"], "the model 'hedge' has no option 'gama'"),
        (["--out", "m", "--set", "width=17"], "width must be a multiple of channels"),
        (["--out", "m", "--set", "iterations=none"], "iterations must be a whole number from 1 on, not None"),
        (["--out", "m", "--processes", "0"], "Invalid value for '--processes'"),
        (
            ["--out", "m", "--processes", "5"],
            "--processes 5 cannot share batches of 32; --set batch_size to a multiple",
        ),
    ],
)
@pytest.mark.usefixtures("no_training")
def test_what_cannot_work_is_refused_before_training(run, made, tmp_path, monkeypatch, arguments, says):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "thesis.tex").touch()
    (tmp_path / "file").touch()
    code, out, err = run("fit", made.data, *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert says in err
    assert names(tmp_path) == ["file", "taken"]
    assert names(tmp_path / "taken") == ["thesis.tex"]


@pytest.mark.usefixtures("no_training")
def test_a_folder_that_cannot_be_written_to_is_refused_before_training(run, made, tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: not (os.fspath(path) == str(tmp_path) and mode & os.W_OK))
    code, _, err = run("fit", made.data, "--out", tmp_path / "model")
    assert code == 2
    assert f"model: the folder {tmp_path} is not writable; choose another one" in err


@pytest.mark.parametrize(
    "option",
    [
        *(["--preset", "fast"], ["--max-time", "10m"], ["--resume"], ["--processes", "2"], ["--device", "cpu"]),
        *(["--tensorboard"], ["--seed", "0"]),
    ],
)
def test_baselines_are_not_trained(run, made, tmp_path, option):
    code, _, err = run("fit", made.data, "--model", "chung-lu", "--out", tmp_path / "m", *option)
    assert (code, err.count("\n")) == (2, 1)
    assert err == f"Error: {option[0]} does not apply to the model chung-lu; leave it out\n"
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            ["committee"],
            "committee is a synthetic regime, not a collection; sample one first: hyperhedge data bank committee",
        ),
        (["missing.json"], "neither a dataset nor an existing file"),
        (["DATA", "--tensorboard"], "this needs tensorboard: pip install 'hyperhedge[tensorboard]'"),
    ],
)
def test_what_fails_before_the_first_step_leaves_nothing(run, made, tmp_path, monkeypatch, arguments, says):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "tensorboard", None)
    code, _, err = run("fit", *(made.data if a == "DATA" else a for a in arguments), "--out", "m", *tiny())
    assert (code, err.count("\n"), says in err) == (2, 1, True), err
    assert names(tmp_path) == []


def test_several_processes_need_accelerate(run, made, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "accelerate", None)
    code, _, err = run("fit", made.data, "--out", tmp_path / "m", "--processes", 2, "--seed", 0)
    assert (code, err) == (2, "Error: this needs accelerate: pip install 'hyperhedge[distributed]'\n")


# -- other models --------------------------------------------------------------------------------------


def test_hygene_is_trained_and_sampled_too(run, made, tmp_path):
    arguments = ("fit", made.data, "--model", "hygene", *settings(**{**HYGENE, "seed": 3}))
    code, _, err = run(*arguments, "--out", tmp_path / "model")
    assert code == 0
    assert "12 iterations in" in err
    assert names(tmp_path) == ["model"]
    model = hh.load_model(tmp_path / "model")
    assert isinstance(model, hh.Hygene)
    assert model.seed == 3
    code, _, err = run(
        "sample", tmp_path / "model", "--count", 3, "-n", 13, "--steps", 2, "--out", tmp_path / "new.npz"
    )
    assert (code, err.splitlines()[-1].endswith("new.npz (3 hypergraphs)")) == (0, True)
    assert {H.n for H in hh.read_collection(tmp_path / "new.npz")} == {13}
    code, _, err = run("sample", tmp_path / "model", "--sampler", "flow", "--out", tmp_path / "other.npz")
    assert code == 2
    assert f"--sampler does not apply to {tmp_path / 'model'}, a model of the kind hygene" in err
    code, _, err = run(*arguments, "--preset", "best", "--out", tmp_path / "other")
    assert (code, err) == (
        2,
        "Error: --preset of hygene must be 'fast' or 'default' or 'published', not 'best'\n",
    )


def test_one_hypergraph_is_enough_for_the_configuration_model(run, tmp_path):
    H = hh.Hypergraph([[0, 1, 2], [1, 2, 3], [3, 4]])
    hh.write(H, tmp_path / "h.hif.json")
    assert run("fit", tmp_path / "h.hif.json", "--model", "configuration", "--out", tmp_path / "model")[0] == 0
    assert run("sample", tmp_path / "model", "--count", 5, "--out", tmp_path / "new.hif.jsonl")[0] == 0
    for G in hh.read_collection(tmp_path / "new.hif.jsonl"):
        assert (G.degrees == H.degrees).all()


def test_a_model_that_can_shows_its_progress(run, made, tmp_path):
    options = [option for value in ("rank=2", "passes=2", "iterations=20", "width=8") for option in ("--set", value)]
    arguments = ["--model", "dde", *options, "--max-time", "1m", "--seed", 1, "--out", tmp_path / "model"]
    code, _, err = run("fit", made.data, *arguments)
    assert (code, "training 20/20" in err) == (0, True)
    assert hh.load_model(tmp_path / "model").get_params()["max_time"] == "1m"


def test_a_model_is_replaced_only_when_asked(run, made, tmp_path):
    assert run("fit", made.data, "--model", "erdos-renyi", "--out", tmp_path / "model")[0] == 0
    code, _, err = run("fit", made.data, "--model", "configuration", "--out", tmp_path / "model")
    assert (code, "--overwrite" in err) == (2, True)
    assert hh.load_model(tmp_path / "model").name == "erdos-renyi"
    assert run("fit", made.data, "--model", "configuration", "--out", tmp_path / "model", "--overwrite")[0] == 0
    assert hh.load_model(tmp_path / "model").name == "configuration"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--model", "nonesuch"], "there is no model 'nonesuch'"),
        (["--model", "configuration", "--set", "sweps=2"], "has no option 'sweps'"),
        (["--model", "configuration", "--set", "sweeps=many"], "sweeps must be a whole number from 0 on, not 'many'"),
        (["--set", "sweeps"], "not NAME=VALUE"),
    ],
)
def test_a_model_or_an_option_that_does_not_exist_is_refused(run, made, tmp_path, arguments, says):
    code, out, err = run("fit", made.data, "--out", tmp_path / "m", *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert says in err
    assert names(tmp_path) == []


# -- the seed --------------------------------------------------------------------------------------


def test_a_training_without_a_seed_has_a_fresh_one_and_keeps_it(run, made, tmp_path, interrupt):
    command = ("fit", made.data, "--out", tmp_path / "model", *settings(**TINY))
    interrupt(7)
    code, _, err = run(*command)
    assert code == 130
    seed = int(re.match(r"Seed: (\d+) \(chosen at random; repeat with --seed \1\)\n", err)[1])
    code, _, err = run(*command, "--resume")
    assert (code, "Seed: " in err) == (0, False)
    assert hh.load_model(tmp_path / "model").seed_ == seed
    assert run("fit", made.data, "--out", tmp_path / "again", *settings(**TINY), "--seed", seed)[0] == 0
    resumed, again = (tmp_path / name / "arrays.safetensors" for name in ("model", "again"))
    assert resumed.read_bytes() == again.read_bytes() != (made.straight / "arrays.safetensors").read_bytes()


def test_several_processes_have_the_same_fresh_seed(run, made, tmp_path, monkeypatch):
    pytest.importorskip("accelerate")
    started = []
    monkeypatch.setattr("hyperhedge.cli._training.run_processes", lambda *command: started.append(command) or 0)
    code, _, err = run("fit", made.data, "--out", tmp_path / "model", "--processes", 2)
    assert code == 0
    arguments = ["fit", str(made.data), "--out", str(tmp_path / "model"), "--processes", "2"]
    assert started == [([*arguments, "--seed", re.match(r"Seed: (\d+) ", err)[1]], 2)]


# -- models of other packages -----------------------------------------------------------------------

PACKAGE = '''
import hyperhedge as hh


class Stars(hh.models.BaseGenerator):
    """Hyperedges that share one node, in a random order of the nodes."""

    name = "stars"
    sample_options = ("n",)

    def __init__(self, edge_size: int = 2) -> None:
        self.edge_size = edge_size

    def _fit(self, training):
        pass

    def _sample(self, count, rng, n=4):
        rays = [rng.permutation(range(1, n)).tolist() for _ in range(count)]
        return [hh.Hypergraph([[0, *ray[: self.edge_size - 1]], [0, ray[-1]]], nodes=n) for ray in rays]
'''


@pytest.fixture
def _package(tmp_path_factory, monkeypatch):
    """Install a package that declares the model ``stars``."""
    site = tmp_path_factory.mktemp("site")
    (site / "star_models.py").write_text(PACKAGE)
    (site / "star_models-1.0.dist-info").mkdir()
    (site / "star_models-1.0.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: star-models\nVersion: 1.0\n"
    )
    (site / "star_models-1.0.dist-info" / "entry_points.txt").write_text(
        "[hyperhedge.models]\nstars = star_models:Stars\n"
    )
    monkeypatch.syspath_prepend(site)


@pytest.mark.usefixtures("_package")
def test_a_model_of_another_package_is_fitted_and_sampled(run, made, tmp_path):
    code, _, err = run("fit", made.data, "--model", "stars", "--set", "edge_size=3", "--out", tmp_path / "m")
    assert (code, err) == (0, f"{made.data} → {tmp_path / 'm'} (Stars(edge_size=3))\n")
    sample = ("sample", tmp_path / "m", "--seed", 5, "--count", 4, "--out", tmp_path / "new.npz")
    assert run(*sample, "--nodes", 7)[0] == 0
    new = hh.read_collection(tmp_path / "new.npz")
    assert new == hh.load_model(tmp_path / "m").sample(4, seed=5, n=7)
    assert [H.edge_sizes.tolist() for H in new] == [[3, 2]] * 4
    code, _, err = run(*sample, "--edges", 3)
    assert err == f"Error: --edges does not apply to {tmp_path / 'm'}, a model of the kind stars; leave it out\n"
    code, _, err = run("fit", made.data, "--model", "stars", "--resume", "--out", tmp_path / "other")
    assert (code, err) == (2, "Error: --resume does not apply to the model stars; leave it out\n")


@pytest.mark.usefixtures("_package")
def test_a_model_of_another_package_is_offered(run, made, tmp_path):
    code, _, err = run("fit", made.data, "--model", "star", "--out", tmp_path / "m")
    assert (code, "there is no model 'star'" in err, "stars" in err) == (2, True, True)


# -- a light start ---------------------------------------------------------------------------------


def test_the_words_of_options_are_those_of_the_library():
    assert set(Preset) == {*PRESETS, *HYGENE_PRESETS}
    assert set(Sampler) == set(SAMPLERS)
    assert set(Projection) == set(PROJECTIONS)


def test_other_models_are_fitted_without_torch(made, tmp_path):
    code = (
        "import sys; from hyperhedge.cli import main\n"
        "try: main(sys.argv[1:])\n"
        "finally: print(sorted({'torch', 'accelerate', 'sklearn', 'numba'} & set(sys.modules)))"
    )
    arguments = ["fit", str(made.data), "--model", "erdos-renyi", "--out", str(tmp_path / "m")]
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("fit --preset ", "fast default best published"),
        ("fit --model h", "hedge hyperlap hyperedge-copying hyper-dk hy-mmsbm hygene"),
        ("sample --sampler e", "euler-maruyama exponential"),
    ],
)
def test_words_are_completed(words, expected):
    command = f"hyperhedge {words}"
    asked = {"_HYPERHEDGE_COMPLETE": "complete_bash", "COMP_WORDS": command, "COMP_CWORD": "3"}
    done = subprocess.run(
        [sys.executable, "-m", "hyperhedge"], capture_output=True, text=True, env={**os.environ, **asked}, check=False
    )
    assert done.stdout.split() == expected.split()
