"""Learn from hypergraphs and generate realistic new ones.

>>> import hyperhedge as hh
>>> hh.Hypergraph([["ann", "bo"], ["bo", "cy", "di"]])
<Hypergraph: 4 nodes, 2 hyperedges, 5 incidences>
"""

from typing import TYPE_CHECKING

from hyperhedge import convert, errors, models
from hyperhedge._system.lazy import lazy_names
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.data import load_dataset
from hyperhedge.io import read, read_collection, write, write_collection
from hyperhedge.metrics import METRICS, NullTest, null_test
from hyperhedge.models import (
    BaseGenerator,
    BlockModel,
    ChungLu,
    ConfigurationModel,
    ErdosRenyi,
    HyperDK,
    HyperedgeCopying,
    HyperLap,
    MultiscaleShuffle,
    load_model,
    make_model,
    shuffle,
)
from hyperhedge.report import Comparison, Report, compare, evaluate

if TYPE_CHECKING:
    from hyperhedge.models.dde.model import DDE
    from hyperhedge.models.hedge.model import Hedge
    from hyperhedge.models.hy_mmsbm.model import HyMMSBM
    from hyperhedge.models.hygene.model import Hygene
    from hyperhedge.plotting import animate, plot
    from hyperhedge.report.whole.report import WholeReport

__version__ = "0.1.0"

__all__ = [
    "DDE",
    "METRICS",
    "BaseGenerator",
    "BlockModel",
    "ChungLu",
    "Comparison",
    "ConfigurationModel",
    "ErdosRenyi",
    "Hedge",
    "HyMMSBM",
    "Hygene",
    "HyperDK",
    "HyperLap",
    "HyperedgeCopying",
    "Hypergraph",
    "MultiscaleShuffle",
    "NullTest",
    "Report",
    "WholeReport",
    "__version__",
    "animate",
    "compare",
    "convert",
    "errors",
    "evaluate",
    "load_dataset",
    "load_model",
    "make_model",
    "models",
    "null_test",
    "plot",
    "read",
    "read_collection",
    "shuffle",
    "write",
    "write_collection",
]

if not TYPE_CHECKING:  # for a type checker, a module with __getattr__ has every attribute
    __getattr__, __dir__ = lazy_names(
        globals(),
        {
            "DDE": "hyperhedge.models.dde.model",
            "Hedge": "hyperhedge.models.hedge.model",
            "HyMMSBM": "hyperhedge.models.hy_mmsbm.model",
            "Hygene": "hyperhedge.models.hygene.model",
            "WholeReport": "hyperhedge.report.whole.report",
            "animate": "hyperhedge.plotting",
            "plot": "hyperhedge.plotting",
        },
    )
