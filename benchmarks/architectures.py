"""Networks by quality for equal time: ``python -m benchmarks.architectures``.

Each network of :mod:`benchmarks.networks`, at the default width and depth, is trained as the drift of the same process on the same 2,000
subhypergraphs of House-Committees (walk), for the same time on the same machine. Then it generates 100 hypergraphs in 25 steps, which
are compared with 300 further real ones. The validation loss is that of the trainer; all networks predict the same numbers with the same features.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import torch

import hyperhedge as hh
from benchmarks.networks import NETWORKS
from benchmarks.record import save
from hyperhedge.diffusion.denoiser import Denoiser
from hyperhedge.diffusion.process import HeatOU
from hyperhedge.diffusion.schedules import Cosine
from hyperhedge.metrics import DEFAULT
from hyperhedge.models.hedge import Hedge
from hyperhedge.models.hedge.data import buckets_of, density_of, rate_of
from hyperhedge.models.hedge.margins import TrainingMarginals
from hyperhedge.models.hedge.sampling import SamplingSettings, sample_all
from hyperhedge.models.hedge.task import DenoisingTask
from hyperhedge.train import Trainer, TrainingSettings
from hyperhedge.train.workers import default_workers

TRAIN, REAL, COUNT, SEED = 2_000, 300, 100, 0
SECONDS = 60.0
NAMES = ("ours", "exchangeable", "axial attention", "PPGN")


def row(name: str, train: list[Any], real: list[Any]) -> dict[str, Any]:
    """Train one network, and judge what it generates."""
    model = Hedge()
    learned, held_out = buckets_of(train[200:]), buckets_of(train[:200])
    density, rate = density_of(learned), rate_of(learned, "full")
    process = HeatOU(Cosine(model.horizon), gamma=model.gamma, tau=model.tau, mean=density)
    torch.manual_seed(SEED)
    shape = {key: getattr(model, key) for key in ("width", "channels", "hidden", "blocks")}
    drift = Denoiser(process, density, rate, given=model.given, **shape)
    drift.measure_scales(
        [(learned[0].H[:128], learned[0].spectrum[torch.arange(128)])], torch.Generator().manual_seed(SEED)
    )
    drift.network = NETWORKS[name](drift.network.config)  # type: ignore[assignment]  # the same call
    task = DenoisingTask(drift, learned, held_out, power=model.time_power)
    settings = TrainingSettings(iterations=1_000_000, max_time=SECONDS, validate_every=100)
    result = Trainer(drift.network, task, settings, progress=True).run()
    sampling = SamplingSettings(
        sampler=model.sampler,
        steps=25,
        grid_power=model.grid_power,
        horizon=model.horizon,
        projection=model.projection,
        allow_empty=False,
        allow_isolated=False,
        distinct=False,
        keep_paths=False,
        memory=2**30,
        device=torch.device("cpu"),
        workers=default_workers(),
    )
    shapes = np.array([(H.n, H.m) for H in real[:COUNT]])
    rng = np.random.default_rng(SEED)
    generated = sample_all(drift, TrainingMarginals.of(train), shapes, sampling, rng, lambda _: None)
    return {
        "network": name,
        "parameters": sum(p.numel() for p in drift.network.parameters()),
        "iterations": result.iterations,
        "samples_per_second": settings.batch_size * result.iterations / result.seconds,
        "validation": result.best_validation,
        "values": {metric.key: metric(real, generated.hypergraphs) for metric in DEFAULT},
    }


def main() -> None:
    """Measure and save the record."""
    committees = hh.load_dataset("house-committees")
    train, real = (
        committees.bank(count=count, seed=seed, protocol="walk") for count, seed in ((TRAIN, SEED), (REAL, 3_000))
    )
    rows = []
    for name in NAMES:
        rows.append(row(name, train, real))
        print(rows[-1], file=sys.stderr, flush=True)
    save(
        "architectures",
        {
            "case": "house-committees (walk)",
            "train": TRAIN,
            "real": REAL,
            "count": COUNT,
            "seconds": SECONDS,
            "seed": SEED,
        },
        rows,
        ("torch",),
    )


if __name__ == "__main__":
    main()
