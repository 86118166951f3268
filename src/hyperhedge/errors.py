"""Errors and warnings, each one sentence that says where the problem is and what to do.

Every error that this package raises on purpose is a :class:`HyperhedgeError`, so ``except hh.errors.HyperhedgeError``
catches what the package refuses and no bug.
"""

from __future__ import annotations

import math
import os
from typing import Any

__all__ = [
    "DataError",
    "DataLossWarning",
    "DataWarning",
    "FormatError",
    "GeneratorError",
    "HypergraphError",
    "HyperhedgeError",
    "MemoryLimitError",
    "MissingDependencyError",
    "PlotError",
    "ScheduleError",
    "TrainingError",
    "TrainingWarning",
    "UndefinedError",
    "WorkerDiedError",
]


class HyperhedgeError(Exception):
    """The base class of every error that this package raises on purpose."""


class HypergraphError(HyperhedgeError, ValueError):
    """The labels, hyperedges, matrix or object do not describe a hypergraph."""


class FormatError(HyperhedgeError, ValueError):
    r"""The contents of a file do not follow its format.

    Parameters
    ----------
    message
        What is wrong and what to do about it.
    path
        The file.
    where
        The position in the file: a line (``"line 3"``), a JSON path or the name of an array.

    Examples
    --------
    >>> print(FormatError("the member is empty", path="a.txt", where="line 3"))
    a.txt, line 3: the member is empty
    >>> print(FormatError("there is no member 'two\nlines'"))
    there is no member 'two\nlines'
    >>> len(FormatError("there is no member " + "x" * 10**6).message)
    1000
    """

    def __init__(self, message: str, *, path: str | os.PathLike[str] | None = None, where: str | None = None) -> None:
        # The contents of a file may be quoted, and they may have any length and any lines.
        self.message = shortened(message.replace("\n", "\\n"), most=1000)
        super().__init__(self.message)
        self.path = None if path is None else os.fspath(path)
        self.where = where

    def __str__(self) -> str:
        location = ", ".join(filter(None, (self.path, self.where)))
        return f"{location}: {self.message}" if location else self.message

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild_format_error, (self.message, self.path, self.where)

    def at(self, path: str | os.PathLike[str]) -> FormatError:
        """Return the same error with the file's name, unless it has one already."""
        return self if self.path else FormatError(self.message, path=path, where=self.where)


def _rebuild_format_error(message: str, path: str | None, where: str | None) -> FormatError:
    return FormatError(message, path=path, where=where)


class ScheduleError(HyperhedgeError, ValueError):
    """A noise schedule or a parameter of the diffusion process is out of range."""


class UndefinedError(HyperhedgeError, ValueError):
    """A metric has no value for these hypergraphs; a report leaves it out and says why."""


class TrainingError(HyperhedgeError, ValueError):
    """Training cannot go on: a bad setting, a checkpoint of another model, a full disk, a loss that stays infinite."""


class GeneratorError(HyperhedgeError, ValueError):
    """A generator cannot do what was asked: a bad option, a bad training set, sampling before fitting."""


class DataError(HyperhedgeError):
    """The files of a dataset cannot be obtained, or are not what they should be."""


class PlotError(HyperhedgeError, ValueError):
    """A plot or an animation cannot be made as asked."""


class MemoryLimitError(HyperhedgeError, MemoryError):
    """A job would need more memory than there is, or than it may take; it was refused before it began."""


class WorkerDiedError(HyperhedgeError):
    """The process that ran a task died, twice."""


class MissingDependencyError(HyperhedgeError, ImportError):
    """An optional library is needed and not installed."""


class DataLossWarning(UserWarning):
    """Something in the input cannot be stored in a :class:`~hyperhedge.Hypergraph` and was dropped."""


class DataWarning(UserWarning):
    """Sampled hypergraphs differ from the observed one, or the sets of a split from each other, more than one would expect."""


class TrainingWarning(UserWarning):
    """Training went on after an event that may affect its result."""


def shown(value: Any) -> str:
    """Return a value as an error shows it, which also has room for a text of a million characters or a number of as many digits.

    Examples
    --------
    >>> shown(-1), shown(10**5000), shown("a" * 1000)[-4:]
    ('-1', 'a number with 5,001 digits', 'aaa…')
    """
    if isinstance(value, int) and abs(value) >= 10**40:
        return f"a number with {math.floor(math.log10(abs(value))) + 1:,} digits"
    return shortened(repr(value), most=100)


def shortened(text: str, *, most: int = 300) -> str:
    """Cut a text that is too long for an error.

    Examples
    --------
    >>> shortened("a" * 1000, most=5)
    'aaaa…'
    """
    return text if len(text) <= most else f"{text[: most - 1]}…"
