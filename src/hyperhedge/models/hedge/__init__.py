"""The learned generator: :class:`Hedge`, from fit to sample.

The modules, each built on those before it: :mod:`~hyperhedge.models.hedge.data` (training hypergraphs as tensors),
:mod:`~hyperhedge.models.hedge.task` (what the trainer is given), :mod:`~hyperhedge.models.hedge.sampling` (many samples in
little memory) and :mod:`~hyperhedge.models.hedge.model`.
"""

from hyperhedge.models.hedge.model import PRESETS, Hedge
from hyperhedge.models.hedge.sampling import SamplePaths

__all__ = ["PRESETS", "Hedge", "SamplePaths"]
