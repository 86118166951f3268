"""What an evaluation of whole hypergraphs takes is estimated well."""

import subprocess
import sys

import pytest

from hyperhedge.report.whole import reference
from hyperhedge.report.whole.reference import whole_bytes
from peak_memory import peak
from strategies import random_hypergraphs

SETUP = """
import numpy as np
from hyperhedge.report.whole import reference
reference.usable_cores = lambda: {threads}
def groups(count, size):
    rng = np.random.default_rng(0)
    owners = np.repeat(np.arange(8 * count), size)
    nodes = 6 * (owners % count) + rng.integers(0, 3 * size, size=len(owners))
    pairs = np.unique(np.stack((owners, nodes)), axis=1)
    return hh.Hypergraph.from_indices(pairs[1], pairs[0], nodes=6 * count + 3 * size, edges=8 * count)
small = groups(20, 4)
hh.evaluate(small, small, seed=0)
H = groups({count}, {size})
print(reference.whole_bytes([H]))
"""


@pytest.mark.full
@pytest.mark.parametrize(("count", "size", "threads"), [(2000, 5, 1), (4000, 5, 2), (1000, 20, 1)])
def test_an_evaluation_takes_what_is_estimated(count, size, threads):
    setup = SETUP.format(count=count, size=size, threads=threads)
    code = setup.replace("hh.evaluate(small, small, seed=0)", "")
    estimated = int(subprocess.check_output([sys.executable, "-c", f"import hyperhedge as hh\n{code}"], text=True))
    measured = peak(setup.replace("print(reference.whole_bytes([H]))", ""), "hh.evaluate(H, H, seed=0)")
    assert measured / 2 < estimated < 2 * measured, (measured, estimated)


def test_larger_hypergraphs_and_more_threads_take_more(monkeypatch):
    monkeypatch.setattr(reference, "usable_cores", lambda: 1)
    small, large = random_hypergraphs(2, 20, 20), random_hypergraphs(1, 60, 60)
    one = whole_bytes(small)
    assert one < whole_bytes([*small, *large])
    monkeypatch.setattr(reference, "usable_cores", lambda: 2)
    assert whole_bytes(small) == 2 * one
