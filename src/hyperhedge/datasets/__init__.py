"""Data: six real hypergraphs, four synthetic regimes, and banks of subhypergraphs.

The modules, each built on those before it: :mod:`~hyperhedge.datasets.store` and
:mod:`~hyperhedge.datasets.plain_pickle` (bytes), :mod:`~hyperhedge.datasets.catalogue` (the real datasets),
:mod:`~hyperhedge.datasets.regimes` (the synthetic ones), :mod:`~hyperhedge.datasets.subhypergraph` and
:mod:`~hyperhedge.datasets.splits` (what banks are made of), :mod:`~hyperhedge.datasets.dataset` and
:mod:`~hyperhedge.datasets.load`.
"""

from hyperhedge.datasets.catalogue import CATALOGUE
from hyperhedge.datasets.dataset import Collection, Dataset, Observed, Synthetic
from hyperhedge.datasets.load import NAMES, load_dataset
from hyperhedge.datasets.regimes import (
    REGIMES,
    Committee,
    Configuration,
    OverlappingBlocks,
    Regime,
    SparseTailOverlap,
)
from hyperhedge.datasets.splits import Sharing, Splits, sharing
from hyperhedge.datasets.store import DataError, Store
from hyperhedge.datasets.subhypergraph import SubhypergraphSampler

__all__ = [
    "CATALOGUE",
    "NAMES",
    "REGIMES",
    "Collection",
    "Committee",
    "Configuration",
    "DataError",
    "Dataset",
    "Observed",
    "OverlappingBlocks",
    "Regime",
    "Sharing",
    "SparseTailOverlap",
    "Splits",
    "Store",
    "SubhypergraphSampler",
    "Synthetic",
    "load_dataset",
    "sharing",
]
