"""The whole report: what it says about good and bad generators, reproducibly, and on odd input."""

import json
import subprocess
import sys

import numpy as np
import pytest

import hyperhedge as hh
from hyperhedge.metrics import DEFAULT, METRICS
from hyperhedge.models.erdos_renyi import ErdosRenyi
from hyperhedge.report import evaluate
from laws import rewired, shuffled, teams

TRAIN, REAL, FRESH = teams(90, seed=11), teams(45, seed=12), teams(45, seed=13)
QUICK = {"bootstrap": 40, "permutations": 99, "seed": 0}


@pytest.fixture(scope="module")
def fresh():
    return evaluate(REAL, FRESH, train=TRAIN, **QUICK)


def test_a_perfect_generator(fresh):
    assert [row.key for row in fresh.details] == [metric.key for metric in DEFAULT]
    assert fresh.score > 0.65
    for row in fresh.details:
        assert row.ratio < 3
        assert row.value == pytest.approx(METRICS[row.key](REAL, FRESH))
        assert row.low <= row.value <= row.high
        assert row.note == ""
    for name in ("novelty", "validity", "diversity"):
        assert fresh.properties[name].score > 0.8
    assert fresh.properties["detectability"].values["p_value"] > 0.01
    assert fresh.counts == {"real": 45, "generated": 45, "train": 90}
    assert fresh.notes == ()


def test_the_ceiling_is_what_independent_incidences_reach(fresh):
    er = evaluate(REAL, ErdosRenyi().fit(TRAIN).sample(45, seed=9), train=TRAIN, **QUICK)
    for row in er.details:
        if row.group != "calibration":
            assert row.value == pytest.approx(row.ceiling, rel=0.35)
            assert row.value > 2 * row.floor
        assert row.floor == fresh[row.key].floor
        assert row.ceiling == fresh[row.key].ceiling
    assert er.score < 0.5 * fresh.score
    assert er.properties["detectability"].score < 0.1
    assert er.properties["detectability"].values["p_value"] == 0.01


def test_a_memoriser_has_fidelity_and_no_novelty():
    report = evaluate(REAL, shuffled(TRAIN)[:45], train=TRAIN, **QUICK)
    assert report.score > 0.65
    assert report.properties["novelty"].score == 0
    assert report.properties["novelty"].values["copied"] == 1


def test_a_collapsed_generator_has_no_diversity():
    report = evaluate(REAL, [FRESH[i % 3] for i in range(45)], train=TRAIN, **QUICK)
    assert report.properties["diversity"].score < 0.15


def test_the_score_falls_with_corruption(fresh):
    scores = [fresh.score, *(evaluate(REAL, rewired(FRESH, share), train=TRAIN, **QUICK).score for share in (0.2, 1.0))]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] > scores[-1] + 0.3


def test_the_floor_is_the_mean_over_parts_of_the_training_set(fresh):
    rng = np.random.default_rng(0)
    for key in ("degree_wd", "overlap_tail_gap", "degree_gap"):
        floors = [abs(METRICS[key](REAL, [TRAIN[i] for i in rng.choice(90, 45, replace=False)])) for _ in range(60)]
        assert fresh[key].floor == pytest.approx(np.mean(floors), rel=0.3)
    whole = evaluate(REAL, FRESH, train=TRAIN[:45], metrics=["degree_wd"], **QUICK)
    assert whole["degree_wd"].floor == pytest.approx(METRICS["degree_wd"](REAL, TRAIN[:45]))


def test_fewer_training_hypergraphs_than_generated_ones_are_said():
    report = evaluate(REAL, FRESH, train=TRAIN[:15], metrics=["degree_wd"], **QUICK)
    assert "fewer training (15) than generated" in report.notes[0]
    expected = METRICS["degree_wd"](REAL, TRAIN[:15]) * np.sqrt((2 / 45) / (1 / 45 + 1 / 15))
    assert report["degree_wd"].floor == pytest.approx(expected)


def test_without_a_training_set(fresh):
    report = evaluate(REAL, FRESH, **QUICK)
    assert "halves of the real hypergraphs" in report.notes[0]
    assert report.properties["novelty"].score is None
    assert "give train=" in report.properties["novelty"].note
    assert "train" not in report.counts
    floors = [(report[row.key].floor, row.floor) for row in fresh.details if row.floor]
    ratios = [one / other for one, other in floors]
    assert 0.5 < np.median(ratios) < 2


def test_a_seed_gives_the_same_report():
    def again(seed):
        return evaluate(REAL[:12], FRESH[:12], train=TRAIN, bootstrap=40, permutations=99, seed=seed)

    one, other = again(3), again(3)
    assert one == other
    assert one.to_json() == other.to_json()
    assert one.to_html() == other.to_html()
    differs = again(4)
    assert differs["degree_wd"].value == one["degree_wd"].value
    assert differs["degree_wd"].low != one["degree_wd"].low
    assert again(np.random.default_rng(3)) == again(np.random.default_rng(3))


@pytest.mark.parametrize("seed", [None, np.random.default_rng(5)])
def test_without_a_seed_reports_differ_and_record_theirs(seed):
    def again(seed):
        return evaluate(REAL[:12], FRESH[:12], train=TRAIN, bootstrap=40, permutations=99, seed=seed)

    one, other = again(seed), again(seed)
    assert one["degree_wd"].value == other["degree_wd"].value
    assert one["degree_wd"].low != other["degree_wd"].low
    repeated = again(one.settings["seed"])
    assert repeated == one


def test_more_hypergraphs_than_a_kernel_can_hold(monkeypatch):
    monkeypatch.setattr("hyperhedge.metrics.features.MOST_PAIRS", 30 * 30)
    report = evaluate(REAL[:20], FRESH[:31], train=TRAIN, **QUICK)
    assert report["feature_mmd"].note == (
        "not computed: it compares every pair, and there are 31 × 31; give at most 30 per side"
    )
    assert "every pair" in report["spectral_mmd"].note
    assert "every pair" in report.properties["detectability"].note
    assert report["degree_wd"].value is not None
    assert report.properties["novelty"].score is not None


def test_a_part_of_a_large_training_set_is_enough_for_the_floor():
    few = evaluate(REAL, FRESH[:10], train=TRAIN, metrics=["degree_wd"], **QUICK)
    floors = [METRICS["degree_wd"](REAL, TRAIN[10 * k : 10 * (k + 1)]) for k in range(9)]
    assert few["degree_wd"].floor == pytest.approx(np.mean(floors), rel=0.4)


def test_the_order_of_everything_is_of_no_account():
    one = evaluate(REAL[:15], FRESH[:15], train=TRAIN, metrics=["overlap", "spectra"], **QUICK)
    other = evaluate(shuffled(REAL[:15]), shuffled(FRESH[:15]), train=TRAIN, metrics=["overlap", "spectra"], **QUICK)
    for row in one.details:
        assert other[row.key].value == pytest.approx(row.value, abs=1e-9)


def test_replicates_change_intervals_and_nothing_else(fresh):
    other = evaluate(REAL, FRESH, train=TRAIN, bootstrap=7, permutations=99, seed=0)
    assert other.properties == fresh.properties
    for row in other.details:
        assert (row.value, row.floor, row.ceiling) == pytest.approx(
            (fresh[row.key].value, fresh[row.key].floor, fresh[row.key].ceiling), rel=1e-9
        )


def test_no_bootstrap_and_no_ceiling():
    report = evaluate(REAL, FRESH, train=TRAIN, bootstrap=0, ceiling=False, permutations=9, metrics=["degree_wd"])
    row = report["degree_wd"]
    assert (row.low, row.high, row.ceiling) == (None, None, None)
    assert row.ratio is not None


def test_sizes_may_vary():
    mixed = teams(12, n=9, m=5, seed=1) + teams(12, n=20, m=14, seed=2)
    report = evaluate(
        mixed, rewired(mixed, 0.2), train=teams(12, n=9, m=5, seed=3) + teams(12, n=20, m=14, seed=4), **QUICK
    )
    assert all(row.value is not None for row in report.details)
    assert report["node_number"].value == 0


def test_one_hypergraph_on_each_side():
    report = evaluate(REAL[:1], FRESH[:1], **QUICK)
    assert report["degree_wd"].value == pytest.approx(METRICS["degree_wd"](REAL[:1], FRESH[:1]))
    assert (report["degree_wd"].low, report["degree_wd"].floor) == (None, None)
    assert report["feature_mmd"].value is None
    assert "scale comes from the real hypergraphs" in report["feature_mmd"].note
    assert report.score is None
    assert report.properties["diversity"].score is None
    assert "only one" in report.properties["diversity"].note
    assert "needs at least 10 hypergraphs" in report.properties["detectability"].note
    assert report.properties["validity"].score is not None
    assert any("no intervals" in note for note in report.notes)
    assert any("one real hypergraph" in note for note in report.notes)
    with_train = evaluate(REAL[:1], FRESH[:1], train=TRAIN, **QUICK)
    assert with_train["degree_wd"].ratio is not None
    assert with_train.properties["novelty"].score is not None


def test_hypergraphs_with_nothing_in_them():
    nothing = [hh.Hypergraph([]), hh.Hypergraph([], nodes=3), hh.Hypergraph([[], []]), hh.Hypergraph([[0, 1], [1]])]
    report = evaluate(nothing * 4, nothing * 5, train=nothing * 6, **QUICK)
    json.loads(report.to_json(), parse_constant=pytest.fail)
    assert any("8 of the 16 real hypergraphs have no nodes" in note for note in report.notes)
    assert any("12 of the 24 train hypergraphs have no hyperedges" in note for note in report.notes)
    empty = evaluate([hh.Hypergraph([])] * 3, [hh.Hypergraph([])] * 3, train=[hh.Hypergraph([])] * 3, **QUICK)
    json.loads(empty.to_json(), parse_constant=pytest.fail)
    assert empty["degree_wd"].value is None
    assert "nothing to compare" in empty["degree_wd"].note


def test_a_large_hypergraph_is_judged():
    rng = np.random.default_rng(0)

    def scattered(extra):
        nodes, edges = rng.integers(0, 4000, 9000), rng.integers(0, 2500, 9000 + extra)
        nodes = np.append(nodes, rng.integers(0, 4000, extra))
        return hh.Hypergraph.from_indices(nodes, edges, nodes=4000, edges=2500)

    report = evaluate([scattered(0)], [scattered(500)], train=[scattered(0), scattered(0)], **QUICK)
    assert "needs the whole spectrum" in report["spectral_mmd"].note
    assert report["degree_gap"].value == pytest.approx(500 / 4000, abs=0.01)
    assert report["degree_gap"].ratio > 5
    assert report["node_spectral_wd"].value is not None
    assert report.properties["novelty"].values["copied"] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"generated": []}, "generated is empty"),
        ({"train": []}, "train is empty"),
        ({"real": [1, 2]}, r"real\[0\] is an int; give a Hypergraph"),
        ({"baselines": {"HCM": []}}, r"baselines\['HCM'\] is empty"),
        ({"metrics": ["nothing"]}, "names 'nothing', which is not a metric"),
        ({"bootstrap": -1}, "bootstrap= must be a whole number of at least 0, not -1"),
        ({"floor_repeats": 0}, "floor_repeats= must be a whole number of at least 1"),
        ({"permutations": 2.5}, "permutations= must be a whole number"),
        ({"confidence": 1.0}, "confidence= must lie between 0 and 1"),
        ({"seed": -1}, "seed= must be a whole number of at least 0, not -1"),
        ({"seed": "one"}, "seed= must be a whole number"),
        ({"eigenvalues": -3}, "eigenvalues= must be a whole number from 1 to 1024"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(hh.errors.HyperhedgeError, match=message):
        evaluate(**({"real": REAL[:2], "generated": FRESH[:2]} | arguments))


def test_importing_the_metrics_loads_nothing_heavy():
    code = "import sys, hyperhedge.metrics; print(sorted({'torch', 'sklearn', 'numba', 'pandas', 'xgi'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
