"""Tables of an experiment from records that are written by hand: who is best, what is missing, and what differs."""

import csv
import io
import statistics

import pytest
from scipy.stats import ttest_rel

from bench_experiments import METHODS, experiment, gap, results_in
from hyperhedge.bench.record import Measured, Provenance
from hyperhedge.bench.results import difference, spread
from hyperhedge.bench.tables import as_csv, as_markdown

GENERATORS = {name: METHODS[name] for name in ("floor", "hedge", "hcm", "er")}
VALUES = {
    ("cora", "floor", 0): gap(0.01),
    ("cora", "floor", 1): gap(-0.05),
    ("cora", "hedge", 0): gap(-0.2),
    ("cora", "hedge", 1): gap(-0.4),
    ("cora", "hcm", 0): gap(0.2),  # one seed is missing
    ("cora", "er", 0): gap(0.5),
    ("cora", "er", 1): gap(0.7),
    ("twitch", "hedge", 0): gap(0.0),
    ("twitch", "hcm", 0): gap(0.0),
    ("twitch", "er", 0): gap(0.25),
}


@pytest.fixture
def results(tmp_path):
    return lambda made, values, **changes: results_in(tmp_path, made, values, **changes)


def section(page, title):
    """Return the lines of a page below a heading."""
    return page.split(f"## {title}\n")[1].split("\n## ")[0].splitlines()


def test_best_second_and_missing(results):
    page = as_markdown(results(experiment(["cora", "twitch"], GENERATORS), VALUES))
    assert page.startswith("# Made up\n")
    cora, twitch = section(page, "Cora"), section(page, "Twitch")
    assert cora[1:3] == ["| metric | real | HEDGE | HCM-MCMC | ER-HG |", "|---|---:|---:|---:|---:|"]
    assert "| Density gap | -0.020 ± 0.042 | *-0.300 ± 0.141* | **0.200** (1) | 0.600 ± 0.141 |" in cora
    assert "| Density gap | – | **0.000** (1) | **0.000** (1) | *0.250* (1) |" in twitch
    assert "| Size WD | – | – | – | – |" in cora
    assert "| novelty | 0.50 | 0.50 | 0.50 | 0.50 |" in cora
    assert "| samples per second | 40.0 | 40.0 | 40.0 | 40.0 |" in cora
    assert "Differences" not in page


def test_differences_to_the_reference_are_in_pairs(results):
    """Of a gap the magnitude counts; with one seed there is no interval."""
    hedge, er = [0.10, -0.12, 0.11], [0.90, -0.91, 0.93]
    values = {("cora", "hedge", seed): {"density_gap": value} for seed, value in enumerate(hedge)}
    values |= {("cora", "er", seed): {"density_gap": value} for seed, value in enumerate(er)}
    values |= {("cora", "hcm", 0): {"density_gap": 0.2}}
    made = experiment(["cora"], GENERATORS, seeds=3, reference="hedge")
    lines = section(as_markdown(results(made, values)), "Cora")
    expected = ttest_rel([abs(v) for v in er], [abs(v) for v in hedge]).confidence_interval(0.95)
    mean = statistics.mean(abs(a) - abs(b) for a, b in zip(er, hedge, strict=True))
    assert "| metric | HCM-MCMC | ER-HG |" in lines
    assert f"| Density gap | – | **+{mean:.3f} [{expected.low:.3f}, {expected.high:.3f}]** |" in lines


def test_csv_has_a_line_per_number(results):
    rows = list(csv.DictReader(io.StringIO(as_csv(results(experiment(["cora", "twitch"], GENERATORS), VALUES)))))
    [row] = [row for row in rows if (row["dataset"], row["method"], row["quantity"]) == ("cora", "er", "density_gap")]
    assert float(row["mean"]) == pytest.approx(0.6)
    assert float(row["deviation"]) == pytest.approx(statistics.stdev([0.5, 0.7]))
    assert row["seeds"] == "2"
    single = [row for row in rows if (row["dataset"], row["method"]) == ("cora", "hcm")]
    assert {row["quantity"] for row in single} >= {"density_gap", "intersection_wd", "novelty", "fit, seconds"}
    assert {row["deviation"] for row in single} == {""}
    assert not [row for row in rows if (row["dataset"], row["method"]) == ("twitch", "floor")]


def test_the_page_says_which_cells_are_done(results):
    made = experiment(["cora", "twitch"], METHODS)
    assert "None of 20 cells has been run yet." in as_markdown(results(made, {}))
    values = {("cora", "hedge", 0): gap(0.1), ("cora", "er", 1): gap(0.2), ("cora", "hygene", 0): "no such model"}
    page = as_markdown(results(made, values, er={"fingerprint": "of old"}))
    assert "Each cell: 20 training and 10 held-out hypergraphs, sampled alike, and 10 generated." in page
    assert "1 of 20 cells are done. Seeds done, of those wanted:" in page
    assert "| cora | 0/2 | 1/2 | 0/2 | 0/2 | 0/2 |" in page
    assert "Failed (cora hygene 0): no such model" in page
    assert "run with another configuration than the experiment has now: cora er 1." in page
    assert "| Intersection WD | – | **0.100** (1) | – | 0.200 (1) | – |" in page  # it is in the tables all the same
    assert "Records: 2026-01-02; commit `abc123`; 2 cores of abacus." in page
    bare = as_markdown(results(made, values, hedge={"provenance": Provenance(None, "0.1", "2026-01-03")}))
    assert "2026-01-02 to 2026-01-03; commit `abc123`, version 0.1;" in bare


def test_cells_on_other_banks_are_named(results):
    made = experiment(["cora"], GENERATORS, seeds=1)
    floors = {"floor": 0.1, "hcm": 0.1, "hedge": 0.1 + 1e-12, "er": 0.101}  # the third: added up in another order
    values = {("cora", name, 0): {} for name in floors}
    changes = {name: {"metrics": {"degree_wd": Measured(0.2, floor=floor)}} for name, floor in floors.items()}
    page = as_markdown(results(made, values, **changes))
    assert "than most cells of their dataset and seed, by the floors in the records: cora er 0." in page
    changes["er"] = {"metrics": {"degree_wd": Measured(0.2), "size_wd": Measured(0.2, floor=0.5)}}  # nothing to compare
    assert "other banks" not in as_markdown(results(made, values, **changes))


def test_many_troubles_are_counted(results):
    made = experiment(["cora"], {"er": METHODS["er"]}, seeds=14)
    page = as_markdown(results(made, {("cora", "er", seed): "it failed" for seed in range(14)}))
    assert "cora er 11 and 2 more): it failed" in page


def test_differences_need_two_common_seeds():
    change = difference({0: 0.4, 1: 0.43, 5: 9.0}, {0: 0.3, 1: 0.31, 2: 0.35})
    expected = ttest_rel([0.4, 0.43], [0.3, 0.31]).confidence_interval(0.95)
    assert (change.low, change.high, change.count) == pytest.approx((expected.low, expected.high, 2))
    assert difference({0: 1.0, 3: 1.0}, {0: 1.0, 1: 1.0}) is None
    assert spread([]) is None
    assert spread([2.0]).deviation is None
