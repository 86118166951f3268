"""The speed of training and sampling: ``python -m benchmarks.training``.

*Networks.* The gradient of a batch of 32 hypergraphs of 64 × 25 with the default shape, in turn: our training step (two threads on half
of the batch each, memory kept), our network and others, at equal width and depth, in eager mode with torch's own threads. Median of rounds.

*Arithmetic.* The floating-point operations of the step, as torch counts them, over its time, against a product of matrices of
1024 × 1024. *Outside the network:* the step with everything (sampling of batches, targets, features, optimiser, averages) against the network alone.

*Sampling* 1,000 hypergraphs of 64 × 25; *sizes* from 64 × 25 to 512 × 512; *a busy core:* steps in ten seconds alone and beside a
process that keeps a core busy.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

import hyperhedge as hh
from benchmarks.networks import NETWORKS
from benchmarks.record import ROOT, save
from hyperhedge._system.malloc import steady_memory
from hyperhedge.diffusion.denoiser import Denoiser, Marginals
from hyperhedge.diffusion.network import NetworkConfig
from hyperhedge.diffusion.process import HeatOU
from hyperhedge.diffusion.schedules import Cosine
from hyperhedge.models.hedge import Hedge
from hyperhedge.models.hedge.data import buckets_of, density_of, rate_of
from hyperhedge.models.hedge.task import DenoisingTask
from hyperhedge.train.settings import TrainingSettings
from hyperhedge.train.state import State
from hyperhedge.train.workers import Batch, Workers, default_workers, single_threaded

BATCH, NODES, HYPEREDGES, ROUNDS = 32, 64, 25, 7
SIZES = ((64, 25), (128, 50), (128, 128), (256, 256), (512, 512))
SAMPLES = 1_000
SHAPE = {name: getattr(Hedge(), name) for name in ("width", "channels", "hidden", "blocks")}


def random_bank(n: int, m: int, count: int) -> list[hh.Hypergraph]:
    """Draw hypergraphs with independent entries, four incidences a hyperedge."""
    rng = np.random.default_rng(0)
    return [hh.Hypergraph.from_incidence(rng.random((n, m)) < 4 / n) for _ in range(count)]


def task_for(n: int, m: int, count: int = 64) -> DenoisingTask:
    """Make a drift of the default shape and its task."""
    buckets = buckets_of(random_bank(n, m, count))
    process = HeatOU(Cosine(1.0), gamma=8.0, mean=density_of(buckets))
    drift = Denoiser(process, density_of(buckets), rate_of(buckets, "full"), given="sizes", **SHAPE)
    drift.measure_scales([(buckets[0].H[:8], buckets[0].spectrum[torch.arange(8)])], torch.Generator().manual_seed(0))
    return DenoisingTask(drift, buckets, power=1.5)


class NetworkAlone:
    """The task with members, targets and features that are computed once."""

    def __init__(self, task: DenoisingTask) -> None:
        drift, bucket = task.denoiser, task.training[0]
        _, members, times, noise = task.sample_batch(BATCH, torch.Generator().manual_seed(0))
        batch = bucket[members]
        with torch.no_grad():
            targets = drift.targets(batch.H, batch.spectrum, times, noise)
            self.features, self.context, _ = drift.inputs(
                targets.X, targets.surrogate, batch.spectrum.shapes, Marginals.of(batch.H)
            )
        self.shapes = batch.spectrum.shapes
        self.goal = torch.randn((*self.features.shape[:3], 2), generator=torch.Generator().manual_seed(1))

    def sample_batch(self, count: int, generator: torch.Generator) -> Batch:
        """Name the members."""
        del generator
        return (torch.arange(count),)

    def losses(self, module: nn.Module, batch: Batch) -> torch.Tensor:
        """Return squared errors."""
        (k,) = batch
        errors: torch.Tensor = module(self.features[k], self.context[k], self.shapes[k]) - self.goal[k]
        return errors.pow(2).mean((1, 2, 3))

    def validate(self, module: nn.Module) -> None:
        """There is nothing to validate."""
        del module


def seconds(call: Callable[[], Any]) -> float:
    """Time one call."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def eager(network: nn.Module, alone: NetworkAlone) -> Callable[[], None]:
    """Return a call that computes the gradient as one would write it."""
    every = torch.arange(BATCH)

    def run() -> None:
        network.zero_grad()
        torch.autograd.backward(alone.losses(network, (every,)).mean())

    return run


def network_rows() -> dict[str, Any]:
    """Compare the step with plain forms, its arithmetic with that of the machine, and it with all that is around it."""
    task = task_for(NODES, HYPEREDGES)
    alone = NetworkAlone(task)
    config = task.denoiser.network.config
    generator = torch.Generator().manual_seed(0)
    every = torch.arange(BATCH)
    calls = {name: eager(build(config), alone) for name, build in NETWORKS.items()}
    state = State(task.denoiser.network, TrainingSettings(iterations=10_000))
    times: dict[str, list[float]] = {name: [] for name in (*calls, "step", "whole step")}
    threads = default_workers()
    with (
        Workers(task.denoiser.network, alone, threads) as bare,
        Workers(task.denoiser.network, task, threads) as workers,
    ):

        def whole() -> None:
            workers.gradient(task.sample_batch(BATCH, generator))
            nn.utils.clip_grad_norm_(state.trained.values(), 1.0)
            state.step()

        own: dict[str, Callable[[], Any]] = {"step": lambda: bare.gradient((every,)), "whole step": whole}
        for round_ in range(ROUNDS + 1):
            with steady_memory(), single_threaded():
                for name, call in own.items():
                    call()
                    times[name].append(statistics.median(seconds(call) for _ in range(5)))
            for name, call in calls.items():
                times[name].append(seconds(call))
            print(round_, {name: round(1e3 * values[-1]) for name, values in times.items()}, file=sys.stderr)
    medians = {name: statistics.median(values[1:]) for name, values in times.items()}
    return {
        "milliseconds": {name: 1e3 * value for name, value in medians.items()},
        **arithmetic(config, alone, medians["step"]),
    }


def arithmetic(config: NetworkConfig, alone: NetworkAlone, step: float) -> dict[str, float]:
    """Count operations and compare their rate with that of a large product of matrices."""
    with FlopCounterMode(display=False) as counter:
        eager(NETWORKS["ours"](config), alone)()
    A = torch.randn(1024, 1024)
    rate = 2 * 1024**3 / min(seconds(lambda: A @ A) for _ in range(30))
    operations = float(counter.get_total_flops())
    return {
        "gigaflop": operations / 1e9,
        "gigaflop_per_second": operations / step / 1e9,
        "gemm_gigaflop_per_second": rate / 1e9,
    }


def sampling_row() -> dict[str, float]:
    """Sample many hypergraphs with a model that was hardly trained: the time does not depend on the weights."""
    model = Hedge(iterations=1).fit(random_bank(NODES, HYPEREDGES, 30))
    model.sample(64, seed=0)
    taken = seconds(lambda: model.sample(SAMPLES, seed=0))
    return {"count": SAMPLES, "steps": model.steps, "seconds": taken, "samples_per_second": SAMPLES / taken}


def size_row(n: int, m: int) -> dict[str, float]:
    """Time a training step of four hypergraphs of one size, and tell the peak of memory; in a process of its own."""
    task = task_for(n, m, 8)
    generator = torch.Generator().manual_seed(0)
    with Workers(task.denoiser.network, task, 2) as workers, steady_memory(), single_threaded():
        times = [seconds(lambda: workers.gradient(task.sample_batch(4, generator))) for _ in range(4)]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"n": n, "m": m, "batch": 4, "milliseconds": 1e3 * statistics.median(times[1:]), "peak_mib": peak}


def steps_in(limit: float) -> int:
    """Count training steps in a time."""
    task = task_for(NODES, HYPEREDGES)
    generator = torch.Generator().manual_seed(0)
    count = 0
    with Workers(task.denoiser.network, task, default_workers()) as workers, steady_memory(), single_threaded():
        for _ in range(3):
            workers.gradient(task.sample_batch(BATCH, generator))
        end = time.perf_counter() + limit
        while time.perf_counter() < end:
            workers.gradient(task.sample_batch(BATCH, generator))
            count += 1
    return count


def busy_row() -> dict[str, float]:
    """Compare the number of steps alone with that beside a busy process."""
    alone = steps_in(10.0)
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        beside = steps_in(10.0)
    finally:
        busy.kill()
        busy.wait()
    return {"alone": alone, "beside": beside, "share": beside / alone}


def in_a_process(call: str) -> Any:
    """Evaluate an expression of this module in a process of its own."""
    code = f"import json; from benchmarks.training import *; print(json.dumps({call}))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True, env=os.environ
    )
    return json.loads(done.stdout)


def main() -> None:
    """Measure and keep the record."""
    measured: dict[str, Any] = {}
    for name, call in (("networks", "network_rows()"), ("sampling", "sampling_row()"), ("busy", "busy_row()")):
        measured[name] = in_a_process(call)
        print(name, measured[name], file=sys.stderr, flush=True)
    measured["sizes"] = [in_a_process(f"size_row({n}, {m})") for n, m in SIZES]
    print(measured["sizes"], file=sys.stderr)
    config = {"batch": BATCH, "nodes": NODES, "hyperedges": HYPEREDGES, "rounds": ROUNDS, "shape": SHAPE}
    save("training", config, measured, ("torch",))


if __name__ == "__main__":
    main()
