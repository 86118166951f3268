"""Collections: streams, folders and their indexes."""

import json

import pytest

import hyperhedge as hh
from hyperhedge.io.collections import iter_jsonl

A = hh.Hypergraph([["a", "b"]])
B = hh.Hypergraph([[0], [0, 1]])


def test_a_stream_is_read_line_by_line(tmp_path):
    hh.write_collection([A, B], tmp_path / "c.hif.jsonl")
    with (tmp_path / "c.hif.jsonl").open("a") as file:
        file.write("\n   \n{broken\n")
    stream = iter_jsonl(tmp_path / "c.hif.jsonl")
    assert [next(stream), next(stream)] == [A, B]
    with pytest.raises(hh.errors.FormatError, match=r"c\.hif\.jsonl, line 5.*not JSON"):
        next(stream)


def test_lines_longer_than_a_chunk(tmp_path):
    wide = hh.Hypergraph([[f"{i:0100d}x" for i in range(20_000)]])
    hh.write_collection([wide, A, wide], tmp_path / "c.hif.jsonl")
    assert (tmp_path / "c.hif.jsonl").stat().st_size > 4 << 20
    assert hh.read_collection(tmp_path / "c.hif.jsonl") == [wide, A, wide]


def test_a_folder_without_an_index_goes_by_name(tmp_path):
    for k in (10, 9, 1):
        hh.write(hh.Hypergraph([[k]]), tmp_path / f"g{k}.json")
    (tmp_path / "notes.md").write_text("not a hypergraph")
    assert [H.nodes[0] for H in hh.read_collection(tmp_path)] == [1, 9, 10]


def test_a_folder_is_written_new_or_not_at_all(tmp_path):
    target = tmp_path / "c"
    target.mkdir()
    hh.write_collection([A], target)  # an empty folder is fine
    with pytest.raises(FileExistsError):
        hh.write_collection([B], target)
    assert hh.read_collection(target) == [A]


@pytest.mark.parametrize(
    ("index", "message"),
    [
        (
            {"datasets": {"0": {"relative-path": "../outside.json"}}},
            "'../outside.json' is not a file in this",
        ),
        ({"datasets": {"0": {"relative-path": "/etc/passwd"}}}, "'/etc/passwd' is not a file in this folder"),
        ({"datasets": {"0": {"relative-path": "a\0b"}}}, "is not a file in this folder"),
        ({"datasets": {"0": {"relative-path": "missing.json"}}}, "'missing.json' is not a file"),
        ({"datasets": [1]}, "not a collection index"),
        ([], "not a collection index"),
    ],
)
def test_indexes_that_lead_astray(tmp_path, index, message):
    hh.write(A, tmp_path / "outside.json")
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "collection.json").write_text(json.dumps(index))
    with pytest.raises(hh.errors.FormatError, match=message):
        hh.read_collection(tmp_path / "c")


def test_folders_that_are_no_collection(tmp_path):
    with pytest.raises(hh.errors.FormatError, match="holds no HIF files"):
        hh.read_collection(tmp_path)
    (tmp_path / "a.json").write_text("{}")
    with pytest.raises(hh.errors.FormatError, match=r"a\.json.*\"incidences\""):
        hh.read_collection(tmp_path)
    for name in ("collection.json", "other_collection.json"):
        (tmp_path / name).write_text("{}")
    with pytest.raises(hh.errors.FormatError, match="2 collection indexes"):
        hh.read_collection(tmp_path)
