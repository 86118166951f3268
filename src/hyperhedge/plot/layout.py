r"""Where to put nodes and hyperedges: stress, packing and alignment.

*Stress.* In the bipartite graph a node is joined to the hyperedges that it is in; the line to a hyperedge :math:`e` has the length
:math:`\ell_e = 0.42 \sqrt{|e|}`, so that a disc about it has room for its members. With the shortest paths :math:`d_{ij}` positions minimise

.. math:: \sigma(X) = \sum_{i<j} d_{ij}^{-2}\, (\|X_i - X_j\| - d_{ij})^2,

the energy of Kamada and Kawai (1989), by majorisation (Gansner, Koren and North, 2004): each step solves
:math:`L_w X' = L_Z X` with the weighted Laplacian :math:`L_w`, factored once, and never increases :math:`\sigma`. The start is classical scaling, with
a little seeded noise, since twins would lie on one point. Everything is computed in the canonical order (:mod:`~hyperhedge.plot.order`): a shuffled
hypergraph has the same picture.

*Components* are laid out one by one and packed as discs, the largest in the middle and each next one where it is nearest to
the middle. Isolated nodes and empty hyperedges stand in rows below.

*Alignment.* The picture may be turned and mirrored as a whole. It lies along its longer side; or, to be like another, nodes are matched
by their places in the order of the incidence matrix, and the orthogonal matrix nearest to carrying one onto the other is applied (Procrustes).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve, orthogonal_procrustes
from scipy.sparse.csgraph import shortest_path

from hyperhedge.checks import IntArray
from hyperhedge.hypergraph import Hypergraph
from hyperhedge.plot.order import canonical_order, components, incidence_order
from hyperhedge.plot.theme import DrawingError

__all__ = ["Layout", "force_layout", "given_layout", "stress"]

FloatArray: TypeAlias = NDArray[np.float64]

LENGTH = 0.42
MOST_VERTICES = 2000
_STEPS, _TOLERANCE = 300, 1e-5
_GAP = 0.9  # between components, and between the vertices of a row


@dataclass(frozen=True)
class Layout:
    """Positions of nodes ``(n, 2)`` and of hyperedges ``(m, 2)``."""

    nodes: FloatArray
    edges: FloatArray


def force_layout(H: Hypergraph, *, seed: int = 0, like: tuple[Hypergraph, Layout] | None = None) -> Layout:
    """Lay out a hypergraph by the stress of its bipartite graph.

    Parameters
    ----------
    H
        The hypergraph, of at most 2,000 nodes and hyperedges together.
    seed
        Seeds the noise that parts twins.
    like
        Another hypergraph and its layout, to which this one is turned.

    Examples
    --------
    >>> H = Hypergraph([["a", "b", "c"], ["c", "d"]])
    >>> H_again = H.permute(nodes=[2, 0, 3, 1])
    >>> first, second = force_layout(H), force_layout(H_again)
    >>> bool(np.allclose(first.nodes[H.nodes.index("d")], second.nodes[H_again.nodes.index("d")]))
    True
    """
    if H.n + H.m > MOST_VERTICES:
        raise DrawingError(
            f"the hypergraph has {H.n:,} nodes and {H.m:,} hyperedges, and at most {MOST_VERTICES:,} together can be laid out; "
            "draw a subhypergraph, or style='incidence'"
        )
    rows, columns = canonical_order(H)
    G = H.permute(nodes=rows, edges=columns)
    node_alone, edge_alone = G.degrees == 0, G.sizes == 0
    core = _core(G, np.random.default_rng(seed))
    linked = ~np.concatenate([node_alone, edge_alone])
    core[linked] -= (core[linked].max(0) + core[linked].min(0)) / 2 if linked.any() else 0.0
    positions = np.empty_like(core)
    positions[np.concatenate([rows, H.n + columns])] = core
    turned = _turned(H, positions, like)
    alone = np.flatnonzero(np.concatenate([H.degrees == 0, H.sizes == 0]))
    turned[alone] = _rows(turned[np.setdiff1d(np.arange(len(turned)), alone)], len(alone))
    return Layout(turned[: H.n], turned[H.n :])


def given_layout(H: Hypergraph, pos: Mapping[Any, Any] | FloatArray) -> Layout:
    """Take positions of nodes as XGI and NetworkX give them: by label, or as an array; hyperedges are at their members' means."""
    if isinstance(pos, Mapping):
        missing = [label for label in H.nodes if label not in pos]
        if missing:
            raise DrawingError(f"pos= has no position for the node {missing[0]!r}")
        pos = np.array([pos[label] for label in H.nodes], dtype=np.float64).reshape(-1, 2)
    nodes = np.asarray(pos, dtype=np.float64)
    if nodes.shape != (H.n, 2) or not np.isfinite(nodes).all():
        raise DrawingError(f"pos= must give {H.n} finite pairs of coordinates, one for each node")
    counts = np.maximum(H.sizes, 1)[:, None]
    return Layout(nodes, (H.incidence.T @ nodes) / counts)


# -- stress ------------------------------------------------------------------------------------------


def _core(G: Hypergraph, rng: np.random.Generator) -> FloatArray:
    """Lay out the components with incidences, and pack them; other vertices stay at the origin."""
    positions = np.zeros((G.n + G.m, 2))
    parts = np.concatenate(components(G))
    sizes = np.bincount(parts)
    groups = [np.flatnonzero(parts == part) for part in np.flatnonzero(sizes > 1)]
    groups.sort(key=len, reverse=True)  # stable: the rest is the canonical order
    distances = _distances(G)
    shapes = [_one_component(distances(group), rng) for group in groups]
    margins = LENGTH * _GAP + np.zeros(len(groups))
    radii = [float(np.linalg.norm(shape, axis=1).max()) for shape in shapes] + margins
    for group, shape, centre in zip(groups, shapes, pack_discs(radii), strict=True):
        positions[group] = shape + centre
    return positions


def _distances(G: Hypergraph) -> Any:
    """Return a function that gives the lengths of shortest paths within a component."""
    lengths = LENGTH * np.sqrt(G.sizes)[G.edge_indices]
    size = G.n + G.m
    graph = sp.coo_array((lengths, (G.indices, G.n + G.edge_indices)), shape=(size, size)).tocsr()
    return lambda group: shortest_path(graph[group][:, group], directed=False)


def _one_component(D: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Minimise the stress of a component; centred on the middle of its bounding circle's box, along its longer side."""
    X = minimise_stress(D, classical_scaling(D) + rng.normal(scale=0.05, size=(len(D), 2)))
    X = X - X.mean(0)
    _, _, axes = np.linalg.svd(X, full_matrices=False)
    X = X @ axes.T
    X = X * np.where((X**3).sum(0).round(9) < 0, -1.0, 1.0)
    middle: FloatArray = X - (X.max(0) + X.min(0)) / 2
    return middle


def classical_scaling(D: FloatArray) -> FloatArray:
    """Return the two leading coordinates of classical multidimensional scaling."""
    squares = D**2
    centred = squares - squares.mean(0) - squares.mean(1)[:, None] + squares.mean()
    values, vectors = np.linalg.eigh(-0.5 * centred)
    scaled: FloatArray = vectors[:, :-3:-1] * np.sqrt(np.maximum(values[:-3:-1], 0.0))
    return scaled


def stress(D: FloatArray, X: FloatArray) -> float:
    """Return the stress of positions."""
    found, wanted = _pairwise(X)[np.triu_indices(len(D), 1)], D[np.triu_indices(len(D), 1)]
    return float((((found - wanted) / wanted) ** 2).sum())


def minimise_stress(D: FloatArray, X: FloatArray) -> FloatArray:
    """Majorise the stress from a start, until it hardly decreases."""
    inverse = 1.0 / (D + np.eye(len(D)))
    np.fill_diagonal(inverse, 0.0)
    factor = cho_factor(_laplacian(inverse**2)[1:, 1:])
    before = stress(D, X)
    for _ in range(_STEPS):
        apart = _pairwise(X)
        pull = _laplacian(np.divide(inverse, apart, out=np.zeros_like(apart), where=apart > 1e-12))
        X = np.vstack([np.zeros(2), cho_solve(factor, (pull @ X)[1:])])
        after = stress(D, X)
        if before - after <= _TOLERANCE * before:
            break
        before = after
    return X


def _pairwise(X: FloatArray) -> FloatArray:
    apart: FloatArray = np.hypot(X[:, None, 0] - X[:, 0], X[:, None, 1] - X[:, 1])
    return apart


def _laplacian(weights: FloatArray) -> FloatArray:
    laplacian: FloatArray = np.diag(weights.sum(1)) - weights
    return laplacian


# -- packing and alignment -----------------------------------------------------------------------------


def pack_discs(radii: NDArray[np.float64] | list[float]) -> FloatArray:
    """Put discs side by side, each where it is nearest to the origin among the points of a grid; return their centres."""
    radii = np.asarray(radii, dtype=np.float64)
    centres = np.zeros((len(radii), 2))
    if len(radii) < 2:
        return centres
    reach = 2.2 * np.sqrt((radii**2).sum()) + radii.max()
    line = np.linspace(-reach, reach, 161)
    grid = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    grid = grid[np.argsort(np.hypot(*grid.T).round(9), kind="stable")]
    room = np.full(len(grid), np.inf)
    for k, radius in enumerate(radii):
        centres[k] = grid[int(np.argmax(room >= radius))]
        room = np.minimum(room, np.hypot(*(grid - centres[k]).T) - radius)
    return centres


def _turned(H: Hypergraph, positions: FloatArray, like: tuple[Hypergraph, Layout] | None) -> FloatArray:
    """Turn and mirror positions to be like another layout, if one is given."""
    if like is None or not (H.n and like[0].n):
        return positions
    mine, theirs = matched(H, like[0])
    target = like[1].nodes[theirs]
    rotation, _ = orthogonal_procrustes(positions[mine], target - target.mean(0))
    turned: FloatArray = positions @ rotation
    return turned


def matched(first: Hypergraph, second: Hypergraph) -> tuple[IntArray, IntArray]:
    """Match nodes of two hypergraphs by their relative places in the orders of their incidence matrices; both have some."""
    count = max(first.n, second.n)
    shares = (np.arange(count) + 0.5) / count
    mine, theirs = (incidence_order(H)[0][(shares * H.n).astype(np.int64)] for H in (first, second))
    return mine, theirs


def _rows(core: FloatArray, count: int) -> FloatArray:
    """Return places in rows below what is there."""
    width = max(float(np.ptp(core[:, 0])), 8.0) if len(core) else max(3.0, np.sqrt(count) * _GAP)
    bottom = float(core[:, 1].min()) - 2 * _GAP if len(core) else 0.0
    per_row = max(1, min(count, int(width / _GAP) + 1))
    places = np.arange(count)
    x = (places % per_row - (per_row - 1) / 2) * _GAP
    return np.stack([x, bottom - places // per_row * _GAP], axis=1)
