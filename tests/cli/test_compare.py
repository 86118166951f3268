"""``hyperhedge compare``: several files of samples side by side, and what is refused."""

import json

import pytest

import hyperhedge as hh


@pytest.fixture
def banks(tmp_path, monkeypatch):
    """Write a few banks into a folder, and work there."""
    monkeypatch.chdir(tmp_path)
    committee = hh.load_dataset("committee")
    for seed, name in enumerate(("test", "train", "fresh")):
        hh.write_collection(committee.bank(20, 10, 12, seed=seed), tmp_path / f"{name}.hif.jsonl")
    shuffled = hh.ConfigurationModel().fit(hh.read_collection("train.hif.jsonl")).sample(12, seed=0)
    hh.write_collection(shuffled, tmp_path / "hcm.npz")
    return tmp_path


def test_generators_are_compared_and_written(run, banks):
    files = ("--json", "c.json", "--html", "c.html", "--train", "train.hif.jsonl", "--seed", 3)
    code, out, err = run("compare", "test.hif.jsonl", "a <b>=fresh.hif.jsonl", "hcm.npz", *files, "--cost", "hcm=0.5")
    assert (code, err) == (0, "comparison → c.json\ncomparison → c.html\n")
    samples = {"a <b>": hh.read_collection("fresh.hif.jsonl"), "hcm": hh.read_collection("hcm.npz")}
    direct = hh.compare(
        hh.read_collection("test.hif.jsonl"),
        samples,
        train=hh.read_collection("train.hif.jsonl"),
        costs={"hcm": 0.5},
        seed=3,
    )
    written = hh.Comparison.from_json((banks / "c.json").read_bytes())
    assert written == direct
    assert list(json.loads((banks / "c.json").read_text())["reports"]) == ["a <b>", "hcm"]
    page = (banks / "c.html").read_text()
    assert direct["hcm"].verdict.sentence in page
    assert "hyperhedge compare test.hif.jsonl &#39;a &lt;b&gt;=fresh.hif.jsonl&#39; hcm.npz --json" in page
    for words in ("a <b>", "hcm", "Intersection WD", "novelty", "seconds"):
        assert words in out


def test_a_seed_that_was_chosen_is_in_the_command_on_the_page(run, banks):
    code, out, err = run("compare", "test.hif.jsonl", "fresh.hif.jsonl", "--metric", "degree_wd", "--html", "c.html")
    assert code == 0
    seed = err.split()[1]
    assert f"--html c.html --seed {seed}<" in (banks / "c.html").read_text()
    assert "Degree WD" in out
    assert "Intersection WD" not in out


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ([], "Missing argument 'NAME=FILE...'"),
        (["=fresh.hif.jsonl"], "'=fresh.hif.jsonl' is not NAME=FILE"),
        (["a=nonesuch.npz"], "neither a dataset nor an existing file"),
        (["a=hcm.npz", "a=fresh.hif.jsonl"], "two generators are named a; name them, as in Hedge=FILE"),
        (["train=hcm.npz"], "needs names other than real, generated, train"),
        (["hcm.npz", "--cost", "hcm"], "'hcm' is not NAME=SECONDS"),
        (["hcm.npz", "--cost", "hcm=long"], "'hcm=long' is not NAME=SECONDS"),
        (["hcm.npz", "--cost", "er=1"], "costs= names 'er', which is none of the generators: hcm"),
        (["hcm.npz", "--metric", "nonesuch"], "which is not a metric"),
        (["hcm.npz", "--html", "c.txt"], "must end in .html"),
        (["hcm.npz", "--json", "no/c.json"], "there is no folder no; make it first"),
    ],
)
def test_bad_use_is_one_sentence(run, banks, arguments, what):
    before = sorted(banks.iterdir())
    code, out, err = run("compare", "test.hif.jsonl", *arguments, "--seed", 0)
    assert (code, out) == (2, "")
    assert what in err
    assert len(err.strip().splitlines()) == 1
    assert sorted(banks.iterdir()) == before
