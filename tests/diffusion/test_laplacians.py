"""Operators against their definitions, and Proposition 3.1 and Corollary A.2 with every claim."""

import gc

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import hyperhedge as hh
from hyperhedge.diffusion import laplacians
from hyperhedge.diffusion.batch import encode
from hyperhedge.diffusion.laplacians import (
    heat,
    node_laplacian,
    overlap_laplacian,
    sparse_laplacians,
    spectrum_of,
    spectrum_of_batch,
)
from strategies import hypergraphs, random_hypergraphs


def by_definition(H):
    """Equations 2 to 4, entry by entry."""
    matrix = H.incidence.toarray().astype(float)
    d, e = matrix.sum(1), matrix.sum(0)
    L_V, A = np.eye(H.n), np.zeros((H.m, H.m))
    for u in range(H.n):
        for v in range(H.n):
            if d[u] and d[v]:
                L_V[u, v] -= sum(matrix[u, k] * matrix[v, k] / e[k] for k in range(H.m) if e[k]) / np.sqrt(d[u] * d[v])
    for j in range(H.m):
        for k in range(H.m):
            if j != k and e[j] and e[k]:
                A[j, k] = matrix[:, j] @ matrix[:, k] / np.sqrt(e[j] * e[k])
    ov = A.sum(1)
    scale = np.array([1 / np.sqrt(x) if x > 0 else 0.0 for x in ov])
    return L_V, np.eye(H.m) - scale[:, None] * A * scale


@given(hypergraphs())
def test_laplacians_are_those_of_the_definition(H):
    L_V, L_E = by_definition(H)
    X = encode([H]).matrix[0]
    np.testing.assert_allclose(node_laplacian(X).numpy(), L_V, atol=1e-13)
    np.testing.assert_allclose(overlap_laplacian(X).numpy(), L_E, atol=1e-13)
    for sparse, dense in zip(sparse_laplacians(H), (L_V, L_E), strict=True):
        np.testing.assert_allclose(sparse.toarray(), dense, atol=1e-13)


def test_zero_conventions():
    """An isolated node contributes e_v e_vᵀ to L_V; a hyperedge without overlap has μ = 1."""
    H = hh.Hypergraph([[0, 1], [2]], nodes=4)
    L_V, L_E = (L.toarray() for L in sparse_laplacians(H))
    np.testing.assert_array_equal(L_V[3], [0, 0, 0, 1])
    np.testing.assert_array_equal(L_E, np.eye(2))


@given(hypergraphs())
def test_spectra_lie_in_their_intervals(H):
    spectrum = spectrum_of([H])
    L_V, L_E = by_definition(H)
    for values, L, top in ((spectrum.lam[0], L_V, 1.0), (spectrum.mu[0], L_E, 2.0)):
        exact = np.linalg.eigvalsh(L)
        np.testing.assert_allclose(values.numpy(), exact, atol=1e-12)
        assert (exact > -1e-12).all()
        assert (exact < top + 1e-12).all()


@given(st.lists(hypergraphs(), min_size=1, max_size=3), st.integers(0, 8))
def test_padding_changes_nothing(graphs, size):
    batch = encode(graphs, rows=size, columns=size)
    X = torch.randn(batch.matrix.shape, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    X = X * batch.shapes.mask
    for spectrum in (spectrum_of(graphs, rows=size, columns=size), spectrum_of_batch(batch)):
        result = spectrum.heat(X)
        for b, H in enumerate(graphs):
            L_V, L_E = (torch.from_numpy(L) for L in by_definition(H))
            inside = heat(L_V, L_E, X[b, : H.n, : H.m])
            torch.testing.assert_close(result[b, : H.n, : H.m], inside, atol=1e-12, rtol=0)
        assert (result[~batch.shapes.mask] == 0).all()
        torch.testing.assert_close(spectrum.backward(spectrum.forward(X)), X, atol=1e-12, rtol=0)


GRAPHS = random_hypergraphs(4, 7, 5, seed=1)
SPECTRUM = spectrum_of(GRAPHS)
LAPLACIANS = [tuple(torch.from_numpy(L.toarray()) for L in sparse_laplacians(H)) for H in GRAPHS]


def normal(*shape, seed=0):
    return torch.randn(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def test_proposition_3_1_self_adjoint_and_positive_semidefinite():
    X, Y = normal(4, 7, 5), normal(4, 7, 5, seed=1)
    inner = lambda a, b: (a * b).sum((-2, -1))  # noqa: E731
    torch.testing.assert_close(inner(X, SPECTRUM.heat(Y)), inner(SPECTRUM.heat(X), Y))
    assert (inner(X, SPECTRUM.heat(X)) >= 0).all()


def test_proposition_3_1_heat_flow_is_the_two_sided_semigroup_and_decouples():
    X, s = normal(4, 7, 5), 0.7
    decoupled = SPECTRUM.backward(torch.exp(-s * SPECTRUM.rates) * SPECTRUM.forward(X))
    for b, (L_V, L_E) in enumerate(LAPLACIANS):
        expected = torch.matrix_exp(-s * L_V) @ X[b] @ torch.matrix_exp(-s * L_E)
        torch.testing.assert_close(decoupled[b], expected)


def test_proposition_3_1_dissipative():
    """d/ds ‖Z‖² = −2⟨Z, A Z⟩ ≤ 0, by a central difference of the flow."""
    X, h = normal(4, 7, 5), 1e-5
    flow = lambda s: SPECTRUM.backward(torch.exp(-s * SPECTRUM.rates) * SPECTRUM.forward(X))  # noqa: E731
    slope = (flow(1 + h).square().sum((-2, -1)) - flow(1 - h).square().sum((-2, -1))) / (2 * h)
    expected = -2 * (flow(1.0) * SPECTRUM.heat(flow(1.0))).sum((-2, -1))
    torch.testing.assert_close(slope, expected, rtol=1e-6, atol=0)
    assert (expected <= 0).all()


def test_corollary_pure_heat_limit_and_its_rate():
    X = normal(4, 7, 5)
    for b, (L_V, L_E) in enumerate(LAPLACIANS):
        lam, U = torch.linalg.eigh(L_V)
        mu, V = torch.linalg.eigh(L_E)
        kernel_V, kernel_E = U[:, lam < 1e-10], V[:, mu < 1e-10]
        limit = kernel_V @ kernel_V.T @ X[b] @ kernel_E @ kernel_E.T
        rates = (lam[:, None] + mu).flatten()
        eta = rates[rates > 1e-10].min()
        for s in (0.1, 1.0, 10.0, 50.0):
            Z = torch.matrix_exp(-s * L_V) @ X[b] @ torch.matrix_exp(-s * L_E)
            assert (Z - limit).norm() <= torch.exp(-eta * s) * X[b].norm() + 1e-12


def test_operators_are_equivariant():
    """Lemma A.12: L_V(PHQᵀ) = P L_V Pᵀ, L_E(PHQᵀ) = Q L_E Qᵀ, A_{PHQᵀ}(PXQᵀ) = P A_H(X) Qᵀ."""
    rng = np.random.default_rng(0)
    X = normal(4, 7, 5)
    for b, H in enumerate(GRAPHS):
        p, q = rng.permutation(7), rng.permutation(5)
        moved = spectrum_of([H.permute(nodes=p, edges=q)])
        expected = SPECTRUM.heat(X)[b][p][:, q]
        torch.testing.assert_close(moved.heat(X[b][p][:, q][None])[0], expected)


@pytest.mark.parametrize(("name", "node", "edge"), [("full", 1, 1), ("node", 1, 0), ("edge", 0, 1), ("ou", 0, 0)])
def test_variants_keep_their_sides(name, node, edge):
    X = normal(4, 7, 5)
    for b, (L_V, L_E) in enumerate(LAPLACIANS):
        expected = node * L_V @ X[b] + edge * X[b] @ L_E
        torch.testing.assert_close(SPECTRUM.variant(name).heat(X)[b], expected, atol=1e-12, rtol=0)
    with pytest.raises(hh.errors.HypergraphError, match="variant must be one of full, ou, node, edge, not 'both'"):
        SPECTRUM.variant("both")


def test_spectra_are_cached_while_the_hypergraph_lives():
    H = random_hypergraphs(1, 9, 4, seed=99)[0]
    spectrum_of([H])
    kept = laplacians._CACHE[H]
    assert spectrum_of([H]).U.data_ptr() != kept[0].data_ptr()  # a batch is a copy
    assert laplacians._decomposed(H) is kept
    size = len(laplacians._CACHE)
    del H, kept
    gc.collect()
    assert len(laplacians._CACHE) == size - 1


def test_precision_and_selection():
    half = SPECTRUM.to(dtype=torch.float32)
    assert half.U.dtype == torch.float32
    torch.testing.assert_close(SPECTRUM[torch.tensor([2, 0])].lam[1], SPECTRUM.lam[0])
    assert SPECTRUM.to(device="cpu").shapes.rows == 7
