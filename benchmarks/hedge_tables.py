"""The generated parts of docs/hedge.md."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

from benchmarks.paper import DATASETS
from hyperhedge.metrics import METRICS

__all__ = ["architecture_block", "collected", "given_block", "quality_blocks", "sampler_block", "speed_block"]

METHODS = ("real", "HCM-MCMC", "Hedge")
_SIGNED = ("density_gap", "degree_gap", "size_gap")


def title(case: str) -> str:
    """Name a case for a reader."""
    name, _, rest = case.partition(" ")
    return f"{DATASETS[name].title} {rest}".strip()


def spread(found: list[float], *, signed: bool = False) -> str:
    """Write mean ± standard deviation; of a gap, the mean of its size."""
    values = np.array(found) if signed else np.abs(found)
    digits = 3 if abs(values.mean()) >= 0.01 or not values.any() else 4
    return f"{values.mean():.{digits}f} ± {values.std(ddof=1):.{digits}f}"


def collected(record: dict[str, Any]) -> tuple[list[str], list[str], dict[tuple[str, str, str], list[float]]]:
    """Return the cases and the metrics of a record, and the values of each metric, method and case."""
    values: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for case in record["measured"]:
        for row in case["rows"]:
            for key, value in row["values"].items():
                values[key, row["method"], case["case"]].append(value)
    keys = [key for key in dict.fromkeys(key for key, _, _ in values) if key != "node_number"]
    return [case["case"] for case in record["measured"]], keys, values


def quality_blocks(record: dict[str, Any]) -> dict[str, str]:
    """Return the table of all metrics, the verdicts, and the table of trainings."""
    cases, keys, values = collected(record)
    return {
        "hedge quality": _quality(values, keys, cases),
        "hedge verdicts": _verdicts(values, keys, cases),
        "hedge trainings": _trainings(record["measured"]),
    }


def _quality(values: dict[tuple[str, str, str], list[float]], keys: list[str], cases: list[str]) -> str:
    lines = [f"| metric | method | {' | '.join(map(title, cases))} |", f"|---|---|{'---:|' * len(cases)}"]
    for key in keys:
        for k, method in enumerate(METHODS):
            cells = [spread(values[key, method, case]) for case in cases]
            lines.append(f"| {METRICS[key].title if k == 0 else ''} | {method} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _verdicts(values: dict[tuple[str, str, str], list[float]], keys: list[str], cases: list[str]) -> str:
    """Tell for each metric and case the ratio to the floor, and whether HCM-MCMC is beaten."""
    lines = [
        f"| Hedge / floor (HCM-MCMC / floor) | {' | '.join(map(title, cases))} |",
        f"|---|{'---:|' * len(cases)}",
    ]
    wins, near = [0] * len(cases), [0] * len(cases)
    for key in keys:
        cells = []
        for k, case in enumerate(cases):
            floor, hcm, ours = (float(np.mean(np.abs(values[key, method, case]))) for method in METHODS)
            wins[k] += ours < hcm or ours <= floor
            near[k] += ours <= 2 * floor
            cells.append(_ratio(ours, floor) + f" ({_ratio(hcm, floor)})")
        lines.append(f"| {METRICS[key].title} | {' | '.join(cells)} |")
    lines.append(f"| **at or below HCM-MCMC or the floor** | {' | '.join(f'{n} of {len(keys)}' for n in wins)} |")
    lines.append(f"| **within twice the floor** | {' | '.join(f'{n} of {len(keys)}' for n in near)} |")
    return "\n".join(lines)


def _ratio(value: float, floor: float) -> str:
    if not floor:
        return "=" if not value else "∞"
    return f"{value / floor:.1f}"


def _trainings(rows: list[dict[str, Any]]) -> str:
    lines = [
        "| | steps | minutes | validation loss | novelty: Hedge (HCM-MCMC, real) | entries within 0.1 of 0 or 1 | changed by projection |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for row in rows:
        training = row["training"]
        novelty = [
            np.mean([r["novelty"] for r in row["rows"] if r["method"] == m]) for m in ("Hedge", "HCM-MCMC", "real")
        ]
        own = [r for r in row["rows"] if r["method"] == "Hedge"]
        lines.append(
            f"| {title(row['case'])} | {training['iterations']:,} | {training['seconds'] / 60:.1f} | {training['validation']:.3f} "
            f"| {novelty[0]:.2f} ({novelty[1]:.2f}, {novelty[2]:.2f}) | {np.mean([r['decided'] for r in own]):.2%} "
            f"| {np.mean([r['changed'] for r in own]):.3%} |"
        )
    return "\n".join(lines)


def given_block(sizes: dict[str, Any], both: dict[str, Any]) -> dict[str, str]:
    """Return the table that compares given hyperedge sizes with given sizes and degrees, where both were measured."""
    found = {"sizes": _means(sizes), "both": _means(both)}
    cases = [
        row["case"] for row in sizes["measured"] if any(other["case"] == row["case"] for other in both["measured"])
    ]
    keys = [key for key in sizes["measured"][0]["rows"][0]["values"] if key != "node_number"]
    heads = [f"{title(case)}: floor | HCM-MCMC | sizes | both" for case in cases]
    lines = [f"| | {' | '.join(heads)} |", f"|---|{'---:|' * (4 * len(cases))}"]
    for key in keys:
        cells = []
        for case in cases:
            rows = [("sizes", "real"), ("sizes", "HCM-MCMC"), ("sizes", "Hedge"), ("both", "Hedge")]
            cells += [f"{found[record][case, method, key]:.4f}" for record, method in rows]
        lines.append(f"| {METRICS[key].title} | {' | '.join(cells)} |")
    return {"hedge given": "\n".join(lines)}


def _means(record: dict[str, Any]) -> dict[tuple[str, str, str], float]:
    """Return the mean size of every metric, by case, method and metric."""
    values: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for case in record["measured"]:
        for row in case["rows"]:
            for key, value in row["values"].items():
                values[case["case"], row["method"], key].append(abs(value))
    return {key: float(np.mean(found)) for key, found in values.items()}


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
