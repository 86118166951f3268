"""Damage to the bytes of a file: what a disk, an editor or an enemy may do."""

import string

WORDS = [
    *(
        b"null",
        b"NaN",
        b"-1",
        b"1e999",
        b"{}",
        b"[]",
        b'""',
        b'"',
        b"\\",
        b"\n",
        b"\r",
        b"\t",
        b",",
        b":",
        b"#!",
    ),
    *(b"\0", b"\xff", b"\xef\xbb\xbf", b"99999999999999999999", b"true", b'{"node":1}', b"#! nodes", b"0..5"),
    *(
        b"nodes",
        b"edges",
        b"incidences",
        b'"node":0,',
        b"\\ud800",
        b"\\u0000",
        b"[[[[",
        b"PK\x05\x06",
        b"\x93NUMPY",
    ),
]


def mutate(data, rng):
    """Return the bytes with one to eight changes, drawn with ``rng``."""
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 4, 8))):
        at, end = sorted((rng.randrange(len(data) + 1), rng.randrange(len(data) + 1)))
        match rng.randrange(7):
            case 0 if data:
                data[min(at, len(data) - 1)] ^= 1 << rng.randrange(8)
            case 1:
                del data[at : min(end, at + 20)]
            case 2:
                data[at:at] = rng.choice(WORDS)
            case 3:
                data[at:at] = data[at : min(end, at + 30)]
            case 4:
                del data[end:]
            case 5:
                data[at : at + 1] = rng.choice(string.printable).encode()
            case _:
                data[at : at + 4] = rng.randbytes(4)
    return bytes(data)
