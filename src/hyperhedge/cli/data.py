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

from hyperhedge.cli.app import app
from hyperhedge.cli.files import one_table
from hyperhedge.datasets import CATALOGUE, NAMES, REGIMES, DataError, Store, load_dataset
from hyperhedge.datasets.catalogue import Entry
from hyperhedge.datasets.dataset import Collection, Observed, Size
from hyperhedge.datasets.regimes import Regime
from hyperhedge.datasets.splits import NAMES as SPLITS
from hyperhedge.errors import HyperhedgeError
from hyperhedge.hypergraph import Hypergraph
from hyperhedge.io.files import without_gz
from hyperhedge.io.formats import find_format, write_collection
from hyperhedge.summary import Summary, summarise

__all__ = ["data", "read_hypergraphs"]

data = typer.Typer(
    help="Datasets: six real ones, four synthetic regimes, and banks of hypergraphs drawn from them or from your files."
)
app.add_typer(data, name="data")


def _complete_name(incomplete: str) -> list[str]:
    return [name for name in NAMES if name.startswith(incomplete)]


_Name = Annotated[
    str,
    typer.Argument(
        metavar="NAME|FILE", help="A dataset, a file or a folder of hypergraphs.", autocompletion=_complete_name
    ),
]


@data.command("list")
def list_datasets(*, as_json: Annotated[bool, typer.Option("--json", help="Print JSON for a script.")] = False) -> None:
    """List the datasets."""
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
def data_info(
    name: _Name, *, as_json: Annotated[bool, typer.Option("--json", help="Print JSON for a script.")] = False
) -> None:
    """Tell what a dataset is, where it is from, and what it holds.

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
        console.print(one_table(name, summary))


def _facts(name: str) -> tuple[dict[str, Any], Summary | None]:
    """Collect what there is to say of a dataset, and the summary of its hypergraph if it is one that is here."""
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
        "bank size in the paper": "{} nodes × {} hyperedges".format(*entry.bank_size),
    }
    if all(here):
        return {**facts, "file": [str(path) for path in here]}, summarise(entry.load(store))
    return {**facts, "file": f"not on this machine; get it with: hyperhedge data fetch {entry.name}"}, None


@data.command()
def fetch(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME...", help="Real datasets.", autocompletion=_complete_name, show_default=False),
    ] = None,
    *,
    everything: Annotated[bool, typer.Option("--all", help="All real datasets.")] = False,
) -> None:
    """Download real datasets into the cache, checked against their SHA-256, and print where they are.

    An interrupted download goes on where it stopped. Set HYPERHEDGE_DATA to a folder (or the address of one) to use
    that instead of upstream, and HYPERHEDGE_CACHE to choose the cache.

    Example: [bold]hyperhedge data fetch cora dblp[/bold]
    """
    wanted = list(CATALOGUE) if everything else names or []
    if not wanted:
        raise HyperhedgeError(f"say which datasets: {', '.join(CATALOGUE)}, or --all")
    for name in wanted:
        if name in REGIMES:
            raise DataError(f"{name} is synthetic: there is nothing to fetch")
        if name not in CATALOGUE:
            raise DataError(f"there is no dataset {name!r}; choose from {', '.join(CATALOGUE)}")
    store = Store.from_environment(progress=Console(stderr=True))
    for name in wanted:
        for path in store.fetch(CATALOGUE[name].files):
            typer.echo(path)


def _range(text: str) -> Size:
    """Read ``64`` or ``40:64``."""
    try:
        ends = [int(part) for part in text.split(":")]
    except ValueError:
        ends = []
    if len(ends) not in (1, 2):
        raise typer.BadParameter(f"{text!r} is neither a number nor a range such as 40:64")
    return ends[0] if len(ends) == 1 else (ends[0], ends[1])


def _counts(text: str) -> tuple[int, ...]:
    """Read ``200,50,50``."""
    try:
        found = tuple(int(part) for part in text.split(","))
    except ValueError:
        found = ()
    if len(found) != len(SPLITS):
        raise typer.BadParameter(f"{text!r} is not three numbers, TRAIN,VALIDATION,TEST")
    return found


def _setting(text: str) -> tuple[str, float]:
    """Read ``mean_size=4``."""
    name, _, value = text.partition("=")
    try:
        return name, int(value) if value.lstrip("-").isdecimal() else float(value)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not NAME=NUMBER") from None


@data.command()
def bank(
    name: _Name,
    *,
    out: Annotated[Path, typer.Option("--out", help="The collection to write: .hif.jsonl, .npz or a new folder.")],
    nodes: Annotated[
        Any, typer.Option("--nodes", "-n", metavar="N|LEAST:MOST", parser=_range, help="Nodes of each hypergraph.")
    ] = None,
    edges: Annotated[
        Any, typer.Option("--edges", "-m", metavar="M|LEAST:MOST", parser=_range, help="Hyperedges of each.")
    ] = None,
    count: Annotated[int, typer.Option("--count", min=0, help="How many hypergraphs.")] = 300,
    seed: Annotated[int, typer.Option("--seed", min=0, help="The seed of the draw.")] = 0,
    protocol: Annotated[str | None, typer.Option(help="How hyperedges are chosen: uniform, walk, snowball.")] = None,
    restart: Annotated[float | None, typer.Option(help="The probability with which a walk jumps.")] = None,
    trim: Annotated[str | None, typer.Option(help="How nodes are chosen: degree, uniform.")] = None,
    isolated: Annotated[
        str | None, typer.Option(help="Isolated nodes where hyperedges have too few: pad, avoid.")
    ] = None,
    settings: Annotated[
        list[Any] | None,
        typer.Option("--set", metavar="NAME=NUMBER", parser=_setting, help="A parameter of a synthetic regime."),
    ] = None,
    split: Annotated[
        Any,
        typer.Option(
            "--split",
            metavar="TRAIN,VALIDATION,TEST",
            parser=_counts,
            help="Write three collections of so many hypergraphs instead, bank.train.hif.jsonl and so on.",
        ),
    ] = None,
    leak_free: Annotated[bool, typer.Option("--leak-free", help="Let no hyperedge be in two splits.")] = False,
) -> None:
    """Draw a bank of hypergraphs of fixed or varying size, from a dataset or a file of yours.

    Example: [bold]hyperhedge data bank house-committees -n 64 -m 16 --count 300 --out bank.hif.jsonl[/bold]
    """
    if leak_free and split is None:
        raise HyperhedgeError("--leak-free is about splits: give --split TRAIN,VALIDATION,TEST too")
    if find_format(out).write_collection is None:
        raise HyperhedgeError(
            f"{out}: a bank is a collection; give --out a name that ends in .hif.jsonl or .npz, or a folder's"
        )
    given = {"protocol": protocol, "restart": restart, "trim": trim, "isolated": isolated, **dict(settings or [])}
    options = {key: value for key, value in given.items() if value is not None}
    dataset = load_dataset(name, progress=Console(stderr=True))
    if split is None:
        parts = {out: dataset.bank(nodes, edges, count, seed=seed, **options)}
    else:
        drawn = dataset.splits(nodes, edges, split, seed=seed, leak_free=leak_free, **options)
        parts = {_part_name(out, part): found for part, found in zip(SPLITS, drawn, strict=True) if found}
    for path, found in parts.items():
        write_collection(found, path)
        typer.echo(f"{name} → {path} ({len(found):,} hypergraphs)", err=True)


def _part_name(out: Path, part: str) -> Path:
    """Put a split's name before the ending: ``bank.hif.jsonl`` becomes ``bank.train.hif.jsonl``; a folder's after it."""
    plain = Path(without_gz(out)).name
    endings = find_format(out).endings
    ending = next((end for end in endings if plain.endswith(end)), "")
    stem = plain[: len(plain) - len(ending)]
    return out.with_name(f"{stem}.{part}{out.name[len(stem) :]}" if ending else f"{stem}-{part}")


def read_hypergraphs(data: str) -> list[Hypergraph]:
    """Read what is to be learned from or judged by."""
    dataset = load_dataset(data, progress=Console(stderr=True))
    if isinstance(dataset, Observed):
        return [dataset.hypergraph]
    if isinstance(dataset, Collection):
        return list(dataset.hypergraphs)
    raise HyperhedgeError(
        f"{data} is a law, not a collection; draw one first: hyperhedge data bank {data} --out bank.hif.jsonl"
    )
