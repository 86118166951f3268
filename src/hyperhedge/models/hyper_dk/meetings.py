r"""In which of its hyperedges a node meets which others, as bits: what the redundancy of a node of large degree is counted from.

A node *u* numbers its hyperedges from 0. Its row of another node *w* has a bit for each of them, set if *w* is in it. Of the
hyperedges of *u*, those with some node of a set *X* are then the union of the rows of *X*, and those with exactly one are what is
in only one of the rows. So what a swap changes follows from the members of two hyperedges, with
:math:`\lceil d_u / 64 \rceil` words each, and the :math:`d_u` hyperedges of *u* are not walked through.

*Which nodes have rows.* A row for every node takes :math:`n \lceil d_u / 64 \rceil` words, and every swap, of whatever nodes,
changes rows of the members of both hyperedges. So a class has rows only if they save enough. Of the proposals, class *k* with
:math:`n_k` nodes gets a share of :math:`p_k = d_k^2 n_k (n_k - 1) / \sum_j d_j^2 n_j (n_j - 1)`, and each of these need not walk
through :math:`d_k` hyperedges; of the members of a random hyperedge, :math:`n_k d_k / I` are in the class. The quotient

.. math:: \frac{p_k d_k}{n_k d_k / I} = \frac{d_k^2 (n_k - 1) I}{\sum_j d_j^2 n_j (n_j - 1)}

must be :data:`LEAST_WORTH` or more, and the degree :data:`LEAST_DEGREE` or more. All rows together have at most :data:`MOST_WORDS`;
classes come in the order of the quotient, which is also, up to a factor, what a word saves. For nodes without rows the rewiring
walks through their hyperedges.
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from hyperhedge._system.numba import compiled
from hyperhedge._system.portions import portions
from hyperhedge.models.hyper_dk.targets import STEPS, Members
from hyperhedge.models.xoshiro import Int, Words
from hyperhedge.typing import BoolArray, IntArray

LEAST_DEGREE, LEAST_WORTH = 8, 8.0
"""The smallest degree and quotient of a class with rows: about the fastest of several choices on each of nine hypergraphs."""

MOST_WORDS = 16 << 20
"""How many words of 64 bits all rows have at most: 128 MiB."""


class Meetings(NamedTuple):
    """The rows of all nodes that have some.

    Attributes
    ----------
    bits
        The rows, one after another: those of a node are in the order of the other nodes.
    first
        Where the rows of each node begin, or −1 without rows.
    words
        How many words a row of each node has, or 0 without rows.
    number
        Of each place in ``members``: which of the node's hyperedges it is, from 0; kept up to date where there are rows at all.
    """

    bits: Words
    first: IntArray
    words: IntArray
    number: IntArray

    @classmethod
    def of(cls, H: Members) -> Self:
        """Make the rows."""
        places, node_starts = H.slots()
        number = np.empty(len(places), dtype=np.int64)
        number[places] = np.arange(len(places)) - node_starts[H.members[places]]
        n = len(H.classes)
        words = np.append(np.where(_with_rows(H), _words(H.degrees), 0), 0)[H.classes]
        ends = np.cumsum(n * words)
        first = np.where(words > 0, ends - n * words, -1)
        bits = np.zeros(int(ends[-1]) if n else 0, dtype=np.uint64)
        made = cls(bits, first, words, number)
        sizes = np.diff(H.starts)
        for begin, end in portions(sizes**2 + 1, STEPS):
            _set_bits(begin, end, H.members, H.starts, made)
        return made


def _words(degrees: IntArray) -> IntArray:
    return (degrees + 63) // 64


def _with_rows(H: Members) -> BoolArray:
    """Choose the classes whose nodes have rows."""
    pairs = H.degrees**2 * H.nodes * (H.nodes - 1)
    worth = H.degrees**2 * (H.nodes - 1) * (len(H.members) / max(int(pairs.sum()), 1))
    useful = (H.nodes > 1) & (H.degrees >= LEAST_DEGREE) & (worth >= LEAST_WORTH)
    needed = np.where(useful, 1.0 * H.nodes * _words(H.degrees) * len(H.classes), 0)
    order = np.argsort(-worth, kind="stable")
    fits = np.empty(len(order), dtype=np.bool_)
    fits[order] = np.cumsum(needed[order]) <= MOST_WORDS
    return useful & fits


@compiled
def _set_bits(begin: int, end: int, members: IntArray, starts: IntArray, meetings: Meetings) -> None:
    for e in range(begin, end):
        for i in range(starts[e], starts[e + 1]):
            u = members[i]
            if meetings.words[u] > 0:
                for w in members[starts[e] : starts[e + 1]]:
                    if w != u:
                        toggle(meetings, u, w, meetings.number[i])


@compiled
def toggle(meetings: Meetings, u: Int, w: Int, number: Int) -> None:
    """Let the hyperedge of u with this number gain or lose w."""
    word = meetings.first[u] + w * meetings.words[u] + (number >> 6)
    meetings.bits[word] ^= np.uint64(1) << np.uint64(number & 63)


@compiled
def exchange(meetings: Meetings, p: Int, q: Int, e: Int, f: Int, members: IntArray, starts: IntArray) -> None:
    """Enter the swap of the members at two places, p of hyperedge e and q of f, before it happens."""
    u, v = members[p], members[q]
    of_u, of_v = meetings.number[p], meetings.number[q]
    for g, own in ((e, p), (f, q)):
        for i in range(starts[g], starts[g + 1]):
            if i == own:
                continue
            w = members[i]
            if meetings.words[w] > 0:
                toggle(meetings, w, u, meetings.number[i])
                toggle(meetings, w, v, meetings.number[i])
            if meetings.words[u] > 0:  # and so has v, which is of the same class
                toggle(meetings, u, w, of_u)
                toggle(meetings, v, w, of_v)
    meetings.number[p], meetings.number[q] = of_v, of_u


@compiled
def ones(word: np.uint64) -> np.int64:
    """Count the bits that are set."""
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))
