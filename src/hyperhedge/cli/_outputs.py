"""Output names, checked before any long work: what would fail at the end fails at the start."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.errors import HyperhedgeError
from hyperhedge.io.formats import find_format
from hyperhedge.models.base import is_saved_model


def check_folder_of(path: Path) -> None:
    """Refuse a name in a folder that does not exist or is not writable."""
    folder = path.resolve().parent
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


def check_collection(out: Path) -> None:
    """Refuse a name that no collection can be written under."""
    if find_format(out).write_collection is None:
        raise HyperhedgeError(
            f"{out}: this format holds no collection; give --out a name that ends in .hif.jsonl or .npz, or a folder's"
        )
    check_folder_of(out)
    if out.is_dir() and not _is_empty_folder(out):
        raise HyperhedgeError(f"{out}: this folder exists already; remove it or choose another name")


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
