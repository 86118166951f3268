"""What the trainer is given: sequences that are made again as they were, and a loss that is what it says."""

import numpy as np
import pytest
import torch

from hyperhedge.models.hygene.coarsen import Coarsening
from hyperhedge.models.hygene.edm import Noise
from hyperhedge.models.hygene.task import ExpansionTask, Offer, Sequences
from hyperhedge.models.weights import seeded_weights
from small_hygene import quick
from strategies import random_hypergraphs

GRAPHS = [H for H in random_hypergraphs(6, 9, 6, density=0.4, seed=2) if H.edge_sizes.all()]
OFFER = Offer(radius=2, dropout=0.5)
NOISE = Noise(scale=0.6, mean=-0.3)


def sequences(**changes):
    return Sequences(GRAPHS, Coarsening(), OFFER, eigenvectors=4, seed=3, **changes)


def task():
    return ExpansionTask(NOISE, sequences(), sequences(), count=2)


def network(seed=1, **changes):
    """Make a network that predicts something, without dropout."""
    with seeded_weights(seed):
        found = quick(**changes)._new_network()
    for out in found.outward:
        torch.nn.init.normal_(out.weight, generator=torch.Generator().manual_seed(seed))
    return found


def test_a_sequence_that_was_let_go_is_made_again_as_it_was():
    small = sequences(room=1)
    first = small.get(0, 1)
    assert small.get(0, 1) is first
    small.get(1, 0)
    again = small.get(0, 1)
    assert again is not first
    assert [item.step.near.tolist() for item in again] == [item.step.near.tolist() for item in first]
    assert len(small._kept) == 1


def test_sequences_differ():
    one, two = sequences().get(0, 0), sequences().get(0, 1)
    assert [len(i.node_counts) for i in one] != [len(i.node_counts) for i in two] or any(
        a.kept.tolist() != b.kept.tolist() for a, b in zip(one, two, strict=True)
    )


def test_far_candidates_are_left_out_with_their_probability_and_needed_ones_never():
    needed = np.arange(10_000) % 4 == 0
    chosen = OFFER.choose(needed, np.random.default_rng(0).random(10_000))
    assert chosen[needed].all()
    assert chosen[~needed].mean() == pytest.approx(0.5, abs=0.02)


def test_a_batch_is_drawn_from_its_generator():
    drawn = [task().sample_batch(5, torch.Generator().manual_seed(1)) for _ in range(2)]
    assert all(torch.equal(a, b) for a, b in zip(*drawn, strict=True))
    assert {len(part) for part in drawn[0]} == {5}


def test_losses_do_not_depend_on_the_slices():
    own, module = task(), network()
    batch = own.sample_batch(6, torch.Generator().manual_seed(4))
    alone = torch.cat([own.losses(module, tuple(part[k : k + 1] for part in batch)) for k in range(6)])
    torch.testing.assert_close(own.losses(module, batch), alone, rtol=1e-4, atol=1e-5)


def test_the_loss_of_a_zero_network_is_known():
    """A network that returns zero predicts c_skip (x + σ ε); the weighted error follows from the same draws."""
    own = task()
    module = quick()._new_network()
    graphs, numbers, places, seeds, _ = own.sample_batch(1, torch.Generator().manual_seed(9))
    batch = graphs, numbers, places * 0 + 0.99, seeds, torch.ones(1)  # the coarsest step, without self-conditioning
    item = own.training.get(int(graphs), int(numbers))[-1]
    generator = torch.Generator().manual_seed(int(seeds))
    sigma = (torch.randn(1, generator=generator) * NOISE.deviation + NOISE.mean).exp()
    torch.rand(len(item.kept), generator=generator)
    noise = torch.randn(3, generator=generator)
    assert (len(item.node_counts), len(item.edge_counts), len(item.kept)) == (1, 1, 1)
    data = torch.tensor([2.0 * item.node_counts[0] - 3, item.edge_counts[0] - 2.0, 1.0], dtype=torch.float32)
    skip, out, _ = NOISE.coefficients(sigma)
    expected = (((skip * (data + sigma * noise) - data) / out) ** 2).sum()
    torch.testing.assert_close(own.losses(module, batch)[0], expected)


def test_the_finest_scale_teaches_nothing_of_numbers():
    own, module = task(), network()
    graphs, numbers, places, seeds, coin = own.sample_batch(3, torch.Generator().manual_seed(2))
    own.losses(module, (graphs, numbers, places * 0, seeds, coin)).sum().backward()
    assert not module.outward[0].weight.grad.any()
    assert not module.outward[1].weight.grad.any()
    assert module.outward[2].weight.grad.any()


def test_sign_net_is_trained_too():
    own, module = task(), network()
    own.losses(module, own.sample_batch(8, torch.Generator().manual_seed(2))).sum().backward()
    assert all(parameter.grad is not None and parameter.grad.any() for parameter in module.sign_net.parameters())


def test_validation_is_the_same_every_time_and_none_without_held_out_hypergraphs():
    own, module = task(), network().requires_grad_(False)
    assert own.validate(module) == own.validate(module)
    assert ExpansionTask(NOISE, sequences(), count=1).validate(module) is None
