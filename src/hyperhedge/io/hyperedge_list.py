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
from collections.abc import Iterable, Sequence
from typing import Literal

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

_HEADER = "#! hyperedge-list 1"
_EMPTY = "#! empty"
MAX_RANGE = 2**31

_PLAIN_WORD = re.compile(r'[^\s,#"%\x00-\x1f\x7f][^\s,"\x00-\x1f\x7f]*\Z')
_RANGE = re.compile(r"0\.\.(0|[1-9][0-9]{0,18})\Z")
_STRING = r'"(?:[^"\\]|\\.)*"'
_BLANK_SEPARATED = re.compile(rf'\s*(?:({_STRING})(?=\s|\Z)|(#.*)|([^\s"][^\s]*))\s*')
_COMMA_SEPARATED = re.compile(rf'\s*(?:({_STRING})\s*(?=,|\Z|#)|(#.*)|([^,"][^,]*?)\s*(?=,|\Z|\s\#))')
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
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
        return simple or _Lines(decode_text(data, path), keep_blank=keep_blank).hypergraph()
    except FormatError as error:
        raise error.at(path) from None
    except HypergraphError as error:
        raise FormatError(str(error), path=path) from None


_LEADING_DIRECTIVES = re.compile(rb"(?:#![^\n]*\n)*")
_NOT_INTEGERS = re.compile(
    rb"[^0-9, \t\n]"  # another character
    rb"|(?:\A|[, \t\n])0[0-9]|[0-9]{19}"  # a leading zero; more digits than surely fit
    rb"|,[ \t]*,|(?:\A|\n)[ \t]*,|,[ \t]*(?:\n|\Z)"  # a comma without a member before or after
)


def _read_integers(data: bytes, path: PathLike) -> Hypergraph | None:
    """Read a list of integers with array operations; None if it is not that simple."""
    found = _LEADING_DIRECTIVES.match(data)
    start = found.end() if found else 0
    if _NOT_INTEGERS.search(data, start):
        return None
    header = _Lines(decode_text(data[:start], path))
    if header.sizes or (start and not header.exact):
        return None
    members, sizes = _integer_lines(data[start:].replace(b",", b" "))
    if header.nodes is None:
        ids, places = np.unique(members, return_inverse=True)
        nodes = as_labels(ids.tolist())
    elif isinstance(header.nodes, range) and (members < len(header.nodes)).all():
        nodes, places = header.nodes, members
    else:
        return None
    edges = range(len(sizes)) if header.edges is None else header.edges
    if len(edges) != len(sizes):
        return None
    return Hypergraph.from_indices(places, np.repeat(np.arange(len(sizes)), sizes), nodes=nodes, edges=edges)


def _integer_lines(data: bytes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the integers of a text, and how many stand on each line that has any."""
    members = np.array(data.split(), dtype=np.int64)
    characters = np.frombuffer(data + b"\n", dtype=np.uint8)
    digit = characters >= ord("0")
    words = np.cumsum(digit[:-1] & ~digit[1:])  # a word ends where a digit is followed by none
    newlines = np.flatnonzero(characters == ord("\n"))
    sizes = np.diff(np.concatenate(([0], words))[newlines], prepend=0)
    return members, sizes[sizes > 0]


class _Lines:
    """The lines of a hyperedge list, taken in one after the other."""

    def __init__(self, text: str, *, keep_blank: bool = False) -> None:
        self.keep_blank = keep_blank
        self.exact = text.startswith(_HEADER.rstrip(" 1"))
        self.nodes: Labels | None = None
        self.edges: Labels | None = None
        self.members: list[str] = []  # of all hyperedges, one after the other
        self.quoted: list[bool] = []
        self.sizes: list[int] = []
        self.numbers: list[int] = []  # the line of each hyperedge
        self.word = _BLANK_SEPARATED
        lines = text.removesuffix("\n").split("\n") if text else []
        if not self.exact and any(_has_comma(line) for line in lines):
            self.word = _COMMA_SEPARATED
        for number, line in enumerate(lines, start=1):
            try:
                self._take(line, number)
            except FormatError as error:
                raise FormatError(error.message, place=error.place or f"line {number}") from None
            except HypergraphError as error:
                raise FormatError(str(error), place=f"line {number}") from None

    def _take(self, line: str, number: int) -> None:
        line = line.strip()
        if self.exact and line.startswith("#!"):
            self._directive(line, number)
        elif line and line[0] not in "#%":
            words = self._words(line)
            if words:
                self._hyperedge(words, number)
        elif not line and self.keep_blank:
            self._hyperedge([], number)

    def _hyperedge(self, words: list[tuple[str, bool]], number: int) -> None:
        self.members += [word for word, _ in words]
        self.quoted += [quoted for _, quoted in words]
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
            self.nodes = as_labels(self._labels(rest), "node")
        elif name == "edges" and self.edges is None:
            self.edges = as_labels(self._labels(rest), "hyperedge")
        else:
            raise FormatError(f"'#! {name}' is unknown, or stands here for the second time")

    def _labels(self, text: str) -> Iterable[Label]:
        found = _RANGE.match(text.strip())
        if not found:
            words = self._words(text)
            return _exact_labels([word for word, _ in words], [quoted for _, quoted in words])
        last = int(found.group(1))
        if last >= MAX_RANGE:
            raise FormatError(f"the range {found.group(0)} has more than {MAX_RANGE:,} labels")
        return range(last + 1)

    def _words(self, line: str) -> list[tuple[str, bool]]:
        """Split a line into its words, each with whether it was quoted."""
        if '"' not in line and "#" not in line and not _CONTROL.search(line):
            plain = line.split() if self.word is _BLANK_SEPARATED else _split_at_commas(line)
            return [(word, False) for word in plain]
        words, position = [], 0
        while position < len(line):
            found = self.word.match(line, position)
            if not found or found.end() == position:
                raise FormatError(f"the label at {line[position : position + 20]!r} is not complete")
            string, comment, plain_word = found.groups()
            if comment:
                break
            words.append((_unquote(string), True) if string else (_checked(plain_word), False))
            position = found.end()
            if self.word is _COMMA_SEPARATED and line.startswith(",", position):
                position += 1
                if not line[position:].strip():
                    raise FormatError("a comma is followed by no member")
        return words

    def hypergraph(self) -> Hypergraph:
        """Put the lines together."""
        labels = self._member_labels()
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

    def _member_labels(self) -> list[Label]:
        if self.exact:
            return _exact_labels(self.members, self.quoted)
        if any(self.quoted):
            return list(self.members)
        try:
            return labels_from_text(self.members)
        except NotAnIdError as error:
            k = self.members.index(error.text)
            line = self.numbers[int(np.searchsorted(np.cumsum(self.sizes), k, side="right"))]
            raise FormatError(str(error), place=f"line {line}") from None


def _find(labels: list[Label], nodes: Labels) -> list[int]:
    """Look up the place of each label among the nodes; -1 where it is none of them."""
    if isinstance(nodes, range):
        return [label if isinstance(label, int) and label < len(nodes) else -1 for label in labels]
    index = label_index(nodes)
    return [index.get(label, -1) for label in labels]


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


def _exact_labels(words: Sequence[str], quoted: Sequence[bool]) -> list[Label]:
    """Read labels one by one: an integer is an integer unless it is quoted."""
    return [
        int(word) if not is_string and is_integer_text(word) else word
        for word, is_string in zip(words, quoted, strict=True)
    ]


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
    header = _header_lines(H, plain_integers=integers is not None)
    empty = not H.sizes.all()
    if integers is not None and not empty:
        return "".join(header).encode() + _digits(integers[H.indices], H.indptr)
    words = np.array([_word(label) for label in H.nodes], dtype=object)[H.indices].tolist()
    bounds = H.indptr.tolist()
    lines = [" ".join(words[bounds[j] : bounds[j + 1]]) or _EMPTY for j in range(H.m)]
    return ("".join(header) + "".join([line + "\n" for line in lines])).encode()


def _integer_labels(labels: Labels) -> NDArray[np.int64] | None:
    if isinstance(labels, range) or set(map(type, labels)) == {int}:
        return np.array(labels, dtype=np.int64)
    return None


def _header_lines(H: Hypergraph, *, plain_integers: bool) -> list[str]:
    """Return the comment lines that a plain list needs to come back as the same hypergraph."""
    present = np.zeros(H.n, dtype=bool)
    present[H.indices] = True
    ordered = present.all() and _comes_back_in_order(H, plain_integers=plain_integers)
    lines = [] if ordered else [f"#! nodes {_listing(H.nodes)}"]
    if not isinstance(H.edges, range):
        lines.append(f"#! edges {_listing(H.edges)}")
    if lines or not H.sizes.all() or not (plain_integers or _all_plain_strings(H.nodes)):
        lines.insert(0, _HEADER)
    return [line.rstrip() + "\n" for line in lines]


def _comes_back_in_order(H: Hypergraph, *, plain_integers: bool) -> bool:
    if plain_integers:
        labels = np.array(H.nodes, dtype=np.int64)
        return bool((labels[1:] > labels[:-1]).all())
    return ordered_labels((), [H.nodes[i] for i in H.indices.tolist()]) == list(H.nodes)


def _all_plain_strings(labels: Labels) -> bool:
    """Tell whether all labels are strings that a plain list gives back as they are."""
    if not all(isinstance(label, str) and _word(label) == label for label in labels):
        return False
    try:
        return labels_from_text([str(label) for label in labels]) == list(labels)
    except NotAnIdError:
        return False


def _listing(labels: Labels) -> str:
    if isinstance(labels, range) and labels:
        return f"0..{len(labels) - 1}"
    return " ".join(_word(label) for label in labels)


def _word(label: Label) -> str:
    """Write a label so that it is one word; quoted if it would read as something else."""
    if isinstance(label, int):
        return str(label)
    if _PLAIN_WORD.match(label) and not is_integer_text(label) and not _RANGE.match(label):
        return label
    return msgspec.json.encode(label).decode()


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
