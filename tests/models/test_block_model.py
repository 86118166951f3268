"""The block model: groups that are there are found, and everything is kept in expectation."""

import json
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import SpectralCoclustering

import hyperhedge as hh
from hyperhedge.errors import GeneratorError
from hyperhedge.models import block_model
from hyperhedge.models.base import load_model
from hyperhedge.models.block_model import BlockModel, co_clusters
from hyperhedge.models.chung_lu import ChungLu
from strategies import hypergraphs, random_hypergraphs


def planted(groups, nodes, edges, inside=0.5, outside=0.03, seed=0):
    """Draw a hypergraph with groups, ``nodes`` and ``edges`` in each."""
    rng = np.random.default_rng(seed)
    same = np.kron(np.eye(groups), np.ones((nodes, edges)))
    return hh.Hypergraph.from_incidence(rng.random(same.shape) < np.where(same, inside, outside))


@pytest.mark.parametrize("groups", [2, 3, 4])
def test_planted_groups_are_found(groups):
    H = planted(groups, 15, 12)
    g, h = co_clusters(H, groups)
    names = [g[15 * r] for r in range(groups)]
    assert sorted(names) == list(range(groups))
    assert g.tolist() == np.repeat(names, 15).tolist()
    assert h.tolist() == np.repeat(names, 12).tolist()


@pytest.mark.parametrize("seed", range(5))
def test_two_groups_are_scikit_learn_s(seed):
    """Its SpectralCoclustering is the same method for two groups; degrees and sizes are unequal, so that scaling matters."""
    rng = np.random.default_rng(seed)
    popular = np.outer(rng.pareto(1.5, 40) + 0.3, rng.pareto(1.5, 30) + 0.3)
    p = np.minimum(0.9, 0.3 * popular * np.where(np.kron(np.eye(2), np.ones((20, 15))), 1, 0.15))
    H = hh.Hypergraph.from_incidence(rng.random(p.shape) < p)
    rows, columns = H.degrees > 0, H.edge_sizes > 0
    theirs = SpectralCoclustering(2, n_svd_vecs=25, random_state=0).fit(H.incidence.toarray()[rows][:, columns])
    g, h = co_clusters(H, 2)
    ours, theirs = np.concatenate((g[rows], h[columns])), np.concatenate((theirs.row_labels_, theirs.column_labels_))
    assert max((ours == theirs).mean(), (ours != theirs).mean()) == 1


def test_groups_do_not_depend_on_the_order():
    H = planted(2, 15, 12, seed=1)
    rng = np.random.default_rng(2)
    rows, columns = rng.permutation(H.n), rng.permutation(H.m)
    g, h = co_clusters(H, 2)
    g2, h2 = co_clusters(H.permute(nodes=rows, edges=columns), 2)
    flip = g2[0] != g[rows[0]]
    assert (g2 == (g[rows] ^ flip)).all()
    assert (h2 == (h[columns] ^ flip)).all()


def test_everything_in_expectation():
    """Degrees, sizes and incidences between groups, within 5 standard errors."""
    H = planted(2, 30, 20, inside=0.12, outside=0.02, seed=3)
    model = BlockModel().fit([H])
    g, h, omega = (np.array(x[0]) for x in (model.node_groups_, model.edge_groups_, model.omega_))
    p = omega[g][:, h] * np.outer(H.degrees, H.edge_sizes) / np.outer(omega.sum(1)[g], omega.sum(0)[h])
    assert p.max() < 1
    count = 2000
    mean = sum(S.incidence for S in model.sample(count, seed=4)).toarray() / count
    assert (np.abs(mean.sum(1) - H.degrees) <= 5 * np.sqrt(H.degrees / count)).all()
    assert (np.abs(mean.sum(0) - H.edge_sizes) <= 5 * np.sqrt(H.edge_sizes / count)).all()
    between = np.array([[mean[g == r][:, h == s].sum() for s in range(2)] for r in range(2)])
    assert (np.abs(between - omega) <= 5 * np.sqrt(omega / count)).all()
    z = (mean - p) / np.sqrt(np.maximum(p * (1 - p), 1e-12) / count)
    assert np.abs(z[p > 0]).max() < 4.5
    assert omega[0, 1] + omega[1, 0] < omega.trace() / 2


def test_it_keeps_groups_and_chung_lu_does_not():
    H = planted(2, 20, 15, inside=0.3, outside=0.0, seed=5)
    across = []
    for model in (BlockModel(), ChungLu()):
        (S,) = model.fit([H]).sample(seed=6)
        touches = S.incidence.toarray().reshape(2, 20, -1).any(axis=1)
        across.append(touches.all(axis=0).sum())
    assert across[0] == 0
    assert across[1] > 20


def test_large_hypergraphs_are_divided_without_a_dense_matrix(monkeypatch):
    H = planted(3, 40, 30, inside=0.3, seed=9)
    dense = co_clusters(H, 3)
    monkeypatch.setattr(block_model, "_DENSE", 0)
    sparse = co_clusters(H, 3)
    together = np.concatenate(dense) * 3 + np.concatenate(sparse)
    assert len(set(together.tolist())) == 3  # the same groups, perhaps under other names


def test_one_group_is_chung_lu():
    training = random_hypergraphs(4, 12, 9, density=0.2, seed=7)
    assert BlockModel(groups=1).fit(training).sample(9, seed=8) == ChungLu().fit(training).sample(9, seed=8)


@settings(max_examples=40)
@given(hypergraphs(max_nodes=9, max_edges=9), st.integers(1, 5))
def test_any_hypergraph_can_be_divided(H, groups):
    g, h = co_clusters(H, groups)
    assert (len(g), len(h)) == (H.n, H.m)
    assert max((0, *g, *h)) < groups
    assert not g[H.degrees == 0].any()
    assert not h[H.edge_sizes == 0].any()
    (S,) = BlockModel(groups=groups).fit([H]).sample(seed=1)
    assert not S.degrees[H.degrees == 0].any()
    assert not S.edge_sizes[H.edge_sizes == 0].any()


def test_facts_that_do_not_fit(tmp_path):
    BlockModel().fit([planted(2, 4, 3, inside=1.0, outside=0.0)]).save(tmp_path / "model")
    file = tmp_path / "model" / "model.json"
    whole = json.loads(file.read_text())
    assert sorted(whole["fitted"]["omega"][0]) == [[0, 12], [12, 0]]
    for wrong in (
        {"omega": [[[24, 0], [0, 0]]]},
        {"omega": [[[24]]]},
        {"omega": []},
        {"omega": [[["a"]]]},
        {"node_groups": [[0] * 8]},
        {"node_groups": [[0, 1]]},
        {"edge_groups": [[2] * 6]},
        {"edge_groups": [[0] * 6]},
        {"degrees": [[24, 0, 0, 0, 0, 0, 0, 0]]},
    ):
        file.write_text(json.dumps(whole | {"fitted": whole["fitted"] | wrong}))
        with pytest.raises(hh.errors.FormatError, match=r"model\.json"):
            load_model(tmp_path / "model")


def test_a_number_of_groups_that_the_facts_do_not_have_costs_nothing(tmp_path):
    BlockModel().fit([planted(2, 4, 3, inside=1.0, outside=0.0)]).save(tmp_path / "model")
    file = tmp_path / "model" / "model.json"
    whole = json.loads(file.read_text())
    file.write_text(json.dumps(whole | {"config": {"groups": 10**9}}))
    tracemalloc.start()
    try:
        with pytest.raises(hh.errors.FormatError, match="the groups do not fit the degrees and sizes"):
            load_model(tmp_path / "model")
        assert tracemalloc.get_traced_memory()[1] < 10**7
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("groups", [0, 1.5, True, "two"])
def test_bad_options(groups):
    with pytest.raises(GeneratorError, match="groups must be a whole number from 1 on"):
        BlockModel(groups=groups)
