"""Hy-MMSBM: rates and likelihood by plain sums, inference beside hypergraphx, and both samplers against enumerated laws."""

import io
import itertools
import json
import math
import sys
import time
from collections import Counter
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console
from safetensors.numpy import load_file, save_file
from scipy import stats
from sklearn.metrics import adjusted_rand_score

import hyperhedge as hh
from hyperhedge._system.memory import memory_limit
from hyperhedge._system.progress import Meter
from hyperhedge.errors import FormatError, GeneratorError, MemoryLimitError, MissingDependencyError
from hyperhedge.models.hy_mmsbm import HyMMSBM, inference
from hyperhedge.models.hy_mmsbm import model as model_module
from hyperhedge.models.hy_mmsbm.inference import infer
from hyperhedge.models.hy_mmsbm.rates import expected_hyperedges, log_kappa, log_likelihood, pair_rates
from hyperhedge.models.hy_mmsbm.sampling import Chain, _pairs, _trade, free_hyperedges, least_rate
from hyperhedge.models.repeats import has_repeats
from peak_memory import peak
from strategies import hypergraphs, random_hypergraphs

QUICK = {"communities": 2, "iterations": 20, "restarts": 2, "sweeps": 20, "seed": 0}


def parameters(n, communities, seed=0):
    """Return memberships, some of them zero, and an affinity."""
    rng = np.random.default_rng(seed)
    u = rng.exponential(size=(n, communities)) * (rng.random((n, communities)) < 0.8)
    w = rng.exponential(size=(communities, communities))
    return u, w + w.T


def sum_over_pairs(nodes, u, w):
    return sum(u[i] @ w @ u[j] for i, j in itertools.combinations(nodes, 2))


def rate_of(nodes, u, w):
    n, d = len(u), len(nodes)
    return sum_over_pairs(nodes, u, w) / (d * (d - 1) / 2 * math.comb(n - 2, d - 2))


def subsets(n, sizes):
    return [nodes for d in sizes for nodes in itertools.combinations(range(n), d)]


def flat(lists):
    return np.array([v for nodes in lists for v in nodes]), np.cumsum([0, *map(len, lists)])


def inferred(H, communities=2, *, seed=0, assortative=True, iterations=100, restarts=1):
    rng = np.random.default_rng(seed)
    options = {"assortative": assortative, "iterations": iterations, "restarts": restarts}
    return infer(H, communities, rng, advance=lambda: None, **options)


# -- rates and likelihood ----------------------------------------------------------------------------


@settings(max_examples=30)
@given(st.integers(2, 7), st.integers(1, 4), st.integers(0, 100))
def test_rates_are_sums_over_pairs(n, communities, seed):
    u, w = parameters(n, communities, seed)
    every = subsets(n, range(2, n + 1))
    lambdas = pair_rates(*flat(every), u, w)
    np.testing.assert_allclose(lambdas, [sum_over_pairs(nodes, u, w) for nodes in every], atol=1e-12)
    rates = lambdas / np.exp(log_kappa(np.array([len(nodes) for nodes in every]), n))
    np.testing.assert_allclose(rates, [rate_of(nodes, u, w) for nodes in every], atol=1e-12)
    for largest in range(2, n + 1):
        total = sum(rate for nodes, rate in zip(every, rates, strict=True) if len(nodes) <= largest)
        assert expected_hyperedges(u, w, largest) == pytest.approx(total, abs=1e-12)


def test_no_pair_is_lost_beside_a_large_membership():
    u = np.array([[1e12, 0.0], [1e-6, 1.0], [1e-6, 1.0], [0.0, 2.0]])
    w = np.diag([1e-12, 1.0])
    nodes = (0, 1, 2, 3)
    np.testing.assert_allclose(pair_rates(*flat([nodes]), u, w), [5 + 2e-6], rtol=1e-12)
    assert expected_hyperedges(u, w, 2) == pytest.approx(5 + 2e-6, rel=1e-12)


def test_the_likelihood_is_that_of_independent_poisson_numbers():
    u, w = parameters(6, 3, seed=4)
    u += 0.1
    occurrences = {(0, 1): 2, (2, 3, 5): 1, (1, 2, 3, 4): 3}
    expected = sum(
        stats.poisson.logpmf(occurrences.get(nodes, 0), rate_of(nodes, u, w)) for nodes in subsets(6, (2, 3, 4))
    )
    assert log_likelihood(list(occurrences), np.array([2, 1, 3]), u, w) == pytest.approx(expected)


def test_what_cannot_occur_has_no_likelihood():
    u = np.array([[1.0, 0.0], [0.0, 1.0]])
    assert log_likelihood([(0, 1)], np.array([1]), u, np.eye(2)) == -np.inf


# -- inference -----------------------------------------------------------------------------------------

(GROUPS,) = random_hypergraphs(1, 14, 30, 0.2, seed=3)


def updated_by_plain_sums(H, u, w):
    """One step of expectation and maximisation, first for the affinity and then for the memberships."""
    members = [e for e in map(tuple, H.relabel(nodes=range(H.n), edges=range(H.m)).hyperedges) if len(e) > 1]
    n, K = u.shape
    constant = sum(2 / (d * (d - 1)) for d in range(2, max(map(len, members)) + 1))
    lambdas = [sum_over_pairs(e, u, w) for e in members]
    new_w = np.zeros_like(w)
    for a, b in itertools.product(range(K), repeat=2):
        both = {(i, j): u[i, a] * u[j, b] + u[i, b] * u[j, a] for i, j in itertools.combinations(range(n), 2)}
        explained = sum(
            sum(both[pair] for pair in itertools.combinations(sorted(e), 2)) / rate
            for e, rate in zip(members, lambdas, strict=True)
        )
        new_w[a, b] = w[a, b] * explained / (constant * sum(both.values()))
    lambdas = [sum_over_pairs(e, u, new_w) for e in members]
    new_u = np.zeros_like(u)
    for i, a in itertools.product(range(n), range(K)):
        explained = sum(
            sum(new_w[a] @ u[j] for j in e if j != i) / rate for e, rate in zip(members, lambdas, strict=True) if i in e
        )
        new_u[i, a] = u[i, a] * explained / (constant * sum(new_w[a] @ u[j] for j in range(n) if j != i))
    return new_u, new_w


@pytest.mark.parametrize("assortative", [True, False])
def test_a_step_is_that_of_the_paper(assortative):
    before = inferred(GROUPS, 3, assortative=assortative, iterations=4)
    after = inferred(GROUPS, 3, assortative=assortative, iterations=5)
    u, w = updated_by_plain_sums(GROUPS, before.u, before.w)
    np.testing.assert_allclose(after.u @ after.w @ after.u.T, u @ w @ u.T, rtol=1e-8, atol=1e-14)
    np.testing.assert_array_equal(after.w, after.w.T)
    assert np.count_nonzero(np.triu(after.w, 1)) == (0 if assortative else 3)


def test_every_step_raises_the_likelihood():
    likelihoods = [inferred(GROUPS, 3, iterations=k).log_likelihood for k in (1, 2, 3, 5, 9, 17, 33, 65)]
    assert all(one < other for one, other in itertools.pairwise(likelihoods))


def test_as_many_hyperedges_are_expected_as_there_are():
    found = inferred(GROUPS, 3)
    every = subsets(GROUPS.n, range(2, GROUPS.edge_sizes.max() + 1))
    total = sum(rate_of(nodes, found.u, found.w) for nodes in every)
    assert total == pytest.approx((GROUPS.edge_sizes > 1).sum(), rel=1e-6)


def test_it_is_what_hypergraphx_infers():
    """Side by side: told the largest size, hypergraphx finds the same rates; its own likelihood lacks a constant."""
    import hypergraphx as hgx
    from hypergraphx.communities.hy_mmsbm.model import HyMMSBM as Theirs
    from hypergraphx.linalg.linalg import binary_incidence_matrix

    hyperedges = [tuple(nodes) for nodes in GROUPS.hyperedges if len(nodes) > 1]
    counts = Counter(hyperedges)
    theirs = hgx.Hypergraph(weighted=True)
    theirs.add_nodes(list(range(GROUPS.n)))
    theirs.add_edges(list(counts), weights=list(counts.values()))
    found = inferred(GROUPS, 3, seed=5)
    seed = int(np.random.default_rng(5).integers(0, 1 << 32, size=1)[0])
    largest = max(map(len, hyperedges))
    model = Theirs(K=3, assortative=True, max_hye_size=largest, w_prior=0.0, seed=seed)
    model.fit(theirs, n_iter=100)
    rates = model.poisson_params(binary_incidence_matrix(theirs))
    np.testing.assert_allclose(pair_rates(*flat(list(counts)), found.u, found.w), rates, rtol=1e-9)
    # What their likelihood leaves out depends on data alone, so both choose the same restart.
    m, constant = len(hyperedges), 2 - 2 / largest
    kappas = sum(times * log_kappa(np.array([len(e)]), GROUPS.n)[0] for e, times in counts.items())
    repeats = sum(math.lgamma(times + 1) for times in counts.values())
    ours = found.log_likelihood + kappas + repeats + m - m / constant
    assert ours == pytest.approx(model.log_likelihood(theirs))


def test_the_best_restart_counts():
    likelihoods = []
    for seed in np.random.default_rng(9).integers(0, 1 << 32, size=6).tolist():
        occurrences = inference._occurrences(GROUPS)
        theirs, order = inference._as_theirs(GROUPS.n, occurrences)
        u, w = inference._fitted(theirs, 3, max(map(len, occurrences)), True, 30, seed)
        likelihoods.append(log_likelihood(list(occurrences), np.array(list(occurrences.values())), u[order], w))
    assert len({round(value, 3) for value in likelihoods}) > 1
    assert inferred(GROUPS, 3, seed=9, iterations=30, restarts=6).log_likelihood == pytest.approx(max(likelihoods))


def test_repeated_hyperedges_count_as_often_as_they_occur():
    once, twice = hh.Hypergraph([[0, 1], [1, 2], [2, 3]]), hh.Hypergraph([[0, 1], [2, 1], [1, 2], [2, 3], [3]])
    assert inference._occurrences(once) == {(0, 1): 1, (1, 2): 1, (2, 3): 1}
    assert inference._occurrences(twice) == {(0, 1): 1, (1, 2): 2, (2, 3): 1}


def test_an_inference_that_fails_is_passed_over_and_many_are_refused(monkeypatch):
    fitted, calls = inference._fitted, []

    def fails_first(*arguments):
        u, w = fitted(*arguments)
        calls.append(1)
        return (u * np.nan, w) if len(calls) == 1 else (u, w)

    monkeypatch.setattr(inference, "_fitted", fails_first)
    assert np.isfinite(inferred(GROUPS, 2, restarts=2).log_likelihood)
    monkeypatch.setattr(inference, "_fitted", lambda *arguments: (fitted(*arguments)[0] * np.inf, np.eye(2)))
    with pytest.raises(GeneratorError, match="none of 2 inferences of 2 communities ended in numbers; give fewer"):
        inferred(GROUPS, 2, restarts=2)


def test_a_hypergraph_without_pairs_has_no_communities():
    found = inferred(hh.Hypergraph([[0], [], [1]], nodes=4), 3)
    assert found.u.shape == (4, 3)
    assert not found.u.any()
    assert not found.w.any()
    assert found.log_likelihood == 0.0


def planted(seed, groups=3, each=20, mixing=0.02):
    labels = np.repeat(np.arange(groups), each)
    u = np.eye(groups)[labels] + mixing
    rng = np.random.default_rng(seed)
    nodes, edges = free_hyperedges(u, np.eye(groups), rng.integers(2, 5, size=600), rng)
    return labels, hh.Hypergraph.from_indices(nodes, edges, nodes=len(labels), edges=600)


@pytest.mark.parametrize("assortative", [True, False])
def test_planted_communities_are_recovered(assortative):
    labels, H = planted(seed=1)
    model = HyMMSBM(communities=3, assortative=assortative, seed=0).fit([H])
    assert adjusted_rand_score(labels, model.memberships_[0].argmax(axis=1)) > 0.9
    (S,) = model.sample(seed=1)
    again = HyMMSBM(communities=3, seed=0).fit([S]).memberships_[0].argmax(axis=1)
    assert adjusted_rand_score(labels, again) > 0.9
    (shuffled,) = hh.ConfigurationModel().fit([H]).sample(seed=1)
    lost = HyMMSBM(communities=3, seed=0).fit([shuffled]).memberships_[0].argmax(axis=1)
    assert adjusted_rand_score(labels, lost) < 0.3


# -- given the sizes -------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_the_law_given_the_size(size):
    u, w = parameters(5, 2, seed=1)
    u[3] = 0.0
    count = 20_000
    nodes, edges = free_hyperedges(u, w, np.full(count, size), np.random.default_rng(0))
    np.testing.assert_array_equal(edges, np.repeat(np.arange(count), size))
    seen = Counter(tuple(sorted(e)) for e in nodes.reshape(count, size).tolist())
    law = {e: sum_over_pairs(e, u, w) for e in subsets(5, [size])}
    law = {e: rate / sum(law.values()) for e, rate in law.items() if rate > 0}
    assert set(seen) <= set(law)
    if len(law) > 1:
        assert stats.chisquare([seen[e] for e in law], [count * p for p in law.values()]).pvalue > 1e-3


def test_expected_pairs_given_the_sizes():
    """A pair is in a hyperedge of d nodes with a probability in closed form; sizes mixed, the smallest among them."""
    n, sizes = 7, np.array([0, 1, 2, 3, 5])
    u, w = parameters(n, 3, seed=2)
    rates = np.triu(u @ w @ u.T, 1)
    rates += rates.T
    total, degree = rates.sum() / 2, rates.sum(axis=1)
    expected = np.zeros((n, n))
    for d in sizes[2:].tolist():
        # The pair of rates is the pair; or shares one node with it; or none.
        one = degree[:, None] + degree[None, :] - 2 * rates
        none = total - rates - one
        expected += (rates + one * (d - 2) / (n - 2)) / total
        expected += none * ((d - 2) * (d - 3) / ((n - 2) * (n - 3))) / total
    np.fill_diagonal(expected, 0)
    repeats = 6000
    nodes, edges = free_hyperedges(u, w, np.tile(sizes, repeats), np.random.default_rng(1))
    B = hh.Hypergraph.from_indices(nodes, edges, nodes=n, edges=len(sizes) * repeats).incidence.astype(float)
    pairs = (B @ B.T).toarray() / repeats
    np.fill_diagonal(pairs, 0)
    np.testing.assert_allclose(pairs, expected, atol=4.5 * np.sqrt(3 / 4 / repeats))


@settings(max_examples=40)
@given(st.integers(1, 9), st.lists(st.integers(0, 9), max_size=8), st.integers(0, 50), st.booleans())
def test_hyperedges_have_their_sizes_and_no_node_twice(n, sizes, seed, empty):
    u, w = parameters(n, 2, seed)
    sizes = np.minimum(np.array(sizes, dtype=np.int64), n)
    nodes, edges = free_hyperedges(np.zeros_like(u) if empty else u, w, sizes, np.random.default_rng(seed))
    members = [nodes[edges == e].tolist() for e in range(len(sizes))]
    assert [len(set(e)) for e in members] == sizes.tolist()
    assert not len(nodes) or 0 <= nodes.min() <= nodes.max() < n


def test_the_second_of_a_pair_is_never_the_first():
    """However large the first, in whichever community, at whichever end."""
    for hub in (0, 2, 4):
        u = np.full((5, 2), 1e-9)
        u[hub] = 1e9, 1e9
        u[(hub + 1) % 5] = 2e-9
        first, second = _pairs(u, np.eye(2), 4000, np.random.default_rng(0))
        assert (first != second).all()
        assert ((first == hub) | (second == hub)).all()
        others = np.bincount(first + second - hub, minlength=5)
        share = np.full(5, 0.2)
        share[hub], share[(hub + 1) % 5] = 0, 0.4
        kept = share > 0
        assert stats.chisquare(others[kept], 4000 * share[kept]).pvalue > 1e-3


# -- given sizes and degrees -------------------------------------------------------------------------------

TINY = hh.Hypergraph([[0, 1], [1, 2], [0, 1, 3], [2], []], nodes=5)


def matrices_like(H):
    """List the hyperedges of all matrices with the degrees and sizes of a hypergraph."""
    choices = [list(itertools.combinations(range(H.n), size)) for size in H.edge_sizes.tolist()]
    degrees = H.degrees.tolist()
    for edges in itertools.product(*choices):
        if np.bincount([v for e in edges for v in e], minlength=H.n).tolist() == degrees:
            yield edges


@pytest.mark.parametrize("repeats", [True, False])
def test_the_law_given_sizes_and_degrees(repeats):
    H = hh.Hypergraph([[0, 1], [0, 2], [1, 3, 4], [2]]) if not repeats else TINY
    u, w = parameters(H.n, 2, seed=3)
    u += 0.2
    least = float(np.quantile(np.triu(u @ w @ u.T, 1)[np.triu_indices(H.n, 1)], 0.3))  # raises some
    law = {
        edges: math.prod(max(sum_over_pairs(e, u, w), least) for e in edges if len(e) > 1)
        for edges in matrices_like(H)
        if repeats or len(set(edges)) == len(edges)
    }
    chain = Chain(H, u, w, least=least, repeats=repeats, rng=np.random.default_rng(1))
    seen, count = Counter(), 8000
    for _ in range(count):
        chain.advance(15)
        seen[tuple(tuple(e) for e in chain.hypergraph.hyperedges)] += 1
    assert set(seen) <= set(law)
    assert len(law) > 10
    total = sum(law.values())
    assert stats.chisquare([seen[e] for e in law], [count * p / total for p in law.values()]).pvalue > 1e-3
    assert chain.proposed == count * 15 * (H.edge_sizes > 0).sum()
    assert 0.1 < chain.accepted / chain.proposed < 0.9


def test_a_trade_deals_out_uniformly():
    members, indptr = np.array([0, 5, 1, 2, 5, 3, 4]), np.array([0, 3, 7])
    mark, pool, new = np.zeros(6, dtype=np.int64), np.zeros(8, dtype=np.int64), np.zeros(8, dtype=np.int64)
    random, seen = np.arange(1, 5, dtype=np.uint64), Counter()
    for stamp in range(1, 20_001):
        assert _trade(members, indptr, 0, 1, mark, stamp, pool, new, random)
        assert sorted(new[:7].tolist()) == [0, 1, 2, 3, 4, 5, 5]
        seen[frozenset(new[:3].tolist())] += 1
    assert len(seen) == 10
    assert all(5 in e for e in seen)
    assert stats.chisquare(list(seen.values())).pvalue > 1e-3
    assert not _trade(np.array([0, 1, 0]), np.array([0, 2, 3]), 0, 1, mark, 20_001, pool, new, random)
    assert not _trade(np.array([0, 1, 0]), np.array([0, 2, 3]), 1, 0, mark, 20_002, pool, new, random)


def test_two_hyperedges_always_trade_with_each_other():
    H = hh.Hypergraph([[0], [1]])
    chain = Chain(H, np.zeros((2, 1)), np.eye(1), least=1.0, repeats=True, rng=np.random.default_rng(0))
    chain.advance(50)
    assert chain.accepted == chain.proposed == 100


def test_the_law_is_the_poisson_law_given_its_margins():
    """Independent Poisson numbers, of which only those with the margins count: as many matrices as there are orders."""
    H = hh.Hypergraph([[0, 1], [0, 1], [2, 3]])
    u, w = parameters(4, 2, seed=6)
    u += 0.2
    law = Counter()
    for edges in matrices_like(H):
        law[tuple(sorted(edges))] += math.prod(sum_over_pairs(e, u, w) for e in edges)
    pairs = subsets(4, [2])
    poisson = {}
    for edges in law:
        counts = Counter(edges)
        poisson[edges] = math.exp(sum(stats.poisson.logpmf(counts.get(e, 0), rate_of(e, u, w)) for e in pairs))
    for edges, weight in law.items():
        assert weight / sum(law.values()) == pytest.approx(poisson[edges] / sum(poisson.values()))


@settings(max_examples=40)
@given(hypergraphs(max_nodes=9, max_edges=9), st.integers(0, 50))
def test_a_chain_keeps_degrees_and_sizes_and_knows_its_weight(H, seed):
    H = H.relabel(nodes=range(H.n), edges=range(H.m))
    u, w = parameters(H.n, 2, seed)
    chain = Chain(H, u, w, least=1e-3, repeats=True, rng=np.random.default_rng(seed))
    chain.advance(5)
    S = chain.hypergraph
    assert S.degrees.tolist() == H.degrees.tolist()
    assert S.edge_sizes.tolist() == H.edge_sizes.tolist()
    weight = sum(math.log(max(sum_over_pairs(e, u, w), 1e-3)) for e in S.hyperedges if len(e) > 1)
    assert chain.log_weight == pytest.approx(weight, abs=1e-8)


def test_a_chain_leaves_a_hypergraph_that_cannot_occur():
    u = np.eye(2)[[0, 0, 0, 1, 1, 1]]
    H = hh.Hypergraph([[0, 3], [1, 4], [2, 5], [0, 4], [1, 5], [2, 3]])
    possible = hh.Hypergraph([[0, 1], [3, 4]], nodes=6)
    least = least_rate(possible, u, np.eye(2))
    assert least == 1e-9
    assert least_rate(hh.Hypergraph([[0, 1], [0, 1, 2], [3]], nodes=6), u, np.eye(2)) == pytest.approx(2e-9)
    assert least_rate(hh.Hypergraph([[0]]), np.zeros((1, 2)), np.eye(2)) == 1.0
    chain = Chain(H, u, np.eye(2), least=least, repeats=True, rng=np.random.default_rng(0))
    assert chain.log_weight == pytest.approx(6 * math.log(1e-9))
    chain.advance(200)
    assert chain.log_weight == 0.0
    assert all(max(e) < 3 or min(e) > 2 for e in chain.hypergraph.hyperedges)


def test_it_is_faster_than_hypergraphx_and_samples_the_same_law(capsys):
    """Side by side: the mean of a statistic under both samplers, and the time of a proposal."""
    from hypergraphx import Hypergraph as Theirs
    from hypergraphx.generation.hy_mmsbm_sampling import HyMMSBMSampler

    _, H = planted(seed=2, each=10, mixing=0.1)
    H = H.subhypergraph(edges=list(range(60)))
    H = hh.Hypergraph(sorted({tuple(sorted(e)) for e in H.hyperedges}), nodes=30)
    u = np.eye(3)[np.repeat(np.arange(3), 10)] + 0.1
    w = np.eye(3) / 1000  # so that their multiplicities, which are not those of the law, do not matter
    order = sorted(range(30), key=str)  # in which hypergraphx has the nodes
    theirs = Theirs(weighted=True)
    theirs.add_nodes(list(range(30)))
    theirs.add_edges([tuple(e) for e in H.hyperedges], weights=[1] * H.m)
    sampler = HyMMSBMSampler(u=u[order], w=w, max_hye_size=4, burn_in_steps=1000, intermediate_steps=60, seed=0)

    def inside(hyperedges):
        return np.mean([len({v // 10 for v in e}) == 1 for e in set(map(tuple, hyperedges))])  # theirs are distinct

    start = time.perf_counter()
    samples = itertools.islice(sampler.sample(initial_hyg=theirs), 60)
    their_share = [inside([tuple(map(int, e)) for e in S.get_edges()]) for S in samples]
    their_time = (time.perf_counter() - start) / 4600
    chain = Chain(H, u, w, least=1e-9, repeats=True, rng=np.random.default_rng(0))
    chain.advance(1)
    start, our_share = time.perf_counter(), []
    for _ in range(400):
        chain.advance(20)
        our_share.append(inside(chain.hypergraph.hyperedges))
    our_time = (time.perf_counter() - start) / (chain.proposed - H.m)
    with capsys.disabled():
        print(f"\ninside a community: {np.mean(our_share):.3f} here, {np.mean(their_share):.3f} hypergraphx", end="; ")
        print(f"{1e6 * our_time:.1f} µs a proposal here, {1e6 * their_time:.0f} µs there", end=" ")
    # Their samples are a sweep apart, and so count about a third.
    error = math.hypot(np.std(our_share) / math.sqrt(400), np.std(their_share) / math.sqrt(20))
    assert abs(np.mean(our_share) - np.mean(their_share)) < 4 * error
    assert our_time * 5 < their_time


# -- the model -------------------------------------------------------------------------------------------


@settings(max_examples=15, deadline=None)
@given(hypergraphs(max_nodes=9, max_edges=9), st.sampled_from(["exact", "model"]), st.integers(0, 50))
def test_samples_keep_sizes_and_degrees(H, degrees, seed):
    (S,) = HyMMSBM(degrees=degrees, **QUICK).fit([H]).sample(seed=seed)
    assert S.edge_sizes.tolist() == H.edge_sizes.tolist()
    assert S.n == H.n
    if degrees == "exact":
        assert S.degrees.tolist() == H.degrees.tolist()


def test_communities_come_back_and_no_hyperedges():
    labels, H = planted(seed=3)

    def inside(S):
        return np.mean([len(set(labels[list(e)].tolist())) == 1 for e in S.hyperedges])

    model = HyMMSBM(communities=3, seed=0).fit([H])
    shares = [inside(S) for S in model.sample(3, seed=1)]
    assert np.allclose(shares, inside(H), atol=0.1)
    assert inside(model.set_params(sweeps=0).sample(seed=1)[0]) < 0.3  # where a chain begins, there is no structure


@pytest.mark.parametrize("degrees", ["exact", "model"])
def test_samples_follow_memberships_and_affinity(degrees):
    H = hh.Hypergraph([[i, (i + j) % 12] for i in range(12) for j in (1, 2)])
    model = HyMMSBM(degrees=degrees, **QUICK).set_params(sweeps=300).fit([H])
    model.memberships_, model.affinities_ = [np.eye(2)[np.arange(12) // 6]], [np.array([[0.0, 1.0], [1.0, 0.0]])]
    assert all(min(e) < 6 <= max(e) for S in model.sample(5, seed=0) for e in S.hyperedges)


@pytest.mark.parametrize("degrees", ["exact", "model"])
def test_repeats_are_forbidden(degrees):
    (H,) = random_hypergraphs(1, 8, 8, 0.3, seed=1)
    assert not has_repeats(H)
    options = {**QUICK, "communities": 1, "degrees": degrees}
    assert any(map(has_repeats, HyMMSBM(**options).fit([H]).sample(40, seed=0)))
    for repeats in ("forbid", "as-data"):
        model = HyMMSBM(repeats=repeats, **options).fit([H])
        assert not any(map(has_repeats, model.sample(40, seed=0)))
        assert not any(map(has_repeats, model.set_params(sweeps=0).sample(40, seed=0)))


def test_rates_of_the_model():
    training = [GROUPS, hh.Hypergraph([["a", "b"], ["b", "c", "d"], ["c", "d"]])]
    model = HyMMSBM(**QUICK).fit(training)
    for k, (u, w) in enumerate(zip(model.memberships_, model.affinities_, strict=True)):
        every = subsets(len(u), (2, 3))
        rates = model.rates(every, of=k)
        np.testing.assert_allclose(rates, [rate_of(nodes, u, w) for nodes in every], rtol=1e-9, atol=1e-15)
        np.testing.assert_allclose(np.exp(model.rates(every, of=k, log=True)), rates)
    np.testing.assert_array_equal(model.rates(training[1], of=1), model.rates([[0, 1], [1, 2, 3], [2, 3]], of=1))
    assert model.rates([]).shape == model.rates(hh.Hypergraph()).shape == (0,)
    with pytest.raises(GeneratorError, match="of must be at most 1"):
        model.rates([[0, 1]], of=2)


def test_rates_of_large_hyperedges_have_logarithms():
    H = hh.Hypergraph([range(600), range(300, 1400), [1400, 1401]], nodes=3000)
    model = HyMMSBM(**QUICK).fit([H])
    assert model.rates([range(500)]) == 0
    expected = math.log(sum_over_pairs(range(500), model.memberships_[0], model.affinities_[0]))
    expected -= math.log(500 * 499 / 2) + math.log(math.comb(2998, 498))
    assert model.rates([range(500)], log=True)[0] == pytest.approx(expected)
    assert model.rates([[0, 2999]], log=True)[0] == -np.inf  # an isolated node


@pytest.mark.parametrize(
    ("hyperedge", "message"),
    [
        ([0], "is .0.; give two different nodes or more, none of them twice"),
        ([], "give two different nodes or more"),
        ([0, 1, 0], "none of them twice"),
        ([0, 4], "the nodes are whole numbers below 4"),
        ([-1, 0], "the nodes are whole numbers below 4"),
        ([0.0, 1.0], "the nodes are whole numbers below 4"),
        ([True, 0], "the nodes are whole numbers below 4"),
        ("ab", "the nodes are whole numbers below 4"),
    ],
)
def test_no_rates_of_what_is_no_hyperedge(hyperedge, message):
    model = HyMMSBM(**QUICK).fit([hh.Hypergraph([[0, 1], [2, 3]])])
    with pytest.raises(GeneratorError, match=rf"hyperedges\[1\] .*{message}"):
        model.rates([[0, 1], hyperedge])


def test_rates_of_a_model_that_is_not_fitted():
    with pytest.raises(GeneratorError, match="not fitted yet"):
        HyMMSBM().rates([[0, 1]])


def test_progress_is_shown(monkeypatch):
    monkeypatch.setattr(model_module, "Meter", partial(Meter, quick=True))
    console = Console(file=io.StringIO(), width=80)
    HyMMSBM(**QUICK).fit([GROUPS, GROUPS], progress=console)
    assert console.file.getvalue().endswith("inferring 4/4\n")


def test_what_does_not_fit_into_memory_is_refused():
    with memory_limit("1MiB"), pytest.raises(MemoryLimitError, match=r"the inference needs .*; give fewer communities"):
        HyMMSBM(communities=10_000).fit([GROUPS])


@pytest.mark.parametrize(("n", "m", "size", "communities"), [(3000, 20_000, 4, 20), (5000, 5000, 3, 200)])
def test_what_it_takes_is_what_was_estimated(n, m, size, communities):
    setup = f"""
        import numpy as np
        rng = np.random.default_rng(0)
        places = np.unique(np.stack((np.repeat(np.arange({m}), {size}), rng.integers(0, {n}, {m * size}))), axis=1)
        H = hh.Hypergraph.from_indices(places[1], places[0], nodes={n}, edges={m})
        hh.HyMMSBM(communities=1, iterations=1, restarts=1).fit([hh.Hypergraph([[0, 1]])])
        model = hh.HyMMSBM(communities={communities}, iterations=3, restarts=2, seed=0)
    """
    estimate = HyMMSBM(communities=communities)._bytes([hh.Hypergraph([range(size)] * m, nodes=n)])
    assert 0.6 * estimate < peak(setup, "model.fit([H])") < 1.1 * estimate


def test_without_hypergraphx_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "hypergraphx", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'hyperhedge\[hypergraphx\]'"):
        HyMMSBM(**QUICK).fit([GROUPS])


# -- saved models ------------------------------------------------------------------------------------------


@pytest.fixture
def saved(tmp_path):
    HyMMSBM(**QUICK).fit([GROUPS, hh.Hypergraph([["a", "b"], ["b", "c"]])]).save(tmp_path / "model")
    return tmp_path / "model"


def test_it_is_saved_and_loaded(saved, tmp_path):
    model = HyMMSBM.load(saved)
    again = HyMMSBM(**QUICK).fit([GROUPS, hh.Hypergraph([["a", "b"], ["b", "c"]])])
    assert model.sample(4, seed=1) == again.sample(4, seed=1)
    assert model.log_likelihoods_ == again.log_likelihoods_
    assert len(model.memberships_) == len(model.affinities_) == 2
    for k in (0, 1):
        np.testing.assert_array_equal(model.rates([[0, 1], [0, 1, 2]], of=k), again.rates([[0, 1], [0, 1, 2]], of=k))
    model.save(tmp_path / "again")
    assert (tmp_path / "again" / "arrays.safetensors").read_bytes() == (saved / "arrays.safetensors").read_bytes()


def asymmetric(arrays):
    arrays["affinities"][1, 0, 1] += 1


def negative(arrays):
    arrays["memberships"][3, 1] = -1e-9


def infinite(arrays):
    arrays["affinities"][0] = np.inf


def shorter(arrays):
    arrays["memberships"] = arrays["memberships"][:-1].copy()


def narrower(arrays):
    arrays["affinities"] = arrays["affinities"][:, :1, :1].copy()


def single(arrays):
    arrays["memberships"] = arrays["memberships"].astype(np.float32)


def more(arrays):
    arrays["wings"] = np.zeros(2)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (asymmetric, "an affinity is not symmetric"),
        (negative, "must be numbers from 0 on"),
        (infinite, "must be numbers from 0 on"),
        (shorter, "are not those of the training hypergraphs"),
        (narrower, "are not those of the training hypergraphs"),
        (single, "are not those of the training hypergraphs"),
        (more, "are not those of the training hypergraphs"),
    ],
)
def test_arrays_that_are_wrong(saved, damage, message):
    file = saved / "arrays.safetensors"
    arrays = {name: array.copy() for name, array in load_file(file).items()}
    damage(arrays)
    save_file(arrays, file)
    with pytest.raises(FormatError, match=message) as caught:
        hh.load_model(saved)
    assert caught.value.path == str(file)


def test_a_saved_model_that_is_not_complete(saved):
    record = json.loads((saved / "model.json").read_text())
    record["fitted"]["log_likelihoods"].pop()
    (saved / "model.json").write_text(json.dumps(record))
    with pytest.raises(FormatError, match="not one likelihood for each training hypergraph"):
        hh.load_model(saved)
    (saved / "arrays.safetensors").unlink()
    with pytest.raises(FormatError, match="the file is missing: the saved model is not complete"):
        hh.load_model(saved)


@pytest.mark.parametrize(
    "options",
    [
        {"communities": 0},
        {"communities": 10_001},
        {"assortative": "yes"},
        {"degrees": "expected"},
        {"sweeps": -1},
        {"iterations": 0},
        {"restarts": 0},
        {"repeats": "never"},
        {"seed": -1},
    ],
)
def test_bad_arguments(options):
    with pytest.raises(GeneratorError, match=f"{next(iter(options))} must be"):
        HyMMSBM(**options)
