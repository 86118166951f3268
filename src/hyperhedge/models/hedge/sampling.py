r"""Many samples in little memory: sizes and marginals first, then noise to hypergraphs, chunk by chunk.

*What is drawn first.* The size :math:`(n, m)` follows the training set, or is given. If the drift was trained with given hyperedge
sizes, half of them are those of a training hypergraph of that size, drawn at random, and half those of another one, chosen so
that the number of incidences stays as it was: where hyperedges hardly overlap, the sizes of one training hypergraph nearly are that
hypergraph, and a sample should not be like any one of them. If the drift was trained with given degrees too, these are those of a
third one with as many incidences. A training hypergraph without such others gives its own sizes and degrees.
For a size that no training hypergraph has, those of the nearest size give both: hyperedge sizes are resampled with replacement
and scaled by the ratio of the numbers of nodes, and likewise degrees.

*Then chunks.* Hypergraphs of equal size are generated together, as many as fit the memory budget and at most 64, each chunk with a
generator of its own: the samples do not depend on how many threads work on them. On a CPU there is a thread for each core, each
with one thread of arithmetic.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from hyperhedge._system.malloc import steady_memory
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.diffusion.batch import Shapes
from hyperhedge.diffusion.denoiser import Denoiser, Given, Marginals
from hyperhedge.diffusion.fields import LearnedField
from hyperhedge.diffusion.projection import decided_share, flips, project_given, project_valid, threshold
from hyperhedge.diffusion.samplers import SAMPLERS, sample, time_grid
from hyperhedge.train.workers import calm, default_workers, single_threaded
from hyperhedge.typing import FloatArray, IntArray

__all__ = ["SamplePaths", "SamplingSettings", "TrainingMarginals", "sample_all"]

_MOST_AT_ONCE = 64


@dataclass(frozen=True)
class SamplePaths:
    """Samples, and what is known of how they came about.

    Attributes
    ----------
    hypergraphs
        The samples.
    states
        For each, the relaxed state ``(n, m)`` that was projected.
    paths
        For each, the states ``(steps + 1, n, m)`` on the way, if they were asked for.
    times
        The times of these states, from the horizon down to 0.
    decided
        The share of all entries of the relaxed states within 0.1 of 0 or 1; None if there are no entries.
    changed
        The share of all entries that the projection set otherwise than thresholding would have.
    """

    hypergraphs: list[Hypergraph]
    states: list[FloatArray]
    paths: list[FloatArray] | None
    times: list[float]
    decided: float | None
    changed: float | None


@dataclass(frozen=True)
class TrainingMarginals:
    """Hyperedge sizes and degrees of the training hypergraphs, one after the other."""

    shapes: IntArray  #: (n, m) of each
    edge_sizes: IntArray
    degrees: IntArray

    @classmethod
    def of(cls, hypergraphs: Sequence[Hypergraph]) -> TrainingMarginals:
        """Collect them."""
        shapes = np.array([(H.n, H.m) for H in hypergraphs], dtype=np.int64)
        none = np.zeros(0, dtype=np.int64)
        sizes, degrees = ([none, *(getattr(H, name) for H in hypergraphs)] for name in ("edge_sizes", "degrees"))
        return cls(shapes, np.concatenate(sizes), np.concatenate(degrees))

    def count(self) -> dict[tuple[int, int], int]:
        """Return how many training hypergraphs have each size."""
        return dict(Counter((int(n), int(m)) for n, m in self.shapes))

    def like(self, n: int, m: int, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        """Draw hyperedge sizes and degrees for a hypergraph of a size."""
        place = int(rng.choice(self._nearest(n, m)))
        own_n, own_m = (int(side) for side in self.shapes[place])
        alike = np.flatnonzero((self.shapes == (own_n, own_m)).all(axis=1))
        sizes = _half_exchanged(self._sizes_of(place), self._sizes_of(alike), rng)
        degrees = self._degrees_of(int(rng.choice(alike[self._incidences[alike] == self._incidences[place]])))
        if (own_n, own_m) == (n, m):
            return sizes, degrees
        return _stretched(sizes, m, n / own_n, n, rng), _stretched(degrees, n, m / own_m, m, rng)

    def _sizes_of(self, places: int | IntArray) -> IntArray:
        """Return the hyperedge sizes of a training hypergraph, or of some with equally many hyperedges, a row each."""
        count = self.shapes[places, 1].max()
        edge_sizes: IntArray = self.edge_sizes[self._starts[places, 1, None] + np.arange(count)]
        return edge_sizes

    def _degrees_of(self, place: int) -> IntArray:
        return self.degrees[self._starts[place, 0] :][: self.shapes[place, 0]]

    @cached_property
    def _starts(self) -> IntArray:
        starts: IntArray = np.concatenate((np.zeros((1, 2), dtype=np.int64), np.cumsum(self.shapes, axis=0)))
        return starts

    @cached_property
    def _incidences(self) -> IntArray:
        return np.array([self._sizes_of(place).sum() for place in range(len(self.shapes))])

    def _nearest(self, n: int, m: int) -> IntArray:
        """Return the places of the training hypergraphs whose size is nearest."""
        there = np.flatnonzero((self.shapes > 0).all(axis=1))
        distance = np.abs(np.log(self.shapes[there] / (n, m))).sum(axis=1)
        nearest: IntArray = there[distance <= distance.min() + 1e-12]
        return nearest


def _half_exchanged(own: IntArray, others: IntArray, rng: np.random.Generator) -> IntArray:
    """Exchange a random half of the numbers for a random half of another row with the same sum, if there is one."""
    half = len(own) // 2
    order = rng.permutation(len(own))
    halves = rng.permuted(others, axis=1)[:, :half]
    fitting = np.flatnonzero(halves.sum(axis=1) == own[order[:half]].sum())
    exchanged = own.copy()
    if len(fitting):
        exchanged[order[:half]] = halves[rng.choice(fitting)]
    return exchanged


def _stretched(values: IntArray, count: int, factor: float, most: int, rng: np.random.Generator) -> IntArray:
    """Resample numbers, and scale them, by chance rounded up or down, to whole numbers from 0 (if they were 0) to ``most``."""
    drawn = rng.choice(values, count)
    scaled = np.floor(drawn * factor + rng.random(count)).astype(np.int64)
    stretched: IntArray = np.clip(scaled, np.minimum(drawn, 1), most)
    return stretched


@dataclass(frozen=True)
class SamplingSettings:
    """How to draw: the sampler by name, its steps, the power and the start of its grid, and the projection."""

    sampler: str
    steps: int
    grid_power: float
    horizon: float
    projection: str
    allow_empty: bool
    allow_isolated: bool
    keep_paths: bool
    memory: int
    device: torch.device


@dataclass(frozen=True)
class _Chunk:
    """Samples of one size that are drawn together: their places in the result, and a seed."""

    n: int
    m: int
    positions: IntArray
    seed: int
    edge_sizes: IntArray
    degrees: IntArray


def sample_all(
    drift: Denoiser | None,
    marginals: TrainingMarginals,
    shapes: IntArray,
    settings: SamplingSettings,
    rng: np.random.Generator,
    advance: Callable[[int], None],
) -> SamplePaths:
    """Draw a hypergraph of each of the sizes ``(count, 2)``; ``advance`` is told how many more are done."""
    chunks = _chunks(marginals, shapes, settings, rng)
    on_cpu = settings.device.type == "cpu"
    workers = min(default_workers(), max(len(chunks), 1)) if on_cpu else 1

    def run(chunk: _Chunk) -> tuple[_Chunk, list[Hypergraph], Tensor, list[Tensor] | None, list[int]]:
        outcome = _sample_chunk(drift, chunk, settings)
        advance(len(chunk.positions))
        return chunk, *outcome

    graphs: list[Hypergraph] = [Hypergraph()] * len(shapes)
    states: list[FloatArray] = [np.zeros((0, 0))] * len(shapes)
    paths: list[FloatArray] = [np.zeros((0, 0, 0))] * len(shapes)
    entries, decided, changed = 0, 0.0, 0
    with steady_memory(), single_threaded(), ThreadPoolExecutor(workers, initializer=calm) as pool:
        for chunk, drawn, X, path, flipped in pool.map(run, chunks):
            area = chunk.n * chunk.m * len(chunk.positions)
            entries, changed = entries + area, changed + sum(flipped)
            decided += area * decided_share(X, Shapes.all_equal(len(X), chunk.n, chunk.m))
            for k, place in enumerate(chunk.positions.tolist()):
                graphs[place], states[place] = drawn[k], X[k].numpy()
                if path is not None:
                    paths[place] = np.stack([state[k].numpy() for state in path])
    return SamplePaths(
        graphs,
        states,
        paths if settings.keep_paths else None,
        _grid(settings),
        decided / entries if entries else None,
        changed / entries if entries else None,
    )


def _grid(settings: SamplingSettings) -> list[float]:
    return time_grid(settings.horizon, settings.steps, power=settings.grid_power)


def _chunks(
    marginals: TrainingMarginals, shapes: IntArray, settings: SamplingSettings, rng: np.random.Generator
) -> list[_Chunk]:
    """Sort samples by size and cut them into chunks, each with marginals and a seed."""
    chunks = []
    for n, m in sorted({(int(n), int(m)) for n, m in shapes}):
        places = np.flatnonzero((shapes == (n, m)).all(axis=1))
        at_once = int(np.clip(settings.memory // (_BYTES_AN_ENTRY * max(n * m, 1)), 1, _MOST_AT_ONCE))
        for start in range(0, len(places), at_once):
            own = places[start : start + at_once]
            like = (
                [marginals.like(n, m, rng) for _ in own]
                if n and m
                else [(np.zeros(m, int), np.zeros(n, int))] * len(own)
            )
            sizes, degrees = (np.stack(part) for part in zip(*like, strict=True))
            chunks.append(_Chunk(n, m, own, int(rng.integers(2**63)), sizes, degrees))
    return chunks


_BYTES_AN_ENTRY = 1200  # an estimate: some 300 numbers of features, channels and hidden layers are alive at once


def _sample_chunk(
    drift: Denoiser | None, chunk: _Chunk, settings: SamplingSettings
) -> tuple[list[Hypergraph], Tensor, list[Tensor] | None, list[int]]:
    """Generate one chunk; return its hypergraphs, relaxed states, paths, and how many entries projection changed."""
    sizes = Shapes.all_equal(len(chunk.positions), chunk.n, chunk.m)
    path: list[Tensor] | None = [] if settings.keep_paths else None
    if drift is None or not (chunk.n and chunk.m):
        X = torch.zeros((len(sizes), chunk.n, chunk.m), dtype=torch.float64)
        return threshold(X, sizes), X, [X] * (settings.steps + 1) if settings.keep_paths else None, [0] * len(sizes)
    generator = torch.Generator().manual_seed(chunk.seed)
    marginals = Marginals(
        torch.from_numpy(chunk.edge_sizes).float()[:, None, :].to(settings.device),
        torch.from_numpy(chunk.degrees).float()[:, :, None].to(settings.device),
    )
    field = LearnedField(drift, sizes.to(settings.device), marginals)
    start = drift.process.base_sample(len(sizes), chunk.n, chunk.m, generator).to(settings.device)

    def noise(_s: float, _t: float, like: Tensor) -> Tensor:
        return torch.randn(like.shape, generator=generator, dtype=like.dtype).to(like.device)

    X = sample(SAMPLERS[settings.sampler](field), start, _grid(settings), noise=noise, path=path).cpu()
    graphs = _projected(X, sizes, chunk, settings, drift.given)
    return graphs, X, None if path is None else [state.cpu() for state in path], flips(X, sizes, graphs).tolist()


def _projected(X: Tensor, sizes: Shapes, chunk: _Chunk, settings: SamplingSettings, known: Given) -> list[Hypergraph]:
    """Project relaxed states as the plan says; what was given is kept as far as the drift knew of it."""
    if settings.projection == "threshold":
        return threshold(X, sizes)
    if settings.projection == "valid" or known == "nothing":
        return project_valid(X, sizes, allow_empty=settings.allow_empty, allow_isolated=settings.allow_isolated)
    degrees = chunk.degrees if known == "both" else None
    return project_given(
        X, sizes, chunk.edge_sizes, degrees, allow_empty=settings.allow_empty, allow_isolated=settings.allow_isolated
    )
