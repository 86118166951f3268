"""``hyperhedge info``: what a file holds, for people and for scripts."""

import json

import pytest

import hyperhedge as hh

H = hh.Hypergraph({"x": ["a", "b"], "y": ["b", "c"], "z": ["b", "a"]}, nodes=["a", "b", "c", "lonely"])


@pytest.fixture
def file(tmp_path):
    hh.write(H, tmp_path / "h.hif.json")
    return tmp_path / "h.hif.json"


def test_info_for_people(run, file):
    code, out, err = run("info", file)
    assert (code, err) == (0, "")
    for fact in ("nodes", "hyperedges", "0.5", "isolated nodes", "repeated hyperedges"):
        assert fact in out


def test_info_for_scripts(run, file):
    code, out, err = run("info", file, "--json")
    facts = json.loads(out)
    assert (code, err) == (0, "")
    assert facts == {
        "nodes": 4,
        "hyperedges": 3,
        "incidences": 6,
        "density": 0.5,
        "degree": {"min": 0, "mean": 1.5, "max": 3},
        "edge_size": {"min": 2, "mean": 2.0, "max": 2},
        "isolated_nodes": 1,
        "empty_hyperedges": 0,
        "repeated_hyperedges": 1,
        "components": 2,
        "overlapping_pairs": 3,
        "largest_overlap": 2,
    }


@pytest.mark.parametrize("name", ["c.npz", "c.hif.jsonl", "c"])
def test_info_of_a_collection(run, tmp_path, name):
    hh.write_collection([H, hh.Hypergraph()], tmp_path / name)
    code, out, _ = run("info", tmp_path / name)
    assert code == 0
    assert "2 hypergraphs" in " ".join(out.split())  # a long path breaks the line
    code, out, _ = run("info", tmp_path / name, "--json")
    assert [facts["nodes"] for facts in json.loads(out)] == [4, 0]
