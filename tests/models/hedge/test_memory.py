"""What training and sampling of Hedge take is estimated well, stated, and refused if it is too much."""

import io
from concurrent.futures import ThreadPoolExecutor as Pool

import pytest
from rich.console import Console

import hyperhedge as hh
from hyperhedge._system.memory import memory_limit
from hyperhedge.errors import GeneratorError, MemoryLimitError
from hyperhedge.models.hedge.data import buckets_of, padded_shapes
from hyperhedge.models.hedge.memory import at_once, batch_bytes, kept_bytes, network_config
from peak_memory import peak
from small_hedge import MIXED, quick

SETUP = """
hh.Hedge(iterations=2, width=16, channels=8, blocks=1, seed=0, workers=1).fit(hh.load_dataset("committee").bank(5, 4, 3, seed=0))
bank = hh.load_dataset("committee").bank({shape}, {count}, seed=0)
model = hh.Hedge(iterations=2, seed=0, workers=1, {options})
"""


def check_training(shape, count, **options):
    written = ", ".join(f"{name}={value!r}" for name, value in options.items())
    measured = peak(SETUP.format(shape=shape, count=count, options=written), "model.fit(bank)")
    n, m = eval(shape)  # noqa: S307  # it is written below
    bank = hh.load_dataset("committee").bank(n, m, count, seed=0)
    assert measured / 2 < hh.Hedge(workers=1, **options).memory_for(bank) < 2 * measured


def test_a_training_takes_what_is_estimated():
    check_training("64, 25", 40)


@pytest.mark.full
@pytest.mark.parametrize(
    ("shape", "count", "options"),
    [
        ("64, 25", 60, {"batch_size": 64}),
        ("64, 25", 60, {"blocks": 8, "given": "nothing"}),
        ("128, 50", 40, {}),
        ("32, 160", 30, {"batch_size": 16}),
        ("160, 32", 30, {"batch_size": 16}),
        ("64, 25", 60, {"width": 128, "channels": 32, "hidden": 64, "blocks": 2}),
        ("(40, 64), (16, 25)", 60, {}),
        ("300, 100", 6, {"batch_size": 4}),
        ("64, 25", 60, {"batch_size": 1}),
        ("16, 8", 40, {"width": 1024, "batch_size": 1}),
    ],
)
def test_trainings_of_all_kinds_take_what_is_estimated(shape, count, options):
    check_training(shape, count, **options)


@pytest.mark.full
@pytest.mark.parametrize(
    ("n", "m", "count", "sampler"),
    [
        (128, 50, 64, "exponential"),
        (128, 50, 64, "euler-maruyama"),
        (64, 64, 200, "flow"),
        (32, 200, 16, "exponential"),
        (200, 32, 16, "exponential"),
    ],
)
def test_samples_take_what_is_estimated(n, m, count, sampler):
    setup = f"""
    model = hh.Hedge(iterations=2, seed=0, workers=1).fit(hh.load_dataset("committee").bank(8, 6, 3, seed=0))
    model.sample(1, steps=2)
    options = dict(n={n}, m={m}, steps=2, sampler="{sampler}", memory=2**40)
    """
    measured = peak(setup, f"model.sample({count}, seed=0, **options)")
    config = network_config("both", 96, 16, 16, 4)
    estimated = batch_bytes(config, n, m, 2**40, count) + kept_bytes({(n, m): 1}, count, 1)
    assert measured / 2 < estimated < 2 * measured


def test_the_shapes_of_buckets_are_known_without_making_them():
    made = sorted((tuple(bucket.H.shape[1:]), len(bucket)) for bucket in buckets_of(MIXED))
    assert sorted(padded_shapes([H.shape for H in MIXED])) == made


def test_a_batch_keeps_to_its_bytes():
    config = network_config("both", 96, 16, 16, 4)
    for n, m in ((64, 25), (10, 1000), (1000, 10)):
        count = at_once(config, n, m, 2**30)
        assert batch_bytes(config, n, m, 2**30, 10**6) <= 2**30
        assert count == 64 or (count + 1) * (batch_bytes(config, n, m, 1, 1)) > 2**30
    assert at_once(config, 1000, 1000, 1) == 1
    assert at_once(config, 10, 1000, 2**30) < 64  # many hyperedges: their overlaps count


def test_a_training_that_does_not_fit_is_refused_before_it_allocates(tmp_path):
    refused = pytest.raises(
        MemoryLimitError, match=r"^training needs about [\d.]+ MiB of memory, and the limit is 1 MiB; give a"
    )
    with memory_limit("1MiB"), refused:
        quick().fit(MIXED, folder=tmp_path / "run")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "options", [{"width": 16 * 10**8}, {"blocks": 2 * 10**9}, {"batch_size": 10**12}, {"hidden": 2 * 10**9}]
)
def test_absurd_arguments_are_refused(options):
    with pytest.raises(
        MemoryLimitError, match=r"^training needs (about|more than) [\d,.]+ [KMGTP]iB of memory, and .*; give a"
    ):
        hh.Hedge(**options).fit(MIXED)


@pytest.mark.parametrize("model", [hh.Hedge, hh.Hygene])
def test_one_large_hypergraph_is_refused_in_a_sentence(model):
    H = hh.Hypergraph([[k % 300, (7 * k + 1) % 300] for k in range(1000)], nodes=300)
    with pytest.raises(GeneratorError) as caught:
        model().fit([H])
    assert str(caught.value) == (
        "training is one hypergraph of 300 nodes and 1,000 hyperedges, too large to be learned as a whole; learn from a bank of "
        "its pieces: hh.load_dataset(FILE).bank(count=1000)"
    )
    assert len(hh.load_dataset(H).bank(count=3)) == 3  # as the sentence says


def test_one_small_hypergraph_is_learned(monkeypatch):
    monkeypatch.setattr("hyperhedge.models.trained._LARGEST_ALONE", 12)
    quick().fit([hh.Hypergraph([[0, 1], [1, 2], [2, 3]])])
    with pytest.raises(GeneratorError, match="too large"):
        quick().fit([hh.Hypergraph([[0, 1], [1, 2], [2, 3], [0]])])
    quick().fit([hh.Hypergraph([[0, 1], [1, 2], [2, 3], [0]])] * 2)


def test_a_training_says_what_it_takes():
    console = Console(file=io.StringIO(), width=40)
    model = quick()
    model.fit(MIXED, progress=console)
    first = console.file.getvalue().splitlines()[0]
    assert first.startswith("training takes about ")
    assert first.endswith(" available)")


@pytest.fixture(scope="module")
def fitted():
    return quick().fit(MIXED)


@pytest.mark.parametrize(
    ("count", "options"),
    [
        (10**12, {}),
        (10**30, {}),
        (2, {"n": 10**9}),
        (2, {"m": 10**30}),
        (0, {"n": 10**400, "m": 1}),
    ],
)
def test_samples_that_do_not_fit_are_refused(fitted, count, options):
    if count:
        with pytest.raises(MemoryLimitError, match=r"^sampling .*; sample fewer"):
            fitted.sample(count, **options)
    with pytest.raises(MemoryLimitError, match=r"^sampling .*; sample fewer"):
        fitted.sample_paths(count or 1, **options)


def test_less_memory_means_fewer_threads_and_the_same_samples(fitted, monkeypatch):
    threads = []
    monkeypatch.setattr(
        "hyperhedge.models.hedge.sampling.ThreadPoolExecutor",
        lambda workers, **options: threads.append(workers) or Pool(workers, **options),
    )
    monkeypatch.setattr("hyperhedge.models.hedge.model.default_workers", lambda: 4)
    plenty = fitted.sample(8, seed=1, n=40, m=20, memory=1)
    one = batch_bytes(fitted._network_config, 40, 20, 1, 8)
    with memory_limit(2 * one + kept_bytes({(40, 20): 1}, 8, 1) + 10_000):
        little = fitted.sample(8, seed=1, n=40, m=20, memory=1)
    assert threads == [4, 2]
    assert little == plenty
