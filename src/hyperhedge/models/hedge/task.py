r"""What the trainer minimises: the denoiser's loss on noised hypergraphs at random times.

A step samples a bucket, with its share of the training set as its probability, then members, times and noise. Times follow

.. math:: s = S\,\bigl((1 - \delta)\,U + \delta\bigr)^{p}, \qquad U \text{ uniform on } [0, 1], \quad \delta = 0.02,

with one :math:`U` in each of as many equal parts of the unit interval as the batch has members, which makes the loss of a step less
noisy: this is the time law :math:`\rho` of eq. 15. Validation uses the same noise and the same times every time.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from hyperhedge.diffusion.denoiser import Denoiser
from hyperhedge.models.hedge.data import Bucket
from hyperhedge.train import Batch

_LEAST_SHARE = 0.02
_VALIDATION_BATCH = 64
_REFERENCE_BATCHES, _REFERENCE_BATCH = 4, 16


def sample_times(count: int, power: float, generator: torch.Generator) -> Tensor:
    """Sample times as shares of the horizon, one from each of ``count`` equal parts, in random order.

    Examples
    --------
    >>> times = sample_times(1000, 1.0, torch.Generator().manual_seed(0))
    >>> bool(times.min() > 0.02), bool(times.max() < 1.0), round(times.mean().item(), 2)
    (True, True, 0.51)
    """
    parts = torch.randperm(count, generator=generator)
    U = (parts + torch.rand(count, generator=generator, dtype=torch.float64)) / count
    return ((1 - _LEAST_SHARE) * U + _LEAST_SHARE) ** power


class DenoisingTask:
    """Learning a denoiser from buckets of hypergraphs.

    Parameters
    ----------
    denoiser
        What is learned; its network is the trainer's module.
    training, held_out
        Training hypergraphs, and those to validate on, if any.
    power
        The power :math:`p` of the time law.
    seed
        The seed of the noise of validation.
    """

    def __init__(
        self,
        denoiser: Denoiser,
        training: Sequence[Bucket],
        held_out: Sequence[Bucket] = (),
        *,
        power: float,
        seed: int = 0,
    ) -> None:
        self.denoiser, self.training, self.held_out, self.power = denoiser, list(training), list(held_out), power
        self.seed = seed
        self._shares = torch.tensor([float(len(bucket)) for bucket in self.training])

    def sample_batch(self, count: int, generator: torch.Generator) -> Batch:
        """Sample a bucket, members, times and noise."""
        which = torch.multinomial(self._shares, 1, generator=generator)
        bucket = self.training[int(which)]
        members = torch.randint(len(bucket), (count,), generator=generator)
        times = self.denoiser.process.horizon * sample_times(count, self.power, generator)
        noise = torch.randn((count, *bucket.H.shape[1:]), generator=generator)
        return which.expand(count), members, times, noise

    def losses(self, module: nn.Module, batch: Batch) -> Tensor:
        """Return the denoiser's loss for each member of a batch."""
        which, members, times, noise = batch
        self._move(members.device)
        return self._losses(module, self.training[int(which[0])][members], times, noise)

    def validate(self, module: nn.Module) -> float | None:
        """Return the mean loss over the held-out hypergraphs."""
        if not self.held_out:
            return None
        device = next(module.parameters()).device
        self._move(device)
        generator = torch.Generator().manual_seed(self.seed)
        losses = []
        for bucket in self.held_out:
            times = self.denoiser.process.horizon * sample_times(len(bucket), self.power, generator)
            noise = torch.randn(bucket.H.shape, generator=generator)
            for part in torch.split(torch.arange(len(bucket)), _VALIDATION_BATCH):
                times_and_noise = times[part].to(device), noise[part].to(device)
                losses.append(self._losses(module, bucket[part.to(device)], *times_and_noise))
        return float(torch.cat(losses).mean())

    @torch.no_grad()
    def reference_loss(self, module: nn.Module) -> float:
        """Return the mean loss on some training hypergraphs, with the same noise every time: before and after are comparable."""
        device, generator = next(module.parameters()).device, torch.Generator().manual_seed(self.seed)
        batches = [self.sample_batch(_REFERENCE_BATCH, generator) for _ in range(_REFERENCE_BATCHES)]
        losses = [self.losses(module, tuple(part.to(device) for part in batch)) for batch in batches]
        return float(torch.cat(losses).mean())

    def _losses(self, module: nn.Module, bucket: Bucket, times: Tensor, noise: Tensor) -> Tensor:
        targets = self.denoiser.targets(bucket.H, bucket.spectrum, times, noise)
        return self.denoiser.losses(module, targets, bucket.spectrum.shapes, bucket.marginals)

    def _move(self, device: torch.device) -> None:
        """Bring the data to where the module is; once, as they stay there."""
        if self.training[0].H.device != device:
            self.training = [bucket.to(device) for bucket in self.training]
            self.held_out = [bucket.to(device) for bucket in self.held_out]
