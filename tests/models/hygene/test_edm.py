"""The diffusion against closed forms: preconditioning, weights, noise levels, and the law that sampling reaches."""

import itertools
import math

import numpy as np
import pytest
import torch

from hyperhedge.models.hygene import edm
from hyperhedge.models.hygene.batch import Values
from small_hygene import everything, labelled_steps
from strategies import random_hypergraphs


def test_factors_keep_inputs_and_targets_at_unit_variance():
    """With data of variance s², the input and the target of the network have variance 1, and the output's error is least."""
    rng = np.random.default_rng(0)
    noise = edm.Noise(scale=0.7)
    data = noise.scale * rng.standard_normal(400_000)
    for sigma in (0.05, 0.5, 4.0):
        noisy = data + sigma * rng.standard_normal(data.shape)
        skip, out, inward = (float(c) for c in noise.coefficients(torch.tensor(sigma, dtype=torch.float64)))
        assert np.var(inward * noisy) == pytest.approx(1, rel=0.01)
        assert np.var((data - skip * noisy) / out) == pytest.approx(1, rel=0.01)
        assert skip == pytest.approx(np.dot(data, noisy) / np.dot(noisy, noisy), abs=0.01)
        assert float(noise.weight(torch.tensor(sigma))) == pytest.approx(1 / out**2)


def test_without_a_network_the_prediction_is_the_scaled_state():
    union = everything([labelled_steps(H)[0] for H in random_hypergraphs(2, 5, 4, seed=0)])
    sizes = len(union.node_graph), len(union.edge_graph), len(union.graph)
    noisy = Values(*(torch.ones(size, dtype=torch.float64) for size in sizes))
    sigma = torch.tensor([0.5, 2.0], dtype=torch.float64)
    seen = {}

    def network(_union, inputs, noise, _embedded, _generator):
        seen.update(inputs=inputs, noise=noise)
        return Values(*(torch.zeros(size) for size in sizes))

    found = edm.denoise(edm.Noise(scale=0.5), network, union, noisy, sigma, before=noisy)
    torch.testing.assert_close(found.nodes, torch.tensor([0.5, 0.25 / 4.25], dtype=torch.float64)[union.node_graph])
    torch.testing.assert_close(seen["noise"], torch.tensor([math.log(0.5) / 4, math.log(2.0) / 4]))
    torch.testing.assert_close(seen["inputs"].edges[:, 0], torch.rsqrt(sigma**2 + 0.25).float()[union.edge_graph])
    assert (seen["inputs"].incidences[:, 1] == 2).all(), "what was predicted before is divided by the data's scale"


def test_noise_levels_fall_from_the_largest_to_zero():
    levels = edm.Noise(most=80.0).sigmas(20)
    assert len(levels) == 21
    assert levels[0] == pytest.approx(80)
    assert levels[-2:] == [pytest.approx(0.002), 0.0]
    assert all(a > b for a, b in itertools.pairwise(levels))
    roots = np.diff(np.array(levels[:-1]) ** (1 / 7))
    np.testing.assert_allclose(roots, roots[0])
    assert edm.Noise(most=80.0).sigmas(1) == [pytest.approx(80), 0.0]


def test_with_the_exact_denoiser_sampling_reaches_the_law():
    """Data that are ±1 with unequal chances: the posterior mean is known, and so is what the sampler must draw."""
    share = 0.7
    calls = []

    def predict(state, sigma, before):
        calls.append(before is not None)
        plus = torch.log(torch.tensor(share / (1 - share))) + 2 * state.nodes / sigma**2
        return Values(torch.tanh(plus / 2), *state[1:])

    generator = torch.Generator().manual_seed(1)

    def noise(like):
        return torch.randn(like.shape, generator=generator, dtype=torch.float64)

    start = Values(noise(torch.zeros(20_000)), torch.zeros(1), torch.zeros(1))
    drawn = edm.sample(edm.Noise(), predict, start, 30, noise).nodes
    assert (drawn.abs() - 1).abs().max() < 0.05
    assert (drawn > 0).double().mean() == pytest.approx(share, abs=0.015)
    assert len(calls) == 2 * 30 - 1
    assert calls == [False] + [True] * 58
