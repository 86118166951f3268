"""A small task with a known answer: linear least squares, and ways in which it may go wrong."""

import os
import signal

import torch
from torch import nn

from hyperhedge.train import TrainingSettings

KNOWN = torch.Generator().manual_seed(7)
INPUTS = torch.randn(64, 3, generator=KNOWN)
OUTPUTS = INPUTS @ torch.tensor([1.0, -2.0, 0.5]) + 0.3 + 0.1 * torch.randn(64, generator=KNOWN)


def solution():
    """Return the weights and the bias that the normal equations give."""
    A = torch.cat((INPUTS, torch.ones(64, 1)), dim=1).double()
    return torch.linalg.solve(A.T @ A, A.T @ OUTPUTS.double())


class Regression:
    """Predict outputs from inputs; ``held_out`` makes it validate."""

    def __init__(self, held_out=False):
        self.held_out = held_out
        self.calls = 0

    def sample_batch(self, count, generator):
        self.calls += 1
        return (torch.randint(len(INPUTS), (count,), generator=generator),)

    def losses(self, module, batch):
        return (module(INPUTS[batch[0]])[:, 0] - OUTPUTS[batch[0]]) ** 2

    def validate(self, module):
        return float(((module(INPUTS)[:, 0] - OUTPUTS) ** 2).mean()) if self.held_out else None


class Interrupted(Regression):
    """A task during which the user presses Ctrl-C: signals come at these calls of draw."""

    def __init__(self, *calls, number=signal.SIGINT):
        super().__init__(held_out=True)
        self.at, self.number = calls, number

    def sample_batch(self, count, generator):
        batch = super().sample_batch(count, generator)
        for _ in range(self.at.count(self.calls)):
            os.kill(os.getpid(), self.number)
        return batch


class Broken(Regression):
    """A task whose losses are not finite at these calls of draw."""

    def __init__(self, *calls, value=torch.nan):
        super().__init__(held_out=True)
        self.at, self.value = calls, value

    def losses(self, module, batch):
        factor = self.value if self.at == () or self.calls in self.at else 1.0
        return super().losses(module, batch) * factor


def module(width=8):
    """Make a module with the same initial weights every time."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return nn.Sequential(nn.Linear(3, width), nn.Tanh(), nn.Linear(width, 1))


def settings(iterations=20, **changes):
    """Return settings for a short run."""
    usual = {"batch_size": 8, "learning_rate": 0.01, "warmup": 5, "ema": 0.9, "validate_every": 7, "workers": 1}
    return TrainingSettings(iterations, **{**usual, **changes})


def weights(module):
    """Return a module's weights, copied."""
    return {name: tensor.clone() for name, tensor in module.state_dict().items()}


def same(first, second):
    """Return whether weights are equal bit for bit."""
    return first.keys() == second.keys() and all(torch.equal(first[name], second[name]) for name in first)


def reports(lines):
    """Return the lines of a log that are not events, without the fields that depend on a clock."""
    timed = ("seconds", "samples_per_second")
    return [{key: line[key] for key in line if key not in timed} for line in lines if "event" not in line]


def events(lines):
    """Return the events of a log with their iterations."""
    return [(line["iteration"], line["event"]) for line in lines if "event" in line]
