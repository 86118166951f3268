"""The reader of plain pickles against Python's own, and against pickles that mean harm."""

import os
import pickle
import pickletools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperhedge.data.plain_pickle import read_plain_pickle
from hyperhedge.errors import FormatError

keys = st.one_of(st.integers(), st.text(max_size=5), st.binary(max_size=5), st.booleans(), st.none())
plain = st.recursive(
    st.one_of(keys, st.floats(allow_nan=False)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(keys, inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.sets(keys, max_size=4),
        st.frozensets(keys, max_size=4),
    ),
    max_leaves=12,
)


@given(plain, st.sampled_from([4, 5]))
def test_plain_data_come_back(value, protocol):
    assert read_plain_pickle(pickle.dumps(value, protocol)) == value


@given(st.dictionaries(st.text(max_size=5), st.lists(st.integers(), max_size=5)), st.integers(0, 5))
def test_lists_come_back_from_every_protocol(value, protocol):
    assert read_plain_pickle(pickle.dumps(value, protocol)) == value


@pytest.mark.parametrize("kind", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i4", ">u8"])
@pytest.mark.parametrize("protocol", [3, 4, 5])
def test_numpy_integers_come_back_as_integers(kind, protocol):
    limits = np.iinfo(kind)
    values = [np.array(v, kind)[()] for v in (limits.min, limits.max, 1)]
    numbers = read_plain_pickle(pickle.dumps(values, protocol))
    assert numbers == [int(v) for v in values]
    assert all(type(v) is int for v in numbers)


class Harm:
    """A class whose pickle runs a command when it is loaded."""

    def __init__(self, command):
        self.command = command

    def __reduce__(self):
        return os.system, (self.command,)


@pytest.mark.parametrize("protocol", range(6))
def test_a_hostile_pickle_is_refused_and_not_run(tmp_path, protocol):
    victim = tmp_path / "harmed"
    hostile = pickle.dumps({"cora": [Harm(f"touch {victim}")]}, protocol)
    pickle.loads(hostile)  # noqa: S301 - it is hostile indeed
    assert victim.exists()
    victim.unlink()
    with pytest.raises(FormatError, match=r"names (posix|nt)"):
        read_plain_pickle(hostile)
    assert not victim.exists()


class Plain:
    pass


HOSTILE = {
    "an old instance": b"(ios\nsystem\n.",
    "an object": b"(cos\nsystem\no.",
    "an eval": b"cbuiltins\neval\n(V1\ntR.",
    "an attribute of numpy": b"cnumpy\nsave\n(V1\ntR.",
    "a dotted name": pickle.dumps(os.path.join, 4),
    "a persistent identity": b"Pperson\n.",
    "a registered extension": b"\x80\x02\x82\x01.",
    "an instance": pickle.dumps(Plain(), 4),
    "a keyword call": b"\x80\x04cnumpy\ndtype\n)}\x92.",
    "state of a list": b"\x80\x04](K\x01tb.",
    "a call of data": b"\x80\x04K\x01K\x02\x85R.",
    "an array of objects": pickle.dumps(np.array([Plain()], dtype=object), 4),
    "a float of numpy": pickle.dumps(np.float64(1), 4),
    "a tuple as a key": pickle.dumps({(1, 2): 3}, 4),
    "an out-of-band buffer": b"\x80\x05\x97.",
}


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE)
def test_everything_else_is_refused(data):
    with pytest.raises(FormatError, match="only plain data"):
        read_plain_pickle(data)


DAMAGED = {
    "nothing": b"",
    "no end": b"(I1\n",
    "no mark": b"I1\nt.",
    "an empty stack": b".",
    "two values": b"I1\nI2\n.",
    "a lone type": b"cnumpy\ndtype\n.",
    "an unknown memory": b"\x80\x04h\x05.",
    "a key without value": b"(I1\nd.",
    "items for no list": b"\x80\x04}(K\x01e.",
    "a size beyond the file": b"\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\x7f.",
    "an integer of the wrong length": b"cnumpy.core.multiarray\nscalar\n(cnumpy\ndtype\n(Vi4\ntRC\x01xtR.",
    "a far memory and no end": b"\x80\x04K\x01r\xff\xff\xff\x7f",
}


@pytest.mark.parametrize("data", DAMAGED.values(), ids=DAMAGED)
def test_damage_is_named(data):
    with pytest.raises(FormatError, match="damaged"):
        read_plain_pickle(data)


def test_every_cut_of_a_good_pickle_is_damage():
    good = pickle.dumps({np.int32(7): {1, 2, 3}, "x": [4, 5]}, 4)
    for end in range(len(good)):
        with pytest.raises(FormatError):
            read_plain_pickle(good[:end])


@given(st.data())
def test_mutated_pickles_give_data_or_one_error(data):
    good = bytearray(pickle.dumps({np.int32(7): {1, 2}, "x": [4, 5], b"y": (None, True)}, data.draw(st.integers(2, 5))))
    codes = st.sampled_from([ord(op.code) for op in pickletools.opcodes])
    for _ in range(data.draw(st.integers(1, 5))):
        good[data.draw(st.integers(0, len(good) - 1))] = data.draw(st.one_of(codes, st.integers(0, 255)))
    try:
        value = read_plain_pickle(bytes(good))
    except FormatError:
        return
    assert isinstance(value, int | float | str | bytes | bool | dict | list | set | frozenset | tuple | None)
