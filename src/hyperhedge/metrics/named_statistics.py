r"""Statistics of one hypergraph that :func:`hyperhedge.null_test` knows by name.

With :math:`e, f` hyperedges, :math:`|e|` their sizes, :math:`d_v` the degrees:

``clustering``
    The mean local clustering coefficient of the projection, the simple graph in which two nodes are joined if they share a
    hyperedge; a node with fewer than two neighbours has 0 (D. J. Watts and S. H. Strogatz, *Nature* 393, 1998; for two-mode
    data M. E. J. Newman, S. H. Strogatz and D. J. Watts, *Physical Review E* 64, 2001). It is the mean of XGI's
    ``clustering_coefficient``. A hyperedge becomes a clique, so it is large under every null model that keeps the sizes: read it
    against the null, never alone.
``overlap``
    The share of pairs of hyperedges that share at least two nodes, :math:`|e \cap f| \ge 2`.
``overlap-size``
    The mean of :math:`|e \cap f|` over the pairs that overlap.
``nestedness``
    The share of hyperedges with members that lie strictly inside another one (T. LaRock and R. Lambiotte, *Encapsulation
    structure and dynamics in hypergraphs*, Journal of Physics: Complexity 4, 2023).
``repeated``
    The number of hyperedges that equal an earlier one.
``assortativity``
    The correlation of the degrees of two nodes of a hyperedge: a hyperedge of at least two nodes is chosen uniformly, then two
    of its nodes (N. W. Landry and J. G. Restrepo, *Hypergraph assortativity*, Chaos 32, 2022, whose choice this is; XGI's
    ``degree_assortativity(kind="uniform")`` estimates it).
``motif-1`` … ``motif-26``, ``motifs``
    The numbers of the 26 h-motifs (:mod:`hyperhedge.metrics.motifs`); ``motifs`` means all of them.

The mean of :math:`|e \cap f|` over *all* pairs is not offered: :math:`\sum_{e<f} |e \cap f| = \sum_v \binom{d_v}{2}`, so it is
constant wherever degrees are kept.

Statistics that come from one computation are a :class:`Family`, so the motifs are counted once however many are asked for.
Whatever depends on the labels of nodes (the homophily of an attribute, say) is a family of its own here, since null hypergraphs
of a test carry the labels of the one that is tested.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.errors import HyperhedgeError, UndefinedError
from hyperhedge.metrics.disjoint_union import DisjointUnion, overlapping_pairs
from hyperhedge.typing import IntArray

Function: TypeAlias = Callable[[Hypergraph], Any]
Choice: TypeAlias = str | Function | Mapping[str, Function]

_MOTIFS = 26
_NONE: IntArray = np.zeros(0, dtype=np.int64)
_BLOCK = 1 << 21  # products of two rows at a time: some ten megabytes


@dataclass(frozen=True)
class Family:
    """Statistics of one hypergraph that are computed together: what ``function`` returns has an entry for each name."""

    function: Callable[[Hypergraph], Iterable[Any]]
    names: tuple[str, ...]
    wanted: tuple[str, ...]

    def values(self, H: Hypergraph, what: str) -> dict[str, float]:
        """Return the wanted statistics of ``what``, as an error message would call it."""
        try:
            results = dict(zip(self.names, self.function(H), strict=True))
        except HyperhedgeError:
            raise
        except Exception as error:  # whatever a function of the user raises
            raise UndefinedError(
                f"the statistic {self.names[0]!r} raised {type(error).__name__} on {what}: {error}"
            ) from error
        return {name: _finite(results[name], name, what) for name in self.wanted}


def _finite(value: Any, name: str, what: str) -> float:
    """Check that a statistic is a number."""
    try:
        number = None if isinstance(value, str | bytes) or np.ndim(value) else float(value)
    except (TypeError, ValueError):
        number = None
    if number is None:
        raise UndefinedError(f"the statistic {name!r} returned {value!r:.60} on {what}; it should return a number")
    if not math.isfinite(number):
        raise UndefinedError(f"the statistic {name!r} is not finite on {what}; leave it out, or test another one")
    return number


# -- by name -----------------------------------------------------------------------------------------


def _clustering(H: Hypergraph) -> tuple[float]:
    """Return the mean local clustering coefficient of the projection; one without nodes has none."""
    union = DisjointUnion.of([H])
    pairs = [(u, v) for u, v, _ in overlapping_pairs(union.by_node, union.by_edge)]
    first, second = (np.concatenate(side) for side in zip(*pairs, strict=True)) if pairs else (_NONE, _NONE)
    ones = np.ones(2 * len(first), dtype=np.int64)
    ends = np.concatenate((first, second)), np.concatenate((second, first))
    joined = sp.csr_array((ones, ends), shape=(H.n, H.n))
    degrees = np.diff(joined.indptr)
    possible = degrees * (degrees - 1)
    closed = np.zeros(H.n)
    done = np.concatenate(([0], np.cumsum(joined @ degrees)))
    begin = 0
    while begin < H.n:
        end = max(begin + 1, int(np.searchsorted(done, done[begin] + _BLOCK, side="right")) - 1)
        rows = joined[begin:end]
        closed[begin:end] = (rows @ joined).multiply(rows).sum(axis=1)
        begin = end
    return (float((closed / np.maximum(possible, 1)).mean()) if H.n else math.nan,)


def _overlaps(H: Hypergraph) -> tuple[float, float, float, float]:
    """Return overlap, overlap size, nestedness and the number of repeated hyperedges."""
    union, sizes = DisjointUnion.of([H]), H.edge_sizes
    twice = total = pairs = 0
    inside, repeats = np.zeros(H.m, dtype=bool), np.zeros(H.m, dtype=bool)
    for e, f, shared in overlapping_pairs(union.by_edge, union.by_node):
        pairs, total, twice = pairs + len(shared), total + int(shared.sum()), twice + int((shared > 1).sum())
        inside[e[(shared == sizes[e]) & (sizes[e] < sizes[f])]] = True
        inside[f[(shared == sizes[f]) & (sizes[f] < sizes[e])]] = True
        repeats[f[(shared == sizes[e]) & (shared == sizes[f])]] = True
    empty = int((sizes == 0).sum())
    return (
        2 * twice / (H.m * (H.m - 1)) if H.m > 1 else math.nan,
        total / pairs if pairs else 0.0,
        int(inside.sum()) / (H.m - empty) if H.m > empty else math.nan,
        int(repeats.sum()) + max(empty - 1, 0),
    )


def _assortativity(H: Hypergraph) -> tuple[float]:
    """Return the correlation of the degrees of two nodes of a hyperedge; without variance there is none."""
    edges, degrees = H.edge_indices, H.degrees.astype(float)[H.indices]
    sums, squares = (np.bincount(edges, weights=w, minlength=H.m) for w in (degrees, degrees**2))
    chosen = H.edge_sizes > 1
    k, sums, squares = H.edge_sizes[chosen], sums[chosen], squares[chosen]
    if not len(k):
        return (math.nan,)
    mean, square = float((sums / k).mean()), float((squares / k).mean())
    product = float(((sums**2 - squares) / (k * (k - 1))).mean())
    variance = square - mean**2
    return ((product - mean**2) / variance if variance > 1e-12 * square else math.nan,)


def _motifs(H: Hypergraph) -> IntArray:
    from hyperhedge.metrics.motifs import motif_counts  # compiles

    return motif_counts(H)


_MOTIF_NAMES = tuple(f"motif-{k}" for k in range(1, _MOTIFS + 1))

_FAMILIES: tuple[tuple[Callable[[Hypergraph], Iterable[Any]], tuple[str, ...]], ...] = (
    (_clustering, ("clustering",)),
    (_overlaps, ("overlap", "overlap-size", "nestedness", "repeated")),
    (_assortativity, ("assortativity",)),
    (_motifs, _MOTIF_NAMES),
)

#: The names of statistics, and what each stands for.
STATISTICS: dict[str, tuple[str, ...]] = {
    **{name: (name,) for _, names in _FAMILIES[:-1] for name in names},
    "motifs": _MOTIF_NAMES,
    **{name: (name,) for name in _MOTIF_NAMES},
}


# -- a choice of them --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Selection:
    """Statistics in the order in which they were asked for, and the families that they come from."""

    names: tuple[str, ...]
    families: tuple[Family, ...]

    def values(self, H: Hypergraph, what: str) -> list[float]:
        """Return the statistics of ``what``, as an error message would call it."""
        values = {name: value for family in self.families for name, value in family.values(H, what).items()}
        return [values[name] for name in self.names]


def select_statistics(choice: Choice | Iterable[Choice]) -> Selection:
    """Select statistics: names, functions of one hypergraph, mappings from names to functions, or a list of these.

    Examples
    --------
    >>> selection = select_statistics(["motif-9", "overlap", "motif-3", {"size": len}])
    >>> selection.names
    ('motif-9', 'overlap', 'motif-3', 'size')
    >>> selection.values(Hypergraph([[0, 1], [0, 1, 2], [0, 2, 3]]), "H")
    [1.0, 0.666..., 0.0, 3.0]
    """
    names: list[str] = []
    added: dict[str, Function] = {}
    for one in _listed(choice):
        if isinstance(one, str):
            names += [name for name in _checked(one) if name not in names]
            continue
        for name, function in _functions(one).items():
            if name in added or name in STATISTICS:
                raise HyperhedgeError(
                    f"two statistics are named {name!r}; give yours another name, as in {{'another name': function}}"
                )
            added[name] = function
            names.append(name)
    families = [Family(function, known, _among(names, known)) for function, known in _FAMILIES]
    own = [Family(_Single(function), (name,), (name,)) for name, function in added.items()]
    return Selection(tuple(names), (*(family for family in families if family.wanted), *own))


def _among(names: Iterable[str], known: Iterable[str]) -> tuple[str, ...]:
    return tuple(name for name in names if name in known)


def _listed(choice: Any) -> list[Any]:
    alone = isinstance(choice, str | Mapping) or callable(choice)
    try:
        listed = [choice] if alone else list(choice)
    except TypeError:
        raise HyperhedgeError(f"statistic= is {choice!r}; give a name, a function, or a list of these") from None
    if not any(one != {} for one in listed):
        raise HyperhedgeError("statistic= is empty; give a name, a function, or a list of these")
    return listed


def _checked(name: str) -> tuple[str, ...]:
    if name not in STATISTICS:
        names = [other for other in STATISTICS if not other.startswith("motif-")]
        raise HyperhedgeError(
            f"there is no statistic {name!r}; choose from {', '.join(names)}, motif-1 … motif-{_MOTIFS}, or give a function"
        )
    return STATISTICS[name]


def _functions(choice: Any) -> dict[str, Function]:
    """Return functions by name: those of a mapping, or one by its own name."""
    functions = choice if isinstance(choice, Mapping) else {getattr(choice, "__name__", type(choice).__name__): choice}
    for name, function in functions.items():
        if not callable(function):
            raise HyperhedgeError(f"the statistic {name!r} is {function!r}; give a function of one hypergraph, f(H)")
        if name == "<lambda>":
            raise HyperhedgeError("a lambda has no name; give {name: function}")
    return {str(name): function for name, function in functions.items()}


@dataclass(frozen=True)
class _Single:
    """A function of the user as that of a family; a class, since worker processes need to receive it."""

    function: Function

    def __call__(self, H: Hypergraph) -> tuple[Any]:
        return (self.function(H),)
