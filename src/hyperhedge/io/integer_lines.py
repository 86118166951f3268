"""Text lines of non-negative integers, read and written as arrays of characters.

Hyperedge lists of integers are the common case; no Python object is created per number.
"""

from __future__ import annotations

import numpy as np

from hyperhedge.typing import IntArray


def parse_integer_lines(data: bytes) -> tuple[IntArray, IntArray] | None:
    r"""Return the integers of a text of digits and white space, and how many are on each line that has any.

    None if one of them has a leading zero or more than 18 digits, which might not fit 63 bits.

    Examples
    --------
    >>> parse_integer_lines(b"10 7\n\n3")
    (array([10,  7,  3]), array([2, 1]))
    """
    characters = np.frombuffer(data + b"\n", dtype=np.uint8)
    is_digit = np.concatenate(([False], characters >= ord("0")))
    starts = np.flatnonzero(is_digit[1:] & ~is_digit[:-1])
    ends = np.flatnonzero(is_digit[:-1] & ~is_digit[1:])
    lengths = ends - starts
    if ((characters[starts] == ord("0")) & (lengths > 1)).any() or (lengths > 18).any():
        return None
    newlines = np.flatnonzero(characters == ord("\n"))
    counts = np.diff(np.searchsorted(starts, newlines), prepend=0)
    values = np.fromstring(data, dtype=np.int64, sep=" ") if len(starts) else starts
    return values, counts[counts > 0]


def format_integer_lines(values: IntArray, indptr: IntArray) -> bytes:
    r"""Write non-negative integers in decimal; line ``k`` has ``values[indptr[k]:indptr[k + 1]]``, never none.

    Examples
    --------
    >>> format_integer_lines(np.array([10, 7, 3]), np.array([0, 2, 3]))
    b'10 7\n3\n'
    """
    if not len(values):
        return b""
    width = len(str(int(values.max())))
    text = np.empty((len(values), width + 1), dtype=np.uint8)  # each number padded with zeros, and a separator
    remaining = values
    for column in range(width - 1, -1, -1):
        remaining, text[:, column] = np.divmod(remaining, 10)
    text += ord("0")
    text[:, width] = ord(" ")
    text[indptr[1:] - 1, width] = ord("\n")
    shown = np.empty(text.shape, dtype=bool)  # without the padding
    shown[:, :width] = values[:, None] >= 10 ** np.arange(width - 1, -1, -1)
    shown[:, width - 1 :] = True
    return text[shown].tobytes()
