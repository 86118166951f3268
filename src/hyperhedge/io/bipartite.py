"""Bipartite tables: CSV or TSV files with a row per incidence, a column of nodes and one of hyperedges.

*Reading.* If the first row names the columns (``node``, and ``edge`` or ``hyperedge``), these are read, in any
order, and other columns are ignored; otherwise there is no header, and the first column holds the nodes, the
second the hyperedges. Other column names are set by ``node_column=`` and ``edge_column=``. The separator is a
tab in a ``.tsv`` file and a comma elsewhere, or ``delimiter=``. A row with an empty hyperedge cell declares a
node, a row with an empty node cell a hyperedge; this is how isolated nodes, empty hyperedges and an order are
stored. A column holds integers if all its labels are written as integers, and strings otherwise.

*Writing.* A header and the incidences, preceded by a row for each node or each hyperedge where these would
otherwise be lost or read in another order. The header gives the type of labels that would be read as another
type: ``node:string`` for digits that are names, ``node:json`` for a mixture.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain

import msgspec

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.core.labels import (
    Label,
    Labels,
    NotAnIdError,
    as_labels,
    labels_from_text,
    ordered_labels,
)
from hyperhedge.errors import FormatError
from hyperhedge.io.files import LIMITS, Limits, PathLike, decode_text, errors_at, read_bytes, without_gz

_NODE_NAMES = ("node", "nodes", "vertex", "node_id")
_EDGE_NAMES = ("edge", "edges", "hyperedge", "hyperedges", "edge_id", "hyperedge_id")
_TYPES = ("string", "json")


@dataclass
class _Column:
    """One of the two columns: its position, its type if the header has it, and its cells that are not empty."""

    index: int
    type: str | None = None
    cells: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)  # of the cells

    def labels(self) -> list[Label]:
        """Return the cells as labels."""
        try:
            if self.type == "json":
                return [self._from_json(k) for k in range(len(self.cells))]
            return list(self.cells) if self.type == "string" else labels_from_text(self.cells)
        except NotAnIdError as error:
            line = self.lines[self.cells.index(error.text)]
            raise FormatError(str(error), where=f"line {line}") from None

    def _from_json(self, k: int) -> Label:
        try:
            label = json.loads(self.cells[k])
        except (ValueError, RecursionError):
            label = None
        if isinstance(label, str | int) and not isinstance(label, bool):
            return label
        raise FormatError(
            f"the cell {self.cells[k][:40]!r} is not a JSON string or integer", where=f"line {self.lines[k]}"
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
    with errors_at(path):
        return _from_rows(_rows(text, delimiter or default_delimiter(without_gz(path))), node_column, edge_column)


def default_delimiter(name: str) -> str:
    """Return the separator of a file's columns by its name."""
    return "\t" if name.endswith(".tsv") else ","


def _rows(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that are not blank, with their line numbers."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True, strict=True)
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise FormatError(f"the table is damaged ({error})", where=f"line {reader.line_num}") from None
        if any(row):
            yield reader.line_num, row


def _from_rows(rows: Iterator[tuple[int, list[str]]], node_column: str | None, edge_column: str | None) -> Hypergraph:
    first = next(rows, None)
    if first is None:
        return Hypergraph()
    has_header, nodes, edges = _columns(first[1], node_column, edge_column)
    pairs: list[tuple[int, int]] = []  # positions among the cells of both columns
    for line, row in rows if has_header else chain([first], rows):
        if len(row) != len(first[1]):
            raise FormatError(
                f"the row has {len(row)} columns and the first one {len(first[1])}; if each line is a whole hyperedge, "
                "read it with format='hyperedge-list'",
                where=f"line {line}",
            )
        node, edge = row[nodes.index], row[edges.index]
        for column, cell in ((nodes, node), (edges, edge)):
            if cell:
                column.cells.append(cell)
                column.lines.append(line)
        if node and edge:
            pairs.append((len(nodes.cells) - 1, len(edges.cells) - 1))
    node_labels, edge_labels = nodes.labels(), edges.labels()
    return Hypergraph.from_bipartite_edges(
        [(node_labels[i], edge_labels[j]) for i, j in pairs],
        nodes=_declared_first(node_labels, {i for i, _ in pairs}, "node"),
        edges=_declared_first(edge_labels, {j for _, j in pairs}, "hyperedge"),
    )


def _declared_first(labels: list[Label], paired: set[int], kind: str) -> Labels:
    """Order the labels of one column: first those that stand alone in a row."""
    declared = [label for k, label in enumerate(labels) if k not in paired]
    return as_labels(ordered_labels(declared, labels), kind)


def _columns(row: list[str], node_column: str | None, edge_column: str | None) -> tuple[bool, _Column, _Column]:
    """Return whether the first row is a header, and the two columns."""
    if len(row) < 2:
        raise FormatError(
            "the table needs two columns, nodes and hyperedges, and has one; set delimiter=, "
            "or read it with format='hyperedge-list' if each line is a whole hyperedge",
            where="line 1",
        )
    names = [_name_and_type(cell) for cell in row]
    node = _column_index(names, node_column, _NODE_NAMES)
    edge = _column_index(names, edge_column, _EDGE_NAMES)
    if node is not None and edge is not None and node != edge:
        return True, _Column(node, names[node][1]), _Column(edge, names[edge][1])
    if node_column or edge_column:
        missing = (node_column or "node") if node is None else (edge_column or "edge")
        raise FormatError(f"there is no column named {missing!r}; the first row is {row}", where="line 1")
    return False, _Column(0), _Column(1)


def _name_and_type(cell: str) -> tuple[str, str | None]:
    name, _, kind = cell.strip().rpartition(":")
    return (name, kind) if name and kind in _TYPES else (cell.strip(), None)


def _column_index(names: list[tuple[str, str | None]], wanted: str | None, usual: tuple[str, ...]) -> int | None:
    """Return the position of the wanted column, or of the first that has one of the usual names."""
    plain = [name for name, _ in names]
    if wanted is not None:
        return plain.index(wanted) if wanted in plain else None
    lowered = [name.lower() for name in plain]
    return next((lowered.index(name) for name in usual if name in lowered), None)


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
    """Return the type that the header of a column of labels must name, and its cells."""
    if isinstance(labels, range):
        return "", list(map(str, labels))
    if set(map(type, labels)) == {int, str}:
        return ":json", [_quoted(msgspec.json.encode(label).decode(), delimiter) for label in labels]
    texts = list(map(str, labels))
    try:
        is_plain = labels_from_text(texts) == list(labels)
    except NotAnIdError:
        is_plain = False
    return "" if is_plain else ":string", [_quoted(text, delimiter) for text in texts]


def _quoted(text: str, delimiter: str) -> str:
    if any(c in text for c in (delimiter, '"', "\n", "\r")) or text != text.strip():
        return '"' + text.replace('"', '""') + '"'
    return text
