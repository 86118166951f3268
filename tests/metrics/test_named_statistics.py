"""Statistics of one hypergraph by name: against networkx, XGI and brute force; and what is refused."""

import functools
import math
from itertools import combinations
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import xgi
from hypothesis import given

import hyperhedge as hh
from hyperhedge.errors import HyperhedgeError, UndefinedError
from hyperhedge.metrics import named_statistics
from hyperhedge.metrics.motifs import motif_counts
from hyperhedge.metrics.named_statistics import STATISTICS, select_statistics
from strategies import hypergraphs, random_hypergraphs


def value(name, H):
    return select_statistics(name).values(H, "H")[0]


def projection(H):
    graph = nx.Graph()
    graph.add_nodes_from(H.nodes)
    graph.add_edges_from(pair for edge in H.hyperedges for pair in combinations(edge, 2))
    return graph


@given(hypergraphs(max_nodes=8, max_edges=8, min_incidences=1))
def test_clustering_is_that_of_networkx_and_of_xgi(H):
    assert value("clustering", H) == pytest.approx(nx.average_clustering(projection(H)))
    other = xgi.Hypergraph([edge.tolist() for edge in np.split(H.indices, H.indptr[1:-1]) if len(edge)])
    other.add_nodes_from(range(H.n))
    assert value("clustering", H) == pytest.approx(np.mean(list(xgi.clustering_coefficient(other).values())))


def test_clustering_in_blocks(monkeypatch):
    (H,) = random_hypergraphs(1, 40, 30, density=0.08, seed=2)
    whole = value("clustering", H)
    assert whole == pytest.approx(nx.average_clustering(projection(H)))
    assert 0 < whole < 1
    monkeypatch.setattr(named_statistics, "_BLOCK", 30)
    assert value("clustering", H) == whole


@given(hypergraphs(max_nodes=8, max_edges=8, min_incidences=1))
def test_overlaps_by_brute_force(H):
    sets = [set(edge) for edge in H.hyperedges]
    shared = [len(e & f) for e, f in combinations(sets, 2)]
    overlapping = [size for size in shared if size]
    filled = [e for e in sets if e]
    expected = {
        "overlap-size": np.mean(overlapping) if overlapping else 0.0,
        "nestedness": np.mean([any(e < f for f in sets) for e in filled]),
        "repeated": H.m - len({frozenset(e) for e in sets}),
    }
    if shared:
        expected["overlap"] = np.mean([size >= 2 for size in shared])
    assert select_statistics(list(expected)).values(H, "H") == pytest.approx(list(expected.values()))


@given(hypergraphs(max_nodes=8, max_edges=8))
def test_assortativity_by_brute_force(H):
    """The weighted correlation over ordered pairs of nodes within hyperedges, each hyperedge with weight one."""
    degree = dict(zip(H.nodes, H.degrees.tolist(), strict=True))
    pairs = [(degree[u], degree[v], 1 / (len(e) * (len(e) - 1))) for e in H.hyperedges for u in e for v in e if u != v]
    x, y, weights = np.array(pairs).reshape(-1, 3).T
    if len(set(x)) < 2:
        with pytest.raises(UndefinedError, match="'assortativity' is not finite on H; leave it out"):
            value("assortativity", H)
    else:
        covariance = np.cov(x, y, aweights=weights, ddof=0)
        assert value("assortativity", H) == pytest.approx(covariance[0, 1] / covariance[0, 0])


def test_assortativity_is_what_xgi_estimates():
    women = hh.load_dataset("southern-women").hypergraph
    estimate = xgi.degree_assortativity(hh.convert.to_xgi(women), kind="uniform", num_samples=20_000)
    assert value("assortativity", women) == pytest.approx(estimate, abs=0.05)


def test_motifs_are_counted_once_and_named_by_number():
    (H,) = random_hypergraphs(1, 12, 15, density=0.3, seed=1)
    counts = motif_counts(H).tolist()
    assert select_statistics("motifs").values(H, "H") == counts
    assert value("motif-22", H) == counts[21]
    selection = select_statistics(["motif-5", "clustering", "motif-2", "motif-5"])
    assert selection.names == ("motif-5", "clustering", "motif-2")
    assert [family.wanted for family in selection.families] == [("clustering",), ("motif-5", "motif-2")]
    assert selection.values(H, "H") == [counts[4], value("clustering", H), counts[1]]


def test_every_name_is_explained():
    plain = [name for name in STATISTICS if not name.startswith("motif-")]
    assert all(f"``{name}``" in named_statistics.__doc__ for name in plain)
    page = (Path(__file__).parents[2] / "docs" / "null-tests.md").read_text()
    assert all(f"`{name}`" in page for name in plain)
    assert len(STATISTICS) == len(plain) + 26


def test_functions_are_named():
    def mean_size(H):
        return H.edge_sizes.mean()

    H = hh.Hypergraph([[0, 1], [0, 1, 2, 3]])
    selection = select_statistics([mean_size, {"size of the first": lambda H: H.edge_sizes[0]}, "repeated"])
    assert selection.names == ("mean_size", "size of the first", "repeated")
    assert selection.values(H, "H") == [3.0, 2.0, 0.0]
    assert select_statistics(mean_size).names == ("mean_size",)
    assert select_statistics(functools.partial(mean_size)).names == ("partial",)


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ("modularity", "there is no statistic 'modularity'; choose from clustering, .*, motif-1 … motif-26, or give a"),
        (lambda _: 1, "a lambda has no name; give {name: function}"),
        ([], "statistic= is empty"),
        ({}, "statistic= is empty"),
        (5, "statistic= is 5; give a name"),
        ([5], "the statistic 'int' is 5; give a function of one hypergraph"),
        ({"a": 5}, "the statistic 'a' is 5; give a function"),
        ({"overlap": len}, "two statistics are named 'overlap'"),
        ([{"a": len}, {"a": len}], "two statistics are named 'a'; give yours another name"),
    ],
)
def test_bad_choices(choice, message):
    with pytest.raises(HyperhedgeError, match=message):
        select_statistics(choice)


@pytest.mark.parametrize(
    ("result", "message"),
    [
        ("many", "the statistic 'f' returned 'many' on H; it should return a number"),
        (None, "returned None on H"),
        (np.zeros(2), "it should return a number"),
        (math.nan, "the statistic 'f' is not finite on H; leave it out, or test another one"),
        (math.inf, "is not finite"),
    ],
)
def test_bad_values(result, message):
    with pytest.raises(UndefinedError, match=message):
        value({"f": lambda _: result}, hh.Hypergraph([[0]]))


def test_an_error_of_a_function_is_one_sentence_with_its_cause():
    with pytest.raises(
        UndefinedError, match="the statistic 'f' raised ZeroDivisionError on H: division by zero"
    ) as error:
        value({"f": lambda H: 1 / (H.n - 1)}, hh.Hypergraph([[0]]))
    assert isinstance(error.value.__cause__, ZeroDivisionError)


@pytest.mark.parametrize(("name", "edges"), [("overlap", [[0, 1]]), ("nestedness", [[]]), ("clustering", [[]])])
def test_statistics_without_a_value(name, edges):
    with pytest.raises(UndefinedError, match=f"'{name}' is not finite on H"):
        value(name, hh.Hypergraph(edges))
