"""The trainer: least squares are solved, steps are those of the definition, and nothing is lost on the way."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest
import torch
from torch import nn

from hyperhedge.errors import TrainingError, TrainingWarning
from hyperhedge.train import Trainer, TrainingSettings
from regression import (
    INPUTS,
    OUTPUTS,
    Broken,
    Interrupted,
    Regression,
    events,
    module,
    reports,
    same,
    settings,
    solution,
    weights,
)


def test_least_squares_are_solved():
    linear = nn.Linear(3, 1)
    result = Trainer(
        linear, Regression(), TrainingSettings(600, batch_size=64, learning_rate=0.03, warmup=10, ema=0.98)
    ).run()
    found = torch.cat((linear.weight.detach()[0], linear.bias.detach())).double()
    torch.testing.assert_close(found, solution(), rtol=0, atol=0.01)
    assert result.stopped == "iterations"
    assert result.iterations == 600


def by_hand(iterations, setup):
    """Train as the documentation says, without the trainer; return weights and their average."""
    net = module()
    optimizer = torch.optim.AdamW(net.parameters(), betas=(0.9, 0.99), weight_decay=0.01)
    average = weights(net)
    generator = torch.Generator().manual_seed(setup.seed)
    for k in range(iterations):
        chosen = torch.randint(64, (setup.batch_size,), generator=generator)
        rate = setup.learning_rate * min(1.0, (k + 1) / setup.warmup) * (1 - k / iterations) ** setup.decay
        optimizer.param_groups[0]["lr"] = rate
        optimizer.zero_grad()
        ((net(INPUTS[chosen])[:, 0] - OUTPUTS[chosen]) ** 2).mean().backward()
        norm = torch.cat([p.grad.flatten() for p in net.parameters()]).norm()
        for p in net.parameters():
            p.grad *= min(1.0, setup.clip / (float(norm) + 1e-6))
        optimizer.step()
        keep = min(setup.ema, (1 + (k + 1)) / (10 + (k + 1)))
        average = {name: keep * average[name] + (1 - keep) * value for name, value in weights(net).items()}
    return average


@pytest.mark.parametrize("workers", [1, 3])
def test_steps_and_average_are_those_of_the_definition(workers):
    net = module()
    setup = settings(30, workers=workers, weight_decay=0.01, clip=0.5, validate_every=1000)
    Trainer(net, Regression(), setup).run()
    for name, value in by_hand(30, setup).items():
        torch.testing.assert_close(weights(net)[name], value, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_run_is_reproducible_bit_for_bit(workers):
    found = []
    for _ in range(2):
        net = module()
        history = Trainer(net, Regression(held_out=True), settings(workers=workers)).run().history
        found.append((weights(net), reports(history)))
    assert same(found[0][0], found[1][0])
    assert found[0][1] == found[1][1]
    other = module()
    Trainer(other, Regression(held_out=True), settings(workers=workers, seed=1)).run()
    assert not same(found[0][0], weights(other))


# -- what a run leaves -----------------------------------------------------------------------------


def test_the_module_has_the_average_of_the_best_validation():
    """Validation losses that rise after the second let that one's average win."""
    seen = []

    class Rising(Regression):
        def validate(self, module):
            seen.append(weights(module))
            return [3.0, 1.0, 2.0, 5.0][len(seen) - 1]

    net = module()
    result = Trainer(net, Rising(), settings(20, validate_every=5)).run()
    assert result.best_validation == 1.0
    assert [line["validation"] for line in reports(result.history)] == [3.0, 1.0, 2.0, 5.0]
    assert same(weights(net), seen[1])


def test_validation_sees_the_average_without_gradients_and_in_eval_mode():
    class Watched(Regression):
        def validate(self, module):
            assert not module.training
            assert not torch.is_grad_enabled()
            assert not any(p.requires_grad for p in module.parameters())
            return 1.0

    net = module().eval()
    assert Trainer(net, Watched(), settings(8)).run().best_validation == 1.0
    assert not net.training  # as it was
    assert all(p.requires_grad and p.grad is None for p in net.parameters())


def test_the_last_state_is_validated_though_its_iteration_is_not_a_multiple():
    result = Trainer(module(), Regression(held_out=True), settings(20, validate_every=7)).run()
    assert [line["iteration"] for line in reports(result.history) if "validation" in line] == [7, 14, 20]


def test_frozen_parameters_stay():
    net = module()
    net[0].weight.requires_grad_(False)
    before = weights(net)
    Trainer(net, Regression(), settings()).run()
    assert torch.equal(net[0].weight, before["0.weight"])
    assert not torch.equal(net[0].bias, before["0.bias"])
    with pytest.raises(TrainingError, match="has no parameters to train"):
        Trainer(nn.ReLU(), Regression(), settings())


def test_torch_is_left_as_it_was():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        Trainer(module(), Regression(), settings(workers=2)).run()
        assert torch.get_num_threads() == 2
        assert sys.float_info.min / 2 > 0
    finally:
        torch.set_num_threads(before)
    assert [thread.name for thread in threading.enumerate() if thread.name.startswith("worker")] == []


def test_importing_the_package_does_not_import_torch():
    code = "import sys, hyperhedge; print('torch' in sys.modules, 'hyperhedge.train' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


def test_bad_arguments_are_refused():
    with pytest.raises(TrainingError, match="there is no device 'toaster'"):
        Trainer(module(), Regression(), settings(), device="toaster").run()

    class Short(Regression):
        def sample_batch(self, count, generator):
            return super().sample_batch(count - 1, generator)

    with pytest.raises(TrainingError, match="first dimension 8 asked for"):
        Trainer(module(), Short(), settings()).run()


# -- ends ------------------------------------------------------------------------------------------


def test_patience_ends_a_training():
    class Stuck(Regression):
        def validate(self, _):
            return 1.0

    result = Trainer(module(), Stuck(), settings(1000, validate_every=10, patience=3)).run()
    assert (result.stopped, result.iterations) == ("patience", 40)
    assert events(result.history) == [(40, "stopped")]
    assert result.history[-1]["reason"] == "patience"


def test_a_time_limit_ends_a_training_and_cools_it_down(tmp_path):
    class Slow(Regression):
        def sample_batch(self, count, generator):
            time.sleep(0.01)
            return super().sample_batch(count, generator)

    setup = settings(10**6, max_time=0.5, warmup=0, decay=1.0, validate_every=10**6)
    result = Trainer(module(), Slow(held_out=True), setup, folder=tmp_path).run()
    assert result.stopped == "max_time"
    assert 0.5 <= result.seconds < 2.0
    assert 5 < result.iterations <= 50
    assert "validation" in result.history[-2]
    assert result.history[-2]["learning_rate"] <= 0.01 * 0.1
    again = Trainer(module(), Slow(), setup, folder=tmp_path).run(resume=True)
    assert (again.stopped, again.iterations) == ("max_time", result.iterations)
    longer = settings(10**6, max_time=0.7, warmup=0, decay=1.0, validate_every=10**6)
    more = Trainer(module(), Slow(held_out=True), longer, folder=tmp_path).run(resume=True)
    assert more.iterations > result.iterations
    assert 0.7 <= more.seconds < 2.2


# -- interruptions ---------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("workers", [1, 2])
def test_an_interrupted_run_goes_on_bit_for_bit(tmp_path, number, workers):
    straight, cut = module(), module()
    setup = settings(120, workers=workers)
    expected = Trainer(straight, Regression(held_out=True), setup).run()
    with pytest.raises(KeyboardInterrupt, match="iteration 66"):
        Trainer(cut, Interrupted(66, number=number), setup, folder=tmp_path).run()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    fresh = module()
    result = Trainer(fresh, Regression(held_out=True), setup, folder=tmp_path).run(resume=True)
    assert same(weights(fresh), weights(straight))
    assert reports(result.history) == reports(expected.history)
    assert events(result.history) == [(66, "interrupted"), (66, "resumed"), (120, "stopped")]


def test_many_interruptions_change_nothing(tmp_path):
    """Every one of the first steps is the last of a run."""
    straight = module()
    expected = Trainer(straight, Regression(held_out=True), settings(12, validate_every=5)).run()
    for k in range(12):
        with pytest.raises(KeyboardInterrupt):
            Trainer(module(), Interrupted(1), settings(12, validate_every=5), folder=tmp_path).run(resume=k > 0)
    net = module()
    result = Trainer(net, Interrupted(), settings(12, validate_every=5), folder=tmp_path).run(resume=True)
    assert same(weights(net), weights(straight))
    assert reports(result.history) == reports(expected.history)


def test_without_a_folder_an_interruption_leaves_the_average():
    net, other = module(), module()
    with pytest.raises(KeyboardInterrupt):
        Trainer(net, Interrupted(14), settings(20, validate_every=14)).run()
    seen = []

    class Watched(Regression):
        def validate(self, module):
            seen.append(weights(module))
            return 1.0

    Trainer(other, Watched(), settings(20, validate_every=14)).run()
    assert same(weights(net), seen[0])


def test_a_second_interruption_does_not_wait(tmp_path):
    task = Interrupted(5, 5)
    with pytest.raises(KeyboardInterrupt) as caught:
        Trainer(module(), task, settings(), folder=tmp_path).run()
    assert "iteration" not in str(caught.value)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    net, straight = module(), module()
    Trainer(net, Regression(held_out=True), settings(), folder=tmp_path).run(resume=True)  # from the beginning
    Trainer(straight, Regression(held_out=True), settings()).run()
    assert same(weights(net), weights(straight))


def test_an_interruption_at_the_very_end_is_not_lost(tmp_path):
    class Late(Regression):
        def validate(self, _):
            os.kill(os.getpid(), signal.SIGINT)
            return 1.0

    with pytest.raises(KeyboardInterrupt):
        Trainer(module(), Late(), settings(5, validate_every=5), folder=tmp_path).run()
    assert (
        Trainer(module(), Regression(), settings(5, validate_every=5), folder=tmp_path).run(resume=True).iterations == 5
    )


def test_signals_that_are_ignored_stay_ignored():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    result = Trainer(module(), Interrupted(3, number=signal.SIGTERM), settings()).run()
    assert result.iterations == 20


def test_training_outside_the_main_thread():
    found = []
    thread = threading.Thread(target=lambda: found.append(Trainer(module(), Regression(), settings()).run()))
    thread.start()
    thread.join()
    assert found[0].iterations == 20


def test_a_folder_with_a_checkpoint_is_not_trained_in_again(tmp_path):
    Trainer(module(), Regression(), settings(), folder=tmp_path).run()
    with pytest.raises(TrainingError, match="there is a checkpoint already; give resume=True"):
        Trainer(module(), Regression(), settings(), folder=tmp_path).run()


# -- divergence ------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [torch.nan, torch.inf, 1e38])
def test_a_loss_that_is_not_finite_leads_back_and_on(value):
    """The third value is finite; the norm of its gradient is not."""
    net = module()
    with pytest.warns(TrainingWarning, match="not finite after iteration 24: back to iteration 20 with 0.5 times"):
        result = Trainer(net, Broken(25, value=value), settings(40, validate_every=10)).run()
    assert result.rollbacks == 1
    assert result.iterations == 40
    assert all(bool(p.isfinite().all()) for p in net.parameters())
    event = next(line for line in result.history if line.get("event") == "rolled back")
    assert (event["iteration"], event["to"], event["rate_scale"]) == (24, 20, 0.5)
    rates = {line["iteration"]: line["learning_rate"] for line in reports(result.history)}
    setup = settings(40)
    assert rates[20] == setup.learning_rate_at(19)
    assert rates[30] == setup.learning_rate_at(29) / 2


def test_a_roll_back_is_the_same_after_resuming(tmp_path):
    """The checkpoint at 26 holds the state of iteration 20, to which the loss of step 29 leads back."""
    straight, setup = module(), settings(40, validate_every=10)
    with pytest.warns(TrainingWarning):
        expected = Trainer(straight, Broken(29), setup).run()

    with pytest.raises(KeyboardInterrupt):
        Trainer(module(), Interrupted(26), setup, folder=tmp_path).run()
    net = module()
    with pytest.warns(TrainingWarning, match="after iteration 28: back to iteration 20"):
        result = Trainer(net, Broken(3), setup, folder=tmp_path).run(resume=True)
    assert same(weights(net), weights(straight))
    assert reports(result.history) == reports(expected.history)


def test_a_loss_that_stays_bad_is_an_error(tmp_path):
    with (
        pytest.warns(TrainingWarning) as warned,
        pytest.raises(
            TrainingError, match="loss or its gradient was not finite again after iteration 0 and 5 roll-backs"
        ) as caught,
    ):
        Trainer(module(), Broken(), settings(), folder=tmp_path).run()
    assert len(warned) == 5
    assert "\n" not in str(caught.value)
    assert (tmp_path / "log.jsonl").read_text().count("rolled back") == 5


def test_a_validation_that_is_not_finite_leads_back():
    class Late(Regression):
        count = 0

        def validate(self, _):
            self.count += 1
            return torch.nan if self.count == 2 else 1.0

    with pytest.warns(TrainingWarning, match="validation loss was not finite after iteration 10: back to iteration 5"):
        result = Trainer(module(), Late(), settings(20, validate_every=5)).run()
    assert [line["iteration"] for line in reports(result.history)] == [5, 10, 15, 20]


def test_weights_that_are_not_finite_lead_back():
    class Spoiled(Regression):
        def losses(self, module, batch):
            if self.calls == 8:
                with torch.no_grad():
                    module[2].bias.fill_(torch.inf)
                return module[0].weight.sum() * batch[0]
            return super().losses(module, batch)

    with pytest.warns(
        TrainingWarning, match="norm of the weights was not finite after iteration 8: back to iteration 0"
    ):
        result = Trainer(module(), Spoiled(), settings(20, validate_every=8)).run()
    assert result.rollbacks == 1
