"""Collections: many hypergraphs in one file or folder.

* ``.hif.jsonl``: one file of HIF objects, one a line; read and written as a stream.
* a folder of HIF files. The order is that of a ``*collection*.json`` index, as XGI writes it, if there is
  one, and that of the names (numbers in them compared as numbers) otherwise. Written with such an index, so
  that ``xgi.read_hif_collection`` reads it.
* ``.npz``: arrays (:mod:`hyperhedge.io.npz`), the most compact.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from hyperhedge.errors import FormatError
from hyperhedge.hypergraph import Hypergraph
from hyperhedge.io.files import LIMITS, Limits, PathLike, atomic_file, atomic_folder, lines_of, read_bytes
from hyperhedge.io.hif import decode_hif, encode_hif

__all__ = ["iter_jsonl", "read_folder", "write_folder", "write_jsonl"]

INDEX = "collection.json"
_HIF_FILE = re.compile(r".*\.(?:json|hif)(?:\.gz)?\Z", re.IGNORECASE)


def iter_jsonl(path: PathLike, *, limits: Limits = LIMITS) -> Iterator[Hypergraph]:
    """Read the hypergraphs of a JSON-lines file one after the other."""
    for number, line in lines_of(path, limits=limits):
        try:
            yield decode_hif(line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line)
        except FormatError as error:
            place = f"line {number}" + (f", {error.place}" if error.place else "")
            raise FormatError(error.message, path=path, place=place) from None


def write_jsonl(collection: Iterable[Hypergraph], path: PathLike) -> None:
    """Write hypergraphs, one a line."""
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
    folder = Path(path)
    collection = []
    for file in _listed(folder, limits):
        data = read_bytes(file, limits=limits).removeprefix(b"\xef\xbb\xbf")
        try:
            collection.append(decode_hif(data))
        except FormatError as error:
            raise error.at(file) from None
    return collection


def _listed(folder: Path, limits: Limits) -> list[Path]:
    """List the files of a collection in order."""
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
    """Order names with the numbers in them taken as numbers: ``g2`` before ``g10``."""
    parts = re.findall(r"[0-9]+|[^0-9]+", file.name)
    return [(int(part), part) if part.isdecimal() and part.isascii() else (-1, part) for part in parts]


def _from_index(index: Path, limits: Limits) -> Iterator[Path]:
    data = read_bytes(index, limits=limits)
    try:
        entries = msgspec.json.decode(data, type=_Index).datasets
    except (ValueError, RecursionError) as error:
        raise FormatError(f"this is not a collection index ({error})", path=index) from None
    for name, entry in entries.items():
        file = (index.parent / entry.path) if "\0" not in entry.path else index.parent
        if not file.resolve().is_relative_to(index.parent.resolve()) or not file.is_file():
            raise FormatError(f"{entry.path!r} is not a file in this folder", path=index, place=name)
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
