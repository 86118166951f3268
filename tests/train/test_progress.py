"""What is shown while a training runs."""

import io
import re

import pytest
from rich.console import Console

from hyperhedge.train import Trainer
from hyperhedge.train.progress import Display
from hyperhedge.train.state import Counters
from regression import Broken, Interrupted, Regression, module, settings


def terminal(width=160):
    return Console(file=io.StringIO(), force_terminal=True, width=width, color_system=None)


def shown(console):
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", console.file.getvalue())


def test_the_bar_shows_where_a_training_is():
    console = terminal()
    Trainer(module(), Regression(held_out=True), settings(60), progress=console).run()
    last = shown(console).replace("\r", "\n").strip().splitlines()[-1]
    assert re.search(r"training .* 60/60 · loss \d\S* · validation \d\S* · [\d,]+ samples/s · 0:00 left", last), last


@pytest.mark.parametrize(
    ("max_time", "left"),
    [(None, "14:50"), (2000.0, "14:50"), (400.0, "5:00"), (50.0, "0:00")],
)
def test_the_time_left_is_that_of_whichever_ends_first(max_time, left):
    """After 100 steps in 100 seconds, and 10 of an earlier run, 890 of 1,000 steps are left."""
    console = terminal()
    setup = settings(1000, max_time=max_time)
    with Display(console, setup, Counters(iteration=10)) as display:
        display.update(Counters(iteration=110, seconds=100.0, loss_sum=3.0, steps=2), validation=0.25)
    assert f"110/1,000 · loss 1.5 · validation 0.25 · 8 samples/s · {left} left" in shown(console)


def test_the_last_validation_stays():
    console = terminal()
    with Display(console, settings(1000), Counters()) as display:
        display.update(Counters(iteration=1, loss=2.0), validation=0.25)
        display.update(Counters(iteration=2, loss=2.0))
    assert "2/1,000 · loss 2 · validation 0.25" in shown(console)


def test_nothing_is_shown_unless_asked_for(capfd):
    Trainer(module(), Regression(), settings()).run()
    Trainer(module(), Regression(), settings(), progress=False).run()
    assert capfd.readouterr() == ("", "")


def test_progress_goes_to_standard_error(capfd):
    Trainer(module(), Regression(), settings(), progress=True).run()
    out, err = capfd.readouterr()
    assert out == ""
    assert "20/20" in err


def test_an_interruption_is_told_with_where_the_checkpoint_is(tmp_path):
    with pytest.raises(KeyboardInterrupt) as caught:
        Trainer(module(), Interrupted(9), settings(), folder=tmp_path).run()
    assert str(caught.value) == f"training was interrupted after iteration 9; its checkpoint is in {tmp_path}"
    with pytest.raises(KeyboardInterrupt, match=r"^training was interrupted after iteration 9$"):
        Trainer(module(), Interrupted(9), settings()).run()


def test_roll_backs_are_told_on_the_console():
    console = terminal()
    Trainer(module(), Broken(9), settings(), progress=console).run()
    assert "The loss or its gradient was not finite after iteration 8: back to iteration 7 with 0.5 times" in shown(
        console
    )
