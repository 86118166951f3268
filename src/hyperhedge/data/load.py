"""Datasets by name, from files, and from hypergraphs in memory."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator
from typing import Any

from rich.console import Console

from hyperhedge.convert import as_hypergraph, as_hypergraphs
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.data.catalogue import CATALOGUE
from hyperhedge.data.dataset import Collection, Dataset, Observed, Synthetic
from hyperhedge.data.regimes import REGIMES
from hyperhedge.data.store import Store
from hyperhedge.errors import DataError
from hyperhedge.io.formats import exists, read_as_stored

NAMES = (*CATALOGUE, *REGIMES)
"""The names of all datasets."""


_REGIME_SHAPE = (64, 25)  # as the paper has it for Cora and Citeseer


def load_dataset(source: Any, *, store: Store | None = None, progress: Console | None = None) -> Dataset:
    """Load a real dataset, a synthetic regime, or your own hypergraphs.

    Parameters
    ----------
    source
        One of

        - a real dataset: ``cora``, ``citeseer``, ``dblp``, ``actor``, ``twitch``, ``house-committees``,
          ``contact-high-school``, ``email-enron``, ``ndc-classes``, ``tags-ubuntu``, ``cora-coauthorship`` (downloaded at
          first use, see :mod:`hyperhedge.data.store`) or ``southern-women`` (part of the package);
        - a synthetic regime: ``configuration``, ``overlapping-blocks``, ``committee`` or ``sparse-tail-overlap``;
        - the path of a file or folder that :func:`~hyperhedge.read` or :func:`~hyperhedge.read_collection` reads; a
          file that has a dataset's name is written ``./cora``;
        - a hypergraph in memory, of any type that :func:`~hyperhedge.convert.as_hypergraph` takes, or a list of them.
    store
        Where the files of real datasets are; by default as the environment says.
    progress
        Where to show the progress of a download.

    Examples
    --------
    >>> import hyperhedge as hh
    >>> dataset = hh.load_dataset("sparse-tail-overlap")
    >>> dataset.bank(n=64, m=25, count=2, seed=0)
    [<Hypergraph: 64 nodes, 25 hyperedges, 92 incidences>, <Hypergraph: 64 nodes, 25 hyperedges, 81 incidences>]
    >>> hh.load_dataset(hh.Hypergraph([["ann", "bo"], ["bo", "cy"]])).hypergraph
    <Hypergraph: 3 nodes, 2 hyperedges, 4 incidences>
    """
    if isinstance(source, list | tuple | Iterator):
        return _collection("in-memory collection", as_hypergraphs(source, "source"))
    if not isinstance(source, str | os.PathLike):
        return _observed("in-memory hypergraph", as_hypergraph(source, "source"))
    name = os.fspath(source)
    if name in CATALOGUE:
        entry = CATALOGUE[name]
        hypergraph = entry.load(store or Store.from_environment(progress=progress))
        return Observed(entry.name, entry.description, entry.bank_shape, hypergraph)
    if name in REGIMES:
        regime = REGIMES[name]
        return Synthetic(regime.name, regime.description, _REGIME_SHAPE, regime)
    return _from_file(name)


def _from_file(path: str) -> Dataset:
    if not exists(path):
        close = difflib.get_close_matches(path.lower(), NAMES, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else f"; the datasets are {', '.join(NAMES)}"
        raise DataError(f"{path}: neither a dataset nor an existing file{hint}")
    content = read_as_stored(path)
    return _observed(path, content) if isinstance(content, Hypergraph) else _collection(path, content)


def _observed(name: str, H: Hypergraph) -> Observed:
    return Observed(name, "your hypergraph", None, H)


def _collection(name: str, hypergraphs: list[Hypergraph]) -> Collection:
    if not hypergraphs:
        raise DataError(f"{name}: the collection is empty")
    return Collection(name, "your collection of hypergraphs", None, tuple(hypergraphs))
