"""Bipartite tables: CSV or TSV files with a row per incidence, a column of nodes and one of hyperedges.

*Reading.* If the first row names the columns (``node``, and ``edge`` or ``hyperedge``), these are read, in any
order, and what other columns hold is dropped with a warning; otherwise there is no header, and the first column holds
the nodes, the second the hyperedges, unless the table looks like something else (:mod:`hyperhedge.io.doubts`). Other
column names are set by ``node_column=`` and ``edge_column=``. The separator is a tab in a ``.tsv`` file and a comma in a
``.csv`` file; elsewhere the first line shows it; or it is ``delimiter=``. A row with an empty hyperedge cell declares a
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
from hyperhedge.core.loss import Loss
from hyperhedge.errors import FormatError
from hyperhedge.io.doubts import doubt_of_table, refuse_json
from hyperhedge.io.files import LIMITS, Limits, PathLike, decode_text, errors_at, read_bytes, without_gz

_NODE_NAMES = ("node", "nodes", "vertex", "node_id")
_EDGE_NAMES = ("edge", "edges", "hyperedge", "hyperedges", "edge_id", "hyperedge_id")
_TYPES = ("string", "json")
_EMPTY_CELLS = ("", "{}", "[]", "nan", "None")  # as pandas and HyperNetX write what is missing


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
    by_name: bool = False,
    limits: Limits = LIMITS,
) -> Hypergraph:
    """Read a table of incidences.

    With ``by_name``, only the file's name says that it is a table, and contents that look like something else are refused.
    """
    data = read_bytes(path, max_line=limits.line, limits=limits)
    text = decode_text(data, path)
    with errors_at(path):
        if by_name:
            refuse_json(data)
        rows = _rows(text, delimiter or _delimiter(text, without_gz(path)))
        return _from_rows(rows, (node_column, edge_column), by_name=by_name, path=path)


def default_delimiter(name: str) -> str:
    """Return the separator of a file's columns by its name."""
    return "\t" if name.endswith(".tsv") else ","


def _delimiter(text: str, name: str) -> str:
    """Return the separator by the file's name, or, where it tells nothing, by the first line."""
    if name.endswith((".csv", ".tsv")):
        return default_delimiter(name)
    first = text.lstrip().partition("\n")[0].strip()
    return next((character for character in ",\t; " if character in first), ",")


def has_column_names(cells: list[str]) -> bool:
    """Return whether a row has a usual name of a column of nodes, and one of a column of hyperedges."""
    return _columns(cells, None, None)[0] if len(cells) > 1 else False


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


def _from_rows(
    rows: Iterator[tuple[int, list[str]]],
    names: tuple[str | None, str | None],
    *,
    by_name: bool,
    path: PathLike,
) -> Hypergraph:
    table = _complete(rows)
    if not table:
        return Hypergraph()
    has_header, nodes, edges = _columns(table[0][1], *names)
    if by_name and not has_header:
        doubt = doubt_of_table([row for _, row in table])
        if doubt:
            raise FormatError(doubt)
    body = table[1:] if has_header else table
    pairs: list[tuple[int, int]] = []  # positions among the cells of both columns
    for line, row in body:
        node, edge = row[nodes.index], row[edges.index]
        for column, cell in ((nodes, node), (edges, edge)):
            if cell:
                column.cells.append(cell)
                column.lines.append(line)
        if node and edge:
            pairs.append((len(nodes.cells) - 1, len(edges.cells) - 1))
    node_labels, edge_labels = nodes.labels(), edges.labels()
    H = Hypergraph.from_bipartite_edges(
        [(node_labels[i], edge_labels[j]) for i, j in pairs],
        nodes=_declared_first(node_labels, {i for i, _ in pairs}, "node"),
        edges=_declared_first(edge_labels, {j for _, j in pairs}, "hyperedge"),
    )
    if has_header:
        _loss(table, {nodes.index, edges.index}).warn(path)
    return H


def _complete(rows: Iterator[tuple[int, list[str]]]) -> list[tuple[int, list[str]]]:
    """List rows, all of which must be as long as the first."""
    table: list[tuple[int, list[str]]] = []
    for line, row in rows:
        if table and len(row) != len(table[0][1]):
            raise FormatError(
                f"the row has {len(row)} columns and the first one {len(table[0][1])}; if each line is a whole hyperedge, "
                "read it with format='hyperedge-list'",
                where=f"line {line}",
            )
        table.append((line, row))
    return table


def _loss(table: list[tuple[int, list[str]]], read: set[int]) -> Loss:
    """Count what the columns hold that are not read; a column without a name numbers the rows, as pandas writes it."""
    names = [cell.strip().lower() for cell in table[0][1]]
    others = [k for k, name in enumerate(names) if k not in read and name]
    if not others:
        return Loss()
    records = ({names[k]: row[k] for k in others if row[k] not in _EMPTY_CELLS} for _, row in table[1:])
    return Loss().add_records(records)


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
