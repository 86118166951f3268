"""Everything that meets is on one device: found out without a second one, on torch's `meta`, where only shapes are computed.

An operation on tensors of `meta` and of the CPU fails, as one of a GPU's and the CPU's does. Values there are not: where the code
asks for one, it is told one.
"""

import pytest
import torch

from hyperhedge.diffusion.batch import Shapes
from hyperhedge.diffusion.denoiser import Denoiser, Marginals
from hyperhedge.diffusion.fields import LearnedField
from hyperhedge.diffusion.samplers import SAMPLERS, sample, time_grid
from hyperhedge.models.hedge.data import buckets_of
from hyperhedge.models.hedge.task import DenoisingTask
from small_hedge import MIXED, quick

SHAPE = {"width": 16, "channels": 8, "blocks": 1}


@pytest.fixture
def _values_on_meta(monkeypatch):
    """Answer where a value is asked for that is not there."""
    for name, answer in (("__bool__", True), ("__int__", 0), ("__float__", 0.5)):
        known = getattr(torch.Tensor, name)
        monkeypatch.setattr(
            torch.Tensor, name, lambda self, known=known, answer=answer: answer if self.is_meta else known(self)
        )


@pytest.fixture(params=["nothing", "sizes", "both"])
def moved(request, _values_on_meta):
    """Return a drift with measured scales, brought to the other device as a user's `to` does."""
    model = quick(given=request.param, iterations=1).fit(MIXED[:3])
    drift = Denoiser(model._denoiser.process, model.density_, model.rate_, given=request.param, **SHAPE)
    drift.scales = model._denoiser.scales
    return drift.to("meta")


def test_two_devices_would_be_noticed():
    with pytest.raises(RuntimeError):
        torch.ones(2, device="meta") + torch.ones(2)


def test_losses_and_validation_are_computed_where_the_module_is(moved):
    task = DenoisingTask(moved, buckets_of(MIXED[:3]), buckets_of(MIXED), power=1.5)
    batch = tuple(part.to("meta") for part in task.sample_batch(4, torch.Generator().manual_seed(0)))
    losses = task.losses(moved.network, batch)
    assert losses.device.type == "meta"
    losses.mean().backward()
    assert all(p.grad.is_meta for p in moved.network.parameters())
    assert task.validate(moved.network) == 0.5
    assert task.reference_loss(moved.network) == 0.5


@pytest.mark.parametrize("sampler", sorted(SAMPLERS))
def test_samplers_stay_where_the_state_is(moved, sampler):
    sizes = Shapes.all_equal(2, 5, 4).to("meta")
    given = Marginals(torch.ones(2, 1, 4, device="meta"), torch.ones(2, 5, 1, device="meta"))
    start = torch.zeros((2, 5, 4), dtype=torch.float64, device="meta")
    found = sample(SAMPLERS[sampler](LearnedField(moved, sizes, given)), start, time_grid(1.0, 3))
    assert found.is_meta
    assert found.shape == (2, 5, 4)
