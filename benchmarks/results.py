"""The page docs/results.md, with the paper's numbers beside ours, and its figures: ``python -m benchmarks.results`` (``make tables``).

With ``--smoke`` it reads the records of ``hyperhedge bench run experiments/NAME.toml --smoke``. With ``--out FOLDER`` the page and the
figures are written there.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from matplotlib.figure import Figure

from benchmarks.markdown import wrap
from benchmarks.paper.ablations import ablation_tables
from benchmarks.paper.figures import differences, ratios, save_figure
from benchmarks.paper.real import real_tables
from benchmarks.record import ROOT
from hyperhedge.bench.experiment import read_experiment
from hyperhedge.bench.results import Results, load_results
from hyperhedge.bench.tables import origin, overview

__all__ = ["EXPERIMENTS", "page", "provenance", "results_of"]

Shape = tuple[Callable[[Results], dict[str, str]], Callable[[Results, Figure], bool]]
"""The tables and the figure of an experiment."""

EXPERIMENTS: dict[str, Shape] = {
    "real": (real_tables, ratios),
    "ablations": (ablation_tables, differences),
    "choices": (real_tables, ratios),
}

_HEAD = """# Results

Written by `python -m benchmarks.results` from the records in `results/`; not edited by hand.
[experiments.md](experiments.md) has the protocol and says how to run it.

Lower is better everywhere; of gaps, which have a sign, the magnitude counts. The best mean is
**bold** and the second *italic*, the floor (*real*: training against held-out hypergraphs) aside. A
number in brackets is the number of seeds where some are missing; – means none."""


def results_of(name: str, folder: Path = ROOT / "experiments", *, smoke: bool = False) -> Results:
    """Read the records of an experiment of this repository."""
    experiment = read_experiment(folder / f"{name}.toml")
    experiment = experiment.for_smoke() if smoke else experiment
    return load_results(experiment, experiment.folder)


def page(experiments: Mapping[str, Results]) -> str:
    """Return the page in Markdown."""
    sections = [text for name, results in experiments.items() for text in _section(name, results)]
    return wrap("\n\n".join([_HEAD, *sections])) + "\n"


def _section(name: str, results: Results) -> Iterator[str]:
    yield f"## {results.experiment.name}"
    yield f"`experiments/{name}.toml`"
    yield from overview(results)
    if not results.done:
        return
    tables, _ = EXPERIMENTS[name]
    for heading, table in tables(results).items():
        yield f"### {heading}"
        yield table
    yield provenance(name, results)


def provenance(name: str, results: Results) -> str:
    """Say which code produced the records, when and on which machines."""
    return f"Records: `results/{name}/`, {origin(results)}."


def main(arguments: list[str] | None = None) -> None:
    """Write the page, or with ``--figures`` the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--figures", action="store_true", help="write the figures in place of the page")
    parser.add_argument("--smoke", action="store_true", help="read the records of a smoke run")
    parser.add_argument("--experiments", type=Path, metavar="FOLDER", default=ROOT / "experiments")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="where to write; docs by default")
    options = parser.parse_args(arguments)
    experiments = {name: results_of(name, options.experiments, smoke=options.smoke) for name in EXPERIMENTS}
    if not options.figures:
        file = (options.out or ROOT / "docs") / "results.md"
        file.write_text(page(experiments), encoding="utf-8")
        print(file)
        return
    for name, results in experiments.items():
        file = (options.out or ROOT / "docs" / "figures") / f"results-{name}.png"
        print(file if save_figure(results, EXPERIMENTS[name][1], file) else f"{name}: too few records for a figure")


if __name__ == "__main__":
    main()
