"""Marginals that are given: the prior they make, and that a trained drift sees them and nothing of the order."""

import copy

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from hyperhedge.diffusion.batch import Shapes
from hyperhedge.diffusion.denoiser import Denoiser, Marginals
from hyperhedge.diffusion.fields import LearnedField
from hyperhedge.diffusion.process import HeatOU
from hyperhedge.diffusion.schedules import Cosine
from hyperhedge.errors import ScheduleError
from small_hedge import MIXED, quick

GIVEN = ("nothing", "sizes", "both")


@pytest.fixture(scope="module")
def trained():
    """Return drifts that a few steps of training have moved from where they began, in double precision."""
    models = {kind: quick(given=kind, warmup=3).fit(MIXED[:6]) for kind in GIVEN}
    return {kind: copy.deepcopy(model._denoiser).double() for kind, model in models.items()}


def times(*values):
    return torch.tensor(values, dtype=torch.float64)


@st.composite
def cases(draw):
    """Draw a state with marginals, and orders of its nodes and hyperedges."""
    n, m = draw(st.integers(1, 9)), draw(st.integers(1, 7))
    generator = torch.Generator().manual_seed(draw(st.integers(0, 10**6)))
    X = torch.randn((1, n, m), generator=generator, dtype=torch.float64)
    k = torch.randint(0, n + 1, (1, 1, m), generator=generator).double()
    d = torch.randint(0, m + 1, (1, n, 1), generator=generator).double()
    orders = torch.randperm(n, generator=generator), torch.randperm(m, generator=generator)
    return X, Marginals(k, d), orders, draw(st.sampled_from([0.02, 0.3, 0.7, 1.0]))


def reordered(X, marginals, orders):
    rows, columns = orders
    return X[:, rows][:, :, columns], Marginals(marginals.edge_sizes[:, :, columns], marginals.degrees[:, rows])


def padded(X, marginals, rows, columns):
    """Put a state into a larger one; its marginals beyond are zero, as those of padded matrices are."""
    _, n, m = X.shape
    wide = torch.zeros((1, n + rows, m + columns), dtype=X.dtype)
    k, d = torch.zeros((1, 1, m + columns), dtype=X.dtype), torch.zeros((1, n + rows, 1), dtype=X.dtype)
    wide[:, :n, :m], k[:, :, :m], d[:, :n] = X, marginals.edge_sizes, marginals.degrees
    return wide, Marginals(k, d), Shapes.of([n], [m], rows=n + rows, columns=m + columns)


@pytest.mark.parametrize("kind", GIVEN)
@settings(max_examples=40)
@given(case=cases())
def test_reordering_state_and_marginals_reorders_the_prediction(trained, kind, case):
    X, marginals, orders, s = case
    sizes = Shapes.all_equal(1, *X.shape[1:])
    with torch.no_grad():
        there = trained[kind](X, trained[kind].surrogate(times(s)), sizes, marginals)
        moved, moved_marginals = reordered(X, marginals, orders)
        back = trained[kind](moved, trained[kind].surrogate(times(s)), sizes, moved_marginals)
    for first, second in zip(there, back, strict=True):
        torch.testing.assert_close(first[:, orders[0]][:, :, orders[1]], second, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kind", GIVEN)
@settings(max_examples=40)
@given(case=cases(), rows=st.integers(0, 3), columns=st.integers(0, 3))
def test_padding_changes_nothing(trained, kind, case, rows, columns):
    X, marginals, _, s = case
    _, n, m = X.shape
    wide, wide_marginals, sizes = padded(X, marginals, rows, columns)
    with torch.no_grad():
        alone = trained[kind](X, trained[kind].surrogate(times(s)), Shapes.all_equal(1, n, m), marginals)
        among = trained[kind](wide, trained[kind].surrogate(times(s)), sizes, wide_marginals)
    for first, second in zip(alone, among, strict=True):
        torch.testing.assert_close(second[:, :n, :m], first, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kind", GIVEN)
@settings(max_examples=20)
@given(case=cases())
def test_the_field_of_single_precision_is_equivariant_too(trained, kind, case):
    """The drift that samplers follow, up to the rounding of single precision, which grows as 1/s."""
    X, marginals, orders, s = case
    drift = copy.deepcopy(trained[kind]).float()
    sizes = Shapes.all_equal(1, *X.shape[1:])
    single = Marginals(marginals.edge_sizes.float(), marginals.degrees.float())
    moved, moved_marginals = reordered(X, single, orders)
    there = LearnedField(drift, sizes, single).drift(X, times(s))
    back = LearnedField(drift, sizes, moved_marginals).drift(moved, times(s))
    scale = max(1.0, float(there.abs().max()))
    torch.testing.assert_close(there[:, orders[0]][:, :, orders[1]] / scale, back / scale, rtol=0, atol=1e-4)


@pytest.mark.parametrize(
    ("kind", "seen"), [("nothing", ()), ("sizes", ("edge_sizes",)), ("both", ("edge_sizes", "degrees"))]
)
def test_what_is_given_is_seen_and_nothing_else(trained, kind, seen):
    generator = torch.Generator().manual_seed(3)
    X = torch.randn((1, 6, 4), generator=generator, dtype=torch.float64)
    marginals = Marginals(torch.full((1, 1, 4), 2.0).double(), torch.full((1, 6, 1), 1.0).double())
    sizes = Shapes.all_equal(1, 6, 4)
    with torch.no_grad():
        before = trained[kind](X, trained[kind].surrogate(times(0.5)), sizes, marginals)[0]
        for name in ("edge_sizes", "degrees"):
            changed = {"edge_sizes": marginals.edge_sizes.clone(), "degrees": marginals.degrees.clone()}
            changed[name].view(-1)[0] += 1
            after = trained[kind](X, trained[kind].surrogate(times(0.5)), sizes, Marginals(**changed))[0]
            assert torch.equal(before, after) == (name not in seen)


# -- the prior --------------------------------------------------------------------------------------

N, M, DENSITY = 7, 4, 0.3
K = torch.tensor([0.0, 2.0, 5.0, 7.0], dtype=torch.float64).view(1, 1, M)
D = torch.tensor([0.0, 1.0, 1.0, 2.0, 3.0, 3.0, 4.0], dtype=torch.float64).view(1, N, 1)
LEAST = 1e-4


def drift_of(kind, variant="ou"):
    process = HeatOU(Cosine(1.0), gamma=8.0, mean=DENSITY, variant=variant)
    return Denoiser(process, DENSITY, 0.0, given=kind, width=16, channels=8, blocks=1)


@pytest.mark.parametrize(
    ("kind", "prior"),
    [
        ("nothing", torch.full((N, M), DENSITY, dtype=torch.float64)),
        ("sizes", (K[0] / N).expand(N, M)),
        ("both", D[0] * K[0] / 14),
    ],
)
def test_where_a_state_says_nothing_the_posterior_is_the_prior(kind, prior):
    """Halfway between the means of an entry that is 0 and of one that is 1, both are as likely as before."""
    drift = drift_of(kind)
    surrogate = drift.surrogate(times(0.6))
    X = (surrogate.b * DENSITY + surrogate.a / 2).expand(1, N, M)
    P = drift.inputs(X, surrogate, Shapes.all_equal(1, N, M), Marginals(K, D))[2]
    torch.testing.assert_close(P[0], prior.clamp(LEAST, 1 - LEAST), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("kind", ["sizes", "both"])
def test_the_posterior_is_bayes_rule_with_that_prior(kind):
    """Without heat: two Gaussians, weighted by the prior."""
    drift = drift_of(kind)
    surrogate = drift.surrogate(times(0.4))
    a, b, v = float(surrogate.a), float(surrogate.b), float(surrogate.v)
    X = torch.randn((1, N, M), generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    prior = (K / N if kind == "sizes" else D * K / 14).clamp(LEAST, 1 - LEAST)
    one, zero = (torch.exp(-((X - a * h - b * DENSITY) ** 2) / (2 * v)) for h in (1.0, 0.0))
    P = drift.inputs(X, surrogate, Shapes.all_equal(1, N, M), Marginals(K, D))[2]
    torch.testing.assert_close(P, prior * one / (prior * one + (1 - prior) * zero), rtol=1e-9, atol=1e-12)


def test_marginals_that_are_missing_are_asked_for():
    for kind, name in (("sizes", "hyperedge sizes"), ("both", "hyperedge sizes and degrees")):
        drift = drift_of(kind)
        with pytest.raises(ScheduleError, match=f"conditioned on {name}: pass marginals="):
            drift.inputs(torch.zeros(1, N, M), drift.surrogate(times(0.5)), Shapes.all_equal(1, N, M))
