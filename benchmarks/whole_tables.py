"""The table of generators of one whole hypergraph, from the record of :mod:`benchmarks.whole`."""

from __future__ import annotations

from typing import Any

__all__ = ["HYPERGRAPHX", "HYPERLAP_PROGRAM", "HYPER_DK_PROGRAM", "whole_block"]

HYPERLAP_PROGRAM = "the authors' HyperLap+"
HYPER_DK_PROGRAM = "the authors' hyper dK-series, 2.5"
HYPERGRAPHX = "Hy-MMSBM by hypergraphx, extrapolated"

THEIRS = {
    "HyperLap+": HYPERLAP_PROGRAM,
    "hyper dK-series, 2.5": HYPER_DK_PROGRAM,
    "Hy-MMSBM": HYPERGRAPHX,
}
"""Models, and the rows of their authors' programs."""

COLUMNS = {
    "fit": "fit, s",
    "sample": "sample, s",
    "seconds": "both, s",
    "times": "authors', times",
    "degrees": "degrees",
    "pair degrees": "pair degrees",
    "overlaps": "overlaps",
    "homogeneity": "homogeneity",
    "back": "back",
}


def whole_block(record: dict[str, Any]) -> dict[str, str]:
    """Return a table per dataset, as one block."""
    tables = []
    for name, table in record["measured"].items():
        n, m = table["shape"]
        tables += [
            f"*{name}*, {n:,} × {m:,}, {table['incidences']:,} incidences{_seeds(table)}:",
            "",
            f"| | {' | '.join(COLUMNS.values())} |",
            f"|---|{'---:|' * len(COLUMNS)}",
            *(
                f"| {model} | {' | '.join(_cell(key, value) for key, value in _row(model, table['rows']).items())} |"
                for model in table["rows"]
            ),
            "",
        ]
    return {"whole peers": "\n".join(tables[:-1])}


def _row(model: str, rows: dict[str, Any]) -> dict[str, Any]:
    """Return what a row shows, with None for what was not measured."""
    theirs = rows.get(THEIRS.get(model, ""))
    times = theirs["seconds"] / rows[model]["seconds"] if theirs else None
    return {key: times if key == "times" else rows[model].get(key) for key in COLUMNS}


def _cell(key: str, value: Any) -> str:
    if value is None:
        return "–" if key != "times" else ""
    if not isinstance(value, list):
        return f"{value:.2g}" if value < 100 else f"{value:,.0f}"
    mean, deviation = value
    if key == "back":
        return f"{mean:.1%}"
    return f"{mean:.3f}" if deviation is None else f"{mean:.3f} ± {deviation:.3f}"


def _seeds(table: dict[str, Any]) -> str:
    """Say how many seeds there are where they are not three."""
    count = len(table.get("seeds", (0, 1, 2)))
    return "" if count == 3 else f" ({count} {'seed' if count == 1 else 'seeds'})"
