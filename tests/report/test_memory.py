"""What an evaluation takes is estimated well, and refused if it is too much."""

import pytest

import hyperhedge as hh
from hyperhedge._system.memory import memory_limit
from hyperhedge.errors import MemoryLimitError
from hyperhedge.metrics.statistics import statistics_of
from hyperhedge.report.memory import evaluation_bytes
from peak_memory import peak

SETUP = """
dataset = hh.load_dataset("{name}")
tiny = dataset.bank(8, 6, 12, seed=0)
hh.evaluate(tiny, tiny, train=tiny, seed=0, bootstrap=2)
real, made, train = (dataset.bank({n}, {m}, {count}, seed=seed) for seed in range(3))
"""


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "n", "m", "count", "bootstrap"),
    [
        ("committee", 64, 25, 100, 200),
        ("committee", 64, 25, 500, 200),
        ("configuration", 64, 25, 500, 200),
        ("committee", 64, 25, 100, 20_000),
        ("committee", 16, 8, 1500, 200),
    ],
)
def test_an_evaluation_takes_what_is_estimated(name, n, m, count, bootstrap):
    job = f"hh.evaluate(real, made, train=train, seed=0, bootstrap={bootstrap})"
    measured = peak(SETUP.format(name=name, n=n, m=m, count=count), job)
    bank = statistics_of(hh.load_dataset(name).bank(n, m, count, seed=0))
    estimated = evaluation_bytes(bank, bank, bank, [], bootstrap=bootstrap, floor_repeats=20)
    assert measured / 2 < estimated < 2 * measured


@pytest.mark.parametrize("options", [{}, {"bootstrap": 0}])
def test_an_evaluation_that_does_not_fit_is_refused(options):
    bank = hh.load_dataset("committee").bank(8, 6, 12, seed=0)
    refused = pytest.raises(
        MemoryLimitError, match=r"^evaluating needs about .*, and the limit is 10 KiB; give fewer hyper"
    )
    with memory_limit("10K"), refused:
        hh.evaluate(bank, bank, seed=0, **options)


def test_more_hypergraphs_baselines_and_replicates_take_more():
    few, many = (statistics_of(hh.load_dataset("committee").bank(8, 6, count, seed=0)) for count in (10, 40))
    base = evaluation_bytes(few, few, None, [], bootstrap=200, floor_repeats=20)
    assert base < evaluation_bytes(few, many, None, [], bootstrap=200, floor_repeats=20)
    assert base < evaluation_bytes(few, few, many, [], bootstrap=200, floor_repeats=20)
    assert base < evaluation_bytes(few, few, None, [few], bootstrap=200, floor_repeats=20)
    assert base < evaluation_bytes(few, few, None, [], bootstrap=2000, floor_repeats=20)
    assert base < evaluation_bytes(few, few, None, [], bootstrap=200, floor_repeats=2000)
