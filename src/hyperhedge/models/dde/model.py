r"""Denoising diffused embeddings (DDE): new hyperlinks by new embeddings.

*Fit.* Nodes of a training hypergraph have an offset and an embedding each, and hyperlinks an embedding. They maximise the
likelihood of the incidences (:mod:`hyperhedge.models.dde.likelihood`). A network then learns the score of the embeddings of
hyperlinks, noised to all degrees (:mod:`hyperhedge.models.dde.diffusion`).

*Sample.* Choose a training hypergraph uniformly. Sample as many new embeddings as it has hyperlinks, independently, and then the
members of each hyperlink given its embedding (:mod:`hyperhedge.models.dde.members`). So given the fit, hyperlinks are independent
of each other and equally distributed; nodes stay who they are.

*Degrees.* Offsets have no ridge, so at the maximum :math:`\sum_j \sigma(\theta_{jv}) = \deg(v)`: with the fitted embeddings,
degrees are right in expectation, and with sampled ones as far as the diffusion has learned their law.

*Differences from the paper.* The likelihood is maximised by Newton's method in alternation. A ridge, a network for several
hypergraphs, and ``sizes="exact"`` are variants of ours.

(Wu, Yang, Xu and Zhu, *Denoising diffused embeddings: a generative approach for hypergraphs*, arXiv 2501.01541.)
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self, TypeAlias, TypedDict, Unpack

import msgspec
import numpy as np
import torch
from rich.console import Console
from safetensors.torch import save as save_tensors

from hyperhedge._system.memory import admit, refuse_beyond
from hyperhedge._system.progress import Meter
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.errors import FormatError, GeneratorError, TrainingError, shown
from hyperhedge.models.base import BaseGenerator, Count, Seed, list_of_hypergraphs, one_of, rng_of, whole_number
from hyperhedge.models.dde.diffusion import AT_ONCE, ScoreMatching, ScoreNetwork, Standard, sampled_embeddings
from hyperhedge.models.dde.likelihood import BLOCK, Embeddings, Fit, LikelihoodSettings
from hyperhedge.models.dde.members import BLOCK as MEMBERS_BLOCK
from hyperhedge.models.dde.members import Logits, independent_members, members_with_sizes
from hyperhedge.models.repeats import REPEATS, Repeats, resampled
from hyperhedge.models.trained import is_number, positive
from hyperhedge.models.weights import ARRAYS, SavedArrays, seeded_weights, weights_of
from hyperhedge.train.settings import TrainingSettings, parse_duration
from hyperhedge.train.tensors import Claim, read_claims
from hyperhedge.train.trainer import Trainer
from hyperhedge.train.workers import default_workers, single_threaded
from hyperhedge.typing import FloatArray, IntArray

Sizes: TypeAlias = Literal["model", "exact"]
Finite: TypeAlias = Annotated[float, msgspec.Meta(ge=-1e300, le=1e300)]

_PREFIX = "training."
_BATCH, _LEARNING_RATE = 512, 2e-3
_TOLERANCE = 5e-3  # of the likelihood's passes
_SHARE = 0.7  # of max_time, for the likelihood
_MOST_RANK, _MOST_WIDTH, _MOST_STEPS, _MOST_ITERATIONS = 256, 4096, 10_000, 10**8
_FEWER = "choose a smaller rank"


class _Facts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What ``model.json`` has of each training hypergraph."""

    training_shapes: list[tuple[Count, Count]]
    log_likelihoods: list[Finite]


class SampleOptions(TypedDict, total=False):
    """The options of :meth:`DDE.sample`, where they are documented."""

    progress: Console | bool | None


class DDE(BaseGenerator):
    """New hyperlinks by new embeddings, of a training hypergraph that is chosen uniformly.

    Keeps shapes, and the law of the hyperlinks' embeddings as far as it was learned; through it, degrees, edge sizes and which
    nodes meet, in expectation. Samples may have isolated nodes and empty hyperedges.

    Parameters
    ----------
    rank
        The dimension of embeddings.
    bound
        The largest norm that an embedding may have in the fit.
    ridge
        The ridge of embeddings, as that of a normal prior of variance 1 / ``ridge``; 0 for none.
    passes
        The most passes of the fit; it stops before if a pass adds little.
    width
        The width of the score network.
    iterations
        The steps of its training.
    steps
        The steps in which embeddings are sampled.
    sizes
        ``"model"``, as published: sizes follow from independent members. ``"exact"``: hyperedges have the sizes of the training
        hypergraph, the small ones where the embeddings make small ones, and members have their law given the size.
    max_time
        A limit on the time of ``fit``, such as ``"5m"`` or seconds; None for none. With a limit, a fit is not reproducible.
    workers
        Threads that share a pass of the fit; None for one per core. The result does not depend on it.
    repeats
        Whether hyperedges may repeat: ``"allow"``; ``"forbid"``, hypergraphs are sampled until one has none; ``"as-data"``,
        forbidden if no training hypergraph has repeats.
    seed
        The seed of the fit; None for a new one.

    Attributes
    ----------
    embeddings_ : list[Embeddings]
        The offsets and embeddings of each training hypergraph.
    edge_sizes_ : list[numpy.ndarray]
        The sizes of its hyperedges.
    log_likelihoods_ : list[float]
        The logarithm of the likelihood that was reached, less the ridge.

    Examples
    --------
    >>> H = Hypergraph([[0, 1, 2], [3, 4, 5]] * 20)
    >>> model = DDE(rank=2, iterations=200, seed=0).fit([H])
    >>> S, = model.sample(seed=1)
    >>> S.shape
    (6, 40)
    >>> inside = sum(len({v // 3 for v in edge}) == 1 for edge in S.hyperedges)
    >>> inside > 20                             # chance would make fewer than ten
    True
    """

    name = "dde"
    fitted_type: ClassVar[type[msgspec.Struct]] = _Facts
    fit_options = ("progress",)
    sample_options = tuple(SampleOptions.__annotations__)

    training_shapes_: list[tuple[int, int]]
    log_likelihoods_: list[float]
    embeddings_: list[Embeddings]
    edge_sizes_: list[IntArray]
    _network: ScoreNetwork | None

    def __init__(
        self,
        *,
        rank: int = 8,
        bound: float = 8.0,
        ridge: float = 0.0,
        passes: int = 10,
        width: int = 128,
        iterations: int = 4000,
        steps: int = 18,
        sizes: Sizes = "model",
        max_time: str | float | None = None,
        workers: int | None = None,
        repeats: Repeats = "allow",
        seed: int | None = None,
    ) -> None:
        self.rank, self.bound, self.ridge, self.passes = rank, bound, ridge, passes
        self.width, self.iterations, self.steps = width, iterations, steps
        self.sizes = sizes
        self.max_time, self.workers = max_time, workers
        self.repeats, self.seed = repeats, seed
        self._check()

    def _check(self) -> None:
        one_of(self.repeats, REPEATS, "repeats")
        one_of(self.sizes, ("model", "exact"), "sizes")
        for name, most in (("rank", _MOST_RANK), ("width", _MOST_WIDTH), ("passes", _MOST_STEPS)):
            whole_number(getattr(self, name), name, least=1, most=most)
        whole_number(self.iterations, "iterations", least=1, most=_MOST_ITERATIONS)
        whole_number(self.steps, "steps", least=2, most=_MOST_STEPS)
        positive(self.bound, "bound", most=100.0)
        if not (is_number(self.ridge) and 0 <= self.ridge <= 1e9):
            raise GeneratorError(f"ridge must be a number from 0 on, not {shown(self.ridge)}")
        if self.workers is not None:
            whole_number(self.workers, "workers", least=1)
        if self.seed is not None:
            whole_number(self.seed, "seed", least=0)
        self._seconds()

    def _seconds(self) -> float | None:
        try:
            return None if self.max_time is None else parse_duration(self.max_time)
        except TrainingError as error:
            raise GeneratorError(str(error)) from None

    # -- fit ------------------------------------------------------------------------------------------

    def fit(self, training: Iterable[Any], *, progress: Console | bool | None = None, **unknown: Any) -> Self:
        """Learn from hypergraphs, and return the model itself.

        Parameters
        ----------
        training
            Hypergraphs, of this package or of another one (:func:`hyperhedge.convert.as_hypergraph`).
        progress
            A console to show progress on, or True for standard error.
        """
        with single_threaded():
            return super().fit(training, progress=progress, **unknown)

    def memory_for(self, training: Iterable[Any]) -> int:
        """Estimate the bytes of memory that :meth:`fit` would take for a training set."""
        return self._training_bytes(list_of_hypergraphs(training, "training"))

    def _training_bytes(self, training: list[Hypergraph]) -> int:
        """Add up the design, parameters with their Hessians, and the blocks of logits; all embeddings and the network stay."""
        K, each = int(self.rank) + 1, []
        for H in training:
            longest, block = max(H.n, H.m), max(min(BLOCK, H.n * H.m), max(H.n, H.m))
            design = 4 * longest * K * (K + 1) // 2
            rows = min(max(H.n, H.m), -(-block // max(min(H.n, H.m), 1)))
            each.append(
                design
                + self._threads() * (32 * block + 16 * rows * K * K)
                + 64 * (H.n + H.m) * K
                + 48 * H.num_incidences
            )
        kept = sum(12 * (H.n + H.m) * K for H in training)
        network = 32 * (6 * int(self.width) ** 2 + 64 * int(self.width)) + 40 * _BATCH * int(self.width)
        return max(each) + kept + network

    def _threads(self) -> int:
        return int(self.workers or default_workers())

    def _fit(self, training: list[Hypergraph], progress: Console | bool | None = None) -> None:
        admit(self._training_bytes(training), "fitting", _FEWER, progress)
        rng, seconds, begun = rng_of(self.seed), self._seconds(), time.monotonic()
        self.training_shapes_ = [H.shape for H in training]
        self.edge_sizes_ = [H.edge_sizes for H in training]
        fits = self._fitted_embeddings(training, rng, progress)
        self.embeddings_, self.log_likelihoods_ = [e for e, _ in fits], [value for _, value in fits]
        left = None if seconds is None else max(seconds - (time.monotonic() - begun), 0.05 * seconds)
        self._network = self._trained_network(rng, left, progress)

    def _fitted_embeddings(
        self, training: list[Hypergraph], rng: np.random.Generator, progress: Console | bool | None
    ) -> list[tuple[Embeddings, float]]:
        """Maximise the likelihoods, each in its share of the time if that is limited."""
        clock = _Clock(self._seconds(), [H.n * H.m for H in training])
        fitted = []
        with Meter(progress, "fitting embeddings", int(self.passes) * len(training)) as meter:
            for number, H in enumerate(training):
                seed = int(rng.integers(2**63))
                fitted.append(self._fitted_to(H, seed, number, clock, meter))
        return fitted

    def _fitted_to(
        self, H: Hypergraph, seed: int, number: int, clock: _Clock, meter: Meter
    ) -> tuple[Embeddings, float]:
        if not H.num_incidences:
            return Embeddings.none(H.n, H.m, int(self.rank)), 0.0
        settings = LikelihoodSettings(
            int(self.rank), float(self.bound), float(self.ridge), int(self.passes), _TOLERANCE
        )
        fit = Fit(H, settings, seed, workers=self._threads())
        clock.begin(number)

        def after_pass(done: int, objective: float) -> bool:
            share = 1 - objective / fit.null if fit.null else 0.0
            meter.set(number * int(self.passes) + done, f"{share:.1%} of the surprise explained")
            return clock.no_time_after(done)

        return fit.run(after_pass), fit.objective

    def _trained_network(
        self, rng: np.random.Generator, seconds: float | None, progress: Console | bool | None
    ) -> ScoreNetwork | None:
        """Learn the score of all embeddings; None if no hypergraph has incidences."""
        seed = int(rng.integers(2**63))
        which = [k for k, fitted in enumerate(self.embeddings_) if np.isfinite(fitted.offsets).any()]
        if not which:
            return None
        data = np.concatenate([_standardised(self.embeddings_[k].edges) for k in which])
        lengths = [len(self.embeddings_[k].edges) for k in which]
        task = ScoreMatching(
            torch.from_numpy(data.astype(np.float32)), torch.from_numpy(np.repeat(np.array(which), lengths))
        )
        with seeded_weights(seed):
            network = self._new_network()
        settings = TrainingSettings(
            iterations=int(self.iterations),
            batch_size=_BATCH,
            learning_rate=_LEARNING_RATE,
            max_time=seconds,
            workers=1,
            seed=seed,
        )
        Trainer(network, task, settings, progress=progress, device="cpu").run()
        return network.requires_grad_(False).eval()

    def _new_network(self) -> ScoreNetwork:
        return ScoreNetwork(int(self.rank), int(self.width), len(self.training_shapes_))

    # -- sample -----------------------------------------------------------------------------------------

    def sample(  # type: ignore[override]  # the options are this model's, named
        self, count: int = 1, *, seed: Seed | None = None, **options: Unpack[SampleOptions]
    ) -> list[Hypergraph]:
        """Sample new hypergraphs, labelled 0, 1, ….

        Parameters
        ----------
        count
            How many.
        seed
            A whole number gives the same hypergraphs every time; a numpy generator is used as it is; None gives new ones.
        progress
            A console to show progress on, or True for standard error.
        """
        with single_threaded():
            return super().sample(count, seed=seed, **options)

    def _sample(self, count: int, rng: np.random.Generator, progress: Console | bool | None = None) -> list[Hypergraph]:
        chosen = rng.integers(0, len(self.training_shapes_), size=count)
        with Meter(progress, "sampling", count) as meter:

            def sample(numbers: IntArray) -> list[Hypergraph]:
                return [self._sample_like(k, rng) for k in meter.count(chosen[numbers].tolist())]

            return (
                resampled(sample, count, type(self).__name__) if self._forbids_repeats() else sample(np.arange(count))
            )

    def _sample_like(self, k: int, rng: np.random.Generator) -> Hypergraph:
        (n, m), fitted = self.training_shapes_[k], self.embeddings_[k]
        linked = np.flatnonzero(np.isfinite(fitted.offsets))
        if self._network is None or not len(linked):
            return Hypergraph.from_indices([], [], nodes=n, edges=m)
        standardised = sampled_embeddings(self._network, k, m, int(self.rank), int(self.steps), rng)
        new = Standard.of(fitted.edges).restored(standardised)
        logits = Logits.of(fitted.offsets[linked], fitted.nodes[linked], new)
        if self.sizes == "exact":
            nodes, edges = members_with_sizes(logits, self.edge_sizes_[k], rng)
        else:
            nodes, edges = independent_members(logits, rng)
        return Hypergraph.from_indices(linked[nodes], edges, nodes=n, edges=m)

    def _refuse_too_many(self, count: int) -> None:
        super()._refuse_too_many(count)
        incidences = sum(int(sizes.sum()) for sizes in self.edge_sizes_)
        at_once = max(40 * int(self.width) * min(AT_ONCE, m) + 48 * min(MEMBERS_BLOCK, n * m) for n, m in self.shapes_)
        need = at_once + count * 24 * incidences // len(self.edge_sizes_)
        refuse_beyond(need, f"sampling {count:,} hypergraphs", "sample fewer at a time")

    # -- saved models -------------------------------------------------------------------------------------

    def _write_arrays(self, folder: Path) -> None:
        arrays = {
            "offsets": np.concatenate([fitted.offsets for fitted in self.embeddings_]),
            "nodes": np.concatenate([fitted.nodes for fitted in self.embeddings_]),
            "edges": np.concatenate([fitted.edges for fitted in self.embeddings_]),
            "edge_sizes": np.concatenate(self.edge_sizes_).astype(np.int64),
        }
        tensors = {_PREFIX + name: torch.from_numpy(np.ascontiguousarray(array)) for name, array in arrays.items()}
        (folder / ARRAYS).write_bytes(save_tensors(tensors | weights_of(self._network)))

    def _read_arrays(self, folder: Path) -> None:
        shapes, K = self.training_shapes_, int(self.rank)
        if Counter(shapes) != self.shapes_ or len(self.log_likelihoods_) != len(shapes):
            raise FormatError("the training hypergraphs are not those that sizes counts", where="fitted")
        saved = SavedArrays(folder / ARRAYS)
        n, m = (sum(shape[axis] for shape in shapes) for axis in (0, 1))
        _check_claims(
            saved.file,
            {
                "offsets": ("F64", (n,)),
                "nodes": ("F64", (n, K)),
                "edges": ("F64", (m, K)),
                "edge_sizes": ("I64", (m,)),
            },
        )
        network = self._described_network(saved) if saved.weights else None
        tensors = saved.read()
        self._take_arrays(
            {name: tensors[_PREFIX + name].numpy() for name in ("offsets", "nodes", "edges", "edge_sizes")}
        )
        self._check_arrays(saved.file, network is not None)
        if network is not None:
            saved.give_weights(network, tensors)
        self._network = network

    def _described_network(self, saved: SavedArrays) -> ScoreNetwork:
        """Return the network that ``model.json`` describes, without memory, if the weights fit it."""
        saved.check_arguments(vars(self), {"width": saved.size("embed.weight", 0), "rank": saved.size("out.weight", 0)})
        with torch.device("meta"):
            network = self._new_network()
        saved.check_shapes(network)
        return network

    def _take_arrays(self, arrays: dict[str, Any]) -> None:
        nodes, edges = (np.cumsum([shape[axis] for shape in self.training_shapes_])[:-1] for axis in (0, 1))
        parts = zip(
            np.split(arrays["offsets"], nodes),
            np.split(arrays["nodes"], nodes),
            np.split(arrays["edges"], edges),
            strict=True,
        )
        self.embeddings_ = [Embeddings(*part) for part in parts]
        self.edge_sizes_ = np.split(arrays["edge_sizes"], edges)

    def _check_arrays(self, file: Path, has_network: bool) -> None:
        """Refuse numbers that no fit leaves behind."""
        for fitted, sizes in zip(self.embeddings_, self.edge_sizes_, strict=True):
            linked = np.isfinite(fitted.offsets)
            numbers = fitted.offsets[linked], fitted.nodes, fitted.edges
            if not (fitted.offsets[~linked] == -np.inf).all() or not all(
                np.abs(x).max(initial=0) < 1e9 for x in numbers
            ):
                raise FormatError(
                    "embeddings hold NaN, infinity or numbers beyond reason; fit the model again", path=file
                )
            if len(sizes) and not 0 <= sizes.min() <= sizes.max() <= linked.sum():
                raise FormatError("edge sizes do not fit the nodes; fit the model again", path=file)
            if linked.any() and not has_network:
                raise FormatError("the weights of the network are absent; copy the whole folder", path=file)


class _Clock:
    """Shares of a limited time, in proportion to the work of each hypergraph."""

    def __init__(self, seconds: float | None, work: list[int]) -> None:
        self._start = time.monotonic()
        until = np.cumsum(work) / max(sum(work), 1)
        self._ends = None if seconds is None else self._start + _SHARE * seconds * until
        self._begun, self._end = self._start, float("inf")

    def begin(self, number: int) -> None:
        """Begin with the work of a number."""
        self._begun = time.monotonic()
        self._end = float("inf") if self._ends is None else float(self._ends[number])

    def no_time_after(self, done: int) -> bool:
        """Return whether another pass, as long as those done, would end too late."""
        now = time.monotonic()
        return now + (now - self._begun) / done > self._end


def _standardised(embeddings: FloatArray) -> FloatArray:
    return Standard.of(embeddings).standardised(embeddings)


def _check_claims(file: Path, wanted: dict[str, tuple[str, tuple[int, ...]]]) -> None:
    """Compare arrays of the training set with what ``model.json`` says, before any is read."""
    claims, _ = read_claims(file)
    there: dict[str, Claim] = {k.removeprefix(_PREFIX): claim for k, claim in claims.items() if k.startswith(_PREFIX)}
    for name in sorted(wanted.keys() | there.keys()):
        claim = there.get(name)
        if name not in wanted or claim is None or (claim.dtype, claim.shape) != wanted[name]:
            raise FormatError(
                f"the array {_PREFIX + name!r} is {claim or 'absent'}, which does not fit model.json", path=file
            )
