"""The record of a cell: its results, its cost, and the code and machine that produced it.

A record is one JSON file, ``FOLDER/DATASET/METHOD-SEED.json``, one line per key. It is written whole or not at all. A failed cell
has a record too, with a sentence that says why.

*Which code.* The commit, with ``+changes`` if files of the package differ from it; outside a checkout of hyperhedge, the
version of the package.
"""

from __future__ import annotations

import math
import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal

import msgspec

from hyperhedge.bench.experiment import Cell
from hyperhedge.errors import FormatError, HyperhedgeError
from hyperhedge.io.files import atomic_file, read_bytes

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
    """The code that produced a record, and the date."""

    commit: str | None
    version: str
    date: str


class Record(msgspec.Struct, frozen=True):
    """What is kept of a cell."""

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
        """The AUC behind the detectability score; below 0.5 it counts as 0.5."""
        score = self.properties.get("detectability")
        return None if score is None else 1 - score / 2

    @property
    def total_seconds(self) -> float:
        """The seconds of the whole cell; those of the training alone are part of those of the fit."""
        return math.fsum(seconds for task, seconds in self.seconds.items() if task != "training")

    @property
    def samples_per_second(self) -> float | None:
        """How many hypergraphs were generated per second."""
        seconds = self.seconds.get("sample")
        return self.cell.protocol.counts[2] / seconds if seconds else None

    def results(self) -> dict[str, Any]:
        """Return what a second run must reproduce: everything except times, memory, machine and code."""
        names = ("cell", "fingerprint", "status", "error", "metrics", "properties", "facts")
        reproducible: dict[str, Any] = msgspec.to_builtins({name: getattr(self, name) for name in names})
        return reproducible


def failed_record(cell: Cell, error: Exception) -> Record:
    """Return the record of a cell that failed."""
    sentence = " ".join(str(error).split()) or type(error).__name__
    return Record(
        cell=cell,
        fingerprint=cell.fingerprint,
        status="failed",
        error=sentence if isinstance(error, HyperhedgeError) else f"{type(error).__name__}: {sentence}",
        machine=machine_facts(),
        versions=versions_of(),
    )


def record_file(folder: Path, cell: Cell) -> Path:
    """Return the path of a cell's record.

    Examples
    --------
    >>> from hyperhedge.bench.experiment import Protocol
    >>> cell = Cell("cora", "hedge", 3, "cora", "hedge", {}, Protocol(200, 100, 100))
    >>> record_file(Path("mine.results"), cell).as_posix()
    'mine.results/cora/hedge-3.json'
    """
    return folder / cell.dataset / f"{cell.method}-{cell.seed}.json"


def write_record(folder: Path, record: Record) -> Path:
    """Write a record, one line per key."""
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
            f"this is not a benchmark record ({error}); remove it to run the cell again", path=file
        ) from None


# -- code and machine --------------------------------------------------------------------------------


def provenance() -> Provenance:
    """Return the commit or version of the running code, and today's date."""
    return Provenance(commit_of(Path(__file__)), _version("hyperhedge"), datetime.now(UTC).strftime("%Y-%m-%d"))


def commit_of(file: Path, *, watched: tuple[str, ...] = ("src",)) -> str | None:
    """Return the commit of the checkout that tracks a file, with ``+changes`` if watched folders were changed; else None.

    An installed package may lie inside another project's checkout, which does not track its files.
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
    """Return the installed versions of libraries."""
    return {library: _version(library) for library in libraries}


def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return "not installed"
