"""Leak-free sources: what they have in common with each other and with the whole, by the metrics of the report."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hyperhedge as hh
from hyperhedge.data import SubhypergraphSampler
from hyperhedge.data.partition import _block_sizes, _blocks, deal, describe, partition_hyperedges
from hyperhedge.metrics.detectability import classifier_auc, detectability_score, permutation_p_value
from hyperhedge.metrics.statistics import statistics_of
from strategies import random_hypergraphs

BIG = random_hypergraphs(1, 200, 150, 0.03, seed=0)[0]


def contacts_like() -> hh.Hypergraph:
    """Contacts in a school: 327 pupils in nine classes, sizes 2 to 5, most within a class, some pupils busier."""
    rng = np.random.default_rng(0)
    classes, weights = rng.integers(9, size=327), rng.lognormal(0, 0.6, size=327)
    edges = set()
    while len(edges) < 2_000:
        within = weights * (classes == rng.integers(9)) if rng.random() < 0.85 else weights
        size = rng.choice([2, 3, 4, 5], p=[0.7, 0.27, 0.025, 0.005])
        edges.add(frozenset(rng.choice(327, size, replace=False, p=within / within.sum()).tolist()))
    return hh.Hypergraph(map(sorted, edges))


def committees_like() -> hh.Hypergraph:
    """Committees over many years: the size of the senate committees, each with the members of a stretch of years."""
    rng = np.random.default_rng(0)
    edges = []
    for _ in range(315):
        first, size = rng.integers(230), int(rng.gamma(9, 2)) + 4
        years = np.exp(-(((np.arange(282) - first - 26) / 26) ** 2))
        edges.append(rng.choice(282, size, replace=False, p=years / years.sum()).tolist())
    return hh.Hypergraph(edges)


def emails_like() -> hh.Hypergraph:
    """Messages: few senders write most of them, to circles of their own, in heavy-tailed sizes."""
    rng = np.random.default_rng(0)
    activity = rng.pareto(1.2, size=143) + 0.1
    closeness = rng.pareto(0.8, size=(143, 143)) ** 1.5 + 1e-6
    np.fill_diagonal(closeness, 0)
    edges = set()
    while len(edges) < 1_459:
        sender = rng.choice(143, p=activity / activity.sum())
        size = min(1 + rng.geometric(0.5) + (rng.random() < 0.04) * rng.integers(15), 30)
        circle = closeness[sender] / closeness[sender].sum()
        edges.add(frozenset([int(sender), *rng.choice(143, int(size), replace=False, p=circle).tolist()]))
    return hh.Hypergraph(map(sorted, edges))


LIKENESSES = {
    "contacts": (contacts_like, 32, 24),
    "committees": (committees_like, 32, 16),
    "emails": (emails_like, 32, 24),
}


def detectability(first, second, seed=0):
    """Score two collections as a report does, and return the p-value too."""
    first, second = statistics_of(first), statistics_of(second)
    rng = np.random.default_rng(seed)
    return detectability_score(classifier_auc(first, second, rng)), permutation_p_value(first, second, rng, 199)


@pytest.mark.filterwarnings("ignore:the pieces look unlike:hyperhedge.errors.DataWarning")
@pytest.mark.parametrize("name", LIKENESSES)
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.full) for seed in (1, 2, 3))])
def test_pieces_of_two_sets_follow_one_law(name, seed):
    """The counts are as unequal as users ask for; any warning that the sets differ is an error here."""
    make, n, m = LIKENESSES[name]
    H = make()
    dataset = hh.load_dataset(H)
    splits = dataset.splits(n, m, (1_200, 0, 80), leak_free=True, protocol="walk", seed=seed)
    score, p = detectability(splits.train[:80], splits.test)
    assert score > 0.75
    assert p > 0.01
    of_whole, _ = detectability(dataset.bank(n, m, 80, protocol="walk", seed=seed), splits.test)
    assert of_whole > 0.7


def sources_of(H, names, m, *, protocol="walk", seed=0, n=12):
    def sampler_of(source):
        sampler = SubhypergraphSampler(source, protocol=protocol)
        return lambda count, rng: [sampler.sample(n, m, rng) for _ in range(count)]

    return partition_hyperedges(H, names, sampler_of, m, local=protocol != "uniform", rng=np.random.default_rng(seed))


@pytest.mark.parametrize("protocol", ["uniform", "walk"])
@pytest.mark.parametrize("names", [("train",), ("train", "test"), ("train", "validation", "test")])
def test_sources_share_the_hyperedges_equally(names, protocol):
    sources = sources_of(BIG, names, 8, protocol=protocol)
    assert sorted(edge for source in sources for edge in source.edges) == sorted(BIG.edges)
    assert all(source.nodes == BIG.nodes for source in sources)
    sizes = [source.m for source in sources]
    assert max(sizes) - min(sizes) <= 12


@pytest.mark.filterwarnings("ignore:.* follow different laws:hyperhedge.errors.DataWarning")
def test_the_last_hyperedge_can_be_asked_for():
    sources = sources_of(BIG, ("train", "validation", "test"), 50, n=60, protocol="uniform")
    assert [source.m for source in sources] == [50, 50, 50]
    with pytest.raises(hh.errors.HyperhedgeError, match=r"need 153, and .* has 150 .*ask for at most 50 hyperedges"):
        sources_of(BIG, ("train", "validation", "test"), 51, n=60)


def test_empty_hyperedges_are_left_out():
    H = hh.Hypergraph([*BIG.hyperedges, [], []])
    assert sum(source.m for source in sources_of(H, ("train", "test"), 8)) == 150


def test_equal_hyperedges_stay_together():
    H = hh.Hypergraph([[k % 40, 40 + k % 40] for k in range(120)])  # each three times
    for seed in range(2):
        sources = sources_of(H, ("train", "validation", "test"), 10, protocol=("walk", "uniform")[seed % 2], seed=seed)
        contents = [set(source.hyperedges) for source in sources]
        assert sum(map(len, contents)) == 40
        assert sum(source.m for source in sources) == 120


def test_too_many_equal_hyperedges_cannot_be_split():
    H = hh.Hypergraph([[0, 1]] * 30 + [[k, k + 1] for k in range(2, 12)])
    with pytest.raises(hh.errors.HyperhedgeError, match="equal hyperedges stay together and too many are equal"):
        sources_of(H, ("train", "test"), 20)


def test_sources_that_cannot_be_alike_are_pointed_out():
    """One hyperedge of 60 nodes is in one source or the other, and every third piece has it."""
    H = hh.Hypergraph([*([k, k + 1] for k in range(0, 40, 2)), range(100, 160)])
    with pytest.warns(
        hh.errors.DataWarning, match=r"train and test sets .* told .* with an AUC of about [01]\.\d\d \(.*ask for"
    ):
        sources_of(H, ("train", "test"), 8, protocol="uniform", n=40)


def test_what_no_source_can_be_sampled_for_is_an_error():
    H = hh.Hypergraph([[k, 100 + k] for k in range(40)])
    with pytest.raises(hh.errors.HyperhedgeError, match="ask for at least 10 nodes, or for fewer hyperedges"):
        sources_of(H, ("train", "test"), 10, n=5)


def test_neighbourhoods_are_kept_where_overlaps_matter():
    """In a ring, single hyperedges would lose half of the overlaps, and both sources would be alike all the same."""
    ring = hh.Hypergraph([[k, (k + 1) % 600] for k in range(600)])
    sources = sources_of(ring, ("train", "test"), 8, n=9)
    assert sum(source.overlaps.nnz // 2 for source in sources) > 0.8 * 600


def test_descriptors_are_centred_and_uncorrelated():
    X = describe(BIG)
    assert X.mean(axis=0) == pytest.approx(np.zeros(X.shape[1]), abs=1e-9)
    assert X.T @ X / BIG.m == pytest.approx(np.eye(X.shape[1]), abs=1e-6)
    assert describe(hh.Hypergraph([[0, 1], [2, 3]])).shape == (2, 0)  # all alike: nothing to balance


@given(st.lists(st.integers(1, 4), min_size=3, max_size=60), st.integers(1, 20), st.integers(1, 3))
def test_blocks_hold_everything_in_order_and_equal_hyperedges_once(lengths, size, count):
    copies, start = [], 0
    for length in lengths:
        copies.append(list(range(start, start + length)))
        start += length
    blocks = _blocks(copies, size, count)
    assert len(blocks) % count == 0
    assert [edge for block in blocks for edge in block] == list(range(start))
    block_of = {edge: k for k, block in enumerate(blocks) for edge in block}
    assert all(len({block_of[edge] for edge in edges}) == 1 for edges in copies)


def test_blocks_are_dealt_out_evenly_and_better_than_at_random():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(300, 4))
    blocks = [[k] for k in range(300)]

    def imbalance(dealt):
        return np.linalg.norm(X[dealt[0]].sum(axis=0) - X[dealt[1]].sum(axis=0))

    dealt = deal(blocks, X, 2, rng)
    assert sorted(dealt[0] + dealt[1]) == list(range(300))
    assert len(dealt[0]) == 150
    at_random = [imbalance(np.split(rng.permutation(300), 2)) for _ in range(200)]
    assert imbalance(dealt) < np.quantile(at_random, 0.05)
    assert deal(blocks, X, 2, rng) != dealt  # other partitions take part in the contest


def test_block_sizes_leave_every_source_a_few():
    assert _block_sizes(16, 10_000) == [1, 8, 32, 128, 512]
    assert _block_sizes(16, 150) == [1, 8, 32]
    assert _block_sizes(1, 3) == [1]
