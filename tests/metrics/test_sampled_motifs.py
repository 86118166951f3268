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


def test_a_motif_that_was_not_found_has_an_error_all_the_same():
    H = random_hypergraphs(1, 20, 30, density=0.12, seed=2)[0]
    found = estimate_motifs(H, samples=3, seed=0)
    missing = found.counts == 0
    assert missing.any()
    assert (found.errors[missing] > 0).all()


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
