"""How much memory an evaluation takes: statistics, spectra, kernels of all pairs, and weights of the replicates.

Statistics and dense matrices grow with the hypergraphs, kernels with the square of their number, and weights with their number
times that of the replicates. What is larger than a block of 32 MiB is computed block by block. Estimates are between half and twice
what was measured (tests/report/test_memory.py).
"""

from __future__ import annotations

from collections.abc import Sequence

from hyperhedge.metrics.features import MOST_PAIRS
from hyperhedge.metrics.statistics import Statistics

_BLOCK = 1 << 22
_KINDS = 12  # numbers of a hypergraph that are pooled, at a time
_DOUBLE = 8


def evaluation_bytes(
    real: Statistics,
    generated: Statistics,
    train: Statistics | None,
    others: Sequence[Statistics],
    *,
    bootstrap: int,
    floor_repeats: int,
) -> int:
    """Estimate the memory of an evaluation."""
    known = [real, generated, *([] if train is None else [train]), *others]
    pair = len(real) + len(generated)
    kernels = 2 * _DOUBLE * min(pair**2, MOST_PAIRS)
    weights = 3 * _DOUBLE * (bootstrap + 1) * pair + 2 * _DOUBLE * floor_repeats * max(map(len, known))
    blocks = 3 * _DOUBLE * min(_BLOCK, (bootstrap + 1) * _KINDS * pair)
    return kernels + weights + blocks + sum(map(_statistics_bytes, known)) + _spectra_bytes(known)


def _statistics_bytes(statistics: Statistics) -> int:
    return 60 * int(statistics.incidences.sum()) + 40 * int((statistics.n + statistics.m).sum())


def _spectra_bytes(known: Sequence[Statistics]) -> int:
    """Return what the matrices of small hypergraphs take, in bytes and a block of them in numbers, and that of a large one."""
    from hyperhedge.metrics.spectra import DENSE, WHOLE  # torch takes a second to import: only where it is used

    entries = [int(n) * int(m) for collection in known for n, m in zip(collection.n, collection.m, strict=True)]
    dense = sum(area for area in entries if area <= DENSE)
    large = 4 * _DOUBLE * WHOLE**2 if max(entries, default=0) > DENSE else 0
    return dense + 4 * _DOUBLE * min(dense, _BLOCK) + large
