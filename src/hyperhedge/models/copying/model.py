r"""Hyperedge copying: every hyperedge is a noisy copy of an earlier one.

Hyperedges come one after another. A new one chooses an earlier hyperedge :math:`f` uniformly and

1. keeps one of its nodes, chosen uniformly, for sure, and each of the others with probability :math:`\eta`,
2. takes :math:`b \sim \beta` of the other nodes that are present, uniformly, or all if there are fewer,
3. adds :math:`g \sim \gamma` nodes that are new.

Three laws with few numbers make hyperedges overlap as much as in data, and degrees as unequal: who is in many hyperedges is copied
into more. (He, Chodrow and Mucha, *Hypergraph link prediction via hyperedge copying*, arXiv:2502.02386, 2025.)

*Closed forms.* Let :math:`\bar\beta, \bar\gamma` be means, and let nodes never be short. A copy has :math:`1 + \eta (j - 1) +
\bar\beta + \bar\gamma` nodes on average if it copies :math:`j`, so the mean size of hyperedges tends to

.. math:: \bar k = \frac{1 - \eta + \bar\beta + \bar\gamma}{1 - \eta} .

**What is not kept.** No degree and no size is kept, not even in expectation: all of both follows from :math:`\eta, \beta, \gamma`.

*Learning* is stochastic expectation–maximisation over which hyperedge was copied (:mod:`hyperhedge.models.copying.learn`). The
parameters are those of the whole training set together. Where hyperedges have no times (``order="random"``), every pass over the
training set has them in another random order, and so what is maximised is the mean log-likelihood over orders.

*Three things are added to the published law*, so that it has a positive probability for every training hypergraph and samples have
the training set's shapes. A hyperedge may be a *founder*, whose nodes are all new: of two hyperedges that share no nodes with
earlier ones, none can be a copy. A sample has as many nodes and hyperedges as a training hypergraph, chosen uniformly, has; the law
is the one above, conditioned on this number of nodes (:mod:`hyperhedge.models.copying.arrivals`). And it has that hypergraph's
numbers of isolated nodes and empty hyperedges, which are in no copy.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, TypeAlias

import msgspec
import numpy as np

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.errors import FormatError, GeneratorError
from hyperhedge.models.base import BaseGenerator, Count, one_of, rng_of, whole_number
from hyperhedge.models.repeats import REPEATS, Repeats, cannot_be_distinct
from hyperhedge.typing import FloatArray, IntArray

if TYPE_CHECKING:
    from hyperhedge.models.copying.arrivals import Arrivals
    from hyperhedge.models.copying.history import Short

Order: TypeAlias = Literal["random", "given"]
Probability: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1)]
Law: TypeAlias = Annotated[list[Probability], msgspec.Meta(min_length=1)]
Contents: TypeAlias = tuple[Count, Count, Count, Count, Annotated[int, msgspec.Meta(ge=1, lt=2**31)]]

_RESTARTS = 100


class _Facts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is learned from a training set."""

    eta: Probability
    old: Law
    new: Law
    founder_sizes: Law
    founder_share: Probability
    contents: list[Contents]


class HyperedgeCopying(BaseGenerator):
    """Hyperedges that are noisy copies of earlier ones, with shapes of the training set.

    Keeps how much hyperedges overlap with what came before, as far as three laws can tell; no degree and no edge size.

    Parameters
    ----------
    order
        ``"random"``: hyperedges have no times, and are learned from in random orders. ``"given"``: a training hypergraph has its
        hyperedges in the order in which they came. The hyperedges of samples are always in the order in which they came.
    visits
        About how many hyperedges are looked at to learn; fewer where each meets very many others.
    repeats
        Whether hyperedges may repeat: ``"allow"``; ``"forbid"``, a copy that has the nodes of an earlier hyperedge is sampled
        again; ``"as-data"``, forbidden if no training hypergraph has repeats.
    seed
        The seed of the learning; None for a new one.

    Attributes
    ----------
    eta_ : float
        The probability η that a copy keeps a node.
    old_, new_ : list[float]
        The laws β and γ of how many nodes from outside what is copied a copy takes: of those present, and new ones.
    founder_share_ : float
        The share of founders among the hyperedges after the first.
    founder_sizes_ : list[float]
        The law of their sizes.
    contents_ : list[tuple[int, int, int, int, int]]
        How many training hypergraphs have which numbers of nodes, of hyperedges, of nodes that are not isolated and of hyperedges
        that are not empty: these four, and the count.

    Examples
    --------
    >>> H = Hypergraph([[3 * i + j for j in range(3)] for i in range(8) for _ in range(5)])
    >>> model = HyperedgeCopying(seed=0).fit([H])       # all hyperedges are exact copies, or founders
    >>> model.eta_, model.old_, model.new_, model.founder_sizes_
    (1.0, [1.0], [1.0], [0.0, 0.0, 0.0, 1.0])
    >>> S, = model.sample(seed=1)
    >>> S.shape == H.shape and len({tuple(edge) for edge in S.hyperedges}) == 8
    True
    """

    name = "hyperedge-copying"
    fitted_type: ClassVar[type[msgspec.Struct]] = _Facts

    eta_: float
    old_: list[float]
    new_: list[float]
    founder_sizes_: list[float]
    founder_share_: float
    contents_: list[Contents]

    def __init__(
        self, *, order: Order = "random", visits: int = 100_000, repeats: Repeats = "allow", seed: int | None = None
    ) -> None:
        self.order = order
        self.visits = visits
        self.repeats = repeats
        self.seed = seed
        self._check()

    def _check(self) -> None:
        one_of(self.order, ("random", "given"), "order")
        one_of(self.repeats, REPEATS, "repeats")
        whole_number(self.visits, "visits", least=1)
        if self.seed is not None:
            whole_number(self.seed, "seed", least=0)

    @property
    def mean_size_(self) -> float:
        """The mean size to which hyperedges tend if nodes are never short; infinite if η is 1 and anything is added."""
        more = sum(b * p for b, p in enumerate(self.old_)) + sum(g * p for g, p in enumerate(self.new_))
        return 1.0 + (more / (1 - self.eta_) if self.eta_ < 1 else more and float("inf"))

    # -- fit ----------------------------------------------------------------------------------------

    def _fit(self, training: list[Hypergraph]) -> None:
        from hyperhedge.models.copying.history import Layout  # compiles
        from hyperhedge.models.copying.learn import learned

        facts = learned(Layout(training), given=self.order == "given", visits=self.visits, rng=rng_of(self.seed))
        self.eta_, self.founder_share_ = facts.eta, facts.founder_share
        self.old_, self.new_ = facts.old.tolist(), facts.new.tolist()
        self.founder_sizes_ = facts.founder_sizes.tolist()
        counted = Counter(
            (H.n, H.m, int(np.count_nonzero(H.degrees)), int(np.count_nonzero(H.edge_sizes))) for H in training
        )
        self.contents_ = [(*contents, count) for contents, count in counted.items()]

    # -- sample -------------------------------------------------------------------------------------

    def _sample(self, count: int, rng: np.random.Generator) -> list[Hypergraph]:
        from hyperhedge.models.copying.arrivals import Arrivals

        old, new, founder_sizes = (_law(law) for law in (self.old_, self.new_, self.founder_sizes_))
        arrivals = Arrivals(new, founder_sizes, self.founder_share_)
        distinct = self._forbids_repeats()
        shares = np.array([contents[-1] for contents in self.contents_], dtype=float)
        chosen = rng.choice(len(shares), size=count, p=shares / shares.sum())
        return [self._grown(self.contents_[k], arrivals, old, distinct, rng) for k in chosen.tolist()]

    def _grown(
        self, contents: Contents, arrivals: Arrivals, old: FloatArray, distinct: bool, rng: np.random.Generator
    ) -> Hypergraph:
        n, m, present, filled, _ = contents
        if not filled:
            starts, members = np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32)
        else:
            starts, members = self._incidences(filled, present, arrivals, old, distinct, rng)
        if distinct and m - filled > 1:
            raise cannot_be_distinct(n, m)
        edges = np.sort(rng.permutation(m)[:filled])
        names = rng.permutation(n)
        return Hypergraph.from_indices(names[members], np.repeat(edges, np.diff(starts)), nodes=n, edges=m)

    def _incidences(
        self, edges: int, nodes: int, arrivals: Arrivals, old: FloatArray, distinct: bool, rng: np.random.Generator
    ) -> tuple[IntArray, Short]:
        """Grow hyperedges with some nodes, anew where they are stuck among repeats."""
        from hyperhedge.models.copying.growth import grown  # compiles

        for _ in range(_RESTARTS):
            result = grown(*arrivals.sample(edges, nodes, rng), self.eta_, old, rng, distinct=distinct)
            if result is not None:
                return result
        raise GeneratorError(
            f"{_RESTARTS} hypergraphs of {nodes:,} nodes and {edges:,} hyperedges all came to a point where copies only repeat "
            "earlier hyperedges, so hyperedge copying without repeats cannot be sampled; give repeats='allow'"
        )

    # -- saved models ---------------------------------------------------------------------------------

    def _read_arrays(self, folder: Path) -> None:
        del folder
        laws = (self.old_, self.new_, self.founder_sizes_)
        if not all(0.999 < sum(law) < 1.001 for law in laws) or self.founder_sizes_[0] > 0:
            raise FormatError("these are not laws of numbers of nodes", where="fitted")
        shapes = Counter[tuple[int, int]]()
        for n, m, present, filled, count in self.contents_:
            shapes[n, m] += count
            if present > n or filled > m or (present > 0) != (filled > 0):
                raise FormatError("a hypergraph cannot have these nodes and hyperedges", where="fitted.contents")
        if shapes != self.shapes_:
            raise FormatError("these are not the shapes (n, m)", where="fitted.contents")


def _law(probabilities: list[float]) -> FloatArray:
    """Return a law whose sum is 1 up to the last digits, whatever a file has."""
    law = np.array(probabilities)
    normalised: FloatArray = law / law.sum()
    return normalised
