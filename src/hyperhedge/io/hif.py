"""HIF, the Hypergraph Interchange Format: JSON that XGI, HyperNetX and hypergraphx exchange.

A document lists ``incidences``, each a record with ``node`` and ``edge``; optionally ``nodes`` and
``edges`` (which is how isolated nodes and empty hyperedges are told), ``network-type`` and ``metadata``.

*Written*: all of ``network-type``, ``metadata``, ``nodes``, ``edges`` and ``incidences``, since peers
break without them; nodes and hyperedges in full and in order; one record a line.

*Read*: whatever the schema allows of undirected hypergraphs. Declared nodes come first, in their order,
then those that only incidences name (XGI declares only isolated nodes). Weights other than 1 and
attributes have no place in a :class:`~hyperhedge.Hypergraph`: they are left out with a
:class:`~hyperhedge.LossWarning`. Directed hypergraphs are refused.

*Duplicate keys.* JSON parsers keep the last of two equal keys in silence. Here every key of the text is
accounted for: with no space before a colon, ``":`` occurs once a key outside of strings, and possibly
inside of them. So if it occurs exactly as often as the parsed document has keys, no key was given twice;
otherwise a slower parser looks for the place.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterable, Sequence
from typing import Any, Literal, NoReturn, TypeAlias

import msgspec
import numpy as np
from msgspec import UNSET, Raw, UnsetType

from hyperhedge.errors import FormatError, HypergraphError, LossWarning
from hyperhedge.hypergraph import Hypergraph
from hyperhedge.labels import Label, Labels, as_labels, label_index, ordered_labels

__all__ = ["decode_hif", "encode_hif", "explain_json_error"]

_Weight: TypeAlias = int | float | UnsetType | None
_Attrs: TypeAlias = Raw | UnsetType


class _Node(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    node: str | int
    weight: _Weight = UNSET
    attrs: _Attrs = UNSET


class _Edge(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    edge: str | int
    weight: _Weight = UNSET
    attrs: _Attrs = UNSET


class _Incidence(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    edge: str | int
    node: str | int
    weight: _Weight = UNSET
    direction: Literal["head", "tail"] | UnsetType = UNSET
    attrs: _Attrs = UNSET


class _Document(msgspec.Struct, forbid_unknown_fields=True, rename={"network_type": "network-type"}):
    incidences: list[_Incidence]
    nodes: list[_Node] | UnsetType = UNSET
    edges: list[_Edge] | UnsetType = UNSET
    network_type: Literal["undirected", "directed", "asc"] | UnsetType = UNSET
    type: Literal["undirected", "directed", "asc"] | UnsetType = UNSET  # hypergraphx's network-type
    metadata: Raw | UnsetType = UNSET


_DECODER = msgspec.json.Decoder(_Document)


def decode_hif(data: bytes) -> Hypergraph:
    """Read one HIF document.

    Examples
    --------
    >>> H = decode_hif(b'{"incidences": [{"edge": "e", "node": 2}, {"edge": "e", "node": 1}]}')
    >>> H.nodes, H.edges, H.hyperedges
    ((1, 2), ('e',), ((1, 2),))
    """
    document = _parse(data)
    _check_keys(data, document)
    if "directed" in (document.network_type, document.type):
        raise FormatError(
            "the hypergraph is directed; only undirected ones are supported "
            "(drop the directions and set network-type to undirected)",
            place="network-type",
        )
    declared_nodes = document.nodes or ()
    declared_edges = document.edges or ()
    _warn_of_loss(document.incidences, declared_nodes, declared_edges)
    node_column: list[Label] = [record.node for record in document.incidences]
    edge_column: list[Label] = [record.edge for record in document.incidences]
    nodes = _settle("nodes", [record.node for record in declared_nodes], node_column)
    edges = _settle("edges", [record.edge for record in declared_edges], edge_column)
    return Hypergraph.from_indices(
        _places(node_column, nodes), _places(edge_column, edges), nodes=nodes, edges=edges
    )


def _parse(data: bytes) -> _Document:
    try:
        return _DECODER.decode(data)
    except msgspec.ValidationError as error:
        _explain_schema_error(error)
    except (ValueError, RecursionError) as error:
        raise explain_json_error(error, data) from None


def _explain_schema_error(error: msgspec.ValidationError) -> NoReturn:
    """Turn ``Expected `x`, got `y` - at `$.nodes[0]` `` into a sentence and a place."""
    text, _, place = str(error).partition(" - at ")
    place = place.strip("`").removeprefix("$").removeprefix(".")
    if "missing required field `incidences`" in text:
        text = 'a HIF document is a JSON object with a list "incidences", and there is none'
    elif place in ("incidences", "nodes", "edges") and "got `object`" in text:
        text = (
            f'"{place}" must be a list (hypergraphx\'s write_hif writes none and loses the incidences; '
            "save with its save_hypergraph, as JSON, instead)"
        )
    elif not place:
        text = f"a HIF document is a JSON object: {text}"
    raise FormatError(text.replace("`", "'"), place=place or None) from None


def explain_json_error(error: Exception, data: bytes) -> FormatError:
    """Say in one sentence what is wrong with a text that should be JSON, and in which line."""
    if isinstance(error, RecursionError):
        return FormatError("the JSON is nested too deeply")
    if isinstance(error, UnicodeDecodeError):
        return FormatError("a string in the JSON is not valid UTF-8")
    text = str(error)
    if "truncated" in text:
        return FormatError("the JSON ends too early; the file is cut short", place="the end")
    found = re.search(r"\(byte (\d+)\)", text)
    place = f"line {data.count(10, 0, int(found.group(1))) + 1}" if found else None
    return FormatError(f"this is not JSON: {text.removeprefix('JSON is malformed: ')}", place=place)


def _settle(name: str, declared: list[Label], seen: list[Label]) -> Labels:
    """Settle the labels of one side; a label may be declared twice, as the schema allows."""
    try:
        return as_labels(ordered_labels(declared, seen), name.removesuffix("s"))
    except HypergraphError as error:
        raise FormatError(str(error), place=name) from None


def _places(column: list[Label], labels: Labels) -> np.ndarray[Any, np.dtype[np.int64]]:
    if isinstance(labels, range):
        return np.array(column, dtype=np.int64)
    return np.fromiter(map(label_index(labels).__getitem__, column), dtype=np.int64, count=len(column))


# -- duplicate keys ----------------------------------------------------------------------------------


def _check_keys(data: bytes, document: _Document) -> None:
    """Refuse a text in which a key is given twice."""
    spaced = any(data.find(space + b":") >= 0 for space in (b" ", b"\t", b"\n", b"\r"))
    if not spaced and data.count(b'":') == _count_keys(document):
        return
    try:
        json.loads(data, object_pairs_hook=_refuse_twice)
    except FormatError:
        raise
    except (ValueError, RecursionError) as error:
        raise explain_json_error(error, data) from None


def _count_keys(document: _Document) -> int:
    lists: list[Sequence[Any]] = [document.incidences, document.nodes or (), document.edges or ()]
    count = sum(getattr(document, field) is not UNSET for field in document.__struct_fields__)
    if document.metadata is not UNSET:
        count += bytes(document.metadata).count(b'":')
    for records in lists:
        for field in records[0].__struct_fields__ if records else ():
            count += sum([getattr(record, field) is not UNSET for record in records])
        count += sum([bytes(r.attrs).count(b'":') for r in records if r.attrs is not UNSET])
    return count


def _refuse_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        record = json.dumps(found, default=str)
        place = "a record" if len(record) > 80 else f"the record that ends as {record}"
        raise FormatError(f"the key {twice!r} is given twice in one object", place=place)
    return found


# -- what is left out --------------------------------------------------------------------------------


def _warn_of_loss(*lists: Sequence[Any]) -> None:
    """Warn of weights and attributes, which a hypergraph does not keep."""
    weights = attributes = 0
    for records in lists:
        weights += sum([r.weight not in (UNSET, None, 1) for r in records])
        attributes += sum([r.attrs is not UNSET and bytes(r.attrs) not in _NO_ATTRS for r in records])
    if weights or attributes:
        parts = [f"{k:,} {what}" for k, what in ((weights, "weights"), (attributes, "attributes")) if k]
        warnings.warn(f"left out on reading: {' and '.join(parts)}", LossWarning, stacklevel=2)


_NO_ATTRS = (b"{}", b"null")


# -- writing -----------------------------------------------------------------------------------------


def encode_hif(H: Hypergraph, *, one_line: bool = False) -> bytes:
    """Write one HIF document, with a record a line or all on one line.

    Examples
    --------
    >>> print(encode_hif(Hypergraph({"e": ["a", 1]})).decode(), end="")
    {"network-type":"undirected","metadata":{},
    "nodes":[
    {"node":"a"},
    {"node":1}],
    "edges":[
    {"edge":"e"}],
    "incidences":[
    {"edge":"e","node":"a"},
    {"edge":"e","node":1}]}
    """
    nodes, edges = _json_labels(H.nodes), _json_labels(H.edges)
    starts = [b'{"edge":' + edge + b',"node":' for edge in edges]
    ends = [node + b"}" for node in nodes]
    edge_ids, node_ids = H.edge_indices.tolist(), H.indices.tolist()
    incidences = [starts[e] + ends[v] for e, v in zip(edge_ids, node_ids, strict=True)]
    newline = b"" if one_line else b"\n"
    head = b'{"network-type":"undirected","metadata":{}'
    sections = [
        (b"nodes", [b'{"node":' + end for end in ends]),
        (b"edges", [b'{"edge":' + edge + b"}" for edge in edges]),
        (b"incidences", incidences),
    ]
    parts = [head]
    for name, records in sections:
        body = (b"," + newline).join(records)
        parts += [b",", newline, b'"', name, b'":[', newline if records else b"", body, b"]"]
    return b"".join((*parts, b"}\n"))


def _json_labels(labels: Iterable[Label]) -> list[bytes]:
    if isinstance(labels, range):
        return [b"%d" % i for i in labels]
    return list(map(msgspec.json.Encoder().encode, labels))
