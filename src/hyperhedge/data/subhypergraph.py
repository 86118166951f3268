r"""Subhypergraphs of a fixed shape, sampled from one observed hypergraph.

A sample takes two steps. The first, the *protocol*, chooses :math:`m` hyperedges; the second, the *trim*, chooses
:math:`n` of the nodes that they cover. The result is the submatrix of the incidence matrix: each chosen
hyperedge, cut down to the chosen nodes. None of its hyperedges is empty.

Protocols:

``uniform``
    :math:`m` hyperedges, each set of them equally likely.
``walk``
    A walk from a hyperedge to one of its members, to one of that node's hyperedges, and so on, all
    uniformly; with probability ``restart`` it jumps to a uniformly chosen hyperedge instead. The first
    :math:`m` distinct hyperedges that it visits are taken.
``snowball``
    A uniformly chosen hyperedge, then those that share a node with it in random order, then those that share a
    node with these, and so on.

Where a component of the hypergraph is exhausted, the walk and the snowball continue from another uniformly chosen
hyperedge.

Trim: nodes are sampled one after the other without replacement, with probabilities proportional to the number
of chosen hyperedges that they are in (``trim="degree"``) or all alike (``trim="uniform"``). A hyperedge that
is left without a member gets one of its members back, in exchange for a node that no hyperedge needs.

If the chosen hyperedges cover fewer than :math:`n` nodes, other nodes, which are then isolated, make up the number
(``isolated="pad"``), or the hyperedges are sampled again (``isolated="avoid"``). Isolated nodes arise in no other way.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.errors import HyperhedgeError
from hyperhedge.typing import IntArray, Seed

Protocol = Literal["uniform", "walk", "snowball"]
Trim = Literal["degree", "uniform"]
Isolated = Literal["pad", "avoid"]

_ATTEMPTS = 200  # after so many the request is taken to be impossible: an attempt costs as much as a sample
_STALE_STEPS = 50  # a walk that visits nothing new for so long has most likely exhausted its component


class _MissedError(Exception):
    """One attempt failed; it would have succeeded with ``nodes`` nodes."""

    def __init__(self, nodes: int) -> None:
        self.nodes = nodes


@dataclass(frozen=True)
class SubhypergraphSampler:
    """Sample subhypergraphs of an observed hypergraph.

    Parameters
    ----------
    observed
        The hypergraph. Its empty hyperedges are never sampled.
    protocol, restart, trim, isolated
        How hyperedges and nodes are chosen: see the module.

    Examples
    --------
    >>> H = Hypergraph([[0, 1, 2], [2, 3], [3, 4, 5], [5, 0], [6, 7]])
    >>> sampler = SubhypergraphSampler(H, protocol="walk")
    >>> G = sampler.sample(4, 2, seed=0)
    >>> G.n, G.m, int(G.edge_sizes.min()) > 0
    (4, 2, True)
    """

    observed: Hypergraph
    protocol: Protocol = "uniform"
    restart: float = 0.15
    trim: Trim = "degree"
    isolated: Isolated = "pad"

    def __post_init__(self) -> None:
        for name, value, choices in (
            ("protocol", self.protocol, get_args(Protocol)),
            ("trim", self.trim, get_args(Trim)),
            ("isolated", self.isolated, get_args(Isolated)),
        ):
            if value not in choices:
                raise HyperhedgeError(f"{name} must be one of {', '.join(choices)}, not {value!r}")
        if not 0 <= self.restart <= 1:
            raise HyperhedgeError(f"restart is a probability from 0 to 1, not {self.restart!r}")

    def sample(self, n: int, m: int, seed: Seed | None = None) -> Hypergraph:
        """Sample one subhypergraph of ``n`` nodes and ``m`` hyperedges, under the observed labels and in their order."""
        self._check(n, m)
        rng = np.random.default_rng(seed)
        needed = 0
        for _ in range(_ATTEMPTS):
            edges = self._choose_edges(m, rng)
            try:
                nodes = self._choose_nodes(edges, n, rng)
            except _MissedError as missed:
                needed = max(needed, missed.nodes)
                continue
            return self._restricted(nodes, edges)
        raise HyperhedgeError(self._advice(n, m, needed))

    def order(self, seed: Seed | None = None) -> IntArray:
        """Return all hyperedges that are not empty, in the order in which the protocol visits them."""
        rng = np.random.default_rng(seed)
        if self.protocol == "uniform":
            return rng.permutation(self._usable)
        return np.fromiter(self._first(len(self._usable), rng), dtype=np.int64)

    def _check(self, n: int, m: int) -> None:
        nodes, usable = self.observed.n, len(self._usable)
        if n < 1 or m < 1:
            raise HyperhedgeError(f"a subhypergraph has at least one node and one hyperedge, not {n} × {m}")
        if m > usable:
            raise HyperhedgeError(
                f"m={m} is more than the {usable} hyperedges of the observed hypergraph that are not empty; "
                f"ask for at most {usable}"
            )
        if n > nodes:
            raise HyperhedgeError(
                f"n={n} is more than the {nodes} nodes of the observed hypergraph; ask for at most {nodes}"
            )

    def _advice(self, n: int, m: int, needed: int) -> str:
        attempts = f"in {_ATTEMPTS} attempts, no {m} hyperedges"
        if needed < n:  # only isolated="avoid" asks for more nodes than are covered
            return (
                f"{attempts} covered {n} nodes, the most being {needed}; ask for at most {needed} nodes, for more hyperedges, "
                'or for isolated="pad"'
            )
        return f"{attempts} were met by {n} nodes; ask for at least {needed} nodes, or for fewer hyperedges"

    # -- hyperedges --------------------------------------------------------------------------------

    def _choose_edges(self, m: int, rng: np.random.Generator) -> IntArray:
        if self.protocol == "uniform":
            return np.sort(rng.choice(self._usable, m, replace=False, shuffle=False))
        return np.sort(np.fromiter(self._first(m, rng), dtype=np.int64))

    def _first(self, m: int, rng: np.random.Generator) -> Iterable[int]:
        """Return the first ``m`` distinct hyperedges of a walk or a snowball, in that order."""
        distinct = dict[int, None]()
        for edge in self._walk(rng) if self.protocol == "walk" else self._snowball(rng):
            distinct[edge] = None
            if len(distinct) == m:
                break
        return distinct

    def _walk(self, rng: np.random.Generator) -> Iterator[int]:
        """Walk for ever; jump where nothing new was visited for long."""
        uniform = _uniform_numbers(rng)
        visited, stale_steps = set[int](), 0
        edge = self._any_unvisited(visited, uniform)
        while True:
            stale_steps = stale_steps + 1 if edge in visited else 0
            visited.add(edge)
            yield edge
            if stale_steps > _STALE_STEPS:
                edge = self._any_unvisited(visited, uniform)
            elif next(uniform) < self.restart:
                edge = _pick(self._usable_list, uniform)
            else:
                edge = _pick(self._edges_of[_pick(self._nodes_of[edge], uniform)], uniform)

    def _any_unvisited(self, visited: set[int], uniform: Iterator[float]) -> int:
        """Return a uniformly chosen hyperedge that was not visited yet; any, if all were."""
        if 2 * len(visited) < len(self._usable_list):  # rejection takes two attempts at most, on average
            return next(edge for edge in iter(lambda: _pick(self._usable_list, uniform), -1) if edge not in visited)
        return _pick([edge for edge in self._usable_list if edge not in visited] or self._usable_list, uniform)

    def _snowball(self, rng: np.random.Generator) -> Iterator[int]:
        visited, queue = set[int](), deque[int]()
        for start in rng.permutation(self._usable).tolist():
            if start not in visited:
                visited.add(start)
                queue.append(start)
            while queue:
                edge = queue.popleft()
                yield edge
                around = {other for node in self._nodes_of[edge] for other in self._edges_of[node]} - visited
                visited |= around
                queue.extend(rng.permutation(sorted(around)).tolist())

    # -- nodes -------------------------------------------------------------------------------------

    def _choose_nodes(self, edges: IntArray, n: int, rng: np.random.Generator) -> IntArray:
        members = self._members(edges)
        covered, degrees = np.unique(members, return_counts=True)
        if len(covered) >= n:
            weights = degrees if self.trim == "degree" else np.ones_like(degrees)
            # The n largest of log w + Gumbel noise are a weighted sample without replacement (Efraimidis and Spirakis 2006).
            keys = np.log(weights) + rng.gumbel(size=len(covered))
            # Sorted, since the order in which a partition leaves them depends on the processor.
            nodes = np.sort(covered[np.argpartition(-keys, n - 1)[:n]])
            return np.sort(self._cover(nodes, edges, rng))
        if self.isolated == "avoid":
            raise _MissedError(len(covered))
        outside = np.setdiff1d(np.arange(self.observed.n), covered, assume_unique=True)
        return np.sort(np.concatenate([covered, rng.choice(outside, n - len(covered), replace=False, shuffle=False)]))

    def _members(self, edges: IntArray) -> IntArray:
        indptr, indices = self.observed.indptr, self.observed.indices
        return np.concatenate([indices[indptr[e] : indptr[e + 1]] for e in edges])

    def _cover(self, nodes: IntArray, edges: IntArray, rng: np.random.Generator) -> IntArray:
        """Exchange nodes until every hyperedge has one."""
        kept = set(nodes.tolist())
        sizes = {edge: len(kept.intersection(self._nodes_of[edge])) for edge in edges.tolist()}
        bare = [edge for edge, size in sizes.items() if not size]
        if not bare:
            return nodes
        order = rng.permutation(nodes).tolist()
        for edge in bare:
            if sizes[edge]:  # by a node that was added for another hyperedge
                continue
            new = int(rng.choice(self._nodes_of[edge]))
            kept.add(new)
            for other in self._edges_of[new]:
                if other in sizes:
                    sizes[other] += 1
            if not self._drop_one(order, kept, sizes):
                raise _MissedError(self._cover_number(edges))
        return np.fromiter(kept, dtype=np.int64)

    def _drop_one(self, order: list[int], kept: set[int], sizes: dict[int, int]) -> bool:
        """Drop the first node in order that is no hyperedge's last member, if there is one."""
        for k, node in enumerate(order):
            edges = [edge for edge in self._edges_of[node] if edge in sizes]
            if all(sizes[edge] > 1 for edge in edges):
                del order[k]
                kept.remove(node)
                for edge in edges:
                    sizes[edge] -= 1
                return True
        return False

    def _cover_number(self, edges: IntArray) -> int:
        """Count nodes that cover all hyperedges, chosen greedily: next the node in most of those not yet covered."""
        uncovered, count = set(edges.tolist()), 0
        while uncovered:
            degrees = Counter(node for edge in uncovered for node in self._nodes_of[edge])
            uncovered.difference_update(self._edges_of[degrees.most_common(1)[0][0]])
            count += 1
        return count

    def _restricted(self, nodes: IntArray, edges: IntArray) -> Hypergraph:
        H = self.observed
        lengths = H.indptr[edges + 1] - H.indptr[edges]
        members, columns = self._members(edges), np.repeat(np.arange(len(edges)), lengths)
        rows = np.searchsorted(nodes, members)
        inside = (rows < len(nodes)) & (nodes[np.minimum(rows, len(nodes) - 1)] == members)
        return Hypergraph.from_indices(
            rows[inside],
            columns[inside],
            nodes=[H.nodes[i] for i in nodes.tolist()],
            edges=[H.edges[j] for j in edges.tolist()],
        )

    # -- the observed hypergraph as lists, which a walk reads faster than arrays --------------------

    @cached_property
    def _usable(self) -> IntArray:
        return np.flatnonzero(self.observed.edge_sizes)

    @cached_property
    def _usable_list(self) -> list[int]:
        return [int(edge) for edge in self._usable]

    @cached_property
    def _nodes_of(self) -> list[list[int]]:
        H = self.observed
        return [members.tolist() for members in np.split(H.indices, H.indptr[1:-1])]

    @cached_property
    def _edges_of(self) -> list[list[int]]:
        dual = self.observed.dual()
        return [edges.tolist() for edges in np.split(dual.indices, dual.indptr[1:-1])]


def _uniform_numbers(rng: np.random.Generator) -> Iterator[float]:
    """Yield uniform numbers, sampled in blocks: one by one, the calls would cost more than the walk."""
    while True:
        yield from rng.random(256).tolist()


def _pick(choices: list[int], uniform: Iterator[float]) -> int:
    return choices[int(next(uniform) * len(choices))]
