"""HyperLap beside the authors' program, and beside published figures: ``python -m benchmarks.hyperlap``.

The authors' C++ is compiled and run from a checkout of https://github.com/young917/www21-hyperlap that ``HYPERHEDGE_HYPERLAP``
names; without it its rows are left out. Both read the same hypergraph, without repeated hyperedges and singletons, as the authors
prepare their data, and without isolated nodes, which their program refuses. Ours is timed from ``fit`` to the first sample, theirs
from its first line of work to its last (its own clock), both with one thread, in turn, medians over the rounds.

*Distances* are Kolmogorov–Smirnov statistics of degrees, edge sizes, pair degrees (pairs of nodes that share a hyperedge), overlaps
(of hyperedges that share a node) and homogeneity, against the hypergraph that was fitted; means and standard deviations over the
seeds. The paper of NoAH (ICDM 2025, appendix, Table IV) has figures for HyperCL and HyperLap on CiteSeer without isolated nodes.
"""

from __future__ import annotations

import os
import re
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import hyperhedge as hh
from benchmarks.record import save
from hyperhedge.metrics.pooled import PooledValues, kolmogorov_smirnov
from hyperhedge.metrics.statistics import statistics_of
from hyperhedge.models.hyperlap.homogeneity import homogeneity, largest_difference

FOLDER = "HYPERHEDGE_HYPERLAP"
DATASETS = ("citeseer", "cora", "house-committees", "actor", "dblp")
SEEDS = (0, 1, 2)
MODELS = {
    "HyperCL": {"levels": 1},
    "HyperLap": {"weights": "uniform"},
    "HyperLap+": {},
    "HyperLap+, exact degrees": {"degrees": "exact"},
}


def prepared(H: hh.Hypergraph) -> hh.Hypergraph:
    """Drop repeated hyperedges, singletons and isolated nodes."""
    kept = {frozenset(e): None for e in H.hyperedges if len(e) > 1}
    return hh.Hypergraph([sorted(e) for e in kept])


class Program:
    """The authors' program, compiled in a folder of its own."""

    def __init__(self, checkout: Path, folder: Path) -> None:
        for name in ("generator", "dataset"):
            (folder / name).mkdir()
        for source in (checkout / "generator").glob("*.cpp"):
            shutil.copy(source, folder / "generator")
        self._folder = folder
        subprocess.run(["g++", "-O3", "-std=c++17", "main_adv.cpp", "-o", "main"], cwd=folder / "generator", check=True)

    def run(self, H: hh.Hypergraph) -> tuple[hh.Hypergraph, float]:
        """Return what it generates, and the seconds that it says it took."""
        lines = (",".join(map(str, e)) for e in _indices(H))
        (self._folder / "dataset" / "h_graph.txt").write_text("\n".join(lines) + "\n")
        done = subprocess.run(
            ["./main", "h"], cwd=self._folder / "generator", check=True, capture_output=True, text=True
        )
        text = (self._folder / "dataset" / "h_gen.txt").read_text()
        generated = hh.Hypergraph([[int(v) for v in line.split(",")] for line in text.splitlines()])
        (took,) = re.findall(r"FINAL RUNTIME: ([\d.e+-]+)", done.stdout)
        return _with_nodes(generated, H.n), float(took)


def _indices(H: hh.Hypergraph) -> list[list[int]]:
    return [H.indices[a:b].tolist() for a, b in zip(H.indptr[:-1], H.indptr[1:], strict=True)]


def _with_nodes(H: hh.Hypergraph, n: int) -> hh.Hypergraph:
    """Add the isolated nodes that the file leaves out."""
    return hh.Hypergraph.from_indices(H.indices, H.edge_indices, nodes=n, edges=H.m)


def distances(real: hh.Hypergraph, generated: hh.Hypergraph) -> dict[str, float]:
    """Return the Kolmogorov–Smirnov statistics of the module."""
    x, y = statistics_of([real]), statistics_of([generated])
    one = np.ones((1, 1))

    def ks(a: PooledValues, b: PooledValues) -> float:
        return float(kolmogorov_smirnov(a, b, one, one)[0])

    def overlapping(pool: PooledValues) -> PooledValues:
        some = pool.value > 0
        return PooledValues(pool.owner[some], pool.value[some], pool.count[some], 1)

    hom = [homogeneity(H.edge_sizes, H.indices, H.n) for H in (real, generated)]
    return {
        "degrees": ks(x.degrees, y.degrees),
        "edge sizes": ks(x.edge_sizes, y.edge_sizes),
        "pair degrees": ks(x.pair_degrees, y.pair_degrees),
        "overlaps": ks(overlapping(x.intersections), overlapping(y.intersections)),
        "homogeneity": largest_difference(*hom),
    }


def spread(rows: list[dict[str, float]]) -> dict[str, Any]:
    """Return means and standard deviations."""
    return {key: [statistics.mean(r[key] for r in rows), statistics.stdev(r[key] for r in rows)] for key in rows[0]}


def measured(H: hh.Hypergraph, program: Program | None) -> dict[str, Any]:
    """Measure all models on one hypergraph."""
    rows: dict[str, list[dict[str, float]]] = {name: [] for name in MODELS}
    times: dict[str, list[float]] = {name: [] for name in MODELS}
    for seed in SEEDS:
        for name, options in MODELS.items():
            model = hh.HyperLap(seed=seed, **options)  # type: ignore[arg-type]
            start = time.perf_counter()
            (generated,) = model.fit([H]).sample(seed=seed)
            times[name].append(time.perf_counter() - start)
            rows[name].append(distances(H, generated))
        if program is not None:
            generated, took = program.run(H)
            rows.setdefault("the authors' HyperLap+", []).append(distances(H, generated))
            times.setdefault("the authors' HyperLap+", []).append(took)
    return {
        "shape": H.shape,
        "distances": {name: spread(r) for name, r in rows.items()},
        "seconds": {name: statistics.median(t) for name, t in times.items()},
    }


def main() -> None:
    """Measure, and keep the record."""
    checkout = os.environ.get(FOLDER)
    with tempfile.TemporaryDirectory() as folder:
        program = Program(Path(checkout), Path(folder)) if checkout else None
        table = {}
        for name in DATASETS:
            table[name] = measured(prepared(hh.load_dataset(name).hypergraph), program)
            print(name, table[name], flush=True)
    print(save("hyperlap", {"seeds": SEEDS}, table, ()))


if __name__ == "__main__":
    main()
