r"""Inference of memberships and affinity: expectation and maximisation, by hypergraphx.

hypergraphx's class is that of the authors. In each step, with :math:`A_e` the times that a hyperedge occurs, it sets

.. math:: w_{ab} \gets w_{ab}\,
   \frac{\sum_e (A_e / \lambda_e) \sum_{i < j \in e} (u_{ia} u_{jb} + u_{ib} u_{ja})}{\sum_{i<j} (u_{ia} u_{jb} + u_{ib} u_{ja})},
   \qquad
   u_{ia} \gets u_{ia}\,
   \frac{\sum_{e \ni i} (A_e / \lambda_e) \sum_{j \in e \setminus i} (w u_j)_a}{\sum_{j \ne i} (w u_j)_a} ,

which the tests repeat by plain sums. Four things are taken care of here:

* hypergraphx (version 1.8.0) takes every largest size for 2, because iterating over its hypergraphs yields pairs of a hyperedge and
  its number. Then the rates sum to :math:`C = 2 - 2/D` times as many hyperedges as there are. So the largest size is passed.
* Its ``log_likelihood`` leaves out :math:`C`. The likelihood by which restarts are compared is that of
  :mod:`hyperhedge.models.hy_mmsbm.rates`.
* It sorts nodes by how they are written, 10 before 2; memberships are put back into the order of the nodes.
* Its prior on the affinity (an exponential law with rate 1) is switched off: the scale of u is free, so that prior only decides
  how the scale drifts. With it, a community that fades from u ended in 0/0 on small hypergraphs.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hyperhedge._system.optional import require
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.errors import GeneratorError
from hyperhedge.models.hy_mmsbm.rates import log_likelihood
from hyperhedge.typing import FloatArray


@dataclass(frozen=True)
class Communities:
    """What is inferred from one hypergraph.

    Attributes
    ----------
    u : FloatArray
        The memberships, nodes × communities.
    w : FloatArray
        The affinity, a symmetric matrix.
    log_likelihood : float
        That of the hyperedges of two nodes or more; zero if there are none.
    """

    u: FloatArray
    w: FloatArray
    log_likelihood: float


def infer(
    H: Hypergraph,
    communities: int,
    rng: np.random.Generator,
    *,
    assortative: bool,
    iterations: int,
    restarts: int,
    advance: Callable[[], None],
) -> Communities:
    """Infer communities from several random beginnings, and return those of the largest likelihood.

    Parameters
    ----------
    H
        Hyperedges of fewer than two nodes are left out: the model says nothing of them.
    communities, assortative, iterations, restarts
        As for :class:`~hyperhedge.models.hy_mmsbm.model.HyMMSBM`.
    rng
        What the beginnings are sampled with.
    advance
        Called after each restart.
    """
    occurrences = _occurrences(H)
    seeds = rng.integers(0, 1 << 32, size=restarts).tolist()
    if not occurrences:
        return Communities(np.zeros((H.n, communities)), np.zeros((communities, communities)), 0.0)
    hyperedges, counts = list(occurrences), np.array(list(occurrences.values()))
    theirs, order = _as_theirs(H.n, occurrences)
    best: Communities | None = None
    for seed in seeds:
        u, w = _fitted(theirs, communities, max(map(len, hyperedges)), assortative, iterations, seed)
        advance()
        u, w = np.maximum(u[order], 0.0), (w + w.T) / 2  # zeros and symmetry may be missed by a last digit
        likelihood = (
            log_likelihood(hyperedges, counts, u, w) if np.isfinite(u).all() and np.isfinite(w).all() else -np.inf
        )
        if likelihood > (-np.inf if best is None else best.log_likelihood):
            best = Communities(u, w, likelihood)
    if best is None:
        raise GeneratorError(
            f"none of {restarts} inferences of {communities} communities ended in numbers; give fewer communities or iterations"
        )
    return best


def _occurrences(H: Hypergraph) -> Counter[tuple[int, ...]]:
    """Count the hyperedges of two nodes or more."""
    members = (tuple(nodes.tolist()) for nodes in np.split(H.indices, H.indptr[1:-1]))
    return Counter(nodes for nodes in members if len(nodes) > 1)


def _as_theirs(n: int, occurrences: Counter[tuple[int, ...]]) -> tuple[object, list[int]]:
    """Return a hypergraph of hypergraphx, and the row that each node has in its matrices."""
    theirs = require("hypergraphx", "hypergraphx").Hypergraph(weighted=True)
    theirs.add_nodes(list(range(n)))
    theirs.add_edges(list(occurrences), weights=list(occurrences.values()))
    return theirs, theirs.get_mapping().transform(range(n)).tolist()


def _fitted(
    theirs: object, communities: int, largest: int, assortative: bool, iterations: int, seed: int
) -> tuple[FloatArray, FloatArray]:
    """Infer once, and return memberships and affinity in the order of hypergraphx."""
    module = require("hypergraphx.communities.hy_mmsbm.model", "hypergraphx")
    model = module.HyMMSBM(K=communities, assortative=assortative, max_hye_size=largest, w_prior=0.0, seed=seed)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)  # a failed inference is recognised by its numbers
        model.fit(theirs, n_iter=iterations)
    return model.u, model.w
