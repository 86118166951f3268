"""HIF, the Hypergraph Interchange Format: JSON that XGI, HyperNetX and hypergraphx exchange.

A document lists ``incidences``, each a record with ``node`` and ``edge``; optionally ``nodes`` and
``edges`` (which declare isolated nodes and empty hyperedges), ``network-type`` and ``metadata``.

*Writing*: all of ``network-type``, ``metadata``, ``nodes``, ``edges`` and ``incidences``, since other
libraries fail without them; all nodes and hyperedges, in order; one record per line.

*Reading*: whatever the schema allows of undirected hypergraphs. Declared nodes come first, in their order,
then those that only incidences name (XGI declares only isolated nodes). Weights other than 1 and
attributes cannot be stored in a :class:`~hyperhedge.Hypergraph`: they are dropped with a
:class:`~hyperhedge.errors.DataLossWarning`. Directed hypergraphs are refused.

*Duplicate keys.* JSON parsers silently keep the last of two equal keys. Here every key of the text is
accounted for: with no space before a colon, ``":`` occurs once per key outside of strings, and possibly
inside of them. So if it occurs exactly as often as the parsed document has keys, no key occurs twice;
otherwise a slower parser looks for the duplicate. The same count shows, in the common case, that records
have nothing but their ids, so nothing is dropped.
"""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Iterable, Sequence
from contextlib import suppress
from operator import attrgetter
from typing import Any, Literal, NoReturn, TypeAlias

import msgspec
import numpy as np
from msgspec import UNSET, Raw, UnsetType

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.core.labels import Label, Labels, as_labels, label_index, ordered_labels
from hyperhedge.core.loss import Loss
from hyperhedge.errors import FormatError, HypergraphError
from hyperhedge.io.files import PathLike
from hyperhedge.typing import IntArray

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


_NODE, _EDGE = attrgetter("node"), attrgetter("edge")
_DECODER = msgspec.json.Decoder(_Document)


def decode_hif(data: bytes, path: PathLike | None = None) -> Hypergraph:
    """Read one HIF document; ``path`` is its file, for warnings.

    Examples
    --------
    >>> H = decode_hif(b'{"incidences": [{"edge": "e", "node": 2}, {"edge": "e", "node": 1}]}')
    >>> H.nodes, H.edges, H.hyperedges
    ((1, 2), ('e',), ((1, 2),))
    """
    document = _parse(data)
    bare = _is_bare(data, document)
    if not bare:
        _check_keys(data, document)
    if "directed" in (document.network_type, document.type):
        raise FormatError(
            "the hypergraph is directed; remove the directions and set network-type to undirected",
            where="network-type",
        )
    declared_nodes = document.nodes or ()
    declared_edges = document.edges or ()
    if not bare:
        records = (*document.incidences, *declared_nodes, *declared_edges)
        weights = sum([r.weight not in (UNSET, None, 1) for r in records])
        attributes = [r.attrs for r in records if r.attrs is not UNSET and bytes(r.attrs) not in (b"{}", b"null")]
        _loss(weights, attributes).warn(path)
    node_column: list[Label] = list(map(_NODE, document.incidences))
    edge_column: list[Label] = list(map(_EDGE, document.incidences))
    nodes, node_ids = _index("nodes", list(map(_NODE, declared_nodes)), node_column)
    edges, edge_ids = _index("edges", list(map(_EDGE, declared_edges)), edge_column)
    return Hypergraph.from_indices(node_ids, edge_ids, nodes=nodes, edges=edges)


def _loss(weights: int, attributes: Sequence[Raw]) -> Loss:
    """Count weights, and what attributes hold."""
    loss = Loss(weights=weights)
    for raw in attributes:
        try:
            record = msgspec.json.decode(raw)
        except (ValueError, RecursionError):  # nested too deeply, for instance
            record = None
        if isinstance(record, dict):
            loss.add_records([record])
        else:
            loss.attributes += 1
    return loss


def _parse(data: bytes) -> _Document:
    try:
        return _DECODER.decode(data)
    except msgspec.ValidationError as error:
        _explain_schema_error(error)
    except (ValueError, RecursionError) as error:
        raise explain_json_error(error, data) from None


def _explain_schema_error(error: msgspec.ValidationError) -> NoReturn:
    """Split ``Expected `x`, got `y` - at `$.nodes[0]` `` into a message and a position."""
    text, _, where = str(error).partition(" - at ")
    where = where.strip("`").removeprefix("$").removeprefix(".")
    if "missing required field `incidences`" in text:
        text = 'a HIF document is a JSON object with a list "incidences", which is missing'
    elif where in ("incidences", "nodes", "edges") and "got `object`" in text:
        text = (
            f'"{where}" must be a list; if the file comes from hypergraphx\'s write_hif, which loses the incidences, '
            "save it as JSON with save_hypergraph instead"
        )
    elif not where:
        text = f"a HIF document is a JSON object: {text}"
    raise FormatError(text.replace("`", "'"), where=where or None) from None


def explain_json_error(error: Exception, data: bytes) -> FormatError:
    """Return the error of a JSON parser as one sentence with the line."""
    if isinstance(error, RecursionError):
        return FormatError("the JSON is nested too deeply")
    if isinstance(error, UnicodeDecodeError):
        return FormatError("a string in the JSON is not valid UTF-8")
    text = str(error)
    if "truncated" in text:
        return FormatError("the JSON ends too early; the file is cut short", where="the end")
    byte = re.search(r"\(byte (\d+)\)", text)
    where = f"line {data.count(10, 0, int(byte.group(1))) + 1}" if byte else None
    return FormatError(f"this is not JSON: {text.removeprefix('JSON is malformed: ')}", where=where)


def _index(name: str, declared: list[Label], column: list[Label]) -> tuple[Labels, IntArray]:
    """Return the labels of one side, and the position among them of each label of a column.

    A label may be declared twice, as the schema allows, or not at all.
    """
    kind = name.removesuffix("s")
    try:
        labels = as_labels(dict.fromkeys(declared), kind)
        try:
            return labels, _look_up(column, labels)
        except KeyError:
            labels = as_labels(ordered_labels(declared, column), kind)
            return labels, _look_up(column, labels)
    except HypergraphError as error:
        raise FormatError(str(error), where=name) from None


def _look_up(column: list[Label], labels: Labels) -> IntArray:
    """Return the position of each label of a column; KeyError if one is not among ``labels``."""
    if isinstance(labels, range) and column:
        with suppress(TypeError, OverflowError):  # a string, or too large: not in the range
            positions = np.frombuffer(array("q", column), dtype=np.int64)  # type: ignore[type-var]
            if positions.min() >= 0 and positions.max() < len(labels):
                return positions
    return np.fromiter(map(label_index(labels).__getitem__, column), dtype=np.int64, count=len(column))


# -- duplicate keys ----------------------------------------------------------------------------------


def _is_bare(data: bytes, document: _Document) -> bool:
    """Return whether the records have nothing but their ids, and no key occurs twice."""
    keys = data.count(b'":')
    if keys != data.count(b":"):  # a space before a colon, or a colon in a label: look closer
        return False
    lists = (document.incidences, document.incidences, document.nodes or (), document.edges or ())
    return keys == _count_top_keys(document) + sum(map(len, lists))


def _check_keys(data: bytes, document: _Document) -> None:
    """Refuse a text in which an object has a key twice."""
    spaced = any(data.find(space + b":") >= 0 for space in (b" ", b"\t", b"\n", b"\r"))
    if not spaced and data.count(b'":') == _count_keys(document):
        return
    refuse_keys_that_occur_twice(data)


def refuse_keys_that_occur_twice(data: bytes) -> None:
    """Read JSON slowly, and refuse an object that has a key twice."""
    try:
        json.loads(data, object_pairs_hook=_refuse_twice)
    except FormatError:
        raise
    except (ValueError, RecursionError) as error:
        raise explain_json_error(error, data) from None


def _count_top_keys(document: _Document) -> int:
    count = sum(getattr(document, field) is not UNSET for field in document.__struct_fields__)
    return count + (0 if document.metadata is UNSET else bytes(document.metadata).count(b'":'))


def _count_keys(document: _Document) -> int:
    lists: list[Sequence[Any]] = [document.incidences, document.nodes or (), document.edges or ()]
    count = _count_top_keys(document)
    for records in lists:
        for field in records[0].__struct_fields__ if records else ():
            count += sum([getattr(record, field) is not UNSET for record in records])
        count += sum([bytes(r.attrs).count(b'":') for r in records if r.attrs is not UNSET])
    return count


def _refuse_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        text = json.dumps(record, default=str)
        where = "a record" if len(text) > 80 else f"the record that ends as {text}"
        raise FormatError(f"the key {twice!r} occurs twice in one object", where=where)
    return record


# -- writing -----------------------------------------------------------------------------------------


def encode_hif(H: Hypergraph, *, one_line: bool = False) -> bytes:
    """Write one HIF document, with one record per line or all on one line.

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
    pieces = [head]
    for name, records in sections:
        body = (b"," + newline).join(records)
        pieces += [b",", newline, b'"', name, b'":[', newline if records else b"", body, b"]"]
    return b"".join((*pieces, b"}\n"))


def _json_labels(labels: Iterable[Label]) -> list[bytes]:
    if isinstance(labels, range):
        return [b"%d" % i for i in labels]
    return list(map(msgspec.json.Encoder().encode, labels))
