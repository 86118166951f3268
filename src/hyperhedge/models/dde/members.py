r"""The members of hyperlinks, given their embeddings: independently, or given how many there are.

*Independently.* Node :math:`v` is a member of hyperlink :math:`j` with probability :math:`\sigma(\theta_{jv})`,
:math:`\theta_{jv} = a_v + \langle z_v, f_j\rangle`. Instead of tossing :math:`n m` coins, throw points: let points fall on every
pair as a Poisson process of intensity :math:`\ln(1 + e^{-|\theta|}) \le \ln 2`. A pair is hit with probability
:math:`1 - 1 / (1 + e^{-|\theta|}) = \sigma(-|\theta|)`, independently of all others. That is the probability of the *less probable*
answer, so a pair is a member if :math:`\theta > 0` and it was not hit, or :math:`\theta \le 0` and it was. There are about as many
points as incidences.

*Given the size.* The law of independent members given that there are :math:`k` (*conditional Bernoulli*) gives a set :math:`S` of
:math:`k` nodes a probability in proportion to :math:`\prod_{v \in S} e^{\theta_v}`. Adding a constant :math:`c` to all logits
multiplies all of these by :math:`e^{ck}`: the law does not change. So choose :math:`c` such that :math:`k` members are to be
expected, and sample independently until there are :math:`k`. That is exact whatever :math:`c` is; with it, an attempt
succeeds with a probability of about :math:`1/\sqrt{2 \pi \operatorname{Var}}`, and it costs as many operations as there are points.

*Sizes as in data.* Hyperlinks sampled independently have sizes :math:`S_j`, and the data have the multiset of sizes
:math:`\{k_j\}`. The :math:`r`-th smallest size of the data goes to the hyperlink with the :math:`r`-th smallest :math:`S_j`, ties
in random order. A hyperlink with :math:`S_j = k_j` keeps its members, which have the law given that size already, and the others
are sampled given theirs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import softplus

from hyperhedge.errors import GeneratorError
from hyperhedge.typing import BoolArray, FloatArray, IntArray

#: Entries of a block of logits; some arrays of 4 and 8 bytes per entry are alive at a time.
BLOCK = 1 << 21

_NEWTON = 60  # steps at most towards a constant that need not be accurate
_ATTEMPTS = 100_000  # in a row without any success among the hyperlinks of a block


@dataclass(frozen=True)
class Logits:
    """The logits of memberships: offsets ``(n,)`` and embeddings ``(n, K)`` of nodes, and embeddings ``(m, K)`` of hyperlinks."""

    offsets: Tensor
    nodes: Tensor
    edges: Tensor

    @classmethod
    def of(cls, offsets: FloatArray, nodes: FloatArray, edges: FloatArray) -> Logits:
        """Take arrays."""
        return cls(
            *(torch.from_numpy(np.ascontiguousarray(array, dtype=np.float32)) for array in (offsets, nodes, edges))
        )

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of nodes and hyperlinks."""
        return len(self.offsets), len(self.edges)

    def rows(self, which: IntArray) -> Tensor:
        """Return the logits of some hyperlinks, a row for each."""
        return torch.addmm(self.offsets, self.edges[torch.from_numpy(which)], self.nodes.T)

    def blocks(self, which: IntArray) -> Iterator[IntArray]:
        """Cut hyperlinks into blocks."""
        length = max(1, BLOCK // max(len(self.offsets), 1))
        for start in range(0, len(which), length):
            yield which[start : start + length]


# -- independently -----------------------------------------------------------------------------------------


def independent_members(logits: Logits, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Sample nodes and hyperlinks of the incidences, in the order of the hyperlinks.

    Examples
    --------
    >>> logits = Logits.of(np.array([40.0, -40.0]), np.zeros((2, 1)), np.zeros((3, 1)))
    >>> independent_members(logits, np.random.default_rng(0))
    (array([0, 0, 0]), array([0, 1, 2]))
    """
    n, m = logits.shape
    nodes, edges = _none()
    parts = [(nodes, edges)]
    for block in logits.blocks(np.arange(m)) if n else ():
        points = Points.on(logits.rows(block))
        row, node = np.divmod(np.setxor1d(points.likely, np.unique(points.thrown(rng)), assume_unique=True), n)
        parts.append((node, block[row]))
    return _joined(parts)


@dataclass(frozen=True)
class Points:
    """Points on the pairs of a block: where they fall, and which pairs are members if not hit.

    Attributes
    ----------
    total
        The intensity of the pairs up to each one, row by row.
    starts
        The intensity before each row, and of all rows.
    likely
        The pairs with logits above 0.
    width
        The number of nodes.
    """

    total: FloatArray
    starts: FloatArray
    likely: IntArray
    width: int

    @classmethod
    def on(cls, logits: Tensor) -> Points:
        """Compute the intensities of a block of logits."""
        width = logits.shape[1]
        total = softplus(-logits.abs()).ravel().cumsum(0, dtype=torch.float64).numpy()
        starts = np.concatenate(([0.0], total[width - 1 :: width]))
        return cls(total, starts, np.flatnonzero(logits.numpy() > 0), width)

    def thrown(self, rng: np.random.Generator) -> IntArray:
        """Throw points on all rows."""
        count = rng.poisson(self.starts[-1])
        return self._at(rng.random(count) * self.starts[-1], 0, len(self.total) - 1)

    def thrown_on(self, rows: IntArray, rng: np.random.Generator) -> IntArray:
        """Throw points on some rows."""
        intensity = self.starts[rows + 1] - self.starts[rows]
        owner = np.repeat(np.arange(len(rows)), rng.poisson(intensity))
        at = self.starts[rows[owner]] + rng.random(len(owner)) * intensity[owner]
        return self._at(at, rows[owner] * self.width, (rows[owner] + 1) * self.width - 1)

    def _at(self, intensity: FloatArray, first: IntArray | int, last: IntArray | int) -> IntArray:
        """Return the pairs at which an intensity is reached; rounding leaves none outside its row."""
        pairs: IntArray = np.clip(np.searchsorted(self.total, intensity, side="right"), first, last)
        return pairs


# -- given the size ------------------------------------------------------------------------------------------


def members_of_sizes(
    logits: Logits, which: IntArray, sizes: IntArray, rng: np.random.Generator
) -> tuple[IntArray, IntArray]:
    """Sample the members of some hyperlinks, given their sizes; nodes and hyperlinks of the incidences.

    Parameters
    ----------
    logits
        Those of all hyperlinks.
    which
        The hyperlinks to sample.
    sizes
        The size of each of these, at most the number of nodes.

    Examples
    --------
    >>> logits = Logits.of(np.array([3.0, 0.0, -3.0]), np.zeros((3, 1)), np.zeros((2, 1)))
    >>> nodes, edges = members_of_sizes(logits, np.array([1]), np.array([2]), np.random.default_rng(0))
    >>> len(set(nodes.tolist())), edges
    (2, array([1, 1]))
    """
    n, _ = logits.shape
    full, open_ = sizes == n, (sizes > 0) & (sizes < n)
    parts = [(np.tile(np.arange(n), int(full.sum())), np.repeat(which[full], n))]
    for block in logits.blocks(np.flatnonzero(open_)):
        rows = logits.rows(which[block])
        row, node = np.divmod(_pairs_of_sizes(rows, sizes[block], rng), n)
        parts.append((node, which[block][row]))
    return _joined(parts)


def _pairs_of_sizes(logits: Tensor, sizes: IntArray, rng: np.random.Generator) -> IntArray:
    """Sample members of the rows of a block until each has its size."""
    points = Points.on(logits + tilt(logits, sizes)[:, None])
    is_likely = np.zeros(len(points.total), dtype=np.bool_)
    is_likely[points.likely] = True
    likely = np.bincount(points.likely // points.width, minlength=len(sizes))
    waiting, hits, attempts = np.arange(len(sizes)), [np.zeros(0, dtype=np.int64)], 0
    while len(waiting):
        pairs = np.unique(points.thrown_on(waiting, rng))
        row = pairs // points.width
        change = np.bincount(row, np.where(is_likely[pairs], -1.0, 1.0), minlength=len(sizes))
        accepted = np.zeros(len(sizes), dtype=np.bool_)
        accepted[waiting] = (likely + change == sizes)[waiting]
        hits.append(pairs[accepted[row]])
        attempts = 0 if accepted.any() else attempts + 1
        _refuse_endless(attempts)
        waiting = waiting[~accepted[waiting]]
    return np.setxor1d(points.likely, np.concatenate(hits), assume_unique=True)


def _refuse_endless(attempts: int) -> None:
    if attempts > _ATTEMPTS:
        raise GeneratorError(
            f"{attempts:,} attempts to sample a hyperlink of a given size all failed: its nodes are nearly certain to be members "
            "or not; give sizes='model', or a smaller bound or a larger ridge"
        )


def tilt(logits: Tensor, sizes: IntArray) -> Tensor:
    r"""Return the constant of each row with which, nearly, as many members are to be expected as a size says.

    Newton's method on :math:`\operatorname{logit}(\mu / n)`, where :math:`\mu(c) = \sum_v \sigma(\theta_v + c)`: that is a straight
    line if all nodes are equal. A step that leaves the interval known to hold the root is replaced by a bisection.

    Examples
    --------
    >>> logits = torch.tensor([[1.0, 1.0, 1.0, 1.0]])
    >>> tilt(logits, np.array([2]))
    tensor([-1.])
    """
    n = logits.shape[1]
    wanted = torch.from_numpy(sizes).to(logits.dtype)
    low, high = -logits.amax(1) - 50.0, -logits.amin(1) + 50.0
    constant = torch.zeros(len(logits), dtype=logits.dtype)
    for _ in range(_NEWTON):
        chance = (logits + constant[:, None]).sigmoid_()
        mean = chance.sum(1).clamp(1e-6, n - 1e-6)
        if bool(((mean - wanted).abs() <= 0.05).all()):
            break
        variance = torch.addcmul(chance, chance, chance, value=-1.0).sum(1).clamp_min(1e-6)
        low, high = torch.where(mean < wanted, constant, low), torch.where(mean > wanted, constant, high)
        step = (torch.logit(wanted / n) - torch.logit(mean / n)) * mean * (n - mean) / (n * variance)
        moved = constant + step
        inside = (moved > low) & (moved < high)
        constant = torch.where(inside, moved, (low + high) / 2)
    return constant


# -- sizes as in data ------------------------------------------------------------------------------------------


def members_with_sizes(logits: Logits, sizes: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Sample members so that the hyperlinks' sizes are those given, in an order that follows the embeddings.

    Examples
    --------
    >>> logits = Logits.of(np.array([1.0, 0.0, -1.0]), np.zeros((3, 1)), np.zeros((4, 1)))
    >>> nodes, edges = members_with_sizes(logits, np.array([3, 0, 1, 1]), np.random.default_rng(0))
    >>> sorted(np.bincount(edges, minlength=4).tolist())
    [0, 1, 1, 3]
    """
    nodes, edges = independent_members(logits, rng)
    drawn = np.bincount(edges, minlength=len(sizes))
    wanted = matched(drawn, sizes, rng)
    right: BoolArray = drawn == wanted
    others = np.flatnonzero(~right)
    kept = right[edges]
    return _joined([(nodes[kept], edges[kept]), members_of_sizes(logits, others, wanted[others], rng)])


def matched(drawn: IntArray, sizes: IntArray, rng: np.random.Generator) -> IntArray:
    """Give the sizes of the data to hyperlinks in the order of their own, ties in random order.

    Examples
    --------
    >>> matched(np.array([5, 0, 2]), np.array([1, 2, 9]), np.random.default_rng(0))
    array([9, 1, 2])
    """
    order = np.lexsort((rng.random(len(drawn)), drawn))
    wanted = np.empty_like(sizes)
    wanted[order] = np.sort(sizes)
    return wanted


def _none() -> tuple[IntArray, IntArray]:
    return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)


def _joined(parts: list[tuple[IntArray, IntArray]]) -> tuple[IntArray, IntArray]:
    return np.concatenate([nodes for nodes, _ in parts]), np.concatenate([edges for _, edges in parts])
