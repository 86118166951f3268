"""Large samples in chunks, each with its own seed, by the workers of a cluster.

A chunk has a thousand hypergraphs; chunk k is sampled with the seed made of (seed, k). So the hypergraphs depend on the seed and
the count alone, not on the number of workers. (They are not those that one process samples with this seed in one call.)
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from hyperhedge._system.memory import refuse_beyond
from hyperhedge._system.pool import Cluster
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.models.base import BaseGenerator, load_model

CHUNK = 1000
_BYTES = 400  # of a chunk


@dataclass(frozen=True)
class Chunk:
    """What one call of a worker samples: ``count`` hypergraphs of the model saved in the folder ``model``."""

    number: int
    count: int
    seed: int
    model: str
    options: dict[str, Any]


def chunks_of(model: str, count: int, seed: int, options: dict[str, Any], size: int = CHUNK) -> list[Chunk]:
    """Divide a sample into chunks; ``options`` are among the model's ``sample_options``.

    Examples
    --------
    >>> [(chunk.number, chunk.count) for chunk in chunks_of("model", 2500, seed=1, options={})]
    [(0, 1000), (1, 1000), (2, 500)]
    """
    refuse_beyond(
        -(-count // size) * _BYTES, f"a list of {-(-count // size):,} chunks", "sample fewer hypergraphs at a time"
    )
    return [
        Chunk(number, min(size, count - start), _seed_of(seed, number), model, options)
        for number, start in enumerate(range(0, count, size))
    ]


def _seed_of(seed: int, number: int) -> int:
    return int(np.random.SeedSequence((seed, number)).generate_state(1, np.uint64)[0])


def sample_in_chunks(cluster: Cluster, chunks: list[Chunk]) -> Iterator[Hypergraph]:
    """Sample all chunks, and go through their hypergraphs in order."""
    waiting: dict[int, list[Hypergraph]] = {}
    turn = 0
    with closing(cluster.run(sample_chunk, chunks)) as outcomes:
        for chunk, outcome in outcomes:
            if isinstance(outcome, Exception):
                raise outcome
            waiting[chunk.number] = outcome
            while turn in waiting:
                yield from waiting.pop(turn)
                turn += 1


def sample_chunk(chunk: Chunk) -> list[Hypergraph]:
    """Sample one chunk with one thread: other workers have the other cores."""
    model = _loaded(chunk.model)
    if "torch" not in sys.modules:  # a second to import, and without it there are no threads
        return model.sample(chunk.count, seed=chunk.seed, **chunk.options)
    from hyperhedge.train.workers import at_most_workers

    with at_most_workers(1):
        return model.sample(chunk.count, seed=chunk.seed, **chunk.options)


@lru_cache(maxsize=1)
def _loaded(path: str) -> BaseGenerator:
    """Load a model once per process."""
    return load_model(path)
