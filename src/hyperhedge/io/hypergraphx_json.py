"""hypergraphx's own JSON, written by its ``save_hypergraph``: a list of records. It is read, not written.

The first record is the type, the others are nodes (``idx``) and hyperedges (``interaction``), each with
``metadata``; the weight of a hyperedge is in its metadata, or beside them in files of older versions. In a
``TemporalHypergraph`` a hyperedge also has a time, and may occur at several: it is read without them, so these are
repeats. Only this file of hypergraphx is complete: its ``write_hif`` loses the incidences.
"""

from __future__ import annotations

from typing import Any

import msgspec

from hyperhedge.convert.hypergraphx import assemble, loss_of
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.errors import FormatError, HypergraphError
from hyperhedge.io.files import PathLike
from hyperhedge.io.hif import explain_json_error


class _Header(msgspec.Struct):
    hypergraph_type: str


class _Node(msgspec.Struct, tag="node"):
    idx: str | int
    metadata: dict[str, Any] = {}


class _Edge(msgspec.Struct, tag="edge"):
    interaction: list[str | int]
    metadata: dict[str, Any] = {}
    weight: Any = None
    time: Any = None


_RECORDS = msgspec.json.Decoder(list[msgspec.Raw])
_HEADER = msgspec.json.Decoder(_Header)
_RECORD = msgspec.json.Decoder(_Node | _Edge)


def looks_like_hypergraphx(data: bytes) -> bool:
    """Return whether JSON is a list, like that of hypergraphx, and not an object, like HIF."""
    return data[:64].lstrip()[:1] == b"["


def decode_hypergraphx(data: bytes, path: PathLike | None = None) -> Hypergraph:
    """Read one hypergraph as hypergraphx saves it; ``path`` is its file, for warnings."""
    try:
        records = _RECORDS.decode(data)
    except (ValueError, RecursionError) as error:
        raise explain_json_error(error, data) from None
    _check_header(records)
    nodes_and_edges = [_record(raw, k) for k, raw in enumerate(records) if k > 0]
    nodes = [(r.idx, r.metadata) for r in nodes_and_edges if isinstance(r, _Node)]
    edges = [(r.interaction, r.metadata) for r in nodes_and_edges if isinstance(r, _Edge)]
    loss = loss_of([r.metadata for r in nodes_and_edges])
    loss.add_records([{"weight": r.weight, "time": r.time} for r in nodes_and_edges if isinstance(r, _Edge)])
    loss.warn(path)
    try:
        return assemble(nodes, edges)
    except (HypergraphError, ValueError, KeyError, TypeError) as error:
        raise FormatError(f"the records do not fit together ({error})") from None


def _check_header(records: list[msgspec.Raw]) -> None:
    try:
        kind = _HEADER.decode(records[0]).hypergraph_type
    except (IndexError, ValueError, RecursionError):
        raise FormatError(
            'this JSON is a list without the header of hypergraphx; HIF is an object with "incidences", and a list of '
            "hyperedges is hh.Hypergraph(json.load(file))"
        ) from None
    if kind not in ("Hypergraph", "TemporalHypergraph"):
        raise FormatError(f"a hypergraphx {kind} is not supported, only an undirected Hypergraph", where="[0]")


def _record(raw: msgspec.Raw, k: int) -> _Node | _Edge:
    try:
        record: _Node | _Edge = _RECORD.decode(raw)
    except (ValueError, RecursionError) as error:
        raise FormatError(str(error).replace("`", "'"), where=f"record [{k}]") from None
    return record
