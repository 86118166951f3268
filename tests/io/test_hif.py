"""HIF against its schema, and what of it is read."""

import json
import warnings

import pytest
from hypothesis import given

import hyperhedge as hh
from hif_schema import SCHEMA
from hyperhedge.io.hif import decode_hif, encode_hif
from strategies import hypergraphs


@given(H=hypergraphs())
def test_documents_follow_the_schema_and_hold_every_section(H):
    validate = pytest.importorskip("fastjsonschema").compile(SCHEMA)
    for one_line in (False, True):
        text = encode_hif(H, one_line=one_line)
        document = json.loads(text)
        validate(document)
        assert set(document) == {"network-type", "metadata", "nodes", "edges", "incidences"}
        assert document["network-type"] == "undirected"
        assert len(document["nodes"]) == H.n
        assert len(document["edges"]) == H.m
        assert len(document["incidences"]) == H.num_incidences
    assert text.count(b"\n") == 1


def read(document):
    return decode_hif(json.dumps(document).encode())


def test_only_incidences_are_required():
    H = read({"incidences": [{"node": "b", "edge": 1}, {"node": "a", "edge": 1}]})
    assert (H.nodes, H.edges) == (("b", "a"), (1,))
    assert read({"incidences": []}) == hh.Hypergraph()


def test_declared_nodes_come_first_and_may_be_declared_twice():
    H = read(
        {
            "nodes": [{"node": "z"}, {"node": "b"}, {"node": "z"}],
            "edges": [{"edge": "empty"}],
            "incidences": [
                {"node": "a", "edge": "e"},
                {"node": "b", "edge": "e"},
                {"node": "b", "edge": "e"},
            ],
        }
    )
    assert H.nodes == ("z", "b", "a")
    assert dict(zip(H.edges, H.hyperedges, strict=True)) == {"empty": (), "e": ("b", "a")}


def test_weights_and_attributes_are_left_out_with_a_warning():
    document = {
        "metadata": {"name": "x", "deep": [{"a": 1}]},
        "nodes": [{"node": 1, "attrs": {"color": "red"}, "weight": 1.0}],
        "incidences": [
            {"node": 1, "edge": 1, "weight": 2.5},
            {"node": 2, "edge": 1, "weight": 1, "attrs": {}},
        ],
    }
    with pytest.warns(hh.errors.DataLossWarning, match=r"^dropped 1 weight and 1 attribute record, which"):
        H = read(document)
    assert H.n == 2
    del document["nodes"][0]["attrs"]
    document["incidences"][0]["weight"] = 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read(document) == H


def test_times_and_weights_in_attributes_are_counted_as_what_they_are():
    document = {
        "nodes": [{"node": 1, "attrs": {"name": "ann", "age": 3}}],
        "edges": [{"edge": 1, "attrs": {"timestamp": "2001-01-01"}}, {"edge": 2, "attrs": {"weight": 2, "time": 3}}],
        "incidences": [{"node": 1, "edge": 1, "weight": 4, "attrs": {"role": None}}],
    }
    with pytest.warns(hh.errors.DataLossWarning, match=r"^dropped 2 weights, 2 times and 1 attribute record, which"):
        read(document)


def test_a_real_file_with_times(mirror):
    with pytest.warns(hh.errors.DataLossWarning, match=r"dropped 10,885 times and 148 attribute records, which"):
        assert hh.read(mirror / "xgi/benchmarks/email-enron.json").shape == (148, 10_885)


def test_simplicial_complexes_are_read_and_directed_hypergraphs_refused():
    incidences = [{"node": 1, "edge": 1}]
    assert read({"network-type": "asc", "incidences": incidences}).m == 1
    with pytest.raises(hh.errors.FormatError, match="network-type: the hypergraph is directed"):
        read({"network-type": "directed", "incidences": [{"node": 1, "edge": 1, "direction": "head"}]})


@pytest.mark.parametrize(
    "text",
    [
        b'{"incidences":[{"node":1,"node":2,"edge":1}]}',
        b'{"incidences" : [{"node" : 1, "node" : 2, "edge" : 1}]}',
        b'{"incidences":[],"incidences":[]}',
        b'{"nodes":[{"node":"a","node":"a"}],"incidences":[]}',
        b'{"edges":[{"edge":"\\":","edge":"x"}],"incidences":[]}',
    ],
)
def test_a_key_given_twice_is_refused(text):
    with pytest.raises(hh.errors.FormatError, match="occurs twice in one object"):
        decode_hif(text)


@pytest.mark.parametrize(
    "text",
    [
        b'{"incidences":[{"node":"\\":","edge":"a\\":b"}]}',
        b'{"incidences" :[{"node"\t:1,"edge"\n:1}]}',
        b'{"metadata":{"a":{"b":1},"c":"\\":"},"incidences":[{"node":1,"edge":1,"attrs":{"x":{"y":2}}}]}',
    ],
)
@pytest.mark.filterwarnings("ignore::hyperhedge.errors.DataLossWarning")
def test_keys_given_once_are_accepted_whatever_the_spacing_and_the_strings(text):
    assert decode_hif(text).num_incidences == 1
