r"""The multiscale shuffle: structure stays down to a chosen scale, and all else is exchanged.

Cluster the hyperedges of a training hypergraph in a tree (:mod:`hyperhedge.models.multiscale.tree`). A cluster has a matrix with a
row for each node that occurs in it and a column for each of its children: how many of the child's hyperedges hold the node. The sum
of a row is the node's degree within the cluster. In every cluster, from the root to the leaves and independently, *rows of equal
sum are exchanged*: uniformly among all permutations that keep the sums. Whoever gets a row goes into the children with its counts,
where it meets the nodes that got theirs elsewhere.

Degrees and edge sizes stay exact at every step. What stays as well is how hyperedges overlap inside a leaf, and how often a node of
a cluster spreads over so many children; what goes is which nodes meet in different clusters. With one leaf for all hyperedges,
``leaves="exchange"`` only gives nodes of equal degree new names, and ``leaves="configuration"`` is the configuration model.

*Inside the leaves*, ``"exchange"`` keeps the incidences up to an exchange of rows, and ``"configuration"`` replaces them by the
configuration model of the leaf. The first asks: is my statistic more than what overlaps of that size explain? The second: is it
more than communities of that size explain?
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.models.base import one_of, whole_number
from hyperhedge.models.configuration import shuffle
from hyperhedge.models.multiscale.tree import Tree
from hyperhedge.models.repeats import REPEATS, Repeats, resampled
from hyperhedge.models.stored import StoringGenerator
from hyperhedge.typing import IntArray

Leaves: TypeAlias = Literal["exchange", "configuration"]


class MultiscaleShuffle(StoringGenerator):
    """A training hypergraph, chosen uniformly, with rows of equal sum exchanged in every cluster of a tree.

    Keeps every degree and every edge size exactly, and the structure inside clusters of ``leaf`` hyperedges (or only their
    degrees and sizes, see ``leaves``). It needs pymetis: ``pip install 'hyperhedge[tree]'``.

    Parameters
    ----------
    leaf
        The largest number of hyperedges in a leaf: the scale.
    fan_out
        The most children of a cluster.
    leaves
        ``"exchange"`` keeps incidences inside a leaf up to an exchange of rows; ``"configuration"`` shuffles each leaf.
    repeats
        Whether hyperedges may repeat: ``"allow"``; ``"forbid"``, hypergraphs are sampled until one has none; ``"as-data"``,
        forbidden if no training hypergraph has repeats.

    Attributes
    ----------
    training_ : list[Hypergraph]
        The training hypergraphs, without their labels. They are part of a saved model.

    Examples
    --------
    >>> H = Hypergraph([[4 * i + j for j in range(4) if j != k] for i in range(4) for k in range(4)])
    >>> S, = MultiscaleShuffle(leaf=4).fit([H]).sample(seed=1)
    >>> (S.degrees == H.degrees).all() and (S.edge_sizes == H.edge_sizes).all()
    np.True_
    """

    name = "multiscale-shuffle"

    training_: list[Hypergraph]
    _trees: dict[int, Tree]

    def __init__(
        self, *, leaf: int = 64, fan_out: int = 16, leaves: Leaves = "exchange", repeats: Repeats = "allow"
    ) -> None:
        self.leaf, self.fan_out, self.leaves, self.repeats = leaf, fan_out, leaves, repeats
        self._check()

    def _check(self) -> None:
        one_of(self.repeats, REPEATS, "repeats")
        whole_number(self.leaf, "leaf", least=1)
        whole_number(self.fan_out, "fan_out", least=2)
        one_of(self.leaves, ("exchange", "configuration"), "leaves")

    def _fit(self, training: list[Hypergraph]) -> None:
        self.training_ = [H.relabel(nodes=range(H.n), edges=range(H.m)) for H in training]
        self._trees = {}

    def _sample(self, count: int, rng: np.random.Generator) -> list[Hypergraph]:
        chosen = rng.integers(0, len(self.training_), size=count)

        def sample(numbers: IntArray) -> list[Hypergraph]:
            return [self._shuffled(k, rng) for k in chosen[numbers].tolist()]

        return resampled(sample, count, type(self).__name__) if self._forbids_repeats() else sample(np.arange(count))

    def _shuffled(self, k: int, rng: np.random.Generator) -> Hypergraph:
        H = self.training_[k]
        if k not in self._trees:
            self._trees[k] = Tree.of(H, self.leaf, self.fan_out)
        tree = self._trees[k]
        if self.leaves == "configuration":
            H = _with_shuffled_leaves(H, tree.leaves, rng)
        return Hypergraph.from_indices(exchanged(H, tree, rng), H.edge_indices, nodes=H.n, edges=H.m)

    def _read_arrays(self, folder: Path) -> None:
        super()._read_arrays(folder)
        self._trees = {}


def exchanged(H: Hypergraph, tree: Tree, rng: np.random.Generator) -> IntArray:
    """Return the node of each incidence after rows of equal sum were exchanged in every cluster."""
    nodes, edges = H.indices, H.edge_indices
    names = nodes.astype(np.int64)
    for level in tree.levels:
        rows = level[edges] * H.n + nodes
        _, first, row, sums = np.unique(rows, return_index=True, return_inverse=True, return_counts=True)
        clusters = level[edges[first]]
        names = _permuted_within(names[first], clusters * (H.m + 1) + sums, rng)[row]
    return names


def _permuted_within(values: IntArray, groups: IntArray, rng: np.random.Generator) -> IntArray:
    """Permute values at random within each group."""
    shuffled = rng.permutation(len(groups))
    shuffled = shuffled[np.argsort(groups[shuffled], kind="stable")]
    permuted = np.empty_like(values)
    permuted[np.argsort(groups, kind="stable")] = values[shuffled]
    return permuted


def _with_shuffled_leaves(H: Hypergraph, leaves: IntArray, rng: np.random.Generator) -> Hypergraph:
    """Replace the incidences inside each leaf by those of the leaf's configuration model."""
    order = np.argsort(leaves[H.edge_indices], kind="stable")
    sizes = np.bincount(leaves, weights=H.edge_sizes).astype(np.int64)
    nodes, edges = H.indices.astype(np.int64), H.edge_indices.astype(np.int64)
    for incidences in np.split(order, np.cumsum(sizes)[:-1]):
        leaf_nodes, rows = np.unique(nodes[incidences], return_inverse=True)
        leaf_edges, columns = np.unique(edges[incidences], return_inverse=True)
        leaf = Hypergraph.from_indices(rows, columns, nodes=len(leaf_nodes), edges=len(leaf_edges))
        new = shuffle(leaf, seed=rng)
        nodes[incidences], edges[incidences] = leaf_nodes[new.indices], leaf_edges[new.edge_indices]
    return Hypergraph.from_indices(nodes, edges, nodes=H.n, edges=H.m)
