"""The JSON of a hypergraph in its three dialects, told apart by their outermost keys.

An object with ``incidences`` is HIF (:mod:`hyperhedge.io.hif`), one with ``edge-dict`` is XGI's own
(:mod:`hyperhedge.io.xgi_json`), and a list is hypergraphx's (:mod:`hyperhedge.io.hypergraphx_json`). They cannot be
confused, so none has to be named.
"""

from __future__ import annotations

import msgspec

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.errors import FormatError
from hyperhedge.io.files import PathLike
from hyperhedge.io.hif import decode_hif, explain_json_error
from hyperhedge.io.hypergraphx_json import decode_hypergraphx, looks_like_hypergraphx
from hyperhedge.io.xgi_json import decode_xgi

_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])
_MAX_LISTED = 5


def decode_json(data: bytes, path: PathLike | None = None) -> Hypergraph:
    """Read one hypergraph in whichever dialect it is; ``path`` is its file, for warnings.

    Examples
    --------
    >>> decode_json(b'{"edge-dict": {"e": ["1", "2"]}}') == Hypergraph({"e": [1, 2]})
    True
    >>> decode_json(b'{"nodes": [{"id": 1}], "links": []}')
    Traceback (most recent call last):
        ...
    hyperhedge.errors.FormatError: this JSON has no list "incidences", which HIF has; it has the keys "nodes", "links"; ...
    """
    if looks_like_hypergraphx(data):
        return decode_hypergraphx(data, path)
    if b'"edge-dict"' in data and "edge-dict" in _keys(data):
        return decode_xgi(data, path)
    try:
        return decode_hif(data, path)
    except FormatError as error:
        raise _explained(error, data) from None


def _keys(data: bytes) -> list[str]:
    """Return the outermost keys of JSON; none if it is no object."""
    try:
        return list(_OBJECT.decode(data))
    except msgspec.ValidationError:
        return []
    except (ValueError, RecursionError) as error:
        raise explain_json_error(error, data) from None


def _explained(error: FormatError, data: bytes) -> FormatError:
    """Say what the JSON is instead of HIF, where its keys tell."""
    if "trailing characters" in error.message:
        hint = "; if each line is a document of its own, set format='hif-jsonl'"
        return FormatError(error.message + hint, path=error.path, where=error.where)
    try:
        keys = _keys(data)
    except FormatError:
        return error  # which says that this is no JSON
    if not keys or "incidences" in keys:
        return error
    listed = ", ".join(f'"{key[:40]}"' for key in keys[:_MAX_LISTED]) + (", …" if len(keys) > _MAX_LISTED else "")
    if "links" in keys or ("nodes" in keys and "edges" in keys):
        hint = "as the JSON of graphs; read it with the library that wrote it and convert the object with hh.convert"
    else:
        hint = "if it maps hyperedges to members, load it with hh.Hypergraph(json.load(file))"
    return FormatError(f'this JSON has no list "incidences", which HIF has; it has the keys {listed}; {hint}')
