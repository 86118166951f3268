"""Records of measurements: what was measured, how, when, on which machine and by which commit."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

__all__ = ["RESULTS", "commit", "load", "save"]

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "results"


def save(name: str, config: dict[str, Any], measured: Any, libraries: tuple[str, ...]) -> Path:
    """Write a record; its name is its file's."""
    record = {
        "name": name,
        "commit": commit(),
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "machine": _machine(),
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
    head = _git("rev-parse", "--short=12", "HEAD")
    changed = _git("status", "--porcelain", "--", "src", "benchmarks")
    return head + ("+changes" if changed else "")


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def _machine() -> dict[str, Any]:
    names = [
        line.partition(":")[2].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith("model name")
    ]
    return {
        "cpu": names[0] if names else platform.processor(),
        "cores": os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
    }
