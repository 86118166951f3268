"""Weights from a seed: those of torch's own seeding, and the same whatever other threads do."""

import threading

import pytest
import torch
from torch import nn

from hyperhedge.models.weights import seeded_weights
from small_hedge import MIXED
from small_hedge import quick as quick_hedge
from small_hygene import quick as quick_hygene

LAYERS = {
    "linear": lambda: nn.Linear(3, 4),
    "perceptron": lambda: nn.Sequential(nn.Linear(2, 5), nn.LayerNorm(5), nn.Linear(5, 1, bias=False)),
    "embedding": lambda: nn.Embedding(4, 3),
    "convolution": lambda: nn.Conv1d(2, 3, 2),
    "attention": lambda: nn.MultiheadAttention(4, 2),
    "parameter": lambda: nn.ParameterList([torch.randn(3), torch.rand(2), torch.empty(2).normal_()]),
    "orthogonal": lambda: nn.ParameterList([nn.init.orthogonal_(torch.empty(3, 3))]),
}


@pytest.mark.parametrize("name", LAYERS)
def test_weights_are_those_of_torch_s_own_seeding(name):
    with torch.random.fork_rng():
        torch.manual_seed(7)
        expected = LAYERS[name]().state_dict()
        before = torch.get_rng_state()
        with seeded_weights(7):
            made = LAYERS[name]().state_dict()
        assert torch.equal(torch.get_rng_state(), before)
    assert expected.keys() == made.keys()
    assert all(torch.equal(made[key], tensor) for key, tensor in expected.items())


def test_a_generator_of_one_s_own_is_used():
    with seeded_weights(1):
        drawn = torch.randn(3, generator=torch.Generator().manual_seed(5))
    assert torch.equal(drawn, torch.randn(3, generator=torch.Generator().manual_seed(5)))


def test_threads_that_make_weights_at_the_same_time_do_not_disturb_each_other():
    """All are within the context before one of them draws, and they take turns."""
    barrier, made = threading.Barrier(2), {}

    def make(seed):
        with seeded_weights(seed):
            layers = []
            for _ in range(4):
                barrier.wait(10)
                layers.append(nn.Linear(3, 3).weight.detach())
                torch.randn(seed + 1)
            made[seed] = layers

    in_threads(make, [(0,), (1,)])
    for seed, layers in made.items():
        torch.manual_seed(seed)
        for layer in layers:
            assert torch.equal(layer, nn.Linear(3, 3).weight)
            torch.randn(seed + 1)


@pytest.mark.parametrize("quick", [quick_hedge, quick_hygene], ids=["hedge", "hygene"])
@pytest.mark.parametrize("workers", [1, 2])
def test_fits_in_two_threads_give_the_weights_of_one_after_the_other(quick, workers):
    """While a third thread uses torch's global generator and its settings."""
    expected = {seed: all_weights(quick(seed=seed, workers=workers).fit(MIXED)) for seed in (3, 4)}
    together, stop, fitted = threading.Barrier(2), threading.Event(), {}

    def fit(seed):
        together.wait(10)
        fitted[seed] = all_weights(quick(seed=seed, workers=workers).fit(MIXED))

    def disturb():
        while not stop.wait(2e-4):
            torch.randn(3)
            torch.set_num_threads(1 + torch.get_num_threads() % 2)
            torch.set_flush_denormal(False)

    disturber = threading.Thread(target=disturb)
    disturber.start()
    try:
        in_threads(fit, [(3,), (4,)])
    finally:
        stop.set()
        disturber.join()
        torch.set_num_threads(1)
    for seed in (3, 4):
        assert fitted[seed].keys() == expected[seed].keys()
        assert all(torch.equal(fitted[seed][key], tensor) for key, tensor in expected[seed].items())


def in_threads(target, arguments):
    """Call a function in one thread for each tuple of arguments; raise what one of them raises."""
    errors = []

    def call(*values):
        try:
            target(*values)
        except BaseException as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=call, args=values) for values in arguments]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert errors == []


def all_weights(model):
    module = model._denoiser.network if hasattr(model, "_denoiser") else model._network
    return {name: tensor.clone() for name, tensor in module.state_dict().items()}
