"""HyperLap with exact degrees: hyperedges take stubs instead of throwing nodes.

A node has as many stubs as its degree. From the deepest level to the root, the places of the hyperedges of a group are filled with
the stubs of its nodes that are left, at random; a place that finds none, or only a node that its hyperedge has already, waits for
the next larger group. What is left at the root is placed by shifting incidences along a path that alternates between hyperedges
and nodes, as in a bipartite matching; since the training hypergraph has these degrees and sizes, there always is one.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque

import numpy as np

from hyperhedge.errors import GeneratorError
from hyperhedge.models.hyperlap.groups import Groups
from hyperhedge.typing import BoolArray, IntArray

_ROUNDS = 4  # deals per level


def members_with_exact_degrees(
    groups: Groups,
    degrees: IntArray,
    edges: IntArray,
    level: IntArray,
    group: IntArray,
    rng: np.random.Generator,
) -> IntArray:
    """Return the node of each incidence, given its hyperedge, and every hyperedge's level and group."""
    nodes = np.full(len(edges), -1, dtype=np.int64)
    free = np.arange(len(edges))
    position = np.zeros(len(degrees), dtype=np.int64)
    position[groups.nodes] = np.arange(len(groups.nodes))
    stubs = np.repeat(np.arange(len(degrees)), degrees)
    for depth in range(int(level.max(initial=0)), -1, -1):
        for _ in range(_ROUNDS):
            inside = level[edges[free]] >= depth
            slots, waiting = free[inside], free[~inside]
            slot_groups = group[edges[slots]] >> (level[edges[slots]] - depth)
            stub_groups = _group_at(groups, position[stubs], depth)
            placed, used = _dealt(nodes, edges, slots, slot_groups, stubs, stub_groups, rng)
            free = np.concatenate((waiting, slots[~placed]))
            stubs = stubs[~used]
    return _augmented(nodes, edges, free, stubs) if len(free) else nodes


def _group_at(groups: Groups, position: IntArray, depth: int) -> IntArray:
    """Return the group of a level that holds a position in the order of the nodes."""
    starts = groups.bounds(np.full(1 << depth, depth), np.arange(1 << depth))[0]
    held: IntArray = np.searchsorted(starts, position, side="right") - 1
    return held


def _dealt(
    nodes: IntArray,
    edges: IntArray,
    slots: IntArray,
    slot_groups: IntArray,
    stubs: IntArray,
    stub_groups: IntArray,
    rng: np.random.Generator,
) -> tuple[BoolArray, BoolArray]:
    """Pair slots and stubs of equal groups at random, place the pairs that repeat no incidence, and tell which were placed."""
    placed, used = np.zeros(len(slots), dtype=np.bool_), np.zeros(len(stubs), dtype=np.bool_)
    slot_order, slot_rank = _shuffled_by_group(slot_groups, rng)
    stub_order, stub_rank = _shuffled_by_group(stub_groups, rng)
    width = max(len(slots), len(stubs), 1)
    slot_keys, stub_keys = slot_groups[slot_order] * width + slot_rank, stub_groups[stub_order] * width + stub_rank
    _, a, b = np.intersect1d(slot_keys, stub_keys, assume_unique=True, return_indices=True)
    a, b = slot_order[a], stub_order[b]
    count = int(max(nodes.max(initial=0), stubs.max(initial=0))) + 1
    held = edges[nodes >= 0] * count + nodes[nodes >= 0]
    wanted = edges[slots[a]] * count + stubs[b]
    first = np.zeros(len(wanted), dtype=np.bool_)
    first[np.unique(wanted, return_index=True)[1]] = True
    good = first & ~np.isin(wanted, held)
    a, b = a[good], b[good]
    nodes[slots[a]] = stubs[b]
    placed[a], used[b] = True, True
    return placed, used


def _shuffled_by_group(groups: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Return a random order sorted by group, and the rank of each item within its group."""
    order = rng.permutation(len(groups))
    order = order[np.argsort(groups[order], kind="stable")]
    ordered = groups[order]
    starts = np.searchsorted(ordered, ordered, side="left")
    return order, np.arange(len(groups)) - starts


def _augmented(nodes: IntArray, edges: IntArray, free: IntArray, stubs: IntArray) -> IntArray:
    """Fill the last places: shift incidences along a path from the place's hyperedge to a node that has a stub left."""
    members: list[set[int]] = [set() for _ in range(int(edges.max()) + 1)]
    for slot in np.flatnonzero(nodes >= 0).tolist():
        members[edges[slot]].add(int(nodes[slot]))
    memberships: dict[int, set[int]] = defaultdict(set)
    for e, held in enumerate(members):
        for v in held:
            memberships[v].add(e)
    left = Counter(stubs.tolist())
    for slot in free.tolist():
        node, path = _path(int(edges[slot]), members, memberships, left)
        left -= Counter([node])
        for edge, incoming, outgoing in path:
            members[edge].add(incoming)
            memberships[incoming].add(edge)
            if outgoing is not None:
                members[edge].remove(outgoing)
                memberships[outgoing].remove(edge)
    return np.array([v for held in members for v in sorted(held)], dtype=np.int64)


def _path(
    start: int, members: list[set[int]], memberships: dict[int, set[int]], left: Counter[int]
) -> tuple[int, list[tuple[int, int, int | None]]]:
    """Find a shortest path; return its last node, and for each hyperedge on it the node that comes and the one that goes."""
    reached: dict[int, tuple[int, int]] = {}  # hyperedge: the one before it, and the node that goes there
    queue, seen_edges = deque([start]), {start}
    unseen = set(memberships)
    while queue:
        edge = queue.popleft()
        for node in left:
            if node not in members[edge]:
                return node, _unwound(edge, node, reached)
        new = unseen - members[edge]
        unseen -= new
        for node in new:
            for other in memberships[node] - seen_edges:
                seen_edges.add(other)
                reached[other] = (edge, node)
                queue.append(other)
    raise GeneratorError("no hypergraph has these degrees and edge sizes")


def _unwound(edge: int, node: int, reached: dict[int, tuple[int, int]]) -> list[tuple[int, int, int | None]]:
    """Return the shifts along a path, from its end to its beginning."""
    shifts: list[tuple[int, int, int | None]] = []
    while edge in reached:
        before, passed = reached[edge]
        shifts.append((edge, node, passed))
        edge, node = before, passed
    return [*shifts, (edge, node, None)]
