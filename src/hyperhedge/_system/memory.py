r"""Memory: how much there is, how much a job may take, and the refusal of a job that would take more.

A job estimates what it will allocate before it allocates anything, and is refused in a sentence if that is beyond the limit. The
estimates are beside the code whose memory they describe, and tests compare them with measured peaks.

*What is available* is the least of what the kernel can give without swapping (``MemAvailable``), what every control group above
this process has left (that is how containers and batch systems limit a job), and what ``ulimit -v`` has left. On other systems
than Linux it is the physical memory, and without any answer there is no limit.

*The limit* is what :func:`memory_limit` or the environment variable ``HYPERHEDGE_MEMORY`` says, and otherwise what is available.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path

from rich.console import Console

from hyperhedge._system.progress import console_of
from hyperhedge.errors import HyperhedgeError, MemoryLimitError

VARIABLE = "HYPERHEDGE_MEMORY"

WORTH_SAYING = 256 << 20
"""A job that takes less says nothing."""

_UNLIMITED = 1 << 62
_UNITS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5}
_SIZE = re.compile(r"(\d+(?:\.\d+)?|\.\d+) *(?:([KMGTP])(I?)B?|B?)", re.ASCII | re.IGNORECASE)

_limit: ContextVar[int | None] = ContextVar("memory_limit", default=None)


# -- sizes ---------------------------------------------------------------------------------------------


def parse_size(text: str | int) -> int:
    """Read a number of bytes, such as ``4GiB``, ``800M`` (1024² each) or ``1.5 GB`` (1000³ each).

    Examples
    --------
    >>> [parse_size(text) for text in ("4GiB", "800M", "1.5 GB", 2048)]
    [4294967296, 838860800, 1500000000, 2048]
    >>> parse_size("much")
    Traceback (most recent call last):
        ...
    hyperhedge.errors.HyperhedgeError: 'much' is not a size of memory; give bytes, or such as '800M' or '4GiB'
    """
    match = _SIZE.fullmatch(str(text).strip())
    number = float(match[1]) if match else 0.0
    if match is None or not 0 < number < 2**62:
        raise HyperhedgeError(f"{text!r} is not a size of memory; give bytes, or such as '800M' or '4GiB'")
    unit, binary = (match[2] or "").upper(), bool(match[3])
    decimal = bool(unit) and not binary and match[0].upper().endswith("B")
    return math.ceil(number * float(1000 if decimal else 1024) ** _UNITS[unit])


def size_text(size: int) -> str:
    """Write a number of bytes, with two digits.

    Examples
    --------
    >>> [size_text(size) for size in (512, 1_363_148, 20 * 2**30 + 2**20, 10**400)]
    ['1 KiB', '1.3 MiB', '20 GiB', 'more than 1,000 PiB']
    """
    number = max(float(min(size, _UNLIMITED)) / 1024, 1.0)  # a larger one may be no float
    for unit in ("KiB", "MiB", "GiB", "TiB", "PiB"):
        if number < 999.5:
            return f"{number:.2g} {unit}" if number < 9.95 else f"{number:.0f} {unit}"
        number /= 1024
    return "more than 1,000 PiB"


def _about(size: int) -> str:
    text = size_text(size)
    return text if text.startswith("more") else f"about {text}"


# -- limits --------------------------------------------------------------------------------------------


@contextmanager
def memory_limit(size: str | int) -> Iterator[None]:
    """Let a job take at most so much memory while this lasts.

    Examples
    --------
    >>> with memory_limit("1KiB"):
    ...     refuse_beyond(2**20, "this example", "make it smaller")
    Traceback (most recent call last):
        ...
    hyperhedge.errors.MemoryLimitError: this example needs about 1 MiB of memory, and the limit is 1 KiB; make it smaller
    """
    before = _limit.set(parse_size(size))
    try:
        yield
    finally:
        _limit.reset(before)


def chosen_limit() -> int | None:
    """Return the limit that :func:`memory_limit` or the environment sets; None if nobody chose one."""
    limit = _limit.get()
    if limit is None and os.environ.get(VARIABLE):
        try:
            return parse_size(os.environ[VARIABLE])
        except HyperhedgeError as error:
            raise HyperhedgeError(f"{VARIABLE}: {error}") from None
    return limit


def limit() -> int:
    """Return how many bytes a job may take."""
    chosen = chosen_limit()
    return available() if chosen is None else chosen


def refuse_beyond(need: int, job: str, advice: str) -> None:
    """Refuse a job that needs more bytes than it may take, and say what to do instead."""
    if need > limit():
        chosen = chosen_limit()
        bound = f"{size_text(available())} are available" if chosen is None else f"the limit is {size_text(chosen)}"
        raise MemoryLimitError(f"{job} needs {_about(need)} of memory, and {bound}; {advice}")


def admit(need: int, job: str, advice: str, progress: Console | bool | None, *, least: int = WORTH_SAYING) -> None:
    """Refuse a job, or say on a console what it will take, if that is at least so much."""
    refuse_beyond(need, job, advice)
    console = console_of(progress)
    if console is not None and need >= least:
        console.print(statement(need, job), highlight=False, markup=False, soft_wrap=True)


def statement(need: int, job: str) -> str:
    """Say what a job will take.

    Examples
    --------
    >>> with memory_limit("20GiB"):
    ...     print(statement(1_300_000_000, "training"))
    training takes about 1.2 GiB of memory (limit 20 GiB)
    """
    chosen = chosen_limit()
    bound = f"{size_text(available())} available" if chosen is None else f"limit {size_text(chosen)}"
    return f"{job} takes {_about(need)} of memory ({bound})"


# -- what there is -------------------------------------------------------------------------------------


def available(root: Path = Path("/")) -> int:
    """Return how many bytes this process can still take; ``root`` is where ``/proc`` and ``/sys`` are."""
    bounds = [_available_to_all(root), *_left_in_groups(root), _left_of_address_space(root)]
    known = [bound for bound in bounds if bound is not None]
    return max(0, min(known)) if known else _physical()


def _available_to_all(root: Path) -> int | None:
    numbers = _table(root / "proc/meminfo")
    return numbers["MemAvailable"] * 1024 if "MemAvailable" in numbers else None


def _left_in_groups(root: Path) -> Iterator[int | None]:
    """Go through what is left in each control group that this process is in, of version 1 and 2."""
    with suppress(OSError, ValueError):
        for line in (root / "proc/self/cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            if not controllers:
                names = "memory.max", "memory.current", "inactive_file"
                yield from _left_above(root / "sys/fs/cgroup", path, names)
            elif "memory" in controllers.split(","):
                names = "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"
                yield from _left_above(root / "sys/fs/cgroup/memory", path, names)


def _left_above(mount: Path, path: str, names: tuple[str, str, str]) -> Iterator[int | None]:
    """Go through a group and those that it is in; a container may see its own group at the mount itself."""
    group = mount / path.strip("/")
    for folder in (group, *group.parents):
        yield _left_in(folder, *names)
        if folder == mount:
            break


def _left_in(group: Path, most: str, used: str, reclaimable: str) -> int | None:
    """Return the limit less what is used, of which the kernel gives back file contents that nobody looks at."""
    try:
        bound = int((group / most).read_text())  # "max" is no number, and no limit
        return bound - int((group / used).read_text()) + _table(group / "memory.stat").get(reclaimable, 0)
    except (OSError, ValueError):
        return None


def _left_of_address_space(root: Path) -> int | None:
    try:
        import resource

        bound, _ = resource.getrlimit(resource.RLIMIT_AS)
        if bound == resource.RLIM_INFINITY:
            return None
        return bound - _table(root / "proc/self/status").get("VmSize", 0) * 1024
    except (ImportError, OSError, ValueError):
        return None


def _physical() -> int:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return _UNLIMITED


def _table(file: Path) -> dict[str, int]:
    """Read lines such as ``MemAvailable:  24321 kB`` or ``inactive_file 4096``; nothing without the file."""
    try:
        text = file.read_text()
    except OSError:
        return {}
    return {name: int(number) for name, number in re.findall(r"^(\w+):?[ \t]+(\d+)", text, re.MULTILINE)}
