r"""Labels: the names of nodes and of hyperedges.

A label is a non-empty string or a non-negative integer below :math:`2^{63}`, as in HIF, where
``1`` and ``"1"`` are two labels. The default labels ``0, 1, …`` are kept as a :class:`range`, which
costs nothing.

Two questions recur wherever hypergraphs are read, and are answered here once:

* *In which order do the nodes come?* Declared labels first, as declared; then the others, in
  ascending order if they are all integers and in order of first appearance otherwise
  (:func:`ordered_labels`).
* *Is* ``12`` *in a text file an integer or a string?* An integer if every label of its column is
  written as an integer is, without sign or leading zero (:func:`labels_from_text`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np

from hyperhedge.errors import HypergraphError

__all__ = [
    "Label",
    "Labels",
    "NotAnIdError",
    "as_labels",
    "is_integer_text",
    "label_index",
    "labels_from_text",
    "ordered_labels",
]

Label: TypeAlias = str | int
Labels: TypeAlias = tuple[Label, ...] | range

MAX_INTEGER = 2**63 - 1


class _Checked(tuple[Label, ...]):
    """Labels that :func:`as_labels` has checked: it does not check them again."""

    __slots__ = ()


MAX_LENGTH = 65_536

_INTEGER = re.compile(r"(?:0|[1-9][0-9]{0,18})\Z", re.ASCII)


def as_labels(labels: Iterable[Any], kind: str = "node") -> Labels:
    """Check labels and bring them into their one form.

    Parameters
    ----------
    labels
        Strings and integers, numpy's included; no label twice.
    kind
        What the labels name, for the error's sentence.

    Examples
    --------
    >>> as_labels(["a", 7])
    ('a', 7)
    >>> as_labels([0, 1, 2])
    range(0, 3)
    >>> as_labels(["a", "a"])
    Traceback (most recent call last):
        ...
    hyperhedge.errors.HypergraphError: the node label 'a' is given twice; ...
    """
    if isinstance(labels, _Checked) or (isinstance(labels, range) and labels.start == 0 and labels.step == 1):
        return labels
    if isinstance(labels, str):
        raise HypergraphError(f"{kind} labels must be a list of labels, not the string {labels!r}")
    given = tuple(labels)
    kinds = set(map(type, given))
    if not kinds <= {int, str}:
        given = tuple(_plain_label(label, kind) for label in given)
        kinds = set(map(type, given))
    if kinds <= {int} and given == tuple(range(len(given))):
        return range(len(given))
    integers, strings = _by_type(given, kinds)
    _check_integers(integers, kind)
    _check_strings(strings, kind)
    if len(set(given)) != len(given):
        twice = next(label for label, count in Counter(given).items() if count > 1)
        raise HypergraphError(f"the {kind} label {twice!r} is given twice; {kind} labels must be distinct")
    return _Checked(given)


def _by_type(labels: Sequence[Label], kinds: set[type]) -> tuple[Sequence[int], Sequence[str]]:
    """Separate integers from strings; where there is but one type, nothing is copied."""
    if len(kinds) > 1:
        return [k for k in labels if isinstance(k, int)], [k for k in labels if isinstance(k, str)]
    return (labels, ()) if kinds == {int} else ((), labels)  # type: ignore[return-value]  # as kinds says


def _plain_label(label: Any, kind: str) -> Label:
    """Turn numpy's scalars into Python's and refuse every other type."""
    if isinstance(label, str):
        return str(label)
    if isinstance(label, int | np.integer) and not isinstance(label, bool):
        return int(label)
    raise HypergraphError(
        f"the {kind} label {label!r} is a {type(label).__name__}; "
        "labels are strings or non-negative integers: relabel first"
    )


def _check_integers(labels: Collection[int], kind: str) -> None:
    if not labels:
        return
    if min(labels) < 0:
        raise HypergraphError(
            f"the {kind} id {min(labels)} is negative; ids count from 0 "
            f'(write it as the string "{min(labels)}" if it is a name)'
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
        bad = next(label for label in labels if not _is_encodable(label))
        raise HypergraphError(f"the {kind} label {bad!r} is not valid Unicode (a lone surrogate)") from None


def _is_encodable(label: str) -> bool:
    try:
        label.encode()
    except UnicodeEncodeError:
        return False
    return True


def ordered_labels(declared: Iterable[Label], seen: Iterable[Label]) -> list[Label]:
    """Return every label once: the declared ones as declared, then the others that were seen.

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
    others = list(dict.fromkeys(seen)) if not first else _others(first, seen)
    if set(map(type, others)) == {int}:
        others.sort()
    return [*first, *others]


def _others(first: dict[Label, None], seen: Iterable[Label]) -> list[Label]:
    """List what was seen and is not among the first, in order of appearance."""
    new = set(seen := list(seen)) - first.keys()
    return [label for label in dict.fromkeys(seen) if label in new] if new else []


def label_index(labels: Sequence[Label]) -> dict[Label, int]:
    """Map each label to its place."""
    return dict(zip(labels, range(len(labels)), strict=True))


def is_integer_text(text: str) -> bool:
    """Tell whether a text is an integer label as this package writes it.

    Examples
    --------
    >>> [is_integer_text(text) for text in ("0", "12", "007", "-1", "1.0", "x")]
    [True, True, False, False, False, False]
    """
    return _INTEGER.match(text) is not None and int(text) <= MAX_INTEGER


def labels_from_text(texts: Sequence[str]) -> list[Label]:
    """Read a column of labels: integers if all of them are written so, strings otherwise.

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
    hyperhedge.labels.NotAnIdError: the number -1 is not an id; ...
    """
    distinct = dict.fromkeys(texts)
    if all(map(is_integer_text, distinct)):
        return list(map(int, texts))
    if all(map(_is_number, distinct)):
        bad = next((text for text in distinct if not text.isdecimal()), None)
        if bad is not None:
            raise NotAnIdError(bad)
    return list(texts)


class NotAnIdError(HypergraphError):
    """Among ids stands a number that is none; ``text`` is the number as it is written."""

    def __init__(self, text: str) -> None:
        super().__init__(
            f"the number {text} is not an id; ids are whole numbers from 0 "
            "(quote it, or declare the labels as strings, if it is a name)"
        )
        self.text = text


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
