"""Contents that look like another format than the one that the file's name stands for.

A name such as ``.txt`` says little, and many files can be read as hyperedges without being any: weights, one per line;
pairs of a node and a hyperedge; a table with a header. Such a file is refused with a sentence that says what it looks like
and which ``format=`` settles the question; a format that was given, or a header of ours, settles it beforehand.

Two hyperedge lists are doubtful. If *every* hyperedge has one member, the file may be anything that has one value per line.
If every hyperedge has two, they may be incidences: either the two columns have no label in common, though both repeat theirs,
or one column counts 0, 0, 1, 2, 2, … as identifiers of hyperedges do, and the other has numbers on either side of it. (The
edges of a graph, listed once, have one end smaller; listed from both ends, each comes back reversed.)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hyperhedge.core.labels import Label, is_integer_text
from hyperhedge.errors import FormatError
from hyperhedge.typing import IntArray

SWITCH = "--format, or convert --from"
"""The options that set a format on the command line, where not every command has one."""

_MIN_PAIRS = 3


def refuse_json(data: bytes) -> None:
    """Refuse text that begins as JSON does."""
    start = data[:64].translate(None, b" \t\r\n")
    if start.startswith((b"{", b"[{", b"[[")):
        raise FormatError(f"this looks like JSON, not like lines of text; set format='hif' ({SWITCH})", where="line 1")


def doubt_of_list(members: Sequence[Label] | IntArray, edge_sizes: IntArray) -> str | None:
    """Say what a list of hyperedges looks like instead, given their members in turn; None if it looks like one.

    Examples
    --------
    >>> print(doubt_of_list([3, 1, 2], np.array([1, 1, 1])))
    every line has one value, as in files of weights, times or labels; ...
    >>> doubt_of_list([3, 1, 2, 1], np.array([2, 2])) is None
    True
    """
    if len(edge_sizes) >= 2 and (edge_sizes == 1).all():
        return (
            "every line has one value, as in files of weights, times or labels; if each line is a hyperedge with one member, "
            f"set format='hyperedge-list' ({SWITCH})"
        )
    if len(edge_sizes) >= _MIN_PAIRS and (edge_sizes == 2).all() and _are_incidences(members[::2], members[1::2]):
        return (
            "every line has two values, which look like a node and a hyperedge; set format='bipartite' if they are, or "
            f"format='hyperedge-list' if they are the two members of a hyperedge ({SWITCH})"
        )
    return None


def _are_incidences(first: Sequence[Label] | IntArray, second: Sequence[Label] | IntArray) -> bool:
    """Return whether pairs look like incidences rather than like pairs of nodes."""
    if any(isinstance(label, str) for label in (*first[:1], *second[:1])):
        distinct = set(first), set(second)
        return not (distinct[0] & distinct[1]) and max(map(len, distinct)) < len(first)
    if any(
        isinstance(label, str) for column in (first, second) if not isinstance(column, np.ndarray) for label in column
    ):
        return False
    a, b = np.asarray(first, dtype=np.int64), np.asarray(second, dtype=np.int64)
    return bool((a < b).any() and (a > b).any()) and (_counts(a) or _counts(b)) and not _is_symmetric(a, b)


def _counts(column: IntArray) -> bool:
    """Return whether numbers ascend from 0 or 1 without a gap, some of them repeated."""
    steps = np.diff(column)
    return bool(column[0] in (0, 1) and (steps >= 0).all() and (steps <= 1).all() and 0 < steps.sum() < len(steps))


def _is_symmetric(a: IntArray, b: IntArray) -> bool:
    """Return whether each pair also comes reversed, as where a graph lists the neighbours of each node."""
    pairs = set(zip(a.tolist(), b.tolist(), strict=True))
    return all((y, x) in pairs for x, y in pairs)


def doubt_of_table(rows: Sequence[Sequence[str]]) -> str | None:
    """Say what a table without a header that is known looks like instead; None if it looks like pairs.

    Examples
    --------
    >>> print(doubt_of_table([["author", "paper"], ["3", "1"], ["3", "2"]]))
    the first line looks like a header ('author', 'paper'); ...
    """
    settle = f"or set format='bipartite' ({SWITCH})"
    if len(rows[0]) > 2:
        return (
            f"the table has {len(rows[0])} columns and no header with the names node and edge; name the two columns with "
            "node_column= and edge_column= (--node-column, --edge-column), set format='hyperedge-list' if each line is a whole "
            f"hyperedge, {settle} if the first two columns are nodes and hyperedges"
        )
    columns = list(zip(*rows, strict=True))
    if any(_is_header(column) for column in columns):
        return (
            f"the first line looks like a header ({rows[0][0]!r}, {rows[0][1]!r}); name the columns with node_column= and "
            f"edge_column= (--node-column, --edge-column), {settle} if it is data"
        )
    nodes, edges = ({cell for cell in column if cell} for column in columns)
    common = nodes & edges
    if (
        len(rows) >= _MIN_PAIRS
        and 2 * len(common) > min(len(nodes), len(edges))
        and not all(map(is_integer_text, common))
    ):
        return (
            f"both columns have the same names, such as {min(common)!r}, so the lines look like pairs of nodes; set "
            f"format='hyperedge-list' if each line is a hyperedge with two members, {settle} if it is a node and a hyperedge"
        )
    return None


def _is_header(column: Sequence[str]) -> bool:
    """Return whether the first cell of a column is a name, and the others are numbers."""
    first, *others = column
    written = [cell for cell in others if cell]
    return bool(first and written) and not is_integer_text(first) and all(map(is_integer_text, written))
