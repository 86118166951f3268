"""Checkpoints: what is written comes back, and whatever else is in the file is refused in one sentence."""

import errno
import json
import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save_file
from torch import nn

from hyperhedge.errors import TrainingError
from hyperhedge.train import Trainer
from hyperhedge.train.checkpoint import FILE, _checksum, read_checkpoint, write_checkpoint
from hyperhedge.train.state import State
from regression import Regression, module, reports, same, settings, weights


@pytest.fixture
def trained(tmp_path):
    """Return the folder of a training that is complete."""
    Trainer(module(), Regression(held_out=True), settings(), folder=tmp_path).run()
    return tmp_path


def resumed(folder, net=None, task=None, **changes):
    net = net or module()
    return Trainer(net, task or Regression(held_out=True), settings(**changes), folder=folder).run(resume=True), net


def one_sentence(caught):
    text = str(caught.value)
    return "\n" not in text and not text.endswith(".") and len(text) < 500


@contextmanager
def refused(file, match):
    with pytest.raises(TrainingError, match=match) as caught:
        yield
    assert str(file) in str(caught.value)
    assert one_sentence(caught)


def rewritten(file, change, **metadata):
    """Write a checkpoint again with other tensors or other metadata, and a checksum that fits."""
    with safe_open(file, "pt") as opened:
        kept = opened.metadata()
        tensors = {name: opened.get_tensor(name).clone() for name in opened.keys()}  # noqa: SIM118
    change(tensors)
    record = json.dumps({**json.loads(kept["record"]), **metadata})
    save_file(tensors, file, {"record": record, "checksum": _checksum(record, tensors)})


def nothing(tensors):
    """Change nothing."""


# -- there and back --------------------------------------------------------------------------------


def test_all_of_a_state_comes_back(tmp_path):
    state = State(module(), settings())
    draw = torch.Generator().manual_seed(3)
    for k in range(5):
        for parameter in state.trained.values():
            parameter.grad = torch.randn(parameter.shape, generator=draw)
        state.step()
        if k == 2:
            state.take_snapshot()
            state.note_validation(0.25)
    state.counters.loss_sum = 0.1 + 0.2  # as many digits as a number can have
    torch.rand(11, generator=state.generator)
    write_checkpoint(tmp_path / FILE, state, 17)
    back = State(module(), settings())
    record = read_checkpoint(tmp_path / FILE, back)
    assert record.log_bytes == 17
    assert back.counters == state.counters
    assert back.snapshot_iteration == 3
    assert same(back.tensors(), state.tensors())
    assert same(back.snapshot, state.snapshot)
    assert same(back.best, state.best)
    assert not same(back.snapshot, back.tensors())
    assert torch.equal(torch.rand(5, generator=back.generator), torch.rand(5, generator=state.generator))


def test_types_and_buffers_and_tied_weights_come_back(tmp_path):
    class Odd(nn.Module):
        def __init__(self):
            super().__init__()
            self.short = nn.Parameter(torch.randn(3, dtype=torch.bfloat16))
            self.long = nn.Parameter(torch.randn(2, 2, dtype=torch.float64).T)
            self.tied = self.long
            self.scalar = nn.Parameter(torch.tensor(2.0))
            self.empty = nn.Parameter(torch.zeros(0))
            self.frozen = nn.Parameter(torch.ones(2), requires_grad=False)
            self.register_buffer("mask", torch.tensor([0.0, -torch.inf]))
            self.register_buffer("count", torch.tensor(5))
            self.register_buffer("cache", torch.zeros(1), persistent=False)

    state = State(Odd(), settings())
    write_checkpoint(tmp_path / FILE, state, 0)
    back = State(Odd(), settings())
    read_checkpoint(tmp_path / FILE, back)
    assert same(weights(back.module), weights(state.module))


def test_a_finished_training_gives_its_module_at_once(trained):
    before = (trained / FILE).read_bytes(), (trained / "log.jsonl").read_bytes()
    straight = module()
    expected = Trainer(straight, Regression(held_out=True), settings()).run()
    task = Regression(held_out=True)
    result, net = resumed(trained, task=task)
    assert task.calls == 0
    assert same(weights(net), weights(straight))
    assert (result.iterations, result.stopped, result.loss) == (20, "iterations", expected.loss)
    assert reports(result.history) == reports(expected.history)
    assert ((trained / FILE).read_bytes(), (trained / "log.jsonl").read_bytes()) == before


# -- refusals --------------------------------------------------------------------------------------


def test_nothing_to_resume_from(tmp_path):
    with refused(tmp_path / "new" / FILE, "there is no checkpoint to resume from"):
        resumed(tmp_path / "new")
    assert not (tmp_path / "new").exists()
    with pytest.raises(TrainingError, match="give folder too"):
        Trainer(module(), Regression(), settings()).run(resume=True)


def test_a_file_in_place_of_the_folder(tmp_path):
    (tmp_path / "file").write_text("")
    with refused(tmp_path / "file", "the folder cannot be made"):
        Trainer(module(), Regression(), settings(), folder=tmp_path / "file").run()


def test_a_file_that_is_cut_short_is_refused_at_every_length(trained):
    data = (trained / FILE).read_bytes()
    for length in [*range(0, 300, 7), *range(300, len(data), len(data) // 60), len(data) - 1]:
        (trained / FILE).write_bytes(data[:length])
        with refused(trained / FILE, "damaged"):
            resumed(trained)


def test_a_flipped_bit_is_found_wherever_it_is(trained):
    data = (trained / FILE).read_bytes()
    for place in range(0, len(data), len(data) // 150):
        (trained / FILE).write_bytes(data[:place] + bytes([data[place] ^ 4]) + data[place + 1 :])
        with refused(trained / FILE, "damaged"):
            resumed(trained)


def test_other_files_are_refused(trained):
    for content in (b"", b"{}", b"\x02\0\0\0\0\0\0\0{}", os.urandom(4000)):
        (trained / FILE).write_bytes(content)
        with refused(trained / FILE, "damaged"):
            resumed(trained)
    save_file({"a": torch.ones(2)}, trained / FILE)
    with refused(trained / FILE, "not the checkpoint of a training"):
        resumed(trained)


@pytest.mark.parametrize("value", [torch.nan, torch.inf])
@pytest.mark.parametrize("name", ["weights.0.bias", "average.2.weight", "best.0.weight", "exp_avg_sq.0.bias"])
def test_numbers_that_are_not_finite_are_refused(trained, name, value):
    rewritten(trained / FILE, lambda tensors: tensors[name].view(-1)[0].fill_(value))
    with refused(trained / FILE, f"not finite in {name}"):
        resumed(trained)


def test_missing_and_misshapen_parts_are_refused(trained):
    rewritten(trained / FILE, lambda tensors: tensors.pop("best.0.bias"))
    with refused(trained / FILE, "best.0.bias is absent"):
        resumed(trained)
    rewritten(trained / FILE, lambda tensors: tensors.update({"best.0.bias": torch.zeros(2)}))
    with refused(trained / FILE, r"best.0.bias is \(2,\) float32 and should be \(8,\) float32"):
        resumed(trained)


@pytest.mark.parametrize("bad", [torch.zeros(3, dtype=torch.uint8), torch.zeros(5056), None])
def test_a_bad_generator_is_refused(trained, bad):
    rewritten(
        trained / FILE, lambda tensors: tensors.pop("generator") if bad is None else tensors.update(generator=bad)
    )
    with refused(trained / FILE, "the state of its generator"):
        resumed(trained)


def test_records_of_other_kinds_are_refused(trained):
    rewritten(trained / FILE, nothing, format_version=2, more="to come")
    with refused(trained / FILE, "a newer version of hyperhedge"):
        resumed(trained)
    rewritten(trained / FILE, nothing, format_version=1)
    with refused(trained / FILE, "damaged .*more"):
        resumed(trained)


def test_another_module_is_refused(trained):
    with refused(trained / FILE, r"0.weight is \(8, 3\) float32 in it and \(9, 3\) float32 here"):
        resumed(trained, module(width=9))
    with refused(trained / FILE, "0.weight is .* float32 in it and .* float64 here"):
        resumed(trained, module().double())


def test_a_checkpoint_of_a_far_larger_module_is_not_read(trained, monkeypatch):
    rewritten(trained / FILE, lambda tensors: tensors.update({"weights.0.weight": torch.zeros(2**20)}))
    monkeypatch.setattr("hyperhedge.train.checkpoint.safe_open", None)
    with refused(trained / FILE, r"has 4,\d{3},\d{3} bytes of tensors, and one of this module has at most 1,"):
        resumed(trained)


@pytest.mark.parametrize(
    "change",
    [
        {"iterations": 21},
        {"batch_size": 4},
        {"learning_rate": 0.02},
        {"warmup": 6},
        {"decay": 1.0},
        {"betas": (0.9, 0.98)},
        {"weight_decay": 0.1},
        {"clip": None},
        {"ema": 0.8},
        {"validate_every": 8},
        {"seed": 1},
    ],
    ids=lambda change: next(iter(change)),
)
def test_other_settings_that_matter_are_refused(trained, change):
    with refused(trained / FILE, f"trained with {next(iter(change))} = .* and now it is"):
        resumed(trained, **change)


def test_other_settings_that_do_not_matter_are_accepted(trained):
    result, _ = resumed(trained, max_time=1e6, checkpoint_every=1.0, workers=2, patience=5)
    assert result.iterations == 20


# -- full disks and kills --------------------------------------------------------------------------


def test_a_full_disk_leaves_the_checkpoint_before(tmp_path):
    """The limit on the size of files lets the first checkpoint pass, and not the second, which holds a best average too."""
    resource = pytest.importorskip("resource")
    state = State(module(), settings())
    write_checkpoint(tmp_path / FILE, state, 0)
    limit = (tmp_path / FILE).stat().st_size + 100
    (tmp_path / FILE).unlink()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
    try:
        with refused(
            tmp_path / FILE, r"iteration 20 cannot be written \(file too large\), that of iteration 0 is intact"
        ):
            Trainer(module(), Regression(held_out=True), settings(), folder=tmp_path).run()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert sorted(path.name for path in tmp_path.iterdir()) == [FILE, "log.jsonl"]
    straight = module()
    Trainer(straight, Regression(held_out=True), settings()).run()
    assert same(weights(resumed(tmp_path)[1]), weights(straight))


def test_a_disk_that_is_full_from_the_start(tmp_path, monkeypatch):
    def full(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with refused(tmp_path / FILE, r"iteration 0 cannot be written \(no space left on device\), there is none before"):
        Trainer(module(), Regression(), settings(), folder=tmp_path).run()
    assert [path.name for path in tmp_path.iterdir()] == ["log.jsonl"]


def test_a_log_that_cannot_be_written(tmp_path):
    (tmp_path / "log.jsonl").symlink_to("/dev/full")
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    with refused(tmp_path / "log.jsonl", "the log cannot be written"):
        Trainer(module(), Regression(), settings(), folder=tmp_path).run()


KILLS = """
import os, random, signal, sys, time
from pathlib import Path
from regression import Regression, module, settings, same, weights
from hyperhedge.train import Trainer

folder, kills = Path(sys.argv[1]), int(sys.argv[2])
setup = settings(300, checkpoint_every=0.0)
random.seed(5)
killed = 0
straight = module()
Trainer(straight, Regression(held_out=True), setup).run()
file = folder / "checkpoint.safetensors"


def version():
    return os.stat(file).st_mtime_ns if file.exists() else None


for k in range(kills):
    before, deadline = version(), time.monotonic() + 20
    child = os.fork()
    if child == 0:
        try:
            Trainer(module(), Regression(held_out=True), setup, folder=folder).run(resume=file.exists())
        except BaseException as error:
            print("the child failed:", error, flush=True)
            os._exit(1)
        os._exit(0)
    while k % 3 and version() == before and time.monotonic() < deadline:
        time.sleep(0.001)  # two of three are killed when they have written something, one whatever it does
    time.sleep(random.uniform(0.0, 0.03))
    os.kill(child, signal.SIGKILL)
    killed += os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
net = module()
result = Trainer(net, Regression(held_out=True), setup, folder=folder).run(resume=True)
resumptions = sum(line.get("event") == "resumed" for line in result.history)
print(killed, resumptions, same(weights(net), weights(straight)))
"""


def test_kills_at_any_moment_change_nothing(tmp_path):
    """A process that writes a checkpoint after every step is killed again and again, and resumed each time."""
    done = subprocess.run(
        [sys.executable, "-c", KILLS, str(tmp_path), "15"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
    )
    killed, resumptions, equal = done.stdout.split() if done.returncode == 0 else ["", "", done.stdout + done.stderr]
    assert (killed, equal) == ("15", "True")
    assert int(resumptions) >= 10
    assert sorted(path.name for path in tmp_path.iterdir()) == [FILE, "log.jsonl"]
