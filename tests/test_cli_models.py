"""Fitting, sampling and judging on the command line."""

import json
import re

import pytest

import hyperhedge as hh
from small_hedge import quick


@pytest.fixture
def bank(tmp_path):
    path = tmp_path / "bank.hif.jsonl"
    hh.write_collection(hh.load_dataset("committee").bank(20, 10, 12, seed=0), path)
    return path


def test_fit_sample_and_evaluate(run, bank, tmp_path):
    code, out, err = run("fit", bank, "--model", "configuration", "--set", "sweeps=3", "--out", tmp_path / "model")
    assert (code, out) == (0, "")
    assert "HypergraphConfigurationModel(sweeps=3)" in err
    code, out, err = run("sample", tmp_path / "model", "--count", 12, "--seed", 4, "--out", tmp_path / "new.npz")
    assert (code, out) == (0, "")
    new = hh.read_collection(tmp_path / "new.npz")
    assert new == hh.load(tmp_path / "model").sample(12, seed=4)
    trained = {tuple(sorted(H.degrees)) for H in hh.read_collection(bank)}
    assert {tuple(sorted(H.degrees)) for H in new} <= trained
    held_out = tmp_path / "test.hif.jsonl"
    hh.write_collection(hh.load_dataset("committee").bank(20, 10, 12, seed=1), held_out)
    files = ("--json", tmp_path / "report.json", "--html", tmp_path / "report.html")
    others = ("--null", bank, "--null", f"a <b>={held_out}", "--model", tmp_path / "model")
    code, out, err = run("evaluate", held_out, tmp_path / "new.npz", "--train", bank, *files, *others)
    assert code == 0
    assert "Intersection WD" in out
    assert "novelty" in out
    report = json.loads((tmp_path / "report.json").read_text())
    direct = hh.evaluate(hh.read_collection(held_out), new, train=hh.read_collection(bank))
    assert report["score"] == pytest.approx(direct.score)
    assert list(report["nulls"]) == ["bank", "a <b>"]
    assert report["nulls"]["a <b>"]["score"] == 1.0  # the real ones themselves
    page = (tmp_path / "report.html").read_text()
    assert direct.verdict.sentence in page
    assert "HypergraphConfigurationModel(sweeps=3)" in page
    assert f"--null {bank} --null &#39;a &lt;b&gt;={held_out}&#39; --model" in page
    assert 'id="player"' not in page  # it has no way from noise


def test_the_way_from_noise_is_on_the_page(run, bank, tmp_path):
    quick(steps=3).fit(hh.read_collection(bank)).save(tmp_path / "model")
    arguments = ("--metric", "degree_wd", "--model", tmp_path / "model", "--html", tmp_path / "r.html")
    code, _, err = run("evaluate", bank, bank, *arguments)
    assert (code, err) == (0, f"report → {tmp_path / 'r.html'}\n")
    page = (tmp_path / "r.html").read_text()
    data = json.loads(re.findall(r'id="data">(.*?)</script>', page)[0])
    assert [film["frames"] for film in data["films"]] == [5, 5, 5]  # four states and the outcome
    assert "Hedge(iterations=12" in page


def test_one_hypergraph_is_enough_to_shuffle_it(run, tmp_path):
    H = hh.Hypergraph([[0, 1, 2], [1, 2, 3], [3, 4]])
    hh.write(H, tmp_path / "h.hif.json")
    assert run("fit", tmp_path / "h.hif.json", "--model", "configuration", "--out", tmp_path / "model")[0] == 0
    assert run("sample", tmp_path / "model", "--count", 5, "--out", tmp_path / "new.hif.jsonl")[0] == 0
    for G in hh.read_collection(tmp_path / "new.hif.jsonl"):
        assert (G.degrees == H.degrees).all()


def test_chosen_metrics_only(run, bank):
    code, out, _ = run("evaluate", bank, bank, "--metric", "degree_wd", "--metric", "size_wd")
    assert code == 0
    assert "Degree WD" in out
    assert "Intersection WD" not in out


def test_a_model_is_replaced_only_when_asked(run, bank, tmp_path):
    assert run("fit", bank, "--model", "erdos-renyi", "--out", tmp_path / "model")[0] == 0
    code, _, err = run("fit", bank, "--model", "configuration", "--out", tmp_path / "model")
    assert (code, "--overwrite" in err) == (2, True)
    assert hh.load(tmp_path / "model").name == "erdos-renyi"
    assert run("fit", bank, "--model", "configuration", "--out", tmp_path / "model", "--overwrite")[0] == 0
    assert hh.load(tmp_path / "model").name == "configuration"


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["fit", "committee", "--out", "m"], "hyperhedge data bank committee"),
        (["fit", "BANK", "--model", "nonesuch", "--out", "m"], "there is no model 'nonesuch'"),
        (["fit", "BANK", "--model", "configuration", "--set", "sweps=2", "--out", "m"], "has no option 'sweps'"),
        (["fit", "BANK", "--set", "sweeps", "--out", "m"], "not NAME=VALUE"),
        (["fit", "BANK", "--model", "configuration", "--set", "sweeps=many", "--out", "m"], "sweeps"),
        (["fit", "nonesuch.json", "--out", "m"], "neither a dataset nor a file"),
        (["sample", "nonesuch", "--out", "x.npz"], "nonesuch"),
        (["sample", "nonesuch", "--out", "x.txt"], "samples are a collection"),
        (["evaluate", "BANK", "nonesuch.npz"], "neither a dataset nor a file"),
        (["evaluate", "BANK", "BANK", "--metric", "nonesuch"], "which is no metric"),
        (["evaluate", "BANK", "BANK", "--html", "x.txt"], "must end in .html"),
        (["evaluate", "BANK", "BANK", "--html", "no/x.html"], "there is no folder no; make it first"),
        (["evaluate", "BANK", "BANK", "--model", "nonesuch"], "--model is for the page; give --html too"),
        (["evaluate", "BANK", "BANK", "--model", "nonesuch", "--html", "x.html"], "nonesuch"),
        (["evaluate", "BANK", "BANK", "--null", "=x.npz"], "'=x.npz' is not NAME=FILE"),
        (["evaluate", "BANK", "BANK", "--null", "x.npz"], "neither a dataset nor a file"),
        (["evaluate", "BANK", "BANK", "--null", "BANK", "--null", "BANK"], "two null models are named bank"),
        (["evaluate", "BANK", "BANK", "--null", "real=bank.hif.jsonl"], "needs names other than real"),
    ],
)
def test_bad_use_is_one_sentence(run, bank, tmp_path, monkeypatch, arguments, what):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(*(bank if a == "BANK" else a for a in arguments))
    assert (code, out) == (2, "")
    assert what in err
    assert len(err.strip().splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["bank.hif.jsonl"]
