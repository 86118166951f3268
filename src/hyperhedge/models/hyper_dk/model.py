r"""The hyper dK-series: random hypergraphs that keep more and more of how the nodes of a training hypergraph are connected.

Choose a training hypergraph uniformly. Of its nodes, a sample keeps, by :math:`d_v`,

* 0: the mean degree,
* 1: every degree,
* 2: every degree, and (nearly) the joint degrees: how often nodes of two degrees meet,
* 2.5: all this, and (nearly) how redundant the nodes of each degree are: how many pairs of their hyperedges share another node.

Of its hyperedges it keeps, by :math:`d_e`, 0: the mean size, or 1: every size. Degrees and sizes are those of a random start
(:mod:`hyperhedge.models.hyper_dk.starts`). Rewiring it (:mod:`hyperhedge.models.hyper_dk.rewiring`) brings the joint degrees near
those of the training hypergraph (:mod:`hyperhedge.models.hyper_dk.targets`), and after that the redundancy: for each,
``rewirings`` swaps are proposed per incidence.

The published programs differ in three ways. Their nodes may be in a hyperedge twice. They reject swaps that leave the distance as
it is. And where no two nodes have the same degree, the step to 2.5 never ends; here it does nothing.

(Nakajima, Shudo and Masuda, *Randomizing hypergraphs preserving degree correlation and local clustering*, IEEE Transactions on
Network Science and Engineering 9(3), 2022.)
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, TypeAlias

import msgspec
import numpy as np

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.errors import FormatError
from hyperhedge.models.base import Count, one_of, whole_number
from hyperhedge.models.chung_lu import ExpectedDegrees, Sequences
from hyperhedge.models.repeats import Repeats
from hyperhedge.typing import IntArray

if TYPE_CHECKING:
    from hyperhedge.models.hyper_dk.targets import Members

Node: TypeAlias = Literal["0", "1", "2", "2.5"]
Edge: TypeAlias = Literal["0", "1"]
Large: TypeAlias = Annotated[int, msgspec.Meta(ge=0, lt=2**62)]
JointDegrees: TypeAlias = list[tuple[Count, Count, Large]]

REWIRINGS = 500
"""Swaps proposed for each incidence, as published."""

_MOST_REWIRINGS = 1_000_000


class _Targets(Sequences, frozen=True, forbid_unknown_fields=True):
    """What HyperDK knows of each training hypergraph."""

    joint_degrees: list[JointDegrees]
    redundant_pairs: list[list[Large]]


class HyperDK(ExpectedDegrees):
    """Degrees, degree correlation, redundancy and edge sizes of a training hypergraph, chosen uniformly; all else is random.

    Keeps by default every degree and every edge size exactly, and joint degrees and redundancy as near as rewiring comes.

    Parameters
    ----------
    node
        What is kept of nodes: ``"0"`` the mean degree, ``"1"`` degrees, ``"2"`` joint degrees too, ``"2.5"`` redundancy too.
    edge
        What is kept of hyperedges: ``"0"`` the mean size, ``"1"`` sizes.
    rewirings
        How many swaps are proposed for each incidence, towards joint degrees and again towards redundancy.
    repeats
        Whether hyperedges may repeat: ``"allow"``; ``"forbid"``, the start is conditioned on none, and swaps that would make some
        are refused; ``"as-data"``, forbidden if no training hypergraph has repeats.

    Attributes
    ----------
    degrees_, hyperedge_sizes_ : list[list[int]]
        Degrees and sizes of each training hypergraph.
    joint_degrees_ : list[list[tuple[int, int, int]]]
        For each training hypergraph, pairs of degrees and how many pairs of nodes of these degrees meet in hyperedges, if not 0.
    redundant_pairs_ : list[list[int]]
        For each training hypergraph, the number of redundant pairs of hyperedges of the nodes of each degree that occurs, from the
        smallest on and without 0.

    Examples
    --------
    >>> H = Hypergraph([[0, 1, 2], [0, 1, 3], [2, 3], [4, 5], [4, 5, 6], [6, 0]])
    >>> model = HyperDK().fit([H])
    >>> model.joint_degrees_, model.redundant_pairs_
    ([[(2, 2, 7), (2, 3, 5)]], [[3, 1]])
    >>> S, = model.sample(seed=1)
    >>> S.degrees.tolist() == H.degrees.tolist(), S.edge_sizes.tolist() == H.edge_sizes.tolist()
    (True, True)
    """

    name = "hyper-dk"
    fitted_type: ClassVar[type[msgspec.Struct]] = _Targets

    joint_degrees_: list[JointDegrees]
    redundant_pairs_: list[list[int]]

    def __init__(
        self, *, node: Node = "2.5", edge: Edge = "1", rewirings: int = REWIRINGS, repeats: Repeats = "allow"
    ) -> None:
        self.node, self.edge, self.rewirings, self.repeats = node, edge, rewirings, repeats
        self._check()

    def _check(self) -> None:
        super()._check()
        one_of(self.node, ("0", "1", "2", "2.5"), "node")
        one_of(self.edge, ("0", "1"), "edge")
        whole_number(self.rewirings, "rewirings", least=0, most=_MOST_REWIRINGS)

    def _fit(self, training: list[Hypergraph]) -> None:
        super()._fit(training)
        lists = [_members_of(H) for H in training]
        self.joint_degrees_ = [_listed(members) for members in lists]
        self.redundant_pairs_ = [members.redundant_pairs().tolist() for members in lists]

    def _sample(self, count: int, rng: np.random.Generator) -> list[Hypergraph]:
        chosen = rng.integers(0, len(self.degrees_), size=count)
        return [self._sample_like(k, rng) for k in chosen.tolist()]

    def _incidences(
        self, k: int, degrees: IntArray, sizes: IntArray, rng: np.random.Generator
    ) -> tuple[IntArray, IntArray]:
        from hyperhedge.models.hyper_dk.starts import random_start  # compiles

        exact_degrees, exact_sizes, distinct = self.node != "0", self.edge == "1", self._forbids_repeats()
        start = random_start(
            degrees, sizes, rng, exact_degrees=exact_degrees, exact_sizes=exact_sizes, distinct=distinct
        )
        if self.node in ("0", "1"):
            return start.indices, start.edge_indices
        return self._rewired(k, start, rng), start.edge_indices

    def _rewired(self, k: int, start: Hypergraph, rng: np.random.Generator) -> IntArray:
        """Return the members of the hyperedges, one after another, after the rewiring of a start."""
        from hyperhedge.models.hyper_dk.rewiring import Keys, match_joint_degrees, match_redundancy
        from hyperhedge.models.xoshiro import state_from

        members = _members_of(start)
        proposals = self.rewirings * start.num_incidences
        keys = Keys.of(members, rng) if self._forbids_repeats() else Keys.none()
        random = state_from(rng)
        match_joint_degrees(members, _matrix(self.joint_degrees_[k], members.degrees), proposals, keys, random)
        if self.node == "2.5":
            match_redundancy(members, np.array(self.redundant_pairs_[k], dtype=np.int64), proposals, keys, random)
        return members.members

    def _read_arrays(self, folder: Path) -> None:
        super()._read_arrays(folder)
        if not len(self.degrees_) == len(self.joint_degrees_) == len(self.redundant_pairs_):
            raise FormatError("there are targets for more or fewer hypergraphs than there are degrees", where="fitted")
        for k, (joint, redundant) in enumerate(zip(self.joint_degrees_, self.redundant_pairs_, strict=True)):
            degrees, sizes = (np.array(s[k], dtype=np.int64) for s in (self.degrees_, self.hyperedge_sizes_))
            wrong = _mistake(degrees, sizes, joint, redundant)
            if wrong:
                raise FormatError(wrong, where="fitted")


def _members_of(H: Hypergraph) -> Members:
    from hyperhedge.models.hyper_dk.targets import Members  # compiles

    return Members.of(H.indices, H.edge_sizes, H.degrees)


def _listed(members: Members) -> JointDegrees:
    """List pairs of degrees that meet, the smaller one first, and how often they do."""
    counts = np.triu(members.joint_degrees())
    smaller, larger = np.nonzero(counts)
    columns = members.degrees[smaller], members.degrees[larger], counts[smaller, larger]
    return list(zip(*(column.tolist() for column in columns), strict=True))


def _matrix(joint: JointDegrees, degrees: IntArray) -> IntArray:
    """Return the symmetric matrix of what was listed, by classes."""
    counts = np.zeros((len(degrees), len(degrees)), dtype=np.int64)
    table = np.array(joint, dtype=np.int64).reshape(-1, 3)
    smaller, larger = np.searchsorted(degrees, table[:, :2]).T
    counts[smaller, larger] = counts[larger, smaller] = table[:, 2]
    return counts


def _mistake(degrees: IntArray, sizes: IntArray, joint: JointDegrees, redundant: list[int]) -> str | None:
    """Say what is wrong about degrees, sizes and targets that no hypergraph has, as far as that is easily told."""
    from hyperhedge.models.hyper_dk.starts import is_realisable

    if not is_realisable(degrees, sizes):
        return "no hypergraph has these degrees and sizes"
    classes, nodes = np.unique(degrees[degrees > 0], return_counts=True)
    smaller, larger, counts = np.array(joint, dtype=np.int64).reshape(-1, 3).T
    if not (np.isin(smaller, classes).all() and np.isin(larger, classes).all() and (smaller <= larger).all()):
        return "joint degrees are not of degrees that occur, the smaller one first"
    if len(set(zip(smaller.tolist(), larger.tolist(), strict=True))) < len(joint):
        return "joint degrees are listed twice"
    if counts.sum() != (sizes * (sizes - 1) // 2).sum():
        return "joint degrees do not add up to the pairs of nodes in hyperedges"
    most = (nodes * (classes * (classes - 1) // 2)).tolist()
    if len(redundant) != len(most) or any(pairs > bound for pairs, bound in zip(redundant, most, strict=True)):
        return "redundant pairs do not fit the degrees"
    return None
