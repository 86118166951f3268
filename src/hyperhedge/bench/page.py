"""The page of results: which cells there are, the tables, and who made them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from hyperhedge.bench.experiment import Cell
from hyperhedge.bench.results import Results
from hyperhedge.bench.tables import TABLES

__all__ = ["page", "provenance"]

_HEAD = """# Results

Written by `hyperhedge bench tables` from the records in `results/`; not edited by hand. [benchmark.md](benchmark.md) has the
protocol and says how to run it.

Lower is better everywhere; of the gaps, which have a sign, the size counts. The best mean is **bold** and the second *italic*, the
floor (*real*: training against held-out hypergraphs) aside. A number in brackets says how many seeds there are where some are
missing; – means none."""


def page(experiments: Sequence[Results]) -> str:
    """Return the page in Markdown."""
    return "\n\n".join([_HEAD, *(part for results in experiments for part in _section(results))]) + "\n"


def _section(results: Results) -> Iterator[str]:
    yield f"## {results.experiment.title or results.experiment.name}"
    yield _protocol(results)
    yield _coverage(results)
    yield from _troubles(results)
    if not results.done:
        return
    for heading, table in TABLES[results.experiment.kind](results).items():
        yield f"### {heading}"
        yield table
    yield provenance(results)


def _protocol(results: Results) -> str:
    protocol = results.experiment.protocol
    leak = "without common hyperedges" if protocol.leak_free else "drawn alike"
    return (
        f"Each cell: {protocol.train:,} training and {protocol.test:,} held-out hypergraphs, {leak}, and "
        f"{protocol.generated:,} generated; `experiments/{results.experiment.name}.toml`."
    )


def _coverage(results: Results) -> str:
    """Say exactly which cells are there."""
    specs, methods = results.experiment.datasets, list(results.experiment.methods)
    counts = Counter((cell.dataset, cell.method, results.state(cell)) for cell in results.cells)
    total, done = len(results.cells), sum(results.state(cell) == "done" for cell in results.cells)
    if not results.records:
        return f"No cell of {total} has been run yet."
    lines = [
        f"{done} of {total} cells are done. Seeds, done of wanted:",
        "",
        f"| | {' | '.join(results.title(name) for name in methods)} |",
        f"|---|{'---:|' * len(methods)}",
    ]
    for dataset in specs:
        cells = [f"{counts[dataset, name, 'done']}/{results.expected(name)}" for name in methods]
        lines.append(f"| {dataset} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _troubles(results: Results) -> Iterator[str]:
    """Tell of cells that failed, and of records that are of another configuration or on other banks."""
    failed: dict[str, list[Cell]] = {}
    old: list[Cell] = []
    for cell in results.cells:
        state = results.state(cell)
        if state == "failed":
            record = results.records[cell.dataset, cell.method, cell.seed]
            failed.setdefault(record.error or "", []).append(cell)
        elif state == "outdated":
            old.append(cell)
    for error, cells in failed.items():
        yield f"Failed ({_listed(cells)}): {error}"
    if old:
        yield f"In the tables, but made with another configuration than the experiment has now: {_listed(old)}."
    if others := results.on_other_banks:
        yield f"With other banks than most cells of their dataset and seed, by the floors in the records: {_listed(others)}."


def _listed(cells: Sequence[Cell], most: int = 12) -> str:
    names = ", ".join(f"{cell.dataset} {cell.method} {cell.seed}" for cell in cells[:most])
    return names + (f" and {len(cells) - most} more" if len(cells) > most else "")


def provenance(results: Results) -> str:
    """Say which code made the records, when and on what."""
    made = [record.provenance for record in results.done if record.provenance is not None]
    codes = sorted({f"commit `{one.commit}`" if one.commit else f"version {one.version}" for one in made})
    dates = sorted({one.date for one in made})
    machines = sorted({f"{r.machine.get('cores')} cores of {r.machine.get('cpu')}" for r in results.done})
    when = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}" if dates else "unknown date"
    return f"Records: `results/{results.experiment.name}/`, {when}; {', '.join(codes)}; {'; '.join(machines)}."
