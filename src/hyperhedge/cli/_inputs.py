"""Hypergraphs that a command reads: from files, standard input and datasets."""

from __future__ import annotations

from collections.abc import Sequence

import typer
from rich.console import Console

from hyperhedge.cli._options import used
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.data import CATALOGUE, Store, load_dataset
from hyperhedge.data.dataset import Collection, Observed
from hyperhedge.errors import HyperhedgeError
from hyperhedge.io.files import without_gz
from hyperhedge.io.formats import read_as_stored as read_stored


def read_hypergraphs(data: str) -> list[Hypergraph]:
    """Read hypergraphs to learn from or to compare with: a dataset's or a file's; one hypergraph is a list of one."""
    dataset = load_dataset(data, progress=Console(stderr=True))
    if isinstance(dataset, Observed):
        return [dataset.hypergraph]
    if isinstance(dataset, Collection):
        return list(dataset.hypergraphs)
    raise HyperhedgeError(
        f"{data} is a synthetic regime, not a collection; sample one first: hyperhedge data bank {data} --out bank.hif.jsonl"
    )


def named_file(text: str) -> tuple[str, str]:
    """Read ``HCM=shuffled.hif.jsonl``; a file without a name is named after itself."""
    name, equals, file = text.partition("=")
    if equals and name and file:
        return name, file
    if equals or not text:
        raise typer.BadParameter(f"{text!r} is not NAME=FILE")
    return without_gz(text).partition(".")[0] or text, text


def read_named(files: Sequence[tuple[str, str]], what: str, how: str) -> dict[str, list[Hypergraph]]:
    """Read samples by name, which must be different names."""
    samples: dict[str, list[Hypergraph]] = {}
    for name, file in files:
        if name in samples:
            raise HyperhedgeError(f"two {what} are named {name}; name them, as in {how}")
        samples[name] = read_hypergraphs(file)
    return samples


def read_as_stored(
    file: str, format_name: str | None, node_column: str | None, edge_column: str | None
) -> Hypergraph | list[Hypergraph]:
    """Read one hypergraph or a collection, whichever a file or a real dataset is."""
    if file in CATALOGUE:
        return CATALOGUE[file].load(Store.from_environment(progress=Console(stderr=True)))
    path = standard_stream(file, "/dev/stdin", format_name, "--format or --from")
    columns = used(node_column=node_column, edge_column=edge_column)
    return read_stored(path, format=format_name, **columns)


def standard_stream(name: str, device: str, format_name: str | None, option: str) -> str:
    """Let ``-`` stand for a standard stream, which needs a format."""
    if name not in ("-", device):
        return name
    if format_name is None:
        raise HyperhedgeError(f"a standard stream has no name that says its format; give {option}")
    return device
