"""The generated parts of docs/hedge.md: from the benchmark's records of ``experiments/real.toml`` and ``choices.toml``, and from our own."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.paper import DATASETS
from benchmarks.record import RESULTS, ROOT
from hyperhedge.bench.experiment import read_experiment
from hyperhedge.bench.page import provenance
from hyperhedge.bench.results import Results, load_results
from hyperhedge.metrics import DEFAULT, METRICS

__all__ = [
    "architecture_block",
    "choices_blocks",
    "choosing_block",
    "quality_blocks",
    "redrawn",
    "results_of",
    "sampler_block",
    "speed_block",
]

KEYS = tuple(metric.key for metric in DEFAULT if metric.key != "node_number")
_SIGNED = ("density_gap", "degree_gap", "size_gap")
_NOTHING = 1e-9  # a distance that is 0 but for rounding


def results_of(name: str) -> Results:
    """Read the records of an experiment."""
    return load_results(read_experiment(ROOT / "experiments" / f"{name}.toml"), RESULTS / name)


def title(case: str) -> str:
    """Name a case for a reader."""
    name, _, rest = case.partition(" ")
    return f"{DATASETS[name].title} {rest}".strip()


def spread(found: Sequence[float], *, signed: bool = False) -> str:
    """Write mean ± standard deviation; of a gap, the mean of its size."""
    values = np.array(found) if signed else np.abs(found)
    digits = 3 if abs(values.mean()) >= 0.01 or not values.any() else 4
    deviation = f" ± {values.std(ddof=1):.{digits}f}" if len(values) > 1 else ""
    return f"{values.mean():.{digits}f}{deviation}"


# -- how well ----------------------------------------------------------------------------------------

Sizes = dict[tuple[str, str, str], list[float]]
"""By dataset, method and metric: its size in each draw."""


def redrawn(record: dict[str, Any]) -> Sizes:
    """Collect the values of :mod:`benchmarks.redraws`; of a gap, without its sign."""
    sizes: Sizes = defaultdict(list)
    for row in record["measured"]:
        for key in KEYS:
            sizes[row["dataset"], row["method"], key].append(abs(row["values"][key]))
    return sizes


def quality_blocks(results: Results, sizes: Sizes) -> dict[str, str]:
    """Return ratios to the floor, what became of the trainings, and who made the records."""
    return {
        "hedge verdicts": _verdicts(sizes),
        "hedge trainings": _trainings(results),
        "hedge record": provenance(results),
    }


def _verdicts(sizes: Sizes) -> str:
    """Tell for each metric and dataset the ratio to the floor, and whether HCM-MCMC is beaten."""
    datasets = list(dict.fromkeys(dataset for dataset, _, _ in sizes))
    lines = [
        f"| Hedge / floor (HCM-MCMC / floor) | {' | '.join(map(title, datasets))} |",
        f"|---|{'---:|' * len(datasets)}",
    ]
    real, below, near = (dict.fromkeys(datasets, 0) for _ in range(3))
    for key in KEYS:
        cells = []
        for name in datasets:
            ours, hcm = _ratios(sizes, name, key)
            as_real = not _is_farther(sizes[name, "Hedge", key], sizes[name, "real", key])
            real[name] += as_real
            below[name] += as_real or ours < hcm
            near[name] += ours <= 2
            cells.append(f"{_shown(ours) if as_real else f'**{_shown(ours)}**'} ({_shown(hcm)})")
        lines.append(f"| {METRICS[key].title} | {' | '.join(cells)} |")
    for text, counts in (
        ("as good as real", real),
        ("as good as real, or nearer than HCM-MCMC", below),
        ("within twice the floor", near),
    ):
        lines.append(f"| {text} | {' | '.join(f'{count} of {len(KEYS)}' for count in counts.values())} |")
    totals = [sum(counts.values()) for counts in (real, below, near)]
    return "\n".join(
        [
            *lines,
            "",
            f"Of {len(KEYS) * len(datasets)} pairs of a metric and a dataset, Hedge is as good as real in {totals[0]}, as good as real or nearer than "
            f"HCM-MCMC in {totals[1]}, and within twice the floor in {totals[2]}. (The three gaps are one number in three units.)",
        ]
    )


def _ratios(sizes: Sizes, dataset: str, key: str) -> tuple[float, float]:
    """Return the mean sizes of Hedge and of HCM-MCMC over that of real hypergraphs; of nothing by nothing, 1."""
    floor, ours, hcm = (statistics.mean(sizes[dataset, method, key]) for method in ("real", "Hedge", "HCM-MCMC"))
    if floor > _NOTHING:
        return ours / floor, hcm / floor
    return (1.0 if ours <= _NOTHING else math.inf), (1.0 if hcm <= _NOTHING else math.inf)


def _is_farther(ours: Sequence[float], real: Sequence[float]) -> bool:
    """Say whether the mean of ours is above that of real ones by more than two standard errors of the difference."""
    error = math.sqrt(statistics.variance(ours) / len(ours) + statistics.variance(real) / len(real))
    return statistics.mean(ours) - statistics.mean(real) > 2 * error + _NOTHING


def _shown(ratio: float) -> str:
    return "∞" if math.isinf(ratio) else f"{ratio:.1f}"


def _trainings(results: Results) -> str:
    lines = [
        "| | steps | minutes, one core | validation loss | novelty: Hedge (HCM-MCMC) | entries within 0.1 of 0 or 1 | changed by projection |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for name in results.experiment.datasets:
        records = list(results.of(name, "hedge").values())
        if not records:
            continue
        novelty = [_novelty(results, name, method) for method in ("hedge", "hcm")]
        minutes = [record.seconds["training"] / 60 for record in records]
        drawn = [record.facts["drawn"] for record in records if "drawn" in record.facts]
        shares = [
            f"{statistics.mean(one[key] for one in drawn):.2%}" if drawn else "–" for key in ("decided", "changed")
        ]
        training = [record.facts["training"] for record in records]
        lines.append(
            f"| {title(name)} | {training[0]['iterations']:,} | {', '.join(f'{m:.1f}' for m in minutes)} "
            f"| {statistics.mean(t['validation'] for t in training):.3f} | {novelty[0]:.2f} ({novelty[1]:.2f}) | {' | '.join(shares)} |"
        )
    return "\n".join(lines)


def _novelty(results: Results, dataset: str, method: str) -> float:
    return statistics.mean(record.properties["novelty"] or 0.0 for record in results.of(dataset, method).values())


def choosing_block(results: Results, sizes: Sizes) -> dict[str, str]:
    """Return what tells whether a learned generator is worth its training: some ratios to the floor, novelty, minutes."""
    datasets = list(results.experiment.datasets)
    lines = [
        f"| Hedge (HCM-MCMC) | {' | '.join(map(title, datasets))} |",
        f"|---|{'---:|' * len(datasets)}",
    ]
    for key in ("degree_wd", "size_wd", "intersection_wd", "pair_degree_ks", "edge_spectral_wd", "feature_mmd"):
        ratios = [_ratios(sizes, name, key) for name in datasets]
        cells = [f"{_shown(ours)} ({_shown(hcm)})" for ours, hcm in ratios]
        lines.append(f"| {METRICS[key].title}, times the floor | {' | '.join(cells)} |")
    shown = [f"{_novelty(results, name, 'hedge'):.2f} ({_novelty(results, name, 'hcm'):.2f})" for name in datasets]
    lines.append(f"| novelty | {' | '.join(shown)} |")
    minutes = [
        statistics.mean(r.seconds["training"] for r in results.of(name, "hedge").values()) / 60 for name in datasets
    ]
    lines.append(f"| training, minutes of one core | {' | '.join(f'{m:.0f} (0)' for m in minutes)} |")
    return {"choosing": "\n".join(lines)}


# -- choices -----------------------------------------------------------------------------------------


def choices_blocks(results: Results) -> dict[str, str]:
    """Return the table of what the defaults were chosen against."""
    (dataset,) = results.experiment.datasets
    methods = [name for name in results.experiment.methods if results.of(dataset, name)]
    lines = [
        f"| | {' | '.join(results.title(name) for name in methods)} |",
        f"|---|{'---:|' * len(methods)}",
    ]
    for key in KEYS:
        cells = [spread(list(results.sizes(dataset, name, key).values())) for name in methods]
        lines.append(f"| {METRICS[key].title} | {' | '.join(cells)} |")
    for name in ("fidelity", "novelty"):
        scores = [[r.properties[name] or 0.0 for r in results.of(dataset, method).values()] for method in methods]
        lines.append(f"| {name} | {' | '.join(f'{statistics.mean(found):.2f}' for found in scores)} |")
    lines.append(f"| seeds | {' | '.join(str(len(results.of(dataset, name))) for name in methods)} |")
    return {"hedge choices": "\n".join(lines), "hedge choices record": provenance(results)}


# -- samplers, networks, speed -----------------------------------------------------------------------


def sampler_block(record: dict[str, Any]) -> dict[str, str]:
    """Return the table of samplers and steps."""
    rows = record["measured"]
    keys = [key for key in rows[0]["values"] if key not in ("node_number", "degree_gap", "size_gap")]
    lines = [
        f"| | sampler | evaluations | {' | '.join(METRICS[key].title for key in keys)} |",
        f"|---|---|---:|{'---:|' * len(keys)}",
    ]
    for case, sampler, steps in dict.fromkeys((row["case"], row["sampler"], row["steps"]) for row in rows):
        own = [row for row in rows if (row["case"], row["sampler"], row["steps"]) == (case, sampler, steps)]
        cells = [spread([row["values"][key] for row in own], signed=key in _SIGNED) for key in keys]
        lines.append(f"| {title(case)} | {sampler} | {steps} | {' | '.join(cells)} |")
    return {"hedge samplers": "\n".join(lines)}


def architecture_block(record: dict[str, Any]) -> dict[str, str]:
    """Return the table of networks."""
    keys = ("intersection_wd", "pair_degree_ks", "edge_spectral_wd", "singular_values", "feature_mmd")
    lines = [
        f"| network | parameters | steps | samples/s | validation loss | {' | '.join(METRICS[key].title for key in keys)} |",
        f"|---|---:|---:|---:|---:|{'---:|' * len(keys)}",
    ]
    for row in record["measured"]:
        cells = " | ".join(f"{row['values'][key]:.3f}" for key in keys)
        lines.append(
            f"| {row['network']} | {row['parameters']:,} | {row['iterations']:,} | {row['samples_per_second']:.0f} "
            f"| {row['validation']:.3f} | {cells} |"
        )
    return {"hedge networks": "\n".join(lines)}


def speed_block(record: dict[str, Any]) -> dict[str, str]:
    """Return the table of speeds."""
    measured, config = record["measured"], record["config"]
    times, networks = measured["networks"]["milliseconds"], measured["networks"]
    lines = [
        f"| gradient of {config['batch']} hypergraphs of {config['nodes']} × {config['hyperedges']} | milliseconds | times our step |",
        "|---|---:|---:|",
    ]
    names = {
        "step": "**our step**: two workers, memory kept",
        "ours": "our network, eager",
        "plain": "our network, written plainly (einsum)",
        "PPGN": "PPGN, eager",
        "exchangeable": "exchangeable layers, eager",
        "axial attention": "axial attention, eager",
        "whole step": "our step with draws, targets, features, optimiser, average",
    }
    lines += [f"| {text} | {times[name]:.0f} | {times[name] / times['step']:.1f} |" for name, text in names.items()]
    rate, gemm = networks["gigaflop_per_second"], networks["gemm_gigaflop_per_second"]
    sampling, busy = measured["sampling"], measured["busy"]
    lines += [
        "",
        f"The step has {networks['gigaflop']:.1f} GFLOP: {rate:.0f} GFLOP/s, {rate / gemm:.0%} of the machine's {gemm:.0f} GFLOP/s in a product of "
        f"1024 × 1024 matrices. {1 - times['step'] / times['whole step']:.0%} of the whole step is outside the network. Sampling "
        f"{sampling['count']:,} hypergraphs of that size in {sampling['steps']} steps takes {sampling['seconds']:.1f} s: "
        f"{sampling['samples_per_second']:.0f} a second. Beside a process that keeps one core busy, training does {busy['share']:.0%} of the "
        f"steps that it does alone.",
        "",
        "| size | a step of 4 hypergraphs | per entry | peak memory of the process |",
        "|---|---:|---:|---:|",
    ]
    for row in measured["sizes"]:
        entry = 1e6 * row["milliseconds"] / (row["batch"] * row["n"] * row["m"])
        lines.append(
            f"| {row['n']} × {row['m']} | {row['milliseconds']:.0f} ms | {entry:.0f} ns | {row['peak_mib']:,.0f} MiB |"
        )
    return {"hedge speed": "\n".join(lines)}
