"""Plotting: every style of every odd hypergraph, what is in the picture, what is refused."""

import subprocess
import sys
from xml.etree import ElementTree as ET

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import pytest
from matplotlib.collections import EllipseCollection

import hyperhedge as hh
from hyperhedge.errors import PlotError
from hyperhedge.plotting import force_layout
from hyperhedge.plotting.grid import aligned_layouts
from hyperhedge.plotting.layout import matched_nodes
from hyperhedge.plotting.order import incidence_order, two_columns
from hyperhedge.plotting.theme import MOST_INCHES, matrix_scale
from strategies import random_hypergraphs

CLUB = hh.Hypergraph(
    {"picnic": ["ann", "bo", "cy"], "chess": ["bo", "di"], "walk": ["bo", "ann", "cy"]},
    nodes=["ann", "bo", "cy", "di", "ed"],
)
ODD = {
    "nothing": hh.Hypergraph(),
    "one node": hh.Hypergraph(nodes=1),
    "one hyperedge, empty": hh.Hypergraph([[]]),
    "isolated nodes": hh.Hypergraph([[0, 1]], nodes=6),
    "empty hyperedges": hh.Hypergraph([[], [0, 1], []]),
    "a singleton": hh.Hypergraph([[0]]),
    "repeated": hh.Hypergraph([[0, 1, 2]] * 4),
    "awkward labels": hh.Hypergraph([["$x$", "a\nb", "$"], ["$", "<b>" * 20]]),
    "blank labels": hh.Hypergraph({"\t": [" ", "\n"], "x": ["a", " "]}),
    "control characters": hh.Hypergraph(
        {"]]>\x01": ["a\x00b".replace("\x00", "\x02"), "\ufffe"], "--": ["&<\x1b[1m>"]}
    ),
    "dense": hh.Hypergraph([list(range(12))] * 5 + [[k, k + 1] for k in range(11)]),
}


def pixels(figure):
    figure.canvas.draw()
    return np.asarray(figure.canvas.buffer_rgba())[..., :3]


@pytest.mark.parametrize(
    "options",
    [{"style": "hull"}, {"style": "bipartite"}, {"style": "bipartite", "layout": "force"}, {"style": "incidence"}],
)
@pytest.mark.parametrize("H", ODD.values(), ids=ODD.keys())
def test_every_style_plots_odd_hypergraphs(H, options):
    ax = hh.plot(H, **options)
    assert len(np.unique(pixels(ax.figure).reshape(-1, 3), axis=0)) > 1 or not (H.n or H.m)


@pytest.mark.parametrize("style", ["hull", "bipartite", "incidence", "overview"])
@pytest.mark.parametrize("name", ["control characters", "awkward labels", "blank labels"])
@pytest.mark.parametrize("font", ["none", "path"])
def test_svg_with_odd_labels_is_xml(tmp_path, name, style, font):
    H, out = ODD[name], tmp_path / "odd.svg"
    colours = dict.fromkeys(H.nodes, "\x07 <class>")
    with plt.rc_context({"svg.fonttype": font}):
        hh.plot(H, style, labels=True, node_color=colours, title="a\x01b & <c>").figure.savefig(out)
    text = "".join(ET.parse(out).getroot().itertext())  # noqa: S314 - our own file
    assert font == "path" or "a·b & <c>" in text


def test_a_title_is_whole_and_in_lines():
    words = " ".join(["a sentence about contacts"] * 6)
    title = hh.plot(CLUB, title=words).get_title()
    assert title.replace("\n", " ") == words
    assert max(map(len, title.splitlines())) <= 80


def test_hulls_and_dots_are_those_of_the_hypergraph():
    ax = hh.plot(CLUB, title="club $5")
    assert len(ax.patches) == 3
    dots = next(c for c in ax.collections if isinstance(c, EllipseCollection))
    np.testing.assert_array_equal(dots.get_offsets(), force_layout(CLUB).nodes)
    assert {text.get_text() for text in ax.texts} == {*CLUB.nodes, *CLUB.edges}
    assert ax.get_title() == r"club \$5"
    assert not hh.plot(CLUB, labels=False, edge_labels=False).texts
    assert len(hh.plot(hh.Hypergraph([[0, 1]]), labels=True).texts) == 2
    areas = [
        np.ptp(patch.get_xy(), axis=0).prod() for patch in hh.plot(hh.load_dataset("southern-women").hypergraph).patches
    ]
    sizes = sorted(hh.load_dataset("southern-women").hypergraph.edge_sizes, reverse=True)
    assert np.corrcoef(areas, sizes)[0, 1] > 0.5  # the large ones first, beneath


def test_axes_and_positions_are_used():
    figure, ax = plt.subplots()
    pos = {label: (k, k % 2) for k, label in enumerate(CLUB.nodes)}
    assert hh.plot(CLUB, "hull", ax, pos=pos) is ax
    assert hh.plot(CLUB, ax=figure.add_subplot(), pos=force_layout(CLUB)).figure is figure
    lines = hh.plot(CLUB, "bipartite", pos=pos).collections[0].get_segments()
    assert len(lines) == CLUB.num_incidences
    with pytest.raises(PlotError, match="lays out 5 nodes and 3 hyperedges, and there are 2 and 1"):
        hh.plot(hh.Hypergraph([[0, 1]]), pos=force_layout(CLUB))


def test_the_matrix_is_in_the_order_asked_for():
    H = hh.load_dataset("southern-women").hypergraph
    dense = H.incidence.toarray()
    rows, columns = incidence_order(H)
    ax = hh.plot(H, "incidence")
    np.testing.assert_array_equal(ax.images[0].get_array(), dense[rows][:, columns])
    assert [text.get_text() for text in ax.get_yticklabels()] == [H.nodes[i] for i in rows]
    np.testing.assert_array_equal(hh.plot(H, "incidence", order="original").images[0].get_array(), dense)
    relaxed = dense + 0.2 * np.random.default_rng(0).normal(size=dense.shape)
    np.testing.assert_allclose(hh.plot(relaxed).images[0].get_array(), relaxed)
    ax = hh.plot(relaxed, order=(rows, columns), title="relaxed")
    np.testing.assert_allclose(ax.images[0].get_array(), relaxed[rows][:, columns])
    ordered = hh.plot(dense.astype(float), order="spectral").images[0].get_array()
    np.testing.assert_array_equal(ordered, dense[rows][:, columns])
    assert ax.get_xlabel() == "14 hyperedges"


def test_white_is_0_and_blue_is_1():
    scale = matrix_scale()
    white, blue = (scale["cmap"]((value + 0.5) / 2) for value in (0.0, 1.0))
    assert min(white[:3]) > 0.97
    np.testing.assert_allclose(blue[:3], (0, 0x72 / 255, 0xB2 / 255), atol=0.02)


def test_a_comparison_of_large_hypergraphs_shows_matrices_and_stays_in_bounds():
    large = hh.Hypergraph([[k, k + 1] for k in range(1500)])
    axes = hh.plot([large, CLUB])
    assert all(ax.images for ax in axes.flat)
    assert max(hh.plot([CLUB] * 100, panel="incidence").flat[0].figure.get_size_inches()) <= MOST_INCHES


def test_a_comparison_has_a_panel_each_on_one_scale():
    graphs = random_hypergraphs(5, 10, 6, seed=0)
    axes = hh.plot({"real": graphs[:2], "made": graphs[2:]}, title="both")
    assert axes.shape == (2, 3)
    assert [ax.get_title() for ax in axes.flat] == ["real", "", "", "made", "", ""]
    assert [ax.get_visible() for ax in axes.flat] == [True, True, False, True, True, True]
    widths = {round(float(np.ptp(ax.get_xlim())), 6) for ax in axes.flat if ax.get_visible()}
    assert len(widths) == 1
    for ax in axes.flat:
        for patch in ax.patches if ax.get_visible() else ():
            x, y = patch.get_xy().T
            assert min(x.min() - ax.get_xlim()[0], ax.get_xlim()[1] - x.max()) > 0
            assert min(y.min() - ax.get_ylim()[0], ax.get_ylim()[1] - y.max()) > 0
    assert hh.plot(graphs).shape == (2, 3)
    assert hh.plot(graphs, columns=5).shape == (1, 5)
    assert [ax.get_title() for ax in hh.plot({"a": graphs[0], "b": graphs[1]}, panel="bipartite").flat] == ["a", "b"]
    assert hh.plot(CLUB, "compare", panel="incidence").shape == (1, 1)


def test_the_same_hypergraph_in_another_order_is_laid_out_the_same_in_a_comparison():
    H = hh.Hypergraph([[0, 1, 2, 3], [3, 4], [4, 5, 6], [6, 0], [6, 7]])
    order = np.random.default_rng(2).permutation(8)
    first, second = aligned_layouts([H, H.permute(nodes=order)])
    by_place = [sorted(map(tuple, layout.nodes.round(4) + 0.0)) for layout in (first, second)]
    np.testing.assert_allclose(*by_place, atol=1e-3)


def test_hypergraphs_of_a_comparison_resemble_the_first():
    first, *others = random_hypergraphs(6, 10, 6, density=0.3, seed=2)

    def distance(H, layout, to):
        mine, theirs = matched_nodes(H, first)
        moved, target = layout.nodes[mine], to.nodes[theirs]
        return ((moved - moved.mean(0) - target + target.mean(0)) ** 2).sum()

    fixed, *aligned = aligned_layouts([first, *others])
    np.testing.assert_array_equal(fixed.nodes, force_layout(first).nodes)
    gaps = [
        (distance(H, layout, fixed), distance(H, force_layout(H), fixed))
        for H, layout in zip(others, aligned, strict=True)
    ]
    assert sum(with_it for with_it, _ in gaps) < 0.8 * sum(without for _, without in gaps)


def test_two_columns_are_in_the_order_of_few_crossings_and_lines_in_the_colours_of_hyperedges():
    H = hh.Hypergraph([[4, 1], [0, 3], [2, 4, 0]])
    ax = hh.plot(H, "bipartite")
    dots, squares = (ax.collections[k].get_offsets() for k in (1, 2))
    rows, columns = two_columns(H)
    assert np.argsort(-dots[:, 1]).tolist() == rows.tolist()
    assert np.argsort(-squares[:, 1]).tolist() == columns.tolist()
    lines, fills = ax.collections[0].get_colors()[:, :3], ax.collections[2].get_facecolors()[:, :3]
    np.testing.assert_array_equal(lines, fills[H.edge_indices])


@pytest.mark.parametrize(
    ("H", "options", "message"),
    [
        (CLUB, {"style": "pie"}, "style must be 'hull', 'bipartite', 'incidence', 'overview' or 'compare', not 'pie'"),
        (CLUB, {"style": "bipartite", "layout": "round"}, "layout must be"),
        (CLUB, {"style": "incidence", "order": "random"}, "order must be"),
        (CLUB, {"style": "incidence", "order": ([0, 0, 1, 2, 3], [0, 1, 2])}, "permutation of 5 rows"),
        (CLUB, {"style": "compare", "panel": "pie"}, "panel must be"),
        (CLUB, {"style": "compare", "ax": 1}, "leave out ax="),
        (np.full((2, 2), 0.3), {"style": "hull"}, "^H: "),
        ("text", {"style": "incidence"}, "H is a str; give a Hypergraph"),
        (np.array([[np.nan]]), {}, "finite"),
        (np.zeros(3), {}, "nodes × hyperedges"),
        ([], {}, "no hypergraphs to compare"),
        ([CLUB] * 101, {}, "at most 100"),
        ([CLUB, 3], {}, r"hypergraphs\[1\] is an int; give a Hypergraph"),
        ({"a": [CLUB, 3]}, {}, r"hypergraphs\['a'\]\[1\] is an int"),
        ({"a": CLUB, "b": 3}, {}, r"hypergraphs\['b'\] is an int"),
        ({"a": [CLUB] * 60, "b": [CLUB] * 41}, {}, "101 hypergraphs, and at most 100"),
        ([CLUB], {"columns": -1}, "columns must be"),
        (np.zeros((2001, 2000)), {}, "at most 4,000,000 entries"),
        (hh.Hypergraph([[0]], nodes=2000), {"style": "hull"}, "use style='overview' or 'incidence'"),
        (hh.Hypergraph([[0]], nodes=2000), {"style": "bipartite"}, "use style='overview' or 'incidence'"),
        (hh.Hypergraph([[0]], nodes=500), {"style": "incidence", "labels": True}, "cannot be read"),
        (CLUB, {"style": "overview", "ax": 1}, "an overview makes its own figure: leave out ax="),
        (CLUB, {"style": "incidence", "node_size": "degree"}, "node_size= is for hulls"),
        ([CLUB, CLUB], {"node_color": "red"}, "node_color= is for one hypergraph"),
    ],
)
def test_what_cannot_be_plotted_is_refused(H, options, message):
    error = hh.errors.HypergraphError if "is a" in message or message == "^H: " else PlotError
    with pytest.raises(error, match=message):
        hh.plot(H, **options)


def test_hypergraphs_of_other_libraries_are_plotted():
    graph = nx.davis_southern_women_graph()
    H = hh.convert.from_networkx(graph)
    np.testing.assert_array_equal(pixels(hh.plot(graph).figure), pixels(hh.plot(H).figure))
    matrix = CLUB.incidence
    assert len(hh.plot(matrix, "bipartite").collections[0].get_segments()) == CLUB.num_incidences
    axes = hh.plot({"theirs": [graph, matrix], "ours": [H, CLUB]})
    assert [len(ax.patches) for ax in axes.flat] == [14, 3, 14, 3]
    assert hh.plot([graph, CLUB], panel="incidence").shape == (1, 2)
    assert [ax.get_title() for ax in hh.plot({"theirs": graph, "ours": CLUB}).flat] == ["theirs", "ours"]


def test_the_layout_is_the_same_every_time_unless_a_new_one_is_asked_for():
    crowd = hh.Hypergraph([range(12)])
    same = [hh.plot(crowd).collections[0].get_offsets() for _ in range(2)]
    np.testing.assert_array_equal(*same)
    new = [hh.plot(crowd, seed=None).collections[0].get_offsets() for _ in range(2)]
    assert np.abs(new[0] - new[1]).max() > 1e-6


def test_without_matplotlib_one_sentence_says_what_to_install(monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(
        hh.errors.MissingDependencyError, match=r"this needs matplotlib: pip install 'hyperhedge\[plot\]'"
    ):
        hh.plot(CLUB)


def test_importing_the_package_imports_no_matplotlib():
    code = "import sys, hyperhedge; hyperhedge.plot; print({'matplotlib', 'torch', 'xgi'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
