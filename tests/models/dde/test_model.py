"""DDE as a generator: its law, what it keeps, its time and memory, and saved models that are damaged."""

import io
import json
import time

import numpy as np
import pytest
import torch
from rich.console import Console
from safetensors.torch import load_file, save_file
from scipy import stats

import hyperhedge as hh
from hyperhedge._system.memory import memory_limit
from hyperhedge.errors import FormatError, GeneratorError, MemoryLimitError
from hyperhedge.models.dde import DDE, model
from hyperhedge.models.dde.diffusion import Standard, sampled_embeddings
from strategies import random_hypergraphs

QUICK = {"rank": 2, "passes": 6, "iterations": 30, "width": 16, "steps": 4, "seed": 0}

#: Three groups of five nodes; hyperedges take two or three nodes of one of them, some nodes more often. The last node is in none.
GROUPS = hh.Hypergraph(
    [{5 * (e % 3) + ((e // 3) % 5) ** 2 % 5, 5 * (e % 3) + e % 2, 5 * (e % 3) + e % 4} for e in range(180)],
    nodes=[*range(16)],
)


@pytest.fixture(scope="module")
def groups():
    return DDE(rank=3, iterations=600, width=64, seed=0).fit([GROUPS])


@pytest.fixture(scope="module")
def fitted():
    training = [*random_hypergraphs(2, 8, 12, density=0.3, seed=3), hh.Hypergraph([[]], nodes=["a", "b"]), GROUPS]
    return DDE(**QUICK).fit(training)


def inside(H):
    """Return the share of hyperedges of two nodes or more whose nodes are in one group."""
    large = [edge for edge in H.hyperedges if len(edge) > 1]
    return sum(len({v // 5 for v in edge}) == 1 for edge in large) / len(large)


# -- the law --------------------------------------------------------------------------------------------


def test_it_learns_who_meets_whom(groups):
    samples = groups.sample(5, seed=1)
    assert np.mean([inside(H) for H in samples]) > 0.6
    independent = hh.ChungLu().fit([GROUPS]).sample(5, seed=1)
    assert np.mean([inside(H) for H in independent]) < 0.4


def test_degrees_and_sizes_are_right_on_average(groups):
    samples = groups.sample(30, seed=2)
    degrees = np.mean([H.degrees for H in samples], axis=0)
    assert np.corrcoef(degrees, GROUPS.degrees)[0, 1] > 0.9
    assert abs(degrees.sum() / GROUPS.num_incidences - 1) < 0.15
    assert degrees[15] == 0


def test_members_given_the_embeddings_have_the_model_s_probabilities(groups):
    """Over samples with the same embeddings, degrees have the sum of the probabilities as their mean."""
    found = groups.embeddings_[0]
    embeddings = Standard.of(found.edges).restored(
        sampled_embeddings(groups._network, 0, 180, 3, groups.steps, np.random.default_rng(9))
    )
    logits = found.offsets[:15, None] + found.nodes[:15] @ embeddings.T
    chance = 1 / (1 + np.exp(-logits))

    class SameEmbeddings(np.random.Generator):
        def standard_normal(self, *args, **options):
            return np.random.default_rng(9).standard_normal(*args, **options)

    count, rng = 150, SameEmbeddings(np.random.PCG64(1))
    degrees = [groups._sample_like(0, rng).degrees[:15] for _ in range(count)]
    error = np.sqrt((chance * (1 - chance)).sum(1) / count)
    assert (abs(np.mean(degrees, axis=0) - chance.sum(1)) < 4.5 * error + 0.05).all()


def test_embeddings_of_samples_are_new(groups):
    a, b = groups.sample(2, seed=3)
    assert a != b
    assert a.hyperedges != GROUPS.hyperedges


def test_exact_sizes_are_those_of_the_training_hypergraph(fitted):
    training = [GROUPS, *random_hypergraphs(2, 8, 12, density=0.3, seed=3)]
    known = [sorted(H.edge_sizes.tolist()) for H in training]
    for H in DDE(**{**QUICK, "sizes": "exact"}).fit(training).sample(12, seed=1):
        assert sorted(H.edge_sizes.tolist()) in known
    assert any(sorted(H.edge_sizes.tolist()) not in known for H in fitted.sample(12, seed=1))


def test_training_hypergraphs_are_chosen_uniformly(fitted):
    shapes = [H.shape for H in fitted.sample(400, seed=5)]
    counts = [shapes.count(shape) for shape in ((8, 12), (2, 1), (16, 180))]
    assert stats.chisquare(counts, [200, 100, 100]).pvalue > 1e-3


def test_nodes_without_hyperedges_stay_so(fitted):
    for H in fitted.sample(20, seed=6):
        if H.shape == (16, 180):
            assert H.degrees[15] == 0
        if H.shape == (2, 1):
            assert H.num_incidences == 0


def test_nodes_keep_their_places_where_one_before_them_is_isolated():
    H = hh.Hypergraph([[1, 2], [4, 5], [2, 5]] * 30, nodes=range(6))
    samples = DDE(**QUICK).fit([H]).sample(10, seed=1)
    degrees = np.sum([S.degrees for S in samples], axis=0)
    assert (degrees > 0).tolist() == [False, True, True, False, True, True]


def test_embeddings_are_those_of_the_chosen_hypergraph(fitted, monkeypatch):
    asked = []

    def standard(_network, hypergraph, count, rank, steps, rng):
        asked.append((hypergraph, count, rank, steps))
        return rng.standard_normal((count, rank))

    monkeypatch.setattr(model, "sampled_embeddings", standard)
    for k in (0, 1, 3):
        fitted._sample_like(k, np.random.default_rng(0))
    assert asked == [(0, 12, 2, 4), (1, 12, 2, 4), (3, 180, 2, 4)]


def test_log_likelihoods_are_above_those_of_independent_nodes(groups):
    share = GROUPS.degrees[:15] / GROUPS.m
    null = GROUPS.m * (share * np.log(share) + (1 - share) * np.log(1 - share)).sum()
    assert null < groups.log_likelihoods_[0] < 0


# -- seeds, progress, time, memory ------------------------------------------------------------------------


def test_threads_of_torch_and_of_the_fit_do_not_matter():
    samples = []
    for threads, workers in ((1, 1), (2, 3)):
        before = torch.get_num_threads()
        torch.set_num_threads(threads)
        try:
            samples.append(DDE(**QUICK, workers=workers).fit([GROUPS]).sample(2, seed=1))
            assert torch.get_num_threads() == threads
        finally:
            torch.set_num_threads(before)
    assert samples[0] == samples[1]


def test_without_a_seed_fits_differ():
    a, b = (DDE(**{**QUICK, "seed": None}).fit([GROUPS]) for _ in range(2))
    assert a.sample(seed=1) != b.sample(seed=1)


def test_progress_is_shown_where_it_is_asked_for(monkeypatch):
    class Late(model.Meter):
        def __init__(self, *args, **options):
            super().__init__(*args, **options, quick=True)

    monkeypatch.setattr(model, "Meter", Late)
    out = io.StringIO()
    fitted = DDE(**QUICK).fit([GROUPS], progress=Console(file=out))
    fitted.sample(3, seed=1, progress=Console(file=out))
    text = out.getvalue()
    assert "fitting embeddings 6/6" in text or "of the surprise explained" in text
    assert "training 30/30" in text
    assert "sampling 3/3" in text


def test_a_time_limit_is_kept():
    large = random_hypergraphs(1, 400, 900, density=0.02, seed=1)[0]
    start = time.monotonic()
    limited = DDE(rank=4, passes=10_000, iterations=10**7, max_time=2.0, seed=0).fit([large, GROUPS])
    assert time.monotonic() - start < 8
    assert limited.sample(2, seed=1)


def test_time_is_shared_in_proportion_to_entries(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(model.time, "monotonic", lambda: now[0])
    clock = model._Clock(10.0, [30, 10])
    clock.begin(0)  # until 100 + 0.7 · 10 · 3/4 = 105.25
    now[0] = 102.0
    assert not clock.no_time_after(1)
    now[0] = 104.0
    assert clock.no_time_after(2)
    clock.begin(1)  # until 107
    now[0] = 105.4
    assert not clock.no_time_after(1)
    now[0] = 105.6
    assert clock.no_time_after(1)
    free = model._Clock(None, [1])
    free.begin(0)
    now[0] = 1e9
    assert not free.no_time_after(1)


def test_what_does_not_fit_into_memory_is_refused():
    huge = hh.Hypergraph.from_indices([0], [0], nodes=100_000, edges=100_000)
    with memory_limit("10MiB"), pytest.raises(MemoryLimitError, match=r"fitting needs about .* choose a smaller rank"):
        DDE().fit([huge])
    fitted = DDE(**QUICK).fit([hh.Hypergraph([range(1000)])])
    with memory_limit("20MiB"), pytest.raises(MemoryLimitError, match="sampling 1,000 hypergraphs needs"):
        fitted.sample(1000)
    assert fitted._refuse_too_many(1000) is None


def test_memory_grows_with_rank_and_size():
    small, large = GROUPS, random_hypergraphs(1, 3000, 2000, density=0.001, seed=0)[0]
    assert DDE().memory_for([small]) < DDE().memory_for([large]) < DDE(rank=64).memory_for([large])
    assert DDE(workers=1).memory_for([large]) < DDE(workers=4).memory_for([large])


# -- arguments ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("argument", "bad", "message"),
    [
        ("rank", 0, "rank must be a whole number from 1 on"),
        ("rank", 257, "rank must be at most 256"),
        ("bound", 0, "bound must be a positive number"),
        ("bound", 1e6, "bound must be a positive number up to 100"),
        ("ridge", -1, "ridge must be a number from 0 on"),
        ("ridge", "a", "ridge must be a number from 0 on"),
        ("passes", 0, "passes must be a whole number from 1 on"),
        ("width", 10**6, "width must be at most 4,096"),
        ("iterations", 0, "iterations must be a whole number from 1 on"),
        ("steps", 1, "steps must be a whole number from 2 on"),
        ("sizes", "both", "sizes must be 'model' or 'exact'"),
        ("max_time", "soon", "'soon' is not a length of time"),
        ("workers", 0, "workers must be a whole number from 1 on"),
        ("seed", -1, "seed must be a whole number from 0 on"),
    ],
)
def test_arguments_that_make_no_sense(argument, bad, message):
    with pytest.raises(GeneratorError, match=message):
        DDE(**{argument: bad})


# -- saved models ------------------------------------------------------------------------------------------


@pytest.fixture
def saved(fitted, tmp_path):
    fitted.save(tmp_path / "model")
    return tmp_path / "model"


def edit(folder, change):
    file = folder / "arrays.safetensors"
    tensors = load_file(file)
    change(tensors)
    save_file(tensors, file)


def test_a_saved_model_has_all_that_was_fitted(fitted, saved):
    again = hh.load_model(saved)
    for before, after in zip(fitted.embeddings_, again.embeddings_, strict=True):
        for name in ("offsets", "nodes", "edges"):
            np.testing.assert_array_equal(getattr(before, name), getattr(after, name))
    assert [s.tolist() for s in fitted.edge_sizes_] == [s.tolist() for s in again.edge_sizes_]
    assert again.log_likelihoods_ == fitted.log_likelihoods_
    assert again.sample(6, seed=1) == fitted.sample(6, seed=1)
    assert sorted(file.name for file in saved.iterdir()) == ["arrays.safetensors", "model.json"]


def test_without_incidences_there_is_no_network(tmp_path):
    empty = DDE(**QUICK).fit([hh.Hypergraph(nodes=3), hh.Hypergraph([[], []])])
    empty.save(tmp_path / "model")
    assert not any(name.startswith("network.") for name in load_file(tmp_path / "model" / "arrays.safetensors"))
    assert hh.load_model(tmp_path / "model").sample(5, seed=0) == empty.sample(5, seed=0)


def without(name):
    return lambda tensors: tensors.pop(name)


def put(name, make):
    return lambda tensors: tensors.__setitem__(name, make(tensors[name]))


def first(value):
    def change(tensor):
        tensor = tensor.clone()
        tensor.view(-1)[0] = value
        return tensor

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (without("training.nodes"), "the array 'training.nodes' is absent"),
        (
            put("training.nodes", lambda x: x[:, :1].contiguous()),
            "the array 'training.nodes' is .*, which does not fit",
        ),
        (put("training.offsets", lambda x: x.float()), "the array 'training.offsets' is .*float32"),
        (put("training.edges", lambda x: x[1:].clone()), "the array 'training.edges' is"),
        (lambda t: t.__setitem__("training.wings", t["training.edges"].clone()), "the array 'training.wings' is"),
        (put("training.nodes", first(float("nan"))), "embeddings hold NaN"),
        (put("training.edges", first(1e12)), "embeddings hold NaN, infinity or numbers beyond reason"),
        (put("training.offsets", first(float("inf"))), "embeddings hold NaN, infinity"),
        (put("training.offsets", first(float("nan"))), "embeddings hold NaN, infinity"),
        (put("training.edge_sizes", first(-1)), "edge sizes do not fit the nodes"),
        (put("training.edge_sizes", first(99)), "edge sizes do not fit the nodes"),
        (put("network.out.weight", first(float("nan"))), "the weights 'network.out.weight' hold NaN"),
        (put("network.embed.weight", lambda x: x[:8].contiguous()), "of a model with width=8"),
        (put("network.out.weight", lambda x: x[:1].contiguous()), "of a model with rank=1"),
        (without("network.code.weight"), "the weights 'network.code.weight' are absent"),
        (
            lambda t: [t.pop(name) for name in list(t) if name.startswith("network.")],
            "the weights of the network are absent",
        ),
    ],
)
def test_arrays_that_are_wrong(saved, change, message):
    edit(saved, change)
    with pytest.raises(FormatError, match=message) as caught:
        hh.load_model(saved)
    assert str(caught.value).startswith(str(saved))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda r: r["fitted"]["training_shapes"].pop(), "the training hypergraphs are not those that sizes counts"),
        (lambda r: r["fitted"]["log_likelihoods"].pop(), "the training hypergraphs are not those that sizes counts"),
        (lambda r: r["fitted"].pop("training_shapes"), "missing required field"),
        (lambda r: r["config"].update(width=4000), "of a model with width=16"),
        (lambda r: r["config"].update(rank=10**9), "rank must be at most 256"),
        (
            lambda r: (
                r["sizes"][0].__setitem__(0, 2**30),
                [s.__setitem__(0, 2**30) for s in r["fitted"]["training_shapes"][:2]],
            ),
            "the array 'training.nodes' is",
        ),
    ],
)
def test_model_json_that_is_wrong(saved, change, message):
    file = saved / "model.json"
    record = json.loads(file.read_text())
    change(record)
    file.write_text(json.dumps(record))
    with pytest.raises(FormatError, match=message):
        hh.load_model(saved)


def test_a_file_that_is_cut_short_or_missing(saved):
    file = saved / "arrays.safetensors"
    file.write_bytes(file.read_bytes()[:-8])
    with pytest.raises(FormatError, match="damaged or cut short"):
        hh.load_model(saved)
    file.unlink()
    with pytest.raises(FormatError, match="this file of the model is missing"):
        hh.load_model(saved)
