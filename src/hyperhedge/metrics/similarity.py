r"""How alike two hypergraphs are, whatever the order of their nodes and hyperedges.

*Equal* means isomorphic. Candidates are found by size and by the colours of refinement, and decided exactly.

*The neighbourhood distance.* Three rounds of colour refinement give every node and every hyperedge three colours: what
it is next to, up to one, two and three steps (degrees and sizes are the first). Let :math:`c_H` count the colours of
:math:`H`. Then

.. math:: d(H, H') = 1 - \frac{\sum_x \min(c_H(x), c_{H'}(x))}{\sum_x \max(c_H(x), c_{H'}(x))} \in [0, 1],

the share of neighbourhoods that the two do not have in common. It is the Ruzicka (weighted Jaccard) distance, so the
triangle inequality holds; it does not depend on order; it is 0 for isomorphic hypergraphs and for few others, and 1
when nothing agrees. One changed incidence alters only the neighbourhoods around it, so a slightly disturbed copy stays
near its original, whereas independent draws share little beyond isolated nodes and small components.

*Fast.* :math:`\sum_x \min` is an inner product of zeros and ones if the :math:`t`-th occurrence of a colour is an entry
of its own: a sparse product, with the few entries that most hypergraphs have in a dense one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from hyperhedge.checks import IntArray
from hyperhedge.hypergraph import Hypergraph
from hyperhedge.metrics.sample import FloatArray, ratio
from hyperhedge.metrics.statistics import Statistics

__all__ = ["ROUNDS", "isomorphism_classes", "mean_distance", "nearest", "neighbourhood_distances"]

#: The rounds of colour refinement.
ROUNDS = 3

_FREQUENT = 0.05
_BLOCK = 1 << 22
_ODD = np.uint64(0x9E3779B97F4A7C15)


def neighbourhood_distances(first: Statistics, second: Statistics) -> FloatArray:
    """Return the distances between all members of two batches.

    Examples
    --------
    >>> from hyperhedge.metrics.statistics import statistics_of
    >>> path, star = Hypergraph([[0, 1], [1, 2], [2, 3]]), Hypergraph([[0, 1], [0, 2], [0, 3]])
    >>> neighbourhood_distances(statistics_of([path]), statistics_of([path.permute(nodes=[2, 0, 1, 3]), star]))
    array([[0. , 0.8]])
    """
    return np.concatenate(list(_blocks(first, second)))


def nearest(first: Statistics, second: Statistics) -> FloatArray:
    """Return the distance of each member of the first batch to the closest of the second."""
    return np.concatenate([block.min(axis=1) for block in _blocks(first, second)])


def mean_distance(statistics: Statistics) -> float:
    """Return the mean distance between two different members of a batch; NaN if it has one."""
    count = len(statistics)
    total = sum(float(block.sum()) for block in _blocks(statistics, statistics))
    return total / (count * (count - 1)) if count > 1 else float("nan")


def _blocks(first: Statistics, second: Statistics) -> Iterator[FloatArray]:
    """Go through the distances in blocks of rows."""
    x, y = _occurrences(first, second)
    frequent = np.asarray(x.sum(axis=0) + y.sum(axis=0)).ravel() > _FREQUENT * (len(first) + len(second))
    x_rare, y_rare = x[:, ~frequent], sp.csr_array(y[:, ~frequent].T)
    y_dense = y[:, frequent].toarray().T
    x_total, y_total = (np.asarray(part.sum(axis=1), dtype=float).ravel() for part in (x, y))
    together = max(1, _BLOCK // len(second))
    for start in range(0, len(first), together):
        rows = slice(start, start + together)
        common = x[rows][:, frequent].toarray() @ y_dense + (x_rare[rows] @ y_rare).toarray()
        either = x_total[rows, None] + y_total[None, :] - common
        yield 1.0 - ratio(common.astype(float), either, nothing=1.0)


def _occurrences(first: Statistics, second: Statistics) -> tuple[sp.csr_array, sp.csr_array]:
    """Return a matrix per batch with a row per hypergraph and a column per occurrence of a colour."""
    parts = [_numbered(statistics) for statistics in (first, second)]
    columns, place = np.unique(np.concatenate([keys for _, keys in parts]), return_inverse=True)
    ends = np.cumsum([len(keys) for _, keys in parts])
    matrices = []
    for (owner, _), places, count in zip(parts, np.split(place, ends[:1]), (len(first), len(second)), strict=True):
        ones = np.ones(len(owner), dtype=np.float32)
        matrices.append(sp.csr_array((ones, (owner, places)), shape=(count, len(columns))))
    return matrices[0], matrices[1]


def _numbered(statistics: Statistics) -> tuple[IntArray, NDArray[np.uint64]]:
    """Return owner and key of every colour of every round, where equal colours of a hypergraph are numbered."""
    rounds = statistics.colours(ROUNDS)
    owner = np.concatenate([part[0] for part in rounds])
    colour = np.concatenate([part[1] for part in rounds])
    order = np.lexsort((colour, owner))
    owner, colour = owner[order], colour[order]
    new = np.append(True, (owner[1:] != owner[:-1]) | (colour[1:] != colour[:-1]))[: len(owner)]
    starts = np.flatnonzero(new)
    number = np.arange(len(owner)) - np.repeat(starts, np.diff(np.append(starts, len(owner))))
    return owner, colour + number.astype(np.uint64) * _ODD


# -- isomorphism -------------------------------------------------------------------------------------


def isomorphism_classes(*batches: Statistics) -> list[IntArray]:
    """Find the isomorphism classes over several batches; return the class number of each member, an array per batch.

    Examples
    --------
    >>> from hyperhedge.metrics.statistics import statistics_of
    >>> path, star = Hypergraph([[0, 1], [1, 2], [2, 3]]), Hypergraph([[0, 1], [0, 2], [0, 3]])
    >>> isomorphism_classes(statistics_of([path, star]), statistics_of([star.permute(nodes=[3, 1, 2, 0])]))
    [array([0, 1]), array([1])]
    """
    members = [H for batch in batches for H in batch.hypergraphs]
    keys = [key for batch in batches for key in _keys(batch)]
    candidates = defaultdict[tuple[int, ...], list[tuple[Hypergraph, int]]](list)
    equal: dict[tuple[int, bytes, bytes], int] = {}
    numbers = []
    for H, key in zip(members, keys, strict=True):
        same = (H.n, H.indptr.tobytes(), H.indices.tobytes())
        if same not in equal:
            others = candidates[key]
            equal[same] = next((number for other, number in others if _isomorphic(H, other)), len(equal))
            others.append((H, equal[same]))
        numbers.append(equal[same])
    _, classes = np.unique(numbers, return_inverse=True)
    return list(np.split(classes, np.cumsum([len(batch) for batch in batches])[:-1]))


def _isomorphic(H: Hypergraph, other: Hypergraph) -> bool:
    return H.canonical_hash == other.canonical_hash and H.is_isomorphic(other)


def _keys(statistics: Statistics) -> Iterator[tuple[int, ...]]:
    """Go through cheap invariants of each hypergraph: its size and a hash of its colours."""
    owner, colour = statistics.colours(ROUNDS)[-1]
    sums = np.zeros(len(statistics), dtype=np.uint64)
    np.add.at(sums, owner, colour)
    return zip(statistics.n.tolist(), statistics.m.tolist(), statistics.incidences.tolist(), sums.tolist(), strict=True)
