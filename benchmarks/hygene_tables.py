"""The generated parts of docs/hygene.md."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.hedge_tables import collected, spread, title
from benchmarks.paper import DATASETS
from hyperhedge.bench.paper import REAL as ROWS
from hyperhedge.metrics import METRICS

__all__ = ["blocks"]

METHODS = ("real", "HYGENE", "Hedge", "HCM-MCMC", "ER-HG")


def blocks(record: dict[str, Any]) -> dict[str, str]:
    """Return the tables of quality and of speed."""
    return {"hygene quality": _quality(record), "hygene speed": _speed(record)}


def _quality(record: dict[str, Any]) -> str:
    """Show every metric, with the paper's HYGENE where it prints one."""
    cases, keys, values = collected(record)
    lines = [f"| metric | method | {' | '.join(map(title, cases))} |", f"|---|---|{'---:|' * len(cases)}"]
    names = list(DATASETS)
    for key in keys:
        for k, method in enumerate(METHODS):
            cells = [spread(values[key, method, case]) for case in cases]
            lines.append(f"| {METRICS[key].title if k == 0 else ''} | {method} | {' | '.join(cells)} |")
        printed = ROWS.get(key, {}).get("HYGENE")
        if printed:
            cells = [f"*{printed[names.index(case)]}*" if case in names else "" for case in cases]
            lines.append(f"| | *HYGENE, the paper* | {' | '.join(cells)} |")
    return "\n".join(lines)


def _speed(record: dict[str, Any]) -> str:
    """Show minutes of training and samples a second, of Hedge and HYGENE in one run, with validity and novelty."""
    lines = [
        "| | method | steps | minutes | parameters | samples/s | validity | novelty |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    for case in record["measured"]:
        for method in ("HYGENE", "Hedge"):
            own = [row for row in case["rows"] if row["method"] == method]
            training = case["training"][method]
            rate = record["config"]["test"] / float(np.median([row["seconds"] for row in own]))
            lines.append(
                f"| {title(case['case'])} | {method} | {training['iterations']:,} | {training['seconds'] / 60:.1f} "
                f"| {training['parameters']:,} | {rate:.1f} | {np.mean([row['validity'] for row in own]):.2f} "
                f"| {np.mean([row['novelty'] for row in own]):.2f} |"
            )
    return "\n".join(lines)
