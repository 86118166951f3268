r"""The configuration model: how fast its chain forgets, and how fast its trades run beside those of others.

*Mixing.* The sum :math:`\sum_{e<f} |e \cap f|^2` (the sum without the square is fixed by the degrees) along one chain in equilibrium,
and its integrated autocorrelation time :math:`\tau = 1 + 2\sum_{t \ge 1} \rho_t`, in sweeps, with Sokal's window: the sum ends at the
first :math:`t` that exceeds :math:`6\tau_t`. A sweep is one proposal for each hyperedge with members.

*Speed.* Proposals per second, from the same hypergraph, of every implementation in turn; median over rounds, ratios within rounds.
Chodrow's published Python is located through ``HYPERHEDGE_CHODROW``, the folder that holds its ``hypergraph.py``
(https://github.com/PhilChodrow/hypergraph); without it, its row is left out. Both others split hyperedges with a bias; their speed is
that of what they publish.
"""

from __future__ import annotations

import importlib.util
import os
import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import hyperhedge as hh
from benchmarks.record import save
from benchmarks.timing import seconds
from hyperhedge.data import load_dataset
from hyperhedge.models.configuration.model import Chain, Form, Labelled

SEED = 0
ROUNDS = 7
OURS, THEIRS = 2_000_000, 20_000  # proposals per round
SHAPES = ((64, 25, 0.83), (1000, 1000, 4.0))
STATES_PER_SWEEP = 5
FOLDER = "HYPERHEDGE_CHODROW"


def random_hypergraph(n: int, m: int, degree: float, *, tail: float = 0.0) -> hh.Hypergraph:
    """Sample a hypergraph with a mean degree, no empty and no repeated hyperedges; a tail makes degrees and edge sizes unequal."""
    rng = np.random.default_rng(SEED)
    popularity = np.arange(1, n + 1) ** -tail
    shares = np.arange(1, m + 1) ** -tail
    edge_sizes = 1 + rng.multinomial(round(n * degree) - m, shares / shares.sum())
    edges: dict[tuple[int, ...], None] = {}
    for size in np.minimum(edge_sizes, n // 2):
        edge: tuple[int, ...] = ()
        while not edge or edge in edges:
            edge = tuple(sorted(rng.choice(n, size, replace=False, p=popularity / popularity.sum()).tolist()))
        edges[edge] = None
    return hh.Hypergraph(list(edges), nodes=n)


def one_large(n: int) -> hh.Hypergraph:
    """Return a hyperedge with most nodes among pairs and singletons, the slowest case that we know."""
    large = list(range(4 * n // 5))
    return hh.Hypergraph([large, *([v, v + 1] for v in range(0, n - 1, 2)), *([v] for v in range(n // 2))], nodes=n)


# -- mixing ------------------------------------------------------------------------------------------


def squared_overlaps(H: hh.Hypergraph) -> float:
    """Sum the squared overlaps of all pairs of hyperedges."""
    return float((H.overlaps.data.astype(float) ** 2).sum()) / 2


def autocorrelation_time(values: NDArray[np.float64], *, window: float = 6.0) -> float:
    """Return the integrated autocorrelation time, in steps of the sequence."""
    centred = values - values.mean()
    spectrum = np.fft.rfft(centred, 2 * len(centred))
    correlation = np.fft.irfft(spectrum * spectrum.conj())[: len(centred)]
    times = 2 * np.cumsum(correlation / correlation[0]) - 1
    beyond = np.arange(len(times)) > window * times
    return float(times[np.argmax(beyond)] if beyond.any() else times[-1])


def mixing_row(name: str, H: hh.Hypergraph, labelled: Labelled, states: int) -> dict[str, Any]:
    """Measure one chain."""
    chain = Chain(H, labelled=labelled, seed=SEED)
    every = max(1, chain.sweep // STATES_PER_SWEEP)
    chain.advance(200 * chain.sweep)
    values = np.array([squared_overlaps(state) for state in chain.run(states, every=every)])
    return {
        "hypergraph": name,
        "labelled": labelled,
        "start": squared_overlaps(H),
        "mean": float(values.mean()),
        "tau_sweeps": autocorrelation_time(values) * every / chain.sweep,
        "sweeps_recorded": states * every / chain.sweep,
        "rejected": chain.rejected / chain.proposed,
    }


def mixing() -> list[dict[str, Any]]:
    """Measure hypergraphs like those of the paper's banks, and harder ones."""
    cases = [
        ("64 × 25, degree 0.83", random_hypergraph(64, 25, 0.83), 10_000),
        ("64 × 16, degree 1.6", random_hypergraph(64, 16, 1.6), 10_000),
        ("64 × 16, degree 4, unequal", random_hypergraph(64, 16, 4.0, tail=0.8), 10_000),
        ("Southern women", load_dataset("southern-women").hypergraph, 10_000),
        ("1000 × 1000, degree 4", random_hypergraph(1000, 1000, 4.0), 2_000),
        ("1000 × 1000, degree 4, unequal", random_hypergraph(1000, 1000, 4.0, tail=0.5), 2_000),
        ("one large among small, 64 × 65", one_large(64), 20_000),
    ]
    rows = []
    for name, H, states in cases:
        for labelled in ("stub", "vertex"):
            rows.append(mixing_row(name, H, labelled, states))
            print(rows[-1], flush=True)
    return rows


# -- speed -------------------------------------------------------------------------------------------

Run = tuple[int, Callable[[], Any]]


def ours(H: hh.Hypergraph, labelled: Labelled, form: Form) -> Run:
    """Return a run of our chain."""
    chain = Chain(H, labelled=labelled, seed=SEED, form=form).advance(10)
    return OURS, lambda: chain.advance(OURS)


def hypergraphx_run(H: hh.Hypergraph) -> Run:
    """Return a run of hypergraphx's chain, between all hyperedges as ours is."""
    from hypergraphx.generation.configuration_model import configuration_model

    G = hh.convert.to_hypergraphx(H)
    options = {"n_steps": THEIRS, "label": "edge", "restrict_to_same_size": False, "seed": SEED}
    return THEIRS, lambda: configuration_model(G, **options)


def chodrow_run(H: hh.Hypergraph) -> Run | None:
    """Return a run of Chodrow's published chain; None where it is not available."""
    file = Path(os.environ.get(FOLDER, "")) / "hypergraph.py"
    if FOLDER not in os.environ or not file.is_file():
        print(f"left out: Chodrow's Python, as {FOLDER} does not name the folder of its hypergraph.py")
        return None
    spec = importlib.util.spec_from_file_location("chodrow_hypergraph", file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    touched = np.unique(H.indices)  # it has no isolated nodes
    members = np.split(np.searchsorted(touched, H.indices), H.indptr[1:-1])
    G = module.hypergraph([edge.tolist() for edge in members])
    return THEIRS, lambda: G.MH(n_steps=THEIRS, label="stub", message=False)


def speed_row(n: int, m: int, degree: float) -> dict[str, Any]:
    """Time all implementations at one shape, in turn."""
    H = random_hypergraph(n, m, degree)
    runs: dict[str, Run | None] = {
        "words": ours(H, "stub", "words") if n <= 64 else None,
        "words, vertex-labelled": ours(H, "vertex", "words") if n <= 64 else None,
        "lists": ours(H, "stub", "lists"),
        "lists, vertex-labelled": ours(H, "vertex", "lists"),
        "hypergraphx": hypergraphx_run(H),
        "Chodrow": chodrow_run(H),
    }
    available = {name: run for name, run in runs.items() if run is not None}
    speeds: dict[str, list[float]] = {name: [] for name in available}
    for _ in range(ROUNDS):
        for name, (proposals, call) in available.items():
            speeds[name].append(proposals / seconds(call))
    row: dict[str, Any] = {"nodes": n, "hyperedges": m, "incidences": H.num_incidences}
    row["per_second"] = {name: statistics.median(values) for name, values in speeds.items()}
    best = next(iter(available))
    row["times_faster"] = {
        other: statistics.median(a / b for a, b in zip(speeds[best], speeds[other], strict=True))
        for other in ("hypergraphx", "Chodrow")
        if other in available
    }
    print(row, flush=True)
    return row


def main() -> None:
    """Measure and record."""
    speed = [speed_row(*shape) for shape in SHAPES]
    config = {
        "seed": SEED,
        "rounds": ROUNDS,
        "proposals": {"ours": OURS, "theirs": THEIRS},
        "statistic": "sum of |e ∩ f|²",
    }
    print(save("configuration", config, {"speed": speed, "mixing": mixing()}, ("numba", "hypergraphx")))


if __name__ == "__main__":
    main()
