"""The numbers that the paper prints, as it prints them, for comparison with ours; they are in ``numbers.toml``."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from benchmarks.paper.datasets import DATASETS

__all__ = ["FORWARD", "GEOMETRY", "REAL", "STRUCTURE", "SUMMARY", "SUMMARY_METRICS", "paper_cell"]

_TABLES: dict[str, Any] = tomllib.loads(Path(__file__).with_name("numbers.toml").read_text(encoding="utf-8"))

REAL: dict[str, dict[str, list[str]]] = _TABLES["real"]
"""By metric and method, a number for each of :data:`~benchmarks.paper.datasets.DATASETS`, whose order is that of the columns."""

SUMMARY_METRICS = ("intersection_wd", "overlap_tail_gap", "node_spectral_wd", "edge_spectral_wd", "feature_mmd")
SUMMARY: dict[str, list[str]] = _TABLES["summary"]
"""By variant, a number for each of :data:`SUMMARY_METRICS`."""

STRUCTURE = ("degree_wd", "size_wd", *SUMMARY_METRICS)
FORWARD: dict[str, dict[str, list[str]]] = _TABLES["forward"]
GEOMETRY: dict[str, dict[str, list[str]]] = _TABLES["geometry"]
"""By regime and variant, a number for each of :data:`STRUCTURE`."""


def paper_cell(metric: str, method: str, dataset: str) -> str | None:
    """Return what the paper prints for a real dataset, if anything.

    Examples
    --------
    >>> paper_cell("intersection_wd", "HEDGE", "cora")
    '0.017 ± 0.004'
    >>> paper_cell("pair_degree_ks", "HEDGE", "cora") is None
    True
    """
    row = REAL.get(metric, {}).get(method)
    return row[list(DATASETS).index(dataset)] if row and dataset in DATASETS else None
