"""The measures: scipy's distances, an integral by brute force for tails, and what a distance must do."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ks_2samp

import hyperhedge as hh
from hyperhedge.errors import HyperhedgeError
from hyperhedge.metrics.pooled import PooledValues
from hyperhedge.metrics.whole.measures import (
    MEASURE_GROUPS,
    MEASURES,
    PROTOCOL,
    Compared,
    select_measures,
    tail_distance,
)
from hyperhedge.metrics.whole.statistics import WholeStatistics
from hyperhedge.models.configuration import shuffle
from strategies import random_hypergraphs


def pool(values):
    return PooledValues.of_arrays([np.array(values, dtype=float)])


def compared(H, null=None):
    return Compared(WholeStatistics.of(H), null)


def by_integration(real, other, steps=20_000):
    """Integrate the area between the tails on logarithmic axes, point by point."""
    real, other = np.array(real, dtype=float), np.array(other, dtype=float)
    top = np.log(max(real.max(), other.max()))
    x = np.exp((np.arange(steps) + 0.5) / steps * top)

    def logs(values):
        at_least = (values[:, None] >= x * (1 - 1e-12)).sum(axis=0)
        return np.log2((at_least + 0.5) / (len(values) + 0.5))

    return float(np.abs(logs(real) - logs(other)).mean())


NUMBERS = st.lists(st.integers(1, 40), min_size=1, max_size=20)


@given(NUMBERS, NUMBERS)
def test_tails_are_integrated_exactly(real, other):
    expected = by_integration(real, other) if max(real + other) > 1 else 0.0
    assert tail_distance(pool(real), pool(other)) == pytest.approx(expected, abs=2e-2)


def test_a_missing_tail_costs_where_the_largest_difference_hardly_sees_it():
    real, cut = [1] * 970 + [2, 4, 8, 16, 32, 64] * 5, [1] * 1000
    assert ks_2samp(real, cut).statistic == pytest.approx(0.03)
    assert tail_distance(pool(real), pool(cut)) > 3
    # Not infinitely much: one value more or less is little.
    assert tail_distance(pool([1] * 1000 + [2]), pool([1] * 1000)) == pytest.approx(np.log2(3), abs=1e-2)


def test_tails_of_nothing():
    assert np.isnan(tail_distance(pool([]), pool([1])))
    assert tail_distance(pool([1, 1]), pool([1])) == 0
    assert tail_distance(pool([0, 1]), pool([0, 0])) == 0  # below 1 there is no logarithm to integrate over


GRAPHS = random_hypergraphs(2, 30, 25, density=0.12, seed=4)


@pytest.mark.parametrize("key", [key for key in MEASURES if key.endswith("_ks")])
def test_largest_differences_are_those_of_scipy(key):
    one, other = (WholeStatistics.of(H) for H in GRAPHS)
    name = MEASURES[key].distribution
    first, second = (
        np.repeat(s.distributions[name].value, s.distributions[name].count.astype(int)) for s in (one, other)
    )
    value = MEASURES[key].compare(Compared(one), Compared(other))
    assert value == pytest.approx(ks_2samp(first, second).statistic)


@pytest.mark.parametrize("key", MEASURES)
def test_a_hypergraph_is_at_no_distance_of_itself_however_it_is_labelled(key):
    H = GRAPHS[0]
    null = WholeStatistics.of(shuffle(H, seed=0)).motifs.counts
    rng = np.random.default_rng(0)
    G = H.permute(nodes=rng.permutation(H.n), edges=rng.permutation(H.m))
    assert MEASURES[key].compare(compared(H, null), compared(G)) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("key", MEASURES)
def test_a_ring_of_cliques_is_not_a_star(key):
    cliques = [[5 * k + j for j in range(5) if j != left] for k in range(6) for left in range(5)] * 2
    ring, star = (
        hh.Hypergraph(cliques, nodes=33),
        hh.Hypergraph([[0, 3 * k + 1, 3 * k + 2, 3 * k + 3] for k in range(10)] + [[1, 2]]),
    )
    null = WholeStatistics.of(shuffle(ring, seed=0)).motifs.counts
    assert MEASURES[key].compare(compared(ring, null), compared(star)) > 0.01


def test_numbers_by_hand():
    real = hh.Hypergraph([[0, 1, 2], [1, 2], [3, 4]], nodes=6)
    other = hh.Hypergraph([[0, 1], [1, 2], [2, 3], [3, 4], [5]], nodes=6)

    def distance(key):
        return MEASURES[key].compare(compared(real), compared(other))

    assert distance("isolated") == pytest.approx(1 / 6)
    assert distance("components") == 0
    assert distance("largest_component") == pytest.approx(2 / 6)
    assert distance("nested") == pytest.approx(1 / 3)
    assert distance("overlap_tail") == 1
    assert distance("diameter") == pytest.approx((3 - 0.9) / 0.9)  # of a path of five nodes, and of cliques
    first, second = (np.linalg.svd(H.incidence.toarray().astype(float), compute_uv=False) for H in (real, other))
    assert distance("singular") == pytest.approx(np.mean(np.abs(second[:3] - first) / first))
    assert distance("components") == abs(np.log2(2 / 2))


@pytest.mark.parametrize(("first", "second", "distance"), [(2, 8, 2), (8, 2, 2), (3, 3, 0), (1, 6, np.log2(6))])
def test_numbers_of_components_are_compared_in_doublings(first, second, distance):
    one, other = (compared(hh.Hypergraph([[2 * k, 2 * k + 1] for k in range(count)])) for count in (first, second))
    assert MEASURES["components"].compare(one, other) == pytest.approx(distance)
    assert np.isnan(MEASURES["components"].compare(one, compared(hh.Hypergraph([], nodes=3))))
    assert np.isnan(MEASURES["components"].compare(compared(hh.Hypergraph([], nodes=3)), other))


def test_transitivities_and_repeats_by_hand():
    def transitivity(H):
        edges = {frozenset(edge) for edge in H.hyperedges if edge}
        return nx.transitivity(nx.Graph((e, f) for e, f in combinations(edges, 2) if e & f))

    def repeated(H):
        edges = [frozenset(edge) for edge in H.hyperedges if edge]  # empty ones equal none
        return (len(edges) - len(set(edges))) / H.m

    one, other = GRAPHS[0], hh.Hypergraph([[0, 1], [1, 2], [0, 1], [2, 3], [3, 4], [5, 6], [5, 6], [6, 7]])
    for key, number in (("transitivity", transitivity), ("repeated", repeated)):
        found = MEASURES[key].compare(compared(one), compared(other))
        assert found == pytest.approx(abs(number(one) - number(other)))
        assert found > 0.1


def test_profiles_are_taken_against_the_null_model_of_the_real_hypergraph():
    one, other = GRAPHS
    null = WholeStatistics.of(shuffle(one, seed=0)).motifs.counts
    expected = MEASURES["motif_profile"].compare(compared(one, null), compared(other))
    assert MEASURES["motif_profile"].compare(compared(one, null), compared(other, null[::-1])) == expected


def test_motifs_by_hand():
    H = hh.Hypergraph([[0, 1, 2], [2, 3], [1, 3, 4, 5], [2, 9]])  # motifs 2, 21, 22, 25, one of each
    G = hh.Hypergraph([[0, 1], [1, 2], [2, 3]])
    first, second = (WholeStatistics.of(one).motifs.counts for one in (H, G))
    some = first + second > 0
    expected = np.mean(np.abs(second - first)[some] / (first + second)[some])
    assert MEASURES["motif_counts"].compare(compared(H), compared(G)) == pytest.approx(expected)
    null = np.arange(26.0)

    def profile(counts):
        significance = (counts - null) / (counts + null + 1)
        return significance / np.sqrt((significance**2).sum())

    expected = np.abs(profile(first) - profile(second)).sum() / 2
    assert MEASURES["motif_profile"].compare(compared(H, null), compared(G)) == pytest.approx(expected)
    assert np.isnan(MEASURES["motif_profile"].compare(compared(H), compared(G)))


@pytest.mark.parametrize("key", MEASURES)
def test_nothing_to_compare_is_not_a_number_or_a_distance(key):
    empty = compared(hh.Hypergraph([], nodes=3), np.zeros(26))
    value = MEASURES[key].compare(empty, empty)
    assert np.isnan(value) or value == 0


def test_fewer_singular_values_count_as_zero():
    real = hh.Hypergraph([[0], [1], [2], [3]])
    assert MEASURES["singular"].compare(compared(real), compared(hh.Hypergraph([[0]]))) == pytest.approx(0.75)


def test_thirteen_measures_are_the_protocol_and_every_group_has_some():
    assert len(PROTOCOL) == 13
    assert {one.group for one in MEASURES.values()} == set(MEASURE_GROUPS)
    assert all(one.definition.endswith(".") and one.source for one in MEASURES.values())


def test_measures_are_chosen_by_key_and_by_group():
    assert [one.key for one in select_measures(["protocol"])] == list(PROTOCOL)
    assert {one.group for one in select_measures("motifs")} == {"motifs"}
    assert select_measures(None) == tuple(MEASURES.values()) == select_measures(["default"])
    assert [one.key for one in select_measures(["singular", "spectrum"])] == ["singular"]


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        ([], "is empty"),
        (["intersecton_ks"], "did you mean 'intersection_ks'"),
        ([len], "are names of measures or groups, not"),
        (["zzz"], "there are marginals"),
    ],
)
def test_a_bad_choice_gets_a_sentence(chosen, said):
    with pytest.raises(HyperhedgeError, match=said):
        select_measures(chosen)
