"""The cost of sampling states with the parts of their drift, and of the eigendecomposition, from 16 × 16 to 2048 × 2048.

*A batch.* X_s, its heat and its score for 64 hypergraphs of 64 × 25, against a plain quadrature per hypergraph with the same
nodes (all n·m·Q exponentials), in turn, median of rounds.

*Shapes.* One hypergraph of n × n each, about four hyperedges per node; each in its own process, whose peak of memory is measured.
"""

from __future__ import annotations

import json
import math
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

import hyperhedge as hh
from benchmarks.record import ROOT, save
from hyperhedge.diffusion.batch import encode
from hyperhedge.diffusion.laplacians import Spectrum, spectrum_of
from hyperhedge.diffusion.matrix_free import MatrixFree
from hyperhedge.diffusion.process import HeatOU

SEED = 0
BATCH, NODES, HYPEREDGES, ROUNDS = 64, 64, 25, 15
SIZES = (16, 32, 64, 128, 256, 512, 1024, 2048)


def sparse_hypergraph(n: int, m: int, degree: float, seed: int) -> hh.Hypergraph:
    """Sample a hypergraph with independent entries and a mean degree."""
    rng = np.random.default_rng(seed)
    count = round(n * degree)
    return hh.Hypergraph.from_indices(rng.integers(0, n, count), rng.integers(0, m, count), nodes=n, edges=m)


def plain(process: HeatOU, H: Tensor, spectrum: Spectrum, s: Tensor, noise: Tensor) -> tuple[Tensor, ...]:
    """Sample states with their parts one hypergraph after the other, with one quadrature per mode."""
    schedule, gamma, tau = process.schedule, process.gamma, process.tau
    states, structures, scores = [], [], []
    for b in range(len(H)):
        U, V = spectrum.U[b], spectrum.V[b]
        omega = spectrum.lam[b][:, None] + spectrum.mu[b]
        u, w = (tensor[0] for tensor in process._nodes(s[b : b + 1]))
        late_A, late_B = schedule.A(s[b]) - schedule.A(u), schedule.B(s[b]) - schedule.B(u)
        terms = torch.exp(-omega[..., None] * late_A - gamma * late_B)
        first, second = (terms * w * schedule.beta(u)).sum(-1), (terms**2 * w * schedule.beta(u)).sum(-1)
        mean = torch.exp(-omega * schedule.A(s[b]) - gamma * schedule.B(s[b])) * (U.T @ H[b] @ V)
        mean = mean + gamma * first * (U.T @ process.base_mean(H[b]) @ V)
        variance = 2 * tau * second
        modes = mean + variance.sqrt() * noise[b]
        states.append(U @ modes @ V.T)
        structures.append(U @ (schedule.alpha(s[b]) * omega * modes) @ V.T)
        scores.append(U @ ((mean - modes) / variance) @ V.T)
    return torch.stack(states), torch.stack(structures), torch.stack(scores)


def batched(process: HeatOU, H: Tensor, spectrum: Spectrum, s: Tensor, noise: Tensor) -> tuple[Tensor, ...]:
    """Sample states with their parts as a batch."""
    X, parts = process.sample_with_parts(H, spectrum, s, noise)
    return X, parts.structure, parts.score


def seconds(call: Callable[[], Any]) -> float:
    """Time one call."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def batch_row() -> dict[str, Any]:
    """Compare the batched computation with the plain one, in double and single precision."""
    graphs = [sparse_hypergraph(NODES, HYPEREDGES, 1.0, seed) for seed in range(BATCH)]
    process = HeatOU(mean=0.04)
    H, spectrum = encode(graphs).matrix, spectrum_of(graphs)
    generator = torch.Generator().manual_seed(SEED)
    s = process.horizon * torch.rand(BATCH, generator=generator, dtype=torch.float64).clamp_min(1e-3)
    noise = torch.randn(H.shape, generator=generator, dtype=torch.float64)
    for ours, theirs in zip(
        batched(process, H, spectrum, s, noise), plain(process, H, spectrum, s, noise), strict=True
    ):
        torch.testing.assert_close(ours, theirs, rtol=1e-8, atol=1e-8)
    single = H.float(), spectrum.to(dtype=torch.float32), s, noise.float()
    calls = {
        "batched": lambda: batched(process, H, spectrum, s, noise),
        "batched, float32": lambda: batched(process, *single),
        "plain": lambda: plain(process, H, spectrum, s, noise),
    }
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(ROUNDS):
        for name, call in calls.items():
            times[name].append(seconds(call))
    row: dict[str, Any] = {f"{name} ms": 1e3 * statistics.median(values) for name, values in times.items()}
    for name in ("batched", "batched, float32"):
        row[f"{name} ratio"] = statistics.median(p / t for p, t in zip(times["plain"], times[name], strict=True))
    return row


def size_row(n: int) -> dict[str, Any]:
    """Measure one shape: eigendecomposition, a state with its parts, the matrix-free state, memory."""
    H = sparse_hypergraph(n, n, 4.0, SEED)
    process = HeatOU(mean=4.0 / n)
    row: dict[str, Any] = {"size": n, "incidences": H.num_incidences}
    free = MatrixFree(process, H, tolerance=1e-6)
    row["matrix_free_s"] = seconds(lambda: free.sample(1.0, np.random.default_rng(0)))
    row["matrix_free_MiB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    start = time.perf_counter()
    spectrum = spectrum_of([H])
    row["eigen_s"] = time.perf_counter() - start
    matrix, s = encode([H]).matrix, torch.tensor([1.0], dtype=torch.float64)
    noise = torch.randn(matrix.shape, dtype=torch.float64)
    batched(process, matrix, spectrum, s, noise)
    repeats = max(1, 20_000 // n**2)
    row["draw_s"] = seconds(lambda: [batched(process, matrix, spectrum, s, noise) for _ in range(repeats)]) / repeats
    row["MiB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return row


def main() -> None:
    """Measure and record; with a number n, print the row of n × n."""
    if len(sys.argv) > 1:
        print(json.dumps(size_row(int(sys.argv[1]))))
        return
    batch = batch_row()
    print(batch)
    sizes = []
    for n in SIZES:
        command = [sys.executable, "-m", "benchmarks.process", str(n)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        sizes.append(json.loads(done.stdout))
        print(sizes[-1])
    slope = math.log(sizes[-1]["draw_s"] / sizes[-3]["draw_s"]) / math.log(sizes[-1]["size"] / sizes[-3]["size"])
    config = {"seed": SEED, "batch": BATCH, "nodes": NODES, "hyperedges": HYPEREDGES, "rounds": ROUNDS}
    print(save("process", config, {"batch": batch, "sizes": sizes, "draw_exponent": slope}, ("torch", "scipy")))


if __name__ == "__main__":
    main()
