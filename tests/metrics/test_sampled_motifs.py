"""Estimated h-motifs: without bias, with errors that are right, against the exact counts; transitivity against networkx."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest

import hyperhedge as hh
from hyperhedge.data import Store, load_dataset
from hyperhedge.metrics import sampled_motifs as module
from hyperhedge.metrics.motifs import Hyperedges, distinct_hyperedges, motif_counts
from hyperhedge.metrics.sampled_motifs import estimate_motifs
from strategies import random_hypergraphs


@pytest.mark.parametrize("H", random_hypergraphs(5, 12, 14, density=0.25, seed=1))
def test_exact_where_affordable(H):
    found = estimate_motifs(H)
    assert found.exact
    assert found.counts.tolist() == motif_counts(H).tolist()
    assert not found.errors.any()


@pytest.mark.parametrize("H", random_hypergraphs(2, 20, 30, density=0.12, seed=2))
def test_estimates_have_no_bias_and_their_errors_are_right(H):
    truth = motif_counts(H)
    runs = [estimate_motifs(H, samples=200, seed=seed) for seed in range(300)]
    means, deviations = np.mean([run.counts for run in runs], axis=0), np.std([run.counts for run in runs], axis=0)
    often = truth > 20
    assert often.sum() >= 4
    assert (np.abs(means - truth) <= 4.5 * deviations / np.sqrt(300) + 1e-9).all()
    errors = np.mean([run.errors for run in runs], axis=0)
    assert errors[often] == pytest.approx(deviations[often], rel=0.2)


def one_of_each_motif():
    """Join one triple of hyperedges of each motif, with a node in every region of its diagram that is not empty."""
    regions = ((0,), (1,), (2,), (0, 1), (1, 2), (0, 2), (0, 1, 2))
    found = {}
    for pattern in range(1, 128):
        edges = [[], [], []]
        for k, region in enumerate(regions):
            for e in region if pattern >> k & 1 else ():
                edges[e].append(7 * pattern + k)
        if len({tuple(edge) for edge in edges if edge}) == 3:
            counts = motif_counts(hh.Hypergraph(edges))
            if counts.sum() == 1:
                found.setdefault(int(counts.argmax()), edges)
    assert len(found) == 26
    return hh.Hypergraph([edge for edges in found.values() for edge in edges])


def test_every_motif_is_estimated_without_bias():
    H = one_of_each_motif()
    assert motif_counts(H).tolist() == [1] * 26
    found = estimate_motifs(H, samples=20_000, seed=0)
    assert (np.abs(found.counts - 1) <= 4.5 * found.errors).all()
    assert found.errors.max() < 0.1


def test_a_motif_that_was_not_found_has_an_error_all_the_same():
    H = random_hypergraphs(1, 20, 30, density=0.12, seed=2)[0]
    found = estimate_motifs(H, samples=3, seed=0)
    missing = found.counts == 0
    assert missing.any()
    # That of a motif which one of the three samples found once: a mean of 1/3 with a standard error of 1/3.
    wedges = sum(bool(set(e) & set(f)) for e, f in combinations({frozenset(edge) for edge in H.hyperedges}, 2))
    ways = np.array([2 if 17 <= motif <= 22 else 3 for motif in range(1, 27)])
    assert found.errors[missing] == pytest.approx((wedges / ways / 3)[missing])


def test_errors_of_two_samples_are_right_on_average():
    # Two stars, of four and of nine pairs: a wedge is in one of 6 that find two triples each, or of 36 that find seven.
    H = hh.Hypergraph([[0, k] for k in range(1, 5)] + [[10, k] for k in range(11, 20)])
    squares = [estimate_motifs(H, samples=2, seed=seed).errors[1] ** 2 for seed in range(1000)]
    share = 36 / 42
    assert np.mean(squares) == pytest.approx((42 / 3) ** 2 * (7 - 2) ** 2 * share * (1 - share) / 2, rel=0.2)


def test_as_many_samples_are_taken_as_steps_allow(monkeypatch):
    # Nearly all overlapping pairs are of the twenty hyperedges that meet in one node, whose walks are long.
    H = hh.Hypergraph([[0, k] for k in range(1, 21)] + [[100 + k, 101 + k] for k in range(0, 600, 3)])
    degrees = dict(zip(H.nodes, H.degrees.tolist(), strict=True))
    walks = [sum(degrees[v] for v in edge) for edge in H.hyperedges]
    pairs = [(i, j) for i, j in combinations(range(H.m), 2) if set(H.hyperedges[i]) & set(H.hyperedges[j])]
    steps = np.mean([walks[i] + walks[j] for i, j in pairs])
    monkeypatch.setattr(module, "_MOST_PAIRS", 5)
    found = estimate_motifs(H, most_steps=100_000, seed=0)
    assert 0.5 < found.samples * steps / 100_000 < 1


@pytest.mark.parametrize("H", random_hypergraphs(4, 15, 12, density=0.15, seed=6))
def test_transitivity_is_that_of_the_overlap_graph(H):
    edges = {frozenset(edge) for edge in H.hyperedges if edge}
    lines = nx.Graph((e, f) for e, f in combinations(edges, 2) if e & f)
    assert estimate_motifs(H).transitivity == pytest.approx(nx.transitivity(lines))


def test_repeats_count_once_and_order_does_not_matter():
    H = random_hypergraphs(1, 12, 14, density=0.25, seed=1)[0]
    again = hh.Hypergraph([*H.hyperedges[::-1], *H.hyperedges[:5]], nodes=H.nodes)
    assert estimate_motifs(again).counts.tolist() == estimate_motifs(H).counts.tolist()


@pytest.mark.parametrize("H", [hh.Hypergraph([]), hh.Hypergraph([[0, 1], [2]]), hh.Hypergraph([[]])])
@pytest.mark.parametrize("samples", [None, 10])
def test_without_overlaps_there_are_none(H, samples):
    found = estimate_motifs(H, samples=samples, seed=0)
    assert not found.counts.any()
    assert np.isnan(found.transitivity)


def test_beyond_the_limits_a_sample_is_taken(monkeypatch):
    H = random_hypergraphs(1, 30, 60, density=0.1, seed=2)[0]
    assert estimate_motifs(H, most_steps=100, seed=0).samples == 100  # the fewest
    monkeypatch.setattr(module, "_MOST_PAIRS", 5)
    found = estimate_motifs(H, seed=0)
    assert found.samples == module._MOST_SAMPLES
    truth = motif_counts(H)
    assert (np.abs(found.counts - truth) <= 5 * found.errors).all()


def test_the_second_hyperedge_is_any_neighbour():
    # A star of four pairs: from each, the three others are drawn alike, so every wedge counts the same.
    touched = np.array([2, 0, 1, 3], dtype=np.int32)
    drawn = [module._chosen(0, touched, (k + 0.5) / 300) for k in range(300)]
    assert {e: drawn.count(e) for e in set(drawn)} == {1: 100, 2: 100, 3: 100}


@pytest.mark.parametrize("name", ["house-committees", "dblp"])
def test_estimates_of_real_hypergraphs(mirror, name):
    H = load_dataset(name, store=Store(str(mirror))).hypergraph
    truth = motif_counts(H)
    found = estimate_motifs(H, samples=4000, seed=1)
    assert (np.abs(found.counts - truth) <= 5 * found.errors).all()


def test_mochys_published_count_of_contacts(mirror):
    # The authors' page prints 7.8K hyperedges, 593K overlapping pairs and 69.7M instances, cut off and not rounded.
    H = load_dataset("contact-high-school", store=Store(str(mirror))).hypergraph
    edges = Hyperedges(*distinct_hyperedges(H))
    assert len(edges.sizes) // 100 == 78
    assert edges.neighbours.sum() // 2 // 1000 == 593
    assert motif_counts(H).sum() // 100_000 == 697


@pytest.mark.full
def test_mochys_published_count_of_tags(mirror):
    # They print 4.3T instances; a tenth of a trillion is their last digit.
    H = load_dataset("tags-ubuntu", store=Store(str(mirror))).hypergraph
    found = estimate_motifs(H, seed=0)
    assert abs(found.counts.sum() - 4.3e12) < 0.05e12 + 3 * np.sqrt((found.errors**2).sum())
