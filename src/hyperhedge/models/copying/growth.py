r"""Growth: one hyperedge after another, each copied from an earlier one.

Nodes are numbered as they come, so those present are :math:`0, …, n_t - 1`. A copy chooses one of the :math:`t` hyperedges before
it uniformly, keeps one of its nodes, chosen uniformly, for sure and each of the others with probability :math:`\eta`, takes
:math:`b \sim \beta` nodes, or as many as there are, uniformly from the other nodes present, and adds its new nodes.

*Without repeats*, a copy that has the same nodes as an earlier hyperedge is sampled again. Hyperedges are compared by 64-bit keys,
sums of random keys of their nodes; that two different ones seem equal has probability :math:`2^{-64}`, and the worst of it is that
a good one is sampled again.
"""

from __future__ import annotations

import numpy as np

from hyperhedge._system.memory import refuse_beyond
from hyperhedge._system.numba import compiled
from hyperhedge.models.copying.history import Short
from hyperhedge.models.xoshiro import Words, below, next_word, state_from
from hyperhedge.typing import BoolArray, FloatArray, IntArray

COPIES = 1000
"""After so many copies in a row that repeat an earlier hyperedge, none that does not is waited for."""

_ROOM = 4  # places for members at first, per node and hyperedge
_DONE, _FULL, _STUCK = 0, 1, 2
_HALF_UNIT = 2.0**-53
_EVERY_SECOND = 2  # more than every second node wanted or not to be had: list those that are free


def grown(
    new: IntArray, founders: BoolArray, eta: float, old: FloatArray, rng: np.random.Generator, *, distinct: bool = False
) -> tuple[IntArray, Short] | None:
    """Grow a hypergraph, and return where its hyperedges start and their members; None if it was stuck among repeats.

    Parameters
    ----------
    new, founders
        How many nodes each hyperedge brings, and which ones bring all of theirs; the first one does.
    eta
        The probability η that a node is kept.
    old
        The law β of the number of other nodes present.
    rng
        What everything is sampled with.
    distinct
        Whether no two hyperedges may have the same nodes.

    Examples
    --------
    >>> first_four = np.array([2, 1, 1, 3]), np.array([True, False, False, True])
    >>> starts, members = grown(*first_four, 1.0, np.ones(1), np.random.default_rng(0))
    >>> [members[a:b].tolist() for a, b in zip(starts[:2], starts[1:3])]
    [[0, 1], [0, 1, 2]]
    >>> members[starts[3]:].tolist()
    [4, 5, 6]
    """
    m, n = len(new), int(new.sum())
    random, keys = state_from(rng), rng.integers(0, 1 << 64, size=n, dtype=np.uint64)
    seen = np.zeros(1 << (2 * m).bit_length() if distinct else 0, dtype=np.uint64)
    at_most = np.cumsum(old)
    at_most[-1] = np.inf
    starts, members = np.zeros(m + 1, dtype=np.int64), np.empty(_ROOM * (n + m), dtype=np.int32)
    marks, free = np.full(n, -1, dtype=np.int64), np.empty(n, dtype=np.int32)
    progress = np.zeros(3, dtype=np.int64)
    while True:
        outcome = _grow(new, founders, eta, at_most, random, keys, seen, starts, members, marks, free, progress)
        if outcome != _FULL:
            return (starts, members[: starts[m]]) if outcome == _DONE else None
        room = 2 * len(members) + n
        refuse_beyond(4 * room, f"growing a hypergraph of {m:,} hyperedges", "fit the model to smaller hyperedges")
        members = np.concatenate((members, np.empty(room - len(members), dtype=np.int32)))


@compiled
def _grow(
    new: IntArray,
    founders: BoolArray,
    eta: float,
    at_most: FloatArray,
    random: Words,
    keys: Words,
    seen: Words,
    starts: IntArray,
    members: Short,
    marks: IntArray,
    free: Short,
    progress: IntArray,
) -> int:
    """Add hyperedges until all are there, the members are full, or no copy that repeats nothing is found.

    ``progress`` has the hyperedges, their nodes, and the copies that there have been so far.
    """
    t, present, copies = progress[0], progress[1], progress[2]
    failures = 0
    while t < len(new):
        end = starts[t]
        if end + present + new[t] > len(members):  # no hyperedge has more nodes
            progress[0], progress[1], progress[2] = t, present, copies
            return _FULL
        if not founders[t]:
            f = below(random, t)
            end = _copy(members, starts[f], starts[f + 1], end, eta, random)
            copies += 1
            size, b = starts[f + 1] - starts[f], 0
            u = _uniform(random)
            while at_most[b] <= u:
                b += 1
            if b > 0:
                for p in range(starts[f], starts[f + 1]):
                    marks[members[p]] = copies
                end = _add_old(
                    members, end, min(b, present - size), present, present - size, marks, copies, free, random
                )
        for i in range(new[t]):
            members[end] = present + i
            end += 1
        if len(seen) > 0 and _repeats(members, starts[t], end, keys, seen):
            failures += 1
            if failures == COPIES:
                return _STUCK
            continue
        failures = 0
        present += new[t]
        t += 1
        starts[t] = end
    return _DONE


@compiled
def _uniform(random: Words) -> float:
    """Return a number from [0, 1)."""
    return float(next_word(random) >> np.uint64(11)) * _HALF_UNIT


@compiled
def _copy(members: Short, start: int, stop: int, end: int, eta: float, random: Words) -> int:
    """Copy at least one member of a hyperedge behind the end, and return the new end."""
    surely = start + below(random, stop - start)
    for p in range(start, stop):
        if p == surely or _uniform(random) < eta:
            members[end] = members[p]
            end += 1
    return end


@compiled
def _add_old(
    members: Short,
    end: int,
    b: int,
    present: int,
    room: int,
    marks: IntArray,
    mark: int,
    free: Short,
    random: Words,
) -> int:
    """Append b nodes, uniformly from the ``room`` present ones without the mark, and return the new end."""
    if _EVERY_SECOND * (present - room + b) <= present:
        while b > 0:
            v = below(random, present)
            if marks[v] != mark:
                marks[v] = mark
                members[end] = v
                end += 1
                b -= 1
        return end
    count = 0
    for u in range(present):
        if marks[u] != mark:
            free[count] = u
            count += 1
    for i in range(b):
        chosen = i + below(random, room - i)
        free[i], free[chosen] = free[chosen], free[i]
        members[end] = free[i]
        end += 1
    return end


@compiled
def _repeats(members: Short, start: int, end: int, keys: Words, seen: Words) -> bool:
    """Return whether a hyperedge was seen before, and remember it if not."""
    key = np.uint64(0)
    for p in range(start, end):
        key += keys[members[p]]
    mask = np.uint64(len(seen) - 1)
    place = key & mask
    while seen[place] != 0:
        if seen[place] == key:
            return True
        place = (place + np.uint64(1)) & mask
    seen[place] = key
    return False
