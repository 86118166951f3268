r"""Hygene: a learned baseline that grows hypergraphs from coarse to fine.

After D. Gailhard, E. Tartaglione, L. Naviner, J. H. Giraldo, *HYGENE: A diffusion-based hypergraph generation method*, AAAI 2025
(arXiv 2408.16457).

*Fit*: training hypergraphs are coarsened at random, step by step, to one node in one hyperedge (:mod:`.coarsen`). A network
(:mod:`.network`) learns, as the denoiser of a diffusion (:mod:`.edm`), to undo a step: which incidences there are at a scale, and
which of its nodes and hyperedges become several at the next one.

*Sample* (:mod:`.draw`): from one node in one hyperedge, the steps are taken one by one until the target size is reached.

*A saved model* has the averaged weights beside ``model.json``, in ``arrays.safetensors``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import msgspec
import numpy as np
import torch
from rich.console import Console
from safetensors.torch import save as save_tensors

from hyperhedge.baselines.hygene.coarsen import Coarsening
from hyperhedge.baselines.hygene.draw import Plan, draw_all
from hyperhedge.baselines.hygene.edm import Noise
from hyperhedge.baselines.hygene.network import Network
from hyperhedge.baselines.hygene.task import ExpansionTask, Offer, Sequences
from hyperhedge.generator import GeneratorError, Seed, one_of, rng_of, whole_number
from hyperhedge.hypergraph import Hypergraph
from hyperhedge.learned import ARRAYS, LearnedGenerator, device_of, positive, progress_bar, read_tensors, set_weights

__all__ = ["PRESETS", "Facts", "Hygene"]

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
    },
}
"""Named sets of arguments of :class:`Hygene`. The published one has the sizes of the public code; a CPU takes days for it."""


class Facts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The fitted facts of a Hygene: what training hypergraphs may have, the data it was fitted to, and how training went."""

    has_empty: bool
    has_isolated: bool
    data_fingerprint: str
    training: dict[str, Any]


class Hygene(LearnedGenerator):
    """Local expansion by diffusion, from one node in one hyperedge to a hypergraph.

    Parameters
    ----------
    seed
        The seed of the weights, of coarsening and of training.
    iterations, batch_size, learning_rate, warmup, decay, weight_decay, clip, ema
        Those of :class:`~hyperhedge.train.TrainingSettings`.
    max_time
        A limit to the time of training, such as ``"10m"`` or seconds; None for none. With one, the learning rate falls with the
        clock, and a run is not reproducible bit for bit.
    validation
        The share of the training set that is held out to validate on, at most 256 hypergraphs; of fewer than 20 none is.
    validate_every, patience
        Steps between validations, and how many of them without improvement end the training (None: any number).
    embedding, hidden, width, layers, sign_hidden, sign_layers, dropout
        The network's shape, see :class:`~hyperhedge.baselines.hygene.network.Network`.
    eigenvectors
        How many the embedding of the coarser scale is made from.
    given
        The target size: ``"both"`` numbers, or that of the ``"nodes"`` alone, as in the paper; the number of hyperedges is what
        comes of it then.
    mark_joined, siblings
        Tell the network which candidates have parents that are joined, and let siblings see each other; the public code does
        neither.
    radius, far_dropout
        How far the parents of a candidate may be apart, and the probability with which one whose parents are not joined is left
        out.
    least, most, small, skip, preserved
        How training hypergraphs are coarsened, see :class:`~hyperhedge.baselines.hygene.coarsen.Coarsening`.
    data_scale, noise_mean, noise_max
        The scale of the data, the mean logarithm of noise levels in training and the level with which sampling begins, see
        :class:`~hyperhedge.baselines.hygene.edm.Noise`.
    sequences
        How many coarsening sequences each training hypergraph has.
    steps
        Steps of the sampler at each scale.
    exact_growth
        Split at every step as many nodes as planned, as the public code does, rather than those that the diffusion says. The
        numbers of hyperedges then fit the nodes less well.
    repair
        Give a node or hyperedge that would lose all its incidences the most probable one, unless the training set has such.
    device
        ``"auto"`` (a GPU where there is one) or a name that torch knows.
    workers
        Threads that train on a CPU; None for one per core.

    Examples
    --------
    >>> train = [Hypergraph([[0, 1], [1, 2], [2, 3]], nodes=4), Hypergraph([[0, 1, 2], [3], [1, 3]], nodes=4)]
    >>> model = Hygene(iterations=5, hidden=16, width=8, layers=1, steps=3).fit(train)
    >>> [(H.n, H.m) for H in model.sample(2, seed=1)]
    [(4, 3), (4, 3)]
    """

    name = "hygene"
    fitted_type: ClassVar[type[msgspec.Struct]] = Facts
    presets = PRESETS
    may_change = ("max_time", "patience", "steps", "exact_growth", "repair", "device", "workers")

    _network: Network | None

    def __init__(
        self,
        *,
        seed: int = 0,
        iterations: int = 10_000,
        batch_size: int = 16,
        learning_rate: float = 1.5e-3,
        warmup: int = 200,
        decay: float = 0.7,
        weight_decay: float = 0.0,
        clip: float | None = 1.0,
        ema: float = 0.999,
        max_time: str | float | None = None,
        validation: float = 0.05,
        validate_every: int = 500,
        patience: int | None = None,
        embedding: int = 16,
        hidden: int = 64,
        width: int = 32,
        layers: int = 4,
        sign_hidden: int = 16,
        sign_layers: int = 3,
        dropout: float = 0.0,
        eigenvectors: int = 4,
        given: str = "both",
        mark_joined: bool = True,
        siblings: bool = True,
        radius: int = 2,
        far_dropout: float = 0.5,
        least: float = 0.1,
        most: float = 0.3,
        small: int = 16,
        skip: float = 0.3,
        preserved: int = 8,
        data_scale: float = 1.0,
        noise_mean: float = 0.0,
        noise_max: float = 20.0,
        sequences: int = 4,
        steps: int = 24,
        exact_growth: bool = False,
        repair: bool = True,
        device: str = "auto",
        workers: int | None = None,
    ) -> None:
        self.seed = seed
        self.iterations, self.batch_size = iterations, batch_size
        self.learning_rate, self.warmup, self.decay = learning_rate, warmup, decay
        self.weight_decay, self.clip, self.ema, self.max_time = weight_decay, clip, ema, max_time
        self.validation, self.validate_every, self.patience = validation, validate_every, patience
        self.embedding, self.hidden, self.width, self.layers = embedding, hidden, width, layers
        self.sign_hidden, self.sign_layers, self.dropout = sign_hidden, sign_layers, dropout
        self.eigenvectors, self.given = eigenvectors, given
        self.mark_joined, self.siblings = mark_joined, siblings
        self.radius, self.far_dropout = radius, far_dropout
        self.least, self.most, self.small, self.skip, self.preserved = least, most, small, skip, preserved
        self.data_scale, self.noise_mean, self.noise_max = data_scale, noise_mean, noise_max
        self.sequences, self.steps = sequences, steps
        self.exact_growth, self.repair = exact_growth, repair
        self.device, self.workers = device, workers
        self._begin()

    # -- fit ----------------------------------------------------------------------------------------

    def _fit(self, training: list[Hypergraph]) -> None:
        self._look_at(training)
        usable = [H for H in training if H.num_incidences]
        if not usable:
            self._network, self.training_ = None, {}  # nothing to learn, and samples have no incidences either
            return
        learned, held_out = self._split(usable)
        network = self._network = self._new_network()
        task = ExpansionTask(
            self._noise,
            self._sequences(learned),
            self._sequences(held_out) if held_out else None,
            count=self.sequences,
            seed=self.seed,
        )
        self._train(network, task)

    def _sequences(self, graphs: list[Hypergraph]) -> Sequences:
        return Sequences(graphs, self._how, self._offer, eigenvectors=self.eigenvectors, seed=self.seed)

    def _new_network(self) -> Network:
        shape = ("embedding", "hidden", "width", "layers", "sign_hidden", "sign_layers", "dropout", "eigenvectors")
        with torch.random.fork_rng(devices=[]):  # torch initialises layers from its global generator
            torch.default_generator.manual_seed(self.seed)  # torch.manual_seed would set those of GPUs as well
            return Network(
                **{name: getattr(self, name) for name in shape},
                counts_edges=self.given == "both",
                marks_joined=self.mark_joined,
                siblings=self.siblings,
            )

    @property
    def _how(self) -> Coarsening:
        return Coarsening(self.least, self.most, self.small, self.skip, self.preserved)

    @property
    def _noise(self) -> Noise:
        return Noise(self.data_scale, self.noise_mean, most=self.noise_max)

    @property
    def _offer(self) -> Offer:
        return Offer(self.radius, self.far_dropout)

    # -- sample -------------------------------------------------------------------------------------

    def sample(
        self,
        count: int = 1,
        *,
        seed: Seed = 0,
        n: int | None = None,
        m: int | None = None,
        steps: int | None = None,
        device: str | None = None,
        progress: Console | bool | None = None,
    ) -> list[Hypergraph]:
        """Draw new hypergraphs, labelled 0, 1, …; the same seed draws the same ones.

        Parameters
        ----------
        count
            How many.
        seed
            A whole number, or a numpy generator to draw from.
        n, m
            The numbers of nodes and of hyperedges; each follows the training set if not given. A model that is given the
            number of nodes alone takes no ``m``.
        steps
            Another number than the model's own.
        device
            Another than the model's own.
        progress
            A console to show progress on, or True for standard error.
        """
        self._check_fitted()
        count, rng = whole_number(count, "count", least=0), rng_of(seed)
        if m is not None and self.given == "nodes":
            raise GeneratorError("this model was fitted with given='nodes', so that m is what comes of n; leave it out")
        shapes = self._shapes(count, n, m, rng)
        plan = Plan(
            how=self._how,
            offer=self._offer,
            noise=self._noise,
            eigenvectors=self.eigenvectors,
            steps=self.steps if steps is None else whole_number(steps, "steps", least=1),
            counts_edges=self.given == "both",
            exact=self.exact_growth,
            repair_nodes=self.repair and not self.has_isolated_,
            repair_edges=self.repair and not self.has_empty_,
            device=device_of(self.device if device is None else device),
        )
        if self._network is not None:
            self._network.to(plan.device)
        with progress_bar(progress) as bar:
            row = bar.add_task("sampling", total=count)
            return draw_all(self._network, shapes, plan, rng, lambda more: bar.advance(row, more))

    def _draw(self, count: int, rng: np.random.Generator) -> list[Hypergraph]:
        return self.sample(count, seed=rng)

    # -- saving -------------------------------------------------------------------------------------

    def _write_arrays(self, folder: Path) -> None:
        weights = {} if self._network is None else self._network.state_dict()
        tensors = {f"network.{name}": tensor.cpu().contiguous() for name, tensor in weights.items()}
        (folder / ARRAYS).write_bytes(save_tensors(tensors))

    def _read_arrays(self, folder: Path) -> None:
        file = folder / ARRAYS
        tensors = read_tensors(file)
        self._network = None
        if tensors or self.training_:  # without incidences there was nothing to learn, and there are no weights
            network = self._new_network()
            set_weights(network, tensors, file)
            self._network = network

    # -- checks -------------------------------------------------------------------------------------

    def _check(self) -> None:
        one_of(self.given, ("both", "nodes"), "given")
        one_of(self.exact_growth, (True, False), "exact_growth")
        one_of(self.repair, (True, False), "repair")
        one_of(self.mark_joined, (True, False), "mark_joined")
        one_of(self.siblings, (True, False), "siblings")
        for name in ("hidden", "width", "sign_hidden", "eigenvectors", "radius", "sequences", "steps", "preserved"):
            whole_number(getattr(self, name), name, least=1)
        for name in ("layers", "sign_layers", "small"):
            whole_number(getattr(self, name), name, least=0)
        if whole_number(self.embedding, "embedding", least=2) % 2:
            raise GeneratorError(f"embedding must be an even number, not {self.embedding}")
        for name in ("data_scale", "noise_max"):
            positive(getattr(self, name), name)
        mean: Any = self.noise_mean
        if isinstance(mean, bool) or not (isinstance(mean, int | float) and abs(mean) < 10):
            raise GeneratorError(f"noise_mean must be a number between -10 and 10, not {mean!r}")
        for name in ("dropout", "far_dropout", "least", "most", "skip"):
            _share(getattr(self, name), name)
        if not 0 < self.most <= 0.5 or self.least > self.most:
            raise GeneratorError(
                f"least and most must be shares with least ≤ most ≤ 0.5 and most above 0, not {self.least!r} and {self.most!r}"
            )


def _share(value: Any, name: str) -> None:
    if isinstance(value, bool) or not (isinstance(value, int | float) and 0 <= value < 1):
        raise GeneratorError(f"{name} must be a number from 0 to less than 1, not {value!r}")
