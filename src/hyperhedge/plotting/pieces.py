"""Pieces of a large hypergraph, each small enough to be drawn with hulls.

A piece grows from a sampled hyperedge: again and again a random hyperedge of a random member joins it, if the piece
stays readable (at most 8 hyperedges and 20 nodes). Its hyperedges are whole; others that share its nodes are left out.
The first hyperedges come from equal shares of the order of the columns, so pieces lie apart in the matrix.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.typing import IntArray

MOST_EDGES, MOST_NODES = 8, 20  #: of a piece
_MOST_START = 10  # members of the first hyperedge: others have room
_TRIES = 80


@dataclass(frozen=True)
class Piece:
    """A piece: the positions of its first hyperedge, of all its hyperedges and of its nodes, and the hypergraph of them."""

    first: int
    edges: IntArray
    nodes: IntArray
    hypergraph: Hypergraph


def sample_pieces(H: Hypergraph, columns: IntArray, count: int, rng: np.random.Generator) -> list[Piece]:
    """Sample pieces, in the order of ``columns``; fewer if there are too few hyperedges to begin with.

    Examples
    --------
    >>> path = Hypergraph([[k, k + 1] for k in range(100)])
    >>> (piece,) = sample_pieces(path, np.arange(100), 1, np.random.default_rng(0))
    >>> piece.hypergraph.shape
    (9, 8)
    """
    sizes = H.edge_sizes[columns]
    # Two members at least, since a piece about one node says little, unless there is nothing else.
    fit = columns[(sizes >= 2) & (sizes <= _MOST_START)]
    fit = fit if len(fit) else columns[(sizes >= 1) & (sizes <= MOST_NODES)]
    by_node = H.dual()
    firsts = [int(rng.choice(share)) for share in np.array_split(fit, count) if len(share)]
    return [_grown(H, by_node, first, rng) for first in firsts]


def _grown(H: Hypergraph, by_node: Hypergraph, first: int, rng: np.random.Generator) -> Piece:
    edges, nodes = [first], list(_members(H, first))
    for _ in range(_TRIES):
        if len(edges) == MOST_EDGES or len(nodes) == MOST_NODES:
            break
        edge = int(rng.choice(_members(by_node, int(rng.choice(nodes)))))
        new = [node for node in _members(H, edge) if node not in nodes]
        if edge not in edges and len(nodes) + len(new) <= MOST_NODES:
            edges.append(edge)
            nodes += new
    row_of = {node: row for row, node in enumerate(nodes)}
    piece = Hypergraph(
        [[row_of[node] for node in _members(H, edge)] for edge in edges], nodes=range(len(nodes))
    ).relabel(nodes=[H.nodes[node] for node in nodes], edges=[H.edges[edge] for edge in edges])
    return Piece(first, np.array(edges), np.array(nodes), piece)


def _members(H: Hypergraph, edge: int) -> list[int]:
    members: list[int] = H.indices[H.indptr[edge] : H.indptr[edge + 1]].tolist()
    return members
