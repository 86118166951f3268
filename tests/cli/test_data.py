"""The data commands as a user and a script meet them."""

import json

import pytest

import hyperhedge as hh
from hyperhedge.cli import main
from hyperhedge.data import NAMES


@pytest.fixture
def with_mirror(mirror, monkeypatch):
    monkeypatch.setenv("HYPERHEDGE_DATA", str(mirror))
    return mirror


def test_list_names_every_dataset(run):
    code, out, _ = run("data", "list")
    assert code == 0
    for name in NAMES:
        assert name in out
    code, out, _ = run("data", "list", "--json")
    assert [row["name"] for row in json.loads(out)] == list(NAMES)
    assert [row["name"] for row in json.loads(out) if row.get("here")] == ["southern-women"]


def test_info_without_the_files_says_how_to_get_them(run):
    code, out, _ = run("data", "info", "cora")
    assert code == 0
    assert "hyperhedge data fetch cora" in out
    assert "Apache-2.0" in out


def test_info_with_the_files_counts(run, with_mirror):
    code, out, _ = run("data", "info", "house-committees", "--json")
    facts = json.loads(out)
    assert (code, facts["summary"]["nodes"], facts["summary"]["hyperedges"]) == (0, 1290, 341)
    assert facts["file"][0].startswith(str(with_mirror))
    code, out, _ = run("data", "info", "house-committees")
    assert "11,843" in out


def test_what_comes_with_the_package_needs_no_files(run):
    code, out, _ = run("data", "info", "southern-women", "--json")
    facts = json.loads(out)
    assert (code, facts["file"], facts["source"]) == (0, "comes with the package", [])
    assert (facts["summary"]["nodes"], facts["summary"]["hyperedges"]) == (18, 14)
    assert "comes with the package" in run("data", "info", "southern-women")[1]
    code, out, err = run("data", "fetch", "southern-women")
    assert (code, out, err) == (0, "", "southern-women comes with the package: there is nothing to fetch\n")


def test_info_of_a_regime_and_of_files(run, tmp_path):
    assert "seniority = 0.4" in run("data", "info", "committee")[1]
    H = hh.Hypergraph([[0, 1], [1, 2]])
    hh.write(H, tmp_path / "h.hif.json")
    hh.write_collection([H, H], tmp_path / "h.hif.jsonl")
    assert json.loads(run("data", "info", tmp_path / "h.hif.json", "--json")[1])["summary"]["nodes"] == 3
    assert json.loads(run("data", "info", tmp_path / "h.hif.jsonl", "--json")[1])["hypergraphs"] == 2


def test_fetch_prints_where_the_files_are(run, with_mirror):
    code, out, _ = run("data", "fetch", "cora", "house-committees")
    assert code == 0
    assert out.splitlines()[0] == str(with_mirror / "HyperGCN/data/cocitation/cora/hypergraph.pickle")
    assert len(out.splitlines()) == 3
    assert len(run("data", "fetch", "--all")[1].splitlines()) == 12


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["fetch"], "name the datasets to fetch"),
        (["fetch", "committee"], "nothing to fetch"),
        (["fetch", "nonesuch"], "there is no dataset 'nonesuch'"),
        (["bank", "committee", "--out", "b.txt"], "b.txt: this format holds no collection"),
        (["bank", "committee", "--out", "b.npz", "--nodes", "x"], "neither a number nor a range"),
        (["bank", "committee", "--out", "b.npz", "--seed", "0", "--nodes", "9:4"], "n must be a positive whole number"),
        (["bank", "committee", "--out", "b.npz", "--split", "1,2"], "not three numbers"),
        (["bank", "committee", "--out", "b.npz", "--leak-free"], "give --split"),
        (["bank", "committee", "--out", "b.npz", "--set", "loyalty"], "not NAME=NUMBER"),
        (["bank", "committee", "--out", "b.npz", "--seed", "0", "--protocol", "walk"], "the regime committee takes"),
        (["bank", "comittee", "--out", "b.npz"], "did you mean 'committee'"),
        (["bank", "committee"], "--out"),
    ],
)
def test_bad_use_is_one_sentence(run, tmp_path, monkeypatch, arguments, what):
    monkeypatch.chdir(tmp_path)
    code, out, err = run("data", *arguments)
    assert (code, out) == (2, "")
    assert what in err
    assert len(err.strip().splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_nothing_is_sampled_if_a_split_cannot_be_written(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("b-test", "b-validation"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "thesis.tex").touch()
    bank = ("data", "bank", "committee", "-n", 8, "-m", 4, "--out", "b", "--split")
    code, _, err = run(*bank, "4,0,2")
    assert (code, err) == (2, "Error: b-test: this folder exists already; remove it or choose another name\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b-test", "b-validation"]
    assert run(*bank, "4,0,0")[0] == 0


def test_offline_with_nothing_cached_is_one_sentence(run, monkeypatch, tmp_path):
    monkeypatch.setenv("HYPERHEDGE_DATA", "http://127.0.0.1:9")
    monkeypatch.setenv("HYPERHEDGE_CACHE", str(tmp_path / "cache"))
    code, _, err = run("data", "bank", "cora", "--out", tmp_path / "b.npz")
    assert code == 2
    assert "hyperhedge data fetch" in err
    assert len(err.strip().splitlines()) == 1


def test_a_bank_is_what_the_library_samples(run, tmp_path):
    out = tmp_path / "bank.hif.jsonl"
    options = ("--nodes", "20:30", "--edges", 8, "--count", 7, "--seed", 3, "--set", "loyalty=2.5", "--out", out)
    code, _, err = run("data", "bank", "committee", *options)
    assert (code, "7 hypergraphs" in err) == (0, True)
    bank = hh.load_dataset("committee").bank((20, 30), 8, 7, seed=3, loyalty=2.5)
    assert hh.read_collection(out) == bank


def test_a_bank_of_a_file_with_every_option(run, tmp_path):
    hh.write(hh.Hypergraph([[k, k + 1, k + 2] for k in range(40)]), tmp_path / "path.hif.json")
    out = tmp_path / "bank.npz"
    options = ("--protocol", "walk", "--restart", 0.3, "--trim", "uniform", "--isolated", "avoid", "--seed", 0)
    code, _, err = run("data", "bank", tmp_path / "path.hif.json", "-n", 5, "-m", 4, "--count", 6, *options, "-o", out)
    assert (code, err.splitlines()[-1]) == (0, f"{tmp_path / 'path.hif.json'} → {out} (6 hypergraphs)")
    assert [(H.n, H.m) for H in hh.read_collection(out)] == [(5, 4)] * 6


def test_a_missing_shape_is_proposed_in_a_sentence(run, tmp_path):
    triples = hh.Hypergraph([[3 * k, 3 * k + 1, 3 * k + 2] for k in range(400)])
    hh.write(triples, tmp_path / "triples.hif.json")
    bank = ("data", "bank", tmp_path / "triples.hif.json", "--count", 3, "--seed", 0, "--out", tmp_path / "bank.npz")
    for options, n, m in (((), 48, 16), (("-n", 24), 24, 8), (("-m", 8, "--trim", "uniform"), 24, 8)):
        code, _, err = run(*bank, *options)
        assert code == 0
        proposal, report = err.splitlines()
        assert proposal.startswith(f"Shape of the pieces: {n} nodes and {m} hyperedges, since")
        assert report.endswith("(3 hypergraphs)")
        assert {(H.n, H.m) for H in hh.read_collection(tmp_path / "bank.npz")} == {(n, m)}
    assert "Shape" not in run(*bank, "-n", 24, "-m", 8)[2]
    assert "Shape" not in run("data", "bank", "committee", "--count", 3, "--out", tmp_path / "bank.npz")[2]


def test_pieces_unlike_the_whole_are_noted_once(run, tmp_path):
    hh.write(hh.Hypergraph([[k, k + 1, k + 2] for k in range(200)]), tmp_path / "path.hif.json")
    bank = ("data", "bank", tmp_path / "path.hif.json", "-n", 202, "-m", 8, "--seed", 0, "--out", tmp_path / "bank.npz")
    for options in (("--count", 4), ("--split", "4,4,4"), ("--split", "4,0,4")):
        code, _, err = run(*bank, *options)
        assert code == 0
        (note,) = [line for line in err.splitlines() if not line.startswith(f"{tmp_path}")]
        assert note.startswith(
            "Note: the pieces look unlike the hypergraph they were cut from: they have mean degree 0.1"
        )


@pytest.mark.parametrize("ending", [".hif.jsonl", ".hif.jsonl.gz", ".npz", ""])
def test_splits_go_to_three_collections(run, tmp_path, ending):
    code, *_ = run(
        "data", "bank", "configuration", "-n", 9, "-m", 5, "--split", "4,2,3", "--out", tmp_path / f"b{ending}"
    )
    assert code == 0
    for split, count in (("train", 4), ("validation", 2), ("test", 3)):
        assert len(hh.read_collection(tmp_path / (f"b.{split}{ending}" if ending else f"b-{split}"))) == count


@pytest.mark.usefixtures("with_mirror")
def test_files_commands_take_dataset_names(capsys, tmp_path):
    with pytest.raises(SystemExit):
        main(["convert", "cora", str(tmp_path / "cora.hif.json")])
    assert hh.read(tmp_path / "cora.hif.json").m == 1579
    with pytest.raises(SystemExit):
        main(["info", "twitch", "--json"])
    assert json.loads(capsys.readouterr().out)["incidences"] == 16356
