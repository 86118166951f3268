"""Records of measurements: what was measured, how, when, on which machine and by which commit."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from hyperhedge.bench.record import commit_of, machine_facts

__all__ = ["RESULTS", "commit", "load", "save"]

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "results"


def save(name: str, config: dict[str, Any], measured: Any, libraries: tuple[str, ...]) -> Path:
    """Write a record; its name is its file's."""
    record = {
        "name": name,
        "commit": commit(),
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "machine": machine_facts(),
        "versions": {library: version(library) for library in ("hyperhedge", "numpy", *libraries)},
        "config": config,
        "measured": measured,
    }
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    temporary = path.with_suffix(".tmp")
    temporary.write_text(json.dumps(record, indent=1) + "\n")
    temporary.replace(path)
    return path


def load(name: str) -> dict[str, Any]:
    """Read a record."""
    record: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text())
    return record


def commit() -> str:
    """Name the commit that measures, and whether its files were changed."""
    return commit_of(Path(__file__), watched=("src", "benchmarks")) or "unknown"
