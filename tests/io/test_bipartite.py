"""Bipartite tables as people write them."""

import pytest

import hyperhedge as hh


def read(tmp_path, text, name="h.csv", **options):
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return hh.read(path, **options)


X = hh.Hypergraph({"x": ["a", "b"], "y": ["b"]})


@pytest.mark.parametrize(
    "text",
    [
        "node,edge\na,x\nb,x\nb,y\n",
        "a,x\nb,x\nb,y\n",
        "edge,node\nx,a\nx,b\ny,b\n",
        "Hyperedge,weight,Node\nx,1,a\nx,1.0,b\ny,,b\n",
        "node, edge\r\na, x\r\nb, x\r\n\r\nb, y\r\n",
        '"node","edge"\n"a","x"\n"b","x"\n"b","y"\n',
        "\ufeffnode,edge\na,x\nb,x\nb,y",
        "node,edge\na,x\nb,x\nb,x\nb,y\n",
        "node,edge\na,\n,x\na,x\nb,x\nb,y\n",
    ],
)
def test_tables_in_the_wild(tmp_path, text):
    assert read(tmp_path, text) == X


def test_tabs_and_other_separators(tmp_path):
    assert read(tmp_path, "a\tx\nb\tx\nb\ty\n", "h.tsv") == X
    assert read(tmp_path, "a;x\nb;x\nb;y\n", delimiter=";") == X
    assert read(tmp_path, "a x\nb x\nb y\n", "h.txt", format="bipartite", delimiter=" ") == X


def test_columns_by_name(tmp_path):
    text = "paper,year,author\nx,1,a\nx,1,b\ny,,b\n"
    with pytest.warns(hh.errors.DataLossWarning, match=r"h\.csv: dropped 2 attribute records, which"):
        assert read(tmp_path, text, node_column="author", edge_column="paper") == X
    with pytest.raises(hh.errors.FormatError, match="no column named 'title'"):
        read(tmp_path, text, node_column="author", edge_column="title")


def test_what_other_columns_hold_is_counted(tmp_path):
    text = ",edges,nodes,weight,time,misc_properties,role\n0,x,a,2.5,7,{},\n1,x,b,1.0,,{},chair\n2,y,b,1,8,{'a': 1},\n"
    with pytest.warns(hh.errors.DataLossWarning, match=r"dropped 1 weight, 2 times and 2 attribute records, which"):
        assert read(tmp_path, text) == X


def test_the_first_line_shows_the_separator_where_the_name_does_not(tmp_path):
    for separator in ",\t; ":
        text = "node,edge\na,x\nb,x\nb,y\n".replace(",", separator)
        assert read(tmp_path, text, "h.txt", format="bipartite") == X


def test_integers_come_in_ascending_order_after_those_that_are_declared(tmp_path):
    H = read(tmp_path, "node,edge\n7,\n,9\n5,2\n3,1\n")
    assert (H.nodes, H.edges) == ((7, 3, 5), (9, 1, 2))


def test_isolated_nodes_and_empty_hyperedges(tmp_path):
    H = read(tmp_path, "node,edge\nz,\n,w\na,x\n")
    assert H.nodes == ("z", "a")
    assert dict(zip(H.edges, H.hyperedges, strict=True)) == {"w": (), "x": ("a",)}


def test_each_column_has_its_own_type(tmp_path):
    H = read(tmp_path, "node,edge\n1,x\n2,x\n")
    assert (H.nodes, H.edges) == ((1, 2), ("x",))
    assert read(tmp_path, "node:string,edge\n1,x\n").nodes == ("1",)
    assert read(tmp_path, 'node:json,edge\n1,x\n"""1""",x\n').nodes == (1, "1")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("node,edge\na,x,y\n", "line 2: the row has 3 columns and the first one 2"),
        ("1,2,3\n1,2\n", "line 2: the row has 2 columns and the first one 3"),
        ("a\nb\n", "line 1: the table needs two columns, nodes and hyperedges, and has one"),
        ("node,edge\n1,x\n-2,x\n", "line 3: the number -2 is not an id"),
        ("node,edge\n1,x\nnan,x\n", "line 3: the number nan is not an id"),
        ('node,edge\na,"x\n', "the table is damaged"),
        ('node,edge\na,"x"y\n', "line 2: the table is damaged"),
        ("node:json,edge\n[1],x\n", "line 2: the cell '\\[1\\]' is not a JSON string or integer"),
        ("node:json,edge\ntrue,x\n", "line 2: the cell 'true' is not a JSON"),
        ("node:json,edge\n" + "[" * 100_000 + ",x\n", "line 2: the cell"),
        ("node:json,edge\n-1,x\n", "the node id -1 is negative"),
        ("node,edge\n" + "a" * 200_000 + ",x\n", "field larger than field limit"),
        (b"node,edge\na,\xff\n", "line 2: this is not UTF-8 text"),
    ],
)
def test_bad_tables_get_file_and_line(tmp_path, text, message):
    with pytest.raises(hh.errors.FormatError, match=message) as caught:
        read(tmp_path, text)
    assert str(caught.value).startswith(str(tmp_path / "h.csv"))


def test_a_column_that_is_not_there(tmp_path):
    with pytest.raises(hh.errors.FormatError, match="line 1: there is no column named 'who'"):
        read(tmp_path, "node,edge\na,x\n", node_column="who")
    with pytest.raises(hh.errors.FormatError, match="line 1: there is no column named 'what'"):
        read(tmp_path, "node,edge\na,x\n", edge_column="what")
