"""The tables of ``docs/whole.md``, from the records of ``experiments/whole.toml`` and of :mod:`benchmarks.whole_judge`."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable
from typing import Any

from hyperhedge.bench.results import Results, Spread, spread
from hyperhedge.bench.tables import NONE, overview, table
from hyperhedge.metrics.whole.measures import MEASURES, PROTOCOL

__all__ = ["blocks", "judge_blocks"]

NO_PEERS = ("multiscale-16", "multiscale-64")
"""Null models that keep structure of the training hypergraph down to a scale: in the tables, and not ranked."""

_SHORT = {
    "degree_ks": "degrees",
    "size_ks": "sizes",
    "pair_ks": "pairs",
    "homogeneity_ks": "homog.",
    "intersection_ks": "inters.",
    "overlap_tail": "≥ 2",
    "density_ks": "density",
    "overlapness_ks": "overlapn.",
    "transitivity": "transit.",
    "singular": "singular",
    "largest_component": "largest",
    "components": "comp.",
    "diameter": "diam.",
}


def blocks(results: Results) -> dict[str, str]:
    """Return all tables by name."""
    datasets = list(results.experiment.datasets)
    return {
        "whole coverage": "\n\n".join(overview(results)),
        "whole ranks": _ranks(results, datasets),
        "whole fidelity": _property(results, datasets, "fidelity"),
        "whole novelty": _property(results, datasets, "novelty"),
        "whole seconds": _seconds(results, datasets),
        "whole measures": "\n\n".join(_measures(results, name) for name in datasets if _done(results, name)),
    }


def _done(results: Results, dataset: str) -> list[str]:
    """Return the methods that have records of a dataset, floors first."""
    return [name for name in (*results.floors, *results.generators) if results.of(dataset, name)]


def _title(results: Results, dataset: str) -> str:
    return results.experiment.datasets[dataset].title or dataset


def _by_dataset(results: Results, datasets: list[str], methods: Iterable[str], cell: Callable[[str, str], str]) -> str:
    """Write a table with a row per method and a column per dataset."""
    rows = [[results.title(name), *(cell(dataset, name) for dataset in datasets)] for name in methods]
    return table(["", *(_title(results, name) for name in datasets)], rows, left=1)


def _ranks(results: Results, datasets: list[str]) -> str:
    """Rank the peers by their average rank over the measures, the best of each dataset in bold."""
    ranks = {name: results.average_ranks(name, NO_PEERS) for name in datasets}
    peers = [name for name in results.generators if name not in NO_PEERS]
    means = {
        name: statistics.fmean(of[name] for of in ranks.values() if name in of)
        for name in peers
        if any(name in of for of in ranks.values())
    }
    rows = []
    for name in sorted(means, key=means.__getitem__):
        cells = []
        for dataset in datasets:
            rank = ranks[dataset].get(name)
            best = rank is not None and rank == min(ranks[dataset].values())
            cells.append(NONE if rank is None else f"**{rank:.1f}**" if best else f"{rank:.1f}")
        rows.append([results.title(name), *cells, f"{means[name]:.1f}"])
    return table(["", *(_title(results, name) for name in datasets), "mean"], rows, left=1)


def _property(results: Results, datasets: list[str], name: str) -> str:
    def cell(dataset: str, method: str) -> str:
        values = (record.properties.get(name) for record in results.of(dataset, method).values())
        return compact(spread(value for value in values if value is not None), digits=2)

    return _by_dataset(results, datasets, [*results.floors, *results.generators], cell)


def _seconds(results: Results, datasets: list[str]) -> str:
    def cell(dataset: str, method: str) -> str:
        records = results.of(dataset, method).values()
        taken = [sum(record.seconds.get(task, 0.0) for task in ("fit", "sample")) for record in records]
        return f"{statistics.median(taken):.2g}" if taken else NONE

    return _by_dataset(results, datasets, results.generators, cell)


def _measures(results: Results, dataset: str) -> str:
    """Write the protocol's measures of a dataset: a row per method, and the floor."""
    methods = _done(results, dataset)
    some = next(iter(results.of(dataset, methods[0]).values()))
    n_ranks = results.average_ranks(dataset, NO_PEERS)
    head = ["", *(_SHORT[key] for key in PROTOCOL), "rank"]
    floors = [some.metrics[key].floor if key in some.metrics else None for key in PROTOCOL]
    rows = [["*floor*", *(NONE if floor is None else short(floor) for floor in floors), ""]]
    for name in methods:
        spreads = [spread(results.values(dataset, name, key).values()) for key in PROTOCOL]
        rank = f"{n_ranks[name]:.1f}" if name in n_ranks else ""
        rows.append([results.title(name), *(compact(one) for one in spreads), rank])
    return f"*{_title(results, dataset)}*\n\n{table(head, rows, left=1)}"


def short(value: float, digits: int = 3) -> str:
    """Write a number without the zero before its point.

    Examples
    --------
    >>> short(0.1234), short(1.5), short(0.0)
    ('.123', '1.500', '0')
    """
    if value == 0:
        return "0"
    text = f"{value:.{digits}f}"
    return text[1:] if text.startswith("0.") else text


def compact(values: Spread | None, digits: int = 3) -> str:
    """Write a mean with its standard deviation in units of the last digit.

    Examples
    --------
    >>> compact(Spread(0.1234, 0.0052, 5)), compact(Spread(0.5, None, 1)), compact(None)
    ('.123(5)', '.500', '–')
    """
    if values is None:
        return NONE
    deviation = "" if not values.deviation else f"({round(values.deviation * 10**digits)})"
    return f"{short(values.mean, digits)}{deviation}"


def judge_blocks(record: dict[str, Any]) -> dict[str, str]:
    """Return the tables of the judge's cost."""
    measured = record["measured"]
    libraries = ("hyperhedge", "XGI", "HyperNetX", "hypergraphx")
    rows = [
        [
            f"{row['what']}, {row['dataset']}",
            f"{1000 * row['seconds']['hyperhedge']:.3g} ms",
            *(_ratio(row, library, record["config"]["most_seconds"]) for library in libraries[1:]),
        ]
        for row in measured["side by side"]
    ]
    side = table(["", "hyperhedge", *(f"{library}, times" for library in libraries[1:])], rows, left=1)
    rows = [
        [
            f"{row['name']} ({row['n']:,} × {row['m']:,}, {row['incidences']:,} incidences)",
            f"{row['seconds']:.0f} s",
            f"{row['page seconds']:.0f} s",
            f"{row['peak MiB'] / 1024:.2f} GiB" if "peak MiB" in row else NONE,
            "; ".join(row["sampled"]) or "nothing",
        ]
        for row in measured["reports"]
    ]
    whole = table(["`evaluate(H, G)`", "report", "page", "peak memory", "sampled"], rows, left=1)
    rows = [
        [
            row["name"],
            f"{row['instances']:,}",
            f"{row['exact seconds']:.2g} s",
            f"{row['sampled seconds']:.2g} s",
            f"{row['error of the whole']:.1%}",
            f"{row['median error']:.1%}",
            f"{row['within two errors']:.0%}",
        ]
        for row in measured["motifs"]
    ]
    head = [
        "",
        "instances",
        "exact",
        "4,000 samples",
        "error of the sum",
        "median error",
        "motifs within 2 standard errors",
    ]
    return {
        "whole judge libraries": side,
        "whole judge reports": whole,
        "whole judge motifs": table(head, rows, left=1),
    }


def _ratio(row: dict[str, Any], library: str, most: float) -> str:
    """Write how many times as long a library takes, or has taken when it was stopped."""
    seconds = row["seconds"].get(library)
    if seconds is None:
        return f"> {most / row['seconds']['hyperhedge']:,.0f}"
    return f"{seconds / row['seconds']['hyperhedge']:,.0f}" if row["same"][library] else NONE


assert set(_SHORT) == set(PROTOCOL) <= set(MEASURES)  # noqa: S101  # a new measure needs a heading
