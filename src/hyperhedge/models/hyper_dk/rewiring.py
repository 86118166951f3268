r"""Rewiring towards a target: two nodes exchange hyperedges if that takes the hypergraph no further away.

*A swap* takes incidences :math:`(u, e)` and :math:`(v, f)` to :math:`(u, f)` and :math:`(v, e)`. It keeps all degrees and sizes,
and is refused if :math:`u` is in :math:`f` already or :math:`v` in :math:`e`.

*Joint degrees* (:math:`d_v = 2`). Both incidences are any. With :math:`m(k, k')` the numbers of pairs in places, :math:`m` their
sum, and stars for the target, the distance is that of the laws of a random pair,

.. math:: D_2 = \sum_{k \le k'} \Bigl| \frac{m^*(k, k')}{m^*} - \frac{m(k, k')}{m} \Bigr| .

Times :math:`m m^*` it is a whole number, so that nothing is rounded. Only two rows change, in as many entries as there are classes
in :math:`e` and :math:`f`.

*Redundancy* (:math:`d_v = 2.5`). Both incidences are of nodes of the same degree, uniformly among all such pairs of incidences. So
joint degrees stay, and with the mean redundancy :math:`r(k)` of the nodes of degree :math:`k` the distance is

.. math:: D_{2.5} = \sum_k \lvert r^*(k) - r(k) \rvert .

Only pairs of :math:`e` or :math:`f` with other hyperedges of :math:`u` or :math:`v` change: hyperedges of both nodes, and the pair
:math:`\{e, f\}`, share as many nodes afterwards as before. By how much is found by walking through the hyperedges of :math:`u` and
:math:`v`, or, where these are many, from rows of bits (:mod:`hyperhedge.models.hyper_dk.meetings`).

*What is accepted.* The paper says that the distance must fall. Here it must not rise: swaps that leave it as it is are accepted,
too. Proposals are symmetric, so once the distance is zero the rewiring is a Markov chain whose stationary law is uniform on what it
reaches: it goes on to randomise where the paper's stands still.

*Without repeats*, swaps that would make two hyperedges equal are refused (:mod:`hyperhedge.models.multiplicities`).
"""

from __future__ import annotations

import math
from typing import NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hyperhedge._system.numba import compiled
from hyperhedge.errors import GeneratorError
from hyperhedge.models.hyper_dk.meetings import Meetings, exchange, ones
from hyperhedge.models.hyper_dk.targets import Members
from hyperhedge.models.multiplicities import adds_equal_pairs, buckets_for, change_keys, keys_of
from hyperhedge.models.xoshiro import Int, Words, below, next_word
from hyperhedge.typing import BoolArray, FloatArray, IntArray

Marks: TypeAlias = NDArray[np.int8]

_AT_ONCE = 1_000_000  # proposals between two chances to interrupt

_IN_E, _IN_F = 1, 2  # marks of nodes


class Lists(NamedTuple):
    """The arrays of :class:`~hyperhedge.models.hyper_dk.targets.Members` for compiled functions; ``members`` is rewired."""

    members: IntArray
    starts: IntArray
    edge_of: IntArray
    classes: IntArray

    @classmethod
    def of(cls, H: Members) -> Self:
        """Take the arrays as they are."""
        return cls(H.members, H.starts, H.edge_of, H.classes)


class Slots(NamedTuple):
    """The incidences class by class, and node by node in each class: a node of degree d has d slots in a row.

    Attributes
    ----------
    places, edges
        The place in ``members``, and the hyperedge, of each slot.
    starts, degrees, nodes
        Of each class: where its slots begin, its degree, and its number of nodes.
    pairs
        How many pairs of slots of different nodes of a class there are, summed over this class and those before it.
    """

    places: IntArray
    edges: IntArray
    starts: IntArray
    degrees: IntArray
    nodes: IntArray
    pairs: IntArray

    @classmethod
    def of(cls, H: Members) -> Self:
        """Sort the incidences."""
        places, stubs = H.slots()[0], H.degrees * H.nodes
        pairs = np.cumsum(stubs * (stubs - H.degrees))
        return cls(places, H.edge_of[places], np.cumsum(stubs) - stubs, H.degrees, H.nodes, pairs)


class Keys(NamedTuple):
    """The keys by which equal hyperedges are found; empty arrays if hyperedges may repeat."""

    of_nodes: Words
    of_edges: Words
    buckets: IntArray

    @classmethod
    def of(cls, H: Members, rng: np.random.Generator) -> Self:
        """Choose keys of nodes at random."""
        of_nodes = rng.integers(0, 1 << 64, size=len(H.classes), dtype=np.uint64)
        of_edges = keys_of(H.members, H.starts, of_nodes)
        return cls(of_nodes, of_edges, buckets_for(of_edges))

    @classmethod
    def none(cls) -> Self:
        """Allow repeats."""
        return cls(np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.int64))


class Scratch(NamedTuple):
    """What a proposal would change: the classes, listed in ``kinds``, and by how much each changes, by class and by position."""

    change: IntArray
    kinds: IntArray
    amounts: IntArray
    seen: BoolArray

    @classmethod
    def of(cls, classes: int) -> Self:
        """Make room for all classes."""
        change, kinds, amounts = np.zeros((3, classes), dtype=np.int64)
        return cls(change, kinds, amounts, np.zeros(classes, dtype=np.bool_))


# -- joint degrees -----------------------------------------------------------------------------------


def match_joint_degrees(H: Members, target: IntArray, proposals: int, keys: Keys, random: Words) -> None:
    """Rewire ``H.members`` towards the joint degrees of a hypergraph with the same classes.

    Where either has no pair of nodes in a hyperedge, there is no law of a random pair, and nothing is done.
    """
    short, weight = _shortage(H.joint_degrees(), target)
    if not weight:
        return
    lists, scratch = Lists.of(H), Scratch.of(len(H.degrees))
    for left in range(proposals, 0, -_AT_ONCE):
        _match_joint_degrees(min(left, _AT_ONCE), lists, short, weight, keys, scratch, random)


def _shortage(counts: IntArray, target: IntArray) -> tuple[IntArray, int]:
    """Return what is missing of each count, in units in which one more pair is worth the second number; or zeros."""
    total, wanted = (int(np.triu(x).sum()) for x in (counts, target))
    if not total or not wanted:
        return np.zeros_like(counts), 0
    common = math.gcd(total, wanted)
    if total // common * wanted >= 1 << 61:
        raise GeneratorError(
            f"{wanted:,} and {total:,} pairs of nodes in hyperedges cannot be compared exactly in 64 bits; give edge='1'"
        )
    return target * (total // common) - counts * (wanted // common), wanted // common


@compiled
def _match_joint_degrees(
    proposals: int, lists: Lists, short: IntArray, weight: int, keys: Keys, scratch: Scratch, random: Words
) -> None:
    members, edge_of, classes = lists.members, lists.edge_of, lists.classes
    kinds, amounts = scratch.kinds, scratch.amounts
    for _ in range(proposals):
        p, q = below(random, len(members)), below(random, len(members))
        e, f, u, v = edge_of[p], edge_of[q], members[p], members[q]
        if e == f or _holds(lists, e, v) or _holds(lists, f, u):
            continue
        k, j = classes[u], classes[v]
        count = 0
        if k != j:
            count = _class_changes(lists, e, f, k, j, scratch)
            if _joint_change(k, j, kinds[:count], amounts[:count], short, weight) > 0:
                continue
        if not _enter_keys(e, f, u, v, keys):
            continue
        members[p], members[q] = v, u
        if k != j:
            _apply_joint_change(k, j, kinds[:count], amounts[:count], short, weight)


@compiled
def _holds(lists: Lists, e: Int, v: Int) -> bool:
    """Tell whether a node is in a hyperedge."""
    for i in range(lists.starts[e], lists.starts[e + 1]):  # noqa: SIM110  # compiled code has no generators
        if lists.members[i] == v:
            return True
    return False


@compiled
def _class_changes(lists: Lists, e: Int, f: Int, k: Int, j: Int, scratch: Scratch) -> int:
    """List how many more partners of each class a node of class k has in f, without one of class j, than in e without itself.

    Return how many classes there are. ``seen`` is false before and afterwards.
    """
    change, kinds, amounts, seen = scratch
    count = 0
    for g, sign in ((e, -1), (f, 1)):
        for i in range(lists.starts[g], lists.starts[g + 1]):
            kind = lists.classes[lists.members[i]]
            if not seen[kind]:
                seen[kind] = True
                change[kind] = 0
                kinds[count] = kind
                count += 1
            change[kind] += sign
    change[k] += 1
    change[j] -= 1
    for t in range(count):
        amounts[t] = change[kinds[t]]
        seen[kinds[t]] = False
    return count


@compiled
def _further(short: int, by: int) -> int:
    """Return by how much a shortage grows if so much is added to what there is."""
    return abs(short - by) - abs(short)


@compiled
def _joint_change(k: Int, j: Int, kinds: IntArray, amounts: IntArray, short: IntArray, weight: int) -> int:
    """Return by how much the distance grows if nodes of classes k and j are exchanged."""
    total, of_k, of_j = 0, 0, 0
    for t in range(len(kinds)):
        kind, amount = kinds[t], amounts[t]
        if kind == k:
            of_k += amount
        elif kind == j:
            of_j += amount
        else:
            total += _further(short[k, kind], weight * amount) + _further(short[j, kind], -weight * amount)
    total += _further(short[k, k], weight * of_k) + _further(short[j, j], -weight * of_j)
    return total + _further(short[k, j], weight * (of_j - of_k))


@compiled
def _apply_joint_change(k: Int, j: Int, kinds: IntArray, amounts: IntArray, short: IntArray, weight: int) -> None:
    for t in range(len(kinds)):
        kind, amount = kinds[t], amounts[t]
        # Row k gains what row j loses; entries of both rows are symmetric.
        for row, by in ((k, weight * amount), (j, -weight * amount)):
            short[row, kind] -= by
            if kind != row:
                short[kind, row] -= by


# -- redundancy --------------------------------------------------------------------------------------


def match_redundancy(H: Members, target: IntArray, proposals: int, keys: Keys, random: Words) -> None:
    """Rewire ``H.members`` towards the redundant pairs of each class, and keep the joint degrees."""
    slots = Slots.of(H)
    if not len(H.degrees) or not slots.pairs[-1]:
        return  # no two nodes have the same degree
    short = target - H.redundant_pairs()
    weights = 1 / np.maximum(H.degrees * (H.degrees - 1) // 2 * H.nodes, 1)
    marks = np.zeros(len(H.classes), dtype=np.int8)
    meetings = Meetings.of(H)
    lists, scratch = Lists.of(H), Scratch.of(len(H.degrees))
    for left in range(proposals, 0, -_AT_ONCE):
        _match_redundancy(min(left, _AT_ONCE), lists, slots, short, weights, keys, marks, meetings, scratch, random)


@compiled
def _match_redundancy(
    proposals: int,
    lists: Lists,
    slots: Slots,
    short: IntArray,
    weights: FloatArray,
    keys: Keys,
    marks: Marks,
    meetings: Meetings,
    scratch: Scratch,
    random: Words,
) -> None:
    members, places, edges = lists.members, slots.places, slots.edges
    gains, touched, some_rows = scratch.change, scratch.kinds, len(meetings.bits) > 0
    for _ in range(proposals):
        k, a, b = _two_slots(slots, random)
        p, q, e, f = places[a], places[b], edges[a], edges[b]
        u, v = members[p], members[q]
        if e == f or _holds(lists, e, v) or _holds(lists, f, u):
            continue
        if meetings.words[u] > 0:
            count = _gains_from_rows(lists, meetings, p, e, f, v, scratch, 0)
            count = _gains_from_rows(lists, meetings, q, f, e, u, scratch, count)
        else:
            _mark(lists, e, f, marks, _IN_E, _IN_F)
            count = _gains(lists, _hyperedges(slots, k, a), e, u, v, _IN_E, marks, scratch, 0)
            count = _gains(lists, _hyperedges(slots, k, b), f, v, u, _IN_F, marks, scratch, count)
            _mark(lists, e, f, marks, 0, 0)
        further = 0.0
        for kind in touched[:count]:
            further += weights[kind] * _further(short[kind], gains[kind])
            scratch.seen[kind] = False
        if further <= 0 and _enter_keys(e, f, u, v, keys):
            if some_rows:
                exchange(meetings, p, q, e, f, members, lists.starts)
            members[p], members[q] = v, u
            places[a], places[b], edges[a], edges[b] = q, p, f, e
            for kind in touched[:count]:
                short[kind] -= gains[kind]


@compiled
def _two_slots(slots: Slots, random: Words) -> tuple[Int, Int, Int]:
    """Sample two slots of different nodes of the same class, uniformly; return the class too."""
    total, mask = np.uint64(slots.pairs[-1]), np.uint64(1)
    while mask < total:
        mask = (mask << np.uint64(1)) | np.uint64(1)
    number = next_word(random) & mask
    while number >= total:
        number = next_word(random) & mask
    k = np.searchsorted(slots.pairs, np.int64(number), side="right")
    degree, nodes = slots.degrees[k], slots.nodes[k]
    i, j = below(random, nodes), below(random, nodes - 1)
    j += j >= i
    first = slots.starts[k]
    return k, first + i * degree + below(random, degree), first + j * degree + below(random, degree)


@compiled
def _hyperedges(slots: Slots, k: Int, a: Int) -> IntArray:
    """Return the hyperedges of the node, of class k, that has this slot."""
    first, degree = slots.starts[k], slots.degrees[k]
    return slots.edges[a - (a - first) % degree :][:degree]


@compiled
def _mark(lists: Lists, e: Int, f: Int, marks: Marks, of_e: int, of_f: int) -> None:
    """Mark the members of two hyperedges; those of both have both marks."""
    for i in range(lists.starts[e], lists.starts[e + 1]):
        marks[lists.members[i]] = of_e
    for i in range(lists.starts[f], lists.starts[f + 1]):
        marks[lists.members[i]] = (marks[lists.members[i]] & of_e) | of_f


@compiled
def _gains(
    lists: Lists,
    of_u: IntArray,
    e: Int,
    u: Int,
    v: Int,
    mark: int,
    marks: Marks,
    scratch: Scratch,
    count: int,
) -> int:
    """Add the redundant pairs that each class gains if u leaves e, whose members have this mark, for the other hyperedge.

    Parameters
    ----------
    of_u
        The hyperedges of u.
    v
        The node that comes in exchange.
    scratch, count
        The classes that gained or lost so far, and how many there are; the new number is returned.
    """
    own = lists.classes[u]
    for h in of_u:
        if h == e:
            continue
        old, new, old_other, new_other = _shared(lists, h, u, v, mark, marks)
        if old > 0:
            count = _gain(own, -1, scratch, count)
        if old == 1:
            count = _gain(lists.classes[old_other], -1, scratch, count)
        if new > 0:
            count = _gain(own, 1, scratch, count)
        if new == 1:
            count = _gain(lists.classes[new_other], 1, scratch, count)
    return count


@compiled
def _shared(lists: Lists, h: Int, u: Int, v: Int, mark: int, marks: Marks) -> tuple[Int, Int, Int, Int]:
    """Count the nodes beside u that a hyperedge shares with the marked one and with the other; return one of each, too.

    A hyperedge with v is said to share none: nothing changes for it.
    """
    old, new, old_other, new_other = 0, 0, u, u
    for i in range(lists.starts[h], lists.starts[h + 1]):
        w = lists.members[i]
        if w == v:
            return 0, 0, u, u
        if marks[w] != 0 and w != u:
            if marks[w] & mark:
                old += 1
                old_other = w
            if marks[w] != mark:
                new += 1
                new_other = w
    return old, new, old_other, new_other


@compiled
def _gains_from_rows(
    lists: Lists, meetings: Meetings, p: Int, e: Int, f: Int, v: Int, scratch: Scratch, count: int
) -> int:
    """Add the same as :func:`_gains` if the node at place p leaves e for f, and v comes in exchange."""
    bits, members, starts = meetings.bits, lists.members, lists.starts
    u, number = members[p], meetings.number[p]
    words = meetings.words[u]
    for x in range(words):
        rows = meetings.first[u] + x
        changes = ~bits[rows + v * words]  # for hyperedges with v nothing changes
        if x == number >> 6:
            changes &= ~(np.uint64(1) << np.uint64(number & 63))
        for g, sign in ((e, -1), (f, 1)):
            some, more = np.uint64(0), np.uint64(0)
            for i in range(starts[g], starts[g + 1]):
                row = bits[rows + members[i] * words] & changes
                more |= some & row
                some |= row
            if some == 0:
                continue
            count = _gain(lists.classes[u], sign * ones(some), scratch, count)
            one = some & ~more
            if one == 0:
                continue
            for i in range(starts[g], starts[g + 1]):
                row = bits[rows + members[i] * words] & one
                if row != 0:
                    count = _gain(lists.classes[members[i]], sign * ones(row), scratch, count)
    return count


@compiled
def _gain(kind: Int, by: Int, scratch: Scratch, count: int) -> int:
    """Add to the gain of a class, and list the class if it is not listed."""
    if not scratch.seen[kind]:
        scratch.seen[kind] = True
        scratch.change[kind] = 0
        scratch.kinds[count] = kind
        count += 1
    scratch.change[kind] += by
    return count


# -- repeats -----------------------------------------------------------------------------------------


@compiled
def _enter_keys(e: Int, f: Int, u: Int, v: Int, keys: Keys) -> bool:
    """Enter a swap into the keys, or return False if it would make hyperedges equal."""
    if len(keys.buckets) == 0:
        return True
    moved = keys.of_nodes[u] ^ keys.of_nodes[v]
    new_e, new_f = keys.of_edges[e] ^ moved, keys.of_edges[f] ^ moved
    if adds_equal_pairs(e, f, new_e, new_f, keys.of_edges, keys.buckets):
        return False
    change_keys(e, f, new_e, new_f, keys.of_edges, keys.buckets)
    return True
