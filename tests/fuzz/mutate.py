"""Mutations of valid contents: of bytes, of texts with numbers in them, of trees as JSON and TOML have them.

All take a `random.Random`, so that a case is repeated from its number.
"""

import copy
import json
import re

#: Numbers at the edges of what types hold, and texts that are none.
EXTREMES = (
    *("0", "-1", "1", "2", "-0", "255", "256", "65536", "2147483647", "2147483648", "-2147483649", "4294967296"),
    *("9223372036854775807", "9223372036854775808", "-9223372036854775809", "18446744073709551616", "1" + "0" * 40),
    *(
        "9" * 400,
        "1e308",
        "1e400",
        "-1e308",
        "1e-320",
        "0.5",
        "nan",
        "inf",
        "-inf",
        "NaN",
        "1_000",
        "0x10",
        "٣",
        "1e5",
        "",
    ),
)

VALUES = (
    *(None, True, False, 0, 1, -1, 2, 3, 7, 0.5, -0.5, 1e-300, 1e308, -1e308, 2**31 - 1, 2**31, 2**53 + 1),
    *(2**63 - 1, 2**63, 2**64, -(2**63) - 1, 10**9, 10**12, 10**30, 10**400),
    *("", "a", "0", "\x00", "é" * 50, "x" * 5000, "../../x", "cuda:77", "hedge", "nan"),
    *([], [0], [1, 2], [[]], [[0, 1]], {}, {"a": 1}, [None], ["a"], [0] * 2000, [2**62, 2**62], [10**400]),
)

TOKENS = (
    *(
        b"\0",
        b"\n",
        b"\r\n",
        b"\t",
        b",",
        b" ",
        b"#",
        b'"',
        b"'",
        b"{",
        b"}",
        b"[",
        b"]",
        b":",
        b"\\",
        b"\xff",
        b"\xef\xbb\xbf",
    ),
    *(
        "\u2028".encode(),
        b"\\ud800",
        b"\xed\xa0\x80",
        b"#! nodes ",
        b"null",
        b"true",
        b"1e999",
        b"-",
        b"\x1f\x8b",
        b"PK\x03\x04",
    ),
)


def mutated_bytes(data, rng, others=()):
    """Damage bytes in one to four ways."""
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 4))):
        data = rng.choice(_BYTES)(data, rng, others)
    return data


def _flip(data, rng, _):
    if not data:
        return b"\0"
    k = rng.randrange(len(data))
    return data[:k] + bytes([data[k] ^ (1 << rng.randrange(8))]) + data[k + 1 :]


def _byte(data, rng, _):
    k = rng.randrange(len(data) + 1)
    return data[:k] + bytes([rng.choice((0, 1, 127, 128, 255, rng.randrange(256)))]) + data[k + 1 :]


def _cut(data, rng, _):
    return data[: rng.randrange(len(data) + 1)]


def _leave_out(data, rng, _):
    a, b = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    return data[:a] + data[min(b, a + 40) :]


def _repeat(data, rng, _):
    a, b = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    return data[:b] + data[a:b] * rng.choice((1, 2, 50)) + data[b:]


def _splice(data, rng, others):
    other = rng.choice(others) if others else data
    return data[: rng.randrange(len(data) + 1)] + other[rng.randrange(len(other) + 1) :]


def _insert(data, rng, _):
    k = rng.randrange(len(data) + 1)
    return data[:k] + rng.choice(TOKENS) * rng.choice((1, 1, 2, 300)) + data[k:]


def _number(data, rng, _):
    """Replace a number in a text."""
    numbers = list(re.finditer(rb"-?\d+(?:\.\d+)?", data[:20_000]))
    if not numbers:
        return _flip(data, rng, _)
    match = rng.choice(numbers)
    return data[: match.start()] + rng.choice(EXTREMES).encode() + data[match.end() :]


_BYTES = (_flip, _byte, _cut, _leave_out, _repeat, _splice, _insert, _number, _number)


# -- trees ---------------------------------------------------------------------------------------------


def mutated_tree(tree, rng):
    """Change one to three values or keys somewhere in dictionaries and lists."""
    tree = copy.deepcopy(tree)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        holder, key = rng.choice(list(_positions(tree)) or [(None, None)])
        if holder is not None:
            _change(holder, key, rng)
    return tree


def _positions(tree):
    keys = list(tree) if isinstance(tree, dict) else range(min(len(tree), 30)) if isinstance(tree, list) else ()
    for key in keys:
        yield tree, key
        yield from _positions(tree[key])


def _change(holder, key, rng):
    way = rng.randrange(6)
    if way == 0:
        del holder[key]
    elif way == 1 and isinstance(holder, dict):
        holder[rng.choice(("a", "", "\x00", "n", "m", "seed", str(key) + "s", "é"))] = holder.pop(key)
    elif way == 2:
        _, other = rng.choice([(holder, key), *zip([holder] * len(holder), holder, strict=True)])
        holder[key] = copy.deepcopy(holder[other] if isinstance(holder, dict) else other)
    elif way == 3 and isinstance(holder[key], list):
        holder[key] = copy.deepcopy(holder[key]) * rng.choice((0, 2, 100)) + [_value(rng)]
    else:
        holder[key] = _value(rng)


def _value(rng):
    """Choose a value; a copy, as it may be changed later."""
    return copy.deepcopy(rng.choice(VALUES))


def json_of(tree):
    return json.dumps(tree, ensure_ascii=False).encode(errors="replace")


def toml_of(document):
    """Write a document as TOML, tables of the top level as tables and others inline; null, which TOML lacks, as a text."""
    plain = {key: value for key, value in document.items() if not isinstance(value, dict)}
    lines = [f"{json.dumps(key)} = {_inline(value)}" for key, value in plain.items()]
    for key, table in document.items():
        if isinstance(table, dict):
            lines += [
                f"[{json.dumps(key)}]",
                *(f"{json.dumps(name)} = {_inline(value)}" for name, value in table.items()),
            ]
    return "\n".join(lines).encode(errors="replace")


def _inline(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {_inline(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return f"[{', '.join(map(_inline, value))}]"
    return '"null"' if value is None else json.dumps(value)
