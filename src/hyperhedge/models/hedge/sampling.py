r"""Many samples in little memory: margins (:mod:`hyperhedge.models.hedge.margins`), then noise to hypergraphs, chunk by chunk.

*Chunks.* Hypergraphs of one shape are generated together, as many as fit the memory budget
(:mod:`hyperhedge.models.hedge.memory`) and at most 64, each chunk with a
generator of its own: the samples do not depend on how many threads work on them. On a CPU there is a thread for each core, each
with one thread of arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from hyperhedge._system.malloc import steady_memory
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.diffusion.batch import Shapes
from hyperhedge.diffusion.denoiser import Denoiser, Given, Marginals
from hyperhedge.diffusion.fields import LearnedField
from hyperhedge.diffusion.network import NetworkConfig
from hyperhedge.diffusion.projection import decided_share, flips, project_given, project_valid, threshold
from hyperhedge.diffusion.projection.distinct import Kept, separated
from hyperhedge.diffusion.samplers import SAMPLERS, sample, time_grid
from hyperhedge.errors import GeneratorError
from hyperhedge.models.configuration import shuffle
from hyperhedge.models.hedge.margins import TrainingMarginals
from hyperhedge.models.hedge.memory import at_once
from hyperhedge.models.repeats import cannot_be_distinct, has_repeats
from hyperhedge.train.workers import calm, single_threaded
from hyperhedge.typing import FloatArray, IntArray

_LARGEST = 1e100  # entries are clipped here, which keeps sums of their costs finite
_KEPT: dict[Given, tuple[Kept, ...]] = {
    "both": ("both", "sizes", "nothing"),
    "sizes": ("sizes", "nothing"),
    "nothing": ("nothing",),
}
"""What is kept where repeated hyperedges are made different: the first that can be."""


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
class SamplingSettings:
    """How to sample: the sampler by name, its steps, the power and the start of its grid, and the projection.

    ``distinct`` says that no hyperedges may be equal.
    """

    sampler: str
    steps: int
    grid_power: float
    horizon: float
    projection: str
    distinct: bool
    allow_empty: bool
    allow_isolated: bool
    keep_paths: bool
    memory: int
    device: torch.device
    workers: int

    @property
    def grid(self) -> list[float]:
        """The times of a path, from the horizon down to 0."""
        return time_grid(self.horizon, self.steps, power=self.grid_power)


@dataclass(frozen=True)
class _Chunk:
    """Samples of one shape that are generated together: their positions in the result, marginals, and a seed."""

    n: int
    m: int
    positions: IntArray
    seed: int
    edge_sizes: IntArray
    degrees: IntArray


@dataclass(frozen=True)
class _Outcome:
    """What became of a chunk; ``flipped`` counts the entries that the projection set otherwise than thresholding."""

    chunk: _Chunk
    hypergraphs: list[Hypergraph]
    states: Tensor
    path: list[Tensor]
    flipped: int


def sample_all(
    denoiser: Denoiser | None,
    marginals: TrainingMarginals,
    shapes: IntArray,
    settings: SamplingSettings,
    rng: np.random.Generator,
    advance: Callable[[int], None],
) -> SamplePaths:
    """Sample a hypergraph of each of the shapes ``(count, 2)``; ``advance`` is called with the number just completed."""
    chunks = _chunks(None if denoiser is None else denoiser.network.config, marginals, shapes, settings, rng)
    workers = min(settings.workers, max(len(chunks), 1))

    def run(chunk: _Chunk) -> _Outcome:
        outcome = _sample_chunk(denoiser, chunk, settings)
        advance(len(chunk.positions))
        return outcome

    with steady_memory(), single_threaded(), ThreadPoolExecutor(workers, initializer=calm) as pool:
        return _collected(pool.map(run, chunks), len(shapes), settings)


def _collected(outcomes: Iterable[_Outcome], count: int, settings: SamplingSettings) -> SamplePaths:
    """Put the samples of all chunks into their positions."""
    graphs: list[Hypergraph] = [Hypergraph()] * count
    states: list[FloatArray] = [np.zeros((0, 0))] * count
    paths: list[FloatArray] = [np.zeros((0, 0, 0))] * count
    entries, decided, changed = 0, 0.0, 0
    for outcome in outcomes:
        chunk, X = outcome.chunk, outcome.states
        area = chunk.n * chunk.m * len(chunk.positions)
        entries, changed = entries + area, changed + outcome.flipped
        decided += area * decided_share(X, Shapes.all_equal(len(X), chunk.n, chunk.m))
        for k, position in enumerate(chunk.positions.tolist()):
            graphs[position], states[position] = outcome.hypergraphs[k], X[k].numpy()
            if outcome.path:
                paths[position] = np.stack([state[k].numpy() for state in outcome.path])
    kept = paths if settings.keep_paths else None
    shares = (decided / entries, changed / entries) if entries else (None, None)
    return SamplePaths(graphs, states, kept, settings.grid, *shares)


def _chunks(
    config: NetworkConfig | None,
    marginals: TrainingMarginals,
    shapes: IntArray,
    settings: SamplingSettings,
    rng: np.random.Generator,
) -> list[_Chunk]:
    """Group samples by shape and cut the groups into chunks, each with marginals and a seed."""
    chunks = []
    for n, m in sorted({(int(n), int(m)) for n, m in shapes}):
        positions = np.flatnonzero((shapes == (n, m)).all(axis=1))
        together = at_once(config, n, m, settings.memory)
        for start in range(0, len(positions), together):
            members = positions[start : start + together]
            edge_sizes, degrees = np.zeros((len(members), m), int), np.zeros((len(members), n), int)
            if n and m:
                for k in range(len(members)):
                    edge_sizes[k], degrees[k] = marginals.sample(n, m, rng)
            chunks.append(_Chunk(n, m, members, int(rng.integers(2**63)), edge_sizes, degrees))
    return chunks


def _sample_chunk(denoiser: Denoiser | None, chunk: _Chunk, settings: SamplingSettings) -> _Outcome:
    shapes = Shapes.all_equal(len(chunk.positions), chunk.n, chunk.m)
    if denoiser is None or not (chunk.n and chunk.m):
        X = torch.zeros((len(shapes), chunk.n, chunk.m), dtype=torch.float64)
        if settings.distinct and chunk.m > 1:
            raise cannot_be_distinct(chunk.n, chunk.m)
        return _Outcome(chunk, threshold(X, shapes), X, [X] * (settings.steps + 1) if settings.keep_paths else [], 0)
    generator = torch.Generator().manual_seed(chunk.seed)
    marginals = Marginals(
        torch.from_numpy(chunk.edge_sizes).float()[:, None, :].to(settings.device),
        torch.from_numpy(chunk.degrees).float()[:, :, None].to(settings.device),
    )
    field = LearnedField(denoiser, shapes.to(settings.device), marginals)
    start = denoiser.process.base_sample(len(shapes), chunk.n, chunk.m, generator).to(settings.device)

    def noise(_s: float, _t: float, like: Tensor) -> Tensor:
        return torch.randn(like.shape, generator=generator, dtype=like.dtype).to(like.device)

    path: list[Tensor] = []
    kept = path if settings.keep_paths else None
    X = sample(SAMPLERS[settings.sampler](field), start, settings.grid, noise=noise, path=kept).cpu()
    graphs = _projected(X, shapes, chunk, settings, denoiser.given)
    if settings.distinct:
        graphs = [_distinct(H, state, chunk, settings, denoiser.given) for H, state in zip(graphs, X, strict=True)]
    flipped = int(flips(X, shapes, graphs).sum())
    return _Outcome(chunk, graphs, X, [state.cpu() for state in path], flipped)


def _projected(X: Tensor, shapes: Shapes, chunk: _Chunk, settings: SamplingSettings, given: Given) -> list[Hypergraph]:
    """Project relaxed states; the marginals that the denoiser was given are kept."""
    if settings.projection == "threshold":
        return threshold(X, shapes)
    allow = {"allow_empty": settings.allow_empty, "allow_isolated": settings.allow_isolated}
    if settings.projection == "valid" or given == "nothing":
        return project_valid(X, shapes, **allow)
    return project_given(X, shapes, chunk.edge_sizes, chunk.degrees if given == "both" else None, **allow)


def _distinct(H: Hypergraph, X: Tensor, chunk: _Chunk, settings: SamplingSettings, given: Given) -> Hypergraph:
    """Make repeated hyperedges different, keeping the marginals that were given as far as that is possible."""
    if not has_repeats(H):
        return H
    bare = settings.projection == "threshold"
    allow = {"allow_empty": settings.allow_empty or bare, "allow_isolated": settings.allow_isolated or bare}
    state, matrix = X.double().numpy().clip(-_LARGEST, _LARGEST), H.incidence.toarray().astype(bool)
    for kept in _KEPT[given if settings.projection == "given" else "nothing"]:
        changed = separated(state, matrix, kept, **allow)
        if changed is not None:
            return Hypergraph.from_incidence(changed)
        if kept == "both" and (traded := _traded(H, chunk.seed)) is not None:
            return traded
    raise cannot_be_distinct(chunk.n, chunk.m)


def _traded(H: Hypergraph, seed: int) -> Hypergraph | None:
    """Look for a hypergraph without repeats and with the same sizes and degrees, by random trades; None if none is found."""
    try:
        return shuffle(H, repeats="forbid", sweeps=0, seed=seed)
    except GeneratorError:
        return None
