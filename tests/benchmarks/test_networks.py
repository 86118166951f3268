"""The networks of the comparison: one battery for all, the plain form of ours, and what each can tell apart."""

import pytest
import torch
from benchmarks.networks import NETWORKS, AxialAttention, Plain
from hypothesis import given, settings
from hypothesis import strategies as st

from hyperhedge.diffusion.batch import Shapes, encode
from hyperhedge.diffusion.network import IncidenceNetwork, NetworkConfig
from strategies import regular_hypergraph

SHAPE = {"features": 3, "context": 2, "outputs": 2, "width": 16, "channels": 4, "hidden": 8, "blocks": 2}
DOUBLE = {"dtype": torch.float64}


def stirred(network, seed=0):
    """Make zeroed layers random too, so that nothing hides behind them."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.add_(0.2 * torch.randn(parameter.shape, generator=generator, dtype=parameter.dtype))
    return network


def made(name, seed=0, **changes):
    torch.manual_seed(seed)
    return stirred(NETWORKS[name](NetworkConfig(**{**SHAPE, **changes})).double(), seed)


def inputs(seed, batch, n, m):
    generator = torch.Generator().manual_seed(seed)
    return (
        torch.randn(batch, n, m, 3, generator=generator, **DOUBLE),
        torch.randn(batch, 2, generator=generator, **DOUBLE),
    )


MADE = {name: made(name) for name in NETWORKS}
every_network = pytest.mark.parametrize("name", NETWORKS)


@every_network
@settings(max_examples=25)
@given(st.integers(1, 7), st.integers(1, 7), st.integers(0, 10**6))
def test_reordering_the_input_reorders_the_output(name, n, m, seed):
    features, context = inputs(seed, 1, n, m)
    generator = torch.Generator().manual_seed(seed)
    rows, columns = torch.randperm(n, generator=generator), torch.randperm(m, generator=generator)
    sizes = Shapes.all_equal(1, n, m)
    there = MADE[name](features, context, sizes)[:, rows][:, :, columns]
    back = MADE[name](features[:, rows][:, :, columns], context, sizes)
    torch.testing.assert_close(there, back, rtol=1e-9, atol=1e-9)


@every_network
@settings(max_examples=25)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=3), st.integers(0, 10**6))
def test_padding_and_other_members_change_nothing(name, shapes, seed):
    features, context = inputs(seed, len(shapes), 6, 7)
    sizes = Shapes.of([n for n, _ in shapes], [m for _, m in shapes], rows=6, columns=7)
    together = MADE[name](features, context, sizes)
    assert not together[~sizes.mask].any()
    for b, (n, m) in enumerate(shapes):
        alone = MADE[name](features[b : b + 1, :n, :m], context[b : b + 1], Shapes.all_equal(1, n, m))
        torch.testing.assert_close(together[b : b + 1, :n, :m], alone, rtol=1e-9, atol=1e-9)


@every_network
def test_the_context_and_every_parameter_matter(name):
    features, context = inputs(2, 2, 5, 4)
    sizes = Shapes.all_equal(2, 5, 4)
    network = made(name, seed=3)
    assert not torch.allclose(network(features, context, sizes), network(features, context + 1, sizes))
    network(features, context, sizes).pow(2).sum().backward()
    for parameter_name, parameter in network.named_parameters():
        assert parameter.grad is not None, parameter_name
        assert parameter.grad.abs().max() > 0, parameter_name


@every_network
def test_depth_and_width_are_those_asked_for(name):
    network = made(name, width=32, blocks=5)
    assert len(network.blocks) == 5
    assert network.embed_context[0].out_features == 32
    new = NETWORKS[name](NetworkConfig(**SHAPE)).double()
    assert not new(*inputs(0, 1, 4, 3), Shapes.all_equal(1, 4, 3)).any()  # all begin with zero, as ours


@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float32, 1e-5), (torch.float64, 1e-12)])
def test_plain_is_our_network(dtype, tolerance):
    torch.manual_seed(0)
    network = stirred(IncidenceNetwork(NetworkConfig(3, 2, 2, width=32, channels=8, hidden=16, blocks=3))).to(dtype)
    features, context = (part.to(dtype) for part in inputs(1, 3, 9, 6))
    sizes = Shapes.of([9, 4, 7], [5, 6, 1])
    ours, plain = network(features, context, sizes), Plain.of(network)(features, context, sizes)
    torch.testing.assert_close(plain, ours, rtol=tolerance, atol=tolerance * float(ours.detach().abs().max()))


def outputs_of_entries(network, H, *, gram):
    """Sort what a network says of a hypergraph's entries, from the matrix alone or with X Xᵀ X beside it."""
    X = encode([H]).matrix
    features = torch.stack((X, X @ X.mT @ X), dim=-1) if gram else X[..., None]
    context = torch.zeros(1, 2, **DOUBLE)
    return network(features, context, Shapes.all_equal(*X.shape)).flatten().sort().values


@pytest.mark.parametrize(
    ("name", "tells"),
    [("ours", True), ("plain", True), ("exchangeable", False), ("axial attention", False), ("PPGN", True)],
)
def test_overlap_that_degrees_do_not_show(name, tells):
    """Two 2-regular hypergraphs, 8 × 8, of which one has two hyperedges that share two nodes, from the matrix alone."""
    pair = [regular_hypergraph(cycles) for cycles in ([8], [6, 2])]
    network = made(name, features=1, outputs=1)
    one, other = (outputs_of_entries(network, H, gram=False) for H in pair)
    assert one.std() > 1e-3  # zeros and ones are told apart, so something is said
    gap = float((one - other).abs().max().detach())
    assert gap > 1e-6 if tells else gap < 1e-12
    network = made(name, features=2, outputs=1)
    one, other = (outputs_of_entries(network, H, gram=True) for H in pair)
    assert (one - other).abs().max() > 1e-3


def test_a_width_that_heads_do_not_divide_is_refused():
    with pytest.raises(ValueError, match="width must be a multiple of heads"):
        AxialAttention(NetworkConfig(**SHAPE), heads=3)
