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
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp
import torch
from scipy.sparse.linalg import LinearOperator, eigsh
from torch import Tensor

from hyperhedge.hypergraph import Hypergraph
from hyperhedge.large import Action, edge_action, node_action, overlap_degrees
from hyperhedge.metrics.sample import FloatArray
from hyperhedge.metrics.undefined import UndefinedError
from hyperhedge.metrics.union import Union
from hyperhedge.operators import node_laplacian, overlap_laplacian

__all__ = ["WHOLE", "Spectra"]

#: The largest matrix whose whole spectrum is computed.
WHOLE = 2048

#: The largest incidence matrix, in entries, that is decomposed as a dense one.
DENSE = 1 << 20

_BATCH_ENTRIES = 1 << 22
_COLUMNS = 64


class Spectra:
    """The spectra of a batch of hypergraphs, computed when asked for and then kept.

    Examples
    --------
    >>> spectra = Spectra([Hypergraph([[0, 1], [1, 2]], nodes=4)])
    >>> spectra.node_eigenvalues(None)[0].round(6).tolist()
    [0.0, 0.5, 1.0, 1.0]
    >>> spectra.edge_eigenvalues(1)[0].round(6).tolist()
    [0.0]
    >>> spectra.singular_squares(None)[0].round(6).tolist()
    [3.0, 1.0]
    """

    def __init__(self, hypergraphs: Sequence[Hypergraph], union: Union | None = None) -> None:
        self.hypergraphs = hypergraphs
        self.union = union or Union.of(hypergraphs)
        self._found: dict[tuple[_Operator, int | None], list[FloatArray]] = {}

    def node_eigenvalues(self, first: int | None) -> list[FloatArray]:
        """Return the ``first`` least eigenvalues of L_V (all if None) of each hypergraph, ascending."""
        return self._spectrum(_NODE, first)

    def edge_eigenvalues(self, first: int | None) -> list[FloatArray]:
        """Return the ``first`` least eigenvalues of L_E (all if None) of each hypergraph, ascending."""
        return self._spectrum(_EDGE, first)

    def singular_squares(self, first: int | None) -> list[FloatArray]:
        """Return the squares of the ``first`` largest singular values of H (all if None) of each hypergraph, descending."""
        return self._spectrum(_SINGULAR, first)

    def _spectrum(self, operator: _Operator, first: int | None) -> list[FloatArray]:
        if first is not None and not self._large:
            return [values[:first] for values in self._spectrum(operator, None)]
        if (operator, first) not in self._found:
            self._found[operator, first] = self._computed(operator, first)
        return self._found[operator, first]

    def _computed(self, operator: _Operator, first: int | None) -> list[FloatArray]:
        """Decompose small hypergraphs in batches of one size, and each large one component by component."""
        found: list[FloatArray] = [np.zeros(0)] * len(self.hypergraphs)
        with _one_thread():
            for places, matrices in self._batches:
                for i, values in zip(places, operator.batched(matrices.double()).numpy()[:, :first], strict=True):
                    found[i] = values
        for i in self._large:
            found[i] = _joined(self.hypergraphs[i], operator, first)
        return found

    @cached_property
    def _large(self) -> list[int]:
        return [i for i, H in enumerate(self.hypergraphs) if H.n * H.m > DENSE]

    @cached_property
    def _batches(self) -> list[tuple[list[int], Tensor]]:
        """The small hypergraphs of one size, as many as are decomposed together, and their matrices in bytes."""
        return [
            (places, torch.from_numpy(self.union.dense(np.array(places)))) for places in _of_one_size(self.hypergraphs)
        ]


@contextmanager
def _one_thread() -> Iterator[None]:
    """Keep torch to one thread: on matrices this small, waking others costs more than they help."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def _of_one_size(hypergraphs: Sequence[Hypergraph]) -> Iterator[list[int]]:
    groups = defaultdict[tuple[int, int], list[int]](list)
    for i, H in enumerate(hypergraphs):
        groups[H.n, H.m].append(i)
    for (n, m), places in groups.items():
        if n * m <= DENSE:
            together = max(1, _BATCH_ENTRIES // max(n * m, 1))
            yield from (places[start : start + together] for start in range(0, len(places), together))


# -- operators ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Operator:
    """How a spectrum is computed: of a batch of dense matrices, and of one connected hypergraph; and in which order."""

    batched: Callable[[Tensor], Tensor]
    connected: Callable[[Hypergraph, int | None], FloatArray]
    descending: bool = False


def _node_batch(H: Tensor) -> Tensor:
    n, m = H.shape[-2:]
    values = torch.linalg.eigvalsh(node_laplacian(H if n <= m else H.mT)).clamp(0.0, 1.0)
    return torch.nn.functional.pad(values, (0, n - values.shape[-1]), value=1.0)


def _node_connected(H: Hypergraph, first: int | None) -> FloatArray:
    smaller = H if H.n <= H.m else H.dual()
    values = _least(node_action(smaller), smaller.n, first, zero=np.sqrt(smaller.degrees)).clip(0.0, 1.0)
    return np.pad(values, (0, H.n - smaller.n), constant_values=1.0) if len(values) == smaller.n else values


def _edge_batch(H: Tensor) -> Tensor:
    values: Tensor = torch.linalg.eigvalsh(overlap_laplacian(H)).clamp(0.0, 2.0)
    return values


def _edge_connected(H: Hypergraph, first: int | None) -> FloatArray:
    return _least(edge_action(H), H.m, first, zero=np.sqrt(overlap_degrees(H))).clip(0.0, 2.0)


def _singular_batch(H: Tensor) -> Tensor:
    smaller = H if H.shape[-2] <= H.shape[-1] else H.mT
    squares: Tensor = torch.linalg.eigvalsh(smaller @ smaller.mT).flip(-1)
    return torch.where(squares > _ROUNDING, squares, 0.0)


def _singular_connected(H: Hypergraph, first: int | None) -> FloatArray:
    rows = H.incidence.astype(np.float64)
    rows = rows if H.n <= H.m else sp.csr_array(rows.T)
    columns = sp.csr_array(rows.T)
    squares = -_least(lambda X: -(rows @ (columns @ X)), rows.shape[0], first, zero=None)
    return np.where(squares > _ROUNDING, squares, 0.0)


_ROUNDING = 1e-9  # what rounding leaves of a singular value that is zero, squared

_NODE = _Operator(_node_batch, _node_connected)
_EDGE = _Operator(_edge_batch, _edge_connected)
_SINGULAR = _Operator(_singular_batch, _singular_connected, descending=True)


# -- large hypergraphs -------------------------------------------------------------------------------


def _joined(H: Hypergraph, operator: _Operator, first: int | None) -> FloatArray:
    """Join the spectra of a large hypergraph's components."""
    components = Union.of([H]).split()
    if len(components) == 1:
        return operator.connected(H, first)
    values = np.sort(np.concatenate(Spectra(components)._spectrum(operator, first)))
    if not operator.descending:
        return values[:first]
    padded = np.zeros(min(H.n, H.m))  # components have fewer singular values than the whole; the others are zero
    padded[: len(values)] = values[::-1]
    return padded[:first]


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
