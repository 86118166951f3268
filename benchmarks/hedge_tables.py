"""The generated parts of docs/hedge.md: from the records of ``experiments/real.toml`` and ``choices.toml``, and of measurements."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.paper import DATASETS
from benchmarks.results import provenance
from hyperhedge.bench.results import Results
from hyperhedge.metrics import DEFAULT, METRICS

__all__ = [
    "architecture_block",
    "choices_blocks",
    "choosing_block",
    "quality_blocks",
    "repeated_magnitudes",
    "sampler_block",
    "speed_block",
]

KEYS = tuple(metric.key for metric in DEFAULT if metric.key != "node_number")
_SIGNED = ("density_gap", "degree_gap", "size_gap")
_NOTHING = 1e-9  # a distance that is 0 but for rounding


def title(case: str) -> str:
    """Return a case's name for a reader."""
    name, _, rest = case.partition(" ")
    return f"{DATASETS[name].title} {rest}".strip()


def spread(numbers: Sequence[float], *, signed: bool = False) -> str:
    """Format mean ± standard deviation; of a gap, the mean of its magnitude."""
    values = np.array(numbers) if signed else np.abs(numbers)
    digits = 3 if abs(values.mean()) >= 0.01 or not values.any() else 4
    deviation = f" ± {values.std(ddof=1):.{digits}f}" if len(values) > 1 else ""
    return f"{values.mean():.{digits}f}{deviation}"


# -- how well ----------------------------------------------------------------------------------------

Magnitudes = dict[tuple[str, str, str], list[float]]
"""By dataset, method and metric: its magnitude in each repeat."""


def repeated_magnitudes(record: dict[str, Any]) -> Magnitudes:
    """Collect the values of :mod:`benchmarks.repeated_samples`; of a gap, without its sign."""
    magnitudes: Magnitudes = defaultdict(list)
    for row in record["measured"]:
        for key in KEYS:
            magnitudes[row["dataset"], row["method"], key].append(abs(row["values"][key]))
    return magnitudes


def quality_blocks(results: Results, magnitudes: Magnitudes) -> dict[str, str]:
    """Return ratios to the floor, the trainings, and where the records come from."""
    return {
        "hedge verdicts": _verdicts(magnitudes),
        "hedge trainings": _trainings(results),
        "hedge record": provenance("real", results),
    }


def _verdicts(magnitudes: Magnitudes) -> str:
    """Show for each metric and dataset the ratio to the floor, and whether HCM-MCMC is beaten."""
    datasets = list(dict.fromkeys(dataset for dataset, _, _ in magnitudes))
    lines = [
        f"| Hedge / floor (HCM-MCMC / floor) | {' | '.join(map(title, datasets))} |",
        f"|---|{'---:|' * len(datasets)}",
    ]
    real, below, near = (dict.fromkeys(datasets, 0) for _ in range(3))
    for key in KEYS:
        cells = []
        for name in datasets:
            ours, hcm = _ratios(magnitudes, name, key)
            as_real = not _is_farther(magnitudes[name, "Hedge", key], magnitudes[name, "real", key])
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


def _ratios(magnitudes: Magnitudes, dataset: str, key: str) -> tuple[float, float]:
    """Return the mean magnitudes of Hedge and of HCM-MCMC over that of real hypergraphs; 0 / 0 counts as 1."""
    floor, ours, hcm = (statistics.mean(magnitudes[dataset, method, key]) for method in ("real", "Hedge", "HCM-MCMC"))
    if floor > _NOTHING:
        return ours / floor, hcm / floor
    return (1.0 if ours <= _NOTHING else math.inf), (1.0 if hcm <= _NOTHING else math.inf)


def _is_farther(ours: Sequence[float], real: Sequence[float]) -> bool:
    """Whether the mean of ours is above that of real ones by more than two standard errors of the difference."""
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
        entries = [record.facts["drawn"] for record in records if "drawn" in record.facts]
        shares = [
            f"{statistics.mean(one[key] for one in entries):.2%}" if entries else "–" for key in ("decided", "changed")
        ]
        training = [record.facts["training"] for record in records]
        lines.append(
            f"| {title(name)} | {training[0]['iterations']:,} | {', '.join(f'{m:.1f}' for m in minutes)} "
            f"| {statistics.mean(t['validation'] for t in training):.3f} | {novelty[0]:.2f} ({novelty[1]:.2f}) | {' | '.join(shares)} |"
        )
    return "\n".join(lines)


def _novelty(results: Results, dataset: str, method: str) -> float:
    return statistics.mean(record.properties["novelty"] or 0.0 for record in results.of(dataset, method).values())


def choosing_block(results: Results, magnitudes: Magnitudes) -> dict[str, str]:
    """Return what decides whether a learned generator is worth its training: some ratios to the floor, novelty, minutes."""
    datasets = list(results.experiment.datasets)
    lines = [
        f"| Hedge (HCM-MCMC) | {' | '.join(map(title, datasets))} |",
        f"|---|{'---:|' * len(datasets)}",
    ]
    for key in ("degree_wd", "size_wd", "intersection_wd", "pair_degree_ks", "edge_spectral_wd", "feature_mmd"):
        ratios = [_ratios(magnitudes, name, key) for name in datasets]
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
    """Return the table of the defaults and their alternatives."""
    (dataset,) = results.experiment.datasets
    methods = [name for name in results.experiment.methods if results.of(dataset, name)]
    lines = [
        f"| | {' | '.join(results.title(name) for name in methods)} |",
        f"|---|{'---:|' * len(methods)}",
    ]
    for key in KEYS:
        cells = [spread(list(results.magnitudes(dataset, name, key).values())) for name in methods]
        lines.append(f"| {METRICS[key].title} | {' | '.join(cells)} |")
    for name in ("fidelity", "novelty"):
        scores = [[r.properties[name] or 0.0 for r in results.of(dataset, method).values()] for method in methods]
        lines.append(f"| {name} | {' | '.join(f'{statistics.mean(values):.2f}' for values in scores)} |")
    lines.append(f"| seeds | {' | '.join(str(len(results.of(dataset, name))) for name in methods)} |")
    return {"hedge choices": "\n".join(lines), "hedge choices record": provenance("choices", results)}


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
        seeds = [row for row in rows if (row["case"], row["sampler"], row["steps"]) == (case, sampler, steps)]
        cells = [spread([row["values"][key] for row in seeds], signed=key in _SIGNED) for key in keys]
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
        "whole step": "our step with sampling, targets, features, optimiser, average",
    }
    lines += [f"| {text} | {times[name]:.0f} | {times[name] / times['step']:.1f} |" for name, text in names.items()]
    rate, gemm = networks["gigaflop_per_second"], networks["gemm_gigaflop_per_second"]
    sampling, busy = measured["sampling"], measured["busy"]
    lines += [
        "",
        f"The step has {networks['gigaflop']:.1f} GFLOP: {rate:.0f} GFLOP/s, {rate / gemm:.0%} of the machine's {gemm:.0f} GFLOP/s in a product of "
        f"1024 × 1024 matrices. {1 - times['step'] / times['whole step']:.0%} of the whole step is outside the network. Sampling "
        f"{sampling['count']:,} hypergraphs of that size in {sampling['steps']} steps takes {sampling['seconds']:.1f} s: "
        f"{sampling['samples_per_second']:.0f} per second. Beside a process that keeps one core busy, training does {busy['share']:.0%} of the "
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
