r"""Hypergraphs as tensors: relaxed incidence matrices, padded to one size, with masks.

Analytic code sees a batch :math:`X \in \mathbb R^{B \times N \times M}`; hypergraph ``b`` fills the first
``n[b]`` rows and ``m[b]`` columns, and everything beyond is zero and masked. :func:`encode` and :func:`decode`
are the only doors between the two worlds; labels stay behind.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from hyperhedge.errors import HypergraphError
from hyperhedge.hypergraph import Hypergraph

__all__ = ["IncidenceBatch", "Sizes", "decode", "encode"]


@dataclass(frozen=True)
class Sizes:
    r"""The numbers of nodes and of hyperedges of each member of a batch, and what they are padded to.

    Attributes
    ----------
    n, m
        Tensors of integers, of shape ``(B,)``.
    rows, columns
        The padded size :math:`N \times M`.
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
        """True for entries that are there, of shape ``(B, N, M)``."""
        return self.node_mask[:, :, None] & self.edge_mask[:, None, :]

    def __len__(self) -> int:
        return len(self.n)

    def __getitem__(self, index: Tensor) -> Sizes:
        """Choose members of the batch."""
        return Sizes(self.n[index], self.m[index], self.rows, self.columns)

    def to(self, device: torch.device | str) -> Sizes:
        """Move to a device."""
        return Sizes(self.n.to(device), self.m.to(device), self.rows, self.columns)

    @classmethod
    def of(cls, n: Sequence[int], m: Sequence[int], *, rows: int = 0, columns: int = 0) -> Sizes:
        """Collect sizes; the padding is the largest of them, or what is given."""
        rows = max(rows, *n) if len(n) else rows
        columns = max(columns, *m) if len(m) else columns
        return cls(torch.as_tensor(n, dtype=torch.long), torch.as_tensor(m, dtype=torch.long), rows, columns)

    @classmethod
    def all_equal(cls, count: int, rows: int, columns: int) -> Sizes:
        """Return the sizes of ``count`` hypergraphs without padding."""
        return cls.of([rows] * count, [columns] * count)


@dataclass(frozen=True)
class IncidenceBatch:
    """Incidence matrices of shape ``(B, N, M)`` with their sizes."""

    matrix: Tensor
    sizes: Sizes


def encode(
    hypergraphs: Iterable[Hypergraph],
    *,
    rows: int = 0,
    columns: int = 0,
    dtype: torch.dtype = torch.float64,
) -> IncidenceBatch:
    """Turn hypergraphs into a batch of incidence matrices, padded to the largest or to a given size.

    Examples
    --------
    >>> batch = encode([Hypergraph([[0, 1], [1]]), Hypergraph([[0]])])
    >>> batch.matrix[1].tolist(), batch.sizes.n.tolist(), batch.sizes.m.tolist()
    ([[1.0, 0.0], [0.0, 0.0]], [2, 1], [2, 1])
    """
    graphs = list(hypergraphs)
    sizes = Sizes.of([H.n for H in graphs], [H.m for H in graphs], rows=rows, columns=columns)
    matrix = torch.zeros((len(graphs), sizes.rows, sizes.columns), dtype=dtype)
    if graphs:
        member = np.repeat(np.arange(len(graphs)), [H.num_incidences for H in graphs])
        node_ids = np.concatenate([H.indices for H in graphs])
        edge_ids = np.concatenate([H.edge_indices for H in graphs])
        matrix[torch.from_numpy(member), torch.from_numpy(node_ids), torch.from_numpy(edge_ids)] = 1.0
    return IncidenceBatch(matrix, sizes)


def decode(matrix: Tensor, sizes: Sizes) -> list[Hypergraph]:
    """Turn a batch of matrices of zeros and ones into hypergraphs.

    Examples
    --------
    >>> batch = encode([Hypergraph([[0, 1], [1]]), Hypergraph([[0]])])
    >>> decode(batch.matrix, batch.sizes)[1].hyperedges
    ((0,),)
    """
    if matrix.shape != (len(sizes), sizes.rows, sizes.columns):
        raise HypergraphError(
            f"the matrices have the shape {tuple(matrix.shape)} and the sizes say "
            f"{(len(sizes), sizes.rows, sizes.columns)}"
        )
    arrays = matrix.detach().cpu().numpy()
    shapes = zip(sizes.n.tolist(), sizes.m.tolist(), strict=True)
    return [Hypergraph.from_incidence(array[:n, :m]) for array, (n, m) in zip(arrays, shapes, strict=True)]
