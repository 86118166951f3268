r"""Plain hyperedge lists: a hyperedge a line, its members separated by spaces or commas.

*Any list is read.* Lines that begin with ``#`` or ``%``, what follows a ``#`` at the start of a word, and
blank lines are left out. If any line has a comma, commas separate (and labels may contain blanks);
otherwise blanks do. A label in double quotes is a JSON string. Labels are integers if all of them are
written so, strings otherwise. Nodes are those that occur, and hyperedges are numbered from 0.

*What a plain list cannot say* (isolated nodes, an order, hyperedge labels, empty hyperedges, strings
that look like numbers) is said in comments, which other programs skip. They appear only where needed::

    #! hyperedge-list 1
    #! nodes "1" b c lonely
    #! edges first second third
    "1" b
    #! empty
    b c

With the first of these lines a label is an integer if it is written so *and* not quoted, label by label;
``#! nodes 0..99`` stands for the integers from 0 to 99, and a hyperedge may name only the nodes listed.

Lists of integers, the common case, are read and written as arrays of digits, without a Python object for
each member.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from itertools import chain, pairwise
from typing import Literal, cast

import msgspec
import numpy as np
from numpy.typing import NDArray

from hyperhedge.errors import FormatError, HypergraphError
from hyperhedge.hypergraph import Hypergraph
from hyperhedge.io.files import LIMITS, Limits, PathLike, decode_text, read_bytes
from hyperhedge.labels import (
    Label,
    Labels,
    NotAnIdError,
    as_labels,
    is_integer_text,
    label_index,
    labels_from_text,
    ordered_labels,
)

__all__ = ["encode_hyperedge_list", "read_hyperedge_list"]

_NAME = "#! hyperedge-list"
_HEADER = f"{_NAME} 1"
_EMPTY = "#! empty"
_ENCODE = msgspec.json.Encoder().encode
MAX_RANGE = 2**31

_NEEDS_QUOTES = re.compile(r'[\s,"\x01-\x1f\x7f\ufeff]|(?:\A|\0)[#%]')  # U+FEFF at the start would be a byte order mark
_NEEDS_ESCAPES = re.compile(r'["\\\x01-\x1f\x7f]')
_RANGE = re.compile(r"0\.\.(0|[1-9][0-9]{0,18})\Z")
_STRING = r'"(?:[^"\\]|\\.)*"'
_BLANK_SEPARATED = re.compile(rf'\s*(?:({_STRING})(?=\s|\Z)|(#.*)|([^\s"][^\s]*))\s*')
_COMMA_SEPARATED = re.compile(rf'\s*(?:({_STRING})\s*(?=,|\Z|#)|(#.*)|([^,"][^,]*?)\s*(?=,|\Z|\s\#))')
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
_UNUSUAL = re.compile(r'["#%\x00-\x08\x0e-\x1f\x7f]')
_QUOTED_COMMA = re.compile(rf"{_STRING}|,")


# -- reading -----------------------------------------------------------------------------------------


def read_hyperedge_list(
    path: PathLike, *, blank_lines: Literal["skip", "empty"] = "skip", limits: Limits = LIMITS
) -> Hypergraph:
    """Read a hyperedge list; a blank line means nothing, or, as XGI writes it, an empty hyperedge."""
    if blank_lines not in ("skip", "empty"):
        raise HypergraphError(f"blank_lines= must be 'skip' or 'empty', not {blank_lines!r}")
    data = read_bytes(path, max_line=limits.line, limits=limits)
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    try:
        keep_blank = blank_lines == "empty"
        simple = None if keep_blank else _read_integers(data, path)
        if simple is not None:
            return simple
        return _Lines(decode_text(data, path), keep_blank=keep_blank).hypergraph()
    except FormatError as error:
        raise error.at(path) from None
    except HypergraphError as error:
        raise FormatError(str(error), path=path) from None


_LEADING_DIRECTIVES = re.compile(rb"(?:#![^\n]*\n)*")
_LOOSE_COMMA = re.compile(rb",[ \t]*,|(?:\A|\n)[ \t]*,|,[ \t]*(?:\n|\Z)")


def _read_integers(data: bytes, path: PathLike) -> Hypergraph | None:
    """Read a list of integers with array operations; None if it is not that simple."""
    found = _LEADING_DIRECTIVES.match(data)
    start = found.end() if found else 0
    body = data[start:]
    if body.translate(None, b"0123456789, \t\n") or (b"," in body and _LOOSE_COMMA.search(body)):
        return None
    header = _Lines(decode_text(data[:start], path))
    lines = _integer_lines(body.replace(b",", b" "))
    if lines is None or header.sizes or (start and not header.exact):
        return None
    members, sizes = lines
    if header.nodes is None:
        nodes, places = _ranked(members)
    elif isinstance(header.nodes, range) and (members < len(header.nodes)).all():
        nodes, places = header.nodes, members
    else:
        return None
    edges = range(len(sizes)) if header.edges is None else header.edges
    if len(edges) != len(sizes):
        return None
    return Hypergraph.from_indices(places, np.repeat(np.arange(len(sizes)), sizes), nodes=nodes, edges=edges)


def _integer_lines(data: bytes) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Return the integers of a text, and how many stand on each line that has any.

    None if one of them is written as an id is not: with a leading zero, or too long to surely fit.
    """
    characters = np.frombuffer(data + b"\n", dtype=np.uint8)
    digit = np.concatenate(([False], characters >= ord("0")))
    starts = np.flatnonzero(digit[1:] & ~digit[:-1])
    ends = np.flatnonzero(digit[:-1] & ~digit[1:])
    lengths = ends - starts
    if ((characters[starts] == ord("0")) & (lengths > 1)).any() or (lengths > 18).any():
        return None
    newlines = np.flatnonzero(characters == ord("\n"))
    sizes = np.diff(np.searchsorted(starts, newlines), prepend=0)
    members = np.fromstring(data, dtype=np.int64, sep=" ") if len(starts) else starts
    return members, sizes[sizes > 0]


def _ranked(members: NDArray[np.int64]) -> tuple[Labels, NDArray[np.int64]]:
    """Return the distinct ids in ascending order, and the place of each member among them."""
    largest = int(members.max(initial=-1))
    if largest < 4 * len(members):  # ids are dense: mark them instead of sorting
        present = np.zeros(largest + 1, dtype=bool)
        present[members] = True
        return as_labels(np.flatnonzero(present).tolist()), (np.cumsum(present) - 1)[members]
    ids, places = np.unique(members, return_inverse=True)
    return as_labels(ids.tolist()), places


class _Lines:
    """The lines of a hyperedge list, taken in one after the other.

    In a list with ``#!`` lines (``exact``) the members are labels as soon as they are read; in any other they
    are words until all of them are known, unless one was quoted.
    """

    def __init__(self, text: str, *, keep_blank: bool = False) -> None:
        self.keep_blank = keep_blank
        self.exact = text.startswith(_NAME)
        self.nodes: Labels | None = None
        self.edges: Labels | None = None
        self.members: list[Label] = []  # of all hyperedges, one after the other
        self.any_quoted = False
        self.sizes: list[int] = []
        self.numbers: list[int] = []  # the line of each hyperedge
        self.word = _BLANK_SEPARATED
        lines = text.removesuffix("\n").split("\n") if text else []
        if not self.exact and any("," in line and _has_comma(line) for line in lines):
            self.word = _COMMA_SEPARATED
        head = next((k for k, line in enumerate(lines) if line[:1] != "#"), len(lines))
        self._take_each(lines[:head], 1)
        body = text[sum(map(len, lines[:head])) + head :]
        if keep_blank or not (self._take_words(body, lines[head:], head + 1) or self._take_quoted(body, head + 1)):
            self._take_each(lines[head:], head + 1)

    def _take_words(self, body: str, lines: list[str], first: int) -> bool:
        """Take in lines of plain words all at once; return False if they are not that simple."""
        if _UNUSUAL.search(body):
            return False
        split = str.split if self.word is _BLANK_SEPARATED else _split_at_commas
        numbered = [(number, line) for number, line in enumerate(lines, start=first) if line.strip()]
        try:
            rows = [split(line) for _, line in numbered]
        except FormatError:
            return False  # the careful way finds the line
        self.numbers += [number for number, _ in numbered]
        self.sizes += map(len, rows)
        words = chain.from_iterable(rows)
        self.members += map(_exact_label, words) if self.exact else words
        return True

    def _take_quoted(self, body: str, first: int) -> bool:
        """Take in lines of quoted strings all at once; return False if they are not that simple."""
        found = _all_quoted(body) if self.exact else None
        if found is None:
            return False
        words, between = found
        ends = [k for k, separator in enumerate(between, start=1) if separator == "\n"]
        sizes = [stop - start for start, stop in pairwise([0, *ends, len(words)])]
        self.members += words
        self.sizes += sizes
        self.numbers += range(first, first + len(sizes))
        return True

    def _take_each(self, lines: list[str], first: int) -> None:
        for number, line in enumerate(lines, start=first):
            try:
                self._take(line.strip(), number)
            except FormatError as error:
                raise FormatError(error.message, place=error.place or f"line {number}") from None
            except HypergraphError as error:
                raise FormatError(str(error), place=f"line {number}") from None

    def _take(self, line: str, number: int) -> None:
        if self.exact and line.startswith("#!"):
            self._directive(line, number)
        elif line and line[0] not in "#%":
            words = self._words(line)
            if words:
                self._hyperedge(words, number)
        elif not line and self.keep_blank:
            self._hyperedge([], number)

    def _hyperedge(self, words: list[Label], number: int) -> None:
        self.members += words
        self.sizes.append(len(words))
        self.numbers.append(number)

    def _directive(self, line: str, number: int) -> None:
        name, _, rest = line.removeprefix("#!").strip().partition(" ")
        if name == "hyperedge-list":
            if line != _HEADER or number != 1:
                raise FormatError(f"the first line, and no other, must be {_HEADER!r}")
        elif name == "empty" and not rest:
            self._hyperedge([], number)
        elif name == "nodes" and self.nodes is None:
            self.nodes = as_labels(self._listed(rest), "node")
        elif name == "edges" and self.edges is None:
            self.edges = as_labels(self._listed(rest), "hyperedge")
        else:
            raise FormatError(f"'#! {name}' is unknown, or stands here for the second time")

    def _listed(self, text: str) -> Iterable[Label]:
        found = _RANGE.match(text.strip())
        if not found:
            return self._words(text)
        last = int(found.group(1))
        if last >= MAX_RANGE:
            raise FormatError(f"the range {found.group(0)} has more than {MAX_RANGE:,} labels")
        return range(last + 1)

    def _words(self, line: str) -> list[Label]:
        """Split a line into its words, or into its labels in an exact list."""
        found = _all_quoted(line)
        if found is not None and self.exact:
            return list(found[0])
        if _CONTROL.search(line):
            return self._careful_words(line)
        if '"' not in line and "#" not in line:
            words = line.split() if self.word is _BLANK_SEPARATED else _split_at_commas(line)
            return list(map(_exact_label, words)) if self.exact else list(words)
        return self._careful_words(line)

    def _careful_words(self, line: str) -> list[Label]:
        words: list[Label] = []
        position = 0
        while position < len(line):
            found = self.word.match(line, position)
            if not found or found.end() == position:
                raise FormatError(f"the label at {line[position : position + 20]!r} is not complete")
            string, comment, plain = found.groups()
            if comment:
                break
            if string:
                self.any_quoted = True
                words.append(_unquote(string))
            else:
                words.append(_exact_label(_checked(plain)) if self.exact else _checked(plain))
            position = found.end()
            if self.word is _COMMA_SEPARATED and line.startswith(",", position):
                position += 1
                if not line[position:].strip():
                    raise FormatError("a comma is followed by no member")
        return words

    def hypergraph(self) -> Hypergraph:
        """Put the lines together."""
        labels = self._labels()
        nodes = as_labels(ordered_labels((), labels) if self.nodes is None else self.nodes)
        edges = range(len(self.sizes)) if self.edges is None else self.edges
        if len(edges) != len(self.sizes):
            raise FormatError(f"'#! edges' names {len(edges)} hyperedges and the file has {len(self.sizes)}")
        places = _find(labels, nodes)
        edge_ids = np.repeat(np.arange(len(self.sizes)), self.sizes)
        if -1 in places:
            k = places.index(-1)
            raise FormatError(
                f"the hyperedge names the node {labels[k]!r}, which '#! nodes' does not list",
                place=f"line {self.numbers[edge_ids[k]]}",
            )
        return Hypergraph.from_indices(np.array(places, dtype=np.int64), edge_ids, nodes=nodes, edges=edges)

    def _labels(self) -> list[Label]:
        if self.exact or self.any_quoted:
            return self.members
        words = cast("list[str]", self.members)  # nothing else is taken in until here
        try:
            return labels_from_text(words)
        except NotAnIdError as error:
            k = words.index(error.text)
            line = self.numbers[int(np.searchsorted(np.cumsum(self.sizes), k, side="right"))]
            raise FormatError(str(error), place=f"line {line}") from None


def _find(labels: list[Label], nodes: Labels) -> list[int]:
    """Look up the place of each label among the nodes; -1 where it is none of them."""
    if isinstance(nodes, range):
        return [label if isinstance(label, int) and label < len(nodes) else -1 for label in labels]
    index = label_index(nodes)
    return [index.get(label, -1) for label in labels]


def _exact_label(word: str) -> Label:
    """Read an unquoted word: an integer if it is written as one."""
    return int(word) if word[0] in "0123456789" and is_integer_text(word) else word


def _all_quoted(text: str) -> tuple[list[str], list[str]] | None:
    """Split a text of nothing but quoted strings, with no escapes in them; None if it is another text.

    Returns the strings and what stands between them, a blank or a newline.
    """
    if text[:1] != '"' or "\\" in text:
        return None
    _, *parts = text.split('"')
    between = parts[1:-1:2]
    if len(parts) % 2 or parts[-1] not in ("", "\n") or set(between) - {" ", "\n"}:
        return None
    return parts[::2], between


def _has_comma(line: str) -> bool:
    """Tell whether a comma stands outside of quotes and comments."""
    line = line.strip()
    if "," not in line or line[0] in "#%":
        return False
    return '"' not in line or any(found.group() == "," for found in _QUOTED_COMMA.finditer(line))


def _split_at_commas(line: str) -> list[str]:
    words = [word.strip() for word in line.split(",")]
    if not all(words):
        raise FormatError("a member is empty: two commas with nothing between, or one at an end")
    return words


def _checked(word: str) -> str:
    if _CONTROL.search(word):
        raise FormatError("the line holds control characters; is this a text file?")
    if '"' in word:
        raise FormatError(f"the label {word[:40]!r} has a quotation mark inside; quote the whole label")
    return word


def _unquote(string: str) -> str:
    try:
        return str(json.loads(string, strict=False))
    except ValueError:
        raise FormatError(f"{string[:40]} is not a JSON string") from None


# -- writing -----------------------------------------------------------------------------------------


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
    if integers is not None and H.sizes.all():
        return header + _digits(integers[H.indices], H.indptr)
    if integers is not None:
        words = list(map(str, H.nodes))
    members = [words[i] for i in H.indices.tolist()]
    lines = [" ".join(members[start:stop]) or _EMPTY for start, stop in pairwise(H.indptr.tolist())]
    return header + "".join([line + "\n" for line in lines]).encode()


def _integer_labels(labels: Labels) -> NDArray[np.int64] | None:
    if isinstance(labels, range) or set(map(type, labels)) == {int}:
        return np.array(labels, dtype=np.int64)
    return None


def _header_lines(H: Hypergraph, words: list[str]) -> list[str]:
    """Return the comment lines that a plain list needs to come back as the same hypergraph.

    ``words`` are the nodes' labels as they are written, or none if all of them are integers.
    """
    lines = [] if _comes_back_in_order(H) else [f"#! nodes {_listing(H.nodes, words)}"]
    if not isinstance(H.edges, range):
        lines.append(f"#! edges {_listing(H.edges, [])}")
    if lines or not H.sizes.all() or (words and not _are_plain_strings(H.nodes, words)):
        lines.insert(0, _HEADER)
    return [line.rstrip() + "\n" for line in lines]


def _comes_back_in_order(H: Hypergraph) -> bool:
    """Tell whether the nodes, taken from the hyperedges alone, would be these, in this order."""
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
    """Tell whether all labels are strings that a plain list gives back as they are."""
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
    """Write labels as words. If any string would read as something else, all strings are quoted."""
    strings = [label for label in labels if isinstance(label, str)]
    together = "\0".join(strings)
    if not _NEEDS_QUOTES.search(together) and not any(map(_reads_as_number, strings)):
        return list(map(str, labels))
    if _NEEDS_ESCAPES.search(together):
        return [_ENCODE(label).decode() for label in labels]
    return [f'"{label}"' if isinstance(label, str) else str(label) for label in labels]


def _reads_as_number(label: str) -> bool:
    return label[0] in "0123456789" and (is_integer_text(label) or _RANGE.match(label) is not None)


def _digits(values: NDArray[np.int64], indptr: NDArray[np.int64]) -> bytes:
    """Write non-negative integers in decimal, blanks between and a newline at each line's end."""
    if not len(values):
        return b""
    width = len(str(int(values.max())))
    text = np.empty((len(values), width + 1), dtype=np.uint8)
    rest = values
    for column in range(width - 1, -1, -1):
        rest, text[:, column] = np.divmod(rest, 10)
    shown = np.empty(text.shape, dtype=bool)
    shown[:, :width] = values[:, None] >= 10 ** np.arange(width - 1, -1, -1)
    shown[:, width - 1 :] = True
    text += ord("0")
    text[:, width] = ord(" ")
    text[indptr[1:] - 1, width] = ord("\n")
    return text[shown].tobytes()
