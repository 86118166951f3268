"""Reading and writing files, side by side with XGI, and how memory grows.

The hypergraph has the size of DBLP: 41,302 nodes, 22,363 hyperedges, about 100,000 incidences, with a heavy
tail of edge sizes. Each round runs every reader and writer once, one library after the other, so both
meet the same machine; the median over rounds is kept. Memory is the peak of Python's and numpy's
allocations while a file is read or written, for growing hypergraphs.
"""

from __future__ import annotations

import statistics
import tempfile
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import xgi

import hyperhedge as hh
from benchmarks.record import save
from benchmarks.timing import seconds

SEED = 0
ROUNDS = 15
NODES, HYPEREDGES, INCIDENCES, LARGEST = 41_302, 22_363, 100_000, 202


def heavy_tailed(scale: float, seed: int, *, names: bool) -> hh.Hypergraph:
    """Sample a hypergraph of DBLP's shape; ``scale`` multiplies nodes and hyperedges alike."""
    rng = np.random.default_rng(seed)
    n, m = round(NODES * scale), round(HYPEREDGES * scale)
    edge_sizes = np.minimum(rng.zipf(2.0, size=m) + 1, LARGEST)
    while edge_sizes.sum() > INCIDENCES * scale:
        edge_sizes = np.maximum(edge_sizes - (rng.random(m) < 0.05) * (edge_sizes > 2), 1)
    nodes = [f"author {i}" for i in range(n)] if names else n
    members = rng.integers(0, n, size=int(edge_sizes.sum()))
    return hh.Hypergraph.from_indices(members, np.repeat(np.arange(m), edge_sizes), nodes=nodes, edges=m)


def jobs(H: hh.Hypergraph, folder: Path, *, names: bool) -> dict[str, tuple[Callable[[], Any], Callable[[], Any]]]:
    """Return what is measured: ours and XGI's, each a call without arguments."""
    X = hh.convert.to_xgi(H)
    kind = str if names else int
    ours, theirs = str(folder / "ours"), str(folder / "theirs")
    delimiter = "," if names else " "  # the names have blanks in them
    hh.write(H, f"{ours}.hif.json")
    hh.write(H, f"{ours}.hif.json.gz")
    xgi.write_hif(X, f"{theirs}.json")
    xgi.write_hif(X, f"{theirs}.json.gz")
    hh.write(H, f"{ours}.txt")
    xgi.write_edgelist(X, f"{theirs}.txt", delimiter=delimiter)
    return {
        "write HIF": (lambda: hh.write(H, f"{ours}.hif.json"), lambda: xgi.write_hif(X, f"{theirs}.json")),
        "read HIF": (lambda: hh.read(f"{ours}.hif.json"), lambda: xgi.read_hif(f"{theirs}.json")),
        "read XGI's HIF": (lambda: hh.read(f"{theirs}.json"), lambda: xgi.read_hif(f"{theirs}.json")),
        "write hyperedge list": (
            lambda: hh.write(H, f"{ours}.txt"),
            lambda: xgi.write_edgelist(X, f"{theirs}.txt", delimiter=delimiter),
        ),
        "read hyperedge list": (
            lambda: hh.read(f"{ours}.txt"),
            lambda: xgi.read_edgelist(f"{theirs}.txt", nodetype=kind, delimiter=delimiter),
        ),
        "read XGI's hyperedge list": (
            lambda: hh.read(f"{theirs}.txt"),
            lambda: xgi.read_edgelist(f"{theirs}.txt", nodetype=kind, delimiter=delimiter),
        ),
        "write HIF, gzip": (
            lambda: hh.write(H, f"{ours}.hif.json.gz"),
            lambda: xgi.write_hif(X, f"{theirs}.json.gz"),
        ),
        "read HIF, gzip": (
            lambda: hh.read(f"{ours}.hif.json.gz"),
            lambda: xgi.read_hif(f"{theirs}.json.gz"),
        ),
    }


def compare(H: hh.Hypergraph, *, names: bool, rounds: int = ROUNDS) -> list[dict[str, Any]]:
    """Measure every job of both libraries in turn; return medians and the median ratio."""
    with tempfile.TemporaryDirectory() as folder:
        todo = jobs(H, Path(folder), names=names)
        times: dict[str, list[tuple[float, float]]] = {name: [] for name in todo}
        for _ in range(rounds):
            for name, (ours, theirs) in todo.items():
                times[name].append((seconds(ours), seconds(theirs)))
    return [
        {
            "job": name,
            "labels": "strings" if names else "integers",
            "ours_ms": 1e3 * statistics.median(ours for ours, _ in pairs),
            "xgi_ms": 1e3 * statistics.median(theirs for _, theirs in pairs),
            "ratio": statistics.median(theirs / ours for ours, theirs in pairs),
        }
        for name, pairs in times.items()
    ]


def peak(call: Callable[[], Any]) -> int:
    """Return the peak of what one call allocates, in bytes."""
    tracemalloc.start()
    call()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


def memory(scales: tuple[float, ...]) -> list[dict[str, Any]]:
    """Measure bytes per incidence for growing hypergraphs."""
    rows = []
    for scale in scales:
        H = heavy_tailed(scale, SEED, names=False)
        row: dict[str, Any] = {"incidences": H.num_incidences}
        with tempfile.TemporaryDirectory() as folder:
            for ending in (".hif.json", ".txt", ".csv", ".npz"):
                path = Path(folder) / f"h{ending}"
                row[f"write {ending}"] = peak(partial(hh.write, H, path)) / H.num_incidences
                row[f"read {ending}"] = peak(partial(hh.read, path)) / H.num_incidences
        rows.append(row)
    return rows


def main() -> None:
    """Measure and record."""
    measured: dict[str, Any] = {"times": []}
    for names in (False, True):
        H = heavy_tailed(1.0, SEED, names=names)
        print(H)
        rows = compare(H, names=names)
        for row in rows:
            times = f"{row['ours_ms']:8.1f} ms {row['xgi_ms']:8.1f} ms"
            print(f"{row['job']:28} {row['labels']:9} {times} {row['ratio']:6.1f}×")
        measured["times"] += rows
    measured["memory"] = memory((0.5, 1.0, 2.0, 4.0))
    for row in measured["memory"]:
        print({key: round(value, 1) for key, value in row.items()})
    config = {"seed": SEED, "rounds": ROUNDS, "nodes": H.n, "hyperedges": H.m, "incidences": H.num_incidences}
    print(save("files", config, measured, ("xgi",)))


if __name__ == "__main__":
    main()
