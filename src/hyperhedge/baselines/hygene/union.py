r"""A batch: the steps from one scale to the next, of many hypergraphs, as one bipartite graph in disjoint parts.

A step (:class:`Step`) has a coarser hypergraph, its children (which node or hyperedge each comes from), and the *candidates*:
incidences that the finer hypergraph may have. Candidates are those between children whose parents are at most
:math:`2\varrho - 1` apart in the bipartite graph of the coarser one,

.. math:: \bigl( (H H^\top)^{\varrho - 1} H \bigr)_{v e} > 0 ,

where :math:`\varrho` is the radius. With :math:`\varrho = 1` they are those of joined parents: with these alone the way back from
the coarsening is exact, and a wrong incidence once removed is lost. A larger radius perturbs the expansion: far candidates are
offered too, each left out with a probability (dropout), so that the network learns to tell needed incidences from others.

*The embedding's input* (:func:`spectral_features`). The normalised Laplacian of the bipartite graph has blocks :math:`I` on its
diagonal and :math:`-N, -N^\top` beside it, with :math:`N = D_V^{-1/2} H D_E^{-1/2}`. A singular triple :math:`(u, \sigma, v)` of
:math:`N` gives the eigenvalue :math:`1 - \sigma` with the eigenvector :math:`(u, v)/\sqrt 2`. Those of the smallest eigenvalues
strictly between 0 and 1 are taken, and zeros where there are fewer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hyperhedge.baselines.hygene.coarsen import BoolArray, Scale
from hyperhedge.checks import IntArray

__all__ = ["Step", "Union", "candidates", "spectral_features", "steps_of", "union_of"]

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
    root_v, root_e = (1 / np.sqrt(np.maximum(H.sum(axis), 1)) for axis in (1, 0))
    N = root_v[:, None] * H * root_e
    squares, vectors = np.linalg.eigh(N.T @ N if m <= n else N @ N.T)
    chosen = np.flatnonzero((squares > _ONE) & (squares < 1 - _ONE))[::-1][:count]
    sigma, found = np.sqrt(squares[chosen]), vectors[:, chosen]
    other = (N @ found if m <= n else N.T @ found) / sigma
    parts = (other, found) if m <= n else (found, other)
    nodes, edges, values = (np.zeros((size, count), dtype=np.float32) for size in (n, m, 1))
    for out, part in zip((nodes, edges), parts, strict=True):
        out[:, : len(chosen)] = part / np.sqrt(2)
    values[0, : len(chosen)] = 1 - sigma
    return nodes, edges, values[0]


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
    coarse
        The coarser one's incidences, ``(2, ·)``, and ``sizes``, (n, m).
    node_features, edge_features, values
        Its eigenvectors and eigenvalues.
    node_parents, edge_parents
        Of the finer one's nodes and hyperedges.
    near
        The candidates ``(2, ·)``, and ``needed``, whether their parents are joined.
    target
        The size (n, m) of the hypergraph that is to come.
    """

    coarse: IntArray
    sizes: tuple[int, int]
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
        offered = candidates(H, radius)[np.ix_(nodes, edges)]
        near = np.stack(np.nonzero(offered))
        return cls(
            np.stack(np.nonzero(H)),
            (H.shape[0], H.shape[1]),
            *spectral_features(H, count),
            nodes,
            edges,
            near,
            H[nodes[near[0]], edges[near[1]]],
            target,
        )


@dataclass(frozen=True)
class Labelled:
    """A step of a training sequence: with what is to be learned of it.

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
    """List the steps of a training sequence, one for each scale; the last scale comes from itself."""
    found = []
    for k, scale in enumerate(scales):
        coarser = scales[min(k + 1, len(scales) - 1)].H
        step = Step.between(coarser, scale.node_parents, scale.edge_parents, target, radius=radius, count=count)
        counts = (
            (np.bincount(scales[k - 1].node_parents), np.bincount(scales[k - 1].edge_parents))
            if k
            else (np.ones(scale.n, dtype=np.int64), np.ones(scale.m, dtype=np.int64))
        )
        found.append(Labelled(step, scale.H[step.near[0], step.near[1]], *counts, last=not k))
    return found


@dataclass(frozen=True)
class Union:
    """Steps of several hypergraphs in one: positions are offset, and each part knows its hypergraph.

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
        The sizes that are to come, ``(count, 2)``.
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

    def to(self, device: torch.device) -> Union:
        """Bring all tensors to a device."""
        if self.v.device == device:
            return self
        moved: dict[str, Any] = {
            name: value.to(device) for name, value in vars(self).items() if isinstance(value, Tensor)
        }
        return replace(self, **moved)


def union_of(steps: Sequence[Step], chosen: Sequence[BoolArray], shrinkage: Sequence[float]) -> Union:
    """Join steps into one; of their candidates, the chosen ones."""
    coarse = np.array([step.sizes for step in steps], dtype=np.int64)
    finer = np.array([(len(step.node_parents), len(step.edge_parents)) for step in steps], dtype=np.int64)
    coarse_start, finer_start = (np.cumsum(sizes, axis=0) - sizes for sizes in (coarse, finer))
    near = [step.near[:, which] for step, which in zip(steps, chosen, strict=True)]
    graphs = np.arange(len(steps))

    def joined(parts: Sequence[NDArray[np.generic]]) -> Tensor:
        return torch.from_numpy(np.concatenate(parts))

    def moved(parts: Sequence[IntArray], starts: IntArray) -> Tensor:
        return joined([part + start for part, start in zip(parts, starts, strict=True)])

    v, e = (moved([part[k] for part in near], finer_start[:, k]) for k in range(2))
    node_parents = moved([step.node_parents for step in steps], coarse_start[:, 0])
    edge_parents = moved([step.edge_parents for step in steps], coarse_start[:, 1])
    return Union(
        count=len(steps),
        coarse_v=moved([step.coarse[0] for step in steps], coarse_start[:, 0]),
        coarse_e=moved([step.coarse[1] for step in steps], coarse_start[:, 1]),
        node_features=joined([step.node_features for step in steps]),
        edge_features=joined([step.edge_features for step in steps]),
        node_values=torch.from_numpy(np.repeat([step.values for step in steps], coarse[:, 0], axis=0)),
        edge_values=torch.from_numpy(np.repeat([step.values for step in steps], coarse[:, 1], axis=0)),
        node_parents=node_parents,
        edge_parents=edge_parents,
        node_graph=torch.from_numpy(np.repeat(graphs, finer[:, 0])),
        edge_graph=torch.from_numpy(np.repeat(graphs, finer[:, 1])),
        v=v,
        e=e,
        graph=torch.from_numpy(np.repeat(graphs, [part.shape[1] for part in near])),
        joined=joined([step.needed[which] for step, which in zip(steps, chosen, strict=True)]).float(),
        node_twins=_groups(node_parents[v], e),
        edge_twins=_groups(edge_parents[e], v),
        target=torch.tensor([step.target for step in steps], dtype=torch.float32).reshape(len(steps), 2),
        shrinkage=torch.tensor(list(shrinkage), dtype=torch.float32),
    )


def _groups(one: Tensor, two: Tensor) -> Tensor:
    """Return a number for each pair of numbers, the same for equal ones."""
    width = int(two.max()) + 1 if len(two) else 1
    found: Tensor = torch.unique(one * width + two, return_inverse=True)[1]
    return found
