"""Rows and yardsticks of a report on a whole hypergraph: ways, grades, and what a terminal shows."""

from io import StringIO

import pytest
from rich.console import Console

from hyperhedge.report.report import Property
from hyperhedge.report.whole.report import WholeReport, WholeRow, Yardstick


def row(value, floor=0.01, ceiling=0.11):
    return WholeRow("a", "A", "", "overlap", "", False, value=value, floor=floor, ceiling=ceiling)


@pytest.mark.parametrize(
    ("value", "way", "grade"),
    [
        (0.0, 1.0, "good"),
        (0.01, 1.0, "good"),
        (0.02, 0.9, "good"),
        (0.06, 0.5, "poor"),
        (0.04, 0.7, "fair"),
        (0.11, 0.0, "poor"),
        (0.3, 0.0, "poor"),
    ],
)
def test_the_way_from_null_to_floor(value, way, grade):
    assert row(value).score == pytest.approx(way)
    assert row(value).grade == grade


def test_within_one_and_a_half_floors_a_row_is_good_however_short_the_way():
    assert row(0.014, ceiling=0.016).score == pytest.approx(1 / 3)
    assert row(0.014, ceiling=0.016).grade == "good"
    assert row(0.0155, ceiling=0.016).grade == "poor"


def test_a_row_whose_null_model_is_at_the_floor_cannot_judge_but_finds_faults():
    assert row(0.01, ceiling=0.012).cannot_judge
    assert row(0.01, ceiling=0.012).score is None
    assert row(0.01, ceiling=0.012).grade == ""
    # A distance counts as in a report on collections: by its ratio to the floor.
    assert row(0.04, ceiling=0.012).score == pytest.approx(0.25)
    assert row(0.04, ceiling=0.012).grade == "poor"
    assert row(0.02, ceiling=0.012).grade == "fair"


@pytest.mark.parametrize("unknown", [row(0.04, floor=None), row(0.04, ceiling=None), row(None)])
def test_without_value_floor_or_ceiling_there_is_no_way(unknown):
    assert unknown.score is None
    assert unknown.grade == ""


def test_the_null_model_has_gone_no_way_unless_it_is_at_the_floor():
    assert row(0.02).ceiling_score == 0
    assert row(0.02, ceiling=0.0125).ceiling_score == pytest.approx(0.8)
    assert row(0.02, ceiling=None).ceiling_score is None
    assert row(0.02, floor=None).ceiling_score is None


def report_of(fidelity=0.7):
    return WholeReport(
        "made",
        {"fidelity": Property(fidelity, {"overlap": fidelity}), "novelty": Property(0.9), "validity": Property(1.0)},
        (row(0.04),),
        {"real": 1, "generated": 1},
        {},
        notes=("A note.",),
        yardsticks={
            "generated": Yardstick(0.7, 0.91, 0.125, 0.25, "generated"),
            "configuration model": Yardstick(None, 0.55, None, 0.375, "null"),
        },
    )


def shown(report):
    console = Console(width=120, record=True, file=StringIO())
    console.print(report)
    return console.export_text()


def test_yardsticks_show_their_scores_and_shares_in_order():
    lines = [line.split() for line in shown(report_of()).splitlines()]
    assert ["fidelity", "novelty", "matched", "known", "surroundings"] in lines
    assert ["generated", "0.70", "0.91", "0.125", "0.250"] in lines
    assert ["configuration", "model", "–", "0.55", "–", "0.375"] in lines


def test_yardsticks_come_after_the_scores_and_before_the_rows():
    text = shown(report_of())
    places = [text.index(words) for words in ("how close to real", "to read the scores by", "ceiling", "A note.")]
    assert places == sorted(places)


@pytest.mark.parametrize(("fidelity", "grade"), [(0.9, "good"), (0.89, "fair"), (0.6, "fair"), (0.59, "poor")])
def test_the_fidelity_is_graded_by_the_way(fidelity, grade):
    assert report_of(fidelity).grade_of("fidelity") == grade
    assert report_of().grade_of("novelty") == "good"
