"""Matrices of bounded size: bins hold every incidence once, and no picture is a ribbon."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hyperhedge as hh
from hyperhedge.plotting.incidence import MOST_BINS, binned, bins_of
from hyperhedge.plotting.theme import MOST_INCHES
from strategies import hypergraphs


@given(hypergraphs(), st.integers(1, 5), st.integers(0, 99))
def test_bins_are_sums_of_blocks_of_the_matrix(H, most, seed):
    rng = np.random.default_rng(seed)
    rows, columns = rng.permutation(H.n), rng.permutation(H.m)
    counts = binned(H, rows, columns, most)
    dense = H.incidence.toarray()[rows][:, columns]
    down, across = np.arange(H.n) * counts.shape[0] // max(H.n, 1), np.arange(H.m) * counts.shape[1] // max(H.m, 1)
    expected = np.zeros_like(counts)
    np.add.at(expected, (down[:, None], across), dense)
    np.testing.assert_array_equal(counts, expected)
    assert counts.shape == (min(H.n, most), min(H.m, most))


def test_bins_share_an_order_evenly():
    assert np.bincount(bins_of(np.random.default_rng(0).permutation(1000), 7)).tolist() == [143] * 6 + [142]


@pytest.mark.parametrize("shape", [(3, 5000), (5000, 3), (50_000, 40_000), (401, 2), (1, 1), (0, 900), (900, 0)])
def test_every_matrix_has_a_bounded_picture_that_is_no_ribbon(shape):
    rng = np.random.default_rng(0)
    count = 300 if min(shape) else 0
    H = hh.Hypergraph.from_indices(
        rng.integers(shape[0] or 1, size=count), rng.integers(shape[1] or 1, size=count), nodes=shape[0], edges=shape[1]
    )
    ax = hh.plot(H, "incidence")
    ax.figure.canvas.draw()
    inches = ax.figure.get_size_inches()
    assert max(inches) <= MOST_INCHES
    assert max(ax.bbox.size) / min(ax.bbox.size) < 3.2
    for image in ax.images:
        assert max(image.get_array().shape) <= MOST_BINS
        assert image.get_array().sum() == H.num_incidences


def test_a_large_matrix_says_what_a_colour_means():
    rng = np.random.default_rng(0)
    H = hh.Hypergraph.from_indices(rng.integers(2000, size=9000), rng.integers(800, size=9000), nodes=2000, edges=800)
    ax = hh.plot(H, "incidence")
    (bar,) = [other for other in ax.figure.axes if other is not ax]
    assert bar.get_xlabel() == "incidences in a bin of about 5 nodes × 2 hyperedges; white: none"
    assert ax.images[0].norm.vmax == ax.images[0].get_array().max()
    np.testing.assert_allclose(ax.images[0].cmap.get_bad()[3], 0)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("800 hyperedges", "2,000 nodes")


def test_bins_of_a_relaxed_matrix_are_means():
    matrix = np.random.default_rng(0).normal(0.4, 0.3, (800, 1203))
    shown = hh.plot(matrix).images[0].get_array()
    assert shown.shape == (400, 400)
    np.testing.assert_allclose(shown[0, 0], matrix[:2, :4].mean())
    weights = np.outer(np.bincount(np.arange(800) // 2), np.bincount(np.arange(1203) * 400 // 1203))
    np.testing.assert_allclose((shown * weights).sum(), matrix.sum())


def test_strips_are_in_the_order_of_the_matrix():
    H = hh.load_dataset("southern-women").hypergraph
    group = {label: "first" if k < 9 else "second" for k, label in enumerate(H.nodes)}
    ax = hh.plot(H, "incidence", node_color=group, edge_color="size")
    beside, above = ax.child_axes
    names = [text.get_text() for text in ax.get_yticklabels()]
    colours = beside.images[0].get_array()[:, 0]
    by_group = {
        name: {tuple(colours[k]) for k, label in enumerate(names) if group[label] == name}
        for name in ("first", "second")
    }
    assert [len(each) for each in by_group.values()] == [1, 1]
    assert by_group["first"] != by_group["second"]
    assert above.images[0].get_array().shape[:2] == (1, 14)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["first", "second"]
    plt.close(ax.figure)
