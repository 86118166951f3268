"""PyTorch Geometric: a ``HyperGraphData`` whose ``edge_index`` lists (node, hyperedge) incidences.

``num_nodes`` and ``num_hyperedges`` are stored as well, since the index does not show isolated nodes and empty
hyperedges (and PyG's computed ``num_nodes`` misses the former when there are as many nodes as hyperedges).
Labels other than 0, 1, … are stored as ``node_labels`` and ``edge_labels``.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from hyperhedge._system.optional import require
from hyperhedge.convert.coerce import as_hypergraph
from hyperhedge.core._repr import count
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.errors import DataLossWarning

_KEPT = ("edge_index", "num_nodes", "num_hyperedges", "node_labels", "edge_labels")


def to_pyg(H: Any) -> Any:
    """Convert to PyG's ``HyperGraphData``."""
    H = as_hypergraph(H)
    torch = require("torch", "pyg")
    data = require("torch_geometric.data.hypergraph_data", "pyg")
    index = torch.from_numpy(np.stack([H.indices, H.edge_indices]))
    result = data.HyperGraphData(edge_index=index, num_nodes=H.n, num_hyperedges=H.m)
    for name, labels in (("node_labels", H.nodes), ("edge_labels", H.edges)):
        if not isinstance(labels, range):
            result[name] = list(labels)
    return result


def from_pyg(data: Any) -> Hypergraph:
    """Convert a ``HyperGraphData``; features are dropped, with a warning that names them."""
    stored = data.to_dict()
    index = data.edge_index
    pairs = np.zeros((2, 0), dtype=np.int64) if index is None else index.cpu().numpy()
    n = _count(stored, "num_nodes", pairs[0])
    if "num_nodes" not in stored and stored.get("x") is not None:
        n = max(n, len(stored["x"]))  # one row of features per node
    H = Hypergraph.from_indices(
        pairs[0],
        pairs[1],
        nodes=stored.get("node_labels", n),
        edges=stored.get("edge_labels", _count(stored, "num_hyperedges", pairs[1])),
    )
    features = [name for name, value in stored.items() if name not in _KEPT and value is not None]
    if features:
        message = (
            f"dropped {count(len(features), 'feature')} ({', '.join(features)}), which a Hypergraph does not store"
        )
        warnings.warn(message, DataLossWarning, stacklevel=2)
    return H


def _count(stored: dict[str, Any], name: str, ids: Any) -> int:
    """Return a stored count, or one more than the largest position."""
    return int(stored[name]) if stored.get(name) is not None else int(ids.max(initial=-1)) + 1
