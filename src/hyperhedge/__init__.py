"""Learn from hypergraphs and generate realistic new ones.

>>> import hyperhedge as hh
>>> hh.Hypergraph([["ann", "bo"], ["bo", "cy", "di"]])
<Hypergraph: 4 nodes, 2 hyperedges, 5 incidences>
"""

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

__version__ = "0.1.0.dev0"

__all__ = [
    "BlockModel",
    "ChungLu",
    "ErdosRenyi",
    "FormatError",
    "Generator",
    "Hypergraph",
    "HypergraphConfigurationModel",
    "HypergraphError",
    "HyperhedgeError",
    "LossWarning",
    "MissingDependencyError",
    "Report",
    "__version__",
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
