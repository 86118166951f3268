r"""How much memory training and sampling take, roughly: what a step costs depends on how a hypergraph was coarsened.

The network works on *positions*: nodes, hyperedges and candidates. In training, the members of a batch are at random scales and
have somewhat less than half the positions of the finest one, on average; every layer keeps about :math:`9h + 8w` numbers of each,
with :math:`h` and :math:`w` the arguments ``hidden`` and ``width``. In sampling, every round of one step is kept, and how many
candidates there will be is a guess: sixteen for each node and hyperedge.

Estimates of training are between half and three times what was measured (tests/models/hygene/test_memory.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from hyperhedge.core.hypergraph import Hypergraph

#: Hypergraphs that are sampled together, at most.
MOST_AT_ONCE = 64

_COPIES = 12
_SCALES = 5  # positions of all scales together, over those of the finest
_GUESS = 16
_COUNTED = 1 << 22  # walks: a tenth of a second
_EXAMPLES = 64


class Arguments(Protocol):
    """What a model's network is made with."""

    batch_size: int
    hidden: int
    width: int
    layers: int
    embedding: int
    sign_hidden: int
    sign_layers: int
    eigenvectors: int
    radius: int


def positions(H: Hypergraph, radius: int) -> int:
    """Return the number of nodes, hyperedges and candidates of a hypergraph, or a bound if counting would take long.

    Examples
    --------
    >>> positions(Hypergraph([[0, 1], [1, 2], [3]]), radius=1), positions(Hypergraph([[0, 1], [1, 2], [3]]), radius=2)
    (12, 14)
    """
    n, m = H.shape
    if radius == 1:
        return n + m + H.num_incidences
    walks = int(H.edge_sizes @ (H.incidence.T @ H.degrees))
    if radius > 2 or walks > _COUNTED:
        return n + m + (n * m if radius > 2 else min(n * m, walks))
    incidence = H.incidence.astype(float)
    return n + m + int(((incidence @ incidence.T) @ incidence).nnz)


def parameters(model: Arguments) -> int:
    """Return about how many parameters the network has."""
    h, w, s, e = int(model.hidden), int(model.width), int(model.sign_hidden), int(model.embedding)
    rounds = int(model.layers) * (6 * h * h + 5 * h * w) + 10 * h * h + 8 * e * h
    return rounds + (2 * int(model.sign_layers) + int(model.sign_layers) + int(model.eigenvectors) + 3) * s * s + s * e


def training_bytes(model: Arguments, graphs: Sequence[Hypergraph], *, workers: int, sequences: int, room: int) -> int:
    """Estimate the memory of a training."""
    if not graphs:
        return 0
    examples = graphs[:: -(-len(graphs) // _EXAMPLES)]
    mean = sum(positions(H, int(model.radius)) for H in examples) // len(examples)
    ends = sum(H.n + H.m for H in examples) // len(examples)
    layer = 9 * int(model.hidden) + 8 * int(model.width)
    signs = 2 * int(model.eigenvectors) * int(model.sign_hidden) * (6 * int(model.sign_layers) + 2)
    step = int(model.batch_size) * (mean * (int(model.layers) + 1) * layer + ends * signs) * 9 // 20
    kept = min(room, len(graphs) * sequences * mean * _SCALES * 16)
    dense = max(24 * H.n * H.m + 16 * H.n * H.n for H in graphs)
    return 4 * parameters(model) * (_COPIES + workers) + kept + dense + 4 * step * 5 // 4


def sampling_bytes(model: Arguments, n: int, m: int, count: int) -> int:
    """Estimate what a batch of hypergraphs of a shape takes, of ``count`` altogether."""
    expected = n + m + min(n * m, _GUESS * (n + m))
    each = expected * ((int(model.layers) + 4) * int(model.hidden) + 4 * int(model.width))
    return min(count, MOST_AT_ONCE) * (4 * each + 2 * n * m) + 12 * n * m
