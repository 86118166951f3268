"""Buckets: every hypergraph once, little padding, and the operators' own spectra."""

from collections import Counter

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import hyperhedge as hh
from hyperhedge.diffusion.batch import decode
from hyperhedge.diffusion.laplacians import VARIANTS, sparse_laplacians
from hyperhedge.models.hedge.data import buckets_of, decay_of, density_of, rate_of
from small_hedge import MIXED
from strategies import hypergraphs, random_hypergraphs


def plain(H):
    """Tell a hypergraph by its incidences alone."""
    return H.n, H.m, H.incidence.toarray().tobytes()


def members(bucket):
    return decode(bucket.H, bucket.spectrum.shapes)


@given(st.lists(hypergraphs(max_nodes=9, max_edges=9), max_size=8))
def test_every_hypergraph_with_entries_is_in_one_bucket_once(graphs):
    found = [H for bucket in buckets_of(graphs) for H in members(bucket)]
    assert Counter(map(plain, found)) == Counter(plain(H) for H in graphs if H.n and H.m)


@given(st.lists(st.tuples(st.integers(1, 60), st.integers(1, 60)), min_size=1, max_size=30))
def test_padding_is_bounded(sizes):
    """Less than a factor of 1.25 on each side, and nothing is padded beyond the largest of its bucket."""
    for bucket in buckets_of(hh.Hypergraph([[0]] * m, nodes=n) for n, m in sizes):
        for padded, own in zip(bucket.H.shape[1:], (bucket.spectrum.shapes.n, bucket.spectrum.shapes.m), strict=True):
            assert padded == own.max()
            assert padded < 1.25 * own.min()


def test_beyond_a_member_there_is_nothing():
    for bucket in buckets_of(MIXED):
        assert not bucket.H[~bucket.spectrum.shapes.mask].any()
        assert bucket.H.dtype == bucket.spectrum.U.dtype == torch.float32


def test_spectra_are_those_of_the_laplacians():
    """Multiplied out, they are the Laplacians that scipy's sparse matrices give; and modes of padding come last."""
    mixed = [*MIXED, *random_hypergraphs(3, 10, 7, seed=5), *random_hypergraphs(3, 11, 6, seed=6)]
    padded = 0
    for bucket in buckets_of(mixed):
        spectrum = bucket.spectrum
        for b, H in enumerate(members(bucket)):
            for vectors, values, L in (
                (spectrum.U[b], spectrum.lam[b], sparse_laplacians(H)[0]),
                (spectrum.V[b], spectrum.mu[b], sparse_laplacians(H)[1]),
            ):
                size = L.shape[0]
                whole = vectors @ torch.diag(values) @ vectors.T
                np.testing.assert_allclose(whole[:size, :size], L.toarray(), atol=2e-6)
                assert whole[size:].abs().sum() < 1e-6
                assert not values[size:].any()
                padded += len(values) - size
    assert padded > 0


def test_members_are_chosen_with_their_spectra():
    bucket = max(buckets_of(MIXED), key=len)
    chosen = bucket[torch.tensor([3, 0, 3])]
    assert len(chosen) == 3
    graphs = members(bucket)
    assert list(map(plain, members(chosen))) == [plain(graphs[k]) for k in (3, 0, 3)]
    torch.testing.assert_close(chosen.spectrum.U[1], bucket.spectrum.U[0], rtol=0, atol=0)


def test_marginals_are_sizes_and_degrees():
    for bucket in buckets_of(MIXED):
        for b, H in enumerate(members(bucket)):
            assert bucket.marginals.edge_sizes[b, 0, : H.m].tolist() == H.edge_sizes.tolist()
            assert bucket.marginals.degrees[b, : H.n, 0].tolist() == H.degrees.tolist()


def test_the_density_and_the_rate_are_means():
    assert density_of(buckets_of(MIXED)) == pytest.approx(np.mean([H.density for H in MIXED]), abs=1e-12)
    spectra = [[np.linalg.eigvalsh(L.toarray()) for L in sparse_laplacians(H)] for H in MIXED]
    for variant, (node, edge) in VARIANTS.items():
        rates = [np.add.outer(node * lam, edge * mu).ravel() for lam, mu in spectra]
        assert rate_of(buckets_of(MIXED), variant) == pytest.approx(np.concatenate(rates).mean(), abs=1e-6)


def test_the_decay_is_the_rate_at_which_the_hypergraphs_themselves_fade():
    for variant, (node, edge) in VARIANTS.items():
        moved = sum(_moved(H, node, edge) for H in MIXED)
        incidences = sum(H.incidence.nnz for H in MIXED)
        assert decay_of(buckets_of(MIXED), variant) == pytest.approx(moved / incidences, abs=1e-6)
    without = buckets_of([hh.Hypergraph([[], []], nodes=3)])
    assert decay_of(without, "full") == 0


def _moved(H, node, edge):
    """Return ⟨H, A_H H⟩ with dense Laplacians."""
    X = H.incidence.toarray().astype(float)
    L_V, L_E = (L.toarray() for L in sparse_laplacians(H))
    return float((X * (node * L_V @ X + edge * X @ L_E)).sum())


def test_nothing_with_entries_makes_no_bucket():
    assert buckets_of([hh.Hypergraph(), hh.Hypergraph(nodes=3), hh.Hypergraph([[], []])]) == []
