"""``hyperhedge plot``: pictures of files, and what is refused."""

import matplotlib as mpl
import numpy as np
import pytest
from PIL import Image

import hyperhedge as hh
from hyperhedge.cli._enums import PlotStyle
from hyperhedge.plotting import STYLES, styles
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


def inked(path):
    with Image.open(path) as image:
        return np.asarray(image.convert("L")).std() > 1


@pytest.mark.parametrize("style", ["hull", "bipartite", "incidence"])
def test_pictures_of_one_hypergraph(run, club, tmp_path, style):
    out = tmp_path / "club.png"
    code, printed, err = run("plot", club, "-o", out, "--style", style, "--dpi", 50, "--title", "the club")
    assert (code, printed) == (0, "")
    assert err.splitlines()[-1] == f"{club} → {out} (Hypergraph: 3 nodes, 2 hyperedges, 4 incidences)"
    assert inked(out)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["club.hif.json", "club.png"]


def test_svg_and_pdf_are_what_they_say_and_reproducible(run, club, tmp_path):
    for name, start in (("a.svg", b"<?xml"), ("b.pdf", b"%PDF")):
        assert run("plot", club, "--out", tmp_path / name, "--no-labels")[0] == 0
        data = (tmp_path / name).read_bytes()
        assert data.startswith(start)
        assert run("plot", club, "--out", tmp_path / name, "--no-labels")[0] == 0
        assert (tmp_path / name).read_bytes() == data


def test_collections_are_a_grid_or_one_member(run, bank, tmp_path):
    code, _, err = run("plot", bank, "-o", tmp_path / "grid.png", "--dpi", 40)
    assert (code, err.splitlines()[-1]) == (0, f"{bank} → {tmp_path / 'grid.png'} (4 hypergraphs)")
    code, _, err = run("plot", bank, "-o", tmp_path / "two.png", "--count", 2, "--dpi", 40, "--style", "bipartite")
    assert (code, "(2 hypergraphs)" in err) == (0, True)
    code, _, err = run("plot", bank, "-o", tmp_path / "one.png", "--member", 3, "--dpi", 40)
    assert (code, "(Hypergraph: 8 nodes" in err) == (0, True)
    assert all(inked(tmp_path / name) for name in ("grid.png", "two.png", "one.png"))


def test_what_cannot_work_is_one_sentence(run, club, bank, tmp_path):
    hh.ErdosRenyi().fit([hh.Hypergraph([[0, 1]])]).save(tmp_path / "er")
    out = tmp_path / "x.png"
    cases = {
        ("plot", club, "-o", tmp_path / "x.jpg"): "x.jpg: the name must end in .png, .svg or .pdf",
        ("plot", club, "-o", tmp_path / "no" / "x.png"): "there is no folder",
        ("plot", club, "-o", out, "--member", 0): "this is one hypergraph, not a collection; leave out --member",
        ("plot", bank, "-o", out, "--member", 4): "there is no member 4; the last of 4 is 3",
        ("plot", tmp_path / "er", "-o", out): "this is a saved model; show how it samples with 'hyperhedge animate'",
        ("plot", tmp_path / "gone.json", "-o", out): "no such file",
    }
    for arguments, message in cases.items():
        code, printed, err = run(*arguments)
        assert (code, printed) == (2, "")
        assert message in err
        assert len(err.strip().splitlines()) == 1
    assert not list(tmp_path.glob("x.*"))


def test_a_failure_leaves_the_old_picture(run, club, tmp_path, monkeypatch):
    out = tmp_path / "club.png"
    out.write_bytes(b"before")

    def fail(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(mpl.figure.Figure, "savefig", fail)
    assert run("plot", club, "-o", out)[0] == 2
    assert out.read_bytes() == b"before"
    assert len(list(tmp_path.iterdir())) == 2


def test_the_words_of_the_option_are_those_of_the_library():
    assert [*(style.value for style in PlotStyle), "compare"] == list(STYLES) == list(styles._PANELS)
