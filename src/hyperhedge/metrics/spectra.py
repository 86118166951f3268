r"""Eigenvalues of the Laplacians and singular values of the incidence matrix, for batches and for large hypergraphs.

*Through the smaller side.* With :math:`B = D_V^{-1/2} H D_E^{-1/2}`, :math:`L_V = I - B B^\top`, and :math:`I - B^\top
B` is :math:`L_V` of the dual hypergraph. Both have the same eigenvalues up to :math:`|n - m|` ones. So :math:`L_V` is
decomposed on the smaller side: 25 × 25 instead of 64 × 64. The singular values of :math:`H` come from the smaller of
:math:`H H^\top` and :math:`H^\top H`, as squares.

*Batches.* Hypergraphs of one size are decomposed together.

*Large ones* are never dense. They are split into their connected components, whose spectra they join, and small
components are again decomposed in batches. In a large component, up to :data:`WHOLE` on the side that is decomposed,
the matrix is filled in by columns through the sparse incidence matrix (:mod:`hyperhedge.large`). Beyond, only the first
K eigenvalues can be had, by Lanczos steps. Multiple eigenvalues are where Lanczos steps fail; the split takes care of
those that components make, above all of zero. The eigenvector of zero in a component is known, :math:`\sqrt d`, and is
projected out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import scipy.sparse as sp
import torch
from scipy.sparse.linalg import LinearOperator, eigsh

from hyperhedge.hypergraph import Hypergraph
from hyperhedge.incidence import encode
from hyperhedge.large import Action, edge_action, node_action, overlap_degrees
from hyperhedge.metrics.sample import FloatArray
from hyperhedge.metrics.undefined import UndefinedError
from hyperhedge.metrics.union import Union
from hyperhedge.operators import node_laplacian, overlap_laplacian

__all__ = ["WHOLE", "edge_eigenvalues", "node_eigenvalues", "singular_squares"]

#: The largest matrix whose whole spectrum is computed.
WHOLE = 2048

#: The largest incidence matrix, in entries, that is decomposed as a dense one.
DENSE = 1 << 20

_BATCH_ENTRIES = 1 << 22
_COLUMNS = 64

Batched = Callable[[torch.Tensor], torch.Tensor]


def node_eigenvalues(hypergraphs: Sequence[Hypergraph], first: int | None) -> list[FloatArray]:
    """Return the ``first`` least eigenvalues of L_V (all if None) of each hypergraph, ascending.

    Examples
    --------
    >>> node_eigenvalues([Hypergraph([[0, 1], [1, 2]], nodes=4)], None)[0].round(6).tolist()
    [0.0, 0.5, 1.0, 1.0]
    """

    def batched(H: torch.Tensor) -> torch.Tensor:
        n, m = H.shape[-2:]
        values = torch.linalg.eigvalsh(node_laplacian(H if n <= m else H.mT))
        return torch.nn.functional.pad(values, (0, n - values.shape[-1]), value=1.0)

    def connected(H: Hypergraph) -> FloatArray:
        smaller = H if H.n <= H.m else H.dual()
        values = _least(node_action(smaller), smaller.n, first, zero=np.sqrt(smaller.degrees))
        return np.pad(values, (0, H.n - smaller.n), constant_values=1.0) if len(values) == smaller.n else values

    return [np.clip(values, 0.0, 1.0) for values in _spectra(hypergraphs, first, batched, connected)]


def edge_eigenvalues(hypergraphs: Sequence[Hypergraph], first: int | None) -> list[FloatArray]:
    """Return the ``first`` least eigenvalues of L_E (all if None) of each hypergraph, ascending.

    Examples
    --------
    >>> edge_eigenvalues([Hypergraph([[0, 1], [1, 2], [3]])], None)[0].round(6).tolist()
    [0.0, 1.0, 2.0]
    """

    def batched(H: torch.Tensor) -> torch.Tensor:
        values: torch.Tensor = torch.linalg.eigvalsh(overlap_laplacian(H))
        return values

    def connected(H: Hypergraph) -> FloatArray:
        return _least(edge_action(H), H.m, first, zero=np.sqrt(overlap_degrees(H)))

    return [np.clip(values, 0.0, 2.0) for values in _spectra(hypergraphs, first, batched, connected)]


def singular_squares(hypergraphs: Sequence[Hypergraph], first: int | None) -> list[FloatArray]:
    """Return the squares of the ``first`` largest singular values of H (all if None) of each hypergraph, descending.

    Examples
    --------
    >>> singular_squares([Hypergraph([[0, 1], [0, 1], [2]])], None)[0].round(6).tolist()
    [4.0, 1.0, 0.0]
    """

    def batched(H: torch.Tensor) -> torch.Tensor:
        smaller = H if H.shape[-2] <= H.shape[-1] else H.mT
        values: torch.Tensor = torch.linalg.eigvalsh(-(smaller @ smaller.mT))
        return values

    def connected(H: Hypergraph) -> FloatArray:
        rows = H.incidence.astype(np.float64)
        rows = rows if H.n <= H.m else sp.csr_array(rows.T)
        columns = sp.csr_array(rows.T)
        return _least(lambda X: -(rows @ (columns @ X)), rows.shape[0], first, zero=None)

    squares = [-values for values in _spectra(hypergraphs, first, batched, connected)]
    padded = [
        np.pad(part, (0, _rank_bound(H, first) - len(part))) for part, H in zip(squares, hypergraphs, strict=True)
    ]
    return [np.where(values > 1e-9, values, 0.0) for values in padded]


def _rank_bound(H: Hypergraph, first: int | None) -> int:
    """Return how many singular values are asked for: components have fewer than the whole, and the others are zero."""
    bound = min(H.n, H.m)
    return bound if first is None else min(bound, first)


# -- how ---------------------------------------------------------------------------------------------


def _spectra(
    hypergraphs: Sequence[Hypergraph],
    first: int | None,
    batched: Batched,
    connected: Callable[[Hypergraph], FloatArray],
) -> list[FloatArray]:
    """Decompose small hypergraphs in batches of one size, and each large one component by component; ascending."""
    found: list[FloatArray] = [np.zeros(0)] * len(hypergraphs)
    for places in _batches(hypergraphs):
        chosen = [hypergraphs[i] for i in places]
        if chosen[0].n * chosen[0].m > DENSE:
            rows = [_of_components(H, first, batched, connected) for H in chosen]
        else:
            rows = list(batched(encode(chosen).matrix).numpy())
        for i, row in zip(places, rows, strict=True):
            found[i] = row[:first]
    return found


def _of_components(
    H: Hypergraph, first: int | None, batched: Batched, connected: Callable[[Hypergraph], FloatArray]
) -> FloatArray:
    """Join the spectra of a large hypergraph's components."""
    components = Union.of([H]).split()
    if len(components) == 1:
        return connected(H)
    return np.sort(np.concatenate(_spectra(components, first, batched, connected)))


def _batches(hypergraphs: Sequence[Hypergraph]) -> Iterator[list[int]]:
    """Group the hypergraphs of one size, as many at a time as are decomposed together."""
    groups = defaultdict[tuple[int, int], list[int]](list)
    for i, H in enumerate(hypergraphs):
        groups[H.n, H.m].append(i)
    for (n, m), places in groups.items():
        together = max(1, _BATCH_ENTRIES // max(n * m, 1))
        yield from (places[start : start + together] for start in range(0, len(places), together))


def _least(action: Action, size: int, first: int | None, zero: FloatArray | None) -> FloatArray:
    """Return the least eigenvalues of a symmetric action; ``zero`` is proportional to its eigenvector of eigenvalue zero."""
    if size <= WHOLE:
        identity = np.eye(size)
        blocks = [action(identity[:, start : start + _COLUMNS]) for start in range(0, size, _COLUMNS)]
        values: FloatArray = torch.linalg.eigvalsh(torch.from_numpy(np.hstack(blocks))).numpy()
        return values
    if first is None:
        raise UndefinedError(
            f"it needs the whole spectrum, which is computed up to {WHOLE:,} nodes or hyperedges, not for {size:,}"
        )
    known = np.zeros((size, 0)) if zero is None else (zero / np.linalg.norm(zero))[:, None]
    if first <= known.shape[1]:
        return np.zeros(first)

    def mirrored(X: FloatArray) -> FloatArray:
        X = X.reshape(size, -1)
        return np.asarray(X - action(X) - 3.0 * known @ (known.T @ X))  # what is known comes last, at −2

    operator = LinearOperator((size, size), matvec=mirrored, matmat=mirrored, dtype=np.float64)
    start = np.random.default_rng(0).standard_normal(size)
    top = eigsh(operator, k=first - known.shape[1], which="LA", v0=start, return_eigenvectors=False, tol=1e-10)
    return np.concatenate((np.zeros(known.shape[1]), np.sort(1.0 - top)))
