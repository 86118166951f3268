"""Processes that train together, or one alone.

Where the environment says that there are several (``WORLD_SIZE``, as ``torchrun`` and ``accelerate launch`` set it), HuggingFace
Accelerate connects them, and PyTorch's ``DistributedDataParallel`` averages their gradients. Each draws the same batch from the
same generator and takes its own slice of it, so that the loss is that of one process with the same batch, up to the order of sums.
Whatever is decided by a clock, a signal or a file is decided together, through :meth:`Ranks.total`, so that none waits for another
in vain.
"""

from __future__ import annotations

import atexit
import os
import time
from typing import Any

import numpy as np
import torch
from torch import nn

from hyperhedge._system.optional import require
from hyperhedge.errors import TrainingError

_TIME_TO_LET_GO = 0.1


class Ranks:
    """One process alone.

    Attributes
    ----------
    count, index
        How many processes there are, and which one this is; number 0 writes files and shows progress.
    device
        What this process computes on.
    """

    count = 1
    index = 0

    def __init__(self, device: torch.device) -> None:
        self.device = device

    @property
    def first(self) -> bool:
        """Whether this process is number 0."""
        return self.index == 0

    def wrap(self, module: nn.Module) -> nn.Module:
        """Return the module as it is to be called in training."""
        return module

    def total(self, *values: float) -> list[float]:
        """Add up numbers over the processes; all get the same sums."""
        return list(values)

    def agree(self, error: Exception | None) -> None:
        """Raise the error; and if another process has one, raise as well rather than wait for it."""
        failed = self.total(float(error is not None))[0]
        if error is not None:
            raise error
        if failed:
            raise TrainingError("training ended because another process failed; see its message")


class Processes(Ranks):
    """Several processes, connected by Accelerate."""

    def __init__(self, device: torch.device) -> None:
        accelerate = require("accelerate", "distributed")
        if not torch.distributed.is_initialized():  # otherwise whoever connected them will disconnect them
            atexit.register(_disconnect)
        self._accelerator: Any = accelerate.Accelerator(cpu=device.type == "cpu", mixed_precision="no")
        self.count, self.index = self._accelerator.num_processes, self._accelerator.process_index
        super().__init__(self._accelerator.device)

    def wrap(self, module: nn.Module) -> nn.Module:
        """Let the gradients be averaged over the processes."""
        wrapped: nn.Module = self._accelerator.prepare(module)
        return wrapped

    def total(self, *values: float) -> list[float]:
        """Add up numbers over the processes; all get the same sums."""
        summed = self._accelerator.reduce(torch.tensor(values, dtype=torch.float64, device=self.device), "sum")
        return [float(value) for value in summed]


def ranks_for(device: str | torch.device) -> Ranks:
    """Connect to the other processes if the environment names some; ``"auto"`` is CUDA where there is some, else the CPU."""
    device_here = find_device(device)
    return Processes(device_here) if process_count() > 1 else Ranks(device_here)


def find_device(name: str | torch.device) -> torch.device:
    """Return a device that one can compute on here; ``"auto"`` is CUDA where there is some, else the CPU.

    Examples
    --------
    >>> find_device("cpu")
    device(type='cpu')
    """
    if isinstance(name, str) and name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        float(torch.zeros(1, device=device))  # a name that torch knows may be of something that is not here
    except (RuntimeError, AssertionError, NotImplementedError, TypeError):
        raise TrainingError(f"there is no device {str(name)!r} here; give 'auto', 'cpu' or such as 'cuda:0'") from None
    return device


def fresh_seed(device: str | torch.device) -> int:
    """Return a new seed of 32 bits, the same one in all processes that train together."""
    seed = int(np.random.SeedSequence().generate_state(1)[0])
    if process_count() == 1:
        return seed
    return int(ranks_for(device).total(0.0 if process_index() else seed)[0])


def process_count() -> int:
    """Return how many processes the environment names."""
    return int(os.environ.get("WORLD_SIZE") or 1)


def process_index() -> int:
    """Return which of these processes this one is."""
    return int(os.environ.get("RANK") or 0) if process_count() > 1 else 0


def _disconnect() -> None:
    """Leave the other processes, at the end of this one.

    Gloo's threads need Python's lock to drop the tensors of the last sum; once the interpreter is going down, to ask for it aborts
    the process. While this thread sleeps they get it.
    """
    if torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()
    time.sleep(_TIME_TO_LET_GO)
