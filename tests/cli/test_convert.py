"""``hyperhedge convert``: between formats, between one and many, and through pipes."""

import pytest

import hyperhedge as hh

H = hh.Hypergraph({"x": ["a", "b"], "y": ["b", "c"], "z": ["b", "a"]}, nodes=["a", "b", "c", "lonely"])


@pytest.fixture
def file(tmp_path):
    hh.write(H, tmp_path / "h.hif.json")
    return tmp_path / "h.hif.json"


@pytest.mark.parametrize("name", ["o.txt", "o.csv", "o.tsv.gz", "o.npz", "o.json"])
def test_convert(run, file, name):
    target = file.parent / name
    code, out, err = run("convert", file, target)
    assert (code, out) == (0, "")
    assert "4 nodes, 3 hyperedges, 6 incidences" in err
    assert hh.read(target) == H


def test_convert_between_one_and_many(run, file):
    folder = file.parent
    assert run("convert", file, folder / "c.hif.jsonl")[0] == 0
    assert hh.read_collection(folder / "c.hif.jsonl") == [H]
    assert run("convert", folder / "c.hif.jsonl", folder / "c.npz")[0] == 0
    assert hh.read_collection(folder / "c.npz") == [H]
    code, _, err = run("convert", folder / "c.npz", folder / "o.csv")
    assert code == 2
    assert "this format holds one hypergraph" in err
    assert not (folder / "o.csv").exists()


def test_convert_with_formats_and_columns(run, tmp_path):
    (tmp_path / "data").write_text("paper,author\nx,a\nx,b\n")
    columns = ("--node-column", "author", "--edge-column", "paper")
    target = tmp_path / "out"
    code, _, _ = run("convert", tmp_path / "data", target, "--from", "bipartite", "--to", "hif", *columns)
    assert code == 0
    assert hh.read(target, format="hif") == hh.Hypergraph({"x": ["a", "b"]})


def test_standard_streams(shell, file):
    text = file.read_bytes()
    done = shell("convert", "-", "-", "--from", "hif", "--to", "bipartite", input=text)
    assert done.returncode == 0
    assert done.stdout.startswith(b"node,edge\n")
    packed = shell("convert", "-", "-", "--from", "bipartite", "--to", "npz", input=done.stdout)
    assert packed.stdout[:2] == b"PK"
    assert shell("info", "-", input=text).returncode == 2


def test_what_is_dropped_is_noted(run, tmp_path):
    (tmp_path / "w.json").write_text('{"incidences":[{"node":1,"edge":1,"weight":3}]}')
    code, _, err = run("convert", tmp_path / "w.json", tmp_path / "o.txt")
    assert code == 0
    assert err.startswith(f"Note: {tmp_path / 'w.json'}: dropped 1 weight, which a Hypergraph does not store\n")
