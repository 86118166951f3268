"""The real datasets against the counts that upstream and the paper state."""

import hashlib
import pickle
from pathlib import Path

import networkx as nx
import pytest

from hyperhedge.convert import from_networkx
from hyperhedge.data import CATALOGUE, Store
from hyperhedge.data.catalogue import parse_lines, parse_numbers, parse_pickle
from hyperhedge.errors import DataError, FormatError, HypergraphError

# nodes, nodes in a hyperedge, hyperedges, incidences, repeated hyperedges (None where nobody states them)
COUNTS = {
    "cora": (2_708, 1_434, 1_579, 4_786, 96),
    "citeseer": (3_312, 1_458, 1_079, 3_453, 75),
    "dblp": (41_302, 41_302, 22_363, 99_561, None),
    "actor": (16_255, 15_761, 10_164, 53_372, None),
    "twitch": (16_812, 16_356, 2_627, 16_356, 0),
    "house-committees": (1_290, 1_290, 341, 11_843, None),
    "contact-high-school": (327, 327, 7_818, 18_192, 0),
    "email-enron": (143, 143, 1_459, 4_568, 0),
    "ndc-classes": (1_149, 1_149, 1_049, 6_468, 0),
    "tags-ubuntu": (3_021, 3_021, 145_053, 497_129, 0),
    "cora-coauthorship": (2_708, 2_388, 1_072, 4_585, 102),
}
OF_THE_PAPER = ["cora", "citeseer", "dblp", "actor", "twitch", "house-committees"]


@pytest.mark.parametrize("name", COUNTS)
def test_counts(mirror, name):
    H = CATALOGUE[name].load(Store(str(mirror)))
    nodes, covered, hyperedges, incidences, repeated = COUNTS[name]
    assert (H.n, H.m, H.num_incidences) == (nodes, hyperedges, incidences)
    assert (CATALOGUE[name].nodes, CATALOGUE[name].hyperedges) == (nodes, hyperedges)
    assert int((H.degrees > 0).sum()) == covered
    if repeated is not None:
        assert H.m - len(set(H.hyperedges)) == repeated


def test_details_that_upstream_states(mirror):
    store = Store(str(mirror))
    assert CATALOGUE["dblp"].load(store).edge_sizes.max() == 202
    assert CATALOGUE["twitch"].load(store).degrees.max() == 1  # the hyperedges are disjoint
    house = CATALOGUE["house-committees"].load(store)
    assert int((house.edge_sizes == 1).sum()) == 1
    assert len(set(house.nodes)) == 1_290
    assert house.nodes[0] == "E. de la Garza"
    assert house.hyperedges[0][:2] == ("E. de la Garza", "George Brown")  # ids start at 1
    assert "Barry Lyndon" in CATALOGUE["actor"].load(store).edges
    assert "V Gupta" in CATALOGUE["cora-coauthorship"].load(store).edges


@pytest.mark.parametrize(
    ("name", "first", "line"),
    [
        ("contact-high-school", 1, (205, 258, 292)),
        ("email-enron", 0, (0, 1)),
        ("ndc-classes", 0, (0, 1)),
        ("tags-ubuntu", 0, (0, 1)),
    ],
)
def test_nodes_keep_the_numbers_of_upstream(mirror, name, first, line):
    H = CATALOGUE[name].load(Store(str(mirror)))
    assert (H.nodes[0], H.nodes[-1], H.hyperedges[0]) == (first, first + H.n - 1, line)
    assert H.edge_sizes.min() == 2


def test_only_those_of_the_paper_have_a_shape():
    assert [name for name, entry in CATALOGUE.items() if entry.bank_shape] == OF_THE_PAPER
    assert set(COUNTS) == {name for name, entry in CATALOGUE.items() if not entry.in_package}


@pytest.mark.parametrize("name", [name for name in COUNTS if name not in OF_THE_PAPER])
def test_the_page_has_the_counts(mirror, name):
    H = CATALOGUE[name].load(Store(str(mirror)))
    rows = (Path(__file__).parents[2] / "docs" / "data.md").read_text(encoding="utf-8").splitlines()
    (row,) = [row for row in rows if row.startswith(f"| `{name}` | ")]
    counts = (
        H.n,
        H.m,
        H.num_incidences,
        int(H.edge_sizes.max()),
        int((H.degrees == 0).sum()),
        H.m - len(set(H.hyperedges)),
    )
    assert [cell.strip() for cell in row.split("|")[4:-1]] == [f"{count:,}" for count in counts]


def test_southern_women_is_the_graph_of_networkx():
    entry = CATALOGUE["southern-women"]
    H, theirs = entry.load(Store("/nowhere")), from_networkx(nx.davis_southern_women_graph())
    assert (entry.in_package, entry.nodes, entry.hyperedges) == (True, H.n, H.m)
    assert {frozenset(members) for members in H.hyperedges} == {frozenset(members) for members in theirs.hyperedges}
    assert (H.n, H.m, H.num_incidences) == (theirs.n, theirs.m, 89)
    assert [name for name in CATALOGUE if CATALOGUE[name].in_package] == ["southern-women"]


def test_a_changed_mirror_is_refused_before_it_is_read(tmp_path):
    hostile = b"cos\nsystem\n(S'touch harmed'\ntR."
    path = tmp_path / CATALOGUE["cora"].files[0].name
    path.parent.mkdir(parents=True)
    path.write_bytes(hostile)
    with pytest.raises(DataError, match="SHA-256"):
        CATALOGUE["cora"].load(Store(str(tmp_path)))


def test_sizes_and_digests_are_those_of_the_mirror(mirror):
    for entry in CATALOGUE.values():
        for file in entry.files:
            data = (mirror / file.name).read_bytes()
            assert (len(data), hashlib.sha256(data).hexdigest()) == (file.size, file.sha256)


def test_a_pickle_of_lists_is_parsed():
    data = pickle.dumps({b'"A film"': [0, 2, 2], b"B": [1]}, 3)
    H = parse_pickle([data], 4)
    assert (H.n, H.edges, H.hyperedges) == (4, ("A film", "B"), ((0, 2), (1,)))


@pytest.mark.parametrize("value", [[1, 2], {"x": 3}, {"x": ["a"]}, {"x": [1.5]}])
def test_a_pickle_of_something_else_is_refused(value):
    with pytest.raises(FormatError):
        parse_pickle([pickle.dumps(value, 4)], 4)


def test_shared_names_are_told_apart_by_number():
    H = parse_lines([b"1,2\n2,3\n", b"ann\nbo\nann\n"], 3)
    assert H.nodes == ("ann (1)", "bo", "ann (3)")
    assert H.hyperedges == (("ann (1)", "bo"), ("bo", "ann (3)"))
    with pytest.raises(FormatError, match="whole numbers"):
        parse_lines([b"1,x\n", b"ann\n"], 1)


def test_a_list_of_numbers_is_parsed():
    H = parse_numbers([b"3,1\n1,2\n"], 4, first=1)
    assert (H.nodes, H.hyperedges) == ((1, 2, 3, 4), ((1, 3), (1, 2)))
    with pytest.raises(FormatError, match="whole numbers"):
        parse_numbers([b"1,x\n"], 2, first=0)
    with pytest.raises(HypergraphError, match="the node 0"):
        parse_numbers([b"0,1\n"], 2, first=1)
