"""What may be amiss with generated hypergraphs, next to what the real ones have.

Empty, singleton and repeated hyperedges, isolated nodes, and parts that hang apart are counted. Whether they are errors
is for the data to say: real hypergraphs have them too. A defect counts against a generator as far as more generated
than real hypergraphs have it,

    validity = mean over defects of 1 − max(0, share of generated that have it − share of real that have it).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hyperhedge.checks import IntArray
from hyperhedge.metrics.statistics import Statistics

__all__ = ["Defect", "defects", "validity"]


@dataclass(frozen=True)
class Defect:
    """How often something is amiss in a batch.

    Attributes
    ----------
    name
        What it is.
    mean
        How many there are in a hypergraph, on average.
    without
        The share of hypergraphs that have none.
    """

    name: str
    mean: float
    without: float


def defects(statistics: Statistics) -> list[Defect]:
    """Count what may be amiss in a batch.

    Examples
    --------
    >>> from hyperhedge import Hypergraph
    >>> from hyperhedge.metrics.statistics import statistics_of
    >>> for defect in defects(statistics_of([Hypergraph([[0, 1], [], [2, 3]], nodes=5), Hypergraph([[0, 1]])])):
    ...     print(defect)
    Defect(name='empty hyperedges', mean=0.5, without=0.5)
    Defect(name='singleton hyperedges', mean=0.0, without=1.0)
    Defect(name='repeated hyperedges', mean=0.0, without=1.0)
    Defect(name='isolated nodes', mean=0.5, without=0.5)
    Defect(name='components beyond the first', mean=1.5, without=0.5)
    """
    counts: dict[str, IntArray] = {
        "empty hyperedges": statistics.empty,
        "singleton hyperedges": statistics.singleton,
        "repeated hyperedges": statistics.repeated,
        "isolated nodes": statistics.isolated,
        "components beyond the first": np.maximum(statistics.components - 1, 0),
    }
    return [Defect(name, float(count.mean()), float((count == 0).mean())) for name, count in counts.items()]


def validity(real: Statistics, generated: Statistics) -> float:
    """Return 1 if no defect is more frequent among the generated hypergraphs than among the real ones, 0 at worst."""
    pairs = zip(defects(real), defects(generated), strict=True)
    return float(np.mean([1 - max(0.0, ours.without - theirs.without) for ours, theirs in pairs]))
