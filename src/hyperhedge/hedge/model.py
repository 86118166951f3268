r"""Hedge: the learned structured diffusion as a generator.

*Fit* (Sections 3.3 and 3.5): the training hypergraphs fix the density, the base mean :math:`M_0`, the typical rate and the scales
of the drift (:mod:`hyperhedge.drift`); a share of them is held out for validation; the network is trained on the conditional
reverse drift (eq. 15) by :class:`~hyperhedge.train.Trainer`.

*Sample* (Algorithm 1, or a faster sampler): noise from the base law, the reverse SDE with the learned drift, and a projection to a
hypergraph (:mod:`hyperhedge.project`).

*A saved model* has, beside ``model.json``, the file ``arrays.safetensors``: the averaged weights of the network, and the sizes and
degrees of the training hypergraphs, from which those of samples are drawn.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any, ClassVar

import msgspec
import numpy as np
import torch
from rich.console import Console
from safetensors.torch import save as save_tensors

from hyperhedge.drift import GIVEN, Drift, Given, Scales
from hyperhedge.errors import FormatError
from hyperhedge.generator import GeneratorError, Seed, one_of, rng_of, whole_number
from hyperhedge.hedge.bank import Bucket, buckets_of, decay_of, density_of, rate_of
from hyperhedge.hedge.draw import Drawn, Plan, TrainingMarginals, draw_all
from hyperhedge.hedge.task import DriftTask
from hyperhedge.hypergraph import Hypergraph
from hyperhedge.learned import ARRAYS, LearnedGenerator, device_of, positive, progress_bar, read_tensors, set_weights
from hyperhedge.operators import VARIANTS, Variant
from hyperhedge.process import HeatOU
from hyperhedge.project import PROJECTIONS
from hyperhedge.sample import SAMPLERS
from hyperhedge.schedule import Cosine, Linear, Schedule, ScheduleError
from hyperhedge.train import TrainingWarning

__all__ = ["PRESETS", "Facts", "Hedge"]

PRESETS: dict[str, dict[str, Any]] = {
    "fast": {"iterations": 1500, "width": 64, "blocks": 3},
    "default": {},
    "best": {"iterations": 20_000, "width": 128, "blocks": 5},
}
"""Named sets of arguments of :class:`Hedge`."""

SCHEDULES: dict[str, Callable[[float], Schedule]] = {"cosine": Cosine, "linear": Linear}

_MEASURED, _MEASURED_ENTRIES = 128, 2**18


class Facts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The fitted facts of a Hedge: what the drift is made with, the data it was fitted to, and how training went."""

    density: Annotated[float, msgspec.Meta(ge=0, le=1)]
    rate: Annotated[float, msgspec.Meta(ge=0)]
    scale_times: list[float]
    scale_data: list[float]
    scale_structure: list[float]
    has_empty: bool
    has_isolated: bool
    data_fingerprint: str
    training: dict[str, Any]


class Hedge(LearnedGenerator):
    r"""The structured heat–OU diffusion with a learned drift.

    Parameters
    ----------
    seed
        The seed of the weights and of training.
    iterations, batch_size, learning_rate, warmup, decay, weight_decay, clip, ema
        Those of :class:`~hyperhedge.train.TrainingSettings`.
    max_time
        A limit to the time of training, such as ``"10m"`` or seconds; None for none. With one, the learning rate falls with the
        clock, and a run is not reproducible bit for bit.
    validation
        The share of the training set that is held out to validate on, at most 256 hypergraphs; of fewer than 20 none is.
    validate_every, patience
        Steps between validations, and how many of them without improvement end the training (None: any number).
    width, channels, hidden, blocks
        The network's shape, see :class:`~hyperhedge.network.NetworkConfig`.
    given
        What is drawn from the training set before the diffusion starts: ``"sizes"`` of the hyperedges, ``"both"`` these and the
        degrees of the nodes, or ``"nothing"``, as in the paper.
    schedule, horizon, gamma, tau
        The forward process: ``"cosine"`` or ``"linear"``, :math:`S`, :math:`\gamma` and :math:`\tau`.
    variant
        The sides of the heat operator: ``"full"``, ``"ou"`` (none), ``"node"`` or ``"edge"``.
    time_power
        The power of the time law, see :mod:`hyperhedge.hedge.task`.
    sampler, steps, grid_power
        How samples are drawn unless said otherwise: ``"exponential"``, ``"flow"`` or ``"euler-maruyama"``, network evaluations a
        sample, and the power of the grid of times.
    projection
        ``"given"`` (the sizes, and the degrees, that were drawn before the diffusion started, exactly), ``"valid"`` (no empty
        hyperedge and no isolated node, unless the training set has them) or ``"threshold"`` (the paper's).
    device
        ``"auto"`` (a GPU where there is one) or a name that torch knows.
    workers
        Threads that train on a CPU; None for one per core.

    Attributes
    ----------
    training_ : dict
        What came of the training: iterations, seconds, loss, best validation loss, why it stopped, roll-backs.
    data_fingerprint_ : str
        A hash of the training set.

    Examples
    --------
    >>> train = [Hypergraph([[0, 1], [1, 2], [2, 3]], nodes=4), Hypergraph([[0, 1, 2], [3], [1, 3]], nodes=4)]
    >>> model = Hedge(iterations=20, width=16, channels=8, blocks=1).fit(train)
    >>> [(H.n, H.m) for H in model.sample(2, seed=1)]
    [(4, 3), (4, 3)]
    """

    name = "hedge"
    fitted_type: ClassVar[type[msgspec.Struct]] = Facts
    presets = PRESETS
    may_change = ("max_time", "patience", "sampler", "steps", "grid_power", "projection", "device", "workers")

    density_: float
    rate_: float
    scale_times_: list[float]
    scale_data_: list[float]
    scale_structure_: list[float]
    _drift: Drift | None
    _marginals: TrainingMarginals

    def __init__(
        self,
        *,
        seed: int = 0,
        iterations: int = 4000,
        batch_size: int = 32,
        learning_rate: float = 2e-3,
        warmup: int = 200,
        decay: float = 0.7,
        weight_decay: float = 0.0,
        clip: float | None = 1.0,
        ema: float = 0.999,
        max_time: str | float | None = None,
        validation: float = 0.1,
        validate_every: int = 250,
        patience: int | None = None,
        width: int = 96,
        channels: int = 16,
        hidden: int = 16,
        blocks: int = 4,
        given: Given = "both",
        schedule: str = "cosine",
        horizon: float = 1.0,
        gamma: float = 8.0,
        tau: float = 1.0,
        variant: Variant = "full",
        time_power: float = 1.5,
        sampler: str = "exponential",
        steps: int = 50,
        grid_power: float = 1.25,
        projection: str = "given",
        device: str = "auto",
        workers: int | None = None,
    ) -> None:
        self.seed = seed
        self.iterations, self.batch_size = iterations, batch_size
        self.learning_rate, self.warmup, self.decay = learning_rate, warmup, decay
        self.weight_decay, self.clip, self.ema, self.max_time = weight_decay, clip, ema, max_time
        self.validation, self.validate_every, self.patience = validation, validate_every, patience
        self.width, self.channels, self.hidden, self.blocks = width, channels, hidden, blocks
        self.given, self.schedule = given, schedule
        self.horizon, self.gamma, self.tau, self.variant = horizon, gamma, tau, variant
        self.time_power = time_power
        self.sampler, self.steps, self.grid_power, self.projection = sampler, steps, grid_power, projection
        self.device, self.workers = device, workers
        self._begin()

    # -- fit ----------------------------------------------------------------------------------------

    def _fit(self, training: list[Hypergraph]) -> None:
        self._look_at(training)
        self._marginals = TrainingMarginals.of(training)
        if not self._marginals.sizes.any():
            self._without_incidences()
            return
        learned, held_out = self._split([H for H in training if H.n and H.m])
        buckets = buckets_of(learned)
        self.density_, self.rate_ = density_of(buckets), self._typical_rate(buckets)
        drift = self._drift = self._new_drift()
        drift.measure_scales(_some(buckets, self.seed), torch.Generator().manual_seed(self.seed))
        self._keep_scales(drift)
        task = DriftTask(drift, buckets, buckets_of(held_out), power=self.time_power, seed=self.seed)
        untrained = task.reference_loss(drift.network)
        self._train(drift.network, task)
        _warn_if_worse(untrained, task.reference_loss(drift.network))

    def _typical_rate(self, buckets: list[Bucket]) -> float:
        """Choose the surrogate's rate.

        The mean over all modes is too fast for the slow ones, in which the numbers of incidences are: predictions of the data would
        be several times too large at the horizon, and what is left of that in samples is too many incidences. Where sizes are given
        the numbers are known, and the mean does.
        """
        return (decay_of if self.given == "nothing" else rate_of)(buckets, self.variant)

    def _new_drift(self) -> Drift:
        process = HeatOU(
            SCHEDULES[self.schedule](self.horizon),
            gamma=self.gamma,
            tau=self.tau,
            mean=self.density_,
            variant=self.variant,
        )
        shape = {name: getattr(self, name) for name in ("width", "channels", "hidden", "blocks")}
        with torch.random.fork_rng(devices=[]):  # torch initialises layers from its global generator
            torch.default_generator.manual_seed(self.seed)  # torch.manual_seed would set those of GPUs as well
            return Drift(process, self.density_, self.rate_, given=self.given, **shape)

    def _keep_scales(self, drift: Drift) -> None:
        scales = drift.scales
        assert scales is not None  # noqa: S101  # they were measured just now
        self.scale_times_, self.scale_data_, self.scale_structure_ = (
            part.tolist() for part in (scales.times, scales.data, scales.structure)
        )

    def _without_incidences(self) -> None:
        """Fit to hypergraphs of which none has an incidence: there is nothing to learn, and samples have none either."""
        self._drift = None
        self.density_ = self.rate_ = 0.0
        self.scale_times_ = self.scale_data_ = self.scale_structure_ = []
        self.training_ = {}

    # -- sample -------------------------------------------------------------------------------------

    def sample(  # type: ignore[override]  # more options than every generator has
        self, count: int = 1, *, seed: Seed = 0, return_path: bool = False, **options: Any
    ) -> list[Hypergraph] | Drawn:
        """Draw new hypergraphs, labelled 0, 1, …; the same seed draws the same ones.

        Parameters
        ----------
        count
            How many.
        seed
            A whole number, or a numpy generator to draw from.
        return_path
            Return a :class:`~hyperhedge.hedge.draw.Drawn` with relaxed states and the states on the way.
        options
            Those of :meth:`draw`.
        """
        known = inspect.signature(self.draw).parameters.keys() - {"count", "seed", "keep_path"}
        unknown = [option for option in options if option not in known]
        if unknown:
            raise GeneratorError(
                f"sample has no option {unknown[0]!r}; it has: return_path, {', '.join(sorted(known))}"
            )
        drawn = self.draw(count, seed=seed, keep_path=return_path, **options)
        return drawn if return_path else drawn.hypergraphs

    def draw(
        self,
        count: int = 1,
        *,
        seed: Seed = 0,
        n: int | None = None,
        m: int | None = None,
        steps: int | None = None,
        sampler: str | None = None,
        grid_power: float | None = None,
        projection: str | None = None,
        keep_path: bool = False,
        memory: int = 2**30,
        device: str | None = None,
        progress: Console | bool | None = None,
    ) -> Drawn:
        """Draw new hypergraphs, with their relaxed states and what is known of them.

        Parameters
        ----------
        count, seed
            As :meth:`sample` has them.
        n, m
            The numbers of nodes and of hyperedges; each follows the training set if not given.
        steps, sampler, grid_power, projection
            Others than the model's own.
        keep_path
            Keep the states on the way.
        memory
            About how many bytes a batch may take; batches of another size draw other hypergraphs.
        device
            Another than the model's own.
        progress
            A console to show progress on, or True for standard error.
        """
        self._check_fitted()
        count = whole_number(count, "count", least=0)
        rng = rng_of(seed)
        plan = Plan(
            sampler=self.sampler if sampler is None else sampler,
            steps=self.steps if steps is None else whole_number(steps, "steps", least=1),
            power=self.grid_power if grid_power is None else positive(grid_power, "grid_power"),
            horizon=self.horizon,
            projection=self.projection if projection is None else projection,
            allow_empty=self.has_empty_,
            allow_isolated=self.has_isolated_,
            keep_path=keep_path,
            memory=whole_number(memory, "memory", least=1),
            device=device_of(self.device if device is None else device),
        )
        one_of(plan.sampler, tuple(SAMPLERS), "sampler")
        one_of(plan.projection, PROJECTIONS, "projection")
        shapes = self._shapes(count, n, m, rng)
        if self._drift is not None:
            self._drift.to(plan.device)
        with progress_bar(progress) as bar:
            row = bar.add_task("sampling", total=count)
            return draw_all(self._drift, self._marginals, shapes, plan, rng, lambda more: bar.advance(row, more))

    def _draw(self, count: int, rng: np.random.Generator) -> list[Hypergraph]:
        return self.draw(count, seed=rng).hypergraphs

    # -- saving -------------------------------------------------------------------------------------

    def _write_arrays(self, folder: Path) -> None:
        weights = {} if self._drift is None else self._drift.network.state_dict()
        tensors = {f"network.{name}": tensor.cpu().contiguous() for name, tensor in weights.items()}
        for name in ("shapes", "sizes", "degrees"):
            tensors[f"training.{name}"] = torch.from_numpy(getattr(self._marginals, name).astype(np.int64))
        (folder / ARRAYS).write_bytes(save_tensors(tensors))

    def _read_arrays(self, folder: Path) -> None:
        file = folder / ARRAYS
        tensors = read_tensors(file)
        arrays = {name: tensors.pop(f"training.{name}", None) for name in ("shapes", "sizes", "degrees")}
        self._marginals = _checked_marginals(arrays, file)
        if self._marginals.count() != self.sizes_:
            raise FormatError("the sizes of the training hypergraphs are not those in model.json", path=file)
        # Without incidences there was nothing to learn, and there are no weights.
        self._drift = self._restored_drift(tensors, file) if tensors or self._marginals.sizes.any() else None

    def _restored_drift(self, tensors: dict[str, torch.Tensor], file: Path) -> Drift:
        try:
            drift = self._new_drift()
        except ScheduleError as error:
            raise FormatError(str(error)) from None
        set_weights(drift.network, tensors, file)
        drift.scales = _checked_scales(*self._scales)
        return drift

    @property
    def _scales(self) -> tuple[list[float], list[float], list[float]]:
        return self.scale_times_, self.scale_data_, self.scale_structure_

    # -- checks -------------------------------------------------------------------------------------

    def _check(self) -> None:
        """Refuse what no training could do anything with."""
        for name, options in (
            ("given", tuple(GIVEN)),
            ("schedule", tuple(SCHEDULES)),
            ("variant", tuple(VARIANTS)),
            ("sampler", tuple(SAMPLERS)),
            ("projection", PROJECTIONS),
        ):
            one_of(getattr(self, name), options, name)
        for name in ("width", "channels", "hidden", "blocks", "steps"):
            whole_number(getattr(self, name), name, least=1)
        if self.width % self.channels:
            raise GeneratorError(
                f"width must be a multiple of channels, and {self.width} is not one of {self.channels}"
            )
        if self.channels % 2:
            raise GeneratorError(f"channels must be an even number, not {self.channels}")
        for name in ("horizon", "gamma", "tau", "time_power", "grid_power"):
            positive(getattr(self, name), name)


def _some(buckets: list[Bucket], seed: int) -> Iterable[tuple[torch.Tensor, Any]]:
    """Choose hypergraphs to measure the scales on, each bucket's share being its own.

    They are about 128, or as many as have 262,144 entries if that is less. Of a small training set every hypergraph is chosen
    several times: what is measured is random, and one draw of a few entries would tell little of its size.
    """
    generator = torch.Generator().manual_seed(seed)
    total = sum(len(bucket) for bucket in buckets)
    entries = sum(bucket.H.numel() for bucket in buckets) / total
    wanted = min(_MEASURED, _MEASURED_ENTRIES / entries)
    for bucket in buckets:
        count = max(1, round(wanted * len(bucket) / total))
        order = torch.randperm(len(bucket), generator=generator)
        chosen = bucket[order.repeat(-(-count // len(bucket)))[:count]]
        yield chosen.H, chosen.spectrum


def _warn_if_worse(before: float, after: float) -> None:
    """Tell of a training after which the network is worse than one that predicts nothing, as it is in the beginning."""
    if not after <= 2 * before:
        warnings.warn(
            f"The loss was {before:.3g} before the training and is {after:.3g} after it: lower learning_rate.",
            TrainingWarning,
            stacklevel=5,
        )


def _checked_marginals(tensors: dict[str, torch.Tensor | None], file: Path) -> TrainingMarginals:
    if any(tensor is None or tensor.dtype != torch.int64 or (tensor < 0).any() for tensor in tensors.values()):
        raise FormatError("the sizes of the training hypergraphs are missing or are not whole numbers", path=file)
    shapes, sizes, degrees = (tensor.numpy() for tensor in tensors.values() if tensor is not None)
    if shapes.ndim != 2 or shapes.shape[1] != 2:
        raise FormatError("the sizes of the training hypergraphs are not pairs", path=file)
    if (sizes.shape, degrees.shape) != ((shapes[:, 1].sum(),), (shapes[:, 0].sum(),)):
        raise FormatError(
            "the hyperedge sizes or degrees of the training hypergraphs are not as many as they should be", path=file
        )
    if (sizes > np.repeat(shapes[:, 0], shapes[:, 1])).any() or (degrees > np.repeat(shapes[:, 1], shapes[:, 0])).any():
        raise FormatError("a training hypergraph has a hyperedge size or a degree that is too large", path=file)
    owners = (np.repeat(np.arange(len(shapes)), shapes[:, side]) for side in (1, 0))
    totals = [np.bincount(*part, len(shapes)) for part in zip(owners, (sizes, degrees), strict=True)]
    if (totals[0] != totals[1]).any():
        raise FormatError("the degrees of a training hypergraph do not add up to its hyperedge sizes", path=file)
    return TrainingMarginals(shapes, sizes, degrees)


def _checked_scales(*parts: list[float]) -> Scales:
    """Return scales as ``model.json`` has them; :func:`~hyperhedge.generator.load` adds its name to an error."""
    times, *sizes = (torch.tensor(part, dtype=torch.float64) for part in parts)
    equally_many = {len(times), len(sizes[0]), len(sizes[1])} == {max(len(times), 2)}
    if not (equally_many and all(bool(((part > 0) & part.isfinite()).all()) for part in (times, *sizes))):
        raise FormatError("the scales must be positive, finite and equally many, at least two")
    if not bool((times.diff() > 0).all()):
        raise FormatError("the times of the scales must increase")
    return Scales(times, *sizes)
