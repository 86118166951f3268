"""A dataset: something that banks of hypergraphs are drawn from.

There are three kinds. An *observed* one is a single hypergraph, of which subhypergraphs are drawn; a *collection* is
many, each of which may be taken whole or be drawn from; a *synthetic* one is a law.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from hyperhedge.datasets.regimes import Regime
from hyperhedge.datasets.splits import Splits, cut_points, partition_hyperedges
from hyperhedge.datasets.subhypergraph import SubhypergraphSampler
from hyperhedge.errors import HyperhedgeError
from hyperhedge.hypergraph import Hypergraph

__all__ = ["Collection", "Dataset", "Observed", "Size", "Synthetic"]

Size: TypeAlias = int | tuple[int, int]
"""A number, or the least and the greatest of a range from which it is drawn uniformly."""


@dataclass(frozen=True)
class Dataset(ABC):
    """What banks are drawn from; see :func:`~hyperhedge.load_dataset`.

    Attributes
    ----------
    name, description
        What it is called and what it is.
    bank_size
        The number of nodes and of hyperedges that a bank has if none is asked for.
    """

    name: str
    description: str
    bank_size: tuple[int, int] | None

    def bank(
        self,
        n: Size | None = None,
        m: Size | None = None,
        count: int = 300,
        *,
        seed: int | np.random.Generator = 0,
        **options: Any,
    ) -> list[Hypergraph]:
        """Draw a bank of hypergraphs.

        Parameters
        ----------
        n, m
            The number of nodes and of hyperedges, or ranges of them, ``(least, greatest)``, from which each
            hypergraph's are drawn uniformly; the dataset's own ``bank_size`` if not given.
        count
            How many.
        seed
            A seed or a generator. The first hypergraphs of a bank do not depend on how many follow.
        options
            For what is observed: ``protocol=``, ``restart=``, ``trim=``, ``isolated=`` of
            :class:`~hyperhedge.datasets.SubhypergraphSampler`. For a regime: its parameters.

        Examples
        --------
        >>> import hyperhedge as hh
        >>> bank = hh.load_dataset("committee").bank(n=(20, 30), m=8, count=5, seed=0)
        >>> [H.n for H in bank], {H.m for H in bank}
        ([29, 26, 25, 20, 27], {8})
        """
        _check_count(count, "count")
        return self._draw(*self._sizes(n, m), count, np.random.default_rng(seed), options)

    def splits(
        self,
        n: Size | None = None,
        m: Size | None = None,
        counts: Sequence[int] = (200, 50, 50),
        *,
        seed: int = 0,
        leak_free: bool = False,
        **options: Any,
    ) -> Splits:
        """Draw a training, a validation and a test set.

        ``counts`` says how many hypergraphs each has, and the other arguments are those of :meth:`bank`. With
        ``leak_free``, no hyperedge of an observed hypergraph (no hypergraph of a collection) is in two sets.

        Examples
        --------
        >>> import hyperhedge as hh
        >>> [len(part) for part in hh.load_dataset("configuration").splits(16, 8, (5, 2, 3))]
        [5, 2, 3]
        """
        if len(counts) != 3:
            raise HyperhedgeError(f"counts says how many hypergraphs train, validation and test have, not {counts!r}")
        for count in counts:
            _check_count(count, "counts")
        sizes = self._sizes(n, m)
        cut, *rngs = np.random.default_rng(seed).spawn(4)
        sources = self._parts(counts, sizes, cut, options) if leak_free else [self] * 3
        drawn = [
            source._draw(*sizes, count, rng, options) if count else []
            for source, count, rng in zip(sources, counts, rngs, strict=True)
        ]
        return Splits(*drawn)

    def _sizes(self, n: Size | None, m: Size | None) -> tuple[Size, Size]:
        if self.bank_size is None and (n is None or m is None):
            raise HyperhedgeError(
                f"say how many nodes (n) and hyperedges (m) the hypergraphs of {self.name} should have"
            )
        own_n, own_m = self.bank_size or (1, 1)
        return _check_size(own_n if n is None else n, "n"), _check_size(own_m if m is None else m, "m")

    @abstractmethod
    def _draw(
        self, n: Size, m: Size, count: int, rng: np.random.Generator, options: dict[str, Any]
    ) -> list[Hypergraph]:
        """Draw a bank; the arguments were checked."""

    @abstractmethod
    def _parts(
        self, shares: Sequence[int], sizes: tuple[Size, Size], rng: np.random.Generator, options: dict[str, Any]
    ) -> Sequence[Dataset]:
        """Cut the dataset into parts that have nothing in common."""


@dataclass(frozen=True)
class Observed(Dataset):
    """One observed hypergraph."""

    hypergraph: Hypergraph

    def _draw(
        self, n: Size, m: Size, count: int, rng: np.random.Generator, options: dict[str, Any]
    ) -> list[Hypergraph]:
        sampler = _sampler(self.hypergraph, options)
        return [sampler.draw(_one(n, rng), _one(m, rng), rng) for _ in range(count)]

    def _parts(
        self, shares: Sequence[int], sizes: tuple[Size, Size], rng: np.random.Generator, options: dict[str, Any]
    ) -> Sequence[Dataset]:
        local = _sampler(self.hypergraph, options).protocol != "uniform"
        least = _greatest(sizes[1])
        parts = partition_hyperedges(self.hypergraph, shares, least, local=local, rng=rng)
        return [Observed(self.name, self.description, self.bank_size, part) for part in parts]


@dataclass(frozen=True)
class Collection(Dataset):
    """Many hypergraphs. Without ``n`` and ``m``, a bank is some of them, each at most once."""

    hypergraphs: tuple[Hypergraph, ...]

    def _sizes(self, n: Size | None, m: Size | None) -> tuple[Size, Size]:
        return (0, 0) if n is None and m is None else super()._sizes(n, m)

    def _draw(
        self, n: Size, m: Size, count: int, rng: np.random.Generator, options: dict[str, Any]
    ) -> list[Hypergraph]:
        if (n, m) == (0, 0):
            return self._whole(count, rng, options)
        samplers = [_sampler(H, options) for H in self.hypergraphs]
        picked = (samplers[rng.integers(len(samplers))] for _ in range(count))
        return [sampler.draw(_one(n, rng), _one(m, rng), rng) for sampler in picked]

    def _whole(self, count: int, rng: np.random.Generator, options: dict[str, Any]) -> list[Hypergraph]:
        if options:
            raise HyperhedgeError(f"{next(iter(options))} says how to draw subhypergraphs; give n and m too")
        if count > len(self.hypergraphs):
            raise HyperhedgeError(
                f"{count} hypergraphs are asked for and {self.name} has {len(self.hypergraphs)}; ask for at most "
                f"{len(self.hypergraphs)}, or give n and m to draw subhypergraphs of them"
            )
        return [self.hypergraphs[k] for k in rng.permutation(len(self.hypergraphs))[:count]]

    def _parts(
        self, shares: Sequence[int], sizes: tuple[Size, Size], rng: np.random.Generator, options: dict[str, Any]
    ) -> Sequence[Dataset]:
        del sizes, options
        wanted = [k for k, share in enumerate(shares) if share]
        if len(wanted) > len(self.hypergraphs):
            raise HyperhedgeError(
                f"{len(wanted)} leak-free splits need as many hypergraphs, and {self.name} has {len(self.hypergraphs)}"
            )
        order = rng.permutation(len(self.hypergraphs))
        counts = [shares[k] for k in wanted]
        ends = cut_points(len(order), counts, counts if sum(counts) <= len(order) else [1] * len(wanted))
        parts = dict(zip(wanted, np.split(order, ends), strict=True))
        return [
            Collection(
                self.name, self.description, self.bank_size, tuple(self.hypergraphs[j] for j in parts.get(k, ()))
            )
            for k in range(len(shares))
        ]


@dataclass(frozen=True)
class Synthetic(Dataset):
    """A law from which independent hypergraphs are drawn."""

    regime: type[Regime]

    def _draw(
        self, n: Size, m: Size, count: int, rng: np.random.Generator, options: dict[str, Any]
    ) -> list[Hypergraph]:
        try:
            regime = self.regime(**options)
        except TypeError:
            takes = ", ".join(self.regime.parameters())
            raise HyperhedgeError(f"the regime {self.name} takes {takes}, not {', '.join(options)}") from None
        if isinstance(n, int) and isinstance(m, int):
            return regime.draw(n, m, count, rng)
        return [regime.draw_one(_one(n, rng), _one(m, rng), rng) for _ in range(count)]

    def _parts(
        self, shares: Sequence[int], sizes: tuple[Size, Size], rng: np.random.Generator, options: dict[str, Any]
    ) -> Sequence[Dataset]:
        del sizes, rng, options
        return [self] * len(shares)  # independent draws have nothing in common


def _sampler(H: Hypergraph, options: dict[str, Any]) -> SubhypergraphSampler:
    try:
        return SubhypergraphSampler(H, **options)
    except TypeError:
        wrong = [name for name in options if name not in ("protocol", "restart", "trim", "isolated")]
        raise HyperhedgeError(
            f"a bank of subhypergraphs takes protocol, restart, trim and isolated, not {', '.join(wrong)}"
        ) from None


def _check_count(count: Any, name: str) -> None:
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 0:
        raise HyperhedgeError(f"{name} must be a whole number from 0, not {count!r}")


def _check_size(size: Any, name: str) -> Size:
    """Check a number or a range of numbers."""
    ends = (size, size) if isinstance(size, int | np.integer) else size
    if (
        isinstance(size, bool)
        or not isinstance(ends, tuple | list)
        or len(ends) != 2
        or not all(isinstance(end, int | np.integer) and not isinstance(end, bool) for end in ends)
        or not 1 <= ends[0] <= ends[1]
    ):
        raise HyperhedgeError(f"{name} is a whole number from 1, or a range (least, greatest) of them, not {size!r}")
    return int(ends[0]) if ends[0] == ends[1] else (int(ends[0]), int(ends[1]))


def _one(size: Size, rng: np.random.Generator) -> int:
    return size if isinstance(size, int) else int(rng.integers(size[0], size[1], endpoint=True))


def _greatest(size: Size) -> int:
    return size if isinstance(size, int) else size[1]
