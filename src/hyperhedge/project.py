r"""From relaxed states to hypergraphs.

A sampler ends with a matrix :math:`X \in \mathbb R^{n \times m}` whose entries are near 0 or 1. *Thresholding* (Algorithm 1),

.. math:: \Pi(X)_{ij} = \mathbf 1\{X_{ij} \ge 1/2\},

gives the nearest binary matrix, and nothing keeps it from leaving a node isolated or a hyperedge empty.
The *valid* projection is the nearest one among those without such rows and columns:

.. math:: \min_Y \sum_{ij} (X_{ij} - Y_{ij})^2 \quad\text{over}\quad Y \in \{0, 1\}^{n \times m},\quad
          Y\mathbf 1 \ge \mathbf 1,\quad Y^\top\mathbf 1 \ge \mathbf 1 .

*It is an assignment problem.* Giving an entry the other value than :math:`\Pi` costs :math:`|1 - 2X_{ij}|`. Removing an incidence
never helps to cover a row or a column, so :math:`Y \ge \Pi(X)`: incidences are only added, at :math:`w_{ij} = 1 - 2X_{ij} > 0`,
until every bare row :math:`r \in R` and every bare column :math:`c \in C` has one. That is an edge cover of least weight.
Covered alone, a row or a column costs its cheapest entry,

.. math:: p_r = \min_j w_{rj}, \qquad q_c = \min_i w_{ic} ,

and one entry at :math:`(r, c) \in R \times C` can serve both. In a cover without superfluous entries, each entry is the only
one of some bare row or column, so the entries form stars. In a star with a bare centre and bare leaves, one entry serves both its
ends; every other entry serves one row or column. The entries that serve two are a matching, and any matching can be completed to
a cover. Hence the least cost is

.. math:: \sum_{r \in R} p_r + \sum_{c \in C} q_c - \max_{\text{matchings } \mathcal M \subset R \times C}\
          \sum_{(r, c) \in \mathcal M} (p_r + q_c - w_{rc}) ,

and the matching is found exactly. Hypergraphs that are valid after thresholding stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from torch import Tensor

from hyperhedge.errors import HypergraphError
from hyperhedge.hypergraph import Hypergraph
from hyperhedge.incidence import Sizes, decode, encode

__all__ = ["PROJECTIONS", "Projection", "decided_share", "flips", "threshold", "valid"]

Projection = Callable[[Tensor, Sizes], list[Hypergraph]]

#: Costs are cut here, so that their sums stay finite; entries of a state are near 0 and 1.
_LARGEST_COST = 1e100


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
        costs = (0.5 - X[b, : sizes.n[b], : sizes.m[b]].detach().double()).clamp_max(_LARGEST_COST).cpu().numpy()
        bare = (side[b].nonzero().flatten().cpu().numpy() for side in (bare_nodes, bare_edges))
        rows, columns = _cheapest_cover(costs, *bare)
        Y[b, torch.from_numpy(rows), torch.from_numpy(columns)] = True
    return decode(Y, sizes)


PROJECTIONS: dict[str, Projection] = {"threshold": threshold, "valid": valid}


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


def _cheapest_cover(
    costs: NDArray[np.float64], rows: NDArray[np.int64], columns: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the entries, as rows and columns, that cover given rows and columns at the least cost."""
    alone, alone_too = costs[rows].min(1), costs[:, columns].min(0)
    column_of, row_of = costs[rows].argmin(1), costs[:, columns].argmin(0)
    saved = np.maximum(alone[:, None] + alone_too - costs[np.ix_(rows, columns)], 0.0)
    left, right = linear_sum_assignment(saved, maximize=True)
    paired = saved[left, right] > 0
    left, right = left[paired], right[paired]
    column_of[left] = columns[right]
    single = np.setdiff1d(np.arange(len(columns)), right)
    return np.concatenate((rows, row_of[single])), np.concatenate((column_of, columns[single]))
