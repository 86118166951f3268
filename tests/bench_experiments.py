"""Experiments that run in a moment, and records written by hand."""

import msgspec

from hyperhedge.bench.experiment import Experiment
from hyperhedge.bench.record import Measured, Provenance, Record, write_record
from hyperhedge.bench.results import load_results

TINY = """
seeds = 2
[protocol]
train = 16
test = 8
generated = 8
bootstrap = 10
permutations = 9
[datasets.committee]
n = 10
m = 6
[datasets.configuration]
n = 10
m = [5, 6]
[methods.floor]
model = "real"
[methods.er]
model = "erdos-renyi"
title = "ER-HG"
options = { repair = false }
"""

HEDGE = """
[methods.hedge]
model = "hedge"
seeds = 1
options = { iterations = 3, width = 16, channels = 8, blocks = 1, steps = 2 }
"""

METHODS = {
    "floor": {"model": "real", "title": "real"},
    "hedge": {"model": "hedge", "title": "HEDGE"},
    "hcm": {"model": "configuration", "title": "HCM-MCMC"},
    "er": {"model": "erdos-renyi", "title": "ER-HG"},
    "hygene": {"model": "hygene", "title": "HYGENE"},
}
TITLES = {"cora": "Cora", "twitch": "Twitch"}


def experiment(datasets, methods, seeds=2, **more):
    """Make an experiment whose cells are never run."""
    protocol = {"train": 20, "test": 10, "generated": 10}
    titled = {name: {"title": TITLES.get(name, name)} for name in datasets}
    document = {"seeds": seeds, "protocol": protocol, "datasets": titled, "methods": methods, "title": "Made up"}
    return msgspec.convert({**document, **more}, Experiment)


def results_in(folder, made, values, **changes):
    """Write records with these values, by dataset, method and seed, and read them back; a text is the error of a failed cell."""
    for cell in made.cells():
        value = values.get((cell.dataset, cell.method, cell.seed))
        if value is None:
            continue
        record = Record(
            cell=cell,
            fingerprint=cell.fingerprint,
            status="failed" if isinstance(value, str) else "done",
            error=value if isinstance(value, str) else None,
            metrics={} if isinstance(value, str) else {key: Measured(number) for key, number in value.items()},
            properties={"novelty": 0.5},
            seconds={"fit": 1.5, "sample": 0.25},
            machine={"cores": 2, "cpu": "abacus"},
            provenance=Provenance("abc123", "0.1", "2026-01-02"),
        )
        write_record(folder, msgspec.structs.replace(record, **changes.get(cell.method, {})))
    return load_results(made, folder)


def gap(value, **more):
    """Make values of two metrics."""
    return {"density_gap": value, "intersection_wd": abs(value), **more}
