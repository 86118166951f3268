"""Hyperedge copying: its steps and its posterior by enumeration of all that can happen, and parameters that come back."""

import itertools
import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

import hyperhedge as hh
from hyperhedge._system.memory import memory_limit
from hyperhedge.errors import FormatError, GeneratorError, MemoryLimitError
from hyperhedge.models.copying import HyperedgeCopying, growth, learn
from hyperhedge.models.copying import arrivals as arrivals_module
from hyperhedge.models.copying.arrivals import Arrivals
from hyperhedge.models.copying.growth import grown
from hyperhedge.models.copying.history import Layout
from hyperhedge.models.copying.learn import Expectation, learned
from strategies import hypergraphs

KEPT, OLD, NEW = 0.6, np.array([0.3, 0.2, 0.5]), np.array([0.7, 0.1, 0.2])


def edges_of(H):
    """Return the hyperedges that are not empty, as lists of node numbers."""
    return [edge.tolist() for edge in np.split(H.indices, H.indptr[1:-1]) if len(edge)]


def subsets(items):
    items = sorted(items)
    return itertools.chain.from_iterable(itertools.combinations(items, k) for k in range(len(items) + 1))


def ways(f, present, eta, old):
    """Go through all ways to come to the old nodes of a copy: these nodes, k, the b that was sampled, and the probability."""
    for surely in f:
        rest = sorted(set(f) - {surely})
        for others in subsets(rest):
            kept = {surely, *others}
            chance = eta ** len(others) * (1 - eta) ** (len(rest) - len(others)) / len(f)
            outside = sorted(set(present) - set(f))
            for b, share in enumerate(old):
                taken = list(itertools.combinations(outside, min(b, len(outside))))
                for extra in taken:
                    yield frozenset(kept | set(extra)), len(kept), b, chance * share / len(taken)


def steps(edges):
    """Go through hyperedges in order: the earlier ones, the nodes present, and those of their own that are not new."""
    for t, edge in enumerate(edges):
        present = set().union(*edges[:t])
        yield edges[:t], present, frozenset(edge) & present


def brute_sums(edges, eta, old):
    """Return the sums of the posterior means over all copies, and of their log-likelihoods, by enumeration."""
    totals, likelihood = np.zeros(len(old) + 2), 0.0
    for earlier, present, known in steps(edges):
        if not known:
            continue
        sums = np.zeros(len(old) + 2)
        total = 0.0
        for f in earlier:
            for nodes, k, b, chance in ways(f, present, eta, old):
                if nodes == known:
                    total += chance
                    sums[0] += chance * (k - 1)
                    sums[1] += chance * (len(f) - 1)
                    sums[2 + b] += chance
        likelihood += np.log(total / len(earlier)) if total else -np.inf
        totals += sums / total if total else 0.0
    return totals, likelihood


# -- learning ----------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=60)
@given(
    hypergraphs(max_nodes=5, max_edges=5),
    st.sampled_from([0.0, 0.3, 1.0, 0.8]),
    st.sampled_from([[1.0], [0.2, 0.8], [0.4, 0.3, 0.0, 0.2, 0.1]]),
)
@example(hh.Hypergraph([[0, 1, 2], [3, 4, 5], [6, 7], [0, 3, 4]]), 0.3, [0.4, 0.3, 0.2, 0.1])
def test_the_posterior_is_that_of_all_ways_to_copy(H, eta, old):
    edges = edges_of(H)
    history = Layout([H]).history()
    copies = np.flatnonzero(~history.founders)
    expectation = Expectation(history)
    totals, likelihood = brute_sums(edges, eta, old)
    for _ in range(2):  # nothing is left behind by the first time
        found, found_likelihood = expectation.sums(copies, eta, np.array(old))
        np.testing.assert_allclose(found, totals, atol=1e-9)
        np.testing.assert_allclose(found_likelihood, likelihood, atol=1e-9)


def test_hypergraphs_do_not_copy_each_other():
    H = hh.Hypergraph([[0, 1], [1, 2], [], [0, 2, 3], [4], [4, 0]])
    G = hh.Hypergraph([[1, 0, 2], [3], [2, 3]], nodes=5)
    both, eta, old = Layout([H, G]).history(), 0.4, np.array([0.5, 0.3, 0.2])
    found, likelihood = Expectation(both).sums(np.flatnonzero(~both.founders), eta, old)
    each = [brute_sums(edges_of(graph), eta, old.tolist()) for graph in (H, G)]
    np.testing.assert_allclose(found, each[0][0] + each[1][0])
    np.testing.assert_allclose(likelihood, each[0][1] + each[1][1])
    assert both.founders.tolist() == [True, False, False, True, False, True, True, False]
    assert both.earlier.tolist() == [0, 1, 2, 3, 4, 0, 1, 2]
    assert both.present.tolist() == [0, 2, 3, 4, 5, 0, 3, 4]
    assert both.new.tolist() == [2, 1, 1, 1, 0, 3, 1, 0]


def test_walks_are_cut_without_a_difference(monkeypatch):
    history = Layout([simulated(60, seed=3)]).history()
    copies = np.flatnonzero(~history.founders)
    whole = Expectation(history).sums(copies, KEPT, OLD)
    monkeypatch.setattr(learn, "_AT_ONCE", 50)
    cut = Expectation(history).sums(copies, KEPT, OLD)
    np.testing.assert_allclose(cut[0], whole[0])
    np.testing.assert_allclose(cut[1], whole[1])


@settings(deadline=None, max_examples=30)
@given(st.lists(hypergraphs(max_nodes=6, max_edges=6), min_size=1, max_size=3), st.integers(0, 9))
def test_a_random_order_is_one_within_each_hypergraph(graphs, seed):
    history = Layout(graphs).history(np.random.default_rng(seed))
    edges = [history.members[a:b].tolist() for a, b in itertools.pairwise(history.starts)]
    first = np.cumsum([0, *(H.n for H in graphs)])
    at = 0
    for H, offset in zip(graphs, first, strict=False):
        wanted = Counter(frozenset(v + offset for v in edge) for edge in edges_of(H))
        own = edges[at : at + wanted.total()]
        assert Counter(map(frozenset, own)) == wanted
        for t, (earlier, present, known) in enumerate(steps(own)):
            assert history.earlier[at + t] == len(earlier)
            assert history.present[at + t] == len(present)
            assert history.new[at + t] == len(own[t]) - len(known)
        at += wanted.total()
    for v in range(first[-1]):
        of_v = history.of_node[history.node_starts[v] : history.node_starts[v + 1]].tolist()
        assert of_v == [t for t, edge in enumerate(edges) if v in edge]


def test_all_orders_are_as_likely():
    layout, rng = Layout([hh.Hypergraph([[0], [1, 2], [0, 1, 2]])]), np.random.default_rng(4)
    seen = Counter(tuple(layout.history(rng).sizes.tolist()) for _ in range(1200))
    assert len(seen) == 6
    assert stats.chisquare(list(seen.values())).pvalue > 1e-3


def simulated(m, seed, *, eta=KEPT, old=OLD, new=NEW, founders=0.1):
    """Grow a hypergraph with these parameters, in order, with independent numbers of new nodes; founders have two or four."""
    rng = np.random.default_rng(seed)
    founds = rng.random(m) < founders
    founds[0] = True
    brings = np.where(founds, rng.choice([2, 4], size=m), rng.choice(len(new), size=m, p=new))
    starts, members = grown(brings, founds, eta, old, rng)
    return hh.Hypergraph.from_indices(
        members, np.repeat(np.arange(m), np.diff(starts)), nodes=int(brings.sum()), edges=m
    )


@pytest.mark.parametrize(
    ("eta", "old", "new"),
    [(0.6, [0.3, 0.2, 0.5], [0.7, 0.1, 0.2]), (0.2, [0.9, 0.1], [0.2, 0.8]), (0.9, [1.0], [0.8, 0.2])],
)
def test_parameters_of_a_simulated_hypergraph_come_back(eta, old, new):
    H = simulated(4000, seed=1, eta=eta, old=np.array(old), new=np.array(new))
    model = HyperedgeCopying(order="given", seed=0).fit([H])
    assert abs(model.eta_ - eta) < 0.025
    for found, true in ((model.old_, old), (model.new_, new), (model.founder_sizes_, [0, 0, 0.5, 0, 0.5])):
        padded = np.zeros(max(len(found), len(true)))
        padded[: len(found)] += found
        padded[: len(true)] -= true
        assert np.abs(padded).max() < 0.03 if len(true) < 5 else 0.09  # there are 400 founders
    assert abs(model.founder_share_ - 0.1) < 0.02


def test_what_is_learned_maximises_the_likelihood():
    H = simulated(150, seed=2)
    layout = Layout([H])
    facts = learned(layout, given=True, visits=30_000, rng=np.random.default_rng(0))
    edges = edges_of(H)
    history = layout.history()
    expectation, copies = Expectation(history), np.flatnonzero(~history.founders)

    def likelihood(eta, old):
        return expectation.sums(copies, eta, np.asarray(old))[1]

    best = likelihood(facts.eta, facts.old)
    for eta in (facts.eta - 0.008, facts.eta + 0.008):
        assert likelihood(eta, facts.old) < best
    for b in range(3):
        for step in (-0.008, 0.008):
            old = facts.old.copy()
            old[b] = max(old[b] + step, 0)
            assert likelihood(facts.eta, old / old.sum()) < best
    new = [len(edge) - len(known) for edge, (_, _, known) in zip(edges, steps(edges), strict=True) if known]
    np.testing.assert_allclose(facts.new, np.bincount(new) / len(new))
    sizes = [len(edge) for edge, (_, _, known) in zip(edges, steps(edges), strict=True) if not known]
    np.testing.assert_allclose(facts.founder_sizes, np.bincount(sizes) / len(sizes))
    assert facts.founder_share == pytest.approx((len(sizes) - 1) / (len(edges) - 1))


def test_what_is_learned_is_where_whole_passes_converge():
    """All copies are in one batch, so only the early path could keep the average away from the fixed point."""
    layout = Layout([simulated(60, seed=4)])
    history = layout.history()
    copies = np.flatnonzero(~history.founders)
    assert len(copies) <= learn.BATCH
    eta, old = 0.5, np.full(10, 0.1)
    for _ in range(500):
        sums, _ = Expectation(history).sums(copies, eta, old)
        eta, old = sums[0] / sums[1], sums[2:] / len(copies)
    facts = learned(layout, given=True, visits=60 * len(copies), rng=np.random.default_rng(0))
    assert facts.eta == pytest.approx(eta, abs=1.5e-3)
    np.testing.assert_allclose(facts.old[:3], old[:3], atol=8e-3)


def test_what_no_early_batch_shows_is_learned_all_the_same(monkeypatch):
    """Two of 400 hyperedges can only be had with nine old nodes; the first batch has one copy."""
    monkeypatch.setattr(learn, "BATCH", 1)
    blocks = [[2 * i, 2 * i + 1] for i in range(20)]
    many = list(range(0, 20, 2))
    H = hh.Hypergraph([*blocks, *blocks * 19, many, [v + 20 for v in many]])
    model = HyperedgeCopying(order="given", seed=0, visits=4000).fit([H])
    assert model.old_[9] == pytest.approx(2 / 382, rel=0.5)


def test_the_order_matters_where_it_is_given():
    edges = [[0, 1, 2, 3], [0, 1], [2, 3], [1, 2], [0, 3], [1, 3], [0, 2], [0, 1, 3], [1, 2, 3]] * 2
    there, back = hh.Hypergraph(edges), hh.Hypergraph(edges[::-1], nodes=range(4))
    given = [HyperedgeCopying(order="given", seed=0).fit([H]).new_ for H in (there, back)]
    assert given[0] == [1.0]
    assert given[1] != [1.0]
    random = [np.mean(HyperedgeCopying(seed=0).fit([H]).new_[0]) for H in (there, back)]
    assert random[0] == pytest.approx(random[1], abs=0.02)
    assert random[0] < 0.99


def test_the_first_order_is_random_too():
    """With a single visit there is one order: three nodes first leave nothing new to the others, in other orders they do."""
    H = hh.Hypergraph([[0, 1, 2], [0], [1], [2]])
    laws = {tuple(HyperedgeCopying(seed=seed, visits=1).fit([H]).new_) for seed in range(8)}
    assert len(laws) > 1


def test_the_first_hyperedges_of_all_hypergraphs_are_founders_anyway():
    model = HyperedgeCopying(order="given", seed=0).fit([hh.Hypergraph([[0], [0]])] * 2)
    assert model.founder_share_ == 0
    model = HyperedgeCopying(order="given", seed=0).fit([hh.Hypergraph([[0], [1], [0]])] * 2)
    assert model.founder_share_ == 0.5


def test_laws_end_where_nothing_is_left():
    H = hh.Hypergraph([[0, 1, 2, 3], [4, 5, 6, 7]] * 4)
    assert HyperedgeCopying(order="given", seed=0).fit([H]).old_ == [1.0]


def visited(monkeypatch, H, **options):
    """Return how many hyperedges a fit visits, and the model."""
    visits = []
    sums = Expectation.sums
    monkeypatch.setattr(
        Expectation, "sums", lambda self, copies, *law: visits.append(len(copies)) or sums(self, copies, *law)
    )
    model = HyperedgeCopying(seed=0, **options).fit([H])
    monkeypatch.undo()
    return sum(visits), model


def test_visits_and_steps_are_bounded(monkeypatch):
    H = simulated(300, seed=5)
    copies = int((~Layout([H]).history().founders).sum())
    assert visited(monkeypatch, H, order="given", visits=7)[0] == 7
    assert visited(monkeypatch, H, order="given", visits=copies + 7)[0] == copies + 7
    assert visited(monkeypatch, H, order="given", visits=10**9)[0] == copies * learn.MOST_PASSES
    mean = (H.degrees.astype(float) ** 2).sum() / H.m
    monkeypatch.setattr(learn, "MOST_STEPS", int(50 * mean))
    assert 20 < visited(monkeypatch, H, order="given")[0] < 100
    monkeypatch.setattr(learn, "MOST_STEPS", 1)
    assert visited(monkeypatch, H, order="given")[0] == 1


# -- who is new --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("edges", "nodes", "share"), [(3, 5, 0.3), (4, 4, 0.0), (1, 3, 0.5), (3, 9, 1.0)])
def test_new_nodes_have_the_law_given_their_sum(edges, nodes, share):
    new, sizes = [0.5, 0.0, 0.3, 0.2], [0.0, 0.6, 0.1, 0.3]
    first = [(s, True, p) for s, p in enumerate(sizes)]
    later = [(s, True, p * share) for s, p in enumerate(sizes)] + [
        (g, False, p * (1 - share)) for g, p in enumerate(new)
    ]
    law = Counter()
    for kinds in itertools.product(first, *[later] * (edges - 1)):
        if sum(kind[0] for kind in kinds) == nodes:
            law[tuple(kind[:2] for kind in kinds)] += np.prod([kind[2] for kind in kinds])
    law = {key: p / law.total() for key, p in law.items() if p}
    arrivals, rng, seen = Arrivals(np.array(new), np.array(sizes), share), np.random.default_rng(0), Counter()
    for _ in range(4000):
        brings, founds = arrivals.sample(edges, nodes, rng)
        seen[tuple(zip(brings.tolist(), founds.tolist(), strict=True))] += 1
    assert seen.keys() <= law.keys()
    if len(law) > 1:
        common = [key for key, p in law.items() if 4000 * p > 5]
        counts = [seen[key] for key in common] + [4000 - sum(seen[key] for key in common)]
        expected = [4000 * law[key] for key in common]
        expected.append(4000 - sum(expected))
        if expected[-1] < 5:
            counts[-2:], expected[-2:] = [sum(counts[-2:])], [sum(expected[-2:])]
        assert stats.chisquare(counts, expected).pvalue > 1e-3


@pytest.mark.parametrize("nodes", [2_000, 20_000, 60_000, 99_999, 100_001])
def test_large_hypergraphs_find_their_number_of_nodes(nodes):
    """Far from the mean, which is 50,001, and at both ends of what is possible."""
    arrivals = Arrivals(np.array([0.5, 0.5]), np.array([0.0, 0.0, 0.5, 0.5]), 0.0)
    brings, founds = arrivals.sample(99_999, nodes, np.random.default_rng(0))
    assert brings.sum() == nodes
    assert founds.sum() == 1
    assert brings.max() <= 3


def test_no_way_to_have_so_many_nodes(monkeypatch):
    monkeypatch.setattr(arrivals_module, "MOST_ATTEMPTS", 100)
    arrivals = Arrivals(np.array([0.5, 0.0, 0.5]), np.array([0.0, 0.0, 1.0]), 0.0)
    with pytest.raises(GeneratorError, match="to let 3 hyperedges bring 5 nodes all brought other numbers"):
        arrivals.sample(3, 5, np.random.default_rng(0))


# -- growth -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("old", [[1.0], [0.3, 0.7], [0.2, 0.3, 0.0, 0.5], [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]])
@pytest.mark.parametrize("eta", [0.0, 0.35, 1.0])
def test_a_copy_has_the_law_of_all_ways_to_copy(eta, old):
    """Of six nodes in two founders: some copies list the nodes that are free, some reject those that are not, some find too few."""
    founders = [(0, 1), (2, 3, 4, 5)]
    law = Counter()
    for f in founders:
        for nodes, _, _, chance in ways(f, range(6), eta, old):
            law[nodes | {6}] += chance / 2
    law = {nodes: chance for nodes, chance in law.items() if chance}
    rng, seen, count = np.random.default_rng(7), Counter(), 4000
    for _ in range(count):
        starts, members = grown(np.array([2, 4, 1]), np.array([True, True, False]), eta, np.array(old), rng)
        assert [members[a:b].tolist() for a, b in itertools.pairwise(starts[:3])] == [[0, 1], [2, 3, 4, 5]]
        copy = members[starts[2] :].tolist()
        assert len(set(copy)) == len(copy)
        seen[frozenset(copy)] += 1
    assert seen.keys() <= law.keys()
    if len(law) > 1:
        assert stats.chisquare([seen[key] for key in law], [count * p for p in law.values()]).pvalue > 1e-3


def test_every_earlier_hyperedge_is_as_likely_to_be_copied():
    """Exact copies of one founder of three: how many of the first five are copies of which is a Pólya urn."""
    rng, count = np.random.default_rng(0), 3000
    seen = Counter()
    for _ in range(count):
        new, founds = np.array([1, 1, 0, 0]), np.array([True, True, False, False])
        _, members = grown(new, founds, 1.0, np.ones(1), rng)
        seen[tuple(members[2:].tolist())] += 1
    law = {(0, 0): 1 / 3, (1, 1): 1 / 3, (0, 1): 1 / 6, (1, 0): 1 / 6}
    assert stats.chisquare([seen[key] for key in law], [count * p for p in law.values()]).pvalue > 1e-3


def test_mean_sizes_follow_the_recursion():
    """E|e_t| = 1 + η (mean of the earlier ones − 1) + means of β and γ, as long as there are nodes enough."""
    m, runs, rng = 60, 1500, np.random.default_rng(5)
    expected = [20.0, 20.0]
    for t in range(2, m):
        expected.append(1 + KEPT * (np.mean(expected[:t]) - 1) + 1.2 + 0.5)
    sizes = np.zeros((runs, m))
    for run in range(runs):
        founds = np.arange(m) < 2
        new = np.where(founds, 20, rng.choice(3, size=m, p=NEW))
        sizes[run] = np.diff(grown(new, founds, KEPT, OLD, rng)[0])
    errors = sizes.std(axis=0)[2:] / np.sqrt(runs)
    scores = (sizes.mean(axis=0)[2:] - expected[2:]) / errors
    assert np.abs(scores).max() < 4.5
    model = HyperedgeCopying()
    model.eta_, model.old_, model.new_ = KEPT, OLD.tolist(), NEW.tolist()
    assert model.mean_size_ == pytest.approx(1 + KEPT * (model.mean_size_ - 1) + 1.2 + 0.5)
    assert abs(np.mean(expected) - model.mean_size_) > abs(np.mean([expected[-1]]) - model.mean_size_)


def test_the_mean_size_where_everything_is_kept():
    model = HyperedgeCopying()
    model.eta_, model.old_, model.new_ = 1.0, [1.0], [1.0]
    assert model.mean_size_ == 1
    model.new_ = [0.5, 0.5]
    assert model.mean_size_ == float("inf")


def test_hyperedges_may_be_much_larger_than_was_thought():
    new, founds = np.zeros(300, dtype=np.int64), np.zeros(300, dtype=bool)
    new[0], founds[0], new[-1] = 70, True, 3
    starts, members = grown(new, founds, 1.0, np.ones(1), np.random.default_rng(0))
    assert starts.tolist() == [*range(0, 300 * 70, 70), 300 * 70 + 3]
    assert all(set(members[70 * t : 70 * (t + 1)].tolist()) == set(range(70)) for t in range(300))
    assert members[-3:].tolist() == [70, 71, 72]


def test_it_makes_no_difference_when_room_is_made(monkeypatch):
    starts, members = simulated_arrays()
    monkeypatch.setattr(growth, "_ROOM", 1)
    again = simulated_arrays()
    assert again[0].tolist() == starts.tolist()
    assert again[1].tolist() == members.tolist()


def simulated_arrays():
    """Take nearly all other nodes again and again, so that what was marked in one round would be missed in the next."""
    founds = np.arange(80) < 20
    return grown(np.where(founds, 2, 0), founds, 0.0, np.eye(39)[38], np.random.default_rng(1))


def test_growth_beyond_memory_is_refused():
    new, founds = np.zeros(20_000, dtype=np.int64), np.zeros(20_000, dtype=bool)
    new[0], founds[0] = 2000, True
    with memory_limit("20MB"), pytest.raises(MemoryLimitError, match="growing a hypergraph of 20,000 hyperedges"):
        grown(new, founds, 1.0, np.ones(1), np.random.default_rng(0))


# -- the model ------------------------------------------------------------------------------------------


def contents(H):
    return H.n, H.m, int((H.degrees > 0).sum()), int((H.edge_sizes > 0).sum())


@settings(deadline=None, max_examples=40)
@given(st.lists(hypergraphs(max_nodes=6, max_edges=6), min_size=1, max_size=4), st.sampled_from(["given", "random"]))
def test_samples_have_nodes_and_hyperedges_of_a_training_hypergraph(graphs, order):
    model = HyperedgeCopying(order=order, seed=0, visits=200).fit(graphs)
    assert {contents(H) for H in model.sample(8, seed=1)} <= {contents(H) for H in graphs}


def test_training_hypergraphs_are_chosen_uniformly():
    graphs = [hh.Hypergraph([[0, 1], [1]], nodes=n) for n in (2, 2, 2, 5)]
    model = HyperedgeCopying(seed=0).fit(graphs)
    assert sorted(model.contents_) == [(2, 2, 2, 2, 3), (5, 2, 2, 2, 1)]
    count = sum(H.n == 5 for H in model.sample(1200, seed=0))
    assert stats.binomtest(count, 1200, 0.25).pvalue > 1e-3


def test_nodes_are_in_random_order_and_empty_hyperedges_anywhere():
    model = HyperedgeCopying(seed=0).fit([hh.Hypergraph([[0], [1], [], []], nodes=4)])
    samples = model.sample(1200, seed=0)
    isolated = np.sum([H.degrees == 0 for H in samples], axis=0)
    empty = np.sum([H.edge_sizes == 0 for H in samples], axis=0)
    assert stats.chisquare(isolated).pvalue > 1e-3
    assert stats.chisquare(empty).pvalue > 1e-3


def test_hyperedges_of_samples_are_in_the_order_of_time():
    """A founder is no copy, so only the first of its kind brings nodes; with γ = δ₀ the first hyperedge has all nodes."""
    model = HyperedgeCopying(order="given", seed=0).fit([hh.Hypergraph([[0, 1, 2, 3], [0, 1], [2], [0, 3], [1, 2]])])
    assert all(len(H.hyperedges[0]) == 4 for H in model.sample(50, seed=0))


def test_an_order_is_learned_as_it_is_and_not_its_reverse():
    H = simulated(1500, seed=9, founders=0.0)
    order = hh.Hypergraph.from_indices(H.indices, H.m - 1 - H.edge_indices, nodes=H.n, edges=H.m)
    found, other = (HyperedgeCopying(order="given", seed=0).fit([G]) for G in (H, order))
    assert abs(found.eta_ - KEPT) < 0.04
    assert abs(other.new_[0] - NEW[0]) > 0.04


def test_without_repeats():
    H = simulated(400, seed=6, eta=0.95, old=np.array([0.5, 0.5]), new=np.array([0.9, 0.1]), founders=0.02)
    free = HyperedgeCopying(seed=0).fit([H])
    assert any(len(set(map(frozenset, S.hyperedges))) < S.m for S in free.sample(5, seed=0))
    model = HyperedgeCopying(seed=0, repeats="forbid").fit([H])
    for S in model.sample(5, seed=0):
        assert len(set(map(frozenset, S.hyperedges))) == S.m
        assert contents(S) == contents(H)


def test_a_copy_without_repeats_has_the_law_given_that_it_is_none():
    law = Counter()
    for nodes, _, _, chance in ways((0, 1, 2), range(3), 0.5, [1.0]):
        law[nodes] += chance
    del law[frozenset({0, 1, 2})]
    rng, seen = np.random.default_rng(2), Counter()
    for _ in range(3000):
        starts, members = grown(np.array([3, 0]), np.array([True, False]), 0.5, np.ones(1), rng, distinct=True)
        seen[frozenset(members[starts[1] :].tolist())] += 1
    assert stats.chisquare([seen[key] for key in law], [3000 * p / law.total() for p in law.values()]).pvalue > 1e-3


def test_growth_that_can_only_repeat_is_given_up():
    model = HyperedgeCopying(seed=0, repeats="forbid").fit([hh.Hypergraph([[0, 1], [0, 1], [0, 1]])])
    with pytest.raises(
        GeneratorError, match=r"all came to a point where copies only repeat earlier hyperedges.*repeats='allow'"
    ):
        model.sample()
    with pytest.raises(GeneratorError, match="no hypergraph with 1 nodes and 3 hyperedges was found"):
        HyperedgeCopying(seed=0, repeats="forbid").fit([hh.Hypergraph([[0], [], []])]).sample()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"order": "time"}, "order must be 'random' or 'given'"),
        ({"visits": 0}, "visits must be a whole number from 1 on"),
        ({"seed": -1}, "seed must be a whole number from 0 on"),
        ({"repeats": "no"}, "repeats must be"),
    ],
)
def test_bad_arguments(options, message):
    with pytest.raises(GeneratorError, match=message):
        HyperedgeCopying(**options)


def test_a_seed_fixes_what_is_learned():
    H = simulated(200, seed=8)
    first, second, other = (HyperedgeCopying(seed=s, visits=300).fit([H]) for s in (1, 1, 2))
    assert (first.eta_, first.old_) == (second.eta_, second.old_)
    assert first.eta_ != other.eta_


# -- saved models -------------------------------------------------------------------------------------


def test_saved_and_loaded(tmp_path):
    model = HyperedgeCopying(seed=0, order="given").fit([simulated(100, seed=1), hh.Hypergraph([[], [0]], nodes=3)])
    model.save(tmp_path / "model")
    again = hh.load_model(tmp_path / "model")
    assert again.get_params() == model.get_params()
    assert again.contents_ == model.contents_
    assert again.sample(4, seed=1) == model.sample(4, seed=1)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"eta": 1.5}, "does not describe a saved model"),
        ({"old": []}, "does not describe a saved model"),
        ({"old": [0.5, -0.5, 1.0]}, "does not describe a saved model"),
        ({"new": [0.5, 0.4]}, "not laws of numbers of nodes"),
        ({"old": [0.5, 0.4]}, "not laws of numbers of nodes"),
        ({"founder_sizes": [0.1, 0.9]}, "not laws of numbers of nodes"),
        ({"founder_share": None}, "does not describe a saved model"),
        ({"contents": [[4, 3, 5, 3, 1]]}, "cannot have these nodes and hyperedges"),
        ({"contents": [[4, 3, 4, 4, 1]]}, "cannot have these nodes and hyperedges"),
        ({"contents": [[4, 3, 0, 3, 1]]}, "cannot have these nodes and hyperedges"),
        ({"contents": [[4, 3, 4, 0, 1]]}, "cannot have these nodes and hyperedges"),
        ({"contents": [[4, 3, 4, 3, 2]]}, "not the shapes"),
        ({"contents": [[5, 3, 4, 3, 1]]}, "not the shapes"),
        ({"contents": [[4, 3, 4, 3, 0]]}, "does not describe a saved model"),
    ],
)
def test_saved_models_that_are_wrong(tmp_path, changes, message):
    HyperedgeCopying(seed=0).fit([hh.Hypergraph([[0, 1], [1, 2], [2, 3]])]).save(tmp_path / "model")
    file = tmp_path / "model" / "model.json"
    record = json.loads(file.read_text())
    record["fitted"].update(changes)
    file.write_text(json.dumps(record))
    with pytest.raises(FormatError, match=message):
        hh.load_model(tmp_path / "model")
