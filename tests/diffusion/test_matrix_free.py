"""The matrix-free path against the exact one, and its error bound."""

import math

import numpy as np
import pytest
import torch
from scipy.linalg import expm
from scipy.special import ive

import hyperhedge as hh
from hyperhedge.diffusion.batch import encode
from hyperhedge.diffusion.laplacians import sparse_laplacians, spectrum_of
from hyperhedge.diffusion.matrix_free import MatrixFree, chebyshev_degree, edge_action, heat_semigroup, node_action
from hyperhedge.diffusion.process import HeatOU
from hyperhedge.diffusion.schedules import Cosine
from hyperhedge.errors import ScheduleError
from strategies import random_hypergraphs

GRAPHS = [*random_hypergraphs(2, 9, 6, seed=0), hh.Hypergraph([[0, 1], [], [3]], nodes=5)]


@pytest.mark.parametrize("H", GRAPHS, ids=range(3))
def test_actions_are_those_of_the_laplacians(H):
    L_V, L_E = (L.toarray() for L in sparse_laplacians(H))
    np.testing.assert_allclose(node_action(H)(np.eye(H.n)), L_V, atol=1e-13)
    np.testing.assert_allclose(edge_action(H)(np.eye(H.m)), L_E, atol=1e-13)


@pytest.mark.parametrize("t", [1e-3, 0.1, 1.0, 5.0, 30.0])
@pytest.mark.parametrize("tolerance", [1e-3, 1e-6, 1e-10])
def test_the_semigroup_is_within_its_bound(t, tolerance):
    for H in GRAPHS:
        for L, top in zip(sparse_laplacians(H), (1.0, 2.0), strict=True):
            semigroup = heat_semigroup(lambda X, L=L: L @ X, np.eye(L.shape[0]), t, top, tolerance)
            error = np.linalg.norm(semigroup - expm(-t * L.toarray()), 2)
            assert error <= tolerance + 1e-13
    degree, bound = chebyshev_degree(t, 2.0, tolerance)
    assert bound <= tolerance
    tail = 2 * ive(np.arange(degree, degree + 200), t).sum()  # one degree less would not do
    assert degree == 0 or tail > tolerance


def test_a_heat_time_beyond_all_degrees_is_refused():
    with pytest.raises(ScheduleError, match="needs a polynomial of degree above"):
        chebyshev_degree(1e9, 2.0, 1e-12)


class Unit(np.random.Generator):
    """A source of noise that is one at one position of one call, and zero elsewhere."""

    def __init__(self, call, position):
        super().__init__(np.random.PCG64(0))
        self.call, self.position, self.count = call, position, 0

    def standard_normal(self, shape):
        noise = np.zeros(shape)
        if self.count == self.call:
            noise.flat[self.position] = 1.0
        self.count += 1
        return noise


@pytest.mark.parametrize("variant", ["full", "ou", "node", "edge"])
def test_mean_and_covariance_are_the_exact_ones(variant):
    """The state is linear in the noise: feed unit noise to see the whole covariance."""
    H = random_hypergraphs(1, 3, 3, seed=3)[0]
    process = HeatOU(Cosine(2.0), gamma=1.5, tau=0.7, mean=0.3, variant=variant)
    s = 1.4
    law = process.law(encode([H]).matrix, spectrum_of([H]), torch.tensor([s], dtype=torch.float64))
    free = MatrixFree(process, H)
    mean = free.mean(s)
    np.testing.assert_allclose(mean, law.mean_state()[0].numpy(), atol=1e-8)
    calls = len(process._nodes(torch.tensor([s], dtype=torch.float64))[0][0])
    effects = np.array([free.sample(s, Unit(q, k)) - mean for q in range(calls) for k in range(9)]).reshape(-1, 9)
    basis = torch.kron(law.spectrum.U[0], law.spectrum.V[0])
    exact = (basis @ torch.diag(law.variance[0].flatten()) @ basis.T).numpy()
    np.testing.assert_allclose(effects.T @ effects, exact, atol=1e-8)


def test_a_sample_at_a_shape_where_both_run():
    """Means agree to the tolerance at 300 × 200, and the spread is that of the exact law."""
    H = random_hypergraphs(1, 300, 200, density=0.02, seed=4)[0]
    process, s = HeatOU(mean=0.02), 1.0
    law = process.law(encode([H]).matrix, spectrum_of([H]), torch.tensor([s], dtype=torch.float64))
    free = MatrixFree(process, H)
    mean = law.mean_state()[0].numpy()
    np.testing.assert_allclose(free.mean(s), mean, atol=1e-8)
    deviation = free.sample(s, np.random.default_rng(0)) - mean
    modes = law.spectrum.forward(torch.from_numpy(deviation)[None])[0] / law.variance[0].sqrt()
    assert abs(float(modes.var()) - 1) < 5 * math.sqrt(2 / 60_000)
    assert abs(float(modes.mean())) < 5 / math.sqrt(60_000)


def test_times_outside_the_horizon():
    for s in (0.0, 5.0):
        with pytest.raises(ScheduleError, match="the time must be in"):
            MatrixFree(HeatOU(), GRAPHS[0]).mean(s)
