"""HyperNetX: an incidence table, with a property table of nodes and one of hyperedges.

HyperNetX knows nodes and hyperedges by their incidences: isolated nodes and empty hyperedges do not appear
in ``H.nodes`` and ``H.edges``. Its property tables do keep them, in order, so they are written there and
read from there. Its HIF functions fetch a schema from the network and are not used.
"""

from __future__ import annotations

from typing import Any

from hyperhedge._system.optional import require
from hyperhedge.convert.coerce import as_hypergraph
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.core.labels import Labels
from hyperhedge.core.loss import Loss


def to_hypernetx(H: Any) -> Any:
    """Convert to a :class:`hypernetx.Hypergraph`."""
    H = as_hypergraph(H)
    hnx = require("hypernetx", "hypernetx")
    pd = require("pandas", "hypernetx")
    incidences = pd.DataFrame(
        {
            "edges": _objects(pd, [H.edges[j] for j in H.edge_indices.tolist()]),
            "nodes": _objects(pd, [H.nodes[i] for i in H.indices.tolist()]),
        }
    )
    return hnx.Hypergraph(
        incidences,
        edge_col="edges",
        node_col="nodes",
        node_properties=_properties(pd, "nodes", H.nodes),
        edge_properties=_properties(pd, "edges", H.edges),
    )


def _objects(pd: Any, labels: list[Any]) -> Any:
    return pd.Series(labels, dtype=object)


def _properties(pd: Any, name: str, labels: Labels) -> Any:
    """Make a property table that lists every label once, in order."""
    return pd.DataFrame({name: _objects(pd, list(labels)), "weight": 1}) if labels else None


def from_hypernetx(G: Any) -> Hypergraph:
    """Convert a :class:`hypernetx.Hypergraph`; weights and properties are dropped, with a warning."""
    incidences = G.incidences.to_dataframe.index
    H = Hypergraph.from_bipartite_edges(
        [(node, edge) for edge, node in incidences],
        nodes=_labels(G.nodes),
        edges=_labels(G.edges),
    )
    loss = Loss()
    for view in (G.incidences, G.nodes, G.edges):
        for record in view.to_dataframe.to_dict("records"):
            extra = record.pop("misc_properties", None)
            loss.add_records([{**(extra if isinstance(extra, dict) else {}), **record}])
    loss.warn()
    return H


def _labels(view: Any) -> list[Any]:
    """List the labels of a view: those with properties first, in the order of their table."""
    return list(dict.fromkeys((*view.property_store.properties.index, *view)))
