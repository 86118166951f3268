r"""Independent incidences (ER-HG): the hypergraph without structure, the ceiling of every table.

Given a shape :math:`(n, m)`, every entry of the incidence matrix is 1 with the same probability,

.. math:: H_{ve} \sim \text{Bernoulli}(\rho) \text{ independently}, \qquad
          \rho = \frac{\sum_i \text{incidences of } H_i}{\sum_i n_i m_i} .

*Repair.* Sparse hypergraphs sampled this way have isolated nodes and empty hyperedges, which data seldom have. A repaired
one has none: each isolated node joins a hyperedge chosen uniformly, and then each hyperedge that is still empty gets a node
chosen uniformly.
This adds incidences. With :math:`q = 1 - \rho`, a node is isolated with probability :math:`q^m`. Nodes are independent and each
stays out of a hyperedge with probability :math:`q - q^m/m`, its repair included, so a hyperedge is still empty with probability
:math:`(q - q^m/m)^n`. The mean degree rises from :math:`k = m\rho` to

.. math:: k + (1 - k/m)^m + \tfrac mn \bigl(q - q^m/m\bigr)^n .

*Sampling.* Between two ones in the sequence of independent entries lies a geometric gap. So the ones of all hyperedges of all
hypergraphs of a sample are one cumulative sum of gaps, in time and memory of the incidences rather than of the entries.
"""

from __future__ import annotations

import math
from typing import Annotated, ClassVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.models.base import BaseGenerator, one_of
from hyperhedge.models.repeats import REPEATS, Repeats, resampled
from hyperhedge.typing import IntArray


class _Facts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    density: Annotated[float, msgspec.Meta(ge=0, le=1)]


class ErdosRenyi(BaseGenerator):
    r"""Independent incidences at the training set's density, with the shapes of the training set.

    Keeps the density in expectation (if not repaired) and the law of the shapes (n, m); everything else is random.

    Parameters
    ----------
    repair
        Give each isolated node one hyperedge and then each empty hyperedge one node, chosen uniformly. On by default, as in
        the paper's ER-HG. It raises the mean degree :math:`k` by :math:`(1 - k/m)^m` for the nodes, and by
        :math:`\frac mn (q - q^m/m)^n` with :math:`q = 1 - k/m` for the hyperedges: at 64 × 25, from 0.83 to 1.26 and 1.27.
    repeats
        Whether hyperedges may repeat: ``"allow"``; ``"forbid"``, the law conditioned on no repeats, given the shape; ``"as-data"``,
        forbidden if no training hypergraph has repeats. What is conditioned is the repaired hypergraph.

    Attributes
    ----------
    density_ : float
        The training set's incidences, divided by its entries.

    Examples
    --------
    >>> from hyperhedge import Hypergraph
    >>> model = ErdosRenyi().fit([Hypergraph([[0, 1], [1, 2, 3]]), Hypergraph([[0, 1, 2], [1, 3]])])
    >>> model.density_
    0.625
    >>> model.sample(2, seed=0)
    [<Hypergraph: 4 nodes, 2 hyperedges, ... incidences>, <Hypergraph: 4 nodes, 2 hyperedges, ... incidences>]
    """

    name = "erdos-renyi"
    fitted_type: ClassVar[type[msgspec.Struct]] = _Facts

    density_: float

    def __init__(self, *, repair: bool = True, repeats: Repeats = "allow") -> None:
        self.repair, self.repeats = repair, repeats
        self._check()

    def _check(self) -> None:
        one_of(self.repair, (True, False), "repair")
        one_of(self.repeats, REPEATS, "repeats")

    def _fit(self, training: list[Hypergraph]) -> None:
        entries = sum(H.n * H.m for H in training)
        self.density_ = sum(H.num_incidences for H in training) / entries if entries else 0.0

    def _sample(self, count: int, rng: np.random.Generator) -> list[Hypergraph]:
        shapes = self._sample_shapes(count, rng)
        if self._forbids_repeats():
            return resampled(lambda numbers: self._of_shapes(shapes[numbers], rng), count, "ErdosRenyi")
        return self._of_shapes(shapes, rng)

    def _of_shapes(self, shapes: IntArray, rng: np.random.Generator) -> list[Hypergraph]:
        """Sample a hypergraph of each of the shapes ``(count, 2)``."""
        batch = _Batch(*shapes.T)
        ones = successes(batch.entries, self.density_, rng)
        return batch.hypergraphs(batch.repaired(ones, rng) if self.repair else ones)


def successes(trials: int, probability: float, rng: np.random.Generator) -> IntArray:
    """Return which of independent trials succeed, ascending: a cumulative sum of geometric gaps.

    Examples
    --------
    >>> successes(5, 1.0, np.random.default_rng(0))
    array([0, 1, 2, 3, 4])
    """
    positions, last = [np.zeros(0, dtype=np.int64)], -1
    while probability > 0 and last < trials - 1:
        mean = (trials - 1 - last) * probability
        gaps = rng.geometric(probability, size=math.ceil(mean + 4 * math.sqrt(mean)) + 1)
        gaps = np.minimum(gaps, trials + 1)  # a longer one is the end as well, and might overflow
        positions.append(last + np.cumsum(gaps))
        last = int(positions[-1][-1])
    succeeded: IntArray = np.concatenate(positions)
    return succeeded[succeeded < trials]


class _Batch:
    """The entries of several incidence matrices as one sequence: hypergraph by hypergraph, column by column."""

    def __init__(self, n: IntArray, m: IntArray) -> None:
        self.n, self.m = n, m
        self.bounds = np.concatenate(([0], np.cumsum(n * m)))
        self.entries = int(self.bounds[-1])

    def split(self, positions: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """Turn positions in the sequence into hypergraphs, hyperedges and nodes."""
        graph = np.searchsorted(self.bounds, positions, side="right") - 1
        edge, node = np.divmod(positions - self.bounds[graph], self.n[graph])
        return graph, edge, node

    def repaired(self, ones: IntArray, rng: np.random.Generator) -> IntArray:
        """Give isolated nodes a hyperedge, then empty hyperedges a node; where there is one to give."""
        graph, _, node = self.split(ones)
        graphs, isolated = _untouched(graph, node, self.n, where=self.m > 0)
        chosen = rng.integers(0, self.m[graphs])
        ones = np.concatenate((ones, self.bounds[graphs] + chosen * self.n[graphs] + isolated))
        graph, edge, _ = self.split(ones)
        graphs, empty = _untouched(graph, edge, self.m, where=self.n > 0)
        chosen = rng.integers(0, self.n[graphs])
        return np.sort(np.concatenate((ones, self.bounds[graphs] + empty * self.n[graphs] + chosen)))

    def hypergraphs(self, ones: IntArray) -> list[Hypergraph]:
        """Cut the sequence into hypergraphs."""
        _, edge, node = self.split(ones)
        cuts = np.searchsorted(ones, self.bounds)
        return [
            Hypergraph.from_indices(node[a:b], edge[a:b], nodes=n, edges=m)
            for a, b, n, m in zip(cuts[:-1], cuts[1:], self.n.tolist(), self.m.tolist(), strict=True)
        ]


def _untouched(
    graph: IntArray, item: IntArray, counts: IntArray, *, where: NDArray[np.bool_]
) -> tuple[IntArray, IntArray]:
    """List the (hypergraph, item) pairs that no incidence touches; hypergraph ``k`` has ``counts[k]`` items."""
    starts = np.concatenate(([0], np.cumsum(counts)))
    owner = np.repeat(np.arange(len(counts)), counts)
    untouched = where[owner]
    untouched[starts[graph] + item] = False
    bare = np.flatnonzero(untouched)
    return owner[bare], bare - starts[owner[bare]]
