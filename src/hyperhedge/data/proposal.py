"""A shape for the pieces of an observed hypergraph, where none was requested.

A piece is to look like the whole: its mean degree, mean edge size and share of isolated nodes
(:class:`~hyperhedge.data.likeness.Looks`). These pull apart: the more nodes are cut off, the smaller the hyperedges; the fewer,
the more nodes have only one of their hyperedges in the piece. So the rule is to try. Of up to 64 nodes and 48 hyperedges, which a
generator learns in minutes, and of no more than a quarter of the hyperedges, so that pieces differ and three leak-free sets have
enough, a few pieces of every shape in a grid are sampled. The largest shape is proposed whose
:meth:`~hyperhedge.data.likeness.Looks.unlikeness` is within a tenth of the least.

The pieces are sampled with a fixed seed, so a hypergraph is always proposed the same shape.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.data.likeness import Looks
from hyperhedge.errors import HyperhedgeError

SampleShape = Callable[[int, int, int, np.random.Generator], list[Hypergraph]]
"""Sample pieces: of ``n`` nodes, of ``m`` hyperedges, so many."""

_NODES = (8, 12, 16, 24, 32, 48, 64)
_EDGES = (8, 12, 16, 24, 32, 48)
_LARGEST_SHARE = 4  # a piece has at most one in so many of the hyperedges
_PIECES = 16
_TOLERANCE = 0.1
_SEED = 0


@dataclass(frozen=True)
class Proposal:
    """A shape, and how pieces of that shape look beside the whole; ``str`` puts it in a sentence."""

    n: int
    m: int
    pieces: Looks
    whole: Looks

    def __str__(self) -> str:
        return (
            f"{self.n} nodes and {self.m} hyperedges, since of the shapes up to {_NODES[-1]} × {_EDGES[-1]} this is the "
            "largest of those whose pieces are most like the whole in edge sizes, isolated nodes and degrees"
        )


def propose_shape(H: Hypergraph, sample: SampleShape, n: int | None = None, m: int | None = None) -> Proposal:
    """Propose the number of nodes, of hyperedges, or both; the one that is given stays."""
    whole = Looks.of([H])
    tried = list(_tried(H, sample, n, m, whole))
    bearable = min(proposal.pieces.unlikeness(whole) for proposal in tried) + _TOLERANCE
    alike = (proposal for proposal in tried if proposal.pieces.unlikeness(whole) <= bearable)
    return max(alike, key=lambda proposal: (proposal.n * proposal.m, proposal.m))


def _tried(H: Hypergraph, sample: SampleShape, n: int | None, m: int | None, whole: Looks) -> Iterator[Proposal]:
    """Sample pieces of every shape that can be had; if none can, say why."""
    failure: HyperhedgeError | None = None
    successes = 0
    for nodes in _upto(_NODES, H.n) if n is None else (n,):
        for edges in _upto(_EDGES, int((H.edge_sizes > 0).sum()) // _LARGEST_SHARE) if m is None else (m,):
            try:
                pieces = sample(nodes, edges, _PIECES, np.random.default_rng(_SEED))
            except HyperhedgeError as error:
                failure = error
                break  # more hyperedges on as many nodes would fail as well
            successes += 1
            yield Proposal(nodes, edges, Looks.of(pieces), whole)
    if failure and not successes:
        raise failure


def _upto(choices: tuple[int, ...], most: int) -> list[int]:
    """Return the choices up to ``most``; if there are none, ``most`` itself."""
    return [choice for choice in choices if choice <= most] or [max(most, 1)]
