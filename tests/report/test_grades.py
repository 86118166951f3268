"""One yardstick: its bounds, on both sides, and everywhere they are shown."""

import re
from pathlib import Path

import pytest

from hyperhedge.report.content import RatioAxis
from hyperhedge.report.grades import BOUNDS, COLOURS, FAIR, GOOD, as_data, grade_of_ratio, grade_of_score, lowest
from hyperhedge.report.report import PROPERTIES

DOCS = Path(__file__).parents[2] / "docs"
TINY = 1e-6


def test_ratios_are_graded_at_their_bounds():
    graded = [grade_of_ratio(ratio) for ratio in (0.0, GOOD, GOOD + TINY, FAIR, FAIR + TINY, None)]
    assert graded == ["good", "good", "fair", "fair", "poor", ""]


@pytest.mark.parametrize("name", list(BOUNDS))
def test_scores_are_graded_at_their_bounds(name):
    good, fair = BOUNDS[name]
    graded = [grade_of_score(name, score) for score in (1.0, good, good - TINY, fair, fair - TINY, 0.0, None)]
    assert graded == ["good", "good", "fair", "fair", "poor", "poor", ""]


def test_a_fidelity_has_the_grade_of_its_ratio():
    """The score of a single metric is floor over distance: at every ratio above 1 both have one grade."""
    for ratio in (1.0, 1.2, GOOD, GOOD + TINY, 2.0, FAIR, FAIR + 1e-5, 10.0):
        assert grade_of_score("fidelity", 1 / ratio) == grade_of_ratio(ratio)


def test_every_property_has_bounds_and_every_grade_a_colour():
    assert list(BOUNDS) == list(PROPERTIES) == list(as_data()["scores"])
    assert set(COLOURS) == {"good", "fair", "poor", ""}
    assert lowest(["good", "poor", "fair", ""]) == "poor"


def test_the_bands_of_the_page_end_at_the_bounds():
    axis = RatioAxis(100.0)
    ends = {name: round(left + width, 1) for name, left, width in axis.zones}
    assert ends == {"good": axis(GOOD), "fair": axis(FAIR), "poor": axis.width}


@pytest.mark.parametrize("page", ["report.md", "tutorials/reading-the-report.md"])
def test_the_docs_show_the_bounds(page):
    text = (DOCS / page).read_text()
    rows = re.findall(r"^\| (\w+) \| (\d\.\d\d) \| (\d\.\d\d) \|", text, re.MULTILINE)
    shown = {name: (good, fair) for name, good, fair in rows}
    assert shown == {name: (f"{good:.2f}", f"{fair:.2f}") for name, (good, fair) in BOUNDS.items()}
    assert f"p to {GOOD:g}" in text
    assert re.search(rf"(up to|above) {FAIR:g}\b", text)


def test_the_docs_name_every_beginning_of_the_headline():
    text = (DOCS / "report.md").read_text()
    for words in (
        "Close to real, and new.",
        "Partly close to real",
        "Far from real",
        "Easily told from real",
        "Too close to the training set",
        "Full of defects",
        "Too much alike",
        "This comparison cannot judge",
    ):
        assert f"| {words}" in text
