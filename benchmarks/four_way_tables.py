"""The four-way table of docs/metrics.md: real, HCM-MCMC, ER-HG and a shuffled control, beside the paper's rows."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from benchmarks.hedge_tables import spread
from benchmarks.paper import DATASETS
from benchmarks.paper import REAL as ROWS
from hyperhedge.metrics import METRICS

__all__ = ["blocks"]

METHODS = ("real", "HCM-MCMC", "ER-HG", "shuffled")


def blocks(record: dict[str, Any]) -> dict[str, str]:
    """Return the table by its name."""
    config = record["config"]
    values: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for row in record["measured"]["methods"]:
        for key, value in row["values"].items():
            values[key, row["method"], row["dataset"]].append(value)
    lines = [
        f"{config['train']} training, {config['test']} held-out and {config['test']} generated subhypergraphs per seed, seeds {config['seeds'][0]} to "
        f"{config['seeds'][-1]}; mean ± standard deviation over seeds.",
        "",
        f"| metric | method | {' | '.join(paper.title for paper in DATASETS.values())} |",
        f"|---|---|{'---:|' * len(DATASETS)}",
    ]
    for key in dict.fromkeys(key for key, _, _ in values):
        if not any(any(values[key, method, name]) for method in METHODS for name in DATASETS):
            continue  # the number of nodes, which nobody gets wrong here
        for k, method in enumerate(METHODS):
            cells = [spread(values[key, method, name], signed=True) for name in DATASETS]
            lines.append(f"| {METRICS[key].title if k == 0 else ''} | {method} | {' | '.join(cells)} |")
            if method in ROWS.get(key, {}):
                lines.append(f"| | *{method}, the paper* | {' | '.join(f'*{cell}*' for cell in ROWS[key][method])} |")
    return {"four-way": "\n".join(lines), "small sets": _small(record["measured"]["small sets"])}


def _small(rows: list[dict[str, Any]]) -> str:
    """Compare W₁(e) of small sets of real hypergraphs with the paper's HCM-MCMC."""
    distances = {(row["count"], row["dataset"]): row["size_wd"] for row in rows}
    lines = [
        f"| W₁(e) | {' | '.join(paper.title for paper in DATASETS.values())} |",
        f"|---|{'---:|' * len(DATASETS)}",
    ]
    for count in dict.fromkeys(count for count, _ in distances):
        cells = " | ".join(spread(distances[count, name], signed=True) for name in DATASETS)
        lines.append(f"| real, {count} against {count} | {cells} |")
    return "\n".join([*lines, f"| *HCM-MCMC, the paper* | {' | '.join(ROWS['size_wd']['HCM-MCMC'])} |"])
