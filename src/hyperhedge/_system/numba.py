"""Functions compiled to machine code with numba."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile on first use, to run without Python's lock, and cache the machine code on disk if possible."""
    try:
        return cast("Function", numba.njit(cache=True, nogil=True)(function))
    except RuntimeError:  # neither the package's folder nor the user's is writable
        return cast("Function", numba.njit(nogil=True)(function))
