"""Reading and writing bytes: bounded, with transparent gzip, and atomic.

*Reading.* A file with gzip contents, whatever its name, is decompressed. The contents are bounded
(:class:`Limits`): in total, per line where a format has lines, and by how much a compressed file may grow,
so a few kilobytes cannot fill the memory.

*Writing.* Everything goes to a temporary file beside the target, which replaces the target when it is
complete. An error or an interrupt leaves the target as it was.
"""

from __future__ import annotations

import ctypes
import errno
import gzip
import io
import os
import secrets
import shutil
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TypeAlias

from hyperhedge.errors import FormatError, HypergraphError

PathLike: TypeAlias = str | os.PathLike[str]

_CHUNK = 1 << 20
_GZIP_MAGIC = b"\x1f\x8b"


@dataclass(frozen=True)
class Limits:
    """The sizes above which a reader refuses a file.

    Attributes
    ----------
    total
        Bytes of one file, after decompression.
    line
        Bytes of one line of a hyperedge list or a CSV file.
    document
        Bytes of one line of a collection, which is a whole hypergraph.
    ratio
        How many times larger than the compressed file its contents may be, above ``free`` bytes.
        Hypergraph files shrink by 5 to 30 times; a gzip bomb by 1,000.
    free
        Bytes up to which any ratio is accepted.
    """

    total: int = 4 << 30
    line: int = 64 << 20
    document: int = 256 << 20
    ratio: int = 100
    free: int = 64 << 20


LIMITS = Limits()

MAX_UNNAMED = 10_000_000
"""How many more nodes or hyperedges a file may claim than it has incidences.

Labels 0, 1, … take no memory, but degrees and hyperedge sizes are arrays, which a file of 50 bytes could make as large
as it likes.
"""


def check_claim(number: int, incidences: int, kind: str) -> None:
    """Refuse a number of nodes or hyperedges that is out of all proportion to what a file holds."""
    if number > MAX_UNNAMED + incidences:
        raise FormatError(
            f"the file claims {number:,} {kind} and holds {incidences:,} incidences; at most {MAX_UNNAMED:,} {kind} may be "
            "without one"
        )


def without_gz(path: PathLike) -> str:
    """Return the file name in lower case and without ``.gz``, whose ending determines the format."""
    return Path(path).name.lower().removesuffix(".gz")


@contextmanager
def errors_at(path: PathLike, *others: type[Exception]) -> Iterator[None]:
    """Add the file to format errors, and turn hypergraph errors and ``others`` into format errors."""
    converted: tuple[type[Exception], ...] = (HypergraphError, *others)
    try:
        yield
    except FormatError as error:
        raise error.at(path) from None
    except converted as error:
        raise FormatError(str(error), path=path) from None


def read_bytes(path: PathLike, *, max_line: int | None = None, limits: Limits = LIMITS) -> bytes:
    """Read a whole file, decompressed if necessary, within the limits."""
    buffer = io.BytesIO()
    line_length = 0
    for chunk in _chunks(path, limits):
        buffer.write(chunk)
        if max_line is not None:
            first, last = chunk.find(b"\n"), chunk.rfind(b"\n")
            _check_line(line_length + (first if first >= 0 else len(chunk)), max_line, path)
            line_length = line_length + len(chunk) if last < 0 else len(chunk) - last - 1
    return buffer.getvalue()


def lines_of(path: PathLike, *, limits: Limits = LIMITS) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file, which may be long, with their numbers from 1; blank lines are skipped."""
    number, pieces, length = 1, list[bytes](), 0
    for chunk in _chunks(path, limits):
        *ended, rest = chunk.split(b"\n")
        for end in ended:
            line = b"".join((*pieces, end)) if pieces else end
            if line.strip():
                yield number, line
            number, pieces, length = number + 1, [], 0
        pieces.append(rest)
        length += len(rest)
        _check_line(length, limits.document, path)
    line = b"".join(pieces)
    if line.strip():
        yield number, line


def _check_line(length: int, limit: int, path: PathLike) -> None:
    if length > limit:
        raise FormatError(f"a line is longer than {limit:,} bytes; is the format right?", path=path)


def _chunks(path: PathLike, limits: Limits) -> Iterator[bytes]:
    """Yield the contents of a file in pieces, decompressed, up to the limits."""
    with Path(path).open("rb") as file:
        compressed = _Counted(file) if file.peek(2)[:2] == _GZIP_MAGIC else None
        total = 0
        for chunk in _decompressed(compressed, path) if compressed else iter(lambda: file.read(_CHUNK), b""):
            total += len(chunk)
            if total > limits.total:
                raise FormatError(
                    f"the contents exceed {limits.total:,} bytes; raise max_bytes= if the file is right",
                    path=path,
                )
            if compressed and total > limits.free and total > limits.ratio * compressed.count:
                raise FormatError(
                    f"the gzip data grow more than {limits.ratio} times when decompressed; "
                    "decompress the file yourself if you trust it",
                    path=path,
                )
            yield chunk


class _Counted(io.RawIOBase):
    """A file that counts the bytes read from it; a pipe cannot tell its position."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.count = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        data = self.file.read(size)
        self.count += len(data)
        return data


def _decompressed(file: _Counted, path: PathLike) -> Iterator[bytes]:
    try:
        with gzip.GzipFile(fileobj=file) as contents:
            yield from iter(lambda: contents.read(_CHUNK), b"")
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise FormatError(f"the gzip data are damaged or cut short ({error})", path=path) from None


def decode_text(data: bytes, path: PathLike) -> str:
    """Decode UTF-8, with or without byte order mark, and refuse binary data."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise FormatError("the text is UTF-16; save it as UTF-8", path=path)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FormatError("this is not UTF-8 text; is the format right?", path=path, where=f"line {line}") from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise FormatError("the file holds binary data, not text", path=path, where=f"line {line}")
    return text


def resolved(path: PathLike) -> Path:
    """Return the absolute path without links; an OSError if links lead to each other in a circle."""
    try:
        return Path(path).resolve()
    except RuntimeError:  # Python 3.11 and 3.12
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), os.fspath(path)) from None


def _temporary(target: Path) -> Path:
    """Return a new name beside a target; of the target's own, which may be as long as names can be, only the beginning."""
    beginning = os.fsencode(target.name)[:100].decode(errors="ignore")
    return target.with_name(f".{beginning}.{secrets.token_hex(4)}.tmp")


@contextmanager
def atomic_file(path: PathLike) -> Iterator[IO[bytes]]:
    """Open a file for writing that takes its name only when it is complete; compressed if the name ends in ``.gz``."""
    target = Path(path)
    if target.exists() and not target.is_file() and not target.is_dir():
        with target.open("wb") as device:  # a pipe or a device, which has no contents to protect
            yield device
        return
    target = resolved(path)
    if target.is_dir():
        raise IsADirectoryError(21, "is a folder, not a file", os.fspath(path))
    temporary = _temporary(target)
    try:
        with temporary.open("xb") as file:
            if target.name.lower().endswith(".gz"):
                with gzip.GzipFile(filename="", fileobj=file, mode="wb", compresslevel=6, mtime=0) as compressed:
                    yield compressed  # type: ignore[misc]  # a GzipFile is a binary file in all but name
            else:
                yield file
        temporary.replace(target)
    except BaseException as error:
        with suppress(OSError):
            temporary.unlink()
        _name_target(error, temporary, path)
        raise


@contextmanager
def atomic_folder(path: PathLike, *, replace: bool = False) -> Iterator[Path]:
    """Create a folder that takes its name only when it is complete.

    The target must not exist, or be an empty folder. With ``replace``, an existing folder exchanges names with the new one when
    this is complete, and is then removed; where the system cannot exchange names, it is moved aside first.
    """
    target = resolved(path)
    if target.exists() and (not target.is_dir() or (not replace and any(target.iterdir()))):
        raise FileExistsError(17, "already exists; remove it or choose another name", os.fspath(path))
    temporary = _temporary(target)
    temporary.mkdir()
    try:
        yield temporary
        _take_name(temporary, target)
    except BaseException as error:
        shutil.rmtree(temporary, ignore_errors=True)
        _name_target(error, temporary, path)
        raise


_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def _name_target(error: BaseException, temporary: Path, path: PathLike) -> None:
    """Let the error of a disk name what was to be written: the system names nothing, or a temporary file."""
    if not (isinstance(error, OSError) and error.errno in _FULL):
        return
    if error.filename is None or str(error.filename).startswith(
        str(temporary)
    ):  # and not another file, written meanwhile
        error.filename = os.fspath(path)


def _take_name(complete: Path, target: Path) -> None:
    """Rename a complete folder to the target's name; an existing target is removed afterwards."""
    if not target.exists():
        complete.rename(target)
        return
    if _exchange_names(complete, target):  # at every moment, the name is that of a complete folder
        shutil.rmtree(complete, ignore_errors=True)
        return
    old = complete.with_suffix(".old")
    target.rename(old)
    try:
        complete.rename(target)
    except BaseException:
        old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)


_AT_FDCWD, _EXCHANGE = -100, 2  # of renameat2(2), in <fcntl.h> and <stdio.h>


def _exchange_names(one: Path, other: Path) -> bool:
    """Exchange the names of two folders at once; return whether the system and the disk can do this (Linux on most disks)."""
    try:
        renameat2 = ctypes.CDLL(None).renameat2
    except (OSError, TypeError, AttributeError):
        return False
    done: int = renameat2(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _EXCHANGE)
    return done == 0
