"""The way from noise to a hypergraph, small enough for a page: few frames, a byte an entry.

A state is cut to [−0.5, 1.5] and rounded to 256 steps. Of all states at most :data:`FRAMES` are kept, at even distances in the
number of steps, fewer of a large hypergraph. Rows and columns are in the order of the hypergraph that comes out
(:mod:`hyperhedge.metrics.page.drawing`), and so are the places in the drawing: what is seen to change are the incidences alone. The
last frame is that hypergraph.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hyperhedge.errors import HyperhedgeError
from hyperhedge.hypergraph import Hypergraph
from hyperhedge.metrics.page.drawing import Drawing
from hyperhedge.metrics.sample import FloatArray

__all__ = ["FRAMES", "HIGHEST", "LOWEST", "Path", "films", "quantised"]

FRAMES, FILMS = 60, 3
LOWEST, HIGHEST = -0.5, 1.5
_BYTES = 250_000  # of one film
_FEWEST = 6
_DECIDED = 0.1


class Path(Protocol):
    """Samples with the states on their way, such as :class:`hyperhedge.hedge.Drawn`."""

    @property
    def hypergraphs(self) -> list[Hypergraph]:
        """The samples."""

    @property
    def paths(self) -> list[FloatArray] | None:
        """For each the states, (steps + 1, n, m)."""

    @property
    def times(self) -> list[float]:
        """The times of the states."""


def films(drawn: Path) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the films of the first few samples, and notes on those that cannot be shown."""
    if getattr(drawn, "paths", None) is None:
        raise HyperhedgeError("drawn= has no paths; draw it with Hedge.sample(..., return_path=True)")
    assert drawn.paths is not None  # noqa: S101  # for the type checker
    found, notes = [], []
    for place, (H, path) in enumerate(zip(drawn.hypergraphs[:FILMS], drawn.paths[:FILMS], strict=True), 1):
        drawing = Drawing.of(H)
        if drawing.places is None or not path.size:
            notes.append(f"Sample {place} ({H.n:,} × {H.m:,}) is {'empty' if not path.size else 'too large to play'}.")
        else:
            found.append(_film(H, drawing, path, drawn.times))
    return found, notes


def _film(H: Hypergraph, drawing: Drawing, path: FloatArray, times: Sequence[float]) -> dict[str, Any]:
    most = int(np.clip(_BYTES // (H.n * H.m), _FEWEST, FRAMES))
    kept = np.unique(np.linspace(0, len(path) - 1, most).round().astype(int))
    turned = path[kept][:, drawing.node_order][:, :, drawing.edge_order]
    states = np.concatenate((turned, H.incidence.toarray()[np.ix_(drawing.node_order, drawing.edge_order)][None]))
    return {
        "drawing": drawing.as_data(H),
        "times": [round(float(times[k]), 4) for k in kept],
        "decided": [round(float(share), 3) for share in _decided(turned)],
        "frames": len(states),
        "lowest": LOWEST,
        "highest": HIGHEST,
        "bytes": base64.b64encode(quantised(states).tobytes()).decode(),
    }


def _decided(states: FloatArray) -> FloatArray:
    """Return the share of entries within 0.1 of 0 or 1 in each state."""
    near = np.minimum(np.abs(states), np.abs(states - 1)) <= _DECIDED
    return np.asarray(near.mean(axis=(1, 2)))


def quantised(states: FloatArray) -> NDArray[np.uint8]:
    """Round states to bytes.

    Examples
    --------
    >>> quantised(np.array([-9.0, 0.0, 0.5, 1.0, 9.0])).tolist()
    [0, 64, 128, 191, 255]
    """
    share = (np.clip(states, LOWEST, HIGHEST) - LOWEST) / (HIGHEST - LOWEST)
    return np.rint(share * 255).astype(np.uint8)
