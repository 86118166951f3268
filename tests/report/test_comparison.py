"""Several generators side by side: each is judged as it would be alone, at one count, and none is lost or renamed."""

import json
import re
from dataclasses import replace

import pytest
from rich.console import Console

import hyperhedge as hh
from hostile import HOSTILE
from hyperhedge.report import Comparison, compare, evaluate
from hyperhedge.report.content import generator_kind, table_of_several
from laws import rewired, teams

REAL, TRAIN = teams(16, seed=22), teams(32, seed=21)
QUICK = {"bootstrap": 20, "permutations": 49}
MADE = {"fresh": teams(16, seed=23), "rewired": rewired(teams(16, seed=24), 0.6), "copied": TRAIN[:16]}


@pytest.fixture(scope="module")
def comparison():
    return compare(REAL, MADE, train=TRAIN, seed=5, costs={"rewired": 0.25, "fresh": 12}, **QUICK)


@pytest.mark.parametrize("name", list(MADE))
def test_each_column_is_the_report_on_that_generator_alone(comparison, name):
    alone = evaluate(REAL, MADE[name], train=TRAIN, seed=5, name=name, **QUICK)
    assert comparison[name] == alone
    assert comparison[name].verdict == alone.verdict


def test_names_keep_their_order_and_none_is_special(comparison):
    assert comparison.names == ("fresh", "rewired", "copied")
    turned = compare(REAL, dict(reversed(MADE.items())), train=TRAIN, seed=5, **QUICK)
    assert turned.names == ("copied", "rewired", "fresh")
    assert turned.reports == comparison.reports
    shown = [column.name for column in table_of_several(turned.reports).columns]
    assert shown == ["copied", "rewired", "fresh"]
    assert "generated" not in comparison.to_frame().reset_index()["generator"].tolist()


def test_floor_and_ceiling_are_the_same_for_all(comparison):
    for rows in zip(*(report.details for report in comparison.reports.values()), strict=True):
        assert len({(row.key, row.floor, row.ceiling) for row in rows}) == 1


def test_a_larger_collection_is_reduced_to_the_smallest(comparison):
    larger = MADE | {"fresh": MADE["fresh"] + teams(9, seed=8)}
    reduced = compare(REAL, larger, train=TRAIN, seed=5, **QUICK)
    assert {report.counts["generated"] for report in reduced.reports.values()} == {16}
    assert reduced.notes[0] == (
        "All are compared at 16 hypergraphs, the smallest number; of fresh (25) a random subset is taken."
    )
    assert reduced["copied"] == comparison["copied"]
    members = reduced["fresh"].collections["generated"].hypergraphs
    assert set(members) <= set(larger["fresh"])
    assert members != tuple(larger["fresh"][:16])
    assert compare(REAL, larger, train=TRAIN, seed=5, **QUICK) == reduced


def test_samples_may_be_files(comparison, tmp_path):
    for name, hypergraphs in (MADE | {"real": REAL, "train": TRAIN}).items():
        hh.write_collection(hypergraphs, tmp_path / f"{name}.hif.jsonl")
    files = {name: tmp_path / f"{name}.hif.jsonl" for name in MADE}
    files["copied"] = str(files["copied"])
    read = compare(tmp_path / "real.hif.jsonl", files, train=str(tmp_path / "train.hif.jsonl"), seed=5, **QUICK)
    assert [report.details for report in read.reports.values()] == [
        report.details for report in comparison.reports.values()
    ]
    hh.write(MADE["fresh"][0], tmp_path / "one.hif.json")
    single = compare(REAL, {"one": tmp_path / "one.hif.json"}, train=TRAIN, seed=5, metrics=["degree_wd"], **QUICK)
    assert single["one"].counts["generated"] == 1


def test_notes_are_said_once_or_with_the_name():
    without = compare(REAL, MADE, seed=5, metrics=["degree_wd"], **QUICK)
    assert sum("There is no train=" in note for note in without.notes) == 1
    odd = MADE | {"empty": [hh.Hypergraph(nodes=3)] * 16}
    notes = compare(REAL, odd, seed=5, metrics=["degree_wd"], **QUICK).notes
    assert any(note.startswith("empty: 16 of the 16 generated hypergraphs have no hyperedges") for note in notes)


# -- as data -------------------------------------------------------------------------------------------


def test_frames_have_a_row_per_generator_and_metric_or_per_generator(comparison):
    frame = comparison.to_frame()
    assert frame.index.names == ["generator", "key"]
    assert len(frame) == 3 * len(comparison["fresh"].details)
    row = comparison["rewired"]["edge_spectral_wd"]
    assert frame.loc[("rewired", "edge_spectral_wd"), ["value", "ratio", "floor", "grade"]].tolist() == [
        row.value,
        row.ratio,
        row.floor,
        row.grade,
    ]
    properties = comparison.to_frame("properties")
    assert list(properties.index) == list(MADE)
    assert properties.loc["copied", "novelty"] == 0
    assert properties.loc["rewired", "seconds"] == 0.25
    assert properties.loc["copied", "seconds"] != properties.loc["copied", "seconds"]
    assert properties.loc["copied", "verdict"] == comparison["copied"].verdict.sentence
    with pytest.raises(hh.errors.HyperhedgeError, match='of= must be "metrics" or "properties", not \'rows\''):
        comparison.to_frame("rows")


def test_json_comes_back(comparison):
    text = comparison.to_json()
    json.loads(text, parse_constant=pytest.fail)
    again = Comparison.from_json(text)
    assert again == comparison
    assert again.names == comparison.names
    assert again.to_json() == text
    for name in MADE:
        assert again[name].verdict == comparison[name].verdict


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{}", "this is not a comparison: .*format"),
        ('{"format": "hyperhedge-report", "format_version": 1}', "not a comparison: its format is 'hyperhedge-report'"),
        ('{"format": "hyperhedge-comparison", "format_version": 99}', "format version 99; upgrade"),
        ('{"format": "hyperhedge-comparison", "format_version": 1, "reports": {}}', "at least one generator"),
        ("{", "cut short"),
    ],
)
def test_what_is_no_comparison_is_refused(text, message):
    with pytest.raises(hh.errors.HyperhedgeError, match=message):
        Comparison.from_json(text)


def test_saving_follows_the_name(comparison, tmp_path):
    comparison.save(tmp_path / "c.json")
    assert Comparison.from_json((tmp_path / "c.json").read_bytes()) == comparison
    comparison.save(tmp_path / "c.html", command="hyperhedge compare a b")
    assert (tmp_path / "c.html").read_text() == comparison.to_html(command="hyperhedge compare a b")
    for name, command, message in (("c.pdf", None, "must end in"), ("c.json", "hyperhedge", "command= needs a page")):
        with pytest.raises(hh.errors.HyperhedgeError, match=message):
            comparison.save(tmp_path / name, command=command)


# -- for people ----------------------------------------------------------------------------------------


def test_the_terminal_shows_every_generator_and_number(comparison):
    console = Console(width=100, force_terminal=True, color_system="standard")
    with console.capture() as capture:
        console.print(comparison)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", capture.get())
    for name, report in comparison.reports.items():
        assert " ".join(f"{name}: {report.verdict.sentence}".split()) in " ".join(plain.split())
    (novelty,) = [line for line in plain.splitlines() if line.strip().startswith("novelty")]
    assert novelty.split()[1:] == [f"{r.properties['novelty'].score:.2f}" for r in comparison.reports.values()]
    (seconds,) = [line for line in plain.splitlines() if line.strip().startswith("seconds")]
    assert seconds.split() == ["seconds", "12", "0.25", "–"]
    for row in comparison["fresh"].details:
        (line,) = [line for line in plain.splitlines() if line.strip().startswith(row.title)]
        assert f"{row.floor:.3g}" in line
    assert repr(comparison).startswith("<Comparison: fidelity of fresh 0.")


def test_the_page_has_every_verdict_score_and_ratio(comparison):
    html = comparison.to_html(command="hyperhedge compare ...")
    for name, report in comparison.reports.items():
        assert f"<bdi>{name}</bdi>" in html
        assert report.verdict.sentence in html
    cells = re.findall(r'data-name="(\w+)" title="[^"]*"><span class="chip (\w+)">([\d.–]+)<', html)
    expected = [
        (finding.name, finding.grade or "none", f"{report.properties[finding.name].score:.2f}")
        for report in comparison.reports.values()
        for finding in report.verdict.findings
    ]
    assert cells == expected
    assert (
        "hh.compare(\n    real,\n    {&#39;fresh&#39;: …, &#39;rewired&#39;: …, &#39;copied&#39;: …},\n    train=train,"
        in html
    )
    data = json.loads(re.findall(r'id="data">(.*?)</script>', html)[0])
    assert [one["name"] for one in data["series"]] == ["real", *MADE]
    assert len({one["kind"] for one in data["series"]}) == 4
    assert list(data["gallery"]) == ["real", *MADE]


def test_a_comparison_from_json_has_a_page_too(comparison):
    html = Comparison.from_json(comparison.to_json()).to_html()
    assert comparison["fresh"].verdict.sentence in html
    assert 'id="distributions"' not in html


def test_a_notebook_shows_scores_and_ratios(comparison):
    html = comparison._repr_html_()
    assert "<script" not in html
    assert all(report.verdict.sentence in html for report in comparison.reports.values())
    assert all(row.title in html for row in comparison["fresh"].details)


def test_hostile_names_are_text(comparison):
    reports = {name: replace(r) for name, r in zip(HOSTILE, comparison.reports.values(), strict=False)}
    hostile = Comparison(reports, {HOSTILE[0]: 1.0}, tuple(HOSTILE))
    for html in (hostile.to_html(command=HOSTILE[0]), hostile._repr_html_()):
        for name in HOSTILE:
            assert "<" not in name or name not in html
    Console(width=80).print(hostile)


def test_five_generators_have_different_marks():
    assert len({generator_kind(k) for k in range(5)}) == 5


# -- what is refused -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("generators", "message"),
    [
        ({}, "generators= is empty; give samples by name"),
        ([REAL], "generators= must be a mapping such as .*, not a list"),
        ({" ": REAL}, "needs names other than real, generated, train, not ' '"),
        ({"train": REAL}, "needs names other than real, generated, train, not 'train'"),
        ({"a": REAL, "a ": REAL}, "two generators named 'a'; give them different names"),
        ({"a": []}, r"generators\['a'\] is empty"),
        ({"a": hh.ErdosRenyi()}, r"generators\['a'\] is a model; give its samples, such as model.sample\(100\)"),
        ({"a": [3]}, r"generators\['a'\]\[0\] is an int"),
    ],
)
def test_bad_generators_are_refused(generators, message):
    with pytest.raises(hh.errors.HyperhedgeError, match=message):
        compare(REAL, generators)


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        ({"b": 1.0}, "costs= names 'b', which is none of the generators: a"),
        ({"a": -1}, r"costs\['a'\] must be a number of seconds, not -1"),
        ({"a": float("inf")}, "must be a number of seconds"),
        ({"a": "1"}, "must be a number of seconds"),
    ],
)
def test_bad_costs_are_refused(costs, message):
    with pytest.raises(hh.errors.HyperhedgeError, match=message):
        compare(REAL, {"a": REAL}, costs=costs)


def test_an_unknown_generator_is_named(comparison):
    with pytest.raises(hh.errors.HyperhedgeError, match="no generator 'Hedge'; it has fresh, rewired, copied"):
        comparison["Hedge"]
