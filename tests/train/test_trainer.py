"""The trainer: least squares are solved, steps are those of the definition, and nothing is lost on the way."""

import signal

import pytest
import torch
from torch import nn

from hyperhedge.train import Trainer, TrainingError, TrainingSettings
from regression import INPUTS, OUTPUTS, Interrupted, Regression, module, reports, same, settings, solution, weights


@pytest.fixture(autouse=True)
def _usual_signals():
    """Set the handlers that Python sets, unless it is started where signals are ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler), signal.signal(signal.SIGTERM, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGINT, before[0])
    signal.signal(signal.SIGTERM, before[1])


def test_least_squares_are_solved():
    linear = nn.Linear(3, 1)
    result = Trainer(
        linear, Regression(), TrainingSettings(600, batch_size=64, learning_rate=0.03, warmup=10, ema=0.98)
    ).run()
    found = torch.cat((linear.weight.detach()[0], linear.bias.detach())).double()
    torch.testing.assert_close(found, solution(), rtol=0, atol=0.01)
    assert result.stopped == "iterations"
    assert result.iterations == 600


def by_hand(iterations, setup):
    """Train as the documentation says, without the trainer; return weights and their average."""
    net = module()
    optimizer = torch.optim.AdamW(net.parameters(), betas=(0.9, 0.99), weight_decay=0.01)
    average = weights(net)
    generator = torch.Generator().manual_seed(setup.seed)
    for k in range(iterations):
        chosen = torch.randint(64, (setup.batch_size,), generator=generator)
        rate = setup.learning_rate * min(1.0, (k + 1) / setup.warmup) * (1 - k / iterations) ** setup.decay
        optimizer.param_groups[0]["lr"] = rate
        optimizer.zero_grad()
        ((net(INPUTS[chosen])[:, 0] - OUTPUTS[chosen]) ** 2).mean().backward()
        norm = torch.cat([p.grad.flatten() for p in net.parameters()]).norm()
        for p in net.parameters():
            p.grad *= min(1.0, setup.clip / (float(norm) + 1e-6))
        optimizer.step()
        keep = min(setup.ema, (1 + (k + 1)) / (10 + (k + 1)))
        average = {name: keep * average[name] + (1 - keep) * value for name, value in weights(net).items()}
    return average


@pytest.mark.parametrize("workers", [1, 3])
def test_steps_and_average_are_those_of_the_definition(workers):
    net = module()
    setup = settings(30, workers=workers, weight_decay=0.01, clip=0.5, validate_every=1000)
    Trainer(net, Regression(), setup).run()
    for name, value in by_hand(30, setup).items():
        torch.testing.assert_close(weights(net)[name], value, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_run_is_reproducible_bit_for_bit(workers):
    found = []
    for _ in range(2):
        net = module()
        found.append((weights(net), reports(Trainer(net, Regression(True), settings(workers=workers)).run().history)))
    assert same(found[0][0], found[1][0])
    assert found[0][1] == found[1][1]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("workers", [1, 2])
def test_an_interrupted_run_goes_on_bit_for_bit(tmp_path, number, workers):
    straight, cut = module(), module()
    setup = settings(120, workers=workers)
    expected = Trainer(straight, Regression(True), setup).run()
    trainer = Trainer(cut, Interrupted(66, number=number), setup, folder=tmp_path)
    with pytest.raises(KeyboardInterrupt, match="iteration 66"):
        trainer.run()
    fresh = module()
    result = Trainer(fresh, Regression(True), setup, folder=tmp_path).run(resume=True)
    assert same(weights(fresh), weights(straight))
    assert reports(result.history) == reports(expected.history)
    events = [(line["iteration"], line["event"]) for line in result.history if "event" in line]
    assert events == [(66, "interrupted"), (66, "resumed"), (120, "stopped")]


def test_a_folder_with_a_checkpoint_is_not_trained_in_again(tmp_path):
    Trainer(module(), Regression(), settings(), folder=tmp_path).run()
    with pytest.raises(TrainingError, match="there is a checkpoint already; give resume=True"):
        Trainer(module(), Regression(), settings(), folder=tmp_path).run()
