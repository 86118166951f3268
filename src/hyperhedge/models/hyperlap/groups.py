r"""Groups of nodes at several levels, and hyperedges sampled inside them.

Put the nodes of positive degree in a random order. Level :math:`\ell` cuts it into :math:`2^\ell` runs of nearly equal length, its
*groups*; level 0 is one group of all, and every group of level :math:`\ell` is the union of two of level :math:`\ell + 1`.

A hyperedge of size :math:`k` in a group takes nodes one after another, each in proportion to its degree among those that it has
not taken yet. That is the law of the distinct nodes in a sequence of independent throws, continued until there are :math:`k`, so
all hyperedges are thrown together: each round throws as many nodes as are missing and keeps the new ones. Where a few hubs hold
nearly all of a group's degree, throws repeat too often; after some rounds the rest is taken by exponential clocks, of which the
first :math:`k` to ring have the same law.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hyperhedge.typing import IntArray

_ROUNDS = 30


@dataclass(frozen=True)
class Groups:
    """The groups of all levels: the nodes in order, their degrees, and where each group begins."""

    nodes: IntArray
    degrees: IntArray

    @classmethod
    def sampled(cls, degrees: IntArray, rng: np.random.Generator) -> Groups:
        """Order the nodes of positive degree at random."""
        nodes = rng.permutation(np.flatnonzero(degrees))
        return cls(nodes, degrees[nodes])

    @property
    def levels(self) -> int:
        """The number of levels whose groups have at least two nodes."""
        return max(1, len(self.nodes).bit_length() - 1)

    def bounds(self, level: IntArray, group: IntArray) -> tuple[IntArray, IntArray]:
        """Return where groups begin and end in the order of the nodes."""
        count = len(self.nodes)
        return (group * count) >> level, ((group + 1) * count) >> level

    def members(self, sizes: IntArray, level: IntArray, group: IntArray, rng: np.random.Generator) -> IntArray:
        """Sample the members of hyperedges in their groups, one hyperedge after another.

        Examples
        --------
        >>> groups = Groups.sampled(np.array([1, 2, 0, 1]), np.random.default_rng(0))
        >>> nodes = groups.members(np.array([3, 1]), np.array([0, 0]), np.array([0, 0]), np.random.default_rng(1))
        >>> sorted(nodes[:3].tolist()), len(nodes)
        ([0, 1, 3], 4)
        """
        start, end = self.bounds(level, group)
        total = np.concatenate(([0], np.cumsum(self.degrees)))
        low, high = total[start], total[end]
        owners, places = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        missing = sizes.copy()
        for _ in range(_ROUNDS):
            thrown = np.repeat(np.arange(len(sizes)), missing)
            if not len(thrown):
                break
            at = np.searchsorted(total, rng.integers(low[thrown], high[thrown]), side="right") - 1
            owners, places = _distinct(np.concatenate((owners, thrown)), np.concatenate((places, at)), len(self.nodes))
            missing = sizes - np.bincount(owners, minlength=len(sizes))
        for e in np.flatnonzero(missing).tolist():
            taken = places[owners == e]
            rest = np.setdiff1d(np.arange(start[e], end[e]), taken)
            first = np.argsort(rng.exponential(size=len(rest)) / self.degrees[rest])[: missing[e]]
            owners = np.concatenate((owners, np.full(missing[e], e)))
            places = np.concatenate((places, rest[first]))
        return self.nodes[places[np.argsort(owners, kind="stable")]]


def _distinct(owners: IntArray, places: IntArray, count: int) -> tuple[IntArray, IntArray]:
    """Drop repeated pairs and keep the order in which the others first came."""
    first = np.sort(np.unique(owners * count + places, return_index=True)[1])
    return owners[first], places[first]
