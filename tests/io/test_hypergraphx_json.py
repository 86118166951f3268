"""hypergraphx's JSON, in the form of today and in that of its older files; weights, times and metadata are counted."""

import json

import pytest

import hyperhedge as hh


def read(tmp_path, kind, *records):
    header = {"hypergraph_type": kind, "hypergraph_metadata": {"weighted": True, "type": kind}}
    (tmp_path / "h.json").write_text(json.dumps([header, *records], indent=4))
    return hh.read(tmp_path / "h.json")


def edge(*members, metadata=None, **others):
    return {"type": "edge", "interaction": list(members), "metadata": metadata or {}, **others}


def test_weights_inside_and_beside_the_metadata(tmp_path):
    records = (
        {"type": "node", "idx": 9, "metadata": {"class": "MP"}},
        edge(1, 2, metadata={"weight": 2.5}),
        edge(2, 3, weight=3),
        edge(3, weight=1),
    )
    with pytest.warns(hh.errors.DataLossWarning, match=r"h\.json: dropped 2 weights and 1 attribute record, which"):
        H = read(tmp_path, "Hypergraph", *records)
    assert (H.nodes, H.hyperedges) == ((9, 1, 2, 3), ((1, 2), (2, 3), (3,)))


def test_a_temporal_hypergraph_without_its_times(tmp_path):
    records = (edge(1, 2, metadata={"time": 3, "weight": 1}), edge(1, 2, time=4), edge(2, 3, time=4))
    with pytest.warns(hh.errors.DataLossWarning, match=r"dropped 3 times, which"):
        H = read(tmp_path, "TemporalHypergraph", *records)
    assert H.hyperedges == ((1, 2), (1, 2), (2, 3))


@pytest.mark.parametrize("kind", ["DirectedHypergraph", "MultiplexHypergraph"])
def test_other_kinds_are_refused(tmp_path, kind):
    with pytest.raises(hh.errors.FormatError, match=f"a hypergraphx {kind} is not supported"):
        read(tmp_path, kind, edge(1, 2))


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_what_hypergraphx_saves_of_times(tmp_path):
    hgx = pytest.importorskip("hypergraphx", reason="hypergraphx is not installed (the extra `peers` brings it)")
    save = pytest.importorskip("hypergraphx.readwrite.save").save_hypergraph
    save(hgx.TemporalHypergraph([(3, (1, 2)), (4, (2, 3)), (5, (1, 2))]), str(tmp_path / "theirs.json"))
    with pytest.warns(hh.errors.DataLossWarning, match=r"dropped 3 times, which"):
        assert sorted(hh.read(tmp_path / "theirs.json").hyperedges) == [(1, 2), (1, 2), (2, 3)]


@pytest.mark.parametrize(
    ("file", "shape", "dropped"),
    [
        ("hs/hs.json", (327, 7818), "4,650 weights and 327 attribute records"),
        ("workplace/workplace.json", (92, 788), "92 attribute records"),
    ],
)
def test_real_files(mirror, file, shape, dropped):
    path = mirror / "hypergraphx/tests/test_data" / file
    with pytest.warns(hh.errors.DataLossWarning, match=rf"dropped {dropped}, which"):
        H = hh.read(path)
    assert H.shape == shape
    records = json.loads(path.read_text())  # the counts, again
    weights = [record.get("weight", 1) for record in records]
    assert f"{sum(weight != 1 for weight in weights):,} weights" in dropped or set(weights) == {1}
