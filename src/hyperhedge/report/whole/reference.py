"""What a whole hypergraph is compared with: halves of the real one (floor), its null models, and copies of it (yardsticks).

Every hypergraph that takes part is a *pass*: it is made, its statistics are computed, and it is dropped. Passes are independent of
each other and have seeds of their own, so they run in threads (the walks are compiled code that lets other threads run), and the
result does not depend on how many there are.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np
from threadpoolctl import threadpool_limits

from hyperhedge._system.pool import usable_cores
from hyperhedge._system.progress import Meter
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.metrics.whole.copies import Copied, copied, copied_by_number, known_surroundings, rewired
from hyperhedge.metrics.whole.statistics import WholeStatistics
from hyperhedge.models.configuration import shuffle
from hyperhedge.models.erdos_renyi import ErdosRenyi

REWIRED = (0.01, 0.1, 0.5)
"""The shares of the incidences that copies have rewired."""

_THREADS = 4  # at most: each has a hypergraph and its passes in memory
_BASE = 15_000_000  # bytes of a pass on nearly nothing (tests/report/whole/test_whole_memory.py has measurements)
_MOST_PAIRS, _MOST_LINKS, _MOST_TRIPLES = 40_000_000, 100_000_000, 9_000_000


class Pass(NamedTuple):
    """What a pass gives: statistics, and what else was measured while the hypergraph was there."""

    statistics: WholeStatistics
    copied: Copied | None = None
    surroundings: float = float("nan")


@dataclass(frozen=True)
class Task:
    """A pass to make: how to make the hypergraph from a source of randomness, and what it is compared with for copies.

    ``copy_of`` are training hypergraphs; with ``by_number`` nodes are known to have kept their numbers.
    """

    make: Callable[[np.random.Generator], Hypergraph]
    copy_of: tuple[Hypergraph, ...] = ()
    by_number: bool = False

    def run(self, rng: np.random.Generator) -> Pass:
        """Make the hypergraph, and measure it."""
        making, measuring = rng.spawn(2)
        H = self.make(making)
        measure = copied_by_number if self.by_number else copied
        of_each = [measure(train, H) for train in self.copy_of]
        return Pass(WholeStatistics.of(H, seed=int(measuring.integers(2**32))), _most(of_each))


@dataclass(frozen=True)
class HalfTask:
    """The pass of the second half of a split, whose first half is made again to see what surroundings they share."""

    H: Hypergraph
    split: int
    second: bool

    def run(self, rng: np.random.Generator) -> Pass:
        """Split, and measure one half."""
        one, other = halves(self.H, self.split)
        seed = int(rng.integers(2**32))
        if not self.second:
            return Pass(WholeStatistics.of(one, seed=seed))
        return Pass(WholeStatistics.of(other, seed=seed), surroundings=known_surroundings(one, other))


def _most(of_each: list[Copied]) -> Copied | None:
    """Return what was copied most, of several training hypergraphs."""
    if not of_each:
        return None
    table = np.array([(one.surroundings, one.matched, one.by_number) for one in of_each])
    return Copied(*(float(value) for value in table.max(axis=0)))


def halves(H: Hypergraph, seed: int) -> tuple[Hypergraph, Hypergraph]:
    """Split the hyperedges into random halves; all nodes stay. If their number is odd, one is left out.

    Examples
    --------
    >>> one, other = halves(Hypergraph([[0], [1], [2], [3], [4]]), 0)
    >>> one.m, other.m, one.n, other.n
    (2, 2, 5, 5)
    """
    order, half = np.random.default_rng(seed).permutation(H.m), H.m // 2
    return part(H, np.sort(order[:half])), part(H, np.sort(order[half : 2 * half]))


def part(H: Hypergraph, edges: np.ndarray) -> Hypergraph:
    """Return the hypergraph with some hyperedges and all nodes."""
    kept = np.full(H.m, -1)
    kept[edges] = np.arange(len(edges))
    owners = kept[H.edge_indices]
    return Hypergraph.from_indices(H.indices[owners >= 0], owners[owners >= 0], nodes=H.n, edges=len(edges))


Tasks: TypeAlias = dict[Hashable, Task | HalfTask]
Passes: TypeAlias = dict[Hashable, Pass]


def tasks_of_real(
    H: Hypergraph, name: int, train: tuple[Hypergraph, ...], repeats: int, nulls: int, seed: int
) -> Tasks:
    """Return the passes that a real hypergraph needs: itself, halves, null models."""
    tasks: Tasks = {("real", name): Task(lambda _: H)}
    for k in range(repeats if H.m > 1 else 0):
        tasks["first half", name, k] = HalfTask(H, seed + k, second=False)
        tasks["second half", name, k] = HalfTask(H, seed + k, second=True)
    for k in range(nulls):
        # How many hyperedges match by chance is looked for once: it costs an alignment.
        tasks["null", name, k] = Task(lambda rng: shuffle(H, seed=rng), train if k == 0 else ())
    tasks["independent", name] = Task(lambda rng: independent(H, rng))
    if H.m > 1:
        tasks["null of half", name] = Task(lambda rng: shuffle(halves(H, seed)[0], seed=rng))
    return tasks


def tasks_of_copies(train: tuple[Hypergraph, ...]) -> Tasks:
    """Return the passes of copies of the first training hypergraph."""
    H = train[0]
    tasks: Tasks = {"train": Task(lambda _: H)}
    for share in REWIRED:
        tasks["rewired", share] = Task(partial(rewired, H, share), (H,), by_number=True)
    return tasks


def independent(H: Hypergraph, rng: np.random.Generator) -> Hypergraph:
    """Return a hypergraph of the same shape with as many incidences on average, all independent."""
    return ErdosRenyi(repair=False).fit([H]).sample(1, seed=rng)[0]


def run(tasks: Tasks, seed: int, meter: Meter | None = None, threads: int | None = None) -> Passes:
    """Make all passes, some at a time, and return them by name. The randomness of each depends on the seed and its name."""
    rngs = [np.random.default_rng([seed, *repr(name).encode()]) for name in tasks]

    def one(item: tuple[Task | HalfTask, np.random.Generator]) -> Pass:
        result = item[0].run(item[1])
        if meter is not None:
            meter.advance()
        return result

    items = list(zip(tasks.values(), rngs, strict=True))
    count = threads or max(1, min(_THREADS, usable_cores()))
    # Matrices are small, so threads of theirs would only wait, and sums would depend on how many there are.
    if count == 1:
        with threadpool_limits(1):
            return dict(zip(tasks, map(one, items), strict=True))
    with threadpool_limits(1), ThreadPoolExecutor(count) as pool:
        futures = [pool.submit(one, item) for item in items]
        try:
            return {key: future.result() for key, future in zip(tasks, futures, strict=True)}
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def whole_bytes(graphs: Iterable[Hypergraph]) -> int:
    """Estimate the memory of an evaluation of whole hypergraphs: the largest pass, times the passes that run at a time.

    A pass has a few arrays of incidences, the pairs of overlapping hyperedges that motifs are counted from, the links of the
    projection and the triples that are sorted, each up to a limit beyond which it is sampled or left out.
    """
    threads = max(1, min(_THREADS, usable_cores()))
    return threads * max((_pass_bytes(H) for H in graphs), default=0)


def _pass_bytes(H: Hypergraph) -> int:
    d, k = H.degrees.astype(float), H.edge_sizes.astype(float)
    pairs = min(float((d * (d - 1)).sum()) / 2, _MOST_PAIRS)
    links = min(float((k * (k - 1)).sum()), _MOST_LINKS)
    triples = min(float((k * (k - 1) * (k - 2)).sum()) / 6, _MOST_TRIPLES)
    return int(_BASE + 250 * H.num_incidences + 12 * pairs + 4 * links + 60 * triples)
