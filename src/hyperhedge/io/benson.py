"""Benson's triples of text files, one number per line: ``NAME-nverts.txt``, ``NAME-simplices.txt``, ``NAME-times.txt``.

The first has the size of each hyperedge (simplex), the second the members of all hyperedges in turn, so its length is the
sum of the first; the third has a time per hyperedge, which is not kept. Any of the three files, their folder, or their
common beginning ``NAME`` names the triple, which is read, not written. Each file may be gzipped.

Two more files, where they stand beside these, give labels: ``NAME-node-labels.txt`` and ``NAME-simplex-labels.txt``, with
a number and a name on each line. The nodes of the first are nodes even if they are in no hyperedge; the second numbers
hyperedges from 1. A name that several share is followed by the number. A file of labels in another form is not used.
"""

from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.core.labels import Label, is_integer_text
from hyperhedge.core.loss import Loss
from hyperhedge.errors import DataLossWarning, FormatError
from hyperhedge.io.files import LIMITS, Limits, PathLike, decode_text, errors_at, read_bytes
from hyperhedge.io.integer_lines import parse_integer_lines
from hyperhedge.typing import IntArray

_SIZES, _MEMBERS, _TIMES = "nverts", "simplices", "times"
_NODE_LABELS, _EDGE_LABELS = "node-labels", "simplex-labels"
_ENDINGS = (".txt", ".txt.gz")


def triple_of(path: PathLike) -> str | None:
    """Return what the names of a triple begin with, given one of its files, their folder or that beginning.

    None if there is no such triple. Sizes without members, or members without sizes, are one, of which a file is missing.
    """
    name = os.fspath(path)
    for kind in (_SIZES, _MEMBERS, _TIMES):
        for ending in _ENDINGS:
            beginning = name.removesuffix(f"-{kind}{ending}")
            if beginning != name:
                others = [other for other in (_SIZES, _MEMBERS, _TIMES) if other != kind]
                return beginning if any(_file(beginning, other) for other in others) else None
    if not name:
        return None
    if Path(name).is_dir():
        return _only_triple(Path(name))
    complete = _file(name, _SIZES) and _file(name, _MEMBERS)
    return name if complete and not Path(name).exists() else None


def _only_triple(folder: Path) -> str | None:
    beginnings = {
        file.name.removesuffix(f"-{_SIZES}{ending}")
        for ending in _ENDINGS
        for file in folder.glob(f"*-{_SIZES}{ending}")
        if _file(str(folder / file.name.removesuffix(f"-{_SIZES}{ending}")), _MEMBERS)
    }
    if len(beginnings) > 1:
        listed = ", ".join(sorted(beginnings)[:5])
        raise FormatError(f"the folder holds several datasets of -{_SIZES}.txt files ({listed}); name one", path=folder)
    return str(folder / beginnings.pop()) if beginnings else None


def _file(beginning: str, kind: str) -> Path | None:
    files = [Path(f"{beginning}-{kind}{ending}") for ending in _ENDINGS]
    return next((file for file in files if file.is_file()), None)


def read_benson(path: PathLike, *, limits: Limits = LIMITS) -> Hypergraph:
    """Read a triple, given one of its files, their folder or what their names begin with."""
    beginning = triple_of(path)
    if beginning is None:
        raise FormatError(
            f"there is no NAME-{_SIZES}.txt with a NAME-{_MEMBERS}.txt; name one of the files, their folder or NAME",
            path=path,
        )
    sizes_file, members_file = _required(beginning, _SIZES), _required(beginning, _MEMBERS)
    sizes, members = _integers(sizes_file, limits), _integers(members_file, limits)
    if int(sizes.max(initial=0)) > len(members) or int(sizes.sum()) != len(members):
        raise FormatError(
            f"there are {len(members):,} members, but the sizes in {sizes_file.name} do not add up to this; "
            "are both files complete, and of one dataset?",
            path=members_file,
        )
    names = _names(beginning, _NODE_LABELS, limits)
    ids = np.array(sorted({*np.unique(members).tolist(), *names}), dtype=np.int64)
    edge_names = _names(beginning, _EDGE_LABELS, limits)
    edges = range(1, len(sizes) + 1)
    with errors_at(beginning):
        H = Hypergraph.from_indices(
            np.searchsorted(ids, members),
            np.repeat(np.arange(len(sizes)), sizes),
            nodes=_labelled(ids.tolist(), names),
            edges=_labelled(edges, edge_names) if edge_names else len(sizes),
        )
    Loss(times=_count_times(beginning, len(sizes), limits)).warn(beginning)
    return H


def _required(beginning: str, kind: str) -> Path:
    file = _file(beginning, kind)
    if file is None:
        raise FormatError(
            f"the file is missing, without which the others of {Path(beginning).name} mean little; put it beside them, or set "
            "format='hyperedge-list' to read one of them as hyperedges",
            path=f"{beginning}-{kind}.txt",
        )
    return file


def _integers(file: Path, limits: Limits) -> IntArray:
    """Read numbers, one per line."""
    data = read_bytes(file, max_line=limits.line, limits=limits).replace(b"\r\n", b"\n")
    if not data.translate(None, b"0123456789 \t\n"):
        parsed = parse_integer_lines(data)
        if parsed is not None and (parsed[1] == 1).all():
            return parsed[0]
    for number, line in enumerate(decode_text(data, file).split("\n"), start=1):
        if line.strip() and not is_integer_text(line.strip()):
            raise FormatError(
                f"{line.strip()[:40]!r} is not one whole number from 0", path=file, where=f"line {number}"
            )
    return np.array(list(map(int, data.split())), dtype=np.int64)


def _count_times(beginning: str, edges: int, limits: Limits) -> int:
    file = _file(beginning, _TIMES)
    if file is None:
        return 0
    times = len(read_bytes(file, max_line=limits.line, limits=limits).split())
    if times != edges:
        raise FormatError(f"there are {times:,} times of {edges:,} hyperedges; is the file complete?", path=file)
    return times


def _names(beginning: str, kind: str, limits: Limits) -> dict[int, str]:
    """Read the numbers and names of a file of labels; empty if there is none, or if it holds something else."""
    file = _file(beginning, kind)
    if file is None:
        return {}
    names: dict[int, str] = {}
    text = decode_text(read_bytes(file, max_line=limits.line, limits=limits), file)
    for number, line in enumerate(text.split("\n"), start=1):
        first, *rest = line.split(maxsplit=1)[:2] or [""]
        if not first:
            continue
        if not (rest and is_integer_text(first) and int(first) not in names):
            message = f"{file}, line {number}: not used, since {line.strip()[:40]!r} is not a new number and its name"
            warnings.warn(message, DataLossWarning, stacklevel=3)
            return {}
        names[int(first)] = rest[0].strip()
    return names


def _labelled(ids: Sequence[int], names: dict[int, str]) -> list[Label]:
    """Return the label of each id: its name, with the id if others have the same, or the id if it has none."""
    shared = {name for name, number in Counter(names.values()).items() if number > 1}
    labels: list[Label] = []
    for k in ids:
        name = names.get(k)
        labels.append(k if not name else f"{name} ({k})" if name in shared else name)
    return labels
