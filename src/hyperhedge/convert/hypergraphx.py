"""hypergraphx: a dictionary of hyperedges, each a sorted tuple of nodes, so none can repeat.

What hypergraphx cannot store goes into metadata and is read from there: the labels and positions of the
hyperedges with the same members, under :data:`KEY`, with their number as the weight; and where the node labels
are strings and integers mixed, which hypergraphx cannot sort, nodes become numbers and their labels metadata,
``"node"`` (as hypergraphx's own ``read_hif`` does).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from hyperhedge._system.optional import require
from hyperhedge.convert.coerce import as_hypergraph
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.core.labels import Label
from hyperhedge.core.loss import Loss
from hyperhedge.errors import HypergraphError

KEY = "hyperhedge"
_LABELS = ("node", "edge")  # which assemble reads
_OURS = (KEY, "weight", *_LABELS)


def to_hypergraphx(H: Any) -> Any:
    """Convert to a :class:`hypergraphx.Hypergraph`; equal hyperedges become one, weighted by their number."""
    H = as_hypergraph(H)
    hgx = require("hypergraphx", "hypergraphx")
    G = hgx.Hypergraph(weighted=True)
    mixed = len(set(map(type, H.nodes))) > 1
    for i, label in enumerate(H.nodes):
        G.add_node(i if mixed else label, metadata={"node": label} if mixed else {})
    members = H.indices.tolist() if mixed else [H.nodes[i] for i in H.indices.tolist()]
    positions_of: dict[tuple[Any, ...], list[int]] = {}
    for j in range(H.m):
        key = tuple(members[H.indptr[j] : H.indptr[j + 1]])
        positions_of.setdefault(key, []).append(j)
    for key, positions in positions_of.items():
        metadata = {KEY: {"edges": [H.edges[j] for j in positions], "positions": positions}}
        if key:
            G.add_edge(key, weight=len(positions), metadata=metadata)
        else:
            G.add_empty_edge(KEY, metadata)
    return G


def from_hypergraphx(G: Any) -> Hypergraph:
    """Convert a :class:`hypergraphx.Hypergraph`; its weights and other metadata are dropped, with a warning."""
    hgx = require("hypergraphx", "hypergraphx")
    if not isinstance(G, hgx.Hypergraph):
        raise HypergraphError(f"a hypergraphx {type(G).__name__} cannot be converted, only an undirected Hypergraph")
    data = G.expose_data_structures()
    nodes = G.get_nodes(metadata=True)
    edges = list(G.get_edges(metadata=True).items())
    empty = list(_empty_edges(data.get("empty_edges", {})))
    weights = G.get_weights(asdict=True)
    weighted = [{"weight": weights[key], **metadata} for key, metadata in edges]
    incidences = data.get("incidences_metadata", {}).values()
    loss_of([*nodes.values(), *weighted, *(metadata for _, metadata in empty), *incidences]).warn()
    return assemble(nodes.items(), [*edges, *empty])


def loss_of(metadata: Iterable[Mapping[Any, Any]]) -> Loss:
    """Count what is not kept of the metadata of nodes and hyperedges; a weight that is our count of repeats is."""
    loss = Loss()
    for record in metadata:
        loss.add_records([record], kept=_OURS if KEY in record else _LABELS)
    return loss


def _empty_edges(empty: Mapping[Any, Any]) -> Iterable[tuple[tuple[()], Any]]:
    for name, value in empty.items():
        metadata = value if isinstance(value, Mapping) else {}
        yield (), metadata if KEY in metadata else {**metadata, "edge": name}


def assemble(nodes: Iterable[tuple[Any, Any]], edges: Iterable[tuple[Iterable[Any], Any]]) -> Hypergraph:
    """Build a hypergraph from nodes and hyperedges, each with its metadata, as hypergraphx lists them.

    Hyperedges without a label are numbered in order.
    """
    node_labels = {node: _label(metadata, "node", node) for node, metadata in nodes}
    hyperedges: list[tuple[int, Label, list[Label]]] = []  # position, label, members
    for members, metadata in edges:
        labels = [node_labels.setdefault(node, node) for node in members]
        ours = metadata.get(KEY) if isinstance(metadata, Mapping) else None
        if isinstance(ours, Mapping):
            hyperedges += [(j, label, labels) for j, label in zip(ours["positions"], ours["edges"], strict=True)]
        else:
            position = len(hyperedges)
            hyperedges.append((position, _label(metadata, "edge", position), labels))
    hyperedges.sort(key=lambda hyperedge: hyperedge[0])
    return Hypergraph(
        [members for _, _, members in hyperedges],
        nodes=list(node_labels.values()),
        edges=[label for _, label, _ in hyperedges],
    )


def _label(metadata: Any, key: str, default: Any) -> Any:
    return metadata.get(key, default) if isinstance(metadata, Mapping) else default
