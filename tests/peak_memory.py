"""The memory that a job really takes: the peak of a process of its own, above what it had before."""

import os
import subprocess
import sys
import textwrap

import pytest

_FRAME = """
import gc, re, warnings
warnings.simplefilter("ignore")
import hyperhedge as hh
from hyperhedge.train.workers import at_most_workers

def status(name):
    with open("/proc/self/status") as file:
        return int(re.search(rf"^{{name}}:\\s+(\\d+)", file.read(), re.M)[1]) * 1024

{setup}
gc.collect()
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")  # the peak so far is forgotten
before = status("VmRSS")
with at_most_workers(1):
    {job}
print(status("VmHWM") - before)
"""


def peak(setup, job):
    """Return the bytes by which a job, one line of Python, raises the memory of a process that has run the setup."""
    if not os.access("/proc/self/clear_refs", os.W_OK):
        pytest.skip("only Linux tells the peak of a part of a process")
    code = _FRAME.format(setup=textwrap.dedent(setup), job=job)
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    return int(done.stdout)
