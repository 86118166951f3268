r"""Walks through one large hypergraph: what is counted while one goes from a hyperedge to its nodes and on to their hyperedges.

A walk from each hyperedge :math:`e` through its nodes visits every hyperedge :math:`f` that overlaps it :math:`|e \cap f|`
times. So one pass of :math:`\sum_v d_v^2` steps gives intersection sizes, nested and repeated hyperedges, and the homogeneity of
:math:`e`, since

.. math:: \sum_{\{u, v\} \subseteq e} d_{uv} = \sum_f \binom{|e \cap f|}{2} .

The same walk in the dual hypergraph, of :math:`\sum_e k_e^2` steps, gives pair degrees, the neighbours of each node, and its
egonet.

*What costs too much is sampled.* A node of degree 10,000 alone makes 50 million pairs of hyperedges. If a pass would take more than
:data:`MOST_STEPS`, it walks from a random subset of hyperedges (or nodes) only, to all others: every pair is then seen with the
same probability, so shares of pairs are unbiased, and what belongs to a hyperedge is known for the subset.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hyperhedge._system.numba import compiled
from hyperhedge._system.portions import portions
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.typing import BoolArray, FloatArray, IntArray

MOST_STEPS = 300_000_000
"""The most steps of a pass: a second or two."""

Ints = NDArray[np.int32]


@dataclass(frozen=True)
class Sides:
    """A hypergraph as compiled functions walk through it: the members of each hyperedge, and the hyperedges of each node.

    Attributes
    ----------
    starts, members
        The members of hyperedge ``e`` are ``members[starts[e]:starts[e + 1]]``.
    node_starts, of_node
        The hyperedges of node ``v`` are ``of_node[node_starts[v]:node_starts[v + 1]]``, ascending.
    """

    starts: IntArray
    members: Ints
    node_starts: IntArray
    of_node: Ints

    @classmethod
    def of(cls, H: Hypergraph) -> Sides:
        """Arrange the incidences of a hypergraph from both sides."""
        owners = H.edge_indices
        node_starts = np.concatenate(([0], np.cumsum(H.degrees)))
        of_node = owners[np.argsort(H.indices, kind="stable")].astype(np.int32)
        return cls(np.array(H.indptr), H.indices.astype(np.int32), node_starts, of_node)

    @property
    def dual(self) -> Sides:
        """The dual hypergraph, whose nodes are the hyperedges."""
        return Sides(self.node_starts, self.of_node, self.starts, self.members)

    @property
    def n(self) -> int:
        """The number of nodes."""
        return len(self.node_starts) - 1

    @property
    def m(self) -> int:
        """The number of hyperedges."""
        return len(self.starts) - 1

    @property
    def arrays(self) -> tuple[IntArray, Ints, IntArray, Ints]:
        """What compiled functions walk through."""
        return self.starts, self.members, self.node_starts, self.of_node

    @cached_property
    def sizes(self) -> IntArray:
        """The size of each hyperedge."""
        return np.diff(self.starts)

    @cached_property
    def degrees(self) -> IntArray:
        """The degree of each node."""
        return np.diff(self.node_starts)

    @cached_property
    def walk_lengths(self) -> IntArray:
        """The steps of a walk from each hyperedge: the sum of the degrees of its members."""
        owners = np.repeat(np.arange(self.m), self.sizes)
        return np.bincount(owners, weights=self.degrees[self.members], minlength=self.m).astype(np.int64)


def affordable(work: IntArray, most_steps: int, rng: np.random.Generator) -> IntArray:
    """Return all elements in order if their work is affordable, and otherwise a random subset whose work is.

    Examples
    --------
    >>> affordable(np.array([5, 5, 5, 5]), 100, np.random.default_rng(0))
    array([0, 1, 2, 3])
    >>> len(affordable(np.array([5, 5, 5, 5]), 10, np.random.default_rng(0)))
    2
    """
    if work.sum() <= most_steps:
        return np.arange(len(work))
    order = rng.permutation(len(work))
    count = max(1, int(np.searchsorted(np.cumsum(work[order]), most_steps, side="right")))
    return np.sort(order[:count])


# -- overlaps ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Overlaps:
    """What walks from some hyperedges find.

    Attributes
    ----------
    walked
        The hyperedges whose walks were made: all of them, or a random subset.
    exact
        Whether these are all.
    pairs
        For each intersection size, how many pairs of hyperedges have it (``pairs[0]`` is zero: disjoint pairs are not visited).
        From a subset, how many of the visited pairs.
    neighbours
        How many hyperedges overlap each walked one.
    meetings
        The sum of the pair degrees of the pairs of nodes in each walked hyperedge.
    nested, repeated
        Whether a walked hyperedge lies strictly inside another one, and whether it equals an earlier one.
    """

    walked: IntArray
    exact: bool
    pairs: FloatArray
    neighbours: IntArray
    meetings: FloatArray
    nested: BoolArray
    repeated: BoolArray


def overlaps(sides: Sides, rng: np.random.Generator, most_steps: int = MOST_STEPS) -> Overlaps:
    """Walk from hyperedges to those that overlap them.

    Examples
    --------
    >>> found = overlaps(Sides.of(Hypergraph([[0, 1, 2], [1, 2], [2, 3], [1, 2]])), np.random.default_rng(0))
    >>> found.pairs.tolist(), found.meetings.tolist(), found.nested.tolist(), found.repeated.tolist()
    ([0.0, 3.0, 3.0, 0.0], [5.0, 3.0, 1.0, 3.0], [False, True, False, True], [False, False, False, True])
    """
    walked = affordable(sides.walk_lengths, most_steps, rng)
    pairs = np.zeros(int(sides.sizes.max(initial=0)) + 1, dtype=np.int64)
    neighbours = np.zeros(len(walked), dtype=np.int64)
    meetings = np.zeros(len(walked))
    flags = np.zeros((2, len(walked)), dtype=np.bool_)
    touched, shared = np.empty(sides.m, dtype=np.int32), np.zeros(sides.m, dtype=np.int32)
    for begin, end in portions(sides.walk_lengths[walked]):
        rows = slice(begin, end)
        counted = neighbours[rows], meetings[rows], flags[:, rows]
        _walk_from(walked[rows], *sides.arrays, touched, shared, pairs, *counted)
    exact = len(walked) == sides.m
    # From all hyperedges, every pair is seen from either side.
    return Overlaps(walked, exact, pairs / 2 if exact else pairs.astype(float), neighbours, meetings, *flags)


@compiled
def _walk_from(
    walked: IntArray,
    starts: IntArray,
    members: Ints,
    node_starts: IntArray,
    of_node: Ints,
    touched: Ints,
    shared: Ints,
    pairs: IntArray,
    neighbours: IntArray,
    meetings: FloatArray,
    flags: BoolArray,
) -> None:
    """Walk from some hyperedges; ``shared`` is zero before and after."""
    for k in range(len(walked)):
        e = walked[k]
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
            meetings[k] += common * (common - 1) / 2
            if f == e:
                continue
            pairs[common] += 1
            neighbours[k] += 1
            if common == size:
                other = starts[f + 1] - starts[f]
                flags[0, k] |= other > size
                flags[1, k] |= other == size and f < e


# -- neighbours of nodes -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Projection:
    """The simple graph in which two nodes are joined if they share a hyperedge.

    Attributes
    ----------
    starts, neighbours
        The neighbours of node ``v`` are ``neighbours[starts[v]:starts[v + 1]]``, in no order.
    """

    starts: IntArray
    neighbours: Ints

    @classmethod
    def of(cls, sides: Sides, counts: IntArray) -> Projection:
        """List the neighbours of each node, of which there are ``counts``."""
        starts = np.concatenate(([0], np.cumsum(counts)))
        neighbours = np.empty(starts[-1], dtype=np.int32)
        mark = np.full(sides.n, -1, dtype=np.int32)
        for begin, end in portions(sides.dual.walk_lengths):
            _list_neighbours(begin, end, *sides.arrays, mark, starts, neighbours)
        return cls(starts, neighbours)

    @property
    def degrees(self) -> IntArray:
        """How many neighbours each node has."""
        return np.diff(self.starts)

    def clustering(self, rng: np.random.Generator, most_steps: int = MOST_STEPS) -> tuple[IntArray, FloatArray]:
        """Return all nodes, or a random subset, and their local clustering coefficients; 0 for fewer than two neighbours.

        Examples
        --------
        >>> sides = Sides.of(Hypergraph([[0, 1, 2], [2, 3]]))
        >>> graph = Projection.of(sides, overlaps(sides.dual, np.random.default_rng(0)).neighbours)
        >>> graph.clustering(np.random.default_rng(0))[1].round(3).tolist()
        [1.0, 1.0, 0.333, 0.0]
        """
        degrees = self.degrees
        owners = np.repeat(np.arange(len(degrees)), degrees)
        work = np.bincount(owners, weights=degrees[self.neighbours], minlength=len(degrees)).astype(np.int64)
        nodes = affordable(work, most_steps, rng)
        closed = np.zeros(len(nodes), dtype=np.int64)
        mark = np.full(len(degrees), -1, dtype=np.int32)
        for begin, end in portions(work[nodes]):
            _close(nodes[begin:end], self.starts, self.neighbours, mark, closed[begin:end])
        possible = degrees[nodes] * (degrees[nodes] - 1)
        return nodes, closed / np.maximum(possible, 1)


@compiled
def _list_neighbours(
    begin: int,
    end: int,
    starts: IntArray,
    members: Ints,
    node_starts: IntArray,
    of_node: Ints,
    mark: Ints,
    graph_starts: IntArray,
    neighbours: Ints,
) -> None:
    """List the neighbours of some nodes."""
    for v in range(begin, end):
        at = graph_starts[v]
        mark[v] = v
        for e in of_node[node_starts[v] : node_starts[v + 1]]:
            for u in members[starts[e] : starts[e + 1]]:
                if mark[u] != v:
                    mark[u] = v
                    neighbours[at] = u
                    at += 1


@compiled
def _close(nodes: IntArray, starts: IntArray, neighbours: Ints, mark: Ints, closed: IntArray) -> None:
    """Count the ordered pairs of neighbours of some nodes that are neighbours themselves."""
    for k in range(len(nodes)):
        v = nodes[k]
        around = neighbours[starts[v] : starts[v + 1]]
        for u in around:
            mark[u] = v
        for u in around:
            for w in neighbours[starts[u] : starts[u + 1]]:
                closed[k] += mark[w] == v


def egonets(sides: Sides) -> tuple[IntArray, IntArray]:
    r"""Return for each node the number of nodes in its egonet, :math:`|\bigcup E_v|`, and the sum of the sizes there.

    The egonet of a node is the set :math:`E_v` of its hyperedges, itself included; a node without any has 0 and 0.

    Examples
    --------
    >>> egonets(Sides.of(Hypergraph([[0, 1, 2], [2, 3]], nodes=5)))
    (array([3, 3, 4, 2, 0]), array([3, 3, 5, 2, 0]))
    """
    union, total = np.zeros(sides.n, dtype=np.int64), np.zeros(sides.n, dtype=np.int64)
    mark = np.full(sides.n, -1, dtype=np.int32)
    for begin, end in portions(sides.dual.walk_lengths):
        _join_egonets(begin, end, *sides.arrays, mark, union, total)
    return union, total


@compiled
def _join_egonets(
    begin: int,
    end: int,
    starts: IntArray,
    members: Ints,
    node_starts: IntArray,
    of_node: Ints,
    mark: Ints,
    union: IntArray,
    total: IntArray,
) -> None:
    """Count the nodes of some egonets, once and with repeats."""
    for v in range(begin, end):
        for e in of_node[node_starts[v] : node_starts[v + 1]]:
            total[v] += starts[e + 1] - starts[e]
            for u in members[starts[e] : starts[e + 1]]:
                if mark[u] != v:
                    mark[u] = v
                    union[v] += 1


# -- triples of nodes --------------------------------------------------------------------------------

_MOST_KEYS = 8_000_000  # that are sorted at once: 64 MB, a second
_MOST_TRIPLES = 20_000_000_000  # that are looked at: half a minute


def triple_degrees(sides: Sides, most_keys: int = _MOST_KEYS) -> tuple[IntArray, bool] | None:
    """Return the numbers of hyperedges that three nodes share, over the triples that share one, and whether these are all triples.

    Too many triples are thinned by a hash of their three nodes: whether a triple is kept depends on it alone, so all its hyperedges
    are counted, and every triple is kept with the same probability. None if there are too many even to look at.

    Examples
    --------
    >>> triple_degrees(Sides.of(Hypergraph([[0, 1, 2, 3], [1, 2, 3], [3, 4]])))
    (array([1, 1, 1, 2]), True)
    """
    k = sides.sizes.astype(float)
    triples = k * (k - 1) * (k - 2) / 6
    total = float(triples.sum())
    if total > _MOST_TRIPLES:
        return None
    share = min(1.0, most_keys / max(total, 1.0))
    keys = np.empty(int(min(total, 1.1 * most_keys + 1000)), dtype=np.uint64)
    count = 0
    threshold = np.uint64(min(share * 2.0**64, 2.0**64 - 2048))
    for begin, end in portions(triples):
        count = _list_triples(begin, end, sides.starts, sides.members, share < 1, threshold, keys, count)
    _, degrees = np.unique(keys[:count], return_counts=True)
    return np.sort(degrees).astype(np.int64), share == 1


@compiled
def _mixed(x: np.uint64) -> np.uint64:
    """Scramble a 64-bit word (the finaliser of splitmix64), a bijection."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@compiled
def _list_triples(
    begin: int,
    end: int,
    starts: IntArray,
    members: Ints,
    thin: bool,
    threshold: np.uint64,
    keys: NDArray[np.uint64],
    count: int,
) -> int:
    """List hashes of the triples of nodes in some hyperedges; two triples share one with probability 2^-64 per pair."""
    for e in range(begin, end):
        inside = members[starts[e] : starts[e + 1]]
        for i in range(len(inside)):
            first = _mixed(np.uint64(inside[i] + 1))
            for j in range(i + 1, len(inside)):
                second = _mixed(first ^ np.uint64(inside[j] + 1))
                for l in range(j + 1, len(inside)):  # noqa: E741
                    key = _mixed(second ^ np.uint64(inside[l] + 1))
                    if (not thin or key < threshold) and count < len(keys):
                        keys[count] = key
                        count += 1
    return count


# -- distances ---------------------------------------------------------------------------------------


def path_lengths(sides: Sides, sources: IntArray) -> FloatArray:
    """Return how many pairs of a source and another node are 1, 2, … apart, where nodes of one hyperedge are 1 apart.

    Examples
    --------
    >>> path_lengths(Sides.of(Hypergraph([[0, 1, 2], [2, 3], [4]])), np.array([0, 3]))
    array([3., 3.])
    """
    counts = np.zeros(min(sides.n, sides.m) + 2, dtype=np.int64)
    node_mark, edge_mark = np.full(sides.n, -1, dtype=np.int32), np.full(sides.m, -1, dtype=np.int32)
    queue = np.empty(sides.n, dtype=np.int32)
    for begin, end in portions(np.full(len(sources), 1 + 2 * len(sides.members))):
        _search(begin, sources[begin:end], *sides.arrays, node_mark, edge_mark, queue, counts)
    return np.trim_zeros(counts[1:], "b").astype(float)


@compiled
def _search(
    first: int,
    sources: IntArray,
    starts: IntArray,
    members: Ints,
    node_starts: IntArray,
    of_node: Ints,
    node_mark: Ints,
    edge_mark: Ints,
    queue: Ints,
    counts: IntArray,
) -> None:
    """Search breadth first from some sources, each of which marks what it reaches with a number of its own."""
    for k in range(len(sources)):
        own = first + k
        queue[0] = sources[k]
        node_mark[sources[k]] = own
        begin, end, distance = 0, 1, 0
        while begin < end:
            counts[distance] += end - begin
            distance += 1
            last = end
            for v in queue[begin:last]:
                for e in of_node[node_starts[v] : node_starts[v + 1]]:
                    if edge_mark[e] == own:
                        continue
                    edge_mark[e] = own
                    for u in members[starts[e] : starts[e + 1]]:
                        if node_mark[u] != own:
                            node_mark[u] = own
                            queue[end] = u
                            end += 1
            begin = last


def effective_diameter(counts: FloatArray, share: float = 0.9) -> float:
    """Return the distance within which a share of the connected pairs lie, interpolated; NaN if there are none.

    ``counts[k]`` pairs are ``k + 1`` apart, and within a distance they are taken as spread evenly.

    Examples
    --------
    >>> effective_diameter(np.array([3.0, 1.0])), effective_diameter(np.array([90.0, 10.0]))
    (1.6, 1.0)
    """
    if not counts.sum():
        return float("nan")
    reached = np.cumsum(counts) / counts.sum()
    last = int(np.searchsorted(reached, share - 1e-12))
    before = reached[last - 1] if last else 0.0
    return float(last + (share - before) / (reached[last] - before))
