"""XGI: a dictionary of node ids and one of hyperedge ids, both ordered, with repeats and empty hyperedges.

Everything survives both ways. Nodes are added first, in order, and hyperedges after them; XGI's
``from_incidence_matrix`` is not used, because it drops all-zero rows.
"""

from __future__ import annotations

from typing import Any

from hyperhedge._system.optional import require
from hyperhedge.convert.coerce import as_hypergraph
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.core.loss import Loss
from hyperhedge.errors import HypergraphError

_RELABELLED = ("label",)  # where XGI's own functions that number nodes put the former ids, which are no data


def to_xgi(H: Any) -> Any:
    """Convert to an :class:`xgi.Hypergraph`."""
    H = as_hypergraph(H)
    xgi = require("xgi", "xgi")
    X = xgi.Hypergraph()
    X.add_nodes_from(H.nodes)
    X.add_edges_from(zip(H.hyperedges, H.edges, [{}] * H.m, strict=True))
    return X


def from_xgi(X: Any) -> Hypergraph:
    """Convert an :class:`xgi.Hypergraph`, or the simplices of an :class:`xgi.SimplicialComplex`.

    Attributes of nodes and hyperedges are dropped, with a warning.
    """
    xgi = require("xgi", "xgi")
    if isinstance(X, xgi.DiHypergraph):
        raise HypergraphError("the hypergraph is directed; convert it with xgi.to_hypergraph first")
    attributes = [*X.nodes.attrs.asdict().values(), *X.edges.attrs.asdict().values()]
    H = Hypergraph(X.edges.members(dtype=dict), nodes=list(X.nodes))
    Loss().add_records(attributes, kept=_RELABELLED).warn()
    return H
