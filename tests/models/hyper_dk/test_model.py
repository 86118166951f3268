"""The generator: what each member of the series keeps, how near it comes, and saved models that fit no hypergraph."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hyperhedge as hh
from hyperhedge.errors import FormatError, GeneratorError
from hyperhedge.models.hyper_dk.targets import Members
from strategies import hypergraphs


def houses(seed=0):
    """Sample groups that meet again and again, of busy and of idle nodes: correlated degrees and much redundancy."""
    rng = np.random.default_rng(seed)
    edges = []
    for house in range(30):
        inmates = np.arange(5 * house, 5 * house + 5)
        edges += [rng.choice(inmates, size, replace=False) for size in rng.integers(2, 5, size=1 + house % 7)]
    return hh.Hypergraph([sorted(e.tolist()) for e in edges], nodes=150)


HOUSES = houses()


def members_of(H):
    return Members.of(H.indices, H.edge_sizes, H.degrees)


def joint_law(H):
    counts = np.zeros((H.degrees.max() + 1,) * 2)
    members = members_of(H)
    counts[np.ix_(members.degrees, members.degrees)] = np.triu(members.joint_degrees())
    return counts / counts.sum()


def joint_distance(S):
    real, made = joint_law(HOUSES), joint_law(S)
    return np.abs(real - made).sum()


def redundancy_distance(S):
    real, made = members_of(HOUSES), members_of(S)
    most = np.maximum(real.degrees * (real.degrees - 1) / 2 * real.nodes, 1)
    return np.sum(np.abs(real.redundant_pairs() - made.redundant_pairs()) / most)


@settings(max_examples=60)
@given(
    hypergraphs(max_nodes=9, max_edges=9),
    st.sampled_from(["0", "1", "2", "2.5"]),
    st.sampled_from(["0", "1"]),
    st.integers(0, 100),
)
def test_what_is_kept_exactly(H, node, edge, seed):
    (S,) = hh.HyperDK(node=node, edge=edge, rewirings=5).fit([H]).sample(seed=seed)
    assert S.shape == H.shape
    assert S.num_incidences == H.num_incidences
    if node != "0":
        assert S.degrees.tolist() == H.degrees.tolist()
    if edge == "1":
        assert S.edge_sizes.tolist() == H.edge_sizes.tolist()


def test_what_is_not_kept():
    for node in ("0", "1", "2", "2.5"):
        (S,) = hh.HyperDK(node=node, edge="0").fit([HOUSES]).sample(seed=1)
        assert S.edge_sizes.tolist() != HOUSES.edge_sizes.tolist()
        assert (S.degrees.tolist() == HOUSES.degrees.tolist()) == (node != "0")


@pytest.mark.parametrize("edge", ["0", "1"])
def test_the_series_comes_nearer_and_nearer(edge):
    one, two, three = (hh.HyperDK(node=node, edge=edge).fit([HOUSES]).sample(3, seed=1) for node in ("1", "2", "2.5"))
    joint = [np.mean([joint_distance(S) for S in samples]) for samples in (one, two, three)]
    redundancy = [np.mean([redundancy_distance(S) for S in samples]) for samples in (one, two, three)]
    assert joint[1] < 0.1 * joint[0]
    assert joint[2] < 0.1 * joint[0]
    assert redundancy[2] < 0.3 * min(redundancy[:2])


def test_rewirings_are_counted_per_incidence():
    few, many = (hh.HyperDK(rewirings=rewirings).fit([HOUSES]).sample(3, seed=1) for rewirings in (2, 50))
    none, one = (hh.HyperDK(**options).fit([HOUSES]).sample(seed=1)[0] for options in ({"rewirings": 0}, {"node": "1"}))
    assert none == one
    assert np.mean([redundancy_distance(S) for S in many]) < np.mean([redundancy_distance(S) for S in few])
    assert np.mean([joint_distance(S) for S in many]) < np.mean([joint_distance(S) for S in few])


def test_targets_of_several_hypergraphs_are_not_mixed():
    training = [HOUSES, hh.Hypergraph([[0, 1, 2], [2, 3], [3, 4]])]
    model = hh.HyperDK(rewirings=20).fit(training)
    assert model.joint_degrees_[1] == [(1, 1, 1), (1, 2, 3), (2, 2, 1)]
    assert model.redundant_pairs_[1] == [0, 0]
    degrees = {tuple(H.degrees.tolist()) for H in training}
    assert {tuple(S.degrees.tolist()) for S in model.sample(12, seed=0)} == degrees


def test_forbidden_repeats_are_not_made_by_rewiring_either():
    """The training hypergraph has them, and aiming at its redundancy leads to some wherever that is allowed."""
    H = hh.Hypergraph([e for k in range(6) for e in [[2 * k, 2 * k + 1]] * 3])

    def repeated(S):
        return S.m - len(set(map(frozenset, S.hyperedges)))

    assert all(repeated(S) > 6 for S in hh.HyperDK().fit([H]).sample(5, seed=1))
    assert all(repeated(S) == 0 for S in hh.HyperDK(repeats="forbid").fit([H]).sample(5, seed=1))
    assert all(repeated(S) > 6 for S in hh.HyperDK(repeats="as-data").fit([H]).sample(5, seed=1))


def test_it_is_saved_and_loaded(tmp_path):
    model = hh.HyperDK(rewirings=9).fit([HOUSES, hh.Hypergraph([[0, 1], [0, 2]])])
    model.save(tmp_path / "model")
    assert hh.load_model(tmp_path / "model").sample(4, seed=1) == model.sample(4, seed=1)


def last(values):
    """Return a list with one more in its last number."""
    return [*values[:-1], values[-1] + 1]


@pytest.mark.parametrize(
    ("field", "change", "message"),
    [
        ("degrees", lambda _: [2, 2, 0, 1], "no hypergraph has these degrees and sizes"),
        ("joint_degrees", lambda old: [*old, [2, 2, 0]], "joint degrees are listed twice"),
        ("joint_degrees", lambda old: [[d, e, n] for e, d, n in old], "the smaller one first"),
        ("joint_degrees", lambda old: [[1, 3, old[0][2]], *old[1:]], "of degrees that occur"),
        ("joint_degrees", lambda old: [*old[:-1], last(old[-1])], "do not add up to the pairs"),
        ("redundant_pairs", lambda old: [*old, 0], "redundant pairs do not fit the degrees"),
        ("redundant_pairs", last, "redundant pairs do not fit the degrees"),
    ],
)
def test_targets_that_no_hypergraph_has(tmp_path, field, change, message):
    # Two nodes of degree 2, both of whose pairs of hyperedges are redundant, and one of degree 1.
    hh.HyperDK().fit([hh.Hypergraph([[0, 1, 2], [0, 1]], nodes=4)]).save(tmp_path / "model")
    file = tmp_path / "model" / "model.json"
    record = json.loads(file.read_text())
    assert record["fitted"]["joint_degrees"] == [[[1, 2, 2], [2, 2, 2]]]
    assert record["fitted"]["redundant_pairs"] == [[0, 2]]
    record["fitted"][field][0] = change(record["fitted"][field][0])
    if field == "degrees":
        record["fitted"]["hyperedge_sizes"][0] = [4, 1]
    file.write_text(json.dumps(record))
    with pytest.raises(FormatError, match=message):
        hh.load_model(tmp_path / "model")


@pytest.mark.parametrize("field", ["joint_degrees", "redundant_pairs"])
def test_targets_for_other_hypergraphs(tmp_path, field):
    hh.HyperDK().fit([HOUSES]).save(tmp_path / "model")
    file = tmp_path / "model" / "model.json"
    record = json.loads(file.read_text())
    record["fitted"][field].append([])
    file.write_text(json.dumps(record))
    with pytest.raises(FormatError, match="targets for more or fewer hypergraphs"):
        hh.load_model(tmp_path / "model")


@pytest.mark.parametrize(
    "options", [{"node": "3"}, {"node": 2}, {"edge": "2"}, {"rewirings": -1}, {"rewirings": 10**9}]
)
def test_bad_arguments(options):
    with pytest.raises(GeneratorError, match=next(iter(options))):
        hh.HyperDK(**options)
