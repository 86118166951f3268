r"""Labels: the names of nodes and of hyperedges.

A label is a non-empty string or a non-negative integer below :math:`2^{63}`, as in HIF, where
``1`` and ``"1"`` are two labels. The default labels ``0, 1, …`` are kept as a :class:`range`, which
takes no memory.

Two questions recur wherever hypergraphs are read, and are answered here once:

* *In which order do the nodes come?* Declared labels first, as declared; then the others, in
  ascending order if they are all integers and in order of first appearance otherwise
  (:func:`ordered_labels`).
* *Is* ``12`` *in a text file an integer or a string?* An integer if every label of its column is
  written as an integer, without sign or leading zero (:func:`labels_from_text`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np

from hyperhedge.errors import HypergraphError

Label: TypeAlias = str | int
Labels: TypeAlias = tuple[Label, ...] | range

MAX_INTEGER = 2**63 - 1
MAX_LENGTH = 65_536

_JOINERS = "\u200c\u200d"  # which make one sign of several, as in emoji

_INTEGER = re.compile(r"(?:0|[1-9][0-9]{0,18})\Z", re.ASCII)


class _Checked(tuple[Label, ...]):
    """Labels that :func:`as_labels` has checked and need not check again."""

    __slots__ = ()


def as_labels(labels: Iterable[Any], kind: str = "node") -> Labels:
    """Check labels and return them as a tuple, or as a range if they are ``0, 1, …``.

    Parameters
    ----------
    labels
        Distinct strings and integers, including those of numpy.
    kind
        What the labels name, for error messages.

    Examples
    --------
    >>> as_labels(["a", 7])
    ('a', 7)
    >>> as_labels([0, 1, 2])
    range(0, 3)
    >>> as_labels(["a", "a"])
    Traceback (most recent call last):
        ...
    hyperhedge.errors.HypergraphError: the node label 'a' occurs twice; ...
    """
    if isinstance(labels, _Checked) or (isinstance(labels, range) and labels.start == 0 and labels.step == 1):
        return labels
    if isinstance(labels, str):
        raise HypergraphError(f"{kind} labels must be a list of labels, not the string {labels!r}")
    plain: tuple[Label, ...] = tuple(labels)
    types = set(map(type, plain))
    if not types <= {int, str}:
        plain = tuple(_plain_label(label, kind) for label in plain)
        types = set(map(type, plain))
    if types <= {int} and plain == tuple(range(len(plain))):
        return range(len(plain))
    integers, strings = _by_type(plain, types)
    _check_integers(integers, kind)
    _check_strings(strings, kind)
    if len(set(plain)) != len(plain):
        twice = next(label for label, count in Counter(plain).items() if count > 1)
        raise HypergraphError(f"the {kind} label {twice!r} occurs twice; {kind} labels must be distinct")
    return _Checked(plain)


def _by_type(labels: Sequence[Label], types: set[type]) -> tuple[Sequence[int], Sequence[str]]:
    """Separate integers from strings; where all have the same type, nothing is copied."""
    if len(types) > 1:
        return [k for k in labels if isinstance(k, int)], [k for k in labels if isinstance(k, str)]
    return (labels, ()) if types == {int} else ((), labels)  # type: ignore[return-value]  # as types says


def _plain_label(label: Any, kind: str) -> Label:
    """Turn numpy's scalars into Python's and refuse every other type."""
    if isinstance(label, str):
        return str(label)
    if isinstance(label, int | np.integer) and not isinstance(label, bool):
        return int(label)
    raise wrong_type(label, kind)


def wrong_type(label: Any, kind: str) -> HypergraphError:
    """Return the error for a label that is neither a string nor an integer."""
    return HypergraphError(
        f"the {kind} label {label!r} is a {type(label).__name__}; use strings or non-negative integers as labels"
    )


def _check_integers(labels: Collection[int], kind: str) -> None:
    if not labels:
        return
    if min(labels) < 0:
        raise HypergraphError(
            f"the {kind} id {min(labels)} is negative; ids count from 0 "
            f'(if it is a name, write it as the string "{min(labels)}")'
        )
    if max(labels) > MAX_INTEGER:
        raise HypergraphError(f"the {kind} id {str(max(labels))[:40]} does not fit 63 bits; write it as a string")


def _check_strings(labels: Collection[str], kind: str) -> None:
    if not labels:
        return
    joined = "".join(labels)
    if "" in labels:
        raise HypergraphError(f"a {kind} label is the empty string; give every {kind} a name")
    if "\0" in joined:
        raise HypergraphError(f"a {kind} label contains a NUL character; remove it")
    if len(joined) > MAX_LENGTH and max(map(len, labels)) > MAX_LENGTH:
        raise HypergraphError(f"a {kind} label is longer than {MAX_LENGTH:,} characters")
    try:
        joined.encode()
    except UnicodeEncodeError:
        invalid = next(label for label in labels if not _is_encodable(label))
        raise HypergraphError(f"the {kind} label {invalid!r} is not valid Unicode (a lone surrogate)") from None


def _is_encodable(label: str) -> bool:
    try:
        label.encode()
    except UnicodeEncodeError:
        return False
    return True


def ordered_labels(declared: Iterable[Label], seen: Iterable[Label]) -> list[Label]:
    """Return every label once: the declared ones in their order, then the others that were seen.

    Examples
    --------
    >>> ordered_labels([], [3, 1, 3, 2])
    [1, 2, 3]
    >>> ordered_labels([], ["b", "a", "b"])
    ['b', 'a']
    >>> ordered_labels(["z"], ["b", "z", "a"])
    ['z', 'b', 'a']
    """
    first = dict.fromkeys(declared)
    distinct = dict.fromkeys(seen)
    others = [label for label in distinct if label not in first] if first else list(distinct)
    if set(map(type, others)) == {int}:
        others.sort()
    return [*first, *others]


def printable(text: str) -> str:
    r"""Replace the characters that cannot be shown by their escapes: controls, line ends and lone surrogates.

    A terminal would obey them, and XML, so SVG, does not allow them. Spaces and all that has a shape stay.

    Examples
    --------
    >>> print(printable("a\x1b[31m red\n"))
    a\x1b[31m red\n
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in _JOINERS else c.encode("unicode_escape").decode() for c in text)


def label_index(labels: Sequence[Label]) -> dict[Label, int]:
    """Map each label to its position."""
    return dict(zip(labels, range(len(labels)), strict=True))


def is_integer_text(text: str) -> bool:
    """Return whether a text is an integer label, without sign or leading zero.

    Examples
    --------
    >>> [is_integer_text(text) for text in ("0", "12", "007", "-1", "1.0", "x")]
    [True, True, False, False, False, False]
    """
    return _INTEGER.match(text) is not None and int(text) <= MAX_INTEGER


def labels_from_text(texts: Sequence[str]) -> list[Label]:
    """Read a column of labels: as integers if all of them are written as integers, else as strings.

    A column of numbers that are not all ids (a sign, a fraction, NaN) is refused rather than read
    as strings: it is far more often a mistake than a naming scheme.

    Examples
    --------
    >>> labels_from_text(["1", "2"])
    [1, 2]
    >>> labels_from_text(["1", "2b"])
    ['1', '2b']
    >>> labels_from_text(["1", "-1"])
    Traceback (most recent call last):
        ...
    hyperhedge.core.labels.NotAnIdError: the number -1 is not an id; ...
    """
    distinct = dict.fromkeys(texts)
    if all(map(is_integer_text, distinct)):
        return list(map(int, texts))
    if all(map(_is_number, distinct)):
        not_an_id = next((text for text in distinct if not text.isdecimal()), None)
        if not_an_id is not None:
            raise NotAnIdError(not_an_id)
    return list(texts)


class NotAnIdError(HypergraphError):
    """A column of ids contains another number, written as ``text``; readers turn this into a ``FormatError``."""

    def __init__(self, text: str) -> None:
        super().__init__(
            f"the number {text} is not an id; ids are whole numbers from 0 "
            "(if it is a name, quote it or declare the labels as strings)"
        )
        self.text = text


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
