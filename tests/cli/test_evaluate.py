"""``hyperhedge evaluate``: the report of what other commands wrote, and what is refused."""

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
    assert "ConfigurationModel(sweeps=3)" in err
    code, out, err = run("sample", tmp_path / "model", "--count", 12, "--seed", 4, "--out", tmp_path / "new.npz")
    assert (code, out) == (0, "")
    new = hh.read_collection(tmp_path / "new.npz")
    assert new == hh.load_model(tmp_path / "model").sample(12, seed=4)
    trained = {tuple(sorted(H.degrees)) for H in hh.read_collection(bank)}
    assert {tuple(sorted(H.degrees)) for H in new} <= trained
    held_out = tmp_path / "test.hif.jsonl"
    hh.write_collection(hh.load_dataset("committee").bank(20, 10, 12, seed=1), held_out)
    files = ("--json", tmp_path / "report.json", "--html", tmp_path / "report.html")
    others = ("--baseline", bank, "--baseline", f"a <b>={held_out}", "--model", tmp_path / "model")
    code, out, err = run("evaluate", held_out, tmp_path / "new.npz", "--train", bank, "--seed", 5, *files, *others)
    assert code == 0
    assert "Intersection WD" in out
    assert "novelty" in out
    report = json.loads((tmp_path / "report.json").read_text())
    direct = hh.evaluate(hh.read_collection(held_out), new, train=hh.read_collection(bank), seed=5)
    assert report["name"] == "new.npz"
    assert report["score"] == pytest.approx(direct.score)
    assert list(report["baselines"]) == ["bank", "a <b>"]
    assert report["baselines"]["a <b>"]["score"] == 1.0  # the real ones themselves
    page = (tmp_path / "report.html").read_text()
    assert direct.verdict.sentence in page
    assert "ConfigurationModel(sweeps=3)" in page
    assert f"--baseline {bank} --baseline &#39;a &lt;b&gt;={held_out}&#39; --model" in page
    assert 'id="player"' not in page  # it does not sample from noise


def test_a_model_that_samples_from_noise_is_animated(run, bank, tmp_path):
    quick(steps=3).fit(hh.read_collection(bank)).save(tmp_path / "model")
    arguments = ("--metric", "degree_wd", "--model", tmp_path / "model", "--html", tmp_path / "r.html", "--seed", 0)
    code, _, err = run("evaluate", bank, bank, *arguments)
    assert (code, err) == (0, f"report → {tmp_path / 'r.html'}\n")
    page = (tmp_path / "r.html").read_text()
    data = json.loads(re.findall(r'id="data">(.*?)</script>', page)[0])
    assert [animation["frames"] for animation in data["animations"]] == [5, 5, 5]  # four states and the outcome
    assert "Hedge(seed=0, iterations=12" in page


def test_some_metrics_and_a_name(run, bank):
    code, out, _ = run("evaluate", bank, bank, "--metric", "degree_wd", "--metric", "size_wd", "--name", "Copies")
    assert code == 0
    assert "Copies: " in out
    assert "Degree WD" in out
    assert "Intersection WD" not in out


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["nonesuch.npz"], "neither a dataset nor an existing file"),
        (["BANK", "--metric", "nonesuch"], "which is not a metric"),
        (["BANK", "--html", "x.txt"], "must end in .html"),
        (["BANK", "--html", "no/x.html"], "there is no folder no; make it first"),
        (["BANK", "--model", "nonesuch"], "--model is for the page; give --html too"),
        (["BANK", "--model", "nonesuch", "--html", "x.html"], "nonesuch"),
        (["BANK", "--baseline", "=x.npz"], "'=x.npz' is not NAME=FILE"),
        (["BANK", "--baseline", "x.npz"], "neither a dataset nor an existing file"),
        (
            ["BANK", "--baseline", "BANK", "--baseline", "BANK"],
            "two baselines are named bank; name them, as in --baseline NAME=FILE",
        ),
        (["BANK", "--baseline", "real=bank.hif.jsonl"], "needs names other than real"),
    ],
)
def test_bad_use_is_one_sentence(run, bank, tmp_path, monkeypatch, arguments, what):
    monkeypatch.chdir(tmp_path)
    code, out, err = run("evaluate", bank, *(bank if a == "BANK" else a for a in arguments), "--seed", 0)
    assert (code, out) == (2, "")
    assert what in err
    assert len(err.strip().splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["bank.hif.jsonl"]
