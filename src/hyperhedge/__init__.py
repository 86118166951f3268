"""Learn from hypergraphs and generate realistic new ones.

>>> import hyperhedge as hh
>>> hh.Hypergraph([["ann", "bo"], ["bo", "cy", "di"]])
<Hypergraph: 4 nodes, 2 hyperedges, 5 incidences>
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from hyperhedge.baselines.block_model import BlockModel
from hyperhedge.baselines.chung_lu import ChungLu
from hyperhedge.baselines.configuration import HypergraphConfigurationModel, shuffle
from hyperhedge.baselines.erdos_renyi import ErdosRenyi
from hyperhedge.convert import (
    from_hypergraphx,
    from_hypernetx,
    from_networkx,
    from_pandas,
    from_pyg,
    from_scipy,
    from_xgi,
    to_hypergraphx,
    to_hypernetx,
    to_networkx,
    to_pandas,
    to_pyg,
    to_scipy,
    to_xgi,
)
from hyperhedge.datasets import load_dataset
from hyperhedge.errors import (
    FormatError,
    HypergraphError,
    HyperhedgeError,
    LossWarning,
    MissingDependencyError,
)
from hyperhedge.generator import Generator, load
from hyperhedge.hypergraph import Hypergraph
from hyperhedge.io import read, read_collection, write, write_collection
from hyperhedge.metrics import Report, evaluate

if TYPE_CHECKING:
    from hyperhedge.baselines.hygene.model import Hygene
    from hyperhedge.hedge.model import Hedge
    from hyperhedge.plot import animate, draw

__version__ = "0.1.0.dev0"

__all__ = [
    "BlockModel",
    "ChungLu",
    "ErdosRenyi",
    "FormatError",
    "Generator",
    "Hedge",
    "Hygene",
    "Hypergraph",
    "HypergraphConfigurationModel",
    "HypergraphError",
    "HyperhedgeError",
    "LossWarning",
    "MissingDependencyError",
    "Report",
    "__version__",
    "animate",
    "draw",
    "evaluate",
    "from_hypergraphx",
    "from_hypernetx",
    "from_networkx",
    "from_pandas",
    "from_pyg",
    "from_scipy",
    "from_xgi",
    "load",
    "load_dataset",
    "read",
    "read_collection",
    "shuffle",
    "to_hypergraphx",
    "to_hypernetx",
    "to_networkx",
    "to_pandas",
    "to_pyg",
    "to_scipy",
    "to_xgi",
    "write",
    "write_collection",
]


_LAZY = {
    "Hedge": "hyperhedge.hedge.model",
    "Hygene": "hyperhedge.baselines.hygene.model",
    "animate": "hyperhedge.plot",
    "draw": "hyperhedge.plot",
}

if not TYPE_CHECKING:  # for a type checker, a module with __getattr__ has every attribute

    def __getattr__(name: str) -> Any:
        """Import learned generators when they are asked for, since torch takes a second; and drawing likewise."""
        if name not in _LAZY:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = getattr(import_module(_LAZY[name]), name)
        return globals()[name]

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
