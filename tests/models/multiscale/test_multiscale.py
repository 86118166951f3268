"""The multiscale shuffle: what every exchange keeps, its law on a small tree by enumeration, and the tree against brute force."""

import itertools
import sys
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import hyperhedge as hh
from hyperhedge.errors import FormatError, GeneratorError, MissingDependencyError
from hyperhedge.models.multiscale import MultiscaleShuffle, Tree
from hyperhedge.models.multiscale.model import exchanged
from hyperhedge.models.multiscale.tree import overlap_graph
from strategies import hypergraphs, random_hypergraphs

CLIQUES = hh.Hypergraph([[4 * i + j for j in range(4) if j != k] for i in range(6) for k in range(4)])


# -- the tree ----------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(hypergraphs(max_nodes=12, max_edges=14), st.integers(1, 6), st.integers(2, 5))
def test_clusters_are_nested_small_and_numbered_without_gaps(H, leaf, fan_out):
    tree = Tree.of(H, leaf, fan_out)
    assert set(tree.levels[0].tolist()) <= {0}
    for coarse, fine in itertools.pairwise(tree.levels):
        assert set(fine.tolist()) == set(range(fine.max() + 1))
        parents = [set(coarse[fine == k].tolist()) for k in range(fine.max() + 1)]
        assert all(len(parent) == 1 for parent in parents)
        children = Counter(next(iter(parent)) for parent in parents)
        assert max(children.values()) <= max(fan_out, 2)
    assert np.bincount(tree.leaves, minlength=1).max() <= leaf


def test_the_tree_is_always_the_same():
    (H,) = random_hypergraphs(1, 60, 50, 0.06, seed=1)
    one, other = Tree.of(H, 8), Tree.of(H, 8)
    assert all((a == b).all() for a, b in zip(one.levels, other.levels, strict=True))


@settings(max_examples=40)
@given(hypergraphs(max_nodes=12, max_edges=14), st.integers(1, 6), st.integers(0, 2**32))
def test_random_trees_are_trees_too(H, leaf, seed):
    tree = Tree.of(H, leaf, 3, rng=np.random.default_rng(seed))
    assert np.bincount(tree.leaves, minlength=1).max() <= leaf
    for coarse, fine in itertools.pairwise(tree.levels):
        assert len(set(zip(coarse.tolist(), fine.tolist(), strict=True))) == len(set(fine.tolist()))


def test_random_trees_differ_and_keep_hyperedges_that_overlap_together():
    """Cliques of four triples, joined in a ring by single nodes: any good tree finds them, and many are as good above them."""
    cliques = [[3 * i + j for j in range(4) if j != k] for i in range(32) for k in range(4)]
    H = hh.Hypergraph([[v % 96 for v in edge] for edge in cliques])
    trees = [Tree.of(H, 4, 4, rng=np.random.default_rng(seed)) for seed in range(4)]
    assert len({tuple(tree.levels[1].tolist()) for tree in trees}) > 1
    assert Tree.of(H, 4, 4, rng=np.random.default_rng(0)).levels[1].tolist() == trees[0].levels[1].tolist()
    for tree in trees:
        whole = [len(set(leaves)) == 1 for leaves in tree.leaves.reshape(32, 4).tolist()]
        assert np.mean(whole) > 0.5


@settings(max_examples=40)
@given(hypergraphs(max_nodes=8, max_edges=8))
def test_weights_of_the_overlap_graph(H):
    members = [set(H.indices[a:b].tolist()) for a, b in itertools.pairwise(H.indptr.tolist())]
    expected = np.zeros((H.m, H.m))
    for e, f in itertools.permutations(range(H.m), 2):
        expected[e, f] = sum(1 / (H.degrees[v] - 1) for v in members[e] & members[f])
    np.testing.assert_allclose(overlap_graph(H, np.random.default_rng(0)).toarray(), expected)


def test_a_hub_costs_its_hyperedges_not_their_pairs():
    m = 400
    graph = overlap_graph(hh.Hypergraph([[0, e + 1] for e in range(m)]), np.random.default_rng(0))
    assert graph.nnz <= 32 * m
    assert (abs(graph - graph.T) > 1e-12).nnz == 0
    # Each of m hyperedges has the weight 1 from the hub, but for partners that are itself.
    assert 0.97 * m < graph.sum() <= m
    assert graph.diagonal().sum() == 0


def test_hyperedges_that_share_nothing_are_cut_all_the_same():
    H = hh.Hypergraph([[2 * e, 2 * e + 1] for e in range(10)])
    assert np.bincount(Tree.of(H, 1).leaves).tolist() == [1] * 10


# -- the exchange ------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(
    hypergraphs(max_nodes=9, max_edges=9),
    st.integers(1, 9),
    st.sampled_from(["exchange", "configuration"]),
    st.integers(0, 50),
)
def test_degrees_and_sizes_are_kept(H, leaf, leaves, seed):
    (S,) = MultiscaleShuffle(leaf=leaf, fan_out=3, leaves=leaves).fit([H]).sample(seed=seed)
    assert S.degrees.tolist() == H.degrees.tolist()
    assert S.edge_sizes.tolist() == H.edge_sizes.tolist()


@pytest.mark.parametrize("leaf", [1, 4, 9, 100])
def test_leaves_stay_as_they_are_up_to_names(leaf):
    (H,) = random_hypergraphs(1, 30, 24, 0.12, seed=4)
    model = MultiscaleShuffle(leaf=leaf, fan_out=3).fit([H])
    for S in model.sample(5, seed=0):
        leaves = Tree.of(H, leaf, 3).leaves
        for k in range(leaves.max() + 1):
            edges = np.flatnonzero(leaves == k).tolist()
            assert S.subhypergraph(edges=edges).is_isomorphic(H.subhypergraph(edges=edges))
    assert leaf < 100 or all(S.is_isomorphic(H) for S in model.sample(5, seed=1))


def test_leaves_are_shuffled_if_asked_for():
    (H,) = random_hypergraphs(1, 20, 24, 0.2, seed=4)
    leaves = Tree.of(H, 12).leaves
    (S,) = MultiscaleShuffle(leaf=12, leaves="configuration").fit([H]).sample(seed=0)
    for k in range(leaves.max() + 1):
        edges = np.flatnonzero(leaves == k).tolist()
        real, made = H.subhypergraph(edges=edges), S.subhypergraph(edges=edges)
        assert sorted(real.degrees.tolist()) == sorted(made.degrees.tolist())
        assert not real.is_isomorphic(made)


def test_the_law_of_an_exchange():
    """Two leaves: names are exchanged among rows of equal sum at the root, and then in each leaf, all permutations alike."""
    H = hh.Hypergraph([[0, 1], [1, 2], [2, 3], [3, 4, 0]])
    tree = Tree([np.zeros(4, dtype=np.int64), np.array([0, 0, 1, 1])])
    # Degrees are 2, 2, 2, 2, 1. In the first leaf the rows 0, 2 have the sum 1; in the second 0, 2, 4.
    law = Counter()
    for names in itertools.permutations(range(4)):
        for first in itertools.permutations((0, 2)):
            for second in itertools.permutations((0, 2, 4)):
                name = [*names, 4]
                one = {v: name[w] for v, w in zip((0, 2, 1), (*first, 1), strict=True)}
                two = {v: name[w] for v, w in zip((0, 2, 4, 3), (*second, 3), strict=True)}
                edges = ([one[0], one[1]], [one[1], one[2]], [two[2], two[3]], [two[3], two[4], two[0]])
                law[tuple(tuple(sorted(e)) for e in edges)] += 1
    count = 4000
    seen = Counter()
    rng = np.random.default_rng(0)
    for _ in range(count):
        S = hh.Hypergraph.from_indices(exchanged(H, tree, rng), H.edge_indices, nodes=5, edges=4)
        seen[tuple(tuple(sorted(e)) for e in S.hyperedges)] += 1
    assert set(seen) <= set(law)
    total = sum(law.values())
    assert stats.chisquare([seen[key] for key in law], [count * law[key] / total for key in law]).pvalue > 1e-3


def test_overlap_survives_the_more_the_larger_the_leaves():
    windows = hh.Hypergraph([range(e, e + 6) for e in range(128)])

    def overlapping(H):
        overlaps = (H.incidence.T @ H.incidence).toarray()
        return int((np.triu(overlaps, 1) >= 4).sum())

    def mean(leaf):
        return np.mean(
            [overlapping(S) for S in MultiscaleShuffle(leaf=leaf, fan_out=4).fit([windows]).sample(10, seed=0)]
        )

    assert overlapping(windows) == 127 + 126
    assert 0 < mean(2) < mean(8) < mean(32) < 253
    assert mean(128) == 253


# -- the model ---------------------------------------------------------------------------------------


def test_it_is_saved_and_loaded(tmp_path):
    model = MultiscaleShuffle(leaf=4).fit([CLIQUES])
    model.save(tmp_path / "model")
    assert hh.load_model(tmp_path / "model").sample(2, seed=1) == model.sample(2, seed=1)
    (tmp_path / "model" / "training.npz").unlink()
    with pytest.raises(FormatError, match="the file is missing"):
        hh.load_model(tmp_path / "model")


def test_without_pymetis_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pymetis", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'hyperhedge\[tree\]'"):
        MultiscaleShuffle(leaf=4).fit([CLIQUES]).sample()


@pytest.mark.parametrize("options", [{"leaf": 0}, {"fan_out": 1}, {"leaves": "keep"}])
def test_bad_arguments(options):
    with pytest.raises(GeneratorError, match=next(iter(options))):
        MultiscaleShuffle(**options)
