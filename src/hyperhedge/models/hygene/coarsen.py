r"""Coarsening: a hypergraph as a sequence of smaller ones, down to one node in one hyperedge, and the way back.

*The clique expansion* joins two nodes with the weight :math:`\sum_{e \ni u, v} 1/|e|`. With :math:`H` the incidence matrix and
:math:`D_V, D_E` degrees and sizes on diagonals, its Laplacian is that of the hypergraph as Bolla defines it,

.. math:: L = D_V - H D_E^{-1} H^\top ,

since the weights at a node, with that of a loop, add up to its degree. So a contraction that preserves the spectrum of this graph
preserves that of the hypergraph (:func:`clique_weights`).

*The cost* of contracting a pair is its local variation (A. Loukas, *Graph reduction with spectral and cut guarantees*, JMLR 20,
2019). With :math:`A` the preserved eigenvectors over the roots of their eigenvalues, :math:`d` the weighted degrees, and
:math:`L_{uv}` the Laplacian of the pair with all weights that leave it counted twice,

.. math:: c(u, v) = \bigl\| \Pi A_{uv} \bigr\|_{L_{uv}}^2 = \tfrac12 (d_u + d_v)\, \| A_u - A_v \|^2 , \qquad \Pi = I - \tfrac12 J .

*A step* goes through the pairs that are joined, from the cheapest on, leaves each out with probability :math:`\lambda`, and
contracts disjoint ones until a share :math:`r` of the nodes is gone. Hyperedges that become equal are merged. A pair whose
contraction would merge more than three hyperedges into one is left out, so a hyperedge of the coarser scale stands for 1, 2
or 3, and a node for 1 or 2. The weights of the clique expansion are added up, and :math:`A` follows by
:math:`B \leftarrow C B`, :math:`A = B (B^\top L B)^{-1/2}` with :math:`C` the contraction.

*What the paper leaves open.* A node that no pair has left (its component is contracted, or it is isolated) is contracted with
another such node, when the joined pairs do not suffice: every hypergraph ends at one node. Eigenvectors of eigenvalue zero, one
per component, are left out of :math:`A`. If all pairs are left out by chance or by the limit of three, the cheapest one is
contracted, and hyperedges that are equal are merged by threes, until they are one. Hyperedges without nodes are left out.

*The way back* (:func:`expand`) repeats nodes and hyperedges by their numbers, joins them where those that they come from are
joined, and removes incidences. With the numbers and the incidences of the coarsening this restores each scale, and the
hypergraph.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.models.base import Seed, rng_of
from hyperhedge.typing import BoolArray, FloatArray, IntArray

MOST_NODES, MOST_EDGES = 2, 3
"""What a node, and a hyperedge, of a coarser scale stands for at most."""

_ZERO = 1e-8


@dataclass(frozen=True)
class Coarsening:
    r"""How to coarsen.

    Attributes
    ----------
    least, most
        The share of the nodes that a step removes is uniform between these.
    small
        Up to so many nodes, it is the larger one.
    skip
        The probability :math:`\lambda` that a pair is left out.
    preserved
        How many eigenvectors enter into the cost, with that of the first zero.
    """

    least: float = 0.1
    most: float = 0.3
    small: int = 16
    skip: float = 0.3
    preserved: int = 8


@dataclass(frozen=True)
class Scale:
    """A hypergraph of a sequence, and the nodes and hyperedges of the next coarser one from which its own come.

    Attributes
    ----------
    H
        The incidence matrix ``(n, m)``.
    node_parents, edge_parents
        For each node and hyperedge, that of the coarser scale, ascending; all zero at the last scale.
    nodes, edges
        At the first scale, which nodes and hyperedges of the hypergraph these are; otherwise 0, 1, ….
    """

    H: BoolArray
    node_parents: IntArray
    edge_parents: IntArray
    nodes: IntArray
    edges: IntArray

    @property
    def n(self) -> int:
        """The number of nodes."""
        return int(self.H.shape[0])

    @property
    def m(self) -> int:
        """The number of hyperedges."""
        return int(self.H.shape[1])


def clique_weights(H: NDArray[np.generic]) -> FloatArray:
    """Return the weights ``(n, n)`` of the clique expansion, without loops.

    Examples
    --------
    >>> clique_weights(np.array([[1, 0], [1, 1], [1, 1]])).round(2).tolist()
    [[0.0, 0.33, 0.33], [0.33, 0.0, 0.83], [0.33, 0.83, 0.0]]
    """
    dense = np.asarray(H, dtype=np.float64)
    weights: FloatArray = (dense / np.maximum(dense.sum(0), 1)) @ dense.T
    np.fill_diagonal(weights, 0)
    return weights


def laplacian(weights: FloatArray) -> FloatArray:
    """Return the Laplacian of weights."""
    L: FloatArray = np.diag(weights.sum(0)) - weights
    return L


def preserved(weights: FloatArray, count: int) -> FloatArray:
    """Return :math:`A`: eigenvectors of the smallest eigenvalues above zero, at most ``count - 1``, over the roots of these."""
    values, vectors = np.linalg.eigh(laplacian(weights))
    kept = np.flatnonzero(values > _ZERO * max(1.0, values[-1]))[: max(count - 1, 0)]
    A: FloatArray = vectors[:, kept] / np.sqrt(values[kept])
    return A


def contraction_costs(weights: FloatArray, A: FloatArray, u: IntArray, v: IntArray) -> FloatArray:
    """Return the local variation of contracting each pair ``u[k], v[k]``."""
    degrees = weights.sum(0)
    costs: FloatArray = 0.5 * (degrees[u] + degrees[v]) * ((A[u] - A[v]) ** 2).sum(1)
    return costs


def _rotated(B: FloatArray, weights: FloatArray) -> FloatArray:
    r"""Return :math:`B (B^\top L B)^{-1/2}`, up to a rotation, which costs do not see."""
    values, vectors = np.linalg.eigh(B.T @ (weights.sum(0)[:, None] * B - weights @ B))
    kept = values > _ZERO
    A: FloatArray = B @ (vectors[:, kept] / np.sqrt(values[kept]))
    return A


# -- one step ----------------------------------------------------------------------------------------


class _Merging:
    """Hyperedges as whole numbers, a bit for each node, while pairs of nodes are contracted.

    ``groups`` has the hyperedges of the finer scale by the number that they have become; ``at`` the numbers with each node.
    """

    def __init__(self, H: BoolArray) -> None:
        self.groups: dict[int, list[int]] = {}
        self.at: list[set[int]] = [set() for _ in range(H.shape[0])]
        for e, column in enumerate(H.T):
            word = sum(1 << v for v in np.flatnonzero(column).tolist())
            self.groups.setdefault(word, []).append(e)
            self._remember(word)

    def contract(self, u: int, v: int, *, limit: bool) -> bool:
        """Put ``v`` into ``u``, unless there is a limit and this would merge more than three hyperedges; return whether it did."""
        changed: dict[int, list[int]] = {}
        for word in self.at[u] | self.at[v]:
            changed.setdefault(word & ~(1 << v) | 1 << u, []).append(word)
        if limit and any(sum(len(self.groups[w]) for w in words) > MOST_EDGES for words in changed.values()):
            return False
        for new, words in changed.items():
            members = [e for word in words for e in self.groups.pop(word)]
            for word in words:
                self._forget(word)
            self.groups[new] = members
            self._remember(new)
        return True

    def _forget(self, word: int) -> None:
        for node in _bits(word):
            self.at[node].discard(word)

    def _remember(self, word: int) -> None:
        for node in _bits(word):
            self.at[node].add(word)

    def parents(self, m: int) -> IntArray:
        """Return the merged hyperedge of each; more than three that are equal are merged by threes."""
        parents, count = np.zeros(m, dtype=np.int64), 0
        for members in self.groups.values():
            for start in range(0, len(members), MOST_EDGES):
                parents[members[start : start + MOST_EDGES]] = count
                count += 1
        return parents


def _bits(word: int) -> list[int]:
    positions = []
    while word:
        low = word & -word
        positions.append(low.bit_length() - 1)
        word ^= low
    return positions


def _pairs(weights: FloatArray, A: FloatArray, rng: np.random.Generator) -> list[tuple[int, int]]:
    """List the joined pairs, the cheapest first; equal costs in random order."""
    u, v = np.nonzero(np.triu(weights, 1))
    order = rng.permutation(len(u))
    u, v = u[order], v[order]
    order = np.argsort(contraction_costs(weights, A, u, v), kind="stable")
    return list(zip(u[order].tolist(), v[order].tolist(), strict=True))


def _lone_pairs(weights: FloatArray, rng: np.random.Generator) -> list[tuple[int, int]]:
    """Pair up nodes that are joined with none, at random."""
    lone = rng.permutation(np.flatnonzero(weights.sum(0) <= 0)).tolist()
    return list(zip(lone[::2], lone[1::2], strict=False))


def _contracted(
    H: BoolArray, weights: FloatArray, A: FloatArray, coarsening: Coarsening, rng: np.random.Generator
) -> tuple[IntArray, IntArray]:
    """Choose pairs and contract them; return the parents of nodes and hyperedges."""
    n = H.shape[0]
    share = coarsening.most if n <= coarsening.small else rng.uniform(coarsening.least, coarsening.most)
    pairs = _pairs(weights, A, rng) + _lone_pairs(weights, rng)
    merging, into = _Merging(H), list(range(n))
    contracted: set[int] = set()
    for u, v in pairs:
        if u in contracted or v in contracted or rng.random() < coarsening.skip:
            continue
        if merging.contract(u, v, limit=True):
            into[v] = u
            contracted |= {u, v}
            if len(contracted) // 2 >= share * n:
                break
    if not contracted and pairs:
        u, v = pairs[0]
        merging.contract(u, v, limit=False)
        into[v] = u
    _, parents = np.unique(into, return_inverse=True)
    return parents.astype(np.int64), merging.parents(H.shape[1])


# -- the sequence --------------------------------------------------------------------------------------


def coarsen(H: Hypergraph, coarsening: Coarsening | None = None, *, seed: Seed | None = None) -> list[Scale]:
    """Coarsen a hypergraph step by step; return the scales from the hypergraph itself to one node in one hyperedge.

    Parameters
    ----------
    H
        A hypergraph with at least one incidence. Its hyperedges without nodes are left out.
    coarsening
        How to coarsen.
    seed
        A whole number, a numpy generator, or None for fresh randomness.

    Examples
    --------
    >>> scales = coarsen(Hypergraph([[0, 1, 2], [2, 3], [3, 4]]), seed=1)
    >>> [(scale.n, scale.m) for scale in scales]
    [(5, 3), (3, 3), (2, 3), (1, 1)]
    """
    coarsening, rng = coarsening or Coarsening(), rng_of(seed)
    edges = np.flatnonzero(H.edge_sizes)
    dense: BoolArray = np.zeros((H.n, H.m), dtype=np.bool_)
    dense[H.indices, H.edge_indices] = True
    scales = [dense[:, edges]]
    parents: list[tuple[IntArray, IntArray]] = []
    weights = clique_weights(scales[0])
    A = B = preserved(weights, coarsening.preserved)
    while scales[-1].size > 1:
        node_parents, edge_parents = _contracted(scales[-1], weights, A, coarsening, rng)
        parents.append((node_parents, edge_parents))
        n, m = node_parents.max() + 1, edge_parents.max() + 1
        coarse: BoolArray = np.zeros((n, m), dtype=np.bool_)
        v, e = np.nonzero(scales[-1])
        coarse[node_parents[v], edge_parents[e]] = True
        scales.append(coarse)
        contraction = (node_parents == np.arange(n)[:, None]).astype(np.float64)
        weights = contraction @ weights @ contraction.T
        np.fill_diagonal(weights, 0)
        B = (contraction / np.sqrt(contraction.sum(1, keepdims=True))) @ B
        A = _rotated(B, weights)
    return _sorted(scales, parents, edges)


def _sorted(scales: list[BoolArray], parents: list[tuple[IntArray, IntArray]], edges: IntArray) -> list[Scale]:
    """Order nodes and hyperedges of all scales by where they come from, beginning with the last scale."""
    zero = np.zeros(1, dtype=np.int64)
    coarse_to_fine = [Scale(scales[-1], zero, zero, zero, zero)]
    node_rank = edge_rank = zero  # where the coarser scale's nodes and hyperedges have gone
    for H, (node_parents, edge_parents) in zip(scales[-2::-1], parents[::-1], strict=True):
        of_nodes, of_edges = node_rank[node_parents], edge_rank[edge_parents]
        nodes, columns = np.argsort(of_nodes, kind="stable"), np.argsort(of_edges, kind="stable")
        coarse_to_fine.append(Scale(H[np.ix_(nodes, columns)], of_nodes[nodes], of_edges[columns], nodes, columns))
        node_rank, edge_rank = np.argsort(nodes), np.argsort(columns)
    first = coarse_to_fine.pop()
    return [replace(first, edges=edges[first.edges]), *reversed(coarse_to_fine)]


# -- the way back --------------------------------------------------------------------------------------


def expand(H: BoolArray, node_counts: IntArray, edge_counts: IntArray) -> tuple[BoolArray, IntArray, IntArray]:
    """Repeat nodes and hyperedges; return the incidence matrix with all incidences that may stay, and where each comes from.

    Examples
    --------
    >>> finer, _, _ = expand(np.array([[True, False], [True, True]]), np.array([2, 1]), np.array([1, 1]))
    >>> finer.astype(int).tolist()
    [[1, 0], [1, 0], [1, 1]]
    """
    nodes = np.repeat(np.arange(len(node_counts)), node_counts)
    edges = np.repeat(np.arange(len(edge_counts)), edge_counts)
    return H[np.ix_(nodes, edges)], nodes, edges
