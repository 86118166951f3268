"""The shape that is proposed where none was requested."""

import numpy as np
import pytest

import hyperhedge as hh
from hyperhedge.data.likeness import Looks
from hyperhedge.data.proposal import propose_shape
from strategies import random_hypergraphs


def test_disjoint_hyperedges_are_proposed_whole():
    """Of 400 disjoint triples, a piece of 3 m nodes has the degrees and sizes of the whole; 48 × 16 is the largest such."""
    H = hh.Hypergraph([[3 * k, 3 * k + 1, 3 * k + 2] for k in range(400)])
    proposal = hh.load_dataset(H).propose_shape()
    assert (proposal.n, proposal.m) == (48, 16)
    assert proposal.pieces == proposal.whole == Looks(1.0, 3.0, 0.0)
    assert str(proposal).startswith("48 nodes and 16 hyperedges, since of the shapes up to 64 × 48 this is the largest")
    assert hh.load_dataset(H).propose_shape(n=24).m == 8
    assert hh.load_dataset(H).propose_shape(m=8).n == 24


def test_small_edges_of_a_dense_hypergraph_are_not_cut_for_its_degrees():
    H = hh.Hypergraph([[i, j] for i in range(60) for j in range(i)])  # degree 59, which no piece has
    proposal = hh.load_dataset(H).propose_shape()
    assert proposal.pieces.edge_size > 1.5


def test_a_hypergraph_has_one_proposal():
    H = random_hypergraphs(1, 120, 90, 0.04, seed=3)[0]
    dataset = hh.load_dataset(H)
    assert dataset.propose_shape() == dataset.propose_shape()
    assert dataset.propose_shape().m <= 90 // 4


def test_a_small_hypergraph_has_a_proposal_too():
    proposal = hh.load_dataset("southern-women").propose_shape()
    assert proposal.m == 14 // 4
    assert proposal.n <= 18
    single = hh.load_dataset(hh.Hypergraph([[0, 1]])).propose_shape()
    assert (single.n, single.m) == (2, 1)


def test_shapes_that_cannot_be_sampled_are_passed_over_and_the_reason_is_kept():
    H = hh.Hypergraph([[k, 50 + k] for k in range(50)])

    def sample(n, m, count, rng):
        if n > 8:
            raise hh.errors.HyperhedgeError("no such piece")
        return hh.load_dataset(H).bank(n, m, count, seed=rng)

    assert propose_shape(H, sample).n == 8

    def never(*_):
        raise hh.errors.HyperhedgeError("no piece at all")

    with pytest.raises(hh.errors.HyperhedgeError, match="no piece at all"):
        propose_shape(H, never)


def test_the_same_pieces_are_sampled_for_every_shape():
    seeds = []

    def sample(_n, _m, count, rng):
        seeds.append(rng.integers(2**31))
        return [hh.Hypergraph([range(3)])] * count

    propose_shape(hh.Hypergraph([[3 * k, 3 * k + 1, 3 * k + 2] for k in range(40)]), sample)
    assert set(seeds) == {np.random.default_rng(0).integers(2**31)}
