"""Hulls: they contain their members with a margin, nest as hyperedges do, and have the area of the Minkowski sum."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.path import Path
from scipy.spatial import ConvexHull

import hyperhedge as hh
from hyperhedge.plotting import force_layout
from hyperhedge.plotting.hulls import COLOURS, colour_indices, nesting_levels, outline, radii
from hyperhedge.plotting.order import incidence_order
from hyperhedge.plotting.panels import hull_outlines
from strategies import hypergraphs

points = st.lists(st.tuples(st.floats(-5, 5), st.floats(-5, 5)), min_size=1, max_size=8).map(np.array)


@given(points=points, radius=st.floats(0.1, 2))
def test_the_outline_is_the_minkowski_sum_with_a_disc(points, radius):
    corners = outline(points, radius)
    hull = ConvexHull(corners)
    depth = -(points @ hull.equations[:, :2].T + hull.equations[:, 2]).max(1)
    assert (depth >= radius * (1 - 1e-9)).all()  # every disc is inside
    angles = np.linspace(0, 2 * np.pi, 720, endpoint=False)
    directions = np.stack([np.cos(angles), np.sin(angles)])
    support = (points @ directions).max(0) + radius  # of the true sum, in closed form
    reached = (corners @ directions).max(0)
    assert (reached >= support - 1e-9).all()
    assert (reached <= support + 0.01 * radius).all()


def test_one_member_is_a_circle_and_two_a_thick_segment():
    circle = outline(np.zeros((1, 2)), 0.5)
    np.testing.assert_allclose(np.linalg.norm(circle, axis=1), 0.5, rtol=0.003)
    segment = ConvexHull(outline(np.array([[0.0, 0.0], [3.0, 4.0]]), 0.5))
    assert segment.volume == pytest.approx(5.0 + np.pi / 4, rel=0.003)  # the area, in the plane


def test_disjoint_convex_groups_have_disjoint_hulls():
    H = hh.Hypergraph([[0, 1, 2], [3, 4]])
    layout = force_layout(H)
    first, second = (Path(corners) for corners in hull_outlines(H, layout))
    assert not first.intersects_path(second)
    assert not second.contains_points(layout.nodes[:3]).any()


@settings(max_examples=15)
@given(H=hypergraphs())
def test_members_are_inside_and_hulls_nest_as_hyperedges_do(H):
    outlines = hull_outlines(H, force_layout(H))
    nodes = force_layout(H).nodes
    members = [set(indices.tolist()) for indices in np.split(H.indices, H.indptr[1:-1])] if H.m else []
    for inside, corners in zip(members, outlines, strict=True):
        assert len(corners) == 0 or Path(corners).contains_points(nodes[list(inside)]).all()
    level = nesting_levels(H)
    for e, f in np.ndindex(H.m, H.m):
        if members[e] and (members[e] < members[f] or (members[e] == members[f] and e < f)):
            assert level[e] < level[f]
            assert Path(outlines[f]).contains_points(outlines[e]).all()


def test_long_chains_do_not_swell():
    H = hh.Hypergraph([[0, 1]] * 30)
    assert nesting_levels(H).tolist() == list(range(30))
    assert radii(H).max() <= 2.5 * radii(H).min() + 1e-12


def test_overlapping_hyperedges_have_different_colours_where_there_are_enough():
    H = hh.Hypergraph([[0, k] for k in range(1, 7)] + [[7, 8], [8, 9]])
    colours = colour_indices(H, incidence_order(H)[1])
    assert len(set(colours[:6].tolist())) == len(COLOURS) == 6
    assert colours[6] != colours[7]


def test_a_conflict_of_colours_is_worse_than_a_colour_used_more():
    apart = [[2 * k, 2 * k + 1] for k in range(11)]  # six colours, then the first five again
    colours = colour_indices(hh.Hypergraph([*apart, [10, 11]]), np.arange(12))  # the last one overlaps the sixth
    assert colours.tolist() == [0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 0]
