"""Experiments: what a file says, which cells it has, where its records are, and how errors in it are reported."""

import re

import msgspec
import pytest

from bench_experiments import TINY
from hyperhedge.bench.experiment import Cell, read_experiment
from hyperhedge.errors import FormatError
from hyperhedge.metrics import DEFAULT
from hyperhedge.models.hedge import Hedge


def test_cells_go_seed_by_seed(tiny):
    cells = list(tiny("[methods.hcm]\nmodel = 'configuration'\nseeds = 1\n").cells())
    assert [(c.seed, c.dataset, c.method) for c in cells] == [
        (0, "committee", "floor"),
        (0, "committee", "er"),
        (0, "committee", "hcm"),
        (0, "configuration", "floor"),
        (0, "configuration", "er"),
        (0, "configuration", "hcm"),
        (1, "committee", "floor"),
        (1, "committee", "er"),
        (1, "configuration", "floor"),
        (1, "configuration", "er"),
    ]
    assert cells[3].m == [5, 6]
    assert cells[0].protocol.metrics == [metric.key for metric in DEFAULT]


def test_a_cell_has_the_options_of_its_class_a_seed_and_one_thread(tiny):
    cells = list(tiny("[methods.hedge]\nmodel = 'hedge'\noptions = { iterations = 7 }\n").cells())
    learned = [cell for cell in cells if cell.method == "hedge"]
    assert [cell.options for cell in learned[::2]] == [
        Hedge(seed=s, iterations=7, workers=1).get_params() for s in (0, 1)
    ]


def test_the_fingerprint_is_of_all_that_matters_and_of_nothing_else(tiny):
    cell = next(tiny().cells())
    changes = {
        "seed": 5,
        "source": "cora",
        "model": "hedge",
        "options": {"a": 1},
        "n": 11,
        "m": [2, 3],
        "bank": {"protocol": "walk"},
        "protocol": msgspec.structs.replace(cell.protocol, bootstrap=11),
    }
    prints = {msgspec.structs.replace(cell, **{key: value}).fingerprint for key, value in changes.items()}
    assert len(prints | {cell.fingerprint}) == len(changes) + 1
    assert msgspec.structs.replace(cell, dataset="x", method="y").fingerprint == cell.fingerprint
    assert msgspec.json.decode(msgspec.json.encode(cell), type=Cell).fingerprint == cell.fingerprint
    assert set(changes) | {"dataset", "method"} == set(Cell.__struct_fields__)


def test_arguments_of_later_that_change_nothing_leave_the_fingerprint(tiny):
    """Records from before models could forbid repeats stay those of cells that allow them, and of no others."""
    cell = next(tiny().cells())
    prints = [
        msgspec.structs.replace(cell, options={"density": 1, **more}).fingerprint
        for more in ({}, {"repeats": "allow", "keep_labels": True}, {"repeats": "forbid"}, {"keep_labels": False})
    ]
    assert prints[0] == prints[1]
    assert len(set(prints)) == 3


def test_options_in_another_order_are_the_same(tiny):
    cell = next(tiny().cells())
    first, second = (msgspec.structs.replace(cell, options=o) for o in ({"a": 1, "b": 2}, {"b": 2, "a": 1}))
    assert first.fingerprint == second.fingerprint


def test_smoke_changes_what_it_says(tiny):
    experiment = tiny(
        "[smoke]\nseeds = 1\ndatasets = 1\nprotocol = { train = 12 }\ndataset = { source = 'configuration', n = 7 }\n"
        "[smoke.methods.er]\nrepair = true\n"
    ).for_smoke()
    cells = list(experiment.cells())
    assert [(c.dataset, c.source, c.method, c.seed, c.n, c.m) for c in cells] == [
        ("committee", "configuration", "floor", 0, 7, 6),
        ("committee", "configuration", "er", 0, 7, 6),
    ]
    assert (cells[0].protocol.train, cells[0].protocol.test) == (12, 8)
    assert cells[1].options == {"repair": True, "repeats": "allow"}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("seeds = 2", "seeds = 0"), "tiny.toml, seeds: expected 'int' >= 1"),
        (("seeds = 2", ""), "tiny.toml, seeds: this key is missing"),
        (("seeds = 2", "seed = 2"), "tiny.toml, seed: there is no such key; is it misspelt?"),
        (("seeds = 2", "seeds = "), "tiny.toml: this is not TOML: Invalid value (at line 2, column 9)"),
        (("seeds = 2", "seeds = 2\nfile = 'x'"), "tiny.toml, file: there is no such key"),
        (("train = 16", "train = '16'"), "tiny.toml, protocol.train: expected 'int', got 'str'"),
        (("train = 16", "train = 7"), "tiny.toml, protocol.train: the floor takes as many training hypergraphs as are"),
        (("test = 8", "tset = 8"), "tiny.toml, protocol.tset: there is no such key"),
        (("bootstrap", "metrics = ['beauty']\nbootstrap"), "tiny.toml, protocol.metrics: there is no metric 'beauty'"),
        (("seeds = 2", "seeds = 2\nreference = 'x'"), "tiny.toml, reference: 'x' is none of the methods"),
        (("n = 10", "n = 0"), "tiny.toml, datasets.committee.n: give a whole number from 1 on"),
        (("m = [5, 6]", "m = [5]"), "tiny.toml, datasets.configuration.m: give a whole number from 1 on"),
        (("[methods.er]", "[methods.'e r']"), "tiny.toml: the name 'e r' must have letters"),
        (("repair = false", "repare = 1"), "methods.er.options: the model 'erdos-renyi' has no option 'repare'"),
        (
            ("m = [5, 6]", f"m = {[0] * 10**4}"),
            "datasets.configuration.m: give a whole number from 1 on, or [least, greatest]",
        ),
        (("seeds = 2", f"seeds = 2\n{'x' * 10**4} = 1"), "xxx…: there is no such key"),
        (("repair = false", "seed = 1"), "tiny.toml, methods.er.options.seed: each cell sets its own seed"),
        (('model = "real"', 'model = "real"\noptions = {a = 1}'), "methods.floor.options: the floor takes no options"),
        (("[methods.er]", "[smoke.methods.no]\na = 1\n[methods.er]"), "smoke.methods.no: 'no' is none of the methods"),
        (
            ("[methods.er]", "[smoke.methods.er]\na = 1\n[methods.er]"),
            "smoke.methods.er: the model 'erdos-renyi' has no",
        ),
        (("[methods.er]", "[smoke]\nprotocol = {x = 1}\n[methods.er]"), "smoke.protocol.x: there is no such key"),
        (("[methods.er]", "[smoke.dataset]\nm = -1\n[methods.er]"), "smoke.dataset.m: give a whole number"),
    ],
)
def test_errors_name_file_and_key(tmp_path, change, says):
    file = tmp_path / "tiny.toml"
    assert change[0] in TINY
    file.write_text(TINY.replace(*change, 1), encoding="utf-8")
    with pytest.raises(FormatError, match=re.escape(says)) as caught:
        read_experiment(file)
    assert len(str(caught.value)) < 700


def test_bytes_that_are_no_text(tmp_path):
    (tmp_path / "x.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(FormatError, match=r"x\.toml: the bytes are not UTF-8"):
        read_experiment(tmp_path / "x.toml")


def test_records_are_beside_the_file(tiny, tmp_path):
    experiment = tiny()
    assert (experiment.name, experiment.folder) == ("tiny", tmp_path / "tiny.results")
    assert experiment.for_smoke().folder == tmp_path / "tiny.smoke"


def test_a_file_may_name_another_folder(tmp_path):
    file = tmp_path / "tiny.toml"
    file.write_text('title = "A title"\nresults = "../elsewhere"\n' + TINY, encoding="utf-8")
    experiment = read_experiment(file)
    assert (experiment.name, experiment.folder) == ("A title", tmp_path / "../elsewhere")
    assert experiment.for_smoke().folder == tmp_path / "tiny.smoke"


def test_sources_are_relative_to_the_file(tiny, tmp_path, monkeypatch):
    experiment = tiny()
    monkeypatch.chdir("/")
    (tmp_path / "mine.hif.json").touch()
    (tmp_path / "cora").touch()
    assert experiment.locate("mine.hif.json") == str(tmp_path / "mine.hif.json")
    assert experiment.locate("cora") == "cora"  # the dataset
    assert experiment.locate("missing.hif.json") == "missing.hif.json"
    assert experiment.locate(str(tmp_path / "mine.hif.json")) == str(tmp_path / "mine.hif.json")
