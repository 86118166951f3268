"""The dialects of JSON: told apart by their outermost keys, whatever else they hold, and read or refused when damaged."""

import json
import random

import pytest

import hyperhedge as hh
from hyperhedge.io.json_dialects import decode_json
from mutations import mutate

H = hh.Hypergraph([["a", "b"], ["b"]])
DIALECTS = {
    "hif": {
        "metadata": {"edge-dict": 1},
        "edges": [{"edge": 0}, {"edge": 1}],
        "incidences": [{"node": "a", "edge": 0}, {"node": "b", "edge": 0}, {"node": "b", "edge": 1}],
    },
    "xgi": {"hypergraph-data": {"incidences": []}, "node-data": {"a": {}}, "edge-dict": {"0": ["a", "b"], "1": ["b"]}},
    "hypergraphx": [
        {"hypergraph_type": "Hypergraph", "incidences": [], "edge-dict": {}},
        {"type": "node", "idx": "a", "metadata": {}},
        {"type": "edge", "interaction": ["a", "b"], "metadata": {}},
        {"type": "edge", "interaction": ["b"], "metadata": {}},
    ],
}


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("indent", [None, 4])
def test_each_dialect_is_recognised(dialect, indent):
    assert decode_json(json.dumps(DIALECTS[dialect], indent=indent).encode()) == H


@pytest.mark.filterwarnings("ignore::hyperhedge.errors.DataLossWarning")
@pytest.mark.parametrize("dialect", DIALECTS)
def test_mutated_documents_are_read_or_refused(tmp_path, dialect):
    rng = random.Random(dialect)
    valid, path = json.dumps(DIALECTS[dialect]).encode(), tmp_path / "h.json"
    refused = 0
    for _ in range(1000):
        path.write_bytes(mutate(valid, rng))
        try:
            G = hh.read(path)
            assert hh.Hypergraph(G.hyperedges, nodes=G.nodes, edges=G.edges) == G
        except hh.errors.FormatError as error:
            assert str(error).startswith(str(path))  # noqa: PT017
            refused += 1
    assert refused > 300
