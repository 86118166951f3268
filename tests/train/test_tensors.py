"""Headers of safetensors files: what they claim is what torch reads, and what does not fit the file is refused."""

import json
import math
import random

import pytest
import torch
from safetensors.torch import load_file, save_file

from hyperhedge.errors import FormatError
from hyperhedge.train.tensors import read_claims

TENSORS = {
    "one": torch.ones(2, 3),
    "two": torch.zeros(4, dtype=torch.int64),
    "three": torch.tensor(1.0, dtype=torch.bfloat16),
    "four": torch.zeros(0, 5, dtype=torch.uint8),
    "five": torch.tensor([True]),
}


@pytest.fixture
def file(tmp_path):
    save_file(TENSORS, tmp_path / "x.safetensors", {"record": "text"})
    return tmp_path / "x.safetensors"


def split(file):
    """Return the header of a file, and its tensors' bytes."""
    data = file.read_bytes()
    length = int.from_bytes(data[:8], "little")
    return json.loads(data[8 : 8 + length]), data[8 + length :]


def join(file, header, rest, length=None):
    encoded = header if isinstance(header, bytes) else json.dumps(header).encode()
    file.write_bytes((len(encoded) if length is None else length).to_bytes(8, "little") + encoded + rest)


def test_claims_are_what_torch_reads(file):
    claims, texts = read_claims(file)
    assert texts == {"record": "text"}
    assert claims.keys() == TENSORS.keys()
    for name, tensor in load_file(file).items():
        assert str(claims[name]) == f"{tuple(tensor.shape)} {str(tensor.dtype).removeprefix('torch.')}"
        assert claims[name].bytes == tensor.numel() * tensor.element_size()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"shape": [2, 4]}, "the tensor 'one' does not have the bytes that its shape needs"),
        ({"shape": [2**40, 2**40]}, "'one' does not have the bytes"),
        ({"dtype": "F64"}, "'one' does not have the bytes"),
        ({"dtype": "F8_E4M3"}, "the tensor 'one' has the type 'F8_E4M3'"),
        ({"shape": [-2, -3]}, "not that of a safetensors file"),
        ({"shape": [2**70]}, "not that of a safetensors file"),
        ({"shape": [1] * 9}, "not that of a safetensors file"),
        ({"shape": "6"}, "not that of a safetensors file"),
        ({"data_offsets": [0, 2**50]}, "not that of a safetensors file"),
        ({"more": 1}, "not that of a safetensors file"),
    ],
)
def test_a_tensor_that_is_not_what_it_claims(file, change, message):
    header, rest = split(file)
    header["one"] |= change
    join(file, header, rest)
    with pytest.raises(FormatError, match=message) as caught:
        read_claims(file)
    assert str(caught.value).startswith(f"{file}: the file is damaged or cut short: ")


@pytest.mark.parametrize(
    ("length", "message"),
    [
        (2**63, "its header is not complete"),
        (2**30, "its header is not complete"),
        (0, "not that of a safetensors file"),
    ],
)
def test_a_length_that_is_not_the_header_s(file, length, message):
    join(file, *split(file), length=length)
    with pytest.raises(FormatError, match=message):
        read_claims(file)


def test_a_header_that_would_fill_the_memory(tmp_path):
    with (tmp_path / "x").open("wb") as out:
        out.write((2**30).to_bytes(8, "little"))
        out.truncate(2**31)
    with pytest.raises(FormatError, match="its header claims 1,073,741,824 bytes"):
        read_claims(tmp_path / "x")


def test_a_million_tensors_of_nothing(tmp_path):
    header = {str(k): {"dtype": "U8", "shape": [0], "data_offsets": [0, 0]} for k in range(20_001)}
    join(tmp_path / "x", header, b"")
    with pytest.raises(FormatError, match="it claims 20,001 tensors"):
        read_claims(tmp_path / "x")


def test_bytes_that_no_tensor_has_and_gaps(file):
    header, rest = split(file)
    join(file, header, rest + b"\0")
    with pytest.raises(FormatError, match=f"its tensors take {len(rest)} bytes, and {len(rest) + 1} are there"):
        read_claims(file)
    for header in ({}, {"__metadata__": {}}):
        join(file, header, b"")
        assert read_claims(file) == ({}, {})
        join(file, header, b"0")
        with pytest.raises(FormatError, match="take 0 bytes, and 1 are there"):
            read_claims(file)


@pytest.mark.parametrize(
    "header", [b"[]", b"{", b"\xff\xfe", b'{"__metadata__": {"a": 1}}', b"[" * 5000, b'{"a": {"a":']
)
def test_a_header_that_is_none(tmp_path, header):
    join(tmp_path / "x", header, b"")
    with pytest.raises(FormatError, match="not that of a safetensors file"):
        read_claims(tmp_path / "x")


def test_whatever_is_accepted_torch_reads_too(file):
    """Flip bits of the header: torch either refuses the file as well, or reads what was claimed."""
    data, rng, accepted = file.read_bytes(), random.Random(1), 0
    end = 8 + int.from_bytes(data[:8], "little")
    for _ in range(600):
        k = rng.randrange(end)
        file.write_bytes(data[:k] + bytes([data[k] ^ (1 << rng.randrange(8))]) + data[k + 1 :])
        try:
            claims, _ = read_claims(file)
        except FormatError:
            continue
        accepted += 1
        tensors = load_file(file)
        assert {name: tuple(tensor.shape) for name, tensor in tensors.items()} == {
            name: tuple(claim.shape) for name, claim in claims.items()
        }
        assert sum(math.prod(claim.shape) > 0 for claim in claims.values()) == 4
    assert accepted > 20  # a letter of a name is another letter
