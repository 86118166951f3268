r"""Many samples in little memory: shapes and marginals first, then noise to hypergraphs, chunk by chunk.

*Marginals.* The shape :math:`(n, m)` follows the training set, or is chosen by the caller. If the denoiser was trained with given
edge sizes, half of them are those of a random training hypergraph of that shape, and half those of another one with the same total:
where hyperedges hardly overlap, the edge sizes of one training hypergraph nearly determine it, and a sample should not resemble any
one of them. If the denoiser was trained with given degrees too, these are those of a third one with as many incidences. A training
hypergraph without such partners gives its own edge sizes and degrees.

*Other shapes.* For a shape that no training hypergraph has, the training hypergraphs of the nearest shape give both. Edge sizes
:math:`k_e` are resampled from theirs with replacement (from those up to :math:`n`), so their law is kept, and none is larger than
any seen. Then the total of the degrees is known, :math:`\sum_v d_v = \sum_e k_e`, and their mean :math:`\frac mn \bar k` is that
of the data only where :math:`m/n` is: one of the two means has to give way, and it is that of the degrees. How many take part in a
meeting or write a paper does not depend on how many are observed, but how often each is seen does. Degrees are resampled from those
of the data too, :math:`d_v`, and then brought to the total in proportion,

.. math:: d'_v = \min(\max(\lambda d_v, 1), m) \text{ where } d_v > 0, \qquad d'_v = 0 \text{ where } d_v = 0,

with the :math:`\lambda` that gives the total, randomly rounded without changing it. So the share of isolated nodes is that of the
data, unless the total is too small for one hyperedge each (then more are isolated) or too large for :math:`m` each (then fewer).
Sizes and degrees of which no hypergraph has both (by Gale and Ryser) are not used if others come up.

*Chunks.* Hypergraphs of one shape are generated together, as many as fit the memory budget
(:mod:`hyperhedge.models.hedge.memory`) and at most 64, each chunk with a
generator of its own: the samples do not depend on how many threads work on them. On a CPU there is a thread for each core, each
with one thread of arithmetic.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
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
from hyperhedge.diffusion.network import NetworkConfig
from hyperhedge.diffusion.projection import decided_share, flips, project_given, project_valid, threshold
from hyperhedge.diffusion.projection.distinct import Kept, separated
from hyperhedge.diffusion.samplers import SAMPLERS, sample, time_grid
from hyperhedge.errors import GeneratorError
from hyperhedge.models.configuration import shuffle
from hyperhedge.models.hedge.memory import at_once
from hyperhedge.models.repeats import cannot_be_distinct, has_repeats
from hyperhedge.train.workers import calm, single_threaded
from hyperhedge.typing import BoolArray, FloatArray, IntArray

_ATTEMPTS = 20  # to find edge sizes and degrees that go together
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
class TrainingMarginals:
    """Edge sizes and degrees of the training hypergraphs, one after the other."""

    shapes: IntArray  #: (n, m) of each
    edge_sizes: IntArray
    degrees: IntArray

    @classmethod
    def of(cls, hypergraphs: Sequence[Hypergraph]) -> TrainingMarginals:
        """Collect them."""
        shapes = np.array([(H.n, H.m) for H in hypergraphs], dtype=np.int64)
        none = np.zeros(0, dtype=np.int64)
        edge_sizes = np.concatenate([none, *(H.edge_sizes for H in hypergraphs)])
        return cls(shapes, edge_sizes, np.concatenate([none, *(H.degrees for H in hypergraphs)]))

    def count(self) -> dict[tuple[int, int], int]:
        """Return how many training hypergraphs have each shape."""
        return dict(Counter((int(n), int(m)) for n, m in self.shapes))

    def sample(self, n: int, m: int, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        """Sample edge sizes and degrees for a hypergraph of shape (n, m)."""
        index = int(rng.choice(self._nearest(n, m)))
        alike = np.flatnonzero((self.shapes == self.shapes[index]).all(axis=1))
        if tuple(self.shapes[index]) != (n, m):
            degrees = np.concatenate([self._degrees_of(k) for k in alike.tolist()])
            return _of_other_shape(self._edge_sizes_of(alike).ravel(), degrees, n, m, rng)
        edge_sizes = _half_exchanged(self._edge_sizes_of(index), self._edge_sizes_of(alike), rng)
        degrees = self._degrees_of(int(rng.choice(alike[self._incidences[alike] == self._incidences[index]])))
        return edge_sizes, degrees

    def _edge_sizes_of(self, indices: int | IntArray) -> IntArray:
        """Return the edge sizes of a training hypergraph, or of some with equally many hyperedges, a row each."""
        count = self.shapes[indices, 1].max()
        edge_sizes: IntArray = self.edge_sizes[self._starts[indices, 1, None] + np.arange(count)]
        return edge_sizes

    def _degrees_of(self, index: int) -> IntArray:
        return self.degrees[self._starts[index, 0] :][: self.shapes[index, 0]]

    @cached_property
    def _starts(self) -> IntArray:
        starts: IntArray = np.concatenate((np.zeros((1, 2), dtype=np.int64), np.cumsum(self.shapes, axis=0)))
        return starts

    @cached_property
    def _incidences(self) -> IntArray:
        return np.array([self._edge_sizes_of(index).sum() for index in range(len(self.shapes))])

    def _nearest(self, n: int, m: int) -> IntArray:
        """Return the indices of the training hypergraphs of the nearest shape."""
        filled = np.flatnonzero((self.shapes > 0).all(axis=1))
        distance = np.abs(np.log(self.shapes[filled] / (n, m))).sum(axis=1)
        nearest: IntArray = filled[distance <= distance.min() + 1e-12]
        return nearest


def _half_exchanged(values: IntArray, others: IntArray, rng: np.random.Generator) -> IntArray:
    """Exchange a random half of the numbers for a random half of another row with the same sum, if there is one."""
    half = len(values) // 2
    order = rng.permutation(len(values))
    halves = rng.permuted(others, axis=1)[:, :half]
    fitting = np.flatnonzero(halves.sum(axis=1) == values[order[:half]].sum())
    exchanged = values.copy()
    if len(fitting):
        exchanged[order[:half]] = halves[rng.choice(fitting)]
    return exchanged


def _of_other_shape(
    edge_sizes: IntArray, degrees: IntArray, n: int, m: int, rng: np.random.Generator
) -> tuple[IntArray, IntArray]:
    """Sample edge sizes and degrees for the shape (n, m) from those of another."""
    for _ in range(_ATTEMPTS):
        sizes = _resampled_sizes(edge_sizes, n, m, rng)
        resampled = _with_total(rng.choice(degrees, n), int(sizes.sum()), m, rng)
        if _go_together(sizes, resampled):
            break
    return sizes, resampled


def _resampled_sizes(edge_sizes: IntArray, n: int, m: int, rng: np.random.Generator) -> IntArray:
    """Resample m edge sizes, from those up to n if there are any with members."""
    fitting = edge_sizes[edge_sizes <= n]
    resampled: IntArray = rng.choice(fitting if fitting.any() else np.minimum(edge_sizes, n), m)
    return resampled


def _with_total(degrees: IntArray, total: int, most: int, rng: np.random.Generator) -> IntArray:
    """Bring degrees to a total in proportion, to whole numbers from 1 (from 0 where they were 0) to ``most``.

    Examples
    --------
    >>> _with_total(np.array([0, 1, 2, 3]), 12, 10, np.random.default_rng(0)).tolist()
    [0, 2, 4, 6]
    """
    weights = np.where(_present(degrees, total, most, rng), np.maximum(degrees, 1), 0)

    def scaled(factor: float) -> FloatArray:
        """Scale the degrees; a larger factor makes the total larger."""
        within: FloatArray = np.clip(factor * weights, 1, most) * (weights > 0)
        return within

    low, high = 0.0, float(most)
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if scaled(middle).sum() < total else (low, middle)
    # Rounding the partial sums, shifted by one random number, is unbiased, changes nothing by 1 or more, and keeps the total.
    sums = np.floor(np.cumsum(scaled(high)) + rng.random() * (1 - 1e-6) + 1e-7)
    sums[-1] = total
    brought: IntArray = np.diff(sums, prepend=0).astype(np.int64)
    return brought


def _present(degrees: IntArray, total: int, most: int, rng: np.random.Generator) -> BoolArray:
    """Choose the nodes that are not isolated: those with a degree, but no more than the total and enough for ``most`` each."""
    present = degrees > 0
    count = int(np.clip(present.sum(), -(-total // most), total))
    order = rng.permutation(len(degrees))
    chosen = np.zeros(len(degrees), dtype=np.bool_)
    chosen[order[np.argsort(~present[order], kind="stable")][:count]] = True
    return chosen


def _go_together(edge_sizes: IntArray, degrees: IntArray) -> bool:
    """Tell whether a hypergraph has these edge sizes and degrees, by the theorem of Gale and Ryser."""
    if edge_sizes.sum() != degrees.sum():
        return False
    # The first k of the degrees in descending order need hyperedges with room for them.
    room = np.cumsum(len(edge_sizes) - np.cumsum(np.bincount(edge_sizes, minlength=len(degrees) + 1)))[: len(degrees)]
    return bool((np.cumsum(-np.sort(-degrees)) <= room).all())


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
