"""hypergraphx's own JSON, which its ``save_hypergraph`` writes: a list of records, read only.

The first record tells the type, the others are nodes (``idx``) and hyperedges (``interaction``), each with
``metadata``. This is how a hypergraph leaves hypergraphx whole: its ``write_hif`` loses the incidences.
"""

from __future__ import annotations

import warnings
from typing import Any, Literal

import msgspec

from hyperhedge.convert.hypergraphx import KEY, assemble
from hyperhedge.errors import FormatError, HypergraphError, LossWarning
from hyperhedge.hypergraph import Hypergraph
from hyperhedge.io.hif import explain_json_error

__all__ = ["decode_hypergraphx", "looks_like_hypergraphx"]


class _Header(msgspec.Struct):
    hypergraph_type: str


class _Node(msgspec.Struct, tag="node"):
    idx: str | int
    metadata: dict[str, Any] = {}


class _Edge(msgspec.Struct, tag="edge"):
    interaction: list[str | int]
    metadata: dict[str, Any] = {}


_RECORDS = msgspec.json.Decoder(list[msgspec.Raw])
_HEADER = msgspec.json.Decoder(_Header)
_RECORD = msgspec.json.Decoder(_Node | _Edge)


def looks_like_hypergraphx(data: bytes) -> bool:
    """Tell whether JSON is a list, as hypergraphx's is, and not an object, as HIF is."""
    return data[:64].lstrip()[:1] == b"["


def decode_hypergraphx(data: bytes) -> Hypergraph:
    """Read one hypergraph as hypergraphx saves it."""
    try:
        records = _RECORDS.decode(data)
    except (ValueError, RecursionError) as error:
        raise explain_json_error(error, data) from None
    _check_header(records)
    found = [_record(raw, k) for k, raw in enumerate(records) if k > 0]
    nodes = [(r.idx, r.metadata) for r in found if isinstance(r, _Node)]
    edges = [(r.interaction, r.metadata) for r in found if isinstance(r, _Edge)]
    weights = sum(r.metadata.get("weight") not in (None, 1) and KEY not in r.metadata for r in found)
    if weights:
        warnings.warn(f"left out on reading: {weights:,} weights", LossWarning, stacklevel=2)
    try:
        return assemble(nodes, edges)
    except (HypergraphError, ValueError, KeyError, TypeError) as error:
        raise FormatError(f"the records do not fit together ({error})") from None


def _check_header(records: list[msgspec.Raw]) -> None:
    kind: str | Literal[False] = False
    if records:
        try:
            kind = _HEADER.decode(records[0]).hypergraph_type
        except (ValueError, RecursionError):
            kind = False
    if kind is False:
        raise FormatError('this JSON is a list without the header of hypergraphx; HIF is an object with "incidences"')
    if kind != "Hypergraph":
        raise FormatError(f"a hypergraphx {kind} is not supported, only an undirected Hypergraph", place="[0]")


def _record(raw: msgspec.Raw, k: int) -> _Node | _Edge:
    try:
        record: _Node | _Edge = _RECORD.decode(raw)
    except (ValueError, RecursionError) as error:
        raise FormatError(str(error).replace("`", "'"), place=f"record [{k}]") from None
    return record
