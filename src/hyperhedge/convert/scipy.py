"""SciPy: the sparse incidence matrix, nodes × hyperedges, with its labels as two lists."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import scipy.sparse as sp

from hyperhedge.convert.coerce import as_hypergraph
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.core.labels import Label, Labels


def to_scipy(H: Any) -> tuple[sp.csr_array, Labels, Labels]:
    """Return the incidence matrix, the labels of its rows and those of its columns.

    Examples
    --------
    >>> matrix, nodes, edges = to_scipy(Hypergraph({"x": ["a", "b"], "y": ["b"]}))
    >>> matrix.toarray().tolist(), nodes, edges
    ([[1, 0], [1, 1]], ('a', 'b'), ('x', 'y'))
    """
    H = as_hypergraph(H)
    return H.incidence, H.nodes, H.edges


def from_scipy(matrix: Any, nodes: Iterable[Label] | None = None, edges: Iterable[Label] | None = None) -> Hypergraph:
    """Convert an incidence matrix of zeros and ones; the labels default to 0, 1, ….

    Examples
    --------
    >>> H = Hypergraph({"x": ["a", "b"], "y": ["b"]})
    >>> from_scipy(*to_scipy(H)) == H
    True
    """
    return Hypergraph.from_incidence(matrix, nodes=nodes, edges=edges)
