r"""How like each other samples of subhypergraphs are, and how like the hypergraph that they come from.

*Two samples.* With :math:`\phi` a vector of simple features (:data:`FEATURES`), :math:`\delta` the difference of the two means and
:math:`\Sigma` the covariance within the samples, all in units of the standard deviations, the squared Mahalanobis distance

.. math:: D^2 = \delta^\top \bigl((1 - \rho)\,\Sigma + \rho I\bigr)^{-1} \delta - d\,(1/N_1 + 1/N_2),
   \qquad \mathrm{AUC} = \Phi\bigl(D / \sqrt 2\bigr),

is what a linear classifier has to tell the samples apart; the last term is its value for two samples of one law. A report measures
the same with more features and a trained classifier (``hyperhedge.metrics.detectability``); here it takes microseconds, since
many ways to split a hypergraph are compared.

*A sample and the whole.* Mean degree, mean edge size and the share of isolated nodes are numbers that a piece and the
hypergraph it was cut from both have. Pieces are :meth:`Looks.unlike` the whole if the edge sizes differ by more than a factor of
two, the shares by more than a quarter, or the degrees by more than a factor of ten: no piece has the degrees of a dense hypergraph.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.special import ndtr

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.typing import FloatArray, IntArray

#: The entries of a piece's feature vector.
FEATURES = (
    "mean edge size",
    "standard deviation of edge sizes",
    "largest edge size (log)",
    "share of singleton hyperedges",
    "standard deviation of degrees",
    "largest degree (log)",
    "share of isolated nodes",
    "mean overlap",
    "standard deviation of overlaps",
    "largest overlap (log)",
    "share of pairs of hyperedges that overlap",
    "share of pairs of hyperedges that share two nodes",
)

_RIDGE = 0.1  # the features hang together, and a sample has few pieces for their covariance
_SIZE_FACTOR, _DEGREE_FACTOR, _SHARE = 2, 10, 0.25  # what counts as unlike


def features(pieces: Sequence[Hypergraph]) -> FloatArray:
    """Return the features of hypergraphs that have nodes and hyperedges, one row each."""
    if not pieces:
        return np.empty((0, len(FEATURES)))
    n, m = np.array([H.n for H in pieces]), np.array([H.m for H in pieces])
    sizes, degrees = (
        np.concatenate(arrays) for arrays in zip(*((H.edge_sizes, H.degrees) for H in pieces), strict=True)
    )
    of_edge, of_node = np.repeat(np.arange(len(m)), m), np.repeat(np.arange(len(n)), n)
    overlaps, of_pair = _overlaps(pieces, of_edge)  # each pair of hyperedges that overlap twice
    pairs = np.maximum(m * (m - 1), 1)
    largest_overlap = np.zeros(len(m))
    np.maximum.at(largest_overlap, of_pair, overlaps)
    return np.column_stack(
        [
            *_mean_and_deviation(sizes, of_edge, m),
            np.log(np.maximum.reduceat(sizes, m.cumsum() - m)),
            np.bincount(of_edge, sizes == 1) / m,
            _mean_and_deviation(degrees, of_node, n)[1],
            np.log(np.maximum.reduceat(degrees, n.cumsum() - n)),
            np.bincount(of_node, degrees == 0) / n,
            *_mean_and_deviation(overlaps, of_pair, pairs),
            np.log1p(largest_overlap),
            np.bincount(of_pair, minlength=len(m)) / pairs,
            np.bincount(of_pair, overlaps > 1, minlength=len(m)) / pairs,
        ]
    )


def _overlaps(pieces: Sequence[Hypergraph], of_edge: IntArray) -> tuple[FloatArray, IntArray]:
    """Return the overlaps that are not zero, and the piece of each: by one product, which is faster than one for each piece."""
    first_nodes = np.cumsum([0, *(H.n for H in pieces)])
    first_entries = np.cumsum([0, *(H.num_incidences for H in pieces)])
    indices = np.concatenate([H.indices + first for H, first in zip(pieces, first_nodes, strict=False)])
    indptr = np.concatenate(
        [*(H.indptr[:-1] + first for H, first in zip(pieces, first_entries, strict=False)), first_entries[-1:]]
    )
    members = sp.csr_array((np.ones(len(indices)), indices, indptr), shape=(len(of_edge), int(first_nodes[-1])))
    shared = sp.coo_array(members @ members.T)
    off_diagonal = shared.row != shared.col
    return shared.data[off_diagonal], of_edge[shared.row[off_diagonal]]


def _mean_and_deviation(
    values: IntArray | FloatArray, of_piece: IntArray, counts: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return mean and standard deviation of each piece's values; values that are left out count as zeros."""
    mean = np.bincount(of_piece, values, minlength=len(counts)) / counts
    square = np.bincount(of_piece, values.astype(float) ** 2, minlength=len(counts)) / counts
    return mean, np.sqrt(np.maximum(square - mean**2, 0))


class Contrast(NamedTuple):
    """How well two samples can be told apart, and by which feature best."""

    squared_distance: float
    feature: str
    means: tuple[float, float]

    @property
    def auc(self) -> float:
        """The area under the ROC curve of the best linear classifier: 0.5 if there is nothing to see, at most 1."""
        return float(ndtr(math.sqrt(max(self.squared_distance, 0.0) / 2)))


def contrast(first: FloatArray, second: FloatArray) -> Contrast:
    """Compare two samples by the features of their pieces, at least two each.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> first, second = rng.normal(size=(400, 12)), rng.normal(size=(400, 12))
    >>> second[:, 0] += 2  # standard deviations: the AUC is Φ(√2) = 0.92
    >>> seen = contrast(first, second)
    >>> seen.feature, round(seen.auc, 1)
    ('mean edge size', 0.9)
    """
    n_1, n_2 = len(first), len(second)
    means = first.mean(axis=0), second.mean(axis=0)
    residuals = np.vstack((first - means[0], second - means[1]))
    scale = np.sqrt((residuals**2).sum(axis=0) / (n_1 + n_2 - 2))
    varying = scale > 1e-9 * np.maximum(np.abs(means[0]), 1.0)  # up to rounding
    scale = np.where(varying, scale, 1.0)  # a constant feature counts in its own unit
    delta = (means[1] - means[0]) / scale
    standardised = residuals / scale
    covariance = standardised.T @ standardised / (n_1 + n_2 - 2) + np.diag((~varying).astype(float))
    covariance = (1 - _RIDGE) * covariance + _RIDGE * np.eye(len(delta))
    chance = int(varying.sum()) * (1 / n_1 + 1 / n_2)
    best = int(np.argmax(np.abs(delta)))
    return Contrast(
        float(delta @ np.linalg.solve(covariance, delta)) - chance,
        FEATURES[best],
        (float(means[0][best]), float(means[1][best])),
    )


@dataclass(frozen=True)
class Looks:
    """What a piece and the hypergraph it was cut from both have: mean degree, mean edge size, share of isolated nodes.

    Examples
    --------
    >>> whole = Looks.of([Hypergraph([[0, 1, 2], [2, 3, 4]])])
    >>> whole
    Looks(degree=1.2, edge_size=3.0, isolated=0.0)
    >>> Looks.of([Hypergraph([[0]], nodes=range(4))]).unlike(whole)
    True
    """

    degree: float
    edge_size: float
    isolated: float

    @classmethod
    def of(cls, hypergraphs: Sequence[Hypergraph]) -> Looks:
        """Pool some hypergraphs; empty hyperedges are left out, since none is ever sampled."""
        incidences = sum(H.num_incidences for H in hypergraphs)
        nodes = max(sum(H.n for H in hypergraphs), 1)
        edges = max(sum(int((H.edge_sizes > 0).sum()) for H in hypergraphs), 1)
        isolated = sum(int((H.degrees == 0).sum()) for H in hypergraphs)
        return cls(incidences / nodes, incidences / edges, isolated / nodes)

    def unlike(self, whole: Looks) -> bool:
        """Return whether the pieces look unlike the whole."""
        return max(self._departures(whole)) > 1

    def unlikeness(self, whole: Looks) -> float:
        """Return how unlike the whole the pieces look: 0 if they are alike."""
        degree, edge_size, isolated = self._departures(whole)
        return degree + max(edge_size, isolated)

    def _departures(self, whole: Looks) -> tuple[float, float, float]:
        """Return by how much degree, edge size and isolated nodes differ, in units of what counts as unlike."""
        if not (self.edge_size and whole.edge_size):
            return 0.0, 0.0, 0.0
        return (
            abs(math.log(self.degree / whole.degree, _DEGREE_FACTOR)),
            abs(math.log(self.edge_size / whole.edge_size, _SIZE_FACTOR)),
            abs(self.isolated - whole.isolated) / _SHARE,
        )

    def __str__(self) -> str:
        return f"mean degree {self.degree:.3g}, mean edge size {self.edge_size:.3g}, {self.isolated:.0%} isolated nodes"
