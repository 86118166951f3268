"""Hypergraphs to tensors and back."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import hyperhedge as hh
from hyperhedge.incidence import Sizes, decode, encode
from strategies import hypergraphs


@given(st.lists(hypergraphs(), max_size=4), st.integers(0, 9), st.integers(0, 9))
def test_round_trip_leaves_labels_behind(graphs, rows, columns):
    batch = encode(graphs, rows=rows, columns=columns)
    assert batch.matrix.shape[1] >= rows
    assert decode(batch.matrix, batch.sizes) == [H.relabel(nodes=range(H.n), edges=range(H.m)) for H in graphs]
    assert (batch.matrix[~batch.sizes.mask] == 0).all()
    assert batch.sizes.mask.sum() == sum(H.n * H.m for H in graphs)


def test_sizes():
    sizes = Sizes.of([2, 1], [1, 3])
    assert sizes.node_mask.tolist() == [[True, True], [True, False]]
    assert sizes.edge_mask.tolist() == [[True, False, False], [True, True, True]]
    assert len(sizes[torch.tensor([1])]) == 1
    assert Sizes.all_equal(3, 2, 4).mask.all()
    with pytest.raises(hh.HypergraphError, match="the sizes say"):
        decode(torch.zeros(2, 2, 2), sizes)
    with pytest.raises(hh.HypergraphError, match=r"holds 0\.5"):
        decode(torch.full((2, 2, 3), 0.5), sizes)
