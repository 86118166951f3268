"""Values of nodes or hyperedges in a table: CSV or TSV, a row for each, its label first.

The first row is a header unless it begins with a label of the hypergraph. Values are the second column, or the one that
``FILE:COLUMN`` names. A column is of numbers if all its cells are; an empty cell is no value.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hyperhedge.core.labels import Label
from hyperhedge.errors import FormatError
from hyperhedge.io.bipartite import default_delimiter
from hyperhedge.io.files import decode_text, read_bytes, without_gz

_ENDINGS = (".csv", ".tsv", ".txt")

Row = tuple[int, list[str]]  # with the number of its line


class NamedValues(dict[Label, Any]):
    """Values by label, and what they are."""

    name: str = ""


def values_or_word(asked: str, labels: Sequence[Label]) -> NamedValues | str | float:
    """Read a table of values if the name is that of one; otherwise return a number or the word."""
    path, _, column = asked.rpartition(":") if not _is_table(asked) and ":" in asked else (asked, "", "")
    if _is_table(path):
        return read_values(path, labels, column or None)
    number = _number(asked)
    return asked if number is None else number


def read_values(path: str, labels: Sequence[Label], column: str | None = None) -> NamedValues:
    """Read the values of nodes or of hyperedges with some labels."""
    rows = _rows(path)
    label_of = {str(label): label for label in reversed(labels)}
    header = None if rows[0][1][0] in label_of else rows.pop(0)[1]
    index = _column(path, header, column)
    cells: dict[str, str] = {}
    for line, row in rows:
        if len(row) <= index:
            raise FormatError(
                f"the row has no column {index + 1}, where the values are", path=path, where=f"line {line}"
            )
        if row[0] in cells:
            raise FormatError(
                f"{row[0]!r} has a value already; give one for each label", path=path, where=f"line {line}"
            )
        cells[row[0]] = row[index].strip()
    numbers = [_number(cell) for cell in cells.values() if cell]
    is_numeric = None not in numbers
    values = NamedValues()
    for text, cell in cells.items():
        values[label_of.get(text, text)] = None if not cell else (float(cell) if is_numeric else cell)
    values.name = header[index] if header else ""
    return values


def _is_table(name: str) -> bool:
    return without_gz(name).lower().endswith(_ENDINGS) or Path(name).is_file()


def _rows(path: str) -> list[Row]:
    text = decode_text(read_bytes(path), path)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=default_delimiter(without_gz(path)), strict=True)
    try:
        rows = [(reader.line_num, row) for row in reader if any(row)]
    except csv.Error as error:
        raise FormatError(f"the table is damaged ({error})", path=path, where=f"line {reader.line_num}") from None
    if not rows:
        raise FormatError("the table is empty; give a label and a value in each row", path=path)
    return rows


def _column(path: str, header: list[str] | None, column: str | None) -> int:
    """Return the index of the column of values."""
    if column is None:
        return 1
    names = header or []
    if column not in names:
        known = f"the columns are {', '.join(names)}" if names else "the table has no header"
        raise FormatError(f"there is no column {column!r}; {known}", path=path)
    return names.index(column)


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if np.isfinite(number) else None
