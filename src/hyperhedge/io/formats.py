"""Which format a file has, and the four verbs that go with it.

A format is found from the name (``.gz`` left aside) or given by its own name, ``format=``.

================== ======================================= ====================================
format             names                                   holds
================== ======================================= ====================================
``hif``            ``.hif.json .json .hif``                one hypergraph
``hyperedge-list`` ``.txt .hyperedges .edges .edgelist``   one
``bipartite``      ``.csv .tsv``                           one
``npz``            ``.npz``                                one, or a collection
``hif-jsonl``      ``.hif.jsonl .jsonl .ndjson``           a collection
``folder``         a folder, or a name without an ending   a collection
================== ======================================= ====================================
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hyperhedge.errors import FormatError, HyperhedgeError
from hyperhedge.hypergraph import Hypergraph
from hyperhedge.io.bipartite import encode_bipartite, read_bipartite
from hyperhedge.io.collections import iter_jsonl, read_folder, write_folder, write_jsonl
from hyperhedge.io.files import LIMITS, Limits, PathLike, atomic_file, read_bytes, without_gz
from hyperhedge.io.hif import decode_hif, encode_hif
from hyperhedge.io.hyperedge_list import encode_hyperedge_list, read_hyperedge_list
from hyperhedge.io.hypergraphx_json import decode_hypergraphx, looks_like_hypergraphx
from hyperhedge.io.npz import (
    encode_npz,
    encode_npz_collection,
    npz_holds_collection,
    read_npz,
    read_npz_collection,
)

__all__ = [
    "FORMATS",
    "Format",
    "find_format",
    "is_collection",
    "read",
    "read_collection",
    "write",
    "write_collection",
]


@dataclass(frozen=True)
class Format:
    """A file format: its name, its endings, and how to read and write one hypergraph or many.

    ``encode`` gets the file's name too, which may tell a variant.
    """

    name: str
    endings: tuple[str, ...]
    read: Callable[..., Hypergraph] | None = None
    encode: Callable[[Hypergraph, str], bytes] | None = None
    read_collection: Callable[..., list[Hypergraph]] | None = None
    write_collection: Callable[[Iterable[Hypergraph], PathLike], None] | None = None
    options: tuple[str, ...] = ()


def _read_json(path: PathLike, *, limits: Limits = LIMITS) -> Hypergraph:
    data = read_bytes(path, limits=limits).removeprefix(b"\xef\xbb\xbf")
    try:
        return decode_hypergraphx(data) if looks_like_hypergraphx(data) else decode_hif(data)
    except FormatError as error:
        raise error.at(path) from None


def _read_jsonl(path: PathLike, *, limits: Limits = LIMITS) -> list[Hypergraph]:
    return list(iter_jsonl(path, limits=limits))


def _encode_bipartite(H: Hypergraph, name: str) -> bytes:
    return encode_bipartite(H, "\t" if name.endswith(".tsv") else ",")


def _write_npz_collection(collection: Iterable[Hypergraph], path: PathLike) -> None:
    with atomic_file(path) as file:
        file.write(encode_npz_collection(collection))


FORMATS = {
    each.name: each
    for each in (
        Format(
            "hif",
            (".hif.json", ".json", ".hif"),
            read=_read_json,
            encode=lambda H, _: encode_hif(H),
        ),
        Format(
            "hyperedge-list",
            (".txt", ".hyperedges", ".edges", ".edgelist"),
            read=read_hyperedge_list,
            encode=lambda H, _: encode_hyperedge_list(H),
            options=("blank_lines",),
        ),
        Format(
            "bipartite",
            (".csv", ".tsv"),
            read=read_bipartite,
            encode=_encode_bipartite,
            options=("delimiter", "node_column", "edge_column"),
        ),
        Format(
            "npz",
            (".npz",),
            read=read_npz,
            encode=lambda H, _: encode_npz(H),
            read_collection=read_npz_collection,
            write_collection=_write_npz_collection,
        ),
        Format(
            "hif-jsonl",
            (".hif.jsonl", ".jsonl", ".ndjson"),
            read_collection=_read_jsonl,
            write_collection=write_jsonl,
        ),
        Format("folder", (), read_collection=read_folder, write_collection=write_folder),
    )
}


def find_format(path: PathLike, format: str | None = None) -> Format:  # noqa: A002
    """Find a file's format from its name, unless it is given.

    Examples
    --------
    >>> find_format("papers.hif.json.gz").name
    'hif'
    >>> find_format("papers.xml")
    Traceback (most recent call last):
        ...
    hyperhedge.errors.FormatError: papers.xml: the format is not clear from the name; ...
    """
    if format is not None:
        if format not in FORMATS:
            raise HyperhedgeError(f"there is no format {format!r}; choose from {', '.join(FORMATS)}")
        return FORMATS[format]
    name = without_gz(path)
    for each in FORMATS.values():
        if name.endswith(each.endings):
            return each
    if Path(path).is_dir() or not Path(name).suffix:
        return FORMATS["folder"]
    endings = " ".join(each.endings[0] for each in FORMATS.values() if each.endings)
    raise FormatError(
        f"the format is not clear from the name; use an ending such as {endings}, or say format=", path=path
    )


def is_collection(path: PathLike, format: str | None = None) -> bool:  # noqa: A002
    """Tell whether a file that is there holds a collection rather than one hypergraph."""
    found = find_format(path, format)
    return npz_holds_collection(path) if found.name == "npz" else found.read is None


def read(
    path: PathLike,
    *,
    format: str | None = None,  # noqa: A002
    max_bytes: int | None = None,
    **options: Any,
) -> Hypergraph:
    """Read one hypergraph from a file.

    Parameters
    ----------
    path
        The file; gzip inside is unpacked.
    format
        The name of the format; found from the file's name if not given.
    max_bytes
        Refuse larger files (after unpacking); 4 GiB if not given.
    options
        ``node_column=``, ``edge_column=`` and ``delimiter=`` of a bipartite table;
        ``blank_lines="empty"`` of a hyperedge list.

    Raises
    ------
    FormatError
        If the file is not what its format says; the message names the place.
    """
    found = find_format(path, format)
    if found.read is None:
        raise FormatError("this is a collection; read it with read_collection", path=path)
    _check_options(found, options)
    if Path(path).is_dir():
        raise FormatError("this is a folder; read it with read_collection", path=path)
    return found.read(path, limits=_limits(max_bytes), **options)


def read_collection(
    path: PathLike,
    *,
    format: str | None = None,  # noqa: A002
    max_bytes: int | None = None,
    **options: Any,
) -> list[Hypergraph]:
    """Read many hypergraphs; a file with one of them is a collection of one."""
    found = find_format(path, format)
    if found.read_collection is None:
        return [read(path, format=format, max_bytes=max_bytes, **options)]
    _check_options(found, options)
    if found.name == "folder" and not Path(path).exists():
        raise FileNotFoundError(2, "no such file or folder", os.fspath(path))
    return found.read_collection(path, limits=_limits(max_bytes))


def write(H: Hypergraph, path: PathLike, *, format: str | None = None) -> None:  # noqa: A002
    """Write one hypergraph to a file, whole or not at all; gzip if the name ends in ``.gz``."""
    found = find_format(path, format)
    if not isinstance(H, Hypergraph):
        raise HyperhedgeError(f"write takes one Hypergraph, not a {type(H).__name__}; see write_collection")
    if found.encode is None:
        raise FormatError("this name is for a collection; write it with write_collection", path=path)
    data = found.encode(H, without_gz(path))
    with atomic_file(path) as file:
        file.write(data)


def write_collection(
    collection: Iterable[Hypergraph],
    path: PathLike,
    *,
    format: str | None = None,  # noqa: A002
) -> None:
    """Write many hypergraphs to a file or a new folder, whole or not at all."""
    found = find_format(path, format)
    if isinstance(collection, Hypergraph):
        raise HyperhedgeError("write_collection takes a list of hypergraphs; write one with write")
    if found.write_collection is None:
        raise FormatError("this format holds one hypergraph; use .hif.jsonl, .npz or a folder for many", path=path)
    found.write_collection(collection, path)


def _check_options(found: Format, options: dict[str, Any]) -> None:
    for name in options:
        if name not in found.options:
            takes = f"takes {', '.join(found.options)}" if found.options else "takes none"
            raise HyperhedgeError(f"the format {found.name} has no option {name!r}; it {takes}")


def _limits(max_bytes: int | None) -> Limits:
    return LIMITS if max_bytes is None else replace(LIMITS, total=max_bytes)
