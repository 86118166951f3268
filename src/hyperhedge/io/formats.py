"""The file formats, and the functions that read and write them.

The ending of a file's name (without ``.gz``) determines the format, unless ``format=`` names it. Contents that look like
another format than that of the name are refused (:mod:`hyperhedge.io.doubts`); ``format=`` is never doubted.

================== ======================================= ====================================
format             names                                   holds
================== ======================================= ====================================
``hif``            ``.hif.json .json .hif``                one hypergraph
``hyperedge-list`` ``.txt .hyperedges .edges .edgelist``   one
``bipartite``      ``.csv .tsv``                           one
``benson``         ``-nverts.txt -simplices.txt``          one; only read
``npz``            ``.npz``                                one, or a collection
``hif-jsonl``      ``.hif.jsonl .jsonl .ndjson``           a collection
``folder``         a folder, or a name without an ending   a collection
================== ======================================= ====================================
"""

from __future__ import annotations

import os
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hyperhedge.convert.coerce import as_hypergraph, iter_hypergraphs
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.errors import FormatError, HypergraphError, HyperhedgeError
from hyperhedge.io.benson import read_benson, triple_of
from hyperhedge.io.bipartite import default_delimiter, encode_bipartite, read_bipartite
from hyperhedge.io.collections import holds_json, iter_jsonl, read_folder, write_folder, write_jsonl
from hyperhedge.io.files import LIMITS, Limits, PathLike, atomic_file, errors_at, read_bytes, without_gz
from hyperhedge.io.hif import encode_hif
from hyperhedge.io.hyperedge_list import encode_hyperedge_list, read_hyperedge_list
from hyperhedge.io.json_dialects import decode_json
from hyperhedge.io.npz import (
    encode_npz,
    encode_npz_collection,
    read_npz,
    read_npz_as_stored,
    read_npz_collection,
)


@dataclass(frozen=True)
class Format:
    """A file format: its name, its endings, and the functions that read and write one hypergraph or several.

    ``encode`` also takes the file's name, whose ending may select a variant. A reader with ``doubts`` takes ``by_name``: whether
    only the name says that a file has this format. ``read_as_stored`` reads what may be one hypergraph or several.
    """

    name: str
    endings: tuple[str, ...]
    read: Callable[..., Hypergraph] | None = None
    read_as_stored: Callable[..., Hypergraph | list[Hypergraph]] | None = None
    encode: Callable[[Hypergraph, str], bytes] | None = None
    read_collection: Callable[..., list[Hypergraph]] | None = None
    write_collection: Callable[[Iterable[Hypergraph], PathLike], None] | None = None
    options: tuple[str, ...] = ()
    doubts: bool = False

    @property
    def holds_many(self) -> bool:
        """Whether every file of this format is a collection."""
        return self.read is None

    @property
    def is_written(self) -> bool:
        """Whether files of this format are written, and not only read."""
        return self.encode is not None or self.write_collection is not None


def _read_json(path: PathLike, *, limits: Limits = LIMITS) -> Hypergraph:
    data = read_bytes(path, limits=limits).removeprefix(BOM_UTF8)
    with errors_at(path):
        return decode_json(data, path)


def _read_jsonl(path: PathLike, *, limits: Limits = LIMITS) -> list[Hypergraph]:
    return list(iter_jsonl(path, limits=limits))


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
            doubts=True,
        ),
        Format(
            "bipartite",
            (".csv", ".tsv"),
            read=read_bipartite,
            encode=lambda H, name: encode_bipartite(H, default_delimiter(name)),
            options=("delimiter", "node_column", "edge_column"),
            doubts=True,
        ),
        Format("benson", (), read=read_benson),
        Format(
            "npz",
            (".npz",),
            read=read_npz,
            read_as_stored=read_npz_as_stored,
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
    """Return a file's format: the one called ``format``, or by default the one of its name.

    Examples
    --------
    >>> find_format("papers.hif.json.gz").name
    'hif'
    >>> find_format("papers.xml")
    Traceback (most recent call last):
        ...
    hyperhedge.errors.FormatError: papers.xml: the name does not tell the format; ...
    """
    if format is not None:
        if format not in FORMATS:
            raise HyperhedgeError(f"there is no format {format!r}; use one of {', '.join(FORMATS)}")
        return FORMATS[format]
    if not os.fspath(path):
        raise FormatError("the name of the file is empty; give the name of a file")
    return _by_contents(path) or _by_name(path)


def _by_contents(path: PathLike) -> Format | None:
    """Return the format of several files that belong together, or of a folder."""
    is_folder = Path(path).is_dir()
    if is_folder and holds_json(path):
        return FORMATS["folder"]
    if triple_of(path) is not None:
        return FORMATS["benson"]
    return FORMATS["folder"] if is_folder else None


def _by_name(path: PathLike) -> Format:
    name = without_gz(path)
    for each in FORMATS.values():
        if each.endings and name.endswith(each.endings):
            return each
    if not Path(name).suffix and not Path(path).exists():
        return FORMATS["folder"]
    endings = " ".join(each.endings[0] for each in FORMATS.values() if each.endings)
    raise FormatError(f"the name does not tell the format; use one of the endings {endings}, or set format=", path=path)


def exists(path: PathLike) -> bool:
    """Return whether there is a file or folder to read: of this name, or several whose names begin with it."""
    return Path(path).exists() or triple_of(path) is not None


def read_as_stored(
    path: PathLike,
    *,
    format: str | None = None,  # noqa: A002
    max_bytes: int | None = None,
    **options: Any,
) -> Hypergraph | list[Hypergraph]:
    """Read one hypergraph or several, whichever a file holds, with the arguments of :func:`read`; the file is read once."""
    file_format = find_format(path, format)
    if file_format.holds_many:
        return read_collection(path, format=format, max_bytes=max_bytes, **options)
    if file_format.read_as_stored is None:
        return read(path, format=format, max_bytes=max_bytes, **options)
    _check_options(file_format, options)
    with _no_other_errors(path):
        return file_format.read_as_stored(path, limits=_limits(max_bytes))


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
        The file; gzip contents are decompressed. Of Benson's triples, one of the files, their folder, or what their names
        begin with.
    format
        The name of the format; by default, that of the file's ending. Contents that look like another format are then
        refused.
    max_bytes
        Refuse files that are larger after decompression; by default 4 GiB.
    options
        ``node_column=``, ``edge_column=`` and ``delimiter=`` of a bipartite table;
        ``blank_lines="empty"`` of a hyperedge list.

    Raises
    ------
    FormatError
        If the contents do not follow the format; the message says where.
    """
    file_format = find_format(path, format)
    if file_format.read is None:
        raise FormatError("this is a collection; read it with read_collection", path=path)
    _check_options(file_format, options)
    if Path(path).is_dir() and file_format.name != "benson":
        raise FormatError("this is a folder; read it with read_collection", path=path)
    if file_format.doubts:
        options["by_name"] = format is None
    with _no_other_errors(path):
        return file_format.read(path, limits=_limits(max_bytes), **options)


def read_collection(
    path: PathLike,
    *,
    format: str | None = None,  # noqa: A002
    max_bytes: int | None = None,
    **options: Any,
) -> list[Hypergraph]:
    """Read several hypergraphs, with the arguments of :func:`read`; a single one is a collection of one."""
    file_format = find_format(path, format)
    if file_format.read_collection is None:
        return [read(path, format=format, max_bytes=max_bytes, **options)]
    _check_options(file_format, options)
    if file_format.name == "folder" and not Path(path).exists():
        raise FileNotFoundError(2, "no such file or folder", os.fspath(path))
    with _no_other_errors(path):
        return file_format.read_collection(path, limits=_limits(max_bytes))


def write(H: Any, path: PathLike, *, format: str | None = None) -> None:  # noqa: A002
    """Write one hypergraph to a file, completely or not at all; compressed if the name ends in ``.gz``.

    ``H`` is a :class:`~hyperhedge.Hypergraph` or an object of another library
    (:func:`~hyperhedge.convert.as_hypergraph`).
    """
    file_format = find_format(path, format)
    if isinstance(H, list | tuple):
        raise HypergraphError(f"H is a {type(H).__name__}; write several hypergraphs with write_collection")
    _check_written(file_format, path)
    if file_format.encode is None:
        raise FormatError("this name is for a collection; write it with write_collection", path=path)
    data = file_format.encode(as_hypergraph(H), without_gz(path))
    with atomic_file(path) as file:
        file.write(data)


def write_collection(collection: Iterable[Any], path: PathLike, *, format: str | None = None) -> None:  # noqa: A002
    """Write several hypergraphs, each as :func:`write` takes it, to a file or a new folder, completely or not at all."""
    file_format = find_format(path, format)
    _check_written(file_format, path)
    if file_format.write_collection is None:
        raise FormatError("this format holds one hypergraph; use .hif.jsonl, .npz or a folder for several", path=path)
    file_format.write_collection(iter_hypergraphs(collection, "collection"), path)


def _check_written(file_format: Format, path: PathLike) -> None:
    if not file_format.is_written:
        raise FormatError(
            f"the format {file_format.name} is read and not written; choose another name or format", path=path
        )


@contextmanager
def _no_other_errors(path: PathLike) -> Iterator[None]:
    """Let no error of a parser or of numpy through: whatever a file holds, its reader gives a hypergraph or a FormatError."""
    try:
        yield
    except HyperhedgeError:
        raise
    except MemoryError:
        raise FormatError("there is not enough memory for what the file holds", path=path) from None
    except (ValueError, OverflowError, RecursionError) as error:
        raise FormatError(f"the file cannot be read as a hypergraph ({error})", path=path) from None


def _check_options(file_format: Format, options: dict[str, Any]) -> None:
    for name in options:
        if name not in file_format.options:
            allowed = ", ".join(file_format.options) or "none"
            raise HyperhedgeError(f"the format {file_format.name} has no option {name!r}; its options: {allowed}")


def _limits(max_bytes: int | None) -> Limits:
    return LIMITS if max_bytes is None else replace(LIMITS, total=max_bytes)
