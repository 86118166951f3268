r"""What is computed of one whole hypergraph: distributions, numbers, motifs. The measures compare these, and nothing else.

With hyperedges :math:`e, f`, sizes :math:`k_e = |e|`, degrees :math:`d_v`, :math:`E_v` the hyperedges of a node (its *egonet*),
:math:`d_{uv}` and :math:`d_{uvw}` the numbers of hyperedges that hold two and three given nodes:

======================  =====================================================================================================
distribution            over
======================  =====================================================================================================
degrees                 :math:`d_v` of all nodes
edge sizes              :math:`k_e` of all hyperedges
pair degrees            :math:`d_{uv}` of the pairs of nodes that share a hyperedge
triple degrees          :math:`d_{uvw}` of the triples of nodes that share a hyperedge
intersections           :math:`|e \cap f|` of the pairs of hyperedges that share a node
homogeneity             :math:`\binom{k_e}{2}^{-1} \sum_{\{u,v\} \subseteq e} d_{uv}` of hyperedges of at least two nodes
egonet density          :math:`|E_v| \,/\, |\bigcup E_v|` of nodes with a hyperedge
egonet overlapness      :math:`\sum_{e \in E_v} |e| \,/\, |\bigcup E_v|` of the same
clustering              the local clustering coefficient of nodes with two neighbours or more, in the projection
component sizes         nodes in each component that has a hyperedge
path lengths            distances in the projection between some nodes and all that they reach
singular values         the 50 largest of the incidence matrix
======================  =====================================================================================================

(Egonets and homogeneity: G. Lee, M. Choe and K. Shin, *How do hyperedges overlap in real-world hypergraphs?*, WWW 2021.)

Everything takes a pass through the incidences or a few (:mod:`hyperhedge.metrics.whole.walks`), and the result is small: it is sent
between processes in place of a hypergraph.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import eigsh

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.metrics.disjoint_union import DisjointUnion
from hyperhedge.metrics.pooled import PooledValues
from hyperhedge.metrics.sampled_motifs import MotifEstimate, estimate_motifs
from hyperhedge.metrics.whole.walks import (
    MOST_STEPS,
    Overlaps,
    Projection,
    Sides,
    effective_diameter,
    egonets,
    overlaps,
    path_lengths,
    triple_degrees,
)
from hyperhedge.typing import FloatArray, IntArray

SINGULAR_VALUES = 50
"""How many singular values are compared."""

SOURCES = 400
"""From how many nodes paths are measured, at most."""

_DENSE = 1500  # the largest Gram matrix that is decomposed as a dense one
_MOST_LINKS = 100_000_000  # of the projection, listed from both ends: 400 MB
_EMPTY = PooledValues(np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0), 1)


@dataclass(frozen=True)
class WholeStatistics:
    """The statistics of one hypergraph.

    Attributes
    ----------
    n, m, incidences
        The numbers of nodes, hyperedges and incidences.
    distributions
        Values and how often each occurs, by name.
    singular_values
        The largest ones, descending; fewer if the matrix has fewer.
    component_shares
        The shares of all nodes that are in the components with a hyperedge, descending.
    numbers
        Single numbers, by name; NaN where one is not defined.
    motifs
        The h-motifs.
    sampled
        What was estimated from a sample, and how large that is.
    """

    n: int
    m: int
    incidences: int
    distributions: dict[str, PooledValues]
    singular_values: FloatArray
    component_shares: FloatArray
    numbers: dict[str, float]
    motifs: MotifEstimate
    sampled: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, H: Hypergraph, seed: int = 0, most_steps: int = MOST_STEPS) -> WholeStatistics:
        """Compute the statistics of a hypergraph.

        Parameters
        ----------
        H
            The hypergraph.
        seed
            The seed of what is sampled.
        most_steps
            The most steps of each pass; what would take more is sampled.

        Examples
        --------
        >>> statistics = WholeStatistics.of(Hypergraph([[0, 1, 2], [1, 2, 3], [4, 5]], nodes=7))
        >>> statistics.distributions["intersections"].value, statistics.distributions["pair degrees"].count
        (array([2.]), array([5., 1.]))
        >>> statistics.numbers["components"], statistics.component_shares.round(3).tolist()
        (2.0, [0.571, 0.286])
        """
        pass_rng, path_rng, motif_rng = np.random.default_rng(seed).spawn(3)
        sides = Sides.of(H)
        across, between = overlaps(sides, pass_rng, most_steps), overlaps(sides.dual, pass_rng, most_steps)
        sampled: dict[str, str] = {}
        if not across.exact:
            sampled["overlaps"] = f"{len(across.walked):,} of {H.m:,} hyperedges against all"
        if not between.exact:
            sampled["pairs of nodes"] = f"{len(between.walked):,} of {H.n:,} nodes against all"
        distributions = {
            "degrees": _counted(H.degrees),
            "edge sizes": _counted(H.edge_sizes),
            "pair degrees": _of_histogram(between.pairs),
            "triple degrees": _triples(sides, sampled),
            "intersections": _of_histogram(across.pairs),
            "homogeneity": _pooled(_homogeneity(sides, across)),
            **_egonet_distributions(sides),
            "clustering": _pooled(_clustering(sides, between, pass_rng, most_steps, sampled)),
        }
        paths, exact_paths = _paths(sides, path_rng, most_steps)
        if not exact_paths:
            sampled["path lengths"] = f"from {SOURCES:,} nodes at most"
        distributions["path lengths"] = PooledValues(
            np.zeros(len(paths), dtype=np.int64), np.arange(1.0, len(paths) + 1), paths, 1
        )
        sizes = component_sizes(H)
        distributions["component sizes"] = _counted(sizes)
        motifs = estimate_motifs(H, most_steps=most_steps, seed=motif_rng)
        if motifs.samples is not None:
            sampled["h-motifs"] = f"{motifs.samples:,} overlapping pairs"
        return cls(
            n=H.n,
            m=H.m,
            incidences=H.num_incidences,
            distributions=distributions,
            singular_values=singular_values(H),
            component_shares=np.sort(sizes)[::-1] / max(H.n, 1),
            numbers={
                "isolated": float((H.degrees == 0).mean()) if H.n else np.nan,
                "components": float(len(sizes)),
                "largest component": float(sizes.max(initial=0) / H.n) if H.n else np.nan,
                "diameter": effective_diameter(paths),
                "transitivity": motifs.transitivity,
                "overlap tail": _share(float(across.pairs[2:].sum()), float(across.pairs.sum())),
                "nested": float(across.nested.mean()) if H.m else np.nan,
                "repeated": float(across.repeated.mean()) if H.m else np.nan,
                "mean clustering": _mean(distributions["clustering"]),
            },
            motifs=motifs,
            sampled=sampled,
        )


def _share(part: float, whole: float) -> float:
    return part / whole if whole else float("nan")


def _mean(pool: PooledValues) -> float:
    return _share(float(pool.count @ pool.value), float(pool.count.sum()))


def _counted(values: IntArray) -> PooledValues:
    """Count equal whole numbers."""
    return _of_histogram(np.bincount(values.astype(np.int64)).astype(float)) if len(values) else _EMPTY


def _of_histogram(counts: FloatArray) -> PooledValues:
    present = np.flatnonzero(counts)
    return PooledValues(np.zeros(len(present), dtype=np.int64), present.astype(float), counts[present], 1)


def _pooled(values: FloatArray) -> PooledValues:
    """Count equal numbers."""
    distinct, counts = np.unique(values, return_counts=True)
    return PooledValues(np.zeros(len(distinct), dtype=np.int64), distinct, counts.astype(float), 1)


def _triples(sides: Sides, sampled: dict[str, str]) -> PooledValues:
    """Return the triple degrees; none if there are too many triples."""
    result = triple_degrees(sides)
    if result is None:
        sampled["triple degrees"] = "left out: there are too many triples of nodes"
        return _EMPTY
    degrees, exact = result
    if not exact:
        sampled["triple degrees"] = f"{len(degrees):,} triples"
    return _counted(degrees)


def _homogeneity(sides: Sides, across: Overlaps) -> FloatArray:
    sizes = sides.sizes[across.walked]
    large = sizes > 1
    means: FloatArray = across.meetings[large] / (sizes[large] * (sizes[large] - 1) / 2)
    return means


def _egonet_distributions(sides: Sides) -> dict[str, PooledValues]:
    union, total = egonets(sides)
    some = union > 0
    density, overlapness = sides.degrees[some] / union[some], total[some] / union[some]
    return {"egonet density": _pooled(density), "egonet overlapness": _pooled(overlapness)}


def _clustering(
    sides: Sides, between: Overlaps, rng: np.random.Generator, most_steps: int, sampled: dict[str, str]
) -> FloatArray:
    """Return the local clustering coefficients of nodes with two neighbours or more; none if there are too many links."""
    if not between.exact or between.neighbours.sum() > _MOST_LINKS:
        sampled["clustering"] = "left out: the projection has too many links"
        return np.zeros(0)
    graph = Projection.of(sides, between.neighbours)
    nodes, coefficients = graph.clustering(rng, most_steps)
    if len(nodes) < sides.n:
        sampled["clustering"] = f"{len(nodes):,} of {sides.n:,} nodes"
    return coefficients[graph.degrees[nodes] > 1]


def _paths(sides: Sides, rng: np.random.Generator, most_steps: int) -> tuple[FloatArray, bool]:
    """Return how many pairs are 1, 2, … apart, and whether these are all pairs."""
    nodes = np.flatnonzero(sides.degrees)
    count = min(SOURCES, max(8, most_steps // max(2 * len(sides.members), 1)))
    exact = len(nodes) <= count
    return path_lengths(sides, nodes if exact else rng.choice(nodes, count, replace=False)), exact


def component_sizes(H: Hypergraph) -> IntArray:
    """Return the number of nodes in each component that has a hyperedge with members."""
    node_labels, _ = DisjointUnion.of([H]).components
    sizes: IntArray = np.bincount(node_labels[H.degrees > 0])
    return sizes[sizes > 0]


def singular_values(H: Hypergraph, count: int = SINGULAR_VALUES) -> FloatArray:
    """Return the largest singular values of the incidence matrix, descending; fewer if it has fewer.

    Examples
    --------
    >>> singular_values(Hypergraph([[0, 1], [0, 1], [2]])).round(6).tolist()
    [2.0, 1.0]
    """
    B = sp.csr_array(H.incidence.astype(float))
    whole = min(B.shape) <= max(_DENSE, 4 * count)
    squares = np.sort(_squares(B, count) if whole else _squares_by_component(H, B, count))[::-1][:count]
    values: FloatArray = np.sqrt(np.maximum(squares, 0.0))
    return values[values > 1e-6 * max(values[0], 1e-300)] if len(values) else values


def _squares(B: sp.csr_array, count: int) -> FloatArray:
    """Return the largest eigenvalues of the smaller Gram matrix of a matrix: ``count``, or all."""
    gram = sp.csr_array(B @ B.T if B.shape[0] <= B.shape[1] else B.T @ B)
    side = gram.shape[0]
    if side <= max(_DENSE, 4 * count):
        return np.linalg.eigvalsh(gram.toarray())
    # A random start: an even one is orthogonal to whatever is odd.
    start = np.random.default_rng(0).random(side)
    return eigsh(gram, k=count, which="LA", tol=1e-6, v0=start, return_eigenvectors=False)


def _squares_by_component(H: Hypergraph, B: sp.csr_array, count: int) -> FloatArray:
    """Return the same of a large matrix: of its large components together, and of small ones one by one.

    Lanczos steps may end before they have found all of the values that many equal components share. Small components come by a
    bound of their values, the largest first, until the rest cannot matter.
    """
    nodes, edges = DisjointUnion.of([H]).components
    number = int(max(nodes.max(), edges.max())) + 1
    n, m = (np.bincount(labels, minlength=number) for labels in (nodes, edges))
    sides = np.minimum(n, m)
    large = sides > 4 * count
    squares = _squares(sp.csr_array(B[large[nodes]][:, large[edges]]), count) if large.any() else np.zeros(0)
    bounds = np.zeros(number)
    np.maximum.at(bounds, nodes, B @ H.edge_sizes)  # the row sums of B Bᵀ
    rows, columns = (np.argsort(labels, kind="stable") for labels in (nodes, edges))
    row_ends, column_ends = np.cumsum(n), np.cumsum(m)
    small = np.flatnonzero((sides > 0) & ~large)
    for c in small[np.argsort(-bounds[small], kind="stable")]:
        squares = np.sort(squares)[::-1][:count]
        if len(squares) == count and bounds[c] <= squares[-1] * (1 + 1e-9):
            break
        own_rows, own_columns = rows[row_ends[c] - n[c] : row_ends[c]], columns[column_ends[c] - m[c] : column_ends[c]]
        squares = np.append(squares, _squares(sp.csr_array(B[own_rows][:, own_columns]), count))
    return squares
