"""The network: equivariance, padding, and what it can tell apart."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from hyperhedge.incidence import Sizes
from hyperhedge.network import IncidenceNetwork, NetworkConfig

SHAPE = {"features": 3, "context": 2, "outputs": 2, "width": 32, "channels": 8, "hidden": 16, "blocks": 3}


def network(seed=0, **changes):
    """Return a network whose zeroed layers are random too, so that nothing hides behind them."""
    torch.manual_seed(seed)
    made = IncidenceNetwork(NetworkConfig(**{**SHAPE, **changes})).double()
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.add_(0.2 * torch.randn_like(parameter))
    return made


NETWORK = network()


@given(st.integers(1, 7), st.integers(1, 7), st.integers(0, 10**6))
def test_reordering_the_input_reorders_the_output(n, m, seed):
    torch.manual_seed(seed)
    features, context = torch.randn(1, n, m, 3, dtype=torch.float64), torch.randn(1, 2, dtype=torch.float64)
    rows, columns = torch.randperm(n), torch.randperm(m)
    sizes = Sizes.all_equal(1, n, m)
    there = NETWORK(features, context, sizes)[:, rows][:, :, columns]
    back = NETWORK(features[:, rows][:, :, columns], context, sizes)
    torch.testing.assert_close(there, back, rtol=1e-9, atol=1e-9)


@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 3), st.integers(0, 3), st.integers(0, 10**6))
def test_padding_changes_nothing(n, m, more_rows, more_columns, seed):
    torch.manual_seed(seed)
    features, context = torch.randn(1, n, m, 3, dtype=torch.float64), torch.randn(1, 2, dtype=torch.float64)
    padded = torch.randn(1, n + more_rows, m + more_columns, 3, dtype=torch.float64)  # garbage, which must not be seen
    padded[:, :n, :m] = features
    alone = NETWORK(features, context, Sizes.all_equal(1, n, m))
    among = NETWORK(padded, context, Sizes.of([n], [m], rows=n + more_rows, columns=m + more_columns))
    torch.testing.assert_close(among[:, :n, :m], alone, rtol=1e-9, atol=1e-9)
    assert not among[:, n:].any()
    assert not among[:, :, m:].any()


def test_members_of_a_batch_do_not_see_each_other():
    torch.manual_seed(1)
    features, context = torch.randn(3, 5, 4, 3, dtype=torch.float64), torch.randn(3, 2, dtype=torch.float64)
    sizes = Sizes.of([5, 3, 4], [2, 4, 4])
    together = NETWORK(features, context, sizes)
    for b in range(3):
        alone = NETWORK(features[b : b + 1], context[b : b + 1], sizes[torch.tensor([b])])
        torch.testing.assert_close(together[b : b + 1], alone, rtol=1e-9, atol=1e-9)


def test_the_context_and_every_parameter_matter():
    torch.manual_seed(2)
    features, context = torch.randn(2, 5, 4, 3, dtype=torch.float64), torch.randn(2, 2, dtype=torch.float64)
    sizes = Sizes.all_equal(2, 5, 4)
    assert not torch.allclose(NETWORK(features, context, sizes), NETWORK(features, context + 1, sizes))
    made = network(3)
    made(features, context, sizes).pow(2).sum().backward()
    for name, parameter in made.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.abs().max() > 0, name


def test_a_new_network_says_zero():
    """So that the prediction begins with the entrywise posterior."""
    made = IncidenceNetwork(NetworkConfig(**SHAPE))
    assert not made(torch.randn(1, 4, 3, 3), torch.randn(1, 2), Sizes.all_equal(1, 4, 3)).any()


@settings(max_examples=10)
@given(st.integers(0, 100))
def test_wide_and_narrow_shapes_work(seed):
    made = network(seed, width=48, channels=16, blocks=1)
    out = made(
        torch.zeros(1, 1, 9, 3, dtype=torch.float64), torch.zeros(1, 2, dtype=torch.float64), Sizes.all_equal(1, 1, 9)
    )
    assert torch.isfinite(out).all()


def test_a_width_that_channels_do_not_divide_is_refused():
    with pytest.raises(ValueError, match="width must be a multiple of channels"):
        NetworkConfig(**{**SHAPE, "width": 30})
