"""Hypergraphs to tensors and back."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import hyperhedge as hh
from hyperhedge.diffusion.batch import Shapes, decode, encode
from strategies import hypergraphs


@given(st.lists(hypergraphs(), max_size=4), st.integers(0, 9), st.integers(0, 9))
def test_round_trip_leaves_labels_behind(graphs, rows, columns):
    batch = encode(graphs, rows=rows, columns=columns)
    assert batch.matrix.shape[1] >= rows
    assert decode(batch.matrix, batch.shapes) == [H.relabel(nodes=range(H.n), edges=range(H.m)) for H in graphs]
    assert (batch.matrix[~batch.shapes.mask] == 0).all()
    assert batch.shapes.mask.sum() == sum(H.n * H.m for H in graphs)


def test_shapes():
    shapes = Shapes.of([2, 1], [1, 3])
    assert shapes.node_mask.tolist() == [[True, True], [True, False]]
    assert shapes.edge_mask.tolist() == [[True, False, False], [True, True, True]]
    assert len(shapes[torch.tensor([1])]) == 1
    assert Shapes.all_equal(3, 2, 4).mask.all()
    with pytest.raises(
        hh.errors.HypergraphError, match=r"matrix has the shape \(2, 2, 2\), but shapes= is for \(2, 2, 3\)"
    ):
        decode(torch.zeros(2, 2, 2), shapes)
    with pytest.raises(hh.errors.HypergraphError, match=r"holds 0\.5"):
        decode(torch.full((2, 2, 3), 0.5), shapes)
