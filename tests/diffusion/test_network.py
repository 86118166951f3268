"""The network: equivariance, padding, and what it can tell apart."""

import copy
import itertools
import math

import pytest
import torch
from benchmarks.networks import Plain
from hypothesis import given
from hypothesis import strategies as st

from hyperhedge.diffusion.batch import Shapes, encode
from hyperhedge.diffusion.network import IncidenceNetwork, NetworkConfig, _Masks, _walked
from strategies import regular_hypergraph

SHAPE = {"features": 3, "context": 2, "outputs": 2, "width": 32, "channels": 8, "hidden": 16, "blocks": 3}


def network(seed=0, **changes):
    """Return a network whose zeroed layers are random too: nothing hides behind them."""
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
    shapes = Shapes.all_equal(1, n, m)
    there = NETWORK(features, context, shapes)[:, rows][:, :, columns]
    back = NETWORK(features[:, rows][:, :, columns], context, shapes)
    torch.testing.assert_close(there, back, rtol=1e-9, atol=1e-9)


@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 3), st.integers(0, 3), st.integers(0, 10**6))
def test_padding_changes_nothing(n, m, more_rows, more_columns, seed):
    torch.manual_seed(seed)
    features, context = torch.randn(1, n, m, 3, dtype=torch.float64), torch.randn(1, 2, dtype=torch.float64)
    padded = torch.randn(1, n + more_rows, m + more_columns, 3, dtype=torch.float64)  # garbage, which must not be seen
    padded[:, :n, :m] = features
    alone = NETWORK(features, context, Shapes.all_equal(1, n, m))
    among = NETWORK(padded, context, Shapes.of([n], [m], rows=n + more_rows, columns=m + more_columns))
    torch.testing.assert_close(among[:, :n, :m], alone, rtol=1e-9, atol=1e-9)
    assert not among[:, n:].any()
    assert not among[:, :, m:].any()


def test_members_of_a_batch_do_not_see_each_other():
    torch.manual_seed(1)
    features, context = torch.randn(3, 5, 4, 3, dtype=torch.float64), torch.randn(3, 2, dtype=torch.float64)
    shapes = Shapes.of([5, 3, 4], [2, 4, 4])
    together = NETWORK(features, context, shapes)
    for b in range(3):
        alone = NETWORK(features[b : b + 1], context[b : b + 1], shapes[torch.tensor([b])])
        torch.testing.assert_close(together[b : b + 1], alone, rtol=1e-9, atol=1e-9)


def test_the_context_and_every_parameter_matter():
    torch.manual_seed(2)
    features, context = torch.randn(2, 5, 4, 3, dtype=torch.float64), torch.randn(2, 2, dtype=torch.float64)
    shapes = Shapes.all_equal(2, 5, 4)
    assert not torch.allclose(NETWORK(features, context, shapes), NETWORK(features, context + 1, shapes))
    made = network(3)
    made(features, context, shapes).pow(2).sum().backward()
    for name, parameter in made.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.abs().max() > 0, name


def test_a_new_network_says_zero():
    """So that the prediction begins with the entrywise posterior."""
    made = IncidenceNetwork(NetworkConfig(**SHAPE))
    assert not made(torch.randn(1, 4, 3, 3), torch.randn(1, 2), Shapes.all_equal(1, 4, 3)).any()


@pytest.mark.parametrize(("n", "m"), [(1, 1), (1, 9), (9, 1), (2, 40), (40, 2)])
@pytest.mark.parametrize(
    "changes", [{"width": 48, "channels": 16, "blocks": 1}, {"width": 8, "channels": 2, "hidden": 3}]
)
def test_wide_and_narrow_shapes_follow_the_formulas(n, m, changes):
    """Against the plain form of the module's formulas, also for networks that are wide and narrow themselves."""
    made = network(4, **changes)
    features, context = torch.randn(2, n, m, 3, dtype=torch.float64), torch.randn(2, 2, dtype=torch.float64)
    shapes = Shapes.all_equal(2, n, m)
    outputs = made(features, context, shapes)
    torch.testing.assert_close(outputs, Plain.of(made)(features, context, shapes), rtol=1e-9, atol=1e-9)
    assert outputs.abs().min() > 0


# -- walks -------------------------------------------------------------------------------------------


def test_walks_go_through_another_hyperedge():
    """T_ve = Σ over e' ≠ e and over u of Z'_ve' Z''_ue' Z''_ue / √(nm), by loops; the halves of the channels take turns.

    Each channel is divided by √(1 + mean of its squares) first.
    """
    generator = torch.Generator().manual_seed(0)
    shapes, channels = Shapes.of([4, 3], [3, 4]), 4
    Z = torch.randn((2, channels, 4, 4), generator=generator, dtype=torch.float64) * shapes.mask[:, None]
    expected = torch.zeros_like(Z)
    for b, (n, m) in enumerate([(4, 3), (3, 4)]):
        for c in range(channels):
            A, B = (Z[b, k] / math.sqrt(1 + float((Z[b, k] ** 2).sum()) / (n * m)) for k in (c, (c + 2) % channels))
            for v, e in itertools.product(range(n), range(m)):
                terms = [A[v, k] * B[u, k] * B[u, e] for k in range(m) if k != e for u in range(n)]
                expected[b, c, v, e] = sum(terms) / math.sqrt(n * m)
    torch.testing.assert_close(_walked(Z, _Masks(shapes, Z)), expected, rtol=1e-12, atol=1e-12)


def test_walks_are_cubic_where_states_are_small_and_bounded_where_they_are_large():
    Z = torch.randn((1, 4, 6, 5), generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    masks = _Masks(Shapes.all_equal(1, 6, 5), Z)
    torch.testing.assert_close(_walked(1e-4 * Z, masks), 1e3 * _walked(1e-5 * Z, masks), rtol=1e-6, atol=0)
    torch.testing.assert_close(_walked(1e6 * Z, masks), _walked(1e7 * Z, masks), rtol=1e-9, atol=0)


def test_states_of_a_deep_network_stay_of_one_scale():
    """With random layers a hundred deep; cubic walks would overflow after a few."""
    made = network(6, blocks=100, width=8, channels=4)
    features, context = torch.randn(1, 9, 8, 3, dtype=torch.float64), torch.ones(1, 2, dtype=torch.float64)
    assert made(features, context, Shapes.all_equal(1, 9, 8)).abs().max() < 1e12


def without_walks(made):
    """Return a copy of a network whose blocks do not see walks."""
    blind = copy.deepcopy(made)
    for block in blind.blocks:
        block.entry_in.weight.data[:, block.channels :] = 0
    return blind


def test_one_hyperedge_has_no_walks_and_two_have():
    blind, context = without_walks(NETWORK), torch.ones(1, 2, dtype=torch.float64)
    features = torch.randn(1, 5, 2, 3, generator=torch.Generator().manual_seed(5), dtype=torch.float64)
    alone, pair = Shapes.all_equal(1, 5, 1), Shapes.all_equal(1, 5, 2)
    torch.testing.assert_close(NETWORK(features[:, :, :1], context, alone), blind(features[:, :, :1], context, alone))
    assert not torch.allclose(NETWORK(features, context, pair), blind(features, context, pair))


def test_walks_tell_hypergraphs_apart_that_degrees_and_sizes_do_not():
    """Two 2-regular hypergraphs of 8 pairs; only one has two hyperedges that share two nodes."""
    features = encode([regular_hypergraph([8]), regular_hypergraph([6, 2])]).matrix[..., None].expand(-1, -1, -1, 3)
    context, shapes = torch.ones(2, 2, dtype=torch.float64), Shapes.all_equal(2, 8, 8)
    for made, differ in ((NETWORK, True), (without_walks(NETWORK), False)):
        values = made(features, context, shapes).flatten(1).sort(1).values
        assert torch.allclose(values[0], values[1], rtol=0, atol=1e-6) != differ


def test_a_width_that_channels_do_not_divide_is_refused():
    with pytest.raises(ValueError, match="width must be a multiple of channels=8, not 30"):
        NetworkConfig(**{**SHAPE, "width": 30})


@pytest.mark.parametrize("shape", [(13, 11, 2, 96, 16, 16, 4), (9, 3, 1, 20, 4, 7, 1), (5, 2, 3, 12, 6, 5, 3)])
def test_the_number_of_parameters_is_known_without_making_them(shape):
    config = NetworkConfig(*shape)
    assert config.parameters == sum(p.numel() for p in IncidenceNetwork(config).parameters())
