r"""A batch: the steps from one scale to the next, of many hypergraphs, as one bipartite graph of disjoint components.

A step (:class:`Step`) has a coarser hypergraph, its children (which node or hyperedge each comes from), and the *candidates*:
incidences that the finer hypergraph may have. Candidates are those between children whose parents are at most
:math:`2\varrho - 1` apart in the bipartite graph of the coarser one,

.. math:: \bigl( (H H^\top)^{\varrho - 1} H \bigr)_{v e} > 0 ,

where :math:`\varrho` is the radius. With :math:`\varrho = 1` they are those of joined parents: with these alone the way back from
the coarsening is exact, and an incidence removed by mistake is lost. A larger radius perturbs the expansion: far candidates are
offered too, each left out with a probability (dropout), so the network learns to tell needed incidences from others.

*The embedding's input* (:func:`spectral_features`). The normalised Laplacian of the bipartite graph has blocks :math:`I` on its
diagonal and :math:`-N, -N^\top` beside it, with :math:`N = D_V^{-1/2} H D_E^{-1/2}`. A singular triple :math:`(u, \sigma, v)` of
:math:`N` gives the eigenvalue :math:`1 - \sigma` with the eigenvector :math:`(u, v)/\sqrt 2`. Those of the smallest eigenvalues
strictly between 0 and 1 are taken, and zeros where there are fewer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hyperhedge.models.hygene.coarsen import Scale
from hyperhedge.typing import BoolArray, FloatArray, IntArray

SmallArray = NDArray[np.float32]

_ONE = 1e-6


def spectral_features(H: BoolArray, count: int) -> tuple[SmallArray, SmallArray, SmallArray]:
    """Return eigenvectors at the nodes ``(n, count)`` and at the hyperedges ``(m, count)``, and eigenvalues ``(count,)``.

    Examples
    --------
    >>> nodes, edges, values = spectral_features(np.array([[True, False], [True, True], [False, True]]), 2)
    >>> [round(float(value), 3) for value in values]
    [0.293, 0.0]
    """
    n, m = H.shape
    if m > n:  # decompose the smaller of the two products
        edges, nodes, values = spectral_features(H.T, count)
        return nodes, edges, values
    node_root, edge_root = 1 / np.sqrt(np.maximum(H.sum(1), 1)), 1 / np.sqrt(np.maximum(H.sum(0), 1))
    N = node_root[:, None] * H * edge_root
    squares, vectors = np.linalg.eigh(N.T @ N)
    kept = np.flatnonzero((squares > _ONE) & (squares < 1 - _ONE))[::-1][:count]
    sigma, v = np.sqrt(squares[kept]), vectors[:, kept]
    u = N @ v / sigma
    return _padded(u / np.sqrt(2), count), _padded(v / np.sqrt(2), count), _padded((1 - sigma)[None], count)[0]


def _padded(columns: FloatArray, count: int) -> SmallArray:
    """Append columns of zeros."""
    padded = np.zeros((len(columns), count), dtype=np.float32)
    padded[:, : columns.shape[1]] = columns
    return padded


def candidates(H: BoolArray, radius: int) -> BoolArray:
    """Return which incidences may stand between children, by parents ``(n, m)``."""
    near = H
    step = (H.astype(np.float32) @ H.T.astype(np.float32)) > 0 if radius > 1 else H
    for _ in range(radius - 1):
        near = (step.astype(np.float32) @ near.astype(np.float32)) > 0
    return near | H


@dataclass(frozen=True)
class Step:
    """From a coarser hypergraph to a finer one.

    Attributes
    ----------
    coarse, shape
        The coarser one's incidences, ``(2, ·)``, and its shape (n, m).
    node_features, edge_features, values
        Its eigenvectors and eigenvalues.
    node_parents, edge_parents
        Of the finer one's nodes and hyperedges.
    near, needed
        The candidates ``(2, ·)``, and whether their parents are joined.
    target
        The shape (n, m) of the hypergraph to generate.
    """

    coarse: IntArray
    shape: tuple[int, int]
    node_features: SmallArray
    edge_features: SmallArray
    values: SmallArray
    node_parents: IntArray
    edge_parents: IntArray
    near: IntArray
    needed: BoolArray
    target: tuple[int, int]

    @classmethod
    def between(
        cls, H: BoolArray, nodes: IntArray, edges: IntArray, target: tuple[int, int], *, radius: int, count: int
    ) -> Step:
        """Prepare the step from a hypergraph to the children of its nodes and hyperedges."""
        near = np.stack(np.nonzero(candidates(H, radius)[np.ix_(nodes, edges)]))
        node_features, edge_features, values = spectral_features(H, count)
        return cls(
            coarse=np.stack(np.nonzero(H)),
            shape=(H.shape[0], H.shape[1]),
            node_features=node_features,
            edge_features=edge_features,
            values=values,
            node_parents=nodes,
            edge_parents=edges,
            near=near,
            needed=H[nodes[near[0]], edges[near[1]]],
            target=target,
        )


@dataclass(frozen=True)
class Labelled:
    """A step of a training sequence, with what there is to learn from it.

    Attributes
    ----------
    kept
        Which candidates are incidences.
    node_counts, edge_counts
        How many each node and hyperedge becomes in the next step.
    last
        Whether there is no next step; the counts are all 1 then, and nothing is learned from them.
    """

    step: Step
    kept: BoolArray
    node_counts: IntArray
    edge_counts: IntArray
    last: bool

    @property
    def shrinkage(self) -> float:
        """The share of the nodes that the coarsening of the next scale removed."""
        return 1 - len(self.node_counts) / int(self.node_counts.sum())


def steps_of(scales: Sequence[Scale], target: tuple[int, int], *, radius: int, count: int) -> list[Labelled]:
    """List the steps of a training sequence, one for each scale, from the finest on; the last scale comes from itself."""
    node_counts, edge_counts = np.ones(scales[0].n, dtype=np.int64), np.ones(scales[0].m, dtype=np.int64)
    steps = []
    for k, scale in enumerate(scales):
        coarser = scales[min(k + 1, len(scales) - 1)].H
        step = Step.between(coarser, scale.node_parents, scale.edge_parents, target, radius=radius, count=count)
        kept = scale.H[step.near[0], step.near[1]]
        steps.append(Labelled(step, kept, node_counts, edge_counts, last=not k))
        node_counts, edge_counts = np.bincount(scale.node_parents), np.bincount(scale.edge_parents)
    return steps


class Values(NamedTuple):
    """A number, or features, at each node, hyperedge and candidate of a batch."""

    nodes: Tensor
    edges: Tensor
    incidences: Tensor

    def map(self, function: Callable[..., Tensor], *others: Values) -> Values:
        """Apply a function to the three tensors one by one, with those of other values as further arguments.

        Examples
        --------
        >>> one = Values(*torch.ones(3, 1))
        >>> one.map(lambda x, y: x + y, one).edges
        tensor([2.])
        """
        return Values(*(function(*tensors) for tensors in zip(self, *others, strict=True)))


@dataclass(frozen=True)
class LiftBatch:
    """Steps of several hypergraphs in one: positions are offset, and everything knows its hypergraph.

    Attributes
    ----------
    count
        How many hypergraphs.
    coarse_v, coarse_e
        Incidences of the coarser ones.
    node_features, edge_features, node_values, edge_values
        Eigenvectors and, repeated at each node and hyperedge, eigenvalues of the coarser ones.
    node_parents, edge_parents, node_graph, edge_graph
        Of the finer ones' nodes and hyperedges: parents, and which hypergraph's they are.
    v, e, graph, joined
        The candidates, which hypergraph's they are, and whether their parents are joined (1 or 0).
    node_twins, edge_twins
        Groups of candidates that have the hyperedge and the node's parent in common, or the node and the hyperedge's parent.
    target
        The shapes of the hypergraphs to generate, ``(count, 2)``.
    shrinkage
        The share by which the next scale is to be larger, ``(count,)``.
    """

    count: int
    coarse_v: Tensor
    coarse_e: Tensor
    node_features: Tensor
    edge_features: Tensor
    node_values: Tensor
    edge_values: Tensor
    node_parents: Tensor
    edge_parents: Tensor
    node_graph: Tensor
    edge_graph: Tensor
    v: Tensor
    e: Tensor
    graph: Tensor
    joined: Tensor
    node_twins: Tensor
    edge_twins: Tensor
    target: Tensor
    shrinkage: Tensor

    @property
    def graphs(self) -> Values:
        """Which hypergraph each node, hyperedge and candidate belongs to."""
        return Values(self.node_graph, self.edge_graph, self.graph)

    def to(self, device: torch.device) -> LiftBatch:
        """Bring all tensors to a device."""
        if self.v.device == device:
            return self
        moved: dict[str, Any] = {
            name: value.to(device) for name, value in vars(self).items() if isinstance(value, Tensor)
        }
        return replace(self, **moved)


def lift_batch(steps: Sequence[Step], offered: Sequence[BoolArray], shrinkage: Sequence[float]) -> LiftBatch:
    """Join steps into one batch, with the offered ones of their candidates."""
    coarse_nodes, coarse_edges = _Ranges([step.shape[0] for step in steps]), _Ranges([step.shape[1] for step in steps])
    nodes, edges = (
        _Ranges([len(step.node_parents) for step in steps]),
        _Ranges([len(step.edge_parents) for step in steps]),
    )
    near = [step.near[:, which] for step, which in zip(steps, offered, strict=True)]
    needed = [step.needed[which] for step, which in zip(steps, offered, strict=True)]
    v, e = nodes.joined([pairs[0] for pairs in near]), edges.joined([pairs[1] for pairs in near])
    node_parents = coarse_nodes.joined([step.node_parents for step in steps])
    edge_parents = coarse_edges.joined([step.edge_parents for step in steps])
    values = np.array([step.values for step in steps])
    return LiftBatch(
        count=len(steps),
        coarse_v=coarse_nodes.joined([step.coarse[0] for step in steps]),
        coarse_e=coarse_edges.joined([step.coarse[1] for step in steps]),
        node_features=_joined([step.node_features for step in steps]),
        edge_features=_joined([step.edge_features for step in steps]),
        node_values=coarse_nodes.repeated(values),
        edge_values=coarse_edges.repeated(values),
        node_parents=node_parents,
        edge_parents=edge_parents,
        node_graph=nodes.repeated(np.arange(len(steps))),
        edge_graph=edges.repeated(np.arange(len(steps))),
        v=v,
        e=e,
        graph=_Ranges([len(candidate) for candidate in needed]).repeated(np.arange(len(steps))),
        joined=_joined(needed).float(),
        node_twins=_groups(node_parents[v], e),
        edge_twins=_groups(edge_parents[e], v),
        target=torch.tensor([step.target for step in steps], dtype=torch.float32).reshape(len(steps), 2),
        shrinkage=torch.tensor(list(shrinkage), dtype=torch.float32),
    )


class _Ranges:
    """Nodes, hyperedges or candidates of several hypergraphs, one hypergraph after the other: so many of each."""

    def __init__(self, counts: Sequence[int]) -> None:
        self.counts = np.array(counts, dtype=np.int64)
        self.starts = np.cumsum(self.counts) - self.counts

    def joined(self, positions: Sequence[IntArray]) -> Tensor:
        """Return positions in the batch for positions in each hypergraph."""
        return _joined([own + start for own, start in zip(positions, self.starts, strict=True)])

    def repeated(self, rows: NDArray[np.generic]) -> Tensor:
        """Return the row of its hypergraph for each."""
        return torch.from_numpy(np.repeat(rows, self.counts, axis=0))


def _joined(arrays: Sequence[NDArray[np.generic]]) -> Tensor:
    return torch.from_numpy(np.concatenate(arrays))


def _groups(first: Tensor, second: Tensor) -> Tensor:
    """Return a number for each pair of numbers, the same for equal pairs."""
    width = int(second.max()) + 1 if len(second) else 1
    numbers: Tensor = torch.unique(first * width + second, return_inverse=True)[1]
    return numbers
