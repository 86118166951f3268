"""Commands on datasets: ``hyperhedge data list | info | fetch | bank``."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hyperhedge.cli._options import (
    AsJson,
    CollectionOut,
    Count,
    DatasetOrFile,
    Memory,
    Seed,
    complete,
    seed_or_fresh,
    used,
)
from hyperhedge.cli._outputs import check_collection, describe
from hyperhedge.cli.app import app
from hyperhedge.cli.info import summary_table
from hyperhedge.core.summary import Summary, summarise
from hyperhedge.data import CATALOGUE, REGIMES, Store, load_dataset
from hyperhedge.data.catalogue import Entry
from hyperhedge.data.dataset import Collection, Dataset, Observed, Range
from hyperhedge.data.regimes import Regime
from hyperhedge.data.splits import NAMES as SPLITS
from hyperhedge.errors import DataError, HyperhedgeError
from hyperhedge.io.files import without_gz
from hyperhedge.io.formats import find_format, write_collection

data = typer.Typer(
    help="Datasets: real ones, synthetic regimes, and banks of hypergraphs sampled from them or from your files."
)
app.add_typer(data, name="data")


@data.command("list")
def list_datasets(*, as_json: AsJson = False) -> None:
    """List the datasets.

    Example: [bold]hyperhedge data list[/bold]
    """
    store = Store.from_environment()
    here = {name: all(store.local(file) for file in entry.files) for name, entry in CATALOGUE.items()}
    if as_json:
        real = [
            {"name": e.name, "kind": "real", "nodes": e.nodes, "hyperedges": e.hyperedges, "here": here[e.name]}
            for e in CATALOGUE.values()
        ]
        synthetic = [{"name": name, "kind": "synthetic"} for name in REGIMES]
        typer.echo(json.dumps([*real, *synthetic], indent=2))
        return
    table = Table(title="Datasets", title_justify="left", title_style="bold")
    table.add_column("name", no_wrap=True)
    for heading in ("nodes", "hyperedges"):
        table.add_column(heading, justify="right")
    table.add_column("here")
    table.add_column("what")
    for entry in CATALOGUE.values():
        there = "yes" if here[entry.name] else "no"
        table.add_row(entry.name, f"{entry.nodes:,}", f"{entry.hyperedges:,}", there, entry.description)
    for regime in REGIMES.values():
        table.add_row(regime.name, "any", "any", "yes", f"synthetic: {regime.description}")
    Console().print(table)


@data.command("info")
def data_info(name: DatasetOrFile, *, as_json: AsJson = False) -> None:
    """Describe a dataset: what it is, where it comes from and what it holds.

    Example: [bold]hyperhedge data info house-committees[/bold]
    """
    facts, summary = _facts(name)
    if as_json:
        typer.echo(json.dumps({**facts, "summary": asdict(summary)} if summary else facts, indent=2))
        return
    console = Console()
    for key, value in facts.items():
        for line in value if isinstance(value, list) else [value]:
            console.print(Text.assemble((f"{key}: ", "dim"), str(line)), soft_wrap=True)
    if summary:
        console.print(summary_table(name, summary))


def _facts(name: str) -> tuple[dict[str, Any], Summary | None]:
    """Describe a dataset, and summarise its hypergraph if it is a single one on this machine."""
    if name in REGIMES:
        return _regime_facts(REGIMES[name]), None
    if name in CATALOGUE:
        return _entry_facts(CATALOGUE[name])
    dataset = load_dataset(name)
    facts: dict[str, Any] = {"name": name, "what": dataset.description}
    if isinstance(dataset, Observed):
        return facts, summarise(dataset.hypergraph)
    if isinstance(dataset, Collection):
        facts["hypergraphs"] = len(dataset.hypergraphs)
    return facts, None


def _regime_facts(regime: type[Regime]) -> dict[str, Any]:
    return {
        "name": regime.name,
        "what": f"synthetic: {regime.description}",
        "parameters": [f"{key} = {value}" for key, value in regime.parameters().items()],
    }


def _entry_facts(entry: Entry) -> tuple[dict[str, Any], Summary | None]:
    store = Store.from_environment()
    here = [store.local(file) for file in entry.files]
    facts: dict[str, Any] = {
        "name": entry.name,
        "what": entry.description,
        "cite": entry.reference,
        "licence": entry.licence,
        "source": [file.url for file in entry.files],
        "sha256": [file.sha256 for file in entry.files],
        "bank shape in the paper": "{} nodes × {} hyperedges".format(*entry.bank_shape) if entry.bank_shape else "none",
    }
    if entry.in_package:
        return {**facts, "file": "comes with the package"}, summarise(entry.load(store))
    if all(here):
        return {**facts, "file": [str(path) for path in here]}, summarise(entry.load(store))
    return {**facts, "file": f"not on this machine; get it with: hyperhedge data fetch {entry.name}"}, None


@data.command()
def fetch(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME...", help="Real datasets.", autocompletion=complete(lambda: CATALOGUE)),
    ] = None,
    *,
    everything: Annotated[bool, typer.Option("--all", help="All real datasets.")] = False,
) -> None:
    """Download real datasets into the cache, check their SHA-256, and print where they are.

    An interrupted download continues where it stopped. Set HYPERHEDGE_DATA to a
    folder, or its address, to use it instead of upstream, and HYPERHEDGE_CACHE
    to choose the cache.

    Example: [bold]hyperhedge data fetch cora dblp[/bold]
    """
    wanted = list(CATALOGUE) if everything else names or []
    if not wanted:
        remote = [name for name, entry in CATALOGUE.items() if not entry.in_package]
        raise HyperhedgeError(f"name the datasets to fetch: {', '.join(remote)}, or --all")
    for name in wanted:
        if name in REGIMES:
            raise DataError(f"{name} is synthetic: there is nothing to fetch")
        if name not in CATALOGUE:
            raise DataError(f"there is no dataset {name!r}; choose from {', '.join(CATALOGUE)}")
    store = Store.from_environment(progress=Console(stderr=True))
    for name in wanted:
        if CATALOGUE[name].in_package:
            typer.echo(f"{name} comes with the package: there is nothing to fetch", err=True)
        for path in store.fetch(CATALOGUE[name].files):
            typer.echo(path)


def _range(text: str) -> Range:
    """Read ``64`` or ``40:64``."""
    try:
        least, colon, most = text.partition(":")
        return (int(least), int(most)) if colon else int(least)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is neither a number nor a range such as 40:64") from None


def _counts(text: str) -> tuple[int, int, int]:
    """Read ``200,50,50``."""
    try:
        train, validation, test = (int(number) for number in text.split(","))
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not three numbers, TRAIN,VALIDATION,TEST") from None
    return train, validation, test


def _setting(text: str) -> tuple[str, float]:
    """Read ``mean_size=4``."""
    name, _, value = text.partition("=")
    try:
        return name, int(value) if value.lstrip("-").isdecimal() else float(value)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not NAME=NUMBER") from None


@data.command()
def bank(
    name: DatasetOrFile,
    *,
    out: CollectionOut,
    nodes: Annotated[
        Any, typer.Option("--nodes", "-n", metavar="N|LEAST:MOST", parser=_range, help="Nodes per hypergraph.")
    ] = None,
    edges: Annotated[
        Any, typer.Option("--edges", "-m", metavar="M|LEAST:MOST", parser=_range, help="Hyperedges per hypergraph.")
    ] = None,
    count: Count = 300,
    seed: Seed = None,
    protocol: Annotated[str | None, typer.Option(help="How to choose hyperedges: uniform, walk, snowball.")] = None,
    restart: Annotated[float | None, typer.Option(help="Probability that a walk restarts elsewhere.")] = None,
    trim: Annotated[str | None, typer.Option(help="How to choose nodes: degree, uniform.")] = None,
    isolated: Annotated[
        str | None,
        typer.Option(help="If hyperedges cover too few nodes: pad with isolated ones, or avoid by sampling again."),
    ] = None,
    settings: Annotated[
        list[Any] | None,
        typer.Option("--set", metavar="NAME=NUMBER", parser=_setting, help="Parameter of a synthetic regime."),
    ] = None,
    split: Annotated[
        Any,
        typer.Option(
            "--split",
            metavar="TRAIN,VALIDATION,TEST",
            parser=_counts,
            help="Write three collections of these sizes instead: bank.train.hif.jsonl and so on.",
        ),
    ] = None,
    leak_free: Annotated[
        bool, typer.Option("--leak-free", help="Share no hyperedge between splits: each has an equal, balanced part.")
    ] = False,
    _memory: Memory = None,
) -> None:
    """Sample a bank of hypergraphs of fixed or varying shape from a dataset or a file.

    Without --nodes or --edges, a shape is proposed whose pieces look like the whole
    hypergraph; the paper's datasets and the regimes have one of their own.

    Example: [bold]hyperhedge data bank house-committees -n 64 -m 16 -o bank.hif.jsonl[/bold]
    """
    if leak_free and split is None:
        raise HyperhedgeError("--leak-free is about splits; give --split TRAIN,VALIDATION,TEST too")
    paths = [out] if split is None else [_split_name(out, name) for name in SPLITS]
    for path, size in zip(paths, split or (1,), strict=True):
        if size:
            check_collection(path)
    options = used(protocol=protocol, restart=restart, trim=trim, isolated=isolated, **dict(settings or []))
    dataset = load_dataset(name, progress=Console(stderr=True))
    seed = seed_or_fresh(seed)
    nodes, edges = _proposed(dataset, nodes, edges, options)
    if split is None:
        collections = [dataset.bank(nodes, edges, count, seed=seed, progress=True, **options)]
    else:
        collections = list(
            dataset.splits(nodes, edges, split, seed=seed, leak_free=leak_free, progress=True, **options)
        )
    for path, graphs in zip(paths, collections, strict=True):
        if graphs or split is None:
            write_collection(graphs, path)
            typer.echo(f"{name} → {path} ({describe(graphs)})", err=True)


def _proposed(
    dataset: Dataset, nodes: Range | None, edges: Range | None, options: dict[str, Any]
) -> tuple[Range | None, Range | None]:
    """Propose what is missing of the shape of an observed hypergraph's pieces, and say so."""
    if not isinstance(dataset, Observed) or dataset.bank_shape or not (nodes is None or edges is None):
        return nodes, edges
    proposal = dataset.propose_shape(nodes, edges, **options)
    typer.echo(f"Shape of the pieces: {proposal}", err=True)
    return proposal.n if nodes is None else nodes, proposal.m if edges is None else edges


def _split_name(out: Path, split: str) -> Path:
    """Put a split's name before the ending: ``bank.hif.jsonl`` becomes ``bank.train.hif.jsonl``; a folder's after it."""
    plain = Path(without_gz(out)).name
    endings = find_format(out).endings
    ending = next((end for end in endings if plain.endswith(end)), "")
    stem = plain[: len(plain) - len(ending)]
    return out.with_name(f"{stem}.{split}{out.name[len(stem) :]}" if ending else f"{stem}-{split}")
