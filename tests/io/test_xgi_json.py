"""XGI's own JSON: what XGI writes, by its own function where it is installed, and documents with faults."""

import json

import pytest

import hyperhedge as hh

DOCUMENT = {
    "type": "hypergraph",
    "hypergraph-data": {"name": "mail"},
    "node-data": {"9": {}, "1": {}, "2": {}},
    "edge-data": {"x": {}, "y": {}},
    "edge-dict": {"x": ["1", "2"], "y": ["2"], "empty": []},
}
H = hh.Hypergraph({"x": [1, 2], "y": [2], "empty": []}, nodes=[9, 1, 2])


def read(tmp_path, document, name="h.json", **options):
    (tmp_path / name).write_text(document if isinstance(document, str) else json.dumps(document))
    return hh.read(tmp_path / name, **options)


def test_a_document(tmp_path):
    assert read(tmp_path, DOCUMENT) == H
    assert read(tmp_path, DOCUMENT, "h.dat", format="hif") == H
    del DOCUMENT["edge-data"], DOCUMENT["node-data"]
    assert read(tmp_path, DOCUMENT).equals_up_to_order(hh.Hypergraph({"x": [1, 2], "y": [2], "empty": []}))


def test_collections_hold_it(tmp_path):
    (tmp_path / "c.hif.jsonl").write_text(json.dumps(DOCUMENT) + "\n" + json.dumps(DOCUMENT) + "\n")
    folder = tmp_path / "folder"
    folder.mkdir()
    for k in range(2):
        read(folder, DOCUMENT, f"{k}.json")
    for path in (tmp_path / "c.hif.jsonl", folder):
        assert [G.m for G in hh.read_collection(path)] == [3, 3]


def test_names_and_members_that_are_not_declared(tmp_path):
    G = read(tmp_path, {"edge-dict": {"0": ["a", "1"], "1": [1, "b"]}, "node-data": {"z": {}}})
    assert (G.nodes, G.edges) == (("z", "a", "1", "b"), range(2))


def test_attributes_are_counted(tmp_path):
    document = {
        "node-data": {"1": {"colour": "red"}, "2": {}},
        "edge-data": {"e": {"timestamp": "2001-01-01", "weight": 2}, "f": {"weight": 1, "topic": ""}},
        "edge-dict": {"e": ["1", "2"], "f": ["1"]},
    }
    with pytest.warns(
        hh.errors.DataLossWarning, match=r"h\.json: dropped 1 weight, 1 time and 1 attribute record, which"
    ):
        assert read(tmp_path, document) == hh.Hypergraph({"e": [1, 2], "f": [1]})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"edge-dict":[["1"]]}', r"\$?\.?edge-dict: .*got 'array'|edge-dict"),
        ('{"edge-dict":{"e":{"head":["1"],"tail":["2"]}},"type":"dihypergraph"}', "this is not XGI's JSON"),
        ('{"edge-dict":{},"type":"dihypergraph"}', "type: an XGI dihypergraph is not supported"),
        ('{"edge-dict":{"e":["1"],"e":["2"]}}', "the key 'e' occurs twice in one object"),
        ('{"edge-dict":{"1":["1"],"-1":["2"]}}', "the number -1 is not an id"),
        ('{"edge-dict":{"e":["-1"]}}', "the number -1 is not an id"),
        ('{"edge-dict":{"e":[""]}}', "empty string"),
        ('{"edge-dict":{"e":[1.5]}}', "got 'float'"),
        ('{"edge-dict":{"e":["1"]}', "ends too early"),
        (
            '{"node-data":{"1":{"a":' + "[" * 50_000 + "]" * 50_000 + '}},"edge-dict":{}}',
            "nested too deeply|incidences",
        ),
    ],
)
def test_documents_with_faults(tmp_path, text, message):
    with pytest.raises(hh.errors.FormatError, match=message) as caught:
        read(tmp_path, text)
    assert str(caught.value).startswith(str(tmp_path / "h.json"))
    assert "\n" not in str(caught.value)


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::FutureWarning", "ignore::DeprecationWarning")
def test_what_xgi_writes(tmp_path):
    xgi = pytest.importorskip("xgi", reason="xgi is not installed (the extra `peers` brings it)")
    write_json = pytest.importorskip("xgi.readwrite.json").write_json
    X = xgi.fast_random_hypergraph(20, [0.1, 0.01], seed=0)
    write_json(X, str(tmp_path / "theirs.json"))
    assert hh.read(tmp_path / "theirs.json").equals_up_to_order(hh.convert.from_xgi(X))
    (tmp_path / "many").mkdir()
    write_json([X, X], str(tmp_path / "many"), collection_name="set")
    assert [G.shape for G in hh.read_collection(tmp_path / "many")] == [(20, X.num_edges)] * 2
