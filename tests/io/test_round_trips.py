"""What is written comes back, in every format: labels, order, repeats, isolated nodes, empty hyperedges."""

import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hyperhedge as hh
from hyperhedge.io.formats import FORMATS, find_format
from strategies import hypergraphs

ENDINGS = [ending for each in FORMATS.values() if each.encode for ending in each.endings]
COLLECTIONS = ["c.hif.jsonl", "c.jsonl.gz", "c.ndjson", "c.npz", "folder"]


@pytest.mark.parametrize("ending", [*ENDINGS, ".hif.json.gz", ".txt.gz", ".csv.gz", ".npz.gz"])
@given(H=hypergraphs())
def test_one_hypergraph(tmp_path, ending, H):
    path = tmp_path / f"h{ending}"
    hh.write(H, path)
    assert hh.read(path) == H
    assert hh.read_collection(path) == [H]
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", COLLECTIONS)
@given(graphs=st.lists(hypergraphs(max_nodes=4, max_edges=4), max_size=4))
def test_a_collection(tmp_path_factory, name, graphs):
    path = tmp_path_factory.mktemp("collection") / name
    hh.write_collection(iter(graphs), path)
    assert hh.read_collection(path) == graphs


@pytest.mark.parametrize("name", [each.name for each in FORMATS.values() if each.encode])
def test_the_format_can_be_given_instead_of_found(tmp_path, name):
    H = hh.Hypergraph([["a", "b"], ["b"]], nodes=["b", "a", "z"])
    path = tmp_path / "no.ending.known"
    hh.write(H, path, format=name)
    assert hh.read(path, format=name) == H
    with pytest.raises(hh.errors.FormatError, match="the name does not tell the format"):
        hh.read(path)
    with pytest.raises(hh.errors.HyperhedgeError, match="there is no format 'xml'"):
        hh.read(path, format="xml")


def test_gzip_is_found_inside_whatever_the_name(tmp_path):
    H = hh.Hypergraph([["a", "b"]])
    hh.write(H, tmp_path / "h.hif.json.gz")
    packed = (tmp_path / "h.hif.json.gz").read_bytes()
    assert packed[:2] == b"\x1f\x8b"
    (tmp_path / "unnamed.json").write_bytes(packed)
    assert hh.read(tmp_path / "unnamed.json") == H
    (tmp_path / "not-packed.json.gz").write_bytes(gzip.decompress(packed))
    assert hh.read(tmp_path / "not-packed.json.gz") == H


@pytest.mark.parametrize("name", ["h.hif.json.gz", "h.npz", "h.txt.gz"])
def test_the_same_hypergraph_gives_the_same_bytes(tmp_path, name):
    H = hh.Hypergraph([["a", "b"], ["c"]])
    written = []
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        hh.write(H, tmp_path / folder / name)
        written.append((tmp_path / folder / name).read_bytes())
    assert written[0] == written[1]


def test_one_or_many_must_be_the_right_one(tmp_path):
    H = hh.Hypergraph([[0]])
    hh.write_collection([H, H], tmp_path / "c.npz")
    hh.write_collection([H, H], tmp_path / "c.jsonl")
    hh.write_collection([H, H], tmp_path / "c")
    for name in ("c.npz", "c.jsonl", "c"):
        with pytest.raises(hh.errors.FormatError, match="read it with read_collection"):
            hh.read(tmp_path / name)
    with pytest.raises(hh.errors.FormatError, match="write it with write_collection"):
        hh.write(H, tmp_path / "d.jsonl")
    with pytest.raises(hh.errors.FormatError, match="holds one hypergraph"):
        hh.write_collection([H], tmp_path / "d.csv")
    with pytest.raises(hh.errors.HypergraphError, match="H is a list; write several hypergraphs with write_collection"):
        hh.write([H], tmp_path / "d.json")
    with pytest.raises(hh.errors.HypergraphError, match="H is a str; give a Hypergraph"):
        hh.write("H", tmp_path / "d.json")
    for value in (H, H.incidence, H.incidence.toarray()):
        with pytest.raises(hh.errors.HypergraphError, match="collection is a single hypergraph; give a list"):
            hh.write_collection(value, tmp_path / "d.jsonl")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c", "c.jsonl", "c.npz"]
    with pytest.raises(hh.errors.FormatError, match="this is a folder"):
        hh.read(tmp_path / "c", format="hif")
    with pytest.raises(FileNotFoundError):
        hh.read_collection(tmp_path / "nothing")


@pytest.mark.parametrize("name", COLLECTIONS)
def test_hypergraphs_of_other_libraries_are_written(tmp_path, name):
    H = hh.Hypergraph([["a", "b"], ["b"]], nodes=["b", "a", "z"])
    hh.write(hh.convert.to_networkx(H), tmp_path / "h.json")
    assert hh.read(tmp_path / "h.json") == H
    hh.write_collection((G for G in (H, hh.convert.to_networkx(H), np.eye(2))), tmp_path / name)
    assert hh.read_collection(tmp_path / name) == [H, H, hh.Hypergraph([[0], [1]])]
    with pytest.raises(hh.errors.HypergraphError, match=r"collection\[1\] is a dict; give a Hypergraph"):
        hh.write_collection([H, {}], tmp_path / "d.jsonl")
    assert not (tmp_path / "d.jsonl").exists()


def test_options_that_a_format_does_not_have(tmp_path):
    hh.write(hh.Hypergraph([[0]]), tmp_path / "h.json")
    with pytest.raises(hh.errors.HyperhedgeError, match="hif has no option 'delimiter'; its options: none"):
        hh.read(tmp_path / "h.json", delimiter=",")


def test_names_are_matched_in_any_case():
    assert find_format("DATA.CSV").name == "bipartite"
    assert find_format("a.HIF.JSON.GZ").name == "hif"
