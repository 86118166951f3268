"""Large samples in chunks, each with a seed of its own, by the workers of a cluster.

A chunk has a thousand hypergraphs; that of number k is drawn with the seed made of (seed, k). So what is drawn depends on the seed
and the count alone, not on how many workers there are. (It is not what one process draws with this seed in one go.)
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from hyperhedge.cluster import Cluster
from hyperhedge.generator import Generator, load
from hyperhedge.hypergraph import Hypergraph

__all__ = ["CHUNK", "Chunk", "chunks_of", "draw_in_chunks"]

CHUNK = 1000


@dataclass(frozen=True)
class Chunk:
    """What a worker draws."""

    number: int
    count: int
    seed: int
    model: str
    device: str | None
    options: dict[str, Any]


def chunks_of(
    model: str, count: int, seed: int, options: dict[str, Any], device: str | None = None, size: int = CHUNK
) -> list[Chunk]:
    """Cut a sample into chunks.

    Examples
    --------
    >>> [(chunk.number, chunk.count) for chunk in chunks_of("model", 2500, seed=1, options={})]
    [(0, 1000), (1, 1000), (2, 500)]
    """
    found = []
    for number, start in enumerate(range(0, count, size)):
        own_seed = int(np.random.SeedSequence((seed, number)).generate_state(1, np.uint64)[0])
        found.append(Chunk(number, min(size, count - start), own_seed, model, device, options))
    return found


def draw_in_chunks(cluster: Cluster, chunks: list[Chunk]) -> Iterator[Hypergraph]:
    """Draw chunks, and go through their hypergraphs in order."""
    early: dict[int, list[Hypergraph]] = {}
    turn = 0
    with closing(cluster.run(draw_chunk, chunks)) as outcomes:
        for chunk, outcome in outcomes:
            if isinstance(outcome, Exception):
                raise outcome
            early[chunk.number] = outcome
            while turn in early:
                yield from early.pop(turn)
                turn += 1


def draw_chunk(chunk: Chunk) -> list[Hypergraph]:
    """Draw one chunk, with one thread: other workers have the other cores."""
    model = _loaded(chunk.model, chunk.device)
    if "torch" not in sys.modules:  # a second to import, and without it there are no threads
        return model.sample(chunk.count, seed=chunk.seed, **chunk.options)
    from hyperhedge.train.workers import at_most_workers

    with at_most_workers(1):
        return model.sample(chunk.count, seed=chunk.seed, **chunk.options)


@lru_cache(maxsize=1)
def _loaded(path: str, device: str | None) -> Generator:
    """Load a model once per process."""
    model: Any = load(path)
    if device is not None:
        model.device = device
    found: Generator = model
    return found
