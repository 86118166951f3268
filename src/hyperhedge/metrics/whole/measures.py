r"""The measures of one hypergraph against another: distances between distributions, with their tails, and between numbers.

*Two distances of a distribution.* With :math:`F` and :math:`G` the distribution functions of the real and the generated hypergraph,
the Kolmogorov–Smirnov distance :math:`\sup_x |F(x) - G(x)|` is what the field reports, over all values and not only over distinct
ones. It hardly sees a tail: a generator that never makes a pair degree above 1 is 0.03 away if 3% of the pairs have one. So most
distributions have a second row, the *tail distance*: the area between the complementary distribution functions on log–log axes,
per unit of :math:`\log x`,

.. math:: T = \frac{1}{\log x_1} \int_{0}^{\log x_1} \Bigl|\, \log_2 \frac{N_G S_G(x) + 1/2}{N_G + 1/2}
    - \log_2 \frac{N_F S_F(x) + 1/2}{N_F + 1/2} \,\Bigr| \, d \log x ,

where :math:`S(x)` is the share of the :math:`N` values at or above :math:`x`, and :math:`x_1` the largest value of the two. 1 means
that shares above a value are wrong by a factor of two, on average over the scales. The halves stand for what has not been seen: a
tail that is missing costs as much as the number of its members says, and not infinitely much.

*The protocol* (``protocol=True``) is the thirteen measures by which whole-hypergraph generators are ranked: the KS distances of
degrees, sizes, pair degrees, intersections, egonet density and overlapness and homogeneity (HyperLap, WWW 2021; HyRec, WWW 2025;
NoAH, ICDM 2025), singular values, largest component, number of components, effective diameter, transitivity of the overlap graph,
and the share of overlaps of at least two nodes.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from hyperhedge.errors import HyperhedgeError
from hyperhedge.metrics.pooled import PooledValues, kolmogorov_smirnov
from hyperhedge.metrics.whole.statistics import WholeStatistics
from hyperhedge.typing import FloatArray

__all__ = ["MEASURES", "MEASURE_GROUPS", "PROTOCOL", "Compared", "Measure", "select_measures", "tail_distance"]

MEASURE_GROUPS: dict[str, str] = {
    "marginals": "degrees and sizes",
    "meetings": "hyperedges that two or three nodes share",
    "overlap": "nodes that two hyperedges share",
    "neighbourhoods": "what surrounds a node",
    "spectrum": "the leading singular values",
    "connectivity": "components and distances",
    "motifs": "how three hyperedges overlap",
}
"""The groups of measures, each with what it looks at; all have the same weight in the fidelity."""


@dataclass(frozen=True)
class Compared:
    """A hypergraph as measures compare it: its statistics, and the motifs of its configuration model, if they are known."""

    statistics: WholeStatistics
    null_motifs: FloatArray | None = None


Compare = Callable[[Compared, Compared], float]


@dataclass(frozen=True)
class Measure:
    """A distance between two hypergraphs; zero is best.

    Attributes
    ----------
    key, title, symbol
        Its name in code, in a table and in formulas.
    group
        What it looks at.
    definition
        One sentence.
    source
        Where it comes from.
    compare
        How it is computed, from the real and the other hypergraph; NaN where it is not defined.
    protocol
        Whether it is one of the thirteen by which generators are ranked.
    distribution
        The distribution that it compares, if it does.
    """

    key: str
    title: str
    symbol: str
    group: str
    definition: str
    source: str
    compare: Compare
    protocol: bool = False
    distribution: str | None = None


def tail_distance(real: PooledValues, other: PooledValues) -> float:
    """Return the tail distance (see the module) of positive numbers; NaN where one of the hypergraphs has none.

    Examples
    --------
    >>> def pool(*values):
    ...     return PooledValues.of_arrays([np.array(values, dtype=float)])
    >>> tail_distance(pool(1, 2, 4), pool(1, 2, 4)), round(tail_distance(pool(1, 1, 1, 4), pool(1, 1, 1, 2)), 3)
    (0.0, 0.792)
    """
    real_total, other_total = float(real.count.sum()), float(other.count.sum())
    if not real_total or not other_total:
        return float("nan")
    values = np.unique(np.concatenate((real.value, other.value)))
    ends = np.log(np.maximum(values, 1.0))
    if ends[-1] == 0:
        return 0.0
    widths = np.diff(ends, prepend=0.0)
    logs = [
        np.log2((_at_least(pool, values) + 0.5) / (total + 0.5))
        for pool, total in ((real, real_total), (other, other_total))
    ]
    return float(widths @ np.abs(logs[0] - logs[1]) / ends[-1])


def _at_least(pool: PooledValues, values: FloatArray) -> FloatArray:
    """Count the numbers of a pool that are at least each value."""
    order = np.argsort(pool.value, kind="stable")
    below = np.concatenate(([0.0], np.cumsum(pool.count[order])))
    counts: FloatArray = below[-1] - below[np.searchsorted(pool.value[order], values, side="left")]
    return counts


def _ks(name: str) -> Compare:
    ones = np.ones((1, 1))

    def compare(real: Compared, other: Compared) -> float:
        first, second = real.statistics.distributions[name], other.statistics.distributions[name]
        return float(kolmogorov_smirnov(first, second, ones, ones)[0])

    return compare


def _tail(name: str) -> Compare:
    def compare(real: Compared, other: Compared) -> float:
        return tail_distance(real.statistics.distributions[name], other.statistics.distributions[name])

    return compare


def _difference(name: str) -> Compare:
    def compare(real: Compared, other: Compared) -> float:
        return abs(other.statistics.numbers[name] - real.statistics.numbers[name])

    return compare


def _relative(name: str) -> Compare:
    def compare(real: Compared, other: Compared) -> float:
        value = real.statistics.numbers[name]
        return abs(other.statistics.numbers[name] - value) / value if value else float("nan")

    return compare


def _components(real: Compared, other: Compared) -> float:
    first, second = (one.statistics.numbers["components"] for one in (real, other))
    return float(abs(np.log2(second / first))) if first and second else float("nan")


def _singular(real: Compared, other: Compared) -> float:
    first = real.statistics.singular_values
    if not len(first):
        return float("nan")
    second = np.zeros(len(first))
    known = other.statistics.singular_values[: len(first)]
    second[: len(known)] = known
    return float((np.abs(second - first) / first).mean())


def _motif_counts(real: Compared, other: Compared) -> float:
    first, second = real.statistics.motifs.counts, other.statistics.motifs.counts
    together = first + second
    if not together.any():
        return float("nan")
    some = together > 0
    return float((np.abs(second - first)[some] / together[some]).mean())


def _motif_profile(real: Compared, other: Compared) -> float:
    if real.null_motifs is None:
        return float("nan")
    return float(np.abs(_profile(other, real.null_motifs) - _profile(real, real.null_motifs)).sum() / 2)


def _profile(one: Compared, null: FloatArray) -> FloatArray:
    """Return the characteristic profile: the significances of the motifs, scaled to unit length."""
    counts = one.statistics.motifs.counts
    significance = (counts - null) / (counts + null + 1)
    length = float(np.linalg.norm(significance))
    return significance / length if length else significance


_LEE = "G. Lee, M. Choe and K. Shin, How do hyperedges overlap in real-world hypergraphs?, WWW 2021"
_MOCHY = "G. Lee, J. Ko and K. Shin, Hypergraph motifs, PVLDB 13(11), 2020"
_WATTS = "D. J. Watts and S. H. Strogatz, Collective dynamics of small-world networks, Nature 393, 1998"
_LANDRY = (
    "N. W. Landry, J.-G. Young and N. Eikmeier, The simpliciality of higher-order networks, EPJ Data Science 13, 2024"
)
_LESKOVEC = "J. Leskovec, J. Kleinberg and C. Faloutsos, Graph evolution, ACM TKDD 1(1), 2007"
_COMMON = "common"

_DISTRIBUTIONS = (
    # key, distribution, title, symbol, group, what it is, source, protocol, tail
    (
        "degree",
        "degrees",
        "Degrees",
        "d_v",
        "marginals",
        "the numbers of hyperedges that nodes are in",
        _COMMON,
        True,
        True,
    ),
    (
        "size",
        "edge sizes",
        "Edge sizes",
        "|e|",
        "marginals",
        "the numbers of nodes in hyperedges",
        _COMMON,
        True,
        True,
    ),
    (
        "pair",
        "pair degrees",
        "Pair degrees",
        "d_uv",
        "meetings",
        "the numbers of hyperedges that two nodes share, over pairs that share one",
        _LEE,
        True,
        True,
    ),
    (
        "triple",
        "triple degrees",
        "Triple degrees",
        "d_uvw",
        "meetings",
        "the numbers of hyperedges that three nodes share, over triples that share one",
        _LEE,
        False,
        True,
    ),
    (
        "homogeneity",
        "homogeneity",
        "Homogeneity",
        "h(e)",
        "meetings",
        "the mean pair degree of the pairs in a hyperedge, over hyperedges of two nodes or more",
        _LEE,
        True,
        False,
    ),
    (
        "intersection",
        "intersections",
        "Intersections",
        "|e∩f|",
        "overlap",
        "the numbers of nodes that two hyperedges share, over pairs that overlap",
        _LEE,
        True,
        True,
    ),
    (
        "density",
        "egonet density",
        "Egonet density",
        "ρ(E_v)",
        "neighbourhoods",
        "the number of a node's hyperedges over the number of nodes in them",
        _LEE,
        True,
        False,
    ),
    (
        "overlapness",
        "egonet overlapness",
        "Egonet overlapness",
        "o(E_v)",
        "neighbourhoods",
        "the summed sizes of a node's hyperedges over the number of nodes in them",
        _LEE,
        True,
        False,
    ),
    (
        "clustering",
        "clustering",
        "Clustering",
        "c_v",
        "neighbourhoods",
        "the local clustering coefficients in the graph that joins nodes of a hyperedge",
        _WATTS,
        False,
        False,
    ),
    (
        "component",
        "component sizes",
        "Component sizes",
        "|C|",
        "connectivity",
        "the numbers of nodes in the components",
        _COMMON,
        False,
        True,
    ),
    (
        "path",
        "path lengths",
        "Path lengths",
        "ℓ",
        "connectivity",
        "the distances between nodes in the graph that joins nodes of a hyperedge",
        _COMMON,
        False,
        False,
    ),
)

_NUMBERS = (
    # key, title, symbol, group, definition, source, protocol, compare
    (
        "isolated",
        "Isolated nodes",
        "d_v=0",
        "marginals",
        "Difference of the shares of nodes that are in no hyperedge.",
        _COMMON,
        False,
        _difference("isolated"),
    ),
    (
        "overlap_tail",
        "Overlaps of two or more",
        "|e∩f|≥2",
        "overlap",
        "Difference of the shares of overlapping pairs of hyperedges that share two nodes or more.",
        "this library",
        True,
        _difference("overlap tail"),
    ),
    (
        "nested",
        "Nested hyperedges",
        "e⊂f",
        "overlap",
        "Difference of the shares of hyperedges that lie strictly inside another one.",
        _LANDRY,
        False,
        _difference("nested"),
    ),
    (
        "repeated",
        "Repeated hyperedges",
        "e=f",
        "overlap",
        "Difference of the shares of hyperedges that equal an earlier one.",
        _COMMON,
        False,
        _difference("repeated"),
    ),
    (
        "transitivity",
        "Transitivity of overlaps",
        "C(L)",
        "neighbourhoods",
        "Difference of the transitivities of the graph that joins hyperedges that overlap.",
        _COMMON,
        True,
        _difference("transitivity"),
    ),
    (
        "singular",
        "Singular values",
        "σ_i",
        "spectrum",
        "Mean relative error of the 50 largest singular values of the incidence matrix.",
        _LEE,
        True,
        _singular,
    ),
    (
        "largest_component",
        "Largest component",
        "S_1/n",
        "connectivity",
        "Difference of the shares of nodes in the largest component.",
        _COMMON,
        True,
        _difference("largest component"),
    ),
    (
        "components",
        "Number of components",
        "log₂ k",
        "connectivity",
        "Binary logarithm of the quotient of the numbers of components that have a hyperedge.",
        _COMMON,
        True,
        _components,
    ),
    (
        "diameter",
        "Effective diameter",
        "ℓ_90%",
        "connectivity",
        "Relative error of the distance within which 90% of the connected pairs of nodes lie.",
        _LESKOVEC,
        True,
        _relative("diameter"),
    ),
    (
        "motif_counts",
        "h-motif counts",
        "M_t",
        "motifs",
        "Mean over the h-motifs of the difference of their numbers over the sum.",
        _MOCHY,
        False,
        _motif_counts,
    ),
    (
        "motif_profile",
        "h-motif profile",
        "CP_t",
        "motifs",
        "Half the summed differences of the characteristic profiles against the real one's configuration model.",
        _MOCHY,
        False,
        _motif_profile,
    ),
)


def _all_measures() -> dict[str, Measure]:
    measures = []
    for key, name, title, symbol, group, what, source, protocol, tail in _DISTRIBUTIONS:
        definition = f"Kolmogorov–Smirnov distance of {what}."
        ks = Measure(f"{key}_ks", title, symbol, group, definition, source, _ks(name), protocol, name)
        measures.append(ks)
        if tail:
            definition = f"Tail distance of {what}: 1 means that shares above a value are wrong by a factor of two."
            measures.append(
                Measure(
                    f"{key}_tail", f"{title}, tail", symbol, group, definition, "this library", _tail(name), False, name
                )
            )
    for key, title, symbol, group, definition, source, protocol, compare in _NUMBERS:
        measures.append(Measure(key, title, symbol, group, definition, source, compare, protocol))
    by_group = {group: [one for one in measures if one.group == group] for group in MEASURE_GROUPS}
    return {one.key: one for group in by_group.values() for one in group}


MEASURES: dict[str, Measure] = _all_measures()
"""All measures by key, in groups."""

PROTOCOL: tuple[str, ...] = tuple(key for key, one in MEASURES.items() if one.protocol)
"""The thirteen measures by which generators of whole hypergraphs are ranked."""


def select_measures(chosen: Iterable[str] | None) -> tuple[Measure, ...]:
    """Return measures by their keys or groups, ``"protocol"`` for the thirteen; all for None.

    Examples
    --------
    >>> [one.key for one in select_measures(["spectrum", "degree_ks"])]
    ['singular', 'degree_ks']
    >>> select_measures(["degres"])
    Traceback (most recent call last):
        ...
    hyperhedge.errors.HyperhedgeError: there is no measure of whole hypergraphs 'degres'; did you mean 'degree_ks'?
    """
    if chosen is None:
        return tuple(MEASURES.values())
    keys: dict[str, None] = {}
    for name in [chosen] if isinstance(chosen, str) else chosen:
        keys |= dict.fromkeys(_keys_of(name))
    if not keys:
        raise HyperhedgeError("metrics= is empty; name at least one measure, or leave it out for all")
    return tuple(MEASURES[key] for key in keys)


def _keys_of(name: object) -> tuple[str, ...]:
    if name in ("default", "all"):
        return tuple(MEASURES)
    if name == "protocol":
        return PROTOCOL
    if isinstance(name, str) and name in MEASURE_GROUPS:
        return tuple(key for key, one in MEASURES.items() if one.group == name)
    if isinstance(name, str) and name in MEASURES:
        return (name,)
    if not isinstance(name, str):
        raise HyperhedgeError(f"metrics= of whole hypergraphs are names of measures or groups, not {name!r}")
    close = difflib.get_close_matches(name, [*MEASURES, *MEASURE_GROUPS, "protocol"], n=1, cutoff=0.5)
    hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join((*MEASURE_GROUPS, 'protocol'))}"
    raise HyperhedgeError(f"there is no measure of whole hypergraphs {name!r}; {hint}")
