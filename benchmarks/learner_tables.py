"""The tables of hard problems in docs/hedge.md, from the record of :mod:`benchmarks.learner`."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

from benchmarks.learner import COMPARED
from hyperhedge.metrics import METRICS

__all__ = ["learner_block"]


def learner_block(record: dict[str, Any]) -> dict[str, str]:
    """Return a table with a row for each problem and each set of options, means over the seeds."""
    cells: dict[str, dict[str, list[dict[str, Any]]]] = defaultdict(lambda: defaultdict(list))
    for row in record["measured"]:
        cells[row["problem"]][row["label"]].append(row)
    titles = [METRICS[key].title for key in COMPARED]
    lines = [
        f"| | | {' | '.join(titles)} | AUC | novelty | seconds, one core | seeds |",
        f"|---|---|{'---:|' * (len(titles) + 4)}",
    ]
    for problem, labels in cells.items():
        every = [row for rows in labels.values() for row in rows]
        seeds = len({row["seed"] for row in every})
        lines.append(f"| {problem} | HCM-MCMC | {_shown(every, 'hcm', None)} | | | {seeds} |")
        lines += [
            f"| | {label} | {_shown(rows, 'own', 'network')} | {_mean(rows, 'novelty'):.2f} "
            f"| {np.mean([row['seconds']['fit'] for row in rows]):.0f} | {len(rows)} |"
            for label, rows in labels.items()
        ]
    return {"hedge hard": "\n".join(lines)}


def _shown(rows: list[dict[str, Any]], which: str, other: str | None) -> str:
    """Show distances as multiples of the floor, the other ones in brackets, and the AUC."""
    values = [_ratio(rows, which, key) for key in COMPARED]
    if other is None:
        return " | ".join([*values, f"{_auc(rows, which):.2f}"])
    others = [_ratio(rows, other, key) for key in COMPARED]
    cells = [f"{value} ({given})" for value, given in zip(values, others, strict=True)]
    return " | ".join([*cells, f"{_auc(rows, which):.2f} ({_auc(rows, other):.2f})"])


def _ratio(rows: list[dict[str, Any]], which: str, key: str) -> str:
    """Return the mean distance over the mean floor: a floor that happens to be small does not decide."""
    distance, floor = (np.mean([row[name][key] for row in rows]) for name in (which, "floor"))
    return f"{distance / floor:.1f}"


def _auc(rows: list[dict[str, Any]], which: str) -> float:
    return float(np.mean([row[which]["auc"] for row in rows]))


def _mean(rows: list[dict[str, Any]], key: str) -> float:
    return float(np.mean([row[key] for row in rows]))
