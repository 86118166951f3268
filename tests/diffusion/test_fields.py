"""The fields: Lemma A.3, Theorem A.5 and its equivariance for the oracle, and what the learned field predicts."""

import itertools

import pytest
import torch

import hyperhedge as hh
from hyperhedge.diffusion.batch import Shapes, encode
from hyperhedge.diffusion.denoiser import Denoiser, Scales
from hyperhedge.diffusion.fields import LearnedField, Oracle, ReverseField
from hyperhedge.diffusion.laplacians import spectrum_of
from hyperhedge.diffusion.process import HeatOU
from hyperhedge.diffusion.schedules import Cosine
from hyperhedge.errors import ScheduleError
from strategies import random_hypergraphs

VARIANTS = ["full", "ou", "node", "edge"]
PROCESS = HeatOU(Cosine(2.0), gamma=1.5, tau=0.6, mean=0.2)
GRAPHS = random_hypergraphs(5, 5, 4, seed=0)


def times(s, count):
    return torch.full((count,), s, dtype=torch.float64)


def states(oracle, count, s, seed=0):
    """Sample states of the marginal law."""
    generator = torch.Generator().manual_seed(seed)
    which = torch.randint(len(oracle.H), (count,), generator=generator)
    return oracle.process.law(oracle.H[which], oracle.spectrum[which], times(s, count)).sample(generator)


def conditional(oracle, X, s, k):
    which = torch.tensor([k] * len(X))
    return oracle.process.law(oracle.H[which], oracle.spectrum[which], s)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("s", [0.2, 1.0, 2.0])
def test_theorem_posterior_average_of_the_conditional_drifts(variant, s):
    """The oracle is Σ πᵢ u*_{s|Hᵢ}, with weights from the conditional densities."""
    process = HeatOU(Cosine(2.0), gamma=1.5, tau=0.6, mean=0.2, variant=variant)
    oracle = Oracle(process, GRAPHS)
    X = states(oracle, 6, s)
    laws = [conditional(oracle, X, times(s, 6), k) for k in range(5)]
    log_p = torch.stack([law.log_prob(X) for law in laws], dim=1)
    torch.testing.assert_close(oracle.log_joint(X, s), log_p)
    weights = torch.exp(log_p - log_p.logsumexp(1, keepdim=True))
    torch.testing.assert_close(oracle.posterior(X, s), weights)
    drifts = torch.stack([process.reverse_drift(law, X, times(s, 6)) for law in laws], dim=1)
    expected = (weights[:, :, None, None] * drifts).sum(1)
    torch.testing.assert_close(oracle.drift(X, times(s, 6)), expected)


@pytest.mark.parametrize("s", [0.1, 1.0, 2.0])
def test_theorem_mixture_score_identity(s):
    """Σ πᵢ rᵢ is the gradient of the log of the mixture's density, by autograd."""
    oracle = Oracle(PROCESS, GRAPHS)
    X = states(oracle, 6, s).requires_grad_()
    (gradient,) = torch.autograd.grad(oracle.log_prob(X, s).sum(), X)
    torch.testing.assert_close(oracle.parts(X, times(s, 6)).score, gradient)


def test_lemma_marginal_drift_satisfies_the_fokker_planck_equation():
    """∂p/∂s = −∇·(b̄ p) + τβ ∇²p for the mixture, with b̄ = −structure − βγ(X − M₀); by autograd and a difference in s."""
    graphs = [hh.Hypergraph([[0, 1], [1]]), hh.Hypergraph([[0], [0, 1]]), hh.Hypergraph([[1], [0]])]
    oracle = Oracle(PROCESS, graphs)
    s, h = 0.8, 1e-4
    X = states(oracle, 5, s)
    beta = float(PROCESS.schedule.beta(torch.tensor(s, dtype=torch.float64)))

    def density(x):
        return oracle.log_prob(x.reshape(1, 2, 2), s).exp()[0]

    def flux(x):
        parts = oracle.parts(x.reshape(1, 2, 2), times(s, 1))
        drift = -parts.structure[0].flatten() - beta * 1.5 * (x - 0.2)
        return drift * density(x)

    for state in X:
        x = state.flatten()
        slope = (oracle.log_prob(state[None], s + h).exp() - oracle.log_prob(state[None], s - h).exp()) / (2 * h)
        divergence = torch.autograd.functional.jacobian(flux, x).trace()
        laplacian = torch.autograd.functional.hessian(density, x).trace()
        torch.testing.assert_close(slope[0], -divergence + 0.6 * beta * laplacian, rtol=1e-5, atol=1e-8)


def test_theorem_the_oracle_minimises_the_regression_loss():
    """Over states of the marginal law, no constant multiple or shift of the oracle regresses the targets better."""
    oracle = Oracle(PROCESS, GRAPHS)
    s, count = 1.2, 4_000
    generator = torch.Generator().manual_seed(1)
    which = torch.randint(5, (count,), generator=generator)
    law = PROCESS.law(oracle.H[which], oracle.spectrum[which], times(s, count))
    X = law.sample(generator)
    target, field = PROCESS.reverse_drift(law, X, times(s, count)), oracle.drift(X, times(s, count))
    residual = target - field
    for direction in (field, X, torch.ones_like(X), X.pow(2), field.pow(2)):
        inner = (residual * direction).sum((-2, -1))  # orthogonal to every function of the state
        assert abs(inner.mean()) < 5 * inner.std() / count**0.5


def test_theorem_equivariance_of_the_oracle():
    """With a training set that is closed under permutations, u(PXQᵀ) = P u(X) Qᵀ and the density is invariant."""
    base = hh.Hypergraph([[0, 1], [1, 2]], nodes=3)
    closed = [
        base.permute(nodes=p, edges=q)
        for p in itertools.permutations(range(3))
        for q in itertools.permutations(range(2))
    ]
    oracle = Oracle(PROCESS, closed)
    X, s = states(oracle, 4, 0.7), 0.7
    for p, q in (([2, 0, 1], [1, 0]), ([1, 0, 2], [0, 1])):
        Y = X[:, p][:, :, q]
        torch.testing.assert_close(oracle.log_prob(Y, s), oracle.log_prob(X, s))
        torch.testing.assert_close(oracle.drift(Y, times(s, 4)), oracle.drift(X, times(s, 4))[:, p][:, :, q])


def test_one_training_hypergraph_gives_the_conditional_drift():
    oracle = Oracle(PROCESS, GRAPHS[:1])
    X, s = states(oracle, 3, 0.5), times(0.5, 3)
    expected = PROCESS.reverse_drift(conditional(oracle, X, s, 0), X, s)
    torch.testing.assert_close(oracle.drift(X, s), expected)


def test_the_flow_has_half_the_score():
    """The velocity of the probability-flow ODE is the reverse drift less τβ times the score."""
    oracle = Oracle(PROCESS, GRAPHS)
    X, s = states(oracle, 3, 0.5), times(0.5, 3)
    beta = PROCESS.schedule.beta(s)[:, None, None]
    expected = oracle.drift(X, s) - 0.6 * beta * oracle.parts(X, s).score
    torch.testing.assert_close(oracle.velocity(X, s), expected)


def random_denoiser(process, rate, given="nothing"):
    """Return a denoiser with random weights: nothing hides behind layers that begin with zero."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        denoiser = Denoiser(process, 0.3, rate, given=given, width=16, channels=8, hidden=8, blocks=1)
        for parameter in denoiser.parameters():
            parameter.data.add_(0.2 * torch.randn_like(parameter))
    denoiser.scales = Scales(*torch.tensor([[0.0, 2.0], [0.3, 0.5], [0.2, 0.1]], dtype=torch.float64))
    return denoiser


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("s", [0.01, 0.6, 2.0])
def test_the_learned_prediction_is_that_of_its_drift(variant, s):
    """The network's D, or D + Q for the flow, without going through the drift: solving the drift gives the same."""
    process = HeatOU(Cosine(2.0), gamma=1.5, tau=0.6, mean=0.2, variant=variant)
    field = LearnedField(random_denoiser(process, 0.9), Shapes.all_equal(3, 5, 4))
    X = process.base_sample(3, 5, 4, torch.Generator().manual_seed(0))
    surrogate = field.surrogate(times(s, 1))
    D, Q = field.denoiser(X.float(), surrogate, field.shapes)
    assert Q.abs().max() > 0.01
    beta = process.schedule.beta(times(s, 1))
    for share, motion, expected in ((1.0, field.drift, D), (0.5, field.velocity, D + Q)):
        predicted = field.predict_data(X, surrogate, noise_share=share)
        assert predicted.dtype == torch.float64
        torch.testing.assert_close(predicted, expected.double(), rtol=0, atol=1e-6)
        linear = (1 - beta) * 0.9 * X + beta * 1.5 * (X - 0.2)
        score = (motion(X, times(s, 3)) - linear) / (2 * 0.6 * share * beta)
        solved = (X + surrogate.v * score - surrogate.b * 0.2) / surrogate.a
        torch.testing.assert_close(predicted, solved, rtol=1e-8, atol=1e-8)
        generic = ReverseField.predictions(field, X, surrogate)
        torch.testing.assert_close(predicted, generic[0] + (1 / share - 1) * generic[1], rtol=1e-8, atol=1e-8)


def test_a_denoiser_that_knows_the_targets_is_the_conditional_drift():
    """D* and Q* hold all that the drift and the flow are made of."""
    s, process = torch.tensor([0.05, 0.2, 0.6, 1.0, 2.0], dtype=torch.float64), PROCESS
    denoiser, (H, spectrum) = random_denoiser(process, 0.9), (encode(GRAPHS).matrix, spectrum_of(GRAPHS))
    noise = torch.randn(H.shape, generator=torch.Generator().manual_seed(1), dtype=H.dtype)
    targets = denoiser.targets(H, spectrum, s, noise)

    class Known(LearnedField):
        def predictions(self, _X, _surrogate):
            return targets.data, targets.structure

    field, law = Known(denoiser, spectrum.shapes), process.law(H, spectrum, s)
    torch.testing.assert_close(
        field.drift(targets.X, s), process.reverse_drift(law, targets.X, s), rtol=1e-7, atol=1e-7
    )
    expected = process.parts(law, targets.X, s)
    torch.testing.assert_close(field.parts(targets.X, s).structure, expected.structure, rtol=1e-8, atol=1e-8)
    flow = process.combine(expected, targets.X, s, noise_share=0.5)
    torch.testing.assert_close(field.velocity(targets.X, s), flow, rtol=1e-7, atol=1e-7)


def test_times_may_differ_within_a_batch():
    oracle = Oracle(PROCESS, GRAPHS)
    X, s = states(oracle, 3, 0.5), torch.tensor([0.3, 0.5, 1.0], dtype=torch.float64)
    together = oracle.drift(X, s)
    for b in range(3):
        torch.testing.assert_close(together[b : b + 1], oracle.drift(X[b : b + 1], s[b : b + 1]))


def test_weights_do_not_underflow_far_from_the_data():
    oracle = Oracle(PROCESS, GRAPHS)
    weights = oracle.posterior(1e3 * torch.ones(2, 5, 4, dtype=torch.float64), 0.01)
    assert torch.isfinite(weights).all()
    torch.testing.assert_close(weights.sum(1), torch.ones(2, dtype=torch.float64))


def test_training_sets_of_no_or_several_shapes_are_refused():
    for graphs in ([], [hh.Hypergraph([[0]]), hh.Hypergraph([[0, 1]])]):
        with pytest.raises(ScheduleError, match="the same shape"):
            Oracle(PROCESS, graphs)


def test_remark_on_the_one_sided_lipschitz_constant():
    """Remark A.9 counts the OU term as −βγ and the heat term as 0; the sign of both in reverse time is the other.

    The largest eigenvalue of the symmetrised Jacobian of the exact drift at a state of the marginal law is κ there.
    With the score's own constant L measured at the same state, the remark says κ ≤ −βγ + 2τβL. In truth the heat
    term adds up to α(λ + μ) and the OU term +βγ.
    """
    oracle = Oracle(HeatOU(Cosine(2.0), gamma=1.5, tau=0.6), GRAPHS[:1])  # one atom: everything is linear
    s = 1.0
    x = states(oracle, 1, s)[0].flatten()
    beta = float(oracle.process.schedule.beta(torch.tensor(s, dtype=torch.float64)))

    def top(function):
        J = torch.autograd.functional.jacobian(lambda y: function(y.reshape(1, 5, 4)).flatten(), x)
        return float(torch.linalg.eigvalsh((J + J.T) / 2).max())

    kappa = top(lambda Y: oracle.drift(Y, times(s, 1)))
    score = top(lambda Y: oracle.parts(Y, times(s, 1)).score)
    claimed = -beta * 1.5 + 2 * 0.6 * beta * score
    rates = spectrum_of(GRAPHS[:1]).rates
    variance = conditional(oracle, x.reshape(1, 5, 4), times(s, 1), 0).variance
    exact = float(((1 - beta) * rates + beta * 1.5 - 2 * 0.6 * beta / variance).max())
    assert kappa == pytest.approx(exact, rel=1e-9)
    assert kappa > claimed + 0.5  # the remark's bound is violated, and not by rounding
    assert kappa <= (1 - beta) * float(rates.max()) + beta * 1.5 + 2 * 0.6 * beta * score + 1e-12
