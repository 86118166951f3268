"""``hyperhedge sample``: samples are those of the model, options reach it, and what is refused."""

import re

import numpy as np
import pytest

import hyperhedge as hh
from hyperhedge.models.chunks import chunks_of
from hyperhedge.models.hedge import Hedge


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """Return the folder of a learned generator, trained hardly at all."""
    folder = tmp_path_factory.mktemp("models") / "learned"
    bank = hh.load_dataset("committee").bank((8, 12), 6, 10, seed=0)
    Hedge(iterations=30, width=16, channels=8, blocks=1, workers=1, steps=6).fit(bank).save(folder)
    return folder


@pytest.fixture(scope="module")
def baseline(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "baseline"
    hh.ErdosRenyi().fit([hh.Hypergraph([[0, 1], [1, 2]])]).save(folder)
    return folder


def test_samples_are_those_of_the_model(run, model, tmp_path):
    code, out, err = run("sample", model, "--count", 7, "--seed", 3, "--out", tmp_path / "new.hif.jsonl")
    assert (code, out) == (0, "")
    assert hh.read_collection(tmp_path / "new.hif.jsonl") == hh.load_model(model).sample(7, seed=3)
    assert err.splitlines()[-1].startswith(f"{model} → {tmp_path / 'new.hif.jsonl'} (7 hypergraphs; ")
    assert [path.name for path in tmp_path.iterdir()] == ["new.hif.jsonl"]


def test_a_new_folder_and_one_hypergraph(run, model, tmp_path):
    code, _, err = run("sample", model, "--count", 1, "--seed", 3, "-o", tmp_path / "new")
    assert (code, f"{tmp_path / 'new'} (1 hypergraph; " in err) == (0, True)
    assert hh.read_collection(tmp_path / "new") == hh.load_model(model).sample(1, seed=3)


@pytest.mark.parametrize("name", ["h.hif.json", "h.csv", "h.txt.gz"])
def test_one_hypergraph_in_a_file_of_one(run, model, baseline, tmp_path, name):
    for folder in (model, baseline):
        code, _, err = run("sample", folder, "--count", 1, "--seed", 3, "-o", tmp_path / name)
        assert (code, f"{tmp_path / name} (1 hypergraph" in err) == (0, True)
        assert [hh.read(tmp_path / name)] == hh.load_model(folder).sample(1, seed=3)


@pytest.mark.parametrize("count", [0, 2])
def test_several_hypergraphs_need_a_file_of_several(run, tmp_path, count):
    code, _, err = run("sample", tmp_path / "no model", "--count", count, "--out", tmp_path / "h.hif.json")
    assert code == 2
    assert "this format holds no collection" in err
    assert "give --out a name that ends in .hif.jsonl or .npz" in err
    assert not list(tmp_path.iterdir())


def test_one_name_for_two_outputs_is_refused_before_the_work(run, tmp_path):
    (tmp_path / "link.npz").symlink_to(tmp_path / "s.npz")
    for states in ("s.npz", "link.npz", "../" + tmp_path.name + "/s.npz"):
        options = ("--save-states", tmp_path / states, "--out", tmp_path / "s.npz")
        code, _, err = run("sample", tmp_path / "no model", *options)
        assert code == 2
        assert "--out and --save-states name the same file; give one another name" in err
    assert [path.name for path in tmp_path.iterdir()] == ["link.npz"]


@pytest.mark.parametrize("name", ["-", ""])
def test_outputs_without_a_name(run, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    code, _, err = run("sample", tmp_path / "no model", "--out", name)
    assert code == 2
    assert "is no name of a file to write; give one" in err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("sampler", ["euler-maruyama", "exponential", "flow"])
def test_options_reach_the_sampler(run, model, tmp_path, sampler):
    options = (
        "--nodes",
        9,
        "--edges",
        4,
        "--steps",
        3,
        "--sampler",
        sampler,
        "--projection",
        "threshold",
        "--device",
        "cpu",
    )
    assert run("sample", model, "--count", 5, "--seed", 1, "--out", tmp_path / "new.npz", *options)[0] == 0
    expected = hh.load_model(model).sample(5, seed=1, n=9, m=4, steps=3, sampler=sampler, projection="threshold")
    assert hh.read_collection(tmp_path / "new.npz") == expected
    assert {(H.n, H.m) for H in expected} == {(9, 4)}


def test_states_are_written_and_summarised(run, model, tmp_path):
    files = ("--out", tmp_path / "new.hif.jsonl", "--save-states", tmp_path / "states.npz")
    code, _, err = run("sample", model, "--count", 40, "--seed", 5, "--steps", 3, *files)
    assert code == 0
    samples = hh.read_collection(tmp_path / "new.hif.jsonl")
    with np.load(tmp_path / "states.npz", allow_pickle=False) as archive:
        states = [archive[str(k)] for k in range(40)]
        assert len(archive.files) == 40
    assert [X.shape for X in states] == [H.shape for H in samples]
    assert len({H.n for H in samples}) > 1
    entries = np.concatenate([X.ravel() for X in states])
    decided = np.mean(np.minimum(np.abs(entries), np.abs(entries - 1)) <= 0.1)
    members = np.concatenate([H.incidence.toarray().ravel() for H in samples])
    changed = np.mean((entries >= 0.5) != members)
    shares = re.search(r"([\d.]+)% of the entries within 0.1 of 0 or 1, ([\d.]+)% changed by the", err.splitlines()[-1])
    assert [float(share) for share in shares.groups()] == pytest.approx([100 * decided, 100 * changed], abs=0.051)
    assert 0 < changed < decided < 1
    assert err.splitlines()[-2] == f"relaxed states → {tmp_path / 'states.npz'}"


def test_thresholded_states_are_the_samples(run, model, tmp_path):
    files = ("--out", tmp_path / "new", "--save-states", tmp_path / "states.npz", "--projection", "threshold")
    code, _, err = run("sample", model, "--count", 4, *files)
    assert code == 0
    assert ", 0.00% changed by the projection)" in err
    with np.load(tmp_path / "states.npz", allow_pickle=False) as archive:
        for k, H in enumerate(hh.read_collection(tmp_path / "new")):
            assert ((archive[str(k)] >= 0.5) == H.incidence.toarray()).all()


def test_no_samples_and_samples_without_entries(run, model, tmp_path):
    code, _, err = run("sample", model, "--count", 0, "--out", tmp_path / "none.npz")
    assert (code, err.splitlines()[-1]) == (0, f"{model} → {tmp_path / 'none.npz'} (0 hypergraphs)")
    code, _, err = run("sample", model, "--count", 2, "-n", 0, "-m", 0, "--out", tmp_path / "bare.npz")
    assert (code, err.splitlines()[-1]) == (0, f"{model} → {tmp_path / 'bare.npz'} (2 hypergraphs)")
    assert hh.read_collection(tmp_path / "bare.npz") == [hh.Hypergraph()] * 2


@pytest.mark.parametrize(
    "option",
    [
        *(["--nodes", "5"], ["--edges", "5"], ["--steps", "5"], ["--sampler", "flow"], ["--projection", "valid"]),
        *(["--save-states", "s.npz"], ["--device", "cpu"]),
    ],
)
def test_options_that_a_model_does_not_have_are_refused(run, baseline, tmp_path, monkeypatch, option):
    monkeypatch.chdir(tmp_path)
    code, out, err = run("sample", baseline, "--out", "new.npz", *option)
    assert (code, out) == (2, "")
    assert err == f"Error: {option[0]} does not apply to {baseline}, a model of the kind erdos-renyi; leave it out\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--out", "new.txt"], "new.txt: this format holds no collection; give --out a name that ends in .hif.jsonl"),
        (["--out", "no/new.npz"], "no/new.npz: there is no folder no; make it first"),
        (["--out", "taken"], "taken: this folder exists already; remove it or choose another name"),
        (["--out", "new.npz", "--save-states", "s.txt"], "s.txt: the name must end in .npz"),
        (["--out", "new.npz", "--save-states", "no/s.npz"], "no/s.npz: there is no folder no; make it first"),
        (["--out", "new.npz", "--sampler", "slow"], "'slow' is not one of"),
        (["--out", "new.npz", "--projection", "none"], "'none' is not one of"),
        (["--out", "new.npz", "--steps", "0"], "Invalid value for '--steps'"),
        (["--out", "new.npz", "--device", "toaster"], "there is no device 'toaster' here"),
    ],
)
def test_what_cannot_work_is_one_sentence(run, model, tmp_path, monkeypatch, options, says):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "thesis.tex").touch()
    code, out, err = run("sample", model, "--count", 3, "--seed", 0, *options)
    assert (code, out, err.count("\n")) == (2, "", 1), err
    assert says in err
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


def test_states_are_not_left_without_samples(run, model, tmp_path, monkeypatch):
    def full(*_, **__):
        assert any("states.npz" in path.name for path in tmp_path.iterdir())
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("hyperhedge.cli.sample.write_hypergraphs", full)
    files = ("--out", tmp_path / "new.npz", "--save-states", tmp_path / "states.npz")
    code, _, err = run("sample", model, "--count", 2, *files)
    assert (code, err.splitlines()[-1]) == (2, f"Error: {tmp_path / 'states.npz'}: no space left on device")
    assert list(tmp_path.iterdir()) == []


def test_a_model_of_another_machine_is_sampled_on_a_device_of_this_one(run, model, tmp_path):
    elsewhere = hh.load_model(model)
    elsewhere.device = "cuda:99"
    elsewhere.save(tmp_path / "model")
    code, _, err = run("sample", tmp_path / "model", "--count", 1, "--out", tmp_path / "new.npz")
    assert (code, "there is no device 'cuda:99' here" in err) == (2, True)
    assert run("sample", tmp_path / "model", "--count", 1, "--out", tmp_path / "new.npz", "--device", "auto")[0] == 0


# -- many samples ----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["baseline", pytest.param("model", marks=pytest.mark.full)])
def test_what_a_cluster_samples_depends_on_the_seed_alone(run, request, tmp_path, monkeypatch, kind):
    monkeypatch.setattr("hyperhedge.models.chunks.chunks_of.__defaults__", (4,))  # chunks of four
    folder = request.getfixturevalue(kind)
    sampled = {}
    for jobs, seed in ((1, 5), (2, 5), (1, 6)):
        out = tmp_path / f"{jobs}-{seed}.hif.jsonl"
        options = ("--count", 10, "--seed", seed, "--cluster", "local", "--jobs", jobs, "--out", out)
        code, _, err = run("sample", folder, *options)
        assert (code, err.splitlines()[-1]) == (0, f"{folder} → {out} (10 hypergraphs)")
        sampled[jobs, seed] = hh.read_collection(out)
    assert sampled[1, 5] == sampled[2, 5] != sampled[1, 6]
    assert len(sampled[1, 5]) == 10
    seeds = [chunk.seed for chunk in chunks_of("", 10, 5, {}, 4)]
    each = [
        H for count, seed in zip((4, 4, 2), seeds, strict=True) for H in hh.load_model(folder).sample(count, seed=seed)
    ]
    assert sampled[1, 5] == each


def test_options_reach_the_workers_of_a_cluster(run, model, tmp_path):
    options = ("-n", 9, "-m", 4, "--steps", 2, "--sampler", "flow", "--device", "cpu", "--jobs", 1, "--seed", 0)
    assert run("sample", model, "--count", 3, "--out", tmp_path / "new.npz", *options)[0] == 0
    seed = chunks_of("", 3, 0, {})[0].seed
    expected = hh.load_model(model).sample(3, seed=seed, n=9, m=4, steps=2, sampler="flow")
    assert hh.read_collection(tmp_path / "new.npz") == expected


def test_what_a_cluster_cannot_do_is_one_sentence(run, model, tmp_path):
    start = ("sample", model, "--seed", 0, "--out", tmp_path / "new.npz", "--cluster")
    assert run(*start, "slurm")[2] == "Error: there is no cluster 'slurm'; use local, ray or ray://HOST:PORT\n"
    code, _, err = run(*start, "local", "--save-states", tmp_path / "s.npz")
    assert (code, err.startswith("Error: --save-states keeps every state in memory")) == (2, True)
    code, _, err = run(*start, "local", "--jobs", 1, "--device", "toaster")
    assert (code, "there is no device 'toaster' here" in err) == (2, True)
    assert list(tmp_path.iterdir()) == []
