"""Commands of the benchmark: ``hyperhedge bench run | status | tables | figures``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from hyperhedge.cli.app import app
from hyperhedge.cli.targets import check_folder_of
from hyperhedge.errors import HyperhedgeError

if TYPE_CHECKING:
    from hyperhedge.bench.experiment import Experiment
    from hyperhedge.bench.runner import Summary

__all__ = ["bench"]

bench = typer.Typer(help="The benchmark: run experiments, cell by cell, and make tables and figures of their records.")
app.add_typer(bench, name="bench")

DEFAULT = tuple(Path("experiments") / f"{name}.toml" for name in ("real", "ablations", "choices"))
SMOKE = Path("build/smoke")

_Files = Annotated[
    list[Path] | None,
    typer.Argument(metavar="[EXPERIMENT.toml]…", help="Experiments; those in experiments/ if not given."),
]
_Smoke = Annotated[
    bool, typer.Option("--smoke", help="Everything tiny, on synthetic data, to see that it runs; in build/smoke.")
]
_ResultsOption = Annotated[
    Path | None, typer.Option("--results", help="The folder of records; results if not given.", show_default=False)
]


@bench.command("run")
def run(
    files: _Files = None,
    *,
    smoke: _Smoke = False,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", min=1, help="Workers; one per core if not given.", show_default=False)
    ] = None,
    cluster: Annotated[
        str, typer.Option("--cluster", metavar="local|ray|ray://…", help="Who works: this machine, or Ray.")
    ] = "local",
    address: Annotated[
        str | None, typer.Option("--address", help="The address of a Ray cluster that is there.", show_default=False)
    ] = None,
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Run failed cells again.")] = False,
    datasets: Annotated[list[str] | None, typer.Option("--dataset", help="Only this dataset; may be repeated.")] = None,
    methods: Annotated[list[str] | None, typer.Option("--method", help="Only this method; may be repeated.")] = None,
    seeds: Annotated[list[int] | None, typer.Option("--seed", help="Only this seed; may be repeated.")] = None,
    models: Annotated[
        Path | None,
        typer.Option(
            "--keep-models", metavar="FOLDER", help="Keep the fitted models in this folder.", show_default=False
        ),
    ] = None,
    results: _ResultsOption = None,
) -> None:
    """Run the cells of experiments that have no record yet.

    Each leaves a record; after Ctrl-C, a kill or a power cut the same command goes on. The log is run.log beside the records.
    The exit code is 1 if cells failed.

    Example: [bold]hyperhedge bench run experiments/real.toml --jobs 2[/bold]
    """
    from hyperhedge.bench.runner import Choice, run_experiment  # seconds to import: only where it is used
    from hyperhedge.cluster import make_cluster

    workers = make_cluster(cluster, workers=jobs, address=address)
    failed = 0
    for experiment in _experiments(files, smoke=smoke):
        folder = _folder(results, smoke=smoke) / experiment.name
        console = Console(stderr=True)
        try:
            summary = run_experiment(
                experiment,
                folder,
                workers,
                choice=Choice(datasets or (), methods or (), seeds or ()),
                retry_failed=retry_failed,
                models=models and models / experiment.name,
                console=console,
            )
        except KeyboardInterrupt:
            typer.echo(f"Stopped. What is done is in {folder}; the same command goes on.", err=True)
            raise
        _tell(experiment, folder, summary)
        failed += summary.counts["failed"]
    raise typer.Exit(1 if failed else 0)


@bench.command("status")
def status(files: _Files = None, *, smoke: _Smoke = False, results: _ResultsOption = None) -> None:
    """List which cells are done, missing, failed, or outdated (made with another configuration)."""
    from hyperhedge.bench.results import load_results

    for experiment in _experiments(files, smoke=smoke):
        folder = _folder(results, smoke=smoke) / experiment.name
        found = load_results(experiment, folder)
        table = Table(title=f"{experiment.name}: {folder}", title_justify="left")
        for heading in ("dataset", "method", "done", "failed", "outdated", "missing"):
            table.add_column(heading, justify="left" if heading in ("dataset", "method") else "right")
        for dataset in experiment.datasets:
            for method in experiment.methods:
                own = [found.state(cell) for cell in found.cells if (cell.dataset, cell.method) == (dataset, method)]
                counts = [str(own.count(state) or "") for state in ("done", "failed", "outdated", "missing")]
                table.add_row(dataset, method, *counts)
        Console().print(table)
        errors = dict.fromkeys(record.error for record in found.records.values() if record.status == "failed")
        for error in errors:
            typer.echo(f"failed: {error}")


@bench.command("tables")
def tables(
    files: _Files = None,
    *,
    smoke: _Smoke = False,
    results: _ResultsOption = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            help="The page to write, or - for standard output; docs/results.md if not given.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Write the tables of experiments, with the paper's numbers beside ours, from their records."""
    from hyperhedge.bench.page import page
    from hyperhedge.bench.results import load_results
    from hyperhedge.io.files import atomic_file

    folder = _folder(results, smoke=smoke)
    target = out or (SMOKE / "results.md" if smoke else Path("docs/results.md"))
    if target != Path("-"):
        check_folder_of(target)
    text = page([load_results(experiment, folder / experiment.name) for experiment in _experiments(files, smoke=smoke)])
    if target == Path("-"):
        typer.echo(text, nl=False)
        return
    with atomic_file(target) as file:
        file.write(text.encode())
    typer.echo(f"{folder} → {target}", err=True)


@bench.command("figures")
def figures(
    files: _Files = None,
    *,
    smoke: _Smoke = False,
    results: _ResultsOption = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="The folder to write to; docs/figures if not given.", show_default=False),
    ] = None,
) -> None:
    """Draw the figures of experiments from their records."""
    from hyperhedge.bench.figures import draw_figure
    from hyperhedge.bench.results import load_results

    folder = _folder(results, smoke=smoke)
    target = out or (SMOKE if smoke else Path("docs/figures"))
    check_folder_of(target / "figure.png")
    for experiment in _experiments(files, smoke=smoke):
        found = load_results(experiment, folder / experiment.name)
        if file := draw_figure(found, target):
            typer.echo(f"{folder / experiment.name} → {file}", err=True)
        else:
            lacking = "too few" if found.done else "no"
            typer.echo(f"{experiment.name}: there are {lacking} records yet, so nothing is drawn", err=True)


def _experiments(files: list[Path] | None, *, smoke: bool) -> list[Experiment]:
    from hyperhedge.bench.experiment import read_experiment

    if not files and not any(file.is_file() for file in DEFAULT):
        raise HyperhedgeError("there is no folder experiments here; name the files of the experiments")
    read = [read_experiment(file) for file in files or [file for file in DEFAULT if file.is_file()]]
    names = [experiment.name for experiment in read]
    for name in names:
        if names.count(name) > 1:
            raise HyperhedgeError(
                f"two experiments are called {name!r}, and their records would be in one folder; rename one"
            )
    return [experiment.for_smoke() if smoke else experiment for experiment in read]


def _folder(results: Path | None, *, smoke: bool) -> Path:
    return results or (SMOKE if smoke else Path("results"))


def _tell(experiment: Experiment, folder: Path, summary: Summary) -> None:
    typer.echo(f"{experiment.name} → {folder} ({summary})", err=True)
    reasons: dict[str, int] = {}
    for error in summary.errors.values():
        reasons[error] = reasons.get(error, 0) + 1
    for error, count in reasons.items():
        typer.echo(f"{count} failed: {error}", err=True)
