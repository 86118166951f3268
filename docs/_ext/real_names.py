"""Names without an entry in the reference become code if they can be imported; otherwise Sphinx warns.

Docstrings and annotations name modules that have no page (``hyperhedge.train.loop``) and names of other libraries
(``torch.Tensor``), whose inventories are on the network.

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
    """Whether a name can be imported: absolutely, or from a module or a class."""
    name = name.partition("[")[0]  # an annotation may be cut: Literal['full'
    prefixes = ["", f"{module}.", f"{module}.{owner}."] if module else [""]
    return hasattr(builtins, name) or any(_can_import(prefix + name) for prefix in prefixes)


def _can_import(path: str) -> bool:
    names = path.strip(".").split(".")
    for count in range(len(names), 0, -1):
        try:
            value: Any = import_module(".".join(names[:count]))
        except ImportError:
            continue
        for name in names[count:]:
            if not hasattr(value, name) and name not in getattr(value, "__annotations__", {}):
                return False
            value = getattr(value, name, None)
        return True
    return False


def resolve(_app: Sphinx, _env: BuildEnvironment, node: pending_xref, content: nodes.Element) -> nodes.Element | None:
    """Return a real name as text; for others return None, and Sphinx warns."""
    if node.get("refdomain") != "py":
        return None
    return content if is_real(node["reftarget"], node.get("py:module"), node.get("py:class")) else None


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect to references without a target."""
    app.connect("missing-reference", resolve)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
