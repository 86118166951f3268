"""What the trainer is given: times of the law, and losses that are those of the process itself."""

import numpy as np
import pytest
import torch
from scipy import stats

from hyperhedge.diffusion.batch import encode
from hyperhedge.diffusion.denoiser import Denoiser, Marginals
from hyperhedge.diffusion.laplacians import spectrum_of
from hyperhedge.diffusion.process import HeatOU
from hyperhedge.diffusion.schedules import Cosine
from hyperhedge.models.hedge.data import Bucket, buckets_of, density_of, rate_of
from hyperhedge.models.hedge.task import DenoisingTask, sample_times
from small_hedge import MIXED
from strategies import random_hypergraphs

LEAST = 0.02


def task_of(graphs, *, held_out=(), given="sizes", variant="full", dtype=torch.float64, power=1.5):
    """Make a task whose network says something: its weights are moved away from where they begin."""
    buckets = [_at(bucket, dtype) for bucket in buckets_of(graphs)]
    density, rate = density_of(buckets), rate_of(buckets, variant)
    process = HeatOU(Cosine(1.0), gamma=8.0, mean=density, variant=variant)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        drift = Denoiser(process, density, rate, given=given, width=16, channels=8, hidden=8, blocks=2).to(dtype)
        for parameter in drift.parameters():
            parameter.data.add_(0.1 * torch.randn_like(parameter))
    drift.measure_scales(((b.H, b.spectrum) for b in buckets), torch.Generator().manual_seed(0), points=16)
    return DenoisingTask(drift, buckets, [_at(bucket, dtype) for bucket in buckets_of(held_out)], power=power, seed=3)


def _at(bucket, dtype):
    return Bucket(bucket.H.to(dtype), bucket.spectrum.to(dtype=dtype))


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


# -- times -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("power", [1.0, 1.5, 3.0])
def test_times_follow_their_law(power):
    r"""One at a time they are independent, with the distribution function (x^{1/p} - δ) / (1 - δ)."""
    g = generator(1)
    times = np.concatenate([sample_times(1, power, g).numpy() for _ in range(4000)])

    def law(x, power=power):
        return np.clip((x ** (1 / power) - LEAST) / (1 - LEAST), 0, 1)

    assert stats.kstest(times, law).pvalue > 0.01
    assert stats.kstest(times, law, args=(1.2 * power,)).pvalue < 1e-6  # and the test would notice another


@pytest.mark.parametrize("count", [1, 7, 32])
def test_every_part_of_the_interval_has_one_time(count):
    for seed in range(20):
        times = sample_times(count, 2.0, generator(seed)).numpy()
        uniform = (np.sqrt(times) - LEAST) / (1 - LEAST)
        assert sorted(np.floor(uniform * count).astype(int)) == list(range(count))


def test_times_come_in_random_order():
    """So that a worker's slice of a batch has times of all sizes."""
    first = [int(sample_times(8, 1.0, generator(seed)).argmin()) for seed in range(400)]
    assert stats.chisquare(np.bincount(first, minlength=8)).pvalue > 0.01


def test_a_batch_is_of_one_bucket_and_buckets_have_their_shares():
    task = task_of(MIXED)
    shares = np.array([len(bucket) for bucket in task.training]) / len(MIXED)
    g, counts = generator(2), np.zeros(len(shares))
    for _ in range(600):
        which, members, times, noise = task.sample_batch(5, g)
        bucket = task.training[int(which[0])]
        assert (which == which[0]).all()
        assert members.max() < len(bucket)
        assert noise.shape == (5, *bucket.H.shape[1:])
        assert ((times >= LEAST**1.5) & (times <= 1)).all()
        counts[int(which[0])] += 1
    assert stats.chisquare(counts, 600 * shares).pvalue > 0.01


# -- losses ----------------------------------------------------------------------------------------


def direct_losses(drift, graphs, times, noise, given):
    """Compute losses one by one from the conditional law, in double precision: no padding, no shortcut of the task's."""
    process, found = drift.process, []
    for H, s, own_noise in zip(graphs, times.split(1), noise, strict=True):
        matrix, spectrum = encode([H]).matrix, spectrum_of([H])
        law = process.law(matrix, spectrum, s)
        X = law.from_noise(own_noise[None, : H.n, : H.m].double())
        u = process.reverse_drift(law, X, s)
        rate = drift.rate
        one = torch.full((1, 1), rate, dtype=torch.float64)
        a, first, second = (float(part) for part in process.mode_factors(one, torch.zeros_like(one), s))
        b, v = process.gamma * first, 2 * process.tau * second
        alpha, beta = float(process.schedule.alpha(s)), float(process.schedule.beta(s))
        pull = alpha * rate * X + beta * process.gamma * (X - process.mean)
        data = (X + v * (u - pull) / (2 * process.tau * beta) - b * process.mean) / a
        heat = process.parts(law, X, s).structure / alpha if alpha > 0 else torch.zeros_like(X)
        structure = v * alpha / (2 * process.tau * beta * a) * (heat - rate * X)
        marginals = None if given == "nothing" else Marginals.of(matrix)
        D, Q = drift(X, drift.surrogate(s), spectrum.shapes, marginals)
        c_D, c_Q = (float(c) for c in drift.scales.at(s))
        found.append((((D - data) / c_D) ** 2 + ((Q - structure) / c_Q) ** 2).mean())
    return torch.stack(found)


@pytest.mark.parametrize("given", ["nothing", "sizes", "both"])
@pytest.mark.parametrize("variant", ["full", "node", "ou"])
def test_losses_are_those_of_the_conditional_law(given, variant):
    graphs = random_hypergraphs(6, 8, 5, 0.35, seed=4)
    task = task_of(graphs, given=given, variant=variant)
    # The same basis in both: noise is of the modes, and eigenvectors are unique up to sign and rotation only.
    task.training = [Bucket(encode(graphs).matrix, spectrum_of(graphs))]
    which, members, times, noise = task.sample_batch(12, generator(7))
    found = task.losses(task.denoiser.network, (which, members, times, noise.double()))
    expected = direct_losses(task.denoiser, [graphs[k] for k in members.tolist()], times, noise, given)
    torch.testing.assert_close(found, expected, rtol=1e-7, atol=1e-9)
    assert found.min() > 0


def test_single_precision_is_enough():
    graphs = random_hypergraphs(6, 12, 7, 0.35, seed=4)
    double, single = task_of(graphs), task_of(graphs, dtype=torch.float32)
    single.denoiser.scales = double.denoiser.scales
    single.denoiser.load_state_dict(double.denoiser.state_dict())
    spectrum = spectrum_of(graphs)
    double.training = [Bucket(encode(graphs).matrix, spectrum)]
    single.training = [Bucket(encode(graphs).matrix.float(), spectrum.to(dtype=torch.float32))]
    batch = double.sample_batch(64, generator(1))
    expected = double.losses(double.denoiser.network, (*batch[:3], batch[3].double()))
    torch.testing.assert_close(single.losses(single.denoiser.network, batch).double(), expected, rtol=2e-3, atol=1e-4)


@pytest.mark.parametrize("given", ["nothing", "sizes", "both"])
def test_padding_does_not_change_a_loss(given):
    graphs = [*random_hypergraphs(2, 8, 5, 0.35, seed=4), *random_hypergraphs(2, 9, 4, 0.3, seed=5)]
    task = task_of(graphs, given=given)
    together = Bucket(encode(graphs).matrix, spectrum_of(graphs))
    times = torch.tensor([0.05, 0.3, 0.7, 1.0], dtype=torch.float64)
    noise = torch.randn(together.H.shape, generator=generator(5), dtype=torch.float64)
    padded = task._losses(task.denoiser.network, together, times, noise)
    for k, H in enumerate(graphs):
        alone = Bucket(encode([H]).matrix, spectrum_of([H]))
        own = task._losses(task.denoiser.network, alone, times[k : k + 1], noise[k : k + 1, : H.n, : H.m])
        torch.testing.assert_close(padded[k : k + 1], own, rtol=1e-9, atol=1e-9)


# -- validation ------------------------------------------------------------------------------------


def test_validation_is_the_same_number_every_time():
    held_out = [*random_hypergraphs(70, 9, 6, 0.35, seed=8), *random_hypergraphs(3, 4, 4, 0.5, seed=9)]
    task = task_of(MIXED, held_out=held_out, dtype=torch.float32)
    network = task.denoiser.network
    with torch.no_grad():
        first = task.validate(network)
        task.sample_batch(16, generator(11))
        torch.rand(3)
        assert task.validate(network) == first
        assert task_of(MIXED, held_out=held_out, dtype=torch.float32).validate(network) == first
        for parameter in network.parameters():
            parameter.add_(0.01)
        assert task.validate(network) != first


def test_validation_is_the_mean_over_the_held_out_hypergraphs():
    held_out = random_hypergraphs(70, 9, 6, 0.35, seed=8)
    task = task_of(MIXED, held_out=held_out)
    (bucket,) = task.held_out
    g = generator(task.seed)
    times, noise = sample_times(70, task.power, g), torch.randn(bucket.H.shape, generator=g)
    with torch.no_grad():
        whole = float(task._losses(task.denoiser.network, bucket, times, noise.double()).mean())
        assert task.validate(task.denoiser.network) == pytest.approx(whole, rel=1e-6)


def test_without_held_out_hypergraphs_there_is_no_validation():
    task = task_of(MIXED)
    assert task.validate(task.denoiser.network) is None


def test_the_reference_loss_is_comparable():
    """An untrained network predicts nothing, and both parts of its loss are in units of their size."""
    task = task_of(random_hypergraphs(60, 9, 6, 0.35, seed=8), dtype=torch.float32)
    network = task.denoiser.network
    assert task.reference_loss(network) == task.reference_loss(network)
    with torch.no_grad():
        network.out.weight.zero_()
        network.out.bias.zero_()
    assert task.reference_loss(network) == pytest.approx(2.0, abs=0.3)
