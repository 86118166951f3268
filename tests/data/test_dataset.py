"""Datasets by name, by file and in memory, banks, and splits."""

import re
import warnings

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hyperhedge as hh
from hyperhedge.data import CATALOGUE, NAMES, REGIMES, Collection, Observed, Sharing, sharing
from hyperhedge.data.splits import cut_points
from strategies import random_hypergraphs

pytestmark = pytest.mark.filterwarnings("ignore:the pieces look unlike:hyperhedge.errors.DataWarning")

BIG = random_hypergraphs(1, 200, 150, 0.03, seed=0)[0]


@pytest.fixture
def observed():
    return Observed("big", "a random hypergraph", None, BIG)


def test_every_regime_is_a_dataset():
    for name in REGIMES:
        assert [(H.n, H.m) for H in hh.load_dataset(name).bank(count=2)] == [(64, 25)] * 2
    assert set(NAMES) == {*CATALOGUE, *REGIMES}


def test_a_file_is_a_dataset(tmp_path):
    hh.write(BIG, tmp_path / "big.hif.json")
    dataset = hh.load_dataset(tmp_path / "big.hif.json")
    assert dataset.hypergraph == BIG
    assert {(H.n, H.m) for H in dataset.bank(20, 10, 5)} == {(20, 10)}
    proposal = dataset.propose_shape()
    assert {(H.n, H.m) for H in dataset.bank(count=5)} == {(proposal.n, proposal.m)}


def test_a_collection_is_a_dataset(tmp_path):
    members = random_hypergraphs(6, 30, 20, 0.2, seed=1)
    hh.write_collection(members, tmp_path / "some.hif.jsonl")
    dataset = hh.load_dataset(tmp_path / "some.hif.jsonl")
    assert sorted(map(members.index, dataset.bank(count=6))) == list(range(6))
    assert {(H.n, H.m) for H in dataset.bank(8, 5, 20)} == {(8, 5)}
    with pytest.raises(hh.errors.HyperhedgeError, match=r"give n and m, the numbers of nodes and hyperedges"):
        dataset.bank(n=8)
    with pytest.raises(hh.errors.HyperhedgeError, match="ask for at most 6"):
        dataset.bank(count=7)
    with pytest.raises(hh.errors.HyperhedgeError, match="give n and m too"):
        dataset.bank(count=2, protocol="walk")
    train, validation, test = dataset.splits(counts=(3, 1, 1), leak_free=True)
    assert not set(train) & set(test) | set(train) & set(validation)
    with pytest.raises(hh.errors.HyperhedgeError, match="leak-free splits need"):
        Collection("two", "", None, tuple(members[:2])).splits(counts=(1, 1, 1), leak_free=True)


def test_hypergraphs_in_memory_are_datasets():
    assert hh.load_dataset(BIG).hypergraph is BIG
    assert hh.load_dataset(BIG).bank(20, 10, 5, seed=3) == Observed("", "", None, BIG).bank(20, 10, 5, seed=3)
    graph = nx.davis_southern_women_graph()  # another library's object
    assert hh.load_dataset(graph).hypergraph == hh.convert.from_networkx(graph)
    for several in ([BIG, graph], (BIG, graph), iter([BIG, graph])):
        assert hh.load_dataset(several).hypergraphs == (BIG, hh.convert.from_networkx(graph))
    with pytest.raises(hh.errors.DataError, match="the collection is empty"):
        hh.load_dataset([])
    with pytest.raises(hh.errors.HypergraphError, match=r"source\[1\] is an int"):
        hh.load_dataset([BIG, 3])
    with pytest.raises(hh.errors.HypergraphError, match="source is a dict"):
        hh.load_dataset({"a": BIG})


@pytest.mark.parametrize("source", ["committee", [BIG, BIG]])
def test_only_an_observed_dataset_is_one_hypergraph(source):
    with pytest.raises(hh.errors.DataError, match=r"is not a single hypergraph; sample from it with bank"):
        _ = hh.load_dataset(source).hypergraph


def test_names_win_over_files_unless_the_path_says_so(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    hh.write_collection([BIG], "committee")
    assert hh.load_dataset("committee").description.startswith("dense")
    assert hh.load_dataset("./committee").hypergraphs == (BIG,)


@pytest.mark.parametrize(("name", "what"), [("coras", "did you mean 'cora'"), ("zzz", "the datasets are cora")])
def test_unknown_names(name, what):
    with pytest.raises(hh.errors.HyperhedgeError, match=what):
        hh.load_dataset(name)


def test_an_empty_collection_is_refused(tmp_path):
    hh.write_collection([], tmp_path / "none.hif.jsonl")
    with pytest.raises(hh.errors.HyperhedgeError, match="the collection is empty"):
        hh.load_dataset(tmp_path / "none.hif.jsonl")


def test_a_bank_is_reproducible_and_a_longer_one_begins_with_it(observed):
    for options in ({}, {"protocol": "walk"}, {"protocol": "snowball", "trim": "uniform"}):
        long = observed.bank((10, 20), (5, 9), 12, seed=7, **options)
        assert long[:5] == observed.bank((10, 20), (5, 9), 5, seed=7, **options)
        assert long != observed.bank((10, 20), (5, 9), 12, seed=8, **options)


@pytest.mark.parametrize("source", [BIG, [BIG, BIG], "committee"])
def test_without_a_seed_two_banks_differ(source):
    dataset = hh.load_dataset(source)
    assert dataset.bank(10, 5, 3) != dataset.bank(10, 5, 3)
    assert dataset.splits(10, 5, (2, 1, 1)) != dataset.splits(10, 5, (2, 1, 1))
    assert dataset.splits(10, 5, (2, 1, 1), seed=5) == dataset.splits(10, 5, (2, 1, 1), seed=5)
    rng = np.random.default_rng(0)
    assert dataset.bank(10, 5, 3, seed=rng) != dataset.bank(10, 5, 3, seed=rng)


def test_a_seed_gives_the_same_bank_as_ever(observed):
    """The records and the docs were made from these."""
    regimes = {name: [H.num_incidences for H in hh.load_dataset(name).bank(30, 9, 3, seed=1)] for name in REGIMES}
    assert regimes == {
        "configuration": [49, 34, 60],
        "overlapping-blocks": [39, 35, 32],
        "committee": [59, 41, 62],
        "sparse-tail-overlap": [33, 33, 34],
    }
    walks = observed.splits((10, 20), 6, (2, 1, 1), seed=1, leak_free=True, protocol="walk")
    assert [[(H.n, H.num_incidences) for H in split] for split in walks] == [
        [(20, 24), (15, 21)],
        [(14, 14)],
        [(12, 15)],
    ]


@pytest.mark.parametrize("name", ["observed", "regime"])
def test_shapes_vary_over_the_whole_range(observed, name):
    dataset = observed if name == "observed" else hh.load_dataset("committee")
    bank = dataset.bank((10, 12), (4, 6), 200, seed=0)
    assert {(H.n, H.m) for H in bank} == {(n, m) for n in (10, 11, 12) for m in (4, 5, 6)}


@pytest.mark.parametrize(
    ("arguments", "options", "what"),
    [
        ((0, 5), {}, "n must be a positive whole number"),
        ((5, (3, 2)), {}, "m must be a positive whole number"),
        ((5, "3"), {}, "m must be a positive whole number"),
        ((True, 3), {}, "n must be a positive whole number"),
        ((5, 3, -1), {}, "count"),
        ((5, 3, 1.0), {}, "count"),
        ((5, 3, 1), {"protokol": "walk"}, "takes protocol, restart, trim and isolated, not protokol"),
    ],
)
def test_bad_banks_are_named(observed, arguments, options, what):
    with pytest.raises(hh.errors.HyperhedgeError, match=what):
        observed.bank(*arguments, **options)


def test_a_regime_takes_its_parameters_only():
    bank = hh.load_dataset("sparse-tail-overlap").bank(50, 10, 5, smallest=4, largest=4)
    assert all((H.edge_sizes == 4).all() for H in bank)
    with pytest.raises(hh.errors.HyperhedgeError, match="takes smallest, largest, paired, shared, not protocol"):
        hh.load_dataset("sparse-tail-overlap").bank(50, 10, 5, protocol="walk")


@pytest.mark.parametrize("protocol", ["uniform", "walk", "snowball"])
def test_leak_free_splits_share_no_hyperedge(observed, protocol):
    counts = (30, 10, 10)
    train, validation, test = observed.splits(12, 8, counts, seed=1, leak_free=True, protocol=protocol)
    assert (len(train), len(validation), len(test)) == counts
    edges = [{edge for H in split for edge in H.edges} for split in (train, validation, test)]
    assert len(set.union(*edges)) == sum(map(len, edges))
    assert sharing(train, test) == Sharing(0.0, 0.0)
    ordinary = observed.splits(12, 8, counts, seed=1, protocol=protocol)
    assert sharing(ordinary.train, ordinary.test).hyperedges > 0.5


@given(st.integers(1, 500), st.lists(st.floats(0.01, 100), min_size=1, max_size=5), st.integers(0, 20))
def test_cuts_leave_every_piece_enough(total, weights, least):
    if least * len(weights) > total:
        return
    sizes = np.diff([0, *cut_points(total, weights, [least] * len(weights)), total])
    assert sizes.sum() == total
    assert sizes.min() >= least
    spare = (sizes - least) / max(total - least * len(weights), 1)
    assert np.allclose(spare, np.array(weights) / sum(weights), atol=1 / max(total - least * len(weights), 1)) or (
        total == least * len(weights)
    )


@pytest.mark.parametrize("counts", [(9, 0, 3), (6, 3, 3), (1, 1, 10)])
def test_a_collection_is_split_to_the_last_hypergraph(counts):
    whole = [hh.Hypergraph([range(k)], nodes=12) for k in range(1, 13)]
    splits = Collection("mine", "", None, tuple(whole)).splits(counts=counts, leak_free=True)
    assert tuple(map(len, splits)) == counts
    assert sorted(H.num_incidences for split in splits for H in split) == list(range(1, 13))


def test_a_split_may_be_left_out(observed):
    train, validation, test = observed.splits(12, 8, (5, 0, 5), leak_free=True)
    assert (len(train), len(validation), len(test)) == (5, 0, 5)


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"counts": (1, 2)}, "counts must be three numbers"),
        ({"counts": (1, 2, -3)}, "counts must be"),
        ({"m": 60, "leak_free": True}, "need 180, and the observed hypergraph has 150 .*ask for at most 50"),
    ],
)
def test_bad_splits_are_named(observed, options, what):
    with pytest.raises(hh.errors.HyperhedgeError, match=what):
        observed.splits(**{"n": 20, "m": 5, **options})


@pytest.mark.parametrize("method", ["bank", "splits"])
def test_pieces_unlike_the_whole_are_pointed_out_once(method):
    """Eight of a path's 200 hyperedges of three nodes, chosen anywhere, have as many degrees of 1 as members."""
    path = hh.load_dataset(hh.Hypergraph([[k, k + 1, k + 2] for k in range(200)]))
    options = {"count": 9} if method == "bank" else {"counts": (9, 0, 9)}
    with pytest.warns(hh.errors.DataWarning) as caught:
        getattr(path, method)(n=202, m=8, **options)
    (warning,) = caught
    assert re.search(
        r"mean degree 0\.119, mean edge size 3, 8\d% isolated nodes, and it has mean degree 2\.97, mean edge size 3, 0%",
        str(warning.message),
    )
    assert warning.filename == __file__


def test_pieces_like_the_whole_and_the_shape_of_a_known_dataset_are_not():
    disjoint = hh.Hypergraph([[3 * k, 3 * k + 1, 3 * k + 2] for k in range(50)])
    known = Observed("known", "", (150, 2), disjoint)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        hh.load_dataset(disjoint).bank(n=24, m=8, count=5)
        known.bank(count=5)  # 6 of 150 nodes are in a hyperedge, as the paper may have had it
        assert known.bank(n=150, m=3, count=0) == []
    assert not caught
    with pytest.warns(hh.errors.DataWarning, match="94% isolated nodes, and it has"):
        known.bank(n=150, m=3)


def test_what_is_missing_of_a_shape_is_proposed(observed):
    n, m = observed.propose_shape(n=(10, 20)), observed.propose_shape(m=6)
    assert (n.n, m.m) == (20, 6)
    assert {H.m for H in observed.bank(n=(10, 20), count=5)} == {n.m}
    assert {(H.n, H.m) for H in observed.bank(m=6, count=5)} == {(m.n, 6)}
    walk = observed.propose_shape(protocol="walk", trim="uniform")
    assert {(H.n, H.m) for H in observed.splits(counts=(2, 0, 2), protocol="walk", trim="uniform").train} == {
        (walk.n, walk.m)
    }
    with pytest.raises(hh.errors.HyperhedgeError, match="n must be a positive whole number"):
        observed.propose_shape(n=0)
    with pytest.raises(hh.errors.HyperhedgeError, match="takes protocol"):
        observed.propose_shape(seed=0)


def test_sharing_needs_two_sets():
    with pytest.raises(hh.errors.HyperhedgeError, match="at least one hypergraph each"):
        sharing([], [BIG])


def test_the_paper_s_example(mirror, monkeypatch):
    monkeypatch.setenv("HYPERHEDGE_DATA", str(mirror))
    bank = hh.load_dataset("house-committees").bank(n=64, m=16, count=300, seed=0)
    assert {(H.n, H.m) for H in bank} == {(64, 16)}
    assert abs(np.mean([H.degrees.mean() for H in bank]) - 1.6) < 0.1  # the paper's tables imply 1.60
