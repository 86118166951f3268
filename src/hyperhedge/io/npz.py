"""NumPy archives: one hypergraph, or a collection of them, as arrays.

*One hypergraph* is its incidence matrix in the layout of :func:`scipy.sparse.save_npz`, so scipy
reads it too (and matrices that scipy saved as csr, csc or coo are read here), with ``node_labels`` and
``edge_labels`` where the labels are not 0, 1, ….

*A collection* is four arrays: ``n`` and ``m``, the numbers of nodes and hyperedges of each hypergraph;
``sizes``, the sizes of all hyperedges in turn; ``indices``, their members.

Labels are UTF-8 JSON in an array of bytes: numpy's own strings would pad every label to the longest and
lose trailing NULs. Nothing is ever unpickled, no array is allocated before its header has been compared
with the number of bytes, and the archive's members are bounded before they are decompressed. Numbers that say how
many there are of something are compared with what there is before anything is summed, so no sum can leave 64 bits.
"""

from __future__ import annotations

import io
import math
import tokenize
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any, TypeAlias

import msgspec
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.core.labels import Label, Labels
from hyperhedge.errors import FormatError, shortened
from hyperhedge.io.files import LIMITS, Limits, PathLike, check_claim, errors_at, read_bytes
from hyperhedge.typing import IntArray

_COLLECTION = b"hyperhedge-collection"
_MAX_HEADER = 4096
_MAX_MEMBERS = 64

Arrays = dict[str, NDArray[Any]]
_LabelPair: TypeAlias = tuple[list[Label] | None, list[Label] | None]


# -- one hypergraph ----------------------------------------------------------------------------------


def read_npz(path: PathLike, *, limits: Limits = LIMITS) -> Hypergraph:
    """Read one hypergraph."""
    content = read_npz_as_stored(path, limits=limits)
    if isinstance(content, Hypergraph):
        return content
    raise FormatError("the file holds a collection; read it with read_collection", path=path)


def read_npz_as_stored(path: PathLike, *, limits: Limits = LIMITS) -> Hypergraph | list[Hypergraph]:
    """Read one hypergraph or a collection, whichever an archive holds."""
    arrays = _load(path, limits)
    with errors_at(path, ValueError, IndexError, TypeError):
        if _text(arrays, "format") == _COLLECTION:
            return _split(*_concatenated(arrays), _labels(arrays))
        nodes = _decoded(arrays, "node_labels", list[Label])
        edges = _decoded(arrays, "edge_labels", list[Label])
        return Hypergraph.from_incidence(_matrix(arrays), nodes=nodes, edges=edges)


def encode_npz(H: Hypergraph) -> bytes:
    """Write one hypergraph."""
    matrix = H.incidence
    arrays: Arrays = {
        "format": np.array(b"csr"),
        "shape": np.array(matrix.shape, dtype=np.int64),
        "indptr": matrix.indptr,
        "indices": matrix.indices,
        "data": np.ones(H.num_incidences, dtype=np.int8),
        "_is_array": np.array(True),
    }
    for name, labels in (("node_labels", H.nodes), ("edge_labels", H.edges)):
        if not isinstance(labels, range):
            arrays[name] = _json_array(labels)
    return _archive(arrays)


def _matrix(arrays: Arrays) -> sp.coo_array:
    """Check the arrays of a scipy matrix and return the matrix."""
    layout = _text(arrays, "format")
    shape = tuple(int(k) for k in _integers(arrays, "shape"))
    if len(shape) != 2 or min(shape) < 0 or max(shape) >= 2**31:
        raise FormatError(f"a matrix cannot have the shape {shape}", where="shape")
    data = _get(arrays, "data")
    if data.ndim != 1 or data.dtype.kind not in "biuf":
        raise FormatError(f"the entries must be a list of numbers, not {data.dtype}", where="data")
    if layout == b"coo":
        rows, columns = _integers(arrays, "row"), _integers(arrays, "col")
    elif layout in (b"csr", b"csc"):
        major = _expanded(_integers(arrays, "indptr"), shape[layout == b"csc"], len(data))
        minor = _integers(arrays, "indices")
        rows, columns = (major, minor) if layout == b"csr" else (minor, major)
    else:
        raise FormatError(f"matrices of layout {layout!r} are not supported; save the matrix as csr", where="format")
    if not len(rows) == len(columns) == len(data):
        raise FormatError("the arrays differ in length", where="indices")
    for kind, count in zip(("nodes", "hyperedges"), shape, strict=True):
        check_claim(count, len(data), kind)
    for name, positions, count in (("rows", rows, shape[0]), ("columns", columns, shape[1])):
        if len(positions) and not (positions.min() >= 0 and positions.max() < count):
            raise FormatError(f"the {name} go beyond the shape {shape}", where="indices")
    return sp.coo_array((data, (rows, columns)), shape=shape)


def _expanded(indptr: IntArray, count: int, total: int) -> IntArray:
    """Return the row number of each entry from the row pointers."""
    fits = len(indptr) == count + 1 and indptr[0] == 0 and indptr[-1] == total
    if not fits or indptr.min() < 0 or (indptr[1:] < indptr[:-1]).any():
        raise FormatError("the pointers do not fit the shape and the entries", where="indptr")
    return np.repeat(np.arange(count), np.diff(indptr))


# -- a collection ------------------------------------------------------------------------------------


def read_npz_collection(path: PathLike, *, limits: Limits = LIMITS) -> list[Hypergraph]:
    """Read a collection; a file with one hypergraph is a collection of one."""
    content = read_npz_as_stored(path, limits=limits)
    return [content] if isinstance(content, Hypergraph) else content


def _concatenated(arrays: Arrays) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Check and return the arrays of a collection: n, m, the sizes of the hyperedges and their members."""
    n, m, sizes, members = (_integers(arrays, name) for name in ("n", "m", "sizes", "indices"))
    for name, values in (("n", n), ("m", m), ("sizes", sizes), ("indices", members)):
        if len(values) and values.min() < 0:
            raise FormatError(f"{values.min()} is negative", where=name)
    if len(n) != len(m) or not (_adds_up(m, len(sizes)) and _adds_up(sizes, len(members))):
        raise FormatError("n, m, sizes and indices do not fit together")
    check_claim(int(n.max(initial=0)), len(members), "nodes")
    return n, m, sizes, members


def _adds_up(counts: IntArray, total: int) -> bool:
    """Return whether counts, none of them negative, add up to a total; none may exceed it, or the sum could wrap."""
    return int(counts.max(initial=0)) <= total and int(counts.sum()) == total


def _labels(arrays: Arrays) -> list[_LabelPair]:
    """Return the labels of the nodes and hyperedges of each hypergraph, None where they are 0, 1, …."""
    count = len(arrays["n"])
    labels: list[_LabelPair] | None = _decoded(arrays, "labels", list[_LabelPair])
    if labels is None:
        return [(None, None)] * count
    if len(labels) != count:
        raise FormatError(f"there are labels of {len(labels)} hypergraphs, not of {count}", where="labels")
    return labels


def _split(n: IntArray, m: IntArray, sizes: IntArray, members: IntArray, labels: list[_LabelPair]) -> list[Hypergraph]:
    """Split the arrays of a collection into hypergraphs."""
    edge_bounds = np.concatenate(([0], np.cumsum(m))).tolist()
    member_bounds = np.concatenate(([0], np.cumsum(sizes)))[edge_bounds].tolist()
    collection = []
    for k, (edge_range, member_range) in enumerate(zip(pairwise(edge_bounds), pairwise(member_bounds), strict=True)):
        edge_sizes = sizes[slice(*edge_range)]
        edge_ids = np.repeat(np.arange(len(edge_sizes)), edge_sizes)
        H = Hypergraph.from_indices(members[slice(*member_range)], edge_ids, nodes=int(n[k]), edges=len(edge_sizes))
        nodes, edges = labels[k]
        collection.append(H.relabel(nodes=nodes, edges=edges))
    return collection


def encode_npz_collection(collection: Iterable[Hypergraph]) -> bytes:
    """Write a collection."""
    graphs = list(collection)
    arrays: Arrays = {
        "format": np.array(_COLLECTION),
        "n": np.array([H.n for H in graphs], dtype=np.int64),
        "m": np.array([H.m for H in graphs], dtype=np.int64),
        "sizes": np.concatenate([np.zeros(0, dtype=np.int64), *(H.edge_sizes for H in graphs)]),
        "indices": np.concatenate([np.zeros(0, dtype=np.int64), *(H.indices for H in graphs)]),
    }
    labels = [(_unless_default(H.nodes), _unless_default(H.edges)) for H in graphs]
    if any(pair != (None, None) for pair in labels):
        arrays["labels"] = _json_array(labels)
    return _archive(arrays)


def _unless_default(labels: Labels) -> list[Label] | None:
    return None if isinstance(labels, range) else list(labels)


def _archive(arrays: Arrays) -> bytes:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()


# -- arrays, safely ----------------------------------------------------------------------------------


def _load(path: PathLike, limits: Limits) -> Arrays:
    """Read the arrays of an archive within the limits."""
    compressed = read_bytes(path, limits=limits)
    try:
        with zipfile.ZipFile(io.BytesIO(compressed)) as archive:
            _check_sizes(archive, len(compressed), limits)
            return {
                entry.filename.removesuffix(".npy"): _array(archive.read(entry), entry.filename)
                for entry in archive.infolist()
            }
    except FormatError as error:
        raise error.at(path) from None
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError) as error:
        raise FormatError(f"the npz archive is damaged or cut short ({shortened(str(error))})", path=path) from None
    except (NotImplementedError, RuntimeError) as error:  # encrypted, or an unknown compression
        raise FormatError(f"the npz archive cannot be decompressed ({error})", path=path) from None


def _check_sizes(archive: zipfile.ZipFile, compressed: int, limits: Limits) -> None:
    total = sum(entry.file_size for entry in archive.infolist())
    if total > limits.total or (total > limits.free and total > limits.ratio * compressed):
        raise FormatError(
            f"the archive would take {total:,} bytes when decompressed; the limit is {limits.ratio} times its size"
        )
    if len(archive.infolist()) > _MAX_MEMBERS:
        raise FormatError(f"the archive has {len(archive.infolist())} members; this is not a hypergraph")


def _array(data: bytes, name: str) -> NDArray[Any]:
    """Read one array, after comparing its header with the number of bytes."""
    stream = io.BytesIO(data)
    try:
        version = np.lib.format.read_magic(stream)
        read = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
        shape, fortran, dtype = read[version](stream, max_header_size=_MAX_HEADER)
    except (ValueError, KeyError, SyntaxError, TypeError, RecursionError, MemoryError, tokenize.TokenError) as error:
        raise FormatError(f"this is not a numpy array ({str(error)[:100]})", where=name) from None
    if dtype.hasobject or dtype.kind not in "biufSU":
        raise FormatError(f"the array holds {dtype}; only numbers and texts are read", where=name)
    body = data[stream.tell() :]
    if min(shape, default=0) < 0 or len(shape) > 2 or fortran or math.prod(shape) * dtype.itemsize != len(body):
        raise FormatError(f"the header says {shape} of {dtype}, but there are {len(body)} bytes of data", where=name)
    return np.frombuffer(body, dtype=dtype).reshape(shape)


def _get(arrays: Mapping[str, NDArray[Any]], name: str) -> NDArray[Any]:
    if name not in arrays:
        raise FormatError(
            f"there is no array {name!r}, so this is not a hypergraph; its arrays are {', '.join(arrays)}"
        )
    return arrays[name]


def _integers(arrays: Arrays, name: str) -> IntArray:
    array = _get(arrays, name)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise FormatError(f"the array must be a list of integers, not {array.dtype} {array.shape}", where=name)
    if array.dtype.kind == "u" and len(array) and array.max() > 2**63 - 1:
        raise FormatError(f"{array.max()} is too large", where=name)
    return array.astype(np.int64)


def _text(arrays: Arrays, name: str) -> bytes:
    array = _get(arrays, name)
    if array.ndim or array.dtype.kind not in "SU":
        raise FormatError("the array must be one text", where=name)
    return str(array).encode() if array.dtype.kind == "U" else bytes(array.item())


def _decoded(arrays: Arrays, name: str, kind: Any) -> Any:
    """Read JSON from an array of bytes; None if there is no such array."""
    if name not in arrays:
        return None
    array = arrays[name]
    if array.ndim != 1 or array.dtype != np.uint8:
        raise FormatError(f"the array must hold bytes, not {array.dtype}", where=name)
    try:
        return msgspec.json.decode(array.tobytes(), type=kind)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"the labels are not JSON ({error})", where=name) from None


def _json_array(value: Any) -> NDArray[np.uint8]:
    return np.frombuffer(msgspec.json.encode(value), dtype=np.uint8)
