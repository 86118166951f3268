r"""Who is new: how many new nodes each hyperedge brings, given how many nodes there are in the end.

The first hyperedge is a founder. Each later one is a founder with probability :math:`\varphi`, of a size :math:`s \sim \sigma`,
and otherwise a copy with :math:`g \sim \gamma` new nodes; all nodes of a founder are new. These numbers are independent of each
other and of whatever else happens, so to condition the growing hypergraph on a total :math:`n` of nodes is to condition *them*.

*Tilting.* Weighting every probability by :math:`e^{\theta x}`, with :math:`x` the number of new nodes, multiplies the probability
of a sequence by :math:`e^{\theta n}` up to a constant, the same for all sequences with the total :math:`n`. So it changes nothing
given the total, and with the :math:`\theta` that makes :math:`n` the mean, about one in :math:`\sqrt{2 \pi m \operatorname{Var} x}`
sequences of :math:`m` hyperedges has it. Sequences without it are rejected. How many hyperedges of each kind there are is sampled
first, which is cheap; only then are they put into an order.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq

from hyperhedge.errors import GeneratorError
from hyperhedge.typing import BoolArray, FloatArray, IntArray

MOST_ATTEMPTS = 1 << 20
"""After so many sequences with another total, none is waited for."""

_STEEPEST = 100.0  # e^-100: kinds with more or fewer nodes are out of the question
_NUMBERS_AT_ONCE = 1 << 18


class Arrivals:
    """The law of the new nodes of hyperedges.

    Parameters
    ----------
    new
        The law γ of the number of new nodes of a copy.
    founder_sizes
        The law σ of the size of a founder.
    founder_share
        The probability φ that a later hyperedge is a founder.

    Examples
    --------
    >>> arrivals = Arrivals(np.array([0.5, 0.5]), np.array([0.0, 0.0, 1.0]), founder_share=0.0)
    >>> new, founders = arrivals.sample(4, 5, np.random.default_rng(0))
    >>> int(new[0]), int(new[1:].sum()), founders.tolist()
    (2, 3, [True, False, False, False])
    """

    def __init__(self, new: FloatArray, founder_sizes: FloatArray, founder_share: float) -> None:
        share = np.concatenate((np.full(len(founder_sizes), founder_share), np.full(len(new), 1 - founder_share)))
        law = share * np.concatenate((founder_sizes, new))
        kinds = np.flatnonzero(law)
        self._founds = kinds < len(founder_sizes)
        self._brings = kinds - np.where(self._founds, 0, len(founder_sizes))
        self._law = law[kinds]
        self._first_sizes = np.flatnonzero(founder_sizes)
        self._first_law = founder_sizes[self._first_sizes]
        self._tilts: dict[tuple[int, int], float] = {}

    def sample(self, edges: int, nodes: int, rng: np.random.Generator) -> tuple[IntArray, BoolArray]:
        """Sample the number of new nodes of each of at least one hyperedge, and which are founders, given the sum."""
        first, counts = self._counts(edges, nodes, rng)
        kinds = rng.permutation(np.repeat(np.arange(len(counts)), counts))
        return np.append(first, self._brings[kinds]), np.append(True, self._founds[kinds])

    def _counts(self, edges: int, nodes: int, rng: np.random.Generator) -> tuple[int, IntArray]:
        """Sample the size of the first hyperedge, and how many of the others there are of each kind."""
        theta = self._tilt(edges, nodes)
        first_law, law = _tilted(self._first_law, self._first_sizes, theta), _tilted(self._law, self._brings, theta)
        attempts, batch = 0, 64
        while attempts < MOST_ATTEMPTS:
            first = rng.choice(self._first_sizes, size=batch, p=first_law)
            counts = rng.multinomial(edges - 1, law, size=batch)
            hits = np.flatnonzero(first + counts @ self._brings == nodes)
            if len(hits):
                return int(first[hits[0]]), counts[hits[0]]
            attempts += batch
            batch = min(2 * batch, max(_NUMBERS_AT_ONCE // len(law), 1))
        raise GeneratorError(
            f"{attempts:,} attempts to let {edges:,} hyperedges bring {nodes:,} nodes all brought other numbers; fit the model to "
            "hypergraphs of one kind"
        )

    def _tilt(self, edges: int, nodes: int) -> float:
        """Return the θ with which ``nodes`` is the mean, or the closest one."""
        if (edges, nodes) not in self._tilts:

            def excess(theta: float) -> float:
                first = _tilted(self._first_law, self._first_sizes, theta) @ self._first_sizes
                return float(first + (edges - 1) * (_tilted(self._law, self._brings, theta) @ self._brings) - nodes)

            if excess(-_STEEPEST) >= 0:
                theta = -_STEEPEST
            elif excess(_STEEPEST) <= 0:
                theta = _STEEPEST
            else:
                theta = float(brentq(excess, -_STEEPEST, _STEEPEST))
            self._tilts[edges, nodes] = theta
        return self._tilts[edges, nodes]


def _tilted(law: FloatArray, values: IntArray, theta: float) -> FloatArray:
    """Weight a law by the exponential of θ times its values."""
    exponents = np.log(law) + theta * values
    weights = np.exp(exponents - exponents.max())
    tilted: FloatArray = weights / weights.sum()
    return tilted
