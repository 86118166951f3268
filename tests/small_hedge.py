"""Learned models that are fitted in a moment, and what they are fitted to."""

import os
import signal

import numpy as np

import hyperhedge as hh
from hyperhedge.models.hedge import Hedge
from hyperhedge.models.hedge.task import DenoisingTask
from strategies import random_hypergraphs

#: Options with which a fit takes a fraction of a second; what it learns does not matter.
QUICK = {"seed": 0, "iterations": 12, "width": 16, "channels": 8, "blocks": 1, "steps": 3, "workers": 1}

#: Of three sizes, some empty hyperedges and isolated nodes among them; enough that some are held out.
MIXED = [
    *random_hypergraphs(14, 12, 7, density=0.25, seed=1),
    *random_hypergraphs(8, 9, 6, density=0.35, seed=2),
    hh.Hypergraph([[0, 1], [0, 1], [2], []], nodes=4),
]


def quick(**changes):
    """Make a model that is fitted in a moment."""
    return Hedge(**{**QUICK, **changes})


def covered(count, n, m, seed=0):
    """Draw hypergraphs without empty hyperedges and isolated nodes."""
    rng = np.random.default_rng(seed)
    drawn = []
    while len(drawn) < count:
        incidence = rng.random((n, m)) < 0.3
        if incidence.any(0).all() and incidence.any(1).all():
            drawn.append(hh.Hypergraph.from_incidence(incidence))
    return drawn


def weights(model):
    """Return the weights of a fitted model."""
    return model._denoiser.network.state_dict()


def interrupt_at(monkeypatch, call):
    """Let the user press Ctrl-C in a step of training."""
    sample_batch, calls = DenoisingTask.sample_batch, []

    def counting(self, count, generator):
        calls.append(count)
        if len(calls) == call:
            os.kill(os.getpid(), signal.SIGINT)
        return sample_batch(self, count, generator)

    monkeypatch.setattr(DenoisingTask, "sample_batch", counting)
