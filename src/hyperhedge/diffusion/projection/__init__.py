r"""From relaxed states to hypergraphs.

A sampler ends with a matrix :math:`X \in \mathbb R^{n \times m}` whose entries are near 0 or 1. *Thresholding* (Algorithm 1),

.. math:: \Pi(X)_{ij} = \mathbf 1\{X_{ij} \ge 1/2\},

returns the nearest binary matrix, which may leave nodes isolated or hyperedges empty. Two projections return the nearest one under
a condition, by least squares (:mod:`hyperhedge.diffusion.projection.transport`):

- *valid*: every hyperedge has a node and every node a hyperedge,
- *given*: hyperedges have exactly the sizes (and nodes the degrees) that the diffusion was conditioned on. A denoiser aims at
  these, so few entries change; but a sum of many entries, each a little uncertain, sometimes misses its goal.

Hypergraphs that fulfil the condition after thresholding are not changed. Afterwards, repeated hyperedges can be made different at
little cost (:mod:`hyperhedge.diffusion.projection.distinct`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.diffusion.batch import Shapes, decode, encode
from hyperhedge.diffusion.projection.transport import nearest_between
from hyperhedge.errors import HypergraphError
from hyperhedge.typing import BoolArray, FloatArray, IntArray

__all__ = ["PROJECTIONS", "decided_share", "flips", "project_given", "project_valid", "threshold"]

#: Entries are clipped here, which keeps sums of their costs finite; those of a state are near 0 and 1.
_LARGEST = 1e100


def threshold(X: Tensor, shapes: Shapes) -> list[Hypergraph]:
    r"""Project relaxed states to hypergraphs, :math:`\Pi(X)_{ij} = \mathbf 1\{X_{ij} \ge 1/2\}` (Algorithm 1).

    Examples
    --------
    >>> X = torch.tensor([[[0.9, 0.1], [0.6, 0.2], [0.4, -0.3]]])
    >>> threshold(X, Shapes.all_equal(1, 3, 2))[0].hyperedges
    ((0, 1), ())
    """
    return decode(_rounded(X, shapes), shapes)


def project_valid(
    X: Tensor, shapes: Shapes, *, allow_empty: bool = False, allow_isolated: bool = False
) -> list[Hypergraph]:
    """Project relaxed states to the nearest hypergraphs without empty hyperedges and isolated nodes.

    Parameters
    ----------
    X
        Relaxed states, ``(B, N, M)``.
    shapes
        The shapes of the hypergraphs; padding is ignored.
    allow_empty, allow_isolated
        Whether hyperedges may be empty, and whether nodes may be isolated.

    Examples
    --------
    After thresholding, node 2 is isolated and hyperedge 1 is empty. Their likeliest entries, (2, 0) and (1, 1), would cost
    0.2 + 0.6; the one entry (2, 1) costs 0.7.

    >>> X = torch.tensor([[[0.9, 0.1], [0.6, 0.2], [0.4, 0.15]]])
    >>> project_valid(X, Shapes.all_equal(1, 3, 2))[0].hyperedges
    ((0, 1), (2,))
    >>> project_valid(X, Shapes.all_equal(1, 3, 2), allow_empty=True)[0].hyperedges
    ((0, 1, 2), ())
    """
    Y = _rounded(X, shapes)
    bare_nodes = shapes.node_mask.to(X.device) & ~Y.any(2) & (not allow_isolated)
    bare_edges = shapes.edge_mask.to(X.device) & ~Y.any(1) & (not allow_empty)
    _check_possible(shapes, bare_nodes.any(1).cpu(), bare_edges.any(1).cpu())
    for b in (bare_nodes.any(1) | bare_edges.any(1)).nonzero().flatten().tolist():
        _put(Y, b, _nearest_valid(_member(X, shapes, b), allow_empty, allow_isolated))
    return decode(Y, shapes)


def project_given(
    X: Tensor,
    shapes: Shapes,
    edge_sizes: IntArray,
    degrees: IntArray | None = None,
    *,
    allow_empty: bool = False,
    allow_isolated: bool = False,
) -> list[Hypergraph]:
    """Project relaxed states to the nearest hypergraphs with given hyperedge sizes, and given degrees if any.

    Where no hypergraph has both, degrees are dropped; where none has the sizes without isolating a node, the nearest valid
    hypergraph is returned, see :func:`project_valid`.

    Parameters
    ----------
    X
        Relaxed states, ``(B, N, M)``.
    shapes
        The shapes of the hypergraphs; padding is ignored.
    edge_sizes, degrees
        Hyperedge sizes ``(B, M)`` and degrees ``(B, N)``.
    allow_empty, allow_isolated
        See :func:`project_valid`; for states whose sizes or degrees are dropped.

    Examples
    --------
    >>> X = torch.tensor([[[0.9, 0.1], [0.6, 0.2], [0.4, 0.15]]])
    >>> project_given(X, Shapes.all_equal(1, 3, 2), np.array([[1, 2]]))[0].hyperedges
    ((0,), (1, 2))
    >>> project_given(X, Shapes.all_equal(1, 3, 2), np.array([[2, 2]]), np.array([[1, 2, 1]]))[0].hyperedges
    ((0, 1), (1, 2))
    """
    Y = _rounded(X, shapes)
    for b, (n, m) in enumerate(zip(shapes.n.tolist(), shapes.m.tolist(), strict=True)):
        state, columns = _member(X, shapes, b), (edge_sizes[b, :m],) * 2
        nearest = None if degrees is None else nearest_between(state, (degrees[b, :n],) * 2, columns)
        if nearest is None:
            nearest = nearest_between(state, (np.full(n, int(not allow_isolated)), np.full(n, m)), columns)
        _put(Y, b, _nearest_valid(state, allow_empty, allow_isolated) if nearest is None else nearest)
    return decode(Y, shapes)


PROJECTIONS = ("threshold", "valid", "given")
"""The projections by name."""


def flips(X: Tensor, shapes: Shapes, projected: Sequence[Hypergraph]) -> Tensor:
    """Count the entries of each projected hypergraph that differ from thresholding, ``(B,)``.

    Examples
    --------
    >>> X, shapes = torch.tensor([[[0.9, 0.1], [0.6, 0.2], [0.4, 0.15]]]), Shapes.all_equal(1, 3, 2)
    >>> flips(X, shapes, project_valid(X, shapes)).tolist()
    [1]
    """
    if [(H.n, H.m) for H in projected] != list(zip(shapes.n.tolist(), shapes.m.tolist(), strict=True)):
        raise HypergraphError(
            "the hypergraphs in projected= do not have the shapes in shapes=; pass those projected from X"
        )
    batch = encode(projected, rows=shapes.rows, columns=shapes.columns, dtype=torch.float32)
    return (batch.matrix.bool() != _rounded(X, shapes).cpu()).sum((1, 2))


def decided_share(X: Tensor, shapes: Shapes, within: float = 0.1) -> float:
    """Return the share of entries that are close to 0 or 1, or 1 if there are no entries.

    Examples
    --------
    >>> decided_share(torch.tensor([[[0.95, 0.4], [-0.05, 0.02]]]), Shapes.all_equal(1, 2, 2))
    0.75
    """
    shapes.check(X, "X")
    entries = X.detach()[shapes.mask.to(X.device)].double()
    near = torch.minimum(entries.abs(), (entries - 1).abs()) <= within
    return float(near.double().mean()) if len(near) else 1.0


def _rounded(X: Tensor, shapes: Shapes) -> Tensor:
    """Threshold states after checking them."""
    shapes.check(X, "X")
    mask = shapes.mask.to(X.device)
    infinite = ~torch.isfinite(X) & mask
    if infinite.any():
        b, i, j = infinite.nonzero()[0].tolist()
        raise HypergraphError(
            f"X contains {float(X[b, i, j])} at row {i}, column {j} of member {b}: the sampler diverged; "
            "take more steps or check the field"
        )
    return (X >= 0.5) & mask


def _check_possible(shapes: Shapes, lacks_edges: Tensor, lacks_nodes: Tensor) -> None:
    """Refuse nodes without any hyperedges, and hyperedges without any nodes, unless that is allowed."""
    for side, other, impossible, option in (
        ("nodes", "hyperedges", lacks_edges & (shapes.m.cpu() == 0), "allow_isolated"),
        ("hyperedges", "nodes", lacks_nodes & (shapes.n.cpu() == 0), "allow_empty"),
    ):
        if impossible.any():
            raise HypergraphError(
                f"member {int(impossible.nonzero()[0])} has {side} but no {other}; change its shape or pass {option}=True"
            )


def _member(X: Tensor, shapes: Shapes, b: int) -> FloatArray:
    """Return a member's state without padding."""
    state: FloatArray = X[b, : shapes.n[b], : shapes.m[b]].detach().double().clamp(-_LARGEST, _LARGEST).cpu().numpy()
    return state


def _put(Y: Tensor, b: int, member: BoolArray) -> None:
    n, m = member.shape
    Y[b, :n, :m] = torch.from_numpy(member).to(Y.device)


def _nearest_valid(state: FloatArray, allow_empty: bool, allow_isolated: bool) -> BoolArray:
    n, m = state.shape
    rows = np.full(n, int(not allow_isolated)), np.full(n, m)
    columns = np.full(m, int(not allow_empty)), np.full(m, n)
    nearest = nearest_between(state, rows, columns)
    if nearest is None:  # nodes or hyperedges alone, after project_given had to drop what was given
        raise HypergraphError("nodes without any hyperedges, or hyperedges without any nodes, cannot be made valid")
    return nearest
