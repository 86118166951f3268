"""Safetensors files, looked at before they are read: what the header claims, compared with the file.

A safetensors file begins with the length of a header (8 bytes), then the header, JSON with the type, the shape and the bytes of
each tensor, then these bytes. What it claims is checked here against the size of the file, so whoever compares the shapes with what
is expected does so before one tensor is allocated.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, TypeAlias

import msgspec

from hyperhedge.errors import FormatError

#: Types that weights and whole numbers have here, with the bytes of an entry.
_BYTES = {"BOOL": 1, "U8": 1, "I8": 1, "I16": 2, "I32": 4, "I64": 8, "F16": 2, "BF16": 2, "F32": 4, "F64": 8}

_NAMES = {"BOOL": "bool", "U8": "uint8", "BF16": "bfloat16"}
_KINDS = {"I": "int", "F": "float"}

#: A tensor takes about a hundred bytes of the header, and a deep network has a few thousand tensors.
_MOST_HEADER, _MOST_TENSORS = 8 << 20, 20_000

_Size: TypeAlias = Annotated[int, msgspec.Meta(ge=0, lt=2**48)]


class Claim(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the header of a file says of a tensor."""

    dtype: str
    shape: Annotated[tuple[_Size, ...], msgspec.Meta(max_length=8)]
    data_offsets: tuple[_Size, _Size]

    @property
    def bytes(self) -> int:
        """The bytes that the tensor takes."""
        return _BYTES.get(self.dtype, 0) * math.prod(self.shape)

    def __str__(self) -> str:
        dtype = _NAMES.get(self.dtype) or f"{_KINDS[self.dtype[0]]}{self.dtype[1:]}"
        return f"{tuple(self.shape)} {dtype}"


def read_claims(file: Path) -> tuple[dict[str, Claim], dict[str, str]]:
    """Read the header of a file: what it claims of each tensor, and the texts that go with them.

    Raises
    ------
    FormatError
        If the header is not one, or claims anything else than the bytes that the file has.
    """
    size = file.stat().st_size
    with file.open("rb") as opened:
        length = int.from_bytes(opened.read(8), "little")
        if size < 8 or length > size - 8:
            raise _damaged(file, "its header is not complete")
        if length > _MOST_HEADER:
            raise _damaged(file, f"its header claims {length:,} bytes")
        header = opened.read(length)
    claims, texts = _decoded(file, header)
    _check_bytes(file, claims, size - 8 - length)
    return claims, texts


def _decoded(file: Path, header: bytes) -> tuple[dict[str, Claim], dict[str, str]]:
    try:
        entries = msgspec.json.decode(header, type=dict[str, msgspec.Raw])
        texts = msgspec.json.decode(entries.pop("__metadata__", msgspec.Raw(b"{}")), type=dict[str, str])
        if len(entries) > _MOST_TENSORS:
            raise _damaged(file, f"it claims {len(entries):,} tensors")
        return {name: msgspec.json.decode(entry, type=Claim) for name, entry in entries.items()}, texts
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise _damaged(file, "its header is not that of a safetensors file") from None


def _check_bytes(file: Path, claims: Mapping[str, Claim], size: int) -> None:
    """Refuse tensors that are not as long as their shapes say, or do not lie one behind the other up to the end."""
    end = 0
    for name, claim in sorted(claims.items(), key=lambda item: item[1].data_offsets):
        if claim.dtype not in _BYTES:
            raise _damaged(file, f"the tensor {name!r} has the type {claim.dtype!r}")
        if claim.data_offsets != (end, end + claim.bytes):
            raise _damaged(file, f"the tensor {name!r} does not have the bytes that its shape needs")
        end = claim.data_offsets[1]
    if end != size:
        raise _damaged(file, f"its tensors take {end:,} bytes, and {size:,} are there")


def _damaged(file: Path, why: str) -> FormatError:
    return FormatError(f"the file is damaged or cut short: {why}", path=file)
