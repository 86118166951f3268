"""The report as data and as a page: scores, JSON that comes back, nothing that is not a number, nothing unescaped."""

import base64
import hashlib
import json
import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

import hyperhedge as hh
from hyperhedge.report import Baseline, Property, Report, Row, evaluate
from hyperhedge.report.grades import BOUNDS, FAIR, GOOD, PASSING
from hyperhedge.report.page import SCRIPTS
from hyperhedge.report.report import PROPERTIES, fidelity, shown_cell, shown_ratio
from laws import teams

BASE = Row("size_wd", "Size WD", "W₁(e)", "marginals", "A sentence.", signed=False)


@pytest.fixture(scope="module")
def report():
    return evaluate(
        teams(15, seed=1),
        teams(12, seed=2),
        train=teams(20, seed=3),
        bootstrap=30,
        permutations=49,
        seed=0,
        name="<b>&",
    )


@pytest.mark.parametrize(
    ("value", "floor", "ceiling", "ratio", "score", "kind", "shows"),
    [
        (1.0, 2.0, 9.0, 0.5, 1.0, "good", "0.5"),
        (-3.0, 2.0, 9.0, 1.5, 2 / 3, "good", "1.5"),
        (5.0, 2.0, 9.0, 2.5, 0.4, "fair", "2.5"),
        (8.0, 2.0, 9.0, 4.0, 0.25, "poor", "4"),
        (0.0, 0.0, 0.0, 1.0, None, "", "cannot judge"),  # nothing could go wrong
        (0.0, 0.0, 0.5, 1.0, 1.0, "good", "1"),  # something could
        (0.1, 0.0, 0.5, None, 0.0, "poor", "∞"),
        (0.0, 2.0, None, 0.0, 1.0, "good", "0"),
        (1.0, None, 9.0, None, None, "", "–"),
        (None, 1.0, 9.0, None, None, "", "–"),
        # Independent incidences would be good, too: up to 1.5 times the floor, and no further.
        (1.0, 2.0, 3.0, 0.5, None, "", "cannot judge"),
        (3.0, 2.0, -3.0, 1.5, None, "", "cannot judge"),
        (1.0, 2.0, 3.01, 0.5, 1.0, "good", "0.5"),
        (3.2, 2.0, 3.0, 1.6, 0.625, "fair", "1.6"),  # what is worse than that is still a fault
        (8.0, 2.0, 3.0, 4.0, 0.25, "poor", "4"),
    ],
)
def test_how_a_row_is_scored(value, floor, ceiling, ratio, score, kind, shows):
    row = replace(BASE, value=value, floor=floor, ceiling=ceiling)
    assert row.ratio == ratio
    assert row.score == pytest.approx(score)
    assert (row.grade, shown_ratio(row)) == (kind, shows)


# -- what cannot judge -------------------------------------------------------------------------------


def rows_of(*numbers):
    """Return rows of (group, value, ceiling), with floors of one."""
    return [
        replace(BASE, key=f"row {k}", group=group, value=value, floor=1.0, ceiling=ceiling)
        for k, (group, value, ceiling) in enumerate(numbers)
    ]


def test_a_metric_that_cannot_judge_stays_out_of_the_fidelity():
    judging = rows_of(("overlap", 2.0, 90.0), ("spectra", 4.0, 90.0))
    with_blunt = judging + rows_of(("calibration", 0.1, 1.5), ("calibration", 1.5, 1.2), ("overlap", 1.0, 1.0))
    assert fidelity(with_blunt) == fidelity(judging)
    assert fidelity(judging).score == pytest.approx((0.5 + 0.25) / 2)


def test_a_metric_that_cannot_judge_can_still_find_a_fault():
    judging = rows_of(("overlap", 1.0, 9.0))
    wrong = judging + rows_of(("calibration", 10.0, 1.2))
    assert fidelity(wrong).score == pytest.approx((1.0 + 0.1) / 2)


@pytest.mark.parametrize(("ceiling", "known"), [(2.0, False), (2.01, True)])
def test_where_independent_incidences_are_good_in_everything_nothing_is_praised(ceiling, known):
    prop = fidelity(rows_of(("overlap", 1.0, ceiling), ("spectra", 1.0, ceiling)), "because")
    assert (prop.score, prop.note) == ((1.0, "") if known else (None, "because"))


@pytest.mark.parametrize(("value", "score"), [(1.5, None), (1.6, 1 / 1.6), (8.0, 0.125)])
def test_where_independent_incidences_are_good_in_everything_faults_count(value, score):
    prop = fidelity(rows_of(("overlap", value, 1.0), ("spectra", value, 1.0)))
    assert prop.score == pytest.approx(score)


def test_a_fault_is_worse_than_independent_incidences():
    """With these at 0.6, a fidelity of 0.62 cannot be judged, and one of 0.5 is a fault."""
    for value, score in ((1 / 0.62, None), (2.0, 0.5)):
        rows = rows_of(("overlap", value, 1 / 0.6), ("spectra", value, 1 / 0.6))
        assert fidelity(rows).score == pytest.approx(score)


def test_one_sharp_metric_among_many_blunt_ones_is_too_little():
    blunt = rows_of(*((group, 1.0, 1.0) for group in ("calibration", "marginals", "overlap", "spectra")))
    assert fidelity(blunt + rows_of(("features", 1.0, 50.0))).score is None
    assert fidelity(blunt[:1] + rows_of(("features", 1.0, 50.0), ("spectra", 1.0, 50.0))).score == 1.0


distances = st.floats(0, 20)


@given(
    st.lists(st.tuples(st.sampled_from(["a", "b", "c"]), distances, distances, distances), min_size=1, max_size=6),
    st.integers(0, 5),
    st.floats(0, 10),
)
def test_the_fidelity_never_rises_with_a_distance(numbers, which, more):
    def score(grown):
        rows = [
            replace(BASE, group=group, value=value + grown * (k == which), floor=floor, ceiling=ceiling)
            for k, (group, value, floor, ceiling) in enumerate(numbers)
        ]
        known = fidelity(rows).score
        return 1.0 if known is None else known  # what is not known is no fault

    assert score(more) <= score(0.0) + 1e-12


def test_a_baseline_is_graded_as_generated_hypergraphs_are():
    rows = [replace(row, value=3.2) for row in rows_of(("a", 0, 9.0), ("b", 0, 1.0))]
    rows.append(replace(BASE, key="row c", value=1.2, floor=1.0, ceiling=1.1))
    rows.append(replace(BASE, key="row x", value=0.1, floor=0.0, ceiling=0.5))
    baseline = Baseline.of(7, rows)
    assert baseline.score == fidelity(rows).score
    assert [shown_cell(*baseline.cell(row.key)) for row in rows] == ["3.2", "3.2", "(1.2)", "∞"]
    assert [baseline.cell(row.key)[1] for row in rows] == [row.grade for row in rows]
    earlier = Baseline(7, 0.5, {"a": 2.0}, {"a": 2.0})  # from a file that has no grades
    assert earlier.cell("a") == (2.0, "fair")


def test_bounds_and_grades_are_in_the_file(report):
    data = json.loads(report.to_json())
    assert data["bounds"] == {
        "ratio": {"good": GOOD, "fair": FAIR},
        "scores": {name: {"good": good, "fair": fair} for name, (good, fair) in BOUNDS.items()},
        "independent": PASSING,
    }
    assert data["verdict"] == {"grade": report.verdict.grade, "sentence": report.verdict.sentence}
    assert data["grades"] == {finding.name: finding.grade for finding in report.verdict.findings}
    for row, kept in zip(report.details, data["details"], strict=True):
        assert kept["grade"] == ("cannot judge" if row.cannot_judge else row.grade)


def test_the_page_names_the_bounds_by_the_yardstick_alone():
    """A bound that is written into a template or a script would not follow the yardstick."""
    folder = Path(hh.__file__).parent / "report" / "assets"
    for file in folder.glob("*.[hj]*"):
        if file.name != "notebook.css.html":
            assert not re.search(r"up to 1\.5|above 3|0\.67|0\.33|>= ?0\.[0-9]+ ?\?", file.read_text()), file.name


def test_the_page_has_the_bounds(report, monkeypatch):
    monkeypatch.setattr("hyperhedge.report.grades.GOOD", 1.25)
    assert "up to 1.25 may be" in report.to_html()


def test_the_score_weighs_groups_alike():
    rows = [
        replace(BASE, group=group, value=value, floor=1.0)
        for group, value in [("calibration", 1), ("calibration", 1), ("calibration", 1), ("spectra", 10)]
    ]
    assert fidelity(tuple(rows)).score == pytest.approx((1 + 0.1) / 2)
    assert fidelity((BASE,)).score is None


def test_properties_are_there_and_novelty_is_shown_with_the_score(report):
    assert list(report.properties) == list(PROPERTIES)
    assert report.score == report.properties["fidelity"].score
    for prop in report.properties.values():
        assert 0 <= prop.score <= 1
    assert re.fullmatch(r"<Report on '<b>&': fidelity \d\.\d\d, novelty \d\.\d\d, .*>", repr(report))
    assert report["size_wd"].title == "Size WD"
    with pytest.raises(hh.errors.HyperhedgeError, match="has no metric 'size'; it has density_gap"):
        report["size"]


def test_json_comes_back(report):
    text = report.to_json()
    assert Report.from_json(text) == report
    assert Report.from_json(text.encode()) == report
    document = json.loads(text, parse_constant=pytest.fail)
    assert document["score"] == report.score
    assert document["details"][4]["ratio"] == report.details[4].ratio


def test_what_is_not_a_number_is_null():
    bad = evaluate([hh.Hypergraph([])], [hh.Hypergraph([[0]])], bootstrap=3, ceiling=False)
    text = bad.to_json()
    json.loads(text, parse_constant=pytest.fail)
    assert "NaN" not in text
    assert "Infinity" not in text
    assert Report.from_json(text) == bad
    assert bad["degree_wd"].value is None
    assert bad["degree_wd"].note


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "cut short"),
        ("nonsense", "this is not JSON"),
        ("{}", "this is not a report: .*format"),
        ('{"format": "hyperhedge-report", "format_version": 99}', "format version 99; upgrade"),
        ('{"format": "hyperhedge-report", "format_version": 1, "name": 3}', "this is not a report"),
        (
            '{"format": "hyperhedge-report", "format_version": 1, "name": "", "properties": {}, "details": [], "counts": {},'
            ' "settings": {}, "collections": {"real": {}}}',
            "this is not a report: .*collections",
        ),
        ("[" * 5000, "this is not a report|nested"),
    ],
)
def test_what_is_no_report_is_refused(text, message):
    with pytest.raises(hh.errors.FormatError, match=message):
        Report.from_json(text)


class _Page(HTMLParser):
    """Collect tags, attributes and text of a page."""

    def __init__(self):
        super().__init__()
        self.tags, self.open, self.text = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "br", "link", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text.append(data)


def test_the_page_is_whole_escaped_and_needs_nothing(report):
    hostile = '</script><script>alert("x")</script>'
    shown = {name: collection for name, collection in report.collections.items() if name != "train"}
    report = replace(report, name=hostile, notes=(hostile,), collections={**shown, hostile: shown["real"]})
    report = replace(report, properties=report.properties | {"novelty": Property(None, {hostile: 1.0}, hostile)})
    report = replace(report, baselines={hostile: Baseline(3, 0.5, {"size_wd": 1.0}, {"size_wd": 2.0})})
    html = report.to_html(command=hostile)
    page = _Page()
    page.feed(html)
    assert page.open == []
    assert hostile not in html
    assert html.count("<script") == html.count("</script") == 1 + len(SCRIPTS)
    for tag, attributes in page.tags:
        assert not {name for name in attributes if name.startswith("on") or name in ("src", "style", "srcset")}, tag
        assert attributes.get("href", "#").startswith(("#", "data:,"))
    for word in ("@import", "url(", "fetch(", "XMLHttpRequest", "innerHTML", "eval("):
        assert word not in html
    assert set(re.findall(r"https?://[^\s\"']+", html)) == {"http://www.w3.org/2000/svg"}  # a name, not an address
    text = "".join(page.text)
    assert text.count(hostile) >= 9  # title, heading, note, property and its value, baseline, command, call …
    for row in report.details:
        assert row.title in text
        assert row.definition in text
    assert report.verdict.sentence in text


def test_the_policy_admits_our_own_scripts_alone(report):
    html = report.to_html()
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]+)"', html)
    rules = dict(rule.split(" ", 1) for rule in unescape(policy).split("; "))
    assert rules["default-src"] == "'none'"
    contents = {"script-src": re.findall(r"<script>(.*?)</script>", html, re.DOTALL)}
    contents["style-src"] = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)
    for rule, texts in contents.items():
        hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts]
        assert rules[rule] == " ".join(f"'sha256-{digest}'" for digest in hashes)


def test_a_report_from_json_has_a_page_without_pictures(report):
    html = Report.from_json(report.to_json()).to_html()
    assert report.verdict.sentence in html
    assert 'id="metrics"' in html
    for section in ("distributions", "gallery", "player"):
        assert f'id="{section}"' not in html


def test_a_notebook_shows_verdict_and_table_without_a_script(report):
    shown = replace(report, name="<i>")._repr_html_()
    page = _Page()
    page.feed(shown)
    assert page.open == []
    assert "<script" not in shown
    assert "&lt;i&gt;" in shown
    assert report.verdict.sentence in shown
    assert all(row.title in shown for row in report.details)


def test_saving_follows_the_name_and_is_whole_or_not_at_all(report, tmp_path, monkeypatch):
    report.save(tmp_path / "r.json")
    assert Report.from_json((tmp_path / "r.json").read_text()) == report
    report.save(str(tmp_path / "r.HTML"))
    assert (tmp_path / "r.HTML").read_text() == report.to_html()
    for name in ("r.pdf", "r"):
        with pytest.raises(hh.errors.HyperhedgeError, match=r"must end in .html or .json"):
            report.save(tmp_path / name)
    with pytest.raises(hh.errors.HyperhedgeError, match=r"need a page; give a name that ends in .html"):
        report.save(tmp_path / "r.json", command="hyperhedge")
    before = (tmp_path / "r.json").read_bytes()

    def fail(_):
        raise RuntimeError("stop")

    monkeypatch.setattr(Report, "to_json", fail)
    with pytest.raises(RuntimeError):
        report.save(tmp_path / "r.json")
    assert (tmp_path / "r.json").read_bytes() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["r.HTML", "r.json"]


def test_no_number_of_the_table_is_cut_in_a_terminal_of_80_columns(report):
    row = replace(
        BASE, title="Overlap tail gap", value=-4.39e-05, low=-0.00034, high=0.00026, floor=7.69e-05, ceiling=0.0099
    )
    blunt = replace(BASE, title="Node number", value=0.0, low=0.0, high=0.0, floor=0.0, ceiling=0.0)
    console = Console(width=80)
    with console.capture() as capture:
        console.print(replace(report, details=(row, blunt)).table())
    text = capture.get()
    assert all(number in text for number in ("-4.39e-05", "-0.00034 …", "0.00026", "7.69e-05", "0.0099", "0.571"))
    assert "cannot judge" in text
    assert max(map(len, text.splitlines())) <= 80


def test_the_table_fits_a_terminal_and_is_coloured(report):
    rows = (
        replace(BASE, title="green", value=1.0, floor=1.0),
        replace(BASE, title="yellow", value=2.0, floor=1.0),
        replace(BASE, title="red", value=4.0, floor=1.0),
        replace(BASE, title="infinite", value=4.0, floor=0.0),
        replace(BASE, title="none", note="because"),
    )
    console = Console(width=80, force_terminal=True, color_system="standard")
    with console.capture() as capture:
        console.print(replace(report, details=rows, notes=("a note",)))
    lines = capture.get().splitlines()
    for title, code in (("green", "\x1b[32m"), ("yellow", "\x1b[33m"), ("red", "\x1b[31m"), ("infinite", "\x1b[31m")):
        (line,) = [line for line in lines if title in line]
        assert code in line
    assert "∞" in "".join(lines)
    assert "a note" in "".join(lines)
    assert report.verdict.sentence in lines[0]
    plain = Console(width=80)
    with plain.capture() as capture:
        plain.print(report.table())
    shown = capture.get().splitlines()
    assert max(map(len, shown)) <= 80
    for row in report.details:
        assert sum(row.title in line for line in shown) == 1  # nothing is wrapped


def test_the_frame_has_a_row_per_metric(report):
    frame = report.to_frame()
    assert list(frame.index) == [row.key for row in report.details]
    assert frame.loc["size_wd", "value"] == report["size_wd"].value
    assert {"low", "high", "floor", "ceiling", "ratio", "score", "group"} <= set(frame.columns)
