r"""The 26 h-motifs: how three hyperedges can overlap, counted exactly.

*What is counted.* Three different hyperedges :math:`a, b, c` are connected if at least two of the pairs overlap. Their Venn
diagram has seven regions: three private ones (in one hyperedge only), three that exactly two share, and the one that all three
share. Which of them are empty is the pattern of the three; up to the order of the three, 26 patterns are possible (G. Lee, J.
Ko and K. Shin, *Hypergraph motifs: concepts, algorithms, and discoveries*, PVLDB 13(11), 2020). They are numbered as there.
With :math:`s` the number of regions that exactly two share, :math:`i` the private regions of those two hyperedges that the
:math:`s` regions treat alike, and :math:`o` that of the odd one out:

===========  ===============  ===========  ===============================================================
motif        all three share  two share    private regions
===========  ===============  ===========  ===============================================================
1, 2         some             :math:`s=0`  two, three
3, 4, 5, 6   some             :math:`s=1`  :math:`(i, o)` = (1, 0), (2, 0), (1, 1), (2, 1)
7 … 12       some             :math:`s=2`  :math:`7 + 2i + o`
13 … 16      some             :math:`s=3`  none, one, two, three
17 … 22      none             :math:`s=2`  :math:`17 + 2i + o`; these are the *open* ones: two do not overlap
23 … 26      none             :math:`s=3`  none, one, two, three
===========  ===============  ===========  ===============================================================

As there, hyperedges are sets: one that repeats counts once, and an empty one overlaps nothing.

*How.* The line graph joins hyperedges that overlap. Its triangles are visited one by one: hyperedges are ordered by their
number of neighbours, each keeps the neighbours after it, and two such lists are intersected. For two neighbours :math:`a, b`, a
walk through the hyperedges of the nodes in :math:`a \cap b` gives all :math:`|a \cap b \cap c|` at once. Open triples are not
visited: about a centre :math:`b` the pattern follows from :math:`|a \cap b|`, :math:`|b \cap c|` and the sizes, so all pairs of
neighbours are counted from a histogram, and what the triangles contributed to it is taken away again.

*Costs.* Memory: 8 bytes for each pair of hyperedges that overlap, and about 170 per incidence (measured at a million). Time: the
triangles of the line graph, and :math:`\sum_v d_v^2`. Open triples, which are often the most, cost nothing; but a node in
:math:`d` hyperedges makes :math:`d^3/6` triangles by itself, so one in ten thousand makes :math:`10^{11}`, which takes minutes.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from hyperhedge._system.numba import compiled
from hyperhedge._system.portions import portions
from hyperhedge.convert import as_hypergraph
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.errors import HyperhedgeError
from hyperhedge.typing import IntArray

__all__ = [
    "MOST_PAIRS",
    "MOTIFS",
    "PATTERNS",
    "Hyperedges",
    "distinct_hyperedges",
    "exact_motif_counts",
    "motif_counts",
]

MOTIFS = 26
"""The number of h-motifs."""

MOST_PAIRS = 500_000_000
"""The most overlapping pairs of hyperedges that are kept by default, which is 4 GB."""

_FIRST_OPEN = 17

Ints = NDArray[np.int32]


def motif_counts(H: Hypergraph, *, most_pairs: int = MOST_PAIRS) -> IntArray:
    """Count the 26 h-motifs: entry ``k`` is the number of triples of hyperedges with the pattern of motif ``k + 1``.

    Parameters
    ----------
    H
        A hypergraph; a hyperedge that repeats counts once.
    most_pairs
        How many pairs of overlapping hyperedges may be kept, at 8 bytes each; a hypergraph with more is refused.

    Examples
    --------
    >>> counts = motif_counts(Hypergraph([[0, 1, 2], [2, 3], [1, 3, 4, 5], [2, 9]]))
    >>> {int(k) + 1: int(counts[k]) for k in np.flatnonzero(counts)}
    {2: 1, 21: 1, 22: 1, 25: 1}
    """
    edges = Hyperedges(*distinct_hyperedges(as_hypergraph(H)))
    pairs = int(edges.neighbours.sum()) // 2
    if pairs > most_pairs:
        raise HyperhedgeError(
            f"{pairs:,} pairs of hyperedges overlap, which take {8e-9 * pairs:.1f} GB, and most_pairs allows {most_pairs:,}; "
            "allow more, or estimate the motifs (hyperhedge.metrics.sampled_motifs)"
        )
    counts = exact_motif_counts(edges)
    assert counts is not None  # noqa: S101  # without a limit there is always a count
    return counts


def exact_motif_counts(edges: Hyperedges, most_steps: int | None = None) -> IntArray | None:
    """Count the motifs of different hyperedges; None if that would take more steps than are allowed."""
    lines = _LineGraph(_by_neighbours(edges))
    counts = np.zeros(MOTIFS + 1, dtype=np.int64)
    open_triples = np.zeros(6, dtype=np.int64)
    lines.fill(open_triples)
    work = lines.steps
    if most_steps is not None and work.sum() > most_steps:
        return None
    lines.count_triangles(work, counts, open_triples)
    counts[_FIRST_OPEN : _FIRST_OPEN + 6] = open_triples // 2  # every pair of neighbours is seen from either side
    return counts[1:]


# -- patterns ----------------------------------------------------------------------------------------


def _motif(private: tuple[int, ...], two: tuple[int, ...], three: int) -> int:
    """Return the motif of a pattern: which of the regions a, b, c, of ab, bc, ca and of abc have nodes; 0 if it is none."""
    shared, alone = sum(two), sum(private)
    if shared in (0, 3):
        if shared:
            return (13 if three else 23) + alone
        return alone - 1 if three and alone >= 2 else 0
    region = two.index(1 if shared == 1 else 0)
    odd = private[(region + 2) % 3]  # c for the region ab, a for bc, b for ca
    alike = alone - odd
    if shared == 2:
        return (7 if three else _FIRST_OPEN) + 2 * alike + odd
    return 2 + alike + 2 * odd if three and alike else 0


def _pattern_table() -> NDArray[np.int8]:
    """Return the motif of each pattern as a number of seven bits: a, b, c, ab, bc, ca, abc, the least first."""
    bits = product((0, 1), repeat=7)  # the last changes fastest
    return np.array([_motif(b[:3:-1][:3], b[3:0:-1], b[0]) for b in bits], dtype=np.int8)


PATTERNS = _pattern_table()
"""The motif of each pattern of empty and other regions."""


# -- hyperedges and nodes ----------------------------------------------------------------------------


class Hyperedges:
    """Different hyperedges in an order, the hyperedges of each node, ascending, and how many neighbours each has after it."""

    def __init__(self, starts: IntArray, members: IntArray, n: int) -> None:
        self.starts, self.members = starts, members
        self.sizes = np.diff(starts)
        owners = np.repeat(np.arange(len(self.sizes)), self.sizes)
        self.of_node = owners[np.argsort(members, kind="stable")].astype(np.int32)
        self.node_starts = np.concatenate(([0], np.cumsum(np.bincount(members, minlength=n))))
        degrees = np.diff(self.node_starts)
        self.walks = np.bincount(owners, weights=degrees[members], minlength=len(self.sizes)) + 1
        self.neighbours = np.zeros(len(self.sizes), dtype=np.int64)
        self.after = np.zeros(len(self.sizes), dtype=np.int64)
        mark = np.full(len(self.sizes), -1, dtype=np.int64)
        for begin, end in portions(self.walks):
            _count_neighbours(begin, end, *self.arrays, mark, self.neighbours, self.after)

    @property
    def arrays(self) -> tuple[IntArray, IntArray, IntArray, Ints]:
        """What compiled functions walk through."""
        return self.starts, self.members, self.node_starts, self.of_node


def distinct_hyperedges(H: Hypergraph) -> tuple[IntArray, IntArray, int]:
    """Return starts and members of the different hyperedges with members, and the number of nodes."""
    first: dict[bytes, int] = {}
    for j, members in enumerate(np.split(H.indices, H.indptr[1:-1]) if H.m else []):
        if len(members):
            first.setdefault(members.tobytes(), j)
    kept = np.fromiter(first.values(), dtype=np.int64, count=len(first))
    return *_selected(H.indptr, H.indices, kept), H.n


def _selected(starts: IntArray, members: IntArray, kept: IntArray) -> tuple[IntArray, IntArray]:
    """Return starts and members of some hyperedges, in their order."""
    sizes = np.diff(starts)[kept]
    new_starts = np.concatenate(([0], np.cumsum(sizes)))
    shift = np.repeat(starts[:-1][kept] - new_starts[:-1], sizes)
    return new_starts, members[np.arange(new_starts[-1]) + shift]


def _by_neighbours(edges: Hyperedges) -> Hyperedges:
    """Order hyperedges by their number of neighbours: those with many then have few after them."""
    order = np.argsort(edges.neighbours, kind="stable")
    return Hyperedges(*_selected(edges.starts, edges.members, order), len(edges.node_starts) - 1)


# -- the line graph ----------------------------------------------------------------------------------


class _LineGraph:
    """The pairs of hyperedges that overlap: for each, the neighbours after it and the numbers of nodes that it shares with them."""

    def __init__(self, edges: Hyperedges) -> None:
        self.edges = edges
        self.starts = np.concatenate(([0], np.cumsum(edges.after)))
        self.second = np.empty(self.starts[-1], dtype=np.int32)
        self.shared = np.empty(self.starts[-1], dtype=np.int32)

    def fill(self, open_triples: IntArray) -> None:
        """Find all pairs, and count all pairs of neighbours of each hyperedge as if they did not overlap."""
        m, largest = len(self.edges.sizes), int(self.edges.sizes.max(initial=0))
        touched, overlap = np.empty(m, dtype=np.int32), np.zeros(m, dtype=np.int32)
        histogram = np.zeros((2, largest + 1), dtype=np.int64)
        lines = self.starts, self.second, self.shared
        for begin, end in portions(self.edges.walks + self.edges.sizes):
            _fill(begin, end, *self.edges.arrays, *lines, touched, overlap, histogram, open_triples)

    @property
    def steps(self) -> IntArray:
        """The steps that the triangles take whose first hyperedge is each one."""
        steps = np.append(0, np.cumsum((self.edges.after + self.edges.walks)[self.second]))
        work: IntArray = np.diff(steps[self.starts]).astype(np.int64) + 1
        return work

    def count_triangles(self, work: IntArray, counts: IntArray, open_triples: IntArray) -> None:
        """Count hyperedges that overlap each other, and take away what they added to the open triples."""
        m = len(self.edges.sizes)
        overlap, three = np.zeros(m, dtype=np.int32), np.zeros(m, dtype=np.int32)
        mark = np.full(len(self.edges.node_starts) - 1, -1, dtype=np.int64)
        lines = self.starts, self.second, self.shared
        for begin, end in portions(work):
            _count_triangles(
                begin, end, *self.edges.arrays, *lines, overlap, three, mark, PATTERNS, counts, open_triples
            )


@compiled
def _count_neighbours(
    begin: int,
    end: int,
    starts: IntArray,
    members: IntArray,
    node_starts: IntArray,
    of_node: Ints,
    mark: IntArray,
    neighbours: IntArray,
    after: IntArray,
) -> None:
    """Count the hyperedges that overlap each of some hyperedges, and those of them that come after it."""
    for i in range(begin, end):
        mark[i] = i
        for v in members[starts[i] : starts[i + 1]]:
            for j in of_node[node_starts[v] : node_starts[v + 1]]:
                if mark[j] != i:
                    mark[j] = i
                    neighbours[i] += 1
                    after[i] += j > i


@compiled
def _fill(
    begin: int,
    end: int,
    starts: IntArray,
    members: IntArray,
    node_starts: IntArray,
    of_node: Ints,
    line_starts: IntArray,
    second: Ints,
    shared: Ints,
    touched: Ints,
    overlap: Ints,
    histogram: IntArray,
    open_triples: IntArray,
) -> None:
    """List the neighbours of some hyperedges, and count the pairs of neighbours from their histogram."""
    for i in range(begin, end):
        count, size = 0, starts[i + 1] - starts[i]
        for v in members[starts[i] : starts[i + 1]]:
            for j in of_node[node_starts[v] : node_starts[v + 1]]:
                if overlap[j] == 0:
                    touched[count] = j
                    count += 1
                overlap[j] += 1
        overlap[i] = 0
        at = line_starts[i]
        for j in touched[:count]:
            if j == i:
                continue
            sticks_out = int(starts[j + 1] - starts[j] > overlap[j])
            histogram[sticks_out, overlap[j]] += 1
            if j > i:
                second[at], shared[at] = j, overlap[j]
                at += 1
            overlap[j] = 0
        _add_pairs(histogram[:, : size + 1], open_triples)
        histogram[:, : size + 1] = 0


@compiled
def _add_pairs(histogram: IntArray, open_triples: IntArray) -> None:
    """Count pairs of neighbours that would fit beside each other into a hyperedge.

    Row 1 of the histogram is of neighbours with private nodes, row 0 of those without; columns are overlaps with the hyperedge,
    of which the last is its size. Entry 2i + o of the result: i neighbours with private nodes, and o = 1 if the hyperedge has
    some.
    """
    size = histogram.shape[1] - 1
    before = np.zeros(2, dtype=np.int64)  # neighbours whose overlap is below size - w
    for w in range(size, 0, -1):
        for one in range(2):
            for other in range(2):
                # every pair is seen twice, once from either side
                open_triples[2 * (one + other) + 1] += histogram[one, w] * before[other]
                open_triples[2 * (one + other)] += histogram[one, w] * histogram[other, size - w]
            if 2 * w < size:
                open_triples[4 * one + 1] -= histogram[one, w]
            elif 2 * w == size:
                open_triples[4 * one] -= histogram[one, w]
        before += histogram[:, size - w]


@compiled
def _count_triangles(
    begin: int,
    end: int,
    starts: IntArray,
    members: IntArray,
    node_starts: IntArray,
    of_node: Ints,
    line_starts: IntArray,
    second: Ints,
    shared: Ints,
    overlap: Ints,
    three: Ints,
    mark: IntArray,
    table: NDArray[np.int8],
    counts: IntArray,
    open_triples: IntArray,
) -> None:
    """Count the triangles whose first hyperedge is one of some."""
    for i in range(begin, end):
        for p in range(line_starts[i], line_starts[i + 1]):
            overlap[second[p]] = shared[p]
        for v in members[starts[i] : starts[i + 1]]:
            mark[v] = i
        for p in range(line_starts[i], line_starts[i + 1]):
            j = second[p]
            _add_common(1, i, j, starts, members, node_starts, of_node, mark, three)
            for q in range(line_starts[j], line_starts[j + 1]):
                k = second[q]
                if overlap[k]:
                    sizes = (starts[i + 1] - starts[i], starts[j + 1] - starts[j], starts[k + 1] - starts[k])
                    _add_triangle(sizes, (shared[p], shared[q], overlap[k]), three[k], table, counts, open_triples)
            _add_common(-1, i, j, starts, members, node_starts, of_node, mark, three)
        for p in range(line_starts[i], line_starts[i + 1]):
            overlap[second[p]] = 0


@compiled
def _add_common(
    change: int,
    i: int,
    j: int,
    starts: IntArray,
    members: IntArray,
    node_starts: IntArray,
    of_node: Ints,
    mark: IntArray,
    three: Ints,
) -> None:
    """Add the hyperedges after j of each node that i and j share, which is marked i, to ``three``, or take them away."""
    for v in members[starts[j] : starts[j + 1]]:
        if mark[v] == i:
            for q in range(node_starts[v + 1] - 1, node_starts[v] - 1, -1):
                if of_node[q] <= j:
                    break
                three[of_node[q]] += change


@compiled
def _add_triangle(
    sizes: tuple[int, int, int],
    shared: tuple[int, int, int],
    three: int,
    table: NDArray[np.int8],
    counts: IntArray,
    open_triples: IntArray,
) -> None:
    """Count a, b, c that overlap each other, by their sizes and the nodes that ab, bc, ca and all three share."""
    (a, b, c), (ab, bc, ca) = sizes, shared
    pattern = (a > ab + ca - three) + 2 * (b > ab + bc - three) + 4 * (c > bc + ca - three)
    pattern += 8 * (ab > three) + 16 * (bc > three) + 32 * (ca > three) + 64 * (three > 0)
    counts[table[pattern]] += 1
    _take_away(a, ab, ca, b, c, open_triples)
    _take_away(b, ab, bc, a, c, open_triples)
    _take_away(c, ca, bc, a, b, open_triples)


@compiled
def _take_away(size: int, shared: int, also: int, neighbour: int, other: int, open_triples: IntArray) -> None:
    """Take back what :func:`_add_pairs` counted, twice, for a hyperedge and two neighbours that do overlap."""
    if shared + also <= size:
        open_triples[2 * ((neighbour > shared) + (other > also)) + (shared + also < size)] -= 2
