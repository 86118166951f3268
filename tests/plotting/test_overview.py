"""The overview: the default for large hypergraphs, of one size, with pieces and numbers that are those of the hypergraph."""

import re

import matplotlib.pyplot as plt
import numpy as np
import pytest

import hyperhedge as hh
from hyperhedge.core.summary import summarise
from hyperhedge.plotting.distributions import is_heavy_tailed, overlaps_of, tail
from hyperhedge.plotting.pieces import MOST_EDGES, MOST_NODES, sample_pieces
from hyperhedge.plotting.theme import MOST_INCHES
from strategies import random_hypergraphs


def crowd(n=300, m=200, seed=0):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 7, m)
    return hh.Hypergraph([rng.choice(n, size, replace=False).tolist() for size in sizes], nodes=n)


def words(ax):
    return [text.get_text() for text in ax.figure.texts] + [ax.figure.get_suptitle()]


def test_large_hypergraphs_have_an_overview_by_default_and_small_ones_hulls():
    ax = hh.plot(crowd())
    assert [other.get_title()[:1] for other in ax.figure.axes if re.match("[ABC]:", other.get_title())] == [
        "A",
        "B",
        "C",
    ]
    assert not hh.plot(crowd(100, 100)).images
    assert hh.plot(crowd(), ax=plt.figure().subplots()).get_xlabel() == "200 hyperedges"
    assert hasattr(ax.figure, "savefig")  # that of a figure, not of a part of one
    assert "300 nodes and 200 hyperedges" in words(ax)[-1]
    assert any("incidence matrix" in text and "sampled pieces" in text for text in words(ax))
    assert "of contacts" in words(hh.plot(crowd(), title="of contacts"))[-1]


@pytest.mark.parametrize(
    "H",
    [
        hh.Hypergraph(),
        hh.Hypergraph(nodes=9000),
        hh.Hypergraph([[]] * 400),
        hh.Hypergraph([[0]] * 300),
        hh.Hypergraph([range(400)] * 2),
        hh.Hypergraph([[0, 1]]),
        crowd(5000, 3000),
    ],
    ids=repr,
)
def test_every_overview_has_the_same_bounded_size(H):
    ax = hh.plot(H, "overview")
    ax.figure.canvas.draw()
    assert tuple(ax.figure.get_size_inches()) == (13.0, 7.4)
    assert max(ax.figure.get_size_inches()) <= MOST_INCHES


def test_pieces_are_whole_hyperedges_that_hang_together():
    H = crowd()
    for piece in sample_pieces(H, np.arange(H.m), 3, np.random.default_rng(1)):
        G = piece.hypergraph
        assert G.m <= MOST_EDGES
        assert G.n <= MOST_NODES
        assert {G.edges[k]: set(G.hyperedges[k]) for k in range(G.m)} == {
            edge: set(H.members(edge)) for edge in G.edges
        }
        assert summarise(G).components == 1
        assert piece.first == piece.edges[0]
        assert [H.nodes[node] for node in piece.nodes] == list(G.nodes)


def test_pieces_come_from_equal_shares_of_the_order():
    path = hh.Hypergraph([[k, k + 1] for k in range(900)])
    firsts = [piece.first for piece in sample_pieces(path, np.arange(900), 3, np.random.default_rng(0))]
    assert [first // 300 for first in firsts] == [0, 1, 2]


def test_letters_stand_on_incidences_of_the_first_hyperedge():
    H = crowd()
    ax = hh.plot(H)
    shown = ax.images[0].get_array()
    marks = [line.get_xydata()[0].astype(int) for line in ax.lines]
    assert len(marks) == 3
    assert all(shown[y, x] for x, y in marks)


def test_another_seed_samples_other_pieces():
    titles = [
        [tuple(other.get_xlim()) for other in hh.plot(crowd(), seed=seed).figure.axes if other.get_title()[:1] in "ABC"]
        for seed in (0, 0, 1)
    ]
    assert titles[0] == titles[1] != titles[2]


def test_colours_are_those_of_matrix_and_pieces():
    H = crowd()
    ax = hh.plot(H, node_color=[f"group {k % 2}" for k in range(H.n)], edge_color="size")
    assert len(ax.child_axes) == 2
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["group 0", "group 1"]
    piece = next(other for other in ax.figure.axes if other.get_title().startswith("A"))
    used = {tuple(colour) for colour in piece.collections[0].get_facecolors()}
    strip = {tuple(colour) for colour in ax.child_axes[0].images[0].get_array().reshape(-1, 4)}
    assert used <= strip


def test_overlaps_are_counted_as_pair_by_pair():
    for H in random_hypergraphs(4, 9, 7, density=0.3, seed=3):
        sets = [set(members) for members in H.hyperedges]
        expected = sorted(len(a & b) for k, a in enumerate(sets) for b in sets[:k] if a & b)
        assert sorted(overlaps_of(H, np.random.default_rng(0)).values) == expected
    H = crowd()
    sample = overlaps_of(H, np.random.default_rng(0), most=500)
    assert 0 < sample.sampled < H.m
    whole = overlaps_of(H, np.random.default_rng(0)).values
    assert sample.values.mean() == pytest.approx(whole.mean(), rel=0.2)


def test_the_share_of_at_least_each_value():
    values = np.random.default_rng(0).geometric(0.3, 500)
    distinct, shares = tail(values)
    np.testing.assert_allclose(shares, [(values >= value).mean() for value in distinct])
    assert is_heavy_tailed(np.array([1, 1, 1, 11]))
    assert not is_heavy_tailed(np.array([1, 1, 1, 10]))
    assert not is_heavy_tailed(np.array([], dtype=int))


def test_bars_add_up_to_all():
    ax = hh.plot(crowd())
    (sizes,) = [other for other in ax.figure.axes if other.get_title(loc="left").startswith("Edge sizes")]
    assert sum(bar.get_height() for bar in sizes.patches) == pytest.approx(100)
    (tailed,) = [
        other
        for other in hh.plot(hh.Hypergraph([[0, 1]] * 250 + [list(range(60))])).figure.axes
        if other.get_title(loc="left").startswith("Edge sizes")
    ]
    assert (tailed.get_xscale(), tailed.get_yscale()) == ("log", "log")
    np.testing.assert_allclose(tailed.lines[0].get_xydata(), [[2, 1], [60, 1 / 251]])


def test_isolated_nodes_are_named_where_they_leave_room():
    ax = hh.plot(hh.Hypergraph([[k, k + 1] for k in range(300)], nodes=600))
    assert any(text.get_text() == "299 isolated nodes" for text in ax.texts)
