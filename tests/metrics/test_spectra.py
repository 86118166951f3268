"""Spectra of collections and of large hypergraphs against dense decompositions of the operators' definitions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hyperhedge as hh
from hyperhedge.diffusion.laplacians import sparse_laplacians
from hyperhedge.metrics import spectra
from laws import teams
from strategies import hypergraphs

KINDS = ("node_eigenvalues", "edge_eigenvalues", "singular_squares")


def compute(kind, collection, first):
    return getattr(spectra.Spectra(collection), kind)(first)


def by_definition(H):
    L_V, L_E = (L.toarray() for L in sparse_laplacians(H))
    squares = np.linalg.svd(H.incidence.toarray().astype(float), compute_uv=False) ** 2
    return np.linalg.eigvalsh(L_V), np.linalg.eigvalsh(L_E), squares


@settings(max_examples=50)
@given(st.lists(hypergraphs(), min_size=1, max_size=4))
def test_collections_of_mixed_shapes(collection):
    expected = [by_definition(H) for H in collection]
    for side, kind in enumerate(KINDS):
        for computed, H, values in zip(compute(kind, collection, None), collection, expected, strict=True):
            assert len(computed) == (H.n, H.m, min(H.n, H.m))[side]
            np.testing.assert_allclose(computed, values[side], atol=1e-9)
        for first, whole in zip(compute(kind, collection, 2), compute(kind, collection, None), strict=True):
            np.testing.assert_array_equal(first, whole[:2])


def scattered(n, m, incidences, seed):
    rng = np.random.default_rng(seed)
    nodes, edges = rng.integers(0, n, incidences), rng.integers(0, m, incidences)
    return hh.Hypergraph.from_indices(nodes, edges, nodes=n, edges=m)


@pytest.mark.parametrize(("n", "m", "incidences"), [(150, 90, 260), (90, 150, 260), (120, 120, 150)])
@pytest.mark.parametrize("first", [3, 25, 60])
def test_lanczos_finds_multiple_eigenvalues(n, m, incidences, first, monkeypatch):
    H = scattered(n, m, incidences, seed=n)  # many components, so zero is a multiple eigenvalue
    expected = by_definition(H)
    assert (expected[0] < 1e-9).sum() > 1
    monkeypatch.setattr(spectra, "DENSE", 0)
    for kind, values in zip(KINDS, expected, strict=True):
        np.testing.assert_allclose(compute(kind, [H], None)[0], values, atol=1e-9)
    monkeypatch.setattr(spectra, "WHOLE", 50)
    for kind, values in zip(KINDS, expected, strict=True):
        np.testing.assert_allclose(compute(kind, [H], first)[0], values[:first], atol=1e-8)


def test_batches_are_cut_where_they_are_large(monkeypatch):
    collection = teams(7) + teams(3, n=10, m=14)
    whole = [compute(kind, collection, None) for kind in KINDS]
    monkeypatch.setattr(spectra, "_BATCH_ENTRIES", 600)
    for kind, expected in zip(KINDS, whole, strict=True):
        for computed, values in zip(compute(kind, collection, None), expected, strict=True):
            np.testing.assert_allclose(computed, values, atol=1e-12)


def test_a_spectrum_is_computed_once(monkeypatch):
    kept = spectra.Spectra(teams(3))
    first = kept.edge_eigenvalues(None)
    monkeypatch.setattr(spectra.Spectra, "_computed", None)
    assert kept.edge_eigenvalues(None) is first
    assert kept.edge_eigenvalues(5)[2].tolist() == first[2][:5].tolist()


def test_disjoint_hyperedges_are_quick_at_any_size():
    """As in Twitch: L_E is the identity, where Lanczos steps would find nothing."""
    m = 3000
    H = hh.Hypergraph.from_indices(np.arange(2 * m), np.repeat(np.arange(m), 2), nodes=2 * m, edges=m)
    assert compute("edge_eigenvalues", [H], 16)[0].tolist() == [1.0] * 16
    assert compute("edge_eigenvalues", [H], None)[0].tolist() == [1.0] * m
    assert compute("node_eigenvalues", [H], 16)[0] == pytest.approx(np.zeros(16))
    assert compute("singular_squares", [H], 3)[0] == pytest.approx([2, 2, 2])
