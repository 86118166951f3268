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


def contacts(count, n=64, m=25, seed=0):
    """Make pieces that look like a few minutes of contacts in a school: nearly all pairs, at most five, a sixth of the nodes alone.

    Among 64 nodes, the 25 hyperedges hold 58 incidences; each node that is not alone has one to three of them.
    """
    rng, made = np.random.default_rng(seed), []
    while len(made) < count:
        sizes = rng.choice([2, 3, 4, 5], m, p=[0.72, 0.24, 0.03, 0.01])
        active = rng.permutation(n)[: round(0.83 * n)]
        if sizes.sum() < len(active):
            continue
        weights = rng.gamma(4, size=len(active))
        edges = [rng.choice(active, size, replace=False, p=weights / weights.sum()).tolist() for size in sizes]
        if len({frozenset(edge) for edge in edges}) == m:
            made.append(hh.Hypergraph(edges, nodes=n))
    return made


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
