r"""Significance tests: whether a statistic of one hypergraph is what a null model gives.

With :math:`t = T(H)` and the values :math:`t_1, …, t_N` of :math:`N` null hypergraphs
(:mod:`hyperhedge.metrics.null_samples` says what these are sampled from, and when the p-values are exact),

.. math:: p_> = \frac{1 + \#\{i : t_i \ge t\}}{N + 1}, \qquad p_< = \frac{1 + \#\{i : t_i \le t\}}{N + 1}, \qquad
          p_{\ne} = \min(1,\, 2 \min(p_>, p_<)).

The one counts the hypergraph itself, which is a sample of the null too if the null is true; without it, p could be zero and
would not be valid (A. C. Davison and D. V. Hinkley, *Bootstrap Methods and their Application*, 1997, ch. 4). The two-sided
p-value doubles the smaller tail, which makes no assumption of symmetry. Ties count on both sides, so p-values of discrete
statistics are conservative; values that differ by rounding only, by less than :math:`10^{-10}` of the largest, are ties.

Of several statistics, p-values are corrected by the method of S. Holm (Scandinavian Journal of Statistics 6, 1979), which needs
no independence: with :math:`p_{(1)} \le … \le p_{(k)}`,

.. math:: \tilde p_{(i)} = \max_{j \le i}\, \min\bigl(1,\, (k - j + 1)\, p_{(j)}\bigr).

``z`` is :math:`(t - \bar t) / s` with the mean and standard deviation of the null values; it says how far, not how probable, since
null laws of counts are skewed.

*Parallel.* Null hypergraphs are sampled in batches of ten. Batch :math:`k` has the seed made of (seed, k), so the result does
not depend on the number of processes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from rich.console import Console

from hyperhedge._system.pool import make_cluster
from hyperhedge._system.progress import Meter
from hyperhedge.convert import as_hypergraph
from hyperhedge.errors import GeneratorError, HypergraphError
from hyperhedge.metrics.named_statistics import Choice, Selection, select_statistics
from hyperhedge.metrics.null_result import SIGNIFICANT, Alternative, NullRow, NullTest
from hyperhedge.metrics.null_samples import FromList, Null, NullLaw, null_law
from hyperhedge.models.base import one_of, rng_of, whole_number
from hyperhedge.typing import FloatArray, Seed

COUNT = 999
"""How many null hypergraphs are sampled by default: p-values are then multiples of 0.001."""

_BATCH = 10
_ROUNDING = 1e-10
_ALTERNATIVES = ("two-sided", "greater", "less")


def null_test(
    H: Any,
    statistic: Choice | Iterable[Choice],
    null: Null = "configuration",
    count: int | None = None,
    seed: Seed | None = None,
    *,
    alternative: Alternative = "two-sided",
    jobs: int = 1,
    progress: Console | bool | None = None,
    **options: Any,
) -> NullTest:
    """Test whether statistics of one hypergraph are what a null model gives.

    Parameters
    ----------
    H
        The hypergraph, of any type that :func:`~hyperhedge.convert.as_hypergraph` takes.
    statistic
        A name in :data:`hyperhedge.metrics.STATISTICS`, a function ``f(H)`` that returns a number, a mapping from names to such
        functions, or a list of these.
    null
        What the hypergraph is compared with: the name of a statistical model (``"configuration"``, ``"chung-lu"``,
        ``"erdos-renyi"``, ``"block-model"``, or that of an installed package), which is fitted to the hypergraph; a model, which is
        fitted to the hypergraph unless it is fitted already; or hypergraphs that were sampled elsewhere.
    count
        How many null hypergraphs: 999 by default, and for a list its length.
    seed
        A whole number, a numpy generator, or None for fresh randomness.
    alternative
        ``"two-sided"``, ``"greater"`` or ``"less"``: which p-values are corrected for several statistics. All are reported.
    jobs
        How many processes share the work; the result does not depend on it.
    progress
        A console to show progress on, or True for standard error.
    options
        Arguments of a model that is given by its name, such as ``labelled="vertex"``. Independent incidences
        (``"erdos-renyi"``) are not repaired, unless with ``repair=True``.

    Returns
    -------
    NullTest
        A row per statistic, and the null values.

    Examples
    --------
    >>> import hyperhedge as hh
    >>> women = hh.load_dataset("southern-women").hypergraph
    >>> test = hh.null_test(women, ["clustering", "overlap"], count=99, seed=0)
    >>> test["overlap"].observed, test.null
    (0.626..., "ConfigurationModel(labelled='stub', sweeps=100)")
    """
    H = as_hypergraph(H)
    if not H.m:
        raise HypergraphError("H has no hyperedges, so there is nothing to test; give one with hyperedges")
    one_of(alternative, _ALTERNATIVES, "alternative")
    jobs = whole_number(jobs, "jobs", least=1)
    if count is not None:
        count = whole_number(count, "count", least=1)
    selection, rng = select_statistics(statistic), rng_of(seed)
    observed = np.array(selection.values(H, "H"))
    law = null_law(H, null, options, rng)
    count = _count(law, count)
    values = _null_values(law, selection, count, int(rng.integers(0, 1 << 63)), jobs, progress)
    rows = _rows(selection.names, observed, values, alternative)
    return NullTest(
        rows=rows,
        hypergraph=repr(H).strip("<>"),
        null=law.description,
        count=count,
        alternative=alternative,
        notes=(law.validity, *_too_few(count, len(rows), alternative)),
        null_values={name: _frozen(column) for name, column in zip(selection.names, values.T, strict=True)},
    )


def _count(law: NullLaw, count: int | None) -> int:
    if not isinstance(law, FromList):
        return COUNT if count is None else count
    there = len(law.hypergraphs)
    if count is not None and count != there:
        raise GeneratorError(f"null= has {there} hypergraphs, and count= is {count}; leave count= out")
    return there


def _frozen(values: FloatArray) -> FloatArray:
    values = values.copy()
    values.flags.writeable = False
    return values


def _too_few(count: int, statistics: int, alternative: Alternative) -> Iterator[str]:
    """Say so if no p-value can become significant, however far the observed value is from the null."""
    times = statistics * (2 if alternative == "two-sided" else 1)
    if times / (count + 1) > SIGNIFICANT:
        yield (
            f"No p-value after Holm's correction can be below {min(1.0, times / (count + 1)):.3g} with {count:,} null hypergraphs; "
            f"sample at least {int(np.ceil(times / SIGNIFICANT)) - 1:,}."
        )


# -- sampling ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Batch:
    """What one call of a worker samples: ``count`` null hypergraphs from number ``first`` on."""

    first: int
    count: int
    seed: tuple[int, int]
    law: NullLaw


def _null_values(
    law: NullLaw, selection: Selection, count: int, seed: int, jobs: int, progress: Console | bool | None
) -> FloatArray:
    """Return the statistics of null hypergraphs: a row for each, a column per statistic."""
    batches = []
    for number, first in enumerate(range(0, count, _BATCH)):
        size = min(_BATCH, count - first)
        batches.append(_Batch(first, size, (seed, number), law.share(first, size)))
    values = np.empty((count, len(selection.names)))
    cluster = make_cluster("local", workers=min(jobs, len(batches)))
    with (
        Meter(progress, "testing", count) as meter,
        closing(cluster.run(partial(_values_of_batch, selection), batches)) as outcomes,
    ):
        for batch, outcome in outcomes:
            if isinstance(outcome, Exception):
                raise outcome
            values[batch.first : batch.first + batch.count] = outcome
            meter.advance(batch.count)
    return values


def _values_of_batch(selection: Selection, batch: _Batch) -> FloatArray:
    drawn = batch.law.draw(batch.count, np.random.default_rng(batch.seed))
    numbered = enumerate(drawn, start=batch.first)
    return np.array([selection.values(H, f"null hypergraph {number}") for number, H in numbered])


# -- p-values ----------------------------------------------------------------------------------------


def _rows(
    names: Iterable[str], observed: FloatArray, values: FloatArray, alternative: Alternative
) -> tuple[NullRow, ...]:
    rows = [_row(name, t, column) for name, t, column in zip(names, observed.tolist(), values.T, strict=True)]
    corrected = holm([row.p_value(alternative) for row in rows])
    return tuple(replace(row, p_holm=p) for row, p in zip(rows, corrected, strict=True))


def _row(name: str, observed: float, values: FloatArray) -> NullRow:
    rounding = _ROUNDING * max(abs(observed), float(np.abs(values).max()))
    greater = (1 + int((values >= observed - rounding).sum())) / (len(values) + 1)
    less = (1 + int((values <= observed + rounding).sum())) / (len(values) + 1)
    both = min(1.0, 2 * min(greater, less))
    constant = float(np.ptp(values)) <= rounding
    mean = float(values[0]) if constant else float(values.mean())
    sd = 0.0 if constant else float(values.std(ddof=1))
    z = (observed - mean) / sd if sd else None
    return NullRow(name, observed, mean, sd, z, greater, less, both, both)


def holm(p_values: Iterable[float]) -> list[float]:
    """Correct p-values for their number by Holm's method.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    p = np.array(list(p_values), dtype=float)
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate(np.minimum(1.0, (len(p) - np.arange(len(p))) * p[order]))
    corrected = np.empty(len(p))
    corrected[order] = steps
    return corrected.tolist()
