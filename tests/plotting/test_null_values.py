"""Histograms of null values: bins, marks, and several panels."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from hyperhedge.plotting.null_values import Panel, _bins, plot_null_values


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


@pytest.mark.parametrize(
    "values", [np.array([3.0, 3.0]), np.array([0.0, 1, 1, 5]), np.arange(0.0, 4000, 7), np.repeat([10.0, 500.0], 99)]
)
def test_bins_of_whole_numbers_hold_equally_many(values):
    edges = _bins(values, whole=True)
    widths = np.diff(edges)
    assert len(set(widths)) == 1
    assert widths[0] == round(widths[0])
    assert (edges % 1 == 0.5).all()
    assert np.histogram(values, edges)[0].sum() == len(values)
    assert len(widths) <= 61


@pytest.mark.parametrize("values", [np.full(5, 0.3), np.linspace(0, 1, 50), np.append(np.linspace(0, 1e-6, 5000), 1.0)])
def test_bins_of_other_numbers(values):
    edges = _bins(values, whole=False)
    assert np.histogram(values, edges)[0].sum() == len(values)
    assert 2 <= len(edges) <= 61


def test_one_panel():
    ax = plot_null_values([Panel("a $b$", np.array([1.0, 2, 2, 3]), 7.5, "p = 1")])
    assert ax.get_title(loc="left") == r"a \$b\$"
    assert ax.get_xlabel() == "p = 1"
    assert ax.lines[0].get_xdata() == [7.5, 7.5]
    assert sum(bar.get_height() for bar in ax.patches) == 4


def test_a_grid_leaves_no_empty_axes():
    axes = plot_null_values([Panel(str(k), np.random.default_rng(k).normal(size=30), 0.0, "") for k in range(6)])
    assert [ax.get_title(loc="left") for ax in axes] == list("012345")
    assert [ax.get_visible() for ax in axes[0].figure.axes] == [True] * 6 + [False] * 2
