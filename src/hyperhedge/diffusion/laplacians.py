r"""Operators of a hypergraph: the node Laplacian, the overlap Laplacian, the two-sided heat operator.

With degrees :math:`D_V`, hyperedge sizes :math:`D_E` and the incidence matrix :math:`H` (equation numbers are the paper's),

.. math::

    L_V &= I - D_V^{-1/2} H D_E^{-1} H^\top D_V^{-1/2}                              & (2) \\
    A_E &= \operatorname{offdiag}\bigl(D_E^{-1/2} H^\top H D_E^{-1/2}\bigr)         & (3) \\
    L_E &= I - D_{ov}^{-1/2} A_E D_{ov}^{-1/2}, \quad D_{ov} = \operatorname{diag}(A_E \mathbf 1) & (4) \\
    \mathcal A_H(X) &= L_V X + X L_E                                                & (5)

where the inverse of a zero diagonal entry is zero: an isolated node contributes :math:`e_v e_v^\top` to
:math:`L_V`, and a hyperedge that overlaps no other one is an eigenvector of :math:`L_E` with :math:`\mu = 1`.
:math:`L_V` has its spectrum in [0, 1], since :math:`I - L_V = B B^\top` with
:math:`B = D_V^{-1/2} H D_E^{-1/2}`, and :math:`L_E`, a normalised graph Laplacian, in [0, 2].

With :math:`L_V = U \Lambda U^\top` and :math:`L_E = V M V^\top`, the heat operator is diagonal in the basis
:math:`\widetilde X = U^\top X V`, with the rates :math:`\lambda_i + \mu_j \in [0, 3]` (Proposition 3.1).
:class:`Spectrum` holds this. It is computed once per hypergraph and cached as long as the hypergraph lives.

Padding: rows and columns beyond a hypergraph's shape are zero in the operators, and their modes come last, with
rate zero.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.diffusion.batch import IncidenceBatch, Shapes
from hyperhedge.errors import HypergraphError
from hyperhedge.typing import FloatArray

__all__ = [
    "VARIANTS",
    "Spectrum",
    "Variant",
    "heat",
    "node_laplacian",
    "overlap_laplacian",
    "sparse_laplacians",
    "spectrum_of",
    "spectrum_of_batch",
]

#: The heat operator, or one side of it; ``"ou"`` has no heat.
Variant: TypeAlias = Literal["full", "ou", "node", "edge"]

#: Which sides of the heat operator a variant keeps: (node, hyperedge).
VARIANTS: dict[str, tuple[bool, bool]] = {
    "full": (True, True),
    "ou": (False, False),
    "node": (True, False),
    "edge": (False, True),
}


def _inverse(values: Tensor, power: float) -> Tensor:
    """Raise to a negative power, with 0 for 0."""
    return torch.where(values > 0, values.clamp_min(torch.finfo(values.dtype).tiny) ** power, 0.0)


def node_laplacian(H: Tensor, node_mask: Tensor | None = None) -> Tensor:
    """Return :math:`L_V` (eq. 2) of incidence matrices of shape ``(…, N, M)``, which may be relaxed.

    Examples
    --------
    >>> node_laplacian(torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 0.0]]))
    tensor([[ 0.5000, -0.5000,  0.0000],
            [-0.5000,  0.5000,  0.0000],
            [ 0.0000,  0.0000,  1.0000]])
    """
    B = _inverse(H.sum(-1), -0.5)[..., :, None] * H * _inverse(H.sum(-2), -0.5)[..., None, :]
    return _identity(H.shape[-2], node_mask, H) - B @ B.mT


def overlap_laplacian(H: Tensor, edge_mask: Tensor | None = None) -> Tensor:
    """Return :math:`L_E` (eqs. 3 and 4) of incidence matrices of shape ``(…, N, M)``.

    Examples
    --------
    >>> overlap_laplacian(torch.tensor([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]))
    tensor([[ 1., -1.,  0.],
            [-1.,  1.,  0.],
            [ 0.,  0.,  1.]])
    """
    C = H * _inverse(H.sum(-2), -0.5)[..., None, :]
    A = C.mT @ C
    A = A - torch.diag_embed(torch.diagonal(A, dim1=-2, dim2=-1))
    scale = _inverse(A.sum(-1), -0.5)
    return _identity(H.shape[-1], edge_mask, H) - scale[..., :, None] * A * scale[..., None, :]


def _identity(order: int, mask: Tensor | None, like: Tensor) -> Tensor:
    if mask is None:
        return torch.eye(order, dtype=like.dtype, device=like.device)
    return torch.diag_embed(mask.to(like.dtype))


def heat(L_V: Tensor, L_E: Tensor, X: Tensor) -> Tensor:
    r"""Apply the two-sided heat operator :math:`\mathcal A_H(X) = L_V X + X L_E` (eq. 5)."""
    return L_V @ X + X @ L_E


def sparse_laplacians(H: Hypergraph) -> tuple[sp.csr_array, sp.csr_array]:
    """Return :math:`L_V` and :math:`L_E` as sparse matrices, with entries for pairs of nodes, or of hyperedges, that meet."""
    incidence = H.incidence.astype(np.float64)
    by_size = _sparse_scaled(incidence, None, H.edge_sizes.astype(float))
    both = _sparse_scaled(by_size, H.degrees.astype(float), None)
    L_V = sp.eye_array(H.n, format="csr") - both @ both.T
    A = sp.csr_array(by_size.T @ by_size)
    A = A - sp.diags_array(A.diagonal(), format="csr")
    A.eliminate_zeros()
    overlap = np.asarray(A.sum(axis=1)).ravel()
    L_E = sp.eye_array(H.m, format="csr") - _sparse_scaled(A, overlap, overlap)
    return sp.csr_array(L_V), sp.csr_array(L_E)


def _sparse_scaled(matrix: sp.csr_array, left: FloatArray | None, right: FloatArray | None) -> sp.csr_array:
    """Divide rows and columns by the square roots of diagonals, with 0 for 0."""
    for scale, on_left in ((left, True), (right, False)):
        if scale is not None:
            inverse = np.divide(1.0, np.sqrt(scale), out=np.zeros_like(scale), where=scale > 0)
            diagonal = sp.diags_array(inverse, format="csr")
            matrix = sp.csr_array(diagonal @ matrix if on_left else matrix @ diagonal)
    return matrix


# -- spectra -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Spectrum:
    r"""Eigenvectors and eigenvalues of both Laplacians of a batch.

    Attributes
    ----------
    U, lam
        :math:`L_V = U \operatorname{diag}(\lambda) U^\top`: shapes ``(B, N, N)`` and ``(B, N)``.
    V, mu
        :math:`L_E = V \operatorname{diag}(\mu) V^\top`: shapes ``(B, M, M)`` and ``(B, M)``.
    shapes
        The shapes of the hypergraphs; their masks also tell modes from padding.
    """

    U: Tensor
    lam: Tensor
    V: Tensor
    mu: Tensor
    shapes: Shapes

    @property
    def rates(self) -> Tensor:
        r"""The rates :math:`\lambda_i + \mu_j` of the modes, of shape ``(B, N, M)``."""
        return self.lam[:, :, None] + self.mu[:, None, :]

    def forward(self, X: Tensor) -> Tensor:
        r"""Go to the modes: :math:`U^\top X V`."""
        return self.U.mT @ X @ self.V

    def backward(self, X: Tensor) -> Tensor:
        r"""Come back from the modes: :math:`U X V^\top`."""
        return self.U @ X @ self.V.mT

    def heat(self, X: Tensor) -> Tensor:
        r"""Apply :math:`\mathcal A_H`."""
        return self.backward(self.rates * self.forward(X))

    def variant(self, name: Variant) -> Spectrum:
        """Keep only some sides of the heat operator: the rates of the others become zero."""
        if name not in VARIANTS:
            raise HypergraphError(f"variant must be one of {', '.join(VARIANTS)}, not {name!r}")
        node, edge = VARIANTS[name]
        return replace(
            self,
            lam=self.lam if node else torch.zeros_like(self.lam),
            mu=self.mu if edge else torch.zeros_like(self.mu),
        )

    def __getitem__(self, index: Tensor) -> Spectrum:
        """Select members of the batch."""
        return Spectrum(self.U[index], self.lam[index], self.V[index], self.mu[index], self.shapes[index])

    def to(self, *, dtype: torch.dtype | None = None, device: torch.device | str | None = None) -> Spectrum:
        """Change the precision or the device."""
        U, lam, V, mu = (tensor.to(dtype=dtype, device=device) for tensor in (self.U, self.lam, self.V, self.mu))
        return Spectrum(U, lam, V, mu, self.shapes if device is None else self.shapes.to(device))


_CACHE: WeakKeyDictionary[Hypergraph, tuple[Tensor, Tensor, Tensor, Tensor]] = WeakKeyDictionary()


def spectrum_of(hypergraphs: Iterable[Hypergraph], *, rows: int = 0, columns: int = 0) -> Spectrum:
    """Decompose the Laplacians of hypergraphs, padded to one shape; each hypergraph only once while it lives."""
    graphs = list(hypergraphs)
    shapes = Shapes.of([H.n for H in graphs], [H.m for H in graphs], rows=rows, columns=columns)
    count = len(graphs)
    U, lam = _padding(count, shapes.rows)
    V, mu = _padding(count, shapes.columns)
    for b, H in enumerate(graphs):
        U[b, : H.n, : H.n], lam[b, : H.n], V[b, : H.m, : H.m], mu[b, : H.m] = _decomposed(H)
    return Spectrum(U, lam, V, mu, shapes)


def _padding(count: int, order: int) -> tuple[Tensor, Tensor]:
    """Return the eigenvectors and eigenvalues of padding alone."""
    identity = torch.eye(order, dtype=torch.float64).repeat(count, 1, 1)
    return identity, torch.zeros((count, order), dtype=torch.float64)


def _decomposed(H: Hypergraph) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    if H not in _CACHE:
        L_V, L_E = (torch.from_numpy(L.toarray()) for L in sparse_laplacians(H))
        lam, U = torch.linalg.eigh(L_V)
        mu, V = torch.linalg.eigh(L_E)
        _CACHE[H] = (U, lam.clamp(0.0, 1.0), V, mu.clamp(0.0, 2.0))
    return _CACHE[H]


def spectrum_of_batch(batch: IncidenceBatch) -> Spectrum:
    """Decompose the Laplacians of a batch of incidence matrices, which may be relaxed, all at once and without the cache.

    Padded rows get the eigenvalue 4, above those of both Laplacians, so no eigenvector mixes them with nodes or hyperedges;
    it is set to zero afterwards.
    """
    shapes, H = batch.shapes, batch.matrix
    node_pad = torch.diag_embed((~shapes.node_mask).to(H.dtype))
    edge_pad = torch.diag_embed((~shapes.edge_mask).to(H.dtype))
    lam, U = torch.linalg.eigh(node_laplacian(H, shapes.node_mask) + 4.0 * node_pad)
    mu, V = torch.linalg.eigh(overlap_laplacian(H, shapes.edge_mask) + 4.0 * edge_pad)
    lam = torch.where(shapes.node_mask, lam.clamp(0.0, 1.0), 0.0)
    mu = torch.where(shapes.edge_mask, mu.clamp(0.0, 2.0), 0.0)
    return Spectrum(U, lam, V, mu, shapes)
