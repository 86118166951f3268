r"""A tree of clusters of hyperedges: those that overlap fall together.

The overlap graph joins hyperedges :math:`e, f` that share nodes, with the weight

.. math:: w_{ef} = \sum_{v \in e \cap f} \frac{1}{d_v - 1} ,

so that a node gives each of its hyperedges the weight 1 in all, however many it has. METIS (G. Karypis and V. Kumar, *A fast and
high quality multilevel scheme for partitioning irregular graphs*, SIAM Journal on Scientific Computing 20, 1998) cuts it into
clusters of nearly equal numbers of hyperedges with little weight between them; every cluster of more than ``leaf`` hyperedges is
cut again, into at most ``fan_out``.

*Hubs.* A node of degree :math:`d` joins :math:`d(d-1)/2` pairs. Above a degree of 64, each of its hyperedges is joined to 16 others
at random instead, with the same weight in all, so the graph grows with the incidences.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from hyperhedge._system.optional import require
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.typing import IntArray

_HUB, _PARTNERS = 64, 16
_JITTER = 0.3  # the standard deviation of the logarithms of random factors
_UNIT = 1000  # METIS has whole-number weights; a weight of one becomes this


@dataclass(frozen=True)
class Tree:
    """Clusters of hyperedges at several levels.

    Attributes
    ----------
    levels : list[IntArray]
        For each level, the cluster of each hyperedge. Level 0 is one cluster, the last level has the leaves; a leaf that ends
        early stays as it is. Every cluster lies in one of the level before.
    """

    levels: list[IntArray]

    @property
    def leaves(self) -> IntArray:
        """The leaf of each hyperedge."""
        return self.levels[-1]

    @classmethod
    def of(cls, H: Hypergraph, leaf: int, fan_out: int = 16, *, rng: np.random.Generator | None = None) -> Tree:
        """Cluster the hyperedges of a hypergraph.

        The same hypergraph always gives the same tree, or with ``rng`` a random one: every weight is multiplied by a random number
        around 1, and cuts start from random seeds.

        Examples
        --------
        >>> cliques = [[4 * i + j for j in range(4) if j != k] for i in range(4) for k in range(4)]
        >>> tree = Tree.of(Hypergraph(cliques), leaf=4)
        >>> tree.leaves.reshape(4, 4).std(axis=1).tolist()  # the hyperedges of a clique are in one leaf
        [0.0, 0.0, 0.0, 0.0]
        """
        graph = overlap_graph(H, np.random.default_rng(0) if rng is None else rng)
        seed = 0
        if rng is not None:
            graph, seed = _jittered(graph, rng), int(rng.integers(2**31))
        level = np.zeros(H.m, dtype=np.int64)
        levels = [level]
        while np.bincount(level, minlength=1).max() > leaf:
            level = _refined(graph, level, leaf, fan_out, seed)
            levels.append(level)
        return cls(levels)


def overlap_graph(H: Hypergraph, rng: np.random.Generator) -> sp.csr_array:
    """Return the weights of the overlap graph, a symmetric matrix without a diagonal."""
    degrees = H.degrees
    ordinary = (degrees > 1) & (degrees <= _HUB)
    by_node = H.incidence.astype(np.float64).tocsr()
    B = by_node[ordinary]
    weights = (B.T @ sp.diags_array(1 / (degrees[ordinary] - 1)) @ B).tocoo()
    rows, columns, values = [weights.row], [weights.col], [weights.data]
    for v in np.flatnonzero(degrees > _HUB).tolist():
        edges = by_node.indices[by_node.indptr[v] : by_node.indptr[v + 1]]
        first = np.repeat(edges, _PARTNERS)
        second = rng.choice(edges, size=len(first))
        rows += [first, second]
        columns += [second, first]
        values += [np.full(len(first), 0.5 / _PARTNERS)] * 2
    entries = sp.coo_array((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape=(H.m, H.m))
    graph: sp.csr_array = entries.tocsr()
    graph.setdiag(0)
    graph.eliminate_zeros()
    return graph


def _jittered(graph: sp.csr_array, rng: np.random.Generator) -> sp.csr_array:
    """Multiply every weight by a random number around 1, the same in both directions."""
    upper = sp.triu(graph, k=1, format="coo")
    weights = upper.data * rng.lognormal(0.0, _JITTER, len(upper.data))
    half = sp.coo_array((weights, (upper.row, upper.col)), shape=graph.shape).tocsr()
    jittered: sp.csr_array = (half + half.T).tocsr()
    return jittered


def _refined(graph: sp.csr_array, level: IntArray, leaf: int, fan_out: int, seed: int) -> IntArray:
    """Cut every cluster of more than ``leaf`` hyperedges, and number all clusters anew."""
    finer = np.empty_like(level)
    count = 0
    for members in np.split(np.argsort(level, kind="stable"), np.cumsum(np.bincount(level))[:-1]):
        cut = np.zeros(len(members), dtype=np.int64)
        if len(members) > leaf:
            cut = _cut(graph[members][:, members], min(fan_out, -(-len(members) // leaf)), seed)
        finer[members] = count + cut
        count += int(cut.max(initial=-1)) + 1
    return finer


def _cut(graph: sp.csr_array, clusters: int, seed: int) -> IntArray:
    """Cut a graph into clusters, numbered from 0 without gaps."""
    pymetis = require("pymetis", "tree")
    weights = np.maximum(1, np.rint(_UNIT * graph.data)).astype(np.int64)
    result = pymetis.part_graph(
        clusters,
        pymetis.CSRAdjacency(graph.indptr.tolist(), graph.indices.tolist()),
        eweights=weights.tolist(),
        options=pymetis.Options(seed=seed),
        recursive=False,
    )
    _, cut = np.unique(np.array(result[1], dtype=np.int64), return_inverse=True)
    if cut.max() == 0:  # nothing to go by: any halves
        cut = np.arange(len(cut)) * 2 // len(cut)
    return cut
