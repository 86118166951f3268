"""Data: seven real hypergraphs, four synthetic regimes, and banks of subhypergraphs.

The modules, each built on those before it: :mod:`~hyperhedge.data.store` and
:mod:`~hyperhedge.data.plain_pickle` (bytes), :mod:`~hyperhedge.data.catalogue` (the real datasets),
:mod:`~hyperhedge.data.regimes` (the synthetic ones), :mod:`~hyperhedge.data.subhypergraph`,
:mod:`~hyperhedge.data.likeness`, :mod:`~hyperhedge.data.proposal`, :mod:`~hyperhedge.data.partition` and
:mod:`~hyperhedge.data.splits` (how banks are made), :mod:`~hyperhedge.data.dataset` and :mod:`~hyperhedge.data.load`.
"""

from hyperhedge.data.catalogue import CATALOGUE
from hyperhedge.data.dataset import Collection, Dataset, Observed, Synthetic
from hyperhedge.data.likeness import Looks
from hyperhedge.data.load import NAMES, load_dataset
from hyperhedge.data.proposal import Proposal
from hyperhedge.data.regimes import (
    REGIMES,
    Committee,
    Configuration,
    OverlappingBlocks,
    Regime,
    SparseTailOverlap,
)
from hyperhedge.data.splits import Sharing, Splits, sharing
from hyperhedge.data.store import Store
from hyperhedge.data.subhypergraph import SubhypergraphSampler
from hyperhedge.errors import DataError

__all__ = [
    "CATALOGUE",
    "NAMES",
    "REGIMES",
    "Collection",
    "Committee",
    "Configuration",
    "DataError",
    "Dataset",
    "Looks",
    "Observed",
    "OverlappingBlocks",
    "Proposal",
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
