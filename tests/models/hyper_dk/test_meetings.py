"""Rows of bits: what they say, and which nodes have some. That swaps keep them right is tested with the rewiring."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hyperhedge as hh
from hyperhedge.models.hyper_dk import meetings
from hyperhedge.models.hyper_dk.meetings import Meetings, ones
from hyperhedge.models.hyper_dk.targets import Members

#: 12 nodes of degree 96, 6 of degree 24, 20 of degree 8 and 2 of degree 2, in 200 hyperedges.
DEGREES = [96] * 12 + [24] * 6 + [8] * 20 + [2] * 2


@pytest.fixture(scope="module")
def members():
    rng = np.random.default_rng(1)
    places = [rng.choice(200, size=degree, replace=False) for degree in DEGREES]
    nodes = np.repeat(np.arange(len(DEGREES)), DEGREES)
    H = hh.Hypergraph.from_indices(nodes, np.concatenate(places), nodes=len(DEGREES), edges=200)
    return Members.of(H.indices, H.edge_sizes, H.degrees)


@given(st.integers(0, 2**64 - 1))
def test_ones_are_counted(word):
    assert ones(np.uint64(word)) == word.bit_count()


def test_a_row_says_which_hyperedges_of_a_node_have_another(members, monkeypatch):
    monkeypatch.setattr(meetings, "LEAST_WORTH", 0)
    monkeypatch.setattr(meetings, "LEAST_DEGREE", 9)
    meet = Meetings.of(members)
    assert meet.words.tolist() == [2] * 12 + [1] * 6 + [0] * 22
    hyperedges = np.split(members.members, members.starts[1:-1])
    for u in range(18):
        numbers = meet.number[members.members == u]
        assert sorted(numbers.tolist()) == list(range(DEGREES[u]))
        own = [set(hyperedges[e].tolist()) - {u} for e in members.edge_of[members.members == u]]
        rows = meet.bits[meet.first[u] :][: 40 * meet.words[u]].reshape(40, -1)
        for number, others in zip(numbers.tolist(), own, strict=True):
            bits = rows[:, number // 64] >> np.uint64(number % 64) & np.uint64(1)
            assert set(np.flatnonzero(bits).tolist()) == others


def test_rows_are_for_classes_of_large_degree_whose_nodes_are_often_proposed(members, monkeypatch):
    def with_rows():
        return members.degrees[meetings._with_rows(members)].tolist()

    pairs = members.degrees**2 * members.nodes * (members.nodes - 1)
    walks = pairs / pairs.sum() * members.degrees  # saved, per proposal
    touched = members.nodes * members.degrees / len(members.members)
    worth = dict(zip(members.degrees.tolist(), walks / touched, strict=True))
    assert worth[96] > worth[24] > worth[8] > worth[2]
    monkeypatch.setattr(meetings, "LEAST_DEGREE", 3)
    monkeypatch.setattr(meetings, "LEAST_WORTH", 0)
    assert with_rows() == [8, 24, 96]
    monkeypatch.setattr(meetings, "LEAST_WORTH", worth[24] * 0.999)
    assert with_rows() == [24, 96]
    monkeypatch.setattr(meetings, "LEAST_WORTH", worth[24] * 1.001)
    assert with_rows() == [96]


def test_rows_have_no_more_than_their_share_of_memory(members, monkeypatch):
    monkeypatch.setattr(meetings, "LEAST_DEGREE", 3)
    monkeypatch.setattr(meetings, "LEAST_WORTH", 0)
    for most, degrees in ((12 * 2 * 40 - 1, []), (12 * 2 * 40, [96]), (12 * 2 * 40 + 6 * 40, [24, 96])):
        monkeypatch.setattr(meetings, "MOST_WORDS", most)
        assert members.degrees[meetings._with_rows(members)].tolist() == degrees
        assert len(Meetings.of(members).bits) <= most
