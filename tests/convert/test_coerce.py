"""Arguments in the types of the real peer libraries, and what is refused."""

import subprocess
import sys
import types

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

import hyperhedge as hh
from hyperhedge.convert import as_hypergraph, as_hypergraphs

H = hh.Hypergraph({"x": ["a", "b"], "y": ["b", "c"], "again": ["b", "a"], "empty": []}, nodes=["z", "a", "b", "c"])


@pytest.mark.parametrize(
    ("module", "to"),
    [
        ("xgi", hh.convert.to_xgi),
        ("hypernetx", hh.convert.to_hypernetx),
        ("hypergraphx", hh.convert.to_hypergraphx),
        ("networkx", hh.convert.to_networkx),
        ("pandas", hh.convert.to_pandas),
        ("torch_geometric", hh.convert.to_pyg),
    ],
)
def test_the_object_of_a_peer_library_converts(module, to):
    pytest.importorskip(module)
    assert as_hypergraph(to(H)) == H
    assert as_hypergraph(to(hh.convert.to_networkx(H))) == H  # from one library to another
    assert as_hypergraphs((G for G in [to(H), H]), "training") == [H, H]
    with pytest.raises(hh.errors.HypergraphError, match=r"^training is a single hypergraph; give a list of them"):
        as_hypergraphs(to(H), "training")


def test_a_subclass_of_a_peer_class_converts():
    xgi = pytest.importorskip("xgi")

    class Mine(xgi.Hypergraph):
        pass

    assert as_hypergraph(Mine([[0, 1]])) == hh.Hypergraph([[0, 1]])
    assert as_hypergraph(xgi.SimplicialComplex([[1, 2]])) == hh.convert.from_xgi(xgi.SimplicialComplex([[1, 2]]))


@pytest.mark.parametrize("make", [np.array, sp.csr_array, sp.coo_matrix])
def test_an_incidence_matrix_converts(make):
    matrix = [[1, 0], [1, 1], [0, 0]]
    assert as_hypergraph(make(matrix)) == hh.Hypergraph([[0, 1], [1]], nodes=3)
    with pytest.raises(hh.errors.HypergraphError, match=r"^generated is a single hypergraph"):
        as_hypergraphs(make(matrix), "generated")


def test_a_stack_of_matrices_and_an_array_of_hypergraphs_are_lists():
    stack = np.array([[[1, 0]], [[1, 1]]])
    assert as_hypergraphs(stack, "training") == [as_hypergraph(matrix) for matrix in stack]
    graphs = np.empty(2, dtype=object)
    graphs[:] = [H, H]
    assert as_hypergraphs(graphs, "training") == [H, H]


def test_a_hypergraph_is_returned_as_it_is_and_a_list_may_be_empty():
    assert as_hypergraph(H) is H
    assert as_hypergraphs([], "training") == []


def test_what_is_refused_is_named_by_module_and_class():
    Foreign = types.new_class("Hypergraph", exec_body=lambda body: body.update(__module__="foo.bar"))
    with pytest.raises(hh.errors.HypergraphError, match=r"^training\[1\] is a foo\.bar\.Hypergraph; give a Hypergraph"):
        as_hypergraphs([H, Foreign()], "training")
    with pytest.raises(hh.errors.HypergraphError, match=r"^H is a list; give a Hypergraph, a hypergraph of XGI"):
        as_hypergraph([[0, 1]])
    with pytest.raises(hh.errors.HypergraphError, match=r"^training is an int; give a list of hypergraphs"):
        as_hypergraphs(3, "training")


def test_a_peer_object_that_is_no_hypergraph_is_refused_under_its_name():
    xgi, hgx, pd = map(pytest.importorskip, ("xgi", "hypergraphx", "pandas"))
    for value, sentence in (
        (xgi.DiHypergraph([([1], [2])]), "directed"),
        (hgx.DirectedHypergraph(), "a hypergraphx DirectedHypergraph cannot"),
        (nx.Graph([("a", "b")]), "'a' has bipartite=None"),
        (pd.DataFrame({"who": [1]}), "no column 'node'"),
        (np.array([[0.5]]), "holds 0.5 at row 0"),
        (np.zeros(3), "two dimensions"),
        (sp.coo_array(np.ones(3)), "two dimensions"),
    ):
        with pytest.raises(hh.errors.HypergraphError, match=rf"^real\[0\]: .*{sentence}"):
            as_hypergraphs([value], "real")


def test_nothing_is_imported_to_look_at_a_value():
    """In a fresh process: neither our types nor a foreign one makes a peer library be imported."""
    code = """
import sys, numpy as np, hyperhedge as hh
assert hh.convert.as_hypergraph(np.eye(2)).n == 2
try:
    hh.convert.as_hypergraph(type("Hypergraph", (), {"__module__": "foo"})())
except hh.errors.HypergraphError:
    pass
print(*sorted({"xgi", "hypernetx", "hypergraphx", "pandas", "torch_geometric"} & sys.modules.keys()))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
