"""Sampling subhypergraphs: what always holds, and the laws of the protocols by enumeration."""

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from hyperhedge import Hypergraph
from hyperhedge.data import SubhypergraphSampler
from hyperhedge.errors import HyperhedgeError
from strategies import hypergraphs

protocols = st.sampled_from(["uniform", "walk", "snowball"])


def test_all_that_is_promised_on_a_real_size():
    rng = np.random.default_rng(0)
    H = Hypergraph.from_indices(rng.integers(0, 300, 900), rng.integers(0, 200, 900), nodes=300, edges=200)
    for protocol in ("uniform", "walk", "snowball"):
        sampler = SubhypergraphSampler(H, protocol=protocol)
        for _ in range(50):
            G = sampler.sample(40, 20, rng)
            assert (G.n, G.m) == (40, 20)
            assert G.edge_sizes.min() >= 1
            assert H.subhypergraph(nodes=G.nodes, edges=G.edges) == G


@given(hypergraphs(), protocols, st.sampled_from(["degree", "uniform"]), st.data())
def test_the_result_is_a_submatrix_without_empty_columns(H, protocol, trim, data):
    usable = int((H.edge_sizes > 0).sum())
    assume(usable)
    m = data.draw(st.integers(1, usable))
    n = data.draw(st.integers(1, H.n))
    sampler = SubhypergraphSampler(H, protocol=protocol, trim=trim, restart=data.draw(st.floats(0, 1)))
    try:
        G = sampler.sample(n, m, np.random.default_rng(data.draw(st.integers(0, 99))))
    except HyperhedgeError as error:
        assert "were met by" in str(error)  # noqa: PT017 - some requests cannot be met
        return
    assert (G.n, G.m) == (n, m)
    assert G.edge_sizes.min() >= 1
    assert H.subhypergraph(nodes=G.nodes, edges=G.edges) == G


def test_uniform_hyperedges_are_uniform():
    H = Hypergraph([[0], [1], [2], [3], []], nodes=4)
    sampler, rng = SubhypergraphSampler(H), np.random.default_rng(0)
    pairs = dict.fromkeys(combinations(range(4), 2), 0)  # the empty one is never sampled
    for _ in range(3000):
        pairs[tuple(sampler.sample(2, 2, rng).edges)] += 1
    assert stats.chisquare(list(pairs.values())).pvalue > 0.001


@pytest.mark.parametrize("trim", ["degree", "uniform"])
def test_the_trim_samples_by_degree(trim):
    """Three nodes of a path, whose degrees are 1, 2, 2, 1: whichever is left out, no hyperedge is empty.

    The chances are those of successive choices, by enumeration of their orders.
    """
    H = Hypergraph([["a", "b"], ["b", "c"], ["c", "d"]])
    weights = dict(zip("abcd", (1, 2, 2, 1) if trim == "degree" else (1, 1, 1, 1), strict=True))
    expected = dict.fromkeys("abcd", 0.0)
    for order in permutations("abcd"):
        left, probability = sum(weights.values()), 1.0
        for node in order[:3]:
            probability *= weights[node] / left
            left -= weights[node]
        expected[order[3]] += probability
    rng, count = np.random.default_rng(0), 4000
    counts = dict.fromkeys("abcd", 0)
    sampler = SubhypergraphSampler(H, trim=trim)
    for _ in range(count):
        (left_out,) = set("abcd") - set(sampler.sample(3, 3, rng).nodes)
        counts[left_out] += 1
    assert stats.chisquare(list(counts.values()), [count * p for p in expected.values()]).pvalue > 0.001


def test_a_walk_takes_neighbours_and_a_restart_does_not():
    """Two far parts: without restarts both hyperedges come from one of them, with restarts from either."""
    H = Hypergraph([[0, 1], [1, 2], [10, 11], [11, 12]])
    rng = np.random.default_rng(0)

    def share_together(restart):
        sampler = SubhypergraphSampler(H, protocol="walk", restart=restart)
        samples = [set(sampler.sample(2, 2, rng).edges) for _ in range(600)]
        return np.mean([edges in ({0, 1}, {2, 3}) for edges in samples])

    assert share_together(0.0) == 1.0
    # With a restart every time, the second hyperedge is one of the three others alike.
    assert abs(share_together(1.0) - 1 / 3) < 4 * np.sqrt(2 / 9 / 600)


def test_a_walk_steps_as_a_markov_chain():
    """From hyperedge {0, 1} of a star: the next hyperedge's law is that of member, then hyperedge, both uniform."""
    H = Hypergraph([[0, 1], [0, 2], [0, 3], [1, 4]])
    sampler, rng = SubhypergraphSampler(H, protocol="walk", restart=0.0), np.random.default_rng(0)
    counts = np.zeros(4)
    for _ in range(6000):
        visits = sampler._walk(rng)
        first, second = next(visits), next(visits)
        if first == 0:
            counts[second] += 1
    expected = counts.sum() * np.array([1 / 2 * 1 / 3 + 1 / 2 * 1 / 2, 1 / 6, 1 / 6, 1 / 4])
    assert stats.chisquare(counts, expected).pvalue > 0.001


def test_a_snowball_goes_ring_by_ring():
    H = Hypergraph([[0, 1], [1, 2], [2, 3], [3, 4], [4, 5]])  # a path
    rng = np.random.default_rng(0)
    for _ in range(30):
        edges = SubhypergraphSampler(H, protocol="snowball").sample(4, 3, rng).edges
        assert max(edges) - min(edges) == 2


def test_walks_and_snowballs_go_on_elsewhere():
    H = Hypergraph([[k] for k in range(10)])
    for protocol in ("walk", "snowball"):
        sampler = SubhypergraphSampler(H, protocol=protocol, restart=0.0)
        G = sampler.sample(10, 10, np.random.default_rng(0))
        assert G == H
        assert sorted(sampler.order(np.random.default_rng(1))) == list(range(10))


def test_isolated_nodes_by_policy():
    H = Hypergraph([[0, 1], [1, 2]], nodes=6)
    rng = np.random.default_rng(0)
    padded = SubhypergraphSampler(H).sample(5, 2, rng)
    assert int((padded.degrees == 0).sum()) == 2
    with pytest.raises(HyperhedgeError, match="the most being 3; ask for at most 3 nodes"):
        SubhypergraphSampler(H, isolated="avoid").sample(5, 2, rng)
    assert SubhypergraphSampler(H, isolated="avoid").sample(3, 2, rng).degrees.min() == 1


def test_samples_are_the_same_on_every_processor(monkeypatch):
    """In what order a partition leaves its parts is numpy's choice, and differs with the processor's vector instructions."""
    rng = np.random.default_rng(0)
    H = Hypergraph.from_indices(rng.integers(0, 60, 150), rng.integers(0, 50, 150), nodes=60, edges=50)

    def samples():
        rng = np.random.default_rng(1)
        return [SubhypergraphSampler(H).sample(16, 12, rng) for _ in range(30)]

    def other_partition(values, k):
        order = np.argsort(values)
        return np.concatenate((order[:k][::-1], order[k:]))

    here = samples()
    monkeypatch.setattr(np, "argpartition", other_partition)
    assert samples() == here


def test_two_samples_differ_unless_they_are_seeded():
    H = Hypergraph([[k, k + 1] for k in range(40)])
    for protocol in ("uniform", "walk", "snowball"):
        sampler = SubhypergraphSampler(H, protocol=protocol)
        assert len({sampler.sample(12, 10) for _ in range(5)}) > 1
        assert len({sampler.sample(12, 10, seed=4) for _ in range(5)}) == 1
        assert len({tuple(sampler.order()) for _ in range(5)}) > 1


def test_what_would_fit_fits():
    H = Hypergraph([[k, k + 1] for k in range(0, 20, 2)])  # ten disjoint hyperedges
    rng = np.random.default_rng(0)
    with pytest.raises(HyperhedgeError, match="ask for at least 6 nodes, or for fewer hyperedges"):
        SubhypergraphSampler(H).sample(5, 6, rng)
    assert SubhypergraphSampler(H).sample(6, 6, rng).edge_sizes.tolist() == [1] * 6


@pytest.mark.parametrize(
    ("options", "n", "m", "what"),
    [
        ({"protocol": "random"}, 1, 1, "protocol must be one of uniform, walk, snowball"),
        ({"trim": "no"}, 1, 1, "trim"),
        ({"isolated": "no"}, 1, 1, "isolated"),
        ({"restart": 1.5}, 1, 1, "restart is a probability"),
        ({}, 0, 1, "at least one node"),
        ({}, 1, 0, "at least one node"),
        ({}, 4, 1, "ask for at most 3"),
        ({}, 1, 3, "ask for at most 2"),
    ],
)
def test_bad_requests_say_what_would_fit(options, n, m, what):
    H = Hypergraph([[0, 1], [1, 2], []], nodes=3)
    with pytest.raises(HyperhedgeError, match=what):
        SubhypergraphSampler(H, **options).sample(n, m, np.random.default_rng(0))
