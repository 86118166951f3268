"""The verdict on a whole hypergraph: its headline for each combination of grades, and the numbers that the findings name."""

import pytest

from hyperhedge.report.report import Baseline, Property
from hyperhedge.report.whole.report import WholeReport, WholeRow, Yardstick

WAYS = {"good": 0.95, "fair": 0.7, "poor": 0.3, "": None}
NEW = {"good": 0.9, "fair": 0.6, "poor": 0.2, "": None}
VALID = {"good": 1.0, "fair": 0.9, "poor": 0.5}


def row(title, value, floor=0.01, ceiling=0.11):
    return WholeRow(title, title, "", "overlap", "", False, value=value, floor=floor, ceiling=ceiling)


def report_of(close="good", new="good", valid="good", rows=None, **more):
    way = WAYS[close]
    groups = {} if way is None else {"meetings": way, "overlap": way - 0.05, "connectivity": way + 0.05}
    properties = {
        "fidelity": Property(way, groups, "" if groups else "nothing can be measured"),
        "novelty": Property(NEW[new], {}),
        "validity": Property(VALID[valid], {}),
    }
    rows = (row("A", 0.02),) if rows is None else rows
    return WholeReport("made", properties, rows, {"real": 1, "generated": 1}, {}, **more)


@pytest.mark.parametrize(
    ("grades", "grade", "sentence"),
    [
        (("good", "good", "good"), "good", "Close to real, and new."),
        (("good", "fair", "good"), "fair", "Close to real, and only partly new."),
        (("good", "", "good"), "fair", "Close to real; whether it is new is not known."),
        (
            ("good", "good", "fair"),
            "fair",
            "Close to real, and new. Defects are more frequent than in the real one.",
        ),
        (("fair", "good", "good"), "fair", "Partly close to real (least so in overlaps), but new."),
        (("fair", "fair", "good"), "fair", "Partly close to real (least so in overlaps), and only partly new."),
        (("poor", "good", "good"), "poor", "Far from real (most of all in overlaps), but new."),
        (("good", "poor", "good"), "poor", "Mostly a copy of the training hypergraph."),
        (("poor", "poor", "poor"), "poor", "Mostly a copy of the training hypergraph."),
        (("good", "good", "poor"), "poor", "Full of defects that the real one does not have."),
        (
            ("", "good", "good"),
            "",
            "This comparison cannot judge how close to real it is: nothing can be measured.",
        ),
    ],
)
def test_headlines(grades, grade, sentence):
    verdict = report_of(*grades).verdict
    assert (verdict.grade, verdict.sentence) == (grade, sentence)


def finding(report, name):
    return next(one for one in report.verdict.findings if one.name == name)


def test_a_fidelity_names_groups_rows_copies_and_baselines():
    yardsticks = {
        "copy, 1% rewired": Yardstick(0.97, 0.1, 1.0, 1.0, "copy"),
        "copy, 50% rewired": Yardstick(0.55, 0.1, 1.0, 1.0, "copy"),
        "configuration model": Yardstick(0.21, 1.0, 0.0, 0.0, "null"),
    }
    rows = (row("Near", 0.02), row("Far", 0.06), row("Within chance", 0.0145, ceiling=0.016), row("Nothing", None))
    baselines = {"worse": Baseline(1, 0.12, {}, {}), "unknown": Baseline(1, None, {}, {})}
    found = finding(report_of("fair", rows=rows, yardsticks=yardsticks, baselines=baselines), "fidelity")
    assert (found.grade, found.answer) == ("fair", "Partly close")
    assert found.text == (
        "It has gone 70% of the way from its null model to another sample of the real law, on average. "
        "Best: components and distances (0.75); worst: overlaps (0.65). Least: Far (0.50; 6 × the floor). "
        "To compare with: copy, 1% rewired: 0.97; copy, 50% rewired: 0.55. Baselines: worse 0.12."
    )


def test_where_all_is_within_chance_no_row_is_the_least():
    assert "Least" not in finding(report_of(rows=(row("A", 0.014, ceiling=0.016),)), "fidelity").text


def test_a_fidelity_that_is_not_known_says_whether_the_null_model_is_at_the_floor():
    assert finding(report_of("", rows=(row("A", 0.01, ceiling=0.012),)), "fidelity").answer == "Cannot judge"
    unknown = finding(report_of("", rows=(row("A", 0.04, floor=None),)), "fidelity")
    assert (unknown.answer, unknown.text) == ("Not known", "Nothing can be measured.")
    blunt_only = finding(report_of(new="", rows=(row("A", 0.01, ceiling=0.012),)), "novelty")
    assert (blunt_only.answer, blunt_only.text) == ("Not known", "There is nothing to compare.")


def test_a_novelty_names_what_was_copied_and_what_chance_would():
    report = report_of()
    values = {
        "matched": 0.11,
        "matched by chance": 0.02,
        "known surroundings": 0.33,
        "known surroundings by chance": 0.04,
    }
    report.properties["novelty"] = Property(0.7, values)
    found = finding(report, "novelty")
    assert found.answer == "Partly new"
    assert found.text == (
        "11% of the hyperedges match training ones under the best alignment that was found (by chance: 2%). "
        "33% of the surroundings that are unique in training occur here (by chance: 4%)."
    )
