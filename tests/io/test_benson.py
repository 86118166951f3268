"""Benson's triples: small ones written by hand, damaged ones, and what becomes of times and labels."""

import gzip
import random
import warnings

import numpy as np
import pytest

import hyperhedge as hh
from hyperhedge.io.benson import triple_of
from mutations import mutate

SIMPLICES = [[1, 2, 3], [2, 4], [1, 3, 4, 5], [2, 4]]
H = hh.Hypergraph(SIMPLICES)
TIMES = [10, 15, 21, 22]


def write_triple(folder, simplices=SIMPLICES, times=TIMES, name="mail", ending=".txt"):
    contents = {
        "nverts": map(len, simplices),
        "simplices": (node for simplex in simplices for node in simplex),
        "times": times,
    }
    for kind, numbers in contents.items():
        if numbers is not None:
            text = "".join(f"{number}\n" for number in numbers).encode()
            file = folder / f"{name}-{kind}{ending}"
            file.write_bytes(gzip.compress(text) if ending.endswith(".gz") else text)


@pytest.fixture
def triple(tmp_path):
    write_triple(tmp_path, times=None)
    return tmp_path


NAMES = ["mail-nverts.txt", "mail-simplices.txt", "mail", "."]


@pytest.mark.parametrize("name", NAMES)
def test_each_name_of_a_triple_reads_it(triple, name):
    assert hh.read(triple / name) == H
    assert hh.read_collection(triple / name) == [H]
    assert hh.load_dataset(triple / name).hypergraph == H


def test_times_are_counted_and_dropped(tmp_path):
    write_triple(tmp_path)
    for name in (*NAMES, "mail-times.txt"):
        with pytest.warns(
            hh.errors.DataLossWarning, match=r"mail: dropped 4 times, which a Hypergraph does not store$"
        ):
            assert hh.read(tmp_path / name) == H


def test_gzipped_triples(tmp_path):
    write_triple(tmp_path, times=None, ending=".txt.gz")
    for name in ("mail-nverts.txt.gz", "mail-simplices.txt.gz", "mail", "."):
        assert hh.read(tmp_path / name) == H


def test_nodes_that_are_listed_twice_and_empty_hyperedges(tmp_path):
    write_triple(tmp_path, [[7, 7, 2], [], [9]], None)
    assert hh.read(tmp_path / "mail") == hh.Hypergraph([[2, 7], [], [9]])


def test_nothing_at_all(tmp_path):
    write_triple(tmp_path, [], None)
    assert hh.read(tmp_path / "mail") == hh.Hypergraph()


def test_ids_of_any_size(tmp_path):
    write_triple(tmp_path, [[2**63 - 1, 0]], None)
    assert hh.read(tmp_path / "mail").nodes == (0, 2**63 - 1)


def test_labels_beside_it(triple):
    (triple / "mail-node-labels.txt").write_text("1 ann\n2 bo lee\n3\tann\n4 di\n5 ed\n6 alone\n")
    (triple / "mail-simplex-labels.txt").write_text("1 first\n2 second\n4 fourth\n")
    G = hh.read(triple / "mail")
    assert G.nodes == ("ann (1)", "bo lee", "ann (3)", "di", "ed", "alone")
    assert G.edges == ("first", "second", 3, "fourth")
    assert [[G.nodes.index(v) + 1 for v in e] for e in G.hyperedges] == SIMPLICES


@pytest.mark.parametrize("text", ["9\n9\n3\n", "1 ann\n1 bo\n", "ann 1\n"])
def test_labels_in_another_form_are_not_used(triple, text):
    (triple / "mail-node-labels.txt").write_text(text)
    with pytest.warns(hh.errors.DataLossWarning, match=r"mail-node-labels\.txt, line [12]: not used"):
        assert hh.read(triple / "mail") == H


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        (
            "nverts",
            "3\n2\n4\n",
            r"simplices\.txt: there are 11 members, but the sizes in mail-nverts\.txt do not add up",
        ),
        ("nverts", "3\n2\n4\n-2\n", r"nverts\.txt, line 4: '-2' is not one whole number"),
        ("nverts", "3 2\n4\n2\n", r"nverts\.txt, line 1: '3 2' is not one whole number"),
        ("nverts", "4611686018427387904\n" * 4 + "11\n", "do not add up"),  # 11 in 64 bits
        ("simplices", "1\n2\n1.5\n", r"simplices\.txt, line 3: '1\.5' is not"),
        ("simplices", "9" * 30, r"simplices\.txt, line 1: '9+' is not"),
        ("simplices", "\0", "binary data"),
        ("times", "1\n2\n", r"times\.txt: there are 2 times of 4 hyperedges"),
    ],
)
def test_damaged_triples(tmp_path, kind, text, message):
    write_triple(tmp_path)
    (tmp_path / f"mail-{kind}.txt").write_text(text)
    with pytest.raises(hh.errors.FormatError, match=message) as caught:
        hh.read(tmp_path / "mail")
    assert "\n" not in str(caught.value)


def test_mutated_triples_are_read_or_refused(tmp_path):
    rng = random.Random(0)
    write_triple(tmp_path)
    (tmp_path / "mail-node-labels.txt").write_text("1 ann\n2 bo\n3 cy\n")
    files = sorted(tmp_path.iterdir())
    valid = {file: file.read_bytes() for file in files}
    refused = 0
    for _ in range(500):
        file = rng.choice(files)
        file.write_bytes(mutate(valid[file], rng))
        try:
            with warnings.catch_warnings(action="ignore"):
                G = hh.read(tmp_path / "mail")
            assert hh.Hypergraph(G.hyperedges, nodes=G.nodes, edges=G.edges) == G
        except hh.errors.FormatError as error:
            assert str(error).startswith(str(tmp_path))  # noqa: PT017
            refused += 1
        file.write_bytes(valid[file])
    assert refused > 100


def test_a_missing_file_is_named(triple):
    (triple / "mail-simplices.txt").unlink()
    (triple / "mail-times.txt").write_text("1\n")
    with pytest.raises(
        hh.errors.FormatError, match=r"mail-simplices\.txt: the file is missing.*format='hyperedge-list'"
    ):
        hh.read(triple / "mail-nverts.txt")
    assert hh.read(triple / "mail-nverts.txt", format="hyperedge-list").m == 4
    with pytest.raises(hh.errors.FormatError, match=r"there is no NAME-nverts\.txt"):
        hh.read(triple / "other", format="benson")


def test_several_triples_in_a_folder(triple):
    write_triple(triple, name="post", times=None)
    with pytest.raises(hh.errors.FormatError, match=r"several datasets of -nverts\.txt files \(mail, post\); name one"):
        hh.read(triple)
    assert hh.read(triple / "post") == H


def test_what_is_no_triple(tmp_path):
    (tmp_path / "opening-times.txt").write_text("a b\nb c\n")
    assert hh.read(tmp_path / "opening-times.txt").m == 2
    assert triple_of(tmp_path) is triple_of(tmp_path / "mail") is triple_of("") is None
    hh.write_collection([H], tmp_path / "many")
    write_triple(tmp_path / "many")
    assert hh.read_collection(tmp_path / "many") == [H]  # the files of JSON are the collection


def test_triples_are_not_written(triple):
    for call in (hh.write, lambda G, path: hh.write_collection([G], path)):
        with pytest.raises(hh.errors.FormatError, match="the format benson is read and not written"):
            call(H, triple / "mail-nverts.txt")
    assert (triple / "mail-nverts.txt").read_text() == "3\n2\n4\n2\n"


def test_commands_take_them(run, triple):
    for name in ("mail", "mail-times.txt"):
        (triple / "mail-times.txt").write_text("1\n2\n3\n4\n")
        code, out, err = run("info", triple / name, "--json")
        assert code == 0
        assert '"hyperedges": 4' in out
        assert "dropped 4 times" in err
    assert run("convert", triple / "mail", triple / "h.npz")[0] == 0
    assert hh.read(triple / "h.npz") == H
    assert (
        run("data", "bank", triple / "mail", "-n", 3, "-m", 2, "--count", 2, "--seed", 0, "-o", triple / "b.npz")[0]
        == 0
    )


def test_a_real_hypergraph_as_a_triple(mirror, tmp_path):
    G = hh.read(
        mirror / "HypergraphModularity/data/contact-high-school-classes/hyperedges-contact-high-school-classes.txt"
    )
    np.savetxt(tmp_path / "contact-nverts.txt", G.edge_sizes, fmt="%d")
    np.savetxt(tmp_path / "contact-simplices.txt", np.array(G.nodes)[G.indices], fmt="%d")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert hh.read(tmp_path / "contact-simplices.txt") == G
