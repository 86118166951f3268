"""Names to write to, looked at before any long work: what would fail at the end fails at the start."""

from __future__ import annotations

import os
from pathlib import Path

from hyperhedge.errors import HyperhedgeError
from hyperhedge.generator import is_saved_model
from hyperhedge.io.formats import find_format

__all__ = ["check_collection", "check_folder_of", "check_model"]


def check_folder_of(path: Path) -> None:
    """Refuse a name in a folder that is not there or cannot be written to."""
    folder = path.resolve().parent
    if not folder.is_dir():
        raise HyperhedgeError(f"{path}: there is no folder {path.parent}; make it first")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise HyperhedgeError(f"{path}: the folder {path.parent} cannot be written to; choose another one")


def check_model(out: Path, *, overwrite: bool) -> None:
    """Refuse a name that no model can be saved under."""
    check_folder_of(out)
    if not out.exists():
        return
    if not overwrite:
        raise HyperhedgeError(f"{out}: exists already; choose another name or give --overwrite")
    if not (is_saved_model(out) or _is_empty_folder(out)):
        raise HyperhedgeError(f"{out}: this is no saved model, so --overwrite does not replace it; choose another name")


def check_collection(out: Path, what: str) -> None:
    """Refuse a name that no collection can be written under."""
    if find_format(out).write_collection is None:
        raise HyperhedgeError(
            f"{out}: {what} a collection; give --out a name that ends in .hif.jsonl or .npz, or a folder's"
        )
    check_folder_of(out)
    if out.is_dir() and not _is_empty_folder(out):
        raise HyperhedgeError(f"{out}: this folder exists already; remove it or choose another name")


def _is_empty_folder(path: Path) -> bool:
    return path.is_dir() and not any(path.iterdir())
