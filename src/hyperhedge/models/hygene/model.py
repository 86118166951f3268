r"""Hygene: a learned baseline that grows hypergraphs from coarse to fine.

After D. Gailhard, E. Tartaglione, L. Naviner, J. H. Giraldo, *HYGENE: A diffusion-based hypergraph generation method*, AAAI 2025
(arXiv 2408.16457).

*Fit*: training hypergraphs are coarsened at random, step by step, to one node in one hyperedge (:mod:`.coarsen`). A network
(:mod:`.network`) learns, as the denoiser of a diffusion (:mod:`.edm`), to undo a step: which incidences there are at a scale, and
which of its nodes and hyperedges become several at the next one.

*Sample* (:mod:`.sampling`): from one node in one hyperedge, the steps are taken one by one until the target shape is reached.

*A saved model* has the averaged weights beside ``model.json``, in ``arrays.safetensors``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import torch
from safetensors.torch import save as save_tensors

from hyperhedge._system.memory import admit
from hyperhedge._system.progress import Meter
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.errors import GeneratorError, shown
from hyperhedge.models.base import Seed, one_of, whole_number
from hyperhedge.models.hygene.coarsen import Coarsening
from hyperhedge.models.hygene.edm import Noise
from hyperhedge.models.hygene.memory import MOST_AT_ONCE, sampling_bytes, training_bytes
from hyperhedge.models.hygene.network import Network
from hyperhedge.models.hygene.sampling import SamplingSettings, sample_all
from hyperhedge.models.hygene.task import ExpansionTask, Offer, Sequences
from hyperhedge.models.repeats import Repeats
from hyperhedge.models.trained import (
    MOST_STEPS,
    FitOptions,
    SampleOptions,
    TrainedGenerator,
    device_of,
    is_number,
    positive,
)
from hyperhedge.models.weights import ARRAYS, SavedArrays, seeded_weights, weights_of
from hyperhedge.train.workers import default_workers

PRESETS: dict[str, dict[str, Any]] = {
    "fast": {"iterations": 3000, "hidden": 48, "width": 24, "layers": 3},
    "default": {},
    "published": {
        "iterations": 1_000_000,
        "batch_size": 32,
        "learning_rate": 1e-4,
        "warmup": 0,
        "decay": 0.0,
        "clip": None,
        "ema": 0.9999,
        "embedding": 32,
        "hidden": 256,
        "width": 128,
        "layers": 10,
        "sign_hidden": 128,
        "sign_layers": 5,
        "dropout": 0.1,
        "data_scale": 0.5,
        "noise_mean": -1.2,
        "noise_max": 80.0,
        "steps": 256,
        "given": "nodes",
        "mark_joined": False,
        "siblings": False,
        "exact_growth": True,
        "repair": False,
        "repeats": "allow",
    },
}
"""Named sets of arguments of :class:`Hygene`. The published one is that of the public code; a CPU takes days for it."""


@dataclass(kw_only=True, eq=False, repr=False)
class Hygene(TrainedGenerator):
    """Local expansion by diffusion, from one node in one hyperedge to a hypergraph.

    Parameters
    ----------
    seed, iterations, batch_size, learning_rate, warmup, decay, weight_decay, clip, ema, max_time, validation, validate_every, \
    patience, device, workers, repeats
        Those of every :class:`~hyperhedge.models.trained.TrainedGenerator`; the seed is also that of the coarsening.
    embedding, hidden, width, layers, sign_hidden, sign_layers, dropout
        The network's shape, see :class:`~hyperhedge.models.hygene.network.Network`.
    eigenvectors
        How many the embedding of the coarser scale is made from.
    given
        The target: ``"both"`` numbers, or that of the ``"nodes"`` alone, as in the paper; the number of hyperedges is free then.
    mark_joined, siblings
        Let the network see which candidates have parents that are joined, and let siblings see each other; the public code does
        neither.
    radius, far_dropout
        How far the parents of a candidate may be apart, and the probability with which one whose parents are not joined is left
        out.
    least, most, small, skip, preserved
        How training hypergraphs are coarsened, see :class:`~hyperhedge.models.hygene.coarsen.Coarsening`.
    data_scale, noise_mean, noise_max
        The scale of the data, the mean logarithm of noise levels in training and the level with which sampling begins, see
        :class:`~hyperhedge.models.hygene.edm.Noise`.
    sequences
        How many coarsening sequences each training hypergraph has.
    steps
        Steps of the sampler at each scale.
    exact_growth
        Split at every step as many nodes as planned, as the public code does, rather than those that the diffusion predicts. The
        numbers of hyperedges then fit the nodes less well.
    repair
        Give a node or hyperedge that would lose all its incidences the most probable one, unless the training set has nodes or
        hyperedges without incidences.

    Examples
    --------
    >>> train = [Hypergraph([[0, 1], [1, 2], [2, 3]], nodes=4), Hypergraph([[0, 1, 2], [3], [1, 3]], nodes=4)]
    >>> model = Hygene(iterations=5, hidden=16, width=8, layers=1, steps=3).fit(train)
    >>> [(H.n, H.m) for H in model.sample(2, seed=1)]
    [(4, 3), (4, 3)]
    """

    name = "hygene"
    presets = PRESETS
    sample_options = tuple(SampleOptions.__annotations__)
    may_change = ("max_time", "patience", "steps", "exact_growth", "repair", "device", "workers", "repeats")

    iterations: int = 10_000
    batch_size: int = 16
    learning_rate: float = 1.5e-3
    validation: float = 0.05
    validate_every: int = 500
    embedding: int = 16
    hidden: int = 64
    width: int = 32
    layers: int = 4
    sign_hidden: int = 16
    sign_layers: int = 3
    dropout: float = 0.0
    eigenvectors: int = 4
    given: str = "both"
    mark_joined: bool = True
    siblings: bool = True
    radius: int = 2
    far_dropout: float = 0.5
    least: float = 0.1
    most: float = 0.3
    small: int = 16
    skip: float = 0.3
    preserved: int = 8
    data_scale: float = 1.0
    noise_mean: float = 0.0
    noise_max: float = 20.0
    sequences: int = 4
    steps: int = 24
    exact_growth: bool = False
    repair: bool = True

    _network: Network | None = field(init=False)

    # -- fit ----------------------------------------------------------------------------------------

    def _learn(self, training: list[Hypergraph], options: FitOptions) -> None:
        usable = [H for H in training if H.num_incidences]
        if not usable:
            self._network, self.training_ = None, {}  # nothing to learn, and samples have no incidences either
            return
        learned, held_out = self._split(usable)
        with seeded_weights(self.seed_):
            network = self._network = self._new_network()
        task = ExpansionTask(
            self._noise,
            self._sequences(learned),
            self._sequences(held_out) if held_out else None,
            count=int(self.sequences),
            seed=self.seed_,
        )
        self._train(network, task, options)

    def _training_bytes(self, training: list[Hypergraph]) -> int:
        return training_bytes(
            self, training, workers=self._threads(), sequences=int(self.sequences), room=Sequences.room
        )

    def _sequences(self, graphs: list[Hypergraph]) -> Sequences:
        return Sequences(graphs, self._coarsening, self._offer, eigenvectors=int(self.eigenvectors), seed=self.seed_)

    def _new_network(self) -> Network:
        shape = ("embedding", "hidden", "width", "layers", "sign_hidden", "sign_layers", "eigenvectors")
        return Network(
            **{name: int(getattr(self, name)) for name in shape},
            dropout=float(self.dropout),
            counts_edges=self.given == "both",
            marks_joined=self.mark_joined,
            siblings=self.siblings,
        )

    @property
    def _coarsening(self) -> Coarsening:
        return Coarsening(
            least=float(self.least),
            most=float(self.most),
            small=int(self.small),
            skip=float(self.skip),
            preserved=int(self.preserved),
        )

    @property
    def _noise(self) -> Noise:
        return Noise(scale=float(self.data_scale), mean=float(self.noise_mean), most=float(self.noise_max))

    @property
    def _offer(self) -> Offer:
        return Offer(radius=int(self.radius), dropout=float(self.far_dropout))

    # -- sample -------------------------------------------------------------------------------------

    def sample(  # type: ignore[override]  # the options are this model's, named
        self, count: int = 1, *, seed: Seed | None = None, **options: Unpack[SampleOptions]
    ) -> list[Hypergraph]:
        """Sample new hypergraphs, labelled 0, 1, ….

        Parameters
        ----------
        count, seed
            As for every generator.
        n, m
            The numbers of nodes and hyperedges; without them, each follows the training set. A model with
            ``given="nodes"`` takes no ``m``.
        steps, device, repeats
            Used instead of the model's own.
        progress
            A console to show progress on, or True for standard error.
        """
        return super().sample(count, seed=seed, **options)

    def _sample(self, count: int, rng: np.random.Generator, **options: Unpack[SampleOptions]) -> list[Hypergraph]:
        n, m, steps, device = options.get("n"), options.get("m"), options.get("steps"), options.get("device")
        repeats: Repeats | None = options.get("repeats")
        if m is not None and self.given == "nodes":
            raise GeneratorError("this model was fitted with given='nodes', so m follows from n; leave it out")
        self._admit_samples(count, options)
        shapes = self._shapes(count, n, m, rng)
        settings = SamplingSettings(
            coarsening=self._coarsening,
            offer=self._offer,
            noise=self._noise,
            eigenvectors=int(self.eigenvectors),
            steps=whole_number(self.steps if steps is None else steps, "steps", least=1, most=MOST_STEPS),
            counts_edges=self.given == "both",
            exact=self.exact_growth,
            repair_nodes=self.repair and not self.has_isolated_,
            repair_edges=self.repair and not self.has_empty_,
            distinct=self._forbids_repeats(repeats),
            device=device_of(self.device if device is None else device),
        )
        if self._network is not None:
            self._network.to(settings.device)
        with Meter(options.get("progress"), "sampling", count) as meter:
            return sample_all(self._network, shapes, settings, rng, meter.advance)

    def _admit_samples(self, count: int, options: SampleOptions) -> None:
        """Refuse samples that do not fit into memory, or say what they take."""
        n, m = self._wanted_shape(options)
        shapes = [(a if n is None else n, b if m is None else m) for a, b in self.shapes_]
        batch = max(sampling_bytes(self, a, b, count) for a, b in shapes)
        threads = min(default_workers(), -(-count // MOST_AT_ONCE))
        wanted = options.get("steps")
        steps = whole_number(self.steps if wanted is None else wanted, "steps", least=1)
        need = count * max(2000 + 24 * (a + b) for a, b in shapes) + threads * batch + 32 * steps
        admit(need, "sampling", "sample fewer or smaller hypergraphs, or in fewer steps", options.get("progress"))

    # -- saving -------------------------------------------------------------------------------------

    def _write_arrays(self, folder: Path) -> None:
        (folder / ARRAYS).write_bytes(save_tensors(weights_of(self._network)))

    def _read_arrays(self, folder: Path) -> None:
        saved = SavedArrays(folder / ARRAYS)
        self._network = None
        if saved.weights or self.training_:  # without incidences there was nothing to learn, and there are no weights
            saved.check_arguments(vars(self), self._saved_arguments(saved))
            with torch.device("meta"):
                network = self._new_network()
            saved.check_shapes(network)
            saved.give_weights(network, saved.read())
            self._network = network

    @staticmethod
    def _saved_arguments(saved: SavedArrays) -> dict[str, int]:
        """Return the arguments that the weights have; without layers, nothing has the width."""
        layers, sign_hidden = saved.depth("layers"), saved.size("sign_net.inward.weight", 0)
        return {
            "embedding": saved.size("sign_net.merge.1.weight", 0),
            "hidden": saved.size("seen.0.weight", 0),
            "layers": layers,
            **({"width": saved.size("layers.0.a.1.weight", 0)} if layers else {}),
            "sign_hidden": sign_hidden,
            "sign_layers": saved.depth("sign_net.layers"),
            "eigenvectors": saved.size("sign_net.merge.0.0.weight", 1) // sign_hidden,
        }

    # -- checks -------------------------------------------------------------------------------------

    def _check(self) -> None:
        super()._check()
        one_of(self.given, ("both", "nodes"), "given")
        one_of(self.exact_growth, (True, False), "exact_growth")
        one_of(self.repair, (True, False), "repair")
        one_of(self.mark_joined, (True, False), "mark_joined")
        one_of(self.siblings, (True, False), "siblings")
        for name in ("hidden", "width", "sign_hidden", "eigenvectors", "sequences", "steps", "preserved"):
            whole_number(getattr(self, name), name, least=1, most=2**31)
        whole_number(self.radius, "radius", least=1, most=1000)
        for name in ("layers", "sign_layers", "small"):
            whole_number(getattr(self, name), name, least=0, most=2**31)
        if whole_number(self.embedding, "embedding", least=2, most=2**31) % 2:
            raise GeneratorError(f"embedding must be an even number, not {self.embedding}")
        for name in ("data_scale", "noise_max"):
            positive(getattr(self, name), name)
        if not (is_number(self.noise_mean) and abs(self.noise_mean) < 10):
            raise GeneratorError(f"noise_mean must be a number between -10 and 10, not {shown(self.noise_mean)}")
        for name in ("dropout", "far_dropout", "least", "most", "skip"):
            _share(getattr(self, name), name)
        if not 0 < self.most <= 0.5 or self.least > self.most:
            raise GeneratorError(
                f"least and most must be shares with least ≤ most ≤ 0.5 and most above 0, not {shown(self.least)} and "
                f"{shown(self.most)}"
            )


def _share(value: Any, name: str) -> None:
    if not (is_number(value) and 0 <= value < 1):
        raise GeneratorError(f"{name} must be a number from 0 to less than 1, not {shown(value)}")
