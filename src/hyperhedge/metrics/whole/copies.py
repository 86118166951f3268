r"""How much of a hypergraph is a copy of another one, whatever its nodes and hyperedges are called.

*Known surroundings.* After four rounds of colour refinement (:mod:`hyperhedge.core.canonical`) the colour of a hyperedge tells its
members, their hyperedges, and the members of these with their degrees, as a tree. Those that occur once in the training hypergraph
are its fingerprints, and the share of them that occur in the generated one is what was copied piece by piece. Pieces with little
around them look alike by chance, so the share is read against that of the configuration model and that between halves.

*Matched hyperedges.* An alignment maps generated nodes to training nodes, one to one, and a hyperedge matches if its image is a
hyperedge of the training hypergraph, each of which is matched once. Finding the best alignment is NP-hard. Two are tried: nodes
keep their numbers (which generators that start from the training hypergraph do), and one that is found from the structure
(:func:`aligned`). There, components that look the same on both sides are paired, and nodes and hyperedges whose colours occur once
in a pair (or, for those in no pair, once on either side) are seeds. From there rounds of votes follow: a hyperedge is mapped to the
one that holds most images of its nodes, a node to the one that is in most images of its hyperedges, the surest first. Votes are
cast from the last maps, and maps are made anew, so wrong seeds can be voted out. What is found is a lower bound.

Nodes of high degree have a vote in many pairs of hyperedges and tell little: those whose pairs would cost too much do not vote.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from hyperhedge._system.numba import compiled
from hyperhedge._system.portions import portions
from hyperhedge.core.canonical import Bipartite, Colours, colours_after, mix
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.metrics.disjoint_union import DisjointUnion
from hyperhedge.models.base import Seed, rng_of
from hyperhedge.typing import BoolArray, IntArray

__all__ = ["Copied", "aligned", "copied", "copied_by_number", "known_surroundings", "matched", "rewired"]

_ROUNDS = 4  # of refinement that surroundings are
_SEED_ROUNDS = (4, 3, 2, 1)
_MOST_VOTES = 5_000_000
_MOST_SWEEPS = 20


@dataclass(frozen=True)
class Copied:
    """How much of a hypergraph is a copy of the training hypergraph.

    Attributes
    ----------
    surroundings
        The share of hyperedges whose surroundings are unique there, and occur here.
    matched
        The share of hyperedges that match under the best alignment that was found.
    by_number
        The same if nodes keep their numbers.
    """

    surroundings: float
    matched: float
    by_number: float


def copied(train: Hypergraph, generated: Hypergraph) -> Copied:
    """Measure how much of a hypergraph is a copy of another one.

    Examples
    --------
    >>> H = Hypergraph([[0, 1, 2], [2, 3], [3, 4, 5, 6], [6, 0]])
    >>> copied(H, H.permute(nodes=[3, 1, 4, 0, 5, 6, 2], edges=[2, 0, 3, 1]))
    Copied(surroundings=1.0, matched=1.0, by_number=0.25)
    """
    by_number = _by_number(train, generated)
    found = matched(train, generated, aligned(train, generated)) if by_number < 1 else 1.0
    return Copied(known_surroundings(train, generated), max(by_number, found), by_number)


def copied_by_number(train: Hypergraph, generated: Hypergraph) -> Copied:
    """Measure the same of a hypergraph whose nodes are known to have kept their numbers."""
    by_number = _by_number(train, generated)
    return Copied(known_surroundings(train, generated), by_number, by_number)


def _by_number(train: Hypergraph, generated: Hypergraph) -> float:
    return matched(train, generated, np.where(np.arange(generated.n) < train.n, np.arange(generated.n), -1))


def _bipartite(H: Hypergraph) -> Bipartite:
    return Bipartite(H.n, H.m, H.indices, H.edge_indices)


def known_surroundings(train: Hypergraph, generated: Hypergraph, rounds: int = _ROUNDS) -> float:
    """Return the share of unique surroundings of training hyperedges that occur in another hypergraph; NaN if none are unique.

    Examples
    --------
    >>> path = Hypergraph([[0, 1], [1, 2], [2, 3, 4]])
    >>> known_surroundings(path, Hypergraph([[7, 5], [7, 8], [8, 9, 1]])), known_surroundings(path, Hypergraph([[0, 1]]))
    (1.0, 0.0)
    """
    known, _ = _occurring_once(colours_after(_bipartite(train), rounds)[-1][1])
    if not len(known):
        return float("nan")
    return float(np.isin(known, colours_after(_bipartite(generated), rounds)[-1][1]).mean())


# -- alignments ----------------------------------------------------------------------------------------


def matched(train: Hypergraph, generated: Hypergraph, image: IntArray) -> float:
    """Return the share of generated hyperedges that match when node ``v`` is mapped to ``image[v]`` (−1: to none).

    Examples
    --------
    >>> one, other = Hypergraph([[0, 1], [1, 2], [0, 1]]), Hypergraph([[2, 1], [2, 1], [1, 0]])
    >>> round(matched(one, other, np.array([0, 1, 2])), 3), matched(one, other, np.array([2, 1, 0]))
    (0.667, 1.0)
    """
    if not generated.m:
        return float("nan")
    known, counts = np.unique(_hashes(train, np.arange(train.n)), return_counts=True)
    new, new_counts = np.unique(_hashes(generated, image), return_counts=True)
    _, of_known, of_new = np.intersect1d(known, new, assume_unique=True, return_indices=True)
    return float(np.minimum(counts[of_known], new_counts[of_new]).sum() / generated.m)


def _hashes(H: Hypergraph, image: IntArray) -> Colours:
    """Hash the image of each hyperedge; one that has a member without an image has a hash of its own."""
    mixed = mix((image + 1).astype(np.uint64))
    sums = np.zeros(H.m, dtype=np.uint64)
    np.add.at(sums, H.edge_indices, mixed[H.indices])
    sums = mix(sums + H.edge_sizes.astype(np.uint64))
    lost = np.unique(H.edge_indices[image[H.indices] < 0])
    sums[lost] = mix(np.uint64(1 << 63) + lost.astype(np.uint64))
    return sums


def aligned(train: Hypergraph, generated: Hypergraph, sweeps: int = _MOST_SWEEPS) -> IntArray:
    """Return for each generated node the training node that it is mapped to, −1 for none."""
    best, most = np.full(generated.n, -1, dtype=np.int64), -1.0
    if not min(train.num_incidences, generated.num_incidences):
        return best
    votes = _Votes(train, generated)
    for nodes, edges in _seeds(train, generated):
        reached = -1.0
        for _ in range(sweeps):
            nodes, edges = votes.nodes(edges, nodes), votes.edges(nodes, edges)
            share = matched(train, generated, nodes)
            if share > most:
                best, most = nodes, share
            if share <= reached:
                break
            reached = share
        if most > 0.5:
            break
    return best


def _seeds(train: Hypergraph, generated: Hypergraph) -> list[tuple[IntArray, IntArray]]:
    """Return maps of nodes and of hyperedges whose colours are unique, by the rounds of refinement."""
    first, second = (colours_after(_bipartite(H), max(_SEED_ROUNDS)) for H in (train, generated))
    nodes, edges = _paired_components((train, generated), (first[-1][1], second[-1][1]))
    return [
        (
            _unique_pairs(mix(first[k - 1][0] + nodes[0]), mix(second[k - 1][0] + nodes[1])),
            _unique_pairs(mix(first[k - 1][1] + edges[0]), mix(second[k - 1][1] + edges[1])),
        )
        for k in _SEED_ROUNDS
    ]


def _paired_components(
    graphs: tuple[Hypergraph, Hypergraph], colours: tuple[Colours, Colours]
) -> tuple[list[Colours], list[Colours]]:
    """Return the pair of components in which each node and each hyperedge is, for both sides; 0 for those in no pair."""
    labels = [DisjointUnion.of([H]).components for H in graphs]
    keys = [_component_keys(*labels[side], colours[side]) for side in (0, 1)]
    common = np.intersect1d(keys[0], keys[1])
    pairs = [np.where(np.isin(key, common), key, np.uint64(0)) for key in keys]
    return [pairs[side][labels[side][0]] for side in (0, 1)], [pairs[side][labels[side][1]] for side in (0, 1)]


def _component_keys(node_labels: IntArray, edge_labels: IntArray, colours: Colours) -> Colours:
    """Return a hash of each component: of its hyperedges' colours, and of how many earlier ones are alike."""
    count = int(max(node_labels.max(initial=-1), edge_labels.max(initial=-1))) + 1
    sums = np.zeros(count, dtype=np.uint64)
    np.add.at(sums, edge_labels, mix(colours))
    order = np.argsort(sums, kind="stable")
    first = np.append(True, sums[order][1:] != sums[order][:-1])
    place = np.arange(count) - np.maximum.accumulate(np.where(first, np.arange(count), 0))
    rank = np.empty(count, dtype=np.uint64)
    rank[order] = place
    return mix(sums + mix(rank))


def _unique_pairs(train: Colours, generated: Colours) -> IntArray:
    image = np.full(len(generated), -1, dtype=np.int64)
    (known, there), (new, here) = (_occurring_once(colours) for colours in (train, generated))
    _, of_known, of_new = np.intersect1d(known, new, assume_unique=True, return_indices=True)
    image[here[of_new]] = there[of_known]
    return image


def _occurring_once(colours: Colours) -> tuple[Colours, IntArray]:
    values, first, counts = np.unique(colours, return_index=True, return_counts=True)
    return values[counts == 1], first[counts == 1]


class _Votes:
    """The rounds of votes between a training and a generated hypergraph."""

    def __init__(self, train: Hypergraph, generated: Hypergraph) -> None:
        self._train, self._generated = (sp.csr_array(H.incidence.astype(np.int32)) for H in (train, generated))
        self._sizes = train.edge_sizes, generated.edge_sizes
        self._degrees = train.degrees, generated.degrees

    def edges(self, nodes: IntArray, before: IntArray) -> IntArray:
        """Map hyperedges to those that hold most images of their nodes."""
        return _elected(sp.csr_array(self._generated.T), sp.csr_array(self._train), nodes, *self._sizes, before)

    def nodes(self, edges: IntArray, before: IntArray) -> IntArray:
        """Map nodes to those that are in most images of their hyperedges."""
        return _elected(self._generated, sp.csr_array(self._train.T), edges, *self._degrees, before)


def _elected(
    votes_of: sp.csr_array,
    candidates: sp.csr_array,
    image: IntArray,
    there: IntArray,
    here: IntArray,
    before: IntArray,
) -> IntArray:
    """Map rows of ``votes_of`` to columns of ``candidates`` through the image of what they share, the surest first.

    A pair with ``c`` votes has the weight ``c / max(size, size')``; of equal ones, the pair of the last round comes first.
    """
    voters = np.flatnonzero(image >= 0)
    cost = np.bincount(votes_of.indices, minlength=len(image))[voters] * np.diff(candidates.indptr)[image[voters]]
    order = np.argsort(cost, kind="stable")
    voters = voters[order[np.cumsum(cost[order]) <= _MOST_VOTES]]
    table = sp.coo_array(votes_of[:, voters] @ candidates[image[voters]])
    rows, columns = table.row.astype(np.int64), table.col.astype(np.int64)
    weights = table.data / np.maximum(here[rows], there[columns])
    weights = weights + 1e-6 * (before[rows] == columns)
    order = np.lexsort((columns, rows, -weights))
    result = np.full(len(here), -1, dtype=np.int64)
    _assign(rows[order], columns[order], result, np.zeros(len(there), dtype=np.bool_))
    return result


@compiled
def _assign(rows: IntArray, columns: IntArray, image: IntArray, taken: BoolArray) -> None:
    """Map rows to columns one to one, the first pairs first."""
    for k in range(len(rows)):
        if image[rows[k]] < 0 and not taken[columns[k]]:
            image[rows[k]] = columns[k]
            taken[columns[k]] = True


# -- copies to read scores by ---------------------------------------------------------------------------


def rewired(H: Hypergraph, share: float, seed: Seed | None = None) -> Hypergraph:
    """Return a copy in which a share of the incidences was shuffled: their nodes changed places among their hyperedges.

    Degrees and sizes are kept, and no node is twice in a hyperedge. Some incidences find no other place, or come back to the same.

    Examples
    --------
    >>> H = Hypergraph([[i, (i + 1) % 50, (i + 3) % 50] for i in range(50)])
    >>> copy = rewired(H, 0.1, seed=0)
    >>> bool((copy.degrees == H.degrees).all()), bool((copy.edge_sizes == H.edge_sizes).all())
    (True, True)
    >>> int((copy.incidence != H.incidence).sum()) // 2       # incidences that moved, of 15
    14
    """
    rng = rng_of(seed)
    chosen = rng.permutation(H.num_incidences)[: round(share * H.num_incidences)]
    members, owners = np.array(H.indices, dtype=np.int64), np.array(H.edge_indices, dtype=np.int64)
    starts = np.array(H.indptr)
    work = np.full(4 * len(chosen), 1 + 2 * int(H.edge_sizes.max(initial=1)))
    partners = rng.integers(0, max(len(chosen), 1), size=len(work))
    for begin, end in portions(work):
        _exchange(begin, chosen, partners[begin:end], members, owners, starts)
    return Hypergraph.from_indices(members, owners, nodes=H.n, edges=H.m)


@compiled
def _exchange(
    begin: int, chosen: IntArray, partners: IntArray, members: IntArray, owners: IntArray, starts: IntArray
) -> None:
    """Exchange the nodes of pairs of incidences, unless a node would be twice in a hyperedge."""
    for k in range(len(partners)):
        p, q = chosen[(begin + k) % len(chosen)], chosen[partners[k]]
        u, v, e, f = members[p], members[q], owners[p], owners[q]
        if u == v or e == f:
            continue
        fits = True
        for w in members[starts[e] : starts[e + 1]]:
            fits &= w != v
        for w in members[starts[f] : starts[f + 1]]:
            fits &= w != u
        if fits:
            members[p], members[q] = v, u
