r"""How well Hedge learns where hyperedges overlap: ``python -m benchmarks.learner``.

*Problems.* Pieces by a walk (:data:`PIECES`), and leaves of a whole hypergraph (:data:`LEAVES`): the clusters of the multiscale
shuffle's tree. Half of the coarsest clusters are held out; training leaves are those of several partitions of the other half, and
held-out ones of several partitions of this half.

*Two errors.* Every model samples twice: with the edge sizes and degrees of fresh real hypergraphs, so all that is wrong is the
network's (``network``), and with those that it generates itself (``own``).

*A row* has the distances to held-out hypergraphs, and the same of fresh real ones (the floor, a mean over splits) and of the
configuration model with the margins of fresh real ones (``hcm``).
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cached_property
from multiprocessing import get_context
from typing import Any

import numpy as np

import hyperhedge as hh
from benchmarks.record import RESULTS, commit, load, save
from hyperhedge.metrics import METRICS, Settings, Statistics, statistics_of
from hyperhedge.metrics.detectability import classifier_auc
from hyperhedge.metrics.novelty import novelty
from hyperhedge.models.hedge.margins import TrainingMarginals
from hyperhedge.models.hedge.sampling import sample_all
from hyperhedge.models.multiscale.tree import Tree
from hyperhedge.train.workers import at_most_workers
from hyperhedge.typing import FloatArray, IntArray

PIECES = {
    "house-committees": (64, 16),
    "cora": (64, 25),
    "citeseer": (64, 25),
    "actor": (64, 25),
    "dblp": (64, 18),
    "contact-high-school": (64, 25),
}
LEAVES = {
    "dblp-16": ("dblp", 16),
    "dblp-64": ("dblp", 64),
    "house-16": ("house-committees", 16),
    "house-64": ("house-committees", 64),
}
PARTITIONS = {"dblp": 3, "house-committees": 20}
TRAIN, FRESH, HELD_OUT, FLOORS = 2000, 200, 500, 5
COMPARED = (
    "intersection_wd",
    "pair_degree_ks",
    "node_spectral_wd",
    "edge_spectral_wd",
    "singular_values",
    "spectral_mmd",
    "feature_mmd",
)


@dataclass(frozen=True)
class Problem:
    """Hypergraphs to learn from, fresh ones that lend their margins, and held-out ones to compare with."""

    name: str
    train: list[hh.Hypergraph]
    fresh: list[hh.Hypergraph]
    held_out: list[hh.Hypergraph]


def problem(name: str, seed: int) -> Problem:
    """Return a problem by name: a dataset for pieces by a walk, or the name of leaves."""
    if name in LEAVES:
        return _leaves(name, seed)
    n, m = PIECES[name]
    bank = hh.load_dataset(name).bank(n, m, TRAIN + FRESH + HELD_OUT, protocol="walk", seed=1000 + seed)
    return Problem(name, bank[:TRAIN], bank[TRAIN : TRAIN + FRESH], bank[TRAIN + FRESH :])


def _leaves(name: str, seed: int) -> Problem:
    source, leaf = LEAVES[name]
    H, rng = hh.load_dataset(source).hypergraph, np.random.default_rng(seed)
    coarse = Tree.of(H, leaf).levels[1]
    order = rng.permutation(coarse.max() + 1)
    learned = np.isin(coarse, order[: len(order) // 2])
    halves = [
        [G for _ in range(PARTITIONS[source]) for G in leaves_of(H, np.flatnonzero(chosen), leaf, rng)]
        for chosen in (learned, ~learned)
    ]
    train, others = ([half[k] for k in rng.permutation(len(half))] for half in halves)
    train, others = train[:TRAIN], others[: FRESH + HELD_OUT]
    cut = min(FRESH, len(others) // 2)
    return Problem(name, train, others[:cut], others[cut:])


def leaves_of(H: hh.Hypergraph, edges: IntArray, leaf: int, rng: np.random.Generator) -> list[hh.Hypergraph]:
    """Cut the hypergraph of some hyperedges into leaves, by a random partition."""
    part = _of_edges(H, edges)
    cluster = Tree.of(part, leaf, rng=rng).leaves
    return [_of_edges(part, np.flatnonzero(cluster == k)) for k in range(cluster.max() + 1)]


def _of_edges(H: hh.Hypergraph, edges: IntArray) -> hh.Hypergraph:
    """Return some hyperedges with the nodes that occur in them."""
    number = np.full(H.m, -1)
    number[edges] = np.arange(len(edges))
    inside = number[H.edge_indices] >= 0
    nodes, rows = np.unique(H.indices[inside], return_inverse=True)
    return hh.Hypergraph.from_indices(rows, number[H.edge_indices[inside]], nodes=len(nodes), edges=len(edges))


class FreshMargins(TrainingMarginals):
    """Margins of given hypergraphs, each taken once, in order."""

    @cached_property
    def _left(self) -> dict[tuple[int, int], list[int]]:
        left: dict[tuple[int, int], list[int]] = defaultdict(list)
        for k, (n, m) in reversed(list(enumerate(self.shapes.tolist()))):
            left[n, m].append(k)
        return left

    def sample(self, n: int, m: int, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        """Return the next ones of this shape."""
        del rng
        k = self._left[n, m].pop()
        return self._edge_sizes_of(k), self._degrees_of(k)


def samples(model: hh.Hedge, given: Problem, seed: int, *, own: bool) -> list[hh.Hypergraph]:
    """Sample as many hypergraphs as there are fresh ones, with their shapes; with their margins too unless ``own``."""
    settings = model._sampling_settings(False, {})
    margins = model._marginals if own else FreshMargins.of(given.fresh)
    shapes = np.array([H.shape for H in given.fresh])
    return sample_all(
        model._denoiser, margins, shapes, settings, np.random.default_rng(seed), lambda _: None
    ).hypergraphs


def distances(real: Statistics, other: Statistics) -> dict[str, float]:
    """Compare two collections by the metrics of this benchmark."""
    return _weighted(real, other, np.ones((1, len(real))), np.ones((1, len(other))))


def _weighted(
    real: Statistics, other: Statistics, real_weights: FloatArray, other_weights: FloatArray
) -> dict[str, float]:
    """Compare under rows of weights; the mean over the rows."""
    values = {key: METRICS[key].compare(real, other, real_weights, other_weights, Settings()) for key in COMPARED}
    return {key: float(np.abs(value).mean()) for key, value in values.items()}


def floor_of(given: Problem) -> dict[str, float]:
    """Compare real hypergraphs with real ones, over several splits."""
    pool, rng = statistics_of(given.fresh + given.held_out, "real"), np.random.default_rng(0)
    some = np.zeros((FLOORS, len(pool)))
    some[:, : len(given.fresh)] = 1.0
    some = rng.permuted(some, axis=1)
    return _weighted(pool, pool, 1.0 - some, some)


def judged(given: Problem, new: list[hh.Hypergraph]) -> dict[str, float]:
    """Compare samples with held-out hypergraphs."""
    real, rng = statistics_of(given.held_out, "real"), np.random.default_rng(0)
    other = statistics_of(new, "generated")
    values = distances(real, other)
    values["auc"] = classifier_auc(real, other, rng)
    return values


def references(given: Problem) -> dict[str, dict[str, float]]:
    """Return the floor and the configuration model's distances."""
    shuffled = [hh.shuffle(H, seed=k) for k, H in enumerate(given.fresh)]
    return {"floor": floor_of(given), "hcm": judged(given, shuffled)}


def trial(name: str, seed: int, label: str, options: dict[str, Any]) -> dict[str, Any]:
    """Train, sample and compare, on one core."""
    with at_most_workers(1):
        given = problem(name, seed)
        started = time.perf_counter()
        model = hh.Hedge(seed=seed, **options).fit(given.train)
        fitted = time.perf_counter()
        own = samples(model, given, seed, own=True)
        sampled = time.perf_counter()
        learned, real, new = (statistics_of(part, "") for part in (given.train, given.held_out, own))
        return {
            "problem": name,
            "seed": seed,
            "label": label,
            "options": options,
            "commit": commit(),
            "steps": model.training_["iterations"],
            "seconds": {"fit": fitted - started, "sample": sampled - fitted},
            "own": judged(given, own),
            "network": judged(given, samples(model, given, seed, own=False)),
            "novelty": novelty(learned, real, new).score,
            **references(given),
        }


def main() -> None:
    """Run trials, and keep each in the record when it is done."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("problems", nargs="*", default=[*PIECES, *LEAVES], help="which; all by default")
    parser.add_argument("--seeds", type=int, nargs="*", default=[0, 1, 2])
    parser.add_argument("--label", default="default", help="a name for these options")
    parser.add_argument("--set", nargs="*", default=[], metavar="NAME=VALUE", help="options of Hedge")
    parser.add_argument("--jobs", type=int, default=2)
    chosen = parser.parse_args()
    options = {name: _value(text) for name, text in (item.split("=") for item in chosen.set)}
    cells = [(name, seed, chosen.label, options) for seed in chosen.seeds for name in chosen.problems]
    with ProcessPoolExecutor(chosen.jobs, mp_context=get_context("spawn")) as pool:
        for done in as_completed([pool.submit(trial, *cell) for cell in cells]):
            _keep(done.result())


def _keep(row: dict[str, Any]) -> None:
    """Add a row to the record, in place of an older one of the same problem, seed and label."""
    key = ("problem", "seed", "label")
    rows = load("learner")["measured"] if (RESULTS / "learner.json").is_file() else []
    rows = [other for other in rows if any(other[part] != row[part] for part in key)] + [row]
    rows.sort(key=lambda other: tuple(str(other[part]) for part in key))
    config = {"train": TRAIN, "fresh": FRESH, "held_out": HELD_OUT, "floors": FLOORS, "partitions": PARTITIONS}
    save("learner", config, rows, ("torch", "pymetis"))
    shown = {
        which: {key: round(row[which][key] / row["floor"][key], 1) for key in COMPARED} for which in ("own", "network")
    }
    print(*(row[part] for part in key), f"{row['seconds']['fit']:.0f} s, {row['steps']} steps", shown, file=sys.stderr)


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


if __name__ == "__main__":
    main()
