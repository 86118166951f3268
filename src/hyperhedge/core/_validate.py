"""Validation of the arguments from which a hypergraph is built.

Each function returns its argument in the one form that :class:`~hyperhedge.Hypergraph` stores, or raises a
:class:`~hyperhedge.errors.HypergraphError` that says what is wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from hyperhedge.core.labels import Label, Labels, as_labels, label_index, ordered_labels, wrong_type
from hyperhedge.errors import HypergraphError
from hyperhedge.typing import IntArray


def frozen(array: IntArray) -> IntArray:
    """Copy an array of positions and make it read-only."""
    copy = np.array(array, dtype=np.int64)
    copy.flags.writeable = False
    return copy


def member_list(edge: Iterable[Label], j: int) -> list[Label]:
    """List the members of hyperedge ``j``."""
    if isinstance(edge, str):
        raise HypergraphError(f"hyperedge {j} is the string {edge!r}; give a list of node labels")
    try:
        return list(edge)
    except TypeError:
        raise HypergraphError(f"hyperedge {j} is {edge!r}; give a list of node labels") from None


def declared_labels(labels: Iterable[Label] | int, kind: str) -> Labels:
    """Check labels; a number of labels stands for ``0, 1, …``."""
    if isinstance(labels, int | np.integer):
        if labels < 0 or isinstance(labels, bool):
            raise HypergraphError(f"the number of {kind}s must not be {labels!r}")
        return range(int(labels))
    return as_labels(labels, kind)


def side_labels(declared: Iterable[Label] | int | None, seen: list[Label], kind: str = "node") -> Labels:
    """Return the declared labels of one side, or, if None are declared, those that were seen."""
    if declared is not None:
        return declared_labels(declared, kind)
    try:
        return as_labels(ordered_labels((), seen), kind)
    except TypeError:
        unhashable: Any = next(label for label in seen if type(label).__hash__ is None)
        raise wrong_type(unhashable, kind) from None


def look_up(column: list[Label], labels: Labels, kind: str) -> IntArray:
    """Return the position among ``labels`` of each label of a column."""
    index = label_index(labels)
    if not set(map(type, column)) <= {int, str}:
        column = [as_labels([label], kind)[0] for label in column]
    try:
        return np.fromiter(map(index.__getitem__, column), dtype=np.int64, count=len(column))
    except KeyError as error:
        raise HypergraphError(
            f"a hyperedge names the {kind} {error.args[0]!r}, which is not among the declared {kind}s"
        ) from None


def positions(values: ArrayLike, count: int, name: str) -> IntArray:
    """Check an array of positions below ``count``."""
    array = np.asarray(values)
    if array.size == 0:
        return np.zeros(0, dtype=np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise HypergraphError(f"{name} must be a list of whole numbers, not {array.dtype} {array.shape}")
    low, high = int(array.min()), int(array.max())
    if low < 0 or high >= count:
        outside = low if low < 0 else high
        raise HypergraphError(f"{name} holds {outside}; a position must be at least 0 and less than {count}")
    return array.astype(np.int64, copy=False)


def permutation(order: Sequence[int] | IntArray | None, count: int, name: str) -> IntArray:
    """Check a permutation of ``count`` positions; the identity if None."""
    if order is None:
        return np.arange(count)
    array = positions(order, count, name)
    if not np.array_equal(np.sort(array), np.arange(count)):
        raise HypergraphError(f"{name} must hold each of 0, …, {count - 1} once")
    return array


def label_order(labels: Labels) -> IntArray:
    """Return the positions that sort labels: integers first, then strings."""
    order = sorted(range(len(labels)), key=lambda i: (isinstance(labels[i], str), labels[i]))
    return np.array(order, dtype=np.int64)


def binary_coordinates(matrix: Any) -> sp.coo_array:
    """Return the coordinates of the ones in a matrix of zeros and ones."""
    if not sp.issparse(matrix):
        matrix = np.asarray(matrix)
    if matrix.ndim != 2:
        raise HypergraphError(f"an incidence matrix has two dimensions, nodes × hyperedges, not {matrix.ndim}")
    if matrix.dtype.kind not in "biuf":
        raise HypergraphError(f"an incidence matrix holds numbers, not {matrix.dtype}")
    entries = sp.coo_array(matrix)
    if entries.dtype.kind in "iu":
        entries = entries.astype(np.float64)  # 257 equal entries of uint8 would add up to 1
    entries.sum_duplicates()
    entries.eliminate_zeros()
    wrong = entries.data != 1
    if wrong.any():
        k = int(np.argmax(wrong))
        raise HypergraphError(
            f"the incidence matrix holds {entries.data[k]:g} at row {entries.row[k]}, column "
            f"{entries.col[k]}; its entries are 0 and 1 (threshold a relaxed matrix first)"
        )
    return entries
