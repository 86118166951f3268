r"""Sampling: from one node in one hyperedge to a hypergraph of a given size, scale by scale.

A step expands nodes and hyperedges by the numbers that the step before predicted, offers candidates, and lets the diffusion
predict which of them stay and what becomes of nodes and hyperedges next. The next scale has

.. math:: n' = \min\bigl(\max(\lceil n / (1 - r) \rceil,\; n + 1),\; N\bigr)

nodes in the plan, :math:`r` as in the coarsening and :math:`N` the target.

*Nodes.* Those are split of which the diffusion says so, more or fewer than planned; only the step that is to reach :math:`N` splits
as many as that takes, those with the largest predictions. The public code can do either, and is set to do the latter in every step
(``exact``). But what this changes no longer fits the numbers of hyperedges, drawn together with the nodes': a node is split
and its hyperedge is not. A network that sees one component cannot know how many nodes are split in the others, so this happens at
nearly every step of a hypergraph of many components. A step that splits none is taken again; if the next one splits none either,
one node is split.

*Hyperedges.* In the paper, each becomes one, two or three by its prediction (thresholds :math:`\pm\tfrac13`), and their number is
what comes of that. With a given number :math:`M`, predictions are followed as far as the number stays within :math:`M`, and in the
last step it is reached, by raising or lowering the number where this changes the prediction least. Should even three of each not
suffice, random hyperedges are repeated.

*Repair.* A node or hyperedge that would lose all its incidences keeps its most probable candidate, unless training hypergraphs have
such nodes or hyperedges.

Hypergraphs are generated together, at most 64, as one graph in disjoint parts; on a CPU there is a thread for each core.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from hyperhedge.baselines.hygene.coarsen import MOST_EDGES, BoolArray, Coarsening, FloatArray, expand
from hyperhedge.baselines.hygene.edm import Noise, denoise, sample
from hyperhedge.baselines.hygene.network import Network, Values
from hyperhedge.baselines.hygene.task import Offer
from hyperhedge.baselines.hygene.union import Step, Union, union_of
from hyperhedge.checks import IntArray
from hyperhedge.hypergraph import Hypergraph
from hyperhedge.memory import steady_memory
from hyperhedge.train.workers import calm, default_workers, single_threaded

__all__ = ["Plan", "draw_all", "edge_numbers", "next_size"]

_MOST_AT_ONCE = 64


@dataclass(frozen=True)
class Plan:
    """How to draw."""

    how: Coarsening
    offer: Offer
    noise: Noise
    eigenvectors: int
    steps: int
    counts_edges: bool
    exact: bool
    repair_nodes: bool
    repair_edges: bool
    device: torch.device


def next_size(n: int, target: int, how: Coarsening, rng: np.random.Generator) -> int:
    """Return how many nodes the next scale has.

    Examples
    --------
    >>> sizes, rng = [1], np.random.default_rng(0)
    >>> while sizes[-1] < 20:
    ...     sizes.append(next_size(sizes[-1], 20, Coarsening(), rng))
    >>> sizes
    [1, 2, 3, 5, 8, 12, 16, 19, 20]
    """
    small = math.ceil(n / (1 - how.most)) <= how.small
    share = how.most if small else rng.uniform(how.least, how.most)
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
    """One hypergraph while it grows."""

    def __init__(self, n: int, m: int) -> None:
        self.target = n, m
        self.H: BoolArray = np.ones((1, 1), dtype=np.bool_)
        self.node_counts = self.edge_counts = np.ones(1, dtype=np.int64)
        self.done = self.idle = False

    def prepare(self, plan: Plan, rng: np.random.Generator) -> tuple[Step, BoolArray, float]:
        """Expand, choose candidates, and decide how large the next scale is."""
        _, nodes, edges = expand(self.H, self.node_counts, self.edge_counts)
        step = Step.between(self.H, nodes, edges, self.target, radius=plan.offer.radius, count=plan.eigenvectors)
        self.next = next_size(len(nodes), self.target[0], plan.how, rng)
        chosen = plan.offer.choose(step.needed, rng.random(len(step.needed)))
        self.near = step.near[:, chosen]
        self.size = len(nodes), len(edges)
        return step, chosen, 1 - len(nodes) / self.next

    def take(self, nodes: FloatArray, edges: FloatArray, kept: FloatArray, plan: Plan) -> None:
        """Take in what was predicted."""
        score = np.full(self.size, -np.inf)
        score[self.near[0], self.near[1]] = kept
        self.H = score > 0
        if plan.repair_nodes:
            bare = np.flatnonzero(~self.H.any(1) & np.isfinite(score).any(1))
            self.H[bare, score[bare].argmax(1)] = True
        if plan.repair_edges:
            bare = np.flatnonzero(~self.H.any(0) & np.isfinite(score).any(0))
            self.H[score[:, bare].argmax(0), bare] = True
        n, m = self.target
        self.done = len(nodes) >= n
        self.node_counts = self._split(nodes, exact=plan.exact)
        final = self.node_counts.sum() >= n and plan.repair_edges
        limits = (m if final else 0, m) if plan.counts_edges else (0, MOST_EDGES * len(edges))
        self.edge_counts = edge_numbers(edges, *limits)

    def _split(self, predicted: FloatArray, *, exact: bool) -> IntArray:
        """Return how many each node becomes."""
        counts = np.ones(len(predicted), dtype=np.int64)
        planned, room = self.next - len(predicted), self.target[0] - len(predicted)
        drawn = min(int((predicted > 0).sum()), room)
        many = planned if exact or planned == room else max(drawn, int(self.idle))
        self.idle = not many
        counts[np.argsort(-predicted, kind="stable")[:many]] = 2
        return counts

    def finish(self, plan: Plan, rng: np.random.Generator) -> Hypergraph:
        """Return the hypergraph, its nodes and hyperedges in random order."""
        H = self.H if plan.counts_edges else self.H[:, self.H.any(0)]
        n, m = self.target
        if plan.counts_edges and H.shape[1] < m:
            lacking = m - H.shape[1]
            more = H[:, rng.integers(H.shape[1], size=lacking)] if plan.repair_edges else np.zeros((n, lacking), bool)
            H = np.concatenate([H, more], axis=1)
        return Hypergraph.from_incidence(H[rng.permutation(len(H))][:, rng.permutation(H.shape[1])])


def draw_all(
    network: Network | None, shapes: IntArray, plan: Plan, rng: np.random.Generator, advance: Callable[[int], None]
) -> list[Hypergraph]:
    """Draw a hypergraph of each of the sizes ``(count, 2)``; ``advance`` is told how many more are done."""
    graphs = [Hypergraph.from_incidence(np.zeros((n, m), dtype=np.bool_)) for n, m in shapes.tolist()]
    grown = np.flatnonzero((shapes[:, 0] > 0) & ((shapes[:, 1] > 0) | (not plan.counts_edges)))
    grown = grown if network is not None else grown[:0]
    advance(len(shapes) - len(grown))
    grown = grown[np.argsort(shapes[grown, 0], kind="stable")]  # of like size together
    chunks = [
        (part, int(rng.integers(2**63))) for part in np.split(grown, range(_MOST_AT_ONCE, len(grown), _MOST_AT_ONCE))
    ]

    def run(chunk: tuple[IntArray, int]) -> tuple[IntArray, list[Hypergraph]]:
        places, seed = chunk
        found = _draw_chunk(network, shapes[places], plan, seed) if len(places) else []
        advance(len(places))
        return places, found

    workers = min(default_workers(), len(chunks)) if plan.device.type == "cpu" else 1
    with steady_memory(), single_threaded(), ThreadPoolExecutor(workers, initializer=calm) as pool:
        for places, found in pool.map(run, chunks):
            for place, H in zip(places.tolist(), found, strict=True):
                graphs[place] = H
    return graphs


def _draw_chunk(network: Network | None, shapes: IntArray, plan: Plan, seed: int) -> list[Hypergraph]:
    assert network is not None  # noqa: S101  # without one there is nothing to grow
    rng, generator = np.random.default_rng(seed), torch.Generator().manual_seed(seed)
    growths = [_Growth(n, m) for n, m in shapes.tolist()]
    while active := [growth for growth in growths if not growth.done]:
        steps, chosen, shrinkage = zip(*(growth.prepare(plan, rng) for growth in active), strict=True)
        union = union_of(steps, chosen, shrinkage).to(plan.device)
        found = _predicted(network, union, plan, generator)
        nodes, edges, kept = (
            np.split(part.cpu().numpy(), np.cumsum(np.bincount(of.cpu().numpy(), minlength=union.count))[:-1])
            for part, of in zip(found, (union.node_graph, union.edge_graph, union.graph), strict=True)
        )
        for k, growth in enumerate(active):
            growth.take(nodes[k], edges[k], kept[k], plan)
    return [growth.finish(plan, rng) for growth in growths]


@torch.no_grad()
def _predicted(network: Network, union: Union, plan: Plan, generator: torch.Generator) -> Values:
    """Let the diffusion predict all numbers of a step."""
    embedded = network.sign_net(union)

    def noise(like: Tensor) -> Tensor:
        return torch.randn(like.shape, generator=generator, dtype=torch.float64).to(like.device)

    def predict(state: Values, sigma: float, before: Values | None) -> Values:
        levels = torch.full((union.count,), sigma, dtype=torch.float64, device=union.v.device)
        return denoise(plan.noise, network, union, state, levels, before, embedded)

    start = Values(*(noise(part) for part in (union.node_graph, union.edge_graph, union.graph)))
    return sample(plan.noise, predict, start, plan.steps, noise)
