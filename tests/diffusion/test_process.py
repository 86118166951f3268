"""The conditional law against independent solutions: matrix ODEs, simulation, quadrature, autograd."""

import math

import mpmath
import numpy as np
import pytest
import torch
from scipy.integrate import solve_ivp

import hyperhedge as hh
from hyperhedge.diffusion.batch import encode
from hyperhedge.diffusion.laplacians import sparse_laplacians, spectrum_of, spectrum_of_batch
from hyperhedge.diffusion.process import HeatOU, Parts, choose_horizon
from hyperhedge.diffusion.schedules import Cosine, Custom, Linear, Power
from hyperhedge.errors import ScheduleError
from strategies import random_hypergraphs

VARIANTS = ["full", "ou", "node", "edge"]
H = hh.Hypergraph([[0, 1], [1, 2], [0, 1, 2]], nodes=4)  # node 3 is isolated


def double(*values):
    return torch.tensor(values, dtype=torch.float64)


def law_at(process, graphs, s):
    batch = encode(graphs)
    return process.law(batch.matrix, spectrum_of(graphs), torch.full((len(graphs),), s, dtype=torch.float64))


def dense_covariance(law, n, m):
    """Return the covariance of the vectorised state (rows first) from the law's modes."""
    basis = torch.kron(law.spectrum.U[0], law.spectrum.V[0])
    assert basis.shape == (n * m, n * m)
    return basis @ torch.diag(law.variance[0].flatten()) @ basis.T


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("mean", [0.0, 0.3, "matrix"])
def test_equations_10_and_11_against_the_matrix_ode(variant, mean):
    """The nm × nm system of Proposition 3.2, integrated by a general-purpose solver."""
    n, m, s = 4, 3, 1.3
    if mean == "matrix":
        mean = torch.randn((n, m), dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    process = HeatOU(Cosine(2.0), gamma=1.5, tau=0.7, mean=mean, variant=variant)
    L_V, L_E = (L.toarray() for L in sparse_laplacians(H))
    node, edge = variant in ("full", "node"), variant in ("full", "edge")
    heat = node * np.kron(L_V, np.eye(m)) + edge * np.kron(np.eye(n), L_E)
    M_0 = process.base_mean(torch.zeros(n, m, dtype=torch.float64)).numpy().flatten()

    def slope(u, y):
        beta = math.sin(math.pi * u / 4) ** 2
        B = (1 - beta) * heat + beta * 1.5 * np.eye(n * m)
        average, C = y[: n * m], y[n * m :].reshape(n * m, n * m)
        change = -B @ C - C @ B.T + 2 * 0.7 * beta * np.eye(n * m)
        return np.concatenate([-B @ average + beta * 1.5 * M_0, change.flatten()])

    start = np.concatenate([H.incidence.toarray().flatten(), np.zeros((n * m) ** 2)])
    end = solve_ivp(slope, (0, s), start, rtol=1e-11, atol=1e-13, method="DOP853").y[:, -1]
    law = law_at(process, [H], s)
    np.testing.assert_allclose(law.mean_state()[0].flatten(), end[: n * m], atol=1e-9)
    np.testing.assert_allclose(dense_covariance(law, n, m), end[n * m :].reshape(n * m, n * m), atol=1e-9)


def test_the_law_against_a_fine_simulation():
    """Moments of 20,000 Euler–Maruyama paths of 400 steps, within 5 standard errors and the O(Δs) bias."""
    process = HeatOU(Cosine(2.0), gamma=1.5, tau=0.7, mean=0.2)
    L_V, L_E = (torch.from_numpy(L.toarray()) for L in sparse_laplacians(H))
    heat = torch.kron(L_V, torch.eye(3).double()) + torch.kron(torch.eye(4).double(), L_E)
    generator = torch.Generator().manual_seed(0)
    paths, steps, end = 20_000, 400, 1.5
    X = encode([H]).matrix.flatten(1).repeat(paths, 1)
    h = end / steps
    for k in range(steps):
        s = double(k * h)
        alpha, beta = float(process.schedule.alpha(s)), float(process.schedule.beta(s))
        drift = -alpha * X @ heat - beta * 1.5 * (X - 0.2)
        X = X + h * drift + math.sqrt(2 * 0.7 * beta * h) * torch.randn(X.shape, generator=generator, dtype=X.dtype)
    X = X.reshape(paths, 4, 3)
    law = law_at(process, [H], end)
    variance = torch.diagonal(dense_covariance(law, 4, 3)).reshape(4, 3)
    standard_error = (variance / paths).sqrt()
    assert ((X.mean(0) - law.mean_state()[0]).abs() < 5 * standard_error + 2 * h).all()
    assert ((X.var(0) / variance - 1).abs() < 5 * math.sqrt(2 / paths) + 2 * h).all()
    C = dense_covariance(law, 4, 3)
    spread = (variance.flatten()[:, None] * variance.flatten()).sqrt()
    assert ((torch.cov(X.flatten(1).T) - C).abs() < (5 * math.sqrt(2 / paths) + 2 * h) * spread).all()


def exact_integrals(schedule_name, horizon, gamma, omega, s):
    """Return I₁ and I₂ by quadrature with 25 digits."""
    mpmath.mp.dps = 25
    S, g, w, t = (mpmath.mpf(x) for x in (horizon, gamma, omega, s))
    if schedule_name == "cosine":
        beta = lambda u: mpmath.sin(mpmath.pi * u / (2 * S)) ** 2  # noqa: E731
        B = lambda u: u / 2 - S / (2 * mpmath.pi) * mpmath.sin(mpmath.pi * u / S)  # noqa: E731
    else:
        p = {"linear": mpmath.mpf(1), "power": mpmath.mpf(2.5)}[schedule_name]
        beta = lambda u: (u / S) ** p  # noqa: E731
        B = lambda u: u * (u / S) ** p / (p + 1)  # noqa: E731
    A = lambda u: u - B(u)  # noqa: E731
    return [
        mpmath.quad(lambda u, k=k: beta(u) * mpmath.exp(-k * (w * (A(t) - A(u)) + g * (B(t) - B(u)))), [0, t / 2, t])
        for k in (1, 2)
    ]


@pytest.mark.parametrize(
    ("name", "schedule", "gamma"),
    [
        ("cosine", Cosine(1.0), 8.0),
        ("cosine", Cosine(4.0), 2.0),
        ("cosine", Cosine(10.0), 3.0),
        ("linear", Linear(2.0), 1.0),
        ("power", Power(2.0, 2.5), 1.0),
    ],
)
def test_precision_for_all_times_and_rates(name, schedule, gamma):
    """float64 within 1e-10 and float32 within 1e-4, relatively, for s in [1e-4 S, S] and ω in [0, 3]."""
    process = HeatOU(schedule, gamma=gamma)
    lam, mu = double(0.0, 0.3, 1.0), double(0.0, 2.0)
    for share in (1e-4, 1e-2, 0.1, 0.4, 1.0):
        s = double(share * schedule.horizon)
        rates = [float(a + b) for a in lam for b in mu]
        exact = [exact_integrals(name, schedule.horizon, gamma, rate, float(s)) for rate in rates]
        expected = torch.tensor([[float(value) for value in pair] for pair in exact], dtype=torch.float64).T
        for dtype, tolerance in ((torch.float64, 1e-10), (torch.float32, 1e-4)):
            integrals = process.mode_factors(lam.to(dtype)[None], mu.to(dtype)[None], s)[1:]
            ratio = torch.stack([values.flatten().double() for values in integrals]) / expected
            assert ((ratio - 1).abs() < tolerance).all()


def test_a_custom_schedule_gives_the_same_law():
    same = Custom(4.0, lambda s: torch.sin(math.pi * s / 8) ** 2, begins_as=2.0)
    custom, built_in = HeatOU(same), HeatOU(Cosine(4.0))
    for s in (0.01, 1.0, 4.0):
        for a, b in zip(
            custom.mode_factors(double(0.0, 1.0)[None], double(0.0, 2.0)[None], double(s)),
            built_in.mode_factors(double(0.0, 1.0)[None], double(0.0, 2.0)[None], double(s)),
            strict=True,
        ):
            torch.testing.assert_close(a, b, rtol=1e-11, atol=0)


@pytest.mark.parametrize("variant", VARIANTS)
def test_score_and_drift_against_autograd_of_the_log_density(variant):
    graphs = random_hypergraphs(3, 5, 4, seed=2)
    process = HeatOU(Cosine(2.0), gamma=1.5, tau=0.7, mean=0.3, variant=variant)
    batch, spectrum, s = encode(graphs), spectrum_of(graphs), double(0.1, 0.9, 2.0)
    law = process.law(batch.matrix, spectrum, s)
    X = law.sample(torch.Generator().manual_seed(0)).requires_grad_()
    (gradient,) = torch.autograd.grad(law.log_prob(X).sum(), X)
    torch.testing.assert_close(law.score(X), gradient)
    alpha, beta = (f(s)[:, None, None] for f in (process.schedule.alpha, process.schedule.beta))
    node, edge = variant in ("full", "node"), variant in ("full", "edge")
    for b, G in enumerate(graphs):
        L_V, L_E = (torch.from_numpy(L.toarray()) for L in sparse_laplacians(G))
        heat = node * L_V @ X[b] + edge * X[b] @ L_E
        expected = alpha[b] * heat + beta[b] * 1.5 * (X[b] - 0.3) + 2 * 0.7 * beta[b] * gradient[b]
        torch.testing.assert_close(process.reverse_drift(law, X, s)[b], expected)
    dense = torch.distributions.MultivariateNormal(
        law.mean_state()[0].flatten(),
        dense_covariance(process.law(batch.matrix[:1], spectrum_of(graphs[:1]), s[:1]), 5, 4),
    )
    torch.testing.assert_close(law.log_prob(X)[0], dense.log_prob(X[0].flatten()))


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("mean", [0.0, 0.3, "matrix"])
def test_states_and_parts_sampled_together_are_those_of_the_law(variant, mean):
    graphs = [*random_hypergraphs(2, 5, 4, seed=3), *random_hypergraphs(1, 3, 6, seed=4)]
    if mean == "matrix":
        mean = torch.rand((5, 6), dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    process, s = HeatOU(mean=mean, variant=variant), double(0.01, 1.0, 4.0)
    batch, spectrum = encode(graphs), spectrum_of(graphs)
    noise = torch.randn(batch.matrix.shape, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    X, parts = process.sample_with_parts(batch.matrix, spectrum, s, noise)
    law = process.law(batch.matrix, spectrum, s)
    expected = process.parts(law, X, s)
    torch.testing.assert_close(X, law.from_noise(noise))
    torch.testing.assert_close(parts.structure, expected.structure, rtol=1e-9, atol=1e-11)
    torch.testing.assert_close(parts.score, expected.score, rtol=1e-7, atol=1e-9)


def test_the_surrogate_is_the_law_when_all_rates_are_one():
    """In the OU variant every mode has the rate 0: mean and variance are those of the surrogate."""
    process, s = HeatOU(Cosine(2.0), gamma=1.5, tau=0.7, mean=0.3, variant="ou"), double(0.01, 0.8, 2.0)
    graphs = random_hypergraphs(3, 5, 4, seed=2)
    law, surrogate = process.law(encode(graphs).matrix, spectrum_of(graphs), s), process.surrogate(0.0, s)
    torch.testing.assert_close(surrogate.mean(encode(graphs).matrix, 0.3), law.mean_state())
    torch.testing.assert_close(surrogate.v.expand_as(law.variance), law.variance)
    torch.testing.assert_close(surrogate.log_snr, torch.log(surrogate.a / surrogate.v.sqrt()))


def test_at_time_0_the_surrogate_is_the_data():
    start = HeatOU().surrogate(0.7, double(0.0, 1.0))
    assert (float(start.a[0]), float(start.b[0]), float(start.v[0])) == (1.0, 0.0, 0.0)
    assert len(start[1:].s) == 1
    assert torch.equal(start[1:].v, start.v[1:])
    single = start.to(torch.float32)
    assert single.a.dtype == single.noise.dtype == torch.float32
    assert single.s is start.s


@pytest.mark.parametrize("rate", [0.0, 0.9])
def test_predictions_solve_the_drift_of_the_surrogate(rate):
    """Equation 14 with one rate and a known D is u = αω̄X + βγ(X − M₀) − 2τβ(X − aD − bM₀)/v; and back again."""
    process, s = HeatOU(Cosine(2.0), gamma=1.5, tau=0.7, mean=0.3), double(0.05, 0.9, 2.0)
    surrogate, generator = process.surrogate(rate, s), torch.Generator().manual_seed(0)
    X, structure, score = torch.randn((3, 3, 5, 4), dtype=torch.float64, generator=generator)
    parts = Parts(structure, score)
    D, Q = surrogate.predictions(X, parts, 0.3)
    alpha, beta = (f(s)[:, None, None] for f in (process.schedule.alpha, process.schedule.beta))
    a, b, v = surrogate.a, surrogate.b, surrogate.v
    u = alpha * rate * X + beta * 1.5 * (X - 0.3) - 2 * 0.7 * beta * (X - a * D - b * 0.3) / v
    torch.testing.assert_close(u, process.combine(parts, X, s), rtol=1e-9, atol=1e-9)
    flow = alpha * rate * X + beta * 1.5 * (X - 0.3) - 0.7 * beta * (X - a * (D + Q) - b * 0.3) / v
    torch.testing.assert_close(flow, process.combine(parts, X, s, noise_share=0.5), rtol=1e-9, atol=1e-9)
    back = surrogate.parts(X, D, Q, 0.3)
    torch.testing.assert_close(back.structure, structure, rtol=1e-9, atol=1e-9)
    torch.testing.assert_close(back.score, score, rtol=1e-9, atol=1e-9)


def test_padding_changes_neither_law_nor_drift():
    graphs = [*random_hypergraphs(2, 5, 4, seed=3), *random_hypergraphs(1, 3, 6, seed=4)]
    process, s = HeatOU(mean=0.2), double(0.4, 1.0, 3.0)
    batch = encode(graphs, rows=8, columns=7)
    for spectrum in (spectrum_of(graphs, rows=8, columns=7), spectrum_of_batch(batch)):
        law = process.law(batch.matrix, spectrum, s)
        X = law.sample(torch.Generator().manual_seed(0))
        drift, log_prob = process.reverse_drift(law, X, s), law.log_prob(X)
        for matrices in (X, drift, law.score(X)):
            assert (matrices[~batch.shapes.mask] == 0).all()
        for b, G in enumerate(graphs):
            alone = process.law(encode([G]).matrix, spectrum_of([G]), s[b : b + 1])
            inside = X[b : b + 1, : G.n, : G.m]
            torch.testing.assert_close(process.reverse_drift(alone, inside, s[b : b + 1])[0], drift[b, : G.n, : G.m])
            torch.testing.assert_close(alone.log_prob(inside)[0], log_prob[b])


def test_lemma_equivariance_of_law_score_and_drift():
    """Lemma A.13: p(PXQᵀ | PHQᵀ) = p(X | H), and the score and the drift move along."""
    rng = np.random.default_rng(0)
    process, s = HeatOU(mean=0.2), double(0.7)
    G = random_hypergraphs(1, 6, 5, seed=5)[0]
    p, q = rng.permutation(6), rng.permutation(5)
    law, moved = law_at(process, [G], 0.7), law_at(process, [G.permute(nodes=p, edges=q)], 0.7)
    X = law.sample(torch.Generator().manual_seed(0))
    Y = X[:, p][:, :, q]
    torch.testing.assert_close(moved.log_prob(Y), law.log_prob(X))
    torch.testing.assert_close(moved.mean_state(), law.mean_state()[:, p][:, :, q])
    torch.testing.assert_close(moved.score(Y), law.score(X)[:, p][:, :, q])
    torch.testing.assert_close(process.reverse_drift(moved, Y, s), process.reverse_drift(law, X, s)[:, p][:, :, q])


def test_samples_have_the_law():
    process = HeatOU(mean=0.2)
    G = random_hypergraphs(1, 3, 3, seed=6)[0]
    law = law_at(process, [G] * 20_000, 1.0)
    flat = law.sample(torch.Generator().manual_seed(0)).flatten(1)
    one = law_at(process, [G], 1.0)
    covariance = dense_covariance(one, 3, 3)
    error = (covariance.diagonal() / 20_000).sqrt()
    assert ((flat.mean(0) - one.mean_state().flatten()).abs() < 5 * error).all()
    assert ((torch.cov(flat.T) - covariance).abs() < 5 * covariance.diagonal().max() / math.sqrt(20_000)).all()


def test_base_distance_is_that_of_the_two_gaussians():
    graphs = random_hypergraphs(2, 5, 4, seed=7)
    process = HeatOU(Cosine(1.0), gamma=2.0, tau=0.8, mean=0.25)
    batch, spectrum = encode(graphs), spectrum_of(graphs)
    kl, w2 = process.base_distance(batch.matrix, spectrum)
    base = torch.distributions.MultivariateNormal(
        torch.full((20,), 0.25, dtype=torch.float64), 0.4 * torch.eye(20).double()
    )
    for b, G in enumerate(graphs):
        law = law_at(process, [G], 1.0)
        C = dense_covariance(law, 5, 4)
        true = torch.distributions.MultivariateNormal(law.mean_state()[0].flatten(), C)
        torch.testing.assert_close(kl[b], torch.distributions.kl_divergence(true, base))
        root = torch.linalg.eigvalsh(C).sqrt()  # covariances commute: W₂² = ‖m − m₀‖² + ‖C½ − C₀½‖²
        expected = (law.mean_state()[0] - 0.25).square().sum() + (root - math.sqrt(0.4)).square().sum()
        torch.testing.assert_close(w2[b], expected.sqrt())


def test_the_horizon_follows_from_a_tolerance():
    graphs = random_hypergraphs(4, 8, 6, seed=8)
    batch, spectrum = encode(graphs), spectrum_of(graphs)
    process = HeatOU(Cosine(4.0), gamma=2.0, tau=0.5, mean=0.3)
    horizon = choose_horizon(process, batch.matrix, spectrum, tolerance=0.02)

    def at(S):
        shorter = HeatOU(Cosine(S), gamma=2.0, tau=0.5, mean=0.3)
        return float(shorter.base_distance(batch.matrix, spectrum)[0].mean())

    assert at(horizon) <= 0.02 < at(0.98 * horizon)


def test_base_samples():
    process = HeatOU(gamma=4.0, tau=1.0, mean=0.3)
    X = process.base_sample(5_000, 3, 2, torch.Generator().manual_seed(0))
    assert abs(float(X.mean()) - 0.3) < 5 * 0.5 / math.sqrt(30_000)
    assert abs(float(X.var()) - 0.25) < 5 * 0.25 * math.sqrt(2 / 30_000)
    assert process.base_variance == 0.25


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: HeatOU(gamma=0.0), "gamma must be a positive number, not 0.0"),
        (lambda: HeatOU(gamma=-1.0), "gamma must be a positive number"),
        (lambda: HeatOU(tau=math.nan), "tau must be a positive number, not nan"),
        (lambda: HeatOU(mean=math.inf), "base mean must be finite"),
        (lambda: HeatOU(Custom(1.0, lambda s: torch.where(s > 0.3, s, 0.01 * s))), "not smooth enough"),
        (lambda: law_at(HeatOU(), [H], 0.0), r"times must be in \(0, 4\]"),
        (lambda: law_at(HeatOU(), [H], 4.5), r"times must be in \(0, 4\]"),
        (lambda: law_at(HeatOU(), [H], math.nan), r"times must be in \(0, 4\]"),
        (
            lambda: HeatOU().law(encode([H]).matrix, spectrum_of([H]), double(1.0, 1.0)),
            r"s must have the shape \(1,\), one time per hypergraph, not \(2,\)",
        ),
        (
            lambda: HeatOU().law(torch.zeros(1, 2, 2), spectrum_of([H]), double(1.0)),
            r"H has the shape \(1, 2, 2\), but the spectrum is of matrices \(1, 4, 3\)",
        ),
        (lambda: law_at(HeatOU(mean=torch.zeros(2, 2)), [H], 1.0), r"the base mean has the shape \(2, 2\)"),
        (lambda: HeatOU().with_density_of([]), "needs at least one hypergraph"),
        (
            lambda: HeatOU().law(math.nan * encode([H]).matrix, spectrum_of([H]), double(1.0)),
            "H contains NaN or infinity",
        ),
        (lambda: choose_horizon(HeatOU(gamma=1e-4), encode([H]).matrix, spectrum_of([H])), "no horizon up to"),
    ],
)
def test_bad_parameters_get_one_clear_error(build, message):
    with pytest.raises(ScheduleError, match=message):
        build()
