"""The main counts of a hypergraph: sizes, degrees, components and overlaps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.typing import IntArray

MAX_PAIRS = 50_000_000


@dataclass(frozen=True)
class Spread:
    """The minimum, mean and maximum of some numbers; zeros if there are none."""

    min: int
    mean: float
    max: int

    @classmethod
    def of(cls, values: IntArray) -> Spread:
        """Summarise an array."""
        if not len(values):
            return cls(0, 0.0, 0)
        return cls(int(values.min()), float(values.mean()), int(values.max()))


@dataclass(frozen=True)
class Summary:
    """Counts and spreads of one hypergraph.

    ``repeated_hyperedges`` counts the hyperedges equal to an earlier one; ``components`` the connected components,
    where each isolated node and each empty hyperedge is one; ``overlapping_pairs`` the pairs of hyperedges that share
    a node (None, as is ``largest_overlap``, where nodes of huge degree would make counting them too expensive).
    """

    nodes: int
    hyperedges: int
    incidences: int
    density: float
    degree: Spread
    edge_size: Spread
    isolated_nodes: int
    empty_hyperedges: int
    repeated_hyperedges: int
    components: int
    overlapping_pairs: int | None
    largest_overlap: int | None


def summarise(H: Hypergraph) -> Summary:
    """Summarise a hypergraph.

    Examples
    --------
    >>> s = summarise(Hypergraph([[0, 1, 2], [1, 2], [2, 1]], nodes=4))
    >>> s.isolated_nodes, s.repeated_hyperedges, s.components, s.overlapping_pairs, s.largest_overlap
    (1, 1, 2, 3, 2)
    """
    overlapping, largest = _overlaps(H)
    return Summary(
        nodes=H.n,
        hyperedges=H.m,
        incidences=H.num_incidences,
        density=H.density,
        degree=Spread.of(H.degrees),
        edge_size=Spread.of(H.edge_sizes),
        isolated_nodes=int((H.degrees == 0).sum()),
        empty_hyperedges=int((H.edge_sizes == 0).sum()),
        repeated_hyperedges=H.m - len(_distinct(H)),
        components=_components(H),
        overlapping_pairs=overlapping,
        largest_overlap=largest,
    )


def _distinct(H: Hypergraph) -> set[bytes]:
    return {members.tobytes() for members in np.split(H.indices, H.indptr[1:-1])} if H.m else set()


def _components(H: Hypergraph) -> int:
    if not (H.n and H.m):
        return H.n + H.m
    incidence: Any = H.incidence
    bipartite = sp.block_array([[None, incidence], [incidence.T, None]])
    return int(connected_components(bipartite, directed=False)[0])


def _overlaps(H: Hypergraph) -> tuple[int | None, int | None]:
    degrees = H.degrees
    if int((degrees * (degrees - 1)).sum()) > 2 * MAX_PAIRS:
        return None, None
    shared = H.overlaps
    return shared.nnz // 2, int(shared.data.max(initial=0))
