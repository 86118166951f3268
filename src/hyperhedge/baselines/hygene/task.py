r"""What the trainer is given: random steps of coarsening sequences, noise, and the loss.

Each training hypergraph has a few coarsening sequences; a member of a batch is a step of one of them. Sequences are made when they
are first drawn, each from a seed of its own, and kept as long as there is room: one that was let go is made again as it was.

The loss of a member is the sum of three mean squared errors, with EDM's weights: over its nodes, its hyperedges and its candidates.
(The public code takes means over all of a batch, in which the few entries of coarse scales, where most is decided, hardly count.)
What becomes of nodes and hyperedges is not learned at the finest scale, where they become nothing else.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from hyperhedge.baselines.hygene.coarsen import BoolArray, Coarsening, coarsen
from hyperhedge.baselines.hygene.edm import Noise, denoise
from hyperhedge.baselines.hygene.network import Values
from hyperhedge.baselines.hygene.union import Labelled, Union, steps_of, union_of
from hyperhedge.hypergraph import Hypergraph
from hyperhedge.train import Batch

__all__ = ["ExpansionTask", "Offer", "Sequences"]

_ROOM = 512 * 2**20
_SEEDS = 2**62
_VALIDATION_BATCH, _MOST_VALIDATION = 32, 320


@dataclass(frozen=True)
class Offer:
    """Which candidates are offered: up to a radius, and beyond joined parents with which probability none."""

    radius: int
    dropout: float

    def choose(self, needed: BoolArray, uniform: np.ndarray) -> BoolArray:
        """Choose candidates, by a uniform number for each."""
        chosen: BoolArray = needed | (uniform >= self.dropout)
        return chosen


class Sequences:
    """Coarsening sequences of hypergraphs, made when they are asked for."""

    def __init__(
        self,
        graphs: Sequence[Hypergraph],
        how: Coarsening,
        offer: Offer,
        *,
        eigenvectors: int,
        seed: int,
        room: int = _ROOM,
    ) -> None:
        self.graphs, self.how, self.offer = list(graphs), how, offer
        self.eigenvectors, self.seed, self.room = eigenvectors, seed, room
        self._kept: OrderedDict[tuple[int, int], tuple[list[Labelled], int]] = OrderedDict()
        self._taken, self._lock = 0, threading.Lock()

    def get(self, graph: int, number: int) -> list[Labelled]:
        """Return the steps of a sequence."""
        with self._lock:
            found = self._kept.get((graph, number))
            if found is not None:
                self._kept.move_to_end((graph, number))
                return found[0]
        steps = self._made(graph, number)
        size = sum(item.step.near.nbytes + item.step.node_features.nbytes + 2048 for item in steps)
        with self._lock:
            if (graph, number) not in self._kept:
                self._kept[graph, number] = steps, size
                self._taken += size
            while self._taken > self.room and len(self._kept) > 1:
                self._taken -= self._kept.popitem(last=False)[1][1]
        return steps

    def _made(self, graph: int, number: int) -> list[Labelled]:
        H = self.graphs[graph]
        scales = coarsen(H, self.how, seed=np.random.default_rng([self.seed, graph, number]))
        return steps_of(scales, (H.n, H.m), radius=self.offer.radius, count=self.eigenvectors)


class ExpansionTask:
    """Learning to undo coarsening.

    Parameters
    ----------
    constants
        Those of the diffusion.
    training, held_out
        Sequences of training hypergraphs, and of those to validate on, if any.
    count
        How many sequences each training hypergraph has.
    seed
        The seed of the noise of validation.
    """

    def __init__(
        self, constants: Noise, training: Sequences, held_out: Sequences | None = None, *, count: int, seed: int = 0
    ) -> None:
        self.constants, self.training, self.held_out = constants, training, held_out
        self.count, self.seed = count, seed

    def draw(self, count: int, generator: torch.Generator) -> Batch:
        """Draw hypergraphs, sequences, places in these, and seeds of noise; a coin for self-conditioning."""
        graphs = torch.randint(len(self.training.graphs), (count,), generator=generator)
        numbers = torch.randint(self.count, (count,), generator=generator)
        places = torch.rand(count, generator=generator, dtype=torch.float64)
        seeds = torch.randint(_SEEDS, (count,), generator=generator)
        coin = torch.rand(1, generator=generator).expand(count)
        return graphs, numbers, places, seeds, coin

    def losses(self, module: nn.Module, batch: Batch) -> Tensor:
        """Return the losses of the members."""
        graphs, numbers, places, seeds, coin = batch
        members = []
        for graph, number, place in zip(graphs.tolist(), numbers.tolist(), places.tolist(), strict=True):
            steps = self.training.get(graph, number)
            members.append(steps[int(place * len(steps))])
        return _losses(
            self.constants,
            module,
            members,
            self.training.offer,
            seeds.tolist(),
            again=bool(coin[0] < 0.5),
            dropping=True,
        )

    def validate(self, module: nn.Module) -> float | None:
        """Return the mean loss over steps of held-out hypergraphs, with the same noise every time."""
        if self.held_out is None:
            return None
        rng = np.random.default_rng(self.seed)
        steps = [step for k in range(len(self.held_out.graphs)) for step in self.held_out.get(k, 0)]
        order = rng.permutation(len(steps))[:_MOST_VALIDATION].tolist()
        seeds = rng.integers(_SEEDS, size=len(order)).tolist()
        found = []
        for start in range(0, len(order), _VALIDATION_BATCH):
            part = slice(start, start + _VALIDATION_BATCH)
            members = [steps[k] for k in order[part]]
            found.append(
                _losses(self.constants, module, members, self.held_out.offer, seeds[part], again=True, dropping=False)
            )
        return float(torch.cat(found).mean())


def _losses(
    constants: Noise,
    module: nn.Module,
    members: Sequence[Labelled],
    offer: Offer,
    seeds: Sequence[int],
    *,
    again: bool,
    dropping: bool,
) -> Tensor:
    device = next(module.parameters()).device
    chosen, noise, levels = [], [], []
    for item, seed in zip(members, seeds, strict=True):
        generator = torch.Generator().manual_seed(seed)
        levels.append(torch.randn(1, generator=generator))
        picked = offer.choose(item.step.needed, torch.rand(len(item.kept), generator=generator).numpy())
        chosen.append(picked)
        sizes = [len(item.node_counts), len(item.edge_counts), int(picked.sum())]
        noise.append(torch.split(torch.randn(sum(sizes), generator=generator), sizes))
    union = union_of([item.step for item in members], chosen, [item.shrinkage for item in members]).to(device)
    data = Values(*(part.to(device) for part in _data(members, chosen)))
    sigma = (torch.cat(levels) * constants.deviation + constants.mean).exp().to(device)
    of = union.node_graph, union.edge_graph, union.graph
    noisy = Values(*(data[k] + sigma[of[k]] * torch.cat([part[k] for part in noise]).to(device) for k in range(3)))
    left_out = torch.Generator().manual_seed(seeds[0]) if dropping else None
    before = None
    if again:
        with torch.no_grad():
            before = denoise(constants, module, union, noisy, sigma, generator=left_out)
    found = denoise(constants, module, union, noisy, sigma, before, generator=left_out)
    learned = torch.tensor([not item.last for item in members], device=device)
    return _errors(union, data, found, constants.weight(sigma), learned)


def _data(members: Sequence[Labelled], chosen: Sequence[BoolArray]) -> Values:
    """Return what is to be predicted, as numbers about zero."""
    nodes = np.concatenate([item.node_counts for item in members])
    edges = np.concatenate([item.edge_counts for item in members])
    kept = np.concatenate([item.kept[which] for item, which in zip(members, chosen, strict=True)])
    return Values(*(torch.from_numpy(part.astype(np.float32)) for part in (2 * nodes - 3, edges - 2, 2 * kept - 1.0)))


def _errors(union: Union, data: Values, found: Values, weight: Tensor, learned: Tensor) -> Tensor:
    """Return each member's sum of the three mean errors."""
    total = torch.zeros_like(weight)
    for k, of in enumerate((union.node_graph, union.edge_graph, union.graph)):
        counted = weight if k == 2 else weight * learned
        entries = torch.bincount(of, minlength=union.count).clamp(min=1)
        total = total + counted * torch.zeros_like(weight).index_add(0, of, (found[k] - data[k]) ** 2) / entries
    return total
