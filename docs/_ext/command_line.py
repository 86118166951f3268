r"""The page of the command line, made from the commands themselves: a directive ``command-line``.

Typer describes the commands in Markdown, which is shortened here: no repeated ``--help``, no lists of subcommands, examples as
code.

>>> print(tidy("# `x`\n\nDoes.\n\n**Options**:\n\n* `--help`: Show this message and exit.\n"))
Does.
"""

from __future__ import annotations

import re
from typing import Any

import typer
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from typer.cli import get_docs_for_click
from typer.main import get_command

from hyperhedge.cli import app as commands

__all__ = ["CommandLine", "setup", "tidy"]

_CHANGES = (
    (r"\A# .*\n", ""),
    (r"^\* `--help`.*\n", ""),
    (r"^\*\*Commands\*\*:\n\n(?:\* .*\n)+\n?", ""),
    (r"^\*\*(?:Options|Arguments)\*\*:\n\n(?!\*)", ""),
    (r"\*\*Usage\*\*:\n\n```console\n\$ ", "```text\n"),
    (r"\[bold\](.*?)\[/bold\]", r"`\1`"),
)


def tidy(text: str) -> str:
    """Shorten Typer's Markdown for the page."""
    for pattern, to in _CHANGES:
        text = re.sub(pattern, to, text, flags=re.MULTILINE)
    return text.strip()


class CommandLine(SphinxDirective):
    """Every command with its usage, arguments and options."""

    def run(self) -> list[nodes.Node]:
        """Write the sections."""
        command = get_command(commands)
        text = get_docs_for_click(obj=command, ctx=typer.Context(command, info_name="hyperhedge"), name="hyperhedge")
        return self.parse_text_to_nodes(tidy(text), allow_section_headings=True)


def setup(app: Sphinx) -> dict[str, Any]:
    """Offer the directive."""
    app.add_directive("command-line", CommandLine)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
