"""Memory is kept within the context and returned to the system afterwards."""

import ctypes

import numpy as np
import pytest

from hyperhedge._system import malloc
from hyperhedge._system.malloc import steady_memory


def faults(count, size, rounds=5):
    """Count the page faults of a loop that allocates, fills and frees arrays."""
    resource = pytest.importorskip("resource")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(rounds):
        for array in [np.empty(size, dtype=np.uint8) for _ in range(count)]:
            array.fill(1)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


@pytest.mark.skipif(malloc._glibc() is None, reason="the allocator is not glibc's")
def test_freed_memory_is_not_faulted_in_again():
    many = 40, 3 << 20  # more than is kept afterwards
    with steady_memory():
        faults(*many, rounds=2)
        steady = faults(*many)
    assert steady < faults(*many) / 10


@pytest.mark.skipif(malloc._glibc() is None, reason="the allocator is not glibc's")
def test_afterwards_large_arrays_do_not_fault_each_time():
    with steady_memory():
        pass
    faults(1, 4 << 20)
    assert faults(1, 4 << 20) < 1000  # of 5 × 1024 pages


class Recorder:
    """An allocator that records its calls."""

    def __init__(self):
        self.calls = []

    def mallopt(self, parameter, value):
        self.calls.append((parameter, value))
        return 1

    def malloc_trim(self, pad):
        self.calls.append(("trim", pad))
        return 1


def test_the_thresholds_are_set_and_reset_once(monkeypatch):
    allocator = Recorder()
    monkeypatch.setattr(malloc, "_glibc", lambda: allocator)
    with steady_memory():
        raised = [(-3, 32 << 20), (-1, 2**31 - 1), (-2, 64 << 20)]
        assert allocator.calls == raised
        with steady_memory():
            assert allocator.calls == raised
        assert allocator.calls == raised
    assert allocator.calls == [*raised, (-3, 32 << 20), (-1, 64 << 20), (-2, 128 << 10), ("trim", 0)]


def test_they_are_reset_after_an_error(monkeypatch):
    allocator = Recorder()
    monkeypatch.setattr(malloc, "_glibc", lambda: allocator)
    with pytest.raises(ZeroDivisionError), steady_memory():
        raise ZeroDivisionError
    assert allocator.calls[-1] == ("trim", 0)


@pytest.mark.parametrize("library", [object(), OSError("no library"), TypeError("no name")])
def test_other_allocators_are_left_alone(monkeypatch, library):
    def loaded(_):
        if isinstance(library, Exception):
            raise library
        return library

    monkeypatch.setattr(ctypes, "CDLL", loaded)
    assert malloc._glibc() is None
    with steady_memory():
        pass
