r"""The likelihood of a hyperlink given its embedding, and its maximum over embeddings and node parameters.

*The law.* A hyperlink is a vector of memberships :math:`e_j \in \{0, 1\}^n`. Given its embedding :math:`f_j \in \mathbb R^K`,
nodes are members independently of each other,

.. math:: P(v \in e_j \mid f_j) = \sigma(\theta_{jv}), \qquad \theta_{jv} = a_v + \langle z_v, f_j\rangle,

with an offset :math:`a_v` (heterogeneous degrees, and how sparse the hypergraph is) and an embedding :math:`z_v` of each node.

*The fit* maximises

.. math:: \sum_{j,v} \bigl(H_{vj}\,\theta_{jv} - \ln(1 + e^{\theta_{jv}})\bigr)
    - \frac{\rho}{2} \Bigl(\sum_j |f_j|^2 + \sum_v |z_v|^2\Bigr), \qquad |f_j|,\, |z_v| \le M,

with a bound :math:`M` and a ridge :math:`\rho` (0 for none). The bound is needed: a hyperlink of few nodes among many can be
separated from all other nodes, and its embedding would be infinite.

*Alternation.* With the nodes' parameters fixed, each :math:`f_j` has a concave problem of its own, and the other way round. So a
*pass* does a Newton step for every hyperlink and then one for every node, with the exact Hessians
:math:`\sum_v \sigma'(\theta_{jv})\, z_v z_v^{\mathsf T}`, damped as by Levenberg and Marquardt, and projected onto the ball. A step
that does not raise the objective of its row is tried again with more damping, if it promised anything, and then left out, so
that no pass lowers the objective. Sums over all nodes are exact: what depends on incidences alone is a sparse product, and the
rest is computed in blocks of rows, each a few products of matrices; no more than a block of the :math:`n \times m` logits is
ever there.

*Identification.* The logits do not change if embeddings are shifted (:math:`f_j - \mu`, :math:`a_v + \langle z_v, \mu\rangle`) or
transformed (:math:`T^{\mathsf T} f_j`, :math:`T^{-1} z_v`). At the end they are made so that
:math:`\sum_j f_j = 0` and :math:`\frac1m \sum_j f_j f_j^{\mathsf T} = \frac1n \sum_v z_v z_v^{\mathsf T}` is diagonal, its
entries in descending order; signs are such that the largest entry of each column of the nodes is positive.

Nodes without hyperlinks have no part in it: their probability is 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.train.workers import calm
from hyperhedge.typing import FloatArray

#: Entries of a block of logits; a worker has a few blocks of 4-byte numbers at a time.
BLOCK = 1 << 20

#: Offsets stay within this bound; that of a node in all hyperlinks would be infinite.
MOST_OFFSET = 30.0

_TRIES = 3  # of a Newton step, each with more damping
_NEGLIGIBLE = 1e-4  # what a step must promise, in nats, to be tried again
_DAMPING, _LEAST_DAMPING, _MOST_DAMPING = 1e-3, 1e-7, 1e7


@dataclass(frozen=True)
class Embeddings:
    """Offsets ``(n,)`` and embeddings ``(n, K)`` of nodes, and embeddings ``(m, K)`` of hyperlinks.

    A node in no hyperlink has the offset minus infinity.
    """

    offsets: FloatArray
    nodes: FloatArray
    edges: FloatArray

    @classmethod
    def none(cls, n: int, m: int, rank: int) -> Embeddings:
        """Return those of a hypergraph without incidences."""
        return cls(np.full(n, -np.inf), np.zeros((n, rank)), np.zeros((m, rank)))

    def normalised(self) -> Embeddings:
        """Return those with the same logits that meet the conditions of identification (see the module)."""
        linked = np.isfinite(self.offsets)
        offsets, nodes, edges = self.offsets.copy(), self.nodes.astype(float), self.edges.astype(float)
        if not (linked.any() and len(edges) and nodes.shape[1]):
            return self
        mean = edges.mean(0)
        offsets[linked] += nodes[linked] @ mean
        edges -= mean
        root, inverse = _roots(edges.T @ edges / len(edges))
        second = nodes[linked].T @ nodes[linked] / linked.sum()
        values, vectors = np.linalg.eigh(root @ second @ root)
        values, vectors = np.maximum(values[::-1], 0.0) ** 0.25, vectors[:, ::-1]
        values[values < 1e-4 * max(values[0], 1e-30)] = 0.0
        edges = edges @ inverse @ vectors * values
        nodes = nodes @ root @ vectors * np.divide(1.0, values, out=np.zeros_like(values), where=values > 0)
        signs = np.where(np.take_along_axis(nodes, abs(nodes).argmax(0)[None], 0)[0] < 0, -1.0, 1.0)
        return Embeddings(offsets, nodes * signs, edges * signs)


def _roots(covariance: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the square root of a covariance and the (pseudo-)inverse of that."""
    values, vectors = np.linalg.eigh(covariance)
    values = np.sqrt(np.maximum(values, 0.0))
    inverse = np.divide(1.0, values, out=np.zeros_like(values), where=values > 1e-5 * max(values.max(), 1e-30))
    return (vectors * values) @ vectors.T, (vectors * inverse) @ vectors.T


# -- one side, the other one fixed -----------------------------------------------------------------------


@dataclass(frozen=True)
class Side:
    """One half of a pass: parameters of rows, with those of columns as their design.

    Attributes
    ----------
    design
        What the rows' parameters are multiplied with, ``(columns, d)``.
    shift
        The part of the logits that they do not change, ``(columns,)``; None for none.
    sums
        The sum of the design over the columns that a row is incident with, ``(rows, d)``.
    ridge
        The ridge of each parameter, ``(d,)``.
    free
        How many parameters at the front are offsets, and not part of the ball.
    bound
        The radius of the ball.
    """

    design: Tensor
    shift: Tensor | None
    sums: Tensor
    ridge: Tensor
    free: int
    bound: float

    def logits(self, rows: Tensor) -> Tensor:
        """Return the logits of rows, less the part that no parameter of theirs changes."""
        return rows @ self.design.T if self.shift is None else torch.addmm(self.shift, rows, self.design.T)

    def value(self, rows: Tensor, sums: Tensor) -> Tensor:
        """Return the objective of rows, less what does not depend on them."""
        return self._value(rows, sums, self.logits(rows))

    def _value(self, rows: Tensor, sums: Tensor, logits: Tensor) -> Tensor:
        penalty = (self.ridge * rows * rows).sum(1) / 2
        return (rows * sums).sum(1) - penalty - torch.nn.functional.softplus(logits).sum(1)

    def derivatives(self, rows: Tensor, sums: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return the objective of rows, its gradient, and its Hessian times minus one."""
        logits = self.logits(rows)
        value = self._value(rows, sums, logits)
        chance = logits.sigmoid_()
        gradient = sums - self.ridge * rows - chance @ self.design
        curvature = torch.addcmul(chance, chance, chance, value=-1.0)
        first, second = torch.triu_indices(self.width, self.width)
        flat = curvature @ self.products
        hessian = torch.empty((len(rows), self.width, self.width), dtype=rows.dtype)
        hessian[:, first, second] = flat
        hessian[:, second, first] = flat
        return value, gradient, hessian + torch.diag(self.ridge)

    def projected(self, rows: Tensor) -> Tensor:
        """Return the nearest parameters within bounds."""
        offsets, embeddings = rows[:, : self.free], rows[:, self.free :]
        norms = embeddings.norm(dim=1, keepdim=True).clamp_min(self.bound)
        return torch.cat((offsets.clamp(-MOST_OFFSET, MOST_OFFSET), embeddings * (self.bound / norms)), dim=1)

    def improved(self, rows: Tensor, sums: Tensor, damping: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Do a step for some rows; return their parameters, dampings and objectives."""
        value, gradient, hessian = self.derivatives(rows, sums)
        scale = hessian.diagonal(dim1=1, dim2=2).mean(1).clamp_min(1e-12)
        rows, damping, todo = rows.clone(), damping.clone(), torch.arange(len(rows))
        for _ in range(_TRIES):
            damped = hessian[todo] + torch.diag_embed((damping * scale)[todo, None].expand(-1, self.width))
            factor, failed = torch.linalg.cholesky_ex(damped)
            step = torch.cholesky_solve(gradient[todo, :, None], factor)[:, :, 0]
            step = torch.where((failed == 0)[:, None] & step.isfinite(), step, torch.zeros(()))
            tried = self.projected(rows[todo] + step)
            reached = self.value(tried, sums[todo])
            better = reached > value[todo]
            done = todo[better]
            rows[done], value[done] = tried[better], reached[better]
            damping[done] = (damping[done] / 5).clamp_min(_LEAST_DAMPING)
            todo = todo[~better & ((gradient[todo] * step).sum(1) > _NEGLIGIBLE)]
            damping[todo] = (damping[todo] * 10).clamp_max(_MOST_DAMPING)
            if not len(todo):
                break
        return rows, damping, value

    @property
    def width(self) -> int:
        """The number of parameters of a row."""
        return self.design.shape[1]

    @cached_property
    def products(self) -> Tensor:
        """The products of two columns of the design, one of each pair."""
        first, second = torch.triu_indices(self.width, self.width)
        return self.design[:, first] * self.design[:, second]


# -- the fit ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LikelihoodSettings:
    """How to fit: the rank :math:`K`, the bound :math:`M`, the ridge, how many passes at most, and when to stop before.

    ``tolerance`` is what a pass must add to the objective, as a share of the distance from that of independent nodes.
    """

    rank: int
    bound: float
    ridge: float
    passes: int
    tolerance: float


class Fit:
    """The alternating fit to one hypergraph with incidences.

    Parameters
    ----------
    workers
        How many threads share the blocks of a pass. Blocks do not depend on it, nor does the result.
    """

    def __init__(self, H: Hypergraph, settings: LikelihoodSettings, seed: int, *, workers: int = 1) -> None:
        self.settings, self.workers = settings, workers
        self.n = H.n
        self.linked = np.flatnonzero(H.degrees)
        self._edges_by_nodes = sp.csr_array(H.incidence.T.astype(np.float32))[:, self.linked]
        self._nodes_by_edges = sp.csr_array(self._edges_by_nodes.T)
        self.objective = -math.inf
        self._start(np.random.default_rng(seed))

    def _start(self, rng: np.random.Generator) -> None:
        """Let nodes be independent, with their degrees, and embeddings follow the incidences that this leaves over."""
        (m, n), K = self._edges_by_nodes.shape, self.settings.rank
        share = np.clip(np.asarray(self._nodes_by_edges.sum(1)).ravel() / m, 0.5 / m, 1 - 0.5 / (m + 1))
        offsets = np.clip(np.log(share / (1 - share)), -MOST_OFFSET, MOST_OFFSET)
        self.null = float(m * (share * np.log(share) + (1 - share) * np.log1p(-share)).sum())
        edges = self._leading(rng, share, K)
        self.node_rows = torch.cat((self._tensor(offsets)[:, None], self._tensor(np.zeros((n, K)))), dim=1)
        self.edge_rows = self._tensor(edges)
        self._node_damping = torch.full((n,), _DAMPING)
        self._edge_damping = torch.full((m,), _DAMPING)

    def _leading(self, rng: np.random.Generator, share: FloatArray, K: int) -> FloatArray:
        """Return the leading left singular vectors of the scaled residuals, of unit variance and within bounds."""
        A = self._edges_by_nodes
        (m, n), k = A.shape, min(K, *A.shape)
        sizes = np.asarray(A.sum(1)).ravel()
        left, right = 1 / np.sqrt(sizes + sizes.mean()), 1 / np.sqrt(share * m + share.mean() * m)

        def residual(x: FloatArray) -> FloatArray:
            scaled = right[:, None] * x
            product: FloatArray = left[:, None] * (A @ scaled - (share @ scaled)[None])
            return product

        def adjoint(y: FloatArray) -> FloatArray:
            scaled = left[:, None] * y
            product: FloatArray = right[:, None] * (A.T @ scaled - share[:, None] * scaled.sum(0))
            return product

        basis = np.linalg.qr(residual(rng.standard_normal((n, min(k + 8, n, m)))))[0]
        for _ in range(6):
            basis = np.linalg.qr(residual(adjoint(basis)))[0]
        vectors, _, _ = np.linalg.svd(adjoint(basis).T, full_matrices=False)
        edges = rng.standard_normal((m, K)) * 0.1
        edges[:, :k] += (basis @ vectors[:, :k]) * math.sqrt(m)
        radii = np.maximum(np.linalg.norm(edges, axis=1, keepdims=True), 1e-12)
        within: FloatArray = edges * np.minimum(1.0, 0.9 * self.settings.bound / radii)
        return within

    def _tensor(self, values: FloatArray) -> Tensor:
        return torch.as_tensor(np.ascontiguousarray(values, dtype=np.float32))

    def _sums(self, incidence: sp.csr_array, design: Tensor) -> Tensor:
        """Return the sums of a design over what each row is incident with."""
        return self._tensor(incidence @ design.numpy())

    def node_side(self) -> Side:
        """Return the side of the nodes: an offset and an embedding each."""
        K, m = self.settings.rank, len(self.edge_rows)
        design = torch.cat((torch.ones(m, 1), self.edge_rows), dim=1)
        ridge = self._tensor(np.r_[0.0, np.full(K, self.settings.ridge)])
        return Side(design, None, self._sums(self._nodes_by_edges, design), ridge, 1, self.settings.bound)

    def edge_side(self) -> Side:
        """Return the side of the hyperlinks: an embedding each."""
        design = self.node_rows[:, 1:].contiguous()
        ridge = self._tensor(np.full(self.settings.rank, self.settings.ridge))
        offsets = self.node_rows[:, 0].contiguous()
        return Side(design, offsets, self._sums(self._edges_by_nodes, design), ridge, 0, self.settings.bound)

    def half_pass(self, side: Side, rows: Tensor, damping: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Do a step for all rows of a side; return parameters, dampings and objectives."""
        side.products  # noqa: B018  # made once, before threads need it
        length = max(1, BLOCK // max(len(side.design), 1))
        improved, dampings, values = rows.clone(), damping.clone(), torch.empty(len(rows))

        def step(start: int) -> None:
            # Into place: small results between large blocks that are freed would leave holes in memory.
            part = slice(start, start + length)
            improved[part], dampings[part], values[part] = side.improved(rows[part], side.sums[part], damping[part])

        _for_each(step, range(0, len(rows), length), self.workers)
        return improved, dampings, values

    def do_pass(self) -> float:
        """Do a pass; return the objective that it has reached."""
        self.node_rows, self._node_damping, _ = self.half_pass(self.node_side(), self.node_rows, self._node_damping)
        side = self.edge_side()
        self.edge_rows, self._edge_damping, values = self.half_pass(side, self.edge_rows, self._edge_damping)
        of_offsets = float(self._edges_by_nodes.sum(0).astype(float) @ self.node_rows[:, 0].double().numpy())
        penalty = self.settings.ridge / 2 * float(self.node_rows[:, 1:].double().square().sum())
        self.objective = float(values.double().sum()) + of_offsets - penalty
        return self.objective

    def run(self, after_pass: Callable[[int, float], bool] = lambda _done, _objective: False) -> Embeddings:
        """Do passes until they add little, or ``after_pass(done, objective)`` says that it is enough."""
        before = self.null
        for done in range(1, self.settings.passes + 1):
            reached = self.do_pass()
            little = reached - before <= self.settings.tolerance * max(reached - self.null, 1e-9 * abs(self.null))
            if after_pass(done, reached) or (little and done > 2):
                break
            before = reached
        return self.embeddings()

    def embeddings(self) -> Embeddings:
        """Return what was found so far, normalised."""
        offsets, nodes = np.full(self.n, -np.inf), np.zeros((self.n, self.settings.rank))
        rows = self.node_rows.double().numpy()
        offsets[self.linked], nodes[self.linked] = rows[:, 0], rows[:, 1:]
        return Embeddings(offsets, nodes, self.edge_rows.double().numpy()).normalised()


def _for_each(do: Callable[[int], None], items: Sequence[int], workers: int) -> None:
    if workers == 1 or len(items) == 1:
        for item in items:
            do(item)
        return
    with ThreadPoolExecutor(workers, initializer=calm) as pool:
        list(pool.map(do, items))
