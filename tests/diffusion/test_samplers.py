"""Samplers on the oracle: exactness, strong orders, stability."""

import math

import numpy as np
import pytest
import torch
from scipy.stats import chisquare

import hyperhedge as hh
from hyperhedge.diffusion.batch import Shapes
from hyperhedge.diffusion.denoiser import Denoiser, Scales
from hyperhedge.diffusion.fields import LearnedField, Oracle
from hyperhedge.diffusion.process import HeatOU, Parts
from hyperhedge.diffusion.projection import threshold
from hyperhedge.diffusion.samplers import (
    SAMPLERS,
    EulerMaruyama,
    Exponential,
    Flow,
    brownian_noise,
    sample,
    time_grid,
)
from hyperhedge.diffusion.schedules import Cosine
from hyperhedge.errors import ScheduleError
from strategies import random_hypergraphs


def distinct_hypergraphs(count, n, m, seed):
    graphs = list(dict.fromkeys(random_hypergraphs(2 * count, n, m, seed=seed)))
    return graphs[:count]


def frequencies(X, graphs):
    """Count how often each training hypergraph was generated; the last count is of all others."""
    index = {H: k for k, H in enumerate(graphs)}
    generated = threshold(X, Shapes.all_equal(len(X), *X.shape[1:]))
    return np.bincount([index.get(H, len(graphs)) for H in generated], minlength=len(graphs) + 1)


@pytest.mark.parametrize("variant", ["full", "ou", "node", "edge"])
def test_proposition_exactness(variant):
    """Reverse sampling with the oracle gives back the training law: 20 hypergraphs, 2,000 samples, χ² at 0.1%."""
    graphs = distinct_hypergraphs(20, 6, 5, seed=0)
    process = HeatOU(Cosine(2.0), gamma=4.0, tau=1.0, mean=0.3, variant=variant)
    oracle = Oracle(process, graphs)
    generator = torch.Generator().manual_seed(0)
    start = process.base_sample(2_000, 6, 5, generator)
    X = sample(Exponential(oracle), start, time_grid(2.0, 40, power=2.0), generator=generator)
    *counts, others = frequencies(X, graphs)
    assert others <= 20  # at least 99% are training hypergraphs, exactly
    assert chisquare(counts).pvalue > 0.001


@pytest.mark.parametrize(("name", "steps"), [("euler-maruyama", 50), ("exponential", 10), ("flow", 10)])
def test_every_sampler_reaches_the_noise_floor(name, steps):
    """Total variation against evaluations; 2,000 samples of the true law itself have 0.035 ± 0.007."""
    graphs = distinct_hypergraphs(16, 8, 6, seed=1)
    process = HeatOU(Cosine(1.0), gamma=8.0, tau=1.0, mean=0.3)
    oracle = Oracle(process, graphs)
    generator = torch.Generator().manual_seed(0)
    start = process.base_sample(2_000, 8, 6, generator)
    X = sample(SAMPLERS[name](oracle), start, time_grid(1.0, steps, power=2.0), generator=generator)
    counts = frequencies(X, graphs) / 2_000
    distance = 0.5 * np.abs(counts - np.append(np.full(16, 1 / 16), 0)).sum()
    assert distance < 0.06


# -- strong order ------------------------------------------------------------------------------------

FINE = 512
START, STOP = 1.9, 1.1  # where the posterior is smooth: further on, paths part for good, and errors are jumps


def brownian(shape, seed):
    """Return the increments of one Brownian path on a fine grid from START down to STOP."""
    generator = torch.Generator().manual_seed(seed)
    h = (START - STOP) / FINE
    return math.sqrt(h) * torch.randn((FINE, *shape), generator=generator, dtype=torch.float64)


@pytest.mark.parametrize(
    ("build", "order"),
    [
        (lambda field: EulerMaruyama(field), 1.0),
        (lambda field: Exponential(field, order=1), 1.0),
        (lambda field: Exponential(field), 1.0),
        (lambda field: Flow(field, order=1), 1.0),
        (lambda field: Flow(field), 2.0),
    ],
    ids=["euler-maruyama", "exponential-1", "exponential-2", "flow-1", "flow-2"],
)
def test_strong_order(build, order):
    """Errors on one Brownian path, regressed on the step.

    The noise is additive, so Euler–Maruyama has strong order 1, not 1/2: the Milstein correction vanishes (the
    paper's corollary gives 1/2, which is not sharp). No scheme that sees the path only through one weighted
    integral a step has more; the exponential scheme's second order is in the drift, and shows as a smaller constant.
    The flow has no noise, and reaches 1 and 2.
    """
    graphs = distinct_hypergraphs(6, 4, 3, seed=2)
    process = HeatOU(Cosine(2.0), gamma=2.0, tau=0.5, mean=0.3)
    oracle = Oracle(process, graphs)
    increments = brownian((64, 4, 3), seed=3)
    start = process.base_sample(64, 4, 3, torch.Generator().manual_seed(4))

    def run(steps):
        sampler = build(oracle)
        grid = [START - (START - STOP) * k / steps for k in range(steps + 1)]
        return sample(sampler, start, grid, noise=brownian_noise(sampler, increments, START, STOP))

    exact = run(FINE)
    steps = [8, 16, 32, 64]
    errors = [float((run(k) - exact).square().sum((-2, -1)).mean().sqrt()) for k in steps]
    slope = -np.polyfit(np.log(steps), np.log(errors), 1)[0]
    assert slope == pytest.approx(order, abs=0.25)


def test_the_exponential_scheme_has_a_smaller_error_than_euler_maruyama():
    graphs = distinct_hypergraphs(6, 4, 3, seed=2)
    process = HeatOU(Cosine(2.0), gamma=2.0, tau=0.5, mean=0.3)
    oracle = Oracle(process, graphs)
    increments = brownian((64, 4, 3), seed=3)
    start = process.base_sample(64, 4, 3, torch.Generator().manual_seed(4))
    errors = {}
    for build in (EulerMaruyama, Exponential):
        runs = []
        for steps in (FINE, 16):
            sampler = build(oracle)
            grid = [START - (START - STOP) * k / steps for k in range(steps + 1)]
            runs.append(sample(sampler, start, grid, noise=brownian_noise(sampler, increments, START, STOP)))
        errors[build] = float((runs[0] - runs[1]).norm())
    assert errors[Exponential] < 0.7 * errors[EulerMaruyama]


# -- stability ---------------------------------------------------------------------------------------


class Perturbed(Oracle):
    """The oracle with a drift that is off by a constant multiple of the state: still linear over one atom."""

    epsilon = 0.2

    def parts(self, X, s):
        exact = super().parts(X, s)
        return Parts(exact.structure + self.epsilon * X, exact.score)


def test_theorem_stability_bound_holds_where_both_sides_are_computed():
    """W₂ between learned and ideal reverse laws against e^{Λ/2} E_rev, by moments in closed form over one atom.

    Over one training hypergraph in the OU variant, without mean, both reverse SDEs are linear with one scalar rate
    c(s) for all entries, and everything is a scalar ODE: the bound must hold at every time, and does.
    """
    H = hh.Hypergraph([[0, 1], [1, 2]], nodes=3)
    process = HeatOU(Cosine(2.0), gamma=1.0, tau=0.5, variant="ou")
    oracle = Oracle(process, [H])
    entries, norm = 6, H.num_incidences
    epsilon, steps = 0.2, 20_000
    end = 0.3
    h = (2.0 - end) / steps
    start = oracle.process.law(oracle.H, oracle.spectrum, torch.tensor([2.0], dtype=torch.float64))
    decay = float(process.mode_factors(*(torch.zeros(1, 1).double(),) * 2, torch.tensor([2.0]).double())[0])
    mean_ideal = decay  # multiples of H; the mean of both laws is one
    mean_learned = 0.0
    var_ideal, var_learned = float(start.variance.flatten()[0]), process.base_variance
    initial = norm * (mean_ideal - mean_learned) ** 2 + entries * (math.sqrt(var_ideal) - math.sqrt(var_learned)) ** 2
    Lambda = integral = 0.0
    times = torch.linspace(2.0, end, steps + 1, dtype=torch.float64)
    betas = process.schedule.beta(times).tolist()
    zero = torch.zeros((steps + 1, 1), dtype=torch.float64)
    decays, _, seconds = (values.flatten().tolist() for values in process.mode_factors(zero, zero, times))
    for k in range(steps):
        beta, v, a = betas[k], 2 * 0.5 * seconds[k], decays[k]
        pull = beta * 1.0 - 2 * 0.5 * beta / v  # u = pull·X + 2τβ a H / v
        push = 2 * 0.5 * beta * a / v
        second_moment = norm * mean_ideal**2 + entries * var_ideal
        integral += h * math.exp(-Lambda) * epsilon**2 * second_moment
        mean_ideal += h * (pull * mean_ideal + push)
        mean_learned += h * ((pull + epsilon) * mean_learned + push)
        var_ideal += h * (2 * pull * var_ideal + 2 * 0.5 * beta)
        var_learned += h * (2 * (pull + epsilon) * var_learned + 2 * 0.5 * beta)
        Lambda += h * (2 * (pull + epsilon) + 1)
        if k % 1000 == 999:
            gap = norm * (mean_ideal - mean_learned) ** 2
            w2 = math.sqrt(gap + entries * (math.sqrt(var_ideal) - math.sqrt(var_learned)) ** 2)
            bound = math.exp(Lambda / 2) * math.sqrt(initial + integral)
            assert 0 < w2 <= bound
    assert mean_ideal == pytest.approx(decays[-1], rel=1e-3)  # the ideal reverse law is the forward marginal
    assert var_ideal == pytest.approx(2 * 0.5 * seconds[-1], rel=1e-3)
    X = torch.ones(1, 3, 2, dtype=torch.float64)
    field = Perturbed(process, [H])
    s = torch.tensor([1.0], dtype=torch.float64)
    torch.testing.assert_close(field.drift(X, s) - oracle.drift(X, s), epsilon * X)


# -- the pieces --------------------------------------------------------------------------------------


def at(field, s):
    return field.surrogate(torch.tensor([s], dtype=torch.float64))


def test_data_prediction_is_exact_when_all_rates_are_one():
    """In the OU variant every rate is 0, the surrogate is the process, and one atom is predicted from anywhere."""
    H = random_hypergraphs(1, 5, 4, seed=5)[0]
    oracle = Oracle(HeatOU(variant="ou", mean=0.3), [H])
    X = torch.randn((3, 5, 4), dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    for s in (0.01, 1.0, 4.0):
        for share in (1.0, 0.5):
            D = oracle.predict_data(X, at(oracle, s), noise_share=share)
            torch.testing.assert_close(D, oracle.H.expand(3, -1, -1), rtol=1e-8, atol=1e-8)


def test_the_bridge_composes():
    """Given the data, two steps of the exponential sampler have the law of one (OU variant, one atom)."""
    H = random_hypergraphs(1, 2, 2, seed=6)[0]
    oracle = Oracle(HeatOU(variant="ou"), [H])

    def gain(x, y):
        return float(Exponential(oracle)._bridge(at(oracle, x), at(oracle, y))[0])

    def variance(x, y):
        return float(Exponential(oracle)._bridge(at(oracle, x), at(oracle, y))[1])

    for s, r, t in ((4.0, 2.0, 1.0), (1.0, 0.5, 0.1)):
        assert gain(s, t) == pytest.approx(gain(s, r) * gain(r, t), rel=1e-9)
        assert variance(s, t) == pytest.approx(gain(r, t) ** 2 * variance(s, r) + variance(r, t), rel=1e-9)


def test_the_last_euler_step_overshoots_as_printed():
    """β/C ~ 3/s for the cosine schedule: a step to 0 multiplies the deviation by −2."""
    H = random_hypergraphs(1, 4, 3, seed=7)[0]
    oracle = Oracle(HeatOU(variant="ou"), [H])
    s, silent = 1e-3, lambda _s, _t, like: torch.zeros_like(like)
    X = oracle.H + 0.01
    (literal,) = EulerMaruyama(oracle, literal=True).walk(X, [s, 0.0], silent)
    torch.testing.assert_close(literal - oracle.H, -2.0 * (X - oracle.H), rtol=1e-2, atol=1e-4)
    (predicted,) = EulerMaruyama(oracle).walk(X, [s, 0.0], silent)
    torch.testing.assert_close(predicted, oracle.H, rtol=0, atol=1e-8)


@pytest.mark.parametrize("name", SAMPLERS)
def test_a_seed_reproduces_a_run_and_the_path_is_kept(name):
    graphs = random_hypergraphs(3, 4, 3, seed=8)
    process = HeatOU()
    sampler = SAMPLERS[name](Oracle(process, graphs))
    results = []
    for _ in range(2):  # with one sampler: a run leaves nothing behind
        generator, path = torch.Generator().manual_seed(5), []
        start = process.base_sample(4, 4, 3, generator)
        X = sample(sampler, start, time_grid(4.0, 6), generator=generator, path=path)
        results.append(X)
        assert len(path) == 7
        assert path[0] is start
        assert path[-1] is X
    assert torch.equal(*results)


@pytest.mark.parametrize("name", SAMPLERS)
def test_the_field_is_evaluated_once_per_step_and_the_surrogate_once_per_time(name, monkeypatch):
    process = HeatOU(Cosine(1.0), gamma=8.0, mean=0.3)
    denoiser = Denoiser(process, 0.3, 0.9, width=16, channels=8, hidden=8, blocks=1)
    denoiser.scales = Scales(*torch.tensor([[0.0, 1.0], [0.5, 0.5], [0.2, 0.1]], dtype=torch.float64))
    integrated, evaluated = [], []
    mode_factors, forward = HeatOU.mode_factors, Denoiser.forward

    def counted_factors(self, lam, mu, s):
        integrated.extend(s.unique().tolist())
        return mode_factors(self, lam, mu, s)

    def counted_forward(self, X, surrogate, *rest):
        evaluated.extend(surrogate.s.unique().tolist())
        return forward(self, X, surrogate, *rest)

    monkeypatch.setattr(HeatOU, "mode_factors", counted_factors)
    monkeypatch.setattr(Denoiser, "forward", counted_forward)
    grid = time_grid(1.0, 7, power=1.25)
    start = process.base_sample(4, 6, 5, torch.Generator().manual_seed(0))
    sample(SAMPLERS[name](LearnedField(denoiser, Shapes.all_equal(4, 6, 5))), start, grid)
    assert evaluated == grid[:-1]
    assert sorted(s for s in integrated if s > 0) == sorted(grid[:-1])


def test_grids():
    assert time_grid(2.0, 2) == [2.0, 1.0, 0.0]
    for steps, power in ((0, 1.0), (3, 0.0)):
        with pytest.raises(ScheduleError, match="at least one step"):
            time_grid(1.0, steps, power=power)
