"""Drawing: every style of every odd hypergraph, what is in the picture, what is refused."""

import subprocess
import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.collections import EllipseCollection

import hyperhedge as hh
from hyperhedge.demo import southern_women
from hyperhedge.plot import DrawingError, force_layout
from hyperhedge.plot.grid import aligned_layouts
from hyperhedge.plot.labels import place_names, shown
from hyperhedge.plot.order import incidence_order
from hyperhedge.plot.theme import matrix_scale
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
def test_every_style_draws_odd_hypergraphs(H, options):
    ax = hh.draw(H, **options)
    assert len(np.unique(pixels(ax.figure).reshape(-1, 3), axis=0)) > 1 or not (H.n or H.m)


def test_hulls_and_dots_are_those_of_the_hypergraph():
    ax = hh.draw(CLUB, title="club $5")
    assert len(ax.patches) == 3
    dots = next(c for c in ax.collections if isinstance(c, EllipseCollection))
    np.testing.assert_array_equal(dots.get_offsets(), force_layout(CLUB).nodes)
    assert {text.get_text() for text in ax.texts} == {*CLUB.nodes, *CLUB.edges}
    assert ax.get_title() == r"club \$5"
    assert not hh.draw(CLUB, labels=False, edge_labels=False).texts
    assert len(hh.draw(hh.Hypergraph([[0, 1]]), labels=True).texts) == 2
    areas = [np.ptp(patch.get_xy(), axis=0).prod() for patch in hh.draw(southern_women()).patches]
    sizes = sorted(southern_women().sizes, reverse=True)
    assert np.corrcoef(areas, sizes)[0, 1] > 0.5  # the large ones first, and so beneath


def test_given_axes_and_positions_are_used():
    figure, ax = plt.subplots()
    pos = {label: (k, k % 2) for k, label in enumerate(CLUB.nodes)}
    assert hh.draw(CLUB, "hull", ax, pos=pos) is ax
    assert hh.draw(CLUB, ax=figure.add_subplot(), pos=force_layout(CLUB)).figure is figure
    lines = hh.draw(CLUB, "bipartite", pos=pos).collections[0].get_segments()
    assert len(lines) == CLUB.num_incidences
    with pytest.raises(DrawingError, match="lays out 5 nodes and 3 hyperedges, and there are 2 and 1"):
        hh.draw(hh.Hypergraph([[0, 1]]), pos=force_layout(CLUB))


def test_the_matrix_is_in_the_order_asked_for():
    H = southern_women()
    dense = H.incidence.toarray()
    rows, columns = incidence_order(H)
    ax = hh.draw(H, "incidence")
    np.testing.assert_array_equal(ax.images[0].get_array(), dense[rows][:, columns])
    assert [text.get_text() for text in ax.get_yticklabels()] == [H.nodes[i] for i in rows]
    np.testing.assert_array_equal(hh.draw(H, "incidence", order="given").images[0].get_array(), dense)
    relaxed = dense + 0.2 * np.random.default_rng(0).normal(size=dense.shape)
    np.testing.assert_allclose(hh.draw(relaxed).images[0].get_array(), relaxed)
    ax = hh.draw(relaxed, order=(rows, columns), title="relaxed")
    np.testing.assert_allclose(ax.images[0].get_array(), relaxed[rows][:, columns])
    found = hh.draw(dense.astype(float), order="spectral").images[0].get_array()
    np.testing.assert_array_equal(found, dense[rows][:, columns])
    assert ax.get_xlabel() == "14 hyperedges"


def test_white_is_0_and_blue_is_1():
    scale = matrix_scale()
    white, blue = (scale["cmap"]((value + 0.5) / 2) for value in (0.0, 1.0))
    assert min(white[:3]) > 0.97
    np.testing.assert_allclose(blue[:3], (0, 0x72 / 255, 0xB2 / 255), atol=0.02)


def test_names_do_not_cover_each_other_where_there_is_room():
    ax = plt.figure().add_subplot()
    ax.set(xlim=(0, 10), ylim=(0, 8))
    dots = np.array([[2.0, 4.0], [4.0, 4.0], [6.0, 4.0], [4.2, 4.3]])
    boxes = place_names(ax, list(dots[:, None]), ["adam", "beatrice", "cyril", "dora"], dots=dots, dot_radius=0.1)[4:]
    for k, a in enumerate(boxes):
        for b in boxes[:k]:
            assert min(a[2], b[2]) <= max(a[0], b[0]) or min(a[3], b[3]) <= max(a[1], b[1])


def test_long_names_are_cut():
    assert shown("x" * 100) == "x" * 27 + "…"
    assert shown("\n") == ""


def test_a_comparison_has_a_panel_each_on_one_scale():
    graphs = random_hypergraphs(5, 10, 6, seed=0)
    axes = hh.draw({"real": graphs[:2], "made": graphs[2:]}, title="both")
    assert axes.shape == (2, 3)
    assert [ax.get_title() for ax in axes.flat] == ["real", "", "", "made", "", ""]
    assert [ax.get_visible() for ax in axes.flat] == [True, True, False, True, True, True]
    widths = {round(float(np.ptp(ax.get_xlim())), 6) for ax in axes.flat if ax.get_visible()}
    assert len(widths) == 1
    assert hh.draw(graphs).shape == (2, 3)
    assert hh.draw(graphs, columns=5).shape == (1, 5)
    assert [ax.get_title() for ax in hh.draw({"a": graphs[0], "b": graphs[1]}, panel="bipartite").flat] == ["a", "b"]
    assert hh.draw(CLUB, "compare", panel="incidence").shape == (1, 1)


def test_the_same_hypergraph_in_another_order_is_laid_out_the_same_in_a_comparison():
    H = hh.Hypergraph([[0, 1, 2, 3], [3, 4], [4, 5, 6], [6, 0], [6, 7]])
    order = np.random.default_rng(2).permutation(8)
    first, second = aligned_layouts([H, H.permute(nodes=order)])
    by_place = [sorted(map(tuple, layout.nodes.round(4) + 0.0)) for layout in (first, second)]
    np.testing.assert_allclose(*by_place, atol=1e-3)


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        (CLUB, {"style": "pie"}, "style must be 'hull', 'bipartite', 'incidence' or 'compare', not 'pie'"),
        (CLUB, {"style": "bipartite", "layout": "round"}, "layout must be"),
        (CLUB, {"style": "incidence", "order": "random"}, "order must be"),
        (CLUB, {"style": "incidence", "order": ([0, 0, 1, 2, 3], [0, 1, 2])}, "permutation of 5 rows"),
        (CLUB, {"style": "compare", "panel": "pie"}, "panel must be"),
        (CLUB, {"style": "compare", "ax": 1}, "leave out ax="),
        (np.zeros((2, 2)), {"style": "hull"}, "draws a Hypergraph, not a ndarray"),
        ("text", {"style": "incidence"}, "draws a Hypergraph or a matrix, not a str"),
        (np.array([[np.nan]]), {}, "finite"),
        (np.zeros(3), {}, "nodes × hyperedges"),
        ([], {}, "no hypergraphs to compare"),
        ([CLUB] * 101, {}, "at most 100"),
        ([CLUB, 3], {}, "one of these is a int"),
        ([CLUB], {"columns": -1}, "columns must be"),
        (hh.Hypergraph([[0]], nodes=4_000_001), {"style": "incidence"}, "at most 4,000,000"),
    ],
)
def test_what_cannot_be_drawn_is_refused(given, options, message):
    with pytest.raises(DrawingError, match=message):
        hh.draw(given, **options)


def test_without_matplotlib_one_sentence_says_what_to_install(monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(hh.MissingDependencyError, match=r"this needs matplotlib: pip install 'hyperhedge\[plot\]'"):
        hh.draw(CLUB)


def test_importing_the_package_imports_no_matplotlib():
    code = "import sys, hyperhedge; hyperhedge.draw; print({'matplotlib', 'torch', 'xgi'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
