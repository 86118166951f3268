"""The table of generators of one whole hypergraph, from the record of :mod:`benchmarks.whole`."""

from __future__ import annotations

from typing import Any

__all__ = ["whole_block"]

COLUMNS = {
    "seconds": "seconds",
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
            f"*{name}*, {n:,} × {m:,}, {table['incidences']:,} incidences:",
            "",
            f"| | {' | '.join(COLUMNS.values())} |",
            f"|---|{'---:|' * len(COLUMNS)}",
            *(
                f"| {model} | {' | '.join(_cell(key, row[key]) for key in COLUMNS)} |"
                for model, row in table["rows"].items()
            ),
            "",
        ]
    return {"whole peers": "\n".join(tables[:-1])}


def _cell(key: str, value: Any) -> str:
    if key == "seconds":
        return f"{value:.2g}"
    mean, deviation = value
    if key == "back":
        return f"{mean:.1%}"
    return f"{mean:.3f} ± {deviation:.3f}"
