"""Tasks for the workers of a cluster, which must be able to import them."""

import os
import signal
import time
from pathlib import Path


def square(number):
    """Return a square, and the threads of this process."""
    return number * number, os.environ.get("OMP_NUM_THREADS")


def trouble(task):
    """Do what the task says: fail, die always, die once (leaving a mark), or nothing."""
    kind, mark = task
    if kind == "fail":
        raise ValueError("it fails")
    if kind == "die" or (kind == "die once" and not Path(mark).exists()):
        Path(mark).touch()
        time.sleep(0.2)
        os.kill(os.getpid(), signal.SIGKILL)
    return kind
