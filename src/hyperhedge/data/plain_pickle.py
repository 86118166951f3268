"""Reading plain data from a pickle without executing it.

A pickle is a program for a small stack machine, and some of its instructions import and call whatever they
name. This reader runs only the instructions that build dictionaries, lists, sets, tuples, numbers, strings and
bytes. It recognises two names, those with which NumPy writes an integer, and evaluates them itself; nothing is
imported, and nothing outside this module is called. Everything else is refused.

The standard library's :mod:`pickletools` decodes the instructions; it executes nothing either.
"""

from __future__ import annotations

import pickletools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hyperhedge.errors import FormatError

_SCALAR, _DTYPE = "scalar", "dtype"
_NAMES = {
    ("numpy", "dtype"): _DTYPE,
    ("numpy.core.multiarray", "scalar"): _SCALAR,
    ("numpy._core.multiarray", "scalar"): _SCALAR,
}
_INTEGERS = {f"{kind}{size}": (kind == "i", size) for kind in "iu" for size in (1, 2, 4, 8)}
_KEY_TYPES = {bool, bytes, float, int, str, type(None)}


@dataclass(frozen=True)
class _Name:
    """A name that the pickle may call: that of a scalar or of a type."""

    kind: str


@dataclass
class _IntegerType:
    """What is needed of a NumPy integer type."""

    signed: bool
    size: int
    order: str = "<"


class _Mark:
    """The beginning of a run of items on the stack."""


def read_plain_pickle(data: bytes) -> Any:
    r"""Return the data in a pickle of plain containers; refuse any other pickle.

    Examples
    --------
    >>> read_plain_pickle(b"(I1\nI2\nl.")
    [1, 2]
    >>> read_plain_pickle(b"cos\nsystem\n(S'date'\ntR.")
    Traceback (most recent call last):
        ...
    hyperhedge.errors.FormatError: byte 0: this pickle names os.system; only plain data are read from a pickle
    """
    machine = _Machine()
    position = 0
    try:
        for operation, argument, start in pickletools.genops(data):
            position = start or 0
            if operation.name == "STOP":
                return machine.result()
            machine.run(operation.name, argument)
    except _RefusedError as error:
        raise FormatError(f"{error}; only plain data are read from a pickle", where=f"byte {position}") from None
    except (ValueError, TypeError, IndexError, KeyError, OverflowError, AttributeError) as error:
        raise FormatError(f"this pickle is damaged ({error})", where=f"byte {position}") from None
    raise FormatError("this pickle is damaged (it has no end)")


class _RefusedError(Exception):
    """An instruction is well formed, but not for plain data."""


class _Machine:
    """The stack and the memory of the pickle's machine."""

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self.memory: dict[int, Any] = {}

    def result(self) -> Any:
        if len(self.stack) != 1 or isinstance(self.stack[0], _Mark | _Name | _IntegerType):
            raise ValueError("it does not end with one value")
        return self.stack[0]

    def run(self, name: str, argument: Any) -> None:
        if name in _PUSHES_ARGUMENT:
            self.stack.append(argument)
        elif name in _IGNORED:
            pass
        elif name in _OPERATIONS:
            _OPERATIONS[name](self, argument)
        else:
            raise _RefusedError(f"this pickle uses the instruction {name}")

    def items(self) -> list[Any]:
        """Remove the items above the last mark from the stack, and the mark; return the items."""
        for k in range(len(self.stack) - 1, -1, -1):
            if isinstance(self.stack[k], _Mark):
                taken = self.stack[k + 1 :]
                del self.stack[k:]
                return taken
        raise ValueError("a mark is missing")

    def pop(self) -> Any:
        value = self.stack.pop()
        if isinstance(value, _Mark):
            raise ValueError("a mark is in the way")
        return value

    def top(self, kind: type) -> Any:
        """Return the top of the stack, which must be a container of one kind."""
        if type(self.stack[-1]) is not kind:
            raise ValueError(f"there is no {kind.__name__} to fill")
        return self.stack[-1]

    # -- instructions ------------------------------------------------------------------------------

    def push(self, value: Any) -> None:
        self.stack.append(value)

    def put(self, index: int) -> None:
        self.memory[index] = self.stack[-1]

    def memoise(self, _: None) -> None:
        self.memory[len(self.memory)] = self.stack[-1]

    def get(self, index: int) -> None:
        self.stack.append(self.memory[index])

    def short_tuple(self, length: int) -> None:
        values = [self.pop() for _ in range(length)]
        self.stack.append(tuple(reversed(values)))

    def pairs_to_dict(self, pairs: list[Any], target: dict[Any, Any]) -> dict[Any, Any]:
        if len(pairs) % 2:
            raise ValueError("a key has no value")
        target.update(zip(_keys(pairs[::2]), pairs[1::2], strict=True))
        return target

    def set_item(self, _: None) -> None:
        value, key = self.pop(), self.pop()
        self.top(dict)[_keys([key])[0]] = value

    def set_items(self, _: None) -> None:
        pairs = self.items()
        self.pairs_to_dict(pairs, self.top(dict))

    def append(self, _: None) -> None:
        value = self.pop()
        self.top(list).append(value)

    def extend(self, _: None) -> None:
        values = self.items()
        self.top(list).extend(values)

    def add(self, _: None) -> None:
        values = self.items()
        self.top(set).update(_keys(values))

    def name(self, module: str, name: str) -> None:
        if (module, name) not in _NAMES:
            raise _RefusedError(f"this pickle names {module}.{name}")
        self.stack.append(_Name(_NAMES[module, name]))

    def global_name(self, argument: str) -> None:
        module, _, name = argument.partition(" ")
        self.name(module, name)

    def stack_name(self, _: None) -> None:
        name, module = self.pop(), self.pop()
        if not isinstance(name, str) or not isinstance(module, str):
            raise ValueError("a name is not text")
        self.name(module, name)

    def call(self, _: None) -> None:
        arguments, called = self.pop(), self.pop()
        if not isinstance(called, _Name) or type(arguments) is not tuple:
            raise _RefusedError("this pickle calls something")
        self.stack.append(_integer_type(arguments) if called.kind == _DTYPE else _integer(arguments))

    def build(self, _: None) -> None:
        """Set the state of an integer type: its byte order."""
        state, target = self.pop(), self.stack[-1]
        if not isinstance(target, _IntegerType) or type(state) is not tuple:
            raise _RefusedError("this pickle sets the state of something")
        if len(state) < 2 or state[1] not in ("<", ">", "|", "="):
            raise ValueError("an integer type has no byte order")
        target.order = state[1]


def _keys(values: list[Any]) -> list[Any]:
    """Refuse nested keys and members of sets, which could take for ever to hash."""
    for value in values:
        if type(value) not in _KEY_TYPES:
            raise _RefusedError(
                f"this pickle uses a {type(value).__name__.strip('_').lower()} as a key or a member of a set"
            )
    return values


def _integer_type(arguments: tuple[Any, ...]) -> _IntegerType:
    code = arguments[0] if arguments else None
    if not isinstance(code, str) or code not in _INTEGERS:
        raise _RefusedError(f"this pickle contains the type {code!r}")
    return _IntegerType(*_INTEGERS[code])


def _integer(arguments: tuple[Any, ...]) -> int:
    kind, data = arguments
    if not isinstance(kind, _IntegerType) or not isinstance(data, bytes) or len(data) != kind.size:
        raise ValueError("an integer does not fit its type")
    return int.from_bytes(data, "big" if kind.order == ">" else "little", signed=kind.signed)


_IGNORED = {"PROTO", "FRAME"}
_PUSHES_ARGUMENT = {
    *("INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4", "FLOAT", "BINFLOAT"),
    *("UNICODE", "SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8", "STRING", "BINSTRING", "SHORT_BINSTRING"),
    *("BINBYTES", "SHORT_BINBYTES", "BINBYTES8"),
}
_OPERATIONS: dict[str, Callable[[_Machine, Any], None]] = {
    "MARK": lambda m, _: m.push(_Mark()),
    "NONE": lambda m, _: m.push(None),
    "NEWTRUE": lambda m, _: m.push(True),
    "NEWFALSE": lambda m, _: m.push(False),
    "EMPTY_DICT": lambda m, _: m.push({}),
    "EMPTY_LIST": lambda m, _: m.push([]),
    "EMPTY_SET": lambda m, _: m.push(set()),
    "EMPTY_TUPLE": lambda m, _: m.push(()),
    "DICT": lambda m, _: m.push(m.pairs_to_dict(m.items(), {})),
    "LIST": lambda m, _: m.push(m.items()),
    "TUPLE": lambda m, _: m.push(tuple(m.items())),
    "FROZENSET": lambda m, _: m.push(frozenset(_keys(m.items()))),
    "TUPLE1": lambda m, _: m.short_tuple(1),
    "TUPLE2": lambda m, _: m.short_tuple(2),
    "TUPLE3": lambda m, _: m.short_tuple(3),
    "SETITEM": _Machine.set_item,
    "SETITEMS": _Machine.set_items,
    "APPEND": _Machine.append,
    "APPENDS": _Machine.extend,
    "ADDITEMS": _Machine.add,
    "PUT": _Machine.put,
    "BINPUT": _Machine.put,
    "LONG_BINPUT": _Machine.put,
    "MEMOIZE": _Machine.memoise,
    "GET": _Machine.get,
    "BINGET": _Machine.get,
    "LONG_BINGET": _Machine.get,
    "GLOBAL": _Machine.global_name,
    "STACK_GLOBAL": _Machine.stack_name,
    "REDUCE": _Machine.call,
    "BUILD": _Machine.build,
}
