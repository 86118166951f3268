r"""The state of a training: what a checkpoint keeps and a roll-back returns to.

*The moving average* of the weights is what a training yields: after step :math:`k = 1, 2, …`

.. math:: \bar\theta \leftarrow d_k \bar\theta + (1 - d_k)\,\theta , \qquad d_k = \min\Bigl(d, \frac{1 + k}{10 + k}\Bigr),

so that early averages forget the initial weights soon. Buffers are not averaged but copied.
"""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Mapping
from typing import Annotated, TypeAlias

import msgspec
import torch
from torch import Tensor, nn

from hyperhedge.train.settings import TrainingSettings

Tensors: TypeAlias = dict[str, Tensor]
_Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]

#: Devices on which one kernel takes the whole step of AdamW: on a CPU an eighth of the time of one for each operation.
_FUSED = ("cpu", "cuda")


class Counters(msgspec.Struct, forbid_unknown_fields=True):
    """The numbers of a training.

    Attributes
    ----------
    iteration
        How many steps are done.
    seconds
        How long they took, in all runs.
    loss_sum, norm_sum, steps
        The sums of losses and of gradient norms since the last line of the log, and how many.
    best_validation, stale
        The best validation loss, and how many validations ago it was found.
    rate_scale, rollbacks
        What the learning rate is multiplied by after so many roll-backs.
    loss, line_seconds
        The mean loss in the last line of the log, and when it was written.
    """

    iteration: _Count = 0
    seconds: Annotated[float, msgspec.Meta(ge=0)] = 0.0
    loss_sum: float = 0.0
    norm_sum: float = 0.0
    steps: _Count = 0
    best_validation: float | None = None
    stale: _Count = 0
    rate_scale: Annotated[float, msgspec.Meta(gt=0, le=1)] = 1.0
    rollbacks: _Count = 0
    loss: float | None = None
    line_seconds: float = 0.0


class State:
    """Weights, their average, the optimizer's moments, the generator of draws, and numbers.

    Attributes
    ----------
    module
        What is trained.
    average
        A copy of it with the averaged weights.
    best
        The averaged weights of the best validation; empty before the first.
    snapshot_iteration, snapshot
        The last state that was found good, and its iteration.
    """

    def __init__(self, module: nn.Module, settings: TrainingSettings) -> None:
        self.module, self.settings = module, settings
        self.average = copy.deepcopy(module).requires_grad_(False).eval()
        trained = {name: p for name, p in module.named_parameters() if p.requires_grad}
        self.optimizer = torch.optim.AdamW(
            trained.values(),
            lr=settings.learning_rate,
            betas=settings.betas,
            weight_decay=settings.weight_decay,
            fused=all(p.device.type in _FUSED and p.is_floating_point() for p in trained.values()),
        )
        for (
            parameter
        ) in trained.values():  # as the first step would make them, so that every state has the same tensors
            self.optimizer.state[parameter] = {
                "step": torch.zeros((), device=parameter.device),
                "exp_avg": torch.zeros_like(parameter),
                "exp_avg_sq": torch.zeros_like(parameter),
            }
        self.trained = trained
        self.generator = torch.Generator().manual_seed(settings.seed)
        self.counters = Counters()
        self.best: Tensors = {}
        self.take_snapshot()

    # -- one step -----------------------------------------------------------------------------------

    def step(self) -> None:
        """Let the optimizer take a step by the gradients there are, and move the average."""
        counters = self.counters
        rate = self.settings.learning_rate_at(counters.iteration, counters.seconds) * counters.rate_scale
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.optimizer.step()
        counters.iteration += 1
        self._move_average()

    @property
    def learning_rate(self) -> float:
        """The learning rate of the last step."""
        return float(self.optimizer.param_groups[0]["lr"])

    @torch.no_grad()
    def _move_average(self) -> None:
        k = self.counters.iteration
        keep = min(self.settings.ema, (1 + k) / (10 + k))
        for mean, value in zip(self.average.parameters(), self.module.parameters(), strict=True):
            mean.lerp_(value, 1 - keep)
        for copied, buffer in zip(self.average.buffers(), self.module.buffers(), strict=True):
            copied.copy_(buffer)

    # -- keeping and returning ----------------------------------------------------------------------

    def tensors(self) -> Tensors:
        """Return all tensors of the present state by name, as they are: not copies."""
        named = {
            **_prefixed("weights", weights_of(self.module)),
            **_prefixed("average", weights_of(self.average)),
        }
        for name, parameter in self.trained.items():
            named.update({f"{key}.{name}": value for key, value in self.optimizer.state[parameter].items()})
        return named

    def restore(self, tensors: Mapping[str, Tensor]) -> None:
        """Set the present state from tensors by name."""
        _copy_into(self.tensors(), tensors)

    def is_finite(self) -> bool:
        """Tell whether all weights and averages are finite."""
        modules = (self.module, self.average)
        return all(bool(p.isfinite().all()) for module in modules for p in module.parameters())

    def take_snapshot(self) -> None:
        """Remember the present state as good."""
        self.snapshot_iteration, self.snapshot = self.counters.iteration, _copies(self.tensors())

    def roll_back(self) -> None:
        """Return to the last good state and halve the learning rate; the generator goes on, so the next batches differ."""
        self.restore(self.snapshot)
        counters = self.counters
        counters.iteration = self.snapshot_iteration
        counters.loss_sum, counters.norm_sum, counters.steps = 0.0, 0.0, 0
        counters.rate_scale /= 2
        counters.rollbacks += 1

    def note_validation(self, value: float) -> None:
        """Compare a validation loss with the best, and keep the averaged weights if it is better."""
        counters = self.counters
        if counters.best_validation is None or value < counters.best_validation:
            counters.best_validation, counters.stale = value, 0
            self.best = _copies(weights_of(self.average))
        else:
            counters.stale += 1

    def adopt_average(self) -> None:
        """Give the module the averaged weights, those of the best validation if there was one."""
        _copy_into(weights_of(self.module), self.best or weights_of(self.average))


def weights_of(module: nn.Module) -> Tensors:
    """Return a module's parameters and lasting buffers by name, each once, as they are: not copies."""
    lasting = module.state_dict().keys()
    buffers = {name: buffer for name, buffer in module.named_buffers() if name in lasting}
    return {name: tensor.detach() for name, tensor in (*module.named_parameters(), *buffers.items())}


def fingerprint(module: nn.Module) -> str:
    """Return a digest of the names, shapes and types of a module's weights.

    Examples
    --------
    >>> fingerprint(nn.Linear(2, 3)) == fingerprint(nn.Linear(2, 3))
    True
    >>> fingerprint(nn.Linear(2, 3)) == fingerprint(nn.Linear(3, 2))
    False
    """
    shapes = [(name, list(tensor.shape), str(tensor.dtype)) for name, tensor in weights_of(module).items()]
    return hashlib.sha256(msgspec.json.encode(shapes)).hexdigest()


def _prefixed(prefix: str, tensors: Tensors) -> Tensors:
    return {f"{prefix}.{name}": tensor for name, tensor in tensors.items()}


def _copies(tensors: Tensors) -> Tensors:
    return {name: tensor.detach().clone() for name, tensor in tensors.items()}


@torch.no_grad()
def _copy_into(targets: Tensors, sources: Mapping[str, Tensor]) -> None:
    for name, target in targets.items():
        target.copy_(sources[name])
