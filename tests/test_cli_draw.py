"""``hyperhedge draw``: pictures of files, moving pictures of models, and what is refused."""

import matplotlib as mpl
import numpy as np
import pytest
from PIL import Image

import hyperhedge as hh
from hyperhedge.cli.choices import DrawingStyle
from hyperhedge.plot import STYLES, styles
from small_hedge import quick
from strategies import random_hypergraphs


@pytest.fixture
def club(tmp_path):
    path = tmp_path / "club.hif.json"
    hh.write(hh.Hypergraph({"picnic": ["ann", "bo"], "chess": ["bo", "di"]}), path)
    return path


@pytest.fixture
def bank(tmp_path):
    path = tmp_path / "bank.hif.jsonl"
    hh.write_collection(random_hypergraphs(4, 8, 5, seed=0), path)
    return path


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "learned"
    quick().fit(random_hypergraphs(6, 8, 5, seed=0)).save(folder)
    return folder


def inked(path):
    with Image.open(path) as image:
        return np.asarray(image.convert("L")).std() > 1


@pytest.mark.parametrize("style", ["hull", "bipartite", "incidence"])
def test_pictures_of_one_hypergraph(run, club, tmp_path, style):
    out = tmp_path / "club.png"
    code, printed, err = run("draw", club, "-o", out, "--style", style, "--dpi", 50, "--title", "the club")
    assert (code, printed) == (0, "")
    assert err.splitlines()[-1] == f"{club} → {out} (Hypergraph: 3 nodes, 2 hyperedges, 4 incidences)"
    assert inked(out)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["club.hif.json", "club.png"]


def test_svg_and_pdf_are_what_they_say_and_reproducible(run, club, tmp_path):
    for name, start in (("a.svg", b"<?xml"), ("b.pdf", b"%PDF")):
        assert run("draw", club, "--out", tmp_path / name, "--no-labels")[0] == 0
        data = (tmp_path / name).read_bytes()
        assert data.startswith(start)
        assert run("draw", club, "--out", tmp_path / name, "--no-labels")[0] == 0
        assert (tmp_path / name).read_bytes() == data


def test_collections_are_a_grid_or_one_member(run, bank, tmp_path):
    code, _, err = run("draw", bank, "-o", tmp_path / "grid.png", "--dpi", 40)
    assert (code, err.splitlines()[-1]) == (0, f"{bank} → {tmp_path / 'grid.png'} (4 hypergraphs)")
    code, _, err = run("draw", bank, "-o", tmp_path / "two.png", "--count", 2, "--dpi", 40, "--style", "bipartite")
    assert (code, "(2 hypergraphs)" in err) == (0, True)
    code, _, err = run("draw", bank, "-o", tmp_path / "one.png", "--member", 3, "--dpi", 40)
    assert (code, "(Hypergraph: 8 nodes" in err) == (0, True)
    assert all(inked(tmp_path / name) for name in ("grid.png", "two.png", "one.png"))


def test_the_way_of_a_sample(run, model, tmp_path):
    out = tmp_path / "path.gif"
    code, _, err = run("draw", model, "--path", "-o", out, "--steps", 4, "--n", 7, "--m", 3, "--dpi", 30, "--seed", 2)
    assert code == 0
    assert err.splitlines()[-1].startswith(f"{model} → {out} (Hypergraph: 7 nodes, 3 hyperedges, ")
    assert err.splitlines()[-1].endswith(", 4 steps)")
    with Image.open(out) as movie:
        assert movie.n_frames == 5


def test_what_cannot_be_done_is_told_in_a_sentence(run, club, bank, model, tmp_path):
    hh.ErdosRenyi().fit([hh.Hypergraph([[0, 1]])]).save(tmp_path / "er")
    out = tmp_path / "x.png"
    cases = {
        ("draw", club, "-o", tmp_path / "x.jpg"): "x.jpg: the name of a picture must end in .png, .svg or .pdf",
        ("draw", club, "-o", tmp_path / "no" / "x.png"): "there is no folder",
        ("draw", club, "-o", out, "--member", 0): "this is one hypergraph, not a collection; leave out --member",
        ("draw", bank, "-o", out, "--member", 4): "there is no member 4; the collection has 4, from 0 on",
        ("draw", club, "-o", out, "--steps", 4): "--steps is for --path; leave it out",
        ("draw", model, "-o", out): "this is a saved model; give --path",
        ("draw", model, "--path", "-o", out): "must end in .gif or .mp4",
        ("draw", tmp_path / "er", "--path", "-o", tmp_path / "x.gif"): "of the kind erdos-renyi",
        ("draw", tmp_path / "gone.json", "-o", out): "no such file",
    }
    for arguments, message in cases.items():
        code, printed, err = run(*arguments)
        assert (code, printed) == (2, "")
        assert message in err
        assert len(err.strip().splitlines()) == 1
    assert not list(tmp_path.glob("x.*"))


def test_a_failure_leaves_the_picture_that_was_there(run, club, tmp_path, monkeypatch):
    out = tmp_path / "club.png"
    out.write_bytes(b"before")

    def fail(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(mpl.figure.Figure, "savefig", fail)
    assert run("draw", club, "-o", out)[0] == 2
    assert out.read_bytes() == b"before"
    assert len(list(tmp_path.iterdir())) == 2


def test_the_words_of_the_option_are_those_of_the_function():
    assert [*(style.value for style in DrawingStyle), "compare"] == list(STYLES) == list(styles._PANELS)
