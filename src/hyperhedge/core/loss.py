"""What is left out when something that holds more becomes a hypergraph: weights, times and attributes, counted.

Files and the objects of other libraries store records, mappings from a name to a value, for nodes, hyperedges and
incidences. Of a record, ``weight`` is a weight unless it is 1, which is what a hypergraph means anyway; the names in
:data:`TIMES` are times; and whatever else has a value makes it an attribute record.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from hyperhedge.core._repr import count
from hyperhedge.errors import DataLossWarning

TIMES = frozenset({"date", "datetime", "time", "times", "timestamp", "timestamps"})


@dataclass
class Loss:
    """The numbers of what is left out."""

    weights: int = 0
    times: int = 0
    attributes: int = 0

    def add_records(self, records: Iterable[Mapping[Any, Any]], *, kept: Collection[Any] = ()) -> Loss:
        """Count what records hold, apart from the names that are ``kept``; return the sum so far.

        Examples
        --------
        >>> Loss().add_records([{"weight": 2, "colour": "red"}, {"weight": 1}, {"time": 7}])
        Loss(weights=1, times=1, attributes=1)
        """
        for record in records:
            has_attributes = False
            for name, value in record.items():
                if name in kept or _is_missing(value):
                    continue
                if name == "weight":
                    self.weights += not is_one(value)
                elif name in TIMES:
                    self.times += 1
                else:
                    has_attributes = True
            self.attributes += has_attributes
        return self

    def warn(self, source: str | os.PathLike[str] | None = None) -> None:
        """Warn if anything was left out; ``source`` is the file, or what the object is called."""
        counts = ((self.weights, "weight"), (self.times, "time"), (self.attributes, "attribute record"))
        dropped = [count(number, noun) for number, noun in counts if number]
        if dropped:
            *others, last = dropped
            listed = f"{', '.join(others)} and {last}" if others else last
            place = "" if source is None else f"{os.fspath(source)}: "
            message = f"{place}dropped {listed}, which a Hypergraph does not store"
            warnings.warn(message, DataLossWarning, stacklevel=3)


def is_one(value: Any) -> bool:
    """Return whether a weight says nothing, because it is 1; also as text, and if there is none."""
    try:
        return value is None or float(value) == 1
    except (TypeError, ValueError, OverflowError):
        return False


def _is_missing(value: Any) -> bool:
    """Return whether a value says nothing: None, NaN, or an empty text or container."""
    if isinstance(value, float):
        return value != value  # NaN alone differs from itself
    return value is None or (isinstance(value, str | list | tuple | Mapping) and not value)
