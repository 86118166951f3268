"""The cost of judging a whole hypergraph, beside XGI, HyperNetX and hypergraphx: ``python -m benchmarks.whole_judge``.

*Side by side*, on email-Enron and on DBLP: what the libraries can compute of our statistics, each in turn, with what a user of the
library would write, and the same numbers checked. A job that has not ended after ``MOST_SECONDS`` is stopped. All run in one
process, in turn, with one thread; medians over the rounds.

*Whole reports*: ``evaluate(H, G)`` on DBLP, tags-ubuntu, and an artificial hypergraph of a million incidences, where G is a shuffle of
H; seconds and peak memory of a fresh process. With ``--memory NAME`` the peak of one of them is measured alone, and put into the
record.
"""

from __future__ import annotations

import json
import signal
import statistics
import subprocess
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import hypergraphx.representations.projections as hgx_projections
import networkx as nx
import numpy as np
import xgi
from hypergraphx.linalg.linalg import binary_incidence_matrix
from threadpoolctl import threadpool_limits

import hyperhedge as hh
from benchmarks.record import load, save
from hyperhedge.metrics.motifs import motif_counts
from hyperhedge.metrics.sampled_motifs import estimate_motifs
from hyperhedge.metrics.whole.statistics import component_sizes
from hyperhedge.metrics.whole.walks import Projection, Sides, overlaps, path_lengths

ROUNDS = 3
MOST_SECONDS = 20.0
SOURCES = 40
DATASETS = ("email-enron", "dblp")
REPORTS = ("dblp", "tags-ubuntu", "a million incidences")
RNG = np.random.default_rng(0)


def million() -> hh.Hypergraph:
    """Return a hypergraph of a million incidences: overlapping groups, sizes and degrees with heavy tails."""
    rng = np.random.default_rng(0)
    m, n = 290_000, 230_000
    sizes = np.minimum(2 + rng.zipf(2.6, size=m), 40)
    centres = (n * rng.random(m) ** 1.5).astype(np.int64)
    owners = np.repeat(np.arange(m), sizes)
    members = (centres[owners] + np.rint(rng.laplace(0, 12, size=len(owners))).astype(np.int64)) % n
    pairs = np.unique(np.stack((owners, members)), axis=1)
    return hh.Hypergraph.from_indices(pairs[1], pairs[0], nodes=n, edges=m)


# -- side by side --------------------------------------------------------------------------------------


class Peers:
    """One hypergraph as an object of each library."""

    def __init__(self, H: hh.Hypergraph) -> None:
        self.H = H
        self.sides = Sides.of(H)
        self.xgi = hh.convert.to_xgi(H)
        self.hnx = hh.convert.to_hypernetx(H)
        self.hgx = hh.convert.to_hypergraphx(H)
        self.sources = np.flatnonzero(H.degrees)[:: max(1, H.n // SOURCES)][:SOURCES]


Job = Callable[[Peers], Any]


def _histogram(values: Any) -> dict[int, int]:
    return {int(value): count for value, count in Counter(values).items() if value}


def _off_diagonal(matrix: Any) -> dict[int, int]:
    upper = matrix.tocoo()
    return _histogram(upper.data[upper.row < upper.col].astype(int).tolist())


def _of(pairs: Any) -> dict[int, int]:
    return {int(size): int(count) for size, count in enumerate(pairs) if count and size}


def _lengths(graph: Any, sources: Any) -> dict[int, int]:
    return _histogram(
        length for source in sources for length in nx.single_source_shortest_path_length(graph, source).values()
    )


def _hgx_intersections(one: Peers) -> dict[int, int]:
    lines, edges = hgx_projections.line_graph(one.hgx, distance="intersection", weighted=True)
    return _histogram(len(set(edges[a]) & set(edges[b])) for a, b in lines.edges())


def _hgx_pairs(one: Peers) -> dict[int, int]:
    B = binary_incidence_matrix(one.hgx)
    return _off_diagonal(B @ B.T)


def _hnx_graph(one: Peers) -> Any:
    return nx.from_scipy_sparse_array(one.hnx.adjacency_matrix())


JOBS: dict[str, dict[str, Job]] = {
    "intersections": {
        "hyperhedge": lambda p: _of(overlaps(p.sides, RNG).pairs),
        "XGI": lambda p: _off_diagonal(xgi.intersection_profile(p.xgi)),
        "HyperNetX": lambda p: _off_diagonal((lambda B: B.T @ B)(p.hnx.incidence_matrix())),
        "hypergraphx": _hgx_intersections,
    },
    "pair degrees": {
        "hyperhedge": lambda p: _of(overlaps(p.sides.dual, RNG).pairs),
        "XGI": lambda p: _off_diagonal(xgi.adjacency_matrix(p.xgi, weighted=True)),
        "HyperNetX": lambda p: _off_diagonal((lambda B: B @ B.T)(p.hnx.incidence_matrix())),
        "hypergraphx": _hgx_pairs,
    },
    "clustering": {
        "hyperhedge": lambda p: round(
            float(Projection.of(p.sides, overlaps(p.sides.dual, RNG).neighbours).clustering(RNG)[1].mean()), 9
        ),
        "XGI": lambda p: round(float(np.mean(list(xgi.clustering_coefficient(p.xgi).values()))), 9),
        "HyperNetX": lambda p: round(nx.average_clustering(_hnx_graph(p)), 9),
        "hypergraphx": lambda p: round(
            nx.average_clustering(hgx_projections.clique_projection(p.hgx, keep_isolated=True)), 9
        ),
    },
    "components": {
        "hyperhedge": lambda p: len(component_sizes(p.H)),
        "XGI": lambda p: sum(
            1 for part in xgi.connected_components(p.xgi) if len(part) > 1 or p.xgi.nodes.degree[min(part)]
        ),
        "HyperNetX": lambda p: sum(1 for _ in p.hnx.s_components(edges=False)),
        "hypergraphx": lambda p: sum(1 for part in p.hgx.connected_components() if len(part) > 1),
    },
    "paths from 40 nodes": {
        "hyperhedge": lambda p: {
            k + 1: int(count) for k, count in enumerate(path_lengths(p.sides, p.sources)) if count
        },
        "XGI": lambda p: _histogram(
            length
            for source in p.sources.tolist()
            for length in xgi.single_source_shortest_path_length(p.xgi, p.H.nodes[source]).values()
            if np.isfinite(length)
        ),
        "HyperNetX": lambda p: _lengths(_hnx_graph(p), _positions(p)),
        "hypergraphx": lambda p: _lengths(
            hgx_projections.clique_projection(p.hgx, keep_isolated=True), [p.H.nodes[v] for v in p.sources]
        ),
    },
}


def _positions(one: Peers) -> list[int]:
    order = {node: k for k, node in enumerate(one.hnx.nodes)}
    return [order[one.H.nodes[v]] for v in one.sources]


class TooSlow(Exception):  # noqa: N818  # it is no error
    """A job has not ended in time."""


def _stop(*_: Any) -> None:
    raise TooSlow


def timed(job: Job, peers: Peers) -> tuple[float, Any]:
    """Return the seconds and the result of a job, or raise :class:`TooSlow`."""
    signal.signal(signal.SIGALRM, _stop)
    signal.setitimer(signal.ITIMER_REAL, MOST_SECONDS)
    started = time.perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = job(peers)
        return time.perf_counter() - started, result
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def side_by_side() -> list[dict[str, Any]]:
    """Time every job of every library on every dataset."""
    rows = []
    for name in DATASETS:
        peers = Peers(linked(hh.load_dataset(name).hypergraph))
        for what, jobs in JOBS.items():
            row: dict[str, Any] = {"dataset": name, "what": what, "seconds": {}, "too slow": []}
            results = {}
            for library, job in jobs.items():
                if library == "hyperhedge":
                    timed(job, peers)  # compiled once
                try:
                    rounds = [timed(job, peers) for _ in range(ROUNDS)]
                except TooSlow:
                    row["too slow"].append(library)
                    continue
                row["seconds"][library] = statistics.median(seconds for seconds, _ in rounds)
                results[library] = rounds[0][1]
            row["same"] = {library: result == results["hyperhedge"] for library, result in results.items()}
            print(row, flush=True)
            rows.append(row)
    return rows


def linked(H: hh.Hypergraph) -> hh.Hypergraph:
    """Drop what some library cannot hold: repeated hyperedges, hyperedges of one node, isolated nodes."""
    kept = {frozenset(edge): None for edge in H.hyperedges if len(edge) > 1}
    return hh.Hypergraph([sorted(edge) for edge in kept])


# -- whole reports -------------------------------------------------------------------------------------

_CHILD = """
import json, re, sys, time
import hyperhedge as hh
from benchmarks.whole_judge import hypergraph
from hyperhedge.models.configuration import shuffle
small = hh.load_dataset("southern-women").hypergraph
hh.evaluate(small, small, seed=0).to_html()  # compiled functions are read from their cache
H = hypergraph(sys.argv[1])
G = shuffle(H, seed=1)
def peak():
    with open("/proc/self/status") as file:
        return int(re.search(r"^VmHWM:\\s+(\\d+)", file.read(), re.M)[1]) / 1024
before = peak()
started = time.perf_counter()
report = hh.evaluate(H, G, seed=0)
took = time.perf_counter() - started
started = time.perf_counter()
report.to_html()
print(json.dumps({"n": H.n, "m": H.m, "incidences": H.num_incidences, "seconds": took, "page seconds": time.perf_counter() - started,
    "before MiB": before, "peak MiB": peak(),
    "sampled": report.statistics["real"].sampled, "fidelity": report.score}))
"""


def hypergraph(name: str) -> hh.Hypergraph:
    """Return a dataset, or the artificial hypergraph."""
    return million() if name == "a million incidences" else hh.load_dataset(name).hypergraph


def reports(names: Sequence[str] = REPORTS) -> list[dict[str, Any]]:
    """Time whole reports, each in a process of its own."""
    rows = []
    for name in names:
        done = subprocess.run([sys.executable, "-c", _CHILD, name], check=True, capture_output=True, text=True)
        rows.append({"name": name, **json.loads(done.stdout)})
        print(rows[-1], flush=True)
    return rows


def motifs() -> list[dict[str, Any]]:
    """Count motifs exactly and estimate them."""
    rows = []
    for name in ("dblp", "contact-high-school", "email-enron"):
        H = hh.load_dataset(name).hypergraph
        estimate_motifs(H, samples=100, seed=0)
        started = time.perf_counter()
        exact = motif_counts(H)
        counted = time.perf_counter() - started
        started = time.perf_counter()
        sampled = estimate_motifs(H, samples=4000, seed=0)
        took = time.perf_counter() - started
        some = exact > 0
        errors = np.abs(sampled.counts - exact)[some] / exact[some]
        within = (np.abs(sampled.counts - exact) <= 2 * sampled.errors)[some]
        rows.append(
            {
                "name": name,
                "exact seconds": counted,
                "sampled seconds": took,
                "instances": int(exact.sum()),
                "error of the whole": float(abs(sampled.counts.sum() - exact.sum()) / exact.sum()),
                "median error": float(np.median(errors)),
                "within two errors": float(within.mean()),
            }
        )
        print(rows[-1], flush=True)
    return rows


def main() -> None:
    """Measure, and save the record."""
    if "--memory" in sys.argv:
        measured = load("whole_judge")["measured"]
        (row,) = reports(sys.argv[sys.argv.index("--memory") + 1 :])
        for known in measured["reports"]:
            if known["name"] == row["name"]:
                known |= {"before MiB": row["before MiB"], "peak MiB": row["peak MiB"]}
    else:
        with threadpool_limits(1):
            measured = {"side by side": side_by_side(), "motifs": motifs()}
        measured["reports"] = reports()
    config = {"rounds": ROUNDS, "most_seconds": MOST_SECONDS, "sources": SOURCES}
    print(save("whole_judge", config, measured, ("xgi", "hypernetx", "hypergraphx", "networkx", "numba")))


if __name__ == "__main__":
    main()
