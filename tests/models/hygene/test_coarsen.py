"""Coarsening: the clique expansion's spectrum, costs against their definition, sizes, and the way back."""

import itertools

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given, settings
from hypothesis import strategies as st

import hyperhedge as hh
from hyperhedge.models.hygene.coarsen import (
    Coarsening,
    clique_weights,
    coarsen,
    contraction_costs,
    expand,
    laplacian,
    preserved,
)
from strategies import hypergraphs, random_hypergraphs

CONNECTED = hh.Hypergraph([[0, 1, 2], [2, 3], [3, 4, 5, 6], [6, 0], [1, 5]])


def bolla(H):
    """Return Bolla's Laplacian from its quadratic form: the variance of a signal over each hyperedge, times its size, summed."""
    found = np.zeros((H.n, H.n))
    for e in filter(None, H.hyperedges):
        members = [H.nodes.index(v) for v in e]
        centred = np.eye(H.n)[members] - np.eye(H.n)[members].mean(0)
        found += centred.T @ centred
    return found


def went_back(scales):
    """Expand with the numbers and incidences of a coarsening, beginning with one node in one hyperedge; return the last scale."""
    H = np.ones((1, 1), dtype=bool)
    for scale in scales[-2::-1]:
        offered, nodes, edges = expand(H, np.bincount(scale.node_parents), np.bincount(scale.edge_parents))
        assert (nodes == scale.node_parents).all()
        assert (edges == scale.edge_parents).all()
        assert (offered | ~scale.H).all(), "an incidence that is not offered cannot be kept"
        kept = scale.H[offered]
        H = np.zeros_like(offered)
        H[offered] = kept
    return H


# -- the clique expansion --------------------------------------------------------------------------


@pytest.mark.parametrize("H", random_hypergraphs(4, 9, 7, seed=3))
def test_the_clique_expansion_has_bolla_s_laplacian(H):
    np.testing.assert_allclose(laplacian(clique_weights(H.incidence.toarray())), bolla(H), atol=1e-12)


def test_its_quadratic_form_is_that_of_stars_with_the_best_centres():
    """Equivalence with the star expansion: where the hyperedges' values are free, the least energy is that of the cliques."""
    dense = CONNECTED.incidence.toarray().astype(float)
    star = np.block([[np.diag(dense.sum(1)), -dense], [-dense.T, np.diag(dense.sum(0))]])
    n = CONNECTED.n
    schur = star[:n, :n] - star[:n, n:] @ np.linalg.inv(star[n:, n:]) @ star[n:, :n]
    np.testing.assert_allclose(laplacian(clique_weights(dense)), schur, atol=1e-12)


# -- costs ---------------------------------------------------------------------------------------------


def test_costs_are_the_local_variation_of_their_definition():
    weights = clique_weights(CONNECTED.incidence.toarray())
    A = preserved(weights, 5)
    u, v = np.nonzero(np.triu(weights, 1))
    degrees = weights.sum(0)
    for cost, i, j in zip(contraction_costs(weights, A, u, v), u, v, strict=True):
        w = weights[i, j]
        local = np.array([[2 * degrees[i] - w, -w], [-w, 2 * degrees[j] - w]])
        B = (np.eye(2) - 0.5) @ A[[i, j]]
        assert cost == pytest.approx(np.linalg.norm(B.T @ local @ B))


def test_what_is_preserved_are_eigenvectors_over_roots():
    weights = clique_weights(CONNECTED.incidence.toarray())
    values = scipy.linalg.eigh(laplacian(weights), eigvals_only=True)
    A = preserved(weights, 4)
    np.testing.assert_allclose(A.T @ A, np.diag(1 / values[1:4]), atol=1e-10)
    np.testing.assert_allclose(A.T @ laplacian(weights) @ A, np.eye(3), atol=1e-10)


def test_zeros_of_other_components_are_not_preserved():
    two = hh.Hypergraph([[0, 1, 2], [3, 4]])
    A = preserved(clique_weights(two.incidence.toarray()), 8)
    assert A.shape == (5, 3)
    assert np.isfinite(A).all()


def test_the_spectrum_survives_a_step():
    """Small eigenvalues of the coarser clique expansion are near those of the finer one."""
    H = hh.Hypergraph([[i, i + 1, i + 2] for i in range(38)])
    scales = coarsen(H, Coarsening(small=0, least=0.3, most=0.3, skip=0.0), seed=1)
    fine = laplacian(clique_weights(scales[0].H))
    C = scales[0].node_parents == np.arange(scales[1].n)[:, None]
    coarse = C @ fine @ C.T
    lifted = scipy.linalg.eigh(coarse, np.diag(C.sum(1).astype(float)), eigvals_only=True)
    exact = np.linalg.eigvalsh(fine)
    np.testing.assert_allclose(lifted[1:4], exact[1:4], rtol=0.25)
    assert (lifted[1:4] >= exact[1:4] - 1e-12).all(), "restricted to what is equal on pairs, eigenvalues only rise"


# -- the sequence ----------------------------------------------------------------------------------------


@settings(max_examples=120, deadline=None)
@given(hypergraphs(max_nodes=9, max_edges=9, min_incidences=1), st.integers(0, 5))
def test_the_way_back_gives_the_hypergraph(H, seed):
    scales = coarsen(H, seed=seed)
    found = went_back(scales)
    dense = np.zeros((H.n, H.m), dtype=bool)
    dense[np.ix_(scales[0].nodes, scales[0].edges)] = found
    assert (dense == H.incidence.toarray()).all()
    assert sorted(scales[0].edges.tolist()) == np.flatnonzero(H.edge_sizes).tolist()


@settings(max_examples=60, deadline=None)
@given(hypergraphs(max_nodes=9, max_edges=9, min_incidences=1), st.integers(0, 5))
def test_nodes_stand_for_two_at_most_and_hyperedges_for_three(H, seed):
    scales = coarsen(H, seed=seed)
    assert (scales[-1].n, scales[-1].m) == (1, 1)
    for finer, coarser in itertools.pairwise(scales):
        assert coarser.n * coarser.m < finer.n * finer.m
        assert np.bincount(finer.node_parents).max() <= 2
        assert np.bincount(finer.edge_parents).max() <= 3


@pytest.mark.parametrize(
    "hyperedges",
    [
        [[0, 1]] * 10,
        [[0]],
        [[0], [1], [2]],
        [[0, 1, 2, 3, 4, 5, 6]],
        [[0, 1], [2, 3], [4, 5], [6, 7]],
        [[0]] * 7 + [[1, 2]] * 5,
    ],
)
def test_awkward_hypergraphs(hyperedges):
    H = hh.Hypergraph(hyperedges, nodes=max(map(max, hyperedges)) + 3)
    scales = coarsen(H, seed=2)
    dense = np.zeros((H.n, H.m), dtype=bool)
    dense[np.ix_(scales[0].nodes, scales[0].edges)] = went_back(scales)
    assert (dense == H.incidence.toarray()).all()


def test_a_step_removes_the_share_that_is_asked_for():
    H = random_hypergraphs(1, 60, 40, density=0.08, seed=5)[0]
    for share in (0.1, 0.2, 0.3):
        scales = coarsen(H, Coarsening(least=share, most=share, small=0, skip=0.0), seed=0)
        assert scales[1].n == H.n - np.ceil(share * H.n)


def test_seeds_reproduce_and_differ():
    H = random_hypergraphs(1, 30, 20, seed=1)[0]
    first, again, other = (coarsen(H, seed=seed) for seed in (1, 1, 2))
    assert [s.H.tolist() for s in first] == [s.H.tolist() for s in again]
    assert [s.H.tolist() for s in first] != [s.H.tolist() for s in other]


def test_cheap_pairs_go_first():
    """Two tight groups that hang together by one pair: coarsened without chance, this pair is not contracted first."""
    groups = [[0, 1, 2, 3]] * 3 + [[4, 5, 6, 7]] * 3 + [[3, 4]]
    H = hh.Hypergraph(groups)
    for seed in range(10):
        first = coarsen(H, Coarsening(least=0.1, most=0.1, small=0, skip=0.0), seed=seed)[0]
        merged = [set(first.nodes[first.node_parents == k].tolist()) for k in range(7)]
        assert {3, 4} not in merged
