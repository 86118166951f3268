r"""Sampling :math:`X_s` without eigenvectors, for hypergraphs whose Laplacians are too large to decompose.

*The semigroup.* On a spectrum in :math:`[0, r]`, with :math:`z = tr/2` and Chebyshev polynomials :math:`T_k`,

.. math:: e^{-tL} = \sum_k c_k\, T_k\bigl(\tfrac 2r L - I\bigr), \qquad c_0 = e^{-z} I_0(z), \quad c_k = 2 (-1)^k e^{-z} I_k(z),

and, since :math:`|T_k| \le 1` there, stopping at degree :math:`K` costs at most :math:`\sum_{k > K} |c_k|` in the operator
norm. The degree follows from this bound. :math:`L_V` acts as :math:`X - B(B^\top X)` and :math:`L_E` likewise, through the sparse
incidence matrix, so neither Laplacian is ever formed.

*The noise.* The covariance is an integral over the time at which noise enters. Noise that enters at the nodes of the quadrature
rule, with the rule's weights, and is carried on by the semigroup has that covariance up to the rule's error
(:mod:`hyperhedge.diffusion.process`): no square root is needed. From node to node,

.. math:: Z \leftarrow e^{-\gamma\Delta B} e^{-\Delta A L_V} Z e^{-\Delta A L_E}, \qquad
          Z \leftarrow Z + \gamma w_q\beta_q M_0 + \sqrt{2\tau w_q\beta_q}\, \xi_q,

starting with :math:`H`, which also carries the mean.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
import torch
from scipy.special import ive

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.diffusion.laplacians import VARIANTS
from hyperhedge.diffusion.process import HeatOU
from hyperhedge.errors import ScheduleError
from hyperhedge.typing import FloatArray

__all__ = ["MatrixFree", "chebyshev_degree", "edge_action", "heat_semigroup", "node_action", "overlap_degrees"]

Action = Callable[[FloatArray], FloatArray]

NODE_TOP, EDGE_TOP = 1.0, 2.0  # bounds of the spectra of L_V and of L_E
MAX_DEGREE = 2000  # enough for heat times up to 30,000, with horizons of the order of one


def chebyshev_degree(t: float, top: float, tolerance: float) -> tuple[int, float]:
    """Return the lowest degree whose error bound is within a tolerance, and the bound.

    Examples
    --------
    >>> chebyshev_degree(1.0, 2.0, 1e-9)[0]
    9
    """
    z = 0.5 * t * top
    coefficients = 2 * ive(np.arange(MAX_DEGREE), z)
    if not coefficients[-1] <= 1e-6 * tolerance:  # the sum beyond must be negligible too
        raise ScheduleError(f"the heat time {t:.3g} needs a polynomial of degree above {MAX_DEGREE}")
    tails = np.concatenate((np.cumsum(coefficients[::-1])[::-1][1:], [0.0]))
    degree = int(np.argmax(tails <= tolerance))
    return degree, float(tails[degree])


def heat_semigroup(laplacian: Action, X: FloatArray, t: float, top: float, tolerance: float = 1e-10) -> FloatArray:
    r"""Return :math:`e^{-tL} X`, with an error of at most ``tolerance`` times the norm of ``X``."""
    if t == 0:
        return X
    degree, _ = chebyshev_degree(t, top, tolerance)
    z = 0.5 * t * top

    def shifted(Y: FloatArray) -> FloatArray:
        return (2 / top) * laplacian(Y) - Y

    before, now = X, shifted(X)
    result = ive(0, z) * before - 2 * ive(1, z) * now
    for k in range(2, degree + 1):
        before, now = now, 2 * shifted(now) - before
        result += 2 * (-1) ** k * ive(k, z) * now
    return np.asarray(result)


def _inverse_root(values: FloatArray) -> FloatArray:
    return np.divide(1.0, np.sqrt(values), out=np.zeros_like(values), where=values > 0)


def node_action(H: Hypergraph) -> Action:
    r"""Return :math:`X \mapsto L_V X`, through the incidence matrix."""
    left = sp.diags_array(_inverse_root(H.degrees.astype(float)))
    right = sp.diags_array(_inverse_root(H.edge_sizes.astype(float)))
    B = sp.csr_array(left @ H.incidence @ right)
    transposed = sp.csr_array(B.T)
    return lambda X: X - B @ (transposed @ X)


def edge_action(H: Hypergraph) -> Action:
    r"""Return :math:`Y \mapsto L_E Y`, through the incidence matrix; :math:`X L_E` is :math:`(L_E X^\top)^\top`."""
    C = _by_size(H)
    transposed = sp.csr_array(C.T)
    scale = _inverse_root(overlap_degrees(H))[:, None]
    return lambda Y: Y - scale * (transposed @ (C @ (scale * Y)) - scale * Y)


def overlap_degrees(H: Hypergraph) -> FloatArray:
    """Return the row sums of the overlap weights (eq. 3): zero for a hyperedge that overlaps no other one."""
    C = _by_size(H)
    sums = C.T @ (C @ np.ones(H.m)) - (H.edge_sizes > 0)  # the diagonal of Cᵀ C is 1, or 0 for an empty hyperedge
    return np.where(sums > 1e-12, sums, 0.0)


def _by_size(H: Hypergraph) -> sp.csr_array:
    return sp.csr_array(H.incidence @ sp.diags_array(_inverse_root(H.edge_sizes.astype(float))))


@dataclass(frozen=True)
class MatrixFree:
    """Sample states of one hypergraph without eigenvectors.

    Parameters
    ----------
    process
        The forward process.
    hypergraph
        The hypergraph; a state is a dense matrix of its shape, but its Laplacians are never formed.
    tolerance
        The error bound of the semigroup over the whole time, relative to the state.
    """

    process: HeatOU
    hypergraph: Hypergraph
    tolerance: float = 1e-9

    def sample(self, s: float, generator: np.random.Generator) -> FloatArray:
        """Sample :math:`X_s`."""
        return self._state(s, generator.standard_normal)

    def mean(self, s: float) -> FloatArray:
        """Return the mean of :math:`X_s`."""
        return self._state(s, np.zeros)

    def _state(self, s: float, noise: Callable[[tuple[int, ...]], FloatArray]) -> FloatArray:
        """Carry the hypergraph to a time, with noise that enters at the quadrature nodes."""
        if not 0 < s <= self.process.horizon:
            raise ScheduleError(f"the time must be in (0, {self.process.horizon:g}], not {s}")
        H, process = self.hypergraph, self.process
        carry = self._carrier()
        Z = H.incidence.toarray().astype(np.float64)
        M_0 = process.base_mean(torch.zeros((H.n, H.m), dtype=torch.float64)).numpy()
        times, weights = (values[0].numpy() for values in process._nodes(torch.tensor([s], dtype=torch.float64)))
        order = np.argsort(times)
        last = 0.0
        for u, w in zip(times[order], weights[order], strict=True):
            Z = carry(Z, last, float(u), len(times) + 1)
            enters = float(w * process.schedule.beta(torch.tensor(u)))
            Z = Z + process.gamma * enters * M_0 + math.sqrt(2 * process.tau * enters) * noise(Z.shape)
            last = float(u)
        return carry(Z, last, s, len(times) + 1)

    def _carrier(self) -> Callable[[FloatArray, float, float, int], FloatArray]:
        """Return the map that carries a state from one time to a later one."""
        schedule, gamma = self.process.schedule, self.process.gamma
        on_nodes, on_edges = VARIANTS[self.process.variant]
        node, edge = node_action(self.hypergraph), edge_action(self.hypergraph)

        def carry(Z: FloatArray, start: float, stop: float, steps: int) -> FloatArray:
            ends = torch.tensor([start, stop], dtype=torch.float64)
            heat_time, pull_time = (float(values[1] - values[0]) for values in (schedule.A(ends), schedule.B(ends)))
            each = self.tolerance / (2 * steps)
            if on_nodes:
                Z = heat_semigroup(node, Z, heat_time, NODE_TOP, each)
            if on_edges:
                Z = heat_semigroup(edge, np.ascontiguousarray(Z.T), heat_time, EDGE_TOP, each).T
            return math.exp(-gamma * pull_time) * Z

        return carry
