"""The benchmark of HYGENE with tiny settings: what it records, and the tables that are made of it."""

import json

import pytest

import hyperhedge as hh
from benchmarks import hygene, hygene_tables, record
from small_hedge import QUICK, covered
from small_hygene import QUICK as TINY


@pytest.fixture(scope="module")
def measured():
    """Measure on a small bank of our own, as no dataset is downloaded in tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hygene, "bank_of", lambda _case, count, seed: covered(count, 10, 6, seed=seed))
        patch.setattr(hygene, "SEEDS", range(2))
        return hygene.rows_of("cora", train=24, test=6, hygene=TINY, hedge=QUICK)


def test_every_method_is_measured_for_every_seed(measured):
    assert [(row["method"], row["seed"]) for row in measured["rows"]] == [
        (method, seed) for seed in range(2) for method in ("real", "ER-HG", "HCM-MCMC", "HYGENE", "Hedge")
    ]
    keys = {metric.key for metric in hygene.DEFAULT}
    assert all(row["values"].keys() == keys for row in measured["rows"])
    assert all(row["seconds"] > 0 for row in measured["rows"] if row["method"] != "real")
    assert {name: facts["iterations"] for name, facts in measured["training"].items()} == {"HYGENE": 12, "Hedge": 12}


def test_the_tables_have_the_paper_s_row_and_both_speeds(measured):
    tables = hygene_tables.blocks({"config": {"test": 6}, "measured": [measured]})
    quality = tables["hygene quality"].splitlines()
    assert "Cora" in quality[0]
    assert "| | *HYGENE, the paper* | *0.053 ± 0.026* |" in quality
    assert sum("| HYGENE |" in line for line in quality) == len(hygene.DEFAULT) - 1
    speed = tables["hygene speed"].splitlines()
    assert [line.split(" | ")[1] for line in speed[2:]] == ["HYGENE", "Hedge"]


def test_named_datasets_replace_their_rows_in_the_record(measured, monkeypatch, tmp_path):
    monkeypatch.setattr(record, "RESULTS", tmp_path)
    monkeypatch.setattr(hygene, "RESULTS", tmp_path)
    monkeypatch.setattr(hygene, "rows_of", lambda case: {**measured, "case": case})
    hygene.main(["twitch"])
    hygene.main(["cora"])
    kept = json.loads((tmp_path / "hygene.json").read_text())
    assert [row["case"] for row in kept["measured"]] == ["cora", "twitch"]
    assert kept["config"]["hygene"] == hh.Hygene().config
