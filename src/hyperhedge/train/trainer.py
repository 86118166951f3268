r"""The trainer: it lowers a task's mean loss by AdamW and leaves a module with averaged weights.

.. math:: \theta_{k+1} = \theta_k - \eta_k\,\mathrm{AdamW}\Bigl(\nabla_\theta \frac1B \sum_{b=1}^{B} \ell_b(\theta_k)\Bigr)

with the learning rate :math:`\eta_k` of :mod:`~hyperhedge.train.settings`, the gradient clipped by its global norm and computed by
the threads of :mod:`~hyperhedge.train.workers`, and the average of :mod:`~hyperhedge.train.state`.

The steps themselves, and what may go wrong, are in :mod:`~hyperhedge.train.loop`.
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import torch
from rich.console import Console
from torch import nn

from hyperhedge._system.malloc import steady_memory
from hyperhedge._system.optional import require
from hyperhedge._system.progress import console_of
from hyperhedge.errors import TrainingError
from hyperhedge.io.files import PathLike
from hyperhedge.train import checkpoint, log
from hyperhedge.train.loop import Loop, TrainingResult, why
from hyperhedge.train.progress import Display
from hyperhedge.train.ranks import Ranks, process_count, ranks_for
from hyperhedge.train.settings import TrainingSettings
from hyperhedge.train.signals import Interruption
from hyperhedge.train.state import State
from hyperhedge.train.workers import Task, Workers, default_workers, single_threaded


class Trainer:
    """Training of a module on a task.

    Parameters
    ----------
    module
        What is trained, in place.
    task
        What it learns.
    settings
        How.
    folder
        Where checkpoints and the log are written; None for nowhere.
    progress
        A console to show progress on, or True for standard error.
    device
        ``"auto"`` (CUDA where there is some, else the CPU) or a name that torch knows.
    tensorboard
        Write curves for TensorBoard into the folder too.

    Examples
    --------
    >>> class Halves:
    ...     def sample_batch(self, count, generator):
    ...         return (torch.rand(count, 1, generator=generator),)
    ...     def losses(self, module, batch):
    ...         return (module(batch[0]) - batch[0] / 2)[:, 0] ** 2
    ...     def validate(self, module):
    ...         return None
    >>> module = nn.Linear(1, 1, bias=False)
    >>> result = Trainer(module, Halves(), TrainingSettings(iterations=300, learning_rate=0.1, warmup=10, ema=0.9)).run()
    >>> result.stopped, round(module.weight.item(), 3)
    ('iterations', 0.5)
    """

    def __init__(
        self,
        module: nn.Module,
        task: Task,
        settings: TrainingSettings,
        *,
        folder: PathLike | None = None,
        progress: Console | bool | None = None,
        device: str | torch.device = "auto",
        tensorboard: bool = False,
    ) -> None:
        if not any(parameter.requires_grad for parameter in module.parameters()):
            raise TrainingError(f"the module {type(module).__name__} has no parameters to train")
        if tensorboard:
            require("tensorboard", "tensorboard")
            if folder is None:
                raise TrainingError("tensorboard writes its curves into a folder; give folder too")
        self.module, self.task, self.settings = module, task, settings
        self.folder = None if folder is None else Path(folder)
        self.console = console_of(progress)
        self.device, self.tensorboard = device, tensorboard

    def run(self, *, resume: bool = False) -> TrainingResult:
        """Train, and leave the module with the averaged weights, those of the best validation if the task validates.

        Parameters
        ----------
        resume
            Go on from the checkpoint in the folder. One that is complete gives the module its weights at once.

        Raises
        ------
        KeyboardInterrupt
            After Ctrl-C or SIGTERM, when the step at hand is done and kept; the module has the averaged weights then, too.
        """
        mode = self.module.training
        try:
            with ExitStack() as stack:
                return self._run(stack, resume)
        finally:
            self.module.train(mode)

    def _run(self, stack: ExitStack, resume: bool) -> TrainingResult:
        interruption = stack.enter_context(Interruption(repeats=process_count() > 1))
        stack.enter_context(steady_memory())
        ranks = ranks_for(self.device)
        if self.settings.batch_size % ranks.count:
            raise TrainingError(
                f"batch_size must be a multiple of the number of processes, and {self.settings.batch_size} is not one of "
                f"{ranks.count}"
            )
        if ranks.device.type == "cpu":
            stack.enter_context(single_threaded())
        module = ranks.wrap(self.module.to(ranks.device).train())
        state = State(self.module, self.settings)
        lines = stack.enter_context(self._open(ranks, state, resume))
        display = stack.enter_context(Display(self.console if ranks.first else None, self.settings, state.counters))
        workers = stack.enter_context(Workers(module, self.task, self._workers(ranks)))
        run = Loop(self.task, state, ranks, workers, lines, display, interruption, self.folder)
        return run.result(run.go(resume))

    def _workers(self, ranks: Ranks) -> int:
        if ranks.device.type != "cpu" or ranks.count > 1:
            return 1
        return min(self.settings.workers or default_workers(), self.settings.batch_size)

    def _open(self, ranks: Ranks, state: State, resume: bool) -> log.Log:
        """Make the folder, or set the state from its checkpoint; open the log. All processes can, or none goes on."""
        lines, error = log.Log(), None
        try:
            lines = self._open_log(ranks, state, self._open_folder(state, resume))
        except TrainingError as refused:
            error = refused
        ranks.agree(error)
        return lines

    def _open_folder(self, state: State, resume: bool) -> int:
        """Make the folder, or set the state from its checkpoint; return how much of the log to keep."""
        if self.folder is None:
            if resume:
                raise TrainingError("resume goes on from the checkpoint in a folder; give folder too")
            return 0
        file = self.folder / checkpoint.FILE
        if resume:
            return checkpoint.read_checkpoint(file, state).log_bytes
        if file.exists():
            raise TrainingError(f"{file}: there is a checkpoint already; give resume=True to go on, or another folder")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise TrainingError(f"{self.folder}: the folder cannot be made ({why(error)})") from None
        return 0

    def _open_log(self, ranks: Ranks, state: State, length: int) -> log.Log:
        if self.folder is None or not ranks.first:
            return log.Log()
        writer = log.tensorboard_writer(self.folder, state.counters.iteration) if self.tensorboard else None
        return log.Log(self.folder / log.FILE, length=length, writer=writer)
