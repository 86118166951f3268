r"""Where to put nodes and hyperedges: stress, packing and alignment.

*Stress.* In the bipartite graph a node is joined to the hyperedges that it is in; the line to a hyperedge :math:`e`
has the length :math:`\ell_e = 0.42 \sqrt{|e|}`, so a disc about it has room for its members. With the shortest
paths :math:`d_{ij}`, positions minimise

.. math:: \sigma(X) = \sum_{i<j} d_{ij}^{-2}\, (\|X_i - X_j\| - d_{ij})^2,

the energy of Kamada and Kawai (1989), by majorisation (Gansner, Koren and North, 2004): each step solves :math:`L_w
X' = L_Z X` with the weighted Laplacian :math:`L_w`, factored once, and never increases :math:`\sigma`. The start is
classical scaling, with a little seeded noise, since twins would coincide. Everything is computed in the canonical order
(:mod:`~hyperhedge.plotting.order`): a shuffled hypergraph has the same picture.

*Intrusions*, nodes inside the hull of a hyperedge that they are not in, are removed where possible
(:mod:`~hyperhedge.plotting._overlap_removal`). A component that is one small hyperedge is a regular polygon.

*Components* are laid out one by one and packed, each as the discs about its hyperedges: the largest in the middle and
each next one as near to the middle as it fits. Isolated nodes and empty hyperedges stand in rows below.

*Alignment.* The picture may be turned and mirrored as a whole. It lies along its longer side; or, to resemble another,
nodes are matched by their positions in the order of the incidence matrix, and the orthogonal matrix that best carries
one onto the other is applied (Procrustes).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cho_factor, cho_solve, orthogonal_procrustes
from scipy.sparse.csgraph import shortest_path

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.errors import PlotError
from hyperhedge.plotting._overlap_removal import remove_intrusions
from hyperhedge.plotting.hulls import radii
from hyperhedge.plotting.order import MOST_VERTICES, canonical_order, components, incidence_order
from hyperhedge.typing import BoolArray, FloatArray, IntArray, Seed

LENGTH = 0.42  # per root of the edge size: each member has the area of a disc of four times its dot's radius
_STEPS, _TOLERANCE = 300, 1e-4  # of the majorisation: it stops when a step gains less than 0.01%
_NOISE = 0.05  # in the start: parts twins, and is small against the distances, which are at least 0.42
_POLYGON = 8  # members of a component of one hyperedge: a larger one is a crowded circle, so stress spreads it out
_GAP = 1.0  # between components, and between the vertices of a row: hulls, of radius 0.27, do not touch
_GRID = 161  # points per side of the packing grid; odd, so the origin is one of them
_LEAST_WIDTH = 8.0  # of rows of isolated vertices: narrower ones would make a tall column below a small component


@dataclass(frozen=True)
class Layout:
    """Positions of nodes ``(n, 2)`` and of hyperedges ``(m, 2)``."""

    nodes: FloatArray
    edges: FloatArray


def force_layout(
    H: Hypergraph,
    *,
    seed: Seed | None = 0,
    like: tuple[Hypergraph, Layout] | None = None,
    clear_hulls: bool = True,
) -> Layout:
    """Lay out a hypergraph by the stress of its bipartite graph.

    Parameters
    ----------
    H
        The hypergraph, of at most 2,000 nodes and hyperedges together.
    seed
        Seeds the noise that parts twins. The default gives the same picture every time, None a new one.
    like
        Another hypergraph and its layout, which this one is turned to resemble.
    clear_hulls
        Whether to move nodes out of the hulls of hyperedges that they are not in, which takes most of the time.

    Examples
    --------
    >>> H = Hypergraph([["a", "b", "c"], ["c", "d"]])
    >>> H_again = H.permute(nodes=[2, 0, 3, 1])
    >>> first, second = force_layout(H), force_layout(H_again)
    >>> bool(np.allclose(first.nodes[H.nodes.index("d")], second.nodes[H_again.nodes.index("d")]))
    True
    """
    if H.n + H.m > MOST_VERTICES:
        raise PlotError(
            f"the hypergraph has {H.n:,} nodes and {H.m:,} hyperedges, and at most {MOST_VERTICES:,} together can be laid out; "
            "use style='overview' or 'incidence', or plot a subhypergraph"
        )
    rows, columns = canonical_order(H)
    G = H.permute(nodes=rows, edges=columns)
    linked = np.concatenate([G.degrees > 0, G.edge_sizes > 0])
    packed = _packed_components(G, np.random.default_rng(seed), clear_hulls)
    packed[linked] -= (packed[linked].max(0) + packed[linked].min(0)) / 2 if linked.any() else 0.0
    positions = np.empty_like(packed)
    positions[np.concatenate([rows, H.n + columns])] = packed
    positions = _aligned(H, positions, like)
    isolated = np.flatnonzero(np.concatenate([H.degrees == 0, H.edge_sizes == 0]))
    positions[isolated] = _rows_below(positions[: H.n][H.degrees > 0], len(isolated))
    return Layout(positions[: H.n], positions[H.n :])


def layout_from_positions(H: Hypergraph, pos: Mapping[Any, Any] | FloatArray) -> Layout:
    """Make a layout from positions of nodes, by label as in XGI and NetworkX or as an array.

    Hyperedges are put at the mean of their members.
    """
    if isinstance(pos, Mapping):
        missing = [label for label in H.nodes if label not in pos]
        if missing:
            raise PlotError(f"pos= has no position for the node {missing[0]!r}")
        pos = np.array([pos[label] for label in H.nodes], dtype=np.float64).reshape(-1, 2)
    nodes = np.asarray(pos, dtype=np.float64)
    if nodes.shape != (H.n, 2) or not np.isfinite(nodes).all():
        raise PlotError(f"pos= must give {H.n} finite pairs of coordinates, one for each node")
    counts = np.maximum(H.edge_sizes, 1)[:, None]
    return Layout(nodes, (H.incidence.T @ nodes) / counts)


# -- stress ------------------------------------------------------------------------------------------


def _packed_components(G: Hypergraph, rng: np.random.Generator, clear_hulls: bool) -> FloatArray:
    """Lay out the components with incidences, and pack them; other vertices stay at the origin."""
    positions = np.zeros((G.n + G.m, 2))
    component = np.concatenate(components(G))
    groups = [np.flatnonzero(component == k) for k in np.flatnonzero(np.bincount(component) > 1)]
    groups.sort(key=len, reverse=True)  # stable: components of one size keep the canonical order
    matrix, margins = G.incidence, radii(G) if clear_hulls else None
    layouts, discs = [], []
    for group in groups:
        nodes, edges = group[group < G.n], group[group >= G.n] - G.n
        block = matrix[nodes][:, edges].toarray() > 0
        layouts.append(_one_component(block, None if margins is None else margins[edges], rng))
        discs.append(_discs(block, layouts[-1]))
    for group, layout, shift in zip(groups, layouts, pack(discs), strict=True):
        positions[group] = layout + shift
    return positions


def _one_component(block: BoolArray, margins: FloatArray | None, rng: np.random.Generator) -> FloatArray:
    """Lay out a component: about the middle of its box, along its longer side, with hulls of some margins clear."""
    if block.shape[1] == 1 and len(block) <= _POLYGON:
        return _polygon(len(block))
    D = _distances(block)
    X = minimise_stress(D, classical_scaling(D) + rng.normal(scale=_NOISE, size=(len(D), 2)))
    if margins is not None:
        X[: len(block)] = remove_intrusions(X[: len(block)], block, margins)
    X = X - X.mean(0)
    _, _, axes = np.linalg.svd(X, full_matrices=False)
    X = X @ axes.T
    X = X * np.where((X**3).sum(0).round(9) < 0, -1.0, 1.0)  # mirrored by its skewness, whatever sign the axes have
    centred: FloatArray = X - (X.max(0) + X.min(0)) / 2
    return centred


def _polygon(count: int) -> FloatArray:
    """Put one hyperedge's members at the corners of a regular polygon that stands on a side, and itself in the middle."""
    # One is beside it, so both are seen, and two are at its sides; an odd number has a corner at the top, an even one a side.
    first = 0.0 if count <= 2 else np.pi / 2 + (np.pi / count if count % 2 == 0 else 0.0)
    angles = np.arange(count) / count * 2 * np.pi + first
    corners = LENGTH * np.sqrt(count) * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return np.vstack([corners, np.zeros(2)])


def _distances(block: BoolArray) -> FloatArray:
    """Return the lengths of shortest paths between nodes and hyperedges of a component."""
    n, m = block.shape
    nodes, edges = np.nonzero(block)
    lengths = LENGTH * np.sqrt(block.sum(0))[edges]
    graph = sp.coo_array((lengths, (nodes, n + edges)), shape=(n + m, n + m)).tocsr()
    paths: FloatArray = shortest_path(graph, directed=False)
    return paths


def classical_scaling(D: FloatArray) -> FloatArray:
    """Return the two leading coordinates of classical multidimensional scaling."""
    squares = D**2
    centred = squares - squares.mean(0) - squares.mean(1)[:, None] + squares.mean()
    values, vectors = np.linalg.eigh(-0.5 * centred)
    scaled: FloatArray = vectors[:, :-3:-1] * np.sqrt(np.maximum(values[:-3:-1], 0.0))
    return scaled


def stress(D: FloatArray, X: FloatArray) -> float:
    """Return the stress of positions ``X``, of which ``D`` has the ideal distances."""
    return _stress(_inverse(D), _pairwise(X))


def minimise_stress(D: FloatArray, X: FloatArray) -> FloatArray:
    """Majorise the stress from a start ``X`` until it hardly decreases."""
    inverse = _inverse(D)
    factor = cho_factor(_laplacian(inverse**2)[1:, 1:])
    apart = _pairwise(X)
    before = _stress(inverse, apart)
    for _ in range(_STEPS):
        pull = _laplacian(np.divide(inverse, apart, out=np.zeros_like(apart), where=apart > 1e-12))
        X = np.vstack([np.zeros(2), cho_solve(factor, (pull @ X)[1:])])
        apart = _pairwise(X)
        after = _stress(inverse, apart)
        if before - after <= _TOLERANCE * before:
            break
        before = after
    return X


def _inverse(D: FloatArray) -> FloatArray:
    """Return 1/d, and 0 on the diagonal."""
    inverse: FloatArray = 1.0 / (D + np.eye(len(D)))
    np.fill_diagonal(inverse, 0.0)
    return inverse


def _stress(inverse: FloatArray, apart: FloatArray) -> float:
    squares = (apart * inverse - 1.0) ** 2
    return float(squares.sum() - np.trace(squares)) / 2


def _pairwise(X: FloatArray) -> FloatArray:
    apart: FloatArray = np.hypot(X[:, None, 0] - X[:, 0], X[:, None, 1] - X[:, 1])
    return apart


def _laplacian(weights: FloatArray) -> FloatArray:
    laplacian: FloatArray = np.diag(weights.sum(1)) - weights
    return laplacian


# -- packing and alignment -----------------------------------------------------------------------------


Discs: TypeAlias = tuple[FloatArray, FloatArray]  #: centres and radii


def _discs(block: BoolArray, layout: FloatArray) -> Discs:
    """Return a disc about the members of each hyperedge of a component, with half the gap between components."""
    nodes, edges = layout[: len(block)], layout[len(block) :]
    apart = np.hypot(nodes[:, None, 0] - edges[:, 0], nodes[:, None, 1] - edges[:, 1])
    return edges, np.where(block, apart, 0.0).max(0) + _GAP / 2


def pack(shapes: list[Discs]) -> FloatArray:
    """Put shapes made of discs side by side, each on a grid as near to the origin as it fits; return their shifts."""
    shifts = np.zeros((len(shapes), 2))
    if len(shapes) < 2:
        return shifts
    extents = [float((np.hypot(*centres.T) + reaches).max()) for centres, reaches in shapes]
    half = 2.2 * float(np.hypot.reduce(extents)) + 2 * max(
        extents
    )  # discs of the extents fill less than a sixth of this square
    line = np.linspace(-half, half, _GRID)
    cell = float(line[1] - line[0])
    grid = np.stack(np.meshgrid(line, line, indexing="ij"), axis=-1)
    nearest = np.argsort(np.hypot(grid[..., 0], grid[..., 1]).round(9).ravel(), kind="stable")
    room = np.full((_GRID, _GRID), np.inf)
    for k, (centres, reaches) in enumerate(shapes):
        slack = _slack(room, np.rint(centres / cell).astype(np.int64), reaches).ravel()[nearest]
        point = nearest[int(np.argmax(slack >= cell))]  # centres are rounded to the grid, so a cell is left free
        shifts[k] = grid.reshape(-1, 2)[point]
        for centre, radius in zip(centres + shifts[k], reaches, strict=True):
            room = np.minimum(room, np.hypot(grid[..., 0] - centre[0], grid[..., 1] - centre[1]) - radius)
    return shifts


def _slack(room: FloatArray, offsets: IntArray, reaches: FloatArray) -> FloatArray:
    """Return, for each shift on the grid, the least room that any disc of a shape has to spare; -1 if one leaves the grid."""
    slack = np.full(room.shape, np.inf)
    for (right, up), radius in zip(offsets, reaches, strict=True):
        moved = np.full(room.shape, -1.0)
        xs, ys = (slice(max(0, -step), min(_GRID, _GRID - step)) for step in (right, up))
        moved[xs, ys] = room[xs.start + right : xs.stop + right, ys.start + up : ys.stop + up] - radius
        slack = np.minimum(slack, moved)
    return slack


def _aligned(H: Hypergraph, positions: FloatArray, like: tuple[Hypergraph, Layout] | None) -> FloatArray:
    """Turn and mirror positions to resemble another layout, if there is one."""
    if like is None or not (H.n and like[0].n):
        return positions
    nodes, like_nodes = matched_nodes(H, like[0])
    target = like[1].nodes[like_nodes]
    rotation, _ = orthogonal_procrustes(positions[nodes], target - target.mean(0))
    turned: FloatArray = positions @ rotation
    return turned


def matched_nodes(first: Hypergraph, second: Hypergraph) -> tuple[IntArray, IntArray]:
    """Match nodes of two hypergraphs by their relative positions in the orders of their incidence matrices."""
    count = max(first.n, second.n)
    shares = (np.arange(count) + 0.5) / count
    of_first, of_second = (incidence_order(H)[0][(shares * H.n).astype(np.int64)] for H in (first, second))
    return of_first, of_second


def _rows_below(nodes: FloatArray, count: int) -> FloatArray:
    """Return positions in rows below some nodes."""
    width = max(float(np.ptp(nodes[:, 0])), _LEAST_WIDTH) if len(nodes) else max(3.0, np.sqrt(count) * _GAP)
    bottom = float(nodes[:, 1].min()) - 1.2 * _GAP if len(nodes) else 0.0
    per_row = max(1, min(count, int(width / _GAP) + 1))
    index = np.arange(count)
    x = (index % per_row - (per_row - 1) / 2) * _GAP
    return np.stack([x, bottom - index // per_row * _GAP], axis=1)
