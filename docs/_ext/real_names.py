"""Names without an entry in the reference are written as code, if they are real; if not, Sphinx warns.

Docstrings and annotations name modules that are not pages (``hyperhedge.train.loop``) and things of other libraries
(``torch.Tensor``). To link the latter would take an inventory from the network.

>>> is_real("pathlib.Path.exists"), is_real("pathlib.Path.exist"), is_real("TrainingError", "hyperhedge.train")
(True, False, True)
"""

from __future__ import annotations

import builtins
from importlib import import_module
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

__all__ = ["is_real", "setup"]


def is_real(name: str, module: str | None = None, owner: str | None = None) -> bool:
    """Say whether a name can be had: as it is, or as one of a class or of a module."""
    name = name.partition("[")[0]  # Literal['full' is a piece of an annotation
    places = ["", f"{module}.", f"{module}.{owner}."] if module else [""]
    return hasattr(builtins, name) or any(_found(place + name) for place in places)


def _found(path: str) -> bool:
    parts = path.strip(".").split(".")
    for count in range(len(parts), 0, -1):
        try:
            here: Any = import_module(".".join(parts[:count]))
        except ImportError:
            continue
        for part in parts[count:]:
            if not hasattr(here, part) and part not in getattr(here, "__annotations__", {}):
                return False
            here = getattr(here, part, None)
        return True
    return False


def resolve(_app: Sphinx, _env: BuildEnvironment, node: pending_xref, content: nodes.Element) -> nodes.Element | None:
    """Leave a real name as text; otherwise let Sphinx warn."""
    if node.get("refdomain") != "py":
        return None
    return content if is_real(node["reftarget"], node.get("py:module"), node.get("py:class")) else None


def setup(app: Sphinx) -> dict[str, Any]:
    """Look at references that lead nowhere."""
    app.connect("missing-reference", resolve)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
