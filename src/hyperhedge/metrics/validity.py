"""Defects of generated hypergraphs, compared with those of the real ones.

Empty, singleton and repeated hyperedges, isolated nodes and components beyond the first are counted. Whether they are errors
depends on the data: real hypergraphs have them too. A defect counts against a generator only as far as more generated than real
hypergraphs have it,

    validity = mean over defects of 1 − max(0, share of generated that have it − share of real that have it).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hyperhedge.metrics.statistics import Statistics
from hyperhedge.typing import IntArray


@dataclass(frozen=True)
class Defect:
    """How frequent a defect is in a collection.

    Attributes
    ----------
    name
        What the defect is.
    mean
        The average number per hypergraph.
    without
        The share of hypergraphs without it.
    """

    name: str
    mean: float
    without: float


def defects(statistics: Statistics) -> list[Defect]:
    """Count the defects in a collection.

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
    """Return 1 if no defect is more frequent among the generated hypergraphs than among the real ones; 0 at worst."""
    pairs = zip(defects(real), defects(generated), strict=True)
    return float(np.mean([1 - max(0.0, in_real.without - in_generated.without) for in_real, in_generated in pairs]))
