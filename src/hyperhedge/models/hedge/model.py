r"""Hedge: the learned structured diffusion as a generator.

*Fit* (Sections 3.3 and 3.5): the training hypergraphs fix the density, the base mean :math:`M_0`, the typical rate and the
scales of the predictions (:mod:`hyperhedge.diffusion.denoiser`); a share of them is held out for validation; the network is trained
on the conditional reverse drift (eq. 15) by :class:`~hyperhedge.train.Trainer`.

*Sample* (Algorithm 1, or a faster sampler): noise from the base law, the reverse SDE with the learned drift, and a projection to a
hypergraph (:mod:`hyperhedge.diffusion.projection`).

*A saved model* has, beside ``model.json``, the file ``arrays.safetensors``: the averaged weights of the network, and the sizes and
degrees of the training hypergraphs, from which those of samples are taken.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, TypeAlias, Unpack

import msgspec
import numpy as np
import torch
from safetensors.torch import save as save_tensors

from hyperhedge._system.memory import admit, limit
from hyperhedge._system.progress import Meter
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.diffusion.denoiser import GIVEN, Denoiser, Given, Scales
from hyperhedge.diffusion.laplacians import VARIANTS, Variant
from hyperhedge.diffusion.network import NetworkConfig
from hyperhedge.diffusion.process import MAX_RATE, HeatOU
from hyperhedge.diffusion.projection import PROJECTIONS
from hyperhedge.diffusion.samplers import SAMPLERS
from hyperhedge.diffusion.schedules import Cosine, Linear, Schedule
from hyperhedge.errors import FormatError, GeneratorError, ScheduleError, TrainingWarning
from hyperhedge.models.base import Seed, one_of, rng_of, whole_number
from hyperhedge.models.hedge.data import Bucket, buckets_of, decay_of, density_of, rate_of
from hyperhedge.models.hedge.margins import TrainingMarginals
from hyperhedge.models.hedge.memory import batch_bytes, bytes_each, kept_bytes, network_config, training_bytes
from hyperhedge.models.hedge.sampling import SamplePaths, SamplingSettings, sample_all
from hyperhedge.models.hedge.task import DenoisingTask
from hyperhedge.models.repeats import Repeats
from hyperhedge.models.trained import (
    MOST_STEPS,
    FitOptions,
    SampleOptions,
    TrainedGenerator,
    TrainingFacts,
    device_of,
    positive,
)
from hyperhedge.models.weights import ARRAYS, SavedArrays, seeded_weights, weights_of
from hyperhedge.train.workers import default_workers

PRESETS: dict[str, dict[str, Any]] = {
    "fast": {"iterations": 1500, "width": 64, "blocks": 3},
    "default": {},
    "best": {"iterations": 20_000, "width": 128, "blocks": 5},
}
"""Named sets of arguments of :class:`Hedge`."""

SCHEDULES: dict[str, Callable[[float], Schedule]] = {"cosine": Cosine, "linear": Linear}

_MEASURED, _MEASURED_ENTRIES = 128, 2**18
_MEMORY = 2**30
_BYTES_PER_STEP = 32  # a number in a list

#: With larger powers, nearly all times are closer to 0 than single precision can tell.
_MOST_POWER = 50

#: With more heat, nothing but the slowest modes would be left long before the noise comes.
_MOST_HEAT = 16


class HedgeSampleOptions(SampleOptions, total=False):
    """The options of :meth:`Hedge.sample`, where they are documented."""

    sampler: str | None
    grid_power: float | None
    projection: str | None
    memory: int | None


_Curve: TypeAlias = Annotated[list[float], msgspec.Meta(max_length=10_000)]


class Facts(TrainingFacts, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The fitted facts of a Hedge: what the denoiser is made with, too."""

    density: Annotated[float, msgspec.Meta(ge=0, le=1)]
    rate: Annotated[float, msgspec.Meta(ge=0, le=1.01 * MAX_RATE)]  # 3 but for the last digits
    heat: Annotated[float, msgspec.Meta(gt=0, le=_MOST_HEAT)]
    scale_times: _Curve
    scale_data: _Curve
    scale_structure: _Curve


@dataclass(kw_only=True, eq=False, repr=False)
class Hedge(TrainedGenerator):
    r"""The structured heat–OU diffusion with a learned drift.

    Parameters
    ----------
    seed, iterations, batch_size, learning_rate, warmup, decay, weight_decay, clip, ema
        Those of every :class:`~hyperhedge.models.trained.TrainedGenerator`.
    max_time, validation, validate_every, patience, device, workers, repeats
        Likewise.
    width, channels, hidden, blocks
        The network's shape, see :class:`~hyperhedge.diffusion.network.NetworkConfig`.
    given
        What is sampled from the training set before the diffusion starts, and given to the network: ``"sizes"`` of the hyperedges,
        ``"both"`` these and the degrees of the nodes, or ``"nothing"``, as in the paper.
    schedule, horizon, gamma, tau
        The forward process: ``"cosine"`` or ``"linear"``, :math:`S`, :math:`\gamma` and :math:`\tau`.
    heat
        How much heat: :math:`\eta\alpha(s)` in place of :math:`\alpha(s)`, while the noise stays as it is. In other units of time
        this is the process with :math:`\eta S`, :math:`\gamma/\eta` and :math:`\tau/\eta`. By default 2 with sizes and degrees
        given, and 1 otherwise.
    variant
        The sides of the heat operator: ``"full"``, ``"ou"`` (none), ``"node"`` or ``"edge"``.
    time_power
        The power of the time law, see :mod:`hyperhedge.models.hedge.task`.
    sampler, steps, grid_power
        How to sample by default: ``"exponential"``, ``"flow"`` or ``"euler-maruyama"``, network evaluations per sample, and the
        power of the grid of times.
    projection
        ``"given"`` (keeps the given edge sizes and degrees exactly), ``"valid"`` (no empty hyperedge and no isolated node, unless
        the training set has them) or ``"threshold"`` (the paper's).

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
    sample_options = tuple(HedgeSampleOptions.__annotations__)
    may_change = (
        "max_time",
        "patience",
        "sampler",
        "steps",
        "grid_power",
        "projection",
        "device",
        "workers",
        "repeats",
    )

    width: int = 96
    channels: int = 16
    hidden: int = 16
    blocks: int = 4
    given: Given = "both"
    schedule: str = "cosine"
    horizon: float = 1.0
    gamma: float = 8.0
    tau: float = 1.0
    heat: float | None = None
    variant: Variant = "full"
    time_power: float = 1.5
    sampler: str = "exponential"
    steps: int = 50
    grid_power: float = 1.25
    projection: str = "given"

    density_: float = field(init=False)
    rate_: float = field(init=False)
    heat_: float = field(init=False)
    scale_times_: list[float] = field(init=False)
    scale_data_: list[float] = field(init=False)
    scale_structure_: list[float] = field(init=False)
    _denoiser: Denoiser | None = field(init=False)
    _marginals: TrainingMarginals = field(init=False)

    # -- fit ----------------------------------------------------------------------------------------

    def _learn(self, training: list[Hypergraph], options: FitOptions) -> None:
        self._marginals, self.heat_ = TrainingMarginals.of(training), self._chosen_heat()
        if not self._marginals.edge_sizes.any():
            self._without_incidences()
            return
        learned, held_out = self._split([H for H in training if H.n and H.m])
        buckets = buckets_of(learned)
        self.density_, self.rate_ = density_of(buckets), self._typical_rate(buckets)
        process = self._process()
        with seeded_weights(self.seed_):
            denoiser = self._denoiser = self._new_denoiser(process)
        denoiser.measure_scales(_some(buckets, self.seed_), torch.Generator().manual_seed(self.seed_))
        self._keep_scales(denoiser)
        task = DenoisingTask(denoiser, buckets, buckets_of(held_out), power=float(self.time_power), seed=self.seed_)
        untrained = task.reference_loss(denoiser.network)
        self._train(denoiser.network, task, options)
        _warn_if_worse(untrained, task.reference_loss(denoiser.network))

    def _training_bytes(self, training: list[Hypergraph]) -> int:
        return training_bytes(
            self._network_config,
            [H.shape for H in training],
            int(self.batch_size),
            workers=self._threads(),
            held_out=self._held_out_count(training),
        )

    @property
    def _network_config(self) -> NetworkConfig:
        return network_config(self.given, int(self.width), int(self.channels), int(self.hidden), int(self.blocks))

    def _typical_rate(self, buckets: list[Bucket]) -> float:
        """Choose the surrogate's rate.

        The mean over all modes is too fast for the slow ones, in which the numbers of incidences are: predictions of the data would
        be several times too large at the horizon, and what is left of that in samples is too many incidences. Where sizes are given
        the numbers are known, and the mean does.
        """
        return (decay_of if self.given == "nothing" else rate_of)(buckets, self.variant)

    @property
    def _horizon(self) -> float:
        """The horizon of the process with more heat: the same noise, in a longer time."""
        return float(self.horizon) * self.heat_

    def _chosen_heat(self) -> float:
        """Choose how much heat; with margins given the slowest modes are known, and more heat leaves more time for the next."""
        return (2.0 if self.given == "both" else 1.0) if self.heat is None else float(self.heat)

    def _process(self) -> HeatOU:
        return HeatOU(
            SCHEDULES[self.schedule](self._horizon),
            gamma=float(self.gamma) / self.heat_,
            tau=float(self.tau) / self.heat_,
            mean=self.density_,
            variant=self.variant,
        )

    def _new_denoiser(self, process: HeatOU) -> Denoiser:
        shape = {name: int(getattr(self, name)) for name in ("width", "channels", "hidden", "blocks")}
        return Denoiser(process, self.density_, self.rate_, given=self.given, **shape)

    def _keep_scales(self, denoiser: Denoiser) -> None:
        scales = denoiser.scales
        assert scales is not None  # noqa: S101  # they were measured just now
        self.scale_times_, self.scale_data_, self.scale_structure_ = (
            part.tolist() for part in (scales.times, scales.data, scales.structure)
        )

    def _without_incidences(self) -> None:
        """Fit to hypergraphs of which none has an incidence: there is nothing to learn, and samples have none either."""
        self._denoiser = None
        self.density_ = self.rate_ = 0.0
        self.scale_times_ = self.scale_data_ = self.scale_structure_ = []
        self.training_ = {}

    # -- sample -------------------------------------------------------------------------------------

    @property
    def _generates_sizes(self) -> bool:
        return self.given == "nothing"

    def sample(  # type: ignore[override]  # the options are this model's, named
        self, count: int = 1, *, seed: Seed | None = None, **options: Unpack[HedgeSampleOptions]
    ) -> list[Hypergraph]:
        """Sample new hypergraphs, labelled 0, 1, ….

        Parameters
        ----------
        count
            How many.
        seed
            A whole number gives the same hypergraphs every time; a numpy generator is used as it is; None gives new ones.
        n, m
            The numbers of nodes and hyperedges; without them, each follows the training set.
        steps, sampler, grid_power, projection, device, repeats
            Used instead of the model's own.
        memory
            About how many bytes a batch may take, 2³⁰ by default; another value gives other hypergraphs.
        progress
            A console to show progress on, or True for standard error.
        """
        return super().sample(count, seed=seed, **options)

    def _sample(self, count: int, rng: np.random.Generator, **options: Unpack[HedgeSampleOptions]) -> list[Hypergraph]:
        return self.sample_paths(count, seed=rng, keep_paths=False, **options).hypergraphs

    def sample_paths(
        self,
        count: int = 1,
        *,
        seed: Seed | None = None,
        keep_paths: bool = True,
        **options: Unpack[HedgeSampleOptions],
    ) -> SamplePaths:
        """Sample new hypergraphs, and return their relaxed states and their paths from noise too.

        Parameters
        ----------
        keep_paths
            Whether to keep the states on the way: ``steps + 1`` arrays ``(n, m)`` per hypergraph.
        count, seed, n, m, steps, sampler, grid_power, projection, memory, device, progress, repeats
            As for :meth:`sample`: the same seed gives the same hypergraphs.
        """
        self._check_fitted()
        self._check_options("sample_paths", options, self.sample_options)
        count, rng = whole_number(count, "count", least=0), rng_of(seed)
        settings = self._sampling_settings(keep_paths, options)
        settings = self._admit_samples(count, settings, options)
        shapes = self._shapes(count, options.get("n"), options.get("m"), rng)
        if self._denoiser is not None:
            self._denoiser.to(settings.device)
        with Meter(options.get("progress"), "sampling", count) as meter:
            return sample_all(self._denoiser, self._marginals, shapes, settings, rng, meter.advance)

    def _admit_samples(self, count: int, settings: SamplingSettings, options: HedgeSampleOptions) -> SamplingSettings:
        """Refuse samples that do not fit into memory, say what they take, and use as many threads as fit."""
        n, m = self._wanted_shape(options)
        shapes = {(a if n is None else n, b if m is None else m): number for (a, b), number in self.shapes_.items()}
        states = 1 + (2 * (settings.steps + 1) if settings.keep_paths else 0)
        config = None if self._denoiser is None else self._network_config
        kept = kept_bytes(shapes, count, states) + _BYTES_PER_STEP * settings.steps
        batch = max(batch_bytes(config, n, m, settings.memory, count) for n, m in shapes)
        threads = max(1, min(settings.workers, (limit() - kept) // max(batch, 1)))
        work = min(threads * batch, count * max(bytes_each(config, n, m) for n, m in shapes))
        advice = "sample fewer or smaller hypergraphs, or in fewer steps or smaller batches (memory=)"
        admit(kept + work, "sampling", advice, options.get("progress"))
        return replace(settings, workers=threads)

    def _sampling_settings(self, keep_paths: bool, options: HedgeSampleOptions) -> SamplingSettings:
        """Take the model's own settings where the caller chose none."""
        chosen = {**self.get_params(), "memory": _MEMORY, **{k: v for k, v in options.items() if v is not None}}
        one_of(chosen["sampler"], tuple(SAMPLERS), "sampler")
        one_of(chosen["projection"], PROJECTIONS, "projection")
        device = device_of(chosen["device"])
        return SamplingSettings(
            sampler=chosen["sampler"],
            steps=whole_number(chosen["steps"], "steps", least=1, most=MOST_STEPS),
            grid_power=positive(chosen["grid_power"], "grid_power", most=_MOST_POWER),
            horizon=self._horizon,
            projection=chosen["projection"],
            distinct=self._makes_distinct(chosen["projection"], options.get("repeats")),
            allow_empty=self.has_empty_,
            allow_isolated=self.has_isolated_,
            keep_paths=keep_paths,
            memory=whole_number(chosen["memory"], "memory", least=1),
            device=device,
            workers=default_workers() if device.type == "cpu" else 1,
        )

    def _makes_distinct(self, projection: str, repeats: Repeats | None) -> bool:
        """Return whether repeated hyperedges are changed; thresholding takes data for a guide in nothing, and so not in this."""
        chosen = self.repeats if repeats is None else repeats
        return self._forbids_repeats(chosen) and (chosen == "forbid" or projection != "threshold")

    # -- saving -------------------------------------------------------------------------------------

    def _write_arrays(self, folder: Path) -> None:
        tensors = weights_of(None if self._denoiser is None else self._denoiser.network)
        marginals = self._marginals
        arrays = {"shapes": marginals.shapes, "sizes": marginals.edge_sizes, "degrees": marginals.degrees}
        tensors |= {f"training.{name}": torch.from_numpy(array.astype(np.int64)) for name, array in arrays.items()}
        (folder / ARRAYS).write_bytes(save_tensors(tensors))

    def _read_arrays(self, folder: Path) -> None:
        saved = SavedArrays(folder / ARRAYS)
        # Without incidences there was nothing to learn, and there are no weights.
        self._denoiser = self._described_denoiser(saved) if saved.weights else None
        tensors = saved.read()
        arrays = {name: tensors.get(f"training.{name}") for name in ("shapes", "sizes", "degrees")}
        self._marginals = _checked_marginals(arrays, saved.file)
        if self._marginals.count() != self.shapes_:
            raise FormatError("the sizes of the training hypergraphs are not those in model.json", path=saved.file)
        if self._denoiser is not None:
            saved.give_weights(self._denoiser.network, tensors)
        elif self._marginals.edge_sizes.any():
            raise FormatError("the weights of the network are absent; copy the whole folder", path=saved.file)

    def _described_denoiser(self, saved: SavedArrays) -> Denoiser:
        """Return the denoiser that ``model.json`` describes, its network without memory, if the weights fit it."""
        saved.check_arguments(
            vars(self),
            {
                "width": saved.size("embed_nodes.weight", 0),
                "channels": saved.size("embed_entries.weight", 0),
                "hidden": saved.size("out_nodes.weight", 0),
                "blocks": saved.depth("blocks"),
            },
        )
        try:
            process = self._process()
        except ScheduleError as error:
            raise FormatError(str(error)) from None
        with torch.device("meta"):
            denoiser = self._new_denoiser(process)
        saved.check_shapes(denoiser.network)
        denoiser.scales = _checked_scales(*self._scales)
        return denoiser

    @property
    def _scales(self) -> tuple[list[float], list[float], list[float]]:
        return self.scale_times_, self.scale_data_, self.scale_structure_

    # -- checks -------------------------------------------------------------------------------------

    def _check(self) -> None:
        super()._check()
        for name, options in (
            ("given", tuple(GIVEN)),
            ("schedule", tuple(SCHEDULES)),
            ("variant", tuple(VARIANTS)),
            ("sampler", tuple(SAMPLERS)),
            ("projection", PROJECTIONS),
        ):
            one_of(getattr(self, name), options, name)
        for name in ("width", "channels", "hidden", "blocks", "steps"):
            whole_number(getattr(self, name), name, least=1, most=2**31)
        if self.width % self.channels:
            raise GeneratorError(
                f"width must be a multiple of channels, and {self.width} is not one of {self.channels}"
            )
        if self.channels % 2:
            raise GeneratorError(f"channels must be an even number, not {self.channels}")
        for name in ("horizon", "gamma", "tau"):
            positive(getattr(self, name), name)
        if self.heat is not None:
            positive(self.heat, "heat", most=_MOST_HEAT)
        for name in ("time_power", "grid_power"):
            positive(getattr(self, name), name, most=_MOST_POWER)


def _some(buckets: list[Bucket], seed: int) -> Iterable[tuple[torch.Tensor, Any]]:
    """Choose hypergraphs to measure the scales on, from each bucket in proportion to its length.

    They are about 128, or as many as have 262,144 entries if that is less. From a small training set every hypergraph is chosen
    several times: what is measured is random, and one sample of a few entries would tell little about its scale.
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
    """Warn of a training after which the network is worse than one that predicts nothing, as it does at the start."""
    if not after <= 2 * before:
        warnings.warn(
            f"The loss was {before:.3g} before the training and is {after:.3g} after it: lower learning_rate.",
            TrainingWarning,
            stacklevel=6,
        )


def _checked_marginals(tensors: dict[str, torch.Tensor | None], file: Path) -> TrainingMarginals:
    if any(tensor is None or tensor.dtype != torch.int64 or (tensor < 0).any() for tensor in tensors.values()):
        raise FormatError("the sizes of the training hypergraphs are missing or are not whole numbers", path=file)
    shapes, sizes, degrees = (tensor.numpy() for tensor in tensors.values() if tensor is not None)
    if shapes.ndim != 2 or shapes.shape[1] != 2:
        raise FormatError("the sizes of the training hypergraphs are not pairs", path=file)
    if (shapes >= 2**31).any():  # their sum could overflow
        raise FormatError("a training hypergraph cannot have 2³¹ nodes or hyperedges", path=file)
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
    """Return scales as ``model.json`` has them; :func:`~hyperhedge.models.base.load_model` adds its name to an error."""
    times, *sizes = (torch.tensor(part, dtype=torch.float64) for part in parts)
    equally_many = {len(times), len(sizes[0]), len(sizes[1])} == {max(len(times), 2)}
    if not (equally_many and all(bool(((part > 0) & part.isfinite()).all()) for part in (times, *sizes))):
        raise FormatError("the scales must be positive, finite and equally many, at least two")
    if not bool((times.diff() > 0).all()):
        raise FormatError("the times of the scales must increase")
    return Scales(times, *sizes)
