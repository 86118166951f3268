r"""What the page on a whole hypergraph shows: distributions on log–log axes, matrices, neighbourhoods, seams.

*The band* around a real distribution shows how far another sample of the same law strays: in each bin, as far as the halves of the
real hypergraph are apart there, on a logarithmic scale, rescaled to the full size by :math:`\sqrt{1/2}`.

*Matrices* are reduced to pixels. Rows and columns are in the order in which :mod:`hyperhedge.plotting.order` puts the incidence
matrix, the same rule for every hypergraph: components are blocks, and what overlaps is near the diagonal.

*Neighbourhoods*: a hyperedge and those that overlap it, or a random part of these; the centres are random, not selected.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.metrics.pooled import PooledValues
from hyperhedge.metrics.whole.seams import Seam
from hyperhedge.metrics.whole.statistics import WholeStatistics
from hyperhedge.plotting.order import incidence_order
from hyperhedge.report.pictures import reduced
from hyperhedge.report.report import shown
from hyperhedge.report.whole.report import WholeReport
from hyperhedge.typing import FloatArray

NEIGHBOURHOODS = 6
"""How many neighbourhoods of each hypergraph the page shows: three pages."""

SIDE = 240
"""The side of a reduced matrix, in pixels."""

_BINS = 36
_MOST_EDGES, _MOST_NODES = 24, 140  # of a neighbourhood: with more, nothing can be told apart
_MOST_ORDERED = 3_000_000  # incidences that are put in order for a picture


@dataclass(frozen=True)
class _Quantity:
    key: str
    title: str
    axis: str
    logarithmic: bool = True


_QUANTITIES = (
    _Quantity("degrees", "Degrees", "hyperedges per node"),
    _Quantity("edge sizes", "Edge sizes", "nodes per hyperedge"),
    _Quantity("pair degrees", "Pair degrees", "hyperedges that two nodes share, if any"),
    _Quantity("triple degrees", "Triple degrees", "hyperedges that three nodes share, if any"),
    _Quantity("intersections", "Intersections", "nodes that two hyperedges share, if any"),
    _Quantity("homogeneity", "Homogeneity", "mean pair degree in a hyperedge"),
    _Quantity("egonet density", "Egonet density", "hyperedges per node of an egonet"),
    _Quantity("egonet overlapness", "Egonet overlapness", "summed sizes per node of an egonet"),
    _Quantity("clustering", "Clustering", "local clustering coefficient", logarithmic=False),
    _Quantity("component sizes", "Component sizes", "nodes in a component"),
    _Quantity("path lengths", "Path lengths", "distance between nodes", logarithmic=False),
    _Quantity("singular values", "Singular values", "one of the 50 largest singular values"),
)


def plots(report: WholeReport) -> list[dict[str, Any]]:
    """Return the distributions of the real hypergraph with its band, and of all others."""
    return [plot for quantity in _QUANTITIES if (plot := _plot(quantity, report)) is not None]


def _plot(quantity: _Quantity, report: WholeReport) -> dict[str, Any] | None:
    pools = {name: _pool(one, quantity.key) for name, one in report.statistics.items()}
    if not all(pool.count.any() for pool in pools.values()):
        return None
    bins = _Bins.of(list(pools.values()), logarithmic=quantity.logarithmic)
    counts = {name: bins.counted(pool) for name, pool in pools.items()}
    totals = {name: float(pool.count.sum()) for name, pool in pools.items()}
    halves = [tuple(_with_total(bins, _pool(one, quantity.key)) for one in pair) for pair in report.halves]
    bands = {
        "band": _band(counts["real"], totals["real"], [((a, s), (b, t)) for (a, s), (b, t) in halves]),
        "tailBand": _band(
            _tail(counts["real"]), totals["real"], [((_tail(a), s), (_tail(b), t)) for (a, s), (b, t) in halves]
        ),
    }
    return {
        "key": quantity.key.replace(" ", "-"),
        "title": quantity.title,
        "axis": quantity.axis,
        "whole": bins.whole,
        **bins.as_data(),
        "series": {
            name: {
                "mean": _rounded([float(pool.count @ pool.value) / totals[name]])[0],
                "shares": _rounded(counts[name] / totals[name]),
            }
            for name, pool in pools.items()
        },
        **bands,
    }


def _pool(one: WholeStatistics, key: str) -> PooledValues:
    if key == "singular values":
        return PooledValues.of_arrays([one.singular_values])
    return one.distributions[key]


@dataclass(frozen=True)
class _Bins:
    """Bins between edges; those of whole numbers hold whole numbers, and what is below the first is in none."""

    edges: FloatArray
    whole: bool
    logarithmic: bool

    @classmethod
    def of(cls, pools: Sequence[PooledValues], *, logarithmic: bool) -> _Bins:
        """Choose bins for the numbers of all hypergraphs."""
        values = np.concatenate([pool.value for pool in pools])
        whole = bool((values == np.rint(values)).all())
        positive = values[values > 0]
        low, high = (float(positive.min()), float(positive.max())) if len(positive) else (1.0, 1.0)
        edges: FloatArray
        if whole and logarithmic:
            edges = np.unique(np.rint(np.geomspace(1, high + 1, _BINS)))
        elif whole:
            edges = np.arange(int(high) + 2).astype(float)
        elif logarithmic:
            edges = np.geomspace(low, max(high, low * 1.001) * 1.0001, _BINS)
        else:
            edges = np.linspace(0, max(high, 1.0), _BINS)
            edges[-1] *= 1.0001
        return cls(edges, whole, logarithmic)

    def counted(self, pool: PooledValues) -> FloatArray:
        """Count the numbers of a pool in each bin."""
        place = np.searchsorted(self.edges * (1 - 1e-12), pool.value, side="right") - 1
        inside = (place >= 0) & (place < len(self.edges) - 1)
        counts: FloatArray = np.bincount(
            place[inside], weights=pool.count[inside], minlength=len(self.edges) - 1
        ).astype(float)
        return counts

    def as_data(self) -> dict[str, Any]:
        """Return the bins as the page's script knows them."""
        if self.logarithmic:
            return {"edges": _rounded(self.edges)}
        return {"start": float(self.edges[0]), "width": float(self.edges[1] - self.edges[0])}


def _with_total(bins: _Bins, pool: PooledValues) -> tuple[FloatArray, float]:
    return bins.counted(pool), float(pool.count.sum())


def _tail(counts: FloatArray) -> FloatArray:
    sums: FloatArray = np.cumsum(counts[::-1])[::-1]
    return sums


def _band(
    real: FloatArray, total: float, halves: Sequence[tuple[tuple[FloatArray, float], tuple[FloatArray, float]]]
) -> dict[str, list[float]]:
    """Return the bounds of the real shares: times and by the quotient by which halves differ at most, rescaled."""
    width = np.zeros(len(real))
    for (first, first_total), (second, second_total) in halves:
        logs = [
            np.log((counts + 0.5) / (count + 0.5)) for counts, count in ((first, first_total), (second, second_total))
        ]
        width = np.maximum(width, math.sqrt(0.5) * np.abs(logs[0] - logs[1]))
    shares = real / total if total else real
    return {"low": _rounded(shares * np.exp(-width)), "high": _rounded(np.minimum(shares * np.exp(width), 1.0))}


def _rounded(values: FloatArray | list[float]) -> list[float]:
    return [float(f"{value:.4g}") for value in values]


# -- pictures ------------------------------------------------------------------------------------------


def matrices(graphs: Mapping[str, Hypergraph]) -> dict[str, dict[str, Any]]:
    """Return the reduced matrices, all in the same kind of order."""
    return {name: _matrix(H) for name, H in graphs.items() if H.num_incidences <= _MOST_ORDERED}


def _matrix(H: Hypergraph) -> dict[str, Any]:
    rows, columns = incidence_order(H)
    places = np.argsort(rows)[H.indices], np.argsort(columns)[H.edge_indices]
    return {"n": H.n, "m": H.m, "incidences": H.num_incidences, "shares": reduced(H.n, H.m, *places, SIDE)}


def neighbourhoods(H: Hypergraph, count: int = NEIGHBOURHOODS) -> list[Hypergraph]:
    """Return the neighbourhoods of random hyperedges, always the same.

    Examples
    --------
    >>> [(G.n, G.m) for G in neighbourhoods(Hypergraph([[0, 1], [1, 2], [5, 6]]), count=3)]
    [(3, 2), (3, 2), (2, 1)]
    """
    rng = np.random.default_rng(0)
    some = np.flatnonzero(H.edge_sizes)
    by_node = H.dual()
    centres = np.sort(rng.choice(some, size=min(count, len(some)), replace=False)) if len(some) else some
    return [_around(H, by_node, int(e), rng) for e in centres]


def _around(H: Hypergraph, by_node: Hypergraph, centre: int, rng: np.random.Generator) -> Hypergraph:
    """Return a hyperedge with those that overlap it, as many as can be told apart."""
    members = H.indices[H.indptr[centre] : H.indptr[centre + 1]]
    overlapping = [by_node.indices[by_node.indptr[v] : by_node.indptr[v + 1]] for v in members]
    others = np.setdiff1d(np.concatenate(overlapping), [centre])
    kept, nodes = [centre], set(members.tolist())
    for e in rng.permutation(others)[: _MOST_EDGES - 1].tolist():
        more = nodes | set(H.indices[H.indptr[e] : H.indptr[e + 1]].tolist())
        if len(more) <= _MOST_NODES:
            kept.append(e)
            nodes = more
    lists = [H.indices[H.indptr[e] : H.indptr[e + 1]] for e in sorted(kept)]
    numbers = np.sort(np.array(sorted(nodes)))
    owners = np.repeat(np.arange(len(lists)), [len(one) for one in lists])
    indices = np.searchsorted(numbers, np.concatenate(lists))
    return Hypergraph.from_indices(indices, owners, nodes=len(numbers), edges=len(lists))


# -- seams ---------------------------------------------------------------------------------------------


def seam_tables(report: WholeReport) -> list[dict[str, Any]]:
    """Return the tables of seams: a row per class, and the numbers of each hypergraph side by side."""
    titles = {
        "detour": "By detour: how long the way is without what two hyperedges share",
        "cluster": "By cluster: how many hyperedges the smallest cluster has that holds both",
    }
    return [
        {"title": titles[kind], "names": list(by_name), "rows": _seam_rows(by_name)}
        for kind, by_name in report.seams.items()
    ]


def _seam_rows(by_name: Mapping[str, Sequence[Seam]]) -> list[dict[str, Any]]:
    rows = []
    for same in zip(*by_name.values(), strict=True):
        columns = [
            ("share of pairs", [shown(seam.share, 3) for seam in same]),
            ("shared nodes", [shown(seam.mean, 2) for seam in same]),
            ("two or more", [shown(seam.tail, 3) for seam in same]),
        ]
        if same[0].homogeneity is not None:
            columns.append(("homogeneity", [shown(seam.homogeneity, 3) for seam in same]))
        rows.append({"name": same[0].name, "columns": columns})
    return rows
