"""Memory: sizes are read and written, limits are those of the system, and what is beyond them is refused."""

import io
import resource

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from hyperhedge._system import memory
from hyperhedge._system.memory import (
    admit,
    available,
    limit,
    memory_limit,
    parse_size,
    refuse_beyond,
    size_text,
    statement,
)
from hyperhedge.errors import HyperhedgeError, MemoryLimitError

GIB = 2**30


# -- sizes ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("1", 1),
        ("17B", 17),
        ("1k", 1024),
        ("1 KiB", 1024),
        ("1KB", 1000),
        ("1.5g", 3 * 2**29),
        (".5GiB", 2**29),
        ("2tb", 2 * 10**12),
        (" 3 PiB ", 3 * 2**50),
        (12345, 12345),
    ],
)
def test_sizes_are_read(text, size):
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "GiB", "-1G", "1.2.3G", "4 GiBs", "1e9", "0", 0, -5, "inf", "9" * 40, "٤G"])
def test_what_is_no_size_is_refused(text):
    with pytest.raises(HyperhedgeError, match="is not a size of memory; give bytes, or such as '800M' or '4GiB'"):
        parse_size(text)


@given(st.integers(1024, 2**59))
def test_a_size_is_written_within_its_two_digits(size):
    assert parse_size(size_text(size)) == pytest.approx(size, rel=0.06)


def test_sizes_beyond_all_units_are_written():
    assert size_text(10**500) == "more than 1,000 PiB"
    assert size_text(0) == "1 KiB"
    assert size_text(1023 * 2**20) == "1 GiB"


# -- limits --------------------------------------------------------------------------------------------


def test_limits_nest_and_end():
    with memory_limit("2GiB"):
        with memory_limit("1GiB"):
            assert limit() == GIB
        assert limit() == 2 * GIB
    assert limit() == pytest.approx(available(), rel=0.2)


def test_the_environment_limits_too(monkeypatch):
    monkeypatch.setenv("HYPERHEDGE_MEMORY", "3GiB")
    assert limit() == 3 * GIB
    with memory_limit("1GiB"):
        assert limit() == GIB
    monkeypatch.setenv("HYPERHEDGE_MEMORY", "lots")
    with pytest.raises(HyperhedgeError, match=r"^HYPERHEDGE_MEMORY: 'lots' is not a size"):
        limit()


def test_the_limit_itself_is_allowed():
    with memory_limit(1000):
        refuse_beyond(1000, "this", "")
        with pytest.raises(
            MemoryLimitError, match=r"^this needs about 1 KiB of memory, and the limit is 1 KiB; do less$"
        ):
            refuse_beyond(1001, "this", "do less")


def test_what_is_not_available_is_refused(monkeypatch):
    monkeypatch.setattr(memory, "available", lambda: 2 * GIB)
    refuse_beyond(2 * GIB, "this", "")
    with pytest.raises(MemoryError, match=r"^this needs about 3 GiB of memory, and 2 GiB are available; do less$"):
        refuse_beyond(3 * GIB, "this", "do less")
    with pytest.raises(MemoryError, match=r"^this needs more than 1,000 PiB of memory, and"):
        refuse_beyond(10**400, "this", "do less")
    assert statement(GIB, "this") == "this takes about 1 GiB of memory (2 GiB available)"


def test_a_job_says_what_it_takes_where_that_is_much():
    console = Console(file=io.StringIO())
    with memory_limit("4GiB"):
        admit(255 << 20, "little", "", console)
        admit(256 << 20, "sampling", "", console)
        admit(1 << 20, "training", "", console, least=0)
        admit(GIB, "unseen", "", None)
        with pytest.raises(MemoryLimitError):
            admit(5 * GIB, "too much", "", console)
    assert console.file.getvalue().splitlines() == [
        "sampling takes about 256 MiB of memory (limit 4 GiB)",
        "training takes about 1 MiB of memory (limit 4 GiB)",
    ]


# -- what there is -------------------------------------------------------------------------------------


@pytest.fixture
def system(tmp_path, monkeypatch):
    """Write files of /proc and /sys below a folder, and return what is available according to them."""
    monkeypatch.setattr(resource, "getrlimit", lambda _: (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

    def call(**files):
        for name, text in files.items():
            path = tmp_path / name.replace("__", "/").replace("_DOT_", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return available(tmp_path)

    return call


MEMINFO = "MemTotal:       16777216 kB\nMemFree:         100 kB\nMemAvailable:    8388608 kB\n"


def test_the_kernel_says_what_is_available(system):
    assert system(proc__meminfo=MEMINFO) == 8 * GIB


def test_a_control_group_has_less(system):
    files = {
        "proc__meminfo": MEMINFO,
        "proc__self__cgroup": "0::/jobs/mine\n",
        "sys__fs__cgroup__jobs__mine__memory_DOT_max": "max\n",
        "sys__fs__cgroup__jobs__mine__memory_DOT_current": f"{GIB}\n",
        "sys__fs__cgroup__jobs__memory_DOT_max": f"{4 * GIB}\n",
        "sys__fs__cgroup__jobs__memory_DOT_current": f"{3 * GIB}\n",
        "sys__fs__cgroup__jobs__memory_DOT_stat": f"anon {GIB}\ninactive_file {GIB}\n",
    }
    assert system(**files) == 2 * GIB  # 4 − 3, and 1 that is only cached


def test_a_container_sees_its_group_at_the_mount(system):
    files = {
        "proc__meminfo": MEMINFO,
        "proc__self__cgroup": "0::/\n",
        "sys__fs__cgroup__memory_DOT_max": f"{GIB}\n",
        "sys__fs__cgroup__memory_DOT_current": f"{GIB // 4}\n",
    }
    assert system(**files) == 3 * GIB // 4


def test_control_groups_of_version_1(system):
    files = {
        "proc__meminfo": MEMINFO,
        "proc__self__cgroup": "5:cpu,memory:/slurm/job\n4:freezer:/\n",
        "sys__fs__cgroup__memory__slurm__job__memory_DOT_limit_in_bytes": f"{2 * GIB}\n",
        "sys__fs__cgroup__memory__slurm__job__memory_DOT_usage_in_bytes": f"{GIB}\n",
        "sys__fs__cgroup__memory__slurm__job__memory_DOT_stat": "total_inactive_file 1024\n",
    }
    assert system(**files) == GIB + 1024


def test_a_group_that_is_full_leaves_nothing(system):
    files = {
        "proc__self__cgroup": "0::/\n",
        "sys__fs__cgroup__memory_DOT_max": "1000\n",
        "sys__fs__cgroup__memory_DOT_current": "2000\n",
    }
    assert system(**files) == 0


def test_ulimit_counts(system, monkeypatch):
    monkeypatch.setattr(resource, "getrlimit", lambda _: (3 * GIB, resource.RLIM_INFINITY))
    assert system(proc__meminfo=MEMINFO, proc__self__status=f"Name:\tx\nVmSize:\t {GIB // 1024} kB\n") == 2 * GIB


def test_without_answers_it_is_the_physical_memory(system):
    assert system() == memory._physical() > 2**20


def test_here_something_is_available():
    assert 2**20 < available() <= memory._physical()
