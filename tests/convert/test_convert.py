"""Conversions to and from the real libraries, and their files beside ours."""

import json
import sys

import networkx as nx
import numpy as np
import pytest
from hypothesis import given

import hyperhedge as hh
from hif_schema import SCHEMA
from hyperhedge._system.optional import require
from strategies import hypergraphs

LIBRARIES = {
    "xgi": ("xgi", hh.convert.to_xgi, hh.convert.from_xgi),
    "hypernetx": ("hypernetx", hh.convert.to_hypernetx, hh.convert.from_hypernetx),
    "hypergraphx": ("hypergraphx", hh.convert.to_hypergraphx, hh.convert.from_hypergraphx),
    "networkx": ("networkx", hh.convert.to_networkx, hh.convert.from_networkx),
    "scipy": ("scipy", hh.convert.to_scipy, lambda triple: hh.convert.from_scipy(*triple)),
    "pandas": ("pandas", hh.convert.to_pandas, hh.convert.from_pandas),
    "pyg": ("torch_geometric", hh.convert.to_pyg, hh.convert.from_pyg),
}


def load(module):
    return pytest.importorskip(module, reason=f"{module} is not installed (the extra `peers` brings it)")


@pytest.mark.parametrize("name", LIBRARIES)
@given(H=hypergraphs())
def test_round_trip(name, H):
    """Labels, order, repeats, isolated nodes and empty hyperedges come back."""
    module, to, back = LIBRARIES[name]
    load(module)
    assert back(to(H)) == H


@pytest.mark.parametrize("name", ["xgi", "hypernetx", "hypergraphx", "pandas", "pyg"])
def test_a_library_that_is_missing_is_named(name, monkeypatch):
    module, to, _ = LIBRARIES[name]
    monkeypatch.setitem(sys.modules, module, None)
    for submodule in ("data", "data.hypergraph_data"):
        monkeypatch.delitem(sys.modules, f"{module}.{submodule}", raising=False)
    with pytest.raises(hh.errors.MissingDependencyError, match=r"pip install 'hyperhedge\["):
        to(hh.Hypergraph([[0]]))


def test_a_library_that_is_broken_says_itself_why(monkeypatch, tmp_path):
    (tmp_path / "broken_library.py").write_text("import what_is_not_there")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="what_is_not_there"):
        require("broken_library", "xgi")


# -- what the libraries see ----------------------------------------------------------------------------

H = hh.Hypergraph({"x": ["a", "b"], "y": ["b", "c"], "again": ["b", "a"], "empty": []}, nodes=["z", "a", "b", "c"])


def test_xgi_sees_what_is_there():
    xgi = load("xgi")
    X = hh.convert.to_xgi(H)
    assert list(X.nodes) == ["z", "a", "b", "c"]
    assert X.edges.members(dtype=dict) == {
        "x": {"a", "b"},
        "y": {"b", "c"},
        "again": {"a", "b"},
        "empty": set(),
    }
    assert list(X.nodes.isolates()) == ["z"]
    np.testing.assert_array_equal(X.nodes.degree.asnumpy(), H.degrees)
    assert hh.convert.from_xgi(xgi.SimplicialComplex([[1, 2]])).n == 2
    with pytest.raises(hh.errors.HypergraphError, match="directed"):
        hh.convert.from_xgi(xgi.DiHypergraph([([1], [2])]))
    with pytest.raises(hh.errors.HypergraphError, match="is a tuple"):
        hh.convert.from_xgi(xgi.Hypergraph([[(0, 1), (2, 3)]]))


def test_xgi_generators_come_over():
    xgi = load("xgi")
    X = xgi.fast_random_hypergraph(20, [0.1, 0.01], seed=0)
    G = hh.convert.from_xgi(X)
    np.testing.assert_array_equal(G.incidence.toarray(), xgi.incidence_matrix(X, sparse=False))


def test_hypernetx_sees_what_is_there():
    hnx = load("hypernetx")
    G = hh.convert.to_hypernetx(H)
    assert {e: set(members) for e, members in G.incidence_dict.items()} == {
        "x": {"a", "b"},
        "y": {"b", "c"},
        "again": {"a", "b"},
    }
    theirs = hnx.Hypergraph({"p": [1, 2], "q": [2, 3, 1]})
    assert hh.convert.from_hypernetx(theirs).equals_up_to_order(hh.Hypergraph({"p": [1, 2], "q": [1, 2, 3]}))


def test_hypergraphx_sees_what_is_there():
    hgx = load("hypergraphx")
    G = hh.convert.to_hypergraphx(H)
    assert set(G.get_edges()) == {("a", "b"), ("b", "c")}
    assert G.get_weight(("a", "b")) == 2
    assert set(G.get_nodes()) == {"z", "a", "b", "c"}
    theirs = hgx.Hypergraph([(1, 2), (2, 3, 1)])
    theirs.add_node(9)
    assert hh.convert.from_hypergraphx(theirs).equals_up_to_order(
        hh.Hypergraph([[1, 2], [1, 2, 3]], nodes=[1, 2, 3, 9])
    )
    with pytest.raises(hh.errors.HypergraphError, match="a hypergraphx DirectedHypergraph cannot"):
        hh.convert.from_hypergraphx(hgx.DirectedHypergraph())


def test_networkx_sees_a_bipartite_graph():
    G = hh.convert.to_networkx(H)
    nodes = {v for v, side in G.nodes(data="bipartite") if side == 0}
    assert nx.bipartite.is_bipartite_node_set(G, nodes)
    assert [G.degree(v) for v in range(H.n)] == H.degrees.tolist()
    assert hh.convert.from_networkx(nx.davis_southern_women_graph()).m == 14
    with pytest.raises(hh.errors.HypergraphError, match="'a' has bipartite=None"):
        hh.convert.from_networkx(nx.Graph([("a", "b")]))
    one_side = nx.Graph([("a", "b")])
    nx.set_node_attributes(one_side, 0, "bipartite")
    with pytest.raises(hh.errors.HypergraphError, match="joins two vertices of the same side"):
        hh.convert.from_networkx(one_side)


def test_pandas_tables():
    pd = load("pandas")
    frame = hh.convert.to_pandas(H)
    assert frame.astype(str).to_numpy().tolist()[0] == ["a", "x"]
    assert frame.groupby("node", observed=False).size().to_dict() == dict(zip(H.nodes, H.degrees.tolist(), strict=True))
    plain = pd.DataFrame({"who": ["b", "a", None, "z"], "what": [1, 1, 2, None]})
    with pytest.raises(hh.errors.HypergraphError, match="no column 'node'"):
        hh.convert.from_pandas(plain)
    plain["what"] = plain["what"].astype("Int64")
    G = hh.convert.from_pandas(plain, node="who", edge="what")
    assert (G.nodes, G.edges, G.hyperedges) == (("z", "b", "a"), (2, 1), ((), ("b", "a")))
    with pytest.raises(hh.errors.HypergraphError, match=r"1\.0 is a float"):
        hh.convert.from_pandas(pd.DataFrame({"node": [1.0], "edge": [1]}))


def test_pyg_sees_what_is_there():
    load("torch_geometric")
    torch = load("torch")
    from torch_geometric.data.hypergraph_data import HyperGraphData

    data = hh.convert.to_pyg(H)
    assert data.edge_index.tolist() == [H.indices.tolist(), H.edge_indices.tolist()]
    square = hh.Hypergraph([[0], [0], [1]], nodes=3)  # as many nodes as hyperedges: PyG's num_nodes says 2
    assert hh.convert.from_pyg(hh.convert.to_pyg(square)) == square
    theirs = HyperGraphData(edge_index=torch.tensor([[0, 1, 1], [0, 0, 1]]), x=torch.zeros(4, 2))
    with pytest.warns(hh.errors.DataLossWarning, match=r"^dropped 1 feature \(x\), which a Hypergraph does not store$"):
        assert hh.convert.from_pyg(theirs) == hh.Hypergraph([[0, 1], [1]], nodes=4)
    assert hh.convert.from_pyg(HyperGraphData()) == hh.Hypergraph()


# -- what is lost is counted ---------------------------------------------------------------------------


def lossy_xgi():
    X = load("xgi").Hypergraph({"e": [1, 2], "f": [2]})
    X.add_node(9, colour="red")
    X.add_edge([1], idx="g", weight=2, time=5)
    return X


def lossy_hypernetx():
    pd = load("pandas")
    table = pd.DataFrame({"edges": ["p", "p"], "nodes": [1, 2], "weight": [2.0, 1.0], "role": ["a", None]})
    properties = pd.DataFrame({"n": [1, 2], "time": [3, 4]})
    return load("hypernetx").Hypergraph(
        table,
        edge_col="edges",
        node_col="nodes",
        cell_weight_col="weight",
        cell_properties=["role"],
        node_properties=properties,
    )


def lossy_hypergraphx():
    G = load("hypergraphx").Hypergraph([(1, 2), (2, 3)], weighted=True, weights=[2.5, 1])
    G.set_node_metadata(1, {"a": 3})
    return G


def lossy_networkx():
    G = nx.davis_southern_women_graph()
    nx.set_edge_attributes(G, dict.fromkeys(list(G.edges)[:5], 2), "weight")
    nx.set_node_attributes(G, {next(iter(G)): 3}, "age")
    return G


def lossy_pandas():
    columns = {"node": [1, 2], "edge": ["x", "x"], "weight": [1.0, 0.5], "timestamp": [1, 2], "role": ["a", None]}
    return load("pandas").DataFrame(columns)


@pytest.mark.parametrize(
    ("make", "dropped"),
    [
        (lossy_xgi, "1 weight, 1 time and 1 attribute record"),
        (lossy_hypernetx, "1 weight, 2 times and 1 attribute record"),
        (lossy_hypergraphx, "1 weight and 1 attribute record"),
        (lossy_networkx, "5 weights and 1 attribute record"),
        (lossy_pandas, "1 weight, 2 times and 1 attribute record"),
    ],
)
def test_what_a_hypergraph_does_not_hold_is_counted(make, dropped):
    with pytest.warns(hh.errors.DataLossWarning, match=f"^dropped {dropped}, which a Hypergraph does not store$"):
        H = hh.convert.as_hypergraph(make())
    assert H.num_incidences >= 2


def test_the_ids_that_xgi_keeps_when_it_relabels_are_no_loss():
    X = load("xgi").Hypergraph([["a", "b"], ["b", "c"]]).cleanup(isolates=True)
    assert X.nodes[0] == {"label": "a"}
    assert hh.convert.from_xgi(X).equals_up_to_order(hh.Hypergraph([[0, 1], [1, 2]]))


# -- files of one read by another ----------------------------------------------------------------------


@given(H=hypergraphs())
def test_xgi_reads_our_hif_and_we_read_theirs(tmp_path, H):
    xgi = load("xgi")
    hh.write(H, tmp_path / "ours.json")
    assert hh.convert.from_xgi(xgi.read_hif(tmp_path / "ours.json")).equals_up_to_order(H)
    xgi.write_hif(hh.convert.to_xgi(H), tmp_path / "theirs.json")
    assert hh.read(tmp_path / "theirs.json").equals_up_to_order(H)
    xgi.write_hif(hh.convert.to_xgi(H), tmp_path / "theirs.json.gz")
    assert hh.read(tmp_path / "theirs.json.gz").equals_up_to_order(H)


def test_xgi_reads_our_folder_and_we_read_theirs(tmp_path):
    xgi = load("xgi")
    graphs = [H, hh.Hypergraph([[0, 1]])]
    hh.write_collection(graphs, tmp_path / "ours")
    theirs = xgi.read_hif_collection(str(tmp_path / "ours" / "collection.json"))
    assert all(hh.convert.from_xgi(X).equals_up_to_order(G) for X, G in zip(theirs.values(), graphs, strict=True))
    (tmp_path / "theirs").mkdir()
    xgi.write_hif_collection([hh.convert.to_xgi(G) for G in graphs], str(tmp_path / "theirs"), collection_name="set")
    back = hh.read_collection(tmp_path / "theirs")
    assert all(a.equals_up_to_order(b) for a, b in zip(back, graphs, strict=True))


def test_hyperedge_lists_go_both_ways_with_xgi(tmp_path):
    xgi = load("xgi")
    G = hh.Hypergraph([[0, 1, 5], [5, 2], [0, 1, 5]])
    hh.write(G, tmp_path / "ours.txt")
    assert hh.convert.from_xgi(xgi.read_edgelist(tmp_path / "ours.txt", nodetype=int)).equals_up_to_order(G)
    isolated = hh.Hypergraph([[0, 1]], nodes=3)  # the lines that xgi does not know are comments to it
    hh.write(isolated, tmp_path / "ours.txt")
    assert set(xgi.read_edgelist(tmp_path / "ours.txt", nodetype=int).nodes) == {0, 1}
    for delimiter in (" ", ","):
        xgi.write_edgelist(hh.convert.to_xgi(G), tmp_path / "theirs.txt", delimiter=delimiter)
        assert hh.read(tmp_path / "theirs.txt") == G
    xgi.write_edgelist(xgi.Hypergraph([[1, 2], [], [3]]), tmp_path / "theirs.txt")
    assert hh.read(tmp_path / "theirs.txt", blank_lines="empty").hyperedges == ((1, 2), (), (3,))
    xgi.write_bipartite_edgelist(hh.convert.to_xgi(G), tmp_path / "theirs.csv", delimiter=",")
    assert hh.read(tmp_path / "theirs.csv") == G


@pytest.fixture
def hnx_offline(monkeypatch):
    """HyperNetX's HIF functions fetch the schema from the network; give them the one of our tests."""
    load("hypernetx")
    from hypernetx import hif

    class Response:
        text = json.dumps(SCHEMA)

    monkeypatch.setattr(hif.requests, "get", lambda _: Response)
    return hif


@given(H=hypergraphs(min_incidences=1))
def test_hypernetx_reads_our_hif(tmp_path, hnx_offline, H):
    hh.write(H, tmp_path / "ours.json")
    G = hnx_offline.from_hif(filename=tmp_path / "ours.json")
    assert hh.convert.from_hypernetx(G).equals_up_to_order(H)


def test_we_read_hypernetx_tables(tmp_path):
    hnx = load("hypernetx")
    G = hnx.Hypergraph({"p": [1, 2], "q": [2, 3]})
    G.incidences.to_dataframe.to_csv(tmp_path / "indexed.csv")
    G.dataframe.to_csv(tmp_path / "numbered.csv")
    for name in ("indexed.csv", "numbered.csv"):
        assert hh.read(tmp_path / name) == hh.Hypergraph({"p": [1, 2], "q": [2, 3]})
    lossy_hypernetx().incidences.to_dataframe.to_csv(tmp_path / "lossy.csv")
    with pytest.warns(hh.errors.DataLossWarning, match="dropped 1 weight and 1 attribute record"):
        assert hh.read(tmp_path / "lossy.csv") == hh.Hypergraph({"p": [1, 2]})


@given(H=hypergraphs(min_incidences=1))
def test_we_read_hypernetx_hif(tmp_path, hnx_offline, H):
    """HyperNetX writes only what has incidences."""
    hnx_offline.to_hif(hh.convert.to_hypernetx(H), tmp_path / "theirs.json")
    present = H.subhypergraph(
        [v for v, d in zip(H.nodes, H.degrees, strict=True) if d],
        [e for e, s in zip(H.edges, H.edge_sizes, strict=True) if s],
    )
    assert hh.read(tmp_path / "theirs.json").equals_up_to_order(present)


def distinct(H):
    """Leave out repeated hyperedges, which hypergraphx cannot hold."""
    first = {members: edge for edge, members in reversed(list(zip(H.edges, H.hyperedges, strict=True))) if members}
    return H.subhypergraph(edges=[e for e, k in zip(H.edges, H.hyperedges, strict=True) if not k or first[k] == e])


@given(H=hypergraphs())
def test_hypergraphx_reads_our_hif(tmp_path, H):
    load("hypergraphx")
    from hypergraphx.readwrite.hif import read_hif

    G = distinct(H)
    hh.write(G, tmp_path / "ours.json")
    assert hh.convert.from_hypergraphx(read_hif(tmp_path / "ours.json")).equals_up_to_order(G)


@given(H=hypergraphs())
def test_we_read_what_hypergraphx_saves(tmp_path, H):
    load("hypergraphx")
    from hypergraphx.readwrite.save import save_hypergraph

    kept = H.subhypergraph(edges=[e for e, s in zip(H.edges, H.edge_sizes, strict=True) if s])
    save_hypergraph(hh.convert.to_hypergraphx(kept), str(tmp_path / "theirs.json"))
    assert hh.read(tmp_path / "theirs.json").equals_up_to_order(kept)


def test_hypergraphx_files_of_its_own(tmp_path):
    hgx = load("hypergraphx")
    from hypergraphx.readwrite.hif import write_hif
    from hypergraphx.readwrite.save import save_hypergraph

    G = hgx.Hypergraph([("b", "a"), ("c",)], weights=[2, 1])
    save_hypergraph(G, str(tmp_path / "theirs.json"))
    with pytest.warns(
        hh.errors.DataLossWarning, match=r"theirs\.json: dropped 1 weight, which a Hypergraph does not store$"
    ):
        assert hh.read(tmp_path / "theirs.json").hyperedges == (("a", "b"), ("c",))
    write_hif(G, str(tmp_path / "theirs.hif.json"))  # loses the incidences
    with pytest.raises(hh.errors.FormatError, match="if the file comes from hypergraphx's write_hif, which loses"):
        hh.read(tmp_path / "theirs.hif.json")
