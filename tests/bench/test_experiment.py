"""Experiments: what a file says, which cells it has, and how what is wrong in it is told."""

import re
from pathlib import Path

import msgspec
import pytest

from bench_experiments import TINY
from hyperhedge.bench.experiment import Cell, read_experiment
from hyperhedge.errors import FormatError
from hyperhedge.hedge import Hedge
from hyperhedge.metrics import DEFAULT

EXPERIMENTS = Path(__file__).parents[2] / "experiments"


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


def test_a_cell_has_the_options_of_its_class_its_own_seed_and_one_thread(tiny):
    cells = list(tiny("[methods.hedge]\nmodel = 'hedge'\noptions = { iterations = 7 }\n").cells())
    learned = [cell for cell in cells if cell.method == "hedge"]
    assert [cell.options for cell in learned[::2]] == [Hedge(seed=s, iterations=7, workers=1).config for s in (0, 1)]


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
    assert cells[1].options == {"repair": True}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("seeds = 2", "seeds = 0"), "tiny.toml, seeds: expected 'int' >= 1"),
        (("seeds = 2", ""), "tiny.toml, seeds: this key is missing"),
        (("seeds = 2", "seed = 2"), "tiny.toml, seed: there is no such key; is it misspelt?"),
        (("seeds = 2", "seeds = "), "tiny.toml: this is not TOML: Invalid value (at line 4, column 9)"),
        (("train = 16", "train = '16'"), "tiny.toml, protocol.train: expected 'int', got 'str'"),
        (("train = 16", "train = 7"), "tiny.toml, protocol.train: the floor takes as many of the training set as are"),
        (("test = 8", "tset = 8"), "tiny.toml, protocol.tset: there is no such key"),
        (("bootstrap", "metrics = ['beauty']\nbootstrap"), "tiny.toml, protocol.metrics: there is no metric 'beauty'"),
        (('kind = "real"', 'kind = "true"'), "tiny.toml, kind: invalid enum value 'true'"),
        (('name = "tiny"', 'name = "a/b"'), "tiny.toml, name: expected 'str' matching regex"),
        (('name = "tiny"', 'name = "t"\nreference = "x"'), "tiny.toml, reference: 'x' is none of the methods"),
        (("n = 10", "n = 0"), "tiny.toml, datasets.committee.n: give a whole number from 1 on"),
        (("m = [5, 6]", "m = [5]"), "tiny.toml, datasets.configuration.m: give a whole number from 1 on"),
        (("[methods.er]", "[methods.'e r']"), "tiny.toml: the name 'e r' must have letters"),
        (("repair = false", "repare = 1"), "methods.er.options: the model 'erdos-renyi' has no option 'repare'"),
        (("repair = false", "seed = 1"), "tiny.toml, methods.er.options.seed: the seed is the cell's own"),
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
def test_what_is_wrong_is_told_with_file_and_key(tmp_path, change, says):
    file = tmp_path / "tiny.toml"
    assert change[0] in TINY
    file.write_text(TINY.replace(*change, 1), encoding="utf-8")
    with pytest.raises(FormatError, match=re.escape(says)):
        read_experiment(file)


def test_bytes_that_are_no_text(tmp_path):
    (tmp_path / "x.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(FormatError, match=r"x\.toml: the bytes are not UTF-8"):
        read_experiment(tmp_path / "x.toml")


def test_the_experiments_of_the_project_are_those_of_the_paper():
    real, ablations = (read_experiment(EXPERIMENTS / f"{name}.toml") for name in ("real", "ablations"))
    assert list(real.datasets) == ["cora", "citeseer", "actor", "house-committees", "dblp", "twitch"]
    assert [spec.paper for spec in real.methods.values()] == [None, "HEDGE", "HCM-MCMC", "ER-HG", "HYGENE"]
    assert real.seeds == 10
    variants = {key: spec.options["variant"] for key, spec in ablations.methods.items() if spec.model == "hedge"}
    assert variants == {key: key for key in ("full", "ou", "node", "edge")}
    budgets = {str({**spec.options, "variant": ""}) for spec in ablations.methods.values() if spec.model == "hedge"}
    assert len(budgets) == 1  # matched
    assert len(ablations.datasets) == 4
