"""The page on a whole hypergraph: its bins and bands, its matrices, and what a browser shows of it."""

import numpy as np
import pytest

import hyperhedge as hh
from hostile import HOSTILE
from hyperhedge.metrics.pooled import PooledValues
from hyperhedge.report.whole import content
from strategies import random_hypergraphs

H, G = random_hypergraphs(2, 60, 50, density=0.06, seed=1)


@pytest.fixture(scope="module")
def whole():
    return hh.evaluate(H, G, baselines={HOSTILE[0]: G}, seed=0, name=f"made {HOSTILE[2]}")


@pytest.fixture(scope="module")
def whole_page(whole, tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "whole.html"
    whole.save(path, command=f"hyperhedge evaluate {HOSTILE[0]}")
    return path


def pool(*values):
    return PooledValues.of_arrays([np.array(values, dtype=float)])


def test_bins_of_whole_numbers_hold_whole_numbers():
    bins = content._Bins.of([pool(1, 2, 3, 900), pool(0)], logarithmic=True)
    assert bins.whole
    assert bins.edges[0] == 1
    assert (bins.edges == np.rint(bins.edges)).all()
    assert (np.diff(bins.edges) >= 1).all()
    assert bins.counted(pool(1, 1, 2, 900)).sum() == 4
    assert bins.counted(pool(0, 1)).tolist()[0] == 1  # zero is in none
    assert bins.counted(pool(900)).tolist()[-1] == 1


@pytest.mark.parametrize("values", [(0.2, 0.2), (0.001, 5.5, 70.0), (0.5,)])
@pytest.mark.parametrize("logarithmic", [False, True])
def test_every_number_is_in_a_bin(values, logarithmic):
    bins = content._Bins.of([pool(*values)], logarithmic=logarithmic)
    assert bins.counted(pool(*values)).sum() == len(values)


def test_plots_show_the_shares_and_their_tails(whole):
    plots = {plot["key"]: plot for plot in content.plots(whole)}
    assert list(plots)[:3] == ["degrees", "edge-sizes", "pair-degrees"]
    degrees = plots["degrees"]
    for name, graph in whole.graphs.items():
        shares = np.array(degrees["series"][name]["shares"])
        edges = degrees["edges"]
        for k in range(len(shares)):
            inside = ((graph.degrees >= edges[k]) & (graph.degrees < edges[k + 1])).mean()
            assert shares[k] == pytest.approx(inside, abs=1e-3)
        assert degrees["series"][name]["mean"] == pytest.approx(graph.degrees.mean(), rel=1e-3)
    assert "edges" not in plots["path-lengths"]
    assert list(degrees["series"]) == ["real", "generated", "configuration model", HOSTILE[0]]


def test_bands_hold_the_real_curve_and_are_as_wide_as_halves_differ():
    real, first, second = np.array([80.0, 20.0]), np.array([41.0, 8.0]), np.array([38.0, 11.0])
    band = content._band(real, 100.0, [((first, 49.0), (second, 49.0)), ((first, 49.0), (first, 49.0))])
    width = np.sqrt(0.5) * np.abs(np.log((first + 0.5) / 49.5) - np.log((second + 0.5) / 49.5))
    assert band["low"] == pytest.approx([0.8 * np.exp(-width[0]), 0.2 * np.exp(-width[1])], rel=1e-3)
    assert band["high"] == pytest.approx([min(1, 0.8 * np.exp(width[0])), 0.2 * np.exp(width[1])], rel=1e-3)


def test_matrices_hold_every_incidence():
    data = content.matrices({"real": H})["real"]
    assert (data["shares"]["rows"], data["shares"]["columns"]) == (60, 50)
    assert sum(percent > 0 for percent in data["shares"]["percent"]) == H.num_incidences


def test_neighbourhoods_are_hyperedges_with_what_overlaps_them():
    chain = hh.Hypergraph([[k, k + 1] for k in range(30)])
    for part in content.neighbourhoods(chain):
        assert part.m in (2, 3)
        assert part.n == part.m + 1
    star = hh.Hypergraph([[0, k] for k in range(1, 90)])
    assert {part.m for part in content.neighbourhoods(star)} == {content._MOST_EDGES}
    wide = hh.Hypergraph([list(range(300)), list(range(299, 600))])
    assert {part.m for part in content.neighbourhoods(wide)} == {1}
    assert content.neighbourhoods(hh.Hypergraph([[]])) == []


def test_a_browser_shows_everything_and_runs_no_label(browser, whole, whole_page):
    browser.open(whole_page)
    run = browser.run
    assert run("document.querySelectorAll('img').length") == 0
    assert run("document.querySelectorAll('#rasters canvas').length") == 4
    assert run("document.querySelectorAll('#plots .plot').length") == 12
    assert run("document.querySelectorAll('.yardsticks tbody tr').length") == len(whole.yardsticks)
    assert run("document.querySelectorAll('.seams').length") == 2
    assert run("document.querySelectorAll('#cards .card').length") == 4
    assert run("document.querySelector('.choices input[name=scale]:checked').value") == "log"
    assert run("document.querySelector('.choices input[name=kind]:checked').value") == "tail"
    assert HOSTILE[0] in run("document.querySelector('#legend').textContent")
    assert whole.name in run("document.title")
    # Canvases are painted once styles are known.
    pixels = "[...document.querySelector('#rasters canvas').getContext('2d').getImageData(0, 0, 60, 60).data]"
    painted = f"{pixels}.filter((value, k) => k % 4 == 3 && value > 0).length"
    later = f"new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done({painted}))))"
    assert run(later) == H.num_incidences


def test_curves_lie_where_their_numbers_say(browser, whole_page):
    browser.open(whole_page)
    ticks = browser.run("[...document.querySelectorAll('#plot-degrees text')].map((t) => t.textContent)")
    assert "100%" in ticks
    assert "1000%" not in ticks
    assert "1" in ticks
    # Sorting by the way: the shortest first.
    browser.run("document.querySelector('th[data-sort=way] button').click()")
    browser.run("document.querySelector('th[data-sort=way] button').click()")
    ways = browser.run(
        "[...document.querySelectorAll('table.metrics .row[data-way]')].map((row) => Number(row.dataset.way))"
    )
    assert ways == sorted(ways)


def test_a_report_from_json_has_a_page_without_pictures(browser, whole, tmp_path):
    path = tmp_path / "again.html"
    type(whole).from_json(whole.to_json()).save(path)
    browser.open(path)
    assert browser.run("document.querySelectorAll('canvas').length") == 0
    assert browser.run("document.querySelectorAll('.yardsticks tbody tr').length") == len(whole.yardsticks)


def test_a_notebook_shows_the_table(whole):
    assert "yardstick" not in whole._repr_html_()
    assert "Homogeneity" in whole._repr_html_()
