"""Functions compiled to machine code by numba."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

__all__ = ["compiled"]

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile on first use, without Python's lock, and keep the machine code on disk where there is a place for it."""
    try:
        return cast("Function", numba.njit(cache=True, nogil=True)(function))
    except RuntimeError:  # neither the package's folder nor the user's can be written
        return cast("Function", numba.njit(nogil=True)(function))
