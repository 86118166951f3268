"""Colours and sizes by value or class: the right colour at the right node, a key that says so, and what is refused."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import EllipseCollection

import hyperhedge as hh
from hyperhedge.errors import PlotError
from hyperhedge.plotting.theme import CLASS_COLOURS, COLOURS, NO_VALUE, value_scale
from hyperhedge.plotting.values import colours_of, sizes_of

H = hh.Hypergraph({"picnic": ["ann", "bo", "cy"], "chess": ["bo", "di"], "walk": ["bo", "ann", "cy"]})
CLASSES = {"ann": "old", "bo": "young", "cy": "old", "di": "young"}


def rgba(*colours):
    return mpl.colors.to_rgba_array(colours)


def dots(ax):
    return next(each for each in ax.collections if isinstance(each, EllipseCollection))


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_classes_have_a_colour_each_and_a_legend():
    ax = hh.plot(H, node_color=CLASSES)
    np.testing.assert_allclose(dots(ax).get_facecolors(), rgba(*(COLOURS[c == "young"] for c in CLASSES.values())))
    assert legend(ax) == ["old", "young"]
    marks = [tuple(rgba(line.get_color())[0]) for line in ax.get_legend().get_lines()]
    assert marks == list(map(tuple, rgba(*COLOURS[:2])))


def test_values_have_a_scale_and_a_colour_bar():
    values = [3.0, 1.0, 2.0, 5.0]
    ax = hh.plot(H, node_color=values)
    expected = value_scale()((np.array(values) - 1) / 4)
    np.testing.assert_allclose(dots(ax).get_facecolors(), expected)
    bar = next(other for other in ax.figure.axes if other is not ax)
    assert bar.get_ylim() == (1.0, 5.0)
    shades = value_scale()(np.linspace(0, 1, 64))[:, :3] @ (0.2126, 0.7152, 0.0722)
    assert (np.diff(shades) < 0).all()  # darker and darker, so also in grey
    assert shades[0] < 0.9  # and seen on white


@pytest.mark.parametrize("style", ["hull", "bipartite"])
def test_hyperedges_are_coloured_in_hulls_and_bipartite_graphs(style):
    ax = hh.plot(H, style, edge_color={"picnic": "#ff0000", "chess": "#00ff00", "walk": "#ff0000"})
    if style == "hull":
        shown = sorted(tuple(patch.get_edgecolor()[:3]) for patch in ax.patches)
    else:
        shown = sorted(map(tuple, ax.collections[2].get_facecolors()[:, :3]))
        lines = ax.collections[0].get_colors()[:, :3]
        assert [tuple(colour) == (0, 1, 0) for colour in lines] == [edge == 1 for edge in H.edge_indices]
    assert shown == [(0, 1, 0), (1, 0, 0), (1, 0, 0)]
    assert ax.get_legend() is None  # colours that the caller chose mean what the caller says


def test_all_ways_to_give_values_agree():
    degrees = dict(zip(H.nodes, H.degrees.tolist(), strict=True))
    xgi = pytest.importorskip("xgi")
    theirs = hh.convert.to_xgi(H)
    assert isinstance(theirs, xgi.Hypergraph)
    ways = [degrees, "degree", H.degrees, H.degrees.tolist(), pd.Series(degrees), theirs.nodes.degree]
    shown = [colours_of(H, "node", way, "node_color").each for way in ways]
    for other in shown[1:]:
        np.testing.assert_array_equal(shown[0], other)
    np.testing.assert_array_equal(
        colours_of(H, "hyperedge", "size", "c").each, colours_of(H, "hyperedge", [3, 2, 3], "c").each
    )


def test_what_has_no_value_is_grey():
    for values in ({"ann": 1, "bo": 2, "cy": None}, [1.0, 2.0, np.nan, None]):
        each = colours_of(H, "node", values, "node_color").each
        np.testing.assert_allclose(each[2:], rgba(NO_VALUE, NO_VALUE))
    ax = hh.plot(H, node_color={"ann": "x", "cy": "y", "someone else": "x", "bo": "x", "di": "y"})  # a larger table
    assert legend(ax) == ["x", "y"]
    ax = hh.plot(H, node_color={"ann": "x", "cy": "y"})
    assert legend(ax) == ["x", "y", "no value"]
    np.testing.assert_allclose(dots(ax).get_facecolors()[1], rgba(NO_VALUE)[0])


def test_nine_classes_have_a_colour_and_the_others_one_grey():
    crowd = hh.Hypergraph([range(40)])
    classes = [f"class {min(k, 11)}" for k in range(40)]
    colours = colours_of(crowd, "node", classes, "node_color")
    assert len({tuple(colour) for colour in colours.each}) == 10
    assert colours.classes[-1] == "3 others"
    assert "class 11" in colours.classes  # the most frequent one
    np.testing.assert_allclose(colours.palette, rgba(*CLASS_COLOURS, NO_VALUE))
    numbered = colours_of(crowd, "node", [str(k % 3 + 9) for k in range(40)], "node_color")
    assert numbered.classes == ("9", "10", "11")


def test_areas_are_proportional_to_values():
    ax = hh.plot(H, node_size={"ann": 4, "bo": 16, "cy": 9, "di": 0})
    widths = dots(ax).get_widths()
    np.testing.assert_allclose(widths[:3] / widths[1], [0.5, 1.0, 0.75])
    assert widths[3] > 0
    assert legend(ax) == ["0", "16"]
    np.testing.assert_allclose(dots(hh.plot(H, node_size=1.5)).get_widths(), 1.5 * dots(hh.plot(H)).get_widths())
    plain, sized = (hh.plot(H, "bipartite", node_size=size).collections[1].get_sizes() for size in (1, "degree"))
    np.testing.assert_allclose(sized / sized.max(), H.degrees / H.degrees.max())
    assert len(set(plain)) == 1


def test_one_colour_is_for_all():
    ax = hh.plot(H, node_color="tab:red", edge_color="#123456")
    np.testing.assert_allclose(dots(ax).get_facecolors(), rgba(*["tab:red"] * 4))
    assert {mpl.colors.to_hex(patch.get_edgecolor()) for patch in ax.patches} == {"#123456"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"node_color": [1, 2]}, "^node_color= has 2 values, and there are 4 nodes; give one for each"),
        ({"edge_color": ["a"] * 4}, "^edge_color= has 4 values, and there are 3 hyperedges"),
        (
            {"node_color": {"anne": 1, "bo": 2}},
            "^node_color= has a value for 'anne', which is no node, and none for the node 'ann'",
        ),
        ({"node_color": "purplish"}, "^node_color='purplish' is no colour"),
        ({"node_color": 7}, "^node_color= must be a mapping"),
        ({"node_color": [1, 2, 3, np.inf]}, "^node_color= must be finite"),
        ({"edge_color": "degree"}, "^edge_color='degree' is no colour; give a name or '#rrggbb', 'size'"),
        ({"node_size": [1, 2, 3, -1]}, "^node_size= must not be negative, and the least value is -1"),
        ({"node_size": ["a", 2, 3, 1]}, "^node_size= must be numbers; 'a' is none"),
        ({"node_size": 0}, "^node_size= must be between 0 and 10"),
        ({"node_size": "size"}, "^node_size= must be 'degree', a number or values of nodes, not 'size'"),
    ],
)
def test_what_is_no_colour_or_size_is_refused_in_one_sentence(options, message):
    with pytest.raises(PlotError, match=message) as caught:
        hh.plot(H, **options)
    assert "\n" not in str(caught.value)


def test_bins_have_the_mean_value_or_the_most_frequent_class():
    colours = colours_of(H, "node", [1.0, 3.0, np.nan, np.nan], "node_color")
    halves = colours.binned(np.arange(4), 2)
    np.testing.assert_allclose(halves, [value_scale()(0.5), rgba(NO_VALUE)[0]])
    classes = colours_of(H, "node", ["a", "b", "b", "a"], "node_color")
    np.testing.assert_allclose(classes.binned(np.array([1, 2, 0, 3]), 2), rgba(COLOURS[1], COLOURS[0]))
    np.testing.assert_allclose(classes.binned(np.arange(4), 4), classes.each)


def test_sizes_without_values_have_no_key():
    assert sizes_of(H, None, "node_size").ends is None
    assert hh.plot(H).get_legend() is None
