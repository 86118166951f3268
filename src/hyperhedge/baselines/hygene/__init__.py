"""The learned baseline HYGENE: :class:`Hygene`, from fit to sample.

The modules, each built on those before it: :mod:`~hyperhedge.baselines.hygene.coarsen` (scales),
:mod:`~hyperhedge.baselines.hygene.union` (steps as one bipartite graph), :mod:`~hyperhedge.baselines.hygene.network`,
:mod:`~hyperhedge.baselines.hygene.edm` (the diffusion), :mod:`~hyperhedge.baselines.hygene.task` (what the trainer is given),
:mod:`~hyperhedge.baselines.hygene.draw` and :mod:`~hyperhedge.baselines.hygene.model`.
"""

from hyperhedge.baselines.hygene.model import PRESETS, Hygene

__all__ = ["PRESETS", "Hygene"]
