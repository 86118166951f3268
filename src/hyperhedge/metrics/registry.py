"""The registry of metrics, and how ``metrics=`` selects from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from hyperhedge.errors import HyperhedgeError
from hyperhedge.metrics.custom import as_metric
from hyperhedge.metrics.distances import (
    PerHypergraph,
    Pooled,
    feature_mmd,
    mean_gap,
    pooled_distance,
    singular_values,
    spectral_mmd,
)
from hyperhedge.metrics.metric import Metric, Settings
from hyperhedge.metrics.pooled import kolmogorov_smirnov, wasserstein
from hyperhedge.metrics.statistics import Statistics
from hyperhedge.typing import FloatArray

#: A key, a group, a metric, a function, or functions by name.
MetricChoice: TypeAlias = str | Metric | Callable[..., Any] | Mapping[str, Callable[..., Any]]

#: What each group looks at, in the order of tables.
GROUPS: dict[str, str] = {
    "calibration": "means over a collection",
    "marginals": "degrees and edge sizes",
    "overlap": "how hyperedges share nodes",
    "spectra": "eigenvalues and singular values",
    "features": "everything at once",
    "centrality": "centralities in the line graph",
}

_HEDGE, _HYGENE, _HYREC = "HEDGE, Appendix B.2", "HYGENE", "HyRec"


def _gap(key: str, title: str, symbol: str, what: str, denominator: PerHypergraph) -> Metric:
    """Return the gap between mean numbers of incidences per whatever the denominator counts."""
    definition = f"Mean {what} of the generated hypergraphs minus that of the real ones."
    compare = mean_gap(lambda s, _: s.incidences, denominator, signed=True)
    return Metric(key, title, symbol, "calibration", definition, _HEDGE, compare, signed=True)


def _wd(key: str, title: str, symbol: str, group: str, what: str, values: Pooled, *aliases: str) -> Metric:
    """Return the Wasserstein distance between pooled numbers."""
    definition = f"Wasserstein distance between the pooled {what}."
    compare = pooled_distance(wasserstein, values)
    return Metric(key, title, symbol, group, definition, _HEDGE, compare, aliases=aliases)


def _centrality(key: str, title: str, symbol: str, values: Pooled, alias: str) -> Metric:
    """Return the Wasserstein distance between centralities of hyperedges, which HYGENE reports and which is slow."""
    what = f"{key.removesuffix('_wd')} centralities of hyperedges in their line graph"
    metric = _wd(key, title, symbol, "centrality", what, values, alias)
    return replace(metric, source=_HYGENE, on_request=True)


def _defined_tail(statistics: Statistics, settings: Settings) -> FloatArray:
    return (~np.isnan(statistics.tail(settings.threshold))).astype(float)


_ALL = (
    _gap("density_gap", "Density gap", "Δρ", "density", lambda s, _: s.n * s.m),
    _gap("degree_gap", "Degree gap", "Δk", "node degree", lambda s, _: s.n),
    _gap("size_gap", "Size gap", "Δe", "edge size", lambda s, _: s.m),
    Metric(
        "node_number",
        "Node number",
        "|Δn|",
        "calibration",
        "Mean difference between the numbers of nodes under the best pairing of real and generated hypergraphs.",
        _HYGENE,
        pooled_distance(wasserstein, lambda s, _: s.node_numbers),
        aliases=("NodeNumDiff",),
    ),
    _wd(
        "degree_wd",
        "Degree WD",
        "W₁(k)",
        "marginals",
        "node degrees",
        lambda s, _: s.degrees,
        "NodeDegreeDistrWasserstein",
    ),
    _wd(
        "size_wd", "Size WD", "W₁(e)", "marginals", "edge sizes", lambda s, _: s.edge_sizes, "EdgeSizeDistrWasserstein"
    ),
    Metric(
        "overlap_tail_gap",
        "Overlap tail gap",
        "|ΔT₂|",
        "overlap",
        "Difference between the mean shares of pairs of hyperedges that share at least two nodes.",
        _HEDGE,
        mean_gap(lambda s, o: np.nan_to_num(s.tail(o.threshold)), _defined_tail, signed=False),
    ),
    _wd(
        "intersection_wd",
        "Intersection WD",
        "W₁(∩)",
        "overlap",
        "intersections of pairs of hyperedges",
        lambda s, _: s.intersections,
    ),
    Metric(
        "pair_degree_ks",
        "Pair degree KS",
        "D(pd)",
        "overlap",
        "Kolmogorov–Smirnov distance between the pooled numbers of hyperedges that two nodes share, if they share any.",
        _HYREC,
        pooled_distance(kolmogorov_smirnov, lambda s, _: s.pair_degrees),
    ),
    _wd(
        "node_spectral_wd",
        "Node spectral WD",
        "W₁(Λ_V)",
        "spectra",
        "first K eigenvalues of the node Laplacian L_V",
        lambda s, o: s.node_spectrum(o.eigenvalues),
    ),
    _wd(
        "edge_spectral_wd",
        "Edge spectral WD",
        "W₁(Λ_E)",
        "spectra",
        "first K eigenvalues of the overlap Laplacian L_E",
        lambda s, o: s.edge_spectrum(o.eigenvalues),
    ),
    Metric(
        "spectral_mmd",
        "Spectral MMD²",
        "MMD²(Λ_V)",
        "spectra",
        "Squared MMD between histograms of the whole node spectrum, with a Gaussian kernel of their total variation.",
        _HYGENE,
        spectral_mmd,
        rate=1.0,
        aliases=("Spectral",),
    ),
    Metric(
        "singular_values",
        "Singular values",
        "RMSE(log σ)",
        "spectra",
        "Root mean square difference between log₂ of the first K root mean square singular values of the incidence matrix.",
        _HYREC,
        singular_values,
    ),
    Metric(
        "feature_mmd",
        "Feature MMD",
        "MMD(φ)",
        "features",
        "Maximum mean discrepancy between standardised feature vectors, Gaussian kernel with median bandwidth, biased estimate.",
        _HEDGE,
        feature_mmd,
    ),
    _centrality("closeness_wd", "Closeness WD", "W₁(C)", lambda s, _: s.closeness, "CentralityCloseness"),
    _centrality("betweenness_wd", "Betweenness WD", "W₁(B)", lambda s, _: s.betweenness, "CentralityBetweenness"),
)

#: Every metric by its key.
METRICS: dict[str, Metric] = {metric.key: metric for metric in _ALL}

#: The metrics that a report has unless others are named.
DEFAULT: tuple[Metric, ...] = tuple(metric for metric in _ALL if not metric.on_request)


def select_metrics(choices: Iterable[MetricChoice] | Mapping[str, Callable[..., Any]] | None) -> tuple[Metric, ...]:
    """Select metrics: those of the registry in its order, then others in the order in which they are given; the default if None.

    Parameters
    ----------
    choices
        Keys, groups and aliases of metrics in the registry (``"default"`` means all that are not slow), :class:`Metric` objects,
        functions (see :func:`as_metric`), and dictionaries of functions by name.

    Examples
    --------
    >>> [metric.key for metric in select_metrics(["overlap", "degree_wd", "NodeNumDiff"])]
    ['node_number', 'degree_wd', 'overlap_tail_gap', 'intersection_wd', 'pair_degree_ks']
    >>> [metric.key for metric in select_metrics([{"edges per node": lambda H: H.m / H.n}, "size_wd"])]
    ['size_wd', 'edges per node']
    """
    if choices is None:
        return DEFAULT
    names: set[str] = set()
    added: list[Metric] = []
    for position, choice in enumerate(_listed(choices)):
        if isinstance(choice, str):
            names.add(_checked_name(choice))
        elif isinstance(choice, Metric):
            added.append(choice)
        elif isinstance(choice, Mapping):
            added += [as_metric(function, str(name)) for name, function in choice.items()]
        elif callable(choice):
            unnamed = getattr(choice, "__name__", "") == "<lambda>"
            added.append(as_metric(choice, f"metric {position + 1}" if unnamed else None))
        else:
            raise HyperhedgeError(
                f"metrics[{position}] is {choice!r}; give the name of a metric or of a group, a Metric, or a function"
            )
    names |= {metric.key for metric in added if METRICS.get(metric.key) is metric}
    selected = [metric for metric in _ALL if names & _names_of(metric)]
    added = [metric for metric in added if METRICS.get(metric.key) is not metric]
    _check_keys(added)
    return (*selected, *added)


def _listed(choices: Any) -> list[MetricChoice]:
    if isinstance(choices, str):
        raise HyperhedgeError(f"metrics= is the string {choices!r}; give a list of names, such as [{choices!r}]")
    if callable(choices):
        raise HyperhedgeError("metrics= is a single metric; give a list, such as [f]")
    try:
        listed: list[MetricChoice] = [choices] if isinstance(choices, Mapping) else list(choices)
    except TypeError:
        raise HyperhedgeError(f"metrics= is {choices!r}; give a list of metrics") from None
    if not any(choice != {} for choice in listed):
        raise HyperhedgeError("metrics= is empty; leave it out for the default metrics")
    return listed


def _names_of(metric: Metric) -> set[str]:
    return {metric.key, metric.group, *metric.aliases} | (set() if metric.on_request else {"default"})


_KNOWN = {name for metric in _ALL for name in _names_of(metric)}


def _checked_name(name: str) -> str:
    if name not in _KNOWN:
        raise HyperhedgeError(
            f"metrics= names {name!r}, which is not a metric; choose from {', '.join(METRICS)}, "
            f"the groups {', '.join(GROUPS)}, or default"
        )
    return name


def _check_keys(added: list[Metric]) -> None:
    """Raise an error if two metrics of a report would have the same name."""
    taken = set(_KNOWN)
    for metric in added:
        if metric.key in taken:
            raise HyperhedgeError(
                f"two metrics are named {metric.key!r}; give yours another name, as in {{'another name': function}}"
            )
        taken.add(metric.key)
