"""Imports of optional libraries."""

from __future__ import annotations

import importlib
from typing import Any

from hyperhedge.errors import MissingDependencyError


def require(module: str, extra: str) -> Any:
    """Import a module, or say how to install it.

    Examples
    --------
    >>> require("no_such_module", "xgi")
    Traceback (most recent call last):
        ...
    hyperhedge.errors.MissingDependencyError: this needs no_such_module: pip install 'hyperhedge[xgi]'
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != module.partition(".")[0]:
            raise  # the library is installed, and one that it needs is not
        raise MissingDependencyError(f"this needs {module}: pip install 'hyperhedge[{extra}]'") from None
