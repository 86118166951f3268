"""Copies: alignments against brute force over all of them, hidden copies that must be found, and what rewiring keeps."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hyperhedge as hh
from hyperhedge._system import portions
from hyperhedge.metrics.whole import copies
from hyperhedge.metrics.whole.copies import (
    aligned,
    copied,
    copied_by_number,
    known_surroundings,
    matched,
    rewired,
)
from hyperhedge.models.configuration import shuffle
from strategies import hypergraphs, random_hypergraphs


def hidden(H, seed=0):
    rng = np.random.default_rng(seed)
    return H.permute(nodes=rng.permutation(H.n), edges=rng.permutation(H.m))


def matched_by_hand(train, generated, image):
    known = Counter(frozenset(map(int, members)) for members in np.split(train.indices, train.indptr[1:-1]))
    new = Counter()
    for members in np.split(generated.indices, generated.indptr[1:-1]):
        if all(image[v] >= 0 for v in members):
            new[frozenset(int(image[v]) for v in members)] += 1
    return sum((known & new).values()) / generated.m


@given(hypergraphs(max_nodes=5, max_edges=6), hypergraphs(max_nodes=5, max_edges=6), st.randoms(use_true_random=False))
def test_matches_are_those_of_the_definition(train, generated, random):
    if not (generated.m and train.m):
        return
    image = list(range(train.n)) + [-1] * generated.n
    random.shuffle(image)
    image = np.array(image[: generated.n], dtype=np.int64)
    assert matched(train, generated, image) == pytest.approx(matched_by_hand(train, generated, image))


@given(hypergraphs(max_nodes=5, max_edges=6), hypergraphs(max_nodes=5, max_edges=6))
def test_an_alignment_is_one_to_one_and_never_better_than_the_best(train, generated):
    image = aligned(train, generated)
    used = image[image >= 0]
    assert len(image) == generated.n
    assert len(np.unique(used)) == len(used)
    assert (used < train.n).all()
    if generated.m and train.m:
        size = max(train.n, generated.n)
        best = max(
            matched_by_hand(train, generated, [v if v < train.n else -1 for v in order[: generated.n]])
            for order in permutations(range(size))
        )
        assert matched(train, generated, image) <= best + 1e-12


def communities(seed=0):
    """Sample overlapping groups, with twins and small components that are alike, as real hypergraphs have them."""
    rng = np.random.default_rng(seed)
    edges = [
        rng.choice(np.arange(8 * g, 8 * g + 12), size=rng.integers(2, 6), replace=False).tolist()
        for g in range(40)
        for _ in range(6)
    ]
    return hh.Hypergraph(edges + [[500 + 2 * k, 501 + 2 * k] for k in range(20)])


@pytest.mark.parametrize("seed", range(3))
def test_a_hidden_copy_is_found(seed):
    H = communities(seed)
    found = copied(H, hidden(H, seed))
    assert found.matched > 0.97
    assert found.by_number < 0.1
    assert found.surroundings == 1


def test_copies_with_some_incidences_rewired_are_found_in_order():
    H = communities()
    shares = [copied(H, hidden(rewired(H, share, seed=1))).matched for share in (0.0, 0.01, 0.1, 1.0)]
    true = [copied_by_number(H, rewired(H, share, seed=1)).matched for share in (0.0, 0.01, 0.1, 1.0)]
    assert shares[0] > shares[1] > shares[2] > shares[3]
    assert shares[1] > 0.8 * true[1]
    assert shares[2] > 0.7 * true[2]
    assert copied(H, hidden(shuffle(H, seed=0))).matched < 0.2


def test_copies_by_number_are_seen_without_an_alignment():
    H = communities()
    found = copied(H, rewired(H, 0.05, seed=0))
    assert found.by_number == copied_by_number(H, rewired(H, 0.05, seed=0)).matched
    assert found.matched >= found.by_number > 0.6


def test_nodes_beyond_the_training_hypergraph_match_none():
    train, generated = hh.Hypergraph([[0, 1]]), hh.Hypergraph([[0, 1], [1, 2]])
    assert copied(train, generated).by_number == 0.5


def test_surroundings_are_known_only_if_they_are_unique_and_the_same():
    # Two hyperedges with nothing around them are no fingerprint; the triangle with a tail is.
    train = hh.Hypergraph([[0, 1], [2, 3], [4, 5, 6], [6, 7]])
    assert known_surroundings(train, hh.Hypergraph([[8, 9]])) == 0
    assert known_surroundings(train, hh.Hypergraph([[9, 8, 7], [7, 5]])) == 1
    assert known_surroundings(train, hh.Hypergraph([[9, 8, 7], [7, 5], [5, 4]])) == 0
    assert np.isnan(known_surroundings(hh.Hypergraph([[0], [1]]), train))


def test_surroundings_reach_the_degrees_of_the_second_neighbours():
    path = hh.Hypergraph([[k, k + 1] for k in range(9)])
    changed = hh.Hypergraph([[k, k + 1] for k in range(9)] + [[8, 20]])
    kept = known_surroundings(path, changed, rounds=4)
    # A path is symmetric: of nine hyperedges only the middle one's surroundings occur once, after enough rounds.
    assert known_surroundings(path, path, rounds=8) == 1
    assert np.isnan(kept)  # four rounds do not reach from the middle to the ends
    one, other = hh.Hypergraph([[0, 1], [1, 2, 3], [3, 4]]), hh.Hypergraph([[0, 1], [1, 2, 3], [3, 4], [4, 5]])
    assert known_surroundings(one, other) == 0


@pytest.mark.parametrize("train", [hh.Hypergraph([]), hh.Hypergraph([], nodes=3), hh.Hypergraph([[]])])
def test_nothing_to_align(train):
    generated = hh.Hypergraph([[0, 1]])
    assert aligned(train, generated).tolist() == [-1, -1]
    assert copied(train, generated).matched == 0
    assert np.isnan(copied(generated, hh.Hypergraph([], nodes=2)).matched)


@pytest.mark.parametrize("H", random_hypergraphs(5, 20, 15, density=0.3))
@pytest.mark.parametrize("share", [0.0, 0.2, 1.0])
def test_rewiring_keeps_degrees_and_sizes_and_moves_no_more_than_its_share(H, share):
    copy = rewired(H, share, seed=3)
    assert copy.degrees.tolist() == H.degrees.tolist()
    assert copy.edge_sizes.tolist() == H.edge_sizes.tolist()
    assert (copy.incidence != H.incidence).sum() // 2 <= round(share * H.num_incidences)
    assert rewired(H, share, seed=3) == copy


def test_rewiring_everything_is_nearly_the_configuration_model():
    H = hh.Hypergraph([[2 * k, 2 * k + 1] for k in range(200)])
    copy = rewired(H, 1.0, seed=0)
    assert copied_by_number(H, copy).matched < 0.05
    # A random permutation of all 400 incidences leaves one at its place, on average.
    assert 400 - (copy.incidence != H.incidence).sum() // 2 < 10


def test_rewiring_everything_goes_as_far_as_a_shuffle_where_half_of_all_places_are_taken():
    H = random_hypergraphs(1, 20, 20, density=0.5, seed=1)[0]

    def moved(copies_of_it):
        return np.mean([(copy.incidence != H.incidence).sum() for copy in copies_of_it])

    far = moved(rewired(H, 1.0, seed=seed) for seed in range(40))
    assert far > 0.9 * moved(shuffle(H, seed=seed) for seed in range(40))


def test_work_in_portions_rewires_the_same(monkeypatch):
    H = communities()
    copy = rewired(H, 0.5, seed=0)
    monkeypatch.setattr(portions, "AT_ONCE", 100)
    assert rewired(H, 0.5, seed=0) == copy


def test_of_equal_candidates_that_of_the_last_round_is_kept():
    train, generated = hh.Hypergraph([[0, 1], [0, 2], [0, 3]]), hh.Hypergraph([[0, 1]])
    votes, nodes = copies._Votes(train, generated), np.array([0, -1])
    for before in (0, 1, 2):  # each holds the image of one of its two nodes
        assert votes.edges(nodes, np.array([before])).tolist() == [before]
    surest = votes.edges(np.array([0, 2]), np.array([0]))
    assert surest.tolist() == [1]  # the hyperedge that holds both


def test_hubs_that_would_cost_too_much_have_no_vote(monkeypatch):
    H = hh.Hypergraph([[0, 1], [0, 2], [0, 3], [4, 5]])
    votes, nodes, before = copies._Votes(H, H), np.array([0, -1, -1, -1, 4, -1]), np.full(4, -1)
    assert sorted(votes.edges(nodes, before).tolist()) == [0, 1, 2, 3]
    monkeypatch.setattr(copies, "_MOST_VOTES", 8)  # of the nine pairs that the hub would vote for
    assert votes.edges(nodes, before).tolist() == [-1, -1, -1, 3]


def test_a_copy_is_found_where_hubs_have_no_vote(monkeypatch):
    H = hh.Hypergraph([[0, 2 * k + 1, 2 * k + 2] for k in range(60)] + [[k, k + 1, k + 2] for k in range(1, 110, 3)])
    with_hub = aligned(H, hidden(H))
    monkeypatch.setattr(copies, "_MOST_VOTES", 600)
    without = aligned(H, hidden(H))
    assert matched(H, hidden(H), without) > 0
    assert matched(H, hidden(H), with_hub) > 0.5
