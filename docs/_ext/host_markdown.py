"""Adapt Markdown that is written for a code host to the site.

On a code host a link is best named by its file, ``[theory.md](theory.md)``; on the site it takes the title of the page. The
empty line that ends a doctest before its fence is removed.
"""

from __future__ import annotations

import posixpath
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

__all__ = ["name_links", "setup", "trim_blocks"]


def trim_blocks(_app: Sphinx, doctree: nodes.document) -> None:
    """Remove empty lines at the end of code blocks."""
    for block in doctree.findall(nodes.literal_block):
        text = block.astext().rstrip("\n")
        block.rawsource = text
        block[:] = [nodes.Text(text)]


def name_links(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Name links to pages by the titles of the pages."""
    for link in doctree.findall(nodes.reference):
        if link.get("internal") and link.astext().endswith(".md"):
            path = link["refuri"].partition("#")[0].removesuffix(".html")
            title = app.env.titles[posixpath.normpath(posixpath.join(posixpath.dirname(page), path))].astext()
            link[:] = [nodes.emphasis("", title)]


def setup(app: Sphinx) -> dict[str, Any]:
    """Change pages after they are read, and after their links are resolved."""
    app.connect("doctree-read", trim_blocks)
    app.connect("doctree-resolved", name_links)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
