"""Rewiring: one proposal against the law that its definition gives, what many of them keep, and where they lead."""

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import stats

import hyperhedge as hh
from hyperhedge.errors import GeneratorError
from hyperhedge.models.hyper_dk import meetings, rewiring
from hyperhedge.models.hyper_dk.meetings import Meetings
from hyperhedge.models.hyper_dk.rewiring import Keys, Lists, Scratch, Slots, match_joint_degrees, match_redundancy
from hyperhedge.models.hyper_dk.targets import Members
from hyperhedge.models.multiplicities import buckets_for, keys_of
from hyperhedge.models.xoshiro import state_from
from strategies import hypergraphs

LARGE = hh.Hypergraph([[0, 1, 2, 3], [0, 1, 2, 4], [0, 1, 2, 3, 5], [0, 3, 4, 5], [2, 4, 6], [5, 6]])

#: Pairs of a hypergraph and one to aim at, with equal degrees.
CASES = {
    "equal sizes": (
        hh.Hypergraph([[0, 1, 2], [1, 2, 3], [0, 4], [3, 4], [4, 5]]),
        hh.Hypergraph([[0, 1, 4], [1, 2, 4], [2, 3], [0, 4], [3, 5]]),
    ),
    "other sizes": (
        hh.Hypergraph([[0, 1, 2, 3], [1], [0, 4, 2], [3, 4], [4, 5]]),
        hh.Hypergraph([[0, 1, 4], [1, 2, 4], [2, 3], [0, 4], [3, 5]]),
    ),
    "much overlap": (
        hh.Hypergraph([[0, 1, 2], [0, 1, 2], [0, 3, 4], [3, 4, 5], [5, 1], [2, 3]], nodes=7),
        hh.Hypergraph([[0, 1, 3], [2, 1, 4], [0, 3, 5], [3, 2, 5], [0, 1], [2, 4]], nodes=7),
    ),
    "a node in all": (
        hh.Hypergraph([[0, 1], [0, 2], [0, 3, 1], [0, 2, 3]]),
        hh.Hypergraph([[0, 1], [0, 1], [0, 2, 3], [0, 2, 3]]),
    ),
    "large hyperedges": (LARGE, hh.shuffle(LARGE, seed=1)),
    "large overlaps": (hh.shuffle(LARGE, seed=2), LARGE),
    "aimed at itself": (hh.Hypergraph([[0, 1, 2], [1, 2, 3], [0, 4], [3, 4], [4, 5]]),) * 2,
    "repeats near": (
        hh.Hypergraph([[0, 1], [2, 3], [0, 2], [1, 4], [3, 4]]),
        hh.Hypergraph([[0, 1], [0, 1], [2, 3], [2, 3], [4], [4]], nodes=5),
    ),
}


def members_of(H):
    return Members.of(H.indices, H.edge_sizes, H.degrees)


def state_of(members):
    """Return the hyperedges, each as a set."""
    bounds = itertools.pairwise(members.starts.tolist())
    return tuple(frozenset(members.members[begin:end].tolist()) for begin, end in bounds)


def joint_distance(state, degrees, target):
    """Return the distance of the laws of a random pair."""

    def law(edges):
        counts = Counter(
            tuple(sorted(degrees[v] for v in pair)) for e in edges for pair in itertools.combinations(e, 2)
        )
        return {key: Fraction(value, sum(counts.values())) for key, value in counts.items()}

    real, wanted = law(state), law(target)
    return sum(abs(real.get(key, 0) - wanted.get(key, 0)) for key in real.keys() | wanted.keys())


def redundancy_distance(state, degrees, target):
    def coefficients(edges):
        sums = Counter()
        for v, degree in enumerate(degrees):
            own = [e for e in edges if v in e]
            redundant = sum(len(e & f) > 1 for e, f in itertools.combinations(own, 2))
            sums[degree] += Fraction(redundant, max(degree * (degree - 1) // 2, 1) * degrees.count(degree))
        return sums

    real, wanted = coefficients(state), coefficients(target)
    return sum(abs(real[d] - wanted[d]) for d in set(degrees))


def law_of_a_proposal(H, T, step, distinct=False):
    """Return the probability of each state after one proposal."""
    degrees, target = H.degrees.tolist(), tuple(map(frozenset, T.hyperedges))
    distance = joint_distance if step is match_joint_degrees else redundancy_distance
    state = tuple(map(frozenset, H.hyperedges))
    incidences = [(v, e) for e, members in enumerate(state) for v in members]
    pairs = list(itertools.product(incidences, repeat=2))
    if step is match_redundancy:
        pairs = [((u, e), (v, f)) for (u, e), (v, f) in pairs if degrees[u] == degrees[v] and u != v]
    law = Counter()
    for (u, e), (v, f) in pairs:
        new = list(state)
        if u != v and e != f and v not in state[e] and u not in state[f]:
            new[e], new[f] = state[e] - {u} | {v}, state[f] - {v} | {u}
            further = distance(new, degrees, target) > distance(state, degrees, target)
            if further or (distinct and len(set(new)) < len(new)):
                new = list(state)
        law[tuple(new)] += Fraction(1, len(pairs))
    return law


def proposed(H, T, step, proposals, seed=0, distinct=False):
    rng = np.random.default_rng(seed)
    members, target = members_of(H), members_of(T)
    keys = Keys.of(members, rng) if distinct else Keys.none()
    aim = target.joint_degrees() if step is match_joint_degrees else target.redundant_pairs()
    step(members, aim, proposals, keys, state_from(rng))
    return members


@pytest.mark.parametrize("distinct", [False, True])
@pytest.mark.parametrize("step", [match_joint_degrees, match_redundancy])
@pytest.mark.parametrize("case", CASES)
def test_the_law_of_a_proposal(case, step, distinct):
    H, T = CASES[case]
    if distinct and len(set(map(frozenset, H.hyperedges))) < H.m:
        return
    law = law_of_a_proposal(H, T, step, distinct)
    count = 6000
    seen = Counter(state_of(proposed(H, T, step, 1, seed, distinct)) for seed in range(count))
    assert set(seen) <= set(law)
    keys = sorted(law, key=law.get)
    expected = [float(count * law[key]) for key in keys]
    assert len(keys) == 1 or stats.chisquare([seen[key] for key in keys], expected).pvalue > 1e-3


@pytest.fixture
def rows_for_all(monkeypatch):
    """Return a function that gives rows of bits to all nodes that can have some, or to none."""

    def choose(wanted):
        monkeypatch.setattr(meetings, "LEAST_DEGREE", 1 if wanted else 2**40)
        monkeypatch.setattr(meetings, "LEAST_WORTH", 0)

    return choose


@pytest.mark.parametrize("rows", [False, True])
@pytest.mark.parametrize("distinct", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_what_is_kept_up_to_date_is_what_a_new_count_gives(case, distinct, rows, rows_for_all):
    rows_for_all(rows)
    H, T = CASES[case]
    rng = np.random.default_rng(3)
    members, aims = members_of(H), members_of(T)
    keys = Keys.of(members, rng) if distinct else Keys.none()
    lists, random = Lists.of(members), state_from(rng)

    short, weight = rewiring._shortage(members.joint_degrees(), aims.joint_degrees())
    scratch = Scratch.of(len(members.degrees))
    rewiring._match_joint_degrees(300, lists, short, weight, keys, scratch, random)
    again, same_weight = rewiring._shortage(members.joint_degrees(), aims.joint_degrees())
    assert weight == same_weight
    assert short.tolist() == again.tolist()
    assert not scratch.seen.any()

    slots = Slots.of(members)
    nodes, joint = members.members[slots.places].copy(), members.joint_degrees()
    short, marks = aims.redundant_pairs() - members.redundant_pairs(), np.zeros(H.n, dtype=np.int8)
    weights, meet = np.ones(len(members.degrees)), Meetings.of(members)
    assert (len(meet.bits) > 0) == rows
    rewiring._match_redundancy(300, lists, slots, short, weights, keys, marks, meet, scratch, random)
    assert short.tolist() == (aims.redundant_pairs() - members.redundant_pairs()).tolist()
    assert members.joint_degrees().tolist() == joint.tolist()
    assert members.members[slots.places].tolist() == nodes.tolist()
    assert members.edge_of[slots.places].tolist() == slots.edges.tolist()
    assert not marks.any()
    assert not scratch.seen.any()
    if rows:
        assert_rows_are_right(members, meet)
    if distinct:
        of_edges = keys_of(members.members, members.starts, keys.of_nodes)
        assert of_edges.tolist() == keys.of_edges.tolist()
        assert buckets_for(of_edges).tolist() == keys.buckets.tolist()


def redundancy_matched(H, aim, seed, weights):
    """Return what many proposals lead to, with weights in which sums are exact."""
    members = members_of(H)
    short, marks = aim - members.redundant_pairs(), np.zeros(H.n, dtype=np.int8)
    lists, slots, scratch = Lists.of(members), Slots.of(members), Scratch.of(len(members.degrees))
    random, meet = state_from(np.random.default_rng(seed)), Meetings.of(members)
    if slots.pairs.any():
        rewiring._match_redundancy(500, lists, slots, short, weights, Keys.none(), marks, meet, scratch, random)
    return members, short, meet


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(H=hypergraphs(max_nodes=9, max_edges=9), seed=st.integers(0, 100))
def test_rows_of_bits_make_the_swaps_that_walking_makes(H, seed, rows_for_all):
    aim = members_of(hh.shuffle(H, seed=seed)).redundant_pairs()
    assert_rows_make_the_same(H, aim, seed, rows_for_all)


@pytest.mark.parametrize("degree", [63, 64, 65, 130])
def test_rows_of_many_words_make_the_swaps_that_walking_makes(degree, rows_for_all):
    rng = np.random.default_rng(degree)
    edges = [set() for _ in range(2 * degree)]
    for v in range(20):
        for e in rng.choice(2 * degree, size=degree - v % 2, replace=False):
            edges[e].add(v)
    H = hh.Hypergraph([sorted(e) for e in edges], nodes=range(21))  # and an isolated node
    assert set(H.degrees.tolist()) == {0, degree - 1, degree}
    assert_rows_make_the_same(H, members_of(H).redundant_pairs() // 2, degree, rows_for_all)


def assert_rows_make_the_same(H, aim, seed, rows_for_all):
    weights = np.ones(len(members_of(H).degrees))
    rows_for_all(False)
    walked, short, none = redundancy_matched(H, aim, seed, weights)
    rows_for_all(True)
    read, same, meet = redundancy_matched(H, aim, seed, weights)
    assert not len(none.bits)
    assert read.members.tolist() == walked.members.tolist()
    assert same.tolist() == short.tolist()
    assert_rows_are_right(read, meet)


def assert_rows_are_right(members, meet):
    for place, (u, e) in enumerate(zip(members.members.tolist(), members.edge_of.tolist(), strict=True)):
        if meet.words[u]:
            others = set(members.members[members.starts[e] : members.starts[e + 1]].tolist()) - {u}
            word, bit = divmod(int(meet.number[place]), 64)
            words = meet.bits[meet.first[u] + np.arange(len(members.classes)) * meet.words[u] + word]
            assert set(np.flatnonzero((words >> np.uint64(bit)) & np.uint64(1)).tolist()) == others


@settings(max_examples=60)
@given(hypergraphs(max_nodes=9, max_edges=9), st.integers(0, 100), st.booleans())
def test_degrees_sizes_and_distances(H, seed, distinct):
    """The distance never rises, and joint degrees stay where redundancy is aimed at."""
    T = hh.shuffle(H, seed=seed)
    degrees, target = H.degrees.tolist(), tuple(frozenset(e) for e in T.relabel(nodes=range(H.n)).hyperedges)
    joint = proposed(H, T, match_joint_degrees, 200, seed, distinct)
    start = state_of(members_of(H))
    assert joint_distance(state_of(joint), degrees, target) <= joint_distance(start, degrees, target)
    redundant = proposed(H, T, match_redundancy, 200, seed, distinct)
    assert redundant.joint_degrees().tolist() == members_of(H).joint_degrees().tolist()
    assert redundancy_distance(state_of(redundant), degrees, target) <= redundancy_distance(start, degrees, target)
    for members in (joint, redundant):
        assert [len(e) for e in state_of(members)] == H.edge_sizes.tolist()  # sets: no node is twice in a hyperedge
        assert np.bincount(members.members, minlength=H.n).tolist() == degrees
        if distinct:
            assert repeated(state_of(members)) <= repeated(start)


def repeated(state):
    """Count pairs of equal hyperedges."""
    return sum(e == f for e, f in itertools.combinations(state, 2))


def alike(n, degrees, sizes):
    """List all hypergraphs with these degrees and sizes."""
    for edges in itertools.product(*(itertools.combinations(range(n), size) for size in sizes)):
        if Counter(v for e in edges for v in e) == Counter(dict(enumerate(degrees))):
            yield tuple(map(frozenset, edges))


@pytest.mark.parametrize("step", [match_joint_degrees, match_redundancy])
def test_where_the_target_is_met_all_that_meets_it_is_equally_probable(step):
    H = hh.Hypergraph([[0, 1], [1, 2], [2, 3, 0], [3, 1]])
    degrees, start = H.degrees.tolist(), tuple(map(frozenset, H.hyperedges))
    joint = members_of(H).joint_degrees().tolist()

    def meets(state):
        if joint_distance(state, degrees, start) > 0:
            return False
        return step is match_joint_degrees or redundancy_distance(state, degrees, start) == 0

    law = [state for state in alike(4, degrees, H.edge_sizes.tolist()) if meets(state)]
    count = 40 * len(law)
    seen = Counter()
    for seed in range(count):
        members = proposed(H, H, step, 100, seed)
        assert members.joint_degrees().tolist() == joint
        seen[state_of(members)] += 1
    assert set(seen) <= set(law)
    reached = [state for state in law if seen[state]]
    assert len(reached) > len(law) / 2
    assert stats.chisquare([seen[state] for state in reached]).pvalue > 1e-3


@pytest.mark.parametrize("step", [match_joint_degrees, match_redundancy])
@pytest.mark.parametrize(
    "H", [hh.Hypergraph(), hh.Hypergraph(nodes=3), hh.Hypergraph([[], []]), hh.Hypergraph([[0], [1], [0]])]
)
def test_nothing_to_rewire(H, step):
    before = state_of(members_of(H))
    for distinct in (False, True):
        assert state_of(proposed(H, H, step, 100, distinct=distinct)) == before


def test_without_a_law_of_pairs_nothing_is_done():
    H = hh.Hypergraph([[0, 1], [0, 2]])
    members = members_of(H)
    match_joint_degrees(
        members, np.zeros((2, 2), dtype=np.int64), 100, Keys.none(), state_from(np.random.default_rng(0))
    )
    assert state_of(members) == state_of(members_of(H))


def test_nodes_of_different_degrees_have_no_redundancy_to_exchange():
    H = hh.Hypergraph([[0, 1], [0, 1], [0, 2]])
    T = hh.Hypergraph([[0, 1], [0, 2], [0, 1]])
    assert state_of(proposed(H, T, match_redundancy, 1000)) == state_of(members_of(H))


def test_proposals_are_made_in_portions(monkeypatch):
    H, T = CASES["equal sizes"]
    for step in (match_joint_degrees, match_redundancy):
        whole = proposed(H, T, step, 50).members.tolist()
        monkeypatch.setattr(rewiring, "_AT_ONCE", 7)
        assert proposed(H, T, step, 50).members.tolist() == whole
        monkeypatch.undo()


def test_numbers_that_do_not_fit_are_refused():
    few, many = np.array([[2**31 - 1]]), np.array([[2**31]])
    with pytest.raises(GeneratorError, match="cannot be compared exactly in 64 bits; give edge='1'"):
        rewiring._shortage(few, many)
    assert rewiring._shortage(many, many)[0].tolist() == [[0]]
    assert rewiring._shortage(np.array([[0, 3], [3, 3]]), np.array([[1, 1], [1, 2]]))[1] == 2
