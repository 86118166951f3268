"""Edge sizes and degrees of samples: their law by hand, that they belong together, and what other shapes keep."""

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import hyperhedge as hh
from hyperhedge.models.hedge import margins as module
from hyperhedge.models.hedge.margins import TrainingMarginals
from strategies import hypergraphs


def known(H):
    return tuple(H.edge_sizes.tolist()), tuple(H.degrees.tolist())


# -- shapes of the training set ----------------------------------------------------------------------


def test_degrees_are_those_of_another_training_hypergraph_with_as_many_incidences():
    """Each as often as the others; with two hyperedges, half of them for the same sum is an exchange for an equal one."""
    graphs = [
        hh.Hypergraph(edges, nodes=4) for edges in ([[0, 1], [2]], [[0], [0, 1]], [[0, 1], [0]], [[0], [1]], [[3]])
    ]
    marginals, rng = TrainingMarginals.of(graphs), np.random.default_rng(0)
    drawn = Counter(tuple(tuple(part.tolist()) for part in marginals.sample(4, 2, rng)) for _ in range(1200))
    three = [known(H) for H in graphs[:3]]
    pairs = itertools.permutations(three, 2)
    wanted = Counter((sizes, degrees) for (sizes, _), (_, degrees) in pairs for _ in range(150))
    wanted[known(graphs[3])] += 300  # alone with two incidences
    assert drawn.keys() == wanted.keys()
    assert stats.chisquare([drawn[key] for key in wanted], list(wanted.values())).pvalue > 0.01


def test_half_of_the_sizes_are_of_another_hypergraph():
    """Sizes 1, 1, 3, 3 and 2, 2, 2, 2: halves of 1 + 3 and 2 + 2 are exchanged, those of 1 + 1 and 3 + 3 are not."""
    graphs = [hh.Hypergraph(np.split(np.arange(8), cuts)) for cuts in ((1, 2, 5), (2, 4, 6))]
    marginals, rng = TrainingMarginals.of(graphs), np.random.default_rng(0)
    drawn = Counter(tuple(sorted(marginals.sample(8, 4, rng)[0].tolist())) for _ in range(2400))
    wanted = {(1, 2, 2, 3): 2 / 3, (1, 1, 3, 3): 1 / 6, (2, 2, 2, 2): 1 / 6}
    assert drawn.keys() == wanted.keys()
    assert stats.chisquare([drawn[key] for key in wanted], 2400 * np.array(list(wanted.values()))).pvalue > 0.01


def test_degrees_stay_with_the_sizes_that_they_go_with():
    """Two kinds with as many incidences: hyperedges of 1 and 5 that share a core, and hyperedges of 3 that are spread evenly.

    By totals alone, the degrees of one kind would do for the sizes of the other.
    """
    core = [[[0], [0, 1, 2, 3, 4 + k]] * 3 for k in range(6)]
    spread = [[[(3 * e + j + k) % 12 for j in range(3)] for e in range(6)] for k in range(6)]
    marginals = TrainingMarginals.of([hh.Hypergraph(edges, nodes=12) for edges in core + spread])
    rng, alike = np.random.default_rng(0), np.arange(12)
    for index in range(12):
        partners = {marginals._partner(index, alike, rng) for _ in range(60)}
        assert index not in partners
        assert {partner < 6 for partner in partners} == {index < 6}


def test_degrees_are_among_the_nearest():
    """Among hypergraphs of pairs, those whose degrees are a star's, a path's, or in between, in eight steps."""
    graphs = [hh.Hypergraph([[0, k + 1] for k in range(s)] + [[k, k + 1] for k in range(s, 9)]) for s in range(1, 10)]
    marginals, rng = TrainingMarginals.of(graphs), np.random.default_rng(0)
    largest = [int(H.degrees.max()) for H in graphs]
    partners = [{max(graphs[marginals._partner(i, np.arange(9), rng)].degrees) for _ in range(60)} for i in range(9)]
    for i, seen in enumerate(partners):
        others = sorted(np.abs(np.array(largest) - largest[i]))[1:]
        assert max(abs(degree - largest[i]) for degree in seen) <= others[module._PARTNERS - 1] + 1
        assert len(seen) > 1


def test_mixed_sizes_and_degrees_that_no_hypergraph_has_are_not_used():
    """Half of 1, 1, 3, 3 exchanged for 2 + 2 leaves a hyperedge of three, and the other hypergraph has two nodes with degrees."""
    graphs = [hh.Hypergraph([range(size) for size in sizes], nodes=4) for sizes in ((1, 1, 3, 3), (2, 2, 2, 2))]
    marginals, rng = TrainingMarginals.of(graphs), np.random.default_rng(0)
    assert all(module._go_together(*marginals.sample(4, 4, rng)) for _ in range(200))


@given(st.lists(hypergraphs(min_incidences=1), min_size=1, max_size=6))
def test_sizes_and_degrees_are_those_of_a_hypergraph(graphs):
    n, m = graphs[0].n, graphs[0].m
    sizes, degrees = TrainingMarginals.of(graphs).sample(n, m, np.random.default_rng(n + 31 * m))
    assert module._go_together(sizes, degrees)


@given(st.lists(hypergraphs(min_incidences=1), min_size=1, max_size=6))
def test_the_number_of_incidences_is_that_of_a_training_hypergraph(graphs):
    n, m = graphs[0].n, graphs[0].m
    sizes, degrees = TrainingMarginals.of(graphs).sample(n, m, np.random.default_rng(n + 31 * m))
    assert sizes.sum() == degrees.sum()
    assert sizes.sum() in {H.num_incidences for H in graphs if (H.n, H.m) == (n, m)}


@given(st.lists(hypergraphs(min_incidences=1), min_size=1, max_size=4), st.integers(1, 30), st.integers(1, 30))
def test_marginals_of_other_shapes_are_possible_ones(graphs, n, m):
    sizes, degrees = TrainingMarginals.of(graphs).sample(n, m, np.random.default_rng(n + 31 * m))
    assert (sizes.shape, degrees.shape) == ((m,), (n,))
    assert ((sizes >= 0) & (sizes <= n)).all()
    assert ((degrees >= 0) & (degrees <= m)).all()
    assert sizes.sum() == degrees.sum()
    assert sizes.max() <= max(H.edge_sizes.max() for H in graphs)
    if all(H.edge_sizes.all() for H in graphs):
        assert sizes.all()
    if all(H.degrees.all() for H in graphs) and sizes.sum() >= n:
        assert degrees.all()


def pooled(graphs):
    return (np.concatenate([getattr(H, side) for H in graphs]) for side in ("edge_sizes", "degrees"))


def sampled(graphs, n, m, count):
    marginals, rng = TrainingMarginals.of(graphs), np.random.default_rng(1)
    return [np.concatenate(side) for side in zip(*(marginals.sample(n, m, rng) for _ in range(count)), strict=True)]


@pytest.mark.parametrize(("n", "m"), [(327, 400), (64, 50), (32, 12), (327, 100), (20, 60)])
def test_hyperedge_sizes_at_other_shapes_have_the_law_of_the_training_set(pieces, n, m):
    """What was never larger than five is not 13 among five times as many nodes."""
    real, _ = pooled(pieces)
    sizes, _ = sampled(pieces, n, m, 4000 // m)
    counts, seen = (np.bincount(part, minlength=6) for part in (real, sizes))
    assert counts[:2].sum() == seen[:2].sum() == seen[6:].sum() == 0
    assert stats.chisquare(seen[2:6], len(sizes) * counts[2:6] / len(real)).pvalue > 1e-3


def test_hyperedge_sizes_above_the_number_of_nodes_are_left_out():
    H = hh.Hypergraph([[0], [1, 2], [3, 4], [0, 1, 2, 3, 4, 5]], nodes=6)
    sizes, _ = sampled([H], 3, 4, 1000)
    seen = np.bincount(sizes)
    assert len(seen) == 3
    assert stats.chisquare(seen[1:], [4000 / 3, 8000 / 3]).pvalue > 1e-3
    assert set(sampled([hh.Hypergraph([range(5)] * 2 + [[]])], 3, 4, 50)[0]) == {0, 3}


def test_degrees_at_the_same_ratio_have_the_law_of_the_training_set(pieces):
    """Twice the nodes and twice the hyperedges: the same mean degree, and nearly the same law."""
    _, real = pooled(pieces)
    _, degrees = sampled(pieces, 128, 50, 60)
    assert degrees.mean() == pytest.approx(real.mean(), rel=0.03)
    for degree in range(5):
        assert np.mean(degrees == degree) == pytest.approx(np.mean(real == degree), abs=0.03)


@pytest.mark.parametrize(("n", "m"), [(327, 400), (64, 50), (32, 25)])
def test_the_mean_degree_gives_way_and_isolated_nodes_do_not(pieces, n, m):
    real_sizes, real = pooled(pieces)
    _, degrees = sampled(pieces, n, m, 60)
    assert degrees.mean() == pytest.approx(real_sizes.mean() * m / n, rel=0.03)
    assert np.mean(degrees == 0) == pytest.approx(np.mean(real == 0), abs=0.03)
    spread = [part[part > 0].std() / part[part > 0].mean() for part in (real, degrees)]
    assert spread[1] == pytest.approx(spread[0], rel=0.2)


def test_where_totals_do_not_allow_it_more_or_fewer_nodes_are_isolated():
    covered_pieces = [hh.Hypergraph([[0, 1], [2, 3], [4, 5], [0, 5]])]
    _, few = sampled(covered_pieces, 30, 4, 20)  # 8 incidences among 30 nodes
    assert np.bincount(few).tolist() == [22 * 20, 8 * 20]
    lonely = [hh.Hypergraph([[0, 1, 2], [0, 1]], nodes=40)]
    _, many = sampled(
        lonely, 4, 1, 60
    )  # one hyperedge of 2 or 3 among 4 nodes, of which data would leave 37 in 40 alone
    assert (many.reshape(60, 4).sum(1) >= 2).all()


@given(st.lists(st.integers(0, 9), min_size=1, max_size=12), st.integers(1, 9), st.floats(0, 1), st.integers(0, 10**6))
def test_degrees_are_brought_to_a_total_in_proportion(degrees, most, share, seed):
    degrees = np.array(degrees)
    total = int(share * most * len(degrees))
    brought = module._with_total(degrees, total, most, np.random.default_rng(seed))
    assert brought.sum() == total
    assert ((brought >= 0) & (brought <= most)).all()
    positive = degrees > 0
    if positive.sum() <= total <= positive.sum() * most:
        assert ((brought > 0) == positive).all()
        # none gets more than another with a larger degree, up to the rounding
        order = np.argsort(degrees, kind="stable")
        assert (brought[order] >= np.maximum.accumulate(brought[order]) - 1).all()


def test_rounding_degrees_has_no_bias():
    rng = np.random.default_rng(0)
    brought = np.mean([module._with_total(np.array([1, 2, 3, 4]), 13, 9, rng) for _ in range(2000)], axis=0)
    np.testing.assert_allclose(brought, 1.3 * np.arange(1, 5), atol=4 * 0.5 / np.sqrt(2000))


def test_sizes_and_degrees_go_together_by_gale_and_ryser():
    """All pairs of margins of 3 × 3 matrices, against the list of all matrices."""
    matrices = np.array(list(itertools.product((0, 1), repeat=9))).reshape(-1, 3, 3)
    margins = {(tuple(A.sum(0)), tuple(A.sum(1))) for A in matrices}
    numbers = list(itertools.product(range(4), repeat=3))
    for sizes, degrees in itertools.product(numbers, numbers):
        assert module._go_together(np.array(sizes), np.array(degrees)) == ((sizes, degrees) in margins)


def test_margins_that_do_not_go_together_are_not_used():
    """One hyperedge of six among pairs: its sizes fit the degrees of others only now and then."""
    H = hh.Hypergraph([range(6), [0, 1], [0, 1], [0, 1]], nodes=6)
    marginals, rng = TrainingMarginals.of([H]), np.random.default_rng(0)
    drawn = [marginals.sample(7, 5, rng) for _ in range(200)]
    assert np.mean([module._go_together(*pair) for pair in drawn]) > 0.95


def test_the_nearest_size_gives_the_marginals():
    """Hyperedges of one node at 4 × 3, of all nodes at 40 × 30."""
    small, large = hh.Hypergraph([[0]] * 3, nodes=4), hh.Hypergraph([range(40)] * 30)
    marginals, rng = TrainingMarginals.of([small, large, hh.Hypergraph(nodes=8)]), np.random.default_rng(0)
    assert marginals.sample(5, 4, rng)[0].max() == 1
    assert marginals.sample(50, 30, rng)[0].tolist() == [40] * 30
    assert marginals.sample(30, 30, rng)[0].tolist() == [30] * 30  # not 40 of 30 nodes
    assert marginals.sample(9, 7, rng)[0].max() == 1  # log(9/4) + log(7/3) < log(40/9) + log(30/7)
