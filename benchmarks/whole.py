"""Generators of one whole hypergraph beside each other, and some beside their authors' programs: ``python -m benchmarks.whole``.

Every hypergraph comes without repeated hyperedges, singletons and isolated nodes, as HyperLap's authors prepare their data (their
program refuses isolated nodes). The authors' programs, in C++, are compiled and run from checkouts: of
https://github.com/young917/www21-hyperlap, which ``HYPERHEDGE_HYPERLAP`` names, and of
https://github.com/kazuibasou/hyper-dk-series, which ``HYPERHEDGE_HYPER_DK`` names; without them their rows are left out. hypergraphx
has the authors' Hy-MMSBM, which ours learns with too; its chain is far too slow for a sample, so some proposals are timed and the
rest is extrapolated. Ours are timed at ``fit`` and at the first sample, C++ by its own clocks, which leave out reading and
writing; all with one thread, in turn, medians over the seeds.

*Distances* are Kolmogorov–Smirnov statistics of degrees, pair degrees (of pairs of nodes that share a hyperedge), overlaps (of
hyperedges that share a node) and homogeneity, against the hypergraph that was fitted; means and standard deviations over the seeds.
*Back* is the share of hyperedges that are, node by node, hyperedges of the hypergraph that was fitted.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import statistics
import subprocess
import tempfile
import time
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from threadpoolctl import threadpool_limits

import hyperhedge as hh
from benchmarks.record import RESULTS, commit, load, save
from benchmarks.whole_tables import HYPER_DK_PROGRAM, HYPERGRAPHX, HYPERLAP_PROGRAM
from hyperhedge.metrics.pooled import PooledValues, kolmogorov_smirnov
from hyperhedge.metrics.statistics import statistics_of
from hyperhedge.models.hyperlap.homogeneity import homogeneity, largest_difference
from hyperhedge.train.workers import single_threaded
from hyperhedge.typing import IntArray

DATASETS = ("citeseer", "cora", "house-committees", "actor", "dblp")
SEEDS = (0, 1, 2)
RESTARTS = 3
"""Random beginnings of Hy-MMSBM, here and with hypergraphx."""
PROPOSALS = 1000
"""What is timed of the chain of hypergraphx."""
MODELS: dict[str, Callable[[int], hh.BaseGenerator]] = {
    "configuration model": lambda _: hh.ConfigurationModel(),
    "HyperCL": lambda seed: hh.HyperLap(levels=1, seed=seed),
    "HyperLap": lambda seed: hh.HyperLap(weights="uniform", seed=seed),
    "HyperLap+": lambda seed: hh.HyperLap(seed=seed),
    "HyperLap+, exact degrees": lambda seed: hh.HyperLap(degrees="exact", seed=seed),
    "multiscale shuffle, leaves of 16": lambda _: hh.MultiscaleShuffle(leaf=16),
    "multiscale shuffle, leaves of 64": lambda _: hh.MultiscaleShuffle(leaf=64),
    "hyperedge copying": lambda seed: hh.HyperedgeCopying(seed=seed),
    "Hy-MMSBM": lambda seed: hh.HyMMSBM(restarts=RESTARTS, seed=seed),
    "hyper dK-series, 2": lambda _: hh.HyperDK(node="2"),
    "hyper dK-series, 2.5": lambda _: hh.HyperDK(),
    "DDE": lambda seed: hh.DDE(workers=1, seed=seed),
}
TIMES = ("seconds", "fit", "sample")
"""What rows have of time: in all, and of a model each part."""


def prepared(H: hh.Hypergraph) -> hh.Hypergraph:
    """Drop repeated hyperedges, singletons and isolated nodes."""
    kept = {frozenset(e): None for e in H.hyperedges if len(e) > 1}
    return hh.Hypergraph([sorted(e) for e in kept])


class Program(ABC):
    """A program of authors, compiled in a folder of its own.

    Attributes
    ----------
    variable
        The environment variable that names a checkout.
    row
        What its row in the table is called.
    """

    variable: ClassVar[str]
    row: ClassVar[str]

    @abstractmethod
    def __init__(self, checkout: Path, folder: Path) -> None:
        """Compile it."""

    @abstractmethod
    def run(self, H: hh.Hypergraph) -> tuple[hh.Hypergraph, float]:
        """Return what it generates, and the seconds that it says it took."""


class HyperLapProgram(Program):
    """The search of HyperLap+."""

    variable, row = "HYPERHEDGE_HYPERLAP", HYPERLAP_PROGRAM

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


class HyperDKProgram(Program):
    """The hyper dK-series with 2.5 and exact sizes; a node that is in a hyperedge twice counts once in what comes back."""

    variable, row = "HYPERHEDGE_HYPER_DK", HYPER_DK_PROGRAM

    def __init__(self, checkout: Path, folder: Path) -> None:
        self._folder = folder
        for name in ("cpp/bin", "data", "outputs"):  # the program looks for them two folders above its own
            (folder / name).mkdir(parents=True)
        sources = sorted((checkout / "cpp" / "src").glob("*.cpp"))
        # The sources use <chrono> without including it, which some compilers let pass.
        flags = ["-O3", "-std=c++11", "-include", "chrono"]
        subprocess.run(["g++", *flags, *map(str, sources), "-o", "main"], cwd=folder / "cpp" / "bin", check=True)

    def run(self, H: hh.Hypergraph) -> tuple[hh.Hypergraph, float]:
        """Return what it generates, and the seconds that it says it took."""
        _write_numbers(self._folder / "data" / "h_nverts.txt", H.edge_sizes)
        _write_numbers(self._folder / "data" / "h_hyperedges.txt", H.indices)
        command = ["./main", "h", "2.5", "1", "1"]
        done = subprocess.run(command, cwd=self._folder / "cpp" / "bin", check=True, capture_output=True, text=True)
        sizes, members = (
            np.loadtxt(self._folder / "outputs" / f"h_2.5_1_1_{name}.txt", dtype=np.int64)
            for name in ("nverts", "hyperedges")
        )
        edges, nodes = np.unique(np.stack((np.repeat(np.arange(H.m), sizes), members)), axis=1)
        (took,) = re.findall(r"Generation time: ([\d.]+) \[milliseconds\]", done.stdout)
        return hh.Hypergraph.from_indices(nodes, edges, nodes=H.n, edges=H.m), float(took) / 1000


def _write_numbers(file: Path, numbers: IntArray) -> None:
    file.write_text("".join(f"{number}\n" for number in numbers.tolist()))


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


def hypergraphx_seconds(H: hh.Hypergraph, seed: int) -> dict[str, float]:
    """Time hypergraphx at what ``HyMMSBM`` does: as many inferences, and a chain of as many proposals, extrapolated."""
    import hypergraphx
    from hypergraphx.communities.hy_mmsbm.model import HyMMSBM as Theirs
    from hypergraphx.generation.hy_mmsbm_sampling import HyMMSBMSampler

    ours = hh.HyMMSBM()
    theirs = hypergraphx.Hypergraph([tuple(e.tolist()) for e in _members(H)])
    largest = int(H.edge_sizes.max())
    start = time.perf_counter()
    for restart in range(RESTARTS):
        model = Theirs(
            K=ours.communities, assortative=True, max_hye_size=largest, w_prior=0.0, seed=seed * RESTARTS + restart
        )
        model.fit(theirs, n_iter=ours.iterations)
    fit = time.perf_counter() - start
    sampler = HyMMSBMSampler(u=model.u, w=model.w, max_hye_size=largest, burn_in_steps=0, seed=seed)
    samples = iter(sampler.sample(initial_hyg=theirs))
    took = []
    for proposals in (1, 1 + PROPOSALS):
        sampler.intermediate_steps = proposals
        start = time.perf_counter()
        next(samples)
        took.append(time.perf_counter() - start)
    first, more = took
    sample = first + (more - first) / PROPOSALS * ours.sweeps * H.m
    return {"seconds": fit + sample, "fit": fit, "sample": sample}


def spread(rows: list[dict[str, float]]) -> dict[str, Any]:
    """Return the medians of the times, and means and standard deviations of the rest."""
    columns = {key: [row[key] for row in rows] for key in rows[0]}
    return {
        key: statistics.median(x) if key in TIMES else [statistics.mean(x), statistics.stdev(x) if x[1:] else None]
        for key, x in columns.items()
    }


def measured(H: hh.Hypergraph, programs: list[Program], seeds: Sequence[int] = SEEDS) -> dict[str, Any]:
    """Measure all models on one hypergraph."""
    rows: dict[str, list[dict[str, float]]] = defaultdict(list)
    for seed in seeds:
        for name, make in MODELS.items():
            start = time.perf_counter()
            model = make(seed).fit([H])
            fitted = time.perf_counter()
            (generated,) = model.sample(seed=seed)
            end = time.perf_counter()
            times = {"seconds": end - start, "fit": fitted - start, "sample": end - fitted}
            rows[name].append({**times, **distances(H, generated)})
        rows[HYPERGRAPHX].append(hypergraphx_seconds(H, seed))
        for program in programs:
            generated, took = program.run(H)
            rows[program.row].append({"seconds": took, **distances(H, generated)})
    table = {name: spread(r) for name, r in rows.items()}
    return {"shape": H.shape, "incidences": H.num_incidences, "seeds": list(seeds), "commit": commit(), "rows": table}


def compiled_programs(folder: Path) -> list[Program]:
    """Compile the programs whose checkouts are named."""
    programs: list[Program] = []
    for kind in (HyperLapProgram, HyperDKProgram):
        checkout = os.environ.get(kind.variable)
        if checkout:
            own = folder / kind.variable
            own.mkdir()
            programs.append(kind(Path(checkout).resolve(), own))
    return programs


def main() -> None:
    """Measure, and keep what was measured of each dataset in the record, in place of what it had of that dataset."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("datasets", nargs="*", default=DATASETS, help="which; all by default")
    parser.add_argument("--seeds", type=int, nargs="*", default=SEEDS)
    chosen = parser.parse_args()
    config = {"sweeps": 100, "restarts": RESTARTS, "proposals": PROPOSALS}
    table = load("whole")["measured"] if (RESULTS / "whole.json").is_file() else {}
    with tempfile.TemporaryDirectory() as folder, threadpool_limits(1), single_threaded():
        programs = compiled_programs(Path(folder))
        for name in chosen.datasets:
            table[name] = measured(prepared(hh.load_dataset(name).hypergraph), programs, chosen.seeds)
            print(name, table[name], flush=True)
            save("whole", config, table, ("scipy", "pymetis", "hypergraphx", "torch"))


if __name__ == "__main__":
    main()
