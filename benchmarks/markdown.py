"""Markdown as the pages have it: prose wrapped, tables and headings left as they are."""

from __future__ import annotations

import textwrap

__all__ = ["wrap"]

WIDTH = 100


def wrap(text: str) -> str:
    r"""Wrap the lines of prose and of lists.

    Examples
    --------
    >>> print(wrap("- " + "word " * 22 + "\n| a | b |"))
    - word word word word word word word word word word word word word word word word word word word
      word word word
    | a | b |
    """
    return "\n".join(_wrap_line(line) for line in text.split("\n"))


def _wrap_line(line: str) -> str:
    if len(line) <= WIDTH or line.startswith(("|", "#", "<!--")):
        return line
    indent = "  " if line.startswith("- ") else ""
    return textwrap.fill(
        line, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False, drop_whitespace=True
    )
