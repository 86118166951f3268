"""The generated parts of docs/data.md."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.paper import DATASETS, implied_degree

__all__ = ["blocks", "law_block"]

WHY = {
    "cora": "none",
    "citeseer": "none",
    "actor": "Upstream lists some members twice. The paper's 5.43 and 3.40 count them twice ({listed:,} listed); an incidence matrix has "
    "them once.",
    "house-committees": "Upstream has 341 hyperedges, one of them of size 1. The paper's 340 leaves it out, its 34.73 and 9.18 do not: "
    "11,842 / 340 would be 34.83.",
    "dblp": "The counts agree. The paper says that nodes are authors and hyperedges publications; upstream's hyperedges are named by "
    "authors, so it is the other way round.",
    "twitch": "The counts agree. Upstream's hyperedges are disjoint, so two of them never overlap.",
}


def blocks(record: dict[str, Any]) -> dict[str, str]:
    """Return the tables by name."""
    measured = record["measured"]
    return {
        "counts": _counts(measured["counts"]),
        "protocols": _protocols(measured["protocols"], record["config"]["count"]),
        "splits": _splits(measured["splits"], record["config"]["split_counts"]),
        "regimes": _regimes(measured["regimes"], record["config"]["count"]),
        "seconds": _seconds(measured["seconds"]),
    }


def _counts(counts: dict[str, Any]) -> str:
    lines = [
        "| dataset | | nodes | hyperedges | mean size | mean degree | density | isolated nodes | repeated hyperedges |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for name, paper in DATASETS.items():
        ours = counts[name]
        n, m, k = ours["nodes"], ours["hyperedges"], ours["incidences"]
        lines.append(
            f"| {paper.title} | ours | {n:,} | {m:,} | {k / m:.2f} | {k / n:.2f} | {k / n / m:.2e} | {ours['isolated']:,} | "
            f"{ours['repeated']:,} |"
        )
        lines.append(
            f"| | paper | {paper.nodes:,} | {paper.hyperedges:,} | {paper.mean_size:.2f} | {paper.mean_degree:.2f} | "
            f"{paper.mean_size / paper.nodes:.2e} | | |"
        )
    notes = [
        f"- **{DATASETS[name].title}.** {text.format(**counts[name])}" for name, text in WHY.items() if text != "none"
    ]
    return "\n".join([*lines, "", *notes])


def _protocols(rows: list[dict[str, Any]], count: int) -> str:
    titles = " | ".join(paper.title for paper in DATASETS.values())
    implied = " | ".join(f"{implied_degree(paper):.2f}" for paper in DATASETS.values())
    lines = [
        f"Mean degree of {count:,} subhypergraphs at the paper's sizes, with the mean overlap of two hyperedges in brackets; the last column is the "
        "root mean square of log(ours / implied).",
        "",
        f"| | {titles} | deviation |",
        f"|---|{'---:|' * 7}",
        f"| implied by the paper | {implied} | |",
    ]
    for title in dict.fromkeys(row["protocol"] for row in rows):
        mine = {row["dataset"]: row for row in rows if row["protocol"] == title}
        cells = [f"{mine[name]['degree']:.2f} ({mine[name]['overlap']:.3f})" for name in DATASETS]
        deviation = np.sqrt(np.mean([np.log(row["degree"] / row["implied"]) ** 2 for row in mine.values()]))
        lines.append(f"| {title} | {' | '.join(cells)} | {deviation:.2f} |")
    return "\n".join(lines)


def _splits(rows: list[dict[str, Any]], counts: list[int]) -> str:
    lines = [
        f"{counts[0]} / {counts[1]} / {counts[2]} hypergraphs at the paper's sizes. *Shared*: the share of the test set's hyperedges that are in some training "
        "hypergraph. *Closest*: the share of a test hypergraph's hyperedges that are in the one training hypergraph that has most of them. "
        "*Overlap*: the mean overlap of two hyperedges.",
        "",
        "| protocol | dataset | shared | closest | overlap, train / test | leak-free: shared | overlap, train / test |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {row['protocol']} | {DATASETS[row['dataset']].title} | {row['ordinary hyperedges']:.0%} | {row['ordinary closest']:.0%} | "
        f"{row['ordinary train overlap']:.3f} / {row['ordinary test overlap']:.3f} | {row['leak-free hyperedges']:.0%} | "
        f"{row['leak-free train overlap']:.3f} / {row['leak-free test overlap']:.3f} |"
        for row in rows
    ]
    return "\n".join(lines)


def law_block(record: dict[str, Any]) -> dict[str, str]:
    """Return the table of how alike the sets of leak-free splits are."""
    config = record["config"]
    lines = [
        f"Detectability of {config['pieces']} real training pieces against as many real test pieces, and of test pieces against pieces of the whole "
        f"(1: a classifier does no better than a coin toss), medians and least over {len(config['seeds'])} seeds; *before*: shares in proportion to 20 "
        "pieces to one, in runs of 2 m hyperedges; *p*: the least permutation p-value of training against test; *warned*: splits with a warning.",
        "",
        "| dataset | n × m | protocol | sets | before | training and test | p | test and whole | warned | seconds |",
        "|---|---|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {row['dataset']} | {row['n']} × {row['m']} | {row['protocol']} | {row['number of sets']} | {_median_and_least(row['before'])} | "
        f"{_median_and_least(row['sets'])} | {min(row['p']):.3f} | {_median_and_least(row['whole'])} | {sum(row['warned'])} | {row['seconds']:.1f} |"
        for row in record["measured"]
    ]
    return {"split laws": "\n".join(lines)}


def _median_and_least(values: list[float]) -> str:
    return f"{np.median(values):.2f} ({min(values):.2f})"


def _regimes(regimes: dict[str, Any], count: int) -> str:
    lines = [
        f"{count:,} hypergraphs of 64 × 25 at the default parameters:",
        "",
        "| regime | mean degree | mean size | isolated nodes | mean overlap | pairs that share two or more |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| `{name}` | {row['degree']:.2f} | {row['degree'] * 64 / 25:.2f} | {row['isolated']:.0%} | {row['overlap']:.2f} | {row['tail']:.1%} |"
        for name, row in regimes.items()
    ]
    return "\n".join(lines)


def _seconds(seconds: dict[str, dict[str, float]]) -> str:
    lines = ["| job | seconds |", "|---|---:|"]
    lines += [
        f"| 1,000 subhypergraphs of DBLP, 64 × 18: {title} | {value:.2f} |" for title, value in seconds["DBLP"].items()
    ]
    lines += [f"| 10,000 hypergraphs, 64 × 25: `{name}` | {value:.2f} |" for name, value in seconds["regimes"].items()]
    return "\n".join(lines)
