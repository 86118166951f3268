r"""How much memory training and sampling take, from shapes and arguments alone.

*Training.* The bank's tensors stay: incidence matrices and both bases of eigenvectors, in single precision, and in double precision
while a bucket is decomposed. A step takes what the network keeps for the backward pass of a batch
(:meth:`~hyperhedge.diffusion.network.NetworkConfig.activations`), of the largest bucket. The parameters are there about a dozen
times: gradients, AdamW's moments, the average, the best, and the last good state.

*Sampling.* A batch takes what is alive in the network without gradients; states are kept until all are done.

Estimates are a little above what was measured (tests/models/hedge/test_memory.py: between half and twice the peak).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from hyperhedge.diffusion.denoiser import CONTEXT, FEATURES, GIVEN
from hyperhedge.diffusion.network import NetworkConfig
from hyperhedge.models.hedge.data import padded_shapes

_COPIES = 12
_VALIDATION = 64  # members of a batch without gradients
_FLOAT, _DOUBLE, _OBJECT = 4, 8, 2000

#: Hypergraphs that are sampled together, at most.
MOST_AT_ONCE = 64


def network_config(given: str, width: int, channels: int, hidden: int, blocks: int) -> NetworkConfig:
    """Return the dimensions of a denoiser's network."""
    features = len(FEATURES) + len(GIVEN[given])
    return NetworkConfig(features, CONTEXT, 2, width=width, channels=channels, hidden=hidden, blocks=blocks)


def training_bytes(
    config: NetworkConfig, shapes: Iterable[tuple[int, int]], batch_size: int, *, workers: int, held_out: int
) -> int:
    """Estimate the memory of a training on hypergraphs of some shapes."""
    buckets = padded_shapes(shapes)
    kept = sum(count * _FLOAT * (n * m + n * n + m * m) for (n, m), count in buckets)
    making = max((count * 2 * _DOUBLE * (n * m + n * n + m * m) for (n, m), count in buckets), default=0)
    step = 0
    for (n, m), _ in buckets:
        step = max(step, batch_size * config.activations(n, m, training=True))
        step = max(step, min(held_out, _VALIDATION) * config.activations(n, m, training=False))
    state = config.parameters * _FLOAT * (_COPIES + workers)
    return state + kept + max(making, _FLOAT * step * 11 // 10)


def at_once(config: NetworkConfig | None, n: int, m: int, memory: int) -> int:
    """Return how many hypergraphs of a shape make a batch of at most so many bytes; one in any case."""
    return max(1, min(memory // bytes_each(config, n, m), MOST_AT_ONCE))


def batch_bytes(config: NetworkConfig | None, n: int, m: int, memory: int, count: int) -> int:
    """Estimate what a batch of hypergraphs of a shape takes, of ``count`` altogether."""
    return min(count, at_once(config, n, m, memory)) * bytes_each(config, n, m)


def bytes_each(config: NetworkConfig | None, n: int, m: int) -> int:
    """Estimate what a batch takes for each of its hypergraphs; without a network, a few states."""
    if config is None:
        return 4 * _DOUBLE * n * m + 1
    return _FLOAT * config.activations(n, m, training=False) * 4 // 3 + 1


def kept_bytes(shapes: Mapping[tuple[int, int], int], count: int, states: int) -> int:
    """Return what stays of samples until all are done: some states of each, and the hypergraph.

    The shapes have numbers of training hypergraphs as their weights.
    """
    total = sum(weight * (_DOUBLE * n * m * states + _OBJECT + 24 * (n + m)) for (n, m), weight in shapes.items())
    return count * total // sum(shapes.values())
