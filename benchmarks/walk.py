"""One step of sampling and one of training, before and after the data stopped going back and forth: ``python -m benchmarks.walk``.

Commit 47ccee6 turned the network's prediction of the data into a drift and solved the drift for the prediction again, evaluated the surrogate's
integrals several times at the same time of the grid, and computed the heat of a training state twice. Its sources are unpacked into a temporary
folder, and it and the present tree are measured in turn, each time by a process of its own with one thread.

*Counts* are per step: calls of the quadrature (``HeatOU.mode_factors``), and transforms into and out of the modes. *Milliseconds* are medians over
the rounds: a step of each sampler (16 hypergraphs of 64 × 25), and a training step (batch of 32) with its gradient; both also with a network that
returns zeros, which leaves what is around the network. The seeds, the weights and the noise of both trees are equal, so the states at the end are
compared too.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import io
import json
import os
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from benchmarks.record import ROOT, save

BEFORE = "47ccee6"
NODES, HYPEREDGES, TRAINING, SAMPLES, BATCH, STEPS = 64, 25, 32, 16, 32, 10
ROUNDS, REPEATS = 7, 5

#: The module of each name, in the tree of ``BEFORE`` and in the present one.
MODULES = {
    "encode": ("incidence", "diffusion.batch"),
    "Shapes": ("incidence:Sizes", "diffusion.batch"),
    "Spectrum": ("operators", "diffusion.laplacians"),
    "spectrum_of": ("operators", "diffusion.laplacians"),
    "Cosine": ("schedule", "diffusion.schedules"),
    "HeatOU": ("process", "diffusion.process"),
    "typical_rate": ("oracle", "diffusion.fields"),
    "Denoiser": ("drift:Drift", "diffusion.denoiser"),
    "Marginals": ("drift", "diffusion.denoiser"),
    "LearnedField": ("drift", "diffusion.fields"),
    "SAMPLERS": ("sample", "diffusion.samplers"),
    "sample": ("sample", "diffusion.samplers"),
    "time_grid": ("sample", "diffusion.samplers"),
    "Hypergraph": ("hypergraph", "core.hypergraph"),
}


class Tree:
    """The names of :data:`MODULES`, in whichever tree is first on the path."""

    def __init__(self) -> None:
        self.new = importlib.util.find_spec("hyperhedge.diffusion") is not None

    def __getattr__(self, name: str) -> Any:
        module, _, old_name = MODULES[name][self.new].partition(":")
        return getattr(importlib.import_module(f"hyperhedge.{module}"), old_name or name)


class Zeros(nn.Module):
    """A network that returns zeros, with a parameter to take the gradient of."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(()))

    def forward(self, features: Tensor, context: Tensor, shapes: Any) -> Tensor:
        """Return zeros of the shape of the predictions."""
        del context, shapes
        return self.weight.expand(*features.shape[:3], 2)


class Case:
    """A denoiser with random weights, training hypergraphs, and calls that take steps."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        rng = np.random.default_rng(0)
        graphs = [tree.Hypergraph.from_incidence(rng.random((NODES, HYPEREDGES)) < 4 / NODES) for _ in range(TRAINING)]
        self.H = tree.encode(graphs).matrix.float()
        self.spectrum = tree.spectrum_of(graphs).to(dtype=torch.float32)
        self.marginals = tree.Marginals.of(self.H)
        process = tree.HeatOU(tree.Cosine(1.0), gamma=8.0).with_density_of(graphs)
        torch.manual_seed(0)
        self.denoiser = tree.Denoiser(process, process.mean, tree.typical_rate(tree.spectrum_of(graphs)), given="sizes")
        for parameter in self.denoiser.parameters():
            parameter.data.add_(0.02 * torch.randn_like(parameter))
        self.denoiser.measure_scales([(self.H, self.spectrum)], torch.Generator().manual_seed(0), points=16)
        self.shapes = tree.Shapes.all_equal(TRAINING, NODES, HYPEREDGES)

    def states(self, sampler: str) -> Tensor:
        """Sample with a fixed seed."""
        tree, generator = self.tree, torch.Generator().manual_seed(1)
        marginals = tree.Marginals(*(values[:SAMPLES] for values in vars(self.marginals).values()))
        field = tree.LearnedField(self.denoiser, tree.Shapes.all_equal(SAMPLES, NODES, HYPEREDGES), marginals)
        start = self.denoiser.process.base_sample(SAMPLES, NODES, HYPEREDGES, generator)
        grid = tree.time_grid(1.0, STEPS, power=1.25)
        states: Tensor = tree.sample(tree.SAMPLERS[sampler](field), start, grid, generator=generator)
        return states

    def train(self) -> Tensor:
        """Compute the gradient of the loss of a batch with fixed times and noise; return the loss."""
        denoiser, generator = self.denoiser, torch.Generator().manual_seed(2)
        s = torch.rand(BATCH, generator=generator, dtype=torch.float64) * 0.98 + 0.02
        noise = torch.randn(self.H.shape, generator=generator)
        targets = denoiser.targets(self.H, self.spectrum, s, noise=noise)
        times = () if self.tree.new else (s,)
        loss: Tensor = denoiser.losses(denoiser.network, targets, *times, self.shapes, self.marginals).mean()
        denoiser.network.zero_grad()
        torch.autograd.backward(loss)
        return loss.detach()

    def calls(self) -> dict[str, tuple[Callable[[], Tensor], int]]:
        """Return every call by name, with the number of steps it takes."""
        sampling = {name: (lambda name=name: self.states(name), STEPS) for name in self.tree.SAMPLERS}
        return {**sampling, "training": (self.train, 1)}

    @contextmanager
    def without_network(self) -> Iterator[None]:
        """Let the network return zeros."""
        network, self.denoiser.network = self.denoiser.network, Zeros()
        yield
        self.denoiser.network = network


@contextmanager
def counted(tree: Tree) -> Iterator[dict[str, int]]:
    """Count calls of the quadrature and of the transforms."""
    counts = {"quadratures": 0, "transforms": 0}

    def wrap(function: Callable[..., Any], kind: str) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            counts[kind] += 1
            return function(*arguments)

        return call

    methods = [
        (tree.HeatOU, "mode_factors", "quadratures"),
        (tree.Spectrum, "forward", "transforms"),
        (tree.Spectrum, "backward", "transforms"),
    ]
    originals = [(owner, name, getattr(owner, name)) for owner, name, _ in methods]
    for owner, name, kind in methods:
        setattr(owner, name, wrap(getattr(owner, name), kind))
    yield counts
    for owner, name, original in originals:
        setattr(owner, name, original)


def milliseconds(call: Callable[[], Any], steps: int) -> float:
    """Return the median time per step."""
    call()
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return 1e3 * statistics.median(times) / steps


def measure() -> dict[str, Any]:
    """Count and time every call in the tree that is first on the path."""
    torch.set_num_threads(1)
    tree = Tree()
    case = Case(tree)
    rows: dict[str, Any] = {}
    for name, (call, steps) in case.calls().items():
        with counted(tree) as counts:
            result = call()
        with case.without_network():
            around = milliseconds(call, steps)
        rows[name] = {
            "counts": {kind: count / steps for kind, count in counts.items()},
            "ms": milliseconds(call, steps),
            "ms around the network": around,
            "result": result.flatten()[:64].tolist(),
        }
    return rows


def unpack(commit: str, folder: Path) -> Path:
    """Unpack the sources of a commit and return their folder."""
    archive = subprocess.run(["git", "archive", commit, "src"], cwd=ROOT, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        tar.extractall(folder, filter="data")
    return folder / "src"


def measured_in(sources: Path) -> dict[str, Any]:
    """Measure in a process that imports these sources."""
    command = [sys.executable, __file__, "--here"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(sources), str(ROOT)))}
    done = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    rows: dict[str, Any] = json.loads(done.stdout)
    return rows


def compared(rounds: list[tuple[dict[str, Any], dict[str, Any]]]) -> dict[str, Any]:
    """Return counts, medians over the rounds, their ratios within each round, and the greatest difference of the results."""
    table: dict[str, Any] = {}
    for name in rounds[0][0]:
        pairs = [(before[name], after[name]) for before, after in rounds]
        first, last = pairs[0]
        row: dict[str, Any] = {"before": first["counts"], "after": last["counts"]}
        for kind in ("ms", "ms around the network"):
            row[kind] = {
                "before": statistics.median(before[kind] for before, _ in pairs),
                "after": statistics.median(after[kind] for _, after in pairs),
                "ratio": statistics.median(before[kind] / after[kind] for before, after in pairs),
            }
        row["difference"] = float(np.abs(np.subtract(first["result"], last["result"])).max())
        table[name] = row
    return table


def main() -> None:
    """Measure both trees in turn and keep the record."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--here", action="store_true", help="measure the importable tree and print the rows")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    arguments = parser.parse_args()
    if arguments.here:
        print(json.dumps(measure()))
        return
    with tempfile.TemporaryDirectory() as folder:
        trees = unpack(BEFORE, Path(folder)), ROOT / "src"
        rounds = []
        for k in range(arguments.rounds):
            rounds.append((measured_in(trees[0]), measured_in(trees[1])))
            print(f"round {k + 1} of {arguments.rounds}", file=sys.stderr, flush=True)
    table = compared(rounds)
    for name, row in table.items():
        print(name, row)
    config = {
        "before": BEFORE,
        "nodes": NODES,
        "hyperedges": HYPEREDGES,
        "samples": SAMPLES,
        "steps": STEPS,
        "batch": BATCH,
        "rounds": arguments.rounds,
        "repeats": REPEATS,
    }
    print(save("walk", config, table, ("torch",)))


if __name__ == "__main__":
    main()
