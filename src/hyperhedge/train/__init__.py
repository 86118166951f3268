"""Training of torch modules, whatever they learn: a task, settings, a trainer.

The modules, each built on those before it: :mod:`~hyperhedge.train.settings`, :mod:`~hyperhedge.train.workers` (the gradient),
:mod:`~hyperhedge.train.state` (weights, averages, snapshots), :mod:`~hyperhedge.train.checkpoint`, :mod:`~hyperhedge.train.log`,
:mod:`~hyperhedge.train.signals`, :mod:`~hyperhedge.train.ranks` (several processes), :mod:`~hyperhedge.train.progress`,
:mod:`~hyperhedge.train.loop` and :mod:`~hyperhedge.train.trainer`.
"""

from hyperhedge.errors import TrainingError, TrainingWarning
from hyperhedge.train.loop import TrainingResult
from hyperhedge.train.settings import TrainingSettings, parse_duration
from hyperhedge.train.trainer import Trainer
from hyperhedge.train.workers import Batch, Task

__all__ = [
    "Batch",
    "Task",
    "Trainer",
    "TrainingError",
    "TrainingResult",
    "TrainingSettings",
    "TrainingWarning",
    "parse_duration",
]
