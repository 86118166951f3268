r"""Hypergraphs as tensors: relaxed incidence matrices, padded to one shape, with masks.

The diffusion works on batches :math:`X \in \mathbb R^{B \times N \times M}`; hypergraph ``b`` fills the first ``n[b]`` rows and
``m[b]`` columns, and everything beyond is zero and masked. Only :func:`encode` and :func:`decode` convert between hypergraphs and
batches; labels are not kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from hyperhedge._system.memory import refuse_beyond
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.errors import HypergraphError

__all__ = ["IncidenceBatch", "Shapes", "decode", "encode"]


@dataclass(frozen=True)
class Shapes:
    r"""The shape :math:`(n, m)` of each member of a batch, and the shape they are padded to.

    Attributes
    ----------
    n, m
        Tensors of integers, of shape ``(B,)``.
    rows, columns
        The padded shape :math:`N \times M`.
    """

    n: Tensor
    m: Tensor
    rows: int
    columns: int

    @property
    def node_mask(self) -> Tensor:
        """True for rows that are nodes, of shape ``(B, N)``."""
        return torch.arange(self.rows, device=self.n.device) < self.n[:, None]

    @property
    def edge_mask(self) -> Tensor:
        """True for columns that are hyperedges, of shape ``(B, M)``."""
        return torch.arange(self.columns, device=self.m.device) < self.m[:, None]

    @property
    def mask(self) -> Tensor:
        """True for entries that are not padding, of shape ``(B, N, M)``."""
        return self.node_mask[:, :, None] & self.edge_mask[:, None, :]

    def __len__(self) -> int:
        return len(self.n)

    def __getitem__(self, index: Tensor) -> Shapes:
        """Select members of the batch."""
        return Shapes(self.n[index], self.m[index], self.rows, self.columns)

    def to(self, device: torch.device | str) -> Shapes:
        """Move to a device."""
        return Shapes(self.n.to(device), self.m.to(device), self.rows, self.columns)

    @classmethod
    def of(cls, n: Sequence[int], m: Sequence[int], *, rows: int = 0, columns: int = 0) -> Shapes:
        """Collect shapes; they are padded to the largest of them, and at least to ``rows`` × ``columns``."""
        rows = max(rows, *n) if len(n) else rows
        columns = max(columns, *m) if len(m) else columns
        return cls(torch.as_tensor(n, dtype=torch.long), torch.as_tensor(m, dtype=torch.long), rows, columns)

    @classmethod
    def all_equal(cls, count: int, rows: int, columns: int) -> Shapes:
        """Return the shapes of ``count`` hypergraphs without padding."""
        return cls.of([rows] * count, [columns] * count)

    def check(self, X: Tensor, name: str) -> None:
        """Refuse matrices of another shape."""
        expected = (len(self), self.rows, self.columns)
        if X.shape != expected:
            raise HypergraphError(f"{name} has the shape {tuple(X.shape)}, but shapes= is for {expected}")


@dataclass(frozen=True)
class IncidenceBatch:
    """Incidence matrices ``(B, N, M)`` with the shapes of the hypergraphs."""

    matrix: Tensor
    shapes: Shapes


def encode(
    hypergraphs: Iterable[Hypergraph],
    *,
    rows: int = 0,
    columns: int = 0,
    dtype: torch.dtype = torch.float64,
) -> IncidenceBatch:
    """Turn hypergraphs into a batch of incidence matrices, padded to the largest of them and at least to ``rows`` × ``columns``.

    Examples
    --------
    >>> batch = encode([Hypergraph([[0, 1], [1]]), Hypergraph([[0]])])
    >>> batch.matrix[1].tolist(), batch.shapes.n.tolist(), batch.shapes.m.tolist()
    ([[1.0, 0.0], [0.0, 0.0]], [2, 1], [2, 1])
    """
    graphs = list(hypergraphs)
    shapes = Shapes.of([H.n for H in graphs], [H.m for H in graphs], rows=rows, columns=columns)
    need = len(graphs) * shapes.rows * shapes.columns * dtype.itemsize
    refuse_beyond(need, "a batch of dense matrices", "encode fewer or smaller hypergraphs at a time")
    matrix = torch.zeros((len(graphs), shapes.rows, shapes.columns), dtype=dtype)
    if graphs:
        member = np.repeat(np.arange(len(graphs)), [H.num_incidences for H in graphs])
        node_ids = np.concatenate([H.indices for H in graphs])
        edge_ids = np.concatenate([H.edge_indices for H in graphs])
        matrix[torch.from_numpy(member), torch.from_numpy(node_ids), torch.from_numpy(edge_ids)] = 1.0
    return IncidenceBatch(matrix, shapes)


def decode(matrix: Tensor, shapes: Shapes) -> list[Hypergraph]:
    """Turn a batch of matrices of zeros and ones into hypergraphs.

    Examples
    --------
    >>> batch = encode([Hypergraph([[0, 1], [1]]), Hypergraph([[0]])])
    >>> decode(batch.matrix, batch.shapes)[1].hyperedges
    ((0,),)
    """
    shapes.check(matrix, "matrix")
    arrays = matrix.detach().cpu().numpy()
    pairs = zip(shapes.n.tolist(), shapes.m.tolist(), strict=True)
    return [Hypergraph.from_incidence(array[:n, :m]) for array, (n, m) in zip(arrays, pairs, strict=True)]
