"""The four-way table of docs/metrics.md: real, HCM-MCMC, ER-HG and a shuffled control, beside the paper's rows."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

from benchmarks.paper import DATASETS, ROWS
from hyperhedge.metrics import METRICS

__all__ = ["blocks"]

METHODS = ("real", "HCM-MCMC", "ER-HG", "shuffled")


def blocks(record: dict[str, Any]) -> dict[str, str]:
    """Return the table by its name."""
    config = record["config"]
    values: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for row in record["measured"]:
        for key, value in row["values"].items():
            values[key, row["method"], row["dataset"]].append(value)
    lines = [
        f"{config['train']} training, {config['test']} held-out and {config['test']} generated subhypergraphs a seed, seeds {config['seeds'][0]} to "
        f"{config['seeds'][-1]}; mean ± standard deviation over seeds.",
        "",
        f"| metric | method | {' | '.join(paper.title for paper in DATASETS.values())} |",
        f"|---|---|{'---:|' * len(DATASETS)}",
    ]
    for key in dict.fromkeys(key for key, _, _ in values):
        for k, method in enumerate(METHODS):
            cells = [_spread(values[key, method, name]) for name in DATASETS]
            lines.append(f"| {METRICS[key].title if k == 0 else ''} | {method} | {' | '.join(cells)} |")
            if method in ROWS.get(key, {}):
                lines.append(f"| | *{method}, the paper* | {' | '.join(f'*{cell}*' for cell in ROWS[key][method])} |")
    return {"four-way": "\n".join(lines)}


def _spread(found: list[float]) -> str:
    return f"{np.mean(found):.3f} ± {np.std(found, ddof=1):.3f}"
