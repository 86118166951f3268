"""What can go wrong, each as one sentence that says where and what to do.

Every error of this package is a :class:`HyperhedgeError`, so ``except hh.HyperhedgeError`` catches
what the package refuses and nothing that is a bug.
"""

from __future__ import annotations

import os
from typing import Any

__all__ = [
    "FormatError",
    "HypergraphError",
    "HyperhedgeError",
    "LossWarning",
    "MissingDependencyError",
]


class HyperhedgeError(Exception):
    """The base of every error that this package raises on purpose."""


class HypergraphError(HyperhedgeError, ValueError):
    """The given labels, hyperedges or matrix do not describe a hypergraph."""


class FormatError(HyperhedgeError, ValueError):
    """A file, or what was read from it, is not what its format says.

    Parameters
    ----------
    message
        What is wrong and what to do about it.
    path
        The file.
    place
        Where in the file: a line (``"line 3"``), a JSON path or the name of an array.

    Examples
    --------
    >>> print(FormatError("the member is empty", path="a.txt", place="line 3"))
    a.txt, line 3: the member is empty
    """

    def __init__(self, message: str, *, path: str | os.PathLike[str] | None = None, place: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.path = None if path is None else os.fspath(path)
        self.place = place

    def __str__(self) -> str:
        where = ", ".join(part for part in (self.path, self.place) if part)
        return f"{where}: {self.message}" if where else self.message

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild_format_error, (self.message, self.path, self.place)

    def at(self, path: str | os.PathLike[str]) -> FormatError:
        """Return the same error with the file's name, if it has none yet."""
        return self if self.path else FormatError(self.message, path=path, place=self.place)


def _rebuild_format_error(message: str, path: str | None, place: str | None) -> FormatError:
    return FormatError(message, path=path, place=place)


class MissingDependencyError(HyperhedgeError, ImportError):
    """An optional library is needed and not installed."""


class LossWarning(UserWarning):
    """Something in the input has no place in a :class:`~hyperhedge.Hypergraph` and was left out."""
