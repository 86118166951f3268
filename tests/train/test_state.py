"""The state: averages by hand, roll-backs, the best."""

import pytest
import torch
from torch import nn

from hyperhedge.train.state import State, fingerprint
from regression import module, same, settings, weights


def stepped(state, count, seed=0):
    """Take steps by random gradients; return the weights after each."""
    draw = torch.Generator().manual_seed(seed)
    after = []
    for _ in range(count):
        for parameter in state.trained.values():
            parameter.grad = torch.randn(parameter.shape, generator=draw)
        state.step()
        after.append(weights(state.module))
    return after


def copies(tensors):
    return {name: tensor.clone() for name, tensor in tensors.items()}


@pytest.mark.parametrize("ema", [0.0, 0.3, 0.999])
def test_the_average_is_that_of_the_recursion(ema):
    state = State(module(), settings(50, ema=ema))
    expected = {name: value.double() for name, value in weights(state.module).items()}
    for k, theta in enumerate(stepped(state, 30), start=1):
        keep = min(ema, (1 + k) / (10 + k))
        expected = {name: keep * expected[name] + (1 - keep) * theta[name].double() for name in theta}
    for name, value in weights(state.average).items():
        torch.testing.assert_close(value.double(), expected[name], rtol=1e-5, atol=1e-6)


def test_buffers_are_copied_into_the_average():
    net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    state = State(net, settings())
    net[1].running_mean.fill_(3.0)
    net[1].num_batches_tracked.fill_(4)
    stepped(state, 1)
    assert torch.equal(state.average[1].running_mean, torch.full((2,), 3.0))
    assert int(state.average[1].num_batches_tracked) == 4


def test_a_roll_back_returns_to_the_snapshot_and_draws_go_on():
    state = State(module(), settings(50))
    stepped(state, 5)
    state.take_snapshot()
    good = copies(state.tensors())
    stepped(state, 3, seed=1)
    state.counters.loss_sum, state.counters.steps = 9.0, 3
    torch.rand(3, generator=state.generator)
    draws = state.generator.get_state()
    assert not same(state.tensors(), good)
    for times in (1, 2):
        state.roll_back()
        counters = state.counters
        assert same(state.tensors(), good)
        assert (counters.iteration, counters.rollbacks, counters.rate_scale) == (5, times, 0.5**times)
        assert (counters.loss_sum, counters.steps) == (0.0, 0)
        assert torch.equal(state.generator.get_state(), draws)
        stepped(state, 2, seed=2)  # must not change the snapshot
    assert state.learning_rate == settings(50).learning_rate_at(6) / 4


def test_the_best_average_is_kept():
    state = State(module(), settings(50))
    kept = {}
    for value in (2.0, 1.0, 1.0, 3.0):
        stepped(state, 1)
        kept[value] = kept.get(value) or weights(state.average)
        state.note_validation(value)
    assert (state.counters.best_validation, state.counters.stale) == (1.0, 2)
    state.adopt_average()
    assert same(weights(state.module), kept[1.0])


def test_without_validation_the_last_average_is_adopted():
    state = State(module(), settings(50))
    stepped(state, 3)
    state.adopt_average()
    assert same(weights(state.module), weights(state.average))


def test_the_fingerprint_tells_names_shapes_and_types():
    plain = fingerprint(module())
    assert plain == fingerprint(module())
    others = [module(9), module().double(), nn.Sequential(*module(), nn.Linear(1, 1)), nn.ModuleDict({"a": module()})]
    assert len({plain, *map(fingerprint, others)}) == 5
