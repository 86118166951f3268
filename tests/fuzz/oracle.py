"""What a case may do: succeed, or be refused in one sentence, in bounded time and memory."""

import contextlib
import resource
import signal
import traceback
import warnings
from collections import Counter
from dataclasses import dataclass, field

from fuzz.targets import TARGETS, generator_of
from hyperhedge.errors import HyperhedgeError

#: Seconds that a case may take, and bytes that a batch of cases may take beside what is loaded before.
SECONDS, MEMORY = 20, 1 << 30

_SEEDED = "PYTHONPATH=tests python -m fuzz {target} --seed {seed} --first {number} --count 1"


class TookTooLongError(BaseException):
    """A case took more than its time; not an Exception, so nothing in between takes it for another failure."""


@dataclass
class Outcome:
    """How many cases were accepted, and refused by which error; and what failed, with how to repeat it."""

    ends: Counter = field(default_factory=Counter)
    failures: list = field(default_factory=list)


def run(target, folder, *, seed, first, count, on_case=None):
    """Run cases of a target in this process."""
    made, outcome = TARGETS[target](folder), Outcome()
    with _alarm():
        for number in range(first, first + count):
            if on_case is not None:
                on_case(number)
            problem = _judged(made, generator_of(target, seed, number), outcome.ends)
            if problem:
                repeat = _SEEDED.format(target=target, seed=seed, number=number)
                outcome.failures.append(f"{repeat}\n{problem}")
    return outcome


def _judged(made, rng, ends):
    """Run a case; return what is wrong with how it ended, if anything is."""
    call = made.case(rng)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        with warnings.catch_warnings(action="ignore"):
            call()
    except HyperhedgeError as error:
        ends[type(error).__name__] += 1
        return _not_a_sentence(str(error))
    except TookTooLongError:
        return f"took more than {SECONDS} seconds\n{traceback.format_exc(limit=-4)}"
    except Exception:  # noqa: BLE001
        return traceback.format_exc(limit=-6)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    ends["accepted"] += 1
    return None


def _not_a_sentence(text):
    if not text.strip() or "\n" in text or len(text) > 2000:
        return f"the error is not one sentence: {text[:300]!r}"
    return None


@contextlib.contextmanager
def _alarm():
    def ring(*_):
        raise TookTooLongError

    before = signal.signal(signal.SIGALRM, ring)
    try:
        yield
    finally:
        signal.signal(signal.SIGALRM, before)


def limit_memory():
    """Limit the memory of this process to what it has and a little more: an allocation beyond it fails."""
    with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123
        pages = int(file.read().split()[0])
    used = pages * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
