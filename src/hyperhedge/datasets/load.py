"""Datasets by name, and anybody's files in their place."""

from __future__ import annotations

import difflib
import os
from pathlib import Path

from rich.console import Console

from hyperhedge.datasets.catalogue import CATALOGUE
from hyperhedge.datasets.dataset import Collection, Dataset, Observed, Synthetic
from hyperhedge.datasets.regimes import REGIMES
from hyperhedge.datasets.store import DataError, Store
from hyperhedge.io.files import PathLike
from hyperhedge.io.formats import is_collection, read, read_collection

__all__ = ["NAMES", "load_dataset"]

NAMES = (*CATALOGUE, *REGIMES)
"""The names of all datasets."""


def load_dataset(name: PathLike, *, store: Store | None = None, progress: Console | None = None) -> Dataset:
    """Load a real dataset, a synthetic regime, or a file of one's own.

    Parameters
    ----------
    name
        One of ``cora``, ``citeseer``, ``dblp``, ``actor``, ``twitch``, ``house-committees`` (downloaded at first use, see
        :mod:`hyperhedge.datasets.store`); of ``configuration``, ``overlapping-blocks``, ``committee``,
        ``sparse-tail-overlap``; or the path of a file or folder that :func:`~hyperhedge.read` or
        :func:`~hyperhedge.read_collection` reads. A file that has a dataset's name is written ``./cora``.
    store
        Where the files of real datasets are; what the environment says if not given.
    progress
        Where to show the progress of a download.

    Examples
    --------
    >>> import hyperhedge as hh
    >>> dataset = hh.load_dataset("sparse-tail-overlap")
    >>> dataset.bank(n=64, m=25, count=2, seed=0)
    [<Hypergraph: 64 nodes, 25 hyperedges, 92 incidences>, <Hypergraph: 64 nodes, 25 hyperedges, 81 incidences>]
    """
    text = os.fspath(name)
    if text in CATALOGUE:
        entry = CATALOGUE[text]
        hypergraph = entry.load(store or Store.from_environment(progress=progress))
        return Observed(entry.name, entry.description, entry.bank_size, hypergraph)
    if text in REGIMES:
        regime = REGIMES[text]
        return Synthetic(regime.name, regime.description, (64, 25), regime)
    return _own(text)


def _own(path: str) -> Dataset:
    if not Path(path).exists():
        close = difflib.get_close_matches(path.lower(), NAMES, n=1)
        meant = f"; did you mean {close[0]!r}?" if close else f"; the datasets are {', '.join(NAMES)}"
        raise DataError(f"{path}: neither a dataset nor a file that is there{meant}")
    if not is_collection(path):
        return Observed(path, "a hypergraph of your own", None, read(path))
    collection = tuple(read_collection(path))
    if not collection:
        raise DataError(f"{path}: the collection is empty")
    return Collection(path, "a collection of your own", None, collection)
