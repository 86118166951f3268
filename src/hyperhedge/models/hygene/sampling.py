r"""Sampling: from one node in one hyperedge to a hypergraph of the wanted shape, scale by scale.

A step expands nodes and hyperedges by the numbers that the step before predicted, offers candidates, and lets the diffusion
predict which of them stay and what becomes of nodes and hyperedges next. The next scale has

.. math:: n' = \min\bigl(\max(\lceil n / (1 - r) \rceil,\; n + 1),\; N\bigr)

nodes in the plan, :math:`r` as in the coarsening and :math:`N` the target.

*Nodes.* The diffusion predicts which nodes are split, more or fewer than planned; only the step that is to reach :math:`N` splits
exactly as many as that takes, those with the largest predictions. The public code can do either, and is set to do the latter in
every step (``exact``). But then the split nodes no longer fit the numbers of hyperedges, which are predicted together with them: a
node is split and its hyperedge is not. A network that sees one component cannot know how many nodes are split in the others, so
this happens at nearly every step of a hypergraph of many components. A step that splits none is repeated; if the next one splits
none either, one node is split.

*Hyperedges.* In the paper, each becomes one, two or three by its prediction (thresholds :math:`\pm\tfrac13`), and their total is
free. With a wanted number :math:`M`, predictions are followed as far as the total stays within :math:`M`, and the last step
reaches it, by raising or lowering the numbers where this changes the prediction least. Should even three of each not suffice,
random hyperedges are repeated.

*Repair.* A node or hyperedge that would lose all its incidences keeps its most probable candidate, unless training hypergraphs have
such nodes or hyperedges.

Hypergraphs are generated together, at most 64, as one graph of disjoint components; on a CPU there is a thread for each core.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from hyperhedge._system.malloc import steady_memory
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.diffusion.projection.distinct import separated
from hyperhedge.models.hygene.batch import LiftBatch, Step, Values, lift_batch
from hyperhedge.models.hygene.coarsen import MOST_EDGES, Coarsening, expand
from hyperhedge.models.hygene.edm import Noise, denoise, sample
from hyperhedge.models.hygene.memory import MOST_AT_ONCE
from hyperhedge.models.hygene.network import Network
from hyperhedge.models.hygene.task import Offer
from hyperhedge.models.repeats import cannot_be_distinct
from hyperhedge.train.workers import calm, default_workers, single_threaded
from hyperhedge.typing import BoolArray, FloatArray, IntArray

_NOT_OFFERED = -1e6  # of a candidate that was not offered, as an entry of a relaxed state


@dataclass(frozen=True)
class SamplingSettings:
    """How to sample; the arguments of :class:`~hyperhedge.models.hygene.model.Hygene` as the sampler takes them."""

    coarsening: Coarsening
    offer: Offer
    noise: Noise
    eigenvectors: int
    steps: int
    counts_edges: bool
    exact: bool
    repair_nodes: bool
    repair_edges: bool
    distinct: bool
    device: torch.device


def next_size(n: int, target: int, coarsening: Coarsening, rng: np.random.Generator) -> int:
    """Return how many nodes the next scale has in the plan.

    Examples
    --------
    >>> sizes, rng = [1], np.random.default_rng(0)
    >>> while sizes[-1] < 20:
    ...     sizes.append(next_size(sizes[-1], 20, Coarsening(), rng))
    >>> sizes
    [1, 2, 3, 5, 8, 12, 16, 19, 20]
    """
    small = math.ceil(n / (1 - coarsening.most)) <= coarsening.small
    share = coarsening.most if small else rng.uniform(coarsening.least, coarsening.most)
    return min(max(math.ceil(n / (1 - share)), n + 1), target)


def edge_numbers(predicted: FloatArray, least: int, most: int) -> IntArray:
    """Return how many each hyperedge becomes, in all at least ``least`` (if three of each suffice) and at most ``most``.

    Examples
    --------
    >>> edge_numbers(np.array([-0.9, 0.1, 0.2, 0.8]), 0, 100).tolist()
    [1, 2, 2, 3]
    >>> edge_numbers(np.array([-0.9, 0.1, 0.2, 0.8]), 0, 7).tolist()
    [1, 2, 2, 2]
    """
    numbers: IntArray = 1 + (predicted > -1 / 3).astype(np.int64) + (predicted > 1 / 3)
    while numbers.sum() > max(most, len(numbers)):
        excess = np.where(numbers > 1, numbers - 2 - predicted, -np.inf)
        numbers[np.argmax(excess)] -= 1
    while numbers.sum() < min(least, MOST_EDGES * len(numbers)):
        lack = np.where(numbers < MOST_EDGES, predicted - (numbers - 2), -np.inf)
        numbers[np.argmax(lack)] += 1
    return numbers


class _Growth:
    """One hypergraph while it grows.

    Attributes
    ----------
    target
        The wanted shape (n, m).
    H
        The incidences at the present scale.
    node_counts, edge_counts
        How many each node and hyperedge becomes at the next scale.
    planned
        How many nodes the next scale has in the plan.
    idle
        Whether the last step split no node.
    done
        Whether the target is reached.
    """

    def __init__(self, n: int, m: int) -> None:
        self.target = n, m
        self.H: BoolArray = np.ones((1, 1), dtype=np.bool_)
        self.node_counts = self.edge_counts = np.ones(1, dtype=np.int64)
        self.done = self.idle = False

    def prepare(self, settings: SamplingSettings, rng: np.random.Generator) -> tuple[Step, BoolArray, float]:
        """Expand; return the step, which of its candidates are offered, and the shrinkage that the network sees."""
        _, nodes, edges = expand(self.H, self.node_counts, self.edge_counts)
        step = Step.between(
            self.H, nodes, edges, self.target, radius=settings.offer.radius, count=settings.eigenvectors
        )
        self.planned = next_size(len(nodes), self.target[0], settings.coarsening, rng)
        offered = settings.offer.choose(step.needed, rng.random(len(step.needed)))
        self._candidates = step.near[:, offered]
        return step, offered, 1 - len(nodes) / self.planned

    def take(self, nodes: FloatArray, edges: FloatArray, kept: FloatArray, settings: SamplingSettings) -> None:
        """Follow the predictions: for the incidences of this scale, and for what becomes of its nodes and hyperedges."""
        score = np.full((len(nodes), len(edges)), -np.inf)
        score[self._candidates[0], self._candidates[1]] = kept
        self.score = score
        self.H = _repaired(score, nodes=settings.repair_nodes, edges=settings.repair_edges)
        n, m = self.target
        self.done = len(nodes) >= n
        self.node_counts = self._split(nodes, exact=settings.exact)
        if settings.counts_edges:
            last = self.node_counts.sum() >= n
            self.edge_counts = edge_numbers(edges, m if last and settings.repair_edges else 0, m)
        else:
            self.edge_counts = edge_numbers(edges, 0, MOST_EDGES * len(edges))

    def _split(self, predicted: FloatArray, *, exact: bool) -> IntArray:
        """Return how many each node becomes: two for those with the largest predictions."""
        counts = np.ones(len(predicted), dtype=np.int64)
        planned, room = self.planned - len(predicted), self.target[0] - len(predicted)
        wanted = min(int((predicted > 0).sum()), room)
        splits = planned if exact or planned == room else max(wanted, int(self.idle))
        self.idle = not splits
        counts[np.argsort(-predicted, kind="stable")[:splits]] = 2
        return counts

    def finish(self, settings: SamplingSettings, rng: np.random.Generator) -> Hypergraph:
        """Return the hypergraph, its nodes and hyperedges in random order."""
        H, n, m = self.H, *self.target
        columns = np.arange(H.shape[1]) if settings.counts_edges else np.flatnonzero(H.any(0))
        H = H[:, columns]
        lacking = m - H.shape[1]
        if settings.counts_edges and lacking > 0:
            empty = np.zeros((n, lacking), dtype=np.bool_)
            copied = rng.integers(H.shape[1], size=lacking) if settings.repair_edges else np.zeros(lacking, dtype=int)
            columns = np.concatenate((columns, columns[copied]))
            H = np.concatenate([H, H[:, copied] if settings.repair_edges else empty], axis=1)
        if settings.distinct:
            H = self._distinct(H, self.score[:, columns], settings)
        return Hypergraph.from_incidence(H[rng.permutation(len(H))][:, rng.permutation(H.shape[1])])

    def _distinct(self, H: BoolArray, score: FloatArray, settings: SamplingSettings) -> BoolArray:
        """Make repeated hyperedges different where the predictions say so most; candidates that were not offered come last."""
        state = np.maximum(0.5 + 0.5 * score, _NOT_OFFERED)  # predictions of ±1 are entries of 0 and 1
        allow = {"allow_empty": not settings.repair_edges, "allow_isolated": not settings.repair_nodes}
        changed = separated(state, H, "nothing", **allow)
        if changed is None:
            raise cannot_be_distinct(*H.shape)
        return changed


def _repaired(score: FloatArray, *, nodes: bool, edges: bool) -> BoolArray:
    """Return the incidences with a positive score, and the best candidates of nodes and hyperedges that would have none."""
    H: BoolArray = score > 0
    possible = np.isfinite(score)
    if nodes:
        bare = np.flatnonzero(~H.any(1) & possible.any(1))
        H[bare, score[bare].argmax(1)] = True
    if edges:
        bare = np.flatnonzero(~H.any(0) & possible.any(0))
        H[score[:, bare].argmax(0), bare] = True
    return H


def sample_all(
    network: Network | None,
    shapes: IntArray,
    settings: SamplingSettings,
    rng: np.random.Generator,
    advance: Callable[[int], None],
) -> list[Hypergraph]:
    """Sample a hypergraph of each of the shapes ``(count, 2)``; ``advance`` is called with how many more are done."""
    graphs = [Hypergraph.from_incidence(np.zeros((n, m), dtype=np.bool_)) for n, m in shapes.tolist()]
    has_entries = (shapes[:, 0] > 0) & ((shapes[:, 1] > 0) | (not settings.counts_edges))
    if settings.distinct and (bare := [H for H in graphs if H.m > 1 and (network is None or not H.n)]):
        raise cannot_be_distinct(bare[0].n, bare[0].m)
    if network is None or not has_entries.any():
        advance(len(shapes))
        return graphs
    advance(int((~has_entries).sum()))
    grown = np.flatnonzero(has_entries)
    grown = grown[np.argsort(shapes[grown, 0], kind="stable")]  # of similar shape together
    chunks = np.split(grown, range(MOST_AT_ONCE, len(grown), MOST_AT_ONCE))
    seeds = [int(rng.integers(2**63)) for _ in chunks]

    def run(indices: IntArray, seed: int) -> list[Hypergraph]:
        sampled = _sample_chunk(network, shapes[indices], settings, seed)
        advance(len(indices))
        return sampled

    workers = min(default_workers(), len(chunks)) if settings.device.type == "cpu" else 1
    with steady_memory(), single_threaded(), ThreadPoolExecutor(workers, initializer=calm) as pool:
        for indices, sampled in zip(chunks, pool.map(run, chunks, seeds), strict=True):
            for k, H in zip(indices.tolist(), sampled, strict=True):
                graphs[k] = H
    return graphs


def _sample_chunk(network: Network, shapes: IntArray, settings: SamplingSettings, seed: int) -> list[Hypergraph]:
    rng, generator = np.random.default_rng(seed), torch.Generator().manual_seed(seed)
    growths = [_Growth(n, m) for n, m in shapes.tolist()]
    while active := [growth for growth in growths if not growth.done]:
        steps, offered, shrinkage = zip(*(growth.prepare(settings, rng) for growth in active), strict=True)
        batch = lift_batch(steps, offered, shrinkage).to(settings.device)
        predicted = _predict(network, batch, settings, generator)
        by_graph = (_by_graph(*pair, batch.count) for pair in zip(predicted, batch.graphs, strict=True))
        for growth, nodes, edges, kept in zip(active, *by_graph, strict=True):
            growth.take(nodes, edges, kept, settings)
    return [growth.finish(settings, rng) for growth in growths]


def _by_graph(values: Tensor, graph: Tensor, count: int) -> list[FloatArray]:
    """Divide numbers that are in order of their hypergraphs."""
    ends = np.cumsum(np.bincount(graph.cpu().numpy(), minlength=count))
    return np.split(values.cpu().numpy(), ends[:-1])


@torch.no_grad()
def _predict(network: Network, batch: LiftBatch, settings: SamplingSettings, generator: torch.Generator) -> Values:
    """Let the diffusion predict all numbers of a step."""
    embedded = network.sign_net(batch)

    def noise(like: Tensor) -> Tensor:
        return torch.randn(like.shape, generator=generator, dtype=torch.float64).to(like.device)

    def predict(state: Values, sigma: float, before: Values | None) -> Values:
        levels = torch.full((batch.count,), sigma, dtype=torch.float64, device=batch.v.device)
        return denoise(settings.noise, network, batch, state, levels, before, embedded)

    return sample(settings.noise, predict, batch.graphs.map(noise), settings.steps, noise)
