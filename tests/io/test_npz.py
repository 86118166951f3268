"""npz files: scipy's layout both ways, and archives that lie."""

import pickle
import zipfile

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given

import hyperhedge as hh
from strategies import hypergraphs

H = hh.Hypergraph([["a", "b"], [], ["b"]], nodes=["a", "b", "z"], edges=[3, 1, 2])


@given(G=hypergraphs())
def test_scipy_reads_ours(tmp_path, G):
    hh.write(G, tmp_path / "h.npz")
    matrix = sp.load_npz(tmp_path / "h.npz")
    assert matrix.shape == (G.n, G.m)
    np.testing.assert_array_equal(matrix.toarray(), G.incidence.toarray())


@pytest.mark.parametrize("layout", ["csr", "csc", "coo"])
@pytest.mark.parametrize("kind", [int, float, bool])
def test_scipys_are_read(tmp_path, layout, kind):
    sp.save_npz(tmp_path / "h.npz", H.incidence.astype(kind).asformat(layout))
    assert hh.read(tmp_path / "h.npz") == H.relabel(nodes=range(3), edges=range(3))


def good_arrays(folder):
    hh.write(H, folder / "good.npz")
    with np.load(folder / "good.npz") as arrays:
        return dict(arrays)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"indices": np.array([0, 7, 1])}, "columns go beyond the shape"),
        ({"indices": np.array([0, -1, 1])}, "columns go beyond the shape"),
        ({"indices": np.array([0.0, 1.0, 1.0])}, "list of integers"),
        ({"indices": np.array([0, 1])}, "differ in length"),
        ({"indptr": np.array([0, 2, 3])}, "pointers do not fit"),
        ({"indptr": np.array([0, 4, 2, 3])}, "pointers do not fit"),
        ({"indptr": np.array([-1, 1, 3, 3])}, "pointers do not fit"),
        ({"indptr": np.array([0, 2**62, -(2**63), -(2**62), 3])[[0, 1, 2, 4]]}, "pointers do not fit"),
        ({"indptr": np.array([0, 2**63 - 1, -(2**63), 3])}, "pointers do not fit"),
        ({"shape": np.array([3, 2**31 - 1])}, "claims 2,147,483,647 hyperedges and holds 3 incidences"),
        ({"shape": np.array([3, 3, 3])}, "cannot have the shape"),
        ({"shape": np.array([-3, 3])}, "cannot have the shape"),
        ({"shape": np.array([2**40, 3])}, "cannot have the shape"),
        ({"shape": np.array([2**64 - 1, 3], dtype=np.uint64)}, "too large"),
        ({"data": np.array([1.0, np.nan, 1.0])}, "holds nan"),
        ({"data": np.array([1, 2, 1])}, "holds 2"),
        ({"data": np.array([b"1", b"1", b"1"])}, "list of numbers"),
        ({"format": np.array(b"bsr")}, "not supported"),
        ({"format": np.array(1)}, "one text"),
        ({"node_labels": np.frombuffer(b'["a"]', np.uint8)}, "nodes= must have 3 labels, not 1"),
        ({"node_labels": np.frombuffer(b'["a","a","b"]', np.uint8)}, "occurs twice"),
        ({"node_labels": np.frombuffer(b'[1.5,"a","b"]', np.uint8)}, "not JSON"),
        ({"node_labels": np.frombuffer(b'[-1,"a","b"]', np.uint8)}, "negative"),
        ({"node_labels": np.frombuffer(b"[" * 10**6, np.uint8)}, "not JSON"),
        ({"node_labels": np.array(["a", "b", "c"])}, "hold bytes"),
    ],
)
def test_arrays_that_do_not_fit(tmp_path, change, message):
    np.savez(tmp_path / "bad.npz", **{**good_arrays(tmp_path), **change})
    with pytest.raises(hh.errors.FormatError, match=message) as caught:
        hh.read(tmp_path / "bad.npz")
    assert str(caught.value).startswith(str(tmp_path / "bad.npz"))


@pytest.mark.parametrize("name", ["format", "shape", "indices", "indptr", "data"])
def test_missing_arrays(tmp_path, name):
    arrays = good_arrays(tmp_path)
    del arrays[name]
    np.savez(tmp_path / "bad.npz", **arrays)
    with pytest.raises(hh.errors.FormatError, match=f"no array '{name}'"):
        hh.read(tmp_path / "bad.npz")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n": np.array([3])}, "do not fit together"),
        ({"m": np.array([1, 1])}, "do not fit together"),
        ({"sizes": np.array([-1, 1, 3, 2, 0, 1])}, "negative"),
        ({"indices": np.array([0, 9, 1, 0, 1, 1])}, "holds 9"),
        ({"n": np.array([3, 2**40])}, "claims 1,099,511,627,776 nodes and holds 6 incidences"),
        ({"sizes": np.array([2**62, 2**62, 2**62, 2**62, 0, 6])}, "do not fit together"),  # 6 in 64 bits
        ({"m": np.array([2**63 - 1, 2**63 - 1, 8]), "n": np.array([3, 3, 3])}, "do not fit together"),  # likewise
        ({"labels": np.frombuffer(b"[[null,null]]", np.uint8)}, "labels of 1 hypergraphs"),
        ({"labels": np.frombuffer(b"[[null],[null]]", np.uint8)}, "not JSON"),
    ],
)
def test_collections_that_do_not_fit(tmp_path, change, message):
    hh.write_collection([H, H], tmp_path / "c.npz")
    with np.load(tmp_path / "c.npz") as arrays:
        np.savez(tmp_path / "bad.npz", **{**arrays, **change})
    with pytest.raises(hh.errors.FormatError, match=message):
        hh.read_collection(tmp_path / "bad.npz")


class Boom:
    def __reduce__(self):
        return (exec, ("raise SystemExit('unpickled')",))


def test_nothing_is_unpickled(tmp_path):
    np.savez(tmp_path / "evil.npz", **{**good_arrays(tmp_path), "data": np.array([Boom()], dtype=object)})
    with pytest.raises(hh.errors.FormatError, match="only numbers and texts are read"):
        hh.read(tmp_path / "evil.npz")
    (tmp_path / "pickle.npz").write_bytes(pickle.dumps(Boom()))
    with pytest.raises(hh.errors.FormatError, match="damaged or cut short"):
        hh.read(tmp_path / "pickle.npz")


def archive(path, **members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in members.items():
            file.writestr(name, data)


def npy(header, data=b""):
    text = header.encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + data


@pytest.mark.parametrize(
    "header",
    [
        "{'descr': '<i8', 'fortran_order': False, 'shape': (1000000000000,)}",
        "{'descr': '<i8', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<i8', 'fortran_order': True, 'shape': (1,)}",
        "{'descr': '|O', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<M8[s]', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<i8', 'shape': (1,)}",
        "__import__('os')",
        "",
        "[" * 4000,
        "{'descr': '<i8', 'fortran_order': False, 'shape': (" + "9" * 3900 + ",)}",
        "{'descr': " + "[" * 1900 + "]" * 1900 + ", 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<i8', 'fortran_order': False, 'shape': (" + "-" * 3900 + "1,)}",
    ],
)
def test_headers_that_lie(tmp_path, header):
    archive(tmp_path / "h.npz", **{"format.npy": npy(header, b"\0" * 8)})
    with pytest.raises(hh.errors.FormatError, match=r"format\.npy"):
        hh.read(tmp_path / "h.npz")


def test_a_zip_bomb_is_refused_before_it_is_unpacked(tmp_path):
    archive(tmp_path / "bomb.npz", **{"data.npy": bytes(150 << 20)})
    assert (tmp_path / "bomb.npz").stat().st_size < 1 << 20
    with pytest.raises(hh.errors.FormatError, match="would take 157,286,400 bytes when decompressed"):
        hh.read(tmp_path / "bomb.npz")


def test_a_zip_that_lies_about_its_sizes_gives_no_more_than_it_says(tmp_path):
    archive(tmp_path / "bomb.npz", **{"data.npy": bytes(8 << 20)})
    data = (tmp_path / "bomb.npz").read_bytes()
    lie = data.replace((8 << 20).to_bytes(4, "little"), (100).to_bytes(4, "little"))
    assert lie != data
    (tmp_path / "bomb.npz").write_bytes(lie)
    with pytest.raises(hh.errors.FormatError, match=r"damaged|not a numpy array"):
        hh.read(tmp_path / "bomb.npz")


def test_encrypted_and_crowded_archives(tmp_path):
    archive(tmp_path / "many.npz", **{f"a{k}.npy": b"" for k in range(100)})
    with pytest.raises(hh.errors.FormatError, match="100 members"):
        hh.read(tmp_path / "many.npz")
    archive(tmp_path / "locked.npz", **{"data.npy": b"x"})
    data = bytearray((tmp_path / "locked.npz").read_bytes())
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    (tmp_path / "locked.npz").write_bytes(data)
    with pytest.raises(hh.errors.FormatError, match="cannot be decompressed"):
        hh.read(tmp_path / "locked.npz")


@pytest.mark.parametrize("kind", [np.uint8, np.int8, np.uint16, np.int64, np.uint64])
def test_equal_entries_are_not_added_up_until_they_wrap_around_to_one(tmp_path, kind):
    count = {np.uint8: 257, np.int8: 257, np.uint16: 65537}.get(kind, 3)
    value = {np.int64: 2**63 - 1, np.uint64: 2**64 - 1}.get(kind, 1)
    data = np.full(count, value, dtype=kind)
    if kind is np.int64:
        data[-1] = 3  # the sum is 2⁶⁴ + 1
    if kind is np.uint64:
        data[1:] = 1, 1
    zeros = np.zeros(count, dtype=np.int64)
    arrays = {"format": np.array(b"coo"), "shape": np.array([1, 1]), "row": zeros, "col": zeros, "data": data}
    np.savez(tmp_path / "h.npz", **arrays)
    with pytest.raises(hh.errors.FormatError, match=r"the incidence matrix holds \d"):
        hh.read(tmp_path / "h.npz")
    with pytest.raises(hh.errors.HypergraphError, match=r"the incidence matrix holds \d"):
        hh.Hypergraph.from_incidence(sp.coo_array((data, (zeros, zeros)), shape=(1, 1)))


@pytest.mark.parametrize("layout", ["csc", "coo"])
def test_a_shape_takes_no_memory_but_has_a_limit(tmp_path, layout):
    matrix = sp.coo_array(([1], ([5], [0])), shape=(10**7, 1)).asformat(layout)
    sp.save_npz(tmp_path / "h.npz", matrix)
    assert hh.read(tmp_path / "h.npz").n == 10**7
    sp.save_npz(tmp_path / "h.npz", sp.coo_array(([1], ([5], [0])), shape=(10**9, 1)).asformat(layout))
    with pytest.raises(hh.errors.FormatError, match="claims 1,000,000,000 nodes and holds 1 incidence"):
        hh.read(tmp_path / "h.npz")
