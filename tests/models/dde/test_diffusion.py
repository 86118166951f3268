"""The diffusion of embeddings: the flow against laws with a known score, and what the network learns."""

import itertools

import numpy as np
import pytest
import torch
from scipy import stats
from torch import nn

from hyperhedge.models.dde.diffusion import (
    LEAST,
    MOST,
    ScoreMatching,
    ScoreNetwork,
    Standard,
    levels_of,
    sampled_embeddings,
)
from hyperhedge.models.weights import seeded_weights
from hyperhedge.train.settings import TrainingSettings
from hyperhedge.train.trainer import Trainer

CENTRES, WEIGHTS, WIDTH = np.array([[-1.2, 0.6], [0.8, 0.9], [0.6, -1.3]]), np.array([0.5, 0.2, 0.3]), 0.25


def mixture(count, rng):
    """Sample the mixture of normal laws of these centres and weights."""
    return CENTRES[rng.choice(3, size=count, p=WEIGHTS)] + WIDTH * rng.standard_normal((count, 2))


class ExactMixture(nn.Module):
    """The best guess of the data if these follow the mixture, in closed form."""

    def forward(self, noisy, level, _hypergraph):
        centres, variance = torch.tensor(CENTRES, dtype=noisy.dtype), WIDTH**2
        total = variance + level[:, None, None] ** 2
        distance = (noisy[:, None] - centres).square().sum(-1, keepdim=True)
        share = (torch.tensor(WEIGHTS).log()[:, None] - distance / (2 * total)).softmax(1)
        guess = centres + variance / total * (noisy[:, None] - centres)
        return (share * guess).sum(1).to(noisy.dtype)


def likeness(a, b):
    """Return the least p-value of Kolmogorov–Smirnov tests along several directions."""
    angles = np.linspace(0, np.pi, 5)[:-1]
    return min(stats.ks_2samp(a @ [np.cos(x), np.sin(x)], b @ [np.cos(x), np.sin(x)]).pvalue for x in angles)


# -- the flow -----------------------------------------------------------------------------------------------


def test_with_the_exact_guess_the_flow_samples_the_law():
    rng = np.random.default_rng(0)
    samples = sampled_embeddings(ExactMixture(), 0, 4000, 2, 40, rng)
    assert likeness(samples, mixture(20_000, rng)) > 1e-3


def test_a_dozen_and_a_half_steps_are_enough():
    a, b = (sampled_embeddings(ExactMixture(), 0, 2000, 2, steps, np.random.default_rng(1)) for steps in (18, 200))
    assert np.quantile(abs(a - b), 0.99) < 0.05


def test_an_untrained_network_samples_standard_normal_numbers():
    """Its guess is that for standard normal data, and the flow then keeps the normal law."""
    samples = sampled_embeddings(ScoreNetwork(3, 16, 1), 0, 5000, 3, 18, np.random.default_rng(2))
    assert abs(samples.mean(0)).max() < 4.5 / np.sqrt(5000)
    np.testing.assert_allclose(np.cov(samples.T), np.eye(3), atol=0.09)
    assert stats.kstest(samples[:, 0], "norm").pvalue > 1e-3


@pytest.mark.parametrize("steps", [2, 3, 18, 100])
def test_levels_fall_from_the_most_to_zero(steps):
    levels = levels_of(steps)
    assert len(levels) == steps + 1
    assert levels[0] == pytest.approx(MOST)
    assert levels[-2] == pytest.approx(LEAST)
    assert levels[-1] == 0
    assert all(a > b for a, b in itertools.pairwise(levels))
    np.testing.assert_allclose(np.diff(np.power(levels[:-1], 1 / 7), n=2), 0, atol=1e-12)


def test_many_embeddings_are_sampled_in_parts(monkeypatch):
    network = ScoreNetwork(2, 8, 1)
    whole = sampled_embeddings(network, 0, 23, 2, 5, np.random.default_rng(3))
    monkeypatch.setattr("hyperhedge.models.dde.diffusion.AT_ONCE", 7)
    np.testing.assert_allclose(sampled_embeddings(network, 0, 23, 2, 5, np.random.default_rng(3)), whole, atol=1e-5)
    assert sampled_embeddings(network, 0, 0, 2, 5, np.random.default_rng(3)).shape == (0, 2)


# -- the task -----------------------------------------------------------------------------------------------


def test_the_exact_guess_has_the_least_loss():
    rng = np.random.default_rng(4)
    task = ScoreMatching(torch.from_numpy(mixture(20_000, rng)), torch.zeros(20_000, dtype=torch.long))
    chosen, *noise = task.sample_batch(20_000, torch.Generator().manual_seed(0))
    batch = (chosen, *(x.double() for x in noise))

    class Shifted(ExactMixture):
        def forward(self, noisy, level, hypergraph):
            return super().forward(noisy, level, hypergraph) + 0.1 * level[:, None]

    losses = [float(task.losses(module, batch).mean()) for module in (ExactMixture(), Shifted())]
    assert losses[0] < losses[1]
    untrained = task.losses(ScoreNetwork(2, 8, 1).double(), batch)
    assert losses[0] < 0.9 * float(untrained.detach().mean())


def test_the_loss_of_a_guess_is_its_weighted_squared_error():
    """Standard normal data and the guess for them, y / (1 + s²): the error is s² / (1 + s²), so the weighted one is 1."""
    data = torch.randn(50_000, 2, generator=torch.Generator().manual_seed(1))
    task = ScoreMatching(data, torch.zeros(50_000, dtype=torch.long))
    chosen, level, noise = task.sample_batch(50_000, torch.Generator().manual_seed(2))
    losses = task.losses(ScoreNetwork(2, 8, 1), (chosen, level, noise)).detach()
    assert losses.shape == (50_000,)
    for part in (level < 0.1, (level > 0.5) & (level < 2), level > 3):
        assert float(losses[part].mean()) == pytest.approx(1, abs=0.06)


def test_levels_are_log_normal():
    data = torch.zeros(3, 1)
    _, level, noise = ScoreMatching(data, torch.zeros(3, dtype=torch.long)).sample_batch(
        20_000, torch.Generator().manual_seed(3)
    )
    assert stats.kstest((level.log().numpy() + 1.0) / 1.6, "norm").pvalue > 1e-3
    assert stats.kstest(noise[:, 0].numpy(), "norm").pvalue > 1e-3


def trained(data, hypergraph, iterations):
    with seeded_weights(0):
        network = ScoreNetwork(data.shape[1], 64, int(hypergraph.max()) + 1)
    task = ScoreMatching(torch.from_numpy(data.astype(np.float32)), torch.from_numpy(hypergraph))
    settings = TrainingSettings(iterations=iterations, batch_size=256, workers=1, ema=0.99)
    Trainer(network, task, settings, device="cpu").run()
    return network.eval()


def test_the_network_learns_a_mixture():
    rng = np.random.default_rng(5)
    raw = mixture(3000, rng)
    standard = Standard.of(raw)
    network = trained(standard.standardised(raw), np.zeros(3000, dtype=np.int64), 1500)
    samples = standard.restored(sampled_embeddings(network, 0, 3000, 2, 18, rng))
    nearest = np.linalg.norm(samples[:, None] - CENTRES, axis=2)
    np.testing.assert_allclose(np.bincount(nearest.argmin(1)) / 3000, WEIGHTS, atol=0.06)
    assert (nearest.min(1) < 4 * WIDTH).mean() > 0.95
    real = mixture(3000, rng)
    for axis in (0, 1):
        assert stats.ks_2samp(samples[:, axis], real[:, axis]).statistic < 0.07
    np.testing.assert_allclose(np.cov(samples.T), np.cov(real.T), atol=0.12)


def test_one_network_serves_several_hypergraphs():
    """Two sets of embeddings with opposite signs of one coordinate: the code tells which is asked for."""
    rng = np.random.default_rng(6)
    which = np.repeat([0, 1], 500)
    data = 0.2 * rng.standard_normal((1000, 1)) + np.where(which == 0, 1.0, -1.0)[:, None]
    network = trained(data, which, 400)
    for k, sign in ((0, 1), (1, -1)):
        samples = sampled_embeddings(network, k, 500, 1, 18, rng)
        assert (np.sign(samples[:, 0]) == sign).mean() > 0.97
        assert abs(samples.mean() - sign) < 0.15


# -- standardising ----------------------------------------------------------------------------------------


def test_standardised_embeddings_come_back():
    rng = np.random.default_rng(7)
    raw = rng.normal(3, [1.0, 10.0, 0.01], (200, 3))
    raw[:, 1] = 5.0
    standard = Standard.of(raw)
    z = standard.standardised(raw)
    np.testing.assert_allclose(z[:, [0, 2]].mean(0), 0, atol=1e-9)
    np.testing.assert_allclose(z[:, [0, 2]].std(0), 1)
    assert not z[:, 1].any()
    np.testing.assert_allclose(standard.restored(z), raw)
    assert (standard.restored(rng.normal(size=(9, 3)))[:, 1] == 5.0).all()


def test_standardising_nothing():
    standard = Standard.of(np.zeros((0, 2)))
    assert standard.standardised(np.zeros((0, 2))).shape == (0, 2)
    assert Standard.of(np.zeros((1, 2))).restored(np.ones((1, 2))).tolist() == [[0.0, 0.0]]
