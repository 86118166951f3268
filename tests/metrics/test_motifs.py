"""The h-motifs: against the paper's list, a brute force over all triples, MoCHy's own program, and closed forms."""

from itertools import combinations, permutations, product
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hyperhedge as hh
from hyperhedge._system import portions
from hyperhedge.metrics.motifs import motif_counts
from strategies import hypergraphs, random_hypergraphs

# The regions that have nodes, for each motif in the order of the paper's figure.
REGIONS = """
    a b abc            | a b c abc          | a ab abc           | a b ab abc         | a c ab abc         | a b c ab abc
    ab bc abc          | b ab bc abc        | a ab bc abc        | a b ab bc abc      | a c ab bc abc      | a b c ab bc abc
    ab bc ca abc       | a ab bc ca abc     | a b ab bc ca abc   | a b c ab bc ca abc
    ab bc              | b ab bc            | a ab bc            | a b ab bc          | a c ab bc          | a b c ab bc
    ab bc ca           | a ab bc ca         | a b ab bc ca       | a b c ab bc ca
"""
MOTIFS = [frozenset(map(frozenset, text.split())) for text in REGIONS.strip().replace("\n", "|").split("|")]


def renamed(regions, names):
    return frozenset(frozenset(names["abc".index(x)] for x in region) for region in regions)


NUMBERS = {renamed(regions, names): k for k, regions in enumerate(MOTIFS) for names in permutations("abc")}


def counted_by_brute_force(H):
    """Look at every triple of different hyperedges."""
    counts = [0] * 26
    for triple in combinations({frozenset(edge) for edge in H.hyperedges if edge}, 3):
        in_which = {frozenset(x for x, edge in zip("abc", triple, strict=True) if v in edge) for v in H.nodes}
        regions = frozenset(in_which - {frozenset()})
        if regions in NUMBERS:
            counts[NUMBERS[regions]] += 1
    return counts


def test_the_list_has_every_pattern_of_three_different_connected_hyperedges_once():
    seen = set()
    names = [frozenset(x) for r in (1, 2, 3) for x in combinations("abc", r)]
    for wanted in product((0, 1), repeat=7):
        regions = frozenset(name for name, some in zip(names, wanted, strict=True) if some)
        edges = {x: {region for region in regions if x in region} for x in "abc"}
        different = all(edges[x] != edges[y] for x, y in combinations("abc", 2)) and all(edges.values())
        connected = sum(bool(edges[x] & edges[y]) for x, y in combinations("abc", 2)) >= 2
        assert (regions in NUMBERS) == (different and connected)
        seen |= {NUMBERS[regions]} if regions in NUMBERS else set()
    assert seen == set(range(26))


@pytest.mark.parametrize("times", [1, 3])
@pytest.mark.parametrize("k", range(26))
def test_one_triple_of_each_pattern(k, times):
    for names in permutations("abc"):
        nodes = [region for region in renamed(MOTIFS[k], names) for _ in range(times)]
        H = hh.Hypergraph([[v for v, region in enumerate(nodes) if x in region] for x in "abc"])
        assert motif_counts(H).tolist() == [int(j == k) for j in range(26)]


@given(hypergraphs(max_nodes=8, max_edges=9))
def test_brute_force(H):
    assert motif_counts(H).tolist() == counted_by_brute_force(H)


@pytest.mark.parametrize(("n", "m", "density"), [(20, 40, 0.15), (12, 30, 0.4), (60, 50, 0.05), (5, 60, 0.5)])
def test_brute_force_on_larger_ones(n, m, density):
    (H,) = random_hypergraphs(1, n, m, density=density, seed=3)
    assert motif_counts(H).tolist() == counted_by_brute_force(H)


@pytest.mark.full
def test_brute_force_on_a_hundred_hyperedges():
    (H,) = random_hypergraphs(1, 40, 120, density=0.12, seed=4)
    assert motif_counts(H).tolist() == counted_by_brute_force(H)


def test_the_program_of_the_paper_s_authors_counts_the_same():
    """MoCHy-E (github.com/geonlee0325/MoCHy, commit afb6601) on the same 13 different hyperedges."""
    women = hh.load_dataset("southern-women").hypergraph
    mochy = [0, 2, 4, 12, 6, 6, 0, 8, 10, 33, 3, 16, 0, 6, 19, 4, 0, 0, 0, 21, 1, 58, 0, 4, 3, 0]
    assert motif_counts(women).tolist() == mochy


def test_closed_forms():
    star = motif_counts(hh.Hypergraph([[0, k] for k in range(1, 101)]))
    assert star.tolist() == [comb(100, 3) * (k == 2) for k in range(1, 27)]
    comb_shape = motif_counts(hh.Hypergraph([list(range(200)), *([k, 200 + k] for k in range(200))]))
    assert comb_shape.tolist() == [comb(200, 2) * (k == 22) for k in range(1, 27)]
    complete = motif_counts(hh.Hypergraph([list(edge) for edge in combinations(range(9), 2)]))  # the graph K9
    stars, triangles, paths = 9 * comb(8, 3), comb(9, 3), 9 * 8 * 7 * 6 // 2
    expected = {2: stars, 21: paths, 23: triangles}
    assert complete.tolist() == [expected.get(k, 0) for k in range(1, 27)]


@given(hypergraphs(max_nodes=8, max_edges=8), st.randoms(use_true_random=False))
def test_order_and_repeats_do_not_matter(H, random):
    nodes, edges = list(range(H.n)), list(range(H.m))
    random.shuffle(nodes)
    random.shuffle(edges)
    shuffled = H.permute(nodes=nodes, edges=edges)
    assert motif_counts(shuffled).tolist() == motif_counts(H).tolist()
    again = hh.Hypergraph([*H.hyperedges, *H.hyperedges[:3], []], nodes=H.nodes)
    assert motif_counts(again).tolist() == motif_counts(H).tolist()


@pytest.mark.parametrize("edges", [[], [[]], [[0]], [[0], [0], [0]], [[0], [0, 1]], [[0], [1], [2]]])
def test_too_few_hyperedges(edges):
    assert motif_counts(hh.Hypergraph(edges, nodes=3)).tolist() == [0] * 26


def test_portions_change_nothing(monkeypatch):
    (H,) = random_hypergraphs(1, 30, 50, density=0.1, seed=5)
    whole = motif_counts(H)
    monkeypatch.setattr(portions, "AT_ONCE", 40)
    assert motif_counts(H).tolist() == whole.tolist()
    assert whole.sum() > 1000


def test_more_pairs_than_memory_are_refused():
    H = hh.Hypergraph([[0, k] for k in range(1, 11)])
    assert motif_counts(H, most_pairs=45)[1] == comb(10, 3)
    with pytest.raises(
        hh.errors.HyperhedgeError, match=r"45 pairs of hyperedges overlap, .* most_pairs allows 44; allow"
    ):
        motif_counts(H, most_pairs=44)
