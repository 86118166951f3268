r"""The distances between a real and a generated batch: Appendix B.2 of the paper, and what HYGENE and HyRec report.

Every distance takes a matrix of weights per batch (:mod:`hyperhedge.metrics.sample`), a row per replicate, and returns
a number per row: equal weights give the value, multinomial ones its bootstrap, weights in {0, 1} a part of a batch. All
come in five kinds:

* **gaps** of pooled means, :math:`\sum_H w_H a_H / \sum_H w_H b_H`, so that :math:`|\Delta k| \le W_1(k)` whatever the sizes;
* :math:`W_1` **of pooled numbers**;
* the **Kolmogorov–Smirnov** distance of pooled numbers;
* **MMD**, the maximum mean discrepancy of kernel :math:`k`, as the biased estimate (V-statistic)

  .. math:: \mathrm{MMD}^2 = w^\top K_{rr} w + v^\top K_{gg} v - 2\, w^\top K_{rg} v,

  which is zero on equal batches and never negative;
* the deviation of **singular values** rank by rank.

:data:`METRICS` lists them all; the report, the command line and the docs read it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from hyperhedge.checks import IntArray
from hyperhedge.errors import HyperhedgeError
from hyperhedge.hypergraph import Hypergraph
from hyperhedge.metrics.features import Scale, check_pairs, features, gaussian_kernel, pairwise
from hyperhedge.metrics.sample import FloatArray, Sample, kolmogorov_smirnov, ratio, wasserstein
from hyperhedge.metrics.statistics import Statistics, statistics_of

__all__ = ["DEFAULT", "GROUPS", "METRICS", "Metric", "Settings", "check_whole", "chosen", "mmd_squared"]

#: The most eigenvalues of a large hypergraph that Lanczos steps are asked for.
MOST_EIGENVALUES = 1024


@dataclass(frozen=True)
class Settings:
    """What the definitions leave open.

    Attributes
    ----------
    eigenvalues
        K: how many eigenvalues of each Laplacian, and how many singular values, are kept; all if None.
    threshold
        From how many shared nodes on two hyperedges count in the overlap tail.
    """

    eigenvalues: int | None = 16
    threshold: int = 2

    def __post_init__(self) -> None:
        if self.eigenvalues is not None:
            check_whole("eigenvalues", self.eigenvalues, 1, MOST_EIGENVALUES)
        check_whole("threshold", self.threshold, 1)


def check_whole(name: str, value: Any, least: int, most: int | None = None) -> None:
    """Refuse what is not a whole number in a range."""
    if (
        not isinstance(value, int | np.integer)
        or isinstance(value, bool)
        or value < least
        or (most is not None and value > most)
    ):
        bounds = f"from {least} on" if most is None else f"from {least} to {most}"
        raise HyperhedgeError(f"{name}= must be a whole number {bounds}, not {value!r}")


class Compare(Protocol):
    """Compare a batch with the real one under rows of weights."""

    def __call__(
        self,
        real: Statistics,
        other: Statistics,
        real_weights: FloatArray,
        other_weights: FloatArray,
        settings: Settings,
        /,
    ) -> FloatArray:
        """Return one number per row of weights; NaN where it is not defined."""


@dataclass(frozen=True)
class Metric:
    """One distance between a real and a generated batch; zero is best.

    Attributes
    ----------
    key, title, symbol
        How it is named: in code, in a table, in the paper.
    group
        What it looks at; the score weighs groups alike.
    definition
        One sentence.
    source
        Where it comes from.
    compare
        How it is computed.
    signed
        Whether its sign says something (generated minus real).
    on_request
        Whether it is left out unless named, being slow.
    rate
        The power of 1/count by which its value shrinks between batches of one law: 1/2, or 1 for squares.
    aliases
        Other names for it.
    """

    key: str
    title: str
    symbol: str
    group: str
    definition: str
    source: str
    compare: Compare
    signed: bool = False
    on_request: bool = False
    rate: float = 0.5
    aliases: tuple[str, ...] = ()

    def __call__(
        self, real: Iterable[Hypergraph], generated: Iterable[Hypergraph], settings: Settings | None = None
    ) -> float:
        """Return the distance between two batches.

        Examples
        --------
        >>> METRICS["degree_wd"]([Hypergraph([[0, 1], [1]])], [Hypergraph([[0, 1], [0, 1]])])
        0.5
        """
        first, second = statistics_of(real, "real"), statistics_of(generated, "generated")
        equal = np.ones((1, len(first))), np.ones((1, len(second)))
        return float(self.compare(first, second, *equal, settings or Settings())[0])


# -- kinds -------------------------------------------------------------------------------------------

Numbers = Callable[[Statistics, Settings], FloatArray | IntArray]
Samples = Callable[[Statistics, Settings], Sample]


def _gap(above: Numbers, below: Numbers, *, signed: bool) -> Compare:
    """Compare pooled means."""

    def mean(statistics: Statistics, weights: FloatArray, settings: Settings) -> FloatArray:
        a, b = above(statistics, settings), below(statistics, settings)
        return ratio(weights @ np.asarray(a, dtype=float), weights @ np.asarray(b, dtype=float))

    def compare(
        real: Statistics, other: Statistics, real_weights: FloatArray, other_weights: FloatArray, settings: Settings
    ) -> FloatArray:
        gap = mean(other, other_weights, settings) - mean(real, real_weights, settings)
        return gap if signed else np.abs(gap)

    return compare


def _pooled(distance: Callable[..., FloatArray], numbers: Samples) -> Compare:
    """Compare pooled numbers."""

    def compare(
        real: Statistics, other: Statistics, real_weights: FloatArray, other_weights: FloatArray, settings: Settings
    ) -> FloatArray:
        return distance(numbers(real, settings), numbers(other, settings), real_weights, other_weights)

    return compare


def mmd_squared(
    within_real: FloatArray, within_other: FloatArray, across: FloatArray, w: FloatArray, v: FloatArray
) -> FloatArray:
    """Return the biased squared MMD for kernel matrices and rows of weights."""
    w, v = w / w.sum(axis=1, keepdims=True), v / v.sum(axis=1, keepdims=True)
    squares = ((w @ within_real) * w).sum(axis=1) + ((v @ within_other) * v).sum(axis=1)
    return np.asarray(np.maximum(squares - 2 * ((w @ across) * v).sum(axis=1), 0.0))


def _feature_mmd(
    real: Statistics, other: Statistics, real_weights: FloatArray, other_weights: FloatArray, _: Settings
) -> FloatArray:
    """Compare features by the Gaussian kernel whose scale the real batch gives; the root of the squared MMD."""
    scale = Scale.of(features(real))
    x, y = scale(features(real)), scale(features(other))
    kernels = gaussian_kernel(x, x), gaussian_kernel(y, y), gaussian_kernel(x, y)
    return np.sqrt(mmd_squared(*kernels, real_weights, other_weights))


_BINS, _RANGE = 200, (-1e-5, 2.0)


def _spectral_mmd(
    real: Statistics, other: Statistics, real_weights: FloatArray, other_weights: FloatArray, _: Settings
) -> FloatArray:
    """Compare histograms of whole node spectra by a Gaussian kernel of their total variation; the squared MMD."""
    counts = np.vstack((_spectral_counts(real), _spectral_counts(other)))
    variation = _total_variation(counts)
    first, second = slice(len(real)), slice(len(real), None)

    def kernel(a: slice, b: slice) -> FloatArray:
        return np.asarray(np.exp(-0.5 * variation(a, b) ** 2))

    kernels = kernel(first, first), kernel(second, second), kernel(first, second)
    return mmd_squared(*kernels, real_weights, other_weights)


def _spectral_counts(statistics: Statistics) -> IntArray:
    """Count the eigenvalues of L_V of each hypergraph in bins."""
    sample = Sample.of_arrays(statistics.spectra.node_eigenvalues(None))
    low, high = _RANGE
    bins = np.minimum(((sample.value - low) / (high - low) * _BINS).astype(np.int64), _BINS - 1)
    keys = np.bincount(sample.owner * _BINS + bins, minlength=len(statistics) * _BINS)
    return keys.reshape(len(statistics), _BINS)


def _total_variation(counts: IntArray) -> Callable[[slice, slice], FloatArray]:
    """Return the function that gives the total variation between all histograms of two slices.

    Between histograms of one total it is a matrix product: one minus the share of what both have, and the minimum of two
    counts is the inner product of as many ones each (cf. :mod:`hyperhedge.metrics.similarity`).
    """
    totals = counts.sum(axis=1)
    if len(np.unique(totals)) == 1 and totals[0]:
        most = counts.max(axis=0)
        column = np.repeat(np.arange(counts.shape[1]), most)
        step = np.arange(len(column)) - np.repeat(np.cumsum(most) - most, most)
        ones = (counts[:, column] > step).astype(np.float32)

        def product(a: slice, b: slice) -> FloatArray:
            check_pairs(len(ones[a]), len(ones[b]))
            return np.asarray(1.0 - (ones[a] @ ones[b].T).astype(float) / totals[0])

        return product
    shares = counts[:, counts.any(axis=0)] / np.maximum(totals, 1)[:, None]
    return lambda a, b: 0.5 * pairwise(shares[a], shares[b], "cityblock")


def _singular_values(
    real: Statistics, other: Statistics, real_weights: FloatArray, other_weights: FloatArray, settings: Settings
) -> FloatArray:
    """Compare root mean square singular values rank by rank, on a logarithmic scale."""
    spectra = [statistics.spectra.singular_squares(settings.eigenvalues) for statistics in (real, other)]
    ranks = max((len(values) for part in spectra for values in part), default=0)
    squares = []
    for part, weights in zip(spectra, (real_weights, other_weights), strict=True):
        padded = np.zeros((len(part), ranks))
        for row, values in zip(padded, part, strict=True):
            row[: len(values)] = values
        squares.append(weights @ padded / weights.sum(axis=1, keepdims=True))
    both = (squares[0] > 0) & (squares[1] > 0)
    logarithms = [0.5 * np.log2(np.where(both, part, 1.0)) for part in squares]
    return np.sqrt(ratio(((logarithms[1] - logarithms[0]) ** 2).sum(axis=1), both.sum(axis=1).astype(float)))


# -- the registry ------------------------------------------------------------------------------------

#: What each group looks at, in the order of tables.
GROUPS: dict[str, str] = {
    "calibration": "batch means",
    "marginals": "degrees and sizes",
    "overlap": "how hyperedges share nodes",
    "spectra": "operators",
    "features": "all at once",
    "centrality": "positions in the line graph",
}

_HEDGE, _HYGENE, _HYREC = "HEDGE, Appendix B.2", "HYGENE", "HyRec"


def _defined_tail(statistics: Statistics, settings: Settings) -> FloatArray:
    return (~np.isnan(statistics.tail(settings.threshold))).astype(float)


_ALL = (
    Metric(
        "density_gap",
        "Density gap",
        "Δρ",
        "calibration",
        "Mean density of the generated incidence matrices minus that of the real ones.",
        _HEDGE,
        _gap(lambda s, _: s.incidences, lambda s, _: s.n * s.m, signed=True),
        signed=True,
    ),
    Metric(
        "degree_gap",
        "Degree gap",
        "Δk",
        "calibration",
        "Mean node degree of the generated hypergraphs minus that of the real ones.",
        _HEDGE,
        _gap(lambda s, _: s.incidences, lambda s, _: s.n, signed=True),
        signed=True,
    ),
    Metric(
        "size_gap",
        "Size gap",
        "Δe",
        "calibration",
        "Mean hyperedge size of the generated hypergraphs minus that of the real ones.",
        _HEDGE,
        _gap(lambda s, _: s.incidences, lambda s, _: s.m, signed=True),
        signed=True,
    ),
    Metric(
        "node_number",
        "Node number",
        "|Δn|",
        "calibration",
        "Mean difference of the numbers of nodes under the best pairing of real and generated hypergraphs.",
        _HYGENE,
        _pooled(wasserstein, lambda s, _: s.node_numbers),
        aliases=("NodeNumDiff",),
    ),
    Metric(
        "degree_wd",
        "Degree WD",
        "W₁(k)",
        "marginals",
        "Wasserstein distance between the pooled node degrees.",
        _HEDGE,
        _pooled(wasserstein, lambda s, _: s.degrees),
        aliases=("NodeDegreeDistrWasserstein",),
    ),
    Metric(
        "size_wd",
        "Size WD",
        "W₁(e)",
        "marginals",
        "Wasserstein distance between the pooled hyperedge sizes.",
        _HEDGE,
        _pooled(wasserstein, lambda s, _: s.sizes),
        aliases=("EdgeSizeDistrWasserstein",),
    ),
    Metric(
        "overlap_tail_gap",
        "Overlap tail gap",
        "|ΔT₂|",
        "overlap",
        "Difference of the mean shares of pairs of hyperedges that meet in two nodes or more.",
        _HEDGE,
        _gap(lambda s, o: np.nan_to_num(s.tail(o.threshold)), _defined_tail, signed=False),
    ),
    Metric(
        "intersection_wd",
        "Intersection WD",
        "W₁(∩)",
        "overlap",
        "Wasserstein distance between the pooled intersections of pairs of hyperedges.",
        _HEDGE,
        _pooled(wasserstein, lambda s, _: s.intersections),
    ),
    Metric(
        "pair_degree_ks",
        "Pair degree KS",
        "D(pd)",
        "overlap",
        "Kolmogorov–Smirnov distance between the pooled numbers of hyperedges that two nodes share, where they share any.",
        _HYREC,
        _pooled(kolmogorov_smirnov, lambda s, _: s.pair_degrees),
    ),
    Metric(
        "node_spectral_wd",
        "Node spectral WD",
        "W₁(Λ_V)",
        "spectra",
        "Wasserstein distance between the pooled first K eigenvalues of the node Laplacian L_V.",
        _HEDGE,
        _pooled(wasserstein, lambda s, o: Sample.of_arrays(s.spectra.node_eigenvalues(o.eigenvalues))),
    ),
    Metric(
        "edge_spectral_wd",
        "Edge spectral WD",
        "W₁(Λ_E)",
        "spectra",
        "Wasserstein distance between the pooled first K eigenvalues of the overlap Laplacian L_E.",
        _HEDGE,
        _pooled(wasserstein, lambda s, o: Sample.of_arrays(s.spectra.edge_eigenvalues(o.eigenvalues))),
    ),
    Metric(
        "spectral_mmd",
        "Spectral MMD²",
        "MMD²(Λ_V)",
        "spectra",
        "Squared MMD between histograms of the whole node spectrum, Gaussian kernel of their total variation.",
        _HYGENE,
        _spectral_mmd,
        rate=1.0,
        aliases=("Spectral",),
    ),
    Metric(
        "singular_values",
        "Singular values",
        "RMSE(log σ)",
        "spectra",
        "Root mean square difference of log₂ of the first K root mean square singular values of the incidence matrix.",
        _HYREC,
        _singular_values,
    ),
    Metric(
        "feature_mmd",
        "Feature MMD",
        "MMD(φ)",
        "features",
        "Maximum mean discrepancy of standardised feature vectors, Gaussian kernel with median bandwidth, biased estimate.",
        _HEDGE,
        _feature_mmd,
    ),
    Metric(
        "closeness_wd",
        "Closeness WD",
        "W₁(C)",
        "centrality",
        "Wasserstein distance between the pooled closeness centralities of hyperedges in their line graph.",
        _HYGENE,
        _pooled(wasserstein, lambda s, _: s.closeness),
        on_request=True,
        aliases=("CentralityCloseness",),
    ),
    Metric(
        "betweenness_wd",
        "Betweenness WD",
        "W₁(B)",
        "centrality",
        "Wasserstein distance between the pooled betweenness centralities of hyperedges in their line graph.",
        _HYGENE,
        _pooled(wasserstein, lambda s, _: s.betweenness),
        on_request=True,
        aliases=("CentralityBetweenness",),
    ),
)

#: Every metric by its key.
METRICS: dict[str, Metric] = {metric.key: metric for metric in _ALL}

#: The metrics that a report has unless others are named.
DEFAULT: tuple[Metric, ...] = tuple(metric for metric in _ALL if not metric.on_request)


def chosen(names: Iterable[str] | None) -> tuple[Metric, ...]:
    """Look up metrics by key, by another name or by group, in the order of the registry; the default ones if None.

    Examples
    --------
    >>> [metric.key for metric in chosen(["overlap", "degree_wd", "NodeNumDiff"])]
    ['node_number', 'degree_wd', 'overlap_tail_gap', 'intersection_wd', 'pair_degree_ks']
    """
    if names is None:
        return DEFAULT
    if isinstance(names, str):
        raise HyperhedgeError(f"metrics= is the string {names!r}; give a list of names, such as [{names!r}]")
    wanted = list(names)
    if not wanted:
        raise HyperhedgeError("metrics= is empty; leave it out for the default metrics")
    known = {name for metric in _ALL for name in (metric.key, metric.group, *metric.aliases)}
    for name in wanted:
        if name not in known:
            raise HyperhedgeError(
                f"metrics= names {name!r}, which is no metric; choose from {', '.join(METRICS)} "
                f"or the groups {', '.join(GROUPS)}"
            )
    return tuple(m for m in _ALL if {m.key, m.group, *m.aliases}.intersection(wanted))
