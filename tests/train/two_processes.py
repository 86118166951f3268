"""What two processes do together; run by test_ranks.py, which reads what each writes into the folder given."""

import json
import os
import signal
import sys
import warnings
from pathlib import Path

import torch

from hyperhedge.train import Trainer
from hyperhedge.train.ranks import fresh_seed
from regression import Broken, Interrupted, Regression, module, reports, settings

FOLDER, RANK = Path(sys.argv[-1]), int(os.environ.get("RANK") or 0)


class Elsewhere(Regression):
    """A task that is sound in one process, and another in the other."""

    def __new__(cls, rank, other):
        return other if rank == RANK else Regression(held_out=True)


def facts(net, result):
    summed = float(sum(p.double().abs().sum() for p in net.parameters()))
    return {
        "stopped": result.stopped,
        "iterations": result.iterations,
        "rollbacks": result.rollbacks,
        "best": result.best_validation,
        "weights": summed.hex(),
        "history": reports(result.history),
    }


def attempt(task, setup, folder=None, resume=False):
    """Train, and tell what came of it."""
    net = module()
    if RANK == 1:  # the processes need not begin with the same weights: the first one's count
        with torch.no_grad():
            net[0].weight.add_(1.0)
    try:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            result = Trainer(net, task, setup, folder=folder and FOLDER / folder, device="cpu").run(resume=resume)
        told = [str(warning.message) for warning in warned if "not finite" in str(warning.message)]
        return facts(net, result) | {"told": told}
    except (ValueError, KeyboardInterrupt) as error:
        return {type(error).__name__: str(error)}


def full(_):
    raise OSError(28, "No space left on device")


def main():
    signal.signal(signal.SIGINT, signal.default_int_handler)
    plain = Regression(held_out=True)
    found = {
        "seeds": [fresh_seed("cpu"), fresh_seed("cpu")],
        "together": attempt(plain, settings(60), "together"),
        "again": attempt(plain, settings(60), "together"),
        "odd": attempt(plain, settings(60, batch_size=7)),
        "diverged": attempt(Elsewhere(1, Broken(25)), settings(60)),
        "interrupted": attempt(Elsewhere(1, Interrupted(33, 33)), settings(60), "cut"),
        "resumed": attempt(plain, settings(60), "cut", resume=True),
        "timed": attempt(plain, settings(10**6, max_time=0.5)),
        "impatient": attempt(plain, settings(10**6, patience=1, learning_rate=1e-9, validate_every=3)),
        "missing": attempt(plain, settings(60), "cut" if RANK == 0 else "nowhere", resume=True),
    }
    if RANK == 0:
        os.fsync = full
    found["full"] = attempt(plain, settings(60), "full")
    (FOLDER / f"{RANK}.json").write_text(json.dumps(found))


if __name__ == "__main__":
    main()
