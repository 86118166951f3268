"""Evaluate whole hypergraphs: every measure with floor and null models, copies, defects, seams, and yardsticks for the scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from rich.console import Console

from hyperhedge._system.memory import admit
from hyperhedge._system.progress import Meter
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.errors import HyperhedgeError, MissingDependencyError
from hyperhedge.metrics.whole.seams import Seam, seams_by_cluster, seams_by_detour
from hyperhedge.metrics.whole.statistics import WholeStatistics
from hyperhedge.models.base import fingerprint
from hyperhedge.models.configuration import shuffle
from hyperhedge.report.provenance import versions
from hyperhedge.report.report import Baseline, fidelity
from hyperhedge.report.whole.judge import NULL, WHY_BLUNT, Judge, WholeOptions, given, yardstick
from hyperhedge.report.whole.reference import Pass, Tasks, run, whole_bytes
from hyperhedge.report.whole.report import WholeReport, Yardstick

Collections: TypeAlias = Mapping[str, Sequence[Hypergraph]]

MOST_CLUSTERED = 60_000
"""The most hyperedges that are clustered for the seams: more take the partitioner minutes."""


def evaluate_whole(
    real: Sequence[Hypergraph],
    generated: Sequence[Hypergraph],
    train: Sequence[Hypergraph] | None,
    baselines: Collections,
    options: WholeOptions,
    name: str,
    progress: Console | bool | None,
) -> WholeReport:
    """Compare whole hypergraphs; :func:`hyperhedge.evaluate` says what the arguments mean."""
    known = tuple(real if train is None else train)
    collections = {"real": real, "generated": generated} | ({} if train is None else {"train": known})
    everything = {**collections, **baselines}
    for role, collection in everything.items():
        if not collection:
            raise HyperhedgeError(f"{role} is empty; give at least one hypergraph")
    need = whole_bytes(H for collection in everything.values() for H in collection)
    admit(need, "evaluating", "evaluate a part of the hypergraph", progress)
    tasks = Judge.tasks(real, known, options)
    made_tasks: Tasks = {("generated", j): given(H, known) for j, H in enumerate(generated)}
    for key, samples in baselines.items():
        made_tasks |= {("baseline", key, j): given(H, known) for j, H in enumerate(samples)}
    with Meter(progress, "evaluating", len(tasks) + len(made_tasks) + 3) as meter:
        passes = run(tasks | made_tasks, options.seed, meter)
        null = shuffle(real[0], seed=options.seed)
        graphs = {"real": real[0], "generated": generated[0], NULL: null} | {k: v[0] for k, v in baselines.items()}
        seams, notes = _seams({key: graphs[key] for key in meter.count(("real", "generated", NULL))}, options.seed)
    judge = Judge(passes, len(real), None if train is None else known, options)
    made = [passes["generated", j] for j in range(len(generated))]
    others = {key: [passes["baseline", key, j] for j in range(len(samples))] for key, samples in baselines.items()}
    rows, novelty = judge.rows(made), judge.novelty(made)
    return WholeReport(
        name=name,
        properties={"fidelity": fidelity(rows, WHY_BLUNT), "novelty": novelty, "validity": judge.validity(made)},
        details=rows,
        counts={role: len(collection) for role, collection in collections.items()},
        settings=options.as_data()
        | {"versions": versions(), "data": {key: fingerprint(list(graphs)) for key, graphs in everything.items()}},
        notes=(*_sampled_notes(made[0].statistics), *notes),
        baselines={key: Baseline.of(len(one), judge.rows(one)) for key, one in others.items()},
        yardsticks={"generated": yardstick(rows, novelty, "generated")}
        | _baseline_yardsticks(judge, others)
        | judge.yardsticks(),
        seams=seams,
        statistics={"real": judge.reals[0], "generated": made[0].statistics, NULL: judge.nulls[0][0]}
        | {key: one[0].statistics for key, one in others.items()},
        halves=tuple(judge.halves[0]),
        graphs=graphs,
    )


def _baseline_yardsticks(judge: Judge, others: Mapping[str, Sequence[Pass]]) -> dict[str, Yardstick]:
    return {key: yardstick(judge.rows(one), judge.novelty(one), "baseline") for key, one in others.items()}


# -- seams and notes ---------------------------------------------------------------------------------


def _seams(graphs: Mapping[str, Hypergraph], seed: int) -> tuple[dict[str, dict[str, tuple[Seam, ...]]], list[str]]:
    """Return the seams of hypergraphs by detour and, where they can be clustered, by cluster."""
    by_detour = {name: seams_by_detour(H, seed=seed) for name, H in graphs.items()}
    if max(H.m for H in graphs.values()) > MOST_CLUSTERED:
        return {"detour": by_detour}, [
            f"Seams by cluster are left out: there are more than {MOST_CLUSTERED:,} hyperedges."
        ]
    try:
        by_cluster = {name: seams_by_cluster(H, seed=seed) for name, H in graphs.items()}
    except MissingDependencyError as error:
        return {"detour": by_detour}, [f"Seams by cluster are left out: {error}."]
    return {"detour": by_detour, "cluster": by_cluster}, []


def _sampled_notes(one: WholeStatistics) -> list[str]:
    """Say what was estimated from a sample."""
    if not one.sampled:
        return []
    return ["Estimated from samples: " + "; ".join(f"{what} ({how})" for what, how in one.sampled.items()) + "."]
