r"""The configuration model of hypergraphs (HCM-MCMC): all that keeps every degree and every size, and nothing else.

Fix the degrees :math:`d_v` and the sizes :math:`k_e`. Which hypergraphs are equally probable depends on what is told apart
(P. S. Chodrow, *Configuration models of random hypergraphs*, Journal of Complex Networks 8(3), 2020):

* **stub-labelled**: every node has :math:`d_v` stubs, and all partitions of the stubs into hyperedges of the given sizes are
  equally probable, except those with a node twice in a hyperedge. A multiset of hyperedges with multiplicities :math:`m_e`
  comes from :math:`\prod_v d_v! / \prod_e m_e!` partitions, and from :math:`\prod_k |\{e : k_e = k\}|! / \prod_e m_e!` matrices. So

  .. math:: \pi(H) = \text{const} \text{ on matrices } H \in \{0,1\}^{n \times m} \text{ with the given row and column sums.}

* **vertex-labelled**: all multisets of hyperedges are equally probable. So a matrix has

  .. math:: \pi(H) \propto \prod_{e} m_e(H)! \quad \text{(the product over different hyperedges)}.

Both are the same law wherever hyperedges cannot repeat.

*Without repeats* (``repeats="forbid"``) all matrices with different columns are equally probable, under either label: a trade that
would create a repeat is rejected, which leaves the proposal symmetric. Whether such trades reach every such matrix is a theorem for
graphs (all sizes 2) and not known otherwise: the detour through a repeat is closed. Enumeration found no exception, among all
hypergraphs of triples on six nodes for instance; where there were one, the law would be uniform over what the chain reaches.
A chain that starts with repeats first lowers their number, by trades that do not add equal pairs.

*The chain* (:mod:`hyperhedge.models.configuration._mcmc`) chooses two hyperedges :math:`e, f` uniformly and redistributes,
uniformly, the nodes that only one of them has. This proposal is symmetric. Accepting it always gives the stub-labelled law. For
the vertex-labelled law, a trade from :math:`e, f` to :math:`e', f'`, unless it only exchanges the two, is accepted with the
Metropolis probability

.. math:: \min\Bigl(1,\; \frac{(m_{e'} + 1)(m_{f'} + 1)}{m_e\, m_f}\Bigr),

the multiplicities taken before the trade. (Chodrow accepts with :math:`2^{-|e \cap f|} / (m_e m_f)`: also reversible,
as :math:`|e \cap f|` does not change, but slower wherever hyperedges overlap.) Trades connect all matrices with the same sums
(Ryser's theorem: exchanges of two nodes alone do), and a trade may change nothing, so that the chain converges.

*The split must be uniform.* The published routine, and its copy in hypergraphx, goes through the pool in list order, throws a fair
coin for every node until one hyperedge is full, and gives the rest to the other. That is not uniform: with sizes 1 and 3 on 4
nodes, the list's first node becomes the singleton with probability 1/2, its last two with 1/8 each.

*A sweep* is as many proposals as there are hyperedges with members, so that each is in two proposals on average. 100 are the
default because the chain forgets within 10: ``benchmarks/configuration.py`` measured the integrated autocorrelation time of
:math:`\sum_{e<f} |e \cap f|^2`, in sweeps, as about 1 on sparse hypergraphs (64 × 25, 64 × 16, 1000 × 1000), 2 to 5 where
degrees and sizes are unequal, and 10 in the slowest found (one hyperedge with most nodes among pairs and singletons).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, Self, TypeAlias

import numpy as np

from hyperhedge.convert import as_hypergraph
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.errors import GeneratorError
from hyperhedge.models.base import Seed, one_of, rng_of, whole_number
from hyperhedge.models.repeats import REPEATS, Repeats, has_repeats
from hyperhedge.models.stored import StoringGenerator

Labelled: TypeAlias = Literal["stub", "vertex"]
Form: TypeAlias = Literal["words", "lists"]

SWEEPS = 100
"""How long a chain runs by default: ten times the longest autocorrelation time that was measured."""

SEPARATING = 1000
"""After so many sweeps that did not lead to a hypergraph without repeats, none is expected any more."""

_MOST_SWEEPS = 1_000_000  # a hundred thousand times the longest autocorrelation time

_AT_ONCE = 10_000_000  # proposals between two chances to interrupt


class Chain:
    """A Markov chain over the hypergraphs with the degrees and sizes of a given one.

    Parameters
    ----------
    H
        The hypergraph to begin with. Labels, empty hyperedges and isolated nodes stay as they are.
    labelled
        The stationary law: ``"stub"`` or ``"vertex"``.
    repeats
        ``"allow"``; ``"forbid"``, the law on hypergraphs without repeated hyperedges, to one of which the chain goes at once if H
        has repeats; ``"as-data"``, forbidden if H has none.
    seed
        A whole number, a numpy generator, or None for fresh randomness.
    form
        How hyperedges are kept: ``"words"`` (at most 64 nodes) or ``"lists"``; by default, words where possible. The two draw
        other hypergraphs from the same law.

    Attributes
    ----------
    proposed, rejected : int
        How many trades were proposed so far, and how many of them rejected.

    Examples
    --------
    >>> H = Hypergraph([["a", "b", "c"], ["c", "d"], ["d", "e"]])
    >>> chain = Chain(H, seed=1)
    >>> for state in chain.run(3, every=10 * chain.sweep):
    ...     print(state.degrees, state.edge_sizes)
    [1 1 2 2 1] [3 2 2]
    [1 1 2 2 1] [3 2 2]
    [1 1 2 2 1] [3 2 2]
    >>> chain.proposed
    90
    """

    def __init__(
        self,
        H: Hypergraph,
        *,
        labelled: Labelled = "stub",
        repeats: Repeats = "allow",
        seed: Seed | None = None,
        form: Form | None = None,
    ) -> None:
        from hyperhedge.models.configuration import _mcmc  # compiles

        H = as_hypergraph(H)
        one_of(labelled, ("stub", "vertex"), "labelled")
        one_of(repeats, REPEATS, "repeats")
        one_of(form, (None, "words", "lists"), "form")
        if form == "words" and H.n > _mcmc.WORD:
            raise GeneratorError(f"words hold at most {_mcmc.WORD} nodes, and H has {H.n}; leave form out")
        rng = rng_of(seed)
        self._start = H
        self._filled = np.flatnonzero(H.edge_sizes)  # empty hyperedges have nothing to trade
        indptr = np.append(H.indptr[self._filled], H.num_incidences)
        kept_in = _mcmc.ListState if form == "lists" or H.n > _mcmc.WORD else _mcmc.WordState
        forbidden = repeats == "forbid" or (repeats == "as-data" and not has_repeats(H))
        counted = forbidden or labelled == "vertex"
        self._state: _mcmc.State = kept_in(
            H.n, indptr, H.indices, multiplicities=counted, repeats=not forbidden, rng=rng
        )
        self._random = rng.integers(0, 1 << 64, size=4, dtype=np.uint64)
        self.proposed = self.rejected = 0
        if forbidden:
            self._separate()

    def _separate(self) -> None:
        """Go to a hypergraph without repeats."""
        if len(self._filled) < self._start.m - 1:
            raise GeneratorError(
                f"H has {self._start.m - len(self._filled)} empty hyperedges, which repeat each other and stay as they are; "
                "remove all but one, or give repeats='allow'"
            )
        sweeps = 0
        while self._state.has_repeats:
            if sweeps >= SEPARATING:
                raise GeneratorError(
                    "no hypergraph with the degrees and sizes of H and without repeated hyperedges was found, and there may be "
                    "none; give repeats='allow'"
                )
            sweeps = 2 * sweeps + 1
            self._trade(sweeps * self.sweep)

    @property
    def sweep(self) -> int:
        """The number of proposals of a sweep: that of the hyperedges with members."""
        return len(self._filled)

    def advance(self, proposals: int) -> Self:
        """Propose trades, and return the chain itself."""
        proposals = whole_number(proposals, "proposals", least=0)
        self.proposed += proposals
        self.rejected += self._trade(proposals)
        return self

    def _trade(self, left: int) -> int:
        """Run trades, and return how many were rejected."""
        rejected = 0
        while left > 0 and len(self._filled) > 1:
            now = min(left, _AT_ONCE)
            rejected += self._state.trade(now, self._random)
            left -= now
        return rejected

    @property
    def hypergraph(self) -> Hypergraph:
        """The hypergraph where the chain is."""
        nodes, edges = self._state.incidences()
        return Hypergraph.from_indices(nodes, self._filled[edges], nodes=self._start.nodes, edges=self._start.edges)

    def run(self, count: int, *, every: int) -> Iterator[Hypergraph]:
        """Go through ``count`` states of the chain, each ``every`` proposals after the one before."""
        for _ in range(count):
            yield self.advance(every).hypergraph


def shuffle(
    H: Hypergraph,
    *,
    labelled: Labelled = "stub",
    sweeps: int = SWEEPS,
    repeats: Repeats = "allow",
    seed: Seed | None = None,
) -> Hypergraph:
    """Return a random hypergraph with the same labels, and every degree and every hyperedge size as in this one.

    Parameters
    ----------
    H
        Any hypergraph.
    labelled
        What is equally probable: ``"stub"``, all incidence matrices with these degrees and sizes; ``"vertex"``, all multisets
        of hyperedges. They differ only where hyperedges may repeat.
    sweeps
        How long the chain runs, in proposals per hyperedge with members. The default is ten times the longest autocorrelation
        time that was measured.
    repeats
        Whether hyperedges may repeat: ``"allow"``; ``"forbid"``, the law on hypergraphs without repeats; ``"as-data"``, forbidden
        if H has none.
    seed
        A whole number, a numpy generator, or None for fresh randomness.

    Examples
    --------
    >>> H = Hypergraph({"picnic": ["ann", "bo", "cy"], "chess": ["bo", "di"], "walk": ["ed", "ann"]})
    >>> S = shuffle(H, seed=1)
    >>> S.edges, (S.degrees == H.degrees).all(), (S.edge_sizes == H.edge_sizes).all()
    (('picnic', 'chess', 'walk'), np.True_, np.True_)
    """
    sweeps = whole_number(sweeps, "sweeps", least=0, most=_MOST_SWEEPS)
    chain = Chain(H, labelled=labelled, repeats=repeats, seed=seed)
    return chain.advance(sweeps * chain.sweep).hypergraph


class ConfigurationModel(StoringGenerator):
    """A training hypergraph, chosen uniformly, with all but its degrees and sizes randomised.

    Keeps every degree and every hyperedge size of the chosen hypergraph exactly; overlaps and all else are random. So each node and
    each hyperedge of a sample is one of the chosen hypergraph, and has its label.

    Parameters
    ----------
    labelled
        What is equally probable: ``"stub"``, all incidence matrices with these degrees and sizes; ``"vertex"``, all multisets
        of hyperedges. They differ only where hyperedges may repeat.
    sweeps
        How long a chain runs from the training hypergraph, in proposals per hyperedge with members. The default is ten times
        the longest autocorrelation time that was measured.
    repeats
        Whether hyperedges may repeat: ``"allow"``; ``"forbid"``, the law on hypergraphs without repeats; ``"as-data"``, forbidden
        if no training hypergraph has repeats.
    keep_labels
        Give each sample the labels of the training hypergraph that it was shuffled from. Without them, samples have the labels
        0, 1, …, and a saved model holds no names.

    Attributes
    ----------
    training_ : list[Hypergraph]
        The training hypergraphs. They are part of a saved model.

    Examples
    --------
    >>> model = ConfigurationModel().fit([Hypergraph([["a", "b"], ["b", "c", "d"], ["a", "d"]])])
    >>> H, = model.sample(seed=1)
    >>> H.nodes, H.degrees, H.edge_sizes
    (('a', 'b', 'c', 'd'), array([2, 2, 1, 2]), array([2, 3, 2]))
    """

    name = "configuration"

    training_: list[Hypergraph]

    def __init__(
        self,
        *,
        labelled: Labelled = "stub",
        sweeps: int = SWEEPS,
        repeats: Repeats = "allow",
        keep_labels: bool = True,
    ) -> None:
        self.labelled, self.sweeps, self.repeats, self.keep_labels = labelled, sweeps, repeats, keep_labels
        self._check()

    def _check(self) -> None:
        one_of(self.labelled, ("stub", "vertex"), "labelled")
        whole_number(self.sweeps, "sweeps", least=0, most=_MOST_SWEEPS)
        one_of(self.repeats, REPEATS, "repeats")
        one_of(self.keep_labels, (True, False), "keep_labels")

    def _fit(self, training: list[Hypergraph]) -> None:
        if self.keep_labels:
            self.training_ = list(training)
        else:
            self.training_ = [H.relabel(nodes=range(H.n), edges=range(H.m)) for H in training]

    def _sample(self, count: int, rng: np.random.Generator) -> list[Hypergraph]:
        chosen = rng.integers(0, len(self.training_), size=count)
        repeats: Repeats = "forbid" if self._forbids_repeats() else "allow"
        law: Any = {"labelled": self.labelled, "repeats": repeats, "sweeps": self.sweeps}
        return [shuffle(self.training_[k], **law, seed=rng) for k in chosen]
