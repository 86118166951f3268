"""Generators: each is fitted to hypergraphs and samples new ones.

Learned: :class:`~hyperhedge.models.hedge.model.Hedge`, :class:`~hyperhedge.models.hygene.model.Hygene` and
:class:`~hyperhedge.models.dde.model.DDE`. All others are statistical.
"""

from typing import TYPE_CHECKING

from hyperhedge._system.lazy import lazy_names
from hyperhedge.models.base import MODELS, BaseGenerator, load_model, make_model, model_class, model_names
from hyperhedge.models.block_model import BlockModel
from hyperhedge.models.chung_lu import ChungLu
from hyperhedge.models.configuration import ConfigurationModel, shuffle
from hyperhedge.models.copying import HyperedgeCopying
from hyperhedge.models.erdos_renyi import ErdosRenyi
from hyperhedge.models.hyper_dk import HyperDK
from hyperhedge.models.hyperlap import HyperLap
from hyperhedge.models.multiscale import MultiscaleShuffle

if TYPE_CHECKING:
    from hyperhedge.models.dde.model import DDE
    from hyperhedge.models.hedge.model import Hedge
    from hyperhedge.models.hy_mmsbm.model import HyMMSBM
    from hyperhedge.models.hygene.model import Hygene

__all__ = [
    "DDE",
    "MODELS",
    "BaseGenerator",
    "BlockModel",
    "ChungLu",
    "ConfigurationModel",
    "ErdosRenyi",
    "Hedge",
    "HyMMSBM",
    "Hygene",
    "HyperDK",
    "HyperLap",
    "HyperedgeCopying",
    "MultiscaleShuffle",
    "load_model",
    "make_model",
    "model_class",
    "model_names",
    "shuffle",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(
        globals(),
        {
            "DDE": "hyperhedge.models.dde.model",
            "Hedge": "hyperhedge.models.hedge.model",
            "HyMMSBM": "hyperhedge.models.hy_mmsbm.model",
            "Hygene": "hyperhedge.models.hygene.model",
        },
    )
