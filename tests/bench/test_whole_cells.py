"""Cells of whole hypergraphs: what they measure, how generators are ranked, and what experiments may not say."""

import pytest

import hyperhedge as hh
from bench_experiments import experiment, results_in
from hyperhedge.bench.cell import Job, measure
from hyperhedge.bench.experiment import read_experiment
from hyperhedge.bench.tables import as_csv, as_markdown
from hyperhedge.data import load_dataset
from hyperhedge.errors import FormatError, HyperhedgeError
from hyperhedge.metrics.whole.copies import copied, rewired
from hyperhedge.metrics.whole.measures import MEASURES, PROTOCOL

WHOLE = """
seeds = 2
[protocol]
whole = true
[datasets.southern-women]
[methods.itself]
model = "real"
seeds = 1
[methods.copy]
model = "rewired"
options = { share = 0.1 }
[methods.configuration]
model = "configuration"
[methods.er]
model = "erdos-renyi"
"""


@pytest.fixture
def read(tmp_path):
    def make(text):
        file = tmp_path / "whole.toml"
        file.write_text(text, encoding="utf-8")
        return read_experiment(file)

    return make


def one(made, method, seed=0):
    return next(c for c in made.cells() if (c.method, c.seed) == (method, seed))


def test_a_cell_does_what_one_would_do_by_hand(read):
    made = read(WHOLE)
    H = load_dataset("southern-women").hypergraph
    record = measure(Job(one(made, "configuration", seed=1)))
    G = hh.ConfigurationModel().fit([H]).sample(1, seed=1)[0]
    report = hh.evaluate(H, G, seed=0)
    assert {key: row.value for key, row in record.metrics.items()} == {r.key: r.value for r in report.details}
    assert {key: row.floor for key, row in record.metrics.items()} == {r.key: r.floor for r in report.details}
    assert {key: row.ceiling for key, row in record.metrics.items()} == {r.key: r.ceiling for r in report.details}
    assert record.properties == {name: part.score for name, part in report.properties.items()}
    assert record.facts["copied"]["matched"] == copied(H, G).matched
    assert set(record.seconds) == {"data", "fit", "sample", "reference", "evaluate"}


def test_copies_are_methods(read):
    made = read(WHOLE)
    itself, copy = measure(Job(one(made, "itself"))), measure(Job(one(made, "copy", seed=1)))
    assert itself.properties["fidelity"] == 1
    assert itself.properties["novelty"] == 0
    assert all(row.value == 0 for row in itself.metrics.values() if row.value is not None)
    H = load_dataset("southern-women").hypergraph
    by_hand = hh.evaluate(H, rewired(H, 0.1, seed=1), seed=0)
    assert copy.metrics["pair_ks"].value == by_hand["pair_ks"].value
    assert measure(Job(one(made, "copy", seed=1))).results() == copy.results()


def test_a_method_may_be_left_out_of_a_dataset(read, tmp_path):
    made = read(WHOLE.replace("[methods.itself]", 'without = ["copy", "er"]\n[methods.itself]'))
    assert {cell.method for cell in made.cells()} == {"itself", "configuration"}
    page = as_markdown(results_in(tmp_path, made, {}))
    assert "None of 3 cells" in page
    with pytest.raises(FormatError, match=r"datasets.southern-women.without: 'hcm' is none of the methods"):
        read(WHOLE.replace("[methods.itself]", 'without = ["hcm"]\n[methods.itself]'))


def test_floors_are_the_same_in_all_cells_of_a_dataset(read):
    made = read(WHOLE)
    floors = {tuple(row.floor for row in measure(Job(cell)).metrics.values()) for cell in made.cells()}
    assert len(floors) == 1


def test_several_generated_hypergraphs_are_averaged(read):
    record = measure(
        Job(one(read(WHOLE.replace("whole = true", "whole = true\ngenerated = 3\nmetrics = ['overlap']")), "er"))
    )
    assert set(record.metrics) == {key for key, measure_ in MEASURES.items() if measure_.group == "overlap"}
    row = record.metrics["intersection_ks"]
    assert row.low < row.value < row.high


def test_a_file_with_one_hypergraph(read, tmp_path):
    hh.write(hh.Hypergraph([[0, 1, 2], [1, 2], [2, 3], [0, 3]]), tmp_path / "mine.hif.json")
    made = read(WHOLE.replace("[datasets.southern-women]", '[datasets.mine]\nsource = "mine.hif.json"'))
    cell = one(made, "configuration")
    assert measure(Job(cell, made.locate(cell.source))).status == "done"


def ranked(folder, values):
    methods = {name: {"model": "configuration", "options": {"sweeps": k + 1}} for k, name in enumerate("abc")}
    methods["copy"] = {"model": "rewired", "options": {"share": 0.1}}
    made = experiment(["cora"], methods, seeds=1, protocol={"whole": True})
    return results_in(folder, made, {("cora", name, 0): value for name, value in values.items()})


def test_average_ranks(tmp_path):
    first, second, *rest = PROTOCOL
    same = dict.fromkeys(rest, 0.5)
    results = ranked(
        tmp_path,
        {
            "a": {first: 0.1, second: 0.3, **same},
            "b": {first: 0.2, second: 0.2, **same},
            "c": {first: 0.3, **same},  # the second is not defined: the last
            "copy": {first: 0.0, second: 0.0, **same},
        },
    )
    ranks = results.average_ranks("cora")
    assert ranks == {"a": (1 + 2 + 22) / 13, "b": (2 + 1 + 22) / 13, "c": (3 + 3 + 22) / 13}
    assert results.average_ranks("cora", left_out=["a"]) == {"b": (1 + 1 + 11 * 1.5) / 13, "c": (2 + 2 + 11 * 1.5) / 13}
    page = as_markdown(results)
    assert "| average rank | – | 1.9 | 1.9 | 2.2 |" in page
    assert "Each cell: one whole hypergraph, and 1 generated of its size." in page
    assert "(KS)" in page
    assert "cora,a,degree_ks" in as_csv(results) or "cora,a,size_ks" in as_csv(results)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (("whole = true", "whole = true\ntrain = 20"), "protocol.train: this key is for collections"),
        (("whole = true", "whole = true\nbootstrap = 3"), "protocol.bootstrap: this key is for collections"),
        (("whole = true", "whole = true\nmetrics = ['degre_ks']"), "did you mean 'degree_ks'"),
        (
            ("[datasets.southern-women]", "[datasets.southern-women]\nn = 10"),
            "datasets.southern-women: whole hypergraphs have no shapes",
        ),
        (("share = 0.1", "share = 0.0"), "methods.copy.options: give the share"),
        (("share = 0.1", "share = 0.1, x = 1"), "methods.copy.options: give the share"),
        (("whole = true", "train = 20\ntest = 20\ngenerated = 20"), "'rewired' is a method for whole hypergraphs"),
        (("whole = true", "train = 20\ntest = 20"), "protocol.generated: this key is missing"),
        (("whole = true", "train = 20\ntest = 20\ngenerated = 1"), "protocol.generated: expected 'int' >= 2"),
    ],
)
def test_what_an_experiment_may_not_say(read, changed, said):
    with pytest.raises(FormatError, match=said):
        read(WHOLE.replace(*changed))


def test_a_collection_is_not_one_hypergraph(read):
    made = read(WHOLE.replace("southern-women", "committee"))
    with pytest.raises(HyperhedgeError, match="committee is not one hypergraph"):
        measure(Job(one(made, "er")))
