r"""Plain hyperedge lists: one hyperedge per line, its members separated by blanks or commas.

*Reading.* Lines that begin with ``#`` or ``%``, the rest of a line after a ``#`` at the start of a word, and
blank lines are ignored. If any line has a comma, commas separate the members (and labels may contain blanks);
otherwise blanks do. A label in double quotes is a JSON string. Labels are integers if all of them are written as
integers, and strings otherwise. Nodes are those that occur, and hyperedges are numbered from 0.

*What a plain list cannot express* (isolated nodes, an order, hyperedge labels, empty hyperedges, strings
that look like numbers) is written as comments, which other programs skip, and only where needed::

    #! hyperedge-list 1
    #! nodes "1" b c lonely
    #! edges first second third
    "1" b
    #! empty
    b c

With the first of these lines the list is *exact*: each label is an integer if it is written as one *and* not
quoted, whatever the others are; ``#! nodes 0..99`` stands for the integers from 0 to 99, and hyperedges may only
name the nodes listed.

A list that looks like something else (:mod:`hyperhedge.io.doubts`) is refused unless its format was given; where it is
meant, it is written as an exact list.

Lists of integers, the common case, are read and written as arrays of characters
(:mod:`hyperhedge.io.integer_lines`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from itertools import chain, pairwise
from typing import Literal, cast

import msgspec
import numpy as np

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.core.labels import (
    Label,
    Labels,
    NotAnIdError,
    as_labels,
    is_integer_text,
    label_index,
    labels_from_text,
    ordered_labels,
)
from hyperhedge.errors import FormatError, HypergraphError
from hyperhedge.io.bipartite import has_column_names
from hyperhedge.io.doubts import SWITCH, doubt_of_list, refuse_json
from hyperhedge.io.files import LIMITS, Limits, PathLike, check_claim, decode_text, errors_at, read_bytes
from hyperhedge.io.integer_lines import format_integer_lines, parse_integer_lines
from hyperhedge.typing import IntArray

MAX_RANGE = 2**31

_NAME = "#! hyperedge-list"
_HEADER = f"{_NAME} 1"
_EMPTY = "#! empty"
_RANGE = re.compile(r"0\.\.(0|[1-9][0-9]{0,18})\Z")


# -- reading -----------------------------------------------------------------------------------------

_STRING = r'"(?:[^"\\]|\\.)*"'
_STRING_OR_COMMA = re.compile(rf"{_STRING}|,")
# A word and its separator; the groups are a string, a comment and a plain word.
_BLANK_SEPARATED = re.compile(rf'\s*(?:({_STRING})(?=\s|\Z)|(#.*)|([^\s"][^\s]*))\s*')
_COMMA_SEPARATED = re.compile(rf'\s*(?:({_STRING})\s*(?=,|\Z|#)|(#.*)|([^,"][^,]*?)\s*(?=,|\Z|\s\#))')
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
_NOT_PLAIN = re.compile(r'["#%\x00-\x08\x0e-\x1f\x7f]')
_DIRECTIVES = re.compile(rb"(?:#![^\n]*\n)*")
_LOOSE_COMMA = re.compile(rb",[ \t]*,|(?:\A|\n)[ \t]*,|,[ \t]*(?:\n|\Z)")


def read_hyperedge_list(
    path: PathLike,
    *,
    blank_lines: Literal["skip", "empty"] = "skip",
    by_name: bool = False,
    limits: Limits = LIMITS,
) -> Hypergraph:
    """Read a hyperedge list; blank lines are ignored, or are empty hyperedges, as XGI writes them.

    With ``by_name``, only the file's name says that it is a list, and contents that look like something else are refused.
    """
    if blank_lines not in ("skip", "empty"):
        raise HypergraphError(f"blank_lines= must be 'skip' or 'empty', not {blank_lines!r}")
    data = read_bytes(path, max_line=limits.line, limits=limits)
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    with errors_at(path):
        if by_name:
            refuse_json(data)
            _refuse_table(data)
        keep_blank = blank_lines == "empty"
        H = None if keep_blank else _read_integers(data, path, by_name)
        H = H or _Parser(decode_text(data, path), keep_blank=keep_blank).hypergraph(by_name)
        check_claim(H.n, H.num_incidences, "nodes")
        return H


def _refuse_table(data: bytes) -> None:
    """Refuse text whose first line names the columns of a table of incidences."""
    first = data[:256].partition(b"\n")[0].decode(errors="replace").removeprefix("\ufeff")
    if has_column_names(re.split(r"[,;\t ]+", first.strip())):
        raise FormatError(
            f"{first.strip()[:40]!r} looks like the header of a table of incidences; set format='bipartite' if it is one, "
            f"or format='hyperedge-list' if it is a hyperedge ({SWITCH})",
            where="line 1",
        )


def _refuse_doubtful(members: Sequence[Label] | IntArray, edge_sizes: IntArray) -> None:
    doubt = doubt_of_list(members, edge_sizes)
    if doubt:
        raise FormatError(doubt)


def _read_integers(data: bytes, path: PathLike, by_name: bool) -> Hypergraph | None:
    """Read a list of integers with array operations; None if it is not that simple."""
    directives = _DIRECTIVES.match(data)
    start = directives.end() if directives else 0
    body = data[start:]
    if body.translate(None, b"0123456789, \t\n") or (b"," in body and _LOOSE_COMMA.search(body)):
        return None
    header = _Parser(decode_text(data[:start], path))
    lines = parse_integer_lines(body.replace(b",", b" "))
    if lines is None or header.edge_sizes or (start and not header.exact):
        return None
    members, edge_sizes = lines
    if by_name and not header.exact:
        _refuse_doubtful(members, edge_sizes)
    if header.nodes is None:
        nodes, node_ids = _ranked(members)
    elif isinstance(header.nodes, range) and (members < len(header.nodes)).all():
        nodes, node_ids = header.nodes, members
    else:
        return None
    edges = range(len(edge_sizes)) if header.edges is None else header.edges
    if len(edges) != len(edge_sizes):
        return None
    edge_ids = np.repeat(np.arange(len(edge_sizes)), edge_sizes)
    return Hypergraph.from_indices(node_ids, edge_ids, nodes=nodes, edges=edges)


def _ranked(ids: IntArray) -> tuple[Labels, IntArray]:
    """Return the distinct ids in ascending order, and the position of each id among them."""
    largest = int(ids.max(initial=-1))
    if largest < 4 * len(ids):  # the ids are dense: mark them instead of sorting
        present = np.zeros(largest + 1, dtype=bool)
        present[ids] = True
        return as_labels(np.flatnonzero(present).tolist()), (np.cumsum(present) - 1)[ids]
    distinct, positions = np.unique(ids, return_inverse=True)
    return as_labels(distinct.tolist()), positions


class _Parser:
    """The contents of a hyperedge list, parsed line by line, or all at once where the lines are simple.

    In an exact list the members are labels at once. In any other they are words until all of them are known, unless
    one was quoted.
    """

    def __init__(self, text: str, *, keep_blank: bool = False) -> None:
        self.keep_blank = keep_blank
        self.exact = text.startswith(_NAME)
        self.nodes: Labels | None = None
        self.edges: Labels | None = None
        self.members: list[Label] = []  # of all hyperedges in turn
        self.any_quoted = False
        self.edge_sizes: list[int] = []
        self.line_numbers: list[int] = []  # of the hyperedges
        lines = text.removesuffix("\n").split("\n") if text else []
        self.commas = not self.exact and any("," in line and _has_comma(line) for line in lines)
        comments = next((k for k, line in enumerate(lines) if line[:1] != "#"), len(lines))
        self._add_lines(lines[:comments], 1)
        body, lines, first = text[sum(map(len, lines[:comments])) + comments :], lines[comments:], comments + 1
        if keep_blank or not (self._add_plain(body, lines, first) or self._add_quoted(body, first)):
            self._add_lines(lines, first)

    def _add_plain(self, body: str, lines: list[str], first: int) -> bool:
        """Add lines of plain words all at once; return False, without adding any, if they are not that simple."""
        if _NOT_PLAIN.search(body):
            return False
        split = _split_at_commas if self.commas else str.split
        numbered = [(number, line) for number, line in enumerate(lines, start=first) if line.strip()]
        try:
            rows = [split(line) for _, line in numbered]
        except FormatError:
            return False  # adding one line after the other finds the line
        self.line_numbers += [number for number, _ in numbered]
        self.edge_sizes += map(len, rows)
        words = chain.from_iterable(rows)
        self.members += map(_exact_label, words) if self.exact else words
        return True

    def _add_quoted(self, body: str, first: int) -> bool:
        """Add lines of quoted strings all at once; return False, without adding any, if they are not that simple."""
        strings_and_separators = _split_strings(body) if self.exact else None
        if strings_and_separators is None:
            return False
        strings, separators = strings_and_separators
        ends = [k for k, separator in enumerate(separators, start=1) if separator == "\n"]
        edge_sizes = [stop - start for start, stop in pairwise([0, *ends, len(strings)])]
        self.members += strings
        self.edge_sizes += edge_sizes
        self.line_numbers += range(first, first + len(edge_sizes))
        return True

    def _add_lines(self, lines: list[str], first: int) -> None:
        for number, line in enumerate(lines, start=first):
            try:
                self._add_line(line.strip(), number)
            except (FormatError, HypergraphError) as error:
                message = error.message if isinstance(error, FormatError) else str(error)
                raise FormatError(message, where=f"line {number}") from None

    def _add_line(self, line: str, number: int) -> None:
        if self.exact and line.startswith("#!"):
            self._add_directive(line, number)
        elif line and line[0] not in "#%":
            words = self._split(line)
            if words:
                self._add_hyperedge(words, number)
        elif not line and self.keep_blank:
            self._add_hyperedge([], number)

    def _add_hyperedge(self, members: list[Label], number: int) -> None:
        self.members += members
        self.edge_sizes.append(len(members))
        self.line_numbers.append(number)

    def _add_directive(self, line: str, number: int) -> None:
        name, _, rest = line.removeprefix("#!").strip().partition(" ")
        if name == "hyperedge-list":
            if line != _HEADER or number != 1:
                raise FormatError(f"only the first line may be a header, and it must be {_HEADER!r}")
        elif name == "empty" and not rest:
            self._add_hyperedge([], number)
        elif name == "nodes" and self.nodes is None:
            self.nodes = as_labels(self._listed_labels(rest), "node")
        elif name == "edges" and self.edges is None:
            self.edges = as_labels(self._listed_labels(rest), "hyperedge")
        else:
            raise FormatError(f"'#! {name}' is unknown, or occurs for the second time")

    def _listed_labels(self, text: str) -> Iterable[Label]:
        numbers = _RANGE.match(text.strip())
        if not numbers:
            return self._split(text)
        last = int(numbers.group(1))
        if last >= MAX_RANGE:
            raise FormatError(f"the range {numbers.group(0)} has more than {MAX_RANGE:,} labels")
        return range(last + 1)

    def _split(self, line: str) -> list[Label]:
        """Split a line into its words, or, in an exact list, into its labels."""
        strings_and_separators = _split_strings(line) if self.exact else None
        if strings_and_separators is not None:
            return list(strings_and_separators[0])
        if '"' in line or "#" in line or _CONTROL.search(line):
            return self._split_carefully(line)
        words = _split_at_commas(line) if self.commas else line.split()
        return list(map(_exact_label, words)) if self.exact else list(words)

    def _split_carefully(self, line: str) -> list[Label]:
        """Split a line that may have quoted strings, comments and errors."""
        pattern = _COMMA_SEPARATED if self.commas else _BLANK_SEPARATED
        words: list[Label] = []
        position = 0
        while position < len(line):
            match = pattern.match(line, position)
            if not match or match.end() == position:
                raise FormatError(f"the label at {line[position : position + 20]!r} is not complete")
            string, comment, plain = match.groups()
            if comment:
                break
            if string:
                self.any_quoted = True
                words.append(_unquote(string))
            else:
                words.append(_exact_label(_checked(plain)) if self.exact else _checked(plain))
            position = match.end()
            if self.commas and line.startswith(",", position):
                position += 1
                if not line[position:].strip():
                    raise FormatError("a comma is followed by no member")
        return words

    def hypergraph(self, by_name: bool = False) -> Hypergraph:
        """Build the hypergraph; with ``by_name``, unless it looks like something else."""
        members = self._labels()
        if by_name and not self.exact:
            _refuse_doubtful(members, np.array(self.edge_sizes, dtype=np.int64))
        nodes = as_labels(ordered_labels((), members) if self.nodes is None else self.nodes)
        edges = range(len(self.edge_sizes)) if self.edges is None else self.edges
        if len(edges) != len(self.edge_sizes):
            raise FormatError(f"'#! edges' names {len(edges)} hyperedges and the file has {len(self.edge_sizes)}")
        node_ids = _look_up(members, nodes)
        edge_ids = np.repeat(np.arange(len(self.edge_sizes)), self.edge_sizes)
        if -1 in node_ids:
            k = node_ids.index(-1)
            raise FormatError(
                f"the hyperedge names the node {members[k]!r}, which '#! nodes' does not list",
                where=f"line {self.line_numbers[edge_ids[k]]}",
            )
        return Hypergraph.from_indices(np.array(node_ids, dtype=np.int64), edge_ids, nodes=nodes, edges=edges)

    def _labels(self) -> list[Label]:
        if self.exact or self.any_quoted:
            return self.members
        words = cast("list[str]", self.members)  # a list that is not exact adds nothing else
        try:
            return labels_from_text(words)
        except NotAnIdError as error:
            k = words.index(error.text)
            edge = int(np.searchsorted(np.cumsum(self.edge_sizes), k, side="right"))
            raise FormatError(str(error), where=f"line {self.line_numbers[edge]}") from None


def _look_up(members: list[Label], nodes: Labels) -> list[int]:
    """Return the position of each member among the nodes; -1 where it is none of them."""
    if isinstance(nodes, range):
        return [label if isinstance(label, int) and label < len(nodes) else -1 for label in members]
    index = label_index(nodes)
    return [index.get(label, -1) for label in members]


def _exact_label(word: str) -> Label:
    """Return an unquoted word as a label: an integer if it is written as one."""
    return int(word) if word[0] in "0123456789" and is_integer_text(word) else word


def _split_strings(text: str) -> tuple[list[str], list[str]] | None:
    """Split a text of quoted strings without escapes into the strings and their separators, blanks or newlines.

    None if it is another text.
    """
    if text[:1] != '"' or "\\" in text:
        return None
    _, *pieces = text.split('"')
    separators = pieces[1:-1:2]
    if len(pieces) % 2 or pieces[-1] not in ("", "\n") or set(separators) - {" ", "\n"}:
        return None
    return pieces[::2], separators


def _has_comma(line: str) -> bool:
    """Return whether a line has a comma outside of quotes and comments."""
    line = line.strip()
    if "," not in line or line[0] in "#%":
        return False
    return '"' not in line or any(match.group() == "," for match in _STRING_OR_COMMA.finditer(line))


def _split_at_commas(line: str) -> list[str]:
    words = [word.strip() for word in line.split(",")]
    if not all(words):
        raise FormatError("a member is empty; remove the comma before or after it")
    return words


def _checked(word: str) -> str:
    if _CONTROL.search(word):
        raise FormatError("the line has control characters; is this a text file?")
    if '"' in word:
        raise FormatError(f"the label {word[:40]!r} has a quotation mark inside; quote the whole label")
    return word


def _unquote(string: str) -> str:
    try:
        return str(json.loads(string, strict=False))
    except ValueError:
        raise FormatError(f"{string[:40]} is not a JSON string") from None


# -- writing -----------------------------------------------------------------------------------------

_NEEDS_QUOTES = re.compile(r'[\s,"\x01-\x1f\x7f\ufeff]|(?:\A|\0)[#%]')  # U+FEFF at the start would be a byte order mark
_NEEDS_ESCAPES = re.compile(r'["\\\x01-\x1f\x7f]')
_ENCODE = msgspec.json.Encoder().encode


def encode_hyperedge_list(H: Hypergraph) -> bytes:
    """Write a hyperedge list, as plain as the hypergraph allows.

    Examples
    --------
    >>> print(encode_hyperedge_list(Hypergraph([["a", "b"], ["b", "c"]])).decode(), end="")
    a b
    b c
    >>> print(encode_hyperedge_list(Hypergraph([[0, 1], []], nodes=4)).decode(), end="")
    #! hyperedge-list 1
    #! nodes 0..3
    0 1
    #! empty
    """
    integers = _integer_labels(H.nodes)
    words = [] if integers is not None else _words(H.nodes)
    header = "".join(_header_lines(H, words)).encode()
    if integers is not None and H.edge_sizes.all():
        return header + format_integer_lines(integers[H.indices], H.indptr)
    if integers is not None:
        words = list(map(str, H.nodes))
    members = [words[i] for i in H.indices.tolist()]
    lines = [" ".join(members[start:stop]) or _EMPTY for start, stop in pairwise(H.indptr.tolist())]
    return header + "".join([line + "\n" for line in lines]).encode()


def _integer_labels(labels: Labels) -> IntArray | None:
    if isinstance(labels, range) or set(map(type, labels)) == {int}:
        return np.array(labels, dtype=np.int64)
    return None


def _header_lines(H: Hypergraph, words: list[str]) -> list[str]:
    """Return the comments without which the list would be read as another hypergraph.

    ``words`` are the labels of the nodes as they are written, or empty if all of them are integers.
    """
    lines = [] if _keeps_order(H) else [f"#! nodes {_listing(H.nodes, words)}"]
    if not isinstance(H.edges, range):
        lines.append(f"#! edges {_listing(H.edges, [])}")
    if lines or not H.edge_sizes.all() or _is_doubtful(H) or (words and not _are_plain_strings(H.nodes, words)):
        lines.insert(0, _HEADER)
    return [line.rstrip() + "\n" for line in lines]


def _is_doubtful(H: Hypergraph) -> bool:
    """Return whether the list would look like something else."""
    if H.m < 2 or H.edge_sizes.min() != H.edge_sizes.max() or H.edge_sizes[0] > 2:
        return False
    integers = _integer_labels(H.nodes)
    members = [H.nodes[i] for i in H.indices.tolist()] if integers is None else integers[H.indices]
    return doubt_of_list(members, H.edge_sizes) is not None


def _keeps_order(H: Hypergraph) -> bool:
    """Return whether the hyperedges alone determine the nodes and their order."""
    first_seen = np.full(H.n, -1)
    first_seen[H.indices[::-1]] = np.arange(H.num_incidences)[::-1]  # the last assignment stays
    if (first_seen < 0).any():
        return False
    if isinstance(H.nodes, range):
        return True
    if set(map(type, H.nodes)) == {int}:
        return list(H.nodes) == sorted(H.nodes)
    return bool((np.diff(first_seen) > 0).all())


def _are_plain_strings(labels: Labels, words: list[str]) -> bool:
    """Return whether all labels are strings that are read as they are from a list that is not exact."""
    if list(labels) != words:  # some are quoted
        return False
    try:
        return labels_from_text(words) == words
    except NotAnIdError:
        return False


def _listing(labels: Labels, words: list[str]) -> str:
    if isinstance(labels, range) and labels:
        return f"0..{len(labels) - 1}"
    return " ".join(words or _words(labels))


def _words(labels: Labels) -> list[str]:
    """Return labels as words. If any string would be read as something else, all strings are quoted."""
    strings = [label for label in labels if isinstance(label, str)]
    joined = "\0".join(strings)
    if not _NEEDS_QUOTES.search(joined) and not any(map(_reads_as_number, strings)):
        return list(map(str, labels))
    if _NEEDS_ESCAPES.search(joined):
        return [_ENCODE(label).decode() for label in labels]
    return [f'"{label}"' if isinstance(label, str) else str(label) for label in labels]


def _reads_as_number(label: str) -> bool:
    return label[0] in "0123456789" and (is_integer_text(label) or _RANGE.match(label) is not None)
