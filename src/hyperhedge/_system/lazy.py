"""Names of a package that are imported on first use: importing torch takes a second, matplotlib half a second."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(
    namespace: dict[str, Any], homes: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` for a package, from its ``globals()`` and the module of each lazy name."""
    package = namespace["__name__"]

    def get_attribute(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        namespace[name] = getattr(import_module(homes[name]), name)
        return namespace[name]

    def list_names() -> list[str]:
        return sorted(namespace["__all__"])

    return get_attribute, list_names
