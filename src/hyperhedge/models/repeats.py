r"""Repeated hyperedges: whether samples may have them, and laws conditioned on having none.

A hyperedge is repeated if an earlier one has the same nodes; so two empty hyperedges are one repeated one, as in
:func:`~hyperhedge.core.summary.summarise` and in the reports.

*Allowed or not* is an argument of every generator:

* ``"allow"``: the law of the model as it is,
* ``"forbid"``: no sample has a repeated hyperedge,
* ``"as-data"``: forbidden if no training hypergraph has one, and allowed if a single one has.

*Conditioned laws.* Models of independent incidences sample a hypergraph again until it has no repeats (:func:`resampled`). That is
the law of the model conditioned on none, exactly: with :math:`p` the probability of no repeats, a hypergraph :math:`H` without
them comes out with probability :math:`\sum_k (1 - p)^k P(H) = P(H) / p`. It takes :math:`1/p` attempts on average, and
:math:`p` falls exponentially with the number of repeats to be expected, so that a large sparse hypergraph has no chance.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.errors import GeneratorError
from hyperhedge.typing import IntArray

Repeats: TypeAlias = Literal["as-data", "forbid", "allow"]

REPEATS = ("as-data", "forbid", "allow")
"""The values of ``repeats``."""

ATTEMPTS = 1000
"""After so many hypergraphs in a row that have repeats, none without is waited for."""


def has_repeats(H: Hypergraph) -> bool:
    """Return whether two hyperedges have the same nodes.

    Examples
    --------
    >>> has_repeats(Hypergraph([[0, 1], [1, 2], [1, 0]])), has_repeats(Hypergraph([[], [0], []]))
    (True, True)
    >>> has_repeats(Hypergraph([[0, 1], [1, 2], [1], []]))
    False
    """
    keys = np.random.default_rng(0).integers(0, 1 << 64, size=H.n, dtype=np.uint64)
    sums = np.concatenate((np.zeros(1, dtype=np.uint64), np.cumsum(keys[H.indices])))
    if len(np.unique(sums[H.indptr[1:]] - sums[H.indptr[:-1]])) == H.m:
        return False  # equal hyperedges have equal sums of keys; different ones seldom, so those are compared
    return len({members.tobytes() for members in np.split(H.indices, H.indptr[1:-1])}) < H.m


def resampled(sample: Callable[[IntArray], list[Hypergraph]], count: int, model: str) -> list[Hypergraph]:
    """Sample hypergraphs, each again until it has no repeated hyperedges.

    Parameters
    ----------
    sample
        Samples the hypergraphs with some of the numbers 0, …, ``count`` − 1, each from the law of its number.
    count
        How many.
    model
        The model's class, for the sentence that refuses.
    """
    graphs = sample(np.arange(count))
    waiting, attempts = np.flatnonzero([has_repeats(H) for H in graphs]), 0
    while len(waiting):
        if attempts >= ATTEMPTS:
            n, m = graphs[waiting[0]].shape
            raise GeneratorError(
                f"{attempts:,} attempts at {n} nodes and {m} hyperedges all had repeated hyperedges, so {model} conditioned on "
                "none cannot be sampled; give repeats='allow', or use the configuration model, which can do without"
            )
        renewed = sample(waiting)
        accepted = np.array([not has_repeats(H) for H in renewed])
        for position in np.flatnonzero(accepted).tolist():
            graphs[waiting[position]] = renewed[position]
        attempts = 0 if accepted.any() else attempts + len(waiting)
        waiting = waiting[~accepted]
    return graphs


def cannot_be_distinct(n: int, m: int) -> GeneratorError:
    """Say that no hypergraph of a shape without repeated hyperedges was found."""
    return GeneratorError(
        f"no hypergraph with {n} nodes and {m} hyperedges was found in which all of these are different; give repeats='allow', "
        "or another n or m"
    )
