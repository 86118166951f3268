"""Files whose contents look like another format than their names: refused with a way out, and never without reason."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hyperhedge as hh
from hyperhedge.io.doubts import doubt_of_list

PAIRS = "1 1\n2 1\n3 1\n2 2\n1 3\n3 3\n"


def read(tmp_path, text, name, **options):
    (tmp_path / name).write_text(text)
    return hh.read(tmp_path / name, **options)


@pytest.mark.parametrize(
    ("name", "text", "message", "settled"),
    [
        ("h.txt", "3\n1\n2\n", "every line has one value", "hyperedge-list"),
        ("h.txt", "# times\n3\n\n1\n", "every line has one value", "hyperedge-list"),
        ("h.txt", "MP\nPC*\n", "every line has one value", "hyperedge-list"),
        ("h.txt", PAIRS, "look like a node and a hyperedge", "bipartite"),
        ("h.txt", PAIRS, "look like a node and a hyperedge", "hyperedge-list"),
        ("h.txt", PAIRS.replace(" ", ","), "look like a node and a hyperedge", "bipartite"),
        ("h.txt", "a x\nb x\nb y\n", "look like a node and a hyperedge", "bipartite"),
        ("h.txt", "node,edge\na,x\n", r"line 1: 'node,edge' looks like the header", "bipartite"),
        ("h.txt", "edges\tnodes\tweight\nx\ta\t1\n", "looks like the header", "bipartite"),
        ("h.txt", '{"incidences":[{"node":1,"edge":2}]}', "line 1: this looks like JSON", "hif"),
        ("h.csv", '{"incidences":[{"node":1,"edge":2}]}', "line 1: this looks like JSON", "hif"),
        ("h.txt", ' [\n{"hypergraph_type":"Hypergraph"}]', "line 1: this looks like JSON", "hif"),
        ("h.csv", "a,b,c\nd,e,f\n", "has 3 columns and no header", "hyperedge-list"),
        ("h.csv", "author,paper\n1,7\n2,7\n", r"looks like a header \('author', 'paper'\)", "bipartite"),
        ("h.csv", "a,b\nb,c\nc,a\n", "both columns have the same names, such as 'a'", "hyperedge-list"),
        ("h.csv", "a,b\nb,c,d\n", "the row has 3 columns.*format='hyperedge-list'", "hyperedge-list"),
        ("h.json", '{"incidences":[]}\n{"incidences":[]}\n', "trailing characters.*format='hif-jsonl'", "hif-jsonl"),
        ("h.jsonl", '{\n"incidences":[]\n}\n', "line 1, the end: .*format='hif'", "hif"),
        ("h.json", "[[1,2],[2,3]]", r"a list of hyperedges is hh\.Hypergraph\(json\.load\(file\)\)", None),
        ("h.json", '{"e":[1,2]}', r'"incidences", which HIF has; it has the keys "e"; .*hh\.Hypergraph\(json', None),
        ("h.json", '{"nodes":[],"links":[]}', "as the JSON of graphs; read it with the library", None),
    ],
)
def test_questions(tmp_path, name, text, message, settled):
    (tmp_path / name).write_text(text)
    with pytest.raises(hh.errors.FormatError, match=message) as caught:
        hh.read_collection(tmp_path / name)
    assert str(caught.value).startswith(str(tmp_path / name))
    assert "\n" not in str(caught.value)
    if settled:
        assert settled in str(caught.value)
        assert all(isinstance(H, hh.Hypergraph) for H in hh.read_collection(tmp_path / name, format=settled))


def test_both_answers_to_the_question_of_pairs(tmp_path):
    H = hh.Hypergraph({1: [1, 2, 3], 2: [2], 3: [1, 3]})
    assert read(tmp_path, PAIRS, "h.txt", format="bipartite") == H
    assert read(tmp_path, PAIRS, "h.txt", format="hyperedge-list").m == 6
    assert read(tmp_path, PAIRS.replace(" ", "\t"), "h.tsv") == H


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("h.txt", "3\n"),
        ("h.txt", "3\n1 2\n"),
        ("h.txt", "a b\nb c\nc a\n"),
        ("h.txt", "a x\nb y\nc z\n"),  # nothing repeats
        ("h.txt", "[1 2]\n[3 1\n"),
        ("h.txt", "node degree\nnode\n"),
        ("h.csv", "1,1\n2,1\n1,2\n"),
        ("h.csv", "ann,1\nbo,1\nann,2\n"),
        ("h.csv", "paper,author\nx,a\ny,b\n"),
    ],
)
def test_no_question(tmp_path, name, text):
    assert read(tmp_path, text, name).num_incidences


@given(st.integers(2, 12), st.floats(0.2, 1), st.integers(0, 1), st.integers(0, 1000))
def test_the_edges_of_graphs_are_not_questioned(n, p, first, seed):
    """Listed once with the smaller end first, in order or not, or from both ends."""
    graph = nx.gnp_random_graph(n, p, seed=seed)
    edges = [(u + first, v + first) for u, v in graph.edges]
    by_end = sorted((v, u) for u, v in edges)
    both = sorted([*edges, *by_end])
    for pairs in (edges, sorted(edges, key=lambda e: e[::-1]), by_end, both):
        sizes = np.full(len(pairs), 2)
        assert doubt_of_list(np.array(pairs, dtype=np.int64).ravel(), sizes) is None


@pytest.mark.parametrize("sort_by", [0, 1])
def test_the_incidences_of_real_hypergraphs_are_questioned(mirror, tmp_path, sort_by):
    H = hh.read(
        mirror / "HypergraphModularity/data/contact-high-school-classes/hyperedges-contact-high-school-classes.txt"
    )
    pairs = np.stack([H.indices, H.edge_indices], axis=1)
    np.savetxt(tmp_path / "h.txt", pairs[np.argsort(pairs[:, sort_by], kind="stable")], fmt="%d")
    with pytest.raises(hh.errors.FormatError, match="look like a node and a hyperedge; set format='bipartite'"):
        hh.read(tmp_path / "h.txt")
    G = hh.read(tmp_path / "h.txt", format="bipartite")
    assert sorted(G.edge_sizes) == sorted(H.edge_sizes)


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("hypergraphx/tests/test_data/justice_data/weights.txt", "every line has one value"),
        (
            "HypergraphModularity/data/contact-high-school-classes/node-labels-contact-high-school-classes.txt",
            "every line has one value",
        ),
        ("hypergraphx/tests/test_data/workplace/workplace_meta.csv", "has 4 columns and no header"),
    ],
)
def test_real_files_that_hold_no_hyperedges(mirror, file, message):
    with pytest.raises(hh.errors.FormatError, match=message):
        hh.read(mirror / file)


@pytest.mark.parametrize("file", ["contact-high_graph.txt", "email-Enron-full_graph.txt", "NDC-classes-full_graph.txt"])
def test_real_lists_are_read_without_a_question(mirror, file):
    lines = (mirror / "www21-hyperlap/dataset" / file).read_text().splitlines()
    assert hh.read(mirror / "www21-hyperlap/dataset" / file).m == len(lines)


@given(st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=2, unique=True), max_size=6), st.booleans())
def test_what_is_written_is_never_questioned(tmp_path, hyperedges, as_text):
    H = hh.Hypergraph([[f"n{v}" if as_text else v for v in members] for members in hyperedges])
    for name in ("h.txt", "h.csv", "h.tsv"):
        hh.write(H, tmp_path / name)
        assert hh.read(tmp_path / name) == H


@pytest.mark.parametrize(
    "H",
    [hh.Hypergraph([[0], [1]]), hh.Hypergraph([["a", "x"]] * 3), hh.Hypergraph([[0], [0, 1]])],
)
def test_only_what_would_be_questioned_gets_a_header(tmp_path, H):
    hh.write(H, tmp_path / "h.txt")
    assert hh.read(tmp_path / "h.txt") == H
    assert (tmp_path / "h.txt").read_text().startswith("#!") is (set(H.edge_sizes) != {1, 2})


def test_the_command_line_passes_the_answer(run, tmp_path):
    (tmp_path / "w.txt").write_text("3\n1\n2\n")
    code, _, err = run("info", tmp_path / "w.txt")
    assert code == 2
    assert "set format='hyperedge-list' (--format, or convert --from)" in err
    assert run("info", tmp_path / "w.txt", "--format", "hyperedge-list")[0] == 0
    assert run("convert", tmp_path / "w.txt", tmp_path / "o.csv", "--from", "hyperedge-list")[0] == 0
