"""Workers: their gradient is that of autograd on the whole batch, and torch is left as it was."""

import copy
import os
import sys
import threading

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from hyperhedge.errors import TrainingError
from hyperhedge.train.workers import Workers, calm, default_workers, single_threaded
from regression import Regression, module


def gradients(net):
    return [None if p.grad is None else p.grad.clone() for p in net.parameters()]


@given(workers=st.integers(1, 5), size=st.integers(1, 17), seed=st.integers(0, 100))
def test_the_gradient_is_that_of_the_mean_over_the_batch(workers, size, seed):
    """However the batch is sliced, and whether or not there is a member for each worker; in double precision."""
    net, task = module().double(), _Double()
    batch = task.sample_batch(size, torch.Generator().manual_seed(seed))
    loss = task.losses(net, batch).mean()
    expected = torch.autograd.grad(loss, list(net.parameters()))
    loss = float(loss.detach())
    with Workers(net, task, workers) as pool:
        assert pool.gradient(batch) == pytest.approx(loss, rel=1e-12)
        for found, wanted in zip(gradients(net), expected, strict=True):
            torch.testing.assert_close(found, wanted, rtol=1e-10, atol=1e-12)


class _Double(Regression):
    def losses(self, module, batch):
        chosen = batch[0]
        inputs = torch.stack((chosen, chosen % 5, chosen % 3), dim=1).double() / 10
        return (module(inputs)[:, 0] - chosen.double().cos()) ** 2


def test_workers_see_what_the_optimizer_changes():
    net, task = module(), Regression()
    batch = task.sample_batch(8, torch.Generator().manual_seed(0))
    with Workers(net, task, 2) as pool:
        before = pool.gradient(batch)
        with torch.no_grad():
            net[0].weight.mul_(3)
        after = pool.gradient(batch)
    assert after != before
    assert after == pytest.approx(float(task.losses(net, batch).detach().mean()), rel=1e-5)


def test_parameters_that_have_no_part_in_the_loss_have_no_gradient():
    class Partial(Regression):
        def losses(self, module, batch):
            """Let only the slice with the last member use the last layer's bias."""
            bias = module[2].bias if int(batch[0][-1]) == 9 else 0.0
            return batch[0] * module[0].weight.sum() + bias

    net = module()
    with Workers(net, Partial(), 2) as pool:
        pool.gradient((torch.tensor([1.0, 2.0, 3.0, 9.0]),))
        found = gradients(net)
    assert [gradient is None for gradient in found] == [False, True, True, False]
    assert float(found[3]) == 0.5
    assert gradients(net) == [None] * 4


def test_slices_are_computed_at_the_same_time_by_calm_threads():
    threads, meeting = set(), threading.Barrier(3, timeout=20)

    class Watched(Regression):
        def losses(self, module, batch):
            meeting.wait()  # passes only if all are here at once
            threads.add((threading.get_ident(), len(batch[0]), torch.get_num_threads(), sys.float_info.min / 2))
            return super().losses(module, batch)

    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        with single_threaded(), Workers(module(), Watched(), 3) as pool:
            pool.gradient(Regression().sample_batch(8, torch.Generator().manual_seed(0)))
        assert torch.get_num_threads() == 2
        assert sys.float_info.min / 2 > 0
    finally:
        torch.set_num_threads(before)
    assert len(threads) == 3
    assert sorted(size for _, size, _, _ in threads) == [2, 3, 3]
    assert {(count, denormal) for _, _, count, denormal in threads} == {(1, 0.0)}


def test_a_thread_stays_calm_when_another_sets_the_number_of_threads():
    """Before the calm one has computed anything: torch lets a new thread take the number that was set last, by whomever."""
    is_calm, changed, seen = threading.Event(), threading.Event(), []

    def work():
        calm()
        is_calm.set()
        changed.wait(10)
        seen.append(torch.get_num_threads())

    thread = threading.Thread(target=work)
    thread.start()
    is_calm.wait(10)
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    try:
        changed.set()
        thread.join()
    finally:
        torch.set_num_threads(before)
    assert seen == [1]


@pytest.mark.parametrize("where", [0, 1])
def test_an_error_in_a_worker_comes_out(where):
    class Failing(Regression):
        def losses(self, module, batch):
            if (threading.current_thread() is threading.main_thread()) == (where == 0):
                raise ZeroDivisionError(where)
            return super().losses(module, batch)

    with Workers(module(), Failing(), 2) as pool, pytest.raises(ZeroDivisionError):
        pool.gradient(Regression().sample_batch(4, torch.Generator()))


def test_losses_of_a_wrong_shape_are_refused():
    class Summed(Regression):
        def losses(self, module, batch):
            return super().losses(module, batch).sum()

    with (
        Workers(module(), Summed(), 1) as pool,
        pytest.raises(TrainingError, match=r"have the shape \(\); there must be one"),
    ):
        pool.gradient(Regression().sample_batch(4, torch.Generator()))


def test_buffers_are_shared():
    class Scaled(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(3, 1)
            self.register_buffer("scale", torch.tensor(1.0))

        def forward(self, x):
            return self.linear(x) * self.scale

    net, task = Scaled(), Regression()
    batch = task.sample_batch(6, torch.Generator().manual_seed(0))
    with Workers(net, task, 2) as pool:
        net.scale.fill_(2.0)
        expected = float(task.losses(copy.deepcopy(net), batch).detach().mean())
        assert pool.gradient(batch) == pytest.approx(expected, rel=1e-5)


def test_the_default_is_a_worker_per_usable_core(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 5}, raising=False)
    assert default_workers() == 3
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(64)), raising=False)
    assert default_workers() == 8
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert default_workers() == 1
