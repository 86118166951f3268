"""Write ``docs/costs.md``, the tables of other pages, and their figures, from the records in ``results/``: ``make tables``."""

from __future__ import annotations

import re
import statistics
from pathlib import Path
from typing import Any

from benchmarks import data_tables, four_way_tables, hedge_tables, hygene_tables, report_tables, whole_results
from benchmarks.figures import data_figures, four_way_figure, hedge_figure, theory_figures
from benchmarks.learner_tables import learner_block
from benchmarks.markdown import wrap
from benchmarks.record import ROOT, load
from benchmarks.results import provenance, results_of
from benchmarks.whole_tables import whole_block

PAGE = ROOT / "docs" / "costs.md"

_BLOCK = re.compile(r"<!-- begin (.*?) -->")


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


def samplers_section(record: dict[str, Any]) -> str:
    """Show total variation against evaluations."""
    config, measured = record["config"], record["measured"]
    floor, rows = measured["floor"], measured["samplers"]
    counts = sorted({row["evaluations"] for row in rows})
    lines = [
        "## Samplers on the exact drift",
        "",
        f"`python -m benchmarks.theory`: total variation between {config['draws']:,} generated hypergraphs and the uniform law on "
        f"{config['atoms']} training hypergraphs of {config['nodes']} × {config['hyperedges']} (independent entries, density 0.3), "
        f"with the oracle as drift and one evaluation per step; mean ± sd over seeds {config['seeds']}. Process: "
        f"{config['process']}. {config['draws']:,} samples of the true law itself have {floor['mean']:.3f} ± {floor['sd']:.3f}.",
        "",
        f"| sampler | {' | '.join(f'{count} evaluations' for count in counts)} |",
        f"|---|{'---:|' * len(counts)}",
    ]
    for name in dict.fromkeys(row["sampler"] for row in rows):
        cells = [
            _spread([r["total_variation"] for r in rows if (r["sampler"], r["evaluations"]) == (name, k)])
            for k in counts
        ]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join([*lines, "", _provenance(record)])


def _spread(values: list[float]) -> str:
    return f"{statistics.mean(values):.3f} ± {statistics.stdev(values):.3f}"


def process_section(record: dict[str, Any]) -> str:
    """Show the cost of sampling states and targets."""
    config, measured = record["config"], record["measured"]
    batch = measured["batch"]
    lines = [
        "## Sampling states and targets",
        "",
        f"`python -m benchmarks.process`: (X_s, reverse drift) for a batch of {config['batch']} hypergraphs of {config['nodes']} × "
        f"{config['hyperedges']}, spectra given, against a plain quadrature per hypergraph and mode with the same nodes, in double "
        f"precision; in turn, medians over {config['rounds']} rounds.",
        "",
        "| | time | times faster than plain |",
        "|---|---:|---:|",
        f"| plain, float64 | {batch['plain ms']:.1f} ms | |",
        f"| batched, float64 (agrees to 1e-8) | {batch['batched ms']:.1f} ms | {batch['batched ratio']:.1f} |",
        f"| batched, float32 | {batch['batched, float32 ms']:.1f} ms | {batch['batched, float32 ratio']:.1f} |",
        "",
        "One hypergraph of n × n with about four hyperedges per node, in float64, in a separate process (which takes "
        f"{measured['sizes'][0]['MiB']:.0f} MiB before it does anything). The eigendecomposition is done once per hypergraph. The "
        "matrix-free sampler (tolerance 1e-6, one thread) needs none: it is slower wherever `eigh` is affordable, and takes less memory.",
        "",
        "| n | eigendecomposition | state and target | peak memory | matrix-free state | its peak memory |",
        "|---:|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {row['size']} | {row['eigen_s']:.3g} s | {row['draw_s']:.3g} s | {row['MiB']:.0f} MiB | {row['matrix_free_s']:.3g} s "
        f"| {row['matrix_free_MiB']:.0f} MiB |"
        for row in measured["sizes"]
    ]
    return "\n".join([*lines, "", _provenance(record)])


def walk_section(record: dict[str, Any]) -> str:
    """Show what a step costs since the field hands its prediction to the sampler, beside what it cost before."""
    config, measured = record["config"], record["measured"]
    lines = [
        "## One step",
        "",
        f"`python -m benchmarks.walk`: a sampling step of {config['samples']} hypergraphs of {config['nodes']} × {config['hyperedges']} "
        f"and a training step (batch of {config['batch']}, with its gradient), against commit `{config['before']}`, where the prediction "
        "was turned into a drift and back; one thread, in turn, medians over "
        f"{config['rounds']} rounds. *Around the network* is the same with a network that returns zeros. Quadratures are evaluations of "
        "the process's integrals; a sampler now makes one for all its times together.",
        "",
        "| step | quadratures | transforms | whole step | times faster | around the network | times faster | greatest difference |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for name, row in measured.items():
        kinds = [f"{row['before'][kind]:.1f} → {row['after'][kind]:.1f}" for kind in ("quadratures", "transforms")]
        for kind in ("ms", "ms around the network"):
            kinds += [f"{row[kind]['before']:.1f} → {row[kind]['after']:.1f} ms", f"{row[kind]['ratio']:.2f}"]
        lines.append(f"| {name} | {' | '.join(kinds)} | {row['difference']:.0e} |")
    return "\n".join([*lines, "", _provenance(record)])


def configuration_section(record: dict[str, Any]) -> str:
    """Show the speed and the mixing of the configuration model's chain."""
    config, measured = record["config"], record["measured"]
    names = list(dict.fromkeys(name for row in measured["speed"] for name in row["per_second"]))
    lines = [
        "## The configuration model",
        "",
        "`python -m benchmarks.configuration`: proposals per second from the same hypergraph, all implementations in turn, medians over "
        f"{config['rounds']} rounds. hypergraphx {record['versions']['hypergraphx']}; Chodrow's published Python is run from a checkout.",
        "",
        f"| size | {' | '.join(names)} | times hypergraphx | times Chodrow |",
        f"|---|{'---:|' * (len(names) + 2)}",
    ]
    for row in measured["speed"]:
        speeds = [f"{row['per_second'][name]:,.0f}" if name in row["per_second"] else "" for name in names]
        ratios = [
            f"{row['times_faster'][name]:.0f}" if name in row["times_faster"] else ""
            for name in ("hypergraphx", "Chodrow")
        ]
        lines.append(f"| {row['nodes']} × {row['hyperedges']} | {' | '.join([*speeds, *ratios])} |")
    lines += [
        "",
        f"How fast the chain forgets: the integrated autocorrelation time of the {config['statistic']}, in sweeps.",
        "",
        "| hypergraph | stub-labelled | vertex-labelled | rejected (vertex-labelled) |",
        "|---|---:|---:|---:|",
    ]
    rows = {(row["hypergraph"], row["labelled"]): row for row in measured["mixing"]}
    for name in dict.fromkeys(name for name, _ in rows):
        stub, vertex = rows[name, "stub"], rows[name, "vertex"]
        lines.append(f"| {name} | {stub['tau_sweeps']:.1f} | {vertex['tau_sweeps']:.1f} | {vertex['rejected']:.1%} |")
    return "\n".join([*lines, "", _provenance(record)])


def metrics_section(record: dict[str, Any]) -> str:
    """Compare the metrics with the same through peers, and show the cost of reports."""
    config, measured = record["config"], record["measured"]
    peers, large = measured["peers"], measured["large"]
    lines = [
        "## Metrics and reports",
        "",
        f"`python -m benchmarks.metrics`: all {len(config['metrics'])} default metrics, {config['count']} against {config['count']} hypergraphs of {config['nodes']} × "
        f"{config['hyperedges']}, and the same numbers (to 1e-6) through the peers' own functions; in turn, medians over {config['rounds']} rounds.",
        "",
        "| hyperhedge | XGI | times faster | HyperNetX | times faster |",
        "|---:|---:|---:|---:|---:|",
        f"| {peers['hyperhedge_ms']:.0f} ms | {peers['xgi_ms']:.0f} ms | {peers['xgi_ratio']:.1f} | {peers['hypernetx_ms']:.0f} ms | "
        f"{peers['hypernetx_ratio']:.1f} |",
        "",
        "A whole report (200 bootstrap replicates, floor, ceiling, validity, novelty, diversity, detectability), nothing cached: "
        + ", ".join(
            f"{row['evaluate_s']:.1f} s for {row['count']:,} against {row['count']:,}" for row in measured["reports"]
        )
        + f". Two single hypergraphs of {large['nodes']:,} × {large['hyperedges']:,}: {large['evaluate_s']:.0f} s for {large['metrics']} metrics.",
    ]
    return "\n".join([*lines, "", _provenance(record)])


def _provenance(record: dict[str, Any]) -> str:
    machine = record["machine"]
    return (
        f"Record: `results/{record['name']}.json`, {record['date']}, commit `{record['commit']}`, "
        f"{machine['cores']} cores of {machine['cpu']}, Python {machine['python']}."
    )


def page() -> str:
    """Return the whole page."""
    head = "# Costs: time and memory\n\nWritten by `make tables` from the records in `results/`; not edited by hand.\n"
    sections = (
        files_section(load("files")),
        configuration_section(load("configuration")),
        metrics_section(load("metrics")),
        samplers_section(load("theory")),
        process_section(load("process")),
        walk_section(load("walk")),
    )
    return wrap("\n".join([head, "\n\n".join(sections), ""]))


def filled() -> dict[Path, str]:
    """Return the pages that are partly written by hand, with their tables as the records have them.

    A table stands between ``<!-- begin NAME -->`` and ``<!-- end NAME -->``, in exactly one page.
    """
    tables = {name: wrap(table) for name, table in _tables().items()}
    pages = {path: path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs").rglob("*.md"))}
    names = [name for text in pages.values() for name in _BLOCK.findall(text)]
    for name in tables.keys() ^ set(names):
        raise ValueError(f"the table {name!r} is in no page" if name in tables else f"there is no table {name!r}")
    if repeated := [name for name in tables if names.count(name) > 1]:
        raise ValueError(f"these tables are in several pages, or twice in one: {', '.join(repeated)}")
    return {path: _fill(text, tables) for path, text in pages.items() if _BLOCK.search(text)}


def _tables() -> dict[str, str]:
    """Return all tables by name."""
    data, four_way, repeats, growth = (load(name) for name in ("data", "four_way", "repeated_samples", "growth"))
    samplers, networks, speed = (load(name) for name in ("samplers", "architectures", "training"))
    laws, whole = load("splits"), results_of("whole")
    real, magnitudes = results_of("real"), hedge_tables.repeated_magnitudes(repeats)
    return {
        **data_tables.blocks(data),
        "data record": _provenance(data),
        **data_tables.law_block(laws),
        "split laws record": _provenance(laws),
        **four_way_tables.blocks(four_way),
        "four-way record": _provenance(four_way),
        **report_tables.blocks(),
        **hedge_tables.choosing_block(real, magnitudes),
        "workers": workers_block(load("workers")),
        **whole_block(load("whole")),
        "whole peers record": _provenance(load("whole")),
        **whole_results.blocks(whole),
        "whole record": provenance("whole", whole),
        **whole_results.judge_blocks(load("whole_judge")),
        "whole judge record": _provenance(load("whole_judge")),
        **hedge_tables.quality_blocks(real, magnitudes),
        "hedge repeats record": _provenance(repeats),
        **hedge_tables.choices_blocks(results_of("choices")),
        **learner_block(load("learner")),
        "hedge hard record": _provenance(load("learner")),
        **hedge_tables.sampler_block(samplers),
        "hedge samplers record": _provenance(samplers),
        **hedge_tables.architecture_block(networks),
        "hedge networks record": _provenance(networks),
        **hedge_tables.speed_block(speed),
        "hedge speed record": _provenance(speed),
        "hygene quality": hygene_tables.quality_block(real),
        "hygene growth": hygene_tables.growth_block(growth),
        "hygene growth record": _provenance(growth),
    }


def workers_block(record: dict[str, Any]) -> str:
    """Return how much faster two workers are than one."""
    measured = record["measured"]
    one, two = (statistics.median(measured["seconds"][workers]) for workers in ("1", "2"))
    return (
        f"Two workers do {measured['cells']} small cells {measured['ratio']:.2f} times as fast as one, {two:.0f} s against {one:.0f} s, starting "
        f"processes included (`python -m benchmarks.workers`, medians of {record['config']['rounds']}). {_provenance(record)}"
    )


def _fill(text: str, tables: dict[str, str]) -> str:
    for name in _BLOCK.findall(text):
        begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
        before, _, rest = text.partition(begin)
        _, closed, after = rest.partition(end)
        if not closed:
            raise ValueError(f"the table {name!r} has no end")
        text = f"{before}{begin}\n{tables[name]}\n{end}{after}"
    return text


def main(target: Path = PAGE) -> None:
    """Write the pages and the figures."""
    target.write_text(page(), encoding="utf-8")
    for path, text in filled().items():
        path.write_text(text, encoding="utf-8")
    theory_figures(load("theory"))
    data_figures(load("data"))
    four_way_figure(load("four_way"))
    hedge_figure(hedge_tables.repeated_magnitudes(load("repeated_samples")))


if __name__ == "__main__":
    main()
