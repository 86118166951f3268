r"""An order of a large incidence matrix, by recursive bisection.

The second singular vectors of a large matrix are often those of one loosely tied group, and order nothing else. So the
matrix is *bisected*: a block is ordered by them, cut in two where the cut is best, and each half is ordered again by
itself, until a block is about as small as a pixel. Groups become blocks along the diagonal, and groups within groups
blocks within blocks.

*Vectors.* To every entry of a block :math:`B` with :math:`k` incidences, :math:`n` nodes and :math:`m` hyperedges the
constant :math:`\tau = k / nm` is added, which doubles every mean row and column sum and so keeps a cut from splitting
off a few loose vertices (Zhang and Rohe, 2018). Of

.. math:: D_V^{-1/2} (B + \tau\, 1 1^\top) D_E^{-1/2}

the leading singular vectors are known, the square roots of the sums :math:`D_V` and :math:`D_E`; the second ones come
from Lanczos's method, in a number of steps that does not depend on the matrix. So the cost follows the incidences.

*Cut.* Of all cuts with 15% to 85% of the incidences on one side, the one with the least conductance: the incidences that
it cuts over those of the smaller side. Each half keeps the direction of the whole, so halves that belong together meet.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
import scipy.sparse as sp

from hyperhedge.typing import FloatArray, IntArray

Block: TypeAlias = tuple[IntArray, IntArray]  #: the rows and the columns of a block

_STEPS = 30  # of Lanczos's method: more change the pictures of the datasets no further
_LEAST_SHARE = 0.15  # of the incidences, on either side of a cut


def bisected(matrix: sp.csr_array, block: Block, leaf: int) -> Block:
    """Order the rows and columns of a block by recursive bisection, down to blocks of ``leaf`` rows and columns.

    Examples
    --------
    >>> rows, columns = np.array([0, 2, 1, 3]), np.array([0, 1])
    >>> matrix = sp.csr_array(np.array([[1, 0], [0, 1], [1, 0], [0, 1]]))
    >>> nodes, edges = bisected(matrix, (rows, columns), leaf=1)
    >>> matrix.toarray()[nodes][:, edges].tolist() in ([[1, 0], [1, 0], [0, 1], [0, 1]], [[0, 1], [0, 1], [1, 0], [1, 0]])
    True
    """
    positions = np.zeros(matrix.shape[0]), np.zeros(matrix.shape[1])
    leaves = list(_leaves(matrix, block, leaf, positions))
    return np.concatenate([rows for rows, _ in leaves]), np.concatenate([columns for _, columns in leaves])


def _leaves(matrix: sp.csr_array, block: Block, leaf: int, positions: tuple[FloatArray, FloatArray]) -> Iterator[Block]:
    """Yield the smallest blocks, in order; ``positions`` has where each vertex was along the last cut of it."""
    stack = [block]
    while stack:
        rows, columns = stack.pop()
        inner = matrix[rows][:, columns]
        if min(inner.shape) < 2 or sum(inner.shape) <= leaf or not inner.nnz:
            yield rows[_stable(positions[0][rows])], columns[_stable(positions[1][columns])]
            continue
        along_rows, along_columns = _oriented(inner, *second_vectors(inner), positions[0][rows], positions[1][columns])
        positions[0][rows], positions[1][columns] = along_rows, along_columns
        cut = best_cut(inner, along_rows, along_columns)
        below_rows, below_columns = along_rows < cut, along_columns < cut
        if not (below_rows.any() or below_columns.any()):  # all at one point
            yield rows, columns
            continue
        # The first half is on top of the stack.
        stack.append((rows[~below_rows], columns[~below_columns]))
        stack.append((rows[below_rows], columns[below_columns]))


def second_vectors(block: sp.csr_array) -> tuple[FloatArray, FloatArray]:
    """Return where nodes and hyperedges are along the second singular vectors of a block."""
    tall = block.shape[0] >= block.shape[1]
    matrix = block.astype(np.float64) if tall else block.T.tocsr().astype(np.float64)
    tau = matrix.nnz / (matrix.shape[0] * matrix.shape[1])
    long_root = np.sqrt(np.asarray(matrix.sum(1)).ravel() + tau * matrix.shape[1])
    short_root = np.sqrt(np.asarray(matrix.sum(0)).ravel() + tau * matrix.shape[0])
    transposed = matrix.T.tocsr()
    leading = short_root / np.linalg.norm(short_root)

    def to_long(x: FloatArray) -> FloatArray:
        scaled = x / short_root
        image: FloatArray = (matrix @ scaled + tau * scaled.sum()) / long_root
        return image

    def gram(x: FloatArray) -> FloatArray:
        scaled = to_long(x) / long_root
        image = (transposed @ scaled + tau * scaled.sum()) / short_root
        deflated: FloatArray = image - leading * (leading @ x)
        return deflated

    short_side = _leading_eigenvector(gram, leading) / short_root
    long_side = _means(matrix, short_side)
    short_side = _means(transposed, long_side)
    return (long_side, short_side) if tall else (short_side, long_side)


def _means(matrix: sp.csr_array, values: FloatArray) -> FloatArray:
    """Return for each row the mean of the values of its columns; 0 if it has none."""
    means: FloatArray = (matrix @ values) / np.maximum(np.diff(matrix.indptr), 1)
    return means


def _leading_eigenvector(operator: object, orthogonal_to: FloatArray) -> FloatArray:
    """Return the vector of the largest eigenvalue of a symmetric operator, by Lanczos's method from a fixed start."""
    size = len(orthogonal_to)
    # Irregular, so it is orthogonal to nothing, and the same for a given length.
    start = np.sin(np.arange(1, size + 1) ** 2 * 0.7548776662466927)
    start -= orthogonal_to * (orthogonal_to @ start)
    basis, diagonal, beside = [start / max(float(np.linalg.norm(start)), 1e-300)], [], []
    for _ in range(min(_STEPS, size)):
        image = operator(basis[-1])  # type: ignore[operator]
        diagonal.append(float(image @ basis[-1]))
        vectors = np.array(basis)
        for _ in range(2):  # twice is enough
            image -= vectors.T @ (vectors @ image)
        norm = float(np.linalg.norm(image))
        if norm < 1e-10:
            break
        beside.append(norm)
        basis.append(image / norm)
    count = len(diagonal)
    T = np.diag(diagonal) + np.diag(beside[: count - 1], 1) + np.diag(beside[: count - 1], -1)
    leading: FloatArray = np.array(basis[:count]).T @ np.linalg.eigh(T)[1][:, -1]
    return leading


def _oriented(
    block: sp.csr_array, along_rows: FloatArray, along_columns: FloatArray, rows: FloatArray, columns: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Choose the direction: that of the whole, or at first the one that puts large hyperedges in front."""
    agreement = float(_centred(rows) @ along_rows + _centred(columns) @ along_columns)
    if abs(agreement) < 1e-12:
        agreement = -float(np.asarray(block.sum(0)).ravel() @ along_columns)
    return (-along_rows, -along_columns) if agreement < 0 else (along_rows, along_columns)


def _centred(values: FloatArray) -> FloatArray:
    centred: FloatArray = values - values.mean()
    return centred


def best_cut(block: sp.csr_array, along_rows: FloatArray, along_columns: FloatArray) -> float:
    """Return the value below which to cut off, so that the conductance is least; the least value if there is no cut."""
    coordinates = block.tocoo()
    values = np.concatenate([along_rows, along_columns])
    order = np.argsort(values, kind="stable")
    rank = np.argsort(order)
    ends = np.stack([rank[coordinates.row], rank[len(along_rows) + coordinates.col]])
    low, high, size = ends.min(0), ends.max(0), len(values)
    # Before position k lie the first k vertices: an incidence is cut by the positions in (low, high].
    crossing = np.cumsum(np.bincount(low + 1, minlength=size + 1) - np.bincount(high + 1, minlength=size + 1))
    volume = np.concatenate([[0], np.cumsum(np.bincount(ends.ravel(), minlength=size))])
    smaller = np.minimum(volume, volume[-1] - volume)
    possible = np.flatnonzero((np.diff(values[order]) > 0) & (smaller[1:-1] >= _LEAST_SHARE * volume[-1])) + 1
    if not len(possible):  # too many equal values for a fair cut: the middle one, or none at all
        return float(values[order][size // 2])
    conductance = crossing[possible] / smaller[possible]
    return float(values[order][possible[int(np.argmin(conductance))]])


def _stable(values: FloatArray) -> IntArray:
    return np.argsort(values, kind="stable")
