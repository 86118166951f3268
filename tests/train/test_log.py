"""The log: its lines, where it is cut when a training is resumed, and TensorBoard."""

import errno
import json
import sys
from types import ModuleType

import pytest

from hyperhedge.errors import MissingDependencyError, TrainingError
from hyperhedge.train import Trainer
from hyperhedge.train.log import Log
from regression import Interrupted, Regression, events, module, reports, settings


def lines_of(folder):
    return [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]


def test_lines_come_at_validations_and_every_50_iterations(tmp_path):
    result = Trainer(module(), Regression(held_out=True), settings(130, validate_every=60), folder=tmp_path).run()
    lines = lines_of(tmp_path)
    assert lines == result.history
    *reported, last = lines
    assert [line["iteration"] for line in reported] == [50, 60, 100, 120, 130]
    assert [line["iteration"] for line in reported if "validation" in line] == [60, 120, 130]
    assert last == {"iteration": 130, "event": "stopped", "reason": "iterations"}
    assert list(reported[1]) == [
        *("iteration", "loss", "validation", "learning_rate", "gradient_norm", "samples_per_second", "seconds"),
    ]
    assert all(line["samples_per_second"] > 0 for line in reported)
    seconds = [line["seconds"] for line in reported]
    assert seconds == sorted(seconds)
    assert result.loss == reported[-1]["loss"]


def test_the_loss_is_the_mean_since_the_line_before():
    """As a task with known losses shows: the k-th step's loss is k."""

    class Counted(Regression):
        def losses(self, module, batch):
            return 0.0 * super().losses(module, batch) + float(self.calls)

    history = Trainer(module(), Counted(), settings(70, validate_every=20)).run().history
    means = {line["iteration"]: line["loss"] for line in reports(history)}
    assert means == {20: 10.5, 40: 30.5, 50: 45.5, 60: 55.5, 70: 65.5}


def test_the_log_is_cut_back_to_the_checkpoint(tmp_path):
    """A run is killed after lines that its last checkpoint does not know, and in the middle of a line."""
    setup = settings(120, validate_every=10)
    with pytest.raises(KeyboardInterrupt):
        Trainer(module(), Interrupted(35), setup, folder=tmp_path).run()
    with (tmp_path / "log.jsonl").open("a") as log:
        log.write('{"iteration":40,"loss":1.0}\n{"iteration":50,"lo')
    result = Trainer(module(), Regression(held_out=True), setup, folder=tmp_path).run(resume=True)
    expected = Trainer(module(), Regression(held_out=True), setup).run()
    assert reports(lines_of(tmp_path)) == reports(expected.history)
    assert lines_of(tmp_path) == result.history
    assert events(result.history) == [(35, "interrupted"), (35, "resumed"), (120, "stopped")]


def test_a_log_that_was_removed_is_begun_anew(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        Trainer(module(), Interrupted(15), settings(20), folder=tmp_path).run()
    (tmp_path / "log.jsonl").unlink()
    result = Trainer(module(), Regression(held_out=True), settings(20), folder=tmp_path).run(resume=True)
    assert events(result.history) == [(15, "resumed"), (20, "stopped")]


def test_a_log_that_is_none_is_refused(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        Trainer(module(), Interrupted(15), settings(20), folder=tmp_path).run()
    (tmp_path / "log.jsonl").write_text("my notes\n" * 1000)
    with pytest.raises(TrainingError, match=r"log\.jsonl: this is not the log of the checkpoint beside it"):
        Trainer(module(), Regression(held_out=True), settings(20), folder=tmp_path).run(resume=True)


def test_a_line_is_written_whole_or_an_error_is_raised(tmp_path):
    class Narrow:
        """A file on a disk that takes a few bytes at a time, and so many in all."""

        def __init__(self, room):
            self.room, self.taken = room, b""

        def write(self, data):
            if len(self.taken) >= self.room:
                raise OSError(errno.ENOSPC, "No space left on device")
            part = data[:5]
            self.taken += part
            return len(part)

        def close(self):
            pass

    with Log(tmp_path / "log.jsonl") as log:
        log._out.close()
        log._out = Narrow(100)
        log.add(iteration=1, event="tested")
        assert json.loads(log._out.taken) == {"iteration": 1, "event": "tested"}
        log._out = Narrow(10)
        with pytest.raises(TrainingError, match=r"log.jsonl: the log cannot be written \(no space left on device\)"):
            log.add(iteration=1, event="tested")


# -- TensorBoard -----------------------------------------------------------------------------------


def test_without_tensorboard_one_is_told_how_to_install_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorboard", None)
    with pytest.raises(
        MissingDependencyError, match=r"this needs tensorboard: pip install 'hyperhedge\[tensorboard\]'"
    ):
        Trainer(module(), Regression(), settings(), folder=tmp_path, tensorboard=True)


class Writer:
    """Stands in for TensorBoard's writer, which need not be installed."""

    made: list["Writer"] = []  # noqa: RUF012

    def __init__(self, log_dir, purge_step):
        self.log_dir, self.purge_step, self.scalars, self.closed = log_dir, purge_step, [], False
        self.made.append(self)

    def add_scalar(self, name, value, step):
        self.scalars.append((name, value, step))

    def close(self):
        self.closed = True


@pytest.fixture
def writers(monkeypatch):
    stand_in = ModuleType("torch.utils.tensorboard")
    stand_in.SummaryWriter = Writer
    monkeypatch.setitem(sys.modules, "tensorboard", ModuleType("tensorboard"))
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", stand_in)
    monkeypatch.setattr(Writer, "made", [])
    return Writer.made


def test_curves_go_to_tensorboard(tmp_path, writers):
    with pytest.raises(KeyboardInterrupt):
        Trainer(module(), Interrupted(8), settings(20), folder=tmp_path, tensorboard=True).run()
    result = Trainer(module(), Regression(held_out=True), settings(20), folder=tmp_path, tensorboard=True).run(
        resume=True
    )
    assert [writer.purge_step for writer in writers] == [1, 9]
    assert {writer.log_dir for writer in writers} == {str(tmp_path / "tensorboard")}
    assert all(writer.closed for writer in writers)
    written = [scalar for writer in writers for scalar in writer.scalars if scalar[0] in ("loss", "validation")]
    expected = [
        (name, line[name], line["iteration"]) for line in reports(result.history) for name in ("loss", "validation")
    ]
    assert written == expected


def test_tensorboard_needs_a_folder(writers):
    with pytest.raises(TrainingError, match="give folder too"):
        Trainer(module(), Regression(), settings(), tensorboard=True)
    assert writers == []
