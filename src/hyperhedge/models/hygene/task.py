r"""The training task: random steps of coarsening sequences, noise, and the loss.

Each training hypergraph has a few coarsening sequences; a member of a batch is a step of one of them. Sequences are made when they
are first needed, each from its own seed, and kept as long as there is room: one that was dropped is made again as it was.

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

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.models.hygene.batch import Labelled, LiftBatch, Values, lift_batch, steps_of
from hyperhedge.models.hygene.coarsen import Coarsening, coarsen
from hyperhedge.models.hygene.edm import Noise, denoise
from hyperhedge.train import Batch
from hyperhedge.typing import BoolArray

_SEEDS = 2**62
_VALIDATION_BATCH, _MOST_VALIDATION = 32, 320


@dataclass(frozen=True)
class Offer:
    """Which candidates are offered: up to a radius; those whose parents are not joined are left out with a probability."""

    radius: int
    dropout: float

    def choose(self, needed: BoolArray, uniform: np.ndarray) -> BoolArray:
        """Choose candidates, by a uniform number for each."""
        offered: BoolArray = needed | (uniform >= self.dropout)
        return offered


class Sequences:
    """Coarsening sequences of hypergraphs, made when they are needed, and kept in at most so many bytes."""

    room = 512 * 2**20

    def __init__(
        self,
        graphs: Sequence[Hypergraph],
        coarsening: Coarsening,
        offer: Offer,
        *,
        eigenvectors: int,
        seed: int,
        room: int | None = None,
    ) -> None:
        self.graphs, self.coarsening, self.offer = list(graphs), coarsening, offer
        self.eigenvectors, self.seed, self.room = eigenvectors, seed, Sequences.room if room is None else room
        self._kept: OrderedDict[tuple[int, int], tuple[list[Labelled], int]] = OrderedDict()
        self._taken, self._lock = 0, threading.Lock()

    def get(self, graph: int, number: int) -> list[Labelled]:
        """Return the steps of a sequence."""
        with self._lock:
            kept = self._kept.get((graph, number))
            if kept is not None:
                self._kept.move_to_end((graph, number))
                return kept[0]
        steps = self._make(graph, number)
        size = sum(item.step.near.nbytes + item.step.node_features.nbytes + 2048 for item in steps)
        with self._lock:
            if (graph, number) not in self._kept:
                self._kept[graph, number] = steps, size
                self._taken += size
            while self._taken > self.room and len(self._kept) > 1:
                self._taken -= self._kept.popitem(last=False)[1][1]
        return steps

    def _make(self, graph: int, number: int) -> list[Labelled]:
        H = self.graphs[graph]
        scales = coarsen(H, self.coarsening, seed=np.random.default_rng([self.seed, graph, number]))
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

    def sample_batch(self, count: int, generator: torch.Generator) -> Batch:
        """Sample hypergraphs, sequences, fractions of the way through these, and seeds of noise; a coin for self-conditioning."""
        graphs = torch.randint(len(self.training.graphs), (count,), generator=generator)
        numbers = torch.randint(self.count, (count,), generator=generator)
        fractions = torch.rand(count, generator=generator, dtype=torch.float64)
        seeds = torch.randint(_SEEDS, (count,), generator=generator)
        coin = torch.rand(1, generator=generator).expand(count)
        return graphs, numbers, fractions, seeds, coin

    def losses(self, module: nn.Module, batch: Batch) -> Tensor:
        """Return the losses of the members."""
        graphs, numbers, fractions, seeds, coin = batch
        members = []
        for graph, number, fraction in zip(graphs.tolist(), numbers.tolist(), fractions.tolist(), strict=True):
            steps = self.training.get(graph, number)
            members.append(steps[int(fraction * len(steps))])
        noised = _Noised.of(members, self.training.offer, seeds.tolist(), self.constants, _device_of(module))
        dropout = torch.Generator().manual_seed(int(seeds[0]))
        return noised.losses(self.constants, module, self_conditioned=bool(coin[0] < 0.5), dropout=dropout)

    def validate(self, module: nn.Module) -> float | None:
        """Return the mean loss over steps of held-out hypergraphs, with the same noise every time."""
        if self.held_out is None:
            return None
        rng = np.random.default_rng(self.seed)
        steps = [step for k in range(len(self.held_out.graphs)) for step in self.held_out.get(k, 0)]
        order = rng.permutation(len(steps))[:_MOST_VALIDATION].tolist()
        seeds = rng.integers(_SEEDS, size=len(order)).tolist()
        losses = []
        for start in range(0, len(order), _VALIDATION_BATCH):
            part = slice(start, start + _VALIDATION_BATCH)
            members = [steps[k] for k in order[part]]
            noised = _Noised.of(members, self.held_out.offer, seeds[part], self.constants, _device_of(module))
            losses.append(noised.losses(self.constants, module, self_conditioned=True))
        return float(torch.cat(losses).mean())


@dataclass(frozen=True)
class _Noised:
    """Members of a batch with noise.

    Attributes
    ----------
    batch
        The members' steps with the candidates that are offered.
    data, noisy, sigma
        What is to be predicted, the same with noise, and the noise level of each member.
    learns_counts
        Whether a member's nodes and hyperedges become others: not at the finest scale.
    """

    batch: LiftBatch
    data: Values
    noisy: Values
    sigma: Tensor
    learns_counts: Tensor

    @classmethod
    def of(
        cls, members: Sequence[Labelled], offer: Offer, seeds: Sequence[int], constants: Noise, device: torch.device
    ) -> _Noised:
        """Choose candidates and add noise; all that is random of a member comes from its seed."""
        offered, levels, noises = [], [], []
        for member, seed in zip(members, seeds, strict=True):
            generator = torch.Generator().manual_seed(seed)
            levels.append(torch.randn(1, generator=generator))
            uniform = torch.rand(len(member.kept), generator=generator).numpy()
            offered.append(offer.choose(member.step.needed, uniform))
            counts = [len(member.node_counts), len(member.edge_counts), int(offered[-1].sum())]
            noises.append(torch.split(torch.randn(sum(counts), generator=generator), counts))
        shrinkage = [member.shrinkage for member in members]
        batch = lift_batch([member.step for member in members], offered, shrinkage).to(device)
        data = _data(members, offered).map(lambda x: x.to(device))
        sigma = (torch.cat(levels) * constants.deviation + constants.mean).exp().to(device)
        noise = Values(*(torch.cat(kind).to(device) for kind in zip(*noises, strict=True)))
        noisy = data.map(lambda x, graph, epsilon: x + sigma[graph] * epsilon, batch.graphs, noise)
        return cls(batch, data, noisy, sigma, torch.tensor([not member.last for member in members], device=device))

    def losses(
        self, constants: Noise, module: nn.Module, *, self_conditioned: bool, dropout: torch.Generator | None = None
    ) -> Tensor:
        """Return each member's loss; if self-conditioned, the network sees its own first prediction."""
        before = None
        if self_conditioned:
            with torch.no_grad():
                before = denoise(constants, module, self.batch, self.noisy, self.sigma, generator=dropout)
        predicted = denoise(constants, module, self.batch, self.noisy, self.sigma, before, generator=dropout)
        weight = constants.weight(self.sigma)
        of_counts = weight * self.learns_counts
        weights = Values(of_counts, of_counts, weight)
        terms = predicted.map(self._mean_error, self.data, self.batch.graphs, weights)
        return terms.nodes + terms.edges + terms.incidences

    def _mean_error(self, predicted: Tensor, data: Tensor, graph: Tensor, weight: Tensor) -> Tensor:
        """Return the weighted mean of squared errors over the entries of each member."""
        entries = torch.bincount(graph, minlength=self.batch.count).clamp(min=1)
        return weight * torch.zeros_like(weight).index_add(0, graph, (predicted - data) ** 2) / entries


def _data(members: Sequence[Labelled], offered: Sequence[BoolArray]) -> Values:
    """Return what is to be predicted, as numbers about zero."""
    nodes = np.concatenate([2 * member.node_counts - 3 for member in members])
    edges = np.concatenate([member.edge_counts - 2 for member in members])
    kept = np.concatenate([2.0 * member.kept[which] - 1 for member, which in zip(members, offered, strict=True)])
    return Values(*(torch.from_numpy(numbers.astype(np.float32)) for numbers in (nodes, edges, kept)))


def _device_of(module: nn.Module) -> torch.device:
    return next(module.parameters()).device
