"""The page on a whole hypergraph: its bins and bands, its matrices, and what a browser shows of it."""

import json
import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import hyperhedge as hh
from hostile import HOSTILE
from hyperhedge.metrics.pooled import PooledValues
from hyperhedge.metrics.whole.seams import Seam
from hyperhedge.report.content import baseline_kind
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


@pytest.mark.parametrize("values", [(0.2, 0.2), (0.001, 5.5, 70.0), (0.5,), (0.5, 1.0), (1, 2, 7), (900.0, 1.0)])
@pytest.mark.parametrize("logarithmic", [False, True])
def test_every_number_is_in_a_bin(values, logarithmic):
    bins = content._Bins.of([pool(*values)], logarithmic=logarithmic)
    assert bins.counted(pool(*values)).sum() == len(values)


def test_bins_of_one_width_are_given_by_start_and_width():
    bins = content._Bins.of([pool(1, 2, 7)], logarithmic=False)
    data = bins.as_data()
    assert data == {"start": 0.0, "width": 1.0}
    shares = content._Bins.of([pool(0.5, 1.0)], logarithmic=False)
    assert shares.as_data()["width"] * (len(shares.edges) - 1) == pytest.approx(1)
    shifted = content._Bins(np.array([2.0, 2.5, 3.0]), whole=False, logarithmic=False)
    assert shifted.as_data() == {"start": 2.0, "width": 0.5}


def test_a_number_just_below_an_edge_by_rounding_is_in_the_bin_above():
    bins = content._Bins(np.array([0.0, 0.1, 0.2, 0.3]), whole=False, logarithmic=False)
    assert bins.counted(pool(0.1 * (1 - 1e-15), 0.1 * (1 + 1e-15), 0.3 - 1e-9)).tolist() == [0, 2, 1]


def test_quantities_that_one_hypergraph_lacks_are_left_out(whole):
    bare = hh.metrics.whole.statistics.WholeStatistics.of(hh.Hypergraph([[0, 1], [2, 3]]))  # without overlaps
    report = replace(whole, statistics=whole.statistics | {"generated": bare})
    keys = [plot["key"] for plot in content.plots(report)]
    assert "intersections" not in keys
    assert "degrees" in keys


def numbers_of(one, key):
    """Return all numbers of a distribution."""
    if key == "singular-values":
        return one.singular_values
    found = one.distributions[key.replace("-", " ")]
    return np.repeat(found.value, found.count.astype(int))


@pytest.mark.parametrize("key", ["pair-degrees", "homogeneity", "clustering", "singular-values"])
def test_series_and_bands_are_shares_of_all_numbers(whole, key):
    plot = {plot["key"]: plot for plot in content.plots(whole)}[key]
    pools = [pool(*numbers_of(one, key)) for one in whole.statistics.values()]
    edges = content._Bins.of(pools, logarithmic="edges" in plot).edges

    def counts(one, *, tail):
        values = numbers_of(one, key)
        above = np.array([(values >= edge * (1 - 1e-12)).sum() for edge in edges])
        return above[:-1] if tail else -np.diff(above)

    for name, one in whole.statistics.items():
        values = numbers_of(one, key)
        assert plot["series"][name]["shares"] == pytest.approx(counts(one, tail=False) / len(values), abs=1e-3), name
        assert plot["series"][name]["mean"] == pytest.approx(values.mean(), rel=1e-3)
    for band, tail in (("band", False), ("tailBand", True)):
        widths = []
        for pair in whole.halves:
            logs = [np.log((counts(half, tail=tail) + 0.5) / (len(numbers_of(half, key)) + 0.5)) for half in pair]
            widths.append(np.sqrt(1 / 2) * np.abs(logs[0] - logs[1]))
        real = whole.statistics["real"]
        shares, width = counts(real, tail=tail) / len(numbers_of(real, key)), np.max(widths, axis=0)
        assert plot[band]["low"] == pytest.approx(shares * np.exp(-width), rel=1e-3)
        assert plot[band]["high"] == pytest.approx(np.minimum(shares * np.exp(width), 1), rel=1e-3)


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


def test_matrices_have_overlapping_hyperedges_in_one_block():
    rng = np.random.default_rng(0)
    blocks = hh.Hypergraph([[10 * g + (j + k) % 10 for k in range(5)] for g in range(4) for j in range(8)])
    mixed = blocks.permute(nodes=rng.permutation(blocks.n), edges=rng.permutation(blocks.m))
    shares = content.matrices({"real": mixed})["real"]["shares"]
    cells = np.array(shares["percent"]).reshape(shares["rows"], shares["columns"]) > 0
    assert cells.sum() == mixed.num_incidences
    for g in range(4):  # eight columns have no more nodes than the ten of their group
        assert cells[:, 8 * g : 8 * g + 8].any(axis=1).sum() <= 10
        assert cells[10 * g : 10 * g + 10].any(axis=0).sum() <= 8


def test_very_large_matrices_are_left_out(monkeypatch):
    monkeypatch.setattr(content, "_MOST_ORDERED", H.num_incidences - 1)
    small = hh.Hypergraph([[0, 1]])
    assert list(content.matrices({"real": H, "generated": small})) == ["generated"]


def test_neighbourhoods_have_a_random_part_of_what_overlaps_a_centre():
    star = hh.Hypergraph([[0, 3 * k + 1] for k in range(60)] + [[0, 3 * k + 2, 3 * k + 3] for k in range(60)])
    for part in content.neighbourhoods(star):
        assert {2, 3} == set(part.edge_sizes.tolist())
        assert 4 < (part.edge_sizes == 3).sum() < 20  # of 24, half of which are expected


def test_neighbourhoods_take_no_more_nodes_than_can_be_told_apart():
    star = hh.Hypergraph([[0, *range(60 * k + 1, 60 * k + 60)] for k in range(10)])
    assert {(part.n, part.m) for part in content.neighbourhoods(star)} == {(1 + 2 * 59, 2)}
    mostly_empty = hh.Hypergraph([[0, 1], [1, 2], *([[]] * 500)])
    assert [(part.n, part.m) for part in content.neighbourhoods(mostly_empty)] == [(3, 2)] * 2


def seam(name, start, homogeneity):
    return Seam(name, start, start + 1, start + 0.25, homogeneity)


def test_seams_stand_side_by_side_with_homogeneity_where_it_is_known():
    seams = {
        "detour": {
            "real": (seam("2", 0.5, None), seam("3", 0.125, None)),
            "made": (seam("2", 0.75, None), seam("3", 0, None)),
        },
        "cluster": {"real": (seam("up to 64", 0.5, 0.375),), "made": (Seam("up to 64", 0.0, None, None, 0.0),)},
    }
    detour, cluster = content.seam_tables(SimpleNamespace(seams=seams))
    assert ("detour" in detour["title"], "cluster" in cluster["title"]) == (True, True)
    assert detour["names"] == ["real", "made"]
    assert [row["name"] for row in detour["rows"]] == ["2", "3"]
    assert detour["rows"][0]["columns"] == [
        ("share of pairs", ["0.500", "0.750"]),
        ("shared nodes", ["1.50", "1.75"]),
        ("two or more", ["0.750", "1.000"]),
    ]
    assert cluster["rows"][0]["columns"] == [
        ("share of pairs", ["0.500", "0.000"]),
        ("shared nodes", ["1.50", "–"]),
        ("two or more", ["0.750", "–"]),
        ("homogeneity", ["0.375", "0.000"]),
    ]


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


# -- the page ----------------------------------------------------------------------------------------


def data_of(page):
    return json.loads(re.findall(r'id="data">(.*?)</script>', page)[0])


def test_the_page_has_the_content_of_every_hypergraph(whole):
    data = data_of(whole.to_html())
    kinds = {
        "real": "real",
        "generated": "generated",
        "configuration model": baseline_kind(1),
        HOSTILE[0]: baseline_kind(0),
    }
    assert {one["name"]: one["kind"] for one in data["series"]} == kinds
    assert data["plots"] == json.loads(json.dumps(content.plots(whole)))
    assert list(data["matrices"]) == list(data["gallery"]) == list(kinds)
    assert {len(pictures) for pictures in data["gallery"].values()} == {content.NEIGHBOURHOODS}


def test_the_page_says_notes_commands_grades_and_bounds(whole):
    sticks = {
        "generated": replace(whole.yardsticks["generated"], fidelity=0.7, novelty=0.85),
        "a copy": replace(whole.yardsticks["generated"], fidelity=0.95, novelty=0.1, kind="copy"),
    }
    page = replace(whole, notes=("Something to note.",), yardsticks=sticks).to_html(command="hyperhedge evaluate x y")
    assert "Something to note." in page
    assert "hyperhedge evaluate x y" in page
    rows = re.findall(
        r"<tr class=\"row.*?</tr>", re.search(r"yardsticks\">(.*?)</table>", page, re.DOTALL)[1], re.DOTALL
    )
    assert [re.findall(r"chip (\w+)", row) for row in rows] == [
        ["fair", "good"],
        ["good", "poor"],
    ]  # fair: from 0.6 to 0.9
    x, width = re.search(r'zone fair" x="([\d.]+)" y="4" width="([\d.]+)"', rows[0]).groups()
    assert (float(x), float(width)) == (pytest.approx(0.6 * 140), pytest.approx(0.3 * 140))
    assert re.search(r'value="tail" checked', page)


def test_a_page_from_json_has_no_curves(whole):
    data = data_of(type(whole).from_json(whole.to_json()).to_html())
    assert (data["series"], data["plots"], data["matrices"], data["gallery"]) == ([], [], {}, {})


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
