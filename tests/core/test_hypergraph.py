"""The hypergraph against dense linear algebra and plain sets."""

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from hyperhedge import Hypergraph
from hyperhedge.core.labels import label_index
from hyperhedge.errors import HypergraphError
from strategies import hypergraphs, labels


def as_sets(H):
    return {edge: set(members) for edge, members in zip(H.edges, H.hyperedges, strict=True)}


@given(hypergraphs())
def test_counts_agree_with_the_dense_incidence_matrix(H):
    dense = np.zeros((H.n, H.m), dtype=int)
    for j, members in enumerate(H.hyperedges):
        for label in members:
            dense[list(H.nodes).index(label), j] = 1
    assert isinstance(H.incidence, sp.csr_array)
    np.testing.assert_array_equal(H.incidence.toarray(), dense)
    np.testing.assert_array_equal(H.degrees, dense.sum(axis=1))
    np.testing.assert_array_equal(H.edge_sizes, dense.sum(axis=0))
    product = dense.T @ dense
    np.testing.assert_array_equal(H.overlaps.toarray(), product - np.diag(np.diag(product)))
    assert H.num_incidences == dense.sum()
    assert H.density == (dense.mean() if dense.size else 0.0)


@given(hypergraphs())
def test_constructors_agree(H):
    assert Hypergraph(H.hyperedges, nodes=H.nodes, edges=H.edges) == H
    assert Hypergraph.from_incidence(H.incidence, nodes=H.nodes, edges=H.edges) == H
    assert Hypergraph.from_incidence(H.incidence.toarray(), nodes=H.nodes, edges=H.edges) == H
    assert Hypergraph.from_incidence(H.incidence.toarray().astype(bool), nodes=H.nodes, edges=H.edges) == H
    pairs = [(v, e) for e, members in zip(H.edges, H.hyperedges, strict=True) for v in members]
    assert Hypergraph.from_bipartite_edges(pairs, nodes=H.nodes, edges=H.edges) == H
    assert Hypergraph.from_indices(H.indices, H.edge_indices, nodes=H.nodes, edges=H.edges) == H
    assert Hypergraph(dict(zip(H.edges, H.hyperedges, strict=True)), nodes=H.nodes) == H


@given(hypergraphs())
def test_members_and_memberships_are_each_others_inverse(H):
    pairs = {(v, e) for e in H.edges for v in H.members(e)}
    assert pairs == {(v, e) for v in H.nodes for e in H.memberships(v)}
    assert len(pairs) == H.num_incidences


@given(hypergraphs(), st.randoms(use_true_random=False))
def test_permute_is_p_h_q_transposed(H, random):
    rows, columns = list(range(H.n)), list(range(H.m))
    random.shuffle(rows)
    random.shuffle(columns)
    moved = H.permute(nodes=rows, edges=columns)
    np.testing.assert_array_equal(moved.incidence.toarray(), H.incidence.toarray()[np.ix_(rows, columns)])
    assert moved.equals_up_to_order(H)
    assert moved.permute(nodes=np.argsort(rows), edges=np.argsort(columns)) == H
    assert moved.is_isomorphic(H)
    assert moved.canonical_hash == H.canonical_hash


@given(hypergraphs(), st.data())
def test_subhypergraph_is_the_submatrix(H, data):
    nodes = data.draw(st.sets(st.sampled_from(H.nodes))) if H.n else set()
    edges = data.draw(st.sets(st.sampled_from(H.edges))) if H.m else set()
    induced = H.subhypergraph(nodes, edges)
    expected = {e: members & nodes for e, members in as_sets(H).items() if e in edges}
    assert as_sets(induced) == expected
    assert list(induced.nodes) == [v for v in H.nodes if v in nodes]
    inside = H.subhypergraph(nodes, keep="inside")
    assert as_sets(inside) == {e: members for e, members in as_sets(H).items() if members <= nodes}
    dropped = H.subhypergraph(nodes, edges, drop_empty=True)
    assert as_sets(dropped) == {e: members for e, members in expected.items() if members}


@given(hypergraphs())
def test_dual_transposes(H):
    np.testing.assert_array_equal(H.dual().incidence.toarray(), H.incidence.toarray().T)
    assert H.dual().dual() == H


@given(hypergraphs(), hypergraphs())
def test_equality_and_hash_go_together(H, G):
    assert (H == G) == ((H.nodes, H.edges, H.hyperedges) == (G.nodes, G.edges, G.hyperedges))
    if H == G:
        assert hash(H) == hash(G)
    assert H.relabel(nodes=[f"x{i}" for i in range(H.n)]) != H or H.n == 0
    assert H != "hypergraph"


@given(hypergraphs())
def test_pickle_and_copy(H):
    back = pickle.loads(pickle.dumps(H))  # noqa: S301
    assert back == H
    assert hash(back) == hash(H)
    assert copy.copy(H) is H
    assert copy.deepcopy(H) is H


def test_it_cannot_be_changed():
    H = Hypergraph([[0, 1], [1]])
    for array in (H.indices, H.indptr):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    for name in ("n", "nodes", "other"):
        with pytest.raises(AttributeError):
            setattr(H, name, 1)
    given_ids = np.array([0, 1])
    G = Hypergraph.from_indices(given_ids, [0, 0], nodes=2, edges=1)
    given_ids[0] = 1
    assert G.hyperedges == ((0, 1),)
    H.incidence.data[:] = 0  # a copy
    assert H.incidence.sum() == 3


def test_repeats_isolated_and_empty_are_kept():
    H = Hypergraph([["a", "b"], [], ["b", "a"], ["a", "a"]], nodes=["a", "b", "c"])
    assert H.hyperedges == (("a", "b"), (), ("a", "b"), ("a",))
    assert H.degrees.tolist() == [3, 2, 0]


def test_order_of_nodes_without_declaration():
    assert Hypergraph([[5, 3], [4]]).nodes == (3, 4, 5)
    assert Hypergraph([["b", "a"], ["c"]]).nodes == ("b", "a", "c")
    assert Hypergraph([[2, "a", 1]]).nodes == (2, "a", 1)
    assert Hypergraph([[1, 0], [2]]).nodes == range(3)


def test_numpy_labels_become_plain():
    H = Hypergraph([np.array([3, 4])], edges=np.array(["x"]))
    assert [type(label) for label in (*H.nodes, *H.edges)] == [int, int, str]


def test_one_and_the_string_one_are_two_labels():
    H = Hypergraph([[1, "1"]])
    assert H.n == 2
    assert H.memberships("1") == (0,)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Hypergraph([["a"]], nodes=["b"]), "names the node 'a', which is not among"),
        (lambda: Hypergraph([["a"]], nodes=["a", "a"]), "'a' occurs twice"),
        (lambda: Hypergraph([["a"], ["a"]], edges=["x"]), "must have 2 labels, not 1"),
        (lambda: Hypergraph({"x": ["a"]}, edges=["x"]), "the keys of a mapping are the hyperedge labels"),
        (lambda: Hypergraph(["ab"]), "hyperedge 0 is the string 'ab'"),
        (lambda: Hypergraph([3]), "hyperedge 0 is 3"),
        (lambda: Hypergraph([[-1]]), "id -1 is negative"),
        (lambda: Hypergraph([[2**63]]), "does not fit 63 bits"),
        (lambda: Hypergraph([[""]]), "empty string"),
        (lambda: Hypergraph([["a\0"]]), "NUL"),
        (lambda: Hypergraph([["\ud800"]]), "lone surrogate"),
        (lambda: Hypergraph([["x" * 70_000]]), "longer than 65,536"),
        (lambda: Hypergraph([[1.5]]), "1.5 is a float"),
        (lambda: Hypergraph([[True]]), "True is a bool"),
        (lambda: Hypergraph([[None]]), "None is a NoneType"),
        (lambda: Hypergraph([[["a"]]]), "is a list"),
        (lambda: Hypergraph([[("a", 1)]]), "is a tuple"),
        (lambda: Hypergraph(nodes="abc"), "not the string 'abc'"),
        (lambda: Hypergraph(nodes=-1), "must not be -1"),
        (lambda: Hypergraph.from_indices([0], [1], nodes=1, edges=1), "edge_ids holds 1"),
        (lambda: Hypergraph.from_indices([-1], [0], nodes=1, edges=1), "node_ids holds -1"),
        (lambda: Hypergraph.from_indices([0.5], [0], nodes=1, edges=1), "whole numbers"),
        (lambda: Hypergraph.from_indices([0, 0], [0], nodes=1, edges=1), "give as many of both"),
        (lambda: Hypergraph.from_incidence([[0.5]]), "holds 0.5 at row 0, column 0"),
        (lambda: Hypergraph.from_incidence([[float("nan")]]), "holds nan"),
        (lambda: Hypergraph.from_incidence([[2]]), "holds 2"),
        (lambda: Hypergraph.from_incidence([1, 0]), "two dimensions"),
        (lambda: Hypergraph.from_incidence([["1"]]), "holds numbers"),
        (lambda: Hypergraph.from_incidence([[1]], nodes=["a", "b"]), "nodes= must have 1 labels, not 2"),
        (lambda: Hypergraph([[0]]).permute(nodes=[1]), "nodes holds 1"),
        (lambda: Hypergraph([[0, 1]]).permute(nodes=[0, 0]), "each of 0, …, 1 once"),
        (lambda: Hypergraph([[0]]).members("x"), "no hyperedge labelled 'x'"),
        (lambda: Hypergraph([[0]]).memberships(True), "no node labelled True"),
        (lambda: Hypergraph([[0]]).subhypergraph([7]), "no node labelled 7"),
        (lambda: Hypergraph([[0]]).subhypergraph(keep="all"), "keep="),
    ],
)
def test_what_is_no_hypergraph_gets_one_sentence(build, message):
    with pytest.raises(HypergraphError, match=message) as caught:
        build()
    assert "\n" not in str(caught.value)


def test_coo_duplicates_are_sums_as_in_scipy():
    twice = sp.coo_array(([1, 1], ([0, 0], [0, 0])), shape=(1, 1))
    with pytest.raises(HypergraphError, match="holds 2"):
        Hypergraph.from_incidence(twice)


def test_labels_are_indexed_once(monkeypatch):
    """Building an index for every label would take quadratic time."""
    built = []
    monkeypatch.setattr("hyperhedge.core.hypergraph.label_index", lambda labels: built.append(1) or label_index(labels))
    H = Hypergraph([[0, 1], [1, 2], [2, 3]])
    built.clear()
    H.subhypergraph(nodes=[0, 1, 2], edges=[0, 1])
    H.members(0), H.memberships(1)
    assert len(built) == 2  # one for each side


@given(hypergraphs())
def test_it_is_a_collection_of_hyperedges(H):
    """Against the incidence matrix and plain lists."""
    assert H.shape == H.incidence.shape == (H.num_nodes, H.num_edges)
    assert len(H) == len(list(H)) == H.num_edges
    assert list(H) == [H.members(edge) for edge in H.edges]
    assert all(node in H for node in H.nodes)
    assert list(H) == list(H)  # each iteration starts afresh


@given(hypergraphs(), st.one_of(labels, st.booleans(), st.floats(), st.none(), st.lists(labels)))
def test_membership_is_that_of_the_node_labels(H, value):
    assert (value in H) == any(type(value) is type(node) and value == node for node in H.nodes)


def test_membership_takes_numpy_integers_and_no_other_equal_number():
    H = Hypergraph([[0, 1]])
    assert np.int64(1) in H
    assert all(value not in H for value in (1.0, True, np.True_, np.float64(1), "1", 2, -1, (0, 1)))


def test_a_hypergraph_without_hyperedges_is_true():
    assert len(Hypergraph(nodes=3)) == 0
    assert bool(Hypergraph()) is bool(Hypergraph(nodes=3)) is True


@given(hypergraphs())
def test_a_hypergraph_of_a_hypergraph_is_equal(H):
    assert Hypergraph(H) == H
    fewer = Hypergraph(H, edges=[f"e{j}" for j in range(H.m)])
    assert (fewer.nodes, fewer.hyperedges) == (H.nodes, H.hyperedges)


def test_numpy_takes_it_as_one_object():
    """With no __getitem__, it is no sequence that an array would be filled from."""
    array = np.array([Hypergraph([[0, 1]]), Hypergraph([[0]])])
    assert array.shape == (2,)
