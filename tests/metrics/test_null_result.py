"""The result of a significance test: rows, data, tables and pictures."""

import io
import json

import matplotlib.pyplot as plt
import numpy as np
import pytest
from rich.console import Console

import hyperhedge as hh
from hyperhedge.metrics.null_result import NullRow, histogram_line

WOMEN = hh.load_dataset("southern-women").hypergraph


@pytest.fixture(scope="module")
def result():
    return hh.null_test(WOMEN, ["overlap-size", "repeated", "motif-13"], count=39, seed=0)


def printed(thing, width=80):
    console = Console(file=io.StringIO(), width=width)
    console.print(thing)
    return console.file.getvalue()


def test_rows_by_name(result):
    assert [row.statistic for row in result.rows] == ["overlap-size", "repeated", "motif-13"]
    assert result["repeated"] is result.rows[1]
    with pytest.raises(
        hh.errors.HyperhedgeError, match="has no statistic 'size'; it has overlap-size, repeated, motif-13"
    ):
        result["size"]


def test_it_is_frozen(result):
    with pytest.raises(AttributeError):
        result.count = 5
    with pytest.raises(ValueError, match="read-only"):
        result.null_values["repeated"][0] = 7


def test_frame(result):
    frame = result.to_frame()
    assert frame.index.tolist() == ["overlap-size", "repeated", "motif-13"]
    assert frame.index.name == "statistic"
    assert frame.loc["overlap-size", "p_greater"] == result["overlap-size"].p_greater
    assert frame["z"].isna().tolist() == [False, result["repeated"].z is None, result["motif-13"].z is None]


def test_json(result):
    document = json.loads(result.to_json())
    assert document["format"] == "hyperhedge-null-test"
    assert (document["count"], document["null"], document["alternative"]) == (39, result.null, "two-sided")
    assert [NullRow(**row) for row in document["rows"]] == list(result.rows)
    assert document["null_values"] == {name: values.tolist() for name, values in result.null_values.items()}
    assert document["notes"] == list(result.notes)


def test_the_table_fits_a_terminal(result):
    text = printed(result)
    lines = text.splitlines()
    assert max(map(len, lines)) <= 80
    assert "Hypergraph: 18 nodes, 14 hyperedges, 89 incidences against 39 from" in lines[0]
    row = next(line.split() for line in lines if line.startswith(" overlap-size"))
    assert row[1] == "3.24"
    assert row[-4:] == [f"{p:.3g}" for p in (0.025, 1, 0.05, result["overlap-size"].p_holm)]
    assert "◆" in text
    assert "p Holm is p ≠ corrected for 3 statistics." in text
    assert "The p-values are exact" in text


def test_one_statistic_has_no_note_on_correction():
    one = hh.null_test(WOMEN, "overlap", count=19, seed=0, alternative="less")
    assert "corrected" not in printed(one)
    two = hh.null_test(WOMEN, ["overlap", "repeated"], count=19, seed=0, alternative="less")
    assert "p Holm is p ≤ corrected for 2 statistics." in printed(two)


def test_a_name_is_not_markup():
    result = hh.null_test(WOMEN, {"[bold]x": len}, count=3, seed=0)
    assert "[bold]x" in printed(result)


def test_repr(result):
    p = ", ".join(f"{row.statistic} p={row.p_two_sided:.3g}" for row in result.rows)
    assert repr(result) == f"<NullTest against ConfigurationModel(labelled='stub', sweeps=100): {p}>"
    assert "… (26 statistics)>" in repr(hh.null_test(WOMEN, "motifs", count=3, seed=0))


def test_bars():
    values = np.repeat([0.0, 1.0, 2.0], [1, 8, 4])
    assert histogram_line(values, 1.0) == "▁◆▄"
    assert histogram_line(values, 4.0) == "▁█▄ ◆"
    assert histogram_line(values, -1.0) == "◆▁█▄"
    assert histogram_line(values / 7, 0.5, cells=4) == "▁█▄◆"
    line = histogram_line(np.linspace(0, 1, 1000), 0.5)
    assert (len(line), line.count("█"), line[12]) == (24, 23, "◆")


def test_plots(result):
    axes = result.plot()
    assert [ax.get_title(loc="left") for ax in axes] == ["overlap-size", "repeated", "motif-13"]
    for ax, row in zip(axes, result.rows, strict=True):
        assert sum(bar.get_height() for bar in ax.patches) == 39
        assert ax.lines[0].get_xdata() == [row.observed, row.observed]
    one = result.plot("repeated")
    assert one.get_title(loc="left") == "repeated"
    assert f"p = {result['repeated'].p_two_sided:.3g}" in one.get_xlabel()
    _, mine = plt.subplots()
    assert result.plot("repeated", ax=mine) is mine
    with pytest.raises(hh.errors.PlotError, match="there are 3 statistics and one ax=; choose one with statistic="):
        result.plot(ax=mine)
    plt.close("all")
