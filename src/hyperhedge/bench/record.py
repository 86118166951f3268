"""The record of a cell: what came out, what it cost, and where it was made.

A record is one JSON file, ``results/EXPERIMENT/DATASET/METHOD-SEED.json``, a line for each key. It is written whole or not at all.
A cell that failed has a record too, with the sentence that says why.

*Where it was made.* The commit, with ``+changes`` if files of the package differ from it; outside a checkout of hyperhedge there
is none, and the version of the package says which code it was.
"""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal

import msgspec

from hyperhedge.bench.experiment import Cell
from hyperhedge.errors import FormatError
from hyperhedge.io.files import atomic_file, read_bytes

__all__ = [
    "Measured",
    "Provenance",
    "Record",
    "commit_of",
    "machine_facts",
    "provenance",
    "read_record",
    "record_file",
    "versions_of",
    "write_record",
]

FORMAT_VERSION = 1
_LIBRARIES = ("hyperhedge", "numpy", "scipy", "scikit-learn", "numba", "torch")


class Measured(msgspec.Struct, frozen=True):
    """One metric: its value with interval, floor and ceiling; None where there is none."""

    value: float | None
    low: float | None = None
    high: float | None = None
    floor: float | None = None
    ceiling: float | None = None


class Provenance(msgspec.Struct, frozen=True):
    """Which code made a record, and when."""

    commit: str | None
    version: str
    date: str


class Record(msgspec.Struct, frozen=True):
    """What a cell left."""

    cell: Cell
    fingerprint: str
    status: Literal["done", "failed"]
    error: str | None = None
    metrics: dict[str, Measured] = {}
    properties: dict[str, float | None] = {}
    facts: dict[str, Any] = {}
    seconds: dict[str, float] = {}
    peak_mib: float | None = None
    machine: dict[str, Any] = {}
    versions: dict[str, str] = {}
    provenance: Provenance | None = None
    format: Literal["hyperhedge-benchmark-record"] = "hyperhedge-benchmark-record"
    format_version: int = FORMAT_VERSION

    @property
    def auc(self) -> float | None:
        """The AUC that the detectability score stands for; below 0.5 it is taken as 0.5."""
        score = self.properties.get("detectability")
        return None if score is None else 1 - score / 2

    @property
    def samples_per_second(self) -> float | None:
        """How fast the hypergraphs were drawn."""
        seconds = self.seconds.get("sample")
        return self.cell.protocol.generated / seconds if seconds else None

    def results(self) -> dict[str, Any]:
        """Return what must come out again: all but times, memory, machine and code."""
        kept = ("cell", "fingerprint", "status", "error", "metrics", "properties", "facts")
        found: dict[str, Any] = msgspec.to_builtins({name: getattr(self, name) for name in kept})
        return found


def record_file(folder: Path, cell: Cell) -> Path:
    """Say where a cell's record is.

    Examples
    --------
    >>> from hyperhedge.bench.experiment import Protocol
    >>> cell = Cell("cora", "hedge", 3, "cora", "hedge", {}, Protocol(200, 100, 100))
    >>> record_file(Path("results/real"), cell).as_posix()
    'results/real/cora/hedge-3.json'
    """
    return folder / cell.dataset / f"{cell.method}-{cell.seed}.json"


def write_record(folder: Path, record: Record) -> Path:
    """Write a record: a line for each key."""
    file = record_file(folder, record.cell)
    file.parent.mkdir(parents=True, exist_ok=True)
    lines = [
        b" %b: %b" % (msgspec.json.encode(key), msgspec.json.encode(getattr(record, key)))
        for key in record.__struct_fields__
    ]
    with atomic_file(file) as out:
        out.write(b"{\n" + b",\n".join(lines) + b"\n}\n")
    return file


def read_record(file: Path) -> Record | None:
    """Read a record; None if there is none."""
    try:
        return msgspec.json.decode(read_bytes(file), type=Record)
    except FileNotFoundError:
        return None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise FormatError(
            f"this is no record of a benchmark ({error}); remove it, and the cell is run again", path=file
        ) from None


# -- where it was made -------------------------------------------------------------------------------


def provenance() -> Provenance:
    """Tell which code this is."""
    return Provenance(commit_of(Path(__file__)), _version("hyperhedge"), datetime.now(UTC).strftime("%Y-%m-%d"))


def commit_of(file: Path, *, watched: tuple[str, ...] = ("src",)) -> str | None:
    """Name the commit of the checkout that a file is part of, and say whether watched folders were changed; None without one.

    An installed package may lie in a folder that happens to be somebody's checkout: only one that tracks the file counts.
    """
    folder = file.resolve().parent
    try:
        _git(folder, "ls-files", "--error-unmatch", file.name)
        root = Path(_git(folder, "rev-parse", "--show-toplevel"))
        head = _git(root, "rev-parse", "--short=12", "HEAD")
        changed = _git(root, "status", "--porcelain", "--", *watched)
    except (OSError, subprocess.CalledProcessError):
        return None
    return head + ("+changes" if changed else "")


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=True)  # noqa: S603, S607
    return done.stdout.strip()


def machine_facts() -> dict[str, Any]:
    """Describe this machine."""
    return {
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
    }


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def versions_of(libraries: tuple[str, ...] = _LIBRARIES) -> dict[str, str]:
    """Tell the versions of libraries."""
    return {library: _version(library) for library in libraries}


def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return "not installed"
