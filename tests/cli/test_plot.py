"""``hyperhedge plot``: pictures of files, and what is refused."""

import matplotlib as mpl
import numpy as np
import pytest
from PIL import Image

import hyperhedge as hh
from hyperhedge.cli._enums import PlotStyle
from hyperhedge.cli._values import read_values, values_or_word
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


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("name,seen,team\nann,3,red ones\nbo,1,blue ones\ndi,,red ones\nzed,9,red ones\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("style", ["hull", "bipartite", "incidence", "overview"])
def test_colours_come_from_a_table(run, club, table, tmp_path, style):
    pictures = []
    for k, colours in enumerate(
        ([], ["--node-color", table], ["--node-color", f"{table}:team", "--edge-color", "size"])
    ):
        out = tmp_path / f"{k}.png"
        code, _, err = run("plot", club, "-o", out, "--style", style, "--dpi", 40, *colours)
        assert code == 0, err
        pictures.append(out.read_bytes())
    assert len(set(pictures)) == 3


def test_a_table_of_values_is_read_as_it_is_meant(table, tmp_path):
    seen = read_values(str(table), ["ann", "bo", "di"])
    assert (seen.name, dict(seen)) == ("seen", {"ann": 3.0, "bo": 1.0, "di": None, "zed": 9.0})
    assert read_values(str(table), ["ann"], "team")["bo"] == "blue ones"
    plain = tmp_path / "plain.tsv"
    plain.write_text("2\tx\n10\t7\n", encoding="utf-8")
    values = read_values(str(plain), [2, 10])
    assert (values.name, dict(values)) == ("", {2: "x", 10: "7"})  # labels of the hypergraph, and words if any is one
    assert values_or_word(f"{table}:team", ["ann"]).name == "team"
    assert [values_or_word(word, ["ann"]) for word in ("degree", "1.5", "#ff0000")] == ["degree", 1.5, "#ff0000"]


def test_sizes_come_from_a_table(run, club, table, tmp_path):
    out = tmp_path / "sized.svg"
    assert run("plot", club, "-o", out, "--node-size", table, "--node-color", "#ab12cd")[0] == 0
    assert "#ab12cd" in out.read_text(encoding="utf-8")
    assert run("plot", club, "-o", out, "--node-size", 2)[0] == 0


def test_colours_that_cannot_be_are_one_sentence(run, club, bank, table, tmp_path):
    (tmp_path / "thin.csv").write_text("name\nann\n", encoding="utf-8")
    (tmp_path / "twice.csv").write_text("ann,1\nann,2\n", encoding="utf-8")
    (tmp_path / "empty.csv").write_text("", encoding="utf-8")
    (tmp_path / "other.csv").write_text("ann,1\nbob,2\n", encoding="utf-8")
    cases = {
        ("--node-color", f"{table}:age"): "people.csv: there is no column 'age'; the columns are name, seen, team",
        ("--node-color", tmp_path / "thin.csv"): "thin.csv, line 2: the row has no column 2, where the values are",
        ("--node-color", tmp_path / "twice.csv"): "twice.csv, line 2: 'ann' has a value already",
        ("--node-color", tmp_path / "empty.csv"): "empty.csv: the table is empty",
        ("--node-color", tmp_path / "other.csv"): "has a value for 'bob', which is no node, and none for the node 'bo'",
        ("--node-color", tmp_path / "gone.csv"): "no such file",
        ("--edge-color", "nocolour"): "edge_color='nocolour' is no colour",
        ("--node-size", f"{table}:team"): "node_size= must be numbers",
        ("--node-size", 2, "--style", "incidence"): "node_size= is for hulls",
    }
    for options, message in cases.items():
        code, _, err = run("plot", club, "-o", tmp_path / "x.png", *options)
        assert code == 2
        assert message in err
        assert len(err.strip().splitlines()) == 1
    code, _, err = run("plot", bank, "-o", tmp_path / "x.png", "--node-color", "red")
    assert code == 2
    assert "--node-color is for one hypergraph; choose one of the collection with --member" in err
    assert not list(tmp_path.glob("x.*"))


def test_a_large_hypergraph_is_an_overview_of_bounded_size(run, tmp_path):
    path, out = tmp_path / "path.hif.json", tmp_path / "path.png"
    hh.write(hh.Hypergraph([[k, k + 1] for k in range(400)]), path)
    assert run("plot", path, "-o", out, "--dpi", 40)[0] == 0
    with Image.open(out) as image:
        assert 400 < max(image.size) <= 16 * 40
    code, _, err = run("plot", path, "-o", out, "--dpi", 1200)
    assert code == 2
    assert "--dpi 1200 would make a picture of 15,600 pixels on its longer side, and at most 12,000 can be" in err
    code, _, err = run("plot", path, "-o", out, "--dpi", 40, "--style", "incidence")
    assert code == 0


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
