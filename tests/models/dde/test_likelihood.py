"""The likelihood: derivatives, the maximum, and what identifies it."""

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import hyperhedge as hh
from hyperhedge.models.dde import likelihood
from hyperhedge.models.dde.likelihood import Embeddings, Fit, LikelihoodSettings
from strategies import random_hypergraphs

H = random_hypergraphs(1, 14, 30, density=0.3, seed=5)[0]


def settings_of(**changes):
    return LikelihoodSettings(**{"rank": 3, "bound": 6.0, "ridge": 0.3, "passes": 40, "tolerance": 0.0, **changes})


def dense(H):
    return torch.from_numpy(H.incidence.toarray().astype(float))  # nodes in rows


def objective(H, offsets, nodes, edges, ridge):
    """Write the objective down, over nodes that are in some hyperlink."""
    linked = H.degrees > 0
    logits = offsets[linked][:, None] + nodes[linked] @ edges.T
    value = (dense(H)[linked] * logits - torch.nn.functional.softplus(logits)).sum()
    return value - ridge / 2 * (nodes[linked].square().sum() + edges.square().sum())


def parameters_of(fit):
    """Return what a fit holds at this moment, in double precision, for all nodes."""
    offsets, nodes = torch.zeros(fit.n, dtype=torch.double), torch.zeros(fit.n, fit.settings.rank, dtype=torch.double)
    offsets[fit.linked], nodes[fit.linked] = fit.node_rows[:, 0].double(), fit.node_rows[:, 1:].double()
    return offsets, nodes, fit.edge_rows.double()


def fitted(H, **changes):
    fit = Fit(H, settings_of(**changes), 0)
    for _ in range(fit.settings.passes):
        fit.do_pass()
    return fit


# -- derivatives ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("which", ["edge_side", "node_side"])
def test_derivatives_of_a_side_are_those_of_the_objective(which):
    fit = fitted(H, passes=2)
    side = getattr(fit, which)()
    rows = (fit.edge_rows if which == "edge_side" else fit.node_rows).clone()
    _, gradient, hessian = side.derivatives(rows, side.sums)
    offsets, nodes, edges = parameters_of(fit)

    def of_row(row, j):
        if which == "edge_side":
            changed = edges.clone()
            changed[j] = row
            return objective(H, offsets, nodes, changed, 0.3)
        changed, shifted = nodes.clone(), offsets.clone()
        changed[fit.linked[j]], shifted[fit.linked[j]] = row[1:], row[0]
        return objective(H, shifted, changed, edges, 0.3)

    for j in (0, 3, len(rows) - 1):
        row = rows[j].double().requires_grad_()
        expected = torch.autograd.grad(of_row(row, j), row)[0]
        torch.testing.assert_close(gradient[j].double(), expected, rtol=1e-3, atol=1e-3)
        curvature = torch.autograd.functional.hessian(lambda r, j=j: of_row(r, j), rows[j].double())
        torch.testing.assert_close(hessian[j].double(), -curvature, rtol=1e-3, atol=1e-3)


def test_the_objective_is_the_sum_that_it_says():
    fit = fitted(H, passes=3)
    assert fit.objective == pytest.approx(float(objective(H, *parameters_of(fit), 0.3)), rel=1e-5)


def test_without_embeddings_the_null_is_the_likelihood_of_independent_nodes():
    """Offsets from degrees, d/m each; here no node is in all hyperlinks."""
    share = H.degrees[H.degrees > 0] / H.m
    expected = H.m * (share * np.log(share) + (1 - share) * np.log(1 - share)).sum()
    assert Fit(H, settings_of(), 0).null == pytest.approx(expected)


# -- the maximum ----------------------------------------------------------------------------------------


def test_no_pass_lowers_the_objective():
    fit = Fit(H, settings_of(), 0)
    reached = [fit.do_pass() for _ in range(30)]
    assert all(b >= a - 1e-3 for a, b in itertools.pairwise(reached))
    assert reached[-1] > fit.null


def test_at_the_end_the_gradient_is_zero():
    fit = fitted(H, bound=50.0, passes=300)
    parameters = [p.requires_grad_() for p in parameters_of(fit)]
    gradients = torch.autograd.grad(objective(H, *parameters, 0.3), parameters)
    assert max(float(g.abs().max()) for g in gradients) < 0.02


def test_another_optimiser_finds_no_better_maximum():
    fit = fitted(H, bound=50.0, passes=200)
    generator = torch.Generator().manual_seed(0)
    best = -np.inf
    for _ in range(3):
        start = [0.5 * torch.randn(p.shape, generator=generator, dtype=torch.double) for p in parameters_of(fit)]
        start = [p.requires_grad_() for p in start]
        optimiser = torch.optim.LBFGS(start, max_iter=400, line_search_fn="strong_wolfe", tolerance_change=1e-10)

        def loss(start=start, optimiser=optimiser):
            optimiser.zero_grad()
            value = -objective(H, *start, 0.3)
            value.backward()
            return value

        optimiser.step(loss)
        best = max(best, -float(loss().detach()))
    assert fit.objective > best - 0.01 * abs(best)


def test_offsets_make_expected_degrees_right():
    """Offsets have no ridge, so their equations say that every degree is the sum of its probabilities."""
    fit = fitted(H, passes=200)
    found = fit.embeddings()
    logits = found.offsets[fit.linked][:, None] + found.nodes[fit.linked] @ found.edges.T
    np.testing.assert_allclose((1 / (1 + np.exp(-logits))).sum(1), H.degrees[fit.linked], atol=0.02)


def test_embeddings_stay_within_the_bound():
    blocks = hh.Hypergraph([[3 * i, 3 * i + 1, 3 * i + 2] for i in range(8)] * 3)
    for bound in (1.0, 3.0):
        fit = fitted(blocks, ridge=0.0, bound=bound)
        for norms in (fit.edge_rows.norm(dim=1), fit.node_rows[:, 1:].norm(dim=1)):
            assert float(norms.max()) <= bound * 1.0001
        assert float(fit.edge_rows.norm(dim=1).max()) == pytest.approx(bound, rel=1e-3)


def test_logits_come_back_from_simulated_data():
    rng = np.random.default_rng(3)
    n, m, K = 60, 2500, 2
    offsets, nodes, edges = rng.normal(-1.5, 0.5, n), rng.normal(size=(n, K)), rng.normal(size=(m, K))
    logits = offsets[:, None] + nodes @ edges.T
    v, e = np.nonzero(rng.random((n, m)) < 1 / (1 + np.exp(-logits)))
    data = hh.Hypergraph.from_indices(v, e, nodes=n, edges=m)
    found = Fit(data, settings_of(rank=2, ridge=1.0), 0).run()
    guess = found.offsets[:, None] + found.nodes @ found.edges.T
    assert np.corrcoef(guess.ravel(), logits.ravel())[0, 1] > 0.93
    slope, intercept = np.polyfit(guess.ravel(), logits.ravel(), 1)
    assert 0.8 < slope < 1.05  # a guess scatters around the truth, so its slope is below 1
    assert abs(intercept) < 0.4


def test_a_pass_that_adds_little_is_the_last():
    passes = []
    Fit(H, settings_of(tolerance=0.05), 0).run(lambda done, _: passes.append(done) or False)
    assert 3 <= len(passes) < 40
    few = []
    Fit(H, settings_of(), 0).run(lambda done, _: few.append(done) or done == 2)
    assert few == [1, 2]


# -- what must not matter ---------------------------------------------------------------------------------


def test_neither_blocks_nor_threads_matter(monkeypatch):
    whole = fitted(H, passes=6).embeddings()
    monkeypatch.setattr(likelihood, "BLOCK", 50)
    for workers in (1, 3):
        fit = Fit(H, settings_of(passes=6), 0, workers=workers)
        for _ in range(6):
            fit.do_pass()
        np.testing.assert_allclose(fit.embeddings().edges, whole.edges, atol=2e-3)


def test_nodes_without_hyperlinks_have_no_part():
    more = hh.Hypergraph.from_indices(H.indices, np.repeat(np.arange(H.m), H.edge_sizes), nodes=H.n + 3, edges=H.m)
    a, b = fitted(H, passes=4), fitted(more, passes=4)
    assert a.objective == pytest.approx(b.objective)
    found = b.embeddings()
    assert (found.offsets[-3:] == -np.inf).all()
    assert not found.nodes[-3:].any()


# -- identification ----------------------------------------------------------------------------------------


@given(st.integers(1, 4), st.integers(0, 10**6))
@settings(max_examples=25)
def test_normalised_embeddings_have_the_same_logits_and_meet_their_conditions(K, seed):
    rng = np.random.default_rng(seed)
    n, m = 9, 12
    raw = Embeddings(rng.normal(size=n), rng.normal(size=(n, K)) * rng.lognormal(size=K), 1 + rng.normal(size=(m, K)))
    raw.offsets[4], raw.nodes[4] = -np.inf, 0.0
    normal = raw.normalised()
    linked = np.isfinite(raw.offsets)
    assert (np.isfinite(normal.offsets) == linked).all()
    before, after = (e.offsets[linked, None] + e.nodes[linked] @ e.edges.T for e in (raw, normal))
    np.testing.assert_allclose(after, before, atol=1e-6)
    np.testing.assert_allclose(normal.edges.mean(0), 0, atol=1e-9)
    of_edges, of_nodes = normal.edges.T @ normal.edges / m, normal.nodes[linked].T @ normal.nodes[linked] / linked.sum()
    np.testing.assert_allclose(of_edges, of_nodes, atol=1e-6)
    np.testing.assert_allclose(of_edges, np.diag(np.diag(of_edges)), atol=1e-6)
    assert (np.diff(np.diag(of_edges)) <= 1e-9).all()
    peaks = normal.nodes[abs(normal.nodes).argmax(0), np.arange(K)]
    assert (peaks > 0).all()


def test_more_dimensions_than_data_have():
    few = hh.Hypergraph([[0, 1], [2]])
    found = Fit(few, settings_of(rank=6), 0).run()
    assert found.nodes.shape == (3, 6)
    assert np.isfinite(found.nodes).all()
    assert np.isfinite(found.edges).all()
