"""The paper beside our results: what it says of its datasets, the numbers it prints, and tables and figures shaped like its own."""

from benchmarks.paper.datasets import DATASETS, PaperDataset, implied_degree
from benchmarks.paper.numbers import (
    FORWARD,
    GEOMETRY,
    REAL,
    STRUCTURE,
    SUMMARY,
    SUMMARY_METRICS,
    paper_cell,
)

__all__ = [
    "DATASETS",
    "FORWARD",
    "GEOMETRY",
    "REAL",
    "STRUCTURE",
    "SUMMARY",
    "SUMMARY_METRICS",
    "PaperDataset",
    "implied_degree",
    "paper_cell",
]
