r"""Formulas as MathML, which browsers render without scripts, fonts or the network.

docutils translates. A formula that it cannot translate is a warning, so a build with ``-W`` fails.

>>> to_mathml(r"e^{-\omega s}", block=False).startswith("<math")
True
"""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

__all__ = ["setup", "to_mathml"]

_LOG = logging.getLogger(__name__)
_SAME = {"…": r"\ldots ", r"\iff": r"\Leftrightarrow", r"\mathbin": "", r"\textstyle": ""}
_ACCENTED = re.compile(r"\\(bar|dot|hat|tilde|widehat|widetilde) ?(\{[^{}]*\}|\\[a-zA-Z]+|\w)")
_DIGITS = re.compile(r"\\([td]?frac)(\d)(\d)")
_FUNCTION = re.compile(r"(\\(?:log|exp|sin|cos)(?![a-z])|\\operatorname\{\w+\})\s*(?=[A-Za-z]|\\(?!left|[bB]ig)[a-z])")


def to_mathml(tex: str, *, block: bool) -> str:
    """Translate a formula; rows and alignment make it an ``aligned`` one."""
    for written, known in _SAME.items():
        tex = tex.replace(written, known)
    tex = _DIGITS.sub(r"\\\1{\2}{\3}", tex)
    tex = _ACCENTED.sub(r"{\\\1 \2{}}", tex)  # or an index would stand below the letter
    tex = _FUNCTION.sub(r"\1\\,", tex)
    if block and ("&" in tex or r"\\" in tex) and r"\begin" not in tex:
        tex = rf"\begin{{aligned}}{tex}\end{{aligned}}"
    return str(tex2mathml(tex, as_block=block))


def _written(node: nodes.Element, *, block: bool) -> str:
    try:
        return to_mathml(node.astext(), block=block)
    except MathError as error:
        _LOG.warning("cannot write %r as MathML: %s", node.astext(), error, location=node)
        return ""


def visit_inline(self: HTML5Translator, node: nodes.math) -> None:
    """Write a formula within a line."""
    self.body.append(_written(node, block=False))
    raise nodes.SkipNode


def visit_block(self: HTML5Translator, node: nodes.math_block) -> None:
    """Write a displayed formula, in a box that scrolls if it is wide."""
    self.body.append(f'<div class="formula">{_written(node, block=True)}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer ``mathml``."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
