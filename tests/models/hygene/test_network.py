"""The network: equivariance, signs, disjoint parts, and its messages against a product over triangles."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from hyperhedge.models.hygene.batch import Labelled, Step, Values
from hyperhedge.models.hygene.network import _families, _others, _scale
from small_hygene import everything, labelled_steps, random_inputs, small_network
from strategies import random_hypergraphs

NOISE = torch.tensor([0.3], dtype=torch.float64)


@pytest.fixture(scope="module")
def item():
    """Return a step whose coarser hypergraph has simple eigenvalues."""
    H = random_hypergraphs(1, 14, 9, density=0.25, seed=8)[0]
    return labelled_steps(H, seed=1)[1]


def permuted(item, seed):
    """Relabel a step's children, and its coarser nodes and hyperedges; return it and the orders of the children and candidates."""
    rng = np.random.default_rng(seed)
    step = item.step
    pn, pm = (rng.permutation(size) for size in step.shape)  # new place of the k-th: inverse below
    cn, cm = rng.permutation(len(step.node_parents)), rng.permutation(len(step.edge_parents))
    inverse = [np.argsort(p) for p in (pn, pm, cn, cm)]
    moved = Step(
        np.stack([inverse[0][step.coarse[0]], inverse[1][step.coarse[1]]]),
        step.shape,
        step.node_features[pn],
        step.edge_features[pm],
        step.values,
        inverse[0][step.node_parents[cn]],
        inverse[1][step.edge_parents[cm]],
        np.stack([inverse[2][step.near[0]], inverse[3][step.near[1]]]),
        step.needed,
        step.target,
    )
    return Labelled(moved, item.kept, item.node_counts[cn], item.edge_counts[cm], item.last), cn, cm


@pytest.mark.parametrize("seed", [0, 1])
def test_relabelled_nodes_and_hyperedges_relabel_the_result(item, seed):
    network = small_network()
    other, cn, cm = permuted(item, seed)
    one, two = everything([item]), everything([other])
    inputs = random_inputs(one)
    first = network(one, inputs, NOISE)
    second = network(two, Values(inputs.nodes[cn], inputs.edges[cm], inputs.incidences), NOISE)
    torch.testing.assert_close(second.nodes, first.nodes[cn])
    torch.testing.assert_close(second.edges, first.edges[cm])
    torch.testing.assert_close(second.incidences, first.incidences)
    assert first.nodes.std() > 1e-3, "a constant would pass too"


def test_signs_of_eigenvectors_do_not_matter(item):
    network, union = small_network(), everything([item])
    signs = torch.tensor([-1.0, 1.0, -1.0], dtype=torch.float64)
    flipped = replace(union, node_features=union.node_features * signs, edge_features=union.edge_features * signs)
    for one, two in zip(network.sign_net(union), network.sign_net(flipped), strict=True):
        torch.testing.assert_close(one, two)
        assert one.std() > 1e-4
    other = replace(union, node_features=union.node_features.roll(1, 0))
    assert not torch.allclose(network.sign_net(other)[0], network.sign_net(union)[0])


def test_parts_of_a_union_do_not_see_each_other():
    network = small_network()
    items = [labelled_steps(H, seed=2)[0] for H in random_hypergraphs(3, 8, 5, seed=4)]
    union, noise = everything(items), torch.tensor([0.1, 0.2, 0.3], dtype=torch.float64)
    inputs = random_inputs(union)
    together = network(union, inputs, noise)
    for k, item in enumerate(items):
        own = [union.node_graph == k, union.edge_graph == k, union.graph == k]
        alone = network(everything([item]), Values(*(x[w] for x, w in zip(inputs, own, strict=True))), noise[k : k + 1])
        for kind in range(3):
            torch.testing.assert_close(alone[kind], together[kind][own[kind]])


def test_messages_are_products_over_triangles_with_loops():
    """Enumerate all triangles (s, u, t) of edges and loops, as the local PPGN is defined, and keep what arrives at v → e."""
    layer = small_network(layers=1, siblings=False).layers[0]
    rng = np.random.default_rng(1)
    H = rng.random((4, 3)) < 0.6
    v, e = (torch.from_numpy(part) for part in np.nonzero(H))
    x = torch.randn(7 + len(v), 12, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
    index = {(int(i), int(i)): int(i) for i in range(7)}
    for c, (i, j) in enumerate(zip(v.tolist(), e.tolist(), strict=True)):
        index[i, j + 4] = index[j + 4, i] = 7 + c
    a, b = layer.a(x), 1 + layer.b(x)
    messages, arriving = torch.zeros_like(a), torch.zeros(len(x), dtype=torch.float64)
    for (s, u), first in index.items():
        for t in range(7):
            if (u, t) in index and (s, t) in index and s <= t:  # one direction of each incidence
                messages[index[s, t]] += a[first] * b[index[u, t]]
                arriving[index[s, t]] += 1
    told = torch.randn(len(x), 12, generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    expected = layer.updated(x, messages / arriving.sqrt()[:, None], told)
    ends = v, e + 4
    none = torch.zeros(len(x), dtype=torch.int64)
    torch.testing.assert_close(layer(x, ends, _scale(ends, 7, x), told, (none, none)), expected)


def test_siblings_are_children_of_one_parent_and_candidates_that_differ_in_one_child(item):
    union = everything([item])
    n, m = len(union.node_graph), len(union.edge_graph)
    parent = {"v": union.node_parents.tolist(), "e": union.edge_parents.tolist()}
    v, e = union.v.tolist(), union.e.tolist()
    names = [("node", parent["v"][k]) for k in range(n)] + [("edge", parent["e"][k]) for k in range(m)]
    expected = (
        names + [("twins", parent["v"][i], j) for i, j in zip(v, e, strict=True)],
        names + [("twins", i, parent["e"][j]) for i, j in zip(v, e, strict=True)],
    )
    x = torch.randn(n + m + len(v), 2, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    for family, named in zip(_families(union), expected, strict=True):
        others = torch.stack(
            [
                sum((x[j] for j, o in enumerate(named) if o == own and j != k), torch.zeros(2))
                for k, own in enumerate(named)
            ]
        )
        torch.testing.assert_close(_others(x, family), others)


def test_dropout_is_drawn_from_its_generator_and_keeps_the_mean(item):
    network, union = small_network(dropout=0.5), everything([item])
    inputs = random_inputs(union)
    exact = network(union, inputs, NOISE).nodes
    one, again, other = (network(union, inputs, NOISE, None, torch.Generator().manual_seed(k)).nodes for k in (1, 1, 2))
    assert torch.equal(one, again)
    assert not torch.equal(one, other)
    assert not torch.equal(one, exact)
    x = torch.ones(20_000, 1)
    assert network._dropped(x, torch.Generator().manual_seed(0)).mean() == pytest.approx(1, abs=0.04)


def test_the_target_number_of_hyperedges_is_seen_if_it_is_given(item):
    union = everything([item])
    inputs = random_inputs(union)
    other = replace(union, target=union.target + torch.tensor([0.0, 3.0]))
    for counts_edges in (True, False):
        network = small_network(counts_edges=counts_edges)
        same = torch.allclose(network(union, inputs, NOISE).edges, network(other, inputs, NOISE).edges)
        assert same is not counts_edges
