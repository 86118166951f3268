"""pandas: a table with a row per incidence and two categorical columns, ``node`` and ``edge``.

The categories are all labels in order, those of isolated nodes and empty hyperedges included; a row has no
way to name them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hyperhedge.convert.optional import require
from hyperhedge.errors import HypergraphError
from hyperhedge.hypergraph import Hypergraph
from hyperhedge.labels import Labels, as_labels, label_index, ordered_labels

__all__ = ["from_pandas", "to_pandas"]


def to_pandas(H: Hypergraph) -> Any:
    """Convert to a :class:`pandas.DataFrame`."""
    pd = require("pandas", "pandas")
    return pd.DataFrame(
        {
            "node": pd.Categorical.from_codes(H.indices, categories=_categories(pd, H.nodes)),
            "edge": pd.Categorical.from_codes(H.edge_indices, categories=_categories(pd, H.edges)),
        }
    )


def _categories(pd: Any, labels: Labels) -> Any:
    return pd.Index(list(labels), dtype=None if isinstance(labels, range) else object)


def from_pandas(frame: Any, *, node: str = "node", edge: str = "edge") -> Hypergraph:
    """Convert a table with a column of nodes and a column of hyperedges.

    A categorical column gives all its categories, in order. A row in which one of the two is missing
    declares the other: an isolated node or an empty hyperedge.
    """
    require("pandas", "pandas")
    for name in (node, edge):
        if name not in frame.columns:
            raise HypergraphError(f"the table has no column {name!r}, but {list(frame.columns)}")
    node_ids, nodes = _codes(frame[node], frame[edge].isna(), "node")
    edge_ids, edges = _codes(frame[edge], frame[node].isna(), "hyperedge")
    whole = (node_ids >= 0) & (edge_ids >= 0)
    return Hypergraph.from_indices(node_ids[whole], edge_ids[whole], nodes=nodes, edges=edges)


def _codes(column: Any, alone: Any, kind: str) -> tuple[Any, Labels]:
    """Turn the labels of a column into positions; -1 where one is missing."""
    if hasattr(column, "cat"):
        return column.cat.codes.to_numpy().astype(np.int64), as_labels(column.cat.categories, kind)
    missing = column.isna().to_numpy()
    values = [as_labels([label], kind)[0] for label in column[~missing]]
    declared = [label for label, is_alone in zip(values, alone[~missing], strict=True) if is_alone]
    labels = as_labels(ordered_labels(declared, values), kind)
    index = label_index(labels)
    codes = np.full(len(column), -1, dtype=np.int64)
    codes[~missing] = [index[label] for label in values]
    return codes, labels
