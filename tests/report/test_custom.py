"""Functions as metrics of a report: like the others in value, interval, floor, ceiling, ratio, JSON, table and page."""

import json
import re

import numpy as np
import pytest
from rich.console import Console
from scipy.stats import wasserstein_distance

import hyperhedge as hh
from hyperhedge.report import Report
from hyperhedge.report.content import recipe, table
from hyperhedge.report.distributions import distributions
from laws import rewired, teams

REAL, MADE, TRAIN = teams(20, seed=1), rewired(teams(18, seed=2), 0.6), teams(18, seed=3)
BASELINE = rewired(teams(18, seed=4), 1.0)


def shared_by_two(H):
    """Share of nodes in two hyperedges or more."""
    return (H.degrees >= 2).mean()


def density_distance(real, generated):
    """Difference between mean densities <b>."""
    return abs(np.mean([H.density for H in generated]) - np.mean([H.density for H in real]))


def spread(H):
    return H.edge_sizes.std() - 1.0


def evaluate(metrics, **options):
    arguments = {"train": TRAIN, "bootstrap": 40, "permutations": 9, "seed": 0} | options
    return hh.evaluate(REAL, MADE, metrics=metrics, **arguments)


@pytest.fixture(scope="module")
def report():
    return evaluate(["degree_wd", shared_by_two, density_distance, {"spread": spread}], baselines={"moved": BASELINE})


def by_scipy(function):
    return lambda real, other: wasserstein_distance([function(H) for H in real], [function(H) for H in other])


DISTANCES = {
    "shared_by_two": by_scipy(shared_by_two),
    "density_distance": density_distance,
    "spread": by_scipy(spread),
}


@pytest.mark.parametrize("key", DISTANCES)
def test_value_floor_ceiling_and_baselines_are_distances(report, key):
    distance, row = DISTANCES[key], report[key]
    assert row.value == pytest.approx(distance(REAL, MADE))
    assert row.floor == pytest.approx(distance(REAL, TRAIN))  # as many as generated, so there is one subset
    assert row.ratio == pytest.approx(distance(REAL, MADE) / distance(REAL, TRAIN))
    assert row.ceiling > 0
    assert 0 <= row.low < row.value < row.high
    assert report.baselines["moved"].values[key] == pytest.approx(distance(REAL, BASELINE))
    assert report.baselines["moved"].ratios[key] == pytest.approx(distance(REAL, BASELINE) / row.floor)
    assert row.note == ""


def test_an_interval_is_that_of_resampled_collections(report):
    rng = np.random.default_rng(5)
    replicates = []
    for _ in range(400):
        real, made = ([list_[i] for i in rng.integers(len(list_), size=len(list_))] for list_ in (REAL, MADE))
        replicates.append(density_distance(real, made))
    expected = np.ptp(np.quantile(replicates, [0.025, 0.975]))
    assert report["density_distance"].high - report["density_distance"].low == pytest.approx(expected, rel=0.4)


def test_they_count_as_a_group(report):
    scores = [report[key].score for key in DISTANCES]
    assert report.properties["fidelity"].values["custom"] == pytest.approx(np.mean(scores))
    assert report.score == pytest.approx((np.mean(scores) + report["degree_wd"].score) / 2)
    groups = {name: [line.row.key for line in lines] for name, _, lines in table(report).groups}
    assert groups == {"marginals": ["degree_wd"], "custom": list(DISTANCES)}


def test_they_come_back_from_json(report):
    again = Report.from_json(report.to_json())
    assert again == report
    assert again["spread"].ratio == report["spread"].ratio
    assert again.values == {}
    assert "values" not in json.loads(report.to_json())
    assert report.values["spread"] == {
        "real": pytest.approx([spread(H) for H in REAL]),
        "generated": pytest.approx([spread(H) for H in MADE]),
        "moved": pytest.approx([spread(H) for H in BASELINE]),
    }


def test_they_are_on_the_page_and_in_the_terminal(report):
    page = report.to_html()
    assert "Share of nodes in two hyperedges or more. Compared by the Wasserstein distance of its values." in page
    assert "Difference between mean densities &lt;b&gt;." in page
    for title in ("Shared by two", "Density distance", "spread", "user-supplied functions"):
        assert title in page
    console = Console(width=100)
    with console.capture() as capture:
        console.print(report)
    assert "Shared by two" in capture.get()


def test_the_recipe_leaves_functions_to_the_reader(report):
    call = recipe(report, None, None)["call"]
    assert "metrics=['degree_wd', {'shared_by_two': …, 'density_distance': …, 'spread': …}]," in call
    more = evaluate(["default", "closeness_wd", spread], bootstrap=0, ceiling=False)
    assert "metrics=['default', 'closeness_wd', {'spread': …}]," in recipe(more, None, None)["call"]


def test_values_are_plotted_in_bins(report):
    plots = {plot["title"]: plot for plot in distributions(report)}
    assert list(plots)[6:] == ["Shared by two", "spread"]
    plot = plots["spread"]
    assert plot["start"] == pytest.approx(min(spread(H) for H in (*REAL, *MADE, *BASELINE)))
    for name, collection in (("real", REAL), ("generated", MADE), ("moved", BASELINE)):
        numbers = [spread(H) for H in collection]
        edges = plot["start"] + plot["width"] * np.arange(13)
        edges[-1] += 1e-9
        counts, _ = np.histogram(numbers, edges)
        assert plot["series"][name]["shares"] == pytest.approx(counts / len(numbers), abs=1e-3)
        assert plot["series"][name]["mean"] == pytest.approx(np.mean(numbers), abs=1e-3)


def test_whole_values_have_whole_bins():
    plots = distributions(evaluate({"hyperedges": lambda H: H.m, "half": lambda _: 0.5}))
    hyperedges, half = plots[6:]
    assert (hyperedges["whole"], hyperedges["start"], hyperedges["width"]) == (True, 12.0, 1)
    assert hyperedges["series"]["real"]["shares"] == [1.0]
    assert (half["whole"], half["series"]["real"]["shares"]) == (False, [1.0])
    assert half["start"] <= 0.5 < half["start"] + half["width"]


def test_a_function_that_fails_leaves_its_row_without_a_value():
    def broken(H):
        return H.nodes["nobody"]

    report = evaluate(["degree_wd", broken], baselines={"moved": BASELINE})
    row = report["broken"]
    assert (row.value, row.low, row.floor, row.ceiling, row.ratio) == (None,) * 5
    assert re.match(r"not computed: broken raised \w+ on <Hypergraph: 24 nodes", row.note)
    assert report.baselines["moved"].values["broken"] is None
    assert report.properties["fidelity"].values.keys() == {"marginals"}
    assert row.note.split("<")[0] in report.to_html()
    console = Console(width=200)
    with console.capture() as capture:
        console.print(report)
    assert "Broken: not computed: broken raised" in capture.get()
    assert report.values == {}


def test_a_function_that_fails_on_the_ceiling_alone_has_all_but_the_ceiling():
    known = {H.canonical_hash for H in (*REAL, *MADE, *TRAIN)}

    def picky(H):
        if H.canonical_hash not in known:
            raise ValueError("never seen")
        return float(H.num_incidences)

    report = evaluate([picky])
    assert report["picky"].ratio is not None
    assert report["picky"].ceiling is None
    assert report["picky"].note.startswith("no ceiling: picky raised ValueError on <Hypergraph")
    assert report.notes == (f"Picky: {report['picky'].note}.",)


def test_the_floor_looks_at_four_training_hypergraphs_per_generated_one():
    calls = []

    def counted(H):
        calls.append(H)
        return float(H.num_incidences)

    hh.evaluate(REAL, MADE[:2], train=TRAIN, metrics=[counted], bootstrap=0, ceiling=False)
    assert len(calls) == len(REAL) + 2 + 8


def test_a_function_sees_hypergraphs_whatever_was_given():
    def nodes(H):
        assert isinstance(H, hh.Hypergraph)
        return float(H.n)

    foreign = [H.incidence for H in MADE]
    assert hh.evaluate(REAL, foreign, metrics=[nodes], bootstrap=0, ceiling=False)["nodes"].value == 0
