"""Expected degrees: entries against their probabilities, exactly on small hypergraphs; degrees and sizes in expectation."""

import itertools
import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import hyperhedge as hh
from hyperhedge.models.base import load_model
from hyperhedge.models.chung_lu import ChungLu, sample_incidences
from strategies import random_hypergraphs


def probabilities(H):
    """Return the matrix of probabilities, from the definition."""
    return np.minimum(1, np.outer(H.degrees, H.edge_sizes) / H.num_incidences)


def mean_matrix(model, count, seed):
    return sum(H.incidence for H in model.sample(count, seed=seed)).toarray() / count


@pytest.mark.parametrize(
    "H",
    [
        hh.Hypergraph([[0], [0, 1], [1]]),  # all p = 1/2 and 1
        hh.Hypergraph([[0], [0], [0, 1]]),  # p = 3/4 and more
        hh.Hypergraph([[0], [1], []]),  # p = 1/2 exactly, and 0
        hh.Hypergraph([[0], [1], [1]]),  # p = 1/3 and 2/3
    ],
)
def test_the_law_on_all_hypergraphs_of_2_by_3(H):
    p = probabilities(H)
    law = {}
    for bits in itertools.product((0, 1), repeat=6):
        A = np.array(bits).reshape(2, 3)
        chance = np.where(A, p, 1 - p).prod()
        if chance:
            law[A.tobytes()] = chance
    count = 4000
    seen = Counter(S.incidence.toarray().tobytes() for S in ChungLu().fit([H]).sample(count, seed=1))
    assert set(seen) <= set(law)
    expected = np.array(list(law.values())) * count
    assert expected.min() > 5
    if len(law) > 1:
        assert stats.chisquare([seen[key] for key in law], expected).pvalue > 1e-3


def unequal(n, m, seed=0):
    """Draw a hypergraph with unequal degrees and sizes, some nodes isolated, some hyperedges empty."""
    rng = np.random.default_rng(seed)
    p = np.minimum(0.9, np.outer(np.arange(1, n + 1) ** -0.9, np.arange(1, m + 1) ** -0.7))
    return hh.Hypergraph.from_incidence(rng.random((n, m)) < p)


def test_every_entry_has_its_probability():
    H = unequal(20, 15)
    p = probabilities(H)
    assert (p == 1).any()
    assert ((p > 0.5) & (p < 1)).any()
    assert ((p > 0) & (p < 0.5)).any()
    assert (p == 0).any()
    count = 3000
    mean = mean_matrix(ChungLu().fit([H]), count, 2)
    sure = (p == 0) | (p == 1)
    np.testing.assert_array_equal(mean[sure], p[sure])
    z = ((mean - p) / np.sqrt(np.maximum(p * (1 - p), 1e-12) / count))[~sure]
    assert np.abs(z).max() < 4.5
    assert 1e-3 < stats.chi2.sf((z**2).sum(), len(z)) < 1 - 1e-3


def test_degrees_and_sizes_in_expectation():
    """Sparse: no probability reaches 1, so that every mean is the training hypergraph's; within 5 standard errors."""
    (H,) = random_hypergraphs(1, 40, 25, density=0.08, seed=3)
    assert probabilities(H).max() < 1
    count = 3000
    mean = mean_matrix(ChungLu().fit([H]), count, 4)
    assert (np.abs(mean.sum(1) - H.degrees) <= 5 * np.sqrt(H.degrees / count)).all()
    assert (np.abs(mean.sum(0) - H.edge_sizes) <= 5 * np.sqrt(H.edge_sizes / count)).all()


def test_sequences_stay_with_their_hypergraph():
    """Two training hypergraphs of one size: a sample follows one of them, not a mixture."""
    left = hh.Hypergraph([[0, 1], [0, 1]], nodes=4)
    right = hh.Hypergraph([[2, 3], [2, 3]], nodes=4)
    for H in ChungLu().fit([left, right]).sample(30, seed=5):
        assert not (H.degrees[:2].any() and H.degrees[2:].any())


@given(
    st.lists(st.integers(0, 9), max_size=8),
    st.lists(st.integers(0, 9), max_size=8),
    st.integers(0, 200),
    st.integers(0, 99),
)
def test_incidences_are_different_pairs_of_positive_weight(d, k, total, seed):
    d, k = np.array(d, dtype=np.int64), np.array(k, dtype=np.int64)
    nodes, edges = sample_incidences(d, k, total, np.random.default_rng(seed))
    pairs = list(zip(nodes.tolist(), edges.tolist(), strict=True))
    assert len(pairs) == len(set(pairs))
    assert (d[nodes] > 0).all()
    assert (k[edges] > 0).all()
    if d.any() and k.any():
        sure = np.argwhere(total * np.outer(d, k) > 1.001 * d.sum() * k.sum())
        assert set(map(tuple, sure.tolist())) <= set(pairs)


def test_large_hypergraphs_cost_their_incidences():
    rng = np.random.default_rng(0)
    sizes = np.minimum(1 + rng.zipf(2.2, 22_363), 500)
    d = np.bincount(rng.integers(0, 41_302, sizes.sum()), minlength=41_302)
    nodes, _ = sample_incidences(d, sizes, int(d.sum()), rng)
    assert abs(len(nodes) - d.sum()) < 5 * np.sqrt(d.sum())


def test_why_xgi_s_own_is_not_used():
    """XGI 0.10 never puts a node into the largest hyperedge. Should this fail, the docs have to be changed."""
    xgi = pytest.importorskip("xgi")
    degrees, sizes = dict.fromkeys(range(40), 2), dict.fromkeys(range(20), 4)
    drawn = [xgi.chung_lu_hypergraph(degrees, sizes, seed=seed).edges.members(dtype=dict) for seed in range(100)]
    assert all(0 not in edges for edges in drawn)
    ours = [
        sample_incidences(np.full(40, 2), np.full(20, 4), 80, np.random.default_rng(seed))[1] for seed in range(100)
    ]
    assert abs(np.mean([(edges == 0).sum() for edges in ours]) - 4) < 5 * np.sqrt(4 / 100)


def test_facts_that_do_not_fit(tmp_path):
    ChungLu().fit([hh.Hypergraph([[0, 1], [1]])]).save(tmp_path / "model")
    file = tmp_path / "model" / "model.json"
    whole = json.loads(file.read_text())
    assert whole["fitted"] == {"degrees": [[1, 2]], "hyperedge_sizes": [[2, 1]]}
    for wrong in (
        {"degrees": [[1, 1]], "hyperedge_sizes": [[2, 1]]},
        {"degrees": [[1, 2, 0]], "hyperedge_sizes": [[2, 1]]},
        {"degrees": [[1, 2], [1, 2]], "hyperedge_sizes": [[2, 1]]},
        {"degrees": [[1, 2]], "hyperedge_sizes": []},
        {"degrees": [[3, 0]], "hyperedge_sizes": [[4, -1]]},
        {"degrees": [[0, 3]], "hyperedge_sizes": [[2, 1]]},
        {"degrees": [[1, 2]], "hyperedge_sizes": [[0, 3]]},
        {"degrees": [[2**31 - 1, 0]], "hyperedge_sizes": [[0, 2**31 - 1]]},
    ):
        file.write_text(json.dumps(whole | {"fitted": wrong}))
        with pytest.raises(hh.errors.FormatError, match=r"model\.json"):
            load_model(tmp_path / "model")
