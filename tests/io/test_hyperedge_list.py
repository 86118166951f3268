"""Hyperedge lists as people write them."""

import pytest

import hyperhedge as hh


def read(tmp_path, text, **options):
    path = tmp_path / "h.txt"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return hh.read(path, **options)


@pytest.mark.parametrize(
    ("text", "hyperedges"),
    [
        ("1 2 3\n2 4\n", [(1, 2, 3), (2, 4)]),
        ("1,2,3\n2,4", [(1, 2, 3), (2, 4)]),
        ("1, 2, 3\n\n\n2 , 4\n", [(1, 2, 3), (2, 4)]),
        ("1\t2\r\n3\t4\r\n", [(1, 2), (3, 4)]),
        ("1 2\r3 4\r", [(1, 2), (3, 4)]),
        ("# header\n1 2 # why\n% konect\n3 4\n", [(1, 2), (3, 4)]),
        ("ann bo\nbo cy\n", [("ann", "bo"), ("bo", "cy")]),
        ("New York, Los Angeles\nParis", [("New York", "Los Angeles"), ("Paris",)]),
        ('"New York" Paris\n', [("New York", "Paris")]),
        ('"a,b" c\n', [("a,b", "c")]),
        ('"a,b", c\n', [("a,b", "c")]),
        ('x, y # z, w\n"#1", v\n', [("x", "y"), ("#1", "v")]),
        ("C# F#\n", [("C#", "F#")]),
        ("01 1\n", [("01", "1")]),
        ("1 2b\n", [("1", "2b")]),
        ("1 1 2\n", [(1, 2)]),
        ("\ufeffa b\n", [("a", "b")]),
        ("\ufeff1 2\n", [(1, 2)]),
        ("5\n", [(5,)]),
        ("", []),
        ("\n\n", []),
        ("# nothing\n", []),
        ("12345678901234567890 1\n", [("12345678901234567890", "1")]),
        ("9223372036854775807 1\n", [(1, 9223372036854775807)]),
        ("9223372036854775808 1\n", [("9223372036854775808", "1")]),
        ("  1   2  \n\t3\n", [(1, 2), (3,)]),
        ("#! nodes a b\na\n", [("a",)]),  # without the first line it is a comment
    ],
)
def test_lists_in_the_wild(tmp_path, text, hyperedges):
    assert read(tmp_path, text).hyperedges == tuple(hyperedges)


def test_blank_lines_can_mean_empty_hyperedges(tmp_path):
    assert read(tmp_path, "1 2\n\n3\n", blank_lines="empty").hyperedges == ((1, 2), (), (3,))
    assert read(tmp_path, "1 2\n\n", blank_lines="empty").hyperedges == ((1, 2), ())
    with pytest.raises(hh.errors.HyperhedgeError, match="blank_lines="):
        read(tmp_path, "1 2\n", blank_lines="maybe")


def test_what_is_plain_is_written_plainly(tmp_path):
    for H, text in [
        (hh.Hypergraph([[0, 10, 200], [10]]), "0 10 200\n10\n"),
        (hh.Hypergraph([["b", "a"], ["c"]]), "b a\nc\n"),
        (hh.Hypergraph(), ""),
    ]:
        hh.write(H, tmp_path / "h.txt")
        assert (tmp_path / "h.txt").read_text() == text


@pytest.mark.parametrize("label", ["\ufeff", "\ufeff#x", "#", "%", "#! empty", "0..3", "7", "a b", '"'])
def test_labels_that_would_read_as_something_else_come_back(tmp_path, label):
    for H in (hh.Hypergraph([[label]]), hh.Hypergraph([["x"], [label, "y"]]), hh.Hypergraph({label: ["x"]})):
        hh.write(H, tmp_path / "h.txt")
        assert hh.read(tmp_path / "h.txt") == H


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1,,2\n", r"line 1: a member is empty"),
        ("a b\n1,\n", r"line 2: a member is empty"),
        (",1\n", r"line 1: a member is empty"),
        ("1 -2\n", r"line 1: the number -2 is not an id"),
        ("1 2\n3 nan\n", r"line 2: the number nan is not an id"),
        ("1 2.5\n", r"line 1: the number 2.5 is not an id"),
        ('a\n"b\n', r"line 2: the label at '\"b' is not complete"),
        ('a "b"c\n', r"line 1: the label at '\"b\"c' is not complete"),
        ('"a", \n', r"line 1: a comma is followed by no member"),
        ('"\\q"\n', r'line 1: "\\q" is not a JSON string'),
        ('"" a\n', r"empty string"),
        ("a\x01b\n", r"line 1: the line has control characters"),
        (b"a\nb \xff\n", r"line 2: this is not UTF-8 text"),
        (b"a\n\0\n", r"line 2: the file holds binary data"),
        ("a".encode("utf-16"), r"UTF-16"),
        ("#! hyperedge-list 2\na\n", r"line 1: only the first line may be a header"),
        ("#! hyperedge-list 1\na\n#! hyperedge-list 1\n", r"line 3: only the first line may be a header"),
        ("#! hyperedge-list 1\n#! nodes a b\na c\n", r"line 3: the hyperedge names the node 'c'"),
        ("#! hyperedge-list 1\n#! nodes 0..2\n0 1\n\n3 1\n", r"line 5: the hyperedge names the node 3"),
        ("#! hyperedge-list 1\n#! nodes 0..2\nx\n", r"line 3: the hyperedge names the node 'x'"),
        ("#! hyperedge-list 1\n#! nodes a a\na\n", r"line 2: the node label 'a' occurs twice"),
        ("#! hyperedge-list 1\n#! nodes a\n#! nodes a\n", r"line 3: '#! nodes' is unknown, or"),
        ("#! hyperedge-list 1\n#! edges x y\n0\n", r"names 2 hyperedges and the file has 1"),
        ("#! hyperedge-list 1\n#! colour red\n", r"line 2: '#! colour' is unknown"),
        ("#! hyperedge-list 1\n#! nodes 0..99999999999\n", r"line 2: the range 0..99999999999 has more"),
    ],
)
def test_bad_lists_get_file_and_line(tmp_path, text, message):
    with pytest.raises(hh.errors.FormatError, match=message) as caught:
        read(tmp_path, text)
    assert str(caught.value).startswith(str(tmp_path / "h.txt"))
    assert "\n" not in str(caught.value)


def test_a_range_of_isolated_nodes_takes_no_memory_but_has_a_limit(tmp_path):
    H = read(tmp_path, "#! hyperedge-list 1\n#! nodes 0..9999999\n0 9999999\n")
    assert (H.n, H.num_incidences) == (10**7, 2)
    for last, claimed in ((10**7 + 2, "10,000,003"), (2**31 - 2, "2,147,483,647")):
        for hyperedge in ("0 1", '0 "x"'):  # which are read in different ways
            with pytest.raises(
                hh.errors.FormatError, match=rf"claims {claimed} nodes and holds 2 incidences|names the node"
            ):
                read(tmp_path, f"#! hyperedge-list 1\n#! nodes 0..{last}\n{hyperedge}\n")
