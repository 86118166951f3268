"""The path from noise to a hypergraph, small enough for a page: few frames, one byte per entry.

States are clipped to [−0.5, 1.5] and rounded to 256 levels. At most :data:`FRAMES` states are kept, evenly spaced in steps, and
fewer of a large hypergraph. Rows, columns and positions are those of the hypergraph that comes out
(:mod:`hyperhedge.report.pictures`), so only the incidences are seen to change. The last frame is that hypergraph.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.errors import HyperhedgeError
from hyperhedge.report.pictures import Picture
from hyperhedge.typing import FloatArray

if TYPE_CHECKING:
    from hyperhedge.models.hedge.sampling import SamplePaths

#: The most frames of an animation (it then takes about five seconds), and the most animations on a page.
FRAMES, ANIMATIONS = 60, 3

LOWEST, HIGHEST = -0.5, 1.5
_BYTES = 250_000  # of one animation
_FEWEST = 6  # frames, however large the hypergraph
_DECIDED = 0.1


def animations(samples: SamplePaths) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the animations of the first few samples, and notes on those that cannot be shown."""
    paths: list[FloatArray] | None = getattr(samples, "paths", None)
    if paths is None:
        raise HyperhedgeError("paths= has no paths; pass what Hedge.sample_paths(...) returns")
    shown, notes = [], []
    for number, (H, path) in enumerate(zip(samples.hypergraphs[:ANIMATIONS], paths[:ANIMATIONS], strict=True), 1):
        picture = Picture.of(H)
        if picture.positions is None or not path.size:
            notes.append(f"Sample {number} ({H.n:,} × {H.m:,}) is {'too large to play' if path.size else 'empty'}.")
        else:
            shown.append(_animation(H, picture, path, samples.times))
    return shown, notes


def _animation(H: Hypergraph, picture: Picture, path: FloatArray, times: Sequence[float]) -> dict[str, Any]:
    most = int(np.clip(_BYTES // (H.n * H.m), _FEWEST, FRAMES))
    kept = np.unique(np.linspace(0, len(path) - 1, most).round().astype(int))
    rows, columns = np.ix_(picture.node_order, picture.edge_order)
    on_the_way = path[kept][:, rows, columns]
    states = np.concatenate((on_the_way, H.incidence.toarray()[rows, columns][None]))
    return {
        "picture": picture.as_data(H),
        "times": [round(float(times[k]), 4) for k in kept],
        "decided": [round(float(share), 3) for share in _decided(on_the_way)],
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
