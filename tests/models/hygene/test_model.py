"""The model: learning, saving, resuming, and what is refused."""

import json
import os
import signal

import networkx as nx
import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

import hyperhedge as hh
from hyperhedge.errors import GeneratorError, TrainingError
from hyperhedge.models.hygene import PRESETS, Hygene
from hyperhedge.models.hygene.coarsen import clique_weights
from hyperhedge.models.hygene.network import Network
from hyperhedge.models.hygene.task import ExpansionTask
from small_hedge import MIXED, covered
from small_hygene import quick

LONGER = {"iterations": 30, "validate_every": 7}


def weights(model):
    return model._network.state_dict()


def same(one, two):
    return all(torch.equal(a, b) for a, b in zip(weights(one).values(), weights(two).values(), strict=True))


# -- learning --------------------------------------------------------------------------------------


SMALL = {
    "hidden": 32,
    "width": 16,
    "layers": 3,
    "sign_hidden": 8,
    "sign_layers": 2,
    "embedding": 8,
    "workers": 1,
    "seed": 0,
}


def test_it_learns_one_hypergraph_by_heart():
    """A training of seconds draws it far more often than chance with its density does."""
    H = hh.Hypergraph([[0, 1, 2, 3], [4, 5]])
    model = Hygene(**SMALL, iterations=250, learning_rate=3e-3, warmup=20, ema=0.97, sequences=1, steps=8).fit([H])
    learned = np.mean([S.is_isomorphic(H) for S in model.sample(60, seed=1)])
    by_chance = np.mean([S.is_isomorphic(H) for S in hh.ErdosRenyi().fit([H]).sample(200, seed=1)])
    assert by_chance < 0.13
    assert learned > 0.25


def two_blocks(seed):
    """Draw 24 hyperedges of three to five among 32 nodes, each within one of two halves except for one in twenty."""
    rng, hyperedges = np.random.default_rng(seed), []
    for _ in range(24):
        pool = np.arange(32) if rng.random() < 0.05 else np.arange(16) + 16 * rng.integers(2)
        hyperedges.append(rng.choice(pool, rng.integers(3, 6), replace=False))
    return hh.Hypergraph(hyperedges, nodes=32)


def uncut(H):
    """Return the share of hyperedges that a good bisection of the nodes leaves whole."""
    graph = nx.from_numpy_array(clique_weights(H.incidence.toarray()))
    halves = [nx.community.kernighan_lin_bisection(graph, seed=seed)[0] for seed in range(5)]
    return max(np.mean([len({v in half for v in e}) == 1 for e in H.hyperedges]) for half in halves)


def valid_share(graphs):
    """Return how many have two blocks: at most 15% of their hyperedges are cut, which chance does not reach."""
    return np.mean([uncut(H) >= 0.85 for H in graphs])


def test_two_blocks_are_told_from_chance():
    real = [two_blocks(seed) for seed in range(30)]
    assert valid_share(real) == 1
    assert valid_share(hh.ErdosRenyi().fit(real).sample(30, seed=1)) == 0


@pytest.mark.full
def test_it_learns_two_blocks():
    """After a short training, at least half of the samples have two blocks, and no two are alike; of chance none has."""
    train = [two_blocks(seed) for seed in range(200)]
    shape = {**SMALL, "hidden": 48, "width": 24, "sign_hidden": 16, "sign_layers": 3, "embedding": 16}
    drawn = Hygene(**shape, iterations=2400, sequences=2, steps=16).fit(train).sample(30, seed=1)
    assert len({H.canonical_hash for H in drawn}) == 30
    assert not {H.canonical_hash for H in drawn} & {H.canonical_hash for H in train}
    assert valid_share(drawn) >= 0.5


def test_training_is_reproducible():
    one, two, other = (quick(seed=seed).fit(MIXED) for seed in (0, 0, 1))
    assert same(one, two)
    assert not same(one, other)
    assert one.training_["validation"] is not None


def test_presets_are_arguments():
    for name in PRESETS:
        assert Hygene.preset(name).get_params().items() >= PRESETS[name].items()
    assert Hygene.preset("fast", seed=3).seed == 3
    with pytest.raises(GeneratorError, match="preset must be 'fast' or 'default' or 'published', not 'best'"):
        Hygene.preset("best")


def test_the_published_network_has_the_published_sizes():
    network = Hygene.preset("published")._new_network()
    assert len(network.layers) == 10
    assert network.layers[0].a[0][0].out_features == 256
    assert network.layers[0].a[1].out_features == 128
    assert len(network.sign_net.layers) == 5
    assert network.dropout == 0.1


# -- resuming ----------------------------------------------------------------------------------------


def test_a_resumed_training_is_the_uninterrupted_one_bit_for_bit(tmp_path, monkeypatch):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    sample_batch, calls = ExpansionTask.sample_batch, []

    def counting(self, count, generator):
        calls.append(count)
        if len(calls) == 17:
            os.kill(os.getpid(), signal.SIGINT)
        return sample_batch(self, count, generator)

    try:
        with monkeypatch.context() as patch:
            patch.setattr(ExpansionTask, "sample_batch", counting)
            with pytest.raises(KeyboardInterrupt):
                quick(**LONGER).fit(MIXED, folder=tmp_path)
    finally:
        signal.signal(signal.SIGINT, before)
    resumed = quick(**LONGER).fit(MIXED, folder=tmp_path, resume=True)
    assert same(resumed, quick(**LONGER).fit(MIXED))
    with pytest.raises(TrainingError, match="this training was started with radius=2 and now it is 1"):
        quick(**LONGER, radius=1).fit(MIXED, folder=tmp_path, resume=True)
    with pytest.raises(TrainingError, match="another training set"):
        quick(**LONGER).fit(MIXED[1:], folder=tmp_path, resume=True)


def test_a_time_limit_ends_the_training():
    model = quick(iterations=10_000, max_time=0.5).fit(MIXED)
    assert model.training_["stopped"] == "max_time"


# -- saving --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def fitted():
    return quick().fit(covered(5, 8, 5))


def test_saved_and_loaded(fitted, tmp_path):
    fitted.save(tmp_path / "model")
    assert sorted(file.name for file in (tmp_path / "model").iterdir()) == ["arrays.safetensors", "model.json"]
    again = hh.load_model(tmp_path / "model")
    assert isinstance(again, hh.Hygene)
    assert again.training_ == fitted.training_
    assert again.data_fingerprint_ == fitted.data_fingerprint_
    assert same(again, fitted)
    assert again.sample(3, seed=2) == fitted.sample(3, seed=2)


def test_damaged_weights_are_refused(fitted, tmp_path):
    fitted.save(tmp_path / "model")
    file = tmp_path / "model" / "arrays.safetensors"
    good = load_file(file)
    name = "network.outward.0.weight"
    for tensors, message in (
        ({**good, name: good[name] * torch.nan}, "hold NaN or infinity"),
        ({k: v for k, v in good.items() if k != name}, f"'{name}' are absent"),
        ({**good, name: good[name][:, :2].clone()}, "in the network that model.json describes"),
    ):
        save_file(tensors, file)
        with pytest.raises(hh.errors.FormatError, match=message):
            hh.load_model(tmp_path / "model")
    file.write_bytes(file.read_bytes()[:40])
    with pytest.raises(hh.errors.FormatError, match="damaged or cut short"):
        hh.load_model(tmp_path / "model")
    file.unlink()
    with pytest.raises(hh.errors.FormatError, match="missing; copy the whole folder"):
        hh.load_model(tmp_path / "model")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("embedding", 65_536),
        ("hidden", 10**9),
        ("width", 65_536),
        ("layers", 10**9),
        ("sign_hidden", 10**9),
        ("sign_layers", 10**9),
        ("eigenvectors", 10**9),
    ],
)
def test_arguments_of_another_network_are_refused_before_it_is_made(fitted, tmp_path, name, value, monkeypatch):
    def made(*_, **__):
        raise AssertionError("a network was made")

    fitted.save(tmp_path / "model")
    file = tmp_path / "model" / "model.json"
    record = json.loads(file.read_text())
    here, record["config"][name] = record["config"][name], value
    file.write_text(json.dumps(record))
    monkeypatch.setattr(Network, "__init__", made)
    message = (
        rf"model\.json, config\.{name}: it is {value}, and the weights in arrays.safetensors are of .* {name}={here}$"
    )
    with pytest.raises(hh.errors.FormatError, match=message):
        hh.load_model(tmp_path / "model")


@pytest.mark.parametrize(
    "changes",
    [{"radius": 10**9}, {"noise_max": 10**400}, {"data_scale": 1e300}, {"steps": 10**12}, {"far_dropout": 10**400}],
    ids=lambda changes: next(iter(changes)),
)
def test_arguments_beyond_reason_are_refused(fitted, tmp_path, changes):
    fitted.save(tmp_path / "model")
    file = tmp_path / "model" / "model.json"
    record = json.loads(file.read_text())
    record["config"] |= changes
    file.write_text(json.dumps(record))
    with pytest.raises(hh.errors.FormatError, match=rf"model\.json: {next(iter(changes))} must be"):
        hh.load_model(tmp_path / "model")


def test_steps_are_bounded_where_they_are_used(fitted):
    with pytest.raises(GeneratorError, match="steps must be at most 100,000, not 100001"):
        fitted.sample(1, steps=100_001)


def test_a_network_without_layers_comes_back(tmp_path):
    model = quick(layers=0, sign_layers=0).fit(covered(5, 8, 5))
    model.save(tmp_path / "model")
    assert hh.load_model(tmp_path / "model").sample(2, seed=1) == model.sample(2, seed=1)


def test_model_json_with_other_facts_is_refused(fitted, tmp_path):
    fitted.save(tmp_path / "model")
    file = tmp_path / "model" / "model.json"
    record = json.loads(file.read_text())
    record["fitted"]["has_empty"] = "no"
    file.write_text(json.dumps(record))
    with pytest.raises(hh.errors.FormatError, match="does not describe a saved model"):
        hh.load_model(tmp_path / "model")


# -- what is refused -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"given": "edges"}, "given must be 'both' or 'nodes', not 'edges'"),
        ({"repair": 1.5}, "repair must be True or False"),
        ({"exact_growth": 2}, "exact_growth must be True or False"),
        ({"hidden": 0}, "hidden must be a whole number from 1 on"),
        ({"layers": -1}, "layers must be a whole number from 0 on"),
        ({"embedding": 5}, "embedding must be an even number, not 5"),
        ({"dropout": 1.0}, "dropout must be a number from 0 to less than 1, not 1.0"),
        ({"skip": True}, "skip must be a number from 0 to less than 1"),
        ({"least": 0.4}, "least ≤ most ≤ 0.5"),
        ({"most": 0.6}, "least ≤ most ≤ 0.5"),
        ({"least": 0, "most": 0}, "least ≤ most ≤ 0.5"),
        ({"seed": -1}, "seed must be a whole number"),
        ({"validation": 1}, "validation must be a share"),
        ({"iterations": 0}, "iterations must be a whole number from 1 on"),
        ({"max_time": "soon"}, "'soon' is not a length of time"),
        ({"noise_mean": "low"}, "noise_mean must be a number between -10 and 10, not 'low'"),
        ({"data_scale": 0}, "data_scale must be a positive number, not 0"),
        ({"steps": 0}, "steps must be a whole number from 1 on"),
    ],
)
def test_bad_arguments(options, message):
    with pytest.raises(GeneratorError, match=message):
        Hygene(**options)


def test_bad_sampling(fitted):
    with pytest.raises(GeneratorError, match="n must be a whole number"):
        fitted.sample(1, n=-3)
    with pytest.raises(GeneratorError, match="steps must be a whole number"):
        fitted.sample(1, steps=0)
    with pytest.raises(GeneratorError, match="device"):
        fitted.sample(1, device="abacus")
    with pytest.raises(GeneratorError, match=r"given='nodes'.*leave it out"):
        quick(given="nodes").fit(covered(5, 8, 5)).sample(1, m=3)
    with pytest.raises(GeneratorError, match="nothing is known of hypergraphs that have"):
        quick().fit([hh.Hypergraph(nodes=3)]).sample(1, m=2)
    with pytest.raises(GeneratorError, match="give folder too"):
        quick().fit(MIXED, resume=True)


def test_numpy_numbers_are_as_good_as_python_s(tmp_path):
    model = quick(hidden=np.int64(12), skip=np.float32(0.25)).fit(covered(5, 8, 5))
    model.save(tmp_path / "model")
    assert hh.load_model(tmp_path / "model").sample(2, seed=1) == model.sample(2, seed=1)
