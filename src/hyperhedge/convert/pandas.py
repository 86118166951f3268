"""pandas: a table with a row per incidence and two categorical columns, ``node`` and ``edge``.

The categories are all labels in order, including those of isolated nodes and empty hyperedges, which occur in
no row.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hyperhedge._system.optional import require
from hyperhedge.convert.coerce import as_hypergraph
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.core.labels import Labels, as_labels, label_index, ordered_labels
from hyperhedge.core.loss import Loss
from hyperhedge.errors import HypergraphError
from hyperhedge.typing import IntArray


def to_pandas(H: Any) -> Any:
    """Convert to a :class:`pandas.DataFrame`."""
    H = as_hypergraph(H)
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

    All categories of a categorical column become labels, in order. A row in which one of the two is missing
    declares the other: an isolated node or an empty hyperedge. Other columns are dropped, with a warning that counts the
    weights, the times and the rows with further values.
    """
    require("pandas", "pandas")
    for name in (node, edge):
        if name not in frame.columns:
            raise HypergraphError(f"the table has no column {name!r}; its columns are {list(frame.columns)}")
    node_ids, nodes = _codes(frame[node], frame[edge].isna(), "node")
    edge_ids, edges = _codes(frame[edge], frame[node].isna(), "hyperedge")
    complete = (node_ids >= 0) & (edge_ids >= 0)
    H = Hypergraph.from_indices(node_ids[complete], edge_ids[complete], nodes=nodes, edges=edges)
    others = [name for name in frame.columns if name not in (node, edge)]
    if others:
        Loss().add_records(frame[others].to_dict("records")).warn()
    return H


def _codes(column: Any, other_missing: Any, kind: str) -> tuple[IntArray, Labels]:
    """Return the position of each label of a column, -1 where one is missing, and the labels.

    Labels that stand alone in a row, where the other column is missing, come first.
    """
    if hasattr(column, "cat"):
        return column.cat.codes.to_numpy().astype(np.int64), as_labels(column.cat.categories, kind)
    missing = column.isna().to_numpy()
    values = [as_labels([label], kind)[0] for label in column[~missing]]
    declared = [label for label, is_alone in zip(values, other_missing[~missing], strict=True) if is_alone]
    labels = as_labels(ordered_labels(declared, values), kind)
    index = label_index(labels)
    codes = np.full(len(column), -1, dtype=np.int64)
    codes[~missing] = [index[label] for label in values]
    return codes, labels
