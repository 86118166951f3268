"""Hygenes that are fitted in a moment, and unions to try their parts on."""

import numpy as np
import torch

from hyperhedge.models.hygene import Hygene
from hyperhedge.models.hygene.batch import Values, lift_batch, steps_of
from hyperhedge.models.hygene.coarsen import coarsen
from hyperhedge.models.hygene.network import Network

#: Options with which a fit takes a fraction of a second; what it learns does not matter.
QUICK = {
    "seed": 0,
    "iterations": 12,
    "batch_size": 8,
    "hidden": 12,
    "width": 6,
    "layers": 1,
    "sign_hidden": 6,
    "sign_layers": 1,
    "embedding": 4,
    "steps": 2,
    "workers": 1,
    "sequences": 2,
}


def quick(**changes):
    """Make a model that is fitted in a moment."""
    return Hygene(**{**QUICK, **changes})


def small_network(seed=0, **changes):
    """Make a network whose last layer is not zero."""
    shape = {
        "eigenvectors": 3,
        "embedding": 4,
        "hidden": 12,
        "width": 6,
        "layers": 2,
        "sign_hidden": 8,
        "sign_layers": 2,
    }
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        network = Network(
            **{**shape, "counts_edges": True, "marks_joined": True, "siblings": True, "dropout": 0.0, **changes}
        ).double()
        for out in network.outward:
            torch.nn.init.normal_(out.weight)
    return network.requires_grad_(False)


def labelled_steps(H, seed=0, radius=2, count=3):
    """List the steps of a coarsening sequence of a hypergraph."""
    return steps_of(coarsen(H, seed=seed), (H.n, H.m), radius=radius, count=count)


def everything(items):
    """Join steps with all candidates."""
    chosen = [np.ones(len(item.kept), dtype=bool) for item in items]
    union = lift_batch([item.step for item in items], chosen, [item.shrinkage for item in items])
    return doubled(union)


def doubled(union):
    """Return a union with numbers of twice the length."""
    floats = {k: v.double() for k, v in vars(union).items() if isinstance(v, torch.Tensor) and v.is_floating_point()}
    return type(union)(**{**vars(union), **floats})


def random_inputs(union, seed=0):
    """Draw the two numbers at each place that the network sees."""
    generator = torch.Generator().manual_seed(seed)
    sizes = len(union.node_graph), len(union.edge_graph), len(union.graph)
    return Values(*(torch.randn(size, 2, generator=generator, dtype=torch.float64) for size in sizes))
