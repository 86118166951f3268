"""Whole hypergraphs beside the authors' programs: what is measured, and the table of a record that is written by hand."""

import pytest
from benchmarks.whole_tables import HYPER_DK_PROGRAM, HYPERGRAPHX, THEIRS, whole_block

import hyperhedge as hh
from benchmarks import whole

DISTANCES = ("degrees", "pair degrees", "overlaps", "homogeneity", "back")


def test_the_table_has_both_parts_and_how_many_times_as_long_the_authors_take():
    far = {key: [0.25, 0.125] for key in DISTANCES}
    rows = {
        "hyper dK-series, 2.5": {"seconds": 8.0, "fit": 2.0, "sample": 6.0, **far},
        "Hy-MMSBM": {"seconds": 0.5, "fit": 0.25, "sample": 0.25, **far},
        "DDE": {"seconds": 3.0, "fit": 2.0, "sample": 1.0, **far},
        HYPER_DK_PROGRAM: {"seconds": 20.0, **far},
        HYPERGRAPHX: {"seconds": 1500.0, "fit": 0.25, "sample": 1499.75},
    }
    text = whole_block({"measured": {"a": {"shape": [3, 2000], "incidences": 5, "rows": rows}}})["whole peers"]
    head, *lines = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|"
    ]
    assert text.startswith("*a*, 3 × 2,000, 5 incidences:\n\n")
    assert head == ["", "fit, s", "sample, s", "both, s", "authors', times", *DISTANCES]
    assert [line[:5] for line in lines[1:]] == [
        ["hyper dK-series, 2.5", "2", "6", "8", "2.5"],
        ["Hy-MMSBM", "0.25", "0.25", "0.5", "3,000"],
        ["DDE", "2", "1", "3", ""],
        [HYPER_DK_PROGRAM, "–", "–", "20", ""],
        [HYPERGRAPHX, "0.25", "1,500", "1,500", ""],
    ]
    assert lines[1][5:] == ["0.250 ± 0.125"] * 4 + ["25.0%"]
    assert lines[-1][5:] == ["–"] * 5


def test_models_that_have_a_program_are_measured():
    assert set(THEIRS) <= set(whole.MODELS)
    assert {program.row for program in (whole.HyperLapProgram, whole.HyperDKProgram)} < set(THEIRS.values())


def test_a_row_has_its_times_and_distances(monkeypatch):
    pytest.importorskip("hypergraphx")
    H = whole.prepared(hh.load_dataset("southern-women").hypergraph)
    few = ("configuration model", "hyper dK-series, 2.5", "hyperedge copying")
    monkeypatch.setattr(whole, "MODELS", {name: whole.MODELS[name] for name in few})
    monkeypatch.setattr(whole, "PROPOSALS", 20)
    table = whole.measured(H, [], seeds=(0, 1))
    assert table["shape"] == H.shape
    assert set(table["rows"]) == {*few, HYPERGRAPHX}
    for name in few:
        row = table["rows"][name]
        assert set(row) == {*whole.TIMES, *DISTANCES}
        assert 0 < row["fit"] < row["seconds"]
        assert 0 < row["sample"] < row["seconds"]
    theirs = table["rows"][HYPERGRAPHX]
    assert set(theirs) == set(whole.TIMES)
    assert theirs["sample"] > theirs["fit"] / 1000 > 0
