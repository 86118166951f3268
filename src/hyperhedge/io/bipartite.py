"""Bipartite tables: CSV or TSV files with a row per incidence, a column of nodes and one of hyperedges.

*Read.* If the first row names the columns (``node`` and ``edge`` or ``hyperedge``), those are taken, in
whatever order, and further columns are left out; otherwise there is no header, and the first column holds
the nodes. Other names are given as ``node_column=`` and ``edge_column=``. The separator is a tab in a
``.tsv`` file and a comma elsewhere, or ``delimiter=``. A row with an empty hyperedge cell declares a node,
a row with an empty node cell a hyperedge: that is how isolated nodes, empty hyperedges and an order are
told. Each column holds integers if all its labels are written so, strings otherwise.

*Written.* A header and the incidences; before them, where the labels would otherwise be lost or come back
in another order, a row per node and per hyperedge. Where the labels would come back as another type, the
header says so: ``node:string`` for digits that are names, ``node:json`` for a mixture.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from hyperhedge.errors import FormatError, HypergraphError
from hyperhedge.hypergraph import Hypergraph
from hyperhedge.io.files import LIMITS, Limits, PathLike, decode_text, read_bytes, without_gz
from hyperhedge.labels import (
    Label,
    Labels,
    NotAnIdError,
    as_labels,
    labels_from_text,
    ordered_labels,
)

__all__ = ["encode_bipartite", "read_bipartite"]

_NODE_NAMES = ("node", "nodes", "vertex", "node_id")
_EDGE_NAMES = ("edge", "edges", "hyperedge", "hyperedges", "edge_id", "hyperedge_id")
_TYPES = ("string", "json")


@dataclass
class _Column:
    """One side of the table: where it stands, how it is typed, and its cells with their lines."""

    kind: str
    place: int
    type: str | None
    cells: list[str]
    lines: list[int]

    def labels(self) -> list[Label]:
        """Read the cells that are not empty."""
        try:
            if self.type == "json":
                return [self._from_json(k) for k in range(len(self.cells))]
            return list(self.cells) if self.type == "string" else labels_from_text(self.cells)
        except NotAnIdError as error:
            line = self.lines[self.cells.index(error.text)]
            raise FormatError(str(error), place=f"line {line}") from None

    def _from_json(self, k: int) -> Label:
        try:
            label = json.loads(self.cells[k])
        except (ValueError, RecursionError):
            label = None
        if isinstance(label, str | int) and not isinstance(label, bool):
            return label
        raise FormatError(
            f"the cell {self.cells[k][:40]!r} is not a JSON string or integer", place=f"line {self.lines[k]}"
        )


def read_bipartite(
    path: PathLike,
    *,
    delimiter: str | None = None,
    node_column: str | None = None,
    edge_column: str | None = None,
    limits: Limits = LIMITS,
) -> Hypergraph:
    """Read a table of incidences."""
    text = decode_text(read_bytes(path, max_line=limits.line, limits=limits), path)
    separator = delimiter or ("\t" if without_gz(path).endswith(".tsv") else ",")
    try:
        return _from_rows(_rows(text, separator), node_column, edge_column)
    except FormatError as error:
        raise error.at(path) from None
    except HypergraphError as error:
        raise FormatError(str(error), path=path) from None


def _rows(text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Go through the rows that are not blank, with their line numbers."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True, strict=True)
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise FormatError(f"the table is damaged ({error})", place=f"line {reader.line_num}") from None
        if any(row):
            yield reader.line_num, row


def _from_rows(rows: Iterator[tuple[int, list[str]]], node_column: str | None, edge_column: str | None) -> Hypergraph:
    first = next(rows, None)
    if first is None:
        return Hypergraph()
    header, nodes, edges = _columns(first[1], node_column, edge_column)
    pairs: list[tuple[int, int]] = []
    width = len(first[1])
    if not header:
        _take_row(first[0], first[1], width, nodes, edges, pairs)
    for line, row in rows:
        _take_row(line, row, width, nodes, edges, pairs)
    node_labels, edge_labels = nodes.labels(), edges.labels()
    paired_nodes = {i for i, _ in pairs}
    paired_edges = {j for _, j in pairs}
    return Hypergraph.from_bipartite_edges(
        [(node_labels[i], edge_labels[j]) for i, j in pairs],
        nodes=_settle(node_labels, paired_nodes),
        edges=_settle(edge_labels, paired_edges, "hyperedge"),
    )


def _settle(labels: list[Label], paired: set[int], kind: str = "node") -> Labels:
    """Order the labels of one side: those declared alone first."""
    declared = [label for k, label in enumerate(labels) if k not in paired]
    return as_labels(ordered_labels(declared, labels), kind)


def _take_row(
    line: int, row: list[str], width: int, nodes: _Column, edges: _Column, pairs: list[tuple[int, int]]
) -> None:
    if len(row) != width:
        raise FormatError(
            f"the row has {len(row)} columns and the first one {width}; if each line is a whole hyperedge, "
            "read it with format='hyperedge-list'",
            place=f"line {line}",
        )
    node, edge = row[nodes.place], row[edges.place]
    for column, cell in ((nodes, node), (edges, edge)):
        if cell:
            column.cells.append(cell)
            column.lines.append(line)
    if node and edge:
        pairs.append((len(nodes.cells) - 1, len(edges.cells) - 1))


def _columns(row: list[str], node_column: str | None, edge_column: str | None) -> tuple[bool, _Column, _Column]:
    """Find the two columns from the first row; tell whether it is a header."""
    if len(row) < 2:
        raise FormatError(
            "the table has one column and needs two, nodes and hyperedges "
            "(is the delimiter right? each line a hyperedge is format='hyperedge-list')",
            place="line 1",
        )
    names = [_name_and_type(cell) for cell in row]
    node = _find(names, node_column, _NODE_NAMES)
    edge = _find(names, edge_column, _EDGE_NAMES)
    if node is not None and edge is not None and node != edge:
        return (
            True,
            _Column("node", node, names[node][1], [], []),
            _Column("hyperedge", edge, names[edge][1], [], []),
        )
    if node_column or edge_column:
        missing = (node_column or "node") if node is None else (edge_column or "edge")
        raise FormatError(f"there is no column named {missing!r} (the first row is {row})", place="line 1")
    return False, _Column("node", 0, None, [], []), _Column("hyperedge", 1, None, [], [])


def _name_and_type(cell: str) -> tuple[str, str | None]:
    name, _, kind = cell.strip().rpartition(":")
    return (name, kind) if name and kind in _TYPES else (cell.strip(), None)


def _find(names: list[tuple[str, str | None]], wanted: str | None, known: tuple[str, ...]) -> int | None:
    plain = [name for name, _ in names]
    if wanted is not None:
        return plain.index(wanted) if wanted in plain else None
    lowered = [name.lower() for name in plain]
    return next((lowered.index(name) for name in known if name in lowered), None)


# -- writing -----------------------------------------------------------------------------------------


def encode_bipartite(H: Hypergraph, delimiter: str = ",") -> bytes:
    """Write a table of incidences.

    Examples
    --------
    >>> print(encode_bipartite(Hypergraph({"x": ["a", "b"]})).decode(), end="")
    node,edge
    a,x
    b,x
    """
    node_type, nodes = _cells(H.nodes, delimiter)
    edge_type, edges = _cells(H.edges, delimiter)
    node_ids, edge_ids = H.indices.tolist(), H.edge_indices.tolist()
    lines = [f"node{node_type}{delimiter}edge{edge_type}"]
    if ordered_labels((), [H.nodes[i] for i in node_ids]) != list(H.nodes):
        lines += [node + delimiter for node in nodes]
    if ordered_labels((), [H.edges[j] for j in edge_ids]) != list(H.edges):
        lines += [delimiter + edge for edge in edges]
    nodes = [node + delimiter for node in nodes]
    lines += [nodes[i] + edges[j] for i, j in zip(node_ids, edge_ids, strict=True)]
    return ("\n".join(lines) + "\n").encode()


def _cells(labels: Labels, delimiter: str) -> tuple[str, list[str]]:
    """Write the labels of one column; return the type its header must name, and the cells."""
    if isinstance(labels, range):
        return "", list(map(str, labels))
    kinds = set(map(type, labels))
    if kinds == {int, str}:
        return ":json", [_quoted(msgspec.json.encode(label).decode(), delimiter) for label in labels]
    texts = list(map(str, labels))
    try:
        plain = labels_from_text(texts) == list(labels)
    except NotAnIdError:
        plain = False
    return "" if plain else ":string", [_quoted(text, delimiter) for text in texts]


def _quoted(text: str, delimiter: str) -> str:
    if any(c in text for c in (delimiter, '"', "\n", "\r")) or text != text.strip():
        return '"' + text.replace('"', '""') + '"'
    return text
