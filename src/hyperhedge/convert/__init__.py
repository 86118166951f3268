"""To and from other libraries, each imported only when it is used.

Labels, their order, repeated hyperedges, isolated nodes and empty hyperedges survive a round trip through
every one of them; where a library cannot store one of these, its module says how it is kept.
:func:`as_hypergraph` recognises the library itself.
"""

from hyperhedge.convert.coerce import as_hypergraph, as_hypergraphs, is_single
from hyperhedge.convert.hypergraphx import from_hypergraphx, to_hypergraphx
from hyperhedge.convert.hypernetx import from_hypernetx, to_hypernetx
from hyperhedge.convert.networkx import from_networkx, to_networkx
from hyperhedge.convert.pandas import from_pandas, to_pandas
from hyperhedge.convert.pyg import from_pyg, to_pyg
from hyperhedge.convert.scipy import from_scipy, to_scipy
from hyperhedge.convert.xgi import from_xgi, to_xgi

__all__ = [
    "as_hypergraph",
    "as_hypergraphs",
    "from_hypergraphx",
    "from_hypernetx",
    "from_networkx",
    "from_pandas",
    "from_pyg",
    "from_scipy",
    "from_xgi",
    "is_single",
    "to_hypergraphx",
    "to_hypernetx",
    "to_networkx",
    "to_pandas",
    "to_pyg",
    "to_scipy",
    "to_xgi",
]
