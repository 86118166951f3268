"""A dataset: something from which banks of hypergraphs are sampled.

There are three kinds. An *observed* one is a single hypergraph, of which subhypergraphs are sampled; a *collection* is
many, each taken whole or sampled from; a *synthetic* one is a probability law.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from rich.console import Console

from hyperhedge._system.memory import admit
from hyperhedge._system.progress import Meter
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.data.likeness import Looks
from hyperhedge.data.partition import Sample, partition_hyperedges
from hyperhedge.data.proposal import Proposal, propose_shape
from hyperhedge.data.regimes import Regime, batch_bytes
from hyperhedge.data.splits import NAMES, Splits, cut_points
from hyperhedge.data.subhypergraph import SubhypergraphSampler
from hyperhedge.errors import DataError, DataWarning, HyperhedgeError
from hyperhedge.typing import Seed

Range: TypeAlias = int | tuple[int, int]
"""A number, or the least and the greatest of a range from which it is sampled uniformly."""

ShapeRange: TypeAlias = tuple[Range, Range]
"""Numbers of nodes and of hyperedges."""

_AS_THEY_ARE: ShapeRange = (0, 0)  # members of a collection are taken whole


@dataclass(frozen=True)
class Dataset(ABC):
    """The source of banks; see :func:`~hyperhedge.load_dataset`.

    Attributes
    ----------
    name, description
        What it is called and what it is.
    bank_shape
        The numbers of nodes and hyperedges of a bank's hypergraphs, unless others are requested.
    """

    name: str
    description: str
    bank_shape: tuple[int, int] | None

    @cached_property  # unlike a property, it lets Observed have a field of this name
    def hypergraph(self) -> Hypergraph:
        """The hypergraph of an observed dataset; the other kinds have many and raise :class:`~hyperhedge.errors.DataError`."""
        raise DataError(f"{self.name} is not a single hypergraph; sample from it with bank() or splits()")

    def bank(
        self,
        n: Range | None = None,
        m: Range | None = None,
        count: int = 300,
        *,
        seed: Seed | None = None,
        progress: Console | bool | None = None,
        **options: Any,
    ) -> list[Hypergraph]:
        """Sample a bank of hypergraphs.

        Parameters
        ----------
        n, m
            The numbers of nodes and of hyperedges, or ranges ``(least, greatest)`` from which they are sampled
            uniformly for each hypergraph; by default the dataset's ``bank_shape``, or what
            :meth:`Observed.propose_shape` proposes.
        count
            How many hypergraphs.
        seed
            A seed or a generator; by default every call samples other hypergraphs. The first hypergraphs of a bank
            do not depend on how many follow.
        progress
            A console to show progress on, or True for standard error.
        options
            For an observed dataset: ``protocol=``, ``restart=``, ``trim=`` and ``isolated=`` of
            :class:`~hyperhedge.data.SubhypergraphSampler`. For a regime: its parameters.

        Examples
        --------
        >>> import hyperhedge as hh
        >>> bank = hh.load_dataset("committee").bank(n=(20, 30), m=8, count=5, seed=0)
        >>> [H.n for H in bank], {H.m for H in bank}
        ([29, 26, 25, 20, 27], {8})
        """
        _check_count(count, "count")
        shape = self._shape_range(n, m, options)
        self._admit(shape, int(count), progress)
        with Meter(progress, "sampling", int(count)) as meter:
            hypergraphs = self._sample(shape, count, np.random.default_rng(seed), options, meter)
        self._compare(hypergraphs, shape)
        return hypergraphs

    def splits(
        self,
        n: Range | None = None,
        m: Range | None = None,
        counts: Sequence[int] = (200, 50, 50),
        *,
        seed: Seed | None = None,
        leak_free: bool = False,
        progress: Console | bool | None = None,
        **options: Any,
    ) -> Splits:
        """Sample a training, a validation and a test set.

        ``counts`` are the numbers of hypergraphs in each; the other arguments are those of :meth:`bank`. With
        ``leak_free``, no hyperedge of an observed hypergraph (no hypergraph of a collection) is in two sets. Each set
        then has an equal share of the hyperedges, chosen such that real pieces of the sets are alike
        (:mod:`hyperhedge.data.partition`); a :class:`~hyperhedge.errors.DataWarning` says if that cannot be had.

        Examples
        --------
        >>> import hyperhedge as hh
        >>> [len(split) for split in hh.load_dataset("configuration").splits(16, 8, (5, 2, 3))]
        [5, 2, 3]
        """
        if len(counts) != 3:
            raise HyperhedgeError(f"counts must be three numbers, of train, validation and test, not {counts!r}")
        for count in counts:
            _check_count(count, "counts")
        shape = self._shape_range(n, m, options)
        self._admit(shape, int(sum(counts)), progress)
        cut_rng, *rngs = np.random.default_rng(seed).spawn(4)
        sources = self._disjoint(counts, shape, cut_rng, options) if leak_free else [self] * 3
        with Meter(progress, "sampling", int(sum(counts))) as meter:
            samples = [
                source._sample(shape, count, rng, options, meter) if count else []
                for source, count, rng in zip(sources, counts, rngs, strict=True)
            ]
        self._compare([H for sample in samples for H in sample], shape)
        return Splits(*samples)

    def _admit(self, shape: ShapeRange, count: int, progress: Console | bool | None) -> None:
        """Refuse a bank that does not fit into memory, or say what it takes."""
        if shape != _AS_THEY_ARE:
            n, m = (side if isinstance(side, int) else side[1] for side in shape)
            admit(self._bytes(n, m, count), "sampling", "sample fewer or smaller hypergraphs", progress)

    def _bytes(self, n: int, m: int, count: int) -> int:
        """Estimate the memory of a bank: about two kilobytes for each hypergraph, labels, and some incidences."""
        return count * (2000 + 40 * (n + m))

    def _shape_range(self, n: Range | None, m: Range | None, options: dict[str, Any]) -> ShapeRange:
        del options
        if self.bank_shape is None and (n is None or m is None):
            raise HyperhedgeError(f"give n and m, the numbers of nodes and hyperedges to sample from {self.name}")
        default_n, default_m = self.bank_shape or (1, 1)
        return _check_range(default_n if n is None else n, "n"), _check_range(default_m if m is None else m, "m")

    @abstractmethod
    def _sample(
        self, shape: ShapeRange, count: int, rng: np.random.Generator, options: dict[str, Any], meter: Meter
    ) -> list[Hypergraph]:
        """Sample a bank; the arguments are checked, and the meter counts."""

    def _compare(self, hypergraphs: Sequence[Hypergraph], shape: ShapeRange) -> None:  # noqa: B027 - for one kind only
        """Warn if sampled hypergraphs look unlike the observed one."""

    @abstractmethod
    def _disjoint(
        self, counts: Sequence[int], shape: ShapeRange, rng: np.random.Generator, options: dict[str, Any]
    ) -> Sequence[Dataset]:
        """Cut the dataset into datasets that have nothing in common."""


@dataclass(frozen=True)
class Observed(Dataset):
    """One observed hypergraph."""

    hypergraph: Hypergraph = field()

    def _bytes(self, n: int, m: int, count: int) -> int:
        return super()._bytes(
            min(n, self.hypergraph.n), min(m, self.hypergraph.m), count
        )  # more are refused by the sampler

    def propose_shape(self, n: Range | None = None, m: Range | None = None, **options: Any) -> Proposal:
        """Propose the shape of pieces that look like the whole, which is what :meth:`bank` takes if none is requested.

        Parameters
        ----------
        n, m
            One of them may be requested, of a range its end; the other is then proposed.
        options
            Those of :meth:`bank`: how pieces look depends on how they are sampled.

        Examples
        --------
        >>> import hyperhedge as hh
        >>> proposal = hh.load_dataset("southern-women").propose_shape()
        >>> proposal.n, proposal.m
        (12, 3)
        """
        n, m = (None if size is None else _greatest(_check_range(size, name)) for size, name in ((n, "n"), (m, "m")))
        sampler = _sampler(self.hypergraph, options)

        def sample(nodes: int, edges: int, count: int, rng: np.random.Generator) -> list[Hypergraph]:
            return _pieces(sampler, (nodes, edges), range(count), rng)

        return propose_shape(self.hypergraph, sample, n, m)

    def _shape_range(self, n: Range | None, m: Range | None, options: dict[str, Any]) -> ShapeRange:
        if self.bank_shape is None and (n is None or m is None):
            proposal = self.propose_shape(n, m, **options)
            n, m = proposal.n if n is None else n, proposal.m if m is None else m
        return super()._shape_range(n, m, options)

    def _sample(
        self, shape: ShapeRange, count: int, rng: np.random.Generator, options: dict[str, Any], meter: Meter
    ) -> list[Hypergraph]:
        return _pieces(_sampler(self.hypergraph, options), shape, meter.count(range(count)), rng)

    def _compare(self, hypergraphs: Sequence[Hypergraph], shape: ShapeRange) -> None:
        if not hypergraphs or shape == self.bank_shape:  # which is the paper's choice, not the user's
            return
        pieces, whole = Looks.of(hypergraphs), Looks.of([self.hypergraph])
        if pieces.unlike(whole):
            warnings.warn(
                f"the pieces look unlike the hypergraph they were cut from: they have {pieces}, and it has {whole}; more "
                "hyperedges per piece raise the degrees, more nodes keep the edge sizes, and protocol walk keeps overlaps",
                DataWarning,
                stacklevel=3,
            )

    def _disjoint(
        self, counts: Sequence[int], shape: ShapeRange, rng: np.random.Generator, options: dict[str, Any]
    ) -> Sequence[Dataset]:
        def sampler_of(H: Hypergraph) -> Sample:
            sampler = _sampler(H, options)
            return lambda count, rng: _pieces(sampler, shape, range(count), rng)

        local = _sampler(self.hypergraph, options).protocol != "uniform"
        names = [name for name, count in zip(NAMES, counts, strict=True) if count]
        if not names:
            return [self] * len(counts)
        sources = partition_hyperedges(self.hypergraph, names, sampler_of, _greatest(shape[1]), local=local, rng=rng)
        source_of = dict[str, Hypergraph](zip(names, sources, strict=True))
        empty = self.hypergraph.subhypergraph(edges=[])
        return [replace(self, hypergraph=source_of.get(name, empty)) for name in NAMES]


@dataclass(frozen=True)
class Collection(Dataset):
    """Many hypergraphs. Without ``n`` and ``m``, a bank is some of them, each at most once."""

    hypergraphs: tuple[Hypergraph, ...]

    def _shape_range(self, n: Range | None, m: Range | None, options: dict[str, Any]) -> ShapeRange:
        return _AS_THEY_ARE if n is None and m is None else super()._shape_range(n, m, options)

    def _sample(
        self, shape: ShapeRange, count: int, rng: np.random.Generator, options: dict[str, Any], meter: Meter
    ) -> list[Hypergraph]:
        if shape == _AS_THEY_ARE:  # at once
            return self._sample_members(count, rng, options)
        samplers = [_sampler(H, options) for H in self.hypergraphs]
        sampled = (samplers[rng.integers(len(samplers))] for _ in meter.count(range(count)))
        return [sampler.sample(*_one_shape(shape, rng), rng) for sampler in sampled]

    def _sample_members(self, count: int, rng: np.random.Generator, options: dict[str, Any]) -> list[Hypergraph]:
        if options:
            raise HyperhedgeError(f"{next(iter(options))}= is for sampling subhypergraphs; give n and m too")
        if count > len(self.hypergraphs):
            raise HyperhedgeError(
                f"{self.name} has {len(self.hypergraphs)} hypergraphs, fewer than the {count} requested; ask for at most "
                f"{len(self.hypergraphs)}, or give n and m to sample subhypergraphs of them"
            )
        return [self.hypergraphs[k] for k in rng.permutation(len(self.hypergraphs))[:count]]

    def _disjoint(
        self, counts: Sequence[int], shape: ShapeRange, rng: np.random.Generator, options: dict[str, Any]
    ) -> Sequence[Dataset]:
        del shape, options
        nonempty = [k for k, count in enumerate(counts) if count]
        if len(nonempty) > len(self.hypergraphs):
            raise HyperhedgeError(
                f"{len(nonempty)} leak-free splits need as many hypergraphs, and {self.name} has {len(self.hypergraphs)}"
            )
        order = rng.permutation(len(self.hypergraphs))
        shares = [counts[k] for k in nonempty]
        ends = cut_points(len(order), shares, shares if sum(shares) <= len(order) else [1] * len(nonempty))
        members = dict(zip(nonempty, np.split(order, ends), strict=True))
        pieces = [tuple(self.hypergraphs[j] for j in members.get(k, ())) for k in range(len(counts))]
        return [Collection(self.name, self.description, self.bank_shape, piece) for piece in pieces]


@dataclass(frozen=True)
class Synthetic(Dataset):
    """A law from which independent hypergraphs are sampled."""

    regime: type[Regime]

    def _bytes(self, n: int, m: int, count: int) -> int:
        return super()._bytes(n, m, count) + 2 * n * m * count + batch_bytes(n, m)

    def _sample(
        self, shape: ShapeRange, count: int, rng: np.random.Generator, options: dict[str, Any], meter: Meter
    ) -> list[Hypergraph]:
        try:
            regime = self.regime(**options)
        except TypeError:
            parameters = ", ".join(self.regime.parameters())
            raise HyperhedgeError(f"the regime {self.name} takes {parameters}, not {', '.join(options)}") from None
        n, m = shape
        if isinstance(n, int) and isinstance(m, int):
            return regime.sample(n, m, count, rng, meter.advance)
        return [regime.sample_one(*_one_shape(shape, rng), rng) for _ in meter.count(range(count))]

    def _disjoint(
        self, counts: Sequence[int], shape: ShapeRange, rng: np.random.Generator, options: dict[str, Any]
    ) -> Sequence[Dataset]:
        del shape, rng, options
        return [self] * len(counts)  # independent samples have nothing in common


def _sampler(H: Hypergraph, options: dict[str, Any]) -> SubhypergraphSampler:
    try:
        return SubhypergraphSampler(H, **options)
    except TypeError:
        unknown = [name for name in options if name not in ("protocol", "restart", "trim", "isolated")]
        raise HyperhedgeError(
            f"a bank of subhypergraphs takes protocol, restart, trim and isolated, not {', '.join(unknown)}"
        ) from None


def _pieces(
    sampler: SubhypergraphSampler, shape: ShapeRange, numbers: Iterable[int], rng: np.random.Generator
) -> list[Hypergraph]:
    """Sample a piece for each number."""
    return [sampler.sample(*_one_shape(shape, rng), rng) for _ in numbers]


def _check_count(count: Any, name: str) -> None:
    if not _is_whole(count) or count < 0:
        raise HyperhedgeError(f"{name} must be a whole number, 0 or more, not {count!r}")


def _check_range(value: Any, name: str) -> Range:
    """Check a number or a range of numbers, and return a range of one number as that number."""
    ends = (value, value) if _is_whole(value) else value
    if not (
        isinstance(ends, tuple | list) and len(ends) == 2 and all(map(_is_whole, ends)) and 1 <= ends[0] <= ends[1]
    ):
        raise HyperhedgeError(f"{name} must be a positive whole number, or a range (least, greatest), not {value!r}")
    return int(ends[0]) if ends[0] == ends[1] else (int(ends[0]), int(ends[1]))


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _one_shape(shape: ShapeRange, rng: np.random.Generator) -> tuple[int, int]:
    """Sample a number of nodes, then a number of hyperedges."""
    n, m = shape
    return _one_number(n, rng), _one_number(m, rng)


def _greatest(value: Range) -> int:
    return value if isinstance(value, int) else value[1]


def _one_number(value: Range, rng: np.random.Generator) -> int:
    return value if isinstance(value, int) else int(rng.integers(*value, endpoint=True))
