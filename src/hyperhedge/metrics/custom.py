r"""Metrics from plain functions, for what the registry does not measure.

*A function of one hypergraph*, ``f(H)``, gives one number per hypergraph; the numbers of two collections are compared by their
Wasserstein distance :math:`W_1`. It is called once per hypergraph, and intervals and floors need no further calls.

*A function of two collections*, ``f(real, generated)``, takes two lists of hypergraphs and returns a distance. A row of weights is
a resampled list, in which hypergraphs are repeated or left out, so the function is called for the value, for each bootstrap
replicate and for each repeat of the floor: about 220 times with the defaults of :func:`hyperhedge.evaluate`.

Which of the two a function is follows from its number of required positional parameters. If it raises an error, or returns
anything but a finite number, the metric has no value, and the report says why.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.errors import HyperhedgeError, UndefinedError
from hyperhedge.metrics.distances import pooled_distance
from hyperhedge.metrics.metric import Metric, Settings
from hyperhedge.metrics.pooled import PooledValues, wasserstein
from hyperhedge.metrics.statistics import Statistics
from hyperhedge.typing import FloatArray

#: The group of metrics that are made from functions.
CUSTOM = "custom"


def as_metric(
    function: Callable[..., Any],
    name: str | None = None,
    *,
    group: str = CUSTOM,
    signed: bool = False,
    rate: float = 0.5,
) -> Metric:
    """Make a metric from a function, ``f(H)`` or ``f(real, generated)``.

    Parameters
    ----------
    function
        A function of one hypergraph that returns a number, or a function of two lists of hypergraphs that returns a distance.
        The first line of its docstring becomes the definition.
    name
        The metric's key; by default the function's name. A lambda has none.
    group
        The group in which the metric counts towards the score.
    signed
        Whether a distance ``f(real, generated)`` may be negative.
    rate
        How a distance shrinks with the number of hypergraphs, see :class:`Metric`; it matters only if floor and value are measured
        at different counts.

    Examples
    --------
    >>> def mean_degree(H):
    ...     '''Mean number of hyperedges per node.'''
    ...     return H.degrees.mean()
    >>> metric = as_metric(mean_degree)
    >>> metric.title, metric.definition
    ('Mean degree', 'Mean number of hyperedges per node. Compared by the Wasserstein distance of its values.')
    >>> metric([Hypergraph([[0, 1], [1]])], [Hypergraph([[0, 1], [0, 1]])])
    0.5
    """
    key = name or _name_of(function)
    if not key:
        raise HyperhedgeError("a lambda has no name; give name=, or {name: function} in a list of metrics")
    of_one = _number_of_arguments(function, key) == 1
    doc = _first_sentence(function)
    values = _values(function, key) if of_one else None
    if values is not None:
        definition = f"{doc or f'{key}(H).'} Compared by the Wasserstein distance of its values."
        compare = pooled_distance(wasserstein, lambda statistics, _: PooledValues.one_each(values(statistics)))
    else:
        definition, compare = doc or f"{key}(real, generated).", _distance(function, key, signed=signed)
    title = key if name else key[:1].upper() + key[1:].replace("_", " ")
    symbol = "W₁" if of_one else ""
    return Metric(
        key, title, symbol, group, definition, "a function", compare, signed and not of_one, rate=rate, values=values
    )


def _unwrapped(function: Any) -> Any:
    return _unwrapped(function.func) if isinstance(function, functools.partial) else function


def _name_of(function: Any) -> str:
    function = _unwrapped(function)
    name = getattr(function, "__name__", type(function).__name__)
    return "" if name == "<lambda>" else str(name)


def _first_sentence(function: Any) -> str:
    """Return the first line of a docstring, with a full stop; nothing without a docstring."""
    lines = (inspect.getdoc(_unwrapped(function)) or "").splitlines()
    return lines[0].rstrip(".") + "." if lines and lines[0] else ""


def _number_of_arguments(function: Any, name: str) -> int:
    """Return 1 or 2, the number of required positional parameters; anything else is an error."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        raise HyperhedgeError(
            f"the metric {name!r} is {function!r}, whose parameters are not known; {_WANTED}"
        ) from None
    variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    required = [p for p in signature.parameters.values() if p.default is p.empty and p.kind not in variable]
    if len(required) not in (1, 2) or any(p.kind is p.KEYWORD_ONLY for p in required):
        raise HyperhedgeError(f"the metric {name!r} takes {signature}; {_WANTED}")
    return len(required)


_WANTED = "give a function of one hypergraph, f(H), or of two lists of hypergraphs, f(real, generated)"


def _values(function: Callable[[Hypergraph], Any], name: str) -> Callable[[Statistics], FloatArray]:
    """Return the function that computes the numbers of a collection, once as long as the metric lives."""
    kept: WeakKeyDictionary[Statistics, FloatArray] = WeakKeyDictionary()

    def values(statistics: Statistics) -> FloatArray:
        if statistics not in kept:
            kept[statistics] = np.array([_called(function, name, H) for H in statistics.hypergraphs])
        return kept[statistics]

    return values


def _distance(
    function: Callable[[list[Hypergraph], list[Hypergraph]], Any], name: str, *, signed: bool
) -> Callable[[Statistics, Statistics, FloatArray, FloatArray, Settings], FloatArray]:
    def distance(real: Statistics, other: Statistics, real_weights: FloatArray, other_weights: FloatArray) -> float:
        number = _called(function, name, _resampled(real, real_weights), _resampled(other, other_weights))
        if number < 0 and not signed:
            raise UndefinedError(
                f"{name} returned {number:.3g}, but a distance is not negative; return its absolute value, "
                "or give as_metric(function, signed=True)"
            )
        return number

    def compare(
        real: Statistics, other: Statistics, real_weights: FloatArray, other_weights: FloatArray, _: Settings
    ) -> FloatArray:
        numbers = [distance(real, other, real_weights[0], other_weights[0])]
        for w, v in zip(real_weights[1:], other_weights[1:], strict=True):
            try:
                numbers.append(distance(real, other, w, v))
            except UndefinedError:  # a replicate that has no value is left out of the interval
                numbers.append(float("nan"))
        return np.array(numbers)

    return compare


def _resampled(statistics: Statistics, weights: FloatArray) -> list[Hypergraph]:
    pairs = zip(statistics.hypergraphs, weights.astype(int).tolist(), strict=True)
    return [H for H, times in pairs for _ in range(times)]


def _called(function: Callable[..., Any], name: str, *arguments: Any) -> float:
    """Call a metric's function, and turn what goes wrong into one sentence."""
    on = repr(arguments[0]) if len(arguments) == 1 else f"{' and '.join(str(len(a)) for a in arguments)} hypergraphs"
    try:
        result = function(*arguments)
    except UndefinedError:
        raise
    except Exception as error:
        raise UndefinedError(f"{name} raised {type(error).__name__} on {on}: {error}") from error
    try:
        number = float("nan") if isinstance(result, str | bytes) or np.ndim(result) else float(result)
    except (TypeError, ValueError):
        number = float("nan")
    if not math.isfinite(number):
        raise UndefinedError(f"{name} returned {result!r:.60} on {on}; it should return a finite number")
    return number
