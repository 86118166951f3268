"""Output names, checked before any long work: what would fail at the end fails at the start."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.errors import HyperhedgeError
from hyperhedge.io.files import resolved
from hyperhedge.io.formats import find_format, write, write_collection
from hyperhedge.models.base import is_saved_model


def check_folder_of(path: Path) -> None:
    """Refuse a name in a folder that does not exist or is not writable, and names that are none."""
    if str(path) in (".", "-"):  # an empty name is the folder "."
        raise HyperhedgeError(
            f"{str(path)!r} is no name of a file to write; give one (only hyperhedge convert writes to standard output)"
        )
    folder = resolved(path).parent
    if not folder.is_dir():
        raise HyperhedgeError(f"{path}: there is no folder {path.parent}; make it first")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise HyperhedgeError(f"{path}: the folder {path.parent} is not writable; choose another one")


def check_ending(path: Path, *endings: str) -> None:
    """Refuse a file without one of the endings, or in a folder that cannot be written to."""
    if path.suffix.lower() not in endings:
        *others, last = endings
        listed = f"{', '.join(others)} or {last}" if others else last
        raise HyperhedgeError(f"{path}: the name must end in {listed}")
    check_folder_of(path)


def check_model(out: Path, *, overwrite: bool) -> None:
    """Refuse a name that no model can be saved under."""
    check_folder_of(out)
    if not out.exists():
        return
    if not overwrite:
        raise HyperhedgeError(f"{out}: exists already; choose another name or give --overwrite")
    if not (is_saved_model(out) or _is_empty_folder(out)):
        raise HyperhedgeError(f"{out}: this is no saved model, so --overwrite does not replace it; choose another name")


def check_collection(out: Path, count: int | None = None) -> None:
    """Refuse a name that no collection can be written under; a single hypergraph, if ``count`` is 1, can be without one."""
    file_format = find_format(out)
    if file_format.write_collection is None and not (count == 1 and file_format.encode is not None):
        hint = "" if count is None or file_format.encode is None else "; or one hypergraph, with --count 1"
        raise HyperhedgeError(
            f"{out}: this format holds no collection; give --out a name that ends in .hif.jsonl or .npz, or a folder's{hint}"
        )
    check_folder_of(out)
    if out.is_dir() and not _is_empty_folder(out):
        raise HyperhedgeError(f"{out}: this folder exists already; remove it or choose another name")


def write_hypergraphs(graphs: Iterable[Hypergraph], out: Path) -> None:
    """Write hypergraphs as a collection, or the only one to a file that holds one."""
    if find_format(out).write_collection is None:
        (H,) = graphs
        write(H, out)
    else:
        write_collection(graphs, out)


def check_different(**files: Path | None) -> None:
    """Refuse two outputs with one name, by option: the second would replace the first."""
    options: dict[Path, str] = {}
    for option, path in files.items():
        if path is not None:
            target = resolved(path)
            if target in options:
                raise HyperhedgeError(
                    f"{path}: --{options[target]} and --{option.replace('_', '-')} name the same file; give one another name"
                )
            options[target] = option.replace("_", "-")


def describe(content: Hypergraph | Sequence[Hypergraph]) -> str:
    """Describe what was written.

    Examples
    --------
    >>> describe(Hypergraph([[0, 1]]))
    'Hypergraph: 2 nodes, 1 hyperedge, 2 incidences'
    >>> describe([Hypergraph()] * 1200)
    '1,200 hypergraphs'
    """
    if isinstance(content, Hypergraph):
        return repr(content).strip("<>")
    return f"{len(content):,} hypergraph{'' if len(content) == 1 else 's'}"


def _is_empty_folder(path: Path) -> bool:
    return path.is_dir() and not any(path.iterdir())
