"""Tables of an experiment, from its records, as Markdown or CSV.

Lower is better for every metric; of gaps, which have a sign, the magnitude counts. In each row the best mean is **bold** and the
second *italic*; equal ones share their rank, and the floor has none. A number in brackets is the number of seeds where some
are missing; – means that there is no value.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from hyperhedge.bench.experiment import Cell
from hyperhedge.bench.record import Record
from hyperhedge.bench.results import Difference, Results, Spread, difference, spread
from hyperhedge.metrics import METRICS
from hyperhedge.metrics.whole.measures import MEASURES

NONE = "–"

Quantity = Callable[[Record], float | None]
"""A number of a record."""


def _property(name: str) -> Quantity:
    return lambda record: record.properties.get(name)


PROPERTIES: dict[str, tuple[Quantity, int]] = {
    **{name: (_property(name), 2) for name in ("fidelity", "novelty", "validity", "diversity", "detectability")},
    "AUC of a classifier": (lambda record: record.auc, 2),
}
"""The properties of a report, with the digits to show."""

COSTS: dict[str, tuple[Quantity, int]] = {
    "fit, seconds": (lambda record: record.seconds.get("fit"), 1),
    "samples per second": (lambda record: record.samples_per_second, 1),
    "peak memory, MiB": (lambda record: record.peak_mib, 0),
}
"""What a cell costs, with the digits to show."""

_TITLES = {key: one.title for key, one in (METRICS | MEASURES).items()}
_TITLES |= {key: f"{one.title} (KS)" for key, one in MEASURES.items() if key.endswith("_ks")}

_HOW_TO_READ = """Lower is better for every metric; of gaps, which have a sign, the magnitude counts. The best mean is
**bold** and the second *italic*, the floor aside. Mean ± standard deviation over seeds; a number in
brackets is the number of seeds where some are missing, – means no value."""


# -- numbers -----------------------------------------------------------------------------------------


def number(value: float, digits: int = 3) -> str:
    """Format a number without a minus before zero.

    Examples
    --------
    >>> number(-0.0001), number(1.23456)
    ('0.000', '1.235')
    """
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def with_deviation(values: Spread) -> str:
    """Format a mean and its standard deviation."""
    return _format(values, values.deviation)


def with_error(values: Spread) -> str:
    """Format a mean and its standard error."""
    return _format(values, values.error)


def mean_only(values: Spread) -> str:
    """Format a mean."""
    return _format(values, None)


def _format(values: Spread, width: float | None) -> str:
    digits = 3 if abs(values.mean) >= 0.01 or values.mean == 0 else 4
    return number(values.mean, digits) + ("" if width is None else f" ± {number(width, digits)}")


def difference_text(change: Difference | None) -> str:
    """Format a difference and its interval; bold if the interval excludes zero."""
    if change is None:
        return NONE
    text = f"{change.mean:+.3f} [{number(change.low)}, {number(change.high)}]"
    return emphasise(text, 1 if change.excludes_zero else None)


# -- the best ----------------------------------------------------------------------------------------


def ranks_of(means: Mapping[str, float | None]) -> dict[str, int]:
    """Rank means by their magnitude, from 1; equal ones share their rank.

    Examples
    --------
    >>> ranks_of({"a": 0.2, "b": -0.1, "c": 0.2, "d": None})
    {'a': 2, 'b': 1, 'c': 2}
    """
    magnitudes = {name: abs(mean) for name, mean in means.items() if mean is not None}
    order = sorted(set(magnitudes.values()))
    return {name: order.index(magnitude) + 1 for name, magnitude in magnitudes.items()}


def emphasise(text: str, rank: int | None) -> str:
    """Mark the best and the second."""
    return {1: f"**{text}**", 2: f"*{text}*"}.get(rank or 0, text)


def ranks_to_mark(spreads: Mapping[str, Spread | None]) -> dict[str, int]:
    """Rank spreads by their means; of only two, the second is the last, and has no mark."""
    ranks = ranks_of({name: None if values is None else values.mean for name, values in spreads.items()})
    return ranks if len(ranks) > 2 else {name: rank for name, rank in ranks.items() if rank == 1}


def best(
    results: Results, methods: Sequence[str], dataset: str, metric: str, write: Callable[[Spread], str]
) -> dict[str, str]:
    """Format a metric of each method over seeds, the best and the second marked."""
    spreads = {name: spread(results.values(dataset, name, metric).values()) for name in methods}
    ranks = ranks_to_mark({name: spreads[name] for name in methods if name in results.generators})
    cells = {}
    for name, values in spreads.items():
        missing = f" ({values.count})" if values and values.count < results.expected(name) else ""
        cells[name] = NONE if values is None else emphasise(write(values), ranks.get(name)) + missing
    return cells


# -- Markdown ----------------------------------------------------------------------------------------


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, left: int) -> str:
    """Write a Markdown table whose first ``left`` columns are words."""
    aligned = "|".join(["---"] * left + ["---:"] * (len(head) - left))
    return "\n".join([f"| {' | '.join(head)} |", f"|{aligned}|", *(f"| {' | '.join(row)} |" for row in rows)])


def dataset_titles(results: Results) -> dict[str, str]:
    """Return the names of datasets for a reader."""
    return {name: spec.title or name for name, spec in results.experiment.datasets.items()}


def as_markdown(results: Results) -> str:
    """Return a page: which cells are done, and for each dataset metrics, properties and costs of every method."""
    sections = [f"# {results.experiment.name}", _HOW_TO_READ, *overview(results)]
    if results.done:
        for dataset, title in dataset_titles(results).items():
            sections += [f"## {title}", *_dataset_tables(results, dataset)]
        sections.append(f"Records: {origin(results)}.")
    return "\n\n".join(sections) + "\n"


def _dataset_tables(results: Results, dataset: str) -> Iterator[str]:
    methods = [*results.floors, *results.generators]
    titles = [results.title(name) for name in methods]
    rows = []
    for metric in results.experiment.protocol.keys:
        cells = best(results, methods, dataset, metric, with_deviation)
        rows.append([_TITLES[metric], *(cells[name] for name in methods)])
    if results.experiment.protocol.whole:
        ranks = results.average_ranks(dataset)
        rows.append(["average rank", *(f"{ranks[name]:.1f}" if name in ranks else NONE for name in methods)])
    yield table(["metric", *titles], rows, left=1)
    yield from _difference_table(results, dataset)
    rows = [
        [title, *(mean_text(results, dataset, name, quantity, digits) for name in methods)]
        for title, (quantity, digits) in {**PROPERTIES, **COSTS}.items()
    ]
    yield table(["mean over seeds", *titles], rows, left=1)


def _difference_table(results: Results, dataset: str) -> Iterator[str]:
    reference = results.experiment.reference
    others = [name for name in results.generators if name != reference]
    if reference is None or not others:
        return
    rows = []
    for metric in results.experiment.protocol.keys:
        base = results.magnitudes(dataset, reference, metric)
        changes = [difference(results.magnitudes(dataset, name, metric), base) for name in others]
        rows.append([_TITLES[metric], *map(difference_text, changes)])
    title = results.title(reference)
    yield (
        f"Differences to {title} in pairs of seeds, with 95% intervals. Positive: farther from the data than {title}; "
        "**bold**: the interval excludes zero, as one in twenty does by chance."
    )
    yield table(["metric", *map(results.title, others)], rows, left=1)


def mean_text(results: Results, dataset: str, method: str, quantity: Quantity, digits: int) -> str:
    """Format the mean of a number of the records over seeds."""
    values = _spread_of(results, dataset, method, quantity)
    return NONE if values is None else number(values.mean, digits)


def _spread_of(results: Results, dataset: str, method: str, quantity: Quantity) -> Spread | None:
    values = map(quantity, results.of(dataset, method).values())
    return spread(value for value in values if value is not None)


# -- which cells there are ---------------------------------------------------------------------------


def overview(results: Results) -> Iterator[str]:
    """Describe the protocol, and which cells are done, failed or not comparable."""
    protocol = results.experiment.protocol
    leak = "without common hyperedges" if protocol.leak_free else "sampled alike"
    train, test, generated = protocol.counts
    if protocol.whole:
        yield f"Each cell: one whole hypergraph, and {generated:,} generated of its size."
    else:
        yield f"Each cell: {train:,} training and {test:,} held-out hypergraphs, {leak}, and {generated:,} generated."
    yield _coverage(results)
    yield from _troubles(results)


def _coverage(results: Results) -> str:
    methods = list(results.experiment.methods)
    counts = Counter((cell.dataset, cell.method) for cell in results.cells if results.state(cell) == "done")
    if not results.records:
        return f"None of {len(results.cells)} cells has been run yet."
    rows = [
        [
            dataset,
            *(
                NONE if name in spec.without else f"{counts[dataset, name]}/{results.expected(name)}"
                for name in methods
            ),
        ]
        for dataset, spec in results.experiment.datasets.items()
    ]
    head = ["", *(results.title(name) for name in methods)]
    text = f"{counts.total()} of {len(results.cells)} cells are done. Seeds done, of those wanted:"
    return f"{text}\n\n{table(head, rows, left=1)}"


def _troubles(results: Results) -> Iterator[str]:
    """Name the cells that failed, and those with another configuration or other banks."""
    failed: dict[str, list[Cell]] = {}
    outdated: list[Cell] = []
    for cell in results.cells:
        state = results.state(cell)
        if state == "failed":
            record = results.records[cell.dataset, cell.method, cell.seed]
            failed.setdefault(record.error or "", []).append(cell)
        elif state == "outdated":
            outdated.append(cell)
    for error, cells in failed.items():
        yield f"Failed ({_listed(cells)}): {error}"
    if outdated:
        yield f"In the tables, but run with another configuration than the experiment has now: {_listed(outdated)}."
    if others := results.on_other_banks:
        yield f"With other banks than most cells of their dataset and seed, by the floors in the records: {_listed(others)}."


def _listed(cells: Sequence[Cell], most: int = 12) -> str:
    names = ", ".join(f"{cell.dataset} {cell.method} {cell.seed}" for cell in cells[:most])
    return names + (f" and {len(cells) - most} more" if len(cells) > most else "")


def origin(results: Results) -> str:
    """Return the dates, the code and the machines of the records."""
    origins = [record.provenance for record in results.done if record.provenance is not None]
    codes = sorted({f"commit `{one.commit}`" if one.commit else f"version {one.version}" for one in origins})
    dates = sorted({one.date for one in origins})
    machines = sorted({f"{r.machine.get('cores')} cores of {r.machine.get('cpu')}" for r in results.done})
    when = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}" if dates else "unknown date"
    return f"{when}; {', '.join(codes)}; {'; '.join(machines)}"


# -- CSV ---------------------------------------------------------------------------------------------


def as_csv(results: Results) -> str:
    """Return one line per dataset, method and metric (or property, or cost): mean, standard deviation, number of seeds."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["dataset", "method", "quantity", "mean", "deviation", "seeds"])
    quantities = {name: quantity for name, (quantity, _) in {**PROPERTIES, **COSTS}.items()}
    for dataset in results.experiment.datasets:
        for method in results.experiment.methods:
            for metric in results.experiment.protocol.keys:
                values = spread(results.values(dataset, method, metric).values())
                writer.writerows(_lines(dataset, method, metric, values))
            for name, quantity in quantities.items():
                writer.writerows(_lines(dataset, method, name, _spread_of(results, dataset, method, quantity)))
    return text.getvalue()


def _lines(dataset: str, method: str, name: str, values: Spread | None) -> Iterator[list[object]]:
    if values is not None:
        yield [dataset, method, name, values.mean, "" if values.deviation is None else values.deviation, values.count]
