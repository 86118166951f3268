"""The learned baseline HYGENE: :class:`Hygene`, from fit to sample.

The modules, each built on those before it: :mod:`~hyperhedge.models.hygene.coarsen` (scales),
:mod:`~hyperhedge.models.hygene.batch` (steps as one bipartite graph), :mod:`~hyperhedge.models.hygene.network`,
:mod:`~hyperhedge.models.hygene.edm` (the diffusion), :mod:`~hyperhedge.models.hygene.task` (what the trainer is given),
:mod:`~hyperhedge.models.hygene.sampling` and :mod:`~hyperhedge.models.hygene.model`.
"""

from hyperhedge.models.hygene.model import PRESETS, Hygene

__all__ = ["PRESETS", "Hygene"]
