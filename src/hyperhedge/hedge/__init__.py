"""The learned generator: :class:`Hedge`, from fit to sample.

The modules, each built on those before it: :mod:`~hyperhedge.hedge.bank` (training hypergraphs as tensors),
:mod:`~hyperhedge.hedge.task` (what the trainer is given), :mod:`~hyperhedge.hedge.draw` (many samples in little memory) and
:mod:`~hyperhedge.hedge.model`.
"""

from hyperhedge.hedge.draw import Drawn
from hyperhedge.hedge.model import PRESETS, Hedge

__all__ = ["PRESETS", "Drawn", "Hedge"]
