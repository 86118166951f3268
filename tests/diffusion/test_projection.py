"""From relaxed states to hypergraphs: the nearest valid one against brute force and an integer program."""

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import Bounds, LinearConstraint, milp

from hyperhedge.diffusion.batch import Shapes
from hyperhedge.diffusion.projection import PROJECTIONS, decided_share, flips, project_given, project_valid, threshold
from hyperhedge.errors import HypergraphError

BY_NAME = {
    "threshold": threshold,
    "valid": project_valid,
    "given": lambda X, shapes: project_given(X, shapes, *likely(X, shapes)),
}
FLAGS = list(itertools.product([False, True], repeat=2))
entries = st.one_of(st.sampled_from([-0.5, 0.0, 0.1, 0.3, 0.5, 1.0, 1.2]), st.floats(-2.0, 0.7))


@st.composite
def states(draw, most=12):
    """Return small relaxed states; ties, bare rows and bare columns are frequent."""
    n = draw(st.integers(1, 5))
    m = draw(st.integers(1, most // n))
    values = draw(st.lists(entries, min_size=n * m, max_size=n * m))
    return torch.tensor(values, dtype=torch.float64).view(1, n, m)


def whole(X):
    return Shapes.all_equal(*X.shape)


def matrix(H):
    return H.incidence.toarray()


def binary_matrices(n, m):
    """List all binary matrices of a shape, ``(2^nm, n, m)``."""
    numbers = np.arange(2 ** (n * m))[:, None] >> np.arange(n * m)
    return (numbers & 1).reshape(-1, n, m)


def allowed(Y, allow_empty, allow_isolated):
    """Return which matrices of a stack fulfil the conditions."""
    nodes, edges = Y.any(2).all(1), Y.any(1).all(1)
    return (nodes | allow_isolated) & (edges | allow_empty)


def likely(X, shapes):
    """Return hyperedge sizes and degrees of hypergraphs other than those of thresholding, with zeros for padding."""
    Y = X.nan_to_num().numpy() >= 0.2
    Y = Y & shapes.mask.numpy() if Y.shape == shapes.mask.shape else Y
    return Y.sum(1), Y.sum(2)


def bare_states(seed, n, m):
    """Sample a state without ties, of which about half the rows and columns are bare after thresholding."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-0.3, 0.49, (n, m))
    covered = np.ix_(rng.random(n) < 0.5, rng.random(m) < 0.5)
    X[covered] = rng.uniform(-0.3, 1.3, X[covered].shape)
    return torch.from_numpy(X)[None]


@given(states(), st.sampled_from(FLAGS))
def test_nothing_allowed_is_nearer(X, flags):
    options = dict(zip(("allow_empty", "allow_isolated"), flags, strict=True))
    all_of_them = binary_matrices(*X.shape[1:])
    candidates = all_of_them[allowed(all_of_them, *flags)]
    best = ((candidates - X.numpy()) ** 2).sum((1, 2)).min()
    nearest = matrix(project_valid(X, whole(X), **options)[0])
    assert allowed(nearest[None], *flags).all()
    assert ((nearest - X[0].numpy()) ** 2).sum() == pytest.approx(best, rel=1e-12, abs=1e-12)
    assert (nearest >= matrix(threshold(X, whole(X))[0])).all()


@pytest.mark.parametrize("seed", range(5))
def test_an_integer_program_finds_the_same(seed):
    """At 24 × 17, where enumeration cannot go; without ties the nearest matrix is one."""
    n, m = 24, 17
    X = bare_states(seed, n, m)
    covers = np.concatenate((np.kron(np.eye(n), np.ones(m)), np.kron(np.ones(n), np.eye(m))))
    solved = milp(
        1 - 2 * X.numpy().ravel(),
        integrality=np.ones(n * m),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(covers, lb=1),
        options={"mip_rel_gap": 0.0},
    )
    assert solved.success
    nearest = project_valid(X, whole(X))
    assert np.array_equal(matrix(nearest[0]), solved.x.round().reshape(n, m))
    assert flips(X, whole(X), nearest) > max(n, m) / 4


def test_the_cheapest_entries_alone_are_not_always_best():
    """Bare rows 1, 2 and columns 1, 2: one by one they would take four entries, in two pairs they take two."""
    X = torch.tensor([[[1.0, 0.2, 0.2], [0.2, 0.1, 0.15], [0.2, 0.15, 0.1]]])
    assert project_valid(X, whole(X))[0].hyperedges == ((0,), (2,), (1,))


@given(states(), st.sampled_from(FLAGS))
def test_valid_hypergraphs_are_not_changed(X, flags):
    options = dict(zip(("allow_empty", "allow_isolated"), flags, strict=True))
    once = project_valid(X, whole(X), **options)
    again = torch.from_numpy(matrix(once[0])[None].astype(float))
    assert project_valid(again, whole(X), **options) == once
    rounded = threshold(X, whole(X))
    if allowed(matrix(rounded[0])[None], *flags).all():
        assert once == rounded
        assert not flips(X, whole(X), once).any()


@given(st.integers(0, 10**6), st.integers(1, 9), st.integers(1, 9))
def test_reordering_the_state_reorders_the_hypergraph(seed, n, m):
    X = bare_states(seed, n, m)
    rng = np.random.default_rng(seed)
    rows, columns = rng.permutation(n), rng.permutation(m)
    there = matrix(project_valid(X, whole(X))[0])[rows][:, columns]
    back = matrix(project_valid(X[:, rows][:, :, columns], whole(X))[0])
    assert np.array_equal(there, back)


@pytest.mark.parametrize("name", PROJECTIONS)
@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=1, max_size=4), st.integers(0, 10**6))
def test_members_and_padding_do_not_matter(name, pairs, seed):
    project = BY_NAME[name]
    shapes = Shapes.of([n for n, _ in pairs], [m for _, m in pairs], rows=7, columns=6)
    X = torch.full((len(pairs), 7, 6), torch.nan, dtype=torch.float64)  # which must not be seen
    X[1::2] = 0.9
    alone = []
    for b, (n, m) in enumerate(pairs):
        state = bare_states(seed + b, n, m)
        X[b, :n, :m] = state[0]
        alone += project(state, whole(state))
    assert project(X, shapes) == alone
    expected = [int((matrix(H) != (X[b, : H.n, : H.m].numpy() >= 0.5)).sum()) for b, H in enumerate(alone)]
    assert flips(X, shapes, alone).tolist() == expected


@given(states(), st.integers(0, 10**6))
def test_given_sizes_and_degrees_are_kept(X, seed):
    n, m = X.shape[1:]
    rng = np.random.default_rng(seed)
    Y = rng.random((n, m)) < rng.random()
    wanted, degrees = Y.sum(0)[None], Y.sum(1)[None]
    exact = project_given(X, whole(X), wanted, degrees)[0]
    assert exact.edge_sizes.tolist() == wanted[0].tolist()
    assert exact.degrees.tolist() == degrees[0].tolist()
    again = torch.from_numpy(matrix(exact)[None].astype(float))
    assert project_given(again, whole(X), wanted, degrees) == [exact]
    loose = project_given(X, whole(X), wanted, allow_isolated=True)[0]
    assert loose.edge_sizes.tolist() == wanted[0].tolist()
    nearer = [((matrix(H) - X[0].numpy()) ** 2).sum() for H in (loose, exact)]
    assert nearer[0] <= nearer[1] + 1e-9


def test_sizes_alone_isolate_no_node():
    X = torch.tensor([[[0.9, 0.8], [0.7, 0.6], [0.1, 0.2]]])
    assert project_given(X, whole(X), np.array([[2, 1]]))[0].hyperedges == ((0, 1), (2,))
    assert project_given(X, whole(X), np.array([[2, 1]]), allow_isolated=True)[0].hyperedges == ((0, 1), (0,))


def test_impossible_degrees_are_dropped_first_and_sizes_then():
    X = torch.tensor([[[0.9, 0.1], [0.6, 0.2], [0.4, 0.15]]])
    uneven = project_given(X, whole(X), np.array([[1, 2]]), np.array([[1, 1, 2]]))  # 3 incidences, or 4
    assert uneven == project_given(X, whole(X), np.array([[1, 2]]))
    assert project_given(X, whole(X), np.array([[1, 1]]), np.array([[1, 1, 0]]))[0].edge_sizes.tolist() == [1, 1]
    too_few = project_given(X, whole(X), np.array([[1, 1]]))  # for three nodes
    assert too_few == project_valid(X, whole(X))


def test_ties_fall_to_the_first_entry():
    X = torch.zeros(1, 3, 1)
    assert project_valid(X, whole(X), allow_isolated=True)[0].hyperedges == ((0,),)
    assert project_valid(X.mT, whole(X.mT), allow_empty=True)[0].hyperedges == ((0,), (), ())


def test_shapes_without_entries():
    shapes = Shapes.of([0, 2], [0, 1], rows=2, columns=1)
    assert [H.n for H in project_valid(torch.zeros(2, 2, 1), shapes)] == [0, 2]
    no_edges, no_nodes = Shapes.all_equal(1, 2, 0), Shapes.all_equal(1, 0, 3)
    with pytest.raises(HypergraphError, match=r"member 0 has nodes but no hyperedges.*allow_isolated=True"):
        project_valid(torch.zeros(1, 2, 0), no_edges)
    with pytest.raises(HypergraphError, match=r"member 0 has hyperedges but no nodes.*allow_empty=True"):
        project_valid(torch.zeros(1, 0, 3), no_nodes)
    assert project_valid(torch.zeros(1, 2, 0), no_edges, allow_isolated=True)[0].n == 2
    assert project_valid(torch.zeros(1, 0, 3), no_nodes, allow_empty=True)[0].m == 3
    assert project_valid(torch.zeros(0, 0, 0), Shapes.of([], [])) == []


@pytest.mark.parametrize("name", PROJECTIONS)
@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_states_that_are_not_finite_are_refused(name, value):
    X = torch.zeros(2, 3, 2)
    X[1, 2, 0] = value
    with pytest.raises(
        HypergraphError, match=f"X contains {value} at row 2, column 0 of member 1: the sampler diverged"
    ):
        BY_NAME[name](X, whole(X))
    with pytest.raises(HypergraphError, match=r"X has the shape \(2, 3, 2\), but shapes= is for \(2, 2, 2\)"):
        BY_NAME[name](X, Shapes.all_equal(2, 2, 2))


def test_entries_of_any_magnitude_and_precision_are_fine():
    for dtype, least in ((torch.float64, -1e308), (torch.float32, -3e38), (torch.float16, -6e4)):
        X = torch.full((1, 3, 2), least, dtype=dtype, requires_grad=True)
        H = project_valid(X, whole(X))[0]
        assert (H.degrees > 0).all()
        assert (H.edge_sizes > 0).all()


def test_thresholding_respects_shapes():
    graphs = threshold(torch.full((2, 2, 2), 0.5), Shapes.of([2, 1], [1, 2]))
    assert [(H.n, H.m, H.num_incidences) for H in graphs] == [(2, 1, 2), (1, 2, 2)]


def test_share_of_decided_entries():
    X = torch.tensor([[[0.05, 0.5], [1.05, -0.2]], [[1.0, 7.0], [7.0, 7.0]]], dtype=torch.float64)
    shapes = Shapes.of([2, 1], [2, 1])
    assert decided_share(X, shapes) == 3 / 5
    assert decided_share(X, shapes, within=0.25) == 4 / 5
    assert decided_share(torch.zeros(1, 0, 2), Shapes.all_equal(1, 0, 2)) == 1.0
    with pytest.raises(HypergraphError, match=r"X has the shape \(1, 2, 2\), but shapes= is for \(2, 2, 2\)"):
        decided_share(X[:1], shapes)


def test_flips_are_those_of_the_projection():
    X = torch.zeros(1, 2, 2)
    assert flips(X, whole(X), project_valid(X, whole(X))).tolist() == [2]
    with pytest.raises(HypergraphError, match="do not have the shapes"):
        flips(X, whole(X), threshold(torch.zeros(1, 2, 3), Shapes.all_equal(1, 2, 3)))
