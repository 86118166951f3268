"""XGI's own JSON, which its ``write_json`` and its older datasets use: an object of dictionaries. It is read, not written.

``edge-dict`` maps each hyperedge to its members; ``node-data`` and ``edge-data`` map nodes and hyperedges to their
attributes, and ``hypergraph-data`` has those of the whole. Keys of JSON are strings, so XGI writes all ids as strings;
as in text files, they are integers here if all of them are written as integers.
"""

from __future__ import annotations

from typing import Any

import msgspec

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.core.labels import as_labels, labels_from_text, ordered_labels
from hyperhedge.core.loss import Loss
from hyperhedge.errors import FormatError
from hyperhedge.io.files import PathLike
from hyperhedge.io.hif import explain_json_error, refuse_keys_that_occur_twice


class _Document(msgspec.Struct, rename="kebab"):
    edge_dict: dict[str, list[str | int]]
    node_data: dict[str, dict[str, Any]] = {}
    edge_data: dict[str, dict[str, Any]] = {}
    type: str = "hypergraph"


_DECODER = msgspec.json.Decoder(_Document)


def decode_xgi(data: bytes, path: PathLike | None = None) -> Hypergraph:
    """Read one hypergraph as XGI's ``write_json`` writes it; ``path`` is its file, for warnings.

    Examples
    --------
    >>> decode_xgi(b'{"edge-dict": {"e": ["2", "1"]}, "node-data": {"3": {}}}').hyperedges
    ((1, 2),)
    """
    document = _parse(data)
    refuse_keys_that_occur_twice(data)
    members = [str(node) for members in document.edge_dict.values() for node in members]
    texts = [*document.node_data, *members]
    labels = labels_from_text(texts)
    label_of = dict(zip(texts, labels, strict=True))
    H = Hypergraph(
        [[label_of[str(node)] for node in members] for members in document.edge_dict.values()],
        nodes=as_labels(ordered_labels(labels[: len(document.node_data)], labels)),
        edges=as_labels(labels_from_text(list(document.edge_dict)), "hyperedge"),
    )
    Loss().add_records([*document.node_data.values(), *document.edge_data.values()]).warn(path)
    return H


def _parse(data: bytes) -> _Document:
    try:
        document = _DECODER.decode(data)
    except msgspec.ValidationError as error:
        text, _, where = str(error).replace("`", "'").partition(" - at ")
        raise FormatError(f"this is not XGI's JSON of a hypergraph: {text}", where=where.strip("'") or None) from None
    except (ValueError, RecursionError) as error:
        raise explain_json_error(error, data) from None
    if document.type not in ("hypergraph", "simplicialcomplex"):
        raise FormatError(f"an XGI {document.type} is not supported, only an undirected hypergraph", where="type")
    return document
