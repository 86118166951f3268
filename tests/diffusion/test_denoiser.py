"""The denoiser: its targets against the process, each of its features, its symmetry, and that it learns."""

import itertools
import math

import numpy as np
import pytest
import torch
from hypothesis import given as for_all
from hypothesis import strategies as st
from scipy.integrate import quad

from hyperhedge import Hypergraph
from hyperhedge.diffusion.batch import Shapes, encode
from hyperhedge.diffusion.denoiser import Denoiser, Marginals, _within_reach
from hyperhedge.diffusion.fields import LearnedField, typical_rate
from hyperhedge.diffusion.laplacians import Spectrum, sparse_laplacians, spectrum_of
from hyperhedge.diffusion.process import HeatOU
from hyperhedge.diffusion.projection import threshold
from hyperhedge.diffusion.samplers import Exponential, sample, time_grid
from hyperhedge.diffusion.schedules import Cosine
from hyperhedge.errors import ScheduleError
from strategies import random_hypergraphs, regular_hypergraph

GRAPHS = random_hypergraphs(6, 8, 5, 0.3, seed=0)
PROCESS = HeatOU(Cosine(1.0), gamma=8.0).with_density_of(GRAPHS)
NETWORK = {"width": 32, "channels": 8, "hidden": 16, "blocks": 2}


def normal(H, generator):
    """Sample standard normal noise for every entry."""
    return torch.randn(H.shape, generator=generator, dtype=H.dtype)


def made(graphs=GRAPHS, process=PROCESS, *, dtype=torch.float64, seed=0, given="nothing"):
    torch.manual_seed(seed)
    H, spectrum = encode(graphs).matrix.to(dtype), spectrum_of(graphs).to(dtype=dtype)
    density = float(H[spectrum.shapes.mask].double().mean())
    denoiser = Denoiser(process, density, typical_rate(spectrum.variant(process.variant)), given=given, **NETWORK).to(
        dtype
    )
    denoiser.measure_scales([(H, spectrum)], torch.Generator().manual_seed(0), points=12)
    return denoiser, H, spectrum


def times(*values):
    return torch.tensor(values, dtype=torch.float64)


@pytest.mark.parametrize("variant", ["full", "ou", "node", "edge"])
def test_targets_are_the_drift_solved_for_the_data(variant):
    """D* from the conditional drift as a whole, Q* from the Laplacians as matrices."""
    process = HeatOU(Cosine(1.0), gamma=8.0, tau=0.7, variant=variant).with_density_of(GRAPHS)
    denoiser, H, spectrum = made(process=process)
    s = times(0.05, 0.2, 0.4, 0.6, 0.8, 1.0)
    targets = denoiser.targets(H, spectrum, s, normal(H, torch.Generator().manual_seed(1)))
    law = process.law(H, spectrum, s)
    drift = process.reverse_drift(law, targets.X, s)
    rates = torch.full((6, 1), denoiser.rate, dtype=torch.float64)
    a, first, second = process.mode_factors(rates, torch.zeros_like(rates), s)
    b, v, beta = 8.0 * first, 2 * 0.7 * second, process.schedule.beta(s)[:, None, None]
    X, M_0 = targets.X, process.mean
    linear = (1 - beta) * denoiser.rate * X + beta * 8.0 * (X - M_0)
    data = (X + v * (drift - linear) / (2 * 0.7 * beta) - b * M_0) / a
    torch.testing.assert_close(targets.data, data, rtol=1e-8, atol=1e-8)
    node, edge = variant in ("full", "node"), variant in ("full", "edge")
    for k, G in enumerate(GRAPHS):
        L_V, L_E = (torch.from_numpy(L.toarray()) for L in sparse_laplacians(G))
        heat = node * L_V @ X[k] + edge * X[k] @ L_E
        structure = v[k] * (1 - beta[k]) / (2 * 0.7 * beta[k] * a[k]) * (heat - denoiser.rate * X[k])
        torch.testing.assert_close(targets.structure[k], structure, rtol=1e-9, atol=1e-9)


def test_targets_transform_the_state_once():
    """Into the modes goes the hypergraph alone; out of them come the state, its heat and its score."""
    denoiser, H, spectrum = made()
    counts = {"forward": 0, "backward": 0}

    class Counting(Spectrum):
        def forward(self, X):
            counts["forward"] += 1
            return super().forward(X)

        def backward(self, X):
            counts["backward"] += 1
            return super().backward(X)

    counting = Counting(**vars(spectrum))
    denoiser.targets(H, counting, times(0.1, 0.2, 0.4, 0.6, 0.8, 1.0), normal(H, torch.Generator().manual_seed(1)))
    assert counts == {"forward": 1, "backward": 3}


@pytest.mark.parametrize("variant", ["full", "ou", "node", "edge"])
@pytest.mark.parametrize(("horizon", "gamma"), [(1.0, 8.0), (4.0, 2.0)])
def test_targets_are_within_reach(variant, horizon, gamma):
    """Where predictions are clipped, no conditional target lies: a network that knows them is not changed."""
    process = HeatOU(Cosine(horizon), gamma=gamma, variant=variant).with_density_of(GRAPHS)
    denoiser, H, spectrum = made(process=process)
    for share in (0.003, 0.03, 0.1, 0.3, 0.6, 1.0):
        s = torch.full((60,), share * horizon, dtype=torch.float64)
        many = torch.arange(len(H)).repeat(10)
        targets = denoiser.targets(H[many], spectrum[many], s, normal(H[many], torch.Generator().manual_seed(1)))
        P = denoiser.inputs(targets.X, targets.surrogate, spectrum[many].shapes)[2]
        data, structure = denoiser.scales.at(s)
        for c, wanted in ((data, targets.data - P), (structure, targets.structure)):
            torch.testing.assert_close(_within_reach(c, wanted / c), wanted)


def test_the_posterior_is_exact_for_independent_entries_and_no_heat():
    """Without heat the surrogate is the process, and P is Bayes' rule, entry by entry."""
    process = HeatOU(Cosine(1.0), gamma=8.0, mean=0.25, variant="ou")
    denoiser = Denoiser(process, 0.25, 0.0, **NETWORK)
    X, s = torch.randn(2, 4, 3, dtype=torch.float64), times(0.3, 0.7)
    P = denoiser.inputs(X, denoiser.surrogate(s), Shapes.all_equal(2, 4, 3))[2]
    for b in range(2):
        one, zero = (
            process.law(
                torch.full((1, 4, 3), h, dtype=torch.float64),
                spectrum_of([Hypergraph([[0]] * 3, nodes=4)]),
                s[b : b + 1],
            )
            for h in (1.0, 0.0)
        )
        weights = [
            p * torch.exp(-0.5 * (X[b] - law.mean_state()[0]) ** 2 / law.variance[0])
            for p, law in ((0.25, one), (0.75, zero))
        ]
        torch.testing.assert_close(P[b], weights[0] / sum(weights), rtol=1e-7, atol=1e-9)


# -- what the network sees --------------------------------------------------------------------------


def surrogate_by_quadrature(process, rate, s):
    """Return a, b and v of one time for the cosine schedule on [0, 1], with integrals by a general-purpose routine."""
    B = lambda u: u / 2 - math.sin(math.pi * u) / (2 * math.pi)  # noqa: E731
    exponent = lambda u: rate * (s - B(s) - u + B(u)) + process.gamma * (B(s) - B(u))  # noqa: E731
    first, second = (
        quad(lambda u, k=k: math.sin(math.pi * u / 2) ** 2 * math.exp(-k * exponent(u)), 0, s)[0] for k in (1, 2)
    )
    return math.exp(-exponent(0.0)), process.gamma * first, 2 * process.tau * second


def soft_laplacians(P):
    """Equations 2 to 4 for a relaxed matrix with positive entries, entry by entry."""
    n, m = P.shape
    d, k = P.sum(1), P.sum(0)
    L_V, A = np.eye(n), np.zeros((m, m))
    for u, v in itertools.product(range(n), repeat=2):
        L_V[u, v] -= sum(P[u, e] * P[v, e] / k[e] for e in range(m)) / math.sqrt(d[u] * d[v])
    for e, f in itertools.permutations(range(m), 2):
        A[e, f] = P[:, e] @ P[:, f] / math.sqrt(k[e] * k[f])
    overlap = A.sum(1)
    return L_V, np.eye(m) - A / np.sqrt(np.outer(overlap, overlap))


def features_by_definition(X, s, denoiser, given, sizes, degrees):
    """Return every feature of a state without padding by name, one entry at a time."""
    (n, m), density, M_0 = X.shape, denoiser.density, denoiser.process.mean
    a, b, v = surrogate_by_quadrature(denoiser.process, denoiser.rate, s)
    P = np.zeros((n, m))
    for i, j in itertools.product(range(n), range(m)):
        prior = {"nothing": density, "sizes": sizes[j] / n, "both": sizes[j] * degrees[i] / sum(sizes)}[given]
        prior = min(max(prior, 1e-4), 1 - 1e-4)
        one, zero = (math.exp(-((X[i, j] - a * h - b * M_0) ** 2) / (2 * v)) for h in (1, 0))
        P[i, j] = prior * one / (prior * one + (1 - prior) * zero)
    L_V, L_E = soft_laplacians(P)
    typical_degree, typical_size = density * m, density * n
    values = {}
    for i, j in itertools.product(range(n), range(m)):
        walks = sum(P[i, f] * P[u, f] * P[u, j] for f in range(m) for u in range(n))
        values[i, j] = {
            "state": (X[i, j] - a * density - b * M_0) / math.sqrt(v + a**2 * density * (1 - density)),
            "posterior": 4 * P[i, j],
            "node_heat_of_state": (sum(L_V[i, u] * X[u, j] for u in range(n)) - X[i, j]) / math.sqrt(v + 0.1),
            "edge_heat_of_state": (sum(X[i, f] * L_E[f, j] for f in range(m)) - X[i, j]) / math.sqrt(v + 0.1),
            "node_heat_of_posterior": 4 * sum(L_V[i, u] * P[u, j] for u in range(n)),
            "edge_heat_of_posterior": 4 * sum(P[i, f] * L_E[f, j] for f in range(m)),
            "walks": walks / (typical_degree + typical_size),
            "degree": math.log((sum(P[i]) + 0.01) / (typical_degree + 0.01)),
            "edge_size": math.log((sum(P[:, j]) + 0.01) / (typical_size + 0.01)),
        }
        if given != "nothing":
            values[i, j]["given_edge_size"] = 2 * math.log((sizes[j] + 0.5) / (typical_size + 0.5))
            values[i, j]["edge_size_excess"] = (sum(P[:, j]) - sizes[j]) / math.sqrt(sizes[j] + 1)
        if given == "both":
            values[i, j]["given_degree"] = 2 * math.log((degrees[i] + 0.5) / (typical_degree + 0.5))
            values[i, j]["degree_excess"] = (sum(P[i]) - degrees[i]) / math.sqrt(degrees[i] + 1)
    return values


@pytest.mark.parametrize("given", ["nothing", "sizes", "both"])
def test_every_feature_is_what_its_name_says(given):
    """Two states of different shapes in one batch, against loops; the order is that of saved models."""
    process = HeatOU(Cosine(1.0), gamma=8.0, tau=0.7, mean=0.3)
    denoiser = Denoiser(process, 0.35, 0.9, given=given, **NETWORK)
    graphs = [Hypergraph([[0, 1], [1, 2], [0, 2, 3]]), Hypergraph([[0, 1], [0, 2], [1, 2], [0, 1, 2]])]
    batch, s = encode(graphs), times(0.4, 0.7)
    noise = torch.randn(batch.matrix.shape, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    X = (0.4 * batch.matrix + 0.2 * noise) * batch.shapes.mask
    features, context, _ = denoiser.inputs(X, denoiser.surrogate(s), batch.shapes, Marginals.of(batch.matrix))
    assert features.shape == (2, 4, 4, denoiser.network.config.features)
    for k, H in enumerate(graphs):
        inside = X[k, : H.n, : H.m].numpy()
        expected = features_by_definition(
            inside, float(s[k]), denoiser, given, H.edge_sizes.tolist(), H.degrees.tolist()
        )
        for (i, j), by_name in expected.items():
            assert list(denoiser.features) == list(by_name)
            assert features[k, i, j].tolist() == pytest.approx(list(by_name.values()), rel=1e-9, abs=1e-9)
        for name, column in zip(denoiser.features, features[k, : H.n, : H.m].flatten(0, 1).T, strict=True):
            assert column.abs().max() > 0.01, name  # otherwise a missing feature would go unnoticed
        a, _, v = surrogate_by_quadrature(process, 0.9, float(s[k]))
        snr = math.log(a / math.sqrt(v))
        waves = [function(f * snr) for function in (math.sin, math.cos) for f in (0.25, 0.5, 1.0, 2.0, 4.0)]
        assert context[k].tolist() == pytest.approx([*waves, snr / 3], rel=1e-9)


def test_one_time_for_all_states_is_the_same_as_one_each():
    denoiser = Denoiser(PROCESS, 0.3, 0.9, **NETWORK)
    X, shapes = torch.randn(3, 5, 4, dtype=torch.float64), Shapes.all_equal(3, 5, 4)
    for one, each in zip(
        denoiser.inputs(X, denoiser.surrogate(times(0.4)), shapes),
        denoiser.inputs(X, denoiser.surrogate(times(0.4, 0.4, 0.4)), shapes),
        strict=True,
    ):
        torch.testing.assert_close(one, each)


# -- scales, symmetry, learning ---------------------------------------------------------------------


def test_scales_are_those_of_what_is_predicted():
    denoiser, H, spectrum = made()
    s = torch.full((len(H),), float(denoiser.scales.times[6]), dtype=torch.float64)
    squares = torch.zeros(2, dtype=torch.float64)
    generator = torch.Generator().manual_seed(5)
    for _ in range(200):
        targets = denoiser.targets(H, spectrum, s, normal(H, generator))
        P = denoiser.inputs(targets.X, targets.surrogate, spectrum.shapes)[2]
        squares += torch.stack((((targets.data - P) ** 2).mean(), (targets.structure**2).mean())) / 200
    scales = torch.stack([c[0, 0, 0] for c in denoiser.scales.at(s)]).double()
    torch.testing.assert_close(scales, squares.sqrt(), rtol=0.25, atol=0.0)  # one sample of 240 entries against 200


@for_all(st.integers(0, 10**6))
def test_the_field_is_equivariant_and_padding_changes_nothing(seed):
    denoiser, _, _ = made(seed=1)
    with torch.no_grad():
        for parameter in denoiser.parameters():
            parameter.add_(0.1 * torch.randn(parameter.shape, generator=torch.Generator().manual_seed(2)))
    generator = torch.Generator().manual_seed(seed)
    X, s = torch.randn(1, 6, 4, dtype=torch.float64, generator=generator), denoiser.surrogate(times(0.4))
    rows, columns = torch.randperm(6, generator=generator), torch.randperm(4, generator=generator)
    shapes = Shapes.all_equal(1, 6, 4)
    D, Q = denoiser(X, s, shapes)
    moved = denoiser(X[:, rows][:, :, columns], s, shapes)
    padded = torch.zeros(1, 9, 5, dtype=torch.float64)
    padded[:, :6, :4] = X
    among = denoiser(padded, s, Shapes.of([6], [4], rows=9, columns=5))
    for there, back, wide in zip((D, Q), moved, among, strict=True):
        torch.testing.assert_close(there[:, rows][:, :, columns], back, rtol=1e-6, atol=1e-7)
        torch.testing.assert_close(wide[:, :6, :4], there, rtol=1e-6, atol=1e-7)


def test_overlap_that_degrees_do_not_show_is_seen():
    """Two 2-regular hypergraphs, 8 × 8; only one has two hyperedges that share two nodes."""
    plain, paired = regular_hypergraph([8]), regular_hypergraph([6, 2])
    assert (plain.degrees == 2).all()
    assert (paired.degrees == 2).all()
    assert int(paired.overlaps.max()) == 2
    assert int(plain.overlaps.max()) == 1
    denoiser, _, _ = made([plain, paired])
    with torch.no_grad():
        for parameter in denoiser.parameters():
            parameter.add_(0.1 * torch.randn(parameter.shape, generator=torch.Generator().manual_seed(3)))
    shapes, s = Shapes.all_equal(1, 8, 8), denoiser.surrogate(times(0.3))
    outputs = [
        denoiser(encode([H]).matrix, s, shapes)[0].sort(dim=1).values.sort(dim=2).values for H in (plain, paired)
    ]
    assert (outputs[0] - outputs[1]).abs().max() > 1e-3


@pytest.mark.full
def test_it_learns_a_law_that_entries_do_not_show():
    """Four hypergraphs in random orders: samples are isomorphic to one of them, which independent entries hardly ever are."""
    atoms = random_hypergraphs(4, 6, 4, 0.4, seed=3)
    generator = torch.Generator().manual_seed(0)
    process = HeatOU(Cosine(1.0), gamma=8.0).with_density_of(atoms)
    shuffled = [
        H.permute(
            nodes=torch.randperm(6, generator=generator).tolist(), edges=torch.randperm(4, generator=generator).tolist()
        )
        for H in atoms
        for _ in range(200)
    ]
    shuffled = [H.relabel(nodes=range(6), edges=range(4)) for H in shuffled]
    denoiser, H, spectrum = made(shuffled, process, dtype=torch.float32)
    optimiser = torch.optim.AdamW(denoiser.parameters(), lr=3e-3)
    for step in range(3000):
        for group in optimiser.param_groups:
            group["lr"] = 3e-3 * min(1.0, step / 100) * (1 - step / 3000)
        members = torch.randint(len(H), (64,), generator=generator)
        s = (torch.rand(64, generator=generator, dtype=torch.float64) * 0.98 + 0.02) ** 1.5
        targets = denoiser.targets(H[members], spectrum[members], s, normal(H[members], generator))
        optimiser.zero_grad()
        denoiser.losses(denoiser.network, targets, spectrum.shapes[members]).mean().backward()
        optimiser.step()
    shapes = Shapes.all_equal(200, 6, 4)
    start = process.base_sample(200, 6, 4, generator)
    states = sample(
        Exponential(LearnedField(denoiser, shapes)), start, time_grid(1.0, 40, power=1.25), generator=generator
    )
    known = {H.canonical_hash for H in atoms}
    share = sum(H.canonical_hash in known for H in threshold(states, shapes)) / 200
    assert share > 0.15  # independent entries at the same density: 0.0035; one seed of this gave 0.33


def test_missing_scales_and_matrices_as_means_are_refused():
    denoiser = Denoiser(PROCESS, 0.3, 1.0, **NETWORK)
    with pytest.raises(ScheduleError, match="no scales yet"):
        denoiser(torch.zeros(1, 3, 3), denoiser.surrogate(times(0.5)), Shapes.all_equal(1, 3, 3))
    with pytest.raises(ScheduleError, match="one number"):
        Denoiser(HeatOU(mean=torch.zeros(3, 3)), 0.3, 1.0)
