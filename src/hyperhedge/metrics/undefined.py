"""What a metric says when it has no value for what it was given."""

from __future__ import annotations

from hyperhedge.errors import HyperhedgeError

__all__ = ["UndefinedError"]


class UndefinedError(HyperhedgeError, ValueError):
    """A metric has no value for these hypergraphs; the report leaves it out and says why."""
