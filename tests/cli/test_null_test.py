"""``hyperhedge null-test``: what it prints and writes, and what is refused."""

import json

import numpy as np
import pytest
from PIL import Image

import hyperhedge as hh
from hyperhedge.cli._enums import Alternative
from hyperhedge.metrics import significance

WOMEN = hh.load_dataset("southern-women").hypergraph
OVERLAP = ("--statistic", "overlap-size")


@pytest.fixture
def women(tmp_path):
    hh.write(WOMEN, tmp_path / "women.hif.json")
    return tmp_path / "women.hif.json"


def test_alternatives_are_those_of_the_library():
    assert tuple(Alternative) == significance._ALTERNATIVES


def test_it_prints_what_the_library_finds(run, women):
    code, out, err = run("null-test", women, *OVERLAP, "--statistic", "repeated", "--count", 39, "--seed", 3)
    result = hh.null_test(WOMEN, ["overlap-size", "repeated"], count=39, seed=3)
    assert (code, err) == (0, "")
    assert "Hypergraph: 18 nodes, 14 hyperedges, 89 incidences against 39 from" in out
    assert f"{result['overlap-size'].mean:.3g} ± {result['overlap-size'].sd:.3g}" in out
    assert "◆" in out


def test_json_and_options(run, women):
    options = ("--set", "labelled=vertex", "--set", "sweeps=8", "--alternative", "greater", "--count", 19, "--seed", 3)
    code, out, err = run("null-test", women, *OVERLAP, *options, "--json")
    direct = hh.null_test(WOMEN, "overlap-size", count=19, seed=3, labelled="vertex", sweeps=8, alternative="greater")
    assert (code, err) == (0, "")
    assert json.loads(out) == json.loads(direct.to_json())


@pytest.mark.full
def test_the_number_of_processes_changes_nothing(run, women):
    one, two = (run("null-test", women, *OVERLAP, "--count", 25, "--seed", 3, "--jobs", k, "--json") for k in (1, 2))
    assert one == two


def test_null_is_a_saved_model_or_a_file(run, women, tmp_path):
    model = hh.ErdosRenyi().fit([WOMEN])
    model.save(tmp_path / "model")
    hh.write_collection(model.sample(30, seed=1), tmp_path / "samples.hif.jsonl")
    code, out, _ = run("null-test", women, *OVERLAP, "--null", tmp_path / "model", "--count", 19, "--seed", 3, "--json")
    assert (code, json.loads(out)["null"]) == (0, "ErdosRenyi()")
    code, out, _ = run("null-test", women, *OVERLAP, "--null", tmp_path / "samples.hif.jsonl", "--seed", 3, "--json")
    direct = hh.null_test(WOMEN, "overlap-size", null=hh.read_collection(tmp_path / "samples.hif.jsonl"))
    assert code == 0
    assert json.loads(out) == json.loads(direct.to_json())
    assert direct.count == 30


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_a_picture(run, women, tmp_path, ending):
    out = tmp_path / f"null.{ending}"
    arguments = ("null-test", women, *OVERLAP, "--statistic", "motif-5", "--count", 19, "--seed", 3, "--plot", out)
    code, _, err = run(*arguments)
    assert (code, err) == (0, f"null values → {out}\n")
    first = out.read_bytes()
    run(*arguments)
    assert out.read_bytes() == first
    if ending == "png":
        with Image.open(out) as image:
            assert np.asarray(image.convert("L")).std() > 1


def test_a_seed_is_chosen_and_printed(run, women):
    code, first, err = run("null-test", women, *OVERLAP, "--count", 9, "--json")
    seed = err.split("--seed ")[1].rstrip(")\n")
    assert code == 0
    assert run("null-test", women, *OVERLAP, "--count", 9, "--json", "--seed", seed)[1] == first


def test_a_real_dataset_by_its_name(run):
    assert run("null-test", "southern-women", *OVERLAP, "--count", 9, "--seed", 1)[0] == 0


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ([], "Missing option '--statistic'"),
        (["--statistic", "modularity"], "there is no statistic 'modularity'; choose from clustering"),
        (
            [*OVERLAP, "--null", "nothing"],
            "--null nothing: this is neither a model nor an existing file; the models are",
        ),
        ([*OVERLAP, "--null", "hedge"], "null= names 'hedge', a model that is trained"),
        ([*OVERLAP, "--set", "labelled=no"], "labelled must be 'stub' or 'vertex', not 'no'"),
        ([*OVERLAP, "--set", "x"], "'x' is not NAME=VALUE"),
        ([*OVERLAP, "--count", "0"], "Invalid value for '--count'"),
        ([*OVERLAP, "--alternative", "more"], "'more' is not one of"),
        ([*OVERLAP, "--plot", "null.txt"], "null.txt: the name must end in .png, .svg or .pdf"),
        ([*OVERLAP, "--plot", "no/null.png"], "there is no folder no; make it first"),
    ],
)
def test_bad_use_is_one_sentence(run, women, tmp_path, monkeypatch, arguments, what):
    monkeypatch.chdir(tmp_path)
    code, out, err = run("null-test", women, *arguments, *(() if "--seed" in arguments else ("--seed", 0)))
    assert (code, out) == (2, "")
    assert what in err
    assert len(err.strip().splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["women.hif.json"]


def test_collections_and_empty_hypergraphs_are_refused(run, tmp_path):
    hh.write_collection([WOMEN, WOMEN], tmp_path / "two.hif.jsonl")
    hh.write(hh.Hypergraph(nodes=3), tmp_path / "none.hif.json")
    code, _, err = run("null-test", tmp_path / "two.hif.jsonl", *OVERLAP, "--seed", 0)
    assert (code, "two.hif.jsonl: this is a collection, and null-test takes one hypergraph" in err) == (2, True)
    code, _, err = run("null-test", tmp_path / "none.hif.json", *OVERLAP, "--seed", 0)
    assert (code, "H has no hyperedges" in err) == (2, True)
