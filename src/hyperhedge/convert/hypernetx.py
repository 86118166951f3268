"""HyperNetX: an incidence table, with a property table of nodes and one of hyperedges.

HyperNetX knows a node or a hyperedge by its incidences: isolated nodes and empty hyperedges do not appear
in ``H.nodes`` and ``H.edges``. Its property tables do keep them, in order, so that is where they go and
where they are found again. Its HIF functions fetch a schema from the network and are not used.
"""

from __future__ import annotations

from typing import Any

from hyperhedge.convert.optional import require
from hyperhedge.hypergraph import Hypergraph
from hyperhedge.labels import Labels

__all__ = ["from_hypernetx", "to_hypernetx"]


def to_hypernetx(H: Hypergraph) -> Any:
    """Convert to a :class:`hypernetx.Hypergraph`."""
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
    """Convert a :class:`hypernetx.Hypergraph`; weights and properties are left out."""
    incidences = G.incidences.to_dataframe.index
    return Hypergraph.from_bipartite_edges(
        [(node, edge) for edge, node in incidences],
        nodes=_known(G.nodes),
        edges=_known(G.edges),
    )


def _known(view: Any) -> list[Any]:
    """List the items of a view: those with properties first, in the order of their table."""
    return list(dict.fromkeys((*view.property_store.properties.index, *view)))
