r"""Gradients by threads: each on its slice of the batch, with one thread of arithmetic.

The loss of a step is the mean over its batch, :math:`L = \frac1B \sum_w \sum_{b \in w} \ell_b` with slices :math:`w`, so its
gradient is the sum of the slices' gradients. Every worker has a replica of the module whose parameters share the storage of the
module's own but have gradients of their own; these are added up in a fixed order, so that a step is the same every time.

*Why not let torch use its threads?* OpenMP's threads meet at a barrier after every operation and spin while they wait. When another
process keeps a core busy, one of them is late at each barrier and the others wait for it: two-threaded torch falls to a fraction of
its speed. Single-threaded workers meet once a step (docs/hedge.md has what remains beside a busy
process). (Torch releases Python's lock inside operations, and computes CPU gradients in the thread that asks for
them.)

Numbers so small that they are denormal are slow to compute with and are taken as zero.
"""

from __future__ import annotations

import copy
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import pairwise
from typing import Protocol, Self, TypeAlias

import torch
from torch import Tensor, nn

from hyperhedge.errors import TrainingError

Batch: TypeAlias = tuple[Tensor, ...]
"""Tensors with the same first dimension."""

_most_workers: ContextVar[int] = ContextVar("most_workers", default=8)


class Task(Protocol):
    """What is learned.

    All randomness of a step is in :meth:`sample_batch`, so a module may have no dropout of its own; nor may it have buffers that
    change in the forward pass (batch norms), which workers would share.
    """

    def sample_batch(self, count: int, generator: torch.Generator) -> Batch:
        """Sample a batch, on the CPU: indices, times, noise. All randomness of a step is here, so it should be cheap."""
        ...

    def losses(self, module: nn.Module, batch: Batch) -> Tensor:
        """Return the losses ``(B,)`` of the batch's members; the step's loss is their mean.

        Call the module itself, ``module(...)``: it may be a replica, or wrapped to be trained by several processes. This runs
        in several threads at once, on slices of a batch.
        """
        ...

    def validate(self, module: nn.Module) -> float | None:
        """Return a loss on held-out data with the same noise every time, or None if there are none."""
        ...


def default_workers() -> int:
    """Return the number of cores that this process may use, at most 8."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(usable, _most_workers.get())


@contextmanager
def at_most_workers(count: int) -> Iterator[None]:
    """Let training and sampling use fewer threads while this lasts: other processes have the other cores.

    Examples
    --------
    >>> with at_most_workers(1):
    ...     default_workers()
    1
    """
    before = _most_workers.set(count)
    try:
        yield
    finally:
        _most_workers.reset(before)


@contextmanager
def single_threaded() -> Iterator[None]:
    """Let torch compute with one thread, and without denormal numbers, in this thread while this lasts."""
    threads, flushing = torch.get_num_threads(), _flushes_denormals()
    calm()
    try:
        yield
    finally:
        torch.set_flush_denormal(flushing)
        torch.set_num_threads(threads)


def calm() -> None:
    """Let torch compute with one thread, and without denormal numbers, in this thread from now on.

    A thread takes the number that any thread has set last, when it first computes or asks for the number: it has to ask before it
    sets its own, or another thread could set another number in between.
    """
    torch.get_num_threads()
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)


def _flushes_denormals() -> bool:
    """Tell whether this thread takes denormal numbers as zero, which torch can set but not tell."""
    return sys.float_info.min / 2 == 0.0


class Workers:
    """Threads that compute a module's gradient together; to be used as a context.

    Parameters
    ----------
    module
        What the first worker, which is the calling thread, computes with, and whose gradient is set.
    count
        How many workers.
    """

    def __init__(self, module: nn.Module, task: Task, count: int) -> None:
        self.task = task
        self.modules = [module, *(_replica(module) for _ in range(count - 1))]
        self._parameters = [list(m.parameters()) for m in self.modules]
        self._pool = ThreadPoolExecutor(count - 1, "worker", initializer=calm) if count > 1 else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
        self._forget_gradients()

    def gradient(self, batch: Batch) -> float:
        """Set the module's gradient to that of the batch's mean loss, and return this loss."""
        size = len(batch[0])
        count = min(len(self.modules), size)
        bounds = [size * w // count for w in range(count + 1)]
        slices = [tuple(tensor[low:high] for tensor in batch) for low, high in pairwise(bounds)]
        self._forget_gradients()
        others = [self._pool.submit(self._backward, w, slices[w], size) for w in range(1, count)] if self._pool else []
        try:
            losses = [self._backward(0, slices[0], size)]
        finally:
            losses_of_others = [other.result() for other in others]
        self._add_gradients()
        return sum(losses + losses_of_others)

    def _forget_gradients(self) -> None:
        for parameter in (p for parameters in self._parameters for p in parameters):
            parameter.grad = None

    def _backward(self, worker: int, batch: Batch, size: int) -> float:
        with torch.enable_grad():
            losses = self.task.losses(self.modules[worker], batch)
            if losses.shape != (len(batch[0]),):
                raise TrainingError(
                    f"the task's losses have the shape {tuple(losses.shape)}; there must be one for each of the batch's "
                    f"{len(batch[0])} members"
                )
            loss = losses.sum() / size
            torch.autograd.backward(loss)
        return float(loss.detach())

    def _add_gradients(self) -> None:
        """Add the replicas' gradients to the module's, in order."""
        for own, *others in zip(*self._parameters, strict=True):
            for other in others:
                if other.grad is not None:
                    own.grad = other.grad if own.grad is None else own.grad.add_(other.grad)


def _replica(module: nn.Module) -> nn.Module:
    """Copy a module so that it shares the storage of parameters and buffers, and nothing else."""
    replica = copy.deepcopy(module)
    own = (*replica.parameters(), *replica.buffers())
    for tensor, shared in zip(own, (*module.parameters(), *module.buffers()), strict=True):
        tensor.data = shared.data
    return replica
