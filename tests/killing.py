"""Processes that are killed at a moment of chance, and disks of a few megabytes."""

import contextlib
import os
import random
import signal
import subprocess
import time
from pathlib import Path

from hyperhedge.cli import main

#: How often each thing is killed in the full tests.
KILLS = int(os.environ.get("HYPERHEDGE_KILLS", "50"))


def command(*arguments):
    """Return a function that runs the command line, to be killed, without a word."""

    def call():
        with (
            Path(os.devnull).open("w") as nowhere,
            contextlib.redirect_stdout(nowhere),
            contextlib.redirect_stderr(nowhere),
        ):
            try:
                main([str(argument) for argument in arguments])
            except SystemExit as end:
                return end.code

    return call


def run_and_kill(call, seconds=None):
    """Call a function in a process of its own and kill it after so many seconds; return its exit code, -9 if it was killed."""
    child = os.fork()
    if child == 0:
        code = 99
        try:
            code = call() or 0
        finally:
            os._exit(code)
    if seconds is not None:
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def duration(call):
    """Return how long a call takes that is not killed."""
    start = time.monotonic()
    assert run_and_kill(call) == 0
    return time.monotonic() - start


def moments(call, count=KILLS, seed=0):
    """Yield moments between the start of a call and a little after its end."""
    longest, rng = 1.1 * duration(call), random.Random(seed)
    for _ in range(count):
        yield rng.uniform(0, longest)


def contents(folder):
    """Return the files of a folder with what is in them, those of hidden leftovers not."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not any(name.startswith(".") for name in path.relative_to(folder).parts)
    }


@contextlib.contextmanager
def small_disk(folder, size="2m"):
    """Mount a disk of a few megabytes at a folder; raise an OSError where that is not allowed."""
    folder.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise OSError(done.stderr.strip() or "mount failed")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(folder, leave=0):
    """Fill a disk up to a number of bytes that are left."""
    with (folder / "filler").open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(b"\0" * 4096)
    size = (folder / "filler").stat().st_size
    os.truncate(folder / "filler", max(0, size - leave))
