"""Write ``docs/benchmarks.md`` from the records in ``results/``: ``make tables``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.record import ROOT, load

PAGE = ROOT / "docs" / "benchmarks.md"


def files_section(record: dict[str, Any]) -> str:
    """Compare reading and writing with XGI, and show how memory grows."""
    config, versions = record["config"], record["versions"]
    lines = [
        "## Files, against XGI",
        "",
        f"`make bench`: a hypergraph of DBLP's size ({config['nodes']:,} nodes, {config['hyperedges']:,} hyperedges, "
        f"{config['incidences']:,} incidences, heavy-tailed sizes, seed {config['seed']}), each job of both libraries in "
        f"turn, medians over {config['rounds']} rounds; the ratio is the median of the rounds' ratios. XGI "
        f"{versions['xgi']}. Our files also hold the isolated nodes, which XGI's hyperedge lists do not.",
        "",
        "| job | labels | hyperhedge | XGI | times faster |",
        "|---|---|---:|---:|---:|",
    ]
    lines += [
        f"| {row['job']} | {row['labels']} | {row['ours_ms']:.1f} ms | {row['xgi_ms']:.1f} ms | {row['ratio']:.1f} |"
        for row in record["measured"]["times"]
    ]
    memory = record["measured"]["memory"]
    jobs = [key for key in memory[0] if key != "incidences"]
    lines += [
        "",
        "Peak memory while a file is read or written, in bytes per incidence (integers), is the same at every size:",
        "",
        f"| incidences | {' | '.join(jobs)} |",
        f"|---:|{'---:|' * len(jobs)}",
    ]
    lines += [f"| {row['incidences']:,} | {' | '.join(f'{row[job]:.0f}' for job in jobs)} |" for row in memory]
    return "\n".join([*lines, "", _provenance(record)])


def _provenance(record: dict[str, Any]) -> str:
    machine = record["machine"]
    return (
        f"Record: `results/{record['name']}.json`, {record['date']}, commit `{record['commit']}`, "
        f"{machine['cores']} cores of {machine['cpu']}, Python {machine['python']}."
    )


def page() -> str:
    """Return the whole page."""
    head = "# Benchmarks\n\nWritten by `make tables` from the records in `results/`; not edited by hand.\n"
    return "\n".join([head, files_section(load("files")), ""])


def main(target: Path = PAGE) -> None:
    """Write the page."""
    target.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
