"""The structured heat–OU diffusion on relaxed incidence matrices: the mathematics of the paper, module by module.

Each module imports only from those before it:

- :mod:`~hyperhedge.diffusion.batch`: hypergraphs as padded batches of incidence matrices, and back,
- :mod:`~hyperhedge.diffusion.schedules`: how heat gives way to noise along the forward time,
- :mod:`~hyperhedge.diffusion.laplacians`: the Laplacians, the heat operator and its spectrum,
- :mod:`~hyperhedge.diffusion.process`: the forward process, its conditional law and reverse drift, and the surrogate,
- :mod:`~hyperhedge.diffusion.matrix_free`: the same process for hypergraphs that are too large to decompose,
- :mod:`~hyperhedge.diffusion.network`: an equivariant network on incidence matrices,
- :mod:`~hyperhedge.diffusion.denoiser`: what the network sees and predicts, and its loss,
- :mod:`~hyperhedge.diffusion.fields`: reverse fields, exact (the oracle) and learned,
- :mod:`~hyperhedge.diffusion.samplers`: from noise to relaxed states along a reverse field,
- :mod:`~hyperhedge.diffusion.projection`: from relaxed states to hypergraphs.

The names below are what a use of the theory begins with; modules have more.

>>> import torch
>>> from hyperhedge import Hypergraph
>>> from hyperhedge.diffusion import Cosine, Exponential, HeatOU, Oracle, Shapes, sample, threshold, time_grid
>>> training = [Hypergraph([[0, 1], [1, 2]]), Hypergraph([[0], [0, 1, 2]])]
>>> process = HeatOU(Cosine(1.0), gamma=8.0).with_density_of(training)
>>> generator = torch.Generator().manual_seed(0)
>>> start = process.base_sample(10, 3, 2, generator)
>>> states = sample(Exponential(Oracle(process, training)), start, time_grid(1.0, 20), generator=generator)
>>> set(threshold(states, Shapes.all_equal(10, 3, 2))) == set(training)
True
"""

from typing import TYPE_CHECKING

from hyperhedge._system.lazy import lazy_names
from hyperhedge.diffusion.batch import Shapes, decode, encode
from hyperhedge.diffusion.denoiser import Denoiser, Marginals
from hyperhedge.diffusion.fields import LearnedField, Oracle, ReverseField
from hyperhedge.diffusion.laplacians import node_laplacian, overlap_laplacian, spectrum_of
from hyperhedge.diffusion.matrix_free import MatrixFree
from hyperhedge.diffusion.process import HeatOU, choose_horizon
from hyperhedge.diffusion.samplers import EulerMaruyama, Exponential, Flow, sample, time_grid
from hyperhedge.diffusion.schedules import Cosine, Custom, Linear, Power

if TYPE_CHECKING:
    from hyperhedge.diffusion.projection import decided_share, flips, project_given, project_valid, threshold

__all__ = [
    "Cosine",
    "Custom",
    "Denoiser",
    "EulerMaruyama",
    "Exponential",
    "Flow",
    "HeatOU",
    "LearnedField",
    "Linear",
    "Marginals",
    "MatrixFree",
    "Oracle",
    "Power",
    "ReverseField",
    "Shapes",
    "choose_horizon",
    "decided_share",
    "decode",
    "encode",
    "flips",
    "node_laplacian",
    "overlap_laplacian",
    "project_given",
    "project_valid",
    "sample",
    "spectrum_of",
    "threshold",
    "time_grid",
]

if not TYPE_CHECKING:  # projections are compiled; metrics use the Laplacians alone and should not wait for numba
    _PROJECTIONS = ("decided_share", "flips", "project_given", "project_valid", "threshold")
    __getattr__, __dir__ = lazy_names(globals(), dict.fromkeys(_PROJECTIONS, "hyperhedge.diffusion.projection"))
