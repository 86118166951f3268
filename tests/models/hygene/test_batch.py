"""Steps and their unions: candidates by walks, eigenvectors of the bipartite graph, offsets."""

import itertools

import numpy as np
import pytest
import scipy.sparse.csgraph as csgraph
import torch

import hyperhedge as hh
from hyperhedge.models.hygene.batch import candidates, lift_batch, spectral_features
from small_hygene import labelled_steps
from strategies import random_hypergraphs


def bipartite(H):
    n, m = H.shape
    return np.block([[np.zeros((n, n)), H], [H.T, np.zeros((m, m))]])


@pytest.mark.parametrize("shape", [(8, 5), (5, 8)])
def test_features_are_eigenvectors_of_the_bipartite_laplacian(shape):
    H = np.random.default_rng(4).random(shape) < 0.4
    nodes, edges, values = spectral_features(H, 3)
    L = csgraph.laplacian(bipartite(H.astype(float)), normed=True)
    vectors = np.concatenate([nodes, edges])
    np.testing.assert_allclose(L @ vectors, vectors * values, atol=1e-5)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(3), atol=1e-5)
    exact = np.linalg.eigvalsh(L)
    np.testing.assert_allclose(values, exact[exact > 1e-6][:3], atol=1e-5)


def test_fewer_eigenvectors_than_asked_for_are_filled_with_zeros():
    nodes, edges, values = spectral_features(np.ones((1, 1), dtype=bool), 4)
    assert not nodes.any()
    assert not edges.any()
    assert not values.any()


@pytest.mark.parametrize("radius", [1, 2, 3])
def test_candidates_are_within_the_distance(radius):
    H = random_hypergraphs(1, 12, 10, density=0.12, seed=3)[0].incidence.toarray().astype(bool)
    distance = csgraph.shortest_path(bipartite(H.astype(float)), unweighted=True)[:12, 12:]
    assert (candidates(H, radius) == (distance <= 2 * radius - 1)).all()


def test_steps_have_the_labels_of_their_scales():
    H = hh.Hypergraph([[0, 1, 2], [2, 3], [3, 4], [4, 4, 0], [1, 5]])
    items = labelled_steps(H, seed=3)
    assert [item.last for item in items] == [True] + [False] * (len(items) - 1)
    assert items[0].kept.sum() == H.num_incidences
    assert items[0].shrinkage == 0
    for finer, item in itertools.pairwise(items):
        assert item.node_counts.sum() == len(finer.node_counts)
        assert item.edge_counts.sum() == len(finer.edge_counts)
        assert item.shrinkage == pytest.approx(1 - len(item.node_counts) / len(finer.node_counts))
        assert (finer.step.coarse.shape[1]) == item.kept.sum(), "what is kept here is what the next step starts from"
        assert finer.step.needed[finer.kept].all()


def test_a_union_is_its_parts_with_offsets():
    items = [labelled_steps(H)[0] for H in random_hypergraphs(3, 7, 5, seed=1)]
    chosen = [item.step.needed for item in items]
    union = lift_batch([item.step for item in items], chosen, [0.1, 0.2, 0.3])
    assert union.count == 3
    nodes = edges = 0
    for k, item in enumerate(items):
        own = union.graph == k
        np.testing.assert_array_equal(union.v[own].numpy() - nodes, item.step.near[0][chosen[k]])
        np.testing.assert_array_equal(union.e[own].numpy() - edges, item.step.near[1][chosen[k]])
        nodes, edges = nodes + len(item.node_counts), edges + len(item.edge_counts)
    assert (union.node_graph[union.v] == union.graph).all()
    assert (union.edge_graph[union.e] == union.graph).all()
    assert union.shrinkage.tolist() == pytest.approx([0.1, 0.2, 0.3])


def test_moving_a_union():
    union = lift_batch([labelled_steps(hh.Hypergraph([[0, 1]]))[0].step], [np.ones(2, dtype=bool)], [0.0])
    assert union.to(torch.device("cpu")) is union
    assert union.to(torch.device("meta")).v.device.type == "meta"
