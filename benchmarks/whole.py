"""Generators of one whole hypergraph beside each other, and HyperLap beside the authors' program: ``python -m benchmarks.whole``.

Every hypergraph comes without repeated hyperedges, singletons and isolated nodes, as HyperLap's authors prepare their data (their
program refuses isolated nodes). Their C++ is compiled and run from a checkout of https://github.com/young917/www21-hyperlap that
``HYPERHEDGE_HYPERLAP`` names; without it its rows are left out. Ours are timed from ``fit`` to the first sample, theirs by its own
clock, which leaves out reading and writing; all with one thread, in turn, medians over the seeds.

*Distances* are Kolmogorov–Smirnov statistics of degrees, pair degrees (of pairs of nodes that share a hyperedge), overlaps (of
hyperedges that share a node) and homogeneity, against the hypergraph that was fitted; means and standard deviations over the seeds.
*Back* is the share of hyperedges that are, node by node, hyperedges of the hypergraph that was fitted.
"""

from __future__ import annotations

import os
import re
import shutil
import statistics
import subprocess
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import hyperhedge as hh
from benchmarks.record import save
from hyperhedge.metrics.pooled import PooledValues, kolmogorov_smirnov
from hyperhedge.metrics.statistics import statistics_of
from hyperhedge.models.hyperlap.homogeneity import homogeneity, largest_difference
from hyperhedge.typing import IntArray

FOLDER = "HYPERHEDGE_HYPERLAP"
DATASETS = ("citeseer", "cora", "house-committees", "actor", "dblp")
SEEDS = (0, 1, 2)
MODELS: dict[str, Callable[[int], hh.BaseGenerator]] = {
    "configuration model": lambda _: hh.ConfigurationModel(),
    "HyperCL": lambda seed: hh.HyperLap(levels=1, seed=seed),
    "HyperLap": lambda seed: hh.HyperLap(weights="uniform", seed=seed),
    "HyperLap+": lambda seed: hh.HyperLap(seed=seed),
    "HyperLap+, exact degrees": lambda seed: hh.HyperLap(degrees="exact", seed=seed),
    "multiscale shuffle, leaves of 16": lambda _: hh.MultiscaleShuffle(leaf=16),
    "multiscale shuffle, leaves of 64": lambda _: hh.MultiscaleShuffle(leaf=64),
    "hyperedge copying": lambda seed: hh.HyperedgeCopying(seed=seed),
}
THEIRS = "the authors' HyperLap+"


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
        lines = (",".join(map(str, e.tolist())) for e in _members(H))
        (self._folder / "dataset" / "h_graph.txt").write_text("\n".join(lines) + "\n")
        done = subprocess.run(
            ["./main", "h"], cwd=self._folder / "generator", check=True, capture_output=True, text=True
        )
        text = (self._folder / "dataset" / "h_gen.txt").read_text()
        generated = hh.Hypergraph([[int(v) for v in line.split(",")] for line in text.splitlines()])
        (took,) = re.findall(r"FINAL RUNTIME: ([\d.e+-]+)", done.stdout)
        return _with_nodes(generated, H.n), float(took)


def _members(H: hh.Hypergraph) -> list[IntArray]:
    return np.split(H.indices, H.indptr[1:-1])


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
    known = {e.tobytes() for e in _members(real)}
    return {
        "degrees": ks(x.degrees, y.degrees),
        "pair degrees": ks(x.pair_degrees, y.pair_degrees),
        "overlaps": ks(overlapping(x.intersections), overlapping(y.intersections)),
        "homogeneity": largest_difference(*hom),
        "back": sum(e.tobytes() in known for e in _members(generated)) / max(generated.m, 1),
    }


def spread(rows: list[dict[str, float]]) -> dict[str, Any]:
    """Return the median of the seconds, and means and standard deviations of the rest."""
    columns = {key: [row[key] for row in rows] for key in rows[0]}
    took = statistics.median(columns.pop("seconds"))
    return {"seconds": took, **{key: [statistics.mean(x), statistics.stdev(x)] for key, x in columns.items()}}


def measured(H: hh.Hypergraph, program: Program | None) -> dict[str, Any]:
    """Measure all models on one hypergraph."""
    rows: dict[str, list[dict[str, float]]] = defaultdict(list)
    for seed in SEEDS:
        for name, make in MODELS.items():
            start = time.perf_counter()
            (generated,) = make(seed).fit([H]).sample(seed=seed)
            rows[name].append({"seconds": time.perf_counter() - start, **distances(H, generated)})
        if program is not None:
            generated, took = program.run(H)
            rows[THEIRS].append({"seconds": took, **distances(H, generated)})
    return {"shape": H.shape, "incidences": H.num_incidences, "rows": {name: spread(r) for name, r in rows.items()}}


def main() -> None:
    """Measure, and keep the record."""
    checkout = os.environ.get(FOLDER)
    with tempfile.TemporaryDirectory() as folder:
        program = Program(Path(checkout), Path(folder)) if checkout else None
        table = {}
        for name in DATASETS:
            table[name] = measured(prepared(hh.load_dataset(name).hypergraph), program)
            print(name, table[name], flush=True)
    print(save("whole", {"seeds": SEEDS, "sweeps": 100}, table, ("scipy", "pymetis")))


if __name__ == "__main__":
    main()
