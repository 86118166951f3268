r"""Seams: overlaps by how far apart two hyperedges would be without what they share.

A generator may have the right distribution of overlaps and still put them in the wrong places: within its clusters there are too
many, across them hardly any. Two ways to see that, both over pairs :math:`\{e, f\}` with :math:`e \cap f \ne \emptyset`:

* *by detour*: the length of the shortest way from :math:`e` to :math:`f`, in hyperedges, that uses none of the nodes in
  :math:`e \cap f`. 2 means that some hyperedge meets both elsewhere; pairs with a long detour, or with none, are bridges. (For a
  link of a graph this is its *tie range*: M. Granovetter, *The strength of weak ties*, Am. J. Sociol. 78, 1973.) The same in the
  dual: pairs of nodes and the hyperedges that they share, so pair degrees.
* *by cluster*: how many hyperedges there are in the smallest cluster of a tree (:class:`hyperhedge.models.multiscale.Tree`) that
  holds both, in classes up to 64, 1,024 and 16,384: hypergraphs with trees of their own can be compared. Or, for one tree, the
  level down to which both are in one cluster; 0 is the root.

For each class: its share of the pairs, the mean of :math:`|e \cap f|` and the share with two nodes or more, and its part of the
mean homogeneity, :math:`\binom{|e|}{2}^{-1} \sum_f \binom{|e \cap f|}{2}` summed over the :math:`f` of the class. A good model has
the numbers of the real hypergraph in every class.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hyperhedge._system.numba import compiled
from hyperhedge._system.portions import portions
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.metrics.whole.walks import MOST_STEPS, Ints, Sides, affordable
from hyperhedge.models.base import Seed, rng_of
from hyperhedge.models.multiscale import Tree
from hyperhedge.typing import FloatArray, IntArray

__all__ = ["FARTHEST", "Seam", "seams_by_cluster", "seams_by_detour", "seams_by_level"]

FARTHEST = 4
"""Detours of this length or more, and none at all, are one class."""

_CLUSTERS = (64, 1024, 16384)

PAIRS = 4000
"""Of how many pairs the detours are looked for."""

_MOST_LOOK = 2_000_000  # incidences that a search goes through before it counts as far
_BATCH = 50  # pairs between two looks at the steps


@dataclass(frozen=True)
class Seam:
    """The overlapping pairs of one class.

    Attributes
    ----------
    name
        The class.
    share
        Its share of the overlapping pairs.
    mean
        The mean number of shared nodes; None if there are no pairs.
    tail
        The share of its pairs that share two nodes or more; None if there are none.
    homogeneity
        Its part of the mean homogeneity of hyperedges, the hyperedge's own pairs left out; None where pairs were sampled.
    """

    name: str
    share: float
    mean: float | None
    tail: float | None
    homogeneity: float | None


# -- by level ------------------------------------------------------------------------------------------


def seams_by_level(
    H: Hypergraph, tree: Tree, *, seed: Seed | None = None, most_steps: int = MOST_STEPS
) -> tuple[Seam, ...]:
    """Return the overlapping pairs by the deepest level at which both hyperedges are in one cluster.

    Examples
    --------
    >>> H = Hypergraph([[0, 1, 2], [1, 2, 3], [3, 4], [4, 5]])
    >>> tree = Tree([np.zeros(4, dtype=int), np.array([0, 0, 1, 1])])
    >>> for seam in seams_by_level(H, tree):
    ...     print(seam.name, round(seam.share, 2), seam.mean, seam.tail, round(seam.homogeneity, 2))
    0 0.33 1.0 0.0 0.0
    1 0.67 1.5 0.5 0.17
    """
    names = [str(level) for level in range(len(tree.levels))]
    classes = np.tile(np.arange(len(names), dtype=np.int32), (H.m, 1))
    return _by_class(H, tree, classes, names, rng_of(seed), most_steps)


def seams_by_cluster(
    H: Hypergraph, tree: Tree | None = None, *, seed: Seed | None = None, most_steps: int = MOST_STEPS
) -> tuple[Seam, ...]:
    """Return the overlapping pairs by the size of the smallest cluster that holds both hyperedges.

    Examples
    --------
    >>> cliques = [[4 * i + j for j in range(4) if j != k] for i in range(30) for k in range(4)]
    >>> for seam in seams_by_cluster(Hypergraph(cliques)):
    ...     print(seam.name, seam.share)
    up to 64 1.0
    up to 1,024 0.0
    up to 16,384 0.0
    more 0.0
    """
    tree = Tree.of(H, leaf=16) if tree is None else tree
    sizes = np.stack([np.bincount(level, minlength=1)[level] for level in tree.levels], axis=1)
    classes = np.searchsorted(_CLUSTERS, sizes).astype(np.int32)
    names = [*(f"up to {bound:,}" for bound in _CLUSTERS), "more"]
    return _by_class(H, tree, classes, names, rng_of(seed), most_steps)


def _by_class(
    H: Hypergraph, tree: Tree, classes: Ints, names: list[str], rng: np.random.Generator, most_steps: int
) -> tuple[Seam, ...]:
    """Return the overlapping pairs by the class that the first hyperedge has at the deepest common level."""
    sides = Sides.of(H)
    walked = affordable(sides.walk_lengths, most_steps, rng)
    levels = np.ascontiguousarray(np.stack(tree.levels, axis=1).astype(np.int32))
    counts = np.zeros((len(names), int(sides.sizes.max(initial=0)) + 1), dtype=np.int64)
    parts = np.zeros(len(names))
    touched, shared = np.empty(sides.m, dtype=np.int32), np.zeros(sides.m, dtype=np.int32)
    for begin, end in portions(sides.walk_lengths[walked]):
        _walk_by_level(walked[begin:end], *sides.arrays, levels, classes, touched, shared, counts, parts)
    large = int((sides.sizes[walked] > 1).sum())
    return _seams(names, counts, parts / max(large, 1))


@compiled
def _walk_by_level(
    walked: IntArray,
    starts: IntArray,
    members: Ints,
    node_starts: IntArray,
    of_node: Ints,
    levels: Ints,
    classes: Ints,
    touched: Ints,
    shared: Ints,
    counts: IntArray,
    parts: FloatArray,
) -> None:
    """Count the pairs of some hyperedges by level and intersection size; ``shared`` is zero before and after."""
    for e in walked:
        size, count = starts[e + 1] - starts[e], 0
        for v in members[starts[e] : starts[e + 1]]:
            for f in of_node[node_starts[v] : node_starts[v + 1]]:
                if shared[f] == 0:
                    touched[count] = f
                    count += 1
                shared[f] += 1
        for f in touched[:count]:
            common = shared[f]
            shared[f] = 0
            if f == e:
                continue
            level = 0
            while level + 1 < levels.shape[1] and levels[e, level + 1] == levels[f, level + 1]:
                level += 1
            counts[classes[e, level], common] += 1
            if common > 1:
                parts[classes[e, level]] += common * (common - 1) / (size * (size - 1))


def _seams(names: list[str], counts: IntArray, parts: FloatArray | None) -> tuple[Seam, ...]:
    total, sizes = max(int(counts.sum()), 1), np.arange(counts.shape[1])

    def seam(k: int) -> Seam:
        pairs = int(counts[k].sum())
        return Seam(
            name=names[k],
            share=pairs / total,
            mean=float(counts[k] @ sizes) / pairs if pairs else None,
            tail=float(counts[k, 2:].sum()) / pairs if pairs else None,
            homogeneity=None if parts is None else float(parts[k]),
        )

    return tuple(seam(k) for k in range(len(names)))


# -- by detour -----------------------------------------------------------------------------------------


def seams_by_detour(
    H: Hypergraph, *, pairs: int = PAIRS, seed: Seed | None = None, most_steps: int = MOST_STEPS
) -> tuple[Seam, ...]:
    """Return overlapping pairs, a random sample of them, by the length of their detour; fewer if the searches are long.

    Examples
    --------
    >>> for seam in seams_by_detour(Hypergraph([[0, 1, 2], [1, 2, 3], [3, 0], [3, 4]]), seed=0):
    ...     print(seam.name, round(seam.share, 1), seam.tail and round(seam.tail, 1))
    2 0.6 0.3
    3 0.0 None
    4 or more, or none 0.4 0.0
    """
    sides = Sides.of(H)
    first, second = _random_pairs(sides, pairs, rng_of(seed))
    counts = np.zeros((FARTHEST - 1, int(sides.sizes.max(initial=0)) + 1), dtype=np.int64)
    marks = np.full(sides.m, -1, dtype=np.int32), np.full(sides.n, -1, dtype=np.int32)
    queue = np.empty(sides.m, dtype=np.int32)
    steps = 0
    for begin in range(0, len(first), _BATCH):
        batch = slice(begin, begin + _BATCH)
        steps += _look(begin, first[batch], second[batch], *sides.arrays, *marks, queue, counts)
        if steps > most_steps:
            break
    names = [*(str(length) for length in range(2, FARTHEST)), f"{FARTHEST} or more, or none"]
    return _seams(names, counts, None)


def _random_pairs(sides: Sides, count: int, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Sample overlapping pairs uniformly: a node and two of its hyperedges, kept with probability one over what these share."""
    degrees = sides.degrees
    weights = (degrees * (degrees - 1.0)).cumsum()
    if not len(weights) or not weights[-1]:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    kept: list[tuple[IntArray, IntArray]] = []
    total = 0
    while total < count:
        nodes = np.searchsorted(weights, rng.random(4 * count) * weights[-1], side="right")
        i = rng.integers(degrees[nodes])
        j = rng.integers(degrees[nodes] - 1)
        j += j >= i
        first, second = (sides.of_node[sides.node_starts[nodes] + k].astype(np.int64) for k in (i, j))
        common = _common(first, second, sides.starts, sides.members)
        accepted = rng.random(len(nodes)) * common < 1
        kept.append((first[accepted], second[accepted]))
        total += int(accepted.sum())
    return tuple(np.concatenate(parts)[:count] for parts in zip(*kept, strict=True))  # type: ignore[return-value]


@compiled
def _common(first: IntArray, second: IntArray, starts: IntArray, members: Ints) -> IntArray:
    """Count what pairs of hyperedges share."""
    counts = np.zeros(len(first), dtype=np.int64)
    for k in range(len(first)):
        e, f = first[k], second[k]
        for u in members[starts[e] : starts[e + 1]]:
            for v in members[starts[f] : starts[f + 1]]:
                counts[k] += u == v
    return counts


@compiled
def _look(
    begin: int,
    first: IntArray,
    second: IntArray,
    starts: IntArray,
    members: Ints,
    node_starts: IntArray,
    of_node: Ints,
    edge_mark: Ints,
    node_mark: Ints,
    queue: Ints,
    counts: IntArray,
) -> int:
    """Search from the first of each pair for the second, around what they share, up to the last class; return the steps."""
    none, steps = counts.shape[0] + 1, 0
    for k in range(len(first)):
        e, f, own = first[k], second[k], begin + k
        common = 0
        for u in members[starts[e] : starts[e + 1]]:
            for v in members[starts[f] : starts[f + 1]]:
                if u == v:
                    node_mark[u] = own  # as if it had been seen
                    common += 1
        arrays = starts, members, node_starts, of_node, edge_mark, node_mark, queue
        distance, looked = _distance(e, f, own, none, *arrays)
        counts[distance - 2, common] += 1
        steps += looked
    return steps


@compiled
def _distance(
    e: int,
    f: int,
    own: int,
    none: int,
    starts: IntArray,
    members: Ints,
    node_starts: IntArray,
    of_node: Ints,
    edge_mark: Ints,
    node_mark: Ints,
    queue: Ints,
) -> tuple[int, int]:
    """Return the distance from one hyperedge to another around marked nodes (at most ``none``), and the steps."""
    edge_mark[e] = own
    queue[0] = e
    at, end, looked = 0, 1, 0
    for distance in range(1, none):
        last = end
        for g in queue[at:last]:
            for v in members[starts[g] : starts[g + 1]]:
                if node_mark[v] == own or looked > _MOST_LOOK:
                    continue
                node_mark[v] = own
                for h in of_node[node_starts[v] : node_starts[v + 1]]:
                    looked += 1
                    if edge_mark[h] != own:
                        edge_mark[h] = own
                        queue[end] = h
                        end += 1
        if edge_mark[f] == own:
            return distance, looked
        at = last
    return none, looked
