"""The bench of hard problems: what it learns from and compares with, margins that are taken once, and its table."""

import numpy as np
import pytest
from benchmarks.learner import COMPARED, FreshMargins, Problem, floor_of, judged, leaves_of, samples
from benchmarks.learner_tables import learner_block

import hyperhedge as hh
from benchmarks import learner
from small_hedge import quick
from strategies import random_hypergraphs


def of_edges(H):
    return sorted(tuple(sorted(edge)) for edge in H.hyperedges)


def test_leaves_share_out_the_hyperedges():
    pytest.importorskip("pymetis")
    (H,) = random_hypergraphs(1, 60, 50, 0.06, seed=1)
    H = hh.Hypergraph([edge for edge in H.hyperedges if edge])
    chosen = np.arange(0, H.m, 2)
    leaves = leaves_of(H, chosen, 8, np.random.default_rng(0))
    assert max(leaf.m for leaf in leaves) <= 8
    assert all(leaf.degrees.all() for leaf in leaves)  # nodes that do not occur are left out
    wanted = sorted(int(size) for size in H.edge_sizes[chosen])
    assert sorted(int(size) for leaf in leaves for size in leaf.edge_sizes) == wanted


def test_the_halves_of_a_hypergraph_share_no_hyperedge(monkeypatch):
    pytest.importorskip("pymetis")
    cliques = [[4 * i + j for j in range(4) if j != k] for i in range(32) for k in range(4)]
    sizes = [[*edge, *(128 + np.arange(e))] for e, edge in enumerate(cliques)]  # every hyperedge is told by its size
    whole = type("Dataset", (), {"hypergraph": hh.Hypergraph(sizes)})
    monkeypatch.setattr(hh, "load_dataset", lambda _: whole)
    monkeypatch.setitem(learner.LEAVES, "cliques-4", ("cliques", 4))
    monkeypatch.setitem(learner.PARTITIONS, "cliques", 2)
    given = learner.problem("cliques-4", 0)
    learned, other = (
        {int(size) for H in part for size in H.edge_sizes} for part in (given.train, [*given.fresh, *given.held_out])
    )
    assert learned
    assert other
    assert not learned & other
    assert len(learned | other) == len(sizes)


def test_margins_of_fresh_hypergraphs_are_taken_once_and_in_order():
    graphs = random_hypergraphs(3, 6, 4, 0.5, seed=0) + random_hypergraphs(2, 5, 4, 0.5, seed=1)
    margins, rng = FreshMargins.of(graphs), np.random.default_rng(0)
    for H in graphs:
        sizes, degrees = margins.sample(H.n, H.m, rng)
        assert sizes.tolist() == H.edge_sizes.tolist()
        assert degrees.tolist() == H.degrees.tolist()


def test_samples_have_the_margins_of_fresh_hypergraphs_or_their_own():
    train, fresh = random_hypergraphs(20, 6, 4, 0.5, seed=0), random_hypergraphs(8, 6, 4, 0.5, seed=1)
    given, model = Problem("small", train, fresh, fresh), quick().fit(train)
    for H, G in zip(fresh, samples(model, given, 0, own=False), strict=True):
        assert (H.edge_sizes == G.edge_sizes).all()
        assert (H.degrees == G.degrees).all()
    own = samples(model, given, 0, own=True)
    assert {H.num_incidences for H in own} <= {H.num_incidences for H in train}


def test_the_floor_is_near_and_another_law_is_far():
    real, other = random_hypergraphs(120, 12, 8, 0.3, seed=0), random_hypergraphs(40, 12, 8, 0.5, seed=1)
    given = Problem("random", real[:1], real[1:41], real[41:])
    floor, distance = floor_of(given), judged(given, other)
    assert set(floor) == set(COMPARED)
    assert all(distance[key] > 2 * floor[key] for key in ("intersection_wd", "singular_values"))
    assert distance["auc"] > 0.9


def test_the_table_has_multiples_of_the_floor():
    floor = dict.fromkeys(COMPARED, 0.1)

    def row(seed, label, own, network):
        values = {"own": own, "network": network, "hcm": 1.0}
        judgements = {
            name: {**dict.fromkeys(COMPARED, value), "auc": 0.5 + value / 10} for name, value in values.items()
        }
        return {
            "problem": "cora",
            "seed": seed,
            "label": label,
            "seconds": {"fit": 60.0},
            "novelty": 0.9,
            "floor": floor,
            **judgements,
        }

    record = {"measured": [row(0, "a", 0.2, 0.1), row(1, "a", 0.4, 0.3), row(0, "b", 0.3, 0.3)]}
    lines = learner_block(record)["hedge hard"].splitlines()
    assert lines[2].startswith("| cora | HCM-MCMC | 10.0 |")
    assert lines[3].startswith("| | a | 3.0 (2.0) |")
    assert lines[3].endswith("| 0.53 (0.52) | 0.90 | 60 | 2 |")
    assert lines[4].startswith("| | b | 3.0 (3.0) |")
