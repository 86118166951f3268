"""Collections: many hypergraphs in one file or folder.

* ``.hif.jsonl``: a file with one HIF object per line; read and written as a stream.
* a folder of HIF files, or of others that :mod:`hyperhedge.io.json_dialects` reads, in the order of a
  ``*collection*.json`` index, if there is one, and otherwise of their names (numbers in them compared as numbers). It is
  written with such an index, which ``xgi.read_hif_collection`` reads too.
* ``.npz``: arrays (:mod:`hyperhedge.io.npz`), the most compact.
"""

from __future__ import annotations

import os
import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.errors import FormatError
from hyperhedge.io.files import (
    LIMITS,
    Limits,
    PathLike,
    atomic_file,
    atomic_folder,
    errors_at,
    lines_of,
    read_bytes,
    resolved,
)
from hyperhedge.io.hif import encode_hif
from hyperhedge.io.json_dialects import decode_json

INDEX = "collection.json"
_HIF_FILE = re.compile(r".*\.(?:json|hif)(?:\.gz)?\Z", re.IGNORECASE)


def iter_jsonl(path: PathLike, *, limits: Limits = LIMITS) -> Iterator[Hypergraph]:
    """Yield the hypergraphs of a JSON-lines file."""
    for number, line in lines_of(path, limits=limits):
        try:
            yield decode_json(line.removeprefix(BOM_UTF8) if number == 1 else line, path)
        except FormatError as error:
            where = f"line {number}" + (f", {error.where}" if error.where else "")
            hint = (
                "; if the file is one document over several lines, set format='hif'"
                if number == 1 and error.where == "the end"
                else ""
            )
            raise FormatError(error.message + hint, path=path, where=where) from None


def write_jsonl(collection: Iterable[Hypergraph], path: PathLike) -> None:
    """Write hypergraphs, one per line."""
    with atomic_file(path) as file:
        for H in collection:
            file.write(encode_hif(H, one_line=True))


class _Entry(msgspec.Struct, rename={"path": "relative-path"}):
    path: str


class _Index(msgspec.Struct):
    datasets: dict[str, _Entry]
    type: str = "collection"


def read_folder(path: PathLike, *, limits: Limits = LIMITS) -> list[Hypergraph]:
    """Read the HIF files of a folder."""
    collection = []
    for file in _files(Path(path), limits):
        with errors_at(file):
            collection.append(decode_json(read_bytes(file, limits=limits).removeprefix(BOM_UTF8), file))
    return collection


def holds_json(folder: PathLike) -> bool:
    """Return whether a folder has a file that may be a hypergraph of a collection."""
    return any(_HIF_FILE.match(file.name) for file in Path(folder).iterdir())


def _files(folder: Path, limits: Limits) -> list[Path]:
    """Return the files of a collection, in order."""
    files = sorted((f for f in folder.iterdir() if _HIF_FILE.match(f.name)), key=_natural)
    indexes = [f for f in files if "collection" in f.name]
    if len(indexes) > 1:
        raise FormatError(f"there are {len(indexes)} collection indexes; keep one", path=folder)
    if indexes:
        return list(_from_index(indexes[0], limits))
    if not files:
        raise FormatError("the folder holds no HIF files (.json)", path=folder)
    return files


def _natural(file: Path) -> list[tuple[int, str]]:
    """Return a sorting key that compares the numbers in names as numbers: ``g2`` before ``g10``."""
    runs = re.findall(r"[0-9]+|[^0-9]+", file.name)
    return [(int(run), run) if run.isdecimal() and run.isascii() else (-1, run) for run in runs]


def _from_index(index: Path, limits: Limits) -> Iterator[Path]:
    data = read_bytes(index, limits=limits)
    try:
        entries = msgspec.json.decode(data, type=_Index).datasets
    except (ValueError, RecursionError) as error:
        raise FormatError(f"this is not a collection index ({error})", path=index) from None
    for name, entry in entries.items():
        file = (index.parent / entry.path) if "\0" not in entry.path else index.parent
        if not resolved(file).is_relative_to(resolved(index.parent)) or not file.is_file():
            raise FormatError(f"{entry.path!r} is not a file in this folder", path=index, where=name)
        yield file


def write_folder(collection: Iterable[Hypergraph], path: PathLike) -> None:
    """Write a folder of HIF files and their index; the folder must be new or empty."""
    with atomic_folder(path) as folder:
        entries: dict[str, _Entry] = {}
        for k, H in enumerate(collection):
            name = f"{k:06d}.hif.json"
            (folder / name).write_bytes(encode_hif(H))
            entries[str(k)] = _Entry(os.fspath(name))
        (folder / INDEX).write_bytes(msgspec.json.encode(_Index(entries)) + b"\n")
