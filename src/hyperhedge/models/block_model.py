r"""The degree-corrected stochastic block model of hypergraphs: degrees, sizes and groups in expectation.

Choose a training hypergraph uniformly. Its nodes are in groups :math:`r = g_v`, its hyperedges in groups :math:`s = h_e`, and
:math:`\omega_{rs}` counts its incidences between them. With the groups' totals
:math:`\kappa_r = \sum_{v \in r} d_v = \sum_s \omega_{rs}` and :math:`\kappa'_s = \sum_{e \in s} k_e = \sum_r \omega_{rs}`,
incidences are independent,

.. math:: P(v \in e) = \min\Bigl(1,\; \omega_{g_v h_e} \frac{d_v}{\kappa_{g_v}} \frac{k_e}{\kappa'_{h_e}}\Bigr) ,

so that every degree, every size and every :math:`\omega_{rs}` is kept in expectation, where the minimum is not 1
(Larremore, Clauset and Jacobs, *Efficiently inferring community structure in bipartite networks*, Physical Review E 90, 2014).
With one group it is the Chung–Lu model, and every block is sampled as that is (:mod:`hyperhedge.models.chung_lu`).

*Groups* are those of spectral co-clustering (Dhillon, *Co-clustering documents and words using bipartite spectral graph
partitioning*, KDD 2001): with :math:`u_1 \propto \sqrt{d}` and :math:`v_1 \propto \sqrt{k}`, take the leading singular vectors of
:math:`D_V^{-1/2} H D_E^{-1/2} - u_1 v_1^\top`, one fewer than groups, scale them by :math:`D^{-1/2}`, and divide nodes and
hyperedges together by k-means. This relaxes the normalised cut of the bipartite graph: it treats unequal degrees as the model
does, and finds connected components where there are some.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import ClassVar

import msgspec
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.linalg import LinearOperator, svds

from hyperhedge._system.memory import refuse_beyond
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.errors import FormatError
from hyperhedge.models.base import whole_number
from hyperhedge.models.chung_lu import Counts, ExpectedDegrees, Sequences, sample_incidences
from hyperhedge.models.repeats import Repeats
from hyperhedge.typing import IntArray

_DENSE = 500  # up to this many rows or columns, all singular vectors are computed


class _Blocks(Sequences, frozen=True, forbid_unknown_fields=True):
    """What the block model knows of each training hypergraph."""

    node_groups: list[Counts]
    edge_groups: list[Counts]
    omega: list[list[Counts]]


class BlockModel(ExpectedDegrees):
    """Independent incidences with the degrees, sizes and groups of a training hypergraph, chosen uniformly, in expectation.

    Keeps every degree, every hyperedge size and the number of incidences between any two groups of the chosen hypergraph in
    expectation, as long as no probability would exceed 1. Samples have isolated nodes and empty hyperedges.

    Parameters
    ----------
    groups
        Into how many groups nodes and hyperedges are divided, by spectral co-clustering of each training hypergraph. One that
        is too small for so many has one group.
    repeats
        As for :class:`~hyperhedge.models.chung_lu.ChungLu`.

    Attributes
    ----------
    degrees_, hyperedge_sizes_ : list[list[int]]
        Degrees and sizes of each training hypergraph.
    node_groups_, edge_groups_ : list[list[int]]
        The groups of nodes and hyperedges of each.
    omega_ : list[list[list[int]]]
        The incidences of each between groups of nodes (rows) and groups of hyperedges.

    Examples
    --------
    >>> two = Hypergraph([[0, 1], [1, 2], [0, 2], [3, 4], [4, 5], [3, 5]])
    >>> model = BlockModel().fit([two])
    >>> sorted(model.omega_[0])
    [[0, 6], [6, 0]]
    >>> H, = model.sample(seed=1)
    >>> any(min(edge) < 3 <= max(edge) for edge in H.hyperedges if edge)
    False
    """

    name = "block-model"
    fitted_type: ClassVar[type[msgspec.Struct]] = _Blocks

    node_groups_: list[list[int]]
    edge_groups_: list[list[int]]
    omega_: list[list[list[int]]]

    def __init__(self, *, groups: int = 2, repeats: Repeats = "allow") -> None:
        self.groups, self.repeats = groups, repeats
        self._check()

    def _check(self) -> None:
        super()._check()
        whole_number(self.groups, "groups", least=1, most=2**31)

    def _fit(self, training: list[Hypergraph]) -> None:
        from threadpoolctl import threadpool_limits

        need = len(training) * self.groups**2 * 16
        refuse_beyond(need, f"counting between {self.groups:,} groups", "give fewer groups")
        super()._fit(training)
        self.node_groups_, self.edge_groups_, self.omega_ = [], [], []
        with threadpool_limits(1):  # these matrices are small: threads only wait for each other
            clusters = [co_clusters(H, self.groups) for H in training]
        for H, (g, h) in zip(training, clusters, strict=True):
            omega = np.zeros((self.groups, self.groups), dtype=np.int64)
            np.add.at(omega, (g[H.indices], h[H.edge_indices]), 1)
            self.node_groups_.append(g.tolist())
            self.edge_groups_.append(h.tolist())
            self.omega_.append(omega.tolist())

    def _incidences(
        self, k: int, degrees: IntArray, sizes: IntArray, rng: np.random.Generator
    ) -> tuple[IntArray, IntArray]:
        g, h = np.array(self.node_groups_[k]), np.array(self.edge_groups_[k])
        nodes, edges = [], []
        for (r, s), total in np.ndenumerate(self.omega_[k]):
            v, e = sample_incidences(degrees * (g == r), sizes * (h == s), int(total), rng)
            nodes.append(v)
            edges.append(e)
        return np.concatenate(nodes), np.concatenate(edges)

    def _read_arrays(self, folder: Path) -> None:
        super()._read_arrays(folder)
        columns = (self.degrees_, self.hyperedge_sizes_, self.node_groups_, self.edge_groups_, self.omega_)
        if len({len(column) for column in columns}) > 1 or not all(map(self._fits, *columns)):
            raise FormatError("the groups do not fit the degrees and sizes", where="fitted")

    def _fits(self, degrees: list[int], sizes: list[int], g: list[int], h: list[int], omega: list[list[int]]) -> bool:
        """Tell whether the counts between groups have the groups' totals."""
        if (len(g), len(h)) != (len(degrees), len(sizes)) or max((*g, *h), default=0) >= self.groups:
            return False
        if len(omega) != self.groups or any(len(row) != self.groups for row in omega):
            return False
        counts = np.array(omega)
        rows = np.bincount(np.array(g, dtype=np.int64), weights=degrees, minlength=self.groups)
        columns = np.bincount(np.array(h, dtype=np.int64), weights=sizes, minlength=self.groups)
        return bool((counts.sum(1) == rows).all() and (counts.sum(0) == columns).all())


def co_clusters(H: Hypergraph, groups: int) -> tuple[IntArray, IntArray]:
    """Divide nodes and hyperedges into groups, by spectral co-clustering; what touches nothing is in group 0.

    Examples
    --------
    >>> g, h = co_clusters(Hypergraph([[0, 1], [1, 2], [0, 2], [3, 4], [4, 5], [3, 5]]), 2)
    >>> bool((g[:3] == h[:3]).all() and (g[3:] == h[3:]).all() and g[0] != g[5])
    True
    """
    g, h = np.zeros(H.n, dtype=np.int64), np.zeros(H.m, dtype=np.int64)
    rows, columns = np.flatnonzero(H.degrees), np.flatnonzero(H.edge_sizes)
    if 1 < groups <= min(len(rows), len(columns)):
        points = _embedding(H.incidence[rows][:, columns].astype(np.float64), groups - 1)
        labels = _divided(points, groups)
        g[rows], h[columns] = np.split(labels, [len(rows)])
    return g, h


def _embedding(matrix: sp.csr_array, dimensions: int) -> NDArray[np.float64]:
    """Place rows and columns by singular vectors of the normalised matrix, the trivial pair taken out."""
    d, k = matrix.sum(1), matrix.sum(0)
    u, v = np.sqrt(d / d.sum()), np.sqrt(k / k.sum())
    N = sp.diags_array(1 / np.sqrt(d)) @ matrix @ sp.diags_array(1 / np.sqrt(k))
    if min(N.shape) <= _DENSE:
        U, _, Vt = np.linalg.svd(N.toarray() - np.outer(u, v), full_matrices=False)
        U, Vt = U[:, :dimensions], Vt[:dimensions]
    else:
        deflated = LinearOperator(
            N.shape,
            matvec=lambda x: N @ x.ravel() - u * (v @ x.ravel()),
            rmatvec=lambda y: N.T @ y.ravel() - v * (u @ y.ravel()),
            dtype=np.float64,
        )
        start = np.random.default_rng(0).standard_normal(min(N.shape))
        U, _, Vt = svds(deflated, k=dimensions, v0=start)
    return np.concatenate((U / np.sqrt(d)[:, None], Vt.T / np.sqrt(k)[:, None]))


def _divided(points: NDArray[np.float64], groups: int) -> IntArray:
    """Divide points by k-means."""
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        # Fewer different points than groups: some groups stay empty.
        warnings.simplefilter("ignore", ConvergenceWarning)
        labels = KMeans(groups, n_init=10, random_state=0).fit(points).labels_
    return np.asarray(labels, dtype=np.int64)
