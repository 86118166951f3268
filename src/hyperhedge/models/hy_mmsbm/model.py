r"""The mixed-membership stochastic block model of hypergraphs (Hy-MMSBM): hyperedges of nodes that share communities.

Every node :math:`i` has memberships :math:`u_i \ge 0` in :math:`K` communities, :math:`w \ge 0` says which communities go together,
and a hyperedge :math:`e` occurs a Poisson number of times, with the rate

.. math:: \frac{1}{\kappa_{|e|}} \sum_{i<j \in e} u_i^\top w\, u_j, \qquad \kappa_d = \frac{d(d-1)}{2} \binom{n-2}{d-2}

(Ruggeri, Contisciani, Battiston and De Bacco, *Community detection in large hypergraphs*, Science Advances 9, 2023). Memberships
and affinity are inferred from each training hypergraph by expectation and maximisation, through hypergraphx
(:mod:`hyperhedge.models.hy_mmsbm.inference`).

*Sampling.* The Poisson law has sizes of its own, in proportion to :math:`1/(d(d-1))`, which no data have. A sample is therefore
conditioned, on the edge sizes and degrees of the training hypergraph (Ruggeri, Battiston and De Bacco, *Framework to generate
hypergraphs with community structure*, Physical Review E 109, 2024) or on its edge sizes alone
(:mod:`hyperhedge.models.hy_mmsbm.sampling`). hypergraphx has a sampler for the first too. It takes milliseconds for a proposal,
since it writes out binomials of all nodes each time, where a chain on a few ten thousand hyperedges needs ten million; and it adds
to each hyperedge a multiplicity of its own. Here the law is exact, multiplicities and all.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, TypeAlias

import msgspec
import numpy as np
from rich.console import Console

from hyperhedge._system.memory import admit
from hyperhedge._system.progress import Meter
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.errors import FormatError, GeneratorError, shown
from hyperhedge.io.files import read_bytes
from hyperhedge.models.base import one_of, rng_of, whole_number
from hyperhedge.models.configuration import shuffle
from hyperhedge.models.hy_mmsbm.inference import Communities, infer
from hyperhedge.models.hy_mmsbm.rates import log_kappa, pair_rates
from hyperhedge.models.hy_mmsbm.sampling import Chain, free_hyperedges, least_rate
from hyperhedge.models.repeats import REPEATS, Repeats, resampled
from hyperhedge.models.stored import StoringGenerator
from hyperhedge.typing import FloatArray, IntArray

Degrees: TypeAlias = Literal["exact", "model"]

ARRAYS = "arrays.safetensors"

_MOST = 10_000  # communities: their affinity takes 800 MB


class _Likelihoods(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What ``model.json`` has of each training hypergraph."""

    log_likelihoods: list[float]


class HyMMSBM(StoringGenerator):
    """Hyperedges inside overlapping communities, with the sizes and degrees of a training hypergraph, chosen uniformly.

    Keeps every edge size exactly and, by default, every degree; nodes meet as their communities say. It needs hypergraphx:
    ``pip install 'hyperhedge[hypergraphx]'``.

    Parameters
    ----------
    communities
        The number of communities.
    assortative
        Whether hyperedges join nodes of the same communities only (a diagonal affinity), or any two communities may go together.
    degrees
        ``"exact"``, those of the training hypergraph; ``"model"``, as they come from memberships and sizes.
    sweeps
        How long the chain of a sample with exact degrees is: so many times as many trades as there are hyperedges.
    iterations, restarts
        Steps of an inference, and from how many random beginnings: the best likelihood counts.
    repeats
        Whether hyperedges may repeat: ``"allow"``; ``"forbid"``; ``"as-data"``, forbidden if no training hypergraph has repeats.
        With the degrees of the model, hypergraphs are sampled until one has none.
    seed
        The seed of the inference; None for a new one.

    Attributes
    ----------
    memberships_ : list[FloatArray]
        For each training hypergraph the memberships u, nodes × communities.
    affinities_ : list[FloatArray]
        For each the affinity w, a symmetric matrix.
    log_likelihoods_ : list[float]
        The log-likelihood of each under its own communities.
    training_ : list[Hypergraph]
        The training hypergraphs, without their labels. They are part of a saved model.

    Examples
    --------
    >>> H = Hypergraph([[6 * k + i, 6 * k + (i + j) % 6, 6 * k + (i + 3) % 6] for k in (0, 1) for i in range(6) for j in (1, 2)])
    >>> model = HyMMSBM(communities=2, seed=0).fit([H])
    >>> model.memberships_[0].argmax(axis=1).reshape(2, 6).std(axis=1).tolist()    # two communities of six
    [0.0, 0.0]
    >>> inside, across = model.rates([[0, 1, 2], [0, 1, 6]])
    >>> bool(inside > across)
    True
    >>> S, = model.sample(seed=1)
    >>> bool((S.degrees == H.degrees).all() and (S.edge_sizes == H.edge_sizes).all())
    True
    """

    name = "hy-mmsbm"
    fitted_type: ClassVar[type[msgspec.Struct]] = _Likelihoods
    fit_options = ("progress",)

    memberships_: list[FloatArray]
    affinities_: list[FloatArray]
    log_likelihoods_: list[float]

    def __init__(
        self,
        *,
        communities: int = 20,
        assortative: bool = True,
        degrees: Degrees = "exact",
        sweeps: int = 500,
        iterations: int = 100,
        restarts: int = 10,
        repeats: Repeats = "allow",
        seed: int | None = None,
    ) -> None:
        self.communities = communities
        self.assortative = assortative
        self.degrees = degrees
        self.sweeps = sweeps
        self.iterations = iterations
        self.restarts = restarts
        self.repeats = repeats
        self.seed = seed
        self._check()

    def _check(self) -> None:
        one_of(self.repeats, REPEATS, "repeats")
        whole_number(self.communities, "communities", least=1, most=_MOST)
        one_of(self.assortative, (True, False), "assortative")
        one_of(self.degrees, ("exact", "model"), "degrees")
        whole_number(self.sweeps, "sweeps", least=0, most=1_000_000)
        whole_number(self.iterations, "iterations", least=1)
        whole_number(self.restarts, "restarts", least=1)
        if self.seed is not None:
            whole_number(self.seed, "seed", least=0)

    # -- fit ----------------------------------------------------------------------------------------

    def fit(self, training: Iterable[Any], *, progress: Console | bool | None = None, **unknown: Any) -> Self:
        """Infer communities, and return the model itself.

        Parameters
        ----------
        training
            Hypergraphs, of this package or of another one (:func:`hyperhedge.convert.as_hypergraph`).
        progress
            A console to show progress on, or True for standard error.
        """
        return super().fit(training, progress=progress, **unknown)

    def _fit(self, training: list[Hypergraph], progress: Console | bool | None = None) -> None:
        admit(self._bytes(training), "the inference", "give fewer communities", progress)
        rngs = rng_of(self.seed).spawn(len(training))
        with Meter(progress, "inferring", len(training) * int(self.restarts)) as meter:
            found = [self._inferred(H, rng, meter.advance) for H, rng in zip(training, rngs, strict=True)]
        self.memberships_ = [communities.u for communities in found]
        self.affinities_ = [communities.w for communities in found]
        self.log_likelihoods_ = [communities.log_likelihood for communities in found]
        self.training_ = [H.relabel(nodes=range(H.n), edges=range(H.m)) for H in training]

    def _inferred(self, H: Hypergraph, rng: np.random.Generator, advance: Callable[[], None]) -> Communities:
        return infer(
            H,
            int(self.communities),
            rng,
            assortative=bool(self.assortative),
            iterations=int(self.iterations),
            restarts=int(self.restarts),
            advance=advance,
        )

    def _bytes(self, training: list[Hypergraph]) -> int:
        """Estimate what an inference takes: matrices of hypergraphx, its hypergraph, and what is kept."""
        K = int(self.communities)
        kept = sum(8 * K * (H.n + K) for H in training)
        return kept + max(
            8 * K * (6 * H.n + 5 * H.m + 6 * K) + 500 * (H.n + H.m) + 140 * H.num_incidences for H in training
        )

    # -- rates --------------------------------------------------------------------------------------

    def rates(self, hyperedges: Hypergraph | Iterable[Iterable[int]], *, of: int = 0, log: bool = False) -> FloatArray:
        """Return how often hyperedges are to be expected, whether or not they occur in the training hypergraph.

        Parameters
        ----------
        hyperedges
            Each by the numbers of its nodes in the training hypergraph, two nodes or more; or a hypergraph on the same nodes.
        of
            Which training hypergraph it is.
        log
            Return logarithms: rates of large hyperedges are smaller than any number of a computer.

        Examples
        --------
        >>> model = HyMMSBM(communities=1, seed=0).fit([Hypergraph([["a", "b"], ["b", "c"], ["c", "a"]])])
        >>> model.rates([[0, 1], [2, 1]]).round(6)      # a, b and c, b
        array([1., 1.])
        >>> float(model.rates([[0, 1, 2]])[0]) == float(np.exp(model.rates([[0, 1, 2]], log=True))[0])
        True
        """
        self._check_fitted()
        of = whole_number(of, "of", least=0, most=len(self.memberships_) - 1)
        u, w = self.memberships_[of], self.affinities_[of]
        members, indptr = _checked(hyperedges, len(u))
        with np.errstate(divide="ignore"):
            logs: FloatArray = np.log(pair_rates(members, indptr, u, w)) - log_kappa(np.diff(indptr), len(u))
        return logs if log else np.exp(logs)

    # -- sample -------------------------------------------------------------------------------------

    def _sample(self, count: int, rng: np.random.Generator) -> list[Hypergraph]:
        chosen = rng.integers(0, len(self.training_), size=count)
        if self.degrees == "exact":
            return [self._with_exact_degrees(k, rng) for k in chosen.tolist()]

        def sample(numbers: IntArray) -> list[Hypergraph]:
            return [self._with_sizes(k, rng) for k in chosen[numbers].tolist()]

        return resampled(sample, count, type(self).__name__) if self._forbids_repeats() else sample(np.arange(count))

    def _with_exact_degrees(self, k: int, rng: np.random.Generator) -> Hypergraph:
        """Sample from the model conditioned on sizes and degrees, by a chain that begins without any structure."""
        H, u, w = self.training_[k], self.memberships_[k], self.affinities_[k]
        forbidden = self._forbids_repeats()
        start = shuffle(H, repeats="forbid" if forbidden else "allow", seed=rng)
        chain = Chain(start, u, w, least=least_rate(H, u, w), repeats=not forbidden, rng=rng)
        chain.advance(int(self.sweeps))
        return chain.hypergraph

    def _with_sizes(self, k: int, rng: np.random.Generator) -> Hypergraph:
        """Sample from the model conditioned on sizes."""
        H = self.training_[k]
        nodes, edges = free_hyperedges(self.memberships_[k], self.affinities_[k], H.edge_sizes, rng)
        return Hypergraph.from_indices(nodes, edges, nodes=H.n, edges=H.m)

    # -- saved models ---------------------------------------------------------------------------------

    def _write_arrays(self, folder: Path) -> None:
        from safetensors.numpy import save

        super()._write_arrays(folder)
        arrays = {"memberships": np.concatenate(self.memberships_), "affinities": np.stack(self.affinities_)}
        (folder / ARRAYS).write_bytes(save(arrays))

    def _read_arrays(self, folder: Path) -> None:
        super()._read_arrays(folder)
        arrays = _read(folder / ARRAYS, [H.n for H in self.training_], int(self.communities))
        ends = np.cumsum([H.n for H in self.training_])[:-1]
        self.memberships_, self.affinities_ = np.split(arrays["memberships"], ends), list(arrays["affinities"])
        if len(self.log_likelihoods_) != len(self.training_):
            raise FormatError(
                "there is not one likelihood for each training hypergraph", where="fitted.log_likelihoods"
            )


def _checked(hyperedges: Hypergraph | Iterable[Iterable[int]], n: int) -> tuple[IntArray, IntArray]:
    """Return the members of hyperedges, one after another, and where each begins; refuse what is no set of nodes."""
    if isinstance(hyperedges, Hypergraph):
        hyperedges = [nodes.tolist() for nodes in np.split(hyperedges.indices, hyperedges.indptr[1:-1])][: hyperedges.m]
    lists = [list(nodes) for nodes in hyperedges]
    for e, nodes in enumerate(lists):
        if not all(isinstance(v, int | np.integer) and not isinstance(v, bool) and 0 <= v < n for v in nodes):
            raise GeneratorError(f"hyperedges[{e}] is {shown(nodes)}, and the nodes are whole numbers below {n:,}")
        if len(set(nodes)) < max(len(nodes), 2):
            raise GeneratorError(
                f"hyperedges[{e}] is {shown(nodes)}; give two different nodes or more, none of them twice"
            )
    indptr = np.cumsum([0, *map(len, lists)])
    members = np.fromiter(itertools.chain.from_iterable(lists), dtype=np.int64, count=int(indptr[-1]))
    return members, indptr


def _read(file: Path, nodes: list[int], communities: int) -> dict[str, FloatArray]:
    """Read memberships and affinities, and compare them with what they should be."""
    from safetensors.numpy import load

    from hyperhedge.train.tensors import read_claims  # loads torch

    if not file.is_file():
        raise FormatError("the file is missing: the saved model is not complete", path=file)
    claims, _ = read_claims(file)
    wanted = {
        "memberships": f"({sum(nodes)}, {communities}) float64",
        "affinities": f"({len(nodes)}, {communities}, {communities}) float64",
    }
    if {name: str(claim) for name, claim in claims.items()} != wanted:
        raise FormatError("memberships and affinities are not those of the training hypergraphs", path=file)
    arrays: dict[str, FloatArray] = {name: array.copy() for name, array in load(read_bytes(file)).items()}
    w = arrays["affinities"]
    if not all(np.isfinite(array).all() and (array >= 0).all() for array in arrays.values()):
        raise FormatError("memberships and affinities must be numbers from 0 on", path=file)
    if not (w == w.transpose(0, 2, 1)).all():
        raise FormatError("an affinity is not symmetric", path=file)
    return arrays
