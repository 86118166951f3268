r"""Training hypergraphs as tensors: padded to few shapes, decomposed once.

Hypergraphs of one training set may differ in shape. Those of similar shapes are padded to one shape and make a :class:`Bucket`:
within a bucket the numbers of nodes differ by less than a factor of 1.25, and so do those of hyperedges, so padding costs at most
:math:`1.25^2 - 1 \approx 56\%`, however different the shapes of the set are. A training step takes all its members from one
bucket. Hypergraphs without nodes or without hyperedges have no entries to learn from, and are left out.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.diffusion.batch import encode
from hyperhedge.diffusion.denoiser import Marginals
from hyperhedge.diffusion.laplacians import Spectrum, spectrum_of_batch

_RATIO = 1.25


@dataclass(frozen=True)
class Bucket:
    """Hypergraphs of similar shapes: incidence matrices and spectra, in single precision."""

    H: Tensor
    spectrum: Spectrum

    def __len__(self) -> int:
        return len(self.H)

    def __getitem__(self, index: Tensor) -> Bucket:
        """Choose members."""
        return Bucket(self.H[index], self.spectrum[index])

    @property
    def marginals(self) -> Marginals:
        """Edge sizes and degrees."""
        return Marginals.of(self.H)

    def to(self, device: torch.device | str) -> Bucket:
        """Move to a device."""
        return Bucket(self.H.to(device), self.spectrum.to(device=device))


def buckets_of(hypergraphs: Iterable[Hypergraph]) -> list[Bucket]:
    """Sort hypergraphs that have entries into buckets."""
    similar: dict[tuple[int, int], list[Hypergraph]] = defaultdict(list)
    for H in hypergraphs:
        if H.n and H.m:
            similar[_level(H.n), _level(H.m)].append(H)
    return [_bucket(members) for _, members in sorted(similar.items(), key=lambda item: item[0])]


def padded_shapes(shapes: Iterable[tuple[int, int]]) -> list[tuple[tuple[int, int], int]]:
    """Return the shape that each bucket is padded to, and how many hypergraphs are in it.

    Examples
    --------
    >>> padded_shapes([(10, 5), (11, 5), (40, 5), (0, 3)])
    [((11, 5), 2), ((40, 5), 1)]
    """
    similar: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for n, m in shapes:
        if n and m:
            similar[_level(n), _level(m)].append((n, m))
    return [
        ((max(n for n, _ in members), max(m for _, m in members)), len(members))
        for _, members in sorted(similar.items())
    ]


def _level(count: int) -> int:
    return math.floor(math.log(count) / math.log(_RATIO))


def _bucket(members: list[Hypergraph]) -> Bucket:
    batch = encode(members)
    return Bucket(batch.matrix.float(), spectrum_of_batch(batch).to(dtype=torch.float32))


def density_of(buckets: Sequence[Bucket]) -> float:
    """Return the mean of the members' densities."""
    densities = [
        bucket.H.double().sum((1, 2)) / (bucket.spectrum.shapes.n * bucket.spectrum.shapes.m) for bucket in buckets
    ]
    return float(torch.cat(densities).mean())


def rate_of(buckets: Sequence[Bucket], variant: str) -> float:
    """Return the mean rate over all modes of all members."""
    total, count = 0.0, 0
    for bucket in buckets:
        mask = bucket.spectrum.shapes.mask
        total += float(bucket.spectrum.variant(variant).rates[mask].double().sum())  # type: ignore[arg-type]
        count += int(mask.sum())
    return total / count


def decay_of(buckets: Sequence[Bucket], variant: str) -> float:
    r"""Return the rate at which the hypergraphs themselves decay at first.

    .. math:: \langle H, \mathcal A_H H\rangle / \langle H, H\rangle

    is the mean rate over the modes with the share of the hypergraphs' energy in each as its weight: slow modes hold most of it, so
    it is less than the plain mean.
    """
    moved, incidences = 0.0, 0.0
    for bucket in buckets:
        heat = bucket.spectrum.variant(variant).heat(bucket.H)  # type: ignore[arg-type]
        moved += float((bucket.H * heat).double().sum())
        incidences += float(bucket.H.double().sum())  # entries are 0 or 1: their squares are they themselves
    return moved / max(incidences, 1.0)
