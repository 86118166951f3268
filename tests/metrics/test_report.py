"""The report as data and as a page: scores, JSON that comes back, nothing that is not a number, nothing unescaped."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from rich.console import Console

import hyperhedge as hh
from hyperhedge.metrics import Property, Report, Row, evaluate
from hyperhedge.metrics.report import PROPERTIES, fidelity, grade
from laws import teams

BASE = Row("size_wd", "Size WD", "W₁(e)", "marginals", "A sentence.", signed=False)


@pytest.fixture(scope="module")
def report():
    return evaluate(
        teams(15, seed=1), teams(12, seed=2), train=teams(20, seed=3), bootstrap=30, permutations=49, name="<b>&"
    )


@pytest.mark.parametrize(
    ("value", "floor", "ceiling", "ratio", "score", "kind"),
    [
        (1.0, 2.0, 9.0, 0.5, 1.0, "good"),
        (-3.0, 2.0, 9.0, 1.5, 2 / 3, "good"),
        (5.0, 2.0, 9.0, 2.5, 0.4, "fair"),
        (8.0, 2.0, 9.0, 4.0, 0.25, "poor"),
        (0.0, 0.0, 0.0, 1.0, None, "good"),  # nothing could go wrong
        (0.0, 0.0, 0.5, 1.0, 1.0, "good"),  # something could
        (0.1, 0.0, 0.5, None, 0.0, ""),
        (0.0, 2.0, None, 0.0, 1.0, "good"),
        (1.0, None, 9.0, None, None, ""),
        (None, 1.0, 9.0, None, None, ""),
    ],
)
def test_how_a_row_is_scored(value, floor, ceiling, ratio, score, kind):
    row = replace(BASE, value=value, floor=floor, ceiling=ceiling)
    assert row.ratio == ratio
    assert row.score == pytest.approx(score)
    assert grade(row.ratio) == kind


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
    for part in report.properties.values():
        assert 0 <= part.score <= 1
    assert re.fullmatch(r"<Report on '<b>&': fidelity \d\.\d\d, novelty \d\.\d\d, .*>", repr(report))
    assert report["size_wd"].title == "Size WD"
    with pytest.raises(hh.HyperhedgeError, match="has no metric 'size'; it has density_gap"):
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
        ("{}", "this is no report: .*format"),
        ('{"format": "hyperhedge-report", "format_version": 99}', "format version 99; upgrade"),
        ('{"format": "hyperhedge-report", "format_version": 1, "name": 3}', "this is no report"),
        ("[" * 5000, "this is no report|nested"),
    ],
)
def test_what_is_no_report_is_refused(text, message):
    with pytest.raises(hh.FormatError, match=message):
        Report.from_json(text)


class _Page(HTMLParser):
    """Collect tags, attributes and text of a page."""

    def __init__(self):
        super().__init__()
        self.tags, self.open, self.text = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def test_the_page_is_whole_escaped_and_needs_nothing(report):
    hostile = '<script>alert("x")</script>'
    report = replace(report, name=hostile, notes=(hostile,))
    report = replace(report, properties=report.properties | {"novelty": Property(None, {hostile: 1.0}, hostile)})
    html = report.to_html()
    page = _Page()
    page.feed(html)
    assert page.open == []
    assert "script" not in [tag for tag, _ in page.tags]
    assert not any(name in attributes for _, attributes in page.tags for name in ("src", "href", "onload"))
    assert "http" not in html
    assert "@import" not in html
    assert "url(" not in html
    text = "".join(page.text)
    assert text.count(hostile) == 5  # title, heading, note, property and its value
    for row in report.details:
        assert row.title in text
        assert row.definition in text
    assert "prefers-color-scheme" in html or "color-scheme: light dark" in html
    assert report._repr_html_() in html


def test_saving_follows_the_name_and_is_whole_or_not_at_all(report, tmp_path, monkeypatch):
    report.save(tmp_path / "r.json")
    assert Report.from_json((tmp_path / "r.json").read_text()) == report
    report.save(str(tmp_path / "r.HTML"))
    assert (tmp_path / "r.HTML").read_text() == report.to_html()
    for name in ("r.pdf", "r"):
        with pytest.raises(hh.HyperhedgeError, match=r"must end in .html or .json"):
            report.save(tmp_path / name)
    before = (tmp_path / "r.json").read_bytes()

    def fail(_):
        raise RuntimeError("stop")

    monkeypatch.setattr(Report, "to_json", fail)
    with pytest.raises(RuntimeError):
        report.save(tmp_path / "r.json")
    assert (tmp_path / "r.json").read_bytes() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["r.HTML", "r.json"]


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
