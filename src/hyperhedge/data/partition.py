r"""Cut the hyperedges of a hypergraph into sources, such that pieces of all sources follow one law.

The pieces of a training and a test set are to differ no more than two samples of one set do, and not to be thinner than pieces
of the whole. Four things see to that:

1. *Equal shares.* Every source has as many hyperedges, whatever the number of pieces to sample from it: the fewer hyperedges a
   source has, the fewer overlap, and the fewer make up a law.
2. *Balance.* Hyperedge :math:`e` has a descriptor :math:`x_e` of its size and the degrees of its members, centred and whitened.
   Blocks of hyperedges are dealt out in rounds, one to each source, large ones first, always such that the imbalance

   .. math:: \sum_k \Bigl\| \sum_{e \in S_k} x_e \Bigr\|^2

   is least. It stays of the order of one block, where dealing at random has it grow with the number of blocks.
3. *Blocks of several sizes.* A block is a neighbourhood, equal hyperedges in one. Large blocks keep overlaps and make the sources
   differ from each other, small ones the opposite; which matters more depends on the hypergraph. So several
   partitions are made, from single hyperedges to neighbourhoods of twice as many as a piece has.
4. *A contest.* From each partition a few pieces are sampled, and the third of the partitions in which the sources are least
   apart from each other and from the whole (:func:`~hyperhedge.data.likeness.contrast`) is sampled further, until one is
   left. Only real pieces are looked at, never a generator's.

Fresh pieces of the chosen sources are compared in the end. If they can be told apart, all is tried again, and after a few attempts
a warning says that it cannot be had, and what differs.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Literal

import numpy as np
from scipy.optimize import linear_sum_assignment

from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.data.likeness import FEATURES, Contrast, contrast, features
from hyperhedge.data.subhypergraph import SubhypergraphSampler
from hyperhedge.errors import DataWarning, HyperhedgeError
from hyperhedge.typing import FloatArray, IntArray

Sample = Callable[[int, np.random.Generator], list[Hypergraph]]
"""Sample so many pieces."""

#: An AUC from which two sets of a split are said to differ: a report then scores real pieces 0.7 or less.
TOLD_APART = 0.65

_PIECES = 64  # of each source and round
_VERDICT = 200
_ATTEMPTS = 3
_MOST_SAMPLED = 20_000  # hyperedges of the pieces of a source and round: of large pieces fewer are compared
_REPEATS = 6  # of every size of blocks
_MOST_DEALT = 20_000  # hyperedges in all of these: of many hyperedges, less is left to chance
_FEW_BLOCKS = 4
_COUNT_WEIGHT = 3.0  # of the numbers of hyperedges against one whitened descriptor


@dataclass(frozen=True)
class Partition:
    """Hypergraphs over the same nodes with disjoint hyperedges, and the features of the pieces sampled from them so far."""

    sources: list[Hypergraph]
    samples: list[Sample] = field(repr=False)
    looks: list[FloatArray] = field(default_factory=list)

    def sampled(self, count: int, rng: np.random.Generator) -> Partition:
        """Return the partition with ``count`` more pieces of each source."""
        new = [features(sample(count, rng)) for sample in self.samples]
        earlier = self.looks or [np.empty((0, len(FEATURES)))] * len(new)
        return Partition(self.sources, self.samples, [np.vstack(both) for both in zip(earlier, new, strict=True)])

    def unsampled(self) -> Partition:
        """Return the partition without the pieces sampled so far."""
        return Partition(self.sources, self.samples)

    def distance(self, whole: FloatArray) -> float:
        """Return how far the sources are apart, plus half of how far they are from the whole."""
        apart = [contrast(*pair).squared_distance for pair in combinations(self.looks, 2)]
        thinned = [contrast(looks, whole).squared_distance for looks in self.looks]
        return float(np.mean(apart) + np.mean(thinned) / 2)


def partition_hyperedges(
    H: Hypergraph,
    names: Sequence[str],
    sampler_of: Callable[[Hypergraph], Sample],
    least: int,
    *,
    local: bool,
    rng: np.random.Generator,
) -> list[Hypergraph]:
    """Cut a hypergraph into one source for each name, without its empty hyperedges.

    Parameters
    ----------
    names
        What the sources are for; the warning says it.
    sampler_of
        How pieces of a hypergraph are sampled: what the sources are to agree in.
    least
        How many hyperedges a source has at least.
    local
        Whether the sampling follows overlaps, so that blocks are neighbourhoods and not only single hyperedges.
    """
    nonempty = int((H.edge_sizes > 0).sum())
    if least * len(names) > nonempty:
        raise HyperhedgeError(
            f"{len(names)} leak-free splits of {least} hyperedges each need {least * len(names)}, and the observed "
            f"hypergraph has {nonempty} that are not empty; ask for at most {nonempty // len(names)} hyperedges"
        )
    sizes = _block_sizes(least, nonempty // len(names)) if local else [1]
    if len(names) == 1:
        return _candidates(H, 1, [1], least, rng)[0]
    verdicts = []
    for _ in range(_ATTEMPTS):
        candidates = _candidates(H, len(names), sizes, least, rng)
        entries = [Partition(sources, [sampler_of(source) for source in sources]) for sources in candidates]
        best = _most_alike(sampler_of(H), entries, _affordable(_PIECES, least), rng)
        verdicts.append(Verdict.of(best.unsampled().sampled(_affordable(_VERDICT, least), rng), names))
        if verdicts[-1].contrast.auc <= TOLD_APART:
            return best.sources
    least_apart = min(verdicts, key=lambda verdict: verdict.contrast.auc)
    warnings.warn(str(least_apart), DataWarning, stacklevel=2)
    return least_apart.partition.sources


# -- candidates ------------------------------------------------------------------------------------


def _block_sizes(m: int, share: int) -> list[int]:
    """Return sizes of blocks from one hyperedge to many times the ``m`` of a piece, of which a source has at least a few."""
    return [
        size for size in sorted({1, max(m // 2, 1), 2 * m, 8 * m, 32 * m}) if size == 1 or size <= share // _FEW_BLOCKS
    ]


def _candidates(
    H: Hypergraph, count: int, block_sizes: Sequence[int], least: int, rng: np.random.Generator
) -> list[list[Hypergraph]]:
    partitions = _partitions(H, count, block_sizes, rng)
    candidates = [sources for sources in partitions if min(source.m for source in sources) >= least]
    if not candidates:
        raise HyperhedgeError(
            f"{count} leak-free splits of {least} hyperedges each cannot be made, because equal hyperedges stay together and "
            "too many are equal; ask for fewer hyperedges"
        )
    return candidates


def _partitions(
    H: Hypergraph, count: int, block_sizes: Sequence[int], rng: np.random.Generator
) -> Iterator[list[Hypergraph]]:
    """Cut the hypergraph into ``count`` sources, by blocks of every size."""
    descriptors = describe(H)
    repeats = int(np.clip(_MOST_DEALT // H.m, 1, _REPEATS)) * (2 if len(block_sizes) == 1 else 1)
    for _ in range(repeats):
        copies = _visited(H, "snowball" if len(block_sizes) > 1 else "uniform", rng)
        for size in block_sizes:
            dealt = deal(_blocks(copies, size, count), descriptors, count, rng)
            yield [H.subhypergraph(edges=[H.edges[j] for j in sorted(edges)]) for edges in dealt]


def describe(H: Hypergraph) -> FloatArray:
    """Return the descriptors of all hyperedges: what pieces with them depend on, centred and uncorrelated, with variance 1."""
    sizes, log_degrees = H.edge_sizes.astype(float), np.log1p(H.degrees.astype(float))
    incidence = H.incidence.astype(float)
    log_sizes = np.log(np.maximum(sizes, 1))
    mean_degree = incidence.T @ log_degrees / np.maximum(sizes, 1)
    total_overlap = incidence.T @ H.degrees.astype(float) - sizes
    columns = np.column_stack(
        [
            *(log_sizes, sizes, sizes == 1, sizes == 2),
            *(mean_degree, mean_degree**2, mean_degree * log_sizes),
            *(total_overlap, np.log1p(total_overlap)),
        ]
    ).astype(float)
    scale = columns.std(axis=0)
    varying = scale > 1e-9 * np.maximum(np.abs(columns.mean(axis=0)), 1.0)
    columns = np.clip((columns - columns.mean(axis=0))[:, varying] / scale[varying], -6, 6)
    columns -= columns.mean(axis=0)
    left, singular, _ = np.linalg.svd(columns, full_matrices=False)
    whitened: FloatArray = left[:, singular > 1e-3 * singular.max(initial=0)] * np.sqrt(len(columns))
    return whitened


def _visited(H: Hypergraph, protocol: Literal["uniform", "snowball"], rng: np.random.Generator) -> list[list[int]]:
    """Return the nonempty hyperedges as a protocol visits them, equal ones in one list, which is where the first was."""
    copies = dict[bytes, list[int]]()
    for edge in SubhypergraphSampler(H, protocol=protocol).order(rng).tolist():
        members = H.indices[H.indptr[edge] : H.indptr[edge + 1]].tobytes()
        copies.setdefault(members, []).append(edge)
    return list(copies.values())


def _blocks(copies: Sequence[list[int]], size: int, count: int) -> list[list[int]]:
    """Join what was visited one after the other to about equal blocks, whose number is a multiple of ``count``."""
    lengths = np.array([len(edges) for edges in copies])
    total = int(lengths.sum())
    number = count * max(1, round(total / (count * size)))
    block_of = (lengths.cumsum() - lengths) * number // total
    blocks = [list[int]() for _ in range(number)]
    for block, edges in zip(block_of.tolist(), copies, strict=True):
        blocks[block] += edges
    return blocks


def deal(
    blocks: Sequence[Sequence[int]], descriptors: FloatArray, count: int, rng: np.random.Generator
) -> list[list[int]]:
    """Deal out blocks in rounds, one to each of ``count`` sources, such that the sums of their descriptors stay near each other."""
    sums = np.array([descriptors[list(block)].sum(axis=0) for block in blocks])
    lengths = np.array([len(block) for block in blocks], dtype=float)
    vectors = np.column_stack((sums, _COUNT_WEIGHT * (lengths - lengths.mean())))
    jitter = np.exp(0.5 * rng.normal(size=len(blocks)))  # so that two partitions differ
    order: IntArray = np.argsort(-np.linalg.norm(vectors, axis=1) * jitter)
    totals = np.zeros((count, vectors.shape[1]))
    dealt = [list[int]() for _ in range(count)]
    for start in range(0, len(order), count):
        turn = order[start : start + count]
        # Σ‖total + vector‖² differs between the ways to deal only by the inner products.
        rows, columns = linear_sum_assignment(totals @ vectors[turn].T)
        totals[rows] += vectors[turn[columns]]
        for k, column in zip(rows.tolist(), columns.tolist(), strict=True):
            dealt[k] += blocks[turn[column]]
    return dealt


# -- the contest -----------------------------------------------------------------------------------


def _most_alike(sample: Sample, candidates: list[Partition], count: int, rng: np.random.Generator) -> Partition:
    """Return the partition whose pieces differ least, among sources and from the whole, of which ``sample`` samples."""
    whole = features(sample(count, rng))
    while len(candidates) > 1:
        candidates = list(_sampled(candidates, count, rng))
        candidates.sort(key=lambda partition: partition.distance(whole))
        candidates = candidates[: max(1, len(candidates) // 3)]
        whole = np.vstack((whole, features(sample(count, rng))))
    return candidates[0]


def _sampled(candidates: Sequence[Partition], count: int, rng: np.random.Generator) -> Iterator[Partition]:
    """Sample more pieces of every partition that has such pieces; if none has, say why."""
    failure: HyperhedgeError | None = None
    successes = 0
    for partition in candidates:
        try:
            yield partition.sampled(count, rng)
            successes += 1
        except HyperhedgeError as error:
            failure = error
    if failure and not successes:
        raise failure


def _affordable(count: int, edges: int) -> int:
    return int(np.clip(_MOST_SAMPLED // edges, 8, count))


@dataclass(frozen=True)
class Verdict:
    """The two sources that differ most; ``str`` is the warning about them."""

    partition: Partition
    names: tuple[str, str]
    contrast: Contrast

    @classmethod
    def of(cls, partition: Partition, names: Sequence[str]) -> Verdict:
        """Compare the pieces of every two sources."""
        pairs = combinations(range(len(names)), 2)
        contrasts = {(i, j): contrast(partition.looks[i], partition.looks[j]) for i, j in pairs}
        i, j = max(contrasts, key=lambda pair: contrasts[pair].squared_distance)
        return cls(partition, (names[i], names[j]), contrasts[i, j])

    def __str__(self) -> str:
        seen, edges = self.contrast, min(source.m for source in self.partition.sources)
        return (
            f"the {self.names[0]} and {self.names[1]} sets of this leak-free split follow different laws, because {edges} "
            f"hyperedges each are too few to be balanced: real pieces of one are told from the other's with an AUC of about "
            f"{seen.auc:.2f} ({seen.feature} {seen.means[0]:.3g} and {seen.means[1]:.3g}); ask for fewer sets, smaller pieces or "
            "another seed, or read every score beside the floor of these sets"
        )
