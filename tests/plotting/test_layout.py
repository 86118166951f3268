"""Layouts: deterministic, the same for a shuffled hypergraph, of little stress, packed without overlap, aligned."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from matplotlib.path import Path

import hyperhedge as hh
from hyperhedge.convert import to_networkx
from hyperhedge.errors import PlotError
from hyperhedge.plotting import Layout, force_layout
from hyperhedge.plotting._overlap_removal import _Search, count_intrusions, remove_intrusions
from hyperhedge.plotting.hulls import outline, radii
from hyperhedge.plotting.layout import (
    _distances,
    classical_scaling,
    layout_from_positions,
    matched_nodes,
    minimise_stress,
    pack,
    stress,
)
from strategies import hypergraphs, random_hypergraphs, regular_hypergraph

ASYMMETRIC = hh.Hypergraph([[0, 1, 2, 3], [3, 4], [4, 5, 6], [6, 0], [7, 8]], nodes=10)


def picture(H, layout):
    """Return the positions of nodes, and those of the members of each hyperedge: what is seen."""
    nodes = layout.nodes.round(6) + 0.0
    edges = np.split(H.indices, H.indptr[1:-1]) if H.m else []
    return sorted(map(tuple, nodes)), sorted(sorted(map(tuple, nodes[members])) for members in edges)


@settings(max_examples=15)
@given(H=hypergraphs())
def test_a_layout_is_reproducible_and_a_shuffled_hypergraph_is_the_same_picture(H):
    first = force_layout(H, seed=3)
    assert first.nodes.shape == (H.n, 2)
    assert first.edges.shape == (H.m, 2)
    assert np.isfinite(first.nodes).all()
    np.testing.assert_array_equal(first.nodes, force_layout(H, seed=3).nodes)
    rng = np.random.default_rng(0)
    G = H.permute(nodes=rng.permutation(H.n), edges=rng.permutation(H.m))
    assert picture(H, first) == picture(G, force_layout(G, seed=3))


def test_nodes_keep_their_positions_under_other_labels_and_in_another_order():
    first = force_layout(ASYMMETRIC)
    np.testing.assert_array_equal(first.nodes, force_layout(ASYMMETRIC.relabel(nodes=list("abcdefghij"))).nodes)
    order = np.random.default_rng(1).permutation(10)
    second = force_layout(ASYMMETRIC.permute(nodes=order))
    unique = (ASYMMETRIC.degrees[order] > 0) & ~np.isin(order, [1, 2, 7, 8])  # 1 and 2, 7 and 8 are twins
    np.testing.assert_allclose(second.nodes[unique], first.nodes[order][unique])


def test_seeds_matter_only_where_there_is_something_to_choose():
    path = hh.Hypergraph([[0, 1], [1, 2]])
    apart = [np.linalg.norm(np.diff(force_layout(path, seed=s).nodes, axis=0), axis=1) for s in (0, 1)]
    np.testing.assert_allclose(apart[0], apart[1], atol=0.05)


def test_stress_falls_and_ends_near_that_of_networkx():
    H = regular_hypergraph([9])
    D = _distances(H.incidence.toarray() > 0)
    start = classical_scaling(D) + np.random.default_rng(0).normal(size=(18, 2))
    values = [stress(D, start)]
    X = start
    for _ in range(3):
        X = minimise_stress(D, X)
        values.append(stress(D, X))
    assert values == sorted(values, reverse=True)
    G = to_networkx(H)
    lengths = dict(enumerate(dict(enumerate(row)) for row in D))
    theirs = nx.kamada_kawai_layout(G, dist=lengths)
    scale = min(stress(D, c * np.array([theirs[v] for v in range(18)])) for c in np.linspace(0.5, 5, 451))
    assert values[-1] <= 1.02 * scale


def test_distances_are_those_of_networkx():
    H = random_hypergraphs(1, 8, 5, density=0.5, seed=2)[0]
    G = to_networkx(H)
    for v, e in G.edges:
        G[v][e]["weight"] = 0.42 * np.sqrt(H.edge_sizes[e - H.n])
    theirs = dict(nx.all_pairs_dijkstra_path_length(G))
    ours = _distances(H.incidence.toarray() > 0)
    np.testing.assert_allclose(ours, [[theirs[i][j] for j in range(13)] for i in range(13)])


def test_packed_shapes_do_not_overlap_and_lie_close():
    rng = np.random.default_rng(0)
    shapes = [(rng.normal(size=(k, 2)), rng.uniform(0.2, 1.0, size=k)) for k in (5, 3, 2, 1, 1, 1, 1)]
    shifts = pack(shapes)
    placed = [(centres + shift, radii) for (centres, radii), shift in zip(shapes, shifts, strict=True)]
    for a in range(len(placed)):
        for b in range(a):
            apart = np.linalg.norm(placed[a][0][:, None] - placed[b][0], axis=2)
            assert (apart >= placed[a][1][:, None] + placed[b][1]).all()
    assert np.abs(shifts).max() < 6


def test_components_are_apart():
    H = hh.Hypergraph([[3 * k, 3 * k + 1, 3 * k + 2] for k in range(12)])
    nodes = force_layout(H).nodes
    component = np.arange(36) // 3
    apart = np.linalg.norm(nodes[:, None] - nodes, axis=2)
    assert apart[component[:, None] != component].min() > 2 * radii(H).max()


def test_hulls_are_cleared_only_if_asked_for():
    H = random_hypergraphs(1, 40, 20, density=0.1, seed=5)[0]
    block, margins = H.incidence.toarray() > 0, radii(H)
    left, cleared = (
        count_intrusions(force_layout(H, clear_hulls=clear).nodes, block, margins) for clear in (False, True)
    )
    assert cleared < left


def test_500_nodes_are_laid_out_and_2500_refused():
    rng = np.random.default_rng(0)
    H = hh.Hypergraph([rng.choice(500, rng.integers(1, 6), replace=False) for _ in range(260)], nodes=500)
    layout = force_layout(H)
    assert np.isfinite(layout.nodes).all()
    apart = np.linalg.norm(layout.nodes[:, None] - layout.nodes, axis=2)
    assert np.quantile(apart[np.triu_indices(500, 1)], 0.001) > 0.05
    with pytest.raises(PlotError, match="2,500 nodes and 0 hyperedges, and at most 2,000"):
        force_layout(hh.Hypergraph(nodes=2500))


def test_another_layout_is_followed():
    first = force_layout(ASYMMETRIC)
    turn = np.array([[0.0, 1.0], [-1.0, 0.0]])
    turned = Layout(first.nodes @ turn, first.edges @ turn)
    again = force_layout(ASYMMETRIC, like=(ASYMMETRIC, turned))
    linked = ASYMMETRIC.degrees > 0
    centred = turned.nodes[linked] - turned.nodes[linked].mean(0)
    np.testing.assert_allclose(again.nodes[linked] - again.nodes[linked].mean(0), centred, atol=0.3)


def test_what_stands_alone_is_in_rows_below():
    H = hh.Hypergraph([[0, 1, 2], [2, 3], []], nodes=20)
    layout = force_layout(H)
    linked, alone = layout.nodes[:4], np.vstack([layout.nodes[4:], layout.edges[2:]])
    heights = sorted(set(alone[:, 1].round(9)), reverse=True)
    assert heights[0] < linked[:, 1].min() - 2 * radii(H).max()
    assert len(heights) == 2
    np.testing.assert_allclose(np.diff(heights), -1.0)


def test_nodes_are_matched_by_their_positions():
    small, large = hh.Hypergraph([[0, 1], [1, 2]]), hh.Hypergraph([[k, k + 1] for k in range(5)])
    of_small, of_large = matched_nodes(small, large)
    assert len(of_small) == len(of_large) == 6
    assert sorted(of_large) == list(range(6))
    assert sorted(of_small) == [0, 0, 1, 1, 2, 2]
    force_layout(small, like=(large, force_layout(large)))
    assert force_layout(hh.Hypergraph(), like=(small, force_layout(small))).nodes.shape == (0, 2)


def test_intrusions_become_fewer_and_are_those_of_geometry():
    for H in random_hypergraphs(4, 20, 8, density=0.15, seed=3):
        block = H.incidence.toarray()[:, H.edge_sizes > 0] > 0
        X = np.random.default_rng(0).normal(scale=2.5, size=(20, 2))
        margins = radii(H)[H.edge_sizes > 0]

        def inside_outlines(clearance, X=X, block=block, margins=margins):
            hulls = [outline(X[members], r + clearance) for members, r in zip(block.T, margins, strict=True)]
            inside = np.stack([Path(hull).contains_points(X) for hull in hulls], axis=1)
            return int((inside & ~block).sum())

        # The polygon of the search contains the hull with a clearance of 0.12, and reaches little beyond.
        assert inside_outlines(0.11) <= count_intrusions(X, block, margins) <= inside_outlines(0.35)
        moved = remove_intrusions(X, block, margins)
        assert count_intrusions(moved, block, margins) < inside_outlines(0.11)
        np.testing.assert_array_equal(remove_intrusions(moved, block, margins), moved)  # no node moves for nothing


def test_the_search_knows_its_intrusions():
    """What it updates from move to move is what a search from the same positions would compute."""
    H = random_hypergraphs(1, 20, 8, density=0.2, seed=5)[0]
    block, margins = H.incidence.toarray() > 0, radii(H)
    search = _Search(np.random.default_rng(1).normal(scale=2.5, size=(20, 2)), block, margins)
    assert search.improve()
    fresh = _Search(search.X, block, margins)
    np.testing.assert_array_equal(search.intrusions, fresh.intrusions)
    np.testing.assert_allclose(search.lines, fresh.lines)


def test_positions_of_others_are_taken():
    H = hh.Hypergraph([["a", "b"], ["b", "c"], []])
    by_label = {"a": (0, 0), "b": (2, 0), "c": (2, 2)}
    layout = layout_from_positions(H, by_label)
    np.testing.assert_array_equal(layout.edges, [[1, 0], [2, 1], [0, 0]])
    xgi = pytest.importorskip("xgi")
    theirs = xgi.barycenter_spring_layout(hh.convert.to_xgi(H), seed=1)
    np.testing.assert_allclose(layout_from_positions(H, theirs).nodes, [theirs[label] for label in H.nodes])


@pytest.mark.parametrize(
    ("pos", "message"),
    [
        ({"a": (0, 0)}, "no position for the node 'b'"),
        (np.zeros((2, 3)), "2 finite pairs"),
        (np.full((2, 2), np.nan), "2 finite pairs"),
    ],
)
def test_bad_positions_are_refused(pos, message):
    with pytest.raises(PlotError, match=message):
        layout_from_positions(hh.Hypergraph([["a", "b"]]), pos)
