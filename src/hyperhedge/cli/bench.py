"""Commands that compare generators on your data: ``hyperhedge bench run | status | tables``."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from hyperhedge.cli._options import Memory
from hyperhedge.cli._outputs import check_folder_of
from hyperhedge.cli.app import app

if TYPE_CHECKING:
    from hyperhedge.bench.experiment import Experiment

bench = typer.Typer(help="Compare generators on your data: run an experiment cell by cell, and show its tables.")
app.add_typer(bench, name="bench")

_File = Annotated[Path, typer.Argument(metavar="EXPERIMENT.toml", help="Datasets, methods, seeds and protocol.")]
_Smoke = Annotated[
    bool,
    typer.Option("--smoke", help="Change what the table [smoke] says, to see that everything runs; in NAME.smoke."),
]
_Results = Annotated[
    Path | None,
    typer.Option(
        "--results",
        metavar="FOLDER",
        help="The folder of records; by default the experiment's, NAME.results beside its file.",
        show_default=False,
    ),
]
_STATES = ("done", "failed", "outdated", "missing")


@bench.command("run")
def run(
    file: _File,
    *,
    smoke: _Smoke = False,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", min=1, help="Workers; by default one per core.", show_default=False)
    ] = None,
    cluster: Annotated[
        str, typer.Option("--cluster", metavar="local|ray|ray://…", help="Where to run: on this machine, or on Ray.")
    ] = "local",
    address: Annotated[
        str | None, typer.Option("--address", help="The address of a running Ray cluster.", show_default=False)
    ] = None,
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Run failed cells again.")] = False,
    datasets: Annotated[list[str] | None, typer.Option("--dataset", help="Only this dataset; repeatable.")] = None,
    methods: Annotated[list[str] | None, typer.Option("--method", help="Only this method; repeatable.")] = None,
    seeds: Annotated[list[int] | None, typer.Option("--seed", help="Only this seed; repeatable.")] = None,
    models: Annotated[
        Path | None,
        typer.Option(
            "--keep-models", metavar="FOLDER", help="Keep the fitted models in this folder.", show_default=False
        ),
    ] = None,
    results: _Results = None,
    _memory: Memory = None,
) -> None:
    """Run the cells of an experiment that have no record yet.

    A cell is one dataset, one method and one seed, and leaves one record. After Ctrl-C, a kill or a power cut, the same command
    continues. The log, run.log, is beside the records. The exit code is 1 if a cell failed.

    Example: [bold]hyperhedge bench run mine.toml --jobs 2[/bold]
    """
    from hyperhedge._system.pool import make_cluster
    from hyperhedge.bench.runner import Selection, run_experiment  # takes seconds to import

    experiment = _read(file, smoke=smoke)
    folder = results or experiment.folder
    try:
        summary = run_experiment(
            experiment,
            folder,
            make_cluster(cluster, workers=jobs, address=address),
            selection=Selection(datasets or (), methods or (), seeds or ()),
            retry_failed=retry_failed,
            models=models,
            console=Console(stderr=True),
        )
    except KeyboardInterrupt:
        typer.echo(f"Stopped. Finished cells are in {folder}; the same command continues.", err=True)
        raise
    typer.echo(f"{experiment.name} → {folder} ({summary})", err=True)
    for error, count in Counter(summary.errors.values()).items():
        typer.echo(f"{count} failed: {error}", err=True)
    raise typer.Exit(1 if summary.errors else 0)


@bench.command("status")
def status(file: _File, *, smoke: _Smoke = False, results: _Results = None) -> None:
    """Count the cells that are done, failed, outdated (run with another configuration) or missing."""
    from hyperhedge.bench.results import load_results

    experiment = _read(file, smoke=smoke)
    folder = results or experiment.folder
    loaded = load_results(experiment, folder)
    counts: Counter[tuple[str, str, str]] = Counter(
        (cell.dataset, cell.method, loaded.state(cell)) for cell in loaded.cells
    )
    table = Table(title=f"{experiment.name}: {folder}", title_justify="left")
    for heading in ("dataset", "method", *_STATES):
        table.add_column(heading, justify="right" if heading in _STATES else "left")
    for dataset in experiment.datasets:
        for method in experiment.methods:
            table.add_row(dataset, method, *(str(counts[dataset, method, state] or "") for state in _STATES))
    Console().print(table)
    errors = dict.fromkeys(record.error for record in loaded.records.values() if record.status == "failed")
    for error in errors:
        typer.echo(f"failed: {error}")


@bench.command("tables")
def tables(
    file: _File,
    *,
    smoke: _Smoke = False,
    results: _Results = None,
    out: Annotated[
        Path,
        typer.Option(
            "--out", "-o", help="A file to write, Markdown or, if it ends in .csv, CSV; - for standard output."
        ),
    ] = Path("-"),
) -> None:
    """Show each metric of each method, mean ± standard deviation over seeds, with the floor beside.

    Example: [bold]hyperhedge bench tables mine.toml -o mine.md[/bold]
    """
    from hyperhedge.bench.results import load_results
    from hyperhedge.bench.tables import as_csv, as_markdown
    from hyperhedge.io.files import atomic_file

    experiment = _read(file, smoke=smoke)
    folder = results or experiment.folder
    if out != Path("-"):
        check_folder_of(out)
    text = (as_csv if out.suffix == ".csv" else as_markdown)(load_results(experiment, folder))
    if out == Path("-"):
        typer.echo(text, nl=False)
        return
    with atomic_file(out) as stream:
        stream.write(text.encode())
    typer.echo(f"{folder} → {out}", err=True)


def _read(file: Path, *, smoke: bool) -> Experiment:
    from hyperhedge.bench.experiment import read_experiment

    experiment = read_experiment(file)
    return experiment.for_smoke() if smoke else experiment
