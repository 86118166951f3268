"""Cells: what they measure, and that they are pure functions of their configuration."""

from functools import wraps

import msgspec
import numpy as np
import pytest
import torch

import hyperhedge as hh
from bench_experiments import HEDGE
from hyperhedge.bench import cell as cells
from hyperhedge.bench.cell import Job, Reply, measure, run_job
from hyperhedge.bench.record import read_record, write_record
from hyperhedge.train.checkpoint import FILE


def one(experiment, method, seed=0, dataset="committee"):
    return next(c for c in experiment.cells() if (c.dataset, c.method, c.seed) == (dataset, method, seed))


def test_a_cell_does_what_one_would_do_by_hand(tiny):
    record = measure(Job(one(tiny(), "er", seed=1)))
    train, _, test = hh.load_dataset("committee").splits(10, 6, (16, 0, 8), seed=1)
    new = hh.ErdosRenyi(repair=False).fit(train).sample(8, seed=1)
    report = hh.evaluate(test, new, train=train, bootstrap=10, permutations=9, seed=1)
    assert {key: row.value for key, row in record.metrics.items()} == {r.key: r.value for r in report.details}
    assert record.metrics["size_wd"].low == report["size_wd"].low
    assert record.metrics["size_wd"].floor == report["size_wd"].floor
    assert record.properties == {name: part.score for name, part in report.properties.items()}
    assert (record.status, record.error) == ("done", None)
    assert set(record.seconds) == {"data", "fit", "sample", "evaluate"}
    assert record.peak_mib > 10


def test_the_floor_is_training_hypergraphs(tiny, monkeypatch):
    seen = {}
    monkeypatch.setattr(
        cells, "evaluate", lambda test, new, **k: seen.update(new=new, **k) or hh.evaluate(test, new, **k)
    )
    record = measure(Job(one(tiny(), "floor")))
    assert len(set(map(id, seen["new"]))) == 8
    assert set(map(id, seen["new"])) <= set(map(id, seen["train"]))
    assert record.properties["novelty"] == 0


@pytest.mark.parametrize("method", ["floor", "er", "hedge"])
def test_a_cell_is_pure(tiny, method, tmp_path):
    cell = one(tiny(HEDGE), method, dataset="configuration")
    first = measure(Job(cell))
    np.random.seed(7)  # noqa: NPY002  # the state of global generators does not matter
    torch.manual_seed(7)
    second = measure(Job(cell, training=str(tmp_path / "training")))
    assert first.results() == second.results()
    assert read_record(write_record(tmp_path, first)) == first
    assert first.facts.get("training", {}).get("iterations") == (3 if method == "hedge" else None)
    assert ("training" in first.seconds) == (method == "hedge")
    assert set(first.facts.get("drawn", {})) == ({"decided", "changed"} if method == "hedge" else set())


def test_the_training_of_a_cell_resumes(tiny, tmp_path, monkeypatch):
    cell, folder = one(tiny(HEDGE), "hedge"), tmp_path / "training"
    straight = measure(Job(cell))
    monkeypatch.setattr(hh.Hedge, "sample_paths", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        measure(Job(cell, training=str(folder)))
    monkeypatch.undo()
    assert (folder / FILE).is_file()
    fits = []
    fit = hh.Hedge.fit

    @wraps(fit)
    def noted(*arguments, **options):
        fits.append(options.get("resume"))
        return fit(*arguments, **options)

    monkeypatch.setattr(hh.Hedge, "fit", noted)
    assert measure(Job(cell, training=str(folder))).results() == straight.results()
    assert fits == [True]
    monkeypatch.undo()
    (folder / FILE).write_bytes(b"damaged")
    assert measure(Job(cell, training=str(folder))).results() == straight.results()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"source": "no.hif.json"}, "no.hif.json: neither a dataset nor an existing file; the datasets are cora, "),
        ({"model": "magic"}, "there is no model 'magic'; there are: hedge, "),
        ({"n": 1, "m": 40, "source": "house-committees"}, "HYPERHEDGE_DATA"),
    ],
)
def test_the_record_of_a_failed_cell_says_why(tiny, change, says, monkeypatch, tmp_path):
    monkeypatch.setenv("HYPERHEDGE_DATA", str(tmp_path / "nothing"))
    cell = msgspec.structs.replace(one(tiny(), "er"), **change)
    reply = msgspec.json.decode(run_job(msgspec.json.encode(Job(cell))), type=Reply)
    assert (reply.record.status, reply.traceback, reply.record.metrics) == ("failed", None, {})
    assert says in reply.record.error or "nothing" in reply.record.error
    assert "\n" not in reply.record.error


def test_a_bug_comes_with_its_traceback(tiny, monkeypatch):
    monkeypatch.setitem(cells.METHODS, "erdos-renyi", lambda *_: 1 / 0)
    reply = msgspec.json.decode(run_job(msgspec.json.encode(Job(one(tiny(), "er")))), type=Reply)
    assert reply.record.error == "ZeroDivisionError: division by zero"
    assert "Traceback" in reply.traceback


def test_peak_memory_without_linux(tmp_path):
    assert cells._peak_mib(tmp_path / "no") > 10
