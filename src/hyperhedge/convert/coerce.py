"""Arguments that are hypergraphs, in whichever library's type.

The type is recognised by the name and the module of its classes, so nothing is imported to look at an object:
whoever has an object of XGI has already imported XGI.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, cast

import numpy as np
import scipy.sparse as sp

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.errors import HypergraphError

Converter = Callable[[Any], Hypergraph]

# The module here that converts a class, by the class's package and name. Classes that no module converts are listed where
# its error says why. The modules import this one, so they are imported when they are used.
_LIBRARIES = {
    ("hypergraphx", "BaseHypergraph"): "hypergraphx",
    ("hypernetx", "Hypergraph"): "hypernetx",
    ("networkx", "Graph"): "networkx",
    ("pandas", "DataFrame"): "pandas",
    ("torch_geometric", "HyperGraphData"): "pyg",
    ("xgi", "DiHypergraph"): "xgi",
    ("xgi", "Hypergraph"): "xgi",
}

_ACCEPTED = (
    "a Hypergraph, a hypergraph of XGI, HyperNetX, hypergraphx or PyTorch Geometric, a bipartite networkx graph, "
    "an incidence matrix (numpy or scipy.sparse) or a pandas table of incidences"
)


def as_hypergraph(value: Any, name: str = "H") -> Hypergraph:
    """Return a hypergraph as a :class:`~hyperhedge.Hypergraph`, whichever library it comes from.

    Parameters
    ----------
    value
        A :class:`~hyperhedge.Hypergraph` (returned as it is); a hypergraph of XGI, HyperNetX, hypergraphx or
        PyTorch Geometric; a bipartite networkx graph; an incidence matrix, nodes × hyperedges, as a numpy array or
        a scipy sparse matrix; or a pandas table with the columns ``node`` and ``edge``.
    name
        What the caller calls the value, for error messages.

    Raises
    ------
    HypergraphError
        If the value is of another type, or is not a hypergraph.

    Examples
    --------
    >>> import numpy as np
    >>> as_hypergraph(np.array([[1, 0], [1, 1]])).hyperedges
    ((0, 1), (1,))
    >>> as_hypergraph({"x": ["a", "b"]}, "training[0]")
    Traceback (most recent call last):
        ...
    hyperhedge.errors.HypergraphError: training[0] is a dict; give a Hypergraph, ...
    """
    if isinstance(value, Hypergraph):
        return value
    convert = _converter(value)
    if convert is None:
        raise HypergraphError(f"{name} is {_type_name(value)}; give {_ACCEPTED}")
    try:
        return convert(value)
    except HypergraphError as error:
        raise HypergraphError(f"{name}: {error}") from None


def as_hypergraphs(values: Any, name: str) -> list[Hypergraph]:
    """Return a list of hypergraphs, each as :func:`as_hypergraph` does; the list may be empty.

    Examples
    --------
    >>> as_hypergraphs(Hypergraph([[0, 1]]), "training")
    Traceback (most recent call last):
        ...
    hyperhedge.errors.HypergraphError: training is a single hypergraph; give a list of them, such as [H]
    """
    return list(iter_hypergraphs(values, name))


def iter_hypergraphs(values: Any, name: str) -> Iterator[Hypergraph]:
    """Go through hypergraphs as :func:`as_hypergraphs` does, one at a time."""
    if is_single(values):
        raise HypergraphError(f"{name} is a single hypergraph; give a list of them, such as [H]")
    try:
        iterator = iter(values)
    except TypeError:
        raise HypergraphError(f"{name} is {_type_name(values)}; give a list of hypergraphs") from None
    for k, value in enumerate(iterator):
        yield as_hypergraph(value, f"{name}[{k}]")


def is_single(value: Any) -> bool:
    """Return whether a value is one hypergraph, of any library, and not a collection.

    Examples
    --------
    >>> is_single(Hypergraph([[0, 1]])), is_single([Hypergraph([[0, 1]])]), is_single(np.ones((2, 3)))
    (True, False, True)
    """
    is_stack = isinstance(value, np.ndarray) and value.ndim != 2
    return isinstance(value, Hypergraph) or (_converter(value) is not None and not is_stack)


def _converter(value: Any) -> Converter | None:
    """Return the function that converts a value, or None if there is none for its type."""
    if isinstance(value, np.ndarray) or sp.issparse(value):
        return Hypergraph.from_incidence
    keys = ((cls.__module__.partition(".")[0], cls.__name__) for cls in type(value).__mro__)
    library = next((_LIBRARIES[key] for key in keys if key in _LIBRARIES), None)
    if library is None:
        return None
    return cast("Converter", getattr(import_module(f"hyperhedge.convert.{library}"), f"from_{library}"))


def _type_name(value: Any) -> str:
    """Name a type by module and class, with its article; a built-in type by its class alone."""
    cls = type(value)
    name = cls.__qualname__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__qualname__}"
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"
