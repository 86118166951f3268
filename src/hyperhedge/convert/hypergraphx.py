"""hypergraphx: a dictionary of hyperedges, each a sorted tuple of nodes, so that none can repeat.

What has no place of its own goes into metadata, and comes back from there: the labels and the positions of
the hyperedges that share a node set, under :data:`KEY`, with their number as the weight; the labels of
nodes, as ``"node"``, where strings and integers are mixed (hypergraphx cannot sort them; its own ``read_hif``
numbers the nodes and keeps the label in the same place).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from hyperhedge.convert.optional import require
from hyperhedge.errors import HypergraphError
from hyperhedge.hypergraph import Hypergraph
from hyperhedge.labels import Label

__all__ = ["KEY", "assemble", "from_hypergraphx", "to_hypergraphx"]

KEY = "hyperhedge"


def to_hypergraphx(H: Hypergraph) -> Any:
    """Convert to a :class:`hypergraphx.Hypergraph`; repeated hyperedges become one of that weight."""
    hgx = require("hypergraphx", "hypergraphx")
    G = hgx.Hypergraph(weighted=True)
    mixed = len(set(map(type, H.nodes))) > 1
    for i, label in enumerate(H.nodes):
        G.add_node(i if mixed else label, metadata={"node": label} if mixed else {})
    members = H.indices.tolist() if mixed else [H.nodes[i] for i in H.indices.tolist()]
    together: dict[tuple[Any, ...], list[int]] = {}
    for j in range(H.m):
        key = tuple(members[H.indptr[j] : H.indptr[j + 1]])
        together.setdefault(key, []).append(j)
    for key, places in together.items():
        metadata = {KEY: {"edges": [H.edges[j] for j in places], "positions": places}}
        if key:
            G.add_edge(key, weight=len(places), metadata=metadata)
        else:
            G.add_empty_edge(KEY, metadata)
    return G


def from_hypergraphx(G: Any) -> Hypergraph:
    """Convert a :class:`hypergraphx.Hypergraph`; its weights and other metadata are left out."""
    hgx = require("hypergraphx", "hypergraphx")
    if not isinstance(G, hgx.Hypergraph):
        raise HypergraphError(f"only undirected hypergraphs can be converted, not a {type(G).__name__}")
    empty = G.expose_data_structures().get("empty_edges", {})
    edges = [*G.get_edges(metadata=True).items(), *_empty_edges(empty)]
    return assemble(G.get_nodes(metadata=True).items(), edges)


def _empty_edges(empty: Mapping[Any, Any]) -> Iterable[tuple[tuple[()], Any]]:
    for name, metadata in empty.items():
        kept = metadata if isinstance(metadata, Mapping) else {}
        yield (), kept if KEY in kept else {**kept, "edge": name}


def assemble(nodes: Iterable[tuple[Any, Any]], edges: Iterable[tuple[Iterable[Any], Any]]) -> Hypergraph:
    """Put together nodes and hyperedges, each with its metadata, as hypergraphx lists them.

    Hyperedges without a label of their own are numbered by their place.
    """
    node_labels = {node: _kept_label(metadata, "node", node) for node, metadata in nodes}
    found: list[tuple[int, Label, list[Label]]] = []
    for members, metadata in edges:
        labels = [node_labels.setdefault(node, node) for node in members]
        kept = metadata.get(KEY) if isinstance(metadata, Mapping) else None
        if isinstance(kept, Mapping):
            found += [(k, label, labels) for k, label in zip(kept["positions"], kept["edges"], strict=True)]
        else:
            found.append((len(found), _kept_label(metadata, "edge", len(found)), labels))
    found.sort(key=lambda item: item[0])
    return Hypergraph(
        [members for _, _, members in found],
        nodes=list(node_labels.values()),
        edges=[label for _, label, _ in found],
    )


def _kept_label(metadata: Any, key: str, otherwise: Any) -> Any:
    return metadata.get(key, otherwise) if isinstance(metadata, Mapping) else otherwise
