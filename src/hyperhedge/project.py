r"""From relaxed states to hypergraphs.

A sampler ends with a matrix :math:`X \in \mathbb R^{n \times m}` whose entries are near 0 or 1. *Thresholding* (Algorithm 1),

.. math:: \Pi(X)_{ij} = \mathbf 1\{X_{ij} \ge 1/2\},

gives the nearest binary matrix, and nothing keeps it from leaving a node isolated or a hyperedge empty.
Two projections give the nearest one among those that are as they should be, by least squares (:mod:`hyperhedge.margins`):

- *valid*: every hyperedge has a node and every node a hyperedge,
- *given*: hyperedges have the sizes (and nodes the degrees) that were given before the diffusion started, exactly. The learned
  drift aims at them, so that few entries change; but a sum of many entries, each a little uncertain, misses its goal now and then.

Hypergraphs that are as they should be after thresholding stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hyperhedge.checks import IntArray
from hyperhedge.errors import HypergraphError
from hyperhedge.hypergraph import Hypergraph
from hyperhedge.incidence import Sizes, decode, encode
from hyperhedge.margins import nearest_between

__all__ = ["PROJECTIONS", "decided_share", "flips", "given", "threshold", "valid"]

#: Entries are cut here, so that sums of their costs stay finite; those of a state are near 0 and 1.
_LARGEST = 1e100


def threshold(X: Tensor, sizes: Sizes) -> list[Hypergraph]:
    r"""Project relaxed states to hypergraphs, :math:`\Pi(X)_{ij} = \mathbf 1\{X_{ij} \ge 1/2\}` (Algorithm 1).

    Examples
    --------
    >>> X = torch.tensor([[[0.9, 0.1], [0.6, 0.2], [0.4, -0.3]]])
    >>> threshold(X, Sizes.all_equal(1, 3, 2))[0].hyperedges
    ((0, 1), ())
    """
    return decode(_rounded(X, sizes), sizes)


def valid(X: Tensor, sizes: Sizes, *, allow_empty: bool = False, allow_isolated: bool = False) -> list[Hypergraph]:
    """Project relaxed states to the nearest hypergraphs without empty hyperedges and isolated nodes; see the module.

    Parameters
    ----------
    X
        Relaxed states, ``(B, N, M)``.
    sizes
        Their sizes; what is beyond them is not looked at.
    allow_empty, allow_isolated
        Whether hyperedges may be empty, and whether nodes may be isolated.

    Examples
    --------
    Node 2 is isolated and hyperedge 1 is empty. To add both at their likeliest entries, (2, 0) and (1, 1), would cost
    0.2 + 0.6; the one entry (2, 1) costs 0.7.

    >>> X = torch.tensor([[[0.9, 0.1], [0.6, 0.2], [0.4, 0.15]]])
    >>> valid(X, Sizes.all_equal(1, 3, 2))[0].hyperedges
    ((0, 1), (2,))
    >>> valid(X, Sizes.all_equal(1, 3, 2), allow_empty=True)[0].hyperedges
    ((0, 1, 2), ())
    """
    Y = _rounded(X, sizes)
    bare_nodes = sizes.node_mask.to(X.device) & ~Y.any(2) & (not allow_isolated)
    bare_edges = sizes.edge_mask.to(X.device) & ~Y.any(1) & (not allow_empty)
    _check_possible(sizes, bare_nodes.any(1).cpu(), bare_edges.any(1).cpu())
    for b in (bare_nodes.any(1) | bare_edges.any(1)).nonzero().flatten().tolist():
        _put(Y, b, _valid_member(_member(X, sizes, b), allow_empty, allow_isolated))
    return decode(Y, sizes)


def given(
    X: Tensor,
    sizes: Sizes,
    edge_sizes: IntArray,
    degrees: IntArray | None = None,
    *,
    allow_empty: bool = False,
    allow_isolated: bool = False,
) -> list[Hypergraph]:
    """Project relaxed states to the nearest hypergraphs with given hyperedge sizes, and degrees if they are given too.

    Where no hypergraph has both, degrees are let go; where none has the sizes without isolating a node, the nearest valid
    hypergraph is returned, see :func:`valid`.

    Parameters
    ----------
    X
        Relaxed states, ``(B, N, M)``.
    sizes
        Their sizes; what is beyond them is not looked at.
    edge_sizes, degrees
        Hyperedge sizes ``(B, M)`` and degrees ``(B, N)``.
    allow_empty, allow_isolated
        As :func:`valid` has them, where it comes to that.

    Examples
    --------
    >>> X = torch.tensor([[[0.9, 0.1], [0.6, 0.2], [0.4, 0.15]]])
    >>> given(X, Sizes.all_equal(1, 3, 2), np.array([[1, 2]]))[0].hyperedges
    ((0,), (1, 2))
    >>> given(X, Sizes.all_equal(1, 3, 2), np.array([[2, 2]]), np.array([[1, 2, 1]]))[0].hyperedges
    ((0, 1), (1, 2))
    """
    Y = _rounded(X, sizes)
    for b, (n, m) in enumerate(zip(sizes.n.tolist(), sizes.m.tolist(), strict=True)):
        state, columns = _member(X, sizes, b), (edge_sizes[b, :m],) * 2
        found = None if degrees is None else nearest_between(state, (degrees[b, :n],) * 2, columns)
        if found is None:
            found = nearest_between(state, (np.full(n, int(not allow_isolated)), np.full(n, m)), columns)
        _put(Y, b, _valid_member(state, allow_empty, allow_isolated) if found is None else found)
    return decode(Y, sizes)


PROJECTIONS = ("threshold", "valid", "given")
"""The names of the projections."""


def flips(X: Tensor, sizes: Sizes, projected: Sequence[Hypergraph]) -> Tensor:
    """Count the entries of each projected hypergraph that differ from thresholding, ``(B,)``.

    Examples
    --------
    >>> X, sizes = torch.tensor([[[0.9, 0.1], [0.6, 0.2], [0.4, 0.15]]]), Sizes.all_equal(1, 3, 2)
    >>> flips(X, sizes, valid(X, sizes)).tolist()
    [1]
    """
    wanted = list(zip(sizes.n.tolist(), sizes.m.tolist(), strict=True))
    if [(H.n, H.m) for H in projected] != wanted:
        raise HypergraphError("projected= holds other hypergraphs than the sizes say; give what was projected from X")
    batch = encode(projected, rows=sizes.rows, columns=sizes.columns, dtype=torch.float32)
    return (batch.matrix.bool() != _rounded(X, sizes).cpu()).sum((1, 2))


def decided_share(X: Tensor, sizes: Sizes, within: float = 0.1) -> float:
    """Return the share of entries that are within a distance of 0 or 1; of no entries at all, 1.

    Examples
    --------
    >>> decided_share(torch.tensor([[[0.95, 0.4], [-0.05, 0.02]]]), Sizes.all_equal(1, 2, 2))
    0.75
    """
    _check_shape(X, sizes)
    entries = X.detach()[sizes.mask.to(X.device)].double()
    near = torch.minimum(entries.abs(), (entries - 1).abs()) <= within
    return float(near.double().mean()) if len(near) else 1.0


def _rounded(X: Tensor, sizes: Sizes) -> Tensor:
    """Threshold, after a look at what is given."""
    _check_shape(X, sizes)
    mask = sizes.mask.to(X.device)
    strange = ~torch.isfinite(X) & mask
    if strange.any():
        b, i, j = strange.nonzero()[0].tolist()
        raise HypergraphError(
            f"X holds {float(X[b, i, j])} at row {i}, column {j} of member {b}: the sampler diverged; "
            "take more steps or look at the field"
        )
    return (X >= 0.5) & mask


def _check_shape(X: Tensor, sizes: Sizes) -> None:
    wanted = (len(sizes), sizes.rows, sizes.columns)
    if X.shape != wanted:
        raise HypergraphError(f"X has the shape {tuple(X.shape)} and the sizes say {wanted}; give the sizes of X")


def _check_possible(sizes: Sizes, lacks_edges: Tensor, lacks_nodes: Tensor) -> None:
    """Refuse nodes where there are no hyperedges at all, and hyperedges where there are no nodes."""
    for side, other, wanted, option in (
        ("nodes", "hyperedges", lacks_edges & (sizes.m.cpu() == 0), "allow_isolated"),
        ("hyperedges", "nodes", lacks_nodes & (sizes.n.cpu() == 0), "allow_empty"),
    ):
        if wanted.any():
            raise HypergraphError(
                f"member {int(wanted.nonzero()[0])} has {side} and no {other}, so nothing can cover them; "
                f"change its sizes or give {option}=True"
            )


def _member(X: Tensor, sizes: Sizes, b: int) -> NDArray[np.float64]:
    """Return a member's state without padding."""
    state = X[b, : sizes.n[b], : sizes.m[b]].detach().double().clamp(-_LARGEST, _LARGEST)
    found: NDArray[np.float64] = state.cpu().numpy()
    return found


def _put(Y: Tensor, b: int, member: NDArray[np.bool_]) -> None:
    n, m = member.shape
    Y[b, :n, :m] = torch.from_numpy(member).to(Y.device)


def _valid_member(state: NDArray[np.float64], allow_empty: bool, allow_isolated: bool) -> NDArray[np.bool_]:
    n, m = state.shape
    rows = np.full(n, int(not allow_isolated)), np.full(n, m)
    columns = np.full(m, int(not allow_empty)), np.full(m, n)
    found = nearest_between(state, rows, columns)
    if found is None:  # a member with nodes or hyperedges alone, of which nothing is asked that it cannot do
        raise HypergraphError("nothing can cover nodes without hyperedges, or hyperedges without nodes")
    return found
