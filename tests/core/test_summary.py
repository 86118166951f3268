"""Summaries against networkx and plain sets."""

from itertools import combinations

import networkx as nx
from hypothesis import given

import hyperhedge as hh
from hyperhedge.core import summary
from hyperhedge.core.summary import Spread, summarise
from strategies import hypergraphs


@given(hypergraphs())
def test_counts_agree_with_networkx_and_plain_sets(H):
    facts = summarise(H)
    sets = [frozenset(members) for members in H]
    overlaps = [len(a & b) for a, b in combinations(sets, 2) if a & b]
    assert (facts.nodes, facts.hyperedges, facts.incidences) == (H.n, H.m, sum(map(len, sets)))
    assert facts.isolated_nodes == len(set(H.nodes) - set().union(*sets))
    assert facts.empty_hyperedges == sets.count(frozenset())
    assert facts.repeated_hyperedges == len(sets) - len(set(sets))
    assert facts.components == nx.number_connected_components(hh.convert.to_networkx(H))
    assert (facts.overlapping_pairs, facts.largest_overlap) == (len(overlaps), max(overlaps, default=0))


def test_spreads_are_of_degrees_and_sizes():
    facts = summarise(hh.Hypergraph([[0, 1, 2], [1], [1, 2]], nodes=4))
    assert facts.degree == Spread(0, 1.5, 3)
    assert facts.edge_size == Spread(1, 2.0, 3)
    assert facts.density == 0.5
    assert summarise(hh.Hypergraph()).degree == Spread(0, 0.0, 0)


def test_overlaps_that_would_be_expensive_are_not_counted(monkeypatch):
    H = hh.Hypergraph([[0], [0], [0]])  # three pairs
    monkeypatch.setattr(summary, "MAX_PAIRS", 3)
    assert summarise(H).overlapping_pairs == 3
    monkeypatch.setattr(summary, "MAX_PAIRS", 2)
    facts = summarise(H)
    assert (facts.overlapping_pairs, facts.largest_overlap) == (None, None)
