r"""Eigenvalues of the Laplacians and singular values of the incidence matrix, for collections and for large hypergraphs.

*Through the smaller side.* With :math:`B = D_V^{-1/2} H D_E^{-1/2}`, :math:`L_V = I - B B^\top`, and :math:`I - B^\top
B` is :math:`L_V` of the dual hypergraph. Both have the same eigenvalues up to :math:`|n - m|` ones, so :math:`L_V` is
decomposed on the smaller side: 25 × 25 instead of 64 × 64. The singular values of :math:`H` come from the smaller of
:math:`H H^\top` and :math:`H^\top H`, as squares.

*Batches.* Small hypergraphs of one shape are decomposed together.

*Large hypergraphs* are never dense. They are split into their connected components, whose spectra are joined, and small components
are again decomposed in batches. The matrix of a larger component, up to :data:`WHOLE` on the side that is decomposed, is filled in
column by column through the sparse incidence matrix (:mod:`hyperhedge.diffusion.matrix_free`). Beyond that, only the first K
eigenvalues can be computed, by Lanczos steps. These fail at multiple eigenvalues; splitting takes care of the multiplicities that
components cause, above all of zero. The eigenvector of zero in a component is known, :math:`\sqrt d`, and is projected out.
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

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.diffusion.laplacians import node_laplacian, overlap_laplacian
from hyperhedge.diffusion.matrix_free import Action, edge_action, node_action, overlap_degrees
from hyperhedge.errors import UndefinedError
from hyperhedge.metrics.disjoint_union import DisjointUnion
from hyperhedge.typing import FloatArray

#: The largest matrix whose whole spectrum is computed: 32 MiB, a few seconds.
WHOLE = 2048

#: The most entries of an incidence matrix that is decomposed as a dense one: 1,024 × 1,024.
DENSE = 1 << 20

_BATCH_ENTRIES = 1 << 22  # of the matrices that are decomposed together: 32 MiB
_COLUMNS = 64  # that are filled in at once: wide enough for the sparse product, narrow beside the matrix itself


class Spectra:
    """The spectra of a collection of hypergraphs, computed on first use and then kept.

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

    def __init__(self, hypergraphs: Sequence[Hypergraph], union: DisjointUnion | None = None) -> None:
        self.hypergraphs = hypergraphs
        self.union = union or DisjointUnion.of(hypergraphs)
        self._kept: dict[tuple[_Operator, int | None], list[FloatArray]] = {}

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
        if (operator, first) not in self._kept:
            self._kept[operator, first] = self._computed(operator, first)
        return self._kept[operator, first]

    def _computed(self, operator: _Operator, first: int | None) -> list[FloatArray]:
        """Decompose small hypergraphs in batches of one shape, and each large one component by component."""
        spectra: list[FloatArray] = [np.zeros(0)] * len(self.hypergraphs)
        with _one_thread():
            for members, matrices in self._batches:
                for i, values in zip(members, operator.batched(matrices.double()).numpy()[:, :first], strict=True):
                    spectra[i] = values
        for i in self._large:
            spectra[i] = _by_components(self.hypergraphs[i], operator, first)
        return spectra

    @cached_property
    def _large(self) -> list[int]:
        return [i for i, H in enumerate(self.hypergraphs) if H.n * H.m > DENSE]

    @cached_property
    def _batches(self) -> list[tuple[list[int], Tensor]]:
        """The small hypergraphs that are decomposed together, all of one shape, and their matrices in bytes."""
        return [
            (members, torch.from_numpy(self.union.dense(np.array(members))))
            for members in _batches_of_one_shape(self.hypergraphs)
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


def _batches_of_one_shape(hypergraphs: Sequence[Hypergraph]) -> Iterator[list[int]]:
    by_shape = defaultdict[tuple[int, int], list[int]](list)
    for i, H in enumerate(hypergraphs):
        by_shape[H.n, H.m].append(i)
    for (n, m), members in by_shape.items():
        if n * m <= DENSE:
            together = max(1, _BATCH_ENTRIES // max(n * m, 1))
            yield from (members[start : start + together] for start in range(0, len(members), together))


# -- operators ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Operator:
    """How a spectrum is computed for a batch of dense matrices and for one connected hypergraph, and in which order."""

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


def _by_components(H: Hypergraph, operator: _Operator, first: int | None) -> FloatArray:
    """Return the spectrum of a large hypergraph, joined from those of its components."""
    components = DisjointUnion.of([H]).split()
    if len(components) == 1:
        return operator.connected(H, first)
    values = np.sort(np.concatenate(Spectra(components)._spectrum(operator, first)))
    if not operator.descending:
        return values[:first]
    padded = np.zeros(min(H.n, H.m))  # the components have fewer singular values than the whole; the others are zero
    padded[: len(values)] = values[::-1]
    return padded[:first]


def _least(action: Action, dimension: int, first: int | None, zero: FloatArray | None) -> FloatArray:
    """Return the least eigenvalues of a symmetric action; ``zero`` is an eigenvector of the eigenvalue zero, if known."""
    if dimension <= WHOLE:
        identity = np.eye(dimension)
        blocks = [action(identity[:, start : start + _COLUMNS]) for start in range(0, dimension, _COLUMNS)]
        values: FloatArray = torch.linalg.eigvalsh(torch.from_numpy(np.hstack(blocks))).numpy()
        return values
    if first is None:
        raise UndefinedError(
            f"it needs the whole spectrum, which is computed up to {WHOLE:,} nodes or hyperedges, not for {dimension:,}"
        )
    known = np.zeros((dimension, 0)) if zero is None else (zero / np.linalg.norm(zero))[:, None]
    if first <= known.shape[1]:
        return np.zeros(first)

    def mirrored(X: FloatArray) -> FloatArray:
        X = X.reshape(dimension, -1)
        # The known eigenvector moves from 1 to −2, below all others.
        return np.asarray(X - action(X) - 3.0 * known @ (known.T @ X))

    operator = LinearOperator((dimension, dimension), matvec=mirrored, matmat=mirrored, dtype=np.float64)
    start = np.random.default_rng(0).standard_normal(dimension)
    top = eigsh(operator, k=first - known.shape[1], which="LA", v0=start, return_eigenvectors=False, tol=1e-10)
    return np.concatenate((np.zeros(known.shape[1]), np.sort(1.0 - top)))
